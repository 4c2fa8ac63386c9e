/* `export svg|png|dot`: drawings of the fabric, plots, channel dependencies. */
#ifndef IBSCOPE_COMMANDS_EXPORT_DRAWING_H
#define IBSCOPE_COMMANDS_EXPORT_DRAWING_H

#include "core/session/commands/commands.h"
#include "core/session/commands/drawing.h"
#include "core/session/commands/plots.h"

#define DRAWING_SYNTAX                                                                                      \
	"load | path SRC DST | why SWITCH DESTINATION via N | cycle [all] [switches] [group N] | layer VL " \
	"[switches] | "                                                                                     \
	"dependencies VL [switches] | diff [SNAPSHOT] | transition [SNAPSHOT] | "                           \
	"map [state|load|rank|layers|chassis|change|step] | cdg [VL] [switches] [group N]"

/* How the page is; no words of DOT, nor of what Graphviz draws. */
#define PAGE_SYNTAX "[size=WxH|font=N|notitle]..."
#define FRAMES_SYNTAX "[FROM TO] " PAGE_SYNTAX
#define FRAMES_MOST 2000

#define DRAWING_DETAILS                                                                                      \
	"  svg, png  the fabric drawn as what it is: a tree by levels, a torus as a grid, a ring, groups "   \
	"of a\n"                                                                                             \
	"            dragonfly; by its cables, so that nothing moves when something fails (png: by\n"        \
	"            rsvg-convert, package librsvg2-bin).  On it:\n"                                         \
	"            load   links coloured by the routes of all pairs, against the mean\n"                   \
	"            path   the way there and back\n"                                                        \
	"            why    the shortest way from a switch by its port N, if the engine forbids it: its "    \
	"turn is "                                                                                           \
	"red\n"                                                                                              \
	"            cycle  a shortest credit loop of a group (1), as `cycles` numbers them: its switches\n" \
	"                   alone, channels with ports, VL and routes; `all`: in the whole fabric; "         \
	"`switches`:\n"                                                                                      \
	"                   routes of switches count too\n"                                                  \
	"            layer  channels of a VL, by routes\n"                                                   \
	"            dependencies  channels of a VL beside their cables, dependencies as arrows through "    \
	"switches,\n"                                                                                        \
	"                   red on a credit loop; dotted: another VL has it, this one does not\n"            \
	"            diff   what the last event, or all since a snapshot, changed: entries of switches, "    \
	"links\n"                                                                                            \
	"                   that entries use more or less, what is down and up again\n"                      \
	"            transition  between the old tables and the new ones: what loops, or ends nowhere, at "  \
	"the\n"                                                                                              \
	"                   worst moment\n"                                                                  \
	"            map    switches coloured: by state, load, rank of the engine, number of layers,\n"      \
	"                   chassis, entries that the last event changed\n"                                  \
	"            map step  the step that `step` is at: its sentence and rule, how far the run has "      \
	"come, "                                                                                             \
	"its\n"                                                                                              \
	"                   cable; red: turns that it forbids, the cycle because of which it refuses\n"      \
	"            steps  the same for each step of the walk (in focus; FROM TO: of these), a file each: " \
	"FILE\n"                                                                                             \
	"                   has a %d or %03d for the number, from 1; each is whole or not there\n"           \
	"            animated  all of them in one SVG that plays by itself, two seconds a step (browsers; "  \
	"no "                                                                                                \
	"script)\n"                                                                                          \
	"            plot   no drawing of the fabric: " PLOT_DETAILS                                         \
	"            size=1920x1080  a page of that size, which the drawing fills; font=N: letters of "      \
	"names N\n"                                                                                          \
	"                   high (10) before that; notitle: without title and the lines below it\n"          \
	"  dot       the same for Graphviz, with the same places (`neato -n2`), but for plots\n"             \
	"            With `cdg` the channel dependencies (svg, png: by Graphviz), of one VL or all, or of "  \
	"one\n"                                                                                              \
	"            group of channels with credit loops, as `cycles` numbers them (with VL: of those on "   \
	"it)\n"

/* What is drawn, and as what. */
struct drawing {
	enum { DRAW_DOT, DRAW_SVG, DRAW_PNG } as;
	enum { DRAW_FABRIC, DRAW_PLOT, DRAW_CDG } what;
	struct drawing_of of;
	struct fabric_drawing fabric;				  /* owned */
	enum { FRAMES_NONE, FRAMES_FILES, FRAMES_MOVING } frames; /* of steps, in place of one drawing */
	size_t from, to;
	struct plot_of plot_of;
	struct plots plots; /* owned */
	/* CDG */
	bool switches;
	int vl;
	uint32_t group; /* from 1, as `cycles` numbers them, or of those on the VL; 0 = all */
	struct cdg *c;	/* owned */
	uint32_t component;
};

/* Read the words of `export` and compute all that is drawn.  Everything that may be wrong is found here. */
int drawing_prepare(struct session *s, const struct args *args, struct drawing *d, struct out *o,
		    struct err *e);
int drawing_write(struct session *s, struct drawing *d, const struct target *t, struct out *o, struct err *e);
/* Writes a file for each step.  missing: as told in each of them. */
int drawing_write_steps(struct session *s, struct drawing *d, const char *pattern,
			const struct warnings *missing, struct out *o, struct err *e);
void drawing_free(struct drawing *d);

#endif
