#include "core/analysis/shape/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/shape/grid_search.h"
#include "core/base/memory.h"
#include "core/base/text.h"

/* --- places ---------------------------------------------------------------------------------- */

void grid_coordinates(const struct grid *g, uint32_t place, unsigned c[GRID_DIMS])
{
	c[0] = place % g->radix[0];
	c[1] = place / g->radix[0] % g->radix[1];
	c[2] = place / g->radix[0] / g->radix[1];
}

uint32_t grid_place(const struct grid *g, const unsigned c[GRID_DIMS])
{
	return c[0] + g->radix[0] * (c[1] + g->radix[1] * c[2]);
}

uint32_t grid_beside(const struct grid *g, uint32_t place, unsigned direction)
{
	unsigned c[GRID_DIMS], d = direction / 2, r = g->radix[d];

	grid_coordinates(g, place, c);
	if (r == 1 || (g->open[d] && c[d] == (direction % 2 ? r - 1 : 0)))
		return NO_ID;
	c[d] = (c[d] + (direction % 2 ? 1 : r - 1)) % r;
	return grid_place(g, c);
}

static const char *shape_text(const unsigned *radix, const bool *open, char *buf, size_t size)
{
	bool torus = true, mesh = true;
	size_t len = 0;

	for (unsigned d = 0; d < GRID_DIMS; d++) {
		torus &= radix[d] == 1 || !open[d];
		mesh &= radix[d] == 1 || open[d];
	}
	buf[0] = '\0';
	for (unsigned d = 0; d < GRID_DIMS && len < size; d++)
		if (radix[d] > 1)
			len += (size_t)snprintf(buf + len, size - len, "%s%u%s", len ? " x " : "", radix[d],
						torus || mesh ? ""
						: open[d]     ? " (open)"
							      : " (looped)");
	if (len < size)
		snprintf(buf + len, size - len, " %s", mesh ? "mesh" : "torus");
	return buf;
}

const char *grid_text(const struct grid *g, char *buf, size_t size)
{
	return shape_text(g->radix, g->open, buf, size);
}

void grid_free(struct grid *g)
{
	if (!g)
		return;
	free(g->at);
	free(g->place);
	free(g->missing_link);
	free(g);
}

/* --- what breaks it ---------------------------------------------------------------------------- */

static const char *name_of(const struct topo *t, const struct switch_graph *g, uint32_t u)
{
	return switch_name(t->fabric, g->sw[u]);
}

/* Some shape fits, the likeliest tried first; coord as in grid_search().  whole: nothing may be missing. */
static bool any_fits(const struct switch_graph *g, bool whole, unsigned variant, unsigned *coord,
		     struct grid_shape *fit, struct progress *p, struct grid_failure *why)
{
	size_t n;
	struct grid_shape *s = grid_shapes(g, &n);
	bool found = false;

	for (size_t i = 0; i < n && !found && !progress_cancelled(p); i++) {
		if (whole && (s[i].missing || s[i].lost))
			continue;
		found = grid_search(g, &s[i], variant, coord, p, why);
		*fit = s[i];
	}
	free(s);
	return found;
}

/* Links and switches whose removal is tried to name the one that breaks the pattern. */
#define MOST_TRIALS 200

struct trial {
	const struct topo *t;
	const struct switch_graph *g;
	unsigned *coord;
	struct progress *p;
	struct grid_shape fit;
	unsigned left;
};

static bool fits_without(struct trial *x, uint32_t u, uint32_t v)
{
	struct switch_graph *h = switch_graph_without(x->g, u, v);
	struct grid_failure why = {.placed = UINT32_MAX};
	bool found = any_fits(h, true, 0, x->coord, &x->fit, x->p, &why);

	switch_graph_free(h);
	x->left -= x->left > 0;
	return found;
}

static bool blame_link(struct trial *x, struct err *e)
{
	const struct switch_graph *g = x->g;
	const unsigned *a, *b;
	char shape[80];

	for (uint32_t u = 0; u < g->n && x->left; u++)
		for (uint32_t i = g->first[u]; i < g->first[u + 1] && x->left; i++) {
			uint32_t v = g->to[i];

			if (v < u || !fits_without(x, u, v))
				continue;
			a = &x->coord[(size_t)u * GRID_DIMS];
			b = &x->coord[(size_t)v * GRID_DIMS];
			err_set(e,
				"the link between %s (at %u,%u,%u) and %s (at %u,%u,%u) breaks the pattern: "
				"without it this is a %s",
				name_of(x->t, g, u), a[0], a[1], a[2], name_of(x->t, g, v), b[0], b[1], b[2],
				shape_text(x->fit.radix, x->fit.open, shape, sizeof(shape)));
			return true;
		}
	return false;
}

static bool blame_switch(struct trial *x, struct err *e)
{
	char shape[80];

	for (uint32_t u = 0; u < x->g->n && x->left; u++)
		if (fits_without(x, u, NO_ID)) {
			err_set(e, "%s breaks the pattern: without it this is a %s", name_of(x->t, x->g, u),
				shape_text(x->fit.radix, x->fit.open, shape, sizeof(shape)));
			return true;
		}
	return false;
}

static void blame_search(const struct topo *t, const struct switch_graph *g, const struct grid_failure *f,
			 struct err *e)
{
	char shape[80], part[300] = "";

	shape_text(f->shape.radix, f->shape.open, shape, sizeof(shape));
	if (f->b != NO_ID)
		snprintf(part, sizeof(part),
			 ", for no free place is beside both %.80s (at %u,%u,%u) and %.80s (at %u,%u,%u)",
			 name_of(t, g, f->a), f->at_a[0], f->at_a[1], f->at_a[2], name_of(t, g, f->b),
			 f->at_b[0], f->at_b[1], f->at_b[2]);
	else if (f->a != NO_ID)
		snprintf(part, sizeof(part), ", for no place is free beside %.80s (at %u,%u,%u)",
			 name_of(t, g, f->a), f->at_a[0], f->at_a[1], f->at_a[2]);
	err_set(e, "no torus or mesh: of a %s, which comes nearest, %u of %u switches fit, but not %s%s",
		shape, f->placed, g->n, name_of(t, g, f->stuck), part);
}

/* One link or switch is too much, and without it all is whole. */
static bool blame_one(const struct topo *t, const struct switch_graph *g, unsigned *coord, struct progress *p,
		      struct err *e)
{
	struct trial x = {.t = t, .g = g, .coord = coord, .p = p, .left = MOST_TRIALS};

	if (g->max_degree > GRID_DIRECTIONS + 1)
		return false;
	if (blame_link(&x, e))
		return true;
	x.left = MOST_TRIALS;
	return blame_switch(&x, e);
}

static void blame(const struct topo *t, const struct switch_graph *g, const struct grid_failure *f,
		  struct err *e)
{
	if (g->max_degree > GRID_DIRECTIONS)
		err_set(e,
			"no torus or mesh: %s has %u neighbour switches, expected at most %u in three "
			"dimensions",
			name_of(t, g, g->widest), g->max_degree, GRID_DIRECTIONS);
	else if (f->placed && f->stuck != NO_ID)
		blame_search(t, g, f, e);
	else
		err_set(e,
			"no torus or mesh of up to three dimensions has %u switches and %u pairs of "
			"neighbours, up to %u of "
			"them with %s, even if some were missing",
			g->n, g->n_edges, g->max_degree, name_of(t, g, g->widest));
}

/* --- the result ------------------------------------------------------------------------------------ */

static void count_missing_link(struct grid *r, const struct topo *t, const struct switch_graph *g,
			       const uint32_t *node, uint32_t place, unsigned direction)
{
	uint32_t to = grid_beside(r, place, direction), u = node[place], v = to == NO_ID ? NO_ID : node[to];

	if (v == NO_ID || switch_graph_linked(g, u, v))
		return;
	r->missing_links++;
	if (!r->missing_link)
		r->missing_link = str_printf("%s - %s", name_of(t, g, u), name_of(t, g, v));
}

static struct grid *make_grid(const struct topo *t, const struct switch_graph *g, const struct grid_shape *s,
			      const unsigned *coord)
{
	struct grid *r = NEW(struct grid);
	uint32_t *node;

	memcpy(r->radix, s->radix, sizeof(r->radix));
	memcpy(r->open, s->open, sizeof(r->open));
	r->n_places = r->radix[0] * r->radix[1] * r->radix[2];
	r->missing_switches = r->n_places - g->n;
	r->at = NEW_ARRAY(r->n_places, uint32_t);
	r->place = NEW_ARRAY(t->fabric->n_switches, uint32_t);
	node = NEW_ARRAY(r->n_places, uint32_t);
	memset(r->at, 0xFF, r->n_places * sizeof(*r->at));
	memset(node, 0xFF, r->n_places * sizeof(*node));
	memset(r->place, 0xFF, t->fabric->n_switches * sizeof(*r->place));
	for (uint32_t u = 0; u < g->n; u++) {
		uint32_t place = grid_place(r, &coord[(size_t)u * GRID_DIMS]);

		r->at[place] = g->sw[u];
		r->place[g->sw[u]] = place;
		node[place] = u;
	}
	for (uint32_t place = 0; place < r->n_places; place++)
		for (unsigned d = 0; d < GRID_DIMS && node[place] != NO_ID; d++)
			count_missing_link(r, t, g, node, place, 2 * d + 1);
	free(node);
	return r;
}

struct grid *grid_find(const struct topo *t, unsigned variant, struct progress *p, struct err *e)
{
	struct switch_graph *g = switch_graph_new(t);
	unsigned *coord = NEW_ARRAY((size_t)g->n * GRID_DIMS + 1, unsigned);
	struct grid_failure why = {.stuck = NO_ID};
	struct grid_shape s;
	struct grid *r = NULL;
	bool good = false;

	progress_start(p, "looking for a torus or mesh", 0);
	if (g->n < 2)
		err_set(e, "found %u switch%s, expected at least two", g->n, g->n == 1 ? "" : "es");
	else if (any_fits(g, false, variant, coord, &s, p, &why))
		r = make_grid(t, g, &s, coord);
	/* something too much is likelier than much missing */
	if (g->n >= 2 && (!r || r->missing_switches || r->missing_links > 3) && blame_one(t, g, coord, p, e))
		good = false;
	else if (progress_cancelled(p))
		err_set(e, CANCELLED);
	else if (r)
		good = true;
	else if (g->n >= 2)
		blame(t, g, &why, e);
	free(coord);
	switch_graph_free(g);
	if (good)
		return r;
	grid_free(r);
	return NULL;
}
