#include "core/analysis/traffic/load_diff.h"

#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/loads.h"
#include "core/base/defs.h"
#include "core/base/memory.h"

/* Routes over a port where it leads to a switch. */
static uint32_t channel_load(const struct routing *r, const struct loads *l, uint32_t port)
{
	return port != NO_ID && r->topo->peer_switch[port] != NO_ID ? l->port[port] : 0;
}

/* The same port of a switch in another fabric, or NO_ID. */
static uint32_t load_diff_same_port(const struct fabric *f, uint32_t port, const struct fabric *to)
{
	uint32_t node;

	if (f == to)
		return port;
	node = fabric_node_by_guid(to, f->node_guid[f->port_node[port]]);
	if (node == NO_ID || !node_is_switch(to, node) || f->port_num[port] > to->node_nports[node])
		return NO_ID;
	return to->node_port[node] + f->port_num[port];
}

static void load_diff_add(struct load_diff *d, const struct load_change *c)
{
	if (c->before == c->after)
		return;
	d->change[d->n++] = *c;
	d->hotter += c->after > c->before;
	d->cooler += c->after < c->before;
	d->gain += load_gain(c);
}

static int hottest_first(const void *x, const void *y, void *ctx)
{
	const struct load_change *a = x, *b = y;
	int64_t ga = load_gain(a), gb = load_gain(b);
	const struct fabric *fa, *fb;
	uint32_t pa, pb;
	int c;

	if ((ga > 0) != (gb > 0))
		return ga > 0 ? -1 : 1;
	if (ga != gb)
		return llabs(ga) > llabs(gb) ? -1 : 1;
	if (a->after != b->after)
		return a->after > b->after ? -1 : 1;
	fa = load_change_fabric(ctx, a, &pa);
	fb = load_change_fabric(ctx, b, &pb);
	c = strcmp(fa->node_name[fa->port_node[pa]], fb->node_name[fb->port_node[pb]]);
	if (c)
		return c;
	return COMPARED(pa, pb);
}

static void load_diff_compare(struct load_diff *d, const struct loads *before, const struct loads *after)
{
	const struct fabric *fa = d->a->topo->fabric, *fb = d->b->topo->fabric;

	for (uint32_t s = 0; s < fb->n_switches; s++)
		FOR_PORTS(fb, s, port) {
			uint32_t was = load_diff_same_port(fb, port, fa);

			load_diff_add(d, &(struct load_change){port, was, channel_load(d->a, before, was),
							       channel_load(d->b, after, port)});
		}
	for (uint32_t s = 0; fa != fb && s < fa->n_switches; s++)
		FOR_PORTS(fa, s, was) {
			if (load_diff_same_port(fa, was, fb) == NO_ID)
				load_diff_add(d, &(struct load_change){NO_ID, was,
								       channel_load(d->a, before, was), 0});
		}
	if (d->n)
		qsort_r(d->change, d->n, sizeof(*d->change), hottest_first, d);
}

struct load_diff *load_diff_new(const struct routing *a, const struct routing *b, struct progress *p)
{
	struct loads *before = loads_new(a, &pattern_all, p);
	struct loads *after = before ? loads_after(before, a, b, p) : NULL;
	struct load_diff *d = NULL;

	if (after) {
		d = NEW(struct load_diff);
		d->a = routing_ref(a);
		d->b = routing_ref(b);
		d->change = NEW_ARRAY((size_t)a->topo->fabric->n_ports + b->topo->fabric->n_ports + 1,
				      struct load_change);
		d->max_before = before->max;
		d->max_after = after->max;
		load_diff_compare(d, before, after);
	}
	loads_free(before);
	loads_free(after);
	return d;
}

void load_diff_free(struct load_diff *d)
{
	if (!d)
		return;
	routing_unref(d->a);
	routing_unref(d->b);
	free(d->change);
	free(d);
}

const struct fabric *load_change_fabric(const struct load_diff *d, const struct load_change *c,
					uint32_t *port)
{
	*port = c->port != NO_ID ? c->port : c->port_was;
	return (c->port != NO_ID ? d->b : d->a)->topo->fabric;
}

const char *load_change_label(const struct load_diff *d, const struct load_change *c, char *buf, size_t size)
{
	bool now = c->port != NO_ID && (c->after || c->port_was == NO_ID);
	const struct topo *t = (now ? d->b : d->a)->topo;
	uint32_t port = now ? c->port : c->port_was;
	char a[300], b[300] = "nothing";

	if (t->peer[port] != NO_ID)
		port_label(t->fabric, t->peer[port], b, sizeof(b));
	snprintf(buf, size, "%s -> %s", port_label(t->fabric, port, a, sizeof(a)), b);
	return buf;
}
