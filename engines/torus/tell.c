/* torus-2QoS explained: choices, steps and pairs in words, and the tables that panes show. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/routing/paths.h"
#include "core/sm/sweep.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/walk.h"
#include "engines/say.h"
#include "engines/torus/torus.h"

/* torus-2QoS in words: choices, steps, pairs, and all layers. */

static void torus_sentences_add_way(const struct torus *t, uint32_t a, uint32_t b, struct torus_step s,
				    struct text *x)
{
	const struct torus_member *m = &t->member[a], *e = &t->member[b];
	uint32_t apart;
	char from[40], to[40];

	text_add(x, "%s to %s: ", torus_place_text(m->at, from, sizeof(from)),
		 torus_place_text(e->at, to, sizeof(to)));
	if (s.dim == TORUS_NO_DIM) {
		text_add(x, "no way");
		return;
	}
	uint32_t radix = t->conf.radix[s.dim];
	apart = m->at[s.dim] > e->at[s.dim] ? m->at[s.dim] - e->at[s.dim] : e->at[s.dim] - m->at[s.dim];
	for (unsigned d = 0; d < TORUS_DIMS; d++)
		if (s.blocked >> d & 1)
			text_add(x,
				 "%c is blocked by a missing switch, so it turns early: ", (char)('x' + d));
	text_add(x, "%s, ", torus_direction_name(s.group));
	if (s.why == TORUS_DETOUR)
		text_add(x, "because the ring has a gap the other way");
	else if (s.why == TORUS_INTO_GAP)
		text_add(x, "its next turn would be at a missing switch: it turns in front of that");
	else if (s.why == TORUS_STRAIGHT)
		text_add(x, "%s along the open line", PLURAL(apart, "step"));
	else if (s.why == TORUS_TIE)
		text_add(x, "%u steps either way: the one that does not cross the dateline", apart);
	else
		text_add(x, "%s against %u the other way", PLURAL(MIN(apart, radix - apart), "step"),
			 MAX(apart, radix - apart));
}

/* --- how an entry came about ------------------------------------------------------------------------- */

/* Explains the rule of the step, and the choice among the links in that direction. */
static void decide_step(const struct torus_dealt *x, unsigned port, struct decided *d)
{
	AUTO_TEXT struct text t = {0};

	torus_sentences_add_way(x->run->t, x->a, x->b, *x->step, &t);
	decide(d, torus_rule(x->step), "%s.", text_str(&t));
	if (x->links > 1)
		text_add(&d->text,
			 " %u links lead that way, used in turn: this route uses number %u, port %u.",
			 x->links, x->used % x->links + 1, port);
}

/* Explains the choice against another port: a parallel link, or another direction. */
static void torus_sentences_decide_against(const struct torus_dealt *x, unsigned port, unsigned via,
					   struct decided *d)
{
	const struct torus *t = x->run->t;
	const struct torus_step *s = x->step;
	uint32_t sw = t->member[x->a].sw;

	if (via == port || via > t->topo->fabric->switch_nports[sw])
		return;
	unsigned group = t->group[switch_port_id(t->topo->fabric, sw, via)];
	if (group == s->group)
		decide(d, WHY_DEALT,
		       "This link leads the same way: routes use such links in turn, and route %u uses port "
		       "%u.",
		       x->used + 1, port);
	else if (group < TORUS_LOCAL && (group / 2 == s->dim || s->blocked >> group / 2 & 1))
		decide_step(x, port, d);
	else if (group < TORUS_LOCAL)
		decide(d, WHY_DIMENSION,
		       "Packets go along x, then y, then z; %c is the first%s in which the places differ, "
		       "port %u leads along %c.",
		       (char)('x' + s->dim), s->blocked ? " that is open" : "", via, (char)('x' + group / 2));
	else if (group > TORUS_LOCAL)
		decide(d, WHY_OUTSIDE,
		       "The link of port %u has no place in the torus: torus-2QoS does not use it.", via);
}

/* Tells the way, and the links among which the route was dealt. */
static void torus_tell_way(const struct torus_dealt *x, struct rec_choice *c)
{
	static const char *const quantity[] = {"routes"}, *const ends[] = {"CAs and routers", "switches"};
	const struct torus_member *m = &x->run->t->member[x->a];
	const struct torus_step *s = x->step;
	unsigned n = x->links;

	c->rule = s->why == TORUS_DETOUR     ? "detour"
		  : s->why == TORUS_INTO_GAP ? "before a gap"
					     : "dimension order";
	torus_sentences_add_way(x->run->t, x->a, x->b, *s, &c->text);
	if (n > 1)
		text_add(&c->text, "; link %u of %u: route %u of those to %s", x->used % n + 1, n,
			 x->used + 1, ends[x->end->is_switch]);
	c->n_quantities = 1;
	c->quantity = quantity;
	for (unsigned i = 0; i < n; i++) {
		unsigned port = m->port[s->group][i];
		uint32_t peer = x->run->in->topo->peer[switch_port_id(x->run->t->topo->fabric, m->sw, port)];

		rec_offer(c, port, peer)->q[0] = x->used / n + (i < x->used % n);
	}
	decide_step(x, c->port, &c->decided);
	if (c->via)
		torus_sentences_decide_against(x, c->port, c->via, &c->against);
}

void torus_tell_choice(const struct torus_dealt *x, unsigned lid, unsigned port)
{
	const struct engine_input *in = x->run->in;
	struct rec_choice *c = rec_choice(in, x->run->t->member[x->a].sw, lid);

	if (!c)
		return;
	c->target = x->run->t->member[x->b].sw;
	c->port = (uint8_t)port;
	if (x->step) {
		torus_tell_way(x, c);
	} else {
		c->rule = "own port";
		text_add(&c->text, x->end->is_switch ? "its own LID" : "it hangs on this port");
		decide_common(in->topo, in->lids, c->sw, lid, port, &c->decided);
	}
	rec_chosen(in, c);
}

void torus_tell_outside(const struct torus_run *r)
{
	const struct topo *topo = r->in->topo;
	const struct lids *l = r->in->lids;

	for (uint32_t sw = 0; sw < topo->fabric->n_switches; sw++) {
		for (unsigned lid = 1; switch_up(topo, sw) && lid <= l->max_lid; lid++) {
			uint32_t ep = lid_owner(l, lid), to = ep == NO_ID ? NO_ID : topo->endport_switch[ep],
				 out = r->t->of[sw] == NO_ID ? sw : to;
			struct rec_choice *c =
				out != NO_ID && r->t->of[out] == NO_ID ? rec_choice(r->in, sw, lid) : NULL;

			if (!c)
				continue;
			c->target = to;
			c->rule = why_rule_name(WHY_NOT_ROUTED);
			if (!decide_common(topo, l, sw, lid, NO_PATH, &c->decided))
				decide(&c->decided, WHY_NOT_ROUTED,
				       "%s has no place in the torus that torus_config describes.",
				       switch_name(topo->fabric, out));
			rec_chosen(r->in, c);
		}
	}
}

/* --- a pair --------------------------------------------------------------------------------------- */

static void tell_sl(const struct torus *t, uint32_t a, uint32_t b, struct text *x)
{
	assert(a < t->n && b < t->n);
	for (unsigned d = 0; d < TORUS_DIMS; d++) {
		uint32_t s = t->member[a].at[d], c = t->member[b].at[d], radix = t->conf.radix[d];
		bool set = torus_crosses(s, c, radix);

		if (s != c)
			text_add(x,
				 "SL bit %u is %u: the shorter way along %c from %u to %u %s the dateline "
				 "between %u and 0.\n",
				 d, set, (char)('x' + d), s, c, set ? "crosses" : "does not cross",
				 radix - 1);
	}
	text_add(x,
		 "SL bit 3 is the QoS level, taken over from the request; the SL told here is without it.\n");
	text_add(x, "Failures do not change the SL: it depends on the two places alone.\n");
}

/* Tells one switch of the path: where it is, in which direction and on which VL the packet leaves. */
static void tell_hop(const struct torus *t, const struct path_hop *h, uint32_t b, struct text *x)
{
	const struct fabric *f = t->topo->fabric;
	uint32_t a = t->of[h->sw];
	char at[40];

	if (a == NO_ID || a == b)
		return;
	text_add(x, "  %s[%u], VL %u: ", switch_name(f, h->sw), h->out, h->vl);
	if (h->in &&
	    t->group[switch_port_id(f, h->sw, h->in)] / 2 > t->group[switch_port_id(f, h->sw, h->out)] / 2 &&
	    t->group[switch_port_id(f, h->sw, h->in)] < TORUS_LOCAL)
		text_add(x,
			 "turn back to an earlier dimension behind a missing switch, so VL bit 1 is set; ");
	if (t->group[switch_port_id(f, h->sw, h->out)] >= TORUS_LOCAL)
		text_add(x, "%s, outside the rules", torus_place_text(t->member[a].at, at, sizeof(at)));
	else
		torus_sentences_add_way(t, a, b, torus_next(t, a, b), x);
	text_putc(x, '\n');
}

static void torus_explain_pair(const struct routing *r, unsigned slid, unsigned dlid, struct text *t,
			       struct progress *p)
{
	const struct torus *o = torus_of(r);
	uint32_t src = lid_owner(r->lids, slid), a = torus_of_lid(r, o, slid), b = torus_of_lid(r, o, dlid);
	struct path path;

	(void)p;
	if (a == NO_ID || b == NO_ID) {
		text_add(t, "One of them hangs on a switch outside the torus: SL 0.\n");
		return;
	}
	if (a == b) {
		text_add(t, "Both are on one switch: SL 0.\n");
		return;
	}
	tell_sl(o, a, b, t);
	path_trace(r, src, slid, dlid, &path);
	for (unsigned i = 0; i < path.n; i++)
		tell_hop(o, &path.hop[i], b, t);
	path_free(&path);
}

static void torus_decide_pair(const struct routing *r, unsigned slid, unsigned dlid, struct decided *d)
{
	const struct torus *o = torus_of(r);
	uint32_t a = torus_of_lid(r, o, slid), b = torus_of_lid(r, o, dlid);
	char from[40], to[40];

	if (a == NO_ID || b == NO_ID || a == b) {
		decide(d, WHY_SAME_SWITCH, "No link of the torus is passed: SL 0.");
		return;
	}
	decide(d, WHY_SL_BITS,
	       "SL %u: a bit for each dimension in which the shorter way from %s to %s crosses the dateline.",
	       torus_sl(o, a, b), torus_place_text(o->member[a].at, from, sizeof(from)),
	       torus_place_text(o->member[b].at, to, sizeof(to)));
}

/* --- the whole ------------------------------------------------------------------------------------ */

static void torus_explain_layers(const struct routing *r, struct text *t)
{
	const struct torus *o = torus_of(r);
	const struct torus_conf *c = &o->conf;
	char at[40];

	for (unsigned d = 0; d < TORUS_DIMS; d++) {
		uint64_t gaps = 0;

		if (c->radix[d] < 2)
			continue;
		for (uint32_t m = 0; m < o->n; m++)
			gaps += !c->open[d] && o->member[m].low[d] == o->member[m].at[d];
		text_add(t, "Dimension %c: radix %u, %s", (char)('x' + d), c->radix[d],
			 c->open[d] ? "open" : "looped");
		if (!c->open[d])
			text_add(t, ", dateline between %u and 0, SL bit %u; broken rings: %" PRIu64,
				 c->radix[d] - 1, d, gaps);
		text_add(t, ".\n");
	}
	text_add(t, "%u of %u places taken", o->n, o->n_places);
	text_add(t, "; the centre of seed %u is at %s.\n", o->seed + 1,
		 o->n ? torus_place_text(o->member[0].at, at, sizeof(at)) : "no place");
	text_add(t,
		 "VL bit 0: the SL bit of the dimension of the link; bit 1: turns back to an earlier "
		 "dimension%s; bit 2: QoS level (SL bit 3)%s.\n",
		 o->sw_vls < 4 ? " (not with so few VLs)" : "",
		 o->sw_vls < 8 ? " (not with so few VLs)" : "");
}

/* --- steps ---------------------------------------------------------------------------------------- */

/* The torus of the whole run. */
static const struct torus *torus(const struct saying *y)
{
	return y->kept;
}

static void say_seed(const struct saying *y)
{
	const struct torus_seed *seed = &torus(y)->conf.seed[y->ev->a];

	text_add(y->t, "seed %u (line %u) ", y->ev->a + 1, seed->line);
	if (y->ev->rule)
		text_add(y->t, "cannot be used: switch 0x%" PRIx64 " is not in the fabric",
			 (uint64_t)y->extra[0] << 32 | y->extra[1]);
	else
		text_add(y->t, "is used: all its switches are there");
}

/* "1,2,0" */
static const char *place_text(const struct torus *t, uint32_t place, char *buf, size_t size)
{
	uint32_t c[TORUS_DIMS];

	torus_coordinates(t, place, c);
	return torus_place_text(c, buf, size);
}

static void say_switches(const struct saying *y, uint32_t from)
{
	for (uint32_t i = from; i < y->n_extra; i++)
		text_add(y->t, "%s%s", i > from ? ", " : "",
			 y->extra[i] == NO_ID ? "nobody" : say_name(y, y->extra[i]));
}

static void say_cell(const struct saying *y)
{
	char cell[40], at[40];

	if (y->ev->rule == TORUS_CELL) {
		text_add(y->t, "cell %s has corners to find: fingerprint %x",
			 place_text(torus(y), y->ev->a, cell, sizeof(cell)), y->extra[0]);
		return;
	}
	text_add(y->t, "cell %s: %s for %s, by ", place_text(torus(y), y->ev->a, cell, sizeof(cell)),
		 y->ev->rule == TORUS_NO_CORNER ? "no fourth corner of a face"
						: "no switch stands on the face",
		 place_text(torus(y), y->extra[0], at, sizeof(at)));
	say_switches(y, 1);
}

static void torus_say_place(const struct saying *y)
{
	struct rec_delta d = {0};
	char at[40];

	say_change(y, T_PLACE, &d);
	text_add(y->t, "%s stands at %s: ", say_name(y, y->ev->a),
		 place_text(torus(y), d.at, at, sizeof(at)));
	switch (y->ev->rule) {
	case TORUS_CENTRE:
		text_add(y->t, "the centre of the seed");
		return;
	case TORUS_NEIGHBOUR:
		text_add(y->t, "the seed's neighbour in direction %s (%s)", torus_direction_name(y->extra[0]),
			 torus_direction_keyword(y->extra[0]));
		return;
	case TORUS_CORNER:
		text_add(y->t, "the fourth corner of the face of ");
		break;
	default:
		text_add(y->t, "it is next to the corner between two edges, and faces stand on these: ");
	}
	say_switches(y, 0);
}

static void torus_say_link(const struct saying *y)
{
	say_port(y, switch_port_id(y->f, y->ev->a, y->ev->port));
	text_add(y->t, " to ");
	say_port(y, y->extra[0]);
	text_add(y->t, " leads up in %c", (char)('x' + y->extra[1]));
	if (y->extra[4] > 1)
		text_add(y->t, ", cable %u between the two", y->extra[4]);
}

static void say_ends(const struct saying *y)
{
	const struct torus_member *m = &torus(y)->member[y->extra[0]];

	text_add(y->t, "%s: %s with end points, itself at port 0 among them", say_name(y, y->ev->a),
		 PLURAL(m->count[TORUS_LOCAL], "port"));
}

static void say_ring(const struct saying *y)
{
	const struct torus *t = torus(y);
	unsigned d = y->ev->port;
	uint32_t m = t->of[y->ev->a];
	char at[40];

	text_add(y->t, "the line through %s along %c, with %s, ",
		 place_text(torus(y), y->extra[0], at, sizeof(at)), (char)('x' + d), say_name(y, y->ev->a));
	if (y->ev->rule == TORUS_OPEN)
		text_add(y->t, "is open");
	else if (y->ev->rule == TORUS_WHOLE)
		text_add(y->t, "closes: a whole ring of %u", t->conf.radix[d]);
	else
		text_add(y->t, "is a broken ring: no way leads down from %u; packets go the other way round",
			 t->member[m].low[d]);
}

static void say_span(const struct saying *y)
{
	text_add(y->t, "%s is the root of the master spanning tree, which reaches %u of %s",
		 say_name(y, y->ev->a), y->extra[0], PLURAL(torus(y)->n, "switch"));
}

static void say_way(const struct saying *y, uint32_t target)
{
	const struct torus *t = torus(y);
	uint32_t a = t->of[y->ev->a], b = t->of[target];

	torus_sentences_add_way(t, a, b, torus_next(t, a, b), y->t);
}

static void say_hop(const struct saying *y)
{
	text_add(y->t, "%s for %s, ", say_name(y, y->ev->a), say_name(y, y->ev->b));
	say_way(y, y->ev->b);
}

static void torus_say_choice(const struct saying *y)
{
	say_entry(y, why_rule_name(y->ev->rule));
	if (y->ev->rule == WHY_ATTACHED || y->ev->rule == WHY_OWN_LID)
		return;
	text_add(y->t, "; ");
	say_way(y, y->topo->endport_switch[lid_owner(y->s->lids, y->ev->b)]);
	if (y->n_extra >= 2)
		text_add(y->t, "; %u links lead that way, used in turn: number %u", y->extra[0],
			 y->extra[1] % y->extra[0] + 1);
}

static void (*const say[REC_KINDS])(const struct saying *) = {
	[REC_SEED] = say_seed,	      [REC_CELL] = say_cell, [REC_PLACE] = torus_say_place,
	[REC_LINK] = torus_say_link,  [REC_ENDS] = say_ends, [REC_RING] = say_ring,
	[REC_SPAN] = say_span,	      [REC_HOP] = say_hop,   [REC_CHOICE] = torus_say_choice,
	[REC_TABLE] = say_table_done,
};

static void torus_sentences_sentence(struct walk *w, struct text *t)
{
	const struct saying y = saying_of(w, t);

	if (say[y.ev->kind])
		say[y.ev->kind](&y);
}

static const char *torus_sentences_rule(const struct rec_event *ev)
{
	static const char *const seed[] = {"usable", "missing"},
				 *const cell[] = {"to find", "no corner", "no perpendicular"},
				 *const place[] = {"centre", "neighbour", "fourth corner", "perpendicular"},
				 *const line[] = {"whole ring", "broken ring", "open line"};

	switch (ev->kind) {
	case REC_CELL:
		return cell[ev->rule];
	case REC_SEED:
		return seed[ev->rule];
	case REC_PLACE:
		return place[ev->rule];
	case REC_RING:
		return line[ev->rule];
	default:
		return why_rule_name(ev->rule);
	}
}

static const char *torus_sentences_source(const struct rec_event *ev)
{
	static const char *const where[REC_KINDS] = {
		[REC_SEED] = "torus-2qos.md 2, 5.1; torus-2QoS.conf(5)",
		[REC_CELL] = "torus-2qos.md 5.4, 5.5; torus-2QoS(8)",
		[REC_PLACE] = "torus-2qos.md 5.1, 5.4; torus-2QoS(8)",
		[REC_LINK] = "torus-2qos.md 5.3; torus-2QoS(8)",
		[REC_ENDS] = "torus-2qos.md 5.6; torus-2QoS(8)",
		[REC_RING] = "torus-2qos.md 6; torus-2QoS(8)",
		[REC_SPAN] = "torus-2qos.md 10; torus-2QoS(8)",
		[REC_HOP] = "torus-2qos.md 7.2, 7.3; Dally, Seitz 1987",
		[REC_CHOICE] = "torus-2qos.md 7.3, 7.4; torus-2QoS(8)",
		[REC_TABLE] = "torus-2qos.md 7.4; torus-2QoS(8)",
	};

	return where[ev->kind];
}

/* --- cells ------------------------------------------------------------------------------------- */

static bool torus_sentences_cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out)
{
	const struct torus *kept = recording_kept(r);
	char buf[40];

	if (t != T_PLACE || !kept)
		return false;
	text_add(out, "place %s", place_text(kept, at, buf, sizeof(buf)));
	return true;
}

static bool torus_sentences_value(const struct recording *r, enum rec_table t, uint32_t at, uint32_t sw,
				  struct text *out)
{
	const struct fabric *f = recording_sweep(r)->fabric;

	(void)at;
	if (t != T_PLACE || sw >= f->n_switches)
		return false;
	text_add(out, "%s", switch_name(f, sw));
	return true;
}

/* The tables of torus-2QoS for panes: service levels, lanes, and the torus at a step. */

/* At a step of a recording: will the run place the switch of this LID later? */
static bool is_placed_later(const struct routing *r, const struct torus *t, unsigned lid)
{
	return t->whole && torus_of_lid(r, t, lid) == NO_ID && torus_of_lid(r, t->whole, lid) != NO_ID;
}

static struct sl_range sl_of_pair(const struct routing *r, unsigned slid, unsigned dlid)
{
	const struct torus *t = r->priv;
	uint32_t a = torus_of_lid(r, t, slid), b = torus_of_lid(r, t, dlid);
	uint8_t sl = a == NO_ID || b == NO_ID ? 0 : (uint8_t)torus_sl(t, a, b);

	if (is_placed_later(r, t, slid) || is_placed_later(r, t, dlid))
		return (struct sl_range){1, 0}; /* none */
	return (struct sl_range){sl, sl};
}

/* The dimension of a port, or TORUS_NO_DIM for a local port and one outside the torus. */
static unsigned dim_of(const struct torus *t, const struct fabric *f, uint32_t sw, unsigned port)
{
	unsigned g = t->group[switch_port_id(f, sw, port)];

	return g < TORUS_LOCAL ? g / 2 : TORUS_NO_DIM;
}

static unsigned vl_of_hop(const struct routing *r, uint32_t sw, unsigned in, unsigned out, unsigned sl)
{
	const struct torus *t = r->priv;
	const struct fabric *f = r->topo->fabric;
	unsigned to = dim_of(t, f, sw, out), vl = 0;

	if (t->of[sw] == NO_ID)
		return t->end_vls >= 2 ? sl >> 3 & 1 : 0;
	if (to == TORUS_NO_DIM)
		return t->sw_vls >= 2 ? sl >> 3 & 1 : 0;
	unsigned from = dim_of(t, f, sw, in);
	if (t->sw_vls >= 2)
		vl |= sl >> to & 1;
	if (t->sw_vls >= 4 && from != TORUS_NO_DIM && from > to)
		vl |= 2;
	if (t->sw_vls >= 8)
		vl |= (sl >> 3 & 1) << 2;
	return vl;
}

static unsigned vl_of_end(const struct routing *r, uint32_t endport, unsigned sl)
{
	const struct torus *t = r->priv;

	(void)endport;
	return t->end_vls >= 2 ? sl >> 3 & 1 : 0;
}

/* Lanes for one QoS level: two for the datelines, and two more for turns next to missing switches. */
static unsigned torus_show_n_layers(const struct routing *r)
{
	const struct torus *t = r->priv, *all = t->whole ? t->whole : t;

	return t->sw_vls >= 4 && all->n < t->n_places ? 4 : 2;
}

static unsigned torus_show_layers_available(const struct routing *r)
{
	return ((const struct torus *)r->priv)->sw_vls;
}

/* As in opensm-torus.dump. */
static int write_extra(const struct routing *r, const char *what, FILE *f)
{
	const struct torus *t = torus_of(r);
	const struct fabric *fb = t->topo->fabric;

	(void)what;
	for (uint32_t i = 0; i < t->n_places && !ferror(f); i++) {
		const struct torus_member *m = t->at[i] == NO_ID ? NULL : &t->member[t->at[i]];
		uint32_t node = m ? fb->switch_node[m->sw] : NO_ID;

		if (m)
			fprintf(f, "switch %u,%u,%u GUID 0x%04" PRIx64 " (%s)\n", m->at[0], m->at[1],
				m->at[2], fb->node_guid[node], fb->node_desc[node]);
	}
	return ferror(f) ? -1 : 0;
}

/* SLs 8 to 15 are those of the upper QoS level, whose routes have VLs of their own. */
static unsigned adds_level(const struct routing *r)
{
	(void)r;
	return 8;
}

const struct routing_ops torus_ops = {
	.sl = sl_of_pair,
	.sl_from_qos = adds_level,
	.sl_by_switch = true,
	.vl = vl_of_hop,
	.endport_vl = vl_of_end,
	.n_layers = torus_show_n_layers,
	.layers_available = torus_show_layers_available,
	.explain_pair = torus_explain_pair,
	.decide_pair = torus_decide_pair,
	.explain_layers = torus_explain_layers,
	.extras = "torus",
	.write_extra = write_extra,
	.free_priv = torus_let_go,
};

const struct torus *torus_of(const struct routing *r)
{
	r = r ? routing_origin(r) : NULL;
	return r && r->ops == &torus_ops ? r->priv : NULL;
}

/* --- the torus of a step ------------------------------------------------------------------------------ */

static void torus_show_replay(struct torus *t, const struct recording *r, size_t step)
{
	const struct rec_event *ev = recording_event(r, step);
	const struct torus *whole = t->whole;
	const struct torus_member *m;
	const uint32_t *extra;
	const unsigned *radix = t->conf.radix;
	unsigned room = 0, d;
	uint32_t step_size;

	recording_extra(r, step, &extra);
	switch (ev->kind) {
	case REC_PLACE:
		m = &whole->member[t->n];
		for (unsigned g = 0; g < TORUS_GROUPS; g++)
			room = MAX(m->count[g], room);
		torus_add_member(t, m->sw, m->at, room);
		if (t->of[m->sw] == NO_ID) /* a switch that is found twice is refused at the end */
			t->of[m->sw] = t->n - 1;
		break;
	case REC_LINK:
		torus_add_port(t, extra[2], 2 * extra[1] + 1,
			       switch_port_id(t->topo->fabric, ev->a, ev->port));
		torus_add_port(t, extra[3], 2 * extra[1], extra[0]);
		t->n_links++;
		break;
	case REC_ENDS:
		m = &whole->member[extra[0]];
		for (unsigned i = 0; i < m->count[TORUS_LOCAL]; i++) {
			unsigned p = m->port[TORUS_LOCAL][i];

			torus_add_port(t, extra[0], TORUS_LOCAL, switch_port_id(t->topo->fabric, m->sw, p));
			t->n_links += p > 0;
		}
		break;
	case REC_RING:
		d = ev->port; /* every member of the line learns where it is broken */
		step_size = 1;
		for (unsigned i = 0; i < d; i++)
			step_size *= radix[i];
		for (unsigned i = 0; i < radix[d]; i++) {
			uint32_t at = t->at[extra[0] + i * step_size];

			if (at != NO_ID)
				t->member[at].low[d] = whole->member[at].low[d];
		}
		break;
	case REC_SPAN:
		t->root = whole->root;
		for (uint32_t i = 0; i < t->n; i++)
			t->member[i].parent = whole->member[i].parent;
		break;
	default:
		break;
	}
}

static void *torus_priv_at(struct walk *w, const struct routing *end)
{
	const struct recording *r = walk_recording(w);
	const struct torus *whole = recording_kept(r);
	struct torus *t;

	(void)end;
	if (!whole || !whole->at) /* refused before anything was placed */
		return NULL;
	t = mem_dup(whole, sizeof(*t));
	t->refs = 1;
	t->whole = torus_ref(whole);
	t->n = t->n_links = 0;
	t->root = NO_ID;
	t->cap = whole->n + 1;
	t->member = NEW_ARRAY(t->cap, struct torus_member);
	torus_clear_places(t);
	for (size_t i = 1; i <= walk_step(w); i++)
		torus_show_replay(t, r, i);
	return t;
}

const struct rec_scheme torus_scheme = {
	.rule = torus_sentences_rule,
	.source = torus_sentences_source,
	.sentence = torus_sentences_sentence,
	.ops = &torus_ops,
	.priv_at = torus_priv_at,
	.cell = torus_sentences_cell,
	.value = torus_sentences_value,
};
