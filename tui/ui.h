/*
 * The explorer on the terminal: state of the user interface and what its parts
 * offer each other.  One thread, the one that runs ui_run(), owns all of it;
 * commands and results of panes are computed beside it (worker.c, background.c).
 */
#ifndef IBSCOPE_UI_H
#define IBSCOPE_UI_H

#include <stdio.h>
#include "core/base/err.h"
#include "core/base/text.h"
#include "core/session/command.h"
#include "tui/about.h"
#include "tui/keymap.h"
#include "views/views.h"

#define HISTORY_LINES 2000
#define OUTPUT_MIB 4 /* a command that writes more waits until the pane has taken it */
#define STACK_DEPTH 32
#define MIN_ROWS 6
#define MIN_COLS 24

/*
 * SLOT_THIRD is there where three panes stand side by side: it shows the pane below the topmost of the
 * details, left of it; while there is none, one that goes with the list, right of it.
 */
enum place_id { SLOT_LIST, SLOT_DETAIL, SLOT_THIRD, SLOT_REPL, N_PLACES };

/* Where a stack of panes is shown; the topmost is seen, `back` removes it. */
struct stack {
	struct view *view[STACK_DEPTH];
	unsigned n;
};

struct rect {
	int y, x, h, w; /* h 0 = not shown */
};

enum line_mode { LINE_NONE, LINE_SEARCH, LINE_FILTER, LINE_COPY };

struct ui {
	struct interpreter *interpreter;
	struct session *session; /* the interpreter's */
	const struct about *about;
	struct scene scene;
	struct keymap keys;
	struct text key_errors; /* of the keymap files, until they are shown */
	struct stack stack[2];
	struct view *guest; /* what SLOT_THIRD shows beside a single detail; NULL = none */
	bool three;	    /* there is room for three panes side by side */
	struct rect rect[N_PLACES];
	enum place_id focus, last_pane;
	enum place_id pane_before; /* that had the focus before last_pane */
	bool maximised;
	enum line_mode line_mode; /* what is typed into the bottom line */
	char line[80], line_before[80];
	uint32_t line_sel; /* selection before a search */
	char search[80];
	char message[256]; /* bottom line until the next key */
	bool message_bad;
	keycode pending[KEY_SEQ]; /* keys of an unfinished sequence */
	unsigned n_pending;
	bool ascii, colour, too_small, quiet; /* quiet: draw without progress (for `screen`) */
	bool quit;
	char *told_source; /* owned; source of the fabric whose summary was printed last; NULL = none */
	bool begin;	   /* ports are shown beside the switches as soon as there is a fabric */
	/* Keys pressed so far, and when the last line was handed to the worker: see serve_request(). */
	unsigned long keys_seen, keys_asked;
	struct help_line *help;
	size_t n_help, cap_help;
	int cursor_y, cursor_x;	  /* where it stands after this drawing */
	_Atomic unsigned columns; /* room for text in the REPL; from any thread */
};

/* ui_state.c */
extern struct ui ui;
int ui_open(struct err *e); /* before any other; -1 and *e */
void ui_wake(void);	    /* from any thread and signal handlers: look for news */
/* Until there are news, at most that many milliseconds (-1: any time); what poll() says of the terminal. */
short ui_wait(int most);
void ui_message(bool bad, const char *fmt, ...) PRINTF_LIKE(2, 3);
void draw_cursor(int y, int x);

/* screen.c */
void ui_draw(void);
void ui_refresh(void); /* take a new scene when the session moved on */

/* input.c */
void key_pressed(keycode k);
void mouse_pressed(void);
void line_key(keycode k);

/* ui.c: the loop.  start: command lines to run first.  0, or -1 and *e. */
struct ui_config {
	const struct about *about;
	const char *keymap; /* NAME or FILE, NULL = default */
	char *greeting;	    /* text for the REPL, may be NULL */
	char **start;
	size_t n_start;
};
int ui_run(struct interpreter *in, const struct ui_config *c, struct err *e);

/* panes.c: stacks, focus, layout */
struct view *pane_top(enum place_id p); /* NULL for the REPL and for empty stacks */
struct view *pane_focused(void);	/* the focused pane, else the one focused last; may be NULL */
const char *pane_map(void);		/* keymap of the focus */
int pane_open(int argc, char **argv, struct err *e); /* NAME [ARG]... */
bool pane_back(void);
void pane_focus(enum place_id p);
void pane_next(int dir);
void pane_track(void); /* panes that follow the selection beside them */
void pane_third(void); /* is there room for three panes? */
void panes_layout(int rows, int cols);
void panes_free(void);
bool pane_at(int y, int x, enum place_id *p);
bool pane_known(const char *name); /* is there a pane of that name? */

/* draw_pane.c */
void draw_view(enum place_id p, struct view *v);
/* Column under a place of the header line; -1. */
int header_column(enum place_id p, const struct view *v, int x);

/* bars.c */
void draw_top_bar(int cols);
/* Does it show an age, which grows by itself? */
bool top_bar_ages(void);
void draw_function_bar(int y, int cols);
/* The key whose label stands at column x of the function bar; false when there is none. */
bool function_bar_keys(int x, keycode *key, unsigned *n);

/* summary.c: what doctor says of a fabric that was loaded, in one line */
bool summary_ask(struct ask *a); /* what is to be computed for it; false: nothing */
void summary_take(void);	 /* print it when it is there */

/* actions.c */
bool action_known(const char *name);
/* What `y` offers to copy: its letter and name; false: no more. */
bool copy_at(size_t i, char *key, const char **name);
bool action_at(size_t i, const char **name, const char **help); /* the i-th of all; false: there are fewer */
int action_run(const char *does,
	       struct err *e); /* an action with its argument, or ":COMMAND" with placeholders */
/* All panes by switch element, or not; -1 and *e when there is no grouping. */
int fold_panes(bool on, struct err *e);
void help_build(void);
struct named;
/* The keys in force, one a call of take(); from any thread. */
void help_each(void (*take)(void *to, const struct named *n), void *to);
/* Panes, columns, keys, actions, words of bindings, limits, synthetic fabrics (core/session/topics.h). */
void name_all(void (*take)(void *to, const struct named *n), void *to);
bool is_column_name(const char *name); /* some headings only draw a line or a scale */
void help_free(void);
int keymap_choose(const char *name, struct err *e); /* NAME or FILE, plus the user's own bindings */

/* find.c: searching */
void find_typed(struct view *v, const char *what);   /* while it is typed */
void find_entered(struct view *v, const char *what); /* Enter; may offer another pane that has it */
bool find_accept(keycode k); /* Enter goes there; any other key takes the offer back.  Was it that? */
int find_again(struct view *v, int dir, struct err *e);
int find_next(struct view *v, const char *what, struct err *e); /* the command `search` */

/* copy.c: what is selected, for the clipboard */
int copy_selected(const struct view *v, const char *what, struct err *e);
void copy_menu(const struct view *v, struct text *t); /* what the row has, with the keys for it */
void copy_key(keycode k, const struct view *v);	      /* a key of that menu */

/* looked.c: what was looked at last, for panes that are opened without arguments (struct looked) */
void looked_note(void);				     /* the selected row, when it is another */
void looked_at_view(const struct view *v);	     /* its arguments */
void looked_at_words(const struct command_list *in); /* arguments of typed commands */

/* uicommand.c */
extern const struct command ui_commands[]; /* all on_screen: they run in the UI's thread */

/* repl.c */
void repl_start(void);
void repl_stop(void);
void repl_print(const char *s, size_t len); /* whole or part of lines */
void repl_printf(const char *fmt, ...) PRINTF_LIKE(1, 2);
void repl_key(keycode k);
void repl_prefill(const char *text);
/* Run a command line; typed: it is shown in any case, else when it is not about the interface only. */
void repl_run(const char *line, bool typed);
void repl_scroll(int lines);
void repl_clear(void);
bool repl_busy_editing(void); /* readline waits for more (search, quoted insert) */
bool repl_vi(void);	      /* inputrc asks for vi editing */
bool repl_abort(void); /* forget the typed line and what readline waits for; false: there was nothing */
void draw_repl(const struct rect *r, bool focus);
int repl_page(void);

/* worker.c */
void worker_start(struct interpreter *in);
void worker_stop(void);
void worker_add(struct command_list *in); /* taken over; runs behind what is queued */
bool worker_idle(void);			  /* nothing runs or waits, and all that was said is taken */
bool worker_busy(double *since);	  /* a command runs or waits; since when */
void worker_cancel(void);		  /* it and all that it started; what waits is dropped */
struct progress *worker_progress(void);	  /* of what runs */
bool worker_output(struct text *t);	  /* what commands have written since; true when something */
struct ui_request *worker_request(void);  /* a UI command a running command waits for; NULL */
void worker_answer(void);

struct ui_request {
	const struct command *command;
	const struct args *args;
	struct out *out;
	struct err *err;
	int rc;
};

/* background.c: what panes ask for, one thing after the other */
void background_start(void);
void background_stop(void);
void background_take(struct scene *sc); /* hand over what is ready; drop what is of another routing */
/* All that is wanted now, most urgent first; what is under way and no longer wanted is cancelled. */
void background_want(const struct ask *a, unsigned n);
bool background_busy(void);
/* Stop what panes wait for, until they ask for something else or background_resume(). */
void background_give_up(void);
void background_resume(void);
bool background_given_up(void);

/* play.c: a walk that is played; under the session's lock */
void play_serve(void); /* begin a frame that is due */
int play_wait(void);   /* milliseconds until the next is, -1 = none is waited for; as play_serve() saw it */
bool play_stop(void);  /* was it played? */

/* term.c */
int term_start(struct err *e);
void term_stop(void);
void term_suspend(void);
void term_resized(void);
extern volatile int term_signal;    /* a signal that ends the program came */
extern volatile int term_stopped;   /* SIGTSTP came */
extern volatile int term_continued; /* SIGCONT came */
void signals_start(
	void); /* before the terminal is taken: unfinished files are removed when one ends the program */
void term_die(int sig);					       /* end as the signal would have */
keycode term_key(void);					       /* K_NONE when nothing is there */
const char *term_key_bytes(keycode k, char *buf, size_t size); /* what the terminal sends for it */
/* Take the mouse, or leave it to the terminal; -1 and *e: there is none. */
int term_mouse_use(bool on, struct err *e);
bool term_mouse_used(void);
bool term_mouse(int *y, int *x, int *button); /* button 1..3 pressed, 4 and 5 = wheel; 6 = double click */
void term_screen(FILE *out);		      /* the terminal's content as text */

/* draw.c: primitives; text is UTF-8 */
enum style {
	ST_NORMAL,
	ST_BAR,
	ST_BORDER,
	ST_BORDER_FOCUS,
	ST_TITLE,
	ST_HEADER,
	ST_SELECT,
	ST_SELECT_AWAY,
	ST_CHANGED,
	ST_DOWN,
	ST_DETOUR,
	ST_KEY,
	ST_LABEL,
	ST_ERROR,
	ST_ECHO,
	ST_DIM,
	ST_PATH, /* of drawings: */
	ST_BACK,
	ST_CYCLE,
	ST_SHADE0,
	ST_SHADE1,
	ST_SHADE2,
	ST_SHADE3,
	ST_SHADE4,
	ST_TOUCHED, /* cells that the step shown changed; without colour they stand in [brackets] */
	N_STYLES
};
void colours_start(void);
int colours_choose(const char *name, struct err *e);
#define COLOURS "default|contrast|light|mono" /* the schemes */
bool colours_used(void);		      /* false: styles differ by attributes only */
/* Print at most w columns from the skip-th on, cleaned; pads with blanks to w when pad.  Columns used. */
int draw_text(int y, int x, int w, const char *s, enum style st, bool pad);
int draw_text_from(int y, int x, int w, unsigned skip, const char *s, enum style st, bool pad);
int text_columns(const char *s); /* that it takes cleaned */
void draw_fill(int y, int x, int w, const char *ch, enum style st);
/* One character of a canvas; 0: what stands left of it takes its place too. */
void draw_char(int y, int x, uint32_t ch, enum style st, bool bold, bool reverse);
void draw_box_top(int y, int x, int w, const char *title, const char *right, bool focus);
void draw_box_bottom(int y, int x, int w, const char *title, bool focus);
/* Bytes of clean text that fit into w columns, broken at a blank when there is one. */
size_t wrap_len(const char *s, size_t len, int w);

#endif
