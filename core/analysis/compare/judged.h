/*
 * What a judgement is about.  One rule holds for all judgements: tables that the switches hold take
 * precedence over computed ones.
 *
 * Where they are at hand (from a folder, `tables FILE|live`, `live tables`, -L), a file of options gives
 * options only.  Whoever wants computed tables says so by `route` or -R.  Then each judgement tells that in
 * its first line, and counts the entries that differ from the held ones; `tables held` goes back to these.
 *
 * `drift` compares what is held, so it judges held tables wherever they are at hand.
 */
#ifndef IBSCOPE_JUDGED_H
#define IBSCOPE_JUDGED_H

#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/sm/sweep.h"

struct judged {
	const struct sweep *sweep; /* whose tables are judged; borrowed; its routing may be NULL */
	bool held;		   /* the switches hold these tables; false: an engine computed them */
	const struct switch_tables *at_hand; /* what the switches hold; borrowed; NULL: it was not read */
	uint64_t n_differ; /* for computed tables: entries that differ from those at hand; 0 when there are
			      none at hand */
	uint64_t n_held;   /* entries at hand, when the tables are computed */
	bool untimed;	   /* leave out whatever differs between runs */
};

/* The tables that were read, if the sweep shows them; NULL when an engine computed its tables.  Borrowed. */
const struct switch_tables *sweep_held_tables(const struct sweep *w);

/* What is judged when this sweep is judged; n_differ and n_held are 0 until judged_count(). */
struct judged judged_of(const struct sweep *w);
/* Counts these where an engine computed the tables.  If p is cancelled, they cover only some switches. */
void judged_count(struct judged *j, struct progress *p);

/* "held" or "computed", as in JSON. */
const char *judged_word(const struct judged *j);
/* The value of the option `rules` in force. */
const char *judged_rules(const struct judged *j);
/* "tables in the switches, read 14:02"; "computed by updn". */
void judged_brief(const struct judged *j, struct text *t);
/* The first line of a judgement, from "Judged: " to its newline. */
void judged_line(const struct judged *j, struct text *t);

#endif
