/* The flows that share a link: flows of a pattern that leave by one port, alone and in groups. */
#ifndef IBSCOPE_FLOWS_H
#define IBSCOPE_FLOWS_H

#include "core/analysis/traffic/pattern.h"

/* By source, then by LID.  If the pattern is a list, in its order. */
struct flow_list {
	struct flow *flow; /* [n] */
	size_t n, cap;
	uint64_t pairs; /* sum of the weights; equals the count of loads_new() on the port */
};

/*
 * Flows that leave by a port: of a switch, or a host's own.  NULL and *e: cancelled, or there is no room for
 * them.  Cost: destinations that leave by the port * switches; for a list: its flows * links of a path.
 */
struct flow_list *flows_over(const struct routing *r, const struct pattern *pattern, uint32_t port,
			     struct progress *p, struct err *e);
void flow_list_free(struct flow_list *l); /* NULL is fine */

enum flow_by {
	FLOWS_BY_SWITCHES,    /* source switch and destination switch */
	FLOWS_BY_SOURCE,      /* source switch */
	FLOWS_BY_DESTINATION, /* destination switch */
	FLOWS_BY_HOST,	      /* source host: its endport */
	FLOWS_BY_SCOPE,	      /* is the source in the scope, is the destination? */
	FLOWS_BY_PAIR,	      /* source and destination: endports */
	FLOWS_BYS,
};

/* "switches", "source", "destination", "host", "scope", "pair" */
extern const char *const flow_by_word[FLOWS_BYS];

struct flow_group {
	uint32_t from,
		to; /* as FLOWS_BY_ says; of a scope 1 = in it, 0 = another; NO_ID: not grouped by it */
	uint64_t pairs;
	size_t first; /* a flow of it */
};

/*
 * Groups, most pairs first, then by name; *n of them; the caller frees them. scope: hosts of the scope, for
 * FLOWS_BY_SCOPE (NULL: all are in it).
 */
struct flow_group *flow_groups(const struct flow_list *l, const struct routing *r, enum flow_by by,
			       const struct host_set *scope, size_t *n);

/* The name of a group's from or to: a switch, a host, "the scope", "others"; "" for NO_ID. */
const char *flow_end_label(const struct fabric *f, enum flow_by by, uint32_t end, char *buf, size_t size);

#endif
