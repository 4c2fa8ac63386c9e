/* What shells complete, and signals that end the program without the explorer. */
#include <assert.h>
#include <dirent.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/builtin.h"
#include "core/base/clean.h"
#include "core/base/memory.h"
#include "core/base/outfile.h"
#include "core/base/program.h"
#include "core/base/text.h"
#include "core/session/command.h"
#include "core/session/out.h"
#include "core/source/synth.h"
#include "tui/keymap.h"
#include "tui/ui.h"

/* --- reading ------------------------------------------------------------------------ */

/* `~/` as shells read it. */
static char *without_tilde(char *word)
{
	const char *home = getenv("HOME");

	if (strncmp(word, "~/", 2) != 0 || !home)
		return word;
	char *path = str_printf("%s%s", home, word + 1);
	free(word);
	return path;
}

/* The word of a shell that begins at *p, which moves behind it; the quote that is open at its end, 0: none.
 */
static char shell_take_word(const char **p, char **word)
{
	struct text t = {0};
	char quote = 0;

	for (; **p && (quote || !strchr(" \t\n", **p)); ++*p)
		if (**p == '\\' && quote != '\'' && (*p)[1]) {
			if (quote && !strchr("\"\\$`", (*p)[1]))
				text_putc(&t, '\\');
			text_putc(&t, *++*p);
		} else if (quote ? **p == quote : **p == '"' || **p == '\'') {
			quote = quote ? 0 : **p;
		} else {
			text_putc(&t, **p);
		}
	*word = t.s ? t.s : str_dup("");
	return quote;
}

static void shell_read_words(const char *p, struct shell_line *l)
{
	do {
		const char *from = p = words_skip(p);
		char *word;

		l->quote = shell_take_word(&p, &word);
		l->argv = mem_resize(l->argv, (size_t)l->argc + 1, sizeof(*l->argv));
		l->argv[l->argc++] = *from == '~' ? without_tilde(word) : word;
		l->raw = from;
	} while (*p);
}

/* The option that a word begins with "-" or "--" names, and its value if that is in the word; NULL: none. */
static const struct program_option *option_in(const char *word, const char **value)
{
	const char *name = word + 2;
	size_t len = strcspn(name, "=");
	const struct program_option *found = NULL;

	assert(word[0] == '-' && word[1]);
	*value = NULL;
	if (!strncmp(word, "--", 2)) {
		*value = name[len] ? name + len + 1 : NULL;
		for (const struct program_option *o = program_options; len && o->name; o++)
			if (!strncmp(o->name, name, len) && (!found || !o->name[len]))
				found = o;
		return found;
	}
	for (const char *c = word + 1; *c; c++) {
		for (found = program_options; found->name && found->code != *c;)
			found++;
		if (!found->name)
			return NULL;
		if (found->arg) {
			*value = c[1] || !option_takes_next(found) ? c + 1 : NULL;
			break;
		}
	}
	return found;
}

static bool shell_is_known(const char *word)
{
	struct stat st;

	if (stat(word, &st))
		return synth_is_spec(word) || builtin_fabric(word) != word;
	return S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
}

static void shell_note(struct shell_line *l, const struct program_option *o, const char *value)
{
	if (o->code == OPT_NAMES && shell_is_known(value))
		l->names = value;
	if (o->code == 'F' && shell_is_known(value))
		l->config = value;
}

void shell_read(const char *line, struct shell_line *l)
{
	const struct program_option *waits = NULL;

	*l = (struct shell_line){0};
	shell_read_words(line, l);
	for (int i = 1; i < l->argc; i++) {
		const char *word = l->argv[i], *value = NULL;
		bool last = i + 1 == l->argc, option = !waits && !l->plain && *word == '-' && word[1];
		const struct program_option *o = option ? option_in(word, &value) : NULL;

		if (waits)
			value = word;
		if (last) {
			l->of = value ? o : NULL;
			if (waits)
				l->of = waits;
			l->lead = value ? (size_t)(value - word) : 0;
		} else if (waits) {
			shell_note(l, waits, value);
		} else if (option && !strcmp(word, "--")) {
			l->plain = true;
		} else if (o && value) {
			shell_note(l, o, value);
		} else if (!option && (l->fabric || shell_is_known(word))) {
			l->fabric = l->fabric ? l->fabric : word;
		}
		waits = o && !value && option_takes_next(o) ? o : NULL;
	}
	l->commands = l->of && l->of->code == 'e';
}

void shell_free(struct shell_line *l)
{
	words_free(l->argc, l->argv);
	*l = (struct shell_line){0};
}

/* --- answering ---------------------------------------------------------------------- */

struct offers {
	const struct shell_line *l;
	struct session *s;
	const char *word; /* the word to be completed */
	struct offer {
		char *word; /* the whole word that is offered */
		const char *help;
	} * offer;
	size_t n, cap;
};

/* A word with this head, of which `head` bytes are kept from what was typed. */
static void shell_add(struct offers *o, size_t head, const char *word, const char *help)
{
	char *whole = str_printf("%.*s%s", (int)head, o->word, word);

	if (!is_clean(whole, strlen(whole)) || strpbrk(whole, "\t\n")) { /* no shell shows it as it is */
		free(whole);
		return;
	}
	GROW(o->offer, o->n, o->cap);
	o->offer[o->n++] = (struct offer){whole, help};
}

static void shell_add_if(struct offers *o, size_t head, const char *word, const char *help)
{
	if (!strncmp(word, o->word + head, strlen(o->word + head)))
		shell_add(o, head, word, help);
}

static void shell_add_options(struct offers *o)
{
	for (const struct program_option *p = program_options; p->name; p++) {
		bool attached = p->arg && !option_takes_next(p);
		char *word = str_printf("--%s", p->name);

		shell_add_if(o, 0, word, p->help);
		free(word);
		word = str_printf("--%s=", p->name);
		if (attached)
			shell_add_if(o, 0, word, p->help);
		free(word);
		word = str_printf("-%c", p->code);
		if (p->code < OPT_NAMES)
			shell_add_if(o, 0, word, p->help);
		free(word);
	}
}

/* What of a folder ends so, without that end. */
static void shell_add_folder(struct offers *o, const char *folder, const char *end)
{
	DIR *d = folder ? opendir(folder) : NULL;
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		size_t len = strlen(entry->d_name), cut = strlen(end);
		AUTO_FREE char *name = len > cut && !strcmp(entry->d_name + len - cut, end)
					       ? str_printf("%.*s", (int)(len - cut), entry->d_name)
					       : NULL;

		if (name && *name != '.')
			shell_add_if(o, o->l->lead, name, NULL);
	}
	if (d)
		closedir(d);
}

static void add_keymaps(struct offers *o)
{
	char *user = keymap_user_folder();
	struct builtin b = {0};

	shell_add_folder(o, user, ".keys");
	shell_add_folder(o, ui.about->keymaps, ".keys");
	free(user);
	while (builtin_next(&b)) {
		char *name = str_printf("%.*s", (int)b.name_len, b.name), *end = strstr(name, ".keys");

		if (!strncmp(name, "keymaps/", 8) && end) {
			*end = 0;
			shell_add_if(o, o->l->lead, name + 8, NULL);
		}
		free(name);
	}
}

/* The commands of -e, by the session's own completion. */
static void shell_add_commands(struct offers *o)
{
	const char *typed = o->word + o->l->lead;
	size_t start;
	char **words = session_complete(o->s, typed, &start);

	assert(start <= strlen(typed));
	for (size_t i = 0; words[i]; i++) {
		const struct command *c = command_find(o->s, words[i], NULL);
		size_t before = start;

		while (before && strchr(" \t:", typed[before - 1]))
			before--;
		if (before && typed[before - 1] != ';')
			c = NULL;
		shell_add(o, o->l->lead + start, words[i], c && !strcmp(c->name, words[i]) ? c->help : NULL);
	}
	completions_free(words);
}

static void add_by_syntax(struct offers *o, const char *syntax)
{
	char **words = session_complete_word(o->s, syntax, o->word + o->l->lead);

	for (size_t i = 0; words[i]; i++)
		shell_add(o, o->l->lead, words[i], NULL);
	completions_free(words);
}

static void shell_collect(struct offers *o)
{
	const struct shell_line *l = o->l;

	if (l->of && l->of->takes)
		add_by_syntax(o, l->of->takes);
	if (l->commands)
		shell_add_commands(o);
	else if (l->of && l->of->code == 'k')
		add_keymaps(o);
	else if (l->of && l->of->code == 'L')
		shell_add_folder(o, "/sys/class/infiniband", "");
	else if (!l->of && !l->plain && *o->word == '-')
		shell_add_options(o);
	else if (!l->of && !l->fabric)
		add_by_syntax(o, "SPEC|demo|FILE");
}

/* Text as it is typed in a shell behind that open quote. */
static void put_quoted(const char *s, char quote)
{
	for (; *s; s++)
		if (quote == '\'' && *s == '\'') {
			fputs("'\\''", stdout);
		} else {
			if (quote == '"' ? strchr("\"\\$`", *s) != NULL
					 : !quote && strchr(" !\"#$&'()*;<>?[\\]^`{|}~", *s))
				putchar('\\');
			putchar(*s);
		}
}

/* As the shell would replace the text, which is the end of the word as typed. */
static void put_instead(const struct shell_line *l, const char *word, const char *text)
{
	size_t len = strlen(l->raw), behind = strlen(text);
	bool ends = behind <= len && !strcmp(l->raw + len - behind, text);
	char *head = str_printf("%.*s", ends ? (int)(len - behind) : 0, l->raw), *value;
	const char *p = head;
	char quote = shell_take_word(&p, &value);

	if (!strncmp(word, value, strlen(value))) {
		word += strlen(value);
		if (!*head && *l->raw == '~' && *word == '~') /* stays what it stands for */
			putchar(*word++);
		put_quoted(word, quote);
	}
	FREE_EACH(value, head);
}

/* Does more belong to a word, so that no blank comes behind it?  The scripts know the same signs. */
static bool shell_is_part(const char *word)
{
	return *word && strchr("/=:[", word[strlen(word) - 1]);
}

static void shell_print(const struct offers *o, const char *text)
{
	const char *home = *o->l->raw == '~' ? getenv("HOME") : NULL;
	size_t len = home ? strlen(home) : 0;
	/* A single answer would end the word in every shell, and close its quote. */
	bool again = o->n == 1 && o->l->quote && (o->l->commands || shell_is_part(o->offer[0].word));

	for (size_t i = 0; i < o->n + again; i++) {
		const struct offer *of = &o->offer[i < o->n ? i : 0];
		bool gap = again && !shell_is_part(of->word);
		AUTO_FREE char *word = str_printf("%s%s%s%s", home ? "~" : "", of->word + len, gap ? " " : "",
						  i < o->n ? "" : " ");

		if (text)
			put_instead(o->l, word, text);
		else
			fputs(word, stdout);
		if (of->help && *of->help)
			printf("\t%.*s", (int)strcspn(of->help, "\n"), of->help);
		putchar('\n');
	}
}

void shell_offer(const struct shell_line *l, struct session *s, const char *text)
{
	struct offers o = {.l = l, .s = s, .word = l->argc > 1 ? l->argv[l->argc - 1] : ""};

	if (l->argc > 1)
		shell_collect(&o);
	shell_print(&o, text);
	for (size_t i = 0; i < o.n; i++)
		free(o.offer[i].word);
	free(o.offer);
}

/* Signals that end the program while it runs without the explorer. */

static struct termios terminal; /* as it was before a command goes on and on */
static volatile sig_atomic_t unechoed;

/* Keys that are typed meanwhile, Esc above all, are not echoed.  What a signal handler may call. */
static void hush(bool on)
{
	struct termios t = terminal;

	if (on && tcgetpgrp(STDIN_FILENO) != getpgrp()) /* in the background it may not */
		return;
	if (on == unechoed || (on && (tcgetattr(STDIN_FILENO, &terminal) || !(terminal.c_lflag & ECHO))))
		return;
	if (on)
		t = terminal;
	if (on)
		t.c_lflag &= (tcflag_t)~ECHO;
	unechoed = on;
	tcsetattr(STDIN_FILENO, TCSANOW, &t);
}

struct rounds batch_rounds = {.hush = hush};
struct progress batch_progress;
static volatile sig_atomic_t ended_by; /* a signal that a command had time to end for */

/* Makes only calls that are safe in a signal handler. The signal takes its own effect when this returns. */
static void signals_on_end(int sig)
{
	if ((sig == SIGHUP || sig == SIGTERM) && atomic_load(&batch_rounds.listening)) {
		atomic_store(sig == SIGHUP ? &batch_rounds.again : &batch_rounds.end, true);
		if (sig == SIGTERM)
			atomic_store(&batch_progress.cancel, true);
		return;
	}
	if ((sig == SIGINT || sig == SIGTERM) && atomic_load(&batch_rounds.tells) && !ended_by) {
		ended_by = sig; /* see signals_end(); a second signal does not wait */
		atomic_store(&batch_progress.cancel, true);
		return;
	}
	sigaction(sig, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	outfile_remove_unfinished();
	programs_kill();
	hush(false);
	raise(sig);
}

/* Before the program ends: keeps what was printed, and marks what is running as failed. */
static void flush_output(void)
{
	fflush(stdout);
	out_last_objects();
}

void signals_end(void)
{
	if (!ended_by)
		return;
	flush_output();
	signals_on_end(ended_by);
}

void signals_start(void)
{
	static const int ends[] = {SIGTERM, SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE, SIGALRM, SIGXCPU,
				   SIGUSR1, SIGUSR2, SIGSEGV, SIGABRT, SIGBUS,	SIGFPE,	 SIGILL};
	struct sigaction was, end = {.sa_handler = signals_on_end, .sa_flags = SA_RESTART};

	sigemptyset(&end.sa_mask);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (!sigaction(ends[i], NULL, &was) &&
		    was.sa_handler == SIG_DFL) /* another program chose a handler, like nohup */
			sigaction(ends[i], &end, NULL);
	mem_before_end(flush_output);
	signal(SIGXFSZ, SIG_IGN); /* too large a file is an error of writing */
}
