/*
 * JSON whose strings are clean text (core/base/clean.h).  So it is always UTF-8, and a name that is no UTF-8
 * never costs the object.  Jansson is included here alone.  Its own functions that make strings cannot be
 * called: they refuse some strings and take others as they are.
 */
#ifndef IBSCOPE_JSON_H
#define IBSCOPE_JSON_H

#include <jansson.h>
#include "core/base/defs.h"

/* A string; the caller's reference. */
json_t *json_text(const char *s);

/* As json_text(), for a piece of len bytes. */
json_t *json_textn(const char *s, size_t len);

/* "0x" and 16 digits. */
json_t *json_guid(uint64_t guid);

/*
 * A value after a format: as json_pack() of Jansson 2.14, but only with the letters `{}`, `[]`, `s`, `s*`
 * (NULL leaves the member out), `b`, `i`, `I`, `f` (null when it is no finite number) and `o` (taken over).
 * Keys of objects are the program's own words.
 */
json_t *json_make(const char *fmt, ...);

#ifndef JSON_MAKES_STRINGS
#pragma GCC poison json_string json_stringn json_string_nocheck json_stringn_nocheck json_string_set
#pragma GCC poison json_pack json_pack_ex json_vpack_ex json_sprintf json_vsprintf
#endif

#endif
