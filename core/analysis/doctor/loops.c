/* Findings about credit loops, and about the layers that avoid them. */
#include <stdio.h>
#include <stdlib.h>

#include "core/analysis/doctor/internal.h"
#include "core/base/memory.h"

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
static void tell_loop(struct doctor *d, const struct rule *r, const struct cdg *c, unsigned vl,
		      const struct cdg *with, const char *whose, enum severity severity)
{
	enum { SHOWN = 8 };
	uint32_t on = looping_channels(c, vl), n, *cycle;
	char a[300];
	struct finding *x;

	if (!on)
		return;
	cycle = shortest(c, vl, &n, d->p);
	x = tell(d, r, "VL %u: credit loop of %s%s; %u of %u channels lie on loops.", vl,
		 PLURAL(n, "channel"), whose, on, d->loads->n_links);
	x->severity = (uint8_t)severity;
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
	free(cycle);
	finding_more(x, "cycles");
}

/* The dependencies of the routes of all CAs and routers, and of switches. */
static struct cdg *graph_of_all(struct doctor *d, bool switches)
{
	struct routing *all = routing_with_hosts(d->r, NULL);
	struct cdg *c = cdg_new(all, CDG_ALL_VLS, switches, d->p, d->e);

	routing_unref(all);
	return c;
}

/* Routes of switches only carry management, and make loops from spine to spine in every tree. So this is a
 * note, for the first VL. */
static int tell_switch_loops(struct doctor *d, const struct rule *r)
{
	struct cdg *all = graph_of_all(d, true);
	unsigned vl = 0;

	while (all && vl < CDG_VLS && !looping_channels(all, vl))
		vl++;
	if (all && vl < CDG_VLS)
		tell_loop(d, r, all, vl, NULL, " (only routes to or from switches close it)", SEVERITY_NOTE);
	cdg_free(all);
	return all ? 0 : -1;
}

int find_credit_loop(struct doctor *d, const struct rule *r)
{
	struct cdg *wide = NULL;
	size_t before = d->out->n;
	bool more = false; /* others() that are not among the hosts */
	char whose[64];

	if (!d->r)
		return 0;
	for (uint32_t ep = 0; ep < d->f->n_endports; ep++)
		more |= !endport_is_switch(d->f, ep) && !d->w->hosts->in[ep] && d->t->endport_up[ep];
	if (more && !(wide = graph_of_all(d, false)))
		return -1;
	/* for each VL: loops of the hosts' own routes; if there are none, loops with those of others */
	snprintf(whose, sizeof(whose), " (only routes of %s close it)", others(d));
	for (unsigned vl = 0; vl < CDG_VLS; vl++)
		if (looping_channels(d->cdg, vl))
			tell_loop(d, r, d->cdg, vl, wide, "", SEVERITY_ERROR);
		else if (wide)
			tell_loop(d, r, wide, vl, NULL, whose,
				  d->w->hosts->narrowed ? SEVERITY_WARNING : SEVERITY_NOTE);
	cdg_free(wide);
	return d->out->n > before ? 0 : tell_switch_loops(d, r);
}

int find_layers_not_in_force(struct doctor *d, const struct rule *r)
{
	bool loops = d->cdg && d->cdg->n_components;
	struct finding *x;

	if (!d->r || !routing_layers_idle(d->r))
		return 0;
	x = tell(d, r, "%s needs %s, but qos is off: switches keep their own SL-to-VL maps%s.", d->r->engine,
		 PLURAL(d->r->ops->n_layers(d->r), "VL"),
		 loops ? ", and with all routes on one VL there are credit loops"
		       : "; here all routes on one VL make no credit loop");
	x->severity = loops ? SEVERITY_ERROR : SEVERITY_NOTE;
	x->count = d->r->ops->n_layers(d->r);
	finding_more(x, "layers");
	return 0;
}
