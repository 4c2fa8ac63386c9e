/* Fuzz target: results of benchmarks by pairs of hosts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/formats/pair_results.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {.name = "fuzz", .data = (const char *)data, .size = size};
	struct pair_results p;
	struct err e = {0};

	if (pair_results_parse(&in, &p, &e) && strncmp(e.msg, "fuzz:", 5) != 0)
		abort();
	for (size_t i = 0; i < p.n; i++) {
		const struct pair_result *x = &p.pair[i];

		if (x->a >= p.n_names || x->b >= p.n_names || x->a == x->b || x->said > PAIR_BAD ||
		    !(x->value >= 0))
			abort();
	}
	for (uint32_t i = 1; i < p.n_names; i++)
		if (!strcmp(p.name[i], p.name[i - 1]))
			abort();
	pair_results_free(&p);
	return 0;
}
