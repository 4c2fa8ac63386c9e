/* The pane `cables`: each cable with what the subnet manager's log, counters and its maker tell of it. */
#include <string.h>

#include "core/base/memory.h"
#include "core/session/out.h"
#include "views/base/view.h"

enum { C_CABLE, C_TO, C_STATE, C_RATE, C_FLAPS, C_LAST, C_ERRORS, C_BER, C_PART, C_SERIAL, C_LENGTH };

static const struct column cables_columns[] = {
	COL("cable", "one end: of a cable between switch and host the switch's port", 10, .flex = 2),
	COL("to", "the other end", 10, .flex = 2),
	COL("state", "up, down, Initialize or Armed (an end is not active: no data passes)", 5, .drop = 4),
	COL("rate", "width and speed", 6, .drop = 5),
	NUM("flaps",
	    "how often the link went down, by the subnet manager's log (`log`); ~: it or one beside it", 0),
	COL("last flap", "when it did so last; the log tells no year", 0, .drop = 3),
	NUM("errors", "symbol and link errors that both ends counted (`counters all`)", 0),
	NUM("ber", "bit error rate after correction, the worse of both ends", 7, .drop = 2),
	COL("part", "part number of the cable or module", 0, .drop = 6),
	COL("serial", "its serial number", 0, .drop = 7),
	COL("length", "its length as its maker tells it", 0, .drop = DROP_SPARE),
};
static_assert(ARRAY_LEN(cables_columns) == C_LENGTH + 1, "a column for each C_");

struct cables_pane {
	const struct fabric *f;
	struct opensm_log *log;	  /* reference; NULL: none */
	struct measured *counted; /* NULL: none */
	const struct log_join *j; /* NULL: no log, or another fabric's */
};

static void cables_pane_unload(struct view *v)
{
	struct cables_pane *p = v->priv;

	arena_free(p->j);
	measured_free(p->counted);
	opensm_log_unref(p->log);
}

static void cables_pane_load(struct view *v)
{
	const struct scene *sc = v->scene;
	struct cables_pane *p = v->priv;
	bool strange = false;

	if (!sc->fabric)
		return;
	p->f = sc->fabric;
	p->log = session_log(sc->session);
	p->counted = session_measured(sc->session);
	v->n_rows = p->f->n_links;
	if (p->log) {
		struct log_join *j = log_join_new(NULL, p->log, p->f, sc->real ? sc->real->lids : NULL);
		strange = j->strange;
		p->j = strange ? NULL : j;
		if (strange)
			arena_free(j);
	}
	if (strange)
		text_add(&v->footer, "the log is another fabric's; ");
	text_add(&v->footer, "%s%s", p->log ? "" : "`log FILE` adds flaps; ",
		 p->counted ? "" : "`counters all FILE` adds errors and parts");
}

/* Errors that a port counted, or -1; the worse bit error rate goes to *ber, what its cable is to *part. */
static int64_t cables_end(const struct measured_port *m, double *ber, const struct cable_part **part)
{
	int64_t errors = -1;

	if (!m)
		return -1;
	for (unsigned k = 0; k < N_COUNTERS; k++)
		if (m->told & LINK_ERROR_BITS & 1u << k)
			errors = MAX(errors, 0) + (int64_t)m->grown[k];
	*ber = MAX(*ber, m->ber[m->ber[BER_EFFECTIVE] >= 0 ? BER_EFFECTIVE : BER_SYMBOL]);
	*part = m->cable ? m->cable : *part;
	return errors;
}

static void cables_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct cables_pane *p = v->priv;
	uint32_t a = p->f->link_port[2 * row], b = p->f->link_port[2 * row + 1];
	uint32_t port = node_is_switch(p->f, p->f->port_node[a]) ? a : b, peer = p->f->port_peer[port];
	const struct log_cable *c = p->j ? &p->j->cable[row] : NULL;
	const struct cable_part none = {0}, *part = &none;
	const char *idle = event_idle(v->scene->event, port), *state = "down";
	const char *last = c && c->last ? c->last->last : "";
	double ber = -1;
	char buf[256];
	int64_t errors = cables_end(measured_of(p->counted, port), &ber, &part),
		others = cables_end(measured_of(p->counted, peer), &ber, &part);

	if (idle || state_live_peer(p->f, v->scene->state, port) != NO_ID)
		state = idle ? idle : "up";
	if (others >= 0)
		errors = MAX(errors, 0) + others;
	ROW_VALUES(v, r, row_text(r, "%s", port_label(p->f, port, buf, sizeof(buf))),
		   row_text(r, "%s", port_label(p->f, peer, buf, sizeof(buf))), row_text(r, "%s", state),
		   row_text(r, "%s%s", link_width_name(p->f->port_width[port]),
			    link_speed_name(p->f->port_speed[port])),
		   c ? (int64_t)c->flaps : -1, row_text(r, "%s", last), errors,
		   ber < 0 ? -1 : (int64_t)(MIN(ber, 1) * 1e18), row_text(r, "%s", part->part),
		   row_text(r, "%s", part->serial), row_text(r, "%s", part->length));
	if (ber >= 0)
		r->says[C_BER] = row_text(r, "%.1e", ber);
	r->marks =
		mark_if(!strcmp(state, "down") || idle, MARK_DOWN) | mark_if(c && c->one_of > 1, MARK_DETOUR);
	subject_port(v, port, &r->about);
}

const struct view_ops view_cables = {
	.name = "cables",
	.brief = "lists cables: how often each went down, errors, bit error rate, part and serial number",
	.hints = "follow=ends",
	COLUMNS(cables_columns),
	.flags = VIEW_WIDE | VIEW_PRESENT,
	.priv_size = sizeof(struct cables_pane),
	.load = cables_pane_load,
	.row = cables_row,
	.unload = cables_pane_unload,
	.enter = "pane ports %port",
};
