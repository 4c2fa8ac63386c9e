/* Labels of ports, from sources or makers' rules, and names that make nodes distinct. */
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/builder.h"
#include "core/fabric/names.h"

/* Labels of ports that the source does not report, from what makers publish about a model.
 * core/formats/doc/formats.md has the rules and their sources. */

enum { QUANTUM = 0xd2f0, QUANTUM2 = 0xd2f2 };

/* What a switch's description says after "MF0;NAME:", as "MCS8500/L03/U1". */
struct model {
	char name[12];	     /* "": not said */
	unsigned line, chip; /* 0: not said */
};

static struct model model_of(const struct fb_node *n)
{
	const char *s = n->desc ? strrchr(n->desc, ':') : NULL;
	struct model m = {0};
	int end = 0;

	if (!s)
		return m;
	s += 1 + (s[1] == 'M');
	if (sscanf(s, "%11[A-Z0-9]/L%3u/U%3u%n", m.name, &m.line, &m.chip, &end) == 3 && !s[end])
		return m;
	m.line = 0;
	end = 0;
	if (sscanf(s, "%11[A-Z0-9]/U%3u%n", m.name, &m.chip, &end) != 2 || s[end])
		m = (struct model){0};
	return m;
}

enum rule { NO_RULE, CAGES, SPLIT_PORTS, HDR_LINE, QDR_LINE };

static enum rule label_rules_rule_of(const struct fb_node *n, const struct model *m)
{
	bool named = m->name[0], box = named ? !m->line : n->device;
	bool quantum2 = !n->device || n->device == QUANTUM2, quantum = !n->device || n->device == QUANTUM;

	if (box && quantum2 && (n->nports == 64 || n->nports == 65) &&
	    (!named || !strncmp(m->name, "QM97", 4)))
		return CAGES;
	if (box && quantum && (n->nports == 80 || n->nports == 81) &&
	    (!named || !strncmp(m->name, "QM87", 4)))
		return SPLIT_PORTS;
	if (!strcmp(m->name, "CS8500") && m->line && (n->nports == 40 || n->nports == 41))
		return HDR_LINE;
	return !strncmp(m->name, "IS5", 3) && m->line && n->nports == 36 ? QDR_LINE : NO_RULE;
}

/* The label of a port.  Returns false when the rule gives none, for example because the port has no
 * connector. */
static bool label_rules_by_rule(enum rule rule, const struct model *m, unsigned port, char *s, size_t size)
{
	static const unsigned last[] = {0, 64, 80, 20, 18};
	unsigned cage = (port + 1) / 2, half = 2 - port % 2;

	static_assert(ARRAY_LEN(last) == QDR_LINE + 1, "each rule has its last port");
	if (port > last[rule])
		return false;
	if (rule == CAGES)
		snprintf(s, size, "1/%u/%u", cage, half);
	else if (rule == SPLIT_PORTS)
		snprintf(s, size, "%u/%u", cage, half);
	else if (rule == HDR_LINE)
		snprintf(s, size, "%u/%u/%u", m->line, m->chip, port);
	else
		snprintf(s, size, "L%u/P%u", m->line, port);
	return true;
}

/* Sets labels by a board's place in a chassis that the source reports, "ISR9288 Line 3 Chip 1". */
static void by_chassis(struct fb_node *n)
{
	const char *line = n->chassis_place ? strstr(n->chassis_place, "Line ") : NULL;
	unsigned slot;

	if (!line || sscanf(line, "Line %9u", &slot) != 1)
		return;
	for (unsigned p = 1; p <= n->nports; p++)
		if (n->port[p].ext && !n->port[p].label)
			n->port[p].label = str_printf("L%u/%u", slot, n->port[p].ext);
}

/* Labels by the rule, unless a given label differs: then it is another model. If no model is named, one given
 * label must follow the rule. */
static void by_model(struct fb_node *n)
{
	struct model m = model_of(n);
	enum rule rule = label_rules_rule_of(n, &m);
	bool known = m.name[0];
	char s[LABEL_MAX + 1];

	for (unsigned p = 1; p <= n->nports; p++) {
		if (!n->port[p].label || !label_rules_by_rule(rule, &m, p, s, sizeof(s)))
			continue;
		if (strcmp(n->port[p].label, s) != 0)
			return;
		known = true;
	}
	for (unsigned p = 1; known && p <= n->nports; p++)
		if (!n->port[p].label && label_rules_by_rule(rule, &m, p, s, sizeof(s)))
			n->port[p].label = str_dup(s);
}

void fb_make_labels(struct fb_node *n)
{
	if (n->type != NODE_SWITCH)
		return;
	by_model(n);
	by_chassis(n);
}

const char *endport_label(const struct fabric *f, uint32_t ep, char *buf, size_t size)
{
	uint32_t node = endport_node(f, ep), n = 0;

	assert(ep < f->n_endports);
	for (unsigned p = 1; p <= f->node_nports[node]; p++)
		n += f->port_endport[f->node_port[node] + p] != NO_ID;
	if (n > 1)
		return port_label(f, f->endport_port[ep], buf, size);
	snprintf(buf, size, "%s", f->node_name[node]);
	return buf;
}

const char *lft_port_label(unsigned port, char *buf, size_t size)
{
	if (port == NO_PATH)
		return "-";
	snprintf(buf, size, "%u", port);
	return buf;
}

/* Names that make nodes distinct: names.h has the rule. */

/* Kinds of names, tried in this order until the name finds the node alone. */
enum level { BY_GIVEN, BY_SLOT, BY_CHIP, BY_TAIL, BY_GUID };

/* A given name without blanks at its ends; the GUID when nothing is left. */
static char *trimmed(const struct fabric *f, uint32_t node)
{
	const char *s = f->node_given[node];

	while (isspace((unsigned char)*s))
		s++;
	size_t len = strlen(s);
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
	int end;

	for (; chassis && *at; at += strcspn(at, " "), at += *at == ' ') {
		if (sscanf(at, "%*[A-Za-z] %9u Chip %9u%n", &slot, &chip, &end) != 2 || at[end])
			continue;
		AUTO_FREE char *type = at > place ? str_printf("%.*s", (int)(at - place - 1), place)
						  : shown_names_base_name(f, node);
		return by_chip ? str_printf("%s-%u/%c%u/U%u", type, chassis, *at, slot, chip)
			       : str_printf("%s-%u/%c%u", type, chassis, *at, slot);
	}
	return NULL;
}

static char *name_by_guid(const struct fabric *f, uint32_t node, bool whole)
{
	AUTO_FREE char *base = shown_names_base_name(f, node);

	return whole ? str_printf("%s (0x%016" PRIx64 ")", base, f->node_guid[node])
		     : str_printf("%s " NAME_TAIL "%06" PRIx64, base, f->node_guid[node] & 0xffffff);
}

/* Would the name be read as a number, as another GUID, or as the port of another node? */
static bool reads_otherwise(const struct fabric *f, uint32_t node)
{
	const char *name = f->node_name[node];
	bool hex = name[0] == '0' && (name[1] | 0x20) == 'x';
	const char *digits = name + (hex ? 2 : 0);

	if (*digits && !digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")])
		return !hex || strtoull(name, NULL, 16) != f->node_guid[node];
	size_t before = name_before_port(f, name, strlen(name));
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
	AUTO_FREE uint8_t *level = NEW_ARRAY(f->n_nodes + 1, uint8_t);
	AUTO_FREE bool *more = NEW_ARRAY(f->n_nodes + 1, bool);
	AUTO_FREE uint16_t *number = NULL;
	bool again = true;

	assert(f->by_guid && f->by_name);
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
		f->most_semicolons = MAX(semicolons, f->most_semicolons);
	}
}
