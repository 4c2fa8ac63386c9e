/* Quiz: the next port of an entry, and `quiz step`, where the person performs the run of an engine. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/rng.h"
#include "core/fabric/names.h"
#include "core/session/commands/quiz.h"
#include "core/session/commands/steps.h"
#include "core/session/lesson.h"

/* Quiz: the next port of an entry, from the candidates that `why` lists. */

struct quiz_port_command_drawing {
	struct quiz *q;
	uint32_t seen; /* decisions that could be asked */
};

/* All decisions that are not forced are drawn with equal probability. */
static void quiz_port_command_look_at(void *ctx, const struct rec_choice *c)
{
	struct quiz_port_command_drawing *d = ctx;
	const struct sweep *w = d->q->w;
	unsigned own = 0;

	if (!c->port || c->port == NO_PATH || c->n_offers > QUIZ_CANDIDATES ||
	    c->port != routing_port(w->routing, c->sw, c->lid))
		return;
	uint32_t owner = lid_owner(w->lids, c->lid);
	if (owner == NO_ID || !routing_has_host(w->routing, owner))
		return;
	for (unsigned i = 0; i < c->n_offers; i++)
		own += rec_elsewhere(w->fabric, c, &c->offer[i]) == NO_ID;
	if (own < 2 || own < c->n_offers)
		return;
	if (!rng_below(&d->q->random, ++d->seen)) {
		d->q->sw = c->sw;
		d->q->lid = c->lid;
		d->q->right = c->port;
		d->q->n_quantities = c->n_quantities;
		d->q->n = c->n_offers;
		for (unsigned i = 0; i < c->n_quantities; i++)
			d->q->quantity[i] = c->quantity[i];
		memcpy(d->q->candidate, c->offer, c->n_offers * sizeof(*c->offer));
		decided_free(&d->q->decided);
		if (c->decided.rule)
			decide(&d->q->decided, c->decided.rule, "%s", text_str(&c->decided.text));
	}
}

/* Switches are tried from a random one on, until one has a decision. */
static int draw_port(struct quiz *q, struct err *e)
{
	struct quiz_port_command_drawing d = {.q = q};
	struct rec_ask ask = {.tell = quiz_port_command_look_at, .ctx = &d};
	struct sweep_repeat again = {.engines = q->s->engines, .ask = &ask, .progress = q->o->run->progress};
	uint32_t n = q->w->fabric->n_switches, first = rng_below(&q->random, n);

	q->noun = "port";
	for (uint32_t i = 0; i < n && !d.seen; i++) {
		ask.sw = (first + i) % n;
		if (switch_up(q->w->topo, ask.sw) && rec_ask_again(q->w, &again, e))
			return -1;
	}
	return d.seen != 0;
}

COMPARATOR(by_port, struct rec_offer, UP(port))

static void ask_port(struct quiz *q, json_t *question)
{
	const struct fabric *f = q->w->fabric;
	json_t *list = json_array();

	qsort(q->candidate, q->n, sizeof(*q->candidate), by_port);
	out_text(q->o, "By which port does %s send LID %u (%s) under %s?\n" ROW_BEGIN "  %-5s",
		 switch_name(f, q->sw), q->lid, ENDPORT_LABEL(f, lid_owner(q->w->lids, q->lid)),
		 q->w->routing->engine, "port");
	tell_quantities(q->quantity, q->n_quantities, 7, q->o);
	for (unsigned i = 0; i < q->n; i++) {
		json_t *obj = json_make("{s:i}", "port", (int)q->candidate[i].port);

		json_put_out(obj, "port", q->w->fabric, q->sw, q->candidate[i].port);
		json_put_port(obj, "peer", q->w->fabric, q->w->lids, q->candidate[i].peer);
		out_text(q->o, ROW_BEGIN "  %-5u", q->candidate[i].port);
		tell_quantity_values(q->quantity, q->candidate[i].q, q->n_quantities, obj, q->o);
		out_text(q->o, "  " ROW_CUT("%s") "\n", PORT_LABEL(q->w->fabric, q->candidate[i].peer));
		json_array_append_new(list, obj);
	}
	json_object_set_new(question, "lid", json_integer(q->lid));
	json_object_set_new(question, "candidates", list);
	json_put_switch(question, "switch", f, q->w->lids, q->sw);
}

static const struct rec_offer *find_port(const struct quiz *q, unsigned long port)
{
	for (unsigned i = 0; i < q->n; i++)
		if (q->candidate[i].port == port)
			return &q->candidate[i];
	return NULL;
}

/* The first quantity in which the guess and the chosen port differ. */
static void explain_port(const struct quiz *q, unsigned long port)
{
	const struct rec_offer *best = find_port(q, q->right), *guess = find_port(q, port);

	if (!guess) {
		out_text(q->o, "Port %lu is no candidate.\n", port);
		return;
	}
	for (unsigned k = 0; k < q->n_quantities && best; k++) {
		long a = (long)guess->q[k], b = (long)best->q[k];

		if (guess->q[k] == best->q[k] || guess->q[k] == INT64_MIN || best->q[k] == INT64_MIN)
			continue;
		out_text(q->o, "Port %u has %ld of %s, port %u has %ld%s\n", guess->port, a, q->quantity[k],
			 q->right, b, a > b ? "." : "; but another rule comes first.");
		return;
	}
	out_text(q->o, "Port %u is as good as port %u, which comes first.\n", guess->port, q->right);
}

static int quiz_port_command_tell(const struct quiz *q, struct err *e)
{
	AUTO_FREE char *line =
		str_printf("why 0x%016lx %u",
			   (unsigned long)q->w->fabric->node_guid[q->w->fabric->switch_node[q->sw]], q->lid);
	AUTO_TEXT struct text said = {0};
	int rc = lesson_run(q->o->run, line, &said, e);

	out_text(q->o, "%s", text_str(&said));
	return rc;
}

const struct quiz_maker quiz_ports = {"PORT", draw_port, ask_port, explain_port, quiz_port_command_tell};

/* `quiz step`: the person performs the run of an engine, step by step; a wrong step is refused with its
 * rule. */

/* What a step asks for, in this order. */
enum { ASK_SWITCH = 1, ASK_PORT = 2, ASK_NUMBER = 4, ASK_YES = 8 };
static const struct {
	unsigned part;
	const char *name, *form;
} parts[] = {{ASK_SWITCH, "switch", "SWITCH"},
	     {ASK_PORT, "port", "PORT"},
	     {ASK_NUMBER, "number", "NUMBER"},
	     {ASK_YES, "yes or no", "yes|no"}};

struct quiz_step_command_task {
	const struct recording *r;
	size_t step;
	const struct rec_event *ev;
	unsigned asked;
	struct text question;
	const char *rule; /* where the engine names none; static */
	uint32_t sw;
	uint64_t number; /* of a port, too */
	bool yes;
};

/* --- what there is to be asked ------------------------------------------------------------------- */

static const char *sw_name(const struct quiz_step_command_task *t, uint32_t sw)
{
	assert(sw < recording_sweep(t->r)->fabric->n_switches);
	return switch_name(recording_sweep(t->r)->fabric, sw);
}

/* What the step makes of the first cell of a table that it changes; false: it changes none. */
static bool makes(const struct quiz_step_command_task *t, enum rec_table table, struct rec_delta *d)
{
	uint32_t cursor = 0;

	while (recording_next_delta(t->r, t->step, &cursor, d))
		if (d->table == table)
			return true;
	return false;
}

static void ask_for(struct quiz_step_command_task *t, unsigned parts_asked, const char *rule)
{
	t->asked = parts_asked;
	t->rule = rule;
	t->sw = t->ev->a;
	if (parts_asked & ASK_PORT)
		t->number = t->ev->port;
}

/* Port 0, the port of a host, the only candidate: there is nothing to decide.  -1 and *e. */
static int decides(struct quiz_step_command_task *t, const struct session *s, struct progress *p,
		   struct err *e)
{
	const struct sweep *w = recording_sweep(t->r);
	struct rec_choice *c = NULL;
	bool open = t->ev->port && t->ev->port != NO_PATH;

	if (open && w->topo->peer_switch[switch_port_id(w->fabric, t->ev->a, t->ev->port)] == NO_ID)
		return 0;
	if (!open || recording_choice(t->r, t->step, s->engines, &c, p, e))
		return open ? -1 : 0;
	open = c && (c->n_offers > 1 || !c->n_offers);
	rec_choice_free(c);
	return open;
}

static void quiz_step_command_ask_entry(struct quiz_step_command_task *t)
{
	bool heap = strstr(recording_engine(t->r), "sssp") != NULL;
	unsigned lid = t->ev->b;

	ask_for(t, heap ? ASK_SWITCH | ASK_PORT : ASK_PORT, "");
	if (heap)
		text_add(&t->question,
			 "Which switch leaves the heap next on the way to LID %u, and by which "
			 "port does it send?",
			 lid);
	else
		text_add(&t->question, "By which port does %s send LID %u?", sw_name(t, t->ev->a), lid);
}

/* The cycle of a cut: each channel, and the pairs on its edge to the next one. */
static void ask_cut(struct quiz_step_command_task *t)
{
	const struct fabric *f = recording_sweep(t->r)->fabric;
	const uint32_t *word;
	uint32_t n = recording_extra(t->r, t->step, &word), port = NO_ID, least = UINT32_MAX;

	text_add(&t->question, "The search of layer %u has found a cycle:", t->ev->b);
	for (uint32_t i = 0; i + 1 < n; i += 2) {
		text_add(&t->question, "%s %s (%" PRIu32 ")", i ? "," : "", PORT_LABEL(f, word[i]),
			 word[i + 1]);
		if (word[i + 1] < least) {
			least = word[i + 1];
			port = word[i];
		}
	}
	text_add(&t->question, ". Behind each channel stand the pairs that go on to the next. Which channel "
			       "begins the edge that is cut?");
	if (port == NO_ID)
		return;
	ask_for(t, ASK_SWITCH | ASK_PORT, "the first edge with the fewest pairs is cut");
	t->sw = f->node_switch[f->port_node[port]];
	t->number = f->port_num[port];
}

/* Is there something to be asked of a step?  1, 0, or -1 and *e. */
static int make_task(struct quiz_step_command_task *t, const struct session *s, struct progress *p,
		     struct err *e)
{
	const struct fabric *f = recording_sweep(t->r)->fabric;
	const struct rec_event *ev = t->ev;
	uint32_t pair_a = ev->a / f->n_switches, pair_b = ev->a % f->n_switches, n;
	AUTO_TEXT struct text cell = {0};
	const uint32_t *word;
	struct rec_delta d;
	int rc;

	switch (ev->kind) {
	case REC_CHOICE:
	case REC_SETTLE:
		rc = decides(t, s, p, e);
		if (rc > 0)
			quiz_step_command_ask_entry(t);
		return rc;
	case REC_VERDICT:
		ask_for(t, ASK_YES,
			"one distance holds more than 90 % of the ports with hosts, and no other more than 5 "
			"%");
		t->yes = makes(t, T_RANK, &d);
		text_add(&t->question, "Is %s a root?", sw_name(t, ev->a));
		break;
	case REC_RANK:
		if (!makes(t, T_RANK, &d))
			return 0;
		ask_for(t, ASK_SWITCH | ASK_NUMBER,
			"breadth first from the roots, ports in their order: the rank of the switch that "
			"reaches it, and 1 more");
		t->number = d.now;
		text_add(&t->question, "Which switch gets its rank next, and which rank?");
		break;
	case REC_VISIT:
		ask_for(t, ASK_SWITCH, "breadth first from the target, ports in their order");
		text_add(&t->question, "Which switch does the search from %s visit next?", sw_name(t, ev->b));
		break;
	case REC_ACCEPT:
	case REC_REFUSE:
		ask_for(t, ASK_YES, "a pair is refused by a layer if its path would close a cycle there");
		t->yes = ev->kind == REC_ACCEPT;
		text_add(&t->question, "Does the pair %s - %s fit into layer %u?", sw_name(t, pair_a),
			 sw_name(t, pair_b), ev->b);
		break;
	case REC_TURN:
		ask_for(t, ASK_YES, "a pair is moved if its path closes no cycle in the other layer");
		t->yes = !recording_cycle(t->r, t->step, &word);
		text_add(&t->question, "May the pair %s - %s move from layer %u to layer %u?",
			 sw_name(t, pair_a), sw_name(t, pair_b), ev->port, ev->b);
		break;
	case REC_TARGET:
		ask_for(t, ASK_SWITCH,
			strcmp(recording_engine(t->r), "ftree")
				? "the engine takes the LIDs of destinations in its own order"
				: "leaf switches in the order of their indices, then the others");
		text_add(&t->question, "On which switch hangs the next destination?");
		break;
	case REC_TUPLE:
		ask_for(t, ASK_SWITCH, "breadth first from the first leaf, ports in their order");
		text_add(&t->question, "Which switch gets its index next?");
		break;
	case REC_WEIGHTS:
		n = recording_extra(t->r, t->step, &word);
		if (n < 4 || word[1] == NO_ID)
			return 0;
		ask_for(t, ASK_NUMBER, "each route adds 1 to the weight of its channels");
		t->number = word[3];
		text_add(&t->question, "The routes to LID %u count now. Which weight has %s?", ev->b,
			 PORT_LABEL(f, word[1]));
		break;
	case REC_BREAK:
		ask_cut(t);
		break;
	case REC_CENTRE:
		ask_for(t, ASK_SWITCH,
			"the highest betweenness of the switches of the hull, the first of equals");
		text_add(&t->question, "Which switch is the centre of the escape tree of layer %u?", ev->b);
		break;
	case REC_ESCAPE:
		if (!ev->port)
			return 0;
		ask_for(t, ASK_PORT, "breadth first from the centre");
		text_add(&t->question, "By which port does %s send on the escape tree?", sw_name(t, ev->a));
		break;
	case REC_REACH:
		ask_for(t, ASK_SWITCH | ASK_PORT, "the way of least weight that no blocked dependency is on");
		text_add(&t->question,
			 "Which switch is reached next on the way to LID %u, and by which port does it send?",
			 ev->b);
		break;
	case REC_MERGE:
	case REC_BLOCK:
		ask_for(t, ASK_YES, "a dependency that would close a cycle is blocked");
		t->yes = ev->kind == REC_MERGE;
		text_add(&t->question, "May %s send LID %u by port %u?", sw_name(t, ev->a), ev->b, ev->port);
		break;
	case REC_PLACE:
		if (!makes(t, T_PLACE, &d))
			return 0;
		ask_for(t, ASK_SWITCH, "the neighbours that have their places leave one switch for it");
		recording_cell(t->r, T_PLACE, d.at, &cell);
		text_add(&t->question, "Which switch stands at %s?", text_str(&cell));
		break;
	default:
		break;
	}
	return t->asked != 0;
}

/* The first step behind the walk's that asks something.  1, 0: none is left, -1 and *e. */
static int next_task(struct session *s, struct quiz_step_command_task *t, struct progress *p, struct err *e)
{
	const struct walk *w = session_walk(s);
	int rc = 0;

	t->r = walk_recording(w);
	for (t->step = walk_step(w);
	     !rc && (t->step = step_neighbour(t->r, t->step, 1)) <= recording_steps(t->r);) {
		if (progress_cancelled(p))
			return err_set(e, CANCELLED);
		t->ev = recording_event(t->r, t->step);
		rc = make_task(t, s, p, e);
	}
	return rc;
}

/* --- asking and judging ----------------------------------------------------------------------------- */

static void ask_task(const struct quiz_step_command_task *t, struct out *o)
{
	const struct sweep *w = recording_sweep(t->r);
	json_t *q = json_make("{s:s, s:s, s:I, s:I, s:s}", "kind", "step", "event",
			      rec_kinds[t->ev->kind].name, "step", (json_int_t)t->step, "of",
			      (json_int_t)recording_steps(t->r), "text", text_str(&t->question)),
	       *asks = json_array();
	AUTO_TEXT struct text form = {0};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (t->asked & parts[i].part) {
			json_array_append_new(asks, json_text(parts[i].name));
			text_add(&form, " %s", parts[i].form);
		}
	json_object_set_new(q, "asks", asks);
	if (rec_kinds[t->ev->kind].a == FIELD_SWITCH && !(t->asked & ASK_SWITCH))
		json_put_switch(q, "switch", w->fabric, w->lids, t->ev->a);
	if (rec_kinds[t->ev->kind].b == FIELD_LID)
		json_object_set_new(q, "lid", json_integer(t->ev->b));
	out_json(o, "question", q);
	out_text(o, "Step %zu of %zu: %s\n`quiz step%s` does it.\n", t->step, recording_steps(t->r),
		 text_str(&t->question), text_str(&form));
}

/* The first part that is wrong, or NULL. -1 and *e: a word cannot be such a part. */
static int wrong_part(const struct session *s, const struct quiz_step_command_task *t,
		      const struct args *args, const char **wrong, struct err *e)
{
	int at = 1, n = 0;
	uint64_t number;

	*wrong = NULL;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		n += (t->asked & parts[i].part) != 0;
	if (args->n - 1 != n)
		return err_word(e, "found %s, expected %d: %s%s", PLURAL(args->n - 1, "word"), n,
				t->asked & ASK_SWITCH ? "a switch"
				: t->asked & ASK_YES  ? "yes or no"
						      : "a number",
				t->asked & ASK_SWITCH && n > 1 ? " and a number" : "");
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		const char *word;
		bool right;

		if (!(t->asked & parts[i].part))
			continue;
		word = args->arg[at++].word;
		if (parts[i].part == ASK_SWITCH) {
			uint32_t node = session_node(s, word, e);

			if (node == NO_ID)
				return -1;
			right = node == s->fabric->switch_node[t->sw];
		} else if (parts[i].part == ASK_YES) {
			if (strcmp(word, "yes") != 0 && strcmp(word, "no") != 0)
				return err_word(e, "found \"%s\", expected yes or no", word);
			right = !strcmp(word, "yes") == t->yes;
		} else {
			if (!number_of(word, 0, UINT32_MAX, &number))
				return err_word(e, "found \"%s\", expected a number", word);
			right = number == t->number;
		}
		if (!right && !*wrong)
			*wrong = parts[i].name;
	}
	return 0;
}

/* It was right: the walk goes there, and says what was done. */
static int go_there(const struct quiz_step_command_task *t, struct out *o, struct err *e)
{
	AUTO_FREE char *line = str_printf("step to %zu", t->step);
	AUTO_TEXT struct text said = {0};
	int rc = lesson_run(o->run, line, &said, e);

	out_text(o, "Right.\n%s", rc ? "" : text_str(&said));
	return rc;
}

static int judge_task(struct session *s, const struct quiz_step_command_task *t, const struct args *args,
		      struct out *o, struct err *e)
{
	const char *wrong, *rule = recording_rule(t->r, t->ev), *source = recording_source(t->r, t->ev);
	/* A lesson hands its answer over as one word: "t20 3" is a switch and a number. */
	AUTO_FREE char *first = str_dup(args->arg[1].word);
	char *blank = args->n == 2 ? strrchr(first, ' ') : NULL;
	struct arg two[] = {args->arg[0], {.word = first}, {.word = blank ? blank + 1 : NULL}};
	const struct args apart = {.n = 3, .arg = two};

	if (blank)
		*blank = 0;
	int rc = wrong_part(s, t, blank ? &apart : args, &wrong, e);
	if (rc)
		return -1;
	out_json(o, "right", json_boolean(!wrong));
	if (!wrong)
		return go_there(t, o, e);
	rule = *t->rule ? t->rule : rule;
	out_json(o, "refused", json_text(wrong));
	out_json(o, "rule", json_text(rule));
	out_text(o, "Refused: %s is wrong", strcmp(wrong, "yes or no") ? wrong : "that");
	if (*rule)
		out_text(o, ". The rule: %s", rule);
	out_text(o, *source ? ". See %s\n" : ".\n", source);
	o->run->found_fault = true;
	return 1;
}

int quiz_step(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct quiz_step_command_task t = {0};
	int rc = 0;

	if (!session_walk(s)) {
		AUTO_TEXT struct text said = {0};

		rc = lesson_run(o->run, "step start", &said, e);
		out_text(o, "%s", rc ? "" : text_str(&said));
		if (!rc && args->n > 1)
			rc = err_set(e, "no step was asked yet; `quiz step` asks the first");
	}
	if (!rc)
		rc = next_task(s, &t, o->run->progress, e);
	if (rc > 0 && args->n > 1) {
		rc = judge_task(s, &t, args, o, e);
		if (!rc) {
			text_free(&t.question);
			t = (struct quiz_step_command_task){0};
			rc = next_task(s, &t, o->run->progress, e);
		}
	}
	if (rc > 0)
		ask_task(&t, o);
	else if (!rc)
		out_text(o, "Nothing is left to be decided: the run of %s is done.\n",
			 recording_engine(walk_recording(session_walk(s))));
	out_json(o, "done", json_boolean(!rc));
	text_free(&t.question);
	return rc < 0 ? -1 : 0;
}
