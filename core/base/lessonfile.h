/*
 * Files that lessons are made of, by a short name: NAME.lesson, lists of GUIDs, the list of small fabrics.
 * They lie in $XDG_CONFIG_HOME/ibscope/lessons, beside the program, in ../views/lessons where it was built,
 * or in ../share/ibscope/lessons where it is installed.
 */
#ifndef IBSCOPE_LESSONFILE_H
#define IBSCOPE_LESSONFILE_H

#include "core/base/err.h"

/* "lesson:NAME", as specifications of fabrics and values of options have it: NAME, else NULL. */
const char *lesson_name(const char *word);

/* Path of such a file; to be freed.  NULL and *e: there is none, or it is no plain file name. */
char *lesson_file(const char *name, struct err *e);

/* Names of all lessons, each once, by name; ended by NULL, to be freed with their list. */
char **lesson_names(void);

#endif
