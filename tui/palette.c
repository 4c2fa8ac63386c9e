/* What `help` says about the interface: deeds, plain words, names of panes, columns, keys and limits. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/wordlist.h"
#include "core/session/command.h"
#include "core/session/help.h"
#include "core/source/synth.h"
#include "engines/engines.h"
#include "tui/ui.h"

/* What the pane `help` tells of the interface: what may be done with the pane and the row that had the focus,
 * plain words for command lines, and the keys in force. */

/* Something to do, in plain words (palette.deeds, palette.edits). */
struct deed {
	const char *says;
	char *line;	  /* one that ends with a blank goes to the prompt */
	const char *also; /* other words by which it is found; NULL = none */
	const char *task; /* the name of a group; NULL = it has %words */
};

static struct deed no_deeds;
static struct deed *deeds = &no_deeds, *edits = &no_deeds; /* ended by says NULL; for the whole run */

/* A line that goes to the prompt ends with "..." in the file. */
static struct deed *palette_read(void *arena, const char *ending, struct err *e)
{
	struct deed *list = wordlist_read(arena, ending, "says line also? task?", e);

	for (struct deed *d = list; d && d->says; d++) {
		char *dots = strstr(d->line, "...");

		if (dots)
			*dots = 0;
	}
	return list;
}

int palette_words_read(struct err *e)
{
	struct help_words *words = help_words_read(e);

	if (!words)
		return -1;
	ui.words = words;
	ui.rules = rules_read(words, e);
	deeds = palette_read(words, ".deeds", e);
	edits = palette_read(words, ".edits", e);
	return ui.rules && deeds && edits ? 0 : -1;
}

static struct help_line *lines; /* [n_lines] owned, with all texts */
static size_t n_lines, cap_lines;

static void palette_free_lines(void)
{
	while (n_lines)
		help_line_free(&lines[--n_lines]);
}

void palette_free(void)
{
	palette_free_lines();
	free(lines);
	lines = NULL;
	cap_lines = 0;
}

/* Adds a line; it owns copies of the texts. */
static void palette_add(const struct help_line *h)
{
	GROW(lines, n_lines, cap_lines);
	lines[n_lines++] = help_line_copy(h);
}

/* --- what a key does here ------------------------------------------------------------- */

/* Fills in the words of the selected row. False: it does not have them. */
static bool palette_expand(const struct view *v, const char *line, struct text *t)
{
	text_clear(t);
	if (v)
		return !view_expand(v, line, t, NULL);
	text_add(t, "%s", line);
	return !strchr(line, '%');
}

/*
 * The command line of a binding, for the selected row; one that goes to the prompt ends with a blank. False:
 * the row lacks a word, or it is no command line.
 */
static bool palette_line_of(const struct binding *b, const struct view *v, struct text *t)
{
	static const char prompt[] = "prompt ";

	if (*b->does == ':')
		return palette_expand(v, b->does + 1, t);
	if (strncmp(b->does, prompt, sizeof(prompt) - 1) != 0 ||
	    !palette_expand(v, b->does + sizeof(prompt) - 1, t))
		return false;
	text_putc(t, ' ');
	return true;
}

/* Is it in force in this pane (NULL: in the REPL)? */
static bool palette_in_force(const struct binding *b, const struct view *v)
{
	bool more;

	return keymap_find(&ui.keys, v ? v->ops->name : "repl", b->key, b->n, &more) == b;
}

/* The key that does it in this pane; "" = none is bound. */
static const char *key_for(const char *line, const struct view *v, char *buf, size_t size)
{
	AUTO_TEXT struct text t = {0};

	*buf = 0;
	for (size_t i = 0; i < ui.keys.n && !*buf; i++) {
		const struct binding *b = &ui.keys.b[i];

		if (palette_in_force(b, v) && palette_line_of(b, v, &t) && !strcmp(text_str(&t), line))
			keys_text(b->key, b->n, buf, size);
	}
	return buf;
}

/* --- the lines ------------------------------------------------------------------------ */

#define MORE_MOST 80 /* a longer command line is not shown behind the words for it */

/* What Enter does with a line: one that ends with a blank goes to the prompt. */
static char *enter_of(const char *line)
{
	size_t len = strlen(line);

	return len && line[len - 1] == ' ' ? str_printf("action prompt %.*s", (int)len - 1, line)
					   : str_dup(line);
}

static bool added(const char *line)
{
	for (size_t i = 0; i < n_lines; i++)
		if (!strcmp(lines[i].line, line))
			return true;
	return false;
}

/* A line as it is shown: what is typed in its middle is "...". Freed by the caller. */
static char *shown_line(const char *line)
{
	const char *here = strstr(line, PLACE_HERE);

	return here ? str_printf("%.*s...%s", (int)(here - line), line, here + strlen(PLACE_HERE))
		    : str_dup(line);
}

static void add_deed(const struct deed *d, const char *task, const char *where, const char *line,
		     const struct view *v)
{
	AUTO_FREE char *says = NULL, *shown = shown_line(line), *enter = enter_of(line);
	AUTO_TEXT struct text what = {0};
	char key[64];

	if (strstr(d->line, "%object") && view_expand(v, "%object", &what, NULL) == 0)
		says = str_printf("%s %.*s", d->says, (int)strcspn(what.s, " "), what.s);
	if (!added(enter))
		palette_add(&(struct help_line){"", where, says ? says : d->says,
						strlen(shown) < MORE_MOST ? shown : "", task,
						key_for(line, v, key, sizeof(key)), enter, d->also});
}

/* Is the pane that a line opens about an engine that is not in force? */
static bool opens_other_engine(const char *line)
{
	char name[32];

	if (sscanf(line, "pane %31s", name) != 1)
		return false;
	for (size_t i = 0; all_views[i]; i++)
		if (!strcmp(all_views[i]->name, name))
			return !view_fits(all_views[i], &ui.scene);
	return false;
}

static const char *help_of(const char *line)
{
	char name[32] = "";
	const struct view_ops *pane = sscanf(line, "pane %31s", name) == 1 ? view_find(name) : NULL;

	if (pane)
		return view_brief(pane);
	if (sscanf(line, "%31[a-z-]", name) != 1)
		return "";
	const struct command *c = command_find(ui.session, name, NULL);
	return c ? c->help : "";
}

static bool restores(const char *line)
{
	return !strncmp(line, "restore ", 8);
}

/* Does a key prepare one of the edits? */
static bool palette_is_edit(const char *does)
{
	size_t len = strlen(does);

	for (const struct deed *d = edits; d->says; d++)
		if (!strncmp(does, "prompt ", 7) && !strncmp(does + 7, d->line, len - 7) &&
		    !strcmp(d->line + len - 7, " "))
			return true;
	return false;
}

/* The start screen is a list of what can be done: a key, words and a command line in each row. */
static void add_beginnings(const struct view *v)
{
	AUTO_TEXT struct text key = {0}, says = {0}, line = {0};

	for (uint32_t i = 0; i < view_count(v); i++) {
		text_clear(&key);
		text_clear(&says);
		text_clear(&line);
		view_cell(v, i, 0, &key);
		view_cell(v, i, 1, &says);
		view_follow(v, i, &line);
		if (strncmp(text_str(&line), "pane help", 9) != 0)
			palette_add(&(struct help_line){"", "here", text_str(&says), text_str(&line), "Here",
							text_str(&key), text_str(&line), ""});
	}
}

/* What Enter does on the row, and what keys do with it for which there are no plain words. */
static void add_here(const struct view *v)
{
	AUTO_TEXT struct text t = {0};
	char key[64];
	uint32_t row;

	if (!view_current(v, &row))
		return;
	bool up = !(view_marks(v, row) & MARK_DOWN);
	for (const struct deed *d = deeds; d->says; d++)
		if (!d->task && palette_expand(v, d->line, &t) && !(up && restores(t.s)))
			add_deed(d, "Here", "here", text_str(&t), v);
	for (size_t i = 0; i < ui.keys.n; i++) {
		const struct binding *b = &ui.keys.b[i];

		if (!strchr(b->does, '%') || strstr(b->does, "%pane") || palette_is_edit(b->does) ||
		    !palette_in_force(b, v) || !palette_line_of(b, v, &t))
			continue;
		AUTO_FREE char *enter = enter_of(text_str(&t));
		if (!added(enter) && !opens_other_engine(enter) && !(up && restores(enter)))
			palette_add(&(struct help_line){"", "here", help_of(text_str(&t)), text_str(&t),
							"Here", keys_text(b->key, b->n, key, sizeof(key)),
							enter, ""});
	}
	for (const struct deed *d = edits; d->says; d++)
		if (palette_expand(v, d->line, &t) && *key_for(text_str(&t), v, key, sizeof(key)))
			add_deed(d, "Here", "here", text_str(&t), v);
}

/* "pane NAME" and "COMMAND" alone: their own lines give the key, so this one is not shown. */
static bool told_elsewhere(const char *line)
{
	return !strchr(line, ';') &&
	       (!strncmp(line, "pane ", 5) || (!strchr(line, ' ') && *help_of(line) && !strchr(line, '=')));
}

/* A key that needs nothing of the row. */
static void palette_add_key(const struct binding *b, const struct view *v)
{
	size_t len = strcspn(b->does, " ");
	const char *name, *help;
	AUTO_TEXT struct text t = {0};
	char key[64], *enter;

	if (strchr(b->does, '%') || !palette_in_force(b, v))
		return;
	keys_text(b->key, b->n, key, sizeof(key));
	if (palette_line_of(b, v, &t)) {
		enter = enter_of(text_str(&t));
		palette_add(&(struct help_line){key, b->map,
						told_elsewhere(text_str(&t)) ? "" : help_of(text_str(&t)),
						text_str(&t), task_of(b), key, enter, ""});
		free(enter);
	}
	for (size_t i = 0; !t.len && action_at(i, &name, &help); i++)
		if (strlen(name) == len && !strncmp(name, b->does, len)) {
			enter = str_printf("action %s", b->does);
			palette_add(
				&(struct help_line){key, b->map, help, b->does, task_of(b), key, enter, ""});
			free(enter);
		}
}

void palette_build(const struct view *v)
{
	palette_free_lines();
	if (v && !strcmp(v->ops->name, "start"))
		add_beginnings(v);
	else if (v)
		add_here(v);
	for (const struct deed *d = deeds; d->says; d++)
		if (d->task)
			add_deed(d, d->task, "deed", d->line, v);
	for (size_t i = 0; i < ui.keys.n; i++)
		palette_add_key(&ui.keys.b[i], v);
	ui.scene.help = lines;
	ui.scene.n_help = n_lines;
	ui.scene.serial++; /* makes the pane load again */
}

/* The names of the interface for `help` (core/session/help.h): panes, columns, keys, limits, and others. */

typedef void taker(void *to, const struct named *n);

bool is_column_name(const char *name)
{
	return isalnum((unsigned char)*name) && !strstr(name, "  ");
}

/* The kinds in synth_help: " NAME:SHAPE [NAME:SHAPE] text", continued in lines with more blanks. */
static void name_fabrics(taker *take, void *to)
{
	const char *next;

	for (const char *line = synth_help; *line; line = next) {
		const char *text = strstr(line + strspn(line, " "), "  ");
		AUTO_TEXT struct text all = {0};

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
			AUTO_FREE char *kind = str_printf("%.*s", (int)len, w);

			if (w[len] == ':')
				take(to, &(struct named){"fabric", kind, "", "", text_str(&all)});
		}
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
	for (const struct rule_difference *d = ui.rules; d->what; d++) {
		char *text = str_printf("%s %s Try `%s; set rules manual`.", d->program, d->manual, d->shows);

		take(to, &(struct named){"rule", d->what, "", "", text});
		free(text);
	}
	for (const struct figure_meaning *m = ui.words->figures; m->name; m++) {
		AUTO_TEXT struct text t = {0};

		figure_tell(m, &t);
		text_add(&t, ".");
		take(to, &(struct named){"figure", m->name, "", "", text_str(&t)});
	}
	for (const struct limit *l = limits; l->what; l++) {
		AUTO_FREE char *beyond = limit_beyond(l);
		char *text = str_printf("at most %" PRIu64 "; %s", l->most, beyond);

		take(to, &(struct named){"limit", l->what, "", "", text});
		free(text);
	}
	name_fabrics(take, to);
}
