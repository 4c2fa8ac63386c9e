/* Names that make nodes distinct: names.h has the rule. */
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/names.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of names, tried in this order until the name finds the node alone. */
enum level { BY_GIVEN, BY_SLOT, BY_CHIP, BY_TAIL, BY_GUID };

/* A given name without blanks at its ends; the GUID when nothing is left. */
static char *trimmed(const struct fabric *f, uint32_t node)
{
	const char *s = f->node_given[node];
	size_t len;

	while (isspace((unsigned char)*s))
		s++;
	len = strlen(s);
	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	return len ? str_printf("%.*s", (int)len, s) : str_printf("0x%016" PRIx64, f->node_guid[node]);
}

/* A name without the words that makers put into every description, if it has other words. */
static char *without_maker(const char *name)
{
	static const char *const makers[] = {"Mellanox", "Technologies", "Voltaire", "NVIDIA", "-"};
	struct text t = {0};

	for (size_t len; name += strspn(name, " \t"), (len = strcspn(name, " \t")) > 0; name += len) {
		bool maker = false;

		for (size_t i = 0; i < ARRAY_LEN(makers); i++)
			maker |= strlen(makers[i]) == len && !strncmp(name, makers[i], len);
		if (!maker)
			text_add(&t, "%s%.*s", t.len ? " " : "", (int)len, name);
	}
	return t.s;
}

static char *shown_names_base_name(const struct fabric *f, uint32_t node)
{
	char *plain = trimmed(f, node), *base = without_maker(plain);

	if (!base)
		return plain;
	free(plain);
	return base;
}

/*
 * Numbers of chassis [UINT16_MAX + 1], from 1 in order of their lowest GUID; to be freed. The source's
 * numbers depend on the order in which nodes were found.
 */
static uint16_t *chassis_numbers(const struct fabric *f)
{
	uint16_t *number = NEW_ARRAY((size_t)UINT16_MAX + 1, uint16_t), n = 0;

	for (uint32_t i = 0; i < f->n_nodes; i++) {
		unsigned chassis = f->node_chassis[f->by_guid[i]];

		if (chassis && !number[chassis])
			number[chassis] = ++n;
	}
	return number;
}

/* "IS5600 Line 34 Chip 1" in chassis 3: "IS5600-3/L34", by chip "IS5600-3/L34/U1".  NULL: no such place. */
static char *name_in_chassis(const struct fabric *f, uint32_t node, const uint16_t *number, bool by_chip)
{
	const char *place = f->node_chassis_place[node], *at = place ? place : "";
	unsigned slot, chip, chassis = number[f->node_chassis[node]];
	char *type, *name;
	int end;

	for (; chassis && *at; at += strcspn(at, " "), at += *at == ' ') {
		if (sscanf(at, "%*[A-Za-z] %9u Chip %9u%n", &slot, &chip, &end) != 2 || at[end])
			continue;
		type = at > place ? str_printf("%.*s", (int)(at - place - 1), place)
				  : shown_names_base_name(f, node);
		name = by_chip ? str_printf("%s-%u/%c%u/U%u", type, chassis, *at, slot, chip)
			       : str_printf("%s-%u/%c%u", type, chassis, *at, slot);
		free(type);
		return name;
	}
	return NULL;
}

static char *name_by_guid(const struct fabric *f, uint32_t node, bool whole)
{
	char *base = shown_names_base_name(f, node),
	     *name = whole ? str_printf("%s (0x%016" PRIx64 ")", base, f->node_guid[node])
			   : str_printf("%s " NAME_TAIL "%06" PRIx64, base, f->node_guid[node] & 0xffffff);

	free(base);
	return name;
}

/* Would the name be read as a number, as another GUID, or as the port of another node? */
static bool reads_otherwise(const struct fabric *f, uint32_t node)
{
	const char *name = f->node_name[node];
	bool hex = name[0] == '0' && (name[1] | 0x20) == 'x';
	const char *digits = name + (hex ? 2 : 0);
	size_t before;

	if (*digits && !digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")])
		return !hex || strtoull(name, NULL, 16) != f->node_guid[node];
	before = name_before_port(f, name, strlen(name));
	return before && node_named(f, name, before) != NO_ID;
}

/* Set more[n_nodes] for nodes that their shown name does not find.  Returns their number. */
static uint32_t mark_unclear(struct fabric *f, bool *more)
{
	uint32_t n = 0;

	memset(more, 0, f->n_nodes * sizeof(*more));
	names_sort(f);
	for (uint32_t i = 0; i + 1 < f->n_nodes; i++) {
		uint32_t a = f->by_name[i], b = f->by_name[i + 1];

		if (!strcmp(f->node_name[a], f->node_name[b]))
			more[a] = more[b] = true;
	}
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		more[i] |= reads_otherwise(f, i);
		n += more[i];
	}
	return n;
}

void fabric_show_names(struct fabric *f)
{
	uint8_t *level = NEW_ARRAY(f->n_nodes + 1, uint8_t);
	bool *more = NEW_ARRAY(f->n_nodes + 1, bool);
	uint16_t *number = NULL;
	bool again = true;

	for (uint32_t n = 0; n < f->n_nodes; n++) {
		free(f->node_name[n]);
		f->node_name[n] = trimmed(f, n);
	}
	while (again && mark_unclear(f, more)) {
		again = false;
		number = number ? number : chassis_numbers(f);
		for (uint32_t n = 0; n < f->n_nodes; n++) {
			char *name = NULL;

			if (!more[n] || level[n] == BY_GUID)
				continue;
			free(f->node_name[n]);
			while (!name && ++level[n] < BY_TAIL)
				name = name_in_chassis(f, n, number, level[n] == BY_CHIP);
			f->node_name[n] = name ? name : name_by_guid(f, n, level[n] >= BY_GUID);
			again = true;
		}
	}
	f->longest_name = f->most_semicolons = 0;
	for (uint32_t n = 0; n < f->n_nodes; n++) {
		size_t len = strlen(f->node_name[n]), semicolons = 0;

		for (const char *p = f->node_name[n]; (p = strchr(p, ';')); p++)
			semicolons++;
		f->longest_name = MAX(len, f->longest_name);
		if (semicolons > f->most_semicolons)
			f->most_semicolons = semicolons;
	}
	free(level);
	free(more);
	free(number);
}
