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

int unpack(const char *name, struct progress *p, char **data, size_t *size, struct err *e)
{
	const char *tool = foreign_unpacker(*data, *size);
	char *argv[] = {(char *)(uintptr_t)tool, (char[]){"-dc"}, NULL};
	struct program_way way = {.mib = FILE_MIB};
	struct err why = {.kind = 0};
	int rc;

	if (!tool || !program_exists(tool))
		return 0;
	way.in = memory_file(name, *data, *size, e);
	free(*data);
	*data = NULL;
	if (way.in < 0)
		return -1;
	rc = program_output(argv, &way, name, data, size, p, &why);
	close(way.in);
	if (!rc)
		return 0;
	return err_kind(&why) == ERR_LIMIT || err_is_memory(&why) || progress_cancelled(p)
		       ? err_copy(e, &why)
		       : err_set_kind(e, why.kind, "%s: cannot be unpacked: %s", name, why.msg);
}

int read_packed_file(const char *path, struct progress *p, char **data, size_t *size, struct err *e)
{
	return read_file(path, p, data, size, e) || unpack(path, p, data, size, e) ? -1 : 0;
}
