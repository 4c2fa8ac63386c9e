/* The contract as a JSON Schema, draft 2020-12, made of the rows that `schema` tells. */
#include "core/session/json_schema.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/command.h"
#include "core/session/contract.h"
#include "core/session/out.h"

#define REF "#/$defs/"
/* Text has no control characters but tabs and ends of lines. */
#define CLEAN "^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]*$"

/* The object under a key, made if it is not there yet; borrowed. */
static json_t *under(json_t *o, const char *key, size_t n)
{
	char *k = str_printf("%.*s", (int)n, key);
	json_t *v = json_object_get(o, k);

	if (!v) {
		v = json_object();
		json_object_set_new(o, k, v);
	}
	free(k);
	return v;
}

static json_t *json_schema_member(json_t *o, const char *key)
{
	return under(o, key, strlen(key));
}

static void json_schema_append(json_t *o, const char *key, json_t *v)
{
	json_t *list = json_object_get(o, key);

	if (!list) {
		list = json_array();
		json_object_set_new(o, key, list);
	}
	json_array_append_new(list, v);
}

static json_t *reference(const char *to, const char *name)
{
	char *path = str_printf(REF "%s%s", to, name);
	json_t *o = json_make("{s:s}", "$ref", path);

	free(path);
	return o;
}

static const char *json_schema_word_of(const json_t *row, const char *key)
{
	return json_string_value(json_object_get(row, key));
}

/* The types with | between them. */
static void put_types(json_t *place, const char *types)
{
	const char *t = types;

	if (!strchr(t, '|')) {
		json_object_set_new(place, "type", json_text(t));
		return;
	}
	for (size_t n; n = strcspn(t, "|"), n; t += n + (t[n] == '|'))
		json_schema_append(place, "type", json_textn(t, n));
}

/* What strings may be; null goes on being allowed. */
static void json_schema_put_words(json_t *place, const json_t *row, bool null)
{
	json_t *words = json_object_get(row, "words"), *pattern = json_object_get(row, "pattern"), *one;

	if (json_array_size(words)) {
		one = json_object();
		json_object_set(one, "enum", words);
		json_schema_append(place, "anyOf", one);
	}
	if (pattern) {
		one = json_make("{s:s}", "type", "string");
		json_object_set(one, "pattern", pattern);
		json_schema_append(place, "anyOf", one);
	}
	if (null)
		json_schema_append(place, "anyOf", json_make("{s:s}", "type", "null"));
}

/* What a row tells of its value, but not what is in an object.  as: the kind that is being told, or NULL. */
static void json_schema_put_value(json_t *place, const json_t *row, const char *as)
{
	const char *types = json_schema_word_of(row, "type"),
		   *kind = as ? NULL : json_schema_word_of(row, "kind");
	bool null = strstr(types, "null");

	json_object_set(place, "description", json_object_get(row, "help"));
	if (!strcmp(types, "any"))
		return;
	if (kind) {
		json_schema_append(place, "anyOf", reference("kind ", kind));
		if (null)
			json_schema_append(place, "anyOf", json_make("{s:s}", "type", "null"));
		return;
	}
	put_types(place, types);
	if (json_object_get(row, "words"))
		json_schema_put_words(place, row, null);
	else if (strstr(types, "string"))
		json_object_set_new(place, "$ref", json_text(REF "text"));
	if (json_object_get(row, "min"))
		json_object_set(place, "minimum", json_object_get(row, "min"));
	if (json_object_get(row, "max"))
		json_object_set(place, "maximum", json_object_get(row, "max"));
	if (strstr(types, "object") && !json_object_get(place, "additionalProperties"))
		json_object_set_new(place, "additionalProperties", json_false());
}

/*
 * Adds a row to the schema of an object.  Each word of its key ("a[].b") leads to the schema within: a
 * property, the elements of a list, any other property.  The rows of its parents come before it.
 */
static void json_schema_put_row(json_t *place, const json_t *row)
{
	for (const char *key = json_schema_word_of(row, "key");; key += strcspn(key, ".") + 1) {
		size_t len = strcspn(key, "."), n = strcspn(key, ".[");

		if (*key != '*') {
			if (!key[len] && !json_is_true(json_object_get(row, "optional")))
				json_schema_append(place, "required", json_textn(key, n));
			place = under(json_schema_member(place, "properties"), key, n);
		} else {
			if (!json_is_object(json_object_get(place, "additionalProperties")))
				json_object_set_new(place, "additionalProperties", json_object());
			place = json_object_get(place, "additionalProperties");
		}
		for (; n < len; n += strlen("[]")) {
			json_object_set_new(place, "type", json_text("array"));
			place = json_schema_member(place, "items");
		}
		if (!key[len]) {
			json_schema_put_value(place, row, NULL);
			return;
		}
	}
}

/* The schema of an object with these keys and no others. */
static json_t *object_schema(const json_t *rows)
{
	json_t *o = json_make("{s:s, s:b}", "type", "object", "additionalProperties", false), *row;

	for (size_t i = 0; (row = json_array_get(rows, i)); i++)
		json_schema_put_row(o, row);
	return o;
}

/* The kinds of values, each under "kind NAME". */
static void json_schema_put_kinds(json_t *defs, const struct session *s)
{
	for (const struct contract_kind *k = contract_kinds; k->name; k++) {
		char *line = str_printf("%s %s %s\n", k->name, k->name, k->help),
		     *name = str_printf("kind %s", k->name);
		json_t *rows = contract_keys(line, s);

		json_schema_put_value(json_schema_member(defs, name), json_array_get(rows, 0), k->name);
		json_decref(rows);
		free(line);
		free(name);
	}
}

/* A command's object.  It has all its keys only when it did not fail; those of the contract in common, too.
 */
static json_t *command_schema(const struct command *c, const json_t *common, const struct session *s)
{
	char *lines = c ? contract_of(c) : str_dup("");
	json_t *rows = contract_keys(lines, s), *o = object_schema(rows), *need,
	       *all = json_schema_member(o, "properties"), *v;
	const char *key;

	json_object_foreach(json_object_get((json_t *)common, "properties"), key,
			    v) if (!json_object_get(all, key))
		json_object_set_new(all, key, reference("common/properties/", key));
	need = json_object_get(o, "required");
	if (need) {
		json_object_set(json_schema_member(o, "then"), "required", need);
		json_object_del(o, "required");
		json_object_set_new(o, "if", json_make("{s:{s:{s:b}}}", "properties", "ok", "const", true));
	}
	free(lines);
	json_decref(rows);
	return o;
}

/* `ok` and an error exclude each other. */
static json_t *failure_schema(void)
{
	return json_make("{s:{s:{s:{s:b}}}, s:{s:{s:b, s:b}}, s:{s:[s, s]}}", "if", "properties", "ok",
			 "const", true, "then", "properties", "error", false, "error_kind", false, "else",
			 "required", "error", "error_kind");
}

json_t *json_schema(const struct session *s)
{
	char *title = str_printf("An object that ibscope --json prints, version %d of the keys", JSON_SCHEMA);
	json_t *root = json_make("{s:s, s:s, s:s, s:[s, s]}", "$schema",
				 "https://json-schema.org/draft/2020-12/schema", "title", title, "type",
				 "object", "required", "command", "ok"),
	       *defs = json_schema_member(root, "$defs"), *rows = contract_keys(contract_common, s),
	       *names = json_array(), *common = object_schema(rows), *other;

	free(title);
	json_object_set_new(json_schema_member(defs, "text"), "pattern", json_text(CLEAN));
	json_object_set_new(defs, "common", common);
	json_schema_put_kinds(defs, s);
	json_schema_append(root, "allOf", failure_schema());
	for (size_t t = 0; s->commands[t]; t++)
		for (const struct command *c = s->commands[t]; c->name; c++) {
			json_t *one = json_make("{s:{s:{s:{s:s}}}}", "if", "properties", "command", "const",
						c->name);

			json_object_set_new(one, "then", reference("", c->name));
			json_schema_append(root, "allOf", one);
			json_object_set_new(defs, c->name, command_schema(c, common, s));
			json_array_append_new(names, json_text(c->name));
		}
	/* a word that is no command */
	other = json_make("{s:{s:{s:{s:o}}}}", "if", "properties", "command", "enum", names);
	json_object_set_new(other, "else", reference("", "common"));
	json_schema_append(root, "allOf", other);
	json_decref(rows);
	return root;
}
