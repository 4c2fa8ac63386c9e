/* What a row is about, arguments of panes, sorting, and words that panes share. */
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/fabric/names.h"
#include "core/session/command.h"
#include "views/base/filter.h"
#include "views/base/fold.h"
#include "views/base/view.h"

/* The objects of rows: from ids to words of the command language. */

bool view_subject(const struct view *v, uint32_t row, struct subject *s)
{
	assert(row < v->n_rows);
	if (!row_about(v, row, s))
		return false;
	assert(s->port == NO_ID || s->node == v->scene->fabric->port_node[s->port]);
	return true;
}

uint32_t row_chip(const struct view *v, uint32_t row)
{
	struct subject s;

	view_subject(v, row, &s);
	return s.chip;
}

void subject_node(const struct view *v, uint32_t node, struct subject *s)
{
	assert(node < v->scene->fabric->n_nodes);
	s->node = node;
	s->chip = v->scene->fabric->node_switch[node];
}

void subject_switch(const struct view *v, uint32_t sw, struct subject *s)
{
	assert(sw < v->scene->fabric->n_switches);
	s->node = v->scene->fabric->switch_node[sw];
	s->chip = sw;
	s->key = v->scene->fabric->node_guid[s->node];
}

void subject_port(const struct view *v, uint32_t port, struct subject *s)
{
	assert(port < v->scene->fabric->n_ports);
	subject_node(v, v->scene->fabric->port_node[port], s);
	s->port = port;
}

void subject_switch_port(const struct view *v, uint32_t sw, unsigned number, struct subject *s)
{
	const struct fabric *f = v->scene->fabric;

	assert(sw < f->n_switches);
	subject_node(v, f->switch_node[sw], s);
	if (number && number <= f->switch_nports[sw])
		s->port = switch_port_id(f, sw, number);
}

void subject_to(unsigned lid, struct subject *s)
{
	s->lid = (int)lid;
	s->dst = (struct end){END_LID, lid};
}

void subject_lid(unsigned lid, struct subject *s)
{
	subject_to(lid, s);
	s->endport = s->dst;
}

bool end_place(const struct view *v, struct end end, uint32_t *node, uint32_t *port)
{
	const struct fabric *f = v->scene->fabric;
	uint32_t ep;

	*node = *port = NO_ID;
	switch (end.kind) {
	case END_LID:
		ep = v->scene->sweep ? lid_owner(v->scene->sweep->lids, end.id) : NO_ID;
		*port = ep == NO_ID ? NO_ID : f->endport_port[ep];
		break;
	case END_PORT:
		*port = end.id;
		break;
	case END_NODE:
		*node = end.id;
		break;
	case END_ON_SWITCH:
		*port = ca_on_switch(v->scene->topo, end.id);
		*node = f->switch_node[end.id];
		break;
	default:
		break;
	}
	if (*port != NO_ID)
		*node = f->port_node[*port];
	return *node != NO_ID;
}

static bool word_end(const struct view *v, struct end end, struct text *t)
{
	uint32_t node, port;

	if (end.kind == END_LID) {
		text_add(t, "%" PRIu32, end.id);
		return true;
	}
	if (!end_place(v, end, &node, &port))
		return false;
	if (port != NO_ID)
		word_port(v->scene->fabric, port, t);
	else
		word_node(v->scene->fabric, node, t);
	return true;
}

static bool word_number(int n, struct text *t)
{
	if (n >= 0)
		text_add(t, "%d", n);
	return n >= 0;
}

bool place_port(const struct fabric *f, uint32_t port, const char *what, struct text *t)
{
	assert(port < f->n_ports);

	uint32_t peer = f->port_peer[port];

	if (!strcmp(what, "port") || (!strcmp(what, "object") && peer != NO_ID)) {
		text_add(t, "%s", *what == 'o' ? "link " : "");
		word_port(f, port, t);
	} else if (!strcmp(what, "number")) {
		text_add(t, "%u", f->port_num[port]);
	} else if (!strcmp(what, "far") && peer != NO_ID) {
		word_port(f, peer, t);
	} else if (!strcmp(what, "peer") && peer != NO_ID) {
		word_node(f, f->port_node[peer], t);
	} else {
		return false;
	}
	return true;
}

static bool place_node(const struct fabric *f, uint32_t node, const char *what, struct text *t)
{
	assert(node < f->n_nodes);

	bool sw = node_is_switch(f, node);

	if (!strcmp(what, "node") || !strcmp(what, sw ? "switch" : "host")) {
		word_node(f, node, t);
	} else if (!strcmp(what, "object")) {
		text_add(t, "%s ", sw ? "switch" : "host");
		word_node(f, node, t);
	} else if (!strcmp(what, "guid")) {
		text_add(t, "0x%016" PRIx64, f->node_guid[node]);
	} else if (!strcmp(what, "name")) {
		word_text(f->node_name[node], t);
	} else {
		return false;
	}
	return true;
}

static bool place_subject(const struct view *v, const struct subject *s, const char *what, struct text *t)
{
	const struct fabric *f = v->scene->fabric;

	if (!strcmp(what, "lid"))
		return word_number(s->lid, t);
	if (!strcmp(what, "layer"))
		return word_number(s->layer, t);
	if (!strcmp(what, "src"))
		return word_end(v, s->src, t);
	if (!strcmp(what, "dst"))
		return word_end(v, s->dst, t);
	if (!strcmp(what, "endport"))
		return word_end(v, s->endport, t);
	if (!strcmp(what, "switch") && s->sw != NO_ID) {
		word_node(f, f->switch_node[s->sw], t);
		return true;
	}
	if (!strcmp(what, "element") && s->elements) {
		word_element(s->elements, s->element, t);
		return true;
	}
	return (s->port != NO_ID && place_port(f, s->port, what, t)) ||
	       (s->node != NO_ID && place_node(f, s->node, what, t));
}

bool row_place(const struct view *v, uint32_t row, const char *what, struct text *t)
{
	struct subject s;

	if (v->ops->placeholder && v->ops->placeholder(v, row, what, t))
		return true;
	return view_subject(v, row, &s) && place_subject(v, &s, what, t);
}

/* The beginning and end that all names of a column share. */

#define WORTH 4 /* bytes; a shorter common part is not left out */

size_t affix_name_len(const char *cell)
{
	size_t len = strlen(cell), n = len;

	if (!len || cell[len - 1] != ']')
		return len;
	for (n--; n && isdigit((unsigned char)cell[n - 1]); n--)
		;
	return n > 1 && n + 1 < len && cell[n - 1] == '[' ? n - 1 : len;
}

/* The arrow between the names of a pair, or NULL. */
static const char *arrow_in(const char *cell, size_t *len)
{
	const char *at = strstr(cell, " → ");

	*len = at ? strlen(" → ") : strlen(" -> ");
	return at ? at : strstr(cell, " -> ");
}

/* Several pairs, or a chain of names: nothing is left out of them. */
static bool is_chain(const char *cell)
{
	size_t len;
	const char *at = arrow_in(cell, &len);

	return at && (strstr(cell, ", ") || arrow_in(at + len, &len));
}

/* The first name of a pair, to be freed. NULL: the cell is no pair. *second: the other name. */
static char *first_of_pair(const char *cell, const char **second)
{
	size_t len;
	const char *at = is_chain(cell) ? NULL : arrow_in(cell, &len);

	if (!at)
		return NULL;
	*second = at + len;
	return str_printf("%.*s", (int)(at - cell), cell);
}

void affix_note(struct affix *a, const char *cell, int columns)
{
	size_t len = affix_name_len(cell), n;
	const char *second;
	char *first = first_of_pair(cell, &second);

	if (columns > a->widest)
		a->widest = columns;
	if (first) {
		affix_note(a, first, 0);
		affix_note(a, second, 0);
		free(first);
		return;
	}
	if (!len || !strcmp(cell, "-") || is_chain(cell))
		return;
	if (!a->like) {
		a->like = mem_dup(cell, len + 1);
		a->like[len] = 0;
		a->len = a->least = a->pre = a->suf = len;
		return;
	}
	a->several |= len != a->len || (len && memcmp(cell, a->like, len) != 0);
	a->least = MIN(len, a->least);
	for (n = 0; n < a->pre && n < len && cell[n] == a->like[n]; n++)
		;
	a->pre = n;
	for (n = 0; n < a->suf && n < len && cell[len - 1 - n] == a->like[a->len - 1 - n]; n++)
		;
	a->suf = n;
}

static bool is_separator(char c)
{
	return c && strchr(";:/-_ ", c);
}

void affix_get(const struct affix *a, size_t *pre, size_t *suf)
{
	const char *s = a->like;
	size_t p = a->pre, n;

	*pre = *suf = 0;
	if (!a->several)
		return;
	p = p < a->least ? p : a->least - 1;
	while (p && !is_separator(s[p - 1]) &&
	       !(isdigit((unsigned char)s[p]) && isalpha((unsigned char)s[p - 1])))
		p--;
	n = a->suf < a->least - p ? a->suf : a->least - p - 1;
	while (n && !is_separator(s[a->len - n]))
		n--;
	if (p + n < WORTH)
		return;
	*pre = p;
	*suf = n;
}

void affix_most(const struct affix *a, size_t *pre, size_t *suf)
{
	size_t p = a->pre, n;

	*pre = *suf = 0;
	if (!a->several)
		return;
	p = p < a->least ? p : a->least - 1;
	while (p && ((unsigned char)a->like[p] & 0xc0) == 0x80)
		p--;
	n = a->suf < a->least - p ? a->suf : a->least - p - 1;
	while (n && ((unsigned char)a->like[a->len - n] & 0xc0) == 0x80)
		n--;
	*pre = p;
	*suf = n;
}

void affix_strip(const struct affix *a, size_t pre, size_t suf, const char *cell, struct text *t)
{
	size_t len = affix_name_len(cell);
	const char *second;
	char *first = first_of_pair(cell, &second);

	assert(a->like || (!pre && !suf));
	if (first) {
		affix_strip(a, pre, suf, first, t);
		text_add(t, "%.*s", (int)(second - cell) - (int)strlen(first), cell + strlen(first));
		affix_strip(a, pre, suf, second, t);
		free(first);
		return;
	}
	if (pre + suf >= len || is_chain(cell) || (pre && memcmp(cell, a->like, pre) != 0) ||
	    (suf && memcmp(cell + len - suf, a->like + a->len - suf, suf) != 0))
		text_add(t, "%s", cell);
	else
		text_add(t, "%.*s%s", (int)(len - suf - pre), cell + pre, cell + len);
}

void affix_free(struct affix *a)
{
	free(a->like);
	*a = (struct affix){0};
}

/* How words behind a pane's name become arguments, by the pane's syntax line. */

/* The kind of argument that a word of the syntax is for a pane. */
static enum view_arg_kind view_args_kind_of(enum syntax_kind kind)
{
	switch (kind) {
	case KIND_NODE:
		return VIEW_ARG_NODE;
	case KIND_SWITCH:
		return VIEW_ARG_SWITCH;
	case KIND_PORT:
		return VIEW_ARG_PORT;
	case KIND_HOST:
	case KIND_ENDPORT:
		return VIEW_ARG_ENDPORT;
	case KIND_ELEMENT:
		return VIEW_ARG_ELEMENT;
	case KIND_NUMBER:
		return VIEW_ARG_NUMBER;
	default:
		return VIEW_ARG_OTHER;
	}
}

/* Stores the meaning of a word, as GUIDs and numbers. */
static int view_args_take(struct scene *sc, const struct arg *x, struct view_args *a, bool timeless,
			  struct err *e)
{
	const struct fabric *f = sc->fabric;
	struct view_arg *to = &a->arg[a->n];
	bool all = x->small && x->len == 3 && !strncmp(x->name, "all", 3);

	a->flag |= x->small && !all;
	if ((x->small && !all) || a->n == VIEW_ARGS)
		return 0;
	*to = (struct view_arg){.kind = all ? VIEW_ARG_ALL : view_args_kind_of(x->kind),
				.n = all ? -1 : (int)x->n};
	switch (to->kind) {
	case VIEW_ARG_NODE:
	case VIEW_ARG_SWITCH:
		to->guid = f->node_guid[x->id];
		break;
	case VIEW_ARG_PORT:
		to->guid = f->node_guid[f->port_node[x->id]];
		to->n = f->port_num[x->id];
		break;
	case VIEW_ARG_ENDPORT:
		to->guid = f->port_guid[f->endport_port[x->id]];
		to->n = (int)x->lid;
		break;
	case VIEW_ARG_ELEMENT:
		if (!f)
			return err_set(e, "no fabric is loaded");
		if (view_element_argument(sc, x->word, &to->guid, e))
			return -1;
		break;
	case VIEW_ARG_OTHER:
		if (!f && !timeless && !x->small && x->kind != KIND_NUMBER)
			return err_set(e, "no fabric is loaded");
		*to = (struct view_arg){.kind = VIEW_ARG_NONE};
		return 0;
	default:
		break;
	}
	a->n++;
	return 0;
}

int view_args_open(struct view *v, int argc, char **argv, struct err *e)
{
	const struct view_ops *ops = v->ops;
	AUTO_FREE char **words = NEW_ARRAY((size_t)argc + 2, char *);
	AUTO_FREE char *syntax = str_printf("%s %s", ops->name, view_syntax(ops));
	struct err why = {0};
	struct args read = {.argc = argc + 1, .argv = words};
	int rc;

	words[0] = (char *)(uintptr_t)ops->name;
	for (int i = 0; i < argc; i++)
		words[i + 1] = argv[i];
	rc = args_read(v->scene->session, syntax, NULL, &read, &why);
	for (int i = 0; !rc && i < read.n; i++)
		rc = view_args_take(v->scene, &read.arg[i], &v->args, (ops->flags & VIEW_TIMELESS) != 0,
				    &why);
	if (rc < 0)
		err_set(e, "pane %s: %s", ops->name, why.msg);
	else if (rc && !*view_syntax(ops))
		err_word(e, "pane %s: found %s, expected no argument", ops->name, argv[0]);
	else if (rc)
		err_word(e, "pane %s: found %d argument%s, expected %s", ops->name, argc,
			 argc == 1 ? "" : "s", view_syntax(ops));
	else if (ops->open)
		rc = ops->open(v, &read, e);
	args_free(&read);
	return rc ? -1 : 0;
}

/* --- last objects looked at ----------------------------------------------------------------- */

/* A word for the last object of its kind, or NULL when this fabric has none. */
static char *looked_word(const struct scene *sc, const char *word, size_t len)
{
	const struct fabric *f = sc->fabric;
	const struct looked *l = &sc->looked;
	enum view_arg_kind kind = view_args_kind_of(syntax_kind(word, len));
	bool src = len == 3 && !strncmp(word, "SRC", 3), dst = len == 3 && !strncmp(word, "DST", 3);
	uint64_t guid = src ? l->src : l->endport;

	if (dst)
		guid = l->dst;
	if (kind == VIEW_ARG_NODE || kind == VIEW_ARG_SWITCH || kind == VIEW_ARG_PORT) {
		guid = kind == VIEW_ARG_SWITCH ? l->sw : l->node;
		if (!guid || fabric_node_by_guid(f, guid) == NO_ID)
			return NULL;
		if (kind != VIEW_ARG_PORT)
			return str_printf("0x%016" PRIx64, guid);
		return l->port ? str_printf("0x%016" PRIx64 "[%u]", guid, l->port) : NULL;
	}
	if (kind != VIEW_ARG_ENDPORT || !guid || fabric_endport_by_guid(f, guid) == NO_ID)
		return NULL;
	return str_printf("0x%016" PRIx64, guid);
}

int view_args_looked(const struct view_ops *ops, const struct scene *sc, char ***argv)
{
	const char *p = view_syntax(ops);
	bool may = *p == '[' && !strncmp(p + 1, "NODE", 4);
	char **words = NEW_ARRAY(VIEW_ARGS + 1, char *);
	int n = 0;

	p += may;
	while (sc->fabric && isupper((unsigned char)*p) && n < VIEW_ARGS) {
		size_t len = strcspn(p, may ? " |]" : " |");
		char *word = looked_word(sc, p, len);

		if (!word) {
			words_free(n, words);
			return 0;
		}
		words[n++] = word;
		p += strcspn(p, " ");
		p += strspn(p, " ");
		if (may)
			break;
	}
	*argv = words;
	if (!n)
		words_free(0, words);
	return n;
}

/* Rows and headers in the order of a column. */

struct sort_item {
	int64_t number;
	const char *text;
	uint32_t row, place;
};

COMPARATOR(by_number, struct sort_item, UP(number) UP(place))

COMPARATOR(by_text, struct sort_item, FIELD_BY(strverscmp, text) UP(place))

/* The name column of a header is sorted by its element's name. */
static void sort_text(const struct view *v, uint32_t row, struct text *t)
{
	if (view_is_header(v, row) && v->sort == (int)v->fold->name)
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a header is of a chassis */
		text_add(t, "%s", v->fold->chassis->el->name[fold_group_of(v, row)->element]);
	else
		view_cell(v, row, (unsigned)v->sort, t);
}

/* The text keys of all rows stand one after the other in one buffer. */
static void sort_by_text(const struct view *v, struct sort_item *it, uint32_t n)
{
	AUTO_FREE size_t *at = NEW_ARRAY((size_t)n + 1, size_t);
	AUTO_TEXT struct text keys = {0};

	for (uint32_t i = 0; i < n; i++) {
		at[i] = keys.len;
		sort_text(v, it[i].row, &keys);
		text_putc(&keys, 0);
	}
	for (uint32_t i = 0; i < n; i++)
		it[i].text = keys.s + at[i];
	qsort(it, n, sizeof(*it), by_text);
}

void view_sort_rows(const struct view *v, uint32_t *row, uint32_t n)
{
	assert(v->sort >= 0 && v->sort < (int)v->ops->n_columns);

	AUTO_FREE struct sort_item *it = NEW_ARRAY((size_t)n + 1, struct sort_item);

	for (uint32_t i = 0; i < n; i++)
		it[i] = (struct sort_item){.row = row[i], .place = i};
	if (v->ops->column[v->sort].numeric) {
		for (uint32_t i = 0; i < n; i++)
			it[i].number = view_number(v, row[i], (unsigned)v->sort);
		qsort(it, n, sizeof(*it), by_number);
	} else {
		sort_by_text(v, it, n);
	}
	for (uint32_t i = 0; i < n; i++)
		row[v->descending ? n - 1 - i : i] = it[i].row;
}

/* Helpers that panes share: names as words of the command language, labels, bars. */

void text_clear(struct text *t)
{
	t->len = 0;
	if (t->s)
		t->s[0] = 0;
}

void number_cell(int64_t n, struct text *t)
{
	text_add(t, n < 0 ? "-" : "%" PRId64, n);
}

unsigned digits(uint64_t n, unsigned least)
{
	unsigned d = 1;

	while (n >= 10) {
		n /= 10;
		d++;
	}
	return MAX(d, least);
}

const char *direction_sign(char direction, const char *none)
{
	switch (direction) {
	case 'U':
		return "↑";
	case 'D':
		return "↓";
	case '=':
		return "↔";
	}
	return none;
}

void word_text(const char *s, struct text *t)
{
	AUTO_FREE char *word = strpbrk(s, "*?[]%") ? NULL : word_quoted(s);

	if (word)
		text_add(t, "%s", word);
	else
		word_add_quoted(t, s);
}

/* Does the name alone mean this node? It must not be a number or pattern, and no other node may have it. */
static bool name_is_plain(const struct fabric *f, uint32_t node)
{
	const char *name = f->node_name[node];
	uint32_t n = f->n_nodes, lo = 0, hi = n;

	if (!*name || isdigit((unsigned char)*name) || strpbrk(name, "*?[]"))
		return false;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (strcasecmp(f->node_name[f->by_name[mid]], name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && f->by_name[lo] == node &&
	       (lo + 1 == n || strcasecmp(f->node_name[f->by_name[lo + 1]], name));
}

void word_node(const struct fabric *f, uint32_t node, struct text *t)
{
	assert(node < f->n_nodes);
	if (name_is_plain(f, node))
		word_text(f->node_name[node], t);
	else
		text_add(t, "0x%016" PRIx64, f->node_guid[node]);
}

void word_port(const struct fabric *f, uint32_t port, struct text *t)
{
	assert(port < f->n_ports);
	word_node(f, f->port_node[port], t);
	text_add(t, "[%u]", f->port_num[port]);
}

uint32_t ca_on_switch(const struct topo *tp, uint32_t sw)
{
	const struct fabric *f = tp->fabric;

	assert(sw < f->n_switches);
	FOR_PORTS(f, sw, id) {
		uint32_t peer = tp->peer[id];

		if (peer != NO_ID && f->node_type[f->port_node[peer]] == NODE_CA)
			return peer;
	}
	return NO_ID;
}

void word_on_switch(const struct topo *tp, uint32_t sw, struct text *t)
{
	uint32_t ca = ca_on_switch(tp, sw);

	if (ca != NO_ID)
		word_port(tp->fabric, ca, t);
	else
		word_node(tp->fabric, tp->fabric->switch_node[sw], t);
}

void word_endport(const struct fabric *f, uint32_t ep, struct text *t)
{
	if (endport_is_switch(f, ep))
		word_node(f, endport_node(f, ep), t);
	else
		word_port(f, f->endport_port[ep], t);
}

void label_endport(const struct fabric *f, uint32_t ep, struct text *t)
{
	char buf[256];

	text_add(t, "%s", endport_label(f, ep, buf, sizeof(buf)));
}

void lid_label(const struct fabric *f, const struct lids *l, unsigned lid, struct text *t)
{
	uint32_t ep = lid_owner(l, lid);

	if (ep == NO_ID) {
		text_add(t, "LID %u (nobody's)", lid);
		return;
	}
	label_endport(f, ep, t);
	if (lid != l->base[ep])
		text_add(t, " +%u", lid - l->base[ep]);
}

void label_channel(const struct topo *tp, uint32_t port, bool arrival, struct text *t)
{
	assert(port < tp->fabric->n_ports);

	const struct fabric *f = tp->fabric;
	uint32_t peer = tp->peer[port];
	char buf[256];

	text_add(t, "%s → ", port_label(f, port, buf, sizeof(buf)));
	if (peer == NO_ID)
		return;
	if (arrival)
		text_add(t, "[%s]", port_number(f, peer, buf, sizeof(buf)));
	text_add(t, "%s", f->node_name[f->port_node[peer]]);
}

uint8_t label_width(const struct fabric *f, uint32_t node, bool far)
{
	assert(node == NO_ID || node < f->n_nodes);

	size_t most = 0;

	for (unsigned p = 1; node != NO_ID && p <= f->node_nports[node]; p++) {
		uint32_t own = f->node_port[node] + p, port = far ? f->port_peer[own] : own;
		const char *label = port == NO_ID ? NULL : fabric_port_label(f, port);
		size_t len = label ? strlen(label) : 0;

		most = MAX(len, most);
	}
	return most && most < strlen("label") ? (uint8_t)strlen("label") : (uint8_t)most;
}

void label_of_port(const struct fabric *f, uint32_t port, struct text *t)
{
	const char *label = fabric_port_label(f, port);

	text_add(t, "%s", label ? label : "");
}

void word_bar(uint64_t n, uint64_t most, unsigned cells, struct text *t)
{
	unsigned full = most ? (unsigned)((double)n / (double)most * cells + 0.5) : 0;

	for (unsigned i = 0; i < full; i++)
		text_add(t, "█");
	if (n && !full)
		text_add(t, "·");
}
