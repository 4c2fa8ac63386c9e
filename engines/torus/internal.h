/* Between the files of the torus engine. */
#ifndef IBSCOPE_TORUS_INTERNAL_H
#define IBSCOPE_TORUS_INTERNAL_H

#include "engines/torus/torus.h"

/* One run. */
struct torus_run {
	struct torus *t;
	const struct engine_input *in;
	struct engine_output *out;
	/*
	 * Links between switches that are not in the torus yet.  Of a switch:
	 * port[base[sw]] .. port[base[sw + 1] - 1], port numbers ascending;
	 * placed ones drop out.
	 */
	uint32_t *base, *end; /* [n_switches + 1], [n_switches] */
	uint8_t *port;
	uint32_t *peer; /* port id at the other end, beside port[] */
	uint32_t n_switch_links, n_end_links, n_cas;
};

/* The steps of a run, each -1 when it refuses (out->refused says why) or was cancelled. */
void torus_survey(struct torus_run *r);	 /* find.c: counts and links of the fabric, before all others */
int torus_verify(struct torus_run *r);	 /* verify.c: configuration against fabric; chooses the seed */
int torus_discover(struct torus_run *r); /* find.c: places switches and links */
int torus_check(struct torus_run *r);	 /* rings.c: missing switches and broken rings */
int torus_span(struct torus_run *r);	 /* tree.c: the master spanning tree */
int torus_fill(struct torus_run *r, struct routing *routing); /* tables.c */

/* Attempts to fill corner `target` of a cell, shapes.c. */
struct torus_attempt {
	bool perpendicular; /* else the fourth corner of a face */
	uint8_t target;
	uint8_t n;
	uint8_t corner[3];
};

/* Those for a cell with these empty corners (engines/doc/torus-2qos.md 5.4, 5.5); at most 4, in order. */
unsigned torus_attempts(unsigned fingerprint, struct torus_attempt a[4]);

/* Ends of the end points' lists (after discovery), by port order. */
void torus_list_ends(struct torus_run *r);

/* show.c */
void torus_decide_pair(const struct routing *r, unsigned slid, unsigned dlid, struct decided *d);
void torus_explain_pair(const struct routing *r, unsigned slid, unsigned dlid, struct text *t,
			struct progress *p);
void torus_explain_layers(const struct routing *r, struct text *t);
int torus_write_extra(const struct routing *r, const char *what, FILE *f);
void torus_why_text(const struct torus *t, uint32_t a, uint32_t b, struct torus_step s, struct text *x);

/* Name of a member's switch. */
static inline const char *torus_name(const struct torus *t, uint32_t m)
{
	return switch_name(t->topo->fabric, t->member[m].sw);
}

static inline unsigned torus_shift(const struct torus *t, unsigned d, unsigned c, int by)
{
	unsigned radix = t->conf.radix[d];

	return (unsigned)(((long)c + by + 2L * radix) % radix);
}

#endif
