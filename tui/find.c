/* Searching: in the pane, by letters in order, and in other panes, shown or not. */
#include <string.h>
#include "tui/ui.h"

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
	bool has;

	view_refresh(v);
	has = view_search(v, what, &from_here, NULL) > 0;
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
	int rc;

	how.seconds = 0.5;
	rc = view_search(v, what, &how, &e);
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
	int rc;

	if (!v || !ui.search[0])
		return err_set(e, "nothing was searched for yet");
	rc = view_search(v, ui.search, &how, e);
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
