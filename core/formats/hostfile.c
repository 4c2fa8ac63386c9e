#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/formats/cabling.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 64    /* of a line of a table */
#define JOBS_TOLD 5 /* jobs listed in the message that there is no such job */

/* What a file may say about a job. */
enum role { LIST, COUNT, STATE, ID, ARRAY, TASK, NAME, PARTITION, ROLES };

static const struct {
	const char *heading, *key; /* in a table; in scontrol's records */
	enum role role;
} roles[] = {
	{"NODELIST", "NodeList=", LIST}, {"NODELIST(REASON)", NULL, LIST},
	{"NODES", "NumNodes=", COUNT},	 {"NNODES", NULL, COUNT},
	{"ST", "JobState=", STATE},	 {"STATE", NULL, STATE},
	{"JOBID", "JobId=", ID},	 {"ARRAY_JOB_ID", "ArrayJobId=", ARRAY},
	{NULL, "HetJobId=", ARRAY},	 {"ARRAY_TASK_ID", "ArrayTaskId=", TASK},
	{"NAME", "JobName=", NAME},	 {"JOBNAME", NULL, NAME},
	{"PARTITION", NULL, PARTITION},
};

struct record {
	struct cursor value[ROLES];
	unsigned line;
	bool fills; /* the list fills its column: without a number of hosts, it may be cut */
};

struct hostfile_reader {
	const struct input *in;
	const char *job;
	struct hostlist *l;
	struct job_list *each; /* not NULL: l is the list of one of these jobs at a time */
	size_t n_hosts;	       /* of all of them */
	struct text jobs;      /* the first ones that were not asked for */
	struct cursor other;   /* the last one of these */
	unsigned n_jobs, n_found;
	struct record idle; /* the last requested job without hosts */
};

/* --- lists ------------------------------------------------------------------------------------------ */

/* Sorts the names, and keeps each once. */
static void hostfile_tidy(struct hostlist *l)
{
	size_t n = 0;

	if (l->n)
		qsort(l->name, l->n, sizeof(*l->name), order_texts);
	for (size_t i = 0; i < l->n; i++)
		if (n && !strcmp(l->name[n - 1], l->name[i]))
			free(l->name[i]);
		else
			l->name[n++] = l->name[i];
	l->n = n;
}

/* The number of names, each counted once. */
static size_t distinct(const struct hostlist *l)
{
	AUTO_FREE char **name = NEW_ARRAY(l->n + 1, char *);
	size_t n = 0;

	memcpy(name, l->name, l->n * sizeof(*name));
	if (l->n)
		qsort(name, l->n, sizeof(*name), order_texts);
	for (size_t i = 0; i < l->n; i++)
		n += !i || strcmp(name[i - 1], name[i]) != 0;
	return n;
}

/* Add the hosts of a list. *n: their number. */
static int hostfile_add_list(struct hostfile_reader *r, struct cursor c, unsigned line, uint64_t *n,
			     struct err *e)
{
	AUTO_FREE char *text = cur_clean(c, SIZE_MAX);
	struct hostlist one;
	struct err why;

	if (hostlist_read(text, &one, &why))
		return err_set(e, "%s:%u: %s", r->in->name, line, why.msg);
	*n = distinct(&one);
	r->n_hosts += one.n;
	for (size_t i = 0; i < one.n; i++) {
		GROW(r->l->name, r->l->n, r->l->cap);
		r->l->name[r->l->n++] = one.name[i];
	}
	free(one.name);
	if (!r->each && r->l->n > 2 * (size_t)HOSTLIST_MOST)
		hostfile_tidy(r->l);
	if (r->each && r->n_hosts > JOBS_HOSTS_MOST)
		return err_set_kind(e, ERR_LIMIT, "%s:%u: found more than %d hosts of all jobs", r->in->name,
				    line, JOBS_HOSTS_MOST);
	if (!r->each && r->l->n > 2 * (size_t)HOSTLIST_MOST)
		return err_set_kind(e, ERR_LIMIT, "%s:%u: found more than %d hosts", r->in->name, line,
				    HOSTLIST_MOST);
	return 0;
}

/* Does it end within brackets, or with sacct's mark for a cut? */
static bool ends_early(struct cursor c)
{
	int open = 0;

	assert(!cur_empty(&c));
	for (const char *p = c.p; p < c.end; p++)
		open += (*p == '[') - (*p == ']');
	return open > 0 || memchr(",-+", c.end[-1], 3);
}

/* --- jobs ------------------------------------------------------------------------------------------- */

static int cut(const struct hostfile_reader *r, const struct record *x, struct err *e)
{
	char found[48];

	return err_set(e,
		       "%s:%u: found hosts \"%s\"; the list may be cut off; expected all hosts, as `squeue "
		       "-o '%%i %%D %%N'` prints them",
		       r->in->name, x->line, excerpt(x->value[LIST], found, sizeof(found)));
}

static bool is_job(const struct record *x, const char *job)
{
	const struct cursor *v = x->value;
	size_t len = strlen(job);
	bool is = cur_is(v[ID], job) || cur_is(v[ARRAY], job) || cur_is(v[NAME], job);
	AUTO_FREE char *task = str_printf("%.*s_%.*s", CUR_ARGS(v[ARRAY]), CUR_ARGS(v[TASK]));

	is |= !strcmp(task, job);
	is |= cur_len(v[ID]) > len && memchr("_+", v[ID].p[len], 2) && !strncmp(v[ID].p, job, len);
	if (cur_empty(&v[ID]) && cur_empty(&v[NAME]))
		is |= cur_is(v[PARTITION], job) ||
		      (cur_len(v[PARTITION]) == len + 1 && v[PARTITION].p[len] == '*' &&
		       !strncmp(v[PARTITION].p, job, len)); /* "*": the default partition */
	return is;
}

/* By what a job is named first. */
static struct cursor hostfile_name_of(const struct record *x)
{
	const struct cursor *v = x->value;

	if (!cur_empty(&v[ID]))
		return v[ID];
	return cur_empty(&v[NAME]) ? v[PARTITION] : v[NAME];
}

/* The next lists are of this job. */
static void begin_job(struct hostfile_reader *r, struct cursor name, struct cursor title, unsigned line)
{
	struct job_list *j = r->each;

	assert(j);
	GROW(j->job, j->n, j->cap);
	j->job[j->n] =
		(struct job_hosts){.name = cur_clean(name, SIZE_MAX),
				   .title = cur_empty(&title) ? str_dup("") : cur_clean(title, SIZE_MAX),
				   .line = line};
	r->l = &j->job[j->n++].hosts;
}

static int take_record(struct hostfile_reader *r, const struct record *x, struct err *e)
{
	struct cursor list = x->value[LIST], state = x->value[STATE], count = x->value[COUNT];
	bool leaving = cur_is(state, "CG") || cur_is(state, "COMPLETING"); /* some hosts are free again */
	struct cursor name = hostfile_name_of(x);
	uint64_t n, all;
	char found[48];

	if (r->job && !is_job(x, r->job)) {
		if ((cur_empty(&name) || !cur_same(name, r->other)) && r->n_jobs++ < JOBS_TOLD)
			text_add(&r->jobs, "%s%s", r->jobs.len ? ", " : "",
				 excerpt(name, found, sizeof(found)));
		r->other = name;
		return 0;
	}
	r->n_found++;
	if (cur_empty(&list) || *list.p == '(' || cur_is(list, "N/A") || cur_is(list, "None") ||
	    cur_is(list, "None assigned")) { /* a reason instead of hosts, or nothing */
		if (cur_empty(&list) && (cur_is(state, "R") || cur_is(state, "RUNNING")))
			return err_set(e, "%s:%u: found a running job without hosts, expected them in %s",
				       r->in->name, x->line, "its line or record (is it cut off?)");
		r->idle = *x;
		return 0;
	}
	count.end = cur_find(&count, "-") ? cur_find(&count, "-") : count.end; /* "2-2" */
	if (!number_of_part(count.p, cur_len(count), 0, UINT64_MAX, &all))
		all = UINT64_MAX;
	if (ends_early(list) || (all == UINT64_MAX && x->fills))
		return cut(r, x, e);
	if (r->each) {
		const char *dot = cur_find(&name, ".");

		if (cur_empty(&name))
			return err_set(e, "%s:%u: found hosts of no job, expected a column JOBID or NAME",
				       r->in->name, x->line);
		name.end = dot && dot > name.p && name.p == x->value[ID].p ? dot : name.end;
		begin_job(r, name, x->value[NAME], x->line);
	}
	if (hostfile_add_list(r, list, x->line, &n, e))
		return -1;
	if (n == all || all == UINT64_MAX || leaving)
		return 0;
	return err_set(
		e,
		"%s:%u: found a list of %" PRIu64 " hosts, but the job has %" PRIu64
		": one of the two is cut off; expected all hosts, as `squeue -o '%%i %%D %%N'` prints them",
		r->in->name, x->line, n, all);
}

/* --- tables ----------------------------------------------------------------------------------------- */

struct hostfile_table {
	struct cursor line, word[WORDS]; /* of the heading */
	unsigned n;
	bool bars;     /* columns are separated by '|' */
	int at[ROLES]; /* column, -1: none */
};

static unsigned hostfile_split(struct cursor line, bool bars, struct cursor word[WORDS])
{
	unsigned n = 0;

	while (!bars && n < WORDS && (word[n] = cur_token(&line), !cur_empty(&word[n])))
		n++;
	for (bool more = true; bars && n < WORDS && more; n++) {
		struct cursor one = cur_part(&line, '|');

		more = one.end != line.end;
		word[n] = cur_trimmed(one);
	}
	return n;
}

static bool hostfile_read_heading(struct cursor line, struct hostfile_table *t)
{
	*t = (struct hostfile_table){.line = line, .bars = memchr(line.p, '|', cur_len(line))};
	t->n = hostfile_split(line, t->bars, t->word);
	memset(t->at, 0xff, sizeof(t->at));
	for (unsigned i = 0; i < t->n; i++)
		for (size_t k = 0; k < ARRAY_LEN(roles); k++)
			if (roles[k].heading && cur_is(t->word[i], roles[k].heading) &&
			    t->at[roles[k].role] < 0)
				t->at[roles[k].role] = (int)i;
	return t->at[LIST] >= 0;
}

/*
 * Finds the text of each column. If names have blanks, or a column is empty, the place in the line decides. A
 * word under no heading belongs to the next word if that is right-aligned. False: more '|' than in the
 * heading.
 */
static bool read_columns(const struct hostfile_table *t, struct cursor line, struct cursor column[WORDS])
{
	struct cursor word[WORDS];
	unsigned n = hostfile_split(line, t->bars, word), behind = 0;
	bool right = false; /* the next word is right-aligned with its heading */

	if (t->bars && n != t->n)
		return false;
	memset(column, 0, WORDS * sizeof(*column));
	for (unsigned i = n; i-- > 0;) {
		size_t away = 0;
		unsigned k = i;

		if (!t->bars && n != t->n) {
			/* the column whose heading is above the word, or nearest */
			size_t from = (size_t)(word[i].p - line.p), to = (size_t)(word[i].end - line.p);

			away = SIZE_MAX;
			for (unsigned j = 0; j < t->n; j++) {
				size_t begin = (size_t)(t->word[j].p - t->line.p);
				size_t end = (size_t)(t->word[j].end - t->line.p);
				size_t d = 0;

				if (to <= begin)
					d = begin - to + 1;
				else if (from >= end)
					d = from - end + 1;
				k = d < away ? j : k;
				away = MIN(d, away);
			}
		}
		if (n != t->n && away && right)
			k = behind;
		else
			right = word[i].end - line.p == t->word[k].end - t->line.p;
		column[k] = (struct cursor){word[i].p, column[k].end ? column[k].end : word[i].end};
		behind = k;
	}
	return true;
}

/*
 * Does the list fill its column? A column of fixed width ends where the next heading begins, where the
 * heading's line ends with blanks, or, if right-aligned, where its heading ends.
 */
static bool fills_column(const struct hostfile_table *t, struct cursor line,
			 const struct cursor column[WORDS])
{
	unsigned k = (unsigned)t->at[LIST];
	struct cursor list = column[k], head = t->word[k];
	size_t from = (size_t)(list.p - line.p), to = (size_t)(list.end - line.p), before = 0;
	size_t begin = (size_t)(head.p - t->line.p), end = (size_t)(head.end - t->line.p);
	size_t width = k + 1 < t->n ? (size_t)(t->word[k + 1].p - t->line.p) : cur_len(t->line);

	assert(t->at[LIST] >= 0);
	if (t->bars || cur_empty(&list))
		return false;
	if (k && !cur_empty(&column[k - 1]))
		before = (size_t)(column[k - 1].end - line.p);
	if (k && (size_t)(t->word[k - 1].end - t->line.p) > before)
		before = (size_t)(t->word[k - 1].end - t->line.p);
	if (to == end && from < begin)
		return from >= before && from - before <= 1;
	return from == begin && width > end && to + 1 >= width;
}

static bool is_rule(struct cursor line)
{
	for (; line.p < line.end; line.p++)
		if (!memchr("-+| \t", *line.p, 5))
			return false;
	return true;
}

static int hostfile_read_table(struct hostfile_reader *r, struct lines *lines, struct hostfile_table *t,
			       struct err *e)
{
	struct cursor line, column[WORDS];
	struct hostfile_table again;

	while (lines_next(lines, &line)) {
		struct record x = {.line = lines->no};
		struct cursor rest = line;

		if (hostfile_read_heading(line, &again)) {
			*t = again;
			continue;
		}
		if (is_rule(line) || cur_word(&rest, "CLUSTER:")) /* or an empty line */
			continue;
		if (!read_columns(t, line, column))
			return err_set(e,
				       "%s:%u: found another number of '|' than in the heading, expected %u",
				       r->in->name, lines->no, t->n - 1);
		for (int i = 0; i < ROLES; i++)
			if (t->at[i] >= 0)
				x.value[i] = column[t->at[i]];
		rest = x.value[ID];
		x.value[ID] = cur_token(&rest); /* one word, so that no name's beginning is taken */
		x.fills = fills_column(t, line, column);
		if (take_record(r, &x, e))
			return -1;
	}
	return 0;
}

/* --- records, lists ----------------------------------------------------------------------------------- */

static bool hostfile_takes(struct cursor word, const char *key, struct cursor *value)
{
	size_t len = strlen(key);

	if (cur_len(word) < len || strncmp(word.p, key, len) != 0)
		return false;
	*value = (struct cursor){word.p + len, word.end};
	return true;
}

static int read_records(struct hostfile_reader *r, struct lines *lines, struct err *e)
{
	struct record x = {.line = 0};
	struct cursor line, word, value;

	while (lines_next(lines, &line)) {
		struct cursor rest = line;

		while (word = cur_token(&rest), !cur_empty(&word)) {
			if (hostfile_takes(word, "JobId=", &value)) {
				if (x.line && take_record(r, &x, e))
					return -1;
				x = (struct record){.line = lines->no,
						    .fills = true}; /* NumNodes comes later */
			}
			for (size_t k = 0; k < ARRAY_LEN(roles); k++)
				if (roles[k].key && hostfile_takes(word, roles[k].key, &value))
					x.value[roles[k].role] = value;
			if (hostfile_takes(word, "JobName=", &value)) { /* may have blanks */
				const char *end = cur_find(&rest, " UserId=");

				x.value[NAME].end = end ? end : line.end;
				rest.p = x.value[NAME].end;
			}
		}
	}
	return x.line ? take_record(r, &x, e) : 0;
}

/* A word with other bytes than lists of hosts have. */
static bool is_no_list(struct cursor list)
{
	bool good = true;

	for (const char *p = list.p; p < list.end; p++)
		good &= isalnum((unsigned char)*p) || memchr("-_.,[]", *p, 6);
	return !good;
}

static int read_lists(struct hostfile_reader *r, struct lines *lines, struct err *e)
{
	struct cursor line, list, word;
	char found[48];
	uint64_t n;
	bool good = true;

	while (lines_next(lines, &line)) {
		struct cursor rest = line;

		if (!cur_says(line))
			continue;
		list = cur_token(&rest);
		good &= !is_no_list(list);
		while (word = cur_token(&rest), !cur_empty(&word) && *word.p != '#')
			good &= memchr(word.p, '=', cur_len(word)) != NULL;
		if (!good)
			return err_set(e,
				       "%s:%u: found \"%s\", expected hosts: a name or a list as "
				       "luna-[0160-0175] a line, "
				       "or what squeue or `scontrol show job` prints, with its heading",
				       r->in->name, lines->no, excerpt(line, found, sizeof(found)));
		if (ends_early(list))
			return cut(r, &(struct record){.value[LIST] = list, .line = lines->no}, e);
		if (hostfile_add_list(r, list, lines->no, &n, e))
			return -1;
	}
	if (r->job && r->l->n)
		return err_set(
			e, "%s: this is a list of hosts without jobs; expected no job after the file's name",
			r->in->name);
	return 0;
}

/* Lines NAME HOSTS... */
static int read_jobs(struct hostfile_reader *r, struct lines *lines, struct err *e)
{
	struct cursor line, list;
	char found[48];
	uint64_t n;

	while (lines_next(lines, &line)) {
		struct cursor rest = line, name;
		bool any = false;

		if (!cur_says(line))
			continue;
		name = cur_token(&rest);
		begin_job(r, name, (struct cursor){0}, lines->no);
		r->n_found++;
		while (list = cur_token(&rest), !cur_empty(&list) && *list.p != '#') {
			any = true;
			if (is_no_list(list))
				return err_set(
					e,
					"%s:%u: found \"%s\", expected a host or a list as luna-[0160-0175]",
					r->in->name, lines->no, excerpt(list, found, sizeof(found)));
			if (ends_early(list))
				return cut(r, &(struct record){.value[LIST] = list, .line = lines->no}, e);
			if (hostfile_add_list(r, list, lines->no, &n, e))
				return -1;
		}
		if (!any)
			return err_set(e,
				       "%s:%u: found \"%s\" alone, expected NAME HOSTS..., or what squeue or "
				       "`scontrol "
				       "show job` prints, with its heading",
				       r->in->name, lines->no, excerpt(name, found, sizeof(found)));
	}
	return 0;
}

/* --- all -------------------------------------------------------------------------------------------- */

/* The first line with content shows the form; one or two lines may stand before a heading. */
static int read_form(struct hostfile_reader *r, struct err *e)
{
	struct lines lines = lines_of(r->in), start = lines;
	struct cursor line, first;
	struct hostfile_table t;
	unsigned n = 0;

	while (n < 3 && lines_next(&lines, &line)) {
		first = line;
		if (cur_word(&first, "JobId="))
			return read_records(r, &start, e);
		if (hostfile_read_heading(line, &t))
			return hostfile_read_table(r, &lines, &t, e);
		n += !is_rule(line);
	}
	return r->each ? read_jobs(r, &start, e) : read_lists(r, &start, e);
}

int hostfile_read(const struct input *in, const char *job, struct hostlist *l, struct err *e)
{
	struct hostfile_reader r = {.in = in, .job = job, .l = l};
	char why[48];

	*l = (struct hostlist){0};
	int rc = read_form(&r, e);
	hostfile_tidy(l);
	if (!rc && progress_cancelled(in->progress))
		rc = err_set(e, CANCELLED);
	if (!rc && l->n > HOSTLIST_MOST)
		rc = err_set_kind(e, ERR_LIMIT, "%s: found more than %d hosts", in->name, HOSTLIST_MOST);
	if (!rc && job && !r.n_found)
		rc = err_set(e, "%s: found no job \"%s\", expected one of the %u that are there: %s%s",
			     in->name, job, r.n_jobs, text_str(&r.jobs), r.n_jobs > JOBS_TOLD ? ", ..." : "");
	else if (!rc && !l->n && r.n_found)
		rc = err_set(e, "%s:%u: found no hosts: %s; expected those of a job that runs", in->name,
			     r.idle.line, excerpt(r.idle.value[LIST], why, sizeof(why)));
	else if (!rc && !l->n)
		rc = err_set(e, "%s: found no host, expected some", in->name);
	text_free(&r.jobs);
	if (rc)
		hostlist_free(l);
	return rc;
}

/* Jobs that are named twice become one, in the place of the first. */
struct hostfile_named {
	const char *name;
	size_t at;
};

COMPARATOR(by_name, struct hostfile_named, TEXT(name) UP(at))

static void job_hosts_free(struct job_hosts *j)
{
	hostlist_free(&j->hosts);
	free(j->name);
	free(j->title);
}

static void join_jobs(struct job_list *j)
{
	AUTO_FREE struct hostfile_named *order = NEW_ARRAY(j->n + 1, struct hostfile_named);
	size_t first = 0, n = 0;

	for (size_t i = 0; i < j->n; i++)
		order[i] = (struct hostfile_named){j->job[i].name, i};
	if (j->n)
		qsort(order, j->n, sizeof(*order), by_name);
	for (size_t i = 1; i < j->n; i++) {
		struct job_hosts *to = &j->job[order[first].at], *from = &j->job[order[i].at];

		if (strcmp(to->name, from->name) != 0) {
			first = i;
			continue;
		}
		for (size_t k = 0; k < from->hosts.n; k++) {
			GROW(to->hosts.name, to->hosts.n, to->hosts.cap);
			to->hosts.name[to->hosts.n++] = from->hosts.name[k];
		}
		from->hosts.n = 0;
	}
	for (size_t i = 0; i < j->n; i++)
		if (j->job[i].hosts.n) {
			j->job[n++] = j->job[i];
		} else {
			job_hosts_free(&j->job[i]);
		}
	j->n = n;
}

int hostfile_each(const struct input *in, struct job_list *jobs, struct err *e)
{
	struct hostlist none = {0};
	struct hostfile_reader r = {.in = in, .l = &none, .each = jobs};

	*jobs = (struct job_list){0};
	int rc = read_form(&r, e);
	if (!rc && progress_cancelled(in->progress))
		rc = err_set(e, CANCELLED);
	if (!rc)
		join_jobs(jobs);
	if (!rc && !jobs->n)
		rc = err_set(e,
			     "%s: found no job with hosts, expected lines NAME HOSTS..., or what squeue or "
			     "`scontrol show job` prints",
			     in->name);
	if (rc)
		job_list_free(jobs);
	return rc;
}

void job_list_free(struct job_list *jobs)
{
	for (size_t i = 0; i < jobs->n; i++)
		job_hosts_free(&jobs->job[i]);
	free(jobs->job);
	*jobs = (struct job_list){0};
}
