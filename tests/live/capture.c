/*
 * To be preloaded before the simulator's library: writes down what a program sends to an InfiniBand device.
 *
 *	CAPTURE_LOG=FILE	lines are appended there:
 *		open PATH		a device was opened
 *		send HEX		what was written to it: a MAD, its first bytes
 *		got			a MAD was read from it
 *		may open E socket E fork E exec E
 *					with CAPTURE_TRY, behind each `send`: what the process may do at
 *					this moment, 0 or an errno
 *		held			see CAPTURE_HOLD
 *	CAPTURE_TABLES=1	of what is written only, in whole, what sets the tables of a switch by a
 *				directed route (and no `got`):
 *		set ATTRIBUTE MODIFIER PATH DATA
 *					numbers in hexadecimal; a byte of PATH for each hop, "-" without
 *	CAPTURE_NO_FILTER=1	a seccomp filter cannot be loaded, as where the kernel has none
 *	CAPTURE_HOLD=FIFO	the first MAD to another node, or the CAPTURE_HOLD_AT-th one,
 *				stops the process until a byte can be read there
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <infiniband/umad.h>

#define MOST_FDS 65536
#define SHOWN 24 /* bytes of the MAD header */
enum { MAD_CLASS = 1, MAD_METHOD = 3, MAD_HOP_COUNT = 7, MAD_ATTRIBUTE = 17, MAD_MODIFIER = 20 };
enum { SMP_DATA = 64, SMP_PATH = 128, SMP_SIZE = 256, CLASS_DIRECTED = 0x81, METHOD_SET = 2 };
enum { ATTRIBUTE_SWITCH_INFO = 0x12, ATTRIBUTE_FORWARDING = 0x19 };

static bool device[MOST_FDS]; /* by descriptor */
static int log_fd = -1, hold_fd = -1, hold_at = 1;

int open(const char *path, int flags, ...);
ssize_t write(int fd, const void *buf, size_t n);
ssize_t read(int fd, void *buf, size_t n);
int close(int fd);
int seccomp_load(void *filter);

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void begin(void)
{
	const char *log = getenv("CAPTURE_LOG"), *hold = getenv("CAPTURE_HOLD");
	const char *at = getenv("CAPTURE_HOLD_AT");

	/* system calls as such: the simulator's library has its own open() */
	if (log)
		log_fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
				      0600);
	if (at)
		hold_at = atoi(at);
	if (hold)
		hold_fd = (int)syscall(SYS_openat, AT_FDCWD, hold, O_RDWR | O_CLOEXEC);
}

static void note(const char *line, size_t len)
{
	if (log_fd >= 0 && syscall(SYS_write, log_fd, line, len) < 0)
		abort();
}

int open(const char *path, int flags, ...)
{
	int (*real)(const char *, int, ...);
	char line[300];
	mode_t mode = 0;
	va_list ap;
	int fd;

	if (flags & (O_CREAT | O_TMPFILE)) {
		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		va_end(ap);
	}
	*(void **)&real = next("open");
	fd = real(path, flags, mode);
	if (fd >= 0 && fd < MOST_FDS && !strncmp(path, "/dev/infiniband/", 16)) {
		device[fd] = true;
		note(line, (size_t)snprintf(line, sizeof(line), "open %.250s\n", path));
	}
	return fd;
}

int close(int fd)
{
	int (*real)(int);

	if (fd >= 0 && fd < MOST_FDS)
		device[fd] = false;
	*(void **)&real = next("close");
	return real(fd);
}

/* In place of libseccomp's. */
int seccomp_load(void *filter)
{
	int (*real)(void *);

	*(void **)&real = next("seccomp_load");
	return getenv("CAPTURE_NO_FILTER") ? -EINVAL : real(filter);
}

static int failed(long result)
{
	return result < 0 ? errno : 0;
}

/* Try what a confined process may not do, in ways that change nothing where it may. */
static void try_all(void)
{
	char name[] = "/", none[] = "", *argv[] = {none, NULL}, line[100];
	long fd = syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC), sock, pid;
	int e_open = failed(fd), e_socket, e_fork, e_exec;

	if (fd >= 0)
		syscall(SYS_close, fd);
	sock = syscall(SYS_socket, AF_UNIX, SOCK_DGRAM, 0);
	e_socket = failed(sock);
	if (sock >= 0)
		syscall(SYS_close, sock);
	pid = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (!pid)
		syscall(SYS_exit_group, 0);
	e_fork = failed(pid);
	if (pid > 0)
		waitpid((pid_t)pid, NULL, 0);
	e_exec = failed(syscall(SYS_execve, none, argv, environ));
	note(line, (size_t)snprintf(line, sizeof(line), "may open %d socket %d fork %d exec %d\n", e_open,
				    e_socket, e_fork, e_exec));
}

static void hold(void)
{
	char c;

	note("held\n", 5);
	while (syscall(SYS_read, hold_fd, &c, 1) < 0 && errno == EINTR)
		continue;
	hold_fd = -1;
}

static int in_hex(char *line, const uint8_t *byte, int n)
{
	for (int i = 0; i < n; i++)
		snprintf(line + 2 * i, 3, "%02x", byte[i]);
	return 2 * n;
}

static void note_table(const uint8_t *mad)
{
	char line[400];
	int len = 4, hops = mad[MAD_HOP_COUNT];

	if (mad[MAD_CLASS] != CLASS_DIRECTED || mad[MAD_METHOD] != METHOD_SET ||
	    (mad[MAD_ATTRIBUTE] != ATTRIBUTE_SWITCH_INFO && mad[MAD_ATTRIBUTE] != ATTRIBUTE_FORWARDING))
		return;
	memcpy(line, "set ", 5);
	len += in_hex(line + len, mad + MAD_ATTRIBUTE, 1);
	line[len++] = ' ';
	len += in_hex(line + len, mad + MAD_MODIFIER, 4);
	line[len++] = ' ';
	if (!hops)
		line[len++] = '-';
	len += in_hex(line + len, mad + SMP_PATH + 1, hops < SMP_DATA ? hops : SMP_DATA - 1);
	line[len++] = ' ';
	len += in_hex(line + len, mad + SMP_DATA, SMP_DATA);
	line[len++] = '\n';
	note(line, (size_t)len);
}

ssize_t write(int fd, const void *buf, size_t n)
{
	ssize_t (*real)(int, const void *, size_t);
	size_t head = umad_size();
	char line[8 + 2 * SHOWN];
	const uint8_t *mad;
	ssize_t done;
	int len = 5;

	*(void **)&real = next("write");
	mad = (const uint8_t *)buf + head;
	if (fd < 0 || fd >= MOST_FDS || !device[fd] || n < head + SHOWN)
		return real(fd, buf, n);
	if (getenv("CAPTURE_TABLES")) {
		/* before it goes: once the answer is there, the log is read */
		if (n >= head + SMP_SIZE)
			note_table(mad);
		return real(fd, buf, n);
	}
	done = real(fd, buf, n);
	memcpy(line, "send ", 6);
	for (int i = 0; i < SHOWN; i++)
		len += snprintf(line + len, 3, "%02x", mad[i]);
	line[len++] = '\n';
	note(line, (size_t)len);
	if (getenv("CAPTURE_TRY"))
		try_all();
	if (hold_fd >= 0 && mad[MAD_CLASS] == CLASS_DIRECTED && mad[MAD_HOP_COUNT] && !--hold_at)
		hold();
	return done;
}

ssize_t read(int fd, void *buf, size_t n)
{
	ssize_t (*real)(int, void *, size_t);
	ssize_t done;

	*(void **)&real = next("read");
	done = real(fd, buf, n);
	if (fd >= 0 && fd < MOST_FDS && device[fd] && done >= (ssize_t)umad_size() &&
	    !getenv("CAPTURE_TABLES"))
		note("got\n", 4);
	return done;
}
