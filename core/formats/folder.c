/* A folder of dumps: ibdiagnet's output (core/formats/doc/formats.md 9.1), or OpenSM's. */
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/program.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/fabric.h"
#include "core/formats/opensm_log.h"
#include "core/formats/readers.h"
#include "core/formats/tables.h"
#include "core/sm/lft_file.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SMDB "opensm-smdb.dump"

/* Names to look for, the best first. */
static const char *const fabric_names[] = {"ibdiagnet2.db_csv",
					   "*.db_csv",
					   SMDB,
					   "ibdiagnet2.ibnetdiscover",
					   "*.ibnetdiscover",
					   "opensm-subnet.lst",
					   "ibdiagnet2.lst",
					   "*.lst",
					   "*-nodes.ndat",
					   "*.ned"};
static const char *const table_names[] = {"opensm-lfts.dump", "ibdiagnet2.fdbs",  "opensm.fdbs",
					  "*.fdbs",	      "*-log-paths.ndat", "*-phy-paths.ndat"};
static const char *const adaptive_names[] = {"ibdiagnet2.far", "*.far"};
static const char *const log_names[] = {"ibdiagnet2.log", "ibdiagnet.log", "*console*.txt", "ibdiagnet*.txt"};
static const char *const manager_log_names[] = {"opensm.log", "*opensm*.log"};
static const char *const map_names[] = {"ibdiagnet2.slvl", "*.slvl", "opensm-sl2vl.dump"};

bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Does a name fit a pattern, perhaps with the ending of a compressed file? */
static bool folder_fits(const char *name, const char *pattern)
{
	static const char *const packed[] = {".xz", ".gz", ".bz2", ".zst"};
	size_t n = strlen(name);
	bool fit = !fnmatch(pattern, name, FNM_PERIOD);

	for (size_t i = 0; !fit && i < ARRAY_LEN(packed); i++) {
		size_t m = strlen(packed[i]);

		if (n > m && !strcmp(name + n - m, packed[i])) {
			AUTO_FREE char *plain = str_printf("%.*s", (int)(n - m), name);

			fit = !fnmatch(pattern, plain, FNM_PERIOD);
		}
	}
	return fit;
}

struct folder {
	const char *path;
	struct dirent **entry; /* by name */
	int n;
	bool *left_out; /* [n] of another run */
};

/* The first file by name in a folder that fits a pattern, to be freed; or NULL. */
static char *find_file(const struct folder *d, const char *pattern)
{
	for (int i = 0; i < d->n; i++)
		if (!d->left_out[i] && folder_fits(d->entry[i]->d_name, pattern))
			return str_printf("%s/%s", d->path, d->entry[i]->d_name);
	return NULL;
}

/* A file that cannot be used is reported.  The rest goes on without it. */
static void warn_file(struct fabric *f, const char *why)
{
	warnings_add(&f->warnings, "file left out", 0, "%s", why);
}

/* Reads the best of some files.  False: there is none, or it cannot be read, which is a warning. */
static bool read_best(const struct folder *d, const char *const *pattern, size_t n, struct fabric *f,
		      struct input *in)
{
	char *path = NULL, *data;
	struct err e;

	for (size_t i = 0; i < n && !path; i++)
		path = find_file(d, pattern[i]);
	if (path && !read_packed_file(path, in->progress, &data, &in->size, &e)) {
		in->name = path;
		in->data = data;
		return true;
	}
	if (path)
		warn_file(f, e.msg);
	free(path);
	return false;
}

static void free_read(struct input *in)
{
	free((void *)(uintptr_t)in->name);
	free((void *)(uintptr_t)in->data);
}

/* Loads the first readable file of cables, *used (to be freed). Better ones that failed are a warning. */
static int load_cables(const struct folder *d, struct fabric **out, char **used, struct progress *p,
		       struct err *e)
{
	char *last = NULL, *path;
	AUTO_TEXT struct text left_out = {0};
	int rc = -1;

	err_set(e,
		"%s: found a folder without a file of cables, expected ibdiagnet2.db_csv, .ibnetdiscover or "
		".lst, or opensm-subnet.lst",
		d->path);
	for (size_t i = 0; rc && i < ARRAY_LEN(fabric_names); i++) {
		path = find_file(d, fabric_names[i]);
		if (path && (!last || strcmp(path, last))) {
			rc = fabric_load(path, out, p, e);
			if (rc)
				text_add(&left_out, "%s%s", left_out.len ? "; " : "", e->msg);
		}
		if (path) {
			free(last);
			last = path;
		}
	}
	if (!rc && left_out.len)
		warn_file(*out, text_str(&left_out));
	*used = last;
	return rc;
}

/* --- other runs ------------------------------------------------------------------------------------ */

#define HEAD 16384	       /* the time of the run is in these first bytes */
#define PACKED_MOST (16 << 20) /* bytes of a compressed file that is unpacked to find it */

/* Text that begins with a date, "2025-03-31 23:43:18 UTC +0000". */
static bool is_date(struct cursor c)
{
	uint64_t v;

	return cur_number(&c, 10, &v) && v > 1999 && cur_char(&c, '-') && cur_number(&c, 10, &v) &&
	       cur_char(&c, '-') && cur_number(&c, 10, &v);
}

/* The time of a file's run, which the caller frees; NULL: not given. */
static char *run_of(const char *path, struct progress *p)
{
	struct stat st;
	struct err e;
	FILE *f = !stat(path, &st) && S_ISREG(st.st_mode) ? infile_open(path, p) : NULL;
	AUTO_FREE char *data = mem_alloc(HEAD);
	char *run = NULL;
	struct cursor line, date;
	bool info = false;

	size_t size = f ? fread(data, 1, HEAD, f) : 0;
	if (f)
		fclose(f);
	if (foreign_unpacker(data, size) && st.st_size <= PACKED_MOST) {
		free(data);
		data = NULL;
		if (read_packed_file(path, p, &data, &size, &e))
			size = 0;
	}
	struct lines lines = {data, data + MIN(size, HEAD), 0, p};
	while (size && !run && lines_next(&lines, &line)) {
		struct cursor word = line;

		info = (info || cur_word(&word, "START_RUN_INFO")) && !cur_word(&word, "END_");
		word = line;
		cur_char(&word, '#');
		if ((cur_word(&word, "Running timestamp") || cur_word(&word, "Timestamp")) &&
		    cur_char(&word, ':') && is_date(word))
			run = cur_clean(cur_trimmed(word), 64);
		/* in RUN_INFO, the first field that is a date counts */
		for (word = line; !run && info && cur_quoted(&word, &date); cur_char(&word, ','))
			if (is_date(date))
				run = cur_clean(cur_trimmed(date), 64);
	}
	return run;
}

/* Reports files of another run than that of the cables, and leaves them out. */
static void folder_leave_out(struct folder *d, const char *used, struct fabric *f, struct progress *p)
{
	const char *slash = strrchr(used, '/'), *name = slash ? slash + 1 : used;
	const char *own = f->generated ? f->generated : "";
	bool dated = is_date(cur_text(own));

	for (int i = 0; dated && i < d->n && !progress_cancelled(p); i++) {
		AUTO_FREE char *path = str_printf("%s/%s", d->path, d->entry[i]->d_name),
			       *run = run_of(path, p);

		d->left_out[i] = run && strcmp(run, own) != 0;
		if (d->left_out[i])
			warnings_add(&f->warnings, "other run", 0,
				     "%s is of another run (%s) than %s (%s); it is left out",
				     d->entry[i]->d_name, run, name, own);
	}
}

/* --- errors that ibdiagnet found ------------------------------------------------------------------ */

/* Has a row of db_csv reported the error already?  In it, '-' replaces commas, and the node's name is
 * missing. */
static bool is_told(const struct warnings *w, const char *text)
{
	const char *behind = strstr(text, " - ");
	size_t len = strlen(text = behind ? behind + 3 : text);

	for (size_t i = 0; i < w->n; i++) {
		size_t have = strlen(w->w[i].text);

		if (!strcmp(w->w[i].kind, IBDIAGNET_ERROR) && have >= len &&
		    !strcmp(w->w[i].text + have - len, text))
			return true;
	}
	return false;
}

static void load_log(const struct folder *d, struct fabric *f, struct progress *p)
{
	struct input in = {.progress = p};
	struct cursor line;
	uint64_t adaptive;
	uint32_t n = 0;

	if (!read_best(d, log_names, ARRAY_LEN(log_names), f, &in))
		return;
	struct lines lines = lines_of(&in);
	while (lines_next(&lines, &line)) {
		if (cur_behind(&line, "Adaptive Routing is enabled on ") && cur_number(&line, 10, &adaptive))
			f->n_adaptive = (uint32_t)MIN(adaptive, f->n_switches);
		if (!cur_word(&line, "-E-"))
			continue;
		AUTO_FREE char *text = cur_clean(cur_trimmed(line), IBDIAGNET_BYTES);
		for (char *c = text; *c; c++)
			*c = *c == ',' ? '-' : *c;
		/* "... finished with errors" is a heading of errors */
		if (*text && !strstr(text, "finished with errors") && !is_told(&f->warnings, text))
			ibdiagnet_error(&f->warnings, in.name, lines.no, text, &n);
	}
	free_read(&in);
}

/*
 * Takes the ranks of switches from the subnet manager's dump, if the cables come from another file.  A dump
 * of other switches is of no use.
 */
static void load_ranks(const struct folder *d, const char *used, struct fabric *f, struct progress *p)
{
	AUTO_FREE char *path = find_file(d, SMDB);
	AUTO_FABRIC struct fabric *from = NULL;
	struct err e;

	if (path && strcmp(path, used) != 0 && fabric_load(path, &from, p, &e))
		warn_file(f, e.msg);
	if (from && from->sm_engine && !f->sm_engine)
		f->sm_engine = str_dup(from->sm_engine);
	for (uint32_t s = 0; from && s < f->n_switches; s++) {
		uint32_t its = fabric_switch_in(from, f, s);

		f->switch_rank[s] = its == NO_ID ? 0 : from->switch_rank[its];
	}
}

/* --- P_Keys ---------------------------------------------------------------------------------------- */

struct pkey_reader {
	struct managers *m;
	const struct fabric *f;
	const uint32_t *owner; /* lid_owners() */
	uint64_t pkey, left; /* of the current group: members that its heading announces and that are still to
				come */
	uint64_t guid;	     /* of the port whose table follows; 0: not known */
};

/* "GROUP PKey:0x7fff Hosts:2", "Full NAME/P1 lid=0x0001 guid=0x... dev=4129"; false: not understood. */
static bool pkey_group_line(struct pkey_reader *g, struct cursor line)
{
	uint64_t guid = 0;

	if (cur_word(&line, "GROUP PKey:"))
		return !g->left && cur_number(&line, 0, &g->pkey) && g->pkey <= 0x7fff &&
		       cur_word(&line, "Hosts:") && cur_is_number(cur_trimmed(line), 10, &g->left);
	bool full = cur_word(&line, "Full ");
	if (!g->left || (!full && !cur_word(&line, "Limited ") && !cur_word(&line, "Part ")))
		return false;
	while (cur_behind(&line, " guid="))
		guid = 0, cur_number(&line, 0, &guid);
	managers_tell_pkey(g->m, guid, (uint16_t)(g->pkey | (full ? 0x8000 : 0)));
	g->left--;
	return guid;
}

static bool begins_pkey_group(struct cursor line)
{
	return cur_word(&line, "GROUP PKey:");
}

/* "   8: 0x8001 0xffff ...", eight of them. */
static bool pkey_table_row(struct cursor line, uint64_t pkey[8])
{
	unsigned n = 0;

	if (!cur_number(&line, 10, &pkey[0]) || !cur_char(&line, ':'))
		return false;
	while (n < 8 && cur_word(&line, "0x") && cur_number(&line, 16, &pkey[n]) && pkey[n] <= UINT16_MAX)
		n++;
	return n == 8;
}

static bool is_pkey_row(struct cursor line)
{
	return pkey_table_row(line, (uint64_t[8]){0});
}

/* A line of a table, or "$ smpquery -C mlx5_0 PKeyTable 5" above it as it was typed, or any other. */
static void pkey_table_line(struct pkey_reader *g, struct cursor line)
{
	uint64_t pkey[8], place, port = 0;

	for (unsigned i = 0; pkey_table_row(line, pkey) && i < 8; i++)
		if (g->guid && pkey[i])
			managers_tell_pkey(g->m, g->guid, (uint16_t)pkey[i]);
	if (!cur_behind(&line, "smpquery "))
		return;
	g->guid = 0;
	bool by_path = cur_find(&line, "-D "), by_guid = cur_find(&line, "-G ");
	if (by_path || (!cur_behind(&line, "pkeys ") && !cur_behind(&line, "PKeyTable ")))
		return;
	cur_word(&line, "-G");
	if (!cur_number(&line, 0, &place) || (!by_guid && place > MAX_LID))
		return;
	cur_number(&line, 10, &port);
	uint32_t ep = by_guid ? fabric_endport_by_guid(g->f, place) : g->owner[place];
	if (ep == NO_ID || (port && endport_is_switch(g->f, ep))) /* an outer port of a switch */
		return;
	g->guid = g->f->port_guid[g->f->endport_port[ep]];
	managers_tell_pkey(g->m, g->guid, 0); /* all of its places may be empty */
}

bool is_pkey_file(const struct input *in)
{
	return any_line(in, begins_pkey_group) || any_line(in, is_pkey_row);
}

int pkey_file_parse(const struct input *in, const struct fabric *f, struct managers *m, struct err *e)
{
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct pkey_reader g = {.m = m, .f = f, .owner = lid_owners(arena, f, NULL)};
	struct lines lines = lines_of(in);
	struct cursor line;
	bool good = true, groups = any_line(in, begins_pkey_group);
	uint32_t had = m->n_pkeys;
	char found[60];

	while (good && lines_next(&lines, &line)) {
		if (groups)
			good = !cur_says(line) || pkey_group_line(&g, line);
		else
			pkey_table_line(&g, line);
	}
	if (good && !g.left && (groups || m->n_pkeys > had)) {
		managers_order_pkeys(m);
		return 0;
	}
	m->n_pkeys = had;
	if (!groups)
		return err_set(
			e,
			"%s: found tables of P_Keys, but of no port of this fabric; expected `smpquery "
			"pkeys LID` above each, or saquery's PKeyTableRecord",
			in->name);
	return err_set(e,
		       "%s:%u: found '%s', expected 'GROUP PKey:0x.. Hosts:N' and behind it N lines "
		       "'Full|Limited NAME ... guid=0x..'; no P_Key of the file is taken",
		       in->name, lines.no, good ? "the end" : excerpt(line, found, sizeof(found)));
}

/* Takes the P_Keys of ports from all files that tell them, if the file of cables has none. */
static void load_pkeys(const struct folder *d, struct fabric *f, struct progress *p)
{
	struct managers *m = f->managers ? NULL : managers_new(0);
	struct err e;

	for (int i = 0; m && i < d->n; i++) {
		AUTO_FREE char *path = str_printf("%s/%s", d->path, d->entry[i]->d_name), *data = NULL;
		struct input in = {.name = path, .progress = p};

		if (d->left_out[i] || !(folder_fits(d->entry[i]->d_name, "*[Pp][Kk]ey*") ||
					folder_fits(d->entry[i]->d_name, "*smpquery*")))
			continue;
		if (read_packed_file(path, p, &data, &in.size, &e)) {
			warn_file(f, e.msg);
			continue;
		}
		in.data = data;
		if (is_pkey_file(&in) && pkey_file_parse(&in, f, m, &e))
			warnings_add(&f->warnings, "P_Keys left out", 0, "%s", e.msg);
	}
	if (m)
		fabric_take_pkeys(f, m);
}

/* Reads the subnet manager's log, if there is one. */
static void load_manager_log(const struct folder *d, struct fabric *f, struct progress *p)
{
	struct input in = {.progress = p};
	struct err e;

	if (!read_best(d, manager_log_names, ARRAY_LEN(manager_log_names), f, &in))
		return;
	struct opensm_log *log = opensm_log_parse(&in, &e);
	struct cursor all = {in.data, in.data + in.size};
	const struct logged *engine = log ? opensm_log_last(log, LOGGED_ENGINE, NULL, NULL) : NULL;
	if (engine && !f->sm_engine && cur_find(&all, ".MLNX")) /* the log of NVIDIA's OpenSM */
		f->sm_engine = str_dup(engine->word);
	if (log)
		f->log = &log->counted;
	else
		warn_file(f, e.msg);
	free_read(&in);
}

/* --- tables ------------------------------------------------------------------------------------------ */

/* Takes tables from the best of some files; true: some were there. */
static bool add_tables(struct tables_reader *r, const struct folder *d, const char *const *pattern, size_t n,
		       struct fabric *f, struct progress *p)
{
	struct input in = {.progress = p};
	struct err e;

	if (!read_best(d, pattern, n, f, &in))
		return false;
	if (tables_read(r, &in, &e))
		warn_file(f, e.msg);
	free_read(&in);
	return true;
}

/* Loads tables of all switches, then those with adaptive-routing groups over them. There may be none. */
static void folder_load_tables(const struct folder *d, struct fabric *f, struct progress *p)
{
	struct input maps = {.progress = p};
	AUTO_TEXT struct text notes = {0};
	struct tables_reader r;
	struct tables_info info;
	struct err e;

	tables_begin(&r, f);
	bool any = add_tables(&r, d, table_names, ARRAY_LEN(table_names), f, p);
	any |= add_tables(&r, d, adaptive_names, ARRAY_LEN(adaptive_names), f, p);
	if (any) {
		struct switch_tables *t = tables_finish(&r, d->path, NULL, &info, &notes);
		tables_hold(f, t, &notes);
		text_free(&notes);
		if (read_best(d, map_names, ARRAY_LEN(map_names), f, &maps)) {
			t->sl_tables = sl_tables_new(f, 0);
			if (sl2vl_file_parse(t->sl_tables, &maps, f, &notes, &e)) {
				warn_file(f, e.msg);
				sl_tables_unref(t->sl_tables);
				t->sl_tables = NULL;
			}
			free_read(&maps);
			if (notes.len)
				warnings_add(&f->warnings, "maps", 0, "%s", text_str(&notes));
		}
	} else {
		tables_drop(&r);
	}
}

int load_folder(const char *path, struct fabric **out, struct progress *p, struct err *e)
{
	struct folder d = {.path = path};
	AUTO_FREE char *used = NULL;

	d.n = scandir(path, &d.entry, NULL, alphasort);
	d.n = MAX(d.n, 0);
	d.left_out = NEW_ARRAY((size_t)d.n + 1, bool);
	int rc = load_cables(&d, out, &used, p, e);
	if (!rc) {
		folder_leave_out(&d, used, *out, p);
		load_ranks(&d, used, *out, p);
		folder_load_tables(&d, *out, p);
		load_pkeys(&d, *out, p);
		load_log(&d, *out, p);
		load_manager_log(&d, *out, p);
	}
	if (!rc && progress_cancelled(p)) {
		fabric_unref(*out);
		*out = NULL;
		rc = err_set(e, CANCELLED);
	}
	for (int i = 0; i < d.n; i++)
		free(d.entry[i]);
	free(d.entry);
	free(d.left_out);
	return rc;
}
