/*
 * The pane `flows`: who shares a link if all hosts send to all: pairs of hosts whose path leaves by a port,
 * in groups.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "core/session/args.h"
#include "core/analysis/traffic/flows.h"
#include "core/base/memory.h"
#include "core/fabric/labels.h"
#include "views/base/view.h"

enum { C_FROM, C_TO, C_PAIRS, C_SHARE };

static const struct column columns[] = {
	COL("from", "who sends", 8, .flex = 1, .fold = FOLD_CHIP),
	COL("to", "who receives", 8, .flex = 1),
	NUM("pairs", "pairs of hosts over the link", 6, .fold = FOLD_SUM),
	NUM("%", "share of all pairs over the link", 5, .drop = 1, .fold = FOLD_SUM),
};

struct flows_pane_answer {
	struct flow_list *l;
	struct flow_group *group;
	size_t n;
};

struct flows_pane {
	enum flow_by by;
	uint32_t port;		     /* NO_ID: it is not in the fabric */
	const struct result *result; /* borrowed; NULL = missing */
	const struct flows_pane_answer
		*answer; /* its value; also NULL if the result tells why there is none */
};

/* --- computed by another thread ----------------------------------------------------------------- */

static void flows_pane_free_answer(void *value)
{
	struct flows_pane_answer *a = value;

	flow_list_free(a->l);
	free(a->group);
	free(a);
}

/* arg: the port, and how to group. */
static void *flows_pane_run(const struct job *j)
{
	struct flow_list *l = flows_over(j->sweep->routing, &pattern_all, j->arg[0], j->progress, j->e);
	struct flows_pane_answer *a;

	if (!l)
		return NULL;
	a = NEW(struct flows_pane_answer);
	a->l = l;
	a->group = flow_groups(l, j->sweep->routing, (enum flow_by)j->arg[1], NULL, &a->n);
	return a;
}

static const struct task task_flows = {.run = flows_pane_run, .free = flows_pane_free_answer};

/* --- the pane ------------------------------------------------------------------------------------ */

static int flows_pane_open_view(struct view *v, const struct args *a, struct err *e)
{
	struct flows_pane *p = v->priv;
	int by = args_which(a, flow_by_word, FLOWS_BYS);

	(void)e;
	p->by = by < 0 ? FLOWS_BY_SWITCHES : (enum flow_by)by;
	return 0;
}

static void flows_pane_load(struct view *v)
{
	const struct fabric *f = v->scene->fabric;
	struct flows_pane *p = v->priv;
	uint32_t node = f ? fabric_node_by_guid(f, v->args.arg[0].guid) : NO_ID;
	unsigned n = (unsigned)v->args.arg[0].n;

	p->port = node != NO_ID && n && n <= f->node_nports[node] ? f->node_port[node] + n : NO_ID;
	if (p->port == NO_ID || !scene_real_routing(v->scene))
		return;
	p->result = view_ask(v, &task_flows, NULL, (const uint32_t[TASK_ARGS]){p->port, p->by});
	p->answer = p->result ? p->result->value : NULL;
	v->n_rows = p->answer ? (uint32_t)p->answer->n : 0;
}

static void flows_pane_title(const struct view *v, struct text *t)
{
	const struct flows_pane *p = v->priv;

	text_add(t, "Flows");
	if (p->port == NO_ID || !v->scene->real_topo) {
		text_add(t, " ── %s", v->scene->fabric ? "no such port" : "nothing is loaded");
		return;
	}
	text_add(t, " over ");
	label_channel(v->scene->real_topo, p->port, false, t);
	if (p->answer)
		text_add(t, " ── %" PRIu64 " pairs, by %s", p->answer->l->pairs, flow_by_word[p->by]);
}

static const struct flow_group *flows_pane_group_at(const struct view *v, uint32_t row)
{
	return &((const struct flows_pane *)v->priv)->answer->group[row];
}

/* If flows are grouped by one end, tells the number of other ends. */
static void flows_pane_footer(const struct view *v, struct text *t)
{
	const struct flows_pane *p = v->priv;

	if (p->result && !p->answer)
		text_add(t, "%s", p->result->e.msg);
	else if (p->answer)
		text_add(t, "%s", PLURAL(v->n_rows, "group"));
}

static int64_t flows_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct flows_pane *p = v->priv;
	uint64_t pairs = flows_pane_group_at(v, row)->pairs;

	return (int64_t)(col == C_PAIRS ? pairs
					: (1000 * pairs + p->answer->l->pairs / 2) / p->answer->l->pairs);
}

static void flows_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct fabric *f = v->scene->fabric;
	const struct flow_group *g = flows_pane_group_at(v, row);
	enum flow_by by = ((const struct flows_pane *)v->priv)->by;
	char buf[300];
	int64_t n;

	switch (col) {
	case C_FROM:
		text_add(t, "%s", g->from == NO_ID ? "*" : flow_end_label(f, by, g->from, buf, sizeof(buf)));
		break;
	case C_TO:
		text_add(t, "%s", g->to == NO_ID ? "*" : flow_end_label(f, by, g->to, buf, sizeof(buf)));
		break;
	case C_PAIRS:
		text_add(t, "%" PRIu64, g->pairs);
		break;
	case C_SHARE:
		n = flows_pane_number(v, row, col);
		text_add(t, "%" PRId64 ".%" PRId64, n / 10, n % 10);
		break;
	}
}

static bool flows_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct flows_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	const struct flow *w = &p->answer->l->flow[flows_pane_group_at(v, row)->first];

	subject_port(v, p->port, s);
	subject_to(w->lid, s);
	s->src = (struct end){END_PORT, f->endport_port[w->src]};
	s->chip = v->scene->real_topo->endport_switch[w->src];
	s->key = (uint64_t)flows_pane_group_at(v, row)->from << 32 | flows_pane_group_at(v, row)->to;
	return true;
}

const struct view_ops view_flows = {
	.name = "flows",
	.brief = "lists the pairs of hosts that share a link, by switches, source, destination, host or pair",
	.syntax = "NODE[PORT] [switches|source|destination|host|pair]",
	.hints = "follow=path :fail=fail back=back",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_PRESENT | VIEW_CHIPS,
	.priv_size = sizeof(struct flows_pane),
	.priv_kept = offsetof(struct flows_pane, port),
	.open = flows_pane_open_view,
	.load = flows_pane_load,
	.title = flows_pane_title,
	.footer = flows_pane_footer,
	.cell = flows_pane_cell,
	.number = flows_pane_number,
	.about = flows_pane_about,
	.enter = "pane path %src %dst",
	.fold_row = "group",
};
