/* The fabric drawn from its layout, for `export svg|png|dot`. */
#ifndef IBSCOPE_COMMANDS_DRAWING_H
#define IBSCOPE_COMMANDS_DRAWING_H

#include "core/analysis/traffic/loads.h"
#include "core/analysis/draw/picture.h"
#include "core/base/text.h"
#include "core/routing/paths.h"
#include "core/session/command.h"
#include "core/trace/moment.h"

/* What is drawn on the fabric. */
enum drawing_kind {
	DRAWING_PLAIN,
	DRAWING_LOAD,
	DRAWING_PATH,
	DRAWING_WITNESS,    /* a cycle of a credit loop, its switches alone */
	DRAWING_CYCLE,	    /* the same in the whole fabric */
	DRAWING_LAYER,	    /* channels of a VL */
	DRAWING_TURNS,	    /* the same, and dependencies as arrows through switches */
	DRAWING_DIFF,	    /* changed by the last event, or by all since a snapshot */
	DRAWING_MAP,	    /* switches coloured */
	DRAWING_WHY,	    /* a way that the engine forbids, with its turn */
	DRAWING_TRANSITION, /* the example of the worst moment between the old tables and the new ones */
};

struct drawing_of {
	enum drawing_kind kind;
	const struct args *args; /* borrowed: PATH, SRC and DST; WHY, SWITCH, DESTINATION and port; DIFF,
				    TRANSITION, the snapshot if there is one */
	bool switches;		 /* CYCLE, LAYER: routes of switches count too */
	uint32_t group;		 /* CYCLE: from 1, as `cycles` numbers them */
	int vl;			 /* LAYER, TURNS */
	enum map_colour colour;	 /* MAP */
	struct svg_page page;
};

struct fabric_drawing {
	struct picture *picture; /* NULL: a witness alone */
	struct svg_page page;
	struct picture_look look;
	struct picture_step *step; /* of a witness */
	uint32_t n_steps;
	char *title, *line;
	float (*place)[2]; /* [n_nodes] middle in points, y upwards; a host stands below its switch */
	/* What look points to. */
	const struct state *state;
	struct loads *loads;
	uint32_t *load, *number, *weight, *figure;
	uint8_t *way, *came, *class, *channel;
	struct picture_turn *turn;
	struct picture_class *kind;
	struct text about; /* what is drawn, in words for the line */
};

/* All that a drawing needs of the fabric now.  -1 and *e, also when there is nothing to draw. */
int fabric_drawing_make(struct session *s, const struct drawing_of *of, struct fabric_drawing *d,
			struct progress *p, struct err *e);
void fabric_drawing_free(struct fabric_drawing *d);

/* -1: cancelled, or writing to the stream failed. */
int fabric_drawing_svg(const struct session *s, const struct fabric_drawing *d, FILE *to, struct progress *p);
int fabric_drawing_dot(const struct session *s, const struct fabric_drawing *d, FILE *to, struct progress *p);

/* Shared by the files of drawings: mark d as `of` asks. el: chips of one chassis, all up.  -1 and *e. */
int drawing_marks(struct session *s, const struct drawing_of *of, const struct elements *el,
		  struct fabric_drawing *d, struct progress *p, struct err *e);

/* Shows a step of a run in place of what d shows, with its sentence and rule as its title. */
void drawing_step(const struct session *s, const struct moment *m, struct fabric_drawing *d);
/* A way by the ports of its hops; `turn`: the hop whose turn is forbidden.  Room for all ports is made. */
void drawing_way(const struct fabric *f, const struct path_hop *hop, unsigned n, unsigned turn,
		 struct fabric_drawing *d);
void drawing_mark_ports(const struct fabric *f, struct fabric_drawing *d);

/* What stands beside a title: the engine, the options that are not at their defaults, and what is down. */
void drawing_engine_words(const struct session *s, struct text *t);
void drawing_down_words(const struct session *s, struct text *t);

/* The last part of the fabric's source, as titles name it. */
const char *drawing_source(const struct fabric *f);

/* PNG_PROGRAM turns the SVG in the file `svg` into a PNG.  It reads from the file's present position. */
#define PNG_PROGRAM "rsvg-convert"
int svg_to_png(int svg, FILE *to, struct progress *p, struct err *e);

#endif
