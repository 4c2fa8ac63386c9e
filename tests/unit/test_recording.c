/*
 * Recordings: replayed to the end they give what the run made; to any step and on, back and forward, the
 * same; a step equals what is computed from the events up to it.  On random fabrics by a fresh seed.
 */
#include "core/base/rng.h"
#include "core/trace/walk.h"
#include "tests/unit/fixture.h"

#include "core/session/session.h"
#include "engines/dfsssp/dfsssp.h"
#include "engines/ftree/ftree.h"
#include "engines/nue/nue.h"
#include "engines/torus/torus.h"
#include "tests/unit/weights.h"

static const char *const shapes[] = {
	"ring:5",	    "torus:4x4",	   "xgft:2,2,2:1,2,2",
	"xgft:4,4,4:1,4,4", "random:12,4,hosts=2", "mesh:3x3,hosts=2",
	"dragonfly:3,1,1",  "xgft:3,3,3:1,2,2",	   "xgft:4,6:1,3,parallel=2",
	"director:2,2,1,2", "torus:3x3x3",
};

/* All cells of a walk, and which entries are decided: one number. */
static uint64_t sum(const struct walk *w)
{
	const struct sweep *sweep = recording_sweep(walk_recording(w));
	const struct lids *l = sweep->lids;
	uint64_t h = walk_sum(w);

	for (uint32_t s = 0; s < sweep->fabric->n_switches; s++)
		for (unsigned lid = 0; lid <= l->max_lid; lid++)
			h = (h ^ walk_decided(w, s, lid)) * 1099511628211u;
	return h;
}

/* --- the end is the run's ------------------------------------------------------------------------ */

static void same_rows(const struct routing *a, const struct routing *b, const char *what)
{
	for (uint32_t s = 0; s < a->topo->fabric->n_switches; s++)
		for (unsigned lid = 0; lid <= a->lids->max_lid; lid++)
			if (routing_port(a, s, lid) != routing_port(b, s, lid))
				fail_msg("%s: switch %u LID %u: %u, expected %u", what, s, lid,
					 routing_port(a, s, lid), routing_port(b, s, lid));
}

static void same_hops(const struct routing *a, const struct routing *b, const char *what)
{
	const struct fabric *f = a->topo->fabric;

	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned p = 0; switch_up(a->topo, s) && p <= f->switch_nports[s]; p++)
			for (uint32_t d = 0; d < f->n_switches; d++)
				if ((!p || a->topo->peer_switch[switch_port_id(f, s, p)] != NO_ID) &&
				    a->ops->hops(a, s, d, p) != b->ops->hops(b, s, d, p))
					fail_msg("%s: hops of switch %u to %u by %u: %u, expected %u", what,
						 s, d, p, a->ops->hops(a, s, d, p), b->ops->hops(b, s, d, p));
}

static void same_ranks(const struct routing *a, const struct routing *b, const char *what)
{
	const struct fabric *f = a->topo->fabric;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		if (a->ops->rank(a, s) != b->ops->rank(b, s))
			fail_msg("%s: rank of switch %u", what, s);
		for (unsigned p = 0; b->ops->direction && p <= f->switch_nports[s]; p++)
			if (a->ops->direction(a, s, p) != b->ops->direction(b, s, p))
				fail_msg("%s: direction at switch %u port %u", what, s, p);
	}
}

static void same_layers(const struct routing *a, const struct routing *b, const char *what)
{
	if (a->ops->n_layers(a) != b->ops->n_layers(b))
		fail_msg("%s: %u layers, expected %u", what, a->ops->n_layers(a), b->ops->n_layers(b));
	for (unsigned v = 0; b->ops->layer && v < b->ops->n_layers(b); v++) {
		struct layer_info x = {0}, y = {0};

		a->ops->layer(a, v, &x);
		b->ops->layer(b, v, &y);
		if (x.pairs != y.pairs || x.pairs_first != y.pairs_first)
			fail_msg("%s: layer %u holds other routes", what, v);
	}
	for (unsigned i = 1; b->ops->sl && i <= b->lids->max_lid; i++)
		for (unsigned j = 1; j <= b->lids->max_lid; j++) {
			struct sl_range x;

			if (lid_owner(b->lids, i) == NO_ID || lid_owner(b->lids, j) == NO_ID)
				continue;
			x = a->ops->sl(a, i, j);
			struct sl_range y = b->ops->sl(b, i, j);
			if (x.lo != y.lo || x.hi != y.hi)
				fail_msg("%s: SL of LID %u to %u", what, i, j);
		}
}

static void same_ways(const struct routing *a, const struct routing *b, const char *what)
{
	const struct elements *el = b->ops->elements(b);

	for (uint32_t i = 0; i < el->n; i++)
		for (unsigned lid = 1; lid <= b->lids->max_lid; lid++) {
			AUTO_TEXT struct text x = {0}, y = {0};

			if (a->ops->way(a, i, lid, &x) != b->ops->way(b, i, lid, &y) ||
			    strcmp(text_str(&x), text_str(&y)) != 0)
				fail_msg("%s: way of element %u for LID %u: %s, expected %s", what, i, lid,
					 text_str(&x), text_str(&y));
		}
}

/* Counters of the cables, order of the compute nodes, entries by reverse hops. */
static void same_trees(const struct routing *a, const struct routing *b, const char *what)
{
	const struct ftree *x = ftree_of(a), *y = ftree_of(b);
	uint32_t n, m, *p = ftree_order(x, &n), *q = ftree_order(y, &m);

	assert_int_equal(n, m);
	assert_memory_equal(p, q, n * sizeof(*p));
	free(p);
	free(q);
	assert_int_equal(x->n_links, y->n_links);
	for (uint32_t i = 0; i < x->n_links; i++)
		if (x->link[i].cu != y->link[i].cu || x->link[i].cd != y->link[i].cd)
			fail_msg("%s: counters of cable %u", what, i);
	for (uint32_t i = 0; i < x->n_groups; i++)
		if (x->group[i].cu != y->group[i].cu || x->group[i].cd != y->group[i].cd ||
		    x->slot[i].group != y->slot[i].group)
			fail_msg("%s: group %u", what, i);
	for (uint32_t s = 0; s < a->topo->fabric->n_switches; s++) {
		const struct entry_note *note[2][65536 / 64] = {{NULL}};

		if (a->lids->max_lid >= ARRAY_LEN(note[0]))
			continue;
		assert_int_equal(a->ops->entry_notes(a, s, note[0]), b->ops->entry_notes(b, s, note[1]));
		for (unsigned lid = 0; lid <= a->lids->max_lid; lid++)
			if (!note[0][lid] != !note[1][lid])
				fail_msg("%s: note on switch %u LID %u", what, s, lid);
	}
}

/* Weights of the channels; cuts with their cycles, lanes and layers of every class. */
static void same_weights(const struct routing *a, const struct routing *b, const char *what)
{
	const struct dfsssp *x = dfsssp_of(a), *y = dfsssp_of(b);
	uint32_t n, m;
	AUTO_FREE uint16_t *p = dfsssp_destinations(a, &n), *q = dfsssp_destinations(b, &m);

	assert_int_equal(n, m);
	assert_memory_equal(p, q, n * sizeof(*p));
	for (uint32_t port = 0; port < b->topo->fabric->n_ports; port++)
		if (dfsssp_weight(x, port) != dfsssp_weight(y, port))
			fail_msg("%s: weight of port %u", what, port);
	if (!y->layers)
		return;
	assert_int_equal(x->layers->n_cuts, y->layers->n_cuts);
	assert_int_equal(x->layers->n_cycle, y->layers->n_cycle);
	assert_int_equal(x->layers->idle, y->layers->idle);
	for (uint32_t i = 0; i < y->layers->n_cuts; i++)
		assert_int_equal(x->layers->cut[i].moved, y->layers->cut[i].moved);
	for (uint32_t s = 0; s < b->topo->fabric->n_switches; s++)
		for (unsigned lid = 1; lid <= b->lids->max_lid; lid++)
			if (dfsssp_layer_of(x, s, lid) != dfsssp_layer_of(y, s, lid))
				fail_msg("%s: layer of switch %u to LID %u", what, s, lid);
}

/* Hull, escape tree, restrictions and what happened to LIDs, of every layer; weights. */
static void same_searches(const struct routing *a, const struct routing *b, const char *what)
{
	const struct nue *x = nue_of(a), *y = nue_of(b);

	assert_memory_equal(x->event, y->event, y->max_lid + 1u);
	assert_memory_equal(x->sl_of, y->sl_of, y->max_lid + 1u);
	assert_memory_equal(x->weight, y->weight, y->graph->n_channels * sizeof(*y->weight));
	for (unsigned v = 0; v < y->vls.layers; v++) {
		const struct nue_layer *k = &x->layer[v], *l = &y->layer[v];

		if (k->root != l->root || k->n_hull != l->n_hull || k->n_lids != l->n_lids ||
		    k->escape_channels != l->escape_channels || k->escape_edges != l->escape_edges ||
		    k->used != l->used || k->n_blocked != l->n_blocked || k->searches != l->searches ||
		    k->merges != l->merges || k->backtracked != l->backtracked ||
		    k->shortcuts != l->shortcuts || k->fallbacks != l->fallbacks ||
		    k->unrecorded != l->unrecorded || k->loop != l->loop)
			fail_msg("%s: layer %u: %" PRIu64 " in use, %u blocked, %" PRIu64
				 " merges; expected %" PRIu64 ", %u, %" PRIu64,
				 what, v, k->used, k->n_blocked, k->merges, l->used, l->n_blocked, l->merges);
		if (l->root == NO_ID)
			continue;
		assert_int_equal(k->edges, l->edges);
		assert_memory_equal(k->hull, l->hull, y->graph->n);
		assert_memory_equal(k->escape, l->escape, y->graph->n * sizeof(*l->escape));
		for (uint32_t i = 0; i < l->n_blocked; i++)
			assert_memory_equal(&k->blocked[i], &l->blocked[i], sizeof(l->blocked[i]));
	}
}

/* Places, links, gaps and the spanning tree. */
static void same_torus(const struct routing *a, const struct routing *b, const char *what)
{
	const struct torus *x = torus_of(a), *y = torus_of(b);
	const struct fabric *f = b->topo->fabric;

	if (x->n != y->n || x->n_links != y->n_links || x->root != y->root)
		fail_msg("%s: %u members with %u links, expected %u with %u", what, x->n, x->n_links, y->n,
			 y->n_links);
	assert_memory_equal(x->at, y->at, y->n_places * sizeof(*y->at));
	assert_memory_equal(x->of, y->of, f->n_switches * sizeof(*y->of));
	assert_memory_equal(x->group, y->group, f->n_ports);
	for (uint32_t i = 0; i < y->n; i++) {
		const struct torus_member *m = &x->member[i], *k = &y->member[i];

		if (m->sw != k->sw || m->parent != k->parent || memcmp(m->at, k->at, sizeof(k->at)) != 0 ||
		    memcmp(m->count, k->count, sizeof(k->count)) != 0)
			fail_msg("%s: member %u", what, i);
		for (unsigned d = 0; d < TORUS_DIMS; d++)
			if (y->conf.radix[d] > 1 && m->low[d] != k->low[d])
				fail_msg("%s: line of member %u in dimension %u", what, i, d);
		for (unsigned g = 0; g < TORUS_GROUPS; g++)
			assert_memory_equal(m->port[g], k->port[g], k->count[g]);
	}
}

static void end_is_the_run(struct walk *w, const struct routing *run, const char *what)
{
	const struct recording *r = walk_recording(w);

	assert_int_equal(recording_differs(r), 0);
	/* the step before the last has all tables, and is not simply the finished sweep */
	walk_to(w, recording_steps(r) - 1, NULL);
	const struct sweep *moment = walk_moment(w);
	struct routing *at = routing_ref(moment->routing);
	assert_ptr_not_equal(at, run);
	same_rows(at, run, what);
	if (run->ops->hops)
		same_hops(at, run, what);
	if (run->ops->rank)
		same_ranks(at, run, what);
	if (ftree_of(run))
		same_trees(at, run, what);
	if (dfsssp_of(run))
		same_weights(at, run, what);
	if (nue_of(run))
		same_searches(at, run, what);
	if (torus_of(run))
		same_torus(at, run, what);
	if (run->ops->way)
		same_ways(at, run, what);
	if (run->ops->n_layers)
		same_layers(at, run, what);
	routing_unref(at);
	sweep_unref(moment);
	walk_to(w, recording_steps(r), NULL);
	moment = walk_moment(w);
	assert_ptr_equal(moment->routing, run);
	sweep_unref(moment);
}

/* --- any way to a step leads to the same state --------------------------------------------------- */

static void ways_agree(const struct recording *r, uint64_t *seed, const char *what)
{
	AUTO_WALK struct walk *a = walk_new(r), *b = walk_new(r);
	size_t n = recording_steps(r);
	uint64_t start = sum(a);

	walk_to(a, n, NULL);
	for (int k = 0; k < 6; k++) {
		size_t to = rng_below(seed, (uint32_t)n + 1);

		walk_to(a, to, NULL);	  /* from wherever it was, back or forward */
		walk_to(b, to / 2, NULL); /* elsewhere first */
		walk_to(b, to, NULL);
		if (sum(a) != sum(b))
			fail_msg("%s: step %zu of %zu differs by the way to it", what, to, n);
	}
	walk_to(a, n, NULL);
	walk_to(b, n, NULL);
	assert_true(sum(a) == sum(b));
	walk_to(a, 0, NULL);
	if (sum(a) != start)
		fail_msg("%s: step 0 is not as it was", what);
}

/* The entries decided at a step, from the events alone. */
static void prefix_is_the_moment(struct walk *w, uint64_t *seed, const char *what)
{
	const struct recording *r = walk_recording(w);
	const struct sweep *s = recording_sweep(r), *moment;
	size_t row = s->lids->max_lid + 1u, to = rng_below(seed, (uint32_t)recording_steps(r));
	AUTO_FREE uint8_t *entry = mem_alloc(s->fabric->n_switches * row);

	memset(entry, NO_PATH, s->fabric->n_switches * row);
	for (size_t i = 1; i <= to; i++) {
		struct rec_delta d;
		uint32_t cursor = 0;

		while (recording_next_delta(r, i, &cursor, &d))
			if (d.table == T_ENTRY) {
				if (entry[d.at] != d.was)
					fail_msg("%s: step %zu changes %u, and it was %u", what, i, d.was,
						 entry[d.at]);
				entry[d.at] = d.now;
			}
	}
	walk_to(w, to, NULL);
	moment = walk_moment(w);
	/* LASH shows its routes before they are in the tables */
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		for (unsigned lid = 0; lid < row; lid++) {
			if (recording_scheme_of(r)->scheme->row_at &&
			    strcmp(walk_phase(w), "forwarding tables") != 0)
				continue;
			assert_int_equal(routing_port(moment->routing, sw, lid),
					 switch_up(s->topo, sw) ? entry[sw * row + lid] : NO_PATH);
		}
	sweep_unref(moment);
}

/* Every sentence can be made, and is not empty. */
static void sentences(struct walk *w, const char *what)
{
	size_t n = recording_steps(walk_recording(w)), by = n / 500 + 1;

	for (size_t i = 1; i <= n; i += by) {
		AUTO_TEXT struct text t = {0};

		walk_to(w, i, NULL);
		walk_sentence(w, &t);
		if (!*text_str(&t))
			fail_msg("%s: step %zu says nothing", what, i);
	}
}

/* What commands tell at a step can be told, whatever is there yet. */
static void commands(struct session *s, const struct recording *r, uint64_t *seed)
{
	static const char *const lines[] = {
		"lft 1",   "hops 1", "ranks", "roots",	  "layers",
		"cdg all", "cycles", "check", "load-map", "trace node0001 node0002"};
	struct walk *w = walk_new(r);

	walk_to(w, rng_below(seed, (uint32_t)recording_steps(r) + 1), NULL);
	session_set_walk(s, w);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct err e;
		int rc;
		AUTO_FREE char *text = run_line(s, lines[i], &rc, &e, false, NULL);

		if (rc ? !*e.msg : strncmp(text, "As of step", 10) != 0)
			fail_msg("%s at step %zu: %s", lines[i], walk_step(w), text);
	}
	session_set_walk(s, NULL);
}

static void whole(struct session *s, const char *engine, uint64_t *seed, const char *what)
{
	AUTO_RECORDING const struct recording *r = recorded(s, engine, REC_EVERYTHING);
	AUTO_WALK struct walk *w = walk_new(r);

	if (recording_refusal(r)) {
		walk_to(w, recording_steps(r), NULL);
		assert_int_equal(walk_event(w)->kind, REC_REFUSED);
		AUTO_SWEEP const struct sweep *moment = walk_moment(w);
		assert_string_equal(moment->routing->engine, recording_engine(r));
	} else {
		end_is_the_run(w, recording_sweep(r)->routing, what); /* a cache may have kept it since */
	}
	for (int k = 0; k < 3; k++)
		prefix_is_the_moment(w, seed, what);
	sentences(w, what);
	ways_agree(r, seed, what);
	for (int k = 0; k < 3; k++)
		commands(s, r, seed);
}

/* A file with lines; its name in path. */
static FILE *temporary(char *path)
{
	strcpy(path, "/tmp/ibscope-test-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	return fdopen(fd, "w");
}

/* A configuration of torus-2QoS for the fabric as it is, where one can be made; its name in path. */
static void configure(struct session *s, char *path)
{
	struct err e;
	int rc;

	fclose(temporary(path));
	ok_linef(s, "set qos TRUE; set torus_config %s", path);
	AUTO_FREE char *line = str_printf("torus-conf %s", path);
	free(run_line(s, line, &rc, &e, false, NULL));
}

/* A few settings at random. */
static void options(struct session *s, const struct engine *g, uint64_t *seed)
{
	static const char *const common[] = {"connect_roots TRUE", "port_shifting TRUE", "scatter_ports 7",
					     "port_profile_switch_nodes TRUE", "use_ucast_cache TRUE"};

	for (size_t i = 0; i < ARRAY_LEN(common); i++)
		if (!rng_below(seed, 4)) {
			ok_linef(s, "set %s", common[i]);
		}
	if (!strcmp(g->name, "lash") && rng_below(seed, 2))
		ok_line(s, "set do_mesh_analysis TRUE");
	if (!strcmp(g->name, "mincontention"))
		ok_line(s, rng_below(seed, 2) ? "set tolerance 1" : "set lmc 1");
	if (!strcmp(g->name, "ftree") && rng_below(seed, 2))
		ok_line(s, "set max_reverse_hops 2");
	if (!strcmp(g->name, "ftree") && rng_below(seed, 2))
		ok_line(s, "reset");
	if (!strcmp(g->name, "nue") && rng_below(seed, 2))
		ok_line(s, "set qos TRUE; set nue_max_num_vls 4");
	if (!strcmp(g->name, "nue") && rng_below(seed, 2))
		ok_line(s, "set nue_include_switches TRUE");
}

static void test_every_engine(void **state)
{
	uint64_t seed = test_seed(), first = seed;
	unsigned refused = 0, seen = 0;

	for (size_t g = 0; all_engines[g]; g++) {
		const char *name = all_engines[g]->name;

		if (!all_engines[g]->scheme)
			continue;
		for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
			struct session *s =
				test_drawn(first, g + i, 6) ? session_new(all_engines, all_commands) : NULL;
			char line[200], conf[40] = "";

			if (!s)
				continue;
			ok_linef(s, "synth %s; set lmc %u", shapes[i], rng_below(&seed, 3) == 0);
			if (!strcmp(name, "torus-2QoS"))
				configure(s, conf);
			ok_linef(s, "fail random %u seed=%u", rng_below(&seed, 3) + 1,
				 rng_below(&seed, 100000));
			options(s, all_engines[g], &seed);
			if (all_engines[g]->holds != HOLDS_NOTHING) {
				session_free(s); /* there is nothing that it could show */
				continue;
			}
			ok_linef(s, "route %s%s", name,
				 strcmp(name, "script") != 0 ? "" : ":tui/examples/updown.py");
			if (rng_below(&seed, 2)) { /* over tables that are there */
				ok_linef(s, "fail random 1 seed=%u", rng_below(&seed, 100000));
			}
			bool in_force = !strcmp(session_routing(s)->engine, name);
			snprintf(line, sizeof(line), "%s on %s", name, shapes[i]);
			if (in_force || recording_possible(session_sweep(s), name, all_engines)) {
				whole(s, name, &seed, line);
				seen++;
				refused += !in_force;
			}
			session_free(s);
			unlink(conf);
		}
	}
	print_message("%u runs, %u of them refused\n", seen, refused);
	assert_true(seen > 8);
}

/* --- what random fabrics do not have ------------------------------------------------------------- */

/* Does a note of the run tell what a refused engine left? */
static bool says_refused(struct session *s)
{
	AUTO_RECORDING const struct recording *r = recorded(s, NULL, REC_EVERYTHING);
	bool found = false;

	for (size_t i = 1; i <= recording_steps(r); i++) {
		const struct rec_event *ev = recording_event(r, i);

		found |= ev->kind == REC_NOTE && strstr(recording_text(r, ev), "refused");
	}
	return found;
}

/* Counters and hops that a refused engine leaves are there from the first step. */
static void test_leftovers(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	uint64_t seed = test_seed();
	char tables[40], matrix[40], line[200];
	FILE *f = temporary(tables), *g = temporary(matrix);

	ok_line(s, "synth xgft:3,3:1,2");
	fprintf(f,
		"Unicast lids [0-3] of switch Lid 1 guid 0x%016lx ('leaf-01'):\n0x0002 004\n0x0003 004\n"
		"Unicast lids nonsense\n",
		(unsigned long)s->fabric->node_guid[s->fabric->switch_node[0]]);
	fprintf(g, "Switch: guid 0x%016lx\n0x0003 : 00 01 02 03 02 01\nnonsense\n",
		(unsigned long)s->fabric->node_guid[s->fabric->switch_node[0]]);
	fclose(f);
	fclose(g);
	for (int k = 0; k < 2; k++) {
		snprintf(line, sizeof(line), "route file,updn,minhop %s=%s",
			 k ? "lid_matrix_dump_file" : "lfts_file", k ? matrix : tables);
		ok_line(s, line);
		assert_true(session_sweep(s)->n_refusals > 0);
		whole(s, NULL, &seed, line);
		assert_true(says_refused(s));
	}
	unlink(tables);
	unlink(matrix);
}

/* The switch an endport hangs on. */
static const char *where(const struct session *s, uint32_t ep)
{
	return switch_name(s->fabric, session_sweep(s)->topo->endport_switch[ep]);
}

/* Entries by reverse hops, and roots that are named. */
static void test_io_nodes(void **state)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	uint64_t seed = test_seed();
	char roots[40], io[40], line[200];
	FILE *f = temporary(roots), *g = temporary(io);
	unsigned notes = 0;

	ok_line(s, "synth xgft:2,2:1,2,hosts=1,hosts_on=all; route minhop");
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		if (!strncmp(switch_name(s->fabric, sw), "spine", 5))
			fprintf(f, "0x%016lx\n",
				(unsigned long)s->fabric->node_guid[s->fabric->switch_node[sw]]);
	for (uint32_t ep = 0; ep < s->fabric->n_endports; ep++)
		if (!endport_is_switch(s->fabric, ep) && !strncmp(where(s, ep), "spine", 5))
			fprintf(g, "0x%016lx\n",
				(unsigned long)s->fabric->port_guid[s->fabric->endport_port[ep]]);
	fclose(f);
	fclose(g);
	for (int k = 1; k <= 3; k++) {
		const struct entry_note *note[200] = {NULL};

		snprintf(line, sizeof(line),
			 "route ftree root_guid_file=%s io_guid_file=%s max_reverse_hops=%d", roots, io, k);
		ok_line(s, line);
		if (strcmp(session_routing(s)->engine, "ftree") != 0)
			continue;
		whole(s, NULL, &seed, line);
		for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
			notes += session_routing(s)->ops->entry_notes(session_routing(s), sw, note);
	}
	snprintf(line, sizeof(line), "route updn root_guid_file=%s connect_roots=TRUE", roots);
	ok_line(s, line);
	whole(s, NULL, &seed, line);
	assert_true(notes > 0);
	unlink(roots);
	unlink(io);
}

/* How often a step says something, in any case. */
static unsigned says(const struct recording *r, enum rec_kind kind, const char *words)
{
	AUTO_WALK struct walk *w = walk_new(r);
	unsigned n = 0;

	for (size_t i = 1; i <= recording_steps(r); i++) {
		AUTO_TEXT struct text t = {0};

		if (recording_event(r, i)->kind != kind)
			continue;
		walk_to(w, i, NULL);
		walk_sentence(w, &t);
		n += strstr(text_str(&t), words) != NULL;
	}
	return n;
}

/* Tori with broken rings and without a switch, one that cannot be routed, and seeds whose switches are gone.
 */
static void test_tori(void **state)
{
	static const struct {
		const char *spec, *fail;
		bool refused;
		enum rec_kind kind;
		const char *words;
	} c[] = {
		{"torus:5x5", "fail link t11[2]", false, REC_RING, "is a broken ring"},
		{"torus:4x4x4", "fail switch t000", false, REC_SEED, "seed 1 (line 7) cannot be used"},
		{"torus:4x4x4,hosts=2", "fail switch t111; set lmc 1", false, REC_CHOICE, "early turn"},
		{"torus:5x5", "fail link t11[2] t31[2]", true, REC_RING, "closes: a whole ring of 5"},
		{"mesh:3x4", "set lmc 1", false, REC_RING, "is open"},
		{"torus:4x4", "fail switch t11; fail switch t22", true, REC_PLACE, "the fourth corner"},
		{"torus:3x3,parallel=2", "fail link t00[2]", false, REC_CHOICE, "2 links lead that way"},
	};

	for (size_t i = 0; i < ARRAY_LEN(c); i++) {
		AUTO_SESSION struct session *s = session_after("synth %s", c[i].spec);
		uint64_t seed = test_seed();
		char conf[40];

		configure(s, conf);
		ok_linef(s, "%s; route torus-2QoS", c[i].fail);
		assert_int_equal(!torus_of(session_routing(s)), c[i].refused);
		whole(s, "torus-2QoS", &seed, c[i].spec);
		AUTO_RECORDING const struct recording *r = recorded(s, "torus-2QoS", REC_EVERYTHING);
		if (!says(r, c[i].kind, c[i].words))
			fail_msg("%s with %s: nothing says \"%s\"", c[i].spec, c[i].fail, c[i].words);
		unlink(conf);
	}
}

/* --- sizes and times ----------------------------------------------------------------------------- */

static const struct recording *record_of(const char *spec, const char *engine, struct session **s)
{
	*s = session_new(all_engines, all_commands);
	ok_linef(*s, "synth %s; route %s", spec, engine);
	return recorded(*s, NULL, REC_EVERYTHING);
}

static void test_sizes(void **state)
{
	static const struct {
		const char *spec, *engine;
		size_t most; /* bytes */
	} small[] = {{"torus:8x8", "lash", 1000000},	      {"xgft:4,4,4:1,4,4", "updn", 1000000},
		     {"xgft:4,4,4:1,4,4", "minhop", 1000000}, {"torus:8x8", "dnup", 1000000},
		     {"torus:8x8", "sssp", 1000000},	      {"torus:6x6", "dfsssp", 1000000},
		     {"xgft:4,4,4:1,4,4", "dfsssp", 1000000}, {"torus:8x8", "nue", 2000000}};

	for (size_t i = 0; i < ARRAY_LEN(small); i++) {
		struct session *s;
		AUTO_RECORDING const struct recording *r = record_of(small[i].spec, small[i].engine, &s);

		print_message("%s on %s: %zu steps, %zu bytes\n", small[i].engine, small[i].spec,
			      recording_steps(r), recording_bytes(r));
		assert_true(recording_bytes(r) < small[i].most);
		assert_string_equal(recording_part(r), "");
		session_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_engine), cmocka_unit_test(test_leftovers),
		cmocka_unit_test(test_io_nodes),     cmocka_unit_test(test_tori),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
