/* LASH: virtual lanes, settings, and the steps of a run in order. */
#include <inttypes.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/sm/opervls.h"
#include "engines/lash/internal.h"
#include "engines/vls.h"

/* Refuses settings with which LASH cannot run. */
static int check_settings(const struct engine_input *in, const struct lash_vls *v, struct engine_output *out)
{
	char at[300] = "the default";

	if (v->port != NO_ID)
		port_label(in->topo->fabric, v->port, at, sizeof(at));
	if (!v->avail) {
		out->fatal = in->previous && lash_of(in->previous) ? "crashes" : NULL;
		return err_set(&out->refused,
			       "lash_start_vl is %u, but switch ports have only %u VLs (%s); expected less "
			       "than that%s",
			       v->start, v->vls, at,
			       out->fatal
				       ? "; lash routed the sweep before, whose structures OpenSM frees twice"
				       : "");
	}
	if (!in->lids->lmc)
		return 0;
	if (manual_rules(in->options))
		return err_set(&out->refused, "lmc is %u; lash works with LMC 0 only, says the manual",
			       in->lids->lmc);
	note_add(&out->notes, NOTE_RULES,
		 "lash: the manual says that LMC > 0 is refused; OpenSM 3.3.23 accepts it\n");
	return 0;
}

/* Makes graph, mesh analysis, routes and layers. old: see lash_assign_layers(). NULL: out->refused is set. */
static struct lash_plan *plan_new(const struct lash_plan *old, struct lash_cdgs *c, unsigned avail,
				  const struct engine_input *in, struct engine_output *out)
{
	struct lash_plan *p = NEW(struct lash_plan);
	int rc = 0;

	p->refs = 1;
	p->collapsed = options_bool(in->options, "do_mesh_analysis");
	p->graph = lash_graph_new(in->topo);
	if (p->collapsed) {
		p->before = lash_graph_new(in->topo);
		p->mesh = lash_mesh_new(p->graph, in, &out->refused);
		rc = p->mesh ? 0 : -1;
		if (rc && !progress_cancelled(in->progress))
			out->fatal = "never ends";
	}
	if (!rc && !lash_find_paths(p, in))
		rc = err_set(&out->refused, CANCELLED);
	if (!rc && RECORDED(in))
		c->record = lash_record_new(p, in, avail);
	if (!rc)
		rc = lash_assign_layers(p, old, c, avail, in, &out->refused);
	if (!rc)
		return p;
	lash_plan_unref(p);
	return NULL;
}

static void note_counts(const struct lash *l, const uint64_t *count, bool balanced,
			const struct engine_input *in)
{
	struct text t = {0};

	lash_say_counts(count, l->plan->need, &t);
	if (balanced)
		rec_note(in, "%s moved, %" PRIu64 " refused, %s; pairs per layer now %s",
			 PLURAL(l->moved, "pair"), l->refused, PLURAL(l->draws, "random number"),
			 text_str(&t));
	else
		rec_note(in, "%s of %u; ordered pairs per layer %s", PLURAL(l->plan->need, "layer"),
			 l->vls.avail, text_str(&t));
	text_free(&t);
}

/* Balances the layers of the plan. c is used up. */
static int lash_finish(struct lash *l, struct lash_cdgs *c, const struct engine_input *in,
		       struct engine_output *out)
{
	size_t n = l->plan->graph->n;
	unsigned avail = l->vls.avail;

	if (l->plan->need > avail)
		return err_set(
			&out->refused,
			"the routes need more than %u layer%s, and there %s %u VL%s from lash_start_vl "
			"%u on",
			avail, avail == 1 ? "" : "s", avail == 1 ? "is" : "are", avail, avail == 1 ? "" : "s",
			l->vls.start);
	l->layer = mem_dup(l->plan->first, n * n);
	memcpy(l->count, l->plan->count, sizeof(l->count));
	if (RECORDED(in))
		note_counts(l, l->plan->count, false, in);
	if (l->plan->need > 1 && lash_balance(l, c, in, out))
		return -1;
	if (RECORDED(in) && l->plan->need > 1)
		note_counts(l, l->count, true, in);
	return 0;
}

/*
 * OpenSM routes with the VLs that it finds, and sets VLs by max_op_vls only at the end of the sweep. This
 * notes when the VLs of the next sweep (15 when nothing is told) will be too few.
 */
static void note_next_sweep(const struct lash *l, const struct engine_input *in, struct notes *notes)
{
	const struct topo *t = in->topo;
	unsigned max = (unsigned)options_uint(in->options, "max_op_vls"), least = VLS_CODE_MAX, vls;

	for (uint32_t sw = 0; sw < t->fabric->n_switches; sw++) {
		if (!switch_up(t, sw))
			continue;
		FOR_PORTS(t->fabric, sw, id) {
			unsigned code = t->peer[id] == NO_ID ? 0 : opervls_given(t, id, max);

			if (code && code < least)
				least = code;
		}
	}
	vls = vls_of_code(least);
	if (vls >= l->vls.vls || l->plan->need + l->vls.start <= vls)
		return;
	note_add(notes, 0,
		 "lash: %s from VL %u on, but %s from the next sweep on, as max_op_vls is %u: it will refuse "
		 "then\n",
		 PLURAL(l->plan->need, "layer"), l->vls.start, PLURAL(vls, "VL"), max);
}

/* Does the old plan hold? Routes and layers depend only on the switches and their links. */
static bool plan_holds(const struct lash_plan *old, unsigned avail, const struct engine_input *in)
{
	struct lash_graph *g;
	bool same;

	if (!old || old->need > avail || old->collapsed != options_bool(in->options, "do_mesh_analysis"))
		return false;
	g = lash_graph_new(in->topo);
	same = lash_graph_equal(old->before ? old->before : old->graph, g);
	lash_graph_free(g);
	return same;
}

/* old: the plan of the previous routing, or NULL. Balancing draws again in any case. */
static struct routing *route_from(const struct lash_plan *old, const struct engine_input *in,
				  struct engine_output *out)
{
	struct lash *l = NEW(struct lash);
	struct lash_cdgs c = {{NULL}, NULL};
	struct lash_vls *v = &l->vls; /* engines/doc/lash.md 4 */
	struct routing *r = NULL;
	unsigned code = least_vls_code(in, &v->port);

	if (!code || code >= VLS_CODE_MAX)
		v->port = NO_ID;
	v->start = options_uint(in->options, "lash_start_vl");
	v->vls = vls_of_code(code ? code : VLS_CODE_MAX);
	v->avail = v->start < v->vls ? v->vls - v->start : 0;
	rec_note(in, "%u VLs, layers from VL %u on: %u may be used", v->vls, v->start, v->avail);
	if (!check_settings(in, v, out))
		l->plan = plan_holds(old, v->avail, in) ? lash_plan_ref(old)
							: plan_new(old, &c, v->avail, in, out);
	if (l->plan && l->plan->mesh && l->plan->mesh->none)
		note_add(&out->notes, 0, "lash: mesh analysis found no geometry: %s\n", l->plan->mesh->none);
	if (l->plan && !lash_finish(l, &c, in, out)) {
		lash_free_cdgs(&c); /* they take as much as the tables */
		note_next_sweep(l, in, &out->notes);
		r = routing_new("lash", in->topo, in->lids);
		r->ops = &lash_ops;
		r->priv = l;
		if (!lash_fill_tables(l, in, r)) {
			routing_unref(r);
			r = NULL;
			err_set(&out->refused, CANCELLED);
		}
	} else {
		lash_free(l);
	}
	lash_free_cdgs(&c);
	return r;
}

static struct routing *route(const struct engine_input *in, struct engine_output *out)
{
	return route_from(NULL, in, out);
}

/* If routes or layers change, layers are filled again, starting from the old order and cycles. */
static struct routing *lash_update(const struct engine_input *in, struct engine_output *out)
{
	const struct lash *old = in->previous ? lash_of(in->previous) : NULL;

	if (!old || ASKED(in) || in->previous->topo->fabric != in->topo->fabric)
		return route(in, out);
	return route_from(old->plan, in, out);
}

static const struct optdef options[] = {
	{.name = "do_mesh_analysis",
	 .flag = "--do_mesh_analysis",
	 .type = OPT_BOOL,
	 .def = "FALSE",
	 .help = "lash: recognise meshes and tori and route them by dimension"},
	{.name = "lash_start_vl",
	 .flag = "--lash_start_vl N",
	 .type = OPT_UINT,
	 .def = "0",
	 .max = 255, /* as in opensm.conf; the engine refuses more than the VLs */
	 .help = "lash: first SL and VL used"},
	{0},
};

/* Routes, first and last layers; for listeners the roots, too. Balancing takes two bits per layer. */
static size_t lash_room(const struct engine_input *in, const char **what)
{
	const struct fabric *f = in->topo->fabric;
	size_t n = in->topo->n_switches_up, layers = LASH_MAX_LAYERS;
	size_t deps = 0; /* pairs of consecutive cables */

	for (uint32_t s = 0; s < f->n_switches; s++) {
		size_t degree = 0;

		FOR_PORTS(f, s, port)
			degree += in->topo->peer_switch[port] != NO_ID;
		deps += degree * degree;
	}
	*what = "routes, layers";
	return n * n * (3 + (ASKED(in) ? sizeof(uint32_t) : 0) + RECORDED(in)) + 2 * layers * n * n / 8 +
	       (RECORDED(in) ? layers * sizeof(uint32_t) * deps : 0);
}

const struct engine engine_lash = {
	.name = "lash",
	.brief = "shortest routes between switches, put in layers free of credit loops",
	.reference = "Skeie, Lysne, Theiss, Layered Shortest Path (LASH) Routing, CAC 2002; as OpenSM 3.3.23",
	.options = options,
	.route = route,
	.update = lash_update,
	.room = lash_room,
	.scheme = &lash_scheme,
};
