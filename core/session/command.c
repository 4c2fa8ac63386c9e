#include "core/session/command.h"
#include "core/base/err.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

#include "core/session/commands/commands.h"

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

/* --- help, from the table ------------------------------------------------------------------ */

static int help_all(struct session *s, struct out *o)
{
	const struct command *c;
	json_t *list = json_array();
	size_t t = 0, i = 0;

	while ((c = next_command(s, &t, &i))) {
		out_text(o, "  %-46s %s\n", c->syntax, c->help);
		json_array_append_new(list, json_make("{s:s, s:s, s:s}", "name", c->name, "syntax", c->syntax,
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
	out_json(o, "commands",
		 json_make("[{s:s, s:s, s:s, s:s*}]", "name", c->name, "syntax", c->syntax, "help", c->help,
			   "details", c->details));
	return 0;
}
