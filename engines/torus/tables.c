/* Forwarding tables (engines/doc/torus-2qos.md section 7). */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "engines/torus/internal.h"

/* --- directions ------------------------------------------------------------------------------- */

/* The group towards c without wrapping where both ways are equally long, else the shorter way. */
static unsigned preferred(unsigned d, uint32_t s, uint32_t c, uint32_t radix)
{
	return 2 * d + ((s < c) != (torus_crosses(s, c, radix) != 0));
}

/*
 * A line that can be routed has at most one gap, below the member `low`: then one
 * way alone leads to the turning point.
 */
static unsigned around_gap(const struct torus_member *m, unsigned d, uint32_t c, uint32_t radix)
{
	uint32_t low = m->low[d];

	return 2 * d + ((c + radix - low) % radix > (m->at[d] + radix - low) % radix);
}

/* Group to take in one dimension, TORUS_NO_GROUP = none; turn: member at the turning point. */
static unsigned hop_group(const struct torus *t, const struct torus_member *a, unsigned d, uint32_t c,
			  uint32_t turn)
{
	unsigned g = preferred(d, a->at[d], c, t->conf.radix[d]);

	if (turn != NO_ID)
		return a->low[d] == TORUS_COMPLETE ? g : around_gap(a, d, c, t->conf.radix[d]);
	return d < 2 && a->count[g] ? g : TORUS_NO_GROUP;
}

static enum torus_why why_of(const struct torus *t, const struct torus_member *a, unsigned d, uint32_t c,
			     unsigned g, uint32_t turn)
{
	uint32_t s = a->at[d], apart = s > c ? s - c : c - s;

	if (turn == NO_ID)
		return TORUS_INTO_GAP;
	if (g != preferred(d, s, c, t->conf.radix[d]))
		return TORUS_DETOUR;
	return 2 * apart == t->conf.radix[d] ? TORUS_TIE : TORUS_SHORTER;
}

/* The member at the turning point of dimension d between two; any when the torus has no holes. */
static uint32_t turning_point(const struct torus *t, const struct torus_member *s,
			      const struct torus_member *e, unsigned d)
{
	unsigned c[TORUS_DIMS] = {s->at[0], s->at[1], s->at[2]};

	if (t->n == t->n_places)
		return 0;
	c[d] = e->at[d];
	return torus_at(t, c);
}

/* Group for a packet at s for e from dimension *d on, TORUS_NO_GROUP = none; *d: the dimension, *blocked:
 * those passed over. */
static inline unsigned next_group(const struct torus *t, const struct torus_member *s,
				  const struct torus_member *e, unsigned *d, unsigned *blocked)
{
	for (*d = 0; *d < TORUS_DIMS; ++*d) {
		unsigned g;

		if (s->at[*d] == e->at[*d])
			continue;
		g = hop_group(t, s, *d, e->at[*d], turning_point(t, s, e, *d));
		if (g != TORUS_NO_GROUP)
			return g;
		*blocked |= 1u << *d;
	}
	return TORUS_NO_GROUP;
}

struct torus_step torus_next(const struct torus *t, uint32_t a, uint32_t b)
{
	const struct torus_member *s = &t->member[a], *e = &t->member[b];
	unsigned d, blocked = 0, g = next_group(t, s, e, &d, &blocked);
	struct torus_step step = {.dim = (uint8_t)d, .group = (uint8_t)g, .blocked = (uint8_t)blocked};

	if (g != TORUS_NO_GROUP)
		step.why = why_of(t, s, d, e->at[d], g, turning_point(t, s, e, d));
	return step;
}

unsigned torus_sl(const struct torus *t, uint32_t a, uint32_t b)
{
	unsigned sl = 0;

	for (unsigned d = 0; d < TORUS_DIMS; d++)
		sl |= torus_crosses(t->member[a].at[d], t->member[b].at[d], t->conf.radix[d]) << d;
	return sl;
}

/* --- end points ---------------------------------------------------------------------------------- */

static void add_end(struct torus_run *r, struct torus_end *e, uint32_t m, unsigned p)
{
	const struct topo *t = r->in->topo;
	uint32_t port = switch_port_id(t->fabric, r->t->member[m].sw, p),
		 ep = t->fabric->port_endport[p ? t->peer[port] : port];

	*e = (struct torus_end){.endport = ep, .port = (uint8_t)p, .is_switch = p == 0};
	if (ep == NO_ID)
		return;
	e->lid = r->in->lids->base[ep];
	e->lids = e->lid ? r->in->lids->count[ep] : 0;
}

void torus_list_ends(struct torus_run *r)
{
	struct torus *t = r->t;
	const struct fabric *f = r->in->topo->fabric;
	uint32_t n = 0;

	for (uint32_t m = 0; m < t->n; m++)
		n += t->member[m].count[TORUS_LOCAL];
	t->end = NEW_ARRAY(n, struct torus_end);
	t->first = NEW_ARRAY(t->n + 1, uint32_t);
	n = 0;
	for (uint32_t m = 0; m < t->n; m++) {
		uint32_t sw = t->member[m].sw;

		t->first[m] = n;
		for (unsigned i = 0; i < TORUS_PORTS; i++) {
			unsigned p = t->conf.port_order[i];

			if (p <= f->switch_nports[sw] && t->group[switch_port_id(f, sw, p)] == TORUS_LOCAL)
				add_end(r, &t->end[n++], m, p);
		}
	}
	t->first[t->n] = n;
}

/* --- filling ------------------------------------------------------------------------------------- */

/* Places in the ordered lists of one switch's groups where the next route goes: [0] CAs, [1] switches. */
struct cursors {
	uint8_t at[2][TORUS_GROUPS];
	uint32_t used[2][TORUS_GROUPS]; /* routes so far, for observers */
};

static const char *end_kind(const struct torus_end *e)
{
	return e->is_switch ? "switches" : "CAs and routers";
}

struct filling {
	struct torus_run *r;
	uint32_t a, b; /* at which member, for which */
	const struct torus_member *m;
	struct lft_row *row;
	struct cursors cur;
};

/* The rule of the step; then which of the links in that direction. */
static void decide_step(const struct filling *x, const struct torus_end *e, const struct torus_step *s,
			unsigned port, struct decided *d)
{
	unsigned n = x->m->count[s->group];
	uint32_t used = x->cur.used[e->is_switch][s->group];
	struct text t = {0};

	torus_why_text(x->r->t, x->a, x->b, *s, &t);
	decide(d, torus_rule(s), "%s.", text_str(&t));
	if (n > 1)
		text_add(&d->text, " Of %u links that way in turn number %u, port %u.", n, used % n + 1,
			 port);
	text_free(&t);
}

/* Against another port: a link the same way, or another direction. */
static void decide_against(const struct filling *x, const struct torus_end *e, const struct torus_step *s,
			   unsigned port, unsigned via, struct decided *d)
{
	const struct torus *t = x->r->t;
	unsigned group;

	if (via == port || via > t->topo->fabric->switch_nports[x->m->sw])
		return;
	group = t->group[switch_port_id(t->topo->fabric, x->m->sw, via)];
	if (group == s->group)
		decide(d, WHY_DEALT,
		       "A link the same way: they are taken in turn, and route %u went by port %u.",
		       x->cur.used[e->is_switch][s->group] + 1, port);
	else if (group < TORUS_LOCAL)
		decide_step(x, e, s, port, d);
}

static void tell_entry(const struct filling *x, const struct torus_end *e, unsigned lid,
		       const struct torus_step *s, unsigned port)
{
	static const char *const quantity[] = {"routes"};
	struct step_candidate c[TORUS_PORTS];
	struct step st = {.kind = STEP_CHOICE,
			  .sw = x->m->sw,
			  .sw2 = x->r->t->member[x->b].sw,
			  .lid = (uint16_t)lid,
			  .port = (uint8_t)port,
			  .old_port = NO_PATH,
			  .rule = "own port",
			  .quantity = quantity,
			  .candidate = c};
	const struct observer *o = x->r->in->observer;
	struct text t = {0};
	struct decided d = {0}, against = {0};

	if ((o->sw != NO_ID && o->sw != x->m->sw) || (o->lid && o->lid != lid))
		return;
	if (s) {
		uint32_t used = x->cur.used[e->is_switch][s->group];
		unsigned n = x->m->count[s->group];

		st.rule = s->why == TORUS_DETOUR     ? "detour"
			  : s->why == TORUS_INTO_GAP ? "before a gap"
						     : "dimension order";
		torus_why_text(x->r->t, x->a, x->b, *s, &t);
		if (n > 1)
			text_add(&t, "; link %u of %u: route %u of those to %s", used % n + 1, n, used + 1,
				 end_kind(e));
		st.n_candidates = n;
		st.n_quantities = 1;
		for (unsigned i = 0; i < n; i++) {
			uint32_t id =
				switch_port_id(x->r->in->topo->fabric, x->m->sw, x->m->port[s->group][i]);

			c[i] = (struct step_candidate){.port = x->m->port[s->group][i],
						       .peer = x->r->in->topo->peer[id]};
			c[i].q[0] = used / n + (i < used % n);
		}
		decide_step(x, e, s, port, &d);
		if (o->via && o->sw == x->m->sw)
			decide_against(x, e, s, port, o->via, &against);
	} else {
		text_add(&t, e->is_switch ? "its own LID" : "it hangs on this port");
		decide_common(x->r->in->topo, x->r->in->lids, x->m->sw, lid, port, &d);
	}
	st.text = text_str(&t);
	st.decided = d.rule ? &d : NULL;
	st.against = against.rule ? &against : NULL;
	observe(x->r->in, &st);
	decided_free(&d);
	decided_free(&against);
	text_free(&t);
}

static inline void store(struct lft_row *row, const struct torus_end *e, unsigned port)
{
	if (e->lids == 1)
		row->port[e->lid] = (uint8_t)port;
	else
		memset(&row->port[e->lid], (int)port, e->lids);
}

/* The next port of a group that has several. */
static unsigned deal(struct filling *x, const struct torus_end *e, unsigned group)
{
	uint8_t *at = &x->cur.at[e->is_switch][group];
	unsigned port = x->m->port[group][*at];

	*at = *at + 1 < x->m->count[group] ? *at + 1 : 0;
	return port;
}

static void tell_end(struct filling *x, const struct torus_end *e, const struct torus_step *s)
{
	for (unsigned i = 0; i < e->lids; i++) {
		unsigned port = x->row->port[e->lid + i];

		if (OBSERVED(x->r->in))
			tell_entry(x, e, e->lid + i, s, port);
		if (RECORDED(x->r->in))
			torus_record_choice(x->r, x->a, e->lid + i, port, s, s ? x->m->count[s->group] : 0,
					    s ? x->cur.used[e->is_switch][s->group] : 0);
	}
	if (s)
		x->cur.used[e->is_switch][s->group]++;
}

/* All end points of member b; group: the way there, TORUS_LOCAL = they are here. */
static void fill_member(struct filling *x, unsigned group)
{
	const struct torus *t = x->r->t;
	const struct torus_end *e = &t->end[t->first[x->b]], *end = &t->end[t->first[x->b + 1]];
	unsigned only = x->m->port[group][0];

	if (group == TORUS_LOCAL)
		for (; e < end; e++)
			store(x->row, e, e->port);
	else if (x->m->count[group] == 1)
		for (; e < end; e++)
			store(x->row, e, only);
	else
		for (; e < end; e++)
			store(x->row, e, deal(x, e, group));
}

static void tell_member(struct filling *x)
{
	const struct torus *t = x->r->t;
	struct torus_step s = {0};

	if (x->a != x->b)
		s = torus_next(t, x->a, x->b);
	if (RECORDED(x->r->in) && x->a != x->b)
		torus_record_hop(x->r, x->a, x->b, &s);
	for (uint32_t i = t->first[x->b]; i < t->first[x->b + 1]; i++)
		tell_end(x, &t->end[i], x->a == x->b ? NULL : &s);
}

static int fill_row(struct torus_run *r, uint32_t a, struct lft_row *row)
{
	const struct torus *t = r->t;
	struct filling x = {.r = r, .a = a, .m = &t->member[a], .row = row};

	for (x.b = 0; x.b < t->n; x.b++) {
		unsigned d, blocked = 0, group = TORUS_LOCAL;

		if (x.b != a)
			group = next_group(t, x.m, &t->member[x.b], &d, &blocked);
		if (group == TORUS_NO_GROUP)
			return err_set(&r->out->refused, "no way leads from %s to %s (ERR 4E39)",
				       torus_name(t, a), torus_name(t, x.b));
		fill_member(&x, group);
		if (OBSERVED(r->in) || RECORDED(r->in))
			tell_member(&x);
	}
	if (RECORDED(r->in))
		torus_record_row(r, a);
	return 0;
}

int torus_fill(struct torus_run *r, struct routing *routing)
{
	const struct topo *topo = r->in->topo;

	observe_text(r->in, STEP_PHASE, NO_ID, "forwarding tables");
	for (uint32_t sw = 0; sw < topo->fabric->n_switches; sw++)
		if (switch_up(topo, sw))
			routing->row[sw] = lft_row_new(r->in->lids->max_lid);
	progress_start(r->in->progress, "forwarding tables", r->t->n);
	for (uint32_t a = 0; a < r->t->n; a++) {
		if (!progress_step(r->in->progress, a))
			return err_set(&r->out->refused, CANCELLED);
		if (fill_row(r, a, routing->row[r->t->member[a].sw]))
			return -1;
	}
	return 0;
}
