#include "engines/hops.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/guidfile.h"

/* Paths above this cost do not exist. */
#define MAX_COST 254
/* Targets handled at once, and the bytes that the compiler makes vector code of. */
#define LANES 16
typedef uint8_t lanes __attribute__((vector_size(LANES)));

struct hops *hops_new(const struct fabric *f, bool full)
{
	struct hops *h = NEW(struct hops);
	size_t n = f->n_switches;

	h->refs = 1;
	h->n_switches = n;
	h->n_ports = f->n_ports;
	/* vectors may read up to LANES - 1 bytes beyond the last row */
	h->least = mem_alloc(n * n + LANES);
	memset(h->least, NO_PATH, n * n + LANES);
	if (full) {
		h->entry = mem_alloc(n * f->n_ports + LANES);
		memset(h->entry, NO_PATH, n * f->n_ports + LANES);
	}
	return h;
}

struct hops *hops_new_levelled(const struct fabric *f)
{
	struct hops *h = hops_new(f, false);

	h->level = mem_alloc(f->n_switches + LANES);
	h->open = mem_alloc(f->n_switches + LANES);
	return h;
}

void hops_relax_row(struct hops *h, uint32_t s, uint32_t r)
{
	uint8_t *mine = h->least + (size_t)s * h->n_switches;
	const uint8_t *peer = h->least + (size_t)r * h->n_switches;
	uint32_t n = h->n_switches, d = 0;

	for (; d + LANES <= n; d += LANES) {
		lanes a, b, less;

		memcpy(&a, mine + d, LANES);
		memcpy(&b, peer + d, LANES);
		b += (lanes)(b != NO_PATH) & 1;
		less = (lanes)(b < a);
		a = (a & ~less) | (b & less);
		memcpy(mine + d, &a, LANES);
	}
	for (; d < n; d++)
		if (peer[d] != NO_PATH && peer[d] + 1 < mine[d])
			mine[d] = peer[d] + 1;
}

struct hops *hops_ref(const struct hops *h)
{
	struct hops *g = (struct hops *)h;

	atomic_fetch_add(&g->refs, 1);
	return g;
}

void hops_unref(const struct hops *ch)
{
	struct hops *h = (struct hops *)ch;

	if (!h || atomic_fetch_sub(&h->refs, 1) != 1)
		return;
	free(h->least);
	free(h->weight);
	free(h->level);
	free(h->open);
	free(h->entry);
	free(h);
}

static unsigned weight_of(const struct hops *h, uint32_t port)
{
	return h->weight ? h->weight[port] : 1;
}

unsigned hops_value(const struct hops *h, const struct topo *t, uint32_t s, uint32_t d, unsigned port)
{
	uint32_t id = switch_port_id(t->fabric, s, port), r = t->peer_switch[id];
	unsigned v;

	if (!port)
		return hops_least(h, s, d);
	if (h->entry)
		return h->entry[(size_t)d * h->n_ports + id];
	if (r == NO_ID)
		return NO_PATH;
	if (h->level && h->level[r] > h->level[s] && !h->open[d] &&
	    hops_least(h, r, d) + h->level[r] != h->level[d])
		return NO_PATH;
	v = weight_of(h, id) + hops_least(h, r, d);
	return v > MAX_COST ? NO_PATH : v;
}

/* --- masks ------------------------------------------------------------------ */

/* Bytes of `to` at [d .. d + LANES) get `bit` where least(s, d) = w + least(r, d). */
static void plain_masks_port(const uint8_t *mine, const uint8_t *peer, uint8_t w, uint8_t bit, uint8_t *to,
			     uint32_t n)
{
	lanes vw, vbit;

	memset(&vw, w, LANES);
	memset(&vbit, bit, LANES);
	for (uint32_t d = 0; d < n; d += LANES) {
		lanes a, b, acc;

		memcpy(&a, mine + d, LANES);
		memcpy(&b, peer + d, LANES);
		memcpy(&acc, to + d, LANES);
		acc |= (lanes)(a - vw == b) & (lanes)(a >= vw) & vbit;
		memcpy(to + d, &acc, LANES);
	}
}

/* The same for a port downwards of a levelled matrix: only targets below the switch behind it. */
static void down_masks_port(const struct hops *h, uint32_t s, uint32_t r, uint32_t d0, uint8_t bit,
			    uint8_t *to, uint32_t n)
{
	const uint8_t *mine = h->least + (size_t)s * h->n_switches + d0;
	const uint8_t *peer = h->least + (size_t)r * h->n_switches + d0;
	lanes one, lower, vbit;

	memset(&one, 1, LANES);
	memset(&lower, h->level[r], LANES);
	memset(&vbit, bit, LANES);
	for (uint32_t d = 0; d < n; d += LANES) {
		lanes a, b, acc, level, open;

		memcpy(&a, mine + d, LANES);
		memcpy(&b, peer + d, LANES);
		memcpy(&level, h->level + d0 + d, LANES);
		memcpy(&open, h->open + d0 + d, LANES);
		memcpy(&acc, to + d, LANES);
		acc |= (lanes)(a - one == b) & ((lanes)(b + lower == level) | open) & vbit;
		memcpy(to + d, &acc, LANES);
	}
}

/* Eight planes of bytes at a time (one bit a port), then woven into the words of the targets. */
static void plain_masks(const struct hops *h, const struct topo *t, uint32_t s, uint64_t *mask)
{
	const struct fabric *f = t->fabric;
	uint32_t n = h->n_switches, p0 = f->switch_port[s];
	unsigned words = mask_words(f, s);
	const uint8_t *mine = h->least + (size_t)s * n;
	enum { BLOCK = 512 };
	uint8_t plane[BLOCK];

	for (uint32_t d0 = 0; d0 < n; d0 += BLOCK) {
		uint32_t m = n - d0 < BLOCK ? n - d0 : BLOCK;

		memset(mask + (size_t)d0 * words, 0, (size_t)m * words * sizeof(*mask));
		for (unsigned p8 = 0; p8 <= f->switch_nports[s]; p8 += 8) {
			bool any = false;

			memset(plane, 0, sizeof(plane));
			for (unsigned p = p8 ? p8 : 1; p < p8 + 8 && p <= f->switch_nports[s]; p++) {
				uint32_t r = t->peer_switch[p0 + p];

				if (r == NO_ID)
					continue;
				any = true;
				if (h->level && h->level[r] > h->level[s]) {
					down_masks_port(h, s, r, d0, 1u << (p & 7), plane, m);
					continue;
				}
				plain_masks_port(mine + d0, h->least + (size_t)r * n + d0,
						 weight_of(h, p0 + p), 1u << (p & 7), plane, m);
			}
			for (uint32_t d = 0; any && d < m; d++)
				mask[(size_t)(d0 + d) * words + p8 / 64] |= (uint64_t)plane[d] << (p8 & 63);
		}
	}
}

/* Bit i of the result: byte i of the eight at e equals v. */
static uint64_t equal_bits(const uint8_t *e, uint8_t v)
{
	const uint64_t ones = 0x0101010101010101u, low7 = 0x7f7f7f7f7f7f7f7fu;
	uint64_t x, y;

	memcpy(&x, e, sizeof(x));
	x ^= v * ones;
	y = ~(((x & low7) + low7) | x | low7); /* 0x80 in bytes that are 0 */
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
		const uint8_t *e = h->entry + (size_t)d * h->n_ports + p0;
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
	if (h->entry)
		full_masks(h, t, s, mask);
	else
		plain_masks(h, t, s, mask);
}

/* --- building: all weights 1 -------------------------------------------------- */

/* Neighbours of each switch, parallel cables once. */
struct graph {
	uint32_t *off; /* [n + 1] */
	uint32_t *nbr;
};

static struct graph graph_new(const struct topo *t)
{
	const struct fabric *f = t->fabric;
	struct graph g = {NEW_ARRAY(f->n_switches + 1, uint32_t), NEW_ARRAY(f->n_ports, uint32_t)};
	uint32_t *seen = NEW_ARRAY(f->n_switches, uint32_t), n = 0;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
			uint32_t r = t->peer_switch[switch_port_id(f, s, p)];

			if (r == NO_ID || seen[r] == s + 1)
				continue;
			seen[r] = s + 1;
			g.nbr[n++] = r;
		}
		g.off[s + 1] = n;
	}
	free(seen);
	return g;
}

static void graph_free(struct graph *g)
{
	free(g->off);
	free(g->nbr);
}

/* Set of targets newly reached by s at cost k; returns how many. */
static unsigned reach_more(const struct graph *g, uint32_t s, const uint64_t *now, uint64_t *next,
			   uint32_t words, uint8_t *row, uint8_t k)
{
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
 * Breadth first search from all switches at once, a bit a target: in round k
 * each switch reaches what its neighbours reached in round k - 1.
 */
static bool search_all(const struct topo *t, struct hops *h, struct progress *progress)
{
	uint32_t n = h->n_switches, words = (n + 63) / 64;
	struct graph g = graph_new(t);
	uint64_t *now = NEW_ARRAY((size_t)n * words, uint64_t),
		 *next = NEW_ARRAY((size_t)n * words, uint64_t), *swap;
	uint32_t *reached = NEW_ARRAY(n, uint32_t);
	bool more = true, go_on = true;

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
				found = reach_more(&g, s, now, to, words, h->least + (size_t)s * n, k);
			else
				memcpy(to, now + (size_t)s * words, words * sizeof(*to));
			reached[s] += found;
			more |= found > 0;
		}
		swap = now;
		now = next;
		next = swap;
	}
	free(now);
	free(next);
	free(reached);
	graph_free(&g);
	return go_on;
}

/* --- building: weights ---------------------------------------------------------- */

/* Waiting switches by cost: one list a cost, entries never reused within a search. */
struct buckets {
	uint32_t head[MAX_COST + 1];
	uint32_t *next, *sw; /* [n_ports + 1] */
	uint32_t n;
};

static void bucket_put(struct buckets *b, unsigned cost, uint32_t sw)
{
	b->sw[b->n] = sw;
	b->next[b->n] = b->head[cost];
	b->head[cost] = b->n++;
}

/* Costs from one switch to all others: Dijkstra's algorithm with one bucket a cost. */
static void search_from(const struct topo *t, const struct hops *h, uint32_t from, uint8_t *row,
			struct buckets *b)
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
			for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
				uint32_t id = switch_port_id(f, s, p), r = t->peer_switch[id];
				unsigned c = cost + h->weight[id];

				if (r == NO_ID || c > MAX_COST || c >= row[r])
					continue;
				row[r] = c;
				bucket_put(b, c, r);
			}
		}
	}
}

static bool search_weighted(const struct topo *t, struct hops *h, struct progress *progress)
{
	uint32_t n = h->n_switches;
	struct buckets b = {.next = NEW_ARRAY(h->n_ports + 1, uint32_t),
			    .sw = NEW_ARRAY(h->n_ports + 1, uint32_t)};
	bool go_on = true;

	for (uint32_t s = 0; s < n && (go_on = progress_step(progress, 0)); s++)
		if (switch_up(t, s))
			search_from(t, h, s, h->least + (size_t)s * n, &b);
	free(b.next);
	free(b.sw);
	return go_on;
}

/* --- building: round by round ------------------------------------------------------- */

/*
 * The relaxation as OpenSM 3.3.23 does it, from values that may be there
 * already.  m[port id * n + d]; the row of port 0 is the least.
 */
struct relaxation {
	const struct engine_input *in;
	const struct hops *h;
	uint8_t *m;
	uint32_t n;
};

static void relax_start(struct relaxation *r)
{
	const struct topo *t = r->in->topo;
	const struct fabric *f = t->fabric;

	for (uint32_t s = 0; s < r->n; s++) {
		uint8_t *least = r->m + (size_t)f->switch_port[s] * r->n;

		if (!switch_up(t, s))
			continue;
		least[s] = 0;
		for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
			uint32_t id = switch_port_id(f, s, p), d = t->peer_switch[id];
			uint8_t w = weight_of(r->h, id);

			if (d == NO_ID)
				continue;
			r->m[(size_t)id * r->n + d] = w;
			if (w < least[d])
				least[d] = w;
		}
	}
}

/* One switch in one round; returns the number of values lowered. */
static unsigned relax_switch(struct relaxation *r, uint32_t s)
{
	const struct topo *t = r->in->topo;
	const struct fabric *f = t->fabric;
	uint8_t *least = r->m + (size_t)f->switch_port[s] * r->n;
	unsigned lowered = 0;

	for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
		uint32_t id = switch_port_id(f, s, p), peer = t->peer_switch[id];
		uint8_t *row = r->m + (size_t)id * r->n, *other;
		unsigned w = weight_of(r->h, id);

		if (peer == NO_ID)
			continue;
		other = r->m + (size_t)f->switch_port[peer] * r->n;
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

	observe_text(r->in, STEP_PHASE, NO_ID, "hop matrix, round 0: own switch and direct neighbours");
	relax_start(r);
	while (changed && round + 1 < t->n_switches_up) {
		changed = 0;
		round++;
		observe_text(r->in, STEP_PHASE, NO_ID, "hop matrix, round %u", round);
		for (uint32_t s = 0; s < r->n; s++) {
			unsigned lowered;

			if (!progress_step(r->in->progress, 0))
				return false;
			lowered = relax_switch(r, s);
			changed += lowered;
			if (lowered && OBSERVED(r->in))
				observe_text(r->in, STEP_SWITCH, s, "%u hop counts lowered", lowered);
		}
	}
	observe_text(r->in, STEP_NOTE, NO_ID, "hop matrix done after %u rounds", round);
	return true;
}

/* least and, when `full`, every port's value out of the relaxation's rows. */
static void relax_result(const struct relaxation *r, const struct fabric *f, struct hops *h)
{
	for (uint32_t s = 0; s < r->n; s++)
		memcpy(h->least + (size_t)s * r->n, r->m + (size_t)f->switch_port[s] * r->n, r->n);
	for (uint32_t s = 0; h->entry && s < r->n; s++)
		for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
			uint32_t id = switch_port_id(f, s, p);

			for (uint32_t d = 0; d < r->n; d++)
				h->entry[(size_t)d * h->n_ports + id] = r->m[(size_t)id * r->n + d];
		}
}

static bool relax(const struct engine_input *in, struct hops *h)
{
	const struct fabric *f = in->topo->fabric;
	size_t size = (size_t)f->n_ports * f->n_switches;
	struct relaxation r = {.in = in, .h = h, .n = f->n_switches};
	bool done;

	r.m = mem_alloc(size);
	if (in->left && in->left->hops)
		memcpy(r.m, in->left->hops, size);
	else
		memset(r.m, NO_PATH, size);
	done = relax_rounds(&r);
	if (done)
		relax_result(&r, f, h);
	free(r.m);
	return done;
}

/* --- the weights file --------------------------------------------------------------- */

bool read_guid_option(const struct engine_input *in, struct engine_output *out, const char *option,
		      struct guid_file *g)
{
	const char *path = options_file(in->options, option);

	*g = (struct guid_file){0};
	if (!path)
		return false;
	guid_file_read(g, path, false);
	if (g->stopped)
		text_add(&out->notes, "%s: reading stopped: %s\n", option, g->why.msg);
	return true;
}

void note_ignored(const struct engine_input *in, struct engine_output *out, const char *option, unsigned line,
		  const char *fmt, ...)
{
	va_list ap;

	text_add(&out->notes, "%s: %s:%u ignored: ", option, options_file(in->options, option), line);
	va_start(ap, fmt);
	text_addv(&out->notes, fmt, ap);
	va_end(ap);
	text_putc(&out->notes, '\n');
}

#define WEIGHTS "hop_weights_file"

static void weight_line(const struct engine_input *in, struct engine_output *out, const struct guid_line *l,
			uint8_t *weight)
{
	const struct fabric *f = in->topo->fabric;
	uint32_t node = fabric_node_by_guid(f, l->guid), sw = node == NO_ID ? NO_ID : f->node_switch[node];
	unsigned long port, w = 0;
	char *end;

	if (sw == NO_ID || !switch_up(in->topo, sw)) {
		note_ignored(in, out, WEIGHTS, l->line, "0x%016" PRIx64 " is no switch of the fabric",
			     l->guid);
		return;
	}
	port = strtoul(l->rest, &end, 0);
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

/* NULL when all weights are 1. */
static uint8_t *read_weights(const struct engine_input *in, struct engine_output *out)
{
	const struct fabric *f = in->topo->fabric;
	uint8_t *weight;
	struct guid_file g;
	bool all_one = true;

	if (!read_guid_option(in, out, WEIGHTS, &g))
		return NULL;
	weight = mem_alloc(f->n_ports);
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

struct hops *hops_build(const struct engine_input *in, struct engine_output *out)
{
	bool left = in->left && in->left->hops, done;
	/* a listener to everything gets OpenSM's own rounds; they end with the same values */
	bool rounds = left || (OBSERVED(in) && in->observer->sw == NO_ID && !in->observer->lid);
	struct hops *h = hops_new(in->topo->fabric, left);

	h->weight = read_weights(in, out);
	if (!rounds)
		observe_text(in, STEP_PHASE, NO_ID, "hop matrix");
	if (rounds)
		done = relax(in, h);
	else if (h->weight)
		done = search_weighted(in->topo, h, in->progress);
	else
		done = search_all(in->topo, h, in->progress);
	if (done)
		return h;
	hops_unref(h);
	return NULL;
}

/* --- after failures ------------------------------------------------------------------- */

/* false when a cable between switches is there that was not. */
static bool only_lost(const struct topo *was, const struct topo *now)
{
	const struct fabric *f = now->fabric;

	if (was->fabric != f)
		return false;
	for (uint32_t p = 0; p < f->n_ports; p++)
		if (now->peer_switch[p] != was->peer_switch[p] && now->peer_switch[p] != NO_ID)
			return false;
	for (uint32_t s = 0; s < f->n_switches; s++)
		if (switch_up(now, s) && !switch_up(was, s))
			return false;
	return true;
}

/*
 * Targets for which switch s, which lost cables, has no neighbour left at its
 * old distance - 1.  Where no switch has such a target, all distances stay.
 */
static void lost_targets(const struct hops *h, const struct topo *now, uint32_t s, uint8_t *orphan,
			 uint8_t *farther)
{
	const struct fabric *f = now->fabric;
	uint32_t n = h->n_switches;
	const uint8_t *mine = h->least + (size_t)s * n;

	memset(orphan, 1, n);
	for (unsigned p = 1; p <= f->switch_nports[s]; p++) {
		uint32_t r = now->peer_switch[switch_port_id(f, s, p)];
		const uint8_t *peer;

		if (r == NO_ID)
			continue;
		peer = h->least + (size_t)r * n;
		for (uint32_t d = 0; d < n; d++)
			orphan[d] &= (uint8_t)(peer[d] + 1) != mine[d];
	}
	for (uint32_t d = 0; d < n; d++)
		farther[d] |= orphan[d] & (d != s && mine[d] != NO_PATH);
	farther[s] |= !switch_up(now, s);
}

/* Distances from d under the topology, into its row and its column (they are symmetric). */
static void search_again(const struct topo *t, const struct graph *g, struct hops *h, uint32_t d,
			 uint32_t *queue)
{
	uint32_t n = h->n_switches, end = 0;
	uint8_t *row = h->least + (size_t)d * n;

	memset(row, NO_PATH, n);
	if (switch_up(t, d)) {
		row[d] = 0;
		queue[end++] = d;
	}
	for (uint32_t i = 0; i < end; i++) {
		uint32_t s = queue[i];

		for (uint32_t j = g->off[s]; j < g->off[s + 1] && row[s] < MAX_COST; j++) {
			uint32_t r = g->nbr[j];

			if (row[r] != NO_PATH)
				continue;
			row[r] = row[s] + 1;
			queue[end++] = r;
		}
	}
	for (uint32_t s = 0; s < n; s++)
		h->least[(size_t)s * n + d] = row[s];
}

/* Mark switches whose distances changed and their neighbours. */
static void mark_changed(const struct hops *old, const struct hops *h, const struct graph *g,
			 uint8_t *touched)
{
	uint32_t n = h->n_switches;

	for (uint32_t s = 0; s < n; s++) {
		if (!memcmp(old->least + (size_t)s * n, h->least + (size_t)s * n, n))
			continue;
		touched[s] = 1;
		for (uint32_t j = g->off[s]; j < g->off[s + 1]; j++)
			touched[g->nbr[j]] = 1;
	}
}

/* Targets whose distances may have changed; switches that lost a cable are marked. */
static uint32_t find_farther(const struct hops *old, const struct topo *was, const struct topo *now,
			     uint8_t *farther, uint8_t *touched)
{
	const struct fabric *f = now->fabric;
	uint8_t *orphan = NEW_ARRAY(f->n_switches, uint8_t);
	uint32_t n = 0;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		size_t at = f->switch_port[s], size = (f->switch_nports[s] + 1u) * sizeof(*now->peer_switch);

		if (switch_up(was, s) == switch_up(now, s) &&
		    !memcmp(was->peer_switch + at, now->peer_switch + at, size))
			continue;
		touched[s] = 1;
		lost_targets(old, now, s, orphan, farther);
	}
	for (uint32_t d = 0; d < f->n_switches; d++)
		n += farther[d];
	free(orphan);
	return n;
}

struct hops *hops_update(const struct hops *old, const struct topo *was, const struct topo *now,
			 uint8_t *touched)
{
	const struct fabric *f = now->fabric;
	uint32_t n = f->n_switches, count;
	uint8_t *farther;
	struct hops *h;

	if (old->entry || old->weight || old->level || !only_lost(was, now))
		return NULL;
	farther = NEW_ARRAY(n, uint8_t);
	count = find_farther(old, was, now, farther, touched);
	if (!count) {
		h = hops_ref(old);
	} else {
		struct graph g = graph_new(now);
		uint32_t *queue = NEW_ARRAY(n, uint32_t);

		h = hops_new(f, false);
		if (count > n / 8) {
			search_all(now, h, NULL);
		} else {
			memcpy(h->least, old->least, (size_t)n * n);
			for (uint32_t d = 0; d < n; d++)
				if (farther[d])
					search_again(now, &g, h, d, queue);
		}
		mark_changed(old, h, &g, touched);
		free(queue);
		graph_free(&g);
	}
	free(farther);
	return h;
}

static unsigned ops_hops(const struct routing *r, uint32_t s, uint32_t d, unsigned port)
{
	return hops_value(r->priv, r->topo, s, d, port);
}

static void ops_free(void *priv)
{
	hops_unref(priv);
}

const struct routing_ops hops_routing_ops = {.hops = ops_hops, .free_priv = ops_free};
