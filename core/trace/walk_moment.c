/* A step of a recording as an ordinary sweep. */
#include <string.h>

#include "core/base/memory.h"
#include "core/trace/internal.h"
#include "core/sm/sweep.h"

/* The row of a switch with its decided entries; the final row if nothing is missing. */
static void walk_moment_put_row(struct walk *w, struct routing *r, uint32_t sw)
{
	const struct rec_scheme *scheme = w->r->engine->scheme;
	const struct routing *end = w->r->end;
	unsigned top = w->r->sweep->lids->max_lid;
	const uint8_t *cell = (const uint8_t *)w->table[T_ENTRY] + (size_t)sw * (top + 1u);
	const struct lft_row *last = end ? end->row[sw] : NULL;

	if (last && last->top == top && !memcmp(last->port, cell, top + 1u)) {
		routing_share_row(r, end, sw);
		return;
	}
	r->row[sw] = lft_row_new(top);
	if (!r->priv || !scheme->row_at || !scheme->row_at(w, r->priv, sw, r->row[sw]->port))
		memcpy(r->row[sw]->port, cell, top + 1u);
}

/* For an engine without tables of its own, or one that refused before it had any. */
static const struct routing_ops nothing_yet = {.sl = NULL};

static struct routing *routing_at(struct walk *w)
{
	const struct recording *rec = w->r;
	const struct sweep *s = rec->sweep;
	const struct rec_scheme *scheme = rec->engine->scheme;
	struct routing *r = routing_new(rec->engine->name, s->topo, s->lids);

	r->priv = scheme->priv_at(w, rec->end);
	r->ops = r->priv ? scheme->ops : &nothing_yet;
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		if (switch_up(s->topo, sw))
			walk_moment_put_row(w, r, sw);
	if (rec->end && rec->end->sl_tables)
		r->sl_tables = sl_tables_ref(rec->end->sl_tables);
	return r;
}

const struct sweep *walk_moment(struct walk *w)
{
	if (!w->moment && w->at == w->r->n_events && !w->r->refused && w->r->end == w->r->sweep->routing &&
	    !recording_part(w->r)[0])
		w->moment = sweep_ref(w->r->sweep);
	if (!w->moment)
		w->moment = sweep_with_routing(w->r->sweep, routing_at(w));
	return sweep_ref(w->moment);
}
