/*
 * Recordings as `step` uses them: of a run above record_limit the part in focus is kept and tells of itself
 * what the whole tells; rules are those of `why`; jumps are fast.  On random fabrics by a fresh seed.
 */
#include "core/base/rng.h"
#include "core/session/replay.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"
#include "tests/unit/fixture.h"

static const char *const shapes[] = {
	"ring:5",	    "torus:4x4",       "xgft:2,2,2:1,2,2",	  "random:12,4,hosts=2",
	"mesh:3x3,hosts=2", "dragonfly:3,1,1", "xgft:4,6:1,3,parallel=2", "director:2,2,1,2",
};

static const struct recording *record(struct session *s, struct rec_focus focus, size_t limit, uint32_t sw,
				      struct err *e)
{
	return recording_make(&(struct rec_request){.sweep = session_sweep(s),
						    .focus = focus,
						    .engines = all_engines,
						    .limit = limit,
						    .selected = sw == NO_ID ? 0 : sw + 1},
			      e);
}

/* --- parts ------------------------------------------------------------------------------------------ */

static bool same_event(const struct rec_event *a, const struct rec_event *b)
{
	return a->kind == b->kind && a->rule == b->rule && a->port == b->port && a->flags == b->flags &&
	       a->a == b->a && a->b == b->b;
}

/* Cells that the part keeps are as in the whole, the others as they begin. */
static void same_cells(const struct walk *part, const struct walk *whole, const char *what)
{
	static const enum rec_table tables[] = {T_ENTRY, T_HOPS, T_PLAIN};
	const struct recording *r = walk_recording(part);

	for (size_t k = 0; k < ARRAY_LEN(tables); k++)
		for (size_t i = 0; i < recording_cells(r, tables[k]); i++) {
			unsigned v = walk_value(part, tables[k], i);

			if (v != (recording_keeps(r, tables[k], i) ? walk_value(whole, tables[k], i)
								   : rec_tables[tables[k]].start))
				fail_msg("%s: %s %zu at step %zu of the part, %zu of all: %u, not %u", what,
					 rec_tables[tables[k]].name, i, walk_step(part), walk_step(whole), v,
					 walk_value(whole, tables[k], i));
		}
}

static void same_decided(const struct walk *part, const struct walk *whole, const char *what)
{
	const struct recording *r = walk_recording(part);
	const struct sweep *s = recording_sweep(r);

	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		for (unsigned lid = 0; lid <= s->lids->max_lid; lid++) {
			bool kept = recording_keeps(r, T_ENTRY, sw * (s->lids->max_lid + 1u) + lid);

			if (walk_decided(part, sw, lid) != (kept && walk_decided(whole, sw, lid)))
				fail_msg("%s: switch %u LID %u: decided at step %zu", what, sw, lid,
					 walk_step(part));
		}
}

static bool about_part(const struct recording *r, const struct rec_event *ev)
{
	const struct rec_focus *keep = recording_kept_part(r);

	if (rec_kinds[ev->kind].a != FIELD_SWITCH)
		return true;
	return keep->sw != NO_ID ? ev->a == keep->sw : ev->kind == REC_CHOICE && ev->b == keep->lid;
}

static bool says_less(const struct walk *w)
{
	const char *engine = recording_engine(walk_recording(w));

	return strstr(engine, "sssp") != NULL;
}

static void same_sentence(struct walk *part, struct walk *whole, const char *what)
{
	AUTO_TEXT struct text a = {0}, b = {0};

	walk_sentence(part, &a);
	walk_sentence(whole, &b);
	/* where engines need more than the part to tell why, they may say less behind the first colon */
	if (strncmp(text_str(&a), text_str(&b), says_less(part) ? strcspn(text_str(&a), ":") : a.len) != 0)
		fail_msg("%s: step %zu of the part: %s\nbut %zu of all: %s", what, walk_step(part),
			 text_str(&a), walk_step(whole), text_str(&b));
}

/* Both walks side by side: each step of the part is one of the whole, in the same order. */
static void side_by_side(const struct recording *r, const struct recording *all, uint64_t *seed,
			 const char *what)
{
	AUTO_WALK struct walk *part = walk_new(r), *whole = walk_new(all);
	size_t j = 0, n = recording_steps(r);

	for (size_t i = 1; i <= n; i++) {
		for (j++; j <= recording_steps(all) &&
			  !same_event(recording_event(r, i), recording_event(all, j));)
			j++;
		if (j > recording_steps(all))
			fail_msg("%s: step %zu of the part is none of all", what, i);
		if (i < n && rng_below(seed, (uint32_t)n / 40 + 1))
			continue;
		walk_to(part, i, NULL);
		walk_to(whole, j, NULL);
		same_cells(part, whole, what);
		same_decided(part, whole, what);
		if (about_part(r, recording_event(r, i)))
			same_sentence(part, whole, what);
	}
	walk_to(part, 0, NULL);
	walk_to(whole, 0, NULL);
	same_cells(part, whole, what);
}

/* A step of a part is the same from wherever it was come to. */
static void ways_agree(const struct recording *r, uint64_t *seed, const char *what)
{
	AUTO_WALK struct walk *a = walk_new(r), *b = walk_new(r);
	uint32_t n = (uint32_t)recording_steps(r);

	for (int k = 0; k < 4; k++) {
		size_t to = rng_below(seed, n + 1);

		walk_to(a, to, NULL);
		walk_to(b, n, NULL);
		walk_to(b, rng_below(seed, n + 1), NULL);
		walk_to(b, to, NULL);
		if (walk_sum(a) != walk_sum(b))
			fail_msg("%s: step %zu of %u differs by the way to it", what, to, n);
	}
}

/* All that tells of a step can be asked at any step of a part. */
static void told_at(struct session *s, const struct recording *r, uint64_t *seed)
{
	static const char *const lines[] = {"lft 1",  "hops 1", "ranks",    "layers",
					    "cycles", "check",	"load-map", "trace node0001 node0002"};
	struct walk *w = walk_new(r);

	walk_to(w, rng_below(seed, (uint32_t)recording_steps(r) + 1), NULL);
	session_set_walk(s, w);
	session_walk_moved(s);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct err e;
		int rc;
		AUTO_FREE char *text = run_line(s, lines[i], &rc, &e, false, NULL);

		if (rc ? !*e.msg : strncmp(text, "As of step", 10) != 0)
			fail_msg("%s at step %zu: %s", lines[i], walk_step(w), text);
	}
	session_set_walk(s, NULL);
}

/* A part of a run at a limit: is there one, and is it right?  Number of stages that were needed, 0: none. */
static unsigned part(struct session *s, const struct recording *all, const struct rec_focus *focus,
		     size_t limit, uint64_t *seed, const char *what)
{
	struct err e = {0};
	uint32_t sw = rng_below(seed, s->fabric->n_switches);
	const struct recording *r;

	while (!switch_up(session_sweep(s)->topo, sw))
		sw = rng_below(seed, s->fabric->n_switches);
	r = record(s, *focus, limit, sw, &e);
	if (!r) {
		assert_non_null(strstr(e.msg, "record_limit"));
		return 0;
	}
	assert_true(recording_bytes(r) <= limit + 4096);
	unsigned kept = *recording_part(r) != 0;
	if (rec_focus_is_all(focus))
		assert_int_equal(recording_kept_part(r)->sw, sw);
	side_by_side(r, all, seed, what);
	ways_agree(r, seed, what);
	told_at(s, r, seed);
	recording_unref(r);
	return kept;
}

/* A LID of the fabric at random. */
static uint16_t some_lid(const struct session *s, uint64_t *seed)
{
	const struct lids *l = session_sweep(s)->lids;
	unsigned lid;

	do
		lid = 1 + rng_below(seed, l->max_lid);
	while (lid_owner(l, lid) == NO_ID);
	return (uint16_t)lid;
}

static void test_parts(void **state)
{
	uint64_t seed = test_seed(), first = seed;
	unsigned parts = 0, tried = 0;

	for (size_t g = 0; all_engines[g]; g++)
		for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
			AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
			struct rec_focus one = REC_EVERYTHING, all = REC_EVERYTHING;
			struct err e = {0};
			AUTO_FREE char *line =
				str_printf("synth %s; route %s", shapes[i], all_engines[g]->name);

			if (!walks_alone(all_engines[g]) || all_engines[g]->holds != HOLDS_NOTHING ||
			    !test_drawn(first, g + i, 5))
				continue;
			ok_line(s, line);
			AUTO_RECORDING const struct recording *whole = record(s, all, 0, NO_ID, &e);
			if (!whole)
				fail_msg("%s: %s", line, e.msg);
			one.lid = some_lid(s, &seed);
			for (unsigned k = 1; k <= 5; k++) {
				size_t limit = recording_bytes(whole) * (6 - k) / 7;

				parts += part(s, whole, k == 2 ? &one : &all, limit, &seed, line);
				tried++;
			}
		}
	print_message("%u parts of %u\n", parts, tried);
	assert_true(parts > tried / 2);
}

/* --- rules -------------------------------------------------------------------------------------------- */

/* What `why` decides of each entry, [n_switches x (max_lid + 1)]. */
struct decisions {
	const struct sweep *s;
	uint8_t *rule, *port, *times;
};

static void hear(void *ctx, const struct rec_choice *c)
{
	struct decisions *d = ctx;
	size_t at = (size_t)c->sw * (d->s->lids->max_lid + 1u) + c->lid;

	d->rule[at] = c->decided.rule;
	d->port[at] = c->port;
}

/* Where the engine tells none, the entry may speak for itself. */
static unsigned settled(const struct decisions *d, uint32_t sw, unsigned lid, unsigned port)
{
	AUTO_BY(decided_free) struct decided common = {0};
	unsigned rule = d->rule[(size_t)sw * (d->s->lids->max_lid + 1u) + lid];

	if (rule == WHY_UNTOLD && decide_common(d->s->topo, d->s->lids, sw, lid, port, &common))
		rule = common.rule;
	return rule == WHY_UNTOLD && port == NO_PATH ? WHY_NOT_ROUTED : rule;
}

static bool of_the_list(const char *rule)
{
	for (unsigned i = 1; i < N_WHY_RULES; i++)
		if (!strcmp(rule, why_rule_name(i)))
			return true;
	return false;
}

/* Rules of all choices of a recording; their number. */
static unsigned rules(const struct recording *r, struct decisions *d, const char *what)
{
	size_t row = d->s->lids->max_lid + 1u;
	unsigned n = 0;

	for (size_t i = 1; i <= recording_steps(r); i++) {
		const struct rec_event *ev = recording_event(r, i);

		if (rec_decides(ev) && ev->b)
			d->times[ev->a * row + ev->b]++;
	}
	for (size_t i = 1; i <= recording_steps(r); i++) {
		const struct rec_event *ev = recording_event(r, i);
		const char *rule = recording_rule(r, ev);
		size_t at = ev->a * row + ev->b;

		if (!rec_decides(ev) || !ev->b)
			continue;
		if (!of_the_list(rule))
			fail_msg("%s: step %zu: rule \"%s\" is not of the list", what, i, rule);
		if (d->times[at] > 1)
			continue;
		n++;
		if (strcmp(rule, why_rule_name(settled(d, ev->a, ev->b, ev->port))) != 0)
			fail_msg("%s: %s LID %u, step %zu: \"%s\", and `why` says \"%s\"", what,
				 switch_name(d->s->fabric, ev->a), ev->b, i, rule,
				 why_rule_name(settled(d, ev->a, ev->b, ev->port)));
	}
	return n;
}

static unsigned compare_rules(struct session *s, const char *what)
{
	const struct sweep *w = session_sweep(s);
	struct err e = {0};
	AUTO_RECORDING const struct recording *r = record(s, REC_EVERYTHING, 0, NO_ID, &e);
	struct decisions d = {.s = r ? recording_sweep(r) : w};
	size_t n = (size_t)w->fabric->n_switches * (w->lids->max_lid + 1u);
	struct rec_ask ask = {.tell = hear, .ctx = &d, .sw = NO_ID, .last = true};
	struct sweep_repeat again = {.engines = all_engines, .ask = &ask};
	unsigned compared;

	if (!r)
		fail_msg("%s: %s", what, e.msg);
	d.rule = NEW_ARRAY(n, uint8_t);
	d.port = NEW_ARRAY(n, uint8_t);
	d.times = NEW_ARRAY(n, uint8_t);
	if (sweep_repeat(w, &again, NULL, &e))
		fail_msg("%s: %s", what, e.msg);
	compared = rules(r, &d, what);
	free(d.rule);
	free(d.port);
	free(d.times);
	return compared;
}

/* What is kept for the steps around one is what each of them would be told alone. */
static void keep_choice(void *ctx, const struct rec_choice *c)
{
	struct rec_choice **last = ctx;

	rec_choice_free(*last);
	*last = rec_choice_copy(c);
}

static void same_choice(const struct rec_choice *a, const struct rec_choice *b, const char *what)
{
	if (!a || !b) {
		if (a || b)
			fail_msg("%s: told in one way alone", what);
		return;
	}
	assert_int_equal(a->port, b->port);
	assert_string_equal(text_str(&a->text), text_str(&b->text));
	assert_int_equal(a->decided.rule, b->decided.rule);
	assert_string_equal(text_str(&a->decided.text), text_str(&b->decided.text));
	assert_int_equal(a->n_quantities, b->n_quantities);
	assert_int_equal(a->n_offers, b->n_offers);
	for (unsigned i = 0; i < a->n_offers; i++) {
		assert_int_equal(a->offer[i].port, b->offer[i].port);
		assert_int_equal(a->offer[i].peer, b->offer[i].peer);
		assert_memory_equal(a->offer[i].q, b->offer[i].q, a->n_quantities * sizeof(*a->offer[i].q));
	}
}

static void compare_choices(struct session *s, const char *what)
{
	struct err e = {0};
	AUTO_RECORDING const struct recording *r = record(s, REC_EVERYTHING, 0, NO_ID, &e);
	struct rec_choice *one = NULL, *kept;
	struct rec_ask ask = {.tell = keep_choice, .ctx = &one, .last = true};
	struct sweep_repeat again = {.engines = all_engines, .ask = &ask};

	assert_non_null(r);
	for (size_t i = 1; i <= recording_steps(r); i += 1 + recording_steps(r) / 40) {
		const struct rec_event *ev = recording_event(r, i);

		if (!rec_decides(ev) || !ev->b)
			continue;
		ask.sw = ev->a;
		ask.lid = (uint16_t)ev->b;
		assert_int_equal(sweep_repeat(recording_sweep(r), &again, NULL, &e), 0);
		assert_int_equal(recording_choice(r, i, all_engines, &kept, NULL, &e), 0);
		same_choice(kept, one, what);
		rec_choice_free(kept);
		rec_choice_free(one);
		one = NULL;
	}
}

static void some_options(struct session *s, const char *engine, uint64_t *seed)
{
	static const char *const common[] = {"connect_roots TRUE", "port_shifting TRUE", "scatter_ports 7",
					     "port_profile_switch_nodes TRUE"};

	for (size_t i = 0; i < ARRAY_LEN(common); i++) {
		AUTO_FREE char *line = str_printf("set %s", common[i]);

		if (!rng_below(seed, 4))
			ok_line(s, line);
	}
	if (!strcmp(engine, "updn") && rng_below(seed, 3)) { /* any switch: others turn up again */

		ok_linef(s, "set root_guid_file 0x%016lx",
			 (unsigned long)s->fabric
				 ->node_guid[s->fabric->switch_node[rng_below(seed, s->fabric->n_switches)]]);
	}
	if (!strcmp(engine, "lash") && rng_below(seed, 2))
		ok_line(s, "set do_mesh_analysis TRUE");
	if (!strcmp(engine, "mincontention") && rng_below(seed, 2))
		ok_line(s, "set tolerance 1");
	if (!strcmp(engine, "ftree") && rng_below(seed, 2))
		ok_line(s, "set max_reverse_hops 2");
}

/* A line that may fail, as nothing is left to fail. */
static void try_line(struct session *s, const char *line)
{
	struct err e;
	int rc;

	free(run_line(s, line, &rc, &e, false, NULL));
}

static void test_rules(void **state)
{
	uint64_t seed = test_seed(), first = seed;
	unsigned compared = 0;

	for (size_t g = 0; all_engines[g]; g++)
		for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
			for (int k = 0; k < 3; k++) {
				AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
				char line[200], fail[100];

				if (!walks_alone(all_engines[g]) || all_engines[g]->holds != HOLDS_NOTHING ||
				    !test_drawn(first, g + i + (size_t)k, 5))
					continue;
				ok_linef(s, "synth %s; set lmc %u", shapes[i], rng_below(&seed, 3) == 0);
				some_options(s, all_engines[g]->name, &seed);
				snprintf(fail, sizeof(fail), "fail random %u seed=%u",
					 rng_below(&seed, 4) + 1, rng_below(&seed, 100000));
				if (k)
					try_line(s, fail);
				ok_linef(s, "route %s", all_engines[g]->name);
				if (k == 2)
					try_line(s, fail);
				snprintf(line, sizeof(line), "%s on %s, %s", session_routing(s)->engine,
					 shapes[i], fail);
				compared += compare_rules(s, line);
				if (k)
					compare_choices(s, line);
			}
	print_message("%u entries compared\n", compared);
	assert_true(compared > 3000);
}

/* --- what is told of a step ------------------------------------------------------------------------- */

static struct session *some_session(const char *engine, const char *shape)
{
	struct session *s = session_new(all_engines, all_commands);

	ok_linef(s, "synth %s; route %s", shape, engine);
	return s;
}

/* Times an entry is decided. */
static unsigned times(const struct recording *r, const struct rec_event *of)
{
	unsigned n = 0;

	for (size_t i = 1; i <= recording_steps(r); i++) {
		const struct rec_event *ev = recording_event(r, i);

		n += rec_decides(ev) && ev->a == of->a && ev->b == of->b;
	}
	return n;
}

/* Everything has a name, and the candidates are those of the step. */
static void about_step(const struct recording *r, size_t step, const char *what)
{
	const struct rec_event *ev = step ? recording_event(r, step) : NULL;
	struct err e = {0};
	struct step_about *a = step_about(r, step, all_engines, NULL, &e);
	unsigned taken = 0;

	if (!a)
		fail_msg("%s: step %zu: %s", what, step, e.msg);
	assert_true(*a->sentence);
	for (size_t i = 0; i < a->n_changes; i++) {
		const struct about_change *c = &a->change[i];

		if (!*c->where || !*c->was_text || !*c->now_text ||
		    (strstr(c->where, "number ") && c->table != T_COLOUR))
			fail_msg("%s: step %zu: %s of %s: %s, was %s", what, step, rec_tables[c->table].name,
				 c->where, c->now_text, c->was_text);
	}
	for (size_t i = 0; i < a->n_candidates; i++)
		taken += a->candidate[i].taken;
	assert_true(taken <= 1);
	if (ev && rec_decides(ev) && ev->b && times(r, ev) == 1 &&
	    lid_owner(recording_sweep(r)->lids, ev->b) != NO_ID) {
		size_t n = strlen(a->rule);

		for (size_t i = 0; i < a->n_candidates; i++)
			if (a->candidate[i].taken)
				assert_int_equal(a->candidate[i].port, ev->port);
		if (strncmp(a->told, a->rule, n) != 0 && *a->told)
			fail_msg("%s: step %zu: rule %s, told: %s", what, step, a->rule, a->told);
	}
	step_about_free(a);
}

static void test_about(void **state)
{
	uint64_t seed = test_seed();

	for (size_t g = 0; all_engines[g]; g++)
		for (size_t i = 0; i < ARRAY_LEN(shapes) && walks_alone(all_engines[g]); i++) {
			struct session *s;
			struct err e = {0};

			if (all_engines[g]->holds != HOLDS_NOTHING)
				break;
			s = some_session(all_engines[g]->name, shapes[i]);
			AUTO_RECORDING const struct recording *r = record(s, REC_EVERYTHING, 0, NO_ID, &e);
			if (!r)
				fail_msg("%s", e.msg);
			AUTO_FREE char *what = str_printf("%s on %s", recording_engine(r), shapes[i]);
			for (int k = 0; k < 25; k++)
				about_step(r, rng_below(&seed, (uint32_t)recording_steps(r) + 1), what);
			session_free(s);
		}
}

/* --- why at a step ----------------------------------------------------------------------------------- */

/* The step named behind the words, 0: they are not there. */
static size_t step_named(const char *text, const char *words)
{
	const char *at = strstr(text, words);

	return at ? strtoul(at + strlen(words), NULL, 10) : 0;
}

static void why_entry_at(struct session *s, struct walk *w, uint32_t sw, unsigned lid)
{
	struct err e;
	int rc;
	char line[100], *text;
	size_t then;

	snprintf(line, sizeof(line), "why 0x%016lx %u",
		 (unsigned long)s->fabric->node_guid[s->fabric->switch_node[sw]], lid);
	text = run_line(s, line, &rc, &e, false, NULL);
	if (rc || strncmp(text, "As of step", 10) != 0)
		fail_msg("%s: %s%s", line, text, e.msg);
	then = step_named(text, "it is decided at step ");
	if (then) {
		const struct rec_event *ev = recording_event(walk_recording(w), then);

		assert_true(then > walk_step(w));
		assert_true(rec_decides(ev) && ev->a == sw && ev->b == lid);
		assert_false(walk_decided(w, sw, lid));
	} else if (walk_decided(w, sw, lid) && !strstr(text, "Decided: ")) {
		fail_msg("%s at step %zu: %s", line, walk_step(w), text);
	}
	free(text);
}

static void why_path_at(struct session *s)
{
	struct err e;
	int rc;
	AUTO_FREE char *text = run_line(s, "why node0001 node0002", &rc, &e, false, NULL);

	if (rc || strncmp(text, "As of step", 10) != 0 || strstr(text, "Decided: :"))
		fail_msg("why node0001 node0002: %s%s", text, e.msg);
}

static void test_why_at_steps(void **state)
{
	uint64_t seed = test_seed();

	for (size_t g = 0; all_engines[g]; g++)
		for (size_t i = 0; i < ARRAY_LEN(shapes) && walks_alone(all_engines[g]); i++) {
			struct session *s;
			struct err e = {0};
			struct walk *w;

			if (all_engines[g]->holds != HOLDS_NOTHING)
				break;
			s = some_session(all_engines[g]->name, shapes[i]);
			AUTO_RECORDING const struct recording *r = record(s, REC_EVERYTHING, 0, NO_ID, &e);
			if (!r)
				fail_msg("%s", e.msg);
			w = walk_new(r);
			session_set_walk(s, w);
			for (int k = 0; k < 6; k++) {
				walk_to(w, rng_below(&seed, (uint32_t)recording_steps(r) + 1), NULL);
				session_walk_moved(s);
				why_entry_at(s, w, rng_below(&seed, s->fabric->n_switches),
					     some_lid(s, &seed));
				why_path_at(s);
			}
			session_free(s);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_about),
		cmocka_unit_test(test_why_at_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
