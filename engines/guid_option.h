/* Options that name a file of GUIDs, as engines read them. Faults of the file become notes. */
#ifndef IBSCOPE_GUID_OPTION_H
#define IBSCOPE_GUID_OPTION_H

#include "core/base/defs.h"
#include "core/base/guidfile.h"
#include "core/sm/engine.h"

/*
 * Reads an option's GUID file if the option is set. False when there is no file. Faults become notes. Free g
 * in any case.
 */
bool read_guid_option(const struct engine_input *in, struct engine_output *out, const char *option,
		      struct guid_file *g);
/* Notes that a line of such a file is ignored, and why. */
void note_ignored(const struct engine_input *in, struct engine_output *out, const char *option, unsigned line,
		  const char *fmt, ...) PRINTF_LIKE(5, 6);

/*
 * Such an option as a struct optdef: its name, opensm's flag, what it names (enum opt_names), one line of
 * help.
 */
#define GUID_OPTION(called, as, of, text)                                                          \
	{                                                                                          \
		.name = called, .flag = as, .type = OPT_FILE, .names = of, .def = "", .help = text \
	}
/* Options of ftree and dfsssp. */
#define CN_GUID_FILE                                           \
	GUID_OPTION("cn_guid_file", "-u FILE", OPT_HOST_PORTS, \
		    "port GUIDs of compute nodes, one a line; default: all CA ports")
#define IO_GUID_FILE \
	GUID_OPTION("io_guid_file", "-G FILE", OPT_HOST_PORTS, "port GUIDs of I/O nodes, one a line")

#endif
