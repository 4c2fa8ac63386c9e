/* Fuzz target: GUID files; the first byte tells whether invalid lines are skipped. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/base/infile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool discard = size && (data[0] & 1);
	struct guid_file g;

	guid_file_parse(&g, "fuzz", (const char *)data + (size > 0), size ? size - 1 : 0, discard);
	for (size_t i = 0; i < g.n; i++)
		if (strchr(g.l[i].rest, '\n') || !g.l[i].line || (i && g.l[i].line < g.l[i - 1].line))
			abort();
	if (discard ? g.stopped : g.skipped)
		abort();
	if (g.stopped && strncmp(g.why.msg, "fuzz:", 5))
		abort();
	guid_file_free(&g);
	return 0;
}
