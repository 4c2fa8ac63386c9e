/* Commands that concern the interface itself: panes, sorting, screens, keymaps, colours. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/base/err.h"
#include "core/base/number.h"
#include "core/base/memory.h"
#include "core/base/outfile.h"
#include "core/base/text.h"
#include "tui/ui.h"

/* A command; most need its words only. */
#define UNUSED __attribute__((unused))
#define COMMAND(name)                                                                                   \
	static int name(UNUSED struct session *s, UNUSED const struct args *args, UNUSED struct out *o, \
			UNUSED struct err *e)

/* All words behind the command as one text. */
static char *joined(const struct args *args)
{
	struct text t = {0};
	char *s;

	for (int i = 0; i < args->n; i++)
		text_add(&t, i ? " %s" : "%s", args->arg[i].word);
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

/* These commands run in the thread that draws, where nobody could stop the waiting for another end. */
static int refuse_fifo(const char *path, struct err *e)
{
	struct stat st;

	if (!stat(path, &st) && S_ISFIFO(st.st_mode))
		return err_set(
			e, "%s: found a FIFO, expected a file: the screen does not wait for its other end",
			path);
	return 0;
}

COMMAND(ui_screen)
{
	struct outfile to;

	if (refuse_fifo(args->arg[0].word, e))
		return -1;
	if (outfile_open(&to, args->arg[0].word, worker_progress(), e))
		return -1;
	ui.quiet = true;
	ui_draw();
	ui.quiet = false;
	term_screen(to.f);
	return outfile_close(&to, 0, e);
}

COMMAND(ui_pane)
{
	ui_refresh();
	return pane_open(args->argc - 1, args->argv + 1, e);
}

/* A pane that is shown, by its name. */
static int focus_by_name(const char *name, struct err *e)
{
	for (int p = 0; p < SLOT_REPL; p++) {
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

COMMAND(ui_focus)
{
	static const struct {
		const char *word;
		enum place_id place;
	} places[] = {{"list", SLOT_LIST}, {"detail", SLOT_DETAIL}, {"repl", SLOT_REPL}};

	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (args_has(args, places[i].word)) {
			pane_focus(places[i].place);
			return 0;
		}
	if (!args->arg[0].small)
		return focus_by_name(args->arg[0].word, e);
	pane_next(args_has(args, "next") ? 1 : -1);
	return 0;
}

/* `on` or `off`; without a word the other one. */
static bool switched(const struct args *args, bool now)
{
	return args->n ? args_has(args, "on") : !now;
}

COMMAND(ui_maximise)
{
	ui.maximised = switched(args, ui.maximised);
	return 0;
}

COMMAND(ui_fold)
{
	return fold_panes(switched(args, ui.scene.fold), e);
}

COMMAND(ui_back)
{
	if (ui.focus == SLOT_REPL)
		pane_focus(ui.last_pane);
	pane_back();
	return 0;
}

COMMAND(ui_sort)
{
	struct view *v = need_view(e);
	int col;

	if (!v)
		return -1;
	col = args->n ? view_column(v, args->arg[0].word, e) : -1;
	if (args->n && col < 0)
		return -1;
	return view_sort(v, col, args_has(args, "reverse"), e);
}

COMMAND(ui_filter)
{
	struct view *v = need_view(e);
	char before[VIEW_FILTER_MAX + 1];
	char *text;
	int rc;

	if (!v)
		return -1;
	snprintf(before, sizeof(before), "%s", v->filter);
	text = joined(args);
	view_filter(v, text);
	free(text);
	rc = view_filter_check(v, e);
	if (rc)
		view_filter(v, before);
	return rc;
}

COMMAND(ui_search)
{
	struct view *v = need_view(e);
	char *text;
	int rc;

	if (!v)
		return -1;
	text = joined(args);
	rc = find_next(v, text, e);
	free(text);
	return rc;
}

COMMAND(ui_select)
{
	struct view *v = need_view(e);
	uint64_t n;

	if (!v)
		return -1;
	if (!number_of(args->arg[0].word, 1, view_count(v), &n))
		return err_set(e, "select: found \"%s\", expected a row 1 .. %u", args->arg[0].word,
			       view_count(v));
	view_select(v, (int64_t)n - 1);
	return 0;
}

COMMAND(ui_action)
{
	char *text = joined(args);
	int rc;

	if (ui.focus == SLOT_REPL && strcmp(args->arg[0].word, "clear"))
		pane_focus(ui.last_pane);
	rc = action_run(text, e) ? -1 : 0;
	free(text);
	return rc;
}

COMMAND(ui_follow)
{
	if (ui.focus == SLOT_REPL)
		pane_focus(ui.last_pane);
	return action_run("follow", e);
}

static void show_key_errors(struct out *o)
{
	out_text(o, "%s", text_str(&ui.key_errors));
	text_free(&ui.key_errors);
	memset(&ui.key_errors, 0, sizeof(ui.key_errors));
}

COMMAND(ui_keymap)
{
	if (refuse_fifo(args->arg[0].word, e) || keymap_choose(args->arg[0].word, e))
		return -1;
	show_key_errors(o);
	return 0;
}

COMMAND(ui_colours)
{
	return colours_choose(args->arg[0].word, e);
}

COMMAND(ui_copy)
{
	struct view *v = need_view(e);

	return v ? copy_selected(v, args->n ? args->arg[0].word : "name", e) : -1;
}

COMMAND(ui_mouse)
{
	return term_mouse_use(switched(args, term_mouse_used()), e);
}

/* The pane that draws and understands words: the focused one, else one that is shown. */
static struct view *need_drawing(struct err *e)
{
	struct view *v = pane_focused();

	for (int p = 0; p < SLOT_REPL && !(v && v->ops->words); p++)
		v = pane_top((enum place_id)p);
	if (v && v->ops->words)
		return v;
	err_set(e, "map: the pane is not shown; `pane map` shows it");
	return NULL;
}

COMMAND(ui_map)
{
	static char map[] = "map";
	char *open[] = {map};
	struct view *v;

	ui_refresh();
	if (!args->n)
		return pane_open(1, open, e);
	v = need_drawing(e);
	if (!v)
		return -1;
	e->msg[0] = 0;
	if (v->ops->words(v, args->argc - 1, args->argv + 1, e))
		return strcmp(args->arg[0].word, "back") || !pane_back() ? -1 : 0; /* the pane before */
	if (e->msg[0])
		out_text(o, "%s\n", e->msg);
	return 0;
}

COMMAND(ui_clear)
{
	repl_clear();
	return 0;
}

const struct command ui_commands[] = {
	{.name = "screen",
	 .syntax = "screen FILE",
	 .help = "save what the terminal shows as text",
	 .run = ui_screen,
	 .on_screen = true},
	{.name = "pane",
	 .syntax = "pane NAME [ARGUMENT...]",
	 .help = "show a pane",
	 .subcommand = view_subcommand,
	 .run = ui_pane,
	 .on_screen = true},
	{.name = "focus",
	 .syntax = "focus NAME|next|previous|list|detail|repl",
	 .help = "move to a pane",
	 .run = ui_focus,
	 .on_screen = true},
	{.name = "back", .syntax = "back", .help = "the pane before", .run = ui_back, .on_screen = true},
	{.name = "maximise",
	 .syntax = "maximise [on|off]",
	 .help = "the focused pane over the whole screen, and back",
	 .run = ui_maximise,
	 .on_screen = true},
	{.name = "sort",
	 .syntax = "sort [COLUMN [reverse]]",
	 .help = "sort the focused pane by a column",
	 .run = ui_sort,
	 .on_screen = true},
	{.name = "filter",
	 .syntax = "filter [TEXT...]",
	 .help = "show only rows that contain the text",
	 .details =
		 "  Words that must all occur; COLUMN:TEXT looks where a word of the header says "
		 "(now:7, peer:spine);\n"
		 "  /REGEX/ and COLUMN:/REGEX/ are regular expressions; -WORD must not occur; changed, down "
		 "and detour\n"
		 "  also mean the marks.  Without a word all rows are shown.\n",
	 .run = ui_filter,
	 .on_screen = true},
	{.name = "search",
	 .syntax = "search TEXT...",
	 .help = "go to the next row that contains the text",
	 .details =
		 "  What is searched for is as in `filter`.  Where no row has it, letters in order will do: "
		 "lf3 is leaf-03.\n"
		 "  A pane that has it when the focused one has not is named.\n",
	 .run = ui_search,
	 .on_screen = true},
	{.name = "keymap",
	 .syntax = "keymap NAME|FILE",
	 .help = "load key bindings",
	 .run = ui_keymap,
	 .on_screen = true},
	{.name = "colours",
	 .syntax = "colours " COLOURS,
	 .help = "choose a colour scheme",
	 .run = ui_colours,
	 .on_screen = true},
	{.name = "copy",
	 .syntax = "copy [name|guid|lid|port|path|command|row]",
	 .help = "what is selected, to the clipboard of the terminal",
	 .details = "  By OSC 52, which goes through ssh.  tmux takes it with `set -g set-clipboard on`, or "
		    "passes "
		    "it on\n"
		    "  with `set -g allow-passthrough on`; screen passes it on.  command: one that shows the "
		    "same.\n",
	 .run = ui_copy,
	 .on_screen = true},
	{.name = "mouse",
	 .syntax = "mouse [on|off]",
	 .help = "take the mouse, or leave it to the terminal, which selects text with it",
	 .details =
		 "  With the mouse on, text is selected with Shift held (Option or Fn in some terminals).\n",
	 .run = ui_mouse,
	 .on_screen = true},
	{.name = "select",
	 .syntax = "select N",
	 .help = "select the N-th row shown",
	 .run = ui_select,
	 .on_screen = true},
	{.name = "follow",
	 .syntax = "follow",
	 .help = "follow the selected row, as Enter does",
	 .run = ui_follow,
	 .on_screen = true},
	{.name = "fold",
	 .syntax = "fold [on|off]",
	 .help = "panes show switch chips under their element (chassis); Enter opens one",
	 .run = ui_fold,
	 .on_screen = true},
	{.name = "action",
	 .syntax = "action NAME [ARG...]",
	 .help = "do what a key bound to NAME does",
	 .run = ui_action,
	 .on_screen = true},
	{.name = "map",
	 .syntax = "map [overview|around|whole|in|out|back] | colour [NAME] | overlay [NAME] | "
		   "along|other|plane [previous]",
	 .help = "show the map; what its keys do: scales, colours, overlays, steps along them",
	 .details = "  Without NAME the next colour or overlay that has something to show.\n"
		    "  colour       state, load, rank, layers, chassis, change, step\n"
		    "  overlay      none, links (of the selection), path, cycle, turn, layer, flows, failed, "
		    "changed\n"
		    "  along        the selection to the next switch of the overlay\n"
		    "  other        its other direction, the next cycle or layer\n"
		    "  plane        the same place in the next plane, the next pod, chassis or group\n",
	 .run = ui_map,
	 .on_screen = true},
	{.name = "clear",
	 .syntax = "clear",
	 .help = "forget the text of the REPL",
	 .run = ui_clear,
	 .on_screen = true},
	{.name = NULL},
};
