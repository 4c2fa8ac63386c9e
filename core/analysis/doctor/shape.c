/* Findings about cabling, roots, loads of channels and credit loops. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/doctor/internal.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/routing/paths.h"
#include "core/sm/port_groups.h"

/* Findings about loads of channels, compared with the loads that the cables make necessary (spread.h). */

/* A channel by the levels of both its ends. */
struct channel {
	uint32_t class, port;
	double share;
};

COMPARATOR(by_class_and_share, struct channel, UP(class) UP(share) UP(port))

/* A channel with a much higher share than others of its class. */
struct doctor_load_hot {
	uint32_t class; /* the same for both directions: the lower level first */
	uint32_t port;
	double ratio;
};

COMPARATOR(hottest_first, struct doctor_load_hot, UP(class) DOWN(ratio) UP(port))

/* Collects the hot channels of one class, c[0 .. n - 1] in order of share.  Returns their number. */
static uint32_t collect_hot(const struct doctor *d, const struct channel *c, uint32_t n,
			    struct doctor_load_hot *out)
{
	double median = (c[(n - 1) / 2].share + c[n / 2].share) / 2;
	double limit = (d->direct ? HOT_RATIO_DIRECT : HOT_RATIO) * median;
	uint32_t hot = 0, a = c->class >> 16, b = c->class & 0xffff;

	while (hot < n && c[n - 1 - hot].share > limit * (1 + 1e-9))
		hot++;
	if (n < LEAST_CHANNELS || median <= 0 || hot > n / HOT_PART)
		return 0;
	for (uint32_t i = n - hot; i < n; i++)
		*out++ = (struct doctor_load_hot){a < b ? a << 16 | b : b << 16 | a, c[i].port,
						  c[i].share / median};
	return hot;
}

static void tell_hot(struct doctor *d, const struct rule *r, const struct doctor_load_hot *h, size_t n)
{
	enum { LISTED = 8 };
	const struct fabric *f = d->f;
	struct places at = {0};
	struct text t = {0};
	char a[300];

	for (size_t i = 0; i < n; i++) {
		places_add_port(&at, f, h[i].port);
		if (i < LISTED)
			text_add(&t, "%s%s to %s: %.2f", i ? "\n" : "",
				 port_label(f, h[i].port, a, sizeof(a)),
				 switch_name(f, d->t->peer_switch[h[i].port]), h[i].ratio);
	}
	if (n > LISTED)
		text_add(&t, "\nand %zu more", n - LISTED);
	struct finding *x =
		tell_of_places(d, r, &at, "load-map",
			       "With any engine, %s %s would carry up to %.2f times the usual share: %s.",
			       PLURAL(n, "channel"),
			       d->direct	? "between switches"
			       : h->class >> 16 ? "above the edge"
						: "at the edge",
			       h->ratio, places_text(&at));
	x->figure = h->ratio;
	x->detail = t.s;
}

int find_hot_cable(struct doctor *d, const struct rule *r)
{
	AUTO_FREE struct channel *c = NEW_ARRAY(d->f->n_ports + 1, struct channel);
	AUTO_FREE struct doctor_load_hot *hot = NEW_ARRAY(d->f->n_ports + 1, struct doctor_load_hot);
	uint32_t n = 0, n_hot = 0;

	for (uint32_t port = 0; port < d->f->n_ports; port++)
		if (is_channel(d->t, port))
			c[n++] = (struct channel){(uint32_t)d->levels->level[port_switch(d->f, port)] << 16 |
							  d->levels->level[d->t->peer_switch[port]],
						  port, d->share[port]};
	qsort(c, n, sizeof(*c), by_class_and_share);
	for (uint32_t i = 0, end; i < n && d->n_hosts >= LEAST_HOSTS; i = end) {
		for (end = i; end < n && c[end].class == c[i].class; end++)
			;
		n_hot += collect_hot(d, c + i, end - i, hot + n_hot);
	}
	qsort(hot, n_hot, sizeof(*hot), hottest_first);
	for (uint32_t i = 0, end; i < n_hot; i = end) {
		for (end = i; end < n_hot && hot[end].class == hot[i].class; end++)
			;
		tell_hot(d, r, hot + i, end - i);
	}
	return 0;
}

int find_uneven(struct doctor *d, const struct rule *r)
{
	uint32_t n = 0, hottest = NO_ID;
	double most = 0;
	char a[300];

	for (uint32_t port = 0; d->loads && d->n_hosts >= LEAST_HOSTS && port < d->f->n_ports; port++) {
		double even = d->share[port], load = d->loads->port[port];

		if (!is_channel(d->t, port) || load <= UNEVEN_RATIO * even * (1 + 1e-9))
			continue;
		n++;
		most = even > 0 && load / even > most ? load / even : most;
		if (hottest == NO_ID || load > d->loads->port[hottest])
			hottest = port;
	}
	if (!n)
		return 0;
	struct finding *x =
		tell(d, r, "load-map", "%s puts up to %.1f times the even share on %s (%u routes on %s).",
		     d->r->engine, most, PLURAL(n, "channel"), d->loads->port[hottest],
		     port_label(d->f, hottest, a, sizeof(a)));
	x->figure = most;
	x->count = n;
	finding_at(d, x, hottest);
	return 0;
}

static bool left_out_of_roots(const struct doctor *d, uint32_t sw);

/* Adds switches above the edge that carry nothing by the tables, although by the cabling more passes them
 * than a pair for each host.  Above the first level minhop leaves switches out in healthy trees, too: there
 * they count if they should be roots, and are not. */
static void add_idle_switches(const struct doctor *d, struct places *at)
{
	for (uint32_t s = 0; s < d->f->n_switches && !d->direct && d->n_hosts >= LEAST_HOSTS; s++) {
		uint64_t routes = d->hosts[s];
		double share = 0;

		if (!switch_up(d->t, s) || (d->levels->level[s] != 1 && !left_out_of_roots(d, s)))
			continue;
		FOR_PORTS(d->f, s, port)
			if (is_channel(d->t, port)) {
				routes += d->loads->port[port] + d->loads->port[d->t->peer[port]];
				share += d->share[port];
			}
		if (!routes && share >= d->n_hosts)
			places_add_switch(at, d->f, s);
	}
}

/* Whole switches lie idle, and so do n channels. */
static void tell_idle_switches(struct doctor *d, const struct rule *r, struct places *at, uint32_t n)
{
	unsigned part = (100 * n + d->loads->n_links / 2) / d->loads->n_links;
	AUTO_FREE char *names = str_dup(places_text(at));
	double idle = 0;
	char a[40];

	for (uint32_t port = 0; port < d->f->n_ports; port++)
		if (is_channel(d->t, port) && !d->loads->port[port])
			idle += fabric_port_gbps(d->f, port);
	struct finding *x = tell_of_places(d, r, at, "load-map all",
					   "%u of %s between switches carry no host traffic, as none passes "
					   "%s: %u %% of bandwidth lost%s.",
					   n, PLURAL(d->loads->n_links, "channel"), names, part,
					   gbps_text(idle, a, sizeof(a)));
	finding_brief(x, "%u %% of bandwidth idle: no traffic on %s", part, names);
	x->severity = SEVERITY_WARNING;
	x->figure = idle;
	x->meaning = "shortest ways between hosts pass these switches, and the tables use none of them";
	x->cure = "a root_guid_file of all switches at the top and no others";
}

/* Loads count the base LIDs of hosts alone: does one of their other LIDs lead there? */
static bool idle_by_base_only(const struct doctor *d, uint32_t port)
{
	const struct lids *l = d->r->lids;
	uint32_t sw = port_switch(d->f, port);

	for (uint32_t ep = 0; ep < d->f->n_endports; ep++)
		for (unsigned i = 1; routing_has_host(d->r, ep) && i < l->count[ep]; i++)
			if (routing_port(d->r, sw, l->base[ep] + i) == d->f->port_num[port])
				return true;
	return false;
}

int find_idle(struct doctor *d, const struct rule *r)
{
	struct places at = {0}, switches = {0};
	bool beside = false, lmc = false;

	if (!d->r || !d->loads)
		return 0;
	for (uint32_t ep = 0; ep < d->f->n_endports; ep++)
		lmc |= d->r->lids->count[ep] > 1;
	for (uint32_t port = 0; d->n_hosts > 1 && port < d->f->n_ports; port++) {
		if (progress_cancelled(d->p)) {
			text_free(&at.t);
			return err_set(d->e, CANCELLED);
		}
		if (!is_channel(d->t, port) || d->loads->port[port] || (lmc && idle_by_base_only(d, port)))
			continue;
		places_add_port(&at, d->f, port);
		/* does the cable run beside another to the same neighbour? */
		for (uint32_t other = port - d->f->port_num[port] + 1; other < port; other++)
			beside |= d->t->peer_switch[other] == d->t->peer_switch[port];
	}
	if (!at.n)
		return 0;
	if (IDLE_PART * at.n >= d->loads->n_links)
		add_idle_switches(d, &switches);
	if (switches.n) {
		text_free(&at.t);
		tell_idle_switches(d, r, &switches, at.n);
		return 0;
	}
	bool lash = !strcmp(d->r->engine, "lash") && beside &&
		    !options_bool(d->w->setup->options, "do_mesh_analysis");
	tell_of_places(d, r, &at, "load-map all", "%u of %s between switches %s no host traffic: %s%s.", at.n,
		       PLURAL(d->loads->n_links, "channel"), at.n == 1 ? "carries" : "carry",
		       places_text(&at), lash ? " (lash uses only the first of parallel links)" : "");
	return 0;
}

/* Findings about credit loops, and about the layers that avoid them. */

/* Channels of a VL that lie on loops. */
static uint32_t looping_channels(const struct cdg *c, unsigned vl)
{
	uint32_t n = 0;

	for (uint32_t v = 0; v < c->n_channels; v++)
		n += c->vl[v] == vl && c->component[v] != NO_ID;
	return n;
}

/* The shortest loop among the first components of a VL: its channels, to be freed; *n. */
static uint32_t *shortest(const struct cdg *c, unsigned vl, uint32_t *n, struct progress *p)
{
	enum { TRIED = 16 };
	uint32_t *best = NULL, comp;

	*n = 0;
	for (uint32_t i = 0; i < TRIED && (comp = cdg_component_on(c, (int)vl, i)) != NO_ID; i++) {
		uint32_t *cycle = NEW_ARRAY(c->size[comp], uint32_t), len = cdg_cycle(c, comp, cycle, p);

		if (len && (!best || len < *n)) {
			free(best);
			best = cycle;
			*n = len;
		} else {
			free(cycle);
		}
	}
	return best;
}

/* Who has routes beside the hosts that count. */
static const char *others(const struct doctor *d)
{
	return d->w->hosts->narrowed ? "what is outside the scope" : "aggregation nodes";
}

/* with: a graph of more routes, whose loops are also told; NULL = none. */
static struct finding *tell_loop(struct doctor *d, const struct rule *r, const struct cdg *c, unsigned vl,
				 const struct cdg *with, const char *whose)
{
	enum { SHOWN = 8 };
	uint32_t on = looping_channels(c, vl), n;
	char a[300];

	assert(on);
	AUTO_FREE uint32_t *cycle = shortest(c, vl, &n, d->p);
	struct finding *x =
		tell(d, r, "cycles", "VL %u: credit loop of %s%s; %u of %u channels lie on loops.", vl,
		     PLURAL(n, "channel"), whose, on, d->loads->n_links);
	x->count = on;
	x->figure = n;
	if (n) {
		struct text t = {0};

		finding_at(d, x, c->port[cycle[0]]);
		text_add(&t, "shortest: ");
		for (uint32_t i = 0; i < n && i < SHOWN; i++)
			text_add(&t, "%s%s", i ? " -> " : "",
				 port_label(d->f, c->port[cycle[i]], a, sizeof(a)));
		text_add(&t, n > SHOWN ? " -> ..." : " and round again");
		if (with && looping_channels(with, vl) > on)
			text_add(&t, "\nwith the routes of %s: %u channels", others(d),
				 looping_channels(with, vl));
		x->detail = t.s;
	}
	return x;
}

/* The dependencies of the routes of all CAs and routers, and of switches. */
static struct cdg *graph_of_all(struct doctor *d, bool switches)
{
	AUTO_ROUTING struct routing *all = routing_with_hosts(d->r, NULL);

	return cdg_new(all, CDG_ALL_VLS, switches, d->p, d->e);
}

/* Routes of switches only carry management, and make loops from spine to spine in every tree. So this is a
 * note, for the first VL. */
static int tell_switch_loops(struct doctor *d, const struct rule *r)
{
	AUTO_ARENA struct cdg *all = graph_of_all(d, true);
	unsigned vl = 0;

	while (all && vl < CDG_VLS && !looping_channels(all, vl))
		vl++;
	if (all && vl < CDG_VLS)
		tell_loop(d, r, all, vl, NULL, " (only routes to or from switches close it)")->severity =
			SEVERITY_NOTE;
	return all ? 0 : -1;
}

int find_credit_loop(struct doctor *d, const struct rule *r)
{
	size_t before = d->out->n;
	bool more = false; /* others() that are not among the hosts */
	char whose[64];

	if (!d->r)
		return 0;
	for (uint32_t ep = 0; ep < d->f->n_endports; ep++)
		more |= !endport_is_switch(d->f, ep) && !d->w->hosts->in[ep] && d->t->endport_up[ep];
	AUTO_ARENA struct cdg *wide = more ? graph_of_all(d, false) : NULL;
	if (more && !wide)
		return -1;
	/* for each VL: loops of the hosts' own routes; if there are none, loops with those of others */
	snprintf(whose, sizeof(whose), " (only routes of %s close it)", others(d));
	for (unsigned vl = 0; vl < CDG_VLS; vl++)
		if (looping_channels(d->cdg, vl))
			tell_loop(d, r, d->cdg, vl, wide, "")->severity = SEVERITY_ERROR;
		else if (wide && looping_channels(wide, vl))
			tell_loop(d, r, wide, vl, NULL, whose)->severity =
				d->w->hosts->narrowed ? SEVERITY_WARNING : SEVERITY_NOTE;
	return d->out->n > before ? 0 : tell_switch_loops(d, r);
}

int find_layers_not_in_force(struct doctor *d, const struct rule *r)
{
	bool loops = d->cdg && d->cdg->n_components;

	if (!d->r || !routing_layers_idle(d->r))
		return 0;
	struct finding *x =
		tell(d, r, "layers", "%s needs %s, but qos is off: switches keep their own SL-to-VL maps%s.",
		     d->r->engine, PLURAL(d->r->ops->n_layers(d->r), "VL"),
		     loops ? ", and with all routes on one VL there are credit loops"
			   : "; here all routes on one VL make no credit loop");
	x->severity = loops ? SEVERITY_ERROR : SEVERITY_NOTE;
	x->count = d->r->ops->n_layers(d->r);
	return 0;
}

/* Findings about the roots of Up/Down and fat-tree, and the files that name hosts. */

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

static bool left_out_of_roots(const struct doctor *d, uint32_t sw)
{
	return (doctor_roots_routes(d, "updn") || doctor_roots_routes(d, "ftree")) && roots_named(d) &&
	       d->levels->root[sw] && !is_root(d, sw);
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
	uint32_t edge = NO_ID;

	if (!doctor_roots_routes(d, "updn") || roots_named(d) || d->t->n_switches_up < 2)
		return 0;
	uint32_t n = count_roots(d);
	for (uint32_t s = d->f->n_switches; s--;)
		if (is_root(d, s) && d->levels->edge[s])
			edge = s;
	if (edge == NO_ID)
		return 0;
	if (n == d->t->n_switches_up)
		x = tell(d, r, "roots",
			 "updn takes %u of %u switches for roots: it forbids no turn and routes like minhop.",
			 n, n);
	else
		x = tell(d, r, "roots",
			 "updn takes %u of %u switches for roots, leaf switches among them: %s.", n,
			 d->t->n_switches_up, switch_name(d->f, edge));
	x->count = n;
	finding_at_switch(d, x, edge);
	return 0;
}

int find_aggregation_roots(struct doctor *d, const struct rule *r)
{
	const struct sweep *w = d->computed;
	AUTO_FREE uint8_t *seen = NEW_ARRAY(d->f->n_switches, uint8_t);
	struct places at = {0};
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
	if (at.n) /* there are no roots to list */
		tell_of_places(d, r, &at, NULL, "Aggregation nodes on %s hide the roots (%s).",
			       PLURAL(at.n, "upper switch"), places_text(&at));
	return 0;
}

int find_root_with_hosts(struct doctor *d, const struct rule *r)
{
	struct places at = {0};
	uint32_t hosts = 0;

	if (!(doctor_roots_routes(d, "updn") || doctor_roots_routes(d, "ftree")) ||
	    count_roots(d) == d->t->n_switches_up)
		return 0;
	for (uint32_t s = 0; s < d->f->n_switches; s++)
		if (is_root(d, s) && d->hosts[s]) {
			places_add_switch(&at, d->f, s);
			hosts += d->hosts[s];
		}
	if (at.n)
		tell_of_places(d, r, &at, "roots", "%s %s %s: %s.", PLURAL(at.n, "root"),
			       at.n == 1 ? "has" : "have", PLURAL(hosts, "host"), places_text(&at));
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
	uint32_t limit;	  /* this many hosts are too many */
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
	memset(h->hops, 0xff, h->d->f->n_switches * sizeof(*h->hops));
	h->hops[x] = 0;
	h->order[0] = x;
	uint32_t n = spread_hops(h->d->t, h->hops, h->order, 1);
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
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct doctor_roots_hang h = {.d = d};
	struct places at = {0};

	if (!doctor_roots_routes(d, "updn") || roots_named(d))
		return 0;
	roots = count_roots(d);
	if (roots == d->t->n_switches_up)
		return 0;
	h.hosts = ARENA_ARRAY(arena, n, uint32_t);
	for (uint32_t ep = 0; ep < d->f->n_endports; ep++) {
		if (endport_is_switch(d->f, ep) || !d->t->endport_up[ep] || d->t->endport_switch[ep] == NO_ID)
			continue;
		h.hosts[d->t->endport_switch[ep]]++;
		total++;
	}
	h.limit = total / 20 + 1;
	h.hops = ARENA_ARRAY(arena, n, uint16_t);
	h.order = ARENA_ARRAY(arena, n, uint32_t);
	h.dom = ARENA_ARRAY(arena, n, uint32_t);
	h.link = ARENA_ARRAY(arena, n, uint32_t);
	h.weight = ARENA_ARRAY(arena, n, uint64_t);
	h.taken = ARENA_ARRAY(arena, d->f->n_links, uint32_t);
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
		struct finding *x = tell_of_places(
			d, r, &at, "survey links",
			"If one of %s fails (%s), up to %u of %u root switches lose that role, and routes "
			"change everywhere.",
			PLURAL(at.n, "link"), places_text(&at), most, roots);
		x->figure = most;
	}
	return progress_cancelled(d->p) ? err_set(d->e, CANCELLED) : 0;
}

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
	struct places at = {0};
	/* was ftree asked for, even if it refused? */
	bool asked = w && w->routing && !strcmp(w->routing->engine, "ftree");

	for (size_t i = 0; w && i < w->n_refusals; i++)
		asked |= !strcmp(w->refusal[i].engine, "ftree");
	if (!asked || d->direct || !options_file(w->setup->options, "cn_guid_file"))
		return 0;
	AUTO_FREE uint8_t *named = NEW_ARRAY(d->f->n_endports, uint8_t);
	mark_named(d, "cn_guid_file", named);
	mark_named(d, "io_guid_file", named);
	for (uint32_t ep = 0; ep < d->f->n_endports; ep++) {
		uint32_t s = d->t->endport_switch[ep];

		if (s != NO_ID && d->t->endport_up[ep] && d->w->hosts->in[ep] && d->levels->edge[s] &&
		    !named[ep])
			places_add_port(&at, d->f, d->f->endport_port[ep]);
	}
	if (at.n)
		tell_of_places(d, r, &at, "show options",
			       "%s %s neither in cn_guid_file nor in io_guid_file (%s).",
			       PLURAL(at.n, "host"), at.n == 1 ? "is" : "are", places_text(&at));
	return 0;
}

/* Findings about how the fabric is cabled: switches unlike their siblings, hosts where none are expected,
 * what hangs on one switch. The fabric itself shows what is usual, level by level (levels.h). */

/* Links to the next level, and distinct neighbours there. In a direct fabric all count.  A link that is
 * slower than it could be counts by its rate in `full`, and `links` is that rounded up. */
struct upward {
	uint32_t *links, *parents; /* [n_switches] */
	double *full;		   /* [n_switches] */
	double *gbps;		   /* [top + 1] the fastest of these links from each level */
};

/* The most frequent value on a level; if there are several, the largest. *n of *count switches have it. */
static uint32_t mode_on(const struct doctor *d, const uint32_t *value, unsigned level, uint32_t *count,
			uint32_t *n)
{
	AUTO_FREE uint32_t *v = NEW_ARRAY(d->f->n_switches + 1, uint32_t);
	uint32_t mode = 0;

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
	return mode;
}

/* How many of a level's `count` switches may be unlike the rest. */
static uint32_t may_deviate(const struct doctor *d, uint32_t count)
{
	return d->direct ? MAX(count / THIN_PART_DIRECT, 2) : MAX(count / THIN_PART, 1);
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

/* How many switches of a level have less than some number of links.  *lost: of these links all told. */
static uint32_t count_thin(const struct doctor *d, const struct upward *u, unsigned level, uint32_t below,
			   double usual, double *lost)
{
	uint32_t n = 0;

	*lost = 0;
	for (uint32_t s = 0; s < d->f->n_switches; s++)
		if (switch_up(d->t, s) && d->levels->level[s] == level && u->links[s] < below) {
			*lost += usual - u->full[s];
			n++;
		}
	return n;
}

static void tell_thin(struct doctor *d, const struct rule *r, const struct upward *u, unsigned level)
{
	uint32_t count, usual, mode = mode_on(d, u->links, level, &count, &usual), least = mode, below = mode;
	struct places at = {0};
	struct text t = {0};
	double lost;

	/* a few may deviate; where fewer than half of all do, those with at most half of the links are no
	 * design */
	if (count_thin(d, u, level, below, mode, &lost) > may_deviate(d, count))
		below = d->direct || 2 * usual <= count ? 0 : mode / 2 + 1;
	uint32_t n = count_thin(d, u, level, below, mode, &lost);
	if (!n || count < LEAST_SWITCHES)
		return;
	for (uint32_t links = 0; links < below; links++) {
		add_with(d, u->links, level, links, &at, &t);
		if (at.n && least == mode)
			least = links;
	}
	const char *links = d->direct ? "links" : "uplinks";
	double part = 100 * lost / (n * mode);
	char a[40];
	struct finding *x = tell_of_places(
		d, r, &at, NULL,
		"%u of %u %s %s fewer %s than the rest (%u at least, usually %u): %s; %.4g of %u lost (%.0f "
		"%%)%s.",
		n, count,
		d->direct    ? "switches"
		: level == 0 ? "edge switches"
			     : "switches above the edge",
		n == 1 ? "has" : "have", links, least, mode, places_text(&at), lost, n * mode, part,
		gbps_text(lost * u->gbps[level], a, sizeof(a)));
	x->figure = lost * u->gbps[level];
	x->detail = t.s;
	finding_brief(x, "%s of %u short of %s: %.0f %% lost%s", PLURAL(n, "switch"), count, links, part, a);
}

static void tell_cabling(struct doctor *d, const struct rule *r, const struct upward *u, unsigned level)
{
	uint32_t count, usual, links = mode_on(d, u->links, level, &count, &usual);
	uint32_t parents = mode_on(d, u->parents, level, &count, &usual), least = parents;
	struct places at = {0};

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
	struct finding *x =
		tell_of_places(d, r, &at, NULL,
			       "%s: no link is missing, but the links lead to %u neighbours in place of %u.",
			       places_text(&at), least, parents);
	x->figure = least;
}

/* Calls tell_of() for each level that has a next one. */
static int each_level(struct doctor *d, const struct rule *r,
		      void (*tell_of)(struct doctor *d, const struct rule *r, const struct upward *u,
				      unsigned level))
{
	uint32_t n = d->f->n_switches;
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct upward u;

	if (d->n_hosts < LEAST_HOSTS)
		return 0;
	const double *share = link_shares(d);
	uint32_t *seen = ARENA_ARRAY(arena, n, uint32_t);
	u.links = ARENA_ARRAY(arena, n, uint32_t);
	u.parents = ARENA_ARRAY(arena, n, uint32_t);
	u.full = ARENA_ARRAY(arena, n, double);
	u.gbps = ARENA_ARRAY(arena, d->levels->top + 1, double);
	for (uint32_t s = 0; s < n; s++) {
		unsigned level = d->direct ? 0 : d->levels->level[s];

		FOR_CABLES(d->t, s, port, to) {
			if (!d->direct && d->levels->level[to] != level + 1)
				continue;
			double rate = fabric_port_gbps(d->f, port);

			u.full[s] += share[d->f->port_link[port]];
			u.parents[s] += seen[to] != s + 1;
			seen[to] = s + 1;
			if (level <= d->levels->top && rate > u.gbps[level])
				u.gbps[level] = rate;
		}
		u.links[s] = (uint32_t)(u.full[s] + 1 - 1e-9);
	}
	for (unsigned level = 0; level < (d->direct ? 1 : d->levels->top); level++)
		tell_of(d, r, &u, level);
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

int find_above_edge(struct doctor *d, const struct rule *r)
{
	struct places at = {0};
	uint32_t hosts = 0;

	for (uint32_t s = 0; s < d->f->n_switches; s++)
		if (d->hosts[s] && d->levels->level[s] != NO_HOPS && d->levels->level[s]) {
			places_add_switch(&at, d->f, s);
			hosts += d->hosts[s];
		}
	if (!at.n)
		return 0;
	struct finding *x = tell_of_places(d, r, &at, NULL, "%s on %s above the edge: %s.",
					   PLURAL(hosts, "host"), PLURAL(at.n, "switch"), places_text(&at));
	x->count = hosts;
	return 0;
}

int find_empty_leaf(struct doctor *d, const struct rule *r)
{
	struct places at = {0};

	for (uint32_t s = 0; s < d->f->n_switches; s++) {
		bool empty = switch_up(d->t, s) && !d->hosts[s];

		FOR_PORTS(d->f, s, port)
			empty &= d->share[port] <= 0;
		if (empty)
			places_add_switch(&at, d->f, s);
	}
	if (at.n)
		tell_of_places(d, r, &at, "list switches",
			       "%s without hosts, and on no shortest path between hosts: %s.",
			       PLURAL(at.n, "switch"), places_text(&at));
	return 0;
}

int find_single_point(struct doctor *d, const struct rule *r)
{
	struct places at = {0};
	uint64_t hosts = d->losses.behind;

	for (uint32_t s = 0; s < d->f->n_switches; s++)
		if (d->losses.apart[s])
			places_add_switch(&at, d->f, s);
	if (!at.n)
		return 0;
	struct finding *x = tell_of_places(d, r, &at, "survey switches", "%s %s the only way to %s: %s.",
					   PLURAL(at.n, "switch"), at.n == 1 ? "is" : "are",
					   PLURAL(hosts, "host"), places_text(&at));
	x->figure = (double)hosts;
	return 0;
}

int find_sm_decides(struct doctor *d, const struct rule *r)
{
	struct places at = {0};
	char a[300];

	for (uint32_t s = 0; d->f->sm_guessed && s < d->f->n_switches; s++)
		if (d->losses.sm_smaller[s])
			places_add_switch(&at, d->f, s);
	if (at.n)
		tell_of_places(d, r, &at, "show",
			       "Subnet manager's node unknown (ibscope takes %s): if %s fails, the result "
			       "depends on it.",
			       endport_label(d->f, d->t->sm_endport, a, sizeof(a)), places_text(&at));
	return 0;
}
