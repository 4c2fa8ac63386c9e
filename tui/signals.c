/* Signals that end the program while it runs without the explorer. */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>
#include "core/base/memory.h"
#include "core/base/outfile.h"
#include "core/base/program.h"
#include "core/session/out.h"
#include "tui/ui.h"

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
