/*
 * Surveys as JSON, so that shares computed on several machines become one again.
 */
#ifndef IBSCOPE_SURVEY_JSON_H
#define IBSCOPE_SURVEY_JSON_H

#include "core/analysis/survey/survey.h"
#include "core/base/fields.h"

/* A row; all that its text line says can be read off it. */
/* Keys of a row, with the columns of the pane; members are those of struct survey_row. */
extern const struct field survey_fields[];
json_t *survey_row_json(const struct survey *s, const struct survey_row *r);

/*
 * What it is a survey of: what fails, by which engine and options, fingerprints of the fabric and of what
 * was in force before; `shard` and `shards` where it is a share.  Shares of one survey differ in these two
 * alone.
 */
json_t *survey_head_json(const struct survey *s, const struct survey_request *rq);

/*
 * Add the objects of `survey` in a text of JSON values, one behind the other or in lists, to a list (of
 * objects with a member `from`, the name).  name: of the text, for messages.  most: the newest schema that is
 * known.  -1 and *e: it is no JSON, or there is none in it.
 */
int survey_shares_read(json_t *shares, const char *name, const char *data, size_t size, int most,
		       struct progress *p, struct err *e);

/*
 * One survey of all shares: an object with `survey_of`, `survey` (rows, the worst first) and what else the
 * objects of the shares agree on (`scope`).  NULL and *e: they are not of one survey, one is there twice or
 * missing.
 */
json_t *survey_merge(const json_t *shares, struct err *e);

#endif
