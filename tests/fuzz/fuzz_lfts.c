/* Fuzz target: forwarding tables as engine `file` reads them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/err.h"
#include "core/sm/lft_file.h"
#include "tests/fuzz/ring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Entries are of switches that are up and have a head line, and of ports they have; a refusal says where and
 * why. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct topo *t;
	struct lft_file l;

	if (!t)
		t = ring_of_three(true);
	lft_file_parse(&l, "fuzz", (const char *)data, size, t);
	for (size_t i = 0; i < l.n; i++) {
		uint32_t sw = l.e[i].sw;

		if (sw >= t->fabric->n_switches || !switch_up(t, sw) || !l.has[sw])
			abort();
		if (l.e[i].port > t->fabric->switch_nports[sw])
			abort();
	}
	if (l.missing || l.broken != (strncmp(l.why.msg, "fuzz:", 5) == 0))
		abort();
	lft_file_free(&l);
	return 0;
}
