/*
 * Files that lessons are made of, by a short name: NAME.lesson, lists of GUIDs, the list of small fabrics.
 * They lie in $XDG_CONFIG_HOME/ibscope/lessons, beside the program, in ../views/lessons where it was built,
 * or in ../share/ibscope/lessons where it is installed; otherwise they are those in the program.
 */
#ifndef IBSCOPE_LESSONFILE_H
#define IBSCOPE_LESSONFILE_H

#include "core/base/err.h"

/* The NAME of "lesson:NAME", a form in specifications of fabrics and values of options; otherwise NULL. */
const char *lesson_name(const char *word);

/* Path of such a file; to be freed.  NULL and *e: it does not exist, or the name is no plain file name. */
char *lesson_file(const char *name, struct err *e);

/* permitted() to read a file: commands of a lesson may read these files. */
int permitted_to_read(const char *path, struct err *e);

/* Names of all lessons, each once, sorted by name; ended by NULL.  Free them with their list. */
char **lesson_names(void);

#endif
