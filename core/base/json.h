/*
 * JSON whose strings are clean text (core/base/clean.h).  So it is always UTF-8, and a name that is no UTF-8
 * never costs the object.  Jansson is included here alone.  Its own functions that make strings cannot be
 * called: they refuse some strings and take others as they are.
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

/* Rows of results.  One list of their fields makes JSON, its contract and the cells of panes. */

/* The C type of a member. */
enum member_kind {
	MEMBER_OWN, /* no member: the row's own code puts it into JSON */
	MEMBER_BOOL,
	MEMBER_U8,
	MEMBER_U16,
	MEMBER_U32,
	MEMBER_U64,
	MEMBER_REAL,
	MEMBER_TEXT, /* const char *; NULL is null in JSON, or left out where the type ends with "?" */
};

/* A list is ended by a key NULL, in the order of the JSON object. */
struct field {
	const char *key;    /* in JSON */
	const char *type;   /* of the contract (core/session/contract.h); NULL: as the member has it */
	const char *help;   /* of the contract */
	const char *column; /* heading of the pane's column that shows it; NULL: none */
	enum member_kind kind;
	size_t offset;	  /* of the member in the row */
	uint8_t decimals; /* of a real one as it is shown; 0: a whole number */
	int8_t better;	  /* -1: less is better, 1: more is, 0: neither */
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

/* Put the members of a row into an object. */
void fields_json(json_t *o, const struct field *f, const void *row);
/* Lines of the contract, a key each behind `prefix` ("survey[]."). */
void fields_contract(struct text *t, const char *prefix, const struct field *f);
/* The field that a column shows, NULL: none. */
const struct field *field_of_column(const struct field *f, const char *column);
/* As a pane's cell shows it. */
void field_cell(const struct field *f, const void *row, struct text *t);
/* Its value for sorting: a whole number, of a real one millionths. */
int64_t field_number(const struct field *f, const void *row);

#endif
