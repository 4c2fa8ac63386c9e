/* What the files of the channel dependency graph share. */
#ifndef IBSCOPE_CDG_PARTS_H
#define IBSCOPE_CDG_PARTS_H

#include "core/analysis/cdg.h"
#include "core/base/defs.h"

/* Where routes begin. */
struct cdg_source {
	uint32_t endport, sw; /* switch it hangs on */
	uint16_t lid;	      /* base LID */
	uint8_t in;	      /* port of the switch; 0 = the switch's own port 0 */
};

/* Caller frees. */
struct cdg_source *cdg_sources(const struct routing *r, bool switches, uint32_t *n);
bool cdg_is_destination(const struct routing *r, bool switches, unsigned lid);

/* Fill component[], n_components and size[]; false: cancelled. */
bool cdg_find_components(struct cdg *c, struct progress *p);

#endif
