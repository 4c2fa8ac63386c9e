/* Copies what is selected to the terminal's clipboard, by OSC 52, also through tmux and screen. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/base/clean.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/routing/paths.h"
#include "tui/ui.h"

#define CHUNK 200 /* bytes sent to screen at a time; its limit is 768 */

/* --- what can be copied -------------------------------------------------------------------- */

/* The value of a placeholder, without the quotes of a command line. False when it has no value. */
static bool copy_place(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	AUTO_TEXT struct text quoted = {0};
	char *word = NULL;
	const char *p;

	if (view_place(v, row, what, &quoted)) {
		p = words_skip(text_str(&quoted));
		if (!words_take(&p, &word, NULL))
			text_add(t, "%s", word);
		free(word);
	}
	return t->len > 0;
}

/* The text in the column of that name; NULL: in the first flexible column. */
static bool from_column(const struct view *v, uint32_t row, const char *name, struct text *t)
{
	for (unsigned c = 0; c < v->ops->n_columns && !t->len; c++)
		if (name ? !strcmp(view_column_name(v, c), name) : v->ops->column[c].flex > 0)
			view_cell(v, row, c, t);
	return t->len > 0;
}

static bool copy_name(const struct view *v, uint32_t row, struct text *t)
{
	return copy_place(v, row, "name", t) || from_column(v, row, NULL, t);
}

static bool copy_guid(const struct view *v, uint32_t row, struct text *t)
{
	return from_column(v, row, "guid", t) || copy_place(v, row, "guid", t);
}

static bool copy_lid(const struct view *v, uint32_t row, struct text *t)
{
	return from_column(v, row, "lid", t) || copy_place(v, row, "lid", t);
}

static bool copy_port(const struct view *v, uint32_t row, struct text *t)
{
	return copy_place(v, row, "port", t);
}

/* Both ends of a row's object, as words of a command. False when the row is about no pair. */
static bool pair(const struct view *v, uint32_t row, struct text *src, struct text *dst)
{
	return view_place(v, row, "src", src) && view_place(v, row, "dst", dst) && src->len && dst->len;
}

/* "node0001[1] -> [1]leaf-01[5] -> [1]node0041" */
static void path_text(const struct path *path, struct text *t)
{
	const struct fabric *f = ui.scene.fabric;
	char buf[256];

	text_add(t, "%s", port_label(f, f->endport_port[path->src], buf, sizeof(buf)));
	for (unsigned h = 0; h < path->n; h++) {
		const struct path_hop *hop = &path->hop[h];

		text_add(t, " -> ");
		if (hop->in)
			text_add(t, "[%s]", exit_number(f, hop->sw, hop->in, buf, sizeof(buf)));
		text_add(t, "%s", switch_name(f, hop->sw));
		if (hop->out && hop->out != NO_PATH)
			text_add(t, "[%s]", exit_number(f, hop->sw, hop->out, buf, sizeof(buf)));
	}
	if (path->end != PATH_OK)
		text_add(t, ": %s", path_end_text(path->end));
	else if (!endport_is_switch(f, path->dst))
		text_add(t, " -> %s", port_label(f, f->endport_port[path->dst], buf, sizeof(buf)));
}

static bool copy_path(const struct view *v, uint32_t row, struct text *t)
{
	AUTO_TEXT struct text src = {0}, dst = {0};
	unsigned slid = 0, dlid = 0;

	if (scene_routing(&ui.scene) && copy_place(v, row, "src", &src) && copy_place(v, row, "dst", &dst)) {
		uint32_t from = session_endport(ui.session, src.s, &slid, NULL),
			 to = session_endport(ui.session, dst.s, &dlid, NULL);
		struct path path;

		if (from != NO_ID && to != NO_ID) {
			path_trace(scene_routing(&ui.scene), from, slid, dlid, &path);
			path_text(&path, t);
			path_free(&path);
		}
	}
	return t->len > 0;
}

/* The words with which the pane was opened, for a command. */
static void pane_words(const struct view *v, struct text *t)
{
	text_add(t, "pane %s", v->ops->name);
	for (int i = 0; i < VIEW_ARGS && v->args.arg[i].kind != VIEW_ARG_NONE; i++) {
		const struct view_arg *a = &v->args.arg[i];

		if (a->kind == VIEW_ARG_ALL)
			text_add(t, " all");
		else if (a->kind == VIEW_ARG_NUMBER)
			text_add(t, " %d", a->n);
		else if (a->guid)
			text_add(t, " 0x%016llx", (unsigned long long)a->guid);
		if (a->guid && a->n && a->kind == VIEW_ARG_PORT)
			text_add(t, "[%d]", a->n);
	}
}

/* The command for a pair's path, for a node, or else for the pane itself. */
static bool copy_command(const struct view *v, uint32_t row, struct text *t)
{
	AUTO_TEXT struct text a = {0}, b = {0};

	if (pair(v, row, &a, &b)) {
		text_add(t, "trace %s %s", a.s, b.s);
	} else {
		text_clear(&a);
		if (view_place(v, row, "node", &a) && a.len)
			text_add(t, "show node %s", a.s);
		else
			pane_words(v, t);
	}
	return true;
}

static bool copy_one_row(const struct view *v, uint32_t row, struct text *t)
{
	AUTO_TEXT struct text cell = {0};

	for (unsigned c = 0; c < v->ops->n_columns; c++) {
		text_clear(&cell);
		if (v->width[c])
			view_cell(v, row, c, &cell);
		if (cell.len)
			text_add(t, t->len ? "  %s" : "%s", cell.s);
	}
	return t->len > 0;
}

static const struct kind {
	char key;
	const char *name;
	bool (*get)(const struct view *v, uint32_t row, struct text *t);
} kinds[] = {
	{'n', "name", copy_name},   {'g', "guid", copy_guid}, {'l', "lid", copy_lid},
	{'o', "port", copy_port},   {'p', "path", copy_path}, {'c', "command", copy_command},
	{'r', "row", copy_one_row},
};

bool copy_at(size_t i, char *key, const char **name)
{
	if (i >= ARRAY_LEN(kinds))
		return false;
	*key = kinds[i].key;
	*name = kinds[i].name;
	return true;
}

/* --- the terminal -------------------------------------------------------------------------- */

static void base64(const char *s, size_t len, struct text *t)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)s;

	for (size_t i = 0; i < len; i += 3) {
		uint32_t n = (uint32_t)p[i] << 16;

		n |= i + 1 < len ? (uint32_t)p[i + 1] << 8 : 0;
		n |= i + 2 < len ? p[i + 2] : 0;
		text_putc(t, digit[n >> 18]);
		text_putc(t, digit[n >> 12 & 63]);
		text_putc(t, i + 1 < len ? digit[n >> 6 & 63] : '=');
		text_putc(t, i + 2 < len ? digit[n & 63] : '=');
	}
}

static bool copy_begins(const char *s, const char *with)
{
	return s && !strncmp(s, with, strlen(with));
}

/* screen passes on unknown strings if they are short. */
static void through_screen(const char *osc, struct text *t)
{
	for (size_t at = 0, len = strlen(osc); at < len; at += CHUNK)
		text_add(t, "\033P%.*s\033\\", CHUNK, osc + at);
}

/* tmux passes on strings with doubled ESC, if its option allow-passthrough is on. */
static void through_tmux(const char *osc, struct text *t)
{
	text_add(t, "\033Ptmux;");
	for (; *osc; osc++)
		text_add(t, *osc == '\033' ? "\033\033" : "%c", *osc);
	text_add(t, "\033\\");
}

/* Sends the string unchanged, which tmux accepts with set-clipboard on, and again past the multiplexer. */
static void clipboard_bytes(const char *what, struct text *t)
{
	const char *term = getenv("TERM"), *tmux = getenv("TMUX"), *sty = getenv("STY");
	AUTO_TEXT struct text osc = {0};

	text_add(&osc, "\033]52;c;");
	base64(what, strlen(what), &osc);
	text_putc(&osc, '\a');
	text_add(t, "%s", osc.s);
	if ((tmux && *tmux) || copy_begins(term, "tmux"))
		through_tmux(osc.s, t);
	else if ((sty && *sty) || copy_begins(term, "screen"))
		through_screen(osc.s, t);
}

/* Waits when the terminal does not accept more yet, as curses does. */
static bool send(const char *s, size_t len)
{
	while (len) {
		ssize_t n = write(STDOUT_FILENO, s, len);

		if (n < 0 && errno == EAGAIN)
			poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, 100);
		else if (n < 0 && errno != EINTR)
			return false;
		s += MAX(n, 0);
		len -= n > 0 ? (size_t)n : 0;
		if (term_signal)
			return false;
	}
	return true;
}

static int copy_text(const char *name, const char *what, struct err *e)
{
	const char *term = getenv("TERM");
	struct text clean = {0}, bytes = {0};

	if (copy_begins(term, "linux") || copy_begins(term, "vt1") || copy_begins(term, "vt2") ||
	    copy_begins(term, "ansi"))
		return err_set(e, "copy: a terminal \"%s\" has no clipboard", term);
	const char *s = clean_string(what, &clean);
	clipboard_bytes(s, &bytes);
	bool sent = send(bytes.s, bytes.len);
	if (sent)
		ui_message(false, "copied the %s: %s", name, s);
	text_free(&bytes);
	text_free(&clean);
	return sent ? 0 : err_set(e, "copy: the terminal does not take it");
}

/* --- menu and command ---------------------------------------------------------------------- */

static bool can(const struct kind *k, const struct view *v, uint32_t row)
{
	AUTO_TEXT struct text t = {0};

	return k->get(v, row, &t);
}

int copy_selected(const struct view *v, const char *name, struct err *e)
{
	struct text t = {0};
	uint32_t row;
	int rc;

	if (!v || !view_current(v, &row))
		return err_set(e, "copy: nothing is selected");
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (strcmp(kinds[i].name, name))
			continue;
		rc = kinds[i].get(v, row, &t)
			     ? copy_text(name, t.s, e)
			     : err_set(e, "copy: this row of pane %s has no %s", v->ops->name, name);
		text_free(&t);
		return rc;
	}
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		text_add(&t, " %s", kinds[i].name);
	rc = err_word(e, "copy: found \"%s\", expected one of%s", name, text_str(&t));
	text_free(&t);
	return rc;
}

void copy_menu(const struct view *v, struct text *t)
{
	uint32_t row;

	text_add(t, "copy: ");
	for (size_t i = 0; view_current(v, &row) && i < ARRAY_LEN(kinds); i++)
		if (can(&kinds[i], v, row))
			text_add(t, " %c %s ", kinds[i].key, kinds[i].name);
	text_add(t, " Esc nothing");
}

/* In the menu, the key pressed again and Enter copy the first item. */
void copy_key(keycode k, const struct view *v)
{
	struct err e;

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (k != (keycode)kinds[i].key && !(i == 0 && (k == 'y' || k == K_ENTER)))
			continue;
		if (copy_selected(v, kinds[i].name, &e))
			ui_message(true, "%s", e.msg);
		return;
	}
	ui_message(false, "nothing copied");
}
