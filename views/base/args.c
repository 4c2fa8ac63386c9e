/* How words behind a pane's name become arguments, by the pane's syntax line. */
#include "views/base/args.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/words.h"
#include "core/session/args.h"
#include "views/base/chips.h"

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
	char **words = NEW_ARRAY((size_t)argc + 2, char *);
	char *syntax = str_printf("%s %s", ops->name, view_syntax(ops));
	struct err why = {0};
	struct args read;
	int rc;

	words[0] = (char *)(uintptr_t)ops->name;
	for (int i = 0; i < argc; i++)
		words[i + 1] = argv[i];
	rc = args_read(v->scene->session, syntax, NULL, argc + 1, words, &read, &why);
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
	free(words);
	free(syntax);
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
