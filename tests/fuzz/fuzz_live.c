/* Fuzz target: the stream of the discovery process, read with and without tables. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/routing/routing.h"
#include "core/source/live.h"
#include "tests/fuzz/whole.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Nothing is in the fabric that no device has, and no cable that one end alone tells of. */
static void check_values(const struct fabric *f)
{
	for (uint32_t p = 0; p < f->n_ports; p++) {
		if (f->port_lid[p] > MAX_LID || f->port_lmc[p] > MAX_LMC || f->port_state[p] > PORT_ACTIVE)
			abort();
		if (f->port_lid[p] & ((1u << f->port_lmc[p]) - 1) || !f->port_opervls[p] ||
		    f->port_opervls[p] > 5)
			abort();
		if (f->port_width[p] >= WIDTH_COUNT || f->port_speed[p] >= SPEED_COUNT)
			abort();
		if (f->warnings.missing || f->port_peer[p] == NO_ID)
			continue;
		if (!f->port_width[p] || !f->port_speed[p] || f->port_state[p] == PORT_DOWN)
			abort();
	}
}

static void check_tables(const struct fabric *f, enum live_tables what)
{
	const struct switch_tables *t = fabric_switch_tables(f);

	if ((what != LIVE_NO_TABLES) != (t != NULL) ||
	    (t && (what == LIVE_LFTS_SL2VL) != (t->sl_tables != NULL)))
		abort();
	for (uint32_t s = 0; t && s < f->n_switches; s++)
		for (unsigned lid = 0; t->lft[s] && lid <= t->top[s]; lid++)
			if (t->top[s] > MAX_LID)
				abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (enum live_tables what = LIVE_NO_TABLES; what <= LIVE_LFTS_SL2VL; what++) {
		struct fabric *f = NULL;
		struct err e = {0};
		size_t n;

		if (live_read(data, size, "fuzz", what, &f, &e)) {
			if (f || !*e.msg)
				abort();
			continue;
		}
		/* a stream has one end: nothing shorter is one, and nothing longer */
		if (!size || !live_read(data, size - 1, "fuzz", what, &f, &e))
			abort();
		check_fabric(f);
		check_values(f);
		check_tables(f, what);
		free(fabric_text(f, &n));
		fabric_unref(f);
	}
	return 0;
}
