/* The panes `outage` and `transition`: what an event cuts until the next sweep, and the writes until then. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/outage.h"
#include "core/session/commands/commands.h"
#include "views/analysis/check.h"
#include "views/base/view.h"

/* The pane `outage`: what the last event cuts until the next sweep, or what something would cut that fails.
 * By the entries of the old tables that lead into what failed, by host, or by pair of hosts of which one has
 * several ports; computed by another thread. */

enum { C_WHERE, C_TO, C_PAIRS, C_LIDS, C_FROM, C_IN, C_PATHS, C_LIST };
enum { BY_ENTRY, BY_HOST, BY_PEERS };

static const struct column columns[] = {
	COL("where", "where packets are lost: a port of a switch whose cable is dead; or a host", 20,
	    .flex = 2),
	COL("to", "the other end of the cable; of a pair: the other host", 16, .flex = 1, .drop = 1),
	NUM("pairs", "pairs of hosts cut there until the next sweep", 8),
	NUM("lids", "LIDs that the old tables still send there", 5),
	NUM("from it", "of the host's cut pairs: from it to others", 8),
	NUM("to it", "of the host's cut pairs: from others to it", 8),
	NUM("paths", "paths from the host's ports to LIDs of the other: all are cut", 6),
	COL("list", "these LIDs", 12, .flex = 1, .drop = 2),
};
static_assert(ARRAY_LEN(columns) == C_LIST + 1, "a column for each C_");

struct outage_pane {
	int by, by_word;	/* by_word: 1: the first word says so */
	const struct outage *x; /* borrowed; NULL = missing */
	const char *why;	/* static, or `wrong`; nothing is asked; NULL: it is */
	char wrong[sizeof(((struct err *)NULL)->msg)];
};

FREED_BY(free_outage, arena_free)

static void *run_outage(const struct job *j)
{
	const struct between_question *q = j->base;
	struct outage *x = q->ahead ? outage_ahead(q->a, q->ahead, q->engines, j->progress, j->e)
				    : outage_between(q->a, q->b, j->progress, j->e);

	if (x && !q->ahead)
		x->after = q->lost;
	return x;
}

static const struct task task_outage = {.run = run_outage, .free = free_outage};

/* The setup with what the words name down; NULL and *e. */
static const struct setup *outage_pane_ahead(const struct view *v, struct err *e)
{
	int skip = ((const struct outage_pane *)v->priv)->by_word;
	struct text said = {0};
	struct command_run run = {.f = text_stream(&said)};
	struct out quiet = {.run = &run};
	const struct setup *setup =
		outage_words(v->scene->session, v->n_words - skip, v->word + skip, &quiet, e);

	fclose(run.f);
	text_free(&said);
	return setup;
}

static bool has_words(const struct view *v)
{
	return v->n_words > ((const struct outage_pane *)v->priv)->by_word;
}

static int outage_pane_open_view(struct view *v, const struct args *a, struct err *e)
{
	static const char *const by[] = {[BY_ENTRY] = "entries", [BY_HOST] = "hosts", [BY_PEERS] = "peers"};
	struct outage_pane *p = v->priv;
	int found = a->n ? args_which(&(struct args){.n = 1, .arg = a->arg}, by, ARRAY_LEN(by)) : -1;
	const struct setup *setup;

	p->by = found < 0 ? BY_ENTRY : found;
	p->by_word = found >= 0;
	if (!has_words(v) || !v->scene->session)
		return 0;
	setup = outage_pane_ahead(v, e);
	setup_unref(setup);
	return setup ? 0 : -1;
}

static void outage_pane_load(struct view *v)
{
	static const uint8_t shown[][ARRAY_LEN(columns)] = {
		[BY_ENTRY] = {1, 1, 1, 1, 0, 0, 0, 1},
		[BY_HOST] = {1, 0, 1, 0, 1, 1, 0, 0},
		[BY_PEERS] = {1, 1, 0, 0, 0, 0, 1, 0},
	};
	struct outage_pane *p = v->priv;
	struct between_question *q = NULL;
	const struct result *r;
	const struct setup *setup;
	struct err e;

	for (unsigned c = 0; c < ARRAY_LEN(columns); c++)
		v->width[c] = shown[p->by][c] ? columns[c].width : 0;
	if (!has_words(v)) {
		q = between_question_new(v, NULL, &p->why);
		p->why = p->why && scene_real_routing(v->scene) ? OUTAGE_NONE : p->why;
	} else if (!scene_real_routing(v->scene)) {
		p->why = "nothing is routed";
	} else {
		setup = outage_pane_ahead(v, &e);
		snprintf(p->wrong, sizeof(p->wrong), "%s", setup ? "" : e.msg);
		p->why = setup ? NULL : p->wrong;
		q = setup ? between_question_ahead(v->scene, setup) : NULL;
	}
	r = view_ask_about(v, &task_outage, q, &task_between_question, NULL);
	p->x = r ? r->value : NULL;
	if (p->x)
		v->n_rows = p->by == BY_HOST	? p->x->n_hosts
			    : p->by == BY_PEERS ? p->x->n_peers
						: p->x->n_ports;
}

static void outage_pane_title(const struct view *v, struct text *t)
{
	const struct outage_pane *p = v->priv;

	text_add(t, "Outage by %s",
		 p->by == BY_HOST    ? "host"
		 : p->by == BY_PEERS ? "pair of hosts"
				     : "entry");
	for (int i = p->by_word; i < v->n_words; i++)
		text_add(t, "%s%s", i == p->by_word ? " if " : " ", v->word[i]);
	if (has_words(v))
		text_add(t, " fails");
	text_add(t, " %u/%u", view_count(v) ? v->sel + 1 : 0, view_count(v));
	if (p->x)
		text_add(t, " ── %" PRIu64 " pairs cut until the next sweep", p->x->cut);
}

static void outage_pane_footer(const struct view *v, struct text *t)
{
	const struct outage_pane *p = v->priv;

	if (v->waiting)
		view_progress(v, t);
	else if (p->x)
		outage_tell(p->x, t);
	else if (p->why)
		text_add(t, "%s", p->why);
}

static const struct outage_port *outage_pane_port_at(const struct view *v, uint32_t row)
{
	return &((const struct outage_pane *)v->priv)->x->port[row];
}

static int64_t outage_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct outage_pane *p = v->priv;

	if (p->by == BY_PEERS)
		return col == C_PATHS ? (int64_t)p->x->peers[row].paths : -1;
	if (p->by == BY_ENTRY)
		return col == C_PAIRS  ? (int64_t)outage_pane_port_at(v, row)->pairs
		       : col == C_LIDS ? (int64_t)outage_pane_port_at(v, row)->lids
				       : -1;
	return col == C_PAIRS  ? (int64_t)p->x->host[row].pairs
	       : col == C_FROM ? (int64_t)p->x->host[row].sends
	       : col == C_IN   ? (int64_t)p->x->host[row].receives
			       : -1;
}

static void outage_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct outage_pane *p = v->priv;
	const struct fabric *f = p->x->left->fabric;
	char buf[300];

	if (col == C_LIST && p->by == BY_ENTRY)
		outage_lids(p->x, outage_pane_port_at(v, row), t);
	else if (col != C_WHERE && col != C_TO)
		number_cell(outage_pane_number(v, row, col), t);
	else if (p->by == BY_HOST) {
		if (col == C_WHERE)
			label_endport(f, p->x->host[row].endport, t);
	} else if (p->by == BY_PEERS)
		text_add(t, "%s", f->node_name[col == C_WHERE ? p->x->peers[row].from : p->x->peers[row].to]);
	else {
		uint32_t port = outage_pane_port_at(v, row)->port;

		port = col == C_WHERE ? port : p->x->before->topo->peer[port];
		if (port != NO_ID)
			text_add(t, "%s", port_label(f, port, buf, sizeof(buf)));
	}
}

static unsigned outage_pane_marks(const struct view *v, uint32_t row)
{
	const struct outage_pane *p = v->priv;

	return p->by == BY_HOST && p->x->host[row].down ? MARK_DOWN : 0;
}

/* The row's object, if the fabric of now still has it. */
static bool outage_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct outage_pane *p = v->priv;
	const struct fabric *now = v->scene->fabric, *f = p->x->left->fabric;
	uint32_t port;

	if (p->by == BY_PEERS) {
		const struct outage_peers *q = &p->x->peers[row];
		uint32_t from = fabric_node_by_guid(now, f->node_guid[q->from]),
			 to = fabric_node_by_guid(now, f->node_guid[q->to]);

		s->key = (uint64_t)q->from << 32 | q->to;
		if (from == NO_ID || to == NO_ID)
			return false;
		subject_node(v, from, s);
		s->src = (struct end){END_NODE, from};
		s->dst = (struct end){END_NODE, to};
		s->key = (uint64_t)q->from << 32 | q->to;
		return true;
	}
	port = p->by == BY_HOST ? f->endport_port[p->x->host[row].endport]
				: outage_pane_port_at(v, row)->port;
	s->key = f->node_guid[f->port_node[port]] << 8 ^ f->port_num[port];
	port = fabric_port_in(now, f, port);
	if (port == NO_ID)
		return false;
	subject_port(v, port, s);
	if (p->by == BY_HOST)
		s->endport = (struct end){END_PORT, port};
	return true;
}

static void outage_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct outage_pane *p = v->priv;

	view_fill(v, row,
		  p->by == BY_HOST    ? "pane ports %far"
		  : p->by == BY_PEERS ? "pane path %src %dst"
				      : "pane lft %switch",
		  t);
}

#define BY "[entries|hosts|peers]"

const struct view_ops view_outage = {
	.name = "outage",
	.brief = "lists the pairs that the last event cuts until the next sweep, or that a failure would "
		 "cut: by entry, by host, or by hosts with several ports",
	.syntax = BY " | " OUTAGE_SYNTAX(BY " "),
	.hints = "follow=look :undo=undo back=back",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_PRESENT,
	.priv_size = sizeof(struct outage_pane),
	.priv_kept = offsetof(struct outage_pane, x),
	.open = outage_pane_open_view,
	.load = outage_pane_load,
	.title = outage_pane_title,
	.footer = outage_pane_footer,
	.cell = outage_pane_cell,
	.number = outage_pane_number,
	.marks = outage_pane_marks,
	.about = outage_pane_about,
	.follow = outage_pane_follow,
};

/* The pane `transition`: the writes of the last event, or since a snapshot, as a line of time. After each:
 * who waits, is cut or goes round. */

enum { C_WRITE, C_SWITCH, C_BLOCK, C_ENTRIES, C_WAITING, C_CUT, C_LOOPING, C_BAR };

#define CELLS 24 /* cells of the longest bar */

static const struct column transition_columns[] = {
	NUM("write", "number of the write in OpenSM's order; 0: before the first", 5),
	COL("switch", "the switch that gets the block", 10, .flex = 1),
	NUM("block", "number of the block: its LIDs begin at 64 times this", 5, .drop = 2),
	NUM("entries", "entries that the write changes", 7, .drop = 3),
	NUM("waiting", "pairs without a path then: the new tables will serve them, the old ones did not", 7),
	NUM("cut", "pairs without a path then, though old and new tables serve them", 6),
	NUM("looping", "pairs whose packets loop then", 7),
	COL("bar", "the pairs as a bar: looping in full cells, cut in half shade, waiting light", CELLS,
	    .drop = 1),
};
static_assert(ARRAY_LEN(transition_columns) == C_BAR + 1, "a column for each C_");

struct transition_pane {
	const void *chosen;	    /* kept: the transition whose worst moment was selected */
	const struct transition *t; /* borrowed; NULL = missing */
	const char *why;	    /* static; why there is no question; NULL: there is one */
	uint64_t most;		    /* of the bars */
};

/* --- computed by another thread ----------------------------------------------------------------- */

FREED_BY(free_transition, arena_free)

static void *run_transition(const struct job *j)
{
	const struct between_question *q = j->base;

	return transition_of(q->a, q->b, q->rb, j->progress, j->e);
}

const struct task task_transition = {.run = run_transition, .free = free_transition};

/* --- the pane ------------------------------------------------------------------------------------ */

/* Row 0 is the moment before the first write. */
static const struct mix_pairs *pairs_at(const struct view *v, uint32_t row)
{
	const struct transition *t = ((const struct transition_pane *)v->priv)->t;

	assert(row <= t->n_writes);
	return row ? &t->write[row - 1].after : &t->before;
}

static uint64_t harm_at(const struct view *v, uint32_t row)
{
	const struct mix_pairs *c = pairs_at(v, row);

	return c->cut + c->looping;
}

static uint64_t all_at(const struct view *v, uint32_t row)
{
	return harm_at(v, row) + pairs_at(v, row)->waiting;
}

static void transition_pane_load(struct view *v)
{
	struct transition_pane *p = v->priv;
	struct between_question *q = between_question_new(v, v->n_words ? v->word[0] : NULL, &p->why);
	const struct result *r = view_ask_about(v, &task_transition, q, &task_between_question, NULL);

	p->t = r ? r->value : NULL;
	v->n_rows = p->t ? p->t->n_writes + 1 : 0;
	for (uint32_t i = 0; i < v->n_rows; i++)
		p->most = all_at(v, i) > p->most ? all_at(v, i) : p->most;
	if (p->t && p->t->worst != NO_ID && p->chosen != p->t)
		v->select = (int64_t)p->t->worst + 1;
	p->chosen = p->t;
}

static void transition_pane_title(const struct view *v, struct text *t)
{
	const struct transition_pane *p = v->priv;

	text_add(t, "Transition since %s", v->n_words ? v->word[0] : "the event before");
	if (p->t)
		text_add(t, " ── %s: %s", PLURAL(p->t->n_writes, "write"), PLURAL(p->t->entries, "entry"));
}

static void transition_pane_footer(const struct view *v, struct text *t)
{
	const struct transition_pane *p = v->priv;

	if (p->why)
		text_add(t, "%s", p->why);
	else if (p->t)
		transition_sentence(p->t, t);
	if (!p->why && p->t && (p->t->credit.found != CREDIT_NONE || p->t->credit.old || p->t->credit.now)) {
		text_add(t, "  ");
		credit_sentence(p->t, t);
	}
}

static int64_t transition_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct transition *t = ((const struct transition_pane *)v->priv)->t;
	const struct mix_pairs *c = pairs_at(v, row);

	switch (col) {
	case C_WRITE:
		return row;
	case C_BLOCK:
		return row ? t->write[row - 1].block : -1;
	case C_ENTRIES:
		return row ? t->write[row - 1].entries : -1;
	case C_WAITING:
		return (int64_t)c->waiting;
	case C_CUT:
		return (int64_t)c->cut;
	default:
		return (int64_t)c->looping;
	}
}

/* Each kind has one cell at least, so the bar may be two cells longer than its sum. */
static void transition_pane_put_bar(const struct mix_pairs *c, uint64_t most, struct text *t)
{
	const uint64_t pairs[] = {c->looping, c->cut, c->waiting};
	static const char *const cell[] = {"█", "▒", "░"};

	for (unsigned k = 0; k < ARRAY_LEN(pairs); k++) {
		unsigned n = most ? (unsigned)((double)pairs[k] / (double)most * (CELLS - 2) + 0.5) : 0;

		for (unsigned i = 0; i < n + (pairs[k] && !n); i++)
			text_add(t, "%s", cell[k]);
	}
}

static void transition_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct transition_pane *p = v->priv;

	if (col == C_SWITCH)
		text_add(t, "%s",
			 row ? switch_name(p->t->b->topo->fabric, p->t->write[row - 1].sw)
			     : "(before the first)");
	else if (col == C_BAR)
		transition_pane_put_bar(pairs_at(v, row), p->most, t);
	else if (transition_pane_number(v, row, col) >= 0)
		text_add(t, "%" PRId64, transition_pane_number(v, row, col));
}

/* The worst moment, and others with harm. */
static unsigned transition_pane_marks(const struct view *v, uint32_t row)
{
	const struct transition *t = ((const struct transition_pane *)v->priv)->t;

	if (!row)
		return 0;
	if (row - 1 == t->worst)
		return MARK_HERE;
	return mark_if(harm_at(v, row), MARK_DETOUR);
}

static bool transition_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct transition *t = ((const struct transition_pane *)v->priv)->t;

	s->key = row;
	if (!row)
		return false;
	subject_switch(v, t->write[row - 1].sw, s);
	s->key = row;
	return true;
}

const struct view_ops view_transition = {
	.name = "transition",
	.brief = "follows OpenSM from the old tables to the new ones, write by write: pairs that wait, are "
		 "cut or loop meanwhile; `map overlay transition` draws the worst moment",
	.syntax = "[SNAPSHOT]",
	.hints = "follow=table back=back",
	COLUMNS(transition_columns),
	.flags = VIEW_WIDE | VIEW_PRESENT | VIEW_SEQUENCE,
	.priv_size = sizeof(struct transition_pane),
	.priv_kept = sizeof(const void *),
	.open = between_question_open,
	.load = transition_pane_load,
	.title = transition_pane_title,
	.footer = transition_pane_footer,
	.cell = transition_pane_cell,
	.number = transition_pane_number,
	.marks = transition_pane_marks,
	.about = transition_pane_about,
	.enter = "pane lft %node",
};
