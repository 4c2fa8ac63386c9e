/* What `help` says about the interface: deeds, plain words, names of panes, columns, keys and limits. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/command.h"
#include "core/session/help.h"
#include "core/source/synth.h"
#include "engines/engines.h"
#include "tui/ui.h"

/* What the pane `help` tells of the interface: what may be done with the pane and the row that had the focus,
 * plain words for command lines, and the keys in force. */

/*
 * Something to do, in plain words. With %words it is offered where the row has them. A line that ends with a
 * blank goes to the prompt, where the rest is typed.
 */
struct deed {
	enum group_id group;
	const char *says, *line;
	const char *also; /* other words by which it is found; NULL = none */
};

static const struct deed deeds[] = {
	/* of a row */
	{WHAT_IF, "fail this", "fail %object", "a broken cable pull unplug outage down dead maintenance"},
	{WHAT_IF, "restore this", "restore %object", "repair up again plug in"},
	{EXPLAIN, "why this entry", "why %switch %dst", "reason explain port"},
	{EXPLAIN, "why this path", "why %src %dst", "reason explain"},
	{EXPLAIN, "trace this path, there and back", "trace %src %dst", "route reach"},
	{EXPLAIN, "this path, link by link", "pane path %src %dst", "route reach"},
	{EXPLAIN, "why from this switch to ... (type a destination)", "why %switch ",
	 "reason explain entry port"},
	{EXPLAIN, "trace from here to ... (type a destination)", "trace %endport ", "route path reach"},
	{LOOK, "the ports of this node", "pane ports %node", "links cables"},
	{LOOK, "the forwarding table of this switch", "pane lft %switch", "entries routes"},
	{LOOK, "the hop matrix of this switch", "pane hops %switch", "distance"},
	{LOOK, "the LIDs of this endport, and where they go", "pane lids %endport", NULL},
	{JUDGE, "who shares this link", "pane flows %port", "slow congestion busy traffic"},
	{EXPLAIN, "channel dependencies of this layer", "pane cdg %layer", "deadlock credit loop"},
	{EXPLAIN, "the credit loop through this channel", "pane cycle %loop", "deadlock"},
	{JUDGE, "the whole text of this finding", "echo %finding", "explain more"},
	{JUDGE, "the whole text of this advice", "echo %advice", "explain more"},
	/* anywhere */
	{LOOK, "draw the fabric", "map", "picture topology diagram"},
	{LOOK, "find a node", "search ", "look for which host switch name where"},
	{WHAT_IF, "fail a link ...", "fail link ", "broken cable pull unplug outage down dead"},
	{WHAT_IF, "fail a switch ...", "fail switch ", "broken outage down dead maintenance"},
	{WHAT_IF, "fail a host ...", "fail host ", "broken node outage down dead maintenance"},
	{WHAT_IF, "fail two links at random", "fail random 2", "broken cable outage"},
	{WHAT_IF, "everything up again", "restore all", "repair reset"},
	{WHAT_IF, "take back the last change", "undo", "revert"},
	{WHAT_IF, "what was changed since the fabric was loaded", "pane journal",
	 "new difference added removed moved"},
	{WHAT_IF, "what the last change did to the tables", "diff", "difference"},
	{WHAT_IF, "between two sweeps: is the way from old tables to new ones safe?", "pane transition",
	 "transition loops half written update"},
	{WHAT_IF, "before maintenance: keep the routing as it is now", "snapshot before",
	 "window remember compare later"},
	{WHAT_IF, "route with another engine ...", "route ", "algorithm tables compute"},
	{EXPLAIN, "why this entry: a switch, a destination ...", "why ", "reason explain port"},
	{EXPLAIN, "trace the path of two hosts ...", "trace ", "route reach"},
	{EXPLAIN, "credit loops: can it deadlock?", "pane cycle all",
	 "deadlock credit loops cycles hang stuck"},
	{EXPLAIN, "walk through the engine's run, step by step", "step start", "algorithm teach"},
	{JUDGE, "is it safe? unreachable pairs, loops, credit loops", "pane check",
	 "safe sound unreachable deadlock verify"},
	{JUDGE, "all problems, worst first", "pane doctor", "wrong broken cable errors health"},
	{JUDGE, "compare engines side by side", "pane compare", "algorithms best"},
	{JUDGE, "which engine suits this fabric", "pane advise", "best recommend"},
	{JUDGE, "which single failure hurts most", "pane survey links",
	 "worst broken cable maintenance redundancy"},
	{JUDGE, "the busiest links", "load-map", "slow congestion hot traffic bandwidth"},
	{TEACH, "the first lesson", "lesson table", "learn tutorial start"},
	{TEACH, "a question about this fabric", "quiz", "exercise learn"},
	{FILES, "the demo fabric, routed", "load demo; route minhop", "example try start"},
	{FILES, "read the live fabric", "live", "discover umad"},
	{FILES, "save a report of this session ...", "report ", "write document"},
	{FILES, "a report of this change: before, during, after, and the way back ...", "report change ",
	 "write document maintenance window approval ticket"},
	{FILES, "save the session, to play it again ...", "save-session ", "write script keep"},
	{FILES, "save this fabric ...", "save ", "write ibnetdiscover"},
	{FILES, "save a drawing of the fabric ...", "export svg ", "write picture"},
	{FILES, "save the tables, as OpenSM dumps them ...", "export lfts ", "write lft routes"},
};

/* Edits of what a row is about, in panes where a key does them. */
static const struct deed edits[] = {
	{WHAT_IF, "a new cable from here to ... (type a port)", "add link %port ", "edit plug in connect"},
	{WHAT_IF, "a new cable from this switch to ... (type a port)", "add link %switch ",
	 "edit plug in connect"},
	{WHAT_IF, "a new host at this switch (type its name)", "add host %here %switch ",
	 "edit extend node server"},
	{WHAT_IF, "a new host at the same switch (type its name)", "add host %here %peer ",
	 "edit extend node server"},
	{WHAT_IF, "take this cable out", "remove link %port ", "edit unplug"},
	{WHAT_IF, "take this switch out", "remove switch %switch ", "edit"},
	{WHAT_IF, "take this host out", "remove host %host ", "edit"},
	{WHAT_IF, "move this host to ... (type a port)", "move host %port ", "edit cable re-cable"},
	{WHAT_IF, "move this end of the cable to ... (type a port)", "move link %port ",
	 "edit cable re-cable"},
	{WHAT_IF, "swap with ... (type a port)", "swap %port ", "edit exchange cable host re-cable"},
	{WHAT_IF, "new hardware in place of this switch", "replace switch %switch ", "edit exchange guid"},
	{WHAT_IF, "new hardware in place of this host", "replace host %host ", "edit exchange hca guid"},
	{WHAT_IF, "another name (type it)", "rename %node ", "edit description"},
	{WHAT_IF, "another speed (type it, as 4xHDR)", "speed %port ", "edit width rate"},
};

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

	for (size_t i = 0; i < ARRAY_LEN(edits); i++)
		if (!strncmp(does, "prompt ", 7) && !strncmp(does + 7, edits[i].line, len - 7) &&
		    !strcmp(edits[i].line + len - 7, " "))
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
	for (size_t i = 0; i < ARRAY_LEN(deeds); i++)
		if (strchr(deeds[i].line, '%') && palette_expand(v, deeds[i].line, &t) &&
		    !(up && restores(t.s)))
			add_deed(&deeds[i], "Here", "here", text_str(&t), v);
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
	for (size_t i = 0; i < ARRAY_LEN(edits); i++)
		if (palette_expand(v, edits[i].line, &t) && *key_for(text_str(&t), v, key, sizeof(key)))
			add_deed(&edits[i], "Here", "here", text_str(&t), v);
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
	for (size_t i = 0; i < ARRAY_LEN(deeds); i++)
		if (!strchr(deeds[i].line, '%'))
			add_deed(&deeds[i], aim_groups[deeds[i].group].name, "deed", deeds[i].line, v);
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
	for (const struct rule_difference *d = rule_differences; d->what; d++) {
		char *text = str_printf("%s %s Try `%s; set rules manual`.", d->program, d->manual, d->shows);

		take(to, &(struct named){"rule", d->what, "", "", text});
		free(text);
	}
	for (const struct figure_meaning *m = glossary; m->name; m++) {
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
