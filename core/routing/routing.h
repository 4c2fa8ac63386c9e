/*
 * The result of an engine on a discovered fabric: forwarding tables, SLs, and the engine's own inspectable
 * tables.  Immutable once made.  Routings share equal rows (one LFT each), so a history costs only what
 * changed.
 */
#ifndef IBSCOPE_ROUTING_H
#define IBSCOPE_ROUTING_H

#include <stdio.h>

#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/elements.h"
#include "core/fabric/host_set.h"
#include "core/fabric/state.h"
#include "core/routing/layers.h"
#include "core/routing/adaptive.h"
#include "core/routing/lids.h"
#include "core/routing/pair_sls.h"
#include "core/routing/sl_tables.h"
#include "core/routing/why_rule.h"

/* LFT of one switch: port[lid], NO_PATH without route; LID 0 is NO_PATH. */
struct lft_row {
	atomic_uint refs;
	uint16_t top; /* largest LID; port[] has top + 1 entries */
	bool edited;  /* by lft_row_copy(): an entry differs from that row's */
	void *kept;   /* by its engine, to change it faster later; freed with it; NULL = nothing */
	uint8_t port[];
};

struct lft_row *lft_row_new(unsigned top);		  /* filled with NO_PATH */
struct lft_row *lft_row_copy(const struct lft_row *from); /* for who then changes an entry */
void lft_row_unref(struct lft_row *r);

/* Up/down rank of a switch that has none (absent or unreached). */
#define NO_RANK UINT32_MAX

/* Service levels that a path may have: one, or a range when OpenSM draws at random. */
struct sl_range {
	uint8_t lo, hi;
};

/* An empty range: at a step of a recorded run, a path that has no layer yet. */
static inline bool sl_is_open(struct sl_range sl)
{
	return sl.lo > sl.hi;
}

/* "3", "2..5", "-" of an empty range; buf is returned. */
#define SL_WORD 16
const char *sl_word(struct sl_range sl, char buf[SL_WORD]);

struct routing;

/* Origin of an entry of a forwarding table, where it is worth a note: one word, and the words for many. */
struct entry_note {
	const char *brief, *title; /* "reverse", "by reverse hops" */
};

/* Typed accessors to the tables that an engine leaves.  A NULL member: the engine has no such table. */
struct routing_ops {
	/* SL of a path between two endport LIDs with a route; NULL: always 0. */
	struct sl_range (*sl)(const struct routing *r, unsigned slid, unsigned dlid);
	/*
	 * Bits of a path's SL that are those of the partition's or the QoS policy's SL, where there is one:
	 * 15 all of them, 0 none.  NULL: 15 if there is no sl(), else 0.
	 */
	unsigned (*sl_from_qos)(const struct routing *r);
	/* sl() is the same for all LIDs on one switch to all on another, so analyses may ask once. */
	bool sl_by_switch;
	/* ... or at least for all LIDs of CAs on one switch to one LID. */
	bool sl_by_source;
	/* VL by which an SL leaves a switch by `out` after it came by `in` (port numbers); NULL: VL = SL. */
	unsigned (*vl)(const struct routing *r, uint32_t sw, unsigned in, unsigned out, unsigned sl);
	/* VL by which a packet of an SL leaves a CA or router port; NULL: not known. */
	unsigned (*endport_vl)(const struct routing *r, uint32_t endport, unsigned sl);
	/* Hop matrix: cost from switch s to switch d through a port (port 0: the least), NO_PATH = none. */
	unsigned (*hops)(const struct routing *r, uint32_t s, uint32_t d, unsigned port);
	/* Rank of a switch, 0 = root; NO_RANK. */
	uint32_t (*rank)(const struct routing *r, uint32_t sw);
	bool (*is_root)(const struct routing *r, uint32_t sw);
	/*
	 * The rule that gave a switch its rank, in a sentence.  Lines of text say what helps to find that
	 * rank, beside the ranks of its neighbours.
	 */
	void (*decide_rank)(const struct routing *r, uint32_t sw, struct decided *d);
	void (*rank_clues)(const struct routing *r, uint32_t sw, struct text *t);
	/* Direction of the step from a switch through a port: 'U', 'D', '=' (level) or ' '. */
	char (*direction)(const struct routing *r, uint32_t sw, unsigned port);
	/*
	 * A level step after one down does not let the packet go up again, as in ftree: routes go up or
	 * beside, then down or beside.  In Up/Down and Down/Up such a step frees the packet.
	 */
	bool level_stays_down;
	/* The rule that directs a link between switches of equal rank, static words; NULL: no such link. */
	const char *(*link_rule)(const struct routing *r, uint32_t sw, unsigned port);
	/*
	 * Notes on the entries of a switch. note[lid] (room for max_lid + 1, zeroed) is set for an entry with
	 * a note.  Returns their number.
	 */
	uint32_t (*entry_notes)(const struct routing *r, uint32_t sw, const struct entry_note **note);
	/*
	 * The next endport that OpenSM may leave without a route, as its heap will have it; from *at = 0 on,
	 * NO_ID at the end.  NULL: there is no such chance.
	 */
	uint32_t (*next_by_chance)(const struct routing *r, uint32_t *at);
	/* Layers (virtual lanes) used. */
	unsigned (*n_layers)(const struct routing *r);
	/* The most layers that the VLs of all ports and the engine's options allow.  NULL: not told. */
	unsigned (*layers_available)(const struct routing *r);
	/*
	 * The rest is about layers, switch elements and ways.  It also works for an r that the unicast cache
	 * kept: take the operation from routing_origin(r) and call it with r.
	 */
	void (*layer)(const struct routing *r, unsigned layer,
		      struct layer_info *info); /* below n_layers() */
	/*
	 * The next thing in a layer, from *cursor = 0 on; false at the end.  A whole round costs no more than
	 * one look at everything that has a layer.
	 */
	bool (*next_route)(const struct routing *r, unsigned layer, uint64_t *cursor, struct layer_route *lr);
	/* The layer of the path between two endport LIDs; false when it is in none. */
	bool (*pair_layer)(const struct routing *r, unsigned slid, unsigned dlid, struct pair_layer *l);
	/*
	 * The reason why it is in no layer below its first one; the caller owns it.  May take long; NULL:
	 * cancelled.  No such operation: no cycle keeps anything out of a layer.
	 */
	struct witness *(*witness)(const struct routing *r, unsigned slid, unsigned dlid, unsigned layer,
				   struct progress *p);
	/*
	 * The reason why the path between two LIDs with a route is in its layer and in none below, in lines
	 * of text. r may be a routing kept by the unicast cache (take the operation from routing_origin()).
	 * May take long.
	 */
	void (*explain_pair)(const struct routing *r, unsigned slid, unsigned dlid, struct text *t,
			     struct progress *p);
	/* The rule that gave the path its layer, in a sentence. r as above.  NULL: it has none. */
	void (*decide_pair)(const struct routing *r, unsigned slid, unsigned dlid, struct decided *d);
	/* The facts behind its layers, in lines of text. */
	void (*explain_layers)(const struct routing *r, struct text *t);
	/* Switch elements it routed by; borrowed from r. */
	const struct elements *(*elements)(const struct routing *r);
	/*
	 * The name of the measure by which it weighs an element's ways ("contention/distance"), and its value
	 * for the way to a LID as text; false: no route.
	 */
	const char *way_measure;
	bool (*way)(const struct routing *r, uint32_t element, unsigned lid, struct text *t);
	/*
	 * The order of CA ports that the tables are made for (endport ids; NO_ID = place of a missing one),
	 * *n places.  The caller frees it.  Shifts go by it.
	 */
	uint32_t *(*order)(const struct routing *r, uint32_t *n);
	/* Texts of the engine for `export`: names with '|' between, and a writer (-1: cannot be written). */
	const char *extras;
	int (*write_extra)(const struct routing *r, const char *what, FILE *f);
	/* Option that allows a turn up after a step down ("max_reverse_hops"); NULL: there is none. */
	const char *turn_option;
	/* Give back the engine's private tables. */
	void (*free_priv)(void *priv);
	/* All SLs that a path may have in some start of OpenSM, of which sl() is one. NULL: none but sl(). */
	struct sl_range (*sl_by_chance)(const struct routing *r, unsigned slid, unsigned dlid);
};

struct routing {
	atomic_uint refs;
	const char *engine;		   /* name of the engine that made the tables (static) */
	const struct topo *topo;	   /* reference held */
	const struct lids *lids;	   /* reference held */
	struct lft_row **row;		   /* [n_switches], NULL for switches that are not up */
	const struct routing_ops *ops;	   /* never NULL */
	const struct sl_tables *sl_tables; /* reference held; SLs and VLs given from outside, NULL = none */
	struct adaptive *adaptive;	   /* reference held; groups of ports for some LIDs, NULL = none */
	struct pair_sls
		*pair_sls;    /* what partitions and the QoS policy offer; reference held; NULL: nothing */
	uint8_t offered_bits; /* those of SLs that are taken from there (sl_from_qos) */
	bool sl_unread;	      /* what is not modelled may give paths other SLs (core/sm/qos.h) */
	void *priv;	      /* the engine's own, behind ops */
	/*
	 * What an engine promises of its tables: they lead from switch s in exact[s * n_switches + d] links
	 * to switch d, for each LID there or on a host there; NO_PATH: no way.  Part of priv; NULL: no
	 * promise.
	 */
	const uint8_t *exact;
	const struct host_set *hosts; /* reference held; NULL: all CA and router ports count */
	const struct routing *same;   /* reference held; the same tables, whose priv this one's is; NULL */
};

/* A routing whose rows are all missing; engines fill row[] and ops. */
struct routing *routing_new(const char *engine, const struct topo *t, const struct lids *l);
/* The same tables with other hosts that count (NULL: all CA and router ports). */
struct routing *routing_with_hosts(const struct routing *r, const struct host_set *hosts);
/*
 * The same tables as data packets meet them while ports are in the states that were read (topo_data()): what
 * judgements look at.  A new reference; r itself when all cables carry data.
 */
struct routing *routing_on_data(const struct routing *r);
/* What that was made of: the tables over the topo that the subnet manager discovers.  Otherwise r. */
const struct routing *routing_discovered(const struct routing *r);
struct routing *routing_ref(const struct routing *r);
void routing_unref(const struct routing *r);

/* Make r's row of a switch the same object as the row of `from` (both for the same fabric). */
void routing_share_row(struct routing *r, const struct routing *from, uint32_t sw);

/* Does an endport, up or not, count as a host where pairs of hosts are counted? */
static inline bool routing_counts(const struct routing *r, uint32_t endport)
{
	return r->hosts ? r->hosts->in[endport] : !endport_is_switch(r->topo->fabric, endport);
}

/* The same; the endport must also be up and on a switch. */
static inline bool routing_has_host(const struct routing *r, uint32_t endport)
{
	return r->topo->endport_up[endport] && r->topo->endport_switch[endport] != NO_ID &&
	       routing_counts(r, endport);
}

/* The number of hosts on each switch that count and have a LID, [n_switches]; the caller frees it. */
uint32_t *routing_hosts(const struct routing *r);
/* Hosts that count and whose own cables carry no data (topo_mute()): they reach nobody. */
static inline bool routing_mute_host(const struct routing *r, uint32_t endport)
{
	return routing_counts(r, endport) && topo_mute(r->topo, endport);
}
/* LIDs of all CA and router ports that count. */
uint64_t routing_host_lids(const struct routing *r);

static inline unsigned routing_port(const struct routing *r, uint32_t sw, unsigned lid)
{
	const struct lft_row *row = r->row[sw];

	return row && lid <= row->top ? row->port[lid] : NO_PATH;
}

/*
 * The port by which packets for a LID go on: the entry; if its port is down, the first port of the
 * adaptive-routing group that is up.  NO_PATH without an entry.
 */
unsigned routing_next_port(const struct routing *r, uint32_t sw, unsigned lid);

/*
 * All ports by which a packet for a LID may leave a switch: the entry of the table and, with adaptive
 * routing, the ports of the group that are up.  If no port of the group is up: the entry alone. false: there
 * is no group, and the set holds only the entry (or nothing).
 */
bool routing_ports(const struct routing *r, uint32_t sw, unsigned lid, struct port_set *set);

/*
 * "*2 4 x5 (group 3)": the ports of an adaptive-routing group.  * marks the entry of the table, x ports that
 * are down.  "" without a group.
 */
void routing_ports_text(const struct routing *r, uint32_t sw, unsigned lid, struct text *t);

/* Values given from outside come before those of the engine. */
struct sl_range routing_sl(const struct routing *r, unsigned slid, unsigned dlid);
/* The same with all that OpenSM may draw in another start: for lists of SLs, not for judgements. */
struct sl_range routing_sl_by_chance(const struct routing *r, unsigned slid, unsigned dlid);
unsigned routing_vl(const struct routing *r, uint32_t sw, unsigned in, unsigned out, unsigned sl);

/* Is it known by which VLs a CA or router port sends? */
bool routing_endport_known(const struct routing *r);
/* The map of a CA or router port, where it is known. */
sl2vl_map routing_endport_map(const struct routing *r, uint32_t endport);

/*
 * Does the SA give no path record from an endport: through switches, or straight to its neighbour? With
 * quality of service on, OpenSM 3.3.23 first takes SL 0, although the engine may have another SL for the
 * path.  SL 0 must not lead to VL 15 anywhere.
 */
bool routing_sa_refuses(const struct routing *r, uint32_t endport, bool through_switches);

/* Can an SL differ from 0? */
/* Have the ports of two LIDs a P_Key in common?  If not, OpenSM's SA gives no path.  True: or it is not
 * known. */
bool routing_share_pkey(const struct routing *r, unsigned slid, unsigned dlid);
bool routing_has_sls(const struct routing *r);
/* Is the SL the same for all LIDs on one switch to all LIDs on another (0 included)? */
bool routing_sls_by_switch(const struct routing *r);
/* Is it the same for all LIDs of CAs on one switch to one LID? */
bool routing_sls_by_source(const struct routing *r);
/* Can the VL differ from the SL? */
bool routing_has_maps(const struct routing *r);
/* Does the VL depend on the SL alone, for all switches and ports? */
bool routing_vl_by_sl(const struct routing *r);
/* Do paths of the SLs first .. first + n - 1 travel on the VL of that number on all links? */
bool routing_keeps_layers(const struct routing *r, unsigned first, unsigned n);
/* The engine's layers are computed, but switches do not keep them apart (quality of service is off). */
bool routing_layers_idle(const struct routing *r);

#endif
