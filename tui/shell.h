/*
 * Completion in shells: `ibscope --complete LINE [TEXT]` prints what may stand at the end of a command line,
 * one a line: the whole word as the shell would hand it over, or, with TEXT (the end of LINE that a shell
 * would replace), what stands for TEXT, quoted as it needs to be there; behind a tab what it means.  The
 * files ibscope.bash, ibscope.zsh and ibscope.fish ask it; all that they offer comes from here.
 */
#ifndef IBSCOPE_SHELL_H
#define IBSCOPE_SHELL_H

#include "core/session/session.h"
#include "tui/program_options.h"

struct shell_line {
	int argc; /* the words of the line; the last, perhaps empty, is the one to be completed */
	char **argv;
	const char *raw;		     /* as typed, that one: the end of the line */
	char quote;			     /* is open at its end; 0: none */
	const struct program_option *of;     /* it is the value of this option, or holds it; NULL: no value */
	size_t lead;			     /* bytes of it before that value */
	bool plain;			     /* no option: "--" stands before it */
	const char *fabric, *names, *config; /* said before; NULL: not */
	bool commands; /* commands are to be completed: a session that knows fabric, names and config helps */
};

void shell_read(const char *line, struct shell_line *l);
void shell_offer(const struct shell_line *l, struct session *s, const char *text);
void shell_free(struct shell_line *l);

#endif
