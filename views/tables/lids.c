/*
 * The pane `lids`: the LIDs of one endport side by side: the port by which every element sends each of them,
 * and below an element of several chips the port of each chip.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/routing/routing.h"
#include "core/trace/walk.h"
#include "views/base/filter.h"
#include "views/base/view.h"

#define SHOWN 8 /* LIDs shown at a time; Left and Right go to the others */

enum { C_ELEMENT, C_USE, C_LID };

#define LID_HELP "the port that sends this LID, and the node that it leads to"

static const struct column columns[] = {
	COL("element", "the chassis, or the switch that stands alone", 7, .flex = 1),
	NUM("use", "number of different ports that the LIDs take / number of LIDs", 0, .drop = 1),
	COL("1st", LID_HELP, 7, .flex = 2),
	COL("2nd", LID_HELP, 7, .flex = 2),
	COL("3rd", LID_HELP, 7, .flex = 2),
	COL("4th", LID_HELP, 7, .flex = 2),
	COL("5th", LID_HELP, 7, .flex = 2),
	COL("6th", LID_HELP, 7, .flex = 2),
	COL("7th", LID_HELP, 7, .flex = 2),
	COL("8th", LID_HELP, 7, .flex = 2),
};
static_assert(ARRAY_LEN(columns) == C_LID + SHOWN, "a column for each LID shown");

/* How an element (or chip) sends a LID to other elements or delivers it. */
struct exit {
	uint32_t port; /* of the first chip that does so, NO_ID = none */
	uint16_t more; /* other chips that do so by their own ports */
	bool shared;   /* another LID of the endport uses one of these ports */
};

struct lids_pane {
	uint64_t guid; /* of the endport */
	unsigned at;   /* index of the chosen LID */
	uint32_t ep;   /* NO_ID when it is no longer in the fabric */
	unsigned base, count;
	unsigned kept, kept_last; /* LIDs that the subnet manager reserves for it while it is away; 0: none */
	const struct elements *el; /* reference; NULL without grouping: `why` tells the reason */
	bool ways;		   /* the engine compared ways of these same elements */
	uint32_t *element;	   /* [n_rows] */
	uint32_t *chip;		   /* [n_rows] NO_ID: the row is about the whole element */
	struct exit *exit;	   /* [n_rows * count] */
	uint32_t *ports;	   /* [n_rows] different ports used by all LIDs */
	struct err why;
};

static int lids_pane_open_view(struct view *v, const struct args *a, struct err *e)
{
	const struct fabric *f = v->scene->fabric;
	struct lids_pane *p = v->priv;

	(void)a;
	(void)e;
	p->guid = v->args.arg[0].guid;
	if (v->args.arg[0].n && v->scene->sweep)
		p->at = (unsigned)v->args.arg[0].n -
			v->scene->sweep->lids->base[fabric_endport_by_guid(f, p->guid)];
	return 0;
}

static void lids_pane_unload(struct view *v)
{
	elements_unref(((struct lids_pane *)v->priv)->el);
}

/* Does the endport hang on this port? */
static bool delivers(const struct topo *tp, uint32_t ep, uint32_t sw, unsigned port)
{
	return sw == tp->endport_switch[ep] && port == tp->endport_swport[ep];
}

/* The port by which a chip sends a LID out of its element or delivers it. NO_PATH: it does not. */
static unsigned exit_port(const struct lids_pane *p, const struct routing *r, uint32_t sw, unsigned lid,
			  bool inside)
{
	const struct fabric *f = r->topo->fabric;
	unsigned port = routing_port(r, sw, lid);

	if (port == NO_PATH || port > f->switch_nports[sw])
		return NO_PATH;
	if (inside || p->el->port_link[switch_port_id(f, sw, port)] != NO_ID ||
	    delivers(r->topo, p->ep, sw, port))
		return port;
	return NO_PATH;
}

/* Adds a chip of a row's element, or the row's chip. */
static void load_chip(struct lids_pane *p, const struct routing *r, uint32_t row, uint32_t sw)
{
	struct exit *x = &p->exit[(size_t)row * p->count];
	bool inside = p->chip[row] != NO_ID;
	uint16_t count[256] = {0};

	assert(p->chip[row] == NO_ID || p->chip[row] == sw);
	for (unsigned k = 0; k < p->count; k++) {
		unsigned port = exit_port(p, r, sw, p->base + k, inside);

		if (port == NO_PATH)
			continue;
		p->ports[row] += !count[port]++;
		if (x[k].port == NO_ID)
			x[k].port = switch_port_id(r->topo->fabric, sw, port);
		else
			x[k].more++;
	}
	for (unsigned k = 0; k < p->count; k++) {
		unsigned port = exit_port(p, r, sw, p->base + k, inside);

		x[k].shared |= port != NO_PATH && count[port] > 1 && !delivers(r->topo, p->ep, sw, port);
	}
}

/* Lists every element, and after one with several chips each of these. */
static void lids_pane_load_rows(struct view *v, const struct elements *el)
{
	struct lids_pane *p = v->priv;
	size_t most = (size_t)el->n + el->first_chip[el->n];

	p->element = VIEW_ARRAY(v, most, uint32_t);
	p->chip = VIEW_ARRAY(v, most, uint32_t);
	for (uint32_t e = 0; e < el->n; e++) {
		p->element[v->n_rows] = e;
		p->chip[v->n_rows++] = NO_ID;
		for (uint32_t c = el->first_chip[e]; element_chips(el, e) > 1 && c < el->first_chip[e + 1];
		     c++) {
			p->element[v->n_rows] = e;
			p->chip[v->n_rows++] = el->chip[c];
		}
	}
}

/* Does the row include the chip? */
static bool row_has(const struct lids_pane *p, uint32_t row, uint32_t chip)
{
	return p->chip[row] == NO_ID || p->chip[row] == chip;
}

/* LIDs that are reserved for the endport. */
static void load_reserved(struct lids_pane *p, const struct sweep *w)
{
	size_t n;
	AUTO_FREE struct guid2lid *g = sweep_reserved(w, &n);

	p->kept = 0;
	for (size_t i = 0; i < n; i++)
		if (g[i].guid == p->guid) {
			p->kept = g[i].min;
			p->kept_last = g[i].max;
		}
}

static void lids_pane_load(struct view *v)
{
	const struct fabric *f = v->scene->fabric;
	const struct routing *r = scene_routing(v->scene);
	struct lids_pane *p = v->priv;
	const struct elements *el;

	p->ep = f ? fabric_endport_by_guid(f, p->guid) : NO_ID;
	if (r && v->scene->sweep)
		load_reserved(p, v->scene->sweep);
	el = p->ep != NO_ID && r ? scene_elements(v->scene, &p->why) : NULL;
	if (!el || r->topo->endport_switch[p->ep] == NO_ID)
		return;
	p->el = elements_ref(el);
	p->ways = scene_ops(v->scene)->way && scene_ops(v->scene)->elements(r) == el;
	p->base = r->lids->base[p->ep];
	p->count = r->lids->count[p->ep];
	if (p->at >= p->count)
		p->at = 0;
	for (unsigned k = p->count; k < SHOWN; k++)
		v->width[C_LID + k] = 0;
	v->width[C_USE] = (uint8_t)(2 * digits(p->count, 1) + 1);
	if (!p->count)
		return;
	lids_pane_load_rows(v, el);
	p->ports = VIEW_ARRAY(v, v->n_rows, uint32_t);
	p->exit = VIEW_ARRAY(v, (size_t)v->n_rows * p->count, struct exit);
	for (size_t i = 0; i < (size_t)v->n_rows * p->count; i++)
		p->exit[i].port = NO_ID;
	for (uint32_t i = 0; i < v->n_rows; i++)
		for (uint32_t c = el->first_chip[p->element[i]]; c < el->first_chip[p->element[i] + 1]; c++)
			if (p->chip[i] == NO_ID || p->chip[i] == el->chip[c])
				load_chip(p, r, i, el->chip[c]);
}

/* The index of the first LID shown. */
static unsigned first_shown(const struct lids_pane *p)
{
	return p->at - p->at % SHOWN;
}

static void lids_pane_title(const struct view *v, struct text *t)
{
	const struct lids_pane *p = v->priv;
	unsigned from = p->base + first_shown(p), n = MIN(p->count, SHOWN);

	if (n > 1)
		text_add(t, "LIDs %u-%u of ", from, from + n - 1);
	else if (n)
		text_add(t, "LID %u of ", from);
	else
		text_add(t, "LIDs of ");
	if (!v->scene->fabric || p->ep == NO_ID)
		text_add(t, "an endport that is gone");
	else
		label_endport(v->scene->fabric, p->ep, t);
	if (p->count > SHOWN)
		text_add(t, " (%u-%u)", p->base, p->base + p->count - 1);
	if (!n && scene_routing(v->scene) && p->ep != NO_ID)
		text_add(t, " ── %s",
			 p->why.msg[0] ? p->why.msg
			 : p->kept     ? "it is not there"
				       : "it is down or has no LID");
	if (!n && p->kept)
		text_add(t,
			 p->kept_last > p->kept ? ", LIDs %u-%u are reserved for it"
						: ", LID %u is reserved for it",
			 p->kept, p->kept_last);
	else if (n)
		text_add(t, " ── %s", scene_routing(v->scene)->engine);
}

static int64_t lids_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct lids_pane *p = v->priv;

	(void)col;
	return p->ports[row];
}

/* "L01[3]+2 → edge-05" */
static void label_exit(const struct elements *el, const struct exit *x, bool far, struct text *t)
{
	label_chip_port(el, x->port, t);
	if (x->more)
		text_add(t, "+%u", x->more);
	if (!far || el->topo->peer[x->port] == NO_ID)
		return;
	text_add(t, " → ");
	label_far(el, x->port, t);
}

/* The same, as it fits: without the far end, then as "L01:3". */
static void fit_exit(const struct elements *el, const struct exit *x, size_t room, struct text *t)
{
	AUTO_TEXT struct text full = {0}, near = {0};

	label_exit(el, x, true, &full);
	label_exit(el, x, false, &near);
	if (full.len <= room + strlen("→") - 1)
		text_add(t, "%s", text_str(&full));
	else if (near.len <= room || *near.s == '[')
		text_add(t, "%s", text_str(&near));
	else
		for (const char *s = near.s; *s; s++)
			if (*s != ']')
				text_putc(t, *s == '[' ? ':' : *s);
}

/* Has no chip of the row decided about a LID at the step? */
static bool undecided(const struct view *v, uint32_t row, unsigned k)
{
	const struct lids_pane *p = v->priv;
	uint32_t e = p->element[row];

	for (uint32_t c = p->el->first_chip[e]; c < p->el->first_chip[e + 1]; c++)
		if (row_has(p, row, p->el->chip[c]) &&
		    !scene_undecided(v->scene, p->el->chip[c], p->base + k))
			return false;
	return true;
}

static bool lids_pane_touched(const struct view *v, uint32_t row, unsigned col)
{
	const struct lids_pane *p = v->priv;
	unsigned k = first_shown(p) + col - C_LID, cells = scene_routing(v->scene)->lids->max_lid + 1u;

	for (uint32_t c = p->el->first_chip[p->element[row]];
	     col >= C_LID && k < p->count && c < p->el->first_chip[p->element[row] + 1]; c++)
		if (row_has(p, row, p->el->chip[c]) &&
		    moment_touched(v->scene->moment, T_ENTRY, p->el->chip[c] * cells + p->base + k))
			return true;
	return false;
}

static void lids_pane_lid_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct lids_pane *p = v->priv;
	unsigned k = first_shown(p) + col - C_LID;
	const struct exit *x;
	size_t signs = 1;
	uint32_t selected;

	assert(col >= C_LID);
	if (k >= p->count)
		return;
	x = &p->exit[(size_t)row * p->count + k];
	/* marks the chosen LID, unless rows are sorted by this column */
	if (k == p->at && p->count > 1 && v->sort < C_LID && view_selected(v, &selected) && selected == row) {
		text_add(t, "▸%s", x->shared ? "=" : "");
		signs += x->shared;
	} else {
		text_putc(t, x->shared ? '=' : ' ');
	}
	if (x->port == NO_ID)
		text_putc(t, undecided(v, row, k) ? '.' : '-');
	else
		fit_exit(p->el, x, v->room[col] > signs ? v->room[col] - signs : SIZE_MAX / 2, t);
}

/* The element's name: "dir1", or "- S01" for a chip of it. */
static void lids_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct lids_pane *p = v->priv;

	if (col == C_USE) {
		text_add(t, "%u/%u", p->ports[row], p->count);
	} else if (col != C_ELEMENT) {
		lids_pane_lid_cell(v, row, col, t);
	} else if (p->chip[row] == NO_ID) {
		text_add(t, "%s", p->el->name[p->element[row]]);
	} else {
		text_add(t, "- ");
		label_chip(p->el, p->chip[row], t);
	}
}

/* All ports by which the element sends the chosen LID. */
static void footer_ports(const struct view *v, uint32_t row, struct text *t)
{
	const struct lids_pane *p = v->priv;
	const struct routing *r = scene_routing(v->scene);
	uint32_t e = p->element[row];
	unsigned n = 0;

	text_add(t, "%s: LID %u: ",
		 p->chip[row] == NO_ID ? p->el->name[e] : switch_name(r->topo->fabric, p->chip[row]),
		 p->base + p->at);
	for (uint32_t c = p->el->first_chip[e]; c < p->el->first_chip[e + 1]; c++) {
		struct exit x = {0};
		unsigned port = exit_port(p, r, p->el->chip[c], p->base + p->at, p->chip[row] != NO_ID);

		if (port == NO_PATH || !row_has(p, row, p->el->chip[c]))
			continue;
		text_add(t, n++ ? ", " : "");
		x.port = switch_port_id(r->topo->fabric, p->el->chip[c], port);
		label_exit(p->el, &x, true, t);
	}
	if (!n)
		text_add(t, undecided(v, row, p->at) ? "not decided yet" : "no route");
}

static void lids_pane_footer(const struct view *v, struct text *t)
{
	const struct lids_pane *p = v->priv;
	const struct routing_ops *ops = scene_ops(v->scene);
	uint32_t row;

	if (!p->count || !view_selected(v, &row))
		return;
	footer_ports(v, row, t);
	if (!p->ways || p->chip[row] != NO_ID)
		return;
	text_add(t, "; %s", ops->way_measure);
	for (unsigned i = first_shown(p); i < p->count && i < first_shown(p) + SHOWN; i++) {
		text_putc(t, ' ');
		if (!ops->way(scene_routing(v->scene), p->element[row], p->base + i, t))
			text_putc(t, '-');
	}
}

/* Has the last event changed the way of one of the endport's LIDs? */
static bool lids_pane_has_changed(const struct view *v, uint32_t row)
{
	const struct lids_pane *p = v->priv;
	uint32_t e = p->element[row];
	const struct comparison *c = v->scene->change;
	uint8_t was, now;

	for (uint32_t i = p->el->first_chip[e]; c && c->switch_entries && i < p->el->first_chip[e + 1]; i++)
		for (unsigned k = 0;
		     row_has(p, row, p->el->chip[i]) && c->switch_entries[p->el->chip[i]] && k < p->count;
		     k++)
			if (entry_changed(c, p->el->chip[i], p->base + k, &was, &now))
				return true;
	return false;
}

static unsigned lids_pane_marks(const struct view *v, uint32_t row)
{
	const struct lids_pane *p = v->priv;
	uint32_t sw = p->el->topo->endport_switch[p->ep];
	bool own = p->el->of[sw] == p->element[row] && row_has(p, row, sw);

	return mark_if(lids_pane_has_changed(v, row), MARK_CHANGED) | mark_if(own, MARK_HERE);
}

/* Left and Right choose the LID before or after. */
static void lids_pane_across(struct view *v, int dir)
{
	struct lids_pane *p = v->priv;

	if (dir < 0 ? p->at > 0 : p->at + 1 < p->count)
		p->at += (unsigned)dir;
}

/* The chip that sends the chosen LID, else the first one. */
static uint32_t chip_of(const struct lids_pane *p, uint32_t row)
{
	const struct fabric *f = p->el->topo->fabric;
	uint32_t port = p->exit[(size_t)row * p->count + p->at].port;

	if (p->chip[row] != NO_ID)
		return f->switch_node[p->chip[row]];
	return port == NO_ID ? f->switch_node[p->el->chip[p->el->first_chip[p->element[row]]]]
			     : f->port_node[port];
}

static bool lids_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct lids_pane *p = v->priv;
	uint32_t port = p->exit[(size_t)row * p->count + p->at].port;

	subject_lid(p->base + p->at, s);
	s->elements = p->el;
	s->element = p->element[row];
	if (port != NO_ID && v->scene->fabric->port_num[port])
		subject_port(v, port, s);
	else
		subject_node(v, chip_of(p, row), s);
	s->key = p->chip[row] == NO_ID ? p->el->guid[p->element[row]] : (uint64_t)1 << 63 | p->chip[row];
	return true;
}

static void lids_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct lids_pane *p = v->priv;

	if (p->ways) {
		text_add(t, "pane ways %u ", p->base + p->at);
		word_element(p->el, p->element[row], t);
		return;
	}
	text_add(t, "pane lft ");
	word_node(p->el->topo->fabric, chip_of(p, row), t);
	text_add(t, " %u", p->base + p->at);
}

const struct view_ops view_lids = {
	.name = "lids",
	.brief = "compares the LIDs of a host port: the port by which each element (chassis) and chip sends "
		 "each; =: another LID takes the same port; Left, Right choose a LID",
	.syntax = "HOST|LID",
	.hints = "follow=open left=LID right=LID :why=why :fail=fail back=back",
	COLUMNS(columns),
	.flags = VIEW_WIDE,
	.priv_size = sizeof(struct lids_pane),
	.priv_kept = offsetof(struct lids_pane, ep),
	.open = lids_pane_open_view,
	.load = lids_pane_load,
	.unload = lids_pane_unload,
	.title = lids_pane_title,
	.footer = lids_pane_footer,
	.cell = lids_pane_cell,
	.number = lids_pane_number,
	.marks = lids_pane_marks,
	.touched = lids_pane_touched,
	.about = lids_pane_about,
	.follow = lids_pane_follow,
	.across = lids_pane_across,
};
