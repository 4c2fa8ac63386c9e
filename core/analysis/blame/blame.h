/*
 * Which links explain pairs that are slow or fail.  Most pairs that cross a bad link are bad; some pairs are
 * bad for no reason, and some good ones were lucky.  The link whose pairs are bad far more often than others
 * comes first (likelihood ratio of its share of bad pairs against that of all pairs).  Its pairs are then
 * removed, and the next link explains what is left.  Links that the same pairs cross share a place, since
 * nothing distinguishes them.
 */
#ifndef IBSCOPE_BLAME_H
#define IBSCOPE_BLAME_H

#include "core/analysis/blame/measured.h"
#include "core/base/progress.h"
#include "core/routing/routing.h"

/* One way of a pair; a pair of hosts with several ports has as many ways as there are rails. */
struct tried_way {
	uint32_t pair;	   /* ascending */
	uint32_t src, dst; /* endports */
};

struct tried {
	struct tried_way *way;
	size_t n_ways, cap;
	bool *bad; /* [n_pairs] */
	uint32_t n_pairs;
	bool only_bad; /* no good pairs are known: all pairs of hosts are taken as good */
};

/* One place in the ranking. */
struct blamed {
	uint32_t *port; /* [n] ports that send; the same pairs cross these links */
	uint32_t n;
	uint32_t back;	     /* a port of the other direction, also found bad; NO_ID: none */
	uint32_t pairs, bad; /* number of pairs that cross them, and of bad ones among these */
	uint32_t explained;  /* bad pairs that no earlier place explains */
	bool likely;	     /* unlikely to be chance, given the number of links */
	unsigned faults;     /* faults of the first link, from counters */
	double score;	     /* of both directions */
};

struct blame {
	struct blamed *place; /* best first */
	size_t n, cap;
	uint32_t pairs, bad;  /* with a path */
	uint32_t no_path;     /* left out */
	uint32_t unexplained; /* bad pairs that no likely place explains */
	uint32_t links;	      /* links crossed, each direction counted */
	uint64_t work;	      /* number of links visited */
};

#define BLAMED_MOST 20

/* m: counters, or NULL; among links that explain as much, one with faults comes first. */
struct blame *blame_new(const struct routing *r, const struct tried *t, const struct measured *m,
			struct progress *p, struct err *e);
/*
 * The same from counters alone: links with faults, worst first.  A port that waits because the switch at its
 * other end also waits comes after that one.
 */
struct blame *blame_counters(const struct topo *t, const struct measured *m);
void blame_free(struct blame *b);

void tried_add(struct tried *t, uint32_t pair, uint32_t src, uint32_t dst);
void tried_free(struct tried *t);

#endif
