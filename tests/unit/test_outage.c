/*
 * The outage against brute force: every pair is walked through the old tables with the failed elements down.
 * Random fabrics, engines, LMC 0 to 2, hosts with two ports; with and without groups of ports and repairs.
 */
#include "fixture.h"

#include "core/analysis/compare/outage.h"
#include "core/analysis/survey/survey.h"
#include "core/base/rng.h"
#include "core/fabric/elements.h"

#define MOST 10

/* A connected fabric of 3 to 10 switches; hosts of one or two ports, both on one switch or on two. */
static struct fabric *draw(uint64_t *seed)
{
	uint32_t n = 3 + rng_below(seed, MOST - 2), more = rng_below(seed, n + 3);
	bool some_twice = rng_below(seed, 3) > 0;
	struct drawn d = switches_drawn(seed, n, n - 1 + more);

	for (uint32_t k = 0; k < n + 2; k++) {
		unsigned ports = some_twice ? 1 + rng_below(seed, 2) : 1;
		uint32_t h = host_drawn(&d, k, ports);

		for (unsigned p = 1; p <= ports; p++)
			host_cabled(&d, h, p, k < 2 ? k : rng_below(seed, n));
	}
	return built(d.b);
}

/* --- brute force: no line of it is the product's -------------------------------------------------------- */

struct brute {
	const struct routing *r;
	const struct fabric *f;
	const struct state *was, *down; /* was: as the old tables were made */
	bool flfr;
};

static bool live(const struct brute *b, bool now, uint32_t port)
{
	uint32_t q = b->f->port_peer[port];

	if (q == NO_ID)
		return false;
	for (int i = 0; i < 1 + now; i++) {
		const struct state *s = i ? b->down : b->was;

		if (s->link_down[b->f->port_link[port]] || s->node_down[b->f->port_node[port]] ||
		    s->node_down[b->f->port_node[q]])
			return false;
	}
	return true;
}

static bool in_group(const struct brute *b, uint32_t sw, unsigned lid, unsigned port, bool *any)
{
	const struct adaptive_group *g = adaptive_find(b->r->adaptive, sw, lid);

	*any = g != NULL;
	return g && port_set_has(&g->ports, port);
}

/* The ways of a packet from a switch: 'a' all arrive, 'c' one meets a dead port, 'l' one loops. *stop: there.
 */
static char walk(const struct brute *b, bool now, bool spread, uint32_t sw, unsigned lid, uint32_t dst,
		 unsigned depth, uint32_t *stop)
{
	uint32_t p0 = b->f->node_port[b->f->switch_node[sw]];
	unsigned entry = b->r->row[sw] && lid <= b->r->row[sw]->top ? b->r->row[sw]->port[lid] : 255,
		 nports = b->f->switch_nports[sw];
	bool any = false, chosen[256] = {false}, some = false;
	char worst = 'a';

	if (depth > b->f->n_switches)
		return 'l';
	*stop = p0;
	if (entry > nports || !entry)
		return 'c'; /* no LID here is a switch's */
	for (unsigned p = 1; b->r->adaptive && p <= nports; p++)
		if (in_group(b, sw, lid, p, &any) && live(b, now, p0 + p) &&
		    (spread || (now && b->flfr && !live(b, now, p0 + entry) && !some)))
			chosen[p] = some = true;
	if (!some || (spread && live(b, now, p0 + entry)))
		chosen[entry] = true;
	for (unsigned p = some ? 1 : entry; p <= (some ? nports : entry) && worst != 'l'; p++) {
		uint32_t q = b->f->port_peer[p0 + p];
		char c;

		if (!chosen[p])
			continue;
		*stop = p0 + p;
		if (!live(b, now, p0 + p))
			c = 'c';
		else if (b->f->node_switch[b->f->port_node[q]] != NO_ID)
			c = walk(b, now, spread, b->f->node_switch[b->f->port_node[q]], lid, dst, depth + 1,
				 stop);
		else
			c = q == b->f->endport_port[dst] ? 'a' : 'c';
		if (c != 'a')
			worst = c;
	}
	return worst;
}

struct sums {
	uint64_t hit, cut, looping, end_down, spread, sends[200], receives[200];
	uint64_t *at; /* [n_ports][max_lid + 1] */
	uint32_t had[100][100];
	bool ok[100][100];
};

/* A host's port is up, and so are its cable and switch. */
static bool host_up(const struct brute *b, bool now, uint32_t ep)
{
	return live(b, now, b->f->endport_port[ep]);
}

static void sum_pair(const struct brute *b, uint32_t src, unsigned lid, uint32_t dst, struct sums *x)
{
	const struct fabric *f = b->f;
	uint32_t sp = f->endport_port[src], sw = f->node_switch[f->port_node[f->port_peer[sp]]], stop;
	uint32_t from = f->port_node[sp], to = f->port_node[f->endport_port[dst]];
	struct brute plain = *b;
	bool ends = host_up(b, true, src) && host_up(b, true, dst), lost, hit;
	char c;

	plain.flfr = false;
	if (!host_up(b, false, src) || walk(b, false, false, sw, lid, dst, 0, &stop) != 'a')
		return;
	x->had[from][to]++;
	hit = !host_up(b, true, src) || walk(&plain, true, false, sw, lid, dst, 0, &stop) != 'a';
	c = host_up(b, true, src) ? walk(b, true, false, sw, lid, dst, 0, &stop) : 'c';
	lost = c != 'a';
	x->hit += hit;
	x->cut += lost;
	x->looping += c == 'l';
	x->end_down += lost && !ends;
	x->sends[src] += lost;
	x->receives[dst] += lost;
	x->ok[from][to] |= !lost;
	if (c == 'c' && host_up(b, true, src))
		x->at[(size_t)stop * (b->r->lids->max_lid + 1u) + lid]++;
	if (b->r->adaptive && walk(b, false, true, sw, lid, dst, 0, &stop) == 'a')
		x->spread += !host_up(b, true, src) || walk(b, true, true, sw, lid, dst, 0, &stop) != 'a';
}

static struct sums *sum_all(const struct brute *b)
{
	struct sums *x = calloc(1, sizeof(*x));

	assert_non_null(x);
	x->at = calloc((size_t)b->f->n_ports * (b->r->lids->max_lid + 1u), sizeof(*x->at));
	assert_non_null(x->at);
	assert_true(b->f->n_nodes < 100 && b->f->n_endports < 200);
	for (unsigned lid = 1; lid <= b->r->lids->max_lid; lid++) {
		uint32_t dst = b->r->lids->owner[lid];

		if (dst == NO_ID || b->f->node_switch[b->f->port_node[b->f->endport_port[dst]]] != NO_ID ||
		    !host_up(b, false, dst))
			continue;
		for (uint32_t src = 0; src < b->f->n_endports; src++)
			if (src != dst &&
			    b->f->node_switch[b->f->port_node[b->f->endport_port[src]]] == NO_ID)
				sum_pair(b, src, lid, dst, x);
	}
	return x;
}

static void free_sums(struct sums *x)
{
	free(x->at);
	free(x);
}

/* --- comparison -------------------------------------------------------------------------------------------
 */

static unsigned ports_that_count(const struct brute *b, uint32_t node)
{
	unsigned n = 0;

	for (uint32_t ep = 0; ep < b->f->n_endports; ep++)
		n += b->f->port_node[b->f->endport_port[ep]] == node && host_up(b, false, ep);
	return n;
}

static void compare_peers(const struct brute *b, const struct outage *x, const struct sums *s)
{
	uint32_t n = 0;

	for (uint32_t from = 0; from < b->f->n_nodes; from++)
		for (uint32_t to = 0; to < b->f->n_nodes; to++) {
			if (from == to || s->had[from][to] < 2 || s->ok[from][to] ||
			    b->down->node_down[from] || b->down->node_down[to] ||
			    (ports_that_count(b, from) < 2 && ports_that_count(b, to) < 2))
				continue;
			assert_true(n < x->n_peers);
			assert_int_equal(x->peers[n].from, from);
			assert_int_equal(x->peers[n].to, to);
			assert_int_equal(x->peers[n++].paths, s->had[from][to]);
		}
	assert_int_equal(n, x->n_peers);
	assert_int_equal(n, x->all_peers);
}

static void compare_lists(const struct brute *b, const struct outage *x, const struct sums *s)
{
	uint64_t all = 0;
	size_t told = 0, there = 0;
	uint32_t hosts = 0;

	for (uint32_t i = 0; i < x->n_ports; i++) {
		const struct outage_port *p = &x->port[i];
		uint64_t pairs = 0;

		for (uint32_t k = p->first; k < p->first + p->lids; k++) {
			assert_int_equal(x->entry[k].port, p->port);
			assert_int_equal(
				x->entry[k].pairs,
				s->at[(size_t)p->port * (b->r->lids->max_lid + 1u) + x->entry[k].lid]);
			pairs += x->entry[k].pairs;
			told++;
		}
		assert_int_equal(pairs, p->pairs);
		assert_true(!i || p[-1].pairs >= pairs);
	}
	for (size_t i = 0; i < (size_t)b->f->n_ports * (b->r->lids->max_lid + 1u); i++)
		there += s->at[i] != 0;
	assert_int_equal(told, there);
	assert_int_equal(told, x->n_entries);
	for (uint32_t i = 0; i < x->n_hosts; i++) {
		const struct outage_host *h = &x->host[i];

		assert_int_equal(h->sends, s->sends[h->endport]);
		assert_int_equal(h->receives, s->receives[h->endport]);
		assert_int_equal(h->pairs, h->sends + h->receives);
		assert_int_equal(h->down, !host_up(b, true, h->endport));
		all += h->pairs;
	}
	for (uint32_t ep = 0; ep < b->f->n_endports; ep++)
		hosts += s->sends[ep] || s->receives[ep];
	assert_int_equal(hosts, x->n_hosts);
	assert_int_equal(all, 2 * x->cut);
}

static void compare(const struct brute *b, enum local_repair repair)
{
	struct outage *x = outage_new(b->r, b->down, repair, NULL, NULL);
	struct sums *s = sum_all(b);
	uint64_t cut;

	assert_non_null(x);
	assert_int_equal(x->hit, s->hit);
	assert_int_equal(x->cut, s->cut);
	assert_int_equal(x->looping, s->looping);
	assert_int_equal(x->end_down, s->end_down);
	assert_int_equal(x->spread, s->spread);
	compare_lists(b, x, s);
	compare_peers(b, x, s);
	assert_int_equal(outage_count(b->r, b->down, repair, &cut, NULL, NULL), 0);
	assert_int_equal(cut, s->cut);
	arena_free(x);
	free_sums(s);
}

/* Every link and switch alone. */
static void compare_parts(struct brute *b, const struct topo *t, enum local_repair repair)
{
	for (enum part_kind kind = PART_LINK; kind <= PART_SWITCH; kind++) {
		struct parts *p = parts_new(b->f, kind, NULL);
		AUTO_FREE uint64_t *cut = calloc(p->n + 1, sizeof(*cut));

		assert_non_null(cut);
		parts_keep_up(p, t);
		assert_int_equal(outage_by_pass(b->r, p, repair), repair == REPAIR_OFF || !b->r->adaptive);
		assert_int_equal(outage_of_parts(b->r, p, repair, cut, NULL, NULL), 0);
		for (uint32_t i = 0; i < p->n; i++) {
			AUTO_STATE struct state *down = state_new(b->f);
			struct brute one = *b;

			parts_mark(p, i, down, 1);
			one.down = down;
			struct sums *s = sum_all(&one);
			assert_int_equal(cut[i], s->cut);
			free_sums(s);
		}
		parts_free(p);
	}
}

/* Groups for some LIDs: the port of the table and others that lead to switches. */
static struct routing *with_groups(const struct routing *r, uint64_t *seed)
{
	struct routing *c = routing_with_hosts(r, r->hosts);
	const struct fabric *f = r->topo->fabric;

	if (c->adaptive)
		counted_unref(&c->adaptive->counted);
	c->adaptive = adaptive_new(f->n_switches);
	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned lid = 1; lid <= r->lids->max_lid; lid++) {
			unsigned port = routing_port(r, s, lid), g;

			if (port == NO_PATH || !port || rng_below(seed, 3) == 0 ||
			    r->topo->peer_switch[switch_port_id(f, s, port)] == NO_ID)
				continue;
			g = adaptive_group_index(&c->adaptive->sw[s], lid);
			if (rng_below(seed, 5))
				port_set_add(&c->adaptive->sw[s].group[g].ports, port);
			for (unsigned p = 1; p <= f->switch_nports[s]; p++)
				if (r->topo->peer_switch[switch_port_id(f, s, p)] != NO_ID &&
				    rng_below(seed, 3) == 0)
					port_set_add(&c->adaptive->sw[s].group[g].ports, p);
			adaptive_set(&c->adaptive->sw[s], lid, g);
		}
	return c;
}

static struct state *draw_failure(const struct fabric *f, uint64_t *seed)
{
	struct state *down = state_new(f);

	for (uint32_t i = 1 + rng_below(seed, 3); i--;)
		if (rng_below(seed, 3))
			down->link_down[rng_below(seed, f->n_links)] = 1;
		else
			down->node_down[rng_below(seed, f->n_nodes)] = 1;
	return down;
}

static void test_pairs_are_walked(void **state)
{
	static const char *const engine[] = {"minhop", "updn", "dnup",	"lash",	   "sssp",    "dfsssp",
					     "nue",    "dor",  "ftree", "ar_updn", "ar_updn", "ar_updn"};
	uint64_t seed = test_seed();

	for (unsigned turn = 0; turn < test_rounds(120); turn++) {
		struct fabric *f = draw(&seed);
		AUTO_SESSION struct session *s = session_on(f);
		struct brute b = {.f = f};
		const struct sweep *w;

		ok_linef(s, "route %s lmc=%u", engine[rng_below(&seed, ARRAY_LEN(engine))],
			 rng_below(&seed, 3));
		if (rng_below(&seed, 3) == 0)
			ok_line(s, "fail random 1 seed=3");
		w = session_sweep(s);
		b.was = w->setup->state;
		b.r = w->routing;
		struct state *down = draw_failure(f, &seed);
		b.down = down;
		if (!b.r || w->topo->n_switches_up < f->n_switches) {
			state_free(down);
			continue;
		}
		compare(&b, REPAIR_OFF);
		b.flfr = true;
		compare(&b, REPAIR_FLFR); /* without groups nothing is repaired */
		AUTO_ROUTING struct routing *spread = with_groups(w->routing, &seed);
		b.r = spread;
		compare(&b, REPAIR_FLFR);
		if (turn % 8 == 0)
			compare_parts(&b, w->topo, REPAIR_FLFR);
		b.flfr = false;
		compare(&b, REPAIR_OFF);
		if (turn % 8 == 0)
			compare_parts(&b, w->topo, REPAIR_OFF);
		state_free(down);
	}
}

/* Both ports of a host on one leaf: its failure parts it from all; on two leaves it does not. */
static void test_two_ports(void **state)
{
	struct fabric_builder *b = fb_new();
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	struct fabric *f = NULL;
	struct err e = {0};
	uint32_t leaf[2], h[3];

	uint32_t top = fb_add(b, NODE_SWITCH, 0x30, 4, "top");
	for (uint32_t k = 0; k < 2; k++) {
		leaf[k] = fb_add(b, NODE_SWITCH, 0x10 + k, 8, k ? "leaf1" : "leaf0");
		fb_link(b, leaf[k], 8, top, k + 1);
	}
	h[0] = fb_add(b, NODE_CA, 0x100, 2, "one-leaf");
	h[1] = fb_add(b, NODE_CA, 0x110, 2, "two-leaves");
	h[2] = fb_add(b, NODE_CA, 0x120, 1, "peer");
	fb_link(b, leaf[0], 1, h[0], 1);
	fb_link(b, leaf[0], 2, h[0], 2);
	fb_link(b, leaf[0], 3, h[1], 1);
	fb_link(b, leaf[1], 3, h[1], 2);
	fb_link(b, leaf[1], 1, h[2], 1);
	assert_int_equal(fb_finish(b, "test", "test", &f, &e), 0);
	assert_int_equal(session_set_fabric(s, f, "test", NULL, &e), 0);
	ok_line(s, "route minhop");
	{
		AUTO_STATE struct state *down = state_new(f);

		down->link_down[f->port_link[f->switch_port[0] + 8]] = 1; /* leaf0[8] top[1] */
		AUTO_ARENA struct outage *x = outage_new(session_routing(s), down, REPAIR_OFF, NULL, &e);
		assert_non_null(x);
		assert_int_equal(x->n_peers,
				 2); /* one-leaf and peer, both ways; two-leaves has a way to all */
		assert_string_equal(f->node_name[x->peers[0].from], "one-leaf");
		assert_string_equal(f->node_name[x->peers[0].to], "peer");
		assert_int_equal(x->peers[0].paths, 2);
	}
}

/* Rows of survey, single failures and pairs; the event of the failure and `outage` with its words say the
 * same. */
static void test_survey_has_it(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:3,3:1,2; route minhop lmc=1");
	struct err e = {0};

	for (int turn = 0; turn < 8; turn++) {
		struct survey_request rq = {.before = session_sweep(s),
					    .engines = all_engines,
					    .kind = turn % 2 ? PART_SWITCH : PART_LINK,
					    .pairs = turn & 2 ? 6 : 0,
					    .by_outage = turn & 4};
		AUTO_ARENA struct survey *v = survey_run(&rq, NULL, &e);

		assert_non_null(v);
		for (uint32_t i = 0; i < v->n; i++) {
			const struct survey_row *r = &v->row[i];
			AUTO_STATE struct state *down = state_new(s->fabric);
			char *line = survey_command(v->parts, r->part), said[80],
			     *words = line + strlen("fail ");
			char *ask = NULL;
			uint64_t cut;

			parts_mark(v->parts, r->part[0], down, 1);
			if (r->part[1] != NO_ID)
				parts_mark(v->parts, r->part[1], down, 1);
			assert_int_equal(outage_count(rq.before->routing, down, REPAIR_OFF, &cut, NULL, &e),
					 0);
			assert_int_equal(cut, r->outage);
			assert_true(r->outage >= r->cut_off);
			assert_true(!i || !rq.by_outage || r[-1].outage >= r->outage);
			snprintf(said, sizeof(said), "Until the next sweep %" PRIu64 " pair", cut);
			if (i < 3) {
				assert_true(asprintf(&ask, "outage %s", words) > 0);
				line_says(s, ask, said);
				line_says(s, line, said);
				line_says(s, "outage", said);
				ok_line(s, "undo");
				free(ask);
			}
			free(line);
		}
	}
}

/* A fabric that has lost a cable and a switch by an edit: the tables before meet what is left. */
static void test_edits(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:3,3:1,2; route updn");

	line_says(s, "outage link leaf-01[4]",
		  "Until the next sweep 21 pairs of 9 host ports are cut; after it 0.");
	ok_line(s, "remove link leaf-01[4]");
	line_says(s, "outage", "Until the next sweep 21 pairs of 9 host ports are cut; after it 0.");
	ok_line(s, "undo");
	ok_line(s, "scope node0001 node0009");
	line_says(s, "outage switch leaf-01",
		  "Until the next sweep 2 pairs of 2 host ports are cut (2 with an end that is down); after "
		  "it 2.");
	ok_line(s, "scope all");
	ok_line(s, "set local_repair flfr");
	line_says(s, "outage link leaf-01[4]", "Until the next sweep 21 pairs");
	line_fails(s, "set local_repair on", "local_repair");
}

/* With groups of .far: off, the pairs are cut; flfr, they go on by the other port of the group. */
static void test_groups_of_a_file(void **state)
{
	AUTO_SESSION struct session *s = session_after("load tests/fabrics/formats/two-leaf.ibdiagnet2");

	line_says(s, "outage link 0x2000[2]",
		  "Until the next sweep 16 pairs of 4 host ports are cut; after it 0. Of "
		  "packets that may be spread, 0 pairs can lose some.");
	ok_line(s, "set local_repair flfr");
	line_says(s, "fail link 0x2000[2]",
		  "Until the next sweep 0 pairs are cut; after it 0. 16 other pairs go on "
		  "by another port of the group (local_repair).");
}

/* Jobs: those that lose pairs are listed, with their figures; how many have no host here; read again and
 * again. */
static void test_jobs(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:2,2:1,1; route minhop");
	AUTO_TEMP char *path = temp_file("JOBID NODELIST(REASON)\n1 node[0001,0003]\n2 node[0001-0002]\n"
					 "3 other[1-2]\n4 node0003\n");
	AUTO_FREE char *line = str_printf("outage jobs %s link leaf-01[3]", path);

	line_says(s, line,
		  "1 job of 3 loses pairs of their own.\n"
		  "   pairs  seen by    hosts  job\n"
		  "       2        2        2  1\n"
		  "1 job more has no host in the fabric.\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_survey_has_it),	 cmocka_unit_test(test_edits),
		cmocka_unit_test(test_groups_of_a_file), cmocka_unit_test(test_pairs_are_walked),
		cmocka_unit_test(test_two_ports),	 cmocka_unit_test(test_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
