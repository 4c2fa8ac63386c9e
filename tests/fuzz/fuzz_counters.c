/* Fuzz target: counters of ports in all the forms that tools write. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/formats/counters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each row has a place and says something; what is narrow fits. */
static void check(const struct counted_port *c)
{
	bool says = c->told || c->cable || c->temperature > TEMPERATURE_NONE || c->most > TEMPERATURE_NONE;

	for (unsigned k = 0; k < N_COUNTERS; k++)
		if ((c->told >> k & 1) ? !(c->wide >> k & 1) && c->value[k] > counter_tops[k]
				       : c->value[k] || (c->wide >> k & 1))
			abort();
	for (unsigned k = 0; k < N_BERS; k++) {
		if (c->ber[k] >= 1e6 || (c->ber[k] < 0 && c->ber[k] > -1))
			abort();
		says = says || c->ber[k] >= 0;
	}
	if (!says || (!c->guid && !c->lid) ||
	    (c->cable && !memchr(c->cable->length, 0, sizeof(c->cable->length))))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {.name = "fuzz", .data = (const char *)data, .size = size};
	struct counter_reading r = {0};
	struct err e = {0};

	if (counters_parse(&in, &r, &e) && (r.n || strncmp(e.msg, "fuzz:", 5) != 0))
		abort();
	for (size_t i = 0; i < r.n; i++)
		check(&r.port[i]);
	counters_free(&r);
	return 0;
}
