/* Reading an opensm.conf: the options that bear on routing. */
#ifndef IBSCOPE_CONF_H
#define IBSCOPE_CONF_H

#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/sm/options.h"

/*
 * Set options from lines `key value`, read as OpenSM 3.3.23 reads them.  `#` ends a line wherever it stands.
 * One pair of quotes around a value is dropped.  Of several lines for a key the last counts.  Only TRUE is
 * true. (null) is "none".  Numbers are in C notation. dimn_ports_file is the old name of
 * port_search_ordering_file.  Paths are taken relative to the current directory.
 *
 * A file that names no option of OpenSM but others is of another kind, and refused with what it looks like.
 *
 * A bad value is refused; OpenSM reports a number that it cannot use and goes on with the default.  A file
 * that is no text or begins with a byte order mark is refused too.  Keys of OpenSM that do not concern
 * routing are skipped and counted in a line of notes.  A key that OpenSM does not know either gets a line of
 * its own.  Of a file of NVIDIA's OpenSM nvidia.settings tells its keys; it sets `rules nvidia`.  So does a
 * NUL byte: OpenSM reads nothing of the line behind it.
 *
 * *engines: the value of routing_engine as "a,b,c" (caller frees), NULL when unset. notes may be NULL.  -1
 * and *e ("FILE:LINE: option: found ..., expected ...") leave o and *engines (NULL) unchanged.
 */
int conf_read(struct options *o, const char *path, struct progress *p, char **engines, struct text *notes,
	      struct err *e);

/* Does a line name an option of OpenSM 3.3.23 and a value? */
bool conf_knows(const char *line);

/* The same from memory. */
int conf_parse(struct options *o, const struct input *in, char **engines, struct text *notes, struct err *e);

#endif
