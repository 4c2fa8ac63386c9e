/* The meaning of words of commands: nodes, ports, LIDs, hosts, and lists of them. */
#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/base/memory.h"
#include "core/session/patterns.h"
#include "core/session/session.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- numbers -------------------------------------------------------------------------- */

/* The endport that has a LID after a sweep (NULL: in the source). */
static uint32_t endport_with_lid(const struct fabric *f, const struct sweep *w, unsigned lid)
{
	if (w)
		return lid_owner(w->lids, lid);
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t p = f->endport_port[ep];

		if (f->port_lid[p] && lid >= f->port_lid[p] && lid < f->port_lid[p] + (1u << f->port_lmc[p]))
			return ep;
	}
	return NO_ID;
}

static uint32_t endport_of_lid(const struct session *s, unsigned lid)
{
	return endport_with_lid(s->fabric, session_sweep(s), lid);
}

/* Is an endport's cable up, or a switch itself? */
static bool endport_alive(const struct session *s, uint32_t port)
{
	const struct fabric *f = s->fabric;

	return f->port_link[port] == NO_ID ? !session_state(s)->node_down[f->port_node[port]]
					   : state_link_up(f, session_state(s), f->port_link[port]);
}

/* Says in *e which port had the LID before, and what became of it.  False: none had it, or the word is a
 * node's whole name. */
static bool session_names_tell_lid(const struct session *s, const char *word, unsigned lid, struct err *e)
{
	const struct fabric *now = s->fabric;
	uint32_t ep = NO_ID;
	size_t i = s->at; /* the event that took it */

	if (node_named(now, word, strlen(word)) != NO_ID)
		return false;
	while (i &&
	       (ep = endport_with_lid(s->event[i - 1].setup->fabric, s->event[i - 1].sweep, lid)) == NO_ID)
		i--;
	if (ep == NO_ID)
		return false;
	const struct fabric *f = s->event[i - 1].setup->fabric;
	uint32_t port = f->endport_port[ep], its = NO_ID,
		 node = fabric_node_by_guid(now, f->node_guid[f->port_node[port]]);
	const char *became = "gone";
	if (node != NO_ID && f->port_num[port] <= now->node_nports[node])
		its = now->port_endport[now->node_port[node] + f->port_num[port]];
	if (its != NO_ID && session_endport_up(s, its))
		became = "of another LID";
	else if (its != NO_ID)
		became = endport_alive(s, now->endport_port[its]) ? "cut off" : "down";
	err_set_kind(e, ERR_NO_NODE, "LID %u was %s, %s since event %zu", lid,
		     f->node_name[f->port_node[port]], became, i);
	return true;
}

static bool parse_number(const char *word, bool hex, uint64_t *v)
{
	return hex ? number_of_hex(word, v) : number_of(word, 0, UINT64_MAX, v);
}

static uint32_t node_of_guid(const struct fabric *f, const char *word, uint64_t guid, struct err *e)
{
	uint32_t ep = fabric_endport_by_guid(f, guid), n = fabric_node_by_guid(f, guid);

	if (n == NO_ID && ep != NO_ID)
		n = endport_node(f, ep);
	if (n == NO_ID)
		err_set_kind(e, ERR_NO_NODE, "no node or port of the fabric has GUID %s", word);
	return n;
}

static uint32_t node_of_lid(const struct session *s, const char *word, unsigned lid, struct err *e)
{
	uint32_t ep = endport_of_lid(s, lid);

	if (ep != NO_ID)
		return endport_node(s->fabric, ep);
	if (session_names_tell_lid(s, word, lid, e))
		return NO_ID;
	uint32_t n = fabric_node_by_name(s->fabric, word, NULL);
	if (n == NO_ID)
		err_set_kind(e, ERR_NO_NODE, "no port has LID %s now, and no node is named so", word);
	return n;
}

/* Is the word a number, whatever it means? Then *node is set; NO_ID with *e if it means no node. */
static bool numbered(const struct session *s, const char *word, uint32_t *node, struct err *e)
{
	uint64_t v;

	if (parse_number(word, true, &v))
		*node = node_of_guid(s->fabric, word, v, e);
	else if (parse_number(word, false, &v) && v <= MAX_LID)
		*node = node_of_lid(s, word, (unsigned)v, e);
	else
		return false;
	return true;
}

/* --- ports of nodes and hosts --------------------------------------------------------------- */

bool session_endport_up(const struct session *s, uint32_t ep)
{
	assert(ep < s->fabric->n_endports);
	const struct sweep *w = session_sweep(s);

	return w ? w->topo->endport_up[ep] : endport_alive(s, s->fabric->endport_port[ep]);
}

/* The first endport of nodes that is up; if none is, the first of all.  *n: their number. */
static uint32_t first_endport(const struct session *s, const uint32_t *node, uint32_t n_nodes, uint32_t *n)
{
	const struct fabric *f = s->fabric;
	uint32_t first = NO_ID, up = NO_ID;

	*n = 0;
	for (uint32_t i = 0; i < n_nodes; i++)
		for (unsigned p = 0; p <= f->node_nports[node[i]]; p++) {
			uint32_t ep = f->port_endport[f->node_port[node[i]] + p];

			if (ep == NO_ID)
				continue;
			++*n;
			if (first == NO_ID)
				first = ep;
			if (up == NO_ID && session_endport_up(s, ep))
				up = ep;
		}
	return up == NO_ID ? first : up;
}

uint32_t session_host(const struct session *s, const char *word)
{
	struct name_hits h;
	uint32_t ep = NO_ID, n = 0;
	uint64_t v;

	if (!s->fabric || parse_number(word, true, &v) || parse_number(word, false, &v))
		return NO_ID;
	names_find(s->fabric, word, NAMES_ANY, NAME_FIRST, &h);
	if (name_hits_host(s->fabric, word, &h))
		ep = first_endport(s, h.node, h.n, &n);
	name_hits_free(&h);
	return n > 1 ? ep : NO_ID;
}

uint32_t session_candidates(const struct session *s, const char *word, struct name_hits *h)
{
	uint32_t node;

	*h = (struct name_hits){0};
	if (!s->fabric || numbered(s, word, &node, NULL) || session_node(s, word, NULL) != NO_ID)
		return 0;
	names_find(s->fabric, word, NAMES_ANY, NAME_NONE, h);
	if (!h->n && is_name_pattern(word))
		names_pattern(s->fabric, word, NAMES_ANY, h, NULL);
	return h->n;
}

/* --- one ---------------------------------------------------------------------------------------- */

/* The node of a word that is no host with several adapters (session_host()). */
static uint32_t single_node(const struct session *s, const char *word, struct err *e)
{
	uint32_t n;

	return numbered(s, word, &n, e) ? n : fabric_node_by_name(s->fabric, word, e);
}

uint32_t session_node(const struct session *s, const char *word, struct err *e)
{
	if (session_need_fabric(s, e))
		return NO_ID;
	uint32_t ep = session_host(s, word);
	return ep == NO_ID ? single_node(s, word, e) : endport_node(s->fabric, ep);
}

/* "NODE[PORT]" taken apart; free *node, which *port points into.  Without a [PORT]: -1, and no message. */
static int split_port(const struct fabric *f, const char *word, char **node, char **port)
{
	size_t len = strlen(word), before = name_before_port(f, word, len);

	if (!before)
		return -1;
	*node = str_dup(word);
	(*node)[before] = (*node)[len - 1] = 0;
	*port = *node + before + 1;
	return 0;
}

/* Says in *e which ports the node has, with one label as an example. */
static int no_port(const struct fabric *f, uint32_t node, const char *port, struct err *e)
{
	unsigned n = f->node_nports[node];
	const char *label = NULL;

	for (unsigned p = n; p && !label; p--)
		label = fabric_port_label(f, f->node_port[node] + p);
	return err_set_kind(e, ERR_NO_PORT, "%s has no port %s, expected 1 to %u%s%s", f->node_name[node],
			    port, n, label ? " or a label as " : "", label ? label : "");
}

uint32_t session_port(const struct session *s, const char *word, struct err *e)
{
	char *name, *text;
	unsigned port = 0;
	uint32_t n;

	if (session_need_fabric(s, e))
		return NO_ID;
	if (split_port(s->fabric, word, &name, &text)) {
		err_word(e, "found \"%s\", expected a port as NODE[PORT]", word);
		return NO_ID;
	}
	n = single_node(s, name, e); /* refuses a host with several adapters */
	if (n != NO_ID)
		port = port_in_brackets(s->fabric, n, text, strlen(text));
	if (n != NO_ID && (port < 1 || port > s->fabric->node_nports[n])) {
		no_port(s->fabric, n, text, e);
		n = NO_ID;
	}
	free(name);
	return n == NO_ID ? NO_ID : s->fabric->node_port[n] + port;
}

uint32_t session_endport(const struct session *s, const char *word, unsigned *lid, struct err *e)
{
	uint64_t v;
	uint32_t ep = NO_ID, n, several;

	*lid = 0;
	if (session_need_fabric(s, e))
		return NO_ID;
	if (parse_number(word, false, &v) && v <= MAX_LID && (ep = endport_of_lid(s, v)) != NO_ID) {
		*lid = v;
		return ep;
	}
	if (parse_number(word, true, &v))
		ep = fabric_endport_by_guid(s->fabric, v);
	if (ep == NO_ID && name_before_port(s->fabric, word, strlen(word)) &&
	    node_named(s->fabric, word, strlen(word)) == NO_ID) {
		uint32_t port = session_port(s, word, e);

		if (port == NO_ID)
			return NO_ID;
		uint32_t node = s->fabric->port_node[port]; /* a switch has one endport only */
		ep = s->fabric->port_endport[node_is_switch(s->fabric, node) ? s->fabric->node_port[node]
									     : port];
	} else if (ep == NO_ID && (ep = session_host(s, word)) == NO_ID) {
		n = single_node(s, word, e);
		if (n == NO_ID)
			return NO_ID;
		ep = first_endport(s, &n, 1, &several);
	}
	if (ep == NO_ID) {
		err_set_kind(e, ERR_NO_PORT, "\"%s\" has no cabled port", word);
		return NO_ID;
	}
	*lid = endport_lid(s->fabric, session_lids(s), ep);
	return ep;
}

/* --- many --------------------------------------------------------------------------------------- */

void id_list_free(struct id_list *l)
{
	free(l->id);
	hostlist_free(&l->absent);
	*l = (struct id_list){0};
}

static int list_one(struct id_list *l, uint32_t id)
{
	if (id == NO_ID)
		return -1;
	l->id = mem_dup(&id, sizeof(id));
	l->n = 1;
	return 0;
}

/* A word that is no number. */
static int nodes_named(const struct session *s, const char *word, enum name_kind kind, struct name_hits *h,
		       struct id_list *l, struct err *e)
{
	bool many;
	int rc = names_many(s->fabric, word, kind, h, &many, e);
	bool part = !many && h->n && h->rank < NAME_WORDS;

	l->part = part;
	if (rc)
		return rc;
	if (h->n) {
		/* Take over what was found. */
		*l = (struct id_list){.id = h->node, .n = h->n, .many = many, .part = part};
		*h = (struct name_hits){0};
		return 0;
	}
	return list_one(l, session_node(s, word, e)); /* of another kind, or none: *e or the caller says so */
}

int session_nodes(const struct session *s, const char *word, enum name_kind kind, struct progress *p,
		  struct id_list *l, struct err *e)
{
	struct name_hits h;
	uint32_t node;

	assert(kind <= NAMES_HOSTS);
	*l = (struct id_list){0};
	if (session_need_fabric(s, e))
		return -1;
	if (is_hosts_file(s->fabric, word))
		return hosts_file_nodes(s, word, kind, p, l, e);
	if (numbered(s, word, &node, e))
		return list_one(l, node);
	int rc = nodes_named(s, word, kind, &h, l, e);
	name_hits_free(&h);
	return rc;
}

int session_nodes_whole(const struct session *s, const char *word, enum name_kind kind, struct progress *p,
			struct id_list *l, struct err *e)
{
	int rc = session_nodes(s, word, kind, p, l, e);

	if (!l->part)
		return rc;
	id_list_free(l);
	return err_set_kind(e, ERR_NO_NODE, "no node is named \"%s\"", word);
}

/* Splits "NODE[1-4,7]" or "NODE[1/32/1,1/32/2]". *name is to be freed; *set points into it. Returns the
 * number of ports, 0 for any other word. */
static unsigned split_ports(const struct fabric *f, const char *word, char **name, char **set)
{
	unsigned char marks[MAX_PORTS + 1];
	size_t len = strlen(word), at;
	const char *open = strrchr(word, '[');
	unsigned n = 0;

	if (!open || open == word || word[len - 1] != ']')
		return 0;
	*name = str_dup(word);
	(*name)[open - word] = (*name)[len - 1] = 0;
	*set = *name + (open - word) + 1;
	for (const char *s = *set;; s += at + 1) {
		at = strcspn(s, ",");
		if (!number_set(s, at, marks, MAX_PORTS))
			for (unsigned p = 0; p <= MAX_PORTS; p++)
				n += marks[p];
		else if (is_port_text(f, s, at))
			n++;
		else
			return 0;
		if (!s[at])
			return n;
	}
}

/* Sets marks[MAX_PORTS + 1] for a set of ports. The first port that the node lacks, to be freed, or NULL. */
static char *mark_set(const struct fabric *f, uint32_t node, const char *set, unsigned char *marks)
{
	unsigned char some[MAX_PORTS + 1];
	char *missing = NULL;

	memset(marks, 0, MAX_PORTS + 1);
	for (size_t len; len = strcspn(set, ","), len; set += len + (set[len] == ',')) {
		bool numbers = !number_set(set, len, some, MAX_PORTS);
		unsigned one = numbers ? 0 : port_in_brackets(f, node, set, len);

		for (unsigned p = 0; numbers && p <= MAX_PORTS; p++) {
			marks[p] |= some[p];
			if (some[p] && !missing && (!p || p > f->node_nports[node]))
				missing = str_printf("%u", p);
		}
		if (one && one <= f->node_nports[node])
			marks[one] = 1;
		else if (!numbers && !missing)
			missing = str_printf("%.*s", (int)len, set);
	}
	return missing;
}

/* The ports of a set that each of the nodes has.  Without a set: all cabled ports. */
static void session_names_list_ports(const struct fabric *f, struct id_list *nodes, const char *set,
				     struct id_list *l)
{
	unsigned char marks[MAX_PORTS + 1];
	size_t cap = 0;

	*l = (struct id_list){.many = true, .absent = nodes->absent};
	nodes->absent = (struct hostlist){0};
	for (uint32_t i = 0; i < nodes->n; i++) {
		if (set)
			free(mark_set(f, nodes->id[i], set, marks));
		for (unsigned p = 1; p <= f->node_nports[nodes->id[i]]; p++) {
			uint32_t port = f->node_port[nodes->id[i]] + p;

			if (set ? !marks[p] : f->port_peer[port] == NO_ID)
				continue;
			GROW(l->id, l->n, cap);
			l->id[l->n++] = port;
		}
	}
}

/* -1 and *e: ERR_NO_PORT where there are such nodes, but not their ports. */
static int ports_of_set(const struct session *s, const char *name, const char *set, struct progress *p,
			struct id_list *l, struct err *e)
{
	unsigned char marks[MAX_PORTS + 1];
	struct id_list nodes;
	AUTO_FREE char *missing = NULL;
	int rc = session_nodes_whole(s, name, NAMES_ANY, p, &nodes, e);

	if (!rc)
		session_names_list_ports(s->fabric, &nodes, set, l);
	if (!rc && !nodes.many)
		missing = mark_set(s->fabric, nodes.id[0], set, marks);
	if (missing)
		rc = no_port(s->fabric, nodes.id[0], missing, e);
	else if (!rc && !l->n)
		rc = err_set_kind(e, ERR_NO_PORT, "none of the nodes that \"%s\" fits has this port", name);
	id_list_free(&nodes);
	return rc;
}

static int ports_of_hosts(const struct session *s, const char *word, struct progress *p, struct id_list *l,
			  struct err *e)
{
	struct id_list nodes;
	int rc = session_nodes_whole(s, word, NAMES_ANY, p, &nodes, e);

	for (uint32_t i = 0; !rc && i < nodes.n; i++)
		if (node_is_switch(s->fabric, nodes.id[i]))
			rc = err_word(e, "found \"%s\", which fits switch %s; expected a port as NODE[PORT]",
				      word, s->fabric->node_name[nodes.id[i]]);
	if (!rc)
		session_names_list_ports(s->fabric, &nodes, NULL, l);
	if (!rc && !l->n)
		rc = err_set_kind(e, ERR_NO_PORT, "\"%s\" has no cabled port", word);
	id_list_free(&nodes);
	return rc;
}

int session_ports(const struct session *s, const char *word, struct progress *p, struct id_list *l,
		  struct err *e)
{
	struct err as_port = {0}, as_host = {0};
	char *name = NULL, *set = NULL;
	unsigned n = s->fabric ? split_ports(s->fabric, word, &name, &set) : 0;
	uint32_t port = session_port(s, word, &as_port);
	bool found = port != NO_ID, many = s->fabric && is_hosts_file(s->fabric, word);

	*l = (struct id_list){0};
	if (found)
		list_one(l, port);
	else if (s->fabric && n)
		found = !ports_of_set(s, name, set, p, l, n > 1 ? &as_port : NULL);
	if (!found && s->fabric) {
		id_list_free(l);
		found = !ports_of_hosts(s, word, p, l, &as_host);
	}
	if (!found) {
		id_list_free(l);
		/* the message is about ports if the node exists, else about names if it is a pattern */
		many |= (!n || (n > 1 && err_kind(&as_port) != ERR_NO_PORT)) && is_name_pattern(word);
		err_copy(e, many ? &as_host : &as_port);
	}
	free(name);
	return found ? 0 : -1;
}
