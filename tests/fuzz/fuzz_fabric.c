/* Fuzz target: every reader of saved fabrics, and the writer on what they made. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/err.h"
#include "core/formats/formats.h"
#include "tests/fuzz/whole.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is odd about the fabric itself stays so when it is written and read again; the text is faultless. */
static bool of_fabric(const struct warning *w)
{
	static const char *const kinds[] = {"slow link", "duplicate LID", "duplicate GUID",
					    "LID out of range"};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!w->line && !strcmp(w->kind, kinds[i]))
			return true;
	return false;
}

/* What is written can be read, and has the same nodes. */
static void check_written(const struct fabric *f)
{
	struct fabric *g = NULL;
	struct err e = {0};
	size_t size;
	char *text = fabric_text(f, &size);

	if (fabric_parse("written", text, size, &g, &e) || g->n_nodes != f->n_nodes)
		abort();
	for (size_t i = 0; i < g->warnings.n; i++)
		if (!of_fabric(&g->warnings.w[i]))
			abort();
	fabric_unref(g);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fabric *f = NULL;
	struct err e = {0};

	if (fabric_parse("fuzz", (const char *)data, size, &f, &e)) {
		if (f || !*e.msg)
			abort();
		return 0;
	}
	check_fabric(f);
	if (f->n_endports)
		check_written(f);
	fabric_unref(f);
	return 0;
}
