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

enum { BY_ENTRY, BY_HOST, BY_PEERS };

static const struct column outage_columns[] = {
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
	static const uint8_t shown[][ARRAY_LEN(outage_columns)] = {
		[BY_ENTRY] = {1, 1, 1, 1, 0, 0, 0, 1},
		[BY_HOST] = {1, 0, 1, 0, 1, 1, 0, 0},
		[BY_PEERS] = {1, 1, 0, 0, 0, 0, 1, 0},
	};
	struct outage_pane *p = v->priv;
	struct between_question *q = NULL;
	const struct result *r;
	const struct setup *setup;
	struct err e;

	for (unsigned c = 0; c < ARRAY_LEN(outage_columns); c++)
		v->width[c] = shown[p->by][c] ? outage_columns[c].width : 0;
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

/* The object of a port's or host's row, if the fabric of now still has it. */
static void outage_port_about(const struct view *v, uint32_t port, bool host, struct subject *s)
{
	const struct fabric *f = ((const struct outage_pane *)v->priv)->x->left->fabric;

	s->key = f->node_guid[f->port_node[port]] << 8 ^ f->port_num[port];
	port = fabric_port_in(v->scene->fabric, f, port);
	if (port == NO_ID)
		return;
	subject_port(v, port, s);
	if (host)
		s->endport = (struct end){END_PORT, port};
}

static void outage_peers_row(const struct view *v, const struct outage_peers *q, struct table_row *r)
{
	const struct fabric *now = v->scene->fabric,
			    *f = ((const struct outage_pane *)v->priv)->x->left->fabric;
	uint32_t from = fabric_node_by_guid(now, f->node_guid[q->from]),
		 to = fabric_node_by_guid(now, f->node_guid[q->to]);

	ROW_VALUES(v, r, row_text(r, "%s", f->node_name[q->from]), row_text(r, "%s", f->node_name[q->to]), -1,
		   -1, -1, -1, (int64_t)q->paths, row_text(r, "-"));
	r->follow = row_text(r, "pane path %%src %%dst");
	if (from != NO_ID && to != NO_ID) {
		subject_node(v, from, &r->about);
		r->about.src = (struct end){END_NODE, from};
		r->about.dst = (struct end){END_NODE, to};
	}
	r->about.key = (uint64_t)q->from << 32 | q->to;
}

static void outage_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct outage_pane *p = v->priv;
	const struct outage *x = p->x;
	const struct fabric *f = x->left->fabric;
	size_t first = row_text(r, "%s", ""), to = 0, list;
	char buf[300];

	if (p->by == BY_PEERS) {
		outage_peers_row(v, &x->peers[row], r);
	} else if (p->by == BY_HOST) {
		const struct outage_host *h = &x->host[row];

		label_endport(f, h->endport, &r->text);
		ROW_VALUES(v, r, (int64_t)first, 0, (int64_t)h->pairs, -1, (int64_t)h->sends,
			   (int64_t)h->receives, -1, row_text(r, "-"));
		r->marks = mark_if(h->down, MARK_DOWN);
		r->follow = row_text(r, "pane ports %%far");
		outage_port_about(v, f->endport_port[h->endport], true, &r->about);
	} else {
		const struct outage_port *o = &x->port[row];
		uint32_t peer = x->before->topo->peer[o->port];

		text_add(&r->text, "%s", port_label(f, o->port, buf, sizeof(buf)));
		if (peer != NO_ID)
			to = row_text(r, "%s", port_label(f, peer, buf, sizeof(buf)));
		list = row_text(r, "%s", "");
		outage_lids(x, o, &r->text);
		ROW_VALUES(v, r, (int64_t)first, (int64_t)to, (int64_t)o->pairs, o->lids, -1, -1, -1,
			   (int64_t)list);
		outage_port_about(v, o->port, false, &r->about);
	}
}

#define BY "[entries|hosts|peers]"

const struct view_ops view_outage = {
	.name = "outage",
	.brief = "lists the pairs that the last event cuts until the next sweep, or that a failure would "
		 "cut: by entry, by host, or by hosts with several ports",
	.syntax = BY " | " OUTAGE_SYNTAX(BY " "),
	.hints = "follow=look :undo=undo back=back",
	COLUMNS(outage_columns),
	.flags = VIEW_WIDE | VIEW_PRESENT,
	.priv_size = sizeof(struct outage_pane),
	.priv_kept = offsetof(struct outage_pane, x),
	.open = outage_pane_open_view,
	.load = outage_pane_load,
	.row = outage_row,
	.title = outage_pane_title,
	.footer = outage_pane_footer,
	.enter = "pane lft %switch",
};

/* The pane `transition`: the writes of the last event, or since a snapshot, as a line of time. After each:
 * who waits, is cut or goes round. */

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

static void transition_pane_load(struct view *v)
{
	struct transition_pane *p = v->priv;
	struct between_question *q = between_question_new(v, v->n_words ? v->word[0] : NULL, &p->why);
	const struct result *r = view_ask_about(v, &task_transition, q, &task_between_question, NULL);

	p->t = r ? r->value : NULL;
	v->n_rows = p->t ? p->t->n_writes + 1 : 0;
	for (uint32_t i = 0; i < v->n_rows; i++) {
		const struct mix_pairs *c = pairs_at(v, i);
		uint64_t all = c->cut + c->looping + c->waiting;

		p->most = MAX(all, p->most);
	}
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

static void transition_row(const struct view *v, uint32_t row, struct table_row *r)
{
	static const char *const cell[] = {"█", "▒", "░"};
	const struct transition_pane *p = v->priv;
	const struct table_write *w = row ? &p->t->write[row - 1] : NULL;
	const struct mix_pairs *c = pairs_at(v, row);
	const uint64_t pairs[] = {c->looping, c->cut, c->waiting};
	size_t bar = row_text(r, "%s", "");

	/* each kind has one cell at least, so the bar may be two cells longer than its sum */
	for (unsigned k = 0; k < ARRAY_LEN(pairs); k++) {
		unsigned n = p->most ? (unsigned)((double)pairs[k] / (double)p->most * (CELLS - 2) + 0.5) : 0;

		for (unsigned i = 0; i < n + (pairs[k] && !n); i++)
			text_add(&r->text, "%s", cell[k]);
	}
	ROW_VALUES(v, r, row,
		   row_text(r, "%s", w ? switch_name(p->t->b->topo->fabric, w->sw) : "(before the first)"),
		   w ? w->block : -1, w ? w->entries : -1, (int64_t)c->waiting, (int64_t)c->cut,
		   (int64_t)c->looping, (int64_t)bar);
	r->about.key = row;
	if (!w) {
		r->says[2] = r->says[3] = row_text(r, "%s", "");
		return;
	}
	r->marks = row - 1 == p->t->worst ? MARK_HERE : mark_if(c->cut + c->looping, MARK_DETOUR);
	subject_switch(v, w->sw, &r->about);
	r->about.key = row;
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
	.row = transition_row,
	.title = transition_pane_title,
	.footer = transition_pane_footer,
	.enter = "pane lft %node",
};
