/* What OpenSM 3.3.23 does with a changed option when it reads its file again at SIGHUP. */
#ifndef IBSCOPE_SIGHUP_H
#define IBSCOPE_SIGHUP_H

#include "core/base/text.h"
#include "core/sm/options.h"

/*
 * When a new value has an effect, as words: "with the sweep that follows".  NULL: it is not taken before a
 * restart. Source: the table of options of the program (can_update), and sweeps of it
 * (tests/parity/manager.py).
 */
const char *sighup_effect(const char *option);
extern const char *const sighup_effects[]; /* all of them, ended by NULL */

/* Adds " `set` restarts OpenSM with it; at SIGHUP it is not taken."; nothing for an option that OpenSM has
 * not. */
void sighup_tell(const struct optdef *d, struct text *t);

#endif
