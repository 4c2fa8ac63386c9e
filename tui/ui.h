/*
 * The explorer on the terminal: the state of the user interface, and the functions that its files offer each
 * other. The thread that runs ui_run() owns all of it. Other threads run commands and compute results of
 * panes (worker.c, background.c).
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
 * SLOT_THIRD exists if three panes stand side by side. It shows the pane below the topmost detail, to the
 * left of that. If there is only one detail, it shows a pane that belongs to the list, to the right.
 */
enum place_id { SLOT_LIST, SLOT_DETAIL, SLOT_THIRD, SLOT_REPL, N_PLACES };

/* A stack of panes. Only the topmost is visible; `back` removes it. */
struct stack {
	struct view *view[STACK_DEPTH];
	unsigned n;
};

struct rect {
	int y, x, h, w; /* h 0 = not shown */
};

/* With Enter the REPL keeps the focus; gives it back; or gives it to what the line opens, as keys do. */
enum one_line { LINE_STAYS, LINE_GOES_BACK, LINE_OF_KEY };

enum line_mode { LINE_NONE, LINE_SEARCH, LINE_FILTER, LINE_COPY };

struct ui {
	struct interpreter *interpreter;
	struct session *session; /* that of the interpreter */
	const struct about *about;
	struct scene scene;
	struct keymap keys;
	struct text key_errors; /* of the keymap files, until they are shown */
	struct stack stack[2];
	struct view *guest; /* shown in SLOT_THIRD beside a single detail; NULL = none */
	bool three;	    /* there is room for three panes side by side */
	struct rect rect[N_PLACES];
	enum place_id focus, last_pane;
	enum place_id pane_before; /* the pane with the focus before last_pane */
	enum place_id once_from;   /* the focus when a pane with VIEW_ONCE was opened */
	enum place_id opened;	   /* the place of the pane opened last */
	bool focus_said;	   /* a command was about the focus: see pane_give_back() */
	enum one_line one_line;	   /* in the REPL: what Enter does with the focus */
	bool maximised;
	bool track;		  /* the selection of the list was moved from another pane */
	enum line_mode line_mode; /* the purpose of the bottom line */
	char line[80], line_before[80];
	uint32_t line_sel; /* selection before a search */
	char search[80];
	char message[256]; /* shown in the bottom line until the next key */
	bool message_bad;
	keycode pending[KEY_SEQ]; /* keys of an unfinished sequence */
	unsigned n_pending;
	const struct view *addressed; /* by the command of a line that runs; NULL: no pane; borrowed */
	bool ascii, colour, too_small, quiet; /* quiet: draw without progress (for `screen`) */
	bool quit;
	char *proposed_for; /* owned; the same of the proposed engine */
	char *told_source;  /* owned; source of the fabric whose summary was printed last; NULL = none */
	bool begin;	    /* show ports beside the switches once there is a fabric */
	/*
	 * The number of keys so far, and that number when the worker got its last line: see serve_request().
	 */
	unsigned long keys_seen, keys_asked;
	unsigned long leave_at; /* that number when leaving was asked about ... */
	keycode leave_key;	/* ... by this key; any other says no, and does nothing else */
	struct help_line *help;
	size_t n_help, cap_help;
	int cursor_y, cursor_x;	  /* place of the cursor after drawing */
	_Atomic unsigned columns; /* columns for text in the REPL; any thread may read it */
};

/* ui_state.c */
extern struct ui ui;
int ui_open(struct err *e); /* before all others; -1 and *e */
void ui_wake(void);	    /* wakes the loop; from any thread, and from signal handlers */
/*
 * Waits for news, at most that many milliseconds (-1: for ever). Returns what poll() tells about the
 * terminal.
 */
short ui_wait(int most);
void ui_message(bool bad, const char *fmt, ...) PRINTF_LIKE(2, 3);
void draw_cursor(int y, int x);

/* screen.c */
void ui_draw(void);
void ui_refresh(void); /* takes a new scene if the session has changed */

/* input.c */
void key_pressed(keycode k);
void mouse_pressed(void);
void pasted(const char *text); /* goes to the line that is typed, else to the REPL; runs nothing */
void line_key(keycode k);

/* ui.c: the loop. start: command lines that run first. Returns 0, or -1 and *e. */
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
struct view *pane_focused(void);	/* the focused pane, or the last focused one; may be NULL */
const char *pane_map(void);		/* the keymap of the focus */
int pane_open(int argc, char **argv, struct err *e); /* NAME [ARG]... */
bool pane_back(void);
bool pane_begin(void); /* puts switches in the place of the pane `start`; false: it was not there */
void pane_leave(void); /* closes a pane with VIEW_ONCE; the focus goes to where it was opened */
void pane_focus(enum place_id p);
/*
 * Around commands of a typed line: the focus goes back to where it was, unless a command was about the focus
 * itself, or what was opened would not be seen then.
 */
struct focus {
	enum place_id now, last_pane;
	enum one_line one_line;
};
struct focus pane_focus_now(void); /* before them */
void pane_give_back(const struct focus *f);
void pane_next(int dir);
void pane_track(void); /* updates panes that follow the selection beside them */
void pane_third(void); /* decides if there is room for three panes */
void panes_layout(int rows, int cols);
void panes_free(void);
bool pane_at(int y, int x, enum place_id *p);
bool pane_known(const char *name); /* Is there a pane of that name? */

/* draw_pane.c */
void draw_view(enum place_id p, struct view *v);
/* The column at a place of the header line, or -1. */
int header_column(enum place_id p, const struct view *v, int x);

/* bars.c */
void draw_top_bar(int cols);
/* Does it show an age, which grows with time? */
bool top_bar_ages(void);
void draw_function_bar(int y, int cols);
/* The key whose label is at column x of the function bar. False when there is none. */
bool function_bar_keys(int x, keycode *key, unsigned *n);

/* summary.c: what doctor tells about a loaded fabric, in one line */
bool summary_ask(struct ask *a); /* what must be computed for it; false: nothing */
void summary_take(void);	 /* prints it once it is computed */

/* actions.c */
bool action_known(const char *name);
/* What `y` offers to copy: key and name of the i-th item. False: there are fewer. */
bool copy_at(size_t i, char *key, const char **name);
bool action_at(size_t i, const char **name, const char **help); /* the i-th action; false: there are fewer */
/* What C-c does, and Esc when asked twice: stops the running command, or what panes wait for. */
void stop_running(void);
int action_run(const char *does,
	       struct err *e); /* an action with its argument, or ":COMMAND" with placeholders */
/* Folds all panes by switch element, or unfolds them. -1 and *e when switches cannot be grouped. */
int fold_panes(bool on, struct err *e);
void help_build(void);
struct named;
/* Calls take() for each key in force; from any thread. */
void help_each(void (*take)(void *to, const struct named *n), void *to);
/* Panes, columns, keys, actions, words of bindings, limits, synthetic fabrics (core/session/topics.h). */
void name_all(void (*take)(void *to, const struct named *n), void *to);
bool is_column_name(const char *name); /* some headers only draw a line or a scale */
void help_free(void);
struct help_line help_line_copy(const struct help_line *h); /* owns its texts; "" for NULL */
void help_line_free(struct help_line *h);
const char *task_of(const struct binding *b);	    /* the group under which help lists it */
int keymap_choose(const char *name, struct err *e); /* NAME or FILE, and the user's own bindings */

/* palette.c: what the pane `help` tells of the interface */
void palette_build(const struct view *v); /* anew, for this pane and its selected row; NULL: for the REPL */
void palette_free(void);

/* recent.c: the files loaded last, in $XDG_STATE_HOME/ibscope/files */
char *state_file(const char *name); /* the path of a file there, to be freed; NULL: there is no such folder */
#define RECENT_MOST 5
void recent_start(void);
void recent_stop(void);
void recent_note(const char *path); /* a fabric was loaded from it */

/* propose.c: the engine that is proposed while none is in force, or only tables that were read */
bool propose_line(struct text *line, struct text *why); /* false: nothing is proposed (now) */
void propose_tell(void);				/* prints it once for each fabric */
bool propose_ask(struct ask *a);			/* what must be computed for it; false: nothing */

/* find.c: searching */
void find_typed(struct view *v, const char *what);   /* during typing */
void find_entered(struct view *v, const char *what); /* on Enter; may offer another pane that has the text */
bool find_accept(keycode k); /* Enter accepts the offer, other keys withdraw it; was it accepted? */
int find_again(struct view *v, int dir, struct err *e);
int find_next(struct view *v, const char *what, struct err *e); /* the command `search` */

/* copy.c: copies what is selected to the clipboard */
int copy_selected(const struct view *v, const char *what, struct err *e);
void copy_menu(const struct view *v, struct text *t); /* what the row offers, with keys */
void copy_key(keycode k, const struct view *v);	      /* a key of that menu */

/* looked.c: the last objects looked at, for panes that are opened without arguments (struct looked) */
void looked_note(void);				     /* the selected row, if it has changed */
void looked_at_view(const struct view *v);	     /* the arguments of a pane */
void looked_at_words(const struct command_list *in); /* the arguments of typed commands */

/* uicommand.c */
extern const struct command ui_commands[]; /* all on_screen: they run in the interface's thread */

/* repl.c */
void repl_start(void);
void repl_stop(void);
void repl_print(const char *s, size_t len); /* whole lines, or parts of lines */
void repl_printf(const char *fmt, ...) PRINTF_LIKE(1, 2);
void repl_key(keycode k);
void repl_sequence(const char *bytes);		    /* to readline, where it is bound there */
void repl_prefill(const char *text, size_t cursor); /* cursor: byte of the text */
void repl_go(enum one_line how);		    /* goes to the REPL */
/* Inserts a text, which may have several lines. They run on Enter, one after the other. */
void repl_paste(const char *text);
/* Runs a command line. typed: always shows it; otherwise only if it is not just about the interface. */
void repl_run(const char *line, bool typed);
void repl_scroll(int lines);
/* Pages through an output that is longer than the window, 1: down, -1: up. False: there is no more. */
bool repl_more(int dir);
void repl_clear(void);
bool repl_busy_editing(void); /* readline waits for more keys (search, quoted insert) */
bool repl_vi(void);	      /* inputrc requests vi editing */
bool repl_abort(void); /* clears the typed line and what readline waits for; false: there was nothing */
void draw_repl(const struct rect *r, bool focus);
int repl_page(void);
bool repl_in_use(void);	 /* it has the focus, or something was printed since the last key in a pane */
bool repl_answers(void); /* was something printed since a line was entered, and no key pressed? */
int repl_wants(void);	 /* rows to show the last output, with its frame and the prompt; 0: it is not shown */
void repl_note_use(void); /* before a key is served */
bool repl_was_used(void); /* was it in use then? */

/* worker.c */
void worker_start(struct interpreter *in);
void worker_stop(void);
/*
 * The commands are taken over; they run after those in the queue. echo: shown before their output; or NULL.
 * typed: they do not move the focus (pane_give_back()).
 */
void worker_add(struct command_list *in, const char *echo, bool typed);
bool worker_idle(void);			 /* nothing runs or waits, and all output was taken */
bool worker_busy(double *since);	 /* a command runs or waits; *since: since when */
void worker_cancel(void);		 /* cancels the running command and its parts; drops the queue */
bool worker_line(struct text *t);	 /* the line that runs; false: none */
struct progress *worker_progress(void);	 /* of the running command */
bool worker_output(struct text *t);	 /* new output of commands; true when there is some */
struct ui_request *worker_request(void); /* a UI command for which a running command waits; NULL */
void worker_answer(void);

struct ui_request {
	const struct command *command;
	const struct args *args;
	struct out *out;
	struct err *err;
	unsigned long job; /* the number of its line */
	bool typed;	   /* of the line: see worker_add() */
	int rc;
};

/* background.c: computes what panes request, one result after the other */
void background_start(void);
void background_stop(void);
void background_take(struct scene *sc); /* hands over finished results; drops those of another routing */
/* The present requests, most urgent first. A computation that is no longer wanted is cancelled. */
void background_want(const struct ask *a, unsigned n);
bool background_busy(void);
double background_since(void); /* since when it computes the present result */
/* Stops what panes wait for, until they request something else, or background_resume(). */
void background_give_up(void);
void background_resume(void);
bool background_given_up(void);

/* play.c: a walk that is played; under the session's lock */
void play_serve(void); /* begins a frame that is due */
int play_wait(void);   /* milliseconds until the next frame, -1 = none; as seen by play_serve() */
bool play_stop(void);  /* Was it played? */

/* term.c */
#define SCREEN_MOST 4096       /* rows or columns; what is beyond stays empty */
#define SCREEN_CELLS 4000000   /* rows times columns */
bool term_type_is_ascii(void); /* of those that have no UTF-8, whatever the locale */
int term_start(struct err *e);
void term_stop(void);
void term_suspend(void);
void term_resized(void);
extern volatile int term_signal;    /* a signal arrived that ends the program */
extern volatile int term_stopped;   /* SIGTSTP arrived */
extern volatile int term_continued; /* SIGCONT arrived */
extern struct rounds batch_rounds;
extern struct progress batch_progress; /* of the commands of batch mode: SIGTERM to a `watch` cancels it */
void signals_start(
	void); /* before the terminal is taken; a signal that ends the program removes unfinished files */
void signals_end(void); /* ends the program as a signal would for which a command was cancelled */
void term_die(int sig); /* ends as the signal would */
keycode term_key(void); /* K_NONE when there is none */
bool term_waits(void);	/* holds what may begin a sequence, or its rest is not there: read keys again soon */
const char *term_sequence(char *buf, size_t size);	       /* the bytes of the last K_SEQUENCE */
const char *term_paste(void);				       /* the text of the last K_PASTE, with \n */
const char *term_key_bytes(keycode k, char *buf, size_t size); /* the bytes that the terminal sends for it */
/* Uses the mouse, or leaves it to the terminal. -1 and *e: there is none. */
int term_mouse_use(bool on, struct err *e);
bool term_mouse_used(void);
bool term_mouse(int *y, int *x, int *button); /* 1..3: button pressed; 4, 5: wheel; 6: double click */
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
	ST_TOUCHED, /* cells that the step has changed; in [brackets] without colour */
	N_STYLES
};
/* colours.c: by COLORFGBG, unless NO_COLOR is set or there are no colours */
void colours_start(void);
int colours_choose(const char *name, struct err *e);
#define COLOURS "default|contrast|light|mono" /* the colour schemes */
bool colours_used(void);		      /* false: styles differ only by attributes */
/*
 * Prints at most w columns of cleaned text. What is cut ends with "…", and no number is shown in part.
 * pad: fills up with blanks to w. Returns the columns used.
 */
int draw_text(int y, int x, int w, const char *s, enum style st, bool pad);
/* The same from the skip-th column on, for parts of a text: without marks. */
int draw_text_from(int y, int x, int w, unsigned skip, const char *s, enum style st, bool pad);
int text_columns(const char *s); /* columns of the cleaned text */
/*
 * Adds the w columns of a text from the skip-th on. Each side that is cut bears "…", and a number that does
 * not fit in whole is left out there.
 */
void text_window(const char *s, unsigned skip, int w, struct text *t);
void draw_fill(int y, int x, int w, const char *ch, enum style st);
/* Puts one character of a canvas. 0: the wide character to its left covers this cell too. */
void draw_char(int y, int x, uint32_t ch, enum style st, bool bold, bool reverse);
void draw_box_top(int y, int x, int w, const char *title, const char *right, bool focus);
void draw_box_bottom(int y, int x, int w, const char *title, bool focus);
/* The number of bytes of clean text that fit into w columns, up to a blank if there is one. */
size_t wrap_len(const char *s, size_t len, int w);

#endif
