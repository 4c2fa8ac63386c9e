/* How the torus is found in the cabling (engines/doc/torus-2qos.md section 5). */
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "engines/torus/internal.h"

/* --- links that are not placed yet ----------------------------------------------------------- */

void torus_survey(struct torus_run *r)
{
	const struct topo *t = r->in->topo;
	const struct fabric *f = t->fabric;
	uint32_t n = 0;

	r->base = NEW_ARRAY(f->n_switches + 1, uint32_t);
	r->end = NEW_ARRAY(f->n_switches + 1, uint32_t);
	r->port = NEW_ARRAY(f->n_ports + 1, uint8_t);
	r->peer = NEW_ARRAY(f->n_ports + 1, uint32_t);
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		r->base[sw] = n;
		for (unsigned p = 1; p <= f->switch_nports[sw]; p++) {
			uint32_t id = switch_port_id(f, sw, p), peer = t->peer[id];

			if (peer == NO_ID || peer == id)
				continue;
			r->n_end_links += !node_is_switch(f, f->port_node[peer]);
			if (!node_is_switch(f, f->port_node[peer]))
				continue;
			r->n_switch_links += id < peer;
			r->port[n] = (uint8_t)p;
			r->peer[n++] = peer;
		}
		r->end[sw] = n;
	}
	r->base[f->n_switches] = n;
	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		r->n_cas += t->endport_up[ep] && !endport_is_switch(f, ep) &&
			    t->peer[f->endport_port[ep]] != NO_ID;
}

static void torus_find_take_out(struct torus_run *r, uint32_t port)
{
	const struct fabric *f = r->in->topo->fabric;
	uint32_t sw = f->node_switch[f->port_node[port]], i = r->base[sw];

	while (r->port[i] != f->port_num[port])
		i++;
	r->end[sw]--;
	memmove(&r->port[i], &r->port[i + 1], r->end[sw] - i);
	memmove(&r->peer[i], &r->peer[i + 1], (r->end[sw] - i) * sizeof(*r->peer));
}

static uint32_t torus_find_switch_at(const struct torus_run *r, uint32_t port)
{
	const struct fabric *f = r->in->topo->fabric;

	return f->node_switch[f->port_node[port]];
}

/* Is there a free link between two switches? */
static bool free_link(const struct torus_run *r, uint32_t from, uint32_t to)
{
	for (uint32_t i = r->base[from]; i < r->end[from]; i++)
		if (torus_find_switch_at(r, r->peer[i]) == to)
			return true;
	return false;
}

/* --- placing --------------------------------------------------------------------------------- */

/* How a switch was found: by other switches, or by the direction of a seed's link. */
struct torus_find_found {
	enum torus_how how;
	uint32_t by[3];
	unsigned n;
};

/* Places a switch; an occupied place stays as it is. False when there is no such switch. */
static bool torus_find_place(struct torus_run *r, const unsigned c[TORUS_DIMS], uint32_t sw,
			     const struct torus_find_found *how)
{
	struct torus *t = r->t;
	unsigned ports, most = t->conf.max_ports;

	if (torus_at(t, c) != NO_ID)
		return true;
	if (sw == NO_ID)
		return false;
	ports = r->in->topo->fabric->switch_nports[sw] + 1u;
	torus_add_member(t, sw, c, MIN(most, ports));
	if (RECORDED(r->in))
		torus_record_place(r, torus_place(t, c), sw, how->how, how->by, how->n);
	return true;
}

static int place_seed(struct torus_run *r)
{
	static const unsigned order[TORUS_DIRECTIONS] = {1, 0, 3, 2, 5, 4};
	const struct torus_conf *conf = &r->t->conf;
	const struct torus_seed *s = &conf->seed[r->t->seed];
	unsigned c[TORUS_DIMS];

	for (unsigned d = 0; d < TORUS_DIMS; d++)
		c[d] = (unsigned)((conf->radix[d] - (int64_t)s->dateline[d]) % conf->radix[d]);
	for (unsigned i = 0; i < TORUS_DIRECTIONS; i++) {
		const struct torus_seed_link *l = &s->link[order[i]];
		unsigned to[TORUS_DIMS] = {c[0], c[1], c[2]}, d = order[i] / 2;

		if (!l->centre)
			continue;
		to[d] = torus_shift(r->t, d, c[d], order[i] % 2 ? 1 : -1);
		if (!torus_find_place(r, c, torus_switch_by_guid(r, l->centre),
				      &(struct torus_find_found){TORUS_CENTRE, {0}, 0}) ||
		    !torus_find_place(r, to, torus_switch_by_guid(r, l->neighbour),
				      &(struct torus_find_found){TORUS_NEIGHBOUR, {order[i]}, 1}))
			return err_set(&r->out->refused,
				       "line %u: a switch of %s is not in the fabric (ERR 4E57)", l->line,
				       torus_direction_keyword(order[i]));
	}
	return 0;
}

/* --- placing links ----------------------------------------------------------------------------- */

static bool has_room(const struct torus_run *r, const struct torus_member *m, unsigned group)
{
	return m->count[group] < r->t->conf.max_ports;
}

/* Places all free links from a member to the one above it in a dimension. False when a group is full. */
static bool link_members(struct torus_run *r, unsigned d, uint32_t lower, uint32_t upper)
{
	struct torus_member *a = &r->t->member[lower], *b = &r->t->member[upper];

	if (lower == upper && r->t->conf.radix[d] == 1)
		return true;
	if (b->at[d] != torus_shift(r->t, d, a->at[d], 1))
		return false;
	for (uint32_t i = r->base[a->sw]; i < r->end[a->sw];) {
		uint32_t peer = r->peer[i], port = switch_port_id(r->in->topo->fabric, a->sw, r->port[i]);

		if (r->in->topo->peer_switch[port] != b->sw) {
			i++;
			continue;
		}
		if (!has_room(r, a, 2 * d + 1) || !has_room(r, b, 2 * d))
			return false;
		torus_find_take_out(r, port);
		torus_find_take_out(r, peer);
		torus_add_port(r->t, lower, 2 * d + 1, port);
		torus_add_port(r->t, upper, 2 * d, peer);
		r->t->n_links++;
		if (RECORDED(r->in))
			torus_record_link(r, port, peer, d, lower, upper, a->count[2 * d + 1]);
	}
	return true;
}

/* --- searches ------------------------------------------------------------------------------------ */

/* The fourth switch of the face a - m - b, found by free links, or NO_ID. */
static uint32_t find_corner(const struct torus_run *r, uint32_t a, uint32_t m, uint32_t b)
{
	for (uint32_t i = r->base[a]; i < r->end[a]; i++) {
		uint32_t f = torus_find_switch_at(r, r->peer[i]);

		if (f != m && free_link(r, f, b))
			return f;
	}
	return NO_ID;
}

/* The neighbour of `base` that forms faces with all the ends, or NO_ID. */
static uint32_t find_perpendicular(const struct torus_run *r, uint32_t base, uint32_t behind,
				   const uint32_t *ends, unsigned n)
{
	for (uint32_t i = r->base[base]; i < r->end[base]; i++) {
		uint32_t f = torus_find_switch_at(r, r->peer[i]);
		unsigned k = 0;

		if (f == behind)
			continue;
		while (k < n && find_corner(r, ends[k], base, f) != NO_ID)
			k++;
		if (k == n)
			return f;
	}
	return NO_ID;
}

/* Places the links of a ring of four first, so that it is not taken for a face. */
static bool safe_ring(struct torus_run *r, unsigned d, const uint32_t pos[TORUS_DIMS])
{
	const struct torus *t = r->t;
	uint32_t s[4]; /* at pos - 1, pos, pos + 1, pos + 2 */
	bool good = true;

	if (t->conf.radix[d] != 4 || t->conf.open[d])
		return true;
	for (int k = -1; k <= 2; k++) {
		unsigned c[TORUS_DIMS] = {pos[0], pos[1], pos[2]};

		c[d] = torus_shift(t, d, pos[d], k);
		s[k + 1] = torus_at(t, c);
	}
	if ((s[0] != NO_ID) + (s[2] != NO_ID) + (s[3] != NO_ID) < 2)
		return false;
	for (unsigned k = 0; k < 4; k++) {
		uint32_t a = s[(k + 3) % 4], b = s[k];

		if (a != NO_ID && b != NO_ID && !link_members(r, d, a, b))
			good = false;
	}
	return good;
}

/* --- cells ----------------------------------------------------------------------------------------- */

struct cell {
	unsigned at[TORUS_DIMS];
	uint32_t place[8];		/* places of its corners */
	unsigned corner[8][TORUS_DIMS]; /* coordinates of its corners */
	unsigned fingerprint;
};

static uint32_t member_at(const struct torus_run *r, const struct cell *c, unsigned corner)
{
	return r->t->at[c->place[corner]];
}

/* Prepares a cell. False when it would cross an open dimension. */
static bool cell_begin(const struct torus *t, struct cell *c)
{
	unsigned next[TORUS_DIMS];

	for (unsigned d = 0; d < TORUS_DIMS; d++) {
		next[d] = torus_shift(t, d, c->at[d], 1);
		if (t->conf.open[d] && next[d] < c->at[d])
			return false;
	}
	for (unsigned k = 0; k < 8; k++) {
		for (unsigned d = 0; d < TORUS_DIMS; d++)
			c->corner[k][d] = k >> d & 1 ? next[d] : c->at[d];
		c->place[k] = torus_place(t, c->corner[k]);
	}
	return true;
}

/* Places the links along its edges that end in some of its corners (a set of bits). */
static void link_cell(struct torus_run *r, const struct cell *c, unsigned corners)
{
	for (unsigned d = 0; d < TORUS_DIMS; d++)
		for (unsigned k = 0; k < 8; k++) {
			uint32_t a, b;

			if (k >> d & 1 || !((corners >> k | corners >> (k | 1u << d)) & 1))
				continue;
			a = member_at(r, c, k);
			b = member_at(r, c, k | 1u << d);
			if (a != NO_ID && b != NO_ID)
				link_members(r, d, a, b);
		}
}

static unsigned fingerprint(const struct torus_run *r, const struct cell *c)
{
	unsigned there = 0, f = 0;

	for (unsigned d = 0; d < TORUS_DIMS; d++)
		there |= (unsigned)(r->t->conf.radix[d] > 1) << d;
	for (unsigned k = 0; k < 8; k++)
		if (member_at(r, c, k) == NO_ID)
			f |= 1u << (k & there);
	return f | there << 8;
}

static uint32_t torus_find_switch_of(const struct torus_run *r, uint32_t member)
{
	return member == NO_ID ? NO_ID : r->t->member[member].sw;
}

/*
 * Searches along the third axis. The first and third corners are the ends of the edges that meet in the
 * second.
 */
static uint32_t try_perpendicular(struct torus_run *r, const struct cell *c, const struct torus_attempt *a)
{
	unsigned base = a->corner[1], d = base ^ a->target;
	uint32_t ends[2], b = member_at(r, c, base), behind;

	d = d == 1 ? 0 : d == 2 ? 1 : 2;
	for (unsigned other = 0; other < TORUS_DIMS; other++)
		if (b == NO_ID || (other != d && !safe_ring(r, other, r->t->member[b].at)))
			return NO_ID;
	behind = torus_find_switch_of(r, torus_beside(r->t, r->t->member[b].at, 2 * d + (base >> d & 1)));
	ends[0] = torus_find_switch_of(r, member_at(r, c, a->corner[0]));
	ends[1] = a->n > 2 ? torus_find_switch_of(r, member_at(r, c, a->corner[2])) : ends[0];
	if (behind == NO_ID || ends[0] == NO_ID || ends[1] == NO_ID)
		return NO_ID;
	return find_perpendicular(r, r->t->member[b].sw, behind, ends, a->n > 2 ? 2 : 1);
}

static bool torus_find_attempt(struct torus_run *r, const struct cell *c, const struct torus_attempt *a)
{
	struct torus_find_found found = {.how = a->perpendicular ? TORUS_PERPENDICULAR : TORUS_CORNER};
	uint32_t sw = NO_ID, *by = found.by;

	for (unsigned i = 0; i < a->n; i++)
		by[found.n++] = torus_find_switch_of(r, member_at(r, c, a->corner[i]));
	if (a->perpendicular)
		sw = try_perpendicular(r, c, a);
	else if (by[0] != NO_ID && by[1] != NO_ID && by[2] != NO_ID)
		sw = find_corner(r, by[0], by[1], by[2]); /* the fourth corner of a face */
	if (sw == NO_ID && RECORDED(r->in))
		torus_record_cell(r, c->place[0], a->perpendicular ? TORUS_NO_PERPENDICULAR : TORUS_NO_CORNER,
				  c->place[a->target], found.by, found.n);
	if (sw == NO_ID)
		return false;
	return torus_find_place(r, c->corner[a->target], sw, &found);
}

static void locate(struct torus_run *r, struct cell *c)
{
	struct torus_attempt a[4];
	unsigned fresh = cell_begin(r->t, c) ? 255 : 0; /* corners */

	while (fresh) {
		unsigned n, f;

		link_cell(r, c, fresh);
		fresh = 0;
		f = fingerprint(r, c);
		n = torus_attempts(f, a);
		if (n && RECORDED(r->in))
			torus_record_cell(r, c->place[0], TORUS_CELL, f, NULL, 0);
		for (unsigned i = 0; i < n && !fresh; i++)
			fresh = (unsigned)torus_find_attempt(r, c, &a[i]) << a[i].target;
	}
}

static int scan(struct torus_run *r)
{
	uint32_t before;

	progress_start(r->in->progress, "finding the torus", r->t->n_places);
	do {
		before = r->t->n_links;
		r->t->scans++;
		rec_note(r->in, "scan %u", r->t->scans);
		/* without a free link nothing more can be found */
		for (uint32_t i = 0;
		     i < r->t->n_places && (r->t->n_links < r->n_switch_links || RECORDED(r->in)); i++) {
			struct cell c = {0};

			if (!progress_step(r->in->progress, i))
				return err_set(&r->out->refused, CANCELLED);
			torus_coordinates(r->t, i, c.at);
			locate(r, &c);
		}
	} while (r->t->n_links != before);
	return 0;
}

/* --- end points --------------------------------------------------------------------------------------- */

/* Adds port 0 and the ports with CAs or routers, in ascending order. */
static int torus_find_add_ends(struct torus_run *r, uint32_t id)
{
	const struct topo *t = r->in->topo;
	const struct fabric *f = t->fabric;
	struct torus_member *m = &r->t->member[id];
	char a[40];

	for (unsigned p = 0; p <= f->switch_nports[m->sw]; p++) {
		uint32_t port = switch_port_id(f, m->sw, p), peer = t->peer[port];

		if (p && (peer == NO_ID || node_is_switch(f, f->port_node[peer])))
			continue;
		if (!has_room(r, m, TORUS_LOCAL))
			return err_set(&r->out->refused,
				       "%s at %s has more than %u end points with port 0, expected at most "
				       "portgroup_max_ports (ERR %s)",
				       switch_name(f, m->sw), torus_place_text(m->at, a, sizeof(a)),
				       r->t->conf.max_ports, p ? "4E1E" : "4E1D");
		torus_add_port(r->t, id, TORUS_LOCAL, port);
		r->t->n_links += p > 0;
	}
	return 0;
}

static int place_ends(struct torus_run *r)
{
	struct torus *t = r->t;
	char a[40], b[40];

	for (uint32_t i = 0; i < t->n_places; i++) {
		uint32_t m = t->at[i], *of;

		if (m == NO_ID)
			continue;
		of = &t->of[t->member[m].sw];
		if (*of != NO_ID)
			return err_set(
				&r->out->refused,
				"%s is found both at %s and at %s: wrong radices, or a wrong seed (ERR 4E1C)",
				torus_name(t, m), torus_place_text(t->member[*of].at, a, sizeof(a)),
				torus_place_text(t->member[m].at, b, sizeof(b)));
		*of = m;
		if (torus_find_add_ends(r, m))
			return -1;
		if (RECORDED(r->in))
			torus_record_ends(r, m);
	}
	return 0;
}

int torus_discover(struct torus_run *r)
{
	torus_clear_places(r->t);
	rec_phase(r->in, "finding the torus");
	return place_seed(r) || scan(r) || place_ends(r) ? -1 : 0;
}
