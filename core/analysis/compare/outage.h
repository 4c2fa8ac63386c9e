/*
 * The outage: what packets meet when something has failed, until the next sweep.  The tables are still the
 * old ones; cables and nodes are those that are left.
 *
 * A pair is one of compare.h (source host, LID of another host) that had a path before.  It is cut when its
 * path by the old tables passes what is down, or when an end of it is down.  Each switch does what it does
 * without the subnet manager:
 *
 *   off    A packet that keeps its order takes the port of the table.  If that port's cable leads nowhere,
 * the packet is lost. flfr   Fast link fault recovery (local_repair).  A switch whose own port of the table
 * is down sends by the first live port of the LID's adaptive-routing group instead.  It tells nobody: the
 * switches before it send as ever, and without a group, or with no live port in it, the packet is lost.  The
 * other port may lead back, so a loop is possible; its pairs are cut too.
 *
 * With adaptive routing a packet that may be spread takes any live port of the group at each switch, with or
 * without flfr.  Of such packets is told which pairs can lose one.
 */
#ifndef IBSCOPE_OUTAGE_H
#define IBSCOPE_OUTAGE_H

#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/fabric/elements.h"
#include "core/routing/routing.h"
#include "core/sm/sweep.h"

enum local_repair { REPAIR_OFF, REPAIR_FLFR };

/* The value of the option local_repair. */
enum local_repair local_repair_of(const struct options *o);

/* An entry of the old tables at which pairs are lost. */
struct outage_entry {
	uint32_t port; /* id; its cable leads nowhere.  Port 0 of the switch: it has no entry (behind a
			  repair) */
	uint16_t lid;
	uint64_t pairs;
};

/* A port of a switch with such entries. */
struct outage_port {
	uint32_t port;
	uint32_t first, lids; /* its entries, by LID: entry[first] up to entry[first + lids] */
	uint64_t pairs;
};

/* A host port with pairs that are cut. */
struct outage_host {
	uint32_t endport;
	uint64_t sends, receives; /* cut pairs of which it is the source, the destination */
	uint64_t pairs;		  /* both */
	bool down;		  /* it is down itself, or its cable or switch is */
};

/*
 * Two hosts (nodes) that are up, at least one of which has two ports that count.  All paths from ports of one
 * to LIDs of the other are cut, and there are at least two.
 */
struct outage_peers {
	uint32_t from, to; /* nodes */
	uint32_t paths;
};
#define OUTAGE_MOST_PEERS 10000

#define OUTAGE_NO_AFTER UINT64_MAX /* no tables follow */

struct outage {
	const struct routing *before; /* the old tables; reference held */
	const struct topo *left;      /* what is left of its topo; reference held */
	const struct state *down;     /* what is down now, in ids of its fabric; reference held */
	enum local_repair repair;
	uint64_t hit;		  /* pairs whose path by the ports of the tables passes what is down */
	uint64_t cut;		  /* of these: lost.  The others continue by another port (flfr) */
	uint64_t looping;	  /* of the cut ones: in a loop behind a repair */
	uint64_t end_down;	  /* of the cut ones: an end is down */
	uint64_t after;		  /* pairs lost after the sweep, if known; OUTAGE_NO_AFTER at first */
	bool adaptive;		  /* the old tables have groups of ports */
	uint64_t spread;	  /* pairs that can lose a packet that may be spread, but could not before */
	struct outage_port *port; /* [n_ports] most pairs first */
	struct outage_entry *entry;
	struct outage_host *host;   /* [n_hosts] most pairs first */
	struct outage_peers *peers; /* [n_peers] in order of nodes */
	uint32_t n_ports, n_hosts, n_peers;
	size_t n_entries;
	uint64_t all_peers; /* all of them; n_peers, at most OUTAGE_MOST_PEERS, are listed */
};

/*
 * down: what is down now, in ids of the fabric of r; it may or may not include what was down before.  Returns
 * NULL and *e when cancelled or out of memory.  Cost: one walk of the switches for each LID that has an entry
 * into what is down (for each LID if a host is down).
 */
struct outage *outage_new(const struct routing *r, const struct state *down, enum local_repair repair,
			  struct progress *p, struct err *e);

/*
 * The outage of an event: the tables of the sweep before it (which has tables) meet what is up at the sweep
 * after it, with the hosts that count now and the option local_repair of now.  Ids are those of the fabric
 * before; what the fabric after lacks is down.  NULL and *e as above.
 */
struct outage *outage_between(const struct sweep *before, const struct sweep *after, struct progress *p,
			      struct err *e);

/*
 * The outage if elements that are up failed now.  setup: w's setup (w has tables) with them down.  The sweep
 * that would follow is made for `after`.  NULL and *e as above, or when an option is unusable.
 */
struct outage *outage_ahead(const struct sweep *w, const struct setup *setup,
			    const struct engine *const *engines, struct progress *p, struct err *e);

/*
 * "Until the next sweep 96 pairs of 20 host ports are cut; after it 12.", and whatever else deserves a
 * sentence; without line end.
 */
void outage_tell(const struct outage *x, struct text *t);
/* Adds the LIDs of a port's entries: "3 17-20". */
void outage_lids(const struct outage *x, const struct outage_port *p, struct text *t);

/* The part of an outage that concerns one job: pairs between its hosts. */
struct outage_job {
	char *name;	/* owned */
	uint32_t hosts; /* its host ports in the fabric */
	uint32_t seen;	/* how many of these have such pairs */
	uint64_t pairs, end_down;
};

/* Fields of the rows: ports, hosts, pairs of hosts, jobs. */
extern const struct field outage_port_fields[], outage_host_fields[], outage_peers_fields[],
	outage_job_fields[];

/* Computes only the number of pairs that are cut.  Returns -1 and *e on failure. */
int outage_count(const struct routing *r, const struct state *down, enum local_repair repair, uint64_t *cut,
		 struct progress *p, struct err *e);

/*
 * The same for each part that fails alone: cut[n].  Links and switches take one pass: to each LID the paths
 * are a tree, and a channel (a switch) cuts the hosts behind it.  0, or -1 and *e: cancelled.
 */
int outage_of_parts(const struct routing *r, const struct parts *parts, enum local_repair repair,
		    uint64_t *cut, struct progress *p, struct err *e);

/* Can they be computed in one pass?  Not with groups of ports under flfr, where a repair depends on what else
 * is up. */
bool outage_by_pass(const struct routing *r, const struct parts *parts, enum local_repair repair);

#endif
