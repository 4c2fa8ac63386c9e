/* Which LIDs ports have with tables that were read: those that the files name, else others. */
#include "core/base/memory.h"
#include "core/fabric/labels.h"
#include "core/formats/tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A way of giving ports LIDs: [n_ports] base LIDs and LMCs. */
struct choice {
	uint16_t *lid;
	uint8_t *lmc;
	uint32_t fits, misfits;
	uint32_t first_misfit; /* endport */
};

/* The switch port by which a switch reaches an endport of its own, 0 for the switch itself; NO_PATH = none.
 */
static unsigned own_port(const struct fabric *f, uint32_t port, uint32_t *sw)
{
	uint32_t q = f->port_peer[port];

	*sw = f->node_switch[f->port_node[port]];
	if (*sw != NO_ID)
		return 0;
	*sw = q == NO_ID ? NO_ID : f->node_switch[f->port_node[q]];
	return *sw == NO_ID ? NO_PATH : f->port_num[q];
}

/* Does the switch of each port send the port's LID to the port? */
static void judge(const struct tables_reader *r, struct choice *c)
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

static struct choice choice_new(const struct fabric *f)
{
	return (struct choice){.lid = NEW_ARRAY(f->n_ports, uint16_t), .lmc = NEW_ARRAY(f->n_ports, uint8_t)};
}

static void choice_free(struct choice *c)
{
	free(c->lid);
	free(c->lmc);
}

/* LMC of a range of LIDs. */
static unsigned lmc_of_range(unsigned first, unsigned last)
{
	unsigned lmc = 0;

	while (lmc < 7 && first + (1u << lmc) <= last)
		lmc++;
	return lmc;
}

/* Does the file name another port for a LID of the range? */
static bool of_another(const struct tables_reader *r, unsigned lid, unsigned lmc, uint64_t guid)
{
	for (unsigned l = lid; l < lid + (1u << lmc) && l <= MAX_LID; l++)
		if (r->guid[l] && r->guid[l] != guid)
			return true;
	return false;
}

/* What the files name: base LID and LMC of a port; *strangers counts LIDs of GUIDs that no port has. */
static void take_named(const struct tables_reader *r, struct choice *c, uint32_t *strangers)
{
	const struct fabric *f = r->f;

	for (unsigned lid = 1; lid <= MAX_LID; lid++) {
		uint32_t ep = r->guid[lid] ? fabric_endport_by_guid(f, r->guid[lid]) : NO_ID, port;

		*strangers += r->guid[lid] && ep == NO_ID;
		if (ep == NO_ID)
			continue;
		port = f->endport_port[ep];
		if (!c->lid[port])
			c->lid[port] = (uint16_t)lid;
		c->lmc[port] = (uint8_t)lmc_of_range(c->lid[port], lid);
		/* of a range some LIDs may have no entry anywhere */
		if (c->lid[port] == f->port_lid[port] && f->port_lmc[port] > c->lmc[port] &&
		    !of_another(r, c->lid[port], f->port_lmc[port], r->guid[lid]))
			c->lmc[port] = f->port_lmc[port];
	}
}

/* Is a LID of these named for another port? */
static bool taken(const struct tables_reader *r, unsigned lid, unsigned lmc)
{
	for (unsigned l = lid; l < lid + (1u << lmc) && l <= MAX_LID; l++)
		if (r->guid[l])
			return true;
	return false;
}

/* Ports that the files do not name: from the source, or (now) as they are. */
static void take_others(const struct tables_reader *r, struct choice *c, const struct lids *now)
{
	const struct fabric *f = r->f;

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep];
		unsigned lid = now ? now->base[ep] : f->port_lid[port];
		unsigned lmc = now ? lmc_of_range(lid, lid + now->count[ep] - 1) : f->port_lmc[port];

		if (c->lid[port] || !lid || lid > MAX_LID || taken(r, lid, lmc))
			continue;
		c->lid[port] = (uint16_t)lid;
		c->lmc[port] = (uint8_t)lmc;
	}
}

/* Ports whose LID is another one than the source's; the first of them. */
static uint32_t count_others(const struct fabric *f, const struct choice *c, uint32_t *first)
{
	uint32_t n = 0;

	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep];

		if (c->lid[port] && f->port_lid[port] && c->lid[port] != f->port_lid[port] && !n++)
			*first = port;
	}
	return n;
}

static uint32_t count_named(const struct fabric *f, const struct choice *c)
{
	uint32_t n = 0;

	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		n += c->lid[f->endport_port[ep]] != 0;
	return n;
}

static void note_lids(const struct tables_reader *r, const struct choice *c, uint32_t first_other,
		      uint32_t strangers, struct text *notes)
{
	const struct tables_info *i = &r->info;
	const struct fabric *f = r->f;
	char label[300];

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
	if (strangers)
		text_add(notes, "%s of ports that the fabric does not have\n", PLURAL(strangers, "LID"));
	if (i->n_misfits)
		text_add(notes,
			 "%s not sent there by the port's own switch, the first %u (%s): tables and LIDs are "
			 "of "
			 "different times\n",
			 PLURAL(i->n_misfits, "LID"), c->lid[f->endport_port[c->first_misfit]],
			 endport_label(f, c->first_misfit, label, sizeof(label)));
}

void tables_settle_lids(struct tables_reader *r, const struct lids *now, struct text *notes)
{
	struct choice source = choice_new(r->f), present = choice_new(r->f), *c = &source;
	uint32_t strangers = 0, ignored = 0, first_other = NO_ID;

	take_named(r, &source, &strangers);
	take_named(r, &present, &ignored);
	r->info.n_named = count_named(r->f, &source);
	r->info.n_other = count_others(r->f, &source, &first_other);
	take_others(r, &source, NULL);
	take_others(r, &present, now);
	judge(r, &source);
	judge(r, &present);
	if (present.fits > source.fits) {
		c = &present;
		r->info.lids_of_now = true;
	}
	r->info.n_source = count_named(r->f, c) - r->info.n_named;
	r->info.n_none = r->f->n_endports - count_named(r->f, c);
	r->info.n_misfits = c->misfits;
	note_lids(r, c, first_other, strangers, notes);
	r->t->lid = c->lid;
	r->t->lmc = c->lmc;
	choice_free(c == &source ? &present : &source);
}
