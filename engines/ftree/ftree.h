/*
 * Fat-tree routing (E. Zahavi, G. Johnson, D. J. Kerbyson, M. Lang, Concurrency and Computation 22(2), 2010),
 * as OpenSM 3.3.23: the tree it sees, its counters, why it refuses.  For panes and tests; the rest of the
 * program knows engines by core/sm/engine.h only.
 *
 * Directions are seen from a switch: up is toward the roots (rank 0).
 */
#ifndef IBSCOPE_FTREE_H
#define IBSCOPE_FTREE_H

#include "core/base/err.h"
#include "core/base/text.h"
#include "core/sm/engine.h"
#include "engines/counted/hops.h"

#define FT_UNRANKED UINT32_MAX
#define FT_NO_TUPLE UINT64_MAX
#define FT_MAX_LEVELS 8

enum ft_dir { FT_UP, FT_SIDE, FT_DOWN, FT_DIRS };

/* A cable of a port group.  Each end of a cable has its own, with counters of its own. */
struct ft_link {
	uint8_t port;	/* at the switch that owns the group */
	uint8_t remote; /* at the other end */
	uint32_t cu;	/* destinations for which the peer was taught to climb through this cable */
	uint32_t cd;	/* main climbs through it */
};

/* All parallel cables from a switch to one peer. */
struct ft_group {
	uint32_t sw;		/* owner */
	uint32_t peer;		/* switch id, NO_ID: a CA port */
	uint32_t ca;		/* index in ca[], NO_ID: a switch */
	uint32_t link, n_links; /* links link .. link + n_links - 1, in port order */
	uint32_t cu, cd;	/* sums of those of the links (cd of an up group also counts side routes) */
};

/* A place in the order in which a switch goes through its groups. */
struct ft_slot {
	uint32_t count; /* counter at the last sort */
	uint32_t key;	/* index of the peer, see FT_KEY_CA */
	uint32_t peer;	/* switch id, NO_ID: a CA port */
	uint32_t group;
};

/* Keys of peers: indexed switches 0 .. n-1 by tuple, all CAs alike, then switches without index. */
#define FT_KEY_CA 0x7FFFFFFFu
#define FT_KEY_NONE UINT32_MAX

struct ft_switch {
	bool in;	/* takes part: is up, has cables, could be ranked */
	bool is_leaf;	/* a compute node hangs on it */
	bool changed;	/* a counter of a down group moved since they were sorted */
	bool climbed;	/* a counter of an up group did */
	bool plain;	/* below it only CAs, beside it nothing: a descent ends here */
	uint32_t rank;	/* 0 = root */
	uint64_t tuple; /* first byte (highest) the rank, then the index; unused bytes 0xFF */
	uint32_t key;
	uint32_t rot;  /* where reverse hops of a root begin */
	uint32_t n_cn; /* compute nodes on it */
	uint32_t slot[FT_DIRS], n[FT_DIRS];
	uint16_t lid;
};

/* A cabled CA port, in order of node and port. */
struct ft_ca {
	uint32_t endport, sw;
	uint16_t lid;
	uint8_t port; /* at the switch */
	bool is_cn, is_io;
	bool routed;
};

/* Why the fabric was refused. */
struct ft_refusal {
	const char *rule;  /* short static name of the rule broken; NULL: not refused */
	const char *label; /* error number in OpenSM's log ("AB09"), "" when it has none */
	uint32_t sw, ref;  /* offender and the switch it was compared with, NO_ID = none */
	uint32_t endport;  /* offending CA port, NO_ID = none */
	uint32_t found, expected;
	struct err why; /* the whole story */
};

/* An entry that exists thanks to reverse hops only. */
struct ft_reverse {
	uint32_t sw;
	uint16_t lid;
	uint8_t port, hops;
};

/* A value of the hop matrix that differs from Min Hop's. */
struct ft_cost {
	uint32_t d, port; /* target switch; port id, that of port 0 for the least cost */
	uint8_t value;
};

struct ftree {
	const struct topo *topo; /* reference held */
	const struct lids *lids; /* reference held */
	bool root_file, cn_file, quasi, connect_roots, manual;
	bool named; /* ranks come from root_guid_file */
	uint32_t max_reverse;
	uint64_t most_calls; /* of a climb, all together, then it gives up; 0: no limit */
	/* of an entry that is asked about, without a way and towards an I/O port: the least max_reverse_hops
	 * that gives it one, by the program and by the manual; 0: not known */
	unsigned turns_do, turns_do_manual;
	uint32_t n_in, n_cas; /* switches that take part, CA nodes */
	struct ft_switch *sw; /* [n_switches] */
	struct ft_group *group;
	struct ft_slot *slot; /* as many as groups */
	struct ft_link *link;
	uint32_t n_groups, n_links;
	struct ft_ca *ca;
	uint32_t n_ca;
	uint32_t *leaf, n_leaves; /* switches in index order */
	uint32_t leaf_rank, max_rank, max_cn;
	uint16_t max_lid;
	uint32_t unindexed; /* switches left without index because 255 values were not enough */
	uint32_t skipped;   /* neighbours of those that OpenSM would index from undefined bytes */
	struct ft_refusal refusal;
	struct recorder *rec; /* while it is built; NULL: nobody records */

	/* after routing */
	struct hops *hops;    /* Min Hop's matrix */
	struct ft_cost *cost; /* by d, then port */
	size_t n_costs, cap_costs;
	struct ft_reverse *reverse;
	size_t n_reverse, cap_reverse;
};

/*
 * The tree of a fabric up to the point where it is refused, if it is (then
 * refusal.rule is set and what was not reached is empty): what panes show of a
 * fabric that is not routed.  Bad lines of files become notes.  Free with ftree_free().
 */
struct ftree *ftree_build(const struct engine_input *in, struct engine_output *out);
void ftree_free(void *t); /* NULL is fine */

/* The tree behind a routing, NULL when another engine made it. */
const struct ftree *ftree_of(const struct routing *r);

/* "1.0.3" (rank, then the index), "-" without index.  buf is returned. */
const char *ftree_tuple(const struct ftree *t, uint32_t sw, char *buf, size_t size);

/* Group number i of a switch in the order in which it goes through them. */
static inline const struct ft_group *ftree_group(const struct ftree *t, uint32_t sw, enum ft_dir d,
						 uint32_t i)
{
	return &t->group[t->slot[t->sw[sw].slot[d] + i].group];
}

/*
 * Compute nodes leaf by leaf, each leaf filled up to the largest with NO_ID for missing nodes: endport ids,
 * the order in which shifts do not collide.  *n places; the caller frees.
 */
uint32_t *ftree_order(const struct ftree *t, uint32_t *n);

/* The same as text of OpenSM's file opensm-ftree-ca-order.dump. */
void ftree_order_text(const struct ftree *t, struct text *out);

#endif
