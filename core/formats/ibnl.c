#include "core/formats/ibnl.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/fabric/speed.h"
#include "core/formats/readers.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

/* --- words ------------------------------------------------------------------------------------ */

bool same_text(struct cursor a, struct cursor b)
{
	size_t n = (size_t)(a.end - a.p);

	return (size_t)(b.end - b.p) == n && !memcmp(a.p, b.p, n);
}

static struct cursor text_cursor(const char *s)
{
	return (struct cursor){s, s + strlen(s)};
}

bool ibnl_arrow(struct cursor c, uint8_t *width, uint8_t *speed)
{
	*width = *speed = 0;
	if (c.end - c.p < 2 || *c.p != '-' || c.end[-1] != '>')
		return false;
	c.end--;
	for (c.p++; c.p < c.end; c.p++) { /* each item ends with '-' */
		struct cursor item = {c.p, memchr(c.p, '-', (size_t)(c.end - c.p))};
		unsigned w, v;

		if (!item.end)
			return false;
		w = link_width_parse(item.p, (size_t)(item.end - item.p));
		v = item.end[-1] == 'G' ? lane_speed((struct cursor){item.p, item.end - 1}) : SPEED_UNKNOWN;
		if (!w && !v)
			return false;
		*width = w ? (uint8_t)w : *width;
		*speed = v ? (uint8_t)v : *speed;
		c.p = item.end;
	}
	return true;
}

/* --- lines ------------------------------------------------------------------------------------- */

/* Where lines go while a file is read. */
struct ibnl_reader {
	struct ibnl_library *l;
	unsigned file;
	struct ibnl_system *system; /* NULL: none was begun */
	struct ibnl_part *part;
};

static void begin_system(struct ibnl_reader *r, struct cursor names, bool top)
{
	GROW(r->l->system, r->l->n, r->l->cap);
	r->system = &r->l->system[r->l->n++];
	*r->system = (struct ibnl_system){.names = names, .top = top, .file = r->file};
	r->part = NULL;
}

static void begin_part(struct ibnl_reader *r, const struct ibnl_part *p)
{
	GROW(r->system->part, r->system->n, r->system->cap);
	r->part = &r->system->part[r->system->n++];
	*r->part = *p;
}

/* "SW 24 MT47396 U1" */
static bool read_chip(struct ibnl_reader *r, struct cursor c)
{
	struct cursor type = cur_token(&c);
	struct ibnl_part p = {0};
	uint64_t nports;

	p.type = same_text(type, text_cursor("SW"))					     ? NODE_SWITCH
		 : same_text(type, text_cursor("CA")) || same_text(type, text_cursor("HCA")) ? NODE_CA
											     : 0;
	if (!p.type || !cur_number(&c, 10, &nports) || nports < 1 || nports > MAX_PORTS)
		return false;
	p.nports = (unsigned)nports;
	p.kind = cur_token(&c);
	p.name = cur_token(&c);
	if (cur_empty(&p.name) || !r->system)
		return false;
	begin_part(r, &p);
	return true;
}

/* "LEAF leaf1" */
static bool read_board(struct ibnl_reader *r, struct cursor c)
{
	struct ibnl_part p = {0};

	p.kind = cur_token(&c);
	p.name = cur_token(&c);
	if (cur_empty(&p.name) || !r->system)
		return false;
	begin_part(r, &p);
	return true;
}

static bool read_wire(struct ibnl_reader *r, struct cursor c)
{
	struct ibnl_wire w = {0};
	struct cursor rest;

	w.port = cur_token(&c);
	if (!ibnl_arrow(cur_token(&c), &w.width, &w.speed) || !r->part)
		return false;
	w.instance = cur_token(&c);
	w.to = cur_token(&c);
	rest = cur_token(&c);
	if (cur_empty(&w.instance) || !cur_empty(&rest))
		return false;
	if (cur_empty(&w.to)) { /* one word: a connector */
		w.to = w.instance;
		w.instance = rest;
	}
	GROW(r->part->wire, r->part->n, r->part->cap);
	r->part->wire[r->part->n++] = w;
	return true;
}

/* "U1=isChaBma": what a part is used for, of no use here. */
static bool is_attribute(struct cursor c)
{
	struct cursor word = cur_token(&c), rest = cur_token(&c);

	return cur_empty(&rest) && memchr(word.p, '=', (size_t)(word.end - word.p)) != NULL;
}

static bool read_line(struct ibnl_reader *r, struct cursor line)
{
	struct cursor c = line, word = cur_token(&c);

	cur_blanks(&c);
	if (same_text(word, text_cursor("SYSTEM")) || same_text(word, text_cursor("TOPSYSTEM"))) {
		begin_system(r, c, *word.p == 'T');
		return true;
	}
	if (same_text(word, text_cursor("NODE")))
		return read_chip(r, c);
	if (same_text(word, text_cursor("SUBSYSTEM")))
		return read_board(r, c);
	return read_wire(r, line) || is_attribute(line);
}

void ibnl_add(struct ibnl_library *l, const char *name, char *data, size_t size)
{
	struct ibnl_reader r = {.l = l, .file = (unsigned)l->n_files};
	struct lines lines = {data, data + size, 0, NULL};
	struct ibnl_file *f;
	struct cursor line;

	GROW(l->file, l->n_files, l->cap_files);
	f = &l->file[l->n_files++];
	*f = (struct ibnl_file){.name = str_dup(name), .data = data};
	while (lines_next(&lines, &line)) {
		struct cursor c = line, word = cur_token(&c);

		if (cur_empty(&word) || *word.p == '#')
			continue;
		if (read_line(&r, line))
			f->lines.read++;
		else
			unread_line(&f->lines, &(struct input){.name = name, .data = data}, lines.no, line,
				    "a line of SYSTEM, NODE, SUBSYSTEM or a wire");
	}
}

void ibnl_free(struct ibnl_library *l)
{
	for (size_t i = 0; i < l->n; i++) {
		for (size_t k = 0; k < l->system[i].n; k++)
			free(l->system[i].part[k].wire);
		free(l->system[i].part);
	}
	for (size_t i = 0; i < l->n_files; i++) {
		unknown_free(&l->file[i].lines);
		free(l->file[i].name);
		free(l->file[i].data);
	}
	free(l->system);
	free(l->file);
	*l = (struct ibnl_library){0};
}

/* --- folders ------------------------------------------------------------------------------------- */

static void add_matching(struct ibnl_library *l, const char *pattern, struct progress *p)
{
	glob_t g;
	bool any = !glob(pattern, 0, NULL, &g);

	for (size_t i = 0; any && i < g.gl_pathc; i++) {
		char *data;
		size_t size;

		if (!read_file(g.gl_pathv[i], p, &data, &size, NULL))
			ibnl_add(l, g.gl_pathv[i], data, size);
	}
	globfree(&g);
}

static void add_folder(struct ibnl_library *l, struct cursor folder, struct text *where, struct progress *p)
{
	char *pattern = str_printf("%.*s/*.ibnl", (int)(folder.end - folder.p), folder.p);

	text_add(where, "%s%.*s", where->len ? ", " : "", (int)(folder.end - folder.p), folder.p);
	add_matching(l, pattern, p);
	free(pattern);
}

void ibnl_add_folders(struct ibnl_library *l, const char *folder, struct text *where, struct progress *p)
{
	static const char *const installed[] = {"/usr/lib/*/ibdm*/ibnl", "/usr/lib*/ibdm*/ibnl",
						"/usr/local/lib/ibdm*/ibnl"};
	const char *path = getenv("IBDM_IBNL_PATH");

	add_folder(l, text_cursor(folder), where, p);
	while (path && *path) {
		size_t n = strcspn(path, ":");

		if (n)
			add_folder(l, (struct cursor){path, path + n}, where, p);
		path += n + (path[n] == ':');
	}
	for (size_t i = 0; i < ARRAY_LEN(installed); i++)
		add_folder(l, text_cursor(installed[i]), where, p);
}

/* --- types by name --------------------------------------------------------------------------------- */

/* Is it one of "LEAF,LEAF:4x"? */
static bool has_name(struct cursor names, struct cursor name)
{
	while (!cur_empty(&names)) {
		const char *comma = memchr(names.p, ',', (size_t)(names.end - names.p));
		struct cursor one = {names.p, comma ? comma : names.end};

		names.p = comma ? comma + 1 : names.end;
		if (same_text(cur_token(&one), name))
			return true;
	}
	return false;
}

const struct ibnl_system *ibnl_top(const struct ibnl_library *l, struct cursor name)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->system[i].top && has_name(l->system[i].names, name))
			return &l->system[i];
	return NULL;
}

const struct ibnl_system *ibnl_board(const struct ibnl_library *l, unsigned file, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!l->system[i].top && l->system[i].file == file &&
		    has_name(l->system[i].names, text_cursor(name)))
			return &l->system[i];
	return NULL;
}
