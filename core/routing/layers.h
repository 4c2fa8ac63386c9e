/* Layers (virtual lanes that an engine spreads pairs of switches over), as panes and commands ask for them.
 */
#ifndef IBSCOPE_LAYERS_H
#define IBSCOPE_LAYERS_H

#include <stdbool.h>
#include <stdint.h>

/* What an engine puts in layers: ordered pairs of switches or of LIDs, or LIDs from wherever. */
enum layer_unit { LAYER_SWITCH_PAIRS, LAYER_LID_PAIRS, LAYER_LIDS };

/* One layer. */
struct layer_info {
	unsigned vl;	/* its first virtual lane */
	unsigned lanes; /* how many from there on: drawn at random where there are several */
	enum layer_unit unit;
	uint64_t pairs, pairs_first; /* in it: now, and before any went to another layer */
	bool balanced;		     /* the engine evened its layers out */
};

/* What has a layer: the routes between two switches, or those to a LID. */
struct layer_route {
	uint32_t sw;  /* from, NO_ID = from wherever; of LIDs: that the CAs hang on */
	uint32_t sw2; /* to, and back; NO_ID: to the LID only */
	uint16_t lid;
};

/* The layer of the path between two LIDs. */
struct pair_layer {
	unsigned first, now; /* that took it, and that it is in since layers were evened out */
};

/* One channel of a cycle: routes that hold it while they want the next one. */
struct witness_edge {
	uint32_t port;	  /* sender of the channel */
	uint32_t routes;  /* how many that were in the layer then */
	uint32_t sw, sw2; /* the first of them between switches, from and to; NO_ID = not known */
	bool own;	  /* a route of the pair itself does */
};

/* The cycle that keeps a pair out of a layer, and who holds its channels. */
struct witness {
	uint32_t n; /* channels; 0: the layer did not refuse the pair */
	struct witness_edge *edge;
	/* the pair was in the layer: until the cycle was cut behind this channel; NO_ID: never, it would have
	 * closed the cycle */
	uint32_t cut;
};

void witness_free(struct witness *w); /* NULL is fine */

#endif
