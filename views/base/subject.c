/* The objects of rows: from ids to words of the command language. */
#include <inttypes.h>
#include <string.h>
#include "core/base/err.h"
#include "core/base/text.h"
#include "views/base/chips.h"
#include "views/base/view.h"

bool view_subject(const struct view *v, uint32_t row, struct subject *s)
{
	*s = (struct subject){
		.key = row, .chip = NO_ID, .node = NO_ID, .port = NO_ID, .sw = NO_ID, .lid = -1, .layer = -1};
	return v->ops->about && v->ops->about(v, row, s);
}

uint32_t row_chip(const struct view *v, uint32_t row)
{
	struct subject s;

	view_subject(v, row, &s);
	return s.chip;
}

void subject_node(const struct view *v, uint32_t node, struct subject *s)
{
	s->node = node;
	s->chip = v->scene->fabric->node_switch[node];
}

void subject_switch(const struct view *v, uint32_t sw, struct subject *s)
{
	s->node = v->scene->fabric->switch_node[sw];
	s->chip = sw;
	s->key = v->scene->fabric->node_guid[s->node];
}

void subject_port(const struct view *v, uint32_t port, struct subject *s)
{
	subject_node(v, v->scene->fabric->port_node[port], s);
	s->port = port;
}

void subject_switch_port(const struct view *v, uint32_t sw, unsigned number, struct subject *s)
{
	const struct fabric *f = v->scene->fabric;

	subject_node(v, f->switch_node[sw], s);
	if (number && number <= f->switch_nports[sw])
		s->port = switch_port_id(f, sw, number);
}

void subject_to(unsigned lid, struct subject *s)
{
	s->lid = (int)lid;
	s->dst = (struct end){END_LID, lid};
}

void subject_lid(unsigned lid, struct subject *s)
{
	subject_to(lid, s);
	s->endport = s->dst;
}

bool end_place(const struct view *v, struct end end, uint32_t *node, uint32_t *port)
{
	const struct fabric *f = v->scene->fabric;
	uint32_t ep;

	*node = *port = NO_ID;
	switch (end.kind) {
	case END_LID:
		ep = v->scene->sweep ? lid_owner(v->scene->sweep->lids, end.id) : NO_ID;
		*port = ep == NO_ID ? NO_ID : f->endport_port[ep];
		break;
	case END_PORT:
		*port = end.id;
		break;
	case END_NODE:
		*node = end.id;
		break;
	case END_ON_SWITCH:
		*port = ca_on_switch(v->scene->topo, end.id);
		*node = f->switch_node[end.id];
		break;
	default:
		break;
	}
	if (*port != NO_ID)
		*node = f->port_node[*port];
	return *node != NO_ID;
}

static bool word_end(const struct view *v, struct end end, struct text *t)
{
	uint32_t node, port;

	if (end.kind == END_LID) {
		text_add(t, "%" PRIu32, end.id);
		return true;
	}
	if (!end_place(v, end, &node, &port))
		return false;
	if (port != NO_ID)
		word_port(v->scene->fabric, port, t);
	else
		word_node(v->scene->fabric, node, t);
	return true;
}

static bool word_number(int n, struct text *t)
{
	if (n >= 0)
		text_add(t, "%d", n);
	return n >= 0;
}

bool place_port(const struct fabric *f, uint32_t port, const char *what, struct text *t)
{
	uint32_t peer = f->port_peer[port];

	if (!strcmp(what, "port") || (!strcmp(what, "object") && peer != NO_ID)) {
		text_add(t, "%s", *what == 'o' ? "link " : "");
		word_port(f, port, t);
	} else if (!strcmp(what, "number")) {
		text_add(t, "%u", f->port_num[port]);
	} else if (!strcmp(what, "far") && peer != NO_ID) {
		word_port(f, peer, t);
	} else if (!strcmp(what, "peer") && peer != NO_ID) {
		word_node(f, f->port_node[peer], t);
	} else {
		return false;
	}
	return true;
}

static bool place_node(const struct fabric *f, uint32_t node, const char *what, struct text *t)
{
	bool sw = node_is_switch(f, node);

	if (!strcmp(what, "node") || !strcmp(what, sw ? "switch" : "host")) {
		word_node(f, node, t);
	} else if (!strcmp(what, "object")) {
		text_add(t, "%s ", sw ? "switch" : "host");
		word_node(f, node, t);
	} else if (!strcmp(what, "guid")) {
		text_add(t, "0x%016" PRIx64, f->node_guid[node]);
	} else if (!strcmp(what, "name")) {
		word_text(f->node_name[node], t);
	} else {
		return false;
	}
	return true;
}

static bool place_subject(const struct view *v, const struct subject *s, const char *what, struct text *t)
{
	const struct fabric *f = v->scene->fabric;

	if (!strcmp(what, "lid"))
		return word_number(s->lid, t);
	if (!strcmp(what, "layer"))
		return word_number(s->layer, t);
	if (!strcmp(what, "src"))
		return word_end(v, s->src, t);
	if (!strcmp(what, "dst"))
		return word_end(v, s->dst, t);
	if (!strcmp(what, "endport"))
		return word_end(v, s->endport, t);
	if (!strcmp(what, "switch") && s->sw != NO_ID) {
		word_node(f, f->switch_node[s->sw], t);
		return true;
	}
	if (!strcmp(what, "element") && s->elements) {
		word_element(s->elements, s->element, t);
		return true;
	}
	return (s->port != NO_ID && place_port(f, s->port, what, t)) ||
	       (s->node != NO_ID && place_node(f, s->node, what, t));
}

bool row_place(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	struct subject s;

	if (v->ops->placeholder && v->ops->placeholder(v, row, what, t))
		return true;
	return view_subject(v, row, &s) && place_subject(v, &s, what, t);
}
