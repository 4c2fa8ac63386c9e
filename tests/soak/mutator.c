/*
 * Gives files, changed at random, to a fuzz target (tests/fuzz), in this process and under the sanitizers.
 *
 *	build/soak/fuzz_fabric SEED SECONDS KEEP FILE...
 *
 * KEEP holds the input that is being tried: what is left in it after a death is what repeats it
 * (build/replay/fuzz_fabric KEEP).  At the end "tried N".
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/rng.h"
#include "tests/soak/mutate.h"

#define HANGS 60 /* seconds of CPU time that one input may take */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void keep_input(int fd, const struct content *c)
{
	if (pwrite(fd, c->data, c->n, 0) != (ssize_t)c->n || ftruncate(fd, (off_t)c->n)) {
		perror("mutator: the input cannot be kept");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	const struct itimerval hang = {.it_value.tv_sec = HANGS};
	size_t n_files = argc > 4 ? (size_t)argc - 4 : 0;
	struct content *file;
	double end;
	uint64_t rng;
	unsigned long tried = 0;
	int fd;

	if (!n_files)
		return fprintf(stderr, "usage: %s SEED SECONDS KEEP FILE...\n", argv[0]), 2;
	file = NEW_ARRAY(n_files, struct content);
	for (size_t i = 0; i < n_files; i++)
		file[i] = content_read(argv[4 + i]);
	rng = strtoull(argv[1], NULL, 0);
	end = now_seconds() + strtod(argv[2], NULL);
	fd = open(argv[3], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return perror(argv[3]), 2;
	while (now_seconds() < end) {
		struct content c = mutate(&rng, &file[rng_below(&rng, (uint32_t)n_files)],
					  &file[rng_below(&rng, (uint32_t)n_files)]);

		keep_input(fd, &c);
		setitimer(ITIMER_PROF, &hang, NULL);
		LLVMFuzzerTestOneInput((const uint8_t *)c.data, c.n);
		tried++;
		free(c.data);
		free(c.name);
	}
	for (size_t i = 0; i < n_files; i++) {
		free(file[i].data);
		free(file[i].name);
	}
	free(file);
	close(fd);
	printf("tried %lu\n", tried);
	return 0;
}
