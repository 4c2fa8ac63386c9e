/* Findings about loads of channels, compared with the loads that the cables make necessary (spread.h). */
#include <stdlib.h>
#include <string.h>

#include "core/analysis/doctor/internal.h"
#include "core/base/memory.h"
#include "core/base/order.h"

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

struct hots {
	struct doctor_load_hot *h;
	size_t n, cap;
};

COMPARATOR(hottest_first, struct doctor_load_hot, UP(class) DOWN(ratio) UP(port))

/* Collects the hot channels of one class, c[0 .. n - 1] in order of share. */
static void collect_hot(const struct doctor *d, const struct channel *c, uint32_t n, struct hots *out)
{
	double median = (c[(n - 1) / 2].share + c[n / 2].share) / 2;
	double limit = (d->direct ? HOT_RATIO_DIRECT : HOT_RATIO) * median;
	uint32_t hot = 0, a = c->class >> 16, b = c->class & 0xffff;

	while (hot < n && c[n - 1 - hot].share > limit * (1 + 1e-9))
		hot++;
	if (n < LEAST_CHANNELS || median <= 0 || hot > n / HOT_PART)
		return;
	for (uint32_t i = n - hot; i < n; i++) {
		GROW(out->h, out->n, out->cap);
		out->h[out->n++] = (struct doctor_load_hot){a < b ? a << 16 | b : b << 16 | a, c[i].port,
							    c[i].share / median};
	}
}

static void tell_hot(struct doctor *d, const struct rule *r, const struct doctor_load_hot *h, size_t n)
{
	enum { LISTED = 8 };
	const struct fabric *f = d->f;
	struct places at = {0};
	struct text t = {0};
	struct finding *x;
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
	x = tell(d, r, "With any engine, %s %s would carry up to %.2f times the usual share: %s.",
		 PLURAL(n, "channel"),
		 d->direct	  ? "between switches"
		 : h->class >> 16 ? "above the edge"
				  : "at the edge",
		 h->ratio, places_text(&at));
	x->figure = h->ratio;
	x->detail = t.s;
	places_end(&at, x, "load-map");
}

int find_hot_cable(struct doctor *d, const struct rule *r)
{
	struct channel *c = NEW_ARRAY(d->f->n_ports + 1, struct channel);
	uint32_t n = 0;
	struct hots hot = {0};

	for (uint32_t port = 0; port < d->f->n_ports; port++)
		if (is_channel(d->t, port))
			c[n++] = (struct channel){(uint32_t)d->levels->level[port_switch(d->f, port)] << 16 |
							  d->levels->level[d->t->peer_switch[port]],
						  port, d->share[port]};
	if (n)
		qsort(c, n, sizeof(*c), by_class_and_share);
	for (uint32_t i = 0, end; i < n && d->n_hosts >= LEAST_HOSTS; i = end) {
		for (end = i; end < n && c[end].class == c[i].class; end++)
			;
		collect_hot(d, c + i, end - i, &hot);
	}
	if (hot.n)
		qsort(hot.h, hot.n, sizeof(*hot.h), hottest_first);
	for (size_t i = 0, end; i < hot.n; i = end) {
		for (end = i; end < hot.n && hot.h[end].class == hot.h[i].class; end++)
			;
		tell_hot(d, r, hot.h + i, end - i);
	}
	free(hot.h);
	free(c);
	return 0;
}

int find_uneven(struct doctor *d, const struct rule *r)
{
	uint32_t n = 0, hottest = NO_ID;
	double most = 0;
	struct finding *x;
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
	x = tell(d, r, "%s puts up to %.1f times the even share on %s (%u routes on %s).", d->r->engine, most,
		 PLURAL(n, "channel"), d->loads->port[hottest], port_label(d->f, hottest, a, sizeof(a)));
	x->figure = most;
	x->count = n;
	finding_at(d, x, hottest);
	finding_more(x, "load-map");
	return 0;
}

int find_idle(struct doctor *d, const struct rule *r)
{
	struct places at = {0};
	struct finding *x;
	bool lash, beside = false;

	for (uint32_t port = 0; d->loads && d->n_hosts > 1 && port < d->f->n_ports; port++) {
		if (!is_channel(d->t, port) || d->loads->port[port])
			continue;
		places_add_port(&at, d->f, port);
		/* does the cable run beside another to the same neighbour? */
		for (uint32_t other = port - d->f->port_num[port] + 1; other < port; other++)
			beside |= d->t->peer_switch[other] == d->t->peer_switch[port];
	}
	if (!at.n)
		return 0;
	lash = !strcmp(d->r->engine, "lash") && beside &&
	       !options_bool(d->w->setup->options, "do_mesh_analysis");
	x = tell(d, r, "%u of %s between switches %s no host traffic: %s%s.", at.n,
		 PLURAL(d->loads->n_links, "channel"), at.n == 1 ? "carries" : "carry", places_text(&at),
		 lash ? " (lash uses only the first of parallel links)" : "");
	places_end(&at, x, "load-map all");
	return 0;
}
