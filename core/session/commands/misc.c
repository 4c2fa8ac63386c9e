/* Scripts, help, quitting, and commands that belong to the user interface. */
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

/* Handed to the user interface, which knows panes and the terminal. */
static int cmd_ui(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	if (!s->ui_command)
		return err_set(e, "%s: needs the curses interface (start without -e and -x)", argv[0]);
	return s->ui_command(s->ui, argc, argv, o->f, e);
}

const struct command session_commands[] = {
	{"source", "source FILE", "run commands from a file", NULL, "f", NULL, cmd_source},
	{"echo", "echo TEXT...", "print the words", NULL, "t*", NULL, cmd_echo},
	{"screen", "screen FILE", "save what the terminal shows as text", NULL, "f", NULL, cmd_ui},
	{"pane", "pane NAME [ARGUMENT...]", "show a pane", NULL, "te*", NULL, cmd_ui},
	{"focus", "focus NAME|next|previous", "move to a pane", NULL, "t", NULL, cmd_ui},
	{"back", "back", "the pane before", NULL, "", NULL, cmd_ui},
	{"maximise", "maximise", "the focused pane over the whole screen, and back", NULL, "", NULL, cmd_ui},
	{"sort", "sort [COLUMN [reverse]]", "sort the focused pane by a column", NULL, "t", NULL, cmd_ui},
	{"filter", "filter [TEXT]", "show only rows that contain the text", NULL, "t", NULL, cmd_ui},
	{"search", "search TEXT", "go to the next row that contains the text", NULL, "t", NULL, cmd_ui},
	{"keymap", "keymap NAME|FILE", "load key bindings", NULL, "f", NULL, cmd_ui},
	{"colours", "colours NAME", "choose a colour scheme", NULL, "t", NULL, cmd_ui},
	{"help", "help [COMMAND]", "list the commands, or tell about one", NULL, "c", NULL, cmd_help},
	{"quit", "quit", "leave", NULL, "", NULL, cmd_quit},
	{0},
};
