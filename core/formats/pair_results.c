#include "core/formats/pair_results.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/infile.h"
#include "core/base/memory.h"

#define NAME_BYTES 200
#define HOSTS_MOST 65536

struct pair_results_reader {
	struct pair_results *p;
	const struct input *in;
	struct err *e;
};

static int pair_results_wrong(const struct pair_results_reader *r, unsigned line, const char *expected,
			      struct cursor found)
{
	char b[60];

	return err_set_kind(r->e, ERR_INPUT, "%s:%u: found \"%s\", expected %s", r->in->name, line,
			    excerpt(found, b, sizeof(b)), expected);
}

/* --- names and pairs ----------------------------------------------------------------------------------- */

static uint32_t pair_results_hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

static void pair_results_rehash(struct pair_results *p)
{
	free(p->slot);
	p->n_slots = p->n_slots ? p->n_slots * 2 : 64;
	p->slot = NEW_ARRAY(p->n_slots, uint32_t);
	for (uint32_t i = 0; i < p->n_names; i++) {
		uint32_t at = pair_results_hash(p->name[i]) & (p->n_slots - 1);

		while (p->slot[at])
			at = (at + 1) & (p->n_slots - 1);
		p->slot[at] = i + 1;
	}
}

static uint32_t pair_results_name_of(struct pair_results *p, struct cursor c)
{
	char *name = cur_clean(cur_trimmed(c), NAME_BYTES);
	uint32_t at;

	if (p->n_names * 2 >= p->n_slots)
		pair_results_rehash(p);
	for (at = pair_results_hash(name) & (p->n_slots - 1); p->slot[at]; at = (at + 1) & (p->n_slots - 1))
		if (!strcmp(p->name[p->slot[at] - 1], name)) {
			free(name);
			return p->slot[at] - 1;
		}
	GROW(p->name, p->n_names, p->cap_names);
	p->name[p->n_names++] = name;
	p->slot[at] = p->n_names;
	return p->n_names - 1;
}

static int pair_results_add(struct pair_results_reader *r, struct pair_result x)
{
	assert(x.a < r->p->n_names && x.b < r->p->n_names);
	if (r->p->n >= PAIR_RESULTS_MOST)
		return err_set_kind(r->e, ERR_LIMIT, "%s: found more than %d pairs", r->in->name,
				    PAIR_RESULTS_MOST);
	if (x.a == x.b)
		return 0;
	GROW(r->p->pair, r->p->n, r->p->cap);
	r->p->pair[r->p->n++] = x;
	return 0;
}

/* A finite number that is not negative, and nothing behind it. */
static bool pair_results_value_of(struct cursor c, double *v)
{
	char s[40], *end;

	c = cur_trimmed(c);
	if (cur_empty(&c) || cur_len(c) >= sizeof(s))
		return false;
	snprintf(s, sizeof(s), "%.*s", CUR_ARGS(c));
	if (!isdigit((unsigned char)*s) && *s != '.')
		return false;
	*v = strtod(s, &end);
	return !*end && isfinite(*v);
}

/* --- rows and matrices ------------------------------------------------------------------------------- */

/* Cells by commas, by tabs where there are any, or else by blanks; quotes hold a cell together. */
static char separator(struct cursor line)
{
	if (memchr(line.p, ',', cur_len(line)))
		return ',';
	return memchr(line.p, '\t', cur_len(line)) ? '\t' : ' ';
}

static bool next_cell(struct cursor *line, char between, struct cursor *cell)
{
	if (!line->p)
		return false;
	if (between != ' ') {
		*cell = cur_csv(line, between);
		return true;
	}
	cur_blanks(line);
	if (cur_empty(line))
		return false;
	if (*line->p == '"' && cur_quoted(line, cell))
		return true;
	*cell = cur_token(line);
	return true;
}

static bool said_of(struct cursor c, struct pair_result *x)
{
	static const char *const bad[] = {"fail", "failed", "error", "timeout", "down", "slow", "bad"};
	static const char *const good[] = {"ok", "good", "pass", "passed", "fine"};

	c = cur_trimmed(c);
	x->said = PAIR_VALUE;
	if (pair_results_value_of(c, &x->value))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (cur_is(c, bad[i]))
			return x->said = PAIR_BAD, true;
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		if (cur_is(c, good[i]))
			return x->said = PAIR_GOOD, true;
	return false;
}

/* What a heading, or the title of a benchmark, says of the values. */
static void pair_results_read_heading(struct pair_results *p, struct cursor c)
{
	static const char *const times[] = {"lat", "time", "usec", "(us)", "_us"}, *const both[] = {
											   "bidir",  "bibw",
											   "osu",    "hp2p",
											   "reduce", "busbw"};
	AUTO_FREE char *s = cur_clean(c, NAME_BYTES);

	for (char *at = s; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	for (size_t i = 0; i < ARRAY_LEN(times); i++)
		p->less = p->less || strstr(s, times[i]);
	for (size_t i = 0; i < ARRAY_LEN(both); i++)
		p->undirected = p->undirected || strstr(s, both[i]);
}

/* The next line that says something, without blanks at its ends. */
static bool next_line(struct lines *l, struct cursor *line)
{
	while (lines_next(l, line)) {
		*line = cur_trimmed(*line);
		if (cur_says(*line))
			return true;
	}
	return false;
}

static unsigned pair_results_cells_of(struct cursor line, char by)
{
	struct cursor cell;
	unsigned n = 0;

	while (next_cell(&line, by, &cell))
		n++;
	return n;
}

/*
 * The second line begins with the first name of the first line, which may have a cell above the names of the
 * rows.  In rows a value stands third.
 */
static bool is_matrix(const struct input *in)
{
	struct lines l = lines_of(in);
	struct cursor head, row, name, cell[3];
	struct pair_result x;

	if (!next_line(&l, &head) || !next_line(&l, &row))
		return false;
	char by = separator(head);
	unsigned n = pair_results_cells_of(head, by);
	unsigned more = pair_results_cells_of(row, by) == n + 1; /* no cell above */
	if (n < 2 || (!more && (n < 3 || pair_results_cells_of(row, by) != n)) || !next_cell(&row, by, &name))
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (i >= n || !next_cell(&head, by, &cell[i]))
			cell[i] = (struct cursor){name.p, name.p};
	return cur_same(cur_trimmed(cell[!more]), cur_trimmed(name)) && !said_of(cell[2], &x);
}

static int matrix_row(struct pair_results_reader *r, unsigned line_no, struct cursor line, char by,
		      const uint32_t *to, uint32_t n)
{
	struct cursor cell, whole = line;
	uint32_t i = 0;

	if (!next_cell(&line, by, &cell))
		return 0;
	uint32_t from = pair_results_name_of(r->p, cell);
	for (; next_cell(&line, by, &cell); i++) {
		struct pair_result x = {.a = from, .b = i < n ? to[i] : 0};

		if (i >= n)
			return pair_results_wrong(r, line_no, "as many values as names in the first line",
						  whole);
		if (said_of(cell, &x) && pair_results_add(r, x))
			return -1;
	}
	return i == n ? 0
		      : pair_results_wrong(r, line_no, "as many values as names in the first line", whole);
}

static int read_matrix(struct pair_results_reader *r)
{
	struct lines l = lines_of(r->in);
	struct cursor line, cell, first;
	AUTO_FREE uint32_t *to = NULL;
	uint32_t n = 0, cap = 0;
	int rc = 0;

	r->p->format = "matrix";
	next_line(&l, &line);
	char by = separator(line);
	bool above = next_line(&(struct lines){l.p, l.end, l.no, NULL}, &first) &&
		     pair_results_cells_of(line, by) == pair_results_cells_of(first, by);
	if (above && next_cell(&line, by, &cell)) /* above the names of the rows */
		pair_results_read_heading(r->p, cell);
	while (next_cell(&line, by, &cell) && n < HOSTS_MOST) {
		GROW(to, n, cap);
		to[n++] = pair_results_name_of(r->p, cell);
	}
	while (!rc && next_line(&l, &line))
		rc = matrix_row(r, l.no, line, by, to, n);
	return rc;
}

static int pair_results_read_rows(struct pair_results_reader *r)
{
	struct lines l = lines_of(r->in);
	struct cursor line, cell[4];
	bool first = true;

	r->p->format = "rows";
	while (next_line(&l, &line)) {
		struct cursor at = line;
		char by = separator(line);
		struct pair_result x = {.said = PAIR_BAD};
		unsigned n = 0;

		while (n < 4 && next_cell(&at, by, &cell[n]))
			n++;
		if (n < 2 || cur_empty(&cell[0]) || cur_empty(&cell[1]))
			return pair_results_wrong(r, l.no, "two names, and a value, `ok` or `fail`", line);
		if (n > 2 && !said_of(cell[2], &x)) {
			if (!first)
				return pair_results_wrong(r, l.no, "a value, `ok` or `fail`", cell[2]);
			pair_results_read_heading(r->p, cell[2]);
		} else if (!first || n > 2 ||
			   !(cur_is(cur_trimmed(cell[0]), "src") || cur_is(cur_trimmed(cell[0]), "from"))) {
			x.a = pair_results_name_of(r->p, cell[0]);
			x.b = pair_results_name_of(r->p, cell[1]);
			if (pair_results_add(r, x))
				return -1;
		}
		first = false;
	}
	return 0;
}

/* --- hp2p --------------------------------------------------------------------------------------------- */

/* var hostlist = ["a", "b", ]; var bandwidth = [[0.0, 1.0, ], [1.0, 0.0, ], ]; */
static int read_hp2p(struct pair_results_reader *r)
{
	struct cursor all = {r->in->data, r->in->data + r->in->size}, c = all, name;
	uint32_t n = 0, cap = 0, row = 0, column = 0;
	AUTO_FREE uint32_t *to = NULL;
	int rc = 0;

	r->p->format = "hp2p";
	r->p->undirected = true; /* ranks send to each other at a time */
	if (cur_behind(&c, "var hostlist") && cur_behind(&c, "["))
		while (cur_blanks(&c), cur_quoted(&c, &name) && n < HOSTS_MOST) {
			GROW(to, n, cap);
			to[n++] = pair_results_name_of(r->p, name);
			cur_char(&c, ',');
		}
	c = all;
	if (!n || !cur_behind(&c, "var bandwidth") || !cur_behind(&c, "[")) {
		return err_set_kind(r->e, ERR_INPUT, "%s: found no hostlist with a matrix of bandwidths",
				    r->in->name);
	}
	while (!rc && row < n && cur_behind(&c, "[")) {
		struct cursor line = cur_part(&c, ']'), cell;

		for (column = 0; !rc && line.p && column < n && next_cell(&line, ',', &cell); column++) {
			struct pair_result x = {.a = to[row], .b = to[column]};

			if (pair_results_value_of(cell, &x.value))
				rc = pair_results_add(r, x);
		}
		row++;
	}
	if (!rc && row < n)
		rc = err_set_kind(r->e, ERR_INPUT, "%s: found %u rows of bandwidths, expected %u",
				  r->in->name, row, n);
	return rc;
}

/* --- logs of runs, one after the other ---------------------------------------------------------------- */

#define RUN_HOSTS_MOST 4096

struct pair_results_run {
	uint32_t host[RUN_HOSTS_MOST], n;
	bool measured, back; /* the second host sent to the first */
	double value;
};

/* Each host sends to the next one of its ranks; what was measured is of all of them together. */
static int pair_results_end_run(struct pair_results_reader *r, struct pair_results_run *run)
{
	const uint32_t n = run->measured && run->n > 1 ? run->n : 0;
	/* two without a direction, or one alone that sends */
	const uint32_t ways = n == 2 && !r->p->undirected ? 1 : n;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < ways; i++)
		rc = pair_results_add(r, (struct pair_result){.a = run->host[(i + run->back) % n],
							      .b = run->host[(i + 1 + run->back) % n],
							      .value = run->value,
							      .joined = i > 0});
	run->n = 0;
	run->measured = run->back = false;
	return rc;
}

static void pair_results_run_host(struct pair_results *p, struct pair_results_run *run, struct cursor name)
{
	uint32_t host = pair_results_name_of(p, name);

	if (run->n < RUN_HOSTS_MOST && (!run->n || run->host[run->n - 1] != host))
		run->host[run->n++] = host;
}

/* nccl-tests: its hosts by rank, and the value that ends a run. */
static bool pair_results_nccl_line(struct pair_results_reader *r, struct pair_results_run *run,
				   struct cursor line)
{
	struct cursor at = line;

	if (cur_char(&at, '#') && cur_word(&at, "Rank ") && cur_behind(&at, " Pid ") &&
	    cur_behind(&at, " on "))
		pair_results_run_host(r->p, run, cur_token(&at));
	at = line;
	return cur_behind(&at, "# Avg bus bandwidth") && cur_char(&at, ':') &&
	       pair_results_value_of(at, &run->value);
}

/* ib_write_bw and its kin: the LID of a line "local address: LID 0x0a ...", in decimal as LIDs are named. */
static void pair_results_run_lid(struct pair_results *p, struct pair_results_run *run, struct cursor at)
{
	uint64_t v;
	char lid[8];

	if (!cur_behind(&at, "address:") || !cur_behind(&at, "LID 0x") || !cur_number(&at, 16, &v) || !v)
		return;
	snprintf(lid, sizeof(lid), "%u", (unsigned)(v & 0xffff));
	pair_results_run_host(p, run, cur_text(lid));
}

/* osu_bw and its kin: two hosts alone in a line, or behind an option of the command that starts it. */
static void pair_results_two_hosts(struct pair_results_reader *r, struct pair_results_run *run,
				   struct cursor line)
{
	static const char *const option[] = {" -H ", " -w ", "host ", "nodelist "};
	struct cursor cell[3], at;
	unsigned n = 0;
	double v;

	for (size_t i = 0; i < ARRAY_LEN(option); i++)
		if (at = line, cur_behind(&at, option[i]))
			line = cur_token(&at);
	for (char by = separator(line); n < 3 && next_cell(&line, by, &cell[n]); n++)
		;
	if (n != 2 || pair_results_value_of(cell[0], &v))
		return;
	run->n = 0;
	for (unsigned i = 0; i < n; i++)
		pair_results_run_host(r->p, run, cell[i]);
}

/* A row of sizes: its value in that column, from 0. */
static bool pair_results_sized(struct cursor line, unsigned column, double *value)
{
	struct cursor cell;
	double v = 0;

	for (column++; column && next_cell(&line, ' ', &cell) && pair_results_value_of(cell, &v); column--)
		;
	*value = column ? *value : v;
	return !column;
}

/* The last size of a run counts.  The client of perftest sends, unless it reads. */
static int pair_results_read_runs(struct pair_results_reader *r, const char *format)
{
	const bool nccl = !strcmp(format, "nccl-tests"), osu = !strcmp(format, "osu");
	struct lines l = lines_of(r->in);
	struct pair_results_run run = {.n = 0};
	bool server = false, reads = false, begun = false;
	struct cursor line;
	int rc = 0;

	r->p->format = format;
	r->p->undirected = nccl;
	while (!rc && lines_next(&l, &line)) {
		unsigned column = r->p->less ? 4 : 3;

		if (cur_find(&line, "# nThread")) {
			run.n = 0;
		} else if (cur_find(&line, " BW Test") || cur_find(&line, " Latency Test") ||
			   cur_find(&line, "# OSU MPI")) {
			pair_results_read_heading(r->p, line);
			r->p->undirected = r->p->undirected || r->p->less;
			reads = cur_find(&line, "Read") != NULL;
			begun = true;
		} else if (cur_find(&line, "Waiting for client")) {
			server = true;
		} else if (nccl) {
			run.measured = pair_results_nccl_line(r, &run, line);
			rc = run.measured ? pair_results_end_run(r, &run) : 0;
		} else if (pair_results_sized(line, osu ? 1 : column, &run.value)) {
			run.measured = true;
		} else if (osu && (!begun || run.measured)) {
			rc = run.measured ? pair_results_end_run(r, &run) : 0;
			begun = false;
			pair_results_two_hosts(r, &run, line);
		} else if (!osu && cur_find(&line, "local address:")) {
			rc = pair_results_end_run(r, &run);
			pair_results_run_lid(r->p, &run, line);
			run.back = server != reads;
			server = false;
		} else if (run.n == 1 && cur_find(&line, "remote address:")) {
			pair_results_run_lid(r->p, &run, line);
		}
	}
	return rc ? rc : pair_results_end_run(r, &run);
}

/* ------------------------------------------------------------------------------------------------------ */

static bool pair_results_has(const struct input *in, const char *text)
{
	struct cursor c = {in->data, in->data + in->size};

	return cur_find(&c, text) != NULL;
}

int pair_results_parse(const struct input *in, struct pair_results *p, struct err *e)
{
	struct pair_results_reader r = {p, in, e};

	*p = (struct pair_results){0};
	static const char *const logs[][2] = {{"# Avg bus bandwidth", "nccl-tests"},
					      {"# nThread ", "nccl-tests"},
					      {"remote address: LID", "perftest"},
					      {"# OSU MPI", "osu"}};
	size_t log = 0;
	int rc;

	while (log < ARRAY_LEN(logs) && !pair_results_has(in, logs[log][0]))
		log++;
	if (pair_results_has(in, "var hostlist"))
		rc = read_hp2p(&r);
	else if (log < ARRAY_LEN(logs))
		rc = pair_results_read_runs(&r, logs[log][1]);
	else
		rc = is_matrix(in) ? read_matrix(&r) : pair_results_read_rows(&r);
	if (!rc && progress_cancelled(in->progress))
		return err_set(e, CANCELLED);
	if (!rc && !p->n)
		return err_set_kind(e, ERR_INPUT, "%s: found no pair of hosts (%s)", in->name, p->format);
	return rc;
}

int pair_results_load(const char *path, struct pair_results *p, struct progress *pr, struct err *e)
{
	AUTO_FREE char *data = NULL;
	size_t size;

	*p = (struct pair_results){0};
	if (read_packed_list(path, pr, &data, &size, e))
		return -1;
	return pair_results_parse(&(struct input){path, data, size, pr}, p, e);
}

void pair_results_free(struct pair_results *p)
{
	for (uint32_t i = 0; i < p->n_names; i++)
		free(p->name[i]);
	free(p->name);
	free(p->slot);
	free(p->pair);
	*p = (struct pair_results){0};
}
