/*
 * Work that takes too long for the interface's loop. A pane asks for a result in its load() (view_ask()).
 * Another thread computes it. It is kept while its sweep is shown and a pane holds it or may ask for it
 * again. The command `list` computes the same at once (view_settle()).
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

/* The input of a task. It is immutable, except for progress and *e. */
struct job {
	/*
	 * NULL only if the base alone defines the question. Without a base, the sweep has tables, unless
	 * `any_sweep` is set
	 */
	const struct sweep *sweep;
	const void *base; /* value of the result from which it starts, NULL = none */
	const uint32_t *arg;
	struct progress *progress;
	struct err *e;
};

/* A kind of computation. */
struct task {
	/*
	 * Runs in another thread, and returns a new value. If cancelled: a partial value, or NULL. NULL and
	 * *j->e: there is none.
	 */
	void *(*run)(const struct job *j);
	void (*free)(void *value);
	bool any_sweep; /* also for a sweep in which no engine has routed */
	bool no_sweep;	/* about a fabric (scene_fabric_question()): kept over events, the sweep is NULL */
	bool no_fabric; /* about its base alone, a file for example: kept whatever is loaded */
	bool partial;	/* a partial value is worth showing once the person has given up waiting */
	/* For a question, which is never run: is it the same question as before? */
	bool (*same)(const void *was, const void *value);
};

struct result;

/* A request: the task, the sweep, and up to TASK_ARGS numbers. */
struct ask {
	const struct task *task;
	const struct sweep *sweep; /* NULL = none: only with a base */
	const struct result *base; /* NULL = none */
	uint32_t arg[TASK_ARGS];
};

/* A result. It is shared by all who hold a reference, in any thread. */
struct result {
	atomic_uint refs;
	struct ask ask; /* holds references on sweep and base */
	void *value;	/* NULL: e tells why */
	bool partial;	/* it was cancelled; the whole is still missing */
	struct err e;
};

/* The `free` of a task whose values are freed by another function. */
#define FREED_BY(name, function)      \
	static void name(void *value) \
	{                             \
		function(value);      \
	}

bool ask_equal(const struct ask *a, const struct ask *b);
struct ask ask_copy(const struct ask *a); /* holds references, which ask_clear() returns */
void ask_clear(struct ask *a);

/*
 * Computes it in this thread. NULL when cancelled, unless a partial result is worth showing. The caller owns
 * the only reference.
 */
struct result *ask_run(const struct ask *a, struct progress *p);

/* Makes a result with one reference from a value. */
struct result *result_new(const struct ask *a, void *value);
/*
 * Keeps a pane's question as the base of its tasks. If `was` (reference taken over, NULL = none) asks the
 * same, it is returned, so that answers stay valid, and value is freed. Otherwise a new result is returned,
 * with one reference. kind tells how values are compared and freed. With value NULL nothing is asked: returns
 * NULL.
 */
const struct result *result_keep(const struct result *was, void *value, const struct task *kind);
const struct result *result_ref(const struct result *r);
void result_unref(const struct result *r);

/* --- tasks that several panes share -------------------------------------------------- */

extern const struct task task_loads;	   /* struct loads, all to all */
extern const struct task task_shift_order; /* struct shift_order, the same one for all engines */
extern const struct task task_usage;	   /* struct port_use, [n_ports] */
extern const struct task task_graph;	   /* struct graph; arg[0]: routes of switches count as well */

/* The channel dependencies on all VLs, and figures for lists of them. */
struct graph {
	struct cdg *cdg;
	uint32_t *in; /* [n_channels] number of dependencies on each channel */
	struct graph_vl {
		uint32_t channels, deps;
		uint32_t on_cycles;  /* number of channels */
		uint32_t components; /* strongly connected components that have a cycle and touch this VL */
	} vl[CDG_VLS];
};

#endif
