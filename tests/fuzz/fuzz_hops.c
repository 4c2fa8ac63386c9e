/* Fuzz target: hop matrices as engine `file` reads them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/err.h"
#include "core/sm/lft_file.h"
#include "tests/fuzz/ring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Rows are of switches that are up, not longer than these have ports, and lie
 * behind each other in the values without a gap (but for what a row held that
 * broke the reading); a refusal says where and why.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct topo *t;
	struct hops_file h;
	size_t at = 0;

	if (!t)
		t = ring_of_three(true);
	hops_file_parse(&h, "fuzz", (const char *)data, size, t);
	for (size_t i = 0; i < h.n; i++) {
		const struct hops_row *r = &h.row[i];

		if (r->sw >= t->fabric->n_switches || !switch_up(t, r->sw))
			abort();
		if (r->n > t->fabric->switch_nports[r->sw] + 1u || r->at != at)
			abort();
		at += r->n;
	}
	if (at > h.n_values || (!h.broken && at != h.n_values))
		abort();
	if (h.missing || h.broken != (strncmp(h.why.msg, "fuzz:", 5) == 0))
		abort();
	hops_file_free(&h);
	return 0;
}
