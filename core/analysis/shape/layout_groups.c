/*
 * Groups. In a dragonfly, links inside a group make triangles, and links between groups do not. In a
 * dragonfly+, levels show them: only the tops of groups are linked to one another.
 */
#include <stdlib.h>
#include <string.h>

#include "core/analysis/shape/internal.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#define MAX_DEGREE 128 /* of a switch in a group */
#define LEAST_SIZE 3   /* switches of a group */
#define LEAST_GROUPS 3
#define LEAST_LINKED 0.6  /* of the pairs in a group are linked */
#define LEAST_COVERED 0.8 /* of all switches are in groups */
#define PLUS_LINKS 0.1	  /* of all links are between tops */

static void take_groups(struct lpart *p)
{
	uint32_t *at;
	uint32_t *size, least = UINT32_MAX, most = 0;

	p->is.kind = LAYOUT_GROUPS;
	at = NEW_ARRAY(p->is.n_blocks + 2, uint32_t);
	for (uint32_t u = 0; u < p->n; u++)
		at[(p->block[u] == NO_ID ? p->is.n_blocks : p->block[u]) + 1]++;
	for (uint32_t b = 0; b < p->is.n_blocks; b++)
		at[b + 1] += at[b];
	for (uint32_t u = 0; u < p->n; u++)
		p->order[at[p->block[u] == NO_ID ? p->is.n_blocks : p->block[u]]++] = u;
	free(at);
	size = NEW_ARRAY(p->is.n_blocks + 1, uint32_t);
	for (uint32_t u = 0; u < p->n; u++)
		if (p->block[u] != NO_ID)
			size[p->block[u]]++;
	for (uint32_t b = 0; b < p->is.n_blocks; b++) {
		least = MIN(size[b], least);
		most = MAX(size[b], most);
	}
	if (least == most)
		p->is.words = str_printf("%u groups of %u", p->is.n_blocks, most);
	else
		p->is.words = str_printf("%u groups of %u to %u", p->is.n_blocks, least, most);
	free(size);
}

/* Are the sets groups? p->block numbers the groups by their lowest names; NO_ID: in no group. */
static bool are_groups(struct lpart *p, const uint32_t *of, uint32_t sets)
{
	uint32_t *size = NEW_ARRAY(sets + 1, uint32_t), *inside = NEW_ARRAY(sets + 1, uint32_t);
	uint32_t groups = 0, covered = 0;

	for (uint32_t u = 0; u < p->n; u++)
		size[of[u]]++;
	for (uint32_t l = 0; l < p->n_links; l++)
		if (of[p->end[2 * l]] == of[p->end[2 * l + 1]])
			inside[of[p->end[2 * l]]]++;
	for (uint32_t k = 0; k < sets; k++) {
		bool good = size[k] >= LEAST_SIZE && inside[k] >= LEAST_LINKED * size[k] * (size[k] - 1) / 2;

		covered += good ? size[k] : 0;
		inside[k] = good ? groups++ : NO_ID;
	}
	for (uint32_t u = 0; u < p->n; u++)
		p->block[u] = inside[of[u]];
	p->is.n_blocks = groups;
	free(size);
	free(inside);
	return groups >= LEAST_GROUPS && covered >= LEAST_COVERED * p->n;
}

static size_t layout_groups_alike(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

struct layout_groups_choice {
	uint32_t block, links;
	size_t alike;
};

/* The incomplete group that a single switch belongs to. */
static uint32_t best_group(const struct lpart *p, const uint32_t *size, uint32_t whole, uint32_t u,
			   uint32_t *links)
{
	struct layout_groups_choice best = {.block = NO_ID};

	for (uint32_t i = p->first[u]; i < p->first[u + 1]; i++)
		if (p->block[p->to[i]] != NO_ID)
			links[p->block[p->to[i]]]++;
	for (uint32_t v = 0; v < p->n; v++) {
		struct layout_groups_choice c = {.block = p->block[v]};

		if (c.block == NO_ID || size[c.block] >= whole)
			continue;
		c.links = links[c.block];
		c.alike = layout_groups_alike(p->name[u], p->name[v]);
		if (best.block == NO_ID || c.links > best.links ||
		    (c.links == best.links && c.alike > best.alike))
			best = c;
	}
	for (uint32_t i = p->first[u]; i < p->first[u + 1]; i++)
		if (p->block[p->to[i]] != NO_ID)
			links[p->block[p->to[i]]] = 0;
	return best.block;
}

bool layout_is_groups(struct lpart *p)
{
	uint32_t *parent = NEW_ARRAY(p->n, uint32_t), *of = NEW_ARRAY(p->n, uint32_t);
	uint32_t *triangles = NEW_ARRAY(p->n_links + 1, uint32_t), most = 0;
	bool found = false, go_on = p->max_degree <= MAX_DEGREE;

	for (uint32_t l = 0; l < p->n_links && go_on; l++) {
		triangles[l] = lpart_shared(p, p->end[2 * l], p->end[2 * l + 1]);
		most = MAX(triangles[l], most);
		go_on = progress_step(p->progress, l);
	}
	for (uint32_t t = 1; t <= most && go_on && !found; t++) {
		for (uint32_t u = 0; u < p->n; u++)
			parent[u] = u;
		for (uint32_t l = 0; l < p->n_links; l++)
			if (triangles[l] >= t)
				lpart_join(parent, p->end[2 * l], p->end[2 * l + 1]);
		found = are_groups(p, of, lpart_number(parent, p->n, of));
		go_on = progress_step(p->progress, t);
	}
	if (found) {
		uint32_t n = p->is.n_blocks, *size = NEW_ARRAY(n + 1, uint32_t),
			 *links = NEW_ARRAY(n + 1, uint32_t), whole = 0;

		for (uint32_t u = 0; u < p->n; u++)
			if (p->block[u] != NO_ID)
				size[p->block[u]]++;
		for (uint32_t b = 0; b < n; b++)
			whole = MAX(size[b], whole);
		for (uint32_t u = 0; u < p->n && progress_step(p->progress, u); u++) {
			uint32_t b;

			if (p->block[u] != NO_ID)
				continue;
			b = best_group(p, size, whole, u, links);
			p->block[u] = b;
			if (b != NO_ID)
				size[b]++;
		}
		free(size);
		free(links);
		take_groups(p);
	} else {
		memset(p->block, 0xff, p->n * sizeof(*p->block));
		p->is.n_blocks = 0;
	}
	free(parent);
	free(of);
	free(triangles);
	return found;
}

bool layout_is_plus(struct lpart *p)
{
	uint32_t *parent = NEW_ARRAY(p->n, uint32_t), level = 0, across = 0;
	bool plus = p->is.levels > 1;

	for (uint32_t u = 0; u < p->n; u++)
		parent[u] = u;
	for (uint32_t l = 0; l < p->n_links && plus; l++) {
		uint32_t u = p->end[2 * l], v = p->end[2 * l + 1];

		if (p->level[u] != p->level[v]) {
			lpart_join(parent, u, v);
			continue;
		}
		level = p->level[u];
		across++;
		plus = level == 0;
	}
	if (plus && across > PLUS_LINKS * p->n_links) {
		p->is.n_blocks = lpart_number(parent, p->n, p->block);
		plus = p->is.n_blocks >= LEAST_GROUPS;
	} else {
		plus = false;
	}
	if (plus) {
		take_groups(p);
	} else {
		memset(p->level, 0, p->n);
		memset(p->block, 0xff, p->n * sizeof(*p->block));
		p->is.n_blocks = p->is.levels = p->is.wrong = 0;
	}
	free(parent);
	return plus;
}
