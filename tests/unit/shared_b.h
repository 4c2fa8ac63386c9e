/* What tests let go of by itself where a block ends; lines and files that are printed to. */
#ifndef IBSCOPE_SHARED_B_H
#define IBSCOPE_SHARED_B_H

#include "tests/unit/fixture.h"

#include "core/analysis/shape/layout.h"
#include "core/base/rng.h"
#include "core/trace/recording.h"
#include "core/trace/walk.h"

/* cmocka gives each test its state: few want it. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* --- what is let go of ------------------------------------------------------------------------ */

/* Before the type of a local struct: release(&it) is called when its block is left. */
#define AUTO_BY(release) __attribute__((cleanup(release)))

/* Before the type of a local pointer; NULL is fine. */
#define AUTO_SESSION AUTO_BY(session_free_at)
static inline void session_free_at(void *variable)
{
	session_free(*(struct session **)variable);
}

#define AUTO_LAYOUT AUTO_BY(layout_unref_at)
static inline void layout_unref_at(void *variable)
{
	layout_unref(*(struct layout **)variable);
}

#define AUTO_RECORDING AUTO_BY(recording_unref_at)
static inline void recording_unref_at(void *variable)
{
	recording_unref(*(struct recording **)variable);
}

#define AUTO_WALK AUTO_BY(walk_free_at)
static inline void walk_free_at(void *variable)
{
	walk_free(*(struct walk **)variable);
}

/* Before a path of temp_file(): the file is removed, too. */
#define AUTO_FILE AUTO_BY(temp_file_drop)
static inline void temp_file_drop(char **path)
{
	unlink(*path);
	free(*path);
}

/* A new file with this text; its path. */
static inline char *temp_file(const char *text)
{
	char *path = str_dup("/tmp/ibscope-test-XXXXXX");
	FILE *f = fdopen(mkstemp(path), "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	return path;
}

/* --- fabrics, sessions ------------------------------------------------------------------------ */

static inline struct fabric *built(struct fabric_builder *b)
{
	struct fabric *f = NULL;
	struct err e;

	if (fb_finish(b, "test", "test", &f, &e))
		fail_msg("%s", e.msg);
	return f;
}

/* A fabric that is drawn: switches, and how many ports of each have a cable. */
struct drawn {
	struct fabric_builder *b;
	uint32_t node[12];
	unsigned used[12];
};

/* Up to 12 switches s0, s1, ... that are connected, by n - 1 cables or more. */
static inline struct drawn switches_drawn(uint64_t *seed, uint32_t n, uint32_t cables)
{
	struct drawn d = {.b = fb_new()};

	assert_true(n <= ARRAY_LEN(d.node) && cables >= n - 1);
	for (uint32_t k = 0; k < n; k++) {
		AUTO_FREE char *name = str_printf("s%u", k);

		d.node[k] = fb_add(d.b, NODE_SWITCH, 0x1000 + (k * 7919u) % 997, 60, name);
	}
	for (uint32_t k = 0; k < cables; k++) {
		uint32_t x = k < n - 1 ? k + 1 : rng_below(seed, n),
			 y = k < n - 1 ? rng_below(seed, k + 1) : rng_below(seed, n);

		if (x == y)
			y = (y + 1) % n;
		fb_link(d.b, d.node[x], ++d.used[x], d.node[y], ++d.used[y]);
	}
	return d;
}

/* A host h<k>, which hangs on nothing yet. */
static inline uint32_t host_drawn(struct drawn *d, uint32_t k, unsigned ports)
{
	AUTO_FREE char *name = str_printf("h%u", k);

	return fb_add(d->b, NODE_CA, 0x9000 + 16 * k, ports, name);
}

static inline void host_cabled(struct drawn *d, uint32_t host, unsigned port, uint32_t sw)
{
	fb_link(d->b, d->node[sw], ++d->used[sw], host, port);
}

/* A line that must work. */
static inline void ok_linef(struct session *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
static inline void ok_linef(struct session *s, const char *fmt, ...)
{
	AUTO_TEXT struct text line = {0};
	va_list ap;

	va_start(ap, fmt);
	text_addv(&line, fmt, ap);
	va_end(ap);
	ok_line(s, text_str(&line));
}

/* A new session, of a fabric that is owned from now on. */
static inline struct session *session_on(struct fabric *f)
{
	struct session *s = session_new(all_engines, all_commands);
	struct err e;

	if (session_set_fabric(s, f, "test", NULL, &e))
		fail_msg("%s", e.msg);
	return s;
}

/* A new session after a line that must work. */
static inline struct session *session_after(const char *fmt, ...) PRINTF_LIKE(1, 2);
static inline struct session *session_after(const char *fmt, ...)
{
	struct session *s = session_new(all_engines, all_commands);
	AUTO_TEXT struct text line = {0};
	va_list ap;

	va_start(ap, fmt);
	text_addv(&line, fmt, ap);
	va_end(ap);
	ok_line(s, text_str(&line));
	return s;
}

/* What an engine (NULL: the one in force) does in a run on the session's last sweep. */
static inline const struct recording *recorded(struct session *s, const char *engine, struct rec_focus focus)
{
	struct err e = {0};
	const struct recording *r = recording_make(
		&(struct rec_request){
			.sweep = session_sweep(s), .engine = engine, .focus = focus, .engines = all_engines},
		&e);

	if (!r)
		fail_msg("%s", e.msg);
	return r;
}

/* All cells of a walk, one number. */
static inline uint64_t walk_sum(const struct walk *w)
{
	const struct recording *r = walk_recording(w);
	uint64_t h = 1469598103934665603u;

	for (int t = 0; t < N_TABLES; t++)
		for (size_t i = 0; i < recording_cells(r, t); i++)
			h = (h ^ walk_value(w, t, i)) * 1099511628211u;
	return h;
}

/* A command of the shell that must work. */
static inline void shell(const char *fmt, ...) PRINTF_LIKE(1, 2);
static inline void shell(const char *fmt, ...)
{
	AUTO_TEXT struct text line = {0};
	va_list ap;

	va_start(ap, fmt);
	text_addv(&line, fmt, ap);
	va_end(ap);
	assert_int_equal(system(text_str(&line)), 0); // NOLINT(cert-env33-c): the test's own words
}

#endif
