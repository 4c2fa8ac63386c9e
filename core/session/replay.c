/* The command lines that lead to a session's state, and what a step is about. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/builtin.h"
#include "core/base/clean.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/names.h"
#include "core/formats/counters.h"
#include "core/session/replay.h"
#include "core/sm/script.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"

/* The absolute form of a path. */
static void replay_put_path(struct text *t, const char *path)
{
	AUTO_FREE char *whole = realpath(path, NULL);

	word_append(t, whole ? whole : path);
}

static void replay_put_option(struct text *t, const struct options *o, const struct optdef *d)
{
	if (!options_is_set(o, d->name)) {
		text_add(t, "unset %s\n", d->name);
		return;
	}
	text_add(t, "set %s", d->name);
	if (d->type == OPT_FILE && !options_has_list(o, d->name))
		replay_put_path(t, options_get(o, d->name));
	else /* several names are one word here: blanks separate them in both forms */
		word_append(t, options_get(o, d->name));
	text_add(t, "\n");
}

/* Options of b that differ from a (NULL: the defaults).  Returns their number. */
static unsigned replay_put_options(struct text *t, const struct options *a, const struct options *b,
				   bool lists)
{
	unsigned n = 0;

	for (size_t i = 0; i < options_count(b); i++) {
		const struct optdef *d = options_at(b, i);
		bool same = a ? !strcmp(options_get(a, d->name), options_get(b, d->name))
			      : !options_is_set(b, d->name);

		if (same || options_has_list(b, d->name) != lists)
			continue;
		replay_put_option(t, b, d);
		n++;
	}
	return n;
}

void replay_options(struct text *t, const struct options *a, const struct options *b)
{
	replay_put_options(t, a, b, false);
	replay_put_options(t, a, b, true);
}

static void put_lost(struct replay *r, const char *what, const char *event, const char *why)
{
	text_add(&r->lost, "%s", what);
	clean_line(&r->lost, event);
	text_add(&r->lost, "%s", why);
}

/* An event that cannot be done again is a comment.  A name with an end of line must not become a command. */
static void put_undone(struct replay *r, const char *event, const char *why)
{
	text_add(&r->script, "# ");
	clean_line(&r->script, event);
	put_lost(r, "`", event, why);
}

/* `route script:PROGRAM ...`, with the absolute path of a program that is not found by name in PATH. */
static void put_script(struct text *t, const char *program)
{
	const char *rest;
	char **argv;
	int argc;

	if (words_split(program, &rest, &argc, &argv, NULL))
		return;
	char *path = strchr(argv[0], '/') ? realpath(argv[0], NULL) : NULL;
	char *word = str_printf(SCRIPT_PREFIX "%s", path ? path : argv[0]);
	text_add(t, "route");
	word_append(t, word);
	for (int i = 1; i < argc; i++)
		word_append(t, argv[i]);
	text_add(t, "\n");
	FREE_EACH(path, word);
	words_free(argc, argv);
}

/* Writes the command of an event. Tables that were read live cannot be restored by a script. */
static void put_change(struct replay *r, const struct event *ev, const struct event *before)
{
	const char *text = ev->text;
	char *file;

	if (!before->setup->chain) { /* options set since then made no event */
		replay_options(&r->script, before->setup->options, ev->setup->options);
	}
	if (ev->kind == EVENT_SET || !strncmp(text, "set ", 4) || !strncmp(text, "unset ", 6)) {
		if (!replay_put_options(&r->script, before->setup->options, ev->setup->options, false))
			replay_put_options(&r->script, before->setup->options, ev->setup->options, true);
	} else if ((!strncmp(text, "tables live", 11) && strchr(" ", text[11])) ||
		   !strncmp(text, "route live", 10)) {
		put_undone(r, text, "`: what the switches held then (`export lfts FILE` keeps tables).\n");
		text_add(&r->script, "\n");
	} else if (!strncmp(text, "tables ", 7)) {
		file = str_dup(text + 7);
		text_add(&r->script, "tables");
		replay_put_path(&r->script, file);
		text_add(&r->script, "\n");
		free(file);
	} else if (ev->kind == EVENT_ROUTE && !strcmp(ev->setup->chain, SCRIPT_ENGINE) &&
		   strstr(text, SCRIPT_PREFIX)) {
		put_script(&r->script, ev->setup->program);
	} else if (ev->kind == EVENT_EDIT && !strncmp(text, "load ", 5)) {
		file = str_printf("%.*s", (int)(strlen(text) - strlen("load  next")), text + 5);
		text_add(&r->script, "load");
		replay_put_path(&r->script, file);
		text_add(&r->script, " next\n");
		free(file);
	} else {
		text_add(&r->script, "%s\n", text);
	}
}

static void put_snapshots(struct replay *r, const struct session *s, const struct sweep *w, bool *kept)
{
	for (size_t i = 0; w && i < s->n_snapshots; i++) {
		if (kept[i] || s->snapshot[i].sweep != w)
			continue;
		kept[i] = true;
		text_add(&r->script, "snapshot");
		word_append(&r->script, s->snapshot[i].name);
		text_add(&r->script, "\n");
	}
}

/* The last event that brought a fabric. `undo` does not go back past it. */
static size_t first_event(const struct session *s)
{
	size_t at = s->n_events - 1;

	while (at && s->event[at].kind != EVENT_LOAD)
		at--;
	return at;
}

/* Is it the event of tables that `load` found with the fabric? `load` makes it again. */
static bool comes_with_load(const struct event *load, const struct event *ev)
{
	return load->kind == EVENT_LOAD && !load->setup->chain && fabric_switch_tables(load->setup->fabric) &&
	       !strcmp(ev->text, "route tables,no_fallback");
}

static void put_events(struct replay *r, const struct session *s, const char *fabric)
{
	struct builtin in_program;
	AUTO_FREE bool *kept = NEW_ARRAY(s->n_snapshots + 1, bool);
	size_t first = first_event(s);
	const struct setup *begin = s->event[first].setup;

	if (first) {
		put_lost(r, "Events before `", s->event[first].text, "`");
		text_add(&r->lost, ": %zu.\n", first);
	}
	replay_put_options(&r->script, NULL, begin->options, false);
	/* The command that got the fabric, from a file or synthetic. */
	if (!strncmp(s->event[first].text, "synth ", 6)) {
		text_add(&r->script, "synth");
		word_append(&r->script, s->event[first].text + 6);
	} else if (!strncmp(s->event[first].text, "load ", 5) && !access(s->event[first].text + 5, R_OK)) {
		text_add(&r->script, "load");
		replay_put_path(&r->script, s->event[first].text + 5);
	} else if (!strncmp(s->event[first].text, "load ", 5) &&
		   builtin_find(builtin_fabric(s->event[first].text + 5), &in_program)) {
		text_add(&r->script, "%s", s->event[first].text);
	} else if (fabric) {
		text_add(&r->script, "load");
		word_append(&r->script, fabric);
		r->needs_fabric = true;
		put_lost(r, "`", s->event[first].text, "` cannot be done again: the fabric is in ");
		put_lost(r, "", fabric, ", without tables read with it.\n");
	} else {
		put_undone(r, s->event[first].text, "` cannot be done again.\n");
	}
	text_add(&r->script, "\n");
	replay_put_options(&r->script, NULL, begin->options, true);
	if (begin->scope && *begin->scope->words)
		text_add(&r->script, "scope %s\n", begin->scope->words);
	if (begin->chain && !strcmp(begin->chain, SCRIPT_ENGINE) && begin->program)
		put_script(&r->script, begin->program);
	else if (begin->chain) /* in force when the fabric came */
		text_add(&r->script, "route %s\n", begin->chain);
	if (begin->chain)
		text_add(&r->script, "reset\n");
	put_snapshots(r, s, s->event[first].sweep, kept);
	for (size_t i = first + 1; i < s->n_events; i++) {
		if (!comes_with_load(&s->event[i - 1], &s->event[i]))
			put_change(r, &s->event[i], &s->event[i - 1]);
		put_snapshots(r, s, s->event[i].sweep, kept);
	}
	for (size_t i = s->at; i + 1 < s->n_events; i++)
		text_add(&r->script, "undo\n");
	replay_options(&r->script, s->event[s->at].setup->options, s->setup->options);
	for (size_t i = 0; i < s->n_snapshots; i++)
		if (!kept[i])
			put_lost(r, "Snapshot \"", s->snapshot[i].name,
				 "\": it is of no event of this journal.\n");
}

/* Readings of counters, the older one first: files are read again. */
static void put_counted(struct replay *r, const struct session *s, char *const path[2])
{
	AUTO_TEXT struct text files = {0};

	for (unsigned i = 2; i-- > 0;) {
		const struct counter_reading *c = s->counted[i];

		if (c && c->beside) /* the fabric brings it */
			continue;
		if (c && c->source && !access(c->source, R_OK)) {
			replay_put_path(&files, c->source);
		} else if (c && !c->source && path) {
			word_append(&files, path[i]);
			r->needs_counted = true;
		} else if (c) {
			put_lost(r, "A reading of counters: ", c->source ? c->source : "live", ".\n");
		}
	}
	if (files.len)
		text_add(&r->script, "counters all %s\n", text_str(&files));
}

void replay_make(struct replay *r, const struct session *s, const char *fabric, const char *names,
		 char *const counted[2])
{
	assert(s->fabric);
	*r = (struct replay){.needs_names = s->names && names};
	if (r->needs_names) {
		text_add(&r->script, "names");
		word_append(&r->script, names);
		text_add(&r->script, "\n");
	} else if (s->names) {
		text_add(&r->lost, "Names that `names` or --node-name-map gave.\n");
	}
	put_events(r, s, fabric);
	put_counted(r, s, counted);
}

void replay_free(struct replay *r)
{
	text_free(&r->script);
	text_free(&r->lost);
}

/* --- changes ------------------------------------------------------------------------------------- */

static char *text_taken(struct text *t)
{
	return t->s ? t->s : str_dup("");
}

static void add_change(const struct recording *r, struct step_about *a, size_t *cap,
		       const struct rec_delta *d)
{
	struct text where = {0}, was = {0}, now = {0};

	if (a->all_changes++ >= ABOUT_CHANGES)
		return;
	recording_cell(r, d->table, d->at, &where);
	recording_value(r, d->table, d->at, d->was, &was);
	recording_value(r, d->table, d->at, d->now, &now);
	GROW(a->change, a->n_changes, *cap);
	a->change[a->n_changes++] = (struct about_change){.table = d->table,
							  .at = d->at,
							  .was = d->was,
							  .now = d->now,
							  .where = text_taken(&where),
							  .was_text = text_taken(&was),
							  .now_text = text_taken(&now)};
}

/* --- what it was chosen from --------------------------------------------------------------------- */

struct asking {
	const struct recording *r;
	const struct rec_event *ev;
	struct step_about *a;
};

static void copy_candidate(const struct fabric *f, const struct rec_choice *c, const struct rec_offer *o,
			   struct about_candidate *to)
{
	uint32_t from = rec_elsewhere(f, c, o);

	to->port = o->port;
	to->peer = o->peer;
	to->chip = from;
	to->taken = o->port == c->port && from == NO_ID;
	to->to = str_dup(o->peer == NO_ID ? "" : PORT_LABEL(f, o->peer));
	to->from = from == NO_ID ? NULL : str_dup(PORT_LABEL(f, from));
	memcpy(to->q, o->q, sizeof(to->q));
}

/* Is the entry decided again after the step? */
static bool decided_again(const struct recording *r, size_t step)
{
	const struct rec_event *me = recording_event(r, step);

	for (size_t i = step + 1; i <= recording_steps(r); i++) {
		const struct rec_event *ev = recording_event(r, i);

		if (rec_decides(ev) && ev->a == me->a && ev->b == me->b)
			return true;
	}
	return false;
}

/* The last decision about an entry, in the words of `why`. */
static int step_about_ask_entry(struct asking *x, const struct engine *const *engines, struct progress *p,
				struct err *e)
{
	const struct fabric *f = recording_sweep(x->r)->fabric;
	struct rec_choice *c;

	x->a->asked = str_printf("candidates for LID %u on %s%s", x->ev->b, switch_name(f, x->ev->a),
				 decided_again(x->r, x->a->step) ? ", which is decided again later" : "");
	if (recording_choice(x->r, x->a->step, engines, &c, p, e))
		return -1;
	if (c) {
		/* Takes over what an engine reports about a choice. */
		x->a->n_quantities = c->n_quantities;
		for (unsigned q = 0; q < c->n_quantities; q++)
			x->a->quantity[q] = c->quantity[q];
		x->a->candidate = NEW_ARRAY(c->n_offers + 1u, struct about_candidate);
		for (unsigned i = 0; i < c->n_offers; i++)
			copy_candidate(f, c, &c->offer[i], &x->a->candidate[x->a->n_candidates++]);
		if (c->decided.rule)
			x->a->told = str_printf("%s: %s", why_rule_name(c->decided.rule),
						text_str(&c->decided.text));
		else
			x->a->told = str_dup(text_str(&c->text));
	}
	rec_choice_free(c);
	return 0;
}

/* LIDs for a pair of switches. If layers depend on LIDs: a LID of a host on a, and the changed LID. */
static void pair_lids(const struct asking *x, uint32_t a, uint32_t b, unsigned *from, unsigned *to)
{
	const struct sweep *s = recording_sweep(x->r);
	const struct fabric *f = s->fabric;

	*from = s->lids->base[f->port_endport[f->switch_port[a]]];
	*to = s->lids->base[f->port_endport[f->switch_port[b]]];
	if (!s->routing->ops->sl_by_source)
		return;
	for (uint32_t ep = f->n_endports; ep-- > 0;)
		if (s->topo->endport_switch[ep] == a && !endport_is_switch(f, ep) && s->lids->base[ep])
			*from = s->lids->base[ep];
	if (x->a->n_changes && x->a->change[0].table == T_LAYER)
		*to = x->a->change[0].at % (s->lids->max_lid + 1u);
}

/* A pair of switches: the engine's final word on its layer. */
static void ask_pair(const struct asking *x, struct progress *p)
{
	const struct sweep *s = recording_sweep(x->r);
	const struct fabric *f = s->fabric;
	uint32_t a = x->ev->a / f->n_switches, b = x->ev->a % f->n_switches;
	unsigned from, to;
	struct text t = {0};

	if (!s->routing || strcmp(s->routing->engine, recording_engine(x->r)) != 0 ||
	    !s->routing->ops->explain_pair)
		return;
	pair_lids(x, a, b, &from, &to);
	if (!from || !to)
		return;
	x->a->asked = str_printf("the layer of %s, %s in the end", switch_name(f, a), switch_name(f, b));
	s->routing->ops->explain_pair(s->routing, from, to, &t, p);
	free(x->a->told);
	x->a->told = text_taken(&t);
}

static int step_about_ask(const struct recording *r, struct walk *w, struct step_about *a,
			  const struct engine *const *engines, struct progress *p, struct err *e)
{
	const struct rec_event *ev = walk_event(w);
	struct asking x = {.r = r, .ev = ev, .a = a};

	if (rec_decides(ev))
		return step_about_ask_entry(&x, engines, p, e);
	if (rec_kinds[ev->kind].a == FIELD_PAIR)
		ask_pair(&x, p);
	return progress_cancelled(p) ? err_set(e, CANCELLED) : 0;
}

/* --- all of it -------------------------------------------------------------------------------------- */

struct step_about *step_about(const struct recording *r, size_t step, const struct engine *const *engines,
			      struct progress *p, struct err *e)
{
	assert(step <= recording_steps(r));
	if (mem_room(e, walk_room(r), "tables of a walk"))
		return NULL;
	struct walk *w = walk_new(r);
	struct step_about *a = NEW(struct step_about);
	a->step = step;
	int rc = walk_to(w, step, p) ? err_set(e, CANCELLED) : 0;
	if (!rc) {
		const struct rec_event *ev = walk_event(w);
		struct text t = {0};
		uint32_t cursor = 0;
		size_t cap = 0;
		struct rec_delta d;

		a->of = recording_steps(r);
		a->engine = recording_engine(r);
		a->phase = str_dup(walk_phase(w));
		a->part = str_dup(recording_part(r));
		a->kind = ev ? rec_kinds[ev->kind].name : "";
		a->rule = ev ? recording_rule(r, ev) : "";
		a->source = ev ? recording_source(r, ev) : "";
		walk_sentence(w, &t);
		a->sentence = text_taken(&t);
		while (walk_next_delta(w, &cursor, &d))
			add_change(walk_recording(w), a, &cap, &d);
	}
	if (!rc && step && engines)
		rc = step_about_ask(r, w, a, engines, p, e);
	walk_free(w);
	if (!rc && !a->told)
		a->told = str_dup("");
	if (!rc)
		return a;
	step_about_free(a);
	return NULL;
}

void step_about_free(struct step_about *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n_changes; i++)
		FREE_EACH(a->change[i].where, a->change[i].was_text, a->change[i].now_text);
	for (size_t i = 0; i < a->n_candidates; i++)
		FREE_EACH(a->candidate[i].to, a->candidate[i].from);
	FREE_EACH(a->change, a->candidate, a->told, a->phase, a->sentence, a->part, a->asked, a);
}
