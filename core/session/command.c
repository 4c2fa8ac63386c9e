#include "core/session/command.h"
#include "core/base/err.h"
#include "core/base/text.h"
#include "core/base/words.h"

#include <string.h>

#include "core/session/commands/commands.h"
#include "core/session/topics.h"

/* --- finding --------------------------------------------------------------- */

static const struct command *next_command(const struct session *s, size_t *table, size_t *i)
{
	for (; s->commands[*table]; (*table)++, *i = 0)
		if (s->commands[*table][*i].name)
			return &s->commands[*table][(*i)++];
	return NULL;
}

/* Words that other programs have for commands of this one. */
static const struct {
	const char *word, *command;
} foreign[] = {{"exit", "quit"}, {"colors", "colours"}};

struct nearest {
	const char *word, *best;
	unsigned edits;
	bool pane; /* the word is a pane's name */
};

static void take_nearest(struct nearest *n, const char *word)
{
	unsigned edits = word_edits(n->word, word);

	if (edits < n->edits) {
		n->edits = edits;
		n->best = word;
	}
}

static void take_pane(void *to, const struct named *named)
{
	struct nearest *n = to;

	n->pane |= !strcmp(named->kind, "pane") && !strcmp(named->name, n->word);
}

static void tell_unknown(const struct session *s, const char *word, struct err *e)
{
	/* a third of the letters may be wrong */
	struct nearest n = {.word = word, .edits = (unsigned)strlen(word) / 3 + 1};
	const struct command *c;
	size_t t = 0, i = 0;

	if (s->named)
		s->named(take_pane, &n);
	if (n.pane) {
		err_set(e, "%s is a pane, no command: `pane %s` shows it, `list %s` prints it", word, word,
			word);
		return;
	}
	while ((c = next_command(s, &t, &i)))
		take_nearest(&n, c->name);
	for (i = 0; i < ARRAY_LEN(foreign); i++)
		if (!strcmp(word, foreign[i].word))
			n.best = foreign[i].command;
	if (n.best)
		err_set(e, "unknown command \"%s\"; is `%s` meant? `help` lists all", word, n.best);
	else
		err_set(e, "unknown command \"%s\"; `help` lists them", word);
}

const struct command *command_find(const struct session *s, const char *name, struct err *e)
{
	const struct command *c, *found = NULL;
	struct text names = {0};
	size_t len = strlen(name), n = 0, t = 0, i = 0;

	while ((c = next_command(s, &t, &i))) {
		if (!strcmp(c->name, name)) {
			text_free(&names);
			return c;
		}
		if (!strncmp(c->name, name, len)) {
			text_add(&names, "%s%s", n++ ? ", " : "", c->name);
			found = c;
		}
	}
	if (n == 0)
		tell_unknown(s, name, e);
	else if (n > 1)
		err_set(e, "\"%s\" may be %s", name, text_str(&names));
	text_free(&names);
	return n == 1 ? found : NULL;
}
