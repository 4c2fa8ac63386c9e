/* Can the torus be routed as it was found (engines/doc/torus-2qos.md section 6)? */
#include "engines/torus/internal.h"

/*
 * If two or more switches are missing, all must be in one column along z, each next to another missing one.
 */
static int check_missing(struct torus_run *r)
{
	const struct torus *t = r->t;
	unsigned c[TORUS_DIMS], first[TORUS_DIMS];
	bool any = false;
	char a[40], b[40];

	for (uint32_t i = 0; i < t->n_places; i++) {
		if (t->at[i] != NO_ID)
			continue;
		torus_coordinates(t, i, c);
		if (!any)
			torus_coordinates(t, i, first);
		any = true;
		if (t->n + 1 < t->n_places && torus_beside(t, c, 4) != NO_ID &&
		    torus_beside(t, c, 5) != NO_ID)
			return err_set(&r->out->refused,
				       "%u switches are missing, that at %s without a missing neighbour "
				       "along z (ERR 4E38)",
				       t->n_places - t->n, torus_place_text(c, a, sizeof(a)));
		if (c[0] != first[0] || c[1] != first[1])
			return err_set(&r->out->refused,
				       "%u switches are missing, those at %s and %s not in one column along "
				       "z (ERR 4E38)",
				       t->n_places - t->n, torus_place_text(first, a, sizeof(a)),
				       torus_place_text(c, b, sizeof(b)));
	}
	return 0;
}

static int torus_rings_check_line(struct torus_run *r, unsigned c[TORUS_DIMS], unsigned d)
{
	struct torus *t = r->t;
	uint32_t low = NO_ID; /* the last member without a link down */
	unsigned lows = 0, highs = 0;
	char a[40];

	for (c[d] = 0; c[d] < t->conf.radix[d]; c[d]++) {
		uint32_t m = torus_at(t, c);

		if (m == NO_ID)
			continue;
		highs += !t->member[m].count[2 * d + 1];
		lows += !t->member[m].count[2 * d];
		low = t->member[m].count[2 * d] ? low : m;
	}
	c[d] = 0;
	if (lows != highs)
		return err_set(&r->out->refused,
			       "the line through %s along %c has %u ends down and %u up (ERR 4E%u)",
			       torus_place_text(c, a, sizeof(a)), (char)('x' + d), lows, highs, 32 + 2 * d);
	if (lows > 1)
		return err_set(
			&r->out->refused,
			"the line through %s along %c is in %u pieces, expected at most one gap%s (ERR 4E%u)",
			torus_place_text(c, a, sizeof(a)), (char)('x' + d), lows,
			t->conf.open[d] ? ", and an open line has one at its end" : "", 33 + 2 * d);
	for (; c[d] < t->conf.radix[d]; c[d]++)
		if (torus_at(t, c) != NO_ID)
			t->member[torus_at(t, c)].low[d] =
				low == NO_ID ? TORUS_COMPLETE : t->member[low].at[d];
	c[d] = 0;
	if (RECORDED(r->in))
		torus_record_line(r, c, d, lows != 0);
	return 0;
}

/* Notes links of the fabric outside the torus, and end points and switches outside it. */
static void tell_leftovers(struct torus_run *r)
{
	const struct torus *t = r->t;
	const struct topo *topo = r->in->topo;
	uint32_t outside = topo->n_switches_up - t->n,
		 links = r->n_switch_links + r->n_end_links - t->n_links;

	if (outside)
		note_add(&r->out->notes, NOTE_TORUS_HOLES,
			 "torus-2QoS: %u switch%s outside the torus: no routes lead there, and none from "
			 "there\n",
			 outside, outside == 1 ? " is" : "es are");
	if (links)
		note_add(&r->out->notes, 0, "torus-2QoS does not use %u link%s no place in the torus\n",
			 links, links == 1 ? ": it has" : "s: they have");
	for (uint32_t i = 0; RECORDED(r->in) && i < t->n_places; i++) {
		unsigned c[TORUS_DIMS];
		char at[40];

		torus_coordinates(t, i, c);
		if (t->at[i] == NO_ID)
			rec_note(r->in, "no switch at %s", torus_place_text(c, at, sizeof(at)));
	}
}

int torus_check(struct torus_run *r)
{
	unsigned c[TORUS_DIMS];

	rec_phase(r->in, "can it be routed");
	tell_leftovers(r);
	if (check_missing(r))
		return -1;
	for (unsigned d = 0; d < TORUS_DIMS; d++)
		for (uint32_t i = 0; i < r->t->n_places; i++) {
			torus_coordinates(r->t, i, c);
			if (c[d] == 0 && torus_rings_check_line(r, c, d))
				return -1;
		}
	return 0;
}
