/*
 * Faults of a routing, one by one.  Two checks can be compared: which faults are new, which are gone?
 *
 * A fault is recognised by GUIDs, never by names, LIDs or ids: these change from one discovery to the next.
 *   path              node GUID of the switch where it starts, port GUID of its destination, and the offset
 *                     of the LID where a port has several
 *   endport           its port GUID (without LID, or cut off)
 *   credit loop       for each channel: node GUID and port that send, and the VL
 *   missing part      its kind, and the node GUID and port where it is missed; a text that was cut off has
 *                     no place, so its kind alone counts
 *   port of the scope its node GUID and number (it is not here)
 *   what vanished     since another check: a host's or switch's node GUID, those of a cable's ends and the
 *                     ports
 *
 * Routes dropped at VL 15 are one fault.  It is new when there are more of them.
 */
#ifndef IBSCOPE_FAULTS_H
#define IBSCOPE_FAULTS_H

#include "core/analysis/compare/causes.h"
#include "core/analysis/credit/cdg.h"
#include "core/base/json.h"
#include "core/sm/sweep.h"

/*
 * Everything that `check` finds in a sweep: lost pairs with their causes, credit loops, what cannot be known,
 * and the verdict on it.
 */

enum verdict {
	VERDICT_NO_HOSTS, /* no host of the scope is present */
	VERDICT_FAULT,
	VERDICT_UNKNOWN,  /* no fault in the known part */
	VERDICT_CHANCE,	  /* no fault now, but OpenSM may leave hosts without a route */
	VERDICT_NO_PAIRS, /* of hosts */
	VERDICT_PART,	  /* no fault, but ports of the scope are not in the fabric */
	VERDICT_IN_SCOPE,
	VERDICT_APART, /* partitions keep hosts apart, inside a scope or not */
	VERDICT_SOUND,
	VERDICTS
};
/* In a few words, for a title; as a sentence.  Static. */
extern const struct verdict_words {
	const char *brief, *sentence;
} verdict_words[VERDICTS];

struct soundness {
	struct check_result counts;
	struct causes *causes; /* owned */
	struct cdg *loops;     /* owned; on all VLs */
	uint64_t untold;       /* pairs that may or may not have a path: it cannot be known */
	uint32_t cut_off;      /* endports */
	uint32_t gone;	       /* ports of the scope that are not in the fabric */
	bool strange;	       /* tables_strange() */
	bool by_chance;	       /* sound_next_by_chance() finds an endport */
	bool fault;	       /* there is a fault, which includes absent ports */
	bool sound;	       /* no fault, and everything could be judged */
	enum verdict verdict;
};

/*
 * Judges a sweep with a routing. seen and to (causes.h) may be NULL.  Returns 0 (then soundness_clear()), or
 * -1 and *e when cancelled or out of memory.
 */
int soundness_find(const struct sweep *w, struct soundness *x, const struct last_seen *seen,
		   const struct ways_listener *to, struct progress *p, struct err *e);
void soundness_clear(struct soundness *x);

/* The next endport that counts and that OpenSM may leave without a route; starts at *at = 0, NO_ID at the
 * end.
 */
uint32_t sound_next_by_chance(const struct sweep *w, uint32_t *at);

enum fault_kind {
	FAULT_UNREACHABLE, /* a path from a switch to a LID that ends on the way */
	FAULT_LOOP,	   /* a path that runs in a circle */
	FAULT_NO_LID,	   /* an endport without LID */
	FAULT_CUT_OFF,	   /* an endport that the subnet manager does not reach */
	FAULT_CREDIT_LOOP, /* a channel on a credit loop */
	FAULT_DROPPED,	   /* routes that VL 15 ends */
	FAULT_MISSING,	   /* a part of the fabric is missing in its source */
	FAULT_NOT_HERE,	   /* a requested host port is not in the fabric */
	/* only when two checks are compared: it was present in the first */
	FAULT_HOST_GONE,
	FAULT_SWITCH_GONE,
	FAULT_CABLE_GONE,
	FAULT_CABLE_SLOWER,
	FAULT_KINDS
};

struct fault {
	uint8_t kind, vl, port; /* port of `from` */
	uint16_t offset;	/* offset of the LID from the first LID of `to`; for a cable: port of `to` */
	uint64_t from, to;	/* node GUID, port GUID (of a cable: node GUID); 0 = none */
	union {
		uint64_t routes;  /* dropped */
		const char *what; /* missing: the kind, as in struct warning; cable_slower: its rate before */
	} u;
	/* Names for display: ids of the fabric (a node, an endport), or objects of the document. */
	union {
		uint32_t id;
		const json_t *object;
	} at_from, at_to;
};

/* In order after faults_sort(); all functions below need that. */
struct faults {
	struct fault *f;
	size_t n, cap;
	const struct fabric *fabric; /* borrowed; NULL: they come from a document */
	const struct lids *lids;     /* borrowed */
	json_t *doc;		     /* owned */
	bool failed;		     /* out of memory, as *e says */
	struct err *e;
};

/* e receives the message when memory runs out; it must outlast the adding of faults. */
void faults_begin(struct faults *s, const struct fabric *f, const struct lids *l, struct err *e);
void faults_add_path(struct faults *s, uint32_t sw, unsigned lid, bool loops);
/* Adds the path to a host by its first LID, from the host's own switch. */
void faults_add_host(struct faults *s, uint32_t sw, uint32_t ep);
void faults_add_endport(struct faults *s, enum fault_kind kind, uint32_t ep);
void faults_add_loops(struct faults *s, const struct cdg *c); /* channels on cycles, and what is dropped */
void faults_add_not_here(struct faults *s, uint64_t node_guid, unsigned port);
void faults_add_missing(struct faults *s); /* of the fabric's source */
/* Sorts the faults and drops duplicates.  Returns 0, or -1 and *e when memory was short. */
int faults_sort(struct faults *s);
void faults_free(struct faults *s);

/* Puts the faults of a that b lacks into *out; returns their number.  *out borrows: free it before a. */
size_t faults_minus(const struct faults *a, const struct faults *b, struct faults *out);

/* Makes the JSON of what is present: hosts and switches with a cable that is up, and these cables.  The
 * caller owns the reference. */
json_t *present_json(const struct fabric *f, const struct lids *l, const struct state *st);

/* The node with a GUID in such an object, NULL: none.  *is_switch (may be NULL): it is one. */
const json_t *present_node(const json_t *present, uint64_t guid, bool *is_switch);
/* Both ends of a cable in the list of such an object: GUIDs and ports.  False: it is none. */
bool present_cable(const json_t *cable, uint64_t guid[2], unsigned port[2]);

/*
 * Adds to a list what such an object has at the other ends of a node's cables, each as NODE[PORT].  word: the
 * node's name, its first words, or its GUID; port: the only port to look at, 0: all.
 */
void present_peers(const json_t *present, const char *word, unsigned port, json_t *list);

/*
 * Puts what such an object has, but the sweep lacks, into *out as faults, sorted.  *out borrows from it: free
 * it before.  Returns -1 and *e when the two have less than a quarter of their nodes in common, so that it
 * belongs to another fabric, or when it cannot be read.
 */
int faults_vanished(struct faults *out, const json_t *present, const struct sweep *w, const char *path,
		    struct err *e);

/* Adds one fault in words, without line end. */
void fault_text(const struct faults *s, const struct fault *f, struct text *t);

/*
 * Makes the list for JSON.  Faults of the same kind with the same ends become one object, with kind, count,
 * and the lists from, to or channels.  The caller owns the reference.
 */
json_t *faults_json(const struct faults *s);

/*
 * Read a file with the output of `--json`: the faults of the last `check` in it, sorted.  0, or -1 and *e.
 */
int faults_read(struct faults *s, const char *path, struct progress *p, struct err *e);

#endif
