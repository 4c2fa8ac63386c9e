/* Distances between switches, what ports are used for, and which of them are equivalent. */
#include "core/routing/paths.h"
#include "core/analysis/traffic/spread.h"
#include "core/analysis/traffic/loads.h"
#include "engines/mincontention/mincontention.h"
#include "fixture.h"

/* --- distances ------------------------------------------------------------------------------ */

static void around_a_ring(void **state)
{
	static const uint16_t want[] = {0, 1, 2, 3, 2, 1};
	AUTO_SESSION struct session *s = session_after("synth ring:6; route minhop");
	uint16_t hops[6];

	switch_distances(session_sweep(s)->topo, 0, hops);
	assert_memory_equal(hops, want, sizeof(want));
	ok_line(s, "fail switch ring1");
	ok_line(s, "fail link ring4[2]");
	switch_distances(session_sweep(s)->topo, 0, hops);
	for (uint32_t d = 0; d < 6; d++)
		if (!switch_up(session_sweep(s)->topo, d))
			assert_int_equal(hops[d], NO_HOPS);
}

/* Min Hop's least cost is the number of links. */
static void as_the_hop_matrix_says(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth random:24,4,seed=7; route minhop");
	uint16_t hops[24];

	for (unsigned turn = 0; turn < 3; turn++) {
		const struct routing *r = session_routing(s);

		for (uint32_t from = 0; from < 24; from++) {
			switch_distances(r->topo, from, hops);
			for (uint32_t d = 0; d < 24; d++) {
				unsigned least = r->ops->hops(r, from, d, 0);

				if (switch_up(r->topo, from) && switch_up(r->topo, d) && from != d)
					assert_int_equal(hops[d] == NO_HOPS ? NO_PATH : hops[d], least);
			}
		}
		ok_line(s, "fail random 3");
	}
}

/* --- usage ------------------------------------------------------------------------------------ */

/* Count one port the plain way. */
static struct port_use plain_use(const struct routing *r, uint32_t sw, unsigned port)
{
	struct port_use u = {0};

	for (unsigned lid = 1; lid <= r->lids->max_lid; lid++) {
		uint32_t ep = lid_owner(r->lids, lid);

		if (routing_port(r, sw, lid) != port)
			continue;
		u.lids++;
		u.hosts += ep != NO_ID && !endport_is_switch(r->topo->fabric, ep);
		u.switches += ep != NO_ID && endport_is_switch(r->topo->fabric, ep);
	}
	return u;
}

static void expect_use(const struct routing *r)
{
	const struct mincontention *m = mincontention_of(r);
	const struct fabric *f = r->topo->fabric;
	AUTO_FREE struct port_use *use = port_use_new(r, NULL);

	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		for (unsigned n = 1; n <= f->switch_nports[sw]; n++) {
			uint32_t port = switch_port_id(f, sw, n);
			struct port_use want = plain_use(r, sw, n);

			assert_memory_equal(&use[port], &want, sizeof(want));
			if (m) /* the engine's own counts say the same */
				assert_int_equal(m->usage[port], want.lids);
		}
	}
}

static void every_port_is_counted(void **state)
{
	static const char *const cases[][2] = {{"xgft:4,4:1,2", "minhop"},
					       {"torus:3x3", "dor lmc=1"},
					       {"director:2,4,3,4", "mincontention lmc=1"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_SESSION struct session *s =
			session_after("synth %s; route %s", cases[i][0], cases[i][1]);

		expect_use(session_routing(s));
		ok_line(s, "fail random 2 seed=5");
		expect_use(session_routing(s));
	}
}

static void counting_is_cancelled(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:4,4:1,2; route minhop");
	struct progress p = {0};

	atomic_store(&p.cancel, true);
	assert_null(port_use_new(session_routing(s), &p));
}

/* --- equivalent ports ------------------------------------------------------------------------- */

/* Group of a port named NODE[PORT] among all ports of switches. */
static uint32_t group_of(const struct session *s, const uint32_t *port, const uint32_t *group, uint32_t n,
			 const char *name)
{
	struct err e;
	uint32_t id = session_port(s, name, &e);

	for (uint32_t i = 0; i < n; i++)
		if (port[i] == id)
			return group[i];
	fail_msg("%s is no port of a switch", name);
	return NO_ID;
}

static void by_what_they_lead_to(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:4,4:1,2; route minhop");
	const struct topo *t = session_sweep(s)->topo;
	const struct fabric *f = t->fabric;
	uint32_t *port = calloc(f->n_ports, sizeof(*port)), *group = calloc(f->n_ports, sizeof(*group)),
		 n = 0;
	struct err e;

	ok_line(s, "fail link leaf-04[6]");
	t = session_sweep(s)->topo;
	struct elements *el = elements_new(t, NULL, NULL, NULL, &e);
	for (uint32_t sw = 0; sw < f->n_switches; sw++)
		for (unsigned k = 1; k <= f->switch_nports[sw]; k++)
			port[n++] = switch_port_id(f, sw, k);
	equivalent_ports(el, port, n, group);
	/* spine-02 lost a leaf: it no longer leads where spine-01 does */
	assert_int_not_equal(group_of(s, port, group, n, "leaf-01[5]"),
			     group_of(s, port, group, n, "leaf-01[6]"));
	/* hosts' ports and dead ones are in none */
	assert_int_equal(group_of(s, port, group, n, "leaf-01[1]"), NO_ID);
	assert_int_equal(group_of(s, port, group, n, "leaf-04[6]"), NO_ID);
	elements_unref(el);
	ok_line(s, "restore all");
	el = elements_new(session_sweep(s)->topo, NULL, NULL, NULL, &e);
	/* 4 leaves with a group of two each, 2 spines with a port to each of 4 leaves */
	assert_int_equal(equivalent_ports(el, port, n, group), 4 + 2 * 4);
	assert_int_equal(group_of(s, port, group, n, "leaf-01[5]"),
			 group_of(s, port, group, n, "leaf-01[6]"));
	assert_int_not_equal(group_of(s, port, group, n, "leaf-01[5]"),
			     group_of(s, port, group, n, "leaf-02[5]"));
	assert_int_not_equal(group_of(s, port, group, n, "spine-01[1]"),
			     group_of(s, port, group, n, "spine-01[2]"));
	elements_unref(el);
	free(port);
	free(group);
}

/* Inside a chassis: edge chips send to centre chips that all lead to the same edges. */
static void inside_an_element(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth director:2,4,3,4; route minhop");
	const struct fabric *f = s->fabric;
	uint32_t *port = calloc(f->n_ports, sizeof(*port)), *group = calloc(f->n_ports, sizeof(*group)),
		 n = 0, inside = 0;
	struct err e;
	struct elements *el = elements_new(session_sweep(s)->topo, NULL, NULL, NULL, &e);

	for (uint32_t sw = 0; sw < f->n_switches; sw++)
		for (uint32_t i = el->first_inside[sw]; i < el->first_inside[sw + 1]; i++)
			port[n++] = el->inside_port[i];
	assert_true(n > 0);
	equivalent_ports(el, port, n, group);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_not_equal(group[i], NO_ID);
		for (uint32_t k = 0; k < i; k++) {
			if (group[i] != group[k])
				continue;
			/* of one chip only */
			assert_int_equal(f->port_node[port[i]], f->port_node[port[k]]);
			inside++;
		}
	}
	assert_true(inside > 0);
	elements_unref(el);
	free(port);
	free(group);
}

/* A spine that leads to the cores and leaves 1 and 2 is not like one that leads to the cores and leaf 4. */
static void other_sets_of_neighbours(void **state)
{
	AUTO_SESSION struct session *s = session_after("synth xgft:2,2,2:1,1,2; route minhop");
	struct err e;
	uint32_t group[2], port[] = {session_port(s, "core-01[1]", &e), session_port(s, "core-01[2]", &e)};

	ok_line(s, "fail link leaf-03[3]");
	struct elements *el = elements_new(session_sweep(s)->topo, NULL, NULL, NULL, &e);
	assert_int_equal(equivalent_ports(el, port, 2, group), 2);
	elements_unref(el);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(around_a_ring),
		cmocka_unit_test(as_the_hop_matrix_says),
		cmocka_unit_test(every_port_is_counted),
		cmocka_unit_test(counting_is_cancelled),
		cmocka_unit_test(by_what_they_lead_to),
		cmocka_unit_test(inside_an_element),
		cmocka_unit_test(other_sets_of_neighbours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
