/*
 * How nodes are named and found by name.
 *
 * A node is given a name by its source (NodeDescription) or a node-name-map; the shown name (node_name) is
 * that name if it alone leads back to the node.  Else it is a short name, by the first of these that no other
 * node has:
 *
 *   "IS5600-3/L34"                     its place in a chassis the source tells; chassis by their lowest GUID
 *   "IS5600-3/L34/U1"                  with the chip
 *   "Quantum-2 …8a5c00"                the given name without words of makers, and the end of the GUID
 *   "Quantum-2 (0xfc6a1c03008a5c00)"   the same with the whole GUID
 *
 * So a shown name always is a word that finds its node.  It depends on given names and GUIDs alone: another
 * order of the source, or other cables, change nothing.
 *
 * Words of a name are runs of letters and digits.  Letter case is ignored, except between two names that
 * differ in nothing else.
 */
#ifndef IBSCOPE_NAMES_H
#define IBSCOPE_NAMES_H

#include "core/fabric/fabric.h"

#define NAME_TAIL "…" /* precedes the end of a GUID */

/* Makes node_name [n_nodes] from node_given, by_name and longest_name.  Frees earlier names. */
void fabric_show_names(struct fabric *f);

void names_sort(struct fabric *f); /* makes by_name from node_name */

/* Frees everything about names: node_given, node_name and the look-ups. */
void fabric_free_names(struct fabric *f);

/*
 * Looks for a word among names: the name itself, else those that begin with it or match it as a pattern.
 * Returns the first, or NO_ID; *found is their number, 1 for the name itself.
 */
uint32_t names_in_list(char *const *name, uint32_t n, const char *word, uint32_t *found);

/* The port at the other end of a node's first cable; NO_ID: it has none. */
uint32_t node_hangs_on(const struct fabric *f, uint32_t node);

enum name_kind { NAMES_ANY, NAMES_SWITCHES, NAMES_HOSTS }; /* which nodes count; a router counts as a host */

/* How well a text fits, worst first.  Only the nodes that fit best count. */
enum name_rank {
	NAME_NONE,
	NAME_PART,	 /* anywhere */
	NAME_LABEL,	 /* beginning of what is shown */
	NAME_WORD_BEGIN, /* beginning of a word of the name */
	NAME_BEGIN,	 /* beginning of the name */
	NAME_WORDS,	 /* whole words of the name */
	NAME_FIRST,	 /* the whole words that begin the name: "stage2" of "stage2 mlx4_0" */
	NAME_WHOLE,	 /* all that is shown */
};

/* The nodes that a text fits, by ascending displayed name.  Free with name_hits_free(). */
struct name_hits {
	uint32_t *node;
	uint32_t n, cap;
	enum name_rank rank;
};
void name_hits_free(struct name_hits *h);

/*
 * Finds the nodes that fit a text, which is not a pattern.  Fits worse than `least` are ignored.  Everything
 * but a part of a name is found in O(log n) and the number of hits; the first call makes an index of all
 * words.  Threads may search at the same time.
 */
void names_find(const struct fabric *f, const char *text, enum name_kind kind, enum name_rank least,
		struct name_hits *h);

/* May the text mean several nodes, because it is a glob or a list as Slurm writes it? */
bool is_name_pattern(const char *text);

/*
 * Finds all nodes whose given names fit a pattern.  A pattern is a glob (base/text.h), a list of names
 * (base/hostlist.h), or a list of globs.  A name in a list must be a whole name or whole words of it.  -1 and
 * *e: an element fits no node; then *h holds the nodes of the others.
 */
int names_pattern(const struct fabric *f, const char *text, enum name_kind kind, struct name_hits *h,
		  struct err *e);

/*
 * Finds nodes where the text may mean many: a whole name, a host's name, a pattern, or a name that fits one
 * node best.  *many says that it may mean several.  Returns -1 and *e when it names a port (names_port()),
 * when a pattern fits no node, or when a name fits several nodes that are not on one host.  Returns 0 without
 * hits when nothing has such a name.
 */
int names_many(const struct fabric *f, const char *text, enum name_kind kind, struct name_hits *h, bool *many,
	       struct err *e);

/* Does a text fit any node in one of these ways? */
bool names_fit(const struct fabric *f, const char *text);

/*
 * Is the text a host's name, and do all hits belong to that host?  A host with several adapters has a node
 * for each, "luna-0200 mlx5_0": the host's name, a blank and one more word.
 */
bool name_hits_host(const struct fabric *f, const char *text, const struct name_hits *h);

/* The node whose displayed name is the first len bytes of s.  NO_ID when there is none, or several that
 * differ in case. */
uint32_t node_named(const struct fabric *f, const char *s, size_t len);

/*
 * Can a text of len bytes be the PORT in NODE[PORT]?  It must be a number up to 255, a label of the fabric or
 * any text with a '/', as most labels have, or both: "63 1/32/1".
 */
bool is_port_text(const struct fabric *f, const char *s, size_t len);

/* Returns the length of NAME in "NAME[PORT]", or 0 when there is no [PORT]. */
size_t name_before_port(const struct fabric *f, const char *s, size_t len);

/*
 * Is the text NODE[PORT] with a node's displayed name, as ports are printed?  Then all commands and lists
 * take it for that port, even if the node lacks it, and never for the nodes that it fits as a pattern: with
 * sw1 and sw12, "sw1[2]" is port 2 of sw1.  The order is: whole name of a node, port, pattern.
 */
bool names_port(const struct fabric *f, const char *text, size_t len);

/*
 * The port of a node that such a text means, 0 to 255; the node need not have a port of that number.  NO_PORT
 * when none of its ports, or more than one, has the label.
 */
#define NO_PORT 256u
unsigned port_in_brackets(const struct fabric *f, uint32_t node, const char *s, size_t len);

/*
 * Finds displayed names of nodes at the beginning of a text, with or without [PORT]; each ends at a blank,
 * ';' or the end.  A name followed by the end of a GUID is not complete.  Stores at most `most` lengths,
 * longest first.  Returns their number.
 */
unsigned names_at(const struct fabric *f, const char *text, size_t *len, unsigned most);

/* Names that people see: one spelling for all commands and panes. */

/* An endport: its node's name, with [port] when the node has several endports.  buf is returned. */
const char *endport_label(const struct fabric *f, uint32_t ep, char *buf, size_t size);

/* The same, and ports as fabric.h names them, in buffers that last to the end of the block, for use as
 * arguments. */
#define ENDPORT_LABEL(f, ep) endport_label(f, ep, (char[300]){0}, 300)
#define PORT_LABEL(f, port) port_label(f, port, (char[300]){0}, 300)
#define EXIT_NUMBER(f, sw, port) exit_number(f, sw, port, (char[PORT_NUMBER_MAX + 1]){0}, PORT_NUMBER_MAX + 1)

/* The port in an entry of a forwarding table: its number, or "-" for NO_PATH.  Returns buf or a static
 * text. */
const char *lft_port_label(unsigned port, char *buf, size_t size);

#endif
