/* A list pane on the screen, and searching in panes. */
#include <assert.h>
#include <string.h>

#include "core/base/clean.h"
#include "core/base/defs.h"
#include "core/base/text.h"
#include "tui/ui.h"

/* A list pane on the screen: title, header, rows, footer. */

int header_column(enum place_id p, const struct view *v, int x)
{
	const struct rect *r = &ui.rect[p];
	struct fit f;

	assert(p < SLOT_REPL && !v->ops->draw);
	columns_fit(v, r->w - 2, &f);
	for (unsigned c = 0; c < v->ops->n_columns; c++)
		if (f.w[c] && x - r->x - 1 >= f.x[c] && x - r->x - 1 <= f.x[c] + f.w[c])
			return (int)c;
	return -1;
}

/* A cell as it is drawn: its place, its text, and how many columns that is scrolled to the left. */
struct drawn_cell {
	int y, x, w;
	const struct column *col;
	const char *s;
	unsigned shift;
};

static void draw_cell(struct drawn_cell d, enum style st)
{
	AUTO_TEXT struct text t = {0};

	text_window(d.s, d.shift, d.w, &t);
	if (d.col->right)
		d.x += d.w - text_columns(text_str(&t));
	draw_text_from(d.y, d.x, d.w, 0, text_str(&t), st);
}

/* Highlights a cell that the step has changed. The brackets use the blanks beside it. */
static void draw_touched(const struct rect *r, struct drawn_cell d)
{
	int n = text_columns(d.s) - (d.col->right ? 0 : (int)d.shift);

	n = n < 0 ? 0 : MIN(n, d.w);
	if (d.col->right)
		d.x += d.w - n;
	d.w = n;
	if (colours_used()) {
		draw_cell(d, ST_TOUCHED);
		return;
	}
	draw_text(d.y, d.x - 1, 1, "[", ST_TOUCHED, false);
	if (d.x + n < r->x + r->w - 1)
		draw_text(d.y, d.x + n, 1, "]", ST_TOUCHED, false);
}

static const enum style tone_style[] = {
	[TONE_PLAIN] = ST_NORMAL,  [TONE_DOWN] = ST_DOWN,  [TONE_CHANGED] = ST_CHANGED,
	[TONE_DETOUR] = ST_DETOUR, [TONE_HERE] = ST_TITLE, [TONE_HEAVY] = ST_DETOUR,
	[TONE_LIGHT] = ST_DIM,
};
static_assert(ARRAY_LEN(tone_style) == TONE_LIGHT + 1, "each tone has its style");

/* Draws the parts of a cell that have a tone over it. The last column of a cut cell stays. */
static void draw_spans(const struct view *v, uint32_t row, unsigned col, struct drawn_cell d)
{
	int room = text_columns(d.s) - (int)d.shift > d.w ? d.w - 1 : d.w;
	struct span p;

	for (unsigned i = 0; v->ops->span(v, row, col, i, &p); i++) {
		unsigned from = MAX(p.from, d.shift), end = p.from + p.n;
		int at = (int)(from - d.shift);

		if (p.tone == TONE_PLAIN || end <= from || at >= room)
			continue;
		draw_text_from(d.y, d.x + at, MIN((int)(end - from), room - at), from, d.s,
			       tone_style[p.tone]);
	}
}

/* Draws a number's bar: as long as its part of the room, and heavier the larger it is. */
static void draw_meter(const struct view *v, uint32_t row, unsigned c, int y, int x, int w)
{
	struct meter m;

	if (!v->ops->meter(v, row, c, &m))
		return;
	assert(m.shade <= ST_SHADE4 - ST_SHADE0);
	int full = (int)(m.part * w + 0.5);
	if (full > w)
		full = w;
	else if (!full && m.part > 0)
		full = 1;
	/* bars in rows below each other do not touch */
	draw_fill(y, x, full, ui.ascii ? "#" : "▆", (enum style)(ST_SHADE0 + m.shade));
}

static enum style row_style(const struct view *v, uint32_t row, bool selected, bool focus)
{
	if (selected)
		return focus ? ST_SELECT : ST_SELECT_AWAY;
	unsigned m = v->ops->span ? 0 : view_marks(v, row);
	return m & MARK_DOWN		? ST_DOWN
	       : m & MARK_DETOUR	? ST_DETOUR
	       : view_is_header(v, row) ? ST_TITLE
					: ST_NORMAL;
}

static void draw_row(const struct view *v, uint32_t i, int y, const struct rect *r, const struct fit *f,
		     bool focus)
{
	AUTO_TEXT struct text t = {0};
	uint32_t row = view_row(v, i);
	bool selected = i == v->sel;
	enum style st = row_style(v, row, selected, focus);
	char mark[2] = {marks_sign(view_marks(v, row)), 0};

	draw_text(y, r->x + 1, r->w - 2, selected ? "▸" : " ", st, true);
	draw_text(y, r->x + 2, 1, mark, *mark == '!' && !selected ? ST_CHANGED : st, false);
	for (unsigned c = 0; c < v->ops->n_columns; c++) {
		struct drawn_cell d = {.y = y, .x = r->x + 1 + f->x[c], .col = &v->ops->column[c]};

		if (!f->w[c])
			continue;
		if (d.col->bar && !view_is_header(v, row)) {
			draw_meter(v, row, c, y, d.x, f->w[c]);
			continue;
		}
		text_clear(&t);
		d.w = columns_cell(v, row, c, f, &t);
		d.s = text_str(&t);
		int over = text_columns(d.s) - d.w;
		if (over > 0) /* at most to its end: cells which fit do not move */
			d.shift = MIN((unsigned)over, f->shift[c]);
		draw_cell(d, st);
		if (f->meter[c] && !view_is_header(v, row))
			draw_meter(v, row, c, y, d.x + f->w[c] + 1, f->meter[c]);
		if (v->ops->span && !selected && !view_is_header(v, row) && d.col->flex)
			draw_spans(v, row, c, d);
		if (view_touched(v, row, c))
			draw_touched(r, d);
	}
}

/* The name of a column, and what its cells leave out. */
static void header_text(const struct view *v, unsigned c, const struct fit *f, struct text *t)
{
	text_add(t, "%s", view_column_name(v, c));
	if (!f->pre[c] && !f->suf[c])
		return;
	text_putc(t, ' ');
	columns_shared(v, c, f, t);
}

static void draw_header(const struct view *v, int y, const struct rect *r, const struct fit *f)
{
	AUTO_TEXT struct text t = {0};

	draw_text(y, r->x + 1, r->w - 2, "", ST_HEADER, true);
	for (unsigned c = 0; c < v->ops->n_columns; c++) {
		if (!f->w[c])
			continue;
		text_clear(&t);
		header_text(v, c, f, &t);
		struct drawn_cell d = {y, r->x + 1 + f->x[c], f->w[c], &v->ops->column[c], text_str(&t), 0};
		draw_cell(d, ST_HEADER);
	}
}

/* What cells leave out, if the header has no room for it. */
static void shared_below(const struct view *v, const struct fit *f, struct text *t)
{
	AUTO_TEXT struct text head = {0};

	for (unsigned c = 0; c < v->ops->n_columns; c++) {
		if (!f->w[c] || (!f->pre[c] && !f->suf[c]))
			continue;
		text_clear(&head);
		header_text(v, c, f, &head);
		if (text_columns(text_str(&head)) > f->w[c])
			text_add(t, "%s%s", t->len ? ", " : "", text_str(&head));
	}
}

static const char *nothing(const struct view *v)
{
	static struct err e;

	if (view_filter_check(v, &e))
		return e.msg;
	if (v->ordering)
		return "looking ...";
	if (v->waiting)
		return background_given_up() ? "stopped; C-l goes on" : "computing ...";
	if (v->filter[0] && v->n_rows)
		return "no row matches the filter";
	if (!v->scene->fabric)
		return "no fabric: load FILE, synth SPEC or live";
	if (!v->scene->sweep || !v->scene->sweep->routing)
		return "nothing here; `route ENGINE` computes tables";
	return "nothing here";
}

/* How names like that of a node are cut: without what all of its kind share. The same until the next
 * scene. */
static const struct cut *name_cut(const struct scene *sc, bool of_switch)
{
	static struct cut cut[2];
	static uint64_t serial[2];
	const struct fabric *f = sc->fabric;
	struct affix a = {0};
	size_t pre, suf;

	assert(f);
	if (serial[of_switch] == sc->serial)
		return &cut[of_switch];
	serial[of_switch] = sc->serial;
	for (uint32_t n = 0; n < f->n_nodes; n++)
		if (node_is_switch(f, n) == of_switch)
			affix_note(&a, f->node_name[n], 0);
	affix_get(&a, &pre, &suf);
	cut[of_switch] = (struct cut){.head = 33};
	if (pre < sizeof(cut->pre) && suf < sizeof(cut->suf) && a.like) {
		snprintf(cut[of_switch].pre, sizeof(cut->pre), "%.*s", (int)pre, a.like);
		snprintf(cut[of_switch].suf, sizeof(cut->suf), "%s", a.like + a.len - suf);
	}
	affix_free(&a);
	return &cut[of_switch];
}

/* The node that an argument of the pane names, or NO_ID. */
static uint32_t node_of_arg(const struct fabric *f, const struct view_arg *a)
{
	uint32_t ep = a->kind == VIEW_ARG_ENDPORT ? fabric_endport_by_guid(f, a->guid) : NO_ID;

	return ep != NO_ID ? f->port_node[f->endport_port[ep]]
	       : a->guid   ? fabric_node_by_guid(f, a->guid)
			   : NO_ID;
}

#define TITLE_NAME 10 /* least columns of a name in a title */

/* Where the last name of what the pane is about ends in its title; names: how many there are. */
static size_t names_end(const struct view *v, const struct text *t, int *names)
{
	const struct fabric *f = v->scene->fabric;
	size_t end = 0;

	*names = 0;
	for (int k = 0; f && k < v->args.n; k++) {
		uint32_t node = node_of_arg(f, &v->args.arg[k]);
		const char *at = node != NO_ID && t->s ? strstr(t->s, f->node_name[node]) : NULL;

		if (!at)
			continue;
		++*names;
		if ((size_t)(at - t->s) + strlen(f->node_name[node]) > end)
			end = (size_t)(at - t->s) + strlen(f->node_name[node]);
	}
	return end;
}

#define PAIR_NAME 16 /* the same for two names, which give way to the text behind them */

/* Shortens these names until the last one ends within w columns, and of a pair all that is behind it. */
static void shorten_names(const struct view *v, int w, struct text *t)
{
	const struct fabric *f = v->scene->fabric;
	int names, least = TITLE_NAME;
	size_t end = names_end(v, t, &names);

	if (names > 1) {
		int behind = text_columns(text_str(t) + end), most = w - names * PAIR_NAME;

		w -= behind < most ? behind : MAX(most, 0);
		least = PAIR_NAME;
	}
	for (int k = 0; f && k < v->args.n && names > 0; k++) {
		uint32_t node = node_of_arg(f, &v->args.arg[k]);
		const char *name = node != NO_ID ? f->node_name[node] : "",
			   *at = t->s ? strstr(t->s, name) : NULL;
		struct text cut = {0}, all = {0};
		int any;

		text_add(&all, "%.*s", (int)names_end(v, t, &any), text_str(t));
		int over = text_columns(text_str(&all)) + (all.len < t->len) - w;
		text_clear(&all);
		if (over > 0 && at && *name) {
			int room = text_columns(name) - (over + names - 1) / names;

			names--;
			cut_cell(name, MAX(room, least), name_cut(v->scene, node_is_switch(f, node)), false,
				 &cut);
			text_add(&all, "%.*s%s%s", (int)(at - t->s), t->s, text_str(&cut), at + strlen(name));
			text_free(t);
			*t = all;
			all = (struct text){0};
		}
		text_free(&cut);
		text_free(&all);
	}
}

static void titles(const struct view *v, int w, struct text *t, struct text *right)
{
	view_title(v, t);
	clean_rest(t, 0);
	if (v->filter[0])
		text_add(t, " ── filter: %s", v->filter);
	view_fold_title(v, t);
	shorten_names(v, w - 4, t);
	if (v->waiting && background_given_up())
		text_add(right, "stopped");
	else if (v->waiting)
		text_add(right, "computing %u%%", v->scene->percent);
	else if (v->ordering && v->n_rows)
		text_add(right, "%u%%", (unsigned)(100.0 * v->scanned / v->n_rows));
	else if (v->sort >= 0)
		text_add(right, "by %s %s", view_column_name(v, (unsigned)v->sort),
			 v->descending ? "▾" : "▴");
}

/* Numbers are never cut: their columns grow with the rows on the screen, until the next load. */
static void grow_columns(struct view *v, int rows)
{
	AUTO_TEXT struct text t = {0};

	for (unsigned c = 0; c < v->ops->n_columns; c++) {
		if (!v->ops->column[c].numeric || !v->ops->column[c].right || !v->width[c])
			continue;
		for (int i = 0; i < rows && v->top + (uint32_t)i < view_count(v); i++) {
			text_clear(&t);
			view_cell(v, view_row(v, v->top + (uint32_t)i), c, &t);
			int w = text_columns(text_str(&t));
			if (w > v->width[c] && w < 40)
				v->width[c] = (uint8_t)w;
		}
	}
}

/* --- panes that draw ------------------------------------------------------------ */

static const enum style role_style[] = {
	[CANVAS_PLAIN] = ST_NORMAL,  [CANVAS_LABEL] = ST_HEADER,    [CANVAS_MARK] = ST_TITLE,
	[CANVAS_BAD] = ST_DOWN,	     [CANVAS_CHANGED] = ST_CHANGED, [CANVAS_PATH] = ST_PATH,
	[CANVAS_BACK] = ST_BACK,     [CANVAS_CYCLE] = ST_CYCLE,	    [CANVAS_SELECTED] = ST_TITLE,
	[CANVAS_SHADE0] = ST_SHADE0, [CANVAS_SHADE1] = ST_SHADE1,   [CANVAS_SHADE2] = ST_SHADE2,
	[CANVAS_SHADE3] = ST_SHADE3, [CANVAS_SHADE4] = ST_SHADE4,   [CANVAS_DIM] = ST_DIM,
};
static_assert(ARRAY_LEN(role_style) == CANVAS_ROLES, "each role has its style");

static void draw_canvas(const struct rect *r, struct view *v)
{
	struct canvas *c = &v->canvas;

	canvas_clear(c, r->w - 2, r->h - 2, ui.ascii);
	if (c->w < 1 || c->h < 1)
		return;
	if (v->n_rows)
		v->ops->draw(v, c);
	else
		canvas_text(c, 2, 0, c->w - 2, nothing(v), CANVAS_DIM);
	for (int y = 0; y < c->h; y++)
		for (int x = 0; x < c->w; x++) {
			const struct canvas_cell *cell = canvas_at(c, x, y);

			draw_char(r->y + 1 + y, r->x + 1 + x, cell->ch,
				  cell->role < CANVAS_ROLES ? role_style[cell->role] : ST_NORMAL, cell->bold,
				  cell->reverse);
		}
}

static void draw_sides(const struct rect *r, bool focus)
{
	for (int y = r->y + 1; y < r->y + r->h - 1; y++) {
		draw_text(y, r->x, 1, "│", focus ? ST_BORDER_FOCUS : ST_BORDER, false);
		draw_text(y, r->x + r->w - 1, 1, "│", focus ? ST_BORDER_FOCUS : ST_BORDER, false);
	}
}

/* The drawing comes first, because it may change the title and footer. */
static void draw_drawing(enum place_id p, struct view *v)
{
	const struct rect *r = &ui.rect[p];
	AUTO_TEXT struct text t = {0}, right = {0};
	bool focus = ui.focus == p;

	draw_canvas(r, v);
	titles(v, r->w, &t, &right);
	draw_box_top(r->y, r->x, r->w, text_str(&t), text_str(&right), focus);
	draw_sides(r, focus);
	text_clear(&t);
	view_footer(v, &t);
	draw_box_bottom(r->y + r->h - 1, r->x, r->w, text_str(&t), focus);
}

/* --- lists ----------------------------------------------------------------------- */

/* Adds a text in lines of at most w columns, each with its '\n'. Returns how many. */
static int add_wrapped(struct text *t, const char *s, int w)
{
	int n = 0;

	for (size_t len; *s; s += len, n++) {
		len = wrap_len(s, strlen(s), w);
		text_add(t, "%.*s\n", (int)len, s);
	}
	return n;
}

/* The sentences of the selected row that are cut stand whole in the free rows at the bottom. */
static void draw_whole(const struct view *v, const struct rect *r, const struct fit *f, int free_rows)
{
	AUTO_TEXT struct text t = {0}, cell = {0};
	int w = r->w - 3 - GUTTER, n = 0;
	uint32_t row;

	for (unsigned c = 0; w > 0 && view_selected(v, &row) && c < v->ops->n_columns; c++) {
		text_clear(&cell);
		if (!v->ops->column[c].prose || !f->w[c] ||
		    columns_cell(v, row, c, f, &cell) >= text_columns(text_str(&cell)))
			continue;
		text_clear(&cell);
		text_add(&cell, "%s: ", view_column_name(v, c));
		view_cell(v, row, c, &cell);
		clean_rest(&cell, 0);
		n += add_wrapped(&t, text_str(&cell), w);
	}
	for (char *at = t.s, *end; n < free_rows && n > 0; n--, at = end + 1) {
		end = strchr(at, '\n');
		*end = 0;
		draw_text(r->y + r->h - 1 - n, r->x + 1 + GUTTER, w, at, ST_DIM, false);
	}
}

static void draw_list(enum place_id p, struct view *v)
{
	const struct rect *r = &ui.rect[p];
	bool focus = ui.focus == p, header = r->h >= 5;
	AUTO_TEXT struct text t = {0}, right = {0};
	int first = r->y + 1 + header, rows = r->h - 2 - header;
	struct fit f;

	view_fit(v, r->w > 2 + GUTTER ? (unsigned)(r->w - 2 - GUTTER) : 1);
	/* keep the selection among the shown rows */
	uint32_t n = view_count(v);
	uint32_t h = rows > 0 ? (uint32_t)rows : 1;
	if (v->sel >= n)
		v->sel = n ? n - 1 : 0;
	if (v->sel < v->top)
		v->top = v->sel;
	if (v->sel >= v->top + h)
		v->top = v->sel - h + 1;
	if (v->top + h > n)
		v->top = n > h ? n - h : 0;
	grow_columns(v, rows);
	columns_note(v, rows);
	columns_fit(v, r->w - 2, &f);
	columns_cut(v, rows, &f);
	v->hides = v->skip ? f.behind : f.hidden;
	for (unsigned c = 0; c < v->ops->n_columns; c++)
		v->room[c] = (uint8_t)(MIN(f.w[c], 255));
	titles(v, r->w, &t, &right);
	draw_box_top(r->y, r->x, r->w, text_str(&t), text_str(&right), focus);
	if (header)
		draw_header(v, r->y + 1, r, &f);
	for (int i = 0; i < rows; i++) {
		if (v->top + (uint32_t)i < view_count(v))
			draw_row(v, v->top + (uint32_t)i, first + i, r, &f, focus);
		else
			draw_text(first + i, r->x + 1, r->w - 2, "", ST_NORMAL, true);
	}
	if (!view_count(v) && rows > 0)
		draw_text(first, r->x + 3, r->w - 4, nothing(v), ST_DIM, false);
	if (view_count(v) < h)
		draw_whole(v, r, &f, rows - (int)view_count(v));
	draw_sides(r, focus);
	if (header && v->hides)
		draw_text(r->y + 1, r->x + r->w - 1, 1, "›", ST_KEY, false);
	if (header && v->skip)
		draw_text(r->y + 1, r->x, 1, "‹", ST_KEY, false);
	text_clear(&t);
	view_footer(v, &t);
	if (!t.len)
		shared_below(v, &f, &t);
	draw_box_bottom(r->y + r->h - 1, r->x, r->w, text_str(&t), focus);
}

void draw_view(enum place_id p, struct view *v)
{
	assert(p < SLOT_REPL && ui.rect[p].h > 0);
	if (v->ops->draw)
		draw_drawing(p, v);
	else
		draw_list(p, v);
}

/* Searching: in the pane, by letters in order, and in other panes, shown or not. */

/* Panes that are searched next, in this order. All open without arguments. */
static const char *const elsewhere[] = {"switches", "hosts",	"changes",  "pairs",
					"journal",  "warnings", "elements", "help"};

static struct {
	enum place_id place;	    /* of a shown pane; N_PLACES = open the pane `ops`: */
	const struct view_ops *ops; /* NULL = nothing is offered */
	char what[sizeof(ui.line)];
} offer;

static const struct search from_here = {.dir = 1, .start = true, .best = true, .seconds = 0.1};

/* Searches rows without moving the selection of a shown pane. */
static bool pane_has(struct view *v, const char *what)
{
	uint32_t sel = v->sel;

	view_refresh(v);
	bool has = view_search(v, what, &from_here, NULL) > 0;
	view_select(v, sel);
	return has;
}

static bool other_has(const struct view_ops *ops, const char *what)
{
	struct view *v = view_new(ops, &ui.scene, 0, NULL, NULL);
	bool has = v && pane_has(v, what);

	view_free(v);
	return has;
}

/* The first pane that has the text; panes on the screen come first. */
static bool find_elsewhere(const struct view *here, const char *what)
{
	offer.ops = NULL;
	snprintf(offer.what, sizeof(offer.what), "%s", what);
	for (int p = 0; p < SLOT_REPL && !offer.ops; p++) {
		struct view *v = pane_top((enum place_id)p);

		if (!v || v == here || v->ops == here->ops || !pane_has(v, what))
			continue;
		offer.place = (enum place_id)p;
		offer.ops = v->ops;
	}
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(*elsewhere) && !offer.ops; i++) {
		const struct view_ops *ops = view_find(elsewhere[i]);

		if (!ops || ops == here->ops || !other_has(ops, what))
			continue;
		offer.place = N_PLACES;
		offer.ops = ops;
	}
	return offer.ops != NULL;
}

bool find_accept(keycode k)
{
	const struct view_ops *ops = offer.ops;
	char *argv[] = {(char *)(uintptr_t)(ops ? ops->name : "")};
	struct search how = from_here;
	struct err e = {0};

	offer.ops = NULL;
	if (!ops || k != K_ENTER || ui.focus == SLOT_REPL)
		return false;
	if (offer.place < N_PLACES) {
		pane_focus(offer.place);
	} else if (pane_open(1, argv, &e)) {
		ui_message(true, "%s", e.msg);
		return true;
	}
	how.seconds = 0.5;
	if (pane_focused() && pane_focused()->filter[0])
		view_filter(pane_focused(), "");
	if (view_search(pane_focused(), offer.what, &how, &e) < 1)
		ui_message(true, "no row contains \"%s\"", offer.what);
	return true;
}

/* Searches during typing: for the text itself, else for its letters in order. */
void find_typed(struct view *v, const char *what)
{
	if (view_search(v, what, &from_here, NULL) > 0)
		return;
	if (view_search_like(v, what, &from_here))
		ui_message(false, "no row contains this; here are its letters in order");
	else
		ui_message(true, "no row contains this");
}

void find_entered(struct view *v, const char *what)
{
	struct search how = from_here;
	struct err e = {0};

	how.seconds = 0.5;
	int rc = view_search(v, what, &how, &e);
	snprintf(ui.search, sizeof(ui.search), "%s", what);
	if (rc < 0)
		ui_message(true, "%s", e.msg);
	else if (!rc && find_elsewhere(v, what))
		ui_message(false, "\"%s\" is not in pane %s; pane %s has it: Enter goes there", what,
			   v->ops->name, offer.ops->name);
	else if (!rc && view_search_like(v, what, &how))
		ui_message(false, "no row contains \"%s\"; here are its letters in order", what);
	else if (!rc)
		ui_message(true, "no row of any pane contains \"%s\"", what);
}

/* Called by a key: goes to the next or previous row. */
int find_again(struct view *v, int dir, struct err *e)
{
	const struct search how = {.dir = dir, .seconds = 0.5};

	if (!v || !ui.search[0])
		return err_set(e, "nothing was searched for yet");
	int rc = view_search(v, ui.search, &how, e);
	if (!rc && !view_search_like(v, ui.search, &how))
		return err_set(e, "\"%s\" is in no other row", ui.search);
	return rc < 0 ? -1 : 0;
}

/* Called by a command. */
int find_next(struct view *v, const char *what, struct err *e)
{
	const struct search next = {.dir = 1, .seconds = 0.5};
	struct search like = next;
	struct err why = {0};
	int rc = view_search(v, what, &next, &why);

	snprintf(ui.search, sizeof(ui.search), "%s", what);
	like.best = true;
	if (rc)
		return rc < 0 ? err_set(e, "search: %s", why.msg) : 0;
	if (find_elsewhere(v, what)) {
		err_set(e, "search: \"%s\" is in no row of pane %s; pane %s has it: `%s %s; search %s`", what,
			v->ops->name, offer.ops->name, offer.place < N_PLACES ? "focus" : "pane",
			offer.ops->name, what);
		return -1;
	}
	if (view_search_like(v, what, &like))
		return 0;
	return err_set(e, "search: \"%s\" is in no row of pane %s", what, v->ops->name);
}
