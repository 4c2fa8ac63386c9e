/*
 * Causes of lost pairs: each pair has one.  On random fabrics, failures and tables that are older than the
 * failures, the causes are counted again here, pair by pair, by walking the tables.
 */
#include "fixture.h"

#include "core/analysis/compare/causes.h"
#include "core/base/rng.h"
#include "core/formats/tables.h"
#include "core/routing/paths.h"
#include "core/sm/options.h"

static char *dump; /* the file of tables */

/* --- by brute force ------------------------------------------------------------------------------------ */

/* Pairs that end at each port of a switch, and those for other reasons. */
struct tally {
	uint64_t *at; /* [n_ports] the entry leads to a dead or wrong port */
	uint64_t silent, circle, none, cut, no_lid, all;
};

static bool counts(const struct sweep *w, uint32_t ep)
{
	return !endport_is_switch(w->fabric, ep) && routing_counts(w->routing, ep);
}

/* Is the host gone by itself, so that nobody misses a path of it? */
static bool gone(const struct sweep *w, uint32_t ep)
{
	return w->setup->state->node_down[endport_node(w->fabric, ep)];
}

static bool silent(const struct sweep *w, uint32_t sw)
{
	const struct switch_tables *read = setup_tables(w->setup);

	return !strcmp(w->routing->engine, "tables") && !read->lft[sw];
}

/* Walks from a switch to a host's LID. */
static void walk(const struct sweep *w, uint32_t sw, uint32_t dst, unsigned lid, struct tally *t)
{
	const struct fabric *f = w->fabric;

	for (uint32_t steps = 0;; steps++) {
		unsigned out = routing_port(w->routing, sw, lid);
		uint32_t port = f->switch_port[sw] + out;

		if (steps > f->n_switches || (out == NO_PATH && !silent(w, sw))) {
			*(out == NO_PATH ? &t->none : &t->circle) += 1;
			t->all++;
			return;
		}
		if (out == NO_PATH) {
			t->silent++;
			t->all++;
			return;
		}
		uint32_t q = out ? w->topo->peer[port] : NO_ID;
		if (q != NO_ID && f->port_endport[q] == dst)
			return;
		if (q == NO_ID || !node_is_switch(f, f->port_node[q])) {
			t->at[port]++;
			t->all++;
			return;
		}
		sw = f->node_switch[f->port_node[q]];
	}
}

static struct tally by_hand(const struct sweep *w)
{
	const struct fabric *f = w->fabric;
	struct tally t = {.at = NEW_ARRAY(f->n_ports, uint64_t)};

	for (uint32_t a = 0; a < f->n_endports; a++)
		for (uint32_t b = 0; b < f->n_endports; b++) {
			bool up = w->topo->endport_up[a] && w->topo->endport_up[b];

			if (a == b || !counts(w, a) || !counts(w, b) || gone(w, a) || gone(w, b))
				continue;
			if (!up) {
				t.cut++;
				t.all++;
			} else if (!w->lids->base[b]) {
				t.no_lid++;
				t.all++;
			}
			for (unsigned i = 0; up && w->lids->base[b] && i < w->lids->count[b]; i++)
				walk(w, w->topo->endport_switch[a], b, w->lids->base[b] + i, &t);
		}
	return t;
}

/* --- the comparison --------------------------------------------------------------------------------------
 */

static uint64_t pairs_of(const struct causes *s, enum cause_kind kind)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->c[i].kind == kind ? s->c[i].pairs : 0;
	return n;
}

/* Pairs whose entries lead to a dead port, by what is behind it: a node that is down, else the cable's ends.
 */
static uint64_t behind(const struct sweep *w, const struct tally *t, const struct cause *c)
{
	const struct fabric *f = w->fabric;
	uint64_t n = 0;

	for (uint32_t p = 0; p < f->n_ports; p++) {
		uint32_t q = f->port_peer[p];
		bool down = q != NO_ID && w->setup->state->node_down[f->port_node[q]];
		bool here = p == f->node_port[c->node] + c->port;

		if (c->kind == CAUSE_SWITCH || (c->kind == CAUSE_HOST && !c->port))
			n += down && f->port_node[q] == c->node ? t->at[p] : 0;
		else
			n += !down && (here || (c->kind == CAUSE_CABLE && p == c->peer)) ? t->at[p] : 0;
	}
	return n;
}

/* What a listener hears of each cause, by `made`. */
struct heard {
	const struct sweep *w;
	uint64_t pairs[4096];
	uint32_t switches[4096], all_switches;
};

static void hear_way(void *ctx, const struct lost_way *x)
{
	struct heard *h = ctx;

	assert_true(x->cause < ARRAY_LEN(h->pairs));
	h->pairs[x->cause] += x->pairs;
}

static void hear_end(void *ctx, uint32_t ep, uint32_t cause, uint64_t pairs)
{
	struct heard *h = ctx;

	assert_true(cause < ARRAY_LEN(h->pairs));
	h->pairs[cause] += pairs;
	h->switches[cause] += endport_is_switch(h->w->fabric, ep);
	h->all_switches += endport_is_switch(h->w->fabric, ep);
}

/* Switches that the subnet manager does not reach, or that have no LID. */
static uint32_t switches_lost(const struct sweep *w)
{
	uint32_t n = 0;

	for (uint32_t ep = 0; ep < w->fabric->n_endports; ep++)
		if (endport_is_switch(w->fabric, ep) && !gone(w, ep))
			n += !w->topo->endport_up[ep] || !w->lids->base[ep];
	return n;
}

static void compare(struct session *s, uint64_t *seen)
{
	const struct sweep *w = session_sweep(s);
	struct err e;
	AUTO_FREE struct heard *h = NEW(struct heard);
	const struct ways_listener to = {.ctx = h, .lost = hear_way, .end = hear_end};
	struct tally t = by_hand(w);
	AUTO_FREE uint64_t *at_ports = t.at;
	uint64_t sum = 0, at = 0;

	h->w = w;
	AUTO_ARENA struct causes *c = causes_find(&(struct causes_request){.w = w, .lost = &to}, NULL, &e);
	assert_non_null(c);
	assert_int_equal(h->all_switches, switches_lost(w));
	for (size_t i = 0; i < c->n; i++) {
		assert_true(c->c[i].pairs > 0 || c->c[i].kind == CAUSE_REFUSAL || h->switches[c->c[i].made]);
		assert_int_equal(c->c[i].pairs, h->pairs[c->c[i].made]);
		assert_non_null(c->c[i].what);
		sum += c->c[i].pairs;
		seen[c->c[i].kind] += c->c[i].pairs > 0;
	}
	assert_int_equal(sum, t.all);
	assert_int_equal(c->lost, t.all);
	assert_int_equal(c->untold, t.silent);
	assert_int_equal(pairs_of(c, CAUSE_TABLES), t.silent);
	assert_int_equal(pairs_of(c, CAUSE_LOOP), t.circle);
	for (size_t i = 0; !t.cut && !t.no_lid && !t.none && i < c->n; i++)
		/* that a switch alone is cut off is told beside the ports that lost pairs */
		if ((c->c[i].pairs || !h->switches[c->c[i].made]) &&
		    (c->c[i].kind == CAUSE_CABLE || c->c[i].kind == CAUSE_PORT ||
		     c->c[i].kind == CAUSE_SWITCH))
			assert_int_equal(c->c[i].pairs, behind(w, &t, &c->c[i]));
	for (uint32_t p = 0; p < w->fabric->n_ports; p++)
		at += t.at[p];
	assert_int_equal(at + t.cut + t.no_lid + t.none + t.circle + t.silent, t.all);
}

/* Each entry that is not right has one cause, and the pairs are those of the tables alone. */
static void compare_drift(struct session *s)
{
	struct drift_request rq = {.setup = s->setup, .engines = s->engines, .chain = "minhop"};
	struct err e;
	AUTO_ARENA struct drift *d = drift_judge(&rq, NULL, NULL, &e);
	uint64_t entries = 0;

	assert_non_null(d);
	AUTO_ARENA struct causes *c = causes_find(&(struct causes_request){.w = d->held, .d = d}, NULL, &e);
	AUTO_ARENA struct causes *alone = causes_find(&(struct causes_request){.w = d->held}, NULL, &e);
	assert_true(c && alone);
	for (size_t i = 0; i < c->n; i++) {
		uint64_t of_it = 0;

		for (size_t k = 0; k < d->n_entries; k++)
			of_it += c->of_entry[k] == i;
		assert_int_equal(of_it, c->c[i].entries);
		entries += c->c[i].entries;
	}
	assert_int_equal(entries, drift_total(d) - d->count[DRIFT_RIGHT] - d->count[DRIFT_KEPT]);
	assert_int_equal(c->lost, alone->lost);
}

/* Some entries of the dump lead elsewhere, or are gone, and some tables are gone. */
static void spoil(uint64_t *rng)
{
	AUTO_FREE char *data = file_text(dump);
	AUTO_TEXT struct text t = {0};
	bool skip = false;

	for (char *rest = data, *line; (line = strsep(&rest, "\n")) && rest;) {
		if (!strncmp(line, "Unicast", 7))
			skip = !rng_below(rng, 25);
		if (skip || (line[0] == '0' && !rng_below(rng, 60)))
			continue;
		if (line[0] == '0' && !rng_below(rng, 40))
			line[9] = (char)('0' + rng_below(rng, 9));
		text_add(&t, "%s\n", line);
	}
	file_write(dump, text_str(&t));
}

static void random_failures(void **state)
{
	static const char *const fabric[] = {"xgft:3,4:1,3", "torus:3x3,hosts=2", "random:12,3,seed=%u",
					     "ring:6"};
	static const char *const engine[] = {"minhop", "updn", "dnup", "ftree"};
	uint64_t seed = test_seed(), seen[CAUSE_KINDS] = {0};
	uint64_t rng = seed;

	for (unsigned round = 0; round < test_rounds(60); round++) {
		const char *spec = fabric[rng_below(&rng, 4)];
		// NOLINTNEXTLINE(clang-diagnostic-format-nonliteral)
		const char *drawn = line_of(spec, 1 + rng_below(&rng, 99));
		AUTO_SESSION struct session *s = make_session(
			line_of("synth %s; set lmc %u; route %s; export lfts %s; fail random %u seed=%u",
				drawn, rng_below(&rng, 2), engine[rng_below(&rng, 4)], dump,
				1 + rng_below(&rng, 4), rng_below(&rng, 1000)));

		if (rng_below(&rng, 2))
			ok_linef(s, "fail host node000%u", 1 + rng_below(&rng, 6));
		compare(s, seen);
		if (rng_below(&rng, 2))
			spoil(&rng);
		ok_linef(s, "tables %s", dump);
		compare(s, seen);
		compare_drift(s);
	}
	print_message("causes seen:");
	for (unsigned k = 0; k < CAUSE_KINDS; k++)
		print_message(" %s %" PRIu64, cause_word[k], seen[k]);
	print_message("\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_failures),
	};

	dump = temp_file("");
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	temp_remove(&dump);
	return failed;
}
