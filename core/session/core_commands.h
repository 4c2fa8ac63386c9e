/* The tables of commands of the core, for whoever puts a session's list together. */
#ifndef IBSCOPE_CORE_COMMANDS_H
#define IBSCOPE_CORE_COMMANDS_H

#include "core/session/command.h"

#define COMMANDS(name) extern const struct command name##_commands[];
#include "core/session/core_commands.def"
#undef COMMANDS

/* From here the file is a list of them, to be included between braces. */
#define COMMANDS(name) name##_commands,

#endif
