/* Filters of rows, and chips under their switch elements. */
#include <assert.h>
#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "views/base/filter.h"
#include "views/base/fold.h"

/* Switch elements and their chips in panes. */

int view_element_argument(struct scene *sc, const char *word, uint64_t *guid, struct err *e)
{
	const struct elements *el = scene_elements(sc, e);
	uint32_t found = el ? elements_find(el, word, e) : NO_ID, node;

	if (el && found == NO_ID) {
		node = session_node(sc->session, word, NULL);
		if (node != NO_ID && node_is_switch(sc->fabric, node))
			found = el->of[sc->fabric->node_switch[node]];
	}
	if (found == NO_ID)
		return -1;
	*guid = el->guid[found];
	return 0;
}

uint32_t element_of_guid(const struct elements *el, uint64_t guid)
{
	const struct fabric *f = el->topo->fabric;
	uint32_t node = fabric_node_by_guid(f, guid);

	return node != NO_ID && node_is_switch(f, node) ? el->of[f->node_switch[node]] : NO_ID;
}

void word_element(const struct elements *el, uint32_t e, struct text *t)
{
	assert(e < el->n);
	if (elements_find(el, el->name[e], NULL) == e)
		word_text(el->name[e], t);
	else
		word_node(el->topo->fabric, el->topo->fabric->switch_node[el->chip[el->first_chip[e]]], t);
}

/* Bytes that two names share at the start (or at the end). */
static size_t common_start(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

static size_t common_end(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), n = 0;

	while (n < la && n < lb && a[la - 1 - n] == b[lb - 1 - n])
		n++;
	return n;
}

/* Adds the part of a chip's name that differs from the other chips of its element, in whole words. */
void label_chip(const struct elements *el, uint32_t sw, struct text *t)
{
	assert(sw < el->topo->fabric->n_switches && el->of[sw] != NO_ID);

	const struct fabric *f = el->topo->fabric;
	const char *name = switch_name(f, sw);
	size_t len = strlen(name), start = len, end = len;
	uint32_t e = el->of[sw];

	for (uint32_t c = el->first_chip[e]; c < el->first_chip[e + 1]; c++) {
		const char *other = switch_name(f, el->chip[c]);
		size_t from = common_start(name, other), to = common_end(name, other);

		if (el->chip[c] == sw)
			continue;
		start = MIN(from, start);
		end = MIN(to, end);
	}
	while (start && isalnum((unsigned char)name[start - 1]))
		start--;
	while (end && isalnum((unsigned char)name[len - end]))
		end--;
	if (start + end < len)
		text_add(t, "%.*s", (int)(len - end - start), name + start);
	else
		text_add(t, "%s", name);
}

void label_chip_port(const struct elements *el, uint32_t port, struct text *t)
{
	assert(port < el->topo->fabric->n_ports);

	const struct fabric *f = el->topo->fabric;
	uint32_t sw = f->node_switch[f->port_node[port]];
	char number[PORT_NUMBER_MAX + 1];

	if (!f->port_num[port]) {
		text_add(t, "port 0");
		return;
	}
	if (el->of[sw] != NO_ID && element_chips(el, el->of[sw]) > 1)
		label_chip(el, sw, t);
	text_add(t, "[%s]", port_number(f, port, number, sizeof(number)));
}

/* --- places in a chassis --------------------------------------------------------- */

void label_member(const struct view_chassis *c, uint32_t sw, struct text *t)
{
	const struct elements *el = c->el;
	uint32_t e = el->of[sw];
	bool twin = !c->chassis_place[sw];

	assert(sw < el->topo->fabric->n_switches && e != NO_ID);
	for (uint32_t i = el->first_chip[e]; i < el->first_chip[e + 1] && !twin; i++)
		twin = el->chip[i] != sw && c->chassis_place[el->chip[i]] &&
		       !strcmp(c->chassis_place[el->chip[i]], c->chassis_place[sw]);
	if (c->chassis_place[sw])
		text_add(t, twin ? "%s: " : "%s", c->chassis_place[sw]);
	if (twin)
		label_chip(el, sw, t);
}

/* Length of a place without its " Chip N". */
static size_t slot_length(const char *place)
{
	size_t len = strlen(place), end = len;

	while (end && isdigit((unsigned char)place[end - 1]))
		end--;
	return end < len && end > 6 && !memcmp(place + end - 6, " Chip ", 6) ? end - 6 : len;
}

static bool same_slot(const char *a, const char *b)
{
	size_t len = slot_length(a);

	return len == slot_length(b) && !memcmp(a, b, len);
}

struct chip_place {
	const char *place;
	uint32_t sw;
};

COMPARATOR(by_place, struct chip_place, TEXT(place))

/* Bytes of the words with which all n places (sorted) begin. Two words of a place stay ("Spine 1"). */
static size_t common_words(const struct chip_place *at, uint32_t n)
{
	assert(n);

	const char *p = at[0].place;
	size_t len = common_start(p, at[n - 1].place), keep = slot_length(p);

	for (unsigned words = 0; keep && words < 2; words++)
		while (keep && p[--keep] != ' ')
			;
	len = len < keep + 1 ? len : keep + 1;
	while (len && p[len - 1] != ' ')
		len--;
	return len;
}

/*
 * Shortens the n places, which are sorted, so that chips of a board are neighbours. Chip numbers stay where
 * they differ.
 */
static void shorten_places(struct chip_place *at, uint32_t n, char **place)
{
	size_t skip;

	qsort(at, n, sizeof(*at), by_place);
	skip = common_words(at, n);
	for (uint32_t i = 0, j; i < n; i = j) {
		const char *p = at[i].place;

		for (j = i + 1; j < n && same_slot(p, at[j].place);)
			j++;
		for (uint32_t k = i; k < j; k++) {
			place[at[k].sw] = str_dup(at[k].place + skip);
			if (!strcmp(p, at[j - 1].place))
				place[at[k].sw][slot_length(p) - skip] = 0;
		}
	}
}

char **chassis_places(const struct elements *el)
{
	const struct fabric *f = el->topo->fabric;
	char **place = NEW_ARRAY(f->n_switches + 1, char *);
	AUTO_FREE struct chip_place *at = NEW_ARRAY(f->n_switches + 1, struct chip_place);

	for (uint32_t e = 0; e < el->n; e++) {
		uint32_t n = 0;

		for (uint32_t i = el->first_chip[e]; i < el->first_chip[e + 1]; i++) {
			const char *p = f->node_chassis_place[f->switch_node[el->chip[i]]];

			if (p && element_chips(el, e) > 1)
				at[n++] = (struct chip_place){p, el->chip[i]};
		}
		if (n)
			shorten_places(at, n, place);
	}
	return place;
}

void label_far(const struct elements *el, uint32_t port, struct text *t)
{
	assert(port < el->topo->fabric->n_ports);

	const struct fabric *f = el->topo->fabric;
	uint32_t peer = el->topo->peer[port];

	if (el->port_link[port] != NO_ID)
		text_add(t, "%s", el->name[el->link_to[el->port_link[port]]]);
	else
		text_add(t, "%s", peer == NO_ID ? "-" : f->node_name[f->port_node[peer]]);
}

/* Filters: rows by words, columns and regular expressions; search by letters in order. */

#define ARROW "→"
#define REPEATS 1000 /* repeats that a regular expression may have: more take too much memory */

struct term {
	char *word;  /* as typed, without '-' */
	char *value; /* text after COLUMN:, else the word */
	bool not, is_regex;
	bool no_such; /* COLUMN: names no column ... */
	bool seen;    /* ... but a row has the word as text */
	bool number;  /* value is a number */
	regex_t regex;
	struct column_part in[VIEW_COLUMNS];
	unsigned n_in; /* number of columns, 0 = the whole row */
};

struct filter {
	struct term *term;
	size_t n, cap;
	struct text cells; /* of the current row, made when a term first needs them */
	struct text cell;
	struct err wrong; /* error in a regular expression; "" = none */
};

/* --- columns ------------------------------------------------------------------------------ */

static bool same(const char *a, size_t len, const char *b, size_t n)
{
	return len == n && !strncasecmp(a, b, len);
}

/* The next word of a header: letters and digits, without brackets. False after the last one. */
static bool header_word(const char **p, const char **word, size_t *len)
{
	*word = *p + strspn(*p, " [](),");
	*len = strcspn(*word, " [](),");
	*p = *word + *len;
	return *len > 0;
}

/* The part of a header that contains a word. -1: the header has only one part. -2: no part has it. */
static int part_named(const char *header, const char *w, size_t len)
{
	const char *word;
	size_t n;
	int part = 0, found = -2;

	for (const char *p = header; header_word(&p, &word, &n);) {
		if (same(word, n, ARROW, sizeof(ARROW) - 1))
			part++;
		else if (found == -2 && same(word, n, w, len))
			found = part;
	}
	return found >= 0 && !part ? -1 : found;
}

enum how { BY_NAME, BY_WORD, BY_BEGIN };

static bool column_fits(const struct view *v, unsigned c, const char *w, size_t len, enum how how,
			struct column_part *to)
{
	const char *name = view_column_name(v, c), *was = v->ops->column[c].was;

	*to = (struct column_part){.col = c, .part = -1};
	if (how == BY_NAME)
		return same(name, strlen(name), w, len) || (was && same(was, strlen(was), w, len));
	if (how == BY_BEGIN)
		return strlen(name) > len && !strncasecmp(name, w, len);
	to->part = part_named(name, w, len);
	return to->part != -2;
}

unsigned columns_named(const struct view *v, const char *w, size_t len, struct column_part *to)
{
	unsigned n = 0;

	for (enum how how = BY_NAME; len && !n && how <= BY_BEGIN; how++)
		for (unsigned c = 0; c < v->ops->n_columns && !(n && how == BY_BEGIN); c++)
			n += column_fits(v, c, w, len, how, &to[n]);
	return n;
}

int no_column(const struct view *v, const char *word, size_t len, struct err *e)
{
	AUTO_TEXT struct text names = {0};

	for (unsigned c = 0; c < v->ops->n_columns; c++)
		text_add(&names, " %s", view_column_name(v, c));
	err_word(e, "pane %s has no column '%.*s', expected one of%s", v->ops->name, (int)len, word,
		 text_str(&names));
	return -1;
}

/* --- reading a filter --------------------------------------------------------------------- */

/* Are the repeats of a regular expression few enough, even if they are nested? */
static bool repeats_bounded(const char *re)
{
	unsigned long all = 1;

	for (const char *p = re; *p; p++) {
		uint64_t most = 0;

		if (*p == '\\' && p[1]) {
			p++;
			continue;
		}
		if (*p != '{')
			continue;
		for (const char *q = p + 1; *q && *q != '}'; q++) {
			size_t len = strspn(q, "0123456789");
			uint64_t n = 0;

			if (len && !number_of_part(q, len, 0, REPEATS, &n))
				n = REPEATS + 1;
			most = MAX(n, most);
		}
		if (most > REPEATS || all * (most ? most : 1) > REPEATS)
			return false;
		all *= most ? most : 1;
	}
	return true;
}

static bool has_reference(const char *re)
{
	for (const char *p = re; *p; p++) {
		if (*p == '\\' && isdigit((unsigned char)p[1]))
			return true;
		p += *p == '\\' && p[1];
	}
	return false;
}

/* Compiles a regular expression. Refuses one that could take long, or much memory. */
static int compile(struct term *t, struct err *e)
{
	char why[200];
	int rc;

	if (!repeats_bounded(t->value))
		return err_set_kind(e, ERR_LIMIT, "/%s/: found more than %d repeats, expected fewer",
				    t->value, REPEATS);
	if (has_reference(t->value))
		return err_word(e, "/%s/: found a back-reference, expected a regular expression without",
				t->value);
	rc = regcomp(&t->regex, t->value, REG_EXTENDED | REG_ICASE | REG_NOSUB);
	if (rc) {
		regerror(rc, &t->regex, why, sizeof(why));
		return err_set(e, "/%s/: %s", t->value, why);
	}
	t->is_regex = true;
	return 0;
}

/* Length of "/REGEX/" at p, followed by a blank or the end; 0 = there is none. */
static size_t regex_length(const char *p)
{
	if (*p != '/')
		return 0;
	for (size_t n = 1; p[n]; n++)
		if (p[n] == '/' && n > 1 && (!p[n + 1] || p[n + 1] == ' '))
			return n + 1;
	return 0;
}

/* Reads one word at p. Returns what follows it. */
static const char *take_term(struct filter *f, const struct view *v, const char *p)
{
	size_t len = strcspn(p, " "), head, n;
	const char *colon;
	struct term t = {.not = *p == '-' && len > 1};

	p += t.not ;
	len -= t.not ;
	colon = memchr(p, ':', len);
	head = regex_length(p) || !colon ? 0 : (size_t)(colon - p) + 1;
	if (head > 1) {
		t.n_in = columns_named(v, p, head - 1, t.in);
		t.no_such = !t.n_in;
	}
	if (!t.n_in)
		head = head && regex_length(p + head) ? head : 0;
	n = regex_length(p + head);
	len = n ? head + n : len;
	t.word = str_printf("%.*s", (int)len, p);
	t.value = n ? str_printf("%.*s", (int)n - 2, p + head + 1) : str_dup(t.word + head);
	t.number = *t.value && strspn(t.value, "0123456789") == strlen(t.value);
	if (n && compile(&t, &f->wrong))
		t.is_regex = false;
	GROW(f->term, f->n, f->cap);
	f->term[f->n++] = t;
	return p + len;
}

struct filter *filter_new(const struct view *v, const char *text)
{
	struct filter *f = NEW(struct filter);

	for (const char *p = text + strspn(text, " "); *p; p += strspn(p, " "))
		p = take_term(f, v, p);
	return f;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++) {
		if (f->term[i].is_regex)
			regfree(&f->term[i].regex);
		free(f->term[i].word);
		free(f->term[i].value);
	}
	text_free(&f->cells);
	text_free(&f->cell);
	free(f->term);
	free(f);
}

/* --- rows --------------------------------------------------------------------------------- */

static bool marked(const char *word, unsigned marks)
{
	static const struct {
		const char *word;
		unsigned mark;
	} words[] = {
		{"changed", MARK_CHANGED}, {"down", MARK_DOWN}, {"detour", MARK_DETOUR},
		{"!", MARK_CHANGED},	   {"+", MARK_STEP},
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if ((marks & words[i].mark) && !strcasecmp(words[i].word, word))
			return true;
	return false;
}

/* All cells. In a folded pane, rows are also found by the name of their element. */
static const char *filter_cells_of(struct filter *f, const struct view *v, uint32_t row)
{
	uint32_t e;

	if (f->cells.len)
		return text_str(&f->cells);
	for (unsigned c = 0; c < v->ops->n_columns; c++) {
		view_cell(v, row, c, &f->cells);
		text_putc(&f->cells, ' ');
	}
	e = !fold_wanted(v) || view_is_header(v, row) ? NO_ID : fold_element(v, row);
	if (e != NO_ID)
		text_add(&f->cells, "%s", v->fold->chassis->el->name[e]);
	return text_str(&f->cells);
}

/* Keeps one part of a cell "19 → 21". A cell without arrow is the last part. */
static void keep_part(struct text *cell, int part)
{
	AUTO_FREE char *whole = part < 0 ? NULL : str_dup(text_str(cell));
	char *arrow = whole ? strstr(whole, " " ARROW " ") : NULL;

	if (!whole)
		return;
	text_clear(cell);
	if (arrow)
		*arrow = 0;
	if (part)
		text_add(cell, "%s", arrow ? arrow + sizeof(ARROW) + 1 : whole);
	else if (arrow)
		text_add(cell, "%s", whole);
}

static bool holds_number(const char *cell, const char *number)
{
	size_t len = strlen(number), n;

	for (const char *p = cell; *p; p += n) {
		n = strspn(p, "0123456789");
		if (n == len && !strncmp(p, number, len))
			return true;
		n = n ? n : 1;
	}
	return false;
}

static bool value_in(const struct term *t, const char *text, bool numbers)
{
	if (t->is_regex)
		return !regexec(&t->regex, text, 0, NULL, 0);
	return numbers && t->number ? holds_number(text, t->value) : strcasestr(text, t->value) != NULL;
}

static bool in_column(struct filter *f, const struct term *t, const struct view *v, uint32_t row,
		      struct column_part in)
{
	text_clear(&f->cell);
	view_cell(v, row, in.col, &f->cell);
	keep_part(&f->cell, in.part);
	return value_in(t, text_str(&f->cell), v->ops->column[in.col].numeric);
}

static bool term_matches(struct filter *f, const struct term *t, const struct view *v, uint32_t row)
{
	bool any = t->is_regex && !t->no_such && !t->n_in;
	unsigned n = any ? v->ops->n_columns : t->n_in;

	/* ^ and $ of a regular expression mean the begin and end of a cell */
	for (unsigned i = 0; i < n; i++)
		if (in_column(f, t, v, row, any ? (struct column_part){.col = i, .part = -1} : t->in[i]))
			return true;
	if (n)
		return false;
	if (t->no_such)
		return strcasestr(filter_cells_of(f, v, row), t->word) != NULL;
	return marked(t->value, view_marks(v, row)) || value_in(t, filter_cells_of(f, v, row), false);
}

bool filter_row(struct filter *f, const struct view *v, uint32_t row)
{
	bool hit = !f->wrong.msg[0];

	text_clear(&f->cells);
	for (size_t i = 0; i < f->n && !f->wrong.msg[0]; i++) {
		struct term *t = &f->term[i];
		bool found;

		if (!hit && (!t->no_such || t->seen))
			continue;
		found = term_matches(f, t, v, row);
		t->seen |= found;
		hit &= found != t->not ;
	}
	return hit;
}

int filter_check(const struct filter *f, const struct view *v, struct err *e)
{
	if (f->wrong.msg[0])
		return err_set(e, "%s", f->wrong.msg);
	for (size_t i = 0; i < f->n; i++)
		if (f->term[i].no_such && !f->term[i].seen)
			return no_column(v, f->term[i].word, strcspn(f->term[i].word, ":"), e);
	return 0;
}

/* --- letters in order --------------------------------------------------------------------- */

/* Copies in lower case, without blanks. */
static size_t letters_of(const char *what, char *to, size_t size)
{
	size_t n = 0;

	for (; *what && n + 1 < size; what++)
		if (*what != ' ')
			to[n++] = (char)tolower((unsigned char)*what);
	to[n] = 0;
	return n;
}

/* The number of characters from `at` to the last of the letters, in order; 0 = not all of them follow. */
static unsigned stretch(const char *at, const char *letters)
{
	const char *p = at;

	for (; *p; p++) {
		if ((char)tolower((unsigned char)*p) == *letters)
			letters++;
		if (!*letters)
			return (unsigned)(p - at) + 1;
	}
	return 0;
}

unsigned word_likeness(const char *text, const char *word, size_t len)
{
	char letters[VIEW_FILTER_MAX + 1];
	unsigned best = 0;

	if (!len || len >= sizeof(letters))
		return 0;
	memcpy(letters, word, len);
	letters_of(letters, letters, len + 1);
	for (const char *p = text; *p && best != 1; p++) {
		bool begins = p == text || !isalnum((unsigned char)p[-1]);
		unsigned now = (char)tolower((unsigned char)*p) == *letters ? stretch(p, letters) : 0;

		if (now == len)
			now = begins ? 1 : 2;
		else if (now && len > 2 && begins && now <= 3 * len)
			now = 3 + now - (unsigned)len;
		else
			now = 0;
		if (now && (!best || now < best))
			best = now;
	}
	return best;
}

unsigned row_likeness(const struct view *v, uint32_t row, const char *what)
{
	char letters[VIEW_FILTER_MAX + 1];
	size_t n = letters_of(what, letters, sizeof(letters));
	AUTO_TEXT struct text t = {0};
	unsigned best = 0;

	for (unsigned c = 0; n > 1 && c < v->ops->n_columns; c++) {
		if (!v->ops->column[c].flex || v->ops->column[c].numeric)
			continue;
		text_clear(&t);
		view_cell(v, row, c, &t);
		for (const char *p = text_str(&t); *p; p++) {
			unsigned now = (char)tolower((unsigned char)*p) == *letters ? stretch(p, letters) : 0;

			if (now && now <= 4 * n && (!best || now < best))
				best = now;
		}
	}
	return best;
}
