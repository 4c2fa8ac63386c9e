/*
 * What benchmarks say of pairs of hosts: a matrix, hp2p's report, logs of nccl-tests, perftest or the
 * OSU benchmarks one after the other, rows `A,B[,VALUE]`.  The files: core/formats/doc/formats.md 11.1.
 */
#ifndef IBSCOPE_PAIR_RESULTS_H
#define IBSCOPE_PAIR_RESULTS_H

#include "core/base/cursor.h"
#include "core/base/err.h"

enum pair_said { PAIR_VALUE, PAIR_GOOD, PAIR_BAD };

struct pair_result {
	uint32_t a, b;	/* names: A sends to B */
	double value;	/* of PAIR_VALUE */
	uint8_t said;	/* enum pair_said; a row without a value says that the pair is bad */
	uint8_t joined; /* it was measured together with the row before: both have one value */
};

struct pair_results {
	char **name; /* each once, owned */
	uint32_t n_names, cap_names;
	uint32_t *slot; /* hash table of names, place and 1 */
	uint32_t n_slots;
	struct pair_result *pair;
	size_t n, cap;
	const char *format; /* "matrix", "hp2p", "nccl-tests", "perftest", "osu", "rows"; static */
	bool less;	    /* less is better: times */
	bool undirected;    /* A and B sent to each other */
};

#define PAIR_RESULTS_MOST 20000000

/* Compressed files are unpacked.  Free in either case.  -1 and *e: "NAME:LINE: found ..., expected ...". */
int pair_results_load(const char *path, struct pair_results *p, struct progress *pr, struct err *e);
int pair_results_parse(const struct input *in, struct pair_results *p, struct err *e);
void pair_results_free(struct pair_results *p);

#endif
