/*
 * Switches whose loss takes the fabric apart: articulation points of the graph of switches (J. Hopcroft,
 * R. Tarjan, Efficient Algorithms for Graph Manipulation, Communications of the ACM 16(6), 1973), with the
 * hosts that each part has.
 */
#include <stdlib.h>

#include "core/analysis/doctor/internal.h"
#include "core/base/defs.h"
#include "core/base/memory.h"

/* A switch in the walk. */
struct visit {
	uint32_t place, low, parent; /* order of the first visit, from 1; 0 = not yet */
	uint16_t port;		     /* port to look at next */
	uint64_t below;		     /* hosts in the subtree */
	uint8_t sm_below;	     /* the subnet manager is there */
	/* Hosts of the parts that the loss of the switch makes, except the part with the root. */
	uint64_t cut, largest, sm_part;
	uint32_t last;	    /* the last place in the subtree */
	uint8_t is_part;    /* its subtree is a part without the switch above */
	uint32_t n_largest; /* parts that are as large as the largest */
};

struct doctor_losses_walk {
	const struct topo *t;
	const uint32_t *hosts;
	uint32_t sm;	 /* switch where the subnet manager is */
	struct visit *v; /* [n_switches] */
	uint32_t *at;	 /* [n_switches + 1] the switch of a place */
	int64_t *marks;	 /* [n_switches + 2] by place: parts that begin here, less those that ended before */
	uint64_t total;
	uint32_t n;
};

static uint32_t min(uint32_t a, uint32_t b)
{
	return MIN(a, b);
}

static void doctor_losses_enter(struct doctor_losses_walk *w, uint32_t s, uint32_t parent)
{
	w->v[s].place = w->v[s].low = ++w->n;
	w->at[w->n] = s;
	w->v[s].parent = parent;
	w->v[s].below = w->hosts[s];
	w->v[s].sm_below = w->sm == s;
	w->v[s].port = 1;
}

/* The subtree of s is done: is it a part of its own without the switch above? */
static void doctor_losses_leave(struct doctor_losses_walk *w, uint32_t s)
{
	uint32_t up = w->v[s].parent;

	w->v[s].last = w->n;
	if (up == NO_ID)
		return;
	w->v[up].low = min(w->v[up].low, w->v[s].low);
	w->v[up].below += w->v[s].below;
	w->v[up].sm_below |= w->v[s].sm_below;
	if (w->v[s].low < w->v[up].place)
		return;
	w->v[s].is_part = 1;
	w->v[up].cut += w->v[s].below;
	if (w->v[s].below > w->v[up].largest)
		w->v[up].largest = w->v[s].below;
	if (w->v[s].sm_below)
		w->v[up].sm_part = w->v[s].below + 1;
}

static void doctor_losses_walk_from(struct doctor_losses_walk *w, uint32_t root)
{
	const struct fabric *f = w->t->fabric;
	uint32_t s = root;

	doctor_losses_enter(w, root, NO_ID);
	while (s != NO_ID) {
		uint32_t d = NO_ID;

		while (w->v[s].port <= f->switch_nports[s] && d == NO_ID) {
			d = w->t->peer_switch[switch_port_id(f, s, w->v[s].port++)];
			if (d != NO_ID && w->v[d].place) {
				if (d != w->v[s].parent)
					w->v[s].low = min(w->v[s].low, w->v[d].place);
				d = NO_ID;
			}
		}
		if (d != NO_ID) {
			doctor_losses_enter(w, d, s);
			s = d;
		} else {
			doctor_losses_leave(w, s);
			s = w->v[s].parent;
		}
	}
}

/* Hosts of the part with the root after the loss of a switch. */
static uint64_t rest_of(const struct doctor_losses_walk *w, uint32_t s)
{
	return w->total - w->v[s].cut - w->hosts[s];
}

static void doctor_losses_mark(struct doctor_losses_walk *w, uint32_t first, uint32_t last)
{
	w->marks[first]++;
	w->marks[last + 1]--;
}

/* Is a part with so many hosts the single largest one after the loss of a switch? */
static bool is_the_rest(const struct doctor_losses_walk *w, uint32_t s, uint64_t hosts)
{
	return hosts == w->v[s].largest && w->v[s].n_largest == 1;
}

/* Judges the losses, now also with the part where the root is. */
static void judge_losses(struct doctor_losses_walk *w, struct losses *p)
{
	uint32_t n = w->t->fabric->n_switches;

	for (uint32_t s = 0; s < n; s++) {
		uint64_t rest = rest_of(w, s), sm = w->v[s].sm_part ? w->v[s].sm_part - 1 : rest;

		if (!w->v[s].place)
			continue;
		w->v[s].largest = MAX(rest, w->v[s].largest);
		w->v[s].n_largest = rest == w->v[s].largest;
		p->apart[s] = w->v[s].cut + rest > w->v[s].largest;
		p->sm_smaller[s] = w->sm != NO_ID && w->sm != s && sm < w->v[s].largest;
	}
	for (uint32_t s = 0; s < n; s++)
		if (w->v[s].is_part)
			w->v[w->v[s].parent].n_largest += w->v[s].below == w->v[w->v[s].parent].largest;
}

/* Hosts of all parts but the largest, each counted once. */
static uint64_t doctor_losses_count_behind(struct doctor_losses_walk *w)
{
	uint32_t n = w->t->fabric->n_switches;
	int64_t parts = 0;
	uint64_t hosts = 0;

	for (uint32_t s = 0; s < n; s++) {
		uint32_t up = w->v[s].parent;

		if (!w->v[s].place)
			continue;
		if (!is_the_rest(w, s, rest_of(w, s))) {
			doctor_losses_mark(w, 1, w->v[s].place - 1);
			doctor_losses_mark(w, w->v[s].last + 1, w->n);
		}
		if (up != NO_ID && !is_the_rest(w, up, w->v[s].is_part ? w->v[s].below : rest_of(w, up)))
			doctor_losses_mark(w, w->v[s].place, w->v[s].last);
	}
	for (uint32_t at = 1; at <= w->n; at++) {
		parts += w->marks[at];
		hosts += parts ? w->hosts[w->at[at]] : 0;
	}
	return hosts;
}

int losses_find(struct losses *p, const struct topo *t, const uint32_t *hosts, struct progress *progress)
{
	uint32_t n = t->fabric->n_switches, root = NO_ID;
	struct doctor_losses_walk w = {
		.t = t,
		.hosts = hosts,
		.sm = t->sm_endport == NO_ID ? NO_ID : t->endport_switch[t->sm_endport],
		.v = NEW_ARRAY(n, struct visit),
		.at = NEW_ARRAY(n + 1, uint32_t),
		.marks = NEW_ARRAY(n + 2, int64_t),
	};

	p->apart = NEW_ARRAY(n, uint8_t);
	p->sm_smaller = NEW_ARRAY(n, uint8_t);
	for (uint32_t s = 0; s < n; s++) {
		w.total += hosts[s];
		if (root == NO_ID && switch_up(t, s))
			root = s;
	}
	if (root != NO_ID)
		doctor_losses_walk_from(&w, root);
	judge_losses(&w, p);
	p->behind = doctor_losses_count_behind(&w);
	free(w.v);
	free(w.at);
	free(w.marks);
	return progress_cancelled(progress) ? -1 : 0;
}

void losses_free(struct losses *p)
{
	free(p->apart);
	free(p->sm_smaller);
}
