#include "engines/nue/nue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/order.h"

/* --- making and resetting --------------------------------------------------------------- */

struct nue_ccdg *nue_ccdg_new(const struct nue_graph *g)
{
	struct nue_ccdg *d = NEW(struct nue_ccdg);
	uint32_t channels = g->n_channels + 1u, n = 0;

	d->g = g;
	d->n_vertices = g->n_channels + g->n;
	d->first_edge = NEW_ARRAY(d->n_vertices + 1u, uint32_t);
	for (uint32_t c = 0; c < d->n_vertices; c++) {
		uint32_t v = nue_end(d, c);

		d->first_edge[c] = n - g->first[v];
		n += nue_degree(g, v);
	}
	d->n_edges = n;
	d->edge = NEW_ARRAY(d->n_edges + 1u, uint16_t);
	d->used = NEW_ARRAY(d->n_edges / 64 + 1u, uint64_t);
	d->led = NEW_ARRAY(d->n_edges / 64 + 1u, uint64_t);
	d->edge_wet = NEW_ARRAY(d->n_edges + 1u, uint8_t);
	d->vertex = NEW_ARRAY(d->n_vertices + 1u, uint16_t);
	d->slot = NEW_ARRAY(g->n + (size_t)NUE_FIRST_COLOUR, uint32_t);
	d->order = NEW_ARRAY(channels, uint32_t);
	d->mark = NEW_ARRAY(channels, uint32_t);
	d->queue = NEW_ARRAY(channels, uint32_t);
	d->before = NEW_ARRAY(channels, uint32_t);
	d->sort = NEW_ARRAY(channels, uint64_t);
	d->next = NEW_ARRAY(channels, uint32_t);
	d->prev = NEW_ARRAY(channels, uint32_t);
	return d;
}

void nue_ccdg_free(struct nue_ccdg *d)
{
	if (!d)
		return;
	FREE_EACH(d->first_edge, d->edge, d->used, d->led, d->edge_wet, d->vertex, d->wet_edges.of,
		  d->wet_vertices.of, d->slot, d->real, d->order, d->mark, d->queue, d->before, d->sort,
		  d->next, d->prev, d);
}

void nue_ccdg_reset(struct nue_ccdg *d, uint32_t n_colours)
{
	assert(n_colours >= NUE_FIRST_COLOUR);
	for (uint32_t e = 0; e < d->n_edges; e++)
		d->edge[e] = NUE_UNUSED;
	memset(d->used, 0, (d->n_edges / 64 + 1u) * sizeof(*d->used));
	memset(d->led, 0, (d->n_edges / 64 + 1u) * sizeof(*d->led));
	for (uint32_t c = 0; c < d->n_vertices; c++)
		d->vertex[c] = NUE_UNUSED;
	for (uint32_t c = 0; c < d->g->n_channels; c++)
		d->edge[nue_edge_of(d, c, d->g->rev[c])] = NUE_BLOCKED;
	memset(d->edge_wet, 0, d->n_edges);
	d->wet_edges.n = d->wet_vertices.n = 0;
	d->real = mem_resize(d->real, n_colours, sizeof(*d->real));
	d->n_colours = n_colours;
	for (uint32_t i = 0; i < n_colours; i++)
		d->real[i] = i;
	for (d->n_slots = 0; d->n_slots < NUE_FIRST_COLOUR; d->n_slots++)
		d->slot[d->n_slots] = d->n_slots;
	d->cyclic = d->endless = false;
	d->searches = d->blocked = d->merges = 0;
}

static void nue_ccdg_flip(struct nue_ccdg *d, uint32_t c, uint32_t x)
{
	const uint32_t *rev = d->g->rev, n = d->g->n_channels;
	uint32_t e = nue_edge_of(d, c, x), l = c < n ? nue_edge_of(d, rev[x], rev[c]) : 0;

	d->used[e / 64] ^= UINT64_C(1) << e % 64;
	if (c < n)
		d->led[l / 64] ^= UINT64_C(1) << l % 64;
}

static void colour_edge(struct nue_ccdg *d, uint32_t c, uint32_t x, uint16_t colour)
{
	d->edge[nue_edge_of(d, c, x)] = colour;
	nue_ccdg_flip(d, c, x);
}

void nue_mark_edge(struct nue_ccdg *d, uint32_t c, uint32_t x)
{
	if (!nue_used(d, nue_edge_of(d, c, x)))
		colour_edge(d, c, x, NUE_ESCAPE);
}

void nue_unpaint(struct nue_ccdg *d, uint32_t c, uint32_t x)
{
	uint32_t e = nue_edge_of(d, c, x);

	if (!d->edge_wet[e])
		return;
	d->edge[e] = NUE_UNUSED;
	d->edge_wet[e] = 0;
	nue_ccdg_flip(d, c, x);
}

/* --- order of channels ---------------------------------------------------------------------- */

static uint32_t new_epoch(struct nue_ccdg *d)
{
	d->epoch += 2;
	if (!d->epoch) {
		memset(d->mark, 0, d->g->n_channels * sizeof(*d->mark));
		d->epoch = 2;
	}
	return d->epoch;
}

/* --- a heap of 64-bit numbers, least first; only for the first order --- */

static void nue_ccdg_push(uint64_t *h, uint32_t *n, uint64_t x)
{
	uint32_t i = (*n)++;

	for (; i && x < h[(i - 1) / 2]; i = (i - 1) / 2)
		h[i] = h[(i - 1) / 2];
	h[i] = x;
}

static uint64_t nue_ccdg_pop(uint64_t *h, uint32_t *n)
{
	uint64_t least = h[0], x = h[--*n];
	uint32_t i = 0, c;

	while ((c = 2 * i + 1) < *n) {
		c += c + 1 < *n && h[c + 1] < h[c];
		if (x <= h[c])
			break;
		h[i] = h[c];
		i = c;
	}
	h[i] = x;
	return least;
}

/* Spreads the numbers of the order evenly. */
static void spread_order(struct nue_ccdg *d)
{
	uint32_t end = d->g->n_channels, gap = UINT32_MAX / (end + 1), at = 0;

	for (uint32_t c = d->next[end]; c != end; c = d->next[c])
		d->order[c] = at += gap;
}

void nue_ccdg_order(struct nue_ccdg *d, const uint32_t *rank)
{
	const struct nue_graph *g = d->g;
	uint32_t n = 0, done = 0, last = g->n_channels;

	memset(d->before, 0, g->n_channels * sizeof(*d->before)); /* used edges into a channel */
	for (uint32_t c = 0; c < g->n_channels; c++)
		for (uint32_t x = g->first[g->to[c]]; x < g->first[g->to[c] + 1]; x++)
			d->before[x] += nue_used(d, nue_edge_of(d, c, x));
	for (uint32_t c = 0; c < g->n_channels; c++)
		if (!d->before[c])
			nue_ccdg_push(d->sort, &n, (uint64_t)rank[c] << 32 | c);
	while (n) {
		uint32_t c = (uint32_t)nue_ccdg_pop(d->sort, &n);

		done++;
		d->next[last] = c;
		d->prev[c] = last;
		last = c;
		for (uint32_t x = g->first[g->to[c]]; x < g->first[g->to[c] + 1]; x++)
			if (nue_used(d, nue_edge_of(d, c, x)) && !--d->before[x])
				nue_ccdg_push(d->sort, &n, (uint64_t)rank[x] << 32 | x);
	}
	d->next[last] = g->n_channels;
	d->prev[g->n_channels] = last;
	spread_order(d);
	d->cyclic = done < g->n_channels;
}

/*
 * A step of a search from x on, or back from h: looks at the channels that c leads to, or that lead to it, as
 * far as they are between x and h in the order, and puts new ones into list. True: the searches meet.
 */
static inline bool search_step(struct nue_ccdg *d, uint32_t c, bool back, uint32_t limit, uint32_t *list,
			       uint32_t *n)
{
	const struct nue_graph *g = d->g;
	const uint64_t *used = back ? d->led : d->used;
	uint32_t row = back ? g->rev[c] : c, first = g->first[g->to[row]], end = g->first[g->to[row] + 1];

	for (uint32_t width; first < end; first += width) {
		uint32_t e = nue_edge_of(d, row, first);
		uint64_t bits = used[e / 64] >> e % 64;

		width = 64 - e % 64;
		if (end - first < width) {
			width = end - first;
			bits &= (UINT64_C(1) << width) - 1;
		}
		for (; bits; bits &= bits - 1) {
			uint32_t k = first + (uint32_t)__builtin_ctzll(bits), y = back ? g->rev[k] : k;

			if ((back ? d->order[y] < limit : d->order[y] > limit) ||
			    d->mark[y] == d->epoch + back)
				continue;
			if (d->mark[y] == d->epoch + !back)
				return true;
			d->mark[y] = d->epoch + back;
			list[(*n)++] = y;
		}
	}
	return false;
}

/* Up to this many channels are sorted by insertion. */
#define FEW 24

/* Sorts a list of channels by the order. */
static void sort_by_order(struct nue_ccdg *d, uint32_t *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t item = (uint64_t)d->order[list[i]] << 32 | list[i];
		uint32_t j = i;

		for (; n <= FEW && j && d->sort[j - 1] > item; j--)
			d->sort[j] = d->sort[j - 1];
		d->sort[j] = item;
	}
	if (n > FEW)
		qsort(d->sort, n, sizeof(*d->sort), order_u64);
	for (uint32_t i = 0; i < n; i++)
		list[i] = (uint32_t)d->sort[i];
}

/* Moves channels, in their order, to behind h, or to before x. */
static void nue_ccdg_move(struct nue_ccdg *d, uint32_t *list, uint32_t n, uint32_t h, uint32_t x)
{
	uint32_t end = d->g->n_channels;

	sort_by_order(d, list, n);
	for (uint32_t i = 0; i < n; i++) {
		d->next[d->prev[list[i]]] = d->next[list[i]];
		d->prev[d->next[list[i]]] = d->prev[list[i]];
	}
	uint32_t at = h != NO_ID ? h : d->prev[x];
	uint32_t low = at == end ? 0 : d->order[at];
	uint32_t gap = ((d->next[at] == end ? UINT32_MAX : d->order[d->next[at]]) - low) / (n + 1);
	for (uint32_t i = 0; i < n; at = list[i++]) {
		d->next[list[i]] = d->next[at];
		d->prev[list[i]] = at;
		d->prev[d->next[at]] = list[i];
		d->next[at] = list[i];
		d->order[list[i]] = low += gap;
	}
	if (!gap)
		spread_order(d);
}

/* Changes the order so that h is before x. False when x leads to h. */
static bool order_allows(struct nue_ccdg *d, uint32_t h, uint32_t x)
{
	uint32_t on = 1, back = 1, i = 0, most = d->order[h], least = d->order[x];

	if (most < least)
		return true;
	d->searches++;
	new_epoch(d);
	d->queue[0] = x;
	d->before[0] = h;
	d->mark[x] = d->epoch;
	d->mark[h] = d->epoch + 1;
	for (; i < on && i < back; i++)
		if (search_step(d, d->queue[i], false, most, d->queue, &on) ||
		    search_step(d, d->before[i], true, least, d->before, &back))
			return false;
	if (i == on)
		nue_ccdg_move(d, d->queue, on, h, NO_ID);
	else
		nue_ccdg_move(d, d->before, back, NO_ID, x);
	return true;
}

/* --- once the coloured graph has a cycle --------------------------------------------------- */

/*
 * OpenSM's own search: depth first, and a channel is marked as done only when the search leaves it. If it
 * meets a channel that it has not left, OpenSM's search never ends.
 */
static bool literal_search(struct nue_ccdg *d, uint32_t h, uint32_t x)
{
	const struct nue_graph *g = d->g;
	uint32_t epoch = new_epoch(d), n = 0, *left = NEW_ARRAY(g->n_channels, uint32_t);
	uint8_t *inside = NEW_ARRAY(g->n_channels, uint8_t);
	bool met = x == h;

	d->queue[n++] = x;
	left[0] = g->first[g->to[x]];
	inside[x] = 1;
	while (n && !met && !d->endless) {
		uint32_t c = d->queue[n - 1], end = g->first[g->to[c] + 1], y = left[n - 1];

		while (y < end && !nue_used(d, nue_edge_of(d, c, y)))
			y++;
		left[n - 1] = y + 1;
		if (y == end) {
			inside[d->queue[--n]] = 0;
			d->mark[d->queue[n]] = epoch;
		} else if (y == h) {
			met = true;
		} else if (inside[y]) {
			d->endless = true;
		} else if (d->mark[y] != epoch) {
			inside[y] = 1;
			left[n] = g->first[g->to[y]];
			d->queue[n++] = y;
		}
	}
	FREE_EACH(left, inside);
	return met;
}

/* --- painting ------------------------------------------------------------------------------- */

static void wet_add(struct nue_wet *w, uint32_t x)
{
	GROW(w->of, w->n, w->cap);
	w->of[w->n++] = x;
}

uint32_t nue_begin(struct nue_ccdg *d, uint32_t node, uint32_t s)
{
	uint32_t f = nue_fake(d, node);

	assert(node < d->g->n && s >= NUE_FIRST_COLOUR && s < d->n_colours);
	if (d->vertex[f] > NUE_UNUSED) {
		d->real[d->slot[d->vertex[f]]] = s;
	} else {
		d->slot[d->n_slots] = s;
		d->vertex[f] = d->n_slots++;
	}
	return f;
}

bool nue_try(struct nue_ccdg *d, uint32_t h, uint32_t x, uint32_t s)
{
	uint32_t e = nue_edge_of(d, h, x);
	bool closes;

	if (nue_used(d, e))
		return false;
	uint32_t c = nue_colour(d, x);
	/* OpenSM searches even from a fake channel, although nothing leads into one */
	if (d->cyclic)
		closes = c == s && literal_search(d, h, x);
	else
		closes = h < d->g->n_channels && !order_allows(d, h, x);
	if (c == s && closes) {
		d->edge[e] = NUE_BLOCKED;
		d->blocked++;
		return true;
	}
	d->cyclic |= closes; /* OpenSM adds the edge without a search */
	if (c == NUE_UNUSED) {
		d->vertex[x] = d->vertex[h];
		wet_add(&d->wet_vertices, x);
	} else if (c != s) {
		d->merges++;
		d->real[d->slot[d->vertex[x]]] = d->slot[d->vertex[h]];
	}
	colour_edge(d, h, x, d->vertex[h]);
	wet_add(&d->wet_edges, h);
	wet_add(&d->wet_edges, x);
	d->edge_wet[e] = 1;
	return false;
}

void nue_end_destination(struct nue_ccdg *d, const uint32_t *used, uint32_t src)
{
	const struct nue_graph *g = d->g;

	assert(src < g->n && used[src] == NO_ID);
	for (size_t i = 0; i < d->wet_vertices.n; i++) {
		uint32_t c = d->wet_vertices.of[i];

		if (used[g->to[c]] != c)
			d->vertex[c] = NUE_UNUSED;
	}
	for (size_t i = 0; i < d->wet_edges.n; i += 2) {
		uint32_t h = d->wet_edges.of[i], c = d->wet_edges.of[i + 1], p = g->from[c];

		if (used[g->to[c]] == c && h == (p == src ? nue_fake(d, src) : used[p]))
			d->edge_wet[nue_edge_of(d, h, c)] = 0;
		else
			nue_unpaint(d, h, c);
	}
	d->wet_vertices.n = d->wet_edges.n = 0;
	for (uint32_t i = NUE_ESCAPE; i < d->n_slots; i++)
		d->slot[i] = d->real[d->slot[i]];
}

uint32_t nue_way_back(struct nue_ccdg *d, uint32_t h, uint32_t x, uint32_t *way)
{
	const struct nue_graph *g = d->g;
	uint32_t epoch = new_epoch(d), n = 0, len = 0, *from = d->before;

	assert(h < d->g->n_channels && x < d->g->n_channels);
	d->queue[n++] = x;
	d->mark[x] = epoch;
	from[x] = NO_ID;
	for (uint32_t i = 0; i < n && d->mark[h] != epoch; i++) {
		uint32_t c = d->queue[i];

		for (uint32_t y = g->first[g->to[c]]; y < g->first[g->to[c] + 1]; y++) {
			if (d->mark[y] == epoch || !nue_used(d, nue_edge_of(d, c, y)))
				continue;
			d->mark[y] = epoch;
			from[y] = c;
			d->queue[n++] = y;
		}
	}
	if (d->mark[h] != epoch)
		return 0;
	for (uint32_t c = h; c != NO_ID; c = from[c])
		len++;
	for (uint32_t c = h, i = len; c != NO_ID; c = from[c])
		way[--i] = c;
	return len;
}
