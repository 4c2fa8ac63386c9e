/* Findings about lost bandwidth: links slower than they could be, and ports of hosts off their rails. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/plan.h"
#include "core/analysis/doctor/internal.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/fabric/fabric.h"

/* How it is known that a link could be faster.  The first that applies counts. */
enum pace_proof {
	PACE_FULL,   /* it could not, as far as known */
	PACE_BESIDE, /* a link between the same two nodes is faster */
	PACE_ENDS,   /* both ends can more */
	PACE_LIKE,   /* almost all links between such devices on such levels are faster */
	PACE_LANE,   /* it has one lane, and most links of the fabric have more */
	PACE_OTHERS, /* almost all links on such levels are faster, between other devices: maybe on purpose */
};

static const char *const pace_words[] = {"",	     "a link beside", "both ends can",
					 "the rest", "the rest",      "the rest"};

/* A link by the levels of its ends, and by their devices.  A host is below all levels. */
struct paced {
	uint64_t class; /* below 2^16: a host's */
	uint64_t devices;
	uint32_t port;	      /* of the lower end */
	uint32_t of;	      /* links of the class */
	uint8_t proof;	      /* enum pace_proof */
	uint8_t width, speed; /* that it could have */
	double rate, could;   /* in Gbit/s */
};

COMPARATOR(by_class_and_rate, struct paced, UP(class) UP(rate) UP(port))
COMPARATOR(by_devices_and_rate, struct paced, UP(class) UP(devices) UP(rate) UP(port))
COMPARATOR(by_proof_and_rate, struct paced, UP(proof) UP(class) UP(rate) UP(could) UP(port))

const char *gbps_text(double gbps, char *buf, size_t size)
{
	*buf = '\0';
	if (gbps > 0)
		snprintf(buf, size, ", %.1f Gbit/s", gbps);
	return buf;
}

/* Lists the links that are up, without those of aggregation nodes; returns their number. */
static uint32_t paced_list(const struct doctor *d, struct paced *l)
{
	const struct fabric *f = d->f;
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n_links; i++) {
		uint32_t p = f->link_port[2 * i], q = f->link_port[2 * i + 1], swap = p;
		bool down = node_is_switch(f, f->port_node[p]) && node_is_switch(f, f->port_node[q]) &&
			    d->levels->level[port_switch(f, q)] < d->levels->level[port_switch(f, p)];

		if (down || !node_is_switch(f, f->port_node[q])) {
			p = q;
			q = swap;
		}
		uint32_t a = f->port_node[p], b = f->port_node[q];
		if (d->t->peer[p] == NO_ID || !node_is_switch(f, b) || node_is_aggregation(f, a))
			continue;
		uint64_t lower = node_is_switch(f, a) ? d->levels->level[port_switch(f, p)] + 1u : 0;
		l[n++] = (struct paced){.class = lower << 16 | d->levels->level[port_switch(f, q)],
					.devices = (uint64_t)f->node_device[a] << 32 | f->node_device[b],
					.port = p,
					.rate = fabric_port_gbps(f, p)};
	}
	return n;
}

/* Records what a link could be, if that is faster, and nothing was recorded before. */
static void pace_set(struct doctor *d, struct paced *l, enum pace_proof proof, unsigned width, unsigned speed)
{
	double could = link_rate_gbps(width, speed);

	if (l->proof != PACE_FULL || l->rate <= 0 || l->rate >= could)
		return;
	l->proof = (uint8_t)proof;
	l->width = (uint8_t)width;
	l->speed = (uint8_t)speed;
	l->could = could;
	if (proof != PACE_OTHERS)
		d->full[d->f->port_link[l->port]] = l->rate / could;
}

/* By the other links between the same two nodes. */
static void rate_beside(struct doctor *d, struct paced *l)
{
	const struct fabric *f = d->f;
	uint32_t node = f->port_node[l->port], to = f->port_node[f->port_peer[l->port]], best = l->port;

	for (uint32_t p = f->node_port[node] + 1; p < f->node_port[node + 1]; p++)
		if (d->t->peer[p] != NO_ID && f->port_node[d->t->peer[p]] == to &&
		    fabric_port_gbps(f, p) > fabric_port_gbps(f, best))
			best = p;
	pace_set(d, l, PACE_BESIDE, f->port_width[best], f->port_speed[best]);
}

/* By what both ends can.  No more than the usual width counts: ibsim tells 12x for each port, and both ends
 * of split cables may tell 4x. */
static void pace_ends(struct doctor *d, struct paced *l, unsigned usual)
{
	unsigned own = d->f->port_width[l->port];
	enum link_width width;
	enum link_speed speed;

	if (link_enabled(d->f, l->port, &width, &speed))
		pace_set(d, l, PACE_ENDS, MAX(MIN(width, usual), own), speed);
}

/* By the rate that almost all of the links from i on have that have its class, and (with devices) its
 * devices. They are in order of rates.  Returns the first behind them. */
static uint32_t pace_usual(struct doctor *d, uint32_t i, bool devices)
{
	struct paced *l = d->paced;
	uint32_t end = i, first = i, usual = i, most = 0;

	for (; end < d->n_paced && l[end].class == l[i].class && (!devices || l[end].devices == l[i].devices);
	     end++) {
		first = l[end].rate > l[first].rate ? end : first;
		if (end + 1 - first > most) {
			most = end + 1 - first;
			usual = l[end].port;
		}
	}
	for (uint32_t k = i; k < end; k++) {
		l[k].of = end - i;
		if (end - i >= SLOW_LEAST && most >= SLOW_SHARE * (end - i) && d->n_hosts >= LEAST_HOSTS)
			pace_set(d, &l[k], devices ? PACE_LIKE : PACE_OTHERS, d->f->port_width[usual],
				 d->f->port_speed[usual]);
	}
	return end;
}

/* The widest width that half of the links have. */
static unsigned usual_width(const struct doctor *d)
{
	uint32_t as_wide[WIDTH_COUNT] = {0};
	unsigned width = WIDTH_COUNT - 1;

	for (uint32_t i = 0; i < d->n_paced; i++)
		for (unsigned w = 0; w <= d->f->port_width[d->paced[i].port]; w++)
			as_wide[w]++;
	while (width && 2 * as_wide[width] < d->n_paced)
		width--;
	return width;
}

const double *link_shares(struct doctor *d)
{
	if (d->full)
		return d->full;
	d->full = ARENA_ARRAY(d->arena, d->f->n_links + 1, double);
	for (uint32_t i = 0; i < d->f->n_links; i++)
		d->full[i] = 1;
	struct paced *l = d->paced = ARENA_ARRAY(d->arena, d->f->n_links + 1, struct paced);
	uint32_t n = d->n_paced = paced_list(d, l);
	unsigned usual = usual_width(d);
	for (uint32_t i = 0; i < n; i++) {
		rate_beside(d, &l[i]);
		pace_ends(d, &l[i], usual);
	}
	qsort(l, n, sizeof(*l), by_devices_and_rate);
	for (uint32_t i = 0; i < n;)
		i = pace_usual(d, i, true);
	for (uint32_t i = 0; i < n; i++)
		if (d->f->port_width[l[i].port] == WIDTH_1X)
			pace_set(d, &l[i], PACE_LANE, usual, d->f->port_speed[l[i].port]);
	qsort(l, n, sizeof(*l), by_class_and_rate);
	for (uint32_t i = 0; i < n;)
		i = pace_usual(d, i, false);
	qsort(l, n, sizeof(*l), by_proof_and_rate);
	return d->full;
}

/* One finding for n links of one class and proof with the same rates. */
static void tell_slow(struct doctor *d, const struct rule *r, const struct paced *l, uint32_t n)
{
	const struct fabric *f = d->f;
	AUTO_FREE char *rates = str_printf("%s%s instead of %s%s", link_width_name(f->port_width[l->port]),
					   link_speed_name(f->port_speed[l->port]), link_width_name(l->width),
					   link_speed_name(l->speed));
	double lost = n * (l->could - l->rate), all = n * l->could;
	struct places at = {0};
	char a[300], b[300] = "";

	assert(n && all > 0);
	port_label(f, l->port, a, sizeof(a));
	if (n == 1)
		port_label(f, f->port_peer[l->port], b, sizeof(b));
	for (uint32_t i = 0; i < n; i++)
		places_add_port(&at, f, l[i].port);
	struct finding *x = tell_of_places(
		d, r, &at, NULL,
		"%u of %u %slinks %s slower than %s (%s), %.1f of %.1f Gbit/s lost (%.0f %%): %s%s%s.", n,
		l->of, l->class >> 16 ? "" : "host ", n == 1 ? "is" : "are", pace_words[l->proof], rates,
		lost, all, 100 * lost / all, places_text(&at), *b ? " to " : "", b);
	if (n == 1)
		finding_brief(x, "%s to %s: %s%s, %.0f Gbit/s lost", a, b,
			      link_width_name(f->port_width[l->port]),
			      link_speed_name(f->port_speed[l->port]), lost);
	else
		finding_brief(x, "%s: %s, %.0f Gbit/s lost", PLURAL(n, "link"), rates, lost);
	x->figure = lost;
	x->sure = l->proof == PACE_ENDS ? SURE_FACT : x->sure;
	if (l->proof == PACE_OTHERS) {
		x->severity = SEVERITY_NOTE;
		x->cure = NULL;
	}
}

/* Links that have a faster one beside them, or all others that could be faster. */
int find_slow(struct doctor *d, const struct rule *r)
{
	bool beside = !strcmp(r->kind, "slow-sibling");

	link_shares(d);
	const struct paced *l = d->paced;
	for (uint32_t i = 0, end; i < d->n_paced; i = end) {
		for (end = i; end < d->n_paced && l[end].proof == l[i].proof && l[end].class == l[i].class &&
			      l[end].rate <= l[i].rate && l[end].could <= l[i].could;
		     end++)
			;
		if (l[i].proof != PACE_FULL && (l[i].proof == PACE_BESIDE) == beside)
			tell_slow(d, r, l + i, end - i);
	}
	return 0;
}

/* Findings about ports of hosts that are off their rails (plan.h). */

#define RAILS_NAMED 4 /* differences that are told */

static const struct rail_port *rail_port_of(const struct rail_port *h, uint32_t port)
{
	while (h->port != port)
		h++;
	return h;
}

/* x: a port on the switch of another rail; its host has a port there, too, or two ports changed places. */
static void tell_rail(struct doctor *d, const struct rule *r, const struct rail_port *h, size_t n,
		      const struct plan_difference *x)
{
	bool swapped = x->change == PLAN_SWAPPED;
	const struct rail_port *a = rail_port_of(h, x->at), *b = swapped ? rail_port_of(h, x->other) : h;
	uint32_t off = swapped ? 2 : 1, of = 0;
	double gbps = off * fabric_port_gbps(d->f, x->at);
	char lost[40];

	while (!swapped && b < h + n && (b == a || b->host != a->host || b->sw != a->sw))
		b++;
	if (b == h + n)
		return;
	const struct rail_port *one = swapped ? a : b, *two = swapped ? b : a;
	for (size_t i = 0; i < n; i++)
		of += h[i].host == a->host || h[i].host == b->host;
	struct finding *t = tell(
		d, r, "plan rails",
		"Rails %u and %u are %s: %s is on %s%s %s%s %s%s; %u of %u ports off their rails (%u %%)%s.",
		one->rail + 1, two->rail + 1, swapped ? "swapped" : "on one switch",
		PORT_LABEL(d->f, one->port), switch_name(d->f, a->sw), swapped ? " and" : " and so is",
		PORT_LABEL(d->f, two->port), swapped ? " on" : ", of other hosts on",
		d->f->node_name[d->f->port_node[x->planned]],
		swapped ? ", of other hosts the other way round" : "", off, of, 100 * off / of,
		gbps_text(gbps, lost, sizeof(lost)));
	finding_brief(t, "Rails %s: %s, %s", swapped ? "swapped" : "on one switch",
		      PORT_LABEL(d->f, one->port), PORT_LABEL(d->f, two->port));
	finding_at(d, t, x->at);
	t->figure = gbps;
	t->count = off;
}

int find_rails(struct doctor *d, const struct rule *r)
{
	struct plan_report report;
	struct plan_rails rails;
	size_t n;
	bool several = false; /* ports of one host */

	AUTO_FREE struct rail_port *h = rail_ports(d->f, &n);
	for (size_t i = 1; i < n; i++)
		several |= h[i].host == h[i - 1].host;
	if (!several)
		return 0;
	if (plan_compare_rails(d->f, &rails, &report, d->p, d->e))
		return -1;
	/* where many ports are elsewhere, the groups are none */
	bool few = THIN_PART * (report.cables - report.there) <= report.cables;
	size_t before = d->out->n;
	for (size_t i = 0; few && i < report.n && d->out->n - before < RAILS_NAMED; i++)
		if (report.d[i].change == PLAN_SWAPPED || report.d[i].change == PLAN_LEAF)
			tell_rail(d, r, h, n, &report.d[i]);
	plan_free(&report);
	return 0;
}
