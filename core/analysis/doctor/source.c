/* Findings from the source of the fabric: its warnings, LIDs, managers. */
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/doctor/internal.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/fabric/fabric.h"

/* The first warning of one or two kinds, or NULL. *n: their number. */
static const struct warning *warnings_of(const struct doctor *d, const char *kind, const char *or_kind,
					 uint64_t *n)
{
	const struct warnings *w = &d->f->warnings;
	const struct warning *first = NULL;

	*n = 0;
	for (size_t i = 0; i < w->n; i++) {
		const struct warning *x = &w->w[i];

		if (strcmp(x->kind, kind) != 0 && (!or_kind || strcmp(x->kind, or_kind) != 0))
			continue;
		first = first ? first : x;
		*n += x->stands_for;
	}
	return first;
}

static void at_warning(const struct doctor *d, struct finding *x, const struct warning *w)
{
	if (w->guid)
		x->node = fabric_node_by_guid(d->f, w->guid);
	if (x->node != NO_ID)
		x->port = w->port;
}

/* The name of the node, if the warning begins with one of its ports. Else "". */
static const char *whose(const struct doctor *d, const struct warning *w)
{
	uint32_t node = w->guid ? fabric_node_by_guid(d->f, w->guid) : NO_ID;

	return node == NO_ID || strncmp(w->text, "port ", 5) != 0 ? "" : d->f->node_name[node];
}

/* Tells all warnings of a kind in one line, with the text of the first. */
int find_warnings(struct doctor *d, const struct rule *r)
{
	static const struct {
		const char *rule, *kind, *or_kind, *what;
	} told[] = {
		{"duplicate-lid", "duplicate LID", NULL, "duplicate LID"},
		{"duplicate-guid", "duplicate GUID", NULL, "duplicate GUID"},
		/* in a file that was cut, links are one-sided because lines are missing */
		{"one-way", "one-sided link", "contradicting link", "contradicting cable"},
		{"unknown-lines", "unknown line", NULL, "unknown line"},
		{"left-out", "other run", "file left out", "left-out file"},
	};
	AUTO_TEXT struct text t = {0};
	uint64_t n;
	size_t i = 0;

	for (; strcmp(told[i].rule, r->kind) != 0; i++)
		assert(i + 1 < ARRAY_LEN(told));
	const struct warning *first = warnings_of(
		d, i == 2 && d->f->warnings.missing ? told[i].or_kind : told[i].kind, told[i].or_kind, &n);
	if (!first)
		return 0;
	uint64_t misled = i ? 0 : d->check.misled;
	if (n > 1)
		text_add(&t, "%s; first: ", PLURAL(n, told[i].what));
	text_add(&t, "%s%s%s", whose(d, first), *whose(d, first) ? ", " : "", first->text);
	if (misled)
		text_add(&t, "; %s of hosts %s the wrong port", PLURAL(misled, "pair"),
			 misled == 1 ? "reaches" : "reach");
	struct finding *x = tell(d, r, "show warnings", "%s.", text_str(&t));
	x->count = n;
	x->pairs = misled;
	at_warning(d, x, first);
	return 0;
}

/* Nobody, or more than one, looks after the fabric. */
int find_managers(struct doctor *d, const struct rule *r)
{
	bool several = !strcmp(r->kind, "two-masters");
	enum managers_fault fault = managers_fault(d->f);
	AUTO_TEXT struct text t = {0};

	if (fault == MANAGERS_GOOD || (fault == MANAGERS_SEVERAL) != several)
		return 0;
	managers_tell_fault(d->f, &t);
	tell(d, r, "show", "%c%s.", toupper((unsigned char)*t.s), t.s + 1);
	return 0;
}

int find_incomplete(struct doctor *d, const struct rule *r)
{
	const struct warnings *w = &d->f->warnings;
	const struct warning *first = w->w;
	AUTO_TEXT struct text t = {0};
	uint64_t untold;

	if (!w->missing)
		return 0;
	if (pairs_untold(d, &untold))
		return -1;
	while (!first->missing)
		first++;
	warnings_tell_missing(w, &t);
	if (untold)
		text_add(&t, "; of %s of hosts it cannot be told whether they have a path",
			 PLURAL(untold, "pair"));
	struct finding *x =
		tell(d, r, "show warnings", "A part of the fabric is missing: %s (first: %s%s%s).",
		     text_str(&t), whose(d, first), *whose(d, first) ? ", " : "", first->text);
	at_warning(d, x, first);
	x->count = w->missing;
	return 0;
}

#define ERRORS_LISTED 40

/* Tells each error with its file, line, words and place. */
int find_ibdiagnet(struct doctor *d, const struct rule *r)
{
	static const char kind[] = "ibdiagnet error";
	const struct warnings *w = &d->f->warnings;
	uint64_t n, listed = 0;
	const struct warning *first = warnings_of(d, kind, NULL, &n);
	struct text t = {0};

	if (!first)
		return 0;
	for (size_t i = 0; i < w->n && listed < ERRORS_LISTED; i++) {
		uint32_t node = w->w[i].guid ? fabric_node_by_guid(d->f, w->w[i].guid) : NO_ID;

		if (strcmp(w->w[i].kind, kind) != 0)
			continue;
		text_add(&t, "%s%s", listed++ ? "\n" : "", w->w[i].text);
		if (node != NO_ID && w->w[i].port)
			text_add(&t, " (%s[%u])", d->f->node_name[node], w->w[i].port);
		else if (node != NO_ID)
			text_add(&t, " (%s)", d->f->node_name[node]);
	}
	struct finding *x = tell(d, r, "show warnings", "ibdiagnet found %s.", PLURAL(n, "error"));
	x->detail = t.s;
	x->count = n;
	at_warning(d, x, first);
	return 0;
}

int find_aggregation(struct doctor *d, const struct rule *r)
{
	uint32_t n = fabric_aggregation_nodes(d->f);

	if (!n || setup_counts_aggregation(d->rq->setup))
		return 0;
	struct finding *x = tell(d, r, "show options", "ibscope does not count %s of switches as hosts.",
				 PLURAL(n, "aggregation node"));
	x->count = n;
	return 0;
}

static unsigned lid_told(const struct doctor *d, uint32_t port)
{
	const struct switch_tables *read = setup_tables(d->rq->setup);

	return read && read->lid ? read->lid[port] : d->f->port_lid[port];
}

int find_no_lid(struct doctor *d, const struct rule *r)
{
	uint32_t hosts = 0, beyond = 0, switches = 0, good = 0;
	struct places at = {0};

	for (uint32_t ep = 0; ep < d->f->n_endports; ep++) {
		uint32_t port = d->f->endport_port[ep];
		unsigned lid = lid_told(d, port);

		if (!d->t->endport_up[ep])
			continue;
		if (lid && lid <= MAX_LID) {
			good++;
			continue;
		}
		beyond += lid != 0;
		if (endport_is_switch(d->f, ep)) {
			switches++;
			places_add_switch(&at, d->f, port_switch(d->f, port));
		} else {
			hosts++;
			places_add_port(&at, d->f, port);
		}
	}
	if (hosts + switches == 0 || (!good && !strcmp(d->f->format, "synthetic"))) {
		text_free(&at.t);
		return 0;
	}
	struct finding *x = tell_of_places(
		d, r, &at, "list hosts", "%s%s%s without a valid LID%s%s (%s).",
		hosts ? PLURAL(hosts, "host port") : "", hosts && switches ? " and " : "",
		switches ? PLURAL(switches, "switch") : "", beyond ? " (0, or above 49151)" : "",
		good ? "" : ": no subnet manager has given LIDs here", places_text(&at));
	if (!good)
		x->severity = SEVERITY_NOTE;
	return 0;
}

int find_sm_place(struct doctor *d, const struct rule *r)
{
	struct places at = {0};
	char a[300];

	if (!d->r)
		return 0;
	AUTO_FREE uint8_t *missed = NEW_ARRAY(d->f->n_switches + 1, uint8_t);
	manager_misses(d->r, missed);
	for (uint32_t s = 0; s < d->f->n_switches; s++)
		if (missed[s])
			places_add_switch(&at, d->f, s);
	if (at.n)
		tell_of_places(d, r, &at, "show",
			       "The subnet manager %s on %s. Under %s it has no path to %s: %s.",
			       d->f->sm_guessed ? "probably runs" : "runs",
			       endport_label(d->f, d->t->sm_endport, a, sizeof(a)), d->r->engine,
			       PLURAL(at.n, "switch"), places_text(&at));
	return 0;
}

int find_sm_guessed(struct doctor *d, const struct rule *r)
{
	uint32_t ep = d->t->sm_endport;
	bool lids = false;
	char a[300];

	/* if more depends on the guess, the finding sm-decides reports it */
	for (uint32_t s = 0; s < d->f->n_switches; s++)
		if (d->losses.sm_smaller[s])
			return 0;
	if (!d->f->sm_guessed || ep == NO_ID)
		return 0;
	for (uint32_t i = 0; i < d->f->n_endports && !lids; i++)
		lids = lid_told(d, d->f->endport_port[i]) != 0;
	struct finding *x =
		tell(d, r, "show", "Subnet manager's node unknown: ibscope takes %s%s.",
		     endport_label(d->f, ep, a, sizeof(a)), lids ? "" : ", and the LIDs depend on that");
	finding_at(d, x, d->f->endport_port[ep]);
	return 0;
}
