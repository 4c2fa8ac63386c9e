/* Switch elements and their chips in panes. */
#include <ctype.h>
#include <string.h>
#include "views/chips.h"

int view_element_argument(const struct view *v, const char *word, uint64_t *guid, struct err *e)
{
	const struct elements *el = scene_elements(v->scene, e);
	uint32_t found = el ? elements_find(el, word, e) : NO_ID, node;

	if (el && found == NO_ID) {
		node = session_node(v->scene->session, word, NULL);
		if (node != NO_ID && node_is_switch(v->scene->fabric, node))
			found = el->of[v->scene->fabric->node_switch[node]];
	}
	if (found == NO_ID)
		return -1;
	*guid = el->guid[found];
	return 0;
}

uint32_t element_of_guid(const struct elements *el, uint64_t guid)
{
	const struct fabric *f = el->topo->fabric;
	uint32_t node = fabric_node_by_guid(f, guid);

	return node != NO_ID && node_is_switch(f, node) ? el->of[f->node_switch[node]] : NO_ID;
}

void word_element(const struct elements *el, uint32_t e, struct text *t)
{
	if (elements_find(el, el->name[e], NULL) == e)
		word_text(el->name[e], t);
	else
		word_node(el->topo->fabric, el->topo->fabric->switch_node[el->chip[el->first_chip[e]]], t);
}

/* Bytes that two names share from the start, or from the end. */
static size_t common_start(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

static size_t common_end(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), n = 0;

	while (n < la && n < lb && a[la - 1 - n] == b[lb - 1 - n])
		n++;
	return n;
}

/* The part of a chip's name that tells it from the others of its element, in whole words; its place when none
 * does. */
static void label_chip(const struct elements *el, uint32_t sw, struct text *t)
{
	const struct fabric *f = el->topo->fabric;
	const char *name = switch_name(f, sw);
	size_t len = strlen(name), start = len, end = len;
	uint32_t e = el->of[sw];
	bool twin = false;

	for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++) {
		const char *other = switch_name(f, el->chip[c]);
		size_t from = common_start(name, other), to = common_end(name, other);

		if (el->chip[c] == sw)
			continue;
		start = from < start ? from : start;
		end = to < end ? to : end;
		twin |= !strcmp(name, other);
	}
	while (start && isalnum((unsigned char)name[start - 1]))
		start--;
	while (end && isalnum((unsigned char)name[len - end]))
		end--;
	if (twin)
		text_add(t, "#%u", el->place[sw] + 1);
	else if (start + end < len)
		text_add(t, "%.*s", (int)(len - end - start), name + start);
	else
		text_add(t, "%s", name);
}

void label_chip_port(const struct elements *el, uint32_t port, struct text *t)
{
	const struct fabric *f = el->topo->fabric;
	uint32_t sw = f->node_switch[f->port_node[port]];

	if (!f->port_num[port]) {
		text_add(t, "port 0");
		return;
	}
	if (el->of[sw] != NO_ID && element_chips(el, el->of[sw]) > 1)
		label_chip(el, sw, t);
	text_add(t, "[%u]", f->port_num[port]);
}

void label_far(const struct elements *el, uint32_t port, struct text *t)
{
	const struct fabric *f = el->topo->fabric;
	uint32_t peer = el->topo->peer[port];

	if (el->port_link[port] != NO_ID)
		text_add(t, "%s", el->name[el->link_to[el->port_link[port]]]);
	else
		text_add(t, "%s", peer == NO_ID ? "-" : f->node_name[f->port_node[peer]]);
}
