/* `fail NAME`, `restore NAME`: which kind of thing a name alone stands for. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/base/err.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/fabric/chassis.h"
#include "core/session/commands/commands.h"

enum { LINK = 1, SWITCH = 2, HOST = 4, CHASSIS = 8, CARD = 16 };

/* The words of `fail` and `restore`, in the order of the bits. */
static const char *const words[] = {"link", "switch", "host", "chassis", "card"};

struct target_command_finder {
	struct session *s;
	struct progress *progress;
	struct parts *chassis, *cards; /* made when they are needed first; NULL: there are none */
	bool made;
};

/* Kinds of the nodes that a word names; 0 and *e: it names none, or too many. */
static unsigned target_command_nodes_of(const struct target_command_finder *x, const char *word,
					struct err *e)
{
	struct id_list l;
	unsigned kinds = 0;

	if (session_nodes(x->s, word, NAMES_ANY, false, x->progress, &l, e))
		return 0;
	for (uint32_t i = 0; i < l.n; i++)
		kinds |= node_is_switch(x->s->fabric, l.id[i]) ? SWITCH : HOST;
	id_list_free(&l);
	return kinds;
}

/* Is the word NODE[1-2] with a node's shown name? Then it may be ports, also where it fits nodes as a list.
 */
static bool names_port_set(const struct fabric *f, const char *word)
{
	const char *open = strrchr(word, '[');

	return open && f && node_named(f, word, strlen(word)) == NO_ID &&
	       node_named(f, word, (size_t)(open - word)) != NO_ID;
}

static bool target_command_is_port(const struct target_command_finder *x, const char *word, struct err *e)
{
	struct id_list l;

	if (word[strlen(word) - 1] != ']' || session_ports(x->s, word, x->progress, &l, e))
		return false;
	id_list_free(&l);
	return true;
}

static void target_command_make_parts(struct target_command_finder *x)
{
	struct text notes = {0};
	struct elements *el = setup_elements(x->s->setup, x->progress, &notes, NULL);

	text_free(&notes);
	x->made = true;
	if (!el)
		return;
	x->chassis = parts_new(x->s->fabric, PART_CHASSIS, el);
	x->cards = parts_new(x->s->fabric, PART_CARD, el);
	elements_unref(el);
}

/* whole: only by the whole name; otherwise by its beginning, or a glob, too. */
static bool target_command_is_part(const struct parts *p, const char *word, bool whole)
{
	uint32_t part = p ? parts_find(p, word, NULL) : NO_ID;

	return part != NO_ID && (!whole || !strcasecmp(p->name[part], word));
}

static unsigned target_command_parts_of(struct target_command_finder *x, const char *word, bool whole)
{
	if (!x->made)
		target_command_make_parts(x);
	return (target_command_is_part(x->chassis, word, whole) ? CHASSIS : 0) |
	       (target_command_is_part(x->cards, word, whole) ? CARD : 0);
}

/* All kinds that fit a word; 0 and *e: none does. */
static unsigned kinds_of(struct target_command_finder *x, const char *word, struct err *e)
{
	unsigned kinds = *word ? target_command_nodes_of(x, word, e) : 0;

	if (*word && (!kinds || names_port_set(x->s->fabric, word)) &&
	    target_command_is_port(x, word, kinds ? NULL : e))
		kinds |= LINK;
	kinds |= target_command_parts_of(x, word, true);
	return kinds ? kinds : target_command_parts_of(x, word, false);
}

/* Says in *e what to type for each kind: "`fail switch X` or `fail chassis X`". */
static void tell_kinds(const char *verb, const char *word, unsigned kinds, struct err *e)
{
	char *quoted = word_quoted(word);
	struct text t = {0};

	for (unsigned i = 0; i < ARRAY_LEN(words); i++)
		if (kinds >> i & 1)
			text_add(&t, "%s`%s %s %s`", t.len ? " or " : "", verb, words[i], quoted);
	err_set_kind(e, ERR_AMBIGUOUS, "%s stands for more than one kind: type %s", quoted, text_str(&t));
	text_free(&t);
	free(quoted);
}

const char *target_kind(struct session *s, const struct args *args, struct progress *p, struct err *e)
{
	struct target_command_finder x = {.s = s, .progress = p};
	struct err why = {0};
	unsigned kinds = 0;
	int rc = 0;

	for (int i = 0; !rc && i < args->n; i++) {
		const char *word = args->arg[i].word;
		unsigned fit = kinds_of(&x, word, &why);

		if (progress_cancelled(p))
			rc = err_set(e, CANCELLED);
		else if (!fit && (!*word || (why.kind == ERR_NO_NODE && !isdigit((unsigned char)*word) &&
					     !is_name_pattern(word))))
			rc = err_set_kind(
				e, ERR_NO_NODE,
				"found \"%s\", expected link, switch, host, chassis, card, or a name; "
				"nothing has this name",
				word);
		else if (!fit)
			rc = err_copy(e, &why);
		else if (i && !(kinds & fit))
			rc = err_set(e, "%s and %s are of different kinds; use one `%s` for each",
				     args->arg[0].word, word, args->argv[0]);
		kinds = i ? kinds & fit : fit;
	}
	parts_free(x.chassis);
	parts_free(x.cards);
	if (!rc && kinds & (kinds - 1)) {
		tell_kinds(args->argv[0], args->arg[0].word, kinds, e);
		rc = -1;
	}
	for (unsigned i = 0; !rc && i < ARRAY_LEN(words); i++)
		if (kinds >> i & 1)
			return words[i];
	return NULL;
}
