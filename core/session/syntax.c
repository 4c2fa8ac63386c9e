/* Syntax lines of commands, and how rows and words are narrowed to a screen. */
#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clean.h"
#include "core/base/defs.h"
#include "core/base/hostlist.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/syntax.h"

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
	assert(len);
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
static_assert(PLACES % 64 == 0, "a set has whole words of 64 bits");

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

	assert(x->n < PLACES);
	p.first.bit[x->n / 64] = p.last.bit[x->n / 64] = 1ull << (x->n % 64);
	x->at[x->n++] = (struct syntax_word){word, len, 0};
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
		*p += strspn(*p, " ");
		if (!**p || **p == ']' || **p == '|')
			return all;
		struct syntax_part a = syntax_item(x, p);
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

		*p += strspn(*p, " ");
		if (!strncmp(*p, x->name, x->name_len) && strchr(" ", (*p)[x->name_len]))
			*p += x->name_len;
		struct syntax_part a = form(x, p);
		either(&all, &a);
		for (unsigned i = from; whole && i < x->n; i++)
			x->at[i].form = number;
	}
	return all;
}

static void read_places(struct syntax_places *x, const char *syntax)
{
	x->name = syntax;
	x->name_len = strcspn(syntax, " ");
	struct syntax_part all = forms(x, &syntax, true);
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
	AUTO_FREE struct syntax_places *x = places_of(syntax);
	struct set at;
	bool fits = x->empty;

	assert(argc > 0);
	for (int i = 1; i < argc; i++) {
		enum word_is known = is ? is[i] : WORD_ANY;

		at = syntax_stand(x, i > 1 ? &at : NULL, argv[i], known);
		fits = syntax_end_of(x, &at, NULL) < PLACES;
	}
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
	AUTO_FREE struct syntax_walk *w = syntax_walk(syntax);

	for (int i = 1; i < argc; i++)
		syntax_step(w, argv[i]);
	syntax_offer(w, offer, ctx);
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
	assert(argc > 0);
	AUTO_FREE struct syntax_places *x = places_of(syntax);
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
	return fits;
}

#define COLUMNS 16   /* consecutive names that are told apart */
#define NAME_LEAST 8 /* characters that stay of a name */

enum kind { PLAIN, CUT, COLUMN, PROSE };

/* A part of a row, cleaned. */
struct narrow_part {
	enum kind kind;
	unsigned column; /* of a name: which one of the row */
	struct text text;
};

struct narrow_table {
	unsigned width, cap;	   /* of a line; of a name */
	unsigned natural[COLUMNS]; /* of the longest name */
	struct kin kin;
};

static void narrow_empty(struct text *t)
{
	t->len = 0;
	if (t->s)
		*t->s = 0;
}

bool narrow_marked(const char *fmt)
{
	return strpbrk(fmt, "\002\003");
}

const char *narrow_plain(const char *fmt, struct text *t)
{
	if (!narrow_marked(fmt))
		return fmt;
	for (; *fmt; fmt++)
		if ((*fmt == '\002' || *fmt == '\003') && fmt[1])
			fmt++;
		else
			text_putc(t, *fmt);
	return text_str(t);
}

/* Where the next mark stands, or the end of the row. */
static const char *narrow_mark(const char *s, char first, const char *end)
{
	while (s < end && !(*s == first && s + 1 < end &&
			    (first == '\003' ? s[1] == '\003' : s[1] && strchr("\002\004\005\006", s[1]))))
		s++;
	return s;
}

/* Takes the next part of the row from *s to end; p->column counts names. False: the row is over, *p stays. */
static bool narrow_next_part(const char **s, const char *end, struct narrow_part *p)
{
	const char *from = *s;

	p->column += p->kind == CUT || p->kind == COLUMN;
	if (from >= end)
		return false;
	narrow_empty(&p->text);
	if (narrow_mark(from, '\002', end) == from && from[1] == '\006')
		from += 2;
	const char *to = narrow_mark(from, '\002', end);
	if (to > from || to == end) {
		p->kind = PLAIN;
		*s = to;
	} else {
		p->kind = from[1] == '\004' ? COLUMN : PROSE;
		if (from[1] == '\002')
			p->kind = CUT;
		from += 2;
		to = p->kind == PROSE ? end : narrow_mark(from, '\003', end);
		*s = p->kind == PROSE || to == end ? end : to + 2;
	}
	clean_add(&p->text, from, to - from);
	while (p->kind != PLAIN && p->text.len && p->text.s[p->text.len - 1] == ' ')
		p->text.s[--p->text.len] = 0;
	return true;
}

static unsigned *natural(struct narrow_table *t, const struct narrow_part *p)
{
	return &t->natural[p->column < COLUMNS ? p->column : COLUMNS - 1];
}

static void narrow_note(struct narrow_table *t, const char *s, const char *end)
{
	struct narrow_part p = {0};

	while (narrow_next_part(&s, end, &p)) {
		unsigned w = text_characters(text_str(&p.text), p.text.len);

		if (p.kind != CUT && p.kind != COLUMN)
			continue;
		if (w > *natural(t, &p))
			*natural(t, &p) = w;
		kin_note(&t->kin, text_str(&p.text));
	}
	text_free(&p.text);
}

static unsigned narrow_least(unsigned a, unsigned b)
{
	return MIN(a, b);
}

/* The width of a row up to its prose. */
static unsigned row_width(struct narrow_table *t, const char *s, const char *end)
{
	struct narrow_part p = {0};
	unsigned all = 0;

	while (narrow_next_part(&s, end, &p)) {
		unsigned w = text_characters(text_str(&p.text), p.text.len);

		if (p.kind == PLAIN)
			all += w;
		else if (p.kind != PROSE)
			all += narrow_least(p.kind == COLUMN && s < end ? *natural(t, &p) : w, t->cap);
	}
	text_free(&p.text);
	return all;
}

static size_t begin_of(const char *s, unsigned n)
{
	size_t i = 0;

	while (s[i] && (n || (s[i] & 0xc0) == 0x80))
		n -= (s[i++] & 0xc0) != 0x80;
	return i;
}

/* Fits a name into w characters: keeps the begin and end of what its kin leaves, without cutting a number. */
static void narrow_add_name(const struct kin *kin, const char *name, unsigned w, struct text *t)
{
	AUTO_TEXT struct text cut = {0};

	kin_cut(kin, name, w, &cut);
	const char *s = text_str(&cut);
	unsigned n = text_characters(s, strlen(s));
	if (n <= w) {
		text_add(t, "%s", s);
	} else {
		size_t head = begin_of(s, (w - 1) / 2), tail = begin_of(s, n - (w - 1 - (w - 1) / 2));

		while (head && isdigit((unsigned char)s[head - 1]) && isdigit((unsigned char)s[head]))
			head--;
		while (s[tail] && isdigit((unsigned char)s[tail - 1]) && isdigit((unsigned char)s[tail]))
			tail++;
		text_add(t, "%.*s…%s", (int)head, s, s + tail);
	}
}

/* Adds the line, and sentences behind it: beside it, or below it where it is long. */
static void narrow_add_lines(const char *line, const char *prose, unsigned width, struct text *t)
{
	unsigned at = text_characters(line, strlen(line)), indent = (unsigned)strspn(line, " ") + 4;
	bool beside = *prose && at <= width / 2;
	AUTO_FREE char *below = str_printf("%*s", (int)(beside ? at : indent), "");

	if (at + text_characters(prose, strlen(prose)) <= width) {
		text_add(t, "%s%s\n", line, prose);
	} else if (beside) {
		wrap_text(t, prose, width, line, below);
	} else {
		wrap_text(t, line, width, "", below);
		while (t->s[t->len - 2] == ' ') {
			t->s[t->len - 2] = '\n';
			t->s[--t->len] = 0;
		}
		if (*prose)
			wrap_text(t, prose, width, below, below);
	}
}

static void narrow_add_row(struct narrow_table *t, const char *s, const char *end, struct text *out)
{
	struct narrow_part p = {0};
	AUTO_TEXT struct text line = {0};
	const char *prose = "";

	while (narrow_next_part(&s, end, &p)) {
		size_t from = line.len;

		if (p.kind == PROSE) {
			prose = text_str(&p.text);
		} else if (p.kind == PLAIN) {
			text_add(&line, "%s", text_str(&p.text));
		} else {
			narrow_add_name(&t->kin, text_str(&p.text), t->cap, &line);
			for (unsigned w = text_characters(text_str(&line) + from, line.len - from);
			     p.kind == COLUMN && s < end && w < narrow_least(*natural(t, &p), t->cap); w++)
				text_putc(&line, ' ');
		}
	}
	narrow_add_lines(text_str(&line), prose, t->width, out);
	text_free(&p.text);
}

static const char *row_end(const char *s)
{
	return s + strcspn(s, "\n");
}

static const char *narrow_next_row(const char *s)
{
	s = row_end(s);
	return s + (*s != 0);
}

void narrow_rows(const char *rows, unsigned width, struct text *t)
{
	struct narrow_table table = {.width = width, .cap = NAME_LEAST};

	assert(width);
	for (const char *s = rows; *s; s = narrow_next_row(s))
		narrow_note(&table, s, row_end(s));
	for (unsigned k = 0; k < COLUMNS; k++)
		table.cap = MAX(table.natural[k], table.cap);
	for (const char *s = rows; *s; s = narrow_next_row(s))
		while (table.cap > NAME_LEAST && row_width(&table, s, row_end(s)) > width)
			table.cap--;
	for (const char *s = rows; *s; s = narrow_next_row(s))
		narrow_add_row(&table, s, row_end(s), t);
	kin_free(&table.kin);
}

/* --- text that was written in lines ------------------------------------------------------------------ */

#define FULL 60 /* characters of a line that may go on in the next one */

/* Is it a full stop that stands before `at`, and not the end of "NODE..."? */
static bool narrow_ends_sentence(const char *line, size_t at)
{
	return at > 1 && line[at - 1] == '.' && line[at - 2] != '.';
}

/* Where the text of a line begins behind the word, sign or key of its first column; its indent if it has
 * none. */
static size_t text_at(const char *line, size_t len)
{
	size_t indent = strspn(line, " ");

	if (len > indent + 2 && strchr("~+-!", line[indent]) && line[indent + 1] == ' ')
		return indent + 2;
	for (size_t i = indent; i + 2 < len && i < 44; i++)
		if (line[i] == ' ' && line[i + 1] == ' ' && !narrow_ends_sentence(line, i))
			return i + strspn(line + i, " ");
	return indent;
}

const char *narrow_text(const char *s, unsigned width, struct text *t)
{
	struct text item = {0}; /* the text of an item, of one line or several */
	const char *next;

	assert(width);
	for (; *s; s = next) {
		size_t len = strcspn(s, "\n"), at = text_at(s, len), last = len;
		char *first = str_printf("%.*s", (int)at, s), *other = str_printf("%*s", (int)at, "");

		narrow_empty(&item);
		text_add(&item, "%.*s", (int)(len - at), s + at);
		next = narrow_next_row(s);
		while (last >= FULL && (last = strcspn(next, "\n")) > at && strspn(next, " ") == at &&
		       text_at(next, last) == at) {
			text_add(&item, " %.*s", (int)(last - at), next + at);
			next = narrow_next_row(next);
		}
		if (at > width / 2) {
			free(other);
			other = str_printf("%*s", (int)strspn(first, " ") + 4, "");
		}
		wrap_text(t, text_str(&item), width, first, other);
		FREE_EACH(first, other);
	}
	text_free(&item);
	return text_str(t);
}
