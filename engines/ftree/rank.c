/* Ranks are distances from the roots, which are named in a file or are the switches farthest from CAs. */
#include <stdlib.h>
#include "core/base/memory.h"
#include "core/base/text.h"
#include "engines/ftree/internal.h"
#include "engines/guid_option.h"

struct ftree_rank_queue {
	uint32_t *sw;
	size_t n, cap;
};

static void ftree_rank_push(struct ftree_rank_queue *q, uint32_t sw)
{
	GROW(q->sw, q->n, q->cap);
	q->sw[q->n++] = sw;
}

/*
 * Lowers the ranks around the switches in the queue, and sets max_rank to the last rank given. The sum wraps
 * around as in OpenSM: with a bad root file, the queue may hold a switch without rank. from_roots: these
 * ranks are final.
 */
static void ftree_rank_spread(struct ftree *t, struct ftree_rank_queue *q, bool from_roots)
{
	const struct fabric *f = t->topo->fabric;
	uint32_t max = 0, was;

	for (size_t i = 0; from_roots && t->rec && i < q->n; i++)
		ft_record_rank(t, q->sw[i], NO_ID, FT_UNRANKED);
	for (size_t i = 0; i < q->n; i++) {
		uint32_t w = q->sw[i];

		FOR_PORTS(f, w, port) {
			uint32_t x = t->topo->peer_switch[port], r = t->sw[w].rank + 1;

			if (x == NO_ID || t->sw[x].rank <= r)
				continue;
			was = t->sw[x].rank;
			t->sw[x].rank = max = r;
			if (from_roots && t->rec)
				ft_record_rank(t, x, w, was);
			ftree_rank_push(q, x);
		}
	}
	t->max_rank = max;
}

/* Ranks switches first from the CAs, to find the switches farthest from them, and then from those. */
static void rank_by_cas(struct ftree *t, struct ftree_rank_queue *roots)
{
	const struct fabric *f = t->topo->fabric;
	struct ftree_rank_queue q = {0};

	for (uint32_t i = 0; i < t->n_ca; i++) {
		uint32_t s = t->ca[i].sw;

		if (t->sw[s].rank) {
			t->sw[s].rank = 0;
			ftree_rank_push(&q, s);
		}
	}
	ftree_rank_spread(t, &q, false);
	free(q.sw);
	for (uint32_t s = 0; s < f->n_switches; s++) {
		if (!t->sw[s].in)
			continue;
		if (t->sw[s].rank != FT_UNRANKED)
			t->sw[s].rank = t->max_rank - t->sw[s].rank;
		if (t->sw[s].rank)
			t->sw[s].rank = FT_UNRANKED;
		else
			ftree_rank_push(roots, s);
	}
	ftree_rank_spread(t, roots, true);
}

/* Gives rank 0 to the switches named in root_guid_file. False when the file is not usable, and CAs decide. */
static bool read_roots(struct ftree *t, const struct engine_input *in, struct engine_output *out,
		       struct ftree_rank_queue *q)
{
	const struct fabric *f = t->topo->fabric;
	struct guid_file g;
	bool usable;

	ft_read_guids(in, out, "root_guid_file", &g);
	for (size_t i = 0; i < g.n; i++) {
		uint32_t node = fabric_node_by_guid(f, g.l[i].guid),
			 s = node == NO_ID ? NO_ID : f->node_switch[node];

		if (s == NO_ID || !t->sw[s].in) {
			note_ignored(in, out, "root_guid_file", g.l[i].line,
				     "0x%016llx is no switch that is up", (unsigned long long)g.l[i].guid);
			continue;
		}
		t->sw[s].rank = 0;
		ftree_rank_push(q, s);
	}
	usable = !g.stopped && q->n;
	if (!g.stopped && !q->n)
		note_add(&out->notes, NOTE_GUID_FILE, "root_guid_file names no switch that is up (AB25)\n");
	if (!usable)
		note_add(&out->notes, 0,
			 "ftree: ranks come from the CAs instead of root_guid_file, yet the tree is not "
			 "checked for purity\n");
	guid_file_free(&g);
	return usable;
}

bool ft_rank(struct ftree *t, const struct engine_input *in, struct engine_output *out)
{
	struct ftree_rank_queue q = {0};
	uint32_t n = 0;

	t->named = t->root_file && read_roots(t, in, out, &q);
	if (t->named)
		ftree_rank_spread(t, &q, true);
	else
		rank_by_cas(t, &q);
	free(q.sw);
	for (uint32_t s = 0; s < t->topo->fabric->n_switches; s++) {
		if (t->sw[s].in && t->sw[s].rank == FT_UNRANKED) {
			t->sw[s].in = false;
			t->n_in--;
		}
	}
	for (uint32_t i = 0; i < t->n_ca; i++)
		if (t->sw[t->ca[i].sw].in)
			t->ca[n++] = t->ca[i];
	t->n_ca = n;
	if (t->max_rank == 0 && t->n_in > 1) {
		ft_refuse(t, "AB2B", "more than one level",
			  "all %u switches have rank 0: every switch %s, so none is above another; this is "
			  "no tree (AB2B)%s",
			  t->n_in, t->root_file ? "was named a root or has a CA on it" : "has a CA on it",
			  t->root_file ? "; name only the top switches in root_guid_file"
				       : "; if it is one, name its top switches in root_guid_file");
		t->refusal.why.kind = REFUSED_LEAVES;
		return false;
	}
	return true;
}
