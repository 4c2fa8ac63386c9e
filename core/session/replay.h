/* The commands that rebuild a session: fabric, options, events, snapshots. */
#ifndef IBSCOPE_REPLAY_H
#define IBSCOPE_REPLAY_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/session/session.h"
#include "core/sm/engine.h"
#include "core/trace/recording.h"

struct replay {
	struct text script; /* a line for each command */
	struct text lost;   /* lines about what the script lacks */
	bool needs_fabric;  /* the script loads `fabric`, which must be written because its source is not a
			       file */
	bool needs_names;   /* the script takes names from `names`, so that must be written too */
	bool needs_counted; /* ... and the live readings of counters from `counted` */
};

/*
 * Makes the commands for a session with a fabric. fabric, names, counted (of both readings): paths of files
 * that the commands may name.  NULL: no such file can be written, and its content is lost.  Free with
 * replay_free().
 */
void replay_make(struct replay *r, const struct session *s, const char *fabric, const char *names,
		 char *const counted[2]);
void replay_free(struct replay *r);

/* `set` and `unset` lines that lead from the options a (NULL: the defaults) to b. */
void replay_options(struct text *t, const struct options *a, const struct options *b);

/*
 * Everything that is known about one step of a recording: the sentence, the rule, where to read about it, the
 * names of the cells that it changes, and the candidates.  All texts are its own and nothing is borrowed, so
 * one thread may make it and another show it.
 */

#define ABOUT_CHANGES 1000 /* the most that are listed */

/* A changed cell. */
struct about_change {
	enum rec_table table;
	uint32_t at, was, now;	   /* as struct rec_delta */
	char *where;		   /* "leaf-01 LID 17", "leaf-01[5] to core-02" */
	char *was_text, *now_text; /* "port 6", "2 hops", "none" */
};

/* A candidate that could have been taken. */
struct about_candidate {
	bool taken;
	unsigned port;		   /* of the step's switch */
	char *to;		   /* "spine-01[3]": the other end of its cable */
	char *from;		   /* port it leaves by on another chip of the chassis: "sp-02[7]"; NULL */
	int64_t q[REC_QUANTITIES]; /* in the order of `quantity`; INT64_MIN = does not apply */
	uint32_t peer, chip;	   /* port id of the other end; of `from`, NO_ID */
};

struct step_about {
	size_t step, of;
	const char *engine; /* static, as kind, table names and quantities */
	char *phase, *sentence, *part;
	const char *kind, *rule, *source; /* "" when there is none */
	struct about_change *change;	  /* [n_changes] the first of them */
	size_t n_changes, all_changes;
	/*
	 * The engine's words (recording_choice()) on the entry or pair that the step decides.  If the entry
	 * is decided again later, they describe the last decision.  `asked` is the heading: "candidates for
	 * LID 17 on leaf-01"; NULL: the step chooses from nothing.
	 */
	char *asked;
	unsigned n_quantities;
	const char *quantity[REC_QUANTITIES];
	struct about_candidate *candidate; /* [n_candidates] in the engine's order */
	size_t n_candidates;
	char *told; /* words of the engine: the rule of the closed list with its sentence, lines on a pair; ""
		       when none */
};

/*
 * About step 1 .. recording_steps(); 0 is the start, which has only the sentence.  `engines` are those with
 * which the recording was made; with NULL the engine is not asked, which is fast, and there are no
 * candidates.  To be freed.  NULL and *e: cancelled, no memory.  Another thread may move a walk over the same
 * recording meanwhile.
 */
struct step_about *step_about(const struct recording *r, size_t step, const struct engine *const *engines,
			      struct progress *p, struct err *e);
void step_about_free(struct step_about *a); /* NULL is fine */

#endif
