/*
 * What OpenSM wrote into its log: errors, links that went down, sweeps, engines that routed or refused.  Logs
 * of 3.3.x and of NVIDIA's 5.x; form: core/formats/doc/formats.md 4.11.
 */
#ifndef IBSCOPE_OPENSM_LOG_H
#define IBSCOPE_OPENSM_LOG_H

#include "core/base/json.h"
#include "core/fabric/fabric.h"
#include "core/routing/routing.h"

enum logged_kind {
	LOGGED_ERROR,	/* word: the code ("5411"), or "trap129" for a notice about a fault */
	LOGGED_DOWN,	/* the link of a port went down */
	LOGGED_GONE,	/* a port was gone, the only one at that sweep; guid is the port's */
	LOGGED_CHANGE,	/* a link between the switches lid and other_lid changed; down and up each count */
	LOGGED_ENGINE,	/* word: the engine that routed */
	LOGGED_REFUSED, /* word: the engine that refused; text: what the log says before */
	LOGGED_WANTED,	/* word: the first engine that the manager was started with */
	LOGGED_SWEEP,	/* word: "up" (succeeded), "failed", "heavy" or "light" (begun) */
	LOGGED_STATE,	/* word: "MASTER", "STANDBY", ..., "exited" */
	LOGGED_SEEN,	/* guid: a port that the log names otherwise */
};

#define LOG_TIME 16 /* "Nov 29 10:00:00": the log tells no year */
#define LOG_WORD 24
#define LOG_PATH 40

/* All entries of one kind, word and place.  0 and "": not told. */
struct logged {
	uint8_t kind, port;
	uint16_t lid, other_lid;
	uint64_t guid;			     /* of a node or a port */
	char word[LOG_WORD], path[LOG_PATH]; /* path: directed, "0,1,6" */
	uint32_t count, first_line, last_line;
	char first[LOG_TIME], last[LOG_TIME];
	char *text; /* of the last one, clean, owned; NULL where the kind has none */
};

struct opensm_log {
	struct counted counted;
	char *source;
	uint32_t entries; /* lines with a time */
	uint64_t sm_guid; /* port of the manager */
	char first[LOG_TIME], last[LOG_TIME];
	struct logged *group; /* [n] by kind, word, place */
	size_t n, cap;
};

/* Reads a log; compressed ones are unpacked.  It has one reference.  NULL and *e: it is no log. */
struct opensm_log *opensm_log_load(const char *path, struct progress *p, struct err *e);
struct opensm_log *opensm_log_parse(const struct input *in, struct err *e);
void opensm_log_unref(struct opensm_log *log); /* NULL is fine */
/* The latest group of a kind and word (NULL: any), or NULL.  *count (may be NULL): the number of entries. */
const struct logged *opensm_log_last(const struct opensm_log *log, enum logged_kind kind, const char *word,
				     uint32_t *count);

/* A log beside a fabric. */
struct log_join {
	const struct opensm_log *log;
	const struct fabric *f;
	uint32_t *owner;	/* lid_owners() */
	uint32_t named, absent; /* groups that name a GUID, and how many of these the fabric lacks */
	bool strange;		/* it is another fabric's log, as the fabric lacks most of these */
	struct log_cable {
		uint32_t flaps;	 /* how often its link went down */
		uint32_t one_of; /* parallel cables of which it was one, not told which; 1: this one */
		bool other;	 /* it is one of these, and not the first */
		const struct logged *first, *last; /* groups with its first and last flap */
	} * cable;				   /* [n_links] */
};

/* l: LIDs in force; NULL: the source's.  Log and fabric must outlive it; the arena owns it. */
struct log_join *log_join_new(void *arena, const struct opensm_log *log, const struct fabric *f,
			      const struct lids *l);

/* All errors of one code. */
struct log_fault {
	const char *code;
	uint32_t count;
	const char *first, *last;   /* times */
	bool old;		    /* a sweep has succeeded since the last one */
	bool told;		    /* another code of the log, or an engine's refusal, tells the same */
	const char *brief;	    /* a few words; of a code that is not known, the log's own */
	const char *means, *remedy; /* sentences; NULL: not known */
	const char *severity;	    /* "error": traffic is lost; "warning"; "note" */
	const char *places;	    /* the first three; NULL: none is told */
	uint32_t node, port;	    /* the first of them; NO_ID: none */
};
extern const struct field log_fault_fields[];

/* The errors, the last one empty, in the arena.  NULL and *e: the program's words are broken. */
struct log_fault *log_faults(void *arena, const struct log_join *j, struct err *e);

#endif
