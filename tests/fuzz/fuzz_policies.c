/*
 * Fuzz target: files of the subnet manager that name ports. The first byte chooses: port groups, partitions,
 * the QoS policy.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/sm/lft_file.h"
#include "core/sm/port_groups.h"
#include "core/source/synth.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void groups(const struct fabric *f, const char *data, size_t size)
{
	uint8_t *in = NEW_ARRAY(f->n_ports, uint8_t);
	struct err e = {0};
	struct port_groups *g = port_groups_parse("fuzz", data, size, &e);

	if (!g && strncmp(e.msg, "fuzz:", 5) != 0)
		abort();
	if (g && port_groups_members(g, "a", f, in, &e) < 0 && strncmp(e.msg, "port group ", 11) != 0)
		abort();
	port_groups_free(g);
	free(in);
}

static void pairs(const struct topo *t, bool partitions, const char *data, size_t size)
{
	struct pair_sls *p = pair_sls_new(t->fabric->n_endports);
	const struct input in = {.name = "fuzz", .data = data, .size = size};
	struct text notes = {0};
	bool good =
		partitions ? partitions_parse(p, t, true, &in, &notes) : qos_policy_parse(p, t, &in, &notes);

	if ((!good && !notes.len) || (good && !partitions && !p->to) || (partitions && !p->first))
		abort();
	for (uint32_t a = 0; a < p->n_endports; a++)
		for (uint32_t b = 0; b < p->n_endports; b++) {
			unsigned sl = pair_sls_of(p, a, b);

			/* a P_Key in common is one both ways, and the SL is the partition's */
			if (pair_sls_share(p, a, b) != pair_sls_share(p, b, a) ||
			    (sl > 15 && sl != NO_PAIR_SL) ||
			    (partitions && a != b && pair_sls_share(p, a, b) != (sl != NO_PAIR_SL)))
				abort();
		}
	text_free(&notes);
	counted_unref(&p->counted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fabric *ring;
	struct state *up;
	static struct topo *t;
	struct err e;

	if (!ring && synth_make("ring:4", &ring, &e))
		abort();
	if (!t) {
		up = state_new(ring);
		t = topo_new(ring, up);
		state_free(up);
	}
	if (!size)
		return 0;
	if (data[0] % 3 == 0)
		groups(ring, (const char *)data + 1, size - 1);
	else
		pairs(t, data[0] % 3 == 1, (const char *)data + 1, size - 1);
	return 0;
}
