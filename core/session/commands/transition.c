/* `transition`: the step from the old tables to the new ones. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/transition.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"
#include "core/sm/guid_names.h"

#define SHOWN 20

/* The sweep that a restart with an engine and options would make of the tables in force; a reference. */
static struct sweep *transition_command_ahead(struct session *s, const struct args *args,
					      const struct sweep *now, struct out *o, struct err *e)
{
	const char *chain = args_get(args, "ENGINE[,ENGINE...]")->word;
	struct options *opts = options_copy(s->setup->options);
	const struct arg *word = NULL;
	struct sweep_request rq = {
		.engines = s->engines, .restart = true, .prev = now, .progress = o->run->progress};
	struct sweep *w = NULL;
	int rc = engine_chain_known(s->engines, chain, e);

	while (!rc && (word = args_next(args, "OPTION=VALUE", word)))
		rc = options_assign(opts, s->fabric, word->word, e);
	if (!rc) {
		rq.setup = setup_with(now->setup, &(struct setup){.chain = chain, .options = opts});
		w = sweep_run(&rq, e);
		setup_unref(rq.setup);
	}
	options_free(opts);
	if (w && !w->routing) {
		err_set(e, "%s would not route it: %s", chain,
			w->n_refusals ? w->refusal[0].why : "it refuses");
		sweep_unref(w);
		return NULL;
	}
	return w;
}

static json_t *json_pairs(struct mix_pairs c)
{
	return json_make("{s:I, s:I, s:I}", "waiting", (json_int_t)c.waiting, "cut", (json_int_t)c.cut,
			 "looping", (json_int_t)c.looping);
}

/* An example of harm; nothing is added where there is none. */
static void transition_command_add_way(json_t *list, const struct transition *t, const char *of,
				       const struct mix_way *w)
{
	json_t *o, *steps = json_array();

	for (uint32_t i = 0; i < w->n; i++) {
		json_t *h = json_make("{s:i, s:b}", "port", (int)w->hop[i].port, "new", (int)w->hop[i].now);

		json_put_switch(h, "switch", t->b->topo->fabric, t->b->lids, w->hop[i].sw);
		json_put_out(h, "port", t->b->topo->fabric, w->hop[i].sw, w->hop[i].port);
		json_array_append_new(steps, h);
	}
	o = json_make("{s:s, s:i, s:b, s:o}", "of", of, "lid", (int)w->lid, "loop", (int)w->loop, "steps",
		      steps);
	if (w->lid)
		json_array_append_new(list, o);
	else
		json_decref(o);
}

static void tell_credit(const struct transition *t, struct out *o)
{
	static const char *const words[] = {"none", "not made", "undecided", "made"};
	static_assert(ARRAY_LEN(words) == CREDIT_MADE + 1, "a word for each");
	const struct mix_credit *c = &t->credit;
	const struct fabric *f = t->b->topo->fabric;
	json_t *circle = json_array(), *needs = json_array();
	AUTO_TEXT struct text said = {0};

	assert(c->found <= CREDIT_MADE);
	credit_sentence(t, &said);
	if (said.len)
		out_text(o, "%s\n", text_str(&said));
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t sw = f->node_switch[f->port_node[c->circle[i].port]];
		json_t *x = json_make("{s:i, s:i}", "port", (int)f->port_num[c->circle[i].port], "vl",
				      (int)c->circle[i].vl);

		json_put_switch(x, "switch", f, t->b->lids, sw);
		json_put_out(x, "port", f, sw, f->port_num[c->circle[i].port]);
		json_object_set_new(x, "lid",
				    c->circle[i].lid ? json_integer(c->circle[i].lid) : json_null());
		json_array_append_new(circle, x);
	}
	for (uint32_t i = 0; i < c->n_need; i++) {
		const struct mix_need *n = &c->need[i];
		json_t *x = json_make("{s:b}", "new", (int)n->now);

		json_put_switch(x, "switch", f, t->b->lids, n->sw);
		json_object_set_new(x, "block",
				    n->block == MIX_NEEDS_MAP ? json_null() : json_integer(n->block));
		json_array_append_new(needs, x);
	}
	out_json(o, "credit",
		 json_make("{s:s, s:b, s:b, s:s, s:o, s:o}", "found", words[c->found], "old", (int)c->old,
			   "new", (int)c->now, "said", text_str(&said), "circle", circle, "needs", needs));
}

/* Writes after which other pairs are cut or loop, or all. */
static void transition_command_list_writes(const struct transition *t, bool all, struct out *o)
{
	const struct fabric *f = t->b->topo->fabric;
	json_t *list = json_array();
	struct mix_pairs last = t->before;
	uint32_t n = 0, left = 0;

	out_text(o, "%6s %6s %8s %8s %8s %8s  %s\n", "write", "block", "entries", "waiting", "cut", "looping",
		 "switch");
	out_text(o, "%6s %6s %8s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 "  %s\n", "0", "", "", last.waiting,
		 last.cut, last.looping, "(before the first)");
	for (uint32_t i = 0; i < t->n_writes; i++) {
		const struct table_write *w = &t->write[i];
		const struct mix_pairs *c = &w->after;

		if (!all && !memcmp(c, &last, sizeof(last)) && i + 1 < t->n_writes)
			continue;
		last = *c;
		if (!all && n >= SHOWN) {
			left++;
			continue;
		}
		n++;
		out_text(o, "%6u %6u %8u %8" PRIu64 " %8" PRIu64 " %8" PRIu64 "  " ROW_CUT("%s") "\n", i + 1,
			 w->block, w->entries, c->waiting, c->cut, c->looping, switch_name(f, w->sw));
		json_t *x = json_pairs(*c);
		json_object_set_new(x, "write", json_integer(i + 1));
		json_object_set_new(x, "block", json_integer(w->block));
		json_object_set_new(x, "entries", json_integer(w->entries));
		json_put_switch(x, "switch", f, t->b->lids, w->sw);
		json_array_append_new(list, x);
	}
	if (left)
		out_text(o, "  ... %s; `transition all` prints them\n", PLURAL(left, "more write"));
	out_json(o, "writes", list);
}

static uint32_t switches_written(const struct transition *t)
{
	AUTO_FREE uint8_t *seen = NEW_ARRAY(t->b->topo->fabric->n_switches, uint8_t);
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n_writes; i++) {
		n += !seen[t->write[i].sw];
		seen[t->write[i].sw] = 1;
	}
	return n;
}

/* A write by its number, from 1. */
static json_t *transition_command_number_of(uint32_t write)
{
	return write == NO_ID ? json_null() : json_integer((json_int_t)write + 1);
}

static void transition_command_tell(const struct transition *t, struct out *o)
{
	AUTO_TEXT struct text said = {0}, way = {0};
	uint32_t switches = switches_written(t);

	transition_sentence(t, &said);
	out_text(o, "%s\n", text_str(&said));
	out_text(o, "%s to %s: %s change%s", PLURAL(t->n_writes, "write"), PLURAL(switches, "switch"),
		 PLURAL(t->entries, "entry"), t->entries == 1 ? "s" : "");
	if (t->before.waiting)
		out_text(o, "; %s wait%s from the start", PLURAL(t->before.waiting, "pair"),
			 t->before.waiting == 1 ? "s" : "");
	if (t->lost)
		out_text(o, "; %" PRIu64 " stay cut, or loop", t->lost);
	out_text(o, ".\n");
	if (!transition_safe(t)) {
		out_text(o, "Whatever the order: to %s ", PLURAL(t->n_lids, "LID"));
		out_text(o, "%s can loop, %" PRIu64 " can be cut", PLURAL(t->loops, "pair"), t->cuts);
		mix_way_text(t, &t->any, &way);
		out_text(o, ": %s.\n", text_str(&way));
	}
	tell_credit(t, o);
	if (t->b->adaptive)
		out_text(o, "Groups of adaptive routing are left out: a packet goes by the entry.\n");
	out_json(o, "said", json_text(text_str(&said)));
	out_json(o, "safe", json_boolean(transition_safe(t) && t->pairs));
	out_json(o, "safe_in_order", json_boolean(transition_safe_in_order(t) && t->pairs));
	out_json(o, "complete", json_boolean(!t->b->topo->fabric->warnings.missing));
	out_json(o, "n_writes", json_integer(t->n_writes));
	out_json(o, "switches", json_integer(switches));
	out_json(o, "entries_changed", json_integer((json_int_t)t->entries));
	out_json(o, "pairs", json_integer((json_int_t)t->pairs));
	out_json(o, "lost", json_integer((json_int_t)t->lost));
	out_json(o, "before", json_pairs(t->before));
	out_json(o, "any_order",
		 json_make("{s:i, s:I, s:I}", "lids", (int)t->n_lids, "loops", (json_int_t)t->loops, "cuts",
			   (json_int_t)t->cuts));
	json_t *ways = json_array();
	transition_command_add_way(ways, t, "any order", &t->any);
	transition_command_add_way(ways, t, "in order", &t->at_worst);
	transition_command_add_way(ways, t, "under way", &t->on_wire);
	out_json(o, "ways", ways);
	out_json(o, "in_order",
		 json_make("{s:o, s:o, s:o, s:i}", "worst", transition_command_number_of(t->worst), "from",
			   transition_command_number_of(t->bad_from), "to",
			   transition_command_number_of(t->bad_to), "wire_lids", (int)t->wire_lids));
}

struct transition *session_transition(const struct session *s, const struct sweep *a, const struct sweep *b,
				      struct progress *p, struct err *e)
{
	assert(a->routing && b->routing);
	AUTO_ROUTING struct routing *counted = session_counted(s, b->routing);
	return transition_of(a, b, counted, p, e);
}

static int cmd_transition(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *a, *b;
	AUTO_SWEEP struct sweep *made = NULL;

	if (args_has(args, "to")) {
		a = need_routing(s, e);
		made = a ? transition_command_ahead(s, args, a, o, e) : NULL;
		b = made;
		if (!b)
			return -1;
	} else if (diff_sides(s, args, &a, &b, e)) {
		return -1;
	}
	AUTO_ARENA struct transition *t = session_transition(s, a, b, o->run->progress, e);
	if (!t)
		return -1;
	report_scope(s, o);
	report_missing(b->fabric, o);
	transition_command_tell(t, o);
	transition_command_list_writes(t, args_has(args, "all"), o);
	o->run->found_fault |= !transition_safe_in_order(t) || t->credit.found == CREDIT_MADE;
	o->run->unanswered |= !t->pairs || b->fabric->warnings.missing;
	return 0;
}

const struct command transition_commands[] = {
	{.name = "transition",
	 .group = WHAT_IF,
	 .syntax = "transition [SNAPSHOT [SNAPSHOT]] [all] | to ENGINE[,ENGINE...] [OPTION=VALUE]... [all]",
	 .help = "judge the step from the old tables to the new ones: is it safe while OpenSM writes them?",
	 .finds = "pairs loop or are cut in OpenSM's order, or a mix of old and new routes makes a credit "
		  "loop that neither has alone",
	 .json = JSON_SCOPE
	 "said string the first line\n"
	 "complete boolean the whole fabric is known\n"
	 "safe boolean the writes are safe in any order\n"
	 "safe_in_order boolean they are safe in OpenSM's order, with up to four writes under way\n"
	 "n_writes integer blocks that OpenSM writes\n"
	 "switches integer switches that OpenSM writes to\n"
	 "entries_changed integer =changed entries\n"
	 "pairs integer =pairs\n"
	 "lost integer pairs that the new tables do not serve\n"
	 "before object pairs before the first write\n"
	 "before.waiting integer pairs that the new tables serve, and the old ones do not\n"
	 "before.cut integer 0: the old tables cut none that they serve\n"
	 "before.looping integer pairs that go round in the old tables\n"
	 "any_order object what some order of the writes could do\n"
	 "any_order.lids integer LIDs for which some mix loops or cuts pairs\n"
	 "any_order.loops integer pairs that go round in some mix\n"
	 "any_order.cuts integer pairs that old and new tables serve, and some mix does not\n"
	 "ways[] object examples of harm\n"
	 "ways[].of string(any order/in order/under way) in some mix; at the worst moment; only with several "
	 "writes under way\n"
	 "ways[].lid lid LID of the packet\n"
	 "ways[].loop boolean it goes round: behind the last hop comes the first\n"
	 "ways[].steps[] object switches in turn\n"
	 "ways[].steps[].switch node where it is\n"
	 "ways[].steps[].port portnum the port that the entry there names; 255: none\n"
	 "ways[].steps[].new boolean that entry is the new one\n"
	 "in_order object in OpenSM's order\n"
	 "in_order.worst integer|null write after which most pairs are cut or loop\n"
	 "in_order.from integer|null first write after which any do\n"
	 "in_order.to integer|null last such write\n"
	 "in_order.wire_lids integer LIDs that only several writes under way harm\n"
	 "credit object credit loops in a mix of old and new routes that neither has alone\n"
	 "credit.found string(none/not made/undecided/made) none: proved; not made: only all mixes together "
	 "have one, proved; made: one mix has it\n"
	 "credit.old boolean the old tables have some of their own\n"
	 "credit.new boolean the new tables have some of their own\n"
	 "credit.said string the same in a sentence\n"
	 "credit.circle[] object channels that wait in turn, the last for the first; the shortest unless "
	 "made\n"
	 "credit.circle[].switch node switch that sends\n"
	 "credit.circle[].port portnum its port\n"
	 "credit.circle[].vl vl VL of the channel\n"
	 "credit.circle[].lid lid|null made: LID of the packets that wait there\n"
	 "credit.needs[] object made: what the mix must have\n"
	 "credit.needs[].switch node the switch\n"
	 "credit.needs[].block integer|null block that must be old or new; null: an SL-to-VL map\n"
	 "credit.needs[].new boolean it must be new\n"
	 "writes[] object writes after which other pairs are cut or loop: the first of them, or all writes\n"
	 "writes[].write integer its number, from 1\n"
	 "writes[].block integer LIDs from 64 times this on\n"
	 "writes[].entries integer entries that it changes\n"
	 "writes[].switch node the switch that is written to\n"
	 "writes[].waiting integer pairs that the new tables serve, and neither the old ones nor the mix "
	 "does\n"
	 "writes[].cut integer pairs that old and new tables serve, and the mix does not\n"
	 "writes[].looping integer pairs that go round then\n",
	 .run = cmd_transition},
	{.name = NULL},
};
