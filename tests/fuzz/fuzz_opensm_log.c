/* Fuzz target: OpenSM's log, also beside a fabric. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/formats/opensm_log.h"
#include "tests/fuzz/ring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Groups are in order, none is empty, and their words end. */
static void check(const struct opensm_log *log)
{
	for (size_t i = 0; i < log->n; i++) {
		const struct logged *g = &log->group[i];

		if (!g->count || g->first_line > g->last_line || (i && g->kind < g[-1].kind) ||
		    strlen(g->last) >= LOG_TIME || strlen(g->word) >= LOG_WORD ||
		    strlen(g->path) >= LOG_PATH || (g->kind == LOGGED_ERROR && !g->text))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {.name = "fuzz", .data = (const char *)data, .size = size};
	struct err e = {0};
	struct opensm_log *log = opensm_log_parse(&in, &e);
	static struct topo *t;

	if (!log)
		return 0;
	check(log);
	if (!t)
		t = ring_of_three(false);
	const struct fabric *f = t->fabric;
	AUTO_ARENA void *arena = ARENA_EMPTY;
	const struct log_join *j = log_join_new(arena, log, f, NULL);
	const struct log_fault *x = log_faults(arena, j, &e);
	for (; x && x->code; x++)
		if (!x->count || !x->brief || (x->port != NO_ID && x->port >= f->n_ports))
			abort();
	opensm_log_unref(log);
	return 0;
}
