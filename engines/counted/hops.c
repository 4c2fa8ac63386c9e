#include "engines/counted/hops.h"
#include "core/base/memory.h"
#include "core/base/release.h"

#include <string.h>
#include "engines/counted/internal.h"
#include "core/base/counted.h"

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

	for (; d + VECTOR <= n; d += VECTOR) {
		vector a, b, less;

		memcpy(&a, mine + d, VECTOR);
		memcpy(&b, peer + d, VECTOR);
		b += (vector)(b != NO_PATH) & 1;
		less = (vector)(b < a);
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
	unsigned v;

	if (!port)
		return hops_least(h, s, d);
	if (h->by_port)
		return h->by_port[(size_t)d * h->n_ports + id];
	if (r == NO_ID)
		return NO_PATH;
	if (h->level && h->level[r] > h->level[s] && !h->open[d] &&
	    hops_least(h, r, d) + h->level[r] != h->level[d])
		return NO_PATH;
	v = hops_weight(h, id) + hops_least(h, r, d);
	return v > MAX_COST ? NO_PATH : v;
}

/* --- masks ------------------------------------------------------------------ */

/* Sets `bit` in to[d] for each target d where least(s, d) = w + least(r, d). */
static void plain_masks_port(const uint8_t *mine, const uint8_t *peer, uint8_t w, uint8_t bit, uint8_t *to,
			     uint32_t n)
{
	vector vw, vbit;

	memset(&vw, w, VECTOR);
	memset(&vbit, bit, VECTOR);
	for (uint32_t d = 0; d < n; d += VECTOR) {
		vector a, b, acc;

		memcpy(&a, mine + d, VECTOR);
		memcpy(&b, peer + d, VECTOR);
		memcpy(&acc, to + d, VECTOR);
		acc |= (vector)(a - vw == b) & (vector)(a >= vw) & vbit;
		memcpy(to + d, &acc, VECTOR);
	}
}

/*
 * Like plain_masks_port(), for a port downwards in a levelled matrix: only targets below its neighbour count.
 */
static void down_masks_port(const struct hops *h, uint32_t s, uint32_t r, uint32_t d0, uint8_t bit,
			    uint8_t *to, uint32_t n)
{
	const uint8_t *mine = h->least + (size_t)s * h->n_switches + d0;
	const uint8_t *peer = h->least + (size_t)r * h->n_switches + d0;
	vector one, lower, vbit;

	memset(&one, 1, VECTOR);
	memset(&lower, h->level[r], VECTOR);
	memset(&vbit, bit, VECTOR);
	for (uint32_t d = 0; d < n; d += VECTOR) {
		vector a, b, acc, level, open;

		memcpy(&a, mine + d, VECTOR);
		memcpy(&b, peer + d, VECTOR);
		memcpy(&level, h->level + d0 + d, VECTOR);
		memcpy(&open, h->open + d0 + d, VECTOR);
		memcpy(&acc, to + d, VECTOR);
		acc |= (vector)(a - one == b) & ((vector)(b + lower == level) | open) & vbit;
		memcpy(to + d, &acc, VECTOR);
	}
}

/*
 * Builds eight ports at a time as a plane of bytes (one bit per port), then puts it in the words of the
 * targets.
 */
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
						 hops_weight(h, p0 + p), 1u << (p & 7), plane, m);
			}
			for (uint32_t d = 0; any && d < m; d++)
				mask[(size_t)(d0 + d) * words + p8 / 64] |= (uint64_t)plane[d] << (p8 & 63);
		}
	}
}

/* Bit i of the result tells whether byte i at e equals v. */
static uint64_t equal_bits(const uint8_t *e, uint8_t v)
{
	const uint64_t ones = 0x0101010101010101u, low7 = 0x7f7f7f7f7f7f7f7fu;
	uint64_t x, y;

	memcpy(&x, e, sizeof(x));
	x ^= v * ones;
	y = ~(((x & low7) + low7) | x | low7); /* 0x80 in each byte that was 0 */
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
	uint32_t *first = NEW_ARRAY(l->max_lid + 1u, uint32_t), *twin = NEW_ARRAY(f->n_switches, uint32_t);
	bool any = false;

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
	FREE_EACH(first, twin);
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
