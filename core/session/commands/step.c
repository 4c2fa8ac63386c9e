/* `step`: an engine's run, told step by step from the observer's reports. */
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"

#define PAGE 15

struct recorder {
	struct step_list *list;
	const struct sweep *w;
	bool failed; /* for want of memory, as *e tells */
	struct err *e;
};

void step_list_clear(struct step_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->line[i]);
	free(l->line);
	*l = (struct step_list){0};
}

/* Which quantity tells of the choice: the second where it applies, else the last that does; -1 = none. */
static int telling_quantity(const struct step *st, const struct step_candidate *c)
{
	int last = -1;

	for (unsigned q = 0; q < st->n_quantities; q++)
		if (c->q[q] != INT64_MIN)
			last = (int)q;
	return st->n_quantities > 1 && c->q[1] != INT64_MIN ? 1 : last;
}

/*
 * Candidates on the switch itself as "20:16 >21:15 22:17": port and what was
 * compared.  Those that compare by something else than the one taken are left out.
 */
static void add_candidates(struct text *t, const struct fabric *f, const struct step *st)
{
	const struct step_candidate *first = NULL;
	int q;

	for (unsigned i = 0; i < st->n_candidates; i++) {
		const struct step_candidate *c = &st->candidate[i];

		if (candidate_elsewhere(f, st, c) == NO_ID && (!first || c->port == st->port))
			first = c;
	}
	q = first ? telling_quantity(st, first) : -1;
	if (q < 0)
		return;
	text_add(t, "  [port:%s", st->quantity[q]);
	for (unsigned i = 0; i < st->n_candidates; i++) {
		const struct step_candidate *c = &st->candidate[i];

		if (c->q[q] != INT64_MIN && candidate_elsewhere(f, st, c) == NO_ID)
			text_add(t, " %s%u:%ld", c->port == st->port ? ">" : "", c->port, c->q[q]);
	}
	text_add(t, "]");
}

static void add_choice(struct text *t, const struct sweep *w, const struct step *st)
{
	uint32_t owner = lid_owner(w->lids, st->lid);
	char name[300] = "nobody";

	if (owner != NO_ID)
		endport_label(w->fabric, owner, name, sizeof(name));
	text_add(t, "  %s LID %u (%s) -> ", switch_name(w->fabric, st->sw), st->lid, name);
	if (st->port == NO_PATH)
		text_add(t, "no port");
	else
		text_add(t, "port %u", st->port);
	text_add(t, ": %s", st->text && *st->text ? st->text : st->rule ? st->rule : "");
	add_candidates(t, w->fabric, st);
}

/* Asked for so many at a time. */
static bool memory_for_more(struct recorder *r)
{
	enum { AT_ONCE = 16384, BYTES = 512 };

	if (!r->failed && r->list->n % AT_ONCE == 0)
		r->failed = mem_room(r->e, (size_t)AT_ONCE * BYTES, "more than %zu steps", r->list->n) != 0;
	return !r->failed;
}

static void record(void *ctx, const struct step *st)
{
	struct recorder *r = ctx;
	struct step_list *l = r->list;
	const struct fabric *f = r->w->fabric;
	struct text t = {0};

	if (l->n >= MOST_STEPS || !memory_for_more(r)) {
		l->cut = true;
		return;
	}
	switch (st->kind) {
	case STEP_PHASE:
		text_add(&t, "== %s", st->text);
		break;
	case STEP_CHOICE:
		add_choice(&t, r->w, st);
		break;
	case STEP_PAIR:
		text_add(&t, "  %s - %s: ", st->sw == NO_ID ? "?" : switch_name(f, st->sw),
			 st->sw2 == NO_ID ? "?" : switch_name(f, st->sw2));
		text_add(&t, "%s", st->text ? st->text : "");
		break;
	default:
		if (st->sw != NO_ID)
			text_add(&t, "  %s: ", switch_name(f, st->sw));
		else
			text_add(&t, "  ");
		text_add(&t, "%s", st->text ? st->text : "");
	}
	GROW(l->line, l->n, l->cap);
	l->line[l->n++] = t.s ? t.s : str_dup("");
}

/* Record a run from the start: all of it, one switch, or one entry of one switch. */
static int start_steps(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	const struct sweep *w = need_routing(s, e);
	struct step_list *l = &o->run->in->steps;
	struct recorder r = {.list = l, .w = w, .e = e};
	struct observer obs = {.step = record, .ctx = &r, .sw = NO_ID};
	unsigned lid = 0;
	uint32_t node;

	if (!w)
		return -1;
	if (argc > 0) {
		node = session_node(s, argv[0], e);
		if (node == NO_ID)
			return -1;
		if (!node_is_switch(s->fabric, node))
			return err_set(e, "%s is no switch; expected: step start [SWITCH [DST]]",
				       s->fabric->node_name[node]);
		obs.sw = s->fabric->node_switch[node];
	}
	if (argc > 1 && session_endport(s, argv[1], &lid, e) == NO_ID)
		return -1;
	obs.lid = lid;
	step_list_clear(l);
	l->generation = s->generation;
	if (sweep_observe(w, s->engines, &obs, o->run->progress, e))
		return -1;
	if (r.failed) {
		step_list_clear(l);
		return -1;
	}
	out_text(o, "%s of %s recorded%s; `step` walks through them, `step find TEXT` jumps.\n",
		 PLURAL(l->n, "step"), w->routing->engine,
		 l->cut ? " (more were left out: name a switch)" : "");
	out_json(o, "steps", json_integer((json_int_t)l->n));
	return 0;
}

/* The next n; they are those that were shown last. */
static void print_steps(struct step_list *l, size_t n, struct out *o)
{
	l->from = l->at;
	for (; n && l->at < l->n; n--, l->at++)
		out_text(o, "%6zu %s\n", l->at + 1, l->line[l->at]);
	if (l->at >= l->n)
		out_text(o, "The run is over: %s.\n", PLURAL(l->n, "step"));
}

/* A page that ends where those shown last began; the first page where there is none before. */
static void print_back(struct step_list *l, struct out *o)
{
	size_t n = l->from && l->from < PAGE ? l->from : PAGE;

	l->at = l->from > PAGE ? l->from - PAGE : 0;
	print_steps(l, n, o);
}

static int print_found(struct step_list *l, const char *what, struct out *o, struct err *e)
{
	for (size_t i = l->at; i < l->n; i++)
		if (strcasestr(l->line[i], what)) {
			l->at = i;
			print_steps(l, 1, o);
			return 0;
		}
	return err_set(e, "no step from %zu on contains \"%s\"", l->at + 1, what);
}

/* The next step that contains the words, one blank between them. */
static int find_step(struct step_list *l, int n, char **words, struct out *o, struct err *e)
{
	struct text t = {0};
	int rc;

	for (int i = 0; i < n; i++)
		text_add(&t, "%s%s", i ? " " : "", words[i]);
	rc = print_found(l, text_str(&t), o, e);
	text_free(&t);
	return rc;
}

static int cmd_step(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	const char *what = argc > 1 ? argv[1] : "next";
	struct step_list *l = &o->run->in->steps;
	char *end;
	size_t n = PAGE;

	if (l->generation != s->generation) /* another run now */
		step_list_clear(l);
	if (!strcmp(what, "start") && argc <= 4)
		return start_steps(s, argc - 2, argv + 2, o, e);
	if (!l->n && start_steps(s, 0, NULL, o, e))
		return -1;
	if (!strcmp(what, "find") && argc >= 3)
		return find_step(l, argc - 2, argv + 2, o, e);
	if (!strcmp(what, "back") && argc == 2) {
		print_back(l, o);
		return 0;
	}
	if (!strcmp(what, "all") && argc == 2) {
		n = l->n;
		l->at = 0;
	} else if (strcmp(what, "next")) {
		n = strtoul(what, &end, 10);
		if (*end || !n || argc > 2)
			return usage(s, "step", e);
	}
	print_steps(l, n, o);
	return 0;
}

const struct command step_commands[] = {
	{.name = "step",
	 .syntax = "step [N | next|back|all | find TEXT... | start [SWITCH [DST]]]",
	 .help = "walk through the run of the engine in force",
	 .details = "  `step start` records the run (of one switch, or one entry of it); `step` shows the "
		    "next 15 "
		    "steps, `step 1` one.\n",
	 .json = "steps integer? steps that were recorded\n",
	 .run = cmd_step},
	{.name = NULL},
};
