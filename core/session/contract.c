/* What a command's JSON holds: the contract as rows, and as a JSON Schema. */
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/routing/json_names.h"
#include "core/session/command.h"
#include "core/session/commands/commands.h"
#include "core/session/contract.h"
#include "core/session/help.h"
#include "core/session/out.h"

const char contract_common[] =
	"command string its whole name, also where it was shortened; the word as it "
	"was typed where it is none; source for a script that cannot be read\nok "
	"boolean it did what it was asked for; what check finds is no failure\n"
	"schema integer(1..)? version of the keys, in the first object alone\n"
	"program string? version of ibscope, in the first object alone\n"
	"time string(^[0-9-]+T[0-9:]+Z$)? UTC, in the first object alone\n"
	"read object? the fabric that is loaded, in the first object alone\n"
	"read.source string file, synthetic spec or device that it was read from\n"
	"read.format string its format\n"
	"read.time string(^[0-9-]+T[0-9:]+Z$)? when it was read, UTC\n"
	"error string? why it failed, when ok is false\n"
	"error_kind string(failed/syntax/no_such_node/no_such_port/ambiguous/no_fabric/no_engine/input/"
	"io/limit/memory/cancelled/not_allowed/fault)? the kind of failure, for scripts\n"
	"candidates[] object? ambiguous: the nodes that the word fits, at most 64\n"
	"candidates[].name node the node\n"
	"id string|integer|null? of the request, in what --serve answers\n"
	"step integer? of a walk through a run: what is told is as of that step\n"
	"text[] string? the lines that it prints without --json\n"
	"taken object? ports that were taken for the name of a host alone\n"
	"taken.* string? by word: that port\n"
	"taken_ports[] object? the same ports\n"
	"taken_ports[].word string the word\n"
	"taken_ports[].name endport the port\n";

const struct contract_kind contract_kinds[] = {
	{"lid", "integer(0..65535)", "a LID; 0: none"},
	{"portnum", "integer(0..255)", "the number of a port; 255 where there is none"},
	{"vl", "integer(0..15)", "a VL or an SL"},
	{"share", "number(0..1)", "a part of 1"},
	{"guid", "string(^0x[0-9a-f]{16}$)", "a GUID, or as many bits of something else"},
	{"engine", "string", "a routing engine, as `route` takes it"},
	{"width", "string(?\?/1x/2x/4x/8x/12x)", "the width of a link"},
	{"speed", "string(?\?\?/SDR/DDR/QDR/FDR10/FDR/EDR/HDR/NDR/XDR)", "its speed"},
	{"end",
	 "string(arrives/the source is down or has no LID/nobody has the destination LID/"
	 "no entry for the LID/the entry names a port without a live link/arrives at the wrong endport/"
	 "forwarding loop/a port on the way is not active: no subnet manager has activated it/"
	 "cannot be told: what is at the port did not answer/dropped, its SL is mapped to VL 15)",
	 "how a path ends"},
	{NULL, NULL, NULL},
};

const struct contract_group contract_groups[] = {
	{"a fabric that was loaded", JSON_FABRIC},
	{"a sweep", JSON_EVENT},
	{"changed tables", JSON_CHANGE},
	{"refusals", JSON_REFUSALS},
	{"a pane", JSON_LIST},
	{"credit loops", JSON_LOOPS},
	{"what is written", JSON_CONTENT},
	{"a scope", JSON_SCOPE},
	{"options by names", JSON_NAMED},
	{NULL, NULL},
};

char *contract_of(const struct command *c)
{
	AUTO_TEXT struct text t = {0};
	char *next, *save = NULL;
	AUTO_FREE char *copy = str_dup(c->json ? c->json : "");
	size_t n = 0;

	for (next = strtok_r(copy, "\n", &save); next; next = strtok_r(NULL, "\n", &save))
		if (*next == '@')
			fields_contract(&t, next + 1, c->rows[n++]);
		else
			text_add(&t, "%s\n", next);
	return str_dup(text_str(&t));
}

bool contract_next(const struct help_words *w, const char **at, struct contract_line *l)
{
	const char *s = *at;
	size_t len = strcspn(s, "\n");

	if (!*s)
		return false;
	l->key = s;
	l->n_key = (int)strcspn(s, " ");
	l->type = s + l->n_key + 1;
	l->n_type = (int)strcspn(l->type, " (");
	if (l->type[l->n_type] == '(') /* words may hold blanks */
		l->n_type = (int)strcspn(l->type, ")");
	l->n_type += (int)strcspn(l->type + l->n_type, " ");
	l->help = l->type + l->n_type + 1;
	l->n_help = (int)(s + len - l->help);
	l->help = figure_words(w, l->help, &l->n_help);
	l->optional = l->type[l->n_type - 1] == '?';
	l->n_type -= l->optional;
	*at = s + len + (s[len] == '\n');
	return true;
}

/* Turns "0..15", "1..", ".." into min and max. Without a range: 0 or more. */
static void contract_add_range(json_t *row, const char *s)
{
	char *end;
	long least = strtol(s, &end, 10);

	if (end != s || *s != '.')
		json_object_set_new(row, "min", json_integer(least));
	if (*end && end[2] != ')')
		json_object_set_new(row, "max", json_integer(strtol(end + 2, NULL, 10)));
}

/* Turns "none/loop/^[0-9]+$)" into words, and the pattern of other values. */
static void contract_add_words(json_t *row, const char *s)
{
	json_t *words = json_array();

	for (size_t n; n = strcspn(s, "/)"), n; s += n + (s[n] == '/'))
		if (*s == '^')
			json_object_set_new(row, "pattern", json_textn(s, n));
		else
			json_array_append_new(words, json_textn(s, n));
	json_object_set_new(row, "words", words);
}

/* TYPE as the JSON type it is, with its range or words. */
static void add_type(json_t *row, const char *type, const struct session *s)
{
	size_t n = strcspn(type, "(|");
	const struct contract_kind *k = contract_kinds;
	const char *rest = type[n] == '(' ? strchr(type, ')') + 1 : type + n, *of = type;

	while (k->name && (strncmp(k->name, type, n) || k->name[n]))
		k++;
	if (k->name) {
		of = k->type;
		n = strcspn(of, "(");
		json_object_set_new(row, "kind", json_text(k->name));
	}
	char *name = str_printf("%.*s%s", (int)n, of, rest);
	json_object_set_new(row, "type", json_text(name));
	free(name);
	if (k->name && !strcmp(k->name, "engine")) {
		json_object_set_new(row, "words", json_array());
		for (size_t i = 0; s->engines[i]; i++)
			json_array_append_new(json_object_get(row, "words"), json_text(s->engines[i]->name));
	} else if (!strncmp(of, "string(", 7))
		contract_add_words(row, of + 7);
	else if (!strncmp(of, "integer", 7) || !strncmp(of, "number", 6))
		contract_add_range(row, of[n] == '(' ? of + n + 1 : "");
}

static void contract_add_key(json_t *list, const char *key, int n_key, const char *type,
			     const struct contract_line *l, const struct session *s)
{
	json_t *row = json_make("{s:b}", "optional", (int)l->optional);

	add_type(row, type, s);
	json_object_set_new(row, "key", json_textn(key, (size_t)n_key));
	json_object_set_new(row, "help", json_textn(l->help, (size_t)l->n_help));
	json_array_append_new(list, row);
}

/* Adds a key that stands beside a name. */
static void add_beside(json_t *list, const struct contract_line *l, const char *what, const char *type,
		       const struct session *s)
{
	bool plain = l->n_key >= 4 && !memcmp(l->key + l->n_key - 4, "name", 4) &&
		     (l->n_key == 4 || l->key[l->n_key - 5] == '.');
	AUTO_FREE char *key = plain ? str_printf("%.*s%s", l->n_key - 4, l->key, what)
				    : str_printf("%.*s_%s", l->n_key, l->key, what);

	contract_add_key(list, key, (int)strlen(key), type, l, s);
}

/* The same for a key that is not always there. */
static void add_at_times(json_t *list, struct contract_line l, const char *what, const char *type,
			 const char *help, const struct session *s)
{
	l.help = help;
	l.n_help = (int)strlen(help);
	l.optional = true;
	add_beside(list, &l, what, type, s);
}

#define LABEL_HELP "what stands at the port on the front panel, where that is known"

/* The keys that lines stand for, as `schema` prints them: a list of objects; the caller owns the
 * reference. */
static json_t *contract_keys(const char *lines, const struct session *s)
{
	json_t *list = json_array();
	struct contract_line l;

	while (contract_next(s->words, &lines, &l)) {
		AUTO_FREE char *type = str_printf("%.*s", l.n_type, l.type);
		bool port = !strcmp(type, "port") || !strcmp(type, "endport"),
		     node = port || !strcmp(type, "node");

		contract_add_key(list, l.key, l.n_key, node ? "string|null" : type, &l, s);
		if (node) {
			add_beside(list, &l, "guid", "guid|null", s);
			add_beside(list, &l, "lid", "lid|null", s);
			add_at_times(list, l, "description", "string",
				     "its given name, where a short one is shown", s);
			add_at_times(list, l, "seen", "boolean",
				     "false: only its neighbours name it, the source has no record of it", s);
		}
		if (port) {
			add_beside(list, &l, "port", "portnum|null", s);
			add_at_times(list, l, "label", "string", LABEL_HELP, s);
		} else if (!strncmp(type, "portnum", 7) && l.key[l.n_key - 1] != ']') {
			AUTO_FREE char *key = json_label_key(l.key, (size_t)l.n_key);

			/* Beside the number of a port, its label. */
			l.help = LABEL_HELP;
			l.n_help = (int)strlen(LABEL_HELP);
			l.optional = true;
			contract_add_key(list, key, (int)strlen(key), "string", &l, s);
		}
	}
	return list;
}

static void print_keys(const char *lines, const struct session *s, struct out *o)
{
	struct contract_line l;

	while (contract_next(s->words, &lines, &l))
		out_text(o, "  %-28.*s %.*s%s  %.*s\n", l.n_key, l.key, l.n_type, l.type,
			 l.optional ? "?" : "", l.n_help, l.help);
}

static void contract_tell_command(const struct command *c, json_t *list, const struct session *s,
				  struct out *o)
{
	AUTO_FREE char *lines = contract_of(c);
	json_t *keys = contract_keys(lines, s);

	if (*lines)
		out_text(o, "%s\n", c->name);
	print_keys(lines, s, o);
	json_array_append_new(list, json_make("{s:s, s:o}", "name", c->name, "keys", keys));
}

bool prints_schema(int argc, char *const *argv)
{
	return argc == 2 && !strcmp(argv[1], "json-schema");
}

int cmd_schema(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	bool standard = args_has(args, "json-schema");
	const struct command *one = args->n && !standard ? command_find(s, args->arg[0].word, e) : NULL;

	if (standard) {
		json_t *whole = json_schema(s);
		AUTO_FREE char *text = json_dumps(whole, JSON_INDENT(1) | JSON_ENSURE_ASCII);

		out_json(o, "json_schema", whole);
		out_document(o, text);
		out_document(o, "\n");
		return 0;
	}
	if (args->n && !one)
		return -1;
	json_t *list = json_array();
	out_text(o, "Schema %d.  All objects:\n", JSON_SCHEMA);
	print_keys(contract_common, s, o);
	for (const struct contract_kind *k = contract_kinds; !one && k->name; k++)
		out_text(o, "%s stands for %s: %s\n", k->name, k->type, k->help);
	for (size_t t = 0; !one && s->commands[t]; t++)
		for (const struct command *c = s->commands[t]; c->name; c++)
			contract_tell_command(c, list, s, o);
	if (one)
		contract_tell_command(one, list, s, o);
	out_json(o, "version", json_integer(JSON_SCHEMA));
	out_json(o, "common", contract_keys(contract_common, s));
	out_json(o, "commands", list);
	return 0;
}

/* The contract as a JSON Schema, draft 2020-12, made from the rows that `schema` prints. */

#define REF "#/$defs/"
/* Text has no control characters but tabs and ends of lines. */
#define CLEAN "^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]*$"

/* The object under a key, made if it is not there yet; borrowed. */
static json_t *under(json_t *o, const char *key, size_t n)
{
	AUTO_FREE char *k = str_printf("%.*s", (int)n, key);
	json_t *v = json_object_get(o, k);

	if (!v) {
		v = json_object();
		json_object_set_new(o, k, v);
	}
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
	AUTO_FREE char *path = str_printf(REF "%s%s", to, name);

	return json_make("{s:s}", "$ref", path);
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

/* Limits a string to the words or the pattern of its row. With `null`, null stays allowed. */
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

/* Puts what a row says about its value, but not what is in an object. as: the kind being described, or
 * NULL. */
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
		AUTO_FREE char *line = str_printf("%s %s %s\n", k->name, k->name, k->help),
			       *name = str_printf("kind %s", k->name);
		json_t *rows = contract_keys(line, s);

		json_schema_put_value(json_schema_member(defs, name), json_array_get(rows, 0), k->name);
		json_decref(rows);
	}
}

/* A command's object.  It has all its keys only when it did not fail; those of the contract in common,
 * too. */
static json_t *command_schema(const struct command *c, const json_t *common, const struct session *s)
{
	AUTO_FREE char *lines = c ? contract_of(c) : str_dup("");
	json_t *rows = contract_keys(lines, s), *o = object_schema(rows),
	       *all = json_schema_member(o, "properties"), *v;
	const char *key;

	json_object_foreach(json_object_get((json_t *)common, "properties"), key,
			    v) if (!json_object_get(all, key))
		json_object_set_new(all, key, reference("common/properties/", key));
	json_t *need = json_object_get(o, "required");
	if (need) {
		json_object_set(json_schema_member(o, "then"), "required", need);
		json_object_del(o, "required");
		json_object_set_new(o, "if", json_make("{s:{s:{s:b}}}", "properties", "ok", "const", true));
	}
	json_decref(rows);
	return o;
}

json_t *json_schema(const struct session *s)
{
	char *title = str_printf("An object that ibscope --json prints, version %d of the keys", JSON_SCHEMA);
	json_t *root = json_make("{s:s, s:s, s:s, s:[s, s]}", "$schema",
				 "https://json-schema.org/draft/2020-12/schema", "title", title, "type",
				 "object", "required", "command", "ok"),
	       *defs = json_schema_member(root, "$defs"), *rows = contract_keys(contract_common, s),
	       *names = json_array(), *common = object_schema(rows);

	free(title);
	json_object_set_new(json_schema_member(defs, "text"), "pattern", json_text(CLEAN));
	json_object_set_new(defs, "common", common);
	json_schema_put_kinds(defs, s);
	json_schema_append(root, "allOf", /* `ok` and an error exclude each other */
			   json_make("{s:{s:{s:{s:b}}}, s:{s:{s:b, s:b}}, s:{s:[s, s]}}", "if", "properties",
				     "ok", "const", true, "then", "properties", "error", false, "error_kind",
				     false, "else", "required", "error", "error_kind"));
	for (size_t t = 0; s->commands[t]; t++)
		for (const struct command *c = s->commands[t]; c->name; c++) {
			json_t *one = json_make("{s:{s:{s:{s:s}}}}", "if", "properties", "command", "const",
						c->name);

			json_object_set_new(one, "then", reference("", c->name));
			json_schema_append(root, "allOf", one);
			json_object_set_new(defs, c->name, command_schema(c, common, s));
			json_array_append_new(names, json_text(c->name));
		}
	/* a word that is not a command */
	json_t *other = json_make("{s:{s:{s:{s:o}}}}", "if", "properties", "command", "enum", names);
	json_object_set_new(other, "else", reference("", "common"));
	json_schema_append(root, "allOf", other);
	json_decref(rows);
	return root;
}
