/* The contract of the JSON objects (contract.h) as one JSON Schema, draft 2020-12. */
#ifndef IBSCOPE_JSON_SCHEMA_H
#define IBSCOPE_JSON_SCHEMA_H

#include "core/base/json.h"
#include "core/session/session.h"

/* The schema of the object of any command; the caller's reference. */
json_t *json_schema(const struct session *s);

#endif
