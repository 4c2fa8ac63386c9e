/* Hosts that are not on the switch where they belong: Slurm's topology against the fabric. */
#include "core/analysis/compare/plan.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/fabric/host_set.h"

#include <stdlib.h>
#include <string.h>

/* A host of a group (Slurm's switch or block) has a cable to a switch. */
struct plan_leaves_hang {
	uint32_t group, sw, row;
};

struct plan_leaves {
	const struct fabric *f;
	const struct cabling *plan;
	struct plan_names *names;
	struct plan_report *r;
	uint32_t *group;       /* [rows] number of the group: its first row; NO_ID: the host was not found */
	uint32_t *port;	       /* [rows] first cabled port of the host, else its first port */
	uint32_t *main_switch; /* [rows, by group] the switch that the group means, NO_ID: none */
	uint32_t *owner;       /* [n_switches] the group with most hosts there, or NO_ID */
	struct plan_leaves_hang *hang;
	size_t n, cap;
};

COMPARATOR(by_group, struct plan_leaves_hang, UP(group) UP(sw) UP(row))

static void plan_leaves_find_host(struct plan_leaves *l, uint32_t row)
{
	const struct fabric *f = l->f;
	const struct planned_cable *want = l->plan->row;
	bool same = row && want[row].line == want[row - 1].line, whole;
	struct plan_end end;
	char *why = plan_find(l->names, &want[row].end[0], &end, &whole);

	l->group[row] = same ? l->group[row - 1] : row;
	l->main_switch[row] = NO_ID;
	if (why) {
		plan_tell_unknown(l->r, row, &want[row].end[0], whole, why);
		plan_tell(l->r, PLAN_NOT_FOUND, row)->why = why;
		l->r->left++;
		l->port[row] = NO_ID;
		return;
	}
	l->r->cables++;
	l->port[row] = f->node_port[plan_nodes(l->names, &end)[0]] + 1;
	for (uint32_t i = 0; i < end.n; i++) {
		uint32_t node = plan_nodes(l->names, &end)[i];

		for (unsigned p = 1; p <= f->node_nports[node]; p++) {
			uint32_t port = f->node_port[node] + p, to = f->port_peer[port];

			if (to == NO_ID || f->node_switch[f->port_node[to]] == NO_ID)
				continue;
			if (f->port_peer[l->port[row]] == NO_ID)
				l->port[row] = port;
			GROW(l->hang, l->n, l->cap);
			l->hang[l->n++] = (struct plan_leaves_hang){l->group[row],
								    f->node_switch[f->port_node[to]], row};
		}
	}
}

/* The switch that has the group's name, or NO_ID: Slurm may use other names. */
static uint32_t named_switch(const struct plan_leaves *l, uint32_t group)
{
	struct plan_end end;
	bool whole;

	free(plan_find(l->names, &l->plan->row[group].end[1], &end, &whole));
	return end.n == 1 ? l->f->node_switch[plan_nodes(l->names, &end)[0]] : NO_ID;
}

/* Returns where the run of hang[i] ends: hosts of one group on one switch. */
static size_t plan_leaves_run_end(const struct plan_leaves *l, size_t i)
{
	size_t end = i + 1;

	while (end < l->n && l->hang[end].group == l->hang[i].group && l->hang[end].sw == l->hang[i].sw)
		end++;
	return end;
}

/* Finds each switch's group with most hosts, and each group's switch: of its name, or with most hosts. */
static void plan_leaves_find_owners(struct plan_leaves *l)
{
	uint32_t *most = NEW_ARRAY(l->f->n_switches + l->plan->n + 1, uint32_t),
		 *best = most + l->f->n_switches;

	for (size_t i = 0, end; i < l->n; i = end) {
		const struct plan_leaves_hang *h = &l->hang[i];

		end = plan_leaves_run_end(l, i);
		if (end - i > most[h->sw]) {
			most[h->sw] = (uint32_t)(end - i);
			l->owner[h->sw] = h->group;
		}
	}
	for (size_t i = 0, end; i < l->n; i = end) {
		const struct plan_leaves_hang *h = &l->hang[i];
		uint32_t rank;

		end = plan_leaves_run_end(l, i);
		rank = 2 * (uint32_t)(end - i) + (l->owner[h->sw] == h->group);
		if (rank > best[h->group]) {
			best[h->group] = rank;
			l->main_switch[h->group] = h->sw;
		}
	}
	free(most);
	for (uint32_t g = 0; l->plan->kind == CABLING_LEAVES && g < l->plan->n; g++)
		if (l->group[g] == g && named_switch(l, g) != NO_ID)
			l->main_switch[g] = named_switch(l, g);
}

/* Slurm's plans tell where hosts hang: nothing of cables between switches. */
static void count_outside(struct plan_leaves *l)
{
	const struct fabric *f = l->f;

	for (uint32_t i = 0; i < f->n_links; i++) {
		uint32_t a = f->port_node[f->link_port[2 * i]], z = f->port_node[f->link_port[2 * i + 1]];

		if (node_is_switch(f, a) && node_is_switch(f, z))
			l->r->outside.between++;
		else if ((node_is_switch(f, a) || !plan_device(l->names, a)) &&
			 (node_is_switch(f, z) || !plan_device(l->names, z)))
			l->r->outside.unnamed++;
	}
}

static void tell_leaves(struct plan_leaves *l, struct progress *p)
{
	bool *there = NEW_ARRAY(l->plan->n + 1, bool);
	struct plan_place *place = NEW_ARRAY(l->plan->n + 1, struct plan_place);
	size_t n_places = 0;

	for (size_t i = 0; i < l->n; i++) { /* which hosts are where they should be? */
		const struct plan_leaves_hang *h = &l->hang[i];

		there[h->row] |= l->plan->kind == CABLING_BLOCKS ? l->owner[h->sw] == h->group
								 : l->main_switch[h->group] == h->sw;
	}
	for (uint32_t row = 0; row < l->plan->n; row++) {
		uint32_t sw = l->main_switch[l->group[row]];
		struct plan_difference *d;

		l->r->there += there[row];
		if (there[row] || l->port[row] == NO_ID)
			continue;
		d = plan_tell(l->r, PLAN_LEAF, row);
		d->at = l->port[row];
		d->found = l->f->port_peer[d->at];
		d->planned = l->plan->kind == CABLING_LEAVES && sw != NO_ID ? l->f->switch_port[sw] : NO_ID;
		l->r->left += sw == NO_ID;
		if (sw != NO_ID)
			place[n_places++] = (struct plan_place){d->at, sw, NO_ID};
	}
	plan_wish_places(l->f, place, n_places, l->r, p);
	free(place);
	free(there);
	for (uint32_t n = 0; n < l->f->n_nodes; n++)
		l->r->unplanned += l->f->node_type[n] == NODE_CA && !node_is_aggregation(l->f, n) &&
				   !plan_device(l->names, n);
	count_outside(l);
}

int plan_leaves(const struct fabric *f, const struct cabling *plan, struct plan_names *x,
		struct plan_report *r, struct progress *p)
{
	uint32_t *ids = NEW_ARRAY(3 * plan->n + f->n_switches + 1, uint32_t);
	struct plan_leaves l = {.f = f,
				.plan = plan,
				.names = x,
				.r = r,
				.group = ids,
				.port = ids + plan->n,
				.main_switch = ids + 2 * plan->n,
				.owner = ids + 3 * plan->n};
	bool go_on = true;

	memset(l.owner, 0xff, f->n_switches * sizeof(*l.owner));
	for (uint32_t row = 0; row < plan->n && (go_on = progress_step(p, row)); row++)
		plan_leaves_find_host(&l, row);
	if (go_on) {
		if (l.n)
			qsort(l.hang, l.n, sizeof(*l.hang), by_group);
		plan_leaves_find_owners(&l);
		tell_leaves(&l, p);
	}
	free(l.hang);
	free(ids);
	return go_on ? 0 : -1;
}
