/* The tree: how it is copied and freed, names in it, and how it is refused. */
#include <stdarg.h>
#include <stdio.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/ftree/internal.h"

const char *ft_name(const struct ftree *t, uint32_t sw)
{
	return switch_name(t->topo->fabric, sw);
}

bool ft_is_io(const struct ftree *t, unsigned lid)
{
	for (uint32_t i = 0; i < t->n_ca; i++)
		if (t->ca[i].lid == lid)
			return t->ca[i].is_io;
	return false;
}

bool ft_refuse(struct ftree *t, const char *label, const char *rule, const char *fmt, ...)
{
	va_list ap;

	t->refusal = (struct ft_refusal){
		.rule = rule, .label = label, .sw = NO_ID, .ref = NO_ID, .endport = NO_ID};
	va_start(ap, fmt);
	vsnprintf(t->refusal.why.msg, sizeof(t->refusal.why.msg), fmt, ap);
	va_end(ap);
	return false;
}

struct ftree *ft_copy(const struct ftree *t)
{
	struct ftree *c = mem_dup(t, sizeof(*t));

	topo_ref(c->topo);
	lids_ref(c->lids);
	c->rec = NULL;
	c->hops = NULL;
	c->cost = NULL;
	c->reverse = NULL;
	c->n_costs = c->cap_costs = c->n_reverse = c->cap_reverse = 0;
	c->sw = mem_dup(t->sw, t->topo->fabric->n_switches * sizeof(*t->sw));
	c->ca = t->ca ? mem_dup(t->ca, t->n_ca * sizeof(*t->ca) + 1) : NULL;
	c->leaf = t->leaf ? mem_dup(t->leaf, t->n_leaves * sizeof(*t->leaf)) : NULL;
	c->group = t->group ? mem_dup(t->group, t->n_groups * sizeof(*t->group)) : NULL;
	c->slot = t->slot ? mem_dup(t->slot, t->n_groups * sizeof(*t->slot)) : NULL;
	c->link = t->link ? mem_dup(t->link, t->n_links * sizeof(*t->link)) : NULL;
	return c;
}

void ftree_free(void *tree)
{
	struct ftree *t = tree;

	if (!t)
		return;
	topo_unref(t->topo);
	lids_unref(t->lids);
	hops_unref(t->hops);
	FREE_EACH(t->sw, t->group, t->slot, t->link, t->ca, t->leaf, t->cost, t->reverse, t);
}

const char *ftree_tuple(const struct ftree *t, uint32_t sw, char *buf, size_t size)
{
	uint64_t tuple = t->sw[sw].tuple;
	size_t n = 0;

	if (tuple == FT_NO_TUPLE) {
		snprintf(buf, size, "-");
		return buf;
	}
	for (unsigned i = 0; i <= t->leaf_rank && n < size; i++)
		n += snprintf(buf + n, size - n, "%s%u", i ? "." : "",
			      (unsigned)(tuple >> (8 * (7 - i)) & 0xFF));
	return buf;
}
