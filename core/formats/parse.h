/*
 * What the readers of this folder share: reading text from left to right, and
 * the list of nodes and cables of the formats that name a cable at both ends.
 * Private to core/formats/.
 */
#ifndef IBSCOPE_FORMATS_PARSE_H
#define IBSCOPE_FORMATS_PARSE_H

#include "core/fabric.h"

/* Content of a file; name is for messages.  Not NUL-terminated. */
struct input {
	const char *name, *data;
	size_t size;
};

/* Whole content of a file (or pipe) in a new buffer; -1 and *e when it cannot be read. */
int read_file(const char *path, char **data, size_t *size, struct err *e);

/* --- text ------------------------------------------------------------------- */

/* Text still to be read: [p, end). */
struct cursor {
	const char *p, *end;
};

/* Lines of a text, without their line ends (LF, CR LF, CR CR LF). */
struct lines {
	const char *p, *end;
	unsigned no; /* number of the line given last, from 1 */
};

bool lines_next(struct lines *l, struct cursor *line);

static inline bool cur_empty(const struct cursor *c)
{
	return c->p >= c->end;
}

void cur_blanks(struct cursor *c);		   /* skip white space */
bool cur_char(struct cursor *c, char ch);	   /* skip white space, then `ch`; false: nothing taken */
bool cur_word(struct cursor *c, const char *word); /* the same for a word; letters may follow it */
/* Skip white space, then a number (base 10 or 16; 0: 0x = 16, else 10); too large ones become UINT64_MAX. */
bool cur_number(struct cursor *c, unsigned base, uint64_t *v);
bool cur_quoted(struct cursor *c,
		struct cursor *inside); /* skip white space, then "..."; the first closing quote */
const char *cur_find(const struct cursor *c, const char *text); /* first occurrence, NULL */
const char *cur_find_last(const struct cursor *c, char ch);	/* last occurrence, NULL */

/* A new string of at most max bytes; bytes that cannot be printed become blanks, as in infiniband-diags and
 * OpenSM. */
char *clean_text(const char *s, size_t len, size_t max);

/* Description of a node: what NodeDescription holds, 63 bytes as OpenSM 3.3.23 shows it. */
#define DESC_MAX 63

/* "4xHDR", "12xFDR10", "??FDR", "4x???". */
void parse_rate(struct cursor token, uint8_t *width, uint8_t *speed);

/* The first bytes of something unexpected, cleaned and cut, for messages; buf is returned. */
const char *excerpt(struct cursor c, char *buf, size_t size);

/* Lines that mean nothing, gathered into one warning. */
struct unknown_lines {
	unsigned n, first;
	struct text list;
	char example[48];
};

void unknown_line(struct unknown_lines *u, unsigned line, struct cursor text);
void unknown_report(struct unknown_lines *u, struct warnings *w); /* adds the warning and frees */

/* --- nodes and cables ---------------------------------------------------------- */

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

/* What a name in quotes stands for. */
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
};

void net_init(struct net *n, const char *source);
void net_free(struct net *n);				     /* with the builder, if it is still there */
uint32_t net_name(struct net *n, const char *s, size_t len); /* id of a name */
void net_wire(struct net *n, const struct wire *w);
/*
 * Add a node under a name; GUID and name must be new, otherwise a warning and
 * NO_ID.  -1 in *status and *e when it has more than MAX_PORTS ports.
 */
uint32_t net_node(struct net *n, enum node_type type, uint64_t guid, uint64_t nports, struct cursor name,
		  unsigned line, int *status, struct err *e);
/* Cable everything; oddities become warnings. */
void net_link(struct net *n);
/* Make the fabric; n is freed either way. */
int net_finish(struct net *n, const char *format, struct fabric **out, struct err *e);

/* --- readers, one a format -------------------------------------------------------- */

int parse_ibnetdiscover(const struct input *in, struct fabric **out, struct err *e);
int parse_ibsim(const struct input *in, struct fabric **out, struct err *e);
int parse_cache(const struct input *in, struct fabric **out, struct err *e);
int parse_subnet_lst(const struct input *in, struct fabric **out, struct err *e);

bool is_cache(const struct input *in);
bool is_subnet_lst(const struct input *in);

/* `Switch`, `Ca`, `Hca`, `Rt` at the start of a line; 0 = none.  Taken from c when found. */
enum node_type cur_node_type(struct cursor *c);

#endif
