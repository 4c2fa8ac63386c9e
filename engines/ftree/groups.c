/* The use of CA ports, and the cables of each switch, grouped by peer and direction. */
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/release.h"
#include "core/base/text.h"
#include "core/sm/port_groups.h"
#include "engines/ftree/internal.h"
#include "core/base/order.h"

void ft_read_guids(const struct engine_input *in, struct engine_output *out, const char *option,
		   struct guid_file *g)
{
	option_guids_read(in->options, option, in->topo->fabric, manual_rules(in->options), in->progress, g);
	if (g->stopped)
		note_add(&out->notes, NOTE_GUID_FILE, "%s: OpenSM stops reading: %s%s\n", option, g->why.msg,
			 g->stopped == UINT32_MAX
				 ? ""
				 : "; by its manual (`set rules manual`) it ignores only the line");
	else if (g->skipped)
		note_add(&out->notes, NOTE_RULES,
			 "%s: %s ignored as the manual says, the first is line %u; OpenSM itself stops "
			 "reading there\n",
			 option, PLURAL(g->skipped, "invalid line"), g->first_skipped);
}

COMPARATOR(by_guid, struct guid_line, UP(guid))

static bool listed(const struct guid_file *g, uint64_t guid)
{
	struct guid_line key = {.guid = guid};

	return g->n && bsearch(&key, g->l, g->n, sizeof(*g->l), by_guid);
}

/* Reads a list of CA ports, and sorts it. False when refused. */
static bool ftree_groups_read_list(struct ftree *t, const struct engine_input *in, struct engine_output *out,
				   const char *option, const char *bad, const char *empty,
				   struct guid_file *g)
{
	*g = (struct guid_file){0};
	if (!options_file(in->options, option))
		return true;
	ft_read_guids(in, out, option, g);
	if (g->stopped)
		return ft_refuse(t, bad, "GUID files are read whole", "%s cannot be used (%s): %.300s",
				 option, bad, g->why.msg);
	if (!g->n)
		return ft_refuse(t, empty, "GUID files are not empty",
				 "%s: %.300s names no GUID (%s); list port GUIDs or unset the option", option,
				 options_get(in->options, option), empty);
	qsort(g->l, g->n, sizeof(*g->l), by_guid);
	return true;
}

/*
 * Marks CA ports as compute nodes or I/O nodes. A port in the CN file is a compute node even if the I/O file
 * has it.
 */
bool ft_classify(struct ftree *t, const struct engine_input *in, struct engine_output *out)
{
	const struct fabric *f = t->topo->fabric;
	struct guid_file cn = {0}, io = {0};
	bool ok = ftree_groups_read_list(t, in, out, "cn_guid_file", "AB23", "AB27", &cn) &&
		  ftree_groups_read_list(t, in, out, "io_guid_file", "AB28", "AB29", &io);

	for (uint32_t i = 0; ok && i < t->n_ca; i++) {
		uint64_t guid = f->port_guid[f->endport_port[t->ca[i].endport]];
		bool named = listed(&cn, guid);

		t->ca[i].is_cn = named || !t->cn_file;
		if (!named && listed(&io, guid)) {
			t->ca[i].is_io = true;
			t->ca[i].is_cn = false;
		}
	}
	guid_file_free(&cn);
	guid_file_free(&io);
	return ok;
}

/* The groups of one switch while they are collected. */
struct collect {
	struct ft_group g[MAX_PORTS + 1];
	uint8_t dir[MAX_PORTS + 1], of_port[MAX_PORTS + 1];
	unsigned n;
	uint32_t *ca_of; /* [n_endports] index in ca[], NO_ID */
	uint32_t *owner; /* [n_switches] the switch that met this peer last */
	uint8_t *seen;	 /* [n_switches] its group for this peer */
};

#define NO_GROUP 255

static unsigned ftree_groups_add_group(struct collect *c, uint32_t sw, uint32_t peer, uint32_t ca,
				       enum ft_dir dir)
{
	c->g[c->n] = (struct ft_group){.sw = sw, .peer = peer, .ca = ca};
	c->dir[c->n] = dir;
	return c->n++;
}

/* The group of a port. NO_GROUP when nothing that counts is connected. */
static unsigned port_group(struct ftree *t, struct collect *c, uint32_t sw, unsigned port)
{
	const struct fabric *f = t->topo->fabric;
	uint32_t id = switch_port_id(f, sw, port), q = t->topo->peer[id], x = t->topo->peer_switch[id];
	uint32_t rank = t->sw[sw].rank;

	if (q == NO_ID)
		return NO_GROUP;
	if (f->node_type[f->port_node[q]] == NODE_CA) {
		uint32_t ca = f->port_endport[q] == NO_ID ? NO_ID : c->ca_of[f->port_endport[q]];

		return ca == NO_ID ? NO_GROUP : ftree_groups_add_group(c, sw, NO_ID, ca, FT_DOWN);
	}
	if (x == NO_ID || !t->sw[x].in)
		return NO_GROUP;
	if (c->owner[x] != sw) {
		c->owner[x] = sw;
		c->seen[x] = ftree_groups_add_group(c, sw, x, NO_ID,
						    rank > t->sw[x].rank    ? FT_UP
						    : rank == t->sw[x].rank ? FT_SIDE
									    : FT_DOWN);
	}
	return c->seen[x];
}

static void ftree_groups_group_switch(struct ftree *t, struct collect *c, uint32_t sw)
{
	const struct fabric *f = t->topo->fabric;
	struct ft_switch *s = &t->sw[sw];
	unsigned n_ports = f->switch_nports[sw];

	c->n = 0;
	for (unsigned p = 1; p <= n_ports; p++)
		c->of_port[p] = port_group(t, c, sw, p);
	s->plain = true;
	for (unsigned d = 0; d < FT_DIRS; d++) {
		s->slot[d] = t->n_groups;
		for (unsigned i = 0; i < c->n; i++) {
			struct ft_group *g = &t->group[t->n_groups];

			if (c->dir[i] != d)
				continue;
			s->plain &= d == FT_UP || c->g[i].peer == NO_ID;
			*g = c->g[i];
			g->link = t->n_links;
			for (unsigned p = 1; p <= n_ports; p++)
				if (c->of_port[p] == i)
					t->link[t->n_links++] = (struct ft_link){
						.port = p,
						.remote =
							f->port_num[t->topo->peer[switch_port_id(f, sw, p)]]};
			g->n_links = t->n_links - g->link;
			t->slot[t->n_groups] = (struct ft_slot){.peer = g->peer, .group = t->n_groups};
			t->n_groups++;
		}
		s->n[d] = t->n_groups - s->slot[d];
	}
	s->plain &= s->n[FT_DOWN] > 0;
}

bool ft_group_ports(struct ftree *t)
{
	const struct fabric *f = t->topo->fabric;
	struct collect c = {.ca_of = NEW_ARRAY(f->n_endports, uint32_t),
			    .owner = NEW_ARRAY(f->n_switches, uint32_t),
			    .seen = NEW_ARRAY(f->n_switches, uint8_t)};
	uint32_t n_cn = 0;

	memset(c.ca_of, 0xff, f->n_endports * sizeof(*c.ca_of));
	memset(c.owner, 0xff, f->n_switches * sizeof(*c.owner));
	for (uint32_t i = 0; i < t->n_ca; i++) {
		c.ca_of[t->ca[i].endport] = i;
		n_cn += t->ca[i].is_cn;
		if (t->ca[i].lid > t->max_lid)
			t->max_lid = t->ca[i].lid;
	}
	t->group = NEW_ARRAY(f->n_ports, struct ft_group);
	t->slot = NEW_ARRAY(f->n_ports, struct ft_slot);
	t->link = NEW_ARRAY(f->n_ports, struct ft_link);
	for (uint32_t s = 0; s < f->n_switches; s++)
		if (t->sw[s].in)
			ftree_groups_group_switch(t, &c, s);
	FREE_EACH(c.ca_of, c.owner, c.seen);
	if (t->rec)
		ft_record_groups(t);
	if (!n_cn)
		return ft_refuse(t, "", "there are compute nodes",
				 "no CA port is a compute node: cn_guid_file names none that is up, or "
				 "io_guid_file names all of them");
	return true;
}
