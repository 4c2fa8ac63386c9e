/* Fuzz target: tables of switches in all their formats, and what is then judged of them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/err.h"
#include "core/formats/tables.h"
#include "tests/fuzz/ring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Entries fit their tables, groups hold ports of the switch, LIDs are those of endports. */
static void check(const struct fabric *f, const struct switch_tables *t)
{
	for (uint32_t s = 0; s < f->n_switches; s++) {
		if (!t->lft[s])
			continue;
		if (t->top[s] > MAX_LID || t->lft[s][0] != NO_PATH)
			abort();
		for (unsigned lid = 0; lid <= t->top[s]; lid++) {
			const struct adaptive_group *g = adaptive_find(t->adaptive, s, lid);

			if (g && port_set_next(&g->ports, f->switch_nports[s] + 1u) < 256)
				abort();
		}
	}
	for (uint32_t p = 0; p < f->n_ports; p++)
		if (t->lid[p] > MAX_LID || t->lmc[p] > 7 || (t->lid[p] && f->port_endport[p] == NO_ID))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct topo *topo;
	struct input in = {.name = "fuzz", .data = (const char *)data, .size = size};
	struct switch_tables *t;
	struct tables_info info;
	struct text notes = {0};
	struct err e = {0};

	if (!topo)
		topo = ring_of_three(false);
	t = tables_parse(&in, topo->fabric, NULL, &info, &notes, &e);
	if (!t) {
		if (strncmp(e.msg, "fuzz:", 5) != 0)
			abort();
	} else {
		check(topo->fabric, t);
		counted_unref(&t->counted);
	}
	text_free(&notes);
	return 0;
}
