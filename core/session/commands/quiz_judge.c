/* Quiz: which turn is forbidden, is it sound, how many layers. */
#include "core/base/defs.h"
#include "core/session/commands/quiz.h"

#include "core/analysis/credit/turns.h"
#include "core/base/rng.h"
#include "core/session/lesson.h"

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
		unsigned at;

		if (turn_forbidden(q->w->routing, q->sw, t.in, t.out) != forbidden)
			continue;
		at = seen < most ? seen : rng_below(&q->random, seen + 1);
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
		unsigned lawful;
		struct quiz_turn bad;

		q->sw = (first + i) % n;
		lawful = take_turns(q, false, q->turn, QUIZ_TURNS - 1);
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
	char way = q->w->routing->ops->direction(q->w->routing, sw, port);

	return way == 'U' ? "up" : way == 'D' ? "down" : "within its level";
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
	struct text said = {0};
	int rc = lesson_run(q->o->run, "layers", &said, e);

	out_text(q->o, "%s", rc ? "" : text_str(&said));
	text_free(&said);
	return rc;
}

const struct quiz_maker quiz_counts = {"LAYERS", draw_layers, ask_layers, explain_nothing,
				       quiz_judge_command_tell_layers};
