/* The pane `elements`: switch elements (chassis), or the chips of one. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/trace/walk.h"
#include "views/base/filter.h"
#include "views/base/view.h"

static const struct column elements_columns[] = {
	NUM("nr", "number of the element", 0, .drop = 6),
	COL("name", "name of the chassis, or of the switch that stands alone", 10, .flex = 2),
	NUM("chips", "switch chips in it", 0),
	NUM("links", "links to other elements", 0),
	NUM("inside", "links between its own chips", 0, .drop = 2),
	NUM("hosts",
	    "ports that are up and lead to a host or router; to aggregation nodes only if they count", 0,
	    .drop = 1),
	NUM("most", "most LIDs sent by a link to another element", 0, .drop = 3),
	COL("place", "place of the chip in the chassis, as the source tells it", 10, .flex = 1, .drop = 4),
	COL("by", "the rule that put the chips together", 14, .drop = 7),
	COL("guid", "its 64-bit GUID, which never changes", 18, .drop = 5),
};

/* The figures of a row. */
struct elements_pane_counts {
	uint32_t out, inside, hosts, most; /* most: LIDs sent by the busiest link to another element */
};

struct elements_pane {
	uint64_t guid;		    /* a chip of the element whose chips are listed, 0 = all elements */
	uint32_t element;	    /* that element, NO_ID when it is not in the fabric now */
	const struct elements *el;  /* reference; NULL without fabric or grouping: `why` tells the reason */
	const struct port_use *use; /* NULL = missing, or nothing is routed */
	struct elements_pane_counts *count; /* [n_rows] */
	struct err why;
};

static void elements_pane_unload(struct view *v)
{
	elements_unref(((struct elements_pane *)v->priv)->el);
}

/* use: NULL = missing. */
static void count_chip(const struct elements *el, const struct port_use *use, bool aggregation, uint32_t sw,
		       struct elements_pane_counts *c)
{
	const struct fabric *f = el->topo->fabric;

	c->inside += el->first_inside[sw + 1] - el->first_inside[sw];
	FOR_PORTS(f, sw, port) {
		c->hosts += port_of_host(f, el->topo->peer[port], aggregation);
		if (el->port_link[port] == NO_ID)
			continue;
		c->out++;
		if (use && use[port].lids > c->most)
			c->most = use[port].lids;
	}
}

static void elements_pane_load_rows(struct view *v)
{
	struct elements_pane *p = v->priv;
	uint32_t first = 0, last = p->el->first_chip[p->el->n];

	if (p->guid && p->element == NO_ID)
		return;
	v->n_rows = p->guid ? element_chips(p->el, p->element) : p->el->n;
	p->count = VIEW_ARRAY(v, v->n_rows + 1, struct elements_pane_counts);
	if (p->guid) {
		first = p->el->first_chip[p->element];
		last = p->el->first_chip[p->element + 1];
	}
	for (uint32_t c = first; c < last; c++) {
		uint32_t sw = p->el->chip[c];

		count_chip(p->el, p->use, scene_counts_aggregation(v->scene), sw,
			   &p->count[p->guid ? c - first : p->el->of[sw]]);
	}
	for (uint32_t e = 0; e < p->el->n && !p->guid; e++)
		p->count[e].inside = element_inside_links(p->el, e);
}

static void elements_pane_load(struct view *v)
{
	const struct fabric *f = v->scene->fabric;
	struct elements_pane *p = v->priv;
	const struct elements *el;

	p->guid = v->args.arg[0].guid;
	p->element = NO_ID;
	if (!f)
		return;
	el = scene_elements(v->scene, &p->why);
	if (!el)
		return;
	p->el = elements_ref(el);
	if (p->guid) {
		p->element = element_of_guid(p->el, p->guid);
		v->width[0] = v->width[2] = v->width[8] = 0;
	}
	p->use = view_ask_value(v, &task_usage, NULL);
	elements_pane_load_rows(v);
}

static void elements_pane_title(const struct view *v, struct text *t)
{
	const struct elements_pane *p = v->priv;
	uint32_t n = view_count(v);

	if (!p->guid)
		title_place(v, "elements", t);
	else if (p->el && p->element != NO_ID)
		text_add(t, "Chips of %s %u/%u", p->el->name[p->element], n ? v->sel + 1 : 0, n);
	else
		text_add(t, "Chips of 0x%016" PRIx64 " ── down", p->guid);
	if (v->scene->fabric && !p->el)
		text_add(t, " ── %s", p->why.msg);
}

/* The switch of a row, or NO_ID for an element of several chips. */
static uint32_t switch_of_row(const struct elements_pane *p, uint32_t row)
{
	if (p->guid) {
		assert(row < element_chips(p->el, p->element));
		return p->el->chip[p->el->first_chip[p->element] + row];
	}
	return element_chips(p->el, row) == 1 ? p->el->chip[p->el->first_chip[row]] : NO_ID;
}

/* Has the last event changed entries of the row's chips? */
static unsigned elements_pane_marks(const struct view *v, uint32_t row)
{
	const struct elements_pane *p = v->priv;
	const struct comparison *c = v->scene->change;
	uint32_t first = p->guid ? p->el->first_chip[p->element] + row : p->el->first_chip[row];
	uint32_t last = p->guid ? first + 1 : p->el->first_chip[row + 1];

	for (uint32_t i = first; c && c->switch_entries && i < last; i++)
		if (c->switch_entries[p->el->chip[i]])
			return MARK_CHANGED;
	return 0;
}

static void elements_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct elements_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	const struct routing_ops *ops = scene_ops(v->scene);
	const struct elements_pane_counts *n = &p->count[row];
	uint32_t sw = switch_of_row(p, row), e = p->guid ? p->element : row;
	const char *place = sw == NO_ID ? NULL : f->node_chassis_place[f->switch_node[sw]];
	struct subject *s = &r->about;

	s->elements = p->el;
	s->element = e;
	if (sw != NO_ID)
		subject_node(v, f->switch_node[sw], s);
	s->key = p->guid ? f->node_guid[f->switch_node[sw]] : p->el->guid[row];
	ROW_VALUES(v, r, row + 1, row_text(r, "%s", p->guid ? switch_name(f, sw) : p->el->name[row]),
		   p->guid ? 1 : element_chips(p->el, row), n->out, n->inside, n->hosts, n->most,
		   row_text(r, "%s", place ? place : ""),
		   row_text(r, "%s", element_rule_names[p->el->rule[e]]),
		   row_text(r, "0x%016" PRIx64, s->key));
	if (v->waiting)
		r->says[6] = row_text(r, "…");
	r->marks = elements_pane_marks(v, row);
	/* the element that chose a way at the step */
	if (!p->guid && ops->elements && ops->elements(scene_routing(v->scene)) == p->el)
		row_touch(v, r, 1, T_EGRESS, row);
	r->follow = p->guid ? row_text(r, "pane ports %%node") : 0;
}

static bool elements_pane_placeholder(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	const struct elements_pane *p = v->priv;

	if (strcmp(what, "object") || switch_of_row(p, row) != NO_ID)
		return false;
	text_add(t, "chassis ");
	word_element(p->el, row, t);
	return true;
}

const struct view_ops view_elements = {
	.name = "elements",
	.brief = "lists switch elements (a chassis of several chips, or a single switch): links out, hosts, "
		 "most LIDs on a link; "
		 "Enter: its chips",
	.syntax = "[ELEMENT]",
	.hints = "follow=open :pane_lft=lft :fail=fail",
	COLUMNS(elements_columns),
	.priv_size = sizeof(struct elements_pane),
	.load = elements_pane_load,
	.row = elements_row,
	.unload = elements_pane_unload,
	.title = elements_pane_title,
	.placeholder = elements_pane_placeholder,
	.enter = "pane elements %element",
};
