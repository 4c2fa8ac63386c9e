#include "core/session/out.h"
#include "core/session/interpreter.h"

#include <stdlib.h>
#include <string.h>

#define SCHEMA 1 /* of the JSON objects; told in the first one */

static void lines_add(struct out *o, const char *from, size_t len)
{
	json_array_append_new(o->lines, json_textn(from, len));
}

static void add_lines(struct out *o, const char *fmt, va_list ap)
{
	const char *nl, *from;

	text_addv(&o->partial, fmt, ap);
	from = text_str(&o->partial);
	while ((nl = strchr(from, '\n'))) {
		lines_add(o, from, nl - from);
		from = nl + 1;
	}
	o->partial.len = strlen(from);
	if (o->partial.s)
		memmove(o->partial.s, from, o->partial.len + 1);
}

void out_text(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (o->run->json)
		add_lines(o, fmt, ap);
	else
		vfprintf(o->run->f, fmt, ap);
	va_end(ap);
}

void out_json(struct out *o, const char *key, json_t *v)
{
	if (o->run->json)
		json_object_set_new(o->object, key, v);
	else
		json_decref(v);
}

void out_begin(struct out *o, struct command_run *r, const char *command)
{
	*o = (struct out){.run = r};
	if (!r->json)
		return;
	o->object = json_object();
	o->lines = json_array();
	json_object_set_new(o->object, "command", json_text(command));
}

void out_end(struct out *o, int rc, const struct err *e)
{
	char *dump;

	if (!o->run->json)
		return;
	if (o->partial.len)
		lines_add(o, o->partial.s, o->partial.len);
	text_free(&o->partial);
	json_object_set_new(o->object, "ok", json_boolean(!rc));
	if (!o->run->begun)
		json_object_set_new(o->object, "schema", json_integer(SCHEMA));
	o->run->begun = true;
	if (rc)
		json_object_set_new(o->object, "error", json_text(e->msg));
	if (json_array_size(o->lines))
		json_object_set(o->object, "text", o->lines);
	dump = json_dumps(o->object, JSON_COMPACT | JSON_ENSURE_ASCII);
	if (dump)
		fprintf(o->run->f, "%s\n", dump);
	free(dump);
	json_decref(o->object);
	json_decref(o->lines);
	o->object = o->lines = NULL;
}
