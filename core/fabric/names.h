/*
 * How nodes are named and found by name.
 *
 * A node is given a name by its source (NodeDescription) or a node-name-map; what is shown
 * (node_name) is that name, and behind it where the node hangs when the name alone would not lead
 * back to the node: "Mellanox Technologies Aggregation Node (MF0;CSPINE1-69:MQM8700/U1[41])".
 * So a shown name always is a word that finds its node.
 *
 * Words of a name are runs of letters and digits.  Letter case is ignored, but for two names that
 * differ in nothing else.
 */
#ifndef IBSCOPE_NAMES_H
#define IBSCOPE_NAMES_H

#include "core/fabric/fabric.h"

/* Make node_name [n_nodes] of node_given, and by_name; what there was is freed.  Ports must be there. */
void fabric_show_names(struct fabric *f);

/* Free what names take: node_given, node_name and the look-ups. */
void fabric_free_names(struct fabric *f);

/* The port at the other end of a node's first cable, NO_ID = it has none. */
uint32_t node_hangs_on(const struct fabric *f, uint32_t node);

enum name_kind { NAMES_ANY, NAMES_SWITCHES, NAMES_HOSTS }; /* which nodes count; a router counts as a host */

/* How a text fits, worst first; only the nodes that it fits best count. */
enum name_rank {
	NAME_NONE,
	NAME_PART,	 /* anywhere */
	NAME_LABEL,	 /* beginning of what is shown */
	NAME_WORD_BEGIN, /* beginning of a word of the name */
	NAME_BEGIN,	 /* beginning of the name */
	NAME_WORDS,	 /* whole words of it */
	NAME_FIRST,	 /* whole words it begins with: "stage2" of "stage2 mlx4_0" */
	NAME_WHOLE,	 /* all that is shown */
};

/* Nodes that a text fits, by ascending shown name; free with name_hits_free(). */
struct name_hits {
	uint32_t *node;
	uint32_t n, cap;
	enum name_rank rank;
};
void name_hits_free(struct name_hits *h);

/*
 * Look for a text that is no pattern; fits worse than `least` do not count.  Anything but a part is found
 * in O(log n) and the number of hits; the first time an index of all words is made.  Threads may look at
 * the same time.
 */
void names_find(const struct fabric *f, const char *text, enum name_kind kind, enum name_rank least,
		struct name_hits *h);

/* Is it a text that stands for several: a glob or a list as Slurm writes it? */
bool is_name_pattern(const char *text);

/*
 * All whose given name a pattern fits: a glob (base/glob.h), a list of names (base/hostlist.h), or a list
 * of globs.  A name in a list means the nodes that it is all of, or whole words of.  -1 and *e: something
 * in it fits no node; then *h holds the others.
 */
int names_pattern(const struct fabric *f, const char *text, enum name_kind kind, struct name_hits *h,
		  struct err *e);

/*
 * Where many may stand: a whole name, a host's name, a pattern, or a name that fits one node best.  *many:
 * the text may stand for several.  -1 and *e: a pattern fits none, or a name several that are not one
 * host's.  0 with no hit at all: nothing is named so.
 */
int names_many(const struct fabric *f, const char *text, enum name_kind kind, struct name_hits *h, bool *many,
	       struct err *e);

/* Does a text fit any node, in one of these ways? */
bool names_fit(const struct fabric *f, const char *text);

/*
 * Is the text a host's name, and are all the hits its ports?  Hosts with several adapters have a node
 * for each, "luna-0200 mlx5_0": the host's name, a blank and one more word.
 */
bool name_hits_host(const struct fabric *f, const char *text, const struct name_hits *h);

/* Node whose shown name is the first len bytes of s; NO_ID: none, or several that differ in letter case. */
uint32_t node_named(const struct fabric *f, const char *s, size_t len);

/* "NAME[PORT]" taken apart: length of NAME, *port; 0 when there is no [PORT]. */
size_t name_before_port(const char *s, size_t len, unsigned *port);

/*
 * Names at the beginning of a text, each up to a blank, ';' or the end: shown names of nodes, with
 * or without [PORT].  Lengths, longest first; at most `most`.  Their number.
 */
unsigned names_at(const struct fabric *f, const char *text, size_t *len, unsigned most);

/* *e: the text fits these; some of them with what tells them apart.  -1. */
int names_ambiguous(const struct fabric *f, const char *text, const struct name_hits *h, struct err *e);

#endif
