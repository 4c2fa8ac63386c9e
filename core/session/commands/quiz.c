/* `quiz`: guess the next port of an entry, the layer of a pair, the rank of a switch. */
#include "core/session/commands/quiz.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "core/base/rng.h"
#include "core/session/lesson.h"
#include "core/session/topics.h"

/* By enum quiz_kind. */
static const struct {
	const char *word;
	const struct quiz_maker *maker;
} kinds[] = {{NULL, NULL},	    {"port", &quiz_ports},  {"layer", &quiz_layers}, {"rank", &quiz_ranks},
	     {"turn", &quiz_turns}, {"sound", &quiz_sound}, {"layers", &quiz_counts}};

static const struct quiz_maker *draw_of(struct quiz *q, enum quiz_kind kind, struct err *e)
{
	int rc = kinds[kind].maker->draw(q, e);

	if (rc > 0)
		return kinds[kind].maker;
	if (!rc && progress_cancelled(q->o->run->progress))
		err_set(e, CANCELLED);
	return NULL;
}

/* The same question for the same seed and tables.  NULL and *e: cancelled, or there is nothing to ask. */
static const struct quiz_maker *quiz_command_draw(struct quiz *q, enum quiz_kind kind, uint64_t seed,
						  struct err *e)
{
	const struct quiz_maker *m = NULL;
	unsigned first;

	q->random = seed;
	e->msg[0] = 0;
	first = rng_below(&q->random, QUIZ_RANK);
	for (unsigned i = 0; i < QUIZ_RANK && kind == QUIZ_ANY && !m && !e->msg[0]; i++)
		m = draw_of(q, (enum quiz_kind)(1 + (first + i) % QUIZ_RANK), e);
	if (kind != QUIZ_ANY)
		m = draw_of(q, kind, e);
	if (m || e->msg[0])
		return m;
	if (kind == QUIZ_LAYER)
		err_set(e, "%s puts no paths in several layers here", q->w->routing->engine);
	else if (kind == QUIZ_TURN)
		err_set(e, "%s forbids no turn here; updn, dnup and ftree do", q->w->routing->engine);
	else if (kind == QUIZ_COUNT)
		err_set(e, "%s has no layers", q->w->routing->engine);
	else if (kind == QUIZ_RANK)
		err_set(e, "%s ranks no switches; updn, dnup and ftree do", q->w->routing->engine);
	else
		err_set(e, "%s decides nothing here: no entry has two candidates", q->w->routing->engine);
	return NULL;
}

/* --- answers ------------------------------------------------------------------------------------- */

/* Three wrong answers about one rule: tell where it is explained. */
static void offer_help(const struct quiz *q)
{
	uint8_t *wrong = &q->o->run->in->quiz_wrong[q->decided.rule];
	const struct topic *t;

	if (++*wrong < 3)
		return;
	*wrong = 0;
	t = topic_find(q->s, why_rule_name(q->decided.rule), true);
	out_text(q->o, "Three were wrong by this rule: `help %s` explains it.\n",
		 t ? t->name : q->w->routing->engine);
}

static int quiz_command_judge(struct quiz *q, const struct quiz_maker *m, unsigned long guess, struct err *e)
{
	bool right = guess == q->right;

	q->o->run->found_fault |= !right;
	if (right)
		out_text(q->o, "Right.\n");
	else if (m == &quiz_sound)
		out_text(q->o, "Wrong: it is %ssound.\n", q->right ? "" : "not ");
	else if (m == &quiz_counts)
		out_text(q->o, "Wrong: it is %s.\n", PLURAL(q->right, "layer"));
	else
		out_text(q->o, "Wrong: it is %s %u.\n", q->noun, q->right);
	if (!right)
		m->explain(q, guess);
	out_json(q->o, "right", json_boolean(right));
	out_json(q->o, "answer", json_integer(q->right));
	if (m == &quiz_ports)
		out_json(q->o, "port", json_integer(q->right));
	if (m == &quiz_ports && q->o->object)
		json_put_out(q->o->object, "port", q->w->fabric, q->sw, (unsigned)q->right);
	if (q->decided.rule) {
		out_json(q->o, "rule", json_text(why_rule_name(q->decided.rule)));
		out_json(q->o, "decided", json_text(text_str(&q->decided.text)));
	}
	if (m->tell(q, e))
		return -1;
	if (!right)
		offer_help(q);
	return 0;
}

static int quiz_command_check_answer(struct quiz *q, uint64_t guess, struct err *e)
{
	const struct interpreter *in = q->o->run->in;
	const struct quiz_maker *m;

	if (!in->quiz_seed || in->quiz_generation != q->s->generation)
		return err_set(e, "no question is open; `quiz` asks one");
	q->w = session_sweep(q->s);
	m = quiz_command_draw(q, (enum quiz_kind)in->quiz_kind, in->quiz_seed, e);
	return m ? quiz_command_judge(q, m, guess, e) : -1;
}

/* --- questions ------------------------------------------------------------------------------------ */

/* Route by the engine and the options that the words name. */
static int route_by(struct quiz *q, const char *words, struct err *e)
{
	struct text said = {0};
	char *line = str_printf("route %s", words);
	int rc = lesson_run(q->o->run, line, &said, e);

	out_text(q->o, "%s", rc ? "" : text_str(&said));
	text_free(&said);
	free(line);
	return rc;
}

/* Another one at each start. */
static uint64_t drawn_seed(void)
{
	uint32_t random;

	while (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		;
	return (uint64_t)random + 1;
}

static void quiz_command_ask(struct quiz *q, const struct quiz_maker *m, uint64_t seed)
{
	json_t *question = json_make("{s:s, s:I}", "kind", q->noun, "seed", (json_int_t)seed);

	m->ask(q, question);
	out_json(q->o, "question", question);
	out_text(q->o,
		 "`quiz answer %s` tells whether you are right, and the rule (seed=%" PRIu64
		 " asks again).\n",
		 m->form	   ? m->form
		 : *q->noun == 'l' ? "LAYER"
				   : "SL",
		 seed);
}

static int cmd_quiz(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct interpreter *in = o->run->in;
	struct quiz q = {.s = s, .o = o};
	uint64_t seed = args_number(args, "seed=K", in->quiz_seed ? in->quiz_seed + 1 : drawn_seed());
	const char *engine = args_word(args, "ENGINE", NULL);
	enum quiz_kind kind = QUIZ_ANY;
	const struct quiz_maker *m = NULL;
	int rc;

	if (args->n && args->arg[0].small && !strcmp(args->arg[0].word, "step"))
		return quiz_step(s, args, o, e);
	if (args_has(args, "answer")) {
		rc = quiz_command_check_answer(&q, args_number(args, "NUMBER", args_has(args, "yes")), e);
		decided_free(&q.decided);
		return rc;
	}
	for (unsigned k = 1; k < ARRAY_LEN(kinds); k++)
		kind = args_has(args, kinds[k].word) ? (enum quiz_kind)k : kind;
	if (!(engine && route_by(&q, engine, e)) && (q.w = need_routing(s, e)))
		m = quiz_command_draw(&q, kind, seed, e);
	if (m) {
		quiz_command_ask(&q, m, seed);
		in->quiz_seed = seed;
		in->quiz_kind = kind;
		in->quiz_generation = s->generation;
	}
	decided_free(&q.decided);
	return m ? 0 : -1;
}

const struct command quiz_commands[] = {
	{.name = "quiz",
	 .group = TEACH,
	 .numbers = ARG_NUMBERS({.key = "seed=K",
				 .least = 1,
				 .most = INT64_MAX,
				 .what = "a number from 1",
				 .lead = "seed",
				 .any_base = true},
				ARG_NUMBER("NUMBER", 0, UINT64_MAX, "a number", "quiz answer")),
	 .syntax = "quiz [ENGINE] [port|layer|rank|turn|sound|layers] [seed=K] | quiz answer NUMBER|yes|no | "
		   "quiz step [TEXT...]",
	 .help = "answer a question about ports, layers, ranks or turns, or perform the run; then read the "
		 "rule",
	 .finds = "the answer is wrong",
	 .details = "  With ENGINE, that engine routes first.  Without a kind, quiz draws port, layer or "
		    "rank, as "
		    "the engine has them.\n"
		    "  It asks only about entries with two candidates or more, and about layers if there are "
		    "several.  turn: which turn\n"
		    "  the engine forbids; sound: is the fabric sound as it is routed; layers: how many "
		    "there are.  "
		    "The same seed asks the\n"
		    "  same question; without one quiz draws another each time and prints it.\n"
		    "  step: you perform the run.  quiz asks for the next step that decides something, from "
		    "where "
		    "the walk of `step start`\n"
		    "  stands (without a walk: from the beginning): which switch, port, rank or weight, or "
		    "yes|no.  "
		    "A right answer does\n"
		    "  the step; quiz refuses a wrong one, names the rule and asks again.\n",
	 .needs = NEEDS_FABRIC,
	 .json = "question object? what is asked\n"
		 "question.kind string(port/layer/SL/rank/turn/sound/layers/step) what is asked for\n"
		 "question.seed integer(1..)? asks the same again\n"
		 "question.switch node? of a port or a rank: the switch\n"
		 "question.lid lid? of a port: the LID\n"
		 "question.candidates[] object? of a port: ports that the engine chose among, by number\n"
		 "question.candidates[].port portnum the port\n"
		 "question.candidates[].peer port port at the other end\n"
		 "question.candidates[].* integer quantities by name\n"
		 "question.src endport? of a layer: the path's beginning\n"
		 "question.dst endport? its end\n"
		 "question.switches[] object? switches on the path\n"
		 "question.switches[].name node the switch\n"
		 "question.layers[] object? layers, where the engine has them\n"
		 "question.layers[].layer integer its number\n"
		 "question.layers[].put integer paths, as they were put there\n"
		 "question.layers[].pairs integer paths in the end\n"
		 "question.neighbours[] object? of a rank: cables to switches\n"
		 "question.neighbours[].port portnum the port\n"
		 "question.neighbours[].name node the neighbour\n"
		 "question.neighbours[].rank integer(-1..) its rank, -1 when it has none\n"
		 "question.host_ports integer? cables to hosts\n"
		 "question.clue string? a hint\n"
		 "question.turns[] object? of a turn: those to choose among\n"
		 "question.turns[].turn integer(1..) its number\n"
		 "question.turns[].in portnum port it comes in by\n"
		 "question.turns[].out portnum port it leaves by\n"
		 "question.event string? of a step: the kind of its event\n"
		 "question.step integer(1..)? its number\n"
		 "question.of integer(1..)? steps of the run\n"
		 "question.text string? the question in words\n"
		 "question.asks[] string(switch/port/number/yes or no)? what the answer names, in this "
		 "order\n"
		 "right boolean? the answer is right\n"
		 "refused string(switch/port/number/yes or no)? of a step: what is wrong in the answer\n"
		 "done boolean? of a step: nothing is left to be decided\n"
		 "answer integer? the right one\n"
		 "port portnum? the port of the entry\n"
		 "rule string? the rule that decided, of the closed list of `why`\n"
		 "decided string? its sentence\n",
	 .run = cmd_quiz},
	{.name = NULL},
};
