/* Texts of JSON values that this program printed before. */
#ifndef IBSCOPE_JSON_VALUES_H
#define IBSCOPE_JSON_VALUES_H

#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/progress.h"

/*
 * Read a text of JSON values, one behind the other or in lists.  take() sees each object; v is not its own.
 * name: of the text, and command: what prints such a text, both for messages; most: the newest schema that is
 * known.  -1 and *e: it is no JSON, its schema is newer, or cancelled.
 */
int json_values_read(const char *name, const char *data, size_t size, const char *command, int most,
		     void (*take)(void *ctx, json_t *v), void *ctx, struct progress *p, struct err *e);

#endif
