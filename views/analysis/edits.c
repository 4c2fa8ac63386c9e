/*
 * The pane `edits`: what differs between two fabrics, as the command `changes` tells it. Files are read by
 * another thread. A change may have rows under it: cables that came or went with it, or the second of two
 * that were swapped. When panes are folded these are hidden until it is opened.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/mix.h"
#include "core/fabric/changes.h"
#include "core/formats/formats.h"
#include "core/session/commands/changes.h"
#include "engines/engines.h"
#include "views/base/view.h"

enum { C_CHANGE, C_WHAT, C_NAME, C_WAS, C_NOW };

static const struct column columns[] = {
	COL("change", "what changed; unseen: it did not answer, and may still be there", 8),
	COL("what", "a card or chassis, a node, a cable, a LID", 7),
	COL("name", "what changed; indented: a cable that came or went with it", 10, .flex = 3),
	COL("was", "before", 8, .flex = 2),
	COL("now", "after", 8, .flex = 2),
};

/* --- the question, and its answer by another thread ------------------------------------------------ */

/* A fabric: as it is, or one that the options in force still shape, or a file. Not all is NULL. */
struct side {
	const struct fabric *shaped, *loaded; /* references held */
	const struct sweep *sweep;	      /* of a snapshot; reference held */
	char *path;
};

struct edits_question {
	struct session *session;
	const struct setup *setup; /* in force; reference held */
	struct side side[2];
};

static void free_question(void *value)
{
	struct edits_question *q = value;

	for (unsigned i = 0; i < 2; i++) {
		fabric_unref(q->side[i].shaped);
		fabric_unref(q->side[i].loaded);
		sweep_unref(q->side[i].sweep);
		free(q->side[i].path);
	}
	setup_unref(q->setup);
	free(q);
}

static bool asks_same(const void *was, const void *value)
{
	const struct edits_question *a = was, *b = value;

	for (unsigned i = 0; i < 2; i++)
		if (a->side[i].shaped != b->side[i].shaped || a->side[i].loaded != b->side[i].loaded ||
		    a->side[i].sweep != b->side[i].sweep || !str_same(a->side[i].path, b->side[i].path))
			return false;
	return a->setup->fabric == b->setup->fabric && options_equal(a->setup->options, b->setup->options);
}

static const struct task task_edits_question = {.free = free_question, .same = asks_same};

struct edits_answer {
	const struct fabric *side[2];	/* references held */
	const struct fabric *loaded[2]; /* with names, before options shape it; NULL: as it is; references */
	const struct sweep *sweep;	/* of a snapshot that is the first; NULL: none; reference */
	struct fabric_changes x;
};

static void free_answer(void *value)
{
	struct edits_answer *a = value;

	changes_free(&a->x);
	for (unsigned i = 0; i < 2; i++) {
		fabric_unref(a->side[i]);
		fabric_unref(a->loaded[i]);
	}
	sweep_unref(a->sweep);
	free(a);
}

/* A reference on the fabric of a side, and *named: one on what was loaded, with names. */
static int read_side(const struct edits_question *q, const struct side *side, const struct fabric **out,
		     const struct fabric **named, const struct job *j)
{
	const struct fabric *loaded = NULL;
	struct fabric *f;
	int rc;

	if (side->shaped) {
		*out = fabric_ref(side->shaped);
		return 0;
	}
	if (side->path && fabric_load(side->path, &f, j->progress, j->e))
		return -1;
	loaded = side->path ? f : fabric_ref(side->loaded);
	session_lock(q->session); /* its names may change */
	*named = q->session->names ? fabric_renamed(loaded, q->session->names) : fabric_ref(loaded);
	rc = session_shape(q->session, loaded, q->setup->options, out, j->e);
	session_unlock(q->session);
	fabric_unref(loaded);
	return rc;
}

static void *run_edits(const struct job *j)
{
	const struct edits_question *q = j->base;
	struct edits_answer *a = NEW(struct edits_answer);

	for (unsigned i = 0; i < 2; i++)
		if (read_side(q, &q->side[i], &a->side[i], &a->loaded[i], j)) {
			free_answer(a);
			return NULL;
		}
	a->sweep = q->side[0].sweep ? sweep_ref(q->side[0].sweep) : NULL;
	changes_find(&a->x, a->side[0], a->side[1], setup_chassis_file(q->setup->options), j->progress);
	return a;
}

static const struct task task_edits = {
	.run = run_edits, .free = free_answer, .no_sweep = true, .no_fabric = true};

static void free_ahead(void *value)
{
	struct ahead *x = value;

	text_free(&x->line);
	free(x);
}

/* The next sweep after the first of the two: the present one, that of a snapshot, or the one of a file. */
static void *run_ahead(const struct job *j)
{
	const struct edits_answer *a = j->base;
	struct session *own = session_new(all_engines, NULL); /* the names are in the fabrics */
	struct ahead *x = NEW(struct ahead);
	struct ahead_asked q = {.first = a->loaded[0], .next = a->loaded[1], .how = j->sweep->setup};
	int rc;

	q.at = a->sweep ? a->sweep : a->loaded[0] ? NULL : j->sweep;
	rc = ahead_find(own, &q, x, j->progress, j->e);
	session_free(own);
	if (!rc)
		return x;
	free_ahead(x);
	return NULL;
}

static const struct task task_ahead = {.run = run_ahead, .free = free_ahead};

/* --- rows ------------------------------------------------------------------------------------------ */

struct row {
	uint32_t change, under; /* under: which of the rows under it; NO_ID: the change itself */
};

struct priv {
	const struct result *answer; /* borrowed; NULL = missing */
	const struct fabric_changes *x;
	const struct result *ahead; /* borrowed; NULL = missing, or not asked */
	struct row *row;	    /* [n_rows] */
};

static void word_side(const struct view *v, const char *word, struct side *to)
{
	const struct sweep *w = session_find_snapshot(v->scene->session, word);

	if (!w) {
		to->path = str_dup(word);
		return;
	}
	to->loaded = fabric_ref(w->setup->loaded ? w->setup->loaded : w->fabric);
	to->sweep = sweep_ref(w);
}

/* NULL: without a fabric there is none. */
static struct edits_question *make_question(const struct view *v)
{
	const struct scene *sc = v->scene;
	struct edits_question *q;

	if (!sc->fabric && v->n_words < 2)
		return NULL;
	q = NEW(struct edits_question);
	q->session = sc->session;
	q->setup = setup_ref(sc->session->setup);
	if (v->n_words < 2)
		q->side[0].shaped = fabric_ref(v->n_words ? sc->fabric : sc->fabric_first);
	else
		word_side(v, v->word[0], &q->side[0]);
	if (v->n_words)
		word_side(v, v->word[v->n_words - 1], &q->side[1]);
	else
		q->side[1].shaped = fabric_ref(sc->fabric);
	return q;
}

static uint32_t rows_under(const struct fabric_change *c)
{
	return c->kind == LINK_SWAPPED ? 1 : c->n_cables;
}

static const struct fabric_change *change_of(const struct view *v, uint32_t row)
{
	const struct priv *p = v->priv;

	return &p->x->c[p->row[row].change];
}

/* A change keeps its key while others come and go. */
static uint64_t key_of(const struct fabric_changes *x, const struct fabric_change *c, uint32_t under)
{
	bool was = c->was[0] != NO_ID || c->node_was != NO_ID;
	const struct fabric *f = c->part ? change_side(x, c) : was ? x->a : x->b;
	uint32_t port = was ? c->was[0] : c->now[0], node = was ? c->node_was : c->node_now;

	if (c->part)
		node = x->node[c->first_node];
	else if (port != NO_ID)
		node = f->port_node[port];
	return mix(mix(mix(f->node_guid[node], c->kind), under), port == NO_ID ? 0 : f->port_num[port]);
}

static void load(struct view *v)
{
	struct priv *p = v->priv;
	const struct edits_answer *a;
	size_t most = 0;

	p->answer = view_ask_about(v, &task_edits, make_question(v), &task_edits_question, NULL);
	a = p->answer ? p->answer->value : NULL;
	if (!a)
		return;
	p->x = &a->x;
	if (a->loaded[1] && a->x.n && v->scene->real && fabric_akin(a->side[0], a->side[1]))
		p->ahead = view_ask(v, &task_ahead, p->answer, NULL);
	for (size_t i = 0; i < p->x->n; i++)
		most += 1 + (size_t)rows_under(&p->x->c[i]);
	p->row = VIEW_ARRAY(v, most + 1, struct row);
	for (uint32_t i = 0; i < p->x->n; i++) {
		const struct fabric_change *c = &p->x->c[i];
		bool open = !v->scene->fold || view_is_open(v, key_of(p->x, c, NO_ID));

		p->row[v->n_rows++] = (struct row){i, NO_ID};
		for (uint32_t k = 0; open && k < rows_under(c); k++)
			p->row[v->n_rows++] = (struct row){i, k};
	}
}

static bool opens(const struct view *v, uint32_t row)
{
	return ((const struct priv *)v->priv)->row[row].under == NO_ID && rows_under(change_of(v, row)) > 0;
}

/* --- what is shown --------------------------------------------------------------------------------- */

static const char *side_name(const char *word)
{
	const char *slash = strrchr(word, '/');

	return slash && slash[1] ? slash + 1 : word;
}

static void title(const struct view *v, struct text *t)
{
	const struct priv *p = v->priv;

	if (!v->n_words)
		text_add(t, "Edits since the fabric was loaded");
	else
		text_add(t, "Edits: %s → %s", v->n_words > 1 ? side_name(v->word[0]) : "what is loaded",
			 side_name(v->word[v->n_words - 1]));
	if (p->answer && !p->x)
		text_add(t, " ── %s", p->answer->e.msg);
	else if (!v->question)
		text_add(t, " ── no fabric is loaded");
	else if (p->x)
		text_add(t, " ── %zu%s", p->x->n, p->x->n && v->scene->fold ? " ── folded" : "");
}

/* Failures are no difference of fabrics, but the person may look for them here. */
static void tell_failures(const struct view *v, struct text *t)
{
	const struct state *s = v->scene->state;
	uint32_t links = 0, nodes = 0;

	for (uint32_t i = 0; s && i < s->n_links; i++)
		links += s->link_down[i];
	for (uint32_t i = 0; s && i < s->n_nodes; i++)
		nodes += s->node_down[i];
	if (v->n_words < 2 && links + nodes)
		text_add(t, "; what failed (%s, %s) is in the pane journal", PLURAL(links, "link"),
			 PLURAL(nodes, "node"));
}

static void footer(const struct view *v, struct text *t)
{
	const struct priv *p = v->priv;
	const struct ahead *ahead = p->ahead ? p->ahead->value : NULL;
	uint32_t row;

	if (v->waiting)
		view_progress(v, t);
	else if (p->x && !p->x->n) {
		text_add(t, "nothing differs%s",
			 p->x->a->warnings.missing || p->x->b->warnings.missing ? " in the part that is known"
										: "");
		tell_failures(v, t);
	}
	if (p->ahead && !ahead)
		text_add(t, "%s ── ", p->ahead->e.msg);
	else if (ahead && ahead->known)
		text_add(t, "as one event %s ── ", text_str(&ahead->line));
	if (!v->waiting && p->x && view_selected(v, &row))
		change_line(p->x, change_of(v, row), t);
}

static void port_cell(const struct fabric *f, uint32_t port, struct text *t)
{
	char name[300];

	text_add(t, "%s", port_label(f, port, name, sizeof(name)));
}

static const char *node_word(const struct fabric *f, uint32_t n)
{
	return node_is_switch(f, n) ? "switch" : f->node_type[n] == NODE_ROUTER ? "router" : "host";
}

static const char *what_word(const struct fabric_changes *x, const struct fabric_change *c)
{
	if (c->part)
		return c->chassis ? "chassis" : "card";
	if (c->kind == LID_CHANGED)
		return "LID";
	if (c->node_was != NO_ID)
		return node_word(x->a, c->node_was);
	return c->node_now != NO_ID ? node_word(x->b, c->node_now) : "cable";
}

/* A row under a change. */
static void under_cell(const struct fabric_changes *x, const struct fabric_change *c, uint32_t under,
		       unsigned col, struct text *t)
{
	const struct fabric *f = change_side(x, c);
	uint32_t port;

	if (col == C_NAME)
		text_add(t, "  ");
	if (c->kind == LINK_SWAPPED) {
		port_cell(x->a, col == C_NAME ? c->other[0] : col == C_WAS ? c->other[1] : c->was[1], t);
		return;
	}
	port = x->cable[c->first_cable + under];
	if (col == C_NAME)
		port_cell(f, port, t);
	else if ((col == C_NOW) == (f == x->b))
		port_cell(f, f->port_peer[port], t);
}

static void rate_cell(const struct fabric *f, const uint32_t end[2], const struct fabric *g,
		      const uint32_t other[2], struct text *t)
{
	unsigned i = 0;

	while (!i && f->port_width[end[i]] == g->port_width[other[i]] &&
	       f->port_speed[end[i]] == g->port_speed[other[i]])
		i++;
	text_add(t, "%s%s", link_width_name(f->port_width[end[i]]), link_speed_name(f->port_speed[end[i]]));
}

static void lid_cell(const struct fabric *f, uint32_t port, struct text *t)
{
	text_add(t, "%u", f->port_lid[port]);
	if (f->port_lmc[port])
		text_add(t, " lmc %u", f->port_lmc[port]);
}

static void name_cell(const struct fabric_changes *x, const struct fabric_change *c, struct text *t)
{
	if (c->part)
		text_add(t, "%s", c->part);
	else if (c->kind == LINK_REMOVED || c->kind == LINK_SWAPPED)
		port_cell(x->a, c->was[0], t);
	else if (c->now[0] != NO_ID)
		port_cell(x->b, c->now[0], t);
	else if (c->kind == NODE_REPLACED || c->node_now == NO_ID)
		text_add(t, "%s", x->a->node_name[c->node_was]);
	else
		text_add(t, "%s", x->b->node_name[c->node_now]);
	if (c->kind == LINK_RATE) {
		text_add(t, " -- ");
		port_cell(x->b, c->now[1], t);
	}
}

/* The number of what came or went with it. */
static void amount(const struct fabric_change *c, struct text *t)
{
	if (c->n_switches)
		text_add(t, "%s, ", PLURAL(c->n_switches, "switch"));
	text_add(t, "%s", PLURAL(c->n_cables, "cable"));
	if (c->n_hosts)
		text_add(t, ", %s", PLURAL(c->n_hosts, "host"));
}

/* was: before, not after. */
static void state_cell(const struct fabric_changes *x, const struct fabric_change *c, bool was,
		       struct text *t)
{
	const struct fabric *f = was ? x->a : x->b;

	switch (c->kind) {
	case PART_REMOVED:
	case PART_ADDED:
	case NODE_REMOVED:
	case NODE_ADDED:
		if (was == (change_side(x, c) == x->a))
			amount(c, t);
		break;
	case NODE_REPLACED:
		text_add(t, "0x%016" PRIx64, f->node_guid[was ? c->node_was : c->node_now]);
		break;
	case NODE_RENAMED:
		text_add(t, "%s", f->node_desc[was ? c->node_was : c->node_now]);
		break;
	case LINK_SWAPPED:
		port_cell(x->a, was ? c->was[1] : c->other[1], t);
		break;
	case LINK_RATE:
		rate_cell(f, was ? c->was : c->now, was ? x->b : x->a, was ? c->now : c->was, t);
		break;
	case LID_CHANGED:
		lid_cell(f, was ? c->was[0] : c->now[0], t);
		break;
	default:
		if ((was ? c->was : c->now)[1] != NO_ID)
			port_cell(f, (was ? c->was : c->now)[1], t);
	}
}

static void cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct priv *p = v->priv;
	const struct fabric_change *c = change_of(v, row);
	uint32_t under = p->row[row].under;

	if (col == C_CHANGE)
		text_add(t, "%s", c->unseen ? "unseen" : change_word[c->kind]);
	else if (col == C_WHAT)
		text_add(t, "%s", under == NO_ID ? what_word(p->x, c) : "cable");
	else if (under != NO_ID)
		under_cell(p->x, c, under, col, t);
	else if (col != C_NAME)
		state_cell(p->x, c, col == C_WAS, t);
	else {
		if (v->scene->fold && opens(v, row))
			text_add(t, view_is_open(v, key_of(p->x, c, NO_ID)) ? "- " : "+ ");
		name_cell(p->x, c, t);
	}
}

static unsigned marks(const struct view *v, uint32_t row)
{
	const struct fabric_change *c = change_of(v, row);

	return c->kind == PART_REMOVED || c->kind == NODE_REMOVED || c->kind == LINK_REMOVED ? MARK_DOWN
											     : MARK_CHANGED;
}

/* --- the object: in the fabric that is loaded ------------------------------------------------------ */

static bool is_port(const struct view *v, const struct fabric *f, uint32_t port, struct subject *s)
{
	uint32_t here = port == NO_ID ? NO_ID : fabric_port_in(v->scene->fabric, f, port);

	if (here != NO_ID)
		subject_port(v, here, s);
	return here != NO_ID;
}

static bool is_node(const struct view *v, const struct fabric *f, uint32_t node, struct subject *s)
{
	uint32_t here = node == NO_ID ? NO_ID : fabric_node_by_guid(v->scene->fabric, f->node_guid[node]);

	if (here != NO_ID)
		subject_node(v, here, s);
	return here != NO_ID;
}

/* The other end of a cable, where it was or is. */
static bool is_far(const struct view *v, const struct fabric_changes *x, const struct fabric_change *c,
		   uint32_t i, struct subject *s)
{
	const struct fabric *f = change_side(x, c);

	return is_port(v, f, f->port_peer[x->cable[c->first_cable + i]], s);
}

/* What came or went, or else where it was. */
static bool is_whole(const struct view *v, const struct fabric_changes *x, const struct fabric_change *c,
		     struct subject *s)
{
	const struct fabric *f = change_side(x, c);

	if (!c->part && is_node(v, f, f == x->a ? c->node_was : c->node_now, s))
		return true;
	for (uint32_t i = 0; i < c->n_switches; i++)
		if (is_node(v, f, x->node[c->first_node + i], s))
			return true;
	for (uint32_t i = 0; i < c->n_cables; i++)
		if (is_far(v, x, c, i, s))
			return true;
	return false;
}

static bool about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct priv *p = v->priv;
	const struct fabric_changes *x = p->x;
	const struct fabric_change *c = change_of(v, row);
	uint32_t under = p->row[row].under;

	s->key = key_of(x, c, under);
	if (!v->scene->fabric)
		return false;
	if (under != NO_ID && c->kind != LINK_SWAPPED)
		return is_port(v, change_side(x, c), x->cable[c->first_cable + under], s) ||
		       is_far(v, x, c, under, s);
	if (under != NO_ID)
		return is_port(v, x->a, c->other[0], s) || is_port(v, x->a, c->other[1], s);
	if (c->kind <= NODE_ADDED)
		return is_whole(v, x, c, s);
	return is_port(v, x->b, c->now[0], s) || is_port(v, x->a, c->was[0], s) ||
	       is_port(v, x->a, c->was[1], s) || is_port(v, x->b, c->now[1], s) ||
	       is_node(v, x->b, c->node_now, s) || is_node(v, x->a, c->node_was, s);
}

static void follow(const struct view *v, uint32_t row, struct text *t)
{
	struct subject s;

	if (view_subject(v, row, &s))
		view_fill(v, row, s.port != NO_ID ? "pane ports %port" : "pane ports %node", t);
}

const struct view_ops view_edits = {
	.name = "edits",
	.brief = "lists how two fabrics differ: nodes, cables, rates, names, LIDs; without a file: what "
		 "changed since the first one was loaded",
	.syntax = "[FILE [FILE]]",
	.hints = "follow=ports fold=fold back=back",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_PRESENT | VIEW_TIMELESS,
	.priv_size = sizeof(struct priv),
	DOES(load, opens, title, footer, cell, marks, about, follow),
};
