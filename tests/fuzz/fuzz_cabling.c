/* Fuzz target: plans of cables (`plan FILE`), read and compared with a small fabric. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/analysis/compare/plan.h"
#include "core/formats/cabling.h"
#include "core/source/synth.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each row is there, or told once; with a line left out nothing is clear. */
static void check(const struct fabric *f, const struct cabling *c)
{
	struct plan_report r;
	struct err e;
	size_t told = 0;

	if (plan_compare(f, c, &r, NULL, &e))
		abort();
	for (size_t i = 0; i < r.n; i++) {
		const struct plan_difference *d = &r.d[i];

		if (d->row != NO_ID && d->row >= c->n)
			abort();
		told += d->change == PLAN_SWAPPED ? 2
						  : d->change == PLAN_MISSING || d->change == PLAN_WRONG_PORT;
		told += c->kind != CABLING_LIST && d->change == PLAN_LEAF;
	}
	if (r.there + told != r.cables)
		abort();
	plan_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fabric *tree;
	struct cabling c;
	struct err e = {0};

	if (!tree && synth_make("xgft:3,3:1,2", &tree, &e))
		abort();
	if (!cabling_parse(&(struct input){"fuzz", (const char *)data, size, NULL}, &c, &e)) {
		for (size_t i = 0; i < c.n; i++)
			if (!c.row[i].line || !*c.row[i].end[0].device || !*c.row[i].end[1].device)
				abort();
		if (!c.n || c.odd.n * 10 > c.n + c.odd.n)
			abort();
		check(tree, &c);
	} else if (strncmp(e.msg, "fuzz:", 5) != 0) {
		abort();
	}
	cabling_free(&c);
	return 0;
}
