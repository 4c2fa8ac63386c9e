/* Readings of counters that a session holds: the last two. */
#ifndef IBSCOPE_SESSION_COUNTED_H
#define IBSCOPE_SESSION_COUNTED_H

#include "core/analysis/blame/measured.h"
#include "core/session/session.h"

/* One more reading (taken over); the one before stays, older ones go. */
void session_count(struct session *s, const struct counter_reading *r);
void session_uncount(struct session *s); /* all of them go */
/* What they tell of the fabric; NULL: there are none. */
struct measured *session_measured(const struct session *s);
/* Those of a live fabric, all ports that are up; free with counters_free() in either case. */
int counters_live(const struct session *s, const char *ca, int port, struct counter_reading *r,
		  struct progress *p, struct err *e);
/* The same for one port (id). */
int counters_live_port(const struct session *s, const char *ca, int at, uint32_t port,
		       struct counter_reading *r, struct progress *p, struct err *e);

#endif
