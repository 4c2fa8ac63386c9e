/*
 * NVIDIA's manager: its opensm.conf, port groups, ar_updn against brute force, and `judge`: one changed entry
 * is found, tables made by the rule are not blamed.
 */
#include "core/analysis/compare/ar_rule.h"
#include "core/base/rng.h"
#include "core/formats/readers.h"
#include "core/sm/port_groups.h"
#include "tests/unit/fixture.h"

#define FAR_AWAY 1000u
#define DRAWS 1000

static char *folder; /* of this program's files */

/* A file in the folder. */
static void put(const char *name, const char *text)
{
	file_write(line_of("%s/%s", folder, name), text);
}

static struct session *session_of(const char *spec)
{
	return make_session(line_of("synth %s", spec));
}

/* --- the rule by brute force --------------------------------------------------------------------- */

struct ways {
	const struct topo *t;
	const struct routing *r; /* for the ranks */
	unsigned *fresh, *down;	 /* [n_switches] fewest legal hops to the target; after a step down */
};

static bool is_up(const struct ways *w, uint32_t a, uint32_t b)
{
	const struct fabric *f = w->t->fabric;
	uint32_t ra = w->r->ops->rank(w->r, a), rb = w->r->ops->rank(w->r, b);

	return rb < ra || (rb == ra && f->node_guid[f->switch_node[b]] < f->node_guid[f->switch_node[a]]);
}

static unsigned by_port(const struct ways *w, uint32_t s, uint32_t to)
{
	return 1 + (is_up(w, s, to) ? w->fresh[to] : w->down[to]);
}

static void measure(struct ways *w, uint32_t target)
{
	uint32_t n = w->t->fabric->n_switches;
	bool changed = true;

	for (uint32_t s = 0; s < n; s++)
		w->fresh[s] = w->down[s] = s == target ? 0 : FAR_AWAY;
	while (changed) {
		changed = false;
		for (uint32_t s = 0; s < n; s++)
			FOR_CABLES(w->t, s, id, to) {
				unsigned best = by_port(w, s, to);

				if (best < w->fresh[s]) {
					w->fresh[s] = best;
					changed = true;
				}
				if (!is_up(w, s, to) && best < w->down[s]) {
					w->down[s] = best;
					changed = true;
				}
			}
	}
}

/* Groups of a routing: all ports of the fewest legal hops, and the entry is one of them. */
static void groups_are_right(const struct routing *r)
{
	const struct topo *t = r->topo;
	uint32_t n = t->fabric->n_switches;
	AUTO_FREE unsigned *fresh = NEW_ARRAY(n, unsigned);
	AUTO_FREE unsigned *down = NEW_ARRAY(n, unsigned);
	struct ways w = {t, r, fresh, down};
	unsigned seen = 0;

	for (unsigned lid = 1; lid <= r->lids->max_lid; lid++) {
		uint32_t ep = lid_owner(r->lids, lid), d = ep == NO_ID ? NO_ID : t->endport_switch[ep];

		if (d == NO_ID)
			continue;
		measure(&w, d);
		for (uint32_t s = 0; s < n; s++) {
			const struct adaptive_group *g = adaptive_find(r->adaptive, s, lid);
			struct port_set legal = {{0}};
			unsigned ports = 0, entry = routing_port(r, s, lid);

			if (s == d || w.fresh[s] >= FAR_AWAY) {
				assert_null(g);
				continue;
			}
			FOR_CABLES(t, s, id, to) {
				if (by_port(&w, s, to) != w.fresh[s])
					continue;
				port_set_add(&legal, t->fabric->port_num[id]);
				ports++;
			}
			assert_true(port_set_has(&legal, entry));
			assert_int_equal(g != NULL, ports > 1);
			if (g)
				assert_memory_equal(&g->ports, &legal, sizeof(legal));
			seen += g != NULL;
		}
	}
	assert_true(seen > 0);
}

/* The roots that were found are the roots from now on. */
static void name_roots(struct session *s)
{
	const struct routing *r = session_routing(s);
	AUTO_TEXT struct text t = {0};

	text_add(&t, "set root_guid_file");
	for (uint32_t k = 0; k < s->fabric->n_switches; k++)
		if (r->ops->is_root(r, k))
			text_add(&t, " %s", switch_name(s->fabric, k));
	ok_line(s, t.s);
}

static void test_groups(void **state)
{
	static const char *const trees[] = {"xgft:4,4:1,2", "xgft:3,3,3:1,2,2,shuffle=1",
					    "xgft:3,4,4:1,2,4,parallel=2,shuffle=1"};

	for (size_t i = 0; i < ARRAY_LEN(trees); i++) {
		AUTO_SESSION struct session *s = session_of(trees[i]);

		ok_line(s, "route ar_updn");
		groups_are_right(session_routing(s));
		name_roots(s);
		line_says(s, "fail random 1 seed=3; route ar_updn", "groups by the published rule");
		assert_string_equal(session_routing(s)->engine, "ar_updn");
		groups_are_right(session_routing(s));
	}
}

/* The table is updn's, entry for entry; the unicast cache keeps no groups, so it is not used. */
static void test_table(void **state)
{
	AUTO_SESSION struct session *s = session_of("xgft:3,3,3:1,2,2,shuffle=1");

	ok_line(s, "set rules nvidia; route updn; snapshot a; set use_ucast_cache TRUE; route ar_updn");
	line_says(s, "diff a", "0 entries");
	ok_line(s, "fail host node0001");
	assert_non_null(session_routing(s)->adaptive);
	ok_line(s, "check; step start; step to 0; step end");
}

/* --- judge ------------------------------------------------------------------------------------------ */

static struct routing *copy_of(const struct routing *r)
{
	struct routing *c = routing_new("tables", r->topo, r->lids);

	for (uint32_t s = 0; s < r->topo->fabric->n_switches; s++)
		routing_share_row(c, r, s);
	c->adaptive = adaptive_on(r->adaptive, r->topo->fabric, r->topo->fabric);
	return c;
}

/* A group of its own for a LID. */
static struct port_set *own_group(struct routing *r, uint32_t sw, unsigned lid, struct port_set ports)
{
	struct adaptive_switch *a = &r->adaptive->sw[sw];
	unsigned i = adaptive_group_index(a, 900);

	a->group[i].ports = ports;
	adaptive_set(a, lid, i);
	return &a->group[i].ports;
}

static void set_port(struct routing *r, uint32_t sw, unsigned lid, unsigned port)
{
	struct lft_row *old = r->row[sw], *row = lft_row_new(old->top);

	memcpy(row->port, old->port, old->top + 1u);
	row->port[lid] = (uint8_t)port;
	r->row[sw] = row;
	lft_row_unref(old);
}

/* Changes an entry with a group so that it breaks the rule; what is said of it. */
static enum ar_fault_kind change(struct routing *r, uint32_t sw, unsigned lid, bool host, uint64_t *seed)
{
	const struct fabric *f = r->topo->fabric;
	struct port_set legal = adaptive_find(r->adaptive, sw, lid)->ports, *own;
	unsigned nports = f->switch_nports[sw], port = rng_below(seed, nports + 1),
		 entry = routing_port(r, sw, lid);

	switch (rng_below(seed, host ? 5 : 4)) {
	case 0:
		set_port(r, sw, lid, NO_PATH);
		return AR_MISSING;
	case 1:
		while (port_set_has(&legal, port))
			port = rng_below(seed, nports + 1);
		set_port(r, sw, lid, port);
		return AR_LONGER;
	case 2: /* a port that the rule lacks */
		while (!port || port_set_has(&legal, port))
			port = rng_below(seed, nports + 1);
		own = own_group(r, sw, lid, legal);
		port_set_add(own, port);
		return AR_PORTS;
	case 3:
		own = own_group(r, sw, lid, legal);
		own->word[entry / 64] ^= UINT64_C(1) << entry % 64;
		return AR_OUTSIDE;
	default:
		adaptive_set(&r->adaptive->sw[sw], lid, NO_ADAPTIVE);
		return AR_NO_GROUP;
	}
}

static void test_judge_finds(void **state)
{
	static const char *const specs[] = {"xgft:4,4:1,3", "xgft:3,3,3:1,2,2,shuffle=1"};
	uint64_t seed = test_seed();
	unsigned seen[AR_NO_KIND] = {0};
	struct err e;

	for (unsigned k = 0; k < ARRAY_LEN(specs); k++) {
		AUTO_SESSION struct session *s = session_of(specs[k]);

		ok_line(s, "route ar_updn");
		const struct routing *r = session_routing(s);
		for (unsigned i = 0; i < DRAWS / ARRAY_LEN(specs); i++) {
			uint32_t sw;
			unsigned lid;

			do {
				sw = rng_below(&seed, r->topo->fabric->n_switches);
				lid = 1 + rng_below(&seed, r->lids->max_lid);
			} while (!adaptive_find(r->adaptive, sw, lid));
			bool host = !endport_is_switch(r->topo->fabric, lid_owner(r->lids, lid));
			struct routing *c = copy_of(r);
			enum ar_fault_kind kind = change(c, sw, lid, host, &seed);
			AUTO_SWEEP struct sweep *w = sweep_with_routing(session_sweep(s), c);
			struct ar_judgement *j = ar_judge(w, all_engines, NULL, &e);
			assert_non_null(j);
			if (j->n != 1 || j->fault[0].sw != sw || j->fault[0].lid != lid ||
			    j->fault[0].kind != kind)
				fail_msg("draw %u: %zu faults, expected %s of switch %u LID %u", i, j->n,
					 ar_fault_word[kind], sw, lid);
			seen[kind]++;
			ar_judgement_free(j);
		}
	}
	for (unsigned k = 0; k < AR_NO_KIND; k++)
		assert_true(seen[k] > 0);
}

/* The tables as ibdiagnet writes them; groups with all that the rule says, static ports anywhere in them. */
static char *far_of(const struct routing *r, uint64_t *seed, bool groups)
{
	const struct fabric *f = r->topo->fabric;
	struct text t = {0};

	for (uint32_t s = 0; s < f->n_switches; s++) {
		const struct adaptive_switch *a = &r->adaptive->sw[s];

		text_add(&t,
			 "Switch 0x%016" PRIx64
			 " (x)\n\nGroups Definition:\nGroup|SubGroup|WHBF|Ports\n-----\n",
			 f->node_guid[f->switch_node[s]]);
		for (uint32_t g = 0; groups && g < a->n_groups; g++) {
			text_add(&t, "%u|0|0|", 5 + 3 * g);
			for (unsigned p = port_set_next(&a->group[g].ports, 0), n = 0; p < 256;
			     p = port_set_next(&a->group[g].ports, p + 1))
				text_add(&t, n++ ? ",%u" : "%u", p);
			text_add(&t, "\n");
		}
		text_add(&t, "\nLFT Definition:\nLID|StaticPort|LidState|Group\n-----\n");
		for (unsigned lid = 1; lid <= r->lids->max_lid; lid++) {
			const struct adaptive_group *g = adaptive_find(r->adaptive, s, lid);
			unsigned port = routing_port(r, s, lid);

			if (g) /* a tie decided otherwise */
				do
					port = rng_below(seed, 256);
				while (!port_set_has(&g->ports, port));
			if (g && groups)
				text_add(&t, "0x%04x|%u|Free|%u\n", lid, port,
					 5 + 3 * (unsigned)(g - a->group));
			else
				text_add(&t, "0x%04x|%u|Static|\n", lid, port);
		}
		text_add(&t, "\n");
	}
	return t.s;
}

static void test_judge_files(void **state)
{
	AUTO_SESSION struct session *s = session_of("xgft:4,4,3:1,2,2,shuffle=1");
	uint64_t seed = test_seed();
	bool fault;
	struct err e;
	int rc;

	for (unsigned i = 0; i < 4; i++) {
		ok_line(s, "route ar_updn");
		AUTO_FREE char *far = far_of(session_routing(s), &seed, i % 2);
		put("tables.far", far);
		AUTO_FREE char *said =
			run_line(s, line_of("tables %s/tables.far; judge", folder), &rc, &e, false, &fault);
		assert_int_equal(rc, 0);
		assert_false(fault);
		assert_non_null(strstr(said, "none breaks the rule of ar_updn"));
		assert_int_equal(strstr(said, "only static ports can be judged") != NULL, i % 2 == 0);
	}
	ok_line(s, "synth torus:4x4");
	line_fails(s, "route minhop; judge", "no root switches");
}

/* --- ranks of the manager's dump ------------------------------------------------------------------- */

/* Writes opensm-smdb.dump of a fabric to the folder; every rank is `add` more than it is. */
static void put_smdb(const struct fabric *f, const struct routing *r, unsigned add)
{
	AUTO_TEXT struct text t = {0};

	text_add(&t, "START_NODES\nNodeDesc, NumPorts, NodeType, NodeGUID, PortGUID\n");
	for (uint32_t n = 0; n < f->n_nodes; n++)
		text_add(&t, "\"%s\", %u, %u, 0x%" PRIx64 ", 0x%" PRIx64 "\n", f->node_desc[n],
			 f->node_nports[n], f->node_type[n], f->node_guid[n], f->node_guid[n]);
	text_add(&t, "END_NODES\nSTART_SWITCHES\nNodeGUID, LinearFDBCap, Rank\n");
	for (uint32_t s = 0; s < f->n_switches; s++)
		text_add(&t, "0x%" PRIx64 ", 49152, %u\n", f->node_guid[f->switch_node[s]],
			 r->ops->rank(r, s) + add);
	text_add(&t, "END_SWITCHES\nSTART_LINKS\nNodeGuid1, PortNum1, NodeGuid2, PortNum2\n");
	for (uint32_t l = 0; l < f->n_links; l++) {
		uint32_t a = f->link_port[2 * l], b = f->link_port[2 * l + 1];

		text_add(&t, "0x%" PRIx64 ", %u, 0x%" PRIx64 ", %u\n", f->node_guid[f->port_node[a]],
			 f->port_num[a], f->node_guid[f->port_node[b]], f->port_num[b]);
	}
	text_add(&t, "END_LINKS\n");
	put("opensm-smdb.dump", t.s);
}

static void test_told_ranks(void **state)
{
	AUTO_SESSION struct session *s = session_of("xgft:3,3:1,2");
	AUTO_SESSION struct session *b = session_new(all_engines, all_commands);
	AUTO_SESSION struct session *c = session_new(all_engines, all_commands);

	ok_line(s, "route updn");
	put_smdb(s->fabric, session_routing(s), 3);
	line_says(b, line_of("load %s/opensm-smdb.dump; route ar_updn", folder),
		  "by the ranks that the source tells");
	assert_int_equal(b->fabric->n_links, s->fabric->n_links);
	for (uint32_t k = 0; k < b->fabric->n_switches; k++)
		assert_true(session_routing(b)->ops->rank(session_routing(b), k) >= 3);
	groups_are_right(session_routing(b));
	line_says(b, "judge", "by the ranks that the source tells");
	ok_line(b, "step start; step end");
	/* a new name leaves the ranks as they are; a failure does not, and no told rank is 0 */
	line_says(b, "rename leaf-01 first; judge", "by the ranks that the source tells");
	line_says(b, "set root_guid_file spine-0[1-2]; fail link first[4]; judge",
		  "all ports of the fewest legal hops\n");
	/* another file tells the cables: the folder has both */
	ok_linef(s, "save %s/a.ibnetdiscover", folder);
	line_says(c, line_of("load %s; route ar_updn", folder), "by the ranks that the source tells");
	/* after a failure ranks are distances from the roots that it tells, even where counting finds others
	 */
	put_smdb(s->fabric, session_routing(s), 0);
	ok_linef(c, "load %s/opensm-smdb.dump; fail link leaf-01[4]; route ar_updn", folder);
	assert_string_equal(session_routing(c)->engine, "ar_updn");
	groups_are_right(session_routing(c));
}

/* --- port groups -------------------------------------------------------------------------------------- */

static void members_are(const struct port_groups *g, const struct fabric *f, const char *group,
			const char *want)
{
	AUTO_FREE uint8_t *in = NEW_ARRAY(f->n_ports, uint8_t);
	AUTO_TEXT struct text t = {0};
	struct err e;
	int rc = port_groups_members(g, group, f, in, &e);

	if (rc < 0)
		text_add(&t, "%s", e.msg);
	else if (!rc)
		text_add(&t, "no such group");
	for (uint32_t p = 0; rc > 0 && p < f->n_ports; p++)
		if (in[p])
			text_add(&t, "%s%s", t.len ? " " : "", f->node_desc[f->port_node[p]]);
	assert_string_equal(text_str(&t), want);
}

static void test_port_groups(void **state)
{
	static const char text[] =
		"# groups\nport-group\n port-regexp: spine.*[12]\nname: roots\nuse: for fun\n"
		"end-port-group\n\nport-group\nname: two\nport-regexp: ^leaf-0[1-3]:0\n"
		"port-regexp: ^spine-01$:1\nend-port-group\n"
		"port-group\nname: all\nport-guid-range: 0x1 - 0xffffffffffffffff\nend-port-group\n"
		"port-group\nname: rest\nsubtract-rule: all, roots, hosts\nend-port-group\n"
		"port-group\nname: hosts\nport-regexp: ^node\nend-port-group\n"
		"port-group\nname: named\nport-name: hostname=node0002; port=1 , hostname=nod, "
		"hostname=node0003; hca_idx=1\nend-port-group\n"
		"port-group\nname: both\nunion-rule: roots, named\nend-port-group\n"
		"port-group\nname: ring\nunion-rule: ring, named\nend-port-group\n"
		"port-group\nname: lost\nunion-rule: nowhere\nend-port-group\n";
	static const char *const bad[][2] = {
		{"port-group\nport-guid: 0x1\nend-port-group\n", "g:3: found a port group without name"},
		{"port-group\nname: a\n", "found the end, expected end-port-group"},
		{"name: a\n", "g:1: found 'name: a', expected port-group"},
		{"port-group\nport-regexp: a(\n", "g:2: found 'a(', expected a regular expression"},
		{"port-group\nport-regexp: (a{9}){9}\n", "without {, back references and +"},
		{"port-group\nport-regexp: (a)\\1\n", "without {, back references and +"},
		{"port-group\nport-regexp: a++\n", "without {, back references and +"},
		{"port-group\nport-regexp: (a+)+\n", "without {, back references and +"},
		{"port-group\nnonsense\n", "g:2: found 'nonsense', expected KEY: VALUE or end-port-group"},
	};
	AUTO_FABRIC struct fabric *f = make_fabric("xgft:2,3:1,2");
	struct err e;
	struct port_groups *g = port_groups_parse("g", text, strlen(text), &e);

	assert_non_null(g);
	members_are(g, f, "roots", "spine-01 spine-02");
	members_are(g, f, "two", "");
	members_are(g, f, "rest", "leaf-01 leaf-02 leaf-03");
	members_are(g, f, "named", "node0002");
	members_are(g, f, "both", "node0002 spine-01 spine-02");
	members_are(g, f, "other", "no such group");
	members_are(g, f, "ring", "port group ring: made of itself, or of too many groups");
	members_are(g, f, "lost", "port group nowhere: union-rule names no group of the file");
	port_groups_free(g);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_null(port_groups_parse("g", bad[i][0], strlen(bad[i][0]), &e));
		if (!strstr(e.msg, bad[i][1]))
			fail_msg("%s: %s", bad[i][0], e.msg);
	}
}

/* --- opensm.conf of such a site ------------------------------------------------------------------------- */

static void test_conf(void **state)
{
	static const char *const engines[] = {"ar_ftree", "ar_torus", "dfp", "dfp2",
					      "kdor-hc",  "pqft",     "auto"};
	AUTO_SESSION struct session *s = session_of("xgft:3,3:1,2");
	AUTO_SESSION struct session *other = session_of("xgft:3,3:1,2");
	AUTO_FREE char *line = str_printf("config %s/a.conf", folder);

	put("a.conf", "virt_max_ports_in_process 512\nrouting_engine ar_updn\nlmc 1\n"
		      "root_guid_file /opt/ufm/files/conf/opensm/no-such.conf\n");
	line_says(s, line, "options of NVIDIA's OpenSM: its rules count from now on");
	line_says(s, line,
		  "root_guid_file: /opt/ufm/files/conf/opensm/no-such.conf cannot be read here; skipped");
	line_says(s, line, "a.conf: 1 key of NVIDIA's own");
	line_says(s, line, "groups by the published rule");
	assert_string_equal(session_routing(s)->engine, "ar_updn");
	assert_string_equal(options_get(s->setup->options, "lmc"), "1");
	for (size_t i = 0; i < ARRAY_LEN(engines); i++) {
		put("a.conf", line_of("routing_engine %s\nlmc 2\ncn_guid_file /nowhere\n", engines[i]));
		line_says(
			s, line,
			line_of("%s: of NVIDIA's subnet manager, which ibscope does not compute; skipped, so "
				"no engine routes by this file",
				engines[i]));
		assert_string_equal(options_get(s->setup->options, "lmc"), "2");
		assert_null(s->configured);
		line_fails(s, line_of("route %s", engines[i]), "of NVIDIA's subnet manager");
	}
	/* doctor tells that what it judges is not the engine named */
	put("a.conf", "routing_engine ar_ftree\n");
	ok_line(other, line);
	line_says(other, "doctor", "The engine given is not computed here: as OpenSM without settings.");
	/* the next of the chain counts */
	put("a.conf", "routing_engine dfp, updn\n");
	line_says(s, line, "dfp: of NVIDIA's subnet manager, which ibscope does not compute; skipped\n");
	assert_string_equal(session_routing(s)->engine, "updn");
	/* OpenSM's own file is read as before */
	put("a.conf", "routing_engine updn\nroot_guid_file /nowhere\n");
	line_fails(s, line, "expected a file that can be read");
	/* a group's name among the roots */
	put("pgrp.conf", "port-group\nport-regexp: spine.*2\nname: root_switches\nend-port-group\n");
	put("roots.conf", "# roots\n root_switches \n");
	put("a.conf", line_of("routing_engine ar_updn\nroot_guid_file %s/roots.conf\n"
			      "pgrp_policy_file %s/pgrp.conf\n",
			      folder, folder));
	ok_line(s, line);
	for (uint32_t k = 0; k < s->fabric->n_switches; k++)
		assert_int_equal(session_routing(s)->ops->rank(session_routing(s), k) == 0,
				 !strcmp(switch_name(s->fabric, k), "spine-02"));
	put("roots.conf", "0x1\nroot_switch\n");
	line_says(s, "route ar_updn",
		  "roots.conf:2: found 'root_switch', expected a GUID or the name of a port group");
	put("pgrp.conf", "port-group\n");
	line_says(s, "route ar_updn", "expected end-port-group");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups),	    cmocka_unit_test(test_table),
		cmocka_unit_test(test_judge_finds), cmocka_unit_test(test_judge_files),
		cmocka_unit_test(test_told_ranks),  cmocka_unit_test(test_port_groups),
		cmocka_unit_test(test_conf),
	};

	folder = temp_folder();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	temp_remove(&folder);
	return failed;
}
