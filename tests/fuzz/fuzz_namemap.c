/* Fuzz target: node-name-map files. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/formats/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Names are not empty and hold nothing a terminal would obey; GUIDs are unique. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct warnings w = {0};
	struct name_map m;

	name_map_parse("fuzz", (const char *)data, size, &m, &w);
	for (size_t i = 0; i < m.n; i++) {
		if (!*m.name[i] || (i && m.guid[i] <= m.guid[i - 1]))
			abort();
		for (const char *p = m.name[i]; *p; p++)
			if (*p < 0x20 || *p == 0x7f)
				abort();
	}
	name_map_free(&m);
	warnings_free(&w);
	return 0;
}
