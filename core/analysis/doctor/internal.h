/* Shared by the rules of doctor. */
#ifndef IBSCOPE_DOCTOR_INTERNAL_H
#define IBSCOPE_DOCTOR_INTERNAL_H

#include "core/analysis/compare/drift.h"
#include "core/analysis/credit/cdg.h"
#include "core/analysis/credit/check.h"
#include "core/analysis/doctor/doctor.h"
#include "core/analysis/shape/levels.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/text.h"
#include "core/fabric/names.h"

/* Thresholds, calibrated on real and synthetic fabrics. */
#define LEAST_HOSTS 8	     /* hosts needed before statistics are computed */
#define LEAST_CHANNELS 8     /* channels needed in a class */
#define LEAST_SWITCHES 4     /* switches needed on a level */
#define THIN_PART 4	     /* on a level at most one switch in this many may deviate */
#define THIN_PART_DIRECT 20  /* in a direct fabric one in this many */
#define HOT_RATIO 1.30	     /* an even share above this many medians of its class is hot */
#define HOT_RATIO_DIRECT 2.0 /* in a direct fabric */
#define HOT_PART 4	     /* when more than one in this many are hot, the class is mixed */
#define UNEVEN_RATIO 4.0     /* a load above this many even shares is uneven */
#define SLOW_SHARE 0.95	     /* this share of a class's links makes its usual rate */
#define SLOW_LEAST 20	     /* if there are at least this many */
#define IDLE_PART 10	     /* when fewer than one channel in this many is idle, no bandwidth is missed */
#define MOST_PLACES 20	     /* most findings of a kind that lists each place */

struct doctor;
struct rule;
typedef int finder(struct doctor *d, const struct rule *r);

struct rule {
	const char *kind;
	enum severity severity;
	enum sureness sure;
	/* Returns 0, or -1 and *d->e. */
	finder *find;
	const char *meaning, *cure;
};

/* Switches without which the fabric falls apart (losses.c). */
struct losses {
	uint8_t *apart;	     /* [n_switches] 1: its loss cuts hosts off from a part with as many or more */
	uint64_t behind;     /* hosts that the loss of some switch cuts off in this way, each counted once */
	uint8_t *sm_smaller; /* [n_switches] 1: its loss leaves the SM outside the part with most hosts */
};

/* One run.  A member is NULL when it could not be made: there are no tables, or no hosts. */
struct doctor {
	void *arena; /* owns what the run makes */
	struct diagnosis *out;
	const struct rule *rules; /* all rules */
	const struct doctor_request *rq;
	struct progress *p;
	struct err *e;
	const struct sweep *w;	      /* judged */
	const struct sweep *computed; /* the sweep of the requested engine, w or the one in force; NULL: none
					 was requested */
	const struct sweep *next;     /* the sweep after `computed`; NULL: it cannot differ */
	const struct fabric *f;
	const struct topo *t;
	const struct routing *r;	   /* NULL: nothing is routed */
	const struct pair_sls *partitions; /* NULL: none are known */
	uint32_t lacking, tables;	   /* switches without a table that was to be read; of how many */
	bool strange;			   /* most GUIDs of the tables are missing in this fabric */
	uint32_t *hosts;		   /* [n_switches] hosts that count on each */
	uint32_t n_hosts;
	struct levels *levels;
	bool direct;   /* no switch above the level of hosts carries anything */
	double *share; /* [n_ports] even shares of all hosts */
	struct loads *loads;
	struct cdg *cdg; /* of the hosts that count */
	struct check_result check;
	struct drift *drift; /* of tables that were read; made by the first rule that asks */
	struct drift_ranking *ranking;
	struct losses losses;
	struct brokens *broken; /* what broke (broken.c); made by the first rule that asks */
	struct log_join *log;	/* the manager's log; made by the first rule that asks */
	struct paced
		*paced; /* [n_paced] links (rates.c); link_shares() makes it for the first rule that asks */
	uint32_t n_paced;
	double *full; /* [n_links] link_shares() */
};

/*
 * Adds a finding of a rule.  Whatever the arguments do not set comes from the rule.  more: the command that
 * shows more; NULL: finding_more() sets it, or it is `route` as asked.  The finding is valid until the next
 * call.
 */
struct finding *tell(struct doctor *d, const struct rule *r, const char *more, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
void finding_more(struct finding *x, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* What `triage` says in its one line: the place and what is wrong with it. */
void finding_brief(struct finding *x, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Sets the place; port: a port id of a CA or a switch */
void finding_at(const struct doctor *d, struct finding *x, uint32_t port);
void finding_at_switch(const struct doctor *d, struct finding *x, uint32_t sw);

/* The first three of many: "S1, S2, S3, ...". */
struct places {
	struct text t;
	uint32_t n, node; /* node: that of the first place */
	uint8_t port;
};
void places_add_switch(struct places *p, const struct fabric *f, uint32_t sw);
void places_add_port(struct places *p, const struct fabric *f, uint32_t port);
const char *places_text(struct places *p); /* followed by "..." when there are more */
/* Calls tell() about places and their number, and frees their text.  more NULL: show the ports of the first
 * place. */
struct finding *tell_of_places(struct doctor *d, const struct rule *r, struct places *p, const char *more,
			       const char *fmt, ...) PRINTF_LIKE(5, 6);

/* Is a port of a switch the start of a channel, i.e. does it lead to another switch that is up? */
static inline bool is_channel(const struct topo *t, uint32_t port)
{
	return t->peer_switch[port] != NO_ID;
}

static inline uint32_t port_switch(const struct fabric *f, uint32_t port)
{
	return f->node_switch[f->port_node[port]];
}

/* [n_links] The share of the rate it could have that each link has; in the run's arena. */
const double *link_shares(struct doctor *d);

/* ", 212.5 Gbit/s", or "" where rates are not known.  buf is returned. */
const char *gbps_text(double gbps, char *buf, size_t size);

/* Fills in d->losses.  Returns 0, or -1 when cancelled. */
int losses_find(struct doctor *d);

/* Judges drift for the first rule that asks.  d->drift stays NULL if no tables were read.  0, or -1 and
 * *d->e. */
int need_drift(struct doctor *d);

/* Counts pairs that may or may not have a path, because it cannot be known.  Returns 0, or -1 and *d->e. */
int pairs_untold(struct doctor *d, uint64_t *pairs);

/* --- rules, by file ------------------------------------------------------------------------------ */

/* source.c: what the source of the fabric says */
finder find_incomplete, find_managers, find_warnings, find_no_lid, find_ibdiagnet, find_aggregation,
	find_sm_guessed, find_sm_place;
/* rates.c: bandwidth that links, and cables of hosts, lose */
finder find_slow, find_rails;
/* losses.c: what happens to packets by these tables */
finder find_incomplete_tables, find_unreachable, find_cut_off, find_no_pair, find_kept_apart, find_dropped,
	find_switch_lids, find_stale, find_drift_unknown, find_other_engine;
/* broken.c: what broke, by kind */
finder find_broken, find_forwarding_loop, find_slower;
/* partitions.c: partitions, and adaptive routing */
finder find_partition_file, find_partition_guid, find_no_full_member, find_no_partition, find_adaptive_off;
/* Is the state of adaptive routing told, or no engine asked for or in force that uses it? */
bool looked_at_adaptive(const struct doctor *d);
/* log.c: what the subnet manager wrote into its log */
finder find_log_strange, find_log_errors, find_log_flaps, find_log_fallback;
/* shape.c: loops, roots, cables and hosts, loads */
finder find_credit_loop, find_layers_not_in_force, find_all_roots, find_aggregation_roots, find_roots_fragile,
	find_root_with_hosts, find_not_listed, find_thin, find_cabling, find_above_edge, find_empty_leaf,
	find_single_point, find_sm_decides, find_hot_cable, find_uneven, find_idle;

#endif
