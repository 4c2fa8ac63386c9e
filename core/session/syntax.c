#include "core/session/syntax.h"
#include "core/base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/*
 * The syntax is followed for all ways of reading the words at once: a set says behind how
 * many words a reading may stand ([argc + 1] bytes).
 */
struct matcher {
	int argc; /* words behind the command */
	char *const *argv;
	const char *name; /* of the command */
	size_t name_len;
	const bool *whole; /* of the words behind the command: names of nodes; may be NULL */
	void (*offer)(void *ctx, const char *word, size_t len); /* may be NULL */
	void *ctx;
};

static const struct {
	const char *word;
	enum syntax_kind kind;
} kinds[] = {
	{"NODE", KIND_NODE},
	{"SWITCH", KIND_SWITCH},
	{"S", KIND_SWITCHES},
	{"ELEMENT", KIND_SWITCH},
	{"CHASSIS", KIND_SWITCH},
	{"CARD", KIND_SWITCH},
	{"HOST", KIND_HOST},
	{"H", KIND_HOSTS},
	{"NODE[PORT]", KIND_PORT},
	{"SRC", KIND_ENDPORT},
	{"DST", KIND_ENDPORT},
	{"DESTINATION", KIND_ENDPORT},
	{"ARGUMENT", KIND_ARGUMENT},
	{"PORT", KIND_ARGUMENT},
	{"TEXT", KIND_TEXT},
	{"FILE", KIND_FILE},
	{"ENGINE", KIND_ENGINES},
	{"ENGINE[,ENGINE...]", KIND_ENGINES},
	{"OPTION=VALUE", KIND_ASSIGNMENT},
	{"OPTION", KIND_OPTION},
	{"VALUE", KIND_VALUE},
	{"SNAPSHOT", KIND_SNAPSHOT},
	{"COMMAND", KIND_COMMAND},
	{"TOPIC", KIND_TOPIC},
	{"LESSON", KIND_LESSON},
	{"SPEC", KIND_SPEC},
};

enum syntax_kind syntax_kind(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strlen(kinds[i].word) == len && !strncmp(kinds[i].word, word, len))
			return kinds[i].kind;
	return KIND_NONE;
}

static size_t set_size(const struct matcher *m)
{
	return (size_t)m->argc + 1;
}

static void unite(const struct matcher *m, char *set, const char *with)
{
	for (size_t i = 0; i < set_size(m); i++)
		set[i] |= with[i];
}

size_t syntax_fixed(const char *word, size_t len)
{
	const char *eq = memchr(word, '=', len);

	if (isupper((unsigned char)*word))
		return 0;
	return eq ? (size_t)(eq - word) + 1 : len;
}

/* Does a word of the syntax stand for one that was typed? */
static bool stands_for(const char *word, size_t len, const char *typed)
{
	size_t fixed = syntax_fixed(word, len);

	return !strncmp(word, typed, fixed) && (fixed < len || !typed[fixed]);
}

static bool takes_names(const char *word, size_t len)
{
	enum syntax_kind k = syntax_kind(word, len);

	return syntax_names_node(k) || k == KIND_ARGUMENT || k == KIND_TEXT;
}

static void match_word(const struct matcher *m, const char *word, size_t len, const char *in, char *out)
{
	for (int i = 0; i < m->argc; i++)
		out[i + 1] |= in[i] && (m->whole && m->whole[i] ? takes_names(word, len)
								: stands_for(word, len, m->argv[i]));
	if (in[m->argc] && m->offer)
		m->offer(m->ctx, word, len);
}

/* Words with '|' between up to a blank, a closing bracket or "..."; returns the end. */
static const char *match_words(const struct matcher *m, const char *p, const char *in, char *out)
{
	const char *from = p;
	int depth = 0;

	for (;; p++) {
		bool end = !*p || *p == ' ' || (!depth && (*p == ']' || !strncmp(p, "...", 3)));

		if (end || (!depth && *p == '|')) {
			match_word(m, from, (size_t)(p - from), in, out);
			from = p + 1;
		}
		if (end)
			return p;
		depth += (*p == '[') - (*p == ']');
	}
}

static const char *match_forms(const struct matcher *m, const char *p, char *set);

/* A word or a group in brackets, once. */
static const char *match_once(const struct matcher *m, const char *p, const char *in, char *out)
{
	if (*p != '[')
		return match_words(m, p, in, out);
	unite(m, out, in);
	p = match_forms(m, p + 1, out);
	unite(m, out, in);
	return p + (*p == ']');
}

/* The same, again and again where "..." follows.  set becomes what it leads to. */
static const char *match_item(const struct matcher *m, const char *p, char *set)
{
	char *now = mem_dup(set, set_size(m)), *out = NEW_ARRAY(set_size(m), char), *before;
	const char *end = match_once(m, p, now, out);
	bool again = !strncmp(end, "...", 3);

	while (again) {
		before = mem_dup(out, set_size(m));
		memset(now, 0, set_size(m));
		match_once(m, p, before, now);
		unite(m, out, now);
		again = memcmp(before, out, set_size(m)) != 0;
		free(before);
	}
	memcpy(set, out, set_size(m));
	free(now);
	free(out);
	return end + (strncmp(end, "...", 3) ? 0 : 3);
}

/* One form: up to a '|' by itself, a closing bracket or the end. */
static const char *match_form(const struct matcher *m, const char *p, char *set)
{
	for (;;) {
		p += strspn(p, " ");
		if (!*p || *p == ']' || *p == '|')
			return p;
		p = match_item(m, p, set);
	}
}

static const char *match_forms(const struct matcher *m, const char *p, char *set)
{
	char *in = mem_dup(set, set_size(m)), *form = mem_dup(set, set_size(m));

	memset(set, 0, set_size(m));
	for (bool more = true; more; more = *p++ == '|') {
		p += strspn(p, " ");
		if (!strncmp(p, m->name, m->name_len) && strchr(" ", p[m->name_len]))
			p += m->name_len;
		memcpy(form, in, set_size(m));
		p = match_form(m, p, form);
		unite(m, set, form);
	}
	free(in);
	free(form);
	return p - 1;
}

static bool match(const char *syntax, int argc, char *const *argv, const bool *whole,
		  void (*offer)(void *ctx, const char *word, size_t len), void *ctx)
{
	struct matcher m = {.argc = argc - 1,
			    .argv = argv + 1,
			    .name = syntax,
			    .name_len = strcspn(syntax, " "),
			    .whole = whole ? whole + 1 : NULL,
			    .offer = offer,
			    .ctx = ctx};
	char *set = NEW_ARRAY(set_size(&m), char);
	bool fits;

	set[0] = 1;
	match_forms(&m, syntax, set);
	fits = set[m.argc];
	free(set);
	return fits;
}

bool syntax_fits(const char *syntax, int argc, char *const *argv)
{
	return match(syntax, argc, argv, NULL, NULL, NULL);
}

bool syntax_fits_names(const char *syntax, int argc, char *const *argv, const bool *whole)
{
	return match(syntax, argc, argv, whole, NULL, NULL);
}

void syntax_next(const char *syntax, int argc, char *const *argv,
		 void (*offer)(void *ctx, const char *word, size_t len), void *ctx)
{
	match(syntax, argc, argv, NULL, offer, ctx);
}
