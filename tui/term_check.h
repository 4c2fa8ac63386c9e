#ifndef IBSCOPE_TERM_CHECK_H
#define IBSCOPE_TERM_CHECK_H

struct err;

/* Can the terminal named by TERM show panes? -1 and *e if not. */
int term_check(struct err *e);

#endif
