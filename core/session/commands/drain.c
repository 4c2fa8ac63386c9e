/* `drain`: packets moved through the fabric until they have arrived or stand still. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/traffic/drain.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/rng.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"
#include "core/session/commands/steps.h"
#include "core/session/lesson.h"
#include "core/session/patterns.h"

/* --- telling ------------------------------------------------------------------------------------ */

static const char *drain_command_end_word(enum drain_end end)
{
	static const char *const words[] = {"goes on", "through", "stopped"};
	static_assert(ARRAY_LEN(words) == DRAIN_STOPPED + 1, "a word for each end");

	return words[end];
}

static json_t *json_channel(const struct drain *d, uint32_t c)
{
	assert(drain_held(d, c));

	const struct topo *t = d->routing->topo;
	const struct drain_packet *p = &d->packet[drain_packet_in(d, c, 0)];
	json_t *x = json_make("{s:i, s:i, s:i}", "vl", (int)drain_vl(c), "held", (int)drain_held(d, c),
			      "dlid", (int)p->lid);

	json_put_port(x, "from", t->fabric, d->routing->lids, drain_port(c));
	json_put_port(x, "to", t->fabric, d->routing->lids, t->peer[drain_port(c)]);
	json_put_endport(x, "src", t->fabric, d->routing->lids, p->src);
	json_put_endport(x, "dst", t->fabric, d->routing->lids, lid_owner(d->routing->lids, p->lid));
	return x;
}

static void tell_circle(const struct drain *d, struct out *o)
{
	const struct topo *t = d->routing->topo;
	uint32_t n, *circle = drain_circle(d, &n);
	json_t *list = json_array();

	if (n)
		out_text(o, "Each of these %s waits for the next one, the last for the first:\n",
			 PLURAL(n, "channel"));
	for (uint32_t i = 0; i < n; i++) {
		const struct drain_packet *p = &d->packet[drain_packet_in(d, circle[i], 0)];

		out_text(o,
			 "    " ROW_CUT("%s") " -> " ROW_CUT("%s") ", VL %u: " ROW_PROSE "held by %s to %s\n",
			 PORT_LABEL(t->fabric, drain_port(circle[i])),
			 PORT_LABEL(t->fabric, t->peer[drain_port(circle[i])]), drain_vl(circle[i]),
			 ENDPORT_LABEL(t->fabric, p->src),
			 ENDPORT_LABEL(t->fabric, lid_owner(d->routing->lids, p->lid)));
		json_array_append_new(list, json_channel(d, circle[i]));
	}
	out_json(o, "circle", list);
	free(circle);
}

static void drain_command_tell(const struct drain *d, struct out *o)
{
	AUTO_TEXT struct text t = {0};

	drain_tell(d, &t);
	out_text(o, "%c%s.\n", text_str(&t)[0] - 'a' + 'A', text_str(&t) + 1);
	out_fields(o, json_make("{s:I, s:I, s:i, s:o, s:I, s:I, s:s, s:I, s:I, s:I, s:I}", "packets",
				(json_int_t)d->n_packets, "left_out", (json_int_t)d->left_out, "buffers",
				(int)d->buffers, "lead", d->lead < 0 ? json_null() : json_integer(d->lead),
				"round", (json_int_t)d->round, "rounds", (json_int_t)d->rounds, "end",
				drain_command_end_word(d->verdict), "arrived", (json_int_t)d->arrived,
				"dropped", (json_int_t)d->dropped, "inside", (json_int_t)d->inside, "waiting",
				(json_int_t)drain_waiting(d)));
	tell_circle(d, o);
}

/* --- new packets -------------------------------------------------------------------------------- */

static struct drain *of_cycle(const struct routing *r, const struct args *args, unsigned buffers,
			      struct out *o, struct err *e)
{
	AUTO_ARENA struct cdg *c = cdg_new(r, CDG_ALL_VLS, false, o->run->progress, e);
	uint32_t group = (uint32_t)args_number(args, "GROUP", 1);
	struct drain *d = NULL;

	if (!c)
		return NULL;
	if (!c->n_components)
		err_set(e, "there are no credit loops: no packets can wait in a circle");
	else if (group > c->n_components)
		err_set(e, "found group %u, expected 1 to %u, as `cycles all` has them", group,
			c->n_components);
	else
		d = drain_cycle(c, group - 1, buffers, o->run->progress, e);
	if (d && d->lead < 0)
		out_text(o, "All set out from their hosts, so that they meet in the loop.\n");
	else if (d)
		out_text(o,
			 d->lead ? "They begin on their way, %s before their place in the loop.\n"
				 : "They begin in the loop.\n",
			 PLURAL((uint32_t)d->lead, "channel"));
	return d;
}

#define LOOK_EVERY 4096 /* packets */

/* N packets, each from a host to another, all equally likely.  false: cancelled. */
static bool draw_pairs(const struct routing *r, uint64_t n, uint64_t seed, struct pattern *p,
		       struct progress *progress)
{
	uint32_t n_hosts, *host = pattern_hosts(r, &n_hosts);
	bool ok = true;

	p->kind = PATTERN_LIST;
	for (uint64_t i = 0; ok && i < n && n_hosts > 1; i++) {
		ok = i % LOOK_EVERY || progress_step(progress, 0);
		uint32_t a = rng_below(&seed, n_hosts), b = rng_below(&seed, n_hosts - 1);

		pattern_add(r, host[a], host[b + (b >= a)], 1, p);
	}
	free(host);
	return ok;
}

static struct drain *of_pattern(const struct session *s, const struct routing *r, const struct args *args,
				unsigned buffers, struct out *o, struct err *e)
{
	uint64_t seed = args_number(args, "seed=K", 0);
	const struct arg *n = args_get(args, "random N");
	struct pattern p = {0};
	struct drain *d = NULL;

	if (!n && session_pattern(s, r, args, &p, o, e))
		return NULL;
	if (n && !draw_pairs(r, n->n, seed, &p, o->run->progress))
		err_set(e, CANCELLED);
	else
		d = drain_new(r, &p, buffers, seed, o->run->progress, e);
	pattern_free(&p);
	return d;
}

/* Runs to the end, which is shown then. */
static int new_packets(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	assert(session_routing(s));
	const struct routing *r = session_sweep(s)->routing;
	unsigned buffers = (unsigned)args_number(args, "buffers=B", 1);

	session_set_drain(s, NULL);
	struct drain *d = args_has(args, "cycle") ? of_cycle(r, args, buffers, o, e)
						  : of_pattern(s, r, args, buffers, o, e);
	if (!d)
		return -1;
	if (!drain_run(d, o->run->progress)) {
		arena_free(d);
		return err_set(e, CANCELLED);
	}
	report_scope(s, o);
	out_text(o, "%s, %s in each channel.\n", PLURAL(d->n_packets, "packet"), PLURAL(buffers, "place"));
	if (d->left_out)
		out_text(o, "%" PRIu64 " left out: an end is down or does not count, or there is no path.\n",
			 d->left_out);
	drain_command_tell(d, o);
	o->run->found_fault |= d->verdict == DRAIN_STOPPED;
	session_set_drain(s, d);
	return 0;
}

/* --- rounds ------------------------------------------------------------------------------------- */

/* Moves them under the lock, as panes look at them. */
static bool drain_command_go(struct session *s, struct drain *d, uint32_t round, struct progress *p)
{
	session_lock(s);
	bool done = drain_to(d, round, p);
	s->moves++;
	session_unlock(s);
	return done;
}

int drain_frame(struct session *s, struct out *o)
{
	struct drain *d = session_drain(s);

	assert(d);
	drain_command_go(s, d, d->round + 1, NULL);
	if (d->end == DRAIN_GOES_ON)
		return 0;
	step_stand_still(s);
	drain_command_tell(d, o);
	return 0;
}

static int drain_command_play(struct session *s, struct drain *d, const struct args *args, struct out *o,
			      struct err *e)
{
	int pace = step_pace(args_word(args, "SPEED", "5"), e);

	if (pace < 0)
		return -1;
	if (play_paces[pace].key >= 0)
		return err_word(e, "found speed %s, expected a number of rounds a second",
				play_paces[pace].name);
	if (d->end != DRAIN_GOES_ON && !drain_command_go(s, d, 0, o->run->progress))
		return err_set(e, CANCELLED);
	session_lock(s);
	session_play(s, pace);
	session_unlock(s);
	return 0;
}

static int drain_command_walk(struct session *s, struct drain *d, const struct args *args, struct out *o,
			      struct err *e)
{
	uint64_t by = args_number(args, "N", 1), to = args_number(args, "ROUND", 0);

	if (args_has(args, "next"))
		to = d->round + by;
	else if (args_has(args, "back"))
		to = by < d->round ? d->round - by : 0;
	else if (args_has(args, "last"))
		to = UINT32_MAX;
	if (!drain_command_go(s, d, to > UINT32_MAX ? UINT32_MAX : (uint32_t)to, o->run->progress))
		return err_set(e, CANCELLED);
	drain_command_tell(d, o);
	return 0;
}

/* --- the command -------------------------------------------------------------------------------- */

static int cmd_drain(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	static const char *const moves[] = {"next", "back", "round", "first", "last", "play", "pause", "end"};
	int move = args_which(args, moves, ARRAY_LEN(moves));
	struct drain *d = session_drain(s);
	bool played = step_stand_still(s);

	if (move < 0 && (args->n || !d))
		return new_packets(s, args, o, e);
	if (!d)
		return err_set(e, "no packets are moved; `drain cycle` or `drain all` begins");
	if (args_has(args, "end")) {
		session_set_drain(s, NULL);
		return 0;
	}
	if (args_has(args, "play") || (args_has(args, "pause") && !played))
		return drain_command_play(s, d, args, o, e);
	if (move < 0 || args_has(args, "pause")) {
		drain_command_tell(d, o);
		return 0;
	}
	return drain_command_walk(s, d, args, o, e);
}

#define BEHIND "[buffers=B|seed=K]..."

const struct command drain_commands[] = {
	{.name = "drain",
	 .group = EXPLAIN,
	 .syntax =
		 "drain [buffers=B] | cycle [GROUP] [buffers=B] | all|lids " BEHIND " | shift K " BEHIND
		 " | bisection " BEHIND " | random " BEHIND " | random N " BEHIND " | hotspot NODE " BEHIND
		 " | to H... " BEHIND " | pairs FILE " BEHIND " | ring|tree|alltoall [direct] [H...] " BEHIND
		 " | next|back [N] | round ROUND | first|last | play [SPEED] | pause|end",
	 .numbers = ARG_NUMBERS(ARG_NUMBER("buffers=B", 1, DRAIN_MOST_BUFFERS,
					   "places from 1 to " NUMBER_TEXT(DRAIN_MOST_BUFFERS), NULL),
				ARG_NUMBER("ROUND", 0, UINT32_MAX, "a round, from 0", NULL),
				ARG_NUMBER("random N", 1, DRAIN_MOST_RANDOM,
					   "packets from 1 to " NUMBER_TEXT(DRAIN_MOST_RANDOM), NULL),
				ARG_NUMBER("N", 1, UINT32_MAX, "a number of rounds", NULL)),
	 .finds = "packets stand still",
	 .help = "move packets through the fabric, round by round, until they arrive or stand still",
	 .needs = NEEDS_ROUTING,
	 .json = JSON_SCOPE JSON_ABSENT JSON_PATTERN
	 "packets integer? packets of the pattern that have a path\n"
	 "left_out integer? packets left out: an end is down or does not count, or there is no path\n"
	 "buffers integer(1..)? places of a channel\n"
	 "lead integer|null? of a cycle: channels before it at which packets begin; null: at their hosts\n"
	 "round integer? the round that is told\n"
	 "rounds integer? rounds until the end\n"
	 "end string(through/stopped)? how it ends: all have arrived (or were dropped), or nobody can move\n"
	 "arrived integer? packets that have arrived by that round\n"
	 "dropped integer? packets whose SL led to VL 15\n"
	 "inside integer? packets in channels\n"
	 "waiting integer? channels whose first packet wants a full channel\n"
	 "circle[] object? when it has stopped: channels that wait for each other, in order\n"
	 "circle[].from port port that sends\n"
	 "circle[].to port port at the other end\n"
	 "circle[].vl vl its VL\n"
	 "circle[].held integer(1..) packets in it\n"
	 "circle[].src endport source of the first packet\n"
	 "circle[].dst endport its destination\n"
	 "circle[].dlid lid LID it goes to\n",
	 .run = cmd_drain},
	{.name = NULL},
};
