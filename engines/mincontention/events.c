/* Minimum contention in a recording: events, sentences, and the tables of a step. */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/labels.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"
#include "engines/mincontention/internal.h"

struct mc_record {
	uint32_t *key, *egress; /* [n] of the LID before, as the recording has them */
	struct mincontention_way *way;
};

/* What no step changes. */
struct kept {
	const struct elements *el; /* reference held */
	unsigned tolerance;
	uint8_t *kept; /* [max_lid + 1] */
};

static void release(void *p)
{
	struct kept *k = p;

	elements_unref(k->el);
	free(k->kept);
	free(k);
}

/* --- events ---------------------------------------------------------------------------------------- */

struct mc_record *mc_record_new(const struct run *x)
{
	struct mc_record *r = NEW(struct mc_record);
	struct recorder *rec = x->in->record;
	struct kept *k = NEW(struct kept);
	uint32_t n = x->el->n;

	r->key = NEW_ARRAY(n + 1, uint32_t);
	r->egress = NEW_ARRAY(n + 1, uint32_t);
	memset(r->key, 0xff, n * sizeof(*r->key));
	memset(r->egress, 0xff, n * sizeof(*r->egress));
	r->way = NEW_ARRAY(x->el->n_links + 1u, struct mincontention_way);
	k->el = elements_ref(x->el);
	k->tolerance = x->tolerance;
	k->kept = mem_dup(x->kept, x->in->lids->max_lid + 1u);
	rec_cells(rec, T_KEY, n);
	rec_cells(rec, T_EGRESS, n);
	rec_cells(rec, T_COUNT, x->topo->fabric->n_ports);
	rec_keep(rec, k, release);
	return r;
}

void mc_record_free(struct mc_record *r)
{
	if (!r)
		return;
	free(r->key);
	free(r->egress);
	free(r->way);
	free(r);
}

void mc_record_kept(const struct run *x)
{
	const struct fabric *f = x->topo->fabric;
	struct recorder *rec = x->in->record;
	uint32_t lids = x->in->lids->max_lid + 1u, n = 0;
	char text[100];

	for (uint32_t lid = 1; lid < lids; lid++)
		n += x->kept[lid];
	if (n) {
		snprintf(text, sizeof(text), "%s kept: no cable of the tree failed", PLURAL(n, "LID"));
		rec_text(rec, REC_NOTE, text);
	}
	for (uint32_t s = 0; n && s < f->n_switches; s++)
		for (unsigned lid = 1; x->r->row[s] && lid < lids; lid++)
			if (x->kept[lid])
				rec_delta(rec, T_ENTRY, s * lids + lid, NO_PATH, x->r->row[s]->port[lid]);
	for (uint32_t p = 0; n && p < f->n_ports; p++)
		rec_delta(rec, T_COUNT, p, 0, x->usage[p]);
	rec_text(rec, REC_PHASE, "paths between elements, then inside them");
}

void mc_record_lid(const struct run *x)
{
	rec_event(x->in->record, REC_TARGET, 0, 0, x->sw, x->lid);
}

/* Changes the cell, and the copy that tells what it was. */
static void change(const struct run *x, enum rec_table t, uint32_t *copy, uint32_t e, uint32_t now)
{
	rec_delta(x->in->record, t, e, copy[e], now);
	copy[e] = now;
}

static unsigned rule_of(const struct run *x, uint32_t e)
{
	if (e == x->target)
		return x->swport ? RULE_HOST_PORT : RULE_OWN_PORT;
	list_ways(x, e, false, x->rec->way);
	return x->rec->way[0].rule;
}

static void entry(const struct run *x, uint32_t sw, uint32_t port)
{
	rec_delta(x->in->record, T_ENTRY, sw * (x->in->lids->max_lid + 1u) + x->lid,
		  x->r->row[sw]->port[x->lid], x->topo->fabric->port_num[port]);
}

void mc_record_settle(const struct run *x, uint32_t e, uint32_t sw, uint32_t port)
{
	struct recorder *rec = x->in->record;
	unsigned number = x->topo->fabric->port_num[port];
	uint32_t kept = rec_kept_switch(rec);

	if (kept != NO_ID && x->el->of[kept] == e) /* its chips follow where the element sends */
		rec_bears(rec);
	rec_event(rec, REC_SETTLE, rule_of(x, e), number, sw, x->lid);
	if (e != x->target || x->swport)
		rec_flag(rec, REC_COUNTED);
	entry(x, sw, port);
	change(x, T_KEY, x->rec->key, e, e == x->target ? 0 : x->key[e]);
	change(x, T_EGRESS, x->rec->egress, e, port);
}

/* Of the ways inside the element that are as short as the one taken. */
static enum why_rule inside_rule(const struct run *x, uint32_t sw, uint32_t port)
{
	const struct elements *el = x->el;
	uint32_t e = el->of[sw], out = x->rec->egress[e],
		 exit = el->chip_index[x->topo->fabric->node_switch[x->topo->fabric->port_node[out]]];
	unsigned hops = element_hops(el, e, el->chip_index[sw], exit), n = 0, equal = 0;

	for (uint32_t i = el->first_inside[sw]; i < el->first_inside[sw + 1]; i++) {
		if (element_hops(el, e, el->inside_to[i], exit) + 1 != hops)
			continue;
		n++;
		equal += x->usage[el->inside_port[i]] == x->usage[port];
	}
	return n == 1 ? WHY_INSIDE_ONLY : equal == 1 ? WHY_INSIDE_USAGE : WHY_INSIDE_PORT;
}

void mc_record_inside(const struct run *x, uint32_t sw, uint32_t port)
{
	rec_event(x->in->record, REC_CHOICE, inside_rule(x, sw, port), x->topo->fabric->port_num[port], sw,
		  x->lid);
	rec_flag(x->in->record, REC_COUNTED);
	entry(x, sw, port);
}

/* --- the tables of a step ------------------------------------------------------------------------------ */

static void *priv_at(struct walk *w, const struct routing *end)
{
	const struct recording *r = walk_recording(w);
	const struct sweep *s = recording_sweep(r);
	const struct kept *k = recording_kept(r);
	struct mincontention *m;

	(void)end;
	if (!k) /* refused before there were elements */
		return NULL;
	m = NEW(struct mincontention);
	m->elements = elements_ref(k->el);
	m->tolerance = k->tolerance;
	m->kept = mem_dup(k->kept, s->lids->max_lid + 1u);
	m->usage = mem_dup(walk_words(w, T_COUNT), s->fabric->n_ports * sizeof(*m->usage));
	return m;
}

/* --- sentences ------------------------------------------------------------------------------------------ */

/* Of an element its enum mincontention_rule, of a chip within it an enum why_rule. */
static const char *rule(const struct rec_event *ev)
{
	return why_rule_name(ev->kind == REC_SETTLE ? mincontention_why_rule(ev->rule) : ev->rule);
}

static void say_entry(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct sweep *s = recording_sweep(walk_recording(w));
	char name[300];

	text_add(t, "%s LID %u (%s) -> port %u: ", switch_name(s->fabric, ev->a), ev->b,
		 endport_label(s->fabric, lid_owner(s->lids, ev->b), name, sizeof(name)), ev->port);
}

static void say_settle(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct kept *k = recording_kept(walk_recording(w));
	const struct fabric *f = recording_sweep(walk_recording(w))->fabric;
	uint32_t e = k->el->of[ev->a], key = walk_value(w, T_KEY, e);

	say_entry(w, ev, t);
	text_add(t, "%s; element %s", mincontention_rule_name(ev->rule), k->el->name[e]);
	if (ev->rule != RULE_HOST_PORT && ev->rule != RULE_OWN_PORT)
		text_add(t, ": contention %u, distance %u, usage %u", CONTENTION(key), DISTANCE(key),
			 walk_value(w, T_COUNT, switch_port_id(f, ev->a, ev->port)) - 1);
}

/* Shortest ways inside an element, with the LIDs they had. */
static void say_inside(const struct walk *w, const struct rec_event *ev, struct text *t)
{
	const struct kept *k = recording_kept(walk_recording(w));
	const struct fabric *f = recording_sweep(walk_recording(w))->fabric;
	const struct elements *el = k->el;
	uint32_t e = el->of[ev->a], out = walk_value(w, T_EGRESS, e);
	uint32_t exit = el->chip_index[f->node_switch[f->port_node[out]]];
	unsigned hops = element_hops(el, e, el->chip_index[ev->a], exit), n = 0, equal = 0;
	uint32_t own = walk_value(w, T_COUNT, switch_port_id(f, ev->a, ev->port)) - 1;
	struct text list = {0};

	for (uint32_t i = el->first_inside[ev->a]; i < el->first_inside[ev->a + 1]; i++) {
		uint32_t port = el->inside_port[i], use = walk_value(w, T_COUNT, port);
		bool taken = f->port_num[port] == ev->port;

		if (element_hops(el, e, el->inside_to[i], exit) + 1 != hops)
			continue;
		use -= taken;
		n++;
		equal += use == own;
		text_add(&list, " %s%u:%u", taken ? ">" : "", f->port_num[port], use);
	}
	say_entry(w, ev, t);
	text_add(t, "%s; element %s  [port:inside usage%s]",
		 n == 1	      ? "only way inside"
		 : equal == 1 ? "least usage inside"
			      : "lowest port inside",
		 el->name[e], text_str(&list));
	text_free(&list);
}

static void sentence(struct walk *w, struct text *t)
{
	const struct sweep *s = recording_sweep(walk_recording(w));
	const struct rec_event *ev = walk_event(w);
	char name[300];

	switch (ev->kind) {
	case REC_TARGET:
		text_add(t, "LID %u (%s) begun: it hangs on %s", ev->b,
			 endport_label(s->fabric, lid_owner(s->lids, ev->b), name, sizeof(name)),
			 switch_name(s->fabric, ev->a));
		break;
	case REC_SETTLE:
		say_settle(w, ev, t);
		break;
	default:
		say_inside(w, ev, t);
	}
}

static const char *source(const struct rec_event *ev)
{
	switch (ev->kind) {
	case REC_TARGET:
	case REC_SETTLE:
		return "mincontention.md 3; HP 376227-B21";
	case REC_CHOICE:
		return "mincontention.md 4; HP 376227-B21";
	default:
		return NULL;
	}
}

static bool cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out)
{
	const struct kept *k = recording_kept(r);

	if (!k || (t != T_KEY && t != T_EGRESS))
		return false;
	text_add(out, "element %s", k->el->name[at]);
	return true;
}

static bool value(const struct recording *r, enum rec_table t, uint32_t at, uint32_t v, struct text *out)
{
	(void)r;
	(void)at;
	if (t != T_KEY)
		return false;
	text_add(out, "contention %u, distance %u", CONTENTION(v), DISTANCE(v));
	return true;
}

const struct rec_scheme mincontention_scheme = {
	.rule = rule,
	.order = "own order: there is no OpenSM",
	.source = source,
	.sentence = sentence,
	.ops = &mincontention_step_ops,
	.priv_at = priv_at,
	.cell = cell,
	.value = value,
};
