/* torus-2QoS: the steps of a run, forwarding tables, and what is recorded. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cursor.h"
#include "core/base/defs.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "engines/torus/torus.h"

/* Forwarding tables (engines/doc/torus-2qos.md section 7). */

/* The group of the shorter way to c; if both ways are equally long, the one that does not wrap around. */
static unsigned preferred(unsigned d, uint32_t s, uint32_t c, uint32_t radix)
{
	return 2 * d + ((s < c) != (torus_crosses(s, c, radix) != 0));
}

/* The group to take in one dimension, or TORUS_NO_GROUP. turn: the member at the turning point. */
static unsigned hop_group(const struct torus *t, const struct torus_member *a, unsigned d, uint32_t c,
			  uint32_t turn)
{
	uint32_t radix = t->conf.radix[d], low = a->low[d];
	unsigned g = preferred(d, a->at[d], c, radix);

	if (turn != NO_ID && low == TORUS_COMPLETE)
		return g;
	/* A line that can be routed has at most one gap, below `low`: one way leads to the turning point. */
	if (turn != NO_ID)
		return 2 * d + ((c + radix - low) % radix > (a->at[d] + radix - low) % radix);
	return d < 2 && a->count[g] ? g : TORUS_NO_GROUP;
}

/* The member at the turning point of dimension d between two members. Any member, if none is missing. */
static uint32_t turning_point(const struct torus *t, const struct torus_member *s,
			      const struct torus_member *e, unsigned d)
{
	unsigned c[TORUS_DIMS] = {s->at[0], s->at[1], s->at[2]};

	if (t->n == t->n_places)
		return 0;
	c[d] = e->at[d];
	return torus_at(t, c);
}

/* The group for a packet at s to e, or TORUS_NO_GROUP. *d: its dimension. *blocked: dimensions skipped. */
static inline unsigned next_group(const struct torus *t, const struct torus_member *s,
				  const struct torus_member *e, unsigned *d, unsigned *blocked)
{
	for (*d = 0; *d < TORUS_DIMS; ++*d) {
		if (s->at[*d] == e->at[*d])
			continue;
		unsigned g = hop_group(t, s, *d, e->at[*d], turning_point(t, s, e, *d));
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

	if (g == TORUS_NO_GROUP)
		return step;
	uint32_t from = s->at[d], to = e->at[d], radix = t->conf.radix[d];
	uint32_t apart = from > to ? from - to : to - from;
	if (turning_point(t, s, e, d) == NO_ID)
		step.why = TORUS_INTO_GAP;
	else if (t->conf.open[d])
		step.why = TORUS_STRAIGHT;
	else if (g != preferred(d, from, to, radix))
		step.why = TORUS_DETOUR;
	else
		step.why = 2 * apart == radix ? TORUS_TIE : TORUS_SHORTER;
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

/* Lists the end points by port order, after discovery. */
static void torus_list_ends(struct torus_run *r)
{
	struct torus *t = r->t;
	const struct topo *tp = r->in->topo;
	const struct fabric *f = tp->fabric;
	uint32_t n = 0;

	for (uint32_t m = 0; m < t->n; m++)
		n += t->member[m].count[TORUS_LOCAL];
	t->end = NEW_ARRAY(n, struct torus_end);
	t->first = NEW_ARRAY(t->n + 1, uint32_t);
	n = 0;
	for (uint32_t m = 0; m < t->n; m++) {
		uint32_t sw = t->member[m].sw;

		t->first[m] = n;
		/* the first ports of the order are all ports of a switch: torus_verify() */
		for (unsigned i = 0; i < TORUS_PORTS && i <= f->switch_nports[sw]; i++) {
			unsigned p = t->conf.port_order[i];
			uint32_t port = switch_port_id(f, sw, p);

			if (t->group[port] != TORUS_LOCAL)
				continue;
			uint32_t ep = f->port_endport[p ? tp->peer[port] : port];
			t->end[n] =
				(struct torus_end){.endport = ep, .port = (uint8_t)p, .is_switch = p == 0};
			if (ep != NO_ID)
				t->end[n].lid = r->in->lids->base[ep];
			t->end[n].lids = t->end[n].lid ? r->in->lids->count[ep] : 0;
			n++;
		}
	}
	t->first[t->n] = n;
}

/* --- filling ------------------------------------------------------------------------------------- */

/*
 * Where the next route goes in the port lists of one switch's groups ([0] CAs, [1] switches), and routes so
 * far for those who ask or record.
 */
struct cursors {
	uint8_t at[2][TORUS_GROUPS];
	uint32_t used[2][TORUS_GROUPS];
};

struct torus_tables_filling {
	struct torus_run *r;
	uint32_t a, b; /* members: the one whose table is filled, and the destination */
	const struct torus_member *m;
	struct lft_row *row;
	struct cursors cur;
};

static inline void store(struct lft_row *row, const struct torus_end *e, unsigned port)
{
	if (e->lids == 1)
		row->port[e->lid] = (uint8_t)port;
	else
		memset(&row->port[e->lid], (int)port, e->lids);
}

/* Fills the entries for all end points of member b. group: the way there, or TORUS_LOCAL. */
static void fill_member(struct torus_tables_filling *x, unsigned group)
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
		for (; e < end; e++) { /* deal to the ports in turn */
			uint8_t *at = &x->cur.at[e->is_switch][group];

			store(x->row, e, x->m->port[group][*at]);
			*at = *at + 1 < x->m->count[group] ? *at + 1 : 0;
		}
}

static void torus_record_choice(const struct torus_dealt *x, unsigned lid, unsigned port)
{
	struct recorder *k = x->run->in->record;
	uint32_t sw = x->run->t->member[x->a].sw;

	rec_event(k, REC_CHOICE,
		  x->step ? torus_rule(x->step)
		  : port  ? WHY_ATTACHED
			  : WHY_OWN_LID,
		  port, sw, lid);
	rec_delta(k, T_ENTRY, sw * (x->run->in->lids->max_lid + 1u) + lid, NO_PATH, port);
	if (x->links < 2)
		return;
	rec_extra(k, x->links);
	rec_extra(k, x->used);
}

static void tell_member(struct torus_tables_filling *x)
{
	const struct torus *t = x->r->t;
	struct recorder *k = x->r->in->record;
	struct torus_step s = {0};

	if (x->a != x->b)
		s = torus_next(t, x->a, x->b);
	if (RECORDED(x->r->in) && x->a != x->b && rec_wants(k, REC_HOP, t->member[x->a].sw, 0))
		rec_event(k, REC_HOP, torus_rule(&s), 0, t->member[x->a].sw, t->member[x->b].sw);
	for (const struct torus_end *e = t->end + t->first[x->b]; e < t->end + t->first[x->b + 1]; e++) {
		struct torus_dealt dealt = {.run = x->r, .a = x->a, .b = x->b, .end = e};

		if (x->a != x->b) {
			dealt.step = &s;
			dealt.links = x->m->count[s.group];
			dealt.used = x->cur.used[e->is_switch][s.group]++;
		}
		for (unsigned lid = e->lid; lid < e->lid + e->lids; lid++) {
			if (ASKED(x->r->in))
				torus_tell_choice(&dealt, lid, x->row->port[lid]);
			if (RECORDED(x->r->in))
				torus_record_choice(&dealt, lid, x->row->port[lid]);
		}
	}
}

static int torus_tables_fill_row(struct torus_run *r, uint32_t a, struct lft_row *row)
{
	const struct torus *t = r->t;
	struct torus_tables_filling x = {.r = r, .a = a, .m = &t->member[a], .row = row};

	for (x.b = 0; x.b < t->n; x.b++) {
		unsigned d, blocked = 0, group = TORUS_LOCAL;

		if (x.b != a)
			group = next_group(t, x.m, &t->member[x.b], &d, &blocked);
		if (group == TORUS_NO_GROUP)
			return err_set(&r->out->refused, "no way leads from %s to %s (ERR 4E39)",
				       torus_name(t, a), torus_name(t, x.b));
		fill_member(&x, group);
		if (ASKED(r->in) || RECORDED(r->in))
			tell_member(&x);
	}
	if (RECORDED(r->in))
		rec_event(r->in->record, REC_TABLE, 0, 0, t->member[a].sw, 0);
	return 0;
}

/* --- a torus without missing switches ---------------------------------------------------------- */

/* An entry of a whole torus: its LID, and the number of its place in planes of equal x, then by z and y. */
struct torus_tables_spot {
	uint16_t lid, at;
};

/* What fills a whole torus. */
struct whole {
	struct torus_run *r;
	struct routing *routing;
	uint16_t *at;			  /* [max_lid + 1] spot of each LID; n_places: outside */
	struct torus_tables_spot *spot;	  /* of all LIDs, by x */
	uint32_t *first;		  /* [radix of x + 1] spots of each x */
	const struct torus_member **last; /* [radix of x] the last one there whose row fill_single() made */
	uint8_t *to;			  /* [n_places] group or port to each spot */
	bool twice;			  /* a LID is that of several end points: the last one counts */
};

static uint32_t torus_tables_spot_of(const struct torus *t, const uint32_t c[TORUS_DIMS])
{
	return (c[0] * t->conf.radix[2] + c[2]) * t->conf.radix[1] + c[1];
}

/* value[] of the groups to all spots, or to those of equal x only. */
static void values_by_spot(const struct torus *t, const struct torus_member *m, const uint8_t *value,
			   bool in_plane, uint8_t *to)
{
	const unsigned *radix = t->conf.radix;
	size_t line = radix[1], plane = line * radix[2];
	uint8_t *own = to + m->at[0] * plane;

	for (unsigned x = 0; x < radix[0] && !in_plane; x++)
		if (x != m->at[0])
			memset(to + x * plane, value[hop_group(t, m, 0, x, 0)], plane);
	for (unsigned y = 0; y < radix[1]; y++)
		own[y] = value[hop_group(t, m, 1, y, 0)];
	for (unsigned z = 1; z < radix[2]; z++)
		memcpy(own + z * line, own, line);
	for (unsigned z = 0; z < radix[2]; z++)
		own[z * line + m->at[1]] = value[z == m->at[2] ? TORUS_LOCAL : hop_group(t, m, 2, z, 0)];
}

static void whole_start(struct whole *w, struct torus_run *r, struct routing *routing)
{
	const struct torus *t = r->t;
	uint32_t n = r->in->lids->max_lid + 1u, width = t->conf.radix[0],
		 plane = t->conf.radix[1] * t->conf.radix[2];

	*w = (struct whole){.r = r,
			    .routing = routing,
			    .at = NEW_ARRAY(n, uint16_t),
			    .spot = NEW_ARRAY(n, struct torus_tables_spot),
			    .first = NEW_ARRAY(width + 1, uint32_t),
			    .last = NEW_ARRAY(width, const struct torus_member *),
			    .to = NEW_ARRAY(t->n_places, uint8_t)};
	for (unsigned lid = 0; lid < n; lid++)
		w->at[lid] = (uint16_t)t->n_places;
	for (uint32_t m = 0; m < t->n; m++)
		for (const struct torus_end *e = t->end + t->first[m]; e < t->end + t->first[m + 1]; e++)
			for (unsigned lid = e->lid; lid < e->lid + e->lids; lid++) {
				w->twice |= w->at[lid] != t->n_places;
				w->at[lid] = (uint16_t)torus_tables_spot_of(t, t->member[m].at);
			}
	for (uint32_t lid = 0; lid < n; lid++)
		if (w->at[lid] != t->n_places)
			w->first[w->at[lid] / plane]++;
	for (uint32_t x = 1; x <= width; x++)
		w->first[x] += w->first[x - 1];
	for (uint32_t lid = n; lid-- > 0;)
		if (w->at[lid] != t->n_places)
			w->spot[--w->first[w->at[lid] / plane]] =
				(struct torus_tables_spot){(uint16_t)lid, w->at[lid]};
}

/*
 * No group has several links: the port follows from the spot.  Entries that lead along x are those of the row
 * before for a switch of the same x, if it has the same ports and gaps along x.
 */
static void fill_single(struct whole *w, const struct torus_member *m, struct lft_row *row)
{
	const struct torus *t = w->r->t;
	const struct torus_member *last = w->last[m->at[0]];
	const struct torus_tables_spot *s = w->spot, *end = s + w->first[t->conf.radix[0]];
	uint8_t port[TORUS_GROUPS], *restrict to = w->to, *restrict out = row->port;
	uint32_t own = torus_tables_spot_of(t, m->at), a = t->of[m->sw];
	bool alike = last && last->port[0][0] == m->port[0][0] && last->port[1][0] == m->port[1][0] &&
		     last->low[0] == m->low[0];

	if (alike) {
		memcpy(out, w->routing->row[last->sw]->port, row->top + 1u);
		end = s + w->first[m->at[0] + 1];
		s += w->first[m->at[0]];
	}
	w->last[m->at[0]] = m;
	for (unsigned g = 0; g < TORUS_GROUPS; g++)
		port[g] = m->port[g][0];
	values_by_spot(t, m, port, alike, to);
	for (; s < end; s++)
		out[s->lid] = to[s->at];
	for (const struct torus_end *e = t->end + t->first[a]; e < t->end + t->first[a + 1]; e++)
		for (unsigned lid = e->lid; lid < e->lid + e->lids; lid++)
			if (w->at[lid] == own)
				out[lid] = e->port;
}

static void fill_whole(struct whole *w, uint32_t a, struct lft_row *row)
{
	const struct torus *t = w->r->t;
	struct torus_tables_filling x = {.r = w->r, .a = a, .m = &t->member[a], .row = row};
	uint8_t group[TORUS_GROUPS];
	bool single = true;

	for (unsigned g = 0; g < TORUS_LOCAL; g++)
		single &= x.m->count[g] <= 1;
	if (single) {
		fill_single(w, x.m, row);
		return;
	}
	for (unsigned g = 0; g < TORUS_GROUPS; g++)
		group[g] = (uint8_t)g;
	values_by_spot(t, x.m, group, false, w->to);
	for (x.b = 0; x.b < t->n; x.b++)
		fill_member(&x, w->to[torus_tables_spot_of(t, t->member[x.b].at)]);
}

static bool same_ends(const struct torus *t, uint32_t m, const struct torus *old, uint32_t n)
{
	uint32_t ends = t->first[m + 1] - t->first[m];
	const struct torus_end *a = t->end + t->first[m], *b = old->end + old->first[n];
	bool same = ends == old->first[n + 1] - old->first[n];

	for (uint32_t i = 0; same && i < ends; i++)
		same = a[i].lid == b[i].lid && a[i].lids == b[i].lids && a[i].port == b[i].port &&
		       a[i].is_switch == b[i].is_switch;
	return same;
}

/*
 * Is the torus the same as in the run before, except for links?  Then a row follows from the links of its
 * switch, and from the gaps of its lines (torus_tables_kept()).  *order: switches were found in the same
 * order, too.
 */
static bool same_places(const struct whole *w, const struct torus *old, bool *order)
{
	const struct torus *t = w->r->t;
	bool same = !w->twice && old->n == old->n_places &&
		    w->r->in->lids->max_lid == w->r->in->previous->lids->max_lid &&
		    !memcmp(t->conf.radix, old->conf.radix, sizeof(old->conf.radix));

	*order = true;
	for (uint32_t i = 0; same && i < t->n_places; i++) {
		uint32_t m = t->at[i], n = old->at[i];

		same = t->member[m].sw == old->member[n].sw && same_ends(t, m, old, n);
		*order &= m == n;
	}
	return same;
}

/* order: only then routes are dealt to several links as before. */
static bool torus_tables_kept(const struct torus_member *m, const struct torus_member *old, bool order)
{
	bool same = !memcmp(m->low, old->low, sizeof(old->low));

	for (unsigned g = 0; same && g < TORUS_LOCAL; g++)
		same = m->count[g] == old->count[g] && (order || m->count[g] <= 1) &&
		       !memcmp(m->port[g], old->port[g], m->count[g]);
	return same;
}

/* --- all --------------------------------------------------------------------------------------- */

static int fill_member_row(struct torus_run *r, struct whole *w, uint32_t a, struct routing *routing)
{
	uint32_t sw = r->t->member[a].sw;

	assert(!routing->row[sw]);
	routing->row[sw] = lft_row_new(r->in->lids->max_lid);
	if (!w->at)
		return torus_tables_fill_row(r, a, routing->row[sw]);
	fill_whole(w, a, routing->row[sw]);
	return 0;
}

static int torus_fill(struct torus_run *r, struct routing *routing)
{
	const struct engine_input *in = r->in;
	const struct topo *topo = in->topo;
	const struct torus *t = r->t, *old;
	struct whole w = {.r = r};
	bool order = false;
	int rc = 0;

	rec_phase(in, "forwarding tables");
	for (uint32_t sw = 0; sw < topo->fabric->n_switches; sw++)
		if (switch_up(topo, sw) && t->of[sw] == NO_ID)
			routing->row[sw] = lft_row_new(in->lids->max_lid);
	if (t->n == t->n_places && t->n <= UINT16_MAX && !ASKED(in) && !RECORDED(in))
		whole_start(&w, r, routing);
	old = w.at && in->previous && in->previous->topo->fabric == topo->fabric ? torus_of(in->previous)
										 : NULL;
	if (old && !same_places(&w, old, &order))
		old = NULL;
	progress_start(in->progress, "forwarding tables", t->n);
	for (uint32_t a = 0; a < t->n && !rc; a++) {
		const struct torus_member *m = &t->member[a];

		if (!progress_step(in->progress, a))
			rc = err_set(&r->out->refused, CANCELLED);
		else if (old && torus_tables_kept(m, &old->member[old->of[m->sw]], order))
			routing_share_row(routing, in->previous, m->sw);
		else
			rc = fill_member_row(r, &w, a, routing);
	}
	FREE_EACH(w.at, w.spot, w.first, w.last, w.to);
	if (ASKED(in) && !rc)
		torus_tell_outside(r);
	return rc;
}

void torus_record_seed(struct torus_run *r, unsigned seed, bool usable, uint64_t missing)
{
	rec_event(r->in->record, REC_SEED, !usable, 0, seed, 0);
	if (usable)
		return;
	rec_extra(r->in->record, (uint32_t)(missing >> 32));
	rec_extra(r->in->record, (uint32_t)missing);
}

void torus_record_cell(struct torus_run *r, uint32_t place, enum torus_cell what, uint32_t word,
		       const uint32_t *asked, unsigned n)
{
	rec_event(r->in->record, REC_CELL, what, 0, place, 0);
	rec_extra(r->in->record, word);
	for (unsigned i = 0; i < n; i++)
		rec_extra(r->in->record, asked[i]);
}

void torus_record_place(struct torus_run *r, uint32_t place, uint32_t sw, enum torus_how how,
			const uint32_t *found, unsigned n)
{
	rec_cells(r->in->record, T_PLACE, r->t->n_places);
	rec_event(r->in->record, REC_PLACE, how, 0, sw, 0);
	rec_delta(r->in->record, T_PLACE, place, NO_ID, sw);
	for (unsigned i = 0; i < n; i++)
		rec_extra(r->in->record, found[i]);
}

void torus_record_link(struct torus_run *r, uint32_t port, uint32_t peer, unsigned d, uint32_t lower,
		       uint32_t upper)
{
	struct recorder *k = r->in->record;

	rec_event(k, REC_LINK, 0, r->in->topo->fabric->port_num[port], r->t->member[lower].sw, 0);
	rec_extra(k, peer);
	rec_extra(k, d);
	rec_extra(k, lower);
	rec_extra(k, upper);
	rec_extra(k, r->t->member[lower].count[2 * d + 1]);
}

void torus_record_ends(struct torus_run *r, uint32_t member)
{
	rec_event(r->in->record, REC_ENDS, 0, 0, r->t->member[member].sw, 0);
	rec_extra(r->in->record, member);
}

void torus_record_line(struct torus_run *r, const unsigned c[TORUS_DIMS], unsigned d, bool gap)
{
	const struct torus *t = r->t;
	unsigned at[TORUS_DIMS] = {c[0], c[1], c[2]};
	uint32_t m = NO_ID;

	if (t->conf.radix[d] < 2)
		return;
	for (at[d] = 0; at[d] < t->conf.radix[d] && m == NO_ID; at[d]++)
		m = torus_at(t, at);
	if (m == NO_ID)
		return;
	rec_event(r->in->record, REC_RING,
		  t->conf.open[d] ? TORUS_OPEN
		  : gap		  ? TORUS_BROKEN
				  : TORUS_WHOLE,
		  d, t->member[m].sw, 0);
	rec_extra(r->in->record, torus_place(t, c));
}

void torus_record_span(struct torus_run *r, uint32_t reached)
{
	rec_event(r->in->record, REC_SPAN, 0, 0, r->t->member[r->t->root].sw, 0);
	rec_extra(r->in->record, reached);
}

/* torus-2QoS: the steps of a run. */

static int read_conf(struct torus_run *r)
{
	const char *path = options_file(r->in->options, "torus_config");
	AUTO_TEXT struct text errors = {0};
	struct err e;
	AUTO_FREE char *data = NULL;
	size_t size;

	if (!path)
		return err_set(&r->out->refused,
			       "no torus_config is given, expected the name of a file (ERR 4E11)");
	if (read_small_file(path, r->in->progress, &data, &size, &e))
		return err_set(&r->out->refused, "torus_config: %.400s (ERR 4E11)", e.msg);
	unsigned bad = torus_conf_parse(&r->t->conf, path, data, size, &errors);
	int len = (int)strcspn(text_str(&errors), "\n"); /* only the first line */
	len = MIN(len, 400);
	if (bad == 1)
		err_set(&r->out->refused, "%.*s (ERR 4E13)", len, text_str(&errors));
	else if (bad)
		err_set(&r->out->refused, "%.*s, and %u more lines in error (ERR 4E13)", len,
			text_str(&errors), bad - 1);
	if (bad > 1)
		note_add(&r->out->notes, 0, "%s", text_str(&errors));
	return bad ? -1 : 0;
}

static int torus_build(struct torus_run *r, struct routing *routing)
{
	const struct torus_conf *c = &r->t->conf;

	if (!options_bool(r->in->options, "qos"))
		return err_set(&r->out->refused, "qos is FALSE; torus-2QoS needs SL-to-VL maps: `set qos "
						 "TRUE` (opensm -Q) (ERR 4E44)");
	rec_phase(r->in, "configuration and fabric");
	if (read_conf(r))
		return -1;
	if (c->line && c->line != c->first && manual_rules(r->in->options))
		return err_set(&r->out->refused,
			       "line %u comes before the torus or mesh line, which the manual wants first",
			       c->first);
	if (c->line && c->line != c->first)
		note_add(&r->out->notes, NOTE_RULES,
			 "torus-2QoS: the manual wants the torus or mesh line (%u) first; OpenSM 3.3.23 "
			 "takes it anywhere before the datelines\n",
			 c->line);
	torus_survey(r);
	if (torus_verify(r))
		return -1;
	if (r->t->seed)
		note_add(&r->out->notes, 0,
			 "torus-2QoS uses seed %u: switches of the seeds before it are missing\n",
			 r->t->seed + 1);
	if (torus_discover(r) || torus_check(r) || torus_span(r))
		return -1;
	torus_list_ends(r);
	return torus_fill(r, routing);
}

static struct routing *torus_route(const struct engine_input *in, struct engine_output *out)
{
	struct torus *t = NEW(struct torus);
	struct torus_run r = {.t = t, .in = in, .out = out};
	struct routing *routing = routing_new("torus-2QoS", in->topo, in->lids);

	t->topo = in->topo;
	t->refs = 1;
	t->root = NO_ID;
	if (RECORDED(in))
		rec_keep(in->record, torus_ref(t), torus_let_go);
	routing->ops = &torus_ops;
	routing->priv = t;
	int rc = torus_build(&r, routing);
	FREE_EACH(r.base, r.end, r.port, r.peer);
	if (!rc)
		return routing;
	routing_unref(routing);
	return NULL;
}

static const struct optdef torus_options[] = {
	{.name = "torus_config",
	 .flag = "--torus_config FILE",
	 .type = OPT_FILE,
	 .def = "/etc/opensm/torus-2QoS.conf",
	 .help = "torus-2QoS: radices and seeds, as torus-2QoS.conf(5); `torus-conf FILE` makes one"},
	{0},
};

const struct engine engine_torus = {
	.name = "torus-2QoS",
	.brief = "2D and 3D tori and meshes by dimension, around failures without credit loops",
	.reference =
		"Dally, Seitz, Deadlock-Free Message Routing, IEEE ToC 1987; torus-2QoS(8), as OpenSM 3.3.23",
	.options = torus_options,
	.route = torus_route,
	.update = torus_route, /* run.c looks at `previous` */
	.scheme = &torus_scheme,
};
