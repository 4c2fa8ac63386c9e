/* Files that are read: plain, packed or archived ones, lesson files, files of GUIDs. */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/builtin.h"
#include "core/base/cursor.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/permit.h"
#include "core/base/program.h"
#include "core/base/progress.h"
#include "core/base/text.h"

/* The data as a file without a name, ready to be read from its beginning; -1 and *e. */
static int memory_file(const char *name, const char *data, size_t size, struct err *e)
{
	int fd = memfd_create("packed", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < size) {
		ssize_t n = write(fd, data + done, size - done);

		if (n <= 0) {
			close(fd);
			return err_system(e, name, errno);
		}
		done += (size_t)n;
	}
	if (fd < 0 || lseek(fd, 0, SEEK_SET))
		return err_system(e, name, errno);
	return fd;
}

static int unpack_within(const char *name, unsigned mib, struct progress *p, char **data, size_t *size,
			 struct err *e)
{
	const char *tool = foreign_unpacker(*data, *size);
	char *argv[] = {(char *)(uintptr_t)tool, (char[]){"-dc"}, NULL};
	struct program_way way = {.name = name, .mib = mib};
	struct err why = {.kind = 0};

	if (!tool || !program_exists(tool))
		return 0;
	way.in = memory_file(name, *data, *size, e);
	free(*data);
	*data = NULL;
	if (way.in < 0)
		return -1;
	int rc = program_output(argv, &way, data, size, p, &why);
	close(way.in);
	if (!rc)
		return 0;
	return err_kind(&why) == ERR_LIMIT || err_is_memory(&why) || progress_cancelled(p)
		       ? err_copy(e, &why)
		       : err_set_kind(e, why.kind, "%s: cannot be unpacked: %s", name, why.msg);
}

int unpack(const char *name, struct progress *p, char **data, size_t *size, struct err *e)
{
	return unpack_within(name, FILE_MIB, p, data, size, e);
}

int read_packed_list(const char *path, struct progress *p, char **data, size_t *size, struct err *e)
{
	return read_path(path, LIST_FILE_MIB, p, data, size, e) ||
			       unpack_within(path, LIST_FILE_MIB, p, data, size, e)
		       ? -1
		       : 0;
}

int read_packed_file(const char *path, struct progress *p, char **data, size_t *size, struct err *e)
{
	return read_file(path, p, data, size, e) || unpack(path, p, data, size, e) ? -1 : 0;
}

enum family { DEBIAN, RHEL, SUSE, OTHER };

static const char *const names[][OTHER + 1] = {
	[PACKAGE_OPENSM] = {"package opensm", "package opensm", "package opensm", "package opensm"},
	[PACKAGE_IBSIM] = {"package ibsim-utils", "package ibsim", "package ibsim",
			   "package ibsim-utils of Debian, ibsim of RHEL and SUSE"},
	[PACKAGE_TERMINFO] = {"packages ncurses-base and ncurses-term",
			      "packages ncurses-base and ncurses-term", "packages terminfo-base and terminfo",
			      "packages ncurses-base and ncurses-term of Debian and RHEL, terminfo-base and "
			      "terminfo of SUSE"},
	[PACKAGE_LOCALE] =
		{"package libc-bin", "package glibc-minimal-langpack", "package glibc-locale-base",
		 "package libc-bin of Debian, glibc-minimal-langpack of RHEL, glibc-locale-base of "
		 "SUSE"},
	[PACKAGE_GRAPHVIZ] = {"package graphviz", "package graphviz", "package graphviz", "package graphviz"},
	[PACKAGE_RSVG] = {"package librsvg2-bin", "package librsvg2-tools", "package rsvg-convert",
			  "package librsvg2-bin of Debian, librsvg2-tools of RHEL, rsvg-convert of SUSE"},
	[PACKAGE_RDMA] = {"package rdma-core", "package rdma-core", "package rdma-core", "package rdma-core"},
};
static_assert(ARRAY_LEN(names) == PACKAGE_RDMA + 1, "each package has its names");

/* Found by ID and ID_LIKE, as ID=rocky, ID_LIKE="rhel centos fedora".  NULL: OTHER. */
static enum family family_of(const char *os_release)
{
	static const struct {
		const char *word;
		enum family family;
	} known[] = {{"debian", DEBIAN}, {"ubuntu", DEBIAN}, {"rhel", RHEL},
		     {"fedora", RHEL},	 {"suse", SUSE},     {"sles", SUSE}};

	for (const char *line = os_release; line && *line;
	     line += strcspn(line, "\n"), line += *line == '\n') {
		size_t len = strcspn(line, "\n");

		if (strncmp(line, "ID=", 3) && strncmp(line, "ID_LIKE=", 8))
			continue;
		for (size_t i = 0; i < ARRAY_LEN(known); i++)
			if (memmem(line, len, known[i].word, strlen(known[i].word)))
				return known[i].family;
	}
	return OTHER;
}

const char *package_of(enum package what)
{
	static const char *const places[] = {"/etc/os-release", "/usr/lib/os-release"};

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		AUTO_FREE char *data = NULL;
		const char *found;
		char *text;
		size_t size;

		if (read_file(places[i], NULL, &data, &size, NULL))
			continue;
		text = strndup(data, size);
		found = names[what][family_of(text)];
		free(text);
		return found;
	}
	return names[what][OTHER];
}

#define WAIT_MS 50 /* interval of checks for cancelling */

struct infile {
	int fd;
	struct progress *progress;
};

/* Waits on a FIFO that nobody has opened for writing: it has neither data nor an end. */
static ssize_t read_bytes(void *cookie, char *buf, size_t size)
{
	struct infile *in = cookie;

	while (!progress_cancelled(in->progress)) {
		struct pollfd p = {.fd = in->fd, .events = POLLIN};

		if (poll(&p, 1, WAIT_MS) <= 0)
			continue;
		ssize_t n = read(in->fd, buf, size);
		if (n >= 0 || (errno != EAGAIN && errno != EINTR))
			return n;
	}
	errno = ECANCELED;
	return -1;
}

static int close_file(void *cookie)
{
	struct infile *in = cookie;
	int rc = close(in->fd);

	free(in);
	return rc;
}

static FILE *open_waiting(int fd, struct progress *p)
{
	static const cookie_io_functions_t io = {.read = read_bytes, .close = close_file};
	struct infile *in = NEW(struct infile);

	*in = (struct infile){.fd = fd, .progress = p};
	FILE *f = fopencookie(in, "r", io);
	if (!f)
		free(in);
	return f;
}

FILE *infile_open(const char *path, struct progress *p)
{
	struct builtin in;
	struct stat st;

	if (builtin_find(path, &in))
		return fmemopen((void *)(uintptr_t)in.data, in.size, "r");
	if (permitted_to_read(path, NULL)) {
		errno = EPERM;
		return NULL;
	}
	if (!p)
		return fopen(path, "re");
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	FILE *f = !fstat(fd, &st) && S_ISREG(st.st_mode) ? fdopen(fd, "r") : open_waiting(fd, p);
	if (!f) {
		int saved = errno;
		close(fd);
		errno = saved;
	}
	return f;
}

#define FOLDER "lessons/" /* folder of the files in the program */
#define ENDING ".lesson"

/* Folders of lessons, relative to the program. Programs of tests and of building lie deeper. */
static const char *const places[] = {"lessons", "../views/lessons", "../share/ibscope/lessons",
				     "../../views/lessons"};
#define FOLDERS (1 + ARRAY_LEN(places))

/* The i-th of FOLDERS, or NULL. */
static char *folder(size_t i)
{
	assert(i < FOLDERS);
	if (i) {
		AUTO_FREE char *self = realpath("/proc/self/exe", NULL);
		const char *slash = self ? strrchr(self, '/') : NULL;

		return slash ? str_printf("%.*s/%s", (int)(slash - self), self, places[i - 1]) : NULL;
	}
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	if (config && *config == '/')
		return str_printf("%s/ibscope/lessons", config);
	return home && *home ? str_printf("%s/.config/ibscope/lessons", home) : NULL;
}

const char *lesson_name(const char *word)
{
	static const char mark[] = "lesson:";

	return strncmp(word, mark, sizeof(mark) - 1) ? NULL : word + sizeof(mark) - 1;
}

/* Does the path lead to a file directly in one of these folders? */
static bool lesson_has_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	bool has = false;

	for (size_t i = 0; slash && i < FOLDERS && !has; i++) {
		AUTO_FREE char *in = folder(i);

		has = in && strlen(in) == (size_t)(slash - path) && !strncmp(in, path, strlen(in));
	}
	return has;
}

/* A file without a name, which this program has made (memfd_create()). */
static bool is_own_memory(const char *path)
{
	char own[32], to[32];
	int len = snprintf(own, sizeof(own), "/proc/%d/fd/", (int)getpid());
	ssize_t n = strncmp(path, own, (size_t)len) ? 0 : readlink(path, to, sizeof(to));

	return n > 7 && !memcmp(to, "/memfd:", 7);
}

int permitted_to_read(const char *path, struct err *e)
{
	bool of_lessons = lesson_name(path) || lesson_has_file(path) || is_own_memory(path);

	return of_lessons ? 0 : permitted(DEED_READ, path, e);
}

char *lesson_file(const char *name, struct err *e)
{
	struct builtin b;
	struct stat st;
	char *path;

	if (!*name || *name == '.' || strchr(name, '/')) {
		err_set(e, "found \"%.100s\", expected the name of a file of the lessons", name);
		return NULL;
	}
	for (size_t i = 0; i < FOLDERS; i++) {
		AUTO_FREE char *in = folder(i);

		path = in ? str_printf("%s/%s", in, name) : NULL;
		if (path && !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, R_OK))
			return path;
		free(path);
	}
	path = str_printf(BUILTIN FOLDER "%s", name);
	if (builtin_find(path, &b))
		return path;
	free(path);
	err_set(e, "there is no file %.100s among the lessons (views/lessons, share/ibscope/lessons)", name);
	return NULL;
}

struct names {
	char **name;
	size_t n, cap;
};

static void lessonfile_add_name(struct names *l, char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->name[i], name)) {
			free(name);
			return;
		}
	GROW(l->name, l->n, l->cap);
	l->name[l->n++] = name;
}

/* Adds a file of the lessons, if it is a lesson. */
static void add_file(struct names *l, const char *file, size_t len)
{
	const size_t ending = strlen(ENDING);

	if (*file != '.' && len > ending && !memcmp(file + len - ending, ENDING, ending))
		lessonfile_add_name(l, str_printf("%.*s", (int)(len - ending), file));
}

char **lesson_names(void)
{
	struct names l = {0};
	struct builtin b = {0};

	while (builtin_next(&b))
		if (b.name_len > strlen(FOLDER) && !memcmp(b.name, FOLDER, strlen(FOLDER)))
			add_file(&l, b.name + strlen(FOLDER), b.name_len - strlen(FOLDER));
	for (size_t i = 0; i < FOLDERS; i++) {
		AUTO_FREE char *in = folder(i);

		if (in) {
			DIR *dp = opendir(in);
			struct dirent *d;

			while (dp && (d = readdir(dp)))
				add_file(&l, d->d_name, strlen(d->d_name));
			if (dp)
				closedir(dp);
		}
	}
	if (l.n)
		qsort(l.name, l.n, sizeof(*l.name), order_texts);
	GROW(l.name, l.n, l.cap);
	l.name[l.n] = NULL;
	return l.name;
}

/* Most bytes of a piece, as with fgets() and a buffer of 256. */
#define PIECE 255

static bool is_white(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static const char *guidfile_skip_white(const char *p)
{
	while (is_white(*p))
		p++;
	return p;
}

/* Take one piece, NUL-terminated; false: it is invalid. */
static bool guidfile_read_piece(struct guid_file *g, const char *piece, unsigned line)
{
	const char *p = guidfile_skip_white(piece);
	char *end;

	if (!*p || *p == '#')
		return true;
	uint64_t guid = strtoull(p, &end, 0);
	if (end == p || (*end && *end != '#' && !is_white(*end)))
		return false;
	p = guidfile_skip_white(end);
	GROW(g->l, g->n, g->cap);
	g->l[g->n].guid = guid;
	g->l[g->n].line = line;
	g->l[g->n].rest = str_dup(p);
	g->l[g->n].rest[strcspn(p, "\n")] = 0;
	g->n++;
	return true;
}

static void guidfile_stop(struct guid_file *g, const char *name, unsigned line, const char *piece)
{
	struct cursor c = {piece, piece + strcspn(piece, "\n")};
	char found[40];

	g->stopped = line;
	err_set(&g->why,
		"%s:%u: found '%s', expected a GUID in C notation (hexadecimal needs 0x) followed by white "
		"space, '#' or the end of the line; the rest of the file is not read",
		name, line, excerpt(c, found, sizeof(found)));
}

void guid_file_parse(struct guid_file *g, const char *name, const char *data, size_t size,
		     bool discard_invalid)
{
	char piece[PIECE + 1];
	unsigned line = 1;

	*g = (struct guid_file){0};
	for (size_t at = 0; at < size && !g->stopped;) {
		size_t left = size - at, n = MIN(left, PIECE);
		const char *nl = memchr(data + at, '\n', n);

		n = nl ? (size_t)(nl - (data + at)) + 1 : n;
		memcpy(piece, data + at, n);
		piece[n] = 0;
		at += n;
		if (!guidfile_read_piece(g, piece, line)) {
			if (!discard_invalid)
				guidfile_stop(g, name, line, piece);
			else if (!g->skipped++)
				g->first_skipped = line;
		}
		line += nl != NULL;
	}
}

void guid_file_read(struct guid_file *g, const char *path, bool discard_invalid, struct progress *p)
{
	AUTO_FREE char *data = NULL;
	struct err why;
	size_t size;

	if (*path == GUID_LIST_MARK) {
		data = str_dup(path + 1);
		size = strcspn(data, "\n");
		path += 1 + size + (path[1 + size] != '\0');
		data[size] = '\0';
		guid_file_parse(g, data, path, strlen(path), discard_invalid);
		return;
	}
	if (read_small_file(path, p, &data, &size, &why)) {
		*g = (struct guid_file){.stopped = UINT_MAX, .why = why};
		return;
	}
	guid_file_parse(g, path, data, size, discard_invalid);
}

void guid_file_free(struct guid_file *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->l[i].rest);
	free(g->l);
	*g = (struct guid_file){0};
}
