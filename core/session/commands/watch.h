/* What `watch` tells of subnet managers. */
#ifndef IBSCOPE_WATCH_H
#define IBSCOPE_WATCH_H

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/session/session.h"

/* Those of a reading: in JSON each, in text a line (none where they were not asked). */
json_t *watch_managers_json(const struct fabric *f);
void watch_managers_text(const struct fabric *f, struct text *t);

/* Objects with `kind` of what is different between two readings, and a line each in *t. */
json_t *watch_managers(const struct fabric *before, const struct fabric *f, struct text *t);

/* The engine that explains the tables in force best, by the options in force; static, NULL: none does. */
const char *watch_engine(struct session *s, struct progress *p);

#endif
