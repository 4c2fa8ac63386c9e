/* What OpenSM 3.3.23 does with a changed option when it reads its file again at SIGHUP. */
#ifndef IBSCOPE_SIGHUP_H
#define IBSCOPE_SIGHUP_H

/*
 * When a new value has an effect, as words: "with the sweep that follows".  NULL: it is not taken before a
 * restart. Source: the table of options of the program (can_update), and sweeps of it
 * (tests/parity/manager.py).
 */
const char *sighup_effect(const char *option);

#endif
