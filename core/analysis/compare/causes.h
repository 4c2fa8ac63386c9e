/*
 * Why pairs of hosts have no path, and why entries of tables are wrong: a few causes instead of a row for
 * each pair and entry.  Each lost pair, and each wrong entry, has one cause.
 *
 * Lost pairs are those that check counts as unreachable (source host, LID of another host).  To them come the
 * ordered pairs of hosts of which one is cut off, and those whose destination has no LID.  Switches that are
 * cut off, or have no LID, have a cause, too, even if no pair is lost by it (not when drift is asked about).
 */
#ifndef IBSCOPE_CAUSES_H
#define IBSCOPE_CAUSES_H

#include "core/analysis/compare/drift.h"
#include "core/analysis/credit/check.h"
#include "core/base/json.h"

enum cause_kind {
	CAUSE_TABLES,  /* switches whose tables were not read, so nothing is known */
	CAUSE_REFUSAL, /* the engine that was asked for refuses, and another one routes */
	CAUSE_SWITCH,  /* a switch is down, or lacks entries */
	CAUSE_CABLE,   /* a cable is down */
	CAUSE_PORT,    /* entries lead to a port where nothing is, or to a device without the LID */
	CAUSE_HOST,    /* a host is down, has no LID, or is new to the tables */
	CAUSE_LOOP,    /* entries send packets in a circle */
	CAUSE_RULE,    /* a rule of the engine: it makes no entry, or chooses another port */
	CAUSE_KINDS
};
extern const char *const cause_word[CAUSE_KINDS]; /* "tables", ... */

struct cause {
	uint8_t kind;	  /* enum cause_kind */
	uint64_t key;	  /* distinguishes it from others of its kind */
	const char *why;  /* the reason in words, static */
	const char *word; /* word for the kind; static */
	char *what;	  /* owned: the port, cable, switch, host or engine by name */
	char *last;	  /* owned: label of what was last at the other end; NULL: nothing, or not known */
	uint32_t node;	  /* the place; NO_ID = none */
	uint8_t port;	  /* port of node, 0 = none */
	uint32_t peer;	  /* port at the other end, NO_ID = none */
	uint64_t pairs;	  /* lost pairs */
	uint64_t entries; /* of drift: wrong entries */
	uint32_t lids, hosts; /* LIDs concerned, and the hosts that have them or are cut off */
	/* the LIDs counted so far, and the place before sorting */
	uint32_t last_lid, last_host, made;
};

/* Keys of a cause, with columns of the pane. */
extern const struct field cause_fields[];

struct causes {
	const struct sweep *w;	 /* borrowed */
	const struct routing *r; /* that of w */
	struct cause *c;	 /* most pairs first, then most entries */
	size_t n, cap;
	uint64_t lost;	  /* pairs: the sum over all causes */
	uint64_t untold;  /* of these: lost because tables were not read */
	uint32_t n_hosts; /* hosts that count, including those cut off */
	/* of drift: [its entries] the cause of each, as a place in c; NO_ID: not a fault.  NULL: no drift was
	 * given
	 */
	uint32_t *of_entry;
	struct causes_work *work;
};

/*
 * Names what was last at a node's port that is now empty, in a text that the caller frees; NULL when not
 * known.
 */
struct last_seen {
	char *(*peer)(void *ctx, uint64_t node_guid, unsigned port);
	void *ctx;
};

/* A way from a switch to a LID, as in struct check_listener, and why it is lost. */
struct lost_way {
	uint32_t sw, at; /* at: where the way ends; for a circle: a switch on it */
	unsigned lid;
	bool loops;
	enum cause_kind kind;
	uint32_t cause; /* its `made` */
	uint64_t pairs;
};

/* end() gets a host or switch that is cut off or has no LID; cause as above.  Either may be NULL. */
struct ways_listener {
	void (*lost)(void *ctx, const struct lost_way *x);
	void *ctx;
	void (*end)(void *ctx, uint32_t endport, uint32_t cause, uint64_t pairs);
};

struct causes_request {
	const struct sweep *w;		  /* with a routing */
	const struct check_result *known; /* what check counted of it; NULL: nothing is known */
	const struct drift *d;		  /* of w: its entries count, too; NULL: none */
	const struct last_seen *seen;	  /* may be NULL, as may `lost` */
	const struct ways_listener *lost;
};

extern const char cause_shared_lid[]; /* why a LID is lost that two ports have */

/* NULL and *e: cancelled. */
struct causes *causes_find(const struct causes_request *rq, struct progress *p, struct err *e);

/* The number of switches that are up but have no table, where tables were read; *all (may be NULL): switches
 * that are up.
 */
uint32_t tables_lacking(const struct sweep *w, uint32_t *all);
/* Are the tables so incomplete, or so different from this fabric, that their losses mean nothing? */
bool tables_strange(const struct sweep *w);

/* Adds one cause, without line end: "leaf-03[1]: nothing is at the port; 12 pairs, ...". */
void cause_text(const struct cause *c, struct text *t);

#endif
