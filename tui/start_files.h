/*
 * Files that the explorer reads when it starts. If $IBSCOPE_ETC is set, it replaces /etc, so that tests do
 * not depend on the machine.
 */
#ifndef IBSCOPE_START_FILES_H
#define IBSCOPE_START_FILES_H

#include <stddef.h>

/*
 * Command files that can be read: /etc/ibscope/rc, then $XDG_CONFIG_HOME/ibscope/rc. Returns their number.
 * The caller frees them.
 */
#define RC_FILES 2
size_t rc_files(char *path[RC_FILES]);

/*
 * The node-name-map where infiniband-diags 44 and OpenSM 3.3.23 look for it; NULL: none. The caller frees it.
 */
char *default_node_names(void);

#endif
