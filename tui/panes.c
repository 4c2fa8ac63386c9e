/* Panes on the screen: two stacks beside (or above) each other, the REPL below. */
#include <string.h>
#include "core/base/err.h"
#include "core/base/text.h"
#include "tui/ui.h"

#define BESIDE 76	/* columns from which two panes stand side by side */
#define WIDE_BESIDE 130 /* the same when one of them wants the whole width */

struct view *pane_top(enum place_id p)
{
	return p < SLOT_REPL && ui.stack[p].n ? ui.stack[p].view[ui.stack[p].n - 1] : NULL;
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
	if (p < SLOT_REPL && !pane_top(p))
		p = pane_top(SLOT_LIST) ? SLOT_LIST : pane_top(SLOT_DETAIL) ? SLOT_DETAIL : SLOT_REPL;
	ui.focus = p;
	if (p != SLOT_REPL)
		ui.last_pane = p;
}

void pane_next(int dir)
{
	enum place_id p = ui.focus;

	do
		p = (enum place_id)((p + (dir > 0 ? 1 : N_PLACES - 1)) % N_PLACES);
	while (p != SLOT_REPL && !pane_top(p));
	pane_focus(p);
}

/* A pane that followed the list's selection gives way to one opened from the list. */
static void push(enum place_id p, struct view *v)
{
	struct stack *s = &ui.stack[p];
	struct view *top = pane_top(p);

	if (top && p == SLOT_DETAIL && ui.focus == SLOT_LIST && top->ops == v->ops &&
	    (v->ops->flags & VIEW_TRACKS)) {
		view_free(s->view[--s->n]);
	} else if (s->n == STACK_DEPTH) {
		view_free(s->view[0]);
		memmove(s->view, s->view + 1, (STACK_DEPTH - 1) * sizeof(*s->view));
		s->n--;
	}
	s->view[s->n++] = v;
	view_refresh(v);
}

static bool same_arguments(const struct view *a, const struct view *b)
{
	for (int i = 0; i < VIEW_ARGS; i++)
		if (a->args.arg[i].guid != b->args.arg[i].guid)
			return false;
	return true;
}

/* A pane of the same kind that is open, and about what was looked at last, is shown again with its
 * selection, not opened twice.  like: about what, NULL = whatever. */
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

int pane_open(int argc, char **argv, struct err *e)
{
	const struct view_ops *ops = view_need(argv[0], e);
	enum place_id p;
	struct view *v;

	if (!ops)
		return -1;
	looked_note();
	p = ops->flags & VIEW_DETAIL ? SLOT_DETAIL : SLOT_LIST;
	v = view_new(ops, &ui.scene, argc - 1, argv + 1, e);
	if (v)
		looked_at_view(v);
	if (argc == 1 && raise(p, ops, v))
		view_free(v);
	else if (v)
		push(p, v);
	else
		return -1;
	pane_focus(p);
	return 0;
}

bool pane_back(void)
{
	enum place_id p = ui.focus;
	struct stack *s;

	if (ui.maximised) {
		ui.maximised = false;
		return true;
	}
	if (p == SLOT_REPL) {
		pane_focus(ui.last_pane);
		return true;
	}
	s = &ui.stack[p];
	if (s->n > 1) {
		view_free(s->view[--s->n]);
		view_refresh(pane_top(p));
		return true;
	}
	if (p == SLOT_DETAIL) {
		pane_focus(SLOT_LIST);
		return true;
	}
	return false;
}

/* Show the detail of the row selected in the list beside it. */
void pane_track(void)
{
	static uint64_t shown_key;
	static bool folded;
	struct view *list = pane_top(SLOT_LIST), *v = pane_top(SLOT_DETAIL), *now;
	struct text t = {0};
	char *argv[1];
	uint32_t row;

	if (!list || !v || ui.focus == SLOT_DETAIL || !(v->ops->flags & VIEW_TRACKS) ||
	    !list->ops->placeholder)
		return;
	if (!view_current(list, &row) || list->ordering)
		return;
	if (folded != ui.scene.fold) { /* not a selection by a person */
		folded = ui.scene.fold;
		shown_key = list->sel_key;
	}
	if (list->sel_key == shown_key)
		return;
	shown_key = list->sel_key;
	if (view_place(list, row, "switch", &t)) {
		argv[0] = (char *)(uintptr_t)text_str(&t);
		if (t.len > 1 && t.s[0] == '"') { /* a word of the command language, quoted: take the GUID */
			text_clear(&t);
			view_place(list, row, "guid", &t);
			argv[0] = t.s;
		}
		now = view_new(v->ops, &ui.scene, 1, argv, NULL);
		if (now) {
			view_inherit(now, v);
			ui.stack[SLOT_DETAIL].view[ui.stack[SLOT_DETAIL].n - 1] = now;
			view_free(v);
			view_refresh(now);
		}
	}
	text_free(&t);
}

static void split(int top, int h, int cols)
{
	struct view *a = pane_top(SLOT_LIST), *b = pane_top(SLOT_DETAIL);
	struct view *f = pane_focused();
	bool wide = f && (f->ops->flags & VIEW_WIDE) && cols < WIDE_BESIDE;
	enum place_id one = ui.focus == SLOT_REPL ? ui.last_pane : ui.focus;

	if (a && b && !wide && cols >= BESIDE) {
		ui.rect[SLOT_LIST] = (struct rect){top, 0, h, cols / 2};
		ui.rect[SLOT_DETAIL] = (struct rect){top, cols / 2, h, cols - cols / 2};
	} else if (a && b && cols < BESIDE && h >= 12) {
		ui.rect[SLOT_LIST] = (struct rect){top, 0, h / 2, cols};
		ui.rect[SLOT_DETAIL] = (struct rect){top + h / 2, 0, h - h / 2, cols};
	} else if (f) {
		ui.rect[one] = (struct rect){top, 0, h, cols};
	}
}

void panes_layout(int rows, int cols)
{
	int body = rows - 2, repl = body * 2 / 5;

	memset(ui.rect, 0, sizeof(ui.rect));
	if (ui.maximised || body < 10 || !pane_focused()) {
		ui.rect[ui.focus] = (struct rect){1, 0, body, cols};
		return;
	}
	if (repl > 16)
		repl = 16;
	ui.rect[SLOT_REPL] = (struct rect){rows - 1 - repl, 0, repl, cols};
	split(1, body - repl, cols);
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

void panes_free(void)
{
	for (int p = 0; p < 2; p++)
		while (ui.stack[p].n)
			view_free(ui.stack[p].view[--ui.stack[p].n]);
}
