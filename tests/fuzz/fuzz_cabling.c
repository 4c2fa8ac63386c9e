/* Fuzz target: plans of cables (`plan FILE`), read and compared with a small fabric. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/analysis/compare/plan.h"
#include "core/formats/cabling.h"
#include "core/source/synth.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each cable is put to its place, taken away once, or left; the steps do all that is wished. */
static void check_fixes(const struct fabric *f, const struct plan_report *r)
{
	struct state *up = state_new(f);
	struct plan_fixes x;
	struct err e;
	uint32_t *peer = malloc((f->n_ports + 1) * sizeof(*peer));

	if (!peer || plan_fixes_find(f, up, r, &x, NULL, &e))
		abort();
	memcpy(peer, f->port_peer, f->n_ports * sizeof(*peer));
	for (size_t i = 0; i < x.n; i++) {
		const uint32_t *p = x.fix[i].port;
		uint32_t to = x.fix[i].kind == FIX_MOVE ? p[2] : x.fix[i].kind == FIX_SWAP ? p[3] : p[1];

		if (x.fix[i].kind != FIX_ADD && peer[p[0]] != p[1])
			abort();
		if (x.fix[i].kind == FIX_SWAP && peer[p[2]] != p[3])
			abort();
		if (x.fix[i].kind != FIX_RATE)
			peer[p[0]] = peer[p[1]] = NO_ID;
		if (x.fix[i].kind == FIX_REMOVE)
			continue;
		if (x.fix[i].kind == FIX_ADD || x.fix[i].kind == FIX_MOVE)
			if (peer[p[0]] != NO_ID || peer[to] != NO_ID)
				abort();
		peer[p[0]] = to;
		peer[to] = p[0];
		if (x.fix[i].kind == FIX_SWAP) {
			peer[p[2]] = p[1];
			peer[p[1]] = p[2];
		}
	}
	for (size_t i = 0; i < r->n_wishes; i++)
		if (peer[r->wish[i].port[0]] != r->wish[i].port[1])
			abort();
	plan_fixes_free(&x);
	state_free(up);
	free(peer);
}

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
	check_fixes(f, &r);
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
