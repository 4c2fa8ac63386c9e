/* What differs between two fabrics, in text and JSON, for the commands that tell it. */
#ifndef IBSCOPE_COMMANDS_CHANGES_H
#define IBSCOPE_COMMANDS_CHANGES_H

#include "core/fabric/changes.h"
#include "core/session/command.h"

/* Of commands by which nodes come or go. */
#define JSON_PARTS                                                                                           \
	"parts[] object? chassis, and cards of one, that came or went; `nodes` leaves out what is in them\n" \
	"parts[].change string(added/removed) what\n"                                                        \
	"parts[].kind string(chassis/card) its kind\n"                                                       \
	"parts[].name string its name\n"                                                                     \
	"parts[].unseen boolean? removed: it may only not have answered\n"                                   \
	"parts[].switches[] object its switches\n"                                                           \
	"parts[].switches[].name node the switch\n"                                                          \
	"parts[].hosts[] object? hosts that came or went with it: they have no cable elsewhere\n"            \
	"parts[].hosts[].name node the host\n"                                                               \
	"parts[].links[] object? its cables to others\n"                                                     \
	"parts[].links[].a port its end\n"                                                                   \
	"parts[].links[].b port the other\n"                                                                 \
	"parts[].inside integer cables between its own switches\n"

#define JSON_CHANGES                                                                                       \
	"nodes[] object? nodes that came, went or changed\n"                                               \
	"nodes[].change string(added/removed/moved/replaced/renamed/lid) what\n"                           \
	"nodes[].name node the node, as it was where it was there before\n"                                \
	"nodes[].unseen boolean? removed: it may only not have answered\n"                                 \
	"nodes[].new node? replaced, renamed: what it is now\n"                                            \
	"nodes[].at port? moved: its port\n"                                                               \
	"nodes[].from port? moved: where that led\n"                                                       \
	"nodes[].to port? moved: where it leads now\n"                                                     \
	"nodes[].lid_now integer? lid: the new one\n"                                                      \
	"nodes[].links[] object? added, removed: its cables\n"                                             \
	"nodes[].links[].a port its end\n"                                                                 \
	"nodes[].links[].b port the other\n"                                                               \
	"links[] object? cables between nodes that are in both\n"                                          \
	"links[].change string(added/removed/moved/swapped/rate) what\n"                                   \
	"links[].a port one end; moved: the one that stays\n"                                              \
	"links[].b port the other, before\n"                                                               \
	"links[].unseen boolean? removed: an end may only not have answered\n"                             \
	"links[].to port? moved: the other, now\n"                                                         \
	"links[].other_a port? swapped: an end of the other cable; a leads to other_b now, other_a to b\n" \
	"links[].other_b port? swapped: its other end\n"                                                   \
	"links[].old_width width? rate: before\n"                                                          \
	"links[].old_speed speed? rate: before\n"                                                          \
	"links[].width width? rate: now\n"                                                                 \
	"links[].speed speed? rate: now\n"

/* One change in JSON: the keys of `parts`, `nodes` or `links` above. */
json_t *change_json(const struct fabric_changes *x, const struct fabric_change *c);

/* All changes from a to b: lines, and JSON `parts` (when there are any), `nodes` and `links`.  Returns their
 * number. */
size_t report_changes(const struct session *s, const struct fabric *a, const struct fabric *b, struct out *o);

/* Two fabrics, before options and names shape them. */
struct ahead_asked {
	const struct sweep *at;	    /* of the first; NULL: it begins by the options and engines of `how` */
	const struct fabric *first; /* not NULL without `at` */
	const struct fabric *next;  /* the second */
	const struct setup *how;
};

/* What the next sweep changes in the first's tables. */
struct ahead {
	bool known; /* false: there are no tables before, or no engine routes the second */
	uint64_t entries, pairs;
	struct text line; /* "(engines): ..."; owned by the caller, also after an error */
};

/* Routes the second fabric after the first. s lends engines and names, and is not changed. -1 and *e. */
int ahead_find(struct session *s, const struct ahead_asked *q, struct ahead *out, struct progress *p,
	       struct err *e);

/* Run a line that is one change of the fabric, as `event` takes them.  -1 and *e: it is none, or it failed.
 */
int run_edit(struct session *s, const char *line, struct out *o, struct err *e);

#endif
