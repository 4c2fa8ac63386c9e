#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/fabric/fabric.h"
#include "core/formats/ibnl.h"
#include "core/formats/readers.h"

#include <assert.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

/* --- words ------------------------------------------------------------------------------------ */

bool ibnl_arrow(struct cursor c, uint8_t *width, uint8_t *speed)
{
	*width = *speed = 0;
	if (c.end - c.p < 2 || *c.p != '-' || c.end[-1] != '>')
		return false;
	c.end--;
	for (c.p++; !cur_empty(&c);) { /* each item ends with '-' */
		struct cursor item = cur_part(&c, '-');
		unsigned w = link_width_parse(item.p, cur_len(item)), v = SPEED_UNKNOWN;

		if (item.end == c.end) /* no '-' */
			return false;
		if (item.end[-1] == 'G')
			v = lane_speed((struct cursor){item.p, item.end - 1});
		if (!w && !v)
			return false;
		*width = w ? (uint8_t)w : *width;
		*speed = v ? (uint8_t)v : *speed;
	}
	return true;
}

/* --- lines ------------------------------------------------------------------------------------- */

/* Where lines go while a file is read. */
struct ibnl_reader {
	struct ibnl_library *l;
	unsigned file;
	struct ibnl_system *system; /* NULL: none has begun */
	struct ibnl_part *part;
};

/* "SW 24 MT47396 U1" is a chip, "LEAF leaf1" (chip: false) a board. */
static bool read_part(struct ibnl_reader *r, struct cursor c, bool chip)
{
	struct cursor type = chip ? cur_token(&c) : c;
	struct ibnl_part p = {0};
	uint64_t nports = 0;

	if (chip) {
		p.type = cur_same(type, cur_text("SW"))					     ? NODE_SWITCH
			 : cur_same(type, cur_text("CA")) || cur_same(type, cur_text("HCA")) ? NODE_CA
											     : 0;
		if (!p.type || !cur_number(&c, 10, &nports) || nports < 1 || nports > MAX_PORTS)
			return false;
	}
	p.nports = (unsigned)nports;
	p.kind = cur_token(&c);
	p.name = cur_token(&c);
	if (cur_empty(&p.name) || !r->system)
		return false;
	GROW(r->system->part, r->system->n, r->system->cap);
	r->part = &r->system->part[r->system->n++];
	*r->part = p;
	return true;
}

static bool read_wire(struct ibnl_reader *r, struct cursor c)
{
	struct ibnl_wire w = {0};

	w.port = cur_token(&c);
	if (!ibnl_arrow(cur_token(&c), &w.width, &w.speed) || !r->part)
		return false;
	w.instance = cur_token(&c);
	w.to = cur_token(&c);
	struct cursor rest = cur_token(&c);
	if (cur_empty(&w.instance) || !cur_empty(&rest))
		return false;
	if (cur_empty(&w.to)) { /* a single word is a connector */
		w.to = w.instance;
		w.instance = rest;
	}
	GROW(r->part->wire, r->part->n, r->part->cap);
	r->part->wire[r->part->n++] = w;
	return true;
}

static bool ibnl_read_line(struct ibnl_reader *r, struct cursor line)
{
	struct cursor c = line, word = cur_token(&c), rest;
	bool top = cur_same(word, cur_text("TOPSYSTEM"));

	cur_blanks(&c);
	if (top || cur_same(word, cur_text("SYSTEM"))) {
		GROW(r->l->system, r->l->n, r->l->cap);
		r->system = &r->l->system[r->l->n++];
		*r->system = (struct ibnl_system){.names = c, .top = top, .file = r->file};
		r->part = NULL;
		return true;
	}
	if (cur_same(word, cur_text("NODE")) || cur_same(word, cur_text("SUBSYSTEM")))
		return read_part(r, c, *word.p == 'N');
	if (read_wire(r, line))
		return true;
	rest = cur_token(&c); /* "U1=isChaBma" only gives the use of a part, which is not needed here */
	return cur_empty(&rest) && memchr(word.p, '=', cur_len(word)) != NULL;
}

void ibnl_add(struct ibnl_library *l, const char *name, char *data, size_t size)
{
	struct ibnl_reader r = {.l = l, .file = (unsigned)l->n_files};
	struct input in = {.name = name, .data = data, .size = size};
	struct lines lines = lines_of(&in);
	struct cursor line;

	GROW(l->file, l->n_files, l->cap_files);
	struct ibnl_file *f = &l->file[l->n_files++];
	*f = (struct ibnl_file){.name = str_dup(name), .data = data};
	while (lines_next(&lines, &line)) {
		if (!cur_says(line))
			continue;
		if (ibnl_read_line(&r, line))
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

static void ibnl_add_folder(struct ibnl_library *l, struct cursor folder, struct text *where,
			    struct progress *p)
{
	AUTO_FREE char *pattern = str_printf("%.*s/*.ibnl", CUR_ARGS(folder));
	char *data;
	glob_t g;
	bool any = !glob(pattern, 0, NULL, &g);
	size_t size;

	text_add(where, "%s%.*s", where->len ? ", " : "", CUR_ARGS(folder));
	for (size_t i = 0; any && i < g.gl_pathc; i++)
		if (!read_file(g.gl_pathv[i], p, &data, &size, NULL))
			ibnl_add(l, g.gl_pathv[i], data, size);
	globfree(&g);
}

void ibnl_add_folders(struct ibnl_library *l, const char *folder, struct text *where, struct progress *p)
{
	static const char *const installed[] = {"/usr/lib/*/ibdm*/ibnl", "/usr/lib*/ibdm*/ibnl",
						"/usr/local/lib/ibdm*/ibnl"};
	struct cursor path = cur_text(getenv("IBDM_IBNL_PATH"));

	ibnl_add_folder(l, cur_text(folder), where, p);
	while (!cur_empty(&path)) {
		struct cursor one = cur_part(&path, ':');

		if (!cur_empty(&one))
			ibnl_add_folder(l, one, where, p);
	}
	for (size_t i = 0; i < ARRAY_LEN(installed); i++)
		ibnl_add_folder(l, cur_text(installed[i]), where, p);
}

/* --- types by name --------------------------------------------------------------------------------- */

/* Is it one of "LEAF,LEAF:4x"? */
static bool has_name(struct cursor names, struct cursor name)
{
	while (!cur_empty(&names)) {
		struct cursor one = cur_part(&names, ',');

		if (cur_same(cur_token(&one), name))
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
	assert(file < l->n_files);
	for (size_t i = 0; i < l->n; i++)
		if (!l->system[i].top && l->system[i].file == file &&
		    has_name(l->system[i].names, cur_text(name)))
			return &l->system[i];
	return NULL;
}
