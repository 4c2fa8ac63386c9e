/*
 * Which basic blocks of the program run?  Linked with objects whose compiler put a call into each
 * (-fsanitize-coverage=trace-pc).  The file REACH.PROGRAM, as long as the program's text, gets a 1 where such
 * a call returns to.  It is mapped before anything else is done: processes that may open nothing later, and
 * several at a time, write into it, too.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern const char __executable_start, etext;
void __sanitizer_cov_trace_pc(void);

static unsigned char *reached;

void __sanitizer_cov_trace_pc(void)
{
	uintptr_t at = (uintptr_t)__builtin_return_address(0) - (uintptr_t)&__executable_start;

	if (reached && at < (uintptr_t)&etext - (uintptr_t)&__executable_start && !reached[at])
		reached[at] = 1;
}

__attribute__((constructor(101))) static void begin(void)
{
	const char *prefix = getenv("REACH");
	size_t size = (uintptr_t)&etext - (uintptr_t)&__executable_start;
	char self[4096], file[8192];
	ssize_t n = prefix ? readlink("/proc/self/exe", self, sizeof(self) - 1) : -1;
	void *p = MAP_FAILED;
	int fd;

	if (n <= 0)
		return;
	self[n] = '\0';
	snprintf(file, sizeof(file), "%s.%s", prefix, strrchr(self, '/') + 1);
	fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0 && !ftruncate(fd, (off_t)size))
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p != MAP_FAILED)
		reached = p;
	if (fd >= 0)
		close(fd);
}
