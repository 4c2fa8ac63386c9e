/* Conditions of `step until` and `step break`: terms with "and" between them. */
#include <stdlib.h>
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
	unsigned v = 0;

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

static int a_port(const struct session *s, const char *word, uint32_t *port, struct err *e)
{
	*port = session_port(s, word, e);
	return *port == NO_ID ? -1 : 0;
}

/*
 * The words of a term as one text, with one blank between them.  It lasts as long as `words`, which must have
 * room enough.
 */
static const char *joined(int argc, char **argv, struct text *words)
{
	size_t start = words->len;

	for (int i = 0; i < argc; i++)
		text_add(words, "%s%s", i ? " " : "", argv[i]);
	words->len++; /* its NUL stays */
	return words->s + start;
}

static int two_words(const struct session *s, char **argv, struct rec_condition *c, struct text *words,
		     struct err *e)
{
	uint32_t n;

	if (!strcmp(argv[0], "switch"))
		return a_switch(s, argv[1], &c->sw, e);
	if (!strcmp(argv[0], "target"))
		return a_switch(s, argv[1], &c->target, e);
	if (!strcmp(argv[0], "lid"))
		return a_lid(s, argv[1], &c->lid, e);
	if (!strcmp(argv[0], "port"))
		return a_port(s, argv[1], &c->port, e);
	if (!strcmp(argv[0], "round"))
		return a_number("round", argv[1], 254, &c->round, e);
	if (!strcmp(argv[0], "phase")) {
		c->phase = joined(1, argv + 1, words);
		return 0;
	}
	if (!strcmp(argv[0], "layer")) {
		if (a_number("layer", argv[1], 14, &n, e))
			return -1;
		c->layer = n;
		return 0;
	}
	c->decided = true; /* SWITCH DST */
	return a_switch(s, argv[0], &c->sw, e) || a_lid(s, argv[1], &c->lid, e) ? -1 : 0;
}

static bool a_word(int argc, char **argv, struct rec_condition *c)
{
	for (unsigned i = 0; i < N_WORDS; i++) {
		bool two = i == WORD_NO_ENTRY;

		if (two ? argc == 2 && !strcmp(argv[0], "no") && !strcmp(argv[1], "entry")
			: argc == 1 && !strcmp(argv[0], rec_words[i])) {
			c->words |= 1u << i;
			return true;
		}
	}
	return false;
}

static int term(const struct session *s, int argc, char **argv, struct rec_condition *c, struct text *words,
		struct err *e)
{
	if (a_word(argc, argv, c))
		return 0;
	if (argc > 1 && !strcmp(argv[0], "text")) {
		c->text = joined(argc - 1, argv + 1, words);
		return 0;
	}
	if (argc > 1 && !strcmp(argv[0], "rule")) {
		c->rule = joined(argc - 1, argv + 1, words);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[0], "pair"))
		return a_switch(s, argv[1], &c->pair_a, e) || a_switch(s, argv[2], &c->pair_b, e) ? -1 : 0;
	if (argc == 3 && (!strcmp(argv[1], "LID") || !strcmp(argv[1], "lid"))) {
		char *without[] = {argv[0], argv[2]};

		return two_words(s, without, c, words, e);
	}
	if (argc && !strcmp(argv[0], "pair"))
		return err_set(e, "pair: found %s, expected two switches: pair A B",
			       PLURAL((uint64_t)argc - 1, "word"));
	if (argc == 2)
		return two_words(s, argv, c, words, e);
	if (!argc)
		return err_set(e, "found nothing beside 'and', expected a condition there");
	return err_set(
		e,
		"found '%s%s%s', expected SWITCH DST, switch S, target S, lid DST, pair A B, layer N, port "
		"NODE[PORT], round N, phase WORD, refused, opened, moved, forbidden, kept, tie, lowered, "
		"ahead, root, no entry, rule WORDS or text WORDS",
		argc ? argv[0] : "", argc > 1 ? " " : "", argc > 1 ? argv[1] : "");
}

int step_condition(const struct session *s, int argc, char **argv, struct rec_condition *c,
		   struct text *words, struct err *e)
{
	size_t most = 1;

	*c = REC_ANY;
	for (int i = 0; i < argc; i++)
		most += strlen(argv[i]) + 1;
	/* room for all at once, since texts are pointed to */
	text_add(words, "%*s", (int)most, "");
	words->len = 0;
	for (int from = 0, i = 0; i <= argc; i++) {
		if (i < argc && strcmp(argv[i], "and"))
			continue;
		if (term(s, i - from, argv + from, c, words, e))
			return -1;
		from = i + 1;
	}
	return 0;
}
