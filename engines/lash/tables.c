/* Forwarding tables from the routes (engines/doc/lash.md 10). */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/text.h"
#include "engines/lash/lash.h"

struct filling {
	const struct lash *l;
	const struct engine_input *in;
	const struct lash_graph *g;
	uint32_t *at;	 /* [max_lid + 1] LASH id of the switch that a LID hangs on, NO_ID */
	uint8_t *port;	 /* [max_lid + 1] port of that switch */
	uint8_t *cursor; /* [links] next of the parallel cables */
	struct step_candidate *candidate;
};

static const char rule_tree[] = "breadth-first tree", rule_own[] = "own port", rule_none[] = "no route";

/* Links on the route from s to d; INT64_MIN = none. */
static int64_t route_length(const struct lash_plan *p, uint32_t s, uint32_t d)
{
	const struct lash_graph *g = p->graph;
	const uint8_t *out = p->out + (size_t)d * g->n;
	int64_t n = 0;

	for (; s != d; n++) {
		if (out[s] == LASH_NO_LINK)
			return INT64_MIN;
		s = g->to[g->base[s] + out[s]];
	}
	return n;
}

static void list_candidates(const struct filling *f, uint32_t u, uint32_t d, struct step *st)
{
	const struct lash_graph *g = f->g;
	uint32_t p0 = f->in->topo->fabric->switch_port[g->sw[u]];

	for (uint32_t c = g->base[u]; c < g->base[u + 1]; c++) {
		int64_t hops = route_length(f->l->plan, g->to[c], d);

		for (uint32_t i = g->port_at[c]; i < g->port_at[c + 1]; i++)
			f->candidate[st->n_candidates++] =
				(struct step_candidate){.port = g->port[i],
							.peer = f->in->topo->peer[p0 + g->port[i]],
							.q = {hops == INT64_MIN ? hops : hops + 1,
							      c - g->base[u] + 1, i - g->port_at[c] + 1}};
	}
	st->candidate = f->candidate;
}

static void tell_choice(const struct filling *f, uint32_t u, unsigned lid, unsigned port)
{
	static const char *const quantity[] = {"hops", "link", "cable"};
	const struct observer *o = f->in->observer;
	const struct lash_plan *p = f->l->plan;
	uint32_t d = f->at[lid];
	struct text t = {0};
	struct step st = {.kind = STEP_CHOICE,
			  .sw = f->g->sw[u],
			  .sw2 = d == NO_ID ? NO_ID : f->g->sw[d],
			  .lid = lid,
			  .port = port,
			  .old_port = NO_PATH,
			  .quantity = quantity,
			  .n_quantities = ARRAY_LEN(quantity)};

	if ((o->sw != NO_ID && o->sw != st.sw) || (o->lid && o->lid != lid))
		return;
	st.rule = port == NO_PATH ? rule_none : d == u ? rule_own : rule_tree;
	if (st.rule == rule_tree) {
		list_candidates(f, u, d, &st);
		text_add(&t, "the breadth-first tree of %s leads this way",
			 switch_name(f->in->topo->fabric, f->g->sw[p->root[(size_t)d * f->g->n + u]]));
	}
	st.text = text_str(&t);
	observe(f->in, &st);
	text_free(&t);
}

static unsigned choose_port(const struct filling *f, uint32_t u, unsigned lid, const uint8_t *link)
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

static struct lft_row *fill_row(const struct filling *f, uint32_t u, uint8_t *link)
{
	unsigned top = f->in->lids->max_lid;
	struct lft_row *row = lft_row_new(top);

	for (size_t d = 0; d < f->g->n; d++)
		link[d] = f->l->plan->out[d * f->g->n + u];
	memset(f->cursor, 0, MAX_PORTS + 1);
	for (unsigned lid = 1; lid <= top && !progress_cancelled(f->in->progress); lid++) {
		row->port[lid] = choose_port(f, u, lid, link);
		if (OBSERVED(f->in) && lid_owner(f->in->lids, lid) != NO_ID)
			tell_choice(f, u, lid, row->port[lid]);
		if (RECORDED(f->in) && lid_owner(f->in->lids, lid) != NO_ID)
			lash_record_choice(f->in, f->g->sw[u], lid, row->port[lid], f->at[lid] == u);
	}
	if (RECORDED(f->in))
		rec_event(f->in->record, REC_TABLE, 0, 0, f->g->sw[u], 0);
	return row;
}

static void place_lids(struct filling *f)
{
	const struct lids *l = f->in->lids;
	const struct topo *t = f->in->topo;

	for (unsigned lid = 0; lid <= l->max_lid; lid++) {
		uint32_t ep = lid_owner(l, lid), sw = ep == NO_ID ? NO_ID : t->endport_switch[ep];

		f->at[lid] = sw == NO_ID ? NO_ID : f->g->id[sw];
		f->port[lid] = sw == NO_ID ? NO_PATH : t->endport_swport[ep];
	}
}

bool lash_fill_tables(const struct lash *l, const struct engine_input *in, struct routing *r)
{
	size_t lids = in->lids->max_lid + 1u;
	struct filling f = {
		.l = l,
		.in = in,
		.g = l->plan->graph,
		.at = NEW_ARRAY(lids, uint32_t),
		.port = NEW_ARRAY(lids, uint8_t),
		.cursor = NEW_ARRAY(MAX_PORTS + 1, uint8_t),
		.candidate = NEW_ARRAY(MAX_PORTS, struct step_candidate),
	};
	uint8_t *link = NEW_ARRAY(f.g->n, uint8_t);
	bool go_on = true;

	observe_text(in, STEP_PHASE, NO_ID, LASH_TABLES);
	progress_start(in->progress, "forwarding tables", f.g->n);
	place_lids(&f);
	for (uint32_t u = 0; u < f.g->n && (go_on = progress_step(in->progress, u)); u++)
		r->row[f.g->sw[u]] = fill_row(&f, u, link);
	free(f.at);
	free(f.port);
	free(f.cursor);
	free(f.candidate);
	free(link);
	return go_on && !progress_cancelled(in->progress);
}
