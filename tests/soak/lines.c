#include "tests/soak/lines.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/rng.h"
#include "core/base/text.h"
#include "core/session/core_commands.h"
#include "core/session/syntax.h"
#include "views/views.h"

#define MOST_WORDS 10

/* Commands that take long, or start other programs: seldom. */
static const char *const seldom[] = {"live",  "survey", "shifts", "compare", "quit",	 "torus-conf", "step",
				     "drift", "doctor", "advise", "watch",   "counters", "verify"};
/* Commands after which the session is as before, whatever their words. */
static const char *const looking[] = {
	"show",	  "trace",    "why",	     "lft",	"hops",	  "ranks",  "roots",	  "check",
	"diff",	  "load-map", "flows",	     "spread",	"shifts", "survey", "layers",	  "cdg",
	"cycles", "elements", "equal-paths", "compare", "save",	  "export", "torus-conf", "echo",
	"help",	  "list",     "step",	     "drift",	"doctor", "advise", "report"};

static bool one_in(struct maker *m, uint32_t n)
{
	return !rng_below(m->rng, n);
}

static bool named(const char *name, const char *const *names, size_t n)
{
	while (n--)
		if (!strcmp(name, names[n]))
			return true;
	return false;
}

/* --- fabrics ------------------------------------------------------------------------ */

static unsigned up_to(uint64_t *rng, unsigned least, unsigned most)
{
	return least + rng_below(rng, most - least + 1);
}

char *make_spec(uint64_t *rng)
{
	static const char *const shapes[] = {
		"xgft:%u,%u:1,%u", "torus:%ux%u",	  "mesh:%ux%u",
		"hyperx:%ux%u",	   "ring:%u,parallel=%u", "random:1%u,3,hosts=%u",
		"hypercube:%u",	   "director:1,%u,2,%u",  "dragonfly:2,1,1",
		"mesh:%u",	   "xgft:2,2,%u:1,2,%u"};
	struct text t = {0};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	text_add(&t, shapes[rng_below(rng, ARRAY_LEN(shapes))], up_to(rng, 2, 4), up_to(rng, 1, 4),
		 up_to(rng, 1, 3));
#pragma GCC diagnostic pop
	if (!rng_below(rng, 2))
		text_add(&t, ",shuffle=1");
	if (!rng_below(rng, 4))
		text_add(&t, ",lids=1,lmc=%u", rng_below(rng, 4));
	if (!rng_below(rng, 6))
		text_add(&t, ",fail=%u", up_to(rng, 1, 3));
	if (!rng_below(rng, 6))
		text_add(&t, ",esp0=1");
	if (!rng_below(rng, 6))
		text_add(&t, ",sm=host");
	text_add(&t, ",seed=%u", rng_below(rng, 1000));
	return t.s;
}

/* --- words ---------------------------------------------------------------------------- */

static void add_number(struct maker *m, struct text *t)
{
	static const char *const odd[] = {"-1", "4294967296", "0x10", "1e3", "99999999999999999999", "007",
					  ""};

	if (one_in(m, 20))
		text_add(t, "%s", odd[rng_below(m->rng, ARRAY_LEN(odd))]);
	else
		text_add(t, "%u", rng_below(m->rng, one_in(m, 5) ? 300 : 9));
}

static void add_garbage(struct maker *m, struct text *t)
{
	static const char signs[] = "abcxyzAZ09,=:[]*?'\"\\#;| \t%-_.\x01\x7f\xc3\xa9\xff";

	for (unsigned n = rng_below(m->rng, 6) + 1; n; n--)
		text_putc(t, signs[rng_below(m->rng, sizeof(signs) - 1)]);
}

/* A name of a node as a person may type it. */
static void add_node(struct maker *m, struct text *t)
{
	const struct fabric *f = m->s->fabric;
	uint32_t node = f && f->n_nodes ? rng_below(m->rng, f->n_nodes) : 0;
	bool any = f && f->n_nodes && !one_in(m, 20);

	if (any && f->n_switches && one_in(m, 2))
		node = f->switch_node[rng_below(m->rng, f->n_switches)];
	switch (any ? rng_below(m->rng, 8) : 7) {
	case 0:
	case 1:
		text_add(t, "0x%016" PRIx64, f->node_guid[node]);
		break;
	case 2:
		text_add(t, "%.*s*", (int)rng_below(m->rng, 8), f->node_name[node]);
		break;
	case 3:
		text_add(t, "%u", rng_below(m->rng, f->n_endports + 3));
		break;
	case 7:
		text_add(t, "%s", one_in(m, 2) ? "nobody" : "*");
		break;
	default:
		text_add(t, "%s", f->node_name[node]);
	}
}

static void add_port(struct maker *m, struct text *t)
{
	add_node(m, t);
	if (!one_in(m, 30))
		text_add(t, "[%u]", rng_below(m->rng, 8));
}

/* SRC, DST, HOST, LID: any name of an endport. */
static void add_endport(struct maker *m, struct text *t)
{
	const struct fabric *f = m->s->fabric;

	if (one_in(m, 3))
		add_node(m, t);
	else if (f && f->n_endports && one_in(m, 2))
		text_add(t, "0x%" PRIx64, f->port_guid[f->endport_port[rng_below(m->rng, f->n_endports)]]);
	else
		text_add(t, "%u", rng_below(m->rng, f ? f->n_endports + 4 : 9));
}

static void write_file(const char *name, const struct content *c)
{
	FILE *f = fopen(name, "we");

	if (!f || fwrite(c->data, 1, c->n, f) != c->n || fclose(f)) {
		perror(name);
		exit(2);
	}
}

/* One that is there, as it is or changed; or one that an earlier command may have written. */
static void add_file(struct maker *m, struct text *t)
{
	const struct content *c = &m->file[rng_below(m->rng, (uint32_t)m->n_files)];

	switch (rng_below(m->rng, 8)) {
	case 0:
	case 1:
	case 2:
		write_file(c->name, c);
		text_add(t, "%s", c->name);
		break;
	case 3:
	case 4: {
		struct content changed = mutate(m->rng, c, &m->file[rng_below(m->rng, (uint32_t)m->n_files)]);

		write_file(c->name, &changed);
		text_add(t, "%s", c->name);
		free(changed.data);
		free(changed.name);
		break;
	}
	case 5:
		text_add(t, "%s", one_in(m, 2) ? "-" : one_in(m, 2) ? "." : "none");
		break;
	default:
		text_add(t, "out-%u", rng_below(m->rng, 4));
	}
}

static void add_engine(struct maker *m, struct text *t)
{
	unsigned n = 0;

	while (m->s->engines[n])
		n++;
	do
		text_add(t, "%s", one_in(m, 20) ? "no_fallback" : m->s->engines[rng_below(m->rng, n)]->name);
	while (one_in(m, 5) && (text_putc(t, ','), true));
}

static void add_value(struct maker *m, const struct optdef *o, struct text *t)
{
	const char *p = o->choices;

	if (one_in(m, 20)) {
		add_garbage(m, t);
	} else if (o->names && one_in(m, 2)) {
		add_endport(m, t);
	} else if (o->type == OPT_FILE) {
		add_file(m, t);
	} else if (o->type == OPT_BOOL) {
		text_add(t, "%s", one_in(m, 3) ? "FALSE" : "TRUE");
	} else if (o->type == OPT_CHOICE) {
		while (one_in(m, 2) && strchr(p, '|'))
			p = strchr(p, '|') + 1;
		text_add(t, "%.*s", (int)strcspn(p, "|"), p);
	} else if (o->type == OPT_STRING && one_in(m, 2)) {
		add_endport(m, t);
	} else {
		add_number(m, t);
	}
}

static const struct optdef *some_option(struct maker *m)
{
	const struct options *o = m->s->setup->options;

	return options_at(o, rng_below(m->rng, (uint32_t)options_count(o)));
}

static void add_setting(struct maker *m, struct text *t)
{
	const struct optdef *o = some_option(m);

	text_add(t, "%s=", o->name);
	add_value(m, o, t);
}

static void add_option(struct maker *m, struct text *t)
{
	text_add(t, "%s", some_option(m)->name);
}

static void add_some_value(struct maker *m, struct text *t)
{
	add_value(m, some_option(m), t);
}

static void add_spec(struct maker *m, struct text *t)
{
	char *spec = make_spec(m->rng);

	/* never more digits: what it describes stays small */
	if (one_in(m, 10))
		spec[rng_below(m->rng, (uint32_t)strlen(spec))] = "x:,=-"[rng_below(m->rng, 5)];
	text_add(t, "%s", spec);
	free(spec);
}

static void add_column(struct maker *m, struct text *t)
{
	size_t n = 0;
	const struct view_ops *v;

	while (all_views[n])
		n++;
	v = all_views[rng_below(m->rng, (uint32_t)n)];
	text_add(t, "%s", v->n_columns ? v->column[rng_below(m->rng, v->n_columns)].name : "switch");
}

static void add_snapshot(struct maker *m, struct text *t)
{
	text_add(t, "s%u", rng_below(m->rng, 3));
}

static void add_command(struct maker *m, struct text *t)
{
	static const char *const some[] = {"route",   "fail", "list", "pane",	"synth",
					   "engines", "cdg",  "updn", "compare"};

	text_add(t, "%s", some[rng_below(m->rng, ARRAY_LEN(some))]);
	(void)m;
}

/* What a word in capitals of a syntax line stands for; others: text. */
static const struct kind {
	const char *name;
	void (*add)(struct maker *m, struct text *t);
} kinds[] = {
	{"NODE", add_node},	   {"NODE[PORT]", add_port},
	{"SWITCH", add_node},	   {"S", add_node},
	{"H", add_node},	   {"HOST", add_endport},
	{"SRC", add_endport},	   {"DST", add_endport},
	{"LID", add_endport},	   {"DESTINATION", add_endport},
	{"ELEMENT", add_node},	   {"FILE", add_file},
	{"ENGINE", add_engine},	   {"ENGINE[,ENGINE...]", add_engine},
	{"OPTION", add_option},	   {"OPTION=VALUE", add_setting},
	{"VALUE", add_some_value}, {"SPEC", add_spec},
	{"COLUMN", add_column},	   {"SNAPSHOT", add_snapshot},
	{"COMMAND", add_command},  {"N", add_number},
	{"K", add_number},	   {"LAYER", add_number},
	{"VL", add_number},	   {"GROUP", add_number},
	{"STEP", add_number},	   {"EVENT", add_number},
	{"SAMPLE", add_number},	   {"PORT", add_number},
	{"PLAN", add_file},	   {"XML", add_file},
};

/* A word for one of the syntax line; to be freed. */
static char *make_word(struct maker *m, const char *what, size_t len)
{
	size_t fixed = syntax_fixed(what, len);
	struct text t = {0};

	text_add(&t, "%.*s", (int)fixed, what);
	if (one_in(m, 40)) {
		add_garbage(m, &t);
	} else if (fixed && fixed < len) {
		add_number(m, &t);
	} else if (!fixed) {
		void (*add)(struct maker * m, struct text * t) = add_garbage;

		for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
			if (strlen(kinds[i].name) == len && !strncmp(kinds[i].name, what, len))
				add = kinds[i].add;
		add(m, &t);
	}
	return t.s ? t.s : str_dup("");
}

/* --- lines ------------------------------------------------------------------------------ */

struct offers {
	struct offered {
		const char *word;
		size_t len;
	} o[64];
	unsigned n;
};

static void take_offer(void *ctx, const char *word, size_t len)
{
	struct offers *o = ctx;

	if (o->n < ARRAY_LEN(o->o))
		o->o[o->n++] = (struct offered){word, len};
}

struct words {
	char *w[MOST_WORDS + 1];
	int n;
};

/* Words behind argv[from], which is the name that the syntax begins with. */
static void add_words(struct maker *m, const char *syntax, struct words *w, int from)
{
	while (w->n < MOST_WORDS) {
		struct offers o = {.n = 0};
		const struct offered *next;

		if (syntax_fits(syntax, w->n - from, w->w + from) ? one_in(m, 2) : one_in(m, 30))
			return;
		syntax_next(syntax, w->n - from, w->w + from, take_offer, &o);
		if (!o.n)
			return;
		next = &o.o[rng_below(m->rng, o.n)];
		/* drawing is another program's work */
		if (next->len == 3 && (!strncmp(next->word, "svg", 3) || !strncmp(next->word, "png", 3)) &&
		    !one_in(m, 50))
			continue;
		w->w[w->n++] = make_word(m, next->word, next->len);
		w->w[w->n] = NULL;
	}
}

/* A pane with its arguments, sorted or filtered. */
static void add_pane(struct maker *m, const struct command *c, struct words *w)
{
	struct subcommand s;
	char *syntax;
	size_t n = 0;

	while (c->subcommand(n, &s))
		n++;
	c->subcommand(rng_below(m->rng, (uint32_t)n), &s);
	w->w[w->n++] = str_dup(s.name);
	w->w[w->n] = NULL;
	syntax = str_printf("%s %s", s.name, s.syntax ? s.syntax : "");
	add_words(m, syntax, w, 1);
	free(syntax);
	if (w->n + 2 <= MOST_WORDS && one_in(m, 4)) {
		w->w[w->n++] = str_dup("sort");
		w->w[w->n++] = make_word(m, "COLUMN", 6);
	}
	if (w->n + 2 <= MOST_WORDS && one_in(m, 4)) {
		w->w[w->n++] = str_dup("filter");
		w->w[w->n++] = one_in(m, 2) ? make_word(m, "TEXT", 4) : make_word(m, "N", 1);
	}
	w->w[w->n] = NULL;
}

/* Panes and changes come most often. */
static const struct command *some_command(struct maker *m)
{
	const struct command *const *tables = m->s->commands, *c;
	size_t n, n_tables = 0;
	uint32_t draw = rng_below(m->rng, 4);
	struct err e;

	if (draw == 0)
		return command_find(m->s, "list", &e);
	while (tables[n_tables])
		n_tables++;
	do {
		c = draw == 1 ? change_commands : tables[rng_below(m->rng, (uint32_t)n_tables)];
		for (n = 0; c[n].name;)
			n++;
		c += rng_below(m->rng, (uint32_t)n);
	} while (named(c->name, seldom, ARRAY_LEN(seldom)) && !one_in(m, 25));
	return c;
}

char *make_route(struct maker *m)
{
	struct text t = {0};

	text_add(&t, "route ");
	add_engine(m, &t);
	while (one_in(m, 3)) {
		text_putc(&t, ' ');
		add_setting(m, &t);
	}
	return t.s;
}

/* As typed: what has a meaning to the splitter is kept from it, most often. */
static void add_quoted(struct maker *m, struct text *t, const char *word)
{
	bool quote = !one_in(m, 30);

	if (quote && !*word)
		text_add(t, "''");
	for (; *word; word++) {
		if (quote && strchr(" \t;#'\"\\", *word))
			text_putc(t, '\\');
		text_putc(t, *word);
	}
}

static void add_one(struct maker *m, struct text *t)
{
	const struct command *c = some_command(m);
	struct words w = {.n = 0};

	m->reads = m->reads && named(c->name, looking, ARRAY_LEN(looking));
	w.w[w.n++] = str_dup(c->name);
	w.w[w.n] = NULL;
	if (c->subcommand && !one_in(m, 30))
		add_pane(m, c, &w);
	else
		add_words(m, c->syntax, &w, 0);
	for (int i = 0; i < w.n; i++) {
		if (i)
			text_putc(t, ' ');
		add_quoted(m, t, w.w[i]);
		free(w.w[i]);
	}
}

char *make_line(struct maker *m)
{
	struct text t = {0};

	m->reads = true;
	do
		add_one(m, &t);
	while (one_in(m, 10) && (text_add(&t, "; "), true));
	if (one_in(m, 50)) {
		add_garbage(m, &t);
		m->reads = false;
	}
	/* a ';' that nobody kept from being one makes commands of its own */
	m->reads = m->reads && !strchr(t.s, ';');
	return t.s;
}
