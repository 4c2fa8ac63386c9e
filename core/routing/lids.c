#include "core/base/counted.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/routing/routing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* One more than the largest unicast LID, plus room for an LMC range that starts below it. */
#define LID_SLOTS (MAX_LID + 1 + 128)

struct range {
	uint32_t min, max; /* empty when min > max */
};

struct lid_memory {
	struct lid_options o; /* o.file is not kept */
	uint32_t n_endports;
	bool swept; /* the first sweep is over */
	uint32_t max_lid;
	uint32_t read_top;	  /* highest LID of the entries that were read */
	uint16_t *carried;	  /* [n_endports] base LID on the port */
	uint8_t *carried_lmc;	  /* [n_endports] LMC on the port */
	uint8_t *known;		  /* [n_endports] 1 = the port has a guid2lid entry */
	struct range *entry;	  /* [n_endports] that entry */
	uint8_t *used;		  /* [LID_SLOTS] 1 = belongs to an entry */
	struct guid2lid *foreign; /* [n_foreign] entries of ports that the fabric does not have */
	size_t n_foreign, cap_foreign;
	struct lids *last; /* result of the last sweep, NULL before the first; reference held */
};

static void lids_release(struct lids *l)
{
	free(l->base);
	free(l->count);
	free(l->owner);
	free(l);
}

COUNTED(struct lids, struct lids, lids_ref, lids_unref, lids_release)

/* A table in which nobody has a LID. */
static struct lids *lids_new(uint32_t n_endports, unsigned lmc, unsigned max_lid)
{
	struct lids *l = NEW(struct lids);

	assert(lmc <= MAX_LMC && max_lid <= MAX_LID);
	l->refs = 1;
	l->lmc = (uint8_t)lmc;
	l->max_lid = (uint16_t)max_lid;
	l->n_endports = n_endports;
	l->base = NEW_ARRAY(l->n_endports, uint16_t);
	l->count = NEW_ARRAY(l->n_endports, uint16_t);
	l->owner = NEW_ARRAY(max_lid + 1u, uint32_t);
	memset(l->owner, 0xff, (max_lid + 1u) * sizeof(*l->owner));
	return l;
}

struct lids *lids_on(const struct lids *l, const struct fabric *f, const uint32_t *match)
{
	struct lids *n = lids_new(f->n_endports, l->lmc, l->max_lid);

	n->n_wrong = l->n_wrong;
	for (unsigned lid = 0; lid <= l->max_lid; lid++)
		if (l->owner[lid] != NO_ID)
			n->owner[lid] = match[l->owner[lid]];
	for (uint32_t ep = 0; ep < l->n_endports; ep++)
		if (match[ep] != NO_ID) {
			n->base[match[ep]] = l->base[ep];
			n->count[match[ep]] = l->count[ep];
		}
	return n;
}

/* May a port have 2^lmc LIDs? */
static bool lmc_capable(const struct lid_memory *m, const struct fabric *f, uint32_t ep)
{
	uint32_t sw = f->node_switch[endport_node(f, ep)];

	return sw == NO_ID || (m->o.lmc_esp0 && f->switch_esp0[sw]);
}

/* The highest LID that was ever found, given or read. */
static uint32_t highest_known(const struct lid_memory *m)
{
	return MAX(m->max_lid, m->read_top);
}

/* The number of LIDs that a port must have. */
static unsigned need_of(const struct lid_memory *m, const struct fabric *f, uint32_t ep)
{
	return lmc_capable(m, f, ep) ? 1u << m->o.lmc : 1;
}

static bool any_used(const struct lid_memory *m, uint32_t first, uint32_t last)
{
	for (uint32_t l = first; l <= last; l++)
		if (m->used[l])
			return true;
	return false;
}

/* Take over the valid entries of a guid2lid file. Of equal GUIDs or LIDs, the first stays. */
static void read_entries(struct lid_memory *m, const struct fabric *f, const struct lid_options *o)
{
	unsigned need = 1u << o->lmc;

	for (size_t i = 0; i < o->n_file; i++) {
		const struct guid2lid *g = &o->file[i];
		uint32_t ep = fabric_endport_by_guid(f, g->guid);

		if (!g->guid || !g->min || g->min > g->max || g->max > MAX_LID ||
		    (g->min != g->max && g->min % need) || any_used(m, g->min, g->max) ||
		    (ep != NO_ID && m->known[ep]))
			continue;
		for (uint32_t l = g->min; l <= g->max && l < g->min + need; l++)
			m->used[l] = 1;
		if (g->max > m->read_top)
			m->read_top = g->max;
		if (ep == NO_ID) {
			GROW(m->foreign, m->n_foreign, m->cap_foreign);
			m->foreign[m->n_foreign++] = *g;
			continue;
		}
		m->known[ep] = 1;
		m->entry[ep] = (struct range){g->min, g->max};
	}
}

void lid_memory_carry(struct lid_memory *m, const struct fabric *f, const uint16_t *lid, const uint8_t *lmc)
{
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep];

		m->carried[ep] = lid[port] > MAX_LID ? 0 : lid[port];
		m->carried_lmc[ep] = lmc[port] & MAX_LMC;
	}
}

struct lid_memory *lid_memory_new(const struct fabric *f, const struct lid_options *o)
{
	assert(o->lmc <= MAX_LMC);

	struct lid_memory *m = ARENA_NEW(NULL, struct lid_memory);

	m->o = *o;
	m->o.file = NULL;
	m->o.n_file = 0;
	m->n_endports = f->n_endports;
	m->carried = ARENA_ARRAY(m, f->n_endports, uint16_t);
	m->carried_lmc = ARENA_ARRAY(m, f->n_endports, uint8_t);
	m->known = ARENA_ARRAY(m, f->n_endports, uint8_t);
	m->entry = ARENA_ARRAY(m, f->n_endports, struct range);
	m->used = ARENA_ARRAY(m, LID_SLOTS, uint8_t);
	lid_memory_carry(m, f, f->port_lid, f->port_lmc);
	if (!o->reassign)
		read_entries(m, f, o);
	return m;
}

struct guid2lid *lid_memory_entries(const struct lid_memory *m, const struct fabric *f, size_t *n)
{
	assert(m->n_endports == f->n_endports);

	struct guid2lid *g = NEW_ARRAY(m->n_endports + m->n_foreign + 1, struct guid2lid);

	*n = 0;
	for (uint32_t ep = 0; ep < m->n_endports; ep++) {
		uint64_t guid = f->port_guid[f->endport_port[ep]];

		if (m->known[ep] && guid)
			g[(*n)++] = (struct guid2lid){guid, (uint16_t)m->entry[ep].min,
						      (uint16_t)m->entry[ep].max};
	}
	for (size_t i = 0; i < m->n_foreign; i++)
		g[(*n)++] = m->foreign[i];
	return g;
}

struct lid_memory *lid_memory_restarted(const struct lid_memory *m, const struct fabric *f,
					const struct lid_options *o)
{
	struct lid_options with = *o;
	AUTO_FREE struct guid2lid *own = NULL;

	assert(m->n_endports == f->n_endports);
	if (!with.file) {
		own = lid_memory_entries(m, f, &with.n_file);
		with.file = own;
	}
	struct lid_memory *c = lid_memory_new(f, &with);
	memcpy(c->carried, m->carried, m->n_endports * sizeof(*m->carried));
	memcpy(c->carried_lmc, m->carried_lmc, m->n_endports);
	return c;
}

struct lid_memory *lid_memory_taken_over(const struct lid_memory *m, const struct fabric *f,
					 const struct lid_options *o)
{
	struct lid_memory *c = lid_memory_restarted(m, f, o);

	c->max_lid = m->max_lid;
	return c;
}

struct lid_memory *lid_memory_copy(const struct lid_memory *m)
{
	struct lid_memory *c = arena_dup(NULL, m, sizeof(*m));

	c->carried = arena_dup(c, m->carried, m->n_endports * sizeof(*m->carried));
	c->carried_lmc = arena_dup(c, m->carried_lmc, m->n_endports);
	c->known = arena_dup(c, m->known, m->n_endports);
	c->entry = arena_dup(c, m->entry, m->n_endports * sizeof(*m->entry));
	c->used = arena_dup(c, m->used, LID_SLOTS);
	c->foreign = m->n_foreign ? mem_dup(m->foreign, m->n_foreign * sizeof(*m->foreign)) : NULL;
	c->cap_foreign = m->n_foreign;
	c->last = m->last ? lids_ref(m->last) : NULL;
	return c;
}

/*
 * The endport `ep` of m was endport `was` of `old`: what is remembered of it, and what it carries now. same:
 * it was found with the same LIDs.  given: its LID, if another subnet manager has given that since; 0.
 */
static void take_over(struct lid_memory *m, uint32_t ep, const struct lid_memory *old, uint32_t was,
		      bool same, unsigned given)
{
	uint32_t min = old->entry[was].min;

	m->known[ep] = old->known[was];
	m->entry[ep] = old->entry[was];
	if (same) {
		m->carried[ep] = old->carried[was];
		m->carried_lmc[ep] = old->carried_lmc[was];
	} else if (m->known[ep] && given && given != min) {
		/* that one has given the new port another LID than was worked out for it: what is seen counts
		 */
		m->known[ep] = 0;
		for (uint32_t l = min; l && l <= m->entry[ep].max; l++)
			m->used[l] = 0;
	}
}

/* Endport `ep` was not in the fabric, but may have been before: its entry is among the foreign ones then. */
static void take_foreign(struct lid_memory *m, const struct fabric *f, uint32_t ep)
{
	for (size_t i = 0; i < m->n_foreign; i++) {
		if (m->foreign[i].guid != f->port_guid[f->endport_port[ep]])
			continue;
		m->known[ep] = 1;
		m->entry[ep] = (struct range){m->foreign[i].min, m->foreign[i].max};
		m->foreign[i] = m->foreign[--m->n_foreign];
		return;
	}
}

struct lid_memory *lid_memory_on(const struct lid_memory *m, const struct fabric *from,
				 const struct fabric *to)
{
	assert(m->n_endports == from->n_endports);

	struct lid_memory *c = lid_memory_new(to, &m->o);
	AUTO_FREE uint8_t *stays = NEW_ARRAY(m->n_endports + 1, uint8_t);
	bool managed = false;

	for (uint32_t ep = 0; ep < from->n_endports; ep++)
		managed |= from->port_lid[from->endport_port[ep]] != 0;
	c->swept = m->swept;
	c->max_lid = m->max_lid;
	c->read_top = m->read_top;
	memcpy(c->used, m->used, LID_SLOTS);
	c->foreign = m->n_foreign ? mem_dup(m->foreign, m->n_foreign * sizeof(*m->foreign)) : NULL;
	c->n_foreign = c->cap_foreign = m->n_foreign;
	for (uint32_t ep = 0; ep < to->n_endports; ep++) {
		uint32_t was = fabric_endport_in(from, to, ep), p = to->endport_port[ep];
		uint32_t q = was == NO_ID ? NO_ID : from->endport_port[was];

		if (q == NO_ID || from->port_guid[q] != to->port_guid[p]) {
			take_foreign(c, to, ep);
			continue;
		}
		stays[was] = 1;
		bool same = to->port_lid[p] == from->port_lid[q] && to->port_lmc[p] == from->port_lmc[q];
		take_over(c, ep, m, was, same, managed && !from->port_lid[q] ? to->port_lid[p] : 0);
	}
	for (uint32_t ep = 0; ep < m->n_endports; ep++) {
		if (stays[ep] || !m->known[ep])
			continue;
		GROW(c->foreign, c->n_foreign, c->cap_foreign);
		c->foreign[c->n_foreign++] =
			(struct guid2lid){from->port_guid[from->endport_port[ep]], (uint16_t)m->entry[ep].min,
					  (uint16_t)m->entry[ep].max};
	}
	return c;
}

void lid_memory_free(struct lid_memory *m)
{
	if (!m)
		return;
	free(m->foreign);
	lids_unref(m->last);
	arena_free(m);
}

/* A sweep's work: the LIDs with which ports were found, and the free ranges. */
struct sweep_lids {
	struct lid_memory *m;
	const struct topo *t;
	const struct fabric *f;
	/* [slots] OpenSM's ports by LID: endports found with a LID (NO_ID: none), later those that get one */
	uint32_t *disc;
	uint32_t slots;	    /* above all LIDs of this sweep */
	struct range *free; /* ascending; exhausted ones are empty */
	size_t n_free, cap_free;
	size_t first_free; /* ranges before this one are empty */
	uint32_t top;
	bool fresh; /* the first sweep with `reassign` */
};

/* The LID that a port carries.  Does its remembered range fit the LMC (engines/doc/minhop.md 2.2, step 1)? */
static void find_lids(struct sweep_lids *w, uint32_t ep)
{
	struct lid_memory *m = w->m;
	uint32_t b = m->carried[ep], c = 1u << m->carried_lmc[ep], need = need_of(m, w->f, ep);
	struct range *r = &m->entry[ep];

	if (b + c - 1 <= MAX_LID)
		for (uint32_t l = b; l < b + c; l++) {
			w->disc[l] = l < b + (1u << m->o.lmc) ? ep : NO_ID;
			if (l > m->max_lid)
				m->max_lid = l;
		}
	if (m->known[ep] && need != 1 && (r->min % need || r->max - r->min + 1 < need)) {
		m->known[ep] = 0;
		memset(m->used + r->min, 0, r->max - r->min + 1);
	}
}

/* Is a LID of the range taken? *l moves to the last such LID (step 2). */
static bool lid_taken(const struct sweep_lids *w, uint32_t *l)
{
	const struct lid_memory *m = w->m;
	uint32_t ep = w->disc[*l], b, e, need;

	if (m->used[*l])
		return true;
	if (ep == NO_ID || m->known[ep])
		return false;
	b = m->carried[ep];
	need = need_of(m, w->f, ep);
	e = b + (lmc_capable(m, w->f, ep) ? need : 1u << m->carried_lmc[ep]) - 1;
	if ((need != 1 && b % need) || any_used(m, b + 1, e))
		return false;
	if (e > *l)
		*l = e;
	return true;
}

static void lids_add_range(struct sweep_lids *w, uint32_t min, uint32_t max)
{
	GROW(w->free, w->n_free, w->cap_free);
	w->free[w->n_free++] = (struct range){min, max};
}

static void find_free(struct sweep_lids *w)
{
	uint32_t start = 0, l, last = highest_known(w->m); /* all above it are free */

	for (l = 1; l <= MAX_LID && l <= last; l++) {
		uint32_t at = l;

		if (!lid_taken(w, &l)) {
			start = start ? start : l;
		} else if (start) {
			lids_add_range(w, start, at - 1);
			start = 0;
		}
	}
	lids_add_range(w, start ? start : l, w->top);
}

/* Takes `need` aligned LIDs from the first free range with room; 0: there is none (2.3, step 3). */
static uint32_t lids_take_free(struct sweep_lids *w, uint32_t need)
{
	assert(need && !(need & (need - 1)));
	while (w->first_free < w->n_free && w->free[w->first_free].min > w->free[w->first_free].max)
		w->first_free++;
	for (size_t i = w->first_free; i < w->n_free; i++) {
		struct range *r = &w->free[i];
		uint32_t l = (r->min + need - 1) / need * need;

		if (r->min > r->max || l + need - 1 > r->max)
			continue;
		r->min = l + need;
		return l;
	}
	return 0;
}

/* Give a port its LIDs (2.3). */
static enum lid_rule give(struct sweep_lids *w, uint32_t ep)
{
	struct lid_memory *m = w->m;
	uint32_t need = need_of(m, w->f, ep), b = m->carried[ep], lmc = 0;
	enum lid_rule rule;

	if (!w->fresh && m->known[ep]) {
		b = m->entry[ep].min;
		rule = b ? LID_REMEMBERED : LID_NONE;
	} else if (!w->fresh && b && b % need == 0 && b + need - 1 <= MAX_LID &&
		   !any_used(m, b, b + need - 1)) {
		rule = LID_KEPT;
	} else {
		b = lids_take_free(w, need);
		rule = b ? LID_NEW : LID_NONE;
	}
	if (rule == LID_NEW || rule == LID_NONE || b != m->carried[ep]) {
		/* the port gives up the LIDs with which it was found, and their slots */
		uint32_t from = m->carried[ep], end = from + (1u << m->carried_lmc[ep]);

		for (uint32_t l = from; l < end && l < w->slots; l++)
			if (w->disc[l] == ep)
				w->disc[l] = NO_ID;
	}
	for (uint32_t l = b; b && l < b + need; l++)
		w->disc[l] = ep;
	m->known[ep] = 1;
	m->entry[ep] = b ? (struct range){b, b + need - 1} : (struct range){0, 0};
	while (1u << lmc < need)
		lmc++;
	m->carried[ep] = b;
	m->carried_lmc[ep] = lmc; /* also programmed without a LID */
	if (!b)
		return rule;
	memset(m->used + b, 1, need);
	if (b + need - 1 > m->max_lid)
		m->max_lid = b + need - 1;
	return rule;
}

static void note_twice(struct text *notes, const struct sweep_lids *w, unsigned lid, uint32_t ep1,
		       uint32_t ep2)
{
	char a[256], b[256];

	text_add(notes, "LID %u goes to both %s and %s\n", lid,
		 port_label(w->f, w->f->endport_port[ep1], a, sizeof(a)),
		 port_label(w->f, w->f->endport_port[ep2], b, sizeof(b)));
}

/* The table of the sweep, made from the LIDs that were given. */
static struct lids *lids_collect(const struct sweep_lids *w, struct text *notes)
{
	const struct lid_memory *m = w->m;
	struct lids *l = lids_new(m->n_endports, m->o.lmc, m->max_lid);

	for (uint32_t ep = 0; ep < l->n_endports; ep++) {
		const struct range *r = &m->entry[ep];

		if (!w->t->endport_up[ep] || !r->min)
			continue;
		l->base[ep] = r->min;
		l->count[ep] = r->max - r->min + 1;
		for (uint32_t lid = r->min; lid <= r->max; lid++) {
			if (l->owner[lid] != NO_ID && notes)
				note_twice(notes, w, lid, l->owner[lid], ep);
			l->owner[lid] = ep;
		}
	}
	return l;
}

static void note_wrong(struct text *notes, const struct sweep_lids *w, unsigned lid, uint32_t ep)
{
	char a[256];

	if (ep == NO_ID) {
		text_add(notes, "LID %u is nobody's in the table, but a port without LID takes it: ", lid);
		text_add(notes, "OpenSM reports an inconsistency here and errors during initialization\n");
		return;
	}
	text_add(notes,
		 "LID %u is in the table for %s, but not so on the ports: OpenSM reports an inconsistency "
		 "here and errors during initialization, and leaves out that port's LID until the next "
		 "sweep\n",
		 lid, port_label(w->f, w->f->endport_port[ep], a, sizeof(a)));
}

/*
 * The endport whose own LIDs contain a LID; if several, the last in GUID order. Ports without LID are
 * programmed with the LMC, so they seem to have LIDs 0 .. 2^lmc - 1.
 */
static uint32_t seen_with(const struct sweep_lids *w, const struct lids *l, unsigned lid)
{
	uint32_t ep = l->owner[lid];

	if (lid >= 1u << l->lmc)
		return ep;
	for (uint32_t e = ep == NO_ID ? 0 : ep + 1; e < l->n_endports; e++)
		if (w->t->endport_up[e] && !l->base[e] && lid < need_of(w->m, w->f, e))
			ep = e;
	return ep;
}

/*
 * OpenSM compares its table of ports by LID with the LIDs of the ports (in GUID order). A port with a wrong
 * slot loses its LIDs (engines/doc/minhop.md 2.4).
 */
static void check_table(const struct sweep_lids *w, struct lids *l, struct text *notes)
{
	AUTO_FREE uint8_t *wrong = NEW_ARRAY(l->max_lid + 1u, uint8_t);

	for (uint32_t lid = 1; lid <= l->max_lid; lid++)
		wrong[lid] = w->disc[lid] != seen_with(w, l, lid);
	for (uint32_t lid = 1; lid <= l->max_lid; lid++) {
		if (!wrong[lid])
			continue;
		l->n_wrong++;
		if (notes)
			note_wrong(notes, w, lid, w->disc[lid]);
		uint32_t ep = w->disc[lid];
		if (ep == NO_ID)
			continue;
		for (uint32_t k = 1; k <= l->max_lid; k++)
			if (l->owner[k] == ep)
				l->owner[k] = NO_ID;
		l->base[ep] = l->count[ep] = 0;
	}
}

/* Keep the result for the next sweep.  An equal result becomes the same object. */
static struct lids *lids_keep(struct lid_memory *m, struct lids *l)
{
	const struct lids *a = m->last;

	if (a && a->max_lid == l->max_lid && a->lmc == l->lmc && a->n_wrong == l->n_wrong &&
	    !memcmp(a->base, l->base, l->n_endports * sizeof(*l->base)) &&
	    !memcmp(a->count, l->count, l->n_endports * sizeof(*l->count)) &&
	    !memcmp(a->owner, l->owner, (l->max_lid + 1u) * sizeof(*l->owner))) {
		lids_unref(l);
		return lids_ref(m->last);
	}
	lids_unref(m->last);
	m->last = l;
	return lids_ref(l);
}

/* --- without assignment -------------------------------------------------------------- */

/* The LMC of most CA and router ports. */
static unsigned lids_usual_lmc(const struct lid_memory *m, const struct topo *t)
{
	uint32_t count[8] = {0};
	unsigned best = 0;

	assert(m->n_endports == t->fabric->n_endports);
	for (uint32_t ep = 0; ep < m->n_endports; ep++)
		if (t->endport_up[ep] && m->carried[ep] && !endport_is_switch(t->fabric, ep))
			count[m->carried_lmc[ep]]++;
	for (unsigned i = 1; i < 8; i++)
		best = count[i] > count[best] ? i : best;
	return best;
}

/* Entries of ports that left stay reserved, but where a port of the fabric has one of their LIDs. */
static void keep_foreign(struct lid_memory *m, const struct lids *l)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_foreign; i++) {
		uint32_t first = m->foreign[i].min, last = m->foreign[i].max;
		bool held = false;

		for (uint32_t lid = first; lid <= last && lid <= l->max_lid; lid++)
			held |= l->owner[lid] != NO_ID;
		if (held)
			continue;
		memset(m->used + first, 1, last - first + 1);
		m->foreign[n++] = m->foreign[i];
	}
	m->n_foreign = n;
}

bool lids_holds(const struct lids *l, uint32_t endport, unsigned lid)
{
	return l->base[endport] && lid >= l->base[endport] && lid - l->base[endport] < l->count[endport];
}

uint32_t lids_other_holder(const struct lids *l, uint32_t endport)
{
	for (uint32_t ep = 0; l->base[endport] && ep < l->n_endports; ep++)
		if (ep != endport && lids_holds(l, ep, l->base[endport]))
			return ep;
	return NO_ID;
}

struct lids *lids_found(struct lid_memory *m, const struct topo *t, const struct lids_held *held,
			struct text *notes)
{
	struct sweep_lids w = {.m = m, .t = t, .f = t->fabric};

	assert(m->n_endports == t->fabric->n_endports);
	lid_memory_carry(m, t->fabric, held->lid ? held->lid : t->fabric->port_lid,
			 held->lmc ? held->lmc : t->fabric->port_lmc);
	/* entries are forgotten: only the LIDs on the ports are known then */
	memset(m->known, 0, m->n_endports);
	memset(m->entry, 0, m->n_endports * sizeof(*m->entry));
	memset(m->used, 0, LID_SLOTS);
	m->max_lid = 0;
	for (uint32_t ep = 0; ep < m->n_endports; ep++) {
		uint32_t last = m->carried[ep] + (1u << m->carried_lmc[ep]) - 1;

		if (m->carried[ep] && last <= MAX_LID && last > m->max_lid)
			m->max_lid = last;
	}
	struct lids *l = lids_new(m->n_endports, lids_usual_lmc(m, t), MAX(m->max_lid, held->top));
	for (uint32_t ep = 0; ep < l->n_endports; ep++) {
		uint32_t b = m->carried[ep], n = 1u << m->carried_lmc[ep];

		if (!t->endport_up[ep] || !b || b + n - 1 > l->max_lid)
			continue;
		l->base[ep] = (uint16_t)b;
		l->count[ep] = (uint16_t)n;
		for (uint32_t lid = b; lid < b + n; lid++) {
			if (l->owner[lid] != NO_ID && notes)
				note_twice(notes, &w, lid, l->owner[lid], ep);
			if (l->owner[lid] == NO_ID || (held->owner && held->owner[lid] == ep))
				l->owner[lid] = ep;
		}
	}
	keep_foreign(m, l);
	return lids_keep(m, l);
}

/* --- a sweep's assignment ------------------------------------------------------------- */

struct lids *lids_assign(struct lid_memory *m, const struct topo *t, struct text *notes, uint8_t *rule)
{
	struct sweep_lids w = {.m = m, .t = t, .f = t->fabric};
	char buf[256];

	assert(m->n_endports == t->fabric->n_endports);
	/* at worst new LIDs lie above all present ones, and alignment doubles their number */
	w.slots = highest_known(m);
	for (uint32_t ep = 0; ep < m->n_endports; ep++)
		if (m->carried[ep] > w.slots)
			w.slots = m->carried[ep];
	w.slots += ((m->n_endports + 1) << (m->o.lmc + 1)) + 128;
	if (w.slots > LID_SLOTS)
		w.slots = LID_SLOTS;
	w.disc = NEW_ARRAY(w.slots, uint32_t);
	memset(w.disc, 0xff, w.slots * sizeof(*w.disc));
	w.top = MAX_LID; /* or the smallest LinearFDBCap */
	for (uint32_t sw = 0; sw < w.f->n_switches; sw++)
		if (switch_up(t, sw) && w.f->switch_fdb_cap[sw] < w.top)
			w.top = w.f->switch_fdb_cap[sw];
	w.fresh = m->o.reassign && !m->swept;
	if (rule)
		memset(rule, LID_NONE, m->n_endports);
	if (w.fresh) {
		lids_add_range(&w, 1, w.top);
	} else {
		for (uint32_t ep = 0; ep < m->n_endports; ep++)
			if (t->endport_up[ep])
				find_lids(&w, ep);
		find_free(&w);
	}
	/* the SM's own port first, then the others in GUID order */
	for (uint32_t i = 0; i <= m->n_endports; i++) {
		uint32_t ep = i ? i - 1 : t->sm_endport;

		if (ep == NO_ID || (i && ep == t->sm_endport) || !t->endport_up[ep])
			continue;
		enum lid_rule how = give(&w, ep);
		if (how == LID_NONE && notes)
			text_add(notes,
				 "%s gets no LID: no %u free LIDs up to %u (the smallest LinearFDBCap)\n",
				 port_label(w.f, w.f->endport_port[ep], buf, sizeof(buf)),
				 need_of(m, w.f, ep), w.top);
		if (rule)
			rule[ep] = how;
	}
	m->swept = true;
	struct lids *l = lids_collect(&w, notes);
	check_table(&w, l, notes);
	free(w.disc);
	free(w.free);
	return lids_keep(m, l);
}

uint32_t *lid_owners(void *arena, const struct fabric *f, const struct lids *l)
{
	uint32_t *owner = ARENA_ARRAY(arena, MAX_LID + 1, uint32_t);

	for (unsigned lid = 0; lid <= MAX_LID; lid++)
		owner[lid] = l && lid ? lid_owner(l, lid) : NO_ID;
	for (uint32_t ep = 0; !l && ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep], lid = f->port_lid[port];

		for (unsigned i = 0; lid && i < 1u << f->port_lmc[port] && lid + i <= MAX_LID; i++)
			owner[lid + i] = ep;
	}
	return owner;
}
