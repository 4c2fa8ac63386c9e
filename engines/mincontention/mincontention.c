/*
 * Minimum contention, shortest path and load balancing (HP 376227-B21): the run over all LIDs, the trees that
 * are kept, and results to look at.
 *
 * Stability: a LID whose tree has lost no link keeps it. The trees of the other LIDs are chosen again, after
 * the ports of all kept trees were counted and those of kept LIDs of the same endport were marked.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "engines/engines.h"
#include "engines/mincontention/internal.h"

static const struct optdef options[] = {
	{.name = "tolerance",
	 .own = true,
	 .type = OPT_UINT,
	 .def = "0",
	 .max = 63,
	 .help = "mincontention: elements (chassis) a path may be longer than the shortest"},
	{.name = "chassis_file",
	 .own = true,
	 .type = OPT_FILE,
	 .def = "",
	 .help = "mincontention: which switch chips are one chassis: lines `switch-GUID NAME`"},
	{0},
};

/* --- destinations ---------------------------------------------------------------------------- */

/*
 * CA and router ports by base LID, then switches by LID, if they have a LID and a switch. Returns their
 * number.
 */
static uint32_t destinations(const struct engine_input *in, uint32_t *list)
{
	const struct topo *t = in->topo;
	uint32_t n = 0;

	for (int switches = 0; switches < 2; switches++)
		for (unsigned lid = 1; lid <= in->lids->max_lid; lid++) {
			uint32_t ep = in->lids->owner[lid];

			if (ep == NO_ID || in->lids->base[ep] != lid || t->endport_switch[ep] == NO_ID)
				continue;
			if (endport_is_switch(t->fabric, ep) == switches)
				list[n++] = ep;
		}
	return n;
}

static void begin_lid(struct mincontention_run *x, uint32_t ep, unsigned lid)
{
	x->lid = lid;
	x->owner = ep;
	x->sw = x->topo->endport_switch[ep];
	x->swport = x->topo->endport_swport[ep];
	aim(x, x->el->of[x->sw]);
}

/* --- what is kept ---------------------------------------------------------------------------- */

/* Finds the LIDs whose trees in the current tables stand. False when cancelled. */
static bool find_kept(struct mincontention_run *x, const uint32_t *list, uint32_t n)
{
	const struct lids *l = x->in->lids;

	progress_start(x->in->progress, "trees that stand", n);
	for (uint32_t i = 0; i < n; i++) {
		if (!progress_step(x->in->progress, i))
			return false;
		for (unsigned k = 0; k < l->count[list[i]]; k++) {
			begin_lid(x, list[i], l->base[list[i]] + k);
			x->kept[x->lid] = tree_stands(x, x->in->current);
		}
	}
	return true;
}

/* During the run, usage is counted per link. */
static void split_usage(const struct level *v, const uint32_t *usage)
{
	for (uint32_t l = 0; l < v->n_links; l++)
		v->use[l] = usage[v->port[l]];
}

static void join_usage(const struct level *v, uint32_t *usage)
{
	for (uint32_t l = 0; l < v->n_links; l++)
		usage[v->port[l]] = v->use[l];
}

/* Takes over the entries of kept LIDs, and counts their ports. */
static void take_kept(struct mincontention_run *x)
{
	const struct fabric *f = x->topo->fabric;
	const struct routing *from = x->in->current;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		struct lft_row *row = x->r->row[s];

		for (unsigned lid = 1; row && lid <= row->top; lid++) {
			if (!x->kept[lid])
				continue;
			row->port[lid] = (uint8_t)routing_port(from, s, lid);
			x->usage[switch_port_id(f, s, row->port[lid])] += row->port[lid] != 0;
		}
	}
}

/* A shortcut for find_kept(): keeps a LID if none of its entries names a port that has lost its link. */
static void keep_unharmed(struct mincontention_run *x, const struct routing *before, const uint32_t *list,
			  uint32_t n)
{
	const struct fabric *f = x->topo->fabric;
	const struct lids *l = x->in->lids;

	for (uint32_t i = 0; i < n; i++)
		for (unsigned lid = l->base[list[i]], k = 0; k < l->count[list[i]]; k++, lid++)
			x->kept[lid] = lid_owner(before->lids, lid) == list[i];
	for (uint32_t s = 0; s < f->n_switches; s++) {
		uint8_t dead[MAX_PORTS + 2] = {0};
		bool any = false;

		for (unsigned p = 1; x->r->row[s] && p <= f->switch_nports[s]; p++) {
			uint32_t port = switch_port_id(f, s, p);

			dead[p] = before->topo->peer[port] != NO_ID && x->topo->peer[port] == NO_ID;
			any |= dead[p];
		}
		for (unsigned lid = 1; any && lid <= l->max_lid; lid++) {
			unsigned p = routing_port(before, s, lid);

			if (p != NO_PATH && dead[p])
				x->kept[lid] = 0;
		}
	}
}

/*
 * May keep_unharmed() be used? It may if the tables are those of the last run with the same tolerance, no
 * link is new, and elements only lost chips (if one falls apart, find_kept() decides).
 */
static bool can_compare(const struct mincontention_run *x)
{
	const struct engine_input *in = x->in;
	const struct mincontention *m = mincontention_of(in->previous);
	const struct elements *el = x->el;
	uint8_t *taken;
	bool same;

	if (!m || !in->current || m->tolerance != x->tolerance ||
	    in->previous->topo->fabric != in->topo->fabric)
		return false;
	for (uint32_t s = 0; s < in->topo->fabric->n_switches; s++)
		if (switch_up(in->topo, s) &&
		    (!in->previous->row[s] || in->previous->row[s] != in->current->row[s]))
			return false;
	for (uint32_t p = 0; p < in->topo->fabric->n_ports; p++)
		if (in->topo->peer[p] != NO_ID && in->topo->peer[p] != in->previous->topo->peer[p])
			return false;
	taken = NEW_ARRAY(m->elements->n + 1, uint8_t);
	same = true;
	for (uint32_t e = 0; same && e < el->n; e++) {
		uint32_t was = m->elements->of[el->chip[el->first_chip[e]]];

		for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++)
			same &= m->elements->of[el->chip[c]] == was;
		same = same && !taken[was];
		taken[was] = 1;
	}
	free(taken);
	return same;
}

/* --- all LIDs -------------------------------------------------------------------------------- */

static void forget_marks(struct level *v)
{
	while (v->n_marks)
		v->marked[v->mark[--v->n_marks]] = 0;
}

/* Counts elements with only one path for the current LID where a neighbour withholds another one. */
static void count_not_given(struct mincontention_run *x)
{
	const struct level *v = &x->between;

	for (uint32_t e = 0; e < x->el->n; e++) {
		bool withheld = false;

		for (uint32_t l = v->first[e]; e != x->target && l < v->first[e + 1]; l++) {
			if (l == v->egress[e])
				continue;
			if (acceptable(x, v, e, l)) {
				withheld = false;
				break;
			}
			withheld = withheld || way_not_given(x, e, l);
		}
		x->not_given += withheld;
	}
}

static void route_endport(struct mincontention_run *x, uint32_t ep)
{
	const struct lids *l = x->in->lids;
	unsigned kept = 0;

	for (unsigned k = 0; k < l->count[ep]; k++)
		kept += x->kept[l->base[ep] + k];
	if (!ASKED(x->in) && kept == l->count[ep])
		return;
	forget_marks(&x->between);
	forget_marks(&x->inside);
	for (unsigned k = 0; l->count[ep] > 1 && k < l->count[ep]; k++)
		if (x->kept[l->base[ep] + k])
			mark_lid(x, x->r, l->base[ep] + k);
	for (unsigned k = 0; k < l->count[ep]; k++) {
		begin_lid(x, ep, l->base[ep] + k);
		if (x->kept[x->lid]) {
			if (ASKED(x->in) && tree_stands(x, x->in->current))
				mc_tell(x, true);
			continue;
		}
		choose_paths(x);
		if (x->tolerance)
			count_not_given(x);
		if (x->rec)
			mc_record_lid(x);
		if (ASKED(x->in))
			mc_tell(x, false);
		place_entries(x);
		if (l->count[ep] > 1)
			mark_chosen(x);
	}
}

/* --- one run --------------------------------------------------------------------------------- */

static struct routing *mincontention_run(const struct engine_input *in, struct engine_output *out, bool hint)
{
	struct elements *el = elements_new(in->topo, options_file(in->options, "chassis_file"), in->progress,
					   &out->notes.text, &out->refused);
	struct mincontention *m;
	uint32_t *list, n;
	bool done = true;
	struct mincontention_run x;

	if (!el)
		return NULL;
	x = (struct mincontention_run){.in = in, .el = el, .topo = in->topo};
	run_levels(&x);
	x.tolerance = (unsigned)options_uint(in->options, "tolerance");
	x.r = routing_new("mincontention", in->topo, in->lids);
	for (uint32_t s = 0; s < in->topo->fabric->n_switches; s++)
		if (switch_up(in->topo, s))
			x.r->row[s] = lft_row_new(in->lids->max_lid);
	x.usage = NEW_ARRAY((size_t)in->topo->fabric->n_ports + 1, uint32_t);
	x.kept = NEW_ARRAY(in->lids->max_lid + 1u, uint8_t);
	list = NEW_ARRAY(in->topo->fabric->n_endports + 1, uint32_t);
	n = destinations(in, list);
	if (hint && can_compare(&x))
		keep_unharmed(&x, in->previous, list, n);
	else if (in->current)
		done = find_kept(&x, list, n);
	if (RECORDED(in))
		x.rec = mc_record_new(&x);
	if (in->current)
		take_kept(&x);
	if (x.rec)
		mc_record_kept(&x);
	split_usage(&x.between, x.usage);
	split_usage(&x.inside, x.usage);
	if (done)
		progress_start(in->progress, "paths between elements", n);
	for (uint32_t i = 0; done && i < n; i++) {
		done = progress_step(in->progress, i);
		if (done)
			route_endport(&x, list[i]);
	}
	join_usage(&x.between, x.usage);
	join_usage(&x.inside, x.usage);
	if (x.not_given)
		note_add(&out->notes, 0,
			 "%s had one path only, because neighbours send the LID elsewhere (`why` names "
			 "them).\n",
			 PLURAL(x.not_given, "choice"));
	free(list);
	mc_record_free(x.rec);
	run_end(&x);
	m = NEW(struct mincontention);
	*m = (struct mincontention){el, x.tolerance, x.usage, x.kept};
	x.r->ops = &mincontention_ops;
	x.r->priv = m;
	if (done)
		return x.r;
	routing_unref(x.r);
	err_set(&out->refused, CANCELLED);
	return NULL;
}

static struct routing *mincontention_route(const struct engine_input *in, struct engine_output *out)
{
	return mincontention_run(in, out, false);
}

static struct routing *mincontention_update(const struct engine_input *in, struct engine_output *out)
{
	return mincontention_run(in, out, true);
}

/* Room for the distances between all elements. There are at most as many as switches. */
static size_t mincontention_room(const struct engine_input *in, const char **what)
{
	size_t n = MIN(in->topo->n_switches_up, REMEMBERED);

	*what = "distances of elements";
	return n * n * (sizeof(uint16_t) + sizeof(uint32_t));
}

const struct engine engine_mincontention = {
	.name = "mincontention",
	.brief = "whole chassis first: least contention among the LIDs of a port, shortest, least used",
	.reference = "HP 376227-B21: the subnet manager of Topspin-family switches; nothing of OpenSM",
	.options = options,
	.route = mincontention_route,
	.update = mincontention_update,
	.room = mincontention_room,
	.scheme = &mincontention_scheme,
};
