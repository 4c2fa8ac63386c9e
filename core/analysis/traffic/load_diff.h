/*
 * Where traffic went: routes on each channel before and after, all hosts to all.  A channel is a port between
 * two switches.  Channels of two routings are the same when switch GUID and port number are.
 */
#ifndef IBSCOPE_LOAD_DIFF_H
#define IBSCOPE_LOAD_DIFF_H

#include "core/base/progress.h"
#include "core/routing/routing.h"

struct load_change {
	uint32_t port;		/* of the fabric after; NO_ID: its switch is not in that */
	uint32_t port_was;	/* of the fabric before; NO_ID: its switch was not in that */
	uint32_t before, after; /* routes; 0 also where it led to no switch */
};

struct load_diff {
	const struct routing *a, *b; /* references held: before and after */
	struct load_change *change;  /* [n] first what carries more: by gain, then load after, then name; then
					what carries less, most lost first */
	uint32_t n, hotter, cooler;
	uint32_t max_before, max_after; /* most routes on a channel */
	int64_t gain;			/* of all channels together */
};

/* Hosts are those that count in each routing.  NULL when cancelled. */
struct load_diff *load_diff_new(const struct routing *a, const struct routing *b, struct progress *p);
void load_diff_free(struct load_diff *d); /* NULL is fine */

static inline int64_t load_gain(const struct load_change *c)
{
	return (int64_t)c->after - c->before;
}

/* The channel's port and its fabric: the fabric after, if the channel is in it. */
const struct fabric *load_change_fabric(const struct load_diff *d, const struct load_change *c,
					uint32_t *port);

/* "core-02[1] -> spine-02[5]", cabled as in the fabric of its load. buf is returned. */
const char *load_change_label(const struct load_diff *d, const struct load_change *c, char *buf, size_t size);

#endif
