/* `quiz`: guess the next port of an entry, from the candidates that `why` tells. */
#include "core/base/memory.h"
#include "core/base/rng.h"
#include "core/base/rng.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"
#include "core/session/lesson.h"

#include <stdlib.h>
#include <string.h>

#define MOST_CANDIDATES 32

/* A decision between candidates, as the engine told it. */
struct question {
	uint32_t sw;
	unsigned lid, port;
	unsigned n_quantities, n;
	const char *quantity[STEP_QUANTITIES]; /* static */
	struct step_candidate candidate[MOST_CANDIDATES];
};

struct draw {
	const struct sweep *w;
	uint64_t *random;
	uint32_t seen; /* decisions that would do */
	struct question *q;
};

static void keep(struct question *q, const struct step *st)
{
	*q = (struct question){.sw = st->sw,
			       .lid = st->lid,
			       .port = st->port,
			       .n_quantities = st->n_quantities,
			       .n = st->n_candidates};
	for (unsigned i = 0; i < st->n_quantities; i++)
		q->quantity[i] = st->quantity[i];
	memcpy(q->candidate, st->candidate, st->n_candidates * sizeof(*st->candidate));
}

/* Of all decisions that are not forced each is drawn with the same chance. */
static void look_at(void *ctx, const struct step *st)
{
	struct draw *d = ctx;
	uint32_t owner;
	unsigned own = 0;

	if (st->kind != STEP_CHOICE || !st->port || st->port == NO_PATH ||
	    st->n_candidates > MOST_CANDIDATES || st->port != routing_port(d->w->routing, st->sw, st->lid))
		return;
	owner = lid_owner(d->w->lids, st->lid);
	if (owner == NO_ID || !routing_has_host(d->w->routing, owner))
		return;
	for (unsigned i = 0; i < st->n_candidates; i++)
		own += candidate_elsewhere(d->w->fabric, st, &st->candidate[i]) == NO_ID;
	if (own < 2 || own < st->n_candidates)
		return;
	if (!rng_below(d->random, ++d->seen))
		keep(d->q, st);
}

/* Switches are tried from a random one on, until one has a decision. */
static int draw_question(struct session *s, uint64_t seed, struct question *q, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	struct draw d = {.w = w, .random = &seed, .q = q};
	uint32_t n = w->fabric->n_switches, first = rng_below(&seed, n);

	for (uint32_t i = 0; i < n && !d.seen; i++) {
		struct observer obs = {.step = look_at, .ctx = &d, .sw = (first + i) % n};

		if (switch_up(w->topo, obs.sw) && sweep_observe(w, s->engines, &obs, o->run->progress, e))
			return -1;
	}
	if (progress_cancelled(o->run->progress))
		return err_set(e, CANCELLED);
	return d.seen ? 0
		      : err_set(e, "%s decides nothing here: no entry has two candidates",
				w->routing->engine);
}

static int by_port(const void *a, const void *b)
{
	const struct step_candidate *x = a, *y = b;

	return x->port - y->port;
}

static void ask(const struct session *s, struct question *q, struct out *o)
{
	const struct sweep *w = session_sweep(s);
	const struct fabric *f = w->fabric;
	json_t *list = json_array(), *obj;
	char a[300];

	qsort(q->candidate, q->n, sizeof(*q->candidate), by_port);
	out_text(o, "By which port does %s send LID %u (%s) under %s?\n  %-5s", switch_name(f, q->sw), q->lid,
		 endport_label(f, lid_owner(w->lids, q->lid), a, sizeof(a)), w->routing->engine, "port");
	for (unsigned k = 0; k < q->n_quantities; k++)
		out_text(o, " %12s", q->quantity[k]);
	out_text(o, "  to\n");
	for (unsigned i = 0; i < q->n; i++) {
		const struct step_candidate *c = &q->candidate[i];

		obj = json_make("{s:i}", "port", (int)c->port);
		json_put_port(obj, "peer", f, w->lids, c->peer);
		out_text(o, "  %-5u", c->port);
		for (unsigned k = 0; k < q->n_quantities; k++) {
			if (c->q[k] == INT64_MIN)
				out_text(o, " %12s", "-");
			else
				out_text(o, " %12ld", (long)c->q[k]);
			if (c->q[k] != INT64_MIN)
				json_object_set_new(obj, q->quantity[k], json_integer(c->q[k]));
		}
		out_text(o, "  %s\n", port_label(f, c->peer, a, sizeof(a)));
		json_array_append_new(list, obj);
	}
	obj = json_make("{s:i, s:o}", "lid", (int)q->lid, "candidates", list);
	json_put_switch(obj, "switch", f, w->lids, q->sw);
	out_json(o, "question", obj);
	out_text(o, "`quiz answer PORT` tells whether you are right, and the rule.\n");
}

static const struct step_candidate *find_port(const struct question *q, unsigned long port)
{
	for (unsigned i = 0; i < q->n; i++)
		if (q->candidate[i].port == port)
			return &q->candidate[i];
	return NULL;
}

/* The first quantity in which the guess is not the chosen one. */
static void explain(const struct question *q, const struct step_candidate *guess, struct out *o)
{
	const struct step_candidate *best = find_port(q, q->port);

	for (unsigned k = 0; k < q->n_quantities && best; k++) {
		long a = (long)guess->q[k], b = (long)best->q[k];

		if (guess->q[k] == best->q[k] || guess->q[k] == INT64_MIN || best->q[k] == INT64_MIN)
			continue;
		out_text(o, "Port %u has %ld of %s, port %u has %ld%s\n", guess->port, a, q->quantity[k],
			 q->port, b, a > b ? "." : "; but another rule comes first.");
		return;
	}
	out_text(o, "Port %u is as good as port %u, which comes first.\n", guess->port, q->port);
}

/* What `why` says of it. */
static int tell_why(const struct question *q, struct session *s, struct out *o, struct err *e)
{
	char *line = str_printf("why 0x%016lx %u",
				(unsigned long)s->fabric->node_guid[s->fabric->switch_node[q->sw]], q->lid);
	struct text said = {0};
	int rc = lesson_run(o->run, line, &said, e);

	out_text(o, "%s", text_str(&said));
	text_free(&said);
	free(line);
	return rc;
}

static int check_answer(struct session *s, const char *word, struct out *o, struct err *e)
{
	struct interpreter *in = o->run->in;
	const struct step_candidate *guess;
	struct question q;
	char *end;
	unsigned long port = strtoul(word, &end, 10);

	if (*end || end == word)
		return err_set(e, "quiz answer: found \"%s\", expected the number of a port", word);
	if (!in->quiz_seed || in->quiz_generation != s->generation)
		return err_set(e, "no question is open; `quiz` asks one");
	if (draw_question(s, in->quiz_seed, &q, o, e))
		return -1;
	guess = find_port(&q, port);
	if (port == q.port)
		out_text(o, "Right.\n");
	else
		out_text(o, "Wrong: it is port %u.\n", q.port);
	if (port != q.port && !guess)
		out_text(o, "Port %lu is no candidate.\n", port);
	else if (port != q.port)
		explain(&q, guess, o);
	out_json(o, "right", json_boolean(port == q.port));
	out_json(o, "port", json_integer(q.port));
	return tell_why(&q, s, o, e);
}

static int cmd_quiz(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	struct interpreter *in = o->run->in;
	uint64_t seed = in->quiz_seed + 1;
	struct question q;
	char *end;

	if (argc == 3 && !strcmp(argv[1], "answer"))
		return check_answer(s, argv[2], o, e);
	for (int i = 1; i < argc; i++) {
		struct text said = {0};
		char *line = strncmp(argv[i], "seed=", 5) ? str_printf("route %s", argv[i]) : NULL;
		int rc = line ? lesson_run(o->run, line, &said, e) : 0;

		out_text(o, "%s", rc ? "" : text_str(&said));
		text_free(&said);
		free(line);
		if (rc)
			return -1;
		seed = line ? seed : strtoull(argv[i] + 5, &end, 0);
		if (!line && (*end || !argv[i][5] || !seed))
			return err_set(e, "seed: found \"%s\", expected a number from 1", argv[i] + 5);
	}
	if (!need_routing(s, e) || draw_question(s, seed, &q, o, e))
		return -1;
	ask(s, &q, o);
	in->quiz_seed = seed;
	in->quiz_generation = s->generation;
	return 0;
}

const struct command quiz_commands[] = {
	{.name = "quiz",
	 .syntax = "quiz [ENGINE] [seed=K] | quiz answer PORT",
	 .help = "guess the port of an entry from its candidates; the answer is explained by `why`",
	 .details = "  With ENGINE the fabric is routed by it first.  Only entries with two candidates or "
		    "more are "
		    "asked about.\n"
		    "  The same seed asks the same; without one each question is another.\n",
	 .needs = NEEDS_FABRIC,
	 .json = "question object? what is asked\n"
		 "question.switch node the switch\n"
		 "question.lid integer the LID\n"
		 "question.candidates[] object ports that the engine chose among, by number\n"
		 "question.candidates[].port integer the port\n"
		 "question.candidates[].peer port port at the other end\n"
		 "question.candidates[].* integer quantities by name\n"
		 "right boolean? the answer is right\n"
		 "port integer? the port of the entry\n",
	 .run = cmd_quiz},
	{.name = NULL},
};
