#include "core/session/replay.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/base/builtin.h"
#include "core/base/clean.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/formats/counters.h"
#include "core/sm/script.h"

/* The absolute form of a path. */
static void replay_put_path(struct text *t, const char *path)
{
	char *whole = realpath(path, NULL);

	word_append(t, whole ? whole : path);
	free(whole);
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

/* `route script:PROGRAM ...`, with the absolute path of a program that is no name in PATH. */
static void put_script(struct text *t, const char *program)
{
	const char *rest;
	char **argv, *path, *word;
	int argc;

	if (words_split(program, &rest, &argc, &argv, NULL))
		return;
	path = strchr(argv[0], '/') ? realpath(argv[0], NULL) : NULL;
	word = str_printf(SCRIPT_PREFIX "%s", path ? path : argv[0]);
	text_add(t, "route");
	word_append(t, word);
	for (int i = 1; i < argc; i++)
		word_append(t, argv[i]);
	text_add(t, "\n");
	free(path);
	free(word);
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
	bool *kept = NEW_ARRAY(s->n_snapshots + 1, bool);
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
	free(kept);
}

/* Readings of counters, the older one first: files are read again. */
static void put_counted(struct replay *r, const struct session *s, char *const path[2])
{
	struct text files = {0};

	for (unsigned i = 2; i-- > 0;) {
		const struct counter_reading *c = s->counted[i];

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
	text_free(&files);
}

void replay_make(struct replay *r, const struct session *s, const char *fabric, const char *names,
		 char *const counted[2])
{
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
