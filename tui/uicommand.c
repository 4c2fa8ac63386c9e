/* Commands that concern the interface itself: panes, sorting, screens, keymaps, colours. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "tui/ui.h"

/* In batch mode there is no interface; with one, the command is done in its thread. */
static int hand_over(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	if (!s->ui_command)
		return err_set(e, "%s: needs the curses interface (start without -e and -x)", argv[0]);
	return s->ui_command(s->ui, argc, argv, o->f, e);
}

const struct command ui_commands[] = {
	{"screen", "screen FILE", "save what the terminal shows as text", NULL, "f", NULL, hand_over},
	{"pane", "pane NAME [ARGUMENT...]", "show a pane", NULL, "te*", NULL, hand_over},
	{"focus", "focus NAME|next|previous", "move to a pane", NULL, "t", NULL, hand_over},
	{"back", "back", "the pane before", NULL, "", NULL, hand_over},
	{"maximise", "maximise", "the focused pane over the whole screen, and back", NULL, "", NULL,
	 hand_over},
	{"sort", "sort [COLUMN [reverse]]", "sort the focused pane by a column", NULL, "t", NULL, hand_over},
	{"filter", "filter [TEXT]", "show only rows that contain the text", NULL, "t", NULL, hand_over},
	{"search", "search TEXT", "go to the next row that contains the text", NULL, "t", NULL, hand_over},
	{"keymap", "keymap NAME|FILE", "load key bindings", NULL, "f", NULL, hand_over},
	{"colours", "colours NAME", "choose a colour scheme", NULL, "t", NULL, hand_over},
	{.name = "select",
	 .syntax = "select N",
	 .help = "select the N-th row shown",
	 .args = "t",
	 .run = hand_over},
	{.name = "follow",
	 .syntax = "follow",
	 .help = "follow the selected row, as Enter does",
	 .run = hand_over},
	{.name = "fold",
	 .syntax = "fold [on|off]",
	 .help = "panes show switch chips under their element (chassis); Enter opens one",
	 .run = hand_over},
	{.name = "action",
	 .syntax = "action NAME [ARG]",
	 .help = "do what a key bound to NAME does",
	 .args = "t*",
	 .run = hand_over},
	{.name = "clear", .syntax = "clear", .help = "forget the text of the REPL", .run = hand_over},
	{.name = NULL},
};

/* How a command is written, from the session's tables. */
static const char *syntax_of(const char *name)
{
	for (size_t t = 0; ui.session->commands[t]; t++)
		for (const struct command *c = ui.session->commands[t]; c->name; c++)
			if (!strcmp(c->name, name))
				return c->syntax;
	return name;
}

static int need(int argc, int least, int most, char **argv, struct err *e)
{
	if (argc - 1 >= least && argc - 1 <= most)
		return 0;
	return err_set(e, "%s: found %d arguments, expected: %s", argv[0], argc - 1, syntax_of(argv[0]));
}

static char *joined(int argc, char **argv)
{
	struct text t = {0};
	char *s;

	for (int i = 1; i < argc; i++)
		text_add(&t, i > 1 ? " %s" : "%s", argv[i]);
	s = str_dup(text_str(&t));
	text_free(&t);
	return s;
}

/* The pane a command is about: the focused one, or the last one when the REPL has the focus. */
static struct view *need_view(struct err *e)
{
	struct view *v = pane_focused();

	if (!v)
		err_set(e, "no pane is open");
	return v;
}

static int ui_screen(int argc, char **argv, FILE *out, struct err *e)
{
	FILE *f;

	(void)out;
	if (need(argc, 1, 1, argv, e))
		return -1;
	f = fopen(argv[1], "we");
	if (!f)
		return err_set(e, "screen: cannot write %s: %s", argv[1], strerror(errno));
	ui.quiet = true;
	ui_draw();
	ui.quiet = false;
	term_screen(f);
	if (fclose(f))
		return err_set(e, "screen: cannot write %s: %s", argv[1], strerror(errno));
	return 0;
}

static int ui_pane(int argc, char **argv, FILE *out, struct err *e)
{
	(void)out;
	if (need(argc, 1, 99, argv, e)) /* panes know better how many they take */
		return -1;
	ui_refresh();
	return pane_open(argc - 1, argv + 1, e);
}

/* A pane that is shown, by its name. */
static int focus_by_name(const char *name, struct err *e)
{
	for (int p = 0; p < 2; p++) {
		struct view *v = pane_top((enum place_id)p);

		if (v && !strcmp(v->ops->name, name)) {
			pane_focus((enum place_id)p);
			return 0;
		}
	}
	return err_set(
		e, "focus: found \"%s\", expected list, detail, repl, next, previous or a pane that is shown",
		name);
}

static int ui_focus(int argc, char **argv, FILE *out, struct err *e)
{
	(void)out;
	if (need(argc, 1, 1, argv, e))
		return -1;
	if (!strcmp(argv[1], "list"))
		pane_focus(PLACE_LIST);
	else if (!strcmp(argv[1], "detail"))
		pane_focus(PLACE_DETAIL);
	else if (!strcmp(argv[1], "repl"))
		pane_focus(PLACE_REPL);
	else if (!strcmp(argv[1], "next"))
		pane_next(1);
	else if (!strcmp(argv[1], "previous"))
		pane_next(-1);
	else
		return focus_by_name(argv[1], e);
	return 0;
}

static int ui_maximise(int argc, char **argv, FILE *out, struct err *e)
{
	(void)out;
	if (need(argc, 0, 1, argv, e))
		return -1;
	if (argc > 1 && strcmp(argv[1], "on") && strcmp(argv[1], "off"))
		return err_set(e, "maximise: found \"%s\", expected on or off", argv[1]);
	ui.maximised = argc > 1 ? !strcmp(argv[1], "on") : !ui.maximised;
	return 0;
}

static int ui_fold(int argc, char **argv, FILE *out, struct err *e)
{
	(void)out;
	if (need(argc, 0, 1, argv, e))
		return -1;
	if (argc > 1 && strcmp(argv[1], "on") && strcmp(argv[1], "off"))
		return err_set(e, "fold: found \"%s\", expected on or off", argv[1]);
	return fold_panes(argc > 1 ? !strcmp(argv[1], "on") : !ui.scene.fold, e);
}

static int ui_back(int argc, char **argv, FILE *out, struct err *e)
{
	(void)out;
	if (need(argc, 0, 0, argv, e))
		return -1;
	if (ui.focus == PLACE_REPL)
		pane_focus(ui.last_pane);
	pane_back();
	return 0;
}

static int ui_sort(int argc, char **argv, FILE *out, struct err *e)
{
	struct view *v = need_view(e);
	int col;

	(void)out;
	if (!v || need(argc, 0, 2, argv, e))
		return -1;
	if (argc > 2 && strcmp(argv[2], "reverse"))
		return err_set(e, "sort: found \"%s\", expected reverse", argv[2]);
	col = argc > 1 ? view_column(v, argv[1], e) : -1;
	if (argc > 1 && col < 0)
		return -1;
	return view_sort(v, col, argc > 2, e);
}

static int ui_filter(int argc, char **argv, FILE *out, struct err *e)
{
	struct view *v = need_view(e);
	char *s;

	(void)out;
	if (!v)
		return -1;
	s = joined(argc, argv);
	view_filter(v, s);
	free(s);
	return 0;
}

static int ui_search(int argc, char **argv, FILE *out, struct err *e)
{
	struct view *v = need_view(e);
	char *s;
	int rc = 0;

	(void)out;
	if (!v || need(argc, 1, 99, argv, e))
		return -1;
	s = joined(argc, argv);
	snprintf(ui.search, sizeof(ui.search), "%s", s);
	if (!view_search(v, s, 1, false, 0.5))
		rc = err_set(e, "search: \"%s\" is in no row of pane %s", s, v->ops->name);
	free(s);
	return rc;
}

static int ui_select(int argc, char **argv, FILE *out, struct err *e)
{
	struct view *v = need_view(e);
	char *end;
	unsigned long n;

	(void)out;
	if (!v || need(argc, 1, 1, argv, e))
		return -1;
	errno = 0;
	n = strtoul(argv[1], &end, 10);
	if (*end || end == argv[1] || errno || !n || n > view_count(v))
		return err_set(e, "select: found \"%s\", expected a row 1 .. %u", argv[1], view_count(v));
	view_select(v, (int64_t)n - 1);
	return 0;
}

static int ui_action(int argc, char **argv, FILE *out, struct err *e)
{
	char *s = joined(argc, argv);
	int rc;

	(void)out;
	if (ui.focus == PLACE_REPL && argc > 1 && strcmp(argv[1], "clear"))
		pane_focus(ui.last_pane);
	rc = need(argc, 1, 9, argv, e) || action_run(s, e) ? -1 : 0;
	free(s);
	return rc;
}

static int ui_follow(int argc, char **argv, FILE *out, struct err *e)
{
	(void)out;
	if (need(argc, 0, 0, argv, e))
		return -1;
	if (ui.focus == PLACE_REPL)
		pane_focus(ui.last_pane);
	return action_run("follow", e);
}

static void show_key_errors(FILE *out)
{
	if (ui.key_errors.len)
		fputs(ui.key_errors.s, out);
	text_free(&ui.key_errors);
	memset(&ui.key_errors, 0, sizeof(ui.key_errors));
}

static int ui_keymap(int argc, char **argv, FILE *out, struct err *e)
{
	if (need(argc, 1, 1, argv, e) || keymap_choose(argv[1], e))
		return -1;
	show_key_errors(out);
	return 0;
}

static int ui_colours(int argc, char **argv, FILE *out, struct err *e)
{
	(void)out;
	return need(argc, 1, 1, argv, e) ? -1 : colours_choose(argv[1], e);
}

static int ui_clear(int argc, char **argv, FILE *out, struct err *e)
{
	(void)out;
	if (need(argc, 0, 0, argv, e))
		return -1;
	repl_clear();
	return 0;
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv, FILE *out, struct err *e);
} table[] = {
	{"screen", ui_screen},	 {"pane", ui_pane},	{"focus", ui_focus},   {"maximise", ui_maximise},
	{"back", ui_back},	 {"sort", ui_sort},	{"filter", ui_filter}, {"search", ui_search},
	{"select", ui_select},	 {"follow", ui_follow}, {"action", ui_action}, {"keymap", ui_keymap},
	{"colours", ui_colours}, {"clear", ui_clear},	{"fold", ui_fold},
};

int ui_command_now(int argc, char **argv, FILE *out, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (!strcmp(table[i].name, argv[0]))
			return table[i].run(argc, argv, out, e);
	return err_set(e, "the interface has no command \"%s\"", argv[0]);
}

/* `screen` is left to the worker, so that it shows what the commands typed before it did. */
bool ui_command_line(const char *line)
{
	const char *rest = line;
	bool all = true;

	while (rest && all) {
		const char *next = NULL;
		struct err e;
		int argc = 0;
		char **argv = NULL;
		bool known = false;

		if (words_split(rest, &next, &argc, &argv, &e))
			return false;
		for (size_t i = 1; argc && i < ARRAY_LEN(table); i++)
			known |= !strcmp(table[i].name, argv[0]);
		all = known || !argc;
		words_free(argc, argv);
		rest = next;
	}
	return all;
}
