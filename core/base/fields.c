/* Rows of results, described by one list of fields, and values of JSON. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "core/base/json.h"

static void json_values_take_value(json_t *v, json_int_t *schema, void (*take)(void *ctx, json_t *v),
				   void *ctx)
{
	const json_t *number = json_object_get(v, "schema");

	for (size_t i = 0; i < json_array_size(v); i++) /* such as from `jq -s` */
		json_values_take_value(json_array_get(v, i), schema, take, ctx);
	if (json_is_integer(number) && json_integer_value(number) > *schema)
		*schema = json_integer_value(number);
	if (json_is_object(v))
		take(ctx, v);
}

int json_values_read(const struct input *in, const char *command, void (*take)(void *ctx, json_t *v),
		     void *ctx, struct err *e)
{
	struct cursor c = {in->data, in->data + in->size};
	json_int_t schema = 0;

	for (cur_blanks(&c); !cur_empty(&c); cur_blanks(&c)) {
		json_error_t why;

		if (progress_cancelled(in->progress))
			return err_set(e, CANCELLED);
		json_t *v = json_loadb(c.p, (size_t)(c.end - c.p), JSON_DISABLE_EOF_CHECK, &why);
		if (!v) {
			unsigned line = (unsigned)why.line;

			for (const char *at = in->data; at < c.p; at++)
				line += *at == '\n';
			return err_set(e, "%s:%u: found no JSON (%s), expected what `%s` prints", in->name,
				       line, why.text, command);
		}
		json_values_take_value(v, &schema, take, ctx);
		json_decref(v);
		c.p += why.position;
	}
	if (progress_cancelled(in->progress))
		return err_set(e, CANCELLED);
	if (schema <= JSON_SCHEMA)
		return 0;
	return err_set(
		e, "%s: found schema %" JSON_INTEGER_FORMAT ", expected at most %d: a newer ibscope wrote it",
		in->name, schema, JSON_SCHEMA);
}

static const char *const type_of[] = {
	[MEMBER_OWN] = "any",
	[MEMBER_BOOL] = "boolean",
	[MEMBER_U8] = "integer(0..255)",
	[MEMBER_U16] = "integer(0..65535)",
	[MEMBER_U32] = "integer",
	[MEMBER_U64] = "integer",
	[MEMBER_REAL] = "number",
	[MEMBER_TEXT] = "string",
};
static_assert(ARRAY_LEN(type_of) == MEMBER_TEXT + 1, "each kind has its type");

static const char *fields_type_word(const struct field *f)
{
	return f->type ? f->type : type_of[f->kind];
}

int64_t field_number(const struct field *f, const void *row)
{
	const void *at = (const char *)row + f->offset;

	switch (f->kind) {
	case MEMBER_BOOL:
		return *(const bool *)at;
	case MEMBER_U8:
		return *(const uint8_t *)at;
	case MEMBER_U16:
		return *(const uint16_t *)at;
	case MEMBER_U32:
		return *(const uint32_t *)at;
	case MEMBER_U64:
		return (int64_t) * (const uint64_t *)at;
	case MEMBER_REAL:
		return (int64_t)(*(const double *)at * 1e6);
	default:
		return 0;
	}
}

/* The value of a field in a row; NULL: it is left out. */
static json_t *fields_value_of(const struct field *f, const void *row)
{
	const void *at = (const char *)row + f->offset;
	const char *s;

	switch (f->kind) {
	case MEMBER_BOOL:
		return json_boolean(*(const bool *)at);
	case MEMBER_REAL:
		return json_make("f", *(const double *)at);
	case MEMBER_TEXT:
		s = *(const char *const *)at;
		if (s)
			return json_text(s);
		return strchr(fields_type_word(f), '?') ? NULL : json_null();
	default:
		return json_integer(field_number(f, row));
	}
}

void fields_json(json_t *o, const struct field *f, const void *row)
{
	for (; f->key; f++) {
		json_t *v = f->kind == MEMBER_OWN ? NULL : fields_value_of(f, row);

		if (v)
			json_object_set_new(o, f->key, v);
	}
}

void fields_contract(struct text *t, const char *prefix, const struct field *f)
{
	for (; f->key; f++)
		text_add(t, "%s%s %s %s\n", prefix, f->key, fields_type_word(f), f->help);
}

const struct field *field_of_column(const struct field *f, const char *column)
{
	for (; f->key; f++)
		if (f->column && !strcmp(f->column, column))
			return f;
	return NULL;
}

void field_cell(const struct field *f, const void *row, struct text *t)
{
	const void *at = (const char *)row + f->offset;
	const char *s = f->kind == MEMBER_TEXT ? *(const char *const *)at : NULL;

	assert(f->kind != MEMBER_OWN);
	if (f->kind == MEMBER_REAL)
		text_add(t, "%.*f", f->decimals, *(const double *)at);
	else if (f->kind != MEMBER_TEXT)
		text_add(t, "%" PRId64, field_number(f, row));
	else if (s)
		text_add(t, "%s", s);
}
