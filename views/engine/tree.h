/*
 * The fat tree for panes: that of the routing; or, if another engine routed, one built only for viewing, with
 * the reason why ftree refuses it.
 */
#ifndef IBSCOPE_VIEWS_TREE_H
#define IBSCOPE_VIEWS_TREE_H

#include "core/base/text.h"
#include "engines/ftree/ftree.h"
#include "views/base/view.h"

struct tree_look {
	const struct ftree *tree; /* NULL = nothing has been routed */
	struct ftree *built;	  /* not of the routing; owned */
};

/*
 * Takes the tree of a scene, and frees the earlier one. Building one costs time for all links and for sorting
 * switches.
 */
void tree_look_take(struct tree_look *look, const struct scene *sc);
void tree_look_free(struct tree_look *look);

/* The status of the tree, for titles: "routed", "refused (AB09)", "not routed by it". */
void tree_standing(const struct tree_look *look, struct text *t);

#endif
