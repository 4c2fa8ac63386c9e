/*
 * The contract of the JSON objects: which keys there are, of what type.  Each command tells its own
 * (struct command: json), a line each:
 *
 *   KEY TYPE[?] TEXT
 *
 * KEY is where it stands: `a.b` within the object a, `a[]` an element of the list a, `a[].b` within each,
 * `a.*` whatever key.  TYPE is string, integer, number, boolean, object or any, or some of them with
 * `|null`; `?`: it may be missing.  node, port and endport stand for several keys, as
 * core/routing/json_names.h makes them: KEY, KEY_guid, KEY_lid, of a port KEY_port (beside `name`: guid,
 * lid, port).
 */
#ifndef IBSCOPE_CONTRACT_H
#define IBSCOPE_CONTRACT_H

#include "core/base/defs.h"

struct contract_line {
	const char *key, *type, *help; /* not ended by NUL */
	int n_key, n_type, n_help;     /* n_type is without `?` */
	bool optional;
};

/* The next line of *at, which goes on behind it; false at the end. */
bool contract_next(const char **at, struct contract_line *l);

/* Lines of a command, those of its rows among them; "": none.  The caller frees. */
struct command;
char *contract_of(const struct command *c);

/* What the objects of all commands have. */
extern const char contract_common[];

/* Lines that several commands have, so that a reader needs them once; ended by name NULL. */
struct contract_group {
	const char *name, *lines;
};
extern const struct contract_group contract_groups[];

#endif
