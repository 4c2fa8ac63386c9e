/*
 * How switch elements are made: what the files elements*.c share.
 *   elements_group.c  what each switch says of where it belongs: file, system image, chassis
 *   elements.c        connected parts of groups, links, hops, questions
 *   elements_names.c  names
 */
#ifndef IBSCOPE_ELEMENTS_PARTS_H
#define IBSCOPE_ELEMENTS_PARTS_H

#include "core/base/guidfile.h"
#include "core/fabric/elements.h"

/* What a switch says of where it belongs. */
struct group {
	bool named;	  /* by the file, which counts alone */
	uint64_t name;	  /* its number */
	uint64_t sys;	  /* system image GUID, 0 = unknown */
	uint16_t chassis; /* number in the source, 0 = none */
};

struct grouping {
	struct group *group; /* [n_switches] */
	struct guid_file file;
	const char **name; /* [names] of the file, owned by it */
	uint32_t *line;	   /* [n_switches] line that named it, 0 = none */
};

/* Read the groups of all switches; path, notes, e: as elements_new().  Free g in any case. */
int grouping_read(struct grouping *g, const struct fabric *f, const char *path, struct progress *p,
		  struct text *notes, struct err *e);
void grouping_free(struct grouping *g);

/* Name all elements, each differently. */
void elements_make_names(struct elements *el, const struct grouping *g);

#endif
