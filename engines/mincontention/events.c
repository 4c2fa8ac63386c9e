/* What mincontention records. */
#include <string.h>

#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/mincontention/internal.h"

struct mc_record {
	/* values of the previous LID in the recording; key: [n + n_switches], elements, then chips inside */
	uint32_t *key, *egress;
	struct mincontention_way *way;
};

static void mincontention_events_release(void *p)
{
	struct mc_kept *k = p;

	elements_unref(k->el);
	FREE_EACH(k->kept, k);
}

/* --- events ---------------------------------------------------------------------------------- */

struct mc_record *mc_record_new(const struct mincontention_run *x)
{
	struct mc_record *r = NEW(struct mc_record);
	struct recorder *rec = x->in->record;
	struct mc_kept *k = NEW(struct mc_kept);
	uint32_t alone = 0;
	char text[100];
	uint32_t n = x->el->n, keys = n + x->topo->fabric->n_switches;

	r->key = NEW_ARRAY(keys, uint32_t);
	r->egress = NEW_ARRAY(n + 1, uint32_t);
	memset(r->key, 0xff, keys * sizeof(*r->key));
	memset(r->egress, 0xff, n * sizeof(*r->egress));
	r->way = NEW_ARRAY(x->el->n_links + x->el->n_inside + 1u, struct mincontention_way);
	k->el = elements_ref(x->el);
	k->tolerance = x->tolerance;
	k->kept = mem_dup(x->kept, x->in->lids->max_lid + 1u);
	rec_cells(rec, T_KEY, keys);
	rec_cells(rec, T_EGRESS, n);
	rec_cells(rec, T_COUNT, x->topo->fabric->n_ports);
	rec_keep(rec, k, mincontention_events_release);
	rec_text(rec, REC_PHASE, "grouping: chips to elements");
	for (uint32_t e = 0; e < n; e++)
		if (element_chips(x->el, e) > 1)
			rec_event(rec, REC_GROUP, 0, 0, x->el->chip[x->el->first_chip[e]], 0);
		else
			alone++;
	if (alone) {
		snprintf(text, sizeof(text), "%s of one chip", PLURAL(alone, "element"));
		rec_text(rec, REC_NOTE, text);
	}
	return r;
}

void mc_record_free(struct mc_record *r)
{
	if (!r)
		return;
	FREE_EACH(r->key, r->egress, r->way, r);
}

void mc_record_kept(const struct mincontention_run *x)
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
	if (!x->el->n_inside)
		rec_text(rec, REC_PHASE, "paths between elements");
}

void mc_record_phase(const struct mincontention_run *x, const char *where)
{
	char text[100];

	snprintf(text, sizeof(text), "paths %s elements: LID %u", where, x->lid);
	rec_text(x->in->record, REC_PHASE, text);
}

void mc_record_lid(const struct mincontention_run *x)
{
	if (x->el->n_inside)
		mc_record_phase(x, "between");
	rec_event(x->in->record, REC_TARGET, 0, 0, x->sw, x->lid);
}

/* Changes a cell, and its copy. */
static void change(const struct mincontention_run *x, enum rec_table t, uint32_t *copy, uint32_t e,
		   uint32_t now)
{
	rec_delta(x->in->record, t, e, copy[e], now);
	copy[e] = now;
}

static void mincontention_events_entry(const struct mincontention_run *x, uint32_t sw, uint32_t port)
{
	rec_delta(x->in->record, T_ENTRY, sw * (x->in->lids->max_lid + 1u) + x->lid,
		  x->r->row[sw]->port[x->lid], x->topo->fabric->port_num[port]);
}

void mc_record_settle(const struct mincontention_run *x, uint32_t e, uint32_t sw, uint32_t port)
{
	struct recorder *rec = x->in->record;
	unsigned number = x->topo->fabric->port_num[port];
	uint32_t kept = rec_kept_switch(rec);
	unsigned rule = own_rule(x, false);

	if (e != x->target) {
		list_ways(x, &x->between, e, false, x->rec->way);
		rule = x->rec->way[0].rule;
	}
	if (kept != NO_ID && x->el->of[kept] == e) /* the choices of its chips depend on it */
		rec_bears(rec);
	rec_event(rec, REC_SETTLE, rule, number, sw, x->lid);
	if (e != x->target || x->swport)
		rec_flag(rec, REC_COUNTED);
	mincontention_events_entry(x, sw, port);
	change(x, T_KEY, x->rec->key, e, x->between.key[e]);
	change(x, T_EGRESS, x->rec->egress, e, port);
}

void mc_record_inside(const struct mincontention_run *x, uint32_t sw, uint32_t port)
{
	list_ways(x, &x->inside, sw, false, x->rec->way);
	rec_event(x->in->record, REC_CHOICE, inside_why(x->rec->way[0].rule), x->topo->fabric->port_num[port],
		  sw, x->lid);
	rec_flag(x->in->record, REC_COUNTED);
	mincontention_events_entry(x, sw, port);
	change(x, T_KEY, x->rec->key, x->el->n + sw, x->inside.key[sw]);
}
