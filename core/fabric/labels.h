/* Names of things of a fabric for a person: one spelling for all commands and panes. */
#ifndef IBSCOPE_LABELS_H
#define IBSCOPE_LABELS_H

#include "core/fabric/fabric.h"

/* An endport: its node's name, with [port] when the node has several endports.  buf is returned. */
const char *endport_label(const struct fabric *f, uint32_t ep, char *buf, size_t size);

/* The same, and ports as fabric.h names them, in buffers that last to the end of the block: for arguments. */
#define ENDPORT_LABEL(f, ep) endport_label(f, ep, (char[300]){0}, 300)
#define PORT_LABEL(f, port) port_label(f, port, (char[300]){0}, 300)
#define EXIT_NUMBER(f, sw, port) exit_number(f, sw, port, (char[PORT_NUMBER_MAX + 1]){0}, PORT_NUMBER_MAX + 1)

/* The port of a forwarding table's entry: its number, "-" for NO_PATH.  buf is returned, or a static text. */
const char *lft_port_label(unsigned port, char *buf, size_t size);

#endif
