#include "core/session/command.h"
#include "core/base/err.h"
#include "core/base/text.h"

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
