/*
 * Shared by the readers of this folder: reading of what all formats have in common, and the list of nodes and
 * cables for formats that name a cable at both ends.  Private to core/formats/.
 */
#ifndef IBSCOPE_READERS_H
#define IBSCOPE_READERS_H

#include <stdio.h>

#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/builder.h"
#include "core/fabric/fabric.h"
#include "core/fabric/state.h"
#include "core/routing/routing.h"
#include "core/sm/sweep.h"

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
	/* A peer without a record becomes a node that was not seen, if its type is told. */
	uint8_t peer_type;	 /* enum node_type; 0: no node is made */
	uint64_t peer_node_guid; /* 0: one is made up */
	struct cursor peer_desc; /* points into the input */
};

/* The node that a name in quotes stands for. */
struct net_name {
	uint32_t text; /* offset in net.chars */
	uint32_t len;
	uint32_t node; /* builder index, NO_ID = unknown so far */
	uint8_t port;  /* of an alias of a port, else 0 */
	bool shared;   /* several nodes may have it: it stands for none */
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

/* A GUID that no node has yet, for one whose GUID is not told: of its LID (0: not told either). */
uint64_t net_made_guid(const struct fabric_builder *b, uint64_t lid);
void net_init(struct net *n, const char *source);
void net_free(struct net *n);				     /* with the builder, if it is still there */
uint32_t net_name(struct net *n, const char *s, size_t len); /* id of a name */
void net_wire(struct net *n, const struct wire *w);
/* -1 and *e: a node with so many ports, more than MAX_PORTS, cannot be added. */
int net_take_ports(const struct net *n, enum node_type type, uint64_t nports, unsigned line, struct err *e);
/* Add a node under a name.  GUID and name must be new; otherwise a warning and NO_ID. */
uint32_t net_node(struct net *n, enum node_type type, uint64_t guid, uint64_t nports, struct cursor name,
		  unsigned line);
/* Cable everything; oddities become warnings. */
void net_link(struct net *n);
/* The subnet manager runs on the first node that has an endport: a guess. */
void net_guess_sm(struct net *n);
/* Make the fabric; n is freed either way. */
int net_finish(struct net *n, const char *format, struct fabric **out, struct err *e);

/* --- readers, one a format -------------------------------------------------------- */

int parse_ibnetdiscover(const struct input *in, struct fabric **out, struct err *e);
int parse_ibsim(const struct input *in, struct fabric **out, struct err *e);
int parse_ibsim_dump(const struct input *in, struct fabric **out, struct err *e); /* with its tables */
int parse_netloc(const struct input *in, struct fabric **out, struct err *e);	  /* -nodes.ndat */
int parse_ned(const struct input *in, struct fabric **out, struct err *e);	  /* OMNeT++ */
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

/*
 * Adds the P_Keys of ports, in order: from ibdiagnet's list of partitions (.pkey), or from `smpquery pkeys
 * LID` with this line above each table.  -1 and *e: m stays.
 */
int pkey_file_parse(const struct input *in, const struct fabric *f, struct managers *m, struct err *e);
bool is_pkey_file(const struct input *in);

bool is_folder(const char *path);
bool is_ibsim_dump(const struct input *in);
bool is_netloc(const struct input *in);
bool is_ned(const struct input *in);
bool is_cache(const struct input *in);
bool is_subnet_lst(const struct input *in);
bool is_db_csv(const struct input *in);
bool is_topo(const struct input *in);
bool is_net_dump(const struct input *in);
bool is_linkinfo(const struct input *in);
bool is_port_list(const struct input *in);

/* Lines that ibsim's console prints (dump) of a node, and of one of its ports.  false: another line. */
struct ibsim_shown {
	enum node_type type;
	uint64_t ports, guid, sysguid;
	struct cursor id; /* points into the line */
};
struct ibsim_shown_port {
	uint64_t port, guid;
	uint64_t peer_port, lid, lmc; /* 0: not shown */
	struct cursor peer;	      /* points into the line; empty: no cable */
	uint8_t width, speed, state;
};
bool ibsim_shown_node(struct cursor line, struct ibsim_shown *n);
bool ibsim_shown_port(struct cursor line, struct ibsim_shown_port *p);

/* Almost anything may look like an edge list. */
enum likeness { NOT_LIKE_THAT, LIKE_THAT, LIKE_NOTHING_ELSE };
enum likeness edges_likeness(const struct input *in);

/* The comment, behind "# ", before a node that only its neighbours named. */
#define NOT_SEEN "Not seen: "

/* The GUID in an id such as S-0008f10400410015. */
bool id_guid(struct cursor id, uint64_t *guid);
enum node_type id_type(struct cursor id); /* by its letter; 0: it has none */
/* Is it `switchguid=` or its like with something else than a number, as people hide GUIDs
 * ("0x9c05<redacted>")? */
bool hides_guid(struct cursor line);

/* `Switch`, `Ca`, `Hca`, `Rt` at the start of a line; 0 = none of these.  The word found is taken from c. */
enum node_type cur_node_type(struct cursor *c);

/* The kind of a file that was given in place of another kind, for messages. */

/* Static texts: a file `is` this, and `use` tells which command takes it; "": none does. */
struct file_kind {
	const char *is, *use;
	bool fabric; /* it looks like one, whether it can be read or not */
};

/*
 * The kind of a text by its lines.  Known are fabrics, options, and some forty kinds of files of InfiniBand's
 * tools, Slurm and benchmarks.  false: an unknown kind, or a text without content.
 */
bool file_kind(const struct input *in, struct file_kind *k);

/*
 * Fabrics from rows: formats in which each line tells one port and what it is cabled to (net_dump,
 * net_dump_ext, iblinkinfo, ibnetdiscover -p).  Private to core/formats/.
 */

/* One end of a cable; 0 and empty cursors: not told. */
struct row_end {
	enum node_type type;
	uint64_t guid; /* of a switch; of a channel adapter's or router's port */
	uint64_t lid, port;
	struct cursor name, label; /* label: of the port; point into the input */
};

struct row {
	struct row_end own, peer;
	unsigned line;	/* of the file */
	unsigned group; /* rows of one node have its line; 0: not told */
	uint8_t width, speed, state;
	uint8_t widths; /* the best that the link could be (fabric.h); 0: not told */
	uint16_t speeds;
	bool cabled;
	bool ended; /* the line has what its tool writes at the end of each */
};

struct rows {
	const struct input *in;
	struct lines lines;
	struct row *row;
	uint32_t n, cap;
	bool hosts; /* channel adapters have rows of their own; false: only rows of switches name them */
	struct unknown_lines unknown;
};

void rows_init(struct rows *r, const struct input *in);
/* Add a row.  false: no node, or impossible numbers (port 0 or above MAX_PORTS, LID above 65535). */
bool rows_add(struct rows *r, const struct row *row);
/*
 * Make the fabric of the rows, which are freed.  untold: what the format never tells, for fabric.untold.
 * Ports of switches without a row, cables told at one end and peers without a row make it incomplete.
 */
int rows_finish(struct rows *r, const char *format, const char *untold, struct fabric **out, struct err *e);

/* "Active", "ACT", "INI", "Armed", "Down", "DOWN", ...: PORT_UNKNOWN for others. */
enum port_state state_word(struct cursor c);

/* Fabrics in files.  A reader makes a fabric of the whole content; the content shows its format. */

/* Files of ibsim that include each other: the depth, and the number in all, since they multiply. */
#define IBSIM_INCLUDE_DEPTH 9
#define IBSIM_INCLUDE_FILES 1000

/* Boards of ibdm's .topo files multiply: chips in all, and the depth of boards. */
#define TOPO_CHIPS 100000
#define TOPO_BOARD_DEPTH 8

/*
 * Load a saved fabric of any known format: ibnetdiscover text (all variants, -g and -f included), ibsim net
 * file, libibnetdisc cache, opensm-subnet.lst / ibdiagnet .lst, ibdiagnet's db_csv / opensm-smdb.dump, ibdm's
 * .topo, ibdiagnet's .net_dump and .net_dump_ext, what iblinkinfo and `ibnetdiscover -p` print; an edge list;
 * a folder of ibdiagnet's or OpenSM's dumps, with the tables in it ((*out)->switch_tables); "-" is standard
 * input. Compressed files are unpacked.  Oddities that do not stop the reading become fabric->warnings.  -1
 * and *e
 * ("FILE:LINE: found ..., expected ...") otherwise.
 */
int fabric_load(const char *path, struct fabric **out, struct progress *p, struct err *e);

/* The same from memory; name is for messages (fuzz targets, tests). */
int fabric_parse(const char *name, const char *data, size_t size, struct fabric **out, struct err *e);

/* node-name-map file: `0x<guid> "name"` per line; -1 and *e: unreadable.  Odd lines become warnings. */
int name_map_load(const char *path, struct name_map *m, struct warnings *w, struct progress *p,
		  struct err *e);
/* The same from memory; name is for messages. */
void name_map_parse(const char *name, const char *data, size_t size, struct name_map *m, struct warnings *w);
void name_map_free(struct name_map *m);

/*
 * Writers; -1 when the stream fails or p (may be NULL) is cancelled.  `up`: only what is reached is written
 * (NULL: everything).  `lids` replaces the LIDs of the source (NULL: they stay).
 */
int write_ibnetdiscover(FILE *f, const struct fabric *fb, const struct topo *up, const struct lids *lids,
			struct progress *p);
/*
 * The same as an edge list, which is short, in *t (free it in any case).  -1 and *e also when one that is
 * read back would be another fabric than ibnetdiscover text: names that are not unique, labels of ports.
 */
int edges_text(const struct fabric *fb, const struct topo *up, const struct lids *lids, struct progress *p,
	       struct text *t, struct err *e);
/*
 * ibnetdiscover text with nodes by ascending GUID and LIDs of the source, without what depends on who read
 * it: the same bytes for every reading of a fabric.  -1 and *e also when it does not give the fabric again.
 */
int canonical_text(const struct fabric *fb, const struct topo *up, struct progress *p, struct text *t,
		   struct err *e);
/*
 * What is reached, in the form that ibsim simulates: nodes named by simulated_id(), the source's LIDs, speeds
 * that ibsim knows, and no names.
 */
int write_simulated(FILE *f, const struct topo *up, struct progress *p);
#define SIMULATED_ID 20
const char *simulated_id(const struct fabric *f, uint32_t node, char id[SIMULATED_ID]);
/*
 * Slurm's topology.conf (topology/tree), or topology.yaml.  Each switch with hosts gets a line.  Above these,
 * all switches that join the same hosts share one line.  A host is the beginning of its ports' names, up to a
 * blank.  If a host has several ports, the one with the first name counts.  *notes gets lines on what could
 * not be written unchanged.
 */
int write_slurm(FILE *f, const struct topo *up, bool yaml, struct text *notes, struct progress *p);
/* The lines of a node up to its id and a tab, in ibnetdiscover's form. */
void write_node_head(FILE *f, const struct fabric *fb, uint32_t node);
/* Of a stream at the end: 0, or -1 when something was not written. */
int write_status(FILE *f);
/* opensm-lfts.dump, byte for byte as OpenSM 3.3.23 writes it. */
int write_lfts(FILE *f, const struct routing *r, struct progress *p);
/* opensm.fdbs, for ibdmchk. */
int write_fdbs(FILE *f, const struct routing *r, struct progress *p);
/* Bytes that write_fdbs() and write_paths() need while they run: hops between all switches, of all LIDs. */
size_t write_fdbs_room(const struct routing *r);
size_t write_paths_room(const struct routing *r);
/* opensm-subnet.lst. */
int write_subnet(FILE *f, const struct routing *r, struct progress *p);
/* Lines "SLID DLID SL HOPS" (design, `export paths`). */
int write_paths(FILE *f, const struct routing *r, struct progress *p);

/* The fabric as a graph with an edge for each cable, for programs that read tables and graphs. */

/* A table of cables; GraphML; JSON of NetworkX (node_link_graph()); DOT of Graphviz. */
enum graph_form { GRAPH_CSV, GRAPH_GRAPHML, GRAPH_NODE_LINK, GRAPH_DOT };

struct graph_of {
	const struct fabric *fabric;
	const struct state *state;
	const struct lids *lids; /* NULL: those of the source */
	const uint32_t *load;	 /* [n_ports] routes that leave through the port; NULL: no routing */
	const char *engine;	 /* whose routes these are */
	bool safe;		 /* csv: cells that look like formulas are marked as text (csv.h) */
};

/*
 * Nodes are named by GUID, since names need not be the same tomorrow.  What is not known is left out (csv: an
 * empty field).  graphml and node-link tell `complete` and `missing`.  -1: the stream failed, or p was
 * cancelled.
 */
int write_graph(FILE *f, enum graph_form form, const struct graph_of *of, const struct warnings *missing,
		struct progress *p);

#endif
