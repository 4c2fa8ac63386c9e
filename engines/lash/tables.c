/* Forwarding tables from the routes (engines/doc/lash.md 10). */
#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/lash/internal.h"

struct lash_tables_filling {
	const struct lash *l;
	const struct engine_input *in;
	const struct lash_graph *g;
	uint32_t *at;	 /* [max_lid + 1] LASH id of the LID's switch, or NO_ID */
	uint8_t *port;	 /* [max_lid + 1] port of that switch */
	uint8_t *cursor; /* [links] next parallel cable to use */
	uint8_t *rule;	 /* [n] for recordings: rule of the link to each switch, WHY_UNTOLD = open; or NULL */
};

/* The rule that lash_tell_choice() would tell, for a recording. */
static enum why_rule lash_tables_rule_of(const struct lash_tables_filling *f, uint32_t u, unsigned lid,
					 unsigned port)
{
	uint32_t d = f->at[lid];
	struct decided none = {0};
	enum why_rule rule;

	if (d == u)
		return port ? WHY_ATTACHED : WHY_OWN_LID;
	if (port == NO_PATH) {
		decide_common(f->in->topo, f->in->lids, f->g->sw[u], lid, port, &none);
		rule = none.rule ? none.rule : WHY_NOT_ROUTED;
		decided_free(&none);
		return rule;
	}
	if (!f->rule[d])
		f->rule[d] = lash_weigh(f->l->plan, u, d, lash_channel_of(f->g, u, port)).rule;
	return f->rule[d];
}

static unsigned lash_tables_choose_port(const struct lash_tables_filling *f, uint32_t u, unsigned lid,
					const uint8_t *link)
{
	const struct lash_graph *g = f->g;
	uint32_t d = f->at[lid], c, cables;
	unsigned port;

	if (d == NO_ID)
		return NO_PATH;
	if (d == u)
		return f->port[lid];
	if (link[d] == LASH_NO_LINK)
		return NO_PATH;
	c = g->base[u] + link[d];
	port = g->port[g->port_at[c] + f->cursor[link[d]]];
	cables = g->port_at[c + 1] - g->port_at[c];
	if (f->l->plan->collapsed)
		f->cursor[link[d]] = (f->cursor[link[d]] + 1u) % cables;
	return port;
}

static struct lft_row *lash_tables_fill_row(const struct lash_tables_filling *f, uint32_t u, uint8_t *link)
{
	unsigned top = f->in->lids->max_lid;
	struct lft_row *row = lft_row_new(top);

	for (size_t d = 0; d < f->g->n; d++)
		link[d] = f->l->plan->out[d * f->g->n + u];
	memset(f->cursor, 0, MAX_PORTS + 1);
	if (f->rule)
		memset(f->rule, WHY_UNTOLD, f->g->n);
	for (unsigned lid = 1; lid <= top && !progress_cancelled(f->in->progress); lid++) {
		row->port[lid] = lash_tables_choose_port(f, u, lid, link);
		if (ASKED(f->in) && lid_owner(f->in->lids, lid) != NO_ID)
			lash_tell_choice(f->in, f->l->plan, u, f->at[lid], lid, row->port[lid]);
		if (RECORDED(f->in) && lid_owner(f->in->lids, lid) != NO_ID)
			lash_record_choice(f->in, f->g->sw[u], lid, row->port[lid],
					   lash_tables_rule_of(f, u, lid, row->port[lid]));
	}
	if (RECORDED(f->in))
		rec_event(f->in->record, REC_TABLE, 0, 0, f->g->sw[u], 0);
	return row;
}

bool lash_fill_tables(const struct lash *l, const struct engine_input *in, struct routing *r)
{
	size_t lids = in->lids->max_lid + 1u;
	struct lash_tables_filling f = {
		.l = l,
		.in = in,
		.g = l->plan->graph,
		.at = NEW_ARRAY(lids, uint32_t),
		.port = NEW_ARRAY(lids, uint8_t),
		.cursor = NEW_ARRAY(MAX_PORTS + 1, uint8_t),
		.rule = RECORDED(in) ? NEW_ARRAY(l->plan->graph->n + 1u, uint8_t) : NULL,
	};
	uint8_t *link = NEW_ARRAY(f.g->n, uint8_t);
	bool go_on = true;

	rec_phase(in, LASH_TABLES);
	progress_start(in->progress, "forwarding tables", f.g->n);
	for (unsigned lid = 0; lid < lids; lid++) {
		uint32_t ep = lid_owner(in->lids, lid),
			 sw = ep == NO_ID ? NO_ID : in->topo->endport_switch[ep];

		f.at[lid] = sw == NO_ID ? NO_ID : f.g->id[sw];
		f.port[lid] = sw == NO_ID ? NO_PATH : in->topo->endport_swport[ep];
	}
	for (uint32_t u = 0; u < f.g->n && (go_on = progress_step(in->progress, u)); u++)
		r->row[f.g->sw[u]] = lash_tables_fill_row(&f, u, link);
	FREE_EACH(f.at, f.port, f.cursor, f.rule, link);
	return go_on && !progress_cancelled(in->progress);
}
