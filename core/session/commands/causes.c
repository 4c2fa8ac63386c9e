/* Causes of lost pairs and of wrong entries, as commands tell them; and what was last at a place. */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"

/* --- earlier fabrics ------------------------------------------------------------------------------------ */

/* Earlier fabrics that the session knows, the latest first: of events, then of snapshots.  NULL: no more. */
static const struct fabric *earlier(const struct session *s, size_t i)
{
	if (i < s->at)
		return s->event[s->at - 1 - i].setup->fabric;
	i -= s->at;
	return i < s->n_snapshots ? s->snapshot[s->n_snapshots - 1 - i].sweep->fabric : NULL;
}

static char *peer_in(const struct fabric *f, uint32_t port)
{
	return f->port_peer[port] == NO_ID ? NULL : str_dup(PORT_LABEL(f, f->port_peer[port]));
}

static char *last_peer(void *ctx, uint64_t guid, unsigned port)
{
	const struct session *s = ctx;
	const struct fabric *f;
	char *label = NULL;

	for (size_t i = 0; !label && (f = earlier(s, i)); i++) {
		uint32_t node = fabric_node_by_guid(f, guid);

		if (f != s->fabric && node != NO_ID && port <= f->node_nports[node])
			label = peer_in(f, f->node_port[node] + port);
	}
	return label;
}

struct last_seen session_last_seen(struct session *s)
{
	return (struct last_seen){last_peer, s};
}

/* --- causes --------------------------------------------------------------------------------------------- */

#define CAUSE_LINES 20

void report_causes(const struct causes *s, bool all, const char *command, struct out *o)
{
	const struct sweep *w = s->w;
	json_t *list = json_array(), *x;
	struct text t = {0};

	if (s->n)
		out_text(o, "%s%s\n", PLURAL(s->n, "cause"), s->n == 1 ? ":" : ", each pair has one:");
	for (size_t i = 0; i < s->n; i++) {
		const struct cause *c = &s->c[i];

		t.len = 0;
		cause_text(c, &t);
		if (all || i < CAUSE_LINES)
			out_text(o, "  %-7s " ROW_PROSE "%s\n", c->word, text_str(&t));
		x = json_object();
		fields_json(x, cause_fields, c);
		json_put_node(x, "where", w->fabric, w->lids, c->node);
		if (c->port) {
			json_object_set_new(x, "port", json_integer(c->port));
			json_put_label(x, "port", w->fabric, w->fabric->node_port[c->node] + c->port);
		}
		json_array_append_new(list, x);
	}
	text_free(&t);
	if (!all && s->n > CAUSE_LINES)
		out_text(o, "  ... %s\n", PLURAL(s->n - CAUSE_LINES, "more cause"));
	if (s->n && !all)
		out_text(o, "  `%s all` prints them one by one\n", command);
	out_json(o, "causes", list);
	out_json(o, "pairs_lost", json_integer((json_int_t)s->lost));
	out_json(o, "pairs_untold", json_integer((json_int_t)s->untold));
}

bool report_incomplete_tables(const struct sweep *w, uint64_t untold, struct out *o)
{
	uint32_t all, lacking = tables_lacking(w, &all);
	bool strange = tables_strange(w);

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
