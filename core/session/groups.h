/*
 * What a person wants, in six groups: the order of the palette, of `help` and of the manual page; and other
 * words by which people look for a command or a pane.
 */
#ifndef IBSCOPE_GROUPS_H
#define IBSCOPE_GROUPS_H

#include "core/session/command.h"

enum group_id { LOOK, WHAT_IF, EXPLAIN, JUDGE, TEACH, FILES, N_GROUPS };

struct aim_group {
	const char *name, *aim;
	const char *commands; /* names, with blanks between; those of the screen are in LOOK */
};

extern const struct aim_group aim_groups[N_GROUPS];

/* The group of a command; N_GROUPS: it is in none (a test finds it). */
enum group_id command_group(const struct command *c);

/* Other words for a command or a pane, with blanks between; "" when there are none. */
const char *group_also(const char *name);

#endif
