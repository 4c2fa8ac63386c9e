/*
 * Fat-tree routing (E. Zahavi, G. Johnson, D. J. Kerbyson, M. Lang, Concurrency and Computation 22(2), 2010),
 * as in OpenSM 3.3.23: the tree it sees, its counters, why it refuses. For panes and tests; the rest of the
 * program knows engines only by core/sm/engine.h.
 *
 * Directions are seen from a switch. Up is toward the roots (rank 0).
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

/* A cable of a port group. Each end of a cable has its own struct, with its own counters. */
struct ft_link {
	uint8_t port;	/* at the switch that owns the group */
	uint8_t remote; /* at the other end */
	uint32_t cu;	/* destinations for which the peer learned to climb through this cable */
	uint32_t cd;	/* main climbs through this cable */
};

/* All parallel cables from a switch to one peer. */
struct ft_group {
	uint32_t sw;		/* owner */
	uint32_t peer;		/* switch id, NO_ID: a CA port */
	uint32_t ca;		/* index in ca[], NO_ID: a switch */
	uint32_t link, n_links; /* links link to link + n_links - 1, in port order */
	uint32_t cu, cd; /* sums over the links (cd of an up group also counts climbs over side links) */
};

/* An entry in the order in which a switch visits its groups. */
struct ft_slot {
	uint32_t count; /* counter at the last sort */
	uint32_t key;	/* index of the peer, see FT_KEY_CA */
	uint32_t peer;	/* switch id, NO_ID: a CA port */
	uint32_t group;
};

/*
 * Keys of peers: indexed switches have 0 .. n-1 by tuple, CAs FT_KEY_CA and above, switches without index
 * FT_KEY_NONE. Where OpenSM compares two CAs, it compares heap addresses; here the order of nodes stands for
 * them.
 */
#define FT_KEY_CA 0x7FFFFFFFu
#define FT_KEY_NONE UINT32_MAX

struct ft_switch {
	bool in;	/* takes part: is up, has cables, and has a rank */
	bool is_leaf;	/* a compute node is on it */
	bool climbed;	/* a counter of an up group has changed since then */
	bool plain;	/* it has only CAs below and nothing beside: a descent ends here */
	uint32_t rank;	/* 0 = root */
	uint64_t tuple; /* the highest byte is the rank, then comes the index; unused bytes are 0xFF */
	uint32_t key;
	uint32_t rot;  /* group where the next reverse hops of a root begin */
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
	bool by_chance; /* OpenSM may leave it out, as the heap will have it */
};

/* The reason why the fabric was refused. */
struct ft_refusal {
	const char *rule;  /* short static name of the broken rule; NULL: not refused */
	const char *label; /* error number in OpenSM's log ("AB09"), "" when it has none */
	uint32_t sw, ref;  /* offender and the switch it was compared with, NO_ID = none */
	uint32_t endport;  /* offending CA port, NO_ID = none */
	uint32_t found, expected;
	struct err why; /* the full explanation */
};

/* An entry that exists only because of reverse hops. */
struct ft_reverse {
	uint32_t sw;
	uint16_t lid;
	uint8_t port, hops;
};

/* A value of the hop matrix that differs from Min Hop's. */
struct ft_cost {
	uint32_t d, port; /* target switch; port id (that of port 0 for the least cost) */
	uint8_t value;
};

struct ftree {
	const struct topo *topo; /* reference held */
	const struct lids *lids; /* reference held */
	bool root_file, cn_file, quasi, connect_roots, manual;
	bool named; /* root_guid_file gave the ranks */
	uint32_t max_reverse;
	uint64_t most_calls; /* limit of calls of all climbs together; 0: no limit */
	/*
	 * for an entry without a route to an I/O port, when somebody asks: the least max_reverse_hops that
	 * gives it a route, by the program and by the manual; 0: not known
	 */
	unsigned turns_do, turns_do_manual;
	uint32_t n_in, n_cas; /* switches that take part, CA nodes */
	struct ft_switch *sw; /* [n_switches] */
	struct ft_group *group;
	struct ft_slot *slot; /* one per group */
	struct ft_link *link;
	uint32_t n_groups, n_links;
	struct ft_ca *ca;
	uint32_t n_ca;
	uint32_t *leaf, n_leaves; /* switches in index order */
	uint32_t leaf_rank, max_rank, max_cn;
	uint16_t max_lid;
	uint32_t unindexed; /* switches without index, because 255 values were too few */
	uint32_t skipped;   /* neighbours of such switches, which OpenSM would index from undefined bytes */
	struct ft_refusal refusal;
	struct recorder *rec; /* while the tree is built; NULL: nobody records */

	/* after routing */
	struct hops *hops;    /* Min Hop's matrix */
	struct ft_cost *cost; /* sorted by d, then port */
	size_t n_costs, cap_costs;
	struct ft_reverse *reverse;
	size_t n_reverse, cap_reverse;
};

/*
 * Builds the tree of a fabric, for routing and for panes of a fabric that is not routed. If a step refuses,
 * refusal.rule is set, and later parts stay empty. Bad lines of files become notes. Free with ftree_free().
 */
struct ftree *ftree_build(const struct engine_input *in, struct engine_output *out);
void ftree_free(void *t); /* NULL is fine */

/* The tree behind a routing, or NULL when another engine made it. */
const struct ftree *ftree_of(const struct routing *r);

/* "1.0.3" (rank, then index), or "-" without index. Returns buf. */
const char *ftree_tuple(const struct ftree *t, uint32_t sw, char *buf, size_t size);

/* The i-th group of a switch, in the order in which the switch visits them. */
static inline const struct ft_group *ftree_group(const struct ftree *t, uint32_t sw, enum ft_dir d,
						 uint32_t i)
{
	return &t->group[t->slot[t->sw[sw].slot[d] + i].group];
}

/*
 * The order of compute nodes in which shifts do not collide: endport ids leaf by leaf, each leaf filled up
 * with NO_ID to the size of the largest. *n places; the caller frees it.
 */
uint32_t *ftree_order(const struct ftree *t, uint32_t *n);

/* The same order as the text of OpenSM's file opensm-ftree-ca-order.dump. */
void ftree_order_text(const struct ftree *t, struct text *out);

#endif
