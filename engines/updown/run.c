/* Up/Down and Down/Up: legal ways, the run, and Down/Up's ranks. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/trace/recording.h"
#include "engines/counted/counted.h"
#include "engines/engines.h"
#include "engines/say.h"
#include "engines/updown/updown.h"

/* Down/Up: Up/Down seen from the hosts.  Switches are ranked by their distance from the switches with hosts;
 * packets go away from the hosts, then back to them (engines/doc/updn.md 6 as OpenSM 3.3.23). */

/* Gives rank 0 to switches with a CA or router. Returns their number. */
static uint32_t rank_host_switches(const struct topo *t, struct updown *u)
{
	const struct fabric *f = t->fabric;
	uint32_t n = 0;

	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; switch_up(t, s) && p <= f->switch_nports[s]; p++) {
			uint32_t q = t->peer[switch_port_id(f, s, p)];

			if (q == NO_ID || node_is_switch(f, f->port_node[q]))
				continue;
			u->rank[s] = 0;
			n++;
			break;
		}
	return n;
}

static struct routing *dnup_route(const struct engine_input *in, struct engine_output *out)
{
	struct updown *u = updown_new(in->topo, false);

	rec_phase(in, "ranks: distance from the nearest switch with hosts");
	if (!rank_host_switches(in->topo, u)) {
		err_set(&out->refused, "no switch has a CA or router port, so there is nothing to rank from");
		updown_free(u);
		return NULL;
	}
	if (RECORDED(in))
		updown_record_keep(in, u);
	updown_rank(in, u);
	u->connect = options_bool(in->options, "connect_roots");
	if (!updown_matrix(in, u, NULL, false, u->connect, &out->refused)) {
		updown_free(u);
		return NULL;
	}
	if (u->n_priced)
		note_add(&out->notes, 0,
			 "dnup: connect_roots allows turns down and then up at a cost of %u; credit loops "
			 "are possible\n",
			 u->weight);
	if (u->n_erased)
		note_add(&out->notes, 0,
			 "dnup loses %s because costs reach 64; their destinations may be unreachable\n",
			 PLURAL(u->n_erased, "entry"));
	return updown_routing("dnup", in, out, u);
}

const struct engine engine_dnup = {
	.name = "dnup",
	.brief = "Down/Up: as Up/Down, with ranks counted from the switches with hosts; level cables have no "
		 "order and may close credit loops",
	.reference = "as OpenSM 3.3.23",
	.route = dnup_route,
	.update = dnup_route, /* updown_assign() looks at `previous` */
	.room = updown_room,
	.scheme = &dnup_scheme,
};

/* On fabrics with up to this many levels, no cost overflows a byte. */
#define MAX_LEVEL 120

/* Directions of a packet. A turn from WAY_DOWN to WAY_UP is forbidden. */
enum way { WAY_DOWN, WAY_UP, WAY_LEVEL };

/* --- ranks ---------------------------------------------------------------------------- */

struct updown *updown_new(const struct topo *t, bool ids)
{
	const struct fabric *f = t->fabric;
	struct updown *u = NEW(struct updown);

	u->rank = NEW_ARRAY(f->n_switches, uint32_t);
	memset(u->rank, 0xff, f->n_switches * sizeof(*u->rank));
	if (!ids)
		return u;
	u->id = NEW_ARRAY(f->n_switches, uint64_t);
	for (uint32_t s = 0; s < f->n_switches; s++)
		u->id[s] = f->node_guid[f->switch_node[s]];
	return u;
}

void updown_free(void *updown)
{
	struct updown *u = updown;

	if (!u)
		return;
	hops_unref(u->hops);
	FREE_EACH(u->rank, u->id);
	root_search_free(u->search);
	free(u);
}

void updown_rank(const struct engine_input *in, struct updown *u)
{
	const struct topo *t = in->topo;
	const struct fabric *f = t->fabric;
	uint32_t *queue = NEW_ARRAY(f->n_switches, uint32_t), end = 0;

	for (uint32_t s = 0; s < f->n_switches; s++)
		if (u->rank[s] == 0)
			queue[end++] = s;
	u->n_roots = end;
	if (RECORDED(in))
		updown_record_roots(in, queue, end);
	for (uint32_t i = 0; i < end; i++) {
		uint32_t s = queue[i];

		u->max_rank = u->rank[s];
		FOR_CABLES(t, s, id, r) {
			if (u->rank[r] != NO_RANK)
				continue;
			u->rank[r] = u->rank[s] + 1;
			queue[end++] = r;
			if (RECORDED(in))
				updown_record_rank(in, r, s, u->rank[r]);
		}
	}
	free(queue);
	updown_count_level(in, u);
}

void updown_count_level(const struct engine_input *in, struct updown *u)
{
	const struct topo *t = in->topo;

	for (uint32_t s = 0; s < t->fabric->n_switches; s++)
		FOR_CABLES(t, s, port, r) { /* cables within a rank; each is seen from both ends */
			if (r < s || u->rank[r] != u->rank[s])
				continue;
			u->n_level++;
			u->n_root_links += !u->rank[s];
		}
	rec_note(in, "ranks 0 to %u; %s between equal ranks, %u of them between roots", u->max_rank,
		 PLURAL(u->n_level, "cable"), u->n_root_links);
}

/* The direction of a packet from one switch to a neighbour. */
static enum way updown_way_of(const struct updown *u, uint32_t from, uint32_t to)
{
	uint32_t a = u->rank[from], b = u->rank[to];

	if (!u->id && a == b)
		return WAY_LEVEL;
	if (!u->id) /* Down/Up: away from the hosts is up */
		return a < b ? WAY_UP : WAY_DOWN;
	if (a != b)
		return a > b ? WAY_UP : WAY_DOWN;
	return a && u->id[to] <= u->id[from] ? WAY_UP : WAY_DOWN;
}

char updown_direction(const struct updown *u, const struct topo *t, uint32_t sw, unsigned port)
{
	uint32_t r = t->peer_switch[switch_port_id(t->fabric, sw, port)];

	if (!port || r == NO_ID)
		return ' ';
	if (u->rank[r] == u->rank[sw] && (!u->id || !u->rank[sw]))
		return '=';
	return updown_way_of(u, sw, r) == WAY_UP ? 'U' : 'D';
}

/* --- the exact search -------------------------------------------------------------------- */

/* A cable end, seen from the switch that the search expands: the neighbour, and how packets come from it. */
struct arc {
	uint32_t sw, port; /* neighbour, port id at the neighbour */
	uint8_t way;	   /* direction from the neighbour to here */
};

struct updown_search {
	const struct engine_input *in;
	const struct updown *u;
	uint32_t n;
	uint32_t *off; /* [n + 1] */
	struct arc *arc;
	uint32_t *queue;       /* [n + 1] ring */
	uint8_t *queued, *way; /* [n] */
	uint8_t *least;	       /* [n] towards the present target */
	unsigned weight;       /* price of a forbidden turn, 0 = not allowed */
	unsigned max;	       /* largest value stored */
	uint32_t n_priced, n_erased;
	struct recorder *rec; /* NULL = none */
	enum rec_table table; /* table of the recording */
};

static struct updown_search *updown_search_new(const struct engine_input *in, const struct updown *u)
{
	const struct topo *t = in->topo;
	const struct fabric *f = t->fabric;
	struct updown_search *k = NEW(struct updown_search);
	uint32_t n = 0;

	k->in = in;
	k->u = u;
	k->rec = in->record;
	k->n = f->n_switches;
	k->off = NEW_ARRAY(k->n + 1, uint32_t);
	k->arc = NEW_ARRAY(f->n_ports, struct arc);
	k->queue = NEW_ARRAY(k->n + 1, uint32_t);
	k->queued = NEW_ARRAY(k->n, uint8_t);
	k->way = NEW_ARRAY(k->n, uint8_t);
	k->least = NEW_ARRAY(k->n, uint8_t);
	for (uint32_t s = 0; s < k->n; s++) {
		for (unsigned p = 1; switch_up(t, s) && p <= f->switch_nports[s]; p++) {
			uint32_t q = t->peer[switch_port_id(f, s, p)];

			/* cables of a switch to itself take part, but never win */
			uint32_t r = q == NO_ID ? NO_ID : f->node_switch[f->port_node[q]];
			if (r != NO_ID)
				k->arc[n++] = (struct arc){r, q, updown_way_of(u, r, s)};
		}
		k->off[s + 1] = n;
	}
	assert(n <= f->n_ports);
	return k;
}

/* The cost at a switch for packets that come by an arc. False when the arc cannot be used. */
static bool arc_cost(struct updown_search *k, uint32_t s, uint8_t way, const struct arc *a, uint8_t *entry,
		     unsigned *cost)
{
	*cost = k->least[s];
	if (way != WAY_UP || a->way != WAY_DOWN)
		return true;
	if (!k->weight)
		return false;
	/* OpenSM counts in bytes and erases entries that become too large */
	*cost = (*cost + k->weight) & 0xff;
	k->n_priced++;
	if (*cost >= 64) {
		k->n_erased += entry[a->port] != NO_PATH;
		entry[a->port] = NO_PATH;
	}
	return true;
}

/* --- the recording of the search ------------------------------------------------------------- */

static void record_cell(const struct updown_search *k, uint32_t t, uint32_t port, unsigned was, unsigned now)
{
	rec_delta(k->rec, k->table, t * k->in->topo->fabric->n_ports + port, was, now);
}

/* Records a step for the target, then its column as Min Hop's matrix has it. */
static void record_column(const struct updown_search *k, uint32_t t, const uint8_t *entry)
{
	const struct fabric *f = k->in->topo->fabric;

	rec_event(k->rec, REC_COPY, 0, 0, 0, t);
	for (uint32_t s = 0; s < k->n; s++) {
		if (!switch_up(k->in->topo, s))
			continue;
		FOR_PORTS(f, s, id)
			record_cell(k, t, id, NO_PATH, entry[id]);
		record_cell(k, t, f->switch_port[s], NO_PATH, k->least[s]);
	}
}

/*
 * Computes the costs towards one target, starting at the target (engines/doc/updn.md 5.2): entry[port id] and
 * k->least. The order of visits is OpenSM's and affects the result. A switch that waits in the queue keeps
 * the direction of its first visitor.
 */
static void search_target(struct updown_search *k, uint32_t t, uint8_t *entry)
{
	const struct fabric *f = k->in->topo->fabric;
	enum rec_kind kind = k->weight ? REC_PRICE : REC_FORBID;
	uint32_t head = 0, tail = 0;
	uint8_t first = k->least[t];

	k->least[t] = 0;
	k->way[t] = WAY_DOWN;
	k->queue[tail++] = t;
	while (head != tail) {
		uint32_t s = k->queue[head];
		uint8_t way = k->way[s];

		head = head < k->n ? head + 1 : 0;
		k->queued[s] = 0;
		if (k->rec) {
			rec_event(k->rec, REC_VISIT, 0, k->least[s], s, t);
			rec_flag(k->rec, way);
			record_cell(k, t, f->switch_port[t], first, 0);
			first = 0;
		}
		for (const struct arc *a = k->arc + k->off[s], *end = k->arc + k->off[s + 1]; a < end; a++) {
			unsigned old = entry[a->port], cost;

			if (!arc_cost(k, s, way, a, entry, &cost) || cost + 1 >= old) {
				if (k->rec) /* the entry may have been erased */
					record_cell(k, t, a->port, old, entry[a->port]);
				continue;
			}
			entry[a->port] = ++cost;
			if (k->rec)
				record_cell(k, t, a->port, old, cost);
			if (cost < k->least[a->sw]) {
				if (k->rec)
					record_cell(k, t, f->switch_port[a->sw], k->least[a->sw], cost);
				k->least[a->sw] = cost;
			}
			if (cost > k->max)
				k->max = cost;
			if (k->queued[a->sw])
				continue;
			k->way[a->sw] = a->way;
			k->queued[a->sw] = 1;
			k->queue[tail] = a->sw;
			tail = tail < k->n ? tail + 1 : 0;
		}
		for (const struct arc *a = k->arc + k->off[s], *end = k->arc + k->off[s + 1];
		     k->rec && a < end; a++) { /* turns that the visit forbids */
			if (way != WAY_UP || a->way != WAY_DOWN || !rec_wants(k->rec, kind, a->sw, 0))
				continue;
			rec_event(k->rec, kind, 0, f->port_num[a->port], a->sw, t);
		}
	}
}

/* Searches all targets. With `plain`, rows of root targets start from that matrix. */
static bool search_all_targets(struct updown_search *k, struct hops *h, const struct hops *plain)
{
	const struct topo *t = k->in->topo;

	memset(h->by_port, NO_PATH, (size_t)h->n_switches * h->n_ports);
	memset(h->least, NO_PATH, (size_t)h->n_switches * h->n_switches);
	for (uint32_t d = 0; d < k->n; d++) {
		uint8_t *entry = h->by_port + (size_t)d * h->n_ports;

		if (!switch_up(t, d))
			continue;
		if (!progress_step(k->in->progress, d))
			return false;
		memset(k->least, NO_PATH, k->n);
		if (plain && !k->u->rank[d]) {
			for (uint32_t s = 0; s < k->n; s++) { /* start from Min Hop's row */
				k->least[s] = hops_least(plain, s, d);
				for (unsigned p = 1; switch_up(t, s) && p <= t->fabric->switch_nports[s]; p++)
					entry[switch_port_id(t->fabric, s, p)] =
						hops_value(plain, t, s, d, p);
			}
			if (k->rec)
				record_column(k, d, entry);
		}
		search_target(k, d, entry);
		for (uint32_t s = 0; s < k->n; s++)
			h->least[(size_t)s * k->n + d] = k->least[s];
	}
	return true;
}

/* Sets the table of a recording that the search fills from now on. */
static void record_matrix(struct updown_search *k, enum rec_table t)
{
	k->table = t;
	if (k->rec)
		rec_cells(k->rec, t, (size_t)k->n * k->in->topo->fabric->n_ports);
}

static bool exact_matrix(const struct engine_input *in, struct updown *u, const struct hops *plain,
			 bool price, struct err *e)
{
	if (mem_room(e, hops_size(in->topo->fabric, 0, 1), "the hop matrix by port of %u switches",
		     in->topo->fabric->n_switches))
		return false;
	struct updown_search *k = updown_search_new(in, u);
	record_matrix(k, price ? T_PLAIN : T_HOPS);
	u->hops = hops_new(in->topo->fabric, true);
	bool done = search_all_targets(k, u->hops, plain);
	if (done && price) {
		u->weight = k->weight = (k->max + 1) & 0xff;
		rec_phase(in, "hop matrix once more: a turn down and then up costs %u", k->weight);
		record_matrix(k, T_HOPS);
		done = search_all_targets(k, u->hops, plain);
		u->n_priced = k->n_priced;
		u->n_erased = k->n_erased;
	}
	FREE_EACH(k->off, k->arc, k->queue, k->queued, k->way, k->least, k);
	return done;
}

/* --- levelled fabrics ------------------------------------------------------------------------- */

/* Is a switch cabled to itself? */
static bool has_loopback(const struct topo *t)
{
	const struct fabric *f = t->fabric;

	for (uint32_t p = 0; p < f->n_ports; p++)
		if (t->peer[p] != NO_ID && f->port_node[p] == f->port_node[t->peer[p]] &&
		    node_is_switch(f, f->port_node[p]))
			return true;
	return false;
}

/* Takes the costs of the neighbours below (or above) plus one, where they are smaller. */
static void relax_towards(const struct topo *t, struct hops *h, uint32_t s, bool below)
{
	uint32_t last = NO_ID;

	FOR_CABLES(t, s, port, r) {
		if (r == last || (h->level[r] > h->level[s]) != below)
			continue;
		last = r;
		hops_relax_row(h, s, r);
	}
}

/*
 * Without cables between equal ranks the matrix has a closed form: t is below x when their distance equals
 * the difference of their levels; otherwise packets first go up.
 */
static bool levelled_matrix(const struct engine_input *in, struct updown *u, const struct hops *plain)
{
	const struct topo *t = in->topo;
	uint32_t n = t->fabric->n_switches;
	uint32_t *list = NEW_ARRAY(n, uint32_t), end = 0; /* switches by level */
	struct hops *h = u->hops = hops_new_levelled(t->fabric);

	for (uint32_t s = 0; s < n; s++)
		if (switch_up(t, s)) {
			h->level[s] = u->id ? u->rank[s] : u->max_rank - u->rank[s];
			h->least[(size_t)s * n + s] = 0;
		}
	for (unsigned k = 0; k <= u->max_rank; k++)
		for (uint32_t s = 0; s < n; s++)
			if (switch_up(t, s) && h->level[s] == k)
				list[end++] = s;
	/* first what is below each switch, from the bottom up; then everything, from the top down */
	for (uint32_t i = end; i-- > 0;)
		relax_towards(t, h, list[i], true);
	for (uint32_t i = 0; i < end; i++)
		relax_towards(t, h, list[i], false);
	free(list);
	for (uint32_t d = 0; plain && d < n; d++) {
		if (u->rank[d])
			continue;
		h->open[d] = 0xff;
		for (uint32_t s = 0; s < n; s++)
			h->least[(size_t)s * n + d] = hops_least(plain, s, d);
	}
	return progress_step(in->progress, n);
}

/* --- the matrix --------------------------------------------------------------------------------- */

/* Is it Min Hop's matrix with all costs 1? */
static bool updown_is_plain(const struct hops *h)
{
	return h && !h->by_port && !h->weight;
}

size_t updown_room(const struct engine_input *in, const char **what)
{
	*what = "hop matrices"; /* that of Min Hop, from which roots are found, and the engine's own */
	return hops_size(in->topo->fabric, 2, 0);
}

bool updown_matrix(const struct engine_input *in, struct updown *u, const struct hops *plain, bool keep_roots,
		   bool price, struct err *e)
{
	const struct hops *kept = keep_roots ? plain : NULL;
	bool done = true, loops = has_loopback(in->topo);

	assert(!u->hops && (!keep_roots || plain));
	rec_phase(in, "hop matrix without turns down and then up");
	progress_start(in->progress, "hop matrix", in->topo->fabric->n_switches);
	if (!RECORDED(in) && !price && !u->n_level && u->max_rank <= MAX_LEVEL && !loops &&
	    (!kept || updown_is_plain(kept))) {
		done = levelled_matrix(in, u, kept);
	} else if (!RECORDED(in) && u->id && !u->max_rank && updown_is_plain(plain) && !loops) {
		u->hops = hops_ref(plain); /* there are only roots: nothing is forbidden */
	} else {
		done = exact_matrix(in, u, kept, price, e);
	}
	if (!done && progress_cancelled(in->progress))
		err_set(e, CANCELLED);
	return done;
}

/* --- the routing --------------------------------------------------------------------------------- */

static unsigned updown_ops_hops(const struct routing *r, uint32_t s, uint32_t d, unsigned port)
{
	const struct updown *u = r->priv;

	return hops_value(u->hops, r->topo, s, d, port);
}

static uint32_t ops_rank(const struct routing *r, uint32_t sw)
{
	const struct updown *u = r->priv;

	return u->rank[sw];
}

static bool ops_is_root(const struct routing *r, uint32_t sw)
{
	const struct updown *u = r->priv;

	return u->rank[sw] == 0;
}

static char ops_direction(const struct routing *r, uint32_t sw, unsigned port)
{
	return updown_direction(r->priv, r->topo, sw, port);
}

/* In Up/Down, GUIDs (ids) decide between equal ranks. */
static const char *ops_link_rule(const struct routing *r, uint32_t sw, unsigned port)
{
	const struct updown *u = r->priv;
	uint32_t peer = r->topo->peer_switch[switch_port_id(r->topo->fabric, sw, port)];

	if (peer == NO_ID || u->rank[sw] != u->rank[peer])
		return NULL;
	if (!u->id)
		return "level";
	if (!u->rank[sw])
		return "root-root";
	if (u->id[sw] == u->id[peer])
		return "equal id";
	return u->id[sw] > u->id[peer] ? "id: up to smaller" : "id: down to greater";
}

static const struct routing_ops updn_ops = {
	.hops = updown_ops_hops,
	.rank = ops_rank,
	.is_root = ops_is_root,
	.decide_rank = updown_decide_rank,
	.rank_clues = updown_rank_clues,
	.direction = ops_direction,
	.link_rule = ops_link_rule,
	.free_priv = updown_free,
};

/* Down/Up has no roots. */
static const struct routing_ops dnup_ops = {
	.hops = updown_ops_hops,
	.rank = ops_rank,
	.decide_rank = updown_decide_rank,
	.rank_clues = updown_rank_clues,
	.direction = ops_direction,
	.link_rule = ops_link_rule,
	.free_priv = updown_free,
};

/* At a step of a recording a neighbour may have no rank yet. */
static char ops_direction_so_far(const struct routing *r, uint32_t sw, unsigned port)
{
	const struct updown *u = r->priv;
	uint32_t peer = port ? r->topo->peer_switch[switch_port_id(r->topo->fabric, sw, port)] : NO_ID;

	if (peer == NO_ID || u->rank[sw] == NO_RANK || u->rank[peer] == NO_RANK)
		return ' ';
	return updown_direction(u, r->topo, sw, port);
}

const struct routing_ops updn_step_ops = {
	.hops = updown_ops_hops,
	.rank = ops_rank,
	.is_root = ops_is_root,
	.direction = ops_direction_so_far,
	.link_rule = ops_link_rule,
	.free_priv = updown_free,
};

const struct routing_ops dnup_step_ops = {
	.hops = updown_ops_hops,
	.rank = ops_rank,
	.direction = ops_direction_so_far,
	.link_rule = ops_link_rule,
	.free_priv = updown_free,
};

const struct updown *updown_of(const struct routing *r)
{
	return r && (r->ops == &updn_ops || r->ops == &dnup_ops || r->ops == &updn_step_ops ||
		     r->ops == &dnup_step_ops)
		       ? r->priv
		       : NULL;
}

struct routing *updown_routing(const char *engine, const struct engine_input *in, struct engine_output *out,
			       struct updown *u)
{
	struct routing *r = routing_new(engine, in->topo, in->lids);

	assert(u->hops);
	r->ops = u->id ? &updn_ops : &dnup_ops;
	r->priv = u;
	if (updown_assign(in, out, u, r))
		return r;
	err_set(&out->refused, CANCELLED);
	routing_unref(r);
	return NULL;
}
