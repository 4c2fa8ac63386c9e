/* An engine asked once more, also where the fabric has changed since it ran. */
#include "core/base/err.h"
#include "core/base/text.h"
#include "core/sm/sweep.h"
#include "core/trace/recorder.h"

/* A question about tables that were made for another fabric; ids are those of `now`. */
struct asked_before {
	const struct rec_ask *ask;
	const struct fabric *was, *now;
};

/* A candidate of then, if its cable is still there.  False: it led to what is gone. */
static bool offer_now(const struct asked_before *a, struct rec_offer *offer)
{
	uint32_t peer = fabric_port_in(a->now, a->was, offer->peer),
		 here = peer == NO_ID ? NO_ID
				      : fabric_port_in(a->now, a->was, a->was->port_peer[offer->peer]);

	if (here == NO_ID || a->now->port_peer[peer] != here)
		return false;
	offer->peer = peer;
	return true;
}

static void tell_before(void *ctx, const struct rec_choice *then)
{
	const struct asked_before *a = ctx;
	uint32_t sw = fabric_switch_in(a->now, a->was, then->sw);
	struct rec_choice *c;
	unsigned n = 0, gone;

	if (sw == NO_ID)
		return;
	c = rec_choice_copy(then);
	c->sw = sw;
	c->target = then->target == NO_ID ? NO_ID : fabric_switch_in(a->now, a->was, then->target);
	for (unsigned i = 0; i < c->n_offers; i++)
		if (offer_now(a, &c->offer[i]))
			c->offer[n++] = c->offer[i];
	gone = c->n_offers - n;
	c->n_offers = n;
	if (gone && !c->text.len)
		text_add(&c->text, "%s", c->rule ? c->rule : "chosen");
	if (gone)
		text_add(&c->text, "; %s of then led to what is gone", PLURAL(gone, "candidate"));
	a->ask->tell(a->ask->ctx, c);
	rec_choice_free(c);
}

int rec_ask_again(const struct sweep *s, const struct sweep_repeat *q, struct err *e)
{
	const struct sweep *made = sweep_made(s);
	struct asked_before a = {q->ask, made->fabric, s->fabric};
	struct rec_ask ask = *q->ask;
	struct sweep_repeat then = *q;

	if (a.was == a.now)
		return sweep_repeat(s, q, NULL, e);
	ask.tell = tell_before;
	ask.ctx = &a;
	if (ask.sw != NO_ID)
		ask.sw = fabric_switch_in(a.was, a.now, ask.sw);
	if (ask.sw == NO_ID && q->ask->sw != NO_ID)
		return err_set(
			e, "the unicast cache kept the tables of sweep %u, and %s was not in the fabric then",
			made->number + 1, switch_name(s->fabric, q->ask->sw));
	then.ask = &ask;
	return sweep_repeat(made, &then, NULL, e);
}
