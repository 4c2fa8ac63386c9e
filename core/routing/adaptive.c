#include "core/base/defs.h"
#include "core/routing/adaptive.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

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
	struct adaptive *a = (struct adaptive *)c;

	for (uint32_t s = 0; s < a->n_switches; s++)
		adaptive_clear(&a->sw[s]);
	free(a->sw);
	free(a);
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
