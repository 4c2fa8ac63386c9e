/* Conditions of `step until` and `step break`: terms with "and" between them. */
#include <string.h>

#include "core/base/number.h"
#include "core/base/err.h"
#include "core/session/commands/commands.h"
#include "core/session/commands/steps.h"
#include "core/trace/walk.h"

static int a_switch(const struct session *s, const char *word, uint32_t *sw, struct err *e)
{
	uint32_t node = session_node(s, word, e);

	if (node == NO_ID)
		return -1;
	if (!node_is_switch(s->fabric, node))
		return err_set(e, "found %s, which is no switch, expected a switch",
			       s->fabric->node_name[node]);
	*sw = s->fabric->node_switch[node];
	return 0;
}

static int a_lid(const struct session *s, const char *word, uint16_t *lid, struct err *e)
{
	unsigned v;

	if (session_endport(s, word, &v, e) == NO_ID)
		return -1;
	*lid = v;
	return 0;
}

static int a_number(const char *term, const char *word, unsigned long most, uint32_t *v, struct err *e)
{
	uint64_t n;

	if (!number_of(word, 0, most, &n))
		return err_set(e, "%s: found '%.80s', expected a number from 0 to %lu", term, word, most);
	*v = (uint32_t)n;
	return 0;
}

/* The words of a term as one text, joined by blanks. It points into `words`, which has room. */
static const char *step_until_command_joined(int n, const struct arg *word, struct text *words)
{
	size_t start = words->len;

	for (int i = 0; i < n; i++)
		text_add(words, "%s%s", i ? " " : "", word[i].word);
	words->len++; /* keep its NUL */
	return words->s + start;
}

/* A term of two words: SWITCH DST, or a kind and a name. */
static int two_words(const struct session *s, const char *what, const struct arg *word,
		     struct rec_condition *c, struct text *words, struct err *e)
{
	uint32_t n;

	if (!strcmp(what, "switch"))
		return a_switch(s, word->word, &c->sw, e);
	if (!strcmp(what, "target"))
		return a_switch(s, word->word, &c->target, e);
	if (!strcmp(what, "lid"))
		return a_lid(s, word->word, &c->lid, e);
	if (!strcmp(what, "port")) {
		c->port = session_port(s, word->word, e);
		return c->port == NO_ID ? -1 : 0;
	}
	if (!strcmp(what, "round"))
		return a_number("round", word->word, 254, &c->round, e);
	if (!strcmp(what, "phase")) {
		c->phase = step_until_command_joined(1, word, words);
		return 0;
	}
	if (!strcmp(what, "layer")) {
		if (a_number("layer", word->word, 14, &n, e))
			return -1;
		c->layer = n;
		return 0;
	}
	c->decided = true; /* SWITCH DST */
	return a_switch(s, what, &c->sw, e) || a_lid(s, word->word, &c->lid, e) ? -1 : 0;
}

static int term(const struct session *s, int n, const struct arg *word, struct rec_condition *c,
		struct text *words, struct err *e)
{
	const char *what = n ? word[0].word : "", *second = n > 1 ? word[1].word : "";

	for (unsigned i = 0; i < N_WORDS; i++)
		if (i == WORD_NO_ENTRY ? n == 2 && !strcmp(what, "no") && !strcmp(second, "entry")
				       : n == 1 && !strcmp(what, rec_words[i])) {
			c->words |= 1u << i;
			return 0;
		}
	if (n > 1 && (!strcmp(what, "text") || !strcmp(what, "rule"))) {
		*(*what == 't' ? &c->text : &c->rule) = step_until_command_joined(n - 1, word + 1, words);
		return 0;
	}
	if (n == 3 && !strcmp(what, "pair"))
		return a_switch(s, second, &c->pair_a, e) || a_switch(s, word[2].word, &c->pair_b, e) ? -1
												      : 0;
	if (n == 3 && (!strcmp(second, "LID") || !strcmp(second, "lid")))
		return two_words(s, what, word + 2, c, words, e);
	if (!strcmp(what, "pair"))
		return err_word(e, "pair: found %s, expected two switches: pair A B",
				PLURAL((uint64_t)n - 1, "word"));
	if (n == 2)
		return two_words(s, what, word + 1, c, words, e);
	if (!n)
		return err_set(e, "found 'and' without a condition before or after it");
	return err_word(
		e,
		"found '%s%s%s', expected SWITCH DST, switch S, target S, lid DST, pair A B, layer N, port "
		"NODE[PORT], round N, phase WORD, refused, opened, moved, forbidden, kept, tie, lowered, "
		"ahead, root, no entry, rule WORDS or text WORDS",
		what, *second ? " " : "", second);
}

int step_condition(const struct session *s, int n, const struct arg *word, struct rec_condition *c,
		   struct text *words, struct err *e)
{
	size_t most = 1;

	*c = REC_ANY;
	for (int i = 0; i < n; i++)
		most += strlen(word[i].word) + 1;
	/* reserve all room now: the conditions point into this text */
	text_add(words, "%*s", (int)most, "");
	words->len = 0;
	for (int from = 0, i = 0; i <= n; i++) {
		if (i < n && strcmp(word[i].word, "and"))
			continue;
		if (term(s, i - from, word + from, c, words, e))
			return -1;
		from = i + 1;
	}
	return 0;
}
