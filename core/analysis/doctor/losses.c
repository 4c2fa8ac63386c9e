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
	uint32_t *last;	     /* [n_switches] the last place in the subtree */
	uint8_t *is_part;    /* [n_switches] its subtree is a part without the switch above */
	uint32_t *n_largest; /* [n_switches] parts that are as large as the largest */
	uint32_t *at;	     /* [n_switches + 1] the switch of a place */
	int64_t *marks; /* [n_switches + 2] by place: parts that begin here, less those that ended before */
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
	w->at[w->n] = s;
	w->parent[s] = parent;
	w->below[s] = w->hosts[s];
	w->sm_below[s] = w->sm == s;
	w->port[s] = 1;
}

/* All below s is seen: is it a part of its own without the switch above? */
static void leave(struct walk *w, uint32_t s)
{
	uint32_t up = w->parent[s];

	w->last[s] = w->n;
	if (up == NO_ID)
		return;
	w->low[up] = min(w->low[up], w->low[s]);
	w->below[up] += w->below[s];
	w->sm_below[up] |= w->sm_below[s];
	if (w->low[s] < w->place[up])
		return;
	w->is_part[s] = 1;
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

/* Hosts of the part where the walk began, which the loss of a switch leaves. */
static uint64_t rest_of(const struct walk *w, uint32_t s)
{
	return w->total - w->cut[s] - w->hosts[s];
}

static void mark(struct walk *w, uint32_t first, uint32_t last)
{
	w->marks[first]++;
	w->marks[last + 1]--;
}

/* Does the loss of a switch leave a part with so many hosts that is larger than all others? */
static bool is_the_rest(const struct walk *w, uint32_t s, uint64_t hosts)
{
	return hosts == w->largest[s] && w->n_largest[s] == 1;
}

/* Each switch has its place and the sums of its parts; now the part where the walk began counts too. */
static void judge_losses(struct walk *w, struct losses *p)
{
	uint32_t n = w->t->fabric->n_switches;

	for (uint32_t s = 0; s < n; s++) {
		uint64_t rest = rest_of(w, s), sm = w->sm_part[s] ? w->sm_part[s] - 1 : rest;

		if (!w->place[s])
			continue;
		w->largest[s] = rest > w->largest[s] ? rest : w->largest[s];
		w->n_largest[s] = rest == w->largest[s];
		p->apart[s] = w->cut[s] + rest > w->largest[s];
		p->sm_smaller[s] = w->sm != NO_ID && w->sm != s && sm < w->largest[s];
	}
	for (uint32_t s = 0; s < n; s++)
		if (w->is_part[s])
			w->n_largest[w->parent[s]] += w->below[s] == w->largest[w->parent[s]];
}

/* Hosts of all parts that are not the rest, each once. */
static uint64_t count_behind(struct walk *w)
{
	uint32_t n = w->t->fabric->n_switches;
	int64_t parts = 0;
	uint64_t hosts = 0;

	for (uint32_t s = 0; s < n; s++) {
		uint32_t up = w->parent[s];

		if (!w->place[s])
			continue;
		if (!is_the_rest(w, s, rest_of(w, s))) {
			mark(w, 1, w->place[s] - 1);
			mark(w, w->last[s] + 1, w->n);
		}
		if (up != NO_ID && !is_the_rest(w, up, w->is_part[s] ? w->below[s] : rest_of(w, up)))
			mark(w, w->place[s], w->last[s]);
	}
	for (uint32_t at = 1; at <= w->n; at++) {
		parts += w->marks[at];
		hosts += parts ? w->hosts[w->at[at]] : 0;
	}
	return hosts;
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
		.last = NEW_ARRAY(n, uint32_t),
		.is_part = NEW_ARRAY(n, uint8_t),
		.n_largest = NEW_ARRAY(n, uint32_t),
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
		walk_from(&w, root);
	judge_losses(&w, p);
	p->behind = count_behind(&w);
	free(w.place);
	free(w.low);
	free(w.parent);
	free(w.port);
	free(w.below);
	free(w.sm_below);
	free(w.cut);
	free(w.largest);
	free(w.sm_part);
	free(w.last);
	free(w.is_part);
	free(w.n_largest);
	free(w.at);
	free(w.marks);
	return progress_cancelled(progress) ? -1 : 0;
}

void losses_free(struct losses *p)
{
	free(p->apart);
	free(p->sm_smaller);
}
