/*
 * Tables from files, as OpenSM's engine `file`: forwarding tables that somebody dumped or wrote, a hop
 * matrix, or both. Whatever no file gives is computed by Min Hop. Entries follow the port GUIDs in the file
 * when LIDs have changed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/sm/lft_file.h"
#include "engines/counted/assign.h"
#include "engines/engines.h"
#include "engines/guid_option.h"
#include "engines/record.h"

#define TABLES "lfts_file"
#define MATRIX "lid_matrix_dump_file"

/* --- the hop matrix ----------------------------------------------------------------------- */

/* The switch that has a LID as its base LID, or NO_ID. */
static uint32_t switch_by_lid(const struct engine_input *in, unsigned lid)
{
	uint32_t ep = lid_owner(in->lids, lid);

	return ep != NO_ID && endport_is_switch(in->topo->fabric, ep) && in->lids->base[ep] == lid
		       ? in->topo->endport_switch[ep]
		       : NO_ID;
}

/*
 * Puts the rows of the file over the matrix that refused engines left, m[port id * n + d]. The entry of port
 * 0 is the least value ever put in its row. The caller frees m.
 */
static uint8_t *file_engine_fill_matrix(const struct engine_input *in, const struct hops_file *file)
{
	const struct fabric *f = in->topo->fabric;
	size_t size = (size_t)f->n_ports * f->n_switches;
	uint8_t *m = mem_alloc(size);

	memset(m, NO_PATH, size);
	if (in->left && in->left->hops)
		memcpy(m, in->left->hops, size);
	for (size_t i = 0; i < file->n; i++) {
		const struct hops_row *row = &file->row[i];
		uint32_t d = switch_by_lid(in, row->lid), p0 = f->switch_port[row->sw];

		for (unsigned p = 0; d != NO_ID && p < row->n; p++) {
			uint8_t v = file->value[row->at + p], *least = m + (size_t)p0 * f->n_switches + d;

			m[(size_t)(p0 + p) * f->n_switches + d] = v;
			*least = v < *least ? v : *least;
		}
	}
	return m;
}

/* Keeps what was read before a refusal for the engines that are tried next (engines/doc/minhop.md 10.1). */
static void file_engine_leave_matrix(const struct engine_input *in, uint8_t *m)
{
	if (!in->left) {
		free(m);
		return;
	}
	free(in->left->hops);
	in->left->hops = m;
}

/*
 * The matrix of the file, or Min Hop's if no file is named. *left is the file's table (NULL without a file),
 * for the next engines if the forwarding tables are refused. NULL: refused or cancelled.
 */
static struct hops *matrix(const struct engine_input *in, struct engine_output *out, uint8_t **left)
{
	const char *path = options_file(in->options, MATRIX);
	const struct fabric *f = in->topo->fabric;
	uint32_t n = f->n_switches;
	struct hops_file file;
	struct hops *h = NULL;

	*left = NULL;
	if (!path) {
		h = hops_build(in, out);
		if (!h)
			err_set(&out->refused, CANCELLED);
		return h;
	}
	rec_phase(in, "hop matrix of %s", path);
	hops_file_read(&file, path, in->topo, in->progress);
	*left = file_engine_fill_matrix(in, &file);
	if (RECORDED(in)) /* in addition to what the phase tells */
		rec_cells(in->record, T_HOPS, (size_t)f->n_ports * n);
	for (uint32_t p = 0; RECORDED(in) && p < f->n_ports; p++)
		for (uint32_t d = 0; node_is_switch(f, f->port_node[p]) && d < n; d++)
			rec_delta(in->record, T_HOPS, d * f->n_ports + p, NO_PATH,
				  (*left)[(size_t)p * n + d]);
	if (file.n_unknown)
		note_add(&out->notes, 0, MATRIX ": %s: rows of %s not in the fabric were skipped\n", path,
			 PLURAL(file.n_unknown, "switch"));
	if (file.broken) {
		out->refused = file.why;
		file_engine_leave_matrix(in, *left);
		*left = NULL;
	} else {
		h = hops_new(f, true);
		for (uint32_t s = 0; s < n; s++) {
			memcpy(h->least + (size_t)s * n, *left + (size_t)f->switch_port[s] * n, n);
			FOR_PORTS(f, s, id) {
				for (uint32_t d = 0; d < n; d++)
					h->by_port[(size_t)d * h->n_ports + id] = (*left)[(size_t)id * n + d];
			}
		}
	}
	hops_file_free(&file);
	return h;
}

/* --- forwarding tables ---------------------------------------------------------------------- */

/* The present LID of an entry's destination. *moved: it had another LID when the file was made. */
static unsigned present_lid(const struct engine_input *in, const struct lft_entry *e, bool *moved)
{
	uint32_t ep = e->guid ? fabric_endport_by_guid(in->topo->fabric, e->guid) : NO_ID;
	const struct lids *l = in->lids;

	*moved = false;
	if (ep == NO_ID || !in->topo->endport_up[ep] || !l->base[ep])
		return e->lid;
	if (e->lid >= l->base[ep] && e->lid < l->base[ep] + l->count[ep])
		return e->lid;
	*moved = true;
	return l->base[ep] + e->lid % l->count[ep];
}

static void refuse_tables(const struct engine_input *in, const struct lft_file *l)
{
	const struct fabric *f = in->topo->fabric;
	bool profile = options_bool(in->options, "port_profile_switch_nodes");

	if (!in->left)
		return;
	if (!in->left->count)
		in->left->count = NEW_ARRAY(f->n_ports, uint32_t);
	for (size_t i = 0; i < l->n; i++) {
		const struct lft_entry *e = &l->e[i];
		uint32_t node = e->guid && profile ? fabric_node_by_guid(f, e->guid) : NO_ID;

		if (node != NO_ID && f->node_switch[node] != NO_ID &&
		    switch_up(in->topo, f->node_switch[node]))
			continue;
		in->left->count[switch_port_id(f, e->sw, e->port)]++;
	}
}

/* Notes what a person should know about the loaded tables. */
static void note_tables(const struct engine_input *in, struct engine_output *out, const struct lft_file *l,
			const struct routing *r, uint32_t n_moved, uint32_t n_beyond)
{
	const struct topo *t = in->topo;
	const char *path = options_file(in->options, TABLES);
	uint32_t without = 0, unrouted = 0;
	struct notes *n = &out->notes;

	for (uint32_t s = 0; s < t->fabric->n_switches; s++) {
		if (!switch_up(t, s))
			continue;
		without += !l->has[s];
		for (unsigned lid = 1; lid <= in->lids->max_lid; lid++)
			unrouted += lid_owner(in->lids, lid) != NO_ID && routing_port(r, s, lid) == NO_PATH;
	}
	if (n_moved)
		note_add(n, 0, TABLES ": %s %s moved to the present LIDs of their ports\n",
			 PLURAL(n_moved, "entry"), n_moved == 1 ? "was" : "were");
	if (l->n_unknown)
		note_add(n, 0,
			 TABLES ": %s: skipped %s of switches not in the fabric, the first of 0x%016" PRIx64
				"\n",
			 path, PLURAL(l->n_unknown, "table"), l->unknown);
	if (l->n_multicast)
		note_add(n, 0, TABLES ": %s: skipped %s\n", path, PLURAL(l->n_multicast, "multicast table"));
	if (n_beyond)
		note_add(n, 0, TABLES ": %s: skipped %s of LIDs above %u, the last of this subnet\n", path,
			 PLURAL(n_beyond, "entry"), in->lids->max_lid);
	if (l->n_cut)
		note_add(n, 0,
			 TABLES ": %s: %s without the last LID, as dump_fts and ibroute omit it when it is a "
				"multiple of 64\n",
			 path, PLURAL(l->n_cut, "table"));
	if (without)
		note_add(n, 0, TABLES ": %s has no table of %s now up\n", path, PLURAL(without, "switch"));
	if (unrouted)
		note_add(n, 0, TABLES ": %s of switch and LID without an entry\n", PLURAL(unrouted, "pair"));
}

/* Tells an entry of the file to whoever asks. e is NULL when the file has none. */
static void file_engine_tell_entry(const struct engine_input *in, const struct lft_entry *e, uint32_t sw,
				   unsigned lid)
{
	const char *path = options_get(in->options, TABLES);
	uint32_t owner = lid_owner(in->lids, lid);
	struct rec_choice *c = rec_choice(in, sw, lid);

	if (!c)
		return;
	c->target = owner == NO_ID ? NO_ID : in->topo->endport_switch[owner];
	c->port = e ? e->port : NO_PATH;
	c->rule = e ? "from the file" : "not in the file";
	text_add(&c->text, "%s", c->rule);
	if (e && lid != e->lid)
		text_add(&c->text, ", where the port had LID %u", e->lid);
	if (e)
		decide(&c->decided, WHY_LINE, "Line %u of %s: LID %u by port %u.", e->line, path, e->lid,
		       e->port);
	else
		decide(&c->decided, WHY_NOT_IN_FILE, "%s has no line for LID %u of %s.", path, lid,
		       switch_name(in->topo->fabric, sw));
	rec_chosen(in, c);
}

static void fill_tables(const struct engine_input *in, struct engine_output *out, const struct lft_file *l,
			struct routing *r)
{
	uint32_t n_moved = 0, n_beyond = 0;

	for (uint32_t s = 0; s < in->topo->fabric->n_switches; s++)
		if (switch_up(in->topo, s))
			r->row[s] = lft_row_new(in->lids->max_lid);
	for (size_t i = 0; i < l->n; i++) {
		bool moved;
		unsigned lid = present_lid(in, &l->e[i], &moved);

		n_moved += moved;
		if (lid > in->lids->max_lid) {
			n_beyond++;
			continue;
		}
		if (RECORDED(in))
			assign_record_read(in, l->e[i].sw, lid, r->row[l->e[i].sw]->port[lid], l->e[i].port,
					   WHY_LINE);
		r->row[l->e[i].sw]->port[lid] = l->e[i].port;
		if (ASKED(in))
			file_engine_tell_entry(in, &l->e[i], l->e[i].sw, lid);
	}
	for (uint32_t s = 0; ASKED(in) && s < in->topo->fabric->n_switches;
	     s++) /* what the file does not have */
		for (unsigned lid = 1; switch_up(in->topo, s) && lid <= in->lids->max_lid; lid++)
			if (lid_owner(in->lids, lid) != NO_ID && routing_port(r, s, lid) == NO_PATH)
				file_engine_tell_entry(in, NULL, s, lid);
	note_tables(in, out, l, r, n_moved, n_beyond);
}

/* Reads the forwarding tables. Takes h over. */
static struct routing *file_engine_load_tables(const struct engine_input *in, struct engine_output *out,
					       const char *path, struct hops *h)
{
	struct lft_file l;
	struct routing *r = NULL;

	rec_phase(in, "forwarding tables of %s", path);
	lft_file_read(&l, path, in->topo, in->progress);
	if (l.broken) {
		refuse_tables(in, &l);
		out->refused = l.why;
		hops_unref(h);
	} else {
		r = routing_new("file", in->topo, in->lids);
		r->ops = &hops_routing_ops;
		r->priv = h;
		fill_tables(in, out, &l, r);
	}
	lft_file_free(&l);
	return r;
}

static struct routing *file_route(const struct engine_input *in, struct engine_output *out)
{
	const char *path = options_file(in->options, TABLES);
	uint8_t *left;
	struct hops *h = matrix(in, out, &left);
	struct routing *r;

	if (!h)
		return NULL;
	if (!path && !options_file(in->options, MATRIX))
		note_add(&out->notes, 0,
			 "file: neither " TABLES " nor " MATRIX " is set: the tables are Min Hop's\n");
	r = path ? file_engine_load_tables(in, out, path, h)
		 : assign_routing("file", in, out, h, false, NULL, NULL);
	if (!r && left)
		file_engine_leave_matrix(in, left);
	else
		free(left);
	return r;
}

static const struct optdef file_options[] = {
	GUID_OPTION(TABLES, "-U FILE", OPT_NO_NAMES,
		    "forwarding tables as opensm-lfts.dump, dump_fts, ibroute or `export lfts` write them"),
	GUID_OPTION(MATRIX, "-M FILE", OPT_NO_NAMES,
		    "hop matrix as OpenSM writes it to opensm-lid-matrix.dump"),
	{0},
};

/* Room for the matrix that is read from a file, and for the one made of it. */
static size_t file_room(const struct engine_input *in, const char **what)
{
	size_t size = hops_build_room(in, what);

	if (!options_file(in->options, MATRIX))
		return size;
	return hops_size(in->topo->fabric, 0, 2);
}

const struct engine engine_file = {
	.name = "file",
	.brief = "tables from a file: a dump, or tables written by hand",
	.reference = "as OpenSM 3.3.23",
	.options = file_options,
	.route = file_route,
	.room = file_room,
	.scheme = &hops_scheme,
};
