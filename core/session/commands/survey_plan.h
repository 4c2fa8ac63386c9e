/*
 * A file of links and nodes that are to fail, for `survey file`: rows of node, port (none: the whole node)
 * and ticket; limits on what they do.
 */
#ifndef IBSCOPE_SURVEY_PLAN_H
#define IBSCOPE_SURVEY_PLAN_H

#include "core/base/json.h"
#include "core/fabric/chassis.h"
#include "core/session/session.h"

#define PLAN_MOST 1000 /* links and nodes */

struct out;

struct window {
	struct window_row {
		uint32_t member; /* a link, or behind n_links a node, as in PART_MIXED */
		char *ticket;
	} * row; /* [n] in the order of the file, each link and node once */
	uint32_t n, cap;
};

/*
 * Read it.  What fails as parts: n rows alone, and for more than one: the first 2, 3 ... n of them, which
 * fail one after the other; all n at once.  NULL and *e: "FILE:LINE: found ..., expected ...".  Always
 * window_free().
 */
struct parts *window_read(const struct session *s, struct window *x, const char *path, struct progress *p,
			  struct err *e);
void window_free(struct window *x);
/* Keys `when` and `ticket` of the rows of these parts, in their order. */
void window_tell_rows(const struct window *x, json_t *rows);

/* "lost=0", "load=+20%", "longest=+0" */
struct survey_limit {
	const char *word; /* borrowed */
	unsigned of;	  /* which quantity */
	bool more, percent;
	uint64_t n;
};
int limit_read(struct survey_limit *l, const char *word, struct err *e);
/* Lines on rows that break one of n limits, and their key `breaks`; returns how many.  of: the survey's head.
 */
uint32_t gate_rows(const struct survey_limit *l, size_t n, const json_t *of, json_t *rows, struct out *o);

/* Each row as a test case of JUnit's XML; a limit that is broken is its failure.  -1 and *e: not written. */
int junit_write(const char *path, const struct fabric *f, const json_t *rows, uint32_t broken, struct out *o,
		struct err *e);

#endif
