/*
 * Switches whose loss takes the fabric apart: articulation points of the graph of switches (J. Hopcroft,
 * R. Tarjan, Efficient Algorithms for Graph Manipulation, Communications of the ACM 16(6), 1973), with the
 * hosts that each part has.
 */
#include <stdlib.h>

#include "core/analysis/doctor/internal.h"
#include "core/base/memory.h"

struct walk {
	const struct topo *t;
	const uint32_t *hosts;
	uint32_t sm;			/* switch where the subnet manager is */
	uint32_t *place, *low, *parent; /* [n_switches] order of the first visit, from 1; 0 = not yet */
	uint16_t *port;			/* [n_switches] looked at next */
	uint64_t *below;		/* [n_switches] hosts in the subtree */
	uint8_t *sm_below;		/* [n_switches] the subnet manager is there */
	/* Of the parts that the loss of a switch makes, but for the last one, which holds the walk's root. */
	uint64_t *cut, *largest, *sm_part;
	uint64_t total;
	uint32_t n;
};

static uint32_t min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void enter(struct walk *w, uint32_t s, uint32_t parent)
{
	w->place[s] = w->low[s] = ++w->n;
	w->parent[s] = parent;
	w->below[s] = w->hosts[s];
	w->sm_below[s] = w->sm == s;
	w->port[s] = 1;
}

/* All below s is seen: is it a part of its own without the switch above? */
static void leave(struct walk *w, uint32_t s)
{
	uint32_t up = w->parent[s];

	if (up == NO_ID)
		return;
	w->low[up] = min(w->low[up], w->low[s]);
	w->below[up] += w->below[s];
	w->sm_below[up] |= w->sm_below[s];
	if (w->low[s] < w->place[up])
		return;
	w->cut[up] += w->below[s];
	if (w->below[s] > w->largest[up])
		w->largest[up] = w->below[s];
	if (w->sm_below[s])
		w->sm_part[up] = w->below[s] + 1;
}

static void walk_from(struct walk *w, uint32_t root)
{
	const struct fabric *f = w->t->fabric;
	uint32_t s = root;

	enter(w, root, NO_ID);
	while (s != NO_ID) {
		uint32_t d = NO_ID;

		while (w->port[s] <= f->switch_nports[s] && d == NO_ID) {
			d = w->t->peer_switch[switch_port_id(f, s, w->port[s]++)];
			if (d != NO_ID && w->place[d]) {
				if (d != w->parent[s])
					w->low[s] = min(w->low[s], w->place[d]);
				d = NO_ID;
			}
		}
		if (d != NO_ID) {
			enter(w, d, s);
			s = d;
		} else {
			leave(w, s);
			s = w->parent[s];
		}
	}
}

/* The parts that remain after the loss of a switch, and the rest, where the walk began. */
static void judge_loss(const struct walk *w, struct losses *p, uint32_t s, bool is_root)
{
	uint64_t rest = is_root ? 0 : w->total - w->cut[s] - w->hosts[s];
	uint64_t largest = rest > w->largest[s] ? rest : w->largest[s];
	uint64_t sm = w->sm_part[s] ? w->sm_part[s] - 1 : rest;

	p->apart[s] = w->cut[s] + rest - largest;
	p->sm_smaller[s] = w->sm != NO_ID && w->sm != s && sm < largest;
}

static uint32_t sm_switch(const struct topo *t)
{
	return t->sm_endport == NO_ID ? NO_ID : t->endport_switch[t->sm_endport];
}

int losses_find(struct losses *p, const struct topo *t, const uint32_t *hosts, struct progress *progress)
{
	uint32_t n = t->fabric->n_switches, root = NO_ID;
	struct walk w = {
		.t = t,
		.hosts = hosts,
		.sm = sm_switch(t),
		.place = NEW_ARRAY(n, uint32_t),
		.low = NEW_ARRAY(n, uint32_t),
		.parent = NEW_ARRAY(n, uint32_t),
		.port = NEW_ARRAY(n, uint16_t),
		.below = NEW_ARRAY(n, uint64_t),
		.sm_below = NEW_ARRAY(n, uint8_t),
		.cut = NEW_ARRAY(n, uint64_t),
		.largest = NEW_ARRAY(n, uint64_t),
		.sm_part = NEW_ARRAY(n, uint64_t),
	};

	p->apart = NEW_ARRAY(n, uint64_t);
	p->sm_smaller = NEW_ARRAY(n, uint8_t);
	for (uint32_t s = 0; s < n; s++) {
		w.total += hosts[s];
		if (root == NO_ID && switch_up(t, s))
			root = s;
	}
	if (root != NO_ID)
		walk_from(&w, root);
	for (uint32_t s = 0; s < n; s++)
		if (w.place[s])
			judge_loss(&w, p, s, s == root);
	free(w.place);
	free(w.low);
	free(w.parent);
	free(w.port);
	free(w.below);
	free(w.sm_below);
	free(w.cut);
	free(w.largest);
	free(w.sm_part);
	return progress_cancelled(progress) ? -1 : 0;
}

void losses_free(struct losses *p)
{
	free(p->apart);
	free(p->sm_smaller);
}
