/*
 * What differs between a fabric and the same fabric at another time, as a list of changes.  Everything is
 * found by GUID and port: a node or cable that another took the place of is one change, not two.
 */
#ifndef IBSCOPE_CHANGES_H
#define IBSCOPE_CHANGES_H

#include "core/base/text.h"
#include "core/fabric/fabric.h"

enum fabric_change_kind {
	NODE_REMOVED,  /* with its cables */
	NODE_ADDED,    /* with its cables */
	NODE_REPLACED, /* other GUIDs on the same cables */
	NODE_MOVED,    /* a host's cable leads to another port */
	NODE_RENAMED,
	LINK_REMOVED,
	LINK_ADDED,
	LINK_MOVED,   /* one end leads to another port */
	LINK_SWAPPED, /* two cables, or two hosts, have each other's places */
	LINK_RATE,
	LID_CHANGED, /* in the sources; both have one */
	CHANGE_KINDS
};
extern const char *const change_word[CHANGE_KINDS]; /* "removed", "added", ...: of nodes and of links */

/*
 * One change.  Ids are of a (the fabric before) or b (after), NO_ID where there is none:
 *   nodes   was, now: the node in a, in b
 *   links   was[2], now[2]: the ports at its ends in a, in b, in the same order. MOVED: now[0] is was[0], and
 *           leads to now[1].  SWAPPED: was[0] - was[1] and other[0] - other[1] (in a) became was[0] -
 * other[1] and other[0] - was[1].
 */
struct fabric_change {
	enum fabric_change_kind kind;
	bool unseen; /* removed, but it may only not have answered: an open port leads to it */
	uint32_t node_was, node_now;
	uint32_t was[2], now[2], other[2];
};

struct fabric_changes {
	const struct fabric *a, *b; /* borrowed */
	struct fabric_change *c;
	size_t n, cap;
};

/* The list, in order of kinds.  Free with changes_free(). */
void changes_find(struct fabric_changes *x, const struct fabric *a, const struct fabric *b);
void changes_free(struct fabric_changes *x);

/* One of them in words: a line, and an indented one for each cable that came or went with a node. */
void change_text(const struct fabric_changes *x, const struct fabric_change *c, struct text *t);

/* All of them in words.  Returns their number. */
unsigned fabric_changes(const struct fabric *a, const struct fabric *b, struct text *lines);

#endif
