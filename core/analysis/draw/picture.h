/*
 * A fabric as a drawing: boxes at places that follow from its layout, and its SVG.  Lengths are points of an
 * SVG page; y grows downwards.
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

/* A page as somebody wants it. */
struct svg_page {
	unsigned wide, high; /* the drawing is fitted in; 0: the page is as large as the drawing */
	float letter;	     /* letters are so many times as high: 1 */
	bool untitled;	     /* no title and no lines below it */
	unsigned lines;	     /* below the title, at most */
};
extern const struct svg_page svg_plain; /* as large as the drawing, two lines below the title */

/* What title and lines take. */
float svg_top(const struct svg_page *page);
/* Makes a drawing as much wider or higher as the shape of its page is. */
void svg_fit(const struct svg_page *page, float *width, float *height);

/* Words that are readable over lines. */
#define SVG_OVER " paint-order=\"stroke\" stroke=\"#fff\" stroke-width=\"3\""
/* What the titles tell as well: it is not read twice. */
#define SVG_TOLD " aria-hidden=\"true\""
#define SVG_MIDDLE " text-anchor=\"middle\""

/* What a page is about. */
struct svg_about {
	uint32_t id;		  /* in ids of the page: several drawings may stand in one document */
	const char *title, *line; /* '\n' ends a line */
	const char *more;	  /* what a reader who does not see it is told besides; "" */
};
/* A number for the page, from what sets it apart. */
uint32_t svg_id(uint64_t seed, const char *title, const char *line);
/* Begin a page: white, with a title and lines of text below it.  Its size is of svg_fit(). */
void svg_begin(FILE *to, const struct svg_page *page, float width, float height, const struct svg_about *of);
/* The name and description of an image: attributes of its root, and its first elements. */
void svg_name(FILE *to, uint32_t id);
void svg_describe(FILE *to, const struct svg_about *of);
/*
 * What comes after the boxes, so that it is read after them, is seen as if it lay under them: a place with a
 * hole for each box.  svg_holes() comes first, then svg_hole() for each, then svg_holes_end().
 */
void svg_holes(FILE *to, uint32_t id, float width, float height);
void svg_hole(FILE *to, float x, float y, float w, float h);
void svg_holes_end(FILE *to);
/* Open a group that is seen outside of the boxes. */
void svg_under(FILE *to, uint32_t id);
/* Title and lines alone. */
void svg_title(FILE *to, const struct svg_page *page, float width, const char *title, const char *line);
void svg_end(FILE *to);

/* Text escaped for XML, whatever it holds. */
void svg_text(FILE *to, const char *text);

/* Words at a place; more: further attributes, written as they are. */
void svg_words(FILE *to, float x, float y, float size, const char *more, const char *words);

/* The head of an arrow at a place, turned by this many degrees. before: a transformation, or "". */
void svg_arrow(FILE *to, float x, float y, double turn, const char *colour, const char *before);

/* A number in a disc. */
void svg_number(FILE *to, float x, float y, float letter, const char *colour, uint32_t number);

/* Number of columns of a text when all characters are one wide. */
size_t svg_columns(const char *text);

/* Words of a legend behind their sample; the sample ends at x.  Returns the place of the next sample. */
float svg_legend_words(FILE *to, float x, float y, float letter, const char *words);

struct picture_rect {
	float x, y, w, h;
};

/* A number beside the boxes: of a level, or of a place in a grid. */
struct picture_label {
	float x, y; /* x: its middle; y: its foot */
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
	float width, height;	     /* of the drawing, which the page may show at another size */
	struct picture_rect *box;    /* [n switches] */
	bool *named;		     /* [n_parts + 1] boxes hold names; the last: of switches alone */
	struct picture_rect *part;   /* [n_parts] what its boxes take */
	struct picture_rect *block;  /* [n_blocks] frame with the name on top; w 0: none is drawn */
	struct picture_plane *plane; /* [n_planes] */
	struct picture_label *label; /* [n_labels] */
	uint32_t n_planes, cap_planes, n_labels, cap_labels;
	uint32_t hidden; /* links from plane to plane of grids; they have no line of their own */
};

/* Place all switches of a fabric. */
struct picture *picture_new(const struct fabric *f, const struct layout *l, const struct svg_page *page);
void picture_free(struct picture *p); /* NULL is fine */

/* Is a link between these neighbours drawn? */
bool picture_draws(const struct picture *p, uint32_t a, uint32_t b);

/* The state of the cables between two switches, as a line shows it. */
struct picture_bundle {
	uint32_t cables, down, came; /* came: up again */
	uint32_t load;		     /* of the busiest cable and direction */
	uint32_t weight;	     /* of all of them together */
	unsigned ways, back;	     /* bits of enum picture_way: as a sends, as b sends */
};

/* What colours of switches can mean, in drawings and in the pane map. */
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
	PICTURE_MORE = 8,  /* entries of tables use it now and did not before */
	PICTURE_LESS = 16, /* did before, and do not now */
	PICTURE_STEP = 32, /* what a step of a run is about */
};

/* A dependency of a channel on the next one, through the switch between them. */
struct picture_turn {
	uint32_t from, to; /* ports that send */
	enum { PICTURE_TURN, PICTURE_TURN_ON_CYCLE, PICTURE_TURN_MISSING } kind;
};

/* The switches that a channel joins.  false: one of its ends is no switch, or both are the same. */
bool picture_channel_ends(const struct fabric *f, uint32_t port, uint32_t *a, uint32_t *b);
/* A point of the lane of a channel from a to b beside its cable, t from 0 to 1; it is seen from FROM to TO.
 */
#define PICTURE_LANE_FROM 0.3f
#define PICTURE_LANE_TO 0.7f
void picture_lane(const struct picture *p, uint32_t a, uint32_t b, float t, float at[2]);
/*
 * Dependencies between switches on a VL; without a loop on it, those that only others have, too.  turn: room
 * for all of c; channel [n_ports]: 1 for ports that send on the VL.  Returns their number.
 */
size_t picture_turns(const struct cdg *c, int vl, struct picture_turn *turn, uint8_t *channel,
		     size_t *missing);

/* What the boxes of one colour have in common. */
struct picture_class {
	const char *colour;
	bool dark; /* words in it are white */
	char words[48];
};

struct picture_look {
	const char *title, *line;    /* what is drawn; what is below the title */
	const struct lids *lids;     /* NULL: those of the source */
	const struct routing *ranks; /* its engine may rank switches; NULL */
	const struct state *state;   /* NULL: all up */
	const uint8_t *came;	     /* [n_links] up again since what is compared with; NULL */
	const uint32_t *load;	     /* [n_ports] routes leaving through a port, NULL: not coloured */
	double mean;		     /* of load; 0: none */
	bool pale;		     /* the drawing is not about links */
	const uint8_t *way; /* [n_ports] bits of enum picture_way of those that send, NULL: none are marked */
	unsigned ways;	    /* all bits that the legend explains */
	const uint32_t *number; /* [n switches] order on the path or cycle from 1, 0 = not on it; NULL */
	const struct picture_turn *turn; /* [n_turns] dependencies; NULL: the drawing is not about them */
	size_t n_turns;
	const uint8_t *channel; /* [n_ports] those that send on the layer, with turn */
	const char *red;	/* what the turns are, which are all red; NULL: dependencies of a layer */
	const uint32_t *weight; /* [n_ports] of marked ones: entries; NULL: all marks are equal */
	uint32_t most;		/* weight of a link: both directions and all cables */
	const uint8_t *class;	/* [n_switches] of kinds, NULL: boxes are as they have hosts */
	const struct picture_class *kind;
	unsigned n_kinds;
	const uint32_t
		*figure; /* [n_switches] text under the box in place of hosts, where it is not 0; NULL */
	const char *figure_noun; /* "entry" */
};

/* Colour, width and dashes of the line between two neighbours; dash "" or as SVG's stroke-dasharray. */
struct picture_stroke {
	const char *colour, *dash;
	double width;
	bool above; /* over all others */
};
struct picture_bundle picture_bundle(const struct fabric *f, const struct picture_look *look, uint32_t a,
				     uint32_t b);
struct picture_stroke picture_stroke(const struct picture_look *look, const struct picture_bundle *u);
struct picture_stroke picture_load_stroke(unsigned class);

/*
 * What tells of a thing without being seen.  Attributes: an id by GUID and port, the same in every drawing
 * (again: not 0 for a further element of the same thing), and data-guid; of cables those of both ends. Words:
 * "leaf-01: LID 12, rank 2,", to go on from; "leaf-01[3 4] to spine-02[7 8]".  port: of one end, [n] from 1.
 */
void picture_switch_id(FILE *to, const struct fabric *f, uint32_t sw, unsigned again);
void picture_switch_words(FILE *to, const struct fabric *f, const struct picture_look *look, uint32_t sw);
void picture_cables_id(FILE *to, const struct fabric *f, const char *kind, const uint32_t *port, uint32_t n,
		       unsigned again);
void picture_cables_words(FILE *to, const struct fabric *f, const uint32_t *port, uint32_t n);

/* One SVG page.  Names are only text in it, whatever they hold.  -1: the stream failed, or cancelled. */
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
	uint32_t routes; /* that go on to the next channel */
};
int picture_cycle_svg(FILE *to, const struct svg_page *page, const struct fabric *f,
		      const struct picture_cycle *cycle, const struct picture_look *look, struct progress *p);
/* The same for Graphviz, with the same places. */
int picture_cycle_dot(FILE *to, const struct fabric *f, const struct picture_cycle *cycle,
		      struct progress *p);

/* Channel dependencies drawn by Graphviz. */

/*
 * Copy an SVG that Graphviz made of cdg_write_dot()'s graph.  The root gets its title and description, each
 * channel and dependency an id by GUID, port and VL, data-guid, data-port and their peers, and a title in
 * words.  What is not such a line stays as it is.  -1: a stream failed.
 */
int graphviz_name(FILE *from, FILE *to, const struct cdg *c, const struct svg_about *of);

/* Numbers as bars on an SVG page: axes with ticks, title, legend.  Knows nothing of fabrics. */

/* One panel of a page: a bar for each number. */
struct plot {
	const char *x_name, *y_name; /* what the axes count */
	uint32_t n;
	const double *value; /* [n] from 0 */
	const double *part;  /* [n] part of each bar in a second colour, from below; NULL: none */
	const char *value_name, *part_name; /* legend; of what is not `part`, and of it */
	const double *other;		    /* [n] of the same, to compare with `value`; NULL: none */
	const char *other_name;
	/*
	 * Bar i stands for x0 + i * step up to, not including, x0 + (i + 1) * step; when step is 1 or less,
	 * for the first number alone.  Where label [n] is not NULL, it stands for that text.
	 */
	double x0, step;
	const char *const *label;
	double level; /* a line across at this height; level_name NULL: no line */
	const char *level_name;
	double at; /* an upright line at this place of x; at_name NULL: no line */
	const char *at_name;
};

/* More bars than this are drawn as this many columns.  Each is as high as the highest of its bars. */
#define PLOT_COLUMNS 800
/* Up to so many bars have labels below them. */
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
