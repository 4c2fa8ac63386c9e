/* Groups of ports that adaptive routing chooses from, and switches whose entries are alike. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/routing/paths.h"
#include "core/routing/routing.h"

unsigned port_set_next(const struct port_set *s, unsigned port)
{
	while (port < 256) {
		uint64_t w = s->word[port / 64] >> port % 64;

		if (w)
			return port + (unsigned)__builtin_ctzll(w);
		port = (port / 64 + 1) * 64;
	}
	return 256;
}

void adaptive_clear(struct adaptive_switch *s)
{
	free(s->block);
	free(s->own);
	free(s->group);
	*s = (struct adaptive_switch){0};
}

static void adaptive_free(struct counted *c)
{
	AUTO_FREE struct adaptive *a = (struct adaptive *)c;

	for (uint32_t s = 0; s < a->n_switches; s++)
		adaptive_clear(&a->sw[s]);
	free(a->sw);
}

struct adaptive *adaptive_new(uint32_t n_switches)
{
	struct adaptive *a = NEW(struct adaptive);

	counted_init(&a->counted, adaptive_free);
	a->n_switches = n_switches;
	a->sw = NEW_ARRAY(n_switches + 1u, struct adaptive_switch);
	return a;
}

struct adaptive *adaptive_on(const struct adaptive *a, const struct fabric *from, const struct fabric *to)
{
	assert(a->n_switches == from->n_switches);

	struct adaptive *n = adaptive_new(to->n_switches);

	for (uint32_t s = 0; s < to->n_switches; s++) {
		uint32_t was = fabric_switch_in(from, to, s);
		const struct adaptive_switch *x = was == NO_ID ? NULL : &a->sw[was];

		if (!x || !x->n_blocks)
			continue;
		n->sw[s] = *x;
		n->sw[s].block = mem_dup(x->block, x->n_blocks * sizeof(*x->block));
		n->sw[s].own = mem_dup(x->own, x->n_own * sizeof(*x->own));
		n->sw[s].cap_blocks = x->n_blocks;
		n->sw[s].cap_own = x->n_own;
		n->sw[s].cap_groups = x->n_groups;
		n->sw[s].group = mem_dup(x->group, x->n_groups * sizeof(*x->group));
	}
	return n;
}

unsigned adaptive_group_index(struct adaptive_switch *s, unsigned number)
{
	if (number < s->n_groups && s->group[number].number == number) /* groups mostly come in order */
		return number;
	for (uint32_t i = s->n_groups; i-- > 0;) /* the rows of a group are neighbours */
		if (s->group[i].number == number)
			return i;
	GROW(s->group, s->n_groups, s->cap_groups);
	s->group[s->n_groups] = (struct adaptive_group){.number = (uint16_t)number};
	return s->n_groups++;
}

void adaptive_set(struct adaptive_switch *s, unsigned lid, unsigned group)
{
	uint32_t b = lid / ADAPTIVE_BLOCK;

	assert(lid <= MAX_LID && (group == NO_ADAPTIVE || group < s->n_groups));
	while (b >= s->n_blocks) {
		GROW(s->block, s->n_blocks, s->cap_blocks);
		s->block[s->n_blocks++] = NO_ADAPTIVE;
	}
	if (s->block[b] == group)
		return;
	if (s->block[b] < ADAPTIVE_OWN) {
		GROW(s->own, s->n_own, s->cap_own);
		for (unsigned i = 0; i < ADAPTIVE_BLOCK; i++)
			s->own[s->n_own][i] = (uint16_t)s->block[b];
		s->block[b] = ADAPTIVE_OWN + s->n_own++;
	}
	s->own[s->block[b] - ADAPTIVE_OWN][lid % ADAPTIVE_BLOCK] = (uint16_t)group;
}

void adaptive_fill(struct adaptive_switch *s, const uint16_t *of_lid, unsigned n)
{
	assert(!s->n_blocks && n <= MAX_LID + 1);
	s->n_blocks = s->cap_blocks = (n + ADAPTIVE_BLOCK - 1) / ADAPTIVE_BLOCK;
	s->block = NEW_ARRAY(s->n_blocks, uint32_t);
	for (uint32_t b = 0; b < s->n_blocks; b++) {
		const uint16_t *of = of_lid + b * ADAPTIVE_BLOCK;
		unsigned most = n - b * ADAPTIVE_BLOCK;
		size_t len = MIN(most, ADAPTIVE_BLOCK);

		s->block[b] = *of;
		if (!memcmp(of, of + 1, (len - 1) * sizeof(*of)))
			continue;
		GROW(s->own, s->n_own, s->cap_own);
		s->block[b] = ADAPTIVE_OWN + s->n_own;
		memcpy(s->own[s->n_own++], of, len * sizeof(*of));
	}
	if (s->n_own)
		s->own = mem_resize(s->own, s->cap_own = s->n_own, sizeof(*s->own));
	if (s->n_groups)
		s->group = mem_resize(s->group, s->cap_groups = s->n_groups, sizeof(*s->group));
}

void alike_start(struct alike *a, const struct routing *r, uint8_t *left)
{
	const struct topo *t = r->topo;
	uint32_t n = t->fabric->n_switches, *fill;

	*a = (struct alike){
		.r = r,
		.left = left,
		.lid_at = NEW_ARRAY(n + 2, uint32_t),
		.lid_of = NEW_ARRAY(r->lids->max_lid + 1u, uint16_t),
		.work = NEW_ARRAY(n + 1, uint32_t),
		.sw = NO_ID,
		.hops = NEW_ARRAY(n + 1, uint16_t),
		.order = NEW_ARRAY(n + 1, uint32_t),
		.start = NEW_ARRAY(n + 2, uint32_t),
	};
	fill = a->lid_at + 1;
	for (int pass = 0; pass < 2; pass++) {
		for (unsigned lid = 1; lid <= r->lids->max_lid; lid++) {
			uint32_t owner = left[lid] ? lid_owner(r->lids, lid) : NO_ID;

			if (owner == NO_ID || !t->endport_up[owner] || t->endport_switch[owner] == NO_ID)
				continue;
			if (pass)
				a->lid_of[fill[t->endport_switch[owner]]++] = (uint16_t)lid;
			else
				fill[t->endport_switch[owner] + 1]++;
		}
		for (uint32_t s = 0; !pass && s < n; s++)
			fill[s + 1] += fill[s];
	}
}

void alike_end(struct alike *a)
{
	FREE_EACH(a->lid_at, a->lid_of, a->work, a->entries, a->hops, a->order, a->start);
}

/* LIDs of a group that begins at lid_of[at]. */
static unsigned group_size(const struct alike *a, uint32_t at, uint32_t sw)
{
	uint32_t rest = a->lid_at[sw + 1] - at;

	return MIN(rest, ALIKE_MOST);
}

#define LOADED_AT_ONCE 8192 /* LIDs, or those of one switch */

/* Reads the entries for the LIDs of a switch and of some that follow.  LIDs of a switch need not be
 * neighbours. */
static void alike_load(struct alike *a, uint32_t sw)
{
	uint32_t n = a->r->topo->fabric->n_switches, last = sw + 1;

	while (last < n && a->lid_at[last + 1] - a->lid_at[sw] <= LOADED_AT_ONCE)
		last++;
	a->loaded = a->lid_at[sw];
	a->loaded_end = a->lid_at[last];
	size_t room = (size_t)n * (a->loaded_end - a->loaded);
	if (room > a->room)
		a->entries = mem_resize(a->entries, a->room = room, 1);
	for (uint32_t s = 0; s < n; s++) {
		const struct lft_row *row = a->r->row[s];

		for (uint32_t d = sw; d < last; d++)
			for (uint32_t at = a->lid_at[d], m; at < a->lid_at[d + 1]; at += m) {
				uint8_t *to = a->entries + (size_t)n * (at - a->loaded);
				const uint16_t *lid = a->lid_of + at;

				m = group_size(a, at, d);
				to += (size_t)s * m;
				for (uint32_t i = 0; i < m; i++)
					to[i] = row && lid[i] <= row->top ? row->port[lid[i]] : NO_PATH;
			}
	}
}

/* Does an entry at the switch itself, or at one without a way, do what the hops say? */
static bool alike_ends_so(const struct alike *a, uint32_t s, unsigned i)
{
	const struct topo *t = a->r->topo;
	uint32_t owner = lid_owner(a->r->lids, a->lid[i]), next;
	uint16_t wanted = HOPS_NONE;

	if (s == a->sw)
		wanted = !endport_is_switch(t->fabric, owner);
	return end_hops(t, s, a->port[(size_t)s * a->n + i], owner, &next) == wanted;
}

/* LIDs, a bit each, with an entry that does not lead one link nearer. */
static uint64_t unlike(const struct alike *a)
{
	const struct topo *t = a->r->topo;
	const struct fabric *f = t->fabric;
	const uint16_t *hops = a->hops;
	uint64_t found = 0;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		const uint32_t *next = t->peer_switch + f->switch_port[s];
		const uint8_t *port = a->port + (size_t)s * a->n;
		unsigned ports = f->switch_nports[s], nearer = hops[s] - 1u;

		if (s == a->sw || hops[s] == HOPS_NONE) {
			for (unsigned i = 0; switch_up(t, s) && i < a->n; i++)
				found |= (uint64_t)!alike_ends_so(a, s, i) << i;
			continue;
		}
		for (unsigned i = 0; i < a->n; i++)
			if (port[i] > ports || next[port[i]] == NO_ID || hops[next[port[i]]] != nearer)
				found |= 1ull << i;
	}
	return found;
}

/* Hops to the switch as the engine promises them; with connect_roots those from it may differ ... */
static void promised_hops(struct alike *a)
{
	const struct topo *t = a->r->topo;
	uint32_t n = t->fabric->n_switches;

	for (uint32_t s = 0; s < n; s++) {
		unsigned least = a->r->exact[(size_t)s * n + a->sw];

		a->hops[s] = least == NO_PATH || !switch_up(t, s) ? HOPS_NONE : least + 1u;
	}
	a->hops[a->sw] = 1;
}

/* ... or as the first LID has them.  False: it loops. */
static bool hops_of_first(struct alike *a)
{
	const struct topo *t = a->r->topo;
	uint32_t n = t->fabric->n_switches, owner = lid_owner(a->r->lids, a->lid[0]);
	bool to_switch = endport_is_switch(t->fabric, owner), loops = false;
	AUTO_FREE uint8_t *col = NEW_ARRAY(n, uint8_t);

	for (uint32_t s = 0; s < n; s++)
		col[s] = a->port[(size_t)s * a->n];
	column_hops(t, col, owner, a->hops, a->work);
	for (uint32_t s = 0; s < n; s++) {
		loops |= a->hops[s] == HOPS_LOOP;
		a->hops[s] += to_switch && a->hops[s] < HOPS_LOOP;
	}
	return !loops && a->hops[a->sw] == 1;
}

/* Leaves out the LIDs that are not alike. */
static void alike_leave_out(struct alike *a, uint64_t which)
{
	uint32_t n = a->r->topo->fabric->n_switches;
	unsigned m = a->n, kept[ALIKE_MOST], k = 0;

	for (unsigned i = 0; i < m; i++)
		if (!(which >> i & 1)) {
			a->lid[k] = a->lid[i];
			kept[k++] = i;
		}
	for (uint32_t s = 0; s < n; s++)
		for (unsigned i = 0; i < k; i++)
			a->port[(size_t)s * k + i] = a->port[(size_t)s * m + kept[i]];
	a->n = k;
}

bool alike_next(struct alike *a, uint32_t sw)
{
	assert(sw < a->r->topo->fabric->n_switches);
	a->taken = a->sw == sw ? a->taken : 0;
	a->sw = sw;
	do {
		uint32_t at = a->lid_at[sw] + a->taken;
		uint64_t wrong = ~0ull;

		a->n = a->r->adaptive ? 0
				      : group_size(a, at, sw); /* with groups of ports an entry is not all */
		if (!a->n)
			return false;
		if (at < a->loaded || at >= a->loaded_end)
			alike_load(a, sw);
		a->taken += a->n;
		memcpy(a->lid, a->lid_of + at, a->n * sizeof(*a->lid));
		a->port = a->entries + (size_t)a->r->topo->fabric->n_switches * (at - a->loaded);
		if (a->r->exact) {
			promised_hops(a);
			wrong = a->trust ? 0 : unlike(a);
		}
		if (wrong & 1)
			wrong = hops_of_first(a) ? unlike(a) : ~0ull;
		if (wrong)
			alike_leave_out(a, wrong);
	} while (!a->n);
	for (unsigned i = 0; i < a->n; i++)
		a->left[a->lid[i]] = 0;
	return true;
}

void alike_order(struct alike *a)
{
	a->n_order = hops_order(a->hops, a->r->topo->fabric->n_switches, a->order, a->start);
}
