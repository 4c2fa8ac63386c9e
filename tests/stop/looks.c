/*
 * How much does a command work without looking whether it was cancelled, and does it end when it was?
 * Program of the tests in tests/stop.
 *
 *	looks COMMANDS...
 *
 * (@FILE: the commands in the file, one line) runs them one after the other in one session.  Each that looks
 * more than a few times is run once more and cancelled half way through its looks; not one with ! before it,
 * which can be done only once.  -FILE removes it.  Prints for each a line of fields with tabs between them:
 *
 *	COMMAND		as given
 *	WORK		thousands of basic blocks run in the longest stretch between two looks of a thread
 *	WHAT		it was doing then
 *	FROM TO		where those two looks were made, for a debugger
 *	LOOKS		how often it looked
 *	MESSAGE		of its failure
 *	AFTER		looks behind the cancelling; -: not cancelled
 *	MESSAGE		of the cancelled run
 *	CHANGED		what is not as it was before, of cancelled runs: "tables", "LIDs", "SLs", "state",
 *			"journal"; LOOK at which it was cancelled
 *	ALL		thousands of basic blocks of the whole run, of all threads that looked
 *
 * With MOMENTS=N in the environment it is also cancelled at N of its looks drawn by SEED; 0.3: of three
 *commands in ten at one.
 *
 * Behind ?FILE each command is run once, and cancelled when it waited for that file.  Of each:
 *
 *	COMMAND		as given
 *	ENDED		"waited" or "itself"
 *	NAMED		"named": the message, or what was printed, names FILE; "-"
 *	CHANGED		as above, of a command that failed
 *	MESSAGE		of its failure
 *
 * The functions that look are replaced when this is linked (--wrap).  The compiler put a call into each basic
 * block of the program (-fsanitize-coverage=trace-pc): work is counted, not timed, and is the same in each
 * run.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/session/core_commands.h"
#include "core/session/session.h"
#include "core/sm/sweep.h"
#include "core/routing/routing.h"
#include "core/sm/options.h"
#include "engines/engines.h"
#include "views/views.h"

#define FEW 8

static double moments;

bool __real_progress_step(struct progress *p, unsigned done);
bool __real_progress_cancelled(const struct progress *p);
bool __wrap_progress_step(struct progress *p, unsigned done);
bool __wrap_progress_cancelled(const struct progress *p);
void __sanitizer_cov_trace_pc(void);
int __real_poll(struct pollfd *fds, nfds_t n, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t n, int ms);

static struct {
	struct progress progress;
	unsigned long looks, stop_at, after; /* stop_at: 0 = never */
	unsigned long worst, all;
	void *before, *behind; /* around the longest stretch */
	const char *what;
	pthread_mutex_t lock; /* commands may work in several threads */
} t = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What this thread did since it looked last, and where that was. */
static _Thread_local struct {
	unsigned long work;
	void *from;
} since;

void __sanitizer_cov_trace_pc(void)
{
	since.work++;
}

static void look(void *from)
{
	pthread_mutex_lock(&t.lock);
	t.all += since.work;
	if (since.work > t.worst) {
		t.worst = since.work;
		t.before = since.from;
		t.behind = from;
		t.what = atomic_load(&t.progress.what);
	}
	since.from = from;
	since.work = 0;
	t.looks++;
	t.after += atomic_load(&t.progress.cancel);
	if (t.looks == t.stop_at)
		atomic_store(&t.progress.cancel, true);
	pthread_mutex_unlock(&t.lock);
}

bool __wrap_progress_step(struct progress *p, unsigned done)
{
	look(__builtin_return_address(0));
	return __real_progress_step(p, done);
}

bool __wrap_progress_cancelled(const struct progress *p)
{
	look(__builtin_return_address(0));
	return __real_progress_cancelled(p);
}

/* --- waiting for a file --------------------------------------------------------------------- */

static struct {
	const char *file; /* NULL: none is looked at */
	bool yes;
} waited;

/* Is it waited for?  Its descriptor is open, or it is a FIFO that cannot be opened yet. */
static bool is_wait(const struct pollfd *fds, nfds_t n)
{
	struct stat st, asked;

	if (!waited.file || stat(waited.file, &asked) || !S_ISFIFO(asked.st_mode))
		return false;
	return n ? !fstat(fds->fd, &st) && st.st_ino == asked.st_ino && st.st_dev == asked.st_dev : true;
}

int __wrap_poll(struct pollfd *fds, nfds_t n, int ms)
{
	int rc = __real_poll(fds, n, ms);

	if (!rc && is_wait(fds, n)) {
		waited.yes = true;
		atomic_store(&t.progress.cancel, true);
	}
	return rc;
}

static int run_to(struct interpreter *in, const char *command, FILE *f, struct err *e)
{
	struct command_run r = {.in = in, .f = f, .errors = f, .progress = &t.progress};
	int rc;

	t.looks = t.after = 0;
	t.worst = t.all = 0;
	since.from = t.before = t.behind = NULL;
	since.work = 0;
	t.what = NULL;
	atomic_store(&t.progress.cancel, false);
	rc = run_text(&r, command, e);
	look(NULL);
	t.looks--;
	return rc;
}

static int run(struct interpreter *in, const char *command, struct err *e)
{
	FILE *nowhere = fopen("/dev/null", "w");
	int rc = run_to(in, command, nowhere, e);

	fclose(nowhere);
	return rc;
}

/* Run, and cancel at the given look; 0: not at all. */
static const char *try(struct interpreter *in, const char *command, unsigned long stop_at, struct err *e)
{
	t.stop_at = stop_at;
	e->msg[0] = 0;
	return run(in, command, e) ? e->msg : "";
}

/* --- what a cancelled command must leave as it was ---------------------------------------- */

enum { TABLES, LIDS, SLS, STATE, JOURNAL, N_PARTS };

struct held_parts {
	uint64_t of[N_PARTS];
};

static void add(uint64_t *sum, const void *data, size_t size)
{
	const uint8_t *byte = data;

	for (size_t i = 0; i < size; i++)
		*sum = (*sum ^ byte[i]) * 0x100000001b3u;
}

static void add_routing(struct held_parts *p, const struct routing *r)
{
	unsigned most = r->lids->max_lid;

	for (uint32_t sw = 0; sw < r->topo->fabric->n_switches; sw++)
		if (r->row[sw])
			add(&p->of[TABLES], r->row[sw]->port, r->row[sw]->top + 1u);
	for (unsigned i = 0; i < 5000 && most > 1; i++) {
		unsigned a = 1 + i * 7919u % most, b = 1 + i * 104729u % most;
		bool ends = lid_owner(r->lids, a) != NO_ID && lid_owner(r->lids, b) != NO_ID;
		struct sl_range sl = ends ? routing_sl(r, a, b) : (struct sl_range){0, 0};

		add(&p->of[SLS], &sl, sizeof(sl));
	}
	add(&p->of[TABLES], r->engine, strlen(r->engine));
	add(&p->of[LIDS], r->lids->base, r->lids->n_endports * sizeof(*r->lids->base));
	add(&p->of[LIDS], r->lids->count, r->lids->n_endports * sizeof(*r->lids->count));
}

static struct held_parts parts_of(const struct session *s)
{
	const struct state *st = s->fabric ? session_event(s)->setup->state : NULL;
	const struct routing *r = s->fabric ? session_routing(s) : NULL;
	struct held_parts p = {{0}};

	if (st) {
		add(&p.of[STATE], st->link_down, st->n_links);
		add(&p.of[STATE], st->node_down, st->n_nodes);
		add(&p.of[STATE], s->fabric->source, strlen(s->fabric->source));
	}
	if (r)
		add_routing(&p, r);
	add(&p.of[JOURNAL], &s->at, sizeof(s->at));
	add(&p.of[JOURNAL], &s->n_events, sizeof(s->n_events));
	for (size_t i = 0; i < s->n_events; i++)
		if (s->event[i].text)
			add(&p.of[JOURNAL], s->event[i].text, strlen(s->event[i].text));
	return p;
}

static const char *const part_name[] = {"tables", "LIDs", "SLs", "state", "journal"};

/* Cancel at that look, and tell what is different then. */
static const char *cancelled_at(struct interpreter *in, const char *command, unsigned long at, struct err *e)
{
	struct held_parts before = parts_of(in->session), behind;
	const char *said = try(in, command, at, e);

	behind = parts_of(in->session);
	for (int i = 0; i < N_PARTS && !strcmp(said, CANCELLED); i++)
		if (before.of[i] != behind.of[i])
			printf("%s at look %lu; ", part_name[i], at);
	return said;
}

/* A command that meets the file. */
static void meet(struct interpreter *in, const char *command)
{
	struct held_parts before = parts_of(in->session), behind;
	struct err e = {0};
	struct text said = {0};
	FILE *f = text_stream(&said);
	bool failed;

	printf("%s\t", command);
	fflush(stdout);
	waited.yes = false;
	t.stop_at = 0;
	failed = run_to(in, command, f, &e);
	fclose(f);
	behind = parts_of(in->session);
	printf("%s\t%s\t", waited.yes ? "waited" : "itself",
	       strstr(e.msg, waited.file) || strstr(text_str(&said), waited.file) ? "named" : "-");
	for (int i = 0; i < N_PARTS && failed; i++)
		if (before.of[i] != behind.of[i])
			printf("%s ", part_name[i]);
	printf("\t%s\n", failed ? e.msg : "");
	text_free(&said);
}

/* The line in a file. */
static const char *line_of(const char *path)
{
	static char line[1 << 20];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(line, 1, sizeof(line) - 1, f) : 0;

	line[n] = 0;
	if (f)
		fclose(f);
	return line;
}

static void test(struct interpreter *in, const char *name)
{
	bool once = *name == '!';
	const char *command = *name == '@' ? line_of(name + 1) : name;
	struct err e;
	const char *said = try(in, command + once, 0, &e);
	unsigned long looks = t.looks, all = t.all;
	double draws;

	printf("%s\t%lu\t%s\t%p\t%p\t%lu\t%s\t", name, t.worst / 1000, t.what ? t.what : "-", t.before,
	       t.behind, looks, said);
	if (looks < FEW || *said || once) {
		printf("-\t\t\t%lu\n", all / 1000);
		return;
	}
	said = try(in, command, looks / 2, &e);
	printf("%lu\t%s\t", t.after, said);
	draws = moments + (double)random() / (RAND_MAX + 1.0);
	for (unsigned i = 1; i <= draws; i++)
		cancelled_at(in, command, 1 + (unsigned long)random() % looks, &e);
	printf("\t%lu\n", all / 1000);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const struct command *const tables[] = {
#include "core/session/core_commands.def"
		view_commands, NULL};
	struct interpreter in = {.session = session_new(all_engines, tables)};
	const char *seed = getenv("SEED"), *drawn = getenv("MOMENTS");

	moments = drawn ? atof(drawn) : 0;
	srandom(seed ? (unsigned)atoi(seed) : 1);
	for (int i = 1; i < argc; i++) {
		if (*argv[i] == '-')
			unlink(argv[i] + 1);
		else if (*argv[i] == '?')
			waited.file = argv[i] + 1;
		else if (waited.file)
			meet(&in, argv[i]);
		else
			test(&in, argv[i]);
	}
	interpreter_free(&in);
	session_free(in.session);
	return 0;
}
