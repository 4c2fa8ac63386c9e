/*
 * The pane `ways`: the acceptable paths for a LID as mincontention compared them. Without an element: the
 * choice of every element. With one: its ways, the chosen one first; then those of its chips inside.
 */
#include <assert.h>
#include <inttypes.h>
#include "core/session/command.h"
#include "core/trace/walk.h"
#include "engines/mincontention/mincontention.h"
#include "views/base/filter.h"
#include "views/base/view.h"

enum { C_ELEMENT, C_PORT, C_TO, C_CONTENTION, C_DISTANCE, C_USAGE, C_WAYS, C_RULE };

static const struct column columns[] = {
	COL("element", "the chassis, or the switch that stands alone", 8, .flex = 1),
	COL("port", "the port that a packet may take", 8, .flex = 1),
	COL("to", "the element or chip that the port leads to", 8, .flex = 1),
	NUM("cont", "contention: ports of the path that other LIDs of the same host port use already", 0),
	NUM("dist", "links between elements to the destination, or between chips inside", 0),
	NUM("usage", "LIDs that the port sends so far", 0),
	NUM("ways", "paths that begin with the port", 0, .drop = 1),
	COL("decided by", "the rule that chose it, or passed it over", 19),
};
static_assert(ARRAY_LEN(columns) == C_RULE + 1, "a column for each C_");

struct ways_pane {
	unsigned lid;
	uint64_t guid;			    /* a chip of the element, 0 = all elements */
	uint32_t element;		    /* NO_ID: all elements, or it is not up */
	const struct mincontention_ways *w; /* NULL: another engine, or missing */
	uint32_t open;			    /* at a step: elements that have not chosen yet */
};

static int ways_pane_open_view(struct view *v, const struct args *a, struct err *e)
{
	return v->args.arg[0].n ? 0 : err_set(e, "pane ways: \"%s\" is down or has no LID", a->arg[0].word);
}

/* --- computed by another thread ----------------------------------------------------------- */

static void *run_ways(const struct job *j)
{
	return mincontention_ways(j->sweep->routing, j->arg[0], j->progress);
}

FREED_BY(free_ways, mincontention_ways_free)

static const struct task task_ways = {.run = run_ways, .free = free_ways};

/* --- the pane ------------------------------------------------------------------------------- */

static void ways_pane_load(struct view *v)
{
	struct ways_pane *p = v->priv;

	p->lid = (unsigned)v->args.arg[0].n;
	p->guid = v->args.arg[1].guid;
	p->element = NO_ID;
	if (mincontention_of(scene_routing(v->scene)))
		p->w = view_ask_value(v, &task_ways, (const uint32_t[TASK_ARGS]){p->lid});
	if (p->guid)
		v->width[C_ELEMENT] = v->width[C_WAYS] = 0;
	if (p->w && p->guid)
		p->element = element_of_guid(p->w->elements, p->guid);
	if (!p->w || p->w->target == NO_ID)
		return;
	for (uint32_t e = 0; e < p->w->elements->n; e++)
		p->open += p->w->way[p->w->first[e]].open;
	if (!p->guid) {
		v->n_rows = p->w->elements->n;
	} else if (p->element != NO_ID) {
		const struct elements *el = p->w->elements;

		v->n_rows = p->w->first[p->element + 1] - p->w->first[p->element];
		for (uint32_t c = el->first_chip[p->element]; c < el->first_chip[p->element + 1]; c++)
			v->n_rows += p->w->first_inside[el->chip[c] + 1] - p->w->first_inside[el->chip[c]];
	}
}

/*
 * The way of a row; for all elements, the chosen one. *chip: the chip inside that has it, NO_ID: the element.
 */
static const struct mincontention_way *row_way(const struct ways_pane *p, uint32_t row, uint32_t *chip)
{
	const struct elements *el = p->w->elements;
	uint32_t n, c = p->guid ? el->first_chip[p->element] : 0;

	*chip = NO_ID;
	if (!p->guid)
		return &p->w->way[p->w->first[row]];
	n = p->w->first[p->element + 1] - p->w->first[p->element];
	if (row < n)
		return &p->w->way[p->w->first[p->element] + row];
	for (row -= n;; row -= n, c++) {
		assert(c < el->first_chip[p->element + 1]);
		n = p->w->first_inside[el->chip[c] + 1] - p->w->first_inside[el->chip[c]];
		if (row < n)
			break;
	}
	*chip = el->chip[c];
	return &p->w->inside[p->w->first_inside[*chip] + row];
}

static const struct mincontention_way *ways_pane_way_of(const struct ways_pane *p, uint32_t row)
{
	uint32_t chip;

	return row_way(p, row, &chip);
}

static uint32_t element_of(const struct ways_pane *p, uint32_t row)
{
	return p->guid ? p->element : row;
}

static void ways_pane_title(const struct view *v, struct text *t)
{
	const struct ways_pane *p = v->priv;
	const struct scene *sc = v->scene;

	text_add(t, "Ways ");
	if (!mincontention_of(scene_routing(v->scene))) {
		text_add(t, "── needs routes of mincontention: `route mincontention`");
		return;
	}
	if (p->guid && p->w && p->element != NO_ID)
		text_add(t, "of %s ", p->w->elements->name[p->element]);
	else if (p->guid && p->w)
		text_add(t, "of an element that is down ");
	text_add(t, "to LID %u", p->lid);
	if (sc->sweep && lid_owner(sc->sweep->lids, p->lid) != NO_ID) {
		text_add(t, " (");
		lid_label(sc->fabric, sc->sweep->lids, p->lid, t);
		text_add(t, ")");
	}
	if (p->w && p->w->target == NO_ID)
		text_add(t, " ── nobody has it");
	if (p->open)
		text_add(t, " ── %s not settled yet", PLURAL(p->open, "element"));
}

static int64_t ways_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct ways_pane *p = v->priv;
	const struct mincontention_way *way = ways_pane_way_of(p, row);

	if (way->open)
		return -1;
	switch (col) {
	case C_CONTENTION:
		return way->key.contention;
	case C_DISTANCE:
		return way->key.distance;
	case C_USAGE:
		return way->usage;
	}
	return p->w->first[row + 1] - p->w->first[row];
}

/* What decided for the chosen way, or why another way is worse. */
static const char *rule_text(const struct mincontention_way *way)
{
	static const char *const lost[] = {
		[RULE_CONTENTION] = "more contention", [RULE_DISTANCE] = "longer",
		[RULE_USAGE] = "more usage",	       [RULE_NEXT_ELEMENT] = "higher next element",
		[RULE_OWN_CHIP] = "higher own chip",   [RULE_PORT] = "higher port",
		[RULE_KEPT] = "not compared",
	};

	assert(way->chosen || lost[way->rule]);

	return way->chosen ? mincontention_rule_name(way->rule) : lost[way->rule];
}

static void ways_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct ways_pane *p = v->priv;
	const struct mincontention_way *way = ways_pane_way_of(p, row);
	const struct elements *el = p->w->elements;

	if (way->open && col != C_ELEMENT) {
		text_putc(t, '.');
		return;
	}
	switch (col) {
	case C_ELEMENT:
		text_add(t, "%s", el->name[element_of(p, row)]);
		break;
	case C_PORT:
		label_chip_port(el, way->port, t);
		break;
	case C_TO:
		if (el->topo->fabric->port_num[way->port])
			label_far(el, way->port, t);
		else
			text_add(t, "(itself)");
		break;
	case C_RULE:
		text_add(t, "%s", rule_text(way));
		break;
	case C_WAYS:
		if (p->guid)
			break;
		/* fall through */
	default:
		text_add(t, "%" PRId64, ways_pane_number(v, row, col));
	}
}

/* Tells both ends of the link in full. */
static void ways_pane_footer(const struct view *v, struct text *t)
{
	const struct ways_pane *p = v->priv;
	uint32_t row;

	if (!p->w || !view_selected(v, &row))
		return;
	if (ways_pane_way_of(p, row)->open)
		text_add(t, "not settled yet");
	else if (p->w->elements->topo->fabric->port_num[ways_pane_way_of(p, row)->port])
		label_channel(p->w->elements->topo, ways_pane_way_of(p, row)->port, true, t);
	else
		text_add(t, "the LID's own switch");
}

/* Has the last event changed the way of the LID? */
static bool ways_pane_has_changed(const struct view *v, uint32_t e)
{
	const struct ways_pane *p = v->priv;
	const struct elements *el = p->w->elements;
	const struct comparison *c = v->scene->change;
	uint8_t was, now;

	for (uint32_t i = el->first_chip[e]; c && c->switch_entries && i < el->first_chip[e + 1]; i++)
		if (c->switch_entries[el->chip[i]] && entry_changed(c, el->chip[i], p->lid, &was, &now))
			return true;
	return false;
}

/* The element that has just chosen: its way, and those it compared. */
static bool ways_pane_touched(const struct view *v, uint32_t row, unsigned col)
{
	const struct ways_pane *p = v->priv;
	const struct rec_event *ev = moment_event(v->scene->moment);
	uint32_t chip, e = element_of(p, row);
	const struct mincontention_way *way = row_way(p, row, &chip);

	if (!ev || ev->b != p->lid)
		return false;
	if (!moment_touched(v->scene->moment, T_KEY, chip == NO_ID ? e : p->w->elements->n + chip))
		return false;
	return way->chosen ? col == C_PORT || col == C_RULE : col == C_RULE;
}

static unsigned ways_pane_marks(const struct view *v, uint32_t row)
{
	const struct ways_pane *p = v->priv;

	if (p->guid)
		return ways_pane_way_of(p, row)->chosen ? MARK_HERE : 0;
	return mark_if(ways_pane_has_changed(v, row), MARK_CHANGED) | mark_if(p->w->target == row, MARK_HERE);
}

/*
 * Enter goes from all elements to one, from a way to the next element, from the LID's own element to its
 * port.
 */
static void ways_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct ways_pane *p = v->priv;
	const struct fabric *f = p->w->elements->topo->fabric;
	uint32_t chip;
	const struct mincontention_way *way = row_way(p, row, &chip);

	if (p->guid && way->open)
		return;
	if (!p->guid || (way->to != NO_ID && chip == NO_ID)) {
		text_add(t, "pane ways %u ", p->lid);
		word_element(p->w->elements, p->guid ? way->to : row, t);
		return;
	}
	text_add(t, "pane ports ");
	word_node(f, f->port_node[way->port], t);
	if (f->port_num[way->port])
		text_add(t, "; select %u", f->port_num[way->port]);
}

static bool ways_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct ways_pane *p = v->priv;
	uint32_t chip, port = row_way(p, row, &chip)->port;

	/* a chip that has not chosen yet has no port */
	s->key = port != NO_ID ? port : (uint64_t)1 << 63 | chip;
	if (!p->guid)
		s->key = p->w->elements->guid[row];
	subject_lid(p->lid, s);
	s->elements = p->w->elements;
	s->element = element_of(p, row);
	if (port == NO_ID)
		return true;
	if (v->scene->fabric->port_num[port])
		subject_port(v, port, s);
	else
		subject_node(v, v->scene->fabric->port_node[port], s);
	return true;
}

const struct view_ops view_ways = {
	.name = "ways",
	.brief = "mincontention: lists the paths that each element can take for a LID, then its chips "
		 "inside: contention, distance, usage, and the rule that decided",
	.syntax = "LID [ELEMENT]",
	.hints = "follow=ways :why=why :pane_lids=lids :fail=fail back=back",
	COLUMNS(columns),
	.flags = VIEW_DETAIL | VIEW_WIDE,
	.priv_size = sizeof(struct ways_pane),
	.open = ways_pane_open_view,
	.load = ways_pane_load,
	.title = ways_pane_title,
	.footer = ways_pane_footer,
	.cell = ways_pane_cell,
	.number = ways_pane_number,
	.marks = ways_pane_marks,
	.touched = ways_pane_touched,
	.about = ways_pane_about,
	.follow = ways_pane_follow,
};
