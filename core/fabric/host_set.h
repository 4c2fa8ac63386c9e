/*
 * CA and router ports that count as hosts.  Check, loads, shifts, comparisons, figures and channel
 * dependencies count pairs of these.  Tables never depend on it.
 *
 * Aggregation nodes are channel adapters inside switches that add up what collective operations send (NVIDIA
 * SHARP).  They have LIDs and are routed, but nobody runs there.
 */
#ifndef IBSCOPE_HOST_SET_H
#define IBSCOPE_HOST_SET_H

#include "core/fabric/fabric.h"

#define DEVICE_AGGREGATION 0xcf09 /* PCI device number of those in Quantum switches */

/* Is a node an aggregation node: a CA with that device number, or a CA of any device with that name? */
bool node_is_aggregation(const struct fabric *f, uint32_t node);
uint32_t fabric_aggregation_nodes(const struct fabric *f); /* how many there are */

/* Is a port (NO_ID: none) one of a CA or router; without `aggregation`, not of an aggregation node? */
bool port_of_host(const struct fabric *f, uint32_t port, bool aggregation);

/* Ports of one job's hosts.  They are kept by name, so a fabric that is loaded anew finds them again. */
struct scope_port {
	uint64_t node_guid;
	uint8_t port; /* number, from 1 */
};

struct scope {
	atomic_uint refs;
	char *words;		 /* as they were typed; "" = no scope: all hosts */
	struct scope_port *port; /* [n] in the order of endports of the fabric it was made for */
	uint32_t n;
};

/* The endports of the fabric with wanted[endport]. */
struct scope *scope_new(const struct fabric *f, const char *words, const uint8_t *wanted);
struct scope *scope_ref(const struct scope *s);
void scope_unref(const struct scope *s); /* NULL is fine */
/* Endport of a scope's port in a fabric; NO_ID: it is not there. */
uint32_t scope_endport(const struct fabric *f, const struct scope_port *p);

struct host_set {
	atomic_uint refs;
	bool narrowed; /* made by a scope: events on other ports do not matter */
	uint32_t n;    /* ports that count, up or not */
	uint8_t *in;   /* [n_endports] 1: counts */
};

/*
 * All CA and router ports; without `aggregation`, not those of aggregation nodes; with a scope (not NULL, and
 * with words), only those in it.  A set never changes once made.
 */
struct host_set *host_set_new(const struct fabric *f, bool aggregation, const struct scope *scope);
struct host_set *host_set_ref(const struct host_set *h); /* NULL is fine for both */
void host_set_unref(const struct host_set *h);

/*
 * Is it a fault when the endport is cut off or has no LID? It is for a host that counts, and without a scope
 * for a switch too. h may be NULL: all count.
 */
bool host_set_matters(const struct host_set *h, const struct fabric *f, uint32_t endport);

#endif
