/*
 * The map: switches as cells of a drawing. This is what its scales share: the places of switches (the
 * layout), their look (the colour), what is marked (the overlay), and the selection.
 *
 * A scale is one file that defines a `const struct map_scale`, and an entry of map_scales[] (map.c). It
 * draws, and decides where keys go. Words, titles, the line of the selection, the legend, colours and
 * overlays are done for it (map.c, colours.c, overlays.c).
 *
 * Rows of the pane are the switches in the order of the layout: row r is switch layout->order[r].
 */
#ifndef IBSCOPE_MAP_H
#define IBSCOPE_MAP_H

#include "core/analysis/draw/picture.h"
#include "core/analysis/shape/layout.h"
#include "core/base/defs.h"
#include "core/base/text.h"
#include "views/base/view.h"

enum map_overlay {
	MAP_NONE,
	MAP_LINKS, /* of the selection */
	MAP_PATH,  /* between the last pair looked at; { }: there, back, both */
	MAP_CYCLE, /* a shortest cycle of channel dependencies; { }: other cycles */
	MAP_TURN,  /* a forbidden turn, or the cycle that a path would close in the layer below its own; of a
		      step */
	MAP_LAYER, /* channels of a virtual lane; { }: other lanes */
	MAP_DEPENDENCIES, /* the same; `whole` draws dependencies as arrows through switches */
	MAP_FLOWS,	  /* routes over the last link looked at; { }: the other direction */
	MAP_DRAIN,	  /* packets that `drain` moves, and channels that wait */
	MAP_FAILED,	  /* cables and switches that are down */
	MAP_CHANGED, /* switches whose entries the last event changed; what is new since the fabric was loaded
		      */
	MAP_TRANSITION, /* what loops or ends nowhere while the last event's tables are written */
	MAP_OVERLAYS
};

/* The look of a switch by the colour alone. */
struct map_look {
	uint32_t ch;
	uint8_t role;	/* enum canvas_role */
	uint8_t weight; /* in a cell of several switches, the largest weight is shown */
};

/* The overlay's bits for a channel: one direction, out of a port of a switch. */
enum {
	MAP_ON_PATH = 1, /* the path and its links, also before its first and after its last switch */
	MAP_ON_BACK = 2,
	MAP_ON_CYCLE = 4,
	MAP_ON_LAYER = 8,
	MAP_ON_LINKS = 16,
	MAP_ON_DOWN = 32,
};

/* A link that the overlay draws. port: the one by which it leaves `from`. */
struct map_line {
	uint32_t from, to, port;
	uint8_t role;
};

/* The stops of [ and ]: switches along the overlay, and the text about each. */
struct map_stop {
	uint32_t sw;
	uint32_t port; /* the port by which it is left, NO_ID: none */
	char *text;    /* "3 of 5: in 4, out 21, VL 0, 131 routes"; may be NULL */
};

struct map_scale;

struct map {
	/* The places of switches. */
	const struct result *where;  /* reference; has the layout and the request; NULL = missing */
	const struct layout *layout; /* borrowed; NULL = missing, then there are no rows */
	uint32_t *row_of;	     /* [n_switches] row of a switch */

	/* The look of switches, for each scene and colour. */
	enum map_colour colour;
	struct map_look *look; /* [n_switches] */
	const uint32_t *load;  /* [n_ports] routes out of a port; NULL: not known (yet) */
	double mean;	       /* mean over loaded ports between switches; 0: there are none */
	uint32_t *busiest;     /* [n_switches] most routes on a link to another switch, either direction */
	uint8_t *down;	       /* [n_switches] 1: failed, or out of reach */
	uint32_t *changed;     /* [n_switches] entries that the last event changed */
	uint32_t most_changed;
	bool any_new; /* a switch or cable that the fabric did not have when it was loaded */

	/* Marks, for each scene, overlay and choice (MAP_LINKS: for each selection). */
	enum map_overlay overlay;
	bool stepped;		    /* the overlay is the next one, which is passed by when it is empty */
	unsigned choice, n_choices; /* { }: the number of the path, cycle or layer */
	uint32_t *mark;		    /* [n_switches] character that replaces the colour's; 0: none */
	uint8_t *mark_role;	    /* [n_switches] */
	uint8_t *channel;	    /* [n_ports] MAP_ON_ bits */
	struct map_line *line;
	uint32_t n_lines, cap_lines;
	struct map_stop *stop;
	uint32_t n_stops, cap_stops;
	struct text said;    /* the title's text about the overlay: "path node0009 → node0041, 6 links" */
	struct text meaning; /* the legend's text about its marks: "A B ends ◆ path" */

	const struct map_scale *scale;
	int w, h;     /* size of the scale, as last drawn */
	void *own[3]; /* [scale->own] of its own_size: zero at first, kept over scenes */
	/* Private to overlays.c: its requests, and what the last marks are for. */
	const struct graph *graph;
	const uint32_t *cycle;	   /* channels, ended by NO_ID */
	const uint8_t *flows;	   /* [n_switches], then [n_ports] */
	struct picture_turn *turn; /* [n_turns] of MAP_DEPENDENCIES; NULL: not known yet */
	size_t n_turns;
	const struct witness *witness;
	const struct transition *transition;
	unsigned witness_layer;
	struct looked asked; /* the last objects looked at, at that time */
	bool marked;
	uint32_t marked_for;
	/* Private to map.c. */
	uint64_t looked;		/* last switch looked at, when the map was last drawn */
	const struct map_scale *before; /* the scale to which Backspace returns */
	const struct layout *of;	/* the layout of row_of */
	bool coloured;	/* the colour was chosen by a person, or by load() once there was a routing */
	uint8_t *shown; /* [n_switches] 1: passes the filter; NULL: all pass */
	uint32_t at_stop;
};

/* A scale. Required: name, draw, move, renewed, close, own_size. */
struct map_scale {
	const char *name;
	unsigned own; /* its place in map.own[] */
	size_t own_size;
	/* Is it useful for this fabric in w x h cells? False: `why` tells what it needs. NULL: always. */
	bool (*offered)(const struct view *v, int w, int h, struct text *why);
	/* Replaces "Map ── WORDS", as in "Around spine-001 ── level 1, pod 1". NULL: not replaced. */
	void (*title)(const struct view *v, struct text *t);
	/* Draws on the whole canvas, without the lines below. map_object() makes the objects of cells. */
	void (*draw)(struct view *v, struct canvas *c);
	unsigned below; /* lines that map.c draws below: 0, 1 (the selection) or 2 (and the legend) */
	/* As view_ops.move. map_select() changes the selection. */
	void (*move)(struct view *v, int dx, int dy);
	/* < and >. NULL: they do nothing. */
	void (*plane)(struct view *v, int dir);
	/* Enter. True: it is done, or *t is a command line to run. NULL: goes to `around`. */
	bool (*enter)(struct view *v, struct text *t);
	/* Backspace. True: it is done. NULL or false: goes to the scale before, else to the pane before. */
	bool (*back)(struct view *v);
	/* A click. NULL: map_select() of the row. */
	void (*hit)(struct view *v, struct canvas_object o);
	/* %port, %peer and others that it knows better than the selected switch does. NULL: none. */
	bool (*placeholder)(const struct view *v, const char *what, struct text *t);
	/* The line of the selection. NULL, or no text: map.c writes it. */
	void (*selection)(const struct view *v, struct text *t);
	/* The scene or layout is new, so ids in `own` are invalid. same: the fabric is the same. */
	void (*renewed)(void *own, bool same);
	void (*close)(void *own); /* frees all that it holds */
};

extern const struct map_scale map_overview, map_around, map_whole;
/* In the order of `+`, ended by NULL. */
extern const struct map_scale *const map_scales[];

static inline struct map *map_of(const struct view *v)
{
	return v->priv;
}

/* colours.c: the own data of a scale, never NULL. */
void *map_own(const struct view *v, const struct map_scale *scale);

/* The selected switch, NO_ID = none. */
uint32_t map_selected(const struct view *v);
void map_select(struct view *v, uint32_t sw);

static inline struct canvas_object map_object(const struct map *m, uint32_t sw, uint32_t port)
{
	return (struct canvas_object){sw == NO_ID ? NO_ID : m->row_of[sw], port};
}

/* --- cells ---------------------------------------------------------------------------------------- */

/*
 * The look of one switch, the first that applies: down, the overlay's mark, `!`, S, the colour. Bold: marked.
 */
struct map_cell {
	uint32_t ch;
	uint8_t role;
	bool bold, reverse;
	unsigned weight; /* in a cell of several switches, the largest is shown */
};
struct map_cell map_cell_of(const struct view *v, uint32_t sw);

/* The role of a channel with these MAP_ON_ bits. plain: the role without any bit. */
enum canvas_role map_channel_role(uint8_t bits, enum canvas_role plain);

/* Puts a switch at a place: map_cell_of() and its object. */
void map_put(const struct view *v, struct canvas *c, int x, int y, uint32_t sw);

/* The shade of a load: 0 nothing, 1 below 1/2 of the mean, 2 up to 3/2, 3 up to 5/2, 4 more. */
unsigned map_shade(const struct map *m, uint32_t load);

/*
 * The place of a switch: "level 1, pod 3", "(1,2,0)", "group g02", "chassis X". Adds nothing if it has no
 * special place.
 */
void map_place_text(const struct view *v, uint32_t sw, struct text *t);

/* --- parts of the pane ------------------------------------------------------------------------------ */

extern const char *const map_overlay_names[];

/* colours.c, for load(): asks for what the colour needs, and fills `look`. */
void map_colours_load(struct view *v);
bool map_colour_offered(const struct view *v, enum map_colour c);

/* Is the colour in digits?  Then the selected switch and linked ones keep theirs. */
bool map_colour_digits(const struct view *v);
#define MAP_DISC 0x25cf /* ● mark that tells only that there is one: a digit stays in its place */
void map_colour_legend(const struct view *v, struct text *t);
/* The role in which the map draws a sign that the legend explains; CANVAS_DIM for others. */
enum canvas_role map_sign_role(const struct view *v, uint32_t ch);
void map_colours_free(struct map *m);

/*
 * overlays.c: map_overlays_load() asks for what the overlay needs, in load(); map_overlay_mark() marks before
 * a frame is drawn.
 */
void map_overlays_load(struct view *v);
void map_overlay_mark(struct view *v);
bool map_anything_failed(const struct view *v);
/* Has it anything to show? */
bool map_overlay_offered(const struct view *v, enum map_overlay o);
enum map_overlay map_overlay_after(const struct view *v); /* the next one that is offered */
void map_overlays_free(struct map *m);

/*
 * The cables of one switch as its map shows them, by side. Parallel cables are one entry. It shows the
 * cabling, whatever is up.
 */

/*
 * The place of a neighbour relative to the switch in the middle. Hosts and all other nodes that are no switch
 * come last.
 */
enum map_side { MAP_ABOVE, MAP_LEFT, MAP_RIGHT, MAP_BELOW, MAP_HOSTS, MAP_SIDES };

/* A neighbour with all cables to it, or one host port. */
struct map_entry {
	uint32_t node;	   /* the node at the other end */
	uint32_t sw;	   /* its switch, NO_ID: it is no switch */
	uint32_t port;	   /* the lowest of its ports at the middle */
	uint32_t first, n; /* its cables: map_entries.port[first] to [first + n - 1] */
	uint8_t side;	   /* enum map_side */
	char way[4];	   /* "y+": the step in a grid; otherwise "" */
};

struct map_entries {
	uint32_t middle;	       /* switch */
	uint32_t n;		       /* entries, sorted by side, then port */
	uint32_t first[MAP_SIDES + 1]; /* entries of side s: first[s] to first[s + 1] - 1 */
	struct map_entry *entry;
	uint32_t n_cables; /* each link of the middle counts once, also one to itself */
	uint32_t *port;	   /* [n_cables] ports of the middle, ascending within an entry */
};

/* Never NULL. Free with map_entries_free(). */
struct map_entries *map_entries_new(const struct fabric *f, const struct layout *l, uint32_t middle);
void map_entries_free(struct map_entries *m); /* NULL is fine */

/*
 * Cells for the switches of a layout, for the overview of the map. Places depend only on layout and size, not
 * on what is up, selected or marked. Costs O(n + links), or O(n log n) for layouts of points.
 */

/* A text beside cells: the name of a level or group, or a coordinate. */
struct map_label {
	int x, y, w;
	char *text;
};

/* A link drawn with characters between two cells, first across, then down. */
struct map_stroke {
	uint32_t a, b; /* switches */
	int x0, y0, x1, y1;
};

struct map_cells {
	int w, h;      /* as asked for */
	int height;    /* lines needed; more than h if h is too small */
	uint32_t n;    /* switches */
	int *x, *y;    /* [n] cell of each */
	uint32_t most; /* switches in one cell */
	struct map_label *label;
	uint32_t n_labels, cap_labels;
	struct map_stroke *stroke;
	uint32_t n_strokes, cap_strokes;
	/*
	 * Trees: first line below level l of part k, and first line of the next level, at [part * 256 +
	 * level]
	 */
	int *below, *next;
	uint32_t *order; /* [n] switches by line, then column, then the layout's order */
	uint32_t *at;	 /* [n] place of a switch in `order` */
};

struct map_cells *map_cells_new(const struct fabric *f, const struct layout *l, int w, int h);
void map_cells_free(struct map_cells *c); /* NULL is fine */

/* Declarations shared by the files that place cells. */

/* One part, placed in its own area. Coordinates below count from the area's corner. */
struct placing {
	struct map_cells *c;
	const struct fabric *f;
	const struct layout *l;
	const struct layout_part *is; /* NULL: switches that belong to no part */
	const uint32_t *sw;	      /* [n] in the layout's order */
	uint32_t n;
	int x, y, w, h; /* the area */
	int used;	/* lines used */
};

/*
 * The places of everything around one switch, computed only from the number of entries and their widths.
 * Zones are the sides of map.h: above, below and hosts are rows of entries; left and right are lists.
 */

struct around_want {
	int w, h;	     /* size of the canvas */
	int box_w;	     /* width of the middle box, with its frame */
	int n[MAP_SIDES];    /* number of entries */
	int cell[MAP_SIDES]; /* columns of an entry and the space behind it */
};

struct around_zone {
	int n, cell;
	int per_row, rows; /* entry i is in row i / per_row */
	int top, shown;	   /* shown rows: top to top + shown - 1 */
	int x, y;	   /* of the first shown row */
	int head;	   /* row of the connecting line; for hosts, of their heading; -1: none */
	bool line;	   /* hosts: there is room only for the heading, which tells everything */
};

struct around_places {
	int box_x, box_y, box_w, box_h; /* box_h 1: no frame, 0: no room */
	struct around_zone zone[MAP_SIDES];
};

/* An entry. side MAP_SIDES: the middle. */
struct around_spot {
	int side, i;
};

/* Computes all places. top: rows scrolled away in each zone; it is changed so that the cursor is visible. */
void around_plan(const struct around_want *want, struct around_spot cursor, int top[MAP_SIDES],
		 struct around_places *to);

/* Finds the place of an entry. False: it is not visible. */
bool around_at(const struct around_places *p, struct around_spot s, int *x, int *y);

/* The target of arrow keys.  Values beyond 1 mean ends of the row, or this many rows. */
struct around_spot around_step(const struct around_places *p, struct around_spot from, int dx, int dy);

/*
 * A whole small fabric: a box per switch, a label at each end of each bundle of parallel cables, and a line
 * from label to label, as places on a canvas. It depends only on the layout, not on state or loads.
 */

#define WHOLE_NAME 22	   /* most columns of a name */
#define WHOLE_GRID 64	   /* most switches of a grid */
#define WHOLE_GROUPS 9	   /* most groups .. */
#define WHOLE_MEMBERS 8	   /* .. and most switches in each */
#define WHOLE_LARGEST 2000 /* columns or rows: no terminal is larger */
#define WHOLE_NO_GAP 0xff

/* " [name]": the first column is for a sign. */
struct whole_box {
	uint32_t sw;
	int x, y, w; /* cells */
};

/* All cables between two switches; sw[0] < sw[1]. */
struct whole_bundle {
	uint32_t sw[2];
	uint32_t port[2]; /* the lowest one at each end */
	uint32_t n;
	const uint32_t *cable; /* [n] ports of sw[0] */
};

/* "25x4": the lowest port at one end of a bundle, and its number of cables. */
struct whole_label {
	uint32_t bundle;
	uint8_t end; /* 0, 1: index in whole_bundle.sw */
	int x, y, w;
	char text[24];
};

/* A note at a box or group: "24 hosts", "g03", "z=1". */
struct whole_note {
	int x, y, w;
	char text[32];
};

struct whole_line {
	uint32_t bundle;
	uint8_t gap;	/* rows between which it runs: plan.dense[]; WHOLE_NO_GAP: none */
	bool cells;	/* straight, along cells; otherwise in dots, 2 x 4 per cell */
	bool across;	/* with cells: from left to right */
	uint8_t n;	/* number of points: 2, or 3 for a link within a row */
	int x[3], y[3]; /* cells or dots */
};

struct whole_plan {
	/*
	 * Smallest size, for this width; 0: not offered, and `why` tells the reason. There are places only if
	 * it fits.
	 */
	int need_w, need_h;
	const char *why;
	bool fits;
	struct whole_bundle *bundle; /* [n_bundles] of the part, sorted by switches */
	uint32_t n_bundles, n_cables;
	struct affix names; /* of the part .. */
	size_t pre, suf; /* .. and bytes that boxes leave out of them: 0 if there is room for whole names */
	int same_hosts;	 /* hosts on each switch if all have equally many and no note tells it; else -1 */
	struct whole_box *box;
	struct whole_label *label;
	struct whole_line *line;
	struct whole_note *note;
	uint32_t n_boxes, n_labels, n_lines, n_notes;
	uint32_t cap_boxes, cap_labels, cap_lines, cap_notes;
	uint32_t undrawn; /* cables without a line: those that skip levels, or lead to another plane */
	bool dense[256];  /* per gap: its lines would fill it completely */
};

/*
 * Plans one connected part on w x h cells. Names are those of f, cables those of l, which must stay valid.
 * Never NULL; the caller frees it.
 */
struct whole_plan *whole_plan_new(const struct fabric *f, const struct layout *l, uint32_t part, int w,
				  int h);
/* The text in the box of a switch. At most WHOLE_NAME columns are shown. */
void whole_name(const struct whole_plan *p, const struct fabric *f, uint32_t sw, struct text *t);
void whole_plan_free(struct whole_plan *p); /* NULL is fine */

/*
 * Draws the dependencies of the overlay.  Returns the plan's boxes at their places there, for the caller to
 * free.
 */
struct view;
struct canvas;

/* --- shared by whole_grid.c, whole.c and whole_grid.c ---------------------------------- */

enum whole_side { WHOLE_TOP, WHOLE_BOTTOM, WHOLE_LEFT, WHOLE_RIGHT, WHOLE_ASIDE, WHOLE_NOWHERE };

/* One end of a bundle of the part. */
struct whole_end {
	uint32_t bundle;
	uint8_t end, side, width;
	int toward; /* x of the other box: sorts the labels of a side */
	int label;  /* once it is placed; -1 before */
	char text[24];
};

struct whole_work {
	const struct fabric *f;
	const struct layout *l;
	const struct layout_part *part;
	struct whole_plan *plan;
	int w, h;
	uint32_t *switches; /* [part->n] in the order of the part */
	uint32_t *at;	    /* [n_switches] index in it, NO_ID: in another part */
	int *x, *y;	    /* [part->n] middle of the box */
	int *box_w;	    /* [part->n] width with the sign */
	/* ends of switch i: end[first[i]] to end[first[i + 1] - 1] */
	uint32_t *first;
	struct whole_end *end;
	uint32_t (*ends)[2]; /* [n_bundles] indexes of its two ends */
};

/* Sorts the ends of each side, after the sides are set. Sets `toward` from x. */
void whole_order(struct whole_work *k);
/* Columns of all labels on one side of switch i, with blanks between them. */
int whole_side_width(const struct whole_work *k, uint32_t i, enum whole_side side);
/* Puts the labels of a side in a row, from x on. Returns the column after them. */
int whole_put_side(struct whole_work *k, uint32_t i, enum whole_side side, int x, int y);
void whole_put_box(struct whole_work *k, uint32_t i);
void whole_put_note(struct whole_work *k, int x, int y, const char *text);
struct whole_line *whole_put_line(struct whole_work *k, uint32_t bundle, uint8_t gap);
/* Middle of a placed label, in dots. */
int whole_label_dot(const struct whole_plan *p, const struct whole_end *e);

void whole_rows(struct whole_work *k);

#endif
