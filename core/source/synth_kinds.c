/* The kinds of synthetic fabrics: trees, grids, dragonflies, directors, random graphs, published machines. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/rng.h"
#include "core/base/text.h"
#include "core/source/synth.h"

/* --- reading shapes ---------------------------------------------------------- */

/* Reads the numbers of a shape, at most as many as it has; *s moves past them. Returns their number, or -1.
 */
static int numbers_read(struct plan *p, const char **s, const struct shape_rule *rule, uint32_t *v)
{
	int n = 0;

	for (;;) {
		uint64_t x = 0;
		const char *at = *s;

		while (**s >= '0' && **s <= '9' && x < 1000000)
			x = x * 10 + (uint64_t)(*(*s)++ - '0');
		if (*s == at || x < rule->low || x > rule->high)
			return plan_fail_kind(p, x > rule->high ? ERR_LIMIT : ERR_SYNTAX,
					      "found '%.20s', expected a number from %u to %u (%s)", at,
					      rule->low, rule->high, rule->words);
		if (n == rule->max)
			return plan_limit(p, "more than %d numbers, expected %s", n, rule->words);
		v[n++] = (uint32_t)x;
		if (**s != rule->sep)
			return n;
		(*s)++;
	}
}

int shape_read(struct plan *p, const char *s, const struct shape_rule *rule, uint32_t *v)
{
	int n = numbers_read(p, &s, rule, v);

	assert(rule->min >= 1 && rule->min <= rule->max && rule->low <= rule->high && rule->high < 1000000);
	if (n < 0)
		return -1;
	if (*s)
		return plan_fail(p, "found '%.20s', expected %s", s, rule->words);
	if (n < rule->min)
		return plan_fail(p, "%d numbers, expected %s", n, rule->words);
	return n;
}

unsigned hosts_at(const struct plan *p, uint32_t k)
{
	return p->o.hosts_on > 1 && k % p->o.hosts_on ? 0 : (unsigned)p->o.hosts;
}

uint64_t hosts_in_all(const struct plan *p, uint64_t switches)
{
	uint64_t every = MAX(p->o.hosts_on, 1);

	return (switches + every - 1) / every * p->o.hosts;
}

/* --- extended generalised fat trees -------------------------------------------- */

/*
 * XGFT(h; M; W): a node of level l has digits x_1 .. x_h; digit j is below W_j
 * for j <= l, else below M_j.  Nodes of levels l and l+1 are linked when all
 * digits but number l+1 agree.  The index of a node counts digit 1 fastest.
 */
struct xgft {
	int h;
	uint32_t m[SYNTH_MAX_DIMS], w[SYNTH_MAX_DIMS];
	uint32_t count[SYNTH_MAX_DIMS + 1]; /* nodes of each level, 0 = hosts */
	uint32_t first[SYNTH_MAX_DIMS + 1]; /* their first plan node */
};

static const char xgft_shape[] = "M1,..,Mh:W1,..,Wh";

static int xgft_read(struct plan *p, const char *s, struct xgft *t)
{
	static const struct shape_rule rule = {xgft_shape, ',', 1, SYNTH_MAX_DIMS, 1, SYNTH_MAX_ENDPORTS};

	t->h = numbers_read(p, &s, &rule, t->m);
	if (t->h < 0)
		return -1;
	if (*s != ':')
		return plan_fail(p, "found '%.20s' behind the M, expected ':' (%s)", s, xgft_shape);
	s++;
	int n = numbers_read(p, &s, &rule, t->w);
	if (n < 0)
		return -1;
	if (*s)
		return plan_fail(p, "found '%.20s', expected %s", s, xgft_shape);
	if (n != t->h)
		return plan_fail(p, "%d numbers before the colon and %d behind it, expected as many (%s)",
				 t->h, n, xgft_shape);
	if (t->w[0] > SYNTH_MAX_CA_PORTS)
		return plan_limit(p, "W1 = %u ports of a host, expected at most %d", t->w[0],
				  SYNTH_MAX_CA_PORTS);
	return 0;
}

static int xgft_sizes(struct plan *p, struct xgft *t)
{
	uint64_t switches = 0, ports = 0, cas, par = p->o.parallel;

	for (int l = 0; l <= t->h; l++) {
		uint64_t n = 1;

		for (int j = 1; j <= t->h; j++)
			n = size_mul(n, j <= l ? t->w[j - 1] : t->m[j - 1]);
		if (n > SYNTH_MAX_ENDPORTS)
			return plan_expect(p, n, n, 0);
		t->count[l] = (uint32_t)n;
		switches += l ? n : 0;
	}
	for (int l = 1; l <= t->h; l++) {
		uint64_t down = size_mul(t->m[l - 1], l > 1 ? par : 1),
			 up = l < t->h ? size_mul(t->w[l], par) : 0;
		uint64_t extra = l > 1 && p->o.hosts_on ? p->o.hosts : 0;

		if (down + up + extra > ports)
			ports = down + up + extra;
	}
	cas = size_mul(t->count[0], t->w[0]) +
	      (p->o.hosts_on ? size_mul(switches - t->count[1], p->o.hosts) : 0);
	return plan_expect(p, switches, switches + cas, ports);
}

/* Node of level l+1 that differs from node i of level l by digit l+1 = k. */
static uint32_t xgft_parent(const struct xgft *t, int l, uint32_t i, uint32_t k)
{
	uint32_t below = 1, high, low;

	for (int j = 0; j < l; j++)
		below *= t->w[j];
	low = i % below;	    /* NOLINT(clang-analyzer-core.DivideZero): every w is at least 1 */
	high = i / below / t->m[l]; /* NOLINT(clang-analyzer-core.DivideZero): m and w are at least 1 */
	return (high * t->w[l] + k) * below + low;
}

int synth_xgft(struct plan *p, const char *shape)
{
	static const char *const level[] = {"", "leaf", "spine", "core"};
	struct xgft t = {0};

	if (xgft_read(p, shape, &t) || xgft_sizes(p, &t))
		return -1;
	for (int l = 1; l <= t.h; l++) {
		char prefix[24];

		snprintf(prefix, sizeof(prefix), "level%d", l);
		t.first[l] = p->n;
		for (uint32_t i = 0; i < t.count[l]; i++)
			plan_switch(p, "%s-%0*u", l < 3 || (l == 3 && t.h == 3) ? level[l] : prefix,
				    digits_of(t.count[l] + 1, 2), i + 1);
	}
	t.first[0] = p->n;
	for (uint32_t i = 0; i < t.count[0]; i++)
		plan_ca(p);
	for (uint32_t i = 0; i < t.count[0]; i++)
		for (uint32_t k = 0; k < t.w[0]; k++)
			plan_cable(p, t.first[1] + xgft_parent(&t, 0, i, k), 0, t.first[0] + i, 0);
	for (int l = 2; l <= t.h && p->o.hosts_on; l++)
		for (uint32_t i = 0; i < t.count[l]; i++)
			plan_hosts(p, t.first[l] + i, (unsigned)p->o.hosts);
	for (int l = 1; l < t.h; l++)
		for (uint32_t i = 0; i < t.count[l]; i++)
			for (uint32_t k = 0; k < t.w[l]; k++)
				plan_link(p, t.first[l] + i, t.first[l + 1] + xgft_parent(&t, l, i, k));
	return p->failed ? -1 : 0;
}

/* --- grids --------------------------------------------------------------------- */

/* Ports for dimension d on every switch: one for each direction, or one for each switch of the row. */
static uint32_t grid_slots(const struct synth_grid *g, unsigned d)
{
	uint32_t n = g->size[d];

	if (g->kind == GRID_HYPERX)
		return n - 1;
	return n > 2 ? 2 : n - 1;
}

/* How far the next switch in a dimension is: the last coordinate counts fastest. */
static uint32_t grid_stride(const struct synth_grid *g, unsigned d)
{
	uint32_t stride = 1;

	for (unsigned k = d + 1; k < g->dims; k++)
		stride *= g->size[k];
	return stride;
}

static void grid_switch(struct plan *p, const struct synth_grid *g, uint32_t i)
{
	bool wide = false;
	AUTO_TEXT struct text t = {0};

	for (unsigned d = 0; d < g->dims; d++)
		wide |= g->size[d] > 10;
	for (unsigned d = 0; d < g->dims; d++) {
		uint32_t x = i / grid_stride(g, d) % g->size[d];

		if (wide)
			text_add(&t, "-%0*u", digits_of(g->size[d], 1), x);
		else
			text_add(&t, "%u", x);
	}
	plan_switch(p, "%s%s", g->prefix, text_str(&t));
}

/* Cables of switch i (coordinate x) in dimension d; ports begin after `port`. */
static void grid_links(struct plan *p, const struct synth_grid *g, unsigned d, uint32_t i, uint32_t x,
		       unsigned port)
{
	uint32_t n = g->size[d], c = g->cables[d], stride = grid_stride(g, d);

	if (g->kind == GRID_HYPERX) {
		for (uint32_t y = x + 1; y < n; y++)
			for (uint32_t k = 1; k <= c; k++)
				plan_cable(p, i, port + (y - 1) * c + k, i + (y - x) * stride,
					   port + x * c + k);
		return;
	}
	if (x + 1 == n && (g->kind == GRID_MESH || n <= 2))
		return;
	for (uint32_t k = 1; k <= c; k++) {
		uint32_t to = x + 1 < n ? i + stride : i - x * stride;

		plan_cable(p, i, port + k, to, port + (n > 2 ? c : 0) + k);
	}
}

static int plan_grid(struct plan *p, const struct synth_grid *g)
{
	uint64_t all = 1, ports = p->o.hosts;
	uint32_t n, first = p->n;
	unsigned port = (unsigned)p->o.hosts;

	assert(g->dims >= 1 && g->dims <= SYNTH_MAX_DIMS);
	for (unsigned d = 0; d < g->dims; d++) {
		all = size_mul(all, g->size[d]);
		ports += size_mul(grid_slots(g, d), g->cables[d]);
	}
	if (plan_expect(p, all, all + hosts_in_all(p, all), ports))
		return -1;
	n = (uint32_t)all;
	for (uint32_t i = 0; i < n; i++)
		grid_switch(p, g, i);
	for (uint32_t i = 0; i < n; i++)
		plan_hosts(p, first + i, hosts_at(p, i));
	for (unsigned d = 0; d < g->dims; d++) {
		for (uint32_t i = 0; i < n && !p->failed; i++)
			grid_links(p, g, d, first + i, i / grid_stride(g, d) % g->size[d], port);
		port += grid_slots(g, d) * g->cables[d];
	}
	return p->failed ? -1 : 0;
}

static int grid_make(struct plan *p, const char *shape, enum grid_kind kind, const char *prefix)
{
	static const struct shape_rule rule = {"AxBx..", 'x', 1, SYNTH_MAX_DIMS, 1, SYNTH_MAX_ENDPORTS};
	struct synth_grid g = {.kind = kind, .prefix = prefix};
	int n = shape_read(p, shape, &rule, g.size);

	if (n < 0)
		return -1;
	g.dims = (unsigned)n;
	for (int d = 0; d < n; d++)
		g.cables[d] = (uint32_t)p->o.parallel;
	return plan_grid(p, &g);
}

int synth_torus(struct plan *p, const char *shape)
{
	return grid_make(p, shape, GRID_TORUS, "t");
}

int synth_mesh(struct plan *p, const char *shape)
{
	return grid_make(p, shape, GRID_MESH, "m");
}

int synth_hyperx(struct plan *p, const char *shape)
{
	return grid_make(p, shape, GRID_HYPERX, "x");
}

int synth_ring(struct plan *p, const char *shape)
{
	static const struct shape_rule rule = {
		"ring:N, the number of switches", ',', 1, 1, 2, SYNTH_MAX_ENDPORTS};
	struct synth_grid g = {
		.kind = GRID_TORUS, .prefix = "ring", .dims = 1, .cables = {(uint32_t)p->o.parallel}};

	if (shape_read(p, shape, &rule, g.size) < 0)
		return -1;
	return plan_grid(p, &g);
}

int synth_hypercube(struct plan *p, const char *shape)
{
	static const struct shape_rule rule = {
		"hypercube:D, the number of dimensions", ',', 1, 1, 1, SYNTH_MAX_DIMS - 1};
	struct synth_grid g = {.kind = GRID_MESH, .prefix = "c"};
	uint32_t dims = 0;

	if (shape_read(p, shape, &rule, &dims) < 0)
		return -1;
	g.dims = dims;
	for (unsigned d = 0; d < dims; d++) {
		g.size[d] = 2;
		g.cables[d] = (uint32_t)p->o.parallel;
	}
	return plan_grid(p, &g);
}

/* --- dragonflies ----------------------------------------------------------------- */

/* Groups of a switches, all linked with each other, with h global links and p hosts each. */
struct dragonfly {
	uint32_t a, h, p, groups;
};

int synth_dragonfly(struct plan *p, const char *shape)
{
	static const struct shape_rule rule = {"dragonfly:A,H,P[,G]", ',', 3, 4, 0, SYNTH_MAX_ENDPORTS};
	uint32_t v[4] = {0}, first = p->n, n, hosts, others;
	uint64_t most, par = p->o.parallel;
	int given = shape_read(p, shape, &rule, v);

	if (given < 0)
		return -1;
	struct dragonfly d = {v[0], v[1], v[2], v[3]};
	hosts = !d.p && p->o.hosts_on ? (uint32_t)p->o.hosts : d.p;
	most = (uint64_t)d.a * d.h + 1;
	if (!d.a)
		return plan_fail(p, "A = 0 switches in a group, expected at least 1");
	if (given == 4 && (!d.groups || d.groups > most))
		return plan_fail(p, "G = %u groups, expected 1 to A*H+1 = %llu", d.groups,
				 (unsigned long long)most);
	most = size_mul(given == 4 ? d.groups : most, d.a);
	if (plan_expect(p, most, most + size_mul(most, hosts), hosts + size_mul(d.a - 1 + d.h, par)))
		return -1;
	n = (uint32_t)most;
	d.groups = n / d.a;
	for (uint32_t i = 0; i < n; i++)
		plan_switch(p, "g%0*us%0*u", digits_of(d.groups, 2), i / d.a, digits_of(d.a, 1), i % d.a);
	for (uint32_t i = 0; i < n; i++)
		plan_hosts(p, first + i, hosts);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = i + 1; j % d.a; j++)
			plan_link(p, first + i, first + j);
	/* global link l of group i (switch l / h) leads to the group l mod (groups - 1) + 1 places further */
	others = d.groups - 1;
	for (uint32_t i = 0; i < d.groups; i++)
		for (uint32_t l = 0; others && l < d.a * d.h / others * others; l++) {
			uint32_t to = (i + l % others + 1) % d.groups;
			/* at the other end, links count backwards in the same round */
			uint32_t back = l / others * others + others - 1 - l % others;

			if (i < to)
				plan_link(p, first + i * d.a + l / d.h, first + to * d.a + back / d.h);
		}
	return p->failed ? -1 : 0;
}

/* --- directors ------------------------------------------------------------------- */

static uint32_t plan_chassis(struct plan *p, const struct synth_chassis *c, unsigned number)
{
	uint32_t first = p->n;

	for (unsigned i = 0; i < c->lines + c->spines; i++) {
		bool line = i < c->lines;
		unsigned k = line ? i + 1 : i - c->lines + 1;
		uint32_t sw = plan_switch(p, "%s%u/%c%02u/U1", c->name, number, line ? 'L' : 'S', k);

		p->node[sw].system = first;
		p->node[sw].chassis = (uint16_t)number;
		p->node[sw].chassis_place = str_printf("%s %u Chip 0", line ? "Line" : "Spine", k);
	}
	for (unsigned i = 0; i < c->lines; i++)
		for (unsigned j = 0; j < c->spines; j++)
			for (unsigned k = 1; k <= c->links && !p->failed; k++)
				plan_cable(p, first + i, c->outer + j * c->links + k, first + c->lines + j,
					   i * c->links + k);
	return first;
}

/* The chips of all chassis, and the edge switches below. Uplinks take the line chips in turn. */
static void director_edges(struct plan *p, uint32_t chassis, uint32_t edges, const struct synth_chassis *c,
			   uint32_t first)
{
	uint32_t chips = c->lines + c->spines, up = (uint32_t)p->o.uplinks, edge = p->n;

	for (uint32_t i = 0; i < edges; i++)
		plan_switch(p, "edge-%0*u", digits_of(edges + 1, 2), i + 1);
	for (uint32_t i = 0; i < edges; i++)
		plan_hosts(p, edge + i, hosts_at(p, i));
	for (uint32_t i = 0; i < edges; i++)
		for (uint32_t d = 0; d < chassis; d++)
			for (uint32_t k = 0; k < up && !p->failed; k++) {
				uint32_t nth = i * up + k;

				plan_cable(p, edge + i, 0, first + d * chips + nth % c->lines,
					   nth / c->lines + 1);
			}
}

int synth_director(struct plan *p, const char *shape)
{
	static const struct shape_rule rule = {"director:CHASSIS,LINES,SPINES,EDGES", ',', 4, 4, 0, 10000};
	uint32_t v[4] = {0}, first = p->n, chips;
	struct synth_chassis c = {.name = "dir"};
	uint64_t up = p->o.uplinks, par = p->o.parallel, switches, hosted, outer, ports;

	if (shape_read(p, shape, &rule, v) < 0)
		return -1;
	if (!v[0] || !v[1])
		return plan_fail(p, "%u chassis of %u line chips, expected at least one of each", v[0], v[1]);
	chips = v[1] + v[2];
	switches = (uint64_t)v[0] * chips + v[3];
	hosted = v[3] ? v[3] : (uint64_t)v[0] * v[1];
	outer = v[3] ? (v[3] * up + v[1] - 1) / v[1] : p->o.hosts;
	ports = outer + v[2] * par;
	if (ports < v[1] * par)
		ports = v[1] * par;
	if (v[3] && ports < p->o.hosts + v[0] * up)
		ports = p->o.hosts + v[0] * up;
	if (plan_expect(p, switches, switches + hosts_in_all(p, hosted), ports))
		return -1;
	c.lines = v[1];
	c.spines = v[2];
	c.links = (unsigned)par;
	c.outer = (unsigned)outer;
	for (uint32_t i = 0; i < v[0]; i++)
		plan_chassis(p, &c, i + 1);
	if (v[3])
		director_edges(p, v[0], v[3], &c, first);
	for (uint32_t i = 0; i < v[0] * chips; i++) {
		bool line = i % chips < c.lines;

		/* ports 1 .. outer of a line chip are free when there are no edge switches */
		for (unsigned k = 1; !v[3] && line && k <= hosts_at(p, i / chips * c.lines + i % chips); k++)
			plan_cable(p, first + i, k, plan_ca(p), 0);
		if (p->o.hosts_on_given && p->o.hosts_on == 1 && (v[3] || !line))
			plan_hosts(p, first + i, (unsigned)p->o.hosts);
	}
	return p->failed ? -1 : 0;
}

/* --- random graphs ------------------------------------------------------------- */

struct synth_kinds_graph {
	uint32_t n, degree;
	uint32_t *used; /* [n] links so far */
	uint32_t *next; /* [n * degree] neighbours */
};

static void graph_link(struct plan *p, struct synth_kinds_graph *g, uint32_t a, uint32_t b, uint32_t first)
{
	assert(g->used[a] < g->degree && g->used[b] < g->degree);
	g->next[(size_t)a * g->degree + g->used[a]++] = b;
	g->next[(size_t)b * g->degree + g->used[b]++] = a;
	plan_link(p, first + a, first + b);
}

/* A random tree over a random order.  Every switch is linked to an earlier one with free ports. */
static void graph_tree(struct plan *p, struct synth_kinds_graph *g, uint32_t *order, uint32_t first)
{
	AUTO_FREE uint32_t *room = NEW_ARRAY(g->n, uint32_t);
	uint32_t n_room = 0;

	for (uint32_t i = g->n; i > 1; i--) {
		uint32_t with = rng_below(&p->rng, i), t = order[i - 1];

		order[i - 1] = order[with];
		order[with] = t;
	}
	for (uint32_t i = 0; i < g->n; i++) {
		if (n_room) {
			uint32_t k = rng_below(&p->rng, n_room);

			graph_link(p, g, order[i], room[k], first);
			if (g->used[room[k]] == g->degree)
				room[k] = room[--n_room];
		}
		if (g->used[order[i]] < g->degree)
			room[n_room++] = order[i];
	}
}

/* Adds links between random switches that have free ports and no link yet. Stops when hardly any are left. */
static void graph_fill(struct plan *p, struct synth_kinds_graph *g, uint32_t *room, uint32_t first)
{
	uint32_t n = 0, misses = 0;

	for (uint32_t i = 0; i < g->n; i++)
		if (g->used[i] < g->degree)
			room[n++] = i;
	while (n > 1 && misses < 50 + 4 * n && !p->failed) {
		uint32_t a = rng_below(&p->rng, n), b = rng_below(&p->rng, n);
		bool linked = a == b;

		for (uint32_t k = 0; k < g->used[room[a]]; k++)
			linked |= g->next[(size_t)room[a] * g->degree + k] == room[b];
		misses = linked ? misses + 1 : 0;
		if (linked)
			continue;
		graph_link(p, g, room[a], room[b], first);
		if (a < b) { /* remove the higher place first */
			uint32_t t = a;

			a = b;
			b = t;
		}
		if (g->used[room[a]] == g->degree)
			room[a] = room[--n];
		if (g->used[room[b]] == g->degree)
			room[b] = room[--n];
	}
}

int synth_random(struct plan *p, const char *shape)
{
	static const struct shape_rule rule = {"random:SWITCHES,DEGREE", ',', 2, 2, 1, SYNTH_MAX_ENDPORTS};
	uint32_t v[2] = {0}, first = p->n;

	if (shape_read(p, shape, &rule, v) < 0)
		return -1;
	if (v[1] < 2 && v[0] > 2)
		return plan_fail(p, "DEGREE = %u: %u switches cannot be connected, expected at least 2", v[1],
				 v[0]);
	if (v[1] >= v[0])
		v[1] = v[0] > 1 ? v[0] - 1 : 1;
	if (plan_expect(p, v[0], v[0] + hosts_in_all(p, v[0]), p->o.hosts + size_mul(v[1], p->o.parallel)))
		return -1;
	struct synth_kinds_graph g = {v[0], v[1], NEW_ARRAY(v[0], uint32_t),
				      mem_array((size_t)v[0] * v[1], sizeof(uint32_t))};
	AUTO_FREE uint32_t *order = NEW_ARRAY(v[0], uint32_t);
	for (uint32_t i = 0; i < g.n; i++) {
		plan_switch(p, "sw-%0*u", digits_of(g.n + 1, 2), i + 1);
		order[i] = i;
	}
	for (uint32_t i = 0; i < g.n; i++)
		plan_hosts(p, first + i, hosts_at(p, i));
	graph_tree(p, &g, order, first);
	graph_fill(p, &g, order, first);
	free(g.used);
	free(g.next);
	return p->failed ? -1 : 0;
}

/* Shapes of well-known machines, as far as they are published. The single cables are ours: hosts from port 1
 * up, then the links in order. */

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

	if (plan_expect(p, 18, 18 + 128, 24))
		return -1;
	p->o.speed = SPEED_SDR;
	uint32_t first = plan_chassis(p, &c, 1);
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
		unsigned d = k / 30, from = d ? k : k % 30, to = d ? k % 30 : k, a = from % DEIMOS_LINES,
			 b = to % DEIMOS_LINES;

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
