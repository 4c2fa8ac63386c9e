/* `step` of engines whose runs cannot be recorded: told line by line from the observer's reports. */
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"
#include "core/session/commands/steps.h"

struct listener {
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
static bool memory_for_more(struct listener *r)
{
	enum { AT_ONCE = 16384, BYTES = 512 };

	if (!r->failed && r->list->n % AT_ONCE == 0)
		r->failed = mem_room(r->e, (size_t)AT_ONCE * BYTES, "more than %zu steps", r->list->n) != 0;
	return !r->failed;
}

static void record(void *ctx, const struct step *st)
{
	struct listener *r = ctx;
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

int told_start(struct session *s, const struct rec_focus *focus, struct out *o, struct err *e)
{
	const struct sweep *w = need_routing(s, e);
	struct step_list *l = &o->run->in->steps;
	struct listener r = {.list = l, .w = w, .e = e};
	struct observer obs = {.step = record, .ctx = &r, .sw = focus->sw, .lid = focus->lid};

	if (!w)
		return -1;
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
void told_print(struct step_list *l, size_t n, struct out *o)
{
	l->from = l->at;
	for (; n && l->at < l->n; n--, l->at++)
		out_text(o, "%6zu %s\n", l->at + 1, l->line[l->at]);
	if (l->at >= l->n)
		out_text(o, "The run is over: %s.\n", PLURAL(l->n, "step"));
}

/* A page that ends where those shown last began; the first page where there is none before. */
void told_back(struct step_list *l, struct out *o)
{
	size_t n = l->from && l->from < STEP_PAGE ? l->from : STEP_PAGE;

	l->at = l->from > STEP_PAGE ? l->from - STEP_PAGE : 0;
	told_print(l, n, o);
}

static int print_found(struct step_list *l, const char *what, struct out *o, struct err *e)
{
	for (size_t i = l->at; i < l->n; i++)
		if (strcasestr(l->line[i], what)) {
			l->at = i;
			told_print(l, 1, o);
			return 0;
		}
	return err_set(e, "no step from %zu on contains \"%s\"", l->at + 1, what);
}

/* The next step that contains the words, one blank between them. */
int told_find(struct step_list *l, int n, char **words, struct out *o, struct err *e)
{
	struct text t = {0};
	int rc;

	for (int i = 0; i < n; i++)
		text_add(&t, "%s%s", i ? " " : "", words[i]);
	rc = print_found(l, text_str(&t), o, e);
	text_free(&t);
	return rc;
}
