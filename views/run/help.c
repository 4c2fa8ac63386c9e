/* The panes `help` and `start`. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/session/command.h"
#include "core/session/help.h"
#include "core/session/syntax.h"
#include "views/base/filter.h"
#include "views/base/view.h"

/* The pane `start`: what there is to begin with while no fabric is loaded. Each line has a key, which the
 * keymap binds to the same command line; those of the last files are numbers. */

enum { C_KEY, C_DOES, C_LINE };

static const struct column columns[] = {
	COL("key", "the key that does it", 4),
	COL("does", "what it does", 54),
	COL("command", "the command line that does the same", 12, .flex = 1, .drop = 1),
};
static_assert(ARRAY_LEN(columns) == C_LINE + 1, "a column for each C_");

static const struct beginning {
	const char *key, *does, *line;
} beginnings[] = {
	{"d", "Try it: the demo fabric, routed", "load demo; route minhop"},
	{"o", "Open a file: a saved fabric, or a folder of dumps", "pane open"},
	{"l", "Read the live fabric (nothing is changed on it)", "live"},
	{"t", "Make a torus 4 x 4 x 4, and route it", "synth torus:4x4x4,hosts=2; route dor"},
	{"f", "Make a fat tree of three levels, and route it", "synth xgft:4,4,4:1,4,4; route ftree"},
	{"L", "The first lesson: what a table is", "lesson table"},
	{"?", "Help: all that can be done, searched by words", "pane help start"},
};

#define N_BEGINNINGS ((uint32_t)ARRAY_LEN(beginnings))

static void start_pane_load(struct view *v)
{
	v->n_rows = N_BEGINNINGS + (uint32_t)v->scene->n_recent;
	text_add(&v->title, "ibscope: where an InfiniBand fabric sends its packets ── press a key");
}

static void start_pane_line_of(const struct view *v, uint32_t row, struct text *t)
{
	if (row < N_BEGINNINGS) {
		text_add(t, "%s", beginnings[row].line);
		return;
	}
	text_add(t, "load ");
	word_text(v->scene->recent[row - N_BEGINNINGS], t);
}

static void start_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	if (col == C_LINE)
		start_pane_line_of(v, row, t);
	else if (row < N_BEGINNINGS)
		text_add(t, "%s", col == C_KEY ? beginnings[row].key : beginnings[row].does);
	else if (col == C_KEY)
		text_add(t, "%u", row - N_BEGINNINGS + 1);
	else
		text_add(t, "Open again: %s", v->scene->recent[row - N_BEGINNINGS]);
}

const struct view_ops view_start = {
	.name = "start",
	.brief = "shows ways to begin, a key for each, while no fabric is loaded",
	.hints = "follow=take",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_TIMELESS,
	.load = start_pane_load,
	.cell = start_pane_cell,
	.follow = start_pane_line_of,
};

/* The pane `help`, which is the palette: what can be done here, the columns of a pane, and in six groups
 * deeds, keys, panes, commands and topics. What is typed finds lines, the best first; Enter does what a line
 * says. */

enum { C_TASK, C_PRESS, help_C_KEY, C_WHERE, help_C_DOES };

static const struct column help_columns[] = {
	COL("task", "what it is for", 8),
	COL("press", "the key that does it here", 5),
	COL("name", "the name, or the key", 9),
	COL("where", "the pane in which the key holds, or the kind of the name", 7, .drop = DROP_SPARE),
	COL("does", "what it does", 20, .flex = 1),
};
static_assert(ARRAY_LEN(help_columns) == help_C_DOES + 1, "a column for each C_");

/* A line, and how well it fits what is typed; the least first. */
struct help_pane_found {
	const struct help_line *line;
	unsigned cost;
};

/* What may be done here and columns come first; then a group after the other. */
struct help_pane {
	const struct view_ops *about; /* the pane whose columns are told; NULL = none */
	struct help_line *line;	      /* [n] borrowed texts */
	size_t n, cap;
	struct help_pane_found *found; /* [n_rows] */
};

static void help_pane_unload(struct view *v)
{
	struct help_pane *p = v->priv;

	free(p->line);
	free(p->found);
}

static int help_pane_open_view(struct view *v, const struct args *a, struct err *e)
{
	struct help_pane *p = v->priv;

	p->about = a->n ? view_in(v->scene->panes, a->arg[0].word, e) : NULL;
	return a->n && !p->about ? -1 : 0;
}

static void help_pane_add(struct help_pane *p, struct help_line l)
{
	GROW(p->line, p->n, p->cap);
	p->line[p->n++] = l;
}

/* --- the lines ------------------------------------------------------------------------ */

/* Is it the command line of the pane or command, perhaps with arguments? */
static bool line_is(const char *line, const char *before, const char *name)
{
	size_t n = strlen(before), len = strlen(name);

	return line && !strncmp(line, before, n) && !strncmp(line + n, name, len) &&
	       (!line[n + len] || line[n + len] == ' ');
}

/* A key that does it, of those that the interface has told; "" = none. */
static const char *press_of(const struct scene *sc, const char *before, const char *name)
{
	for (size_t i = 0; i < sc->n_help; i++)
		if (*sc->help[i].press && line_is(sc->help[i].line, before, name))
			return sc->help[i].press;
	return "";
}

/* Keys, and what may be done: those of a group, or of none of them (N_GROUPS). */
static void help_pane_add_told(struct help_pane *p, const struct scene *sc, unsigned group)
{
	for (size_t i = 0; i < sc->n_help; i++) {
		unsigned g = 0;

		while (g < N_GROUPS && strcmp(aim_groups[g].name, sc->help[i].task))
			g++;
		if (g == group && *sc->help[i].does)
			help_pane_add(p, sc->help[i]);
	}
}

/* Panes of a group. One that is about engines only while one of these is in force. */
static void add_panes(struct help_pane *p, struct scene *sc, unsigned group)
{
	assert(group < N_GROUPS && (!sc->panes || sc->places));
	for (size_t i = 0; sc->panes && sc->panes[i]; i++) {
		const struct view_ops *o = sc->panes[i];

		if (sc->places[i].group != group || (sc->help && !pane_fits(&sc->places[i], sc)))
			continue;
		help_pane_add(p, (struct help_line){o->name, "pane", view_brief(o), view_syntax(o),
						    aim_groups[group].name, press_of(sc, "pane ", o->name),
						    NULL, help_also(sc->session->words, o->name)});
	}
}

/*
 * Does a pane of the list show what a command of the same name prints? A few do something else. Without a
 * screen both are listed.
 */
static bool shown_by_pane(const struct scene *sc, const struct command *c)
{
	if (!sc->n_help || !strcmp(c->name, "changes") || !strcmp(c->name, "drain"))
		return false;
	for (size_t i = 0; sc->panes && sc->panes[i]; i++)
		if (!strcmp(sc->panes[i]->name, c->name))
			return pane_fits(&sc->places[i], sc);
	return false;
}

static void help_pane_add_commands(struct help_pane *p, const struct scene *sc, unsigned group)
{
	for (size_t t = 0; sc->session->commands && sc->session->commands[t]; t++)
		for (const struct command *c = sc->session->commands[t]; c->name; c++)
			if (c->group == group && !shown_by_pane(sc, c))
				help_pane_add(p, (struct help_line){c->name, "command", c->help,
								    c->syntax ? c->syntax : c->name,
								    aim_groups[group].name,
								    press_of(sc, "", c->name), NULL,
								    help_also(sc->session->words, c->name)});
}

/* --- what is found --------------------------------------------------------------------- */

/* How badly a word fits a line, 0: it does not. Names and plain words count most, then whole other words. */
static unsigned cost_of_word(const struct help_line *h, const char *word, size_t len)
{
	const char *text[] = {h->key, h->does, h->also, h->more, h->where};
	unsigned best = 0;

	if (strlen(h->key) == len && !strncasecmp(h->key, word, len))
		return 1;
	for (const char *a = h->also ? h->also : ""; *a; a += strcspn(a, " |"), a += strspn(a, " |"))
		if (strcspn(a, " |") == len && !strncasecmp(a, word, len))
			return 2;
	for (unsigned i = 0; i < ARRAY_LEN(text); i++) {
		unsigned now = text[i] ? word_likeness(text[i], word, len) : 0;

		if (now > 2 && i > 1) /* letters in order only in names and plain words */
			continue;
		now = now ? 1 + now + 3 * i : 0;
		if (now && (!best || now < best))
			best = now;
	}
	return best;
}

/* All words must fit. 0: one does not. */
static unsigned help_pane_cost_of(const struct help_line *h, const char *typed)
{
	static const char *const kinds[] = {"here", "deed", "pane", "command", "topic", "column"};
	unsigned sum = 0, kind = 0;
	size_t len = strlen(typed);

	/* what the row offers comes before a command of that name */
	if (!strcmp(h->where, "here") && len && !strncasecmp(h->does, typed, len) &&
	    (!h->does[len] || h->does[len] == ' '))
		return 1;
	for (const char *w = typed; *w; w += strcspn(w, " "), w += strspn(w, " ")) {
		unsigned now = cost_of_word(h, w, strcspn(w, " "));

		if (!now)
			return 0;
		sum += now;
	}
	while (kind < ARRAY_LEN(kinds) && strcmp(kinds[kind], h->where))
		kind++;
	return sum ? sum * 8 + kind : 1;
}

COMPARATOR(by_cost, struct help_pane_found, UP(cost) UP(line))

static void help_pane_find(struct view *v)
{
	struct help_pane *p = v->priv;
	const char *typed = v->typed + strspn(v->typed, " ");

	p->found = NEW_ARRAY(p->n + 1, struct help_pane_found);
	for (size_t i = 0; i < p->n; i++) {
		unsigned cost = help_pane_cost_of(&p->line[i], typed);

		if (cost)
			p->found[v->n_rows++] = (struct help_pane_found){&p->line[i], cost};
	}
	if (*typed && v->n_rows)
		qsort(p->found, v->n_rows, sizeof(*p->found), by_cost);
}

static void help_pane_load(struct view *v)
{
	struct scene *sc = v->scene;
	struct help_pane *p = v->priv;

	help_pane_add_told(p, sc, N_GROUPS);
	for (unsigned c = 0; p->about && c < p->about->n_columns; c++)
		help_pane_add(p, (struct help_line){p->about->column[c].name, "column",
						    p->about->column[c].help, "", "Columns", "", NULL, NULL});
	for (unsigned g = 0; g < N_GROUPS; g++) {
		help_pane_add_told(p, sc, g);
		add_panes(p, sc, g);
		help_pane_add_commands(p, sc, g);
		for (const struct topic *t = sc->session->words->topics; g == TEACH && t->name; t++)
			help_pane_add(p, (struct help_line){t->name, "topic", t->text, "",
							    aim_groups[TEACH].name, "", NULL, t->also});
	}
	help_pane_find(v);
	for (size_t i = 0; i < p->n; i++) {
		size_t len = strlen(p->line[i].key);

		if (len > v->width[help_C_KEY] && len <= 16)
			v->width[help_C_KEY] = (uint8_t)len;
	}
	if (!sc->n_help)
		v->width[C_PRESS] = 0;
}

/* --- the pane --------------------------------------------------------------------------- */

static const struct help_line *help_pane_line_at(const struct view *v, uint32_t row)
{
	return ((const struct help_pane *)v->priv)->found[row].line;
}

static void help_pane_title(const struct view *v, struct text *t)
{
	uint32_t n = view_count(v);
	const struct view_ops *about = ((const struct help_pane *)v->priv)->about;

	text_add(t, "Help %u/%u", n ? v->sel + 1 : 0, n);
	if (about)
		text_add(t, " from %s", about->name);
}

static void help_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct help_line *h = help_pane_line_at(v, row);

	if (col == help_C_DOES) {
		text_add(t, "%s", h->does);
		if (*h->more)
			text_add(t, " ── %s", h->more);
		return;
	}
	text_add(t, "%s",
		 col == C_TASK	     ? h->task
		 : col == C_PRESS    ? (h->press ? h->press : "")
		 : col == help_C_KEY ? h->key
				     : h->where);
}

/* Runs a command that needs no words; goes to the prompt with the name of one that does. */
static void follow_command(const char *name, const char *syntax, struct text *t)
{
	char *argv[] = {(char *)(uintptr_t)name, NULL};

	text_add(t, syntax_fits(syntax, 1, argv) ? "%s" : "action prompt %s", name);
}

/* That column of this pane, also where several panes have one of that name. */
static void follow_column(const char *pane, const char *name, struct text *t)
{
	AUTO_FREE char *of = str_printf("%s %s", pane, name);

	text_add(t, "help ");
	word_add_quoted(t, of);
}

static void help_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct help_line *h = help_pane_line_at(v, row);

	if (h->line)
		text_add(t, "%s", h->line);
	else if (!strcmp(h->where, "column"))
		follow_column(((const struct help_pane *)v->priv)->about->name, h->key, t);
	else if (!strcmp(h->where, "command"))
		follow_command(h->key, h->more, t);
	else if (!strcmp(h->where, "pane"))
		text_add(t, "pane %s", h->key);
	else
		text_add(t, "help %s", h->key);
}

const struct view_ops view_help = {
	.name = "help",
	.brief = "searches all that you can do here: panes, commands, keys, words of the field; type to "
		 "search, Enter does it",
	.syntax = "[PANE]",
	.hints = "follow=does_it",
	COLUMNS(help_columns),
	.flags = VIEW_WIDE | VIEW_TIMELESS | VIEW_TYPED | VIEW_ONCE,
	.priv_size = sizeof(struct help_pane),
	.priv_kept = offsetof(struct help_pane, line),
	.open = help_pane_open_view,
	.load = help_pane_load,
	.unload = help_pane_unload,
	.title = help_pane_title,
	.cell = help_pane_cell,
	.follow = help_pane_follow,
};
