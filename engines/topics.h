/*
 * Topics of `help` about the engines: what each aims at, when it refuses, whether it is free of credit loops.
 */
#ifndef IBSCOPE_ENGINE_TOPICS_H
#define IBSCOPE_ENGINE_TOPICS_H

#include "core/session/topics.h"

/* Ended by an entry without a name. `help` tells other engines by their brief (core/session/topics.h). */
extern const struct topic engine_topics[];

/* The topics of engines and of the core, for the session. Ended by NULL. */
extern const struct topic *const all_topics[];

#endif
