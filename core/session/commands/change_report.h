/* `report change`: a change told for the people who decide on it; parts of it are those of `report`. */
#ifndef IBSCOPE_COMMANDS_CHANGE_REPORT_H
#define IBSCOPE_COMMANDS_CHANGE_REPORT_H

#include "core/session/commands/commands.h"
#include "core/session/document.h"
#include "core/session/replay.h"

/* Its document, HTML if the path ends so or the words ask for it.  -1 and *e: cancelled, no tables, ... */
int report_change(struct session *s, const struct args *args, const char *path, const struct replay *r,
		  FILE *f, struct out *o, struct err *e);

/* Parts of every report: the fabric, the settings in force, the commands that do all of it again. */
void report_source(struct document *d, const struct session *s);
void report_settings(struct document *d, const struct session *s, const struct sweep *w);
void report_script(struct document *d, const struct replay *r);

#endif
