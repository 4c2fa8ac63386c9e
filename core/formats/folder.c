/* A folder of dumps: ibdiagnet's output (core/formats/doc/formats.md 9.1), or OpenSM's. */
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/base/unpack.h"
#include "core/formats/formats.h"
#include "core/formats/readers.h"
#include "core/formats/tables.h"
#include "core/sm/sl_tables_file.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Names to look for, the best first. */
static const char *const fabric_names[] = {
	"ibdiagnet2.db_csv", "*.db_csv",	  "opensm-smdb.dump", "ibdiagnet2.ibnetdiscover",
	"*.ibnetdiscover",   "opensm-subnet.lst", "ibdiagnet2.lst",   "*.lst"};
static const char *const table_names[] = {"opensm-lfts.dump", "ibdiagnet2.fdbs", "opensm.fdbs", "*.fdbs"};
static const char *const adaptive_names[] = {"ibdiagnet2.far", "*.far"};
static const char *const map_names[] = {"ibdiagnet2.slvl", "*.slvl", "opensm-sl2vl.dump"};

bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Does a name fit a pattern, as it is or without the ending that a compressed file has? */
static bool fits(const char *name, const char *pattern)
{
	static const char *const packed[] = {".xz", ".gz", ".bz2", ".zst"};
	size_t n = strlen(name);
	bool fit = !fnmatch(pattern, name, FNM_PERIOD);

	for (size_t i = 0; !fit && i < ARRAY_LEN(packed); i++) {
		size_t m = strlen(packed[i]);

		if (n > m && !strcmp(name + n - m, packed[i])) {
			char *plain = str_printf("%.*s", (int)(n - m), name);

			fit = !fnmatch(pattern, plain, FNM_PERIOD);
			free(plain);
		}
	}
	return fit;
}

/* The first file of a folder, by name, that fits a pattern, to be freed; NULL. */
static char *find_file(const char *folder, const char *pattern)
{
	struct dirent **entry;
	char *found = NULL;
	int n = scandir(folder, &entry, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		if (!found && fits(entry[i]->d_name, pattern))
			found = str_printf("%s/%s", folder, entry[i]->d_name);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return found;
}

static char *find_best(const char *folder, const char *const *pattern, size_t n)
{
	char *found = NULL;

	for (size_t i = 0; i < n && !found; i++)
		found = find_file(folder, pattern[i]);
	return found;
}

/* A file that cannot be used is reported.  The rest goes on without it. */
static void warn_file(struct fabric *f, const char *why)
{
	warnings_add(&f->warnings, "file left out", 0, "%s", why);
}

/* The first file of cables that can be read; what the better ones lacked is a warning. */
static int load_cables(const char *folder, struct fabric **out, struct progress *p, struct err *e)
{
	char *last = NULL, *path;
	struct text left_out = {0};
	int rc = -1;

	err_set(e,
		"%s: found a folder without a file of cables, expected ibdiagnet2.db_csv, .ibnetdiscover or "
		".lst, or "
		"opensm-subnet.lst",
		folder);
	for (size_t i = 0; rc && i < ARRAY_LEN(fabric_names); i++) {
		path = find_file(folder, fabric_names[i]);
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
	free(last);
	text_free(&left_out);
	return rc;
}

/* Read tables from the best of some files; true: some were there. */
static bool add_tables(struct tables_reader *r, const char *path, struct fabric *f, struct progress *p)
{
	struct input in = {.name = path, .progress = p};
	struct err e;
	char *data;

	if (!path)
		return false;
	if (read_packed_file(path, p, &data, &in.size, &e)) {
		warn_file(f, e.msg);
		return false;
	}
	in.data = data;
	if (tables_read(r, &in, &e))
		warn_file(f, e.msg);
	free(data);
	return true;
}

static void add_maps(struct switch_tables *t, const char *path, struct fabric *f, struct progress *p)
{
	struct sl_tables *l;
	struct text notes = {0};
	struct err e;
	char *data;
	size_t size;

	if (!path)
		return;
	if (read_packed_file(path, p, &data, &size, &e)) {
		warn_file(f, e.msg);
		return;
	}
	l = sl_tables_new(f, 0);
	if (sl2vl_file_parse(l, path, data, size, f, &notes, &e)) {
		warn_file(f, e.msg);
		sl_tables_unref(l);
	} else {
		t->sl_tables = l;
	}
	free(data);
	if (notes.len)
		warnings_add(&f->warnings, "maps", 0, "%s", text_str(&notes));
	text_free(&notes);
}

/* A line each of what was odd about the tables. */
static void warn_lines(struct fabric *f, const char *notes)
{
	while (*notes) {
		size_t n = strcspn(notes, "\n");

		warnings_add(&f->warnings, "tables", 0, "%.*s", (int)n, notes);
		notes += n + (notes[n] == '\n');
	}
}

/* Tables of all switches, over them those with adaptive-routing groups; none is no fault. */
static void load_tables(const char *folder, struct fabric *f, struct progress *p)
{
	char *plain = find_best(folder, table_names, ARRAY_LEN(table_names));
	char *far = find_best(folder, adaptive_names, ARRAY_LEN(adaptive_names));
	char *maps = find_best(folder, map_names, ARRAY_LEN(map_names));
	struct text notes = {0};
	struct tables_reader r;
	struct tables_info info;
	struct switch_tables *t;
	bool any;

	tables_begin(&r, f);
	any = add_tables(&r, plain, f, p);
	any |= add_tables(&r, far, f, p);
	if (any) {
		t = tables_finish(&r, folder, NULL, &info, &notes);
		warn_lines(f, text_str(&notes));
		add_maps(t, maps, f, p);
		f->switch_tables = &t->counted;
	} else {
		tables_drop(&r);
	}
	text_free(&notes);
	free(plain);
	free(far);
	free(maps);
}

int load_folder(const char *path, struct fabric **out, struct progress *p, struct err *e)
{
	if (load_cables(path, out, p, e))
		return -1;
	load_tables(path, *out, p);
	if (!progress_cancelled(p))
		return 0;
	fabric_unref(*out);
	*out = NULL;
	return err_set(e, CANCELLED);
}
