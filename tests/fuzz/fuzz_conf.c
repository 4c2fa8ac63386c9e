/* Fuzz target: opensm.conf. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/err.h"
#include "core/base/text.h"
#include "core/formats/conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct optdef table[] = {
	{.name = "lmc", .type = OPT_UINT, .def = "0", .max = 7},
	{.name = "max_reverse_hops", .type = OPT_UINT, .def = "0", .max = 65535},
	{.name = "qos", .type = OPT_BOOL, .def = "FALSE"},
	{.name = "connect_roots", .type = OPT_BOOL, .def = "FALSE"},
	{.name = "guid", .type = OPT_STRING, .def = ""},
	{.name = "log_prefix", .type = OPT_STRING, .def = ""},
	{.name = "subnet_prefix", .type = OPT_UINT, .def = "0xfe80000000000000", .max = UINT64_MAX},
	{.name = "root_guid_file", .type = OPT_FILE, .def = ""},
	{.name = "port_search_ordering_file", .type = OPT_FILE, .def = ""},
	{.name = "torus_config", .type = OPT_FILE, .def = ""},
	{.name = "part_enforce", .type = OPT_CHOICE, .def = "both", .choices = "both|in|out|off"},
	{0},
};

/* What was accepted is within its range; what was refused changes nothing and says why. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct optdef *const tables[] = {table, NULL};
	struct options *o = options_new(tables);
	struct text notes = {0};
	struct err e = {0};
	char *engines;
	const struct input in = {.name = "fuzz.conf", .data = (const char *)data, .size = size};
	int rc = conf_parse(o, &in, &engines, &notes, &e);

	if (options_uint(o, "lmc") > 7 || options_uint(o, "max_reverse_hops") > 65535)
		abort();
	if (rc && (engines || strncmp(e.msg, "fuzz.conf:", 10)))
		abort();
	for (size_t i = 0; rc && i < options_count(o); i++)
		if (options_is_set(o, options_at(o, i)->name))
			abort();
	free(engines);
	text_free(&notes);
	options_free(o);
	return 0;
}
