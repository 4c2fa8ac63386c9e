/*
 * How much does a command work without looking whether it was cancelled, and does it end when it was?
 * Program of the tests in tests/stop.
 *
 *	looks COMMANDS...
 *
 * runs them one after the other in one session.  Each that looks more than a few times is run once more and
 * cancelled half way through its looks; not one with ! before it, which can be done only once.  Prints for
 * each a line of fields with tabs between them:
 *
 *	COMMAND		as given
 *	WORK		thousands of basic blocks run in the longest stretch between two looks of a thread
 *	WHAT		it was doing then
 *	FROM TO		where those two looks were made, for a debugger
 *	LOOKS		how often it looked
 *	MESSAGE		of its failure
 *	AFTER		looks behind the cancelling; -: not cancelled
 *	MESSAGE		of the cancelled run
 *
 * The functions that look are replaced when this is linked (--wrap).  The compiler put a call into each basic
 * block of the program (-fsanitize-coverage=trace-pc): work is counted, not timed, and is the same in each
 *run.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/progress.h"
#include "core/session/command.h"
#include "engines/engines.h"
#include "views/views.h"

#define FEW 8

bool __real_progress_step(struct progress *p, unsigned done);
bool __real_progress_cancelled(const struct progress *p);
bool __wrap_progress_step(struct progress *p, unsigned done);
bool __wrap_progress_cancelled(const struct progress *p);
void __sanitizer_cov_trace_pc(void);

static struct {
	struct progress progress;
	unsigned long looks, stop_at, after; /* stop_at: 0 = never */
	unsigned long worst;
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

static int run(struct interpreter *in, const char *command, struct err *e)
{
	FILE *nowhere = fopen("/dev/null", "w");
	struct command_run r = {.in = in, .f = nowhere, .progress = &t.progress};
	int rc;

	t.looks = t.after = 0;
	t.worst = 0;
	since.from = t.before = t.behind = NULL;
	since.work = 0;
	t.what = NULL;
	atomic_store(&t.progress.cancel, false);
	rc = run_text(&r, command, e);
	look(NULL);
	t.looks--;
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

static void test(struct interpreter *in, const char *command)
{
	bool once = *command == '!';
	struct err e;
	const char *said = try(in, command + once, 0, &e);
	unsigned long looks = t.looks;

	printf("%s\t%lu\t%s\t%p\t%p\t%lu\t%s\t", command, t.worst / 1000, t.what ? t.what : "-", t.before,
	       t.behind, looks, said);
	if (looks < FEW || *said || once) {
		printf("-\t\n");
		return;
	}
	said = try(in, command, looks / 2, &e);
	printf("%lu\t%s\n", t.after, said);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const struct command *const tables[] = {CORE_COMMANDS, view_commands, NULL};
	struct interpreter in = {.session = session_new(all_engines, tables)};

	for (int i = 1; i < argc; i++)
		test(&in, argv[i]);
	interpreter_free(&in);
	session_free(in.session);
	return 0;
}
