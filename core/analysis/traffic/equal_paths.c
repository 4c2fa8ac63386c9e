#include "core/analysis/traffic/equal_paths.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/order.h"

#include <stdlib.h>
#include <string.h>

struct equal_paths_work {
	const struct elements *el;
	uint16_t *sp;	  /* [n] to the destination */
	uint16_t *around; /* [n] the same without passing the source */
	uint8_t *aside;	  /* [n] 1: a shortest way from there to the destination meets a link sideways */
	uint32_t *queue;
};

/* Distances to d as if element `without` had no links. */
static void distances_around(struct equal_paths_work *w, uint32_t d, uint32_t without)
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

/* Fills aside[]. order[n]: elements that reach the destination, nearest first. */
static void find_sideways(struct equal_paths_work *w, const uint32_t *order, uint32_t n)
{
	const struct elements *el = w->el;

	memset(w->aside, 0, el->n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t e = order[i];

		for (uint32_t l = el->first_link[e]; l < el->first_link[e + 1]; l++) {
			uint32_t to = el->link_to[l];

			w->aside[e] |= w->sp[to] == w->sp[e] || (w->sp[to] < w->sp[e] && w->aside[to]);
		}
	}
}

/* Are all neighbours of e one step nearer to the destination? Then e has shortest ways only. */
static bool all_nearer(const struct equal_paths_work *w, uint32_t e)
{
	for (uint32_t l = w->el->first_link[e]; l < w->el->first_link[e + 1]; l++)
		if (w->sp[w->el->link_to[l]] >= w->sp[e])
			return false;
	return true;
}

/* Counts the way that begins with a link to `to`. on: length of the shortest way from there. */
static void count_way(const struct equal_paths_work *w, uint32_t to, uint16_t on, struct unequal_pair *p)
{
	bool aside = w->sp[to] + 1 == p->least && w->aside[to];
	uint16_t most = (uint16_t)(on + 1 + (aside && on + 1 == p->least));

	if (on == NO_DISTANCE)
		return;
	p->n_least += on + 1 == p->least;
	p->n_longer += most > p->least;
	p->most = MAX(most, p->most);
}

static void equal_paths_look_at(struct equal_paths_work *w, uint32_t e, uint32_t d, struct unequal_paths *u)
{
	struct unequal_pair p = {.from = e, .to = d, .least = w->sp[e], .most = w->sp[e]};
	const uint16_t *on = w->sp;

	if (all_nearer(w, e)) {
		if (!w->aside[e])
			return;
	} else {
		distances_around(w, d, e);
		on = w->around;
	}
	for (uint32_t l = w->el->first_link[e]; l < w->el->first_link[e + 1]; l++)
		count_way(w, w->el->link_to[l], on[w->el->link_to[l]], &p);
	if (!p.n_longer)
		return;
	GROW(u->pair, u->n, u->cap);
	u->pair[u->n++] = p;
}

COMPARATOR(by_pair, struct unequal_pair, UP(from) UP(to))

struct unequal_paths *unequal_paths_new(const struct elements *el, struct progress *p)
{
	struct unequal_paths *u = NEW(struct unequal_paths);
	struct equal_paths_work w = {.el = el,
				     .sp = NEW_ARRAY(el->n + 1, uint16_t),
				     .around = NEW_ARRAY(el->n + 1, uint16_t),
				     .aside = NEW_ARRAY(el->n + 1, uint8_t),
				     .queue = NEW_ARRAY(el->n + 1, uint32_t)};
	bool going = true;

	for (uint32_t e = 0; e < el->n; e++)
		u->n_edges += el->hosts[e] > 0;
	progress_start(p, "ways between edge elements", el->n);
	for (uint32_t d = 0; going && d < el->n; d++) {
		going = progress_step(p, d);
		if (!going || !el->hosts[d])
			continue;
		find_sideways(&w, w.queue, elements_distances(el, d, w.sp, w.queue));
		for (uint32_t e = 0; e < el->n; e++)
			if (el->hosts[e] && e != d && w.sp[e] != NO_DISTANCE) {
				u->pairs++;
				equal_paths_look_at(&w, e, d, u);
			}
	}
	free(w.sp);
	free(w.around);
	free(w.aside);
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
