#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/hostlist.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/fabric/names.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- order of the shown names ---------------------------------------------------------------- */

static int by_name_compare(const void *x, const void *y, void *ctx)
{
	const struct fabric *f = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int d = strcasecmp(f->node_name[a], f->node_name[b]);

	if (!d)
		d = strcmp(f->node_name[a], f->node_name[b]);
	return d ? d : COMPARED(a, b);
}

void names_sort(struct fabric *f)
{
	for (uint32_t n = 0; n < f->n_nodes; n++)
		f->by_name[n] = n;
	qsort_r(f->by_name, f->n_nodes, sizeof(*f->by_name), by_name_compare, f);
}

/* Compares the first len bytes of s with a name, without regard to case.  A longer name comes later. */
static int compare_whole(const char *s, size_t len, const char *name)
{
	int d = strncasecmp(s, name, len);

	if (!d && name[len])
		return -1;
	return d;
}

/* The first place in by_name whose shown name does not sort before the first len bytes of s. */
static uint32_t first_named(const struct fabric *f, const char *s, size_t len)
{
	uint32_t lo = 0, hi = f->n_nodes;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (compare_whole(s, len, f->node_name[f->by_name[mid]]) > 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

uint32_t node_named(const struct fabric *f, const char *s, size_t len)
{
	uint32_t i = first_named(f, s, len), found = NO_ID, n = 0;

	for (; i < f->n_nodes && !compare_whole(s, len, f->node_name[f->by_name[i]]); i++) {
		found = f->by_name[i];
		if (!strncmp(s, f->node_name[found], len))
			return found;
		n++;
	}
	return n == 1 ? found : NO_ID;
}

/* --- ports in brackets ----------------------------------------------------------------------------- */

/* Length of the digits at the beginning of a text and of the blank after them: "63 " of "63 1/32/1". */
static size_t number_before(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && isdigit((unsigned char)s[n]))
		n++;
	return n && n < len && s[n] == ' ' ? n + 1 : 0;
}

unsigned port_in_brackets(const struct fabric *f, uint32_t node, const char *s, size_t len)
{
	size_t before = number_before(s, len);
	unsigned found = NO_PORT;
	uint64_t n;

	assert(node < f->n_nodes);
	if (number_of_part(s, len, 0, UINT8_MAX, &n))
		return (unsigned)n;
	for (unsigned p = 1; p <= f->node_nports[node]; p++) {
		const char *label = fabric_port_label(f, f->node_port[node] + p);

		if (!label || strlen(label) != len - before ||
		    strncasecmp(label, s + before, len - before) != 0 ||
		    (before && (!number_of_part(s, before - 1, 0, UINT8_MAX, &n) || n != p)))
			continue;
		if (found != NO_PORT)
			return NO_PORT;
		found = p;
	}
	return found;
}

/* Has a port of the fabric this label? */
static bool is_label(const struct fabric *f, const char *s, size_t len)
{
	for (uint32_t p = 0; f->port_labels && p < f->n_ports; p++)
		if (f->port_labels[p] && strlen(f->port_labels[p]) == len &&
		    !strncasecmp(f->port_labels[p], s, len))
			return true;
	return false;
}

/* Length of NAME in "NAME[PORT]", else 0. The brackets may hold anything. */
static size_t before_brackets(const char *s, size_t len)
{
	const char *open = len > 3 && s[len - 1] == ']' ? memrchr(s, '[', len - 2) : NULL;

	return open ? (size_t)(open - s) : 0;
}

bool is_port_text(const struct fabric *f, const char *s, size_t len)
{
	size_t before = number_before(s, len);
	uint64_t n;

	return number_of_part(s, len, 0, UINT8_MAX, &n) || memchr(s, '/', len) ||
	       is_label(f, s + before, len - before);
}

size_t name_before_port(const struct fabric *f, const char *s, size_t len)
{
	size_t name = before_brackets(s, len), n = name ? len - name - 2 : 0;

	return n && !memchr(s + name + 1, ',', n) && is_port_text(f, s + name + 1, n) ? name : 0;
}

uint32_t names_in_list(char *const *name, uint32_t n, const char *word, uint32_t *found)
{
	uint32_t first = NO_ID;
	size_t len = strlen(word);

	*found = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!strcmp(name[i], word)) {
			*found = 1;
			return i;
		}
		if (!strncasecmp(name[i], word, len) || glob_match(word, name[i]))
			first = (*found)++ ? first : i;
	}
	return first;
}

uint32_t node_hangs_on(const struct fabric *f, uint32_t node)
{
	assert(node < f->n_nodes);
	for (unsigned p = 1; p <= f->node_nports[node]; p++)
		if (f->port_peer[f->node_port[node] + p] != NO_ID)
			return f->port_peer[f->node_port[node] + p];
	return NO_ID;
}

/* --- the words of all given names ------------------------------------------------------------------ */

/* A word of a name. s: the word and the rest of the name. */
struct name_word {
	uint64_t key; /* its first eight bytes as strcasecmp() orders them */
	const char *s;
	uint32_t node;
};

struct name_index {
	struct name_word *word; /* sorted */
	size_t n, cap;
};

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

static uint64_t word_key(const char *s)
{
	uint64_t key = 0;

	for (unsigned i = 0; i < 8; i++) {
		key = key << 8 | (unsigned char)tolower((unsigned char)*s);
		s += *s != 0;
	}
	return key;
}

COMPARATOR(word_compare, struct name_word, UP(key) FIELD_BY(strcasecmp, s) UP(node))

static struct name_index *make_index(const struct fabric *f)
{
	struct name_index *x = NEW(struct name_index);

	for (uint32_t n = 0; n < f->n_nodes; n++)
		for (const char *name = f->node_given[n], *p = name; *p; p++) {
			if (!in_word(*p) || (p > name && in_word(p[-1])))
				continue;
			GROW(x->word, x->n, x->cap);
			x->word[x->n++] = (struct name_word){word_key(p), p, n};
		}
	if (x->n)
		qsort(x->word, x->n, sizeof(*x->word), word_compare);
	return x;
}

static void free_index(struct name_index *x)
{
	if (x)
		free(x->word);
	free(x);
}

/* Made when first asked for.  If two threads make it at once, the second throws its own away. */
static const struct name_index *names_index_of(const struct fabric *cf)
{
	struct fabric *f = (struct fabric *)cf;
	struct name_index *x = atomic_load(&f->name_index), *none = NULL;

	if (x)
		return x;
	x = make_index(f);
	if (atomic_compare_exchange_strong(&f->name_index, &none, x))
		return x;
	free_index(x);
	return none;
}

void fabric_free_names(struct fabric *f)
{
	for (uint32_t n = 0; n < f->n_nodes; n++) {
		free(f->node_given[n]);
		free(f->node_name[n]);
	}
	free_index(atomic_load(&f->name_index));
}

#define TAIL_LEAST 6 /* digits of a GUID's end */

/* --- finding ----------------------------------------------------------------------------------------- */

void name_hits_free(struct name_hits *h)
{
	free(h->node);
	*h = (struct name_hits){0};
}

static bool counts(const struct fabric *f, uint32_t node, enum name_kind kind)
{
	return kind == NAMES_ANY || node_is_switch(f, node) == (kind == NAMES_SWITCHES);
}

/* Adds a node that fits with this rank. Only nodes of the best rank stay. */
static void names_hit(struct name_hits *h, uint32_t node, enum name_rank rank)
{
	if (rank < h->rank)
		return;
	if (rank > h->rank)
		h->n = 0;
	h->rank = rank;
	GROW(h->node, h->n, h->cap);
	h->node[h->n++] = node;
}

static void names_tidy(const struct fabric *f, struct name_hits *h)
{
	uint32_t n = 0;

	if (h->n)
		qsort_r(h->node, h->n, sizeof(*h->node), by_name_compare, (void *)(uintptr_t)f);
	for (uint32_t i = 0; i < h->n; i++)
		if (!n || h->node[n - 1] != h->node[i])
			h->node[n++] = h->node[i];
	h->n = n;
}

static void find_words(const struct fabric *f, const char *text, enum name_kind kind, struct name_hits *h)
{
	const struct name_index *x = names_index_of(f);
	size_t lo = 0, hi = x->n, len = strlen(text);

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcasecmp(x->word[mid].s, text) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < x->n && !strncasecmp(x->word[lo].s, text, len); lo++) {
		const struct name_word *w = &x->word[lo];
		bool first = w->s == f->node_given[w->node], whole = !in_word(w->s[len]);

		if (counts(f, w->node, kind))
			names_hit(h, w->node,
				  whole ? (first ? NAME_FIRST : NAME_WORDS)
					: (first ? NAME_BEGIN : NAME_WORD_BEGIN));
	}
}

/* The end of a GUID after a name, as in "Quantum-2 …8a5c00" or "Quantum-2 8a5c00". NULL: none. */
static const char *tail_of(const char *text, uint64_t *guid, uint64_t *mask)
{
	size_t len = strlen(text), at = len;

	while (at && isxdigit((unsigned char)text[at - 1]))
		at--;
	if (len - at < TAIL_LEAST || len - at > 15 || (at && isalnum((unsigned char)text[at - 1])))
		return NULL;
	*guid = strtoull(text + at, NULL, 16);
	*mask = (UINT64_C(1) << 4 * (len - at)) - 1;
	if (at >= strlen(NAME_TAIL) && !strncmp(text + at - strlen(NAME_TAIL), NAME_TAIL, strlen(NAME_TAIL)))
		at -= strlen(NAME_TAIL);
	return !at || text[at - 1] == ' ' ? text + at : NULL;
}

/* Finds nodes by name and end of GUID: so nodes that share a name are shown. */
static void find_tail(const struct fabric *f, const char *text, enum name_kind kind, struct name_hits *h)
{
	uint64_t guid, mask;
	const char *tail = tail_of(text, &guid, &mask);
	size_t len = tail && tail > text ? (size_t)(tail - text) - 1 : 0;

	for (uint32_t n = 0; tail && n < f->n_nodes; n++)
		if ((f->node_guid[n] & mask) == guid && counts(f, n, kind) &&
		    (!strncasecmp(f->node_given[n], text, len) || !strncasecmp(f->node_name[n], text, len)))
			names_hit(h, n, NAME_WORDS);
}

void names_find(const struct fabric *f, const char *text, enum name_kind kind, enum name_rank least,
		struct name_hits *h)
{
	*h = (struct name_hits){.rank = least};
	if (*text) {
		size_t len = strlen(text);

		for (uint32_t i = first_named(f, text, len); i < f->n_nodes; i++) {
			uint32_t node = f->by_name[i];

			if (strncasecmp(f->node_name[node], text, len))
				break;
			if (counts(f, node, kind))
				names_hit(h, node, f->node_name[node][len] ? NAME_LABEL : NAME_WHOLE);
		}
	}
	if (*text && h->rank < NAME_WHOLE)
		find_words(f, text, kind, h);
	if (*text && !h->n && least <= NAME_PART) {
		for (uint32_t n = 0; n < f->n_nodes; n++)
			if (counts(f, n, kind) && strcasestr(f->node_given[n], text))
				names_hit(h, n, NAME_PART);
	}
	if (!h->n && least <= NAME_WORDS)
		find_tail(f, text, kind, h);
	names_tidy(f, h);
	if (h->rank == NAME_WHOLE) {
		for (uint32_t i = 0; i < h->n; i++)
			if (!strcmp(f->node_name[h->node[i]], text)) {
				h->node[0] = h->node[i];
				h->n = 1;
			}
	}
}

/* --- patterns -------------------------------------------------------------------------------------- */

static const char glob_signs[] = "*?[";

bool is_name_pattern(const char *text)
{
	return strpbrk(text, "*?[,") != NULL;
}

bool names_port(const struct fabric *f, const char *text, size_t len)
{
	size_t name = name_before_port(f, text, len);

	return name && node_named(f, text, len) == NO_ID && node_named(f, text, name) != NO_ID;
}

/* Where nodes are wanted: -1 and *e when the text, or an element of the list that it is, names a port. */
static int names_refuse_port(const struct fabric *f, const char *text, struct err *e)
{
	size_t start = 0;
	bool bracket = false;

	for (size_t i = 0; strchr(text, ']'); i++) {
		bracket = text[i] == '[' || (bracket && text[i] != ']');
		if (text[i] && (bracket || text[i] != ','))
			continue;
		if (names_port(f, text + start, i - start))
			return err_set_kind(e, ERR_SYNTAX, "found \"%.*s\", which is a port; expected a node",
					    (int)(i - start), text + start);
		if (!text[i])
			break;
		start = i + 1;
	}
	return 0;
}

static void find_glob(const struct fabric *f, const char *pattern, enum name_kind kind, struct name_hits *h)
{
	for (uint32_t n = 0; n < f->n_nodes; n++)
		if (counts(f, n, kind) &&
		    (glob_match(pattern, f->node_given[n]) || glob_match(pattern, f->node_name[n])))
			names_hit(h, n, h->rank);
}

/* Add the nodes that one element of a list means; false: none. */
static bool find_element(const struct fabric *f, const char *element, enum name_kind kind,
			 struct name_hits *h)
{
	uint32_t before = h->n;
	struct name_hits one;

	if (strpbrk(element, glob_signs)) {
		find_glob(f, element, kind, h);
		return h->n > before;
	}
	names_find(f, element, kind, NAME_WORDS, &one);
	for (uint32_t i = 0; i < one.n; i++)
		names_hit(h, one.node[i], h->rank);
	name_hits_free(&one);
	return h->n > before;
}

int names_pattern(const struct fabric *f, const char *text, enum name_kind kind, struct name_hits *h,
		  struct err *e)
{
	AUTO_TEXT struct text missing = {0};
	struct hostlist l;
	struct err why = {0};
	uint32_t n = 0;

	*h = (struct name_hits){0};
	if (names_refuse_port(f, text, e))
		return -1;
	if (hostlist_read(text, &l, &why))
		n = 1;
	for (size_t i = 0; i < l.n; i++)
		if (!find_element(f, l.name[i], kind, h) && n++ < 4)
			text_add(&missing, "%s%s", n > 1 ? ", " : "", l.name[i]);
	if (!h->n) {
		find_glob(f, text, kind, h);
		n = h->n ? 0 : n;
	}
	names_tidy(f, h);
	if (n && *why.msg)
		err_copy(e, &why);
	else if (n && l.n == 1)
		err_set_kind(e, ERR_NO_NODE, "\"%s\" fits no node", text);
	else if (n)
		err_set_kind(e, ERR_NO_NODE, "\"%s\": no node is named %s%s", text, text_str(&missing),
			     n > 4 ? ", ..." : "");
	hostlist_free(&l);
	return n ? -1 : 0;
}

/* Sets *e: the text fits these nodes.  The message names some of them, by what distinguishes them.  Returns
 * -1. */
static int names_ambiguous(const struct fabric *f, const char *text, const struct name_hits *h, struct err *e)
{
	AUTO_TEXT struct text names = {0};

	for (uint32_t i = 0; i < h->n && i < 4; i++)
		text_add(&names, "%s\"%s\" (0x%016" PRIx64 ")", i ? ", " : "", f->node_name[h->node[i]],
			 f->node_guid[h->node[i]]);
	return err_set_kind(e, ERR_AMBIGUOUS, "\"%s\" fits %s: %s%s; say more of the name, or use the GUID",
			    text, PLURAL(h->n, "node"), text_str(&names), h->n > 4 ? ", ..." : "");
}

int names_many(const struct fabric *f, const char *text, enum name_kind kind, struct name_hits *h, bool *many,
	       struct err *e)
{
	*many = false;
	*h = (struct name_hits){0};
	if (names_port(f, text, strlen(text)))
		return names_refuse_port(f, text, e);
	names_find(f, text, kind, NAME_NONE, h);
	if (h->rank == NAME_WHOLE && h->n == 1)
		return 0;
	if (name_hits_host(f, text, h)) {
		*many = h->n > 1;
		return 0;
	}
	if (is_name_pattern(text)) {
		*many = true;
		name_hits_free(h);
		return names_pattern(f, text, kind, h, e);
	}
	return h->n > 1 ? names_ambiguous(f, text, h, e) : 0;
}

bool names_fit(const struct fabric *f, const char *text)
{
	struct name_hits h;

	names_find(f, text, NAMES_ANY, NAME_NONE, &h);
	bool any = h.n || (is_name_pattern(text) && !names_pattern(f, text, NAMES_ANY, &h, NULL));
	name_hits_free(&h);
	return any;
}

bool name_hits_host(const struct fabric *f, const char *text, const struct name_hits *h)
{
	size_t len = strlen(text);

	if (!h->n || h->rank != NAME_FIRST)
		return false;
	for (uint32_t i = 0; i < h->n; i++) {
		const char *name = f->node_given[h->node[i]];

		if (node_is_switch(f, h->node[i]) || name[len] != ' ' || !name[len + 1] ||
		    name[len + 1 + strcspn(name + len + 1, " \t")])
			return false;
		/* equal names are neighbours here: they are the adapter's, not the host's */
		if (i && !strcasecmp(name, f->node_given[h->node[i - 1]]))
			return false;
	}
	return true;
}

/* --- names within a line --------------------------------------------------------------------------- */

/* Are the first len bytes of s a shown name, alone or with a port of that node? */
static bool names_something(const struct fabric *f, const char *s, size_t len)
{
	if (node_named(f, s, len) != NO_ID)
		return true;
	size_t before = before_brackets(s, len);
	uint32_t node = before ? node_named(f, s, before) : NO_ID;
	return node != NO_ID &&
	       port_in_brackets(f, node, s + before + 1, len - before - 2) <= f->node_nports[node];
}

unsigned names_at(const struct fabric *f, const char *text, size_t *len, unsigned most)
{
	size_t end = strnlen(text, f->longest_name + strlen("[]") + PORT_NUMBER_MAX);
	unsigned n = 0;

	for (size_t i = end; i && n < most; i--)
		if (strncmp(text + i, " " NAME_TAIL, strlen(" " NAME_TAIL)) != 0 &&
		    (!text[i] || text[i] == ';' || isspace((unsigned char)text[i])) &&
		    !isspace((unsigned char)text[i - 1]) && names_something(f, text, i))
			len[n++] = i;
	return n;
}

/* --- one node ---------------------------------------------------------------------------------------- */

uint32_t fabric_node_by_name(const struct fabric *f, const char *name, struct err *e)
{
	struct name_hits h;
	uint32_t node;

	if (names_port(f, name, strlen(name))) {
		names_refuse_port(f, name, e);
		return NO_ID;
	}
	names_find(f, name, NAMES_ANY, NAME_NONE, &h);
	if (!h.n && strpbrk(name, glob_signs))
		find_glob(f, name, NAMES_ANY, &h);
	if (!h.n && e)
		err_set_kind(
			e, ERR_NO_NODE,
			"no node is named \"%s\" (expected a GUID, a LID, a name, the beginning of a word "
			"of one, a part of one, or a glob)",
			name);
	else if (h.n > 1)
		names_ambiguous(f, name, &h, e);
	node = h.n == 1 ? h.node[0] : NO_ID;
	name_hits_free(&h);
	return node;
}

const char *port_number(const struct fabric *f, uint32_t port, char *buf, size_t size)
{
	bool of_switch = port != NO_ID && node_is_switch(f, f->port_node[port]);
	const char *label = of_switch ? fabric_port_label(f, port) : NULL;

	assert(port == NO_ID || port < f->n_ports);
	if (port == NO_ID)
		snprintf(buf, size, "-");
	else if (label)
		snprintf(buf, size, "%u %s", f->port_num[port], label);
	else
		snprintf(buf, size, "%u", f->port_num[port]);
	return buf;
}

const char *exit_number(const struct fabric *f, uint32_t sw, unsigned port, char *buf, size_t size)
{
	assert(sw < f->n_switches);
	if (port <= f->switch_nports[sw])
		return port_number(f, switch_port_id(f, sw, port), buf, size);
	snprintf(buf, size, "%u", port);
	return buf;
}

const char *port_label(const struct fabric *f, uint32_t port, char *buf, size_t size)
{
	char number[PORT_NUMBER_MAX + 1];

	if (port == NO_ID)
		return port_number(f, port, buf, size);
	snprintf(buf, size, "%s[%s]", f->node_name[f->port_node[port]],
		 port_number(f, port, number, sizeof(number)));
	return buf;
}

const char *port_plain(const struct fabric *f, uint32_t port, char *buf, size_t size)
{
	if (port == NO_ID)
		return port_number(f, port, buf, size);
	snprintf(buf, size, "%s[%u]", f->node_name[f->port_node[port]], f->port_num[port]);
	return buf;
}
