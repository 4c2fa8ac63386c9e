/* A sweep of the subnet manager, on the same fabric or on one that was changed. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/counted.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/names.h"
#include "core/routing/routing.h"
#include "core/sm/engine.h"
#include "core/sm/guid_names.h"
#include "core/sm/lft_file.h"
#include "core/sm/port_groups.h"
#include "core/sm/sweep.h"
#include "core/sm/ucast_cache.h"

static struct sm_memory *memory_copy(const struct sm_memory *m, const struct fabric *f)
{
	struct sm_memory *c = mem_dup(m, sizeof(*m));

	c->lids = lid_memory_copy(m->lids);
	c->opervls = mem_dup(m->opervls, f->n_ports);
	c->marked = mem_dup(m->marked, f->n_switches);
	c->active = mem_dup(m->active, f->n_ports);
	if (c->tables)
		routing_ref(c->tables);
	if (c->cache)
		c->cache = ucast_cache_copy(c->cache);
	return c;
}

/* --- LIDs ------------------------------------------------------------------------ */

/*
 * The memory of a subnet manager that starts. LIDs and operational VLs of ports, and guid2lid, outlive an
 * earlier process. A guid2lid_file given since then replaces guid2lid. A standby that takes over forgets
 * guid2lid without honor_guid2lid_file; with it its own is taken to be a copy of the master's.
 */
static int start_memory(struct sm_memory **out, const struct sweep_request *rq, bool standby, struct err *e)
{
	const struct sm_memory *last = rq->prev ? rq->prev->memory : NULL;
	const struct setup *setup = rq->setup;
	const struct fabric *f = setup->fabric;
	const struct options *o = setup->options;
	const char *path = options_file(o, "guid2lid_file");
	struct lid_options lo = {
		.lmc = options_uint(o, "lmc"),
		.lmc_esp0 = options_bool(o, "lmc_esp0"),
		.reassign = options_bool(o, "reassign_lids"),
	};
	bool read = path && !lo.reassign &&
		    (!last || strcmp(options_get(o, "guid2lid_file"),
				     options_get(rq->prev->setup->options, "guid2lid_file")));
	AUTO_FREE struct guid2lid *entries = NULL;

	if (read && guid2lid_read(path, rq->progress, &entries, &lo.n_file, e))
		return -1;
	if (standby && !options_bool(o, "honor_guid2lid_file")) {
		free(entries);
		entries = NULL;
		lo.n_file = 0;
		read = true;
	}
	if (read && !entries)
		entries = NEW(struct guid2lid); /* an empty file counts, too */
	if (!read && !last && rq->reserved)
		entries = sweep_reserved(rq->reserved, &lo.n_file);
	lo.file = entries;
	struct sm_memory *m = NEW(struct sm_memory);
	m->lids = !last	    ? lid_memory_new(f, &lo)
		  : standby ? lid_memory_taken_over(last->lids, f, &lo)
			    : lid_memory_restarted(last->lids, f, &lo);
	if (!last && setup->tables && setup->tables->lid)
		lid_memory_carry(m->lids, f, setup->tables->lid, setup->tables->lmc);
	m->marked = NEW_ARRAY(f->n_switches, uint8_t);
	m->opervls = last ? mem_dup(last->opervls, f->n_ports) : opervls_of_source(f);
	m->active = last ? mem_dup(last->active, f->n_ports) : NEW_ARRAY(f->n_ports, uint8_t);
	m->ignore = true;
	*out = m;
	return 0;
}

bool sweep_remembers(const struct sweep *s)
{
	size_t n;

	free(lid_memory_entries(s->memory->lids, s->fabric, &n));
	return n > 0;
}

struct guid2lid *sweep_reserved(const struct sweep *s, size_t *n)
{
	size_t all, kept = 0;
	struct guid2lid *g = lid_memory_entries(s->memory->lids, s->fabric, &all);

	for (size_t i = 0; i < all; i++) {
		uint32_t ep = fabric_endport_by_guid(s->fabric, g[i].guid);

		if (ep == NO_ID || !s->topo->endport_up[ep])
			g[kept++] = g[i];
	}
	*n = kept;
	return g;
}

int sweep_write_guid2lid(FILE *f, const struct sweep *s, struct progress *p)
{
	size_t n;
	AUTO_FREE struct guid2lid *g = lid_memory_entries(s->memory->lids, s->fabric, &n);

	for (size_t i = 0; i < n && !progress_cancelled(p); i++)
		fprintf(f, "0x%016" PRIx64 " 0x%04x 0x%04x\n\n", g[i].guid, g[i].min, g[i].max);
	return progress_cancelled(p) || ferror(f) ? -1 : 0;
}

/* Does the subnet manager start again, for example because it ended with the last sweep? */
static bool starts_anew(const struct sweep_request *rq)
{
	return rq->restart || rq->prev->fatal;
}

/* Does another subnet manager take over, at another port? A corrected guess is none. */
static bool takes_over(const struct sweep_request *rq, const struct topo *now)
{
	const struct topo *before = rq->prev ? rq->prev->topo : NULL;

	return before && !starts_anew(rq) && !now->sm_regard && !before->sm_regard &&
	       (now->sm_moved != before->sm_moved || now->sm_endport != before->sm_endport);
}

/* --- what came up since the last sweep (engines/doc/minhop.md section 8) ------------------------ */

static char *sweep_came_up(const struct sweep_request *rq, const struct topo *now)
{
	const struct topo *before = rq->prev->topo;
	const struct fabric *f = now->fabric;
	char a[300], b[300];

	for (uint32_t s = 0; s < f->n_switches; s++)
		if (switch_up(now, s) && !switch_up(before, s))
			return str_printf("switch %s came up", switch_name(f, s));
	for (uint32_t l = 0; l < f->n_links; l++) {
		uint32_t p = f->link_port[2 * l], q = f->link_port[2 * l + 1];
		bool flapped = rq->flapped && rq->flapped[l];

		if (now->peer[p] == NO_ID || (before->peer[p] != NO_ID && !flapped))
			continue;
		if (!node_is_switch(f, f->port_node[p]) && !node_is_switch(f, f->port_node[q]))
			continue;
		return str_printf("link %s %s came up", port_label(f, p, a, sizeof(a)),
				  port_label(f, q, b, sizeof(b)));
	}
	return NULL;
}

static char *scratch_reason(const struct sweep_request *rq, const struct topo *now, const struct sm_memory *m,
			    bool standby)
{
	char buf[300];

	if (standby)
		return str_dup("another subnet manager took over");
	if (!rq->prev || starts_anew(rq))
		return str_dup("first sweep");
	if (rq->reroute)
		return str_dup("reroute asked for");
	if (m->ignore)
		return str_dup(m->tables ? "the sweep before ended with errors"
					 : "no tables were programmed before");
	uint32_t port = activated_lacking(m->active, now, rq->setup->state);
	if (port != NO_ID)
		return str_printf("port %s is up but too far away to be followed",
				  port_label(now->fabric, port, buf, sizeof(buf)));
	return sweep_came_up(rq, now);
}

/* --- the chain of engines (engines/doc/minhop.md section 10) --------------------------------------- */

struct sweep_chain {
	const struct engine *engine[32];
	unsigned n;
	bool no_fallback;
};

static void parse_chain(struct sweep_chain *c, const char *names, const struct engine *const *engines,
			struct text *notes)
{
	AUTO_FREE char *copy = str_dup(names ? names : "");
	char *save = NULL;

	*c = (struct sweep_chain){0};
	for (char *w = strtok_r(copy, ", \t", &save); w; w = strtok_r(NULL, ", \t", &save)) {
		const struct engine *g = engine_find(engines, w);

		if (!strcmp(w, "no_fallback"))
			c->no_fallback = true;
		else if (g && c->n < ARRAY_LEN(c->engine))
			c->engine[c->n++] = g;
		else
			text_add(notes, "ibscope does not know the engine \"%s\" and skips it\n", w);
	}
}

/* The tables that an engine shows; NULL if it computes its own, or if there are none. */
static const struct switch_tables *held_for(const struct setup *s, const struct engine *g)
{
	const struct switch_tables *t =
		g->holds == HOLDS_LIVE ? fabric_switch_tables(s->fabric) : setup_tables(s);

	if (g->holds == HOLDS_NOTHING || (t && g->holds == HOLDS_LIVE && t->source))
		return NULL;
	return t;
}

/* The LIDs of a sweep. They are assigned, but if the first engine shows held tables, they are as found. */
static const struct lids *sweep_lids(struct sweep *s, const struct engine *const *engines, struct text *notes)
{
	AUTO_TEXT struct text unknown = {0}; /* run_chain() reports them */
	struct sweep_chain c;

	parse_chain(&c, s->setup->chain, engines, &unknown);
	const struct switch_tables *held = c.n ? held_for(s->setup, c.engine[0]) : NULL;
	s->as_read |= held != NULL;
	if (!held)
		return lids_assign(s->memory->lids, s->topo, notes, NULL);
	return lids_found(s->memory->lids, s->topo,
			  &(struct lids_held){held->lid, held->lmc, held->lid_owner, switch_tables_top(held)},
			  notes);
}

struct sweep_run {
	struct sweep *s;
	const struct engine *const *engines;
	struct engine_input in;
	struct notes *notes;
};

static void sweep_add_refusal(struct sweep *s, const char *engine, const char *why, enum refusal_kind kind)
{
	s->refusal = mem_resize(s->refusal, s->n_refusals + 1, sizeof(*s->refusal));
	s->refusal[s->n_refusals++] = (struct refusal){engine, str_dup(why), kind};
}

/* Did an engine refuse one of these sweeps or an earlier one? */
static bool has_refused(const struct sweep *s, const char *engine)
{
	for (; s; s = s->prev)
		for (size_t i = 0; i < s->n_refusals; i++)
			if (!strcmp(s->refusal[i].engine, engine))
				return true;
	return false;
}

/*
 * Try one engine. True: the chain ends here. Either the engine routed, or OpenSM hangs or crashes in it, or
 * all was cancelled (then routing is NULL and *e set).
 */
static bool try_engine(struct sweep_run *r, const struct engine *g, bool *cancelled, struct err *e)
{
	struct engine_output out = {0};
	struct engine_input in = r->in;
	/* other options (SIGHUP) make nothing of the last run good for this one */
	bool same = in.previous && !strcmp(in.previous->engine, g->name) &&
		    options_equal(r->s->setup->options, r->s->prev->setup->options);

	if (!same)
		in.previous = NULL;
	in.held = held_for(r->s->setup, g);
	in.refused_before = has_refused(r->s->prev, g->name);
	if (!engine_room(g, &in, &out.refused))
		r->s->routing = same && g->update ? g->update(&in, &out) : g->route(&in, &out);
	notes_take(r->notes, &out.notes);
	if (r->s->routing)
		return true;
	if (progress_cancelled(in.progress)) {
		*cancelled = true;
		err_set(e, CANCELLED);
		return true;
	}
	/* this engine would route, so no other may take its place */
	if (err_is_memory(&out.refused) || out.failed) {
		*cancelled = true;
		*e = out.refused;
		return true;
	}
	sweep_add_refusal(r->s, g->name, out.refused.msg, out.refused.kind);
	r->s->fatal = out.fatal;
	return out.fatal != NULL;
}

static int run_chain(struct sweep_run *r, const char *names, struct err *e)
{
	struct sweep_chain c;
	bool cancelled = false;

	parse_chain(&c, names, r->engines, &r->notes->text);
	for (unsigned i = 0; i < c.n; i++) {
		if (try_engine(r, c.engine[i], &cancelled, e))
			return cancelled ? -1 : 0;
		if (c.engine[i]->holds != HOLDS_NOTHING) /* computed tables would be taken for held ones */
			return 0;
	}
	if (c.no_fallback && c.n)
		return 0;
	r->s->fallback = c.n > 0;
	try_engine(r, engine_find(r->engines, "minhop"), &cancelled, e);
	return cancelled ? -1 : 0;
}

/* --- a sweep ------------------------------------------------------------------------------ */

static struct engine_input sweep_input_of(const struct sweep *s, bool reroute, uint64_t *random,
					  uint8_t *marked, struct leftovers *left, struct progress *progress)
{
	const struct sm_memory *before = s->prev ? s->prev->memory : NULL;

	return (struct engine_input){
		.topo = s->topo,
		.lids = s->lids,
		.options = s->setup->options,
		.program = s->setup->program,
		.current = s->from_scratch || !before ? NULL : before->tables,
		.previous =
			s->prev && !reroute ? routing_discovered(routing_computed(s->prev->routing)) : NULL,
		.sweep = s->number,
		.opervls = s->opervls,
		.random = random,
		.marked = marked,
		.left = left,
		.progress = progress,
	};
}

/* Drops the marks of switches that are gone: they come back as new ones. */
static void drop_marks(uint8_t *marked, const struct topo *t)
{
	for (uint32_t sw = 0; sw < t->fabric->n_switches; sw++)
		marked[sw] &= switch_up(t, sw);
}

static void leftovers_free(struct leftovers *l)
{
	free(l->count);
	free(l->hops);
	*l = (struct leftovers){0};
}

/*
 * A switch without linear table.  OpenSM 3.3.23 has no object for it and crashes: engines/doc/minhop.md 2.5.
 */
static bool stopped_by_switch(struct sweep *s)
{
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++) {
		if (!switch_up(s->topo, sw) || s->fabric->switch_fdb_cap[sw])
			continue;
		AUTO_FREE char *why = str_printf("switch %s has LinearFDBCap 0, no table by LIDs",
						 switch_name(s->fabric, sw));
		sweep_add_refusal(s, "discovery", why, REFUSED_PLAIN);
		s->fatal = "crashes";
		return true;
	}
	return false;
}

static int route_sweep(struct sweep *s, const struct sweep_request *rq, struct notes *notes, struct err *e)
{
	struct leftovers left = {0};
	struct sweep_run r = {.s = s, .engines = rq->engines, .notes = notes};

	if (!s->topo->n_switches_up) {
		sweep_add_refusal(s, "minhop", "the fabric has no switch", REFUSED_PLAIN);
		return 0;
	}
	if (stopped_by_switch(s))
		return 0;
	/* dfsssp seeds the generator wherever it stands in the list */
	if (strstr(s->setup->chain, "dfsssp"))
		s->memory->random = RANDOM_BY_CLOCK;
	else if (s->memory->random == RANDOM_BY_CLOCK)
		s->memory->random = 0;
	r.in = sweep_input_of(s, rq->reroute, &s->memory->random, s->memory->marked, &left, rq->progress);
	r.in.threads = rq->threads;
	int rc = run_chain(&r, s->setup->chain, e);
	leftovers_free(&left);
	return rc;
}

/* --- the unicast cache (engines/doc/minhop.md section 9) ------------------------------------------------ */

/* Did the tables stay unchanged, without an engine? */
static bool serve_from_cache(struct sweep *s, const struct sweep_request *rq, struct text *notes)
{
	struct sm_memory *m = s->memory;
	struct cache_sweep cs = {
		.now = s->topo,
		.lids = s->lids,
		.flapped = rq->flapped,
		.tables = m->tables,
	};

	if (!m->cache || rq->reroute || !s->prev)
		return false;
	assert(m->tables);
	cs.was = s->prev->topo;
	cs.lids_was = s->prev->lids;
	AUTO_FREE char *why = ucast_cache_check(m->cache, &cs);
	if (why) {
		text_add(notes, "use_ucast_cache: OpenSM computes the tables anew: %s\n", why);
		return false;
	}
	s->routing = ucast_cache_routing(m->cache, &cs);
	s->cached = true;
	s->from_scratch = false;
	free(s->scratch_reason);
	s->scratch_reason = NULL;
	text_add(notes, "use_ucast_cache: only hosts or leaf switches came or went; all tables stay\n");
	return true;
}

/* Unchanged rows become the same objects, so that a history costs only what changed. */
static void sweep_share_rows(const struct sweep *s)
{
	struct routing *r = (struct routing *)s->routing;
	const struct routing *old = s->memory->tables; /* still the tables before this sweep */

	for (uint32_t sw = 0; r && old && sw < s->fabric->n_switches; sw++)
		routing_share_equal_row(r, old, sw);
}

/* The sources of a routing's maps. */
enum map_source {
	MAPS_ENGINE,  /* the engine itself; without one, VL = SL */
	MAPS_FILE,    /* sl2vl_file */
	MAPS_QOS,     /* the subnet manager programs them */
	MAPS_HELD,    /* qos is off: the maps of the live switches stayed */
	MAPS_UNKNOWN, /* qos is off and the maps are unknown: layers are not in force */
};

/* Maps that the switches hold; NULL = not known. */
static const struct sl_tables *held_maps(const struct setup *s)
{
	const struct switch_tables *of_fabric = fabric_switch_tables(s->fabric);

	if (s->tables && s->tables->sl_tables)
		return s->tables->sl_tables;
	return of_fabric ? of_fabric->sl_tables : NULL;
}

static enum map_source map_source(const struct sweep *s)
{
	const struct routing *r = s->routing;

	if (options_file(s->setup->options, "sl2vl_file"))
		return MAPS_FILE;
	if (r->ops->vl || r->sl_tables)
		return MAPS_ENGINE;
	if (options_bool(s->setup->options, "qos"))
		return MAPS_QOS;
	if (held_maps(s->setup))
		return MAPS_HELD;
	return r->ops->n_layers && r->ops->n_layers(r) > 1 ? MAPS_UNKNOWN : MAPS_ENGINE;
}

static int fill_sls(struct sweep *s, struct sl_tables *l, const char *path, struct progress *p,
		    struct text *notes, struct err *e)
{
	struct input in = {.name = path};
	AUTO_FREE char *data = NULL;

	if (read_file(path, p, &data, &in.size, e))
		return -1;
	in.data = data;
	return sl_file_parse(l, &in, s->fabric, s->lids, notes, e);
}

static int fill_maps(struct sweep *s, struct sl_tables *l, enum map_source source, struct progress *p,
		     struct text *notes, struct err *e)
{
	const char *file = options_file(s->setup->options, "sl2vl_file");
	uint32_t without = 0;

	switch (source) {
	case MAPS_FILE:
		if (sl2vl_file_read(l, file, s->fabric, p, notes, e))
			return -1;
		/* counts switches that the file does not name, but not single ports */
		for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
			without += switch_up(s->topo, sw) && !l->map[sw];
		if (without)
			text_add(notes, "%s: no maps of %u of %s: ibscope takes VL = SL there\n", file,
				 without, PLURAL(s->topo->n_switches_up, "switch"));
		return 0;
	case MAPS_QOS:
		qos_give_maps(l, s->topo, s->setup->options, s->opervls);
		return 0;
	case MAPS_HELD:
		sl_tables_copy_maps(l, held_maps(s->setup));
		return 0;
	case MAPS_UNKNOWN:
		sl_tables_set_all(l, 0);
		l->assumed = true;
		text_add(notes,
			 "%s needs %u VLs, but qos is off: switches keep their own SL-to-VL maps; ibscope "
			 "does not know them and takes all routes to be on VL 0 (`set qos TRUE` "
			 "puts the layers into force)\n",
			 s->routing->engine, s->routing->ops->n_layers(s->routing));
		return 0;
	default:
		if (s->routing->sl_tables)
			sl_tables_copy_maps(l, s->routing->sl_tables);
		return 0;
	}
}

/* Bits of SLs that OpenSM takes from partitions and the QoS policy. */
static unsigned offered_bits(const struct routing *r)
{
	const struct routing *origin = routing_origin(r);

	if (origin->ops->sl_from_qos)
		return origin->ops->sl_from_qos(origin);
	return origin->ops->sl ? 0 : 15;
}

/* SLs and maps from outside replace those of the engine. */
static int give_sl_tables(struct sweep *s, struct progress *p, struct text *notes, struct err *e)
{
	const char *sls = options_file(s->setup->options, "path_sl_file");
	struct routing *r = (struct routing *)s->routing;
	AUTO_TEXT struct text found = {0};
	bool unread;

	if (!r)
		return 0;
	if (r->pair_sls)
		counted_unref(&r->pair_sls->counted);
	r->pair_sls = pair_sls_read(s->setup->options, s->topo, p, &unread, &found);
	r->offered_bits = (uint8_t)offered_bits(r);
	if (progress_cancelled(p))
		return err_set(e, CANCELLED);
	if (!sls && unread && qos_unread(s->setup->options) && r->offered_bits) {
		r->sl_unread = true;
		qos_tell_unread(s->setup->options, notes);
	}
	text_add(notes, "%s", text_str(&found));
	enum map_source source = map_source(s);
	if (source == MAPS_ENGINE && !sls)
		return 0;
	struct sl_tables *l = sl_tables_new(s->fabric, s->lids->max_lid);
	if (fill_maps(s, l, source, p, notes, e) || (sls && fill_sls(s, l, sls, p, notes, e))) {
		sl_tables_unref(l);
		return -1;
	}
	if (sls && !l->n_sls)
		text_add(notes, "%s: it tells no SL of a path\n", sls);
	sl_tables_unref(r->sl_tables);
	r->sl_tables = l;
	return 0;
}

/* What packets meet: ports in the states that were read, or those that this sweep is taken to activate. */
static void meet_ports(struct sweep *s, struct text *notes)
{
	const struct routing *r = s->routing;
	uint32_t first, n = topo_idle(s->topo, &first);

	if (s->as_read) {
		s->routing = routing_on_data(r);
		routing_unref(r);
	} else if (n) {
		text_add(notes,
			 "%s had a port in Initialize or Armed when the fabric was read (%s): ibscope takes "
			 "the next sweep to activate %s\n",
			 PLURAL(n, "cable"), PORT_LABEL(s->fabric, first), n == 1 ? "it" : "them");
	}
}

static int fill_sweep(struct sweep *s, const struct sweep_request *rq, struct err *e)
{
	struct notes notes = {0};
	bool goes_on = rq->prev && !starts_anew(rq), standby;
	int rc = 0;

	s->topo = topo_after(rq->setup->fabric, rq->setup->state, goes_on ? rq->prev->topo : NULL);
	if (s->topo->sm_endport == NO_ID)
		return err_set(e, "everything is down: there is no port where a subnet manager could run");
	standby = takes_over(rq, s->topo);
	if (standby) {
		topo_unref(s->topo);
		s->topo = topo_new(rq->setup->fabric, rq->setup->state);
		goes_on = false;
	}
	if (goes_on) {
		s->prev = sweep_ref(rq->prev);
		s->number = rq->prev->number + 1;
		s->memory = memory_copy(rq->prev->memory, s->fabric);
	} else if (start_memory(&s->memory, rq, standby, e)) {
		return -1;
	}
	drop_marks(s->memory->marked, s->topo);
	if (rq->prev) {
		opervls_reset(s->memory->opervls, s->fabric, rq->prev->setup->state, rq->flapped);
		activated_reset(s->memory->active, s->fabric, rq->prev->setup->state, rq->flapped);
	}
	s->opervls = mem_dup(s->memory->opervls, s->fabric->n_ports);
	s->flapped = rq->flapped ? mem_dup(rq->flapped, s->fabric->n_links) : NULL;
	s->scratch_reason = scratch_reason(rq, s->topo, s->memory, standby);
	s->from_scratch = s->scratch_reason != NULL;
	const char *sm_node = s->fabric->node_name[endport_node(s->fabric, s->topo->sm_endport)];
	if (s->topo->sm_regard)
		text_add(&notes.text,
			 "ibscope does not know where the subnet manager runs: it takes %s, in the part "
			 "with most hosts; lost pairs depend on it (`set guid` tells its port)\n",
			 sm_node);
	else if (s->topo->sm_moved)
		text_add(&notes.text,
			 "the subnet manager's port is down; ibscope assumes that a standby on %s takes "
			 "over\n",
			 sm_node);
	if (s->topo->n_cut)
		text_add(&notes.text,
			 "OpenSM does not follow %u live ports: their switches are %d hops from the "
			 "subnet manager, where directed routes end; it does not discover what "
			 "is only behind them\n",
			 s->topo->n_cut, DR_MAX_HOPS);
	s->lids = sweep_lids(s, rq->engines, &notes.text);
	if (!serve_from_cache(s, rq, &notes.text)) {
		rc = route_sweep(s, rq, &notes, e);
		/* after engines ran the cache is empty; it is valid when they made tables */
		ucast_cache_free(s->memory->cache);
		s->memory->cache = s->routing && !s->routing->adaptive &&
						   options_bool(s->setup->options, "use_ucast_cache")
					   ? ucast_cache_new(s->fabric)
					   : NULL;
	}
	if (!rc)
		rc = give_sl_tables(s, rq->progress, &notes.text, e);
	sweep_share_rows(s);
	opervls_program(s->memory->opervls, s->topo, (unsigned)options_uint(s->setup->options, "max_op_vls"));
	activated_program(s->memory->active, s->topo);
	s->memory->ignore = s->from_scratch && (!s->routing || s->lids->n_wrong);
	if (s->routing) {
		((struct routing *)s->routing)->hosts = host_set_ref(s->hosts);
		routing_unref(s->memory->tables);
		s->memory->tables = routing_ref(s->routing);
		meet_ports(s, &notes.text);
	}
	s->notes = str_dup(text_str(&notes.text));
	s->note_mark = notes.mark;
	s->n_note_marks = notes.n_marks;
	text_free(&notes.text);
	return rc;
}

/* Did NVIDIA's OpenSM make what the source tells: ranks or the engine of its dump, groups for adaptive
 * routing? */
static bool made_by_nvidia(const struct fabric *f)
{
	bool found = f->sm_engine || (f->n_adaptive && f->n_adaptive != NO_ID);

	for (uint32_t s = 0; s < f->n_switches && !found; s++)
		found = f->switch_rank[s] || f->switch_adaptive[s] == ADAPTIVE_ON;
	return found;
}

/*
 * A sweep's setup: the chain is never empty.  Unless `rules` is set, NVIDIA's rules count for an engine that
 * only its OpenSM has, and for a fabric that it runs.
 */
static const struct setup *with_chain(const struct setup *setup)
{
	const char *chain = setup->chain && *setup->chain ? setup->chain : NULL;
	bool nvidia = !options_is_set(setup->options, "rules") &&
		      ((chain && !strncmp(chain, "ar_", 3)) || made_by_nvidia(setup->fabric));

	if (chain && !nvidia)
		return setup_ref(setup);
	AUTO_OPTIONS struct options *o = options_copy(setup->options);
	if (nvidia)
		options_set(o, "rules", "nvidia", NULL);
	return setup_with(setup, &(struct setup){.options = o, .chain = chain ? chain : default_chain(o)});
}

struct sweep *sweep_run(const struct sweep_request *rq, struct err *e)
{
	struct sweep *s = NEW(struct sweep);
	double start = now_seconds();

	assert(rq->engines && rq->setup->fabric);
	assert(!rq->prev || rq->prev->fabric->n_ports == rq->setup->fabric->n_ports);
	s->refs = 1;
	s->setup = with_chain(rq->setup);
	s->fabric = s->setup->fabric;
	s->hosts = setup_hosts(s->setup);
	s->as_read = rq->as_read;
	if (fill_sweep(s, rq, e)) {
		sweep_unref(s);
		return NULL;
	}
	s->seconds = now_seconds() - start;
	return s;
}

struct sweep *sweep_with_hosts(const struct sweep *of, const struct setup *setup)
{
	const size_t counted = offsetof(struct sweep, setup); /* others may count references at this time */
	struct sweep *s = NEW(struct sweep);

	assert(setup->fabric->n_endports == of->fabric->n_endports);
	memcpy((char *)s + counted, (const char *)of + counted, sizeof(*s) - counted);
	atomic_init(&s->refs, 1);
	s->setup = with_chain(setup);
	s->topo = topo_ref(of->topo);
	s->lids = lids_ref(of->lids);
	s->hosts = setup_hosts(setup);
	s->routing = of->routing ? routing_with_hosts(of->routing, s->hosts) : NULL;
	s->refusal = of->n_refusals ? mem_dup(of->refusal, of->n_refusals * sizeof(*of->refusal)) : NULL;
	for (size_t i = 0; s->refusal && i < s->n_refusals; i++)
		s->refusal[i].why = str_dup(of->refusal[i].why);
	s->notes = str_dup(of->notes);
	s->note_mark =
		of->n_note_marks ? mem_dup(of->note_mark, of->n_note_marks * sizeof(*of->note_mark)) : NULL;
	s->scratch_reason = of->scratch_reason ? str_dup(of->scratch_reason) : NULL;
	s->opervls = mem_dup(of->opervls, of->fabric->n_ports);
	s->flapped = of->flapped ? mem_dup(of->flapped, of->fabric->n_links) : NULL;
	s->prev = of->prev ? sweep_ref(of->prev) : NULL;
	s->memory = memory_copy(of->memory, of->fabric);
	return s;
}

struct sweep *sweep_with_routing(const struct sweep *of, struct routing *r)
{
	struct sweep *s = sweep_with_hosts(of, of->setup);

	assert(r->topo->fabric->n_switches == of->fabric->n_switches && !r->hosts);
	routing_unref(s->routing);
	s->routing = r;
	r->hosts = host_set_ref(s->hosts);
	return s;
}

struct sweep *sweep_ref(const struct sweep *s)
{
	struct sweep *t = (struct sweep *)s;

	atomic_fetch_add(&t->refs, 1);
	return t;
}

static void sweep_free(struct sweep *s)
{
	topo_unref(s->topo);
	lids_unref(s->lids);
	routing_unref(s->routing);
	host_set_unref(s->hosts);
	if (s->memory) {
		lid_memory_free(s->memory->lids);
		free(s->memory->opervls);
		free(s->memory->active);
		routing_unref(s->memory->tables);
		ucast_cache_free(s->memory->cache);
		free(s->memory->marked);
		free(s->memory);
	}
	for (size_t i = 0; i < s->n_refusals; i++)
		free(s->refusal[i].why);
	free(s->refusal);
	free(s->notes);
	free(s->note_mark);
	free(s->scratch_reason);
	free(s->opervls);
	free(s->flapped);
	setup_unref(s->setup); /* last: other members use its fabric */
	free(s);
}

/* A long history must not be freed recursively: the stack is finite. */
void sweep_unref(const struct sweep *cs)
{
	struct sweep *s = (struct sweep *)cs;

	while (s && atomic_fetch_sub(&s->refs, 1) == 1) {
		struct sweep *prev = (struct sweep *)s->prev;

		sweep_free(s);
		s = prev;
	}
}

COUNTED_LATER(struct sweep, sweep_unref)

bool is_cut_off(const struct sweep *w, uint32_t ep)
{
	assert(ep < w->fabric->n_endports);
	return !w->topo->endport_up[ep] && !w->setup->state->node_down[endport_node(w->fabric, ep)];
}

uint32_t count_cut_off(const struct sweep *w, uint32_t *first)
{
	uint32_t n = 0;

	for (uint32_t ep = 0; ep < w->fabric->n_endports; ep++) {
		if (!host_set_matters(w->hosts, w->fabric, ep) || !is_cut_off(w, ep))
			continue;
		if (n++ == 0 && first)
			*first = ep;
	}
	return n;
}

/* --- once more, observed ----------------------------------------------------------------------- */

static struct routing *route_again(const struct engine *g, const struct engine_input *in,
				   struct engine_output *out)
{
	return engine_room(g, in, &out->refused) ? NULL : g->route(in, out);
}

/* Run engines that refused once more: they leave counters, hops and random numbers behind. */
static void refuse_again(const struct sweep *s, const struct sweep_repeat *q, struct engine_input *in)
{
	struct engine_output out = {0};

	for (size_t i = 0; i < s->n_refusals; i++) {
		const struct engine *g = engine_find(q->engines, s->refusal[i].engine);

		if (q->engine && !strcmp(q->engine, s->refusal[i].engine))
			return;
		if (g)
			routing_unref(route_again(g, in, &out));
		notes_free(&out.notes);
	}
}

const struct sweep *sweep_made(const struct sweep *s)
{
	while ((s->cached || s->carried) && s->prev)
		s = s->prev;
	return s;
}

int sweep_of_now(const struct sweep *s, struct err *e)
{
	const struct sweep *made = sweep_made(s);

	return made->fabric == s->fabric ? 0
					 : err_set(e,
						   "the unicast cache kept the tables of sweep %u, from "
						   "before the fabric changed: `undo` goes back to it, "
						   "`reroute` computes new tables, `why` explains an entry",
						   made->number + 1);
}

int sweep_repeat(const struct sweep *s, const struct sweep_repeat *q, struct routing **r, struct err *e)
{
	struct leftovers left = {0};
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the origin of a cached sweep exists */
	uint64_t random = s->prev ? s->prev->memory->random : 0;
	const char *name = q->engine;
	struct engine_output out = {0};
	AUTO_FREE uint8_t *marked = NULL;

	if (r)
		*r = NULL;
	if (sweep_of_now(s, e))
		return -1;
	if (s->cached) /* the previous sweep has the tables */
		return sweep_repeat(s->prev, q, r, e);
	if (!name && s->routing)
		name = s->routing->engine;
	if (!name)
		return err_set_kind(e, ERR_NO_ENGINE, "no engine routed the fabric");
	marked = s->number && s->prev ? mem_dup(s->prev->memory->marked, s->fabric->n_switches)
				      : NEW_ARRAY(s->fabric->n_switches, uint8_t);
	drop_marks(marked, s->topo);
	struct engine_input in = sweep_input_of(s, true, &random, marked, &left, q->progress);
	refuse_again(s, q, &in);
	in.ask = q->ask;
	in.record = q->record;
	in.held = held_for(s->setup, engine_find(q->engines, name));
	in.refused_before = has_refused(s->prev, name);
	in.made = s->routing && !strcmp(s->routing->engine, name) ? s->routing : NULL;
	struct routing *made = route_again(engine_find(q->engines, name), &in, &out);
	int rc = made ? 0 : err_set_kind(e, ERR_NO_ENGINE, "%s", out.refused.msg);
	if (r)
		*r = made;
	else
		routing_unref(made);
	notes_free(&out.notes);
	leftovers_free(&left);
	return rc;
}

/* A sweep on another fabric: how the subnet manager's memory follows when cables and nodes change. */

/* The topo with those cables alone that both fabrics have: others came up since then, or were lost. */
static struct topo *common_topo(const struct topo *was, const struct fabric *to, const uint32_t *match)
{
	struct topo *t = topo_on(was, to, match);

	for (uint32_t p = 0; p < to->n_ports; p++)
		if (t->peer[p] != NO_ID && to->port_peer[p] != t->peer[p])
			t->peer[p] = t->peer_switch[p] = NO_ID;
	t->sm_endport = was->sm_endport == NO_ID ? NO_ID : match[was->sm_endport];
	t->sm_moved = was->sm_moved;
	t->sm_regard = was->sm_regard;
	return t;
}

/* Codes of ports: those remembered where the port was there and its source says the same as before. */
static uint8_t *codes_on(const uint8_t *was, const struct fabric *from, const struct fabric *to)
{
	uint8_t *code = mem_dup(to->port_opervls, to->n_ports);

	for (uint32_t p = 0; p < to->n_ports; p++) {
		uint32_t q = fabric_port_in(from, to, p);

		if (q != NO_ID && from->port_opervls[q] == to->port_opervls[p])
			code[p] = was[q];
	}
	return code;
}

static struct sm_memory *memory_on(const struct sweep *s, const struct topo *t, const struct lids *l)
{
	const struct sm_memory *m = s->memory;
	const struct fabric *from = s->fabric, *to = t->fabric;
	struct sm_memory *n = NEW(struct sm_memory);
	struct cache_sweep cs = {.was = s->topo, .lids_was = s->lids, .tables = m->tables};

	assert(l->n_endports == to->n_endports);
	n->lids = lid_memory_on(m->lids, from, to);
	n->tables = m->tables ? routing_on(m->tables, t, l) : NULL;
	n->ignore = m->ignore;
	n->cache = m->cache ? ucast_cache_on(m->cache, &cs, to) : NULL;
	n->opervls = codes_on(m->opervls, from, to);
	n->active = NEW_ARRAY(to->n_ports, uint8_t);
	for (uint32_t p = 0; p < to->n_ports; p++) {
		uint32_t q = fabric_port_in(from, to, p);

		n->active[p] = q != NO_ID && m->active[q];
	}
	n->random = m->random;
	n->marked = NEW_ARRAY(to->n_switches, uint8_t);
	for (uint32_t sw = 0; sw < to->n_switches; sw++) {
		uint32_t was = fabric_switch_in(from, to, sw);

		n->marked[sw] = was != NO_ID && m->marked[was];
	}
	return n;
}

/*
 * What the next sweep finds behind the carried one.  Readings of tables would make a chain without an end,
 * and hold all that was ever read: of such a sweep only the last computed one before it is kept.
 */
static const struct sweep *sweep_on_behind(const struct sweep *was)
{
	const struct sweep *computed = was->prev;

	if (sweep_remembers(was))
		return sweep_ref(was);
	while (computed && !sweep_remembers(computed))
		computed = computed->prev;
	struct sweep *s = sweep_with_hosts(was, was->setup);
	sweep_unref(s->prev);
	s->prev = computed ? sweep_ref(computed) : NULL;
	return s;
}

struct sweep *sweep_on(const struct sweep *was, const struct setup *setup)
{
	const struct fabric *from = was->fabric, *to = setup->fabric;

	if (!fabric_akin(from, to))
		return NULL;
	/* [n_endports of from] endports of to */
	AUTO_FREE uint32_t *match = NEW_ARRAY(from->n_endports + 1, uint32_t);
	for (uint32_t ep = 0; ep < from->n_endports; ep++)
		match[ep] = fabric_endport_in(to, from, ep);
	struct sweep *s = NEW(struct sweep);
	s->refs = 1;
	AUTO_STATE struct state *state = state_on(was->setup->state, from, to, true);
	/* its tables and scope have no meaning here; options and chain are those that it had */
	s->setup = setup_with(
		setup,
		&(struct setup){.state = state, .options = was->setup->options, .chain = was->setup->chain});
	s->fabric = to;
	s->topo = common_topo(was->topo, to, match);
	s->lids = lids_on(was->lids, to, match);
	s->hosts = setup_hosts(s->setup);
	s->memory = memory_on(was, s->topo, s->lids);
	s->routing = was->routing ? routing_on(was->routing, s->topo, s->lids) : NULL;
	s->fatal = was->fatal;
	s->notes = str_dup("");
	s->from_scratch = was->from_scratch;
	s->carried = true;
	s->number = was->number;
	s->opervls = codes_on(was->opervls, from, to);
	s->prev = sweep_on_behind(was);
	return s;
}
