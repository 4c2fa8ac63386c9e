/* Fuzz target: SL-to-VL maps and SLs of paths, the same bytes as either, on a small fabric with LIDs. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/err.h"
#include "core/base/text.h"
#include "core/sm/lft_file.h"
#include "tests/fuzz/ring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* LIDs 1 up on a small fabric; made once. */
static struct lids *numbered(struct topo **t)
{
	static struct lids *lids;
	static struct topo *topo;
	struct lid_options o = {.lmc = 1};
	struct lid_memory *m;

	if (!lids) {
		topo = ring_of_three(false);
		m = lid_memory_new(topo->fabric, &o);
		lids = lids_assign(m, topo, NULL, NULL);
		lid_memory_free(m);
	}
	*t = topo;
	return lids;
}

static void check_lanes(const struct sl_tables *l, int rc, const struct err *e)
{
	uint32_t maps = 0;
	uint64_t sls = 0;

	for (uint32_t s = 0; s < l->n_switches; s++)
		maps += l->map[s] != NULL;
	for (uint32_t ep = 0; ep < l->n_endports; ep++)
		for (unsigned lid = 0; lid <= l->top; lid++)
			sls += sl_tables_sl(l, ep, lid) != SL_TABLES_NO_SL;
	if (maps != l->n_maps || sls != l->n_sls)
		abort();
	if (rc && strncmp(e->msg, "fuzz:", 5))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct topo *t;
	struct lids *lids = numbered(&t);
	struct text notes = {0};
	struct sl_tables *l = sl_tables_new(t->fabric, lids->max_lid);
	const struct input in = {.name = "fuzz", .data = (const char *)data, .size = size};
	struct err e;

	check_lanes(l, sl2vl_file_parse(l, &in, t->fabric, &notes, &e), &e);
	check_lanes(l, sl_file_parse(l, &in, t->fabric, lids, &notes, &e), &e);
	sl_tables_unref(l);
	text_free(&notes);
	return 0;
}
