#include "core/base/unpack.h"
#include "core/base/cursor.h"
#include "core/base/foreign.h"
#include "core/base/memory.h"
#include "core/base/program.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The output of the program, as a stream.  It fails at the limit or without memory. */
struct sink {
	const char *name;
	char *data;
	size_t n, cap;
	struct err e; /* error of the sink */
	bool failed;
};

static ssize_t take(void *cookie, const char *buf, size_t n)
{
	struct sink *s = cookie;

	if (s->n + n > (size_t)FILE_MIB << 20) {
		s->failed = err_set(&s->e, "%s: found more than %d MiB, the most that is read", s->name,
				    FILE_MIB) != 0;
	} else if (s->n + n > s->cap) {
		size_t more = s->cap > n ? s->cap : n;

		s->failed = mem_room(&s->e, more, "reading %s", s->name) != 0;
		if (!s->failed) {
			s->cap += more;
			s->data = mem_resize(s->data, s->cap, 1);
		}
	}
	if (s->failed)
		return 0;
	memcpy(s->data + s->n, buf, n);
	s->n += n;
	return (ssize_t)n;
}

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

static int run(const char *tool, int in, struct sink *s, struct progress *p, struct err *e)
{
	static const cookie_io_functions_t io = {.write = take};
	char *argv[] = {(char *)(uintptr_t)tool, (char[]){"-dc"}, NULL};
	struct err why;
	FILE *to = fopencookie(s, "w", io);
	int rc;

	if (!to)
		return err_system(e, s->name, errno);
	rc = program_filter(argv, in, to, p, &why);
	fclose(to); /* writes the rest of its buffer to the sink */
	if (progress_cancelled(p))
		return err_set(e, CANCELLED);
	if (s->failed)
		return err_set(e, "%s", s->e.msg);
	return rc ? err_set(e, "%s: cannot be unpacked: %s", s->name, why.msg) : 0;
}

int unpack(const char *name, struct progress *p, char **data, size_t *size, struct err *e)
{
	const char *tool = foreign_unpacker(*data, *size);
	struct sink s = {.name = name};
	int in, rc;

	if (!tool || !program_exists(tool))
		return 0;
	in = memory_file(name, *data, *size, e);
	free(*data);
	*data = NULL;
	if (in < 0)
		return -1;
	rc = run(tool, in, &s, p, e);
	close(in);
	if (rc) {
		free(s.data);
		return -1;
	}
	*data = s.data ? s.data : mem_alloc(1);
	*size = s.n;
	return 0;
}

int read_packed_file(const char *path, struct progress *p, char **data, size_t *size, struct err *e)
{
	return read_file(path, p, data, size, e) || unpack(path, p, data, size, e) ? -1 : 0;
}
