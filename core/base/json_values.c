#include "core/base/json_values.h"

#include "core/base/cursor.h"

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

int json_values_read(const char *name, const char *data, size_t size, const char *command, int most,
		     void (*take)(void *ctx, json_t *v), void *ctx, struct progress *p, struct err *e)
{
	struct cursor c = {data, data + size};
	json_int_t schema = 0;

	for (cur_blanks(&c); !cur_empty(&c); cur_blanks(&c)) {
		json_error_t why;
		json_t *v;

		if (progress_cancelled(p))
			return err_set(e, CANCELLED);
		v = json_loadb(c.p, (size_t)(c.end - c.p), JSON_DISABLE_EOF_CHECK, &why);
		if (!v) {
			unsigned line = (unsigned)why.line;

			for (const char *at = data; at < c.p; at++)
				line += *at == '\n';
			return err_set(e, "%s:%u: found no JSON (%s), expected what `%s` prints", name, line,
				       why.text, command);
		}
		json_values_take_value(v, &schema, take, ctx);
		json_decref(v);
		c.p += why.position;
	}
	if (progress_cancelled(p))
		return err_set(e, CANCELLED);
	if (schema <= most)
		return 0;
	return err_set(
		e, "%s: found schema %" JSON_INTEGER_FORMAT ", expected at most %d: a newer ibscope wrote it",
		name, schema, most);
}
