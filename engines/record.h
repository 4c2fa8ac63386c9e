/* Recordings (core/trace/recording.h) of all engines with a hop matrix: minhop, dor, updn, dnup and file. */
#ifndef IBSCOPE_RECORD_H
#define IBSCOPE_RECORD_H

#include "core/trace/walk.h"
#include "engines/counted/hops.h"

/* The matrix of a step, a full one: all that is in one of the two tables of hops.  A reference. */
struct hops *hops_at(const struct walk *w, enum rec_table t);

/* A plain matrix once more, to be compared only (no masks are made of it). */
struct hops *hops_copy(const struct hops *h);
/* Tell the recorder of cells in which a plain matrix now differs from what it was. */
void hops_record_changes(const struct engine_input *in, const struct hops *was, const struct hops *now);

/* Sentences of REC_LEARN, REC_CHOICE and REC_TABLE. */
void assign_sentence(struct walk *w, struct text *t);

/* Where such steps are told of, as struct rec_scheme has it; NULL: another kind. */
const char *assign_source(const struct rec_event *ev);

/* An entry that was read, over one that was there.  The rule of a choice of theirs is an enum why_rule. */
void assign_record_read(const struct engine_input *in, uint32_t sw, unsigned lid, unsigned was, unsigned port,
			enum why_rule rule);

/* Engines whose tables are a hop matrix and nothing else (dor chooses ports its own way), or nothing. */
extern const struct rec_scheme hops_scheme, dor_scheme, read_scheme;

#endif
