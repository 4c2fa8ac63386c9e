/* Words behind a pane's name become arguments, by the pane's syntax line. */
#include "views/base/args.h"
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/words.h"
#include "core/fabric/names.h"
#include "core/session/command.h"
#include "core/session/syntax.h"
#include "views/base/chips.h"

static const struct {
	const char *word;
	enum view_arg_kind kind;
} kinds[] = {
	{"NODE", VIEW_ARG_NODE},	   {"SWITCH", VIEW_ARG_SWITCH}, {"NODE[PORT]", VIEW_ARG_PORT},
	{"DESTINATION", VIEW_ARG_ENDPORT}, {"SRC", VIEW_ARG_ENDPORT},	{"DST", VIEW_ARG_ENDPORT},
	{"HOST", VIEW_ARG_ENDPORT},	   {"LID", VIEW_ARG_ENDPORT},	{"ELEMENT", VIEW_ARG_ELEMENT},
	{"LAYER", VIEW_ARG_LAYER},	   {"GROUP", VIEW_ARG_NUMBER},	{"STEP", VIEW_ARG_NUMBER},
	{"SHIFT", VIEW_ARG_NUMBER},
};

static enum view_arg_kind kind_of(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strlen(kinds[i].word) == len && !strncmp(kinds[i].word, word, len))
			return kinds[i].kind;
	return VIEW_ARG_OTHER;
}

/* --- values ----------------------------------------------------------------------------- */

static int parse_node(const struct scene *sc, const char *word, struct view_arg *a, struct err *e)
{
	const struct fabric *f = sc->fabric;
	uint32_t node = session_node(sc->session, word, e);

	if (node == NO_ID)
		return -1;
	if (a->kind == VIEW_ARG_SWITCH && !node_is_switch(f, node))
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

/* A name may end as a port does: what is no port may still be a node. */
static int parse_node_or_port(const struct scene *sc, const char *word, struct view_arg *a, struct err *e)
{
	unsigned port;

	if (!name_before_port(word, strlen(word), &port))
		return parse_node(sc, word, a, e);
	return parse_port(sc, word, a, e) && parse_node(sc, word, a, NULL) ? -1 : 0;
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
	a->n = word_layer(word);
	return a->n >= 0 ? 0 : err_set(e, "found \"%s\", expected a layer (VL) 0 .. %d", word, CDG_VLS - 1);
}

static int parse_value(struct scene *sc, const char *word, struct view_arg *a, struct err *e)
{
	if (a->kind == VIEW_ARG_LAYER)
		return parse_layer(word, a, e);
	if (a->kind == VIEW_ARG_NUMBER)
		return parse_number(word, a, e);
	if (!sc->fabric)
		return err_set(e, "no fabric is loaded");
	switch (a->kind) {
	case VIEW_ARG_NODE:
	case VIEW_ARG_SWITCH:
		return parse_node(sc, word, a, e);
	case VIEW_ARG_PORT:
		return parse_port(sc, word, a, e);
	case VIEW_ARG_NODE_OR_PORT:
		return parse_node_or_port(sc, word, a, e);
	case VIEW_ARG_ENDPORT:
		return parse_endport(sc, word, a, e);
	case VIEW_ARG_ELEMENT:
		return view_element_argument(sc, word, &a->guid, e);
	default:
		return 0;
	}
}

/* --- one form of a syntax ----------------------------------------------------------------- */

/* What may stand at a place: a small word that is the one typed, else the first capital one. */
struct offer {
	const char *typed;
	bool small, capital;
	enum view_arg_kind kind;
};

static void take_offer(void *ctx, const char *word, size_t len)
{
	struct offer *o = ctx;

	if (syntax_fixed(word, len) == len) {
		o->small |= strlen(o->typed) == len && !strncmp(o->typed, word, len);
	} else if (!o->capital) {
		o->capital = true;
		o->kind = kind_of(word, len);
	} else if (o->kind == VIEW_ARG_NODE && kind_of(word, len) == VIEW_ARG_PORT) {
		o->kind = VIEW_ARG_NODE_OR_PORT;
	}
}

static int parse_word(const char *form, struct scene *sc, int i, char **argv, struct view_args *a,
		      struct err *e)
{
	struct offer o = {.typed = argv[i + 1]};
	struct view_arg *arg = &a->arg[a->n];

	syntax_next(form, i + 1, argv, take_offer, &o);
	if (o.small && strcmp(o.typed, "all")) {
		a->flag = true;
		return 0;
	}
	if ((!o.small && !o.capital) || a->n == VIEW_ARGS)
		return err_set(e, "found \"%s\"", o.typed); /* counted by the caller */
	*arg = (struct view_arg){.kind = o.small ? VIEW_ARG_ALL : o.kind, .n = o.small ? -1 : 0};
	if (!o.small && parse_value(sc, o.typed, arg, e))
		return -1;
	a->n += o.small || o.kind != VIEW_ARG_OTHER;
	return 0;
}

/* argv[0] is the pane's name, as in the form.  1: the words do not fit it; -1 and *e: one of them is wrong.
 */
static int parse_form(const char *form, struct scene *sc, int argc, char **argv, struct view_args *a,
		      struct err *e)
{
	if (!syntax_fits(form, argc, argv))
		return 1;
	for (int i = 0; i + 1 < argc; i++)
		if (parse_word(form, sc, i, argv, a, e))
			return -1;
	return 0;
}

/* --- all forms ------------------------------------------------------------------------------ */

/* End of a form: the next '|' by itself outside of brackets. */
static size_t form_length(const char *p)
{
	int depth = 0;
	size_t n = 0;

	for (; p[n] && !(depth == 0 && p[n] == '|' && n && p[n - 1] == ' '); n++)
		depth += (p[n] == '[') - (p[n] == ']');
	return n;
}

/* "[A | B]" may be left out as a whole: its forms, and nothing, are the forms. */
static char *all_forms(const char *syntax)
{
	size_t len = strlen(syntax);
	int depth = 0;

	for (size_t i = 0; i < len; i++) {
		depth += (syntax[i] == '[') - (syntax[i] == ']');
		if (!depth && i + 1 < len)
			return str_dup(syntax);
	}
	return len && strstr(syntax, " | ") ? str_printf("%.*s | ", (int)len - 2, syntax + 1)
					    : str_dup(syntax);
}

/* The first form that all words are right for; what is wrong is told of the form most of them are right for.
 */
static int parse_forms(const struct view_ops *ops, struct scene *sc, int argc, char **argv,
		       struct view_args *a, struct err *e)
{
	char *forms = all_forms(view_syntax(ops));
	const char *p = forms;
	int rc = 1, most = -1;

	for (bool more = true; more && rc;) {
		size_t len = form_length(p);
		char *form = str_printf("%s %.*s", ops->name, (int)len, p);
		struct err why = {0};
		int now;

		a->n = 0;
		a->flag = false;
		memset(a->arg, 0, sizeof(a->arg));
		now = parse_form(form, sc, argc, argv, a, &why);
		if (now < 0 && a->n > most) {
			most = a->n;
			*e = why;
		}
		rc = now == 1 ? rc : now;
		more = p[len] == '|';
		p += len + more;
		free(form);
	}
	free(forms);
	return rc;
}

int view_args_parse(const struct view_ops *ops, struct scene *sc, int argc, char **argv, struct view_args *a,
		    struct err *e)
{
	char **words = NEW_ARRAY((size_t)argc + 2, char *);
	struct err why = {0};
	int rc;

	*a = (struct view_args){.argc = argc, .argv = argv};
	words[0] = (char *)(uintptr_t)ops->name;
	for (int i = 0; i < argc; i++)
		words[i + 1] = argv[i];
	rc = parse_forms(ops, sc, argc + 1, words, a, &why);
	free(words);
	if (rc < 0)
		return err_set(e, "pane %s: %s", ops->name, why.msg);
	if (rc && !*view_syntax(ops))
		return err_set(e, "pane %s: found %s, expected no argument", ops->name, argv[0]);
	if (rc)
		return err_set(e, "pane %s: found %d argument%s, expected %s", ops->name, argc,
			       argc == 1 ? "" : "s", view_syntax(ops));
	return 0;
}

/* --- what was looked at last ---------------------------------------------------------------- */

/* A word for what was looked at; NULL = there is none in this fabric. */
static char *looked_word(const struct scene *sc, const char *word, size_t len)
{
	const struct fabric *f = sc->fabric;
	const struct looked *l = &sc->looked;
	enum view_arg_kind kind = kind_of(word, len);
	bool src = len == 3 && !strncmp(word, "SRC", 3), dst = len == 3 && !strncmp(word, "DST", 3);
	uint64_t guid = src ? l->src : dst ? l->dst : l->endport;

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
