/*
 * Routing options under OpenSM's own names.  Every module that understands an
 * option describes it in a table of struct optdef; these tables feed `set`,
 * `route NAME opt=value`, completion, help, the manual page and opensm.conf.
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

struct optdef {
	const char *name; /* as in opensm.conf */
	const char *flag; /* as on opensm's command line ("-a FILE"), NULL when it has none */
	enum opt_type type;
	const char *def;     /* default, as text */
	uint64_t min, max;   /* OPT_UINT */
	const char *choices; /* OPT_CHOICE */
	const char *help;    /* one line */
};

/*
 * A set of option values; options that were not set have their default.  Whoever
 * makes one may change it until he hands it on; then it is shared and stays as it is.
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

/* Check and set; -1 and *e says what was found and what was expected. */
int options_set(struct options *o, const char *name, const char *value, struct err *e);
/* Take "NAME=VALUE"; -1 and *e also when there is no such option. */
int options_assign(struct options *o, const char *word, struct err *e);
void options_unset(struct options *o, const char *name);
bool options_is_set(const struct options *o, const char *name); /* differs from the default */

/* Values; the name must be in the tables (a programming error otherwise: abort). */
const char *options_get(const struct options *o, const char *name); /* text, normalised ("TRUE", "3") */
bool options_bool(const struct options *o, const char *name);
uint64_t options_uint(const struct options *o, const char *name);
const char *options_file(const struct options *o, const char *name); /* NULL when none */

#endif
