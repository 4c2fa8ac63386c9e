/*
 * Work that is too long for the interface's loop.  A pane asks for a result in its
 * load() (view_ask()); it is computed beside the loop and kept as long as the sweep
 * is the one shown and a pane holds it or may ask for it again.  The command `list`
 * computes the same on the spot (view_settle()).
 */
#ifndef IBSCOPE_BESIDE_H
#define IBSCOPE_BESIDE_H

#include "core/analysis/credit/cdg.h"
#include "core/analysis/traffic/loads.h"
#include "core/analysis/traffic/port_use.h"
#include "core/analysis/traffic/shift.h"
#include "core/base/progress.h"
#include "core/sm/sweep.h"

#define TASK_ARGS 3

/* What a task is run with; immutable but for progress and *e. */
struct job {
	/* NULL only where a base alone says what is asked for; without a base it has tables, unless
	 * `any_sweep` is set. */
	const struct sweep *sweep;
	const void *base; /* value of another result it starts from, NULL = none */
	const uint32_t *arg;
	struct progress *progress;
	struct err *e;
};

/* What can be computed. */
struct task {
	/*
	 * In another thread: a new value.  Cancelled: what it has, or NULL.  NULL and *j->e: there is none.
	 */
	void *(*run)(const struct job *j);
	void (*free)(void *value);
	bool any_sweep; /* also of a sweep in which no engine routed */
	bool no_sweep;	/* of a fabric (scene_fabric_question()): kept over events, the sweep is NULL */
	/* Of a question, which is never run: does it ask the same as the one before? */
	bool (*same)(const void *was, const void *value);
};

struct result;

/* Who asks names the task, the sweep and up to TASK_ARGS numbers. */
struct ask {
	const struct task *task;
	const struct sweep *sweep; /* NULL = none: only with a base */
	const struct result *base; /* NULL = none */
	uint32_t arg[TASK_ARGS];
};

/* What came out; shared by those who hold a reference, in any thread. */
struct result {
	atomic_uint refs;
	struct ask ask; /* references on sweep and base */
	void *value;	/* NULL: e says why */
	struct err e;
};

/* The `free` of a task whose values another function frees. */
#define FREED_BY(name, function)      \
	static void name(void *value) \
	{                             \
		function(value);      \
	}

bool ask_equal(const struct ask *a, const struct ask *b);
struct ask ask_copy(const struct ask *a); /* with references; ask_clear() gives them back */
void ask_clear(struct ask *a);

/* Compute it in this thread; NULL when cancelled.  The caller has the one reference. */
struct result *ask_run(const struct ask *a, struct progress *p);

/* A value becomes a result with one reference. */
struct result *result_new(const struct ask *a, void *value);
/*
 * What a pane asks, kept as the base of its tasks: `was` (reference taken over, NULL = none) as long as it
 * asks the same, so that answers stay; then value is freed.  Else a new result with one reference.  kind:
 * says how values are compared and freed.  value NULL: nothing is asked, NULL.
 */
const struct result *result_keep(const struct result *was, void *value, const struct task *kind);
const struct result *result_ref(const struct result *r);
void result_unref(const struct result *r);

/* --- what several panes ask for ------------------------------------------------------ */

extern const struct task task_loads;	   /* struct loads, all to all */
extern const struct task task_shift_order; /* struct shift_order, the one that all engines are compared by */
extern const struct task task_usage;	   /* struct port_use, [n_ports] */
extern const struct task task_graph;	   /* struct graph; arg[0]: routes of switches count as well */

/* The channel dependencies on all VLs, and what lists of them need. */
struct graph {
	struct cdg *cdg;
	uint32_t *in; /* [n_channels] dependencies on each */
	struct graph_vl {
		uint32_t channels, deps;
		uint32_t on_cycles;  /* channels */
		uint32_t components; /* strongly connected ones with a cycle, that touch this VL */
	} vl[CDG_VLS];
};

#endif
