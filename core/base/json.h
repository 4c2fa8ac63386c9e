/*
 * JSON whose strings are clean text (core/base/clean.h).  It is therefore always valid UTF-8, and a name that
 * is not UTF-8 never costs the whole object.  Only this header includes Jansson.  Jansson's own functions for
 * strings cannot be called: they refuse some strings and take others unchanged.
 */
#ifndef IBSCOPE_JSON_H
#define IBSCOPE_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "core/base/cursor.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"

/* Makes a string; the caller owns the reference. */
json_t *json_text(const char *s);

/* The same as json_text() for a piece of len bytes. */
json_t *json_textn(const char *s, size_t len);

/* "0x" and 16 digits. */
json_t *json_guid(uint64_t guid);

/*
 * Makes a value from a format, as json_pack() of Jansson 2.14, but only with the letters `{}`, `[]`, `s`,
 * `s*` (NULL leaves the member out), `b`, `i`, `I`, `f` (null when it is no finite number) and `o` (taken
 * over). Keys of objects are the program's own words.
 */
json_t *json_make(const char *fmt, ...);

#ifndef JSON_MAKES_STRINGS
#pragma GCC poison json_string json_stringn json_string_nocheck json_stringn_nocheck json_string_set
#pragma GCC poison json_pack json_pack_ex json_vpack_ex json_sprintf json_vsprintf
#endif

/* Of the JSON objects.  It goes up when a key goes away or means something else, not for new keys. */
#define JSON_SCHEMA 1

/* Texts of JSON values that this program printed before. */

/*
 * Read a text of JSON values, one behind the other or in lists.  take() sees each object; v is not its own.
 * command: what prints such a text, for messages.  -1 and *e: it is no JSON, its schema is newer than
 * JSON_SCHEMA, or cancelled.
 */
int json_values_read(const struct input *in, const char *command, void (*take)(void *ctx, json_t *v),
		     void *ctx, struct err *e);

/* Rows of results.  One list of their fields makes the JSON, its contract and the cells of panes. */

/* The C type of a member. */
enum member_kind {
	MEMBER_OWN, /* not a member: the row's own code puts it into JSON */
	MEMBER_BOOL,
	MEMBER_U8,
	MEMBER_U16,
	MEMBER_U32,
	MEMBER_U64,
	MEMBER_REAL,
	MEMBER_TEXT, /* const char *; NULL becomes null in JSON, or is left out where the type ends with "?"
		      */
};

/* A list of these ends with a NULL key and is in the order of the JSON object. */
struct field {
	const char *key;    /* in JSON */
	const char *type;   /* in the contract (core/session/contract.h); NULL: the member's own type */
	const char *help;   /* in the contract */
	const char *column; /* heading of the pane's column that shows it; NULL when no column does */
	enum member_kind kind;
	size_t offset;	  /* of the member within the row */
	uint8_t decimals; /* that a real number is shown with; 0: a whole number */
	int8_t better;	  /* -1: less is better, 1: more is better, 0: neither */
};

#define MEMBER_KIND(struct_type, member) \
	_Generic(&((struct_type *)NULL)->member,     \
		bool *: MEMBER_BOOL,                 \
		uint8_t *: MEMBER_U8,                \
		uint16_t *: MEMBER_U16,              \
		uint32_t *: MEMBER_U32,              \
		uint64_t *: MEMBER_U64,              \
		double *: MEMBER_REAL,               \
		char **: MEMBER_TEXT,                \
		const char **: MEMBER_TEXT)
/* The member of a struct; an array of characters does not compile.  type and column may be NULL. */
#define FIELD(key_, struct_type, member, type_, column_, help_)                                   \
	{                                                                                         \
		.key = (key_), .type = (type_), .help = (help_), .column = (column_),             \
		.kind = MEMBER_KIND(struct_type, member), .offset = offsetof(struct_type, member) \
	}
/* A field that the row's own code puts into JSON. */
#define FIELD_BY_CODE(key_, type_, help_)                       \
	{                                                       \
		.key = (key_), .type = (type_), .help = (help_) \
	}

/* Puts the members of a row into an object. */
void fields_json(json_t *o, const struct field *f, const void *row);
/* Adds lines of the contract, one for each key, with `prefix` before the key ("survey[]."). */
void fields_contract(struct text *t, const char *prefix, const struct field *f);
/* The field that a column shows, or NULL. */
const struct field *field_of_column(const struct field *f, const char *column);
/* Adds the text that a pane's cell shows. */
void field_cell(const struct field *f, const void *row, struct text *t);
/* The value for sorting: whole numbers as they are, real ones in millionths. */
int64_t field_number(const struct field *f, const void *row);

#endif
