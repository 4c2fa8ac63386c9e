/* Panes on the screen: two stacks side by side (or one above the other), with the REPL below. */
#include <assert.h>
#include <curses.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/text.h"
#include "tui/ui.h"

#define BESIDE 76	/* least columns for two panes side by side */
#define WIDE_BESIDE 130 /* the same, if one of them needs the whole width */
#define THREE 160	/* least columns for three panes */
#define BODY_LEAST 10	/* with fewer rows, one pane is shown alone */

static_assert(ARRAY_LEN(ui.stack) == SLOT_DETAIL + 1, "the list and the details have stacks");

/* The k-th pane of a stack; 0 is the topmost. */
static struct view *stacked(enum place_id p, unsigned k)
{
	return k < ui.stack[p].n ? ui.stack[p].view[ui.stack[p].n - 1 - k] : NULL;
}

struct view *pane_top(enum place_id p)
{
	assert(p < N_PLACES);
	if (p < SLOT_THIRD)
		return stacked(p, 0);
	if (p != SLOT_THIRD || !ui.three)
		return NULL;
	return ui.guest ? ui.guest : stacked(SLOT_DETAIL, 1);
}

/* Moves the pane below the topmost detail to the top. */
static void raise_third(void)
{
	struct stack *s = &ui.stack[SLOT_DETAIL];
	struct view *v = stacked(SLOT_DETAIL, 1);

	if (!v)
		return;
	s->view[s->n - 2] = s->view[s->n - 1];
	s->view[s->n - 1] = v;
}

static void push_on(struct stack *s, struct view *v)
{
	assert(v && s->n <= STACK_DEPTH);
	if (s->n == STACK_DEPTH) {
		view_free(s->view[0]);
		memmove(s->view, s->view + 1, (STACK_DEPTH - 1) * sizeof(*s->view));
		s->n--;
	}
	s->view[s->n++] = v;
}

struct view *pane_focused(void)
{
	return pane_top(ui.focus == SLOT_REPL ? ui.last_pane : ui.focus);
}

const char *pane_map(void)
{
	struct view *v = pane_top(ui.focus);

	return v ? v->ops->name : "repl";
}

void pane_focus(enum place_id p)
{
	if (p == SLOT_THIRD && ui.guest) {
		struct view *v = ui.guest;

		ui.guest = NULL;
		if (v)
			push_on(&ui.stack[SLOT_DETAIL], v);
		p = SLOT_DETAIL;
	}
	assert(p < N_PLACES);
	if (p < SLOT_REPL && !pane_top(p) && pane_top(SLOT_LIST))
		p = SLOT_LIST;
	else if (p < SLOT_REPL && !pane_top(p))
		p = pane_top(SLOT_DETAIL) ? SLOT_DETAIL : SLOT_REPL;
	ui.focus = p;
	if (p == SLOT_REPL)
		return;
	ui.one_line = LINE_STAYS;
	if (ui.last_pane != p)
		ui.pane_before = ui.last_pane;
	ui.last_pane = p;
}

struct focus pane_focus_now(void)
{
	ui.opened = N_PLACES;
	ui.focus_said = false;
	return (struct focus){ui.focus, ui.last_pane, ui.one_line};
}

void pane_give_back(const struct focus *f)
{
	enum place_id opened = ui.opened;

	assert(f->now < N_PLACES && opened <= N_PLACES);
	if (ui.focus_said)
		return;
	pane_focus(f->now);
	ui.one_line = f->now == SLOT_REPL ? f->one_line : LINE_STAYS;
	if (f->now == SLOT_REPL || opened == N_PLACES)
		return;
	panes_layout(LINES, COLS);
	if (!ui.rect[opened].h)
		pane_focus(opened);
}

/* Places from left to right, then the REPL. */
static const enum place_id *places_in_order(void)
{
	static const enum place_id below[N_PLACES] = {SLOT_LIST, SLOT_THIRD, SLOT_DETAIL, SLOT_REPL},
				   guest[N_PLACES] = {SLOT_LIST, SLOT_DETAIL, SLOT_THIRD, SLOT_REPL};

	return ui.guest ? guest : below;
}

void pane_next(int dir)
{
	const enum place_id *order = places_in_order();
	unsigned at = 0;

	while (order[at] != ui.focus)
		at++;
	do
		at = (at + (dir > 0 ? 1 : N_PLACES - 1)) % N_PLACES;
	while (order[at] != SLOT_REPL && !pane_top(order[at]));
	pane_focus(order[at]);
}

/* The detail that follows the list's selection and gives way to one of its kind opened there. NULL: none. */
static struct view **following(const struct view *v)
{
	struct stack *s = &ui.stack[SLOT_DETAIL];

	for (unsigned k = 0; k < (ui.three ? 2 : 1) && ui.focus == SLOT_LIST; k++)
		if (stacked(SLOT_DETAIL, k) && stacked(SLOT_DETAIL, k)->ops == v->ops &&
		    (v->ops->flags & VIEW_TRACKS))
			return &s->view[s->n - 1 - k];
	return NULL;
}

/* Puts a pane on a stack. Returns its place. */
static enum place_id panes_push(enum place_id p, struct view *v)
{
	struct stack *s = &ui.stack[p];
	struct view **old = p == SLOT_DETAIL ? following(v) : NULL;

	assert(p == SLOT_LIST || p == SLOT_DETAIL);
	if (p == SLOT_DETAIL && ui.focus == SLOT_THIRD) /* the new pane stands beside its opener */
		raise_third();
	if (old) {
		view_free(*old);
		*old = v;
		p = old == &s->view[s->n - 1] ? SLOT_DETAIL : SLOT_THIRD;
	} else {
		push_on(s, v);
	}
	view_refresh(v);
	return p;
}

static bool same_arguments(const struct view *a, const struct view *b)
{
	for (int i = 0; i < VIEW_ARGS; i++)
		if (a->args.arg[i].guid != b->args.arg[i].guid)
			return false;
	return true;
}

/*
 * Raises an open pane of the same kind, with its selection, in place of opening it twice. like: it must have
 * the same arguments; NULL = any.
 */
static bool raise(enum place_id p, const struct view_ops *ops, const struct view *like)
{
	struct stack *s = &ui.stack[p];

	for (unsigned i = 0; i < s->n; i++) {
		struct view *v = s->view[i];

		if (v->ops != ops || (like && like->args.n && !same_arguments(v, like)))
			continue;
		memmove(&s->view[i], &s->view[i + 1], (s->n - i - 1) * sizeof(*s->view));
		s->view[s->n - 1] = v;
		view_refresh(v);
		return true;
	}
	return false;
}

/* The place of a pane that stands beside others. It is beside the list if the list changes with the step. */
static enum place_id place_beside(const struct view_ops *ops)
{
	const struct view *list = pane_top(SLOT_LIST), *detail = pane_top(SLOT_DETAIL);

	if (detail && detail->ops == ops)
		return SLOT_DETAIL;
	if (!list || list->ops == ops || (list->ops->flags & (VIEW_PRESENT | VIEW_TIMELESS)))
		return SLOT_LIST;
	return SLOT_DETAIL;
}

/* Takes a pane of a kind out of a place. NULL: there is none. */
static struct view *panes_take_out(enum place_id p, const struct view_ops *ops)
{
	struct stack *s = &ui.stack[p];

	for (unsigned i = 0; i < s->n; i++) {
		struct view *v = s->view[i];

		if (v->ops != ops)
			continue;
		memmove(&s->view[i], &s->view[i + 1], (s->n - i - 1) * sizeof(*s->view));
		s->n--;
		return v;
	}
	return NULL;
}

/* If a pane with VIEW_BESIDE stands in this place, it moves to the other place. */
static void panes_give_way(enum place_id p, const struct view_ops *ops)
{
	struct view *top = pane_top(p);

	if (!top || !(top->ops->flags & VIEW_BESIDE) || top->ops == ops || (p == SLOT_DETAIL && ui.three))
		return;
	push_on(&ui.stack[p == SLOT_LIST ? SLOT_DETAIL : SLOT_LIST], panes_take_out(p, top->ops));
}

static enum place_id panes_place_of(const struct view_ops *ops)
{
	enum place_id p = ops->flags & VIEW_BESIDE   ? place_beside(ops)
			  : ops->flags & VIEW_DETAIL ? SLOT_DETAIL
						     : SLOT_LIST;

	if (ops->flags & VIEW_BESIDE) /* never open it twice: each one keeps its own tables */
		view_free(panes_take_out(p == SLOT_LIST ? SLOT_DETAIL : SLOT_LIST, ops));
	else
		panes_give_way(p, ops);
	return p;
}

int pane_open(int argc, char **argv, struct err *e)
{
	const struct view_ops *ops = view_need(argv[0], e);

	assert(argc >= 1);
	if (!ops)
		return -1;
	looked_note();
	if (ops->flags & VIEW_ONCE && !(pane_focused() && pane_focused()->ops == ops))
		ui.once_from = ui.focus;
	struct view *v = view_new(ops, &ui.scene, argc - 1, argv + 1, e);
	if (!v)
		return -1;
	looked_at_view(v);
	v->opened_from = ui.focus == SLOT_REPL ? ui.last_pane : ui.focus;
	v->opened_beside = pane_top(SLOT_LIST) ? pane_top(SLOT_LIST)->ops : NULL;
	enum place_id p = panes_place_of(ops);
	if (argc == 1 && raise(p, ops, v))
		view_free(v);
	else
		p = panes_push(p, v);
	pane_focus(p);
	ui.opened = ui.focus;
	ui.focus_said |=
		ops->flags & VIEW_ONCE || ops == &view_lesson || ops == &view_pick; /* it waits for keys */
	return 0;
}

bool pane_back(void)
{
	enum place_id p = ui.focus;

	if (ui.maximised) {
		ui.maximised = false;
		return true;
	}
	if (p == SLOT_REPL) {
		pane_focus(ui.last_pane);
		return true;
	}
	if (p == SLOT_THIRD) {
		raise_third();
		p = SLOT_DETAIL;
		pane_focus(p);
	}
	struct stack *s = &ui.stack[p];
	if (s->n > 1) {
		unsigned from = s->view[s->n - 1]->opened_from;

		view_free(s->view[--s->n]);
		view_refresh(pane_top(p));
		if (from == SLOT_LIST || p == SLOT_LIST)
			pane_focus(from == SLOT_DETAIL ? SLOT_DETAIL : SLOT_LIST);
		return true;
	}
	if (p == SLOT_DETAIL) {
		pane_focus(SLOT_LIST);
		return true;
	}
	return false;
}

void pane_leave(void)
{
	pane_back();
	pane_focus(ui.once_from);
}

bool pane_begin(void)
{
	struct stack *s = &ui.stack[SLOT_LIST];
	bool any = false;

	for (unsigned i = 0; i < s->n; i++)
		if (s->view[i]->ops == &view_start) {
			view_free(s->view[i]);
			s->view[i] = view_new(&view_switches, &ui.scene, 0, NULL, NULL);
			any = true;
		}
	return any;
}

/* A pane of that kind about the switch of a row, or NULL. */
static struct view *about_switch(const struct view_ops *ops, const struct view *list, uint32_t row)
{
	AUTO_TEXT struct text t = {0};
	struct view *v = NULL;
	char *argv[1];

	if (view_place(list, row, "switch", &t)) {
		argv[0] = (char *)(uintptr_t)text_str(&t);
		if (t.len > 1 && t.s[0] == '"') { /* if the word is quoted, use the GUID */
			text_clear(&t);
			view_place(list, row, "guid", &t);
			argv[0] = t.s;
		}
		v = view_new(ops, &ui.scene, 1, argv, NULL);
	}
	return v;
}

/* Replaces a pane that follows the list. */
static void replace(struct view **place, const struct view *list, uint32_t row)
{
	struct view *now = about_switch((*place)->ops, list, row);

	if (now && same_arguments(now, *place)) { /* it shows that switch already, and keeps its selection */
		view_free(now);
		return;
	}
	if (!now)
		return;
	view_inherit(now, *place);
	view_free(*place);
	*place = now;
	view_refresh(now);
}

static bool tracks(const struct view *v)
{
	return v && (v->ops->flags & VIEW_TRACKS);
}

/* Shows details of the row selected in the list beside it. */
void pane_track(void)
{
	static uint64_t shown_key;
	static bool folded;
	struct view *list = pane_top(SLOT_LIST), *v = pane_top(SLOT_DETAIL), *third = pane_top(SLOT_THIRD);
	struct stack *s = &ui.stack[SLOT_DETAIL];
	uint64_t key;
	uint32_t row;

	if (!list || !v || (!ui.track && (ui.focus == SLOT_DETAIL || ui.focus == SLOT_THIRD)) ||
	    !(tracks(v) || tracks(third)) || !view_has_subjects(list))
		return;
	if (!view_current(list, &row) || list->ordering)
		return;
	ui.track = false;
	key = view_key(list, row);     /* a filter may leave another row marked than the selected one */
	if (folded != ui.scene.fold) { /* not selected by a person */
		folded = ui.scene.fold;
		shown_key = key;
	}
	if (key == shown_key)
		return;
	shown_key = key;
	if (tracks(v))
		replace(&s->view[s->n - 1], list, row);
	if (tracks(third))
		replace(ui.guest ? &ui.guest : &s->view[s->n - 2], list, row);
}

/*
 * Does a pane belong to the list: was it opened there, or does it show the switch of the selected row? A list
 * that needs the width is not narrowed for that. A pane about an engine belongs nowhere while another engine
 * is in force; it stands again when its engine does.
 */
static bool belongs(const struct view *v, const struct view *list)
{
	AUTO_TEXT struct text t = {0};
	uint32_t row;
	bool yes = v->opened_beside == list->ops || ((v->ops->flags | list->ops->flags) & VIEW_BESIDE);

	if (!view_fits(v->ops, &ui.scene))
		return false;
	if (!yes && tracks(v) && (list->ops->draw || !(list->ops->flags & VIEW_WIDE)) &&
	    view_has_subjects(list) && view_current(list, &row))
		yes = view_place(list, row, "switch", &t);
	return yes;
}

/* --- three panes ---------------------------------------------------------------- */

/*
 * Does the topmost detail share the width with the pane below it, or with one about the list's row? It
 * follows that row, too, or it was opened from a detail. Else the row is none of its business.
 */
static bool has_company(const struct view *detail)
{
	return tracks(detail) || detail->opened_from != SLOT_LIST || (detail->ops->flags & VIEW_BESIDE);
}

void pane_third(void)
{
	const struct view *list = pane_top(SLOT_LIST), *detail = pane_top(SLOT_DETAIL);
	const struct view *below = stacked(SLOT_DETAIL, 1);
	bool room = COLS >= THREE && LINES - 2 >= BODY_LEAST && list && detail && belongs(detail, list) &&
		    has_company(detail) && (!below || belongs(below, list));

	if (!room || below || (ui.guest && !belongs(ui.guest, list))) {
		view_free(ui.guest);
		ui.guest = NULL;
	}
	ui.three = room;
	if (room && !below && !ui.guest) {
		const struct view_ops *ops = detail->ops == &view_lft ? &view_ports : &view_lft;
		uint32_t row;
		struct view *v = view_has_subjects(list) && view_current(list, &row)
					 ? about_switch(ops, list, row)
					 : NULL;

		if (v && belongs(v, list))
			ui.guest = v;
		else
			view_free(v);
	}
	if (!pane_top(SLOT_THIRD)) {
		/* if the third place has vanished, its pane becomes the topmost detail */
		if (ui.focus == SLOT_THIRD || (ui.focus == SLOT_REPL && ui.last_pane == SLOT_THIRD))
			raise_third();
		if (ui.focus == SLOT_THIRD)
			ui.focus = SLOT_DETAIL;
		if (ui.last_pane == SLOT_THIRD)
			ui.last_pane = SLOT_DETAIL;
	}
}

/* Panes that need the whole width get a larger share. */
static int panes_share_of(enum place_id p)
{
	return pane_top(p)->ops->flags & VIEW_WIDE ? 3 : 2;
}

static bool draws(enum place_id p)
{
	return pane_top(p)->ops->draw;
}

/* Three panes. Beside a drawing, a list gets no more than its columns need, and the drawing gets the rest. */
static void split_three(int top, int h, int cols)
{
	const enum place_id *order = places_in_order();
	int w[3], all = 0, drawn = 0, spare = 0, x = 0;

	for (int i = 0; i < 3; i++) {
		all += panes_share_of(order[i]);
		drawn += draws(order[i]);
	}
	for (int i = 0, before = 0; i < 3; i++) {
		int need = drawn && !draws(order[i]) ? columns_need(pane_top(order[i])) + 2 : cols;

		w[i] = cols * (before + panes_share_of(order[i])) / all - cols * before / all;
		before += panes_share_of(order[i]);
		spare += w[i] > need ? w[i] - need : 0;
		w[i] = MIN(w[i], need);
	}
	for (int i = 0; i < 3; i++) {
		int more = drawn && draws(order[i]) ? spare / drawn-- : 0;

		spare -= more;
		ui.rect[order[i]] = (struct rect){top, x, h, w[i] + more};
		x += w[i] + more;
	}
}

static void panes_split(int top, int h, int cols)
{
	struct view *a = pane_top(SLOT_LIST), *b = pane_top(SLOT_DETAIL);
	struct view *f = pane_focused();
	bool wide = f && (f->ops->flags & VIEW_WIDE) && cols < WIDE_BESIDE;
	bool beside = a && b && belongs(b, a);
	enum place_id one = ui.focus == SLOT_REPL ? ui.last_pane : ui.focus;

	if (beside && pane_top(SLOT_THIRD)) {
		split_three(top, h, cols);
	} else if (beside && !wide && cols >= BESIDE) {
		ui.rect[SLOT_LIST] = (struct rect){top, 0, h, cols / 2};
		ui.rect[SLOT_DETAIL] = (struct rect){top, cols / 2, h, cols - cols / 2};
	} else if (beside && cols < BESIDE && h >= 12) {
		ui.rect[SLOT_LIST] = (struct rect){top, 0, h / 2, cols};
		ui.rect[SLOT_DETAIL] = (struct rect){top + h / 2, 0, h - h / 2, cols};
	} else if (f) {
		ui.rect[one] = (struct rect){top, 0, h, cols};
	}
}

void panes_layout(int rows, int cols)
{
	int body = rows - 2, repl = repl_in_use() ? body * 2 / 5 : body / 8 + 1;

	memset(ui.rect, 0, sizeof(ui.rect));
	if (repl > 16)
		repl = 16;
	/* the output of a typed line gets up to half of the rows; a lesson keeps its question */
	if (repl_answers() && repl_wants() > repl && !(pane_focused() && pane_focused()->ops == &view_lesson))
		repl = repl_wants() < body / 2 + 1 ? repl_wants() : body / 2 + 1;
	if (ui.maximised || body < BODY_LEAST || !pane_focused()) {
		if (body < BODY_LEAST || ui.focus == SLOT_REPL || !repl_answers())
			repl = 0;
		ui.rect[ui.focus] = (struct rect){1, 0, body - repl, cols};
		if (repl)
			ui.rect[SLOT_REPL] = (struct rect){rows - 1 - repl, 0, repl, cols};
		return;
	}
	ui.rect[SLOT_REPL] = (struct rect){rows - 1 - repl, 0, repl, cols};
	panes_split(1, body - repl, cols);
}

bool pane_at(int y, int x, enum place_id *p)
{
	for (int i = 0; i < N_PLACES; i++) {
		const struct rect *r = &ui.rect[i];

		if (y >= r->y && y < r->y + r->h && x >= r->x && x < r->x + r->w) {
			*p = (enum place_id)i;
			return true;
		}
	}
	return false;
}

bool pane_known(const char *name)
{
	const struct view_ops *ops = view_find(name); /* also by the beginning of a name */

	return ops && !strcmp(ops->name, name);
}

void panes_free(void)
{
	for (int p = 0; p < 2; p++)
		while (ui.stack[p].n)
			view_free(ui.stack[p].view[--ui.stack[p].n]);
	view_free(ui.guest);
	ui.guest = NULL;
}
