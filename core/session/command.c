#include "core/session/command.h"
#include "core/base/err.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

#include "core/session/commands/commands.h"
#include "core/session/topics.h"

/* --- finding --------------------------------------------------------------- */

static const struct command *next_command(const struct session *s, size_t *table, size_t *i)
{
	for (; s->commands[*table]; (*table)++, *i = 0)
		if (s->commands[*table][*i].name)
			return &s->commands[*table][(*i)++];
	return NULL;
}

const struct command *command_find(const struct session *s, const char *name, struct err *e)
{
	const struct command *c, *found = NULL;
	struct text names = {0};
	size_t len = strlen(name), n = 0, t = 0, i = 0;

	while ((c = next_command(s, &t, &i))) {
		if (!strcmp(c->name, name)) {
			text_free(&names);
			return c;
		}
		if (!strncmp(c->name, name, len)) {
			text_add(&names, "%s%s", n++ ? ", " : "", c->name);
			found = c;
		}
	}
	if (n == 0)
		err_set(e, "unknown command \"%s\"; `help` lists them", name);
	else if (n > 1)
		err_set(e, "\"%s\" may be %s", name, text_str(&names));
	text_free(&names);
	return n == 1 ? found : NULL;
}

/* --- help, from the tables ----------------------------------------------------------------- */

static json_t *command_json(const struct command *c, bool details)
{
	return json_make("{s:s, s:s, s:s, s:s*, s:s*, s:b}", "name", c->name, "syntax", c->syntax, "help",
			 c->help, "details", details ? c->details : NULL, "finds", c->finds, "screen",
			 (int)c->on_screen);
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

/* Names of all topics in lines of a screen. */
static void list_topics(const struct session *s, struct out *o)
{
	json_t *list = json_array();
	const struct topic *p;
	struct text line = {0};

	for (size_t i = 0; (p = topic_at(s, i)); i++) {
		if (line.len + strlen(p->name) + 1 > TOPIC_COLUMNS - 2) {
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

static int help_all(struct session *s, struct out *o)
{
	const struct command *c;
	json_t *list = json_array();
	size_t t = 0, i = 0, told = 0;

	for (int screen = 0; screen < 2; screen++, t = i = 0) {
		while ((c = next_command(s, &t, &i))) {
			if (c->on_screen != screen)
				continue;
			if (screen && !told++)
				out_text(o, "These need the screen, and fail with -e and -x:\n");
			out_text(o, "  %-46s %s\n", c->syntax, c->help);
			json_array_append_new(list, command_json(c, false));
		}
	}
	out_text(o, "Commands may be shortened; `;` separates them, # begins a comment.  `help COMMAND` "
		    "tells more.\n");
	out_json(o, "commands", list);
	if (topic_at(s, 0)) {
		out_text(o, "Words of the field and engines, told in five lines by `help TOPIC`:\n");
		list_topics(s, o);
	}
	return 0;
}

/* An engine that has no topic of its own. */
static bool engine_topic(const struct session *s, const char *name, struct topic *p)
{
	const struct engine *g = engine_find(s->engines, name);

	if (g)
		*p = (struct topic){
			.name = g->name, .text = g->brief, .source = g->reference, .try_it = "show engines"};
	return g != NULL;
}

static void tell_command(const struct command *c, struct out *o)
{
	out_text(o, "%s\n  %s\n", c->syntax, c->help);
	if (c->details)
		out_text(o, "%s", c->details);
	if (c->finds)
		out_text(o, "  Exit status 1 in batch when %s.\n", c->finds);
	if (c->on_screen)
		out_text(o, "  It needs the screen.\n");
}

static void tell_topic(const struct topic *p, struct out *o)
{
	struct text t = {0};

	topic_tell(p, &t);
	out_text(o, "%s", text_str(&t));
	text_free(&t);
}

/*
 * What a word means: a command of that name, a topic or an engine.  For a beginning, commands come before
 * topics.  -1 and *e: nothing.
 */
static int help_find(const struct session *s, const char *word, const struct command **c,
		     const struct topic **p, struct topic *engine, struct err *e)
{
	*c = command_find(s, word, NULL);
	*p = topic_find(s, word, true);
	if (!*p && engine_topic(s, word, engine))
		*p = engine;
	if (*p && *c && strcmp((*c)->name, word))
		*c = NULL;
	if (!*p && !*c)
		*p = topic_find(s, word, false);
	if (*p || *c)
		return 0;
	if (!command_find(s, word, e) && !strncmp(e->msg, "unknown", 7))
		err_set(e, "found \"%s\", expected a command or a topic; `help` lists them", word);
	return -1;
}

int cmd_help(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct command *c;
	const struct topic *p;
	struct topic engine;
	struct text word = {0};
	int rc;

	if (!args->n)
		return help_all(s, o);
	for (int i = 0; i < args->n; i++)
		text_add(&word, i ? " %s" : "%s", args->arg[i].word);
	rc = help_find(s, text_str(&word), &c, &p, &engine, e);
	text_free(&word);
	if (rc)
		return -1;
	if (c)
		tell_command(c, o);
	if (p)
		tell_topic(p, o);
	out_json(o, "commands", c ? json_make("[o]", command_json(c, true)) : json_array());
	if (p)
		out_json(o, "topics", json_make("[o]", topic_json(p)));
	return 0;
}
