/*
 * The REPL pane. It uses readline through its callback interface, fed with the keys that the loop reads, and
 * draws the line itself. History is kept in $XDG_STATE_HOME/ibscope/history.
 */
#include <assert.h>
#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <readline/history.h>
#include <readline/readline.h>
#include "core/base/clean.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "tui/ui.h"

#define SCROLLBACK 10000
#define FEED 80
#define NEVER (~0UL)
#define SEEN_MOST 16384 /* bytes of the typed line examined on each side of the cursor */

struct repl_line {
	char *s;
	enum style style;
};

static struct {
	struct repl_line line[SCROLLBACK]; /* ring buffer */
	size_t first, n;
	size_t complete_start;	  /* where the word being completed begins */
	unsigned long printed_at; /* ui.keys_seen when something was printed last; NEVER */
	unsigned long asked_at;	  /* ui.keys_seen when a line was entered last */
	bool answered;		  /* something else than the line was printed since */
	size_t dropped;		  /* lines forgotten from the ring buffer */
	size_t output;		  /* where the last output begins, counted from the first line ever */
	int skip;		  /* display lines of it above the window, while from_first */
	char *history;
	FILE *nowhere;
	Keymap idle;		  /* a keymap in which keys do nothing */
	sigjmp_buf top;		  /* where readline returns to after meaningless keys */
	int back;		  /* display lines scrolled up */
	int height;		  /* display lines shown last */
	unsigned char feed[FEED]; /* bytes that readline must still read */
	unsigned n_feed, at_feed;
	bool open;	 /* the last line has not ended */
	bool from_first; /* shows the last output from its first line on */
	bool forward;	 /* the last search in the history goes forward */
	bool eof;
	bool reading;
	bool finish;   /* the next key is a key that does nothing */
	bool several;  /* runs lines that were pasted together, each after those before it */
	bool entered;  /* runs a line that leaves the focus where it is */
	bool was_used; /* before the last key */
} r = {.printed_at = NEVER};

/* --- scrollback -------------------------------------------------------------- */

static struct repl_line *repl_line_at(size_t i)
{
	assert(i < SCROLLBACK);
	return &r.line[(r.first + i) % SCROLLBACK];
}

/* Does the first command of an echoed line print round after round? */
static bool in_rounds(const char *line)
{
	const char *from = line + strspn(line, "> ");
	AUTO_FREE char *name = str_printf("%.*s", (int)strcspn(from, " ;"), from);
	const struct command *c = *name ? command_find(ui.session, name, NULL) : NULL;

	return c && c->in_rounds;
}

static void repl_add_line(const char *s, size_t len, enum style st)
{
	if (r.n == SCROLLBACK) {
		free(repl_line_at(0)->s);
		r.first = (r.first + 1) % SCROLLBACK;
		r.n--;
		r.dropped++;
	}
	if (r.printed_at != ui.keys_seen && ui.keys_seen) {
		r.output = r.dropped + r.n + (st == ST_ECHO);
		r.from_first = st != ST_ECHO || !in_rounds(s);
		r.skip = 0;
	}
	r.answered |= st != ST_ECHO;
	r.printed_at = ui.keys_seen;
	struct repl_line *l = repl_line_at(r.n++);
	l->s = str_printf("%.*s", (int)len, s);
	l->style = st;
}

void repl_print(const char *s, size_t len)
{
	while (len) {
		const char *end = memchr(s, '\n', len);
		size_t n = end ? (size_t)(end - s) : len;
		bool bad = n && *s == '\001', typed = n && *s == '\002';

		if (r.open) {
			struct repl_line *l = repl_line_at(r.n - 1);
			char *joined = str_printf("%s%.*s", l->s, (int)n, s);

			free(l->s);
			l->s = joined;
		} else {
			repl_add_line(s + (bad || typed), n - (bad || typed),
				      bad     ? ST_ERROR
				      : typed ? ST_ECHO
					      : ST_NORMAL);
		}
		r.open = !end;
		n += end != NULL;
		s += n;
		len -= n;
	}
	r.back = 0;
}

void repl_printf(const char *fmt, ...)
{
	AUTO_TEXT struct text t = {0};
	va_list ap;

	va_start(ap, fmt);
	text_addv(&t, fmt, ap);
	va_end(ap);
	repl_print(text_str(&t), t.len);
}

void repl_clear(void)
{
	while (r.n)
		free(repl_line_at(--r.n)->s);
	r.first = 0;
	r.open = false;
	r.back = 0;
	r.output = r.dropped;
	r.from_first = false;
	r.printed_at = NEVER;
}

/* Clean text, in which tabs become blanks up to the next multiple of eight. */
static void expand_tabs(const char *s, struct text *t)
{
	AUTO_TEXT struct text clean = {0};

	text_clear(t);
	for (s = clean_string(s, &clean); *s; s++) {
		if (*s != '\t')
			text_putc(t, *s);
		else
			do
				text_putc(t, ' ');
			while (t->len % 8);
	}
}

static int repl_rows_of(const struct repl_line *l, int w, struct text *t)
{
	int n = 1;
	size_t at = 0, k;

	expand_tabs(l->s, t);
	while ((k = wrap_len(t->s ? t->s + at : "", t->len - at, w)) < t->len - at) {
		at += k;
		n++;
	}
	return n;
}

static void draw_line(const struct repl_line *l, int y, int top, int bottom, const struct rect *rc,
		      struct text *t)
{
	size_t at = 0;

	expand_tabs(l->s, t);
	do {
		size_t k = wrap_len(text_str(t) + at, t->len - at, rc->w - 4);
		AUTO_FREE char *part = str_printf("%.*s", (int)k, text_str(t) + at);

		if (y >= top && y <= bottom)
			draw_text(y, rc->x + 2, rc->w - 4, part, l->style, true);
		at += k;
		y++;
	} while (at < t->len);
}

/* Shows the ends of lines that were pasted together. */
static void repl_add_lines(const char *s, size_t len, struct text *t)
{
	for (; len && *s; s++, len--)
		if (*s == '\n')
			text_add(t, " ⏎ ");
		else
			text_putc(t, *s);
}

/* The columns left out of the typed line, so that the cursor shows; in a search, also what was found. */
static int scrolled(int col, int all, int w)
{
	int context = RL_ISSTATE(RL_STATE_ISEARCH) ? w * 2 / 3 : 0, most = all - w + 1 + (col < all);

	if (col < w - context)
		return 0;
	most = most > col - w + 1 ? most : col - w + 1;
	return col - w + 1 + context < most ? col - w + 1 + context : MAX(most, 0);
}

/* The typed line in one row, scrolled so that the cursor is visible. */
static void draw_prompt(int y, const struct rect *rc, bool focus)
{
	const char *prompt = rl_display_prompt ? rl_display_prompt : "> ";
	const char *line = rl_line_buffer ? rl_line_buffer : "";
	AUTO_TEXT struct text t = {0}, before = {0};
	int w = rc->w - 4, from = rl_point > SEEN_MOST ? rl_point - SEEN_MOST : 0;

	for (const char *p = prompt; *p && !from; p++)
		if (*p != RL_PROMPT_START_IGNORE && *p != RL_PROMPT_END_IGNORE)
			text_putc(&before, *p);
	while (from && (line[from] & 0xc0) == 0x80)
		from++;
	repl_add_lines(line + from, (size_t)(rl_point - from), &before);
	text_add(&t, "%s", text_str(&before));
	repl_add_lines(line + rl_point, SEEN_MOST, &t);
	int col = text_columns(text_str(&before)), skip = scrolled(col, text_columns(text_str(&t)), w);
	draw_text(y, rc->x + 2, w, "", ST_NORMAL, true);
	draw_text_from(y, rc->x + 2, w, (unsigned)skip, text_str(&t), ST_NORMAL);
	if (focus)
		draw_cursor(y, rc->x + 2 + col - skip);
}

/* The display lines of the last output, as far as it is kept. */
static int output_rows(int w)
{
	size_t from = r.output > r.dropped ? r.output - r.dropped : 0;
	AUTO_TEXT struct text t = {0};
	int n = 0;

	for (size_t i = from; i < r.n; i++)
		n += repl_rows_of(repl_line_at(i), w, &t);
	return n;
}

/* The display lines below the window. Tells in the title where the window is. */
static int lines_back(int w, bool focus, struct text *title)
{
	AUTO_TEXT struct text t = {0};
	int total = 0;

	if (!focus && r.printed_at != ui.keys_seen)
		r.from_first = false;
	if (r.from_first) {
		int rows = output_rows(w);

		if (r.skip > rows - r.height)
			r.skip = rows > r.height ? rows - r.height : 0;
		if (rows > r.height)
			text_add(title, " ── %d-%d of %d%s", r.skip + 1, r.skip + r.height, rows,
				 r.skip + r.height < rows ? ", PgDn" : "");
		return rows > r.height ? rows - r.height - r.skip : 0;
	}
	for (size_t i = 0; i < r.n && r.back; i++)
		total += repl_rows_of(repl_line_at(i), w, &t);
	if (r.back > total - r.height)
		r.back = total > r.height ? total - r.height : 0;
	if (r.back)
		text_add(title, " ── %d lines back", r.back);
	return r.back;
}

void draw_repl(const struct rect *rc, bool focus)
{
	int w = rc->w - 4, top = rc->y + 1, last = rc->y + rc->h - 2, y = last + 1;
	AUTO_TEXT struct text t = {0}, title = {0};

	text_add(&title, "REPL");
	r.height = rc->h - 2 > 0 ? rc->h - 2 : 1;
	atomic_store(&ui.columns, (unsigned)(w > 0 ? w : 1));
	y += lines_back(w, focus, &title);
	draw_box_top(rc->y, rc->x, rc->w, text_str(&title), "", focus);
	for (int i = top; i <= rc->y + rc->h - 1; i++) {
		draw_text(i, rc->x, rc->w, "│", focus ? ST_BORDER_FOCUS : ST_BORDER, true);
		draw_text(i, rc->x + rc->w - 1, 1, "│", focus ? ST_BORDER_FOCUS : ST_BORDER, true);
	}
	for (size_t i = r.n; i-- && y > top;) {
		y -= repl_rows_of(repl_line_at(i), w, &t);
		if (y <= last)
			draw_line(repl_line_at(i), y, top, last, rc, &t);
	}
	draw_prompt(rc->y + rc->h - 1, rc, focus);
}

void repl_scroll(int lines)
{
	if (r.from_first) { /* from the window that is shown */
		int rows = output_rows((int)atomic_load(&ui.columns));

		if (repl_more(lines < 0 ? 1 : -1))
			return;
		r.back = rows > r.height ? rows - r.height - r.skip : 0;
		r.from_first = false;
	}
	r.back = r.back + lines > 0 ? r.back + lines : 0;
}

bool repl_more(int dir)
{
	int rows = r.from_first ? output_rows((int)atomic_load(&ui.columns)) : 0;
	int skip = r.skip + dir * repl_page();

	skip = skip > rows - r.height ? rows - r.height : skip;
	skip = MAX(skip, 0);
	if (skip == r.skip || rows <= r.height)
		return false;
	r.skip = skip;
	r.printed_at = r.asked_at = ui.keys_seen;
	return true;
}

bool repl_answers(void)
{
	return r.answered && r.asked_at == ui.keys_seen && r.printed_at == ui.keys_seen;
}

int repl_wants(void)
{
	return r.from_first ? output_rows((int)atomic_load(&ui.columns)) + 2 : 0;
}

void repl_note_use(void)
{
	r.was_used = repl_in_use();
}

bool repl_was_used(void)
{
	return r.was_used;
}

bool repl_in_use(void)
{
	return ui.focus == SLOT_REPL || r.printed_at == ui.keys_seen || r.back;
}

int repl_page(void)
{
	return r.height > 1 ? r.height - 1 : 1;
}

/* --- running lines ----------------------------------------------------------- */

static int do_here(const struct command *c, const struct args *args, struct out *o, struct err *e)
{
	return c->run(ui.session, args, o, e);
}

static bool only_blanks(const char *s)
{
	return !s[strspn(s, " \t;")];
}

void repl_run(const char *line, bool typed)
{
	if (only_blanks(line))
		return;
	struct command_list *in = commands_split(ui.session, line);
	bool here = in->n > 0 && !r.several; /* otherwise it is too long to be split here */
	for (size_t i = 0; i < in->n; i++) {
		const struct command *c = in->command[i].command;

		/* the worker runs `screen`, so that it shows the effect of the commands typed before it */
		here &= c && c->on_screen && strcmp(c->name, "screen") != 0;
	}
	if (typed)
		looked_at_words(in);
	if (r.open)
		repl_print("\n", 1);
	/* a line that waits for others is shown when its turn comes */
	bool waits = !here && !worker_idle();
	if (!waits && (typed || !here)) {
		AUTO_FREE char *s = str_printf("> %s", line);

		repl_add_line(s, strlen(s), ST_ECHO);
		r.back = 0;
	}
	if (here) {
		struct focus before = pane_focus_now();
		struct err e = {0};
		AUTO_TEXT struct text said = {0};
		struct command_run run = {
			.in = ui.interpreter, .f = text_stream(&said), .on_screen = do_here};
		int rc = run_commands(&run, in, &e);

		if (r.entered)
			pane_give_back(&before);
		/* these commands need not wait for others */
		fclose(run.f);
		repl_print(text_str(&said), said.len);
		if (rc) {
			repl_printf("\001%s\n", e.msg);
			ui_message(true, "%s", e.msg);
		}
		if (run.unclear) {
			AUTO_FREE char *pick = str_printf("pane pick %s", run.unclear);

			repl_run(pick, false);
			free(run.unclear);
		}
		commands_free(in);
	} else {
		worker_add(in, waits ? line : NULL, r.entered);
	}
	ui.keys_asked = ui.keys_seen;
}

/* --- readline ---------------------------------------------------------------- */

/* Names with ';' are kept in quotes: the fabric in which the line is recalled may lack them. */
static void remember(const char *typed)
{
	HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;
	struct command_list *l = commands_split(ui.session, typed);
	AUTO_FREE char *line = commands_kept(l);

	commands_free(l);
	if (*typed != ' ' && !(last && !strcmp(last->line, line))) {
		add_history(line);
		if (r.history)
			append_history(1, r.history);
	}
}

/* Changes in lines of the history cannot be undone from a later line: their undo lists may be freed. */
static void forget_undo(void)
{
	HIST_ENTRY **list = history_list();

	for (size_t i = 0; list && list[i]; i++)
		list[i]->data = NULL;
}

static void on_line(char *line)
{
	forget_undo();
	if (!line) {
		r.eof = true; /* C-d on an empty line */
		return;
	}
	r.asked_at = ui.keys_seen;
	r.answered = false;
	r.entered = ui.one_line != LINE_OF_KEY;
	if (ui.one_line != LINE_STAYS)
		pane_focus(ui.last_pane);
	r.several = strchr(line, '\n') != NULL;
	for (char *one = line, *next; one; one = next) {
		next = strchr(one, '\n');
		if (next)
			*next++ = 0;
		if (!only_blanks(one))
			remember(one);
		repl_run(one, true);
	}
	r.several = r.entered = false;
	free(line);
}

static int next_byte(FILE *in)
{
	(void)in;
	if (r.finish)
		return 0; /* see finish_line() */
	return r.at_feed < r.n_feed ? r.feed[r.at_feed++] : EOF;
}

static int has_byte(void)
{
	return r.at_feed < r.n_feed;
}

/* Settings needed whatever the user's inputrc says. */
static void bind_ours(void)
{
	const char *ends = rl_variable_value("isearch-terminators");
	char with[64];

	rl_variable_bind("bell-style", "none");
	rl_variable_bind("enable-bracketed-paste", "off");
	if (ends && strstr(ends, "\\C-x"))
		return;
	/* C-x ends a search: see end_of_key() */
	snprintf(with, sizeof(with), "%s\\C-x", ends ? ends : "\\e\\C-j");
	rl_variable_bind("isearch-terminators", with);
}

/*
 * Readline 8.2 reads several keys in one call if some were typed before their meaning was clear (C-r C-x, a
 * macro, M-[ 1 in vi). After a meaningless sequence it jumps to the function that read the first key, which
 * may have returned already. So after every key, when readline would draw, its jump target is set to a place
 * here.
 */
extern sigjmp_buf _rl_top_level __attribute__((weak)); /* internal to readline, not in its headers */

/*
 * The line that was typed before one from the history was shown, with its undo list. When that line is shown
 * again, its undo list may also be part of rl_undo_list, and would be freed twice. So only one place keeps
 * it.
 */
extern HIST_ENTRY *_rl_saved_line_for_history __attribute__((weak));

static void own_undo_list(void)
{
	const HIST_ENTRY *kept = &_rl_saved_line_for_history ? _rl_saved_line_for_history : NULL;

	for (const UNDO_LIST *u = rl_undo_list; kept && u; u = u->next)
		if ((const char *)u == (const char *)kept->data)
			_rl_saved_line_for_history->data = NULL;
}

static void end_of_key(void)
{
	if (r.reading && &_rl_top_level)
		memcpy(&_rl_top_level, &r.top, sizeof(r.top));
	if (rl_last_func == rl_insert) /* inserting needs none of this, and a paste may be long */
		return;
	own_undo_list();
	/*
	 * Readline 8.2's movements hang at a NUL byte in the line; vi's `.` after an abandoned change makes
	 * one.
	 */
	for (char *at = rl_line_buffer; (at = memchr(at, '\0', (size_t)(rl_line_buffer + rl_end - at)));)
		*at = ' ';
}

static int do_nothing(int count, int key)
{
	(void)count;
	(void)key;
	return 0;
}

/*
 * After a numeric argument, readline 8.2 accepts Enter but delivers the line only with the next key, which
 * may already search in lines that are freed. So it gets a key that does nothing.
 */
static void finish_line(void)
{
	Keymap keys = rl_get_keymap();

	if (!rl_done)
		return;
	rl_callback_sigcleanup(); /* nothing waits for a key */
	rl_set_keymap(r.idle);
	r.finish = true;
	rl_callback_read_char();
	r.finish = false;
	if (rl_get_keymap() == r.idle)
		rl_set_keymap(keys);
}

static void read_feed(void)
{
	r.reading = true;
	sigsetjmp(r.top, 0); /* when readline gives up a sequence, the rest of the bytes is still read */
	while (has_byte()) {
		rl_callback_read_char();
		finish_line();
	}
	r.reading = false;
	if (rl_last_func == rl_re_read_init_file)
		bind_ours();
}

static void no_terminal(int meta)
{
	(void)meta;
}

static void no_terminal_back(void)
{
}

/* The common beginning of all completions; without one the typed text, as it may be inside a name. */
static char *repl_common_beginning(char **words, const char *typed)
{
	const char *bare = typed + (*typed == '"' || *typed == '\'');
	int n = (int)strlen(words[0]), k;

	for (size_t i = 1; words[i]; i++) {
		for (k = 0; k < n && words[i][k] == words[0][k]; k++)
			;
		n = k;
	}
	while (n && (words[0][n] & 0xc0) == 0x80)
		n--;
	char *all = str_printf("%.*s", n, words[0]);
	if (words[1] && !strcasestr(all, bare)) {
		free(all);
		all = str_dup(typed);
	}
	return all;
}

/* Returns all words, each with the line before it, since for readline the whole line is the word. */
static char **repl_complete(const char *text, int start, int end)
{
	size_t at = 0, n = 0;
	AUTO_FREE char *line = str_printf("%.*s", rl_point, rl_line_buffer);

	(void)text;
	(void)start;
	(void)end;
	rl_attempted_completion_over = 1;
	rl_completion_append_character = 0;
	rl_completion_suppress_append = 1;
	if (worker_busy(NULL)) {
		ui_message(true, "completion waits until the running command is done");
		return NULL;
	}
	char **words = session_complete(ui.session, line, &at);
	assert(at <= strlen(line));
	while (words && words[n])
		n++;
	if (!n) {
		completions_free(words);
		return NULL;
	}
	char **m = NEW_ARRAY(n + 2, char *);
	r.complete_start = at;
	char *beginning = repl_common_beginning(words, line + at);
	m[0] = str_printf("%.*s%s", (int)at, line, beginning);
	free(beginning);
	for (size_t i = 0; n > 1 && i < n; i++)
		m[i + 1] = str_printf("%.*s%s", (int)at, line, words[i]);
	if (n == 1) {
		char last = words[0][strlen(words[0]) - (*words[0] != 0)];

		rl_completion_suppress_append = last == '/' || last == '[' || last == '=';
		rl_completion_append_character = ' ';
	}
	completions_free(words);
	return m;
}

/* Shows choices in columns, like a shell, below the line typed so far. */
static void show_matches(char **m, int n, int longest)
{
	int w = (int)ui.columns, width = 0;
	AUTO_TEXT struct text t = {0};

	(void)longest; /* in bytes */
	for (int i = 1; i <= n; i++) {
		int columns = text_columns(m[i] + r.complete_start) + 2;

		width = MAX(columns, width);
	}
	if (width > w)
		width = w;
	int per = w / (width > 0 ? width : 1);
	per = MAX(per, 1);
	int rows = (n + per - 1) / per;
	text_add(&t, "> %s\n", rl_line_buffer);
	for (int row = 0; row < rows && row < 200; row++) {
		for (int c = row; c < n; c += rows) {
			const char *s = m[c + 1] + r.complete_start;

			text_add(&t, "%s%*s", s, c + rows < n ? width - text_columns(s) : 0, "");
		}
		text_putc(&t, '\n');
	}
	if (rows > 200)
		text_add(&t, "... %d choices\n", n);
	repl_print(text_str(&t), t.len);
}

static void open_history(void)
{
	using_history();
	r.history = state_file("history");
	if (!r.history)
		return;
	for (char *p = r.history + 1; (p = strchr(p, '/')); p++) { /* its folders */
		*p = 0;
		mkdir(r.history, 0700);
		*p = '/';
	}
	if (read_history(r.history) && errno == ENOENT) {
		FILE *f = fopen(r.history, "ae"); /* append_history() needs an existing file */

		if (f)
			fclose(f);
	}
	stifle_history(HISTORY_LINES);
}

/* Call it before curses starts: readline reads the terminal description too, and would disturb curses. */
void repl_start(void)
{
	assert(!r.nowhere); /* once, or again after repl_stop() */
	r.nowhere = fopen("/dev/null", "r+e");
	rl_readline_name = "ibscope";
	rl_instream = rl_outstream = r.nowhere;
	rl_catch_signals = 0;
	rl_catch_sigwinch = 0;
	rl_change_environment = 0;
	rl_getc_function = next_byte;
	rl_input_available_hook = has_byte;
	rl_redisplay_function = end_of_key;
	rl_prep_term_function = no_terminal;
	rl_deprep_term_function = no_terminal_back;
	rl_attempted_completion_function = repl_complete;
	rl_completion_display_matches_hook = show_matches;
	rl_basic_word_break_characters = "";
	rl_completer_word_break_characters = "";
	rl_completion_query_items = 0;
	open_history();
	atomic_store(&ui.columns, 76);
	rl_initialize();
	bind_ours();
	r.idle = rl_make_bare_keymap();
	for (int key = 0; key < KEYMAP_SIZE - 1; key++)
		rl_bind_key_in_map(key, do_nothing, r.idle);
	rl_callback_handler_install("> ", on_line);
}

void repl_stop(void)
{
	rl_callback_handler_remove();
	if (r.history)
		history_truncate_file(r.history, HISTORY_LINES);
	clear_history();
	rl_free_keymap(r.idle);
	free(r.history);
	r.history = NULL;
	repl_clear();
	if (r.nowhere)
		fclose(r.nowhere);
	r.nowhere = NULL;
}

bool repl_busy_editing(void)
{
	return RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_MOREINPUT | RL_STATE_METANEXT |
			  RL_STATE_MULTIKEY | RL_STATE_NUMERICARG | RL_STATE_VIMOTION | RL_STATE_CHARSEARCH);
}

bool repl_vi(void)
{
	return rl_editing_mode == 0;
}

/* Begins a new prompt. Everything that readline has of the old line is freed, including its undo list. */
static void begin_line(void)
{
	rl_callback_sigcleanup();
	forget_undo();
	own_undo_list();
	rl_callback_handler_install("> ", on_line);
	rl_free_undo_list(); /* after the saved line's list, which may be the same */
}

bool repl_abort(void)
{
	bool any = rl_end || repl_busy_editing();

	begin_line();
	return any;
}

static bool key_is(rl_command_func_t *function)
{
	const KEYMAP_ENTRY *entry = &rl_get_keymap()[r.feed[0]];

	return r.n_feed == 1 && entry->type == ISFUNC && entry->function == function;
}

/*
 * When a forward search finds nothing, readline 8.2 stays at a place of another line. If the direction is
 * then reversed (C-s x C-r), it continues there, behind the end of a shorter line. So the search is ended
 * with C-x and begun again backward; with an empty string, the same key again searches for the last string.
 */
static void turn_search(void)
{
	const unsigned char turned[] = {K_CTRL('X'), r.feed[0], r.feed[0]};
	bool searching = RL_ISSTATE(RL_STATE_ISEARCH) != 0;

	if (searching && r.forward && key_is(rl_reverse_search_history)) {
		memcpy(r.feed, turned, sizeof(turned));
		r.n_feed = sizeof(turned);
		r.forward = false;
	} else if (!searching || key_is(rl_forward_search_history)) {
		r.forward = key_is(rl_forward_search_history);
	}
}

static void repl_feed(const char *bytes, unsigned n)
{
	assert(n <= FEED);
	memcpy(r.feed, bytes, n);
	r.n_feed = n;
	turn_search();
	r.at_feed = 0;
	r.back = 0;
	r.from_first = false;
	read_feed();
	if (r.eof) {
		r.eof = false;
		pane_focus(ui.last_pane);
	}
}

void repl_key(keycode k)
{
	char bytes[FEED];

	term_key_bytes(k, bytes, sizeof(bytes));
	if (k == 0)
		bytes[0] = 0; /* C-@ */
	repl_feed(bytes, k == 0 ? 1 : (unsigned)strlen(bytes));
}

void repl_sequence(const char *bytes)
{
	int type;

	if (!repl_busy_editing() && rl_function_of_keyseq(bytes, rl_get_keymap(), &type) && type != ISKMAP)
		repl_feed(bytes, (unsigned)strlen(bytes));
}

void repl_go(enum one_line how)
{
	if (ui.focus != SLOT_REPL || how == LINE_STAYS)
		ui.one_line = how;
	pane_focus(SLOT_REPL);
}

void repl_prefill(const char *text, size_t cursor)
{
	assert(cursor <= strlen(text));
	begin_line();
	rl_insert_text(text);
	rl_point = (int)cursor;
}

void repl_paste(const char *text)
{
	char *s = str_dup(text), *to = s;

	if (repl_busy_editing())
		begin_line();
	for (const char *p = s; *p; p++)
		if ((unsigned char)*p >= ' ' || *p == '\n' || *p == '\t')
			*to++ = *p == '\t' ? ' ' : *p;
	*to = 0;
	size_t len = (size_t)(to - s);
	while (len && s[len - 1] == '\n')
		s[--len] = 0;
	r.back = 0;
	rl_insert_text(s);
	free(s);
}
