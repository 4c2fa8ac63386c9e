/*
 * The pane `open`: files and folders to choose from. What is typed is a path; it chooses among those that
 * begin so, and Tab completes it. Another thread reads what is selected and tells what it is.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/formats/formats.h"
#include "views/base/view.h"

enum { C_NAME, C_SIZE };

static const struct column columns[] = {
	COL("name", "the file, or the folder (with /)", 20, .flex = 1),
	NUM("size", "its size in KiB", 8),
};

#define ENTRIES_MOST 10000

struct entry {
	char *name;
	bool folder;
	int64_t size; /* bytes */
};

struct open_pane {
	struct entry *entry; /* [n_rows] */
	size_t n, cap;
	char *folder; /* the part of what is typed up to the last '/', "" = where the program runs */
};

static void open_pane_unload(struct view *v)
{
	struct open_pane *p = v->priv;

	for (size_t i = 0; i < p->n; i++)
		free(p->entry[i].name);
	free(p->entry);
	free(p->folder);
}

/* --- what a file is: computed by another thread ------------------------------------------ */

struct file_question {
	char *path;
	int64_t size, time; /* another content is another question */
};

static void open_pane_free_question(void *value)
{
	struct file_question *q = value;

	free(q->path);
	free(q);
}

static bool open_pane_same_question(const void *was, const void *value)
{
	const struct file_question *a = was, *b = value;

	return !strcmp(a->path, b->path) && a->size == b->size && a->time == b->time;
}

static const struct task task_question = {.free = open_pane_free_question, .same = open_pane_same_question};

/* "ibnetdiscover: 48 switches, 64 hosts, 192 links; no tables" */
static void *open_pane_tell_file(const struct job *j)
{
	const struct file_question *q = j->base;
	struct fabric *f = NULL;
	struct text t = {0};

	if (fabric_load(q->path, &f, j->progress, j->e))
		return NULL;
	text_add(&t, "%s%s: %s, %s, %s; %s", f->warnings.missing ? "INCOMPLETE " : "", f->format,
		 PLURAL(f->n_switches, "switch"), PLURAL(f->n_nodes - f->n_switches, "host"),
		 PLURAL(f->n_links, "link"), f->switch_tables ? "with tables" : "no tables");
	fabric_unref(f);
	return t.s;
}

static const struct task task_tell_file = {
	.run = open_pane_tell_file, .free = free, .no_sweep = true, .no_fabric = true};

/* --- the list ----------------------------------------------------------------------------- */

COMPARATOR(by_name, struct entry, DOWN(folder) TEXT(name))

static char *path_of(const struct open_pane *p, const char *name)
{
	return str_printf("%s%s", p->folder, name);
}

static void open_pane_add_entry(struct open_pane *p, const char *name)
{
	char *path = path_of(p, name);
	struct stat st;

	if (!stat(path, &st) && (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode))) {
		GROW(p->entry, p->n, p->cap);
		p->entry[p->n++] = (struct entry){str_dup(name), S_ISDIR(st.st_mode), st.st_size};
	}
	free(path);
}

/* The rest of what is typed, behind the folder. */
static const char *begun(const char *typed)
{
	const char *slash = strrchr(typed, '/');

	return slash ? slash + 1 : typed;
}

static void open_pane_ask_about(struct view *v)
{
	struct open_pane *p = v->priv;
	uint32_t row = v->sel < v->n_rows ? v->sel : 0;
	struct file_question *q;
	struct stat st;
	char *path;

	if (row >= p->n)
		return;
	path = path_of(p, p->entry[row].name);
	if (stat(path, &st) || (p->entry[row].folder && !strcmp(p->entry[row].name, ".."))) {
		free(path);
		return;
	}
	q = NEW(struct file_question);
	*q = (struct file_question){path, st.st_size, st.st_mtime};
	view_ask_about(v, &task_tell_file, q, &task_question, NULL);
}

static void open_pane_load(struct view *v)
{
	struct open_pane *p = v->priv;
	const char *rest = begun(v->typed);
	struct dirent *d;
	DIR *dir;

	p->folder = str_printf("%.*s", (int)(rest - v->typed), v->typed);
	dir = opendir(*p->folder ? p->folder : ".");
	while (dir && p->n < ENTRIES_MOST && (d = readdir(dir)))
		if (!strncmp(d->d_name, rest, strlen(rest)) && strcmp(d->d_name, ".") != 0 &&
		    (*d->d_name != '.' || *rest == '.' || !strcmp(d->d_name, "..")))
			open_pane_add_entry(p, d->d_name);
	if (dir)
		closedir(dir);
	if (p->n)
		qsort(p->entry, p->n, sizeof(*p->entry), by_name);
	v->n_rows = (uint32_t)p->n;
	open_pane_ask_about(v);
}

static const struct entry *open_pane_at(const struct view *v, uint32_t row)
{
	return &((const struct open_pane *)v->priv)->entry[row];
}

static void open_pane_title(const struct view *v, struct text *t)
{
	const struct open_pane *p = v->priv;

	text_add(t, "Open %u/%u in %s", v->n_rows ? v->sel + 1 : 0, v->n_rows, *p->folder ? p->folder : "./");
}

/* What the selected file is, or why it cannot be read. */
static void open_pane_footer(const struct view *v, struct text *t)
{
	const struct result *r = v->n_ask ? v->results[0] : NULL;
	const char *name = v->sel < v->n_rows ? open_pane_at(v, v->sel)->name : "";
	const char *said = r && !v->waiting && !r->value ? strstr(r->e.msg, name) : NULL;

	if (said && strncmp(said + strlen(name), ": ", 2) != 0)
		said = NULL;
	if (!v->n_rows)
		text_add(t, "nothing begins so");
	else if (v->waiting)
		text_add(t, "reading ...");
	else if (r && r->value)
		text_add(t, "%s", (const char *)r->value);
	else if (r) /* its path is in the title and the row */
		text_add(t, "%s", said ? said + strlen(name) + 2 : r->e.msg);
}

static void open_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct entry *x = open_pane_at(v, row);

	if (col == C_NAME)
		text_add(t, "%s%s", x->name, x->folder ? "/" : "");
	else if (!x->folder)
		text_add(t, "%" PRId64, (x->size + 1023) / 1024);
}

static void open_pane_complete(const struct view *v, struct text *t)
{
	const struct open_pane *p = v->priv;

	if (v->sel < v->n_rows)
		text_add(t, "%s%s%s", p->folder, open_pane_at(v, v->sel)->name,
			 open_pane_at(v, v->sel)->folder ? "/" : "");
}

/* A folder is loaded when it is known to be one of dumps; else Enter goes into it, as Tab does. */
static void open_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	char *path = path_of(v->priv, open_pane_at(v, row)->name);

	if (!open_pane_at(v, row)->folder || (v->n_ask && v->results[0] && v->results[0]->value)) {
		text_add(t, "load ");
		word_text(path, t);
	}
	free(path);
}

const struct view_ops view_open = {
	.name = "open",
	.brief = "lists files and folders to load: type a path, Tab completes it and goes into a folder, "
		 "Enter loads; the footer tells what the selected file is",
	.hints = "follow=load",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_TIMELESS | VIEW_TYPED | VIEW_ONCE | VIEW_SELECTS,
	.priv_size = sizeof(struct open_pane),
	.load = open_pane_load,
	.unload = open_pane_unload,
	.title = open_pane_title,
	.footer = open_pane_footer,
	.cell = open_pane_cell,
	.complete = open_pane_complete,
	.follow = open_pane_follow,
};
