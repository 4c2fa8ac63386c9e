/* Causes of lost pairs and of wrong entries, as commands print them; and what was last at a place. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/faults.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"

/* --- earlier fabrics ------------------------------------------------------------------------------------ */

/* A fabric that the session knows, and its LIDs (NULL: not given). */
struct earlier {
	const struct fabric *f;
	const struct lids *lids;
};

/* Earlier ones, the latest first: of events, then of snapshots.  f NULL: no more.  where: receives its
 * name. */
static struct earlier earlier(const struct session *s, size_t i, struct text *where)
{
	where->len = 0;
	if (i < s->at) {
		const struct event *ev = &s->event[s->at - 1 - i];

		text_add(where, "event %zu", s->at - 1 - i);
		return (struct earlier){ev->setup->fabric, ev->sweep ? ev->sweep->lids : NULL};
	}
	i -= s->at;
	if (i >= s->n_snapshots)
		return (struct earlier){NULL, NULL};
	const struct sweep *w = s->snapshot[s->n_snapshots - 1 - i].sweep;
	text_add(where, "snapshot %s", s->snapshot[s->n_snapshots - 1 - i].name);
	return (struct earlier){w->fabric, w->lids};
}

/* Adds to a list what is at the other ends of a node's cables (port 0: of all). */
static void peers_in(const struct fabric *f, uint32_t node, unsigned port, json_t *list)
{
	for (unsigned p = 1; node != NO_ID && p <= f->node_nports[node]; p++)
		if ((!port || p == port) && f->port_peer[f->node_port[node] + p] != NO_ID)
			json_array_append_new(list,
					      json_text(PORT_LABEL(f, f->port_peer[f->node_port[node] + p])));
}

/* The same of what a word names there: a GUID, a LID, a name, a host, with [PORT] or without. */
static void word_in(struct earlier x, const char *word, json_t *list)
{
	size_t len = name_before_port(x.f, word, strlen(word));
	AUTO_FREE char *name = str_printf("%.*s", (int)(len ? len : strlen(word)), word);
	struct name_hits h = {0};
	uint64_t n;

	if (number_of_hex(name, &n)) {
		uint32_t node = fabric_node_by_guid(x.f, n), ep = fabric_endport_by_guid(x.f, n);

		peers_in(x.f, node == NO_ID && ep != NO_ID ? endport_node(x.f, ep) : node, 0, list);
	} else if (x.lids && number_of(name, 1, MAX_LID, &n) && lid_owner(x.lids, (unsigned)n) != NO_ID) {
		peers_in(x.f, endport_node(x.f, lid_owner(x.lids, (unsigned)n)), 0, list);
	} else {
		names_find(x.f, name, NAMES_ANY, NAME_FIRST, &h);
	}
	for (uint32_t i = 0; i < h.n && (h.n == 1 || name_hits_host(x.f, name, &h)); i++)
		peers_in(x.f, h.node[i],
			 len ? port_in_brackets(x.f, h.node[i], word + len + 1, strlen(word) - len - 2) : 0,
			 list);
	name_hits_free(&h);
}

/*
 * Finds what was last at a port of a node (word NULL), or at what a word names, in the latest of the earlier
 * fabrics that knows it, else in the baseline. *where, freed by the caller: the fabric that knew it.
 */
static json_t *seen_last(const struct session *s, const char *word, uint64_t guid, unsigned port,
			 struct text *where)
{
	enum { MOST = 64 }; /* fabrics looked through: for a word each makes an index of its names */
	const struct fabric *last = s->fabric;
	json_t *list = json_array();
	struct earlier x;
	char id[24];

	for (size_t i = 0, n = 0; n < MOST && !json_array_size(list) && (x = earlier(s, i, where)).f; i++) {
		if (x.f == s->fabric || x.f == last)
			continue;
		last = x.f;
		n++;
		if (word)
			word_in(x, word, list);
		else
			peers_in(x.f, fabric_node_by_guid(x.f, guid), port, list);
	}
	if (json_array_size(list) || !s->present)
		return list;
	snprintf(id, sizeof(id), "0x%016" PRIx64, guid);
	present_peers(s->present, word ? word : id, port, list);
	where->len = 0;
	text_add(where, "%s", s->baseline);
	return list;
}

static char *last_peer(void *ctx, uint64_t guid, unsigned port)
{
	AUTO_TEXT struct text where = {0};
	json_t *list = seen_last(ctx, NULL, guid, port, &where);
	const char *label = json_string_value(json_array_get(list, 0));
	char *copy = label ? str_dup(label) : NULL;

	json_decref(list);
	return copy;
}

struct last_seen session_last_seen(struct session *s)
{
	return (struct last_seen){last_peer, s};
}

/* --- ends that are not there ---------------------------------------------------------------------------- */

/* Why an endport is not up. */
static const char *why_away(const struct session *s, uint32_t ep)
{
	assert(ep < s->fabric->n_endports);

	const struct fabric *f = s->fabric;
	const struct state *st = session_state(s);
	uint32_t port = f->endport_port[ep], peer = f->port_peer[port];

	assert(ep < s->fabric->n_endports);
	if (st->node_down[f->port_node[port]])
		return "it is down";
	if (endport_is_switch(f, ep))
		return "the subnet manager does not reach it";
	if (peer == NO_ID)
		return "it has no cable";
	if (st->node_down[f->port_node[peer]])
		return "what is at its cable is down";
	return state_link_up(f, st, f->port_link[port]) ? "the subnet manager does not reach it"
							: "its cable is down";
}

/* Tells of one end, in t and in *all: the list of JSON, made with the first. Takes over `seen`. */
static void tell_away(const char *name, const char *why, json_t *seen, const char *where, struct text *t,
		      json_t **all)
{
	enum { MOST = 4 };
	size_t n = json_array_size(seen);

	text_add(t, "%s", why);
	for (size_t i = 0; i < n && i < MOST; i++)
		text_add(t, "%s %s", i ? "," : "; last seen:", json_string_value(json_array_get(seen, i)));
	if (n > MOST)
		text_add(t, ", and %zu more", n - MOST);
	if (n && where)
		text_add(t, " (%s)", where);
	*all = *all ? *all : json_array();
	json_array_append_new(*all, json_make("{s:s, s:s, s:o, s:s*}", "name", name, "why", why, "last_seen",
					      seen, "seen_in", n ? where : NULL));
}

void report_away(const struct session *s, const uint32_t *ep, unsigned n, struct out *o)
{
	const struct fabric *f = s->fabric;
	json_t *all = NULL;

	for (unsigned i = 0; i < n; i++) {
		uint32_t port = f->endport_port[ep[i]];
		AUTO_TEXT struct text t = {0};
		struct text where = {0};

		if (session_endport_up(s, ep[i]))
			continue;
		json_t *seen = json_array();
		peers_in(f, f->port_node[port], f->port_num[port], seen);
		if (!json_array_size(seen)) {
			json_decref(seen);
			seen = seen_last(s, NULL, f->node_guid[f->port_node[port]], f->port_num[port],
					 &where);
		}
		tell_away(ENDPORT_LABEL(f, ep[i]), why_away(s, ep[i]), seen, where.s, &t, &all);
		out_text(o, "NOT THERE: %s: %s.\n", ENDPORT_LABEL(f, ep[i]), text_str(&t));
		text_free(&where);
	}
	if (all)
		out_json(o, "absent", all);
}

void tell_absent(struct session *s, int argc, char *const *argv, struct out *o, struct err *e)
{
	AUTO_TEXT struct text t = {0}, where = {0};
	json_t *all = NULL;
	unsigned lid, kind = e->kind;
	struct err why;

	for (int i = 1; i < argc && i < 3; i++) {
		if (session_endport(s, argv[i], &lid, &why) != NO_ID ||
		    (err_kind(&why) != ERR_NO_NODE && err_kind(&why) != ERR_NO_PORT))
			continue;
		json_t *seen = seen_last(s, argv[i], 0, 0, &where);

		if (err_kind(&why) == ERR_NO_NODE && json_array_size(seen))
			err_set(&why, "\"%s\" is not in this fabric", argv[i]);
		text_add(&t, t.len ? "; " : "");
		tell_away(argv[i], why.msg, seen, where.s, &t, &all);
	}
	if (all) {
		out_json(o, "absent", all);
		err_set_kind(e, kind, "%s", text_str(&t));
	}
}

/* --- causes --------------------------------------------------------------------------------------------- */

#define CAUSE_LINES 20

void report_causes(const struct causes *s, bool all, const char *command, struct out *o)
{
	const struct sweep *w = s->w;
	json_t *list = json_array();
	AUTO_TEXT struct text t = {0};
	bool told = false; /* not by want of tables alone */

	assert(s->w->routing);
	if (s->n)
		out_text(o, "%s%s\n", PLURAL(s->n, "cause"), s->n == 1 ? ":" : ", each pair has one:");
	for (size_t i = 0; i < s->n; i++) {
		const struct cause *c = &s->c[i];

		told |= c->kind != CAUSE_TABLES;
		t.len = 0;
		cause_text(c, &t);
		if (all || i < CAUSE_LINES)
			out_text(o, "  %-7s " ROW_PROSE "%s\n", c->word, text_str(&t));
		json_t *x = json_object();
		fields_json(x, cause_fields, c);
		json_put_node(x, "where", w->fabric, w->lids, c->node);
		if (c->port) {
			json_object_set_new(x, "port", json_integer(c->port));
			json_put_label(x, "port", w->fabric, w->fabric->node_port[c->node] + c->port);
		}
		json_array_append_new(list, x);
	}
	if (!all && s->n > CAUSE_LINES)
		out_text(o, "  ... %s\n", PLURAL(s->n - CAUSE_LINES, "more cause"));
	if (told && !all)
		out_text(o, "  `%s all` prints them one by one\n", command);
	out_json(o, "causes", list);
	out_json(o, "pairs_lost", json_integer((json_int_t)s->lost));
	out_json(o, "pairs_untold", json_integer((json_int_t)s->untold));
}

bool report_incomplete_tables(const struct sweep *w, uint64_t untold, struct out *o)
{
	uint32_t all, lacking = tables_lacking(w, &all);
	bool strange = tables_strange(w);

	assert(fabric_alike(w->topo->fabric, w->fabric));
	out_json(o, "tables_complete", json_boolean(!lacking && !strange));
	if (!lacking && !strange)
		return false;
	out_text(o, "INCOMPLETE TABLES: ");
	if (strange)
		out_text(o, "most that their file names is not in this fabric; ");
	out_text(o, "%u of %s %s a table", all - lacking, PLURAL(all, "switch"),
		 all - lacking == 1 ? "has" : "have");
	if (untold)
		out_text(o, ", whether %s %s a path cannot be told", PLURAL(untold, "pair"),
			 untold == 1 ? "has" : "have");
	out_text(o, ".\n");
	return true;
}
