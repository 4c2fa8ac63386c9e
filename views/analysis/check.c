/* The panes `check` and `lost`: is the routing sound, and which hosts and LIDs are without a way. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/judged.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/fabric/names.h"
#include "core/session/command.h"
#include "core/session/commands/commands.h"
#include "views/analysis/check.h"

void cause_rows_load(struct view *v, struct cause_rows *r, const struct cause *c, size_t n)
{
	assert(n <= UINT32_MAX);

	const struct last_seen seen = session_last_seen(v->scene->session);

	v->n_rows = (uint32_t)n;
	*r = (struct cause_rows){c, v->n_rows, VIEW_ARRAY(v, n, char *)};
	for (uint32_t i = 0; i < r->n; i++)
		if (c[i].kind == CAUSE_PORT && !c[i].last)
			r->last[i] = seen.peer(seen.ctx, v->scene->fabric->node_guid[c[i].node], c[i].port);
}

void cause_rows_free(struct cause_rows *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		free(r->last[i]);
}

/* The place of the column "last peer" in both panes. */
enum { C_LAST_PEER = 3 };

void cause_row(const struct view *v, const struct cause_rows *rows, uint32_t row, struct table_row *r)
{
	assert(row < rows->n);

	const struct cause *c = &rows->c[row];
	struct subject *s = &r->about;

	row_fields(v, r, cause_fields, c);
	if (rows->last[row])
		r->says[C_LAST_PEER] = row_text(r, "%s", rows->last[row]);
	r->marks = c->pairs || c->kind < CAUSE_RULE ? MARK_DOWN : MARK_CHANGED;
	s->key = mix(c->kind, c->key);
	for (const char *w = c->why; *w; w++)
		s->key = mix(s->key, (unsigned char)*w);
	if (c->port && c->node != NO_ID)
		subject_port(v, v->scene->fabric->node_port[c->node] + c->port, s);
	else if (c->node != NO_ID)
		subject_node(v, c->node, s);
}

/* The pane `lost`: LIDs that hosts have no way to, and hosts that are cut off, all or those of a cause. */

static const struct column lost_columns[] = {
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

static void lost_row(const struct view *v, uint32_t row, struct table_row *r)
{
	const struct lost_pane *p = v->priv;
	const struct lost_lid *l = &p->a->lost[p->row[row]];
	const struct fabric *f = v->scene->fabric;
	const char *how = l->loops ? "loops" : "no way";
	size_t to = row_text(r, "%s", ""), from = 0;

	if (l->lid)
		lid_label(f, v->scene->sweep->lids, l->lid, &r->text);
	else
		label_endport(f, l->endport, &r->text);
	if (l->sw != NO_ID)
		from = row_text(r, "%s", switch_name(f, l->sw));
	if (!l->lid)
		how = is_cut_off(v->scene->sweep, l->endport) ? "cut off" : "no LID";
	ROW_VALUES(v, r, (int64_t)to, l->lid ? (int64_t)l->lid : -1, (int64_t)from,
		   l->lid ? (int64_t)l->switches : -1, (int64_t)l->pairs, row_text(r, "%s", how));
	r->marks = MARK_DOWN;
	subject_port(v, f->endport_port[l->endport], &r->about);
	r->about.key = (uint64_t)l->cause << 32 | (l->lid ? l->lid : MAX_LID + l->endport);
	if (!l->lid) {
		r->follow = row_text(r, "pane ports %%node");
		return;
	}
	subject_lid(l->lid, &r->about);
	r->about.src = (struct end){END_ON_SWITCH, l->sw};
	/* from another switch: the path, as far as it goes */
	if (l->sw == v->scene->topo->endport_switch[l->endport])
		r->follow = row_text(r, "pane lft %%peer %%lid");
}

const struct view_ops view_lost = {
	.name = "lost",
	.brief = "lists LIDs that hosts have no way to, and hosts that are cut off, all or those of a cause "
		 "as "
		 "`check` counts them",
	.syntax = "[cause N]",
	.hints = "follow=path :trace=trace back=back",
	COLUMNS(lost_columns),
	.flags = VIEW_WIDE,
	.priv_size = sizeof(struct lost_pane),
	.priv_kept = offsetof(struct lost_pane, a),
	.open = lost_pane_open_view,
	.load = lost_pane_load,
	.row = lost_row,
	.title = lost_pane_title,
	.enter = "pane path %src %dst",
};

/* The pane `check`: is the routing sound?  One row for each cause of lost pairs, each group of credit loops,
 * and routes that are dropped; the verdict in the title. */

static const struct column check_columns[] = {
	COL("kind",
	    "tables: they were not read; refusal: of the engine; loop: entries lead in a circle; rule: of "
	    "the engine; credit: packets can wait for each other for ever; drop: on VL 15",
	    7),
	COL("what", "the port, cable, switch, host or engine; the channels of credit loops", 12, .flex = 2),
	COL("why", "what is wrong with it", 12, .flex = 2),
	COL("last peer", "what is, or was last, at the other end", 9, .flex = 1, .drop = 1),
	NUM("pairs", "pairs that are lost by this cause alone", 5),
	NUM("lids", "LIDs concerned", 4, .drop = 3),
	NUM("hosts", "hosts that have these LIDs, or are cut off", 5, .drop = 2),
};

/* What is no cause of lost pairs, but a row as well. */
enum { ROW_CREDIT = CAUSE_KINDS, ROW_DROP };

/* --- computed by another thread ----------------------------------------------------------------- */

struct collected {
	struct check_answer *a;
	const struct sweep *w;
	uint32_t cap;
	uint32_t *last, n_last; /* by `made` of causes: place in lost + 1; 0: none */
};

/* The row of a cause and LID; those of a cause come by LID. */
static struct lost_lid *lost_of(struct collected *k, uint32_t cause, uint32_t lid, uint32_t ep)
{
	struct check_answer *a = k->a;
	uint32_t n = k->n_last;

	if (cause >= n) {
		k->n_last = 2 * cause + 16;
		k->last = mem_resize(k->last, k->n_last, sizeof(*k->last));
		memset(k->last + n, 0, (k->n_last - n) * sizeof(*k->last));
	}
	if (!k->last[cause] || !lid || a->lost[k->last[cause] - 1].lid != lid) {
		GROW(a->lost, a->n_lost, k->cap);
		a->lost[a->n_lost++] =
			(struct lost_lid){.cause = cause, .lid = lid, .endport = ep, .sw = NO_ID};
		k->last[cause] = a->n_lost;
	}
	return &a->lost[k->last[cause] - 1];
}

static void check_pane_add_lost(void *ctx, const struct lost_way *x)
{
	struct collected *k = ctx;
	uint32_t ep = lid_owner(k->w->lids, x->lid), own = k->w->topo->endport_switch[ep];
	struct lost_lid *l = lost_of(k, x->cause, x->lid, ep);

	assert(ep != NO_ID);
	if (l->sw == NO_ID || l->sw == own) /* a path from there shows the most */
		l->sw = x->sw;
	l->switches++;
	l->pairs += x->pairs;
	l->loops |= x->loops;
}

static void check_pane_add_end(void *ctx, uint32_t ep, uint32_t cause, uint64_t pairs)
{
	lost_of(ctx, cause, 0, ep)->pairs = pairs;
}

/* Causes that were sorted have other places. */
static void place_lost(struct check_answer *a)
{
	const struct causes *c = a->found.causes;
	AUTO_FREE uint32_t *place = mem_alloc(c->n * sizeof(*place) + 1);

	for (uint32_t i = 0; i < c->n; i++) {
		assert(c->c[i].made < c->n);
		place[c->c[i].made] = i;
	}
	for (uint32_t i = 0; i < a->n_lost; i++)
		a->lost[i].cause = place[a->lost[i].cause];
}

static void list_causes(struct check_answer *a, const struct fabric *f)
{
	const struct causes *c = a->found.causes;
	const struct cdg *g = a->found.loops;

	a->cause = mem_array(c->n + g->n_components + 1, sizeof(*a->cause));
	if (c->n)
		memcpy(a->cause, c->c, c->n * sizeof(*a->cause));
	a->n_causes = (uint32_t)c->n + g->n_components;
	for (uint32_t i = 0; i < g->n_components; i++) {
		struct text t = {0};

		text_add(&t, "%s on VL", PLURAL(g->size[i], "channel"));
		for (unsigned v = 0; v < CDG_VLS; v++)
			if (g->vls[i] >> v & 1)
				text_add(&t, " %u", v);
		a->cause[c->n + i] = (struct cause){.kind = ROW_CREDIT,
						    .key = i,
						    .word = "credit",
						    .why = "packets can wait for each other for ever",
						    .what = t.s,
						    .node = NO_ID};
	}
	/* components are numbered by their first channel */
	for (uint32_t i = g->n_channels; i--;)
		if (g->component[i] != NO_ID) {
			struct cause *x = &a->cause[c->n + g->component[i]];

			x->node = f->port_node[g->port[i]];
			x->port = f->port_num[g->port[i]];
		}
	if (g->dropped)
		a->cause[a->n_causes++] =
			(struct cause){.kind = ROW_DROP,
				       .word = "drop",
				       .why = "their SL leads to VL 15",
				       .what = str_printf("%s", PLURAL(g->dropped, "route")),
				       .node = NO_ID};
}

static void check_pane_free_answer(void *value)
{
	struct check_answer *a = value;

	for (uint32_t i = a->found.causes ? (uint32_t)a->found.causes->n : 0; i < a->n_causes; i++)
		free(a->cause[i].what);
	free(a->cause);
	free(a->lost);
	text_free(&a->judged);
	soundness_clear(&a->found);
	free(a);
}

static void *run_check(const struct job *j)
{
	struct check_answer *a = NEW(struct check_answer);
	struct collected k = {.a = a, .w = j->sweep};
	const struct ways_listener to = {.ctx = &k, .lost = check_pane_add_lost, .end = check_pane_add_end};
	int rc = soundness_find(j->sweep, &a->found, NULL, &to, j->progress, j->e);

	free(k.last);
	if (rc) {
		check_pane_free_answer(a);
		return NULL;
	}
	struct judged judged = judged_of(j->sweep);

	judged.untimed = true;
	judged_count(&judged, j->progress);
	judged_brief(&judged, &a->judged);
	if (!judged.held && judged.at_hand)
		text_add(&a->judged, ", unlike those held in %" PRIu64 " of %s", judged.n_differ,
			 PLURAL(judged.n_held, "entry"));
	place_lost(a);
	list_causes(a, j->sweep->fabric);
	return a;
}

const struct task task_check = {.run = run_check, .free = check_pane_free_answer};

/* --- the pane ------------------------------------------------------------------------------------ */

struct check_pane {
	const struct result *answer; /* borrowed; NULL = missing */
	struct cause_rows rows;
};

static const struct check_answer *answer_of(const struct view *v)
{
	const struct check_pane *p = v->priv;

	return p->answer ? p->answer->value : NULL;
}

static void check_pane_unload(struct view *v)
{
	cause_rows_free(&((struct check_pane *)v->priv)->rows);
}

static void check_pane_load(struct view *v)
{
	struct check_pane *p = v->priv;
	const struct check_answer *a;

	p->answer = view_ask(v, &task_check, NULL, NULL);
	a = answer_of(v);
	if (a)
		cause_rows_load(v, &p->rows, a->cause, a->n_causes);
}

static void check_pane_title(const struct view *v, struct text *t)
{
	const struct check_answer *a = answer_of(v);

	text_add(t, "Check");
	if (!scene_routing(v->scene))
		text_add(t, " ── nothing is routed");
	if (!a)
		return;
	text_add(t, " ── %s", verdict_words[a->found.verdict].brief);
	if (a->n_causes)
		text_add(t, " ── %s", PLURAL(a->n_causes, "cause"));
	if (a->found.causes->lost)
		text_add(t, ", %s lost", PLURAL(a->found.causes->lost, "pair"));
	if (a->found.counts.apart)
		text_add(t, "; partitions keep %s apart", PLURAL(a->found.counts.apart, "pair"));
	text_add(t, " ── %s", text_str(&a->judged));
}

static void check_pane_footer(const struct view *v, struct text *t)
{
	const struct check_pane *p = v->priv;
	const struct check_answer *a = answer_of(v);
	const struct sweep *w = v->scene->sweep;
	const struct check_result *c;
	uint32_t all, lacking;

	if (p->answer && !a)
		text_add(t, "%s", p->answer->e.msg);
	if (!a)
		return;
	c = &a->found.counts;
	lacking = tables_lacking(w, &all);
	if (a->found.strange)
		text_add(t, "INCOMPLETE TABLES: most that their file names is not in this fabric");
	else if (lacking)
		text_add(t, "INCOMPLETE TABLES: %u of %s without; %" PRIu64 " pairs cannot be told", lacking,
			 PLURAL(all, "switch"), a->found.untold);
	else if (w->fabric->warnings.missing)
		text_add(t, "INCOMPLETE: a part of the fabric is not known; `show warnings`");
	else if (a->found.verdict == VERDICT_FAULT && c->looping)
		text_add(t, "%" PRIu64 " of %s between hosts unreachable, %" PRIu64 " of them loop",
			 c->unreachable, PLURAL(c->pairs, "path"), c->looping);
	else if (a->found.verdict == VERDICT_FAULT)
		text_add(t, "%" PRIu64 " of %s between hosts unreachable, longest %s", c->unreachable,
			 PLURAL(c->pairs, "path"), PLURAL(c->max_hops, "link"));
	else
		text_add(t, "%s", verdict_words[a->found.verdict].sentence);
}

static void check_row(const struct view *v, uint32_t row, struct table_row *r)
{
	cause_row(v, &((const struct check_pane *)v->priv)->rows, row, r);
	if (answer_of(v)->cause[row].kind >= ROW_CREDIT)
		r->marks = MARK_DOWN;
}

static bool lists_lost(const struct check_answer *a, uint32_t row)
{
	for (uint32_t i = 0; i < a->n_lost; i++)
		if (a->lost[i].cause == row)
			return true;
	return false;
}

/* To the LIDs that are lost by it, or to its channels; where there are none, to its place. */
static void check_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct cause *c = &answer_of(v)->cause[row];
	const struct cdg *g = answer_of(v)->found.loops;

	if (c->kind == ROW_DROP) {
		text_add(t, "pane cdg all");
	} else if (c->kind == ROW_CREDIT) {
		unsigned vl = 0;

		while (!(g->vls[c->key] >> vl & 1))
			vl++;
		text_add(t, "pane cycle %u %u", vl, cdg_components_below(g, (int)vl, (uint32_t)c->key) + 1);
	} else if (lists_lost(answer_of(v), row)) {
		text_add(t, "pane lost cause %u", row + 1);
	} else if (c->node == NO_ID) {
		text_add(t, "pane journal");
	} else {
		view_fill(v, row, "pane ports %node", t);
	}
}

const struct view_ops view_check = {
	.name = "check",
	.brief = "judges the routes as `check`: why pairs have no path, and credit loops, a row for each "
		 "cause; Enter lists the LIDs that are lost by it",
	.hints = "follow=details back=back",
	COLUMNS(check_columns),
	.flags = VIEW_WIDE,
	.priv_size = sizeof(struct check_pane),
	.footer = check_pane_footer,
	.load = check_pane_load,
	.unload = check_pane_unload,
	.row = check_row,
	.title = check_pane_title,
	.follow = check_pane_follow,
};
