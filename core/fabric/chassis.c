#include "core/base/defs.h"
#include "core/fabric/elements.h"
#include "core/fabric/names.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"

const char *const part_word[] = {"link", "switch", "chassis", "card", "link or node"};
const char *const part_words[] = {"links", "switches", "chassis", "cards", "links and nodes"};
static_assert(ARRAY_LEN(part_word) == PART_KINDS && ARRAY_LEN(part_words) == PART_KINDS,
	      "each kind has its words");

int part_kind_of(const char *word)
{
	for (int k = 0; k < PART_NAMED; k++)
		if (!strcmp(word, part_word[k]) || !strcmp(word, part_words[k]))
			return k;
	return -1;
}

/* Makes room for n parts with `ids` members together. */
static struct parts *parts_room(const struct fabric *f, enum part_kind kind, uint32_t n, uint32_t ids)
{
	struct parts *p = NEW(struct parts);

	p->fabric = fabric_ref(f);
	p->kind = kind;
	p->first = NEW_ARRAY((size_t)n + 1, uint32_t);
	p->id = NEW_ARRAY((size_t)ids + 1, uint32_t);
	p->name = NEW_ARRAY((size_t)n + 1, char *);
	return p;
}

/* Ends a part at member `ids`; takes over its name. */
static void end_part(struct parts *p, uint32_t ids, char *name)
{
	p->name[p->n++] = name;
	p->first[p->n] = ids;
}

/* --- links and switches --------------------------------------------------------------------------- */

static struct parts *all_links(const struct fabric *f)
{
	struct parts *p = parts_room(f, PART_LINK, f->n_links, f->n_links);
	uint32_t ids = 0;
	char a[300], b[300];

	for (uint32_t l = 0; l < f->n_links; l++) {
		uint32_t x = f->port_node[f->link_port[2 * l]], y = f->port_node[f->link_port[2 * l + 1]];

		if (x == y || !node_is_switch(f, x) || !node_is_switch(f, y))
			continue;
		p->id[ids++] = l;
		port_plain(f, f->link_port[2 * l], a, sizeof(a));
		port_plain(f, f->link_port[2 * l + 1], b, sizeof(b));
		end_part(p, ids, str_printf("%s %s", a, b));
	}
	return p;
}

static struct parts *all_switches(const struct fabric *f)
{
	struct parts *p = parts_room(f, PART_SWITCH, f->n_switches, f->n_switches);

	for (uint32_t s = 0; s < f->n_switches; s++) {
		p->id[s] = f->switch_node[s];
		end_part(p, s + 1, str_dup(switch_name(f, s)));
	}
	return p;
}

/* --- chassis and cards -------------------------------------------------------------------------------- */

static struct parts *all_chassis(const struct elements *el)
{
	const struct fabric *f = el->topo->fabric;
	struct parts *p = parts_room(f, PART_CHASSIS, el->n, f->n_switches);
	uint32_t ids = 0;

	for (uint32_t e = 0; e < el->n; e++) {
		if (element_chips(el, e) < 2)
			continue;
		for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++)
			p->id[ids++] = f->switch_node[el->chip[c]];
		end_part(p, ids, str_dup(el->name[e]));
	}
	return p;
}

/* Length of the part of a place that names the board: all but " Chip N" at its end. */
static size_t board_length(const char *place)
{
	size_t n = strlen(place), digits = n;

	while (digits && isdigit((unsigned char)place[digits - 1]))
		digits--;
	if (digits < n && digits >= 6 && !strncasecmp(place + digits - 6, " chip ", 6))
		return digits - 6;
	return n;
}

/* Length of the part of a name before "/U" and a number at its end; 0: it has no such end. */
static size_t chassis_name_length(const char *name)
{
	size_t n = strlen(name), digits = n;

	while (digits && isdigit((unsigned char)name[digits - 1]))
		digits--;
	return digits < n && digits > 2 && !strncmp(name + digits - 2, "/U", 2) ? digits - 2 : 0;
}

/* A chip, and the name of its card. */
struct chassis_member {
	uint32_t node;
	char *card; /* name of the card; NULL: nothing gives it */
};

static void take_member(const struct elements *el, uint32_t e, uint32_t sw, struct chassis_member *m)
{
	const struct fabric *f = el->topo->fabric;
	uint32_t node = f->switch_node[sw];
	const char *place = f->node_chassis_place[node], *name = switch_given(f, sw);
	size_t len = chassis_name_length(name);

	*m = (struct chassis_member){.node = node};
	if (len)
		m->card = str_printf("%.*s", (int)len, name);
	else if (place && *place && board_length(place))
		m->card = str_printf("%s %.*s", el->name[e], (int)board_length(place), place);
}

/* Chips without a card come last; "Line 2" before "Line 10". */
static int by_card(const void *x, const void *y)
{
	const struct chassis_member *a = x, *b = y;
	int c;

	if (a->card && b->card)
		c = strverscmp(a->card, b->card);
	else
		c = COMPARED(!a->card, !b->card);
	return c ? c : COMPARED(a->node, b->node);
}

static struct parts *all_cards(const struct elements *el)
{
	const struct fabric *f = el->topo->fabric;
	struct parts *p = parts_room(f, PART_CARD, f->n_switches, f->n_switches);
	AUTO_FREE struct chassis_member *m = NEW_ARRAY((size_t)f->n_switches + 1, struct chassis_member);
	uint32_t ids = 0;

	for (uint32_t e = 0; e < el->n; e++) {
		uint32_t n = element_chips(el, e);

		if (n < 2)
			continue;
		for (uint32_t c = 0; c < n; c++)
			take_member(el, e, el->chip[el->first_chip[e] + c], &m[c]);
		qsort(m, n, sizeof(*m), by_card);
		for (uint32_t c = 0; c < n && m[c].card; c++) {
			p->id[ids++] = m[c].node;
			if (c + 1 == n || !m[c + 1].card || strcmp(m[c].card, m[c + 1].card) != 0)
				end_part(p, ids, str_dup(m[c].card));
		}
		for (uint32_t c = 0; c < n; c++)
			free(m[c].card);
	}
	return p;
}

/* --- all kinds ------------------------------------------------------------------------------------------ */

struct parts *parts_new(const struct fabric *f, enum part_kind kind, const struct elements *el)
{
	assert(kind < PART_NAMED && (el || kind == PART_LINK || kind == PART_SWITCH));
	switch (kind) {
	case PART_LINK:
		return all_links(f);
	case PART_SWITCH:
		return all_switches(f);
	case PART_CHASSIS:
		return all_chassis(el);
	default:
		return all_cards(el);
	}
}

struct parts *parts_share(const struct parts *p)
{
	struct parts *mine = (struct parts *)(uintptr_t)p;

	atomic_fetch_add(&mine->shared, 1);
	return mine;
}

void parts_free(void *parts)
{
	struct parts *p = parts;

	if (!p || atomic_fetch_sub(&p->shared, 1))
		return;
	for (uint32_t i = 0; i < p->n; i++)
		free(p->name[i]);
	free(p->name);
	free(p->first);
	free(p->id);
	fabric_unref(p->fabric);
	free(p);
}

static bool is_up(const struct parts *p, uint32_t part, const struct topo *t)
{
	if (p->kind == PART_LINK)
		return t->peer_switch[p->fabric->link_port[2 * p->id[p->first[part]]]] != NO_ID;
	for (uint32_t i = p->first[part]; i < p->first[part + 1]; i++)
		if (t->node_up[p->id[i]])
			return true;
	return false;
}

void parts_keep_up(struct parts *p, const struct topo *t)
{
	uint32_t n = 0, ids = 0;

	assert(p->kind < PART_MIXED && t->fabric->n_ports == p->fabric->n_ports);
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t at = p->first[i], end = p->first[i + 1];

		if (!is_up(p, i, t)) {
			free(p->name[i]);
			continue;
		}
		p->name[n] = p->name[i];
		p->first[n++] = ids;
		while (at < end)
			p->id[ids++] = p->id[at++];
	}
	p->n = n;
	p->first[n] = ids;
}

uint32_t parts_find(const struct parts *p, const char *word, struct err *e)
{
	uint32_t n, found = names_in_list(p->name, p->n, word, &n);

	if (n == 1)
		return found;
	if (n)
		err_set(e, "\"%s\" may be %u %s (%s, ...)", word, n, part_words[p->kind], p->name[found]);
	else if (p->n)
		err_set(e, "there is no %s \"%s\"; found %s like \"%s\"", part_word[p->kind], word,
			part_words[p->kind], p->name[0]);
	else
		err_set(e, "there is no %s \"%s\": %s", part_word[p->kind], word,
			p->kind == PART_CARD ? "nothing tells which chips are on one card"
					     : "nothing tells which switches are in one (chassis_file does)");
	return NO_ID;
}

void parts_mark(const struct parts *p, uint32_t part, struct state *s, uint8_t down)
{
	uint32_t links = p->kind == PART_LINK || p->kind == PART_MIXED ? p->fabric->n_links : 0;

	assert(part < p->n && s->n_links == p->fabric->n_links && s->n_nodes == p->fabric->n_nodes);
	for (uint32_t i = p->first[part]; i < p->first[part + 1]; i++)
		if (p->id[i] < links)
			s->link_down[p->id[i]] = down;
		else
			s->node_down[p->id[i] - links] = down;
}
