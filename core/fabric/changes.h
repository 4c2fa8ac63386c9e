/*
 * What differs between a fabric and the same fabric at another time, as a list of changes.  Everything is
 * found by GUID and port: a node or cable that was replaced by another is one change, not two.
 */
#ifndef IBSCOPE_CHANGES_H
#define IBSCOPE_CHANGES_H

#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/fabric.h"

enum fabric_change_kind {
	PART_REMOVED,  /* a chassis, or one of its cards, with all its switches and the hosts connected to it
			  alone */
	PART_ADDED,    /* the same */
	NODE_REMOVED,  /* with its cables */
	NODE_ADDED,    /* with its cables */
	NODE_REPLACED, /* other GUIDs on the same cables */
	NODE_MOVED,    /* a host's cable now leads to another port */
	NODE_RENAMED,
	LINK_REMOVED,
	LINK_ADDED,
	LINK_MOVED,   /* one end now leads to another port */
	LINK_SWAPPED, /* two cables, or two hosts, exchanged places */
	LINK_RATE,
	LID_CHANGED, /* the sources report different LIDs */
	CHANGE_KINDS
};
extern const char *const change_word[]; /* "removed", "added", ...: for parts, nodes and links */

/*
 * One change.  Ids are of a (the fabric before) or b (after), NO_ID where there is none:
 *   nodes   was, now: the node in a, in b
 *   links   was[2], now[2]: the ports at its ends in a, in b, in the same order. MOVED: now[0] is was[0], and
 *           leads to now[1].  SWAPPED: was[0] - was[1] and other[0] - other[1] (in a) became was[0] -
 * other[1] and other[0] - was[1].
 */
struct fabric_change {
	enum fabric_change_kind kind;
	bool unseen;  /* removed, or only silent: a port that is up leads to it */
	bool chassis; /* this part is a chassis, not a card */
	uint32_t node_was, node_now;
	uint32_t was[2], now[2], other[2];
	char *part; /* name of the part; owned */
	/*
	 * Nodes of a part: node[first_node] on, n_switches of them, then n_hosts that had no cable elsewhere.
	 */
	uint32_t first_node, n_switches, n_hosts;
	/*
	 * Cables that came or went with a node or part: n_cables ports at its end, from cable[first_cable]
	 * on.  For a part these lead out of its switches, and `inside` counts the others.
	 */
	uint32_t first_cable, n_cables, inside;
};

struct fabric_changes {
	const struct fabric *a, *b; /* borrowed */
	struct fabric_change *c;
	size_t n, cap;
	uint32_t *node, *cable; /* ids in a or b, depending on the change */
	uint32_t n_nodes, cap_nodes, n_cables, cap_cables;
};

/*
 * Fills in the list, in order of kinds.  Chassis come from chassis_file (NULL: none) or from the source;
 * without any, or when p (may be NULL) is cancelled, switches are listed one by one.  Free with
 * changes_free().
 */
void changes_find(struct fabric_changes *x, const struct fabric *a, const struct fabric *b,
		  const char *chassis_file, struct progress *p);
void changes_free(struct fabric_changes *x);

/* The fabric to which the nodes or parts of a change belong: b for those that came, a for those that went. */
static inline const struct fabric *change_side(const struct fabric_changes *x, const struct fabric_change *c)
{
	return c->kind == PART_ADDED || c->kind == NODE_ADDED || c->kind == LINK_ADDED ? x->b : x->a;
}

/* Adds one change in words: its line, and an indented line for each cable that came or went with it. */
void change_text(const struct fabric_changes *x, const struct fabric_change *c, struct text *t);

/* Adds all changes in words.  Returns their number. */
unsigned fabric_changes(const struct fabric *a, const struct fabric *b, const char *chassis_file,
			struct text *lines, struct progress *p);

#endif
