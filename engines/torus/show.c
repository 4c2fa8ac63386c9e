/* What the torus engine tells in words. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/routing/paths.h"
#include "engines/torus/internal.h"

/* --- one decision ------------------------------------------------------------------------------- */

static void add_blocked(unsigned blocked, struct text *x)
{
	for (unsigned d = 0; d < TORUS_DIMS; d++)
		if (blocked >> d & 1)
			text_add(x,
				 "%c is blocked by a missing switch, so it turns early: ", (char)('x' + d));
}

enum why_rule torus_rule(const struct torus_step *s)
{
	static const enum why_rule rule[] = {[TORUS_SHORTER] = WHY_SHORTER_ROUND,
					     [TORUS_TIE] = WHY_NO_WRAP,
					     [TORUS_DETOUR] = WHY_BROKEN_RING,
					     [TORUS_INTO_GAP] = WHY_EARLY_TURN};

	return s->blocked ? WHY_EARLY_TURN : rule[s->why];
}

void torus_why_text(const struct torus *t, uint32_t a, uint32_t b, struct torus_step s, struct text *x)
{
	const struct torus_member *m = &t->member[a], *e = &t->member[b];
	uint32_t radix, apart;
	char from[40], to[40];

	text_add(x, "%s to %s: ", torus_place_text(m->at, from, sizeof(from)),
		 torus_place_text(e->at, to, sizeof(to)));
	if (s.dim == TORUS_NO_DIM) {
		text_add(x, "no way");
		return;
	}
	radix = t->conf.radix[s.dim];
	apart = m->at[s.dim] > e->at[s.dim] ? m->at[s.dim] - e->at[s.dim] : e->at[s.dim] - m->at[s.dim];
	add_blocked(s.blocked, x);
	text_add(x, "%s, ", torus_direction_name(s.group));
	if (s.why == TORUS_DETOUR)
		text_add(x, "for the ring has a gap the other way");
	else if (s.why == TORUS_INTO_GAP)
		text_add(x, "up to the missing switch at its turning point, to turn in front of it");
	else if (s.why == TORUS_TIE)
		text_add(x, "%u steps either way: the one that does not cross the dateline", apart);
	else
		text_add(x, "%u step%s against %u the other way",
			 apart < radix - apart ? apart : radix - apart,
			 (apart < radix - apart ? apart : radix - apart) == 1 ? "" : "s",
			 apart < radix - apart ? radix - apart : apart);
}

/* --- a pair --------------------------------------------------------------------------------------- */

static uint32_t member_of_lid(const struct routing *r, const struct torus *t, unsigned lid)
{
	uint32_t ep = lid_owner(r->lids, lid), sw = ep == NO_ID ? NO_ID : r->topo->endport_switch[ep];

	return sw == NO_ID ? NO_ID : t->of[sw];
}

static void tell_sl(const struct torus *t, uint32_t a, uint32_t b, struct text *x)
{
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

/* One switch of the path: where it is, which way the packet leaves and on which VL. */
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
		torus_why_text(t, a, b, torus_next(t, a, b), x);
	text_putc(x, '\n');
}

void torus_explain_pair(const struct routing *r, unsigned slid, unsigned dlid, struct text *t,
			struct progress *p)
{
	const struct torus *o = torus_of(r);
	uint32_t src = lid_owner(r->lids, slid), a = member_of_lid(r, o, slid), b = member_of_lid(r, o, dlid);
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

void torus_decide_pair(const struct routing *r, unsigned slid, unsigned dlid, struct decided *d)
{
	const struct torus *o = torus_of(r);
	uint32_t a = member_of_lid(r, o, slid), b = member_of_lid(r, o, dlid);
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

static uint64_t gaps(const struct torus *t, unsigned d)
{
	uint64_t n = 0;

	for (uint32_t m = 0; m < t->n; m++)
		n += !t->conf.open[d] && t->member[m].low[d] == t->member[m].at[d] && t->conf.radix[d] > 1;
	return n;
}

void torus_explain_layers(const struct routing *r, struct text *t)
{
	const struct torus *o = torus_of(r);
	const struct torus_conf *c = &o->conf;
	char at[40];

	for (unsigned d = 0; d < TORUS_DIMS; d++) {
		if (c->radix[d] < 2)
			continue;
		text_add(t, "Dimension %c: radix %u, %s", (char)('x' + d), c->radix[d],
			 c->open[d] ? "open" : "looped");
		if (!c->open[d])
			text_add(t, ", dateline between %u and 0, SL bit %u; broken rings: %" PRIu64,
				 c->radix[d] - 1, d, gaps(o, d));
		text_add(t, ".\n");
	}
	text_add(t, "%u of %u places taken", o->n, o->n_places);
	text_add(t, "; the centre of seed %u is at %s.\n", o->seed + 1,
		 o->n ? torus_place_text(o->member[0].at, at, sizeof(at)) : "no place");
	text_add(t,
		 "VL bit 0: the SL bit of the dimension of the link; bit 1: turns back to an earlier "
		 "dimension%s; bit 2: "
		 "QoS level (SL bit 3)%s.\n",
		 o->sw_vls < 4 ? " (not with so few VLs)" : "",
		 o->sw_vls < 8 ? " (not with so few VLs)" : "");
}

/* As opensm-torus.dump. */
int torus_write_extra(const struct routing *r, const char *what, FILE *f)
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
