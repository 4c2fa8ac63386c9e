/*
 * All unit programs in one, so that the library is linked once: `unit-tests NAME` is what build/unit/NAME is.
 * UNITS is a file of make's with a line X(NAME) of them all; make calls main() of each main_NAME().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(name) int main_##name(int argc, char **argv);
#include UNITS
#undef X

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} units[] = {
#define X(name) {#name, main_##name},
#include UNITS
#undef X
};

static int (*find(const char *name))(int argc, char **argv)
{
	for (size_t i = 0; name && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(name, units[i].name))
			return units[i].main;
	return NULL;
}

int main(int argc, char **argv)
{
	int (*unit)(int argc, char **argv) = find(argv[1]);

	if (unit) {
		setenv("UNIT", argv[1], 1);
		return unit(argc - 1, argv + 1);
	}
	unit = find(getenv("UNIT")); /* a test started itself with words of its own */
	if (unit)
		return unit(argc, argv);
	fprintf(stderr, "usage: unit-tests NAME [ARGUMENT]...\n");
	return 2;
}
