/*
 * LIDs, assigned exactly as OpenSM 3.3.23 does (engines/doc/minhop.md section 2): those that a sweep finds on
 * the ports, those that it remembers (guid2lid), and those that it gives anew.
 */
#ifndef IBSCOPE_LIDS_H
#define IBSCOPE_LIDS_H

#include "core/base/text.h"
#include "core/fabric/state.h"

/* The result for one sweep; immutable and shared. */
struct lids {
	atomic_uint refs;
	uint8_t lmc; /* of the subnet */
	uint16_t
		max_lid; /* LinearFDBTop: largest LID that ever had a slot; tables have max_lid + 1 entries */
	uint32_t n_endports;
	uint32_t n_wrong; /* LIDs at which OpenSM's check of its table fails; OpenSM then ends the sweep with
			     errors */
	uint16_t *base;	  /* [n_endports] 0 = no LID (or not present) */
	uint16_t *count;  /* [n_endports] LIDs of the port: 2^lmc, or 1; 0 when base is 0 */
	uint32_t *owner;  /* [max_lid + 1] endport present in the fabric, NO_ID for LIDs of nobody */
};

/* Has the endport the LID? Two may, as the tables that switches hold do not change LIDs: one is its owner. */
bool lids_holds(const struct lids *l, uint32_t endport, unsigned lid);
/* Another endport with the base LID of this one, NO_ID: none. */
uint32_t lids_other_holder(const struct lids *l, uint32_t endport);

/* The same LIDs for the endports of another fabric.  match: [n_endports of l] endports there, NO_ID: none. */
struct lids *lids_on(const struct lids *l, const struct fabric *f, const uint32_t *match);
struct lids *lids_ref(const struct lids *l);
void lids_unref(const struct lids *l);

/* Endport of a LID, NO_ID when it is nobody's. */
static inline uint32_t lid_owner(const struct lids *l, unsigned lid)
{
	return lid <= l->max_lid ? l->owner[lid] : NO_ID;
}

/* Base LID of an endport in these LIDs (NULL = in the fabric's source); 0 = none. */
static inline unsigned endport_lid(const struct fabric *f, const struct lids *l, uint32_t ep)
{
	return l ? l->base[ep] : f->port_lid[f->endport_port[ep]];
}

/* The same for a node: the base LID of the first of its endports that has one. */
static inline unsigned node_lid(const struct fabric *f, const struct lids *l, uint32_t node)
{
	unsigned lid = 0;

	for (unsigned p = 0; p <= f->node_nports[node] && !lid; p++) {
		uint32_t ep = f->port_endport[f->node_port[node] + p];

		lid = ep == NO_ID ? 0 : endport_lid(f, l, ep);
	}
	return lid;
}

/* How a port got its LID, for explanations. */
enum lid_rule { LID_NONE, LID_REMEMBERED, LID_KEPT, LID_NEW };

/* What OpenSM keeps between sweeps (G2L, used, maxLID) plus the LIDs the ports carry now. */
struct lid_memory;

/* A guid2lid file entry. */
struct guid2lid {
	uint64_t guid;
	uint16_t min, max;
};

struct lid_options {
	unsigned lmc; /* 0 .. 7 */
	bool lmc_esp0;
	bool reassign;		     /* opensm -r: forget the ports' LIDs in the first sweep */
	const struct guid2lid *file; /* guid2lid entries at start (not used with reassign), may be NULL */
	size_t n_file;
};

struct lid_memory *lid_memory_new(const struct fabric *f, const struct lid_options *o);
/*
 * Memory of a new process on the same ports.  It reads the entries of o->file; NULL: those that m wrote.  The
 * ports carry what they carry in m.
 */
struct lid_memory *lid_memory_restarted(const struct lid_memory *m, const struct fabric *f,
					const struct lid_options *o);
/*
 * Memory of a standby that takes over.  It reads o->file as above, and its table is as long as that of m,
 * since it saw the ports that left (engines/doc/minhop.md 2.1).
 */
struct lid_memory *lid_memory_taken_over(const struct lid_memory *m, const struct fabric *f,
					 const struct lid_options *o);
/* The *n entries that OpenSM writes into guid2lid, also those of ports that left; to be freed. */
struct guid2lid *lid_memory_entries(const struct lid_memory *m, const struct fabric *f, size_t *n);
/*
 * The memory of the same process after the fabric became another one (endports found by node GUID and
 * number).  Entries of ports that left stay.  A port whose LID in the source changed carries the new one, one
 * that came the source's; the others carry what they carry in m.
 */
struct lid_memory *lid_memory_on(const struct lid_memory *m, const struct fabric *from,
				 const struct fabric *to);
struct lid_memory *lid_memory_copy(const struct lid_memory *m);
void lid_memory_free(struct lid_memory *m);

/*
 * Assign for one sweep; m is updated.  A port stays without a LID when it cannot get one, or when OpenSM's
 * check of its table takes its LIDs away (engines/doc/minhop.md 2.4).  Each such port is named in *notes, a
 * line each. rule (may be NULL) gets an enum lid_rule for each endport.
 */
struct lids *lids_assign(struct lid_memory *m, const struct topo *t, struct text *notes, uint8_t *rule);

/* LIDs that ports have; borrowed. */
struct lids_held {
	const uint16_t *lid;   /* [n_ports] base LIDs, NULL: those of the fabric's source */
	const uint8_t *lmc;    /* [n_ports], NULL: those of the fabric's source */
	const uint32_t *owner; /* [MAX_LID + 1] endport that a LID is known to mean, NO_ID = not known; NULL:
				  none is */
	unsigned top;	       /* max_lid is this at least */
};

/*
 * No assignment: ports keep their LIDs, and carry them from now on.  LIDs
 * reserved for ports that left stay so, unless a port has them.  If two ports have the same LID, it
 * belongs to the one that it is known to mean, else to the first in GUID order.  *notes names each such LID.
 * The result's lmc is that of most CA and router ports.
 */
struct lids *lids_found(struct lid_memory *m, const struct topo *t, const struct lids_held *held,
			struct text *notes);

/* Let ports carry these LIDs before the first sweep. */
void lid_memory_carry(struct lid_memory *m, const struct fabric *f, const uint16_t *lid, const uint8_t *lmc);

#endif
