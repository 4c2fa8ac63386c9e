/* Named actions that keys are bound to, the keymap in force, and what help says about both. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/topics.h"
#include "tui/ui.h"

struct action {
	const char *name;
	const char *help;
	int (*run)(struct view *v, const char *arg,
		   struct err *e); /* v: the focused pane, NULL in the REPL */
};

static int page(void)
{
	int h = ui.rect[ui.focus].h - 3;

	return h > 1 ? h - 1 : 1;
}

static void move(struct view *v, int by)
{
	if (v)
		view_move(v, 0, by);
}

/* Home and End. */
static void move_far(struct view *v, int dir)
{
	if (v)
		view_move(v, dir * VIEW_FAR, 0);
}

#define ACTION(fn) static int fn(struct view *v, const char *arg, struct err *e)
#define UNUSED ((void)v, (void)arg, (void)e)

ACTION(do_up)
{
	UNUSED;
	move(v, -1);
	return 0;
}
ACTION(do_down)
{
	UNUSED;
	move(v, 1);
	return 0;
}
ACTION(do_page_up)
{
	UNUSED;
	move(v, -page());
	return 0;
}
ACTION(do_page_down)
{
	UNUSED;
	move(v, page());
	return 0;
}
ACTION(do_half_up)
{
	UNUSED;
	move(v, -(page() + 1) / 2);
	return 0;
}
ACTION(do_half_down)
{
	UNUSED;
	move(v, (page() + 1) / 2);
	return 0;
}
ACTION(do_next_pane)
{
	UNUSED;
	pane_next(1);
	return 0;
}
ACTION(do_prev_pane)
{
	UNUSED;
	pane_next(-1);
	return 0;
}
ACTION(do_repl)
{
	UNUSED;
	pane_focus(SLOT_REPL);
	return 0;
}
ACTION(do_leave)
{
	UNUSED;
	pane_focus(ui.last_pane);
	return 0;
}
ACTION(do_suspend)
{
	UNUSED;
	term_stopped = 1;
	ui_wake();
	return 0;
}
ACTION(do_quit)
{
	UNUSED;
	ui.quit = true;
	return 0;
}
ACTION(do_scroll_up)
{
	UNUSED;
	repl_scroll(repl_page());
	return 0;
}
ACTION(do_scroll_down)
{
	UNUSED;
	repl_scroll(-repl_page());
	return 0;
}
ACTION(do_clear)
{
	UNUSED;
	repl_clear();
	return 0;
}

ACTION(do_home)
{
	UNUSED;
	move_far(v, -1);
	return 0;
}

ACTION(do_end)
{
	UNUSED;
	move_far(v, 1);
	return 0;
}

ACTION(do_left)
{
	UNUSED;
	if (v && v->ops->move)
		view_move(v, -1, 0);
	else if (v && v->ops->across)
		v->ops->across(v, -1);
	else if (v)
		v->shift -= v->shift < 8 ? v->shift : 8;
	return 0;
}

ACTION(do_right)
{
	UNUSED;
	if (v && v->ops->move)
		view_move(v, 1, 0);
	else if (v && v->ops->across)
		v->ops->across(v, 1);
	else if (v && v->shift < 400)
		v->shift += 8;
	return 0;
}

ACTION(do_follow)
{
	struct text t = {0};
	uint32_t row;

	(void)arg;
	if (v && view_toggle(v))
		return 0;
	if (!v || !view_leads(v) || !view_selected(v, &row))
		return err_set(e, "nothing to follow here");
	view_follow(v, row, &t);
	if (t.len)
		repl_run(t.s, false);
	text_free(&t);
	return 0;
}

/* Panes are read anew at once, for the keys that were typed ahead. */
int fold_panes(bool on, struct err *e)
{
	const struct chassis *c;

	ui_refresh();
	c = on && ui.scene.fabric ? scene_chassis(&ui.scene, e) : NULL;
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
	(void)v;
	(void)arg;
	return fold_panes(!ui.scene.fold, e);
}

ACTION(do_back)
{
	UNUSED;
	if (!pane_back())
		ui_message(false, "this is the first pane");
	return 0;
}

ACTION(do_maximise)
{
	UNUSED;
	ui.maximised = !ui.maximised;
	return 0;
}

ACTION(do_redraw)
{
	UNUSED;
	background_resume();
	term_resized();
	return 0;
}

ACTION(do_cancel)
{
	UNUSED;
	if (worker_busy(NULL)) {
		worker_cancel();
		ui_message(false, "cancelling");
	} else if (v && v->filter[0]) {
		view_filter(v, "");
	} else if (background_busy()) {
		background_give_up();
		ui_message(false, "stopped what the panes wait for; C-l goes on");
	} else {
		ui_message(false, "nothing is running");
	}
	return 0;
}

static void line_start(struct view *v, enum line_mode mode)
{
	ui.line_mode = mode;
	ui.line_sel = v->sel;
	snprintf(ui.line_before, sizeof(ui.line_before), "%s", v->filter);
	snprintf(ui.line, sizeof(ui.line), "%s", mode == LINE_FILTER ? v->filter : "");
}

ACTION(do_search)
{
	(void)e;
	(void)arg;
	if (v)
		line_start(v, LINE_SEARCH);
	return 0;
}

ACTION(do_filter)
{
	(void)e;
	(void)arg;
	if (v)
		line_start(v, LINE_FILTER);
	return 0;
}

ACTION(do_search_next)
{
	(void)arg;
	return find_again(v, 1, e);
}

ACTION(do_search_prev)
{
	(void)arg;
	return find_again(v, -1, e);
}

/* One thing, or a menu of what there is. */
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

/* The next column, or the named one; behind the last: as the rows come. */
ACTION(do_sort)
{
	int col;

	if (!v)
		return 0;
	col = *arg ? view_column(v, arg, e) : v->sort + 1;
	if (*arg && col < 0)
		return -1;
	return view_sort(v, col < (int)v->ops->n_columns ? col : -1, false, e);
}

ACTION(do_sort_reverse)
{
	(void)arg;
	if (!v || v->sort < 0)
		return v ? view_sort(v, 0, true, e) : 0;
	return view_sort(v, v->sort, !v->descending, e);
}

/* Go to the REPL with a command begun; placeholders are those of the row. */
ACTION(do_prompt)
{
	struct text t = {0};
	int rc = v ? view_expand(v, arg, &t, e) : 0;

	if (!rc) {
		if (t.len && t.s[t.len - 1] != ' ')
			text_putc(&t, ' ');
		pane_focus(SLOT_REPL);
		repl_prefill(v ? text_str(&t) : arg);
	}
	text_free(&t);
	return rc;
}

static const struct action actions[] = {
	{"up", "row above", do_up},
	{"down", "row below", do_down},
	{"page-up", "a page up", do_page_up},
	{"page-down", "a page down", do_page_down},
	{"half-up", "half a page up", do_half_up},
	{"half-down", "half a page down", do_half_down},
	{"home", "first row", do_home},
	{"end", "last row", do_end},
	{"left", "move long cells right", do_left},
	{"right", "move long cells left", do_right},
	{"follow",
	 "follow the row: switch to its ports, port to its peer, entry to its path, ...; open or close an "
	 "element",
	 do_follow},
	{"fold", "all panes: switch chips under their element (chassis), or each by itself", do_fold},
	{"back", "back to the pane before", do_back},
	{"next-pane", "next pane", do_next_pane},
	{"prev-pane", "pane before", do_prev_pane},
	{"maximise", "this pane alone, or all again", do_maximise},
	{"repl", "to the REPL", do_repl},
	{"leave", "from the REPL back to the pane", do_leave},
	{"prompt", "begin a command in the REPL", do_prompt},
	{"search", "search as you type; letters in order will do", do_search},
	{"search-next", "next row found", do_search_next},
	{"search-prev", "row found before", do_search_prev},
	{"filter", "show rows with these words only (`changed`, `down`, COLUMN:TEXT, /REGEX/, -WORD)",
	 do_filter},
	{"copy", "copy to the clipboard: a second key says what (name, GUID, LID, port, path, command, row)",
	 do_copy},
	{"sort", "sort by the next column, or by one", do_sort},
	{"sort-reverse", "sort the other way round", do_sort_reverse},
	{"scroll-up", "REPL: text above", do_scroll_up},
	{"scroll-down", "REPL: text below", do_scroll_down},
	{"clear", "REPL: forget its text", do_clear},
	{"redraw", "draw the screen anew; go on with what was stopped", do_redraw},
	{"cancel", "cancel the running command; else drop the filter; else stop what the pane waits for",
	 do_cancel},
	{"suspend", "suspend to the shell", do_suspend},
	{"quit", "leave", do_quit},
};

static const struct action *find(const char *name, size_t len)
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
	return find(name, strlen(name)) != NULL;
}

/* What is selected in the other pane, as terms of `step until`: an entry, a switch, a LID. */
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

/* The same of the pane used before the focused one, else of the first beside it that has such an object. */
static int add_other(const struct view *v, struct text *t, struct err *e)
{
	if (pane_top(ui.pane_before) != v && add_object(pane_top(ui.pane_before), t))
		return 0;
	for (int p = 0; p < SLOT_REPL; p++)
		if (pane_top((enum place_id)p) != v && add_object(pane_top((enum place_id)p), t))
			return 0;
	return err_set(e, "no switch or LID is selected in a pane beside %s", v->ops->name);
}

/* The placeholders of a command line filled in; %other is of no row of the focused pane. */
static int expand(const struct view *v, const char *line, struct text *t, struct err *e)
{
	const char *other = strstr(line, "%other");
	struct text said = {0};
	int rc;

	if (!other)
		return view_expand(v, line, t, e);
	rc = add_other(v, &said, e);
	if (!rc)
		text_add(t, "%.*s%s%s", (int)(other - line), line, text_str(&said), other + strlen("%other"));
	text_free(&said);
	return rc;
}

int action_run(const char *does, struct err *e)
{
	size_t len = strcspn(does, " ");
	struct view *v = ui.focus == SLOT_REPL ? NULL : pane_top(ui.focus);
	const struct action *a;
	struct text t = {0};
	int rc;

	if (*does == ':') {
		struct view *f = v ? v : pane_focused();

		rc = f ? expand(f, does + 1, &t, e) : 0;
		if (!rc)
			repl_run(f ? text_str(&t) : does + 1, false);
		text_free(&t);
		return rc;
	}
	a = find(does, len);
	if (!a)
		return err_set(e, "unknown action \"%s\"", does);
	return a->run(v, does + len + strspn(does + len, " "), e);
}

/* --- the keymap in force ------------------------------------------------------- */

static bool pane_known(const char *name)
{
	for (size_t i = 0; all_views[i]; i++)
		if (!strcmp(all_views[i]->name, name))
			return true;
	return false;
}

static char *given_keymap(const char *file)
{
	return keymap_given(file, "/proc/self/exe", ui.about->keymaps);
}

static const struct keymap_check check = {action_known, pane_known, given_keymap};

static void load_user(struct keymap *km)
{
	char *folder = keymap_user_folder();
	char *path = folder ? str_printf("%s/keys", folder) : NULL;
	struct err e;

	if (path && !access(path, R_OK) && keymap_load(km, path, &check, &ui.key_errors, &e))
		text_add(&ui.key_errors, "%s\n", e.msg);
	free(path);
	free(folder);
}

int keymap_choose(const char *name, struct err *e)
{
	struct keymap km = {0};
	const char *want = name ? name : "default";
	char *path = keymap_path(want, "/proc/self/exe", ui.about->keymaps);
	int rc;

	if (path)
		rc = keymap_load(&km, path, &check, &ui.key_errors, e);
	else
		rc = err_set(
			e, "keymap \"%s\" is neither a file nor NAME.keys in $XDG_CONFIG_HOME/ibscope or %s",
			want, ui.about->keymaps);
	free(path);
	if (rc) {
		keymap_clear(&km);
		return -1;
	}
	load_user(&km);
	km.name = str_dup(want);
	keymap_clear(&ui.keys);
	ui.keys = km;
	help_build();
	return 0;
}

/* --- help ---------------------------------------------------------------------- */

/* Texts of a line are owned by it. */
static void help_add(const char *key, const char *where, const char *does, const char *more, const char *task)
{
	GROW(ui.help, ui.n_help, ui.cap_help);
	ui.help[ui.n_help++] =
		(struct help_line){str_dup(key), str_dup(where), str_dup(does), str_dup(more), str_dup(task)};
}

static void free_text(const char *s)
{
	free((void *)(uintptr_t)s);
}

void help_free(void)
{
	while (ui.n_help) {
		struct help_line *h = &ui.help[--ui.n_help];

		free_text(h->key);
		free_text(h->where);
		free_text(h->does);
		free_text(h->more);
		free_text(h->task);
	}
	free(ui.help);
	ui.help = NULL;
	ui.cap_help = 0;
}

#define OWN_TASK "Your own keys"

static const char *task_of(const struct binding *b)
{
	return *b->task ? b->task : OWN_TASK;
}

/* All keys of one task, as the keymap has them. */
static void help_task(const char *task)
{
	char keys[96];

	for (size_t i = 0; i < ui.keys.n; i++) {
		const struct binding *b = &ui.keys.b[i];
		const struct action *a;

		if (strcmp(task_of(b), task))
			continue;
		keys_text(b->key, b->n, keys, sizeof(keys));
		a = find(b->does, strcspn(b->does, " "));
		help_add(keys, b->map, b->does, a ? a->help : "", task);
	}
}

static bool first_of_task(size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(task_of(&ui.keys.b[k]), task_of(&ui.keys.b[i])))
			return false;
	return true;
}

/* The worker reads the lines for `help`, while a key may load another keymap. */
static pthread_mutex_t help_lock = PTHREAD_MUTEX_INITIALIZER;

void help_each(void (*take)(void *to, const struct named *n), void *to)
{
	struct err e;
	bool none;

	pthread_mutex_lock(&help_lock);
	none = !ui.n_help; /* there is no screen */
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

void help_build(void)
{
	pthread_mutex_lock(&help_lock);
	help_free();
	for (size_t i = 0; i < ui.keys.n; i++)
		if (first_of_task(i))
			help_task(task_of(&ui.keys.b[i]));
	help_add("S-mouse", "all", "select text as without ibscope",
		 "hold Shift (Option, or Fn, in some terminals); `mouse off` leaves the mouse to the "
		 "terminal",
		 "The mouse");
	pthread_mutex_unlock(&help_lock);
	ui.scene.help = ui.help;
	ui.scene.n_help = ui.n_help;
	ui.scene.serial++; /* help panes read it anew */
}
