/* Fuzz target: .topo and the .ibnl with its types of systems, in one input cut by a line "%%". */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/formats/ibnl.h"
#include "core/formats/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Peers are mutual and within the fabric; chips are named. */
static void check(const struct fabric *f)
{
	for (uint32_t p = 0; p < f->n_ports; p++) {
		uint32_t q = f->port_peer[p];

		if (q != NO_ID && (q >= f->n_ports || q == p || f->port_peer[q] != p))
			abort();
		if (q != NO_ID && (!f->port_width[p] || f->port_width[p] != f->port_width[q] ||
				   f->port_speed[p] != f->port_speed[q]))
			abort();
	}
	for (uint32_t n = 0; n < f->n_nodes; n++)
		if (!strchr(f->node_desc[n], '/') && strlen(f->node_desc[n]) < DESC_MAX)
			abort();
}

/* A line of a .topo of which only the first word is left makes it incomplete, or refused. */
static void check_left_out(const struct input *in, struct ibnl_library *l)
{
	struct lines lines = {in->data, in->data + in->size, 0, NULL};
	struct cursor line, chosen = {0}, word = {0};
	struct input less = *in;
	struct fabric *f = NULL;
	struct err e = {0};
	char *text;

	for (size_t n = 0; n <= in->size % 7 && lines_next(&lines, &line);) {
		struct cursor c = line, first = cur_token(&c);

		if (cur_empty(&first) || *first.p == '#')
			continue;
		chosen = line;
		word = first;
		n++;
	}
	if (!chosen.p)
		return;
	text = mem_dup(in->data, in->size);
	memset(text + (word.end - in->data), ' ', (size_t)(chosen.end - word.end));
	less.data = text;
	if (is_topo(&less) && !topo_with_types(&less, l, "here", &f, &e) && !f->warnings.missing)
		abort();
	fabric_unref(f);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char cut[] = "\n%%\n";
	const char *text = (const char *)data, *at = size ? memmem(text, size, cut, strlen(cut)) : NULL;
	size_t types = at ? (size_t)(at - text) : size;
	struct input in = {.name = "fuzz", .data = at ? at + strlen(cut) : text, .size = 0};
	struct ibnl_library l = {0};
	struct fabric *f = NULL;
	struct err e = {0};

	in.size = at ? size - types - strlen(cut) : size;
	ibnl_add(&l, "types", mem_dup(text, types), types);
	if (is_topo(&in)) {
		if (topo_with_types(&in, &l, "here", &f, &e) ? f || !*e.msg : !f)
			abort();
		if (f)
			check(f);
		fabric_unref(f);
		check_left_out(&in, &l);
	}
	ibnl_free(&l);
	return 0;
}
