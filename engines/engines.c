#include "engines/engines.h"

/* One line per engine. `engine_NAME` is defined in the engine's file. */
#define ENGINES(X)       \
	X(minhop)        \
	X(updn)          \
	X(ar_updn)       \
	X(dnup)          \
	X(dor)           \
	X(file)          \
	X(ftree)         \
	X(lash)          \
	X(nue)           \
	X(sssp)          \
	X(dfsssp)        \
	X(torus)         \
	X(mincontention) \
	X(live)          \
	X(tables)        \
	X(script)

#define DECLARE(name) extern const struct engine engine_##name;
#define LIST(name) &engine_##name,

ENGINES(DECLARE)

const struct engine *const all_engines[] = {ENGINES(LIST) NULL};
