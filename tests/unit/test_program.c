/* Programs run without a shell. */
#include "fixture.h"
#include <signal.h>
#include "core/base/program.h"

/* What a program prints, to be freed; its message in *e, or "" . */
static char *output_of(const char *name, const char *a, const char *b, struct progress *p, struct err *e)
{
	char word[3][100] = {{0}}, *argv[] = {word[0], a ? word[1] : NULL, b ? word[2] : NULL, NULL},
	     *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	snprintf(word[0], sizeof(word[0]), "%s", name);
	snprintf(word[1], sizeof(word[1]), "%s", a ? a : "");
	snprintf(word[2], sizeof(word[2]), "%s", b ? b : "");
	*e = (struct err){0};
	int rc = program_run(argv, f, p, e);
	assert_int_equal(rc, e->msg[0] ? -1 : 0);
	fclose(f);
	return text;
}

static void prints(const char *name, const char *a, const char *b, const char *expected)
{
	struct err e;
	AUTO_FREE char *text = output_of(name, a, b, NULL, &e);

	assert_string_equal(e.msg, "");
	assert_string_equal(text, expected);
}

static void fails(const char *name, const char *a, struct progress *p, const char *expected)
{
	struct err e;

	free(output_of(name, a, NULL, p, &e));
	assert_string_equal(e.msg, expected);
}

static void test_words(void **state)
{
	prints("printf", "%s", "$HOME; `id` > x 'y", "$HOME; `id` > x 'y");
	prints("cat", NULL, NULL, ""); /* its input is empty */
}

static void test_ends(void **state)
{
	struct progress p = {.cancel = true};

	fails("false", NULL, NULL, "false: ended with status 1");
	fails("no-such-program", NULL, NULL, "no-such-program: No such file or directory");
	fails("sleep", "1000", &p, CANCELLED);
}

/* A program gets none of our files, and no signal of it is blocked or ignored. */
static void test_nothing_inherited(void **state)
{
	int fd[2];
	sigset_t set, before;
	struct err e;
	/* others than ours may be ignored from the start */
	AUTO_FREE char *ignored = output_of("grep", "SigIgn", "/proc/self/status", NULL, &e);

	assert_int_equal(pipe(fd), 0); /* not closed on exec */
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	signal(SIGPIPE, SIG_IGN);
	prints("ls", "/proc/self/fd", NULL, "0\n1\n2\n3\n"); /* 3: the folder that it lists */
	prints("grep", "SigBlk", "/proc/self/status", "SigBlk:\t0000000000000000\n");
	prints("grep", "SigIgn", "/proc/self/status", ignored);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(fd[0]);
	close(fd[1]);
}

/* Our own standard files may be closed. */
static void test_closed(void **state)
{
	int in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO);

	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	prints("printf", "here", NULL, "here");
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	close(in);
	close(out);
}

static void test_exists(void **state)
{
	assert_true(program_exists("sh"));
	assert_false(program_exists("no-such-program"));
	assert_false(program_exists("passwd-is-no-program/"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_nothing_inherited),
		cmocka_unit_test(test_closed),
		cmocka_unit_test(test_exists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
