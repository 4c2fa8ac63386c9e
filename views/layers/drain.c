/* The pane `drain`: channels with packets at the round that is shown, and what they wait for. */
#include "core/analysis/traffic/drain.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/session/play.h"
#include "views/base/view.h"

enum { C_CHANNEL, C_VL, C_HELD, C_FIRST, C_WANTS, C_WAITS };

static const struct column columns[] = {
	COL("channel", "a directed cable; its buffer is at its far end", 20, .flex = 1),
	COL("VL", "its virtual lane", 2, .right = true, .drop = 1),
	NUM("held", "packets in it", 4),
	COL("first packet", "from whom to whom the first packet goes", 20, .flex = 1),
	COL("wants", "the channel that it goes on to; empty: a host takes it", 16, .flex = 1, .drop = 2),
	COL("waits", "waits: that channel is full; circle: it is one of those that wait for each other", 6),
};

/* Copied, as the packets move on. */
struct drain_pane_row {
	uint32_t channel, wants;
	uint32_t src;
	uint16_t lid;
	uint8_t held;
	bool waits, circle;
};

struct drain_pane {
	struct drain_pane_row *row; /* [n_rows], those of the circle first */
	uint32_t round, rounds, arrived, packets;
	enum drain_end end;
	unsigned buffers; /* 0: no packets are moved */
};

static struct drain_pane_row drain_pane_row_of(const struct drain *d, uint32_t c, bool circle)
{
	const struct drain_packet *p = &d->packet[drain_packet_in(d, c, 0)];

	return (struct drain_pane_row){.channel = c,
				       .wants = drain_wants(d, c),
				       .src = p->src,
				       .lid = p->lid,
				       .held = (uint8_t)drain_held(d, c),
				       .waits = drain_waits(d, c),
				       .circle = circle};
}

static void drain_pane_load(struct view *v)
{
	struct drain_pane *p = v->priv;
	const struct drain *d = v->scene->session ? session_drain(v->scene->session) : NULL;
	uint32_t n, *circle;
	uint8_t *taken;

	if (!d || !v->scene->real)
		return;
	p->buffers = d->buffers;
	p->round = d->round;
	p->rounds = d->rounds;
	p->arrived = d->arrived;
	p->packets = d->n_packets;
	p->end = d->end;
	p->row = VIEW_ARRAY(v, d->inside + 1u, struct drain_pane_row);
	taken = NEW_ARRAY((size_t)v->scene->fabric->n_ports * DRAIN_VLS + 1, uint8_t);
	circle = drain_circle(d, &n);
	for (uint32_t i = 0; i < n; i++) {
		p->row[v->n_rows++] = drain_pane_row_of(d, circle[i], true);
		taken[circle[i]] = 1;
	}
	for (uint32_t c = drain_next(d, 0); c != NO_ID; c = drain_next(d, c + 1))
		if (!taken[c])
			p->row[v->n_rows++] = drain_pane_row_of(d, c, false);
	free(circle);
	free(taken);
}

static void drain_pane_title(const struct view *v, struct text *t)
{
	const struct drain_pane *p = v->priv;
	int pace = p->buffers ? session_playing(v->scene->session) : -1;

	text_add(t, "Drain");
	if (!p->buffers) {
		text_add(t, " ── no packets are moved");
		return;
	}
	if (pace >= 0)
		text_add(t, " plays, %u rounds/s", play_paces[pace].frames);
	text_add(t, " %u/%u ── %s%u of %u arrived", p->round, p->rounds,
		 p->end == DRAIN_STOPPED ? "nobody can move: " : "", p->arrived, p->packets);
}

static void drain_pane_footer(const struct view *v, struct text *t)
{
	const struct drain_pane *p = v->priv;

	if (p->buffers)
		text_add(t, "%s a channel; a model, not a timing", PLURAL(p->buffers, "place"));
	else
		text_add(t, "`drain cycle` fills a credit loop, `drain all` sends from every host to every "
			    "other");
}

static int64_t drain_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct drain_pane_row *r = &((const struct drain_pane *)v->priv)->row[row];

	return col == C_HELD ? r->held : col == C_VL ? (int64_t)drain_vl(r->channel) : -1;
}

static void drain_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct drain_pane_row *r = &((const struct drain_pane *)v->priv)->row[row];
	const struct topo *tp = v->scene->real_topo;

	switch (col) {
	case C_CHANNEL:
		label_channel(tp, drain_port(r->channel), true, t);
		break;
	case C_FIRST:
		label_endport(tp->fabric, r->src, t);
		text_add(t, " to ");
		lid_label(tp->fabric, v->scene->real->lids, r->lid, t);
		break;
	case C_WANTS:
		if (r->wants != NO_ID)
			label_channel(tp, drain_port(r->wants), false, t);
		break;
	case C_WAITS:
		text_add(t, "%s", r->circle ? "circle" : r->waits ? "waits" : "");
		break;
	default:
		text_add(t, "%d", (int)drain_pane_number(v, row, col));
	}
}

static unsigned drain_pane_marks(const struct view *v, uint32_t row)
{
	return ((const struct drain_pane *)v->priv)->row[row].circle ? MARK_HERE : 0;
}

static bool drain_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct drain_pane_row *r = &((const struct drain_pane *)v->priv)->row[row];

	subject_port(v, drain_port(r->channel), s);
	s->key = s->key << 4 ^ drain_vl(r->channel);
	s->src = (struct end){END_LID, v->scene->real->lids->base[r->src]};
	s->dst = (struct end){END_LID, r->lid};
	return true;
}

const struct view_ops view_drain = {
	.name = "drain",
	.brief = "shows the packets that `drain` moves: who is in which channel, what they want, who "
		 "waits for whom",
	.hints = ":drain_next=next :drain_back=back :drain_last=last :drain_first=first :drain_pause=play "
		 "follow=path",
	.enter = "pane path %src %dst",
	COLUMNS(columns),
	.flags = VIEW_PRESENT,
	.priv_size = sizeof(struct drain_pane),
	.load = drain_pane_load,
	.title = drain_pane_title,
	.footer = drain_pane_footer,
	.cell = drain_pane_cell,
	.number = drain_pane_number,
	.marks = drain_pane_marks,
	.about = drain_pane_about,
};
