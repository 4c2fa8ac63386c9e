/* How entries were decided. */
#include <stdlib.h>

#include "core/base/memory.h"
#include "core/trace/recorder.h"

bool rec_asks(const struct engine_input *in, uint32_t sw, unsigned lid)
{
	const struct rec_ask *q = in->ask;

	return q && (q->sw == NO_ID || q->sw == sw) && (!q->lid || q->lid == lid) &&
	       (sw == NO_ID || !q->wanted || q->wanted(q->those, sw, lid));
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

struct rec_choice *rec_choice_copy(const struct rec_choice *c)
{
	struct rec_choice *to = mem_dup(c, sizeof(*c));

	to->text = (struct text){0};
	text_add(&to->text, "%s", text_str(&c->text));
	to->decided.text = to->against.text = (struct text){0};
	text_add(&to->decided.text, "%s", text_str(&c->decided.text));
	text_add(&to->against.text, "%s", text_str(&c->against.text));
	to->offer = c->n_offers ? mem_dup(c->offer, c->n_offers * sizeof(*c->offer)) : NULL;
	to->cap = c->n_offers;
	return to;
}

uint32_t rec_elsewhere(const struct fabric *f, const struct rec_choice *c, const struct rec_offer *o)
{
	uint32_t own = o->peer == NO_ID ? NO_ID : f->port_peer[o->peer];

	return own == NO_ID || f->port_node[own] == f->switch_node[c->sw] ? NO_ID : own;
}
