/*
 * The pane `shift`: flows that share links when each host sends to the host K places further. Left and Right
 * change K.
 */
#include <assert.h>
#include <stdlib.h>
#include "core/analysis/traffic/shift.h"
#include "core/base/defs.h"
#include "core/fabric/names.h"
#include "views/base/view.h"

#define SHOWN_PAIRS 2

static const struct column shift_columns[] = {
	COL("link", "a cable in one direction, named by the port that sends", 12, .flex = 2,
	    .fold = FOLD_CHIP),
	NUM("flows", "pairs of hosts that send over the link at the same time", 0, .fold = FOLD_MAX),
	COL("pairs", "some of these pairs", 12, .flex = 3),
};

struct shift_pane {
	uint32_t k; /* from 1; 0 = not chosen yet */
	/* Only the pairs on this link, one row each; guid 0 = all links. */
	uint64_t guid;
	unsigned port;
	uint32_t n_places;	     /* number of places in the order */
	uint32_t at;		     /* index of that link in s->link[], NO_ID = it has no flow */
	const struct result *answer; /* borrowed; NULL = missing */
};

/* --- computed by another thread ----------------------------------------------------------------- */

FREED_BY(free_links, arena_free)

/* base: the order; arg: the shift. */
static void *shift_pane_run(const struct job *j)
{
	return shift_links_new(j->sweep->routing, j->base, j->arg[0], j->progress, j->e);
}

static const struct task task_shift = {.run = shift_pane_run, .free = free_links};

/* --- the pane ------------------------------------------------------------------------------------ */

static int shift_pane_open_view(struct view *v, const struct args *a, struct err *e)
{
	struct shift_pane *p = v->priv;

	(void)a;
	(void)e;
	for (int i = 0; i < v->args.n; i++) {
		if (v->args.arg[i].kind == VIEW_ARG_NUMBER) {
			p->k = (uint32_t)v->args.arg[i].n;
		} else {
			p->guid = v->args.arg[i].guid;
			p->port = (unsigned)v->args.arg[i].n;
		}
	}
	return 0;
}

static const struct shift_links *shift_pane_links_of(const struct view *v)
{
	const struct shift_pane *p = v->priv;

	return p->answer ? p->answer->value : NULL;
}

/* The link whose pairs are requested. */
static uint32_t find_link(const struct view *v)
{
	const struct shift_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	const struct shift_links *s = shift_pane_links_of(v);
	uint32_t node = fabric_node_by_guid(f, p->guid);

	if (node == NO_ID || !p->port || p->port > f->node_nports[node])
		return NO_ID;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->link[i].port == f->node_port[node] + p->port)
			return i;
	return NO_ID;
}

static void shift_pane_load(struct view *v)
{
	const struct result *order;
	struct shift_pane *p = v->priv;
	const struct shift_links *s;
	uint32_t shared = 0;

	order = scene_real_routing(v->scene) ? view_ask(v, &task_shift_order, NULL, NULL) : NULL;
	if (!order)
		return;
	p->n_places = ((const struct shift_order *)order->value)->n;
	if (p->n_places < 2)
		return;
	if (!p->k || p->k >= p->n_places)
		p->k = p->k ? p->n_places - 1 : 1;
	p->answer = view_ask(v, &task_shift, order, (const uint32_t[TASK_ARGS]){p->k});
	s = shift_pane_links_of(v);
	if (!s) {
		text_add(&v->footer, "%s", p->answer ? p->answer->e.msg : "");
		return;
	}
	while (shared < s->n && s->link[shared].flows > 1)
		shared++;
	if (shared)
		text_add(&v->footer, "%s with 2 flows or more", PLURAL(shared, "link"));
	else
		text_add(&v->footer, "no two flows on one link");
	if (s->load.lost)
		text_add(&v->footer, "; %s without a path", PLURAL(s->load.lost, "pair"));
	p->at = p->guid ? find_link(v) : NO_ID;
	if (!p->guid)
		v->n_rows = s->n;
	else if (p->at != NO_ID)
		v->n_rows = s->link[p->at].flows;
}

/* Chooses another shift, cyclically. */
static void shift_pane_across(struct view *v, int dir)
{
	struct shift_pane *p = v->priv;

	if (p->n_places < 2)
		return;
	p->k = dir > 0 ? p->k + 1 : p->k - 1;
	if (p->k < 1)
		p->k = p->n_places - 1;
	else if (p->k >= p->n_places)
		p->k = 1;
	view_reload(v);
}

static void shift_pane_title(const struct view *v, struct text *t)
{
	const struct shift_pane *p = v->priv;
	const struct shift_links *s = shift_pane_links_of(v);

	text_add(t, "Shift");
	if (p->n_places < 2)
		return;
	text_add(t, " %u of %u", p->k, p->n_places - 1);
	if (s)
		text_add(t, ", worst %u, order: %s", s->load.max, shift_by_text(s->by));
	if (s && p->at != NO_ID) {
		text_add(t, " ── ");
		label_channel(v->scene->real_topo, s->link[p->at].port, false, t);
	}
}

static void shift_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct shift_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	const struct shift_links *s = shift_pane_links_of(v);
	bool one = p->at != NO_ID; /* the pairs of one link, a row each */
	const struct shift_link *l = &s->link[one ? p->at : row];
	const uint32_t *pair_of = s->pair_of + l->first + (one ? row : 0);
	uint32_t n = one ? 1 : MIN(l->flows, SHOWN_PAIRS);
	const struct shift_pair *pair = &s->pair[pair_of[0]];
	size_t link = row_text(r, "%s", ""), pairs;
	char a[300], b[300];

	label_channel(v->scene->real_topo, l->port, false, &r->text);
	pairs = row_text(r, "%s", "");
	for (uint32_t i = 0; i < n; i++)
		text_add(&r->text, "%s%s -> %s", i ? ", " : "",
			 endport_label(f, s->pair[pair_of[i]].src, a, sizeof(a)),
			 endport_label(f, s->pair[pair_of[i]].dst, b, sizeof(b)));
	if (!one && l->flows > n)
		text_add(&r->text, " ...");
	ROW_VALUES(v, r, (int64_t)link, l->flows, (int64_t)pairs);
	r->marks = mark_if(l->flows > 1, MARK_DETOUR);
	subject_port(v, l->port, &r->about);
	r->about.src = (struct end){END_PORT, f->endport_port[pair->src]};
	r->about.dst = (struct end){END_PORT, f->endport_port[pair->dst]};
	r->about.lid = (int)v->scene->real->lids->base[pair->dst];
	r->about.key = one ? pair->src : l->port;
	r->follow = one ? 0 : row_text(r, "pane shift %u %%port", p->k);
}

const struct view_ops view_shift = {
	.name = "shift",
	.brief = "shows one shift (every host sends to the host K places further): flows that share a link; "
		 "Left and Right change K",
	.syntax = "[SHIFT [NODE[PORT]]]",
	.hints = "follow=pairs left=before right=next back=back",
	COLUMNS(shift_columns),
	.flags = VIEW_DETAIL | VIEW_WIDE | VIEW_PRESENT | VIEW_CHIPS,
	.priv_size = sizeof(struct shift_pane),
	.priv_kept = offsetof(struct shift_pane, n_places),
	.open = shift_pane_open_view,
	.load = shift_pane_load,
	.row = shift_row,
	.title = shift_pane_title,
	.enter = "pane path %src %dst",
	.across = shift_pane_across,
	.fold_row = "link",
};
