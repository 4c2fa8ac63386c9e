#include "core/base/hostlist.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/names.h"
#include "core/session/reading.h"
#include "core/session/syntax.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MOST 8	  /* names that may begin at one place */
#define READINGS_MOST 200 /* readings tried before the plain one */
#define UNCLEAR_MOST 64	  /* words of a line that may be read again for whole names alone */
#define PIECES_MOST 16	  /* pieces with a ';' inside, tried at one place */

/* Where a word begins, and its possible lengths, best first. The plain reading comes last. */
struct reading_place {
	const char *at;
	size_t len[NAMES_MOST + 1];
	unsigned n, taken; /* number of names; number of readings tried */
};

struct reading_reader {
	const struct fabric *f; /* NULL: all is read plainly */
	const char *syntax;
	struct progress *progress;
	bool strict;		     /* what is not a whole name stands for no node */
	struct reading_place *place; /* one for each word; the last may be where the command ends */
	size_t n, cap;
	char **argv;	  /* [n + 1] */
	enum word_is *is; /* [n] */
	size_t cap_argv, cap_is;
	const char *end;
};

/* Does the piece fit a node in any way, or is it NODE[PORT] or NODE[1-4,7]? */
static bool fits_node(const struct fabric *f, const char *p, size_t len)
{
	unsigned char set[MAX_PORTS + 1];
	AUTO_FREE char *piece = mem_dup(p, len + 1);

	piece[len] = 0;
	char *open = piece[len - 1] == ']' ? strrchr(piece, '[') : NULL;
	size_t inside = open ? (size_t)(piece + len - 1 - open - 1) : 0;
	bool fits = names_fit(f, piece);
	if (!fits && open &&
	    (is_port_text(f, open + 1, inside) || !number_set(open + 1, inside, set, MAX_PORTS))) {
		*open = 0;
		fits = names_fit(f, piece);
	}
	return fits;
}

/* Does an element of a list, if it is not empty, fit nodes? */
static bool fits_element(const struct fabric *f, const char *p, size_t len)
{
	AUTO_FREE char *element = mem_dup(p, len + 1);

	element[len] = 0;
	return !len || names_fit(f, element);
}

/* Ends of pieces that may fit a node, ascending. */
struct reading_ends {
	size_t *end, n, cap;
};

/*
 * Finds the pieces at p, up to a blank, that hold a ';' and may fit a node. Outside of brackets a piece has
 * at most as many ';' as a name. In a list, this holds for each element, and each fits by itself. Pieces
 * longer than UNQUOTED_MOST do not count.
 */
static void reading_find_ends(const struct fabric *f, const char *p, struct reading_ends *x)
{
	size_t all = 0, own = 0, all_before = 0, own_before = 0; /* ';', in the element; before its [ */
	size_t most = f->most_semicolons, element = 0;
	bool list = true, open = false, bracket = false, inside = false;

	for (size_t end = 0;; end++) {
		bool stop = !p[end] || isspace((unsigned char)p[end]);
		char c = p[end];

		if (inside && end > UNQUOTED_MOST) {
			x->n = 0;
			return;
		}
		if (inside && end > 2 && (stop || c == ';') && p[end - 1] != ';') {
			GROW(x->end, x->n, x->cap);
			x->end[x->n++] = end;
		}
		if (stop || c == '"' || c == '\'')
			return;
		if (c == ';' && all >= most && (!list || own >= most)) { /* unless brackets close */
			end += bracket ? strcspn(p + end, "] \t\n\v\f\r\"'") : 0;
			c = p[end];
			if (c != ']')
				return;
			inside = true;
		}
		inside |= end && c == ';';
		if (c == ';') {
			all++;
			own++;
		} else if (c == '[' && !open) {
			all_before = bracket ? all_before : all;
			own_before = own;
			open = bracket = true;
		} else if (c == ']' && bracket) {
			all = all_before;
			own = own_before;
			open = false;
		} else if (c == ',' && !open) {
			list = list && fits_element(f, p + element, end - element);
			own = own_before = 0;
			element = end + 1;
		}
	}
}

/* Does the plain reading give the same word? */
static bool reading_is_plain(const char *p, size_t len)
{
	if (*p == '#')
		return false;
	for (size_t i = 0; i < len; i++)
		if (isspace((unsigned char)p[i]) || strchr(";'\"\\", p[i]))
			return false;
	return true;
}

/*
 * Does a piece hold a quote that begins a word, and whose word holds a ';' behind the piece?  Then the piece
 * is no name: what follows the ';' would become a command.  So a quoted word stays one word, whatever names
 * there are.
 */
static bool takes_open_quote(const char *p, size_t len)
{
	const char *end = strchr(p + len, ';');

	for (size_t i = 0; end && i < len; i++) {
		bool begins = !i || isspace((unsigned char)p[i - 1]);

		if (begins && (p[i] == '"' || p[i] == '\'') && strchr(end, p[i]))
			return true;
	}
	return false;
}

static void reading_look(const struct reading_reader *r, const char *p, struct reading_place *place)
{
	struct reading_ends x = {0};
	size_t found = 0;

	*place = (struct reading_place){.at = p};
	if (!r->n || !r->f) /* the command's name */
		return;
	unsigned n = names_at(r->f, p, place->len, NAMES_MOST);
	for (unsigned i = 0; i < n; i++)
		if (!reading_is_plain(p, place->len[i]) && !takes_open_quote(p, place->len[i]))
			place->len[place->n++] = place->len[i];
	if (place->n || p[strcspn(p, "; \t\n\v\f\r")] != ';')
		return;
	/* The longest piece up to a blank that holds a ';' and fits a node. */
	reading_find_ends(r->f, p, &x);
	for (unsigned i = 0; i < PIECES_MOST && x.n && !found && !progress_cancelled(r->progress); i++)
		if (fits_node(r->f, p, x.end[--x.n]))
			found = x.end[x.n];
	free(x.end);
	if (found)
		place->len[place->n++] = found;
}

static void put_word(struct reading_reader *r, char *word, enum word_is is)
{
	while (r->n + 1 >= r->cap_argv)
		GROW(r->argv, r->cap_argv, r->cap_argv);
	GROW(r->is, r->n, r->cap_is);
	r->argv[r->n] = word;
	r->argv[r->n + 1] = NULL;
	r->is[r->n] = is;
}

/* Is a word that was read plainly NAME or NAME[PORT], in full? */
static bool reading_is_named(const struct fabric *f, const char *word)
{
	size_t len = strlen(word), name = name_before_port(f, word, len);

	return node_named(f, word, len) != NO_ID || (name && node_named(f, word, name) != NO_ID);
}

/* Read the word at its place in the next way; *p moves behind it.  1: the command ends there. */
static int reading_take(struct reading_reader *r, struct reading_place *at, const char **p, struct err *e)
{
	unsigned way = at->taken++;
	char *word;

	*p = at->at;
	if (way < at->n) {
		word = mem_dup(*p, at->len[way] + 1);
		word[at->len[way]] = 0;
		*p += at->len[way];
		put_word(r, word, WORD_NAME);
		return 0;
	}
	if (words_end(*p))
		return 1;
	if (words_take(p, &word, e))
		return -1;
	put_word(r, word, r->strict && !reading_is_named(r->f, word) ? WORD_NO_NAME : WORD_ANY);
	return 0;
}

static void begin_place(struct reading_reader *r, const char *p)
{
	const char *at = words_skip(p);

	GROW(r->place, r->n, r->cap);
	if (r->n && at == p) /* no blank: the command ends here, also where a name begins so */
		r->place[r->n] = (struct reading_place){.at = at};
	else
		reading_look(r, at, &r->place[r->n]);
}

/* Read from the last place to the end, each word in its best way. 0, or -1 and *e. */
static int read_on(struct reading_reader *r, struct err *e)
{
	for (;;) {
		const char *p;
		int rc = progress_cancelled(r->progress) ? err_set(e, CANCELLED)
							 : reading_take(r, &r->place[r->n], &p, e);

		if (rc < 0)
			return -1;
		r->end = p;
		if (rc)
			return 0;
		r->n++;
		begin_place(r, p);
	}
}

/* Go back to the last word that has another way; false: there is none. */
static bool step_back(struct reading_reader *r)
{
	for (;;) {
		if (r->place[r->n].taken <= r->place[r->n].n)
			return true;
		if (!r->n)
			return false;
		free(r->argv[--r->n]);
		r->argv[r->n] = NULL;
	}
}

static void reading_forget(struct reading_reader *r)
{
	words_free((int)r->n, r->argv);
	FREE_EACH(r->place, r->is);
	*r = (struct reading_reader){.f = r->f, .syntax = r->syntax, .progress = r->progress};
}

/* The first reading that fits; false: none fits. */
static bool find_reading(struct reading_reader *r, const char *text, bool strict)
{
	struct err e;

	reading_forget(r);
	r->strict = strict;
	begin_place(r, text);
	for (unsigned i = 0; r->f && i < READINGS_MOST && !progress_cancelled(r->progress); i++) {
		if (!read_on(r, &e) && r->n && syntax_fits_names(r->syntax, (int)r->n, r->argv, r->is))
			return true;
		if (!step_back(r))
			break;
	}
	return false;
}

/* Is one of the words a whole name that the plain reading would not give? The line is short, too. */
static bool is_unclear(const struct reading_reader *r)
{
	bool names = false;

	for (size_t i = 0; i < r->n && r->n <= UNCLEAR_MOST; i++)
		names = names || r->is[i] == WORD_NAME;
	return names;
}

int command_read(const struct fabric *f, const char *syntax, const char *text, struct words_read *w,
		 struct progress *p, struct err *e)
{
	struct reading_reader r = {.f = f, .syntax = syntax, .progress = p};
	bool found = find_reading(&r, text, false);
	int rc = 0;

	if (found && is_unclear(&r)) /* "a b" and what follows may be "a" and "b c" */
		found = find_reading(&r, text, true) || find_reading(&r, text, false);
	if (!found) {
		reading_forget(&r);
		r.f = NULL;
		begin_place(&r, text);
		rc = read_on(&r, e);
	}
	*w = (struct words_read){0};
	if (!rc) {
		*w = (struct words_read){(int)r.n, r.argv, *r.end == ';' ? r.end + 1 : NULL};
		r.n = 0;
		r.argv = NULL;
	}
	reading_forget(&r);
	return rc;
}
