/* The subnet managers that a live reading met: what ports tell of their master, what the managers answered;
 * and what managers gave the ports: the P_Keys that a live reading or a file tells.
 */
#ifndef IBSCOPE_MANAGERS_H
#define IBSCOPE_MANAGERS_H

#include "core/base/counted.h"
#include "core/fabric/fabric.h"

/* SMInfo's states (IBA 1.3, 14.2.5.13), and a port that says it has a manager, which did not answer. */
enum manager_state {
	MANAGER_INACTIVE,
	MANAGER_DISCOVERING,
	MANAGER_STANDBY,
	MANAGER_MASTER,
	MANAGER_SILENT,
	MANAGER_STATES
};
extern const char *const manager_state_word[MANAGER_STATES];

struct manager {
	uint64_t guid; /* of its port */
	uint16_t lid;
	uint8_t state, priority;
};

/* A P_Key that an endport holds, with the membership bit; 0: an empty place. */
struct port_pkey {
	uint64_t guid; /* of the port */
	uint16_t pkey;
};

struct managers {
	struct counted counted;
	uint16_t local_lid; /* the master's LID as the local port tells it; 0: none */
	uint16_t lid;	    /* as most endports tell it; 0: none does */
	uint32_t others;    /* endports that tell another one */
	bool asked;	    /* were the managers asked (SMInfo)? by a live reading always */
	uint32_t n;
	struct manager *m; /* [n] by port GUID */
	uint32_t n_pkeys, cap_pkeys;
	struct port_pkey *pkey; /* [n_pkeys] by port GUID, of all endports that told their P_Keys */
};

struct managers *managers_new(uint32_t most); /* with one reference, and room for so many */

/* Adds a P_Key, in any order; then all are put in order. */
void managers_tell_pkey(struct managers *m, uint64_t port_guid, uint16_t pkey);
void managers_order_pkeys(struct managers *m);
/* Puts them in order and gives them to a fabric without managers, NULL: to none; m is given up. */
void fabric_take_pkeys(struct fabric *f, struct managers *m);

/* Those of a fabric that was read live, or whose file tells P_Keys; NULL: neither.  Borrowed. */
static inline const struct managers *fabric_managers(const struct fabric *f)
{
	return (const struct managers *)f->managers;
}

/* Why nobody, or more than one, looks after a fabric. */
enum managers_fault {
	MANAGERS_GOOD, /* one is master; or the managers were not asked */
	MANAGERS_NONE, /* none answers */
	MANAGERS_NO_MASTER,
	MANAGERS_SEVERAL /* are master */
};
enum managers_fault managers_fault(const struct fabric *f);
/* "no subnet manager is master (node0003[1] is standby)"; nothing for MANAGERS_GOOD. */
void managers_tell_fault(const struct fabric *f, struct text *t);
/* What follows from that: "nobody will repair this"; NULL for MANAGERS_GOOD. */
const char *managers_consequence(const struct fabric *f);

/* Its port, by GUID where the fabric has none such (any more).  buf is returned. */
const char *manager_label(const struct fabric *f, const struct manager *m, char *buf, size_t size);
/* The one at a port; NULL: none. */
const struct manager *manager_at(const struct managers *m, uint64_t port_guid);
/* The first P_Key of a port, others follow it in m->pkey; NULL: the port told none. */
const struct port_pkey *pkeys_at(const struct managers *m, uint64_t port_guid);
/* The endport that most endports name as their master's; NO_ID: none is named, or it is not there. */
uint32_t managers_master(const struct fabric *f);

#endif
