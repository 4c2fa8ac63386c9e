/* `help`: commands, topics, options, and what the interface has names for, all from their tables. */
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/text.h"
#include "core/base/wrap.h"
#include "core/session/command.h"
#include "core/session/commands/commands.h"
#include "core/session/groups.h"
#include "core/session/lesson.h"
#include "core/session/topics.h"
#include "core/sm/sighup.h"

static json_t *command_json(const struct command *c, bool details)
{
	return json_make("{s:s, s:s, s:s, s:s, s:s*, s:s*, s:b}", "name", c->name, "group",
			 aim_groups[c->group].name, "syntax", c->syntax, "help", c->help, "details",
			 details ? c->details : NULL, "finds", c->finds, "screen", (int)c->on_screen);
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

	for (size_t i = 0; (p = topic_at(s, i)); i++) {
		if (line.len + strlen(p->name) + 1 > columns(o) - 2) {
			out_text(o, "%s\n", text_str(&line));
			text_free(&line);
			line = (struct text){0};
		}
		text_add(&line, "%s%s", line.len ? " " : i ? "          " : "  Topics: ", p->name);
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
				json_array_append_new(list, command_json(c, false));
			}
}

/* Makes a topic for an engine that has none. */
static bool engine_topic(const struct session *s, const char *name, struct topic *p)
{
	const struct engine *g = engine_find(s->engines, name);

	if (g)
		*p = (struct topic){
			.name = g->name, .text = g->brief, .source = g->reference, .try_it = "show engines"};
	return g != NULL;
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
		struct text t = {0}, lines = {0};

		if (effect)
			text_add(&t, "Taken at SIGHUP, act %s: ", effect);
		else
			text_add(&t, "Not taken before a restart (`set`): ");
		list_with(opts, effect, &t);
		text_add(&t, ".");
		wrap_text(&lines, text_str(&t), columns(o), "  ", "    ");
		out_text(o, "%s", text_str(&lines));
		text_free(&t);
		text_free(&lines);
	} while (sighup_effects[i++]);
}

static void help_tell_command(const struct session *s, const struct command *c, struct out *o)
{
	out_text(o, ROW_BEGIN "%s\n  " ROW_PROSE "%s\n", c->syntax, c->help);
	if (c->details)
		out_lines(o, c->details);
	if (c->sets_options)
		tell_sighup(s->setup->options, o);
	if (c->finds)
		out_text(o, "  Exit status 1 in batch when %s.\n", c->finds);
	if (c->on_screen)
		out_text(o, "  It needs the screen.\n");
}

/* Lines of a screen. */
static void out_wrapped(struct out *o, const char *s)
{
	struct text t = {0};

	wrap_text(&t, s, columns(o), "", "  ");
	out_text(o, "%s", text_str(&t));
	text_free(&t);
}

static void tell_topic(const struct topic *p, struct out *o)
{
	struct text t = {0};

	topic_tell(p, &t);
	out_lines(o, text_str(&t));
	text_free(&t);
}

/* --- other names ----------------------------------------------------------------------------- */

struct asked {
	const char *word;
	struct out *o;
	json_t *list;
};

static bool all_of_kind(const struct asked *a, const struct named *n)
{
	size_t len = strlen(n->kind);

	return !strncmp(a->word, n->kind, len) && !strcmp(a->word + len, "s");
}

/* Tells a name that is asked for by itself or by its kind: "hops, column of lft: ...". */
static void help_take_name(void *to, const struct named *n)
{
	struct asked *a = to;
	bool all = all_of_kind(a, n);
	struct text placed = {0}, line = {0};
	bool asked;

	text_add(&placed, "%s %s", n->place, n->name);
	asked = topic_same(a->word, n->name) || (*n->place && topic_same(a->word, text_str(&placed)));
	text_free(&placed);
	if (!all && !asked)
		return;
	text_add(&line, "%s%s%s, %s", n->name, *n->syntax ? " " : "", n->syntax, n->kind);
	if (*n->place)
		text_add(&line, " %s %s", strcmp(n->kind, "key") ? "of" : "in", n->place);
	text_add(&line, ": %s", n->text);
	if (all && !a->o->run->width)
		out_text(a->o, "%s\n", text_str(&line));
	else
		out_wrapped(a->o, text_str(&line));
	json_array_append_new(a->list, json_make("{s:s, s:s, s:s*, s:s*, s:s}", "kind", n->kind, "name",
						 n->name, "place", *n->place ? n->place : NULL, "syntax",
						 *n->syntax ? n->syntax : NULL, "text", n->text));
	text_free(&line);
}

/* What has words of its own for `help NAME` is named here where all of its kind are asked for. */
static void core_names(const struct session *s, void (*take)(void *to, const struct named *n), void *to)
{
	const struct asked *a = to;
	struct text broken = {0};
	unsigned n_broken;
	struct lesson **lesson = strcmp(a->word, "lessons") ? NULL : lessons_all(&broken, &n_broken);
	const struct topic *p;

	for (size_t i = 0; !strcmp(a->word, "engines") && s->engines[i]; i++)
		take(to, &(struct named){"engine", s->engines[i]->name, "", "", s->engines[i]->brief});
	for (size_t i = 0; !strcmp(a->word, "topics") && (p = topic_at(s, i)); i++)
		take(to, &(struct named){"topic", p->name, "", "", p->text});
	for (size_t t = 0; !strcmp(a->word, "commands") && s->commands[t]; t++)
		for (const struct command *c = s->commands[t]; c->name; c++)
			take(to, &(struct named){"command", c->name, "", "", c->help});
	for (size_t i = 0; lesson && lesson[i]; i++)
		take(to, &(struct named){"lesson", lesson[i]->name, "", "", lesson[i]->title});
	if (lesson)
		lessons_free(lesson);
	text_free(&broken);
}

static void option_names(const struct session *s, void (*take)(void *to, const struct named *n), void *to)
{
	for (size_t i = 0; i < options_count(s->setup->options); i++) {
		const struct optdef *d = options_at(s->setup->options, i);
		char *values = optdef_values(d);
		struct text t = {0};

		optdef_tell(d, &t);
		take(to, &(struct named){"option", d->name, "", values, text_str(&t)});
		text_free(&t);
		free(values);
	}
}

/* Tells what else has the name. Returns the number of these. */
static size_t tell_names(const struct session *s, const char *word, struct out *o)
{
	struct asked a = {.word = word, .o = o, .list = json_array()};
	size_t n;

	option_names(s, help_take_name, &a);
	core_names(s, help_take_name, &a);
	if (s->named)
		s->named(help_take_name, &a);
	n = json_array_size(a.list);
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
	if (!*p && engine_topic(s, word, engine))
		*p = engine;
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
	out_json(o, "commands", c ? json_make("[o]", command_json(c, true)) : json_array());
	if (p)
		out_json(o, "topics", json_make("[o]", topic_json(p)));
	return 0;
}

int cmd_help(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct text word = {0};
	int rc;

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
		if (topic_at(s, 0)) {
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
	rc = help_word(s, text_str(&word), o, e);
	text_free(&word);
	return rc;
}
