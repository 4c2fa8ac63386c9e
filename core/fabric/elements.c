/* Switch elements: chips that belong together, their groups and names. */
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/counted.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/fabric/builder.h"
#include "core/fabric/elements.h"
#include "core/fabric/names.h"
#include "core/fabric/fabric.h"

/* --- connected parts ------------------------------------------------------------------- */

const char *const element_rule_names[] = {[ELEMENT_ALONE] = "alone",
					  [ELEMENT_SYSTEM] = "system GUID",
					  [ELEMENT_CHASSIS] = "chassis number",
					  [ELEMENT_FILE] = "file"};
static_assert(ARRAY_LEN(element_rule_names) == ELEMENT_FILE + 1, "each rule has its name");

static bool same_group(const struct group *a, const struct group *b)
{
	if (a->named || b->named)
		return a->named && b->named && a->name == b->name;
	return (a->sys && a->sys == b->sys) || (a->chassis && a->chassis == b->chassis);
}

static uint32_t *connected_parts(const struct topo *t, const struct grouping *g)
{
	const struct fabric *f = t->fabric;
	uint32_t *parent = NEW_ARRAY(f->n_switches + 1, uint32_t);

	for (uint32_t s = 0; s < f->n_switches; s++)
		parent[s] = s;
	for (uint32_t s = 0; s < f->n_switches; s++)
		FOR_CABLES(t, s, port, q) {
			if (same_group(&g->group[s], &g->group[q]))
				parent[disjoint_root(parent, s)] = disjoint_root(parent, q);
		}
	return parent;
}

static int by_guid(const void *x, const void *y, void *ctx)
{
	const struct fabric *f = ctx;
	uint64_t a = f->node_guid[f->switch_node[*(const uint32_t *)x]];
	uint64_t b = f->node_guid[f->switch_node[*(const uint32_t *)y]];

	return COMPARED(a, b);
}

/* Switches that are up, by GUID.  Returns their number. */
static uint32_t switches_by_guid(const struct topo *t, uint32_t *sw)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < t->fabric->n_switches; s++)
		if (switch_up(t, s))
			sw[n++] = s;
	qsort_r(sw, n, sizeof(*sw), by_guid, (void *)t->fabric);
	return n;
}

/* The rule by which chips became one element. */
static uint8_t elements_rule_of(const struct elements *el, const struct grouping *g, uint32_t e)
{
	const struct group *first = &g->group[el->chip[el->first_chip[e]]];

	if (first->named)
		return ELEMENT_FILE;
	if (element_chips(el, e) == 1)
		return ELEMENT_ALONE;
	for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++)
		if (!first->sys || g->group[el->chip[c]].sys != first->sys)
			return ELEMENT_CHASSIS;
	return ELEMENT_SYSTEM;
}

/* Number the parts by their lowest GUID and list their chips. */
static void make_elements(struct elements *el, const struct grouping *g)
{
	const struct fabric *f = el->topo->fabric;
	AUTO_FREE uint32_t *parent = connected_parts(el->topo, g),
			   *sw = NEW_ARRAY(f->n_switches + 1, uint32_t);
	uint32_t n = switches_by_guid(el->topo, sw);
	AUTO_FREE uint32_t *fill = NULL, *id = NEW_ARRAY(f->n_switches + 1, uint32_t);

	memset(id, 0xff, f->n_switches * sizeof(*id));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *e = &id[disjoint_root(parent, sw[i])];

		if (*e == NO_ID) {
			*e = el->n++;
			el->guid[*e] = f->node_guid[f->switch_node[sw[i]]];
		}
		el->of[sw[i]] = *e;
		el->first_chip[*e + 1]++;
	}
	for (uint32_t e = 0; e < el->n; e++)
		el->first_chip[e + 1] += el->first_chip[e];
	assert(el->first_chip[el->n] == n); /* each switch is in one element */
	fill = mem_dup(el->first_chip, (el->n + 1) * sizeof(*fill));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t e = el->of[sw[i]];

		el->chip_index[sw[i]] = fill[e] - el->first_chip[e];
		el->chip[fill[e]++] = sw[i];
	}
	for (uint32_t e = 0; e < el->n; e++)
		el->rule[e] = elements_rule_of(el, g, e);
}

/* --- links -------------------------------------------------------------------------------- */

/* Lists links from a chip to other elements, and counts its hosts. */
static void outside_links(struct elements *el, uint32_t sw)
{
	const struct topo *t = el->topo;
	const struct fabric *f = t->fabric;
	uint32_t e = el->of[sw];

	FOR_PORTS(f, sw, port) {
		uint32_t to = t->peer_switch[port];

		if (to == NO_ID) {
			el->hosts[e] += port_of_host(f, t->peer[port], false);
		} else if (el->of[to] != e) {
			el->port_link[port] = el->n_links;
			el->link_port[el->n_links] = port;
			el->link_to[el->n_links++] = el->of[to];
		}
	}
}

static void make_links(struct elements *el)
{
	const struct fabric *f = el->topo->fabric;

	memset(el->port_link, 0xff, f->n_ports * sizeof(*el->port_link));
	memset(el->port_inside, 0xff, f->n_ports * sizeof(*el->port_inside));
	for (uint32_t e = 0; e < el->n; e++) {
		for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++)
			outside_links(el, el->chip[c]);
		el->first_link[e + 1] = el->n_links;
	}
	for (uint32_t l = 0; l < el->n_links; l++)
		el->link_back[l] = el->port_link[el->topo->peer[el->link_port[l]]];
	for (uint32_t s = 0; s < f->n_switches; s++) {
		if (el->of[s] != NO_ID) {
			FOR_CABLES(el->topo, s, port, to) {
				if (el->of[to] != el->of[s])
					continue;
				el->port_inside[port] = el->n_inside;
				el->inside_port[el->n_inside] = port;
				el->inside_to[el->n_inside++] = to;
			}
		}
		el->first_inside[s + 1] = el->n_inside;
	}
	for (uint32_t l = 0; l < el->n_inside; l++)
		el->inside_back[l] = el->port_inside[el->topo->peer[el->inside_port[l]]];
}

/* Breadth-first search from every chip of an element. Links work both ways: `from` and `to` are alike. */
static void inside_hops(struct elements *el, uint32_t e, uint32_t *queue)
{
	uint32_t k = element_chips(el, e);

	for (uint32_t from = 0; from < k; from++) {
		uint16_t *row = &el->hops[el->hops_at[e] + (size_t)k * from];

		memset(row, 0xff, k * sizeof(*row));
		row[from] = 0;
		queue[0] = from;
		for (uint32_t head = 0, tail = 1; head < tail; head++) {
			uint32_t sw = el->chip[el->first_chip[e] + queue[head]];

			for (uint32_t i = el->first_inside[sw]; i < el->first_inside[sw + 1]; i++) {
				uint32_t to = el->chip_index[el->inside_to[i]];

				if (row[to] == UINT16_MAX) {
					row[to] = (uint16_t)(row[queue[head]] + 1);
					queue[tail++] = to;
				}
			}
		}
	}
}

static int make_hops(struct elements *el, struct err *why)
{
	AUTO_FREE uint32_t *queue = NEW_ARRAY(el->topo->fabric->n_switches + 1, uint32_t);
	size_t size = 0;

	for (uint32_t e = 0; e < el->n; e++) {
		size_t k = element_chips(el, e);

		el->hops_at[e] = size;
		size += k > 1 ? k * k : 0;
	}
	if (mem_room(why, size * sizeof(*el->hops), "the hops between chips of %u elements", el->n))
		return -1;
	el->hops = ARENA_ARRAY(el, size + 1, uint16_t);
	for (uint32_t e = 0; e < el->n; e++)
		if (element_chips(el, e) > 1)
			inside_hops(el, e, queue);
	return 0;
}

/* --- all of it ----------------------------------------------------------------------------------- */

static struct elements *allocate(const struct topo *t)
{
	const struct fabric *f = t->fabric;
	struct elements *el = ARENA_NEW(NULL, struct elements);
	size_t s = f->n_switches + 1, p = (size_t)f->n_ports + 1;

	el->refs = 1;
	el->topo = topo_ref(t);
	el->guid = ARENA_ARRAY(el, s, uint64_t);
	el->name = ARENA_ARRAY(el, s, char *);
	el->rule = ARENA_ARRAY(el, s, uint8_t);
	el->hosts = ARENA_ARRAY(el, s, uint32_t);
	el->first_chip = ARENA_ARRAY(el, s + 1, uint32_t);
	el->chip = ARENA_ARRAY(el, s, uint32_t);
	el->of = ARENA_ARRAY(el, s, uint32_t);
	el->chip_index = ARENA_ARRAY(el, s, uint32_t);
	el->first_link = ARENA_ARRAY(el, s + 1, uint32_t);
	el->link_port = ARENA_ARRAY(el, p, uint32_t);
	el->link_to = ARENA_ARRAY(el, p, uint32_t);
	el->link_back = ARENA_ARRAY(el, p, uint32_t);
	el->port_link = ARENA_ARRAY(el, p, uint32_t);
	el->first_inside = ARENA_ARRAY(el, s + 1, uint32_t);
	el->inside_port = ARENA_ARRAY(el, p, uint32_t);
	el->inside_to = ARENA_ARRAY(el, p, uint32_t);
	el->inside_back = ARENA_ARRAY(el, p, uint32_t);
	el->port_inside = ARENA_ARRAY(el, p, uint32_t);
	el->hops_at = ARENA_ARRAY(el, s, size_t);
	memset(el->of, 0xff, s * sizeof(*el->of));
	return el;
}

static void elements_release(struct elements *el)
{
	for (uint32_t e = 0; e < el->n; e++)
		free(el->name[e]);
	topo_unref(el->topo);
	arena_free(el);
}

COUNTED(struct elements, struct elements, elements_ref, elements_unref, elements_release)

/* --- questions ------------------------------------------------------------------------------------ */

uint32_t element_inside_links(const struct elements *el, uint32_t e)
{
	uint32_t n = 0;

	assert(e < el->n);
	for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++)
		n += el->first_inside[el->chip[c] + 1] - el->first_inside[el->chip[c]];
	return n / 2; /* each link was counted at both ends */
}

uint32_t elements_find(const struct elements *el, const char *word, struct err *e)
{
	uint32_t n, found = names_in_list(el->name, el->n, word, &n);
	uint64_t k;

	if ((n != 1 || strcmp(el->name[found], word)) && number_of(word, 1, el->n, &k))
		return (uint32_t)(k - 1);
	if (n == 1)
		return found;
	if (!n)
		err_set(e, "there is no element \"%s\"; `elements` lists them", word);
	else
		err_set(e, "\"%s\" may be %s (%s, ...)", word, PLURAL(n, "element"), el->name[found]);
	return NO_ID;
}

uint32_t elements_distances(const struct elements *el, uint32_t d, uint16_t *dist, uint32_t *order)
{
	uint32_t n = 1;

	assert(d < el->n);
	memset(dist, 0xff, el->n * sizeof(*dist));
	dist[d] = 0;
	order[0] = d;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = order[i];

		for (uint32_t l = el->first_link[at]; l < el->first_link[at + 1]; l++)
			if (dist[el->link_to[l]] == NO_DISTANCE) {
				dist[el->link_to[l]] = (uint16_t)(dist[at] + 1);
				order[n++] = el->link_to[l];
			}
	}
	return n;
}

static int elements_group_by_rest(const void *x, const void *y)
{
	const struct guid_line *const *a = x, *const *b = y;

	return strcmp((*a)->rest, (*b)->rest);
}

/* Removes from a name the comment, the blanks at its end, and characters that a terminal cannot show. */
static void trim(char *s)
{
	size_t len = 0;

	for (; s[len] && !(s[len] == '#' && (!len || s[len - 1] == ' ')); len++)
		if ((unsigned char)s[len] < ' ' || s[len] == 0x7f)
			s[len] = ' ';
	s[len] = 0;
	while (len && isspace((unsigned char)s[len - 1]))
		s[--len] = 0;
}

static int elements_group_take_line(struct grouping *g, const char *path, const struct guid_line *l,
				    uint64_t value, struct text *notes, struct err *e)
{
	uint32_t node = fabric_node_by_guid(g->f, l->guid),
		 sw = node == NO_ID ? NO_ID : g->f->node_switch[node];

	if (!*l->rest)
		return err_set(e, "%s:%u: found a GUID alone, expected `GUID NAME`", path, l->line);
	if (sw == NO_ID) {
		if (notes)
			text_add(notes, "%s:%u: 0x%016" PRIx64 " is no switch of the fabric: ignored\n", path,
				 l->line, l->guid);
		return 0;
	}
	if (g->line[sw] && g->group[sw].name != value)
		return err_set(e,
			       "%s:%u: 0x%016" PRIx64
			       " is in \"%s\", and in \"%s\" by line %u; expected one chassis",
			       path, l->line, l->guid, l->rest, g->name[g->group[sw].name], g->line[sw]);
	g->group[sw].named = true;
	g->group[sw].name = value;
	g->line[sw] = l->line;
	return 0;
}

static int group_by_file(struct grouping *g, const char *path, struct progress *p, struct text *notes,
			 struct err *e)
{
	int rc = 0;
	uint64_t n = 0;

	guid_file_read(&g->file, path, false, p);
	if (g->file.stopped)
		return err_set(e, "%s", g->file.why.msg);
	for (size_t i = 0; i < g->file.n; i++)
		trim(g->file.l[i].rest);
	AUTO_FREE uint64_t *value = NEW_ARRAY(g->file.n + 1, uint64_t);
	g->name = NEW_ARRAY(g->file.n + 1, const char *);
	AUTO_FREE const struct guid_line **sorted = NEW_ARRAY(g->file.n + 1, const struct guid_line *);
	for (size_t i = 0; i < g->file.n; i++)
		sorted[i] = &g->file.l[i];
	qsort(sorted, g->file.n, sizeof(*sorted), elements_group_by_rest);
	for (size_t i = 0; i < g->file.n; i++) {
		if (!i || strcmp(sorted[i]->rest, sorted[i - 1]->rest))
			g->name[n++] = sorted[i]->rest;
		value[sorted[i] - g->file.l] = n - 1;
	}
	for (size_t i = 0; !rc && i < g->file.n; i++)
		rc = elements_group_take_line(g, path, &g->file.l[i], value[i], notes, e);
	return rc;
}

/* Read the groups of all switches; path, notes, e: as elements_new().  Free g in any case. */
static int grouping_read(struct grouping *g, const struct fabric *f, const char *path, struct progress *p,
			 struct text *notes, struct err *e)
{
	*g = (struct grouping){.f = f,
			       .group = NEW_ARRAY(f->n_switches + 1, struct group),
			       .line = NEW_ARRAY(f->n_switches + 1, uint32_t)};
	for (uint32_t s = 0; s < f->n_switches; s++) {
		g->group[s].sys = f->node_sysguid[f->switch_node[s]];
		g->group[s].chassis = f->node_chassis[f->switch_node[s]];
	}
	return path ? group_by_file(g, path, p, notes, e) : 0;
}

static void grouping_free(struct grouping *g)
{
	free(g->group);
	free(g->line);
	free(g->name);
	guid_file_free(&g->file);
}

/* The common beginning of the names of all chips, up to the end of a word; "" when there is none. */
static char *common_name(const struct elements *el, uint32_t e)
{
	const struct fabric *f = el->topo->fabric;
	const uint32_t *chip = &el->chip[el->first_chip[e]];
	const char *a = switch_given(f, chip[0]);
	size_t len = strlen(a);
	bool split = false;

	for (uint32_t i = 1; i < element_chips(el, e); i++) {
		const char *b = switch_given(f, chip[i]);
		size_t k = 0;

		while (k < len && a[k] == b[k])
			k++;
		len = k;
	}
	for (uint32_t i = 0; i < element_chips(el, e); i++)
		split |= isalnum((unsigned char)switch_given(f, chip[i])[len]) != 0;
	while (split && len && isalnum((unsigned char)a[len - 1]))
		len--;
	while (len && !isalnum((unsigned char)a[len - 1]) && a[len - 1] != ')')
		len--;
	char *s = str_dup(a);
	s[len] = 0;
	return s;
}

static char *numbered_name(const struct elements *el, uint32_t e)
{
	const struct fabric *f = el->topo->fabric;
	unsigned number = f->node_chassis[f->switch_node[el->chip[el->first_chip[e]]]];

	for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++)
		if (f->node_chassis[f->switch_node[el->chip[c]]] != number)
			number = 0; /* its chips do not agree */
	if (number)
		return str_printf("chassis %u", number);
	if (el->rule[e] == ELEMENT_CHASSIS)
		return str_printf("chassis of 0x%016" PRIx64, el->guid[e]);
	return str_printf("system 0x%016" PRIx64,
			  f->node_sysguid[f->switch_node[el->chip[el->first_chip[e]]]]);
}

static char *first_name(const struct elements *el, const struct grouping *g, uint32_t e)
{
	uint32_t chip = el->chip[el->first_chip[e]];

	if (el->rule[e] == ELEMENT_FILE && g->name)
		return str_dup(g->name[g->group[chip].name]);
	if (el->rule[e] == ELEMENT_ALONE)
		return str_dup(switch_name(el->topo->fabric, chip));
	char *name = common_name(el, e);
	if (*name)
		return name;
	free(name);
	return numbered_name(el, e);
}

static int elements_names_by_name(const void *x, const void *y, void *ctx)
{
	const struct elements *el = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = strcmp(el->name[a],
		       el->name[b]); /* NOLINT(clang-analyzer-core.NullDereference): all are named by now */

	return c ? c : COMPARED(a, b);
}

/* Rename elements of equal names: the first round adds the chassis number, the second a running number. */
static void part_names(struct elements *el, uint32_t *order, bool second)
{
	char **name = mem_dup(el->name, el->n * sizeof(*name));

	for (uint32_t e = 0; e < el->n; e++)
		order[e] = e;
	qsort_r(order, el->n, sizeof(*order), elements_names_by_name, el);
	for (uint32_t i = 0, j; i < el->n; i = j) {
		for (j = i + 1; j < el->n && !strcmp(el->name[order[i]], el->name[order[j]]);)
			j++;
		for (uint32_t k = i; j - i > 1 && k < j; k++) {
			uint32_t e = order[k];

			if (second && el->rule[e] != ELEMENT_ALONE)
				name[e] = str_printf("%s part %u", el->name[e], k - i + 1);
			else if (second)
				name[e] = str_printf("%s 0x%016" PRIx64, el->name[e], el->guid[e]);
			else if (el->rule[e] == ELEMENT_SYSTEM || el->rule[e] == ELEMENT_CHASSIS)
				name[e] = numbered_name(el, e);
		}
	}
	for (uint32_t e = 0; e < el->n; e++)
		if (name[e] != el->name[e]) {
			free(el->name[e]);
			el->name[e] = name[e];
		}
	free(name);
}

/* Name all elements, each differently. */
static void elements_make_names(struct elements *el, const struct grouping *g)
{
	AUTO_FREE uint32_t *order = NEW_ARRAY(el->n + 1, uint32_t);

	for (uint32_t e = 0; e < el->n; e++)
		el->name[e] = first_name(el, g, e);
	part_names(el, order, false);
	part_names(el, order, true);
}

struct elements *elements_new(const struct topo *t, const char *file, struct progress *p, struct text *notes,
			      struct err *e)
{
	struct grouping g;

	if (grouping_read(&g, t->fabric, file, p, notes, e)) {
		grouping_free(&g);
		return NULL;
	}
	struct elements *el = allocate(t);
	make_elements(el, &g);
	make_links(el);
	if (make_hops(el, e)) {
		grouping_free(&g);
		elements_unref(el);
		return NULL;
	}
	elements_make_names(el, &g);
	grouping_free(&g);
	return el;
}
