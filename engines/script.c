/* Tables that are not computed here: those of another program, and those from files. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/clean.h"
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/program.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/formats/drawing.h"
#include "core/sm/lft_file.h"
#include "core/sm/script.h"
#include "engines/counted/counted.h"
#include "engines/engines.h"
#include "engines/say.h"

/* Tables that another program computes, run without a shell: the contract is in core/sm/script.h. */

/* The tables in the switches; after `restore` too, where OpenSM itself ignores them.  NULL: none. */
static const struct routing *tables_before(const struct engine_input *in)
{
	const struct routing *r = in->current ? in->current : in->previous;

	return r && r->topo->fabric == in->topo->fabric ? r : NULL;
}

/* The fabric as JSON, in a file without a name at its beginning.  NULL and *e. */
static FILE *script_input_of(const struct engine_input *in, struct err *e)
{
	const struct fabric *f = in->topo->fabric;
	AUTO_STATE struct state *down = state_new(f);
	int fd = memfd_create(SCRIPT_ENGINE, MFD_CLOEXEC), rc;
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w");

	for (uint32_t l = 0; l < f->n_links; l++)
		down->link_down[l] = in->topo->peer[f->link_port[2 * l]] == NO_ID;
	rc = to ? write_json(to, &(struct json_of){in->topo, in->lids, down, tables_before(in), !in->current},
			     &f->warnings, in->progress)
		: -1;
	if (!rc && !fflush(to) && !lseek(fd, 0, SEEK_SET))
		return to;
	if (progress_cancelled(in->progress))
		err_set(e, CANCELLED);
	else
		err_system(e, "the input of the program", errno);
	if (to)
		fclose(to);
	return NULL;
}

/* --- what it prints ------------------------------------------------------------------------------------- */

/* State while its output is read. */
struct script_reader {
	const struct engine_input *in;
	struct routing *r; /* being made */
	struct lines lines;
	const char *name; /* of the output */
	uint32_t sw;	  /* whose table is read; NO_ID: none yet */
	uint32_t n_tables;
	bool sls; /* there are lines of SLs */
};

PRINTF_LIKE(4, 5)
static int script_expected(const struct script_reader *r, struct cursor line, struct err *e, const char *fmt,
			   ...)
{
	AUTO_TEXT struct text what = {0};
	char found[60];
	va_list ap;

	va_start(ap, fmt);
	text_addv(&what, fmt, ap);
	va_end(ap);
	err_set(e, "%s, line %u: found '%s', expected %s", r->name, r->lines.no,
		excerpt(line, found, sizeof(found)), text_str(&what));
	return -1;
}

/* "Unicast lids ... guid 0xGUID ...", behind the first two words. */
static int script_read_head(struct script_reader *r, struct cursor line, struct cursor c, struct err *e)
{
	const struct topo *t = r->in->topo;
	uint64_t guid;

	if (!cur_behind(&c, " guid 0x") || !cur_number(&c, 16, &guid))
		return script_expected(r, line, e,
				       "`Unicast lids ... guid 0x<GUID>` with the node GUID of a switch");
	uint32_t node = fabric_node_by_guid(t->fabric, guid);
	r->sw = node == NO_ID ? NO_ID : t->fabric->node_switch[node];
	if (r->sw == NO_ID)
		return script_expected(r, line, e, "the node GUID of a switch of the fabric");
	if (!switch_up(t, r->sw)) /* its table is read, and dropped */
		return 0;
	if (r->r->row[r->sw])
		return script_expected(r, line, e, "one table of %s", switch_name(t->fabric, r->sw));
	r->r->row[r->sw] = lft_row_new(r->in->lids->max_lid);
	r->n_tables++;
	return 0;
}

static int script_read_entry(struct script_reader *r, struct cursor line, struct err *e)
{
	unsigned max_lid = r->in->lids->max_lid;
	struct cursor c = line;
	uint64_t lid, port;

	if (r->sw == NO_ID)
		return script_expected(r, line, e, "`Unicast lids ... guid 0x<GUID>` before the first entry");
	unsigned ports = r->in->topo->fabric->switch_nports[r->sw];
	if (!cur_number(&c, 16, &lid) || cur_empty(&c) || !isspace((unsigned char)*c.p) ||
	    !cur_number(&c, 10, &port) || (!cur_empty(&c) && !isspace((unsigned char)*c.p)))
		return script_expected(r, line, e, "`0x<LID> <port>`, the port decimal");
	if (!lid || lid > max_lid)
		return script_expected(r, line, e, "a LID from 0x1 to 0x%x", max_lid);
	if (port > ports && port != NO_PATH)
		return script_expected(r, line, e, "a port of %s, 0 to %u, or 255 for none",
				       switch_name(r->in->topo->fabric, r->sw), ports);
	if (r->r->row[r->sw])
		r->r->row[r->sw]->port[lid] = (uint8_t)port;
	return 0;
}

/* "32 lids dumped", "32 valid lids dumped": the end of a dump. */
static bool ends_dump(struct cursor c)
{
	uint64_t n;

	return cur_number(&c, 10, &n) && (cur_word(&c, "valid") || true) && cur_word(&c, "lids dumped");
}

/* A line that is not an SL becomes blank, so that the reader of SLs counts lines as this one. */
static int script_read_line(struct script_reader *r, struct cursor line, struct err *e)
{
	struct cursor c = line;
	int rc = 0;

	cur_blanks(&c);
	if (!cur_empty(&c) && isdigit((unsigned char)*c.p) && !cur_begins(c, "0x") && !ends_dump(c)) {
		r->sls = true;
		return 0;
	}
	if (cur_word(&c, "Unicast lids"))
		rc = script_read_head(r, line, c, e);
	else if (cur_begins(c, "0x"))
		rc = script_read_entry(r, line, e);
	else if (cur_says(line) && !ends_dump(c))
		rc = script_expected(r, line, e,
				     "`Unicast lids ... guid 0x<GUID>`, `0x<LID> <port>` or `SLID DLID SL`");
	memset((char *)(uintptr_t)line.p, ' ', cur_len(line));
	return rc;
}

static int read_output(struct script_reader *r, const char *data, size_t size, struct notes *notes,
		       struct err *e)
{
	const struct engine_input *in = r->in;
	struct cursor line;
	struct sl_tables *sls;

	r->lines = (struct lines){data, data + size, 0, in->progress};
	while (lines_next(&r->lines, &line))
		if (script_read_line(r, line, e))
			return -1;
	if (progress_cancelled(in->progress))
		return err_set(e, CANCELLED);
	if (!r->n_tables)
		return err_set(
			e,
			"%s: found no table of a switch, expected `Unicast lids ... guid 0x<GUID>` and "
			"lines `0x<LID> <port>`",
			r->name);
	if (r->n_tables < in->topo->n_switches_up)
		note_add(notes, 0, "%s: no table of %u of %s\n", r->name,
			 in->topo->n_switches_up - r->n_tables, PLURAL(in->topo->n_switches_up, "switch"));
	if (!r->sls)
		return 0;
	r->r->priv = sls = sl_tables_new(in->topo->fabric, in->lids->max_lid);
	const struct input file = {.name = r->name, .data = data, .size = size};
	return sl_file_parse(sls, &file, in->topo->fabric, in->lids, &notes->text, e);
}

/* --- running it
 * ------------------------------------------------------------------------------------------ */

/* What it wrote to its standard error: lines of the notes; the last line is put behind the message *why. */
static void script_tell_said(const char *program, const struct text *said, struct notes *notes,
			     struct err *why)
{
	struct lines l = {said->s, said->s + said->len, 0, NULL};
	struct cursor line, last = {NULL, NULL};
	char buf[200];

	while (said->len && lines_next(&l, &line)) {
		if (!cur_len(cur_trimmed(line)))
			continue;
		last = line;
		if (notes)
			note_add(notes, 0, "%s: %s\n", program, excerpt(line, buf, sizeof(buf)));
	}
	if (why && last.p) {
		struct err before = *why;

		err_set_kind(why, before.kind, "%.290s; it said: %s", before.msg,
			     excerpt(cur_trimmed(last), buf, sizeof(buf)));
	}
}

/* Runs it with the JSON as its input.  0, its output in *data; -1 and *e. */
static int script_run(const struct script_reader *r, char **argv, char **data, size_t *size,
		      struct notes *notes, struct err *e)
{
	const struct engine_input *in = r->in;
	FILE *from = script_input_of(in, e);
	struct text said = {0};
	struct program_way way = {
		.seconds = (unsigned)options_uint(in->options, "script_seconds"),
		.said = &said,
		.most_said = SCRIPT_SAID,
		.name = r->name,
		.mib = SCRIPT_MIB,
	};

	if (!from)
		return -1;
	way.in = fileno(from);
	progress_start(in->progress, "a program routes", 0);
	int rc = program_output(argv, &way, data, size, in->progress, e);
	fclose(from);
	if (!progress_cancelled(in->progress) && rc)
		script_tell_said(argv[0], &said, NULL, e);
	else if (!progress_cancelled(in->progress))
		script_tell_said(argv[0], &said, notes, NULL);
	text_free(&said);
	return rc;
}

/* The words of the program; argv[0] becomes its path, so that nothing else is run.  0, or -1 and *e. */
static int find_program(const struct engine_input *in, int *argc, char ***argv, struct err *e)
{
	const char *rest;

	*argc = 0;
	*argv = NULL;
	if (!in->program)
		return err_set_kind(e, ERR_SYNTAX, "no program was given; `route script:PROGRAM` does it");
	if (words_split(in->program, &rest, argc, argv, e))
		return -1;
	if (strchr((*argv)[0], '/'))
		return 0;
	char *path = program_path((*argv)[0]);
	if (!path)
		return err_set_kind(e, ERR_IO, "%s: not found in PATH%s", (*argv)[0],
				    access((*argv)[0], X_OK) ? ""
							     : "; the one of this folder has a path, ./");
	free((*argv)[0]);
	(*argv)[0] = path;
	return 0;
}

static int compute(const struct engine_input *in, struct routing *r, struct notes *notes, struct err *e)
{
	struct script_reader reader = {.in = in, .r = r, .sw = NO_ID};
	char **argv;
	AUTO_FREE char *data = NULL, *name = NULL;
	size_t size;
	int argc, rc = find_program(in, &argc, &argv, e);

	if (!rc) {
		name = str_printf("output of %s", argv[0]);
		reader.name = name;
		rc = script_run(&reader, argv, &data, &size, notes, e);
	}
	if (rc) {
		err_default(e, ERR_IO);
	} else if (read_output(&reader, data, size, notes, e)) {
		rc = -1;
		err_default(e, ERR_INPUT);
	}
	for (uint32_t s = 0; !rc && s < in->topo->fabric->n_switches; s++)
		if (switch_up(in->topo, s) && !r->row[s])
			r->row[s] = lft_row_new(in->lids->max_lid);
	words_free(argc, argv);
	return rc;
}

/* --- the routing
 * ------------------------------------------------------------------------------------------- */

static struct sl_range sl_of(const struct routing *r, unsigned slid, unsigned dlid)
{
	uint32_t source = lid_owner(r->lids, slid);
	unsigned sl = r->priv && source != NO_ID ? sl_tables_sl(r->priv, source, dlid) : SL_TABLES_NO_SL;

	sl = sl == SL_TABLES_NO_SL ? 0 : sl;
	return (struct sl_range){(uint8_t)sl, (uint8_t)sl};
}

static void free_sls(void *priv)
{
	sl_tables_unref(priv);
}

static const struct routing_ops script_ops = {.sl = sl_of, .free_priv = free_sls};

static void script_tell_entry(const struct engine_input *in, uint32_t sw, unsigned lid, unsigned port)
{
	const char *words = words_skip(in->program ? in->program : "");
	uint32_t owner = lid_owner(in->lids, lid);
	struct rec_choice *c = rec_choice(in, sw, lid);
	AUTO_FREE char *name = NULL;

	if (!c)
		return;
	if (words_take(&words, &name, NULL))
		name = str_dup(SCRIPT_ENGINE);
	c->target = owner == NO_ID ? NO_ID : in->topo->endport_switch[owner];
	c->port = (uint8_t)port;
	c->rule = "by the program";
	text_add(&c->text, "the program gave this entry");
	if (port && port != NO_PATH)
		rec_offer(c, port, in->topo->peer[switch_port_id(in->topo->fabric, sw, port)]);
	if (port == NO_PATH)
		decide(&c->decided, WHY_PROGRAM, "Chosen by %s: no entry for LID %u.", name, lid);
	else
		decide(&c->decided, WHY_PROGRAM, "Chosen by %s: port %u.", name, port);
	rec_chosen(in, c);
}

/* Tells whoever asks or records. */
static void script_tell(const struct engine_input *in, const struct routing *r)
{
	for (uint32_t s = 0; s < in->topo->fabric->n_switches; s++) {
		for (unsigned lid = 1; r->row[s] && lid <= r->row[s]->top; lid++) {
			unsigned port = r->row[s]->port[lid];

			if (port == NO_PATH && lid_owner(in->lids, lid) == NO_ID)
				continue;
			if (ASKED(in))
				script_tell_entry(in, s, lid, port);
			if (RECORDED(in))
				assign_record_read(in, s, lid, NO_PATH, port, WHY_PROGRAM);
		}
		if (RECORDED(in) && r->row[s])
			rec_event(in->record, REC_TABLE, 0, 0, s, 0);
	}
}

static struct routing *script_route(const struct engine_input *in, struct engine_output *out)
{
	struct routing *r = routing_new(SCRIPT_ENGINE, in->topo, in->lids);

	r->ops = &script_ops;
	if (in->made) { /* it is asked about: nothing is run again */
		for (uint32_t s = 0; s < in->topo->fabric->n_switches; s++)
			if (in->made->row[s])
				routing_share_row(r, in->made, s);
		r->priv = in->made->priv ? sl_tables_ref(in->made->priv) : NULL;
	} else if (compute(in, r, &out->notes, &out->refused)) {
		out->failed = true;
		routing_unref(r);
		return NULL;
	}
	if (ASKED(in) || RECORDED(in))
		script_tell(in, r);
	return r;
}

/* The fabric as text: an entry of the tables before takes 16 bytes. */
static size_t script_room(const struct engine_input *in, const char **what)
{
	*what = "their text for the program";
	return in->made ? 0
			: (tables_before(in) ? 16 : 0) * (size_t)in->topo->n_switches_up * in->lids->max_lid;
}

static const struct optdef script_options[] = {
	{.name = "script_seconds",
	 .type = OPT_UINT,
	 .def = "60",
	 .min = 1,
	 .max = SCRIPT_MOST_S,
	 .help = "seconds that the program of engine script may take",
	 .own = true},
	{0},
};

/* --- as a recording
 * ----------------------------------------------------------------------------------------- */

static const char *script_rule(const struct rec_event *ev)
{
	return why_rule_name(ev->rule);
}

static void *sls_at(struct walk *w, const struct routing *end)
{
	(void)w;
	return end && end->priv ? sl_tables_ref(end->priv) : NULL;
}

static const struct rec_scheme script_scheme = {
	.rule = script_rule,
	.source = assign_source,
	.sentence = assign_sentence,
	.ops = &script_ops,
	.priv_at = sls_at,
};

const struct engine engine_script = {
	.name = SCRIPT_ENGINE,
	.brief = "a program of your own (`route script:PROGRAM`)",
	.reference = "ibscope(1), ENGINES OF YOUR OWN",
	.options = script_options,
	.route = script_route,
	.room = script_room,
	.scheme = &script_scheme,
};

/* Tables from files, as OpenSM's engine `file`: forwarding tables that somebody dumped or wrote, a hop
 * matrix, or both. Whatever no file gives is computed by Min Hop. Entries follow the port GUIDs in the file
 * when LIDs have changed. */

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

		assert(row->n <= f->switch_nports[row->sw] + 1u);
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
	if (RECORDED(in)) /* in addition to what the phase says */
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

	if (!h)
		return NULL;
	if (!path && !options_file(in->options, MATRIX))
		note_add(&out->notes, 0,
			 "file: neither " TABLES " nor " MATRIX " is set: the tables are Min Hop's\n");
	struct routing *r = path ? file_engine_load_tables(in, out, path, h)
				 : assign_routing("file", in, out, h, false, (struct hops_marks){0});
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
