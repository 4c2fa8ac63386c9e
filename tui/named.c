/* The names of the interface for `help` (core/session/topics.h): panes, columns, keys, limits, and others. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/glossary.h"
#include "core/session/topics.h"
#include "core/source/synth.h"
#include "engines/rules.h"
#include "tui/limits.h"
#include "tui/ui.h"

typedef void taker(void *to, const struct named *n);

bool is_column_name(const char *name)
{
	return isalnum((unsigned char)*name) && !strstr(name, "  ");
}

/*
 * The kinds in synth_help: " NAME:SHAPE [NAME:SHAPE] text", continued in lines that begin with more blanks.
 */
static void name_fabrics(taker *take, void *to)
{
	const char *next;

	for (const char *line = synth_help; *line; line = next) {
		const char *text = strstr(line + strspn(line, " "), "  ");
		struct text all = {0};

		next = line + strcspn(line, "\n");
		if (text && text < next)
			text_add(&all, "%.*s: %.*s", (int)(text - line - 2), line + 2,
				 (int)(next - text - strspn(text, " ")), text + strspn(text, " "));
		for (next += *next == '\n'; !strncmp(next, "    ", 4); next += *next == '\n') {
			next += strspn(next, " ");
			text_add(&all, " %.*s", (int)strcspn(next, "\n"), next);
			next += strcspn(next, "\n");
		}
		for (const char *w = line + 2; all.len && w < text; w += strcspn(w, " "), w += *w == ' ') {
			size_t len = strcspn(w, ": ");
			char *kind = str_printf("%.*s", (int)len, w);

			if (w[len] == ':')
				take(to, &(struct named){"fabric", kind, "", "", text_str(&all)});
			free(kind);
		}
		text_free(&all);
	}
}

void name_all(taker *take, void *to)
{
	const char *name, *help;

	for (size_t i = 0; all_views[i]; i++) {
		const struct view_ops *v = all_views[i];

		take(to, &(struct named){"pane", v->name, "", view_syntax(v), view_brief(v)});
	}
	for (size_t i = 0; all_views[i]; i++)
		for (unsigned c = 0; c < all_views[i]->n_columns && !all_views[i]->fit; c++) {
			const struct column *k = &all_views[i]->column[c];

			if (is_column_name(k->name))
				take(to, &(struct named){"column", k->name, all_views[i]->name, "", k->help});
		}
	help_each(take, to);
	for (size_t i = 0; action_at(i, &name, &help); i++)
		take(to, &(struct named){"action", name, "", "", help});
	for (const struct view_word *w = view_words; w->name; w++) {
		char *word = str_printf("%%%s", w->name);

		take(to, &(struct named){"word", word, "", "", w->help});
		free(word);
	}
	for (const struct rule_difference *d = rule_differences; d->what; d++) {
		char *text = str_printf("%s %s Try `%s; set rules manual`.", d->program, d->manual, d->shows);

		take(to, &(struct named){"rule", d->what, "", "", text});
		free(text);
	}
	for (const struct figure_meaning *m = glossary; m->name; m++) {
		struct text t = {0};

		figure_tell(m, &t);
		text_add(&t, ".");
		take(to, &(struct named){"figure", m->name, "", "", text_str(&t)});
		text_free(&t);
	}
	for (const struct limit *l = limits; l->what; l++) {
		char *beyond = limit_beyond(l),
		     *text = str_printf("at most %" PRIu64 "; %s", l->most, beyond);

		take(to, &(struct named){"limit", l->what, "", "", text});
		free(text);
		free(beyond);
	}
	name_fabrics(take, to);
}
