#include "core/base/infile.h"
#include "core/base/builtin.h"
#include "core/base/memory.h"
#include "core/base/lessonfile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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
		ssize_t n;

		if (poll(&p, 1, WAIT_MS) <= 0)
			continue;
		n = read(in->fd, buf, size);
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
	FILE *f;

	*in = (struct infile){.fd = fd, .progress = p};
	f = fopencookie(in, "r", io);
	if (!f)
		free(in);
	return f;
}

FILE *infile_open(const char *path, struct progress *p)
{
	struct builtin in;
	struct stat st;
	int fd, saved;
	FILE *f;

	if (builtin_find(path, &in))
		return fmemopen((void *)(uintptr_t)in.data, in.size, "r");
	if (permitted_to_read(path, NULL)) {
		errno = EPERM;
		return NULL;
	}
	if (!p)
		return fopen(path, "re");
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	f = !fstat(fd, &st) && S_ISREG(st.st_mode) ? fdopen(fd, "r") : open_waiting(fd, p);
	if (!f) {
		saved = errno;
		close(fd);
		errno = saved;
	}
	return f;
}
