/* Writing forwarding tables and paths in the forms OpenSM's users know. */
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/formats/formats.h"
#include "core/routing/paths.h"
#include "core/routing/distances.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- opensm-lfts.dump ------------------------------------------------------------ */

static unsigned lfts_switch_lid(const struct routing *r, uint32_t sw)
{
	const struct fabric *fb = r->topo->fabric;

	return r->lids->base[fb->port_endport[fb->switch_port[sw]]];
}

/* OpenSM prints the name from a node-name-map, if any, cut to the 63 bytes of a description. */
static const char *dump_name(const struct fabric *fb, uint32_t node)
{
	return *fb->node_desc[node] ? fb->node_given[node] : "";
}

/* The text after the port number in the line of each LID. Line l is s[at[l]] .. s[at[l + 1]]. */
struct tails {
	struct text text;
	size_t *at;
};

int write_lfts(FILE *f, const struct routing *r, struct progress *p)
{
	static const char *const type[] = {"", "Channel Adapter", "Switch", "Router"};
	static const char hex[] = "0123456789abcdef";
	const struct fabric *fb = r->topo->fabric;
	uint32_t n = fb->n_switches;
	struct tails t = {0};
	bool go_on = true;

	t.at = NEW_ARRAY(r->lids->max_lid + 2u, size_t);
	for (unsigned lid = 0; lid <= r->lids->max_lid; lid++) {
		uint32_t ep = lid_owner(r->lids, lid), node;

		if (ep == NO_ID) {
			text_add(&t.text, " # unknown node and type\n");
		} else {
			node = endport_node(fb, ep);
			text_add(&t.text, " # %s portguid 0x%016" PRIx64 ": '%.63s'\n",
				 type[fb->node_type[node]], fb->port_guid[fb->endport_port[ep]],
				 dump_name(fb, node));
		}
		t.at[lid + 1] = t.text.len;
	}
	progress_start(p, "writing tables", n);
	for (uint32_t s = 0; s < n && (go_on = progress_step(p, s)); s++)
		if (r->row[s] && switch_up(r->topo, s)) {
			uint32_t node = fb->switch_node[s];
			unsigned top = r->row[s]->top;
			char head[10];

			fprintf(f, "Unicast lids [0-%u] of switch Lid %u guid 0x%016" PRIx64 " ('%.63s'):\n",
				top, lfts_switch_lid(r, s), fb->node_guid[node], dump_name(fb, node));
			for (unsigned lid = 0; lid <= top; lid++) {
				unsigned port = routing_port(r, s, lid);

				if (port > fb->switch_nports[s] || port == NO_PATH)
					continue;
				/* "0x0012 003" without printf: a large dump has millions of lines */
				memcpy(head, "0x", 2);
				for (int i = 0; i < 4; i++)
					head[2 + i] = hex[lid >> (12 - 4 * i) & 15];
				head[6] = ' ';
				head[7] = '0' + port / 100;
				head[8] = '0' + port / 10 % 10;
				head[9] = '0' + port % 10;
				fwrite(head, 1, sizeof(head), f);
				fwrite(t.text.s + t.at[lid], 1, t.at[lid + 1] - t.at[lid], f);
			}
			fprintf(f, "%u lids dumped\n", top);
		}
	text_free(&t.text);
	free(t.at);
	return go_on ? write_status(f) : -1;
}

/* --- opensm.fdbs ------------------------------------------------------------------- */

/* Hops between switches: the engine's own matrix, or plain distances. */
struct distances {
	const struct routing *r;
	uint8_t *d; /* [n * n], NULL when the engine has a matrix */
	uint32_t n;
};

/* False: cancelled. */
static bool distances_init(struct distances *x, const struct routing *r, struct progress *p)
{
	uint16_t *hops;
	bool go_on = true;

	*x = (struct distances){.r = r, .n = r->topo->fabric->n_switches};
	if (r->ops->hops)
		return true;
	x->d = NEW_ARRAY((size_t)x->n * x->n, uint8_t);
	hops = NEW_ARRAY(x->n + 1, uint16_t);
	progress_start(p, "distances", x->n);
	for (uint32_t s = 0; s < x->n && (go_on = progress_step(p, s)); s++) {
		uint8_t *d = x->d + (size_t)s * x->n;

		switch_distances(x->r->topo, s, hops);
		for (uint32_t to = 0; to < x->n; to++)
			d[to] = MIN(hops[to], NO_PATH);
	}
	free(hops);
	return go_on;
}

/* Hops from switch s to d through a port, or the best way (port 0). NO_PATH: there is none. */
static unsigned distance(const struct distances *x, uint32_t s, uint32_t d, unsigned port)
{
	const struct topo *t = x->r->topo;
	uint32_t next;
	unsigned rest;

	if (!x->d)
		return x->r->ops->hops(x->r, s, d, port);
	if (!port)
		return x->d[(size_t)s * x->n + d];
	next = t->peer_switch[switch_port_id(t->fabric, s, port)];
	rest = next == NO_ID ? NO_PATH : x->d[(size_t)next * x->n + d];
	return rest >= NO_PATH - 1 ? NO_PATH : rest + 1;
}

static unsigned best_port(const struct distances *x, uint32_t s, uint32_t d, unsigned best)
{
	for (unsigned p = 1; p <= x->r->topo->fabric->switch_nports[s]; p++)
		if (distance(x, s, d, p) == best)
			return p;
	return 0;
}

static void fdbs_entry(FILE *f, const struct distances *x, uint32_t s, unsigned lid)
{
	const struct topo *t = x->r->topo;
	unsigned port = routing_port(x->r, s, lid), best, hops, more;
	uint32_t ep = lid_owner(x->r->lids, lid), d;

	if (port == NO_PATH || port > t->fabric->switch_nports[s]) {
		fprintf(f, "0x%04X : UNREACHABLE\n", lid);
		return;
	}
	d = ep == NO_ID ? NO_ID : t->endport_switch[ep];
	more = ep != NO_ID && !endport_is_switch(t->fabric, ep); /* the link to a channel adapter */
	best = d == NO_ID ? NO_PATH : d == s ? 0 : distance(x, s, d, 0);
	hops = d == NO_ID					    ? NO_PATH
	       : d == s && (!port || port == t->endport_swport[ep]) ? 0
								    : distance(x, s, d, port);
	if (hops == NO_PATH || best == NO_PATH)
		fprintf(f, "0x%04X : %03u  : HOPS UNKNOWN\n", lid, port);
	else if (hops == best)
		fprintf(f, "0x%04X : %03u  : %02u   : yes\n", lid, port, hops + more);
	else
		fprintf(f, "0x%04X : %03u  : %02u   : No %u hop path possible via port %u!\n", lid, port,
			hops + more, best + more, d == s ? t->endport_swport[ep] : best_port(x, s, d, best));
}

size_t write_fdbs_room(const struct routing *r)
{
	size_t n = r->topo->fabric->n_switches;

	return r->ops->hops ? 0 : n * n;
}

int write_fdbs(FILE *f, const struct routing *r, struct progress *p)
{
	const struct fabric *fb = r->topo->fabric;
	struct distances x;
	bool go_on = distances_init(&x, r, p);

	progress_start(p, "writing tables", fb->n_switches);
	for (uint32_t s = 0; go_on && s < fb->n_switches && (go_on = progress_step(p, s)); s++) {
		if (!r->row[s] || !switch_up(r->topo, s))
			continue;
		fprintf(f, "dump_ucast_routes: Switch 0x%016" PRIx64 "\nLID    : Port : Hops : Optimal\n",
			fb->node_guid[fb->switch_node[s]]);
		for (unsigned lid = 1; lid <= r->row[s]->top; lid++)
			fdbs_entry(f, &x, s, lid);
	}
	free(x.d);
	return go_on ? write_status(f) : -1;
}

/* --- paths -------------------------------------------------------------------------- */

/* A LID of a channel adapter or router that is up. */
struct end_lid {
	uint32_t ep;
	unsigned lid;
};

/* Hops to every destination LID from the switches that have sources. */
struct path_table {
	const struct routing *r;
	struct end_lid *end;
	size_t n_ends;
	uint32_t *column; /* [n_switches] column of a switch that has sources, NO_ID for others */
	uint32_t n_columns;
	uint16_t *hops; /* [n_ends * n_columns] */
};

static void lfts_find_ends(struct path_table *t)
{
	const struct lids *l = t->r->lids;
	const struct fabric *fb = t->r->topo->fabric;

	t->end = NEW_ARRAY(l->max_lid + 1u, struct end_lid);
	t->column = NEW_ARRAY(fb->n_switches, uint32_t);
	memset(t->column, 0xff, fb->n_switches * sizeof(*t->column));
	for (unsigned lid = 1; lid <= l->max_lid; lid++) {
		uint32_t ep = lid_owner(l, lid), sw;

		if (ep == NO_ID || endport_is_switch(fb, ep) || !t->r->topo->endport_up[ep])
			continue;
		t->end[t->n_ends++] = (struct end_lid){ep, lid};
		sw = t->r->topo->endport_switch[ep];
		if (sw != NO_ID && t->column[sw] == NO_ID)
			t->column[sw] = t->n_columns++;
	}
}

/* Links from a source to destination number d; HOPS_LOOP or above: no path. */
static unsigned path_hops(const struct path_table *t, uint32_t src, size_t d)
{
	const struct topo *top = t->r->topo;
	uint32_t sw = top->endport_switch[src];
	unsigned h;

	if (src == t->end[d].ep) /* another LID of the same port: the packet does not leave it */
		return routing_sa_refuses(t->r, src, false) ? HOPS_NONE : 0;
	if (routing_sa_refuses(t->r, src, sw != NO_ID) ||
	    (t->r->pair_sls && !pair_sls_share(t->r->pair_sls, src, t->end[d].ep)))
		return HOPS_NONE;
	if (sw == NO_ID) /* two adapters wired to each other */
		return top->peer[top->fabric->endport_port[src]] == top->fabric->endport_port[t->end[d].ep]
			       ? 1
			       : HOPS_NONE;
	h = t->hops[d * t->n_columns + t->column[sw]];
	return h >= HOPS_LOOP ? h : h + 1;
}

static char *put_number(char *p, unsigned v)
{
	char digits[10];
	unsigned n = 0;

	do
		digits[n++] = '0' + v % 10;
	while ((v /= 10));
	while (n)
		*p++ = digits[--n];
	return p;
}

/* Writes "SLID DLID SL HOPS". Returns the place after the newline. */
static char *lfts_put_path(char *p, const struct routing *r, unsigned slid, unsigned dlid, unsigned hops)
{
	struct sl_range sl;

	p = put_number(p, slid);
	*p++ = ' ';
	p = put_number(p, dlid);
	if (hops >= HOPS_LOOP) {
		memcpy(p, " - -\n", 5);
		return p + 5;
	}
	sl = routing_sl_by_chance(r, slid, dlid);
	*p++ = ' ';
	p = put_number(p, sl.lo);
	if (sl.hi != sl.lo) {
		*p++ = '.';
		*p++ = '.';
		p = put_number(p, sl.hi);
	}
	*p++ = ' ';
	p = put_number(p, hops);
	*p++ = '\n';
	return p;
}

#define LINE_ROOM 64
#define PATH_BUFFER (1 << 14)

static void write_sources(FILE *f, const struct path_table *t, size_t s, char *buf)
{
	char *p = buf;

	for (size_t d = 0; d < t->n_ends; d++) {
		if (d == s)
			continue;
		p = lfts_put_path(p, t->r, t->end[s].lid, t->end[d].lid, path_hops(t, t->end[s].ep, d));
		if (p + LINE_ROOM > buf + PATH_BUFFER) {
			fwrite(buf, 1, p - buf, f);
			p = buf;
		}
	}
	fwrite(buf, 1, p - buf, f);
}

size_t write_paths_room(const struct routing *r)
{
	struct path_table t = {.r = r};
	size_t size;

	lfts_find_ends(&t);
	size = t.n_ends * t.n_columns * sizeof(*t.hops);
	free(t.end);
	free(t.column);
	return size;
}

int write_paths(FILE *f, const struct routing *r, struct progress *p)
{
	struct path_table t = {.r = r};
	char *buf = NEW_ARRAY(PATH_BUFFER, char);
	uint32_t n = r->topo->fabric->n_switches, *work = NEW_ARRAY(n, uint32_t);
	uint16_t *hops = NEW_ARRAY(n, uint16_t);
	int status = 0;

	lfts_find_ends(&t);
	t.hops = NEW_ARRAY(t.n_ends * t.n_columns, uint16_t);
	progress_start(p, "hops of all destinations", t.n_ends);
	for (size_t i = 0; i < t.n_ends && !status; i++) {
		dest_hops(t.r, t.end[i].lid, hops, work);
		for (uint32_t s = 0; s < n; s++)
			if (t.column[s] != NO_ID)
				t.hops[i * t.n_columns + t.column[s]] = hops[s];
		if (!progress_step(p, i))
			status = -1;
	}
	free(work);
	free(hops);
	if (!status)
		progress_start(p, "writing paths", t.n_ends);
	for (size_t s = 0; s < t.n_ends && !status; s++) {
		write_sources(f, &t, s, buf);
		if (ferror(f) || !progress_step(p, s))
			status = -1;
	}
	free(buf);
	free(t.end);
	free(t.column);
	free(t.hops);
	return status ? -1 : write_status(f);
}
