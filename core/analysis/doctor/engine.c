/*
 * Findings about the engines that were asked for. The engines themselves know when OpenSM would refuse, hang,
 * crash or behave oddly (struct sweep: refusal, fatal, notes). This file only sorts that by kind.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/routing/distances.h"
#include "core/analysis/doctor/internal.h"
#include "core/base/memory.h"

static const struct refusal *last_refusal(const struct sweep *w)
{
	return &w->refusal[w->n_refusals - 1];
}

/* --- hangs, crashes ----------------------------------------------------------------------------------- */

static bool doctor_engine_ends_so(const struct sweep *w, const char *how)
{
	return w && w->fatal && !strcmp(w->fatal, how);
}

/* OpenSM hangs or crashes. */
int find_fatal(struct doctor *d, const struct rule *r)
{
	bool hang = !strcmp(r->kind, "hang");
	const char *how = hang ? "never ends" : "crashes", *words = hang ? "hangs while it routes" : how;
	const struct sweep *w = doctor_engine_ends_so(d->computed, how) ? d->computed
				: doctor_engine_ends_so(d->next, how)	? d->next
									: NULL;
	struct finding *x;

	if (!w)
		return 0;
	if (w->n_refusals)
		x = tell(d, r, "OpenSM %s%s: %s: %s.", words, w == d->next ? " at its next sweep" : " here",
			 last_refusal(w)->engine, last_refusal(w)->why);
	else
		x = tell(d, r, "OpenSM %s%s: %s", words, w == d->next ? " at its next sweep" : " here",
			 *w->notes ? w->notes : "no engine is left.");
	finding_more(x, "route %s", w->setup->chain);
	return 0;
}

/* --- refusals ------------------------------------------------------------------------------------------ */

int find_no_routing(struct doctor *d, const struct rule *r)
{
	const struct sweep *w = d->computed;
	struct finding *x;

	if (!w || w->routing || w->fatal || !w->n_refusals)
		return 0;
	x = tell(d, r, "No engine can route: OpenSM leaves the subnet as it is (%s: %s).",
		 last_refusal(w)->engine, last_refusal(w)->why);
	finding_more(x, "route %s", w->setup->chain);
	return 0;
}

int find_refused(struct doctor *d, const struct rule *r)
{
	const struct sweep *w = d->computed;
	struct finding *x;

	for (size_t i = 0; w && w->routing && i < w->n_refusals; i++) {
		x = tell(d, r, "%s refuses, %s routes: %s.", w->refusal[i].engine, w->routing->engine,
			 w->refusal[i].why);
		finding_more(x, "route %s", w->setup->chain);
	}
	return 0;
}

static const char *doctor_engine_in_force(const struct sweep *w)
{
	return w && w->routing ? w->routing->engine : "none";
}

int find_vls_later(struct doctor *d, const struct rule *r)
{
	const struct sweep *w = d->computed, *next = d->next;
	struct finding *x;

	if (!w || !next || next->fatal || !strcmp(doctor_engine_in_force(w), doctor_engine_in_force(next)) ||
	    !next->n_refusals)
		return 0;
	x = tell(d, r, "From the second sweep on, %s routes in place of %s: %s.",
		 doctor_engine_in_force(next), doctor_engine_in_force(w), last_refusal(next)->why);
	finding_more(x, "sweep");
	return 0;
}

/* dfsssp and sssp count distances up to here. A link is worth at least LIDs squared. */
#define DISTANCE_END ((uint64_t)1 << 31)

/* The longest of all shortest ways (so far, when cancelled); 0 if none can be worth DISTANCE_END. */
static unsigned longest_way(const struct doctor *d, const struct topo *t, uint64_t lids)
{
	uint16_t *hops = NEW_ARRAY((size_t)t->fabric->n_switches + 1, uint16_t);
	unsigned most = 0;
	bool near = false;

	for (uint32_t s = 0; s < t->fabric->n_switches && !near && !progress_cancelled(d->p); s++) {
		unsigned far = 0;

		if (!switch_up(t, s))
			continue;
		switch_distances(t, s, hops);
		for (uint32_t to = 0; to < t->fabric->n_switches; to++)
			if (hops[to] != NO_HOPS && hops[to] > far)
				far = hops[to];
		/* no way is longer than twice the farthest from the first switch */
		near = far && !most && 2 * far * lids * lids < DISTANCE_END;
		most = MAX(far, most);
	}
	free(hops);
	return near ? 0 : most;
}

/* The engine in force may leave the farthest destinations without a route. */
static void tell_far(struct doctor *d, const struct rule *r)
{
	const struct sweep *w = d->computed;
	uint64_t lids = 0; /* of CAs and switches */
	unsigned hops;

	if (!w || (strcmp(doctor_engine_in_force(w), "dfsssp") != 0 &&
		   strcmp(doctor_engine_in_force(w), "sssp") != 0))
		return;
	for (uint32_t ep = 0; ep < w->fabric->n_endports; ep++)
		if (w->topo->endport_up[ep] &&
		    w->fabric->node_type[endport_node(w->fabric, ep)] != NODE_ROUTER)
			lids += w->lids->count[ep];
	hops = longest_way(d, w->topo, lids);
	if (hops * lids * lids >= DISTANCE_END)
		finding_more(tell(d, r,
				  "%s counts distances only up to a limit: %" PRIu64
				  " LIDs, %u hops between switches; with so many LIDs it makes no route "
				  "longer than %" PRIu64 " hops.",
				  doctor_engine_in_force(w), lids, hops, (DISTANCE_END - 1) / (lids * lids)),
			     "check");
}

int find_dfsssp_cap(struct doctor *d, const struct rule *r)
{
	const struct sweep *w = d->computed;
	struct finding *x;

	tell_far(d, r);
	for (size_t i = 0; w && i < w->n_refusals; i++) {
		if (w->refusal[i].kind != REFUSED_LIMIT)
			continue;
		x = tell(d, r, "%s refuses: %s.", w->refusal[i].engine, w->refusal[i].why);
		x->severity = SEVERITY_ERROR;
		finding_more(x, "route %s", w->setup->chain);
	}
	return 0;
}

/* --- what engines note --------------------------------------------------------------------------------- */

/* A finding for each line of the notes of a kind. */
int find_notes(struct doctor *d, const struct rule *r)
{
	static const struct {
		const char *rule, *more;
		enum note_kind kind;
	} told[] = {
		{"guid-file", "show options", NOTE_GUID_FILE},
		{"ftree-lottery", "list ranks", NOTE_LOTTERY},
		{"torus-holes", "list torus", NOTE_TORUS_HOLES},
		{"rules-differ", "show options", NOTE_RULES},
	};
	const struct sweep *w = d->computed;
	size_t at = 0, n, i = 0;

	while (strcmp(told[i].rule, r->kind) != 0)
		i++;

	for (; w && w->notes[at]; at += n + (w->notes[at + n] != '\0')) {
		n = strcspn(w->notes + at, "\n");
		if (notes_kinds(w->note_mark, w->n_note_marks, at, at + n) & told[i].kind)
			finding_more(tell(d, r, "%.*s.", (int)n, w->notes + at), "%s", told[i].more);
	}
	return 0;
}

int find_ftree_single(struct doctor *d, const struct rule *r)
{
	const struct sweep *w = d->computed;
	struct finding *x;

	if (!w || strcmp(doctor_engine_in_force(w), "ftree") != 0 ||
	    options_file(w->setup->options, "root_guid_file"))
		return 0;
	x = tell(d, r, "Any lost link makes ftree refuse; %s takes over.",
		 strchr(w->setup->chain, ',') ? "the next of the chain" : "minhop");
	finding_more(x, "survey links");
	return 0;
}
