/* Quiz: the layer (or SL) of a pair of hosts, the rank of a switch. */
#include "core/base/defs.h"
#include "core/session/commands/quiz.h"

#include <stdlib.h>

#include "core/base/memory.h"
#include "core/base/rng.h"
#include "core/routing/paths.h"
#include "core/sm/ucast_cache.h"

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

/* After so many pairs without a question the program gives up. */
#define MOST_PAIRS 2000

/* Has a rule decided the pair's layer? */
static bool take_pair(struct quiz *q)
{
	const struct routing *r = q->w->routing;
	const struct routing_ops *ops = routing_origin(r)->ops;
	struct pair_layer l;
	struct path p;
	bool good;

	q->slid = q->w->lids->base[q->src];
	q->dlid = q->w->lids->base[q->dst];
	path_trace(r, q->src, q->slid, q->dlid, &p);
	good = p.end == PATH_OK && p.n > 1;
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
	uint32_t *host, n = 0;
	bool found = false;

	(void)e;
	if (!ops->decide_pair || !r->ops->n_layers || r->ops->n_layers(r) < 2)
		return 0;
	q->noun = ops->pair_layer ? "layer" : "SL";
	host = NEW_ARRAY(f->n_endports + 1, uint32_t);
	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (routing_has_host(r, ep) && q->w->lids->base[ep])
			host[n++] = ep;
	for (unsigned i = 0; n > 1 && i < MOST_PAIRS && !found; i++) {
		q->src = host[rng_below(&q->random, n)];
		q->dst = host[rng_below(&q->random, n)];
		found = q->src != q->dst && take_pair(q);
	}
	free(host);
	return found;
}

/* Number of pairs in each layer: as they were put there, and as they are now. */
static void quiz_other_command_tell_layers(const struct quiz *q, json_t *question)
{
	static const char *const of[] = {[LAYER_SWITCH_PAIRS] = "ordered pairs of switches",
					 [LAYER_LID_PAIRS] = "ordered pairs of LIDs",
					 [LAYER_LIDS] = "LIDs of destinations"};
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
	struct text t = {0};

	if (ops->explain_pair)
		ops->explain_pair(r, q->slid, q->dlid, &t, q->o->run->progress);
	out_text(q->o, "%s", text_str(&t));
	text_free(&t);
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
		json_t *obj;

		hosts += q->w->topo->peer[id] != NO_ID && to == NO_ID;
		if (to == NO_ID)
			continue;
		obj = json_make("{s:i, s:i}", "port", (int)p, "rank", (int)r->ops->rank(r, to));
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
