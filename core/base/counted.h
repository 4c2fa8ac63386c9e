/* An object shared by reference.  Owners need not know its type: the last one to let go calls its free(). */
#ifndef IBSCOPE_COUNTED_H
#define IBSCOPE_COUNTED_H

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

#include "core/base/memory.h"

/* The first member of every counted struct. */
struct counted {
	atomic_uint refs;
	void (*free)(struct counted *c); /* called once, with no reference left */
};

static inline void counted_init(struct counted *c, void (*release)(struct counted *c))
{
	assert(release);
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

/*
 * The functions of a struct with an `atomic_uint refs` (1 when it is made), as its header declares them.
 * ref() takes a reference. unref() drops one; when the last is dropped, release() frees the struct.  NULL is
 * fine for both.  `shown` is the return type of ref(), const or not.
 */
#define COUNTED(type, shown, ref, unref, release)                  \
	shown *ref(const type *c)                                  \
	{                                                          \
		type *mine = (type *)(uintptr_t)c;                 \
                                                                   \
		assert(!mine || atomic_load(&mine->refs) > 0);     \
		if (mine)                                          \
			atomic_fetch_add(&mine->refs, 1);          \
		return mine;                                       \
	}                                                          \
                                                                   \
	void unref(const type *c)                                  \
	{                                                          \
		type *mine = (type *)(uintptr_t)c;                 \
                                                                   \
		if (mine && atomic_fetch_sub(&mine->refs, 1) == 1) \
			release(mine);                             \
	}

/*
 * Drops a reference automatically: unref_later(arena, c) does so when the arena is freed, and returns c;
 * unref_at(), for the attribute `cleanup`, does so when the block of the variable is left.
 */
#define COUNTED_LATER(shown, unref)                       \
	static void unref##_end(void *c)                  \
	{                                                 \
		unref(c);                                 \
	}                                                 \
                                                          \
	shown *unref##_later(void *arena, const shown *c) \
	{                                                 \
		arena_end(arena, unref##_end, c);         \
		return (void *)(uintptr_t)c;              \
	}                                                 \
                                                          \
	void unref##_at(void *variable)                   \
	{                                                 \
		void *c;                                  \
                                                          \
		memcpy(&c, variable, sizeof(c));          \
		unref(c);                                 \
	}

#endif
