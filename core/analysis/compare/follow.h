/*
 * Whose rule do tables follow, up to ties?  Engines leave choices among equal ports to orders and random
 * numbers that may not be known.  So each entry gets a class: what the engine's rule leaves open there, and
 * what the entry makes of it.  And each engine gets a length in bits: what one must be told, beyond its rule,
 * to write the tables down.  A free choice among n costs log2(n); an entry that breaks the rule costs its
 * port and 8 bits more; naming the classes costs their entropy.  The engine with the fewest bits explains
 * best.
 *
 * Engines: minhop, dor, updn (dnup is not looked at) and ftree; an ar_ engine has the linear tables of the
 * engine without ar_.  Source of their rules: engines/doc/minhop.md, engines/doc/updn.md, engines/doc/dor.md
 * and engines/doc/ftree.md.  The choice between models by the length of a description is J. Rissanen's,
 * Modeling by shortest data description, Automatica 14, 1978.
 */
#ifndef IBSCOPE_FOLLOW_H
#define IBSCOPE_FOLLOW_H

#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/sm/sweep.h"

enum follow_class {
	FOLLOW_ONLY,  /* the rule leaves one port, and it is this one */
	FOLLOW_FIRST, /* of several least loaded ports the lowest */
	FOLLOW_LEAST, /* another least loaded port */
	FOLLOW_MAIN,  /* ftree: on the destination's main way */
	FOLLOW_CABLE, /* ftree: on it, too, by a cable of the bundle that is not the least used */
	FOLLOW_DOWN,  /* ftree: one of several ways down */
	FOLLOW_HUB,   /* the rule has no way; it goes by the one switch at which all of these turn up again */
	FOLLOW_LAWFUL,	/* lawful, but not the least loaded, or (ftree) not on the main way */
	FOLLOW_LONGER,	/* keeps to the rule's directions, but others are shorter */
	FOLLOW_AGAINST, /* breaks the rule */
	FOLLOW_EXTRA,	/* an entry where the rule has no way, and not by the hub */
	FOLLOW_MISSING, /* no entry where the rule has a way */
	FOLLOW_CLASSES
};
extern const char *const follow_word[FOLLOW_CLASSES]; /* "only", ... */

/* How ties among least loaded ports are told. */
enum follow_ties {
	FOLLOW_TIES_FIRST, /* by the lowest port: scatter_ports 0 */
	FOLLOW_TIES_DRAWN, /* at random: scatter_ports */
	FOLLOW_TIES_ANY,   /* any lawful port, as in tables with entries that were kept */
	FOLLOW_TIES
};

extern const char *const follow_ties_word[FOLLOW_TIES]; /* "first", "drawn", "any" */

/* The tables under one engine. */
struct follow_try {
	const char *engine;	    /* static */
	const char *roots;	    /* how the roots were found, in words; static, "" = it has none */
	uint8_t *root;		    /* [n_switches] 1 = a root; NULL: it has none */
	uint32_t hub;		    /* switch; NO_ID: none */
	enum follow_ties ties;	    /* those of the fewest bits */
	double bits;		    /* the fewest; variants that scatter_ports rules out are left out */
	double bits_drawn;	    /* the fewest if ties were known to be drawn */
	double bits_first;	    /* the fewest if they were known to go to the lowest port */
	uint64_t n[FOLLOW_CLASSES]; /* entries by class */
};

struct follow_entry {
	uint32_t sw;
	uint16_t lid;
	uint8_t port, class; /* port NO_PATH: none; enum follow_class */
};

/* Fields of a struct follow_try and of a struct follow_entry; code adds nodes, ports and counts. */
extern const struct field follow_try_fields[], follow_entry_fields[];

#define FOLLOW_ENGINES 4 /* that are looked at */

struct follow {
	const struct fabric *fabric; /* reference held */
	struct follow_try *try;	     /* [n] the best of each engine, fewest bits first */
	unsigned n;
	bool scatter_known;
	uint32_t n_silent;   /* switches that are up but have no table */
	uint32_t n_switches; /* with a table */
	uint32_t n_untold;   /* LIDs of which no switch has an entry: not judged */
	struct follow_entry
		*entry; /* entries from FOLLOW_LAWFUL on, by switch and LID; NULL: not asked for */
	size_t n_entries;
};

/* Engines whose tables are fewer bits apart cannot be told apart. */
#define FOLLOW_MARGIN 10.0

/*
 * Judges the tables of a sweep.  Roots are those of root_guid_file, else those of the ranks that the source
 * tells, else those of levels and, as the last, single switches.  engine: judge by this one and list its
 * entries; NULL: by all.  The result is an arena.  NULL and *e: cancelled, no memory, or nothing is judged.
 */
struct follow *follow_run(const struct sweep *held, const char *engine, struct progress *p, struct err *e);

/* The try of an engine, ar_ left out of its name; NULL: there is none. */
const struct follow_try *follow_find(const struct follow *f, const char *engine);
/* Entries that were classed. */
uint64_t follow_entries(const struct follow_try *t);
/* Entries to which the rule leaves a choice, and those that made one that it allows. */
uint64_t follow_free(const struct follow_try *t);
/* Entries that break the rule: those from FOLLOW_LONGER on. */
uint64_t follow_broken(const struct follow_try *t);

#define FOLLOW_MOST_EXACT 16

/* What else is known of the engine that made the tables. */
struct follow_known {
	const char *named, *by; /* the engine that a log, a dump or the configuration names; NULL: none */
	bool nvidia;		/* NVIDIA's rules count for what follows, else those of OpenSM 3.3.23 */
	/* engines that compute every entry from nothing, as OpenSM 3.3.23 does; the first is the best guess
	 */
	const char *exact[FOLLOW_MOST_EXACT];
	unsigned n_exact;
	/* engines that keep every entry, as OpenSM 3.3.23 does, and compute most of their choices from
	 * nothing */
	const char *likely[FOLLOW_MOST_EXACT];
	unsigned n_likely;
	/* By NVIDIA's rules this engine draws every port of hosts with so many routing threads; NULL: none */
	const char *drawn;
	unsigned threads;
	bool or_more; /* any larger number gives the same */
};

/* Adds the verdict: sentences, the first of which begins "These tables follow". */
void follow_tell(const struct follow *f, const struct follow_known *known, struct text *t);

#endif
