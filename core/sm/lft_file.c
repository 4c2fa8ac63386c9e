#include "core/base/defs.h"
#include "core/sm/lft_file.h"
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

static const char *lft_file_skip_white(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

static bool lft_file_next_piece(struct pieces *f)
{
	size_t left = f->size - f->at, n = MIN(left, PIECE);
	const char *nl;

	if (!left)
		return false;
	nl = memchr(f->data + f->at, '\n', n);
	n = nl ? (size_t)(nl - (f->data + f->at)) + 1 : n;
	memcpy(f->text, f->data + f->at, n);
	f->text[n] = 0;
	f->at += n;
	f->line++;
	f->p = lft_file_skip_white(f->text);
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
	unsigned long top; /* last LID from the head, 0 = not told */
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
	    !lft_file_number(lft_file_skip_white(p), 10, &port, &p) || (*p && !isspace((unsigned char)*p))) {
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
	struct err why;
	char *data;
	size_t size;

	if (read_file(path, p, &data, &size, &why)) {
		*l = (struct lft_file){.has = NEW_ARRAY(t->fabric->n_switches, uint8_t),
				       .broken = true,
				       .missing = true,
				       .why = why};
		return;
	}
	lft_file_parse(l, path, data, size, t);
	free(data);
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
	p = lft_file_skip_white(*p ? p + 1 : p);
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
		p = lft_file_skip_white(p);
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
	struct err why;
	char *data;
	size_t size;

	if (read_file(path, p, &data, &size, &why)) {
		*h = (struct hops_file){.broken = true, .missing = true, .why = why};
		return;
	}
	hops_file_parse(h, path, data, size, t);
	free(data);
}

void hops_file_free(struct hops_file *h)
{
	free(h->row);
	free(h->value);
	*h = (struct hops_file){0};
}
