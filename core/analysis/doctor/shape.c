/*
 * Findings about how the fabric is cabled: switches unlike their siblings, hosts where none are expected,
 * what hangs on one switch. The fabric itself shows what is usual, level by level (levels.h).
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/routing/distances.h"
#include "core/analysis/doctor/internal.h"
#include "core/base/memory.h"
#include "core/base/order.h"

/* --- switches and their siblings --------------------------------------------------------------- */

/* Links to the next level, and distinct neighbours there. In a direct fabric all count. */
struct upward {
	uint32_t *links, *parents; /* [n_switches] */
};

/* The most frequent value on a level; if there are several, the largest. *n of *count switches have it. */
static uint32_t mode_on(const struct doctor *d, const uint32_t *value, unsigned level, uint32_t *count,
			uint32_t *n)
{
	uint32_t *v = NEW_ARRAY(d->f->n_switches + 1, uint32_t), mode = 0;

	*count = *n = 0;
	for (uint32_t s = 0; s < d->f->n_switches; s++)
		if (switch_up(d->t, s) && d->levels->level[s] == level)
			v[(*count)++] = value[s];
	qsort(v, *count, sizeof(*v), order_u32);
	for (uint32_t i = 0, end; i < *count; i = end) {
		for (end = i; end < *count && v[end] == v[i]; end++)
			;
		if (end - i >= *n) {
			*n = end - i;
			mode = v[i];
		}
	}
	free(v);
	return mode;
}

/* How many of a level's `count` switches may be unlike the rest. */
static uint32_t may_deviate(const struct doctor *d, uint32_t count)
{
	uint32_t n = count / (d->direct ? THIN_PART_DIRECT : THIN_PART), least = d->direct ? 2 : 1;

	return MAX(n, least);
}

/* Adds the switches of a level with the wanted value to `at`, and a line about them to t. */
static void add_with(const struct doctor *d, const uint32_t *value, unsigned level, uint32_t wanted,
		     struct places *at, struct text *t)
{
	enum { NAMED = 5 };
	uint32_t n = 0;

	for (uint32_t s = 0; s < d->f->n_switches; s++) {
		if (!switch_up(d->t, s) || d->levels->level[s] != level || value[s] != wanted)
			continue;
		places_add_switch(at, d->f, s);
		if (!n)
			text_add(t, "%swith %u: ", t->len ? "\n" : "", wanted);
		if (n < NAMED)
			text_add(t, "%s%s", n ? ", " : "", switch_name(d->f, s));
		n++;
	}
	if (n > NAMED)
		text_add(t, ", and %u more", n - NAMED);
}

static void tell_thin(struct doctor *d, const struct rule *r, const struct upward *u, unsigned level)
{
	uint32_t count, usual, mode = mode_on(d, u->links, level, &count, &usual), least = mode;
	struct places at = {0};
	struct text t = {0};
	struct finding *x;

	for (uint32_t links = 0; links < mode; links++) {
		add_with(d, u->links, level, links, &at, &t);
		if (at.n && least == mode)
			least = links;
	}
	if (!at.n || count < LEAST_SWITCHES || at.n > may_deviate(d, count)) {
		text_free(&at.t);
		text_free(&t);
		return;
	}
	x = tell(d, r, "%u of %u %s %s fewer %s than the rest (%u at least, usually %u): %s.", at.n, count,
		 d->direct    ? "switches"
		 : level == 0 ? "edge switches"
			      : "switches above the edge",
		 at.n == 1 ? "has" : "have", d->direct ? "links" : "uplinks", least, mode, places_text(&at));
	x->figure = least;
	x->detail = t.s;
	places_end_ports(&at, x, d->f);
}

static void tell_cabling(struct doctor *d, const struct rule *r, const struct upward *u, unsigned level)
{
	uint32_t count, usual, links = mode_on(d, u->links, level, &count, &usual);
	uint32_t parents = mode_on(d, u->parents, level, &count, &usual), least = parents;
	struct places at = {0};
	struct finding *x;

	for (uint32_t s = 0; s < d->f->n_switches; s++)
		if (switch_up(d->t, s) && d->levels->level[s] == level && u->parents[s] < parents &&
		    u->links[s] >= links) {
			places_add_switch(&at, d->f, s);
			least = MIN(u->parents[s], least);
		}
	if (!at.n || count < LEAST_SWITCHES || at.n > may_deviate(d, count)) {
		text_free(&at.t);
		return;
	}
	x = tell(d, r, "%s: no link is missing, but the links lead to %u neighbours in place of %u.",
		 places_text(&at), least, parents);
	x->figure = least;
	places_end_ports(&at, x, d->f);
}

/* Calls tell_of() for each level that has a next one. */
static int each_level(struct doctor *d, const struct rule *r,
		      void (*tell_of)(struct doctor *d, const struct rule *r, const struct upward *u,
				      unsigned level))
{
	uint32_t n = d->f->n_switches, *seen;
	struct upward u;

	if (d->n_hosts < LEAST_HOSTS)
		return 0;
	seen = NEW_ARRAY(n, uint32_t);
	u.links = NEW_ARRAY(n, uint32_t);
	u.parents = NEW_ARRAY(n, uint32_t);
	for (uint32_t s = 0; s < n; s++)
		FOR_CABLES(d->t, s, port, to) {
			if (!d->direct && d->levels->level[to] != d->levels->level[s] + 1)
				continue;
			u.links[s]++;
			u.parents[s] += seen[to] != s + 1;
			seen[to] = s + 1;
		}
	for (unsigned level = 0; level < (d->direct ? 1 : d->levels->top); level++)
		tell_of(d, r, &u, level);
	free(seen);
	free(u.links);
	free(u.parents);
	return 0;
}

int find_thin(struct doctor *d, const struct rule *r)
{
	return each_level(d, r, tell_thin);
}

int find_cabling(struct doctor *d, const struct rule *r)
{
	return each_level(d, r, tell_cabling);
}

/* --- hosts in odd places, switches without use ------------------------------------------------- */

int find_above_edge(struct doctor *d, const struct rule *r)
{
	struct places at = {0};
	struct finding *x;
	uint32_t hosts = 0;

	for (uint32_t s = 0; s < d->f->n_switches; s++)
		if (d->hosts[s] && d->levels->level[s] != NO_HOPS && d->levels->level[s]) {
			places_add_switch(&at, d->f, s);
			hosts += d->hosts[s];
		}
	if (!at.n)
		return 0;
	x = tell(d, r, "%s on %s above the edge: %s.", PLURAL(hosts, "host"), PLURAL(at.n, "switch"),
		 places_text(&at));
	places_end_ports(&at, x, d->f);
	x->count = hosts;
	return 0;
}

int find_empty_leaf(struct doctor *d, const struct rule *r)
{
	struct places at = {0};
	struct finding *x;

	for (uint32_t s = 0; s < d->f->n_switches; s++) {
		bool empty = switch_up(d->t, s) && !d->hosts[s];

		FOR_PORTS(d->f, s, port)
			empty &= d->share[port] <= 0;
		if (empty)
			places_add_switch(&at, d->f, s);
	}
	if (!at.n)
		return 0;
	x = tell(d, r, "%s without hosts, and on no shortest path between hosts: %s.", PLURAL(at.n, "switch"),
		 places_text(&at));
	places_end(&at, x, "list switches");
	return 0;
}

/* --- what hangs on one switch ------------------------------------------------------------------ */

int find_single_point(struct doctor *d, const struct rule *r)
{
	struct places at = {0};
	struct finding *x;
	uint64_t hosts = d->losses.behind;

	for (uint32_t s = 0; s < d->f->n_switches; s++)
		if (d->losses.apart[s])
			places_add_switch(&at, d->f, s);
	if (!at.n)
		return 0;
	x = tell(d, r, "%s %s the only way to %s: %s.", PLURAL(at.n, "switch"), at.n == 1 ? "is" : "are",
		 PLURAL(hosts, "host"), places_text(&at));
	places_end(&at, x, "survey switches");
	x->figure = (double)hosts;
	return 0;
}

int find_sm_decides(struct doctor *d, const struct rule *r)
{
	struct places at = {0};
	struct finding *x;
	char a[300];

	for (uint32_t s = 0; d->f->sm_guessed && s < d->f->n_switches; s++)
		if (d->losses.sm_smaller[s])
			places_add_switch(&at, d->f, s);
	if (!at.n)
		return 0;
	x = tell(d, r,
		 "Subnet manager's node unknown (ibscope takes %s): if %s fails, the result depends on it.",
		 endport_label(d->f, d->t->sm_endport, a, sizeof(a)), places_text(&at));
	places_end(&at, x, "show");
	return 0;
}
