#include "core/routing/json_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/fabric/labels.h"

static void json_names_put(json_t *o, const char *key, const char *what, json_t *v)
{
	char name[80];

	if (!strcmp(key, "name"))
		snprintf(name, sizeof(name), "%s", what);
	else
		snprintf(name, sizeof(name), "%s_%s", key, what);
	json_object_set_new(o, name, v);
}

/* Puts the given name if another one is shown. */
static void put_description(json_t *o, const char *key, const struct fabric *f, uint32_t node)
{
	if (strcmp(f->node_name[node], f->node_given[node]) != 0)
		json_names_put(o, key, "description", json_text(f->node_given[node]));
}

static void put_guid_lid(json_t *o, const char *key, const struct fabric *f, uint32_t node, unsigned lid)
{
	json_names_put(o, key, "guid", node == NO_ID ? json_null() : json_guid(f->node_guid[node]));
	json_names_put(o, key, "lid", node == NO_ID ? json_null() : json_integer(lid));
	if (node != NO_ID)
		put_description(o, key, f, node);
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
	char *name;

	if (!label)
		return;
	name = json_label_key(key, strlen(key));
	json_object_set_new(o, name, json_text(label));
	free(name);
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
	json_t *o;

	if (node == NO_ID)
		return json_null();
	o = json_object();
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
