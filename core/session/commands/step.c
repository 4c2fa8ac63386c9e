/* `step`: a walk through the recorded run of an engine, one step in full, and conditions to stop at. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"
#include "core/session/commands/steps.h"
#include "core/session/replay.h"
#include "core/trace/walk.h"

/* `step`: a walk through the recorded run of an engine. */

/* --- starting ------------------------------------------------------------------------------------ */

static void say_recorded(const struct recording *r, const struct rec_focus *f, struct out *o)
{
	size_t n = recording_steps(r), in_focus = 0;

	for (size_t i = 1; i <= n; i++)
		in_focus += recording_in_focus(r, i);
	out_text(o, "%s of %s recorded%s", PLURAL(n, "step"), recording_engine(r),
		 recording_refusal(r) ? ", up to its refusal" : "");
	if (!rec_focus_is_all(f))
		out_text(o, ", %zu of them about what was named", in_focus);
	out_text(o, "; `step` walks through them, `step find TEXT` jumps.\n");
	if (*recording_part(r))
		out_text(o, "Recorded: %s.\n", recording_part(r));
	if (recording_differs(r)) {
		out_text(o, "The walk differs from the engine at %s.\n",
			 PLURAL(recording_differs(r), "cell"));
		o->run->found_fault = true;
	}
	out_fields(o, json_make("{s:I, s:s, s:s}", "steps", (json_int_t)n, "engine", recording_engine(r),
				"part", recording_part(r)));
}

/* Reads what `step start` records: *engine (NULL: the one in force) and a focus. args may be NULL. */
static int read_start(const struct session *s, const struct args *args, const char **engine,
		      struct rec_focus *f, struct err *e)
{
	const char *name = args ? args_word(args, "ENGINE", NULL) : NULL;
	const struct engine *g = name ? engine_find(s->engines, name) : NULL;
	const uint32_t *switches = s->fabric->node_switch;

	*engine = g ? g->name : NULL;
	*f = REC_EVERYTHING;
	if (name && !g) /* no engine, and no switch */
		return session_node(s, name, e) == NO_ID ? -1 : err_set(e, "%s is no switch", name);
	if (!args)
		return 0;
	const struct arg *sw = args_get(args, "SWITCH");
	const struct arg *dst = args_get(args, "DST");
	if (sw && args_has(args, "pair")) {
		f->pair_a = switches[sw->id];
		f->pair_b = switches[args_next(args, "SWITCH", sw)->id];
	} else if (sw) {
		f->sw = switches[sw->id];
	}
	if (dst)
		f->lid = (uint16_t)dst->lid;
	f->layer = (uint8_t)args_number(args, "layer N", f->layer);
	return 0;
}

/* args NULL: records the whole run of the engine in force. */
static int step_command_start(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	struct rec_request rq = {.engines = s->engines, .progress = o->run->progress};
	uint32_t node = NO_ID;
	const char *engine;

	if (!w || !w->n_refusals)
		w = need_routing(s, e);
	if (!w || read_start(s, args, &engine, &rq.focus, e))
		return -1;
	session_set_walk(s, NULL);
	o->run->in->steps_shown = 0;
	if (!recording_possible(w, engine, s->engines)) {
		if (!engine && !w->routing)
			return err_set(e, "no engine routed the fabric; `step start ENGINE` walks through "
					  "one that refused");
		if (engine && (!w->routing || strcmp(engine, w->routing->engine)))
			return err_set(e,
				       "%s neither made these tables nor refused to: there is no run to walk "
				       "through",
				       engine);
		return err_set(e, "%s records no steps: there is no run to walk through", w->routing->engine);
	}
	rq.sweep = w;
	rq.engine = engine;
	rq.limit = (size_t)options_uint(s->setup->options, "record_limit") * REC_MB;
	if (o->run->in->selected)
		node = fabric_node_by_guid(s->fabric, o->run->in->selected);
	if (node != NO_ID && node_is_switch(s->fabric, node))
		rq.selected = 1 + s->fabric->node_switch[node];
	const struct recording *r = recording_make(&rq, e);
	if (!r)
		return -1;
	if (mem_room(e, walk_room(r), "tables of a walk")) {
		recording_unref(r);
		return -1;
	}
	session_set_walk(s, walk_new(r));
	say_recorded(r, &rq.focus, o);
	recording_unref(r);
	return 0;
}

#define STEP_DELTAS 1000 /* the most that JSON lists */

/* --- where it stands --------------------------------------------------------------------------------- */

static void step_json(struct walk *w, struct out *o)
{
	const struct recording *r = walk_recording(w);
	const struct rec_event *ev = walk_event(w);
	uint32_t cursor = 0, n = 0;
	struct rec_delta d;
	AUTO_TEXT struct text t = {0};

	if (!o->run->json)
		return;
	json_t *deltas = json_array();
	while (n++ < STEP_DELTAS && walk_next_delta(w, &cursor, &d)) {
		AUTO_TEXT struct text place = {0};

		recording_cell(r, d.table, d.at, &place);
		json_array_append_new(deltas, json_make("{s:s, s:s, s:I, s:I}", "table",
							rec_tables[d.table].name, "where", text_str(&place),
							"was", (json_int_t)d.was, "now", (json_int_t)d.now));
	}
	walk_sentence(w, &t);
	out_fields(o, json_make("{s:I, s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "step",
				(json_int_t)walk_step(w), "of", (json_int_t)recording_steps(r), "engine",
				recording_engine(r), "phase", walk_phase(w), "kind",
				ev ? rec_kinds[ev->kind].name : "", /* nothing before the first step */
				"rule", ev ? recording_rule(r, ev) : "", "source",
				ev ? recording_source(r, ev) : "", "sentence", text_str(&t), "part",
				recording_part(r), "deltas", deltas));
}

void step_line(struct walk *w, struct out *o)
{
	const struct rec_event *ev = walk_event(w);
	AUTO_TEXT struct text t = {0};

	assert(walk_step(w) <= recording_steps(walk_recording(w)));
	walk_sentence(w, &t);
	out_text(o, "%6zu %s" ROW_PROSE "%s\n", walk_step(w), ev && ev->kind == REC_PHASE ? "== " : "  ",
		 text_str(&t));
}

/* Go to a step, and say where it is. */
static int step_command_stand(struct session *s, size_t step, struct out *o, struct err *e)
{
	struct walk *w = session_walk(s);

	assert(step <= recording_steps(walk_recording(w)));
	session_lock(s);
	if (walk_to(w, step, o->run->progress)) {
		session_unlock(s);
		return err_set(e, CANCELLED);
	}
	session_unlock(s);
	o->run->in->steps_shown = step ? step - 1 : 0;
	step_line(w, o);
	step_json(w, o);
	return 0;
}

/* --- pages ----------------------------------------------------------------------------------------- */

size_t step_neighbour(const struct recording *r, size_t step, int dir)
{
	size_t n = recording_steps(r);

	assert((dir == 1 || dir == -1) && step <= n + 1);
	if (dir > 0)
		for (step++; step <= n && !recording_in_focus(r, step);)
			step++;
	else
		for (step = step ? step - 1 : 0; step && !recording_in_focus(r, step);)
			step--;
	return step;
}

/* Shows the next n steps. They become the steps shown last. */
static int page(struct session *s, size_t n, struct out *o, struct err *e)
{
	struct walk *w = session_walk(s);
	const struct recording *r = walk_recording(w);
	size_t next;

	o->run->in->steps_shown = walk_step(w);
	for (; n && (next = step_neighbour(r, walk_step(w), 1)) <= recording_steps(r); n--) {
		session_lock(s);
		walk_to(w, next, NULL);
		session_unlock(s);
		if (progress_cancelled(o->run->progress))
			return err_set(e, CANCELLED);
		step_line(w, o);
	}
	if (step_neighbour(r, walk_step(w), 1) > recording_steps(r))
		out_text(o, "The run is over: %s.\n", PLURAL(recording_steps(r), "step"));
	step_json(w, o);
	return 0;
}

/* Shows the page before the steps shown last, or the first page. */
static int page_back(struct session *s, struct out *o, struct err *e)
{
	struct walk *w = session_walk(s);
	const struct recording *r = walk_recording(w);
	size_t n = 0, at = o->run->in->steps_shown + 1, before;

	while (n < STEP_PAGE && (before = step_neighbour(r, at, -1))) {
		at = before;
		n++;
	}
	session_lock(s);
	walk_to(w, n ? at - 1 : 0, NULL);
	session_unlock(s);
	return page(s, n ? n : STEP_PAGE, o, e);
}

/* Shows n lines around the cursor, which stays. */
static int list(struct session *s, size_t n, struct out *o, struct err *e)
{
	struct walk *w = session_walk(s), *look = walk_new(walk_recording(w));
	size_t at = walk_step(w), from = at;
	int rc = 0;

	for (size_t i = n / 2; i && from; i--)
		from = step_neighbour(walk_recording(w), from, -1);
	for (from = from ? from : step_neighbour(walk_recording(w), 0, 1);
	     n && from <= recording_steps(walk_recording(w)); n--) {
		if (walk_to(look, from, o->run->progress)) {
			rc = err_set(e, CANCELLED);
			break;
		}
		step_line(look, o);
		from = step_neighbour(walk_recording(w), from, 1);
	}
	walk_free(look);
	step_json(w, o);
	return rc;
}

/* --- looking for steps ------------------------------------------------------------------------- */

static int next_key(struct session *s, const char *word, int dir, struct out *o, struct err *e)
{
	struct walk *w = session_walk(s);
	const struct recording *r = walk_recording(w);
	struct interpreter *in = o->run->in;

	if (!strcmp(word, "boundary"))
		word = rec_keys[in->boundary ? in->boundary - 1 : KEY_PHASE];
	for (unsigned k = 0; k < N_KEYS; k++) {
		if (strcmp(word, rec_keys[k]))
			continue;
		in->boundary = (int)k + 1;
		size_t step = walk_next(w, k, dir);
		if (step <= recording_steps(r))
			return step_command_stand(s, step, o, e);
		return err_set(e, "no other %s %s step %zu of %zu", rec_keys[k], dir > 0 ? "after" : "before",
			       walk_step(w), recording_steps(r));
	}
	return usage(s, "step", e);
}

/* The nearest step in focus that meets the condition. A separate walk looks for it. */
static size_t step_command_find(const struct walk *w, const struct rec_condition *c, int dir,
				struct progress *p)
{
	const struct recording *r = walk_recording(w);
	struct walk *look = walk_new(r);
	size_t found = recording_steps(r) + 1;

	if (!walk_to(look, walk_step(w), p))
		do {
			found = walk_find(look, c, dir, p);
		} while (found <= recording_steps(r) && !recording_in_focus(r, found) &&
			 !walk_to(look, found, p));
	walk_free(look);
	return found;
}

static int step_condition(const struct session *s, int n, const struct arg *word, struct rec_condition *c,
			  struct text *words, struct err *e);

static int until(struct session *s, int n, const struct arg *word, int dir, struct out *o, struct err *e)
{
	struct walk *w = session_walk(s);
	AUTO_TEXT struct text words = {0};
	struct rec_condition c;
	int rc = step_condition(s, n, word, &c, &words, e);

	if (rc)
		return rc;
	size_t found = step_command_find(w, &c, dir, o->run->progress);
	if (found <= recording_steps(walk_recording(w)))
		return step_command_stand(s, found, o, e);
	return progress_cancelled(o->run->progress)
		       ? err_set(e, CANCELLED)
		       : err_set(e, "no such step %s %zu", dir > 0 ? "after" : "before", walk_step(w));
}

/* Go to the next step whose sentence contains the words. The step to come counts too. */
static int find_text(struct session *s, int n, const struct arg *word, struct out *o, struct err *e)
{
	struct walk *w = session_walk(s);
	struct rec_condition c = REC_ANY;
	AUTO_TEXT struct text t = {0};

	for (int i = 0; i < n; i++)
		text_add(&t, "%s%s", i ? " " : "", word[i].word);
	c.text = text_str(&t);
	size_t found = step_command_find(w, &c, 1, o->run->progress);
	if (progress_cancelled(o->run->progress))
		return err_set(e, CANCELLED);
	if (found > recording_steps(walk_recording(w)))
		return err_set(e, "no step from %zu on contains \"%s\"", walk_step(w) + 1, c.text);
	return step_command_stand(s, found, o, e);
}

/* --- breakpoints ------------------------------------------------------------------------------- */

static int add_break(struct session *s, int n, const struct arg *word, struct out *o, struct err *e)
{
	struct interpreter *in = o->run->in;
	AUTO_TEXT struct text words = {0}, t = {0};
	struct rec_condition c;
	int rc = step_condition(s, n, word, &c, &words, e);

	if (rc)
		return rc;
	for (int i = 0; i < n; i++)
		text_add(&t, "%s%s", i ? "\n" : "", word[i].word); /* a search splits them into words again */
	GROW(in->stop_at, in->n_stops, in->cap_stops);
	in->stop_at[in->n_stops++] = str_dup(text_str(&t));
	out_text(o, "Breakpoint %zu is set; `step go` runs to the next.\n", in->n_stops);
	return 0;
}

/* number NULL: drops all of them. */
static int drop_break(struct session *s, const char *number, struct out *o, struct err *e)
{
	struct interpreter *in = o->run->in;
	uint64_t n;

	if (!number) {
		step_stops_clear(in);
		return 0;
	}
	if (!number_of(number, 0, UINT64_MAX, &n))
		return usage(s, "step", e);
	if (!n || n > in->n_stops)
		return err_set(e, "found breakpoint %s, expected 1 to %zu", number, in->n_stops);
	free(in->stop_at[n - 1]);
	memmove(in->stop_at + n - 1, in->stop_at + n, (in->n_stops - n) * sizeof(*in->stop_at));
	in->n_stops--;
	return 0;
}

static void list_breaks(struct out *o)
{
	struct interpreter *in = o->run->in;

	for (size_t i = 0; i < in->n_stops; i++) {
		out_text(o, "%zu ", i + 1);
		for (const char *c = in->stop_at[i]; *c; c++)
			out_text(o, "%c", *c == '\n' ? ' ' : *c);
		out_text(o, "\n");
	}
	if (!in->n_stops)
		out_text(o, "No breakpoints; `step break CONDITION` sets one.\n");
}

size_t step_next_break(struct session *s, const struct interpreter *in, size_t *number, struct progress *p,
		       struct err *e)
{
	assert(session_walk(s));
	const struct walk *w = session_walk(s);
	size_t first = recording_steps(walk_recording(w)) + 1;

	for (size_t i = 0; i < in->n_stops; i++) {
		char *copy = str_dup(in->stop_at[i]), *save = NULL;
		AUTO_TEXT struct text words = {0};
		struct arg word[64];
		struct rec_condition c;
		size_t found = 0;
		int n = 0;

		for (char *at = strtok_r(copy, "\n", &save); at && n < (int)ARRAY_LEN(word);
		     at = strtok_r(NULL, "\n", &save))
			word[n++] = (struct arg){.word = at};
		if (!step_condition(s, n, word, &c, &words, e))
			found = step_command_find(w, &c, 1, p); /* as `step until` */
		free(copy);
		if (!found)
			return 0;
		if (found < first) {
			first = found;
			*number = i + 1;
		}
	}
	if (progress_cancelled(p))
		err_set(e, CANCELLED);
	return progress_cancelled(p) ? 0 : first;
}

static int step_command_go(struct session *s, struct out *o, struct err *e)
{
	size_t number, found;

	if (!o->run->in->n_stops)
		return err_set(e, "no breakpoints; `step break CONDITION` sets one");
	found = step_next_break(s, o->run->in, &number, o->run->progress, e);
	if (!found)
		return -1;
	if (found > recording_steps(walk_recording(session_walk(s))))
		return err_set(e, "no breakpoint after step %zu", walk_step(session_walk(s)));
	return step_command_stand(s, found, o, e);
}

static int step_show(struct session *s, struct out *o, struct err *e);

/* --- the command ------------------------------------------------------------------------------- */

/* The words of `step` that need a recording. */
static int walked(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct walk *w = session_walk(s);
	const struct recording *r = walk_recording(w);
	const struct arg *word = args->arg;
	const char *what = args->n ? word[0].word : "next";
	const char *second = args->n > 1 ? word[1].word : NULL;
	bool back = !strcmp(what, "back");
	uint64_t n = STEP_PAGE;

	if (args_has(args, "until"))
		return until(s, args->n - 1 - back, word + 1 + back, back ? -1 : 1, o, e);
	if (!strcmp(what, "find"))
		return find_text(s, args->n - 1, word + 1, o, e);
	if (!strcmp(what, "break") && second) {
		if (strcmp(second, "off"))
			return add_break(s, args->n - 1, word + 1, o, e);
		return args->n > 3 ? usage(s, "step", e)
				   : drop_break(s, args->n > 2 ? word[2].word : NULL, o, e);
	}
	if (!strcmp(what, "break")) {
		list_breaks(o);
		return 0;
	}
	if (!strcmp(what, "to") && second) {
		n = recording_steps(r);
		if (strcmp(second, "last") && !number_of(strcmp(second, "first") ? second : "0", 0, n, &n))
			return err_set_kind(e, number_beyond(second, n) ? ERR_FAILED : ERR_SYNTAX,
					    "found step %s, expected 0 to %zu, first or last", second,
					    recording_steps(r));
		return step_command_stand(s, (size_t)n, o, e);
	}
	if (back && !second)
		return page_back(s, o, e);
	if (back && number_of(second, 1, SIZE_MAX, &n)) {
		size_t at = walk_step(w);

		while (n-- && at)
			at = step_neighbour(r, at, -1);
		return step_command_stand(s, at, o, e);
	}
	if (second && (back || !strcmp(what, "next")))
		return next_key(s, second, back ? -1 : 1, o, e);
	if (!strcmp(what, "list") && (!second || number_of(second, 1, SIZE_MAX, &n)))
		return list(s, (size_t)n, o, e);
	if (!strcmp(what, "show"))
		return step_show(s, o, e);
	if (!strcmp(what, "go"))
		return step_command_go(s, o, e);
	if (!strcmp(what, "all")) {
		session_lock(s);
		walk_to(w, 0, NULL);
		session_unlock(s);
		return page(s, SIZE_MAX, o, e);
	}
	if (!strcmp(what, "next") || number_of(what, 1, SIZE_MAX, &n))
		return page(s, (size_t)n, o, e);
	return usage(s, "step", e);
}

static int step_command_step(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *what = args->n ? args->arg[0].word : "next";
	bool played = step_stand_still(s),
	     play = args_has(args, "play") || args_has(args, "pause") || args_has(args, "stop");

	if (!strcmp(what, "start"))
		return step_command_start(s, args, o, e);
	if (play && !o->run->on_screen)
		return err_set(e, "`step %s` needs a screen; `step until CONDITION` and `step go` run on",
			       what);
	if (!strcmp(what, "breaks")) {
		list_breaks(o);
		return 0;
	}
	if (!strcmp(what, "end")) {
		session_set_walk(s, NULL);
		out_text(o, "The present is shown again.\n");
		return 0;
	}
	if (!session_walk(s) && step_command_start(s, NULL, o, e))
		return -1;
	return play ? step_play(s, args, played, o, e) : walked(s, args, o, e);
}

static int cmd_step(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	int rc = step_command_step(s, args, o, e);

	session_walk_moved(s);
	return rc;
}

const struct command step_commands[] = {
	{.name = "step",
	 .group = EXPLAIN,
	 .syntax = "step [N | next|back|all|show|go|breaks|end] | to N | list [N] | back N | next|back "
		   "phase|round|switch|lid|pair|layer|boundary | find TEXT... | until TEXT... | back until "
		   "TEXT... | break [TEXT...] | break off [N] | play [SPEED|faster|slower] | pause|stop | "
		   "start [ENGINE] [SWITCH [DST]] | start [ENGINE] all | start [ENGINE] pair SWITCH SWITCH | "
		   "start [ENGINE] lid DST | start [ENGINE] layer N",
	 .finds = "the steps do not lead to the tables, a defect of the program",
	 .help = "walk step by step through the run of the engine in force, or of one that refused",
	 .json = "steps integer? steps that were recorded\n"
		 "engine engine? whose run it is\n"
		 "part string? what of a long run was recorded, empty: all\n"
		 "of integer? steps there are\n"
		 "phase string? phase the step is in\n"
		 "kind string? kind of the event\n"
		 "rule string? rule that decided, empty: none\n"
		 "source string? the document that explains such steps, empty: none\n"
		 "sentence string? what happens there\n"
		 "deltas[] object? cells it changes, the first 1000\n"
		 "deltas[].table string the table\n"
		 "deltas[].where string the cell\n"
		 "deltas[].was integer value before; 255 of bytes and 4294967295: none\n"
		 "deltas[].now integer value after\n"
		 "asked string? `step show`: the question to the engine about the step\n"
		 "told string? its answer, with the rule that `why` ends with\n"
		 "candidates[] object? what the step chose from; of an ambiguous name the nodes that it "
		 "fits\n"
		 "candidates[].name node? one of these nodes\n"
		 "candidates[].port portnum? a port\n"
		 "candidates[].taken boolean? it was taken\n"
		 "candidates[].peer port? port at the other end\n"
		 "candidates[].chip node? chip of the chassis that it is on, when another\n"
		 "candidates[].* integer what was compared, by name\n",
	 .numbers = ARG_NUMBERS(ARG_NUMBER("layer N", 0, 14, "a layer, 0 to 14", NULL)),
	 .run = cmd_step},
	{.name = NULL},
};

/* `step show`: one step in full. */

#define CHANGES_SHOWN 20

/* The candidates of the choice, in lines and as a list. */
static json_t *step_show_command_tell_candidates(const struct step_about *a, const struct sweep *s,
						 struct out *o)
{
	json_t *list = json_array();

	if (a->n_candidates) {
		out_text(o, "       %s:\n" ROW_BEGIN "         %-4s", a->asked, "port");
		tell_quantities(a->quantity, a->n_quantities, 13, o);
	}
	for (size_t i = 0; i < a->n_candidates; i++) {
		const struct about_candidate *c = &a->candidate[i];
		json_t *obj = json_make("{s:i, s:b}", "port", (int)c->port, "taken", c->taken);

		if (c->peer != NO_ID && c->chip == NO_ID)
			json_put_label(obj, "port", s->fabric, s->fabric->port_peer[c->peer]);
		if (c->peer != NO_ID)
			json_put_port(obj, "peer", s->fabric, s->lids, c->peer);
		if (c->chip != NO_ID)
			json_put_node(obj, "chip", s->fabric, s->lids, s->fabric->port_node[c->chip]);
		if (c->from)
			out_text(o, ROW_BEGIN "         %-4s", "-");
		else
			out_text(o, ROW_BEGIN "       %c %-4u", c->taken ? '>' : ' ', c->port);
		tell_quantity_values(a->quantity, c->q, a->n_quantities, obj, o);
		if (c->from)
			out_text(o, "  " ROW_CUT("%s") " ->", c->from);
		out_text(o, "  " ROW_CUT("%s") "\n", c->to);
		json_array_append_new(list, obj);
	}
	return list;
}

/* step.c: the step where the session's walk stands, with everything that replay.h knows about it. */
static int step_show(struct session *s, struct out *o, struct err *e)
{
	struct walk *w = session_walk(s);
	const struct recording *r = walk_recording(w);
	struct step_about *a = step_about(r, walk_step(w), s->engines, o->run->progress, e);

	if (!a)
		return -1;
	out_text(o, "Step %zu of %zu of %s: %s\n", a->step, a->of, a->engine, a->phase);
	step_line(w, o);
	for (size_t i = 0; i < a->n_changes && i < CHANGES_SHOWN; i++)
		out_text(o, "       " ROW_PROSE "%s of %s: %s, was %s\n", rec_tables[a->change[i].table].name,
			 a->change[i].where, a->change[i].now_text, a->change[i].was_text);
	if (a->all_changes > CHANGES_SHOWN)
		out_text(o, "       and %s\n", PLURAL(a->all_changes - CHANGES_SHOWN, "more change"));
	if (*a->rule)
		out_text(o, "       rule: " ROW_PROSE "%s\n", a->rule);
	json_t *candidates = step_show_command_tell_candidates(a, recording_sweep(r), o);
	if (*a->told && !a->n_candidates && a->asked)
		out_text(o, "       %s:\n", a->asked);
	for (const char *line = a->told; *line;) {
		int n = (int)strcspn(line, "\n");

		out_text(o, "       " ROW_PROSE "%.*s\n", n, line);
		line += n + (line[n] == '\n');
	}
	if (*a->source)
		out_text(o, "       source: " ROW_PROSE "%s\n", a->source);
	if (*a->part)
		out_text(o, "       Recorded: %s.\n", a->part);
	step_json(w, o);
	if (a->asked)
		out_json(o, "asked", json_text(a->asked));
	out_json(o, "told", json_text(a->told));
	out_json(o, "candidates", candidates);
	step_about_free(a);
	return 0;
}

/* Conditions of `step until` and `step break`: terms with "and" between them. */

static int a_switch(const struct session *s, const char *word, uint32_t *sw, struct err *e)
{
	uint32_t node = session_node(s, word, e);

	if (node == NO_ID)
		return -1;
	if (!node_is_switch(s->fabric, node))
		return err_set(e, "found %s, which is no switch, expected a switch",
			       s->fabric->node_name[node]);
	*sw = s->fabric->node_switch[node];
	return 0;
}

static int a_lid(const struct session *s, const char *word, uint16_t *lid, struct err *e)
{
	unsigned v;

	if (session_endport(s, word, &v, e) == NO_ID)
		return -1;
	*lid = v;
	return 0;
}

static int a_number(const char *term, const char *word, unsigned long most, uint32_t *v, struct err *e)
{
	uint64_t n;

	if (!number_of(word, 0, most, &n))
		return err_set(e, "%s: found '%.80s', expected a number from 0 to %lu", term, word, most);
	*v = (uint32_t)n;
	return 0;
}

/* The words of a term as one text, joined by blanks. It points into `words`, which has room. */
static const char *step_until_command_joined(int n, const struct arg *word, struct text *words)
{
	size_t start = words->len;

	for (int i = 0; i < n; i++)
		text_add(words, "%s%s", i ? " " : "", word[i].word);
	words->len++; /* keep its NUL */
	return words->s + start;
}

/* A term of two words: SWITCH DST, or a kind and a name. */
static int two_words(const struct session *s, const char *what, const struct arg *word,
		     struct rec_condition *c, struct text *words, struct err *e)
{
	uint32_t n;

	if (!strcmp(what, "switch"))
		return a_switch(s, word->word, &c->sw, e);
	if (!strcmp(what, "target"))
		return a_switch(s, word->word, &c->target, e);
	if (!strcmp(what, "lid"))
		return a_lid(s, word->word, &c->lid, e);
	if (!strcmp(what, "port")) {
		c->port = session_port(s, word->word, e);
		return c->port == NO_ID ? -1 : 0;
	}
	if (!strcmp(what, "round"))
		return a_number("round", word->word, 254, &c->round, e);
	if (!strcmp(what, "phase")) {
		c->phase = step_until_command_joined(1, word, words);
		return 0;
	}
	if (!strcmp(what, "layer")) {
		if (a_number("layer", word->word, 14, &n, e))
			return -1;
		c->layer = n;
		return 0;
	}
	c->decided = true; /* SWITCH DST */
	return a_switch(s, what, &c->sw, e) || a_lid(s, word->word, &c->lid, e) ? -1 : 0;
}

static int term(const struct session *s, int n, const struct arg *word, struct rec_condition *c,
		struct text *words, struct err *e)
{
	const char *what = n ? word[0].word : "";
	const char *second = n > 1 ? word[1].word : "";

	for (unsigned i = 0; i < N_WORDS; i++)
		if (i == WORD_NO_ENTRY ? n == 2 && !strcmp(what, "no") && !strcmp(second, "entry")
				       : n == 1 && !strcmp(what, rec_words[i])) {
			c->words |= 1u << i;
			return 0;
		}
	if (n > 1 && (!strcmp(what, "text") || !strcmp(what, "rule"))) {
		*(*what == 't' ? &c->text : &c->rule) = step_until_command_joined(n - 1, word + 1, words);
		return 0;
	}
	if (n == 3 && !strcmp(what, "pair"))
		return a_switch(s, second, &c->pair_a, e) || a_switch(s, word[2].word, &c->pair_b, e) ? -1
												      : 0;
	if (n == 3 && (!strcmp(second, "LID") || !strcmp(second, "lid")))
		return two_words(s, what, word + 2, c, words, e);
	if (!strcmp(what, "pair"))
		return err_word(e, "pair: found %s, expected two switches: pair A B",
				PLURAL((uint64_t)n - 1, "word"));
	if (n == 2)
		return two_words(s, what, word + 1, c, words, e);
	if (!n)
		return err_set(e, "found 'and' without a condition before or after it");
	return err_word(
		e,
		"found '%s%s%s', expected SWITCH DST, switch S, target S, lid DST, pair A B, layer N, port "
		"NODE[PORT], round N, phase WORD, refused, opened, moved, forbidden, kept, tie, lowered, "
		"ahead, root, no entry, rule WORDS or text WORDS",
		what, *second ? " " : "", second);
}

/* step.c: read a condition.  Its texts are borrowed from *words; the caller frees *words. */
static int step_condition(const struct session *s, int n, const struct arg *word, struct rec_condition *c,
			  struct text *words, struct err *e)
{
	size_t most = 1;

	*c = REC_ANY;
	for (int i = 0; i < n; i++)
		most += strlen(word[i].word) + 1;
	/* reserve all room now: the conditions point into this text */
	text_add(words, "%*s", (int)most, "");
	words->len = 0;
	for (int from = 0, i = 0; i <= n; i++) {
		if (i < n && strcmp(word[i].word, "and"))
			continue;
		if (term(s, i - from, word + from, c, words, e))
			return -1;
		from = i + 1;
	}
	return 0;
}
