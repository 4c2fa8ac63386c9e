/* Arguments of commands as they were read, and the groups in which commands stand. */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/advise/advise.h"
#include "core/analysis/survey/survey.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/session/command.h"
#include "core/session/session.h"

/* Numbers that mean the same in every command. */
static const struct arg_number usual[] = {
	ARG_NUMBER("LAYER", 0, 15, "a layer, 0 to 15", NULL),
	ARG_NUMBER("VL", 0, 15, "a VL, 0 to 15", NULL),
	ARG_NUMBER("cause N", 1, INT_MAX, "a number from 1", "cause"),
	ARG_NUMBER("GROUP", 1, INT_MAX, "a number from 1", NULL),
	ARG_NUMBER("STEP", 1, INT_MAX, "a number from 1", NULL),
	ARG_NUMBER("SHIFT", 1, INT_MAX, "a number from 1", NULL),
	ARG_NUMBER("shift K", 1, UINT32_MAX, "a number from 1", "pattern shift"),
	ARG_NUMBER("group N", 1, UINT32_MAX, "the number of a group as `cycles` shows it", NULL),
	ARG_LIMIT("failures N", 0, ADVISE_MOST_FAILURES,
		  "a number from 0 to " NUMBER_TEXT(ADVISE_MOST_FAILURES), "failures"),
	ARG_LIMIT("pairs N", 1, SURVEY_MOST_PAIRS, "pairs from 1 to " NUMBER_TEXT(SURVEY_MOST_PAIRS), NULL),
	ARG_LIMIT("threads=K", 1, SURVEY_MOST_THREADS, "threads from 1 to " NUMBER_TEXT(SURVEY_MOST_THREADS),
		  NULL),
	{.key = "seed=K", .most = UINT64_MAX, .what = "a number", .lead = "seed", .any_base = true},
	{.key = NULL},
};

/* --- finding ------------------------------------------------------------------------------------------ */

static bool args_is_word(const char *word, size_t len, const char *of)
{
	return strlen(of) == len && !strncmp(word, of, len);
}

/* Does a word of the syntax have this key? `before` is the small word typed before it, NULL: none. */
static bool has_key(const char *word, size_t len, const struct arg *before, const char *key)
{
	const char *blank = strchr(key, ' ');

	if (!blank)
		return args_is_word(word, len, key);
	return before && before->small && before->len == (size_t)(blank - key) &&
	       !strncmp(before->name, key, before->len) && args_is_word(word, len, blank + 1);
}

static const struct arg_number *find_number(const struct arg_number *own, const char *word, size_t len,
					    const struct arg *before)
{
	for (const struct arg_number *n = own; n && n->key; n++)
		if (has_key(word, len, before, n->key))
			return n;
	return own == usual ? NULL : find_number(usual, word, len, before);
}

const struct arg *args_next(const struct args *a, const char *key, const struct arg *before)
{
	assert(!before || (before >= a->arg && before < a->arg + a->n));
	for (int i = before ? (int)(before - a->arg) + 1 : 0; i < a->n; i++)
		if (has_key(a->arg[i].name, a->arg[i].len, i ? &a->arg[i - 1] : NULL, key))
			return &a->arg[i];
	return NULL;
}

const struct arg *args_get(const struct args *a, const char *key)
{
	return args_next(a, key, NULL);
}

bool args_has(const struct args *a, const char *small)
{
	return args_get(a, small) != NULL;
}

bool args_end(const struct args *a, const char *small)
{
	return a->n && args_is_word(a->arg[a->n - 1].name, a->arg[a->n - 1].len, small);
}

const char *args_word(const struct args *a, const char *key, const char *otherwise)
{
	const struct arg *x = args_get(a, key);

	return x ? x->word : otherwise;
}

uint64_t args_number(const struct args *a, const char *key, uint64_t otherwise)
{
	const struct arg *x = args_get(a, key);

	return x ? x->n : otherwise;
}

int args_which(const struct args *a, const char *const *words, unsigned n)
{
	assert(n);
	for (unsigned i = 0; i < n; i++)
		if (args_has(a, words[i]))
			return (int)i;
	return -1;
}

/* --- values --------------------------------------------------------------------------------------------- */

enum { AS_NODE, AS_PORT, AS_ENDPORT, N_AS };

/* What a typed word means as each of these, as far as it was searched. */
struct args_meaning {
	bool known[N_AS];
	uint32_t id[N_AS]; /* NO_ID: there is none */
	unsigned lid;	   /* of the endport */
};

/* Reads the words in their order, twice: syntax_match() finds what they stand for, then they are kept. */
struct args_reader {
	const struct session *s;
	const struct arg_number *numbers;
	const struct arg *before; /* the word before the present one */
	char **argv;
	int at;			      /* the present word */
	struct args_meaning *meaning; /* [argc] */
};

static uint32_t args_search(const struct session *s, const char *word, unsigned as, unsigned *lid,
			    struct err *e)
{
	assert(as < N_AS);
	if (as == AS_NODE)
		return session_node(s, word, e);
	return as == AS_PORT ? session_port(s, word, e) : session_endport(s, word, lid, e);
}

/* What the present word means. It is searched once, and again if there is none and *e is to say so. */
static int args_look_up(const struct args_reader *r, unsigned as, struct arg *x, struct err *e)
{
	struct args_meaning fresh = {0}, *m = &r->meaning[r->at];

	if (x->word != r->argv[r->at]) /* of "key=NODE" the part behind '=' */
		m = &fresh;
	if (!m->known[as] || (m->id[as] == NO_ID && e))
		m->id[as] = args_search(r->s, x->word, as, &m->lid, e);
	m->known[as] = true;
	x->id = m->id[as];
	if (as == AS_ENDPORT)
		x->lid = m->lid;
	return x->id == NO_ID ? -1 : 0;
}

static int args_read_switch(const struct args_reader *r, struct arg *x, struct err *e)
{
	const struct fabric *f = r->s->fabric;

	if (args_look_up(r, AS_NODE, x, e))
		return -1;
	return node_is_switch(f, x->id)
		       ? 0
		       : err_set_kind(e, ERR_NO_NODE, "%s is no switch", f->node_name[x->id]);
}

/* Does the syntax allow several of these words: "H..." or "NODE NODE NODE..."? */
static bool is_many(const char *word, size_t len)
{
	const char *p = word + len;

	while (*p == ' ' && !strncmp(p + 1, word, len))
		p += 1 + len;
	return !strncmp(p, "...", 3);
}

/* Returns 0, 1 when the word does not fit, or -1 and *e. */
static int args_read_value(const struct args_reader *r, struct arg *x, struct err *e)
{
	const struct arg_number *number = find_number(r->numbers, x->name, x->len, r->before);

	if (number) {
		bool (*of)(const char *, uint64_t, uint64_t, uint64_t *) =
			number->any_base ? number_of_any : number_of;

		x->kind = KIND_NUMBER;
		if (of(x->word, number->least, number->most, &x->n))
			return 0;
		if (!number->what)
			return 1;
		return err_set_kind(
			e, number->limit && number_beyond(x->word, number->most) ? ERR_LIMIT : ERR_SYNTAX,
			"%s%sfound \"%s\", expected %s", number->lead ? number->lead : "",
			number->lead ? ": " : "", x->word, number->what);
	}
	x->kind = args_is_word(x->name, x->len, "LID") ? KIND_ENDPORT : syntax_kind(x->name, x->len);
	if (is_many(x->name, x->len))
		return 0;
	switch (x->kind) {
	case KIND_NODE:
		return args_look_up(r, AS_NODE, x, e);
	case KIND_SWITCH:
		return args_read_switch(r, x, e);
	case KIND_PORT:
		return args_look_up(r, AS_PORT, x, e);
	case KIND_HOST:
	case KIND_ENDPORT:
		return args_look_up(r, AS_ENDPORT, x, e);
	default:
		return 0;
	}
}

/* Costs of reading a word as one of several kinds. The lowest cost wins. */
enum { COST_RIGHT, COST_NAME, COST_TEXT, COST_ALMOST = 7, COST_WRONG };

static unsigned args_cost_of(void *ctx, const char *word, size_t len, const char *typed)
{
	struct args_reader *r = ctx;

	while (typed != r->argv[r->at]) /* words come in their order */
		r->at++;
	struct arg x = {.word = typed + syntax_fixed(word, len), .name = word, .len = len};
	int rc = args_read_value(r, &x, NULL);

	if (rc > 0)
		return SYNTAX_NEVER;
	switch (x.kind) {
	case KIND_NUMBER:
		return rc ? COST_WRONG : COST_RIGHT;
	case KIND_PORT:
		if (!rc)
			return COST_RIGHT;
		return r->s->fabric && name_before_port(r->s->fabric, typed, strlen(typed)) ? COST_ALMOST
											    : COST_WRONG;
	case KIND_ENGINES:
		return engine_chain_known(r->s->engines, typed, NULL) ? COST_WRONG : COST_RIGHT;
	case KIND_ASSIGNMENT:
		return strchr(typed, '=') ? COST_RIGHT : COST_WRONG;
	default:
		return syntax_names_node(x.kind) ? (rc ? COST_WRONG : COST_NAME) : COST_TEXT;
	}
}

int args_read(const struct session *s, const char *syntax, const struct arg_number *numbers, struct args *a,
	      struct err *e)
{
	int argc = a->argc;
	char **argv = a->argv;

	assert(argc > 0);
	AUTO_FREE struct args_meaning *meaning = NEW_ARRAY((size_t)argc, struct args_meaning);
	struct args_reader r = {.s = s, .numbers = numbers, .argv = argv, .meaning = meaning};
	AUTO_FREE struct syntax_word *found = NEW_ARRAY((size_t)argc, struct syntax_word);
	int rc = syntax_match(syntax, argc, argv, args_cost_of, &r, found) ? 0 : 1;

	*a = (struct args){.argc = argc, .argv = argv, .arg = NEW_ARRAY((size_t)argc, struct arg)};
	for (int i = 0; !rc && i + 1 < argc; i++) {
		size_t fixed = syntax_fixed(found[i].word, found[i].len);
		struct arg *x = &a->arg[a->n++];

		*x = (struct arg){.word = argv[i + 1] + (fixed < found[i].len ? fixed : 0),
				  .name = found[i].word,
				  .len = found[i].len,
				  .small = fixed == found[i].len};
		r.before = i ? x - 1 : NULL;
		r.at = i + 1;
		a->form = found[i].form;
		rc = x->small ? 0 : args_read_value(&r, x, e);
	}
	if (rc)
		args_free(a);
	return rc;
}

void args_free(struct args *a)
{
	free(a->arg);
	a->arg = NULL;
	a->n = 0;
}

const struct aim_group aim_groups[N_GROUPS] = {
	[LOOK] = {"Look", "what there is, and what the tables hold"},
	[WHAT_IF] = {"What if", "break, repair and change things, and take it back"},
	[EXPLAIN] = {"Explain", "why packets go where they go"},
	[JUDGE] = {"Judge", "what is wrong, what is better"},
	[TEACH] = {"Teach", "lessons, questions, words"},
	[FILES] = {"Files", "get a fabric, keep what was found"},
};
