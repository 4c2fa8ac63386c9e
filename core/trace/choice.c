/* How entries were decided, for those who ask. */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/sm/sweep.h"
#include "core/trace/recorder.h"

bool rec_asks(const struct engine_input *in, uint32_t sw, unsigned lid)
{
	const struct rec_ask *q = in->ask;

	return q && (q->sw == NO_ID || q->sw == sw) && (!q->lid || q->lid == lid);
}

struct rec_choice *rec_choice(const struct engine_input *in, uint32_t sw, unsigned lid)
{
	struct rec_choice *c;

	if (!rec_asks(in, sw, lid))
		return NULL;
	c = NEW(struct rec_choice);
	c->sw = sw;
	c->lid = (uint16_t)lid;
	c->via = in->ask->sw == sw ? in->ask->via : 0;
	c->target = NO_ID;
	c->port = c->old_port = NO_PATH;
	return c;
}

struct rec_offer *rec_offer(struct rec_choice *c, unsigned port, uint32_t peer)
{
	struct rec_offer *o;

	GROW(c->offer, c->n_offers, c->cap);
	o = &c->offer[c->n_offers++];
	*o = (struct rec_offer){.port = (uint8_t)port, .peer = peer};
	for (unsigned i = 0; i < REC_QUANTITIES; i++)
		o->q[i] = INT64_MIN;
	return o;
}

void rec_chosen(const struct engine_input *in, struct rec_choice *c)
{
	in->ask->tell(in->ask->ctx, c);
	rec_choice_free(c);
}

void rec_choice_free(struct rec_choice *c)
{
	if (!c)
		return;
	text_free(&c->text);
	decided_free(&c->decided);
	decided_free(&c->against);
	free(c->offer);
	free(c);
}

/* A choice told by the one channel, for an observer. */
static void pass_on(void *ctx, const struct rec_choice *c)
{
	const struct observer *o = ctx;
	struct step_candidate *list = NEW_ARRAY(c->n_offers + 1u, struct step_candidate);
	struct step st = {.kind = STEP_CHOICE,
			  .text = text_str(&c->text),
			  .sw = c->sw,
			  .sw2 = c->target,
			  .lid = c->lid,
			  .port = c->port,
			  .old_port = c->old_port,
			  .rule = c->rule,
			  .n_quantities = c->n_quantities,
			  .quantity = c->quantity,
			  .n_candidates = c->n_offers,
			  .candidate = list,
			  .decided = c->decided.rule ? &c->decided : NULL,
			  .against = c->against.rule ? &c->against : NULL};

	for (unsigned i = 0; i < c->n_offers; i++) {
		list[i] = (struct step_candidate){.port = c->offer[i].port, .peer = c->offer[i].peer};
		memcpy(list[i].q, c->offer[i].q, sizeof(list[i].q));
	}
	o->step(o->ctx, &st);
	free(list);
}

struct rec_ask observer_ask(const struct observer *o)
{
	return (struct rec_ask){.sw = o->sw,
				.lid = o->lid,
				.via = o->via,
				.last = o->last,
				.tell = pass_on,
				.ctx = (void *)o};
}

int sweep_observe(const struct sweep *s, const struct engine *const *engines, const struct observer *obs,
		  struct progress *progress, struct err *e)
{
	struct rec_ask ask = observer_ask(obs);

	return sweep_repeat(s,
			    &(struct sweep_repeat){
				    .engines = engines, .observer = obs, .ask = &ask, .progress = progress},
			    NULL, e);
}
