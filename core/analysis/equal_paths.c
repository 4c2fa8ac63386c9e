#include "core/analysis/equal_paths.h"

#include <stdlib.h>
#include <string.h>

struct work {
	const struct elements *el;
	uint16_t *sp;	  /* [n] to the destination */
	uint16_t *around; /* [n] the same without passing the source */
	uint32_t *queue;
};

/* Distances to d as if element `without` had no links. */
static void distances_around(struct work *w, uint32_t d, uint32_t without)
{
	const struct elements *el = w->el;
	uint32_t n = 1;

	memset(w->around, 0xff, el->n * sizeof(*w->around));
	w->around[d] = 0;
	w->queue[0] = d;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t l = el->first_link[w->queue[i]]; l < el->first_link[w->queue[i] + 1]; l++) {
			uint32_t to = el->link_to[l];

			if (to == without || w->around[to] != NO_DISTANCE)
				continue;
			w->around[to] = (uint16_t)(w->around[w->queue[i]] + 1);
			w->queue[n++] = to;
		}
}

/* Are all neighbours of e one step nearer to the destination?  Then there is nothing to look for. */
static bool all_nearer(const struct work *w, uint32_t e)
{
	for (uint32_t l = w->el->first_link[e]; l < w->el->first_link[e + 1]; l++)
		if (w->sp[w->el->link_to[l]] >= w->sp[e])
			return false;
	return true;
}

static void look_at(struct work *w, uint32_t e, uint32_t d, struct unequal_paths *u)
{
	struct unequal_pair p = {.from = e, .to = d, .least = w->sp[e], .most = w->sp[e]};

	if (all_nearer(w, e))
		return;
	distances_around(w, d, e);
	for (uint32_t l = w->el->first_link[e]; l < w->el->first_link[e + 1]; l++) {
		uint16_t on = w->around[w->el->link_to[l]];

		if (on == NO_DISTANCE)
			continue;
		p.n_least += on + 1 == p.least;
		p.n_longer += on + 1 > p.least;
		p.most = on + 1 > p.most ? (uint16_t)(on + 1) : p.most;
	}
	if (!p.n_longer)
		return;
	GROW(u->pair, u->n, u->cap);
	u->pair[u->n++] = p;
}

static int by_pair(const void *x, const void *y)
{
	const struct unequal_pair *a = x, *b = y;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

struct unequal_paths *unequal_paths_new(const struct elements *el, struct progress *p)
{
	struct unequal_paths *u = NEW(struct unequal_paths);
	struct work w = {.el = el,
			 .sp = NEW_ARRAY(el->n + 1, uint16_t),
			 .around = NEW_ARRAY(el->n + 1, uint16_t),
			 .queue = NEW_ARRAY(el->n + 1, uint32_t)};
	bool going = true;

	for (uint32_t e = 0; e < el->n; e++)
		u->n_edges += el->hosts[e] > 0;
	progress_start(p, "ways between edge elements", el->n);
	for (uint32_t d = 0; going && d < el->n; d++) {
		going = progress_step(p, d);
		if (!going || !el->hosts[d])
			continue;
		elements_distances(el, d, w.sp, w.queue);
		for (uint32_t e = 0; e < el->n; e++)
			if (el->hosts[e] && e != d && w.sp[e] != NO_DISTANCE) {
				u->pairs++;
				look_at(&w, e, d, u);
			}
	}
	free(w.sp);
	free(w.around);
	free(w.queue);
	if (u->n)
		qsort(u->pair, u->n, sizeof(*u->pair), by_pair);
	if (going)
		return u;
	unequal_paths_free(u);
	return NULL;
}

void unequal_paths_free(struct unequal_paths *u)
{
	if (!u)
		return;
	free(u->pair);
	free(u);
}
