/* Runs a fuzz target over the files given as arguments and tells each that it survived; 0 when it survives
 * all. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/base/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t n = 0, cap = 0, got;

	if (!f) {
		perror(path);
		return 1;
	}
	do {
		data = mem_resize(data, cap += 1 << 16, 1);
		n += got = fread(data + n, 1, cap - n, f);
	} while (got);
	fclose(f);
	data = mem_resize(data, n, 1); /* the sanitizer sees what lies behind the end */
	LLVMFuzzerTestOneInput(data, n);
	free(data);
	printf("survived %s\n", path);
	fflush(stdout);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed |= replay(argv[i]);
	return failed;
}
