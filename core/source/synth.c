/* Synthetic fabrics, made from a description or from the list of lessons. */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cursor.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/rng.h"
#include "core/base/text.h"
#include "core/fabric/fabric.h"
#include "core/source/synth.h"

/* Small fabrics for teaching: lines "NAME SPEC NOTE" in the file `fabrics` of the lessons. */

/* Finds SPEC and NOTE of a name in a text that ends with NUL. All names are added to `names`. */
static bool find_line(char *text, const char *name, char **spec, char **note, struct text *names)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *at = NULL, *n = strtok_r(line, " \t", &at), *made = strtok_r(NULL, " \t", &at);

		if (!n || *n == '#' || !made)
			continue;
		text_add(names, " %s", n);
		if (strcmp(n, name))
			continue;
		at = at ? at + strspn(at, " \t") : at;
		*spec = str_dup(made);
		*note = str_dup(at ? at : "");
		return true;
	}
	return false;
}

/* The list as text that ends with NUL, or NULL and *e. */
static char *lesson_fabric_read_list(struct err *e)
{
	AUTO_FREE char *path = lesson_file("fabrics", e), *data = NULL;
	size_t size;

	if (!path || read_file(path, NULL, &data, &size, e))
		return NULL;
	return str_printf("%.*s", size > 1000000 ? 1000000 : (int)size, data);
}

void synth_lessons(struct text *names)
{
	AUTO_FREE char *text = lesson_fabric_read_list(NULL);
	char *spec, *note;

	if (text)
		find_line(text, "", &spec, &note, names);
}

int synth_lesson(const char *word, char **spec, char **note, struct err *e)
{
	const char *name = lesson_name(word);
	AUTO_TEXT struct text names = {0};

	if (!name)
		return 1;
	AUTO_FREE char *text = lesson_fabric_read_list(e);
	if (!text)
		return -1;
	if (find_line(text, name, spec, note, &names))
		return 0;
	return err_set(e, "lesson:%.100s: there is no such fabric, expected one of%s", name,
		       text_str(&names));
}

/* Synthetic fabrics: the description is split, a kind fills a plan of nodes and cables (synth_kinds.c,
 * synth_graphs.c, synth_kinds.c), and the plan becomes a fabric.  Ports: CAs first, from port 1 up; then
 * links in the order the kind makes them. In grids a direction has the same port number on every switch. */

#define SWITCH_GUID UINT64_C(0x0002c90300a00000)
#define CA_GUID UINT64_C(0x0002c90300f00000)
#define SWITCH_STEP 0x10
#define CA_STEP 0x20
#define AGGREGATION_OFFSET 8 /* of the GUID from the switch's, as in Quantum switches */
#define VENDOR 0x2c9
#define DEVICE_SWITCH 0xd2f0
#define DEVICE_CA 0x101b
#define AGGREGATION_NAME "Mellanox Technologies Aggregation Node"
static_assert(CA_STEP > SYNTH_MAX_CA_PORTS && AGGREGATION_OFFSET < SWITCH_STEP &&
		      SWITCH_GUID + (uint64_t)SYNTH_MAX_ENDPORTS * SWITCH_STEP <= CA_GUID,
	      "GUIDs of nodes and ports are different");

struct kind {
	const char *name;
	int (*make)(struct plan *p, const char *shape);
	int hosts; /* default of hosts=; -1: from the shape, 0: half of the degree */
};

static const struct kind kinds[] = {
	{"xgft", synth_xgft, -1},
	{"torus", synth_torus, 1},
	{"mesh", synth_mesh, 1},
	{"ring", synth_ring, 1},
	{"hypercube", synth_hypercube, 1},
	{"hyperx", synth_hyperx, 1},
	{"dragonfly", synth_dragonfly, -1},
	{"director", synth_director, 4},
	{"random", synth_random, 1},
	{"regular", synth_regular, 1},
	{"kautz", synth_kautz, 1},
	{"debruijn", synth_debruijn, 1},
	{"slimfly", synth_slimfly, 0},
	{"polarfly", synth_polarfly, 0},
	{"cascade", synth_cascade, 4},
	{"tsubame", synth_tsubame, -1},
	{"published", synth_published, -1},
};

const char synth_help[] =
	"kinds:\n"
	"  xgft:M1,..,Mh:W1,..,Wh    extended generalised fat tree (Ohring et al. 1995) of h switch levels:\n"
	"                            M1 hosts a leaf, Mi children, Wi parents; W1 > 1: hosts of W1 ports\n"
	"  torus:AxBx.. mesh:AxBx..  grid with or without wrap-around (a ring of 2 has one link)\n"
	"  ring:N                    torus of one dimension\n"
	"  hypercube:D               2^D switches\n"
	"  hyperx:AxBx..             all-to-all in every row of every dimension (Ahn et al. 2009)\n"
	"  dragonfly:A,H,P[,G]       groups of A switches with H global links and P hosts each, G groups\n"
	"                            (default and at most A*H+1; Kim et al. 2008)\n"
	"  director:C,L,S,E          E edge switches below C chassis of L line and S spine chips;\n"
	"                            E = 0: hosts on the line chips\n"
	"  random:N,D[,seed=K]       N switches, connected, up to D links each\n"
	"  regular:N,D[,seed=K]      N switches, connected, exactly D links each, at random\n"
	"  kautz:D,K                 words of K letters out of D+1, equal letters never side by side; a "
	"cable for\n"
	"                            each word that follows when a letter is pushed in\n"
	"  debruijn:D,K              words of K letters out of D, the same way; loops are left out\n"
	"  slimfly:Q                 2Q^2 switches, any two within 2 hops (Besta, Hoefler 2014); Q is a "
	"power of\n"
	"                            a prime, 3 or more; hosts: half of the degree, rounded up\n"
	"  polarfly:Q                Q^2+Q+1 switches, within 2 hops (Lakhotia et al. 2022); Q is a power of "
	"a\n"
	"                            prime; hosts: half of the degree, rounded up\n"
	"  cascade:G[,H]             G groups of 6 chassis with 16 switches (Cray XC): a cable between any "
	"two of\n"
	"                            a chassis, three between chassis, H (10) to other groups\n"
	"  tsubame:2                 published:tsubame2\n"
	"  published:NAME            t2hx tsubame2 summit sierra narval deimos odin salomon gordon\n"
	"                            redsky superpod\n"
	"  lesson:NAME               a small one made for teaching; `lesson` tells which there are\n"
	"options, behind the shape as ,NAME=VALUE:\n"
	"  hosts=N        CAs a switch (default 1; director, cascade 4); xgft: with hosts_on=all, above the "
	"leaves\n"
	"  hosts_on=K|all  CAs on every K-th switch only; all: on every switch\n"
	"  parallel=N     cables a link between switches (default 1)\n"
	"  uplinks=N      director: cables from an edge switch to each chassis (default 1)\n"
	"  ports=N        at least N ports on every switch\n"
	"  seed=K         of everything random (default 1)\n"
	"  shuffle=1      port numbers, order of GUIDs and order in the file at random\n"
	"  fail=N         N links between switches left out at random\n"
	"  lids=1 lmc=N   LIDs on the ports, with this LMC (default: no LIDs)\n"
	"  aggregation=1  an aggregation node on the highest port of every switch\n"
	"  esp0=1         enhanced port 0 on all switches\n"
	"  sm=host        a host comes first and runs the subnet manager (default: a switch)\n"
	"  speed=HDR       of all links; width=4x too\n"
	"at most " STR(SYNTH_MAX_ENDPORTS) " endports and " STR(MAX_PORTS) " ports a switch\n";

/* --- the plan ---------------------------------------------------------------- */

int plan_fail_kind(struct plan *p, enum err_kind kind, const char *fmt, ...)
{
	char buf[360];
	va_list ap;

	if (p->failed)
		return -1;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	p->failed = true;
	return err_set_kind(&p->why, kind, "%.100s: %s", p->spec, buf);
}

uint64_t size_mul(uint64_t a, uint64_t b)
{
	const uint64_t top = 1000000000;

	if (a > top || b > top || (b && a > top / b))
		return top;
	return a * b;
}

int plan_expect(struct plan *p, uint64_t switches, uint64_t endports, uint64_t ports)
{
	if (p->o.aggregation) {
		endports += switches;
		ports += 1;
	}
	if (p->o.ports + p->o.aggregation > ports)
		ports = p->o.ports + p->o.aggregation;
	if (endports > SYNTH_MAX_ENDPORTS)
		return plan_limit(p, "%llu endports (switches and CA ports), expected at most %d",
				  (unsigned long long)endports, SYNTH_MAX_ENDPORTS);
	if (ports > MAX_PORTS)
		return plan_limit(p, "%llu ports on a switch, expected at most %d", (unsigned long long)ports,
				  MAX_PORTS);
	if (switches * ports > SYNTH_MAX_PORTS)
		return plan_limit(p, "%llu switch ports in all, expected at most %u",
				  (unsigned long long)switches * ports, SYNTH_MAX_PORTS);
	return 0;
}

static uint32_t plan_add(struct plan *p, enum node_type type, char *name)
{
	GROW(p->node, p->n, p->cap);
	p->node[p->n] = (struct plan_node){.name = name, .type = type, .system = p->n};
	p->n_switches += type == NODE_SWITCH;
	return p->n++;
}

uint32_t plan_switch(struct plan *p, const char *fmt, ...)
{
	struct text t = {0};
	va_list ap;

	va_start(ap, fmt);
	text_addv(&t, fmt, ap);
	va_end(ap);
	p->n_endports++;
	return plan_add(p, NODE_SWITCH, t.s);
}

uint32_t plan_ca(struct plan *p)
{
	return plan_add(p, NODE_CA, NULL);
}

/* Returns a port number, or 0 (and the plan has failed) when the node has no free port. */
static unsigned synth_take_port(struct plan *p, uint32_t node, unsigned port)
{
	struct plan_node *n = &p->node[node];
	unsigned max = n->type == NODE_SWITCH ? MAX_PORTS : SYNTH_MAX_CA_PORTS;

	assert(node < p->n);
	if (!port)
		port = n->nports + 1u;
	if (port > max) {
		plan_fail(p, "'%s' needs more than %u ports", n->name ? n->name : "a host", max);
		return 0;
	}
	if (port > n->nports)
		n->nports = (uint8_t)port;
	p->n_endports += n->type == NODE_CA;
	return port;
}

struct plan_cable *plan_cable(struct plan *p, uint32_t n1, unsigned p1, uint32_t n2, unsigned p2)
{
	GROW(p->cable, p->n_cables, p->cap_cables);
	struct plan_cable *c = &p->cable[p->n_cables++];
	*c = (struct plan_cable){
		.node = {n1, n2}, .width = (uint8_t)p->o.width, .speed = (uint8_t)p->o.speed};
	c->port[0] = (uint8_t)synth_take_port(p, n1, p1);
	c->port[1] = (uint8_t)synth_take_port(p, n2, p2);
	return c;
}

void plan_link(struct plan *p, uint32_t n1, uint32_t n2)
{
	assert(n1 != n2);
	for (uint64_t k = 0; k < p->o.parallel && !p->failed; k++)
		plan_cable(p, n1, 0, n2, 0);
}

void plan_hosts(struct plan *p, uint32_t sw, unsigned n)
{
	for (unsigned k = 0; k < n && !p->failed; k++)
		plan_cable(p, sw, 0, plan_ca(p), 0);
}

int digits_of(uint32_t n, int min)
{
	int d = 1;

	for (n = n ? n - 1 : 0; n >= 10; n /= 10)
		d++;
	return MAX(d, min);
}

/* --- options ----------------------------------------------------------------- */

static const struct number_option {
	const char *name;
	size_t at;
	uint64_t min, max;
} number_options[] = {
	{"hosts", offsetof(struct synth_options, hosts), 0, MAX_PORTS},
	{"parallel", offsetof(struct synth_options, parallel), 1, MAX_PORTS},
	{"uplinks", offsetof(struct synth_options, uplinks), 1, MAX_PORTS},
	{"ports", offsetof(struct synth_options, ports), 1, MAX_PORTS},
	{"seed", offsetof(struct synth_options, seed), 0, UINT64_MAX},
	{"shuffle", offsetof(struct synth_options, shuffle), 0, 1},
	{"fail", offsetof(struct synth_options, fail), 0, SYNTH_MAX_PORTS},
	{"lids", offsetof(struct synth_options, lids), 0, 1},
	{"lmc", offsetof(struct synth_options, lmc), 0, MAX_LMC},
	{"aggregation", offsetof(struct synth_options, aggregation), 0, 1},
	{"esp0", offsetof(struct synth_options, esp0), 0, 1},
};

static int option_set(struct plan *p, struct cursor item)
{
	struct cursor value = item, name = cur_part(&value, '=');
	int shown = cur_len(item) > 40 ? 40 : (int)cur_len(item);
	int said = cur_len(value) > 40 ? 40 : (int)cur_len(value);
	struct synth_options *o = &p->o;

	if (name.end == item.end)
		return plan_fail(p, "found '%.*s' behind the options, expected NAME=VALUE", shown, item.p);
	for (size_t i = 0; i < ARRAY_LEN(number_options); i++) {
		const struct number_option *d = &number_options[i];
		uint64_t v;

		if (!cur_same(name, cur_text(d->name)))
			continue;
		if (!number_of_part(value.p, cur_len(value), d->min, d->max, &v))
			return plan_fail_kind(p, number_beyond(value.p, d->max) ? ERR_LIMIT : ERR_SYNTAX,
					      "%s=%.*s: expected a number from %llu to %llu", d->name, said,
					      value.p, (unsigned long long)d->min,
					      (unsigned long long)d->max);
		*(uint64_t *)((char *)o + d->at) = v;
		o->hosts_given |= d->at == offsetof(struct synth_options, hosts);
		o->uplinks_given |= d->at == offsetof(struct synth_options, uplinks);
		return 0;
	}
	if (cur_same(name, cur_text("hosts_on"))) {
		o->hosts_on_given = true;
		if (cur_same(value, cur_text("all")))
			o->hosts_on = 1;
		else if (!number_of_part(value.p, cur_len(value), 1, SYNTH_MAX_ENDPORTS, &o->hosts_on))
			return plan_fail(p, "hosts_on=%.*s: expected 'all' or a number K (every K-th switch)",
					 said, value.p);
		return 0;
	}
	if (cur_same(name, cur_text("sm"))) {
		o->sm_host = cur_same(value, cur_text("host"));
		if (o->sm_host || cur_same(value, cur_text("switch")))
			return 0;
		return plan_fail(p, "%.*s: expected sm=switch or sm=host", shown, item.p);
	}
	if (cur_same(name, cur_text("speed"))) {
		o->speed = link_speed_parse(value.p, cur_len(value));
		return o->speed ? 0
				: plan_fail(p, "%.*s: expected a speed such as QDR, EDR, HDR", shown, item.p);
	}
	if (cur_same(name, cur_text("width"))) {
		o->width = link_width_parse(value.p, cur_len(value));
		return o->width ? 0 : plan_fail(p, "%.*s: expected a width: 1x 2x 4x 8x 12x", shown, item.p);
	}
	return plan_fail(
		p,
		"unknown option '%.*s', expected one of hosts hosts_on parallel uplinks ports seed shuffle "
		"fail lids lmc aggregation esp0 sm speed width",
		shown, item.p);
}

/* --- from plan to fabric ------------------------------------------------------- */

static void swap_u32(uint32_t *a, uint32_t *b)
{
	uint32_t t = *a;

	*a = *b;
	*b = t;
}

/* 0 .. n-1, in random order with the option shuffle. */
static uint32_t *sequence(struct plan *p, uint32_t n)
{
	uint32_t *v = NEW_ARRAY(n ? n : 1, uint32_t);

	for (uint32_t i = 0; i < n; i++)
		v[i] = i;
	if (p->o.shuffle)
		for (uint32_t i = n; i > 1; i--)
			swap_u32(&v[i - 1], &v[rng_below(&p->rng, i)]);
	return v;
}

/* Remove o.fail cables between switches. */
static int plan_remove(struct plan *p)
{
	AUTO_FREE uint32_t *list = NEW_ARRAY(p->n_cables + 1, uint32_t);
	uint32_t n = 0, kept = 0;

	for (uint32_t i = 0; i < p->n_cables; i++)
		if (p->node[p->cable[i].node[0]].type == NODE_SWITCH &&
		    p->node[p->cable[i].node[1]].type == NODE_SWITCH)
			list[n++] = i;
	if (p->o.fail > n)
		plan_fail(p, "fail=%llu: there are only %u cables between switches",
			  (unsigned long long)p->o.fail, n);
	for (uint32_t k = 0; k < p->o.fail && !p->failed; k++) {
		swap_u32(&list[k], &list[k + rng_below(&p->rng, n - k)]);
		p->cable[list[k]].node[0] = NO_ID;
	}
	for (uint32_t i = 0; i < p->n_cables; i++)
		if (p->cable[i].node[0] != NO_ID)
			p->cable[kept++] = p->cable[i];
	p->n_cables = kept;
	return p->failed ? -1 : 0;
}

static void plan_shuffle_ports(struct plan *p)
{
	AUTO_FREE uint32_t *first = NEW_ARRAY(p->n + 1, uint32_t);

	for (uint32_t i = 0; i < p->n; i++)
		first[i + 1] = first[i] + p->node[i].nports;
	AUTO_FREE uint8_t *map = NEW_ARRAY(first[p->n] + 1, uint8_t);
	for (uint32_t i = 0; i < p->n; i++) {
		bool top_stays = p->node[i].type == NODE_SWITCH && p->node[i].aggregation;
		uint8_t *m = map + first[i];

		for (unsigned k = 0; k < p->node[i].nports; k++)
			m[k] = (uint8_t)(k + 1);
		for (uint32_t k = p->node[i].nports - top_stays; k > 1; k--) {
			uint32_t with = rng_below(&p->rng, k);
			uint8_t t = m[k - 1];

			m[k - 1] = m[with];
			m[with] = t;
		}
	}
	for (uint32_t i = 0; i < p->n_cables; i++)
		for (int e = 0; e < 2; e++) {
			assert(p->cable[i].port[e] >= 1); /* no cable of the plan failed */
			p->cable[i].port[e] = map[first[p->cable[i].node[e]] + p->cable[i].port[e] - 1];
		}
}

/* GUID of every node. */
static uint64_t *plan_guids(struct plan *p)
{
	uint64_t *guid = NEW_ARRAY(p->n, uint64_t);
	AUTO_FREE uint32_t *sw = sequence(p, p->n_switches), *ca = sequence(p, p->n - p->n_switches);
	uint32_t n_sw = 0, n_ca = 0;

	for (uint32_t i = 0; i < p->n; i++)
		if (p->node[i].type == NODE_SWITCH)
			guid[i] = SWITCH_GUID + (uint64_t)sw[n_sw++] * SWITCH_STEP;
		else
			guid[i] = CA_GUID + (uint64_t)ca[n_ca++] * CA_STEP;
	assert(n_sw == p->n_switches);
	for (uint32_t i = 0; i < p->n; i++)
		if (p->node[i].type == NODE_CA && p->node[i].aggregation)
			guid[i] = guid[p->node[i].system] + AGGREGATION_OFFSET;
	return guid;
}

/* The order in the source: switches before CAs, or mixed. The subnet manager's node is first. */
static uint32_t *plan_order(struct plan *p)
{
	uint32_t *order = sequence(p, p->n), n = 0;
	enum node_type first = p->o.sm_host ? NODE_CA : NODE_SWITCH;

	if (!p->o.shuffle) {
		for (int want = NODE_SWITCH; want >= NODE_CA; want--)
			for (uint32_t i = 0; i < p->n; i++)
				if (p->node[i].type == want)
					order[n++] = i;
	}
	for (uint32_t i = 0; i < p->n; i++) {
		const struct plan_node *node = &p->node[order[i]];

		if (node->type == first && !(first == NODE_CA && node->aggregation)) {
			uint32_t chosen = order[i];

			memmove(order + 1, order, i * sizeof(*order));
			order[0] = chosen;
			break;
		}
	}
	return order;
}

static int emit_lids(struct plan *p, struct fabric_builder *b)
{
	uint32_t next = 1, step = 1u << p->o.lmc;

	for (uint32_t i = 0; i < b->n && !p->failed; i++) {
		struct fb_node *n = &b->node[i];

		for (unsigned k = n->type == NODE_SWITCH ? 0 : 1; k <= n->nports; k++) {
			bool sw = n->type == NODE_SWITCH;
			struct fb_port *port = &n->port[k];

			if (sw ? k > 0 : port->peer_node == NO_ID)
				continue;
			if (!sw)
				next = (next + step - 1) / step * step;
			port->lid = (uint16_t)next;
			port->lmc = sw ? 0 : (uint8_t)p->o.lmc;
			next += sw ? 1 : step;
			if (next > MAX_LID + 1)
				return plan_fail(p, "lmc=%u: more LIDs than the %d there are",
						 (unsigned)p->o.lmc, MAX_LID);
		}
	}
	return 0;
}

static int plan_emit(struct plan *p, struct fabric **out, struct err *e)
{
	struct fabric_builder *b = fb_new();
	AUTO_FREE uint64_t *guid = plan_guids(p);
	AUTO_FREE uint32_t *order = plan_order(p), *index = NEW_ARRAY(p->n, uint32_t);

	for (uint32_t i = 0; i < p->n; i++) {
		const struct plan_node *n = &p->node[order[i]];
		bool sw = n->type == NODE_SWITCH;

		index[order[i]] = fb_add(b, n->type, guid[order[i]], n->nports, n->name);
		assert(index[order[i]] == i); /* GUIDs are different */
		struct fb_node *fb = &b->node[i];
		fb->sysguid = guid[n->system];
		fb->vendor = VENDOR;
		fb->device = n->aggregation ? DEVICE_AGGREGATION : DEVICE_CA;
		if (sw)
			fb->device = DEVICE_SWITCH;
		fb->esp0 = sw && p->o.esp0;
		fb->chassis = n->chassis;
		fb->chassis_place = n->chassis_place ? str_dup(n->chassis_place) : NULL;
	}
	for (uint32_t i = 0; i < p->n_cables; i++) {
		const struct plan_cable *c = &p->cable[i];
		bool linked = fb_link(b, index[c->node[0]], c->port[0], index[c->node[1]], c->port[1]);

		assert(linked); /* no two cables of a plan have a port in common */
		for (int k = 0; k < 2; k++) {
			struct fb_port *port = &b->node[index[c->node[k]]].port[c->port[k]];

			port->width = c->width;
			port->speed = c->speed;
			port->opervls = DEFAULT_OPER_VLS;
		}
	}
	if (p->o.lids && emit_lids(p, b)) {
		fb_free(b);
		return err_copy(e, &p->why);
	}
	return fb_finish(b, p->spec, "synthetic", out, e);
}

/* The last steps of all kinds, when their nodes and cables are there. */
static int plan_complete(struct plan *p)
{
	uint32_t hosts = 0;

	for (uint32_t i = 0; i < p->n; i++)
		if (p->node[i].type == NODE_SWITCH && p->node[i].nports < p->o.ports)
			p->node[i].nports = (uint8_t)p->o.ports;
	for (uint32_t i = 0, n = p->n; p->o.aggregation && i < n && !p->failed; i++) {
		if (p->node[i].type != NODE_SWITCH)
			continue;
		uint32_t ca = plan_ca(p);
		p->node[ca].name = str_dup(AGGREGATION_NAME);
		p->node[ca].aggregation = p->node[i].aggregation = true;
		p->node[ca].system = i;
		plan_cable(p, i, 0, ca, 0);
	}
	if (!p->failed && p->o.sm_host && p->n == p->n_switches * (1 + (uint32_t)p->o.aggregation))
		plan_fail(p, "sm=host: there is no host");
	if (p->failed || plan_expect(p, 0, p->n_endports, 0) || plan_remove(p))
		return -1;
	for (uint32_t i = 0; i < p->n; i++)
		hosts += !p->node[i].name;
	for (uint32_t i = 0, k = 0; i < p->n; i++)
		if (!p->node[i].name)
			p->node[i].name = str_printf("node%0*u", digits_of(hosts + 1, 4), ++k);
	if (p->o.shuffle)
		plan_shuffle_ports(p);
	return 0;
}

/* --- entry points -------------------------------------------------------------- */

static size_t kind_length(const char *word)
{
	size_t n = 0;

	while (islower((unsigned char)word[n]))
		n++;
	return word[n] == ':' ? n : 0;
}

bool synth_is_spec(const char *word)
{
	return kind_length(word) >= 3;
}

static int options_check(struct plan *p, const struct kind *k)
{
	if (k->hosts < 0 && p->o.hosts_given && p->o.hosts_on != 1)
		return plan_fail(
			p,
			"hosts=: %s says itself how many hosts a switch has, expected hosts_on=all with it",
			k->name);
	if (k->hosts < 0 && p->o.hosts_on > 1)
		return plan_fail(p, "hosts_on=: %s knows hosts_on=all only", k->name);
	if ((k->make == synth_published || k->make == synth_tsubame) &&
	    (p->o.hosts_given || p->o.hosts_on_given || p->o.parallel != 1))
		return plan_fail(
			p,
			"a published fabric has its own hosts and cables: no hosts=, hosts_on=, parallel=");
	if (k->make != synth_director && p->o.uplinks_given)
		return plan_fail(p, "uplinks=: for director: only");
	if (p->o.lmc && !p->o.lids)
		return plan_fail(p, "lmc=: expected lids=1 with it");
	if (!p->o.hosts_given)
		p->o.hosts = k->hosts < 0 ? 1 : (uint64_t)k->hosts;
	return 0;
}

int synth_make(const char *spec, struct fabric **out, struct err *e)
{
	struct plan p = {
		.spec = spec,
		.o = {.parallel = 1, .uplinks = 1, .seed = 1, .speed = SPEED_HDR, .width = WIDTH_4X}};
	AUTO_FREE char *made = NULL, *note = NULL;
	const struct kind *k = NULL;
	struct cursor options = {0};
	AUTO_TEXT struct text t = {0};
	int ret = synth_lesson(spec, &made, &note, e);

	if (ret < 0)
		return -1;
	if (!ret) /* the name of a lesson's fabric */
		return lesson_name(made)
			       ? err_set(e, "%s is made of %.100s, expected a synthetic fabric", spec, made)
			       : synth_make(made, out, e);
	size_t len = kind_length(spec);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		text_add(&t, " %s:", kinds[i].name);
		if (strlen(kinds[i].name) == len && !strncmp(spec, kinds[i].name, len))
			k = &kinds[i];
	}
	if (!k)
		return err_set(e, "%.100s: not a synthetic fabric, expected one of%s", spec, text_str(&t));
	/* SHAPE,NAME=VALUE,... */
	spec += len + 1;
	len = strlen(spec);
	const char *at = strchr(spec, '=');
	if (at) {
		while (at > spec && at[-1] != ',')
			at--;
		options = cur_text(at);
		len = (size_t)(at - spec) - (at > spec);
	}
	for (bool more = at != NULL; more;) {
		struct cursor item = cur_part(&options, ',');

		more = item.end != options.end;
		if (option_set(&p, item))
			return err_copy(e, &p.why);
	}
	if (options_check(&p, k))
		return err_copy(e, &p.why);
	p.rng = p.o.seed;
	AUTO_FREE char *shape = str_printf("%.*s", (int)len, spec);
	if (len > SYNTH_MAX_SHAPE)
		ret = plan_limit(&p, "the shape has %zu characters, expected at most %d", len,
				 SYNTH_MAX_SHAPE);
	else
		ret = k->make(&p, shape) || p.failed || plan_complete(&p) ? -1 : 0;
	ret = ret ? err_copy(e, &p.why) : plan_emit(&p, out, e);
	for (uint32_t i = 0; i < p.n; i++) {
		free(p.node[i].name);
		free(p.node[i].chassis_place);
	}
	free(p.node);
	free(p.cable);
	return ret;
}

/* The names of a list, each behind its kind. */
static void synth_add_named(const char *kind, const char *names, struct text *words)
{
	AUTO_FREE char *copy = str_dup(names);
	char *save = NULL;

	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		text_add(words, " %s%s", kind, w);
}

void synth_begins(const char *word, struct text *words)
{
	AUTO_TEXT struct text lessons = {0};

	if (!strncmp(word, "published:", 10)) {
		synth_add_named("published:", synth_published_names, words);
	} else if (!strncmp(word, "lesson:", 7)) {
		synth_lessons(&lessons);
		synth_add_named("lesson:", text_str(&lessons), words);
	} else {
		for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
			text_add(words, " %s:", kinds[i].name);
		text_add(words, " lesson:");
	}
}
