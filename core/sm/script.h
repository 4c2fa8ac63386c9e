/*
 * `route script:PROGRAM [ARG]...`: another program computes the tables.  Engine `script` (engines/script.c)
 * runs it in each sweep, without a shell; ARGs are its words as they are.  PROGRAM is a path with a `/`, or a
 * name that is looked for in PATH.  Only a typed command names it: no lesson, no answer of `grade` and no
 * option file does.
 *
 * Standard input: one JSON object in the form of `export json` (core/formats/drawing.h; ibscope(1)), with
 * LIDs assigned.  It has the keys `engine`, and `lft` of each switch, when switches have tables: those of the
 * sweep before; `reroute` and a new start of the subnet manager leave them out.  Key `from_scratch` is true
 * where OpenSM ignores existing entries: in a first sweep, and after something came up.
 *
 * Standard output: lines in the forms that `tables FILE FILE` reads.  Empty lines and lines with # are
 * skipped, all else is an error.
 *
 *   Unicast lids ... guid 0xGUID ...   the table of the switch that has this node GUID begins
 *   0xLID PORT ...                     an entry: LID hexadecimal, port decimal, 255 for none
 *   SLID DLID SL                       decimal, anywhere: SL of the path between two LIDs; not told: 0
 *
 * VL = SL, unless options say otherwise (qos, sl2vl_file).
 *
 * It is ended, with all processes of its group, when the command is cancelled, after script_seconds, and
 * beyond SCRIPT_MIB of output.  The last SCRIPT_SAID bytes of its standard error are told.
 *
 * Whatever fails, refuses the event: no other engine takes its place, and all stays as it was.  What it gave
 * is kept with the event: undo, redo, `why` and `step` do not run it again.
 */
#ifndef IBSCOPE_SCRIPT_H
#define IBSCOPE_SCRIPT_H

#define SCRIPT_ENGINE "script"
#define SCRIPT_PREFIX SCRIPT_ENGINE ":"
#define SCRIPT_MIB 256	    /* the most that its standard output may hold */
#define SCRIPT_SAID 2000    /* bytes of its standard error that are shown */
#define SCRIPT_MOST_S 86400 /* highest value of the option script_seconds */

#endif
