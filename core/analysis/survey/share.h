/* Surveys as JSON, so that shares computed on several machines can be merged into one. */
#ifndef IBSCOPE_SURVEY_JSON_H
#define IBSCOPE_SURVEY_JSON_H

#include "core/analysis/survey/survey.h"
#include "core/base/json.h"

/* A row.  Its text line can be made from it. */
/* Keys of a row, with the columns of the pane; members are those of struct survey_row. */
extern const struct field survey_fields[];
json_t *survey_row_json(const struct survey *s, const struct survey_row *r);

/*
 * The subject of a survey: what fails, the engine and options, and fingerprints of the fabric and of what was
 * in force before.  A share also has `shard` and `shards`.  Shares of one survey differ only in these two.
 */
json_t *survey_head_json(const struct survey *s, const struct survey_request *rq);

/*
 * Add the objects of `survey` in a text of JSON values (one behind the other, or in lists) to a list.  Each
 * object gets a member `from`, the name of the text.  -1 and *e: it is no JSON, or has no such object.
 */
int survey_shares_read(json_t *shares, const struct input *in, struct err *e);

/*
 * Makes one survey from all shares: an object with `survey_of`, `survey` (rows, the worst first), and other
 * members on which the shares agree (`scope`).  Returns NULL and *e when they do not belong to one survey, or
 * a share is missing or occurs twice.
 */
json_t *survey_merge(const json_t *shares, struct err *e);

#endif
