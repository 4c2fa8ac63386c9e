/*
 * Every sequence of two keys, of three where two leave readline waiting for more, and random ones of up to
 * 14 (emacs keys), typed into the program's own REPL: none may end the program or let it hang.
 *
 *	build/keys			what `make check` does
 *	build/keys --all		all sequences of three keys too: takes long
 *	build/keys --random N		so many random sequences in each setting; SEED=N repeats them
 *	build/keys --of N		each other pair, one third key of N behind it, others with each SEED
 *	build/keys --setting NAME	one setting alone
 *	build/keys --keys C-r,C-x,C-h	one sequence, in all settings
 *
 * A child process types; what it types stands in memory that both see, so that a death is pinned to its
 * sequence.  That is typed again in a fresh child, to tell whether it needs what was typed before.
 */
#include <curses.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <readline/history.h>
#include <readline/readline.h>
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/core_commands.h"
#include "engines/engines.h"
#include "tui/keymap.h"
#include "tui/ui.h"

#define MOST_DEATHS 10 /* of one setting; more tell nothing new */
#define HANGS 300      /* seconds in which one pair of keys must be through with all its third ones */
#define LONGEST 14     /* keys of a random sequence */

/* Where keys are typed: what the user's inputrc says, which keymap, what the line holds. */
static const struct setting {
	const char *name, *inputrc, *mode;
	bool command; /* vi: out of insertion */
	bool pairs;   /* no sequences of three */
	const char *line;
} settings[] = {
	{"emacs", "", "emacs", false, false, "fail ab cd"},
	{"emacs-empty", "", "emacs", false, true, ""},
	{"vi-insert", "set editing-mode vi\n", "vi", false, false, "fail ab cd"},
	{"vi-command", "set editing-mode vi\n", "vi", true, false, "fail ab cd"},
	{"vi-empty", "set editing-mode vi\n", "vi", true, true, ""},
	/* prefixes and macros of the user's own, and terminators that take no account of them */
	{"inputrc",
	 "set isearch-terminators \"\\C-g\"\n"
	 "set convert-meta on\n"
	 "\"\\C-t\\C-g\": abort\n"
	 "\"\\C-ta\": \"journal\"\n"
	 "\"\\C-x\\C-a\": \"\\C-x\\C-h\"\n"
	 "\"\\C-x\\C-b\": \"\\C-r\\C-x\\C-h\"\n"
	 "\"\\C-o\\C-p\\C-q\": \"\\C-o\\C-p\"\n"
	 "\"jk\": vi-movement-mode\n"
	 "\"\\e[1;5C\": forward-word\n",
	 "emacs", false, false, "fail ab cd"},
};

struct sequence {
	unsigned key[LONGEST], n; /* places in keys[] */
};

/* Where a child begins: with a pair of keys, or with a random sequence. */
struct place {
	unsigned key[2];
	unsigned long random; /* 0: there are pairs to be typed yet; else number of the sequence, from 1 */
};

/* What both processes see. */
static struct progress_shared {
	struct sequence now;
	struct place place;
	unsigned long typed;
} * seen;

static unsigned long n_random = 4000, third_of = 1, seed;
static keycode *keys;
static size_t n_keys, cap_keys;
static bool all_of_three;
static char folder[] = "/tmp/ibscope-keys-XXXXXX";

static void add_key(keycode k)
{
	GROW(keys, n_keys, cap_keys);
	keys[n_keys++] = k;
}

/* What term_key() can give: characters, with Meta and without, and keys that send several bytes. */
static void make_keys(void)
{
	for (keycode meta = 0; meta <= KEYF_META; meta += KEYF_META)
		for (keycode k = 0; k < 127; k++)
			add_key(k | meta);
	for (keycode k = K_UP; k <= K_STAB; k++)
		add_key(k);
	add_key(K_BACKSPACE | KEYF_META);
	add_key(0xe9);	 /* two bytes in UTF-8 */
	add_key(0x6f22); /* three, and two columns */
}

static bool read_keys(const char *text, struct sequence *q)
{
	for (q->n = 0; *text && q->n < LONGEST; q->n++) {
		size_t len = strcspn(text, ",");
		keycode k;
		unsigned i = 0;

		if (!key_parse(text, len, &k))
			return false;
		while (i < n_keys && keys[i] != k)
			i++;
		if (i == n_keys)
			return false;
		q->key[q->n] = i;
		text += len + (text[len] == ',');
	}
	return q->n && !*text;
}

/* --- the child, which types -------------------------------------------------------- */

static void type(const struct setting *s, const unsigned *key, unsigned n)
{
	memcpy(seen->now.key, key, n * sizeof(*key));
	seen->now.n = n;
	seen->typed++;
	repl_abort();
	repl_key(K_ENTER); /* readline forgets what it has of the line */
	rl_variable_bind("editing-mode", s->mode);
	repl_prefill(s->line, strlen(s->line));
	rl_point = rl_end / 2;
	if (s->command)
		repl_key(K_ESC);
	for (unsigned i = 0; i < n; i++)
		repl_key(keys[key[i]]);
}

/* Let the thread that runs commands finish, and forget what it said. */
static void settle(void)
{
	struct text t = {0};

	while (worker_busy(NULL))
		sched_yield();
	worker_output(&t);
	text_free(&t);
}

static bool waits(void)
{
	return repl_busy_editing() || RL_ISSTATE(RL_STATE_MACRODEF);
}

/* A key like others: digits are as 2 is, characters that are typed into something as `a` is. */
static bool alike(keycode k, bool command)
{
	keycode c = k & ~KEYF_META;

	if (c >= '3' && c <= '9')
		return true;
	return !command && k > ' ' && k < 127 && !strchr("a012", (int)k);
}

/* The third keys behind a pair. */
static void type_third(const struct setting *s, unsigned *key)
{
	for (key[2] = (unsigned)((seed + key[0] + key[1]) % third_of); key[2] < n_keys;
	     key[2] += (unsigned)third_of)
		type(s, key, 3);
}

/* From a pair of keys on: all pairs, and what begins with those of which each key leaves readline waiting. */
static void type_pairs(const struct setting *s, struct place *at)
{
	for (; at->key[0] < n_keys; at->key[0]++, at->key[1] = 0) {
		bool first;

		type(s, at->key, 1);
		first = waits();
		if (!all_of_three && alike(keys[at->key[0]], s->command))
			continue;
		for (; at->key[1] < n_keys; at->key[1]++) {
			if (third_of > 1 && (seed + at->key[0] + at->key[1]) % 2)
				continue;
			alarm(HANGS);
			type(s, at->key, 2);
			if (all_of_three ||
			    (first && !s->pairs && waits() && !alike(keys[at->key[1]], false)))
				type_third(s, (unsigned[]){at->key[0], at->key[1], 0});
			settle();
		}
	}
}

/* A key; those that begin something more often than others. */
static unsigned random_key(void)
{
	static const char begin[] = "\x18\x12\x13\033()e\a\b\x16\x19\n.dcyr2\"mu";
	unsigned key = (unsigned)(lrand48() % (long)n_keys);
	keycode k = (keycode)begin[lrand48() % (long)(sizeof(begin) - 1)];

	if (lrand48() % 3) /* readline 8.2 has vi searches for a character that never end */
		return strchr("fFtT;,", (int)(keys[key] & 0x7f)) ? 0 : key;
	for (key = 0; keys[key] != k;)
		key++;
	return key;
}

static void type_random(const struct setting *s, struct place *at)
{
	for (; at->random <= n_random; at->random++) {
		struct sequence q = {.n = 3};

		srand48((long)(seed + at->random));
		q.n += (unsigned)(lrand48() % (LONGEST - 2));
		for (unsigned i = 0; i < q.n; i++)
			q.key[i] = random_key();
		alarm(HANGS);
		type(s, q.key, q.n);
		if (at->random % 16 == 0)
			settle();
	}
}

/* C-x ends a search whatever the inputrc says, also when it is read again; what it says counts too. */
static bool terminators_kept(const struct setting *s)
{
	const char *ends;

	repl_key(K_CTRL('X'));
	repl_key(K_CTRL('R'));
	ends = rl_variable_value("isearch-terminators");
	return ends && strstr(ends, "C-x") && (!strstr(s->inputrc, "terminators") || strstr(ends, "C-g"));
}

static void start_child(const struct setting *s, FILE *said)
{
	static const struct command *const commands[] = {
#include "core/session/core_commands.def"
		view_commands, ui_commands, NULL};
	static const struct about nothing = {"", "", ""};
	static struct interpreter in;
	char *inputrc = str_printf("%s/%s", folder, s->name);
	FILE *nowhere = fopen("/dev/null", "r+e"), *f = fopen(inputrc, "we");

	if (!f || !nowhere || dup2(fileno(said), STDERR_FILENO) < 0)
		exit(2);
	fputs(s->inputrc, f);
	fclose(f);
	setenv("INPUTRC", inputrc, 1);
	free(inputrc);
	in.session = session_new(all_engines, commands);
	ui.interpreter = &in;
	ui.about = &nothing;
	ui.session = in.session;
	repl_start();
	stifle_history(20); /* a long one takes time and tells nothing new */
	using_history();
	if (!newterm("xterm", nowhere, nowhere))
		exit(2);
	keypad(stdscr, TRUE);
	worker_start(&in);
	for (int i = 0; *s->line && i < 3; i++) { /* a history */
		const char *line = i ? i == 1 ? "echo 1 two words" : "show ab" : "echo 2 words";

		repl_prefill(line, strlen(line));
		repl_key(K_ENTER);
	}
	if (!terminators_kept(s))
		fprintf(stderr, "found isearch-terminators %s, expected C-x and the user's own\n",
			rl_variable_value("isearch-terminators")),
			exit(3);
}

/* --- the parent, which looks after it ---------------------------------------------- */

/* Type one sequence, or (NULL) all from seen->place on; true: the child came to its end. */
static bool in_child(const struct setting *s, const struct sequence *only, FILE *said, int *status)
{
	pid_t child;

	rewind(said);
	if (ftruncate(fileno(said), 0))
		return false;
	child = fork();
	if (!child) {
		start_child(s, said);
		alarm(HANGS);
		if (only) {
			type(s, only->key, only->n);
			_exit(0);
		}
		if (!seen->place.random)
			type_pairs(s, &seen->place);
		seen->place.random += !seen->place.random;
		type_random(s, &seen->place);
		_exit(0);
	}
	return child > 0 && waitpid(child, status, 0) == child && WIFEXITED(*status) && !WEXITSTATUS(*status);
}

static void tell(const struct setting *s, const struct sequence *q, int status, FILE *said)
{
	char name[32], line[400];

	printf("FAIL keys/%s:", s->name);
	for (unsigned i = 0; i < q->n; i++)
		printf(" %s", key_text(keys[q->key[i]], name, sizeof(name)));
	if (WIFSIGNALED(status))
		printf(": %s\n", WTERMSIG(status) == SIGALRM ? "hangs" : strsignal(WTERMSIG(status)));
	else
		printf(": ends with status %d\n", WEXITSTATUS(status));
	rewind(said);
	for (int i = 0; i < 12 && fgets(line, sizeof(line), said); i++)
		printf("    %s", line);
	fflush(stdout);
}

static void next_place(struct place *p)
{
	if (p->random) {
		p->random++;
		return;
	}
	p->key[0] += p->key[1] + 1 == n_keys;
	p->key[1] = (p->key[1] + 1) % (unsigned)n_keys;
}

/* True: nothing died.  only: the one sequence to type, NULL: all. */
static bool run(const struct setting *s, const struct sequence *only)
{
	unsigned deaths = 0;
	FILE *said = tmpfile();
	int status = 0;

	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED || !said)
		return perror("keys"), false;
	while (deaths < MOST_DEATHS && !in_child(s, only, said, &status)) {
		struct sequence q = seen->now;

		deaths++;
		tell(s, &q, status, said);
		if (only)
			break;
		if (in_child(s, &q, said, &status))
			printf("    (not when typed alone)\n");
		next_place(&seen->place);
	}
	fclose(said);
	printf("  %-12s %lu sequences typed\n", s->name, seen->typed);
	return !deaths;
}

static void copy_out(FILE *from)
{
	char buf[4096];
	size_t len;

	rewind(from);
	while ((len = fread(buf, 1, sizeof(buf), from)))
		fwrite(buf, 1, len, stdout);
	fclose(from);
}

/* All settings at once, or the one that is named; what they print comes in their order. */
static void run_settings(const char *only, const struct sequence *q, unsigned *passed, unsigned *failed)
{
	pid_t pid[ARRAY_LEN(settings)];
	FILE *out[ARRAY_LEN(settings)];
	int status;

	for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
		pid[i] = -1;
		out[i] = tmpfile();
		if (!out[i] || (only && strcmp(only, settings[i].name)))
			continue;
		pid[i] = fork();
		if (!pid[i]) {
			bool ok = dup2(fileno(out[i]), STDOUT_FILENO) >= 0 && run(&settings[i], q);

			exit(!ok);
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
		if (pid[i] > 0 && waitpid(pid[i], &status, 0) == pid[i] && !status)
			++*passed;
		else
			*failed += !only || !strcmp(only, settings[i].name);
		if (out[i])
			copy_out(out[i]);
	}
}

static void remove_folder(void)
{
	char *command = str_printf("rm -rf '%s'", folder);

	if (system(command))
		perror(folder);
	free(command);
}

static int usage(void)
{
	fprintf(stderr, "usage: keys [--all] [--random N] [--of N] [--setting NAME] [--keys KEY,KEY...]\n");
	return 2;
}

int main(int argc, char **argv)
{
	const char *setting = NULL, *given = getenv("SEED");
	unsigned passed = 0, failed = 0;
	struct sequence q = {.n = 0};

	make_keys();
	seed = given ? strtoul(given, NULL, 0) : (unsigned long)time(NULL) * 1000003 % 2147483647;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--all"))
			all_of_three = true;
		else if (!strcmp(argv[i], "--setting") && i + 1 < argc)
			setting = argv[++i];
		else if (!strcmp(argv[i], "--random") && i + 1 < argc)
			n_random = strtoul(argv[++i], NULL, 0);
		else if (!strcmp(argv[i], "--of") && i + 1 < argc &&
			 (third_of = strtoul(argv[i + 1], NULL, 0)))
			i++;
		else if (strcmp(argv[i], "--keys") || i + 1 == argc || !read_keys(argv[++i], &q))
			return usage();
	}
	if (!mkdtemp(folder))
		return perror("keys"), 2;
	unsetenv("XDG_STATE_HOME"); /* no history is kept: each child begins like the others */
	unsetenv("HOME");
	setenv("TERM", "xterm", 1);
	setlocale(LC_ALL, "C.UTF-8");
	printf("random keys: SEED=%lu\n", seed);
	fflush(stdout);
	run_settings(setting, q.n ? &q : NULL, &passed, &failed);
	remove_folder();
	printf("%u passed, %u failed\n", passed, failed);
	return failed || !passed;
}
