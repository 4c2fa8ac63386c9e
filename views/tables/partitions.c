/* The pane `partitions`: which port belongs to which partition, by the P_Keys that ports told or by
 * partitions.conf. */
#include <inttypes.h>

#include "core/base/memory.h"
#include "core/sm/lft_file.h"
#include "views/base/view.h"

static const struct column partitions_columns[] = {
	COL("port", "the port that belongs to the partition", 12, .flex = 2),
	COL("pkey", "the P_Key of the partition, without the bit of membership", 6),
	COL("member", "full, or limited: two limited members cannot talk to each other by this P_Key", 7),
	COL("partition", "its name in partition_config_file", 9, .flex = 1, .drop = 1),
	COL("guid", "the GUID of the port, as partitions.conf writes it", 18, .drop = 2),
};

struct partitions_pane {
	struct pair_sls *known; /* reference; NULL without fabric */
	uint32_t *ep;		/* [n_rows] the endport of a member */
};

static void partitions_pane_unload(struct view *v)
{
	struct partitions_pane *p = v->priv;

	if (p->known)
		counted_unref(&p->known->counted);
}

static void partitions_pane_load(struct view *v)
{
	struct partitions_pane *p = v->priv;
	const struct scene *sc = v->scene;

	if (!sc->fabric)
		return;
	p->known = partitions_known(sc->session->setup->options, sc->real_topo, NULL);
	if (!p->known->first)
		return;
	v->n_rows = p->known->first[p->known->n_endports];
	p->ep = VIEW_ARRAY(v, v->n_rows + 1, uint32_t);
	for (uint32_t ep = 0; ep < p->known->n_endports; ep++)
		for (uint32_t i = p->known->first[ep]; i < p->known->first[ep + 1]; i++)
			p->ep[i] = ep;
}

static void partitions_pane_title(const struct view *v, struct text *t)
{
	const struct partitions_pane *p = v->priv;

	title_place(v, "partitions", t);
	if (p->known && !p->known->first)
		text_add(t, " ── no P_Keys were read, and no partition_config_file is set");
}

static void partitions_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct partitions_pane *p = v->priv;
	const struct fabric *f = v->scene->fabric;
	const struct pkey_member *m = &p->known->member[row];
	const struct partition_line *l = partition_defined(p->known, m->pkey);
	uint32_t port = f->endport_port[p->ep[row]];
	size_t name = row_text(r, "%s", "");

	label_endport(f, p->ep[row], &r->text);
	size_t partition = l ? row_text(r, "%s", l->name) : 0;
	ROW_VALUES(v, r, (int64_t)name, row_text(r, "0x%04x", m->pkey),
		   row_text(r, "%s", m->full ? "full" : "limited"), (int64_t)partition,
		   row_text(r, "0x%016" PRIx64, f->port_guid[port]));
	subject_port(v, port, &r->about);
	r->about.key = f->port_guid[port] ^ (uint64_t)m->pkey << 48;
}

const struct view_ops view_partitions = {
	.name = "partitions",
	.brief = "lists which port belongs to which partition: P_Key, full or limited member",
	.hints = "follow=ports back=back",
	COLUMNS(partitions_columns),
	.flags = VIEW_TIMELESS | VIEW_PRESENT,
	.priv_size = sizeof(struct partitions_pane),
	.load = partitions_pane_load,
	.row = partitions_row,
	.unload = partitions_pane_unload,
	.title = partitions_pane_title,
	.enter = "pane ports %node",
};
