/* Fuzz target: every reader of saved fabrics, and the writer on what they made. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/formats/readers.h"
#include "tests/fuzz/whole.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is odd about the fabric itself stays so when it is written and read again; the text is faultless. */
static bool of_fabric(const struct warning *w)
{
	static const char *const kinds[] = {"slow link", "duplicate LID", "duplicate GUID",
					    "LID out of range", "place of the subnet manager"};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!w->line && !strcmp(w->kind, kinds[i]))
			return true;
	return false;
}

/* What is written can be read, and has the same nodes. */
static void check_written(const struct fabric *f)
{
	struct fabric *g = NULL;
	struct err e = {0};
	size_t size;
	char *text = fabric_text(f, &size);

	if (fabric_parse("written", text, size, &g, &e) || g->n_nodes != f->n_nodes)
		abort();
	for (size_t i = 0; i < g->warnings.n; i++)
		if (!of_fabric(&g->warnings.w[i])) {
			fprintf(stderr, "read back: %s: %s\n", g->warnings.w[i].kind, g->warnings.w[i].text);
			abort();
		}
	fabric_unref(g);
	free(text);
}

/* An edge list, where it can hold the fabric, gives the same text again. */
static void check_edge_list(const struct fabric *f)
{
	struct fabric *g = NULL;
	struct err e = {0};
	struct text t = {0};
	size_t n[2];
	char *a, *b;

	if (!edges_text(f, NULL, NULL, NULL, &t, &e)) {
		if (fabric_parse("edges", t.s, t.len, &g, &e))
			abort();
		a = fabric_text(f, &n[0]);
		b = fabric_text(g, &n[1]);
		if (strcmp(strstr(a, "# Initiated"), strstr(b, "# Initiated")) != 0) {
			fprintf(stderr, "%s\nread back:\n%s", a, b);
			abort();
		}
		free(a);
		free(b);
		fabric_unref(g);
	}
	text_free(&t);
}

/* --- no line is left out in silence ---------------------------------------------------------------- */

static bool begins(struct cursor c, const char *const *word)
{
	for (; *word; word++) {
		struct cursor d = c;

		if (cur_word(&d, *word) && (cur_empty(&d) || strchr(" \t", *d.p)))
			return true;
	}
	return false;
}

/* Is it a row of NODES, PORTS or LINKS in db_csv?  *at: 0 outside of these, 1 before the headings, 2 behind.
 */
static bool db_row(struct cursor c, int *at)
{
	static const char *const starts[] = {"START_NODES", "START_PORTS", "START_LINKS", NULL};
	bool mark = begins(c, starts), row = *at == 2;

	if (mark || cur_word(&c, "START_") || cur_word(&c, "END_")) {
		*at = mark;
		return false;
	}
	cur_blanks(&c);
	if (cur_empty(&c) || *c.p == '#')
		return false;
	*at += *at == 1;
	return row;
}

/* Does the line tell a node, port or cable? */
static bool tells(const char *format, struct cursor c, int *at)
{
	static const char *const nodes[] = {"Switch", "Ca", "Hca", "Rt", NULL};
	static const char *const names[] = {"Switch:", "CA:", "Router:", NULL};
	static const char *const ports[] = {"SW", "CA", "RT", NULL};
	bool digit;

	if (!strcmp(format, "db_csv"))
		return db_row(c, at);
	if (!strcmp(format, "edges"))
		return cur_says(c);
	cur_blanks(&c);
	digit = !cur_empty(&c) && *c.p >= '0' && *c.p <= '9';
	if (!strcmp(format, "ibnetdiscover"))
		return begins(c, nodes) || (c.end - c.p > 1 && *c.p == '[' && c.p[1] >= '0' && c.p[1] <= '9');
	if (!strcmp(format, "subnet.lst"))
		return cur_char(&c, '{');
	if (!strcmp(format, "iblinkinfo"))
		return digit || begins(c, names);
	if (!strcmp(format, "ibnetdiscover -p"))
		return begins(c, ports);
	return digit && !strncmp(format, "net_dump", 8);
}

/* With such a line, of which only the beginning is left, the file is incomplete, or refused. */
static void check_left_out(const struct fabric *f, const char *data, size_t size)
{
	size_t n = 0, keep = 0, most = strcmp(f->format, "db_csv") != 0 ? 8 : 2;
	struct lines l = {data, data + size, 0, NULL};
	struct cursor line, chosen = {0};
	struct fabric *g = NULL;
	struct err e = {0};
	char *text;
	int at = 0;

	while (n <= size % 7 && lines_next(&l, &line))
		if (tells(f->format, line, &at)) {
			chosen = line;
			n++;
		}
	if (!n)
		return;
	cur_blanks(&chosen);
	while (keep < most && chosen.p + keep < chosen.end && chosen.p[keep] &&
	       !strchr(" \t", chosen.p[keep]))
		keep++;
	text = mem_dup(data, size);
	memset(text + (chosen.p - data) + keep, ' ', (size_t)(chosen.end - chosen.p) - keep);
	if (!fabric_parse("less", text, size, &g, &e) && !strcmp(f->format, g->format) &&
	    !g->warnings.missing)
		abort();
	fabric_unref(g);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fabric *f = NULL;
	struct err e = {0};

	if (fabric_parse("fuzz", (const char *)data, size, &f, &e)) {
		if (f || !*e.msg)
			abort();
		return 0;
	}
	check_fabric(f);
	check_left_out(f, (const char *)data, size);
	if (f->n_endports) {
		check_written(f);
		check_edge_list(f);
	}
	fabric_unref(f);
	return 0;
}
