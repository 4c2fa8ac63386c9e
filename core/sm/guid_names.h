/*
 * Names in place of files of GUIDs: `root_guid_file *CCORE*`. optdef.names marks the options that take them.
 * A value is a list of words: names, globs, lists as Slurm writes them, GUIDs.
 */
#ifndef IBSCOPE_GUID_NAMES_H
#define IBSCOPE_GUID_NAMES_H

#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/fabric/fabric.h"
#include "core/routing/routing.h"
#include "core/sm/options.h"

/*
 * The same as options_set(), with two additions.  `guid` may be a node's GUID or name, and becomes the GUID
 * of its port.  An option for a file may have names of the fabric instead (NULL: no fabric is loaded, so
 * there are no names). -1 and *e: it is neither a file nor such names, or a word fits nothing.
 */
int options_set_named(struct options *o, const struct fabric *f, const char *name, const char *value,
		      struct err *e);

/* The same for "NAME=VALUE".  -1 and *e also when there is no such option, or one that changes the fabric. */
int options_assign(struct options *o, const struct fabric *f, const char *word, struct err *e);

/* The number of GUIDs for which an option's names stand; 0 also when its value is not names. */
uint32_t options_named(const struct options *o, const char *name);

/* Makes a new set with what the same names mean in another fabric.  Words that match nothing there are
 * dropped. */
struct options *options_named_anew(const struct options *o, const struct fabric *f);

/* OpenSM's guid2lid file: `<guid> <min lid> <max lid>`, each line followed by an empty one. */

/* *entries is to be freed.  -1 and *e (file, line) when the file cannot be read or has a broken line. */
int guid2lid_read(const char *path, struct progress *p, struct guid2lid **entries, size_t *n, struct err *e);

#endif
