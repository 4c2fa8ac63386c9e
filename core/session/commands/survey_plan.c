/* `survey file`: the changes of a window, each alone, in their order, and all at once; limits; JUnit's XML.
 */
#include "core/session/commands/commands.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clean.h"
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"

/* --- the file ------------------------------------------------------------------------------------ */

enum { NODE, PORT, TICKET, COLUMNS };
static const char *const heading[COLUMNS] = {"node", "port", "ticket"};

/* A new string; two quotes in a row, as within a quoted field, are one. */
static char *field_text(struct cursor c)
{
	char *s = cur_clean(c, 300), *to = s;

	for (const char *from = s; *from; from++) {
		*to++ = *from;
		from += from[0] == '"' && from[1] == '"';
	}
	*to = '\0';
	return s;
}

/* The fields of a row by column (at[]: their places from 1, 0: none), as new strings. */
static void take_row(struct cursor line, const unsigned *at, char between, char **field)
{
	for (unsigned i = 1; line.p; i++) {
		struct cursor c = cur_trimmed(cur_csv(&line, between));

		for (int k = 0; k < COLUMNS; k++)
			if (at[k] == i)
				field[k] = field_text(c);
	}
}

static int take_heading(struct cursor line, unsigned *at, char *between, struct err *e)
{
	*between = memchr(line.p, ';', cur_len(line)) ? ';' : ',';
	for (unsigned i = 1; line.p; i++) {
		struct cursor c = cur_trimmed(cur_csv(&line, *between));

		for (int k = 0; k < COLUMNS; k++)
			if (!at[k] && cur_is(c, heading[k]))
				at[k] = i;
	}
	return at[NODE] ? 0 : err_set(e, "expected a heading with the columns node, port and ticket");
}

/* The node that a row without a port names, as a member of parts; NO_ID and *e. */
static uint32_t survey_plan_command_node_of(const struct session *s, const char *word, struct err *e)
{
	uint32_t node = session_node(s, word, e);

	if (node != NO_ID && session_state(s)->node_down[node]) {
		err_set(e, "%s is down already", word);
		node = NO_ID;
	}
	return node == NO_ID ? NO_ID : s->fabric->n_links + node;
}

/* The link or node that a row names; NO_ID and *e. */
static uint32_t member_of(const struct session *s, char *const *field, struct progress *p, struct err *e)
{
	const char *node = field[NODE] ? field[NODE] : "";
	const char *port = field[PORT] ? field[PORT] : "";
	uint32_t link = NO_ID;
	struct id_list l;

	if (!*node) {
		err_set(e, "found no node, expected node and port, or a node alone");
		return NO_ID;
	}
	if (!*port)
		return survey_plan_command_node_of(s, node, e);
	AUTO_FREE char *word = str_printf("%s[%s]", node, port);
	if (!session_ports(s, word, p, &l, e)) {
		if (l.n != 1)
			err_set(e, "found \"%s\", expected one port", word);
		else if (s->fabric->port_link[l.id[0]] == NO_ID)
			err_set(e, "%s has no cable", word);
		else if (!state_link_up(s->fabric, session_state(s), s->fabric->port_link[l.id[0]]))
			err_set(e, "the link of %s is down already", word);
		else
			link = s->fabric->port_link[l.id[0]];
		id_list_free(&l);
	}
	return link;
}

/* A row's link or node, and its ticket.  Both ends of one cable are one link; its tickets are listed
 * together.
 */
static void survey_plan_command_add_member(struct window *x, uint32_t member, const char *ticket)
{
	uint32_t i = 0;

	while (i < x->n && x->row[i].member != member)
		i++;
	if (i == x->n) {
		GROW(x->row, x->n, x->cap);
		x->row[x->n++] = (struct window_row){member, str_dup(ticket)};
	} else if (*ticket && strcmp(x->row[i].ticket, ticket) != 0) {
		char *both = str_printf("%s%s%s", x->row[i].ticket, *x->row[i].ticket ? ", " : "", ticket);
		free(x->row[i].ticket);
		x->row[i].ticket = both;
	}
}

static int survey_plan_command_read_lines(const struct session *s, struct window *x, const struct input *in,
					  struct err *e)
{
	struct lines lines = lines_of(in);
	unsigned at[COLUMNS] = {0};
	struct cursor line;
	struct err why = {0};
	char between = ',';
	int rc = 0;

	while (!rc && lines_next(&lines, &line)) {
		char *field[COLUMNS] = {NULL};
		uint32_t member = NO_ID;

		if (!cur_says(cur_trimmed(line)))
			continue;
		if (!at[NODE]) {
			rc = take_heading(line, at, &between, &why);
		} else {
			take_row(line, at, between, field);
			member = member_of(s, field, in->progress, &why);
			rc = member == NO_ID ? -1 : 0;
		}
		if (member != NO_ID)
			survey_plan_command_add_member(x, member, field[TICKET] ? field[TICKET] : "");
		if (!rc && x->n > PLAN_MOST)
			rc = err_set_kind(&why, ERR_LIMIT,
					  "found more than %d links and nodes, expected at most that",
					  PLAN_MOST);
		for (int k = 0; k < COLUMNS; k++)
			free(field[k]);
		if (rc)
			err_set_kind(e, why.kind > ERR_SYNTAX ? why.kind : ERR_INPUT, "%s:%u: %s", in->name,
				     lines.no, why.msg);
	}
	if (!rc && progress_cancelled(in->progress))
		rc = err_set(e, CANCELLED);
	return !rc && !x->n ? err_set_kind(e, ERR_INPUT,
					   "%s: found no link or node, expected lines of node, port, ticket",
					   in->name)
			    : rc;
}

static char *row_name(const struct fabric *f, const struct window_row *r)
{
	assert(r->member < f->n_links + f->n_nodes);

	uint32_t node = r->member - f->n_links;
	char a[300], b[300];
	const char *ticket = r->ticket;
	const char *open = *ticket ? " (" : "";
	const char *end = *ticket ? ")" : "";

	if (r->member >= f->n_links)
		return str_printf("%s%s%s%s", f->node_name[node], open, ticket, end);
	return str_printf("%s %s%s%s%s", port_plain(f, f->link_port[2 * r->member], a, sizeof(a)),
			  port_plain(f, f->link_port[2 * r->member + 1], b, sizeof(b)), open, ticket, end);
}

/* What fails: each row alone, then two and more of them in order, then all at once. */
static struct parts *survey_plan_command_make_parts(const struct fabric *f, const struct window *x)
{
	uint32_t n = x->n, all = n > 1 ? 2 * n : n;
	struct parts *p = NEW(struct parts);

	*p = (struct parts){.fabric = fabric_ref(f), .kind = PART_LINK, .n = all};
	for (uint32_t i = 0; i < n; i++)
		if (x->row[i].member >= f->n_links)
			p->kind = PART_MIXED;
	p->name = NEW_ARRAY(all, char *);
	p->first = NEW_ARRAY((size_t)all + 1, uint32_t);
	p->id = NEW_ARRAY((size_t)n * (n + 1) / 2 + 2 * (size_t)n, uint32_t);
	for (uint32_t i = 0; i < all; i++) {
		uint32_t from = i < n ? i : 0, to = i + 1;

		if (i >= n)
			to = i + 1 < all ? i - n + 2 : n;
		p->first[i + 1] = p->first[i];
		for (uint32_t k = from; k < to; k++)
			p->id[p->first[i + 1]++] = x->row[k].member;
		if (i < n)
			p->name[i] = row_name(f, &x->row[i]);
		else
			p->name[i] = i + 1 < all ? str_printf("1 to %u in order", to)
						 : str_printf("all %u together", n);
	}
	assert(p->first[all] <= (size_t)n * (n + 1) / 2 + 2 * (size_t)n);
	return p;
}

struct parts *window_read(const struct session *s, struct window *x, const char *path, struct progress *p,
			  struct err *e)
{
	struct input in = {.name = path, .progress = p};
	AUTO_FREE char *data = NULL;
	int rc = read_path(path, LIST_FILE_MIB, p, &data, &in.size, e);

	*x = (struct window){0};
	in.data = data;
	if (!rc)
		rc = survey_plan_command_read_lines(s, x, &in, e);
	return rc ? NULL : survey_plan_command_make_parts(s->fabric, x);
}

void window_free(struct window *x)
{
	for (uint32_t i = 0; i < x->n; i++)
		free(x->row[i].ticket);
	free(x->row);
}

void window_tell_rows(const struct window *x, json_t *rows)
{
	for (uint32_t i = 0; i < json_array_size(rows); i++) {
		json_t *r = json_array_get(rows, i);

		json_object_set_new(r, "when",
				    json_text(i < x->n			      ? "alone"
					      : i + 1 < json_array_size(rows) ? "in order"
									      : "together"));
		if (i < x->n)
			json_object_set_new(r, "ticket", json_text(x->row[i].ticket));
	}
}

/* --- limits -------------------------------------------------------------------------------------- */

static const struct {
	const char *word, *key, *before; /* before: key of survey_of; NULL: it counts from 0 */
} quantity[] = {{"lost", "lost", NULL},
		{"between", "between_survivors", NULL},
		{"loops", "new_loops", NULL},
		{"load", "load_after", "load_before"},
		{"longest", "longest", "longest_before"},
		{"longer", "longer", NULL},
		{"rerouted", "rerouted", NULL},
		{"outage", "outage", NULL}};

int limit_read(struct survey_limit *l, const char *word, struct err *e)
{
	const char *is = strchr(word, '=');
	size_t len = is ? (size_t)(is - word) : 0;

	*l = (struct survey_limit){.word = word, .of = ARRAY_LEN(quantity)};
	for (unsigned i = 0; i < ARRAY_LEN(quantity); i++)
		if (len == strlen(quantity[i].word) && !memcmp(word, quantity[i].word, len))
			l->of = i;
	l->more = is && is[1] == '+';
	AUTO_FREE char *digits = str_dup(is ? is + 1 + l->more : "");
	l->percent = *digits && digits[strlen(digits) - 1] == '%';
	if (l->percent)
		digits[strlen(digits) - 1] = '\0';
	bool good = l->of < ARRAY_LEN(quantity) && number_of(digits, 0, UINT32_MAX, &l->n) &&
		    (!l->more || quantity[l->of].before) && (!l->percent || l->more);
	return good ? 0
		    : err_set_kind(
			      e, ERR_SYNTAX,
			      "gate: found \"%s\", expected lost=N, between=N, loops=N, load=N, longest=N, "
			      "longer=N, rerouted=N or outage=N; of load and longest +N or +N%% is more than "
			      "before",
			      word);
}

/* The largest value that keeps the limit. */
static double bound(const struct survey_limit *l, const json_t *of)
{
	assert(l->of < ARRAY_LEN(quantity));
	const char *key = quantity[l->of].before;
	double before = key ? json_number_value(json_object_get(of, key)) : 0;

	if (!l->more)
		return (double)l->n;
	return before + (l->percent ? before / 100 : 1) * (double)l->n;
}

uint32_t gate_rows(const struct survey_limit *l, size_t n, const json_t *of, json_t *rows, struct out *o)
{
	json_t *words = json_array();
	uint32_t broken = 0;
	AUTO_TEXT struct text t = {0};

	assert(json_is_array(rows));
	for (size_t i = 0; i < json_array_size(rows); i++) {
		json_t *r = json_array_get(rows, i), *breaks = json_array();

		if (json_is_null(json_object_get(r, "engine")))
			json_array_append_new(breaks, json_text("no engine routes it"));
		for (size_t k = 0; k < n; k++) {
			double v = json_number_value(json_object_get(r, quantity[l[k].of].key));
			char s[200];

			snprintf(s, sizeof(s), "%s: %.0f, at most %.15g", l[k].word, v, bound(&l[k], of));
			if (v > bound(&l[k], of))
				json_array_append_new(breaks, json_text(s));
		}
		for (size_t k = 0; k < json_array_size(breaks); k++)
			text_add(&t, "%s%s", k ? "; " : "  ", json_string_value(json_array_get(breaks, k)));
		broken += json_array_size(breaks) > 0;
		if (json_array_size(breaks))
			text_add(&t, " (%s)\n", json_string_value(json_object_get(r, "what")));
		json_object_set_new(r, "breaks", breaks);
	}
	for (size_t k = 0; k < n; k++)
		json_array_append_new(words, json_text(l[k].word));
	out_text(o, "Gate: %u of %zu rows break a limit.\n%s", broken, json_array_size(rows), text_str(&t));
	out_json(o, "gate", json_make("{s:o, s:i}", "limits", words, "broken", (int)broken));
	return broken;
}

/* --- JUnit's XML --------------------------------------------------------------------------------- */

static void xml(FILE *f, const char *s)
{
	AUTO_TEXT struct text t = {0};

	clean_line(&t, s);
	for (const char *c = text_str(&t); *c; c++)
		switch (*c) {
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		default:
			putc(*c, f);
		}
}

int junit_write(const char *path, const struct fabric *fab, const json_t *rows, uint32_t broken,
		struct out *o, struct err *e)
{
	struct target to;

	if (open_target(&to, path, o, e))
		return -1;
	warnings_copy(&to.missing, &fab->warnings);
	fprintf(to.f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	warnings_write_missing(&to.missing, to.f, "<!-- ", " -->");
	fprintf(to.f,
		"<testsuites>\n<testsuite name=\"survey\" tests=\"%zu\" failures=\"%u\" errors=\"0\" "
		"skipped=\"0\">\n",
		json_array_size(rows), broken);
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *r = json_array_get(rows, i), *breaks = json_object_get(r, "breaks");

		fprintf(to.f, "<testcase classname=\"");
		xml(to.f, json_string_value(json_object_get(r, "when")));
		fprintf(to.f, "\" name=\"");
		xml(to.f, json_string_value(json_object_get(r, "what")));
		fprintf(to.f, json_array_size(breaks) ? "\">\n" : "\"/>\n");
		for (size_t k = 0; k < json_array_size(breaks); k++) {
			fprintf(to.f, "<failure message=\"");
			xml(to.f, json_string_value(json_array_get(breaks, k)));
			fprintf(to.f, "\"/>\n");
		}
		if (json_array_size(breaks))
			fprintf(to.f, "</testcase>\n");
	}
	fprintf(to.f, "</testsuite>\n</testsuites>\n");
	return close_target(&to, 0, o, e);
}
