#include "core/base/defs.h"
#include "core/base/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/fabric/internal.h"

/* The common beginning of the names of all chips, up to the end of a word; "" when there is none. */
static char *common_name(const struct elements *el, uint32_t e)
{
	const struct fabric *f = el->topo->fabric;
	const uint32_t *chip = &el->chip[el->first_chip[e]];
	const char *a = switch_given(f, chip[0]);
	size_t len = strlen(a);
	bool split = false;
	char *s;

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
	s = str_dup(a);
	s[len] = 0;
	return s;
}

/* Number of the chassis in the source if all chips agree on it, else 0. */
static unsigned chassis_number(const struct elements *el, uint32_t e)
{
	const struct fabric *f = el->topo->fabric;
	unsigned number = f->node_chassis[f->switch_node[el->chip[el->first_chip[e]]]];

	for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++)
		if (f->node_chassis[f->switch_node[el->chip[c]]] != number)
			return 0;
	return number;
}

static char *numbered_name(const struct elements *el, uint32_t e)
{
	const struct fabric *f = el->topo->fabric;
	unsigned number = chassis_number(el, e);

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
	char *name;

	if (el->rule[e] == ELEMENT_FILE && g->name)
		return str_dup(g->name[g->group[chip].name]);
	if (el->rule[e] == ELEMENT_ALONE)
		return str_dup(switch_name(el->topo->fabric, chip));
	name = common_name(el, e);
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

void elements_make_names(struct elements *el, const struct grouping *g)
{
	uint32_t *order = NEW_ARRAY(el->n + 1, uint32_t);

	for (uint32_t e = 0; e < el->n; e++)
		el->name[e] = first_name(el, g, e);
	part_names(el, order, false);
	part_names(el, order, true);
	free(order);
}
