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
	free(s->of_lid);
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

		if (!x || !x->n_lids)
			continue;
		n->sw[s] =
			(struct adaptive_switch){.n_lids = x->n_lids,
						 .of_lid = mem_dup(x->of_lid, x->n_lids * sizeof(*x->of_lid)),
						 .n_groups = x->n_groups,
						 .cap_groups = x->n_groups,
						 .group = mem_dup(x->group, x->n_groups * sizeof(*x->group))};
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
	uint32_t n = s->n_lids;

	if (lid >= n) {
		if (group == NO_ADAPTIVE)
			return;
		while (n <= lid)
			n = n ? n * 2 : 64;
		s->of_lid = mem_resize(s->of_lid, n, sizeof(*s->of_lid));
		memset(s->of_lid + s->n_lids, 0xff, (n - s->n_lids) * sizeof(*s->of_lid));
		s->n_lids = n;
	}
	s->of_lid[lid] = (uint16_t)group;
}

const struct adaptive_group *adaptive_find(const struct adaptive *a, uint32_t sw, unsigned lid)
{
	const struct adaptive_switch *s = a ? &a->sw[sw] : NULL;

	return s && lid < s->n_lids && s->of_lid[lid] != NO_ADAPTIVE ? &s->group[s->of_lid[lid]] : NULL;
}
