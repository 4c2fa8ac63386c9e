/*
 * Something shared by reference whose owner need not know what it is: the last
 * one to let go of it calls its own way of being freed.
 */
#ifndef IBSCOPE_COUNTED_H
#define IBSCOPE_COUNTED_H

#include <stdatomic.h>

/* First member of what is counted. */
struct counted {
	atomic_uint refs;
	void (*free)(struct counted *c); /* called once, with no reference left */
};

static inline void counted_init(struct counted *c, void (*release)(struct counted *c))
{
	atomic_init(&c->refs, 1);
	c->free = release;
}

/* NULL is fine for both. */
static inline struct counted *counted_ref(struct counted *c)
{
	if (c)
		atomic_fetch_add(&c->refs, 1);
	return c;
}

static inline void counted_unref(struct counted *c)
{
	if (c && atomic_fetch_sub(&c->refs, 1) == 1)
		c->free(c);
}

#endif
