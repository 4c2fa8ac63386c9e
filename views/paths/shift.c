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

enum { C_LINK, C_FLOWS, C_PAIRS };

static const struct column columns[] = {
	COL("link", "a cable in one direction, named by the port that sends", 12, .flex = 2,
	    .fold = FOLD_CHIP),
	NUM("flows", "pairs of hosts that send over the link at the same time", 0, .fold = FOLD_MAX),
	COL("pairs", "some of these pairs", 12, .flex = 3),
};
static_assert(ARRAY_LEN(columns) == C_PAIRS + 1, "a column for each C_");

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

FREED_BY(free_links, shift_links_free)

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

	order = scene_real_routing(v->scene) ? view_ask(v, &task_shift_order, NULL, NULL) : NULL;
	if (!order)
		return;
	p->n_places = ((const struct shift_order *)order->value)->n;
	if (p->n_places < 2)
		return;
	if (!p->k || p->k >= p->n_places)
		p->k = p->k ? p->n_places - 1 : 1;
	p->answer = view_ask(v, &task_shift, order, (const uint32_t[TASK_ARGS]){p->k});
	if (!shift_pane_links_of(v))
		return;
	p->at = p->guid ? find_link(v) : NO_ID;
	if (!p->guid)
		v->n_rows = shift_pane_links_of(v)->n;
	else if (p->at != NO_ID)
		v->n_rows = shift_pane_links_of(v)->link[p->at].flows;
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

static void shift_pane_footer(const struct view *v, struct text *t)
{
	const struct shift_pane *p = v->priv;
	const struct shift_links *s = shift_pane_links_of(v);
	uint32_t shared = 0;

	if (p->answer && !s)
		text_add(t, "%s", p->answer->e.msg);
	if (!s)
		return;
	while (shared < s->n && s->link[shared].flows > 1)
		shared++;
	if (shared)
		text_add(t, "%s with 2 flows or more", PLURAL(shared, "link"));
	else
		text_add(t, "no two flows on one link");
	if (s->load.lost)
		text_add(t, "; %s without a path", PLURAL(s->load.lost, "pair"));
}

/* The link of a row. *first: the first of its pairs in pair_of[]. */
static const struct shift_link *link_at(const struct view *v, uint32_t row, uint32_t *first)
{
	const struct shift_pane *p = v->priv;
	const struct shift_link *l = &shift_pane_links_of(v)->link[p->at == NO_ID ? row : p->at];

	*first = l->first + (p->at == NO_ID ? 0 : row);
	return l;
}

static const struct shift_pair *pair_at(const struct view *v, uint32_t i)
{
	return &shift_pane_links_of(v)->pair[shift_pane_links_of(v)->pair_of[i]];
}

static void add_pair(const struct view *v, uint32_t i, struct text *t)
{
	const struct fabric *f = v->scene->fabric;
	const struct shift_pair *p = pair_at(v, i);
	char a[300], b[300];

	text_add(t, "%s -> %s", endport_label(f, p->src, a, sizeof(a)),
		 endport_label(f, p->dst, b, sizeof(b)));
}

static int64_t shift_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	uint32_t first;

	(void)col;
	return link_at(v, row, &first)->flows;
}

static void shift_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct shift_pane *p = v->priv;
	uint32_t first;
	const struct shift_link *l = link_at(v, row, &first);
	uint32_t n = p->at != NO_ID ? 1 : MIN(l->flows, SHOWN_PAIRS);

	switch (col) {
	case C_LINK:
		label_channel(v->scene->real_topo, l->port, false, t);
		break;
	case C_FLOWS:
		text_add(t, "%u", l->flows);
		break;
	case C_PAIRS:
		for (uint32_t i = 0; i < n; i++) {
			text_add(t, "%s", i ? ", " : "");
			add_pair(v, first + i, t);
		}
		if (p->at == NO_ID && l->flows > n)
			text_add(t, " ...");
		break;
	}
}

static unsigned shift_pane_marks(const struct view *v, uint32_t row)
{
	uint32_t first;

	return link_at(v, row, &first)->flows > 1 ? MARK_DETOUR : 0;
}

static bool shift_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct fabric *f = v->scene->fabric;
	uint32_t first;
	const struct shift_link *l = link_at(v, row, &first);
	const struct shift_pair *pair = pair_at(v, first);

	subject_port(v, l->port, s);
	s->src = (struct end){END_PORT, f->endport_port[pair->src]};
	s->dst = (struct end){END_PORT, f->endport_port[pair->dst]};
	s->lid = (int)v->scene->real->lids->base[pair->dst];
	s->key = ((const struct shift_pane *)v->priv)->at == NO_ID ? l->port : pair->src;
	return true;
}

static void shift_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct shift_pane *p = v->priv;

	if (p->at == NO_ID)
		text_add(t, "pane shift %u ", p->k);
	view_fill(v, row, p->at == NO_ID ? "%port" : "pane path %src %dst", t);
}

const struct view_ops view_shift = {
	.name = "shift",
	.brief = "shows one shift (every host sends to the host K places further): flows that share a link; "
		 "Left and Right change K",
	.syntax = "[SHIFT [NODE[PORT]]]",
	.hints = "follow=pairs left=before right=next back=back",
	COLUMNS(columns),
	.flags = VIEW_DETAIL | VIEW_WIDE | VIEW_PRESENT | VIEW_CHIPS,
	.priv_size = sizeof(struct shift_pane),
	.priv_kept = offsetof(struct shift_pane, n_places),
	.open = shift_pane_open_view,
	.load = shift_pane_load,
	.title = shift_pane_title,
	.footer = shift_pane_footer,
	.cell = shift_pane_cell,
	.number = shift_pane_number,
	.marks = shift_pane_marks,
	.about = shift_pane_about,
	.follow = shift_pane_follow,
	.across = shift_pane_across,
	.fold_row = "link",
};
