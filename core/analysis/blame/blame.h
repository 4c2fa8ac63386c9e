/*
 * What explains pairs that are slow or fail: a host, an adapter, a cable or one direction of it, a switch, a
 * rail.  Most pairs that cross a bad one are bad; some pairs are bad for no reason, and some good ones were
 * lucky.  The suspect whose pairs are bad far more often than others comes first (likelihood ratio of its
 * share of bad pairs against that of all pairs): a host whose pairs are bad both ways explains more than its
 * cable in one direction, and a cable more than the switch whose other cables are good.  Its pairs are then
 * removed, and the next suspect explains what is left.  Those that the same pairs cross share a place, since
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
	/* Each pair was measured in both directions at once, and has ways of both: cables have no direction.
	 */
	bool undirected;
};

/* Those that the same pairs cross stand in this order. */
enum suspect_kind { BLAME_HOST, BLAME_LINK, BLAME_CABLE, BLAME_HCA, BLAME_SWITCH, BLAME_RAIL, BLAME_KINDS };

struct suspect {
	uint8_t kind; /* enum suspect_kind; BLAME_LINK: one direction of a cable */
	/* A link's port that sends, the lower port of a cable, a host's first node, the node of an adapter or
	 * switch, the first port of a rail. */
	uint32_t id;
	unsigned faults; /* of a link or cable, from counters */
};

/* One place in the ranking. */
struct blamed {
	struct suspect *same; /* [n] the same pairs cross them */
	uint32_t n;
	uint32_t pairs, bad; /* number of pairs that cross them, and of bad ones among these */
	uint32_t explained;  /* bad pairs that no earlier place explains */
	bool likely;	     /* unlikely to be chance, given the number of suspects */
	double score;
};

struct blame {
	struct blamed *place; /* best first */
	size_t n, cap;
	uint32_t pairs, bad;  /* with a path */
	uint32_t no_path;     /* left out */
	uint32_t unexplained; /* bad pairs that no likely place explains */
	uint32_t links;	      /* links crossed, each direction counted; cables when the pairs have none */
	uint64_t work;	      /* number of suspects visited */
};

#define BLAMED_MOST 20

/* m: counters, or NULL; among suspects that explain as much, a cable with faults comes first. */
struct blame *blame_new(const struct routing *r, const struct tried *t, const struct measured *m,
			struct progress *p, struct err *e);
/*
 * The same from counters alone: links with faults, worst first.  A port that waits because the switch at its
 * other end also waits comes after that one.
 */
struct blame *blame_counters(const struct topo *t, const struct measured *m);
void blame_free(struct blame *b);
/* Adds the name of a suspect: a host's, a rail's "mlx5_0[1]", a cable's "a[1] <-> b[2]". */
void suspect_name(const struct fabric *f, const struct suspect *x, struct text *t);

void tried_add(struct tried *t, uint32_t pair, uint32_t src, uint32_t dst);
void tried_free(struct tried *t);

#endif
