#include "core/formats/tables.h"
#include "core/base/memory.h"
#include "core/base/unpack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

void tables_top(struct tables_reader *r, uint32_t sw, uint64_t top)
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

/* --- opensm-lfts.dump, dump_fts, ibroute ------------------------------------------------------- */

/* The table being read. */
struct tables_table_s {
	uint32_t sw;  /* NO_ID: its lines are skipped */
	uint64_t top; /* last LID from the head, 0 = not told */
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

static void note_guid(struct tables_reader *r, uint64_t lid, uint64_t guid)
{
	r->n_twice += r->guid[lid] && r->guid[lid] != guid;
	if (!r->guid[lid])
		r->guid[lid] = guid;
}

/* The file ends within the table of a switch: it counts as not read. */
static void cut_table(struct tables_reader *r, uint32_t sw)
{
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
	bool head;

	r->info.format = "lfts";
	while (lines_next(&l, &line)) {
		c = line;
		head = cur_word(&c, "Unicast lids");
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
			if (t.sw != NO_ID && cur_behind(&c, " switch Lid ") && cur_number(&c, 10, &v) &&
			    v <= MAX_LID && cur_word(&c, "guid 0x"))
				r->head[t.sw] = (uint32_t)v;
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
				note_guid(r, lid, guid);
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
	uint64_t guid, lid, port;

	r->info.format = "fdbs";
	while (lines_next(&l, &line)) {
		c = line;
		if (fdbs_head(&c)) {
			sw = cur_number(&c, 16, &guid) ? tables_switch(r, guid) : NO_ID;
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

/* --- which format? ---------------------------------------------------------------------------------- */

int tables_read(struct tables_reader *r, const struct input *in, struct err *e)
{
	struct cursor text = {in->data, in->data + in->size}, line;
	struct lines l = lines_of(in);
	char found[60];

	if (is_far(in)) {
		tables_read_far(r, in);
		return 0;
	}
	while (lines_next(&l, &line)) { /* the first line that begins a table decides */
		if (cur_word(&line, "Unicast lids")) {
			read_lfts(r, in);
			return 0;
		} else if (fdbs_head(&line)) {
			read_fdbs(r, in);
			return 0;
		}
	}
	return err_set(
		e,
		"%s: found no table of a switch (the text begins '%s'), expected opensm-lfts.dump, output of "
		"dump_fts or ibroute, .fdbs of OpenSM or ibdiagnet, or ibdiagnet's .far",
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
			note_guid(r, base + i, from->port_guid[port]);
	}
}

/* More than half of what the file names is not in the fabric: what follows from its tables says nothing. */
static void tell_strange(struct tables_reader *r, const char *what, uint32_t strange, uint32_t all,
			 struct text *notes)
{
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

int tables_parse(const struct input *in, const struct fabric *f, const struct lids *now,
		 struct switch_tables **out, struct tables_info *info, struct text *notes, struct err *e)
{
	struct tables_reader r;

	*out = NULL;
	tables_begin(&r, f);
	if (tables_read(&r, in, e)) {
		tables_drop(&r);
		return -1;
	}
	*out = tables_finish(&r, in->name, now, info, notes);
	if (info->n_switches)
		return 0;
	counted_unref(&(*out)->counted);
	*out = NULL;
	return err_set(
		e, "%s: found tables of %s, none of which is in the fabric (the first is 0x%016" PRIx64 ")",
		in->name, PLURAL(r.n_unknown, "switch"), r.unknown);
}

int tables_load(const char *path, const struct fabric *f, const struct lids *now, struct switch_tables **out,
		struct tables_info *info, struct text *notes, struct progress *p, struct err *e)
{
	struct input in = {.name = path, .progress = p};
	char *data;
	int rc;

	*out = NULL;
	if (read_packed_file(path, p, &data, &in.size, e))
		return -1;
	in.data = data;
	rc = tables_parse(&in, f, now, out, info, notes, e);
	free(data);
	if (!progress_cancelled(p))
		return rc;
	if (*out)
		counted_unref(&(*out)->counted);
	*out = NULL;
	return err_set(e, CANCELLED);
}
