/* Hop matrices: built from all sides at once, searched, and read. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/counted.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "engines/counted/counted.h"
#include "engines/engines.h"

struct neighbours neighbours_new(const struct topo *t)
{
	const struct fabric *f = t->fabric;
	struct neighbours g = {NEW_ARRAY(f->n_switches + 1, uint32_t), NEW_ARRAY(f->n_ports, uint32_t)};
	uint32_t *seen = NEW_ARRAY(f->n_switches, uint32_t), n = 0;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		FOR_CABLES(t, s, port, r) {
			if (seen[r] == s + 1)
				continue;
			seen[r] = s + 1;
			g.nbr[n++] = r;
		}
		g.off[s + 1] = n;
	}
	assert(n <= f->n_ports);
	free(seen);
	return g;
}

void neighbours_free(struct neighbours *g)
{
	FREE_EACH(g->off, g->nbr);
}

/* Finds the targets that s newly reaches at cost k, for its row of h. Returns their number. */
static unsigned reach_more(const struct neighbours *g, struct hops *h, uint32_t s, const uint64_t *now,
			   uint64_t *next, uint8_t k)
{
	uint32_t words = (h->n_switches + 63) / 64;
	uint8_t *row = h->least + (size_t)s * h->n_switches;
	unsigned found = 0;

	memset(next, 0, words * sizeof(*next));
	for (uint32_t i = g->off[s]; i < g->off[s + 1]; i++) {
		const uint64_t *other = now + (size_t)g->nbr[i] * words;

		for (uint32_t w = 0; w < words; w++)
			next[w] |= other[w];
	}
	for (uint32_t w = 0; w < words; w++) {
		uint64_t mine = now[(size_t)s * words + w], fresh = next[w] & ~mine;

		next[w] |= mine;
		for (; fresh; fresh &= fresh - 1, found++)
			row[w * 64 + __builtin_ctzll(fresh)] = k;
	}
	return found;
}

/*
 * Breadth-first search from all switches at once, with one bit per target: in round k each switch reaches
 * what its neighbours reached in round k - 1.
 */
bool hops_search(const struct topo *t, struct hops *h, struct progress *progress)
{
	uint32_t n = h->n_switches, words = (n + 63) / 64;
	struct neighbours g = neighbours_new(t);
	uint64_t *now = NEW_ARRAY((size_t)n * words, uint64_t),
		 *next = NEW_ARRAY((size_t)n * words, uint64_t);
	uint32_t *reached = NEW_ARRAY(n, uint32_t);
	bool more = true, go_on = true;

	assert(h->n_switches == t->fabric->n_switches && !h->by_port);
	for (uint32_t s = 0; s < n; s++) {
		if (!switch_up(t, s))
			continue;
		h->least[(size_t)s * n + s] = 0;
		now[(size_t)s * words + s / 64] |= (uint64_t)1 << (s & 63);
		reached[s] = 1;
	}
	for (unsigned k = 1; k <= MAX_COST && more && (go_on = progress_step(progress, 0)); k++) {
		more = false;
		for (uint32_t s = 0; s < n; s++) {
			uint64_t *to = next + (size_t)s * words;
			unsigned found = 0;

			if (reached[s] < t->n_switches_up)
				found = reach_more(&g, h, s, now, to, k);
			else
				memcpy(to, now + (size_t)s * words, words * sizeof(*to));
			reached[s] += found;
			more |= found > 0;
		}
		uint64_t *swap = now;
		now = next;
		next = swap;
	}
	FREE_EACH(now, next, reached);
	neighbours_free(&g);
	return go_on;
}

/* --- building: weights ---------------------------------------------------------- */

/* Waiting switches, one list per cost. Entries are not reused within a search. */
struct hops_search_buckets {
	uint32_t head[MAX_COST + 1];
	uint32_t *next, *sw; /* [n_ports + 1] */
	uint32_t n;
};

static void bucket_put(struct hops_search_buckets *b, unsigned cost, uint32_t sw)
{
	b->sw[b->n] = sw;
	b->next[b->n] = b->head[cost];
	b->head[cost] = b->n++;
}

/* Costs from one switch to all others, by Dijkstra's algorithm with one bucket per cost. */
static void hops_search_start(const struct topo *t, const struct hops *h, uint32_t from, uint8_t *row,
			      struct hops_search_buckets *b)
{
	const struct fabric *f = t->fabric;

	memset(b->head, 0xff, sizeof(b->head));
	b->n = 0;
	row[from] = 0;
	bucket_put(b, 0, from);
	for (unsigned cost = 0; cost <= MAX_COST; cost++) {
		while (b->head[cost] != NO_ID) {
			uint32_t e = b->head[cost], s = b->sw[e];

			b->head[cost] = b->next[e];
			if (row[s] != cost)
				continue;
			FOR_PORTS(f, s, id) {
				uint32_t r = t->peer_switch[id];
				unsigned c = cost + h->weight[id];

				if (r == NO_ID || c > MAX_COST || c >= row[r])
					continue;
				row[r] = c;
				bucket_put(b, c, r);
			}
		}
	}
}

static bool hops_search_weighted(const struct topo *t, struct hops *h, struct progress *progress)
{
	uint32_t n = h->n_switches;
	struct hops_search_buckets b = {.next = NEW_ARRAY(h->n_ports + 1, uint32_t),
					.sw = NEW_ARRAY(h->n_ports + 1, uint32_t)};
	bool go_on = true;

	for (uint32_t s = 0; s < n && (go_on = progress_step(progress, 0)); s++)
		if (switch_up(t, s))
			hops_search_start(t, h, s, h->least + (size_t)s * n, &b);
	FREE_EACH(b.next, b.sw);
	return go_on;
}

/*
 * OpenSM 3.3.23's relaxation. Values may exist at the start. m[port id * n + d]; the row of port 0 has the
 * least values.
 */
struct relaxation {
	const struct engine_input *in;
	const struct hops *h;
	uint8_t *m;
	uint32_t n;
	struct recorder *rec; /* NULL = none */
	enum rec_table table; /* table of the recording */
};

/* The index of a cell in the recording. */
static uint32_t hops_rounds_cell(const struct relaxation *r, uint32_t port, uint32_t d)
{
	return d * r->in->topo->fabric->n_ports + port;
}

/* Records what a switch takes from the neighbour at a port in a round. Call it before it is stored. */
static void record_learn(const struct relaxation *r, uint32_t s, unsigned p, const uint8_t *other, unsigned w,
			 unsigned round)
{
	uint32_t p0 = r->in->topo->fabric->switch_port[s];
	const uint8_t *row = r->m + (size_t)(p0 + p) * r->n, *least = r->m + (size_t)p0 * r->n;
	bool any = false;

	for (uint32_t d = 0; d < r->n; d++) {
		unsigned c = other[d] + w;

		if (c >= row[d])
			continue;
		if (!any)
			rec_event(r->rec, REC_LEARN, 0, p, s, round);
		any = true;
		rec_delta(r->rec, r->table, hops_rounds_cell(r, p0 + p, d), row[d], c);
		if (c < least[d])
			rec_delta(r->rec, r->table, hops_rounds_cell(r, p0, d), least[d], c);
	}
}

static void relax_start(struct relaxation *r)
{
	const struct topo *t = r->in->topo;
	const struct fabric *f = t->fabric;

	for (uint32_t s = 0; s < r->n; s++) {
		uint8_t *least = r->m + (size_t)f->switch_port[s] * r->n;

		if (!switch_up(t, s))
			continue;
		if (r->rec) /* belongs to the phase */
			rec_delta(r->rec, r->table, hops_rounds_cell(r, f->switch_port[s], s), least[s], 0);
		least[s] = 0;
	}
	for (uint32_t s = 0; s < r->n; s++) {
		uint8_t *least = r->m + (size_t)f->switch_port[s] * r->n;

		for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
			uint32_t id = switch_port_id(f, s, p), d = t->peer_switch[id];
			uint8_t w = hops_weight(r->h, id);

			if (d == NO_ID)
				continue;
			if (r->rec) {
				rec_event(r->rec, REC_LEARN, 0, p, s, 0);
				rec_delta(r->rec, r->table, hops_rounds_cell(r, id, d),
					  r->m[(size_t)id * r->n + d], w);
				if (w < least[d])
					rec_delta(r->rec, r->table, hops_rounds_cell(r, f->switch_port[s], d),
						  least[d], w);
			}
			r->m[(size_t)id * r->n + d] = w;
			if (w < least[d])
				least[d] = w;
		}
	}
}

/* Relaxes one switch in one round. Returns the number of lowered values. */
static unsigned relax_switch(struct relaxation *r, uint32_t s, unsigned round)
{
	const struct topo *t = r->in->topo;
	const struct fabric *f = t->fabric;
	uint8_t *least = r->m + (size_t)f->switch_port[s] * r->n;
	unsigned lowered = 0;

	for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
		uint32_t id = switch_port_id(f, s, p), peer = t->peer_switch[id];
		uint8_t *row = r->m + (size_t)id * r->n;
		unsigned w = hops_weight(r->h, id);

		if (peer == NO_ID)
			continue;
		uint8_t *other = r->m + (size_t)f->switch_port[peer] * r->n;
		if (r->rec)
			record_learn(r, s, p, other, w, round);
		for (uint32_t d = 0; d < r->n; d++) {
			unsigned c = other[d] + w;

			if (c >= row[d])
				continue;
			row[d] = c;
			lowered++;
			if (c < least[d])
				least[d] = c;
		}
	}
	return lowered;
}

static bool relax_rounds(struct relaxation *r)
{
	const struct topo *t = r->in->topo;
	unsigned round = 0, changed = 1;

	rec_phase(r->in, "hop matrix, round 0: own switch and direct neighbours");
	relax_start(r);
	while (changed && round + 1 < t->n_switches_up) {
		changed = 0;
		round++;
		rec_phase(r->in, "hop matrix, round %u", round);
		for (uint32_t s = 0; s < r->n; s++) {
			if (!progress_step(r->in->progress, 0))
				return false;
			changed += relax_switch(r, s, round);
		}
	}
	rec_note(r->in, "hop matrix done after %s", PLURAL(round, "round"));
	return true;
}

/*
 * The relaxation as OpenSM 3.3.23 does it, starting from what a refused engine left (in->left). Fills
 * h->least, and h->by_port of a full matrix. Records its rounds. False when cancelled.
 */
static bool hops_relax(const struct engine_input *in, struct hops *h)
{
	const struct fabric *f = in->topo->fabric;
	size_t size = (size_t)f->n_ports * f->n_switches;
	struct relaxation r = {.in = in, .h = h, .n = f->n_switches, .rec = in->record};

	r.m = mem_alloc(size);
	if (in->left && in->left->hops)
		memcpy(r.m, in->left->hops, size);
	else
		memset(r.m, NO_PATH, size);
	if (r.rec) {
		r.table = rec_matrix(r.rec);
		rec_cells(r.rec, r.table, size);
	}
	if (r.rec && in->left && in->left->hops) {
		rec_text(r.rec, REC_NOTE, "values that a refused engine left");
		for (uint32_t p = 0; p < f->n_ports; p++)
			for (uint32_t d = 0; d < r.n; d++)
				rec_delta(r.rec, r.table, hops_rounds_cell(&r, p, d), NO_PATH,
					  r.m[(size_t)p * r.n + d]);
	}
	bool done = relax_rounds(&r);
	for (uint32_t s = 0; done && s < r.n; s++)
		memcpy(h->least + (size_t)s * r.n, r.m + (size_t)f->switch_port[s] * r.n, r.n);
	for (uint32_t s = 0; done && h->by_port && s < r.n; s++)
		FOR_PORTS(f, s, id) {
			for (uint32_t d = 0; d < r.n; d++)
				h->by_port[(size_t)d * h->n_ports + id] = r.m[(size_t)id * r.n + d];
		}
	free(r.m);
	return done;
}

#define WEIGHTS "hop_weights_file"

static void weight_line(const struct engine_input *in, struct engine_output *out, const struct guid_line *l,
			uint8_t *weight)
{
	const struct fabric *f = in->topo->fabric;
	uint32_t node = fabric_node_by_guid(f, l->guid), sw = node == NO_ID ? NO_ID : f->node_switch[node];
	unsigned long w = 0;
	char *end;

	if (sw == NO_ID || !switch_up(in->topo, sw)) {
		note_ignored(in, out, WEIGHTS, l->line, "0x%016" PRIx64 " is no switch of the fabric",
			     l->guid);
		return;
	}
	unsigned long port = strtoul(l->rest, &end, 0);
	if (end == l->rest || !port || port > f->switch_nports[sw]) {
		note_ignored(in, out, WEIGHTS, l->line, "port '%s', expected 1 to %u and a weight", l->rest,
			     f->switch_nports[sw]);
		return;
	}
	if (*end)
		w = strtoul(end + 1, NULL, 0);
	if (!w || w > 255) {
		note_ignored(in, out, WEIGHTS, l->line, "weight '%s', expected 1 to 255",
			     *end ? end + 1 : "");
		return;
	}
	weight[switch_port_id(f, sw, port)] = w;
}

/* Reads the weights. NULL when all are 1. */
static uint8_t *read_weights(const struct engine_input *in, struct engine_output *out)
{
	const struct fabric *f = in->topo->fabric;
	struct guid_file g;
	bool all_one = true;

	if (!read_guid_option(in, out, WEIGHTS, &g))
		return NULL;
	uint8_t *weight = mem_alloc(f->n_ports);
	memset(weight, 1, f->n_ports);
	for (size_t i = 0; i < g.n; i++)
		weight_line(in, out, &g.l[i], weight);
	guid_file_free(&g);
	for (uint32_t p = 0; p < f->n_ports; p++)
		all_one &= weight[p] == 1;
	if (!all_one)
		return weight;
	free(weight);
	return NULL;
}

size_t hops_build_room(const struct engine_input *in, const char **what)
{
	bool left = in->left && in->left->hops;

	*what = "hop matrix";
	return hops_size(in->topo->fabric, !left, left);
}

struct hops *hops_build(const struct engine_input *in, struct engine_output *out)
{
	bool left = in->left && in->left->hops, done;
	bool rounds = left || RECORDED(in); /* in OpenSM's own rounds; same result */
	struct hops *h = hops_new(in->topo->fabric, left);

	h->weight = read_weights(in, out);
	if (rounds)
		done = hops_relax(in, h);
	else if (h->weight)
		done = hops_search_weighted(in->topo, h, in->progress);
	else
		done = hops_search(in->topo, h, in->progress);
	if (done)
		return h;
	hops_unref(h);
	return NULL;
}

/* targets handled at once, as bytes of one vector */
#define VECTOR 16
typedef uint8_t vector __attribute__((vector_size(VECTOR)));

size_t hops_size(const struct fabric *f, unsigned plain, unsigned full)
{
	size_t n = f->n_switches;

	return (plain + full) * n * n + full * n * f->n_ports;
}

struct hops *hops_new(const struct fabric *f, bool full)
{
	struct hops *h = NEW(struct hops);
	size_t n = f->n_switches;

	h->refs = 1;
	h->n_switches = n;
	h->n_ports = f->n_ports;
	/* vectors may read up to VECTOR - 1 bytes behind the last row */
	h->least = mem_alloc(n * n + VECTOR);
	memset(h->least, NO_PATH, n * n + VECTOR);
	if (full) {
		h->by_port = mem_alloc(n * f->n_ports + VECTOR);
		memset(h->by_port, NO_PATH, n * f->n_ports + VECTOR);
	}
	return h;
}

struct hops *hops_copy(const struct hops *h)
{
	size_t n = h->n_switches;
	struct hops *c = NEW(struct hops);

	assert(!h->by_port && !h->level);
	*c = (struct hops){.n_switches = h->n_switches, .n_ports = h->n_ports};
	c->refs = 1;
	c->least = mem_resize(NULL, 1, n * n + VECTOR); /* filled below, once */
	memcpy(c->least, h->least, n * n);
	memset(c->least + n * n, NO_PATH, VECTOR);
	c->weight = h->weight ? mem_dup(h->weight, h->n_ports) : NULL;
	return c;
}

struct hops *hops_new_levelled(const struct fabric *f)
{
	struct hops *h = hops_new(f, false);

	h->level = mem_alloc(f->n_switches + VECTOR);
	h->open = mem_alloc(f->n_switches + VECTOR);
	return h;
}

void hops_relax_row(struct hops *h, uint32_t s, uint32_t r)
{
	uint8_t *mine = h->least + (size_t)s * h->n_switches;
	const uint8_t *peer = h->least + (size_t)r * h->n_switches;
	uint32_t n = h->n_switches, d = 0;

	assert(s < n && r < n && !h->by_port);
	for (; d + VECTOR <= n; d += VECTOR) {
		vector a, b;

		memcpy(&a, mine + d, VECTOR);
		memcpy(&b, peer + d, VECTOR);
		b += (vector)(b != NO_PATH) & 1;
		vector less = (vector)(b < a);
		a = (a & ~less) | (b & less);
		memcpy(mine + d, &a, VECTOR);
	}
	for (; d < n; d++)
		if (peer[d] != NO_PATH && peer[d] + 1 < mine[d])
			mine[d] = peer[d] + 1;
}

static void hops_release(struct hops *h)
{
	FREE_EACH(h->least, h->weight, h->level, h->open, h->by_port, h);
}

COUNTED(struct hops, struct hops, hops_ref, hops_unref, hops_release)

unsigned hops_value(const struct hops *h, const struct topo *t, uint32_t s, uint32_t d, unsigned port)
{
	uint32_t id = switch_port_id(t->fabric, s, port), r = t->peer_switch[id];

	if (!port)
		return hops_least(h, s, d);
	if (h->by_port)
		return h->by_port[(size_t)d * h->n_ports + id];
	if (r == NO_ID)
		return NO_PATH;
	if (h->level && h->level[r] > h->level[s] && !h->open[d] &&
	    hops_least(h, r, d) + h->level[r] != h->level[d])
		return NO_PATH;
	unsigned v = hops_weight(h, id) + hops_least(h, r, d);
	return v > MAX_COST ? NO_PATH : v;
}

/* --- masks ------------------------------------------------------------------ */

/* A bit for each of eight ports, for the n targets from `first` on. */
struct masks_plane {
	uint32_t first, n;
	const uint8_t *mine; /* least() of the switch, from `first` on */
	uint8_t bits[512];
};

/* Sets `bit` of each target d where least(s, d) = w + least(r, d); peer: least() of r, from `first` on. */
static void plain_masks_port(const uint8_t *peer, uint8_t w, uint8_t bit, struct masks_plane *to)
{
	const uint8_t *mine = to->mine;
	uint32_t n = to->n;
	vector vw, vbit;

	memset(&vw, w, VECTOR);
	memset(&vbit, bit, VECTOR);
	for (uint32_t d = 0; d < n; d += VECTOR) {
		vector a, b, acc;

		memcpy(&a, mine + d, VECTOR);
		memcpy(&b, peer + d, VECTOR);
		memcpy(&acc, to->bits + d, VECTOR);
		acc |= (vector)(a - vw == b) & (vector)(a >= vw) & vbit;
		memcpy(to->bits + d, &acc, VECTOR);
	}
}

/* Like plain_masks_port(), for a port downwards in a levelled matrix: only targets below its neighbour. */
static void down_masks_port(const struct hops *h, uint32_t s, uint32_t r, uint8_t bit, struct masks_plane *to)
{
	const uint8_t *mine = h->least + (size_t)s * h->n_switches + to->first;
	const uint8_t *peer = h->least + (size_t)r * h->n_switches + to->first;
	const uint8_t *levels = h->level + to->first, *opens = h->open + to->first;
	uint32_t n = to->n;
	vector one, lower, vbit;

	memset(&one, 1, VECTOR);
	memset(&lower, h->level[r], VECTOR);
	memset(&vbit, bit, VECTOR);
	for (uint32_t d = 0; d < n; d += VECTOR) {
		vector a, b, acc, level, open;

		memcpy(&a, mine + d, VECTOR);
		memcpy(&b, peer + d, VECTOR);
		memcpy(&level, levels + d, VECTOR);
		memcpy(&open, opens + d, VECTOR);
		memcpy(&acc, to->bits + d, VECTOR);
		acc |= (vector)(a - one == b) & ((vector)(b + lower == level) | open) & vbit;
		memcpy(to->bits + d, &acc, VECTOR);
	}
}

/* Builds eight ports at a time as a plane of bytes (a bit per port), then puts it in the targets' words. */
static void plain_masks(const struct hops *h, const struct topo *t, uint32_t s, uint64_t *mask)
{
	const struct fabric *f = t->fabric;
	uint32_t n = h->n_switches, p0 = f->switch_port[s];
	unsigned words = mask_words(f, s);
	const uint8_t *mine = h->least + (size_t)s * n;
	struct masks_plane plane;

	for (uint32_t d0 = 0, m; d0 < n; d0 += m) {
		m = MIN(n - d0, (uint32_t)sizeof(plane.bits));
		plane.first = d0;
		plane.n = m;
		plane.mine = mine + d0;
		memset(mask + (size_t)d0 * words, 0, (size_t)m * words * sizeof(*mask));
		for (unsigned p8 = 0; p8 <= f->switch_nports[s]; p8 += 8) {
			bool any = false;

			memset(plane.bits, 0, sizeof(plane.bits));
			for (unsigned p = p8 ? p8 : 1; p < p8 + 8 && p <= f->switch_nports[s]; p++) {
				uint32_t r = t->peer_switch[p0 + p];

				if (r == NO_ID)
					continue;
				any = true;
				if (h->level && h->level[r] > h->level[s]) {
					down_masks_port(h, s, r, 1u << (p & 7), &plane);
					continue;
				}
				plain_masks_port(h->least + (size_t)r * n + d0, hops_weight(h, p0 + p),
						 1u << (p & 7), &plane);
			}
			for (uint32_t d = 0; any && d < m; d++)
				mask[(size_t)(d0 + d) * words + p8 / 64] |= (uint64_t)plane.bits[d]
									    << (p8 & 63);
		}
	}
}

/* Bit i of the result shows whether byte i at e equals v. */
static uint64_t equal_bits(const uint8_t *e, uint8_t v)
{
	const uint64_t ones = 0x0101010101010101u, low7 = 0x7f7f7f7f7f7f7f7fu;
	uint64_t x;

	memcpy(&x, e, sizeof(x));
	x ^= v * ones;
	uint64_t y = ~(((x & low7) + low7) | x | low7); /* 0x80 in each byte that was 0 */
	return ((y >> 7) * 0x0102040810204080u) >> 56;
}

static void full_masks(const struct hops *h, const struct topo *t, uint32_t s, uint64_t *mask)
{
	const struct fabric *f = t->fabric;
	uint32_t n = h->n_switches, p0 = f->switch_port[s];
	unsigned words = mask_words(f, s), nports = f->switch_nports[s];
	uint64_t live[4] = {0};

	for (unsigned p = 1; p <= nports; p++)
		if (t->peer[p0 + p] != NO_ID)
			live[p / 64] |= (uint64_t)1 << (p & 63);
	for (uint32_t d = 0; d < n; d++) {
		const uint8_t *e = h->by_port + (size_t)d * h->n_ports + p0;
		uint8_t least = hops_least(h, s, d);
		uint64_t *to = mask + (size_t)d * words;

		for (unsigned w = 0; w < words; w++) {
			uint64_t bits = 0;

			for (unsigned p = 0; p < 64 && w * 64 + p <= nports; p += 8)
				bits |= equal_bits(e + w * 64 + p, least) << p;
			to[w] = bits & live[w];
		}
	}
}

void hops_masks(const struct hops *h, const struct topo *t, uint32_t s, uint64_t *mask)
{
	assert(s < h->n_switches && h->n_ports == t->fabric->n_ports);
	if (h->by_port)
		full_masks(h, t, s, mask);
	else
		plain_masks(h, t, s, mask);
}

void hops_mask(const struct hops *h, const struct topo *t, uint32_t s, uint32_t d, uint64_t *mask)
{
	unsigned least = hops_least(h, s, d);

	memset(mask, 0, mask_words(t->fabric, s) * sizeof(*mask));
	if (least == NO_PATH)
		return;
	FOR_CABLES(t, s, id, r) {
		unsigned p = t->fabric->port_num[id];

		if (hops_value(h, t, s, d, p) == least)
			mask[p / 64] |= (uint64_t)1 << (p & 63);
	}
}

/* --- switches that share a LID --------------------------------------------------- */

/* Lowers the costs to d to the costs to its twin where these are less. */
static void take_less(struct hops *h, uint32_t d, uint32_t twin)
{
	uint32_t n = h->n_switches;

	for (uint32_t s = 0; s < n; s++) {
		uint8_t *row = h->least + (size_t)s * n;

		if (row[twin] < row[d])
			row[d] = row[twin];
	}
}

bool hops_share_lids(struct hops *h, const struct topo *t, const struct lids *l)
{
	const struct fabric *f = t->fabric;
	AUTO_FREE uint32_t *first = NEW_ARRAY(l->max_lid + 1u, uint32_t),
			   *twin = NEW_ARRAY(f->n_switches, uint32_t);
	bool any = false;

	assert(!h || !h->by_port);
	memset(first, 0xff, (l->max_lid + 1u) * sizeof(*first));
	for (uint32_t s = 0; s < f->n_switches; s++) {
		unsigned lid = l->base[f->port_endport[f->switch_port[s]]];

		twin[s] = s;
		if (!switch_up(t, s))
			continue;
		if (lid && first[lid] == NO_ID)
			first[lid] = s;
		twin[s] = lid ? first[lid] : NO_ID;
		any |= twin[s] != s;
	}
	for (uint32_t s = 0; h && any && s < f->n_switches; s++)
		if (twin[s] == NO_ID)
			for (uint32_t from = 0; from < h->n_switches; from++)
				h->least[(size_t)from * h->n_switches + s] = NO_PATH;
		else if (twin[s] != s)
			take_less(h, twin[s], s);
	for (uint32_t s = 0; h && any && s < f->n_switches; s++)
		if (twin[s] != NO_ID && twin[s] != s)
			take_less(h, s, twin[s]);
	return any;
}

/* --- operations of a routing ------------------------------------------------------ */

static unsigned hops_ops(const struct routing *r, uint32_t s, uint32_t d, unsigned port)
{
	return hops_value(r->priv, r->topo, s, d, port);
}

static void ops_free(void *priv)
{
	hops_unref(priv);
}

const struct routing_ops hops_routing_ops = {.hops = hops_ops, .free_priv = ops_free};
