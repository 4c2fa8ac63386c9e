#include "core/analysis/traffic/gpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/fabric/rails.h"

const char *const gpu_pattern_word[GPU_PATTERNS] = {"ring", "tree", "alltoall"};

/* --- hosts and rails ------------------------------------------------------------------------------- */

/* A GPU on its way into the order. */
struct gpus_placed {
	const char *name;     /* of the host's first node */
	uint32_t place, host; /* of the host: first place in the list, or 0; number in rail_ports() */
	uint32_t rail, endport;
};

COMPARATOR(by_place, struct gpus_placed, UP(place) FIELD_BY(strverscmp, name) UP(host) UP(rail) UP(endport))
COMPARATOR(by_rail, struct gpus_placed, UP(rail))

/* The GPUs that count, with the host's place and name. */
static struct gpus_placed *gpus_place_all(const struct routing *r, const uint32_t *endport, uint32_t n,
					  uint32_t *kept)
{
	const struct fabric *f = r->topo->fabric;
	size_t n_ports;
	struct rail_port *port = rail_ports(f, &n_ports);
	struct gpus_placed *p = NEW_ARRAY(n_ports + 1, struct gpus_placed);
	uint32_t *place = NEW_ARRAY(f->n_endports + 1, uint32_t); /* from 1; 0: not meant */

	for (uint32_t i = 0; i < n; i++)
		if (!place[endport[i]])
			place[endport[i]] = i + 1;
	*kept = 0;
	for (size_t i = 0, end; i < n_ports; i = end) {
		uint32_t first = NO_ID, from = *kept;

		for (end = i; end < n_ports && port[end].host == port[i].host; end++) {
			uint32_t ep = f->port_endport[port[end].port];

			if (ep == NO_ID || !pattern_is_host(r, ep) || (endport && !place[ep]))
				continue;
			first = MIN(place[ep], first);
			p[(*kept)++] =
				(struct gpus_placed){port[i].name, 0, port[i].host, port[end].rail, ep};
		}
		while (from < *kept)
			p[from++].place = first;
	}
	free(place);
	free(port);
	return p;
}

struct gpus *gpus_new(const struct routing *r, const uint32_t *endport, uint32_t n)
{
	struct gpus *g = NEW(struct gpus);
	struct gpus_placed *p = gpus_place_all(r, endport, n, &g->n);

	g->first = NEW_ARRAY(g->n + 1, uint32_t);
	g->gpu = NEW_ARRAY(g->n + 1, struct gpu);
	if (g->n)
		qsort(p, g->n, sizeof(*p), by_rail);
	for (uint32_t i = 0, old = 0; i < g->n; i++) { /* without gaps */
		g->n_rails += !i || p[i].rail != old;
		old = p[i].rail;
		p[i].rail = g->n_rails - 1;
	}
	if (g->n)
		qsort(p, g->n, sizeof(*p), by_place);
	for (uint32_t i = 0; i < g->n; i++) {
		if (!i || p[i].host != p[i - 1].host)
			g->first[g->n_hosts++] = i;
		g->gpu[i] = (struct gpu){p[i].rail, p[i].endport};
	}
	g->first[g->n_hosts] = g->n;
	free(p);
	return g;
}

struct gpus *gpus_in_order(const struct gpus *g, const uint32_t *order)
{
	struct gpus *o = NEW(struct gpus);

	*o = (struct gpus){g->n_hosts, g->n_rails, 0, NEW_ARRAY(g->n_hosts + 1, uint32_t),
			   NEW_ARRAY(g->n + 1, struct gpu)};
	for (uint32_t h = 0; h < g->n_hosts; h++) {
		for (uint32_t k = g->first[order[h]]; k < g->first[order[h] + 1]; k++)
			o->gpu[o->n++] = g->gpu[k];
		o->first[h + 1] = o->n;
	}
	return o;
}

void gpus_free(struct gpus *g)
{
	if (!g)
		return;
	free(g->first);
	free(g->gpu);
	free(g);
}

const struct gpu *gpu_on(const struct gpus *g, uint32_t host, uint32_t rail)
{
	uint32_t low = g->first[host], high = g->first[host + 1];

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (g->gpu[mid].rail < rail)
			low = mid + 1;
		else
			high = mid;
	}
	return low < g->first[host + 1] && g->gpu[low].rail == rail ? &g->gpu[low] : NULL;
}

const struct gpu *gpu_beside(const struct gpus *g, uint32_t host, const struct gpu *x, int by)
{
	uint32_t n = g->first[host + 1] - g->first[host], i = (uint32_t)(x - &g->gpu[g->first[host]]);

	return &g->gpu[g->first[host] + (i + n + (uint32_t)by) % n];
}

uint32_t gpu_sends_by(const struct gpus *g, uint32_t host, const struct gpu *x, const struct gpu *to,
		      bool direct)
{
	const struct gpu *same = direct ? NULL : gpu_on(g, host, to->rail);

	return same ? same->endport : x->endport;
}

const char *gpus_host_name(const struct gpus *g, const struct fabric *f, uint32_t host, char *buf,
			   size_t size)
{
	const char *given = f->node_given[endport_node(f, g->gpu[g->first[host]].endport)];
	size_t len;
	const char *name = box_name(given, &len);

	snprintf(buf, size, "%.*s", (int)len, len ? name : given);
	return buf;
}

/* --- patterns -------------------------------------------------------------------------------------- */

uint32_t tree_parent(uint32_t i, uint32_t n, int tree)
{
	/* the second is the first with its places mirrored, or moved by one if their number is odd */
	uint32_t at = !tree   ? i
		      : n % 2 ? (i + n - 1) % n
			      : n - 1 - i,
		 bit = at & -at, up = (at ^ bit) | (bit << 1);

	if (!at)
		return NO_ID;
	if (up >= n)
		up = at ^ bit;
	return !tree ? up : n % 2 ? (up + 1) % n : n - 1 - up;
}

/* What the flows are added with. */
struct gpus_maker {
	const struct routing *r;
	const struct gpus *g;
	bool direct;
	struct pattern *p;
};

static void ring_on(const struct gpus_maker *m, uint32_t rail, const uint32_t *host, uint32_t n)
{
	for (uint32_t i = 0; n > 1 && i < n; i++) {
		const struct gpu *own = gpu_on(m->g, host[i], rail),
				 *to = gpu_on(m->g, host[(i + 1) % n], rail);
		const struct gpu *last = gpu_beside(m->g, host[i], own, -1);

		pattern_add(m->r, gpu_sends_by(m->g, host[i], last, to, m->direct), to->endport, 1, m->p);
	}
}

static void trees_on(const struct gpus_maker *m, uint32_t rail, const uint32_t *host, uint32_t n)
{
	for (int tree = 0; tree < 2; tree++)
		for (uint32_t i = 0; i < n; i++) {
			uint32_t up = tree_parent(i, n, tree), child, parent;
			const struct gpu *x;

			if (up == NO_ID)
				continue;
			x = gpu_on(m->g, host[up], rail);
			child = gpu_on(m->g, host[i], rail)->endport;
			parent = (m->direct ? gpu_beside(m->g, host[up], x, 1) : x)->endport;
			pattern_add(m->r, child, parent, 1, m->p);
			pattern_add(m->r, parent, child, 1, m->p);
		}
}

/* All that a host sends to another one. */
static void send_all(const struct gpus_maker *m, uint32_t from, uint32_t to)
{
	const struct gpus *g = m->g;

	for (uint32_t k = g->first[to]; k < g->first[to + 1]; k++) {
		const struct gpu *same = m->direct ? NULL : gpu_on(g, from, g->gpu[k].rail);

		if (same)
			pattern_add(m->r, same->endport, g->gpu[k].endport,
				    g->first[from + 1] - g->first[from], m->p);
		for (uint32_t i = g->first[from]; !same && i < g->first[from + 1]; i++)
			pattern_add(m->r, g->gpu[i].endport, g->gpu[k].endport, 1, m->p);
	}
}

int pattern_gpus(const struct routing *r, const struct gpus *g, enum gpu_pattern kind, bool direct,
		 struct pattern *p, struct progress *pr, struct err *e)
{
	struct gpus_maker m = {r, g, direct, p};
	uint32_t *host = NEW_ARRAY(g->n_hosts + 1, uint32_t);
	uint64_t flows = kind == GPUS_ALLTOALL ? (uint64_t)g->n * g->n : 4 * (uint64_t)g->n;
	int rc = flows > UINT32_MAX ? err_set(e, "too many flows to count: %u ports to all others", g->n) : 0;

	p->kind = PATTERN_LIST;
	progress_start(pr, "flows of GPUs", g->n_hosts);
	if (!rc) /* the list doubles as it grows */
		rc = mem_room(e, 2 * flows * sizeof(struct flow), "flows of %u GPUs", g->n);
	for (uint32_t rail = 0; !rc && kind != GPUS_ALLTOALL && rail < g->n_rails; rail++) {
		uint32_t n = 0;

		for (uint32_t h = 0; h < g->n_hosts; h++)
			if (gpu_on(g, h, rail))
				host[n++] = h;
		(kind == GPUS_RING ? ring_on : trees_on)(&m, rail, host, n);
		rc = progress_cancelled(pr) ? err_set(e, CANCELLED) : 0;
	}
	for (uint32_t a = 0; !rc && kind == GPUS_ALLTOALL && a < g->n_hosts; a++) {
		for (uint32_t b = 0; b < g->n_hosts; b++)
			if (a != b)
				send_all(&m, a, b);
		rc = progress_step(pr, a) ? 0 : err_set(e, CANCELLED);
	}
	free(host);
	return rc;
}

void pattern_gpus_step(const struct routing *r, const struct gpus *g, uint32_t k, bool direct,
		       struct pattern *p)
{
	p->kind = PATTERN_LIST;
	for (uint32_t host = 0; host < g->n_hosts; host++)
		for (uint32_t i = g->first[host]; i < g->first[host + 1]; i++) {
			uint32_t to = (uint32_t)(((uint64_t)i + k) % g->n);

			if (to < g->first[host] || to >= g->first[host + 1])
				pattern_add(r, gpu_sends_by(g, host, &g->gpu[i], &g->gpu[to], direct),
					    g->gpu[to].endport, 1, p);
		}
}
