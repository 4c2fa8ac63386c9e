/*
 * The fat tree behind what is shown: that of the routing, or where another
 * engine routed, one built to look at, with the reason why ftree refuses it.
 */
#ifndef IBSCOPE_VIEWS_TREE_H
#define IBSCOPE_VIEWS_TREE_H

#include "core/base/text.h"
#include "engines/ftree/ftree.h"
#include "views/base/view.h"

struct tree_look {
	const struct ftree *tree; /* NULL = nothing has been routed */
	struct ftree *built;	  /* not of the routing: owned */
};

/* The tree of a scene; what look held before is freed.  Cost when built: links, and sorting switches. */
void tree_look_take(struct tree_look *look, const struct scene *sc);
void tree_look_free(struct tree_look *look);

/* Does a switch break the rule for which the tree is refused? */
bool tree_breaks(const struct ftree *t, uint32_t sw);

/* How the tree came about, for titles: "routed", "refused (AB09)", "not routed by it". */
void tree_standing(const struct tree_look *look, struct text *t);

#endif
