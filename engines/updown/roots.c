/*
 * The switches that Up/Down takes as roots when none is named (engines/doc/updn.md 3.3, as in OpenSM 3.3.23).
 */
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "engines/updown/updown.h"

#include <stdlib.h>

struct root_search *root_search_new(const struct topo *t, const struct hops *plain)
{
	const struct fabric *f = t->fabric;
	uint32_t n = f->n_switches, *hosts = NEW_ARRAY(n, uint32_t); /* CA and router ports at each switch */
	struct root_search *s = NEW(struct root_search);

	s->topo = topo_ref(t);
	s->bar = NEW_ARRAY((size_t)n * ROOT_BARS, uint32_t);
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		if (!t->endport_up[ep] || endport_is_switch(f, ep) || t->endport_switch[ep] == NO_ID)
			continue;
		hosts[t->endport_switch[ep]]++;
		s->total++;
	}
	for (uint32_t x = 0; x < n; x++) {
		uint32_t *bar = s->bar + (size_t)x * ROOT_BARS;

		for (uint32_t d = 0; switch_up(t, x) && d < n; d++) {
			unsigned k = d == x ? 0 : hops_least(plain, x, d);

			if (k < ROOT_BARS)
				bar[k] += hosts[d];
		}
	}
	free(hosts);
	return s;
}

void root_search_free(struct root_search *s)
{
	if (!s)
		return;
	topo_unref(s->topo);
	free(s->bar);
	free(s);
}

uint32_t root_main_limit(const struct root_search *s)
{
	return (uint64_t)s->total * 9 / 10 + 1;
}

uint32_t root_second_limit(const struct root_search *s)
{
	return s->total / 20 + 1;
}

enum root_verdict root_verdict(const struct root_search *s, uint32_t sw)
{
	const uint32_t *bar = root_bars(s, sw);
	uint32_t main_limit = root_main_limit(s), second_limit = root_second_limit(s);
	unsigned n_main = 0, n_second = 0;

	if (!switch_up(s->topo, sw))
		return ROOT_DOWN;
	if (!s->total)
		return ROOT_NO_HOSTS;
	for (unsigned k = 0; k < ROOT_BARS; k++) {
		n_main += bar[k] >= main_limit;
		n_second += bar[k] >= second_limit;
	}
	if (n_main != 1)
		return ROOT_SPREAD;
	return n_second == 1 ? ROOT_YES : ROOT_SECOND;
}

const char *root_verdict_text(enum root_verdict v)
{
	switch (v) {
	case ROOT_YES:
		return "root: one distance holds more than 90 %, no other one more than 5 %";
	case ROOT_SPREAD:
		return "no root: no distance holds more than 90 %";
	case ROOT_SECOND:
		return "no root: a second distance holds more than 5 %";
	case ROOT_NO_HOSTS:
		return "no root: there are no CA or router ports to count";
	case ROOT_DOWN:
		break;
	}
	return "not up";
}

void root_peaks(const struct root_search *s, uint32_t sw, unsigned *most, unsigned *next)
{
	const uint32_t *bar = root_bars(s, sw);

	*most = *next = ROOT_BARS;
	for (unsigned k = 0; k < ROOT_BARS; k++) {
		if (!bar[k])
			continue;
		if (*most == ROOT_BARS || bar[k] > bar[*most]) {
			*next = *most;
			*most = k;
		} else if (*next == ROOT_BARS || bar[k] > bar[*next]) {
			*next = k;
		}
	}
}

/*
 * Of the switches with a verdict, the one that is nearest to being a root: most ports at one distance, then
 * fewest at another.
 */
static uint32_t nearest_miss(const struct root_search *s, enum root_verdict v, uint32_t *count)
{
	uint32_t best = NO_ID, best_most = 0, best_next = 0;

	*count = 0;
	for (uint32_t sw = 0; sw < s->topo->fabric->n_switches; sw++) {
		uint32_t m, x;
		unsigned most, next;

		if (root_verdict(s, sw) != v)
			continue;
		++*count;
		root_peaks(s, sw, &most, &next);
		m = most < ROOT_BARS ? root_bars(s, sw)[most] : 0;
		x = next < ROOT_BARS ? root_bars(s, sw)[next] : 0;
		if (best == NO_ID || m > best_most || (m == best_most && x < best_next)) {
			best = sw;
			best_most = m;
			best_next = x;
		}
	}
	return best;
}

void root_search_refusal(const struct root_search *s, struct err *why)
{
	const struct fabric *f = s->topo->fabric;
	uint32_t n_spread, n_second, spread, second;
	unsigned most, next;
	struct text t = {0};

	if (!s->total) {
		err_set(why, "no root switches: there are no CA or router ports, and roots are found by "
			     "counting them");
		return;
	}
	spread = nearest_miss(s, ROOT_SPREAD, &n_spread);
	second = nearest_miss(s, ROOT_SECOND, &n_second);
	text_add(&t,
		 "no root switches: a root has more than 90 %% of the %u CA and router ports (at least %u) "
		 "at one distance and no other distance with more than 5 %% (at most %u);",
		 s->total, root_main_limit(s), root_second_limit(s) - 1);
	if (n_spread) {
		root_peaks(s, spread, &most, &next);
		text_add(&t, " %u switch%s no such distance (the most: %.40s has %u ports at distance %u)%s",
			 n_spread, n_spread == 1 ? " has" : "es have", switch_name(f, spread),
			 most < ROOT_BARS ? root_bars(s, spread)[most] : 0, most, n_second ? ";" : "");
	}
	if (n_second) {
		root_peaks(s, second, &most, &next);
		text_add(&t, " %u ha%s a second one (the least: %.40s has %u ports at distance %u)", n_second,
			 n_second == 1 ? "s" : "ve", switch_name(f, second), root_bars(s, second)[next],
			 next);
	}
	text_add(&t, "; name the roots with root_guid_file");
	err_set(why, "%s", text_str(&t));
	text_free(&t);
}
