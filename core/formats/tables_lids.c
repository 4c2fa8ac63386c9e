/* The LIDs of ports for tables that were read: from the files if they name them, else from elsewhere. */
#include "core/base/memory.h"
#include "core/fabric/labels.h"
#include "core/formats/tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A way of giving ports LIDs: [n_ports] base LIDs and LMCs. */
struct tables_lids_choice {
	uint16_t *lid;
	uint8_t *lmc;
	uint32_t fits, misfits;
	uint32_t first_misfit; /* endport */
};

/* The port by which a switch reaches an endport of its own, 0 for the switch itself; NO_PATH = none. */
static unsigned own_port(const struct fabric *f, uint32_t port, uint32_t *sw)
{
	uint32_t q = f->port_peer[port];

	*sw = f->node_switch[f->port_node[port]];
	if (*sw != NO_ID)
		return 0;
	*sw = q == NO_ID ? NO_ID : f->node_switch[f->port_node[q]];
	return *sw == NO_ID ? NO_PATH : f->port_num[q];
}

/* Counts ports to which their own switch sends their LID, and those to which it does not. */
static void tables_lids_judge(const struct tables_reader *r, struct tables_lids_choice *c)
{
	const struct fabric *f = r->f;

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep], sw;
		unsigned want = own_port(f, port, &sw), lid = c->lid[port];

		if (!lid || sw == NO_ID || !r->t->lft[sw])
			continue;
		if (lid <= r->t->top[sw] && r->t->lft[sw][lid] == want)
			c->fits++;
		else if (!c->misfits++)
			c->first_misfit = ep;
	}
}

static struct tables_lids_choice choice_new(const struct fabric *f)
{
	return (struct tables_lids_choice){.lid = NEW_ARRAY(f->n_ports, uint16_t),
					   .lmc = NEW_ARRAY(f->n_ports, uint8_t)};
}

static void choice_free(struct tables_lids_choice *c)
{
	free(c->lid);
	free(c->lmc);
}

/* --- what the files name --- */

/* LIDs that entries name for each endport: the first, 0 = none, and the last. */
struct tables_lids_named {
	uint32_t *owner;	/* [MAX_LID + 1] endport, NO_ID = none */
	uint16_t *first, *last; /* [n_endports] */
	uint32_t n_strangers;	/* LIDs of GUIDs that no port has */
};

static struct tables_lids_named tables_lids_gather(const struct tables_reader *r)
{
	const struct fabric *f = r->f;
	struct tables_lids_named n = {.owner = NEW_ARRAY(MAX_LID + 1u, uint32_t),
				      .first = NEW_ARRAY(f->n_endports, uint16_t),
				      .last = NEW_ARRAY(f->n_endports, uint16_t)};

	n.owner[0] = NO_ID;
	for (unsigned lid = 1; lid <= MAX_LID; lid++) {
		uint32_t ep = r->guid[lid] ? fabric_endport_by_guid(f, r->guid[lid]) : NO_ID;

		n.owner[lid] = ep;
		n.n_strangers += r->guid[lid] && ep == NO_ID;
		if (ep == NO_ID)
			continue;
		if (!n.first[ep])
			n.first[ep] = (uint16_t)lid;
		n.last[ep] = (uint16_t)lid;
	}
	return n;
}

/* LMC of a range of LIDs. */
static unsigned lmc_of_range(unsigned first, unsigned last)
{
	unsigned lmc = 0;

	while (lmc < MAX_LMC && first + (1u << lmc) <= last)
		lmc++;
	return lmc;
}

/* LMC of the smallest aligned range that holds both LIDs; MAX_LMC + 1: none. */
static unsigned lmc_around(unsigned first, unsigned last)
{
	unsigned lmc = 0;

	while (lmc <= MAX_LMC && first >> lmc != last >> lmc)
		lmc++;
	return lmc;
}

/* The LMC of most CA and router ports with several LIDs: a subnet manager gives all ports the same. */
static unsigned shown_lmc(const struct fabric *f, const struct tables_lids_named *n)
{
	uint32_t count[MAX_LMC + 2] = {0};
	unsigned best = 0;

	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (n->first[ep] != n->last[ep] && !endport_is_switch(f, ep))
			count[lmc_around(n->first[ep], n->last[ep])]++;
	for (unsigned lmc = 1; lmc <= MAX_LMC; lmc++)
		if (count[lmc] && count[lmc] >= count[best])
			best = lmc;
	return best;
}

/* Does the file name another port for a LID of the range? */
static bool of_another(const struct tables_reader *r, unsigned lid, unsigned lmc, uint64_t guid)
{
	for (unsigned l = lid; l < lid + (1u << lmc) && l <= MAX_LID; l++)
		if (r->guid[l] && r->guid[l] != guid)
			return true;
	return false;
}

/*
 * Gives a port a larger range, if that holds all LIDs named and none of another port. A source may tell a
 * range that is not aligned: no subnet manager gave it.
 */
static void tables_lids_widen(const struct tables_reader *r, struct tables_lids_choice *c,
			      const struct tables_lids_named *n, uint32_t ep, unsigned base, unsigned lmc)
{
	uint32_t port = r->f->endport_port[ep];

	if (!base || base & ((1u << lmc) - 1) || lmc <= c->lmc[port] || base > n->first[ep] ||
	    base + (1u << lmc) <= n->last[ep] || of_another(r, base, lmc, r->f->port_guid[port]))
		return;
	c->lid[port] = (uint16_t)base;
	c->lmc[port] = (uint8_t)lmc;
}

/* The LID of a switch from the head of its table; NO_ID: not told, or no switch. */
static uint32_t head_of(const struct tables_reader *r, uint32_t ep)
{
	uint32_t sw = r->f->node_switch[endport_node(r->f, ep)];

	return sw == NO_ID ? NO_ID : r->head[sw];
}

/* A base switch port 0 has one LID (LMC 0), even if a source says otherwise. */
static bool has_range(const struct fabric *f, uint32_t ep)
{
	uint32_t sw = f->node_switch[endport_node(f, ep)];

	return sw == NO_ID || f->switch_esp0[sw];
}

/* Some LIDs of a range, even the first, may have no entry. So its size is taken from what is known. */
static void take_range(const struct tables_reader *r, struct tables_lids_choice *c,
		       const struct tables_lids_named *n, uint32_t ep, unsigned usual)
{
	const struct fabric *f = r->f;
	uint32_t port = f->endport_port[ep];
	unsigned first = n->first[ep], lmc = lmc_around(first, n->last[ep]), base = first >> lmc << lmc;

	if (lmc > MAX_LMC || !base || of_another(r, base, lmc, f->port_guid[port])) {
		base = first;
		lmc = lmc_of_range(first, n->last[ep]);
	}
	c->lid[port] = (uint16_t)base;
	c->lmc[port] = (uint8_t)lmc;
	if (!endport_is_switch(f, ep))
		tables_lids_widen(r, c, n, ep, first >> usual << usual, usual);
	if (has_range(f, ep))
		tables_lids_widen(r, c, n, ep, f->port_lid[port], f->port_lmc[port]);
}

/*
 * Takes base LID and LMC of ports from the files: for switches from the heads of their tables, even if
 * another port has the same LID; for others, and without a head, from the entries.
 */
static void take_named(const struct tables_reader *r, struct tables_lids_choice *c,
		       const struct tables_lids_named *n)
{
	const struct fabric *f = r->f;
	unsigned usual = shown_lmc(f, n);

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep], head = head_of(r, ep);

		if (n->first[ep])
			take_range(r, c, n, ep, usual);
		if (head == NO_ID || head == c->lid[port])
			continue;
		c->lid[port] = (uint16_t)head;
		c->lmc[port] = head ? (uint8_t)lmc_of_range(head, n->last[ep]) : 0;
	}
}

/* Does the file name one of these LIDs for any port? */
static bool taken(const struct tables_reader *r, unsigned lid, unsigned lmc)
{
	for (unsigned l = lid; l < lid + (1u << lmc) && l <= MAX_LID; l++)
		if (r->guid[l])
			return true;
	return false;
}

/* Gives LIDs to ports that the files say nothing about: from the source, or from `now`. */
static void take_others(const struct tables_reader *r, struct tables_lids_choice *c, const struct lids *now)
{
	const struct fabric *f = r->f;

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep];
		unsigned lid = now ? now->base[ep] : f->port_lid[port];
		unsigned lmc = now ? lmc_of_range(lid, lid + now->count[ep] - 1) : f->port_lmc[port];

		if (c->lid[port] || !lid || lid > MAX_LID || !head_of(r, ep) || taken(r, lid, lmc))
			continue;
		c->lid[port] = (uint16_t)lid;
		c->lmc[port] = (uint8_t)lmc;
	}
}

/* Number of ports with another LID than in the source; *first of them. */
static uint32_t count_others(const struct fabric *f, const struct tables_lids_choice *c, uint32_t *first)
{
	uint32_t n = 0;

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep];

		if (c->lid[port] && f->port_lid[port] && c->lid[port] != f->port_lid[port] && !n++)
			*first = port;
	}
	return n;
}

static uint32_t count_named(const struct fabric *f, const struct tables_lids_choice *c)
{
	uint32_t n = 0;

	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		n += c->lid[f->endport_port[ep]] != 0;
	return n;
}

void tables_settle_lids(struct tables_reader *r, const struct lids *now, struct text *notes)
{
	struct tables_lids_choice source = choice_new(r->f), present = choice_new(r->f), *c = &source;
	struct tables_lids_named named = tables_lids_gather(r);
	uint64_t last = 0;
	uint32_t first_other = NO_ID;
	const struct tables_info *i = &r->info;
	const struct fabric *f = r->f;
	char label[300];

	take_named(r, &source, &named);
	take_named(r, &present, &named);
	r->info.n_named = count_named(r->f, &source);
	r->info.n_other = count_others(r->f, &source, &first_other);
	take_others(r, &source, NULL);
	take_others(r, &present, now);
	tables_lids_judge(r, &source);
	tables_lids_judge(r, &present);
	if (present.fits > source.fits) {
		c = &present;
		r->info.lids_of_now = true;
	}
	r->info.n_source = count_named(r->f, c) - r->info.n_named;
	r->info.n_none = r->f->n_endports - count_named(r->f, c);
	r->info.n_misfits = c->misfits;
	if (i->n_other)
		text_add(notes, "%s with another LID than in %s, the first %s: %u here, %u there\n",
			 PLURAL(i->n_other, "port"), f->source,
			 endport_label(f, f->port_endport[first_other], label, sizeof(label)),
			 c->lid[first_other], f->port_lid[first_other]);
	if (i->lids_of_now)
		text_add(
			notes,
			"LIDs that the file does not name are those that ports have now; those of %s fit the "
			"tables less\n",
			f->source);
	if (i->n_none)
		text_add(notes, "%s without LID: neither the file nor %s has one\n",
			 PLURAL(i->n_none, "port"), f->source);
	for (unsigned lid = 1; lid <= MAX_LID; lid++) {
		bool new = r->guid[lid] && r->guid[lid] != last;

		r->info.n_ports += new;
		r->info.n_strange += new &&named.owner[lid] == NO_ID;
		last = new ? r->guid[lid] : last;
	}
	if (named.n_strangers)
		text_add(notes, "%s of ports that the fabric does not have\n",
			 PLURAL(named.n_strangers, "LID"));
	if (i->n_misfits)
		text_add(notes,
			 "%s not sent there by the port's own switch, the first %u (%s): tables and LIDs are "
			 "of different times\n",
			 PLURAL(i->n_misfits, "LID"), c->lid[f->endport_port[c->first_misfit]],
			 endport_label(f, c->first_misfit, label, sizeof(label)));
	r->t->lid_owner = named.owner;
	named.owner = NULL;
	free(named.first);
	free(named.last);
	free(named.owner);
	r->t->lid = c->lid;
	r->t->lmc = c->lmc;
	choice_free(c == &source ? &present : &source);
}
