/* Packets moved from channel to channel, round by round. */
#include "core/analysis/traffic/drain.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/base/rng.h"

#define KEEP_MOST 64
#define KEEP_BYTES ((size_t)64 << 20)
#define KEYS 4096u /* turns of a port: port of entry * 16 + VL */

/* What the first packet of a channel wants, beside a channel. */
#define NOT_CHOSEN NO_ID
#define TO_HOST (NO_ID - 1)
#define TO_DROP (NO_ID - 2)

struct drain_counts {
	uint32_t round, arrived, dropped, inside;
};

struct drain_private {
	uint32_t n_channels, n_senders;
	uint32_t *sender_first; /* [n_senders + 1] packets of a host */
	uint32_t *release;	/* [n_packets] the round in which it may leave its host; NULL: any */
	/* What moves: one block, so that it is kept and put back as a whole. */
	void *block;
	size_t size;
	struct drain_counts *counts;
	uint64_t *busy;	       /* bits of channels with packets */
	uint32_t *slot;	       /* [n_channels * buffers] packets; a ring for each channel */
	uint32_t *want;	       /* [n_channels] of the first packet */
	uint32_t *sent;	       /* [n_senders] packets that have left their host */
	uint16_t *turn;	       /* [n_ports] the key served last */
	uint8_t *used, *begin; /* [n_channels] packets, and where the ring begins */
	/* Of one round. */
	uint32_t *touched, n_touched; /* ports that somebody wants to send by */
	uint32_t *from;		      /* [n_ports] the channel that is served; a host: n_channels + sender */
	uint16_t *rank;		      /* [n_ports] how far its key is behind the turn */
	uint32_t *ready, *ready_at;   /* [n_senders] channel of the next packet, and for how many sent */
	/* Rounds it can go back to: kept[i] is round i * every. */
	void *kept[KEEP_MOST];
	unsigned n_kept, keeps;
	uint32_t every;
};

/* --- where a packet goes -------------------------------------------------------------------- */

static uint32_t channel_out(const struct drain *d, uint32_t sw, unsigned in, unsigned out, unsigned sl)
{
	unsigned vl = routing_vl(d->routing, sw, in, out, sl) & 15;

	return vl == CDG_DROP_VL ? TO_DROP
				 : switch_port_id(d->routing->topo->fabric, sw, out) * DRAIN_VLS + vl;
}

static uint32_t first_channel(const struct drain *d, const struct drain_packet *p)
{
	const struct routing *r = d->routing;
	uint32_t sw = r->topo->endport_switch[p->src];
	unsigned vl = routing_endport_known(r) ? sl2vl_of(routing_endport_map(r, p->src), p->sl)
					       : routing_vl(r, sw, r->topo->endport_swport[p->src],
							    routing_next_port(r, sw, p->lid), p->sl) &
							 15;

	return vl == CDG_DROP_VL ? TO_DROP : r->topo->fabric->endport_port[p->src] * DRAIN_VLS + vl;
}

/* The channels by which a packet may go on from a channel (TO_HOST, TO_DROP among them), at least one. */
static uint32_t channels_on(const struct drain *d, uint32_t c, unsigned lid, unsigned sl, uint32_t on[256])
{
	const struct routing *r = d->routing;
	const struct fabric *f = r->topo->fabric;
	uint32_t peer = r->topo->peer[drain_port(c)], sw = f->node_switch[f->port_node[peer]], n = 0;
	unsigned in = f->port_num[peer];
	struct port_set set = {0};

	if (sw == NO_ID) { /* a host */
		on[0] = TO_HOST;
		return 1;
	}
	if (!r->adaptive || !routing_ports(r, sw, lid, &set)) {
		unsigned out = routing_next_port(r, sw, lid);

		on[0] = out ? channel_out(d, sw, in, out, sl) : TO_HOST;
		return 1;
	}
	for (unsigned out = port_set_next(&set, 0); out < 256; out = port_set_next(&set, out + 1))
		on[n++] = channel_out(d, sw, in, out, sl);
	return n;
}

/* Of several the one with most free places. */
static uint32_t most_free(const struct drain *d, uint32_t n, const uint32_t *channel, uint32_t k)
{
	uint32_t best = TO_HOST;
	int most = -1;

	for (uint32_t i = 0; i < k; i++) {
		uint32_t c = channel[(n + i) % k];
		int left = (int)d->buffers - (c < d->own->n_channels ? d->own->used[c] : 0);

		if (left > most) {
			most = left;
			best = c;
		}
	}
	return best;
}

/* Where the first packet of a channel goes on to, as things stand. */
static uint32_t drain_choose(const struct drain *d, uint32_t c)
{
	uint32_t n = drain_packet_in(d, c, 0), on[256];

	if (d->way) {
		const uint32_t *at = d->way + d->way_first[n], *end = d->way + d->way_first[n + 1];

		while (*at != c)
			at++;
		return at + 1 < end ? at[1] : TO_HOST;
	}
	uint32_t k = channels_on(d, c, d->packet[n].lid, d->packet[n].sl, on);
	return k == 1 ? on[0] : most_free(d, n, on, k);
}

/* --- a round -------------------------------------------------------------------------------- */

static void drain_push(struct drain *d, uint32_t c, uint32_t packet)
{
	struct drain_private *o = d->own;

	o->slot[(size_t)c * d->buffers + (o->begin[c] + o->used[c]++) % d->buffers] = packet;
	o->busy[c / 64] |= UINT64_C(1) << c % 64;
}

static uint32_t drain_pop(struct drain *d, uint32_t c)
{
	struct drain_private *o = d->own;
	uint32_t packet = drain_packet_in(d, c, 0);

	o->begin[c] = (uint8_t)((o->begin[c] + 1u) % d->buffers);
	o->want[c] = NOT_CHOSEN;
	if (!--o->used[c])
		o->busy[c / 64] &= ~(UINT64_C(1) << c % 64);
	return packet;
}

/* Hosts take what has come, and switches drop what goes to VL 15.  Did anything go? */
static bool drain_take(struct drain *d)
{
	struct drain_private *o = d->own;
	bool gone = false;

	for (uint32_t c = drain_next(d, 0); c != NO_ID; c = drain_next(d, c + 1)) {
		uint32_t w = o->want[c] == NOT_CHOSEN ? drain_choose(d, c) : o->want[c];

		if (w != TO_HOST && w != TO_DROP)
			continue;
		o->counts->arrived += w == TO_HOST;
		o->counts->dropped += w == TO_DROP;
		o->counts->inside--;
		drain_pop(d, c);
		gone = true;
	}
	return gone;
}

/* Somebody wants to send by a port: the next in turn is served. */
static void drain_ask(struct drain_private *o, uint32_t port, uint32_t from, unsigned key)
{
	uint16_t rank = (uint16_t)((key - o->turn[port] - 1u) % KEYS);

	if (o->from[port] == NO_ID)
		o->touched[o->n_touched++] = port;
	else if (o->rank[port] <= rank)
		return;
	o->from[port] = from;
	o->rank[port] = rank;
}

static void ask_channels(struct drain *d)
{
	const struct topo *t = d->routing->topo;
	struct drain_private *o = d->own;

	for (uint32_t c = drain_next(d, 0); c != NO_ID; c = drain_next(d, c + 1)) {
		uint32_t w = o->want[c];

		if (w == NOT_CHOSEN)
			w = o->want[c] = drain_choose(d, c);
		if (w < o->n_channels && o->used[w] < d->buffers)
			drain_ask(o, drain_port(w), c,
				  t->fabric->port_num[t->peer[drain_port(c)]] * DRAIN_VLS + drain_vl(c));
	}
}

/* Hosts want to send.  *later: one waits for its round.  Was a packet dropped at once? */
static bool ask_hosts(struct drain *d, bool *later)
{
	struct drain_private *o = d->own;
	bool gone = false;

	for (uint32_t s = 0; s < o->n_senders; s++) {
		uint32_t n = o->sender_first[s] + o->sent[s];

		if (n == o->sender_first[s + 1])
			continue;
		if (o->release && o->release[n] > o->counts->round + 1) {
			*later = true;
			continue;
		}
		if (o->ready_at[s] != n) {
			o->ready[s] = d->way ? d->way[d->way_first[n]] : first_channel(d, &d->packet[n]);
			o->ready_at[s] = n;
		}
		uint32_t c = o->ready[s];
		if (c == TO_DROP) {
			o->counts->dropped++;
			o->sent[s]++;
			gone = true;
		} else if (o->used[c] < d->buffers) {
			drain_ask(o, drain_port(c), o->n_channels + s, 0);
		}
	}
	return gone;
}

/* All that are served move at once. */
static void drain_move(struct drain *d)
{
	const struct topo *t = d->routing->topo;
	struct drain_private *o = d->own;

	for (uint32_t i = 0; i < o->n_touched; i++) {
		uint32_t port = o->touched[i], from = o->from[port];

		o->from[port] = NO_ID;
		if (from >= o->n_channels) {
			uint32_t s = from - o->n_channels;

			drain_push(d, o->ready[s], o->sender_first[s] + o->sent[s]);
			o->sent[s]++;
			o->counts->inside++;
		} else {
			uint32_t to = o->want[from];

			o->turn[port] =
				(uint16_t)(t->fabric->port_num[t->peer[drain_port(from)]] * DRAIN_VLS +
					   drain_vl(from));
			drain_push(d, to, drain_pop(d, from));
		}
	}
}

/* Did anything move, or will it? */
static bool one_round(struct drain *d)
{
	struct drain_private *o = d->own;
	bool on = drain_take(d), later = false;

	o->n_touched = 0;
	ask_channels(d);
	on |= ask_hosts(d, &later);
	on |= o->n_touched != 0;
	drain_move(d);
	return on || later;
}

/* --- rounds --------------------------------------------------------------------------------- */

static void read_counts(struct drain *d)
{
	const struct drain_counts *c = d->own->counts;

	d->round = c->round;
	d->arrived = c->arrived;
	d->dropped = c->dropped;
	d->inside = c->inside;
	d->end = d->verdict && d->round == d->rounds ? d->verdict : DRAIN_GOES_ON;
}

/* Keeps the present round if it is due to be kept. */
static void drain_keep(struct drain *d)
{
	struct drain_private *o = d->own;

	if (o->counts->round != o->n_kept * o->every)
		return;
	if (o->n_kept == o->keeps) { /* every second goes */
		for (unsigned i = 0; i < o->n_kept; i++)
			if (i % 2)
				arena_free(o->kept[i]);
			else
				o->kept[i / 2] = o->kept[i];
		o->n_kept = (o->n_kept + 1) / 2;
		o->every *= 2;
		if (o->counts->round != o->n_kept * o->every)
			return;
	}
	o->kept[o->n_kept++] = arena_dup(d, o->block, o->size);
}

bool drain_to(struct drain *d, uint32_t round, struct progress *p)
{
	struct drain_private *o = d->own;
	uint32_t i = MIN(round / o->every, o->n_kept - 1);
	bool go_on = true;

	if (round < d->round || i * o->every > d->round)
		memcpy(o->block, o->kept[i], o->size);
	progress_start(p, "packets", d->n_packets);
	while (o->counts->round < round && (!d->verdict || o->counts->round < d->rounds) &&
	       (go_on = progress_step(p, o->counts->arrived))) {
		uint32_t done = o->counts->arrived + o->counts->dropped;

		if (done == d->n_packets || !one_round(d)) {
			d->rounds = o->counts->round;
			d->verdict = done == d->n_packets ? DRAIN_DONE : DRAIN_STOPPED;
			break;
		}
		o->counts->round++;
		drain_keep(d);
	}
	read_counts(d);
	return go_on;
}

bool drain_run(struct drain *d, struct progress *p)
{
	return drain_to(d, UINT32_MAX, p);
}

unsigned drain_held(const struct drain *d, uint32_t channel)
{
	assert(channel < d->own->n_channels);
	return d->own->used[channel];
}

uint32_t drain_packet_in(const struct drain *d, uint32_t channel, unsigned k)
{
	const struct drain_private *o = d->own;

	assert(channel < o->n_channels && k < o->used[channel]);
	return o->slot[(size_t)channel * d->buffers + (o->begin[channel] + k) % d->buffers];
}

uint32_t drain_wants(const struct drain *d, uint32_t channel)
{
	uint32_t w = d->own->want[channel];

	if (!d->own->used[channel])
		return NO_ID;
	w = w == NOT_CHOSEN ? drain_choose(d, channel) : w;
	return w < d->own->n_channels ? w : NO_ID;
}

bool drain_waits(const struct drain *d, uint32_t channel)
{
	uint32_t w = drain_wants(d, channel);

	return w != NO_ID && d->own->used[w] == d->buffers;
}

uint32_t drain_waiting(const struct drain *d)
{
	uint32_t n = 0;

	for (uint32_t c = drain_next(d, 0); c != NO_ID; c = drain_next(d, c + 1))
		n += drain_waits(d, c);
	return n;
}

uint32_t drain_next(const struct drain *d, uint32_t channel)
{
	uint32_t n = (d->own->n_channels + 63) / 64, i = channel / 64;

	if (i >= n)
		return NO_ID;
	uint64_t word = d->own->busy[i] & ~UINT64_C(0) << channel % 64;
	while (!word && ++i < n)
		word = d->own->busy[i];
	return word ? i * 64 + (uint32_t)__builtin_ctzll(word) : NO_ID;
}

void drain_tell(const struct drain *d, struct text *t)
{
	assert((uint64_t)d->arrived + d->dropped + d->inside <= d->n_packets);
	uint32_t left = d->n_packets - d->arrived - d->dropped - d->inside, waiting = drain_waiting(d);

	text_add(t, "round %u: ", d->round);
	if (d->end == DRAIN_STOPPED)
		text_add(t, "nobody can move; ");
	if (d->n_packets && d->arrived == d->n_packets)
		text_add(t, "all %u packets have arrived", d->n_packets);
	else
		text_add(t, "%u of %s arrived", d->arrived, PLURAL(d->n_packets, "packet"));
	if (d->dropped)
		text_add(t, ", %u dropped (VL 15)", d->dropped);
	if (d->inside)
		text_add(t, ", %u in cables (%s waiting for a place)", d->inside, PLURAL(waiting, "channel"));
	if (left)
		text_add(t, ", %u at their hosts", left);
}

uint32_t *drain_circle(const struct drain *d, uint32_t *n)
{
	uint32_t c = drain_next(d, 0), *circle = NEW_ARRAY(d->inside + 1u, uint32_t);

	*n = 0;
	if (d->end != DRAIN_STOPPED || c == NO_ID)
		return circle;
	for (uint32_t i = 0; i < d->inside; i++) /* this many steps end in the circle */
		c = drain_wants(d, c);
	do {
		circle[(*n)++] = c;
		c = drain_wants(d, c);
	} while (c != circle[0]);
	return circle;
}

/* --- packets of a pattern ------------------------------------------------------------------- */

COMPARATOR(by_source, struct drain_packet, UP(src) UP(number))

static void add_packet(struct drain *d, uint32_t src, unsigned lid)
{
	d->packet[d->n_packets] =
		(struct drain_packet){.src = src, .number = d->n_packets, .lid = (uint16_t)lid};
	d->n_packets++;
}

/* Each host to the LIDs behind its own, then from the lowest on. */
static void drain_add_all(struct drain *d, const struct pattern *p, const uint32_t *host, uint32_t n)
{
	const struct lids *l = d->routing->lids;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 1; k < n; k++) {
			uint32_t to = host[(i + k) % n];

			for (unsigned j = 0; j < (p->kind == PATTERN_LIDS ? l->count[to] : 1u); j++)
				add_packet(d, host[i], l->base[to] + j);
		}
}

/* Packets that a pattern is. */
static uint64_t packets_of(const struct routing *r, const struct pattern *p, const uint32_t *host, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n && p->kind != PATTERN_LIST; i++)
		sum += (p->kind == PATTERN_LIDS ? r->lids->count[host[i]] : 1ull) * (n - 1);
	for (size_t i = 0; i < p->n && p->kind == PATTERN_LIST; i++)
		sum += p->flow[i].weight;
	return sum;
}

/* Leaves out those that the tables do not bring to their LID.  False: cancelled. */
static bool drain_leave_out(struct drain *d, struct progress *p)
{
	const struct routing *r = d->routing;
	uint32_t n_sw = r->topo->fabric->n_switches, top = r->lids->max_lid, kept = 0;
	AUTO_FREE uint32_t *first = NEW_ARRAY(top + 2u, uint32_t),
			   *at = NEW_ARRAY(d->n_packets + 1u, uint32_t);
	AUTO_ARENA struct dest_ways *ways = dest_ways_new(NULL, r);
	bool go_on = true;

	for (uint32_t i = 0; i < d->n_packets; i++)
		first[d->packet[i].lid + 1]++;
	for (uint32_t l = 0; l <= top; l++)
		first[l + 1] += first[l];
	for (uint32_t i = 0; i < d->n_packets; i++)
		at[first[d->packet[i].lid]++] = i;
	progress_start(p, "paths of packets", top);
	for (uint32_t l = 1, i = 0; n_sw && l <= top && (go_on = progress_step(p, l)); l++) {
		if (i < first[l]) { /* first[l] is now the end of its packets */
			if (r->adaptive)
				dest_ways(r, l, ways);
			else
				dest_hops(r, l, ways->worst, ways->work);
		}
		for (; i < first[l]; i++)
			if (ways->worst[r->topo->endport_switch[d->packet[at[i]].src]] >= HOPS_LOOP)
				d->packet[at[i]].lid = 0;
	}
	for (uint32_t i = 0; i < d->n_packets; i++)
		if (d->packet[i].lid)
			d->packet[kept++] = d->packet[i];
	d->left_out += d->n_packets - kept;
	d->n_packets = kept;
	return go_on;
}

static void find_senders(struct drain *d)
{
	struct drain_private *o = d->own;

	o->sender_first = ARENA_ARRAY(d, d->n_packets + 1u, uint32_t);
	for (uint32_t i = 0; i < d->n_packets; i++)
		if (!i || d->packet[i].src != d->packet[i - 1].src)
			o->sender_first[o->n_senders++] = i;
	o->sender_first[o->n_senders] = d->n_packets;
}

/* Shuffles what each host sends, and draws SLs; seed 0: the lowest SLs. */
static void drain_draw(struct drain *d, uint64_t *seed)
{
	const struct drain_private *o = d->own;

	for (uint32_t s = 0; *seed && s < o->n_senders; s++)
		for (uint32_t i = o->sender_first[s], end = o->sender_first[s + 1]; i < end; i++) {
			uint32_t k = i + rng_below(seed, end - i);
			struct drain_packet x = d->packet[k];

			d->packet[k] = d->packet[i];
			d->packet[i] = x;
		}
	for (uint32_t i = 0; i < d->n_packets; i++) {
		struct drain_packet *x = &d->packet[i];
		struct sl_range sl = routing_sl(d->routing, d->routing->lids->base[x->src], x->lid);

		x->sl = sl.lo;
		if (*seed && sl.hi > sl.lo)
			x->sl = (uint8_t)(sl.lo + rng_below(seed, sl.hi - sl.lo + 1u));
	}
}

static struct drain *drain_begin(const struct routing *r, unsigned buffers)
{
	struct drain *d = ARENA_NEW(NULL, struct drain);

	assert(buffers && buffers <= DRAIN_MOST_BUFFERS);
	d->routing = routing_unref_later(d, routing_ref(r));
	d->buffers = buffers;
	d->lead = -1;
	d->own = ARENA_NEW(d, struct drain_private);
	return d;
}

/* The places of a block, one after the other, the widest first; with NULL: its size. */
static size_t drain_lay_out(struct drain *d, uint8_t *at)
{
	struct drain_private *o = d->own;
	size_t n = o->n_channels, size = 0;

#define PLACE(member, count)                                 \
	do {                                                 \
		o->member = (void *)(at ? at + size : NULL); \
		size += (count) * sizeof(*o->member);        \
	} while (0)
	PLACE(busy, n / 64 + 1);
	PLACE(counts, 1);
	PLACE(slot, n * d->buffers);
	PLACE(want, n);
	PLACE(sent, o->n_senders);
	PLACE(turn, d->routing->topo->fabric->n_ports);
	PLACE(used, n);
	PLACE(begin, n);
#undef PLACE
	return size;
}

/* Allocates what moves; the packets are known.  Returns -1 and *e when memory is out. */
static int drain_make_room(struct drain *d, struct err *e)
{
	struct drain_private *o = d->own;
	uint32_t ports = d->routing->topo->fabric->n_ports;

	if ((uint64_t)ports * DRAIN_VLS + o->n_senders >= TO_DROP)
		return err_set(e, "%u ports are more than drain can number", ports);
	o->n_channels = ports * DRAIN_VLS;
	o->size = drain_lay_out(d, NULL);
	o->keeps = o->size < KEEP_BYTES / KEEP_MOST ? KEEP_MOST : 2 + (unsigned)(KEEP_BYTES / o->size);
	o->keeps = MIN(o->keeps, KEEP_MOST);
	if (mem_room(e, o->size * (o->keeps + 1), "buffers of %u ports", ports))
		return -1;
	o->block = arena_array(d, 1, o->size);
	drain_lay_out(d, o->block);
	o->from = ARENA_ARRAY(d, ports + 1u, uint32_t);
	o->rank = ARENA_ARRAY(d, ports + 1u, uint16_t);
	o->touched = ARENA_ARRAY(d, ports + 1u, uint32_t);
	o->ready = ARENA_ARRAY(d, o->n_senders + 1u, uint32_t);
	o->ready_at = ARENA_ARRAY(d, o->n_senders + 1u, uint32_t);
	memset(o->from, 0xff, ports * sizeof(*o->from));
	return 0;
}

/* Round 0: everything is empty. */
static void drain_empty(struct drain *d, uint64_t *seed)
{
	struct drain_private *o = d->own;

	for (unsigned i = 0; i < o->n_kept; i++)
		arena_free(o->kept[i]);
	o->n_kept = 0;
	o->every = 1;
	d->rounds = 0;
	d->verdict = DRAIN_GOES_ON;
	memset(o->block, 0, o->size);
	memset(o->want, 0xff, o->n_channels * sizeof(*o->want));
	memset(o->ready_at, 0xff, o->n_senders * sizeof(*o->ready_at));
	for (uint32_t p = 0; p < d->routing->topo->fabric->n_ports; p++)
		o->turn[p] = *seed ? (uint16_t)rng_below(seed, KEYS) : KEYS - 1;
}

struct drain *drain_new(const struct routing *r, const struct pattern *p, unsigned buffers, uint64_t seed,
			struct progress *progress, struct err *e)
{
	struct drain *d = drain_begin(r, buffers);
	uint32_t n_hosts;
	AUTO_FREE uint32_t *host = pattern_hosts(r, &n_hosts);
	uint64_t n = packets_of(r, p, host, n_hosts);
	int rc = n < NO_ID ? mem_room(e, n * (sizeof(*d->packet) + 2 * sizeof(uint32_t)), "%llu packets",
				      (unsigned long long)n)
			   : err_set(e, "found %llu packets, expected fewer than %u", (unsigned long long)n,
				     NO_ID);

	d->left_out = p->left_out;
	d->packet = ARENA_ARRAY(d, rc ? 1 : n + 1, struct drain_packet);
	if (!rc && p->kind != PATTERN_LIST)
		drain_add_all(d, p, host, n_hosts);
	for (size_t i = 0; !rc && p->kind == PATTERN_LIST && i < p->n; i++)
		for (uint32_t k = 0; k < p->flow[i].weight; k++)
			add_packet(d, p->flow[i].src, p->flow[i].lid);
	if (!rc && !drain_leave_out(d, progress))
		rc = err_set(e, CANCELLED);
	if (!rc) {
		if (p->kind == PATTERN_LIST)
			qsort(d->packet, d->n_packets, sizeof(*d->packet), by_source);
		find_senders(d);
		drain_draw(d, &seed);
		rc = drain_make_room(d, e);
	}
	if (rc) {
		arena_free(d);
		return NULL;
	}
	drain_empty(d, &seed);
	read_counts(d);
	drain_keep(d); /* round 0 */
	return d;
}

/* --- packets of a cycle --------------------------------------------------------------------- */

/* A packet of the cycle, before it has its number. */
struct planned {
	uint32_t src;
	uint16_t lid;
	uint8_t sl;
	uint32_t at;	/* place of its channel of the cycle in its way */
	uint32_t first; /* of its way, [n] */
	uint32_t n;
};

COMPARATOR(by_setting_out, struct planned, UP(src) DOWN(at) UP(first))

struct drain_plan {
	void *arena;
	struct planned *packet;
	uint32_t n;
	uint32_t *way, n_way, cap_way;
	/* [n_channels] search for a way: `from` a place of the queue, NO_ID: not met */
	uint32_t *queue, *from;
};

static void drain_add_channel(struct drain_plan *x, uint32_t c)
{
	ARENA_GROW(x->arena, x->way, x->n_way, x->cap_way);
	x->way[x->n_way++] = c;
}

/* Adds the way from the host to the place `at` of the queue, then over `next` to the end. */
static void drain_add_way(const struct drain *d, struct drain_plan *x, uint32_t at, uint32_t next)
{
	struct planned *p = &x->packet[x->n++];
	uint32_t on[256], links = 1;

	for (uint32_t i = at; i; i = x->from[x->queue[i]])
		links++;
	p->first = x->n_way;
	p->at = links - 1;
	for (uint32_t i = 0; i < links; i++)
		drain_add_channel(x, 0);
	for (uint32_t i = at, k = links; k; i = x->from[x->queue[i]])
		x->way[p->first + --k] = x->queue[i];
	for (uint32_t c = next; c < TO_DROP; c = on[0]) {
		drain_add_channel(x, c);
		channels_on(d, c, p->lid, p->sl, on);
	}
	p->n = x->n_way - p->first;
}

/* A shortest way of the planned packet over both channels, by its SL.  False: there is none. */
static bool drain_find_way(const struct drain *d, struct drain_plan *x, uint32_t channel, uint32_t next)
{
	const struct planned *p = &x->packet[x->n];
	uint32_t on[256], n = 0;

	memset(x->from, 0xff, d->routing->topo->fabric->n_ports * DRAIN_VLS * sizeof(*x->from));
	x->queue[0] = first_channel(d, &(struct drain_packet){.src = p->src, .lid = p->lid, .sl = p->sl});
	if (x->queue[0] == TO_DROP)
		return false;
	x->from[x->queue[n++]] = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = channels_on(d, x->queue[i], p->lid, p->sl, on);

		for (uint32_t j = 0; j < k; j++) {
			if (x->queue[i] == channel && on[j] == next) {
				drain_add_way(d, x, i, next);
				return true;
			}
			if (on[j] < TO_DROP && x->from[on[j]] == NO_ID) {
				x->queue[n] = on[j];
				x->from[x->queue[n++]] = i;
			}
		}
	}
	return false;
}

/* Plans a packet of a route with that SL of its range that passes both channels.  False: there is none. */
static bool plan_packet(const struct drain *d, struct drain_plan *x, const struct cdg_route *t,
			uint32_t channel, uint32_t next)
{
	struct sl_range sl = routing_sl(d->routing, t->slid, t->dlid);

	for (unsigned i = sl.lo; i <= sl.hi; i++) {
		x->packet[x->n] = (struct planned){.src = t->source, .lid = t->dlid, .sl = (uint8_t)i};
		if (drain_find_way(d, x, channel, next))
			return true;
	}
	return false;
}

/* May a packet to a LID leave by the channel, which is out of a switch? */
static bool may_leave(const struct dest_ways *ways, const struct fabric *f, uint32_t channel)
{
	uint32_t port = drain_port(channel), sw = f->node_switch[f->port_node[port]];

	return sw != NO_ID && ways->worst[sw] < HOPS_LOOP && port_set_has(&ways->set[sw], f->port_num[port]);
}

/* The same for any route, with the choices of adaptive routing: cdg_routes() goes by the entries alone. */
static bool plan_choices(const struct drain *d, struct drain_plan *x, uint32_t channel, uint32_t next,
			 struct progress *p)
{
	const struct routing *r = d->routing;
	uint32_t n_hosts;
	AUTO_FREE uint32_t *host = pattern_hosts(r, &n_hosts);
	AUTO_ARENA struct dest_ways *ways = dest_ways_new(NULL, r);
	bool found = false;

	for (unsigned lid = 1; lid <= r->lids->max_lid && !found && !progress_cancelled(p); lid++) {
		uint32_t owner = lid_owner(r->lids, lid);

		if (owner == NO_ID || !routing_counts(r, owner))
			continue;
		dest_ways(r, lid, ways);
		if (!may_leave(ways, r->topo->fabric, channel) || !may_leave(ways, r->topo->fabric, next))
			continue;
		for (uint32_t i = 0; i < n_hosts && !found; i++)
			found = host[i] != owner &&
				ways->worst[r->topo->endport_switch[host[i]]] < HOPS_LOOP &&
				plan_packet(
					d, x,
					&(struct cdg_route){host[i], r->lids->base[host[i]], (uint16_t)lid},
					channel, next);
	}
	return found;
}

/* Plans all packets of a cycle [n].  False: cancelled. */
static bool plan_cycle(const struct drain *d, struct drain_plan *x, const struct cdg *c,
		       const uint32_t *cycle, uint32_t n, struct progress *p)
{
	AUTO_FREE struct cdg_route *route = NEW_ARRAY(d->buffers, struct cdg_route);
	bool go_on = true;

	progress_start(p, "packets of the loop", n);
	for (uint32_t i = 0; i < n && (go_on = progress_step(p, i)); i++) {
		uint32_t from = cycle[i], to = cycle[(i + 1) % n],
			 a = c->port[from] * DRAIN_VLS + c->vl[from], b = c->port[to] * DRAIN_VLS + c->vl[to];
		size_t k = cdg_routes(c, cdg_dependency(c, from, to), route, d->buffers, p);

		if (!k && plan_choices(d, x, a, b, p)) {
			const struct planned *q = &x->packet[x->n - 1];

			route[k++] = (struct cdg_route){q->src, d->routing->lids->base[q->src], q->lid};
			x->n--;
		}
		for (unsigned j = 0; k && j < d->buffers; j++)
			plan_packet(d, x, &route[j % k], a, b);
		go_on = !progress_cancelled(p);
	}
	return go_on;
}

/* Takes the planned packets, those of a host in the order in which they set out. */
static void take_plan(struct drain *d, struct drain_plan *x)
{
	uint32_t at = 0;

	qsort(x->packet, x->n, sizeof(*x->packet), by_setting_out);
	d->way = ARENA_ARRAY(d, x->n_way + 1u, uint32_t);
	d->way_first = ARENA_ARRAY(d, x->n + 1u, uint32_t);
	d->own->release = ARENA_ARRAY(d, x->n + 1u, uint32_t);
	for (uint32_t i = 0; i < x->n; i++) {
		const struct planned *p = &x->packet[i];

		add_packet(d, p->src, p->lid);
		d->packet[i].sl = p->sl;
		memcpy(d->way + at, x->way + p->first, p->n * sizeof(*d->way));
		d->way_first[i] = at;
		at += p->n;
	}
	d->way_first[x->n] = at;
	find_senders(d);
}

/* Round 0 with all packets `lead` channels before the cycle.  False: one has no place there. */
static bool set_out(struct drain *d, const struct drain_plan *x, uint32_t lead)
{
	struct drain_private *o = d->own;
	uint64_t none = 0;

	drain_empty(d, &none);
	for (uint32_t s = 0; s < o->n_senders; s++)
		for (uint32_t i = o->sender_first[s]; i < o->sender_first[s + 1]; i++) {
			uint32_t at = x->packet[i].at;

			o->release[i] = lead > at ? lead - at : 0;
			if (lead > at)
				continue;
			uint32_t c = d->way[d->way_first[i] + at - lead];
			if (o->used[c] == d->buffers)
				return false;
			drain_push(d, c, i);
			o->sent[s]++;
			o->counts->inside++;
		}
	read_counts(d);
	drain_keep(d);
	return true;
}

/* Begins as far before the cycle as leads to the standstill. */
static bool find_lead(struct drain *d, const struct drain_plan *x, struct progress *p)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < x->n; i++)
		most = MAX(x->packet[i].at, most);
	for (uint32_t lead = most + 2; lead-- > 0;) {
		if (!set_out(d, x, lead))
			continue;
		if (!drain_run(d, p))
			return false;
		d->lead = lead > most ? -1 : (int)lead;
		if (d->verdict == DRAIN_STOPPED && d->inside == d->n_packets)
			break;
	}
	return drain_to(d, 0, p);
}

struct drain *drain_cycle(const struct cdg *c, uint32_t component, unsigned buffers,
			  struct progress *progress, struct err *e)
{
	assert(component < c->n_components);
	struct drain *d = drain_begin(c->routing, buffers);
	uint32_t all = c->routing->topo->fabric->n_ports * DRAIN_VLS;
	AUTO_FREE uint32_t *cycle = NEW_ARRAY(c->size[component] + 1, uint32_t);
	uint32_t n = cdg_cycle(c, component, cycle, progress);
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct drain_plan x = {.arena = arena,
			       .packet = ARENA_ARRAY(arena, (size_t)n * buffers + 1, struct planned),
			       .queue = ARENA_ARRAY(arena, all + 1u, uint32_t),
			       .from = ARENA_ARRAY(arena, all + 1u, uint32_t)};
	int rc = n && plan_cycle(d, &x, c, cycle, n, progress) ? 0 : err_set(e, CANCELLED);

	d->packet = ARENA_ARRAY(d, x.n + 1u, struct drain_packet);
	if (!rc) {
		take_plan(d, &x);
		rc = drain_make_room(d, e);
	}
	if (!rc && !find_lead(d, &x, progress))
		rc = err_set(e, CANCELLED);
	if (!rc)
		return d;
	arena_free(d);
	return NULL;
}
