#include "core/sm/setup.h"
#include "core/base/memory.h"

#include <stdlib.h>

struct setup *setup_new(const struct fabric *f, const struct state *st, const struct options *o,
			const char *chain)
{
	struct setup *s = NEW(struct setup);

	atomic_init(&s->refs, 1);
	s->fabric = f ? fabric_ref(f) : NULL;
	s->state = st ? state_ref(st) : NULL;
	s->options = options_ref(o);
	s->chain = chain ? str_dup(chain) : NULL;
	return s;
}

struct setup *setup_with(const struct setup *base, const struct setup *other)
{
	return setup_new(
		other->fabric ? other->fabric : base->fabric, other->state ? other->state : base->state,
		other->options ? other->options : base->options, other->chain ? other->chain : base->chain);
}

struct setup *setup_ref(const struct setup *s)
{
	struct setup *m = (struct setup *)(uintptr_t)s;

	atomic_fetch_add(&m->refs, 1);
	return m;
}

void setup_unref(const struct setup *s)
{
	struct setup *m = (struct setup *)(uintptr_t)s;

	if (!m || atomic_fetch_sub(&m->refs, 1) != 1)
		return;
	fabric_unref(m->fabric);
	state_free(m->state);
	options_free(m->options);
	free((void *)(uintptr_t)m->chain);
	free(m);
}

bool setup_equal(const struct setup *a, const struct setup *b)
{
	return a->fabric == b->fabric && (a->state == b->state || state_equal(a->state, b->state)) &&
	       options_equal(a->options, b->options);
}
