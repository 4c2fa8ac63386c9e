#!/usr/bin/env python3
"""Do imports go one way?  Reads every #include "..." line of the program.

Rooms of the top level, and those inside core/, may include only themselves and
rooms named before them here.  Prints each line that goes against the grain, and
at the end "N passed, N failed" (files).  A folder may be given instead of this
project's, for the test of this test.
"""
import os
import re
import sys

ROOMS = ["core/base", "core/fabric", "core/routing", "core/sm", "core/formats", "core/source",
         "core/analysis", "core/session", "engines", "views", "tui"]


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
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), top)


def faults(top, path):
    own = room_of(path)
    if own is None:
        yield f"{path}: lies in no room; rooms are {', '.join(ROOMS)}"
        return
    with open(os.path.join(top, path), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            m = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if not m:
                continue
            other = room_of(m[1])
            if other is None or not os.path.exists(os.path.join(top, m[1])):
                yield f"{path}:{number}: found \"{m[1]}\", expected a header by its path from the top folder"
            elif other > own:
                yield f"{path}:{number}: {ROOMS[own]} may not include {m[1]}: {ROOMS[other]} comes after it"


def main():
    top = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    passed = failed = 0
    for path in sources(top):
        found = list(faults(top, path))
        for line in found:
            print(line)
        failed += bool(found)
        passed += not found
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
