/*
 * Routing options under OpenSM's own names.  A module describes each option that it understands in a table of
 * struct optdef.  These tables feed `set`, `route NAME opt=value`, completion, help, the manual page and
 * opensm.conf.
 */
#ifndef IBSCOPE_OPTIONS_H
#define IBSCOPE_OPTIONS_H

#include "core/base/err.h"

enum opt_type {
	OPT_BOOL, /* TRUE/FALSE, yes/no, on/off, 1/0 */
	OPT_UINT, /* number in C notation within min .. max */
	OPT_FILE, /* path of a file that exists when it is set; "" or (null) = none */
	OPT_STRING,
	OPT_CHOICE, /* one of the words in `choices`, separated by '|' */
};

/* The subject of a file of GUIDs, where names may replace its lines (guid_names.h). */
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
	const char *def;      /* default, as text */
	uint64_t min, max;    /* OPT_UINT */
	const char *choices;  /* OPT_CHOICE */
	enum opt_names names; /* OPT_FILE */
	const char *help;     /* one line */
	bool own;	      /* OpenSM has none of this name */
};

/* What may be set: "TRUE|FALSE", "0..255"; to be freed. */
char *optdef_values(const struct optdef *d);
struct text;
/* Its help with the default, opensm's flag, and what SIGHUP does with it (sighup_tell()). */
void optdef_tell(const struct optdef *d, struct text *t);

/*
 * A set of option values.  An option that was not set has its default.  The maker may change the set until it
 * is handed on; then it is shared and never changes.
 */
struct options;

/* defs: NULL-terminated list of tables, each ended by an entry with name NULL; all must outlive the set. */
struct options *options_new(const struct optdef *const *defs);
struct options *options_copy(const struct options *o);
struct options *options_ref(const struct options *o);
void options_free(const struct options *o); /* lets go of a reference; NULL is fine */
bool options_equal(const struct options *a, const struct options *b); /* of the same tables */

const struct optdef *options_find(const struct options *o, const char *name); /* NULL when unknown */
size_t options_count(const struct options *o);
const struct optdef *options_at(const struct options *o, size_t i); /* in the order of the tables */

/* Check and set.  *e (with -1) says what was found and what was expected. */
int options_set(struct options *o, const char *name, const char *value, struct err *e);
/*
 * A value may be names instead of a file. options_get() returns the names as written. options_file() returns
 * a list of GUIDs instead of a path (base/guidfile.h).  The list is copied.
 */
void options_set_list(struct options *o, const char *name, const char *value, const char *list);
bool options_has_list(const struct options *o, const char *name);
void options_unset(struct options *o, const char *name);
bool options_is_set(const struct options *o, const char *name); /* differs from the default */

/* Values; the name must be in the tables (a programming error otherwise: abort). */
const char *options_get(const struct options *o, const char *name); /* text, normalised ("TRUE", "3") */
bool options_bool(const struct options *o, const char *name);
uint64_t options_uint(const struct options *o, const char *name);
/* The file to read, NULL when none: a path, or a list. */
const char *options_file(const struct options *o, const char *name);

#endif
