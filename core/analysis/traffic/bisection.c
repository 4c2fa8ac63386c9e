#include "core/analysis/traffic/bisection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/pattern.h"
#include "core/base/memory.h"
#include "core/routing/paths.h"

struct ebb_sampler {
	const struct routing *r;
	const struct topo *t;
	const struct fabric *f;
	bool maps;	      /* paths may end on VL 15: they are traced with VLs */
	uint32_t *congestion; /* [n_ports] flows of the sample; 0 between samples */
	uint32_t *channel;    /* channels of all ways, one after the other */
	size_t n_channels, cap_channels;
	size_t *first; /* [most flows + 1] where each way begins in channel[] */
	uint8_t *lost; /* [most flows] the flow has no way */
};

struct ebb_sampler *ebb_sampler_new(const struct routing *r, uint32_t most_hosts)
{
	struct ebb_sampler *s = NEW(struct ebb_sampler);

	s->r = r;
	s->t = r->topo;
	s->f = r->topo->fabric;
	s->maps = routing_has_maps(r);
	s->congestion = NEW_ARRAY(s->f->n_ports + 1, uint32_t);
	s->first = NEW_ARRAY(most_hosts + 2, size_t);
	s->lost = NEW_ARRAY(most_hosts + 1, uint8_t);
	return s;
}

void ebb_sampler_free(struct ebb_sampler *s)
{
	if (!s)
		return;
	free(s->congestion);
	free(s->channel);
	free(s->first);
	free(s->lost);
	free(s);
}

static void cross(struct ebb_sampler *s, uint32_t port)
{
	GROW(s->channel, s->n_channels, s->cap_channels);
	s->channel[s->n_channels++] = port;
}

/* The way with SLs and VLs. False: there is none. */
static bool trace_way(struct ebb_sampler *s, uint32_t src, uint32_t dst)
{
	struct path p;
	bool arrives;

	path_trace(s->r, src, s->r->lids->base[src], s->r->lids->base[dst], &p);
	arrives = p.end == PATH_OK;
	for (unsigned i = 0; arrives && i < p.n; i++) {
		uint32_t port = switch_port_id(s->f, p.hop[i].sw, p.hop[i].out);

		if (s->t->peer_switch[port] != NO_ID)
			cross(s, port);
	}
	path_free(&p);
	return arrives;
}

/* The way by the tables alone. False: there is none. A loop ends after as many switches as exist. */
static bool walk_way(struct ebb_sampler *s, uint32_t src, uint32_t dst)
{
	unsigned lid = s->r->lids->base[dst];
	uint32_t sw = s->t->endport_switch[src];

	for (uint32_t i = 0; i <= s->f->n_switches; i++) {
		unsigned out = routing_next_port(s->r, sw, lid);
		uint32_t port;

		if (!out || out > s->f->switch_nports[sw])
			return false;
		port = switch_port_id(s->f, sw, out);
		sw = s->t->peer_switch[port];
		if (sw == NO_ID)
			return s->t->peer[port] == s->f->endport_port[dst];
		cross(s, port);
	}
	return false;
}

static void add_way(struct ebb_sampler *s, uint32_t flow, uint32_t src, uint32_t dst)
{
	size_t begin = s->n_channels;

	s->first[flow] = begin;
	s->lost[flow] = !(s->maps ? trace_way(s, src, dst) : walk_way(s, src, dst));
	if (s->lost[flow])
		s->n_channels = begin;
	for (size_t i = begin; i < s->n_channels; i++)
		s->congestion[s->channel[i]]++;
	s->first[flow + 1] = s->n_channels;
}

static double share_of(const struct ebb_sampler *s, uint32_t flow)
{
	uint32_t most = 1;

	for (size_t i = s->first[flow]; i < s->first[flow + 1]; i++)
		if (s->congestion[s->channel[i]] > most)
			most = s->congestion[s->channel[i]];
	return s->lost[flow] ? 0 : 1.0 / most;
}

double ebb_sample(struct ebb_sampler *s, const uint32_t *host, uint32_t n, bool both)
{
	uint32_t flows = 0;
	double sum = 0;

	s->n_channels = 0;
	for (uint32_t i = 0; i + 1 < n; i += 2) {
		add_way(s, flows++, host[i], host[i + 1]);
		if (both)
			add_way(s, flows++, host[i + 1], host[i]);
	}
	for (uint32_t i = 0; i < flows; i++)
		sum += share_of(s, i);
	for (size_t i = 0; i < s->n_channels; i++)
		s->congestion[s->channel[i]] = 0;
	return flows ? sum / flows : 0;
}

/* Mean and half width after one more sample (B. P. Welford's way: no sum of squares to cancel). */
static void take(struct ebb *e, double v, double *squares)
{
	double before = v - e->value;

	e->samples++;
	e->value += before / e->samples;
	*squares += before * (v - e->value);
	e->half_width = e->samples > 1 ? 1.96 * sqrt(*squares / (e->samples - 1) / e->samples) : 1;
}

/* The rails of pairs of hosts: end[0] sends to end[1] and so on; their number. */
static uint32_t pair_rails(const struct gpus *g, const uint32_t *host, uint32_t *end)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i + 1 < g->n_hosts; i += 2)
		for (uint32_t k = g->first[host[i]]; k < g->first[host[i] + 1]; k++) {
			const struct gpu *to = gpu_on(g, host[i + 1], g->gpu[k].rail);

			if (!to)
				continue;
			end[n++] = g->gpu[k].endport;
			end[n++] = to->endport;
		}
	return n;
}

int ebb_estimate(const struct routing *r, const struct gpus *gpus, uint64_t seed, bool both,
		 struct progress *p, struct ebb *out)
{
	uint32_t n, *host = pattern_hosts(r, &n), *end = gpus ? NEW_ARRAY(2 * gpus->n + 2, uint32_t) : host;
	struct ebb_sampler *s = ebb_sampler_new(r, n);
	double squares = 0;
	bool go_on = true;

	n = gpus ? gpus->n_hosts : n;
	for (uint32_t i = 0; gpus && i < n; i++)
		host[i] = i;
	*out = (struct ebb){.hosts = n};
	progress_start(p, "bisections", EBB_MOST);
	while (n > 1 && go_on && out->samples < EBB_MOST &&
	       (out->samples < EBB_LEAST || out->half_width > EBB_HALF_WIDTH)) {
		shuffle(host, n, &seed);
		take(out, ebb_sample(s, end, gpus ? pair_rails(gpus, host, end) : n, both), &squares);
		go_on = progress_step(p, out->samples);
	}
	ebb_sampler_free(s);
	if (gpus)
		free(end);
	free(host);
	return go_on ? 0 : -1;
}
