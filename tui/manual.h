/*
 * The manual pages, made from the same tables as `help`.  `ibscope --man` prints ibscope(1), `ibscope --man
 * json` ibscope-json(5), as text where the program has that (make static), else its source;
 * `ibscope --manual TEMPLATE` prints TEMPLATE (tui/ibscope.1.in, tui/ibscope-json.5.in) with its places
 * filled in, for the build.  A place is a line
 *
 *	@commands@  @engines@  @options@  @kinds@  @panes@  @topics@  @actions@  @limits@  @keys FILE@
 *
 * where FILE is a keymap that is in the program (core/base/builtin.h).
 */
#ifndef IBSCOPE_MANUAL_H
#define IBSCOPE_MANUAL_H

#include "core/session/command.h"
#include "core/sm/engine.h"

/*
 * Returns -1 if the command line does not request the manual page; otherwise prints it and returns the exit
 * status.
 */
int manual_main(int argc, char **argv, const struct command *const *commands,
		const struct engine *const *engines);

#endif
