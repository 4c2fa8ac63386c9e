/* Named actions for keys, the keymap in force, and what help says about both. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/help.h"
#include "tui/ui.h"

/* arg: the text after the name. v: the focused pane, NULL in the REPL. n: the number in the row below. */
#define UNUSED __attribute__((unused))
#define ACTION(fn) \
	static int fn(UNUSED struct view *v, UNUSED const char *arg, UNUSED int n, UNUSED struct err *e)

struct action {
	const char *name;
	const char *help;
	int (*run)(struct view *v, const char *arg, int n, struct err *e);
	int n;
};

ACTION(do_rows)
{
	if (v)
		view_move(v, 0, n);
	return 0;
}

/* n: number of half pages. */
ACTION(do_pages)
{
	int h = ui.rect[ui.focus].h - 3, page = h > 1 ? h - 1 : 1;

	if (repl_was_used() && n / 2 && repl_more(n / 2))
		return 0;
	if (v)
		view_move(v, 0, n == 1 || n == -1 ? n * ((page + 1) / 2) : n / 2 * page);
	return 0;
}

/* Home and End, also in a drawing. */
ACTION(do_far)
{
	if (v)
		view_move(v, n * VIEW_FAR, 0);
	return 0;
}

ACTION(do_across)
{
	if (v && v->ops->move)
		view_move(v, n, 0);
	else if (v && v->ops->across)
		v->ops->across(v, n);
	else if (v && n < 0)
		v->shift -= MIN(v->shift, 8);
	else if (v)
		v->shift = v->shift + 8 < v->beyond ? v->shift + 8 : v->beyond;
	return 0;
}

/* Shows columns that have no room: leaves out one more, or one less, after the first. */
ACTION(do_columns)
{
	if (!v || v->ops->draw)
		return 0;
	if (n > 0 && !v->hides)
		return err_set(e, v->skip ? "this is the last column" : "all columns are shown");
	v->skip += n > 0 || v->skip ? (unsigned)n : 0;
	v->shift = 0;
	return 0;
}

ACTION(do_next_pane)
{
	pane_next(n);
	return 0;
}

ACTION(do_scroll)
{
	repl_scroll(n * repl_page());
	return 0;
}

enum { TO_REPL, COMMAND, LEAVE, SUSPEND, QUIT, CLEAR, MAXIMISE, REDRAW };

/* `quit ask`: a journal that was not saved is not given up by one key. */
static bool quit_asks(const char *arg)
{
	bool again = ui.leave_at && ui.keys_seen == ui.leave_at + 1;

	if (strcmp(arg, "ask") != 0 || !session_unsaved(ui.session) || again)
		return false;
	ui.leave_at = ui.keys_seen;
	ui.leave_key = ui.n_pending ? ui.pending[ui.n_pending - 1] : 0;
	ui_message(false,
		   "Leave? The same key again: yes; any other: no. `save-session FILE` keeps the journal");
	return true;
}

/* Actions that do not depend on a pane. */
ACTION(do_screen)
{
	if (n == LEAVE)
		pane_focus(ui.last_pane);
	if (n == TO_REPL || n == COMMAND)
		repl_go(n == COMMAND ? LINE_GOES_BACK : LINE_STAYS);
	ui.quit |= n == QUIT && !quit_asks(arg);
	ui.maximised ^= n == MAXIMISE;
	if (n == CLEAR)
		repl_clear();
	if (n == SUSPEND) {
		term_stopped = 1;
		ui_wake();
	}
	if (n == REDRAW) {
		background_resume();
		term_resized();
	}
	return 0;
}

ACTION(do_follow)
{
	AUTO_TEXT struct text t = {0};
	uint32_t row;

	if (v && view_toggle(v))
		return 0;
	if (!v || !view_leads(v) || !view_selected(v, &row))
		return err_set(e, "nothing to follow here");
	view_follow(v, row, &t);
	if (t.len && v->ops->flags & VIEW_ONCE)
		pane_leave();
	if (t.len)
		repl_run(t.s, false);
	else if (v->ops->complete)
		view_complete(v);
	return 0;
}

/* Panes are refreshed at once, since the next keys may have been typed already. */
int fold_panes(bool on, struct err *e)
{
	ui_refresh();
	const struct view_chassis *c = on && ui.scene.fabric ? scene_chassis(&ui.scene, e) : NULL;
	if (on && ui.scene.fabric && !c)
		return -1;
	ui.scene.fold = on;
	ui_refresh();
	if (c && !c->several)
		ui_message(false, "no element has several chips: nothing to fold");
	return 0;
}

ACTION(do_fold)
{
	return fold_panes(!ui.scene.fold, e);
}

ACTION(do_back)
{
	if (!pane_back())
		ui_message(false, "this is the first pane");
	return 0;
}

#define ASKS_AFTER 1.0 /* seconds; what has run for less is not asked about */

/* Is a pane on the screen waiting for a result that is being computed? Adds their names. */
static bool panes_wait(struct text *t)
{
	bool any = false;

	for (int p = 0; p < SLOT_REPL && background_busy(); p++) {
		const struct view *v = pane_top((enum place_id)p);

		if (!v || !v->waiting || !ui.rect[p].h)
			continue;
		text_add(t, "%s%s", any ? " and " : "pane ", v->ops->name);
		any = true;
	}
	return any;
}

/* What a person may want to stop: its name, and since when it runs. False: nothing runs. */
static bool running(struct text *what, double *since)
{
	if (worker_busy(since) && worker_line(what))
		return true;
	*since = background_since();
	return panes_wait(what);
}

void stop_running(void)
{
	AUTO_TEXT struct text what = {0};
	double since;

	if (worker_busy(&since)) {
		worker_line(&what);
		worker_cancel();
		ui_message(false, "stopped: %s", text_str(&what));
	} else if (panes_wait(&what)) {
		background_give_up();
		ui_message(false, "stopped: %s; C-l goes on", text_str(&what));
	} else if (background_busy()) {
		background_give_up();
		ui_message(false, "stopped the computation of a pane; C-l goes on");
	} else {
		ui_message(false, "nothing is running");
	}
}

ACTION(do_cancel)
{
	if (v && v->filter[0] && !worker_busy(NULL))
		view_filter(v, "");
	else
		stop_running();
	return 0;
}

/* Esc: one step back, whatever there is to leave. What has run for a second is stopped, when asked twice. */
ACTION(do_escape)
{
	static unsigned long asked;
	bool again = asked && ui.keys_seen == asked + 1;
	AUTO_TEXT struct text what = {0};
	double since;

	asked = 0;
	if (again && running(&what, &since)) {
		stop_running();
	} else if (repl_was_used()) {
		; /* the REPL shrinks */
	} else if (running(&what, &since) && now_seconds() - since >= ASKS_AFTER) {
		asked = ui.keys_seen;
		ui_message(false, "Esc again stops: %s", text_str(&what));
	} else if (v && v->filter[0]) {
		view_filter(v, "");
	} else {
		pane_back();
	}
	return 0;
}

/* n: LINE_SEARCH or LINE_FILTER. */
ACTION(do_line)
{
	if (!v)
		return 0;
	ui.line_mode = (enum line_mode)n;
	ui.line_sel = v->sel;
	snprintf(ui.line_before, sizeof(ui.line_before), "%s", v->filter);
	snprintf(ui.line, sizeof(ui.line), "%s", n == LINE_FILTER ? v->filter : "");
	return 0;
}

ACTION(do_search_again)
{
	return find_again(v, n, e);
}

/* Copies one thing, or opens the menu of what can be copied. */
ACTION(do_copy)
{
	uint32_t row;

	if (*arg)
		return copy_selected(v, arg, e);
	if (!v || !view_current(v, &row))
		return err_set(e, "copy: nothing is selected");
	ui.line_mode = LINE_COPY;
	return 0;
}

/* Sorts by the named or the next column; after the last one, not at all. */
ACTION(do_sort)
{
	if (!v)
		return 0;
	int col = *arg ? view_column(v, arg, e) : v->sort + 1;
	if (*arg && col < 0)
		return -1;
	return view_sort(v, col < (int)v->ops->n_columns ? col : -1, false, e);
}

ACTION(do_sort_reverse)
{
	if (!v || v->sort < 0)
		return v ? view_sort(v, 0, true, e) : 0;
	return view_sort(v, v->sort, !v->descending, e);
}

/* Loads a file of the last ones again, by its number from 1 on. */
ACTION(do_recent)
{
	AUTO_TEXT struct text t = {0};
	size_t i = (size_t)(*arg - '1');

	if (i >= ui.scene.n_recent || arg[1])
		return err_set(e, "the list of files has no such number: it has %zu", ui.scene.n_recent);
	text_add(&t, "load ");
	word_text(ui.scene.recent[i], &t);
	repl_run(text_str(&t), false);
	return 0;
}

ACTION(do_propose)
{
	AUTO_TEXT struct text line = {0}, why = {0};
	bool any = propose_line(&line, &why);

	if (any)
		repl_run(text_str(&line), false);
	return any ? 0
		   : err_set(e, ui.scene.fabric ? "an engine is in force; `route ENGINE` takes another one"
						: "no fabric is loaded");
}

/* Goes to the REPL, with the beginning of a command. Placeholders are those of the row. */
ACTION(do_prompt)
{
	AUTO_TEXT struct text t = {0}, line = {0};
	int rc = v ? view_expand(v, arg, &t, e) : 0;

	if (!rc) {
		const char *text = v ? text_str(&t) : arg;
		const char *here = strstr(text, PLACE_HERE);

		text_add(&line, "%.*s", here ? (int)(here - text) : (int)strlen(text), text);
		if (here)
			text_add(&line, "%s", here + strlen(PLACE_HERE));
		else if (line.len && line.s[line.len - 1] != ' ')
			text_putc(&line, ' ');
		repl_go(LINE_OF_KEY);
		repl_prefill(text_str(&line), here ? (size_t)(here - text) : line.len);
	}
	return rc;
}

static const struct action actions[] = {
	{"up", "row above", do_rows, -1},
	{"down", "row below", do_rows, 1},
	{"page-up", "a page up", do_pages, -2},
	{"page-down", "a page down", do_pages, 2},
	{"half-up", "half a page up", do_pages, -1},
	{"half-down", "half a page down", do_pages, 1},
	{"home", "first row", do_far, -1},
	{"end", "last row", do_far, 1},
	{"left", "move long cells right", do_across, -1},
	{"right", "move long cells left", do_across, 1},
	{"columns-left", "the columns before", do_columns, -1},
	{"columns-right", "the next columns, where there is no room for all", do_columns, 1},
	{"follow",
	 "follow the row: switch to its ports, port to its peer, entry to its path, ...; open or close an "
	 "element",
	 do_follow, 0},
	{"fold", "all panes: switch chips under their element (chassis), or each by itself", do_fold, 0},
	{"back", "back to the pane before", do_back, 0},
	{"next-pane", "next pane", do_next_pane, 1},
	{"prev-pane", "pane before", do_next_pane, -1},
	{"maximise", "this pane alone, or all again", do_screen, MAXIMISE},
	{"command", "one line in the REPL; then the focus is where it was", do_screen, COMMAND},
	{"repl", "to the REPL, and stay there", do_screen, TO_REPL},
	{"leave", "from the REPL back to the pane", do_screen, LEAVE},
	{"propose",
	 "route with the proposed engine: that of opensm.conf beside the file, else the one that "
	 "explains the tables best (drift), else minhop",
	 do_propose, 0},
	{"recent", "load one of the last files again: 1, 2, ...", do_recent, 0},
	{"prompt", "begin a command in the REPL", do_prompt, 0},
	{"search", "search while you type; lf3 finds leaf-03, too", do_line, LINE_SEARCH},
	{"search-next", "next row found", do_search_again, 1},
	{"search-prev", "row found before", do_search_again, -1},
	{"filter", "show only rows that have these words (`changed`, `down`, COLUMN:TEXT, /REGEX/, -WORD)",
	 do_line, LINE_FILTER},
	{"copy", "copy to the clipboard: a second key says what (name, GUID, LID, port, path, command, row)",
	 do_copy, 0},
	{"sort", "sort by the next column, or by one", do_sort, 0},
	{"sort-reverse", "sort the other way round", do_sort_reverse, 0},
	{"scroll-up", "REPL: text above", do_scroll, 1},
	{"scroll-down", "REPL: text below", do_scroll, -1},
	{"clear", "REPL: forget its text", do_screen, CLEAR},
	{"redraw", "draw the screen anew; go on with what was stopped", do_screen, REDRAW},
	{"cancel", "stop the running command; else drop the filter; else stop what the pane waits for",
	 do_cancel, 0},
	{"escape",
	 "leave the output; else drop the filter; else go back; if something has run for a second, ask "
	 "whether to stop it",
	 do_escape, 0},
	{"suspend", "suspend to the shell", do_screen, SUSPEND},
	{"quit",
	 "leave; `quit ask` asks first if failures, edits or other events would be lost, which "
	 "`save-session` has not saved",
	 do_screen, QUIT},
};

static const struct action *actions_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(actions); i++)
		if (strlen(actions[i].name) == len && !strncmp(actions[i].name, name, len))
			return &actions[i];
	return NULL;
}

bool action_at(size_t i, const char **name, const char **help)
{
	if (i >= ARRAY_LEN(actions))
		return false;
	*name = actions[i].name;
	*help = actions[i].help;
	return true;
}

bool action_known(const char *name)
{
	return actions_find(name, strlen(name)) != NULL;
}

/* The selection of another pane, as words for `step until`: an entry, a switch, or a LID. */
static bool add_object(const struct view *v, struct text *t)
{
	uint32_t row;

	if (!v || !view_current(v, &row))
		return false;
	if (view_place(v, row, "switch", t)) {
		text_putc(t, ' ');
		if (view_place(v, row, "dst", t))
			return true;
		text_clear(t);
		text_add(t, "switch ");
		return view_place(v, row, "switch", t);
	}
	text_add(t, "lid ");
	if (view_place(v, row, "endport", t) || view_place(v, row, "dst", t))
		return true;
	text_clear(t);
	return false;
}

/* The same for the pane used before the focused one, or else for the first other pane with such an object. */
static int add_other(const struct view *v, struct text *t, struct err *e)
{
	if (pane_top(ui.pane_before) != v && add_object(pane_top(ui.pane_before), t))
		return 0;
	for (int p = 0; p < SLOT_REPL; p++)
		if (pane_top((enum place_id)p) != v && add_object(pane_top((enum place_id)p), t))
			return 0;
	return err_set(e, "no switch or LID is selected in a pane beside %s", v->ops->name);
}

/* Fills in the placeholders of a command line. %other does not come from the focused pane. */
static int actions_expand(const struct view *v, const char *line, struct text *t, struct err *e)
{
	const char *other = strstr(line, "%other");
	AUTO_TEXT struct text said = {0};

	if (!other)
		return view_expand(v, line, t, e);
	int rc = add_other(v, &said, e);
	if (!rc)
		text_add(t, "%.*s%s%s", (int)(other - line), line, text_str(&said), other + strlen("%other"));
	return rc;
}

int action_run(const char *does, struct err *e)
{
	size_t len = strcspn(does, " ");
	struct view *v = ui.focus == SLOT_REPL ? NULL : pane_top(ui.focus);
	struct text t = {0};

	if (*does == ':') {
		struct view *f = v ? v : pane_focused();
		int rc = f ? actions_expand(f, does + 1, &t, e) : 0;

		if (!rc)
			repl_run(f ? text_str(&t) : does + 1, false);
		text_free(&t);
		return rc;
	}
	const struct action *a = actions_find(does, len);
	if (!a)
		return err_word(e, "unknown action \"%s\"", does);
	return a->run(v, does + len + strspn(does + len, " "), a->n, e);
}

/* --- help ---------------------------------------------------------------------- */

struct help_line help_line_copy(const struct help_line *h)
{
	const char *const from[] = {h->key, h->where, h->does, h->more, h->task, h->press, h->line, h->also};
	char *own[ARRAY_LEN(from)];

	static_assert(sizeof(*h) == sizeof(from), "each text is copied");
	for (size_t i = 0; i < ARRAY_LEN(from); i++)
		own[i] = str_dup(from[i] ? from[i] : "");
	return (struct help_line){own[0], own[1], own[2], own[3], own[4], own[5], own[6], own[7]};
}

void help_line_free(struct help_line *h)
{
	const char *text[] = {h->key, h->where, h->does, h->more, h->task, h->press, h->line, h->also};

	for (size_t i = 0; i < ARRAY_LEN(text); i++)
		free((void *)(uintptr_t)text[i]);
}

static void help_add(const char *key, const char *where, const char *does, const char *more, const char *task)
{
	GROW(ui.help, ui.n_help, ui.cap_help);
	ui.help[ui.n_help++] = help_line_copy(
		&(struct help_line){.key = key, .where = where, .does = does, .more = more, .task = task});
}

void help_free(void)
{
	while (ui.n_help)
		help_line_free(&ui.help[--ui.n_help]);
	free(ui.help);
	ui.help = NULL;
	ui.cap_help = 0;
}

#define OWN_TASK "Your own keys"

const char *task_of(const struct binding *b)
{
	return *b->task ? b->task : OWN_TASK;
}

/* The worker reads the lines for `help` while a key may load another keymap. */
static pthread_mutex_t help_lock = PTHREAD_MUTEX_INITIALIZER;

void help_each(void (*take)(void *to, const struct named *n), void *to)
{
	struct err e;

	pthread_mutex_lock(&help_lock);
	bool none = !ui.n_help; /* there is no screen */
	pthread_mutex_unlock(&help_lock);
	if (none && keymap_choose(NULL, &e))
		return;
	pthread_mutex_lock(&help_lock);
	for (size_t i = 0; i < ui.n_help; i++) {
		const struct help_line *h = &ui.help[i];
		const char *where = !strcmp(h->where, "all")	? "all panes"
				    : !strcmp(h->where, "repl") ? "the REPL"
								: h->where;
		char *text = str_printf("%s%s%s", h->does, *h->more ? ": " : "", h->more);

		take(to, &(struct named){"key", h->key, where, "", text});
		free(text);
	}
	pthread_mutex_unlock(&help_lock);
}

static void help_build(void)
{
	pthread_mutex_lock(&help_lock);
	help_free();
	for (size_t i = 0; i < ui.keys.n; i++) {
		const char *task = task_of(&ui.keys.b[i]);
		size_t first = 0;
		char keys[96];

		while (strcmp(task_of(&ui.keys.b[first]), task))
			first++;
		for (size_t k = first; first == i && k < ui.keys.n;
		     k++) { /* the first binding of a task brings all of them */
			const struct binding *b = &ui.keys.b[k];
			const struct action *a = actions_find(b->does, strcspn(b->does, " "));

			if (strcmp(task_of(b), task))
				continue;
			keys_text(b->key, b->n, keys, sizeof(keys));
			help_add(keys, b->map, b->does, a ? a->help : "", task);
		}
	}
	help_add(
		"S-mouse", "all", "select text as without ibscope",
		"hold Shift (Option, or Fn, in some terminals); `mouse off` leaves the mouse to the terminal",
		"The mouse");
	pthread_mutex_unlock(&help_lock);
}

/* --- the keymap in force ------------------------------------------------------- */

static char *given_keymap(const char *file)
{
	return keymap_given(file, "/proc/self/exe", ui.about->keymaps);
}

static const struct keymap_check check = {action_known, pane_known, given_keymap};

int keymap_choose(const char *name, struct err *e)
{
	struct keymap km = {0};
	const char *want = name ? name : "default";
	char *path = keymap_path(want, "/proc/self/exe", ui.about->keymaps);
	struct err why;

	if (!path)
		return err_set(
			e, "keymap \"%s\" is neither a file nor NAME.keys in $XDG_CONFIG_HOME/ibscope or %s",
			want, ui.about->keymaps);
	int rc = keymap_load(&km, path, &check, &ui.key_errors, e);
	free(path);
	if (rc) {
		keymap_clear(&km);
		return -1;
	}
	AUTO_FREE char *folder = keymap_user_folder();
	AUTO_FREE char *own = folder ? str_printf("%s/keys", folder) : NULL;
	if (own && !access(own, R_OK) && keymap_load(&km, own, &check, &ui.key_errors, &why))
		text_add(&ui.key_errors, "%s\n", why.msg);
	km.name = str_dup(want);
	keymap_clear(&ui.keys);
	ui.keys = km;
	help_build();
	return 0;
}
