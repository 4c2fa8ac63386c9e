/*
 * Panes at a step of a run that is walked through: all of them, with every engine that is recorded, on random
 * fabrics by a fresh seed.  What they show is compared with the tables as the events alone make them.
 */
#include "core/base/rng.h"
#include "core/trace/walk.h"
#include "engines/lash/lash.h"
#include "engines/mincontention/mincontention.h"
#include "tests/unit/fixture.h"

static const char *const shapes[] = {
	"ring:5",	    "torus:4x4",	   "xgft:2,2,2:1,2,2",	      "random:8,4,hosts=2",
	"mesh:3x3,hosts=2", "dragonfly:3,1,1",	   "xgft:4,6:1,3,parallel=2", "director:2,2,1,2",
	"xgft:3,3:1,3",	    "random:12,4,hosts=1",
};

/* Words of panes; S: a switch, L: a LID of a host, M: of another, P: a port of the switch. */
static const struct {
	const char *pane, *words;
} wanted[] = {
	{"ports", "S"},		{"lft", "S"},	    {"path", "L M"},	    {"hops", "S"},
	{"bars", "S"},		{"cdg", "all"},	    {"cdg", "0 P"},	    {"cdg", "all switches"},
	{"cycle", "L M"},	{"cycle", "all"},   {"layers", "switches"}, {"sl2vl", "P"},
	{"sls", "L"},		{"weights", "S"},   {"cuts", "0"},	    {"moved", "0 1"},
	{"groups", "S"},	{"lids", "L"},	    {"ways", "L"},	    {"ways", "L S"},
	{"usage", "S"},		{"elements", "S"},  {"flows", "P pair"},    {"flows", "P"},
	{"shift", "1"},		{"map", "rank"},    {"map", "load"},	    {"map", "step"},
	{"map", "around S"},	{"map", "whole"},   {"map", "layers"},	    {"map", "change"},
	{"torus", "L M"},	{"pick", "1 show"}, {"layer-pairs", "0"},   {"layer-pairs", "1"},
	{"survey", "switches"}, {"survey", NULL},   {"advise", NULL},	    {"compare", "minhop"},
	{"doctor", NULL},	{"drift", NULL},    {"plot", "hops"},	    {"check", NULL},
	{"lost", NULL},
};

/* --- a run that is walked through ------------------------------------------------------------------- */

struct stage {
	struct session *s;
	const struct recording *r; /* of its walk */
	const char *what;
	uint32_t sw;	  /* that panes are about */
	unsigned lid[2];  /* of hosts */
	uint8_t *entry;	  /* tables as the events up to the step make them */
	uint8_t *decided; /* by events */
};

static size_t row_of(const struct stage *g)
{
	return recording_sweep(g->r)->lids->max_lid + 1u;
}

static void step_to(struct stage *g, size_t step)
{
	walk_to(session_walk(g->s), step, NULL);
	session_walk_moved(g->s);
	assert_int_equal(session_shown(g->s)->step, step);
}

/* Entries that events up to the step decide. */
static void replay(struct stage *g, size_t step)
{
	size_t n = g->s->fabric->n_switches * row_of(g);
	struct rec_delta d;

	memset(g->entry, NO_PATH, n);
	memset(g->decided, 0, n);
	for (size_t i = 1; i <= step; i++)
		for (uint32_t cursor = 0; recording_next_delta(g->r, i, &cursor, &d);)
			if (d.table == T_ENTRY) {
				g->entry[d.at] = (uint8_t)d.now;
				g->decided[d.at] = 1;
			}
	for (size_t i = 1; i <= step; i++) {
		const struct rec_event *ev = recording_event(g->r, i);

		if (ev->kind == REC_CHOICE && ev->b && ev->b < row_of(g))
			g->decided[ev->a * row_of(g) + ev->b] = 1;
	}
}

static bool is_finished(const struct stage *g, size_t step)
{
	return step == recording_steps(g->r) && !recording_refusal(g->r);
}

/* --- panes -------------------------------------------------------------------------------------------- */

static void put_word(const struct stage *g, char letter, struct text *t)
{
	const struct fabric *f = g->s->fabric;
	unsigned port = 1;

	while (port < f->switch_nports[g->sw] && f->port_peer[switch_port_id(f, g->sw, port)] == NO_ID)
		port++;
	if (letter == 'S')
		word_node(f, f->switch_node[g->sw], t);
	else if (letter == 'P')
		word_port(f, switch_port_id(f, g->sw, port), t);
	else
		text_add(t, "%u", g->lid[letter == 'M']);
}

/* Words as in wanted[], with blanks between them; their letters become what the panes are about. */
static void put_words(const struct stage *g, const char *words, struct text *t)
{
	text_add(t, "%s", "");
	for (size_t n; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (t->len && t->s[t->len - 1] != ' ')
			text_putc(t, ' ');
		if (n == 1 && strchr("SLMP", *words))
			put_word(g, *words, t);
		else
			text_add(t, "%.*s", (int)n, words);
	}
}

/* A pane with words as in wanted[]; NULL: it cannot be opened here. */
static struct view *open_pane(const struct stage *g, struct scene *sc, const char *pane, const char *words)
{
	AUTO_TEXT struct text list = {0};
	char *argv[4];
	int argc = 0;
	struct err e = {0};

	put_words(g, words ? words : "", &list);
	char *rest = list.s;
	while (argc < 4 && (argv[argc] = strtok_r(rest, " ", &rest)))
		argc++;
	struct view *v = view_new(view_find(pane), sc, argc, argc ? argv : NULL, &e);
	if (!v && !*e.msg)
		fail_msg("%s: pane %s does not open, and does not say why", g->what, pane);
	return v;
}

static void add_cells(struct view *v, uint32_t row, struct text *t)
{
	static const char *const places[] = {"node", "port", "switch", "lid",  "dst", "src",
					     "peer", "host", "layer",  "loop", "link"};
	AUTO_TEXT struct text other = {0};

	for (unsigned c = 0; c < v->ops->n_columns; c++) {
		if (!v->width[c])
			continue;
		view_cell(v, row, c, t);
		text_putc(t, '\t');
		if (v->ops->column[c].numeric)
			view_number(v, row, c);
	}
	view_marks(v, row);
	view_key(v, row);
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		view_place(v, row, places[i], &other);
	if (!view_is_header(v, row))
		view_follow(v, row, &other);
}

#define ROWS 60 /* of a pane that are looked at */

/* All that a pane says; it is drawn as well. */
static void read_pane(struct view *v, struct text *t)
{
	AUTO_CANVAS struct canvas c = {0};

	view_title(v, t);
	for (uint32_t i = 0; i < view_count(v) && i < ROWS; i++) {
		view_select(v, i);
		add_cells(v, view_row(v, i), t);
		view_footer(v, t);
		text_putc(t, '\n');
	}
	if (v->ops->draw && v->n_rows) {
		canvas_clear(&c, 70, 20, false);
		v->ops->draw(v, &c);
	}
	if (!*text_str(t))
		fail_msg("pane %s says nothing", v->ops->name);
}

static void try_pane(const struct stage *g, struct scene *sc, const char *pane, const char *words)
{
	AUTO_VIEW struct view *v = open_pane(g, sc, pane, words);
	AUTO_TEXT struct text t = {0};

	if (!v)
		return;
	assert_true(view_settle(v, NULL));
	read_pane(v, &t);
	if (!(v->ops->flags & VIEW_PRESENT) != !strstr(text_str(&t), " ── present"))
		fail_msg("%s: pane %s does not say which state it shows: %s", g->what, pane, text_str(&t));
	scene_drop_results(sc);
}

static void all_panes(const struct stage *g, struct scene *sc)
{
	for (size_t i = 0; all_views[i]; i++) {
		bool words = false;

		for (size_t k = 0; k < ARRAY_LEN(wanted); k++)
			words |= !strcmp(wanted[k].pane, all_views[i]->name) && !wanted[k].words;
		if (!words)
			try_pane(g, sc, all_views[i]->name, NULL);
	}
	for (size_t k = 0; k < ARRAY_LEN(wanted); k++)
		if (wanted[k].words)
			try_pane(g, sc, wanted[k].pane, wanted[k].words);
}

/* --- what single panes say ------------------------------------------------------------------------------ */

static unsigned column(const struct view *v, const char *name)
{
	for (unsigned c = 0; c < v->ops->n_columns; c++)
		if (!strcmp(v->ops->column[c].name, name))
			return c;
	fail_msg("pane %s has no column %s", v->ops->name, name);
	return 0;
}

static const char *cell_text(const struct view *v, uint32_t row, const char *name, struct text *t)
{
	text_clear(t);
	view_cell(v, row, column(v, name), t);
	return text_str(t);
}

/* A dot where nothing is decided, and nowhere else; cells that the event of a single step changed. */
static void check_lft(const struct stage *g, struct scene *sc, size_t step, bool single)
{
	AUTO_VIEW struct view *v = open_pane(g, sc, "lft", "S");
	bool routes = recording_scheme_of(g->r)->scheme->row_at != NULL;
	AUTO_TEXT struct text t = {0};

	assert_non_null(v);
	assert_true(view_settle(v, NULL));
	for (uint32_t i = 0; i < view_count(v); i++) {
		uint32_t row = view_row(v, i);
		unsigned lid = (unsigned)strtoul(cell_text(v, row, "lid", &t), NULL, 10);
		size_t at = g->sw * row_of(g) + lid;
		bool dot = !strcmp(cell_text(v, row, "was → now", &t), ".");
		bool changed = false;

		if (routes && dot && routing_port(sc->sweep->routing, g->sw, lid) == NO_PATH)
			assert_false(g->decided[at] || is_finished(g, step));
		else if (!routes && dot != (!g->decided[at] && !is_finished(g, step)))
			fail_msg("%s step %zu: LID %u reads \"%s\"", g->what, step, lid, text_str(&t));
		for (uint64_t k = 0; single && k < sc->moment->n_touched; k++)
			changed |= sc->moment->touched[k] == ((uint64_t)T_ENTRY << 32 | at);
		if (single && view_touched(v, row, column(v, "was → now")) != changed)
			fail_msg("%s step %zu: LID %u is touched wrongly", g->what, step, lid);
		if (single && changed)
			assert_true(view_marks(v, row) & MARK_STEP);
		if (dot)
			assert_false(view_marks(v, row) & MARK_DOWN);
	}
}

/* Values as the moment's matrix has them, dots where there is none that may still come. */
static void check_hops(const struct stage *g, struct scene *sc)
{
	const struct routing *r = sc->sweep->routing;
	AUTO_VIEW struct view *v = open_pane(g, sc, "hops", "S");
	AUTO_TEXT struct text t = {0};

	assert_non_null(v);
	assert_true(view_settle(v, NULL));
	for (uint32_t i = 0; r->ops->hops && i < view_count(v); i++) {
		const char *s = cell_text(v, view_row(v, i), "least", &t), *now = strstr(s, "→");
		AUTO_TEXT struct text name = {0};

		view_place(v, view_row(v, i), "node", &name);
		uint32_t to = session_node(g->s, text_str(&name), NULL);
		unsigned least = r->ops->hops(r, g->sw, g->s->fabric->node_switch[to], 0);
		now = now ? now + strlen("→") : s;
		if (least == NO_PATH ? strcmp(now, ".") != 0 && strcmp(now, "-") != 0
				     : strtoul(now, NULL, 10) != least)
			fail_msg("%s: hops to %s read %s, expected %u", g->what, text_str(&name), s, least);
		if (least == NO_PATH && !strcmp(now, "-")) /* nothing later brings one */
			assert_false(scene_unfinished(sc, T_HOPS) || scene_unfinished(sc, T_PLAIN));
	}
}

static void check_ranks(const struct stage *g, struct scene *sc)
{
	AUTO_VIEW struct view *v = open_pane(g, sc, "ranks", NULL);
	AUTO_TEXT struct text t = {0};
	AUTO_TEXT struct text name = {0};

	assert_true(view_settle(v, NULL));
	for (uint32_t i = 0; i < view_count(v); i++) {
		const struct routing *r = sc->sweep->routing;

		text_clear(&name);
		view_place(v, view_row(v, i), "node", &name);
		uint32_t sw = g->s->fabric->node_switch[session_node(g->s, text_str(&name), NULL)];
		uint32_t rank = r->ops->rank(r, sw);
		cell_text(v, view_row(v, i), "rank", &t);
		if (rank == NO_RANK ? *t.s != '.' && *t.s != '-' : strtoul(t.s, NULL, 10) != rank)
			fail_msg("%s: rank of %s reads %s", g->what, text_str(&name), t.s);
	}
}

/* Pairs of LASH's layers are those that events put there. */
static void check_layers(const struct stage *g, struct scene *sc)
{
	struct walk *w = session_walk(g->s);
	const uint8_t *layer = walk_bytes(w, T_LAYER);
	uint64_t count[LASH_MAX_LAYERS + 1] = {0};

	if (strcmp(recording_engine(g->r), "lash") != 0 || !layer || !lash_of(sc->sweep->routing))
		return;
	for (size_t i = 0; i < recording_cells(g->r, T_LAYER); i++)
		if (layer[i] != LASH_NO_LAYER)
			count[layer[i]]++;
	AUTO_VIEW struct view *v = open_pane(g, sc, "layers", NULL);
	assert_true(view_settle(v, NULL));
	if (sc->sweep == sc->real) /* what is in force, which may be other layers */
		return;
	for (uint32_t row = 0; row < v->n_rows; row++)
		assert_int_equal(view_number(v, row, column(v, "pairs")), count[row]);
	for (unsigned l = v->n_rows; l <= LASH_MAX_LAYERS; l++)
		assert_int_equal(count[l], 0);
}

/* The cycle of a refusal: as many channels as the event has, the pair's own marked. */
static void check_cycle(const struct stage *g, struct scene *sc)
{
	const struct rec_event *ev = moment_event(sc->moment);
	bool refused = ev && ev->kind == REC_REFUSE;
	AUTO_VIEW struct view *v = open_pane(g, sc, "cycle", NULL);
	const uint32_t *word;
	uint32_t edges = 0;
	AUTO_TEXT struct text t = {0};

	assert_true(view_settle(v, NULL));
	if (refused) {
		for (uint32_t row = 0; row < v->n_rows; row++)
			edges += *cell_text(v, row, "routes", &t) != 0;
		assert_int_equal(edges, recording_extra(g->r, sc->moment->step, &word) / 2);
		assert_true(view_marks(v, 0) & MARK_HERE);
	} else if (recording_cells(g->r, T_LAYER)) {
		view_title(v, &t);
		assert_true(v->n_rows || strstr(text_str(&t), "no refusal at this step"));
	}
}

/* What mincontention's elements chose for the LID at hand is what their events say; the others have not. */
static void check_ways(const struct stage *g, struct scene *sc, size_t step)
{
	const struct mincontention *m = mincontention_of(sc->sweep->routing);
	struct walk *w = session_walk(g->s);
	unsigned lid = 0;

	if (!m || is_finished(g, step))
		return;
	AUTO_FREE uint8_t *settled = mem_alloc(m->elements->n + 1);
	for (size_t i = 1; i <= step; i++) {
		const struct rec_event *ev = recording_event(g->r, i);

		if (ev->kind == REC_TARGET) {
			lid = ev->b;
			memset(settled, 0, m->elements->n);
		} else if (ev->kind == REC_SETTLE) {
			settled[m->elements->of[ev->a]] = 1;
		}
	}
	struct mincontention_ways *ways = lid ? mincontention_ways(sc->sweep->routing, lid, NULL) : NULL;
	for (uint32_t e = 0; ways && e < m->elements->n; e++) {
		const struct mincontention_way *way = &ways->way[ways->first[e]];
		uint32_t key = walk_value(w, T_KEY, e);

		if (e == ways->target)
			continue;
		if (way->open != !settled[e])
			fail_msg("%s step %zu: element %u for LID %u", g->what, step, e, lid);
		if (way->open)
			continue;
		assert_int_equal(way->port, walk_value(w, T_EGRESS, e));
		assert_int_equal(way->key.contention, key >> 16);
		assert_int_equal(way->key.distance, key & 0xffff);
	}
	mincontention_ways_free(ways);
}

/* A layer's dependencies are those that events brought. */
static void check_dependencies(const struct stage *g, size_t step)
{
	const struct rec_scheme *scheme = recording_scheme_of(g->r)->scheme;
	struct walk *w = session_walk(g->s);
	uint32_t n, held = 0;

	if (!scheme->dependencies)
		return;
	AUTO_FREE struct rec_dependency *d = scheme->dependencies(g->r, step, &n);
	for (size_t i = 0; i < recording_cells(g->r, T_DEP); i++)
		held += walk_value(w, T_DEP, (uint32_t)i) != NO_ID;
	assert_int_equal(n, held);
	for (uint32_t i = 0; i < n; i++) {
		const struct topo *tp = recording_sweep(g->r)->topo;

		assert_int_equal(walk_value(w, T_DEP, d[i].at), d[i].pair);
		/* the second channel begins where the first one ends */
		assert_int_equal(tp->peer_switch[d[i].from],
				 tp->fabric->node_switch[tp->fabric->port_node[d[i].to]]);
	}
}

static void look(struct stage *g, size_t step, bool single, bool all)
{
	AUTO_SCENE struct scene sc = {.panes = all_views, .places = all_places};

	replay(g, step);
	scene_take(&sc, g->s);
	assert_non_null(sc.moment);
	assert_ptr_equal(sc.sweep, sc.moment->sweep);
	assert_ptr_not_equal(sc.real, NULL);
	check_lft(g, &sc, step, single);
	check_hops(g, &sc);
	check_ranks(g, &sc);
	check_layers(g, &sc);
	check_cycle(g, &sc);
	check_ways(g, &sc, step);
	check_dependencies(g, step);
	if (all)
		all_panes(g, &sc);
}

/* --- the end of a walk is the present ---------------------------------------------------------- */

static void end_is_the_present(struct stage *g)
{
	static const char *const panes[] = {"switches", "hosts",  "lft S", "ports S",  "ranks", "hops S",
					    "usage",	"layers", "cdg",   "path L M", "tree",	"groups S"};
	size_t n = recording_steps(g->r);

	for (size_t i = 0; i < ARRAY_LEN(panes); i++) {
		AUTO_TEXT struct text line = {0};
		struct err e;
		int rc;

		text_add(&line, "list ");
		put_words(g, panes[i], &line);
		step_to(g, n - 1);
		step_to(g, n); /* the last event changes nothing */
		AUTO_FREE char *at = run_line(g->s, line.s, &rc, &e, false, NULL);
		struct walk *w = walk_new(g->r);
		session_set_walk(g->s, NULL);
		AUTO_FREE char *now = run_line(g->s, line.s, &rc, &e, false, NULL);
		session_set_walk(g->s, w);
		char *rest = strchr(at, '\n') ? strchr(at, '\n') + 1 : at;
		if (strcmp(rest, now) != 0)
			fail_msg("%s: %s at the last step:\n%s\nexpected\n%s", g->what, line.s, at, now);
	}
}

/* --- all engines ------------------------------------------------------------------------------- */

static void choose_objects(struct stage *g, uint64_t *seed)
{
	const struct sweep *w = recording_sweep(g->r);
	const struct fabric *f = g->s->fabric;
	unsigned n = 0;

	do
		g->sw = rng_below(seed, f->n_switches);
	while (!switch_up(w->topo, g->sw));
	for (unsigned lid = 1; lid <= w->lids->max_lid; lid++) {
		uint32_t ep = lid_owner(w->lids, lid);

		if (ep != NO_ID && !endport_is_switch(f, ep) && (n < 2 || !rng_below(seed, 4)))
			g->lid[n++ % 2] = lid;
	}
	assert_true(n >= 2);
}

static void walk_through(struct session *s, const char *engine, uint64_t *seed, const char *what)
{
	struct err e = {0};
	struct stage g = {.s = s, .what = what};

	g.r = recording_make(&(struct rec_request){.sweep = session_sweep(s),
						   .engine = engine,
						   .focus = REC_EVERYTHING,
						   .engines = all_engines},
			     &e);
	if (!g.r)
		fail_msg("%s: %s", what, e.msg);
	size_t n = recording_steps(g.r);
	size_t cells = s->fabric->n_switches * row_of(&g);
	g.entry = mem_alloc(cells);
	g.decided = mem_alloc(cells);
	choose_objects(&g, seed);
	session_set_walk(s, walk_new(g.r));
	for (int k = 0; k < 4; k++) {
		size_t step = rng_below(seed, (uint32_t)n + 1);

		step_to(&g, step);
		look(&g, step, false, k < 2);
		if (step < n) {
			step_to(&g, step + 1);
			look(&g, step + 1, true, false);
		}
	}
	step_to(&g, n);
	look(&g, n, false, true);
	for (size_t i = 1, seen = 0; i <= n && seen < 2; i++)
		if (recording_event(g.r, i)->kind == REC_REFUSE) {
			step_to(&g, i);
			look(&g, i, false, !seen++);
		}
	if (!recording_refusal(g.r) && recording_sweep(g.r) == session_sweep(s))
		end_is_the_present(&g);
	session_set_walk(s, NULL);
	recording_unref(g.r);
	free(g.entry);
	free(g.decided);
}

static void options(struct session *s, const char *engine, uint64_t *seed)
{
	if (rng_below(seed, 2))
		ok_line(s, "set qos TRUE");
	if (!strcmp(engine, "lash") && rng_below(seed, 2))
		ok_line(s, "set do_mesh_analysis TRUE");
	if (!strcmp(engine, "mincontention"))
		ok_line(s, rng_below(seed, 2) ? "set tolerance 1" : "set lmc 1");
	if (!strcmp(engine, "ftree") && rng_below(seed, 2))
		ok_line(s, "set max_reverse_hops 2");
}

static bool one_fabric(const struct engine *g, const char *shape, uint64_t *seed)
{
	AUTO_SESSION struct session *s = make_session(line_of("synth %s", shape));

	if (rng_below(seed, 2))
		ok_linef(s, "fail random 1 seed=%u", rng_below(seed, 100000));
	options(s, g->name, seed);
	ok_linef(s, "route %s", g->name);
	AUTO_FREE char *what = str_printf("%s on %s", g->name, shape);
	bool runs = recording_possible(session_sweep(s), g->name, all_engines) != NULL;
	if (runs)
		walk_through(s, g->name, seed, what);
	return runs;
}

#define SHAPES test_rounds(2) /* of the list, with each engine */

static void every_engine(void **state)
{
	uint64_t seed = test_seed();
	unsigned seen = 0;

	for (size_t g = 0; all_engines[g]; g++) {
		uint32_t first = rng_below(&seed, ARRAY_LEN(shapes));

		if (!walks_alone(all_engines[g]) || all_engines[g]->holds != HOLDS_NOTHING)
			continue;
		for (uint32_t i = 0; i < SHAPES; i++)
			seen += one_fabric(all_engines[g], shapes[(first + i * 3) % ARRAY_LEN(shapes)],
					   &seed);
	}
	print_message("%u runs\n", seen);
	assert_true(seen > 4 * SHAPES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_engine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
