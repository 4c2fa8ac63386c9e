/* Files from which OpenSM takes forwarding tables and SLs. */
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cursor.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/sm/lft_file.h"

/* Most bytes of a piece, as fgets() reads them into OpenSM's buffer. */
#define PIECE 1022

/* Pieces of a text as OpenSM sees them: lines, or parts of lines that are too long. */
struct pieces {
	const char *name, *data;
	size_t size, at;
	unsigned line; /* of the present piece, pieces counted */
	char text[PIECE + 1];
	const char *p; /* first byte that is not white */
};

static bool lft_file_next_piece(struct pieces *f)
{
	size_t left = f->size - f->at, n = MIN(left, PIECE);

	if (!left)
		return false;
	const char *nl = memchr(f->data + f->at, '\n', n);
	n = nl ? (size_t)(nl - (f->data + f->at)) + 1 : n;
	memcpy(f->text, f->data + f->at, n);
	f->text[n] = 0;
	f->at += n;
	f->line++;
	f->p = words_skip(f->text);
	return true;
}

static void set_broken(const struct pieces *f, const char *what, struct err *why)
{
	struct cursor c = {f->p, f->p + strcspn(f->p, "\r\n")};
	char found[60];

	err_set(why, "%s:%u: found '%s', expected %s", f->name, f->line, excerpt(c, found, sizeof(found)),
		what);
}

static bool starts(const char *p, const char *word)
{
	return !strncmp(p, word, strlen(word));
}

/* A hexadecimal number after `mark`, followed by white space or one of `ends`. False: there is none. */
static bool lft_file_guid_behind(const char *p, const char *mark, const char *ends, uint64_t *guid)
{
	const char *q = strstr(p, mark);
	char *end;

	if (!q)
		return false;
	q += strlen(mark);
	*guid = strtoull(q, &end, 16);
	return end != q && (isspace((unsigned char)*end) || (*end && strchr(ends, *end)));
}

/* A number and its end; false when there is none. */
static bool lft_file_number(const char *p, int base, unsigned long *v, const char **end)
{
	char *e;

	*v = strtoul(p, &e, base);
	*end = e;
	return e != p;
}

static uint32_t switch_up_by_guid(const struct topo *t, uint64_t guid)
{
	uint32_t node = fabric_node_by_guid(t->fabric, guid);
	uint32_t sw = node == NO_ID ? NO_ID : t->fabric->node_switch[node];

	return sw != NO_ID && switch_up(t, sw) ? sw : NO_ID;
}

/* --- forwarding tables ----------------------------------------------------------------- */

#define WANT_HEAD "\"Unicast lids ... guid 0x<GUID> ...\""
#define WANT_LID "\"0x<LID> <port>\""

/* The table being read. */
struct lft_file_table {
	uint32_t sw;	   /* NO_ID: its lines are skipped */
	unsigned long top; /* last LID from the head, 0 = not given */
	bool last;	   /* its entry was read */
};

/* "[0x0-0x40]" or "[0-64]" in a head line. */
static unsigned long head_top(const char *p)
{
	const char *q = strchr(p, '['), *end;
	unsigned long v;

	q = q ? strchr(q, '-') : NULL;
	return q && lft_file_number(q + 1, 0, &v, &end) && *end == ']' ? v : 0;
}

static void lft_file_end_table(struct lft_file *l, const struct lft_file_table *t)
{
	l->n_cut += t->sw != NO_ID && t->top && t->top % 64 == 0 && !t->last;
}

static bool lft_file_read_head(struct lft_file *l, const struct pieces *f, const struct topo *topo,
			       struct lft_file_table *t)
{
	uint64_t guid;

	lft_file_end_table(l, t);
	*t = (struct lft_file_table){.sw = NO_ID};
	if (!lft_file_guid_behind(f->p, " guid 0x", "", &guid)) {
		set_broken(f, WANT_HEAD, &l->why);
		return false;
	}
	t->sw = switch_up_by_guid(topo, guid);
	t->top = head_top(f->p);
	if (t->sw != NO_ID)
		l->has[t->sw] = 1;
	else if (!l->n_unknown++)
		l->unknown = guid;
	return true;
}

static bool lft_file_read_entry(struct lft_file *l, const struct pieces *f, const struct topo *topo,
				struct lft_file_table *t)
{
	struct lft_entry e = {.sw = t->sw, .line = f->line};
	unsigned long lid, port;
	const char *p;

	if (!lft_file_number(f->p + 2, 16, &lid, &p) || !isspace((unsigned char)*p) ||
	    !lft_file_number(words_skip(p), 10, &port, &p) || (*p && !isspace((unsigned char)*p))) {
		set_broken(f, WANT_LID, &l->why);
		return false;
	}
	e.lid = lid;
	e.port = port;
	if (e.port > topo->fabric->switch_nports[t->sw]) {
		set_broken(f, "a port that the switch has (tables with entries 255 cannot be loaded)",
			   &l->why);
		return false;
	}
	if (!lft_file_guid_behind(p, " portguid 0x", ":", &e.guid))
		e.guid = 0;
	t->last |= e.lid == t->top;
	GROW(l->e, l->n, l->cap);
	l->e[l->n++] = e;
	return true;
}

void lft_file_parse(struct lft_file *l, const char *name, const char *data, size_t size, const struct topo *t)
{
	struct pieces f = {.name = name, .data = data, .size = size};
	struct lft_file_table table = {.sw = NO_ID};
	bool good = true;

	*l = (struct lft_file){.has = NEW_ARRAY(t->fabric->n_switches, uint8_t)};
	while (good && lft_file_next_piece(&f)) {
		if (starts(f.p, "Multicast mlids"))
			l->n_multicast++;
		else if (starts(f.p, "Unicast lids"))
			good = lft_file_read_head(l, &f, t, &table);
		else if (table.sw != NO_ID && starts(f.p, "0x"))
			good = lft_file_read_entry(l, &f, t, &table);
	}
	lft_file_end_table(l, &table);
	l->broken = !good;
}

void lft_file_read(struct lft_file *l, const char *path, const struct topo *t, struct progress *p)
{
	AUTO_FREE char *data = NULL;
	struct err why;
	size_t size;

	if (read_file(path, p, &data, &size, &why)) {
		*l = (struct lft_file){.has = NEW_ARRAY(t->fabric->n_switches, uint8_t),
				       .broken = true,
				       .missing = true,
				       .why = why};
		return;
	}
	lft_file_parse(l, path, data, size, t);
}

void lft_file_free(struct lft_file *l)
{
	free(l->e);
	free(l->has);
	*l = (struct lft_file){0};
}

/* --- hop matrices ------------------------------------------------------------------------ */

/* "0x<LID>: <hex> <hex> ... # ..." */
static bool lft_file_read_row(struct hops_file *h, const struct pieces *f, const struct topo *t, uint32_t sw)
{
	struct hops_row row = {.sw = sw, .at = h->n_values};
	unsigned long v;
	const char *p;

	if (!lft_file_number(f->p + 2, 16, &v, &p) || (*p && *p != ':' && !isspace((unsigned char)*p))) {
		set_broken(f, "\"0x<LID>: <hops> <hops> ...\"", &h->why);
		return false;
	}
	row.lid = v;
	p = words_skip(*p ? p + 1 : p);
	while (*p && *p != '#') {
		if (!lft_file_number(p, 16, &v, &p)) {
			set_broken(f, "hops of the ports in hexadecimal, then '#'", &h->why);
			return false;
		}
		if (row.n <= t->fabric->switch_nports[sw]) {
			GROW(h->value, h->n_values, h->cap_values);
			h->value[h->n_values++] = v;
			row.n++;
		}
		p = words_skip(p);
	}
	GROW(h->row, h->n, h->cap);
	h->row[h->n++] = row;
	return true;
}

void hops_file_parse(struct hops_file *h, const char *name, const char *data, size_t size,
		     const struct topo *t)
{
	struct pieces f = {.name = name, .data = data, .size = size};
	uint32_t sw = NO_ID;
	uint64_t guid = 0;

	*h = (struct hops_file){0};
	while (!h->broken && lft_file_next_piece(&f)) {
		if (starts(f.p, "Switch")) {
			h->broken = !lft_file_guid_behind(f.p, " guid 0x", "", &guid);
			if (h->broken)
				set_broken(&f, "\"Switch ... guid 0x<GUID> ...\"", &h->why);
			sw = h->broken ? NO_ID : switch_up_by_guid(t, guid);
			h->n_unknown += !h->broken && sw == NO_ID;
		} else if (sw != NO_ID && starts(f.p, "0x")) {
			h->broken = !lft_file_read_row(h, &f, t, sw);
		}
	}
}

void hops_file_read(struct hops_file *h, const char *path, const struct topo *t, struct progress *p)
{
	AUTO_FREE char *data = NULL;
	struct err why;
	size_t size;

	if (read_file(path, p, &data, &size, &why)) {
		*h = (struct hops_file){.broken = true, .missing = true, .why = why};
		return;
	}
	hops_file_parse(h, path, data, size, t);
}

void hops_file_free(struct hops_file *h)
{
	free(h->row);
	free(h->value);
	*h = (struct hops_file){0};
}

/* State while a file is read into the SL tables. */
struct sl_tables_file_reading {
	struct sl_tables *l;
	const char *name;
	const struct fabric *f;
	const struct lids *lids;
	struct lines lines;
	uint32_t sw;	   /* switch of the present block of maps, NO_ID = none or not in the fabric */
	uint32_t source;   /* endport of the present block of SLs, or of maps that are taken; or NO_ID */
	bool block;	   /* a block has begun */
	sl2vl_taker *take; /* gets the maps, instead of l */
	void *arg;
	uint32_t unknown; /* number of nodes or LIDs that the fabric does not have */
};

static int sl_tables_file_expected(const struct sl_tables_file_reading *r, struct cursor line,
				   const char *what, struct err *e)
{
	char found[60];

	return err_set(e, "%s:%u: found '%s', expected %s", r->name, r->lines.no,
		       excerpt(line, found, sizeof(found)), what);
}

/* A number of at most `max`; hexadecimal with 0x. */
static bool sl_tables_file_number(struct cursor *c, uint64_t max, uint64_t *v)
{
	return cur_number(c, 0, v) && *v <= max;
}

static bool at_end(struct cursor *c)
{
	cur_blanks(c);
	return cur_empty(c);
}

/* --- maps ------------------------------------------------------------------------------- */

static uint32_t sl_tables_file_switch_of_guid(const struct fabric *f, uint64_t guid)
{
	uint32_t node = fabric_node_by_guid(f, guid), ep;

	if (node == NO_ID) {
		ep = fabric_endport_by_guid(f, guid);
		node = ep == NO_ID ? NO_ID : endport_node(f, ep);
	}
	return node == NO_ID ? NO_ID : f->node_switch[node];
}

/* "Switch 0x..., base LID 1, ..." and similar lines begin a block. */
static bool map_block(struct sl_tables_file_reading *r, struct cursor c)
{
	bool sw = cur_word(&c, "Switch");
	uint64_t guid;

	if (!sw && !cur_word(&c, "Channel Adapter") && !cur_word(&c, "Router"))
		return false;
	if (!cur_number(&c, 0, &guid))
		return false;
	r->block = true;
	r->source = fabric_endport_by_guid(r->f, guid);
	r->sw = sw ? sl_tables_file_switch_of_guid(r->f, guid) : NO_ID;
	r->unknown += sw && r->sw == NO_ID;
	return true;
}

/* Are there such ports?  Endports other than switches have one map, of "ports" 0 and 0. */
static bool port_of_source(const struct sl_tables_file_reading *r, uint64_t in, uint64_t out)
{
	bool sw = r->source != NO_ID && endport_is_switch(r->f, r->source);
	unsigned ports = sw ? r->f->node_nports[endport_node(r->f, r->source)] : 0;

	return r->source != NO_ID && in <= ports && out <= ports;
}

/* "IN OUT : VL ... VL", with sixteen VLs. */
static bool map_row(struct sl_tables_file_reading *r, struct cursor c)
{
	uint64_t in, out, vl;
	sl2vl_map m = 0;

	if (!r->block || !sl_tables_file_number(&c, MAX_PORTS + 1, &in) ||
	    !sl_tables_file_number(&c, MAX_PORTS + 1, &out) || !cur_char(&c, ':'))
		return false;
	for (unsigned sl = 0; sl < 16; sl++) {
		if (!sl_tables_file_number(&c, 15, &vl))
			return false;
		m |= vl << 4 * sl;
	}
	if (!at_end(&c))
		return false;
	if (r->take && !port_of_source(r, in, out))
		return false;
	if (r->take)
		r->take(r->arg, r->source, (unsigned)in, (unsigned)out, m);
	else if (r->sw != NO_ID)
		sl_tables_set_map(r->l, r->sw, in, out, m);
	return true;
}

/* "GUID IN OUT 0x01 0x23 ...": the bytes of the mapping table. */
static bool map_line(struct sl_tables_file_reading *r, struct cursor c)
{
	uint64_t guid, in, out, pair;
	uint8_t bytes[8];

	if (!cur_number(&c, 0, &guid) || !sl_tables_file_number(&c, MAX_PORTS + 1, &in) ||
	    !sl_tables_file_number(&c, MAX_PORTS + 1, &out))
		return false;
	for (unsigned i = 0; i < 8; i++) {
		if (!sl_tables_file_number(&c, 255, &pair))
			return false;
		bytes[i] = (uint8_t)pair;
	}
	if (!at_end(&c))
		return false;
	uint32_t sw = sl_tables_file_switch_of_guid(r->f, guid);
	r->unknown += sw == NO_ID;
	if (sw != NO_ID)
		sl_tables_set_map(r->l, sw, in, out, sl2vl_of_bytes(bytes));
	return true;
}

int sl2vl_file_parse(struct sl_tables *l, const struct input *in, const struct fabric *f, struct text *notes,
		     struct err *e)
{
	struct sl_tables_file_reading r = {
		.l = l, .name = in->name, .f = f, .lines = lines_of(in), .sw = NO_ID};
	struct cursor c;

	assert(l->n_switches == f->n_switches && l->n_endports == f->n_endports);
	while (lines_next(&r.lines, &c))
		if (cur_says(c) && !map_block(&r, c) && !map_row(&r, c) && !map_line(&r, c))
			return sl_tables_file_expected(
				&r, c, "`IN OUT : VL...` of a switch or `GUID IN OUT 0x01 0x23...`", e);
	if (r.unknown && notes)
		text_add(notes, "%s: maps of %u switch%s not in the fabric were skipped\n", in->name,
			 r.unknown, r.unknown == 1 ? " that is" : "es that are");
	return 0;
}

int sl2vl_file_each(const char *path, const struct fabric *f, sl2vl_taker *take, void *arg,
		    struct progress *p, struct err *e)
{
	struct sl_tables_file_reading r = {.name = path, .f = f, .take = take, .arg = arg};
	AUTO_FREE char *data = NULL;
	struct cursor c;
	size_t size;
	int rc = read_file(path, p, &data, &size, e);

	if (rc)
		return rc;
	r.lines = (struct lines){data, data + size, 0, p};
	while (!rc && lines_next(&r.lines, &c))
		if (cur_says(c) && !map_block(&r, c) && !map_row(&r, c))
			rc = sl_tables_file_expected(&r, c, "`IN OUT : VL...` of a port of this fabric", e);
	return !rc && progress_cancelled(p) ? err_set(e, CANCELLED) : rc;
}

int sl2vl_file_read(struct sl_tables *l, const char *path, const struct fabric *f, struct progress *p,
		    struct text *notes, struct err *e)
{
	struct input in = {.name = path};
	AUTO_FREE char *data = NULL;

	if (read_file(path, p, &data, &in.size, e))
		return -1;
	in.data = data;
	return sl2vl_file_parse(l, &in, f, notes, e);
}

/* --- SLs of paths --------------------------------------------------------------------------- */

static void put_sl(struct sl_tables_file_reading *r, uint32_t source, uint64_t dlid, uint64_t sl)
{
	if (source == NO_ID || !sl_tables_set_sl(r->l, source, dlid, sl))
		r->unknown++;
}

static bool sl_block(struct sl_tables_file_reading *r, struct cursor c)
{
	uint64_t guid;

	if ((!cur_word(&c, "Channel Adapter") && !cur_word(&c, "Switch") && !cur_word(&c, "Router")) ||
	    !cur_number(&c, 0, &guid))
		return false;
	r->block = true;
	r->source = fabric_endport_by_guid(r->f, guid);
	r->unknown += r->source == NO_ID;
	return true;
}

/* "LID : SL" of the present block. */
static bool sl_row(struct sl_tables_file_reading *r, struct cursor c)
{
	uint64_t dlid, sl;

	if (!r->block || !sl_tables_file_number(&c, MAX_LID, &dlid) || !cur_char(&c, ':') ||
	    !sl_tables_file_number(&c, 15, &sl))
		return false;
	if (r->source != NO_ID)
		put_sl(r, r->source, dlid, sl);
	return true;
}

/* "FROM DLID SL [HOPS]"; FROM is a LID, or the GUID of a node. */
static bool sl_line(struct sl_tables_file_reading *r, struct cursor c)
{
	uint64_t from, dlid, sl, hops;
	bool any = false;

	if (!cur_number(&c, 0, &from) || !sl_tables_file_number(&c, MAX_LID, &dlid))
		return false;
	if (cur_char(&c, '-')) /* no path */
		return true;
	if (!sl_tables_file_number(&c, 15, &sl) ||
	    (cur_word(&c, "..") && !sl_tables_file_number(&c, 15, &hops)) ||
	    (!at_end(&c) && !cur_number(&c, 0, &hops)) || !at_end(&c))
		return false;
	if (from <= MAX_LID) {
		put_sl(r, lid_owner(r->lids, (unsigned)from), dlid, sl);
		return true;
	}
	/* all ports of a CA or router; a switch has one */
	uint32_t node = fabric_node_by_guid(r->f, from);
	for (unsigned p = 0; node != NO_ID && p <= r->f->node_nports[node]; p++) {
		uint32_t ep = r->f->port_endport[r->f->node_port[node] + p];

		if (ep != NO_ID)
			put_sl(r, ep, dlid, sl);
		any |= ep != NO_ID;
	}
	r->unknown += !any;
	return true;
}

int sl_file_parse(struct sl_tables *l, const struct input *in, const struct fabric *f,
		  const struct lids *lids, struct text *notes, struct err *e)
{
	struct sl_tables_file_reading r = {
		.l = l, .name = in->name, .f = f, .lids = lids, .lines = lines_of(in), .source = NO_ID};
	struct cursor c;

	assert(l->n_endports == f->n_endports && lids->n_endports == f->n_endports);
	while (lines_next(&r.lines, &c))
		if (cur_says(c) && !sl_block(&r, c) && !sl_row(&r, c) && !sl_line(&r, c))
			return sl_tables_file_expected(
				&r, c, "`SLID DLID SL`, `GUID DLID SL` or `LID : SL` of a block", e);
	if (r.unknown && notes)
		text_add(notes, "%s: SLs and nodes that the fabric does not have were skipped: %u\n",
			 in->name, r.unknown);
	return 0;
}

/* --- writing -------------------------------------------------------------------------------- */

static const char separator[] = "#--------------------------------------------------------\n";

static void write_head(FILE *f, const struct routing *r, uint32_t ep, const char *kind)
{
	const struct fabric *fb = r->topo->fabric;

	fprintf(f, "%s 0x%016" PRIx64 ", base LID %u, \"%s\"\n", kind, fb->port_guid[fb->endport_port[ep]],
		r->lids->base[ep], fb->node_desc[endport_node(fb, ep)]);
	fprintf(f, "#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n%s", separator);
}

static void write_row(FILE *f, unsigned in, unsigned out, sl2vl_map m)
{
	fprintf(f, "%-3u %-3u :", in, out);
	for (unsigned sl = 0; sl < 16; sl++)
		fprintf(f, " %-2u", sl2vl_of(m, sl));
	fputc('\n', f);
}

static void write_switch(FILE *f, const struct routing *r, uint32_t ep)
{
	const struct fabric *fb = r->topo->fabric;
	uint32_t sw = r->topo->endport_switch[ep], port = fb->switch_port[sw];
	unsigned ports = fb->switch_nports[sw];

	assert(endport_is_switch(fb, ep));
	write_head(f, r, ep, "Switch");
	for (unsigned out = 1; out <= ports; out++) {
		if (r->topo->peer[port + out] == NO_ID)
			continue; /* OpenSM leaves out ports that are down */
		for (unsigned in = 0; in <= ports; in++) {
			sl2vl_map m = 0;

			for (unsigned sl = 0; sl < 16; sl++)
				m |= (sl2vl_map)routing_vl(r, sw, in, out, sl) << (4 * sl);
			write_row(f, in, out, m);
		}
	}
	fprintf(f, "%s\n", separator);
}

int write_sl2vl(FILE *f, const struct routing *r, struct progress *p)
{
	const struct fabric *fb = r->topo->fabric;
	bool go_on = true;

	progress_start(p, "writing maps", fb->n_endports);
	for (uint32_t ep = 0; ep < fb->n_endports && !ferror(f) && (go_on = progress_step(p, ep)); ep++) {
		if (!r->topo->endport_up[ep])
			continue;
		if (endport_is_switch(fb, ep)) {
			write_switch(f, r, ep);
		} else if (routing_endport_known(r)) { /* all CA and router ports send by one map */
			write_head(f, r, ep,
				   fb->node_type[endport_node(fb, ep)] == NODE_ROUTER ? "Router"
										      : "Channel Adapter");
			write_row(f, 0, 0, routing_endport_map(r, ep));
			fprintf(f, "%s\n", separator);
		}
	}
	return ferror(f) || !go_on ? -1 : 0;
}
