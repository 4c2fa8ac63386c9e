#include "core/session/contract.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/fields.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/command.h"
#include "core/session/commands/commands.h"

const char contract_common[] = "command string its whole name, also where it was shortened; the word as it "
			       "was typed where it is none; "
			       "source for a script that cannot be read\n"
			       "ok boolean it did what it was asked for; what check finds is no failure\n"
			       "schema integer? version of the keys, in the first object alone\n"
			       "error string? why it failed, when ok is false\n"
			       "step integer? of a walk through a run: what is told is as of that step\n"
			       "text[] string? the lines that it prints without --json\n"
			       "taken.* string? by word: the port that a host's name alone was taken for\n"
			       "taken_ports[] object? the same ports\n"
			       "taken_ports[].word string the word\n"
			       "taken_ports[].name endport the port\n";

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
	l->n_type = (int)strcspn(l->type, " ");
	l->help = l->type + l->n_type + 1;
	l->n_help = (int)(s + len - l->help);
	l->optional = l->type[l->n_type - 1] == '?';
	l->n_type -= l->optional;
	*at = s + len + (s[len] == '\n');
	return true;
}

static void add_key(json_t *list, const char *key, int n_key, const char *type, const struct contract_line *l)
{
	json_t *row = json_make("{s:s, s:b}", "type", type, "optional", (int)l->optional);

	json_object_set_new(row, "key", json_textn(key, (size_t)n_key));
	json_object_set_new(row, "help", json_textn(l->help, (size_t)l->n_help));
	json_array_append_new(list, row);
}

/* What stands beside a name. */
static void add_beside(json_t *list, const struct contract_line *l, const char *what, const char *type)
{
	bool plain = l->n_key >= 4 && !memcmp(l->key + l->n_key - 4, "name", 4) &&
		     (l->n_key == 4 || l->key[l->n_key - 5] == '.');
	char *key = plain ? str_printf("%.*s%s", l->n_key - 4, l->key, what)
			  : str_printf("%.*s_%s", l->n_key, l->key, what);

	add_key(list, key, (int)strlen(key), type, l);
	free(key);
}

static json_t *keys_json(const char *lines)
{
	json_t *list = json_array();
	struct contract_line l;

	while (contract_next(&lines, &l)) {
		char *type = str_printf("%.*s", l.n_type, l.type);
		bool port = !strcmp(type, "port") || !strcmp(type, "endport"),
		     node = port || !strcmp(type, "node");

		add_key(list, l.key, l.n_key, node ? "string|null" : type, &l);
		if (node) {
			add_beside(list, &l, "guid", "string|null");
			add_beside(list, &l, "lid", "integer|null");
		}
		if (port)
			add_beside(list, &l, "port", "integer|null");
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

static void tell_command(const struct command *c, json_t *list, struct out *o)
{
	char *lines = contract_of(c);
	json_t *keys = keys_json(lines);

	if (*lines)
		out_text(o, "%s\n", c->name);
	print_keys(lines, o);
	json_array_append_new(list, json_make("{s:s, s:o}", "name", c->name, "keys", keys));
	free(lines);
}

int cmd_schema(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct command *one = args->n ? command_find(s, args->arg[0].word, e) : NULL;
	json_t *list;

	if (args->n && !one)
		return -1;
	list = json_array();
	out_text(o, "Schema %d.  All objects:\n", JSON_SCHEMA);
	print_keys(contract_common, o);
	for (size_t t = 0; !one && s->commands[t]; t++)
		for (const struct command *c = s->commands[t]; c->name; c++)
			tell_command(c, list, o);
	if (one)
		tell_command(one, list, o);
	out_json(o, "version", json_integer(JSON_SCHEMA));
	out_json(o, "common", keys_json(contract_common));
	out_json(o, "commands", list);
	return 0;
}
