/* Credit loops of mixes: what is judged and proved here stands in doc/transition.md. */
#include "core/analysis/compare/transition_internal.h"
#include "core/analysis/credit/cdg.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/routing/paths.h"

#include <stdlib.h>
#include <string.h>

#define SEARCH_STEPS (UINT64_C(30) << 20) /* LIDs and switches visited for all circles */
#define MOST_TRIED 64

/* Sides that packets and tables may be of. */
enum { OLD = 1, NEW_ONE = 2, BOTH = OLD | NEW_ONE };

struct sender {
	uint32_t endport;
	uint16_t lid, old_lid; /* base LIDs; old_lid 0: there was none */
	uint8_t in;	       /* port of the switch */
};

struct joint {
	void *arena;
	const struct transition *t;
	const struct topo *topo;
	const struct fabric *f;
	uint32_t n, *own; /* [n] id of a switch in the old fabric, NO_ID */
	struct sender *sender;
	uint32_t *first; /* [n + 1] senders of a switch */
	bool alike;	 /* the senders of a switch need not be distinguished */
	unsigned sides;	 /* of the graph that is made */
	size_t *at, cells;
	uint8_t *matrix[CDG_VLS][CDG_VLS]; /* by VLs in and out: [cells] by ports, as in cdg.c; NULL = none */
	/* one LID: channels out of a switch by its old and new entry, 2 * switch + new */
	struct two_ways w;
	uint16_t (*vls)[16]; /* [2n] by SL: VLs on which packets come there */
	uint16_t *sls;	     /* [2n] SLs that have any */
	uint32_t *queue, head, tail, *touched, n_touched;
	uint8_t *queued;
};

/* --- packets --------------------------------------------------------------------------------- */

static void list_senders(struct joint *j)
{
	const struct routing *a = j->t->a, *b = j->t->b;
	const struct fabric *old = a->topo->fabric;
	bool ca_only = true;

	j->sender = ARENA_ARRAY(j->arena, j->f->n_endports + 1, struct sender);
	j->first = ARENA_ARRAY(j->arena, j->n + 2, uint32_t);
	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t ep = 0; ep < j->f->n_endports; ep++) {
			if (endport_is_switch(j->f, ep) || !b->lids->base[ep] || !routing_has_host(b, ep))
				continue;
			if (!pass) {
				j->first[j->topo->endport_switch[ep] + 2]++;
				continue;
			}
			uint32_t before = old == j->f ? ep : fabric_endport_in(old, j->f, ep);
			ca_only &= j->f->node_type[endport_node(j->f, ep)] == NODE_CA;
			j->sender[j->first[j->topo->endport_switch[ep] + 1]++] = (struct sender){
				ep, b->lids->base[ep], before == NO_ID ? 0 : a->lids->base[before],
				j->topo->endport_swport[ep]};
		}
		for (uint32_t s = 0; !pass && s < j->n; s++)
			j->first[s + 2] += j->first[s + 1];
	}
	j->alike = routing_vl_by_sl(a) && routing_vl_by_sl(b) &&
		   ((ca_only && routing_sls_by_source(a) && routing_sls_by_source(b)) ||
		    (routing_sls_by_switch(a) && routing_sls_by_switch(b)));
}

static void joint_start(struct joint *j, const struct transition *t)
{
	const struct fabric *f = t->b->topo->fabric, *old = t->a->topo->fabric;

	*j = (struct joint){.arena = j->arena, .t = t, .topo = t->b->topo, .f = f, .n = f->n_switches};
	j->own = ARENA_ARRAY(j->arena, j->n + 1, uint32_t);
	j->at = ARENA_ARRAY(j->arena, j->n + 1, size_t);
	for (uint32_t s = 0; s < j->n; s++) {
		j->own[s] = old == f ? s : fabric_switch_in(old, f, s);
		j->at[s] = j->cells;
		j->cells += (f->switch_nports[s] + 1u) * (f->switch_nports[s] + 1u);
	}
	list_senders(j);
	two_ways_init(j->arena, &j->w, j->n);
	j->vls = arena_array(j->arena, 2 * j->n + 1, sizeof(*j->vls));
	j->sls = ARENA_ARRAY(j->arena, 2 * j->n + 1, uint16_t);
	j->queue = ARENA_ARRAY(j->arena, 2 * j->n + 1, uint32_t);
	j->touched = ARENA_ARRAY(j->arena, 2 * j->n + 1, uint32_t);
	j->queued = ARENA_ARRAY(j->arena, 2 * j->n + 1, uint8_t);
}

static unsigned transition_credit_entry(const struct joint *j, uint32_t s, bool now, unsigned lid)
{
	return row_port(now ? j->t->b->row[s] : j->t->was[s], lid);
}

/* Sides that have an SL for packets from a switch to a LID. */
static unsigned sides_with_sl(const struct joint *j, uint32_t sw, unsigned lid)
{
	const struct routing *a = j->t->a, *b = j->t->b;

	return (!routing_has_sls(b) || tables_lead(b, sw, lid) ? NEW_ONE : 0) |
	       (!routing_has_sls(a) || tables_lead(a, j->own[sw], lid) ? OLD : 0);
}

static unsigned sl_bits(struct sl_range sl)
{
	return sl_is_open(sl) ? 0 : (2u << (sl.hi & 15)) - (1u << (sl.lo & 15));
}

/* SLs as bits that a sender may use: it keeps the old one until its path record is renewed. */
static unsigned sls_of(const struct joint *j, const struct sender *s, unsigned lid, unsigned sides)
{
	unsigned sls = 0;

	if (sides & NEW_ONE)
		sls |= sl_bits(routing_sl(j->t->b, s->lid, lid));
	if (sides & OLD && s->old_lid)
		sls |= sl_bits(routing_sl(j->t->a, s->old_lid, lid));
	return sls;
}

static unsigned transition_credit_vl_of(const struct joint *j, bool now, uint32_t sw, unsigned in,
					unsigned out, unsigned sl)
{
	if (now)
		return routing_vl(j->t->b, sw, in, out, sl) & 15;
	return j->own[sw] == NO_ID ? CDG_DROP_VL : routing_vl(j->t->a, j->own[sw], in, out, sl) & 15;
}

/* --- the graph of all dependencies ------------------------------------------------------------ */

/* Does an entry lead to a switch? Where old and new are one, the new one stands for both. */
static bool transition_credit_leads_on(const struct joint *j, uint32_t s, bool now)
{
	const uint32_t *next = now ? j->w.now : j->w.was;

	return (j->sides & (now ? NEW_ONE : OLD)) && next[s] < TO_HOST &&
	       (now || j->sides == OLD ||
		transition_credit_entry(j, s, false, j->w.lid) !=
			transition_credit_entry(j, s, true, j->w.lid));
}

static unsigned vls_out(const struct joint *j, uint32_t sw, unsigned in, unsigned out, unsigned sl)
{
	unsigned vls = 0;

	if (j->sides & NEW_ONE)
		vls |= 1u << transition_credit_vl_of(j, true, sw, in, out, sl);
	if (j->sides & OLD)
		vls |= 1u << transition_credit_vl_of(j, false, sw, in, out, sl);
	return vls & ~(1u << CDG_DROP_VL);
}

static void transition_credit_reach(struct joint *j, uint32_t way, unsigned sl, unsigned vls)
{
	if (!(vls & ~j->vls[way][sl]))
		return;
	if (!j->sls[way])
		j->touched[j->n_touched++] = way;
	j->vls[way][sl] |= (uint16_t)vls;
	j->sls[way] |= (uint16_t)(1u << sl);
	if (j->queued[way])
		return;
	j->queued[way] = 1;
	j->queue[j->tail] = way;
	j->tail = j->tail == 2 * j->n ? 0 : j->tail + 1;
}

static void transition_credit_start(struct joint *j, uint32_t sw)
{
	unsigned lid = j->w.lid, sides = j->sides & sides_with_sl(j, sw, lid);

	for (uint32_t i = j->first[sw]; i < j->first[sw + 1]; i++) {
		const struct sender *s = &j->sender[i];
		unsigned sls = s->endport == j->w.owner ? 0 : sls_of(j, s, lid, sides);

		for (unsigned left = sls; left; left &= left - 1)
			for (unsigned now = 0; now < 2; now++) {
				unsigned sl = (unsigned)__builtin_ctz(left);

				if (transition_credit_leads_on(j, sw, now))
					transition_credit_reach(
						j, 2 * sw + now, sl,
						vls_out(j, sw, s->in,
							transition_credit_entry(j, sw, now, lid), sl));
			}
		if (j->alike && s->endport != j->w.owner)
			break;
	}
}

static void depend(struct joint *j, unsigned from, unsigned to, size_t cell)
{
	for (unsigned va = 0; va < CDG_VLS; va++)
		for (unsigned vb = 0; from >> va & 1 && vb < CDG_VLS; vb++) {
			if (!(to >> vb & 1))
				continue;
			if (!j->matrix[va][vb])
				j->matrix[va][vb] = NEW_ARRAY(j->cells, uint8_t);
			j->matrix[va][vb][cell] = 1;
		}
}

/* Packets on a channel into a switch go on by its entries.  Back to where they were they do not end. */
static void transition_credit_pass(struct joint *j, uint32_t way)
{
	uint32_t from = way / 2, sw = (way & 1 ? j->w.now : j->w.was)[from];
	unsigned lid = j->w.lid, in = j->f->port_num[j->topo->peer[switch_port_id(
					 j->f, from, transition_credit_entry(j, from, way & 1, lid))]];

	for (unsigned now = 0; now < 2; now++) {
		unsigned out = transition_credit_entry(j, sw, now, lid);
		size_t cell = j->at[sw] + in * (j->f->switch_nports[sw] + (size_t)1) + out;

		if (!transition_credit_leads_on(j, sw, now) || (now ? j->w.now : j->w.was)[sw] == from)
			continue;
		for (unsigned left = j->sls[way]; left; left &= left - 1) {
			unsigned sl = (unsigned)__builtin_ctz(left), vls = vls_out(j, sw, in, out, sl);

			depend(j, j->vls[way][sl], vls, cell);
			transition_credit_reach(j, 2 * sw + now, sl, vls);
		}
	}
}

static void transition_credit_one_lid(struct joint *j, unsigned lid)
{
	struct two_ways *w = &j->w;

	if (!two_ways_load(w, j->t, lid))
		return;
	if (j->sides == OLD)
		mix_ends(j->n, w->was, w->to, w->work);
	j->head = j->tail = 0;
	for (uint32_t s = 0; s < j->n; s++)
		if (j->sides == BOTH || w->to[s] != MIX_LOOPS)
			transition_credit_start(j, s);
	while (j->head != j->tail) {
		uint32_t way = j->queue[j->head];

		j->head = j->head == 2 * j->n ? 0 : j->head + 1;
		j->queued[way] = 0;
		transition_credit_pass(j, way);
	}
	while (j->n_touched) {
		uint32_t way = j->touched[--j->n_touched];

		j->sls[way] = 0;
		memset(j->vls[way], 0, sizeof(j->vls[way]));
	}
}

/* Dependencies from a channel.  number: by VL and port, channel + 1. */
static void list_deps(const struct joint *j, struct cdg *c, uint32_t channel, uint32_t *const number[],
		      uint32_t *cap)
{
	uint32_t peer = j->topo->peer[c->port[channel]], sw = j->f->node_switch[j->f->port_node[peer]];
	unsigned ports = j->f->switch_nports[sw];

	for (unsigned vb = 0; vb < CDG_VLS; vb++) {
		const uint8_t *row = j->matrix[c->vl[channel]][vb];

		for (unsigned out = 1; row && out <= ports; out++) {
			if (!row[j->at[sw] + j->f->port_num[peer] * (ports + (size_t)1) + out])
				continue;
			ARENA_GROW(c, c->to, c->n_deps, *cap);
			c->to[c->n_deps++] = number[vb][switch_port_id(j->f, sw, out)] - 1;
		}
	}
}

/* NULL: cancelled. */
static struct cdg *number_channels(const struct joint *j, struct progress *p)
{
	struct cdg *c = ARENA_NEW(NULL, struct cdg);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	uint32_t *number[CDG_VLS], cap = 0, cap_vl = 0, cap_to = 0;
	bool going = true;

	c->routing = routing_unref_later(c, routing_ref(j->t->b));
	c->want = CDG_ALL_VLS;
	for (unsigned v = 0; v < CDG_VLS; v++)
		number[v] = ARENA_ARRAY(arena, j->f->n_ports + 1, uint32_t);
	for (unsigned k = 0; k < CDG_VLS * CDG_VLS; k++) {
		const uint8_t *m = j->matrix[k / CDG_VLS][k % CDG_VLS];

		for (uint32_t s = 0; m && s < j->n && (going = going && !progress_cancelled(p)); s++) {
			unsigned row = j->f->switch_nports[s] + 1u;

			for (unsigned cell = 0; cell < row * row; cell++)
				if (m[j->at[s] + cell]) {
					uint32_t in = switch_port_id(j->f, s, cell / row);

					number[k / CDG_VLS][j->topo->peer[in]] = 1;
					number[k % CDG_VLS][switch_port_id(j->f, s, cell % row)] = 1;
				}
		}
	}
	for (unsigned v = 0; v < CDG_VLS; v++)
		for (uint32_t port = 0; port < j->f->n_ports; port++)
			if (number[v][port]) {
				ARENA_GROW(c, c->port, c->n_channels, cap);
				ARENA_GROW(c, c->vl, c->n_channels, cap_vl);
				c->port[c->n_channels] = port;
				c->vl[c->n_channels] = (uint8_t)v;
				number[v][port] = ++c->n_channels;
			}
	c->first = ARENA_ARRAY(c, c->n_channels + 1, uint32_t);
	for (uint32_t i = 0; i < c->n_channels && (going = going && !progress_cancelled(p)); i++) {
		c->first[i] = c->n_deps;
		list_deps(j, c, i, number, &cap_to);
	}
	c->first[c->n_channels] = c->n_deps;
	if (going)
		return c;
	arena_free(c);
	return NULL;
}

/* The graph of one side, or of both and everything between.  NULL: cancelled. */
static struct cdg *transition_credit_make_graph(struct joint *j, unsigned sides, struct progress *p)
{
	unsigned top = j->t->b->lids->max_lid;
	struct cdg *c = NULL;
	bool going = true;

	j->sides = sides;
	progress_start(p, "channel dependencies of old and new routes", top);
	for (unsigned lid = 1; lid <= top && going; lid++) {
		transition_credit_one_lid(j, lid);
		going = progress_step(p, lid);
	}
	if (going)
		c = number_channels(j, p);
	for (unsigned k = 0; k < CDG_VLS * CDG_VLS; k++) {
		free(j->matrix[k / CDG_VLS][k % CDG_VLS]);
		j->matrix[k / CDG_VLS][k % CDG_VLS] = NULL;
	}
	if (c && !cdg_find_components(c, p)) {
		arena_free(c);
		c = NULL;
	}
	return c;
}

/* --- can one mix make a circle? ------------------------------------------------------------------ */

struct transition_credit_search {
	struct transition *result; /* owns need[] */
	const struct joint *j;
	const struct cdg *c;
	struct progress *p;
	const uint8_t *may_loop;	 /* by LID */
	uint32_t component, start, most; /* most: channels of a circle */
	uint32_t *on, n_on;		 /* the circle so far */
	uint16_t *lid;			 /* of the packets on each that wait for the next */
	uint8_t *used;			 /* [n_channels] */
	struct mix_need *need;		 /* what the mix must have for it */
	uint32_t n_need, cap_need;
	uint64_t steps;
	bool given_up, cancelled;
};

/* Ways to make one dependency are tried: routes of a LID that pass both channels, from their sources on. */
struct making {
	uint32_t from, to; /* channels */
	unsigned lid;
	uint32_t owner;
	uint32_t *sw, n;   /* the route backwards: the switch between the channels, that before, ... */
	uint8_t *out;	   /* of the route backwards: ports out */
	bool nothing_more; /* only ways that need nothing more of the mix */
	bool done;	   /* such a way was found, and others are no better */
	uint32_t base;	   /* needs before */
	uint64_t tried[MOST_TRIED];
	unsigned n_tried;
};

static bool circle_on(struct transition_credit_search *s);

static bool out_of_steps(struct transition_credit_search *s)
{
	if (!(++s->steps & 0xfff) && progress_cancelled(s->p))
		s->cancelled = s->given_up = true;
	if (s->steps > SEARCH_STEPS)
		s->given_up = true;
	return s->given_up;
}

static bool need(struct transition_credit_search *s, const struct making *m, struct mix_need what)
{
	for (uint32_t i = 0; i < s->n_need; i++)
		if (s->need[i].sw == what.sw && s->need[i].block == what.block && s->need[i].in == what.in &&
		    s->need[i].out == what.out)
			return s->need[i].now == what.now;
	if (m->nothing_more)
		return false;
	ARENA_GROW(s->result, s->need, s->n_need, s->cap_need);
	s->need[s->n_need++] = what;
	return true;
}

/* Which sides of a switch lead the LID out by a port?  The mix must have one of them: bit 0 old, bit 1
 * new. */
static unsigned sides_out(const struct transition_credit_search *s, uint32_t sw, unsigned lid, unsigned out)
{
	return (transition_credit_entry(s->j, sw, false, lid) == out ? 1u : 0) |
	       (transition_credit_entry(s->j, sw, true, lid) == out ? 2u : 0);
}

static bool need_entry(struct transition_credit_search *s, const struct making *m, uint32_t sw,
		       unsigned sides)
{
	return sides == 3 ||
	       need(s, m,
		    (struct mix_need){.sw = sw, .block = (uint16_t)(m->lid / LFT_BLOCK), .now = sides == 2});
}

/* At switch i of the route the packet must go on, and on the two channels on their VLs. */
static bool need_vl(struct transition_credit_search *s, const struct making *m, uint32_t i, unsigned in,
		    unsigned sl)
{
	uint32_t sw = m->sw[i];
	unsigned out = m->out[i], sides = 0;

	for (unsigned now = 0; now < 2; now++) {
		unsigned vl = transition_credit_vl_of(s->j, now, sw, in, out, sl);

		sides |= (i < 2 ? vl == s->c->vl[i ? m->from : m->to] : vl != CDG_DROP_VL) << now;
	}
	return sides == 3 || (sides && need(s, m,
					    (struct mix_need){.sw = sw,
							      .block = MIX_NEEDS_MAP,
							      .in = (uint8_t)in,
							      .out = (uint8_t)out,
							      .now = sides == 2}));
}

/* The dependency can be: go on with the next. */
static bool made(struct transition_credit_search *s, struct making *m)
{
	uint64_t hash = 0;

	for (uint32_t i = m->base; i < s->n_need; i++) {
		const struct mix_need *w = &s->need[i];

		hash ^= mix(mix(mix(w->sw + 1, w->block), w->in << 9 | w->out << 1 | w->now), 1);
	}
	for (unsigned i = 0; i < m->n_tried; i++)
		if (m->tried[i] == hash)
			return false;
	if (m->n_tried < MOST_TRIED)
		m->tried[m->n_tried++] = hash;
	m->done = s->n_need == m->base;
	s->lid[s->n_on - 1] = (uint16_t)m->lid;
	if (m->to == s->start)
		return true;
	s->on[s->n_on++] = m->to;
	s->used[m->to] = 1;
	bool found = circle_on(s);
	if (!found) {
		s->n_on--;
		s->used[m->to] = 0;
	}
	return found;
}

static bool on_route(const struct making *m, uint32_t sw)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (m->sw[i] == sw)
			return true;
	return false;
}

/* The packet must end: it is followed from a switch on. */
static bool ends(struct transition_credit_search *s, struct making *m, uint32_t sw)
{
	uint32_t mark = s->n_need;
	bool found = false;

	if (out_of_steps(s) || on_route(m, sw))
		return false;
	m->sw[m->n++] = sw;
	for (unsigned now = 0; now < 2 && !found && !m->done; now++) {
		unsigned out = transition_credit_entry(s->j, sw, now, m->lid),
			 sides = sides_out(s, sw, m->lid, out);

		if ((sides == 3 && !now) || !need_entry(s, m, sw, sides))
			continue;
		uint32_t next = mix_next(s->j->topo, sw, out, m->owner);
		found = next >= TO_HOST ? made(s, m) : ends(s, m, next);
		if (!found)
			s->n_need = mark;
	}
	m->n--;
	return found;
}

/* A source sends on an SL: do the VLs fit? */
static bool transition_credit_fits(struct transition_credit_search *s, const struct making *m, unsigned in,
				   unsigned sl)
{
	const struct joint *j = s->j;

	for (uint32_t i = m->n; i-- > 0;) {
		if (!need_vl(s, m, i, in, sl))
			return false;
		in = j->f->port_num[j->topo->peer[switch_port_id(j->f, m->sw[i], m->out[i])]];
	}
	return true;
}

/* The route begins here, or at a switch from which it comes. */
static bool transition_credit_begins(struct transition_credit_search *s, struct making *m)
{
	const struct joint *j = s->j;
	uint32_t sw = m->sw[m->n - 1], mark = s->n_need;
	unsigned sides = j->first[sw] < j->first[sw + 1] ? sides_with_sl(j, sw, m->lid) : 0;
	bool enough = false;

	if (out_of_steps(s))
		return false;
	for (uint32_t i = j->first[sw]; sides && i < j->first[sw + 1]; i++) {
		const struct sender *by = &j->sender[i];
		unsigned sls = by->endport == m->owner ? 0 : sls_of(j, by, m->lid, sides);

		for (unsigned sl = 0; sl < 16 && !enough; sl++) {
			if (sls >> sl & 1 && transition_credit_fits(s, m, by->in, sl)) {
				enough = s->n_need == mark;
				if (s->may_loop[m->lid] ? ends(s, m, j->topo->peer_switch[s->c->port[m->to]])
							: made(s, m))
					return true;
			}
			s->n_need = mark;
		}
		if (enough || (j->alike && by->endport != m->owner))
			break;
	}
	for (unsigned in = 1; !enough && !m->done && !s->given_up && in <= j->f->switch_nports[sw]; in++) {
		uint32_t peer = j->topo->peer[switch_port_id(j->f, sw, in)],
			 from = peer == NO_ID ? NO_ID : j->f->node_switch[j->f->port_node[peer]];
		unsigned out = peer == NO_ID ? 0 : j->f->port_num[peer],
			 by = from == NO_ID ? 0 : sides_out(s, from, m->lid, out);

		if (by && !on_route(m, from) && need_entry(s, m, from, by)) {
			m->out[m->n] = (uint8_t)out;
			m->sw[m->n++] = from;
			if (transition_credit_begins(s, m))
				return true;
			m->n--;
		}
		s->n_need = mark;
	}
	return false;
}

/* Packets of which LID can wait on one channel for the next? */
static bool make(struct transition_credit_search *s, uint32_t from, uint32_t to)
{
	const struct joint *j = s->j;
	const struct routing *b = j->t->b;
	uint32_t sw = j->topo->peer_switch[s->c->port[from]],
		 before = j->f->node_switch[j->f->port_node[s->c->port[from]]];
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct making m = {.from = from, .to = to, .base = s->n_need};
	bool found = false;

	m.sw = ARENA_ARRAY(arena, j->n + 1, uint32_t);
	m.out = ARENA_ARRAY(arena, j->n + 1, uint8_t);
	for (unsigned pass = 0; pass < 2 && !found && !m.done; pass++) {
		m.nothing_more = !pass;
		for (m.lid = 1; m.lid <= b->lids->max_lid && !found && !m.done && !out_of_steps(s); m.lid++) {
			unsigned x = sides_out(s, before, m.lid, j->f->port_num[s->c->port[from]]),
				 y = x ? sides_out(s, sw, m.lid, j->f->port_num[s->c->port[to]]) : 0;

			m.owner = y ? mix_owner(b, m.lid) : NO_ID;
			if (m.owner == NO_ID)
				continue;
			m.sw[0] = sw;
			m.out[0] = j->f->port_num[s->c->port[to]];
			m.sw[1] = before;
			m.out[1] = j->f->port_num[s->c->port[from]];
			m.n = 2;
			found = need_entry(s, &m, sw, y) && need_entry(s, &m, before, x) &&
				transition_credit_begins(s, &m);
			if (!found)
				s->n_need = m.base;
		}
	}
	return found;
}

/* From the last channel of the circle so far to the next ones. */
static bool circle_on(struct transition_credit_search *s)
{
	uint32_t last = s->on[s->n_on - 1];

	for (uint32_t i = s->c->first[last]; i < s->c->first[last + 1] && !out_of_steps(s); i++) {
		uint32_t to = s->c->to[i];

		/* circles through a smaller channel were sought from that one */
		if (s->c->component[to] != s->component || to < s->start ||
		    (to != s->start && (s->used[to] || s->n_on == s->most)))
			continue;
		if (make(s, last, to))
			return true;
	}
	return false;
}

static bool transition_credit_search(struct transition_credit_search *s, uint32_t most)
{
	s->most = most;
	for (s->start = 0; s->start < s->c->n_channels && !s->given_up; s->start++) {
		if (s->c->component[s->start] != s->component)
			continue;
		s->n_need = 0;
		s->n_on = 1;
		s->on[0] = s->start;
		if (circle_on(s))
			return true;
	}
	return false;
}

/* --- the verdict ------------------------------------------------------------------------------------ */

/* Show a circle; without needs: whether a mix makes it is not known, or none does. */
static void transition_credit_show(void *arena, struct mix_credit *to, const struct cdg *c,
				   const uint32_t *on, uint32_t n, const uint16_t *lid)
{
	arena_free(to->circle);
	to->circle = ARENA_ARRAY(arena, n, struct mix_channel);
	to->n = n;
	for (uint32_t i = 0; i < n; i++)
		to->circle[i] = (struct mix_channel){c->port[on[i]], c->vl[on[i]], lid ? lid[i] : 0};
}

/* Components that have a circle of one side alone. */
static void mark_before(const struct cdg *c, const struct cdg *side, uint8_t *before, uint8_t bit)
{
	for (uint32_t i = 0; i < side->n_channels; i++) {
		uint32_t v = side->component[i] == NO_ID ? NO_ID : cdg_find(c, side->port[i], side->vl[i]);

		if (v != NO_ID && c->component[v] != NO_ID)
			before[c->component[v]] |= bit;
	}
}

static bool transition_credit_judge(struct transition *t, const struct joint *j, const struct cdg *c,
				    const uint8_t *before, struct progress *p)
{
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct mix_credit *to = &t->credit;
	uint8_t *may_loop = ARENA_ARRAY(arena, j->t->b->lids->max_lid + 1u, uint8_t);
	struct transition_credit_search s = {.result = t,
					     .j = j,
					     .c = c,
					     .p = p,
					     .may_loop = may_loop,
					     .on = ARENA_ARRAY(arena, c->n_channels + 1, uint32_t),
					     .lid = ARENA_ARRAY(arena, c->n_channels + 1, uint16_t),
					     .used = ARENA_ARRAY(arena, c->n_channels + 1, uint8_t)};
	uint32_t *shortest = ARENA_ARRAY(arena, c->n_channels + 1, uint32_t);

	for (uint32_t i = 0; i < j->t->n_lids; i++)
		may_loop[j->t->lid[i].lid] = j->t->lid[i].loops > 0;
	for (uint32_t i = 0; i < c->n_components; i++) {
		to->old |= (before[i] & OLD) != 0;
		to->now |= (before[i] & NEW_ONE) != 0;
	}
	for (s.component = 0; s.component < c->n_components && to->found != CREDIT_MADE && !s.cancelled;
	     s.component++) {
		if (before[s.component])
			continue;
		uint32_t n = cdg_cycle(c, s.component, shortest, p);
		s.cancelled |= !n;
		if (n && (transition_credit_search(&s, n) ||
			  (n < c->size[s.component] && transition_credit_search(&s, c->size[s.component])))) {
			to->found = CREDIT_MADE;
			transition_credit_show(t, to, c, s.on, s.n_on, s.lid);
			to->need = s.need;
			to->n_need = s.n_need;
		} else if (n && to->found < (s.given_up ? CREDIT_UNKNOWN : CREDIT_NOT_MADE)) {
			to->found = s.given_up ? CREDIT_UNKNOWN : CREDIT_NOT_MADE;
			transition_credit_show(t, to, c, shortest, n, NULL);
		}
	}
	return !s.cancelled;
}

bool transition_credit(struct transition *t, struct progress *p)
{
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct joint j = {.arena = arena};
	AUTO_FREE uint8_t *before = NULL;

	joint_start(&j, t);
	struct cdg *c = transition_credit_make_graph(&j, BOTH, p);
	bool going = c != NULL;
	if (going && c->n_components) {
		before = NEW_ARRAY(c->n_components, uint8_t);
		for (unsigned k = OLD; k <= NEW_ONE && going; k++) {
			struct cdg *side = transition_credit_make_graph(&j, k, p);
			going = side != NULL;
			if (going)
				mark_before(c, side, before, (uint8_t)k);
			arena_free(side);
		}
		j.sides = BOTH;
		going = going && transition_credit_judge(t, &j, c, before, p);
	}
	arena_free(c);
	return going;
}
