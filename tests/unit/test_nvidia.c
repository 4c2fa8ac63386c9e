/*
 * NVIDIA's rules (engines/doc/nvidia.md): ports drawn by threads, against glibc's own random(); ways through
 * the hub; roots; defaults.
 */
#include <limits.h>

#include "core/analysis/shape/levels.h"
#include "core/base/rng.h"
#include "engines/counted/counted.h"
#include "engines/updown/updown.h"
#include "tests/unit/fixture.h"

#define THREADS 12 /* more than any fabric here has switches */

/* Draws as one thread of the manager does: random() of the C library with 128 bytes of state. */
struct drawing {
	struct random_data data;
	char state[128];
};

static void drawing_start(struct drawing *t, unsigned seed)
{
	*t = (struct drawing){0};
	assert_int_equal(initstate_r(seed, t->state, sizeof(t->state), &t->data), 0);
}

static unsigned drawing_next(struct drawing *t)
{
	int32_t v;

	assert_int_equal(random_r(&t->data, &v), 0);
	return (unsigned)v;
}

/* LIDs in the order in which a switch goes through them. */
static unsigned order_of(const struct routing *r, uint16_t *lid)
{
	const struct fabric *f = r->topo->fabric;
	bool by_lid = strcmp(r->engine, "minhop") != 0;
	unsigned n = 0;

	for (unsigned l = 1; by_lid && l <= r->lids->max_lid; l++)
		if (r->lids->owner[l] != NO_ID)
			lid[n++] = (uint16_t)l;
	if (by_lid)
		return n;
	for (unsigned hosts = 256; hosts-- > 0;)
		for (uint32_t s = 0; s < f->n_switches; s++) {
			unsigned found = 0;

			for (unsigned pass = 0; pass < 2; pass++)
				FOR_PORTS(f, s, id) {
					uint32_t q = r->topo->peer[id];

					if (q == NO_ID || node_is_switch(f, f->port_node[q]))
						continue;
					if (pass && found == hosts)
						lid[n++] = r->lids->base[f->port_endport[q]];
					found += !pass;
				}
		}
	for (uint32_t s = 0; s < f->n_switches; s++)
		lid[n++] = r->lids->base[f->port_endport[f->switch_port[s]]];
	return n;
}

/* The tables are those of T threads; entries through a hub, and missing ones, are not looked at. */
static void drawn_by_threads(const struct routing *r, unsigned threads, unsigned seed, bool of_switches)
{
	const struct topo *t = r->topo;
	const struct updown *u = updown_of(r);
	const struct hops *h = u ? u->hops : r->priv;
	struct drawing thread[THREADS];
	uint16_t lid[600];
	unsigned n = order_of(r, lid), free_choices = 0;

	for (unsigned i = 0; i < threads; i++)
		drawing_start(&thread[i], seed + i);
	for (uint32_t s = 0; s < t->fabric->n_switches; s++) {
		unsigned count[256] = {0};

		for (unsigned i = 0; i < n; i++) {
			uint32_t ep = lid_owner(r->lids, lid[i]), to = t->endport_switch[ep];
			bool host = !endport_is_switch(t->fabric, ep);
			unsigned port[256], ports = 0, least = UINT_MAX, entry = routing_port(r, s, lid[i]);
			uint64_t mask[4] = {0};

			if (to == s) {
				count[entry] += host;
				continue;
			}
			if (hops_least(h, s, to) == NO_PATH)
				continue;
			hops_mask(h, t, s, to, mask);
			for (unsigned pass = 0; pass < 2; pass++)
				for (unsigned p = 1; p < 256; p++) {
					if (!(mask[p / 64] >> p % 64 & 1))
						continue;
					if (!pass)
						least = MIN(least, count[p]);
					else if (count[p] == least)
						port[ports++] = p;
				}
			assert_true(ports > 0);
			unsigned at = host || of_switches ? drawing_next(&thread[s % threads]) % ports : 0;
			if (entry != port[at])
				fail_msg("%s, switch %u LID %u: found port %u, expected %u of %u", r->engine,
					 s, lid[i], entry, port[at], ports);
			free_choices += ports > 1;
			count[entry] += host;
		}
	}
	assert_true(free_choices > 0);
}

static void test_threads(void **state)
{
	static const char *const fabrics[] = {"xgft:4,4:1,4", "xgft:3,2,2:1,2,2,shuffle=1",
					      "torus:3x3,hosts=2"};
	uint64_t rng = test_seed();

	for (unsigned k = 0; k < ARRAY_LEN(fabrics); k++)
		for (unsigned i = 0; i < 4; i++) {
			AUTO_SESSION struct session *s = make_session(line_of("synth %s", fabrics[k]));
			unsigned threads = 1 + rng_below(&rng, THREADS - 1), seed = 1 + rng_below(&rng, 1000);
			bool of_switches = rng_below(&rng, 2);

			ok_line(s, "set rules nvidia");
			if (k == 2) /* no switch has more than two hosts: no rule names roots */
				ok_line(s, line_of("set root_guid_file %s", switch_name(s->fabric, 0)));
			ok_line(s, line_of("set routing_threads_num %u; set scatter_ports %u; set "
					   "use_scatter_for_switch_lid %u",
					   threads, seed, of_switches));
			ok_line(s, i % 2 ? "route minhop" : "route updn");
			drawn_by_threads(session_routing(s), MIN(threads, s->fabric->n_switches), seed,
					 of_switches);
		}
}

/* First numbers of the threads, as published tables show them: scatter_ports 8, modulo 2. */
static void test_vector(void **state)
{
	static const char *const drawn[] = {"00011101", "10110100", "10010111", "10111111"};

	for (unsigned i = 0; i < ARRAY_LEN(drawn); i++) {
		struct glibc_random g;

		glibc_random_seed(&g, 8 + i);
		for (const char *c = drawn[i]; *c; c++)
			assert_int_equal(glibc_random_next(&g) % 2, *c - '0');
	}
}

/* One thread that also draws for switches is public OpenSM's stream. */
static void test_public_stream(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth xgft:3,2,2:1,2,2,shuffle=1");

	ok_line(s, "set scatter_ports 5; route minhop");
	AUTO_ROUTING const struct routing *public = routing_ref(session_routing(s));
	ok_line(s, "set rules nvidia; set routing_threads_num 1; set use_scatter_for_switch_lid TRUE; reset; "
		   "route minhop");
	assert_ptr_not_equal(public, session_routing(s));
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		for (unsigned lid = 1; lid <= public->lids->max_lid; lid++)
			assert_int_equal(routing_port(public, sw, lid),
					 routing_port(session_routing(s), sw, lid));
}

static uint32_t first_with_hosts(const struct fabric *f)
{
	for (uint32_t s = 0; s < f->n_switches; s++)
		FOR_PORTS(f, s, id)
			if (f->port_peer[id] != NO_ID && !node_is_switch(f, f->port_node[f->port_peer[id]]))
				return s;
	return NO_ID;
}

/* Every root sends to the other roots by the hub (NO_ID: it has no entry). */
static void roots_meet_at(const struct session *s, uint32_t hub)
{
	const struct routing *r = session_routing(s);
	const struct fabric *f = s->fabric;
	unsigned seen = 0;

	for (uint32_t a = 0; a < f->n_switches; a++)
		for (uint32_t b = 0; b < f->n_switches; b++) {
			if (a == b || !r->ops->is_root(r, a) || !r->ops->is_root(r, b))
				continue;
			unsigned port = routing_port(r, a, r->lids->base[f->port_endport[f->switch_port[b]]]);

			seen++;
			if (hub == NO_ID)
				assert_int_equal(port, NO_PATH);
			else
				assert_int_equal(r->topo->peer_switch[switch_port_id(f, a, port)], hub);
		}
	assert_int_equal(seen, 12);
}

static void test_hub(void **state)
{
	static const char *const engines[] = {"updn", "ar_updn", "ftree"};

	for (unsigned k = 0; k < ARRAY_LEN(engines); k++) {
		AUTO_SESSION struct session *s = make_session("synth xgft:4,4:1,4");
		uint32_t hub = first_with_hosts(s->fabric), other = hub + 1;
		char *said;

		ok_line(s, line_of("set rules nvidia; route %s", engines[k]));
		assert_string_equal(session_routing(s)->engine, engines[k]);
		roots_meet_at(s, hub);
		for (uint32_t a = 0; k < 2 && a < s->fabric->n_switches; a++)
			if (session_routing(s)->ops->is_root(session_routing(s), a)) {
				said = line_output(s,
						   line_of("why %s %s", switch_name(s->fabric, a),
							   switch_name(s->fabric, a ? 0 : 1)),
						   false);
				assert_true(
					!session_routing(s)->ops->is_root(session_routing(s), a ? 0 : 1) ||
					strstr(said, "calculate_missing_routes sends"));
				free(said);
			}
		ok_line(s, line_of("set missing_routes_hub %s; route %s", switch_name(s->fabric, other),
				   engines[k]));
		roots_meet_at(s, other);
		ok_line(s, line_of("set calculate_missing_routes FALSE; reset; route %s", engines[k]));
		roots_meet_at(s, NO_ID);
	}
}

/* Roots are the switches farthest from those with more than max_cas_on_spine hosts. */
static void test_roots(void **state)
{
	AUTO_SESSION struct session *tree = make_session("synth xgft:3,3,3:1,2,2,shuffle=1");
	AUTO_SESSION struct session *ring = make_session("synth ring:4,hosts=1");
	AUTO_FREE uint32_t *hosts = NEW_ARRAY(tree->fabric->n_switches, uint32_t);

	ok_line(tree, "route ar_updn");
	const struct routing *r = session_routing(tree);
	for (uint32_t ep = 0; ep < tree->fabric->n_endports; ep++)
		if (!endport_is_switch(tree->fabric, ep))
			hosts[r->topo->endport_switch[ep]]++;
	struct levels *l = levels_new(r->topo, hosts, NULL);
	for (uint32_t s = 0; s < tree->fabric->n_switches; s++)
		assert_int_equal(r->ops->is_root(r, s), l->root[s]);
	arena_free(l);
	/* no leaf: updn gives way to minhop, ar_updn shows minhop's ways */
	char *said = line_output(ring, "set rules nvidia; route updn", false);
	assert_non_null(strstr(said, "names no leaf"));
	assert_string_equal(session_routing(ring)->engine, "minhop");
	free(said);
	ok_line(ring, "route ar_updn");
	assert_string_equal(session_routing(ring)->engine, "ar_updn");
	ok_line(ring, "set find_roots_color_algorithm FALSE; route updn");
	assert_string_equal(session_routing(ring)->engine, "minhop");
}

/* What is not published is never told as a fact: its line says that it is assumed. */
static void test_assumed(void **state)
{
	static const char *const cases[][3] = {
		{"synth xgft:4,4:1,4", "set rules nvidia; route updn", "routing_threads_num is not known"},
		{"synth xgft:4,4:1,4", "set rules nvidia; route updn",
		 "NVIDIA's rule only the outline is published"},
		{"synth xgft:4,4:1,4", "set rules nvidia; route updn",
		 "which switch it takes is not published"},
		{"synth xgft:4,4:1,4", "set rules nvidia; route updn; fail random 1 seed=3",
		 "keeps after a change"},
		{"synth ring:4,hosts=1", "route ar_updn", "names no leaf"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_SESSION struct session *s = make_session(cases[i][0]);
		AUTO_FREE char *said = line_output(s, cases[i][1], false);
		const char *at = strstr(said, cases[i][2]);

		if (!at)
			fail_msg("\"%s\" is not in: %s", cases[i][2], said);
		while (at > said && at[-1] != '\n')
			at--;
		const char *assumed = strstr(at, "assumed");
		if (!assumed || assumed > at + strcspn(at, "\n"))
			fail_msg("told as a fact: %.*s", (int)strcspn(at, "\n"), at);
	}
}

static void test_defaults(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth xgft:4,4:1,4");

	ok_line(s, "set rules nvidia");
	assert_int_equal(options_uint(s->setup->options, "scatter_ports"), 8);
	assert_int_equal(options_uint(s->setup->options, "max_op_vls"), 2);
	assert_true(options_bool(s->setup->options, "qos"));
	ok_line(s, "set scatter_ports 0; set rules opensm");
	assert_int_equal(options_uint(s->setup->options, "max_op_vls"), 5);
	ok_line(s, "set rules nvidia");
	assert_int_equal(options_uint(s->setup->options, "scatter_ports"), 0);
}

/* Whose rules count: those that are set, else those of the engine or of what the source tells. */
static void test_flavour(void **state)
{
	AUTO_SESSION struct session *s = make_session("synth xgft:4,4:1,4");

	ok_line(s, "route ar_updn");
	assert_true(nvidia_rules(session_sweep(s)->setup->options));
	assert_false(nvidia_rules(s->setup->options));
	ok_line(s, "route updn");
	assert_false(nvidia_rules(session_sweep(s)->setup->options));
	for (unsigned k = 0; k < 2; k++) {
		ok_line(s, k ? "set rules manual; route ar_updn" : "set rules opensm; route ar_updn");
		assert_false(nvidia_rules(session_sweep(s)->setup->options));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vector),	      cmocka_unit_test(test_threads),
		cmocka_unit_test(test_public_stream), cmocka_unit_test(test_hub),
		cmocka_unit_test(test_roots),	      cmocka_unit_test(test_assumed),
		cmocka_unit_test(test_defaults),      cmocka_unit_test(test_flavour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
