/* Scripts, help, quitting. */
#include <errno.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"

#define MAX_SOURCE_DEPTH 16

static int cmd_source(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	struct out inner = *o;
	FILE *f;
	int rc;

	if (argc != 2)
		return usage(s, "source", e);
	if (s->source_depth >= MAX_SOURCE_DEPTH)
		return err_set(e, "%s: scripts call each other more than %d deep", argv[1], MAX_SOURCE_DEPTH);
	f = fopen(argv[1], "re");
	if (!f)
		return err_set(e, "%s: %s", argv[1], strerror(errno));
	s->source_depth++;
	inner.object = inner.lines = NULL;
	inner.partial = (struct text){0};
	rc = session_script(s, f, argv[1], &inner, e);
	s->source_depth--;
	o->found_fault |= inner.found_fault;
	fclose(f);
	return rc;
}

static int cmd_quit(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	(void)argv;
	(void)o;
	if (argc != 1)
		return usage(s, "quit", e);
	s->quit = true;
	return 0;
}

static int cmd_echo(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	(void)s;
	(void)e;
	for (int i = 1; i < argc; i++)
		out_text(o, "%s%s", i > 1 ? " " : "", argv[i]);
	out_text(o, "\n");
	return 0;
}

const struct command session_commands[] = {
	{"source", "source FILE", "run commands from a file", NULL, "f", NULL, cmd_source},
	{"echo", "echo TEXT...", "print the words", NULL, "t*", NULL, cmd_echo},
	{"help", "help [COMMAND]", "list the commands, or tell about one", NULL, "c", NULL, cmd_help},
	{"quit", "quit", "leave", NULL, "", NULL, cmd_quit},
	{0},
};
