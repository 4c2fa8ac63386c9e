/* The command `list`: any pane as text or JSON, without a screen. */
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/clean.h"
#include "core/base/defs.h"
#include "core/base/hostlist.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/routing/json_names.h"
#include "core/session/command.h"
#include "core/session/commands/commands.h"
#include "core/trace/walk.h"
#include "views/views.h"

/* The words behind the pane's name. */
struct wish {
	int argc; /* arguments of the pane */
	char **argv;
	bool csv, safe;	     /* safe: see csv.h */
	const char *columns; /* names with commas between them, NULL = those that the screen shows */
	const char *sort;    /* column, NULL = unsorted */
	bool reverse;	     /* sorted rows in reverse */
	bool no_timing;	     /* no column of times, unless it is named */
	struct text filter;  /* words, "" = all rows */
};

#define SYNTAX                                                                                               \
	"list PANE [ARGUMENT]... [csv [safe]] [columns COLUMN[,COLUMN...]] [sort COLUMN [reverse]] [filter " \
	"TEXT...]"

/* Further columns: what JSON says about a row beside its cells.  Only csv has them. */
enum { COLUMN_KEY = VIEW_COLUMNS, COLUMN_MARKS, LAYOUT_COLUMNS };

/* The columns that are printed, in order. */
struct view_list_layout {
	unsigned n, col[LAYOUT_COLUMNS];
	char *head[LAYOUT_COLUMNS]; /* as on the screen */
	char *name[LAYOUT_COLUMNS]; /* unique names */
	unsigned width[LAYOUT_COLUMNS];
	struct kin kin[LAYOUT_COLUMNS]; /* the names of a column that may be cut */
};

/* The number of words before those that say how the rows are told. */
static int arguments_end(int argc, char *const *argv, int i)
{
	while (i < argc && strcmp(argv[i], "sort") && strcmp(argv[i], "filter") && strcmp(argv[i], "csv") &&
	       strcmp(argv[i], "columns"))
		i++;
	return i;
}

/* The pane may stand alone: `hosts csv`. */
static bool prints_csv(int argc, char *const *argv)
{
	int i = arguments_end(argc, argv, 1);

	return i < argc && !strcmp(argv[i], "csv");
}

static int view_list_parse(int argc, char **argv, struct wish *w, struct err *e)
{
	int i = arguments_end(argc, argv, 2);

	w->argc = i - 2;
	w->argv = argv + 2;
	w->csv = i < argc && !strcmp(argv[i], "csv");
	i += w->csv;
	w->safe = w->csv && i < argc && !strcmp(argv[i], "safe");
	i += w->safe;
	if (i < argc && !strcmp(argv[i], "columns")) {
		if (++i == argc)
			return err_word(e, "list: found nothing behind columns, expected names with commas "
					   "between them");
		w->columns = argv[i++];
	}
	if (i < argc && !strcmp(argv[i], "sort")) {
		if (++i == argc)
			return err_word(e, "list: found nothing behind sort, expected a column");
		w->sort = argv[i++];
		w->reverse = i < argc && !strcmp(argv[i], "reverse");
		i += w->reverse;
	}
	if (i < argc && strcmp(argv[i], "filter"))
		return err_word(e, "list: found \"%s\", expected %sfilter TEXT", argv[i],
				w->sort ? "reverse or " : "columns, sort or ");
	while (++i < argc)
		text_add(&w->filter, w->filter.len ? " %s" : "%s", argv[i]);
	return 0;
}

/* --- columns ----------------------------------------------------------------------------- */

/* A name in clean text, without the blanks and brackets around it. */
static char *column_head(const char *name)
{
	size_t len = strlen(name), skip = strspn(name, " [");
	struct text t = {0};

	while (len > skip && strchr(" ]", name[len - 1]))
		len--;
	clean_add(&t, name + skip, len - skip);
	return t.s ? t.s : str_dup("");
}

/* Makes a name unique: a repeated or reserved name gets a number. */
static char *column_key(const struct view_list_layout *l, const char *head)
{
	unsigned times = 1 + (!strcmp(head, "key") || !strcmp(head, "marks") || !strcmp(head, "about"));

	for (unsigned i = 0; i < l->n; i++)
		times += !strcmp(l->head[i], head);
	return times == 1 ? str_dup(head) : str_printf("%s %u", head, times);
}

static void forget_columns(struct view_list_layout *l)
{
	while (l->n) {
		free(l->name[--l->n]);
		free(l->head[l->n]);
		kin_free(&l->kin[l->n]);
	}
}

/* A vertical line between columns is only drawn. */
static bool view_list_is_line(const char *name)
{
	return !strcmp(name, "│");
}

static void view_list_add_column(const struct view *v, unsigned c, struct view_list_layout *l)
{
	assert(l->n < LAYOUT_COLUMNS);
	if (c < VIEW_COLUMNS) {
		l->head[l->n] = column_head(view_column_name(v, c));
		l->name[l->n] = column_key(l, l->head[l->n]);
	} else {
		l->head[l->n] = str_dup("");
		l->name[l->n] = str_dup(c == COLUMN_KEY ? "key" : "marks");
	}
	l->width[l->n] = text_characters(l->head[l->n], strlen(l->head[l->n]));
	l->col[l->n++] = c;
}

/* A column that a word names: its whole name goes before a part of one. -1 and *e. */
static int find_column(const struct view *v, const char *word, bool csv, struct err *e)
{
	struct view_list_layout l = {0};
	int found = -1;

	for (unsigned c = 0; c < v->ops->n_columns; c++)
		if (!view_list_is_line(view_column_name(v, c)))
			view_list_add_column(v, c, &l);
	for (unsigned k = 0; k < l.n && found < 0; k++)
		if (!strcmp(l.name[k], word))
			found = (int)l.col[k];
	if (found < 0 && csv && (!strcmp(word, "key") || !strcmp(word, "marks")))
		found = *word == 'k' ? COLUMN_KEY : COLUMN_MARKS;
	forget_columns(&l);
	return found < 0 ? view_column(v, word, e) : found;
}

/* The columns that the words name, else those of the screen. -1 and *e. */
static int view_list_choose_columns(const struct view *v, const struct wish *w, struct view_list_layout *l,
				    struct err *e)
{
	AUTO_FREE char *names = w->columns ? str_dup(w->columns) : NULL;
	char *next = names, *word;
	int c = 0;

	if (!w->columns) {
		for (unsigned i = COLUMN_KEY; w->csv && i <= COLUMN_MARKS; i++)
			view_list_add_column(v, i, l);
		for (unsigned i = 0; i < v->ops->n_columns; i++)
			if (v->width[i] && !view_list_is_line(view_column_name(v, i)) &&
			    !(w->no_timing && v->ops->column[i].timing))
				view_list_add_column(v, i, l);
		return 0;
	}
	while (c >= 0 && (word = strsep(&next, ","))) {
		c = find_column(v, word, w->csv, e);
		for (unsigned k = 0; c >= 0 && k < l->n; k++)
			if (l->col[k] == (unsigned)c)
				c = err_word(e, "list: found %s twice, expected each column once", word);
		if (c >= 0)
			view_list_add_column(v, (unsigned)c, l);
	}
	return c < 0 ? -1 : 0;
}

/* --- text ---------------------------------------------------------------------------------- */

/* Are its cells text, which may be cut? */
static bool is_text(const struct view *v, const struct view_list_layout *l, unsigned k)
{
	assert(l->col[k] < v->ops->n_columns);

	const struct column *c = &v->ops->column[l->col[k]];

	return c->flex && !c->numeric;
}

static bool view_list_has_letter(const char *s)
{
	while (*s && !isalpha((unsigned char)*s))
		s++;
	return *s;
}

/* Makes each column as wide as its widest cell. names: notes what they share. */
static bool view_list_widen(const struct view *v, struct view_list_layout *l, bool names, struct progress *p)
{
	AUTO_TEXT struct text t = {0};
	bool go_on = true;

	progress_start(p, "reading rows", view_count(v));
	for (uint32_t i = 0; i < view_count(v) && go_on; i++) {
		for (unsigned k = 0; k < l->n; k++) {
			unsigned w;

			text_clear(&t);
			view_cell(v, view_row(v, i), l->col[k], &t);
			w = text_characters(text_str(&t), t.len);
			l->width[k] = MAX(w, l->width[k]);
			if (names && is_text(v, l, k) && !v->ops->column[l->col[k]].prose &&
			    view_list_has_letter(text_str(&t)))
				kin_note(&l->kin[k], t.s);
		}
		go_on = progress_step(p, i);
	}
	return go_on;
}

#define TEXT_LEAST 8 /* characters that stay of a cell of text */

/*
 * Makes the widest columns of text narrower until a line fits into this many characters, if it can.  The
 * first are those that a narrow pane drops.
 */
static void view_list_narrow(const struct view *v, struct view_list_layout *l, unsigned room)
{
	unsigned all = 1;

	for (unsigned k = 0; k < l->n; k++)
		all += l->width[k] + 1;
	for (int drop = 1; drop >= 0; drop--) {
		for (unsigned widest = 0; all > room && widest < l->n;) {
			widest = l->n;
			for (unsigned k = 0; k < l->n; k++)
				if (is_text(v, l, k) && (!drop || v->ops->column[l->col[k]].drop) &&
				    l->width[k] > TEXT_LEAST &&
				    l->width[k] > text_characters(l->head[k], strlen(l->head[k])) &&
				    (widest == l->n || l->width[k] >= l->width[widest]))
					widest = k;
			if (widest < l->n) {
				l->width[widest]--;
				all--;
			}
		}
	}
}

/* The begin of a text with a mark for the rest; no number is cut. */
static void put_begin(const char *s, unsigned w, struct text *line)
{
	size_t n = 0;
	unsigned kept = 0;

	while (s[n] && ((s[n] & 0xc0) == 0x80 || kept + 1 < w))
		kept += (s[n++] & 0xc0) != 0x80;
	while (n && isdigit((unsigned char)s[n - 1]) && isdigit((unsigned char)s[n])) {
		n--;
		kept--;
	}
	text_add(line, " %.*s…%*s", (int)n, s, (int)(w - 1 - kept), "");
}

static void put_cell(const struct view *v, const struct view_list_layout *l, unsigned k, const char *s,
		     struct text *line)
{
	unsigned w = text_characters(s, strlen(s)), pad = l->width[k] > w ? l->width[k] - w : 0;

	AUTO_TEXT struct text cut = {0};

	if (w > l->width[k]) {
		kin_cut(&l->kin[k], s, l->width[k], &cut);
		s = text_str(&cut);
		w = text_characters(s, strlen(s));
		pad = l->width[k] > w ? l->width[k] - w : 0;
	}
	if (w > l->width[k])
		put_begin(s, l->width[k], line);
	else if (v->ops->column[l->col[k]].right)
		text_add(line, " %*s%s", (int)pad, "", s);
	else
		text_add(line, " %s%*s", s, (int)pad, "");
}

static void view_list_put_line(struct text *line, struct out *o)
{
	while (line->len && line->s[line->len - 1] == ' ')
		line->s[--line->len] = 0;
	out_text(o, "%s\n", text_str(line));
	text_clear(line);
}

static bool print_text(const struct view *v, struct view_list_layout *l, struct progress *p, struct out *o)
{
	AUTO_TEXT struct text line = {0}, t = {0};
	bool go_on = view_list_widen(v, l, o->run->width != 0, p);

	if (o->run->width)
		view_list_narrow(v, l, o->run->width);
	if (go_on && view_count(v)) {
		text_putc(&line, ' ');
		for (unsigned k = 0; k < l->n; k++)
			put_cell(v, l, k, l->head[k], &line);
		view_list_put_line(&line, o);
	}
	for (uint32_t i = 0; go_on && i < view_count(v); i++) {
		uint32_t row = view_row(v, i);

		text_putc(&line, marks_sign(view_marks(v, row)));
		for (unsigned k = 0; k < l->n; k++) {
			text_clear(&t);
			view_cell(v, row, l->col[k], &t);
			put_cell(v, l, k, text_str(&t), &line);
		}
		view_list_put_line(&line, o);
		go_on = progress_step(p, i);
	}
	return go_on;
}

/* --- JSON ---------------------------------------------------------------------------------- */

static const struct {
	unsigned mark;
	const char *word;
} mark_words[] = {
	{MARK_DOWN, "down"},	 {MARK_CHANGED, "changed"}, {MARK_STEP, "step"},
	{MARK_DETOUR, "detour"}, {MARK_HERE, "here"},
};

static json_t *marks_json(unsigned marks)
{
	json_t *a = json_array();

	for (size_t i = 0; i < ARRAY_LEN(mark_words); i++)
		if (marks & mark_words[i].mark)
			json_array_append_new(a, json_text(mark_words[i].word));
	return a;
}

/* The same with blanks between them. */
static void add_marks(unsigned marks, struct text *t)
{
	for (size_t i = 0; i < ARRAY_LEN(mark_words); i++)
		if (marks & mark_words[i].mark)
			text_add(t, t->len ? " %s" : "%s", mark_words[i].word);
}

/* A number, or null for "" or "-" in a column of numbers; otherwise the text shown. */
static json_t *cell_json(const struct column *c, const char *s)
{
	char *end;
	long long n;
	double d;

	s += strspn(s, " ");
	if (c->numeric && (!*s || !strcmp(s, "-")))
		return json_null();
	n = strtoll(s, &end, 10);
	if (c->numeric && end > s && !*end)
		return json_integer(n);
	d = strtod(s, &end);
	if (c->numeric && end > s && !*end && isdigit((unsigned char)end[-1]))
		return json_real(d);
	return json_text(s);
}

/* The objects of a row: its node or port, the peer, and where it leads from and to. */
static json_t *about_json(const struct view *v, const struct subject *s)
{
	const struct fabric *f = v->scene->fabric;
	const struct lids *l = v->scene->sweep ? v->scene->sweep->lids : NULL;
	const struct {
		const char *key;
		struct end end;
	} ends[] = {{"src", s->src}, {"dst", s->dst}};
	uint32_t node, port;
	json_t *about = s->port != NO_ID   ? json_port(f, l, s->port)
			: s->node != NO_ID ? json_node(f, l, s->node)
					   : json_object();

	if (s->port != NO_ID && f->port_peer[s->port] != NO_ID)
		json_object_set_new(about, "peer", json_port(f, l, f->port_peer[s->port]));
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (end_place(v, ends[i].end, &node, &port))
			json_object_set_new(about, ends[i].key,
					    port == NO_ID ? json_node(f, l, node) : json_port(f, l, port));
	return about;
}

static json_t *view_list_row_json(const struct view *v, const struct view_list_layout *l, uint32_t row)
{
	json_t *r = json_object();
	AUTO_TEXT struct text t = {0};
	struct subject s;
	char key[24];
	bool about = view_subject(v, row, &s);

	snprintf(key, sizeof(key), "0x%016" PRIx64, s.key);
	json_object_set_new(r, "key", json_text(key));
	json_object_set_new(r, "marks", marks_json(view_marks(v, row)));
	json_object_set_new(r, "about", about ? about_json(v, &s) : json_object());
	for (unsigned k = 0; k < l->n; k++) {
		const struct column *c = &v->ops->column[l->col[k]];

		text_clear(&t);
		view_cell(v, row, l->col[k], &t);
		json_object_set_new(r, l->name[k], cell_json(c, text_str(&t)));
		if (c->was)
			json_object_set_new(r, c->was, cell_json(c, text_str(&t)));
	}
	return r;
}

static bool print_json(const struct view *v, const struct view_list_layout *l, struct progress *p,
		       struct out *o)
{
	json_t *names = json_array(), *rows = json_array();
	bool go_on = true;

	for (unsigned k = 0; k < l->n; k++)
		json_array_append_new(names, json_text(l->name[k]));
	progress_start(p, "reading rows", view_count(v));
	for (uint32_t i = 0; go_on && i < view_count(v); i++) {
		json_array_append_new(rows, view_list_row_json(v, l, view_row(v, i)));
		go_on = progress_step(p, i);
	}
	out_json(o, "pane", json_text(v->ops->name));
	out_json(o, "columns", names);
	out_json(o, "rows", rows);
	return go_on;
}

/* --- CSV ---------------------------------------------------------------------------------- */

/* What JSON has of a cell, as a field; "" for null. */
static void put_field(const struct view *v, unsigned col, uint32_t row, bool safe, struct text *line)
{
	const struct column *c = &v->ops->column[col % VIEW_COLUMNS];
	AUTO_TEXT struct text cell = {0};
	const char *s;

	if (col == COLUMN_KEY)
		text_add(&cell, "0x%016" PRIx64, view_key(v, row));
	else if (col == COLUMN_MARKS)
		add_marks(view_marks(v, row), &cell);
	else
		view_cell(v, row, col, &cell);
	s = text_str(&cell) + strspn(text_str(&cell), " ");
	csv_add_cell(line, col < VIEW_COLUMNS && c->numeric && !strcmp(s, "-") ? "" : s, safe);
}

/* A line for the names and for each row; the lines end as text's do, by a newline alone. */
static bool print_csv(const struct view *v, const struct view_list_layout *l, bool safe, struct progress *p,
		      struct out *o)
{
	AUTO_TEXT struct text all = {0};
	bool go_on = true;

	for (unsigned k = 0; k < l->n; k++) {
		if (k)
			text_putc(&all, ',');
		text_csv(&all, l->name[k]);
	}
	text_putc(&all, '\n');
	progress_start(p, "reading rows", view_count(v));
	for (uint32_t i = 0; go_on && i < view_count(v); i++) {
		for (unsigned k = 0; k < l->n; k++) {
			if (k)
				text_putc(&all, ',');
			put_field(v, l->col[k], view_row(v, i), safe, &all);
		}
		text_putc(&all, '\n');
		go_on = progress_step(p, i);
	}
	if (go_on && o->run->json)
		out_json(o, "content", json_text(text_str(&all)));
	else if (go_on)
		out_document(o, text_str(&all));
	return go_on;
}

/* --- the command ------------------------------------------------------------------------- */

/* Tells why a computation has ended early: it was cancelled, or memory is short. */
static int not_done(const struct view *v, const struct progress *p, struct err *e)
{
	return progress_cancelled(p)
		       ? err_set(e, CANCELLED)
		       : err_set(e, OUT_OF_MEMORY "what pane %s shows is too large", v->ops->name);
}

/* Sorts, filters, and computes what the pane asks for. 0, or -1 and *e. */
static int view_list_prepare(struct view *v, const struct wish *w, struct progress *p, struct err *e)
{
	int col;

	if (!view_settle(v, p))
		return not_done(v, p, e);
	if (w->filter.len >= sizeof(v->filter))
		return err_set_kind(e, ERR_LIMIT,
				    "list: found a filter of %zu characters, expected at most %zu",
				    w->filter.len, sizeof(v->filter) - 1);
	view_filter(v, text_str(&w->filter));
	if (!view_settle(v, p))
		return not_done(v, p, e);
	if (view_filter_check(v, e))
		return -1;
	col = w->sort ? view_column(v, w->sort, e) : -1;
	if (w->sort && (col < 0 || view_sort(v, col, w->reverse, e)))
		return -1;
	return view_settle(v, p) ? 0 : not_done(v, p, e);
}

static int print_view(struct view *v, const struct wish *w, struct progress *p, struct out *o, struct err *e)
{
	AUTO_TEXT struct text title = {0};
	struct view_list_layout l = {0};
	bool done;

	if (view_list_prepare(v, w, p, e))
		return -1;
	if (view_list_choose_columns(v, w, &l, e)) {
		forget_columns(&l);
		return -1;
	}
	view_title(v, &title); /* it also says why there are no rows */
	if (!view_count(v) && !w->csv)
		out_text(o, "%s\n", text_str(&title));
	out_json(o, "title", json_text(text_str(&title)));
	v->sel = UINT32_MAX; /* no row is selected or shown as selected */
	done = w->csv	      ? print_csv(v, &l, w->safe, p, o)
	       : o->run->json ? print_json(v, &l, p, o)
			      : print_text(v, &l, p, o);
	forget_columns(&l);
	return done ? 0 : not_done(v, p, e);
}

/* During a walk through a run: says which step the pane shows. */
static void view_list_tell_step(const struct view_ops *ops, const struct moment *m, struct out *o)
{
	if (!m || ops->flags & VIEW_TIMELESS)
		return;
	if (!(ops->flags & VIEW_PRESENT))
		out_step(o, m->rec, m->step, m->phase);
	else
		out_text(o, "The present, not step %zu of %s:\n", m->step, recording_engine(m->rec));
}

static int cmd_list(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	int argc = args->argc;
	char **argv = args->argv;
	const struct view_ops *ops = argc > 1 ? view_need(argv[1], e) : NULL;
	struct scene sc = {.panes = all_views, .places = all_places};
	struct wish w = {.no_timing = o->run->no_timing};
	struct view *v;
	int rc = -1;

	if (argc < 2)
		return err_word(e, "expected: " SYNTAX);
	if (!ops || view_list_parse(argc, argv, &w, e)) {
		text_free(&w.filter);
		return -1;
	}
	scene_take(&sc, s);
	v = view_new(ops, &sc, w.argc, w.argv, e);
	if (v) {
		if (!w.csv)
			view_list_tell_step(ops, sc.moment, o);
		rc = print_view(v, &w, o->run->progress, o, e);
	}
	view_free(v);
	scene_release(&sc);
	scene_drop_results(&sc);
	text_free(&w.filter);
	return rc;
}

const struct command view_commands[] = {
	{.name = "list",
	 .group = LOOK,
	 .syntax = SYNTAX,
	 .help = "any pane as text: columns as on the screen, all rows",
	 .json = JSON_LIST,
	 .subcommand = view_subcommand,
	 .prints = prints_csv,
	 .run = cmd_list},
	{.name = NULL},
};
