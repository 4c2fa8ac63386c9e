/* Completion of command lines, from the same tables as the commands themselves. */
#include "core/base/defs.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/command.h"
#include "core/session/help.h"
#include "core/session/syntax.h"
#include "core/source/synth.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct completer {
	struct session *s;
	int argc; /* words before the one to be completed */
	char **argv;
	char *word;	  /* the text typed so far, unquoted */
	bool plain;	  /* the words are wanted without quotes */
	unsigned offered; /* kinds offered, as bits */
	char **list;
	size_t n, cap;
};

static void complete_add(struct completer *c, const char *w)
{
	if (c->n >= MOST_COMPLETIONS)
		return;
	GROW(c->list, c->n, c->cap);
	c->list[c->n++] = c->plain ? str_dup(w) : word_quoted(w);
}

static void complete_add_if(struct completer *c, const char *w)
{
	if (!strncasecmp(w, c->word, strlen(c->word)))
		complete_add(c, w);
}

static void complete_add_words(struct completer *c, const char *words)
{
	char *copy = str_dup(words), *save = NULL;

	for (char *w = strtok_r(copy, "| ", &save); w; w = strtok_r(NULL, "| ", &save))
		complete_add_if(c, w);
	free(copy);
}

/* Ports of the node named before '['. Labels are offered if more than digits follow it. */
static void add_ports(struct completer *c, const char *open)
{
	const struct fabric *f = c->s->fabric;
	bool labels = open[1 + strspn(open + 1, "0123456789")] != 0;
	AUTO_FREE char *name = str_dup(c->word);

	name[open - c->word] = 0;
	uint32_t n = session_node(c->s, name, NULL);
	for (unsigned p = 1; n != NO_ID && p <= f->node_nports[n]; p++) {
		const char *label = fabric_port_label(f, f->node_port[n] + p);

		if (f->port_peer[f->node_port[n] + p] == NO_ID)
			continue;
		char *w = !labels ? str_printf("%s[%u]", name, p)
			  : label ? str_printf("%s[%s]", name, label)
				  : NULL;
		if (w)
			complete_add_if(c, w);
		free(w);
	}
}

static bool complete_wanted(const struct fabric *f, uint32_t n, enum syntax_kind kind)
{
	if (kind == KIND_SWITCH || kind == KIND_ELEMENT || kind == KIND_SWITCHES)
		return node_is_switch(f, n);
	if (kind == KIND_HOST || kind == KIND_HOSTS)
		return !node_is_switch(f, n);
	return true;
}

static void complete_add_node(struct completer *c, uint32_t n, enum syntax_kind kind)
{
	const struct fabric *f = c->s->fabric;
	AUTO_FREE char *w = kind == KIND_PORT ? str_printf("%s[", f->node_name[n]) : NULL;

	if (complete_wanted(f, n, kind))
		complete_add(c, w ? w : f->node_name[n]);
}

static void add_nodes(struct completer *c, enum syntax_kind kind)
{
	const struct fabric *f = c->s->fabric;
	const char *open = strrchr(c->word, '[');
	bool guid = !strncasecmp(c->word, "0x", 2);
	char buf[24];

	if (!f)
		return;
	if (open && (kind == KIND_PORT || kind == KIND_ENDPORT || kind == KIND_TARGET)) {
		add_ports(c, open);
		return;
	}
	for (uint32_t i = 0; i < f->n_nodes && !guid; i++)
		if (!strncasecmp(f->node_name[f->by_name[i]], c->word, strlen(c->word)))
			complete_add_node(c, f->by_name[i], kind);
	if (!c->n && !guid) {
		struct name_hits h;

		/* If no name begins so: names with a word that does, or with the text anywhere. */
		names_find(c->s->fabric, c->word, NAMES_ANY, NAME_NONE, &h);
		for (uint32_t i = 0; i < h.n; i++)
			complete_add_node(c, h.node[i], kind);
		name_hits_free(&h);
	}
	for (uint32_t i = 0; i < f->n_nodes && guid; i++) {
		snprintf(buf, sizeof(buf), "0x%016" PRIx64, f->node_guid[f->by_guid[i]]);
		if (complete_wanted(f, f->by_guid[i], kind))
			complete_add_if(c, buf);
	}
}

/* Files, named after the first `lead` bytes of the word. */
static void add_files(struct completer *c, size_t lead)
{
	const char *text = c->word + lead, *slash = strrchr(text, '/'), *base = slash ? slash + 1 : text;
	AUTO_FREE char *dir = slash ? str_dup(text) : str_dup(".");
	struct dirent *d;
	struct stat st;

	if (slash)
		dir[slash - text + 1] = 0;
	DIR *dp = opendir(dir);
	while (dp && (d = readdir(dp))) {
		if (strncmp(d->d_name, base, strlen(base)) || (*d->d_name == '.' && *base != '.'))
			continue;
		char *path = str_printf("%.*s%s", (int)(base - c->word), c->word, d->d_name);
		if (!stat(path + lead, &st) && S_ISDIR(st.st_mode)) {
			char *with = str_printf("%s/", path);

			free(path);
			path = with;
		}
		complete_add(c, path);
		free(path);
	}
	if (dp)
		closedir(dp);
}

/* Of a list of engines the last word, but none that is in it already. */
static void complete_add_engine(struct completer *c, const char *name)
{
	const char *comma = strrchr(c->word, ',');
	int before = comma ? (int)(comma - c->word) + 1 : 0;
	AUTO_FREE char *list = str_printf(",%.*s", before, c->word), *one = str_printf(",%s,", name),
		       *w = str_printf("%.*s%s", before, c->word, name);

	if (!strstr(list, one))
		complete_add_if(c, w);
}

static void complete_add_engines(struct completer *c)
{
	for (size_t i = 0; c->s->engines[i]; i++)
		complete_add_engine(c, c->s->engines[i]->name);
	complete_add_engine(c, "no_fallback");
}

static void add_specs(struct completer *c)
{
	AUTO_TEXT struct text words = {0};

	synth_begins(c->word, &words);
	complete_add_words(c, text_str(&words));
}

static void add_option_value(struct completer *c, const char *name)
{
	const struct optdef *d = options_find(c->s->setup->options, name);

	if (d && d->type == OPT_BOOL)
		complete_add_words(c, "TRUE|FALSE");
	else if (d && d->type == OPT_CHOICE)
		complete_add_words(c, d->choices);
	else if (d && d->type == OPT_FILE)
		add_files(c, 0);
	if (d && d->names && *c->word)
		add_nodes(c, d->names == OPT_HOST_PORTS	 ? KIND_HOSTS
			     : d->names == OPT_ANY_PORTS ? KIND_NODE
							 : KIND_SWITCHES);
}

static void complete_add_options(struct completer *c, bool with_equals)
{
	for (size_t i = 0; i < options_count(c->s->setup->options); i++) {
		AUTO_FREE char *w =
			str_printf("%s%s", options_at(c->s->setup->options, i)->name, with_equals ? "=" : "");

		complete_add_if(c, w);
	}
}

static void complete_add_commands(struct completer *c)
{
	for (size_t t = 0; c->s->commands[t]; t++)
		for (const struct command *k = c->s->commands[t]; k->name; k++)
			complete_add_if(c, k->name);
}

/* What a line may begin with. */
static void add_first(struct completer *c)
{
	const struct command *list = command_find(c->s, "list", NULL);
	struct subcommand pane;

	complete_add_commands(c);
	for (size_t i = 0; list && list->subcommand && list->subcommand(i, &pane); i++)
		if (command_of_pane(c->s, pane.name))
			complete_add_if(c, pane.name);
}

static void complete_add_lessons(struct completer *c)
{
	AUTO_FREE char **names = lesson_names();

	for (size_t i = 0; names[i]; i++) {
		complete_add_if(c, names[i]);
		free(names[i]);
	}
}

/* OPTION=VALUE: complete the value from its beginning. */
static void add_assignment(struct completer *c)
{
	char *eq = strchr(c->word, '=');
	struct completer value = {.s = c->s};

	if (!eq) {
		complete_add_options(c, true);
		return;
	}
	AUTO_FREE char *name = str_dup(c->word);
	name[eq - c->word] = 0;
	value.word = eq + 1;
	add_option_value(&value, name);
	for (size_t i = 0; i < value.n; i++) {
		AUTO_FREE char *w = str_printf("%s=%s", name, value.list[i]);

		complete_add(c, w);
		free(value.list[i]);
	}
	free(value.list);
}

static void complete_add_kind(struct completer *c, enum syntax_kind kind)
{
	if (syntax_names_node(kind) && (*c->word == '@' || !strncmp(c->word, "-@", 2)))
		add_files(c, *c->word == '@' ? 1 : 2);
	if (syntax_names_node(kind))
		add_nodes(c, kind);
	else if (kind == KIND_FILE)
		add_files(c, 0);
	else if (kind == KIND_ENGINES)
		complete_add_engines(c);
	else if (kind == KIND_ASSIGNMENT)
		add_assignment(c);
	else if (kind == KIND_OPTION)
		complete_add_options(c, false);
	else if (kind == KIND_VALUE)
		add_option_value(c, c->argv[c->argc - 1]);
	else if (kind == KIND_COMMAND)
		complete_add_commands(c);
	else if (kind == KIND_LESSON)
		complete_add_lessons(c);
	else if (kind == KIND_SPEC)
		add_specs(c);
	for (size_t i = 0; kind == KIND_SNAPSHOT && i < c->s->n_snapshots; i++)
		complete_add_if(c, c->s->snapshot[i].name);
	if (kind == KIND_TOPIC) {
		for (const struct topic *p = c->s->words->topics; p->name; p++)
			complete_add_if(c, p->name);
		complete_add_options(c, false);
		complete_add_words(c,
				   "options|panes|columns|keys|actions|words|rules|figures|limits|fabrics");
	}
}

/* Offers a word of the syntax that fits at the cursor. */
static void offer_word(void *ctx, const char *word, size_t len)
{
	struct completer *c = ctx;
	size_t fixed = syntax_fixed(word, len);
	enum syntax_kind kind = syntax_kind(word, len);

	if (fixed) {
		char *w = str_printf("%.*s", (int)fixed, word);

		complete_add_if(c, w);
		free(w);
	} else if (!(c->offered & 1u << kind) && !(kind == KIND_TARGET && c->n)) {
		c->offered |= 1u << kind;
		complete_add_kind(c, kind);
	}
}

/* The subcommand of that name, or the only one that begins so. */
static bool find_subcommand(const struct command *k, const char *name, struct subcommand *found)
{
	struct subcommand s;
	unsigned n = 0;

	for (size_t i = 0; k->subcommand(i, &s); i++) {
		if (strncmp(s.name, name, strlen(name)))
			continue;
		*found = s;
		if (!strcmp(s.name, name))
			return true;
		n++;
	}
	return n == 1;
}

static void complete_subcommand(struct completer *c, const struct command *k)
{
	struct subcommand s;

	for (size_t i = 0; c->argc == 1 && k->subcommand(i, &s); i++)
		complete_add_if(c, s.name);
	if (c->argc == 1 || !find_subcommand(k, c->argv[1], &s))
		return;
	AUTO_FREE char *syntax = str_printf("%s %s", s.name, s.syntax);
	syntax_next(syntax, c->argc - 1, c->argv + 1, offer_word, c);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(**(char **const *)a, **(char **const *)b);
}

/* Two parts of the syntax may offer the same word. Its first place is kept. */
static void drop_doubles(struct completer *c)
{
	AUTO_FREE char ***order = NEW_ARRAY(c->n + 1, char **);
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		order[i] = &c->list[i];
	qsort(order, c->n, sizeof(*order), by_text);
	for (size_t i = 0, first = 0; i < c->n; i++) {
		char **later = order[i];

		if (!i || strcmp(*order[first], *order[i])) {
			first = i;
			continue;
		}
		if (later < order[first]) {
			later = order[first];
			order[first] = order[i];
		}
		free(*later);
		*later = NULL;
	}
	for (size_t i = 0; i < c->n; i++)
		if (c->list[i])
			c->list[n++] = c->list[i];
	c->n = n;
}

/* Is the text up to the end of the line the beginning of a name without need of quotes? */
static bool begins_name(const struct fabric *f, const char *text)
{
	const char *open = strrchr(text, '[');
	struct name_hits h;

	if (!text[strcspn(text, " \t;")])
		return false;
	if (open && node_named(f, text, (size_t)(open - text)) != NO_ID)
		return true;
	names_find(f, text, NAMES_ANY, NAME_LABEL, &h);
	bool any = h.n && (h.rank == NAME_LABEL || h.rank == NAME_WHOLE || h.rank == NAME_BEGIN ||
			   h.rank == NAME_FIRST);
	name_hits_free(&h);
	return any;
}

static void complete_look_for_node(void *ctx, const char *word, size_t len)
{
	enum syntax_kind k = syntax_kind(word, len);
	bool *any = ctx;

	*any |= syntax_names_node(k) || k == KIND_ARGUMENT;
}

static bool node_wanted(const struct completer *c)
{
	const struct command *k = c->s->fabric && c->argc ? command_find(c->s, c->argv[0], NULL) : NULL;
	bool any = false;

	if (k)
		syntax_next(k->syntax, c->argc, c->argv, complete_look_for_node, &any);
	return any;
}

static void complete_take_word(struct completer *c, char *word)
{
	const struct command *k = c->argc ? NULL : command_of_pane(c->s, word);

	if (k) /* `hosts` for `list hosts` */
		complete_take_word(c, str_dup(k->name));
	c->argv = mem_resize(c->argv, (size_t)c->argc + 2, sizeof(*c->argv));
	c->argv[c->argc++] = word;
	c->argv[c->argc] = NULL;
}

static void forget_words(struct completer *c)
{
	words_free(c->argc, c->argv);
	c->argc = 0;
	c->argv = NULL;
}

/* Take a name without need of quotes, and what stands behind it; *p moves on. */
static bool complete_take_name(struct completer *c, const char **p)
{
	size_t len;

	if (!node_wanted(c) || !names_at(c->s->fabric, *p, &len, 1) || !(*p)[len])
		return false;
	char *word = mem_dup(*p, len + 1);
	word[len] = 0;
	complete_take_word(c, word);
	*p += len;
	return true;
}

/* The words before the one under the cursor, and where that one begins.  NULL: in a comment. */
static const char *complete_read_line(struct completer *c, const char *p)
{
	for (;;) {
		const char *from = p = words_skip(p);
		char *word;

		if (!c->argc && *p == ':') {
			p++;
			continue;
		}
		if (*p && complete_take_name(c, &p))
			continue;
		if (*p && node_wanted(c) && begins_name(c->s->fabric, p)) {
			c->word = str_dup(p);
			return p;
		}
		if (*p == '#')
			return NULL;
		if (*p == ';') {
			forget_words(c);
			p++;
			continue;
		}
		if (!*p || words_take(&p, &word, NULL)) { /* nothing typed yet, or a quote is open */
			c->word = word_begun(from);
			return from;
		}
		if (!*p) {
			free(word);
			c->word = word_begun(from);
			return from;
		}
		complete_take_word(c, word);
	}
}

char **session_complete(struct session *s, const char *line, size_t *start)
{
	struct completer c = {.s = s};
	const char *at = strlen(line) > COMPLETED_MOST ? NULL : complete_read_line(&c, line);
	const struct command *k = at && c.argc ? command_find(s, c.argv[0], NULL) : NULL;

	*start = (size_t)((at ? at : line + strlen(line)) - line);
	if (at && !c.argc) {
		add_first(&c);
	} else if (k) {
		if (k->subcommand)
			complete_subcommand(&c, k);
		syntax_next(k->syntax, c.argc, c.argv, offer_word, &c);
		drop_doubles(&c);
	}
	forget_words(&c);
	free(c.word);
	GROW(c.list, c.n, c.cap);
	c.list[c.n] = NULL;
	return c.list;
}

char **session_complete_word(struct session *s, const char *syntax, const char *word)
{
	char name[] = "", *argv[] = {name, NULL}, *of = str_printf("ibscope %s", syntax);
	struct completer c = {.s = s, .argc = 1, .argv = argv, .word = str_dup(word), .plain = true};

	syntax_next(of, c.argc, c.argv, offer_word, &c);
	drop_doubles(&c);
	FREE_EACH(of, c.word);
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
