/* Completion of command lines, from the same tables as the commands themselves. */
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/command.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define MOST_COMPLETIONS 20000

struct completer {
	struct session *s;
	int argc; /* words before the one to be completed */
	char **argv;
	char *word; /* what stands there so far, unquoted */
	char **list;
	size_t n, cap;
};

/* Words with blanks and the like get quotes. */
static char *quote(const char *w)
{
	struct text t = {0};

	if (*w && !strpbrk(w, " \t;'\"\\#"))
		return str_dup(w);
	text_putc(&t, '"');
	for (; *w; w++) {
		if (*w == '"' || *w == '\\')
			text_putc(&t, '\\');
		text_putc(&t, *w);
	}
	text_putc(&t, '"');
	return t.s;
}

static void add(struct completer *c, const char *w)
{
	if (c->n >= MOST_COMPLETIONS)
		return;
	GROW(c->list, c->n, c->cap);
	c->list[c->n++] = quote(w);
}

static void add_if(struct completer *c, const char *w)
{
	if (!strncasecmp(w, c->word, strlen(c->word)))
		add(c, w);
}

static void add_words(struct completer *c, const char *words)
{
	char *copy = str_dup(words), *save = NULL;

	for (char *w = strtok_r(copy, "|", &save); w; w = strtok_r(NULL, "|", &save))
		add_if(c, w);
	free(copy);
}

/* Ports of the node named before the '['. */
static void add_ports(struct completer *c, const char *open)
{
	const struct fabric *f = c->s->fabric;
	char *name = str_dup(c->word), *w;
	uint32_t n;

	name[open - c->word] = 0;
	n = session_node(c->s, name, NULL);
	for (unsigned p = 1; n != NO_ID && p <= f->node_nports[n]; p++) {
		if (f->port_peer[f->node_port[n] + p] == NO_ID)
			continue;
		w = str_printf("%s[%u]", name, p);
		add_if(c, w);
		free(w);
	}
	free(name);
}

static bool wanted(const struct fabric *f, uint32_t n, char kind)
{
	if (kind == ARG_SWITCH)
		return node_is_switch(f, n);
	if (kind == ARG_HOST)
		return !node_is_switch(f, n);
	return true;
}

static void add_nodes(struct completer *c, char kind)
{
	const struct fabric *f = c->s->fabric;
	const char *open = strrchr(c->word, '[');
	bool guid = !strncasecmp(c->word, "0x", 2);
	char buf[24];

	if (!f)
		return;
	if (open && (kind == ARG_PORT || kind == ARG_ENDPORT)) {
		add_ports(c, open);
		return;
	}
	for (uint32_t i = 0; i < f->n_nodes && !guid; i++) {
		uint32_t n = f->by_name[i];
		char *w;

		if (!wanted(f, n, kind) || strncasecmp(f->node_name[n], c->word, strlen(c->word)))
			continue;
		w = kind == ARG_PORT ? str_printf("%s[", f->node_name[n]) : NULL;
		add(c, w ? w : f->node_name[n]);
		free(w);
	}
	for (uint32_t i = 0; i < f->n_nodes && guid; i++) {
		snprintf(buf, sizeof(buf), "0x%016lx", f->node_guid[f->by_guid[i]]);
		if (wanted(f, f->by_guid[i], kind))
			add_if(c, buf);
	}
}

static void add_files(struct completer *c)
{
	const char *slash = strrchr(c->word, '/'), *base = slash ? slash + 1 : c->word;
	char *dir = slash ? str_dup(c->word) : str_dup(".");
	struct dirent *d;
	struct stat st;
	DIR *dp;

	if (slash)
		dir[slash - c->word + 1] = 0;
	dp = opendir(dir);
	while (dp && (d = readdir(dp))) {
		char *path;

		if (strncmp(d->d_name, base, strlen(base)) || (*d->d_name == '.' && *base != '.'))
			continue;
		path = str_printf("%.*s%s", slash ? (int)(slash - c->word + 1) : 0, c->word, d->d_name);
		if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
			char *with = str_printf("%s/", path);

			free(path);
			path = with;
		}
		add(c, path);
		free(path);
	}
	if (dp)
		closedir(dp);
	free(dir);
}

static void add_engines(struct completer *c)
{
	const char *comma = strrchr(c->word, ',');
	int before = comma ? comma - c->word + 1 : 0;

	for (size_t i = 0; c->s->engines[i]; i++) {
		char *w = str_printf("%.*s%s", before, c->word, c->s->engines[i]->name);

		add_if(c, w);
		free(w);
	}
}

static void add_option_value(struct completer *c, const char *name)
{
	const struct optdef *d = options_find(c->s->setup->options, name);

	if (d && d->type == OPT_BOOL)
		add_words(c, "TRUE|FALSE");
	else if (d && d->type == OPT_CHOICE)
		add_words(c, d->choices);
	else if (d && d->type == OPT_FILE)
		add_files(c);
}

static void add_options(struct completer *c, bool with_equals)
{
	for (size_t i = 0; i < options_count(c->s->setup->options); i++) {
		char *w =
			str_printf("%s%s", options_at(c->s->setup->options, i)->name, with_equals ? "=" : "");

		add_if(c, w);
		free(w);
	}
}

static void add_commands(struct completer *c)
{
	for (size_t t = 0; c->s->commands[t]; t++)
		for (const struct command *k = c->s->commands[t]; k->name; k++)
			add_if(c, k->name);
}

/* OPTION=VALUE: completes the value behind what is there. */
static void add_assignment(struct completer *c)
{
	char *eq = strchr(c->word, '=');
	struct completer value = {.s = c->s};
	char *name;

	if (!eq) {
		add_options(c, true);
		return;
	}
	name = str_dup(c->word);
	name[eq - c->word] = 0;
	value.word = eq + 1;
	add_option_value(&value, name);
	for (size_t i = 0; i < value.n; i++) {
		char *w = str_printf("%s=%s", name, value.list[i]);

		add(c, w);
		free(w);
		free(value.list[i]);
	}
	free(value.list);
	free(name);
}

static void add_specs(struct completer *c)
{
	static const char specs[] =
		"xgft:|torus:|mesh:|hypercube:|dragonfly:|hyperx:|ring:|random:|director:|published:";

	add_words(c, specs);
}

/* The kind of the argument at place i (0 = first behind the command). */
static char kind_at(const struct command *k, int i)
{
	const char *a = k->args ? k->args : "";
	char kind = ARG_NONE;

	for (; *a; a++) {
		if (*a != ARG_REPEAT) {
			kind = *a;
			if (i-- == 0)
				return a[0];
		}
		if (a[1] == ARG_REPEAT && !a[2])
			return kind;
	}
	return ARG_NONE;
}

/* `fail` and `restore`: what is named depends on the word before. */
static char refine(const struct completer *c, char kind)
{
	const char *w = c->argc > 1 ? c->argv[1] : "";

	if (strcmp(c->argv[0], "fail") && strcmp(c->argv[0], "restore"))
		return kind;
	if (c->argc < 2)
		return ARG_WORD;
	return !strcmp(w, "link")     ? ARG_PORT
	       : !strcmp(w, "switch") ? ARG_SWITCH
	       : !strcmp(w, "host")   ? ARG_HOST
				      : ARG_NONE;
}

/* Engines and options in any order: `compare`, and the pane of that name. */
static bool compares(const struct completer *c, const struct command *k)
{
	return !strcmp(k->name, "compare") ||
	       (!strcmp(k->name, "pane") && c->argc > 1 && !strcmp(c->argv[1], "compare"));
}

static void complete_argument(struct completer *c, const struct command *k)
{
	char kind = refine(c, kind_at(k, c->argc - 1));

	if (compares(c, k)) {
		add_engines(c);
		add_assignment(c);
		return;
	}
	switch (kind) {
	case ARG_NODE:
	case ARG_SWITCH:
	case ARG_HOST:
	case ARG_PORT:
	case ARG_ENDPORT:
		add_nodes(c, kind);
		break;
	case ARG_FILE:
		add_files(c);
		break;
	case ARG_ENGINES:
		add_engines(c);
		break;
	case ARG_ENGINE_OPTION:
		add_assignment(c);
		break;
	case ARG_OPTION:
		add_options(c, false);
		break;
	case ARG_VALUE:
		add_option_value(c, c->argv[c->argc - 1]);
		break;
	case ARG_SNAPSHOT:
		for (size_t i = 0; i < c->s->n_snapshots; i++)
			add_if(c, c->s->snapshot[i].name);
		break;
	case ARG_COMMAND:
		add_commands(c);
		break;
	case ARG_WORD:
		add_words(c, k->words);
		break;
	case ARG_SPEC:
		add_specs(c);
		break;
	default:
		break;
	}
}

/* Where the word under the cursor begins, with regard to quotes; *command is set to the start of the command.
 */
static size_t word_start(const char *line, size_t *command)
{
	size_t start = 0;
	char open = 0;

	*command = 0;
	for (size_t i = 0; line[i]; i++) {
		if (line[i] == '\\' && open != '\'' && line[i + 1]) {
			i++;
		} else if (open) {
			open = line[i] == open ? 0 : open;
		} else if (line[i] == '"' || line[i] == '\'') {
			open = line[i];
		} else if (isspace((unsigned char)line[i])) {
			start = i + 1;
		} else if (line[i] == ';') {
			start = *command = i + 1;
		}
	}
	return start;
}

/* The text of a possibly unfinished word without its quotes. */
static char *unquote(const char *w)
{
	struct text t = {0};
	char open = 0;

	for (; *w; w++) {
		if (*w == '\\' && open != '\'' && w[1])
			text_putc(&t, *++w);
		else if (open ? *w == open : (*w == '"' || *w == '\''))
			open = open ? 0 : *w;
		else
			text_putc(&t, *w);
	}
	return t.s ? t.s : str_dup("");
}

char **session_complete(struct session *s, const char *line, size_t *start)
{
	struct completer c = {.s = s};
	size_t command;
	const char *rest;
	char *before;

	*start = word_start(line, &command);
	before = str_dup(line + command);
	before[*start > command ? *start - command : 0] = 0;
	c.word = unquote(line + *start);
	if (!words_split(before, &rest, &c.argc, &c.argv, NULL)) {
		const struct command *k = c.argc ? command_find(s, c.argv[0], NULL) : NULL;

		if (!c.argc)
			add_commands(&c);
		else if (k)
			complete_argument(&c, k);
		words_free(c.argc, c.argv);
	}
	free(before);
	free(c.word);
	GROW(c.list, c.n, c.cap);
	c.list[c.n] = NULL;
	return c.list;
}

void completions_free(char **c)
{
	if (!c)
		return;
	for (size_t i = 0; c[i]; i++)
		free(c[i]);
	free(c);
}
