/* Indexes of switches and groups of cables in a fat tree. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/sm/port_groups.h"
#include "engines/ftree/ftree.h"

/* The use of CA ports, and the cables of each switch, grouped by peer and direction. */

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

/* An option that lists CA ports, with OpenSM's labels for a file that it cannot use and for an empty one. */
struct ftree_ports_option {
	const char *name, *bad, *empty;
};

/* Reads a list of CA ports, and sorts it. False when refused. */
static bool ftree_groups_read_list(struct ftree *t, const struct engine_input *in, struct engine_output *out,
				   struct ftree_ports_option o, struct guid_file *g)
{
	*g = (struct guid_file){0};
	if (!options_file(in->options, o.name))
		return true;
	ft_read_guids(in, out, o.name, g);
	if (g->stopped)
		return ft_refuse(t, o.bad, "GUID files are read whole", "%s cannot be used (%s): %.300s",
				 o.name, o.bad, g->why.msg);
	if (!g->n)
		return ft_refuse(t, o.empty, "GUID files are not empty",
				 "%s: %.300s names no GUID (%s); list port GUIDs or unset the option", o.name,
				 options_get(in->options, o.name), o.empty);
	qsort(g->l, g->n, sizeof(*g->l), by_guid);
	return true;
}

/* Marks CA ports as compute or I/O nodes. One in the CN file is a compute node even if in the I/O file. */
bool ft_classify(struct ftree *t, const struct engine_input *in, struct engine_output *out)
{
	static const struct ftree_ports_option of_cn = {"cn_guid_file", "AB23", "AB27"};
	static const struct ftree_ports_option of_io = {"io_guid_file", "AB28", "AB29"};
	const struct fabric *f = t->topo->fabric;
	struct guid_file cn = {0}, io = {0};
	bool ok = ftree_groups_read_list(t, in, out, of_cn, &cn) &&
		  ftree_groups_read_list(t, in, out, of_io, &io);

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
	assert(t->n_groups <= t->n_links && t->n_links <= f->n_ports);
	FREE_EACH(c.ca_of, c.owner, c.seen);
	if (t->rec)
		ft_record_groups(t);
	if (!n_cn)
		return ft_refuse(t, "", "there are compute nodes",
				 "no CA port is a compute node: cn_guid_file names none that is up, or "
				 "io_guid_file names all of them");
	return true;
}

/* Indexes ("tuples"): the place of a switch among switches of its rank, found by walking the tree from a
 * leaf. */

static bool refuse_cn(struct ftree *t, uint32_t i)
{
	const struct fabric *f = t->topo->fabric;
	uint32_t s = t->ca[i].sw;
	char a[200];
	const char *mend = t->root_file ? "list only compute nodes in cn_guid_file (or this port in "
					  "io_guid_file), or mend root_guid_file"
					: "move it to a leaf, or list the compute nodes in cn_guid_file and "
					  "the roots in root_guid_file";

	ft_refuse(t, "AB26", "all compute nodes at one rank",
		  "compute node %s is on %s of rank %u, but compute nodes must be at rank %u (AB26); %s",
		  port_label(f, f->endport_port[t->ca[i].endport], a, sizeof(a)), ft_name(t, s),
		  t->sw[s].rank, t->leaf_rank, mend);
	t->refusal.sw = s;
	t->refusal.endport = t->ca[i].endport;
	t->refusal.found = t->sw[s].rank;
	t->refusal.expected = t->leaf_rank;
	return false;
}

/* Finds the leaf rank, and the switches with compute nodes. */
bool ft_find_leaves(struct ftree *t)
{
	uint32_t first = 0;

	while (!t->ca[first].is_cn)
		first++;
	assert(first < t->n_ca);
	t->leaf_rank = t->root_file ? t->sw[t->ca[first].sw].rank : t->max_rank;
	if (t->leaf_rank < 1 || t->leaf_rank >= FT_MAX_LEVELS) {
		ft_refuse(t, "", "2 to 8 levels",
			  "the tree has %u levels of switches down to the compute nodes, expected 2 to %u%s",
			  t->leaf_rank + 1, FT_MAX_LEVELS,
			  t->leaf_rank	 ? ""
			  : t->root_file ? "; a root has compute nodes on it: mend root_guid_file or list "
					   "the compute nodes in cn_guid_file"
					 : "; a single level needs no tree routing");
		t->refusal.found = t->leaf_rank + 1;
		return false;
	}
	for (uint32_t i = 0; i < t->n_ca; i++) {
		if (!t->ca[i].is_cn)
			continue;
		t->sw[t->ca[i].sw].is_leaf = true;
		t->sw[t->ca[i].sw].n_cn++;
		if (t->sw[t->ca[i].sw].rank != t->leaf_rank)
			return refuse_cn(t, i);
	}
	return true;
}

/* --- tuples ---------------------------------------------------------------------------------- */

/* Sets byte i of a tuple. Byte 0 is the highest, so that tuples compare as numbers. */
static uint64_t with_byte(uint64_t tuple, unsigned i, unsigned v)
{
	unsigned shift = 8 * (7 - i);

	assert(i < sizeof(tuple) && v <= UINT8_MAX);
	return (tuple & ~(0xFFull << shift)) | (uint64_t)v << shift;
}

struct ftree_index_walk {
	struct ftree *t;
	uint64_t *used; /* tuples in use, open addressing, FT_NO_TUPLE = free */
	uint32_t size;	/* power of two */
	uint32_t *queue, n;
};

/* Is the tuple in use? With `add`, it is from now on. */
static bool ftree_index_used(struct ftree_index_walk *w, uint64_t tuple, bool add)
{
	uint32_t i = mix(0, tuple) >> 32 & (w->size - 1);

	assert(!(w->size & (w->size - 1)));
	for (; w->used[i] != FT_NO_TUPLE; i = (i + 1) & (w->size - 1))
		if (w->used[i] == tuple)
			return true;
	if (add)
		w->used[i] = tuple;
	return false;
}

/* Gives a switch the first free tuple over all values of byte v. from: who reached it, or NO_ID. */
static void ftree_index_assign(struct ftree_index_walk *w, uint32_t sw, uint32_t from, uint64_t tuple,
			       unsigned v)
{
	for (unsigned i = 0; i < 255; i++) {
		uint64_t x = with_byte(tuple, v, i);

		if (ftree_index_used(w, x, true))
			continue;
		w->t->sw[sw].tuple = x;
		if (w->t->rec)
			ft_record_tuple(w->t, sw, from);
		return;
	}
}

static uint64_t peer_tuple(const struct ftree *t, const struct ft_slot *s)
{
	return s->peer == NO_ID ? TUPLE_CA : t->sw[s->peer].tuple;
}

static void sort_by_tuple(struct ftree *t, uint32_t sw, enum ft_dir d)
{
	struct ft_slot *a = t->slot + t->sw[sw].slot[d];

	for (uint32_t i = 1; i < t->sw[sw].n[d]; i++) {
		struct ft_slot x = a[i];
		uint64_t key = peer_tuple(t, &x);
		uint32_t j = i;

		for (; j && peer_tuple(t, &a[j - 1]) > key; j--)
			a[j] = a[j - 1];
		a[j] = x;
	}
}

/* Gives indexes to the neighbours of sw in one direction that have none. They differ in byte v. */
static void index_neighbours(struct ftree_index_walk *w, uint32_t sw, enum ft_dir d, unsigned v)
{
	struct ftree *t = w->t;
	const struct ft_slot *a = t->slot + t->sw[sw].slot[d];
	uint64_t own = t->sw[sw].tuple;

	for (uint32_t i = 0; i < t->sw[sw].n[d]; i++) {
		uint32_t x = a[i].peer;

		if (x == NO_ID || t->sw[x].tuple != FT_NO_TUPLE)
			continue;
		if (own == FT_NO_TUPLE) {
			t->skipped++;
			continue;
		}
		uint64_t tuple = with_byte(own, 0, ((own >> 56) + (d == FT_DOWN ? 1 : 255)) & 0xFF);
		ftree_index_assign(w, x, sw, tuple, v);
		w->queue[w->n++] = x;
	}
	sort_by_tuple(t, sw, d);
}

static void ftree_index_walk_from(struct ftree_index_walk *w, uint32_t first)
{
	struct ftree *t = w->t;

	w->n = 0;
	w->queue[w->n++] = first;
	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t sw = w->queue[i];
		const struct ft_switch *s = &t->sw[sw];

		if (s->rank < t->leaf_rank)
			index_neighbours(w, sw, FT_DOWN, s->rank + 1);
		if (s->rank && (t->sw[first].rank || !s->is_leaf))
			index_neighbours(w, sw, FT_UP, s->rank);
	}
}

/* The tuple with 0 in bytes 1 to leaf_rank. */
static uint64_t first_tuple(const struct ftree *t, unsigned rank)
{
	uint64_t tuple = with_byte(FT_NO_TUPLE, 0, rank);

	for (unsigned i = 1; i <= t->leaf_rank; i++)
		tuple = with_byte(tuple, i, 0);
	return tuple;
}

static void walk_from_roots(struct ftree_index_walk *w)
{
	struct ftree *t = w->t;
	unsigned subtree = 0;

	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++) {
		if (!t->sw[s].in || t->sw[s].rank)
			continue;
		if (t->sw[s].tuple == FT_NO_TUPLE) {
			uint64_t tuple = first_tuple(t, 0);

			if (t->leaf_rank > 1)
				tuple = with_byte(tuple, t->leaf_rank, subtree & 0xFF);
			ftree_index_assign(w, s, NO_ID, tuple, 1);
			subtree++;
		}
		ftree_index_walk_from(w, s);
	}
	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++)
		if (t->sw[s].is_leaf)
			sort_by_tuple(t, s, FT_UP);
}

static int by_tuple(const void *x, const void *y, void *ctx)
{
	const struct ftree *t = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	if (t->sw[a].tuple != t->sw[b].tuple)
		return t->sw[a].tuple < t->sw[b].tuple ? -1 : 1;
	return COMPARED(a, b);
}

/* Adapters have keys in the order of their nodes; the ports of one are equal. */
static uint32_t ca_key(const struct ftree *t, uint32_t ca)
{
	const struct fabric *f = t->topo->fabric;

	while (ca && endport_node(f, t->ca[ca - 1].endport) == endport_node(f, t->ca[ca].endport))
		ca--;
	return FT_KEY_CA + ca;
}

void ft_index(struct ftree *t)
{
	struct ftree_index_walk w = {.t = t, .size = 16};
	struct ft_slot *before = t->rec ? mem_dup(t->slot, (t->n_groups + 1u) * sizeof(*t->slot)) : NULL;
	uint32_t n = 0, leaf = 0;

	if (t->rec)
		rec_text(t->rec, REC_PHASE, "indexes");
	while (w.size < 2 * t->n_in + 2)
		w.size *= 2;
	w.used = NEW_ARRAY(w.size, uint64_t);
	for (uint32_t i = 0; i < w.size; i++)
		w.used[i] = FT_NO_TUPLE;
	w.queue = NEW_ARRAY(t->n_groups + 1, uint32_t);
	if (t->quasi) {
		walk_from_roots(&w);
	} else {
		while (!t->sw[leaf].is_leaf)
			leaf++;
		t->sw[leaf].tuple = first_tuple(t, t->leaf_rank);
		ftree_index_used(&w, t->sw[leaf].tuple, true);
		if (t->rec)
			ft_record_tuple(t, leaf, NO_ID);
		ftree_index_walk_from(&w, leaf);
	}
	/* number the indexed switches, so that a peer's key is one word */
	uint32_t *order = NEW_ARRAY(t->n_in, uint32_t);
	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++)
		if (t->sw[s].in)
			order[n++] = s;
	assert(n == t->n_in);
	qsort_r(order, n, sizeof(*order), by_tuple, t);
	for (uint32_t i = 0; i < n; i++) {
		bool none = t->sw[order[i]].tuple == FT_NO_TUPLE;

		t->unindexed += none;
		t->sw[order[i]].key = none ? FT_KEY_NONE : i;
	}
	for (uint32_t i = 0; i < t->n_groups; i++)
		t->slot[i].key = t->slot[i].peer == NO_ID ? ca_key(t, t->group[t->slot[i].group].ca)
							  : t->sw[t->slot[i].peer].key;
	if (t->rec)
		ft_record_indexed(t, before);
	FREE_EACH(w.used, w.queue, order, before);
}

/* --- the array of leaves --------------------------------------------------------------------- */

bool ft_list_leaves(struct ftree *t)
{
	uint32_t n = 0, first = NO_ID, last = 0;

	t->leaf = NEW_ARRAY(t->n_in, uint32_t);
	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++)
		if (t->sw[s].in && t->sw[s].rank == t->leaf_rank)
			t->leaf[n++] = s;
	qsort_r(t->leaf, n, sizeof(*t->leaf), by_tuple, t);
	for (uint32_t i = 0; i < n; i++) {
		if (!t->sw[t->leaf[i]].is_leaf)
			continue;
		first = first == NO_ID ? i : first;
		last = i;
	}
	if (first == NO_ID || first >= last) {
		ft_refuse(t, "", "two leaves",
			  "only %s has compute nodes on it, expected two leaf switches at least",
			  first == NO_ID ? "no switch" : ft_name(t, t->leaf[first]));
		t->refusal.sw = first == NO_ID ? NO_ID : t->leaf[first];
		return false;
	}
	t->n_leaves = last - first + 1;
	for (uint32_t i = 0; i < t->n_leaves; i++) {
		t->leaf[i] = t->leaf[first + i];
		if (t->sw[t->leaf[i]].n_cn > t->max_cn)
			t->max_cn = t->sw[t->leaf[i]].n_cn;
	}
	if (t->rec)
		ft_record_leaves(t);
	return true;
}
