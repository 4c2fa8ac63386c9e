/* The closed list of rules that decide entries, and names of nodes and ports in JSON. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/names.h"
#include "core/routing/json_names.h"
#include "core/routing/paths.h"
#include "core/routing/routing.h"

/* The closed list. */
static const char *const names[N_WHY_RULES] = {
	[WHY_UNTOLD] = "",
	[WHY_OWN_LID] = "own LID",
	[WHY_ATTACHED] = "attached here",
	[WHY_NOT_ATTACHED] = "not attached",
	[WHY_CUT_OFF] = "cut off",
	[WHY_NO_LID] = "no LID",
	[WHY_CACHED] = "cached",
	[WHY_NOT_ROUTED] = "not routed",
	[WHY_ENGINE] = "engine",
	[WHY_LONGER] = "longer",
	[WHY_NO_WAY] = "no way",
	[WHY_NO_SWITCH] = "no switch",
	[WHY_DETOUR] = "detour",
	[WHY_ONLY_CANDIDATE] = "only candidate",
	[WHY_LEAST_COUNT] = "least count",
	[WHY_FIRST_OF_EQUALS] = "first of equals",
	[WHY_KEPT] = "kept",
	[WHY_NEW_SYSTEM] = "new system",
	[WHY_NEW_NODE] = "new node",
	[WHY_LEAST_FORWARDED] = "least forwarded",
	[WHY_SHIFTED] = "shifted",
	[WHY_RANDOM] = "random",
	[WHY_LEFT_COUNTER] = "counter of a refused engine",
	[WHY_TOO_FAR] = "too far",
	[WHY_COST] = "cost",
	[WHY_FIRST_NEIGHBOUR] = "first neighbour",
	[WHY_FORBIDDEN] = "forbidden",
	[WHY_MIXED] = "mixed",
	[WHY_MISSED] = "missed",
	[WHY_ROOTS_APART] = "roots apart",
	[WHY_PRICED] = "priced",
	[WHY_ERASED] = "erased",
	[WHY_HUB] = "hub",
	[WHY_RANK] = "rank",
	[WHY_ROOT_COUNTED] = "root: counted",
	[WHY_ROOT_NAMED] = "root: named",
	[WHY_ROOT_FARTHEST] = "root: farthest",
	[WHY_ONLY_WAY] = "only way",
	[WHY_TREE] = "tree",
	[WHY_CABLE] = "cable",
	[WHY_SAME_SWITCH] = "same switch",
	[WHY_LOWEST] = "lowest",
	[WHY_OPENED] = "opened",
	[WHY_REFUSED] = "refused",
	[WHY_MOVED] = "moved",
	[WHY_MAIN_PATH] = "main path",
	[WHY_LEAST_LOAD] = "least load",
	[WHY_LOWER_INDEX] = "lower index",
	[WHY_LEARNED] = "learned",
	[WHY_SECONDARY] = "secondary",
	[WHY_SIDE] = "side",
	[WHY_REVERSE_HOP] = "reverse hop",
	[WHY_CONNECT_ROOTS] = "connect roots",
	[WHY_NOT_REACHED] = "not reached",
	[WHY_ONLY_PATH] = "only path",
	[WHY_CONTENTION] = "contention",
	[WHY_DISTANCE] = "distance",
	[WHY_USAGE] = "usage",
	[WHY_NEXT_ELEMENT] = "next element",
	[WHY_OWN_CHIP] = "own chip",
	[WHY_PORT] = "port",
	[WHY_INSIDE_ONLY] = "inside: only",
	[WHY_NOT_GIVEN] = "not given",
	[WHY_INSIDE_CONTENTION] = "inside: contention",
	[WHY_INSIDE_DISTANCE] = "inside: distance",
	[WHY_INSIDE_USAGE] = "inside: usage",
	[WHY_INSIDE_PORT] = "inside: port",
	[WHY_INSIDE_LONGER] = "inside: longer",
	[WHY_WOULD_LOOP] = "would loop",
	[WHY_BEYOND_TOLERANCE] = "beyond tolerance",
	[WHY_LINE] = "line",
	[WHY_AS_READ] = "as read",
	[WHY_NOT_IN_FILE] = "not in the file",
	[WHY_PROGRAM] = "program",
	[WHY_SHORTEST] = "shortest",
	[WHY_TIE] = "tie",
	[WHY_LIGHTER] = "longer but lighter",
	[WHY_FIRST_LAYER] = "first",
	[WHY_CUT] = "cut",
	[WHY_BLOCKED] = "blocked",
	[WHY_BACKTRACK] = "backtrack",
	[WHY_SHORTCUT] = "shortcut",
	[WHY_ESCAPE] = "escape tree",
	[WHY_LAYER] = "layer",
	[WHY_SHORTER_ROUND] = "shorter way round",
	[WHY_NO_WRAP] = "tie: no wrap",
	[WHY_BROKEN_RING] = "broken ring",
	[WHY_EARLY_TURN] = "early turn",
	[WHY_DIMENSION] = "dimension order",
	[WHY_DEALT] = "in turn",
	[WHY_OUTSIDE] = "outside",
	[WHY_SL_BITS] = "SL bits",
};

const char *why_rule_name(enum why_rule rule)
{
	assert(rule < N_WHY_RULES && names[rule]);
	return names[rule];
}

void decide(struct decided *d, enum why_rule rule, const char *fmt, ...)
{
	va_list ap;

	assert(rule < N_WHY_RULES);
	text_free(&d->text);
	d->rule = rule;
	va_start(ap, fmt);
	text_addv(&d->text, fmt, ap);
	va_end(ap);
}

void decided_free(struct decided *d)
{
	text_free(&d->text);
	d->rule = WHY_UNTOLD;
}

bool decide_common(const struct topo *t, const struct lids *l, uint32_t sw, unsigned lid, unsigned port,
		   struct decided *d)
{
	const struct fabric *f = t->fabric;
	uint32_t ep = lid_owner(l, lid), target = ep == NO_ID ? NO_ID : t->endport_switch[ep];
	char a[300];

	assert(sw < f->n_switches && port <= NO_PATH);
	if (target == sw && ep != NO_ID && port == t->endport_swport[ep]) {
		if (port)
			decide(d, WHY_ATTACHED, "%s hangs on port %u of %s.",
			       endport_label(f, ep, a, sizeof(a)), port, switch_name(f, sw));
		else
			decide(d, WHY_OWN_LID, "%s has LID %u itself: port 0.", switch_name(f, sw), lid);
		return true;
	}
	if (port != NO_PATH)
		return false;
	if (target == NO_ID) {
		decide(d, WHY_NOT_ATTACHED, "LID %u hangs on no switch that is up.", lid);
		return true;
	}
	AUTO_FREE uint16_t *hops = NEW_ARRAY(f->n_switches, uint16_t);
	uint32_t n = switch_distances(t, sw, hops);
	if (hops[target] != NO_HOPS)
		return false;
	decide(d, WHY_CUT_OFF, "No cables lead from %s to %s; its part has %s.", switch_name(f, sw),
	       switch_name(f, target), PLURAL(n, "switch"));
	return true;
}

static void json_names_put(json_t *o, const char *key, const char *what, json_t *v)
{
	char name[80];

	if (!strcmp(key, "name"))
		snprintf(name, sizeof(name), "%s", what);
	else
		snprintf(name, sizeof(name), "%s_%s", key, what);
	json_object_set_new(o, name, v);
}

static void put_guid_lid(json_t *o, const char *key, const struct fabric *f, uint32_t node, unsigned lid)
{
	json_names_put(o, key, "guid", node == NO_ID ? json_null() : json_guid(f->node_guid[node]));
	json_names_put(o, key, "lid", node == NO_ID ? json_null() : json_integer(lid));
	if (node != NO_ID && strcmp(f->node_name[node], f->node_given[node]) != 0)
		json_names_put(o, key, "description", json_text(f->node_given[node]));
	if (node != NO_ID && f->node_unseen[node])
		json_names_put(o, key, "seen", json_false());
}

void json_put_node(json_t *o, const char *key, const struct fabric *f, const struct lids *l, uint32_t node)
{
	json_object_set_new(o, key, node == NO_ID ? json_null() : json_text(f->node_name[node]));
	put_guid_lid(o, key, f, node, node == NO_ID ? 0 : node_lid(f, l, node));
}

void json_put_switch(json_t *o, const char *key, const struct fabric *f, const struct lids *l, uint32_t sw)
{
	json_put_node(o, key, f, l, sw == NO_ID ? NO_ID : f->switch_node[sw]);
}

char *json_label_key(const char *key, size_t len)
{
	const char *port = len >= 4 ? key + len - 4 : NULL;

	if (port && !memcmp(port, "port", 4) && (len == 4 || port[-1] == '_' || port[-1] == '.'))
		return str_printf("%.*slabel", (int)len - 4, key);
	return str_printf("%.*s_label", (int)len, key);
}

void json_put_label(json_t *o, const char *key, const struct fabric *f, uint32_t port)
{
	const char *label = port == NO_ID ? NULL : fabric_port_label(f, port);

	if (!label)
		return;
	AUTO_FREE char *name = json_label_key(key, strlen(key));
	json_object_set_new(o, name, json_text(label));
}

void json_put_out(json_t *o, const char *key, const struct fabric *f, uint32_t sw, unsigned port)
{
	if (port && port <= f->switch_nports[sw])
		json_put_label(o, key, f, switch_port_id(f, sw, port));
}

void json_put_beside(json_t *o, const char *key, const struct fabric *f, const struct lids *l, uint32_t port)
{
	uint32_t node = port == NO_ID ? NO_ID : f->port_node[port], ep = NO_ID;

	if (port != NO_ID)
		ep = f->port_endport[node_is_switch(f, node) ? f->node_port[node] : port];
	put_guid_lid(o, key, f, node, ep == NO_ID ? 0 : endport_lid(f, l, ep));
	json_names_put(o, key, "port", port == NO_ID ? json_null() : json_integer(f->port_num[port]));
	if (port != NO_ID && fabric_port_label(f, port))
		json_names_put(o, key, "label", json_text(fabric_port_label(f, port)));
}

void json_put_port(json_t *o, const char *key, const struct fabric *f, const struct lids *l, uint32_t port)
{
	char a[300];

	json_object_set_new(o, key,
			    port == NO_ID ? json_null() : json_text(port_plain(f, port, a, sizeof(a))));
	json_put_beside(o, key, f, l, port);
}

void json_put_endport(json_t *o, const char *key, const struct fabric *f, const struct lids *l, uint32_t ep)
{
	char a[300];

	json_object_set_new(o, key,
			    ep == NO_ID ? json_null() : json_text(endport_label(f, ep, a, sizeof(a))));
	json_put_beside(o, key, f, l, ep == NO_ID ? NO_ID : f->endport_port[ep]);
}

json_t *json_node(const struct fabric *f, const struct lids *l, uint32_t node)
{
	if (node == NO_ID)
		return json_null();
	json_t *o = json_object();
	json_put_node(o, "name", f, l, node);
	return o;
}

json_t *json_port(const struct fabric *f, const struct lids *l, uint32_t port)
{
	json_t *o = json_node(f, l, port == NO_ID ? NO_ID : f->port_node[port]);

	if (port != NO_ID)
		json_put_beside(o, "name", f, l, port);
	return o;
}

void json_put_state(json_t *o, const struct fabric *f, uint32_t port)
{
	uint32_t idle = fabric_idle_end(f, port);

	if (idle != NO_ID)
		json_object_set_new(o, "state", json_text(fabric_port_state(f, idle)));
}

json_t *json_link(const struct fabric *f, const struct lids *l, const struct state *st, uint32_t link)
{
	assert(link < f->n_links);

	uint32_t a = f->link_port[2 * link];
	json_t *o = json_object();

	json_put_port(o, "a", f, l, a);
	json_put_port(o, "b", f, l, f->link_port[2 * link + 1]);
	json_object_set_new(o, "up", json_boolean(state_link_up(f, st, link)));
	json_object_set_new(o, "width", json_text(link_width_name(f->port_width[a])));
	json_object_set_new(o, "speed", json_text(link_speed_name(f->port_speed[a])));
	json_put_state(o, f, a);
	return o;
}
