/*
 * Names in place of files of GUIDs: `root_guid_file *CCORE*`.  The options that take them say so
 * (optdef.names).  A value is a list of words: names, globs, lists as Slurm writes them, GUIDs.
 */
#ifndef IBSCOPE_GUID_NAMES_H
#define IBSCOPE_GUID_NAMES_H

#include "core/base/err.h"
#include "core/fabric/fabric.h"
#include "core/sm/options.h"

/*
 * options_set(), but what is no file may be names of the fabric (NULL: none is loaded, so there are no
 * names).  -1 and *e: neither a file nor such names, or a word that fits nothing.
 */
int options_set_named(struct options *o, const struct fabric *f, const char *name, const char *value,
		      struct err *e);

/* The same for "NAME=VALUE"; -1 and *e also when there is no such option. */
int options_assign(struct options *o, const struct fabric *f, const char *word, struct err *e);

/* GUIDs that the names of an option stand for; 0 also where it is no names. */
uint32_t options_named(const struct options *o, const char *name);

/* What the names stand for in another fabric; words that fit nothing there stand for nothing.  A new set. */
struct options *options_named_anew(const struct options *o, const struct fabric *f);

#endif
