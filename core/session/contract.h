/*
 * The contract of the JSON objects: their keys and types.  Each command tells its own (struct command: json),
 * a line each:
 *
 *   KEY TYPE[?] TEXT
 *
 * KEY is a place: `a.b` is b within the object a, `a[]` an element of the list a, `a[].b` is b within each
 * element, `a.*` any key within a.  TYPE is string, integer, number, boolean or object, or one of these with
 * `|null`.  `any` is any value at all, of which nothing is told.  `?`: the key may be missing. node, port and
 * endport stand for several keys, as core/routing/json_names.h makes them: KEY, KEY_guid, KEY_lid, of a port
 * KEY_port (beside `name`: guid, lid, port).  Two keys that are there only at times have no line:
 * KEY_description of a short name, and the label of a port beside each portnum.
 *
 * The range of an integer or number stands behind it, `(LEAST..MOST)`.  Either end may be left out.  Without
 * a range the value is 0 or more.  The words that a string may be stand behind it, `(none/loop/^[0-9]+$)`. A
 * word that begins with ^ is a regular expression for further words.  The names of contract_kinds stand for
 * such types.  TEXT "=NAME" stands for the words of a figure (help.h).  tests/contract.py judges what
 * commands print by all of this.
 */
#ifndef IBSCOPE_CONTRACT_H
#define IBSCOPE_CONTRACT_H

#include "core/base/defs.h"
#include "core/base/json.h"
#include "core/session/session.h"

struct contract_kind {
	const char *name, *type, *help;
};
/* Ends with a NULL name.  The words of `engine` are the existing engines. */
extern const struct contract_kind contract_kinds[];

struct contract_line {
	const char *key, *type, *help; /* not ended by NUL */
	int n_key, n_type, n_help;     /* n_type is without `?` */
	bool optional;
};

/* The next line of *at, with the words of a figure in place of its name; *at moves behind it. false at the
 * end. */
bool contract_next(const struct help_words *w, const char **at, struct contract_line *l);

/* The lines of a command, with those of its rows; "" when it has none.  The caller frees them. */
struct command;
struct session;
char *contract_of(const struct command *c);

/* Lines that hold for the objects of all commands; a command's own lines for the same key, and for keys
 * within it, take precedence. */
extern const char contract_common[];

/* Lines that several commands share, so that a reader needs them only once.  The last has a NULL name. */
struct contract_group {
	const char *name, *lines;
};
extern const struct contract_group contract_groups[];

/* The contract of the JSON objects (contract.h) as one JSON Schema, draft 2020-12. */

/* The schema of any command's object; the caller owns the reference. */
json_t *json_schema(const struct session *s);

#endif
