/* Cells of the tree's tables by name: cables, groups and the order in which a switch goes through them. */
#include "core/base/text.h"
#include "core/fabric/labels.h"
#include "core/sm/sweep.h"
#include "engines/ftree/run.h"

static void name_group(const struct ftree *k, uint32_t group, struct text *out)
{
	const struct ft_group *g = &k->group[group];

	text_add(out, "%s to %s", ft_name(k, g->sw), g->peer == NO_ID ? "hosts" : ft_name(k, g->peer));
}

static void name_cable(const struct ftree *k, uint32_t link, struct text *out)
{
	uint32_t g = 0;
	char label[300];

	while (g + 1 < k->n_groups && link >= k->group[g].link + k->group[g].n_links)
		g++;
	text_add(out, "%s",
		 port_label(k->topo->fabric,
			    switch_port_id(k->topo->fabric, k->group[g].sw, k->link[link].port), label,
			    sizeof(label)));
}

/* The place of a slot among those of its switch and direction. */
static void name_slot(const struct ftree *k, uint32_t at, struct text *out)
{
	static const char *const way[FT_DIRS] = {[FT_UP] = "up", [FT_SIDE] = "beside", [FT_DOWN] = "down"};

	for (uint32_t s = 0; s < k->topo->fabric->n_switches; s++)
		for (unsigned d = 0; d < FT_DIRS; d++)
			if (at >= k->sw[s].slot[d] && at < k->sw[s].slot[d] + k->sw[s].n[d]) {
				text_add(out, "%s, place %u %s", ft_name(k, s), at - k->sw[s].slot[d] + 1,
					 way[d]);
				return;
			}
	text_add(out, "slot %u", at);
}

bool ft_cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out)
{
	const struct ftree *k = recording_kept(r);

	if (!k || (t != T_UP && t != T_DOWN && t != T_SLOT && t != T_TUPLE))
		return false;
	if (t == T_SLOT)
		name_slot(k, at, out);
	else if (t == T_TUPLE)
		text_add(out, "%s", ft_name(k, at / 2));
	else if (at < k->n_links)
		name_cable(k, at, out);
	else
		name_group(k, at - k->n_links, out);
	return true;
}

bool ft_value(const struct recording *r, enum rec_table t, uint32_t at, uint32_t value, struct text *out)
{
	const struct ftree *k = recording_kept(r);

	char a[40];

	if (!k || (t != T_TUPLE && (t != T_SLOT || value >= k->n_groups)))
		return false;
	if (t == T_SLOT)
		name_group(k, value, out);
	else
		text_add(out, "%s", ftree_tuple(k, at / 2, a, sizeof(a)));
	return true;
}
