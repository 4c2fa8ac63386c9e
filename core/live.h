/*
 * Live fabrics through libibnetdisc.  Only Get requests are ever sent.
 */
#ifndef IBSCOPE_LIVE_H
#define IBSCOPE_LIVE_H

#include "core/fabric.h"

/*
 * Discover from a local port: ca NULL = first active CA, port 0 = its first
 * active port.  The SM's place is taken from the local port's SM LID.  Messages that the library
 * writes to stderr are caught and become part of *e.  -1 and *e when there is no device, no
 * permission, no answer, or when cancelled.
 */
int live_discover(const char *ca, int port, struct fabric **out, struct progress *p, struct err *e);

/* "CA", "CA:PORT", ":PORT" or "" taken apart; ca is to be freed. */
int live_parse_target(const char *word, char **ca, int *port, struct err *e);

/* Differences between two discoveries, as lines ("+ node ...", "- link ...", "~ name ..."); returns their number. */
unsigned fabric_changes(const struct fabric *a, const struct fabric *b, struct text *lines);

#endif
