/* The terminal: start, restore, suspend, signals, keys, mouse, content, and whether it can show panes. */
#include <assert.h>
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/outfile.h"
#include "core/base/program.h"
#include "core/base/text.h"
#include "tui/colours.h"
#include "tui/ui.h"
#include <term.h>

/* The terminal: start, restore, suspend, signals, keys, mouse, and its content as text. */

volatile int term_signal, term_stopped, term_continued;

static struct termios before; /* settings as they were found */
static volatile bool started;
static bool mouse;
static struct answer answer;	/* what it says among the keys */
static bool pastes;		/* the terminal marks where a paste begins and ends */
static char restore_bytes[256]; /* restores the screen if nothing else can be trusted */
static size_t n_restore;
static char alt_stack[65536];

/* Does another process have the terminal, because this one was stopped or runs in the background? */
static bool in_background(void)
{
	pid_t group = tcgetpgrp(STDIN_FILENO);

	return group > 0 && group != getpgrp();
}

/*
 * Removes unfinished files, and restores the terminal. Makes only calls that are safe in a signal handler and
 * do not wait: output that nobody reads is dropped.
 */
static void leave_at_once(void)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);

	outfile_remove_unfinished();
	programs_kill();
	if (!started || in_background())
		return;
	fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK);
	if (write(STDOUT_FILENO, restore_bytes, n_restore) != (ssize_t)n_restore) {
		tcflush(STDOUT_FILENO, TCOFLUSH);
		(void)!write(STDOUT_FILENO, restore_bytes, n_restore);
	}
	fcntl(STDOUT_FILENO, F_SETFL, flags);
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

static void end_by(int sig)
{
	signal(sig, SIG_DFL);
	raise(sig);
}

/*
 * Ends the loop. If that takes too long, or the signal comes again, the program ends at once. A terminal that
 * goes away sends several SIGHUP.
 */
static void term_on_end(int sig)
{
	const struct itimerval patience = {.it_value.tv_usec = 700000};

	if (term_signal && sig != SIGHUP) {
		leave_at_once();
		end_by(term_signal);
		return;
	}
	term_signal = sig;
	setitimer(ITIMER_REAL, &patience, NULL); /* sends SIGALRM */
	ui_wake();
}

static void on_stop(int sig)
{
	(void)sig;
	term_stopped = 1;
	ui_wake();
}

/* The size may be another one. Curses' own handler would not wake a loop that is just about to wait. */
static void on_continue(int sig)
{
	(void)sig;
	term_continued = 1;
	ui_wake();
}

/* A signal that an error of the program raises. */
static void on_crash(int sig, siginfo_t *info, void *context)
{
	static const char said[] = "ibscope: crashed; please report what you did\n";

	(void)context;
	leave_at_once();
	if (info->si_code != SI_USER)
		(void)!write(STDERR_FILENO, said, sizeof(said) - 1);
	end_by(sig);
}

static void handle(int sig, void (*fn)(int))
{
	struct sigaction sa = {.sa_handler = fn};

	sigemptyset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
}

static void handle_signals(void)
{
	static const int ends[] = {SIGTERM,   SIGHUP,  SIGINT,	SIGQUIT, SIGUSR1, SIGUSR2,  SIGALRM,
				   SIGVTALRM, SIGPROF, SIGXCPU, SIGIO,	 SIGPWR,  SIGSTKFLT};
	static const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
	struct sigaction crash = {.sa_sigaction = on_crash,
				  .sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND)};
	stack_t st = {.ss_sp = alt_stack, .ss_size = sizeof(alt_stack)};

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		handle(ends[i], term_on_end);
	for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++)
		handle(sig, term_on_end);
	handle(SIGTSTP, on_stop);
	handle(SIGCONT, on_continue);
	handle(SIGWINCH, on_continue);
	handle(SIGPIPE, SIG_IGN);
	sigaltstack(&st, NULL);
	sigemptyset(&crash.sa_mask);
	for (size_t i = 0; i < ARRAY_LEN(crashes); i++)
		sigaction(crashes[i], &crash, NULL);
}

static void add_restore(const char *s)
{
	if (!s || s == (char *)-1 || n_restore + strlen(s) >= sizeof(restore_bytes))
		return;
	memcpy(restore_bytes + n_restore, s, strlen(s));
	n_restore += strlen(s);
}

bool term_type_is_ascii(void)
{
	const char *term = getenv("TERM");

	return term && (!strncmp(term, "vt1", 3) || !strncmp(term, "vt2", 3) || !strcmp(term, "ansi"));
}

static bool take_mouse(void)
{
	return mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_DOUBLE_CLICKED | BUTTON2_PRESSED |
				 BUTTON3_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED,
			 NULL) != 0;
}

int term_mouse_use(bool on, struct err *e)
{
	if (on && !take_mouse())
		return err_set(e, "mouse: this terminal has none");
	if (!on)
		mousemask(0, NULL);
	mouse = on;
	return 0;
}

bool term_mouse_used(void)
{
	return mouse;
}

#define PASTE_BEGINS (KEY_MAX + 1)
#define PASTE_ENDS (KEY_MAX + 2)

/* Asks the terminal to mark pastes (bracketed paste), or not to. */
static void mark_pastes(bool on)
{
	if (!pastes)
		return;
	fputs(on ? "\033[?2004h" : "\033[?2004l", stdout);
	fflush(stdout);
}

/* Asks the terminal for its background (OSC 11). Terminals that know pastes ignore what they do not know. */
static void ask_background(void)
{
	if (!pastes || !colours_open())
		return;
	fputs("\033]11;?\a", stdout);
	fflush(stdout);
	answer.asked = true;
}

/* Home and End as some terminal or other sends them, whatever TERM says. */
static void define_home_and_end(void)
{
	static const char *const home[] = {"\033[H", "\033OH", "\033[1~", "\033[7~"};
	static const char *const end[] = {"\033[F", "\033OF", "\033[4~", "\033[8~"};

	for (size_t i = 0; i < ARRAY_LEN(home); i++) {
		define_key(home[i], KEY_HOME);
		define_key(end[i], KEY_END);
	}
}

/* The terminal's size, cut to what curses, which counts in 16 bits, and memory bear; 0: not known. */
static struct winsize screen_size(void)
{
	struct winsize ws = {0};

	(void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws);
	ws.ws_row = MIN(ws.ws_row, SCREEN_MOST);
	ws.ws_col = MIN(ws.ws_col, SCREEN_MOST);
	if (ws.ws_row * ws.ws_col > SCREEN_CELLS)
		ws.ws_col = (unsigned short)(SCREEN_CELLS / ws.ws_row);
	return ws;
}

int term_start(struct err *e)
{
	const char *term = getenv("TERM");

	assert(!started);
	if (tcgetattr(STDIN_FILENO, &before))
		return err_set_kind(e, ERR_IO, "standard input is no terminal: %s", strerror(errno));
	setlocale(LC_ALL, "");
	ui.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0 || !term || term_type_is_ascii();
	set_escdelay(25);
	/*
	 * Handlers are set before the screen changes, so that no signal leaves it changed; and before curses
	 * starts, since curses' own handler would lose a stop that comes while it draws.
	 */
	handle_signals();
	if (screen_size().ws_row == SCREEN_MOST || screen_size().ws_col == SCREEN_MOST) {
		setenv("LINES", "24", 1); /* curses asks them first; term_resized() tells it the size */
		setenv("COLUMNS", "80", 1);
		term_continued = 1;
	}
	if (!newterm(NULL, stdout, stdin))
		return err_set(
			e,
			"terminal type \"%s\" is not known here; set TERM to one that is (xterm, vt100, ...)",
			term ? term : "");
	started = true;
	mem_before_end(leave_at_once);
	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	define_home_and_end();
	nodelay(stdscr, TRUE);
	curs_set(1);
	colours_start();
	add_restore(tigetstr("sgr0"));
	add_restore(tigetstr("cnorm"));
	add_restore(tigetstr("rmkx"));
	mouse = take_mouse();
	mouseinterval(0);
	if (mouse)
		add_restore("\033[?1000l\033[?1002l\033[?1003l\033[?1006l");
	pastes = mouse; /* terminals that know the mouse know this too; others ignore it */
	if (pastes) {
		define_key("\033[200~", PASTE_BEGINS);
		define_key("\033[201~", PASTE_ENDS);
		add_restore("\033[?2004l");
	}
	mark_pastes(true);
	ask_background();
	add_restore(tigetstr("rmcup"));
	return 0;
}

void term_stop(void)
{
	if (!started)
		return;
	if (mouse)
		mousemask(0, NULL);
	mark_pastes(false);
	endwin();
	tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
	started = false;
}

void term_resized(void)
{
	struct winsize ws = screen_size();

	if (ws.ws_row && ws.ws_col && (ws.ws_row != LINES || ws.ws_col != COLS))
		resizeterm(ws.ws_row, ws.ws_col);
	clearok(stdscr, TRUE);
}

void term_suspend(void)
{
	assert(started);
	term_stopped = 0;
	mark_pastes(false);
	endwin();
	tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
	started = false;
	handle(SIGTSTP, SIG_DFL);
	kill(0, SIGTSTP);
	/* continued */
	handle(SIGTSTP, on_stop);
	if (term_signal)
		return; /* it was also ended: the terminal is not ours any more */
	term_continued = 0;
	started = true;
	reset_prog_mode();
	mark_pastes(true);
	term_resized();
	refresh();
}

void term_die(int sig)
{
	handle(sig, SIG_DFL);
	raise(sig);
	_exit(128 + sig);
}

/* --- keys -------------------------------------------------------------------- */

/* Keys for which curses has names, and the same keys here. */
static const int specials[] = {KEY_UP,	  KEY_DOWN,  KEY_LEFT,	 KEY_RIGHT, KEY_HOME,	   KEY_END,
			       KEY_PPAGE, KEY_NPAGE, KEY_IC,	 KEY_DC,    KEY_BACKSPACE, KEY_BTAB,
			       KEY_ENTER, KEY_MOUSE, KEY_RESIZE, KEY_FIND,  KEY_SELECT,	   KEY_A1,
			       KEY_C1,	  KEY_A3,    KEY_C3};
static const keycode special_keys[] = {K_UP,	 K_DOWN, K_LEFT, K_RIGHT,     K_HOME, K_END,   K_PGUP,
				       K_PGDN,	 K_INS,	 K_DEL,	 K_BACKSPACE, K_STAB, K_ENTER, K_MOUSE,
				       K_RESIZE, K_HOME, K_END,	 K_HOME,      K_END,  K_PGUP,  K_PGDN};
static_assert(ARRAY_LEN(specials) == ARRAY_LEN(special_keys), "each has its key");

static keycode translate(int rc, wint_t c)
{
	if (rc == OK) {
		if (c == 127)
			return K_BACKSPACE;
		return c == '\n' ? K_ENTER : (keycode)c & 0x1fffff;
	}
	for (size_t i = 0; i < ARRAY_LEN(specials); i++)
		if (specials[i] == (int)c)
			return special_keys[i];
	if (c >= (wint_t)KEY_F(1) && c <= (wint_t)KEY_F(12))
		return K_F1 + (keycode)(c - (wint_t)KEY_F(1));
	return K_NONE;
}

#define PASTE_MOST 1000000 /* bytes; the rest of a longer paste is left out */
#define PASTE_PATIENCE 1.0 /* seconds without a byte, after which its end is not waited for */

static struct {
	bool open;   /* its end has not come yet */
	double last; /* when its last byte came */
	struct text t;
} paste;

const char *term_paste(void)
{
	return text_str(&paste.t);
}

/* Takes one key of a paste. True: that was its end. */
static bool take_pasted(int rc, wint_t c)
{
	char bytes[16];

	paste.last = now_seconds();
	paste.open = !(rc == KEY_CODE_YES && c == PASTE_ENDS);
	if (paste.open && paste.t.len < PASTE_MOST && (rc == OK || c == KEY_ENTER))
		text_add(&paste.t, "%s",
			 c == '\r' || rc != OK ? "\n" : term_key_bytes((keycode)c, bytes, sizeof(bytes)));
	return !paste.open;
}

static keycode term_read_key(void)
{
	wint_t c;
	int rc = get_wch(&c);

	if (rc == ERR)
		return K_NONE;
	if (paste.open && now_seconds() - paste.last > PASTE_PATIENCE)
		paste.open = false;
	if (paste.open)
		return take_pasted(rc, c) ? K_PASTE : NO_KEY;
	if (rc == KEY_CODE_YES && c == PASTE_BEGINS) {
		text_clear(&paste.t);
		paste.open = true;
		paste.last = now_seconds();
		return NO_KEY;
	}
	keycode k = translate(rc, c);
	if (k != K_ESC || rc != OK)
		return k == K_NONE ? NO_KEY : k;
	timeout(25);
	rc = get_wch(&c);
	nodelay(stdscr, TRUE);
	if (rc == ERR)
		return K_ESC;
	k = translate(rc, c);
	if (k == K_RESIZE || k == K_MOUSE || k == K_NONE) {
		if (k != K_NONE)
			ungetch(k == K_RESIZE ? KEY_RESIZE : KEY_MOUSE);
		return K_ESC;
	}
	return k | KEYF_META;
}

bool term_waits(void)
{
	return answer.part != ANSWER_NONE;
}

keycode term_key(void)
{
	double asked = now_seconds();
	keycode k = answer.n_back ? answer_back(&answer) : term_read_key();

	/* silence lasts to the read that finds nothing: what comes while this process sleeps is found */
	return answer_key(&answer, k, k == K_NONE ? asked : now_seconds());
}

const char *term_sequence(char *buf, size_t size)
{
	snprintf(buf, size, "\033%c%s", (int)answer.kind, answer.text);
	return buf;
}

const char *term_key_bytes(keycode k, char *buf, size_t size)
{
	const char *meta = k & KEYF_META ? "\033" : "";

	k &= ~KEYF_META;
	if (!KEY_IS_SPECIAL(k)) {
		char mb[MB_LEN_MAX + 1] = {0};
		mbstate_t st = {0};

		if (k < 0x80 || (ui.ascii && k < 0x100))
			mb[0] = (char)k;
		else if (wcrtomb(mb, (wchar_t)k, &st) == (size_t)-1)
			mb[0] = 0;
		snprintf(buf, size, "%s%s", meta, mb);
		return buf;
	}
	if (k == K_BACKSPACE || k == K_HOME || k == K_END) { /* as readline knows them, whatever was sent */
		snprintf(buf, size, "%s%s", meta,
			 k == K_BACKSPACE ? "\177"
			 : k == K_HOME	  ? "\033[H"
					  : "\033[F");
		return buf;
	}
	for (size_t i = 0; i < ARRAY_LEN(specials); i++) {
		char *s = special_keys[i] == k ? keybound(specials[i], 0) : NULL;

		if (s) {
			snprintf(buf, size, "%s%s", meta, s);
			free(s);
			return buf;
		}
	}
	buf[0] = 0;
	return buf;
}

bool term_mouse(int *y, int *x, int *button)
{
	MEVENT m;

	if (getmouse(&m) != OK)
		return false;
	*y = m.y;
	*x = m.x;
	*button = m.bstate & BUTTON1_DOUBLE_CLICKED		   ? 6
		  : m.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED) ? 1
		  : m.bstate & BUTTON4_PRESSED			   ? 4
		  : m.bstate & BUTTON5_PRESSED			   ? 5
		  : m.bstate & BUTTON3_PRESSED			   ? 3
								   : 0;
	return *button;
}

/* --- content ----------------------------------------------------------------- */

void term_screen(FILE *out)
{
	AUTO_TEXT struct text t = {0};
	int y, x;

	getyx(stdscr, y, x);
	for (int line = 0; line < LINES; line++) {
		size_t end = 0;

		text_clear(&t);
		for (int at = 0; at < COLS;) {
			cchar_t cc;
			wchar_t ws[CCHARW_MAX + 1] = {0};
			attr_t a;
			short pair;
			char mb[MB_LEN_MAX + 1] = {0};

			if (mvin_wch(line, at, &cc) == ERR || getcchar(&cc, ws, &a, &pair, NULL) == ERR ||
			    !ws[0])
				ws[0] = L' ';
			int w = wcwidth(ws[0]);
			for (const wchar_t *c = ws; *c; c++) {
				memset(mb, 0, sizeof(mb));
				if (wctomb(mb, *c) < 0)
					mb[0] = '?';
				text_add(&t, "%s", mb);
			}
			if (ws[0] != L' ')
				end = t.len;
			at += MAX(w, 1);
		}
		t.len = end;
		if (t.s)
			t.s[end] = 0;
		fprintf(out, "%s\n", text_str(&t));
	}
	move(y, x);
}

/* Can the terminal show panes? This is a file of its own because term.h defines words such as `lines` as
 * macros. */

#define ELSE                                                                                             \
	"set TERM to one that does (xterm, vt100, ...), or use -e COMMANDS or -x FILE to run without a " \
	"screen"

int term_check(struct err *e)
{
	const char *term = getenv("TERM");
	int found;

	if (!term || !*term)
		return err_set(e, "TERM does not name the type of the terminal; " ELSE);
	if (setupterm(term, STDOUT_FILENO, &found))
		return err_set(e, "nothing is known of the terminal type \"%s\" (%s); " ELSE, term,
			       package_of(PACKAGE_TERMINFO));
	const char *cup = tigetstr("cup");
	if (!cup || cup == (char *)-1)
		return err_set(e, "the terminal type \"%s\" does not place its cursor; " ELSE, term);
	return 0;
}
