#!/usr/bin/env python3
"""Do imports go one way?  Reads every #include "..." line of the program.

Rooms of the top level, and those inside core/, may include only themselves and
rooms named before them here.  Prints each line that goes against the grain.  A
test a room, and tests of this test: wrong includes in a small tree of its own
must be found.  At the end "N passed, N failed".
"""
import os
import re
import sys
import tempfile

ROOMS = ["core/base", "core/fabric", "core/routing", "core/sm", "core/trace", "core/formats", "core/source",
         "core/analysis/credit", "core/analysis/traffic", "core/analysis/shape", "core/analysis/draw",
         "core/analysis/compare", "core/analysis/survey", "core/analysis/doctor", "core/analysis/advise",
         "core/session", "engines", "views", "tui"]


def room_of(path):
    """Index of the room a file belongs to; None: it lies in none."""
    for i, room in enumerate(ROOMS):
        if path.startswith(room + "/"):
            return i
    return None


def sources(top):
    for room in ("core", "engines", "views", "tui"):
        for folder, _, names in os.walk(os.path.join(top, room)):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".def")):
                    yield os.path.relpath(os.path.join(folder, name), top)


def faults(top, path):
    """What is wrong in one file, a line each."""
    own = room_of(path)
    if own is None:
        yield f"{path}: lies in no room; rooms are {', '.join(ROOMS)}"
        return
    with open(os.path.join(top, path), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            m = re.match(r'\s*#\s*include\s*([^<\s].*)', line)
            if not m:
                continue
            name = re.match(r'"([^"]+)"', m[1])
            other = room_of(name[1]) if name else None
            if other is None or ".." in name[1].split("/") or not os.path.exists(os.path.join(top, name[1])):
                yield f"{path}:{number}: found {m[1].strip()}, expected a header by its path from the top folder"
            elif other > own:
                yield f"{path}:{number}: {ROOMS[own]} may not include {name[1]}: {ROOMS[other]} comes after it"


def check(top):
    """(rooms without a fault, rooms with, lines that say which)."""
    bad, seen, lines = set(), set(), []
    for path in sources(top):
        found = list(faults(top, path))
        seen.add(room_of(path))
        if found:
            bad.add(room_of(path))
        lines += found
    missing = [room for i, room in enumerate(ROOMS) if i not in seen]
    lines += [f"{room}: no such room, or it has no sources" for room in missing]
    return len(seen) - len(bad), len(bad) + len(missing), lines


# --- the test of the test ---------------------------------------------------------------

# a file of a small tree, a line put into it, and what must be said (None: nothing)
WRONG = {
    "a right one": ("tui/x.c", '#include "core/base/x.h"', None),
    "of the own room": ("core/sm/x.c", '#include "core/sm/x.h"', None),
    "of the system": ("core/base/x.c", "#include <curses.h>", None),
    "core takes an engine": ("core/session/x.c", '#include "engines/x.h"', "core/session/x.c:2: core/session may not"),
    "an engine takes a pane": ("engines/x.h", '#include "views/x.h"', "engines/x.h:2: engines may not"),
    "a pane takes the terminal": ("views/x.c", '  #  include "tui/x.h"', "views/x.c:2: views may not"),
    "inside core": ("core/fabric/x.c", '#include "core/routing/x.h"', "core/fabric/x.c:2: core/fabric may not"),
    "first and last of core": ("core/base/x.h", '#include "core/session/x.h"', "core/base/x.h:2: core/base may not"),
    "by a path from the folder": ("engines/x.c", '#include "x.h"', 'engines/x.c:2: found "x.h", expected'),
    "by a way round": ("core/base/x.c", '#include "core/base/../../tui/x.h"', "core/base/x.c:2: found "),
    "by a macro": ("core/base/x.c", "#include HEADER", "core/base/x.c:2: found HEADER, expected"),
    "of nothing": ("core/base/x.c", '#include "core/base/gone.h"', "core/base/x.c:2: found "),
    "a file in no room": ("core/x.c", "", "core/x.c: lies in no room"),
}


def small_tree(top):
    """A header and a source in every room, nothing wrong."""
    for room in ROOMS:
        os.makedirs(os.path.join(top, room))
        for name in ("x.h", "x.c"):
            with open(os.path.join(top, room, name), "w", encoding="utf-8") as f:
                f.write(f'#include "{room}/x.h"\n' if name == "x.c" else "\n")


def found_in_small_tree(path, line, expected):
    """"" or what went wrong."""
    with tempfile.TemporaryDirectory() as top:
        small_tree(top)
        with open(os.path.join(top, path), "a", encoding="utf-8") as f:
            f.write(line + "\n")
        bad, said = check(top)[1:]
    if expected is None:
        return f"nothing was wrong, yet it says {said}" if bad or said else ""
    if len(said) != 1 or not said[0].startswith(expected) or (path != "core/x.c" and bad != 1):
        return f"found {said} and {bad} failed, expected {expected!r}"
    return ""


def main():
    passed, failed, lines = check(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for line in lines:
        print(line)
    for name, case in WRONG.items():
        why = found_in_small_tree(*case)
        if why:
            print(f"FAIL includes/{name}: {why}")
        failed += bool(why)
        passed += not why
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
