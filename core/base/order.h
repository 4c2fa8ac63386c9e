/* Comparators for qsort() and bsearch(), from the fields that decide, in their order. */
#ifndef IBSCOPE_BASE_ORDER_H
#define IBSCOPE_BASE_ORDER_H

#include <stdint.h>
#include <string.h>

/* In a comparator: if a and b differ, they decide; otherwise the following lines do. */
#define ORDER(a, b)                                \
	do {                                       \
		if ((a) < (b) || (a) > (b))        \
			return (a) < (b) ? -1 : 1; \
	} while (0)

/*
 * A whole comparator for elements of a type: COMPARATOR(most_first, struct on_switch, DOWN(all) UP(sw)) sorts
 * by `all`, the largest first, then by `sw`, the lowest first. Any statement may stand among the fields: a_
 * and b_ are the two elements.
 */
#define COMPARATOR(name, type, fields)                         \
	static int name(const void *first, const void *second) \
	{                                                      \
		const type *a_ = first, *b_ = second;          \
                                                               \
		fields return 0;                               \
	}

#define UP(field) ORDER(a_->field, b_->field);
#define DOWN(field) ORDER(b_->field, a_->field);
#define TEXT(field) FIELD_BY(strcmp, field)
/* Orders a field by a function such as strcmp(). */
#define FIELD_BY(compare, field)                          \
	{                                                 \
		int d_ = (compare)(a_->field, b_->field); \
		if (d_)                                   \
			return d_;                        \
	}

/* Comparators for plain numbers and for pointers to text, ascending. */
static inline int order_u32(const void *first, const void *second)
{
	ORDER(*(const uint32_t *)first, *(const uint32_t *)second);
	return 0;
}

static inline int order_u64(const void *first, const void *second)
{
	ORDER(*(const uint64_t *)first, *(const uint64_t *)second);
	return 0;
}

static inline int order_texts(const void *first, const void *second)
{
	return strcmp(*(const char *const *)first, *(const char *const *)second);
}

/* One number made of many, for places in hash tables and fingerprints.  Saved shares of a survey contain such
 * numbers. */

/* The number of a sequence with one more value at its end. */
static inline uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

/* Disjoint sets of ids 0 .. n - 1, as a forest: parent[v] == v is the root that stands for its set. */

/* The root of v's set.  Paths to the root are shortened on the way. */
static inline uint32_t disjoint_root(uint32_t *parent, uint32_t v)
{
	while (parent[v] != v)
		v = parent[v] = parent[parent[v]];
	return v;
}

#endif
