/* From a line to its command: the table of all commands, words resolved, runs nested. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clean.h"
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/permit.h"
#include "core/base/program.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/routing/json_names.h"
#include "core/session/command.h"
#include "core/session/commands/commands.h"
#include "core/session/help.h"
#include "core/session/interpreter.h"
#include "core/session/reading.h"
#include "core/session/syntax.h"
#include "core/trace/walk.h"

/* --- finding --------------------------------------------------------------- */

static const struct command *command_next(const struct session *s, size_t *table, size_t *i)
{
	for (; s->commands[*table]; (*table)++, *i = 0)
		if (s->commands[*table][*i].name)
			return &s->commands[*table][(*i)++];
	return NULL;
}

/* Words of other programs that do the same here. */
static const struct {
	const char *word, *command;
} aliases[] = {{"exit", "quit"}, {"q", "quit"}, {"colors", "colours"}};

static const char *alias_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
		if (!strcmp(aliases[i].word, word))
			return aliases[i].command;
	return word;
}

static const struct command *find_whole(const struct session *s, const char *name)
{
	const struct command *c;
	size_t t = 0, i = 0;

	while ((c = command_next(s, &t, &i)))
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

/* The i-th pane that the command `list` knows (NULL: no such command); returns false when there are no
 * more. */
static bool next_pane(const struct command *list, size_t i, struct subcommand *pane)
{
	return list && list->subcommand && list->subcommand(i, pane);
}

const struct command *command_of_pane(const struct session *s, const char *name)
{
	const struct command *list = find_whole(s, "list");
	struct subcommand pane;

	if (find_whole(s, alias_of(name)))
		return NULL;
	for (size_t i = 0; next_pane(list, i, &pane); i++)
		if (!strcmp(pane.name, name))
			return s->on_screen ? find_whole(s, "pane") : list;
	return NULL;
}

/* --- what may be meant --------------------------------------------------------- */

struct nearest {
	const struct help_words *words;
	const char *word, *best;
	unsigned edits;
	struct text also; /* commands and panes for which the word stands elsewhere */
	unsigned n;
};

static void take_nearest(struct nearest *n, const char *name)
{
	unsigned edits = word_edits(n->word, name);

	if (edits < n->edits) {
		n->edits = edits;
		n->best = name;
	}
	if (words_have(help_also(n->words, name), n->word))
		text_add(&n->also, "%s`%s`", n->n++ ? ", " : "", name);
}

static void command_tell_unknown(const struct session *s, const char *word, struct err *e)
{
	const struct command *list = find_whole(s, "list");
	/* a third of the letters may be wrong */
	struct nearest n = {.words = s->words, .word = word, .edits = (unsigned)strlen(word) / 3 + 1};
	const struct command *c;
	struct subcommand pane;
	size_t t = 0, i = 0;

	while ((c = command_next(s, &t, &i)))
		take_nearest(&n, c->name);
	for (i = 0; next_pane(list, i, &pane); i++)
		if (!find_whole(s, pane.name))
			take_nearest(&n, pane.name);
	if (n.n)
		err_set(e, "unknown command \"%s\"; see %s; `help` lists all", word, n.also.s);
	else if (n.best)
		err_set(e, "unknown command \"%s\"; is `%s` meant? `help` lists all", word, n.best);
	else
		err_set(e, "unknown command \"%s\"; `help` lists them", word);
	text_free(&n.also);
}

const struct command *command_find(const struct session *s, const char *name, struct err *e)
{
	const struct command *c = find_whole(s, alias_of(name)), *found = NULL;
	AUTO_TEXT struct text names = {0};
	size_t len = strlen(name), n = 0, t = 0, i = 0;

	if (c)
		return c;
	while ((c = command_next(s, &t, &i))) {
		if (!strncmp(c->name, name, len)) {
			text_add(&names, "%s%s", n++ ? ", " : "", c->name);
			found = c;
		}
	}
	if (n == 0)
		command_tell_unknown(s, name, e);
	else if (n > 1)
		err_set(e, "\"%s\" may be %s", name, text_str(&names));
	return n == 1 ? found : NULL;
}

void step_stops_clear(struct interpreter *in)
{
	for (size_t i = 0; i < in->n_stops; i++)
		free(in->stop_at[i]);
	free(in->stop_at);
	in->stop_at = NULL;
	in->n_stops = in->cap_stops = 0;
}

void interpreter_free(struct interpreter *in)
{
	step_stops_clear(in);
}

/* --- splitting ------------------------------------------------------------------------- */

/* A colon before a command is accepted: the explorer's keys write one. */
static const char *skip_colon(const char *text)
{
	text = words_skip(text);
	return *text == ':' ? words_skip(text + 1) : text;
}

/* The command at the beginning of a text; *pane: a pane's name stands there. NULL and *e: none. */
static const struct command *first_command(const struct session *s, const char *text, bool *pane,
					   struct err *e)
{
	AUTO_FREE char *name = NULL;

	if (words_take(&text, &name, e))
		return NULL;
	const struct command *c = command_of_pane(s, name);
	*pane = c != NULL;
	if (!c && !help_tell_instead(s, name, text, e))
		c = command_find(s, name, e);
	return c;
}

/* Takes the words of the command at the beginning of a text; *rest is what follows. -1 and c->why. */
static int interpreter_take_words(const struct session *s, const char *from, const char **rest,
				  struct progress *p, struct command_words *c)
{
	bool pane;

	c->command = first_command(s, from, &pane, &c->why);
	if (!c->command)
		return -1;
	/* "list PANE ..." without its name begins as the text does */
	const char *syntax = c->command->syntax + (pane ? strcspn(c->command->syntax, " ") + 1 : 0);
	struct words_read w;
	if (command_read(s->fabric, syntax, from, &w, p, &c->why))
		return -1;
	*rest = w.rest;
	c->argc = w.argc;
	c->argv = w.argv;
	if (pane) { /* the command's name goes before the words */
		c->argv = mem_resize(c->argv, (size_t)c->argc + 2, sizeof(*c->argv));
		memmove(c->argv + 1, c->argv, (size_t)(c->argc + 1) * sizeof(*c->argv));
		c->argv[0] = str_dup(c->command->name);
		c->argc++;
	}
	return 0;
}

/* Takes the next command. *text moves past it, NULL at the end. False: there is none. */
static bool interpreter_next_command(const struct session *s, const char **text, struct progress *p,
				     struct command_words *c)
{
	while (*text) {
		const char *from = skip_colon(*text);

		*c = (struct command_words){.text = *text};
		*text = *from == ';' ? from + 1 : NULL;
		if (words_end(from))
			continue;
		if (interpreter_take_words(s, from, text, p, c)) {
			*text = NULL;
			c->command = NULL;
			/* A command that cannot be split keeps its first word as a name. */
			c->argc = 1;
			c->argv = NEW_ARRAY(2, char *);
			c->argv[0] = str_printf("%.*s", (int)strcspn(from, " \t\n;"), from);
		}
		return true;
	}
	return false;
}

struct command_list *commands_split(const struct session *s, const char *text)
{
	struct command_list *l = NEW(struct command_list);
	struct command_words c;
	size_t cap = 0;

	l->text = str_dup(text);
	l->fabric = s->fabric ? fabric_ref(s->fabric) : NULL;
	const char *p = strlen(text) > SPLIT_AHEAD_MOST ? NULL : l->text;
	while (interpreter_next_command(s, &p, NULL, &c)) {
		GROW(l->command, l->n, cap);
		l->command[l->n++] = c;
	}
	return l;
}

char *commands_kept(const struct command_list *l)
{
	bool same = true;
	struct text t = {0};

	for (size_t i = 0; i < l->n; i++)
		for (int k = 0; k < l->command[i].argc; k++)
			same &= !strchr(l->command[i].argv[k], ';');
	if (same)
		return str_dup(l->text);
	for (size_t i = 0; i < l->n && l->command[i].command; i++) {
		text_add(&t, "%s", i ? ";" : "");
		for (int k = 0; k < l->command[i].argc; k++)
			word_append(&t, l->command[i].argv[k]);
	}
	if (l->n && !l->command[l->n - 1].command) /* it cannot be split */
		text_add(&t, ";%s", l->command[l->n - 1].text);
	return t.s ? t.s : str_dup(l->text);
}

void commands_free(struct command_list *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++)
		words_free(l->command[i].argc, l->command[i].argv);
	FREE_EACH(l->command, l->text);
	fabric_unref(l->fabric);
	free(l);
}

/* --- running --------------------------------------------------------------------------- */

/* May it do what its mark says, and read or write the files among its words? */
static int command_permitted(const struct session *s, const struct command_words *c, struct err *e)
{
	const bool to_lesson = writes_output(c->command, c->argc, c->argv);
	struct args args = {.argc = c->argc, .argv = c->argv};
	int rc = 0;

	for (unsigned deed = DEED_READ; deed <= DEED_LEAVE && !rc; deed <<= 1)
		if (c->command->deeds & deed)
			rc = permitted(deed, c->command->name, e);
	if (rc || !s->in_lesson || args_read(s, c->command->syntax, c->command->numbers, &args, NULL))
		return rc;
	for (int i = 0; i < args.n && !rc; i++) {
		bool stream = !strcmp(args.arg[i].word, "-"),
		     file = !args.arg[i].small && syntax_kind(args.arg[i].name, args.arg[i].len) == KIND_FILE;

		if (stream ? !to_lesson : file)
			rc = permitted_to_read(args.arg[i].word, e);
	}
	args_free(&args);
	return rc;
}

/* Does the command have all that it needs, and do its words fit? */
static int check_command(const struct session *s, const struct command_words *c, struct err *e)
{
	if (!c->command)
		return err_set_kind(e, ERR_SYNTAX, "%s", c->why.msg);
	if (c->command->needs == NEEDS_FABRIC && session_need_fabric(s, e))
		return -1;
	if (c->command->needs == NEEDS_ROUTING && !need_routing(s, e))
		return -1;
	assert(c->command->help && c->command->group < N_GROUPS);
	if (!syntax_fits(c->command->syntax, c->argc, c->argv))
		return err_set_kind(e, ERR_SYNTAX, "expected: %s", c->command->syntax);
	return command_permitted(s, c, e);
}

/* Does the syntax want one node, or many? */
struct wanted {
	const char *typed;
	bool one, many;
	bool small; /* it stands for itself */
};

static void interpreter_look_for_node(void *ctx, const char *word, size_t len)
{
	enum syntax_kind k = syntax_kind(word, len);
	struct wanted *w = ctx;

	w->small |=
		syntax_fixed(word, len) == len && strlen(w->typed) == len && !strncmp(word, w->typed, len);
	w->one |= syntax_names_node(k) || k == KIND_ARGUMENT;
	w->many |= k == KIND_SWITCHES || k == KIND_HOSTS || k == KIND_PORT || k == KIND_TARGET;
}

/* The nodes that a word fits equally well, alone or before [PORT]; their number. */
static uint32_t find_several(const struct session *s, const char *word, struct name_hits *h)
{
	AUTO_FREE char *name = str_dup(word);
	uint32_t n = session_candidates(s, name, h);
	size_t before = name_before_port(s->fabric, word, strlen(word));

	if (!n && before) {
		name_hits_free(h);
		name[before] = 0;
		n = session_candidates(s, name, h);
	}
	return n;
}

static bool fits_several(const struct session *s, const char *word)
{
	struct name_hits h;
	uint32_t n = find_several(s, word, &h);

	name_hits_free(&h);
	return n > 1;
}

/* The first word of a failed command that fits several nodes; 0: none. */
static int unclear_word(const struct session *s, const struct command_words *c, struct progress *p)
{
	int at = 0;

	if (!c->command || !s->fabric || !syntax_fits(c->command->syntax, c->argc, c->argv))
		return 0;
	AUTO_FREE struct syntax_walk *walk = syntax_walk(c->command->syntax);
	for (int i = 1; i < c->argc && !at && !progress_cancelled(p); i++) {
		struct wanted w = {.typed = c->argv[i]};

		syntax_offer(walk, interpreter_look_for_node, &w);
		syntax_step(walk, c->argv[i]);
		if (w.one && !w.small && !(w.many && is_name_pattern(c->argv[i])) &&
		    fits_several(s, c->argv[i]))
			at = i;
	}
	return at;
}

/* `unclear` of a run. */
static char *unclear_line(const struct command_words *c, int at)
{
	struct text t = {0};

	text_add(&t, "%d", at);
	for (int i = 0; i < c->argc; i++)
		word_append(&t, c->argv[i]);
	return t.s;
}

#define CANDIDATES_MOST 64

/* In JSON: the nodes that the word fits. */
static void interpreter_tell_candidates(const struct session *s, const char *word, struct out *o)
{
	json_t *list = json_array();
	struct name_hits h;
	uint32_t n = find_several(s, word, &h);

	for (uint32_t i = 0; i < n && i < CANDIDATES_MOST; i++) {
		json_t *node = json_object();

		json_put_node(node, "name", s->fabric, session_lids(s), h.node[i]);
		json_array_append_new(list, node);
	}
	name_hits_free(&h);
	out_json(o, "candidates", list);
}

/* Called for each word of the syntax that the typed word may be. */
static void look_at_kind(void *ctx, const char *word, size_t len)
{
	enum syntax_kind k = syntax_kind(word, len);
	bool *one = ctx;

	if (syntax_fixed(word, len) < len)
		*one &= k == KIND_NODE || k == KIND_SWITCH || k == KIND_ELEMENT || k == KIND_HOST ||
			k == KIND_ENDPORT || k == KIND_ARGUMENT;
}

/* Where one port is wanted, a host's name means one of its ports. Tells which. */
static void tell_hosts(const struct session *s, const struct command_words *c, struct out *o)
{
	AUTO_FREE struct syntax_walk *walk = syntax_walk(c->command->syntax);
	json_t *taken = json_object(), *ports = json_array();
	AUTO_TEXT struct text word = {0};
	char a[300];

	for (int i = 1; s->fabric && i < c->argc && !progress_cancelled(o->run->progress); i++) {
		bool one = node_named(s->fabric, c->argv[i], strlen(c->argv[i])) == NO_ID;

		if (one) /* otherwise the whole word is a name, as most are */
			syntax_offer(walk, look_at_kind, &one);
		syntax_step(walk, c->argv[i]);
		uint32_t ep = one ? session_host(s, c->argv[i]) : NO_ID;
		if (ep == NO_ID)
			continue;
		endport_label(s->fabric, ep, a, sizeof(a));
		out_text(o, "%s is taken for %s, the first of its ports%s.\n", c->argv[i], a,
			 session_endport_up(s, ep) ? " that is up" : "; none of them is up");
		json_object_set_new(taken, clean_string(c->argv[i], &word), json_text(a));
		json_t *obj = json_make("{s:s}", "word", c->argv[i]);
		json_put_endport(obj, "name", s->fabric, session_lids(s), ep);
		json_array_append_new(ports, obj);
	}
	if (json_object_size(taken)) {
		out_json(o, "taken", taken);
		out_json(o, "taken_ports", ports);
	} else {
		json_decref(taken);
		json_decref(ports);
	}
}

void out_step(struct out *o, const struct recording *r, size_t step, const char *phase)
{
	assert(step <= recording_steps(r));
	out_text(o, "As of step %zu of %zu of %s", step, recording_steps(r), recording_engine(r));
	if (*phase)
		out_text(o, " (%s)", phase);
	out_text(o, ":\n");
	if (*recording_part(r))
		out_text(o, "Recorded: %s.\n", recording_part(r));
	out_json(o, "step", json_integer((json_int_t)step));
}

/* Readers begin their messages with the name of the file, as it was given. */
static bool about_a_file(const struct args *args, const char *msg)
{
	for (int i = 0; i < args->n; i++)
		if (syntax_kind(args->arg[i].name, args->arg[i].len) == KIND_FILE &&
		    !strncmp(msg, args->arg[i].word, strlen(args->arg[i].word)))
			return true;
	return false;
}

static int run_words(const struct command_words *c, struct out *o, struct err *e)
{
	struct command_run *r = o->run;
	struct args args = {.argc = c->argc, .argv = c->argv};
	int rc = args_read(r->in->session, c->command->syntax, c->command->numbers, &args, e);

	assert(c->command->run || c->command->on_screen);
	if (rc > 0)
		err_set(e, "expected: %s", c->command->syntax);
	if (rc) {
		err_default(e, ERR_SYNTAX);
		if (c->command->absent && (err_kind(e) == ERR_NO_NODE || err_kind(e) == ERR_NO_PORT))
			c->command->absent(r->in->session, c->argc, c->argv, o, e);
		return -1;
	}
	if (c->command->on_screen)
		rc = r->on_screen(c->command, &args, o, e);
	else
		rc = c->command->run(r->in->session, &args, o, e);
	if (rc && about_a_file(&args, e->msg))
		err_default(e, ERR_INPUT);
	args_free(&args);
	return rc;
}

/* The output of a command is about the step where the walk stands. */
static int run_at_step(const struct command_words *c, struct walk *w, struct out *o, struct err *e)
{
	struct session *s = o->run->in->session;
	const struct sweep *moment = walk_moment(w);

	assert(!s->moment);
	out_step(o, walk_recording(w), walk_step(w), walk_phase(w));
	session_lock(s);
	s->moment = moment;
	s->moment_for = pthread_self();
	session_unlock(s);
	int rc = run_words(c, o, e);
	session_lock(s);
	s->moment = NULL;
	session_unlock(s);
	sweep_unref(moment);
	return rc;
}

/* Does a command neither change, write, run nor ask for anything? */
static bool command_only_looks(const struct command *c)
{
	bool look = c->group == LOOK || c->group == EXPLAIN || c->group == JUDGE || c->group == TEACH;

	return look && !(c->deeds & ~(unsigned)DEED_READ);
}

static int do_command(const struct command_words *c, struct out *o, struct err *e)
{
	struct command_run *r = o->run;

	if (check_command(r->in->session, c, e))
		return -1;
	if (r->only_looks && !command_only_looks(c->command))
		return err_set(e, "%s: left out, as the routing at the start failed", c->command->name);
	tell_hosts(r->in->session, c, o);
	if (c->command->at_step && session_walk(r->in->session))
		return run_at_step(c, session_walk(r->in->session), o, e);
	if (c->command->on_screen && !r->on_screen)
		return err_set(e, "%s: needs the curses interface (start without -e and -x)",
			       c->command->name);
	return run_words(c, o, e);
}

bool writes_output(const struct command *c, int argc, char **argv)
{
	if (c && c->prints && c->prints(argc, argv))
		return true;
	if (!c || !c->json || !strstr(c->json, JSON_CONTENT))
		return false;
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "-"))
			return true;
	return false;
}

static int run_command(struct command_run *r, const struct command_words *c, struct err *e)
{
	FILE *aside = r->aside;
	struct out o;

	if (progress_cancelled(r->progress))
		return err_set(e, CANCELLED);
	if (writes_output(c->command, c->argc, c->argv))
		r->aside = r->errors;
	out_begin(&o, r, c->command ? c->command->name : c->argv[0]);
	int rc = do_command(c, &o, e);
	int at = rc && (r->json || (r->on_screen && !r->unclear))
			 ? unclear_word(r->in->session, c, r->progress)
			 : 0;
	if (at && r->on_screen)
		r->unclear = unclear_line(c, at);
	if (at && err_kind(e) == ERR_AMBIGUOUS)
		interpreter_tell_candidates(r->in->session, c->argv[at], &o);
	out_end(&o, rc, e);
	r->aside = aside;
	if (rc && r->only_looks && !progress_cancelled(r->progress)) {
		fprintf(r->errors, "ibscope: %s\n", e->msg);
		rc = 0;
	}
	fflush(r->f); /* someone who types line by line waits for the output of each */
	return rc;
}

int run_text(struct command_run *r, const char *text, struct err *e)
{
	struct command_words c;
	int rc = 0;

	assert(r->in && r->in->session);
	r->placed = false;
	while (!rc && !r->in->quit && interpreter_next_command(r->in->session, &text, r->progress, &c)) {
		rc = run_command(r, &c, e);
		words_free(c.argc, c.argv);
	}
	progress_start(r->progress, NULL, 0);
	return rc;
}

int run_commands(struct command_run *r, const struct command_list *l, struct err *e)
{
	const char *rest = l->n ? NULL : l->text;
	int rc = 0;

	assert(r->in && r->in->session);
	r->placed = false;
	for (size_t i = 0; i < l->n && !rc && !rest && !r->in->quit; i++) {
		if (l->fabric != r->in->session->fabric)
			rest = l->command[i].text;
		else
			rc = run_command(r, &l->command[i], e);
	}
	if (rest)
		return run_text(r, rest, e);
	progress_start(r->progress, NULL, 0);
	return rc;
}

void tell_unread(struct command_run *r, const char *command, const struct err *why)
{
	struct out o;

	out_begin(&o, r, command);
	out_end(&o, -1, why);
}

/* A line that cannot be read is reported under its first word, as its command. */
static void interpreter_unread_line(struct command_run *r, const char *line, const struct err *why)
{
	const char *from = skip_colon(line + text_mark(line, strlen(line)));
	AUTO_FREE char *word = str_printf("%.*s", (int)strcspn(from, " \t\r\n;"), from);

	tell_unread(r, word, why);
}

/* One line of a script.  *e begins with the file and line. */
static int run_script_line(struct command_run *r, const struct text *line, const char *name, unsigned number,
			   struct err *e)
{
	struct err why = {0};
	int rc = 0;

	r->placed = false;
	if (number == 1)
		rc = text_head_check(line->s, line->len, &why);
	if (!rc && text_line_check(line->s, line->len, &why))
		rc = err_set(
			&why,
			"found a NUL byte as character %zu, expected text (take such bytes out: tr -d '\\0')",
			strlen(line->s) + 1);
	if (rc)
		interpreter_unread_line(r, line->s, &why);
	else
		rc = run_text(r, line->s, &why);
	if (rc && r->placed) /* the place in the innermost script counts */
		*e = why;
	else if (rc)
		err_set_kind(e, err_kind(&why), "%s:%u: %s", name, number, why.msg);
	r->placed = rc != 0;
	return rc;
}

static int run_script_lines(struct command_run *r, FILE *script, const char *name, struct text *errors,
			    struct err *e)
{
	AUTO_TEXT struct text line = {0};
	int rc = 0, got = 1;

	for (unsigned number = 1; !rc && !r->in->quit; number++) {
		got = read_text_line(script, name, &line, e);
		if (got <= 0)
			break;
		rc = run_script_line(r, &line, name, number, e);
		if (rc && errors && !progress_cancelled(r->progress)) {
			text_add(errors, "%s\n", e->msg);
			rc = 0;
		}
	}
	if (got < 0 && progress_cancelled(r->progress))
		err_set(e, CANCELLED);
	if (got < 0 && !r->depth) /* otherwise `source` reports it */
		tell_unread(r, "source", e);
	return got < 0 ? -1 : rc;
}

int run_script(struct command_run *r, FILE *script, const char *name, struct err *e)
{
	return run_script_lines(r, script, name, NULL, e);
}

int run_whole_script(struct command_run *r, FILE *script, const char *name, struct text *errors,
		     struct err *e)
{
	int rc = run_script_lines(r, script, name, errors, e);

	r->placed = rc != 0;
	return rc;
}
