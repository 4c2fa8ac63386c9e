/*
 * A fabric as a drawing: boxes at places that follow from its layout, and their SVG.  Lengths are points of
 * an SVG page; y grows downwards.
 */
#ifndef IBSCOPE_PICTURE_H
#define IBSCOPE_PICTURE_H

#include <stdio.h>

#include "core/analysis/credit/cdg.h"
#include "core/analysis/shape/layout.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/fabric/state.h"

/* Pieces of SVG for drawings and plots.  Lengths are points; y grows downwards. */

#define SVG_LETTER 6.2f /* width of a letter of a name, 10 high */

/* The page that the user asks for. */
struct svg_page {
	unsigned wide, high; /* the drawing is fitted into this; 0: the page is as large as the drawing */
	float letter;	     /* letters are this many times as high: 1 */
	bool untitled;	     /* no title and no lines below it */
	unsigned lines;	     /* lines below the title, at most */
};
extern const struct svg_page svg_plain; /* as large as the drawing, two lines below the title */

/* The height of the title and lines. */
float svg_top(const struct svg_page *page);
/* Widens or heightens a drawing so that it has the shape of its page. */
void svg_fit(const struct svg_page *page, float *width, float *height);

/* Makes words readable on top of lines. */
#define SVG_OVER " paint-order=\"stroke\" stroke=\"#fff\" stroke-width=\"3\""
/* For text that repeats the titles, so that it is not read twice. */
#define SVG_TOLD " aria-hidden=\"true\""
#define SVG_MIDDLE " text-anchor=\"middle\""

/* What a page is about. */
struct svg_about {
	uint32_t id;		  /* in ids of the page: several drawings may stand in one document */
	const char *title, *line; /* '\n' ends a line */
	const char *more;	  /* further text for readers who do not see the page; "" */
};
/* A number for the page, made from what distinguishes it. */
uint32_t svg_id(uint64_t seed, const char *title, const char *line);
/* Begins a page: white, with a title and lines of text below it.  svg_fit() gives its size. */
void svg_begin(FILE *to, const struct svg_page *page, float width, float height, const struct svg_about *of);
/* Writes the name and description of an image: attributes of its root, and its first elements. */
void svg_name(FILE *to, uint32_t id);
void svg_describe(FILE *to, const struct svg_about *of);
/*
 * What follows the boxes in the file, so that it is read after them, must look as if it lay under them: it
 * gets a mask with a hole for each box.  svg_holes() comes first, then svg_hole() for each box, then
 * svg_holes_end().
 */
void svg_holes(FILE *to, uint32_t id, float width, float height);
void svg_hole(FILE *to, float x, float y, float w, float h);
void svg_holes_end(FILE *to);
/* Opens a group that is visible only outside the boxes. */
void svg_under(FILE *to, uint32_t id);
/* Writes only the title and lines. */
void svg_title(FILE *to, const struct svg_page *page, float width, const char *title, const char *line);
void svg_end(FILE *to);

/* Writes text escaped for XML, whatever it contains. */
void svg_text(FILE *to, const char *text);

/* Writes words at a place; more: further attributes, written as they are. */
void svg_words(FILE *to, float x, float y, float size, const char *more, const char *words);

/* Draws the head of an arrow at a place, turned by this many degrees. before: a transformation, or "". */
void svg_arrow(FILE *to, float x, float y, double turn, const char *colour, const char *before);

/* Draws a number in a disc. */
void svg_number(FILE *to, float x, float y, float letter, const char *colour, uint32_t number);

/* The number of columns of a text when all characters have the same width. */
size_t svg_columns(const char *text);

/* Writes words of a legend behind their sample, which ends at x.  Returns the place of the next sample. */
float svg_legend_words(FILE *to, float x, float y, float letter, const char *words);

struct picture_rect {
	float x, y, w, h;
};

/* A number beside the boxes: for a level, or for a place in a grid. */
struct picture_label {
	float x, y; /* x: its middle; y: its baseline */
	char words[16];
};

/* A plane of a grid of three or more dimensions. */
struct picture_plane {
	struct picture_rect at;
	char name[48]; /* "z = 2" */
};

struct picture {
	const struct layout *layout; /* reference held */
	struct svg_page page;
	float width, height;	  /* of the drawing; the page may show it at another size */
	struct picture_rect *box; /* [n switches] */
	bool *named; /* [n_parts + 1] do the part's boxes hold names; last: when only switches are drawn */
	struct picture_rect *part;   /* [n_parts] area of its boxes */
	struct picture_rect *block;  /* [n_blocks] frame with the name on top; w 0: not drawn */
	struct picture_plane *plane; /* [n_planes] */
	struct picture_label *label; /* [n_labels] */
	uint32_t n_planes, cap_planes, n_labels, cap_labels;
	uint32_t hidden; /* links between planes of grids, which have no line of their own */
};

/* Places all switches of a fabric. */
struct picture *picture_new(const struct fabric *f, const struct layout *l, const struct svg_page *page);
void picture_free(struct picture *p); /* NULL is fine */

/* Is a link between these neighbours drawn? */
bool picture_draws(const struct picture *p, uint32_t a, uint32_t b);

/* The state of the cables between two switches, as a line shows it. */
struct picture_bundle {
	uint32_t cables, down, came; /* came: up again */
	uint32_t load;		     /* load of the busiest cable and direction */
	uint32_t weight;	     /* total for all of them */
	unsigned ways, back;	     /* bits of enum picture_way: as a sends, as b sends */
};

/* What the colours of switches can mean, in drawings and in the pane map. */
enum map_colour { MAP_STATE, MAP_LOAD, MAP_RANK, MAP_LAYERS, MAP_CHASSIS, MAP_CHANGE, MAP_STEP, MAP_COLOURS };
extern const char *const map_colour_names[MAP_COLOURS + 1]; /* "state", .., ended by NULL */

#define PICTURE_LOADS 5 /* classes of load, as multiples of the mean: 0, below 1/2, to 3/2, to 5/2, above */
extern const char *const picture_load_words[PICTURE_LOADS];
unsigned picture_load_class(uint32_t load, double mean);

/* What marks a direction of a link; bits. */
enum picture_way {
	PICTURE_THERE = 1, /* on a path */
	PICTURE_BACK = 2,  /* on the way back */
	PICTURE_CYCLE = 4, /* channel of a credit loop */
	PICTURE_MORE = 8,  /* entries of tables use it now but did not before */
	PICTURE_LESS = 16, /* used before but not now */
	PICTURE_STEP = 32, /* the subject of a step of a run */
};

/* A dependency of a channel on the next one, through the switch between them. */
struct picture_turn {
	uint32_t from, to; /* the ports that send */
	enum { PICTURE_TURN, PICTURE_TURN_ON_CYCLE, PICTURE_TURN_MISSING } kind;
};

/* The switches that a channel joins.  Returns false when one of its ends is not a switch, or both are the
 * same switch. */
bool picture_channel_ends(const struct fabric *f, uint32_t port, uint32_t *a, uint32_t *b);
/* A point on the lane of a channel from a to b, beside its cable, with t from 0 to 1; the lane is drawn from
 * FROM to TO.
 */
#define PICTURE_LANE_FROM 0.3f
#define PICTURE_LANE_TO 0.7f
void picture_lane(const struct picture *p, uint32_t a, uint32_t b, float t, float at[2]);
/*
 * Lists the dependencies between switches on a VL; without a loop on that VL, also those that only other VLs
 * have.  turn: room for all of c; channel [n_ports]: 1 for ports that send on the VL.  Returns their number.
 */
size_t picture_turns(const struct cdg *c, int vl, struct picture_turn *turn, uint8_t *channel,
		     size_t *missing);

/* What all boxes of one colour have in common. */
struct picture_class {
	const char *colour;
	bool dark; /* its words are white */
	char words[48];
};

struct picture_look {
	const char *title, *line;    /* what is drawn; what is below the title */
	const struct lids *lids;     /* NULL: those of the source */
	const struct routing *ranks; /* its engine may rank switches; NULL */
	const struct state *state;   /* NULL: all up */
	const uint8_t *came;	     /* [n_links] up again since the state that it is compared with; NULL */
	const uint32_t *load;	     /* [n_ports] routes leaving through a port, NULL: not coloured */
	double mean;		     /* mean load; 0: none */
	bool pale;		     /* the drawing is not about links */
	const uint8_t *way; /* [n_ports] bits of enum picture_way of those that send, NULL: none are marked */
	unsigned ways;	    /* all bits that the legend explains */
	const uint32_t *number; /* [n switches] order on the path or cycle from 1, 0 = not on it; NULL */
	const struct picture_turn *turn; /* [n_turns] dependencies; NULL: the drawing is not about them */
	size_t n_turns;
	const uint8_t *channel; /* [n_ports] ports that send on the layer, with turn */
	const char *red;	/* what the turns are, all of them red; NULL: dependencies of a layer */
	const uint32_t *weight; /* [n_ports] entries behind each marked port; NULL: all marks are equal */
	uint32_t most;		/* weight of a link: both directions and all cables */
	const uint8_t *class;	/* [n_switches] colour classes; NULL: boxes are coloured by their hosts */
	const struct picture_class *kind;
	unsigned n_kinds;
	const uint32_t
		*figure; /* [n_switches] text under the box instead of hosts, where it is not 0; NULL */
	const char *figure_noun; /* "entry" */
};

/* The colour, width and dashes of the line between two neighbours; dash is "" or SVG's stroke-dasharray. */
struct picture_stroke {
	const char *colour, *dash;
	double width;
	bool above; /* drawn above all others */
};
struct picture_bundle picture_bundle(const struct fabric *f, const struct picture_look *look, uint32_t a,
				     uint32_t b);
struct picture_stroke picture_stroke(const struct picture_look *look, const struct picture_bundle *u);
struct picture_stroke picture_load_stroke(unsigned class);

/*
 * Invisible descriptions of a thing.  Attributes: an id by GUID and port, the same in every drawing (again:
 * not 0 for a further element of the same thing), and data-guid; of cables those of both ends.  Words:
 * "leaf-01: LID 12, rank 2,", to go on from; "leaf-01[3 4] to spine-02[7 8]".  port: of one end, [n] from 1.
 */
void picture_switch_id(FILE *to, const struct fabric *f, uint32_t sw, unsigned again);
void picture_switch_words(FILE *to, const struct fabric *f, const struct picture_look *look, uint32_t sw);
void picture_cables_id(FILE *to, const struct fabric *f, const char *kind, const uint32_t *port, uint32_t n,
		       unsigned again);
void picture_cables_words(FILE *to, const struct fabric *f, const uint32_t *port, uint32_t n);

/* Writes one SVG page.  Names are only text in it, whatever they contain.  Returns -1 when the stream failed,
 * or cancelled. */
int picture_svg(FILE *to, const struct picture *pic, const struct fabric *f, const struct picture_look *look,
		struct progress *p);

#define FRAME_SECONDS 2 /* that each is seen */
struct picture_frame {
	unsigned at, of;    /* its place from 0, and how many there are */
	const uint8_t *was; /* classes of the frame before */
};
/*
 * The next drawing of the same picture in one SVG that moves by itself: one frame after the other is seen,
 * again and again.  The first begins the page, the last ends it.  look: of the frame, with its title, line,
 * classes, marks and turns.  -1: the stream failed, or cancelled.
 */
int picture_movie(FILE *to, const struct picture *pic, const struct fabric *f,
		  const struct picture_look *look, const struct picture_frame *frame, struct progress *p);

/* A cycle of channels alone, its switches on a circle: [n] channels in order, the last leads to the first. */
struct picture_cycle {
	struct picture_step *step;
	uint32_t n;
};
struct picture_step {
	uint32_t port; /* port that sends; its cable leads to the next one's switch */
	unsigned vl;
	uint32_t routes; /* routes that continue to the next channel */
};
int picture_cycle_svg(FILE *to, const struct svg_page *page, const struct fabric *f,
		      const struct picture_cycle *cycle, const struct picture_look *look, struct progress *p);
/* The same for Graphviz, with the same places. */
int picture_cycle_dot(FILE *to, const struct fabric *f, const struct picture_cycle *cycle,
		      struct progress *p);

/* Channel dependencies drawn by Graphviz. */

/*
 * Copies an SVG that Graphviz made from cdg_write_dot()'s graph.  The root gets its title and description;
 * each channel and dependency gets an id by GUID, port and VL, data-guid, data-port and their peers, and a
 * title in words.  Other lines stay as they are.  -1: a stream failed.
 */
int graphviz_name(FILE *from, FILE *to, const struct cdg *c, const struct svg_about *of);

/* Numbers as bars on an SVG page: axes with ticks, title, legend.  Knows nothing of fabrics. */

/* One panel of a page: a bar for each number. */
struct plot {
	const char *x_name, *y_name; /* what the axes count */
	uint32_t n;
	const double *value; /* [n] from 0 */
	const double *part;  /* [n] part of each bar in a second colour, from below; NULL: none */
	const char *value_name, *part_name; /* legend for the rest of `value`, and for `part` */
	const double *other; /* [n] further numbers of the same kind, to compare with `value`; NULL: none */
	const char *other_name;
	/*
	 * Bar i stands for x0 + i * step up to, but not including, x0 + (i + 1) * step, or for the first
	 * number alone when step is 1 or less.  Where label [n] is not NULL, it stands for that text.
	 */
	double x0, step;
	const char *const *label;
	double level; /* a line across at this height; level_name NULL: no line */
	const char *level_name;
	double at; /* a vertical line at this place of x; at_name NULL: no line */
	const char *at_name;
};

/* More bars than this are drawn as this many columns.  Each is as high as the highest of its bars. */
#define PLOT_COLUMNS 800
/* Up to this many bars have labels below them. */
#define PLOT_LABELS 60

/* All that a page needs. */
struct plots {
	char *title, *line;
	struct plot plot[2];
	unsigned n;
	double *number; /* what plot[] points to */
	char *name[2];
	char **label;
	uint32_t n_labels;
};

/* Panels one below the other on a page.  Text stays text.  -1: the stream failed, or p was cancelled. */
int plot_svg(FILE *to, const struct svg_page *page, const struct plots *d, struct progress *p);

#endif
