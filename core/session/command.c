#include "core/session/command.h"
#include "core/base/err.h"
#include "core/base/text.h"
#include "core/base/words.h"

#include <string.h>

#include "core/session/commands/commands.h"
#include "core/session/groups.h"

/* --- finding --------------------------------------------------------------- */

static const struct command *command_next(const struct session *s, size_t *table, size_t *i)
{
	for (; s->commands[*table]; (*table)++, *i = 0)
		if (s->commands[*table][*i].name)
			return &s->commands[*table][(*i)++];
	return NULL;
}

/* Words of other programs that do the same here. */
static const struct {
	const char *word, *command;
} aliases[] = {{"exit", "quit"}, {"q", "quit"}, {"colors", "colours"}};

static const char *alias_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
		if (!strcmp(aliases[i].word, word))
			return aliases[i].command;
	return word;
}

static const struct command *find_whole(const struct session *s, const char *name)
{
	const struct command *c;
	size_t t = 0, i = 0;

	while ((c = command_next(s, &t, &i)))
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

/* The i-th pane that the command `list` knows (NULL: there is none); false: there are no more. */
static bool next_pane(const struct command *list, size_t i, struct subcommand *pane)
{
	return list && list->subcommand && list->subcommand(i, pane);
}

const struct command *command_of_pane(const struct session *s, const char *name)
{
	const struct command *list = find_whole(s, "list");
	struct subcommand pane;

	if (find_whole(s, alias_of(name)))
		return NULL;
	for (size_t i = 0; next_pane(list, i, &pane); i++)
		if (!strcmp(pane.name, name))
			return s->on_screen ? find_whole(s, "pane") : list;
	return NULL;
}

/* --- what may be meant --------------------------------------------------------- */

struct nearest {
	const char *word, *best;
	unsigned edits;
	struct text also; /* commands and panes for which the word stands elsewhere */
	unsigned n;
};

static void take_nearest(struct nearest *n, const char *name)
{
	unsigned edits = word_edits(n->word, name);

	if (edits < n->edits) {
		n->edits = edits;
		n->best = name;
	}
	if (words_have(group_also(name), n->word))
		text_add(&n->also, "%s`%s`", n->n++ ? ", " : "", name);
}

static void command_tell_unknown(const struct session *s, const char *word, struct err *e)
{
	const struct command *list = find_whole(s, "list");
	/* a third of the letters may be wrong */
	struct nearest n = {.word = word, .edits = (unsigned)strlen(word) / 3 + 1};
	const struct command *c;
	struct subcommand pane;
	size_t t = 0, i = 0;

	while ((c = command_next(s, &t, &i)))
		take_nearest(&n, c->name);
	for (i = 0; next_pane(list, i, &pane); i++)
		if (!find_whole(s, pane.name))
			take_nearest(&n, pane.name);
	if (n.n)
		err_set(e, "unknown command \"%s\"; see %s; `help` lists all", word, n.also.s);
	else if (n.best)
		err_set(e, "unknown command \"%s\"; is `%s` meant? `help` lists all", word, n.best);
	else
		err_set(e, "unknown command \"%s\"; `help` lists them", word);
	text_free(&n.also);
}

const struct command *command_find(const struct session *s, const char *name, struct err *e)
{
	const struct command *c = find_whole(s, alias_of(name)), *found = NULL;
	struct text names = {0};
	size_t len = strlen(name), n = 0, t = 0, i = 0;

	if (c)
		return c;
	while ((c = command_next(s, &t, &i))) {
		if (!strncmp(c->name, name, len)) {
			text_add(&names, "%s%s", n++ ? ", " : "", c->name);
			found = c;
		}
	}
	if (n == 0)
		command_tell_unknown(s, name, e);
	else if (n > 1)
		err_set(e, "\"%s\" may be %s", name, text_str(&names));
	text_free(&names);
	return n == 1 ? found : NULL;
}
