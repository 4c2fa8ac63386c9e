/* A walk, as the files walk*.c share it. */
#ifndef IBSCOPE_WALK_PARTS_H
#define IBSCOPE_WALK_PARTS_H

#include "core/trace/walk.h"

struct walk {
	const struct recording *r; /* reference held */
	size_t at;		   /* events that count */
	void *table[N_TABLES];	   /* NULL: the engine has none */
	uint8_t *decided;	   /* [as T_ENTRY] times an entry was decided */
	size_t from, to;	   /* the last move: steps from + 1 .. to, forward or back */
	uint64_t *touched;	   /* cells of it, table << 32 | at, sorted; NULL: not listed yet */
	size_t n_touched;
	const struct sweep *moment; /* reference held; NULL: not made yet */
};

/* Is a cell (as of touched) among n sorted ones? */
bool cells_hold(const uint64_t *cell, size_t n, uint64_t key);

#endif
