/* `export svg|png|dot`: drawings of the fabric, plots, channel dependencies. */
#ifndef IBSCOPE_COMMANDS_EXPORT_DRAWING_H
#define IBSCOPE_COMMANDS_EXPORT_DRAWING_H

#include "core/session/commands/commands.h"
#include "core/session/commands/drawing.h"
#include "core/session/commands/plots.h"

#define DRAWING_SYNTAX                                                                    \
	"load | path SRC DST | cycle [all] [switches] [group N] | layer VL [switches] | " \
	"dependencies VL [switches] | diff [SNAPSHOT] | transition [SNAPSHOT] | "         \
	"map [state|load|rank|layers|chassis|change|step] | cdg [VL] [switches] [group N]"

#define DRAWING_DETAILS                                                                                      \
	"  svg, png  the fabric drawn as what it is: a tree by levels, a torus as a grid, a ring, groups "   \
	"of a\n"                                                                                             \
	"            dragonfly; by its cables, so that nothing moves when something fails (png: by\n"        \
	"            rsvg-convert, package librsvg2-bin).  On it:\n"                                         \
	"            load   links coloured by the routes of all pairs, against the mean\n"                   \
	"            path   the way there and back\n"                                                        \
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
	"            plot   no drawing of the fabric: " PLOT_DETAILS                                         \
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
	struct fabric_drawing fabric; /* owned */
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
int drawing_write(struct session *s, const struct drawing *d, const struct target *t, struct out *o,
		  struct err *e);
void drawing_free(struct drawing *d);

#endif
