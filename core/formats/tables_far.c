/* ibdiagnet's .far: forwarding tables with adaptive-routing groups (core/formats/doc/formats.md 9.3). */
#include "core/formats/readers.h"
#include "core/formats/tables.h"

#include <ctype.h>
#include <string.h>

#define MAX_FIELDS 16

/* The columns that are read in the two kinds of rows, at their usual places; a header may tell others. */
enum { G_GROUP, G_PORTS, G_COLUMNS };
enum { E_LID, E_STATIC, E_STATE, E_GROUP, E_COLUMNS };

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

bool is_far(const struct input *in)
{
	struct cursor all = {in->data, in->data + in->size};

	return (cur_find(&all, "LFT Definition:") || cur_find(&all, "Groups Definition:")) &&
	       any_line(in, begins_switch);
}

/* Splits a row or header at bars, if there are any, else at blanks (headers: two blanks, or tabs). */
static unsigned tables_far_split(struct cursor c, bool header, struct cursor *field)
{
	bool bars = memchr(c.p, '|', (size_t)(c.end - c.p)) != NULL;
	unsigned n = 0;

	while (n < MAX_FIELDS) {
		struct cursor f;

		cur_blanks(&c);
		if (cur_empty(&c))
			break;
		f = (struct cursor){c.p, c.p};
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

void tables_read_far(struct tables_reader *r, const struct input *in)
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
