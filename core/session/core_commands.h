/* The tables of the core's commands, for code that puts a session's list together. */
#ifndef IBSCOPE_CORE_COMMANDS_H
#define IBSCOPE_CORE_COMMANDS_H

#include "core/session/command.h"

#define COMMANDS(name) extern const struct command name##_commands[];
#include "core/session/core_commands.def"
#undef COMMANDS

/* From here on, including the .def file between braces makes the list of tables. */
#define COMMANDS(name) name##_commands,

#endif
