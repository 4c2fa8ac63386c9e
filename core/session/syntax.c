#include "core/session/syntax.h"
#include "core/base/memory.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *word;
	enum syntax_kind kind;
} kinds[] = {
	{"NODE", KIND_NODE},
	{"SWITCH", KIND_SWITCH},
	{"S", KIND_SWITCHES},
	{"ELEMENT", KIND_ELEMENT},
	{"CHASSIS", KIND_ELEMENT},
	{"CARD", KIND_ELEMENT},
	{"HOST", KIND_HOST},
	{"H", KIND_HOSTS},
	{"NODE[PORT]", KIND_PORT},
	{"SRC", KIND_ENDPORT},
	{"DST", KIND_ENDPORT},
	{"DESTINATION", KIND_ENDPORT},
	{"ARGUMENT", KIND_ARGUMENT},
	{"PORT", KIND_ARGUMENT},
	{"TARGET", KIND_TARGET},
	{"TEXT", KIND_TEXT},
	{"FILE", KIND_FILE},
	{"PROGRAM", KIND_FILE},
	{"PLAN", KIND_FILE},
	{"XML", KIND_FILE},
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

size_t syntax_fixed(const char *word, size_t len)
{
	const char *eq = memchr(word, '=', len);

	if (!eq)
		eq = memchr(word, ':', len);
	if (isupper((unsigned char)*word))
		return 0;
	return eq ? (size_t)(eq - word) + 1 : len;
}

/* --- the syntax as places ---------------------------------------------------------------------------- */

/* Glushkov's automaton: each word of the syntax is a place, which knows the places that may follow. */
#define PLACES 192

struct set {
	uint64_t bit[PLACES / 64];
};

struct syntax_places {
	unsigned n;
	struct syntax_word at[PLACES];
	struct set follow[PLACES];
	struct set first; /* places that may begin */
	struct set last;  /* places that may end */
	bool empty;	  /* the empty text fits, too */
	const char *name; /* of the command */
	size_t name_len;
};

/* A part of the syntax: the places where it begins and ends, and whether it may be left out. */
struct syntax_part {
	struct set first, last;
	bool empty;
};

static bool syntax_has(const struct set *s, unsigned i)
{
	return s->bit[i / 64] >> (i % 64) & 1;
}

static void syntax_unite(struct set *s, const struct set *with)
{
	for (unsigned i = 0; i < PLACES / 64; i++)
		s->bit[i] |= with->bit[i];
}

static void either(struct syntax_part *a, const struct syntax_part *b)
{
	syntax_unite(&a->first, &b->first);
	syntax_unite(&a->last, &b->last);
	a->empty |= b->empty;
}

/* Let the places of `to` follow those of `from`. */
static void syntax_join(struct syntax_places *x, const struct set *from, const struct set *to)
{
	for (unsigned i = 0; i < x->n; i++)
		if (syntax_has(from, i))
			syntax_unite(&x->follow[i], to);
}

static struct syntax_part one_word(struct syntax_places *x, const char *word, size_t len)
{
	struct syntax_part p = {.empty = false};

	if (x->n < PLACES) {
		p.first.bit[x->n / 64] = p.last.bit[x->n / 64] = 1ull << (x->n % 64);
		x->at[x->n++] = (struct syntax_word){word, len, 0};
	}
	return p;
}

/* Words separated by '|', up to a blank, a closing bracket or "..."; *p moves behind them. */
static struct syntax_part syntax_words(struct syntax_places *x, const char **p)
{
	struct syntax_part all = {.empty = false};
	const char *from = *p;
	int depth = 0;

	for (;; ++*p) {
		const char *q = *p;
		bool end = !*q || *q == ' ' || (!depth && (*q == ']' || !strncmp(q, "...", 3)));

		if (end || (!depth && *q == '|')) {
			struct syntax_part w = one_word(x, from, (size_t)(q - from));

			either(&all, &w);
			from = q + 1;
		}
		if (end)
			return all;
		depth += (*q == '[') - (*q == ']');
	}
}

static struct syntax_part forms(struct syntax_places *x, const char **p, bool whole);

/* A word, or a group in brackets.  "..." may follow it. */
static struct syntax_part syntax_item(struct syntax_places *x, const char **p)
{
	struct syntax_part a;

	if (**p == '[') {
		++*p;
		a = forms(x, p, false);
		a.empty = true;
		*p += **p == ']';
	} else {
		a = syntax_words(x, p);
	}
	if (!strncmp(*p, "...", 3)) {
		syntax_join(x, &a.last, &a.first);
		*p += 3;
	}
	return a;
}

/* One form: up to a '|' by itself, a closing bracket or the end. */
static struct syntax_part form(struct syntax_places *x, const char **p)
{
	struct syntax_part all = {.empty = true};

	for (;;) {
		struct syntax_part a;

		*p += strspn(*p, " ");
		if (!**p || **p == ']' || **p == '|')
			return all;
		a = syntax_item(x, p);
		syntax_join(x, &all.last, &a.first);
		if (all.empty)
			syntax_unite(&all.first, &a.first);
		if (!a.empty)
			all.last = a.last;
		else
			syntax_unite(&all.last, &a.last);
		all.empty &= a.empty;
	}
}

static struct syntax_part forms(struct syntax_places *x, const char **p, bool whole)
{
	struct syntax_part all = {.empty = false};
	unsigned number = 0;

	for (bool more = true; more; more = **p == '|', *p += more, number++) {
		unsigned from = x->n;
		struct syntax_part a;

		*p += strspn(*p, " ");
		if (!strncmp(*p, x->name, x->name_len) && strchr(" ", (*p)[x->name_len]))
			*p += x->name_len;
		a = form(x, p);
		either(&all, &a);
		for (unsigned i = from; whole && i < x->n; i++)
			x->at[i].form = number;
	}
	return all;
}

static void read_places(struct syntax_places *x, const char *syntax)
{
	struct syntax_part all;

	x->name = syntax;
	x->name_len = strcspn(syntax, " ");
	all = forms(x, &syntax, true);
	x->first = all.first;
	x->last = all.last;
	x->empty = all.empty;
}

static struct syntax_places *places_of(const char *syntax)
{
	struct syntax_places *x = NEW(struct syntax_places);

	read_places(x, syntax);
	return x;
}

/* --- words that stand at them -------------------------------------------------------------------------- */

/* Does a word of the syntax fit a typed word? */
static bool stands_for(const struct syntax_word *w, const char *typed)
{
	size_t fixed = syntax_fixed(w->word, w->len);

	return !strncmp(w->word, typed, fixed) && (fixed < w->len || !typed[fixed]);
}

static bool syntax_takes(const struct syntax_word *w, const char *typed, enum word_is is)
{
	enum syntax_kind k = is == WORD_ANY ? KIND_NONE : syntax_kind(w->word, w->len);

	if (is == WORD_NAME)
		return syntax_names_node(k) || k == KIND_ARGUMENT || k == KIND_TEXT;
	return stands_for(w, typed) && !syntax_names_node(k);
}

/* Is it a small word of the syntax that was typed, or that the typed name with blanks begins with? */
static bool is_typed(const struct syntax_word *w, const char *typed)
{
	return syntax_fixed(w->word, w->len) == w->len && !strncmp(w->word, typed, w->len) &&
	       strchr(" ", typed[w->len]);
}

/* Where a small word may stand, TARGET is not that word. */
static void prefer_small(const struct syntax_places *x, struct set *may, const char *typed)
{
	bool small = false;

	for (unsigned i = 0; i < x->n && !small; i++)
		small = syntax_has(may, i) && is_typed(&x->at[i], typed);
	for (unsigned i = 0; i < x->n && small; i++)
		if (syntax_kind(x->at[i].word, x->at[i].len) == KIND_TARGET)
			may->bit[i / 64] &= ~(1ull << (i % 64));
}

/* Places where a word may stand after those of *before (NULL: at the beginning). */
static struct set syntax_stand(const struct syntax_places *x, const struct set *before, const char *typed,
			       enum word_is is)
{
	struct set may = {{0}};

	if (!before)
		may = x->first;
	for (unsigned i = 0; before && i < x->n; i++)
		if (syntax_has(before, i))
			syntax_unite(&may, &x->follow[i]);
	if (typed)
		prefer_small(x, &may, typed);
	for (unsigned i = 0; typed && i < x->n; i++)
		if (syntax_has(&may, i) && !syntax_takes(&x->at[i], typed, is))
			may.bit[i / 64] &= ~(1ull << (i % 64));
	return may;
}

/* The place where a reading ends; PLACES: none. cost [n] may be NULL. */
static unsigned syntax_end_of(const struct syntax_places *x, const struct set *at, const unsigned *cost)
{
	unsigned best = PLACES;

	for (unsigned i = 0; i < x->n; i++)
		if (syntax_has(at, i) && syntax_has(&x->last, i) &&
		    (best == PLACES || (cost && cost[i] < cost[best])))
			best = i;
	return best;
}

bool syntax_fits_names(const char *syntax, int argc, char *const *argv, const enum word_is *is)
{
	struct syntax_places *x = places_of(syntax);
	struct set at;
	bool fits = x->empty;

	for (int i = 1; i < argc; i++) {
		at = syntax_stand(x, i > 1 ? &at : NULL, argv[i], is ? is[i] : WORD_ANY);
		fits = syntax_end_of(x, &at, NULL) < PLACES;
	}
	free(x);
	return fits;
}

bool syntax_fits(const char *syntax, int argc, char *const *argv)
{
	return syntax_fits_names(syntax, argc, argv, NULL);
}

struct syntax_walk {
	struct syntax_places x;
	struct set at; /* of the last word */
	bool begun;
};

struct syntax_walk *syntax_walk(const char *syntax)
{
	struct syntax_walk *w = NEW(struct syntax_walk);

	read_places(&w->x, syntax);
	return w;
}

void syntax_step(struct syntax_walk *w, const char *typed)
{
	w->at = syntax_stand(&w->x, w->begun ? &w->at : NULL, typed, WORD_ANY);
	w->begun = true;
}

void syntax_offer(const struct syntax_walk *w, void (*offer)(void *ctx, const char *word, size_t len),
		  void *ctx)
{
	struct set at = syntax_stand(&w->x, w->begun ? &w->at : NULL, NULL, WORD_ANY);

	for (unsigned i = 0; i < w->x.n; i++)
		if (syntax_has(&at, i))
			offer(ctx, w->x.at[i].word, w->x.at[i].len);
}

void syntax_next(const char *syntax, int argc, char *const *argv,
		 void (*offer)(void *ctx, const char *word, size_t len), void *ctx)
{
	struct syntax_walk *w = syntax_walk(syntax);

	for (int i = 1; i < argc; i++)
		syntax_step(w, argv[i]);
	syntax_offer(w, offer, ctx);
	free(w);
}

/* --- the best reading -------------------------------------------------------------------------- */

/* The costs of a word at each of its possible places. All 0 if these are of one kind. */
static void costs_of(const struct syntax_places *x, const struct set *at, const char *typed,
		     syntax_cost *cost, void *ctx, unsigned *out)
{
	const struct syntax_word *first = NULL;
	bool several = false;

	for (unsigned i = 0; i < x->n; i++)
		if (syntax_has(at, i)) {
			first = first ? first : &x->at[i];
			several |= x->at[i].len != first->len ||
				   strncmp(x->at[i].word, first->word, first->len) != 0;
		}
	for (unsigned i = 0; i < x->n; i++) {
		const struct syntax_word *w = &x->at[i];

		out[i] = several && syntax_has(at, i) && !syntax_fixed(w->word, w->len)
				 ? cost(ctx, w->word, w->len, typed)
				 : 0;
	}
}

bool syntax_match(const char *syntax, int argc, char *const *argv, syntax_cost *cost, void *ctx,
		  struct syntax_word *found)
{
	struct syntax_places *x = places_of(syntax);
	uint8_t(*from)[PLACES] = mem_resize(NULL, (size_t)argc, sizeof(*from));
	unsigned sum[PLACES] = {0}, now[PLACES], place = PLACES;
	struct set at = {0}, before;

	for (int i = 1; i < argc; i++) {
		before = at;
		at = syntax_stand(x, i > 1 ? &before : NULL, argv[i], WORD_ANY);
		costs_of(x, &at, argv[i], cost, ctx, now);
		for (unsigned p = 0; p < x->n; p++) {
			unsigned best = PLACES;

			for (unsigned q = 0; i > 1 && syntax_has(&at, p) && q < x->n; q++)
				if (syntax_has(&before, q) && syntax_has(&x->follow[q], p) &&
				    (best == PLACES || sum[q] < sum[best]))
					best = q;
			from[i][p] = (uint8_t)best;
			now[p] += best < PLACES ? sum[best] : 0;
		}
		memcpy(sum, now, sizeof(sum));
	}
	if (argc > 1)
		place = syntax_end_of(x, &at, sum);
	for (int i = argc - 1; i > 0 && place < PLACES; i--) {
		found[i - 1] = x->at[place];
		place = i > 1 ? from[i][place] : 0;
	}
	bool fits = argc > 1 ? place < PLACES : x->empty;
	free(from);
	free(x);
	return fits;
}
