/* Forwarding tables from the routes (engines/doc/lash.md 10). */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "engines/lash/internal.h"

struct filling {
	const struct lash *l;
	const struct engine_input *in;
	const struct lash_graph *g;
	uint32_t *at;	 /* [max_lid + 1] LASH id of the switch that a LID hangs on, NO_ID */
	uint8_t *port;	 /* [max_lid + 1] port of that switch */
	uint8_t *cursor; /* [links] next of the parallel cables */
	struct step_candidate *candidate;
	uint8_t *rule; /* [n] of a recorder: that of the link to each switch, WHY_UNTOLD = not known; else
			  NULL */
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

/* --- the rule that decided ------------------------------------------------------------------ */

/* Links of u whose route to d is as short as that of the link chosen; *other: the best of those that are not.
 */
static unsigned equal_links(const struct filling *f, uint32_t u, uint32_t d, uint32_t chosen, uint32_t *equal,
			    uint32_t *other, int64_t *other_hops)
{
	const struct lash_graph *g = f->g;
	int64_t least = route_length(f->l->plan, g->to[chosen], d);
	unsigned n = 0;

	*equal = *other = NO_ID;
	for (uint32_t c = g->base[u]; c < g->base[u + 1]; c++) {
		int64_t hops = route_length(f->l->plan, g->to[c], d);

		if (hops == least) {
			n++;
			if (c != chosen && *equal == NO_ID)
				*equal = c;
		} else if (hops != INT64_MIN && (*other == NO_ID || hops + 1 < *other_hops)) {
			*other = c;
			*other_hops = hops + 1;
		}
	}
	return n;
}

static void add_cables(const struct filling *f, uint32_t c, unsigned port, struct text *t)
{
	const struct lash_graph *g = f->g;
	uint32_t cables = g->port_at[c + 1] - g->port_at[c], i = g->port_at[c];

	if (cables < 2)
		return;
	while (g->port[i] != port)
		i++;
	if (f->l->plan->collapsed)
		text_add(t, " Of %u cables there the routes take each in turn, this one number %u.", cables,
			 i - g->port_at[c] + 1);
	else
		text_add(t, " Of %u cables there always the first, port %u.", cables, port);
}

/* Of the link c that u sends by; rival: one as short that is not taken, NO_ID = the first there is. */
static void decide_link(const struct filling *f, uint32_t u, uint32_t d, uint32_t c, unsigned port,
			uint32_t rival, struct decided *out)
{
	const struct lash_graph *g = f->g;
	const struct fabric *fb = f->in->topo->fabric;
	int64_t hops = route_length(f->l->plan, g->to[c], d) + 1, second = 0;
	uint32_t equal, other;
	unsigned n = equal_links(f, u, d, c, &equal, &other, &second);

	if (n > 1) {
		equal = rival == NO_ID ? equal : rival;
		decide(out, WHY_TREE,
		       "%u neighbours lead there in %s; the breadth-first tree of %s, the first in which %s "
		       "is above "
		       "%s, passes %s (link %u of %s), not %s (link %u).",
		       n, PLURAL((uint64_t)hops, "hop"),
		       switch_name(fb, g->sw[f->l->plan->root[(size_t)d * g->n + u]]),
		       switch_name(fb, g->sw[u]), switch_name(fb, g->sw[d]), switch_name(fb, g->sw[g->to[c]]),
		       c - g->base[u] + 1, switch_name(fb, g->sw[u]), switch_name(fb, g->sw[g->to[equal]]),
		       equal - g->base[u] + 1);
	} else if (g->port_at[c + 1] - g->port_at[c] > 1) {
		decide(out, WHY_CABLE, "%s alone leads there in %s.", switch_name(fb, g->sw[g->to[c]]),
		       PLURAL((uint64_t)hops, "hop"));
	} else if (other == NO_ID) {
		decide(out, WHY_ONLY_WAY, "Port %u alone leads there, in %s.", port,
		       PLURAL((uint64_t)hops, "hop"));
	} else {
		decide(out, WHY_ONLY_WAY, "Port %u alone leads there in %s; by port %u it would be %u.", port,
		       PLURAL((uint64_t)hops, "hop"), g->port[g->port_at[other]], (unsigned)second);
	}
	add_cables(f, c, port, &out->text);
}

static void decide_against(const struct filling *f, uint32_t u, uint32_t d, unsigned port, unsigned via,
			   struct decided *out)
{
	const struct lash_graph *g = f->g;
	uint32_t c = lash_channel_of(g, u, port), v = lash_channel_of(g, u, via);

	if (v == NO_ID || via == port)
		return;
	if (v == c)
		decide(out, WHY_CABLE, "Port %u is a cable to the same neighbour.", via);
	else if (route_length(f->l->plan, g->to[v], d) == route_length(f->l->plan, g->to[c], d))
		decide_link(f, u, d, c, port, v, out);
	if (v == c)
		add_cables(f, c, port, &out->text);
}

static void tell_choice(const struct filling *f, uint32_t u, unsigned lid, unsigned port)
{
	static const char *const quantity[] = {"hops", "link", "cable"};
	const struct observer *o = f->in->observer;
	const struct lash_plan *p = f->l->plan;
	uint32_t d = f->at[lid];
	struct text t = {0};
	struct decided decided = {0}, against = {0};
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
	if (!decide_common(f->in->topo, f->in->lids, st.sw, lid, port, &decided) && port != NO_PATH)
		decide_link(f, u, d, lash_channel_of(f->g, u, port), port, NO_ID, &decided);
	if (st.rule == rule_tree) {
		list_candidates(f, u, d, &st);
		text_add(&t, "the breadth-first tree of %s leads this way",
			 switch_name(f->in->topo->fabric, f->g->sw[p->root[(size_t)d * f->g->n + u]]));
		if (o->sw == st.sw && o->via)
			decide_against(f, u, d, port, o->via, &against);
	}
	st.text = text_str(&t);
	st.decided = decided.rule ? &decided : NULL;
	st.against = against.rule ? &against : NULL;
	observe(f->in, &st);
	decided_free(&decided);
	decided_free(&against);
	text_free(&t);
}

/* As decide_common() and decide_link(), for a recording. */
static enum why_rule rule_of(const struct filling *f, uint32_t u, unsigned lid, unsigned port)
{
	const struct lash_graph *g = f->g;
	uint32_t d = f->at[lid], c, equal, other;
	struct decided none = {0};
	enum why_rule rule;
	int64_t hops;

	if (d == u)
		return port ? WHY_ATTACHED : WHY_OWN_LID;
	if (port == NO_PATH) {
		decide_common(f->in->topo, f->in->lids, g->sw[u], lid, port, &none);
		rule = none.rule ? none.rule : WHY_NOT_ROUTED;
		decided_free(&none);
		return rule;
	}
	if (!f->rule[d]) {
		c = lash_channel_of(g, u, port);
		if (equal_links(f, u, d, c, &equal, &other, &hops) > 1)
			f->rule[d] = WHY_TREE;
		else
			f->rule[d] = g->port_at[c + 1] - g->port_at[c] > 1 ? WHY_CABLE : WHY_ONLY_WAY;
	}
	return f->rule[d];
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
	if (f->rule)
		memset(f->rule, WHY_UNTOLD, f->g->n);
	for (unsigned lid = 1; lid <= top && !progress_cancelled(f->in->progress); lid++) {
		row->port[lid] = choose_port(f, u, lid, link);
		if (OBSERVED(f->in) && lid_owner(f->in->lids, lid) != NO_ID)
			tell_choice(f, u, lid, row->port[lid]);
		if (RECORDED(f->in) && lid_owner(f->in->lids, lid) != NO_ID)
			lash_record_choice(f->in, f->g->sw[u], lid, row->port[lid],
					   rule_of(f, u, lid, row->port[lid]));
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
		.rule = RECORDED(in) ? NEW_ARRAY(l->plan->graph->n + 1u, uint8_t) : NULL,
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
	free(f.rule);
	free(link);
	return go_on && !progress_cancelled(in->progress);
}
