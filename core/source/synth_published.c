/*
 * Shapes of well-known machines, as far as they are published. The single cables are ours: hosts from port 1
 * up, then the links in order.
 */
#include <string.h>
#include "core/base/defs.h"
#include "core/source/synth_plan.h"

/* Hosts on every switch of a grid. */
static const struct grid_machine {
	const char *name;
	struct synth_grid g;
	unsigned hosts;
	enum link_speed speed;
} grids[] = {
	/* the second plane of TSUBAME2 as a 12 x 8 HyperX, 672 hosts (Domke et al., SC'19) */
	{"t2hx", {GRID_HYPERX, "x", 2, {12, 8}, {1, 1}}, 7, SPEED_QDR},
	/* SDSC Gordon: one rail, three cables to each neighbour, 16 compute and 1 I/O node */
	{"gordon", {GRID_TORUS, "t", 3, {4, 4, 4}, {3, 3, 3}}, 17, SPEED_QDR},
	/* Sandia Red Sky: three cables to each neighbour */
	{"redsky", {GRID_TORUS, "t", 3, {6, 6, 8}, {3, 3, 3}}, 12, SPEED_QDR},
	/* IT4I Salomon: enhanced 7D hypercube; cables: 3 to the sister chip, else 4; 9 places */
	{"salomon", {GRID_MESH, "c", 7, {2, 2, 2, 2, 2, 2, 2}, {4, 4, 4, 4, 4, 4, 3}}, 9, SPEED_FDR},
};

/* Leaves below directors: `up` cables a leaf, to the directors in turn, there to the line chips in turn. */
static const struct directors {
	const char *name;
	unsigned leaves, hosts, up, directors;
	struct synth_chassis c;
	enum link_speed speed;
} directors[] = {
	/* one rail of TSUBAME2: directors of 324 ports */
	{"tsubame2", 88, 16, 18, 12, {"dir", 18, 9, 2, 18}, SPEED_QDR},
	/* 18 ports of hosts a leaf, one uplink to each director of 648 ports; non-blocking */
	{"summit", 512, 18, 18, 18, {"dir", 36, 18, 1, 18}, SPEED_EDR},
	/* as Summit with fewer leaves and half the uplinks */
	{"sierra", 480, 18, 9, 9, {"dir", 36, 18, 1, 18}, SPEED_EDR},
};

static int make_directors(struct plan *p, const struct directors *d)
{
	uint32_t chips = d->c.lines + d->c.spines, first = p->n, leaf, into[32] = {0};
	uint64_t switches = d->leaves + d->directors * chips;

	if (plan_expect(p, switches, switches + d->leaves * d->hosts, 36))
		return -1;
	p->o.speed = d->speed;
	for (unsigned i = 0; i < d->directors; i++)
		plan_chassis(p, &d->c, i + 1);
	leaf = p->n;
	for (unsigned i = 0; i < d->leaves; i++)
		plan_switch(p, "leaf-%03u", i + 1);
	for (unsigned i = 0; i < d->leaves; i++)
		plan_hosts(p, leaf + i, d->hosts);
	for (unsigned i = 0; i < d->leaves * d->up && !p->failed; i++) {
		unsigned to = i % d->directors, nth = into[to]++;

		plan_cable(p, leaf + i / d->up, 0, first + to * chips + nth % d->c.lines,
			   nth / d->c.lines + 1);
	}
	return p->failed ? -1 : 0;
}

/* Odin: 128 nodes on a switch of 144 ports. */
static int make_odin(struct plan *p)
{
	const struct synth_chassis c = {"dir", 12, 6, 2, 12};
	uint32_t first;

	if (plan_expect(p, 18, 18 + 128, 24))
		return -1;
	p->o.speed = SPEED_SDR;
	first = plan_chassis(p, &c, 1);
	for (unsigned i = 0; i < 128; i++)
		plan_cable(p, first + i % c.lines, i / c.lines + 1, plan_ca(p), 0);
	return p->failed ? -1 : 0;
}

#define DEIMOS_LINES 24

/*
 * Deimos (TU Dresden): 724 nodes on three switches of 288 ports in a chain, 30 cables between neighbours, to
 * the line chips in turn.
 */
static int make_deimos(struct plan *p)
{
	static const unsigned hosts[3] = {248, 228, 248};
	const struct synth_chassis c = {"dir", DEIMOS_LINES, 12, 1, 12};
	unsigned used[3][DEIMOS_LINES] = {{0}};
	uint32_t first[3];

	if (plan_expect(p, 108, 108 + 724, 24))
		return -1;
	p->o.speed = SPEED_SDR;
	for (unsigned d = 0; d < 3; d++)
		first[d] = plan_chassis(p, &c, d + 1);
	/* chain cables take the highest of the 12 outer ports of a line chip */
	for (unsigned k = 0; k < 60 && !p->failed; k++) {
		/* the middle switch continues where the first 30 cables ended: 60 cables on 24 chips */
		unsigned d = k / 30, a = (d ? k : k % 30) % DEIMOS_LINES, b = (d ? k % 30 : k) % DEIMOS_LINES;

		plan_cable(p, first[d] + a, 12 - used[d][a]++, first[d + 1] + b, 12 - used[d + 1][b]++);
	}
	for (unsigned d = 0; d < 3; d++) {
		unsigned next[DEIMOS_LINES] = {0};

		for (unsigned k = 0, i = 0; k < hosts[d] && !p->failed; i++) {
			unsigned line = i % DEIMOS_LINES;

			if (next[line] + used[d][line] >= 12)
				continue;
			plan_cable(p, first[d] + line, ++next[line], plan_ca(p), 0);
			k++;
		}
	}
	return p->failed ? -1 : 0;
}

/* Leaves and spines, `cables` between each pair. */
static const struct two_level {
	const char *name;
	unsigned leaves, hosts, spines, cables;
	enum link_speed speed;
	enum link_width host_width;
} two_levels[] = {
	/* Narval (Calcul Quebec): hosts on split (2x) ports, an uplink to each core */
	{"narval", 20, 66, 7, 1, SPEED_HDR, WIDTH_2X},
	/* a DGX SuperPOD unit with switches of 64 ports: rail i of 32 hosts on leaf i */
	{"superpod", 8, 32, 4, 8, SPEED_HDR, WIDTH_4X},
};

static int make_two_level(struct plan *p, const struct two_level *t)
{
	uint32_t first = p->n, spine, switches = t->leaves + t->spines;

	if (plan_expect(p, switches, switches + t->leaves * t->hosts, t->hosts + t->spines * t->cables))
		return -1;
	p->o.speed = t->speed;
	p->o.parallel = t->cables;
	for (unsigned i = 0; i < t->leaves; i++)
		plan_switch(p, "leaf-%02u", i + 1);
	spine = p->n;
	for (unsigned i = 0; i < t->spines; i++)
		plan_switch(p, "spine-%02u", i + 1);
	for (unsigned i = 0; i < t->leaves; i++)
		for (unsigned k = 0; k < t->hosts && !p->failed; k++)
			plan_cable(p, first + i, 0, plan_ca(p), 0)->width = (uint8_t)t->host_width;
	for (unsigned i = 0; i < t->leaves; i++)
		for (unsigned k = 0; k < t->spines; k++)
			plan_link(p, first + i, spine + k);
	return p->failed ? -1 : 0;
}

const char synth_published_names[] =
	"t2hx tsubame2 summit sierra narval deimos odin salomon gordon redsky superpod";

int synth_published(struct plan *p, const char *shape)
{
	for (size_t i = 0; i < ARRAY_LEN(grids); i++)
		if (!strcmp(shape, grids[i].name)) {
			p->o.hosts = grids[i].hosts;
			p->o.hosts_on = 0;
			p->o.speed = grids[i].speed;
			return plan_grid(p, &grids[i].g);
		}
	for (size_t i = 0; i < ARRAY_LEN(directors); i++)
		if (!strcmp(shape, directors[i].name))
			return make_directors(p, &directors[i]);
	for (size_t i = 0; i < ARRAY_LEN(two_levels); i++)
		if (!strcmp(shape, two_levels[i].name))
			return make_two_level(p, &two_levels[i]);
	if (!strcmp(shape, "deimos"))
		return make_deimos(p);
	if (!strcmp(shape, "odin"))
		return make_odin(p);
	return plan_fail(p, "unknown name '%.40s', expected one of %s", shape, synth_published_names);
}
