/* The lists in the manual page: commands, engines, options, panes, actions and keys (mdoc, for man(1)). */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "core/base/builtin.h"
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/command.h"
#include "core/session/contract.h"
#include "core/session/help.h"
#include "core/source/synth.h"
#include "engines/engines.h"
#include "tui/keymap.h"
#include "tui/ui.h"

struct manual {
	FILE *out;
	const struct command *const *commands;
	const struct engine *const *engines;
};

/* --- troff ------------------------------------------------------------------------- */

/* Writes one character literally, whatever it means to troff. Returns its bytes. */
static size_t manual_put(FILE *f, const char *s)
{
	static const char special[] = "\\-\"'`^~";
	static const char *const name[] = {"\\e", "\\-", "\\(dq", "\\(aq", "\\(ga", "\\(ha", "\\(ti"};
	const char *at = strchr(special, *s);
	unsigned char c = (unsigned char)*s;
	uint32_t bits = c < 0xf0 ? 0x0f : 0x07, code = c & (c < 0xe0 ? 0x1f : bits);
	size_t n = 1;

	static_assert(ARRAY_LEN(name) == sizeof(special) - 1, "each character has its name");
	assert(*s);
	if (at) {
		fputs(name[at - special], f);
	} else if (c < 0x80) {
		fputc(c, f);
	} else { /* UTF-8, like all texts of the program */
		for (; ((unsigned char)s[n] & 0xc0) == 0x80; n++)
			code = code << 6 | ((unsigned char)s[n] & 0x3f);
		fprintf(f, "\\[u%04X]", code);
	}
	return n;
}

static void manual_put_all(FILE *f, const char *s)
{
	while (*s)
		s += manual_put(f, s);
}

/* Writes running text. Text between backticks is set as something to type. */
static void prose(FILE *f, const char *s, size_t len)
{
	bool code = false;

	fputs("\\&", f);
	for (const char *end = s + len; s < end;) {
		if (*s == '`') {
			code = !code;
			fputs(code ? "\\fB" : "\\fR", f);
			s++;
		} else {
			s += manual_put(f, s);
		}
	}
	fputs(code ? "\\fR\n" : "\n", f);
}

/* The length of the name at the beginning of s, or 0. *upper: it is in capitals, a placeholder. */
static size_t manual_name_length(const char *s, bool *upper)
{
	size_t n = 0;

	*upper = isupper((unsigned char)*s) != 0;
	if (*upper)
		while (isupper((unsigned char)s[n]) || isdigit((unsigned char)s[n]))
			n++;
	else
		while (islower((unsigned char)s[n]) || isdigit((unsigned char)s[n]) || s[n] == '_' ||
		       (n && s[n] == '-' && islower((unsigned char)s[n + 1])))
			n++;
	return n;
}

/* Writes a syntax. Capitals are placeholders, small letters are typed literally. */
static void syntax(FILE *f, const char *s)
{
	fputs("\\&", f);
	while (*s) {
		bool upper;
		size_t n = manual_name_length(s, &upper);

		if (n)
			fputs(upper ? "\\fI" : "\\fB", f);
		for (const char *end = s + (n ? n : 1); s < end;)
			s += manual_put(f, s);
		if (n)
			fputs("\\fR", f);
		if (!n && s[-1] == '|' && *s != ' ')
			fputs("\\:", f); /* a long word may be broken there */
	}
}

#define LIST_BEGIN ".Bl -tag -width Ds\n"
#define LIST_END ".El\n"

static void manual_item(FILE *f, const char *name, const char *arguments)
{
	fputs(".It \\&\\fB", f);
	manual_put_all(f, name);
	fputs("\\fR", f);
	if (arguments && *arguments) {
		fputs(" ", f);
		syntax(f, arguments);
	}
	fputs("\n", f);
}

static void manual_sentence(FILE *f, const char *s)
{
	AUTO_TEXT struct text t = {0};

	text_add(&t, "%s", s);
	if (t.len && !strchr(".:", t.s[t.len - 1]))
		text_putc(&t, '.');
	if (t.len)
		t.s[0] = (char)toupper((unsigned char)t.s[0]);
	prose(f, text_str(&t), t.len);
}

/* --- lines of help ------------------------------------------------------------------------ */

/* The form of a line of help: " WORD text", a further line of such a text, or plain text. */
enum line_kind { LINE_PLAIN, LINE_ITEM, LINE_MORE };

struct help_part {
	enum line_kind kind;
	const char *head, *body;
	size_t n_head, n_body;
};

/* Blanks after a sentence do not make a list item. "torus:AxBx.." is no sentence. */
static bool manual_ends_sentence(const char *s, size_t n)
{
	if (n < 2)
		return false;
	return strchr(";:?", s[n - 1]) || (s[n - 1] == '.' && s[n - 2] != '.');
}

static struct help_part take_apart(const char *s, size_t len, bool in_list)
{
	size_t indent = 0, n;
	struct help_part p = {.kind = LINE_PLAIN};

	while (indent < len && s[indent] == ' ')
		indent++;
	for (n = indent; n + 1 < len && !(s[n] == ' ' && s[n + 1] == ' ');)
		n++;
	p.body = s + indent;
	p.n_body = len - indent;
	if (in_list && indent > 2)
		p.kind = LINE_MORE;
	if (p.kind == LINE_MORE || indent != 2 || n + 1 >= len || manual_ends_sentence(s, n))
		return p;
	p.kind = LINE_ITEM;
	p.head = s + indent;
	p.n_head = n - indent;
	while (n < len && s[n] == ' ')
		n++;
	p.body = s + n;
	p.n_body = len - n;
	return p;
}

/* Writes lines of help, each with its line feed. Parts in list form become lists. */
static void help_lines(FILE *f, const char *s)
{
	bool in_list = false;

	while (*s) {
		size_t len = strcspn(s, "\n");
		struct help_part p = take_apart(s, len, in_list);

		if (p.kind == LINE_ITEM && !in_list)
			fputs(LIST_BEGIN, f);
		if (p.kind == LINE_PLAIN && in_list)
			fputs(LIST_END, f);
		in_list = p.kind != LINE_PLAIN;
		if (p.kind == LINE_ITEM) {
			AUTO_FREE char *head = str_printf("%.*s", (int)p.n_head, p.head);

			fputs(".It ", f);
			syntax(f, head);
			fputs("\n", f);
		}
		prose(f, p.body, p.n_body);
		s += len + (s[len] == '\n');
	}
	if (in_list)
		fputs(LIST_END, f);
}

/* --- the lists ------------------------------------------------------------------------------ */

static int manual_by_name(const void *a, const void *b)
{
	return strcmp((*(const struct command *const *)a)->name, (*(const struct command *const *)b)->name);
}

/* Lists the commands of a group that need the screen, or the others. */
static void manual_list_commands(const struct manual *m, bool screen, unsigned group)
{
	AUTO_FREE const struct command **c = NULL;
	size_t n = 0, cap = 0;

	for (size_t t = 0; m->commands[t]; t++)
		for (const struct command *k = m->commands[t]; k->name; k++)
			if (k->on_screen == screen && k->group == group) {
				GROW(c, n, cap);
				c[n++] = k;
			}
	if (n)
		qsort(c, n, sizeof(*c), manual_by_name);
	fputs(LIST_BEGIN, m->out);
	for (size_t i = 0; i < n; i++) {
		const char *details = help_details(ui.words, c[i]->name);

		fputs(".It ", m->out);
		syntax(m->out, c[i]->syntax);
		fputs("\n", m->out);
		manual_sentence(m->out, c[i]->help);
		if (details)
			help_lines(m->out, details);
		if (c[i]->finds) {
			AUTO_TEXT struct text t = {0};

			text_add(&t, "Exit status 1 in batch when %s", c[i]->finds);
			manual_sentence(m->out, text_str(&t));
		}
	}
	fputs(LIST_END, m->out);
}

static void manual_put_group(const struct manual *m, const char *of, unsigned g)
{
	fprintf(m->out, ".Ss %s: %s (%s)\n", aim_groups[g].name, aim_groups[g].aim, of);
}

static void put_commands(const struct manual *m)
{
	for (unsigned g = 0; g < N_GROUPS; g++) {
		manual_put_group(m, "commands", g);
		manual_list_commands(m, false, g);
	}
}

static void put_screen_commands(const struct manual *m)
{
	manual_list_commands(m, true, LOOK);
}

/* Lists when a successful command still ends with status 1. */
static void put_finds(const struct manual *m)
{
	fputs(LIST_BEGIN, m->out);
	for (unsigned g = 0; g < N_GROUPS; g++)
		for (size_t t = 0; m->commands[t]; t++)
			for (const struct command *k = m->commands[t]; k->name; k++)
				if (k->finds && k->group == g) {
					manual_item(m->out, k->name, NULL);
					manual_sentence(m->out, k->finds);
				}
	fputs(LIST_END, m->out);
}

static void put_engines(const struct manual *m)
{
	fputs(LIST_BEGIN, m->out);
	for (size_t i = 0; m->engines[i]; i++) {
		const struct engine *g = m->engines[i];
		const struct topic *p = ui.words->topics;
		struct text t = {0};

		while (p->name && strcasecmp(p->name, g->name))
			p++;
		manual_item(m->out, g->name, NULL);
		manual_sentence(m->out, g->brief);
		if (p->name)
			manual_sentence(m->out, p->text);
		for (const struct optdef *d = g->options; d && d->name; d++)
			text_add(&t, "%s`%s`", t.len ? ", " : "Options of its own: ", d->name);
		if (t.len)
			manual_sentence(m->out, text_str(&t));
		text_free(&t);
		text_add(&t, "Source: %s", p->name ? p->source : g->reference);
		manual_sentence(m->out, text_str(&t));
		text_free(&t);
	}
	fputs(LIST_END, m->out);
}

static bool manual_is_engine(const struct manual *m, const char *topic)
{
	size_t i = 0;

	while (m->engines[i] && strcasecmp(m->engines[i]->name, topic) != 0)
		i++;
	return m->engines[i];
}

/* Lists topics. Those of engines are with the engines. */
static void put_topics(const struct manual *m)
{
	fputs(LIST_BEGIN, m->out);
	for (const struct topic *p = ui.words->topics; p->name; p++) {
		AUTO_TEXT struct text t = {0};

		if (manual_is_engine(m, p->name))
			continue;
		manual_item(m->out, p->name, NULL);
		manual_sentence(m->out, p->text);
		if (p->source)
			text_add(&t, "Source: %s. ", p->source);
		text_add(&t, "Try `%s`", p->try_it);
		manual_sentence(m->out, text_str(&t));
	}
	fputs(LIST_END, m->out);
}

static void manual_put_option(FILE *f, const struct optdef *d)
{
	AUTO_FREE char *values = optdef_values(d);
	AUTO_TEXT struct text t = {0};

	manual_item(f, d->name, values);
	optdef_tell(d, &t);
	manual_sentence(f, text_str(&t));
}

/* Is the option already described by the common options or by an earlier engine? */
static bool described_before(const struct manual *m, size_t i, const char *name)
{
	for (const struct optdef *d = common_options; d->name; d++)
		if (!strcmp(d->name, name))
			return true;
	for (size_t j = 0; j < i; j++)
		for (const struct optdef *d = m->engines[j]->options; d && d->name; d++)
			if (!strcmp(d->name, name))
				return true;
	return false;
}

static void manual_put_options(const struct manual *m)
{
	fputs(LIST_BEGIN, m->out);
	for (const struct optdef *d = common_options; d->name; d++)
		manual_put_option(m->out, d);
	for (size_t i = 0; m->engines[i]; i++)
		for (const struct optdef *d = m->engines[i]->options; d && d->name; d++)
			if (!described_before(m, i, d->name))
				manual_put_option(m->out, d);
	fputs(LIST_END, m->out);
}

/* Adds a sentence with their names. */
static void add_own(const struct optdef *d, struct text *t)
{
	for (; d && d->name; d++)
		if (d->own)
			text_add(t, "%s`%s`", t->len ? ", " : "", d->name);
}

static void put_own(const struct manual *m)
{
	AUTO_TEXT struct text t = {0};

	add_own(common_options, &t);
	for (size_t i = 0; m->engines[i]; i++)
		add_own(m->engines[i]->options, &t);
	manual_sentence(m->out, text_str(&t));
}

static void put_copies(const struct manual *m)
{
	AUTO_TEXT struct text t = {0};
	const char *name;
	char key;

	for (size_t i = 0; copy_at(i, &key, &name); i++)
		text_add(&t, "%s`%c` %s", i ? ", " : "", key, name);
	text_add(&t, ".");
	prose(m->out, text_str(&t), t.len);
}

static void manual_put_words(const struct manual *m)
{
	fputs(LIST_BEGIN, m->out);
	for (const struct view_word *w = view_words; w->name; w++) {
		AUTO_FREE char *name = str_printf("%%%s", w->name);

		manual_item(m->out, name, NULL);
		manual_sentence(m->out, w->help);
	}
	fputs(LIST_END, m->out);
}

static void list_panes(const struct manual *m, unsigned group)
{
	fputs(LIST_BEGIN, m->out);
	for (size_t i = 0; all_views[i]; i++) {
		const struct view_ops *v = all_views[i];
		AUTO_TEXT struct text t = {0};

		if (all_places[i].group != group)
			continue;
		manual_item(m->out, v->name, view_syntax(v));
		manual_sentence(m->out, view_brief(v));
		for (unsigned c = 0; c < v->n_columns && !v->fit; c++)
			if (is_column_name(v->column[c].name))
				text_add(&t, "%s`%s`", t.len ? ", " : "Columns: ", v->column[c].name);
		if (t.len)
			manual_sentence(m->out, text_str(&t));
	}
	fputs(LIST_END, m->out);
}

static void put_panes(const struct manual *m)
{
	for (unsigned g = 0; g < N_GROUPS; g++) {
		bool any = false;

		for (size_t i = 0; all_views[i]; i++)
			any |= all_places[i].group == g;
		if (any)
			manual_put_group(m, "panes", g);
		if (any)
			list_panes(m, g);
	}
}

static void put_actions(const struct manual *m)
{
	const char *name, *help;

	fputs(LIST_BEGIN, m->out);
	for (size_t i = 0; action_at(i, &name, &help); i++) {
		manual_item(m->out, name, NULL);
		manual_sentence(m->out, help);
	}
	fputs(LIST_END, m->out);
}

/* --- keys --------------------------------------------------------------------------- */

static bool same_deed(const struct binding *a, const struct binding *b)
{
	return !strcmp(a->map, b->map) && !strcmp(a->does, b->does);
}

/* Writes all keys of a map with the same effect on one line; the first of them is b[i]. */
static void put_binding(FILE *f, const struct keymap *km, size_t i)
{
	const struct binding *b = &km->b[i];
	const char *action, *help;
	AUTO_TEXT struct text t = {0};
	char name[80];

	for (size_t j = 0; j < i; j++)
		if (same_deed(b, &km->b[j]))
			return;
	fputs(".It ", f);
	for (size_t j = i; j < km->n; j++) {
		if (!same_deed(b, &km->b[j]))
			continue;
		fputs(j == i ? "\\&\\fB" : " \\fB", f);
		manual_put_all(f, keys_text(km->b[j].key, km->b[j].n, name, sizeof(name)));
		fputs("\\fR", f);
	}
	fputs("\n", f);
	text_add(&t, "`%s`", b->does);
	for (size_t j = 0; action_at(j, &action, &help); j++)
		if (strlen(action) == strcspn(b->does, " ") && !strncmp(action, b->does, strlen(action)))
			text_add(&t, ": %s", help);
	prose(f, text_str(&t), t.len);
}

/* Writes the whole map of b[i], if that is its first binding. */
static void put_map(FILE *f, const struct keymap *km, size_t i)
{
	const char *map = km->b[i].map;

	for (size_t j = 0; j < i; j++)
		if (!strcmp(km->b[j].map, map))
			return;
	if (!strcmp(map, "all") || !strcmp(map, "repl"))
		fprintf(f, ".Ss \\&In %s\n", *map == 'a' ? "all panes" : "the REPL");
	else
		fprintf(f, ".Ss \\&In the pane %s\n", map);
	fputs(LIST_BEGIN, f);
	for (; i < km->n; i++)
		if (!strcmp(km->b[i].map, map))
			put_binding(f, km, i);
	fputs(LIST_END, f);
}

/* path: the name among the program's files. */
static int manual_put_keys(const struct manual *m, const char *name, struct err *e)
{
	AUTO_FREE char *path = str_printf(BUILTIN "%s", name);
	static const struct keymap_check check = {action_known, pane_known, NULL};
	struct keymap km = {0};
	AUTO_TEXT struct text errors = {0};
	int rc = keymap_load(&km, path, &check, &errors, e);

	if (!rc && errors.len)
		rc = err_set(e, "%s", text_str(&errors));
	for (size_t i = 0; !rc && i < km.n; i++)
		put_map(m->out, &km, i);
	keymap_clear(&km);
	return rc;
}

/* --- the template ------------------------------------------------------------------------- */

static void manual_put_kinds(const struct manual *m)
{
	help_lines(m->out, synth_help);
}

static void put_rules(const struct manual *m)
{
	fputs(LIST_BEGIN, m->out);
	for (const struct rule_difference *d = ui.rules; d->what; d++) {
		AUTO_TEXT struct text t = {0};

		fputs(".It ", m->out);
		prose(m->out, d->what, strlen(d->what));
		text_add(&t, "%s %s Try `%s; set rules manual`", d->program, d->manual, d->shows);
		manual_sentence(m->out, text_str(&t));
	}
	fputs(LIST_END, m->out);
}

static void put_figures(const struct manual *m)
{
	fputs(LIST_BEGIN, m->out);
	for (const struct figure_meaning *f = ui.words->figures; f->name; f++) {
		AUTO_TEXT struct text t = {0};

		fputs(".It ", m->out);
		prose(m->out, f->name, strlen(f->name));
		figure_tell(f, &t);
		manual_sentence(m->out, text_str(&t));
	}
	fputs(LIST_END, m->out);
}

static void put_limits(const struct manual *m)
{
	fputs(LIST_BEGIN, m->out);
	for (const struct limit *l = limits; l->what; l++) {
		AUTO_FREE char *what = str_printf("%s: at most %" PRIu64, l->what, l->most),
			       *beyond = limit_beyond(l);

		fputs(".It ", m->out);
		prose(m->out, what, strlen(what));
		manual_sentence(m->out, beyond);
	}
	fputs(LIST_END, m->out);
}

/* --- the JSON contract --------------------------------------------------------------------- */

/* Writes a type of the contract. A long one may break across lines. */
static void put_type(const struct manual *m, const char *type, int n, bool optional)
{
	fputs("\\fR \\fI", m->out);
	for (const char *end = type + n; type < end;)
		if (*type == '/')
			fprintf(m->out, "%c\\:", *type++);
		else
			type += manual_put(m->out, type);
	fputs(optional ? "?\\fR\n" : "\\fR\n", m->out);
}

/* The group of lines that begins here, or NULL. */
static const struct contract_group *manual_group_at(const char *lines)
{
	for (const struct contract_group *g = contract_groups; g->name; g++)
		if (!strncmp(lines, g->lines, strlen(g->lines)))
			return g;
	return NULL;
}

/* group: the lines belong to a group, and are not replaced by one. */
static void put_keys_of(const struct manual *m, const char *lines, bool group)
{
	struct contract_line l;

	fputs(".Bl -tag -width Ds -compact\n", m->out);
	while (*lines) {
		const struct contract_group *g = group ? NULL : manual_group_at(lines);

		if (g) {
			fprintf(m->out, ".It \\&Keys of %s\n", g->name);
			lines += strlen(g->lines);
			continue;
		}
		contract_next(ui.words, &lines, &l);
		AUTO_FREE char *key = str_printf("%.*s", l.n_key, l.key),
			       *help = str_printf("%.*s", l.n_help, l.help);

		fputs(".It \\&\\fB", m->out);
		manual_put_all(m->out, key);
		put_type(m, l.type, l.n_type, l.optional);
		manual_sentence(m->out, help);
	}
	fputs(LIST_END, m->out);
}

static void put_json_common(const struct manual *m)
{
	put_keys_of(m, contract_common, false);
}

static void put_json_commands(const struct manual *m)
{
	for (const struct contract_group *g = contract_groups; g->name; g++) {
		fprintf(m->out, ".Ss \\&Keys of %s\n", g->name);
		put_keys_of(m, g->lines, true);
	}
	for (size_t t = 0; m->commands[t]; t++)
		for (const struct command *c = m->commands[t]; c->name; c++) {
			AUTO_FREE char *lines = contract_of(c);

			if (*lines) {
				fprintf(m->out, ".Ss \\&Keys of %s\n", c->name);
				put_keys_of(m, lines, false);
			}
		}
}

static void put_json_kinds(const struct manual *m)
{
	fputs(LIST_BEGIN, m->out);
	for (const struct contract_kind *k = contract_kinds; k->name; k++) {
		fprintf(m->out, ".It \\&\\fB%s", k->name);
		put_type(m, k->type, (int)strlen(k->type), false);
		manual_sentence(m->out, k->help);
	}
	fputs(LIST_END, m->out);
}

static void put_schema(const struct manual *m)
{
	fprintf(m->out, ".Dl %d\n", JSON_SCHEMA);
}

static const struct {
	const char *name;
	void (*put)(const struct manual *m);
} places[] = {
	{"@commands@\n", put_commands},
	{"@screen commands@\n", put_screen_commands},
	{"@finds@\n", put_finds},
	{"@engines@\n", put_engines},
	{"@options@\n", manual_put_options},
	{"@own options@\n", put_own},
	{"@words@\n", manual_put_words},
	{"@copies@\n", put_copies},
	{"@kinds@\n", manual_put_kinds},
	{"@panes@\n", put_panes},
	{"@topics@\n", put_topics},
	{"@actions@\n", put_actions},
	{"@rules@\n", put_rules},
	{"@figures@\n", put_figures},
	{"@limits@\n", put_limits},
	{"@schema@\n", put_schema},
	{"@json kinds@\n", put_json_kinds},
	{"@json common@\n", put_json_common},
	{"@json commands@\n", put_json_commands},
};

static int manual_put_line(const struct manual *m, const char *line, struct err *e)
{
	AUTO_TEXT struct text names = {0};
	char path[256];

	if (*line != '@') {
		fputs(line, m->out);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (!strcmp(line, places[i].name)) {
			places[i].put(m);
			return 0;
		}
	if (sscanf(line, "@keys %255[^@\n]@", path) == 1)
		return manual_put_keys(m, path, e);
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		text_add(&names, "%.*s, ", (int)strcspn(places[i].name, "\n"), places[i].name);
	err_set(e, "found %.*s, expected %sor @keys FILE@", (int)strcspn(line, "\n"), line, text_str(&names));
	return -1;
}

static int put_template(const struct manual *m, const char *path, struct err *e)
{
	FILE *f = infile_open(path, NULL);
	struct text line = {0};
	int rc = 0, got = 0;

	if (!f)
		return err_system(e, path, errno);
	for (unsigned n = 1; !rc && (got = read_text_line(f, path, &line, e)) > 0; n++) {
		struct err why = {0};

		rc = manual_put_line(m, line.s, &why);
		if (rc)
			err_set(e, "%s:%u: %s", path, n, why.msg);
	}
	rc = rc ? rc : got;
	text_free(&line);
	fclose(f);
	return rc;
}

int manual_main(int argc, char **argv, const struct command *const *commands,
		const struct engine *const *engines)
{
	struct manual m = {stdout, commands, engines};
	struct builtin text;
	struct err e;
	int rc = 0;

	/* as text if the build could make it (static), else as source */
	if ((argc == 2 || (argc == 3 && !strcmp(argv[2], "json"))) && !strcmp(argv[1], "--man")) {
		if (builtin_find(argc == 3 ? BUILTIN "ibscope-json.txt" : BUILTIN "ibscope.txt", &text))
			printf("%.*s", (int)text.size, text.data);
		else
			rc = put_template(
				&m, argc == 3 ? BUILTIN "ibscope-json.5.in" : BUILTIN "ibscope.1.in", &e);
	} else if (argc == 3 && !strcmp(argv[1], "--manual"))
		rc = put_template(&m, argv[2], &e);
	else
		return -1;
	if (!rc && !output_flush(stdout, &e))
		return STATUS_DONE;
	fprintf(stderr, "ibscope: %s\n", e.msg);
	return exit_status(NULL, &e);
}
