/*
 * Labels of ports that the source does not tell, from what makers publish about a model.
 * core/formats/doc/formats.md has the rules and their sources.
 */
#include "core/base/memory.h"
#include "core/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/fabric/builder.h"

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

/* The label of a port. False: the rule has none, for example if the port is no connector. */
static bool label_rules_by_rule(enum rule rule, const struct model *m, unsigned port, char *s, size_t size)
{
	static const unsigned last[] = {0, 64, 80, 20, 18};
	unsigned cage = (port + 1) / 2, half = 2 - port % 2;

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

/* Labels by a board's place in a chassis that the source tells, "ISR9288 Line 3 Chip 1". */
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
