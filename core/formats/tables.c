/* Forwarding tables read from files, groups of adaptive routing and LIDs with them. */
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/fabric/names.h"
#include "core/formats/readers.h"
#include "core/formats/tables.h"

uint32_t tables_switch(struct tables_reader *r, uint64_t guid)
{
	uint32_t node = fabric_node_by_guid(r->f, guid);
	uint32_t sw = node == NO_ID ? NO_ID : r->f->node_switch[node];

	if (sw == NO_ID) {
		if (!r->n_unknown++)
			r->unknown = guid;
		return NO_ID;
	}
	free(r->t->lft[sw]);
	r->t->lft[sw] = mem_alloc(1);
	r->t->lft[sw][0] = NO_PATH;
	r->t->top[sw] = 0;
	r->cap[sw] = 1;
	r->head[sw] = NO_ID;
	if (r->t->adaptive)
		adaptive_clear(&r->t->adaptive->sw[sw]);
	return sw;
}

/* Its LIDs reach up to top, with or without entries. */
static void tables_top(struct tables_reader *r, uint32_t sw, uint64_t top)
{
	uint32_t need = (uint32_t)top + 1, n = r->cap[sw];

	if (top > MAX_LID || top <= r->t->top[sw])
		return;
	while (n < need)
		n *= 2;
	if (n > r->cap[sw]) {
		r->t->lft[sw] = mem_resize(r->t->lft[sw], n, 1);
		memset(r->t->lft[sw] + r->cap[sw], NO_PATH, n - r->cap[sw]);
		r->cap[sw] = n;
	}
	r->t->top[sw] = (uint16_t)top;
}

bool tables_entry(struct tables_reader *r, uint32_t sw, uint64_t lid, uint64_t port)
{
	if (!lid || lid > MAX_LID || port > NO_PATH)
		return false;
	tables_top(r, sw, lid);
	r->t->lft[sw][lid] = (uint8_t)port;
	return true;
}

void tables_unknown(struct tables_reader *r, unsigned line, struct cursor text)
{
	if (r->n_lines++)
		return;
	r->first_line = line;
	excerpt(text, r->example, sizeof(r->example));
}

/* ibdiagnet's .far: forwarding tables with adaptive-routing groups (core/formats/doc/formats.md 9.3). */

#define MAX_FIELDS 16

/* The columns that are read in the two kinds of rows, at their usual places; a header may give others. */
enum { G_GROUP, G_PORTS, G_COLUMNS };
enum { E_LID, E_STATIC, E_STATE, E_GROUP, E_COLUMNS };
static_assert((int)G_COLUMNS <= (int)E_COLUMNS, "far_reader has room for both");

enum part { PART_NONE, PART_GROUPS, PART_ENTRIES };

struct far_reader {
	struct tables_reader *r;
	struct lines lines;
	uint32_t sw; /* NO_ID: lines are skipped */
	enum part part;
	bool rows;		/* the line of dashes was read */
	unsigned at[E_COLUMNS]; /* field of a column */
};

/* `Switch 0x<GUID> ...` */
static bool switch_line(struct cursor c, uint64_t *guid)
{
	return cur_word(&c, "Switch") && cur_word(&(struct cursor){c.p, c.end}, "0x") &&
	       cur_number(&c, 16, guid);
}

static bool begins_switch(struct cursor line)
{
	uint64_t guid;

	return switch_line(line, &guid);
}

/* Splits a row or header at bars, if there are any, else at blanks (headers: two blanks, or tabs). */
static unsigned tables_far_split(struct cursor c, bool header, struct cursor *field)
{
	bool bars = memchr(c.p, '|', (size_t)(c.end - c.p)) != NULL;
	unsigned n = 0;

	while (n < MAX_FIELDS) {
		cur_blanks(&c);
		if (cur_empty(&c))
			break;
		struct cursor f = {c.p, c.p};
		while (c.p < c.end) {
			bool blank = isspace((unsigned char)*c.p);

			if (bars ? *c.p == '|'
				 : blank && (!header || *c.p == '\t' || c.p + 1 == c.end ||
					     isspace((unsigned char)c.p[1])))
				break;
			c.p++;
			if (!blank)
				f.end = c.p;
		}
		c.p += c.p < c.end;
		field[n++] = f;
	}
	return n;
}

/* Compares column names without blanks and case: "Static Port" is "staticport". */
static bool tables_far_is_named(struct cursor c, const char *name)
{
	for (; c.p < c.end; c.p++) {
		if (isspace((unsigned char)*c.p))
			continue;
		if (!*name || tolower((unsigned char)*c.p) != *name)
			return false;
		name++;
	}
	return !*name;
}

static bool tables_far_field_number(const struct cursor *field, unsigned n, unsigned at, unsigned base,
				    uint64_t *v)
{
	return at < n && cur_is_number(field[at], base, v);
}

static bool group_row(struct far_reader *f, const struct cursor *field, unsigned n)
{
	struct adaptive_switch *s = &f->r->t->adaptive->sw[f->sw];
	uint64_t number, port;
	struct cursor c;

	if (!tables_far_field_number(field, n, f->at[G_GROUP], 10, &number) || number >= NO_ADAPTIVE)
		return false;
	number = adaptive_group_index(s, (unsigned)number);
	if (f->at[G_PORTS] >= n)
		return true;
	/* "1,2,17"; ports that the switch does not have are left out */
	for (c = field[f->at[G_PORTS]]; cur_number(&c, 10, &port); cur_char(&c, ','))
		if (port && port <= f->r->f->switch_nports[f->sw])
			port_set_add(&s->group[number].ports, (unsigned)port);
	return cur_empty(&c);
}

static bool entry_row(struct far_reader *f, const struct cursor *field, unsigned n)
{
	struct adaptive_switch *s = &f->r->t->adaptive->sw[f->sw];
	uint64_t lid, port, group;

	if (!tables_far_field_number(field, n, f->at[E_LID], 16, &lid) ||
	    !tables_far_field_number(field, n, f->at[E_STATIC], 10, &port) ||
	    !tables_entry(f->r, f->sw, lid, port))
		return false;
	if (f->at[E_STATE] < n && tables_far_is_named(field[f->at[E_STATE]], "static"))
		return true;
	if (tables_far_field_number(field, n, f->at[E_GROUP], 10, &group) && group < NO_ADAPTIVE)
		adaptive_set(s, (unsigned)lid, adaptive_group_index(s, (unsigned)group));
	return true;
}

static void begin_part(struct far_reader *f, enum part part)
{
	f->part = f->sw == NO_ID ? PART_NONE : part;
	f->rows = false;
	f->at[0] = 0;
	if (part == PART_GROUPS)
		f->at[G_PORTS] = 3;
	for (unsigned k = 1; part == PART_ENTRIES && k < E_COLUMNS; k++)
		f->at[k] = k;
}

/* ibdiagnet's .far. */
static void tables_read_far(struct tables_reader *r, const struct input *in)
{
	static const char *const names[2][E_COLUMNS] = {{"group", "ports"},
							{"lid", "staticport", "lidstate", "group"}};
	struct far_reader f = {.r = r, .lines = lines_of(in), .sw = NO_ID};
	struct cursor line, c, field[MAX_FIELDS];
	uint64_t guid;
	unsigned n;

	r->info.format = "far";
	if (!r->t->adaptive)
		r->t->adaptive = adaptive_new(r->f->n_switches);
	while (lines_next(&f.lines, &line)) {
		c = line;
		cur_blanks(&c);
		if (switch_line(c, &guid)) {
			f.sw = tables_switch(r, guid);
			f.part = PART_NONE;
		} else if (cur_word(&c, "Groups Definition:")) {
			begin_part(&f, PART_GROUPS);
		} else if (cur_word(&c, "LFT Definition:")) {
			begin_part(&f, PART_ENTRIES);
		} else if (f.part == PART_NONE || (!f.rows && cur_empty(&c))) {
			continue;
		} else if (!f.rows && cur_char(&c, '-')) {
			f.rows = true;
		} else if (!f.rows) {
			n = tables_far_split(line, true, field);
			for (unsigned i = 0; i < n; i++)
				for (unsigned k = 0; k < E_COLUMNS && names[f.part == PART_ENTRIES][k]; k++)
					if (tables_far_is_named(field[i], names[f.part == PART_ENTRIES][k]))
						f.at[k] = i;
		} else if (!cur_empty(&c) && isdigit((unsigned char)*c.p)) {
			n = tables_far_split(line, false, field);
			if (!(f.part == PART_GROUPS ? group_row : entry_row)(&f, field, n))
				tables_unknown(r, f.lines.no, line);
		} else {
			f.part = PART_NONE;
		}
	}
}

/* The LIDs of ports for tables that were read: from the files if they name them, else from elsewhere. */

/* A way of giving ports LIDs: [n_ports] base LIDs and LMCs. */
struct tables_lids_choice {
	uint16_t *lid;
	uint8_t *lmc;
	uint32_t fits, misfits;
	uint32_t first_misfit; /* endport */
};

/* The port by which a switch reaches an endport of its own, 0 for the switch itself; NO_PATH = none. */
static unsigned own_port(const struct fabric *f, uint32_t port, uint32_t *sw)
{
	uint32_t q = f->port_peer[port];

	*sw = f->node_switch[f->port_node[port]];
	if (*sw != NO_ID)
		return 0;
	*sw = q == NO_ID ? NO_ID : f->node_switch[f->port_node[q]];
	return *sw == NO_ID ? NO_PATH : f->port_num[q];
}

/* Counts ports to which their own switch sends their LID, and those to which it does not. */
static void tables_lids_judge(const struct tables_reader *r, struct tables_lids_choice *c)
{
	const struct fabric *f = r->f;

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep], sw;
		unsigned want = own_port(f, port, &sw), lid = c->lid[port];

		if (!lid || sw == NO_ID || !r->t->lft[sw])
			continue;
		if (lid <= r->t->top[sw] && r->t->lft[sw][lid] == want)
			c->fits++;
		else if (!c->misfits++)
			c->first_misfit = ep;
	}
}

static struct tables_lids_choice choice_new(const struct fabric *f)
{
	return (struct tables_lids_choice){.lid = NEW_ARRAY(f->n_ports, uint16_t),
					   .lmc = NEW_ARRAY(f->n_ports, uint8_t)};
}

/* --- what the files name --- */

/* LIDs that entries name for each endport: the first, 0 = none, and the last. */
struct tables_lids_named {
	uint32_t *owner;	/* [MAX_LID + 1] endport, NO_ID = none */
	uint16_t *first, *last; /* [n_endports] */
	uint32_t n_strangers;	/* LIDs of GUIDs that no port has */
};

static struct tables_lids_named tables_lids_gather(const struct tables_reader *r)
{
	const struct fabric *f = r->f;
	struct tables_lids_named n = {.owner = NEW_ARRAY(MAX_LID + 1u, uint32_t),
				      .first = NEW_ARRAY(f->n_endports, uint16_t),
				      .last = NEW_ARRAY(f->n_endports, uint16_t)};

	n.owner[0] = NO_ID;
	for (unsigned lid = 1; lid <= MAX_LID; lid++) {
		uint32_t ep = r->guid[lid] ? fabric_endport_by_guid(f, r->guid[lid]) : NO_ID;

		n.owner[lid] = ep;
		n.n_strangers += r->guid[lid] && ep == NO_ID;
		if (ep == NO_ID)
			continue;
		if (!n.first[ep])
			n.first[ep] = (uint16_t)lid;
		n.last[ep] = (uint16_t)lid;
	}
	return n;
}

/* LMC of a range of LIDs. */
static unsigned lmc_of_range(unsigned first, unsigned last)
{
	unsigned lmc = 0;

	while (lmc < MAX_LMC && first + (1u << lmc) <= last)
		lmc++;
	return lmc;
}

/* LMC of the smallest aligned range that holds both LIDs; MAX_LMC + 1: none. */
static unsigned lmc_around(unsigned first, unsigned last)
{
	unsigned lmc = 0;

	assert(first <= last);
	while (lmc <= MAX_LMC && first >> lmc != last >> lmc)
		lmc++;
	return lmc;
}

/* The LMC of most CA and router ports with several LIDs: a subnet manager gives all ports the same. */
static unsigned shown_lmc(const struct fabric *f, const struct tables_lids_named *n)
{
	uint32_t count[MAX_LMC + 2] = {0};
	unsigned best = 0;

	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (n->first[ep] != n->last[ep] && !endport_is_switch(f, ep))
			count[lmc_around(n->first[ep], n->last[ep])]++;
	for (unsigned lmc = 1; lmc <= MAX_LMC; lmc++)
		if (count[lmc] && count[lmc] >= count[best])
			best = lmc;
	return best;
}

/* Does the file name another port for a LID of the range?  guid 0: any port. */
static bool of_another(const struct tables_reader *r, unsigned lid, unsigned lmc, uint64_t guid)
{
	for (unsigned l = lid; l < lid + (1u << lmc) && l <= MAX_LID; l++)
		if (r->guid[l] && r->guid[l] != guid)
			return true;
	return false;
}

/*
 * Gives a port a larger range, if that holds all LIDs named and none of another port.  A source may give a
 * range that is not aligned: no subnet manager assigned it.
 */
static void tables_lids_widen(const struct tables_reader *r, struct tables_lids_choice *c,
			      const struct tables_lids_named *n, uint32_t ep, unsigned base, unsigned lmc)
{
	uint32_t port = r->f->endport_port[ep];

	assert(lmc <= MAX_LMC);
	if (!base || base & ((1u << lmc) - 1) || lmc <= c->lmc[port] || base > n->first[ep] ||
	    base + (1u << lmc) <= n->last[ep] || of_another(r, base, lmc, r->f->port_guid[port]))
		return;
	c->lid[port] = (uint16_t)base;
	c->lmc[port] = (uint8_t)lmc;
}

/* The LID of a switch from the head of its table; NO_ID: not given, or not a switch. */
static uint32_t head_of(const struct tables_reader *r, uint32_t ep)
{
	uint32_t sw = r->f->node_switch[endport_node(r->f, ep)];

	return sw == NO_ID ? NO_ID : r->head[sw];
}

/* Some LIDs of a range, even the first, may have no entry. So its size is taken from what is known. */
static void take_range(const struct tables_reader *r, struct tables_lids_choice *c,
		       const struct tables_lids_named *n, uint32_t ep, unsigned usual)
{
	const struct fabric *f = r->f;
	uint32_t port = f->endport_port[ep], sw = f->node_switch[f->port_node[port]];
	unsigned first = n->first[ep], lmc = lmc_around(first, n->last[ep]), base = first >> lmc << lmc;

	if (lmc > MAX_LMC || !base || of_another(r, base, lmc, f->port_guid[port])) {
		base = first;
		lmc = lmc_of_range(first, n->last[ep]);
	}
	c->lid[port] = (uint16_t)base;
	c->lmc[port] = (uint8_t)lmc;
	if (!endport_is_switch(f, ep))
		tables_lids_widen(r, c, n, ep, first >> usual << usual, usual);
	/* a base switch port 0 has one LID (LMC 0), even if a source says otherwise */
	if (sw == NO_ID || f->switch_esp0[sw])
		tables_lids_widen(r, c, n, ep, f->port_lid[port], f->port_lmc[port]);
}

/*
 * Takes base LID and LMC of ports from the files: for switches from the heads of their tables, even if
 * another port has the same LID; for others, and without a head, from the entries.
 */
static void take_named(const struct tables_reader *r, struct tables_lids_choice *c,
		       const struct tables_lids_named *n)
{
	const struct fabric *f = r->f;
	unsigned usual = shown_lmc(f, n);

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep], head = head_of(r, ep);

		if (n->first[ep])
			take_range(r, c, n, ep, usual);
		if (head == NO_ID || head == c->lid[port])
			continue;
		c->lid[port] = (uint16_t)head;
		c->lmc[port] = head ? (uint8_t)lmc_of_range(head, n->last[ep]) : 0;
	}
}

/* Gives LIDs to ports that the files say nothing about: from the source, or from `now`. */
static void take_others(const struct tables_reader *r, struct tables_lids_choice *c, const struct lids *now)
{
	const struct fabric *f = r->f;

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep];
		unsigned lid = now ? now->base[ep] : f->port_lid[port];
		unsigned lmc = now ? lmc_of_range(lid, lid + now->count[ep] - 1) : f->port_lmc[port];

		if (c->lid[port] || !lid || lid > MAX_LID || !head_of(r, ep) || of_another(r, lid, lmc, 0))
			continue;
		c->lid[port] = (uint16_t)lid;
		c->lmc[port] = (uint8_t)lmc;
	}
}

/* The number of ports with another LID than in the source; *first gets one of them. */
static uint32_t count_others(const struct fabric *f, const struct tables_lids_choice *c, uint32_t *first)
{
	uint32_t n = 0;

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep];

		if (c->lid[port] && f->port_lid[port] && c->lid[port] != f->port_lid[port] && !n++)
			*first = port;
	}
	return n;
}

static uint32_t count_named(const struct fabric *f, const struct tables_lids_choice *c)
{
	uint32_t n = 0;

	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		n += c->lid[f->endport_port[ep]] != 0;
	return n;
}

/* Fill t->lid, t->lmc and t->lid_owner. */
static void tables_settle_lids(struct tables_reader *r, const struct lids *now, struct text *notes)
{
	struct tables_lids_choice source = choice_new(r->f), present = choice_new(r->f), *c = &source;
	struct tables_lids_named named = tables_lids_gather(r);
	uint64_t last = 0;
	uint32_t first_other = NO_ID;
	const struct tables_info *i = &r->info;
	const struct fabric *f = r->f;
	char label[300];

	take_named(r, &source, &named);
	take_named(r, &present, &named);
	r->info.n_named = count_named(r->f, &source);
	r->info.n_other = count_others(r->f, &source, &first_other);
	take_others(r, &source, NULL);
	take_others(r, &present, now);
	tables_lids_judge(r, &source);
	tables_lids_judge(r, &present);
	if (present.fits > source.fits) {
		c = &present;
		r->info.lids_of_now = true;
	}
	assert(count_named(r->f, c) >= r->info.n_named);
	r->info.n_source = count_named(r->f, c) - r->info.n_named;
	r->info.n_none = r->f->n_endports - count_named(r->f, c);
	r->info.n_misfits = c->misfits;
	if (i->n_other)
		text_add(notes, "%s with another LID than in %s, the first %s: %u here, %u there\n",
			 PLURAL(i->n_other, "port"), f->source,
			 endport_label(f, f->port_endport[first_other], label, sizeof(label)),
			 c->lid[first_other], f->port_lid[first_other]);
	if (i->lids_of_now)
		text_add(
			notes,
			"LIDs that the file does not name are those that ports have now; those of %s fit the "
			"tables less\n",
			f->source);
	if (i->n_none)
		text_add(notes, "%s without LID: neither the file nor %s has one\n",
			 PLURAL(i->n_none, "port"), f->source);
	for (unsigned lid = 1; lid <= MAX_LID; lid++) {
		bool new = r->guid[lid] && r->guid[lid] != last;

		r->info.n_ports += new;
		r->info.n_strange += new &&named.owner[lid] == NO_ID;
		last = new ? r->guid[lid] : last;
	}
	if (named.n_strangers)
		text_add(notes, "%s of ports that the fabric does not have\n",
			 PLURAL(named.n_strangers, "LID"));
	if (i->n_misfits)
		text_add(notes,
			 "%s not sent there by the port's own switch, the first %u (%s): tables and LIDs are "
			 "of different times\n",
			 PLURAL(i->n_misfits, "LID"), c->lid[f->endport_port[c->first_misfit]],
			 endport_label(f, c->first_misfit, label, sizeof(label)));
	r->t->lid_owner = named.owner;
	free(named.first);
	free(named.last);
	r->t->lid = c->lid;
	r->t->lmc = c->lmc;
	c = c == &source ? &present : &source; /* the one that is not taken */
	free(c->lid);
	free(c->lmc);
}

/* --- gathering ------------------------------------------------------------------------------ */

void tables_begin(struct tables_reader *r, const struct fabric *f)
{
	*r = (struct tables_reader){.f = f};
	r->t = switch_tables_new(f->n_switches);
	r->cap = NEW_ARRAY(f->n_switches + 1u, uint32_t);
	r->guid = NEW_ARRAY(MAX_LID + 1u, uint64_t);
	r->head = NEW_ARRAY(f->n_switches + 1u, uint32_t);
	memset(r->head, 0xff, (f->n_switches + 1u) * sizeof(*r->head));
	r->cut_short = NO_ID;
}

void tables_drop(struct tables_reader *r)
{
	counted_unref(&r->t->counted);
	free(r->cap);
	free(r->guid);
	free(r->head);
}

/* --- opensm-lfts.dump, dump_fts, ibroute ------------------------------------------------------- */

/* The table being read. */
struct tables_table_s {
	uint32_t sw;  /* NO_ID: its lines are skipped */
	uint64_t top; /* last LID from the head, 0 = not given */
	bool last;    /* its entry was read */
	bool ended;   /* "... lids dumped" */
};

/* The number after a mark; 0 = none. */
static uint64_t tables_guid_behind(struct cursor c, const char *mark)
{
	uint64_t v;

	return cur_behind(&c, mark) && cur_number(&c, 16, &v) ? v : 0;
}

static void tables_end_table(struct tables_reader *r, const struct tables_table_s *t)
{
	if (t->sw == NO_ID || !t->top)
		return;
	tables_top(r, t->sw, t->top);
	r->n_cut += t->top % 64 == 0 && !t->last;
}

/* Notes whose a LID is.  Is that a port which the fabric lacks, told for the first time? */
static bool note_guid(struct tables_reader *r, uint64_t lid, uint64_t guid)
{
	r->n_twice += r->guid[lid] && r->guid[lid] != guid;
	if (r->guid[lid])
		return false;
	r->guid[lid] = guid;
	return fabric_endport_by_guid(r->f, guid) == NO_ID;
}

/* A line tells whose a LID is: "Switch portguid 0x...: 'spine-01'". */
static void note_guid_of_line(struct tables_reader *r, uint64_t lid, uint64_t guid, struct cursor line)
{
	struct cursor kind = line;
	char name[256] = "";

	if (!note_guid(r, lid, guid))
		return;
	if (cur_behind(&line, "'")) {
		kind.end = line.p;
		while (line.end > line.p && line.end[-1] != '\'')
			line.end--;
		if (line.end > line.p)
			snprintf(name, sizeof(name), "%.*s", (int)(line.end - 1 - line.p), line.p);
	}
	switch_tables_add_stranger(r->t, (unsigned)lid, guid,
				   cur_find(&kind, "Switch ") || cur_find(&kind, " switch "),
				   *name ? name : NULL);
}

/* The file ends within the table of a switch: it counts as not read. */
static void cut_table(struct tables_reader *r, uint32_t sw)
{
	assert(sw < r->f->n_switches);
	free(r->t->lft[sw]);
	r->t->lft[sw] = NULL;
	r->t->top[sw] = 0;
	r->cap[sw] = 0;
	r->head[sw] = NO_ID;
	r->cut_short = sw;
}

static void read_lfts(struct tables_reader *r, const struct input *in)
{
	struct lines l = lines_of(in);
	struct tables_table_s t = {.sw = NO_ID};
	struct cursor line, c;
	uint64_t guid, lid, port, v;
	unsigned tables = 0, ended = 0;

	r->info.format = "lfts";
	while (lines_next(&l, &line)) {
		c = line;
		bool head = cur_word(&c, "Unicast lids");
		if (head || cur_word(&c, "Multicast mlids")) {
			tables_end_table(r, &t);
			t = (struct tables_table_s){.sw = NO_ID};
		}
		if (head) { /* "Unicast lids [0-19] of switch Lid 8 guid 0x... ('...'):" */
			guid = tables_guid_behind(line, " guid 0x");
			tables++;
			if (guid)
				t.sw = tables_switch(r, guid);
			else
				tables_unknown(r, l.no, line);
			line = c;
			if (cur_behind(&line, "[") && cur_behind(&line, "-") && cur_number(&line, 0, &v) &&
			    cur_char(&line, ']'))
				t.top = v;
			/* missing if the switch was asked by a direct route */
			bool lid_told = cur_behind(&c, " switch Lid ") && cur_number(&c, 10, &v) &&
					v <= MAX_LID && cur_word(&c, "guid 0x");
			if (t.sw != NO_ID && lid_told)
				r->head[t.sw] = (uint32_t)v;
			else if (guid && lid_told && v)
				note_guid_of_line(r, v, guid, line);
		} else if (t.sw != NO_ID && cur_word(&c, "0x")) {
			/* "0x0001 000 # Switch portguid 0x..." or "0x0002 005 : (Switch portguid 0x...:
			 * '...')" */
			c = line;
			cur_number(&c, 16, &lid);
			if (!cur_number(&c, 10, &port) || !tables_entry(r, t.sw, lid, port)) {
				tables_unknown(r, l.no, line);
				continue;
			}
			guid = tables_guid_behind(c, " portguid 0x");
			if (guid)
				note_guid_of_line(r, lid, guid, c);
			t.last |= lid == t.top;
		} else if (cur_behind(&line, "lids dumped")) {
			t.ended = true;
			ended++;
		}
	}
	tables_end_table(r, &t);
	if (t.sw != NO_ID && !t.ended && ended && ended + 1 == tables)
		cut_table(r, t.sw);
}

/* --- opensm.fdbs ---------------------------------------------------------------------------------- */

static bool fdbs_head(struct cursor *c)
{
	return cur_word(c, "dump_ucast_routes: Switch ") ||
	       cur_word(c, "osm_ucast_mgr_dump_ucast_routes: Switch ");
}

static void read_fdbs(struct tables_reader *r, const struct input *in)
{
	struct lines l = lines_of(in);
	struct cursor line, c;
	uint32_t sw = NO_ID;
	uint64_t guid = 0, lid, port;

	r->info.format = "fdbs";
	while (lines_next(&l, &line)) {
		c = line;
		if (fdbs_head(&c)) {
			sw = cur_number(&c, 16, &guid) ? tables_switch(r, guid) : NO_ID;
		} else if (sw == NO_ID && cur_word(&c, "0x") && cur_number(&c, 16, &lid) && lid &&
			   lid <= MAX_LID && cur_char(&c, ':') && cur_number(&c, 10, &port) && !port) {
			switch_tables_add_stranger(r->t, (unsigned)lid, guid, true, NULL);
		} else if (sw != NO_ID && cur_word(&c, "0x")) {
			/* "0x0001 : 000  : 00   : yes" or "0x0006 : UNREACHABLE" */
			c = line;
			cur_number(&c, 16, &lid);
			port = NO_PATH;
			if (!cur_char(&c, ':') ||
			    (!cur_word(&c, "UNREACHABLE") && !cur_number(&c, 10, &port)) ||
			    !tables_entry(r, sw, lid, port))
				tables_unknown(r, l.no, line);
		}
	}
}

/* --- what ibsim's console prints (dump) ----------------------------------------------------------- */

static void read_ibsim_dump(struct tables_reader *r, const struct input *in)
{
	struct lines l = lines_of(in);
	struct ibsim_shown_port p;
	struct ibsim_shown n;
	struct cursor line;
	uint32_t sw = NO_ID;
	uint64_t lid, port;

	r->info.format = "ibsim dump";
	while (lines_next(&l, &line)) {
		if (ibsim_shown_node(line, &n)) {
			sw = n.type == NODE_SWITCH ? tables_switch(r, n.guid) : NO_ID;
		} else if (ibsim_shown_port(line, &p)) {
			for (lid = p.lid; p.lid && lid < p.lid + (1u << p.lmc) && lid <= MAX_LID; lid++)
				if (note_guid(r, lid, p.guid))
					switch_tables_add_stranger(r->t, (unsigned)lid, p.guid, false, NULL);
		} else if (sw != NO_ID && cur_char(&line, '#') && cur_word(&line, "Forwarding table ") &&
			   cur_behind(&line, ":")) { /* "[0]FF [1]0 [2]1" */
			while (cur_in_brackets(&line, &lid) && cur_number(&line, 16, &port))
				if (!tables_entry(r, sw, lid, port) && lid)
					tables_unknown(r, l.no, line);
		}
	}
}

/* --- which format? ---------------------------------------------------------------------------------- */

int tables_read(struct tables_reader *r, const struct input *in, struct err *e)
{
	struct cursor text = {in->data, in->data + in->size}, line;
	struct lines l = lines_of(in);
	char found[60];

	assert(r->t && r->t->n_switches == r->f->n_switches);
	bool far = false;		/* a line begins a switch as .far does */
	while (lines_next(&l, &line)) { /* the first line that begins a table decides */
		far |= begins_switch(line);
		if (cur_word(&line, "Unicast lids")) {
			read_lfts(r, in);
			return 0;
		} else if (fdbs_head(&line)) {
			read_fdbs(r, in);
			return 0;
		} else if (far &&
			   (cur_find(&line, "LFT Definition:") || cur_find(&line, "Groups Definition:"))) {
			tables_read_far(r, in);
			return 0;
		} else if (cur_char(&line, '#') && cur_word(&line, "Forwarding table ")) {
			read_ibsim_dump(r, in);
			return 0;
		}
	}
	if (has_netloc_paths(in))
		return read_netloc_paths(r, in, e);
	if (is_omnet_fdbs(in))
		return read_omnet_fdbs(r, in, e);
	return err_set(
		e,
		"%s: found no table of a switch (the text begins '%s'), expected opensm-lfts.dump, output of "
		"dump_fts or ibroute, .fdbs of OpenSM or ibdiagnet, ibdiagnet's .far, or what ibsim's dump "
		"prints",
		in->name, excerpt(text, found, sizeof(found)));
}

void tables_copy(struct tables_reader *r, const struct fabric *from)
{
	const struct switch_tables *t = fabric_switch_tables(from);

	r->info.format = "live";
	for (uint32_t s = 0; t && s < t->n_switches; s++) {
		uint32_t sw = t->lft[s] ? tables_switch(r, from->node_guid[from->switch_node[s]]) : NO_ID;

		for (unsigned lid = 1; sw != NO_ID && lid <= t->top[s]; lid++)
			tables_entry(r, sw, lid, t->lft[s][lid]);
	}
	for (uint32_t ep = 0; ep < from->n_endports; ep++) {
		uint32_t port = from->endport_port[ep];
		unsigned base = from->port_lid[port];

		for (unsigned i = 0; base && i < 1u << from->port_lmc[port] && base + i <= MAX_LID; i++)
			if (note_guid(r, base + i, from->port_guid[port]))
				switch_tables_add_stranger(r->t, base + i, from->port_guid[port],
							   endport_is_switch(from, ep),
							   from->node_name[from->port_node[port]]);
	}
}

/* More than half of what the file names is not in the fabric: what follows from its tables says nothing. */
static void tell_strange(struct tables_reader *r, const char *what, uint32_t strange, uint32_t all,
			 struct text *notes)
{
	assert(strange <= all);
	if (2 * (uint64_t)strange <= all)
		return;
	r->t->strange = true;
	text_add(notes,
		 "%.0f %% of %s match no GUID of %s: the tables are of another fabric, or GUIDs have "
		 "changed\n",
		 100.0 * strange / all, PLURAL(all, what), r->f->source);
}

struct switch_tables *tables_finish(struct tables_reader *r, const char *source, const struct lids *now,
				    struct tables_info *info, struct text *notes)
{
	struct switch_tables *t = r->t;

	assert(t->n_switches == r->f->n_switches && notes);
	t->source = source ? str_dup(source) : NULL;
	for (uint32_t s = 0; s < t->n_switches; s++) {
		r->info.n_switches += t->lft[s] != NULL;
		for (unsigned lid = 1; t->lft[s] && lid <= t->top[s]; lid++) {
			r->info.n_entries += t->lft[s][lid] != NO_PATH;
			r->info.n_adaptive += adaptive_find(t->adaptive, s, lid) != NULL;
		}
	}
	if (r->n_unknown)
		text_add(notes,
			 "%s not in the fabric, the first 0x%016" PRIx64 ": their tables are left out\n",
			 PLURAL(r->n_unknown, "switch"), r->unknown);
	if (r->cut_short != NO_ID)
		text_add(notes, "the file ends within the table of %s, which is left out: it was cut off\n",
			 switch_name(r->f, r->cut_short));
	if (r->n_lines)
		text_add(notes, "%s not understood and left out; the first, line %u, is '%s'\n",
			 PLURAL(r->n_lines, "line"), r->first_line, r->example);
	if (r->n_cut)
		text_add(notes,
			 "%s may lack the entry of the last LID: dump_fts and ibroute omit it when that is a "
			 "multiple of 64\n",
			 PLURAL(r->n_cut, "table"));
	if (r->n_twice)
		text_add(notes, "%s with another port GUID in one table than in another; the first counts\n",
			 PLURAL(r->n_twice, "entry"));
	tables_settle_lids(r, now, notes);
	tell_strange(r, "port", r->info.n_strange, r->info.n_ports, notes);
	tell_strange(r, "switch", r->n_unknown, r->n_unknown + r->info.n_switches, notes);
	*info = r->info;
	free(r->cap);
	free(r->guid);
	free(r->head);
	return t;
}

struct switch_tables *tables_parse(const struct input *in, const struct fabric *f, const struct lids *now,
				   struct tables_info *info, struct text *notes, struct err *e)
{
	struct tables_reader r;
	struct switch_tables *t = NULL;

	tables_begin(&r, f);
	if (tables_read(&r, in, e))
		tables_drop(&r);
	else
		t = tables_finish(&r, in->name, now, info, notes);
	if (progress_cancelled(in->progress))
		err_set(e, CANCELLED);
	else if (t && info->n_switches)
		return t;
	else if (t)
		err_set(e,
			"%s: found tables of %s, none of which is in the fabric (the first is 0x%016" PRIx64
			")",
			in->name, PLURAL(r.n_unknown, "switch"), r.unknown);
	if (t)
		counted_unref(&t->counted);
	return NULL;
}

struct switch_tables *tables_load(struct input in, const struct fabric *f, const struct lids *now,
				  struct tables_info *info, struct text *notes, struct err *e)
{
	AUTO_FREE char *data = NULL;

	if (read_packed_file(in.name, in.progress, &data, &in.size, e))
		return NULL;
	in.data = data;
	return tables_parse(&in, f, now, info, notes, e);
}

void tables_hold(struct fabric *f, struct switch_tables *t, const struct text *notes)
{
	for (struct cursor left = cur_text(text_str(notes)); !cur_empty(&left);) {
		struct cursor line = cur_part(&left, '\n');
		warnings_add(&f->warnings, "tables", 0, "%.*s", CUR_ARGS(line));
	}
	f->switch_tables = &t->counted;
}

void tables_take(struct fabric *f, const struct input *in)
{
	AUTO_TEXT struct text notes = {0};
	struct tables_info info;
	struct err e;
	struct switch_tables *t = tables_parse(in, f, NULL, &info, &notes, &e);

	if (t)
		tables_hold(f, t, &notes);
}
