/* Which engine made the tables that are held? Every engine is tried with the options in force. */
#include "core/analysis/compare/drift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/candidates.h"
#include "core/base/memory.h"

/* Agreements that differ by less are equal. */
#define AGREEMENT_EPSILON 1e-9
/* Right shares at most this far below the best are equal: then the order of candidates decides. */
#define RIGHT_BAND 0.05

struct ranking {
	struct drift_ranking *r;
	const struct sweep *held;
	const struct setup *setup;
	const struct engine *const *engines;
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

static void candidate_free(struct drift_candidate *c)
{
	free(c->chain);
	free(c->refused);
	setup_unref(c->setup);
}

static void fill_candidate(struct drift_candidate *c, const struct drift *d)
{
	const struct sweep *w = d->next;

	if (w->n_refusals)
		c->refused = str_dup(w->refusal[0].why);
	if (!w->routing) {
		if (!c->refused)
			c->refused = str_dup("there is nothing to route");
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
	struct drift_candidate c = {.chain = str_dup(chain), .setup = setup_ref(setup), .options = words};
	struct drift *d = drift_run(k->held, setup, chain, k->engines, false, k->p, e);

	if (d)
		fill_candidate(&c, d);
	if (!d || (c.in_force && told_already(k->r, &c))) {
		candidate_free(&c);
	} else {
		GROW(k->r->candidate, k->r->n, k->cap);
		k->r->candidate[k->r->n++] = c;
	}
	drift_free(d);
	return d ? 0 : -1;
}

static int try_candidate(struct ranking *k, const struct candidate *c, struct err *e)
{
	struct options *o =
		candidate_options(c, k->setup->options, k->held->topo, k->levels, k->held->hosts->in, e);
	const struct setup *with;
	int rc;

	if (!o)
		return -1;
	with = setup_with(k->setup, &(struct setup){.options = o});
	rc = try_chain(k, c->engine, with, c->words, e);
	setup_unref(with);
	options_free(o);
	return rc;
}

/* Does the fabric have what the candidate needs? */
static bool worth_trying(const struct ranking *k, const struct candidate *c)
{
	if (c->advice || !engine_find(k->engines, c->engine) || ((c->files & CANDIDATE_ROOTS) && !k->levels))
		return false;
	return !(c->files & CANDIDATE_TORUS) || options_file(k->setup->options, "torus_config");
}

/* --- their order ------------------------------------------------------------------------------ */

/* The agreement, less than any where nothing is in force.  An engine that refuses explains nothing itself. */
static double agreement_for_order(const struct drift_candidate *c)
{
	return !c->in_force ? -4 : c->agreement - (c->refused ? 2 : 0);
}

/* The best from `from` on: by agreement, then by right share (see RIGHT_BAND), then by place. */
static unsigned drift_rank_best_from(const struct drift_ranking *r, unsigned from)
{
	const struct drift_candidate *c = r->candidate;
	double agreement = -4, right = -1;

	for (unsigned i = from; i < r->n; i++)
		agreement = fmax(agreement, agreement_for_order(&c[i]));
	for (unsigned i = from; i < r->n; i++)
		if (agreement_for_order(&c[i]) >= agreement - AGREEMENT_EPSILON)
			right = fmax(right, c[i].right);
	for (unsigned i = from; i < r->n; i++)
		if (agreement_for_order(&c[i]) >= agreement - AGREEMENT_EPSILON &&
		    c[i].right >= right - RIGHT_BAND)
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

struct drift_ranking *drift_rank(const struct sweep *held, const struct setup *setup, const char *chain,
				 const struct engine *const *engines, struct progress *p, struct err *e)
{
	struct ranking k = {
		.r = NEW(struct drift_ranking),
		.held = held,
		.setup = setup,
		.engines = engines,
		.p = p,
	};
	uint32_t *hosts = routing_hosts(held->routing);
	struct levels *levels = levels_new(held->topo, hosts, p);
	int rc = levels ? 0 : err_set(e, CANCELLED);

	free(hosts);
	if (!rc && chain)
		rc = try_chain(&k, chain, setup, "as configured", e);
	if (!rc && chain)
		k.r->candidate[0].configured = true;
	if (levels && levels->n_roots && options_find(setup->options, "root_guid_file") &&
	    !options_file(setup->options, "root_guid_file"))
		k.levels = levels;
	for (unsigned i = 0; !rc && i < 2 * n_candidates; i++) {
		const struct candidate *c = &candidates[i % n_candidates];

		if (c->late == (i >= n_candidates) && worth_trying(&k, c))
			rc = try_candidate(&k, c, e);
	}
	levels_free(levels);
	if (!rc) {
		drift_rank_order(k.r);
		return k.r;
	}
	drift_ranking_free(k.r);
	return NULL;
}

void drift_ranking_free(struct drift_ranking *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < r->n; i++)
		candidate_free(&r->candidate[i]);
	free(r->candidate);
	free(r);
}

/* --- the whole question ------------------------------------------------------------------------- */

static struct drift *judge_by_best(const struct drift_request *rq, const struct sweep *held,
				   struct drift_ranking **ranking, struct progress *p, struct err *e)
{
	struct drift_ranking *r = drift_rank(held, rq->setup, rq->configured, rq->engines, p, e);
	struct drift *d = NULL;

	if (r && (!r->n || !r->candidate[0].in_force))
		err_set(e, "no engine can route this fabric: nothing to compare with");
	else if (r)
		d = drift_run(held, r->candidate[0].setup, r->candidate[0].chain, rq->engines, true, p, e);
	if (d && ranking)
		*ranking = r;
	else
		drift_ranking_free(r);
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

/* The setup with the LMC of the tables that were read, unless the option asks for another one.  A reference.
 */
static const struct setup *setup_with_lmc(const struct setup *setup)
{
	unsigned lmc = setup_tables(setup) ? drift_rank_usual_lmc(setup->fabric, setup_tables(setup)) : 0;
	const struct setup *with;
	char word[12];
	struct options *o;

	if (!lmc || options_is_set(setup->options, "lmc"))
		return setup_ref(setup);
	o = options_copy(setup->options);
	snprintf(word, sizeof(word), "%u", lmc);
	options_set(o, "lmc", word, NULL);
	with = setup_with(setup, &(struct setup){.options = o});
	options_free(o);
	return with;
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
	struct sweep *held;
	struct drift *d = NULL;

	if (ranking)
		*ranking = NULL;
	with.setup = setup_with_lmc(rq->setup);
	held = drift_held(with.setup, rq->engines, rq->now, p, e);
	if (held && rq->chain)
		d = drift_run(held, with.setup, rq->chain, rq->engines, true, p, e);
	else if (held)
		d = judge_by_best(&with, held, ranking, p, e);
	if (d) {
		d->reserved = reserved_of(rq, held);
		free(sweep_reserved(held, &d->n_reserved));
	}
	setup_unref(with.setup);
	sweep_unref(held);
	return d;
}
