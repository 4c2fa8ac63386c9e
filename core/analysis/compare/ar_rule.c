#include "core/analysis/compare/ar_rule.h"
#include "core/base/memory.h"
#include "core/routing/routing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *const ar_fault_word[AR_NO_KIND] = {
	[AR_MISSING] = "missing", [AR_LONGER] = "longer",     [AR_OUTSIDE] = "outside",
	[AR_PORTS] = "ports",	  [AR_NO_GROUP] = "no group",
};

/* Has a group ports that the rule's lacks?  Fewer are no fault: asymmetric trees leave some out. */
static bool has_others(const struct port_set *group, const struct port_set *rule)
{
	bool found = false;

	for (size_t i = 0; i < ARRAY_LEN(group->word); i++)
		found |= (group->word[i] & ~rule->word[i]) != 0;
	return found;
}

const struct field ar_fault_fields[] = {
	FIELD_BY_CODE("switch", "node", "the switch"),
	FIELD("lid", struct ar_fault, lid, "lid", "LID", "the LID"),
	FIELD_BY_CODE("owner", "endport?", "port with that LID"),
	FIELD_BY_CODE("kind", "string(missing/longer/outside/ports/no group)",
		      "missing: no entry; longer: the static port is not on a legal way of fewest hops; "
		      "outside: it is not in its group; ports: the group has ports that the rule's lacks; no "
		      "group: a "
		      "host's LID has none"),
	FIELD_BY_CODE("port", "portnum", "the static port"),
	FIELD_BY_CODE("group[]", "portnum", "ports of its group"),
	FIELD_BY_CODE("rule[]", "portnum", "ports of the fewest legal hops"),
	{0},
};

struct ar_rule_judge {
	const struct routing *held, *rule;
	struct ar_judgement *j;
	uint8_t *host; /* [max_lid + 1] 1: the LID of a host that counts */
	bool groups;   /* of the present switch: LIDs of hosts have groups */
};

static void judge_entry(struct ar_rule_judge *k, uint32_t sw, unsigned lid)
{
	const struct adaptive_group *g = adaptive_find(k->held->adaptive, sw, lid),
				    *rule = adaptive_find(k->rule->adaptive, sw, lid);
	struct port_set legal = {{0}}; /* the ports of the fewest legal hops */
	unsigned port = routing_port(k->held, sw, lid);
	enum ar_fault_kind kind = AR_NO_KIND;

	if (rule)
		legal = rule->ports;
	else
		port_set_add(&legal, routing_port(k->rule, sw, lid));
	k->j->n_judged++;
	k->j->n_grouped += g != NULL;
	if (port == NO_PATH)
		kind = AR_MISSING;
	else if (!port_set_has(&legal, port))
		kind = AR_LONGER;
	else if (g && !port_set_has(&g->ports, port))
		kind = AR_OUTSIDE;
	else if (g && has_others(&g->ports, &legal))
		kind = AR_PORTS;
	else if (!g && k->groups && k->host[lid] && rule)
		kind = AR_NO_GROUP;
	if (kind == AR_NO_KIND)
		return;
	GROW(k->j->fault, k->j->n, k->j->cap);
	k->j->fault[k->j->n++] = (struct ar_fault){sw, (uint16_t)lid, (uint8_t)port, kind, legal};
}

static void judge_switch(struct ar_rule_judge *k, uint32_t sw)
{
	unsigned most = k->held->lids->max_lid;

	k->groups = false;
	for (unsigned lid = 1; lid <= most && !k->groups; lid++)
		k->groups = k->host[lid] && adaptive_find(k->held->adaptive, sw, lid);
	for (unsigned lid = 1; lid <= most; lid++) {
		if (routing_port(k->rule, sw, lid) != NO_PATH)
			judge_entry(k, sw, lid);
		else
			k->j->n_other += routing_port(k->held, sw, lid) != NO_PATH;
	}
}

static void ar_rule_judge_all(const struct sweep *s, const struct routing *rule, struct ar_judgement *j,
			      struct progress *p)
{
	AUTO_FREE uint8_t *host = NEW_ARRAY(s->routing->lids->max_lid + 1u, uint8_t);
	struct ar_rule_judge k = {.held = s->routing, .rule = rule, .j = j, .host = host};

	for (unsigned lid = 1; lid <= s->routing->lids->max_lid; lid++) {
		uint32_t ep = lid_owner(s->routing->lids, lid);

		host[lid] = ep != NO_ID && routing_has_host(s->routing, ep);
	}
	progress_start(p, "judging entries", s->fabric->n_switches);
	for (uint32_t sw = 0; sw < s->fabric->n_switches && progress_step(p, sw); sw++) {
		unsigned entries = 0;

		if (!switch_up(s->topo, sw))
			continue;
		for (unsigned lid = 1; s->routing->row[sw] && lid <= s->routing->row[sw]->top && !entries;
		     lid++)
			entries += s->routing->row[sw]->port[lid] != NO_PATH;
		j->n_silent += !entries;
		if (!entries)
			continue;
		j->n_switches++;
		judge_switch(&k, sw);
	}
	j->complete = !j->n_silent && !s->fabric->warnings.missing;
}

struct ar_judgement *ar_judge(const struct sweep *s, const struct engine *const *engines, struct progress *p,
			      struct err *e)
{
	assert(s->routing);
	const struct engine *g = engine_find(engines, "ar_updn");
	struct engine_input in = {.topo = s->routing->topo,
				  .lids = s->routing->lids,
				  .options = s->setup->options,
				  .progress = p};
	struct engine_output out = {0};
	struct ar_judgement *j = NULL;
	AUTO_ROUTING struct routing *rule = NULL;

	if (!engine_room(g, &in, &out.refused))
		rule = g->route(&in, &out);
	if (rule) {
		j = NEW(struct ar_judgement);
		j->told = topo_ranks_told(s->topo);
		j->notes = str_dup(text_str(&out.notes.text));
		ar_rule_judge_all(s, rule, j, p);
	} else {
		*e = out.refused;
	}
	if (j && progress_cancelled(p)) {
		ar_judgement_free(j);
		j = NULL;
		err_set(e, CANCELLED);
	}
	notes_free(&out.notes);
	return j;
}

void ar_judgement_free(struct ar_judgement *j)
{
	if (!j)
		return;
	free(j->notes);
	free(j->fault);
	free(j);
}
