/* Words behind a pane's name become arguments, by the pane's description of them. */
#include "views/args.h"
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/words.h"
#include "core/session/command.h"
#include "views/chips.h"

static bool is_kind(char c)
{
	return c && c != ARG_OPTIONAL && c != ARG_REPEAT && c != ARG_OR;
}

/* Arguments of one form: at least, and at most (INT_MAX: any number of words). */
static void count_kinds(const char *form, int *least, int *most)
{
	bool optional = false;

	*least = *most = 0;
	for (; *form && *form != ARG_OR; form++) {
		optional |= *form == ARG_OPTIONAL;
		if (*form == ARG_REPEAT)
			*most = INT_MAX;
		else if (is_kind(*form) && *most < INT_MAX)
			++*most;
		*least += is_kind(*form) && !optional;
	}
}

static char kind_at(const char *form, int i)
{
	for (; *form && *form != ARG_OR; form++)
		if (is_kind(*form) && i-- == 0)
			return *form;
	return ARG_NONE;
}

static int word_number(const char *words, const char *word)
{
	size_t len = strlen(word);
	int n = 0;

	for (const char *w = words ? words : ""; *w; w += *w == '|', n++) {
		size_t l = strcspn(w, "|");

		if (l == len && !strncmp(w, word, l))
			return n;
		w += l;
	}
	return -1;
}

static int layer_number(char kind, const char *word)
{
	if (kind == ARG_LAYER_ALL && !strcmp(word, "all"))
		return -1;
	return word_layer(word) < 0 ? -2 : word_layer(word);
}

/* Of several forms the one whose first argument can be this word; the last one takes all. */
static const char *choose_form(const struct view_ops *ops, const char *word)
{
	const char *form = ops->args ? ops->args : "", *next;

	while ((next = strchr(form, ARG_OR))) {
		char kind = kind_at(form, 0);

		if (!word || (kind == ARG_WORD && word_number(ops->words, word) >= 0) ||
		    ((kind == ARG_LAYER || kind == ARG_LAYER_ALL) && layer_number(kind, word) > -2) ||
		    (kind == ARG_NUMBER && isdigit((unsigned char)*word)))
			break;
		form = next + 1;
	}
	return form;
}

static int parse_node(const struct scene *sc, const char *word, struct view_arg *a, struct err *e)
{
	const struct fabric *f = sc->fabric;
	uint32_t node = session_node(sc->session, word, e);

	if (node == NO_ID)
		return -1;
	if (a->kind == ARG_SWITCH && !node_is_switch(f, node))
		return err_set(e, "%s is no switch", f->node_name[node]);
	a->guid = f->node_guid[node];
	return 0;
}

static int parse_port(const struct scene *sc, const char *word, struct view_arg *a, struct err *e)
{
	const struct fabric *f = sc->fabric;
	uint32_t port = session_port(sc->session, word, e);

	if (port == NO_ID)
		return -1;
	a->guid = f->node_guid[f->port_node[port]];
	a->n = f->port_num[port];
	return 0;
}

static int parse_endport(const struct scene *sc, const char *word, struct view_arg *a, struct err *e)
{
	unsigned lid = 0;
	uint32_t ep = session_endport(sc->session, word, &lid, e);

	if (ep == NO_ID)
		return -1;
	a->guid = sc->fabric->port_guid[sc->fabric->endport_port[ep]];
	a->n = (int)lid;
	return 0;
}

static int parse_number(const char *word, struct view_arg *a, struct err *e)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	if (!isdigit((unsigned char)*word) || *end || !n || n > INT_MAX)
		return err_set(e, "found \"%s\", expected a number from 1", word);
	a->n = (int)n;
	return 0;
}

static int parse_layer(const char *word, struct view_arg *a, struct err *e)
{
	a->n = layer_number(a->kind, word);
	if (a->n > -2)
		return 0;
	return err_set(e, "found \"%s\", expected a layer (VL) 0 .. %d%s", word, CDG_VLS - 1,
		       a->kind == ARG_LAYER_ALL ? ", or all" : "");
}

static int parse_word(const struct view_ops *ops, const char *word, struct view_arg *a, struct err *e)
{
	a->n = word_number(ops->words, word);
	return a->n >= 0 ? 0 : err_set(e, "found \"%s\", expected %s", word, view_syntax(ops));
}

static bool needs_fabric(char kind)
{
	return kind == ARG_NODE || kind == ARG_SWITCH || kind == ARG_HOST || kind == ARG_PORT ||
	       kind == ARG_ENDPORT || kind == ARG_ELEMENT || kind == ARG_ENGINE_OR_OPTION;
}

static int parse_one(const struct view_ops *ops, struct scene *sc, const char *word, struct view_arg *a,
		     struct err *e)
{
	if (needs_fabric(a->kind) && !sc->fabric)
		return err_set(e, "no fabric is loaded");
	switch (a->kind) {
	case ARG_NODE:
	case ARG_SWITCH:
		return parse_node(sc, word, a, e);
	case ARG_PORT:
		return parse_port(sc, word, a, e);
	case ARG_ENDPORT:
		return parse_endport(sc, word, a, e);
	case ARG_ELEMENT:
		return view_element_argument(sc, word, &a->guid, e);
	case ARG_LAYER:
	case ARG_LAYER_ALL:
		return parse_layer(word, a, e);
	case ARG_NUMBER:
		return parse_number(word, a, e);
	case ARG_WORD:
		return parse_word(ops, word, a, e);
	}
	return 0;
}

static int found_arguments(const struct view_ops *ops, int argc, char **argv, struct err *e)
{
	if (!*view_syntax(ops))
		return err_set(e, "pane %s: found %s, expected no argument", ops->name, argv[0]);
	return err_set(e, "pane %s: found %d argument%s, expected %s", ops->name, argc, argc == 1 ? "" : "s",
		       view_syntax(ops));
}

int view_args_parse(const struct view_ops *ops, struct scene *sc, int argc, char **argv, struct view_args *a,
		    struct err *e)
{
	struct err why = {{0}};
	const char *form;
	int least, most;

	*a = (struct view_args){.argc = argc, .argv = argv};
	if (ops->flag)
		a->flag = words_take_last(&argc, argv, ops->flag);
	form = choose_form(ops, argc ? argv[0] : NULL);
	count_kinds(form, &least, &most);
	if (argc && needs_fabric(kind_at(form, 0)) && !sc->fabric)
		return err_set(e, "pane %s: no fabric is loaded", ops->name);
	if (argc < least || argc > most)
		return found_arguments(ops, argc, argv, e);
	for (a->n = 0; a->n < argc && a->n < VIEW_ARGS && most < INT_MAX; a->n++) {
		a->arg[a->n].kind = kind_at(form, a->n);
		if (parse_one(ops, sc, argv[a->n], &a->arg[a->n], &why))
			return err_set(e, "pane %s: %s", ops->name, why.msg);
	}
	return 0;
}
