/* Quiz: the next port of an entry, from the candidates that `why` tells. */
#include "core/session/commands/quiz.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/rng.h"
#include "core/session/lesson.h"
#include "core/base/order.h"

struct quiz_port_command_drawing {
	struct quiz *q;
	uint32_t seen; /* decisions that could be asked */
};

/* All decisions that are not forced are drawn with equal probability. */
static void quiz_port_command_look_at(void *ctx, const struct rec_choice *c)
{
	struct quiz_port_command_drawing *d = ctx;
	const struct sweep *w = d->q->w;
	uint32_t owner;
	unsigned own = 0;

	if (!c->port || c->port == NO_PATH || c->n_offers > QUIZ_CANDIDATES ||
	    c->port != routing_port(w->routing, c->sw, c->lid))
		return;
	owner = lid_owner(w->lids, c->lid);
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
	char *line =
		str_printf("why 0x%016lx %u",
			   (unsigned long)q->w->fabric->node_guid[q->w->fabric->switch_node[q->sw]], q->lid);
	struct text said = {0};
	int rc = lesson_run(q->o->run, line, &said, e);

	out_text(q->o, "%s", text_str(&said));
	text_free(&said);
	free(line);
	return rc;
}

const struct quiz_maker quiz_ports = {"PORT", draw_port, ask_port, explain_port, quiz_port_command_tell};
