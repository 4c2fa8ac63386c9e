/* Fuzz target: files of pairs (`load-map pairs FILE`), read for a small fabric and for none. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/session/patterns.h"
#include "core/source/synth.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct fabric *f, const char *data, size_t size)
{
	struct pairs_file p;
	struct err e = {0};
	uint64_t sum = 0;
	int rc = pairs_parse(&p, f, &(struct input){"fuzz", data, size, NULL}, &e);

	for (size_t i = 0; i < p.n; i++) {
		if (!p.pair[i].weight || !p.pair[i].line || (i && p.pair[i].line <= p.pair[i - 1].line))
			abort();
		sum += p.pair[i].weight;
	}
	if (rc ? strncmp(e.msg, "fuzz:", 5) != 0 : sum > PAIRS_WEIGHT_MOST)
		abort();
	pairs_file_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fabric *ring;
	struct err e;

	if (!ring && synth_make("ring:4", &ring, &e))
		abort();
	check(NULL, (const char *)data, size);
	check(ring, (const char *)data, size);
	return 0;
}
