/*
 * The map: switches as cells of a drawing.  What its scales share: where switches stand (the layout), how
 * each looks (the colour), what is marked (the overlay), what is selected.
 *
 * A scale is one file that defines a `const struct map_scale`, and an entry of map_scales[] (map.c).  It
 * draws and says where keys go; words, titles, the line of the selection, the legend, colours and overlays
 * are done for it (map.c, colours.c, overlays.c).
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
	MAP_LINKS,   /* of the selection */
	MAP_PATH,    /* between the pair looked at last; { }: there, back, both */
	MAP_CYCLE,   /* a shortest cycle of channel dependencies; { }: others */
	MAP_TURN,    /* the cycle that a path would close in the layer below its own */
	MAP_LAYER,   /* channels of a virtual lane; { }: others */
	MAP_FLOWS,   /* what goes over the link looked at last; { }: the other direction */
	MAP_FAILED,  /* cables and switches that are down */
	MAP_CHANGED, /* switches whose entries the last event changed */
	MAP_OVERLAYS
};

/* How a switch looks by the colour alone. */
struct map_look {
	uint32_t ch;
	uint8_t role;	/* enum canvas_role */
	uint8_t weight; /* of switches in one cell the one with most is shown */
};

/* What the overlay says about a channel: the direction out of a port of a switch. */
enum {
	MAP_ON_PATH = 1, /* and its links: before and after one as well */
	MAP_ON_BACK = 2,
	MAP_ON_CYCLE = 4,
	MAP_ON_LAYER = 8,
	MAP_ON_LINKS = 16,
	MAP_ON_DOWN = 32,
};

/* A link that the overlay draws, from switch to switch; port: the one it leaves by. */
struct map_line {
	uint32_t from, to, port;
	uint8_t role;
};

/* Where [ and ] go: switches along the overlay, and what is said about each. */
struct map_stop {
	uint32_t sw;
	uint32_t port; /* that it leaves by, NO_ID: none */
	char *text;    /* "3 of 5: in 4, out 21, VL 0, 131 routes"; may be NULL */
};

struct map_scale;

struct map {
	/* Where switches stand. */
	const struct result *where;  /* reference; the layout and what was asked; NULL = not there yet */
	const struct layout *layout; /* borrowed; NULL = not there yet, no rows then */
	uint32_t *row_of;	     /* [n_switches] row of a switch */

	/* How they look, for each scene and colour. */
	enum map_colour colour;
	struct map_look *look; /* [n_switches] */
	const uint32_t *load;  /* [n_ports] routes leaving through a port; NULL: not known (yet) */
	double mean;	       /* of those between switches that carry any; 0: none do */
	uint32_t *busiest;     /* [n_switches] most on a switch's links to others, either direction */
	uint8_t *down;	       /* [n_switches] 1: failed, or out of reach */
	uint32_t *changed;     /* [n_switches] entries that the last event changed */
	uint32_t most_changed;

	/* What is marked, for each scene, overlay and choice; of MAP_LINKS for each selection. */
	enum map_overlay overlay;
	unsigned choice, n_choices; /* { }: which path, cycle, layer */
	uint32_t *mark;		    /* [n_switches] character instead of the colour's; 0: none */
	uint8_t *mark_role;	    /* [n_switches] */
	uint8_t *channel;	    /* [n_ports] MAP_ON_ bits */
	struct map_line *line;
	uint32_t n_lines, cap_lines;
	struct map_stop *stop;
	uint32_t n_stops, cap_stops;
	struct text said;    /* what the title says of the overlay: "path node0009 → node0041, 6 links" */
	struct text meaning; /* what its marks mean, for the legend: "A B ends  ◆ on the path" */

	const struct map_scale *scale;
	int w, h;     /* room for the scale, as drawn last */
	void *own[3]; /* [scale->own] of its own_size: zero at first, kept over scenes */
	/* overlays.c's own: what it asked for, and for what it marked last. */
	const struct graph *graph;
	const uint32_t *cycle; /* channels, ended by NO_ID */
	const uint8_t *flows;  /* [n_switches] and [n_ports] behind them */
	const struct witness *witness;
	unsigned witness_layer;
	struct looked asked; /* what was looked at then */
	bool marked;
	uint32_t marked_for;
	/* map.c's own. */
	uint64_t looked;		/* switch looked at last when the map was drawn last */
	const struct map_scale *before; /* scale that Backspace goes back to */
	const struct layout *of;	/* layout that row_of is of */
	bool coloured;			/* by a person, or by load as soon as there was a routing */
	uint8_t *shown;			/* [n_switches] 1: passes the filter; NULL: all do */
	uint32_t at_stop;
};

/* A scale.  Required: name, draw, move, renewed, close, own_size. */
struct map_scale {
	const char *name;
	unsigned own; /* its place in map.own[] */
	size_t own_size;
	/* Is it of use for this fabric in w x h cells?  false: why tells what it needs.  NULL: always. */
	bool (*offered)(const struct view *v, int w, int h, struct text *why);
	/* Instead of "Map ── WORDS": "Around spine-001 ── level 1, pod 1".  NULL: that. */
	void (*title)(const struct view *v, struct text *t);
	/* The scale has all of the canvas, without lines below.  Cells get their object by map_object(). */
	void (*draw)(struct view *v, struct canvas *c);
	unsigned below; /* lines that map.c draws below it: 0, 1 (the selection) or 2 (and the legend) */
	/* As view_ops.move; the selection is changed by map_select(). */
	void (*move)(struct view *v, int dx, int dy);
	/* < and >; NULL: nothing. */
	void (*plane)(struct view *v, int dir);
	/* Enter: true: done, or *t is a command line to run.  NULL: to `around`. */
	bool (*enter)(struct view *v, struct text *t);
	/* Backspace: true: done.  NULL or false: the scale before, else the pane before. */
	bool (*back)(struct view *v);
	/* A click; NULL: map_select() of the row. */
	void (*hit)(struct view *v, struct canvas_object o);
	/* %port, %peer and others that it knows better than the selected switch; NULL: none. */
	bool (*placeholder)(const struct view *v, const char *what, struct text *t);
	/* Line of the selection; NULL, or no text: map.c's. */
	void (*selection)(const struct view *v, struct text *t);
	/* The scene or layout is a new one: ids in own are void (same: the fabric is the same). */
	void (*renewed)(void *own, bool same);
	void (*close)(void *own); /* frees what it holds */
};

extern const struct map_scale map_overview, map_around, map_whole;
/* In the order of `+`, ended by NULL. */
extern const struct map_scale *const map_scales[];

static inline struct map *map_of(const struct view *v)
{
	return v->priv;
}

/* ground.c: state of a scale's own, never NULL. */
void *map_own(const struct view *v, const struct map_scale *scale);

/* The selected switch, NO_ID = none. */
uint32_t map_selected(const struct view *v);
void map_select(struct view *v, uint32_t sw);

static inline struct canvas_object map_object(const struct map *m, uint32_t sw, uint32_t port)
{
	return (struct canvas_object){sw == NO_ID ? NO_ID : m->row_of[sw], port};
}

/* Words, colour, overlay, scale changed: load anew. */
void map_renew(struct view *v);

/* --- what a cell shows ---------------------------------------------------------------------------- */

/* Of one switch: down, mark of the overlay, `!`, S, else the colour's; bold: it is marked. */
struct map_cell {
	uint32_t ch;
	uint8_t role;
	bool bold, reverse;
	unsigned weight; /* of several switches the one with most is shown */
};
struct map_cell map_cell_of(const struct view *v, uint32_t sw);

/* How a channel with these MAP_ON_ bits is drawn; plain: where none says. */
enum canvas_role map_channel_role(uint8_t bits, enum canvas_role plain);

/* A switch at a place: map_cell_of() and its object. */
void map_put(const struct view *v, struct canvas *c, int x, int y, uint32_t sw);

/* 0 .. 4: nothing, under 1/2, to 3/2, to 5/2, more of the mean.  And the role and character for it. */
unsigned map_shade(const struct map *m, uint32_t load);
uint32_t map_shade_char(unsigned shade);

/* "level 1, pod 3", "(1,2,0)", "group g02", "chassis X": its place; nothing if it has no special one. */
void map_place_text(const struct view *v, uint32_t sw, struct text *t);

/* --- parts of the pane ------------------------------------------------------------------------------ */

extern const char *const map_overlay_names[];

/* colours.c: ask for what the colour needs, fill look; in load(). */
void map_colours_load(struct view *v);
bool map_colour_offered(const struct view *v, enum map_colour c);
void map_colour_legend(const struct view *v, struct text *t);
void map_colours_free(struct map *m);

/* overlays.c: ask for what the overlay needs, in load(); marks before a frame. */
void map_overlays_load(struct view *v);
void map_overlay_mark(struct view *v);
bool map_anything_failed(const struct view *v);
/* Has it something to show? */
bool map_overlay_offered(const struct view *v, enum map_overlay o);
void map_overlays_free(struct map *m);

#endif
