/* Columns of a list pane: their widths on the screen, and how long cells are shortened. */
#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/clean.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/fabric/names.h"
#include "tui/ui.h"
#include "views/base/fold.h"

#define SAMPLE 2000    /* rows examined after a load; rows on the screen are always examined */
#define SLOW_SAMPLE 60 /* the same, of a pane with VIEW_SLOW_ROWS */
#define PIECES 16      /* parts of a cell: names, ports and arrows */
#define NAME_LEAST 4
#define TEXT_LEAST 8 /* columns that are left of a text at the edge */
#define NAME_ROOM 16
#define METER_LEAST 4
#define ARROW " → "

/* --- widths that cells need --------------------------------------------------------------- */

/* Does a cell use the room of an empty cell to its right? Then it needs no width of its own. */
static bool borrows(const struct view *v, uint32_t row, unsigned c, struct text *t)
{
	while (++c < v->ops->n_columns && !v->width[c])
		;
	text_clear(t);
	if (c < v->ops->n_columns)
		view_cell(v, row, c, t);
	return c < v->ops->n_columns && !t->len;
}

static void note_row(struct view *v, uint32_t row, struct text *t)
{
	AUTO_TEXT struct text next = {0};

	for (unsigned c = 0; c < v->ops->n_columns; c++) {
		if (!v->ops->column[c].flex || !v->width[c] ||
		    (v->ops->column[c].prose && v->n_rows > SAMPLE))
			continue;
		text_clear(t);
		view_cell(v, row, c, t);
		affix_note(&v->affix[c], text_str(t),
			   borrows(v, row, c, &next) ? 0 : text_columns(text_str(t)));
	}
}

void columns_note(struct view *v, int rows)
{
	uint32_t n = view_count(v);
	uint32_t step = v->n_rows / (v->ops->flags & VIEW_SLOW_ROWS ? SLOW_SAMPLE : SAMPLE) + 1;
	AUTO_TEXT struct text t = {0};

	if (!v->measured) {
		for (unsigned c = 0; c < v->ops->n_columns; c++)
			affix_free(&v->affix[c]);
		for (uint32_t row = 0; row < v->n_rows && !fold_wanted(v); row += step)
			note_row(v, row, &t);
		v->measured = true;
	}
	for (uint32_t i = v->top; rows > 0 && i < n && i - v->top < (uint32_t)rows; i++)
		note_row(v, view_row(v, i), &t);
}

/* Are its cells names, which are cut where they differ least? Other text is cut at its end. */
static bool columns_is_cut(const struct view *v, unsigned c)
{
	const struct column *column = &v->ops->column[c];

	return column->flex && !column->right && !column->prose && !v->ops->span;
}

/* What is left out of a column's cells: nothing if folding or tones depend on their text. */
static void affix_of(const struct view *v, unsigned c, size_t *pre, size_t *suf)
{
	*pre = *suf = 0;
	if (columns_is_cut(v, c) && !(v->fold && v->fold->n))
		affix_get(&v->affix[c], pre, suf);
}

static void shared_text(const struct affix *a, size_t pre, size_t suf, struct text *t)
{
	text_add(t, "%.*s…%s", (int)pre, a->like, suf ? a->like + a->len - suf : "");
}

void columns_shared(const struct view *v, unsigned col, const struct fit *f, struct text *t)
{
	if (f->pre[col] || f->suf[col])
		shared_text(&v->affix[col], f->pre[col], f->suf[col], t);
}

/* --- widths ------------------------------------------------------------------------------- */

/* The width that a flexible column wants. brief: without what its names share. */
static int columns_wanted(const struct view *v, unsigned c, bool brief)
{
	AUTO_TEXT struct text t = {0};
	size_t pre, suf;
	int w = v->affix[c].widest;

	affix_of(v, c, &pre, &suf);
	if (!brief || !(pre + suf))
		return w;
	shared_text(&v->affix[c], pre, suf, &t);
	w -= text_columns(text_str(&t)) - 1;
	return w;
}

/* Shares room by the columns' shares, whatever they contain. */
static void share_plainly(const struct view *v, int room, struct fit *f)
{
	unsigned flex = 0;

	for (unsigned c = 0; c < v->ops->n_columns; c++)
		flex += f->w[c] ? v->ops->column[c].flex : 0;
	for (unsigned c = 0; c < v->ops->n_columns && room > 0 && flex; c++) {
		unsigned share = f->w[c] ? v->ops->column[c].flex : 0;
		int more = room * (int)share / (int)flex;

		room -= more;
		flex -= share;
		f->w[c] += more;
	}
}

/* Shares room among columns that want it, by their shares, but not more than they want. Returns the rest. */
static int share_wanted(const struct view *v, int room, bool brief, struct fit *f)
{
	int want[VIEW_COLUMNS], before;

	for (unsigned c = 0; c < v->ops->n_columns; c++)
		want[c] = f->w[c] && v->ops->column[c].flex ? columns_wanted(v, c, brief) - f->w[c] : 0;
	do {
		unsigned flex = 0;

		before = room;
		for (unsigned c = 0; c < v->ops->n_columns; c++)
			flex += want[c] > 0 ? v->ops->column[c].flex : 0;
		for (unsigned c = 0; c < v->ops->n_columns && room > 0; c++) {
			int more = want[c] > 0 ? before * v->ops->column[c].flex / (int)flex : 0;

			if (want[c] <= 0)
				continue;
			more = more < 1 ? 1 : MIN(more, want[c]);
			more = MIN(more, room);
			f->w[c] += more;
			want[c] -= more;
			room -= more;
		}
	} while (room > 0 && room < before);
	return room;
}

/* Columns get what others do not need. What all names share is left out only if the full names do not fit. */
static void share_room(const struct view *v, int room, struct fit *f)
{
	const struct fit least = *f;
	bool fits = true, plain = false;
	int lack = 0;

	share_plainly(v, room, f);
	for (unsigned c = 0; c < v->ops->n_columns; c++) {
		if (!least.w[c] || !v->ops->column[c].flex)
			continue;
		plain |= v->ops->column[c].prose && v->n_rows > SAMPLE; /* its cells were not measured */
		fits &= f->w[c] >= v->affix[c].widest;
		if (v->affix[c].widest > least.w[c])
			lack += v->affix[c].widest - least.w[c];
	}
	if (fits || plain)
		return;
	*f = least;
	int left = share_wanted(v, room, lack > room, f);
	share_plainly(v, left, f);
}

/* Extra room for the first flexible column, which names the row: its names come before other columns. */
static int columns_name_room(const struct view *v)
{
	unsigned c = 0;

	while (c < v->ops->n_columns && !(v->ops->column[c].flex && v->width[c]))
		c++;
	if (c == v->ops->n_columns || !columns_is_cut(v, c) ||
	    fold_wanted(v)) /* folding has its own short names */
		return 0;
	return (columns_wanted(v, c, true) < NAME_ROOM ? columns_wanted(v, c, true) : NAME_ROOM) -
	       v->width[c];
}

/* The width that flexible columns want above their least widths. */
static int lacking(const struct view *v, bool brief, const struct fit *f)
{
	int lack = 0;

	for (unsigned c = 0; c < v->ops->n_columns; c++)
		if (f->w[c] && v->ops->column[c].flex && columns_wanted(v, c, brief) > f->w[c])
			lack += columns_wanted(v, c, brief) - f->w[c];
	return lack;
}

/* Gives room that no text wants to bars and meters. Returns the rest. */
static int place_meters(const struct view *v, int room, struct fit *f)
{
	int spare = room - lacking(v, false, f);

	for (unsigned c = 0; c < v->ops->n_columns && !v->skip && v->ops->meter; c++) {
		int n = v->ops->column[c].meter;

		if (v->ops->column[c].bar && f->w[c]) {
			n = n < f->w[c] + spare ? n : f->w[c] + spare;
			n = n > f->w[c] ? n - f->w[c] : 0;
			f->w[c] += n;
			room -= n;
			spare -= n;
			continue;
		}
		n = n < spare - 1 ? n : spare - 1;
		if (!f->w[c] || n < METER_LEAST)
			continue;
		f->meter[c] = n;
		room -= n + 1;
		spare -= n + 1;
	}
	return room;
}

/* The least width of a column, which shows its name. */
static int columns_least(const struct view *v, unsigned c)
{
	int name = v->width[c] ? text_columns(view_column_name(v, c)) : 0;

	return MAX(v->width[c], name);
}

int columns_need(struct view *v)
{
	int need = GUTTER - 1;

	columns_note(v, 0);
	for (unsigned c = 0; c < v->ops->n_columns; c++) {
		int w = columns_least(v, c),
		    want = w && v->ops->column[c].flex ? columns_wanted(v, c, true) : 0;

		need += w ? MAX(want, w) + 1 : 0;
	}
	return need;
}

/*
 * Takes columns in their order until the next one does not fit: the first column, and those from the skip-th
 * on. They have all the width that they want. Returns the room left.
 */
static int take_columns(const struct view *v, int w, struct fit *f)
{
	unsigned seen = 0;
	int left = w - GUTTER;

	assert(v->skip);
	for (unsigned c = 0; c < v->ops->n_columns; c++) {
		int need = columns_least(v, c),
		    want = v->ops->column[c].flex ? columns_wanted(v, c, true) : 0;

		f->w[c] = 0;
		if (!need || (seen++ && seen <= v->skip))
			continue;
		need = want > need && seen > 1 ? want : need;
		if (need > left) {
			if (seen != v->skip + 1u || left <= 0)
				break;
			f->w[c] = left; /* it is the only one, and no other takes of its room */
			return 0;
		}
		f->w[c] = need;
		left -= need + 1;
	}
	return left > 0 ? left + 1 : 0;
}

/* Leaves out the last columns until all widths fit. Returns the room left. */
static int drop_last(const struct view *v, int w, struct fit *f)
{
	int left = w - GUTTER + 1;

	for (unsigned c = 0; c < v->ops->n_columns; c++)
		left -= f->w[c] ? f->w[c] + 1 : 0;
	for (unsigned c = v->ops->n_columns; c-- > 1 && left < 0;) {
		if (!f->w[c] || (v->ops->column[c].flex && f->w[c] + left >= TEXT_LEAST)) {
			left = f->w[c] ? 0 : left;
			continue;
		}
		left += f->w[c] + 1;
		f->w[c] = 0;
	}
	return left;
}

/* Drops columns by their `drop`, then from the last one on, until the least widths fit. Returns the room
 * left. */
static int columns_choose(const struct view *v, int w, struct fit *f)
{
	const struct view_ops *o = v->ops;
	unsigned limit = 256, most;
	int need, more = columns_name_room(v);

	if (v->skip)
		return take_columns(v, w, f);
	more = MAX(more, 0);
	do {
		need = GUTTER + more;
		most = 0;
		for (unsigned c = 0; c < o->n_columns; c++) {
			f->w[c] = o->column[c].drop < limit ? columns_least(v, c) : 0;
			if (!f->w[c])
				continue;
			need += f->w[c] + 1;
			if (o->column[c].drop > most)
				most = o->column[c].drop;
		}
		if (most == DROP_SPARE)
			need += lacking(v, true, f) - more;
		limit = most;
	} while (need - 1 > w && most);
	return need - more - 1 > w ? drop_last(v, w, f) : w - (need - more - 1);
}

void columns_fit(const struct view *v, int w, struct fit *f)
{
	int x = GUTTER;

	assert(v->ops->n_columns <= VIEW_COLUMNS);
	memset(f, 0, sizeof(*f));
	share_room(v, place_meters(v, columns_choose(v, w, f), f), f);
	for (unsigned c = 0; c < v->ops->n_columns; c++) {
		f->hidden = f->w[c] ? f->hidden : f->hidden + (v->width[c] != 0);
		f->behind = f->w[c] ? 0 : f->behind + (v->width[c] != 0);
		if (!f->w[c])
			continue;
		f->cut[c].head = 100;
		f->x[c] = x;
		if (x + f->w[c] > w)
			f->w[c] = w > x ? w - x : 0;
		x += f->w[c] + 1 + (f->meter[c] ? f->meter[c] + 1 : 0);
		if (v->affix[c].widest > f->w[c])
			affix_of(v, c, &f->pre[c], &f->suf[c]);
	}
}

/* --- cutting ------------------------------------------------------------------------------ */

/* The number of bytes that take at most w columns. */
static size_t bytes_within(const char *s, size_t len, int w)
{
	size_t at = 0;

	while (at < len) {
		char one[8] = {0};
		uint32_t c;
		int n = utf8_decode(s + at, len - at, &c);

		n = n > 0 ? n : 1;
		memcpy(one, s + at, (size_t)n);
		w -= c < 0x80 ? 1 : text_columns(one);
		if (w < 0)
			break;
		at += (size_t)n;
	}
	return at;
}

static int columns_of_table(const char *s, size_t len)
{
	AUTO_TEXT struct text t = {0};

	text_add(&t, "%.*s", (int)len, s);
	return text_columns(text_str(&t));
}

/* The bytes of a port in brackets, or of an arrow, with the blanks around it; 0 = it is neither. */
static size_t fixed_len(const char *s)
{
	size_t n = *s == ' ';

	if (!strncmp(s, ARROW, sizeof(ARROW) - 1))
		return sizeof(ARROW) - 1;
	if (!strncmp(s, " -> ", 4))
		return 4;
	if (s[n] != '[')
		return 0;
	size_t digits = strspn(s + n + 1, "0123456789-");
	if (!digits || s[n + 1 + digits] != ']')
		return 0;
	n += digits + 2;
	return n + (s[n] == ' ' && s[n + 1] && s[n + 1] != '[');
}

struct columns_piece {
	const char *s;
	size_t len;
	int w, room;
	bool fixed;
};

/* Splits a cell into names and what is between them. 0: there are too many, or a chain of arrows. */
static unsigned pieces(const char *s, struct columns_piece *p)
{
	unsigned n = 0, arrows = 0;

	while (*s) {
		size_t len = fixed_len(s);

		arrows += !strncmp(s, ARROW, sizeof(ARROW) - 1) || !strncmp(s, " -> ", 4);
		if (n == PIECES || arrows > 1)
			return 0;
		p[n] = (struct columns_piece){.s = s, .fixed = len > 0};
		while (!len || (!p[n].fixed && s[len] && !fixed_len(s + len)))
			len++;
		p[n].len = len;
		p[n].w = p[n].room = columns_of_table(s, len);
		s += len;
		n++;
	}
	return n;
}

/* Short names get the room they need, and long ones share the rest equally. False: too little for each. */
static bool room_for_names(struct columns_piece *p, unsigned n, int w)
{
	int names = 0;
	bool again;

	for (unsigned i = 0; i < n; i++) {
		w -= p[i].fixed ? p[i].w : 0;
		names += !p[i].fixed;
		p[i].room = p[i].fixed ? p[i].w : -1;
	}
	do {
		again = false;
		for (unsigned i = 0; i < n; i++) {
			if (p[i].room >= 0 || p[i].w * names > w)
				continue;
			p[i].room = p[i].w;
			w -= p[i].w;
			names--;
			again = true;
		}
	} while (again);
	for (unsigned i = 0; i < n; i++) {
		if (p[i].room >= 0)
			continue;
		int share = names ? w / names : w;
		if (share < NAME_LEAST)
			return false;
		p[i].room = share;
		w -= share;
		names--;
	}
	return w >= 0;
}

/* Lists of numbers are cut only at their end, since part of a number would be another number. */
static bool columns_has_letter(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (isalpha((unsigned char)s[i]))
			return true;
	return false;
}

/* Does a name end with a GUID, as that of a nameless node or system does? GUIDs of a fabric begin alike. */
static bool ends_with_guid(const char *s, size_t len)
{
	const size_t digits = 16, guid = 2 + digits;

	if (len < guid || strncmp(s + len - guid, "0x", 2) != 0)
		return false;
	for (size_t i = len - digits; i < len; i++)
		if (!isxdigit((unsigned char)s[i]))
			return false;
	return true;
}

/* Keeps the begin and the end of a name. A short name keeps the end of its GUID. */
static void columns_add_ends(const char *s, size_t len, int room, unsigned head, struct text *t)
{
	int first = columns_has_letter(s, len) ? (room - 1) * (int)head / 100 : room - 1,
	    last = room - 1 - first;
	const char *tail = memmem(s, len, NAME_TAIL, strlen(NAME_TAIL));
	size_t from = len;

	assert(room >= 1);
	if (ends_with_guid(s, len)) {
		first = first < room / 4 ? first : room / 4;
		last = room - 1 - first;
	}
	if (tail) {
		last = columns_of_table(tail, len - (size_t)(tail - s));
		last = MIN(last, room) - 1;
		first = room - 1 - last;
	}
	size_t at = bytes_within(s, len, first);
	while (!columns_has_letter(s, len) && at && (isdigit((unsigned char)s[at - 1]) || s[at - 1] == '.'))
		at--; /* no number in part */
	text_add(t, "%.*s…", (int)at, s);
	while (from) { /* from the end, as a cell may be long */
		for (at = from - 1; at && ((unsigned char)s[at] & 0xc0) == 0x80;)
			at--;
		if (columns_of_table(s + at, len - at) > last)
			break;
		from = at;
	}
	text_add(t, "%.*s", (int)(len - from), s + from);
}

static void add_piece(const struct columns_piece *p, const struct cut *how, struct text *t)
{
	const char *s = p->s;
	size_t pre = strlen(how->pre), suf = strlen(how->suf), len = p->len;
	int room = p->room;

	if (pre + suf >= len || strncmp(s, how->pre, pre) != 0 || strncmp(s + len - suf, how->suf, suf) != 0)
		pre = suf = 0;
	if (room - (pre > 0) - (suf > 0) < NAME_LEAST)
		pre = suf = 0;
	room -= (pre > 0) + (suf > 0);
	s += pre;
	len -= pre + suf;
	int w = columns_of_table(s, len);
	text_add(t, pre ? "…" : "");
	if (w <= room)
		text_add(t, "%.*s", (int)len, s);
	else
		columns_add_ends(s, len, room, how->head, t);
	text_add(t, suf && w <= room ? "…" : "");
}

void cut_cell(const char *s, int w, const struct cut *how, bool bare, struct text *t)
{
	struct columns_piece p[PIECES];
	unsigned n = pieces(s, p);

	assert(how->head <= 100);
	if (!*s)
		return;
	if (!n || !room_for_names(p, n, w)) {
		size_t len = affix_name_len(s);

		n = 1 + (s[len] != 0);
		p[0] = (struct columns_piece){.s = s, .len = len, .w = columns_of_table(s, len)};
		p[1] = (struct columns_piece){
			.s = s + len, .len = strlen(s + len), .w = text_columns(s + len), .fixed = true};
		if (!room_for_names(p, n, w)) {
			text_add(t, "%s", s);
			return;
		}
	}
	for (unsigned i = 0; i < n; i++) {
		if (bare && how->most && p[i].room > how->most)
			p[i].room = how->most;
		if (p[i].room < p[i].w && !p[i].fixed)
			add_piece(&p[i], how, t);
		else if (!bare || (!p[i].fixed && isalnum((unsigned char)p[i].s[p[i].len - 1])))
			text_add(t, "%.*s", (int)p[i].len, p[i].s);
	}
}

/* --- cells -------------------------------------------------------------------------------- */

/* The room for the text of a flexible cell, including empty cells to its right. */
static int cell_room(const struct view *v, uint32_t row, unsigned col, const struct fit *f, int need)
{
	AUTO_TEXT struct text t = {0};
	int room = f->w[col];

	for (unsigned c = col + 1; c < v->ops->n_columns && room < need; c++) {
		if (!f->w[c])
			continue;
		view_cell(v, row, c, &t);
		if (t.len)
			break;
		room = f->x[c] + f->w[c] - f->x[col];
	}
	return room;
}

/* Makes the uncut cell. Returns the room for it. */
static int whole_cell(const struct view *v, uint32_t row, unsigned col, const struct fit *f, struct text *t)
{
	AUTO_TEXT struct text whole = {0};
	int w = f->w[col];
	bool brief = v->ops->brief_cell && v->affix[col].widest > w;

	view_cell(v, row, col, &whole);
	affix_strip(&v->affix[col], f->pre[col], f->suf[col], text_str(&whole), t);
	int need = text_columns(text_str(t));
	if (v->ops->column[col].flex && need > w)
		w = cell_room(v, row, col, f, need);
	text_clear(&whole);
	if (!v->shift && (need > w || brief) && view_brief_cell(v, row, col, &whole)) {
		text_clear(t);
		text_add(t, "%s", text_str(&whole));
	}
	return w;
}

int columns_cell(const struct view *v, uint32_t row, unsigned col, const struct fit *f, struct text *t)
{
	AUTO_TEXT struct text whole = {0};
	int w = whole_cell(v, row, col, f, &whole);

	assert(col < v->ops->n_columns && f->w[col] > 0);
	if (columns_is_cut(v, col) && !f->shift[col] && text_columns(text_str(&whole)) > w)
		cut_cell(text_str(&whole), w, &f->cut[col], false, t);
	else
		text_add(t, "%s", text_str(&whole));
	return w;
}

/* The cells of a column on the screen. */
struct shown {
	struct text *cell;
	int *room;
	uint32_t n;
	int over; /* columns by which the longest cell is too long */
};

/* Finds what the names of the cut cells share. words: only whole words and numbers. */
static void shared_by_cut(const struct shown *s, bool words, struct cut *how)
{
	struct affix a = {0};
	AUTO_TEXT struct text name = {0};
	struct columns_piece p[PIECES];
	size_t pre, suf;

	for (uint32_t i = 0; i < s->n; i++) {
		const char *cell = text_str(&s->cell[i]);
		unsigned n = text_columns(cell) > s->room[i] ? pieces(cell, p) : 0;
		bool fits = n && room_for_names(p, n, s->room[i]);

		for (unsigned k = 0; k < n; k++) {
			if (p[k].fixed || p[k].w < NAME_LEAST)
				continue;
			if (fits && p[k].room < p[k].w && (!how->most || p[k].room < how->most))
				how->most = p[k].room;
			text_clear(&name);
			text_add(&name, "%.*s", (int)p[k].len, p[k].s);
			affix_note(&a, text_str(&name), 0);
		}
	}
	if (words)
		affix_get(&a, &pre, &suf);
	else
		affix_most(&a, &pre, &suf);
	if (pre < sizeof(how->pre) && suf < sizeof(how->suf)) {
		memcpy(how->pre, a.like ? a.like : "", pre);
		memcpy(how->suf, a.like ? a.like + a.len - suf : "", suf);
		how->pre[pre] = how->suf[suf] = 0;
	}
	affix_free(&a);
}

/* Counts the different names among the cells after cutting. how is NULL: uncut. */
static uint32_t names_left(const struct shown *s, const struct cut *how, struct text *to)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		const char *cell = text_str(&s->cell[i]);

		text_clear(&to[i]);
		if (how)
			cut_cell(cell, s->room[i], how, true, &to[i]);
		else
			cut_cell(cell, INT_MAX / 32, &(struct cut){0}, true, &to[i]);
	}
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t k = 0;

		while (k < i && strcmp(text_str(&to[i]), text_str(&to[k])) != 0)
			k++;
		found += k == i;
	}
	return found;
}

/*
 * Chooses where names are cut: at their end if they still differ then; otherwise in the way that keeps most
 * names different, preferably with much of their begin.
 */
static void best_cut(const struct shown *s, struct cut *best)
{
	static const struct {
		unsigned head, share; /* share 1: leaves out shared whole words, 2: everything shared */
	} ways[] = {{100, 0}, {50, 0},	{67, 0}, {33, 0}, {100, 1}, {50, 1},
		    {33, 1},  {100, 2}, {50, 2}, {33, 2}, {0, 0}};
	AUTO_FREE struct text *to = NEW_ARRAY(s->n + 1, struct text);
	uint32_t all = names_left(s, NULL, to), most = 0;
	struct cut shared[3] = {{0}};

	shared_by_cut(s, true, &shared[1]);
	shared_by_cut(s, false, &shared[2]);
	shared[0].most = shared[1].most;
	for (size_t i = 0; i < ARRAY_LEN(ways) && most < all; i++) {
		struct cut how = shared[ways[i].share];

		how.head = ways[i].head;
		uint32_t n = names_left(s, &how, to);
		if (n > most) {
			*best = how;
			most = n;
		}
	}
	for (uint32_t i = 0; i < s->n; i++)
		text_free(&to[i]);
}

void columns_cut(struct view *v, int rows, struct fit *f)
{
	uint32_t n = view_count(v) - (v->top < view_count(v) ? v->top : view_count(v));
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct shown s = {.n = rows < 0 ? 0 : MIN(n, (uint32_t)rows)};
	unsigned most = 0;

	s.cell = ARENA_ARRAY(arena, s.n + 1, struct text);
	s.room = ARENA_ARRAY(arena, s.n + 1, int);
	for (unsigned c = 0; c < v->ops->n_columns; c++) {
		if (!f->w[c] || !v->ops->column[c].flex)
			continue;
		s.over = 0;
		for (uint32_t i = 0; i < s.n; i++) {
			text_clear(&s.cell[i]);
			s.room[i] = whole_cell(v, view_row(v, v->top + i), c, f, &s.cell[i]);
			int over = text_columns(text_str(&s.cell[i])) - s.room[i];
			s.over = MAX(over, s.over);
		}
		f->shift[c] = v->shift < (unsigned)s.over ? v->shift : (unsigned)s.over;
		most = (unsigned)s.over > most ? (unsigned)s.over : most;
		if (s.over && !f->shift[c] && columns_is_cut(v, c))
			best_cut(&s, &f->cut[c]);
	}
	v->beyond = most;
	v->shift = MIN(v->shift, most);
	for (uint32_t i = 0; i < s.n; i++)
		text_free(&s.cell[i]);
}
