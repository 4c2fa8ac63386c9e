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

static const struct column pick_columns[] = {
	COL("name", "name of the node", 12, .flex = 2),
	COL("guid", "its 64-bit GUID, which never changes", 18),
	NUM("lid", "its LID", 5),
	COL("on", "switch and port that its cable leads to", 8, .flex = 1, .drop = 2),
};

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
	text_add(&v->title, "Which \"%.*s\" for `%s`?", (int)p->before, p->word[p->at], p->word[0]);
}

static void pick_pane_close_view(struct view *v)
{
	struct pick_pane *p = v->priv;

	for (int i = 0; i < p->n; i++)
		free(p->word[i]);
	free(p->word);
	name_hits_free(&p->hits);
}

static void pick_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct fabric *f = v->scene->fabric;
	uint32_t node = ((const struct pick_pane *)v->priv)->hits.node[row];
	unsigned lid = node_lid(f, v->scene->sweep ? v->scene->sweep->lids : NULL, node);
	size_t on = 0;
	char buf[300];

	if (!node_is_switch(f, node))
		on = row_text(r, "%s", port_label(f, node_hangs_on(f, node), buf, sizeof(buf)));
	ROW_VALUES(v, r, row_text(r, "%s", f->node_name[node]),
		   row_text(r, "0x%016" PRIx64, f->node_guid[node]), lid, (int64_t)on);
	if (!lid)
		r->says[2] = row_text(r, "%s", "");
	subject_node(v, node, &r->about);
	r->about.key = f->node_guid[node];
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
			word_node(v->scene->fabric, p->hits.node[row], t);
			text_add(t, "%s", p->word[i] + p->before);
		} else {
			text_add(t, "%s", word);
		}
	}
}

const struct view_ops view_pick = {
	.name = "pick",
	.brief = "lists the nodes that a word of a command fits; opens when there are several, and Enter "
		 "takes one",
	.syntax = "N COMMAND [WORD...]",
	.hints = "follow=take",
	COLUMNS(pick_columns),
	.flags = VIEW_WIDE | VIEW_TIMELESS,
	.priv_size = sizeof(struct pick_pane),
	.priv_kept = sizeof(struct pick_pane),
	.open = pick_pane_open_view,
	.load = pick_pane_load,
	.row = pick_row,
	.follow = pick_pane_follow,
	.close = pick_pane_close_view,
};

/* The pane `flows`: who shares a link if all hosts send to all: pairs of hosts whose path leaves by a port,
 * in groups. */

static const struct column flows_columns[] = {
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
	uint32_t port;				/* NO_ID: it is not in the fabric */
	const struct flows_pane_answer *answer; /* NULL = missing, or there is none */
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
	const struct result *result;
	uint32_t node = f ? fabric_node_by_guid(f, v->args.arg[0].guid) : NO_ID;
	unsigned n = (unsigned)v->args.arg[0].n;

	p->port = node != NO_ID && n && n <= f->node_nports[node] ? f->node_port[node] + n : NO_ID;
	text_add(&v->title, "Flows");
	if (p->port == NO_ID || !v->scene->real_topo) {
		text_add(&v->title, " ── %s", f ? "no such port" : "nothing is loaded");
		return;
	}
	text_add(&v->title, " over ");
	label_channel(v->scene->real_topo, p->port, false, &v->title);
	result = scene_real_routing(v->scene)
			 ? view_ask(v, &task_flows, NULL, (const uint32_t[TASK_ARGS]){p->port, p->by})
			 : NULL;
	p->answer = result ? result->value : NULL;
	if (p->answer) {
		v->n_rows = (uint32_t)p->answer->n;
		text_add(&v->title, " ── %" PRIu64 " pairs, by %s", p->answer->l->pairs, flow_by_word[p->by]);
		text_add(&v->footer, "%s", PLURAL(v->n_rows, "group"));
	} else if (result) {
		text_add(&v->footer, "%s", result->e.msg);
	}
}

static void flows_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct flows_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	const struct flow_group *g = &p->answer->group[row];
	const struct flow *w = &p->answer->l->flow[g->first];
	uint64_t all = p->answer->l->pairs, share = (1000 * g->pairs + all / 2) / all; /* in thousandths */
	char a[300], b[300];

	ROW_VALUES(
		v, r,
		row_text(r, "%s", g->from == NO_ID ? "*" : flow_end_label(f, p->by, g->from, a, sizeof(a))),
		row_text(r, "%s", g->to == NO_ID ? "*" : flow_end_label(f, p->by, g->to, b, sizeof(b))),
		(int64_t)g->pairs, (int64_t)share);
	r->says[3] = row_text(r, "%" PRIu64 ".%" PRIu64, share / 10, share % 10);
	subject_port(v, p->port, &r->about);
	subject_to(w->lid, &r->about);
	r->about.src = (struct end){END_PORT, f->endport_port[w->src]};
	r->about.chip = v->scene->real_topo->endport_switch[w->src];
	r->about.key = (uint64_t)g->from << 32 | g->to;
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
	.row = flows_row,
	.enter = "pane path %src %dst",
	.fold_row = "group",
};

/* The pane `pairs`: pairs of endports whose path the last event changed. */

static const struct column pairs_columns[] = {
	COL("from", "the host that sends", 8, .flex = 1),
	COL("to", "the host that receives", 8, .flex = 1),
	COL("what", "rerouted, lost, regained, new, or SL: only the service level changed", 8, .drop = 2),
	NUM("links", "cables of the path before and now", 7),
	COL("SL", "service level before and now", 7, .right = true, .drop = 3),
};

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

static void pairs_row(const struct view *v, uint32_t row, struct table_row *r)
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
	/* those in which the destination has its LID: those after, or before if it has none after */
	const struct lids *lids = lid_owner(c->b->lids, g.lid) == g.dst ? c->b->lids : c->a->lids;
	struct sl_range was, now;
	char a[SL_WORD], b[SL_WORD];
	size_t from = row_text(r, "%s", ""), to, sls = 0;

	if (ep != NO_ID)
		label_endport(f, ep, &r->text);
	to = row_text(r, "%s", "");
	lid_label(f, lids, g.lid, &r->text);
	if (ep != NO_ID && comparison_sls(c, &g, ep, &was, &now))
		sls = row_text(r, "%s → %s", sl_word(was, a), sl_word(now, b));
	ROW_VALUES(v, r, (int64_t)from, (int64_t)to,
		   row_text(r, "%s", g.change <= PAIR_SL ? what[g.change] : "?"), g.after, (int64_t)sls);
	r->says[3] = row_text(r, "%s", "");
	if (g.before != g.after) {
		hops_text(g.before, &r->text);
		text_add(&r->text, " → ");
	}
	hops_text(g.after, &r->text);
	r->marks = MARK_CHANGED | mark_if(g.change == PAIR_LOST, MARK_DOWN);
	if (ep != NO_ID) {
		subject_port(v, f->endport_port[ep], &r->about);
		r->about.src = (struct end){END_PORT, r->about.port};
		r->about.sw = g.sw;
	}
	if (lids == c->b->lids || lid_owner(c->b->lids, g.lid) == NO_ID)
		subject_to(g.lid, &r->about);
	r->about.chip = g.sw;
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
	.row = pairs_row,
	.title = pairs_pane_title,
	.enter = "pane path %src %dst",
	.fold_row = "pair",
};
