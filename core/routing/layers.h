/* Layers, as panes and commands ask for them: virtual lanes over which an engine spreads switch pairs. */
#ifndef IBSCOPE_LAYERS_H
#define IBSCOPE_LAYERS_H

#include <stdbool.h>
#include <stdint.h>

/* What an engine puts in layers: ordered pairs of switches, ordered pairs of LIDs, or LIDs from anywhere. */
enum layer_unit { LAYER_SWITCH_PAIRS, LAYER_LID_PAIRS, LAYER_LIDS };

/* One layer. */
struct layer_info {
	unsigned vl;	/* its first virtual lane */
	unsigned lanes; /* number of layers from there on; if several, one is drawn at random */
	enum layer_unit unit;
	uint64_t pairs, pairs_first; /* in it: now, and before any went to another layer */
	bool balanced;		     /* the engine evened its layers out */
};

/* A thing in a layer: the routes between two switches, or the routes to a LID. */
struct layer_route {
	uint32_t sw;  /* from, NO_ID = from anywhere; for LIDs: the switch with the CAs */
	uint32_t sw2; /* to, and back; NO_ID: to the LID only */
	uint16_t lid;
};

/* The layer of the path between two LIDs. */
struct pair_layer {
	unsigned first, now; /* layer that took it, and its layer since layers were evened out */
};

/* One channel of a cycle: routes hold it while they want the next one. */
struct witness_edge {
	uint32_t port;	  /* sender of the channel */
	uint32_t routes;  /* number of these that were in the layer then */
	uint32_t sw, sw2; /* first of these, as switches from and to; NO_ID = not known */
	bool own;	  /* a route of the pair itself is one of them */
};

/* The cycle that keeps a pair out of a layer, and the routes that hold its channels. */
struct witness {
	uint32_t n; /* channels; 0: the layer did not refuse the pair */
	struct witness_edge *edge;
	/* it was in the layer until a cut behind this channel; NO_ID: never, it would close the cycle */
	uint32_t cut;
};

void witness_free(struct witness *w); /* NULL is fine */

#endif
