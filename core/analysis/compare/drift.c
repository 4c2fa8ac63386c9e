#include "core/analysis/compare/drift.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/routing/switch_tables.h"
#include "core/base/order.h"
#include "core/sm/sweep.h"
#include "core/trace/recorder.h"

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
	"a sweep keeps it; a restart would choose otherwise",
};

const char *const drift_reserved_word[] = {"unknown", "seen", "known"};

/* --- the tables held, as a sweep -------------------------------------------------------------- */

const char drift_not_active[] = "the port is not active";

/*
 * The setup that shows the tables that were read. The subnet manager is past its first sweep, so that LIDs
 * stay (no reassign_lids).
 */
static const struct setup *setup_read(const struct setup *setup)
{
	struct options *o = options_copy(setup->options);
	const struct setup *with;

	if (options_find(o, "reassign_lids"))
		options_unset(o, "reassign_lids");
	with = setup_with(setup, &(struct setup){.chain = "tables,no_fallback", .options = o});
	options_free(o);
	return with;
}

struct sweep *drift_held(const struct setup *setup, const struct engine *const *engines,
			 const struct sweep *now, struct progress *p, struct err *e)
{
	const struct setup *read;
	struct sweep *held;

	if (!setup_tables(setup)) {
		if (now && now->routing)
			return sweep_ref(now);
		err_set(e, "no tables are known: `tables FILE` or `tables live` reads what the switches "
			   "hold, `route ENGINE` computes some");
		return NULL;
	}
	read = setup_read(setup);
	held = sweep_run(
		&(struct sweep_request){.setup = read, .engines = engines, .reserved = now, .progress = p},
		e);
	setup_unref(read);
	if (held && !held->routing) {
		err_set(e, "%s",
			held->n_refusals ? held->refusal[0].why
					 : "everything is down: no switch has a table to compare");
		sweep_unref(held);
		return NULL;
	}
	return held;
}

/* The tables that were read; NULL: an engine made the held ones. */
static const struct switch_tables *tables_read_of(const struct sweep *held)
{
	return setup_tables(held->setup);
}

/* --- classing entries ------------------------------------------------------------------------- */

struct drift_judge {
	struct drift *d;
	const struct topo *topo;
	const struct fabric *f;
	const struct switch_tables *read;     /* NULL: d->held->routing is judged */
	const struct routing *next, *restart; /* NULL: no engine would route, so all entries stay */
	uint8_t *told;			      /* [top + 1] LIDs of which the tables held tell; NULL: of all */
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
	uint32_t id, peer;

	if (!j->topo->endport_up[owner])
		return "the owner of the LID is gone";
	if (!port)
		return endport_node(f, owner) == f->switch_node[sw]
			       ? NULL
			       : "port 0, but the LID is not the switch's";
	if (port > f->switch_nports[sw])
		return "the switch has no such port";
	id = switch_port_id(f, sw, port);
	peer = j->d->held->routing->topo->peer[id];
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
	GROW(d->entry, d->n_entries, j->cap);
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
	struct sweep_request rq = {
		.setup = with,
		.engines = engines,
		.reroute = d->ignored,
		.restart = restart,
		.prev = d->held,
		.progress = p,
	};

	return sweep_run(&rq, e);
}

static int judge(struct drift *d, const struct sweep *restart, const struct engine *const *engines,
		 bool with_entries, struct progress *p, struct err *e)
{
	struct drift_judge j = {
		.d = d,
		.topo = d->next->topo,
		.f = d->next->fabric,
		.read = tables_read_of(d->held),
		.next = d->next->routing,
		.restart = restart->routing,
		.top = d->next->lids->max_lid,
		.cache = options_bool(d->next->setup->options, "use_ucast_cache"),
		.list = with_entries,
	};
	unsigned top = j.read ? switch_tables_top(j.read) : d->held->lids->max_lid;
	int rc;

	if (top > j.top)
		j.top = top;
	j.told = j.read ? switch_tables_told(j.read, j.top) : NULL;
	drift_find_owners(&j);
	rc = drift_judge_all(&j, p, e);
	free(j.owner);
	free(j.told);
	if (rc || !with_entries)
		return rc;
	tell_rules(d, d->next, DRIFT_RESTART, engines, p);
	tell_rules(d, d->next, DRIFT_MISSING, engines, p);
	tell_rules(d, restart, DRIFT_KEPT, engines, p);
	for (size_t i = 0; i < d->n_entries; i++)
		if (!*d->entry[i].why)
			d->entry[i].why = "as the engine computes it";
	return progress_cancelled(p) ? err_set(e, CANCELLED) : 0;
}

struct drift *drift_run(const struct sweep *held, const struct setup *setup, const char *chain,
			const struct engine *const *engines, bool with_entries, struct progress *p,
			struct err *e)
{
	const struct setup *with = setup_with(setup, &(struct setup){.chain = chain});
	struct drift *d = NEW(struct drift);
	struct sweep *restart = NULL;
	int rc = -1;

	d->held = sweep_ref(held);
	d->ignored = being_set_up(held->topo);
	d->states_unknown = !held->fabric->states_told;
	d->next = run_next(d, with, engines, false, p, e);
	if (d->next) {
		d->engine = d->next->routing ? d->next->routing->engine : "none";
		restart = d->next->from_scratch ? sweep_ref(d->next) : run_next(d, with, engines, true, p, e);
	}
	if (restart)
		rc = judge(d, restart, engines, with_entries, p, e);
	sweep_unref(restart);
	setup_unref(with);
	if (!rc)
		return d;
	drift_free(d);
	return NULL;
}

void drift_free(struct drift *d)
{
	if (!d)
		return;
	sweep_unref(d->held);
	sweep_unref(d->next);
	free(d->entry);
	free(d);
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
