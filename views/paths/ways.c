/*
 * The table `ways`: the acceptable paths for a LID as mincontention compared them. Without an element: the
 * choice of every element. With one: its ways, the chosen one first; then those of its chips inside.
 */
#include <assert.h>
#include <inttypes.h>
#include "core/session/command.h"
#include "core/trace/walk.h"
#include "engines/mincontention/mincontention.h"
#include "views/base/filter.h"
#include "views/base/view.h"

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

struct ways_pane {
	unsigned lid;
	uint64_t guid;			    /* a chip of the element, 0 = all elements */
	uint32_t element;		    /* NO_ID: all elements, or it is not up */
	const struct mincontention_ways *w; /* NULL: another engine, or missing */
};

static int ways_open(struct view *v, const struct args *a, struct err *e)
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

/* Tells the title. False: there is no way to show. */
static bool ways_begin(struct view *v)
{
	const struct ways_pane *p = v->priv;
	const struct scene *sc = v->scene;

	text_add(&v->title, "Ways ");
	if (!mincontention_of(scene_routing(sc))) {
		text_add(&v->title, "── needs routes of mincontention: `route mincontention`");
		return false;
	}
	if (p->guid && p->w && p->element != NO_ID)
		text_add(&v->title, "of %s ", p->w->elements->name[p->element]);
	else if (p->guid && p->w)
		text_add(&v->title, "of an element that is down ");
	text_add(&v->title, "to LID %u", p->lid);
	if (sc->sweep && lid_owner(sc->sweep->lids, p->lid) != NO_ID) {
		text_add(&v->title, " (");
		lid_label(sc->fabric, sc->sweep->lids, p->lid, &v->title);
		text_add(&v->title, ")");
	}
	if (p->w && p->w->target == NO_ID)
		text_add(&v->title, " ── nobody has it");
	return p->w && p->w->target != NO_ID;
}

static void ways_load(struct view *v)
{
	struct ways_pane *p = v->priv;
	const struct elements *el;
	uint32_t open = 0; /* at a step: elements that have not chosen yet */

	p->lid = (unsigned)v->args.arg[0].n;
	p->guid = v->args.arg[1].guid;
	p->element = NO_ID;
	if (mincontention_of(scene_routing(v->scene)))
		p->w = view_ask_value(v, &task_ways, (const uint32_t[TASK_ARGS]){p->lid});
	if (p->guid)
		v->width[0] = v->width[6] = 0;
	if (p->w && p->guid)
		p->element = element_of_guid(p->w->elements, p->guid);
	if (!ways_begin(v))
		return;
	assert(p->w);
	el = p->w->elements;
	for (uint32_t e = 0; e < el->n; e++)
		open += p->w->way[p->w->first[e]].open;
	if (open)
		text_add(&v->title, " ── %s not settled yet", PLURAL(open, "element"));
	if (!p->guid) {
		v->n_rows = el->n;
	} else if (p->element != NO_ID) {
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

/* Has the last event changed the way of the LID? */
static bool ways_has_changed(const struct view *v, uint32_t e)
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

/*
 * Enter goes from all elements to one, from a way to the next element, from the LID's own element to its
 * port.
 */
static void ways_follow(const struct view *v, uint32_t row, struct text *t)
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

/* What is known of a way once it is settled. */
static void ways_tell(const struct view *v, const struct mincontention_way *way, uint32_t e,
		      struct table_row *r)
{
	const struct ways_pane *p = v->priv;
	const struct elements *el = p->w->elements;
	bool itself = !el->topo->fabric->port_num[way->port]; /* the LID's own switch */
	size_t port = row_text(r, "%s", ""), to;

	label_chip_port(el, way->port, &r->text);
	to = row_text(r, "%s", itself ? "(itself)" : "");
	if (!itself)
		label_far(el, way->port, &r->text);
	r->footer = row_text(r, "%s", itself ? "the LID's own switch" : "");
	if (!itself)
		label_channel(el->topo, way->port, true, &r->text);
	ROW_VALUES(v, r, row_text(r, "%s", el->name[e]), port, to, way->key.contention, way->key.distance,
		   way->usage, p->guid ? -1 : (int64_t)p->w->first[e + 1] - p->w->first[e],
		   row_text(r, "%s", rule_text(way)));
}

static void ways_open_row(const struct view *v, uint32_t e, struct table_row *r)
{
	const struct ways_pane *p = v->priv;
	size_t dot = row_text(r, ".");

	ROW_VALUES(v, r, row_text(r, "%s", p->w->elements->name[e]), dot, dot, -1, -1, -1, -1, dot);
	for (unsigned c = 3; c < 7; c++)
		r->says[c] = dot;
	r->footer = row_text(r, "not settled yet");
}

static void ways_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct ways_pane *p = v->priv;
	const struct rec_event *ev = moment_event(v->scene->moment);
	uint32_t chip, e = p->guid ? p->element : row, port;
	const struct mincontention_way *way = row_way(p, row, &chip);
	uint32_t cell = chip == NO_ID ? e : p->w->elements->n + chip;

	if (way->open)
		ways_open_row(v, e, r);
	else
		ways_tell(v, way, e, r);
	/* an element that has just chosen: its way, and those it compared */
	if (ev && ev->b == p->lid)
		row_touch(v, r, 7, T_KEY, cell);
	if (ev && ev->b == p->lid && way->chosen)
		row_touch(v, r, 1, T_KEY, cell);
	if (p->guid)
		r->marks = mark_if(way->chosen, MARK_HERE);
	else
		r->marks = mark_if(ways_has_changed(v, row), MARK_CHANGED) |
			   mark_if(p->w->target == row, MARK_HERE);
	/* a chip that has not chosen yet has no port */
	port = way->port;
	r->about.key = port != NO_ID ? port : (uint64_t)1 << 63 | chip;
	if (!p->guid)
		r->about.key = p->w->elements->guid[row];
	subject_lid(p->lid, &r->about);
	r->about.elements = p->w->elements;
	r->about.element = e;
	if (port != NO_ID && v->scene->fabric->port_num[port])
		subject_port(v, port, &r->about);
	else if (port != NO_ID)
		subject_node(v, v->scene->fabric->port_node[port], &r->about);
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
	.open = ways_open,
	.load = ways_load,
	.row = ways_row,
	.follow = ways_follow,
};
