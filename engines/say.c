#include "engines/say.h"

#include "core/fabric/labels.h"

struct saying saying_of(struct walk *w, struct text *t)
{
	const struct recording *r = walk_recording(w);
	const struct sweep *s = recording_sweep(r);
	struct saying y = {.w = w,
			   .r = r,
			   .s = s,
			   .topo = s->topo,
			   .f = s->fabric,
			   .kept = recording_kept(r),
			   .ev = walk_event(w),
			   .t = t};

	y.n_extra = recording_extra(r, walk_step(w), &y.extra);
	return y;
}

const char *say_name(const struct saying *y, uint32_t sw)
{
	return switch_name(y->f, sw);
}

uint32_t say_behind(const struct saying *y, uint32_t sw, unsigned port)
{
	return y->topo->peer_switch[switch_port_id(y->f, sw, port)];
}

void say_lid(const struct saying *y, unsigned lid)
{
	uint32_t ep = lid_owner(y->s->lids, lid);
	char name[300];

	text_add(y->t, "LID %u", lid);
	if (ep != NO_ID)
		text_add(y->t, " (%s)", endport_label(y->f, ep, name, sizeof(name)));
}

void say_port(const struct saying *y, uint32_t port)
{
	char name[300];

	text_add(y->t, "%s", port_label(y->f, port, name, sizeof(name)));
}

void say_entry(const struct saying *y, const char *rule)
{
	text_add(y->t, "%s ", say_name(y, y->ev->a));
	say_lid(y, y->ev->b);
	if (y->ev->port == NO_PATH)
		text_add(y->t, " -> no port: %s", rule);
	else
		text_add(y->t, " -> port %u: %s", y->ev->port, rule);
}

void say_table_done(const struct saying *y)
{
	text_add(y->t, "%s: table finished", say_name(y, y->ev->a));
}

bool say_change(const struct saying *y, enum rec_table t, struct rec_delta *d)
{
	uint32_t cursor = 0;

	while (recording_next_delta(y->r, walk_step(y->w), &cursor, d))
		if (d->table == t)
			return true;
	return false;
}
