/* Findings about the roots of Up/Down and fat-tree, and the files that name hosts. */
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/routing/distances.h"
#include "core/analysis/doctor/internal.h"
#include "core/base/guidfile.h"
#include "core/base/memory.h"
#include "core/sm/port_groups.h"

#define ROOTS "root_guid_file"

/* Is the engine in force, with tables computed here? */
static bool doctor_roots_routes(const struct doctor *d, const char *engine)
{
	return d->computed && d->computed->routing && !strcmp(d->computed->routing->engine, engine);
}

static bool roots_named(const struct doctor *d)
{
	return options_file(d->computed->setup->options, ROOTS) != NULL;
}

static bool is_root(const struct doctor *d, uint32_t sw)
{
	const struct routing *r = d->computed->routing;

	return switch_up(d->t, sw) && r->ops->is_root && r->ops->is_root(r, sw);
}

static uint32_t count_roots(const struct doctor *d)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < d->f->n_switches; s++)
		n += is_root(d, s);
	return n;
}

int find_all_roots(struct doctor *d, const struct rule *r)
{
	struct finding *x;
	uint32_t n, edge = NO_ID;

	if (!doctor_roots_routes(d, "updn") || roots_named(d) || d->t->n_switches_up < 2)
		return 0;
	n = count_roots(d);
	for (uint32_t s = d->f->n_switches; s--;)
		if (is_root(d, s) && d->levels->edge[s])
			edge = s;
	if (edge == NO_ID)
		return 0;
	if (n == d->t->n_switches_up)
		x = tell(d, r,
			 "updn takes %u of %u switches for roots: it forbids no turn and routes like minhop.",
			 n, n);
	else
		x = tell(d, r, "updn takes %u of %u switches for roots, leaf switches among them: %s.", n,
			 d->t->n_switches_up, switch_name(d->f, edge));
	x->count = n;
	finding_at_switch(d, x, edge);
	finding_more(x, "roots");
	return 0;
}

int find_aggregation_roots(struct doctor *d, const struct rule *r)
{
	const struct sweep *w = d->computed;
	uint8_t *seen = NEW_ARRAY(d->f->n_switches, uint8_t);
	struct places at = {0};
	struct finding *x;
	bool hidden = false;

	/* did updn find no root by counting, or did ftree take all switches for leaves? */
	for (size_t i = 0; w && i < w->n_refusals; i++)
		hidden |=
			(!strcmp(w->refusal[i].engine, "updn") && !options_file(w->setup->options, ROOTS)) ||
			w->refusal[i].kind == REFUSED_LEAVES;
	for (uint32_t ep = 0; hidden && ep < d->f->n_endports; ep++) {
		uint32_t s = d->t->endport_switch[ep];

		if (s == NO_ID || !d->levels->root[s] || d->direct || seen[s] ||
		    !node_is_aggregation(d->f, endport_node(d->f, ep)))
			continue;
		seen[s] = 1;
		places_add_switch(&at, d->f, s);
	}
	free(seen);
	if (!at.n)
		return 0;
	x = tell(d, r, "Aggregation nodes on %s hide the roots (%s).", PLURAL(at.n, "upper switch"),
		 places_text(&at));
	places_end_ports(&at, x, d->f); /* there are no roots to list */
	return 0;
}

int find_root_with_hosts(struct doctor *d, const struct rule *r)
{
	struct places at = {0};
	struct finding *x;
	uint32_t hosts = 0;

	if (!(doctor_roots_routes(d, "updn") || doctor_roots_routes(d, "ftree")) ||
	    count_roots(d) == d->t->n_switches_up)
		return 0;
	for (uint32_t s = 0; s < d->f->n_switches; s++)
		if (is_root(d, s) && d->hosts[s]) {
			places_add_switch(&at, d->f, s);
			hosts += d->hosts[s];
		}
	if (!at.n)
		return 0;
	x = tell(d, r, "%s %s %s: %s.", PLURAL(at.n, "root"), at.n == 1 ? "has" : "have",
		 PLURAL(hosts, "host"), places_text(&at));
	places_end(&at, x, "roots");
	return 0;
}

/* --- links that all shortest ways from a root share -------------------------------------------- */

/*
 * The shortest ways from a root x are an acyclic graph. If a switch v has only one link to switches nearer to
 * x, all hosts on switches that v dominates need that link to be near. If these are more than 5 % of all
 * hosts, x hangs on the link.
 */
struct doctor_roots_hang {
	const struct doctor *d;
	uint32_t *hosts;  /* [n_switches] as OpenSM counts them: all CA and router ports */
	uint32_t limit;	  /* so many hosts are too many */
	uint16_t *hops;	  /* [n_switches] from x */
	uint32_t *order;  /* [n_switches] nearest first */
	uint32_t *dom;	  /* [n_switches] nearest switch on all ways from x */
	uint32_t *link;	  /* [n_switches] the only link to nearer switches, NO_ID: several */
	uint64_t *weight; /* [n_switches] hosts on dominated switches */
	uint32_t *taken;  /* [n_links] roots that hang on each */
};

/* The nearest switch that is on all ways to both. */
static uint32_t doctor_roots_meet(const struct doctor_roots_hang *h, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (h->hops[a] < h->hops[b])
			b = h->dom[b];
		else
			a = h->dom[a];
	}
	return a;
}

static void hang_root(struct doctor_roots_hang *h, uint32_t x)
{
	uint32_t n;

	memset(h->hops, 0xff, h->d->f->n_switches * sizeof(*h->hops));
	h->hops[x] = 0;
	h->order[0] = x;
	n = spread_hops(h->d->t, h->hops, h->order, 1);
	for (uint32_t i = 1; i < n; i++) {
		uint32_t v = h->order[i];
		unsigned links = 0;

		h->dom[v] = NO_ID;
		FOR_CABLES(h->d->t, v, port, u) {
			if (h->hops[u] + 1 != h->hops[v])
				continue;
			h->dom[v] = h->dom[v] == NO_ID ? u : doctor_roots_meet(h, h->dom[v], u);
			h->link[v] = links++ ? NO_ID : h->d->f->port_link[port];
		}
	}
	for (uint32_t i = 0; i < n; i++)
		h->weight[h->order[i]] = h->hosts[h->order[i]];
	for (uint32_t i = n; i-- > 1;) {
		uint32_t v = h->order[i];

		h->weight[h->dom[v]] += h->weight[v];
		if (h->weight[v] >= h->limit && h->link[v] != NO_ID)
			h->taken[h->link[v]]++;
	}
}

int find_roots_fragile(struct doctor *d, const struct rule *r)
{
	uint32_t n = d->f->n_switches, total = 0, roots, most = 0;
	struct doctor_roots_hang h = {.d = d};
	struct places at = {0};
	struct finding *x;

	if (!doctor_roots_routes(d, "updn") || roots_named(d))
		return 0;
	roots = count_roots(d);
	if (roots == d->t->n_switches_up)
		return 0;
	h.hosts = NEW_ARRAY(n, uint32_t);
	for (uint32_t ep = 0; ep < d->f->n_endports; ep++) {
		if (endport_is_switch(d->f, ep) || !d->t->endport_up[ep] || d->t->endport_switch[ep] == NO_ID)
			continue;
		h.hosts[d->t->endport_switch[ep]]++;
		total++;
	}
	h.limit = total / 20 + 1;
	h.hops = NEW_ARRAY(n, uint16_t);
	h.order = NEW_ARRAY(n, uint32_t);
	h.dom = NEW_ARRAY(n, uint32_t);
	h.link = NEW_ARRAY(n, uint32_t);
	h.weight = NEW_ARRAY(n, uint64_t);
	h.taken = NEW_ARRAY(d->f->n_links, uint32_t);
	progress_start(d->p, "links that roots hang on", n);
	for (uint32_t s = 0; s < n && progress_step(d->p, s); s++)
		if (is_root(d, s))
			hang_root(&h, s);
	for (uint32_t l = 0; l < d->f->n_links; l++) {
		if (!h.taken[l])
			continue;
		places_add_port(&at, d->f, d->f->link_port[2 * l]);
		most = MAX(h.taken[l], most);
	}
	if (at.n) {
		x = tell(d, r,
			 "If one of %s fails (%s), up to %u of %u root switches lose that role, and routes "
			 "change everywhere.",
			 PLURAL(at.n, "link"), places_text(&at), most, roots);
		places_end(&at, x, "survey links");
		x->figure = most;
	}
	free(h.hosts);
	free(h.hops);
	free(h.order);
	free(h.dom);
	free(h.link);
	free(h.weight);
	free(h.taken);
	return progress_cancelled(d->p) ? err_set(d->e, CANCELLED) : 0;
}

/* --- files that name hosts --------------------------------------------------------------------- */

static void mark_named(const struct doctor *d, const char *option, uint8_t *named)
{
	struct guid_file g;

	if (!options_file(d->computed->setup->options, option))
		return;
	option_guids_read(d->computed->setup->options, option, d->f, false, d->p, &g);
	for (size_t i = 0; i < g.n; i++) {
		uint32_t ep = fabric_endport_by_guid(d->f, g.l[i].guid);

		if (ep != NO_ID)
			named[ep] = 1;
	}
	guid_file_free(&g);
}

int find_not_listed(struct doctor *d, const struct rule *r)
{
	const struct sweep *w = d->computed;
	uint8_t *named;
	struct places at = {0};
	struct finding *x;
	/* was ftree asked for, even if it refused? */
	bool asked = w && w->routing && !strcmp(w->routing->engine, "ftree");

	for (size_t i = 0; w && i < w->n_refusals; i++)
		asked |= !strcmp(w->refusal[i].engine, "ftree");
	if (!asked || d->direct || !options_file(w->setup->options, "cn_guid_file"))
		return 0;
	named = NEW_ARRAY(d->f->n_endports, uint8_t);
	mark_named(d, "cn_guid_file", named);
	mark_named(d, "io_guid_file", named);
	for (uint32_t ep = 0; ep < d->f->n_endports; ep++) {
		uint32_t s = d->t->endport_switch[ep];

		if (s != NO_ID && d->t->endport_up[ep] && d->w->hosts->in[ep] && d->levels->edge[s] &&
		    !named[ep])
			places_add_port(&at, d->f, d->f->endport_port[ep]);
	}
	free(named);
	if (!at.n)
		return 0;
	x = tell(d, r, "%s %s neither in cn_guid_file nor in io_guid_file (%s).", PLURAL(at.n, "host"),
		 at.n == 1 ? "is" : "are", places_text(&at));
	places_end(&at, x, "show options");
	return 0;
}
