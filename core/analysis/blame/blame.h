/*
 * Which links explain pairs that are slow or fail.  Pairs that cross a bad link are bad, or most of them;
 * some are bad for no reason, and some good ones were lucky.  The link whose pairs are bad far more often
 * than others' comes first (likelihood ratio of its share of bad pairs against that of all pairs); its pairs
 * go, and the next one explains what is left.  Links that the same pairs cross stand together: nothing tells
 * them apart.
 */
#ifndef IBSCOPE_BLAME_H
#define IBSCOPE_BLAME_H

#include "core/analysis/blame/measured.h"
#include "core/base/progress.h"
#include "core/routing/routing.h"

/* One way of a pair; a pair of hosts with several ports has as many as they have rails. */
struct tried_way {
	uint32_t pair;	   /* ascending */
	uint32_t src, dst; /* endports */
};

struct tried {
	struct tried_way *way;
	size_t n_ways, cap;
	bool *bad; /* [n_pairs] */
	uint32_t n_pairs;
	bool only_bad; /* no good pairs are told: all pairs of hosts are taken for them */
};

/* A place of the ranking. */
struct blamed {
	uint32_t *port; /* [n] ports that send; the same pairs cross these links */
	uint32_t n;
	uint32_t back;	     /* a port of the other direction, found bad as well; NO_ID: none */
	uint32_t pairs, bad; /* that cross them */
	uint32_t explained;  /* bad ones that no place before explains */
	bool likely;	     /* beyond what chance makes of so many links */
	unsigned faults;     /* of the first link, by counters */
	double score;	     /* of both directions */
};

struct blame {
	struct blamed *place; /* best first */
	size_t n, cap;
	uint32_t pairs, bad;  /* with a path */
	uint32_t no_path;     /* left out */
	uint32_t unexplained; /* bad pairs that no likely place explains */
	uint32_t links;	      /* links crossed, by direction */
	uint64_t work;	      /* links looked at, counted */
};

#define BLAMED_MOST 20

/* m: counters, NULL: none; a link with faults comes before one without that explains as much. */
struct blame *blame_new(const struct routing *r, const struct tried *t, const struct measured *m,
			struct progress *p, struct err *e);
/*
 * The same from counters alone: links with faults, the worst first.  Where a port waits because the switch at
 * its other end waits too, it is put behind that one.
 */
struct blame *blame_counters(const struct topo *t, const struct measured *m);
void blame_free(struct blame *b);

void tried_add(struct tried *t, uint32_t pair, uint32_t src, uint32_t dst);
void tried_free(struct tried *t);

#endif
