/*
 * The explorer on the terminal: the state of the user interface, and the functions that its files offer each
 * other. The thread that runs ui_run() owns all of it. Other threads run commands and compute results of
 * panes (ui.c).
 */
#ifndef IBSCOPE_UI_H
#define IBSCOPE_UI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/base/text.h"
#include "core/session/command.h"
#include "core/session/interpreter.h"
#include "core/session/session.h"
#include "core/sm/engine.h"
#include "tui/keymap.h"
#include "views/base/view.h"
#include "views/views.h"

/*
 * Facts that make knew when it built the program. They are in a file of their own, so that a new version,
 * revision or prefix compiles only one file.
 */

struct about {
	const char *version;  /* "0.1.0" */
	const char *revision; /* of git, with "-dirty" if files differed from it; "" = unknown */
	const char *keymaps;  /* folder of the keymaps after `make install` */
};

extern const struct about about;

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
	const struct help_words *words;	     /* of all sessions; palette_words_read() */
	const struct rule_difference *rules; /* ended by `what` NULL; the same */
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
	bool ascii, colour, quiet;    /* quiet: draw without progress (for `screen`) */
	bool quit;
	char *proposed_for; /* owned; the same of the proposed engine */
	char *told_source;  /* owned; source of the fabric whose summary was printed last; NULL = none */
	bool begin;	    /* show ports beside the switches once there is a fabric */
	/* The number of keys so far, and that when the worker got its last line: see serve_request(). */
	unsigned long keys_seen, keys_asked;
	unsigned long leave_at; /* that number when leaving was asked about ... */
	keycode leave_key;	/* ... by this key; any other says no, and does nothing else */
	struct help_line *help;
	size_t n_help, cap_help;
	int cursor_y, cursor_x;	  /* place of the cursor after drawing */
	_Atomic unsigned columns; /* columns for text in the REPL; any thread may read it */
};

/* ui.c */
extern struct ui ui;
void ui_wake(void); /* wakes the loop; from any thread, and from signal handlers */
/* Waits for news, at most this many milliseconds (-1: for ever).  Returns what poll() reports about the
 * terminal. */
void ui_message(bool bad, const char *fmt, ...) PRINTF_LIKE(2, 3);
void draw_cursor(int y, int x);

/* screen.c */
void ui_draw(void);
void ui_refresh(void); /* takes a new scene if the session has changed */

/* answer.c */
void key_pressed(keycode k);
void mouse_pressed(void);
void pasted(const char *text); /* goes to the line that is typed, else to the REPL; runs nothing */

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
/* Is what is wrong the first thing to see?  It is of a live fabric, and where the switches' tables are at
 * hand. */
bool summary_first(void);
void summary_take(void); /* prints it once it is computed */

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
struct named;
/* Calls take() for each key in force; from any thread. */
void help_each(void (*take)(void *to, const struct named *n), void *to);
/* Panes, columns, keys, actions, words of bindings, limits, synthetic fabrics (core/session/help.h). */
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
/* Reads the words of text files: ui.words, ui.rules, and what the palette offers.  -1 and *e: a file is
 * wrong. */
int palette_words_read(struct err *e);

/* summary.c: the files loaded last, in $XDG_STATE_HOME/ibscope/files */
char *state_file(const char *name); /* the path of a file there, to be freed; NULL: there is no such folder */
#define RECENT_MOST 5
void recent_start(void);
void recent_stop(void);
void recent_note(const char *path); /* a fabric was loaded from it */

/* summary.c: the engine that is proposed while none is in force, or only tables that were read */
bool propose_line(struct text *line, struct text *why); /* false: nothing is proposed (now) */
void propose_tell(void);				/* prints it once for each fabric */
bool propose_ask(struct ask *a);			/* what must be computed for it; false: nothing */

/* draw_pane.c: searching */
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

/* ui.c */
void worker_start(struct interpreter *in);
/*
 * The commands are taken over; they run after those in the queue. echo: shown before their output; or NULL.
 * typed: they do not move the focus (pane_give_back()).
 */
void worker_add(struct command_list *in, const char *echo, bool typed);
bool worker_idle(void);			/* nothing runs or waits, and all output was taken */
bool worker_busy(double *since);	/* a command runs or waits; *since: since when */
void worker_cancel(void);		/* cancels the running command and its parts; drops the queue */
bool worker_line(struct text *t);	/* the line that runs; false: none */
struct progress *worker_progress(void); /* of the running command */
bool worker_output(struct text *t);	/* new output of commands; true when there is some */

struct ui_request {
	const struct command *command;
	const struct args *args;
	struct out *out;
	struct err *err;
	unsigned long job; /* the number of its line */
	bool typed;	   /* of the line: see worker_add() */
	int rc;
};

/* ui.c: computes what panes request, one result after the other */
void background_take(struct scene *sc); /* hands over finished results; drops those of another routing */
/* The present requests, most urgent first. A computation that is no longer wanted is cancelled. */
void background_want(const struct ask *a, unsigned n);
bool background_busy(void);
double background_since(void); /* since when it computes the present result */
/* Stops what panes wait for, until they request something else, or background_resume(). */
void background_give_up(void);
void background_resume(void);
bool background_given_up(void);

/* screen.c: a walk that is played; under the session's lock */
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

/* screen.c: primitives; text is UTF-8 */
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
/* The same from the skip-th column on, for parts of a text: without marks and blanks. */
int draw_text_from(int y, int x, int w, unsigned skip, const char *s, enum style st);
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

/*
 * What the terminal says among the keys: strings (OSC, DCS, APC, PM, SOS), and CSI and SS3 sequences that
 * curses does not know. They come at any time, asked for or not, in parts, and are never keys. One is asked
 * for: the answer to OSC 11, "what is your background?", is "\033]11;rgb:R/G/B" and BEL or "\033\\".
 * Nothing waits for it: what looks like a beginning is held until the next key, or 50 ms of silence, tells.
 */

#define NO_KEY (K_MOUSE + 100) /* something was read, which is no key */

enum answer_part {
	ANSWER_NONE,
	ANSWER_ESC,   /* Esc is held */
	ANSWER_BEGUN, /* ... or Esc and the character that says what follows */
	ANSWER_INSIDE /* more has come */
};

/* Zeroed; .asked is set once the question is sent. */
struct answer {
	bool asked; /* and not answered yet */
	bool typed; /* the person has typed a key: Esc alone is not held any more */
	enum answer_part part;
	double since; /* when its last byte came */
	bool silent;  /* nothing was there to be read since then */
	bool alone;   /* Esc came in a part of its own ... */
	bool late;    /* ... and was taken for a key: what follows can only be the answer that is asked for */
	bool esc;     /* the last key was Esc alone */
	keycode kind; /* the character behind the first Esc: ']' for OSC ... */
	char text[64]; /* what has come behind it; the rest of a long string is forgotten */
	unsigned len;
	keycode back[8]; /* held keys that were none of it, the last one first */
	unsigned n_back;
};

/*
 * Takes a key that was read at `now` (seconds), K_NONE when there is none, and returns the key to act on:
 * K_NONE, or NO_KEY while it is held or belongs to what the terminal says. K_SEQUENCE: a CSI or SS3 sequence
 * is complete; .kind and .text have it. While n_back is not 0, the next key is answer_back() in place of one
 * that is read. Before the person's first key, Esc alone is held for 50 ms while the answer is not there.
 */
keycode answer_key(struct answer *a, keycode k, double now);
keycode answer_back(struct answer *a);

/* Columns of a list pane: their widths on the screen, and how long cells are shortened. */

#define GUTTER 3 /* cursor, mark, blank */

/* How cells that are too long are cut. */
struct cut {
	unsigned head;	       /* percent of a name's room for its begin; the rest is for its end */
	int most;	       /* most columns of a name when cells are compared, 0 = no limit */
	char pre[64], suf[64]; /* shared begin and end of names, left out first */
};

struct fit {
	int x[VIEW_COLUMNS], w[VIEW_COLUMNS]; /* w 0 = not shown; x counts from the pane's inner edge */
	size_t pre[VIEW_COLUMNS], suf[VIEW_COLUMNS]; /* bytes of names that the header shows */
	struct cut cut[VIEW_COLUMNS];
	unsigned shift[VIEW_COLUMNS]; /* columns by which its cells are scrolled to the left */
	int meter[VIEW_COLUMNS];      /* cells of the meter behind its cells; 0 = none */
	unsigned hidden, behind;      /* columns that have no room; those of them after the last that has */
};

/* The cells that all columns of a list need, names without what they share. */
int columns_need(struct view *v);
/* Computes widths within w columns, from the cells that columns_note() has seen. */
void columns_fit(const struct view *v, int w, struct fit *f);
/* Examines the rows on the screen (`rows` from v->top), and once after each load a sample of all rows. */
void columns_note(struct view *v, int rows);
/* Decides where cells on the screen are cut, so that they still differ, and how far they are scrolled. */
void columns_cut(struct view *v, int rows, struct fit *f);
/* A cell as it is drawn. Returns its room, including empty cells to its right. */
int columns_cell(const struct view *v, uint32_t row, unsigned col, const struct fit *f, struct text *t);
/* What the names share: "MF0;…:MQM8700/U1". Nothing if names are shown in full. */
void columns_shared(const struct view *v, unsigned col, const struct fit *f, struct text *t);
/*
 * Shortens a cell to w columns. Ports in brackets and arrows stay. Names first lose what they share (by
 * `how`), then the middle. bare: without ports and arrows, for comparisons.
 */
void cut_cell(const char *s, int w, const struct cut *how, bool bare, struct text *t);

/* Exit statuses: a public interface, which the manual page tells. */

#define INTERFACE 2 /* of the statuses */

enum status {
	STATUS_DONE,	  /* all was done, nothing wrong was found */
	STATUS_FAULT,	  /* all was done, a fault was found */
	STATUS_USAGE,	  /* the command line is wrong, or words of a command */
	STATUS_UNANSWERED /* what was asked for cannot be told: no such node, no fabric, no such file ... */
};

/*
 * The rule of exit statuses: of the process, and of a request of --serve.  e: why it failed; NULL: it did
 * not, and what the run found counts.  r: NULL when no command ran, so the command line or the output is at
 * fault.
 *
 * The kind of an error decides alone, so whoever sets an error gives it its kind: ERR_SYNTAX is a word that
 * is none of those expected, wherever one looks; ERR_NO_NODE, ERR_NO_PORT a name that another fabric might
 * have; ERR_LIMIT a number or size that is well formed and more than this program takes.
 */
int exit_status(const struct command_run *r, const struct err *e);

/* Writes out what the stream holds.  0, or -1 and *e of kind ERR_IO when anything could not be written. */
int output_flush(FILE *f, struct err *e);

/* The options of the command line, in one table: getopt, --help and the completion of shells come from it. */

enum option_code { /* of those without a letter */
		   OPT_NAMES = 256,
		   OPT_NO_MAP,
		   OPT_RC,
		   OPT_NO_RC,
		   OPT_JSON,
		   OPT_NO_TEXT,
		   OPT_NO_TIMING,
		   OPT_SERVE,
		   OPT_READ_ONLY,
		   OPT_MAN,
		   OPT_COMPLETION,
		   OPT_LICENCES
};

struct program_option {
	const char *name;
	int code; /* its letter, or an enum option_code */
	/* Its value as --help shows it; "[=VALUE]" stands in the same word, "[VALUE]" may be left out. NULL:
	 * none
	 */
	const char *arg;
	const char *takes; /* what completes the value: a syntax (core/session/syntax.h); NULL: tui/shell.c
			      knows */
	const char *help;
};

extern const struct program_option program_options[]; /* ended by name NULL */

/* Is the next word its value?  (Of "[VALUE]" perhaps.) */
bool option_takes_next(const struct program_option *o);

void options_usage(FILE *f);

/* getopt_long() with the table. */
int option_next(int argc, char **argv);
/* The value that may be left out, of the option just read: the next word, or NULL. */
const char *option_word(int argc, char **argv);

/*
 * Completion in shells: `ibscope --complete LINE [TEXT]` prints what may stand at the end of a command line,
 * one a line: the whole word as the shell would hand it over, or, with TEXT (the end of LINE that a shell
 * would replace), what stands for TEXT, quoted as it needs to be there; behind a tab what it means.  The
 * files ibscope.bash, ibscope.zsh and ibscope.fish ask it; all that they offer comes from here.
 */

struct shell_line {
	int argc; /* the words of the line; the last, perhaps empty, is the one to be completed */
	char **argv;
	const char *raw;		     /* as typed, that one: the end of the line */
	char quote;			     /* is open at its end; 0: none */
	const struct program_option *of;     /* it is the value of this option, or holds it; NULL: no value */
	size_t lead;			     /* bytes of it before that value */
	bool plain;			     /* no option: "--" stands before it */
	const char *fabric, *names, *config; /* said before; NULL: not */
	bool commands; /* commands are to be completed: a session that knows fabric, names and config helps */
};

void shell_read(const char *line, struct shell_line *l);
void shell_offer(const struct shell_line *l, struct session *s, const char *text);
void shell_free(struct shell_line *l);

/*
 * Files that the explorer reads when it starts. If $IBSCOPE_ETC is set, it replaces /etc, so that tests do
 * not depend on the machine.
 */

/*
 * Command files that can be read: /etc/ibscope/rc, then $XDG_CONFIG_HOME/ibscope/rc. Returns their number.
 * The caller frees them.
 */
#define RC_FILES 2
size_t rc_files(char *path[RC_FILES]);

/* The node-name-map that infiniband-diags 44 and OpenSM 3.3.23 look for; NULL: none. The caller frees it. */
char *default_node_names(void);

/*
 * --serve: commands for other programs, over a pipe.
 *
 * A request is a JSON object, a line of standard input:
 *
 *   {"id": 7, "argv": ["trace", "A", "B"]}    one command, its words as they are: nothing is quoted
 *   {"id": 8, "line": "fail random 2; diff"}  or a command line, as behind -e
 *
 * and at will "session": "NAME" (its own fabric, tables, journal; begun empty by its first request, ended by
 * `quit`; the one without a name has what the options ask for) and "deadline": SECONDS.  The answer is the
 * objects of --json, each with that "id", and then one more, {"id": 7, "done": true, "status": 0}: the exit
 * status that the commands would have had.  A failed command ends its request, not its session.  What the
 * options ask for is answered first, with id null.
 */

#define SERVE_SESSIONS_MOST 64	  /* sessions with a name at a time */
#define SERVE_DEADLINE_MOST 86400 /* seconds of one request */

/* Takes standard input away from commands (`load -`), before the first of them; the result is for serve(). */
FILE *serve_input(void);

/* The last object of an answer.  status: an exit status; error NULL: none, the commands tell theirs. */
void serve_done(FILE *to, const json_t *id, int status, const struct err *error);

/*
 * Answers the requests of `from` (closed in the end) until it ends, or `quit` of the first session.  r: what
 * the run at the start was; open: makes a further session.  0, or -1 and *e: requests could not be read, or
 * answers not written.
 */
int serve(FILE *from, struct command_run *r, struct session *(*open)(void), struct err *e);

struct err;

/* Can the terminal named by TERM show panes? -1 and *e if not. */
int term_check(struct err *e);

/* The limits of the program, and what happens beyond them: the table of the manual page. */

struct limit {
	const char *what; /* "scripts within each other" */
	uint64_t most;
	const char *beyond; /* a sentence; `...` is a message, in which # is the number */
};

/* In the order of the manual page, ended by what == NULL. Each row has a test in tests/unit/test_limits.c. */
extern const struct limit limits[];

/* The sentence with the number in place of each #. The caller frees it. */
char *limit_beyond(const struct limit *l);

/*
 * The manual pages, made from the same tables as `help`.  `ibscope --man` prints ibscope(1), `ibscope --man
 * json` ibscope-json(5), as text where the program has that (make static), else its source;
 * `ibscope --manual TEMPLATE` prints TEMPLATE (tui/ibscope.1.in, tui/ibscope-json.5.in) with its places
 * filled in, for the build.  A place is a line
 *
 *	@commands@  @engines@  @options@  @kinds@  @panes@  @topics@  @actions@  @limits@  @keys FILE@
 *
 * where FILE is a keymap that is in the program (core/base/builtin.h).
 */

/* -1 if the command line does not ask for the manual page; otherwise prints it. Returns the exit status. */
int manual_main(int argc, char **argv, const struct command *const *commands,
		const struct engine *const *engines);

#endif
