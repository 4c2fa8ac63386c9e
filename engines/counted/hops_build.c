#include "core/base/guidfile.h"
#include "core/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "engines/guid_option.h"
#include "engines/counted/internal.h"

#define WEIGHTS "hop_weights_file"

static void weight_line(const struct engine_input *in, struct engine_output *out, const struct guid_line *l,
			uint8_t *weight)
{
	const struct fabric *f = in->topo->fabric;
	uint32_t node = fabric_node_by_guid(f, l->guid), sw = node == NO_ID ? NO_ID : f->node_switch[node];
	unsigned long port, w = 0;
	char *end;

	if (sw == NO_ID || !switch_up(in->topo, sw)) {
		note_ignored(in, out, WEIGHTS, l->line, "0x%016" PRIx64 " is no switch of the fabric",
			     l->guid);
		return;
	}
	port = strtoul(l->rest, &end, 0);
	if (end == l->rest || !port || port > f->switch_nports[sw]) {
		note_ignored(in, out, WEIGHTS, l->line, "port '%s', expected 1 to %u and a weight", l->rest,
			     f->switch_nports[sw]);
		return;
	}
	if (*end)
		w = strtoul(end + 1, NULL, 0);
	if (!w || w > 255) {
		note_ignored(in, out, WEIGHTS, l->line, "weight '%s', expected 1 to 255",
			     *end ? end + 1 : "");
		return;
	}
	weight[switch_port_id(f, sw, port)] = w;
}

/* Reads the weights. NULL when all are 1. */
static uint8_t *read_weights(const struct engine_input *in, struct engine_output *out)
{
	const struct fabric *f = in->topo->fabric;
	uint8_t *weight;
	struct guid_file g;
	bool all_one = true;

	if (!read_guid_option(in, out, WEIGHTS, &g))
		return NULL;
	weight = mem_alloc(f->n_ports);
	memset(weight, 1, f->n_ports);
	for (size_t i = 0; i < g.n; i++)
		weight_line(in, out, &g.l[i], weight);
	guid_file_free(&g);
	for (uint32_t p = 0; p < f->n_ports; p++)
		all_one &= weight[p] == 1;
	if (!all_one)
		return weight;
	free(weight);
	return NULL;
}

size_t hops_build_room(const struct engine_input *in, const char **what)
{
	bool left = in->left && in->left->hops;

	*what = "hop matrix";
	return hops_size(in->topo->fabric, !left, left);
}

struct hops *hops_build(const struct engine_input *in, struct engine_output *out)
{
	bool left = in->left && in->left->hops, done;
	bool rounds = left || RECORDED(in); /* in OpenSM's own rounds; same result */
	struct hops *h = hops_new(in->topo->fabric, left);

	h->weight = read_weights(in, out);
	if (rounds)
		done = hops_relax(in, h);
	else if (h->weight)
		done = hops_search_weighted(in->topo, h, in->progress);
	else
		done = hops_search(in->topo, h, in->progress);
	if (done)
		return h;
	hops_unref(h);
	return NULL;
}
