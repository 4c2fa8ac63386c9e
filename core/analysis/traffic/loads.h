/* Loads of links for traffic patterns: (source, destination) routes that leave through a port. */
#ifndef IBSCOPE_LOADS_H
#define IBSCOPE_LOADS_H

#include "core/analysis/traffic/shift.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/routing/routing.h"

/*
 * Traffic patterns: pairs of senders and receivers.  Both ends of every flow are hosts that count
 * (routing.h), are up and have a LID.  So a scope limits both ends.
 */

struct flow {
	uint32_t src, dst; /* endports */
	uint32_t weight;   /* the number of flows that it stands for, from 1 */
	uint16_t lid;	   /* of dst */
};

enum pattern_kind {
	PATTERN_ALL,  /* every host to the base LID of every other: no list */
	PATTERN_LIDS, /* every host to all LIDs of every other: no list */
	PATTERN_LIST,
};

struct pattern {
	enum pattern_kind kind;
	struct flow *flow; /* [n] of a list, in the order that the pattern is made in */
	size_t n, cap;
	uint64_t left_out; /* flows left out because an end does not count, is down or has no LID */
};

extern const struct pattern pattern_all, pattern_lids;

/* The *n hosts that can be ends, by ascending base LID; the caller frees them. */
uint32_t *pattern_hosts(const struct routing *r, uint32_t *n);
bool pattern_is_host(const struct routing *r, uint32_t endport);

/* The functions below add the list to a zeroed pattern; pattern_free() frees it. */

/* Each place of an order (shift.h) sends to the place k further on. */
void pattern_shift(const struct routing *r, const struct shift_order *o, unsigned long k, struct pattern *p);
/* A random half and the other half send to each other, one to one.  With an odd number one host is idle. */
void pattern_bisection(const struct routing *r, uint64_t seed, struct pattern *p);
/*
 * A random permutation without fixed points, each equally likely: each host sends once and receives once.  It
 * is drawn by shuffling until no host is in its place (2.7 shuffles in the mean).  A single host sends
 * nothing.
 */
void pattern_random(const struct routing *r, uint64_t seed, struct pattern *p);
/* Every host sends to each of the targets, which are hosts' endports. */
void pattern_to(const struct routing *r, const uint32_t *target, uint32_t n, struct pattern *p);
/* Adds a flow.  It is left out when an end cannot be an end, or when a host would send to itself. */
void pattern_add(const struct routing *r, uint32_t src, uint32_t dst, uint32_t weight, struct pattern *p);

void pattern_free(struct pattern *p);

/* The order of hosts, shuffled in place (Fisher-Yates). */
void shuffle(uint32_t *a, uint32_t n, uint64_t *seed);

struct loads {
	uint32_t *port;	   /* [n_ports] routes leaving through the port, CA ports included */
	uint64_t routes;   /* routes counted */
	uint32_t max;	   /* over ports between switches */
	uint32_t max_port; /* a port with that load, NO_ID when none */
	double mean;	   /* over live ports between switches */
	double mean_used;  /* over live ports between switches that carry routes; 0: none does */
	uint32_t min;
	uint32_t n_links; /* live ports between switches */
};

/* Computes the load of a pattern on each port.  The sum of its weights must fit in 32 bits.  Returns NULL
 * when cancelled. */
struct loads *loads_new(const struct routing *r, const struct pattern *pattern, struct progress *p);
/* The fastest rate of the links between switches that are up, in Gbit/s; 0 when all have the same rate, or
 * one is not known. */
double channels_fastest(const struct topo *t);
/* A port's routes as a share of capacity: the number that would fill a link of that fastest rate as much.
 * With fastest 0 it is the number itself. */
double routes_by_rate(const struct fabric *f, uint32_t port, uint32_t routes, double fastest);
/* [n_switches] most routes on a link from or to another switch, in one direction; the caller frees. */
uint32_t *loads_busiest(const struct loads *l, const struct fabric *f);

/*
 * How traffic moved: routes on each channel before and after, all hosts to all.  A channel is a port between
 * two switches.  Channels of two routings are the same when switch GUID and port number are.
 */

struct load_change {
	uint32_t port;		/* in the fabric after; NO_ID: its switch is not in it */
	uint32_t port_was;	/* in the fabric before; NO_ID: its switch was not in it */
	uint32_t before, after; /* routes; also 0 where the port led to no switch */
};

struct load_diff {
	const struct routing *a, *b; /* references held: before and after */
	struct load_change *change; /* [n] channels that carry more come first: by gain, then load after, then
				       name; then those that carry less, most lost first */
	uint32_t n, hotter, cooler;
	uint32_t max_before, max_after; /* most routes on a channel */
	int64_t gain;			/* total over all channels */
};

/* Hosts are those that count in each routing.  NULL when cancelled. */
struct load_diff *load_diff_new(const struct routing *a, const struct routing *b, struct progress *p);

static inline int64_t load_gain(const struct load_change *c)
{
	return (int64_t)c->after - c->before;
}

/* The channel's port and its fabric, which is the fabric after if the channel is in it. */
const struct fabric *load_change_fabric(const struct load_diff *d, const struct load_change *c,
					uint32_t *port);

/* "core-02[1] -> spine-02[5]", cabled as in the fabric of its load. buf is returned. */
const char *load_change_label(const struct load_diff *d, const struct load_change *c, char *buf, size_t size);

/* Use of switch ports: the LIDs that the tables send out of each. */

/* Number of LIDs that leave a switch by a port. */
struct port_use {
	uint32_t lids, hosts, switches; /* all LIDs; those of CA and router ports; those of switches */
};

/* [n_ports], zero but for ports 1 and up of switches; the caller frees.  NULL: cancelled. */
struct port_use *port_use_new(const struct routing *r, struct progress *p);

#endif
