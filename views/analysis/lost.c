/* The pane `lost`: LIDs that hosts have no way to, and hosts that are cut off, all or those of a cause. */
#include "core/fabric/labels.h"
#include "core/session/args.h"
#include "views/analysis/check.h"

enum { C_TO, C_LID, C_FROM, C_SWITCHES, C_PAIRS, C_HOW };

static const struct column columns[] = {
	COL("to", "the host that packets do not come to", 12, .flex = 2),
	NUM("lid", "its LID", 5),
	COL("from", "a switch from whose hosts there is no way", 12, .flex = 2, .drop = 1),
	NUM("switches", "number of these switches", 8, .drop = 2),
	NUM("pairs", "pairs of a host and this LID that are lost; of a host that is cut off: both ways", 5),
	COL("how", "no way; loops: packets go in a circle; cut off from the subnet manager; no LID", 7),
};

struct lost_pane {
	uint32_t cause;		      /* asked for, from 1; 0: all; it stays */
	const struct check_answer *a; /* borrowed; NULL = missing */
	uint32_t *row;		      /* [n_rows] of a->lost */
};

static int lost_pane_open_view(struct view *v, const struct args *a, struct err *e)
{
	(void)e;
	((struct lost_pane *)v->priv)->cause = (uint32_t)args_number(a, "cause N", 0);
	return 0;
}

static void lost_pane_load(struct view *v)
{
	struct lost_pane *p = v->priv;

	p->a = view_ask_value(v, &task_check, NULL);
	if (!p->a)
		return;
	p->row = VIEW_ARRAY(v, p->a->n_lost, uint32_t);
	for (uint32_t i = 0; i < p->a->n_lost; i++)
		if (!p->cause || p->a->lost[i].cause == p->cause - 1)
			p->row[v->n_rows++] = i;
}

static const struct lost_lid *lost_at(const struct view *v, uint32_t row)
{
	const struct lost_pane *p = v->priv;

	return &p->a->lost[p->row[row]];
}

static void lost_pane_title(const struct view *v, struct text *t)
{
	const struct lost_pane *p = v->priv;

	text_add(t, "Lost");
	if (!scene_routing(v->scene))
		text_add(t, " ── nothing is routed");
	else if (p->a && !p->cause)
		text_add(t, " ── %s", PLURAL(p->a->found.causes->lost, "pair"));
	else if (p->a && p->cause <= p->a->n_causes)
		text_add(t, " ── %s: %s", p->a->cause[p->cause - 1].what, p->a->cause[p->cause - 1].why);
	else if (p->a)
		text_add(t, " ── there is no cause %u", p->cause);
	if (p->a && !p->cause && p->a->found.counts.apart)
		text_add(t, "; partitions keep %s apart", PLURAL(p->a->found.counts.apart, "pair"));
}

static int64_t lost_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	const struct lost_lid *l = lost_at(v, row);

	if (col == C_PAIRS)
		return (int64_t)l->pairs;
	return !l->lid ? -1 : (int64_t)(col == C_LID ? l->lid : l->switches);
}

static void lost_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct lost_lid *l = lost_at(v, row);
	const struct fabric *f = v->scene->fabric;

	switch (col) {
	case C_TO:
		if (l->lid)
			lid_label(f, v->scene->sweep->lids, l->lid, t);
		else
			label_endport(f, l->endport, t);
		break;
	case C_FROM:
		if (l->sw != NO_ID)
			text_add(t, "%s", switch_name(f, l->sw));
		break;
	case C_HOW:
		text_add(t, "%s",
			 l->lid					   ? (l->loops ? "loops" : "no way")
			 : is_cut_off(v->scene->sweep, l->endport) ? "cut off"
								   : "no LID");
		break;
	default:
		number_cell(lost_pane_number(v, row, col), t);
	}
}

static unsigned lost_pane_marks(const struct view *v, uint32_t row)
{
	(void)v;
	(void)row;
	return MARK_DOWN;
}

static bool lost_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	const struct lost_lid *l = lost_at(v, row);

	subject_port(v, v->scene->fabric->endport_port[l->endport], s);
	s->key = (uint64_t)l->cause << 32 | (l->lid ? l->lid : MAX_LID + l->endport);
	if (!l->lid)
		return true;
	subject_lid(l->lid, s);
	s->src = (struct end){END_ON_SWITCH, l->sw};
	return true;
}

/* From another switch: the path, as far as it goes. */
static void lost_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct lost_lid *l = lost_at(v, row);
	bool near = l->lid && l->sw == v->scene->topo->endport_switch[l->endport];

	view_fill(v, row,
		  !l->lid ? "pane ports %node"
		  : near  ? "pane lft %peer %lid"
			  : "pane path %src %dst",
		  t);
}

const struct view_ops view_lost = {
	.name = "lost",
	.brief = "lists LIDs that hosts have no way to, and hosts that are cut off, all or those of a cause "
		 "as "
		 "`check` counts them",
	.syntax = "[cause N]",
	.hints = "follow=path :trace=trace back=back",
	COLUMNS(columns),
	.flags = VIEW_WIDE,
	.priv_size = sizeof(struct lost_pane),
	.priv_kept = offsetof(struct lost_pane, a),
	.open = lost_pane_open_view,
	.load = lost_pane_load,
	.title = lost_pane_title,
	.cell = lost_pane_cell,
	.number = lost_pane_number,
	.marks = lost_pane_marks,
	.about = lost_pane_about,
	.follow = lost_pane_follow,
};
