#define JSON_MAKES_STRINGS
#include "core/base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clean.h"

json_t *json_textn(const char *s, size_t len)
{
	AUTO_TEXT struct text t = {0};

	clean_add(&t, s, len);
	return json_stringn_nocheck(text_str(&t), t.len);
}

json_t *json_text(const char *s)
{
	return json_textn(s, strlen(s));
}

json_t *json_guid(uint64_t guid)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "0x%016" PRIx64, guid);
	return json_text(buf);
}

/* A format being read, and its arguments. */
struct json_maker {
	const char *at;
	va_list ap;
};

static char next_letter(struct json_maker *m)
{
	m->at += strspn(m->at, " ,:");
	return *m->at ? *m->at++ : 0;
}

static json_t *make_value(struct json_maker *m, char letter);

static json_t *make_object(struct json_maker *m)
{
	json_t *object = json_object();
	char letter;

	while ((letter = next_letter(m)) == 's') {
		const char *key = va_arg(m->ap, const char *);
		json_t *value = make_value(m, next_letter(m));

		if (value)
			json_object_set_new_nocheck(object, key, value);
	}
	assert(letter == '}');
	return object;
}

static json_t *make_array(struct json_maker *m)
{
	json_t *array = json_array();
	char letter;

	while ((letter = next_letter(m)) != ']')
		json_array_append_new(array, make_value(m, letter));
	return array;
}

static json_t *make_string(struct json_maker *m)
{
	const char *s = va_arg(m->ap, const char *);
	bool optional = *m->at == '*';

	m->at += optional;
	assert(s || optional);
	return s ? json_text(s) : NULL;
}

/* JSON cannot express a value that is not a number. */
static json_t *make_real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *make_value(struct json_maker *m, char letter)
{
	switch (letter) {
	case '{':
		return make_object(m);
	case '[':
		return make_array(m);
	case 's':
		return make_string(m);
	case 'b':
		return json_boolean(va_arg(m->ap, int));
	case 'i':
		return json_integer(va_arg(m->ap, int));
	case 'I':
		return json_integer(va_arg(m->ap, json_int_t));
	case 'f':
		return make_real(va_arg(m->ap, double));
	case 'o':
		return va_arg(m->ap, json_t *);
	default:
		abort(); /* an error in the program */
	}
}

json_t *json_make(const char *fmt, ...)
{
	struct json_maker m = {.at = fmt};

	va_start(m.ap, fmt);
	json_t *v = make_value(&m, next_letter(&m));
	va_end(m.ap);
	return v;
}
