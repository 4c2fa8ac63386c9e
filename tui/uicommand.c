/* Commands about the interface: panes, sorting, screens, keymaps, colours. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/outfile.h"
#include "core/base/text.h"
#include "tui/ui.h"

/* A command. Most of them need only their words. */
#define UNUSED __attribute__((unused))
#define COMMAND(name)                                                                                   \
	static int name(UNUSED struct session *s, UNUSED const struct args *args, UNUSED struct out *o, \
			UNUSED struct err *e)

/* All words after the command as one text. */
static char *uicommand_joined(const struct args *args)
{
	struct text t = {0};

	text_add(&t, "%s", "");
	for (int i = 0; i < args->n; i++)
		text_add(&t, i ? " %s" : "%s", args->arg[i].word);
	return t.s;
}

/* The pane for a command: the focused one, or the last focused one if the REPL has the focus. */
static struct view *need_view(struct err *e)
{
	struct view *v = pane_focused();

	if (!v)
		err_set(e, "no pane is open");
	ui.addressed = v;
	return v;
}

/* Refuses a FIFO: these commands run in the thread that draws, where nobody could stop the waiting. */
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
	const struct view *now = pane_focused();

	assert(args->argc >= 2);
	ui_refresh();
	if (!(now && now->ops == &view_help) && view_find(args->argv[1]) == &view_help)
		palette_build(now);
	return pane_open(args->argc - 1, args->argv + 1, e);
}

COMMAND(ui_focus)
{
	static const struct {
		const char *word;
		enum place_id place;
	} places[] = {{"list", SLOT_LIST}, {"detail", SLOT_DETAIL}, {"repl", SLOT_REPL}};

	ui.focus_said = true;
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (args_has(args, places[i].word)) {
			pane_focus(places[i].place);
			return 0;
		}
	if (!args->arg[0].small) {
		for (int p = 0; p < SLOT_REPL; p++) {
			struct view *v = pane_top((enum place_id)p);

			if (v && !strcmp(v->ops->name, args->arg[0].word)) {
				pane_focus((enum place_id)p);
				return 0;
			}
		}
		return err_word(e,
				"focus: found \"%s\", expected list, detail, repl, next, previous or a pane "
				"that is shown",
				args->arg[0].word);
	}
	pane_next(args_has(args, "next") ? 1 : -1);
	return 0;
}

/* `on` or `off`; without a word, the opposite of now. */
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
	ui.focus_said = true;
	if (ui.focus == SLOT_REPL)
		pane_focus(ui.last_pane);
	pane_back();
	return 0;
}

COMMAND(ui_sort)
{
	struct view *v = need_view(e);

	if (!v)
		return -1;
	int col = args->n ? view_column(v, args->arg[0].word, e) : -1;
	if (args->n && col < 0)
		return -1;
	return view_sort(v, col, args_has(args, "reverse"), e);
}

COMMAND(ui_filter)
{
	struct view *v = need_view(e);
	char before[VIEW_FILTER_MAX + 1];

	if (!v)
		return -1;
	snprintf(before, sizeof(before), "%s", v->filter);
	AUTO_FREE char *text = uicommand_joined(args);
	view_filter(v, text);
	int rc = view_filter_check(v, e);
	if (rc)
		view_filter(v, before);
	return rc;
}

COMMAND(ui_search)
{
	struct view *v = need_view(e);

	if (!v)
		return -1;
	AUTO_FREE char *text = uicommand_joined(args);
	return find_next(v, text, e);
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
	AUTO_FREE char *text = uicommand_joined(args);

	if (strcmp(args->arg[0].word, "clear") != 0) {
		ui.focus_said = true;
		if (ui.focus == SLOT_REPL)
			pane_focus(ui.last_pane);
	}
	return action_run(text, e) ? -1 : 0;
}

COMMAND(ui_follow)
{
	ui.focus_said = true;
	if (ui.focus == SLOT_REPL)
		pane_focus(ui.last_pane);
	return action_run("follow", e);
}

COMMAND(ui_keymap)
{
	if (refuse_fifo(args->arg[0].word, e) || keymap_choose(args->arg[0].word, e))
		return -1;
	out_text(o, "%s", text_str(&ui.key_errors));
	text_free(&ui.key_errors);
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

/* The pane that draws and understands words: the focused one, or another one that is shown. */
static struct view *need_drawing(struct err *e)
{
	struct view *v = pane_focused();

	for (int p = 0; p < SLOT_REPL && !(v && v->ops->words); p++)
		v = pane_top((enum place_id)p);
	ui.addressed = v;
	if (v && v->ops->words)
		return v;
	err_set(e, "map: the pane is not shown; `pane map` shows it");
	return NULL;
}

COMMAND(ui_map)
{
	static char map[] = "map";
	char *open[] = {map};

	ui_refresh();
	if (!args->n)
		return pane_open(1, open, e);
	struct view *v = need_drawing(e);
	if (!v)
		return -1;
	e->msg[0] = 0;
	if (v->ops->words(v, args->argc - 1, args->argv + 1, e))
		return strcmp(args->arg[0].word, "back") || !pane_back() ? -1 : 0; /* the pane before */
	if (e->msg[0])
		ui_message(false, "%s", e->msg); /* a remark */
	return 0;
}

COMMAND(ui_clear)
{
	repl_clear();
	return 0;
}

/* These commands run in the interface's thread. */
#define HERE(NAME, SYNTAX, HELP, RUN, ...)                                                               \
	{                                                                                                \
		.name = NAME, .syntax = SYNTAX, .help = HELP, .run = RUN, .on_screen = true, __VA_ARGS__ \
	}

const struct command ui_commands[] = {
	HERE("screen", "screen FILE", "save what the terminal shows as text", ui_screen),
	HERE("pane", "pane NAME [ARGUMENT...]", "show a pane", ui_pane, .subcommand = view_subcommand),
	HERE("focus", "focus NAME|next|previous|list|detail|repl", "move to a pane", ui_focus),
	HERE("back", "back", "the pane before", ui_back),
	HERE("maximise", "maximise [on|off]", "the focused pane over the whole screen, and back",
	     ui_maximise),
	HERE("sort", "sort [COLUMN [reverse]]", "sort the focused pane by a column", ui_sort),
	HERE("filter", "filter [TEXT...]", "show only rows that contain the text", ui_filter),
	HERE("search", "search TEXT...", "go to the next row that contains the text", ui_search),
	HERE("keymap", "keymap NAME|FILE", "load key bindings", ui_keymap),
	HERE("colours", "colours " COLOURS, "choose a colour scheme", ui_colours),
	HERE("copy", "copy [name|guid|lid|port|path|command|row]",
	     "copy what is selected to the clipboard of the terminal", ui_copy),
	HERE("mouse", "mouse [on|off]",
	     "take the mouse, or leave it to the terminal, which selects text with it", ui_mouse),
	HERE("select", "select N", "select the N-th row shown", ui_select),
	HERE("follow", "follow", "follow the selected row, as Enter does", ui_follow),
	HERE("fold", "fold [on|off]",
	     "panes show switch chips under their element (chassis); Enter opens one", ui_fold),
	HERE("action", "action NAME [ARG...]", "do what a key bound to NAME does", ui_action),
	HERE("map",
	     "map [overview|around|whole|in|out|back] | colour [NAME] | overlay [NAME] | along|other|plane "
	     "[previous]",
	     "show the map; what its keys do: scales, colours, overlays, steps along them", ui_map),
	HERE("clear", "clear", "forget the text of the REPL", ui_clear),
	{.name = NULL},
};
