/* Help: topics, the glossary of figures, and `help` itself. */
#include <assert.h>
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/wordlist.h"
#include "core/session/command.h"
#include "core/session/commands/commands.h"
#include "core/session/help.h"
#include "core/session/lesson.h"
#include "core/sm/options.h"

/* --- reading ------------------------------------------------------------------------------- */

const struct help_words help_words_none = {&(struct topic){.name = NULL},
					   &(struct figure_meaning){.name = NULL},
					   &(struct help_more){.name = NULL}};

static const struct help_more *help_words_find(const struct help_words *w, const char *name)
{
	const struct help_more *c = w->commands;

	while (c->name && strcmp(c->name, name) != 0)
		c++;
	return c;
}

const char *help_also(const struct help_words *w, const char *name)
{
	const struct help_more *c = help_words_find(w, name);

	return c->also ? c->also : "";
}

const char *help_details(const struct help_words *w, const char *name)
{
	return help_words_find(w, name)->details;
}

/* Puts the details of NAME in place of a line "  <NAME>" of those of c.  -1 and *e: NAME has none. */
static int help_words_unfold(struct help_words *w, struct help_more *c, struct err *e)
{
	AUTO_TEXT struct text t = {0};
	size_t len;

	if (!strstr(c->details, "  <"))
		return 0;
	for (const char *line = c->details; *line; line += len) {
		len = strcspn(line, "\n");
		len += line[len] == '\n';
		if (strncmp(line, "  <", 3) != 0) {
			text_add(&t, "%.*s", (int)len, line);
			continue;
		}
		AUTO_FREE char *name = str_printf("%.*s", (int)strcspn(line + 3, ">\n"), line + 3);
		const char *other = help_details(w, name);
		if (!other)
			return err_set(e, "details of %s: found <%s>, expected a name that has details",
				       c->name, name);
		text_add(&t, "%s", other);
	}
	c->details = arena_str(w, text_str(&t));
	return 0;
}

struct help_words *help_words_read(struct err *e)
{
	struct help_words *w = ARENA_NEW(NULL, struct help_words);
	struct help_more *commands = wordlist_read(w, ".help", "name also? details?", e);

	w->commands = commands;
	w->topics = wordlist_read(w, ".topics", "name also? text source? instead? try", e);
	w->figures = wordlist_read(w, ".figures", "name unit what over scope told", e);

	bool read = w->topics && w->figures && commands;
	for (struct help_more *c = commands; read && c->name; c++)
		read = !c->details || !help_words_unfold(w, c, e);
	if (read)
		return w;
	arena_free(w);
	return NULL;
}

/* --- finding ------------------------------------------------------------------------------- */

static int topics_letter(char c)
{
	return c == '-' || c == '_' ? ' ' : tolower((unsigned char)c);
}

/* Does the word equal the name of `len` characters, or begin it (begins)? */
static bool equals(const char *word, const char *name, size_t len, bool begins)
{
	size_t n = strlen(word);

	if (begins ? n > len : n != len)
		return false;
	for (size_t i = 0; i < n; i++)
		if (topics_letter(word[i]) != topics_letter(name[i]))
			return false;
	return true;
}

/* The same word: capitals do not matter; blanks, '-' and '_' are the same. */
static bool topic_same(const char *a, const char *b)
{
	return equals(a, b, strlen(b), false);
}

static bool also_called(const struct topic *p, const char *word)
{
	const char *a = p->also;

	while (a && *a) {
		size_t len = strcspn(a, "|");

		if (equals(word, a, len, false))
			return true;
		a += len + (a[len] == '|');
	}
	return false;
}

const struct topic *topic_find(const struct session *s, const char *word, bool exact)
{
	const struct topic *p, *found = NULL;

	for (p = s->words->topics; p->name; p++)
		if (equals(word, p->name, strlen(p->name), false))
			return p;
	for (p = s->words->topics; p->name; p++)
		if (also_called(p, word))
			return p;
	for (p = s->words->topics; !exact && p->name; p++) {
		if (!equals(word, p->name, strlen(p->name), true))
			continue;
		if (found)
			return NULL;
		found = p;
	}
	return found;
}

/* The next LID or GUID among the words of a program of infiniband-diags; NULL: none.  Free it. */
static char *instead_number(const char **rest)
{
	bool value = false; /* of an option before it */
	char *word;

	while (*rest = words_skip(*rest), !words_end(*rest) && !words_take(rest, &word, NULL)) {
		bool number = (*word >= '1' && *word <= '9') || !strncmp(word, "0x", 2);

		if (number && !value && !strchr(word, ','))
			return word;
		value = !strcmp(word, "-C") || !strcmp(word, "-P") || !strcmp(word, "-t");
		free(word);
	}
	return NULL;
}

bool help_tell_instead(const struct session *s, const char *word, const char *rest, struct err *e)
{
	const struct topic *p = topic_find(s, word, true);
	AUTO_TEXT struct text line = {0};

	if (!p || !p->instead)
		return false;
	for (const char *at = p->instead; *at;) {
		size_t len = 1;
		AUTO_FREE char *number = isupper((unsigned char)*at) ? instead_number(&rest) : NULL;

		while (isupper((unsigned char)*at) && isupper((unsigned char)at[len]))
			len++;
		if (number)
			text_add(&line, "%s", number);
		else
			text_add(&line, "%.*s", (int)len, at);
		at += len;
	}
	err_set(e, "%s is not a command here; `%s` does it, `help %s` tells more", word, text_str(&line),
		p->name);
	return true;
}

/* Its lines. */
static void topic_tell(const struct topic *p, struct text *t)
{
	AUTO_FREE char *name = str_printf("%s: ", p->name);

	wrap_text(t, p->text, TOPIC_COLUMNS, name, "  ");
	if (p->source)
		text_add(t, "  Source: %s.\n", p->source);
	text_add(t, "  Try: %s\n", p->try_it);
}

/* `help`: commands, topics, options, and what the interface has names for, all from their tables. */

static json_t *command_json(const struct command *c, const char *details)
{
	return json_make("{s:s, s:s, s:s, s:s, s:s*, s:s*, s:b}", "name", c->name, "group",
			 aim_groups[c->group].name, "syntax", c->syntax, "help", c->help, "details", details,
			 "finds", c->finds, "screen", (int)c->on_screen);
}

static json_t *topic_json(const struct topic *p)
{
	json_t *also = json_array();
	const char *a = p->also ? p->also : "";

	for (size_t len; *a; a += len + (a[len] == '|')) {
		len = strcspn(a, "|");
		json_array_append_new(also, json_textn(a, len));
	}
	return json_make("{s:s, s:o, s:s, s:s*, s:s}", "name", p->name, "also", also, "text", p->text,
			 "source", p->source, "try", p->try_it);
}

/* Columns of a line of text: those of a screen, or less where the reader has less. */
static unsigned columns(const struct out *o)
{
	unsigned width = o->run->width;

	return width && width < TOPIC_COLUMNS ? width : TOPIC_COLUMNS;
}

/* Names of all topics in lines of a screen. */
static void list_topics(const struct session *s, struct out *o)
{
	json_t *list = json_array();
	const struct topic *p;
	struct text line = {0};

	for (p = s->words->topics; p->name; p++) {
		if (line.len + strlen(p->name) + 1 > columns(o) - 2) {
			out_text(o, "%s\n", text_str(&line));
			text_free(&line);
			line = (struct text){0};
		}
		if (!line.len)
			text_add(&line, p != s->words->topics ? "         " : "  Topics:");
		text_add(&line, " %s", p->name);
		json_array_append_new(list, topic_json(p));
	}
	if (line.len)
		out_text(o, "%s\n", text_str(&line));
	text_free(&line);
	out_json(o, "topics", list);
}

/* Lists the commands of a group that need the screen, or the others. */
static void help_list_commands(const struct session *s, bool screen, unsigned group, json_t *list,
			       struct out *o)
{
	for (size_t t = 0; s->commands[t]; t++)
		for (const struct command *c = s->commands[t]; c->name; c++)
			if (c->on_screen == screen && c->group == group) {
				out_text(o, "  %-46s " ROW_PROSE "%s\n", c->syntax, c->help);
				json_array_append_new(list, command_json(c, NULL));
			}
}

/* Adds those of OpenSM's options which have that effect at SIGHUP; NULL: which it does not take. */
static void list_with(const struct options *opts, const char *effect, struct text *t)
{
	const char *between = "";

	for (size_t i = 0; i < options_count(opts); i++) {
		const struct optdef *d = options_at(opts, i);
		const char *its = sighup_effect(d->name);

		if (d->own || !its != !effect || (its && strcmp(its, effect)))
			continue;
		text_add(t, "%s%s", between, d->name);
		between = ", ";
	}
}

/* Tells all options of OpenSM, by what SIGHUP does with them. */
static void tell_sighup(const struct options *opts, struct out *o)
{
	size_t i = 0;

	do {
		const char *effect = sighup_effects[i];
		AUTO_TEXT struct text t = {0}, lines = {0};

		if (effect)
			text_add(&t, "Taken at SIGHUP, act %s: ", effect);
		else
			text_add(&t, "Not taken before a restart (`set`): ");
		list_with(opts, effect, &t);
		text_add(&t, ".");
		wrap_text(&lines, text_str(&t), columns(o), "  ", "    ");
		out_text(o, "%s", text_str(&lines));
	} while (sighup_effects[i++]);
}

static void help_tell_command(const struct session *s, const struct command *c, struct out *o)
{
	const char *details = help_details(s->words, c->name);

	out_text(o, ROW_BEGIN "%s\n  " ROW_PROSE "%s\n", c->syntax, c->help);
	if (details)
		out_lines(o, details);
	if (c->sets_options)
		tell_sighup(s->setup->options, o);
	if (c->finds)
		out_text(o, "  Exit status 1 in batch when %s.\n", c->finds);
	if (c->on_screen)
		out_text(o, "  It needs the screen.\n");
}

static void tell_topic(const struct topic *p, struct out *o)
{
	AUTO_TEXT struct text t = {0};

	topic_tell(p, &t);
	out_lines(o, text_str(&t));
}

/* --- other names ----------------------------------------------------------------------------- */

struct asked {
	const char *word;
	struct out *o;
	json_t *list;
};

/* Tells a name that is asked for by itself or by its kind: "hops, column of lft: ...". */
static void help_take_name(void *to, const struct named *n)
{
	struct asked *a = to;
	size_t len = strlen(n->kind);
	bool all = !strncmp(a->word, n->kind, len) && !strcmp(a->word + len, "s");
	AUTO_TEXT struct text placed = {0}, line = {0}, lines = {0};

	text_add(&placed, "%s %s", n->place, n->name);
	bool asked = topic_same(a->word, n->name) || (*n->place && topic_same(a->word, text_str(&placed)));
	if (!all && !asked)
		return;
	text_add(&line, "%s%s%s, %s", n->name, *n->syntax ? " " : "", n->syntax, n->kind);
	if (*n->place)
		text_add(&line, " %s %s", strcmp(n->kind, "key") ? "of" : "in", n->place);
	text_add(&line, ": %s", n->text);
	if (all && !a->o->run->width)
		text_add(&lines, "%s\n", text_str(&line));
	else
		wrap_text(&lines, text_str(&line), columns(a->o), "", "  ");
	out_text(a->o, "%s", text_str(&lines));
	json_array_append_new(a->list, json_make("{s:s, s:s, s:s*, s:s*, s:s}", "kind", n->kind, "name",
						 n->name, "place", *n->place ? n->place : NULL, "syntax",
						 *n->syntax ? n->syntax : NULL, "text", n->text));
}

/* What has words of its own for `help NAME` is named here where all of its kind are asked for. */
static void core_names(const struct session *s, void (*take)(void *to, const struct named *n), void *to)
{
	const struct asked *a = to;
	AUTO_TEXT struct text broken = {0};
	unsigned n_broken;
	struct lesson **lesson = strcmp(a->word, "lessons") ? NULL : lessons_all(&broken, &n_broken);
	const struct topic *p;

	for (size_t i = 0; !strcmp(a->word, "engines") && s->engines[i]; i++)
		take(to, &(struct named){"engine", s->engines[i]->name, "", "", s->engines[i]->brief});
	for (p = s->words->topics; !strcmp(a->word, "topics") && p->name; p++)
		take(to, &(struct named){"topic", p->name, "", "", p->text});
	for (size_t t = 0; !strcmp(a->word, "commands") && s->commands[t]; t++)
		for (const struct command *c = s->commands[t]; c->name; c++)
			take(to, &(struct named){"command", c->name, "", "", c->help});
	for (size_t i = 0; lesson && lesson[i]; i++)
		take(to, &(struct named){"lesson", lesson[i]->name, "", "", lesson[i]->title});
	if (lesson)
		lessons_free(lesson);
}

static void option_names(const struct session *s, void (*take)(void *to, const struct named *n), void *to)
{
	for (size_t i = 0; i < options_count(s->setup->options); i++) {
		const struct optdef *d = options_at(s->setup->options, i);
		AUTO_FREE char *values = optdef_values(d);
		AUTO_TEXT struct text t = {0};

		optdef_tell(d, &t);
		take(to, &(struct named){"option", d->name, "", values, text_str(&t)});
	}
}

/* Tells what else has the name. Returns the number of these. */
static size_t tell_names(const struct session *s, const char *word, struct out *o)
{
	struct asked a = {.word = word, .o = o, .list = json_array()};

	option_names(s, help_take_name, &a);
	core_names(s, help_take_name, &a);
	if (s->named)
		s->named(help_take_name, &a);
	size_t n = json_array_size(a.list);
	out_json(o, "names", a.list);
	return n;
}

/* --- the command -------------------------------------------------------------------------------- */

/* A command or topic of exactly that name. */
static void find_exact(const struct session *s, const char *word, const struct command **c,
		       const struct topic **p, struct topic *engine)
{
	*c = command_find(s, word, NULL);
	if (*c && strcmp((*c)->name, word))
		*c = NULL;
	*p = topic_find(s, word, true);
	const struct engine *g = *p ? NULL : engine_find(s->engines, word);
	if (g) {
		*engine = (struct topic){
			.name = g->name, .text = g->brief, .source = g->reference, .try_it = "show engines"};
		*p = engine;
	}
}

/* The command, or else the topic, that begins with the word. -1 and *e: none does. */
static int find_begun(const struct session *s, const char *word, const struct command **c,
		      const struct topic **p, struct err *e)
{
	*c = command_find(s, word, e);
	if (!*c)
		*p = topic_find(s, word, false);
	if (*c || *p)
		return 0;
	if (!strncmp(e->msg, "unknown", 7))
		err_word(e,
			 "found \"%s\", expected a command, a topic, or the name of an option, a pane, a "
			 "column or a key; `help` lists them",
			 word);
	return -1;
}

static int help_word(const struct session *s, const char *word, struct out *o, struct err *e)
{
	const struct command *c;
	const struct topic *p;
	struct topic engine;

	find_exact(s, word, &c, &p, &engine);
	if (c)
		help_tell_command(s, c, o);
	if (p)
		tell_topic(p, o);
	if (!tell_names(s, word, o) && !c && !p) {
		if (find_begun(s, word, &c, &p, e))
			return -1;
		if (c)
			help_tell_command(s, c, o);
		if (p)
			tell_topic(p, o);
	}
	out_json(o, "commands",
		 c ? json_make("[o]", command_json(c, help_details(s->words, c->name))) : json_array());
	if (p)
		out_json(o, "topics", json_make("[o]", topic_json(p)));
	return 0;
}

int cmd_help(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	AUTO_TEXT struct text word = {0};

	if (!args->n) {
		json_t *list = json_array();

		for (unsigned g = 0; g < N_GROUPS; g++) {
			out_text(o, "%s: %s\n", aim_groups[g].name, aim_groups[g].aim);
			help_list_commands(s, false, g, list, o);
		}
		out_text(o, "These need the screen, and fail with -e and -x:\n");
		help_list_commands(s, true, LOOK, list, o);
		out_text(
			o,
			"Commands may be shortened; `;` separates them, # begins a comment.  `help COMMAND` "
			"tells more.\nA pane's name is a command, too: `hosts` shows or prints that pane.\n");
		out_json(o, "commands", list);
		if (s->words->topics->name) {
			out_text(o, "Words of the field and engines, told in five lines by `help TOPIC`:\n");
			list_topics(s, o);
		}
		out_text(o, "`help commands`, topics, engines, lessons, options, panes, columns, keys, "
			    "actions, words, rules, figures, limits or "
			    "fabrics: all of them; `help NAME` tells one.\n");
		return 0;
	}
	for (int i = 0; i < args->n; i++)
		text_add(&word, i ? " %s" : "%s", args->arg[i].word);
	return help_word(s, text_str(&word), o, e);
}

/* The text for a word of a figure; the last one has none. */
static const char *figure_word(const char *const (*text)[2], const char *word)
{
	while (**text && strcmp(**text, word) != 0)
		text++;
	assert(**text);
	return (*text)[1];
}

void figure_tell(const struct figure_meaning *m, struct text *t)
{
	static const char *const over[][2] = {
		{"LIDs", ", by LID, without switches' own LIDs"},
		{"pairs", ", by pair of hosts (their base LIDs), without switches' own LIDs"},
		{"switches", (", by LID; the word `switches` adds the switches' own LIDs, as source and "
			      "as destination")},
		{"entries", ", by LID, with switches' own LIDs"},
		{"nothing", ""},
		{NULL, NULL},
	};
	static const char *const scope[][2] = {
		{"ends", "With a scope: both ends are in it."},
		{"hosts", "With a scope: only its hosts count."},
		{"none", "A scope changes nothing."},
		{NULL, NULL},
	};

	assert(m->name);
	text_add(t, "%s. Unit: %s%s. %s Told by %s", m->what, m->unit, figure_word(over, m->over),
		 figure_word(scope, m->scope), m->told);
}

const char *figure_words(const struct help_words *w, const char *help, int *len)
{
	const struct figure_meaning *m = w->figures;

	while (*help == '=' && m->name && (strncmp(m->name, help + 1, (size_t)*len - 1) || m->name[*len - 1]))
		m++;
	if (*help != '=' || !m->name)
		return help;
	*len = (int)strlen(m->what);
	return m->what;
}
