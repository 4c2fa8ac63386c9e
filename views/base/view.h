/*
 * The contract of a pane: what it lists, how a cell reads, what a row is about.
 * A pane is one file that defines a `const struct view_ops` and one line in
 * panes.def.  It knows nothing of windows, keys, colours or other panes.
 *
 * Lists are virtual: a pane only says how many rows there are and answers for
 * single cells, so its cost does not depend on the number of rows.  Sorting,
 * filtering, searching and the selection are done here for all panes alike.
 *
 * All functions of this file are called by one thread, which holds
 * session_lock() as long as it uses a scene.
 */
#ifndef IBSCOPE_VIEW_H
#define IBSCOPE_VIEW_H

#include "core/routing/distances.h"
#include "core/base/err.h"
#include "core/base/text.h"
#include "core/fabric/elements.h"
#include "core/session/session.h"
#include "views/base/affix.h"
#include "views/base/args.h"
#include "views/base/beside.h"
#include "views/base/canvas.h"
#include "views/base/subject.h"

struct moment;
struct recording;

#define SCENE_RESULTS 32 /* kept at most */
#define VIEW_ASKS 16	 /* of one pane at a time */

/* A line of help: a key (from the user interface, which knows the keymap), a pane or a command. */
struct help_line {
	const char *key;   /* "C-x o", or a name */
	const char *where; /* pane a key holds in, "all", "repl"; "pane", "command" */
	const char *does, *more;
	const char *task; /* what a person wants who presses it: lines of one task follow each other */
};

/*
 * The name that each switch has when panes are folded: elements of the fabric as cabled, also those that
 * failed or that the SM does not reach.  Made once per fabric; once per scene if a file says who belongs
 * together.
 */
struct chassis {
	struct elements *el; /* of all switches */
	bool by_file;
	uint32_t *of;	      /* [n_switches] element, NO_ID: the switch stands alone */
	uint32_t several;     /* elements of several chips */
	char **chassis_place; /* [n_switches] of chassis_places() */
};

/*
 * What all panes look at: the session's state at one generation.  References
 * are held on fabric, sweeps and topo; change, state and event are the
 * session's own and are valid while its generation is the scene's.
 */
struct scene {
	struct session *session;
	uint64_t serial;		 /* grows with every scene taken */
	uint64_t generation;		 /* of the session */
	bool valid;			 /* false: taken never or released */
	const struct fabric *fabric;	 /* NULL = nothing is loaded */
	const struct sweep *sweep;	 /* NULL = nothing has been routed */
	const struct sweep *before;	 /* of the event before, NULL = none */
	const struct comparison *change; /* made by the last event, NULL = none */
	const struct state *state;
	const struct topo *topo; /* of the sweep, else of the state */
	const struct event *event;
	size_t at, n_events;
	const struct result *result[SCENE_RESULTS]; /* references; what was computed for the sweep */
	unsigned n_results;
	unsigned results_version; /* grows when results come or go */
	unsigned percent;	  /* of what is being computed */
	double left;		  /* seconds until it is, below 0: not known */
	/*
	 * The step of a run that is walked through, NULL = the present; reference.  sweep is its sweep then,
	 * before the step before the last move, change NULL; topo is that of the run.
	 */
	const struct moment *moment;
	/* The present, also while a step is shown, for panes with VIEW_PRESENT: as sweep, before ... */
	const struct sweep *real, *real_before;
	const struct comparison *real_change;
	const struct topo *real_topo;
	uint64_t walk_moves; /* of the session */
	/* The last step that changes each table of a recording, kept as long as it is walked through. */
	const struct recording *last_of;     /* reference; NULL = none was */
	size_t *last_step;		     /* [tables of recordings] 0: none does */
	const struct view_ops *const *panes; /* that there are, for those that tell of others; NULL = none */
	const struct help_line *help;	     /* keys; NULL = none are bound */
	size_t n_help;
	bool fold; /* panes show chips under their switch element */
	const struct result
		*doctor; /* question for doctor, kept from scene to scene (doctor.h); NULL = none */
	const struct result *asked; /* scene_fabric_question(); NULL = none */
	struct looked looked;	    /* kept from scene to scene; nothing where there is no screen */
	/* NULL = not asked for yet, or the error says why not. */
	const struct elements *elements;
	struct chassis *chassis;
	struct err no_elements, no_chassis;
};

/* Look at the session as it is now (under its lock); what was taken before is released. */
void scene_take(struct scene *sc, struct session *s);
void scene_release(struct scene *sc);
/* Has the session moved on since? */
bool scene_stale(const struct scene *sc, const struct session *s);
/* The result of an ask, NULL while there is none. */
const struct result *scene_result(const struct scene *sc, const struct ask *a);
/* Take over a reference; the oldest is let go when there are too many. */
void scene_add_result(struct scene *sc, const struct result *r);
/* What tasks with no_sweep are asked about: a result whose value is the fabric; borrowed.  NULL: nothing is
 * loaded. */
const struct result *scene_fabric_question(struct scene *sc);
/* Let go of what belongs to another sweep than the scene's; of everything when the scene is released. */
void scene_drop_results(struct scene *sc);

/*
 * Tables that are shown, NULL = none: those in force, or as far as they are at the step; and those of the
 * event before (of the step before the last move) when they are of the same fabric.
 */
const struct routing *scene_routing(const struct scene *sc);
const struct routing *scene_routing_before(const struct scene *sc);
/* Tables in force, not those of a shown step; NULL = none. */
const struct routing *scene_real_routing(const struct scene *sc);
/* Is an entry not decided yet at the step that is shown, and nothing known of it? */
bool scene_undecided(const struct scene *sc, uint32_t sw, unsigned lid);
/* Does a later step of the run that is shown change a table?  false also without a moment. */
bool scene_unfinished(const struct scene *sc, unsigned table); /* enum rec_table */
/* The tables in force as their engine made them, also if the unicast cache kept them; NULL = none. */
const struct routing *scene_origin(const struct scene *sc);
/* LID of an endport: given by the sweep, before any that of the fabric's source; 0 = none. */
unsigned scene_lid(const struct scene *sc, uint32_t ep);
/* Operations of the engine behind them, also where the unicast cache kept them; never NULL. */
const struct routing_ops *scene_ops(const struct scene *sc);

/* Switch elements of the scene: those the engine routed by, else of its topo; borrowed.  NULL and *e. */
const struct elements *scene_elements(struct scene *sc, struct err *e);
/* What panes are folded by; borrowed, until the next scene is taken.  NULL and *e. */
const struct chassis *scene_chassis(struct scene *sc, struct err *e);

/* What the header of a switch element shows for its rows where they differ; when they agree it shows that. */
enum fold_rule {
	FOLD_SAME, /* nothing */
	FOLD_CHIP, /* nothing; the cell names the row's chip: its place in the chassis goes before it */
	FOLD_SUM,  /* numbers below 0 are unknown and left out, here and below */
	FOLD_MIN,
	FOLD_MAX,
	FOLD_RANGE, /* "1..3" */
};

#define DROP_SPARE 255

struct column {
	const char *name;
	const char *help; /* what stands there, a few words; NULL: the topic of its name tells */
	const char *was;  /* an older name, still taken and a key of JSON too; NULL */
	uint8_t width;	  /* at least; 0 = the name's */
	uint8_t flex;	  /* share of the room left over, 0 = fixed */
	bool right;	  /* aligned right */
	bool numeric;	  /* sorted by number() */
	uint8_t drop; /* narrow panes leave out columns with the highest value first, 0 = never; DROP_SPARE:
			 unless flexible columns have all that they want */
	uint8_t fold; /* enum fold_rule */
	bool prose;   /* sentences: cut at their end, names in them too */
};

/* Rows of a table of columns, text or a number: name, help, width; behind them what else is set. */
#define COL(NAME, HELP, WIDTH, ...)                                     \
	{                                                               \
		.name = NAME, .help = HELP, .width = WIDTH, __VA_ARGS__ \
	}
#define NUM(NAME, HELP, WIDTH, ...)                                                                     \
	{                                                                                               \
		.name = NAME, .help = HELP, .width = WIDTH, .right = true, .numeric = true, __VA_ARGS__ \
	}

/* Marks of a row, each shown by its own sign so that colour is never needed. */
enum { MARK_CHANGED = 1, MARK_DOWN = 2, MARK_DETOUR = 4, MARK_HERE = 8, MARK_STEP = 16 };

/* Sign of the weightiest mark: 'x' down, '!' changed, '+' touched by the step, '~' detour, '*' here, ' '. */
char marks_sign(unsigned marks);

enum {
	VIEW_DETAIL = 1,    /* opens in the second place, beside the list it belongs to */
	VIEW_WIDE = 2,	    /* wants the whole width where the terminal is narrow */
	VIEW_TRACKS = 4,    /* follows the selection of the list beside it */
	VIEW_AT_END = 8,    /* starts at its last row */
	VIEW_SEQUENCE = 16, /* rows follow each other: only neighbours are folded together */
	VIEW_PRESENT = 32,  /* shows the present (scene->real ...) while a step is shown; its title says so */
	VIEW_TIMELESS = 64, /* has nothing to do with routes: the same at every step */
	VIEW_BESIDE = 128,  /* stands in the first place or the second, beside what is looked at with it */
	VIEW_CHIPS = 256,   /* rows belong to switches (subject.chip): panes with it can be folded */
};

/* Tones of a piece of a cell; each goes with a sign of its own, so that colour is never needed. */
enum { TONE_PLAIN, TONE_DOWN, TONE_CHANGED, TONE_DETOUR, TONE_HERE, TONE_HEAVY, TONE_LIGHT };

/* Characters of a cell, in columns of the screen. */
struct span {
	unsigned from, n;
	uint8_t tone;
};

#define VIEW_COLUMNS 18
struct view;
struct filter;

/*
 * What a pane is.  Required: name, column, n_columns, load, cell; everything else may
 * be left out, and view.c does what the comment says.
 */
struct view_ops {
	const char *name;  /* as in `pane NAME` and in keymaps */
	const char *brief; /* one line for help */
	/* Arguments as help shows them, and as they are completed and parsed (args.h); NULL: none. */
	const char *syntax;
	const char *hints; /* what the function bar offers first: "ACTION=label" or ":command=label" words */
	const struct column *column;
	unsigned n_columns; /* at most VIEW_COLUMNS */
	unsigned flags;
	size_t priv_size; /* v->priv, zeroed */
	size_t priv_kept; /* its first bytes, which stay; each load() finds the others zeroed */

	/* Take from the words (as typed: core/session/args.h) what v->args does not hold; -1 and *e when they
	 * name nothing. */
	int (*open)(struct view *v, const struct args *a, struct err *e);
	/* The scene is another one, or a result came: set v->n_rows (0 before), perhaps v->width[],
	 * v->select. */
	void (*load)(struct view *v);
	/* Free what load() put in priv: before the next one, and at the end.  VIEW_ARRAY() needs none. */
	void (*unload)(struct view *v);
	/* Rows of running text: they are to be `columns` wide; true: others than now, so load() is called
	 * again. */
	bool (*fit)(struct view *v, unsigned columns);
	void (*close)(struct view *v); /* free what else priv holds */
	/* NULL: the name, and the place of the selection. */
	void (*title)(const struct view *v, struct text *t);
	void (*footer)(const struct view *v, struct text *t); /* a line at the lower edge */
	void (*cell)(const struct view *v, uint32_t row, unsigned col, struct text *t);
	/* Of numeric columns; below 0: unknown.  NULL: the number that the cell begins with. */
	int64_t (*number)(const struct view *v, uint32_t row, unsigned col);
	unsigned (*marks)(const struct view *v, uint32_t row); /* NULL: none */
	/*
	 * Did the step that is shown touch a cell (scene->moment)?  It is shown in reverse, or in [brackets]
	 * without colour; its row gets MARK_STEP.  Only asked while there is a moment.  NULL: none.
	 */
	bool (*touched)(const struct view *v, uint32_t row, unsigned col);
	/*
	 * What a row is about: *s is set up as about nothing, its key the row number; subject.h helps to fill
	 * it.  The rest of the program takes the row's key, its chip, the values of placeholders, the JSON of
	 * `list` and (by enter) what Enter does from that.  false: nothing but key and chip.
	 */
	bool (*about)(const struct view *v, uint32_t row, struct subject *s);
	/* Enter: a command line with placeholders; nothing is done where one of them has no value. */
	const char *enter;
	/* The same where a line does not do: leaves t empty when there is nothing to follow. */
	void (*follow)(const struct view *v, uint32_t row, struct text *t);
	/* Value of a placeholder that only this pane has, or that it knows better than its subject: quoted
	 * for a command line; false when it has none here. */
	bool (*placeholder)(const struct view *v, uint32_t row, const char *what, struct text *t);
	/* Piece i = 0, 1 ... of a cell with a tone of its own; false behind the last.  Then rows have no
	 * colour of their marks.  NULL: rows have. */
	bool (*span)(const struct view *v, uint32_t row, unsigned col, unsigned i, struct span *s);
	/* Left (dir -1) and Right (1) choose within a row; NULL: they move long cells. */
	void (*across)(struct view *v, int dir);

	/* "link": headers read "dir2: 6 links", else "dir2 (6)"; they stand in the first flexible column. */
	const char *fold_row;
	/* A header's cell where the pane knows better; false: as the column's rule says. */
	bool (*head)(const struct view *v, const char *element, const uint32_t *row, uint32_t n, unsigned col,
		     struct text *t);
	/* Column names that differ from pane to pane, valid until the next load().  NULL: as column[]. */
	const char *(*column_name)(const struct view *v, unsigned col);

	/*
	 * Another rendition of the rows: the canvas is empty and has the size of the inside of the pane, at
	 * least 1 x 1.  Only while there are rows.  NULL: they are shown as a list.
	 */
	void (*draw)(struct view *v, struct canvas *c);
	/*
	 * Arrow keys (-1, 0, 1), Home and End (dx -VIEW_FAR, VIEW_FAR), PgUp and PgDn (dy: more than one
	 * line) in what was drawn.  NULL: they go through the rows.
	 */
	void (*move)(struct view *v, int dx, int dy);
	/* A click on what draw() put there; row NO_ID: on nothing.  NULL: the row is selected. */
	void (*hit)(struct view *v, struct canvas_object o);
	/* Words of the command `map` for what only this pane does: 0, and *e may hold a remark; -1 and *e. */
	int (*words)(struct view *v, int argc, char **argv, struct err *e);
};

/* In a struct view_ops: the columns; operations whose functions have their name: DOES(load, cell). */
#define COLUMNS(TABLE) .column = TABLE, .n_columns = ARRAY_LEN(TABLE)
#define DOES(...) DOES_OF(__VA_ARGS__, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)(__VA_ARGS__)
#define DOES_OF(A, B, C, D, E, F, G, H, I, J, K, N, ...) DOES_##N
#define DOES_1(A) .A = A
#define DOES_2(A, ...) .A = A, DOES_1(__VA_ARGS__)
#define DOES_3(A, ...) .A = A, DOES_2(__VA_ARGS__)
#define DOES_4(A, ...) .A = A, DOES_3(__VA_ARGS__)
#define DOES_5(A, ...) .A = A, DOES_4(__VA_ARGS__)
#define DOES_6(A, ...) .A = A, DOES_5(__VA_ARGS__)
#define DOES_7(A, ...) .A = A, DOES_6(__VA_ARGS__)
#define DOES_8(A, ...) .A = A, DOES_7(__VA_ARGS__)
#define DOES_9(A, ...) .A = A, DOES_8(__VA_ARGS__)
#define DOES_10(A, ...) .A = A, DOES_9(__VA_ARGS__)
#define DOES_11(A, ...) .A = A, DOES_10(__VA_ARGS__)

#define VIEW_FAR 1000000

#define VIEW_FILTER_MAX 79 /* characters */

struct view {
	const struct view_ops *ops;
	struct scene *scene; /* of the user interface, or of the command `list` */
	struct view_args args;
	char **word; /* [n_words] as given */
	int n_words;
	void *priv;
	void **array; /* [n_arrays] of view_room() */
	size_t n_arrays, cap_arrays;
	const struct result *question; /* own reference; view_ask_about(); NULL = none */
	const struct result *held;     /* own reference; view_hold(); NULL = none */
	uint64_t serial;	       /* of the scene it was loaded from */
	unsigned results_version;
	bool loaded;
	struct ask ask[VIEW_ASKS];		 /* made by load(): borrowed sweep */
	const struct result *results[VIEW_ASKS]; /* references; NULL = not there yet */
	unsigned n_ask;
	bool waiting;		     /* something asked for is not there yet */
	uint32_t n_rows;	     /* set by load() */
	uint8_t width[VIEW_COLUMNS]; /* columns' least widths; load() may change them, 0 hides one */
	int64_t select;		     /* load() may ask for a row to be selected; -1 = no wish */

	/* Order: NULL = all rows as they are. */
	uint32_t *order;
	uint32_t n_order, cap_order;
	uint32_t scanned; /* rows the filter has looked at */
	bool ordering;	  /* filter or sort not finished */
	int sort;	  /* column, -1 = as they come */
	bool descending;
	char filter[VIEW_FILTER_MAX + 1];
	struct filter *terms; /* of it, read with the columns of the last load; NULL = all rows */

	uint32_t sel, top; /* of the shown rows */
	uint64_t sel_key;
	uint64_t sel_inner;	    /* of the first row under a header, else the same */
	unsigned shift;		    /* columns the flexible cells are moved to the left */
	struct canvas canvas;	    /* as drawn last, of panes that draw */
	uint8_t room[VIEW_COLUMNS]; /* width of each column as drawn last, at most 255; 0 = not drawn */
	bool measured;		    /* the cells of this load were looked at for: */
	struct affix affix[VIEW_COLUMNS];

	bool folded;	   /* as it was loaded */
	struct fold *fold; /* NULL = not folded */
	uint64_t *open;	   /* headers whose rows are shown: made of the lowest GUID of the element */
	uint32_t n_open, cap_open;
};

/* Rows beyond which sorting and folding are refused (they would hold up the terminal). */
#define VIEW_SORT_MAX 400000
/* Engines that the pane compare has room for. */
#define COMPARE_MOST 11

struct view *view_new(const struct view_ops *ops, struct scene *sc, int argc, char **argv, struct err *e);
void view_free(struct view *v);

/*
 * For load(): a result for the sweep shown, NULL while it is not there; then
 * load() is called again when it is.  It stays until the next load() has ended.
 * base (NULL = none): a result got before by the same load(), or one of the pane's
 * own; with one it need not be about a sweep, and none has to be there.
 */
const struct result *view_ask(struct view *v, const struct task *task, const struct result *base,
			      const uint32_t arg[TASK_ARGS]);
/* The same for the value of a result without base. */
const void *view_ask_value(struct view *v, const struct task *task, const uint32_t arg[TASK_ARGS]);
/*
 * The same about a question (taken over; NULL: nothing is asked, NULL), which becomes the base of the result.
 * v->question stays the one before while it asks the same, as kind says; so does the answer.
 */
const struct result *view_ask_about(struct view *v, const struct task *task, void *question,
				    const struct task *kind, const uint32_t arg[TASK_ARGS]);
/* Hold a result over loads in v->held, instead of the one before; NULL: none. */
void view_hold(struct view *v, const struct result *r);

/* For load(): zeroed room that is freed before the next load(), or with the view. */
void *view_room(struct view *v, size_t n, size_t size);
#define VIEW_ARRAY(v, n, type) ((type *)view_room((v), (n), sizeof(type)))

/* For footer(), while it is waiting: a bar, the share done, the time left, and that Esc stops it. */
void view_progress(const struct view *v, struct text *t);

/* Bring it up to date: compute all it asks for here and now, and order all rows.  false: cancelled. */
bool view_settle(struct view *v, struct progress *p);

/* Bring it up to date with its scene. */
void view_refresh(struct view *v);
/* Load it anew, as it wants to show something else. */
void view_reload(struct view *v);
/* The room there is for a row: those of running text are made for it. */
void view_fit(struct view *v, unsigned columns);
/* Go on filtering and sorting for at most `seconds`; true when all is done. */
bool view_work(struct view *v, double seconds);

static inline uint32_t view_count(const struct view *v)
{
	return v->order ? v->n_order : v->n_rows;
}

/* The row shown at place i (0 .. view_count() - 1); n_rows and above are headers of switch elements. */
static inline uint32_t view_row(const struct view *v, uint32_t i)
{
	return v->order ? v->order[i] : i;
}

/* Selected row, false when there is none or it is a header. */
bool view_selected(const struct view *v, uint32_t *row);
/* Selected row or header, false when there is none. */
bool view_current(const struct view *v, uint32_t *row);
void view_select(struct view *v, int64_t i); /* place i, clamped */
/* As ops->move; lists have no left and right, but Home and End (dx) and lines (dy). */
void view_move(struct view *v, int dx, int dy);
bool view_select_row(struct view *v, uint32_t row); /* false: it is not shown */

/* Show only rows that match (filter.h); view_filter_check() tells what is wrong with it. */
void view_filter(struct view *v, const char *filter);
/* Once all rows were looked at: 0, or -1 and *e. */
int view_filter_check(const struct view *v, struct err *e);

/* Sort by a column; -1 = as they come.  -1 and *e when there are too many rows. */
int view_sort(struct view *v, int column, bool descending, struct err *e);
/* By name, a word of its header or its begin (columns_named()); -1 and *e. */
int view_column(const struct view *v, const char *name, struct err *e);

struct search {
	int dir;	/* 1: to rows below, -1: above; going round */
	bool start;	/* the selected place itself counts */
	bool best;	/* letters in order: the closest of all, not the next */
	double seconds; /* after which it gives up */
};
/* Select the next place that matches, as filters do: 1; 0 = there is none; -1 and *e: `what` is wrong. */
int view_search(struct view *v, const char *what, const struct search *how, struct err *e);
/* The same for rows with the letters of `what` in order (row_likeness()). */
bool view_search_like(struct view *v, const char *what, const struct search *how);

/* What ops say, or stands for what they leave out. */
const char *view_syntax(const struct view_ops *ops);
const char *view_brief(const struct view_ops *ops);
const char *view_hints(const struct view_ops *ops);
void view_title(const struct view *v, struct text *t);

const char *view_column_name(const struct view *v, unsigned col);
/* What the pane says about a row, or what stands on a header; clean text. */
void view_cell(const struct view *v, uint32_t row, unsigned col, struct text *t);
/* What matters most of a cell that has not enough room; false when nothing shorter does. */
bool view_brief_cell(const struct view *v, uint32_t row, unsigned col, struct text *t);
int64_t view_number(const struct view *v, uint32_t row, unsigned col);
uint64_t view_key(const struct view *v, uint32_t row);	 /* what stays the same over events */
unsigned view_marks(const struct view *v, uint32_t row); /* with MARK_STEP where a cell is touched */
bool view_touched(const struct view *v, uint32_t row, unsigned col); /* as its operation; no header is */
/*
 * Value of a placeholder (%node %switch %host %port %peer %lid %src %dst %endport %object %guid %name %layer;
 * %number of the port, %far at its other end; what a pane adds), quoted for a command line; false when it has
 * none here.  %element is known for all rows with a chip; on a header what all its rows agree on.
 */
bool view_place(const struct view *v, uint32_t row, const char *what, struct text *t);
bool row_place(const struct view *v, uint32_t row, const char *what, struct text *t); /* no header, no chip */

/* --- folding (fold.c) -------------------------------------------------------- */

static inline bool view_is_header(const struct view *v, uint32_t row)
{
	return row >= v->n_rows;
}

/* Show or hide the rows under the selected header; false when it is none. */
bool view_toggle(struct view *v);
/* What a title says about folding. */
void view_fold_title(const struct view *v, struct text *t);
/* Sort, filter and what is open, for a pane that takes another's place. */
void view_inherit(struct view *v, const struct view *from);

/* The placeholders of command lines, without their `%`, and what they stand for; ended by name NULL. */
extern const struct view_word {
	const char *name, *help;
} view_words[];

/* A command line's placeholders (%name) filled in for the selected row; -1 and *e when one has no value. */
int view_expand(const struct view *v, const char *line, struct text *t, struct err *e);
/* The same for a row; nothing is added when one has no value. */
void view_fill(const struct view *v, uint32_t row, const char *line, struct text *t);
/* Does Enter lead anywhere from its rows? */
bool view_leads(const struct view *v);
/* The command line of Enter on a row that is no header; none is added when it leads nowhere. */
void view_follow(const struct view *v, uint32_t row, struct text *t);

/* --- for panes ---------------------------------------------------------- */

/* A node as a word of the command language: its name when that is unique, else its GUID. */
void word_node(const struct fabric *f, uint32_t node, struct text *t);
void word_port(const struct fabric *f, uint32_t port, struct text *t); /* NODE[PORT] */
/* An endport on a switch: its first CA that is up, else its port 0; and that CA's port, NO_ID = none. */
void word_on_switch(const struct topo *tp, uint32_t sw, struct text *t);
uint32_t ca_on_switch(const struct topo *tp, uint32_t sw);
void word_text(const char *s, struct text *t); /* quoted where needed */
void text_clear(struct text *t);

/* An endport as all of the program names it (endport_label()). */
void label_endport(const struct fabric *f, uint32_t ep, struct text *t);
/* A LID's owner: its endport, +offset with LMC. */
void lid_label(const struct fabric *f, const struct lids *l, unsigned lid, struct text *t);

/* An arrow for a direction of routing_ops ('U', 'D', '='; the letter itself in ASCII), `none` for ' '. */
const char *direction_sign(char direction, const char *none);

/* The directed link out of a port: "ring0[2] → ring1", with `arrival` "ring0[2] → [3]ring1". */
void label_channel(const struct topo *tp, uint32_t port, bool arrival, struct text *t);
/* Width of column `label` for a node's ports or their far ends; 0: none has one.  NO_ID: 0. */
uint8_t label_width(const struct fabric *f, uint32_t node, bool far);
/* The label of a port, "" for none. */
void label_of_port(const struct fabric *f, uint32_t port, struct text *t);

/* n of `most` as a bar of at most `cells` cells; what is too little for one is a dot. */
void word_bar(uint64_t n, uint64_t most, unsigned cells, struct text *t);

/* A number; one below 0 is unknown: "-". */
void number_cell(int64_t n, struct text *t);
/* "Name 3/17": the place of the selection among the rows. */
void title_place(const struct view *v, const char *name, struct text *t);

/* Decimal digits of n, at least `least`. */
unsigned digits(uint64_t n, unsigned least);

/* One of a list, by its name; a unique prefix does, too.  NULL and *e. */
const struct view_ops *view_in(const struct view_ops *const *panes, const char *name, struct err *e);

#endif
