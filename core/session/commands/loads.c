/* Routes and flows on links under traffic patterns. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/bisection.h"
#include "core/analysis/traffic/loads.h"
#include "core/analysis/traffic/shift.h"
#include "core/analysis/traffic/spread.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"
#include "core/session/out.h"
#include "core/session/patterns.h"

#define SHOWN 20

struct rated_load {
	uint32_t port;
	double by_rate; /* routes_by_rate() */
};

COMPARATOR(by_load, struct rated_load, DOWN(by_rate) UP(port))

void load_tell_rate(const struct fabric *f, uint32_t port, uint32_t routes, double fastest, json_t *x,
		    struct out *o)
{
	double by_rate = routes_by_rate(f, port, routes, fastest);
	double rate = fabric_port_gbps(f, port);

	if (fastest <= 0)
		return;
	out_text(o, ", %s%s", link_width_name(f->port_width[port]), link_speed_name(f->port_speed[port]));
	if (rate < fastest)
		out_text(o, ": as %.0f on the fastest", by_rate);
	json_object_update_new(x, json_make("{s:f, s:f}", "rate", rate, "by_rate", by_rate));
}

static void print_loads(const struct sweep *w, const struct loads *l, uint32_t limit, struct out *o)
{
	const struct topo *t = w->topo;
	const struct fabric *f = t->fabric;
	AUTO_FREE struct rated_load *order = NEW_ARRAY(l->n_links + 1, struct rated_load);
	double fastest = channels_fastest(t);
	json_t *list = json_array(), *obj;
	uint32_t n = 0;

	for (uint32_t s = 0; s < f->n_switches; s++)
		FOR_PORTS(f, s, id)
			if (t->peer_switch[id] != NO_ID)
				order[n++] =
					(struct rated_load){id, routes_by_rate(f, id, l->port[id], fastest)};
	assert(n <= l->n_links);
	qsort(order, n, sizeof(*order), by_load);
	out_text(o, "%s over %s: min %u, mean %.1f, max %u\n", PLURAL(l->routes, "route"),
		 PLURAL(l->n_links, "directed link"), l->min, l->mean, l->max);
	for (uint32_t i = 0; i < n && i < limit; i++) {
		uint32_t port = order[i].port;

		obj = json_make("{s:i}", "routes", (int)l->port[port]);
		out_text(o, "%8u  " ROW_CUT("%s") " -> " ROW_CUT("%s"), l->port[port], PORT_LABEL(f, port),
			 PORT_LABEL(f, t->peer[port]));
		load_tell_rate(f, port, l->port[port], fastest, obj, o);
		out_text(o, "\n");
		json_put_port(obj, "from", f, w->lids, port);
		json_put_port(obj, "to", f, w->lids, t->peer[port]);
		json_array_append_new(list, obj);
	}
	if (n > limit)
		out_text(o, "  ... %s; `load-map PATTERN all` prints them\n", PLURAL(n - limit, "more link"));
	out_json(o, "loads",
		 json_make("{s:I, s:i, s:i, s:f, s:i, s:o}", "routes", (json_int_t)l->routes, "links",
			   (int)l->n_links, "min", (int)l->min, "mean", l->mean, "max", (int)l->max, "ports",
			   list));
}

/* Routes of two jobs: each among its own hosts. */
struct two_jobs {
	const struct fabric *f;
	const struct loads *own, *others;
};

/* Most of both first. */
static int by_both(const void *x, const void *y, void *ctx)
{
	const struct two_jobs *j = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	uint64_t of_a = (uint64_t)j->own->port[a] + j->others->port[a],
		 of_b = (uint64_t)j->own->port[b] + j->others->port[b];

	if (of_a != of_b)
		return of_a > of_b ? -1 : 1;
	return COMPARED(a, b);
}

static void tell_shared(const struct sweep *w, const struct two_jobs *j, uint32_t limit, const char *command,
			json_t *told, struct out *o)
{
	const struct fabric *f = j->f;
	AUTO_FREE uint32_t *link = NEW_ARRAY(j->own->n_links + 1, uint32_t);
	uint32_t n = 0, alone = 0, others = 0;
	json_t *list = json_array();

	for (uint32_t s = 0; s < f->n_switches; s++)
		FOR_PORTS(f, s, id) {
			if (w->topo->peer_switch[id] == NO_ID)
				continue;
			if (j->own->port[id] && j->others->port[id])
				link[n++] = id;
			alone += j->own->port[id] && !j->others->port[id];
			others += !j->own->port[id] && j->others->port[id];
		}
	assert(n <= j->own->n_links);
	qsort_r(link, n, sizeof(*link), by_both, (void *)j);
	out_text(o, "%s of both; %u of the scope alone, %u of the others alone.\n",
		 PLURAL(n, "directed link"), alone, others);
	if (n)
		out_text(o, "%8s %8s\n", "scope", "others");
	for (uint32_t i = 0; i < n; i++) {
		uint32_t port = link[i], peer = w->topo->peer[port];

		if (i < limit)
			out_text(o, "%8u %8u  " ROW_CUT("%s") " -> " ROW_CUT("%s") "\n", j->own->port[port],
				 j->others->port[port], PORT_LABEL(f, port), PORT_LABEL(f, peer));
		if (!o->object)
			continue;
		json_t *x = json_make("{s:i, s:i}", "routes", (int)j->own->port[port], "others",
				      (int)j->others->port[port]);
		json_put_port(x, "from", f, w->lids, port);
		json_put_port(x, "to", f, w->lids, peer);
		json_array_append_new(list, x);
	}
	if (n > limit)
		out_text(o, "  ... %s; `%s shared H... all` prints them\n", PLURAL(n - limit, "more link"),
			 command);
	json_object_update_new(told, json_make("{s:i, s:i, s:i, s:o}", "links", (int)n, "alone", (int)alone,
					       "others_alone", (int)others, "list", list));
}

int load_shared(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	bool all = args_end(args, "all");

	assert(w && w->routing);
	if (!session_scope(s))
		return err_set(e, "no scope is set: `scope H...` names one job's hosts");
	struct scope *scope = scope_read(s, args->arg + 1, args->n - 1 - all, false, o, e);
	if (!scope)
		return -1;
	AUTO_ROUTING struct routing *r = routing_in_scope(s, scope);
	AUTO_ARENA struct loads *own = loads_new(w->routing, &pattern_all, o->run->progress);
	AUTO_ARENA struct loads *others = own ? loads_new(r, &pattern_all, o->run->progress) : NULL;
	if (others) {
		uint32_t both = 0; /* host ports of both */

		for (uint32_t ep = 0; ep < w->fabric->n_endports; ep++)
			both += w->hosts->in[ep] && r->hosts->in[ep];
		json_t *told = json_make("{s:s, s:i, s:i, s:I, s:I}", "hosts", scope->words, "host_ports",
					 (int)r->hosts->n, "in_both", (int)both, "routes",
					 (json_int_t)own->routes, "others", (json_int_t)others->routes);

		report_scope(s, o);
		out_text(o, "Others: %s: %s", scope->words, PLURAL(r->hosts->n, "host port"));
		out_text(o, both ? ", %u of them in the scope too.\n" : ".\n", both);
		tell_shared(w, &(struct two_jobs){w->fabric, own, others}, all ? UINT32_MAX : SHOWN,
			    args->argv[0], told, o);
		out_json(o, "shared", told);
	} else {
		err_set(e, CANCELLED);
	}
	scope_unref(scope);
	return others ? 0 : -1;
}

/* `load-map ebb ...` */
static int load_ebb(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	static const char *const of_text[GPU_PATTERNS] = {"a ring", "a tree", "a step of alltoall"};
	const struct sweep *w = session_sweep(s);
	bool rail = args_has(args, "rail"), direct = args_has(args, "direct");
	struct ebb_request of = {.pattern = args_which(args, gpu_pattern_word, GPU_PATTERNS),
				 .seed = args_number(args, "seed=K", 1),
				 .both = args_has(args, "both")};
	struct ebb ebb;

	if (of.both && of.pattern > GPUS_RING)
		return err_set_kind(
			e, ERR_SYNTAX, "found \"both\" with %s, expected it with pairs or ring: %s",
			gpu_pattern_word[of.pattern],
			of.pattern == GPUS_TREE ? "a tree sends both ways anyhow"
						: "the step the other way is one of the random ones");
	struct gpus *gpus = rail || of.pattern >= 0 ? gpus_new(w->routing, NULL, 0) : NULL;
	if (gpus)
		gpus->direct = direct;
	of.gpus = gpus;
	int rc = ebb_estimate(w->routing, &of, o->run->progress, &ebb, e);
	arena_free(gpus);
	if (rc)
		return -1;
	report_scope(s, o);
	if (!ebb.samples)
		out_text(o, "Effective bisection bandwidth needs two hosts; there is %s.\n",
			 ebb.hosts ? "1" : "none");
	else if (of.pattern < 0)
		out_text(o, "Effective bisection bandwidth: %.3f +- %.3f of a link (%s of %s, %s%s).\n",
			 ebb.value, ebb.half_width, PLURAL(ebb.samples, "random pairing"),
			 PLURAL(ebb.hosts, "host"), rail ? "each rail to itself, " : "",
			 of.both ? "both ways" : "one way");
	else
		out_text(o, "Effective bandwidth of %s: %.3f +- %.3f of a link (%s of %s, %s%s).\n",
			 of_text[of.pattern], ebb.value, ebb.half_width, PLURAL(ebb.samples, "random order"),
			 PLURAL(ebb.hosts, "host"), direct ? "direct" : "by rail",
			 of.both ? ", both ways" : "");
	out_json(o, "ebb",
		 json_make("{s:f, s:f, s:i, s:i, s:b, s:b, s:s, s:b, s:I}", "value", ebb.value, "half_width",
			   ebb.half_width, "samples", (int)ebb.samples, "hosts", (int)ebb.hosts, "both",
			   (int)of.both, "rail", (int)rail, "pattern",
			   of.pattern < 0 ? "pairs" : gpu_pattern_word[of.pattern], "direct", (int)direct,
			   "seed", (json_int_t)of.seed));
	return 0;
}

/* Predicted and measured load of links between switches. */
struct compared {
	const struct loads *l;
	const struct measured *m;
	double routes, sent; /* total of the links that are shown */
};

static uint64_t sent_by(const struct measured *m, uint32_t port)
{
	const struct measured_port *x = measured_of(m, port);

	return x && x->told >> COUNT_TRANSMIT_DATA & 1 ? x->grown[COUNT_TRANSMIT_DATA] : UINT64_MAX;
}

static int by_sent(const void *x, const void *y, void *ctx)
{
	const struct compared *c = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	if (sent_by(c->m, a) != sent_by(c->m, b))
		return sent_by(c->m, a) > sent_by(c->m, b) ? -1 : 1;
	return COMPARED(a, b);
}

/* How much the two agree: 1 in step, 0 not at all. */
static double correlation(const struct compared *c, const uint32_t *port, uint32_t n)
{
	assert(n);

	double mx = c->routes / n, my = c->sent / n, xy = 0, xx = 0, yy = 0;

	for (uint32_t i = 0; i < n; i++) {
		double x = c->l->port[port[i]] - mx, y = (double)sent_by(c->m, port[i]) - my;

		xy += x * y;
		xx += x * x;
		yy += y * y;
	}
	return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

static void tell_compared(const struct sweep *w, struct compared *c, bool all, struct out *o)
{
	const struct fabric *f = w->fabric;
	AUTO_FREE uint32_t *port = NEW_ARRAY(c->l->n_links + 1, uint32_t);
	uint32_t n = 0, untold = 0;
	json_t *list = json_array();

	for (uint32_t s = 0; s < f->n_switches; s++)
		FOR_PORTS(f, s, id) {
			uint64_t sent = w->topo->peer_switch[id] == NO_ID ? UINT64_MAX : sent_by(c->m, id);

			untold += w->topo->peer_switch[id] != NO_ID && sent == UINT64_MAX;
			if (sent == UINT64_MAX)
				continue;
			port[n++] = id;
			c->routes += c->l->port[id];
			c->sent += (double)sent;
		}
	qsort_r(port, n, sizeof(*port), by_sent, c);
	double agree = n ? correlation(c, port, n) : NAN;
	out_text(o, "%s between switches with what they sent%s", PLURAL(n, "directed link"),
		 c->m->two ? " between two readings" : " since the counters were reset");
	if (untold)
		out_text(o, "; of %u it is not told", untold);
	out_text(o, ".\n");
	if (!isnan(agree))
		out_text(o, "Correlation of routes (all pairs) and data sent: %.2f.\n", agree);
	if (n)
		out_text(o, "%8s %9s %14s %9s %7s\n", "routes", "share", "sent, MB", "share", "ratio");
	for (uint32_t i = 0; i < n; i++) {
		double sent = (double)sent_by(c->m, port[i]),
		       by_routes = c->routes > 0 ? c->l->port[port[i]] / c->routes : 0,
		       by_data = c->sent > 0 ? sent / c->sent : 0;
		const struct measured_port *x = measured_of(c->m, port[i]);
		bool top = x->top >> COUNT_TRANSMIT_DATA & 1;

		if (all || i < SHOWN)
			out_text(o,
				 "%8u %8.2f%% %2s%12.0f %8.2f%% %7.2f  " ROW_CUT("%s") " -> " ROW_CUT(
					 "%s") "\n",
				 c->l->port[port[i]], 100 * by_routes, top ? ">=" : "", sent * 4 / 1e6,
				 100 * by_data, by_routes > 0 ? by_data / by_routes : 0,
				 PORT_LABEL(f, port[i]), PORT_LABEL(f, w->topo->peer[port[i]]));
		if (!o->object)
			continue;
		json_t *one = json_make("{s:i, s:f, s:I, s:f, s:b}", "routes", (int)c->l->port[port[i]],
					"routes_share", by_routes, "sent", (json_int_t)sent_by(c->m, port[i]),
					"sent_share", by_data, "at_top", top);
		json_put_port(one, "from", f, w->lids, port[i]);
		json_put_port(one, "to", f, w->lids, w->topo->peer[port[i]]);
		json_array_append_new(list, one);
	}
	if (!all && n > SHOWN)
		out_text(o, "  ... %s; `load-map counters all` prints them\n",
			 PLURAL(n - SHOWN, "more link"));
	out_json(o, "measured",
		 json_make("{s:i, s:i, s:f, s:o}", "links", (int)n, "untold", (int)untold, "correlation",
			   agree, "list", list));
}

/* `load-map counters [all]` */
static int load_counted(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	struct measured *m = session_measured(s);

	assert(w && w->routing);
	if (!m)
		return err_set(e, "no reading of counters yet: `counters all FILE` or `counters all live`");
	AUTO_ARENA struct loads *l = loads_new(w->routing, &pattern_all, o->run->progress);
	if (l) {
		report_scope(s, o);
		tell_compared(w, &(struct compared){.l = l, .m = m}, args_end(args, "all"), o);
	}
	measured_free(m);
	return l ? 0 : err_set(e, CANCELLED);
}

static int cmd_load_map(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	struct pattern pattern;
	bool all = args->n > 1 && args_end(args, "all"); /* behind a pattern */

	assert(w && w->routing);
	if (args_has(args, "ebb"))
		return load_ebb(s, args, o, e);
	if (args_has(args, "counters"))
		return load_counted(s, args, o, e);
	if (args_has(args, "shared"))
		return load_shared(s, args, o, e);
	if (session_pattern(s, w->routing, args, &pattern, o, e))
		return -1;
	AUTO_ARENA struct loads *l = loads_new(w->routing, &pattern, o->run->progress);
	if (l) {
		uint64_t asked = 0;

		report_scope(s, o);
		if (w->routing->adaptive)
			out_text(o, "Loads of static traffic: with adaptive routing other packets take any "
				    "port of a "
				    "group (`spread`).\n");
		print_loads(w, l, all ? UINT32_MAX : 20, o);
		/* The flows of a pattern that cannot be counted. */
		for (size_t i = 0; i < pattern.n; i++)
			asked += pattern.flow[i].weight;
		if (pattern.left_out)
			out_text(o, "%s left out: an end is down, does not count, or both are one.\n",
				 PLURAL(pattern.left_out, "flow"));
		if (pattern.kind == PATTERN_LIST && asked > l->routes)
			out_text(o, "%s without a way: see check.\n", PLURAL(asked - l->routes, "flow"));
		out_json(o, "left_out", json_integer((json_int_t)pattern.left_out));
	}
	pattern_free(&pattern);
	return l ? 0 : err_set(e, CANCELLED);
}

#define SHIFT_LINES 10

COMPARATOR(by_congestion, struct shift_load, DOWN(max) UP(shift))

static void print_shift(const struct sweep *w, const struct shift_load *l, json_t *list, struct out *o)
{
	const struct topo *t = w->topo;
	char a[300] = "-", b[300] = "-";

	if (l->port != NO_ID) {
		port_label(t->fabric, l->port, a, sizeof(a));
		port_label(t->fabric, t->peer[l->port], b, sizeof(b));
	}
	out_text(o, "%8u %6u  " ROW_CUT("%s") " -> " ROW_CUT("%s") "%s\n", l->shift, l->max, a, b,
		 l->lost ? "  (flows without a way: see check)" : "");
	json_t *obj = json_make("{s:i, s:i, s:s, s:s, s:i, s:i}", "shift", (int)l->shift, "max", (int)l->max,
				"from", a, "to", b, "flows", (int)l->flows, "lost", (int)l->lost);
	json_put_beside(obj, "from", t->fabric, w->lids, l->port);
	json_put_beside(obj, "to", t->fabric, w->lids, l->port == NO_ID ? NO_ID : t->peer[l->port]);
	json_array_append_new(list, obj);
}

static void print_shifts(const struct sweep *w, const struct shift_order *order, struct shifts *s,
			 struct out *o)
{
	json_t *list = json_array();
	uint32_t max = s->n ? s->load[s->worst].max : 0;

	out_text(o, "Order of %s (%s%s)", PLURAL(s->n_places, "place"), shift_by_text(order->by),
		 !order->rails	 ? ""
		 : order->direct ? ", direct"
				 : ", by rail");
	if (s->n_missing)
		out_text(o, ", %u of them of missing nodes", s->n_missing);
	out_text(o, "; %u of %s looked at.\n", s->n, PLURAL(s->n_places ? s->n_places - 1 : 0, "shift"));
	out_text(o, "Most flows on a link: mean %.2f, worst %u; %s without two flows on a link.\n", s->mean,
		 max, PLURAL(s->free, "shift"));
	qsort(s->load, s->n, sizeof(*s->load), by_congestion);
	if (max > 1)
		out_text(o, "%8s %6s  %s\n", "shift", "flows", "link");
	for (uint32_t i = 0; max > 1 && i < s->n && i < SHIFT_LINES; i++)
		print_shift(w, &s->load[i], list, o);
	if (max <= 1 && (!s->n || s->free < s->n))
		out_text(o,
			 "No link carries more than one flow, but not every host has a flow: see check.\n");
	else if (max <= 1)
		out_text(o, "Free of congestion: no link carries more than one flow in any of them.\n");
	out_json(o, "shifts",
		 json_make("{s:i, s:i, s:i, s:i, s:i, s:f, s:b, s:s, s:b, s:o}", "places", (int)s->n_places,
			   "missing", (int)s->n_missing, "looked_at", (int)s->n, "free", (int)s->free,
			   "worst", (int)max, "mean", s->mean, "engine_order",
			   order->by == SHIFT_FTREE && w->routing->ops->order != NULL, "order",
			   shift_by_name(order->by), "direct", (int)order->direct, "list", list));
}

static int cmd_shifts(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	static const char *const orders[] = {"lid", "ftree", "name", "rail"};
	static_assert(ARRAY_LEN(orders) == SHIFT_RAIL + 1, "a word for each order");
	int by = args_which(args, orders, ARRAY_LEN(orders));
	uint32_t sample = (uint32_t)args_number(args, "SAMPLE", 0);

	assert(w && w->routing);
	AUTO_ARENA struct shift_order *order = shift_order_new(
		w->routing, w->setup, s->engines, by < 0 ? NULL : orders[by], o->run->progress, e);
	if (!order)
		return -1;
	order->direct = args_has(args, "direct");
	if (!sample)
		sample = shift_sample(order);
	struct shifts *sh = shifts_new(w->routing, order, sample, 0, o->run->progress);
	if (!sh)
		return err_set(e, CANCELLED);
	report_scope(s, o);
	print_shifts(w, order, sh, o);
	arena_free(sh);
	return 0;
}

/* --- spread -------------------------------------------------------------------------------------- */

/* Ports between switches by share. */
struct loads_command_shared {
	const struct sweep *w;
	const struct loads *l; /* of the tables' own entries */
	const double *share;
	uint32_t *port;
	uint32_t n;
	double max, mean;
};

static int by_share(const void *x, const void *y, void *ctx)
{
	const struct loads_command_shared *h = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	/* the last digits depend on the order of the sums */
	if (h->share[a] - h->share[b] > 1e-6 || h->share[b] - h->share[a] > 1e-6)
		return h->share[a] > h->share[b] ? -1 : 1;
	return COMPARED(a, b);
}

/* Pairs without a share. */
static json_t *loads_command_print_left_out(const struct sweep *w, const struct spread_left *l, struct out *o)
{
	json_t *list = json_array(), *x;
	uint64_t more = l->left;

	if (l->left)
		out_text(o,
			 "%s of %" PRIu64 " left out whole: not every way of theirs arrives (%" PRIu64
			 " loop).\n",
			 PLURAL(l->left, "pair"), l->pairs, l->looping);
	for (size_t i = 0; i < l->n; i++) {
		const struct spread_missed *m = &l->missed[i];

		out_text(o, "  from %s to %s: %s, %s\n", switch_name(w->fabric, m->sw),
			 ENDPORT_LABEL(w->fabric, m->dst), PLURAL(m->pairs, "pair"),
			 m->loops ? "forwarding loop" : "no path");
		more -= m->pairs;
		x = json_make("{s:i, s:b}", "pairs", (int)m->pairs, "loops", m->loops);
		json_put_switch(x, "from", w->fabric, w->lids, m->sw);
		json_put_endport(x, "to", w->fabric, w->lids, m->dst);
		json_array_append_new(list, x);
	}
	if (more)
		out_text(o, "  ... %s; `spread all` prints them\n", PLURAL(more, "more pair"));
	return list;
}

static void print_shares(const struct loads_command_shared *h, const struct spread_left *left, uint32_t limit,
			 struct out *o)
{
	const struct topo *t = h->w->topo;
	json_t *list = json_array(), *left_out = loads_command_print_left_out(h->w, left, o);

	out_text(o,
		 "Share of a link: max %.1f, mean %.1f (the tables' own entries: max %u, mean %.1f), %s.\n",
		 h->max, h->mean, h->l->max, h->l->mean, PLURAL(h->n, "directed link"));
	if (h->n)
		out_text(o, "%10s %8s\n", "share", "routes");
	for (uint32_t i = 0; i < h->n && i < limit; i++) {
		uint32_t port = h->port[i];
		json_t *x = json_make("{s:f, s:i}", "share", h->share[port], "routes", (int)h->l->port[port]);

		out_text(o, "%10.1f %8u  " ROW_CUT("%s") " -> " ROW_CUT("%s") "\n", h->share[port],
			 h->l->port[port], PORT_LABEL(t->fabric, port), PORT_LABEL(t->fabric, t->peer[port]));
		json_put_port(x, "from", t->fabric, h->w->lids, port);
		json_put_port(x, "to", t->fabric, h->w->lids, t->peer[port]);
		json_array_append_new(list, x);
	}
	if (h->n > limit)
		out_text(o, "  ... %s; `spread all` prints them\n", PLURAL(h->n - limit, "more link"));
	out_json(o, "shares",
		 json_make("{s:I, s:I, s:I, s:o, s:f, s:f, s:i, s:f, s:i, s:o}", "pairs",
			   (json_int_t)left->pairs, "unreachable", (json_int_t)left->left, "looping",
			   (json_int_t)left->looping, "left_out", left_out, "max", h->max, "mean", h->mean,
			   "static_max", (int)h->l->max, "static_mean", h->l->mean, "links", (int)h->n,
			   "ports", list));
}

static int cmd_spread(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	assert(session_routing(s));
	struct loads_command_shared h = {.w = session_sweep(s)};
	bool all = args_has(args, "all");
	struct spread_left left = {.limit = all ? SIZE_MAX : SHOWN};

	if (!h.w->routing->adaptive)
		return err_set(e, "found tables without groups of adaptive routing, expected some that have "
				  "them; `tables FILE` reads what switches hold");
	AUTO_ARENA struct loads *l = loads_new(h.w->routing, &pattern_all, o->run->progress);
	if (!l)
		return err_set(e, CANCELLED);
	report_scope(s, o);
	out_text(o, "Spread over the groups that the tables have.\n");
	AUTO_FREE double *share = spread_shares(h.w->routing, &left, o->run->progress);
	if (!share)
		return err_set(e, CANCELLED);
	const struct topo *t = h.w->topo;
	double sum = 0;

	h.l = l;
	h.share = share;
	h.port = NEW_ARRAY(t->fabric->n_ports + 1, uint32_t);
	for (uint32_t i = 0; i < t->fabric->n_ports; i++) {
		if (t->peer_switch[i] == NO_ID || !node_is_switch(t->fabric, t->fabric->port_node[i]))
			continue;
		h.port[h.n++] = i;
		sum += h.share[i];
		h.max = MAX(h.share[i], h.max);
	}
	h.mean = h.n ? sum / h.n : 0;
	qsort_r(h.port, h.n, sizeof(*h.port), by_share, &h);
	print_shares(&h, &left, all ? UINT32_MAX : SHOWN, o);
	o->run->found_fault |= left.left > 0;
	free(left.missed);
	free(h.port);
	return 0;
}

const struct command load_commands[] = {
	{.name = "load-map",
	 .group = JUDGE,
	 .at_step = true,
	 .syntax = "load-map [" PATTERN_SYNTAX "] [all] | shared H... [all] | counters [all] | ebb [both] "
		   "[rail | ring|tree|alltoall [direct]] [seed=K]",
	 .help = "count routes per link for a traffic pattern; effective bisection bandwidth",
	 .needs = NEEDS_ROUTING,
	 .json = JSON_SCOPE JSON_ABSENT JSON_PATTERN
	 "loads object? routes on links\n"
	 "loads.routes integer routes of the pattern that arrive\n"
	 "loads.links integer directed links between switches\n"
	 "loads.min integer least on one\n"
	 "loads.mean number|null mean\n"
	 "loads.max integer =load\n"
	 "loads.ports[] object links with most, or all\n"
	 "loads.ports[].from port port that sends\n"
	 "loads.ports[].to port port at the other end\n"
	 "loads.ports[].routes integer =routes\n"
	 "loads.ports[].rate number? " JSON_RATE "loads.ports[].by_rate number? " JSON_BY_RATE
	 "left_out integer? =flows left out\n" JSON_SHARED
	 "measured object? predicted beside measured load of links between switches\n"
	 "measured.links integer directed links whose sending port is told\n"
	 "measured.untold integer those of which it is not\n"
	 "measured.correlation number|null of routes and data sent, -1 to 1\n"
	 "measured.list[] object links, most data first\n"
	 "measured.list[].from port port that sends\n"
	 "measured.list[].to port port at the other end\n"
	 "measured.list[].routes integer routes of all pairs\n"
	 "measured.list[].routes_share number of all these links' routes\n"
	 "measured.list[].sent integer words of four bytes\n"
	 "measured.list[].sent_share number of what all these links sent\n"
	 "measured.list[].at_top boolean it may have sent more\n"
	 "ebb object? effective bisection bandwidth\n"
	 "ebb.value share =effective bisection\n"
	 "ebb.half_width number of its 95 % interval\n"
	 "ebb.samples integer random pairings, or orders\n"
	 "ebb.hosts integer hosts that were paired, or put in order\n"
	 "ebb.both boolean both of a pair send, or a ring goes both ways\n"
	 "ebb.rail boolean hosts are paired, and each rail sends to the other's\n"
	 "ebb.pattern string(pairs/ring/tree/alltoall) what is sent\n"
	 "ebb.direct boolean GPUs send by their own port, not by that of the receiver's rail\n"
	 "ebb.seed integer of the random draws\n",
	 .run = cmd_load_map},
	{.name = "shifts",
	 .group = JUDGE,
	 .numbers = ARG_NUMBERS(
		 ARG_NUMBER("SAMPLE", 1, UINT32_MAX, "how many shifts to look at, from 1", "shifts")),
	 .syntax = "shifts [SAMPLE] [order lid|ftree|name | order rail [direct]]",
	 .help = "find the busiest link when every host sends to the host K places further, for all K or "
		 "SAMPLE of them",
	 .needs = NEEDS_ROUTING,
	 .json = JSON_SCOPE "shifts object flows on links when every node sends K places further\n"
			    "shifts.places integer places in the order\n"
			    "shifts.missing integer places of missing nodes\n"
			    "shifts.looked_at integer shifts looked at\n"
			    "shifts.free integer shifts in which every flow arrives and no two share a link\n"
			    "shifts.worst integer =flows of a shift\n"
			    "shifts.mean number|null =mean shift\n"
			    "shifts.engine_order boolean the order is the engine's own\n"
			    "shifts.order string(lid/ftree/name/rail) lid, ftree, name or rail\n"
			    "shifts.direct boolean order rail: each GPU sends by its own port\n"
			    "shifts.list[] object the worst shifts\n"
			    "shifts.list[].shift integer K\n"
			    "shifts.list[].max integer =flows of a shift\n"
			    "shifts.list[].from port port that sends them\n"
			    "shifts.list[].to port port at the other end\n"
			    "shifts.list[].flows integer flows of the shift\n"
			    "shifts.list[].lost integer flows without a path\n",
	 .run = cmd_shifts},
	{.name = "spread",
	 .group = JUDGE,
	 .syntax = "spread [all]",
	 .help = "show link loads when switches spread packets over all ports of an adaptive-routing group",
	 .finds = "some way of a pair loops or ends nowhere",
	 .needs = NEEDS_ROUTING,
	 .json = JSON_SCOPE "shares object shares of links, all hosts to all\n"
			    "shares.pairs integer pairs of hosts\n"
			    "shares.unreachable integer =pairs left out of shares\n"
			    "shares.looping integer of these: some way loops\n"
			    "shares.left_out[] object the first of them, or all, by switch and host\n"
			    "shares.left_out[].from node switch of the sources\n"
			    "shares.left_out[].to endport the destination\n"
			    "shares.left_out[].pairs integer sources on the switch\n"
			    "shares.left_out[].loops boolean some way loops; false: one ends nowhere\n"
			    "shares.max number largest\n"
			    "shares.mean number mean\n"
			    "shares.static_max integer most routes by the tables' own entries\n"
			    "shares.static_mean number|null mean of these\n"
			    "shares.links integer directed links between switches\n"
			    "shares.ports[] object links with most, or all\n"
			    "shares.ports[].from port port that sends\n"
			    "shares.ports[].to port port at the other end\n"
			    "shares.ports[].share number =share of a link\n"
			    "shares.ports[].routes integer routes by the tables' own entries\n",
	 .run = cmd_spread},
	{.name = NULL},
};
