/* Topics of `help` about the engines: what each aims at, when it refuses, is it free of credit loops. */
#ifndef IBSCOPE_ENGINE_TOPICS_H
#define IBSCOPE_ENGINE_TOPICS_H

#include "core/session/topics.h"

/* Ended by name NULL.  An engine without one is told by its brief (core/session/topics.h). */
extern const struct topic engine_topics[];

/* These and those of the core, for the session; ended by NULL. */
extern const struct topic *const all_topics[];

#endif
