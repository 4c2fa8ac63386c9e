/*
 * What a person wants, in six groups: the order of the palette, of `help` and of the manual page; and other
 * words by which people look for a command or a pane.
 */
#ifndef IBSCOPE_GROUPS_H
#define IBSCOPE_GROUPS_H

enum group_id { LOOK, WHAT_IF, EXPLAIN, JUDGE, TEACH, FILES, N_GROUPS };

struct aim_group {
	const char *name, *aim;
};

extern const struct aim_group aim_groups[N_GROUPS];

/* Other words for a command or a pane, with blanks between; "" when there are none. */
const char *group_also(const char *name);

#endif
