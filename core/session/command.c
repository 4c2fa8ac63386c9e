#include "core/session/command.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/base/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/session/commands/commands.h"

const struct command *const core_commands[] = {CORE_COMMANDS, NULL};

/* --- output ------------------------------------------------------------------------ */

static void lines_add(struct out *o, const char *from, size_t len)
{
	json_array_append_new(o->lines, json_stringn_nocheck(from, len));
}

static void json_text(struct out *o, const char *fmt, va_list ap)
{
	const char *nl, *from;

	text_addv(&o->partial, fmt, ap);
	from = text_str(&o->partial);
	while ((nl = strchr(from, '\n'))) {
		lines_add(o, from, nl - from);
		from = nl + 1;
	}
	o->partial.len = strlen(from);
	if (o->partial.s)
		memmove(o->partial.s, from, o->partial.len + 1);
}

void out_text(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (o->json)
		json_text(o, fmt, ap);
	else
		vfprintf(o->f, fmt, ap);
	va_end(ap);
}

void out_json(struct out *o, const char *key, json_t *v)
{
	if (o->json)
		json_object_set_new(o->object, key, v);
	else
		json_decref(v);
}

static void begin_object(struct out *o, const char *command)
{
	if (!o->json)
		return;
	o->object = json_object();
	o->lines = json_array();
	json_object_set_new(o->object, "command", json_string(command));
}

static void end_object(struct out *o, int rc, const struct err *e)
{
	char *dump;

	if (!o->json)
		return;
	if (o->partial.len)
		lines_add(o, o->partial.s, o->partial.len);
	text_free(&o->partial);
	json_object_set_new(o->object, "ok", json_boolean(!rc));
	if (rc)
		json_object_set_new(o->object, "error", json_string(e->msg));
	if (json_array_size(o->lines))
		json_object_set(o->object, "text", o->lines);
	dump = json_dumps(o->object, JSON_COMPACT | JSON_ENSURE_ASCII);
	if (dump)
		fprintf(o->f, "%s\n", dump);
	free(dump);
	json_decref(o->object);
	json_decref(o->lines);
	o->object = o->lines = NULL;
}

/* --- finding and running --------------------------------------------------------------- */

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

static int run_words(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	const struct command *c = command_find(s, argv[0], e);
	int rc;

	begin_object(o, c ? c->name : argv[0]);
	rc = c ? c->run(s, argc, argv, o, e) : -1;
	end_object(o, rc, e);
	return rc;
}

int session_execute(struct session *s, const char *line, struct out *o, struct err *e)
{
	int rc = 0;

	atomic_store(&s->progress.cancel, false);
	while (line && !rc && !s->quit) {
		const char *rest;
		char **argv;
		int argc;

		if (words_split(line, &rest, &argc, &argv, e))
			return -1;
		if (argc)
			rc = run_words(s, argc, argv, o, e);
		words_free(argc, argv);
		line = rest;
	}
	progress_start(&s->progress, NULL, 0);
	return rc;
}

static void place_error(const struct session *s, const char *name, unsigned line, const char *msg,
			struct err *e)
{
	if (s->error_placed)
		err_set(e, "%s", msg);
	else
		err_set(e, "%s:%u: %s", name, line, msg);
}

int session_script(struct session *s, FILE *in, const char *name, struct out *o, struct err *e)
{
	char *line = NULL;
	size_t cap = 0;
	int rc = 0;

	for (unsigned number = 1; !rc && !s->quit && getline(&line, &cap, in) >= 0; number++) {
		struct err why = {{0}};

		rc = session_execute(s, line, o, &why);
		if (rc) /* of scripts within scripts the innermost place counts */
			place_error(s, name, number, why.msg, e);
		s->error_placed = rc && s->source_depth;
	}
	if (!rc && ferror(in))
		rc = err_set(e, "%s: %s", name, strerror(errno));
	free(line);
	return rc;
}

/* --- help, from the table ------------------------------------------------------------------ */

static int help_all(struct session *s, struct out *o)
{
	const struct command *c;
	json_t *list = json_array();
	size_t t = 0, i = 0;

	while ((c = next_command(s, &t, &i))) {
		out_text(o, "  %-46s %s\n", c->syntax, c->help);
		json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", c->name, "syntax", c->syntax,
						      "help", c->help));
	}
	out_text(o, "Commands may be shortened; `;` separates them, # begins a comment.  `help COMMAND` "
		    "tells more.\n");
	out_json(o, "commands", list);
	return 0;
}

int cmd_help(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	const struct command *c;

	if (argc < 2)
		return help_all(s, o);
	c = command_find(s, argv[1], e);
	if (!c)
		return -1;
	out_text(o, "%s\n  %s\n", c->syntax, c->help);
	if (c->details)
		out_text(o, "%s", c->details);
	return 0;
}
