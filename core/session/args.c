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

struct args_reader {
	const struct session *s;
	const struct arg_number *numbers;
	const struct arg *before; /* the word before the present one */
};

static int args_read_switch(const struct session *s, const char *word, uint32_t *id, struct err *e)
{
	*id = session_node(s, word, e);
	if (*id == NO_ID || node_is_switch(s->fabric, *id))
		return *id == NO_ID ? -1 : 0;
	return err_set_kind(e, ERR_NO_NODE, "%s is no switch", s->fabric->node_name[*id]);
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
		x->id = session_node(r->s, x->word, e);
		break;
	case KIND_SWITCH:
		return args_read_switch(r->s, x->word, &x->id, e);
	case KIND_PORT:
		x->id = session_port(r->s, x->word, e);
		break;
	case KIND_HOST:
	case KIND_ENDPORT:
		x->id = session_endport(r->s, x->word, &x->lid, e);
		break;
	default:
		return 0;
	}
	return x->id == NO_ID ? -1 : 0;
}

/* Costs of reading a word as one of several kinds. The lowest cost wins. */
enum { COST_RIGHT, COST_NAME, COST_TEXT, COST_ALMOST = 7, COST_WRONG };

static unsigned args_cost_of(void *ctx, const char *word, size_t len, const char *typed)
{
	const struct args_reader *r = ctx;
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

int args_read(const struct session *s, const char *syntax, const struct arg_number *numbers, int argc,
	      char **argv, struct args *a, struct err *e)
{
	assert(argc > 0);
	struct args_reader r = {s, numbers, NULL};
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

static const struct {
	const char *name, *also;
} other_words[] = {
	{"fail", "broken cable pull unplug outage down dead maintenance"},
	{"restore", "repair up again plug in"},
	{"undo", "take back revert"},
	{"journal", "history events log"},
	{"survey", "maintenance worst failure single point redundancy risk"},
	{"outage", "until next sweep cut lost packets blackhole shield repair two ports"},
	{"diff", "difference what changed"},
	{"transition", "between two sweeps half written tables loops update"},
	{"pairs", "lost regained"},
	{"changes", "difference what changed cables replaced"},
	{"snapshot", "keep remember before maintenance"},
	{"why", "reason explain entry port choice"},
	{"trace", "route path reach ibtracert traceroute"},
	{"path", "route reach ibtracert traceroute"},
	{"cycles", "deadlock credit loop hang stuck"},
	{"cycle", "deadlock credit loop hang stuck"},
	{"drain", "deadlock packets move happen credits buffers throughput simulate"},
	{"cdg", "deadlock dependency graph"},
	{"check", "deadlock unreachable safe sound verify credit loops"},
	{"doctor", "wrong problems errors broken cable health slow"},
	{"warnings", "oddities errors"},
	{"compare", "engines algorithms side by side best"},
	{"advise", "which engine best recommend choose"},
	{"judge", "adaptive routing groups wrong nvidia ar_updn"},
	{"drift", "stale wrong tables switches hold"},
	{"hotter", "slow congestion busy traffic"},
	{"flows", "slow congestion who shares busy"},
	{"usage", "balance busy slow ports"},
	{"load-map", "slow congestion busy hot bandwidth gpu nccl ring allreduce"},
	{"jobs", "slow congestion strangers slurm squeue gpu nccl who disturbs"},
	{"ring-order", "nccl gpu collision swap hosts rank order mpi hostfile"},
	{"shift", "slow congestion all-to-all collective"},
	{"shifts", "slow congestion all-to-all collective"},
	{"plot", "histogram chart bars loads"},
	{"map", "picture draw topology diagram"},
	{"lft", "forwarding table entries dump_fts"},
	{"hosts", "nodes servers adapters hca"},
	{"plan", "cabling wrong cable miswired"},
	{"report", "save write document"},
	{"save-session", "save keep script"},
	{"export", "save write csv svg picture tables"},
	{"load", "open file ibnetdiscover"},
	{"open", "load file ibnetdiscover"},
	{"live", "discover fabric umad ibnetdiscover"},
	{"synth", "torus fat tree make artificial"},
	{"lesson", "learn tutorial course teach"},
	{"quiz", "question exercise learn perform"},
	{"grade", "exercise homework marks points"},
	{"quit", "exit leave close"},
	{"route", "engine algorithm compute tables"},
};

const char *group_also(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(other_words); i++)
		if (!strcmp(other_words[i].name, name))
			return other_words[i].also;
	return "";
}
