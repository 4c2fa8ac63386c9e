/*
 * Files that the explorer looks at when it starts.  /etc is the folder that $IBSCOPE_ETC names where it is
 * set, so that nothing depends on what a machine has (tests).
 */
#ifndef IBSCOPE_START_FILES_H
#define IBSCOPE_START_FILES_H

#include <stddef.h>

/* Commands: /etc/ibscope/rc, then $XDG_CONFIG_HOME/ibscope/rc; those that can be read.  How many; to be
 * freed. */
#define RC_FILES 2
size_t rc_files(char *path[RC_FILES]);

/* The node-name-map where infiniband-diags 44 and OpenSM 3.3.23 look for it; NULL: none.  To be freed. */
char *default_node_names(void);

#endif
