/*
 * Nue once more, word by word as engines/doc/nue.md has it and as slow as that is: ids of
 * colours in every channel and edge, a search for every cycle, stacks as they
 * come.  Shares only the list of nodes and links with the engine.
 */
#ifndef IBSCOPE_NUE_MODEL_H
#define IBSCOPE_NUE_MODEL_H

#include <math.h>
#include "engines/nue/nue.h"

struct thing {
	uint32_t col;
	bool wet;
};

struct pair {
	uint64_t key;
	uint32_t item;
};

struct model {
	void *arena; /* of all arrays */
	const struct nue_graph *g;
	const struct topo *t;
	const struct lids *l;
	bool switches;		     /* nue_include_switches */
	uint32_t n, c;		     /* nodes, channels; channel c + u is the fake one of u */
	struct thing *vertex, *edge; /* edge[from * width + place of the other among its switch's links] */
	uint32_t width;
	uint32_t *real, n_real;
	uint64_t *weight, *cd, *dist;
	uint32_t *used, *found, *esc;
	uint32_t *stack, *n_stack; /* stack[v * c + i] */
	struct pair *heap;
	uint32_t n_heap;
	bool *seen;
	uint8_t *hull, *adj;
	uint32_t src, colour, count, step, root;
	uint8_t *lft; /* [n * (max_lid + 1)] */
	uint8_t *layer;
	unsigned backtracks, fallbacks, shortcuts;
};

static uint32_t m_end(const struct model *m, uint32_t c)
{
	return c < m->c ? m->g->to[c] : c - m->c;
}

static uint32_t m_start(const struct model *m, uint32_t c)
{
	return c < m->c ? m->g->from[c] : c - m->c;
}

static struct thing *m_edge(struct model *m, uint32_t c, uint32_t x)
{
	return &m->edge[(size_t)c * m->width + (x - m->g->first[m_end(m, c)])];
}

static bool m_is_edge(const struct model *m, uint32_t c, uint32_t x)
{
	return c >= m->c || m->g->rev[c] != x;
}

static uint32_t m_colour(const struct model *m, const struct thing *t)
{
	return m->real[t->col];
}

/* --- heap -------------------------------------------------------------------------------- */

static void m_up(struct model *m, uint32_t i)
{
	for (; i > 0; i = (i - 1) / 4) {
		struct pair p = m->heap[(i - 1) / 4];

		if (p.key <= m->heap[i].key)
			return;
		m->heap[(i - 1) / 4] = m->heap[i];
		m->heap[i] = p;
	}
}

static void m_down(struct model *m, uint32_t i)
{
	for (;;) {
		uint32_t best = 0;
		struct pair p = m->heap[i];

		for (uint32_t k = 4 * i + 1; k <= 4 * i + 4 && k < m->n_heap; k++)
			if (!best || m->heap[k].key <= m->heap[best].key)
				best = k;
		if (!best || p.key <= m->heap[best].key)
			return;
		m->heap[i] = m->heap[best];
		m->heap[best] = p;
		i = best;
	}
}

static void m_insert(struct model *m, uint32_t item, uint64_t key)
{
	m->heap[m->n_heap] = (struct pair){key, item};
	m_up(m, m->n_heap++);
}

static uint32_t m_place(const struct model *m, uint32_t item)
{
	uint32_t i = 0;

	while (m->heap[i].item != item)
		i++;
	return i;
}

static void m_delete(struct model *m, uint32_t i)
{
	m->heap[i] = m->heap[--m->n_heap];
	if (i == m->n_heap)
		return;
	if (i == 0 || m->heap[(i - 1) / 4].key < m->heap[i].key)
		m_down(m, i);
	else if (m->heap[(i - 1) / 4].key > m->heap[i].key)
		m_up(m, i);
}

static uint32_t m_extract(struct model *m)
{
	uint32_t item = m->n_heap ? m->heap[0].item : NO_ID;

	if (m->n_heap)
		m_delete(m, 0);
	return item;
}

/* --- colours ------------------------------------------------------------------------------ */

static bool m_reaches(struct model *m, uint32_t from, uint32_t to)
{
	if (from == to)
		return true;
	m->seen[from] = true;
	for (uint32_t x = m->g->first[m_end(m, from)]; x < m->g->first[m_end(m, from) + 1]; x++)
		if (m_is_edge(m, from, x) && m_colour(m, m_edge(m, from, x)) > 1 && !m->seen[x] &&
		    m_reaches(m, x, to))
			return true;
	return false;
}

static void m_paint(struct model *m, struct thing *t, uint32_t h)
{
	t->col = m->vertex[h].col;
	t->wet = true;
}

static bool m_try(struct model *m, uint32_t h, uint32_t x)
{
	struct thing *e = m_edge(m, h, x), *t = &m->vertex[x];

	if (m_colour(m, e) > 1)
		return false;
	if (m_colour(m, t) == m->colour) {
		memset(m->seen, 0, (m->c + m->n) * sizeof(*m->seen));
		if (m_reaches(m, x, h)) {
			e->col = 0;
			return true;
		}
	} else if (m_colour(m, t) == 1) {
		m_paint(m, t, h);
	} else {
		m->real[t->col] = m->vertex[h].col;
	}
	m_paint(m, e, h);
	return false;
}

static void m_unpaint(struct thing *e)
{
	if (e->wet)
		*e = (struct thing){1, false};
}

/* --- preparing a layer ----------------------------------------------------------------------- */

static void m_hops(const struct model *m, uint32_t from, const uint8_t *within, uint32_t *d)
{
	bool again = true;

	memset(d, 0xff, m->n * sizeof(*d));
	d[from] = 0;
	for (uint32_t at = 0; again; at++) {
		again = false;
		for (uint32_t c = 0; c < m->c; c++) {
			if (d[m->g->from[c]] != at || d[m->g->to[c]] != NO_ID || !within[m->g->to[c]])
				continue;
			d[m->g->to[c]] = at + 1;
			again = true;
		}
	}
}

/* Back from v to where the distances count from, all on shortest paths. */
static void m_draw(struct model *m, uint32_t v, const uint32_t *d, bool *done)
{
	done[v] = true;
	for (uint32_t c = m->g->first[v]; c < m->g->first[v + 1]; c++) {
		uint32_t u = m->g->to[c];

		if (done[u] || d[u] + 1 != d[v])
			continue;
		m->hull[u] = 1;
		m_draw(m, u, d, done);
	}
}

static void m_find_hull(struct model *m)
{
	AUTO_FREE uint32_t *d = NEW_ARRAY(m->n, uint32_t);
	AUTO_FREE bool *done = NEW_ARRAY(m->n, bool);
	AUTO_FREE uint8_t *all = NEW_ARRAY(m->n, uint8_t);

	memset(all, 1, m->n);
	for (uint32_t i = 0; i < m->n; i++) {
		if (!m->hull[i])
			continue;
		m_hops(m, i, all, d);
		memset(done, 0, m->n * sizeof(*done));
		done[i] = true;
		for (uint32_t j = 0; j < m->n; j++)
			if (m->hull[j] && !done[j])
				m_draw(m, j, d, done);
	}
}

/* One source of the centrality, j as in the specification. */
static void m_brandes(const struct model *m, uint32_t s, unsigned j, const uint8_t *t, double *b)
{
	AUTO_FREE uint32_t *d = NEW_ARRAY(m->n, uint32_t);
	AUTO_FREE uint32_t *order = NEW_ARRAY(m->n, uint32_t);
	uint32_t n = 0;
	AUTO_FREE uint64_t *sigma = NEW_ARRAY(m->n, uint64_t);
	AUTO_FREE double *delta = NEW_ARRAY(m->n, double);

	memset(d, 0xff, m->n * sizeof(*d));
	sigma[s] = 1;
	d[s] = 0;
	order[n++] = s;
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t c = m->g->first[order[i]]; c < m->g->first[order[i] + 1]; c++) {
			uint32_t v = m->g->to[c];

			if (!m->hull[v])
				continue;
			if (d[v] == NO_ID) {
				d[v] = d[order[i]] + 1;
				order[n++] = v;
			}
			if (d[v] == d[order[i]] + 1)
				sigma[v] += sigma[order[i]];
		}
	}
	for (uint32_t i = n; i-- > 0;) {
		uint32_t v = order[i];

		for (unsigned k = 0; k < (v == s && j ? t[s] - 1u : t[v]); k++)
			delta[v] += 1.0;
		for (uint32_t k = 0; k < i; k++) /* predecessors in the order of the queue, once a cable */
			for (uint32_t c = m->g->first[order[k]]; c < m->g->first[order[k] + 1]; c++)
				if (m->g->to[c] == v && d[order[k]] + 1 == d[v])
					delta[order[k]] +=
						((double)sigma[order[k]] / (double)sigma[v]) * (1 + delta[v]);
		if (j || v != s)
			b[v] += delta[v];
	}
}

static void m_find_root(struct model *m, const uint16_t *lid, uint32_t n_lids)
{
	AUTO_FREE uint8_t *t = NEW_ARRAY(m->n, uint8_t);
	AUTO_FREE double *b = NEW_ARRAY(m->n, double);

	for (uint32_t i = 0; i < n_lids; i++)
		if (!endport_is_switch(m->t->fabric, lid_owner(m->l, lid[i])))
			t[nue_node_of(m->g, m->t, lid_owner(m->l, lid[i]))]++;
	for (uint32_t s = 0; s < m->n; s++)
		for (unsigned j = 0; m->hull[s] && j <= t[s]; j++)
			m_brandes(m, s, j, t, b);
	m->root = NO_ID;
	for (uint32_t u = 0; u < m->n; u++)
		if (m->hull[u] && (m->root == NO_ID || b[u] > b[m->root]))
			m->root = u;
}

static void m_tree(struct model *m, uint32_t root, uint32_t *tree)
{
	uint32_t u;

	m->n_heap = 0;
	for (u = 0; u < m->n; u++) {
		m->dist[u] = NUE_INF;
		tree[u] = NO_ID;
		m_insert(m, u, NUE_INF);
	}
	m->dist[root] = 0;
	m->heap[m_place(m, root)].key = 0;
	m_up(m, m_place(m, root));
	while ((u = m_extract(m)) != NO_ID) {
		for (uint32_t c = m->g->first[u]; c < m->g->first[u + 1]; c++) {
			uint32_t v = m->g->to[c];

			if (m->dist[u] + m->weight[c] >= m->dist[v])
				continue;
			tree[v] = c;
			m->dist[v] = m->dist[u] + m->weight[c];
			m->heap[m_place(m, v)].key = m->dist[v];
			m_up(m, m_place(m, v));
		}
	}
}

static void m_mark(struct model *m)
{
	const struct nue_graph *g = m->g;

	for (uint32_t x = 0; x < m->n; x++) {
		for (uint32_t c = m->esc[x], n; c != NO_ID; c = n) {
			uint32_t y = g->from[c];

			m->vertex[c].col = 2;
			n = m->esc[y];
			if (n == NO_ID)
				break;
			m->vertex[n].col = m_edge(m, n, c)->col = 2;
			if (!m->adj[x])
				continue;
			m->vertex[g->rev[c]].col = m->vertex[g->rev[n]].col = 2;
			m_edge(m, g->rev[c], g->rev[n])->col = 2;
			for (uint32_t k = g->first[y]; k < g->first[y + 1]; k++) {
				uint32_t a = m->esc[g->to[k]];

				if (a != NO_ID && g->from[a] == y && g->to[a] != g->to[c])
					m_edge(m, g->rev[c], a)->col = 2;
			}
		}
	}
	for (uint32_t u = 0; u < m->n; u++)
		for (uint32_t v = 0; v < m->n; v++) {
			uint32_t a = m->esc[u], b = m->esc[v];

			if (u == v || a == NO_ID || b == NO_ID || g->from[a] != m->root ||
			    g->from[b] != m->root)
				continue;
			m->vertex[a].col = m->vertex[g->rev[b]].col = 2;
			m_edge(m, g->rev[b], a)->col = 2;
		}
}

static void m_reset(struct model *m)
{
	for (uint32_t i = 0; i < m->n_real; i++)
		m->real[i] = i;
	for (size_t i = 0; i < (size_t)(m->c + m->n) * m->width; i++)
		m->edge[i] = (struct thing){1, false};
	for (uint32_t i = 0; i < m->c + m->n; i++)
		m->vertex[i] = (struct thing){1, false};
	memset(m->hull, 0, m->n);
	memset(m->adj, 0, m->n);
}

/* --- a destination ------------------------------------------------------------------------------ */

static void m_push(struct model *m, uint32_t v, uint32_t x)
{
	for (uint32_t i = 0; i < m->n_stack[v]; i++)
		if (m->stack[(size_t)v * m->c + i] == x)
			return;
	m->stack[(size_t)v * m->c + m->n_stack[v]++] = x;
}

static bool m_shortcut(struct model *m, uint32_t v, uint32_t x)
{
	const struct nue_graph *g = m->g;
	uint32_t o = m->used[v], po = m->used[g->from[o]], dep[256], n = 0, i;
	bool was[256];

	for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++) {
		uint32_t d = m->used[g->to[k]];

		if (d == NO_ID || g->from[d] != v)
			continue;
		was[n] = m_edge(m, x, d)->wet;
		dep[n++] = d;
	}
	for (i = 0; i < n; i++)
		if (!m_is_edge(m, x, dep[i]) || m_colour(m, m_edge(m, x, dep[i])) == 0 || m_try(m, x, dep[i]))
			break;
	if (i < n) {
		while (i-- > 0)
			if (m_edge(m, x, dep[i])->col && !was[i])
				m_unpaint(m_edge(m, x, dep[i]));
		return false;
	}
	m->shortcuts++;
	if (po != NO_ID)
		m_unpaint(m_edge(m, po, o));
	for (i = 0; i < n; i++)
		m_unpaint(m_edge(m, x, dep[i]));
	return true;
}

static void m_look(struct model *m, uint32_t cur, uint32_t x)
{
	uint32_t v = m->g->to[x];
	uint64_t nd = m->cd[cur] + m->weight[x];

	if (nd < m->dist[v]) {
		if (m_try(m, cur, x))
			return;
		if (m->step > 0 && m->used[v] != NO_ID && m->found[v] != m->step) {
			if (!m_shortcut(m, v, x))
				return;
		} else {
			if (m->used[v] != NO_ID) {
				uint32_t o = m->used[v], p = m->g->from[o];

				m_delete(m, m_place(m, o));
				if (m->used[p] != NO_ID)
					m_unpaint(m_edge(m, m->used[p], o));
			} else {
				m->count++;
				m->found[v] = m->step;
			}
			m->cd[x] = nd;
			m_insert(m, x, nd);
		}
		m->dist[v] = nd;
		m->used[v] = x;
	} else if (m_colour(m, m_edge(m, cur, x)) > 1) {
		if (m->step > 0 && m->used[v] != NO_ID)
			return;
		m->cd[x] = nd;
		m_push(m, v, x);
	}
}

static void m_expand(struct model *m, uint32_t cur)
{
	uint32_t v = m_end(m, cur);

	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t x = m->g->first[v]; x < m->g->first[v + 1]; x++) {
			uint32_t col = m_is_edge(m, cur, x) ? m_colour(m, m_edge(m, cur, x)) : 0;

			if (pass ? col == 1 : col > 1)
				m_look(m, cur, x);
		}
}

static bool m_turns(const struct model *m, uint32_t c, uint32_t d)
{
	return m_start(m, c) == m_end(m, d) && m_end(m, c) == m_start(m, d);
}

struct m_candidate {
	uint32_t k, c;
};

static uint32_t m_candidates(struct model *m, uint32_t u, struct m_candidate *list)
{
	const struct nue_graph *g = m->g;
	uint32_t n = 0;

	for (uint32_t k = g->first[u]; k < g->first[u + 1]; k++) {
		uint32_t a = g->to[k];

		if (m->dist[a] == NUE_INF)
			continue;
		for (uint32_t i = 0; i < m->n_stack[a]; i++) {
			uint32_t c = m->stack[(size_t)a * m->c + i], at = n;
			bool good = true;

			for (uint32_t j = g->first[a]; j < g->first[a + 1]; j++) {
				uint32_t d = m->used[g->to[j]];

				if (d != NO_ID && g->from[d] == a &&
				    (m_turns(m, c, d) || m_colour(m, m_edge(m, c, d)) < 2))
					good = false;
			}
			if (!good)
				continue;
			for (; at > 0 && m->cd[list[at - 1].c] > m->cd[c]; at--)
				list[at] = list[at - 1];
			list[at] = (struct m_candidate){k, c};
			n++;
		}
	}
	return n;
}

static bool m_open(struct model *m, uint32_t c, uint32_t h)
{
	uint32_t q = m->used[m->g->from[c]];

	if (!m_is_edge(m, c, h) || m_colour(m, m_edge(m, c, h)) == 0 || m->g->from[c] == m->src ||
	    q == NO_ID || m_turns(m, c, q) || m_colour(m, m_edge(m, q, c)) == 0)
		return false;
	bool was = m_edge(m, q, c)->wet;
	if (m_try(m, q, c))
		return false;
	if (!m_try(m, c, h))
		return true;
	if (!was)
		m_unpaint(m_edge(m, q, c));
	return false;
}

static uint32_t m_backtrack(struct model *m)
{
	AUTO_FREE struct m_candidate *list = NEW_ARRAY((size_t)m->c * m->width, struct m_candidate);
	uint32_t new = NO_ID;

	for (uint32_t u = 0; u < m->n && new == NO_ID; u++) {
		uint32_t n = m->dist[u] == NUE_INF ? m_candidates(m, u, list) : 0;

		for (uint32_t i = 0; i < n; i++) {
			uint32_t c = list[i].c, h = m->g->rev[list[i].k], a = m->g->to[c];

			if (!m_open(m, c, h))
				continue;
			m->cd[h] = m->cd[c] + m->weight[h];
			if (new == NO_ID) {
				m->used[u] = h;
				m->dist[u] = m->cd[h];
				m->used[a] = c;
				m->dist[a] = m->cd[c];
				new = h;
			} else {
				m_push(m, u, h);
			}
		}
	}
	return new;
}

static void m_fallback(struct model *m)
{
	uint32_t next;

	memcpy(m->used, m->esc, m->n * sizeof(*m->used));
	uint32_t c = m->used[m->src];
	m->used[m->src] = NO_ID;
	for (; c != NO_ID; c = next) {
		next = m->used[m->g->from[c]];
		m->used[m->g->from[c]] = m->g->rev[c];
	}
}

static void m_finish(struct model *m)
{
	for (uint32_t v = 0; v < m->n; v++) {
		uint32_t c = m->used[v], p = c == NO_ID ? NO_ID : m->g->from[c];

		if (c == NO_ID)
			continue;
		m->vertex[c].wet = false;
		m_edge(m, p == m->src ? m->c + p : m->used[p], c)->wet = false;
	}
	for (uint32_t i = 0; i < m->c + m->n; i++) {
		m_unpaint(&m->vertex[i]);
		m->vertex[i].col = m->real[m->vertex[i].col];
	}
	for (size_t i = 0; i < (size_t)(m->c + m->n) * m->width; i++) {
		m_unpaint(&m->edge[i]);
		m->edge[i].col = m->real[m->edge[i].col];
	}
}

static void m_search(struct model *m, uint32_t src, uint32_t colour)
{
	uint32_t f = m->c + src, cur = f;

	for (uint32_t u = 0; u < m->n; u++) {
		m->dist[u] = NUE_INF;
		m->used[u] = m->found[u] = NO_ID;
		m->n_stack[u] = 0;
	}
	m->dist[src] = m->n_heap = m->step = 0;
	m->count = 1;
	m->src = src;
	m->colour = colour;
	if (m_colour(m, &m->vertex[f]) > 1)
		m->real[m->vertex[f].col] = colour;
	else
		m->vertex[f].col = colour;
	m->cd[f] = 0;
	while (cur != NO_ID) {
		m_expand(m, cur);
		cur = m_extract(m);
		if (cur != NO_ID || m->count == m->n)
			continue;
		cur = m_backtrack(m);
		m->backtracks += cur != NO_ID;
		m->fallbacks += cur == NO_ID;
		if (cur == NO_ID)
			m_fallback(m);
		m->count += cur != NO_ID;
		m->step = cur == NO_ID ? 0 : m->step + 1;
	}
	m_finish(m);
}

static void m_write(struct model *m, unsigned lid, uint32_t src, unsigned layer)
{
	const struct nue_graph *g = m->g;
	size_t lids = m->l->max_lid + 1u;

	for (uint32_t v = 0; v < m->n; v++) {
		if (v == src)
			continue;
		m->lft[v * lids + lid] = g->rport[m->used[v]];
		for (uint32_t u = v; u != src; u = g->from[m->used[u]])
			m->weight[m->used[u]] += g->terminals[v];
	}
	m->lft[src * lids + lid] = m->t->endport_swport[lid_owner(m->l, lid)];
	m->layer[lid] = layer;
}

/* --- the whole ------------------------------------------------------------------------------------ */

static void m_layer(struct model *m, unsigned layer, unsigned layers)
{
	const struct fabric *f = m->t->fabric;
	AUTO_FREE uint16_t *lid = NEW_ARRAY(f->n_endports, uint16_t);
	uint32_t n = 0, turn = 0, colour = 3;

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		if (!m->t->endport_up[ep] || f->node_type[endport_node(f, ep)] == NODE_ROUTER ||
		    (endport_is_switch(f, ep) && !m->switches))
			continue;
		if (turn++ % layers == layer)
			lid[n++] = m->l->base[ep];
	}
	m_reset(m);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t u = nue_node_of(m->g, m->t, lid_owner(m->l, lid[i]));

		m->hull[u] = m->adj[u] = 1;
	}
	if (n) {
		m_find_hull(m);
		m_find_root(m, lid, n);
		m_tree(m, m->root, m->esc);
		m_mark(m);
	}
	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < n; i++) {
			uint32_t ep = lid_owner(m->l, lid[i]);

			for (unsigned k = 0; k < m->l->count[ep] && endport_is_switch(f, ep) == pass; k++) {
				m_search(m, nue_node_of(m->g, m->t, ep), colour++);
				m_write(m, lid[i] + k, nue_node_of(m->g, m->t, ep), layer);
			}
		}
}

static void model_free(struct model *m)
{
	arena_free(m->arena);
}

static void m_make(struct model *m)
{
	size_t lids = m->l->max_lid + 1u;

	m->n = m->g->n;
	m->c = m->g->n_channels;
	size_t vertices = m->n + (size_t)m->c;
	for (uint32_t u = 0; u < m->n; u++)
		m->width = nue_degree(m->g, u) > m->width ? nue_degree(m->g, u) : m->width;
	m->n_real = 3 + (uint32_t)lids;
	m->arena = ARENA_EMPTY;
	m->vertex = ARENA_ARRAY(m->arena, vertices, struct thing);
	m->edge = ARENA_ARRAY(m->arena, vertices * m->width + 1, struct thing);
	m->real = ARENA_ARRAY(m->arena, m->n_real, uint32_t);
	m->weight = ARENA_ARRAY(m->arena, m->c + 1u, uint64_t);
	m->cd = ARENA_ARRAY(m->arena, vertices, uint64_t);
	m->dist = ARENA_ARRAY(m->arena, m->n, uint64_t);
	m->used = ARENA_ARRAY(m->arena, m->n, uint32_t);
	m->found = ARENA_ARRAY(m->arena, m->n, uint32_t);
	m->esc = ARENA_ARRAY(m->arena, m->n, uint32_t);
	m->stack = ARENA_ARRAY(m->arena, (size_t)m->n * m->c + 1, uint32_t);
	m->n_stack = ARENA_ARRAY(m->arena, m->n, uint32_t);
	m->heap = ARENA_ARRAY(m->arena, vertices, struct pair);
	m->seen = ARENA_ARRAY(m->arena, vertices, bool);
	m->hull = ARENA_ARRAY(m->arena, m->n, uint8_t);
	m->adj = ARENA_ARRAY(m->arena, m->n, uint8_t);
	m->lft = ARENA_ARRAY(m->arena, m->n * lids, uint8_t);
	m->layer = ARENA_ARRAY(m->arena, lids, uint8_t);
	memset(m->lft, NO_PATH, m->n * lids);
	memset(m->layer, NUE_NO_LAYER, lids);
}

/* g, t, l and switches are set; fills the rest.  model_free() when done. */
static void model_route(struct model *m, unsigned layers)
{
	size_t lids = m->l->max_lid + 1u;

	m_make(m);
	for (uint32_t c = 0; c < m->c; c++)
		m->weight[c] = m->g->total * m->g->total;
	for (unsigned v = 0; v < layers; v++)
		m_layer(m, v, layers);
	for (uint32_t u = 0; u < m->n; u++) {
		uint32_t ep = m->t->fabric->port_endport[m->t->fabric->switch_port[m->g->sw[u]]];

		m->lft[u * lids + m->l->base[ep]] = 0;
		if (m->switches)
			continue;
		m_tree(m, u, m->used);
		m_write(m, m->l->base[ep], u, 0);
	}
}

#endif
