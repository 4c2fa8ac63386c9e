/* One shift in full: which pairs are on which link. */
#include "core/analysis/traffic/shift.h"
#include "core/analysis/traffic/internal.h"
#include "core/base/memory.h"
#include "core/base/order.h"

#include <stdlib.h>

/* Ways of all pairs, one after the other. */
struct shift_links_ways {
	const struct routing *r;
	const struct fabric *f;
	uint32_t *way;	       /* of a pair, as shift_way() has it */
	uint32_t *port, *pair; /* [n] one link of a pair's way */
	size_t n, cap;
	uint32_t *count; /* [n_ports] flows */
};

static void add_port(struct shift_links_ways *w, uint32_t port, uint32_t pair)
{
	if (w->n == w->cap) {
		w->cap = w->cap ? 2 * w->cap : 64;
		w->port = mem_resize(w->port, w->cap, sizeof(*w->port));
		w->pair = mem_resize(w->pair, w->cap, sizeof(*w->pair));
	}
	w->port[w->n] = port;
	w->pair[w->n++] = pair;
}

static bool shift_links_add_way(struct shift_links_ways *w, const struct shift_pair *p, uint32_t pair)
{
	uint32_t n = shift_way(w->r, p->src, p->dst, w->way);

	for (uint32_t i = 0; i < n; i++)
		add_port(w, w->way[i], pair);
	return n != 0;
}

COMPARATOR(by_flows, struct shift_link, DOWN(flows) UP(port))

/* Pairs by link: counted, placed, filled. */
static void shift_links_gather(struct shift_links_ways *w, struct shift_links *s)
{
	uint32_t first = 0;

	s->link = NEW_ARRAY(w->f->n_ports + 1, struct shift_link);
	s->pair_of = NEW_ARRAY(w->n + 1, uint32_t);
	for (size_t i = 0; i < w->n; i++)
		w->count[w->port[i]]++;
	for (uint32_t p = 0; p < w->f->n_ports; p++) {
		uint32_t flows = w->count[p];

		w->count[p] = first; /* place of the next pair */
		if (flows)
			s->link[s->n++] = (struct shift_link){p, flows, first};
		first += flows;
	}
	for (size_t i = 0; i < w->n; i++)
		s->pair_of[w->count[w->port[i]]++] = w->pair[i];
	qsort(s->link, s->n, sizeof(*s->link), by_flows);
	s->load.port = s->n ? s->link[0].port : NO_ID;
	s->load.max = s->n ? s->link[0].flows : 0;
}

static int follow_pairs(struct shift_links_ways *w, struct shift_links *s, const struct shift_order *order,
			struct progress *p, struct err *e)
{
	uint32_t n = s->n_places, k = s->load.shift;

	for (uint32_t i = 0; i < n; i++) {
		struct shift_pair pair;

		if (progress_cancelled(p))
			return err_set(e, CANCELLED);
		if (!shift_flow(order, i, i + k < n ? i + k : i + k - n, &pair.src, &pair.dst))
			continue;
		s->pair[s->load.flows] = pair;
		if (shift_links_add_way(w, &pair, s->load.flows))
			s->load.flows++;
		else
			s->load.lost++;
	}
	shift_links_gather(w, s);
	return 0;
}

struct shift_links *shift_links_new(const struct routing *r, const struct shift_order *o, uint32_t k,
				    struct progress *p, struct err *e)
{
	struct shift_links *s;
	struct shift_links_ways w = {.r = r, .f = r->topo->fabric};
	uint32_t n = o->n;
	int rc;

	if (mem_room(e, (size_t)n * 16 * sizeof(uint32_t) + (size_t)w.f->n_ports * 16, "the ways of %u pairs",
		     n))
		return NULL;
	s = NEW(struct shift_links);
	s->n_places = n;
	s->by = o->by;
	s->load.shift = k;
	s->pair = NEW_ARRAY((size_t)n + 1, struct shift_pair);
	w.way = NEW_ARRAY((size_t)w.f->n_switches + 2, uint32_t);
	w.count = NEW_ARRAY((size_t)w.f->n_ports + 1, uint32_t);
	rc = follow_pairs(&w, s, o, p, e);
	free(w.way);
	free(w.port);
	free(w.pair);
	free(w.count);
	if (!rc)
		return s;
	shift_links_free(s);
	return NULL;
}

void shift_links_free(struct shift_links *s)
{
	if (!s)
		return;
	free(s->link);
	free(s->pair);
	free(s->pair_of);
	free(s);
}
