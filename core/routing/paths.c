#include "core/routing/paths.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

const char *path_end_text(enum path_end e)
{
	static const char *const text[] = {
		[PATH_OK] = "arrives",
		[PATH_NO_SOURCE] = "the source is down or has no LID",
		[PATH_NO_LID] = "nobody has the destination LID",
		[PATH_NO_ENTRY] = "no entry for the LID",
		[PATH_DEAD_PORT] = "the entry names a port without a live link",
		[PATH_WRONG_END] = "arrives at the wrong endport",
		[PATH_LOOP] = "forwarding loop",
		[PATH_DROPPED] = "dropped, its SL is mapped to VL 15",
	};

	return text[e];
}

static void add_hop(struct path *p, uint32_t sw, unsigned in, unsigned out, unsigned vl)
{
	GROW(p->hop, p->n, p->cap);
	p->hop[p->n++] = (struct path_hop){.sw = sw, .in = in, .out = out, .vl = vl};
}

/* Where a packet starts: the first switch and its entry port; NO_ID when the source is itself cut off. */
static uint32_t first_switch(const struct topo *t, uint32_t src, unsigned *in)
{
	*in = t->endport_swport[src];
	return t->endport_up[src] ? t->endport_switch[src] : NO_ID;
}

/*
 * One step at a switch: the port out, and where it leads.  Returns PATH_OK and
 * *next NO_ID when it has arrived, *next the next switch when it goes on.
 */
static enum path_end step(const struct topo *t, uint32_t sw, unsigned out, uint32_t dst, uint32_t *next,
			  unsigned *in)
{
	const struct fabric *f = t->fabric;
	uint32_t q;

	*next = NO_ID;
	if (out == NO_PATH || out > f->switch_nports[sw])
		return PATH_NO_ENTRY;
	if (out == 0)
		return f->port_endport[f->switch_port[sw]] == dst ? PATH_OK : PATH_WRONG_END;
	q = t->peer[f->switch_port[sw] + out];
	if (q == NO_ID)
		return PATH_DEAD_PORT;
	if (!node_is_switch(f, f->port_node[q]))
		return f->port_endport[q] == dst ? PATH_OK : PATH_WRONG_END;
	*next = f->node_switch[f->port_node[q]];
	*in = f->port_num[q];
	return PATH_OK;
}

static bool is_unswitched_pair(const struct topo *t, uint32_t src, uint32_t dst)
{
	const struct fabric *f = t->fabric;

	return !endport_is_switch(f, src) && t->peer[f->endport_port[src]] == f->endport_port[dst];
}

/* No SL that the path may have gets through. */
static bool dropped(const struct routing *r, uint32_t sw, unsigned in, unsigned out, struct sl_range sl)
{
	for (unsigned v = sl.lo; v <= sl.hi; v++)
		if ((routing_vl(r, sw, in, out, v) & 15) != 15)
			return false;
	return true;
}

void path_trace(const struct routing *r, uint32_t src, unsigned slid, unsigned dlid, struct path *p)
{
	const struct topo *t = r->topo;
	uint32_t sw, next;
	unsigned in;

	*p = (struct path){.src = src, .dst = lid_owner(r->lids, dlid), .slid = slid, .dlid = dlid};
	sw = first_switch(t, src, &in);
	if (p->dst == NO_ID) {
		p->end = PATH_NO_LID;
		return;
	}
	if (src == p->dst)
		return;
	if (sw == NO_ID) {
		bool direct = t->endport_up[src] && is_unswitched_pair(t, src, p->dst);

		p->hops = direct;
		p->end = direct ? PATH_OK : PATH_NO_SOURCE;
		return;
	}
	p->sl = slid ? routing_sl(r, slid, dlid) : (struct sl_range){0, 0};
	for (p->hops = in ? 1 : 0;; sw = next) {
		unsigned out = routing_port(r, sw, dlid);
		unsigned from = in;

		p->end = step(t, sw, out, p->dst, &next, &in);
		add_hop(p, sw, from, out, out && out != NO_PATH ? routing_vl(r, sw, from, out, p->sl.lo) : 0);
		if (p->end != PATH_OK || (next == NO_ID && out == 0))
			return;
		if (slid && dropped(r, sw, from, out, p->sl)) {
			p->end = PATH_DROPPED;
			return;
		}
		p->hops++;
		if (next == NO_ID)
			return;
		if (p->n > t->fabric->n_switches) {
			p->end = PATH_LOOP;
			return;
		}
	}
}

void path_free(struct path *p)
{
	free(p->hop);
	*p = (struct path){0};
}

#define UNKNOWN 0xFFFD
#define WALKING 0xFFFC

/* Hops of a switch whose entry ends the walk; UNKNOWN when it leads on to *next. */
static uint16_t end_hops(const struct topo *t, uint32_t sw, unsigned out, uint32_t dst, uint32_t *next)
{
	const struct fabric *f = t->fabric;
	unsigned in;

	if (out <= f->switch_nports[sw]) { /* mostly it simply goes on */
		*next = t->peer_switch[f->switch_port[sw] + out];
		if (*next != NO_ID)
			return UNKNOWN;
	}
	if (step(t, sw, out, dst, next, &in) != PATH_OK)
		return HOPS_NONE;
	if (*next == NO_ID)
		return out ? 1 : 0;
	return UNKNOWN;
}

void column_hops(const struct topo *t, const uint8_t *col, uint32_t owner, uint16_t *hops, uint32_t *work)
{
	uint32_t n = t->fabric->n_switches;

	for (uint32_t s = 0; s < n; s++)
		hops[s] = owner == NO_ID || !switch_up(t, s) ? HOPS_NONE : UNKNOWN;
	for (uint32_t s = 0; s < n; s++) {
		uint32_t depth = 0, next = s;
		uint16_t h = UNKNOWN;

		/* walk on until something known, then give the walk its numbers backwards */
		while (hops[next] == UNKNOWN) {
			uint32_t sw = next;

			hops[sw] = WALKING;
			work[depth++] = sw;
			h = end_hops(t, sw, col[sw], owner, &next);
			if (h != UNKNOWN) {
				hops[work[--depth]] = h;
				break;
			}
		}
		if (h == UNKNOWN)
			h = hops[next] == WALKING ? HOPS_LOOP : hops[next];
		while (depth) {
			if (h < WALKING)
				h++;
			hops[work[--depth]] = h;
		}
	}
}

void dest_hops(const struct routing *r, unsigned lid, uint16_t *hops, uint32_t *work)
{
	uint32_t n = r->topo->fabric->n_switches;
	uint8_t *col = NEW_ARRAY(n, uint8_t);

	for (uint32_t s = 0; s < n; s++)
		col[s] = routing_port(r, s, lid);
	column_hops(r->topo, col, lid_owner(r->lids, lid), hops, work);
	free(col);
}

void routing_columns(const struct routing *r, unsigned lid0, unsigned n, uint8_t *col)
{
	uint32_t n_switches = r->topo->fabric->n_switches;

	for (uint32_t s = 0; s < n_switches; s++) {
		const struct lft_row *row = r->row[s];

		for (unsigned i = 0; i < n; i++)
			col[(size_t)i * n_switches + s] =
				row && lid0 + i <= row->top ? row->port[lid0 + i] : NO_PATH;
	}
}
