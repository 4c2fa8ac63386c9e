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
#ifndef IBSCOPE_VIEWS_MAP_H
#define IBSCOPE_VIEWS_MAP_H

#include "core/analysis/shape/layout.h"
#include "core/analysis/draw/picture.h"
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

/* ground.c: the own data of a scale, never NULL. */
void *map_own(const struct view *v, const struct map_scale *scale);

/* The selected switch, NO_ID = none. */
uint32_t map_selected(const struct view *v);
void map_select(struct view *v, uint32_t sw);

static inline struct canvas_object map_object(const struct map *m, uint32_t sw, uint32_t port)
{
	return (struct canvas_object){sw == NO_ID ? NO_ID : m->row_of[sw], port};
}

/* Loads again, after words, colour, overlay or scale have changed. */
void map_renew(struct view *v);

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

#endif
