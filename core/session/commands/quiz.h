/*
 * Command quiz: quiz.c draws, asks and judges; quiz_step.c asks for ports, and lets a person perform a run.
 */
#ifndef IBSCOPE_QUIZ_H
#define IBSCOPE_QUIZ_H

#include "core/base/text.h"
#include "core/session/commands/commands.h"
#include "core/trace/recording.h"

/* The kind of a question; for QUIZ_ANY one of those before QUIZ_TURN is drawn. */
enum quiz_kind { QUIZ_ANY, QUIZ_PORT, QUIZ_LAYER, QUIZ_RANK, QUIZ_TURN, QUIZ_SOUND, QUIZ_COUNT };

#define QUIZ_CANDIDATES 32

#define QUIZ_TURNS 4
struct quiz_turn {
	unsigned in, out; /* ports */
};

struct quiz {
	struct session *s;
	const struct sweep *w;
	struct out *o;
	uint64_t random;  /* state of the generator that draws the question */
	const char *noun; /* what is asked for: "port", "layer", "SL", "rank", "turn", "sound", "layers" */
	unsigned right;
	struct decided decided; /* the rule, with its sentence */
	/* A port, a rank. */
	uint32_t sw;
	unsigned lid;
	unsigned n_quantities, n;
	const char *quantity[REC_QUANTITIES]; /* static */
	struct rec_offer candidate[QUIZ_CANDIDATES];
	struct quiz_turn turn[QUIZ_TURNS]; /* of a turn: [n] */
	/* A layer. */
	uint32_t src, dst; /* endports */
	unsigned slid, dlid;
};

/* What one kind of question consists of. */
struct quiz_maker {
	const char *form; /* of an answer, in its prompt; NULL: derived from the noun, LAYER or SL */
	/* Returns 1 when a question was drawn, 0 when there is none of the kind, or -1 and *e. */
	int (*draw)(struct quiz *q, struct err *e);
	void (*ask)(struct quiz *q, json_t *question); /* as text, and into the object */
	/* Says why a guess is wrong. */
	void (*explain)(const struct quiz *q, unsigned long guess);
	/* Prints the text of `why` about it, up to the rule. */
	int (*tell)(const struct quiz *q, struct err *e);
};
extern const struct quiz_maker quiz_ports, quiz_layers, quiz_ranks, quiz_turns, quiz_sound, quiz_counts;

/* `quiz step [WORD...]`: asks for the next step of the walk that decides something, or judges an answer. */
int quiz_step(struct session *s, const struct args *args, struct out *o, struct err *e);

#endif
