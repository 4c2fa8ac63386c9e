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

/* The layer of a pair of switches. */
struct pair_layer {
	unsigned first, now; /* that took it, and that it is in since layers were evened out */
};

/* One channel of a cycle: routes that hold it while they want the next one. */
struct witness_edge {
	uint32_t port;	  /* sender of the channel */
	uint32_t routes;  /* between switches, of pairs put in the layer earlier */
	uint32_t sw, sw2; /* the first of them, from and to; NO_ID = none */
	bool own;	  /* a route of the pair itself does */
};

/* The cycle that keeps a pair of switches out of a layer, and who holds its channels. */
struct witness {
	uint32_t n; /* channels; 0: the layer did not refuse the pair */
	struct witness_edge *edge;
};

void witness_free(struct witness *w); /* NULL is fine */

#endif
