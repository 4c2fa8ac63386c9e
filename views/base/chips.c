/* Switch elements and their chips in panes. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/defs.h"
#include "views/base/chips.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/order.h"

int view_element_argument(struct scene *sc, const char *word, uint64_t *guid, struct err *e)
{
	const struct elements *el = scene_elements(sc, e);
	uint32_t found = el ? elements_find(el, word, e) : NO_ID, node;

	if (el && found == NO_ID) {
		node = session_node(sc->session, word, NULL);
		if (node != NO_ID && node_is_switch(sc->fabric, node))
			found = el->of[sc->fabric->node_switch[node]];
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

/* Bytes that two names share at the start (or at the end). */
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

/* Adds the part of a chip's name that differs from the other chips of its element, in whole words. */
void label_chip(const struct elements *el, uint32_t sw, struct text *t)
{
	const struct fabric *f = el->topo->fabric;
	const char *name = switch_name(f, sw);
	size_t len = strlen(name), start = len, end = len;
	uint32_t e = el->of[sw];

	for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++) {
		const char *other = switch_name(f, el->chip[c]);
		size_t from = common_start(name, other), to = common_end(name, other);

		if (el->chip[c] == sw)
			continue;
		start = MIN(from, start);
		end = MIN(to, end);
	}
	while (start && isalnum((unsigned char)name[start - 1]))
		start--;
	while (end && isalnum((unsigned char)name[len - end]))
		end--;
	if (start + end < len)
		text_add(t, "%.*s", (int)(len - end - start), name + start);
	else
		text_add(t, "%s", name);
}

void label_chip_port(const struct elements *el, uint32_t port, struct text *t)
{
	const struct fabric *f = el->topo->fabric;
	uint32_t sw = f->node_switch[f->port_node[port]];
	char number[PORT_NUMBER_MAX + 1];

	if (!f->port_num[port]) {
		text_add(t, "port 0");
		return;
	}
	if (el->of[sw] != NO_ID && element_chips(el, el->of[sw]) > 1)
		label_chip(el, sw, t);
	text_add(t, "[%s]", port_number(f, port, number, sizeof(number)));
}

/* --- places in a chassis --------------------------------------------------------- */

void label_member(const struct view_chassis *c, uint32_t sw, struct text *t)
{
	const struct elements *el = c->el;
	uint32_t e = el->of[sw];
	bool twin = !c->chassis_place[sw];

	for (uint32_t i = el->first_chip[e]; i < el->first_chip[e + 1] && !twin; i++)
		twin = el->chip[i] != sw && c->chassis_place[el->chip[i]] &&
		       !strcmp(c->chassis_place[el->chip[i]], c->chassis_place[sw]);
	if (c->chassis_place[sw])
		text_add(t, twin ? "%s: " : "%s", c->chassis_place[sw]);
	if (twin)
		label_chip(el, sw, t);
}

/* Length of a place without its " Chip N". */
static size_t slot_length(const char *place)
{
	size_t len = strlen(place), end = len;

	while (end && isdigit((unsigned char)place[end - 1]))
		end--;
	return end < len && end > 6 && !memcmp(place + end - 6, " Chip ", 6) ? end - 6 : len;
}

static bool same_slot(const char *a, const char *b)
{
	size_t len = slot_length(a);

	return len == slot_length(b) && !memcmp(a, b, len);
}

struct chip_place {
	const char *place;
	uint32_t sw;
};

COMPARATOR(by_place, struct chip_place, TEXT(place))

/* Bytes of the words with which all n places (sorted) begin. Two words of a place stay ("Spine 1"). */
static size_t common_words(const struct chip_place *at, uint32_t n)
{
	const char *p = at[0].place;
	size_t len = common_start(p, at[n - 1].place), keep = slot_length(p);

	for (unsigned words = 0; keep && words < 2; words++)
		while (keep && p[--keep] != ' ')
			;
	len = len < keep + 1 ? len : keep + 1;
	while (len && p[len - 1] != ' ')
		len--;
	return len;
}

/*
 * Shortens the n places, which are sorted, so that chips of a board are neighbours. Chip numbers stay where
 * they differ.
 */
static void shorten_places(struct chip_place *at, uint32_t n, char **place)
{
	size_t skip;

	qsort(at, n, sizeof(*at), by_place);
	skip = common_words(at, n);
	for (uint32_t i = 0, j; i < n; i = j) {
		const char *p = at[i].place;

		for (j = i + 1; j < n && same_slot(p, at[j].place);)
			j++;
		for (uint32_t k = i; k < j; k++) {
			place[at[k].sw] = str_dup(at[k].place + skip);
			if (!strcmp(p, at[j - 1].place))
				place[at[k].sw][slot_length(p) - skip] = 0;
		}
	}
}

char **chassis_places(const struct elements *el)
{
	const struct fabric *f = el->topo->fabric;
	char **place = NEW_ARRAY(f->n_switches + 1, char *);
	struct chip_place *at = NEW_ARRAY(f->n_switches + 1, struct chip_place);

	for (uint32_t e = 0; e < el->n; e++) {
		uint32_t n = 0;

		for (uint32_t i = el->first_chip[e]; i < el->first_chip[e + 1]; i++) {
			const char *p = f->node_chassis_place[f->switch_node[el->chip[i]]];

			if (p && element_chips(el, e) > 1)
				at[n++] = (struct chip_place){p, el->chip[i]};
		}
		if (n)
			shorten_places(at, n, place);
	}
	free(at);
	return place;
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
