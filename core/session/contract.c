#include "core/session/contract.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/fields.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/routing/json_names.h"
#include "core/session/command.h"
#include "core/session/commands/commands.h"
#include "core/session/glossary.h"
#include "core/session/json_schema.h"

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
	struct text t = {0};
	char *lines, *next, *save = NULL, *copy = str_dup(c->json ? c->json : "");
	size_t n = 0;

	for (next = strtok_r(copy, "\n", &save); next; next = strtok_r(NULL, "\n", &save))
		if (*next == '@')
			fields_contract(&t, next + 1, c->rows[n++]);
		else
			text_add(&t, "%s\n", next);
	free(copy);
	lines = str_dup(text_str(&t));
	text_free(&t);
	return lines;
}

bool contract_next(const char **at, struct contract_line *l)
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
	l->help = glossary_words(l->help, &l->n_help);
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
	char *name;

	while (k->name && (strncmp(k->name, type, n) || k->name[n]))
		k++;
	if (k->name) {
		of = k->type;
		n = strcspn(of, "(");
		json_object_set_new(row, "kind", json_text(k->name));
	}
	name = str_printf("%.*s%s", (int)n, of, rest);
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
	char *key = plain ? str_printf("%.*s%s", l->n_key - 4, l->key, what)
			  : str_printf("%.*s_%s", l->n_key, l->key, what);

	contract_add_key(list, key, (int)strlen(key), type, l, s);
	free(key);
}

/* The same for a key that is not always there. */
static void add_at_times(json_t *list, struct contract_line l, const char *what, const char *help,
			 const struct session *s)
{
	l.help = help;
	l.n_help = (int)strlen(help);
	l.optional = true;
	add_beside(list, &l, what, "string", s);
}

#define LABEL_HELP "what stands at the port on the front panel, where that is known"

json_t *contract_keys(const char *lines, const struct session *s)
{
	json_t *list = json_array();
	struct contract_line l;

	while (contract_next(&lines, &l)) {
		char *type = str_printf("%.*s", l.n_type, l.type);
		bool port = !strcmp(type, "port") || !strcmp(type, "endport"),
		     node = port || !strcmp(type, "node");

		contract_add_key(list, l.key, l.n_key, node ? "string|null" : type, &l, s);
		if (node) {
			add_beside(list, &l, "guid", "guid|null", s);
			add_beside(list, &l, "lid", "lid|null", s);
			add_at_times(list, l, "description", "its given name, where a short one is shown", s);
		}
		if (port) {
			add_beside(list, &l, "port", "portnum|null", s);
			add_at_times(list, l, "label", LABEL_HELP, s);
		} else if (!strncmp(type, "portnum", 7) && l.key[l.n_key - 1] != ']') {
			char *key = json_label_key(l.key, (size_t)l.n_key);

			/* Beside the number of a port, its label. */
			l.help = LABEL_HELP;
			l.n_help = (int)strlen(LABEL_HELP);
			l.optional = true;
			contract_add_key(list, key, (int)strlen(key), "string", &l, s);
			free(key);
		}
		free(type);
	}
	return list;
}

static void print_keys(const char *lines, struct out *o)
{
	struct contract_line l;

	while (contract_next(&lines, &l))
		out_text(o, "  %-28.*s %.*s%s  %.*s\n", l.n_key, l.key, l.n_type, l.type,
			 l.optional ? "?" : "", l.n_help, l.help);
}

static void contract_tell_command(const struct command *c, json_t *list, const struct session *s,
				  struct out *o)
{
	char *lines = contract_of(c);
	json_t *keys = contract_keys(lines, s);

	if (*lines)
		out_text(o, "%s\n", c->name);
	print_keys(lines, o);
	json_array_append_new(list, json_make("{s:s, s:o}", "name", c->name, "keys", keys));
	free(lines);
}

bool prints_schema(int argc, char *const *argv)
{
	return argc == 2 && !strcmp(argv[1], "json-schema");
}

int cmd_schema(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	bool standard = args_has(args, "json-schema");
	const struct command *one = args->n && !standard ? command_find(s, args->arg[0].word, e) : NULL;
	json_t *list;

	if (standard) {
		json_t *whole = json_schema(s);
		char *text = json_dumps(whole, JSON_INDENT(1) | JSON_ENSURE_ASCII);

		out_json(o, "json_schema", whole);
		out_document(o, text);
		out_document(o, "\n");
		free(text);
		return 0;
	}
	if (args->n && !one)
		return -1;
	list = json_array();
	out_text(o, "Schema %d.  All objects:\n", JSON_SCHEMA);
	print_keys(contract_common, o);
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
