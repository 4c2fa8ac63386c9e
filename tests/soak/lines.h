/* Random command lines: by the syntax lines of the commands, with garbage in between. */
#ifndef IBSCOPE_SOAK_LINES_H
#define IBSCOPE_SOAK_LINES_H

#include "core/session/command.h"
#include "tests/soak/mutate.h"

struct maker {
	const struct session *s;
	uint64_t *rng;
	const struct content *file; /* that commands are given, as they are or changed */
	size_t n_files;
	bool reads; /* the line made last only looks: it must change nothing */
};

/* The description of a small fabric; to be freed. */
char *make_spec(uint64_t *rng);

/* A command that routes by some engine; to be freed. */
char *make_route(struct maker *m);

/* Files that it names are written into the current folder; to be freed. */
char *make_line(struct maker *m);

#endif
