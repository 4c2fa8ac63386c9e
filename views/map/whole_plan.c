/* A whole small fabric: what all shapes share. */
#include <stdlib.h>
#include <string.h>
#include "core/base/clean.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "views/base/canvas.h"
#include "views/map/whole_plan.h"
#include "core/base/order.h"

int whole_side_width(const struct whole_work *k, uint32_t i, enum whole_side side)
{
	int w = 0;

	for (uint32_t e = k->first[i]; e < k->first[i + 1]; e++)
		if (k->end[e].side == side)
			w += k->end[e].width + (w > 0);
	return w;
}

int whole_put_side(struct whole_work *k, uint32_t i, enum whole_side side, int x, int y)
{
	struct whole_plan *p = k->plan;
	bool any = false;

	for (uint32_t n = k->first[i]; n < k->first[i + 1]; n++) {
		struct whole_end *e = &k->end[n];
		struct whole_label *l;

		if (e->side != side)
			continue;
		GROW(p->label, p->n_labels, p->cap_labels);
		x += any;
		any = true;
		l = &p->label[p->n_labels];
		*l = (struct whole_label){e->bundle, e->end, x, y, e->width, ""};
		memcpy(l->text, e->text, sizeof(l->text));
		e->label = (int)p->n_labels++;
		x += e->width;
	}
	return x;
}

void whole_put_box(struct whole_work *k, uint32_t i)
{
	struct whole_plan *p = k->plan;

	GROW(p->box, p->n_boxes, p->cap_boxes);
	p->box[p->n_boxes++] =
		(struct whole_box){k->switches[i], k->x[i] - k->box_w[i] / 2, k->y[i], k->box_w[i]};
}

void whole_put_note(struct whole_work *k, int x, int y, const char *text)
{
	struct whole_plan *p = k->plan;
	struct whole_note *n;

	GROW(p->note, p->n_notes, p->cap_notes);
	n = &p->note[p->n_notes++];
	*n = (struct whole_note){x, y, 0, ""};
	snprintf(n->text, sizeof(n->text), "%s", text);
	n->w = canvas_columns(n->text);
}

struct whole_line *whole_put_line(struct whole_work *k, uint32_t bundle, uint8_t gap)
{
	struct whole_plan *p = k->plan;

	GROW(p->line, p->n_lines, p->cap_lines);
	p->line[p->n_lines] = (struct whole_line){.bundle = bundle, .gap = gap, .n = 2};
	return &p->line[p->n_lines++];
}

int whole_label_dot(const struct whole_plan *p, const struct whole_end *e)
{
	const struct whole_label *l = &p->label[e->label];

	return 2 * l->x + l->w - 1;
}

COMPARATOR(by_side_and_place, struct whole_end, UP(side) UP(toward) UP(bundle))

void whole_order(struct whole_work *k)
{
	uint32_t n = k->part->n;

	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t e = k->first[i]; e < k->first[i + 1]; e++) {
			const struct whole_bundle *m = &k->plan->bundle[k->end[e].bundle];

			k->end[e].toward = k->x[k->at[m->sw[!k->end[e].end]]];
		}
		if (k->first[i + 1] > k->first[i])
			qsort(k->end + k->first[i], k->first[i + 1] - k->first[i], sizeof(*k->end),
			      by_side_and_place);
	}
	for (uint32_t e = 0; e < k->first[n]; e++)
		k->ends[k->end[e].bundle][k->end[e].end] = e;
}

/* Finds the bundles. Switches go by id, like neighbours. */
static void find_bundles(struct whole_work *k)
{
	const struct layout *l = k->l;
	struct whole_plan *p = k->plan;

	p->bundle = NEW_ARRAY(k->part->n_links + 1u, struct whole_bundle);
	for (uint32_t a = 0; a < l->n; a++)
		for (uint32_t i = l->first[a]; k->at[a] != NO_ID && i < l->first[a + 1]; i++) {
			struct whole_bundle *b = &p->bundle[p->n_bundles];

			if (l->to[i] < a)
				continue;
			p->n_bundles++;
			b->sw[0] = a;
			b->sw[1] = l->to[i];
			b->cable = l->port + l->cable[i];
			b->n = l->cable[i + 1] - l->cable[i];
			b->port[0] = b->cable[0];
			b->port[1] = l->port[l->cable[layout_arc(l, l->to[i], a)]];
			p->n_cables += b->n;
		}
}

/* Finds the ends of the bundles; sides are not set yet. */
static void whole_plan_find_ends(struct whole_work *k)
{
	uint32_t n = k->part->n, *fill;

	free(k->end);
	memset(k->first, 0, (n + 1u) * sizeof(*k->first));
	for (uint32_t m = 0; m < k->plan->n_bundles; m++)
		for (unsigned i = 0; i < 2; i++)
			k->first[k->at[k->plan->bundle[m].sw[i]] + 1]++;
	for (uint32_t i = 0; i < n; i++)
		k->first[i + 1] += k->first[i];
	k->end = NEW_ARRAY(k->first[n] + 1u, struct whole_end);
	fill = mem_dup(k->first, (n + 1u) * sizeof(*fill));
	for (uint32_t m = 0; m < k->plan->n_bundles; m++) {
		const struct whole_bundle *d = &k->plan->bundle[m];

		for (unsigned i = 0; i < 2; i++) {
			struct whole_end *e = &k->end[fill[k->at[d->sw[i]]]];
			unsigned port = k->f->port_num[d->port[i]];

			*e = (struct whole_end){
				.bundle = m, .end = (uint8_t)i, .side = WHOLE_NOWHERE, .label = -1};
			if (d->n > 1)
				snprintf(e->text, sizeof(e->text), "%ux%u", port, (unsigned)d->n);
			else
				snprintf(e->text, sizeof(e->text), "%u", port);
			e->width = (uint8_t)strlen(e->text);
			k->ends[m][i] = fill[k->at[d->sw[i]]]++;
		}
	}
	free(fill);
}

static const char *not_offered(const struct layout *l, const struct layout_part *p)
{
	struct shape_run *run;
	uint32_t most, n;

	switch (p->kind) {
	case LAYOUT_TREE:
		return p->levels < 2 ? "the tree has one level" : NULL;
	case LAYOUT_ROW:
	case LAYOUT_RING:
	case LAYOUT_CHAIN:
		return NULL;
	case LAYOUT_GRID:
		return p->n > WHOLE_GRID ? "grids of up to 64 switches have one" : NULL;
	case LAYOUT_GROUPS:
		run = shape_runs(l, l->order + p->first, p->n, false, &n);
		most = shape_most(run, n);
		free(run);
		return p->n_blocks > WHOLE_GROUPS || most > WHOLE_MEMBERS
			       ? "up to 9 groups of up to 8 switches have one"
			       : NULL;
	case LAYOUT_FULL:
	case LAYOUT_OTHER:
		break;
	}
	return "trees, grids, rings and groups have one";
}

void whole_name(const struct whole_plan *p, const struct fabric *f, uint32_t sw, struct text *t)
{
	struct text clean = {0};

	t->len = 0;
	text_add(t, "%s", "");
	affix_strip(&p->names, p->pre, p->suf, clean_string(switch_name(f, sw), &clean), t);
	text_free(&clean);
}

/* Computes the widths of boxes, and all places if they fit. Nothing of an earlier try remains. */
static void place_named(struct whole_work *k)
{
	static void (*const place[])(struct whole_work *) = {
		[LAYOUT_TREE] = whole_rows, [LAYOUT_GROUPS] = whole_rows, [LAYOUT_GRID] = whole_grid,
		[LAYOUT_ROW] = whole_ring,  [LAYOUT_RING] = whole_ring,	  [LAYOUT_CHAIN] = whole_ring};
	struct text t = {0};

	k->plan->undrawn = 0;
	k->plan->need_w = k->plan->need_h = 0;
	for (uint32_t i = 0; i < k->part->n; i++) {
		int name;

		whole_name(k->plan, k->f, k->switches[i], &t);
		name = canvas_columns(text_str(&t));
		k->box_w[i] = 3 + MIN(name, WHOLE_NAME);
	}
	text_free(&t);
	whole_plan_find_ends(k);
	place[k->part->kind](k);
}

/* Places everything. Names lose what they share if that makes room; whole words first. */
static void whole_plan_place_all(struct whole_work *k)
{
	struct whole_plan *p = k->plan;
	struct text clean = {0};
	size_t pre;

	for (uint32_t i = 0; i < k->part->n; i++) {
		const char *name = clean_string(switch_name(k->f, k->switches[i]), &clean);

		affix_note(&p->names, name, canvas_columns(name));
	}
	text_free(&clean);
	place_named(k);
	if (p->fits || p->why)
		return;
	affix_get(&p->names, &pre, &p->suf);
	if (!pre && !p->suf)
		return;
	for (p->pre = pre; p->pre && !strchr(";:/-_ ", p->names.like[p->pre - 1]); p->pre--)
		;
	place_named(k);
	if (p->fits || p->pre == pre)
		return;
	p->pre = pre;
	place_named(k);
}

struct whole_plan *whole_plan_new(const struct fabric *f, const struct layout *l, uint32_t part, int w, int h)
{
	struct whole_plan *p = NEW(struct whole_plan);
	struct whole_work k = {.f = f, .l = l, .plan = p, .w = w, .h = h};

	p->same_hosts = -1;
	if (part >= l->n_parts) {
		p->why = "there are no links";
		return p;
	}
	k.part = &l->part[part];
	p->why = not_offered(l, k.part);
	if (p->why)
		return p;
	k.switches = l->order + k.part->first;
	k.at = NEW_ARRAY(l->n + 1u, uint32_t);
	memset(k.at, 0xff, (l->n + 1u) * sizeof(*k.at));
	for (uint32_t i = 0; i < k.part->n; i++)
		k.at[k.switches[i]] = i;
	k.x = NEW_ARRAY(k.part->n, int);
	k.y = NEW_ARRAY(k.part->n, int);
	k.box_w = NEW_ARRAY(k.part->n, int);
	k.first = NEW_ARRAY(k.part->n + 1u, uint32_t);
	find_bundles(&k);
	k.ends = mem_array(p->n_bundles + 1u, sizeof(*k.ends));
	whole_plan_place_all(&k);
	free(k.at);
	free(k.x);
	free(k.y);
	free(k.box_w);
	free(k.first);
	free(k.end);
	free(k.ends);
	return p;
}

void whole_plan_free(struct whole_plan *p)
{
	if (!p)
		return;
	affix_free(&p->names);
	free(p->bundle);
	free(p->box);
	free(p->label);
	free(p->line);
	free(p->note);
	free(p);
}
