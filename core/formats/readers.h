/*
 * Shared by the readers of this folder: reading of what all formats have in common, and the list of nodes and
 * cables for formats that name a cable at both ends.  Private to core/formats/.
 */
#ifndef IBSCOPE_FORMATS_READERS_H
#define IBSCOPE_FORMATS_READERS_H

#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/text.h"
#include "core/fabric/builder.h"

/* Does a text have such a line? */
bool any_line(const struct input *in, bool is(struct cursor line));

/* "4xHDR", "12xFDR10", "??FDR", "4x???". */
void parse_rate(struct cursor token, uint8_t *width, uint8_t *speed);

/* Speed of a lane: Gb/s, rounded ("25", "100") or exact ("25.78125"), or "FDR10"; else SPEED_UNKNOWN. */
enum link_speed lane_speed(struct cursor c);

/* Lines that mean nothing (prompts, messages of libraries), or that should and are left out. */
struct skipped {
	unsigned n, first;
	struct text list;
	char example[48];
};

struct unknown_lines {
	struct skipped unknown;
	struct skipped unread; /* they begin as lines of nodes, ports or cables */
	unsigned read;	       /* such lines that were understood; the reader counts them */
	char *why;	       /* "NAME:LINE: found ..., expected ..." of the first unread one, owned */
	bool cut;	       /* the text ends within a line that would be another unread one */
};

void unknown_line(struct unknown_lines *u, unsigned line, struct cursor text);
/* A line of a node, port or cable that is left out: a part of the fabric is missing. */
void unread_line(struct unknown_lines *u, const struct input *in, unsigned line, struct cursor text,
		 const char *expected);
/*
 * Does a line that is not understood have the form of one in a node's block, whatever its first character is:
 * a port in brackets at its beginning, the quoted id of a node, or a port behind a quoted name, KEY=0x..., or
 * TYPE PORTS "NAME"? Then it is no noise, even where it looks like a comment.
 */
bool like_block_line(struct cursor c);
/* Add the warnings and free.  -1 and *e: over a tenth of the lines of nodes, ports, cables was left out. */
int unknown_report(struct unknown_lines *u, struct warnings *w, struct err *e);
void unknown_free(struct unknown_lines *u);

/*
 * Add an error that ibdiagnet found, in its words, as a warning "FILE:LINE: TEXT". *n counts the errors of a
 * list: after the first few, one warning stands for the rest.  true: this error has a warning of its own.
 */
#define IBDIAGNET_ERROR "ibdiagnet error"
#define IBDIAGNET_BYTES 300 /* the most of a text */
bool ibdiagnet_error(struct warnings *w, const char *path, unsigned line, const char *text, uint32_t *n);

bool ends_with_newline(const struct input *in);
/*
 * Is the word of a speed at the very end of the text whole ("HDR")?  "FDR" may be the beginning of "FDR10",
 * where the text has that word.  SPEED_UNKNOWN is not whole.
 */
bool rate_word_is_whole(const struct input *in, enum link_speed speed);

/* A record that is cut off by the end of the text: a part of the fabric is missing. */
void cut_record(const struct input *in, unsigned line, struct warnings *w);

/* --- nodes and cables ---------------------------------------------------------- */

/* Add a node.  NO_ID and a warning: another one has its GUID.  line: 0, the format has none. */
uint32_t add_node(struct fabric_builder *b, enum node_type type, uint64_t guid, unsigned nports,
		  unsigned line);
/* Let a node have a port; a warning tells that it is above the number of ports that the file tells. */
void want_port(struct fabric_builder *b, uint32_t node, uint64_t port, unsigned line);
/* Cable two ports.  Oddities become warnings.  what: "row" or "line", which tells the cable. */
void add_cable(struct fabric_builder *b, const uint32_t node[2], const uint64_t port[2], const char *what,
	       unsigned line);

/* One line `[port] "peer"[peer_port]`. */
struct wire {
	uint32_t node;	    /* builder index */
	uint32_t peer;	    /* name id */
	uint64_t peer_guid; /* port GUID of the other end, 0 = not told */
	unsigned line;
	uint16_t peer_lid; /* LID of the other end as told here, 0 = not told */
	uint8_t port, peer_port;
	bool linked;
};

/* The node that a name in quotes stands for. */
struct net_name {
	uint32_t text; /* offset in net.chars */
	uint32_t len;
	uint32_t node; /* builder index, NO_ID = unknown so far */
	uint8_t port;  /* of an alias of a port, else 0 */
};

struct net {
	const char *source;
	struct fabric_builder *b;
	struct net_name *name;
	uint32_t n_names, cap_names;
	uint32_t *hash;
	uint32_t hash_size;
	struct text chars;
	struct wire *wire;
	uint32_t n_wires, cap_wires;
	uint32_t *first; /* [n + 1] where a node's ports begin in at[]; after net_link() */
	uint32_t *at;	 /* wire of a port, NO_ID = has no line */
	struct unknown_lines unknown;
	bool listed; /* each end of a cable has a line in a whole file: one without makes the fabric
			incomplete */
};

void net_init(struct net *n, const char *source);
void net_free(struct net *n);				     /* with the builder, if it is still there */
uint32_t net_name(struct net *n, const char *s, size_t len); /* id of a name */
void net_wire(struct net *n, const struct wire *w);
/*
 * Add a node under a name.  GUID and name must be new; otherwise a warning and NO_ID.  With more than
 * MAX_PORTS ports: -1 in *status and *e.
 */
uint32_t net_node(struct net *n, enum node_type type, uint64_t guid, uint64_t nports, struct cursor name,
		  unsigned line, int *status, struct err *e);
/* Cable everything; oddities become warnings. */
void net_link(struct net *n);
/* The subnet manager runs on the first node that has an endport: a guess. */
void net_guess_sm(struct net *n);
/* Make the fabric; n is freed either way. */
int net_finish(struct net *n, const char *format, struct fabric **out, struct err *e);

/* --- readers, one a format -------------------------------------------------------- */

int parse_ibnetdiscover(const struct input *in, struct fabric **out, struct err *e);
int parse_ibsim(const struct input *in, struct fabric **out, struct err *e);
int parse_cache(const struct input *in, struct fabric **out, struct err *e);
int parse_subnet_lst(const struct input *in, struct fabric **out, struct err *e);
int parse_db_csv(const struct input *in, struct fabric **out, struct err *e);
int parse_net_dump(const struct input *in, struct fabric **out, struct err *e);	 /* and .net_dump_ext */
int parse_linkinfo(const struct input *in, struct fabric **out, struct err *e);	 /* iblinkinfo */
int parse_port_list(const struct input *in, struct fabric **out, struct err *e); /* ibnetdiscover -p */
int parse_edges(const struct input *in, struct fabric **out, struct err *e);	 /* written by hand */
int parse_topo(const struct input *in, struct fabric **out, struct err *e);
/* The same with types of systems that are already known. where: the folders of these, for messages. */
struct ibnl_library;
int topo_with_types(const struct input *in, struct ibnl_library *l, const char *where, struct fabric **out,
		    struct err *e);

/* A folder of ibdiagnet's or OpenSM's dumps: cables, LIDs, tables. */
int load_folder(const char *path, struct fabric **out, struct progress *p, struct err *e);

bool is_folder(const char *path);
bool is_cache(const struct input *in);
bool is_subnet_lst(const struct input *in);
bool is_db_csv(const struct input *in);
bool is_topo(const struct input *in);
bool is_net_dump(const struct input *in);
bool is_linkinfo(const struct input *in);
bool is_port_list(const struct input *in);

/* Almost anything may look like an edge list. */
enum likeness { NOT_LIKE_THAT, LIKE_THAT, LIKE_NOTHING_ELSE };
enum likeness edges_likeness(const struct input *in);

/* The GUID in an id such as S-0008f10400410015. */
bool id_guid(struct cursor id, uint64_t *guid);

/* `Switch`, `Ca`, `Hca`, `Rt` at the start of a line; 0 = none of these.  The word found is taken from c. */
enum node_type cur_node_type(struct cursor *c);

#endif
