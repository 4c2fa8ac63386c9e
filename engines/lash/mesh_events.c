/* Mesh analysis in a recording: events and their sentences. */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"
#include "engines/lash/lash.h"
#include "engines/lash/mesh_work.h"

static const char *const axis_rules[] = {
	[MESH_SEED] = "seed axis",	 [MESH_FACING] = "facing in the seed",
	[MESH_STRAIGHT] = "straight on", [MESH_ACROSS] = "other end",
	[MESH_SQUARE] = "square",
};

/* --- events -------------------------------------------------------------------------------- */

static uint32_t port_of(const struct mesh_work *w, uint32_t channel)
{
	return lash_channel_port(w->g, w->in->topo->fabric, channel);
}

/* Sizes of a type, 4 bits each; 0 without one. */
static uint32_t packed_sizes(const struct mesh_work *w, int type)
{
	uint32_t v = 0;

	for (unsigned d = 0; type > 0 && d < w->shape[type - 1].dimensions; d++)
		v |= (uint32_t)w->shape[type - 1].size[d] << 4 * d;
	return v;
}

void mesh_record_measure(const struct mesh_work *w, uint32_t u)
{
	struct recorder *r = w->in->record;
	unsigned k = lash_degree(w->g, u);
	int type = w->m->type[u]; /* NOLINT(bugprone-signed-char-misuse): -1 is meant */

	rec_event(r, REC_MEASURE, (unsigned)(type + 1), k, w->g->sw[u], 0);
	rec_extra(r, packed_sizes(w, type));
	for (unsigned i = 0; has_matrix(w, u) && i < k; i++)
		for (unsigned j = i + 1; j < k; j++)
			rec_extra(r, (uint32_t)apart(w, u, i, j));
}

void mesh_record_class(const struct mesh_work *w, uint32_t u, uint32_t exemplar)
{
	rec_event(w->in->record, REC_CLASS, 0, 0, w->g->sw[u], w->g->sw[exemplar]);
}

void mesh_record_axis(const struct mesh_work *w, uint32_t channel, unsigned code, enum mesh_axis_rule rule)
{
	struct recorder *r = w->in->record;
	uint32_t port = port_of(w, channel);

	rec_cells(r, T_AXIS, w->in->topo->fabric->n_ports);
	rec_cells(r, T_COORD, (size_t)w->in->topo->fabric->n_switches * w->m->dimensions);
	rec_event(r, REC_AXIS, rule, w->in->topo->fabric->port_num[port], w->g->sw[w->g->from[channel]],
		  code);
	rec_delta(r, T_AXIS, port, w->m->axis[channel], code);
}

void mesh_record_place(const struct mesh_work *w, uint32_t u, uint32_t from, const int32_t *was)
{
	struct recorder *r = w->in->record;
	unsigned dims = w->m->dimensions;
	uint32_t sw = w->g->sw[u];

	rec_event(r, REC_COORD, 0, 0, sw, from == NO_ID ? NO_ID : w->g->sw[from]);
	for (unsigned d = 0; d < dims; d++)
		rec_delta(r, T_COORD, sw * dims + d, (uint32_t)was[d],
			  (uint32_t)w->m->coord[(size_t)u * dims + d]);
}

void mesh_record_numbers(const struct mesh_work *w, const uint32_t *old)
{
	const struct lash_graph *g = w->g;
	struct recorder *r = w->in->record;

	for (uint32_t u = 0; u < g->n; u++) {
		rec_event(r, REC_NUMBER, 0, 0, g->sw[u], u);
		rec_extra(r, old[u]);
		for (uint32_t c = g->base[u]; c < g->base[u + 1]; c++)
			rec_extra(r, port_of(w, c));
	}
}

const char *mesh_axis_rule(unsigned rule)
{
	return axis_rules[rule];
}

/* --- sentences ------------------------------------------------------------------------------- */

static const char *name_of(const struct walk *w, uint32_t sw)
{
	return switch_name(recording_sweep(walk_recording(w))->fabric, sw);
}

unsigned mesh_dimensions(const struct recording *r)
{
	return (unsigned)(recording_cells(r, T_COORD) / recording_sweep(r)->fabric->n_switches);
}

/* How far neighbours are apart, n distances. */
static void say_distances(const uint32_t *apart, uint32_t n, struct text *t)
{
	uint32_t min = MESH_FAR, max = 0, lost = 0;

	for (uint32_t i = 0; i < n; i++) {
		lost += apart[i] == MESH_FAR;
		if (apart[i] == MESH_FAR)
			continue;
		min = apart[i] < min ? apart[i] : min;
		max = apart[i] > max ? apart[i] : max;
	}
	if (!n)
		return;
	if (lost == n)
		text_add(t, "; without it they do not meet");
	else if (min == max)
		text_add(t, "; without it they are %s apart", PLURAL(min, "hop"));
	else
		text_add(t, "; without it they are %u to %u hops apart", min, max);
	if (lost && lost < n)
		text_add(t, ", some do not meet");
}

static void say_measure(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const uint32_t *extra;
	uint32_t n = recording_extra(walk_recording(w), walk_step(w), &extra);

	text_add(t, "%s: %s, ", name_of(w, ev->a), PLURAL(ev->port, "neighbour"));
	if (ev->port > MESH_LINKS) {
		text_add(t, "too many to be measured");
		return;
	}
	text_add(t, "neighbourhood %s", ev->rule > 1 ? "" : ev->rule ? "unknown" : "at an edge");
	for (unsigned d = 0; n && d < MESH_DIMENSIONS && extra[0] >> 4 * d & 15; d++) {
		unsigned size = extra[0] >> 4 * d & 15;

		text_add(t, "%s%u%s", d ? " x " : "", size, size == 6 ? "+" : "");
	}
	if (n > 1)
		say_distances(extra + 1, ev->port * (ev->port - 1u) / 2, t);
}

static void say_link(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	static const char *const why[] = {
		[MESH_SEED] = "the first link of the seed without an axis",
		[MESH_FACING] = "not two hops from the one before: on the other side",
		[MESH_STRAIGHT] = "the only one not two hops from a link with an axis: straight on",
		[MESH_ACROSS] = "as its other end says",
		[MESH_SQUARE] = "as the opposite side of a square",
	};
	const struct topo *top = recording_sweep(walk_recording(w))->topo;

	text_add(t, "%s port %u to %s: ", name_of(w, ev->a), ev->port,
		 name_of(w, top->peer_switch[switch_port_id(top->fabric, ev->a, ev->port)]));
	mesh_name_axis(walk_recording(w), ev->b, t);
	text_add(t, ", %s", why[ev->rule]);
}

static void say_place(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	unsigned dims = mesh_dimensions(walk_recording(w));

	text_add(t, "%s: at ", name_of(w, ev->a));
	for (unsigned d = 0; d < dims; d++) {
		int32_t x = (int32_t)walk_value(w, T_COORD, ev->a * dims + d);

		if (x == MESH_FAR)
			text_add(t, "%s-", d ? "," : "");
		else
			text_add(t, "%s%d", d ? "," : "", x);
	}
	if (ev->b == NO_ID)
		text_add(t, ", the seed");
	else
		text_add(t, ", a step from %s", name_of(w, ev->b));
}

static void say_number(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct topo *top = recording_sweep(walk_recording(w))->topo;
	const uint32_t *extra;
	uint32_t n = recording_extra(walk_recording(w), walk_step(w), &extra);

	if (!n)
		return;
	text_add(t, "%s: number %u by its coordinates, was %u by GUID", name_of(w, ev->a), ev->b, extra[0]);
	for (uint32_t i = 1; i < n; i++)
		text_add(t, "%s%s",
			 i > 1 ? ", " : "; its links in turn: ", name_of(w, top->peer_switch[extra[i]]));
}

bool mesh_sentence(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	switch (ev->kind) {
	case REC_MEASURE:
		say_measure(w, ev, t);
		return true;
	case REC_CLASS:
		if (ev->a == ev->b)
			text_add(t, "%s: the first of its kind", name_of(w, ev->a));
		else
			text_add(t, "%s: like %s", name_of(w, ev->a), name_of(w, ev->b));
		return true;
	case REC_AXIS:
		say_link(w, ev, t);
		return true;
	case REC_COORD:
		say_place(w, ev, t);
		return true;
	case REC_NUMBER:
		say_number(w, ev, t);
		return true;
	default:
		return false;
	}
}

/* --- the analysis at a step --------------------------------------------------------------------- */

/* Types and classes as far as they are told; is the seed known? */
static bool put_types(const struct walk *w, const struct lash_graph *g, struct lash_mesh *m)
{
	bool seed = false;

	for (size_t i = 1; i <= walk_step(w); i++) {
		const struct rec_event *ev = recording_event(walk_recording(w), i);

		if (ev->kind == REC_MEASURE)
			m->type[g->id[ev->a]] = (int8_t)(ev->rule - 1);
		seed |= ev->kind == REC_AXIS;
	}
	return seed;
}

static void put_sizes(const struct lash_graph *g, struct lash_mesh *m)
{
	for (unsigned d = 0; d < m->dimensions; d++) {
		int32_t min = 0, max = 0; /* the seed's */

		for (uint32_t u = 0; u < g->n; u++) {
			int32_t x = m->coord[(size_t)u * m->dimensions + d];

			min = x != MESH_FAR && x < min ? x : min;
			max = x != MESH_FAR && x > max ? x : max;
		}
		m->size[d] = (uint32_t)(max - min + 1);
	}
}

struct lash_mesh *mesh_at(const struct walk *w, const struct lash_graph *g, const struct lash_mesh *whole)
{
	struct lash_mesh *m = NEW(struct lash_mesh);
	const struct fabric *f = recording_sweep(walk_recording(w))->fabric;
	unsigned dims = whole->dimensions;

	*m = *whole;
	m->class = NULL;
	m->n_classes = 0;
	m->coord = NULL;
	m->axis = NULL;
	m->type = NEW_ARRAY(g->n, int8_t);
	if (!put_types(w, g, m)) {
		m->dimensions = 0;
		m->seed = NO_ID;
		m->shape = (struct mesh_shape){0};
		m->none = "the analysis is not that far yet";
		if (whole->none && *walk_phase(w) && strcmp(walk_phase(w), MESH_PHASE) != 0)
			m->none = whole->none;
		return m;
	}
	m->axis = NEW_ARRAY(g->n_channels, uint8_t);
	m->coord = NEW_ARRAY((size_t)g->n * dims, int32_t);
	for (uint32_t c = 0; c < g->n_channels; c++)
		m->axis[c] = (uint8_t)walk_value(w, T_AXIS, lash_channel_port(g, f, c));
	for (uint32_t u = 0; u < g->n; u++)
		for (unsigned d = 0; d < dims; d++)
			m->coord[(size_t)u * dims + d] = (int32_t)walk_value(w, T_COORD, g->sw[u] * dims + d);
	put_sizes(g, m);
	return m;
}
