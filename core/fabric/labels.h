/* Names of things of a fabric for a person: one spelling for all commands and panes. */
#ifndef IBSCOPE_LABELS_H
#define IBSCOPE_LABELS_H

#include "core/fabric/fabric.h"

/* An endport: its node's name, with [port] when the node has several endports.  buf is returned. */
const char *endport_label(const struct fabric *f, uint32_t ep, char *buf, size_t size);

/* The port of a forwarding table's entry: its number, "-" for NO_PATH.  buf is returned, or a static text. */
const char *lft_port_label(unsigned port, char *buf, size_t size);

#endif
