/*
 * Can the terminal show panes? This is a file of its own because term.h defines words such as `lines` as
 * macros.
 */
#include <curses.h>
#include <stdlib.h>
#include <term.h>
#include <unistd.h>
#include "tui/term_check.h"
#include "core/base/err.h"
#include "core/base/package.h"

#define ELSE                                                                                             \
	"set TERM to one that does (xterm, vt100, ...), or use -e COMMANDS or -x FILE to run without a " \
	"screen"

int term_check(struct err *e)
{
	const char *term = getenv("TERM"), *cup;
	int found;

	if (!term || !*term)
		return err_set(e, "TERM does not name the type of the terminal; " ELSE);
	if (setupterm(term, STDOUT_FILENO, &found))
		return err_set(e, "nothing is known of the terminal type \"%s\" (%s); " ELSE, term,
			       package_of(PACKAGE_TERMINFO));
	cup = tigetstr("cup");
	if (!cup || cup == (char *)-1)
		return err_set(e, "the terminal type \"%s\" does not place its cursor; " ELSE, term);
	return 0;
}
