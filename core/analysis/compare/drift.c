/* Drift: tables that are held, compared with those that engines compute; which engine made them. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/compare.h"
#include "core/analysis/compare/drift.h"
#include "core/base/defs.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/routing/routing.h"
#include "core/sm/guid_names.h"
#include "core/sm/sweep.h"
#include "core/trace/recording.h"

/* Tables after an event, with the SLs that hosts still hold from before. */

struct drift_held {
	struct routing_ops ops;
	const struct routing *a, *b; /* references held */
};

/* The endport's LID before; 0: it had none, or was not up. */
static unsigned lid_before(const struct drift_held *h, unsigned lid)
{
	uint32_t ep = lid_owner(h->b->lids, lid);

	if (ep == NO_ID || !h->a->topo->endport_up[ep] || !h->a->lids->base[ep])
		return 0;
	unsigned off = lid - h->b->lids->base[ep];
	return off < h->a->lids->count[ep] ? h->a->lids->base[ep] + off : 0;
}

static struct sl_range held_sl(const struct routing *r, unsigned slid, unsigned dlid)
{
	const struct drift_held *h = r->priv;
	unsigned from = lid_before(h, slid), to = lid_before(h, dlid);

	return from && to ? routing_sl(h->a, from, to) : routing_sl(h->b, slid, dlid);
}

static unsigned held_vl(const struct routing *r, uint32_t sw, unsigned in, unsigned out, unsigned sl)
{
	const struct drift_held *h = r->priv;

	return routing_vl(h->b, sw, in, out, sl);
}

static unsigned held_endport_vl(const struct routing *r, uint32_t endport, unsigned sl)
{
	const struct drift_held *h = r->priv;

	return h->b->ops->endport_vl(h->b, endport, sl);
}

static void held_free(void *priv)
{
	struct drift_held *h = priv;

	routing_unref(h->a);
	routing_unref(h->b);
	free(h);
}

const struct routing *comparison_held(const struct comparison *c)
{
	assert(!c->across);
	struct routing *r = routing_new(c->b->engine, c->b->topo, c->b->lids);
	struct drift_held *h = NEW(struct drift_held);
	bool all = true;

	for (uint32_t ep = 0; ep < c->b->topo->fabric->n_endports; ep++)
		all = all && (!c->b->topo->endport_up[ep] || c->a->topo->endport_up[ep]);
	*h = (struct drift_held){.a = routing_ref(c->a), .b = routing_ref(c->b)};
	h->ops = (struct routing_ops){
		.sl = held_sl,
		.sl_by_switch = all && routing_sls_by_switch(c->a) && routing_sls_by_switch(c->b),
		.sl_by_source = all && routing_sls_by_source(c->a) && routing_sls_by_source(c->b),
		.vl = routing_vl_by_sl(c->b) && !routing_has_maps(c->b) ? NULL : held_vl,
		.endport_vl = c->b->ops->endport_vl ? held_endport_vl : NULL,
		.free_priv = held_free,
	};
	for (uint32_t s = 0; s < c->b->topo->fabric->n_switches; s++)
		routing_share_row(r, c->b, s);
	r->ops = &h->ops;
	r->priv = h;
	r->hosts = host_set_ref(c->b->hosts);
	r->adaptive = c->b->adaptive;
	if (r->adaptive)
		counted_ref(&r->adaptive->counted);
	return r;
}

const struct candidate drift_candidates[] = {
	{.engine = "minhop", .drawn = true, .words = ""},
	{.engine = "updn", .drawn = true, .words = ""},
	{.engine = "updn", .files = CANDIDATE_ROOTS, .drawn = true, .words = "roots by levels"},
	{.engine = "dnup", .words = ""},
	{.engine = "ftree", .words = ""},
	{.engine = "ftree",
	 .files = CANDIDATE_ROOTS | CANDIDATE_COMPUTE,
	 .words = "roots by levels, compute nodes on edge switches"},
	{.engine = "dor", .late = true, .words = ""},
	{.engine = "lash", .layers = true, .slow = true, .words = ""},
	{.engine = "lash",
	 .option = "do_mesh_analysis=TRUE",
	 .layers = true,
	 .slow = true,
	 .direct = true,
	 .words = "do_mesh_analysis TRUE"},
	{.engine = "dfsssp", .layers = true, .slow = true, .words = ""},
	{.engine = "nue", .slow = true, .words = ""},
	{.engine = "nue",
	 .option = "nue_max_num_vls=0",
	 .layers = true,
	 .advice = true,
	 .words = "nue_max_num_vls 0"},
	{.engine = "torus-2QoS", .files = CANDIDATE_TORUS, .layers = true, .direct = true, .words = ""},
};
const unsigned n_candidates = ARRAY_LEN(drift_candidates);

static void set_guids(struct options *o, const char *name, const struct text *guids)
{
	AUTO_TEXT struct text list = {0};

	text_add(&list, "%cby levels\n%s", GUID_LIST_MARK, text_str(guids));
	options_set_list(o, name, "by levels", text_str(&list));
}

struct options *candidate_options(const struct candidate *c, const struct options *base, const struct topo *t,
				  const struct levels *l, const uint8_t *hosts, struct err *e)
{
	struct options *o = options_copy(base);
	AUTO_TEXT struct text roots = {0}, compute = {0}, io = {0};

	assert(l || !(c->files & (CANDIDATE_ROOTS | CANDIDATE_COMPUTE)));
	if (c->option && options_assign(o, NULL, c->option, e)) {
		options_free(o);
		return NULL;
	}
	if (c->files & CANDIDATE_ROOTS) {
		levels_root_guids(l, t->fabric, &roots);
		set_guids(o, "root_guid_file", &roots);
	}
	if (c->files & CANDIDATE_COMPUTE) { /* hosts on no edge switch are I/O nodes */
		levels_host_guids(l, t, hosts, true, &compute);
		levels_host_guids(l, t, hosts, false, &io);
		set_guids(o, "cn_guid_file", &compute);
		if (io.len)
			set_guids(o, "io_guid_file", &io);
	}
	return o;
}

/* Which engine made the tables that are held? Every engine is tried with the options in force. */

/* Agreements that differ by less are equal. */
#define AGREEMENT_EPSILON 1e-9
/* Right shares at most this far below the best are equal: then the order of candidates decides. */
#define RIGHT_BAND 0.05

struct ranking {
	struct drift_ranking *r;
	const struct sweep *held;
	const struct drift_request *rq;
	struct progress *p;
	const struct levels *levels; /* NULL: roots are taken from the options */
	size_t cap;
};

/* --- trying one ------------------------------------------------------------------------------- */

/* Has the engine that took over been listed with the same figures? A refusing engine is not listed again. */
static bool told_already(const struct drift_ranking *r, const struct drift_candidate *c)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->candidate[i].in_force && c->refused &&
		    !strcmp(r->candidate[i].in_force, c->in_force) &&
		    !memcmp(r->candidate[i].count, c->count, sizeof(c->count)))
			return true;
	return false;
}

static void fill_candidate(void *arena, struct drift_candidate *c, const struct drift *d)
{
	const struct sweep *w = d->next;

	if (w->n_refusals)
		c->refused = arena_str(arena, w->refusal[0].why);
	if (!w->routing) {
		if (!c->refused)
			c->refused = arena_str(arena, "there is nothing to route");
		return;
	}
	c->in_force = d->engine;
	c->agreement = drift_agreement(d);
	c->right = drift_right_share(d);
	memcpy(c->count, d->count, sizeof(c->count));
}

static int try_chain(struct ranking *k, const char *chain, const struct setup *setup, const char *words,
		     struct err *e)
{
	struct drift_candidate c = {.chain = arena_str(k->r, chain),
				    .setup = setup_unref_later(k->r, setup_ref(setup)),
				    .options = words};
	const struct drift_request rq = {.setup = setup, .engines = k->rq->engines, .chain = chain};
	struct drift *d = drift_run(k->held, &rq, false, k->p, e);

	if (d)
		fill_candidate(k->r, &c, d);
	if (d && !(c.in_force && told_already(k->r, &c))) {
		ARENA_GROW(k->r, k->r->candidate, k->r->n, k->cap);
		k->r->candidate[k->r->n++] = c;
	}
	arena_free(d);
	return d ? 0 : -1;
}

static int try_candidate(struct ranking *k, const struct candidate *c, struct err *e)
{
	AUTO_OPTIONS struct options *o =
		candidate_options(c, k->rq->setup->options, k->held->topo, k->levels, k->held->hosts->in, e);

	if (!o)
		return -1;
	AUTO_SETUP const struct setup *with = setup_with(k->rq->setup, &(struct setup){.options = o});
	return try_chain(k, c->engine, with, c->words, e);
}

/* --- NVIDIA's rules: how many routing threads drew these ports? -------------------------------------- */

#define THREADS_TRIED 64

/* The first switch, counted among those that are up, where a LID of a host has another port; their number:
 * none. */
static uint32_t first_unlike(const struct sweep *held, const struct routing *r)
{
	const struct topo *t = held->topo;
	uint32_t place = 0;

	for (uint32_t sw = 0; sw < t->fabric->n_switches; sw++) {
		if (!switch_up(t, sw))
			continue;
		for (unsigned lid = 1; lid <= r->lids->max_lid; lid++) {
			uint32_t owner = lid_owner(r->lids, lid);
			unsigned port = routing_port(r, sw, lid), has = routing_port(held->routing, sw, lid);

			if (owner != NO_ID && !endport_is_switch(t->fabric, owner) && port != NO_PATH &&
			    has != NO_PATH && port != has)
				return place;
		}
		place++;
	}
	return place;
}

/* The setup with these options and so many routing threads.  A reference. */
static const struct setup *setup_with_threads(const struct setup *setup, const struct options *with,
					      const char *chain, unsigned threads)
{
	AUTO_OPTIONS struct options *o = options_copy(with);
	char number[12];

	snprintf(number, sizeof(number), "%u", threads);
	options_set(o, "routing_threads_num", number, NULL);
	return setup_with(setup, &(struct setup){.options = o, .chain = chain});
}

/*
 * The number of threads with which a fresh start draws these ports; 0: none does.  The first T switches have
 * generators of their own, so no number above the place of the first unlike switch can fit
 * (engines/doc/nvidia.md 3.3).
 */
static unsigned threads_that_fit(const struct ranking *k, const char *chain, const struct options *with)
{
	unsigned tried = 0, threads = k->held->topo->n_switches_up;
	struct err unused;

	while (threads && tried++ < THREADS_TRIED) {
		AUTO_SETUP const struct setup *s = setup_with_threads(k->rq->setup, with, chain, threads);
		AUTO_SWEEP struct sweep *w = sweep_run(&(struct sweep_request){.setup = s,
									       .engines = k->rq->engines,
									       .restart = true,
									       .prev = k->held,
									       .progress = k->p},
						       &unused);
		if (!w || !w->routing || w->fallback)
			return 0;
		uint32_t unlike = first_unlike(k->held, w->routing);
		if (unlike == k->held->topo->n_switches_up)
			return threads;
		threads = unlike < threads ? unlike : threads - 1;
	}
	return 0;
}

/* Tries engines by NVIDIA's rules, each with the number of threads that makes these tables, if there is one.
 */
static int try_threads(struct ranking *k, const struct candidate *c, struct err *e)
{
	AUTO_OPTIONS struct options *o =
		candidate_options(c, k->rq->setup->options, k->held->topo, k->levels, k->held->hosts->in, e);
	AUTO_TEXT struct text words = {0};

	if (!o || options_set(o, "rules", "nvidia", e))
		return -1;
	if (!options_uint(o, "scatter_ports") || options_uint(o, "routing_threads_num"))
		return 0;
	unsigned threads = threads_that_fit(k, c->engine, o);
	if (progress_cancelled(k->p))
		return err_set(e, CANCELLED);
	if (!threads)
		return 0;
	bool or_more = threads == k->held->topo->n_switches_up; /* a generator for each */
	text_add(&words, "NVIDIA's rules, %s%s", PLURAL(threads, "routing thread"),
		 or_more ? " or more" : "");
	if (*c->words)
		text_add(&words, ", %s", c->words);
	AUTO_SETUP const struct setup *with = setup_with_threads(k->rq->setup, o, NULL, threads);
	if (try_chain(k, c->engine, with, arena_str(k->r, text_str(&words)), e))
		return -1;
	struct drift_candidate *tried = &k->r->candidate[k->r->n - 1];
	tried->threads = threads;
	tried->or_more = or_more;
	return 0;
}

/* In a table as large as this, no engine chooses most entries as the one that made it did, by chance. */
#define LARGE_TABLE 500000
#define EXPLAINED_AGREEMENT 0.95
#define EXPLAINED_RIGHT 0.6

static bool drift_rank_explained(const struct drift_ranking *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		const struct drift_candidate *c = &r->candidate[i];
		uint64_t entries = 0;

		for (unsigned class = 0; class < DRIFT_CLASSES; class ++)
			entries += c->count[class];
		if (c->in_force && entries >= LARGE_TABLE && c->agreement >= EXPLAINED_AGREEMENT &&
		    c->right >= EXPLAINED_RIGHT)
			return true;
	}
	return false;
}

/* Does the fabric have what the candidate needs? */
static bool worth_trying(const struct ranking *k, const struct candidate *c)
{
	if (c->advice || !engine_find(k->rq->engines, c->engine) ||
	    ((c->files & CANDIDATE_ROOTS) && !k->levels))
		return false;
	return !(c->files & CANDIDATE_TORUS) || options_file(k->rq->setup->options, "torus_config");
}

/* --- their order ------------------------------------------------------------------------------ */

/* The agreement, less than any where nothing is in force.  An engine that refuses explains nothing itself. */
static double agreement_for_order(const struct drift_candidate *c)
{
	return !c->in_force ? -4 : c->agreement - (c->refused ? 2 : 0);
}

/*
 * The best from `from` on: by agreement, then by right share (see RIGHT_BAND), then by place.  Who computes
 * every entry is better than who needs entries that OpenSM kept: no other engine makes a whole table by
 * chance.
 */
static unsigned drift_rank_best_from(const struct drift_ranking *r, unsigned from)
{
	const struct drift_candidate *c = r->candidate;
	double agreement = -4, right = -1;

	for (unsigned i = from; i < r->n; i++)
		agreement = fmax(agreement, agreement_for_order(&c[i]));
	for (unsigned i = from; i < r->n; i++)
		if (agreement_for_order(&c[i]) >= agreement - AGREEMENT_EPSILON)
			right = fmax(right, c[i].right);
	double least = right < 1 ? right - RIGHT_BAND : right;
	for (unsigned i = from; i < r->n; i++)
		if (agreement_for_order(&c[i]) >= agreement - AGREEMENT_EPSILON && c[i].right >= least)
			return i;
	return from;
}

static void drift_rank_order(struct drift_ranking *r)
{
	for (unsigned at = 0; at < r->n; at++) {
		unsigned best = drift_rank_best_from(r, at);
		struct drift_candidate c = r->candidate[best];

		memmove(&r->candidate[at + 1], &r->candidate[at], (best - at) * sizeof(c));
		r->candidate[at] = c;
	}
	for (unsigned i = 0; i < r->n; i++) {
		const struct drift_candidate *c = r->candidate;

		r->candidate[i].equal = i;
		for (unsigned j = 0; j < i && c[i].equal == i; j++)
			if (c[i].in_force && c[j].in_force &&
			    c[j].agreement >= c[i].agreement - AGREEMENT_EPSILON && c[j].right == c[i].right)
				r->candidate[i].equal = j;
	}
}

static struct drift_ranking *drift_rank(const struct sweep *held, const struct drift_request *rq,
					struct progress *p, struct err *e)
{
	const struct options *options = rq->setup->options;
	struct ranking k = {.r = ARENA_NEW(NULL, struct drift_ranking), .held = held, .rq = rq, .p = p};
	AUTO_ARENA uint32_t *hosts = routing_hosts(NULL, held->routing);
	AUTO_ARENA struct levels *levels = levels_new(held->topo, hosts, p);
	int rc = levels ? 0 : err_set(e, CANCELLED);

	if (!rc && rq->configured)
		rc = try_chain(&k, rq->configured, rq->setup, "as configured", e);
	if (!rc && rq->configured)
		k.r->candidate[0].configured = true;
	if (levels && levels->n_roots && options_find(options, "root_guid_file") &&
	    !options_file(options, "root_guid_file"))
		k.levels = levels;
	for (unsigned i = 0; !rc && i < 2 * n_candidates; i++) {
		const struct candidate *c = &drift_candidates[i % n_candidates];

		bool left_out = rq->quick && c->slow && drift_rank_explained(k.r);

		if (c->late == (i >= n_candidates) && !left_out && worth_trying(&k, c))
			rc = try_candidate(&k, c, e);
	}
	bool explained = false;
	for (unsigned i = 0; i < k.r->n; i++)
		explained |= k.r->candidate[i].in_force && k.r->candidate[i].right >= 1;
	bool may = !explained && !rq->quick && (!options_is_set(options, "rules") || nvidia_rules(options));
	for (unsigned i = 0; !rc && may && i < n_candidates; i++)
		if (drift_candidates[i].drawn && worth_trying(&k, &drift_candidates[i]))
			rc = try_threads(&k, &drift_candidates[i], e);
	if (!rc) {
		drift_rank_order(k.r);
		return k.r;
	}
	arena_free(k.r);
	return NULL;
}

/* --- the whole question ------------------------------------------------------------------------- */

static struct drift *judge_by_best(const struct drift_request *rq, const struct sweep *held,
				   struct drift_ranking **ranking, struct progress *p, struct err *e)
{
	struct drift_ranking *r = drift_rank(held, rq, p, e);
	struct drift_request best = *rq;
	struct drift *d = NULL;

	if (r && (!r->n || !r->candidate[0].in_force)) {
		err_set(e, "no engine can route this fabric: nothing to compare with");
	} else if (r) {
		best.setup = r->candidate[0].setup;
		best.chain = r->candidate[0].chain;
		d = drift_run(held, &best, true, p, e);
	}
	if (d && ranking)
		*ranking = r;
	else
		arena_free(r);
	return d;
}

/* The LMC that most ports of hosts have with tables that were read. */
static unsigned drift_rank_usual_lmc(const struct fabric *f, const struct switch_tables *t)
{
	const uint16_t *lid = t->lid ? t->lid : f->port_lid;
	const uint8_t *lmc = t->lid ? t->lmc : f->port_lmc;
	uint32_t n[MAX_LMC + 1] = {0};
	unsigned best = 0;

	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (!endport_is_switch(f, ep) && lid[f->endport_port[ep]])
			n[lmc[f->endport_port[ep]]]++;
	for (unsigned i = 1; i <= MAX_LMC; i++)
		best = n[i] > n[best] ? i : best;
	return best;
}

/* The setup with the LMC of the tables that were read, unless the option asks for another one.  A
 * reference. */
static const struct setup *setup_with_lmc(const struct setup *setup)
{
	unsigned lmc = setup_tables(setup) ? drift_rank_usual_lmc(setup->fabric, setup_tables(setup)) : 0;
	char word[12];

	if (!lmc || options_is_set(setup->options, "lmc"))
		return setup_ref(setup);
	AUTO_OPTIONS struct options *o = options_copy(setup->options);
	snprintf(word, sizeof(word), "%u", lmc);
	options_set(o, "lmc", word, NULL);
	return setup_with(setup, &(struct setup){.options = o});
}

/* What is known of the LIDs that the subnet manager keeps for ports that left. */
static enum drift_reserved reserved_of(const struct drift_request *rq, const struct sweep *held)
{
	if (held == rq->now || options_file(rq->setup->options, "guid2lid_file"))
		return RESERVED_KNOWN;
	if (!rq->now || !sweep_remembers(rq->now))
		return RESERVED_UNKNOWN;
	return !strcmp(rq->setup->fabric->format, "synthetic") ? RESERVED_KNOWN : RESERVED_SEEN;
}

struct drift *drift_judge(const struct drift_request *rq, struct drift_ranking **ranking, struct progress *p,
			  struct err *e)
{
	struct drift_request with = *rq;
	struct drift *d = NULL;

	if (ranking)
		*ranking = NULL;
	with.setup = setup_with_lmc(rq->setup);
	AUTO_SWEEP struct sweep *held = drift_held(with.setup, rq->engines, rq->now, p, e);
	if (held && rq->chain)
		d = drift_run(held, &with, true, p, e);
	else if (held)
		d = judge_by_best(&with, held, ranking, p, e);
	if (d) {
		d->reserved = reserved_of(rq, held);
		free(sweep_reserved(held, &d->n_reserved));
	}
	setup_unref(with.setup);
	return d;
}

#define ENTRY(key, member, column, help) FIELD(key, struct drift_entry, member, NULL, column, help)

const struct field drift_entry_fields[] = {
	FIELD_BY_CODE("switch", "node", "the switch"),
	ENTRY("lid", lid, "lid", "the LID"),
	FIELD_BY_CODE("owner", "endport", "whose LID it is"),
	FIELD("port", struct drift_entry, port, "portnum", "now → would", "port held, 255: none"),
	FIELD("would", struct drift_entry, would, "portnum", NULL,
	      "port that the engine computes, 255: none"),
	FIELD_BY_CODE("class", "string(unknown/missing/dead/restart/right/kept)", "its class"),
	ENTRY("why", why, "why", "what is wrong with it, or the rule that chooses the other port"),
	{.key = NULL},
};

#define CANDIDATE(key, member, type, help) FIELD(key, struct drift_candidate, member, type, NULL, help)

const struct field drift_candidate_fields[] = {
	CANDIDATE("engine", chain, NULL, "the engine, or chain"),
	CANDIDATE("options", options, NULL, "what it has beside the options in force"),
	CANDIDATE("in_force", in_force, "string?", "engine that routes when it is asked for"),
	CANDIDATE("agreement", agreement, "share?", "as above"),
	CANDIDATE("right", right, "share?", "share of entries that are right"),
	CANDIDATE("refused", refused, "string?", "why the engine does not route this fabric"),
	{.key = NULL},
};

const char *const drift_word[DRIFT_CLASSES] = {"unknown", "missing", "dead", "restart", "right", "kept"};
const char *const drift_meaning[DRIFT_CLASSES] = {
	"nobody has the LID",
	"no entry, where OpenSM computes one",
	"packets cannot go on there",
	"OpenSM computes another one, which a restart writes",
	"a subnet manager that starts now would choose it too",
	"a sweep keeps it; a restart may choose another one",
};

const char *const drift_reserved_word[] = {"unknown", "seen", "known"};
static_assert(ARRAY_LEN(drift_reserved_word) == RESERVED_KNOWN + 1, "a word for each");

/* --- the tables held, as a sweep -------------------------------------------------------------- */

const char drift_not_active[] = "the port is not active";

/*
 * The setup that shows the tables that were read. The subnet manager is past its first sweep, so that LIDs
 * stay (no reassign_lids).
 */
static const struct setup *setup_read(const struct setup *setup)
{
	AUTO_OPTIONS struct options *o = options_copy(setup->options);

	if (options_find(o, "reassign_lids"))
		options_unset(o, "reassign_lids");
	return setup_with(setup, &(struct setup){.chain = "tables,no_fallback", .options = o});
}

struct sweep *drift_held(const struct setup *setup, const struct engine *const *engines,
			 const struct sweep *now, struct progress *p, struct err *e)
{
	if (!setup_tables(setup)) {
		if (now && now->routing)
			return sweep_ref(now);
		err_set(e, "no tables are known: `tables FILE` or `tables live` reads what the switches "
			   "hold, `route ENGINE` computes some");
		return NULL;
	}
	AUTO_SETUP const struct setup *read = setup_read(setup);
	struct sweep *held = sweep_run(
		&(struct sweep_request){.setup = read, .engines = engines, .reserved = now, .progress = p},
		e);
	if (held && !held->routing) {
		err_set(e, "%s",
			held->n_refusals ? held->refusal[0].why
					 : "everything is down: no switch has a table to compare");
		sweep_unref(held);
		return NULL;
	}
	return held;
}

/* --- classing entries ------------------------------------------------------------------------- */

struct drift_judge {
	struct drift *d;
	const struct topo *topo;
	const struct fabric *f;
	const struct switch_tables *read; /* NULL: an engine made what is held, d->held->routing is judged */
	const struct routing *next, *restart; /* NULL: no engine would route, so all entries stay */
	uint8_t *told;	 /* [top + 1] LIDs that the tables in the switches cover; NULL: all */
	uint32_t *owner; /* [top + 1] endport of a LID, in the fabric or gone; NO_ID = nobody's */
	unsigned top;
	bool cache; /* use_ucast_cache: entries for endports that are gone stay on purpose */
	bool list;
	size_t cap;
};

/* Does the switch have a table to judge? */
static bool drift_has_table(const struct drift_judge *j, uint32_t sw)
{
	return j->read ? j->read->lft[sw] != NULL : j->d->held->routing->row[sw] != NULL;
}

static unsigned entry_held(const struct drift_judge *j, uint32_t sw, unsigned lid)
{
	if (!j->read)
		return routing_port(j->d->held->routing, sw, lid);
	return lid <= j->read->top[sw] ? j->read->lft[sw][lid] : NO_PATH;
}

/* Adds owners by the LIDs of a sweep. Owners found before stay. */
static void own_by_sweep(struct drift_judge *j, const struct lids *l)
{
	for (unsigned lid = 1; lid <= l->max_lid && lid <= j->top; lid++)
		if (j->owner[lid] == NO_ID)
			j->owner[lid] = l->owner[lid];
}

/* Adds owners by the tables or the source, whether the port is up or not. */
static void own_by_ports(struct drift_judge *j)
{
	const struct fabric *f = j->f;
	const uint16_t *lid = j->read && j->read->lid ? j->read->lid : f->port_lid;
	const uint8_t *lmc = j->read && j->read->lid ? j->read->lmc : f->port_lmc;

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep];

		for (unsigned i = 0; lid[port] && i < 1u << lmc[port] && lid[port] + i <= j->top; i++)
			if (j->owner[lid[port] + i] == NO_ID)
				j->owner[lid[port] + i] = ep;
	}
}

static void drift_find_owners(struct drift_judge *j)
{
	j->owner = mem_alloc((j->top + 1) * sizeof(*j->owner));
	memset(j->owner, 0xff, (j->top + 1) * sizeof(*j->owner));
	own_by_sweep(j, j->d->held->lids);
	own_by_sweep(j, j->d->next->lids);
	if (j->read)
		own_by_ports(j);
	for (const struct sweep *s = j->d->held->prev; s; s = s->prev)
		own_by_sweep(j, s->lids);
}

/* Why a packet for a LID of `owner` cannot go on from a switch by a port; NULL: it can. */
static const char *drift_dead_end(const struct drift_judge *j, uint32_t sw, unsigned port, uint32_t owner)
{
	const struct fabric *f = j->f;

	if (!j->topo->endport_up[owner])
		return "the owner of the LID is gone";
	if (!port)
		return endport_node(f, owner) == f->switch_node[sw]
			       ? NULL
			       : "port 0, but the LID is not the switch's";
	if (port > f->switch_nports[sw])
		return "the switch has no such port";
	uint32_t id = switch_port_id(f, sw, port);
	uint32_t peer = j->d->held->routing->topo->peer[id];
	if (peer == NO_ID && fabric_port_open(f, id))
		return NULL; /* what is there did not answer: the entry may be right */
	if (peer == NO_ID && j->topo->peer[id] != NO_ID)
		return drift_not_active;
	if (peer == NO_ID)
		return f->port_peer[id] == NO_ID ? "nothing is at the port" : "the port's link is down";
	if (f->port_node[peer] == f->switch_node[sw])
		return "the cable leads to the switch itself";
	if (node_is_switch(f, f->port_node[peer]) || f->port_endport[peer] == owner)
		return NULL;
	return "it leads to a port that does not have the LID";
}

static enum drift_class class_of(const struct drift_judge *j, uint32_t sw, unsigned lid, unsigned held,
				 unsigned next, const char **why)
{
	uint32_t owner = j->owner[lid];

	*why = "";
	if (owner == NO_ID) {
		*why = "no port has the LID";
		return DRIFT_UNKNOWN;
	}
	if (held == NO_PATH)
		return DRIFT_MISSING;
	*why = drift_dead_end(j, sw, held, owner);
	if (*why && j->cache && !j->topo->endport_up[owner]) {
		*why = "use_ucast_cache keeps entries of ports that are gone";
		return DRIFT_KEPT;
	}
	if (*why)
		return DRIFT_DEAD;
	*why = "";
	if (held != next)
		return DRIFT_RESTART;
	return j->restart && held == routing_port(j->restart, sw, lid) ? DRIFT_RIGHT : DRIFT_KEPT;
}

static void drift_add_entry(struct drift_judge *j, uint32_t sw, unsigned lid, unsigned held, unsigned next)
{
	struct drift *d = j->d;
	const char *why;
	enum drift_class class = class_of(j, sw, lid, held, next, &why);

	d->count[class]++;
	if (j->owner[lid] != NO_ID)
		d->of_switches[class] += endport_is_switch(j->f, j->owner[lid]);
	if (!j->list || class == DRIFT_RIGHT)
		return;
	ARENA_GROW(d, d->entry, d->n_entries, j->cap);
	d->entry[d->n_entries++] = (struct drift_entry){
		.sw = sw,
		.lid = (uint16_t)lid,
		.port = (uint8_t)held,
		.would = (uint8_t)next,
		.class = class,
		.why = why,
	};
}

COMPARATOR(by_class, struct drift_entry, UP(class) UP(sw) UP(lid))

static int drift_judge_all(struct drift_judge *j, struct progress *p, struct err *e)
{
	progress_start(p, "judging entries", j->f->n_switches);
	for (uint32_t sw = 0; sw < j->f->n_switches; sw++) {
		if (!progress_step(p, sw))
			return err_set(e, CANCELLED);
		if (!switch_up(j->topo, sw)) {
			j->d->n_away += drift_has_table(j, sw);
			continue;
		}
		if (!drift_has_table(j, sw)) {
			j->d->n_silent++;
			for (unsigned lid = 1; j->next && lid <= j->top; lid++)
				j->d->n_unjudged += routing_port(j->next, sw, lid) != NO_PATH;
			continue;
		}
		for (unsigned lid = 1; lid <= j->top; lid++) {
			unsigned held = entry_held(j, sw, lid);
			unsigned next = j->next ? routing_port(j->next, sw, lid) : held;

			if (held == NO_PATH && next != NO_PATH && j->told && !j->told[lid])
				j->d->n_not_in_file++;
			else if (held != NO_PATH || next != NO_PATH)
				drift_add_entry(j, sw, lid, held, next);
		}
	}
	if (j->d->n_entries)
		qsort(j->d->entry, j->d->n_entries, sizeof(*j->d->entry), by_class);
	return 0;
}

/* --- the rules by which the next sweep chooses ------------------------------------------------- */

struct rules {
	struct drift *d;
	enum drift_class class;
	size_t from, to; /* entries of the class, by switch and LID */
};

static struct drift_entry *find_entry(const struct rules *r, uint32_t sw, unsigned lid)
{
	struct drift_entry key = {.class = (uint8_t)r->class, .sw = sw, .lid = (uint16_t)lid};

	return bsearch(&key, r->d->entry + r->from, r->to - r->from, sizeof(key), by_class);
}

static bool wants_rule(const void *those, uint32_t sw, unsigned lid)
{
	return find_entry(those, sw, lid) != NULL;
}

static void take_rule(void *ctx, const struct rec_choice *c)
{
	struct drift_entry *found = find_entry(ctx, c->sw, c->lid);

	if (c->rule && found && !*found->why)
		found->why = c->rule;
}

static void tell_rules(struct drift *d, const struct sweep *of, enum drift_class class,
		       const struct engine *const *engines, struct progress *p)
{
	struct rules r = {.d = d, .class = class};
	struct rec_ask ask = {.wanted = wants_rule, .those = &r, .tell = take_rule, .ctx = &r, .sw = NO_ID};
	struct err unused;

	while (r.from < d->n_entries && d->entry[r.from].class < class)
		r.from++;
	r.to = r.from;
	while (r.to < d->n_entries && d->entry[r.to].class == class)
		r.to++;
	if (r.from == r.to || !of || !of->routing)
		return;
	if (d->entry[r.from].sw == d->entry[r.to - 1].sw)
		ask.sw = d->entry[r.from].sw;
	if (r.to - r.from == 1)
		ask.lid = d->entry[r.from].lid;
	/* if this fails, the entries have no rule */
	sweep_repeat(of, &(struct sweep_repeat){.engines = engines, .ask = &ask, .progress = p}, NULL,
		     &unused);
}

/* --- a run ------------------------------------------------------------------------------------ */

/* Is a port being set up? Then the next sweep ignores existing entries. */
static bool being_set_up(const struct topo *t)
{
	const struct fabric *f = t->fabric;

	for (uint32_t port = 0; port < f->n_ports; port++)
		if (f->port_state[port] == PORT_INIT && t->peer[port] != NO_ID &&
		    node_is_switch(f, f->port_node[port]))
			return true;
	return false;
}

static struct sweep *run_next(const struct drift *d, const struct setup *with,
			      const struct engine *const *engines, bool restart, struct progress *p,
			      struct err *e)
{
	return sweep_run(&(struct sweep_request){.setup = with,
						 .engines = engines,
						 .reroute = d->ignored,
						 .restart = restart,
						 .prev = d->held,
						 .progress = p},
			 e);
}

static int judge(struct drift *d, const struct sweep *restart, bool with_entries, struct progress *p,
		 struct err *e)
{
	struct drift_judge j = {
		.d = d,
		.topo = d->next->topo,
		.f = d->next->fabric,
		.read = setup_tables(d->held->setup),
		.next = d->next->routing,
		.restart = restart->routing,
		.top = d->next->lids->max_lid,
		.cache = options_bool(d->next->setup->options, "use_ucast_cache"),
		.list = with_entries,
	};
	unsigned top = j.read ? switch_tables_top(j.read) : d->held->lids->max_lid;

	j.top = MAX(top, j.top);
	j.told = j.read ? switch_tables_told(j.read, j.top) : NULL;
	drift_find_owners(&j);
	int rc = drift_judge_all(&j, p, e);
	free(j.owner);
	free(j.told);
	return rc;
}

static int drift_tell_all_rules(struct drift *d, const struct sweep *restart,
				const struct engine *const *engines, struct progress *p, struct err *e)
{
	tell_rules(d, d->next, DRIFT_RESTART, engines, p);
	tell_rules(d, d->next, DRIFT_MISSING, engines, p);
	tell_rules(d, restart, DRIFT_KEPT, engines, p);
	for (size_t i = 0; i < d->n_entries; i++)
		if (!*d->entry[i].why)
			d->entry[i].why = "as the engine computes it";
	return progress_cancelled(p) ? err_set(e, CANCELLED) : 0;
}

struct drift *drift_run(const struct sweep *held, const struct drift_request *rq, bool with_entries,
			struct progress *p, struct err *e)
{
	assert(held->routing);
	AUTO_SETUP const struct setup *with = setup_with(rq->setup, &(struct setup){.chain = rq->chain});
	struct drift *d = ARENA_NEW(NULL, struct drift);
	AUTO_SWEEP struct sweep *restart = NULL;
	int rc = -1;

	d->held = sweep_unref_later(d, sweep_ref(held));
	d->ignored = being_set_up(held->topo);
	d->states_unknown = !held->fabric->states_told;
	d->next = sweep_unref_later(d, run_next(d, with, rq->engines, false, p, e));
	if (d->next) {
		d->engine = d->next->routing ? d->next->routing->engine : "none";
		restart = d->next->from_scratch ? sweep_ref(d->next)
						: run_next(d, with, rq->engines, true, p, e);
	}
	if (restart)
		rc = judge(d, restart, with_entries, p, e);
	if (!rc && with_entries && !rq->quick)
		rc = drift_tell_all_rules(d, restart, rq->engines, p, e);
	if (!rc)
		return d;
	arena_free(d);
	return NULL;
}

uint64_t drift_total(const struct drift *d)
{
	uint64_t n = 0;

	for (unsigned c = 0; c < DRIFT_CLASSES; c++)
		n += d->count[c];
	return n;
}

static double share(const struct drift *d, uint64_t n)
{
	uint64_t all = drift_total(d) + d->n_unjudged;

	return all ? (double)n / (double)all : 0;
}

double drift_agreement(const struct drift *d)
{
	return share(d, d->count[DRIFT_RIGHT] + d->count[DRIFT_KEPT]);
}

double drift_right_share(const struct drift *d)
{
	return share(d, d->count[DRIFT_RIGHT]);
}

bool drift_found(const struct drift *d)
{
	return drift_total(d) + d->n_unjudged != d->count[DRIFT_RIGHT] + d->count[DRIFT_KEPT];
}

bool drift_known(const struct drift *d)
{
	return drift_total(d) && !d->n_silent && !d->n_not_in_file && !d->next->fabric->warnings.missing;
}
