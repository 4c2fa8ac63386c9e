/* `quiz`: guess the next port of an entry, the layer of a pair, the rank of a switch, whether a routing is
 * sound. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "core/analysis/credit/turns.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/rng.h"
#include "core/routing/paths.h"
#include "core/session/commands/quiz.h"
#include "core/session/help.h"
#include "core/session/lesson.h"
#include "core/sm/ucast_cache.h"

/* `quiz`: guess the next port of an entry, the layer of a pair, the rank of a switch. */

/* By enum quiz_kind. */
static const struct {
	const char *word;
	const struct quiz_maker *maker;
} kinds[] = {{NULL, NULL},	    {"port", &quiz_ports},  {"layer", &quiz_layers}, {"rank", &quiz_ranks},
	     {"turn", &quiz_turns}, {"sound", &quiz_sound}, {"layers", &quiz_counts}};
static_assert(ARRAY_LEN(kinds) == QUIZ_COUNT + 1, "a word for each kind");

static const struct quiz_maker *draw_of(struct quiz *q, enum quiz_kind kind, struct err *e)
{
	assert((size_t)kind < ARRAY_LEN(kinds) && kinds[kind].maker);

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

	q->random = seed;
	e->msg[0] = 0;
	unsigned first = rng_below(&q->random, QUIZ_RANK);
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

/* After three wrong answers about one rule, says where it is explained. */
static void offer_help(const struct quiz *q)
{
	uint8_t *wrong = &q->o->run->in->quiz_wrong[q->decided.rule];

	if (++*wrong < 3)
		return;
	*wrong = 0;
	const struct topic *t = topic_find(q->s, why_rule_name(q->decided.rule), true);
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

	if (!in->quiz_seed || in->quiz_generation != q->s->generation)
		return err_set(e, "no question is open; `quiz` asks one");
	q->w = session_sweep(q->s);
	const struct quiz_maker *m = quiz_command_draw(q, (enum quiz_kind)in->quiz_kind, in->quiz_seed, e);
	return m ? quiz_command_judge(q, m, guess, e) : -1;
}

/* --- questions ------------------------------------------------------------------------------------ */

/* Route by the engine and the options that the words name. */
static int route_by(struct quiz *q, const char *words, struct err *e)
{
	AUTO_TEXT struct text said = {0};
	AUTO_FREE char *line = str_printf("route %s", words);
	int rc = lesson_run(q->o->run, line, &said, e);

	out_text(q->o, "%s", rc ? "" : text_str(&said));
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

	if (args->n && args->arg[0].small && !strcmp(args->arg[0].word, "step"))
		return quiz_step(s, args, o, e);
	if (args_has(args, "answer")) {
		int rc = quiz_command_check_answer(&q, args_number(args, "NUMBER", args_has(args, "yes")), e);
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

/* Quiz: which turn is forbidden, is it sound, how many layers. */

/* --- turns -------------------------------------------------------------------------------------- */

/* The next turn at the switch from one cable to another, in the order of ports.  false: there is none. */
static bool next_turn(const struct quiz *q, struct quiz_turn *t)
{
	unsigned ports = q->w->fabric->switch_nports[q->sw];

	for (;;) {
		if (++t->out > ports) {
			t->out = 1;
			if (++t->in > ports)
				return false;
		}
		if (t->in != t->out &&
		    q->w->topo->peer_switch[switch_port_id(q->w->fabric, q->sw, t->in)] != NO_ID &&
		    q->w->topo->peer_switch[switch_port_id(q->w->fabric, q->sw, t->out)] != NO_ID)
			return true;
	}
}

/* Each turn of a kind has the same chance: the first few of a row that is shuffled as it comes. */
static unsigned take_turns(struct quiz *q, bool forbidden, struct quiz_turn *into, unsigned most)
{
	struct quiz_turn t = {1, 0};
	unsigned seen = 0;

	while (next_turn(q, &t)) {
		if (turn_forbidden(q->w->routing, q->sw, t.in, t.out) != forbidden)
			continue;
		unsigned at = seen < most ? seen : rng_below(&q->random, seen + 1);
		if (at < most)
			into[at] = t;
		seen++;
	}
	return MIN(seen, most);
}

static int draw_turn(struct quiz *q, struct err *e)
{
	uint32_t n = q->w->fabric->n_switches, first = rng_below(&q->random, n);

	(void)e;
	if (!has_directions(q->w->routing))
		return 0;
	q->noun = "turn";
	for (uint32_t i = 0; i < n; i++) {
		struct quiz_turn bad;

		q->sw = (first + i) % n;
		unsigned lawful = take_turns(q, false, q->turn, QUIZ_TURNS - 1);
		if (lawful < 2 || !take_turns(q, true, &bad, 1))
			continue;
		q->n = lawful + 1;
		q->right = 1 + rng_below(&q->random, q->n);
		q->turn[lawful] = q->turn[q->right - 1];
		q->turn[q->right - 1] = bad;
		return 1;
	}
	return 0;
}

static uint32_t quiz_judge_command_behind(const struct quiz *q, unsigned port)
{
	assert(port >= 1 && port <= q->w->fabric->switch_nports[q->sw]);
	return q->w->topo->peer_switch[switch_port_id(q->w->fabric, q->sw, port)];
}

static void ask_turn(struct quiz *q, json_t *question)
{
	const struct fabric *f = q->w->fabric;
	json_t *list = json_array();

	out_text(q->o, "Which turn at %s does %s forbid?\n", switch_name(f, q->sw), q->w->routing->engine);
	for (unsigned i = 0; i < q->n; i++) {
		const struct quiz_turn *t = &q->turn[i];
		json_t *o = json_make("{s:i, s:i, s:i}", "turn", (int)i + 1, "in", (int)t->in, "out",
				      (int)t->out);

		json_put_out(o, "in", f, q->sw, t->in);
		json_put_out(o, "out", f, q->sw, t->out);
		json_array_append_new(list, o);
		out_text(q->o, "  %u  from %s (port %u) to %s (port %u)\n", i + 1,
			 switch_name(f, quiz_judge_command_behind(q, t->in)), t->in,
			 switch_name(f, quiz_judge_command_behind(q, t->out)), t->out);
	}
	json_object_set_new(question, "turns", list);
	json_put_switch(question, "switch", f, q->w->lids, q->sw);
}

static void explain_turn(const struct quiz *q, unsigned long guess)
{
	if (!guess || guess > q->n)
		out_text(q->o, "There are turns 1 to %u.\n", q->n);
}

static const char *quiz_judge_command_way_of(const struct quiz *q, uint32_t sw, unsigned port)
{
	assert(q->w->routing->ops->direction);

	char way = q->w->routing->ops->direction(q->w->routing, sw, port);

	if (way == 'U')
		return "up";
	return way == 'D' ? "down" : "within its level";
}

static int tell_turn(const struct quiz *q, struct err *e)
{
	const struct quiz_turn *t = &q->turn[q->right - 1];
	const struct fabric *f = q->w->fabric;
	uint32_t from = quiz_judge_command_behind(q, t->in), to = quiz_judge_command_behind(q, t->out);
	unsigned port = f->port_num[q->w->topo->peer[switch_port_id(f, q->sw, t->in)]];

	(void)e;
	out_text(q->o, "%s to %s goes %s, %s to %s goes %s: what came down may not go up again.\n",
		 switch_name(f, from), switch_name(f, q->sw), quiz_judge_command_way_of(q, from, port),
		 switch_name(f, q->sw), switch_name(f, to), quiz_judge_command_way_of(q, q->sw, t->out));
	return 0;
}

const struct quiz_maker quiz_turns = {"TURN", draw_turn, ask_turn, explain_turn, tell_turn};

/* --- is it sound ----------------------------------------------------------------------------------- */

static int draw_sound(struct quiz *q, struct err *e)
{
	struct judgement j = {0};
	int rc = check_quietly(q->s, q->w, &j, q->o, e);

	q->noun = "sound";
	q->right = j.sound;
	text_free(&j.said);
	return rc ? -1 : 1;
}

static void ask_sound(struct quiz *q, json_t *question)
{
	(void)question;
	out_text(q->o, "Is the fabric sound as %s routes it: each host reaches each, and no credit loop?\n",
		 q->w->routing->engine);
}

static void explain_nothing(const struct quiz *q, unsigned long guess)
{
	(void)q;
	(void)guess;
}

static int tell_sound(const struct quiz *q, struct err *e)
{
	struct judgement j = {0};
	int rc = check_quietly(q->s, q->w, &j, q->o, e);

	out_text(q->o, "%s", rc ? "" : text_str(&j.said));
	text_free(&j.said);
	return rc;
}

const struct quiz_maker quiz_sound = {"yes|no", draw_sound, ask_sound, explain_nothing, tell_sound};

/* --- how many layers ----------------------------------------------------------------------------------- */

static int draw_layers(struct quiz *q, struct err *e)
{
	const struct routing *r = q->w->routing;

	(void)e;
	q->noun = "layers";
	q->right = r->ops->n_layers ? r->ops->n_layers(r) : 0;
	return q->right != 0;
}

static void ask_layers(struct quiz *q, json_t *question)
{
	(void)question;
	out_text(q->o, "Into how many layers does %s put the paths of this fabric?\n", q->w->routing->engine);
}

static int quiz_judge_command_tell_layers(const struct quiz *q, struct err *e)
{
	AUTO_TEXT struct text said = {0};
	int rc = lesson_run(q->o->run, "layers", &said, e);

	out_text(q->o, "%s", rc ? "" : text_str(&said));
	return rc;
}

const struct quiz_maker quiz_counts = {"LAYERS", draw_layers, ask_layers, explain_nothing,
				       quiz_judge_command_tell_layers};

/* Quiz: the layer (or SL) of a pair of hosts, the rank of a switch. */

/* Tells the facts needed for the answer. Each line has its line end. */
static void tell_clue(const struct quiz *q, json_t *question, struct text *t)
{
	if (t->len) {
		out_text(q->o, "%s", text_str(t));
		t->s[t->len - 1] = 0;
		json_object_set_new(question, "clue", json_text(text_str(t)));
	}
	text_free(t);
}

/* --- layers ------------------------------------------------------------------------------------- */

/* After this many pairs without a question the program gives up. */
#define MOST_PAIRS 2000

/* Has a rule decided the pair's layer? */
static bool take_pair(struct quiz *q)
{
	const struct routing *r = q->w->routing;
	const struct routing_ops *ops = routing_origin(r)->ops;
	struct pair_layer l;
	struct path p;

	q->slid = q->w->lids->base[q->src];
	q->dlid = q->w->lids->base[q->dst];
	path_trace(r, q->src, q->slid, q->dlid, &p);
	bool good = p.end == PATH_OK && p.n > 1;
	q->right = p.sl.lo;
	path_free(&p);
	if (!good || (ops->pair_layer && !ops->pair_layer(r, q->slid, q->dlid, &l)))
		return false;
	if (ops->pair_layer)
		q->right = l.now;
	ops->decide_pair(r, q->slid, q->dlid, &q->decided);
	/* pairs that got the first layer at once teach less: half of them are passed over */
	if (q->decided.rule == WHY_LOWEST || q->decided.rule == WHY_FIRST_LAYER)
		return rng_below(&q->random, 2);
	return q->decided.rule && q->decided.rule != WHY_SAME_SWITCH;
}

static int draw_layer(struct quiz *q, struct err *e)
{
	const struct routing *r = q->w->routing;
	const struct routing_ops *ops = routing_origin(r)->ops;
	const struct fabric *f = q->w->fabric;
	uint32_t n = 0;
	bool found = false;

	(void)e;
	if (!ops->decide_pair || !r->ops->n_layers || r->ops->n_layers(r) < 2)
		return 0;
	q->noun = ops->pair_layer ? "layer" : "SL";
	AUTO_FREE uint32_t *host = NEW_ARRAY(f->n_endports + 1, uint32_t);
	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (routing_has_host(r, ep) && q->w->lids->base[ep])
			host[n++] = ep;
	for (unsigned i = 0; n > 1 && i < MOST_PAIRS && !found; i++) {
		q->src = host[rng_below(&q->random, n)];
		q->dst = host[rng_below(&q->random, n)];
		found = q->src != q->dst && take_pair(q);
	}
	return found;
}

/* Number of pairs in each layer: as they were put there, and as they are now. */
static void quiz_other_command_tell_layers(const struct quiz *q, json_t *question)
{
	static const char *const of[] = {[LAYER_SWITCH_PAIRS] = "ordered pairs of switches",
					 [LAYER_LID_PAIRS] = "ordered pairs of LIDs",
					 [LAYER_LIDS] = "LIDs of destinations"};
	static_assert(ARRAY_LEN(of) == LAYER_LIDS + 1, "words for each unit");
	const struct routing *r = q->w->routing;
	const struct routing_ops *ops = routing_origin(r)->ops;
	json_t *list = json_array();

	for (unsigned v = 0; v < r->ops->n_layers(r); v++) {
		struct layer_info info = {0};

		ops->layer(r, v, &info);
		if (!v)
			out_text(q->o, "  %s in each layer:\n", of[info.unit]);
		out_text(q->o, "  layer %u: %lu", v, (unsigned long)info.pairs_first);
		if (info.pairs != info.pairs_first)
			out_text(q->o, "; %lu in the end", (unsigned long)info.pairs);
		out_text(q->o, "\n");
		json_array_append_new(list, json_make("{s:i, s:I, s:I}", "layer", (int)v, "put",
						      (json_int_t)info.pairs_first, "pairs",
						      (json_int_t)info.pairs));
	}
	json_object_set_new(question, "layers", list);
}

static void ask_layer(struct quiz *q, json_t *question)
{
	const struct routing *r = q->w->routing;
	const struct routing_ops *ops = routing_origin(r)->ops;
	const struct fabric *f = q->w->fabric;
	json_t *list = json_array();
	struct text t = {0};
	struct path p;

	out_text(q->o,
		 ops->pair_layer ? "In which layer is the path from %s to %s under %s?\n"
				 : "Which SL has the path from %s to %s under %s?\n",
		 ENDPORT_LABEL(f, q->src), ENDPORT_LABEL(f, q->dst), r->engine);
	path_trace(r, q->src, q->slid, q->dlid, &p);
	for (unsigned i = 0; i < p.n; i++) {
		json_t *hop = json_object();

		text_add(&t, "%s%s", i ? " -> " : "", switch_name(f, p.hop[i].sw));
		json_put_switch(hop, "name", f, q->w->lids, p.hop[i].sw);
		json_array_append_new(list, hop);
	}
	path_free(&p);
	out_text(q->o, "  %s\n", text_str(&t));
	text_free(&t);
	json_object_set_new(question, "switches", list);
	json_put_endport(question, "src", f, q->w->lids, q->src);
	json_put_endport(question, "dst", f, q->w->lids, q->dst);
	if (ops->layer)
		quiz_other_command_tell_layers(q, question);
	else if (ops->explain_layers)
		ops->explain_layers(r, &t);
	tell_clue(q, question, &t);
}

static void explain_layer(const struct quiz *q, unsigned long guess)
{
	const struct routing *r = q->w->routing;
	const struct routing_ops *ops = routing_origin(r)->ops;

	if (ops->pair_layer && guess >= r->ops->n_layers(r))
		out_text(q->o, "There are %s, from 0 on.\n", PLURAL(r->ops->n_layers(r), "layer"));
}

/* The text of `why HOST HOST` about it, without the switches on the way. */
static int quiz_other_command_tell_layer(const struct quiz *q, struct err *e)
{
	const struct routing *r = q->w->routing;
	const struct routing_ops *ops = routing_origin(r)->ops;
	AUTO_TEXT struct text t = {0};

	if (ops->explain_pair)
		ops->explain_pair(r, q->slid, q->dlid, &t, q->o->run->progress);
	out_text(q->o, "%s", text_str(&t));
	out_text(q->o, "Decided: %s: %s\n", why_rule_name(q->decided.rule), text_str(&q->decided.text));
	return progress_cancelled(q->o->run->progress) ? err_set(e, CANCELLED) : 0;
}

const struct quiz_maker quiz_layers = {NULL, draw_layer, ask_layer, explain_layer,
				       quiz_other_command_tell_layer};

/* --- ranks ---------------------------------------------------------------------------------------- */

static int draw_rank(struct quiz *q, struct err *e)
{
	const struct routing *r = q->w->routing;
	uint32_t n = q->w->fabric->n_switches, first = rng_below(&q->random, n);

	(void)e;
	if (!r->ops->rank || !r->ops->decide_rank)
		return 0;
	q->noun = "rank";
	for (uint32_t i = 0; i < n; i++) {
		q->sw = (first + i) % n;
		q->right = switch_up(q->w->topo, q->sw) ? r->ops->rank(r, q->sw) : NO_RANK;
		if (q->right == NO_RANK)
			continue;
		r->ops->decide_rank(r, q->sw, &q->decided);
		return 1;
	}
	return 0;
}

static void tell_neighbours(const struct quiz *q, json_t *question)
{
	const struct routing *r = q->w->routing;
	const struct fabric *f = q->w->fabric;
	json_t *list = json_array();
	uint32_t hosts = 0;

	for (unsigned p = 1; p <= f->switch_nports[q->sw]; p++) {
		uint32_t id = switch_port_id(f, q->sw, p), to = q->w->topo->peer_switch[id];

		hosts += q->w->topo->peer[id] != NO_ID && to == NO_ID;
		if (to == NO_ID)
			continue;
		json_t *obj = json_make("{s:i, s:i}", "port", (int)p, "rank", (int)r->ops->rank(r, to));
		json_put_label(obj, "port", f, id);
		json_put_switch(obj, "name", f, q->w->lids, to);
		json_array_append_new(list, obj);
		out_text(q->o, "  port %-3u to %s, rank %d\n", p, switch_name(f, to),
			 (int)r->ops->rank(r, to));
	}
	out_text(q->o, "  %s on it\n", PLURAL(hosts, "host port"));
	json_object_set_new(question, "neighbours", list);
	json_object_set_new(question, "host_ports", json_integer(hosts));
}

static void ask_rank(struct quiz *q, json_t *question)
{
	const struct routing *r = q->w->routing;
	struct text t = {0};

	out_text(q->o, "Which rank has %s under %s?\n", switch_name(q->w->fabric, q->sw), r->engine);
	tell_neighbours(q, question);
	json_put_switch(question, "switch", q->w->fabric, q->w->lids, q->sw);
	if (r->ops->rank_clues)
		r->ops->rank_clues(r, q->sw, &t);
	tell_clue(q, question, &t);
}

static void explain_rank(const struct quiz *q, unsigned long guess)
{
	const struct routing *r = q->w->routing;
	const struct fabric *f = q->w->fabric;
	uint32_t least = NO_RANK;

	(void)guess;
	FOR_PORTS(f, q->sw, id) {
		uint32_t to = q->w->topo->peer_switch[id], rank = to == NO_ID ? NO_RANK : r->ops->rank(r, to);

		least = MIN(rank, least);
	}
	if (!q->right)
		out_text(q->o, "Which switches have rank 0 is settled before all others.\n");
	else if (least != NO_RANK)
		out_text(q->o, "The least rank of its neighbours is %u, one more than that is its own.\n",
			 least);
}

static int tell_rank(const struct quiz *q, struct err *e)
{
	(void)e;
	out_text(q->o, "Decided: %s: %s\n", why_rule_name(q->decided.rule), text_str(&q->decided.text));
	return 0;
}

const struct quiz_maker quiz_ranks = {"RANK", draw_rank, ask_rank, explain_rank, tell_rank};
