/*
 * Routing options under OpenSM's own names.  A module describes each option that it understands in a table of
 * struct optdef.  These tables feed `set`, `route NAME opt=value`, completion, help, the manual page and
 * opensm.conf.
 */
#ifndef IBSCOPE_OPTIONS_H
#define IBSCOPE_OPTIONS_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/elements.h"
#include "core/fabric/fabric.h"
#include "core/fabric/state.h"
#include "core/routing/routing.h"

enum opt_type {
	OPT_BOOL, /* TRUE/FALSE, yes/no, on/off, 1/0 */
	OPT_UINT, /* number in C notation within min .. max */
	OPT_FILE, /* path of a file that exists when it is set; "" or (null) = none */
	OPT_STRING,
	OPT_CHOICE, /* one of the words in `choices`, separated by '|' */
};

/* What the GUIDs of a file are about, where names may replace its lines (guid_names.h). */
enum opt_names {
	OPT_NO_NAMES,
	OPT_SWITCHES,	/* node GUIDs of switches */
	OPT_SWITCH_IDS, /* the same, each with its place in the list as id */
	OPT_HOST_PORTS, /* port GUIDs of CAs and routers */
	OPT_ANY_PORTS,	/* port GUIDs of switches, too */
};

struct optdef {
	const char *name; /* as in opensm.conf */
	const char *flag; /* as on opensm's command line ("-a FILE"), NULL when it has none */
	enum opt_type type;
	const char *def; /* default, as text */
	const char
		*nvidia; /* the same by NVIDIA's rules, normalised; then `def` is kept, too, once it is set */
	uint64_t min, max;    /* OPT_UINT */
	const char *choices;  /* OPT_CHOICE */
	enum opt_names names; /* OPT_FILE */
	const char *help;     /* one line */
	bool own;	      /* OpenSM has no option of this name */
};

/* The values that may be set: "TRUE|FALSE", "0..255"; the caller frees the text. */
char *optdef_values(const struct optdef *d);
struct text;
/* Adds its help with the default, opensm's flag, and when SIGHUP puts it into effect (sighup_tell()). */
void optdef_tell(const struct optdef *d, struct text *t);

/*
 * A set of option values.  An option that was not set has its default.  The maker may change the set until it
 * is handed on; then it is shared and never changes.
 */
struct options;

/* defs is a NULL-terminated list of tables, each ending with an entry whose name is NULL; all must outlive
 * the set. */
struct options *options_new(const struct optdef *const *defs);
struct options *options_copy(const struct options *o);
struct options *options_ref(const struct options *o);
void options_free(const struct options *o); /* lets go of a reference; NULL is fine */
struct options *options_free_later(void *arena, const struct options *options); /* counted.h */
#define AUTO_OPTIONS __attribute__((cleanup(options_free_at)))
void options_free_at(void *variable);
bool options_equal(const struct options *a, const struct options *b);

const struct optdef *options_find(const struct options *o, const char *name); /* NULL when unknown */
size_t options_count(const struct options *o);
const struct optdef *options_at(const struct options *o, size_t i); /* in the order of the tables */

/* Checks a value and sets it.  *e (with -1) says what was found and what was expected. */
int options_set(struct options *o, const char *name, const char *value, struct err *e);
/*
 * A value may be names instead of a file. options_get() then returns the names as written, and options_file()
 * a list of GUIDs instead of a path (base/infile.h).  The list is copied.
 */
void options_set_list(struct options *o, const char *name, const char *value, const char *list);
bool options_has_list(const struct options *o, const char *name);
void options_unset(struct options *o, const char *name);
bool options_is_set(const struct options *o, const char *name); /* differs from the default */

/* Values; the name must be in the tables (otherwise abort(): it is a programming error). */
const char *options_get(const struct options *o, const char *name); /* text, normalised ("TRUE", "3") */
bool options_bool(const struct options *o, const char *name);
uint64_t options_uint(const struct options *o, const char *name);
/* What to read, a path or a list; NULL when there is none. */
const char *options_file(const struct options *o, const char *name);

/*
 * What is routed and how: a fabric, what of it is up, the options, the chain of engines.  A setup never
 * changes once made.  It is counted, so events, sweeps and work beside the session hold the same one.
 */

struct setup {
	atomic_uint refs;
	const struct fabric *fabric; /* reference held; NULL before the first load */
	const struct fabric *loaded; /* the fabric before it was shaped (session.h); reference held; NULL: it
					was not shaped */
	const struct state *state;   /* reference held; NULL without a fabric */
	const struct options *options; /* reference held */
	const char *chain;	       /* engines asked for, "updn,minhop"; owned; NULL = none */
	const char *program; /* words of engine `script` (script.h), quoted as typed; owned; NULL = none */
	/* Tables read for this fabric in addition to its source; reference held; NULL = none. */
	const struct switch_tables *tables;
	const struct scope *scope; /* whose hosts count; reference held; NULL or without words = all */
};

/* Makes a setup with these members, apart from the reference count.  It takes new references and copies the
 * chain. */
struct setup *setup_new(const struct setup *members);

/*
 * Returns the setup with those members replaced that are not NULL in `other`.  A new fabric drops the tables,
 * not the scope.  An engine that replaces tables drops path_sl_file, which has the SLs of these tables.
 */
struct setup *setup_with(const struct setup *base, const struct setup *other);

/* What the switches hold: tables that were read, else those that came with the fabric; NULL when not
 * known. */
static inline const struct switch_tables *setup_tables(const struct setup *s)
{
	return s->tables ? s->tables : fabric_switch_tables(s->fabric);
}

bool setup_counts_aggregation(const struct setup *s); /* the option aggregation_nodes */
/* The ports that count as hosts under the scope and the option `aggregation_nodes`.  The caller drops the
 * reference. */
struct host_set *setup_hosts(const struct setup *s);

/* The file that says which switches share a chassis; NULL: the source says so. */
const char *setup_chassis_file(const struct options *o);
/*
 * Switch elements of the fabric with everything up, grouped by the option chassis_file: failures do not
 * change what a chassis is. notes: as elements_new().  NULL and *e.
 */
struct elements *setup_elements(const struct setup *s, struct progress *p, struct text *notes, struct err *e);

struct setup *setup_ref(const struct setup *s);
void setup_unref(const struct setup *s);				 /* NULL is fine */
struct setup *setup_unref_later(void *arena, const struct setup *setup); /* counted.h */
#define AUTO_SETUP __attribute__((cleanup(setup_unref_at)))
void setup_unref_at(void *variable);

/* Do both give the same routing: the same fabric, state, options, tables, program, and hosts that count? */
bool setup_equal(const struct setup *a, const struct setup *b);

/* What OpenSM 3.3.23 does with a changed option when SIGHUP makes it read its file again. */

/*
 * Says when a new value takes effect: "with the sweep that follows".  NULL: not before a restart.  Source:
 * the program's table of options (can_update), and sweeps of the program (tests/parity/manager.py).
 */
const char *sighup_effect(const char *option);
extern const char *const sighup_effects[]; /* all of them, ended by NULL */

#endif
