/*
 * The contract of a pane: what it lists, how a cell reads, what a row is about. A pane is one file that
 * defines a `const struct view_ops`, and one line in panes.def. It knows nothing of windows, keys, colours or
 * other panes.
 *
 * Lists are virtual: a pane only tells the number of rows and answers for single cells. So its cost does not
 * depend on the number of rows. Sorting, filtering, searching and the selection are done here for all panes.
 *
 * One thread calls all functions of this file. It holds session_lock() while it uses a scene.
 */
#ifndef IBSCOPE_VIEW_H
#define IBSCOPE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/analysis/blame/measured.h"
#include "core/analysis/credit/cdg.h"
#include "core/analysis/traffic/loads.h"
#include "core/analysis/traffic/shift.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/elements.h"
#include "core/routing/paths.h"
#include "core/session/command.h"
#include "core/session/session.h"
#include "core/sm/sweep.h"
#include "views/base/canvas.h"

/*
 * The beginning and end that all names of a column share ("MF0;", ":MQM8700/U1"), so that a screen can show
 * them once. A port number in brackets behind a name does not belong to it. A pair "A → B" has two names.
 */

struct affix {
	char *like;	   /* the first name noted; NULL = none yet */
	size_t len, least; /* bytes of it, and of the shortest name */
	size_t pre, suf;   /* bytes that all names noted so far share at the beginning and end */
	int widest;	   /* columns of the widest cell */
	bool several;	   /* the names are not all the same */
};

/* Bytes of a cell without a port number in brackets at its end. */
size_t affix_name_len(const char *cell);
/* Notes one more cell (clean text, `columns` wide). Blanks and "-" are not names. */
void affix_note(struct affix *a, const char *cell, int columns);
/*
 * Bytes to leave out at the beginning and end; both are 0 when it does not pay. They end at the border of a
 * word or number, and something is left of every name.
 */
void affix_get(const struct affix *a, size_t *pre, size_t *suf);
/* The same, but also within words and numbers, and however short. */
void affix_most(const struct affix *a, size_t *pre, size_t *suf);
/* Adds the cell without these bytes. A cell that is not such a name is added unchanged. */
void affix_strip(const struct affix *a, size_t pre, size_t suf, const char *cell, struct text *t);
void affix_free(struct affix *a);

/*
 * Arguments of panes. The syntax line, which help shows and completion reads, says what they are;
 * core/session/command.h reads them by it. A pane keeps GUIDs and numbers, which stay valid when another
 * fabric is loaded. "all" means every element or layer; other small words are flags.
 */

#define VIEW_ARGS 4

struct args;
struct field;
struct scene;
struct view;
struct view_ops;

enum view_arg_kind {
	VIEW_ARG_NONE, /* not given */
	VIEW_ARG_NODE,
	VIEW_ARG_SWITCH,
	VIEW_ARG_PORT,
	VIEW_ARG_ENDPORT,
	VIEW_ARG_ELEMENT,
	VIEW_ARG_NUMBER,
	VIEW_ARG_ALL,
	VIEW_ARG_OTHER,
};

/* One argument. Members that its kind does not use are 0. */
struct view_arg {
	enum view_arg_kind kind;
	uint64_t guid; /* of a node; of an endport's port; of an element's lowest chip */
	int n;	       /* port number; LID of an endport (0 = none); layer; number; -1 for "all" */
};

struct view_args {
	struct view_arg arg[VIEW_ARGS];
	int n;	   /* number of arguments, without flags */
	bool flag; /* the flag of the syntax was given */
};

/* The last objects looked at, by GUID; 0: none of that kind. Panes without arguments show them. */
struct looked {
	uint64_t node, sw; /* the node may be this switch */
	unsigned port;	   /* of the node, 0 = none */
	uint64_t endport;  /* of a host */
	uint64_t src, dst; /* port GUIDs of a pair */
	/* Of `why SWITCH DST via PORT`: the switch, the port GUID of DST, the port number. */
	uint64_t via_sw, via_dst;
	unsigned via_port;
};

/*
 * Makes words for a pane that was given none, from the last objects looked at: the required words of the
 * first form of its syntax, or else an optional node. Returns their number, or 0 when an object is missing.
 * Free with words_free().
 */
int view_args_looked(const struct view_ops *ops, const struct scene *sc, char ***argv);

/* Reads words into v->args, against the scene, and opens the pane with them. -1 and *e. */
int view_args_open(struct view *v, int argc, char **argv, struct err *e);

/*
 * Work that takes too long for the interface's loop. A pane asks for a result in its load() (view_ask()).
 * Another thread computes it. It is kept while its sweep is shown and a pane holds it or may ask for it
 * again. The command `list` computes the same at once (view_settle()).
 */

#define TASK_ARGS 3

/* The input of a task. It is immutable, except for progress and *e. */
struct job {
	/*
	 * NULL only if the base alone defines the question. Without a base, the sweep has tables, unless
	 * `any_sweep` is set
	 */
	const struct sweep *sweep;
	const void *base; /* value of the result from which it starts, NULL = none */
	const uint32_t *arg;
	struct progress *progress;
	struct err *e;
	/* NULL: nobody waits.  Takes over a partial value, which is shown while the task goes on; any thread
	 * may call it. */
	void (*ready)(void *value);
};

/* A kind of computation. */
struct task {
	/*
	 * Runs in another thread, and returns a new value. If cancelled: a partial value, or NULL. NULL and
	 * *j->e: there is none.
	 */
	void *(*run)(const struct job *j);
	void (*free)(void *value);
	bool any_sweep; /* also for a sweep in which no engine has routed */
	bool no_sweep;	/* about a fabric (scene_fabric_question()): kept over events, the sweep is NULL */
	bool no_fabric; /* about its base alone, a file for example: kept whatever is loaded */
	bool partial;	/* a partial value is worth showing once the person has given up waiting */
	/* For a question, which is never run: is it the same question as before? */
	bool (*same)(const void *was, const void *value);
};

struct result;

/* A request: the task, the sweep, and up to TASK_ARGS numbers. */
struct ask {
	const struct task *task;
	const struct sweep *sweep; /* NULL = none: only with a base */
	const struct result *base; /* NULL = none */
	uint32_t arg[TASK_ARGS];
};

/* A result. It is shared by all who hold a reference, in any thread. */
struct result {
	atomic_uint refs;
	struct ask ask; /* holds references on sweep and base */
	void *value;	/* NULL: e tells why */
	bool partial;	/* the whole is still missing: it is not ready, or was cancelled */
	struct err e;
};

/* The `free` of a task whose values are freed by another function. */
#define FREED_BY(name, function)      \
	static void name(void *value) \
	{                             \
		function(value);      \
	}

bool ask_equal(const struct ask *a, const struct ask *b);
struct ask ask_copy(const struct ask *a); /* holds references, which ask_clear() returns */
void ask_clear(struct ask *a);

/*
 * Computes it in this thread. NULL when cancelled, unless a partial result is worth showing. The caller owns
 * the only reference.
 */
struct result *ask_run(const struct ask *a, struct progress *p, void (*ready)(void *value));

/* Makes a result with one reference from a value. */
struct result *result_new(const struct ask *a, void *value);
/*
 * Keeps a pane's question as the base of its tasks. If `was` (reference taken over, NULL = none) asks the
 * same, it is returned, so that answers stay valid, and value is freed. Otherwise a new result is returned,
 * with one reference. kind tells how values are compared and freed. With value NULL nothing is asked: returns
 * NULL.
 */
const struct result *result_keep(const struct result *was, void *value, const struct task *kind);
const struct result *result_ref(const struct result *r);
void result_unref(const struct result *r);

/* --- tasks that several panes share -------------------------------------------------- */

extern const struct task task_loads;	   /* struct loads, all to all */
extern const struct task task_shift_order; /* struct shift_order, the same one for all engines */
extern const struct task task_usage;	   /* struct port_use, [n_ports] */
extern const struct task task_graph;	   /* struct graph; arg[0]: routes of switches count as well */

/* The channel dependencies on all VLs, and figures for lists of them. */
struct graph {
	struct cdg *cdg;
	uint32_t *in; /* [n_channels] number of dependencies on each channel */
	struct graph_vl {
		uint32_t channels, deps;
		uint32_t on_cycles;  /* number of channels */
		uint32_t components; /* strongly connected components that have a cycle and touch this VL */
	} vl[CDG_VLS];
};

/*
 * The object of a row of a pane, as ids of the scene's fabric. The row's key, its chassis when folded, the
 * placeholders of command lines, the action of Enter and the JSON of `list` are made from it.
 */

struct view;

enum end_kind {
	END_NONE,
	END_LID,
	END_PORT,
	END_NODE,
	END_ON_SWITCH, /* id is a switch: means its first CA that is up, else the switch */
};

/* The start or the end of a route or pair. */
struct end {
	enum end_kind kind;
	uint32_t id;
};

struct subject {
	uint64_t key;	     /* stays the same over events */
	uint32_t chip;	     /* the switch of the row, with VIEW_CHIPS; NO_ID = none */
	uint32_t node, port; /* NO_ID = none; the port belongs to the node */
	uint32_t sw;	     /* the switch, if it is not the node; or NO_ID */
	struct end src, dst, endport;
	int lid;   /* below 0: none */
	int layer; /* below 0: none */
	const struct elements *elements;
	uint32_t element; /* an element of elements; if that is NULL, the chip's element counts */
};

/* The subject of a row about which nothing is told yet. */
#define SUBJECT_NONE(ROW)                \
	((struct subject){.key = (ROW),  \
			  .chip = NO_ID, \
			  .node = NO_ID, \
			  .port = NO_ID, \
			  .sw = NO_ID,   \
			  .lid = -1,     \
			  .layer = -1})

/* Key and chip are always valid. False: the row has no object. */
bool view_subject(const struct view *v, uint32_t row, struct subject *s);
uint32_t row_chip(const struct view *v, uint32_t row);

/* --- helpers for about() --------------------------------------------------- */

void subject_node(const struct view *v, uint32_t node, struct subject *s);
/* A switch, which is also the chip. Its GUID is the key. */
void subject_switch(const struct view *v, uint32_t sw, struct subject *s);
/* A port and its node. If the node is a switch, it is the chip. */
void subject_port(const struct view *v, uint32_t port, struct subject *s);
/* A port of a switch by number, or the switch if it has no such port. The switch is the chip. */
void subject_switch_port(const struct view *v, uint32_t sw, unsigned number, struct subject *s);
/* Routes to a LID: sets %lid and %dst. */
void subject_to(unsigned lid, struct subject *s);
/* The same, and also sets %endport. */
void subject_lid(unsigned lid, struct subject *s);

/* Placeholders of a port, as in view_place(), without those of its node. */
bool place_port(const struct fabric *f, uint32_t port, const char *what, struct text *t);
/*
 * The node and port of an end. The port is NO_ID if the end is a node without one. False: the end is nothing.
 */
bool end_place(const struct view *v, struct end end, uint32_t *node, uint32_t *port);

struct moment;
struct recording;

#define SCENE_RESULTS 32 /* results kept, at most */
#define VIEW_ASKS 16	 /* results that a pane asks for, at most */

/*
 * A line of help: what may be done here, a key (from the user interface, which knows keymap and selection), a
 * pane, a command, a column or a topic.
 */
struct help_line {
	const char *key;   /* "C-x o", or a name */
	const char *where; /* "here", the pane of a key, "all" or "repl"; or "pane", "command", ... */
	const char *does, *more;
	const char *
		task; /* a person's aim: the name of a group (core/session/command.h), or "Here", "Columns" */
	const char *press; /* the key that does it here; "" = none is bound */
	const char *line;  /* the command line of Enter; NULL: `help` tells more */
	const char *also;  /* other words by which it is found; may be NULL */
};

/* Where a pane stands among all: its group, and the engines that it is about, with blanks between; NULL: any.
 */
struct pane_place {
	enum group_id group;
	const char *engines;
};
struct scene;
/* Is an engine in force that the pane is about? */
bool pane_fits(const struct pane_place *p, const struct scene *sc);

/*
 * The chassis of each switch, for folded panes: elements of the fabric as cabled, including switches that
 * failed or that the SM does not reach. Made once per fabric, or once per scene if a file groups the
 * switches.
 */
struct view_chassis {
	struct elements *el; /* of all switches */
	bool by_file;
	uint32_t *of;	      /* [n_switches] element, NO_ID: the switch stands alone */
	uint32_t several;     /* number of elements with several chips */
	char **chassis_place; /* [n_switches] from chassis_places() */
};

/*
 * What all panes look at: the session's state at one generation. The scene holds references on fabric, sweeps
 * and topo. change, state and event belong to the session, and are valid while the session has the scene's
 * generation.
 */
struct scene {
	struct session *session;
	uint64_t serial;		 /* larger for each scene taken */
	uint64_t generation;		 /* of the session */
	bool valid;			 /* false: nothing was taken, or it was released */
	const struct fabric *fabric;	 /* NULL = nothing is loaded */
	const struct sweep *sweep;	 /* NULL = nothing has been routed */
	const struct sweep *before;	 /* of the event before, NULL = none */
	const struct comparison *change; /* made by the last event, NULL = none */
	const struct state *state,
		*data;		 /* data: event_data(), reference; state itself: all cables carry data */
	const struct topo *topo; /* of the sweep, else of the state */
	const struct event *event;
	size_t at, n_events;
	const struct result *result[SCENE_RESULTS]; /* references; results computed for the sweep */
	unsigned n_results;
	unsigned results_version; /* changes when results come or go */
	unsigned percent;	  /* progress of the present computation */
	double left;		  /* seconds left, below 0: not known */
	/*
	 * The step of a run that is shown (reference), NULL = the present. Then sweep is the step's sweep,
	 * before is that of the step before the last move, change is NULL, and topo is that of the run.
	 */
	const struct moment *moment;
	/* The present, even while a step is shown, for panes with VIEW_PRESENT. */
	const struct sweep *real, *real_before;
	const struct fabric *fabric_first; /* of the first event; reference; NULL = nothing is loaded */
	const struct comparison *real_change;
	const struct topo *real_topo;
	uint64_t moves; /* moves of the session's walk and lesson */
	/* The last step that changes each table of a recording, kept during the walk through it. */
	const struct recording *last_of;     /* reference; NULL = there is none */
	size_t *last_step;		     /* [tables of recordings] 0: no step */
	const struct view_ops *const *panes; /* all panes, for a pane that tells about others; NULL = none */
	const struct pane_place *places;     /* of each of them */
	const struct help_line *help;	     /* keys, and what may be done here; NULL = no keys are bound */
	size_t n_help;
	const char *const *recent; /* [n_recent] files loaded last, the last one first */
	size_t n_recent;
	bool fold;		     /* panes show chips under their switch element */
	const struct result *doctor; /* question of doctor (doctor.h), kept over scenes; NULL = none */
	const struct result *asked;  /* scene_fabric_question(); NULL = none */
	struct looked looked;	     /* kept from scene to scene; empty without a screen */
	/* NULL = not asked for yet, or no_elements / no_chassis tells why not. */
	const struct elements *elements;
	struct view_chassis *chassis;
	struct err no_elements, no_chassis;
};

/* Takes the session's present state (under its lock). The earlier state is released. */
void scene_take(struct scene *sc, struct session *s);
void scene_release(struct scene *sc);
/* Has the session changed since? */
bool scene_stale(const struct scene *sc, const struct session *s);
/* The result of an ask, or NULL while it is missing. */
const struct result *scene_result(const struct scene *sc, const struct ask *a);
/* The same, or what was computed of it when the person gave up waiting. */
const struct result *scene_result_so_far(const struct scene *sc, const struct ask *a);
/* Takes over a reference. If there are too many results, the oldest is released. */
void scene_add_result(struct scene *sc, const struct result *r);
/*
 * The base for tasks with no_sweep: a result whose value is the fabric; borrowed. NULL: no fabric is loaded.
 */
const struct result *scene_fabric_question(struct scene *sc);
/* Releases results of other sweeps; all results when the scene is released. */
void scene_drop_results(struct scene *sc);

/*
 * The tables that are shown: those in force, or those at the step. Likewise, the tables of the event before
 * (or of the step before the last move), if they are of the same fabric. NULL = none.
 */
const struct routing *scene_routing(const struct scene *sc);
const struct routing *scene_routing_before(const struct scene *sc);
/* The tables in force, even while a step is shown. NULL = none. */
const struct routing *scene_real_routing(const struct scene *sc);
/* Is an entry still undecided and unknown at the step that is shown? */
bool scene_undecided(const struct scene *sc, uint32_t sw, unsigned lid);
/* Will a later step of the run that is shown change a table? False without a moment. */
bool scene_unfinished(const struct scene *sc, unsigned table); /* enum rec_table */
/* The tables in force as their engine made them, even if the unicast cache kept them. NULL = none. */
const struct routing *scene_origin(const struct scene *sc);
/* The LID of an endport: the one of the sweep, else of the fabric's source; 0 = none. */
unsigned scene_lid(const struct scene *sc, uint32_t ep);
/* Are aggregation nodes counted as hosts, as port_of_host() asks (fabric.h)? */
bool scene_counts_aggregation(const struct scene *sc);
/* The operations of the engine of these tables, even if the unicast cache kept them; never NULL. */
const struct routing_ops *scene_ops(const struct scene *sc);

/*
 * The switch elements of the scene: those by which the engine routed, else those of its topo. Borrowed. NULL
 * and *e.
 */
const struct elements *scene_elements(struct scene *sc, struct err *e);
/* The chassis by which panes are folded. Borrowed, until the next scene is taken. NULL and *e. */
const struct view_chassis *scene_chassis(struct scene *sc, struct err *e);

/* What the header of a switch element shows if its rows differ. If they agree, it shows their text. */
enum fold_rule {
	FOLD_SAME, /* nothing */
	FOLD_CHIP, /* nothing; the cell names the row's chip, so its place in the chassis stands before it */
	FOLD_SUM,  /* numbers below 0 are unknown and left out, also in the rules below */
	FOLD_MIN,
	FOLD_MAX,
	FOLD_RANGE, /* "1..3" */
};

#define DROP_SPARE 255 /* dropped unless flexible columns have all the width that they want */

struct column {
	const char *name;
	const char *help; /* its meaning in this pane, in a few words; never NULL */
	const char *was;  /* an older name that is still accepted and also a key in JSON; or NULL */
	uint8_t width;	  /* at least; 0 = the width of the name */
	uint8_t flex;	  /* share of the spare width, 0 = fixed width */
	bool right;	  /* right-aligned */
	bool numeric;	  /* sorted by number() */
	uint8_t drop;	  /* narrow panes drop the highest values first, 0 = never */
	uint8_t fold;	  /* enum fold_rule */
	uint8_t meter; /* most cells of a meter beside its numbers, or of its bars: they get spare room; 0 =
			  none */
	bool bar;      /* its cells are bars, in the shades that meter() tells */
	bool prose;    /* has sentences: cut only at the end, and names in them stay whole */
	bool timing;   /* differs from run to run */
	uint8_t kind;  /* enum cell_kind, for panes that are tables */
};

/*
 * A row of a table of columns (text or number): name, help, width, then other members. The compiler takes
 * only a string of several characters for help: each pane tells its own columns.
 */
#define COLUMN_HELP(HELP) (&("" HELP)[0 * sizeof(char[sizeof("" HELP) > 5 ? 1 : -1])])
#define COL(NAME, HELP, WIDTH, ...)                                                  \
	{                                                                            \
		.name = NAME, .help = COLUMN_HELP(HELP), .width = WIDTH, __VA_ARGS__ \
	}
#define NUM(NAME, HELP, WIDTH, ...)                                                                      \
	{                                                                                                \
		.name = NAME, .help = COLUMN_HELP(HELP), .width = WIDTH, .right = true, .numeric = true, \
		__VA_ARGS__                                                                              \
	}

/*
 * A table: a pane whose operation row() tells a row at once. Each column has a value; how it reads depends on
 * the column's kind. A row that was told is kept until the next load(), so it must not depend on the
 * selection, nor on widths. Engines' own tables are such panes (views/engine/).
 */
enum cell_kind {
	CELL_PLAIN,  /* a number, "-" below 0; where the column is not numeric, what row_text() returned, 0 =
			"" */
	CELL_SWITCH, /* the name of a switch, "-" for NO_ID */
	CELL_GUID,   /* of a switch */
	CELL_LINK,   /* a port that sends: "ring0[2] → ring1" */
	CELL_PEER,   /* the node at the other end of a port's cable; "" for none, and for NO_ID */
	CELL_LID,    /* the owner of a LID, in the tables of the engine (scene_origin()) */
};

/* The marks of a row. Each has its own sign, so that colour is never needed. */
enum { MARK_CHANGED = 1, MARK_DOWN = 2, MARK_DETOUR = 4, MARK_HERE = 8, MARK_STEP = 16 };

/* A mark where it applies, else none. */
static inline unsigned mark_if(bool applies, unsigned mark)
{
	return applies ? mark : 0;
}

/*
 * The sign of the most important mark: 'x' down, '!' changed, '+' touched by the step, '~' detour, '*' here,
 * or ' '.
 */
char marks_sign(unsigned marks);

enum {
	VIEW_DETAIL = 1,    /* opens in the second place, beside its list */
	VIEW_WIDE = 2,	    /* needs the whole width of a narrow terminal */
	VIEW_TRACKS = 4,    /* follows the selection of the list beside it */
	VIEW_AT_END = 8,    /* starts at its last row */
	VIEW_SEQUENCE = 16, /* rows follow each other: only adjacent rows are folded together */
	VIEW_PRESENT = 32,  /* shows the present (scene->real ...) even at a step; its title says so */
	VIEW_TIMELESS = 64, /* independent of routes: the same at every step */
	VIEW_BESIDE = 128,  /* stands in either place, beside what is looked at with it */
	VIEW_CHIPS = 256,   /* rows belong to switches (subject.chip), so the pane can be folded */
	VIEW_TYPED = 512,   /* letters are not keys: they go to view.typed, and the pane is loaded again */
	VIEW_ONCE = 1024,   /* it closes when a row is followed */
	VIEW_SELECTS =
		2048, /* load() asks about the selected row, so it is called when another one is selected */
	VIEW_SLOW_ROWS = 4096, /* rows far apart take a search each: few are looked at for widths */
};

/* Tones of a part of a cell. Each goes with a sign in the text, so that colour is never needed. */
enum { TONE_PLAIN, TONE_DOWN, TONE_CHANGED, TONE_DETOUR, TONE_HERE, TONE_HEAVY, TONE_LIGHT };

/* A number as a bar: its part of the largest one, 0..1, and a shade from 0 (light) to 4 (heavy). */
struct meter {
	double part;
	unsigned shade;
};

/* A part of a cell, in columns of the screen. */
struct span {
	unsigned from, n;
	uint8_t tone;
};

#define VIEW_COLUMNS 18
struct view;
struct filter;

/* A row of a table, as row() fills it. All is empty at first, and `about` has no object. */
struct table_row {
	uint32_t row;		     /* its number; NO_ID: none was told since the last load */
	int64_t value[VIEW_COLUMNS]; /* by row_values() */
	size_t says[VIEW_COLUMNS];   /* what the cell reads instead, from row_text(); 0 = as its kind tells */
	size_t footer; /* from row_text(): what the pane's lower edge adds while it is selected */
	unsigned marks;
	unsigned touched; /* a bit for each column that the step touched: view_ops.touched */
	size_t follow;	  /* from row_text(): a command line for Enter; 0 = that of the pane */
	struct subject about;
	struct text text; /* all that row_text() added */
};

/* Sets the values of all columns, in their order. */
void row_values(const struct view *v, struct table_row *r, size_t n, const int64_t *value);
#define ROW_VALUES(v, r, ...)                                                          \
	row_values((v), (r), sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), \
		   (const int64_t[]){__VA_ARGS__})
/* Begins a text of the row, to which the caller may add in r->text. The result stands for it. */
size_t row_text(struct table_row *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Sets the columns that show fields of x, one of the rows whose list of fields is f; others stay. */
void row_fields(const struct view *v, struct table_row *r, const struct field *f, const void *x);
/* Notes that the step touched a column, if it touched this cell of a table of the recording. */
void row_touch(const struct view *v, struct table_row *r, unsigned col, unsigned table, uint32_t at);

/*
 * A pane. Required: name, column, n_columns, load, and cell or row. Everything else may be left out; view.c
 * then does what the comment says.
 */
struct view_ops {
	const char *name;  /* as in `pane NAME` and in keymaps */
	const char *brief; /* one line for help */
	/* The arguments: help shows, completion offers, and view.h reads them. NULL: none. */
	const char *syntax;
	const char *hints; /* what the function bar offers first: words "ACTION=label" or ":command=label" */
	const struct column *column;
	unsigned n_columns; /* at most VIEW_COLUMNS */
	unsigned flags;
	size_t priv_size; /* size of v->priv, which starts zeroed */
	size_t priv_kept; /* its first bytes, which stay; all others are zeroed before each load() */

	/*
	 * Takes from the words (as typed: core/session/command.h) what v->args does not hold. -1 and *e when
	 * they name nothing.
	 */
	int (*open)(struct view *v, const struct args *a, struct err *e);
	/*
	 * Called for a new scene or a new result. Sets v->n_rows (0 before), and possibly v->width[] and
	 * v->select.
	 */
	void (*load)(struct view *v);
	/* Frees what load() put in priv, before the next load() and at the end. VIEW_ARRAY() needs none. */
	void (*unload)(struct view *v);
	/*
	 * For rows of running text: tells the width. Returns true if the rows change, so that load() is
	 * called again.
	 */
	bool (*fit)(struct view *v, unsigned columns);
	void (*close)(struct view *v); /* frees everything else in priv */
	/* Tells a row of a table, in place of cell, number, marks, touched and about. */
	void (*row)(const struct view *v, uint32_t row, struct table_row *r);
	/* NULL: what load() wrote to v->title; or else the name, and the place of the selection. */
	void (*title)(const struct view *v, struct text *t);
	/* A line at the lower edge. NULL: what load() wrote to v->footer, and the selected row's own. */
	void (*footer)(const struct view *v, struct text *t);
	void (*cell)(const struct view *v, uint32_t row, unsigned col, struct text *t);
	/* The number of a numeric column; below 0: unknown. NULL: the number at the start of the cell. */
	int64_t (*number)(const struct view *v, uint32_t row, unsigned col);
	unsigned (*marks)(const struct view *v, uint32_t row); /* NULL: none */
	/*
	 * Did the step that is shown (scene->moment) touch a cell? Such a cell is shown in reverse, or in
	 * [brackets] without colour, and its row gets MARK_STEP. Called only if there is a moment. NULL: no
	 * cell is touched.
	 */
	bool (*touched)(const struct view *v, uint32_t row, unsigned col);
	/*
	 * Tells the object of a row. *s has no object at first, and its key is the row number; view.h
	 * helps to fill it. From it come the row's key and chip, the placeholders, the JSON of `list`, and
	 * (with `enter`) the action of Enter. False: only key and chip are set.
	 */
	bool (*about)(const struct view *v, uint32_t row, struct subject *s);
	/* Enter: a command line with placeholders. Nothing is done if one of them has no value. */
	const char *enter;
	/* Enter, if a fixed line is not enough. It leaves t empty when there is nothing to follow. */
	void (*follow)(const struct view *v, uint32_t row, struct text *t);
	/*
	 * The value of a placeholder that only this pane has, or knows better than its subject does, quoted
	 * for a command line. False when it has none here.
	 */
	bool (*placeholder)(const struct view *v, uint32_t row, const char *what, struct text *t);
	/*
	 * The i-th part (from 0) of a cell that has its own tone. False after the last one. With this, marks
	 * do not colour the rows. NULL: they do.
	 */
	bool (*span)(const struct view *v, uint32_t row, unsigned col, unsigned i, struct span *s);
	/* For columns with `meter` or `bar`. False: the cell has none. */
	bool (*meter)(const struct view *v, uint32_t row, unsigned col, struct meter *m);
	/* With VIEW_TYPED: what Tab, or Enter where nothing is followed, makes of what is typed. NULL: Tab is
	 * a key. */
	void (*complete)(const struct view *v, struct text *t);
	/*
	 * The short form of a cell, for a column that is too narrow for one of its cells: then all of them
	 * are short. False: this column has none. NULL: no column has one.
	 */
	bool (*brief_cell)(const struct view *v, uint32_t row, unsigned col, struct text *t);
	/* Left (dir -1) and Right (1) choose within a row. NULL: they scroll long cells. */
	void (*across)(struct view *v, int dir);

	/* "link": headers read "dir2: 6 links", else "dir2 (6)", in the first flexible column. */
	const char *fold_row;
	/* A header's cell that the pane knows better. False: the column's rule applies. */
	bool (*head)(const struct view *v, const char *element, const uint32_t *row, uint32_t n, unsigned col,
		     struct text *t);
	/* Column names that differ between panes, valid until the next load(). NULL: those of column[]. */
	const char *(*column_name)(const struct view *v, unsigned col);

	/*
	 * Draws the rows in another form. The canvas is empty and has the size of the pane's inside, at least
	 * 1 x 1. Called only if there are rows. NULL: the rows are shown as a list.
	 */
	void (*draw)(struct view *v, struct canvas *c);
	/*
	 * Arrow keys (-1, 0, 1), Home and End (dx is -VIEW_FAR, VIEW_FAR), PgUp and PgDn (dy is more than one
	 * line) in a drawing. NULL: they move through the rows.
	 */
	void (*move)(struct view *v, int dx, int dy);
	/* A click on an object that draw() has put there; row NO_ID: on nothing. NULL: selects the row. */
	void (*hit)(struct view *v, struct canvas_object o);
	/*
	 * Words of the command `map` that only this pane knows. 0, with a remark in *e or none; or -1 and *e.
	 */
	int (*words)(struct view *v, int argc, char **argv, struct err *e);
};

/* Members of a struct view_ops: the columns. */
#define COLUMNS(TABLE) .column = TABLE, .n_columns = ARRAY_LEN(TABLE)

#define VIEW_FAR 1000000

/* The place in a prepared line where the cursor stands; lines keep it, who shows them takes it out. */
#define PLACE_HERE "%here"

#define VIEW_FILTER_MAX 79 /* characters */
#define VIEW_TYPED_MAX 511 /* bytes */

struct view {
	const struct view_ops *ops;
	struct scene *scene; /* of the user interface, or of the command `list` */
	struct view_args args;
	char **word; /* [n_words] as given */
	int n_words;
	void *priv;
	void **array; /* [n_arrays] from view_room() */
	size_t n_arrays, cap_arrays;
	const struct result *question; /* own reference, from view_ask_about(); NULL = none */
	const struct result *held;     /* own reference, from view_hold(); NULL = none */
	uint64_t serial;	       /* of the scene from which it was loaded */
	unsigned results_version;
	bool loaded;
	struct ask ask[VIEW_ASKS];		 /* made by load(); the sweep is borrowed */
	const struct result *results[VIEW_ASKS]; /* references; NULL = still missing */
	unsigned n_ask;
	bool waiting;		     /* a result is missing */
	uint32_t n_rows;	     /* set by load() */
	uint8_t width[VIEW_COLUMNS]; /* least widths of columns; load() may change them, 0 hides a column */
	int64_t select;		     /* row that load() wants selected; -1 = none */
	struct text title, footer;   /* load() may add to them; empty before */
	struct table_row *told;	     /* of a table: the row that was asked for last */

	/* The order of rows: NULL = all rows, unsorted. */
	uint32_t *order;
	uint32_t n_order, cap_order;
	uint32_t scanned; /* rows that the filter has examined */
	bool ordering;	  /* filtering or sorting is unfinished */
	int sort;	  /* column, -1 = unsorted */
	bool descending;
	char filter[VIEW_FILTER_MAX + 1];
	struct filter *terms; /* the filter, read with the columns of the last load; NULL = all rows */
	char typed[VIEW_TYPED_MAX + 1]; /* with VIEW_TYPED */

	uint32_t sel, top;  /* places among the shown rows */
	uint32_t asked_sel; /* with VIEW_SELECTS: the place for which it was loaded */
	bool noted;	    /* a row was selected: sel_key and sel_inner tell which */
	uint64_t sel_key;
	uint64_t sel_inner; /* key of the first row under a header; for a row the same key */
	unsigned shift;	    /* columns by which flexible cells are scrolled to the left */
	unsigned beyond;    /* most columns by which one was longer than its room when it was last drawn */
	unsigned skip; /* sideways: shows the first column, and those from this one on; 0 = as they fit */
	bool hides;    /* columns had no room when it was last drawn */
	struct canvas canvas;	    /* last drawing, for panes that draw */
	uint8_t room[VIEW_COLUMNS]; /* width of each column as last drawn, at most 255; 0 = not drawn */
	bool measured;		    /* affix[] is made for the cells of this load */
	struct affix affix[VIEW_COLUMNS];

	/* Of the user interface: the place that had the focus, and the list, when it was opened. */
	unsigned opened_from;
	const struct view_ops *opened_beside;

	bool folded;	   /* whether it was loaded folded */
	struct fold *fold; /* NULL = not folded */
	uint64_t *open;	   /* headers that are open: keys made of the element's lowest GUID */
	uint32_t n_open, cap_open;
};

/* With more rows, sorting and folding are refused: they would block the terminal. */
#define VIEW_SORT_MAX 400000
/* Engines for which the pane compare has room. */
#define COMPARE_MOST 11

struct view *view_new(const struct view_ops *ops, struct scene *sc, int argc, char **argv, struct err *e);
void view_free(struct view *v);

/*
 * For load(): a result for the sweep that is shown, or NULL while it is missing; load() is called again when
 * it comes. It stays until the next load() has ended. base (NULL = none): an earlier result of the same
 * load(), or one of the pane's own. With a base, no sweep is needed.
 */
const struct result *view_ask(struct view *v, const struct task *task, const struct result *base,
			      const uint32_t arg[TASK_ARGS]);
/* The same, for the value of a result without base. */
const void *view_ask_value(struct view *v, const struct task *task, const uint32_t arg[TASK_ARGS]);
/*
 * The same, about a question, which becomes the base of the result. The question is taken over; with NULL
 * nothing is asked, and NULL returned. If it is the same question as before (`kind` compares them),
 * v->question and the answer stay.
 */
const struct result *view_ask_about(struct view *v, const struct task *task, void *question,
				    const struct task *kind, const uint32_t arg[TASK_ARGS]);
/* Holds a result in v->held over loads, in place of the one before; NULL: none. */
void view_hold(struct view *v, const struct result *r);

/* For load(): zeroed memory that is freed before the next load(), or with the view. */
void *view_room(struct view *v, size_t n, size_t size);
#define VIEW_ARRAY(v, n, type) ((type *)view_room((v), (n), sizeof(type)))

/* For footer(), while results are missing: a bar, the percentage, the time left, and that Esc cancels. */
void view_progress(const struct view *v, struct text *t);

/* Updates the pane: computes at once all that it asks for, and orders all rows. False when cancelled. */
bool view_settle(struct view *v, struct progress *p);

/* Takes what is typed, with VIEW_TYPED: the pane is loaded again, and its first row selected. */
void view_type(struct view *v, const char *text);
void view_complete(struct view *v); /* as Tab does */

/* Updates the pane to its scene. */
void view_refresh(struct view *v);
/* Loads the pane again, since it wants to show something else. */
void view_reload(struct view *v);
/* Tells the width of a row, for rows of running text. */
void view_fit(struct view *v, unsigned columns);
/* Continues filtering and sorting for at most `seconds`. True when all is done. */
bool view_work(struct view *v, double seconds);

static inline uint32_t view_count(const struct view *v)
{
	return v->order ? v->n_order : v->n_rows;
}

/* The row at place i (0 .. view_count() - 1). Values from n_rows on are headers of switch elements. */
static inline uint32_t view_row(const struct view *v, uint32_t i)
{
	return v->order ? v->order[i] : i;
}

/* The selected row. False when there is none, or when it is a header. */
bool view_selected(const struct view *v, uint32_t *row);
/* The selected row or header. False when there is none. */
bool view_current(const struct view *v, uint32_t *row);
void view_select(struct view *v, int64_t i); /* place i, clamped */
/* As ops->move. Lists know Home and End (dx) and lines (dy), but not left and right. */
void view_move(struct view *v, int dx, int dy);
bool view_select_row(struct view *v, uint32_t row); /* false: the row is not shown */

/* Shows only rows that match (filter.h). view_filter_check() tells errors. */
void view_filter(struct view *v, const char *filter);
/* After all rows were examined: 0, or -1 and *e. */
int view_filter_check(const struct view *v, struct err *e);

/* Sorts by a column; -1 = unsorted. -1 and *e when there are too many rows. */
int view_sort(struct view *v, int column, bool descending, struct err *e);
/* Finds a column by name, a word of its header, or its beginning (columns_named()). -1 and *e. */
int view_column(const struct view *v, const char *name, struct err *e);

struct search {
	int dir;	/* 1: to rows below, -1: to rows above; cyclic */
	bool start;	/* the search includes the selected place */
	bool best;	/* letters in order: finds the best match, not the next */
	double seconds; /* time limit */
};
/*
 * Selects the next place that matches, as filters do. 1: found; 0: there is none; -1 and *e: `what` is wrong.
 */
int view_search(struct view *v, const char *what, const struct search *how, struct err *e);
/* The same for rows with the letters of `what` in order (row_likeness()). */
bool view_search_like(struct view *v, const char *what, const struct search *how);

/* What ops tell, or the defaults for what they leave out. */
const char *view_syntax(const struct view_ops *ops);
const char *view_brief(const struct view_ops *ops);
const char *view_hints(const struct view_ops *ops);
void view_title(const struct view *v, struct text *t);
void view_footer(const struct view *v, struct text *t);

const char *view_column_name(const struct view *v, unsigned col);
/* The cell of a row or header, in clean text. */
void view_cell(const struct view *v, uint32_t row, unsigned col, struct text *t);
/* What the pane itself tells of a row that is no header: its cell, not cleaned, and its marks. */
void row_cell(const struct view *v, uint32_t row, unsigned col, struct text *t);
unsigned row_marks(const struct view *v, uint32_t row);
/* Tells the object of a row: view_ops.about. */
bool row_about(const struct view *v, uint32_t row, struct subject *s);
/* The most important part of a cell, if it has too little room. False when there is no shorter form. */
bool view_brief_cell(const struct view *v, uint32_t row, unsigned col, struct text *t);
int64_t view_number(const struct view *v, uint32_t row, unsigned col);
uint64_t view_key(const struct view *v, uint32_t row);	 /* stays the same over events */
unsigned view_marks(const struct view *v, uint32_t row); /* includes MARK_STEP if a cell is touched */
bool view_touched(const struct view *v, uint32_t row, unsigned col); /* as ops->touched; never for headers */
/*
 * The value of a placeholder, quoted for a command line: %node %switch %host %port %peer %lid %src %dst
 * %endport %object %guid %name %layer, %number of the port, %far (its other end), and those that a pane adds.
 * False when it has no value here. %element exists for all rows with a chip. A header has the values in which
 * all its rows agree.
 */
bool view_place(const struct view *v, uint32_t row, const char *what, struct text *t);
bool row_place(const struct view *v, uint32_t row, const char *what, struct text *t); /* no header, no chip */

/* --- folding (fold.c) -------------------------------------------------------- */

static inline bool view_is_header(const struct view *v, uint32_t row)
{
	return row >= v->n_rows;
}

/* Shows or hides the rows under the selected header. False when it is no header. */
bool view_toggle(struct view *v);
/* The part of a title about folding. */
void view_fold_title(const struct view *v, struct text *t);
/* Copies sort, filter and open headers, for a pane that replaces another. */
void view_inherit(struct view *v, const struct view *from);

/* The placeholders of command lines, without `%`, and their meaning; ended by name NULL. */
extern const struct view_word {
	const char *name, *help;
} view_words[];

/* Fills in a command line's placeholders (%name) for the selected row. -1 and *e when one has no value. */
int view_expand(const struct view *v, const char *line, struct text *t, struct err *e);
/* The same for any row. Adds nothing when a placeholder has no value. */
void view_fill(const struct view *v, uint32_t row, const char *line, struct text *t);
/* Do its rows tell what they are about? */
bool view_has_subjects(const struct view *v);
/* Does Enter do anything on its rows? */
bool view_leads(const struct view *v);
/* The command line of Enter on a row that is no header. Adds nothing when there is none. */
void view_follow(const struct view *v, uint32_t row, struct text *t);

/* --- helpers for panes -------------------------------------------------- */

/* A node as a word of the command language: its name if that is unique, else its GUID. */
void word_node(const struct fabric *f, uint32_t node, struct text *t);
void word_port(const struct fabric *f, uint32_t port, struct text *t); /* NODE[PORT] */
/*
 * An endport on a switch: its first CA that is up, else its port 0. ca_on_switch(): that CA's port, or NO_ID.
 */
void word_on_switch(const struct topo *tp, uint32_t sw, struct text *t);
uint32_t ca_on_switch(const struct topo *tp, uint32_t sw);
/* Any endport: its port, or the switch whose port 0 it is. */
void word_endport(const struct fabric *f, uint32_t ep, struct text *t);
void word_text(const char *s, struct text *t); /* quoted if needed */
void text_clear(struct text *t);

/* An endport, as the whole program names it (endport_label()). */
void label_endport(const struct fabric *f, uint32_t ep, struct text *t);
/* The owner of a LID: its endport, with +offset if there is an LMC. */
void lid_label(const struct fabric *f, const struct lids *l, unsigned lid, struct text *t);

/* An arrow for a direction of routing_ops ('U', 'D', '='; in ASCII the letter itself), `none` for ' '. */
const char *direction_sign(char direction, const char *none);

/* The directed link out of a port: "ring0[2] → ring1", or with `arrival` "ring0[2] → [3]ring1". */
void label_channel(const struct topo *tp, uint32_t port, bool arrival, struct text *t);
/*
 * Width of the column `label` for a node's ports or their far ends. 0: there is no label, or no node (NO_ID).
 */
uint8_t label_width(const struct fabric *f, uint32_t node, bool far);
/* The label of a port, "" for none. */
void label_of_port(const struct fabric *f, uint32_t port, struct text *t);

/* n of `most` as a bar of at most `cells` cells. A value too small for a cell is a dot. */
void word_bar(uint64_t n, uint64_t most, unsigned cells, struct text *t);

/* A number, or "-" for an unknown one (below 0). */
void number_cell(int64_t n, struct text *t);
/* "Name 3/17": the place of the selection among the rows. */
void title_place(const struct view *v, const char *name, struct text *t);

/* The number of decimal digits of n, at least `least`. */
unsigned digits(uint64_t n, unsigned least);

/* A pane of a list, by its name or a unique prefix. NULL and *e. */
const struct view_ops *view_in(const struct view_ops *const *panes, const char *name, struct err *e);

/*
 * The questions of several panes.  Drift, doctor and advise ask about a setup, engines, and the present
 * routing; hotter, transition, outage and the map about what lies between two sweeps.
 */

/* Immutable, and kept as the base of the result. */
struct sweep_question {
	const struct setup *setup; /* reference held */
	const struct engine *const *engines;
	const struct sweep *now;  /* reference held; NULL = nothing has been routed */
	char *chain;		  /* owned; NULL: no chain was named */
	char *configured, *named; /* chain of the session, and as its file writes it; owned */
	struct measured *counted; /* what ports counted; owned; NULL: not asked about, or not known */
	struct opensm_log *log;	  /* the manager's log; reference held; the same */
	uint64_t counts;	  /* of the session then */
};

/* Makes a question about the scene. */
struct sweep_question *sweep_question_new(const struct scene *sc);
void sweep_question_free(struct sweep_question *q); /* NULL is fine */

/* The kind of these questions, for result_keep() and view_ask_about(). */
extern const struct task task_sweep_question;

/* From one sweep to another: immutable as well. */
struct between_question {
	const struct sweep *a, *b;     /* references held */
	const struct routing *ra, *rb; /* references held; in them the presently counted hosts count */
	uint64_t lost;		       /* pairs that the event of b lost; OUTAGE_NO_AFTER */
	const struct setup *ahead;     /* reference held: b (NULL) is what would be of it; else NULL */
	const struct engine *const *engines;
};

/* From a snapshot, or (NULL) else from the event before, to now. NULL and *why (static). */
struct between_question *between_question_new(const struct view *v, const char *snapshot, const char **why);
/* From now to what a setup would make, which is taken over. */
struct between_question *between_question_ahead(const struct scene *sc, const struct setup *ahead);
extern const struct task task_between_question;
/* For open(): is the snapshot there that the pane is asked about, if it is? */
int between_question_open(struct view *v, const struct args *a, struct err *e);

/* Sorting of rows, and the selection in them, for view.c and fold.c. */

/* Sorts rows and headers by v->sort. */
void view_sort_rows(const struct view *v, uint32_t *row, uint32_t n);
/* Remembers the selected row, to find it again in another order. */
void view_note_selection(struct view *v);

#endif
