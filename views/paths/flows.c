/* The panes `flows`, `pairs` and `pick`. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/flows.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/names.h"
#include "core/routing/paths.h"
#include "core/session/command.h"
#include "views/base/view.h"

/* The pane `pick`: the nodes that an ambiguous word of a command may mean. Enter runs the command with the
 * chosen one. */

enum { C_NAME, C_GUID, C_LID, C_ON };

static const struct column columns[] = {
	COL("name", "name of the node", 12, .flex = 2),
	COL("guid", "its 64-bit GUID, which never changes", 18),
	NUM("lid", "its LID", 5),
	COL("on", "switch and port that its cable leads to", 8, .flex = 1, .drop = 2),
};
static_assert(ARRAY_LEN(columns) == C_ON + 1, "a column for each C_");

struct pick_pane {
	char **word; /* [n] the command and its words */
	int n, at;   /* index of the ambiguous word */
	struct name_hits hits;
	size_t before; /* length of the name part of that word: NODE of NODE[PORT] */
};

/* Finds the nodes that the word presently fits. */
static void pick_pane_look(struct pick_pane *p, const struct session *s)
{
	const char *word = p->word[p->at];
	AUTO_FREE char *name = NULL;
	size_t before;

	assert(p->at < p->n);
	name_hits_free(&p->hits);
	p->before = strlen(word);
	if (session_candidates(s, word, &p->hits) || !s->fabric)
		return;
	before = name_before_port(s->fabric, word, p->before);
	if (!before)
		return;
	p->before = before;
	name = str_dup(word);
	name[p->before] = 0;
	session_candidates(s, name, &p->hits);
}

static int pick_pane_open_view(struct view *v, const struct args *a, struct err *e)
{
	struct pick_pane *p = v->priv;
	uint64_t n;

	if (!number_of(a->arg[0].word, 1, (uint64_t)a->n - 2, &n))
		return err_set(
			e,
			"pick: found \"%s\", expected which word of the command fits several nodes, 1 to %d",
			a->arg[0].word, a->n - 2);
	p->n = a->n - 1;
	p->at = (int)n;
	p->word = NEW_ARRAY((size_t)p->n, char *);
	for (int i = 0; i < p->n; i++)
		p->word[i] = str_dup(a->arg[i + 1].word);
	pick_pane_look(p, v->scene->session);
	return p->hits.n > 1 ? 0 : err_set(e, "pick: \"%s\" does not fit several nodes", p->word[p->at]);
}

static void pick_pane_load(struct view *v)
{
	struct pick_pane *p = v->priv;

	pick_pane_look(p, v->scene->session);
	v->n_rows = p->hits.n;
}

static void pick_pane_close_view(struct view *v)
{
	struct pick_pane *p = v->priv;

	for (int i = 0; i < p->n; i++)
		free(p->word[i]);
	free(p->word);
	name_hits_free(&p->hits);
}

static uint32_t pick_pane_node_of(const struct view *v, uint32_t row)
{
	return ((const struct pick_pane *)v->priv)->hits.node[row];
}

static void pick_pane_title(const struct view *v, struct text *t)
{
	const struct pick_pane *p = v->priv;

	text_add(t, "Which \"%.*s\" for `%s`?", (int)p->before, p->word[p->at], p->word[0]);
}

static unsigned pick_pane_lid_of(const struct view *v, uint32_t node)
{
	return node_lid(v->scene->fabric, v->scene->sweep ? v->scene->sweep->lids : NULL, node);
}

static int64_t pick_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	(void)col;
	return pick_pane_lid_of(v, pick_pane_node_of(v, row));
}

static void pick_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct fabric *f = v->scene->fabric;
	uint32_t node = pick_pane_node_of(v, row);
	unsigned lid = pick_pane_lid_of(v, node);
	char buf[300];

	if (col == C_NAME) {
		text_add(t, "%s", f->node_name[node]);
	} else if (col == C_GUID) {
		text_add(t, "0x%016" PRIx64, f->node_guid[node]);
	} else if (col == C_LID) {
		if (lid)
			text_add(t, "%u", lid);
	} else if (!node_is_switch(f, node)) {
		uint32_t on = node_hangs_on(f, node);

		text_add(t, "%s", port_label(f, on, buf, sizeof(buf)));
	}
}

/* Enter repeats the command with the GUID of the chosen node. */
static void pick_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct pick_pane *p = v->priv;

	text_add(t, "back;");
	for (int i = 0; i < p->n; i++) {
		AUTO_FREE char *word = word_quoted(p->word[i]);

		text_putc(t, ' ');
		if (i == p->at) {
			word_node(v->scene->fabric, pick_pane_node_of(v, row), t);
			text_add(t, "%s", p->word[i] + p->before);
		} else {
			text_add(t, "%s", word);
		}
	}
}

static bool pick_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	subject_node(v, pick_pane_node_of(v, row), s);
	s->key = v->scene->fabric->node_guid[s->node];
	return true;
}

const struct view_ops view_pick = {
	.name = "pick",
	.brief = "lists the nodes that a word of a command fits; opens when there are several, and Enter "
		 "takes one",
	.syntax = "N COMMAND [WORD...]",
	.hints = "follow=take",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_TIMELESS,
	.priv_size = sizeof(struct pick_pane),
	.priv_kept = sizeof(struct pick_pane),
	.open = pick_pane_open_view,
	.load = pick_pane_load,
	.title = pick_pane_title,
	.cell = pick_pane_cell,
	.number = pick_pane_number,
	.about = pick_pane_about,
	.follow = pick_pane_follow,
	.close = pick_pane_close_view,
};

/* The pane `flows`: who shares a link if all hosts send to all: pairs of hosts whose path leaves by a port,
 * in groups. */

enum { C_FROM, C_TO, C_PAIRS, C_SHARE };

static const struct column flows_columns[] = {
	COL("from", "who sends", 8, .flex = 1, .fold = FOLD_CHIP),
	COL("to", "who receives", 8, .flex = 1),
	NUM("pairs", "pairs of hosts over the link", 6, .fold = FOLD_SUM),
	NUM("%", "share of all pairs over the link", 5, .drop = 1, .fold = FOLD_SUM),
};
static_assert(ARRAY_LEN(flows_columns) == C_SHARE + 1, "a column for each C_");

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

	assert(p->answer->l->pairs);
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
	COLUMNS(flows_columns),
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

/* The pane `pairs`: pairs of endports whose path the last event changed. */

enum { C_SRC, C_DST, C_WHAT, C_HOPS, C_SL };

static const struct column pairs_columns[] = {
	COL("from", "the host that sends", 8, .flex = 1),
	COL("to", "the host that receives", 8, .flex = 1),
	COL("what", "rerouted, lost, regained, new, or SL: only the service level changed", 8, .drop = 2),
	NUM("links", "cables of the path before and now", 7),
	COL("SL", "service level before and now", 7, .right = true, .drop = 3),
};
static_assert(ARRAY_LEN(pairs_columns) == C_SL + 1, "a column for each C_");

static const struct comparison *pairs_pane_change_of(const struct view *v)
{
	return v->scene->fabric ? v->scene->real_change : NULL;
}

struct pairs_pane {
	const struct returns *back; /* NULL: missing, or nothing is routed */
};

static void *run_returns(const struct job *j)
{
	return returns_count(j->sweep->routing, j->progress);
}

static const struct task task_returns = {.run = run_returns, .free = free};

static void pairs_pane_load(struct view *v)
{
	const struct comparison *c = pairs_pane_change_of(v);
	uint64_t total = c ? comparison_listed(c) : 0;

	v->n_rows = total > UINT32_MAX - 1 ? UINT32_MAX - 1 : (uint32_t)total;
	((struct pairs_pane *)v->priv)->back =
		scene_routing(v->scene) ? view_ask_value(v, &task_returns, NULL) : NULL;
}

static void add_changed(const struct comparison *c, struct text *t)
{
	text_add(t, " ── %" PRIu64 " rerouted", c->rerouted);
	if (c->longer)
		text_add(t, " (%" PRIu64 " longer)", c->longer);
	text_add(t, ", %" PRIu64 " lost", c->lost);
	if (c->regained)
		text_add(t, ", %" PRIu64 " regained", c->regained);
	if (c->fresh)
		text_add(t, ", %" PRIu64 " new", c->fresh);
	if (c->sl_changed)
		text_add(t, ", %" PRIu64 " with another SL", c->sl_changed);
}

static void pairs_pane_title(const struct view *v, struct text *t)
{
	const struct returns *back = ((const struct pairs_pane *)v->priv)->back;

	text_add(t, "Pairs");
	if (pairs_pane_change_of(v))
		add_changed(pairs_pane_change_of(v), t);
	if (back)
		text_add(t, " ── %" PRIu64 " of %" PRIu64 " come back by other cables", back->other,
			 back->pairs);
}

static void hops_text(unsigned n, struct text *t)
{
	if (n == HOPS_NONE)
		text_putc(t, '-');
	else if (n == HOPS_LOOP)
		text_add(t, "loop");
	else
		text_add(t, "%u", n);
}

static int64_t pairs_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	struct pair_group g;

	(void)col;
	comparison_pair(pairs_pane_change_of(v), row, &g);
	return g.after;
}

/* The LIDs in which the destination has its LID: those after, or before if it has none after. */
static const struct lids *pairs_pane_lids_of(const struct comparison *c, const struct pair_group *g)
{
	return lid_owner(c->b->lids, g->lid) == g->dst ? c->b->lids : c->a->lids;
}

static void pairs_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	static const char *const what[] = {[PAIR_REROUTED] = "rerouted",
					   [PAIR_LOST] = "lost",
					   [PAIR_REGAINED] = "regained",
					   [PAIR_NEW] = "new",
					   [PAIR_SL] = "SL"};
	const struct fabric *f = v->scene->fabric;
	const struct comparison *c = pairs_pane_change_of(v);
	struct pair_group g;
	uint32_t ep = comparison_pair(c, row, &g);
	struct sl_range was, now;
	char sl[SL_WORD];

	switch (col) {
	case C_SRC:
		if (ep != NO_ID)
			label_endport(f, ep, t);
		break;
	case C_DST:
		lid_label(f, pairs_pane_lids_of(c, &g), g.lid, t);
		break;
	case C_WHAT:
		text_add(t, "%s", g.change <= PAIR_SL ? what[g.change] : "?");
		break;
	case C_HOPS:
		if (g.before != g.after) {
			hops_text(g.before, t);
			text_add(t, " → ");
		}
		hops_text(g.after, t);
		break;
	case C_SL:
		if (ep == NO_ID || !comparison_sls(c, &g, ep, &was, &now))
			break;
		text_add(t, "%s → ", sl_word(was, sl));
		text_add(t, "%s", sl_word(now, sl));
		break;
	}
}

static unsigned pairs_pane_marks(const struct view *v, uint32_t row)
{
	struct pair_group g;

	comparison_pair(pairs_pane_change_of(v), row, &g);
	if (g.change == PAIR_LOST)
		return MARK_CHANGED | MARK_DOWN;
	return MARK_CHANGED;
}

static bool pairs_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct fabric *f = v->scene->fabric;
	const struct comparison *c = pairs_pane_change_of(v);
	struct pair_group g;
	uint32_t ep = comparison_pair(c, row, &g);

	if (ep != NO_ID) {
		subject_port(v, f->endport_port[ep], s);
		s->src = (struct end){END_PORT, s->port};
		s->sw = g.sw;
	}
	if (pairs_pane_lids_of(c, &g) == c->b->lids || lid_owner(c->b->lids, g.lid) == NO_ID)
		subject_to(g.lid, s);
	s->chip = g.sw;
	return true;
}

const struct view_ops view_pairs = {
	.name = "pairs",
	.brief =
		"lists each pair whose path the last event changed: rerouted, lost, regained, with its links",
	.hints = "follow=path :why=why :trace=trace",
	COLUMNS(pairs_columns),
	.priv_size = sizeof(struct pairs_pane),
	.flags = VIEW_DETAIL | VIEW_PRESENT | VIEW_CHIPS | VIEW_SLOW_ROWS,
	.load = pairs_pane_load,
	.title = pairs_pane_title,
	.cell = pairs_pane_cell,
	.number = pairs_pane_number,
	.marks = pairs_pane_marks,
	.about = pairs_pane_about,
	.enter = "pane path %src %dst",
	.fold_row = "pair",
};
