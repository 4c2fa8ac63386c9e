/* Recordings (core/trace/recording.h) of all engines with a hop matrix: minhop, dor, updn, dnup and file. */
#ifndef IBSCOPE_RECORD_H
#define IBSCOPE_RECORD_H

#include "core/trace/walk.h"
#include "engines/counted/hops.h"

/* The full matrix at a step, from one of the two tables of hops. The caller gets a reference. */
struct hops *hops_at(const struct walk *w, enum rec_table t);

/* Tells the recorder the cells in which a plain matrix now differs from the earlier one. */
void hops_record_changes(const struct engine_input *in, const struct hops *was, const struct hops *now);

/* The sentences of REC_LEARN, REC_CHOICE and REC_TABLE. */
void assign_sentence(struct walk *w, struct text *t);

/* Source of the rules of such steps, as in struct rec_scheme. NULL for steps of another kind. */
const char *assign_source(const struct rec_event *ev);

/* Records an entry that was read, and the entry `was` that it replaces. `rule` is the rule of the choice. */
void assign_record_read(const struct engine_input *in, uint32_t sw, unsigned lid, unsigned was, unsigned port,
			enum why_rule rule);

/* Schemes of engines that keep only a hop matrix (dor chooses ports in its own way), or nothing. */
extern const struct rec_scheme hops_scheme, dor_scheme, read_scheme;

#endif
