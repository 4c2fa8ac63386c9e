/* What several unit tests need: cmocka's headers, fabrics by description, a session that runs lines. */
#ifndef IBSCOPE_FIXTURE_H
#define IBSCOPE_FIXTURE_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/builder.h"
#include "core/session/core_commands.h"
#include "core/source/synth.h"
#include "engines/engines.h"
#include "tui/ui.h"
#include "views/views.h"

/* As the program has them. */
__attribute__((unused)) static const struct command *const all_commands[] = {
#include "core/session/core_commands.def"
	view_commands, ui_commands, NULL};

/* A fresh seed, printed; SEED= in the environment repeats a run. */
static inline uint64_t test_seed(void)
{
	const char *s = getenv("SEED");
	uint64_t seed = s ? strtoull(s, NULL, 0) : (uint64_t)time(NULL) * 1000003u + (uint64_t)getpid();

	print_message("SEED=%" PRIu64 "\n", seed);
	return seed;
}

/* Does case i run: one in `of`, others with each seed; all with LONG=1. */
static inline bool test_drawn(uint64_t seed, size_t i, unsigned of)
{
	return getenv("LONG") || (seed + i) % of == 0;
}

static inline struct fabric *make_fabric(const char *spec)
{
	struct fabric *f = NULL;
	struct err e = {0};

	if (synth_make(spec, &f, &e))
		fail_msg("%s: %s", spec, e.msg);
	return f;
}

/* Switches s0 to s11: a ring of the first six, one of the next four, two alone; nothing else. */
static inline struct fabric *make_two_rings(void)
{
	struct fabric_builder *b = fb_new();
	struct fabric *f = NULL;
	struct err e = {0};
	uint32_t node[12];

	for (uint32_t k = 0; k < 12; k++) {
		char name[16];

		snprintf(name, sizeof(name), "s%u", k);
		node[k] = fb_add(b, NODE_SWITCH, 0x1000 + k, 4, name);
	}
	for (uint32_t k = 0; k < 6; k++)
		fb_link(b, node[k], 1, node[(k + 1) % 6], 2);
	for (uint32_t k = 0; k < 4; k++)
		fb_link(b, node[6 + k], 1, node[6 + (k + 1) % 4], 2);
	if (fb_finish(b, "test", "test", &f, &e))
		fail_msg("%s", e.msg);
	return f;
}

/*
 * What outlives a line, of the session that lines were run on last.  Another session may
 * lie where one was that is freed: its generation begins anew.
 */
static inline struct interpreter *interpreter_of(struct session *s)
{
	static struct interpreter in;
	static uint64_t generation;

	if (in.session != s || s->generation < generation) {
		interpreter_free(&in);
		in = (struct interpreter){.session = s};
	}
	generation = s->generation;
	return &in;
}

/* Output of a line; freed by the caller.  *rc is the result, *e the message. */
static inline char *run_line(struct session *s, const char *line, int *rc, struct err *e, bool json,
			     bool *fault)
{
	char *text = NULL;
	size_t len = 0;
	struct command_run r = {.in = interpreter_of(s), .f = open_memstream(&text, &len), .json = json};

	memset(e, 0, sizeof(*e));
	*rc = run_text(&r, line, e);
	fclose(r.f);
	if (fault)
		*fault = r.found_fault;
	return text;
}

/* Has the engine runs to walk through, without a program of one's own? */
static inline bool walks_alone(const struct engine *e)
{
	return e->scheme && strcmp(e->name, "script") != 0;
}

/* A line that must work. */
static inline void ok_line(struct session *s, const char *line)
{
	struct err e;
	int rc;
	char *text = run_line(s, line, &rc, &e, false, NULL);

	if (rc)
		fail_msg("%s: %s", line, e.msg);
	free(text);
}

/* A line whose output must contain a text. */
static inline void line_says(struct session *s, const char *line, const char *part)
{
	struct err e;
	int rc;
	char *text = run_line(s, line, &rc, &e, false, NULL);

	if (rc)
		fail_msg("%s: %s", line, e.msg);
	if (!strstr(text, part))
		fail_msg("%s: \"%s\" is not in:\n%s", line, part, text);
	free(text);
}

/* A line that must fail with a message that contains a text. */
static inline void line_fails(struct session *s, const char *line, const char *part)
{
	struct err e;
	int rc;
	char *text = run_line(s, line, &rc, &e, false, NULL);

	free(text);
	if (!rc)
		fail_msg("%s: worked, should have failed with \"%s\"", line, part);
	if (!strstr(e.msg, part))
		fail_msg("%s: \"%s\" is not in: %s", line, part, e.msg);
}

#include "tests/unit/shared_b.h"

#endif
