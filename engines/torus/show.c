/* The tables of torus-2QoS for panes: service levels, lanes, and the torus at a step. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/sm/sweep.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/walk.h"
#include "engines/torus/internal.h"

/* --- service levels and virtual lanes (engines/doc/torus-2qos.md 8, 9) ------------------------- */

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
	unsigned from, to = dim_of(t, f, sw, out), vl = 0;

	if (t->of[sw] == NO_ID || to == TORUS_NO_DIM)
		return (t->of[sw] == NO_ID ? t->end_vls : t->sw_vls) >= 2 ? sl >> 3 & 1 : 0;
	from = dim_of(t, f, sw, in);
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
	const struct torus *t = r->priv;

	return t->sw_vls >= 4 && (t->whole ? t->whole : t)->n < t->n_places ? 4 : 2;
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
		step_size = d == 0 ? 1 : d == 1 ? radix[0] : radix[0] * radix[1];
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

void *torus_priv_at(struct walk *w, const struct routing *end)
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
