#!/usr/bin/env python3
"""Do imports go one way, and is the house within its budget?

Reads every #include "..." line of the program, and the symbols of its objects.

Rooms of the top level, and those inside core/, may include only themselves and
rooms named before them here.  Prints each line that goes against the grain.  `nm`
tells the same of the objects under $BUILD/obj (they must be built, else a note says
so): which symbols a room takes of a later one.  A test a room for each, and tests of
this test: wrong includes in a small tree of its own, and wrong symbols, must be
found.  So must be what weighs more than tests/budget allows (tests/weight.py).  At the
end "N passed, N failed".
"""
import os
import re
import subprocess
import sys
import tempfile

import weight

ROOMS = ["core/base", "core/fabric", "core/routing", "core/sm", "core/trace", "core/formats", "core/source",
         "core/analysis/credit", "core/analysis/traffic", "core/analysis/blame", "core/analysis/shape", "core/analysis/draw",
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


# --- symbols ------------------------------------------------------------------------------

def read_symbols(objects):
    """{source: (names it defines, names it uses)} of the objects {source: file}, as nm says."""
    found = {source: (set(), set()) for source in objects}
    source_of = {file: source for source, file in objects.items()}
    said = subprocess.run(["nm", "-A", *source_of], capture_output=True, text=True, check=True).stdout
    for line in said.splitlines():
        file, rest = line.rsplit(":", 1)
        words = rest.split()
        defines, uses = found[source_of[file]]
        if words[-2] in "Uw":
            uses.add(words[-1])
        elif words[-2].isupper():
            defines.add(words[-1])
    return found


def users(symbols):
    """{source: {source it uses: names}}"""
    home = {name: source for source, (defines, _) in symbols.items() for name in defines}
    graph = {source: {} for source in symbols}
    for source, (_, uses) in symbols.items():
        for name in uses:
            if home.get(name, source) != source:
                graph[source].setdefault(home[name], set()).add(name)
    return graph


def judge(symbols):
    """(rooms with faults, lines): names taken of later rooms."""
    graph, bad, lines = users(symbols), set(), []
    for source in sorted(graph):
        for other in sorted(graph[source]):
            if room_of(other) > room_of(source):
                bad.add(room_of(source))
                lines.append(f"{source}: {ROOMS[room_of(source)]} may not use {' '.join(sorted(graph[source][other]))} "
                             f"of {other}")
    return bad, lines


def check_symbols(top, build):
    """(rooms without a fault, rooms with, lines that say which)."""
    names = [path for path in sources(top) if path.endswith(".c") and room_of(path) is not None]
    objects = {path: os.path.join(build, "obj", path[:-1] + "o") for path in names}
    missing = [path for path in names if not os.path.exists(objects[path])]
    if missing:
        return 0, 0, [f"Symbols were not looked at: {len(missing)} of {len(names)} files are not built under {build}/obj, "
                      f"{missing[0]} for one (make all)."]
    bad, lines = judge(read_symbols(objects))
    return len(ROOMS) - len(bad), len(bad), lines


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


# files, what each uses of whom, and what must be said (None: nothing)
SYMBOLS = {
    "downwards": ({"tui/a.c": ["core/base/b.c"], "core/base/b.c": []}, None),
    "upwards": ({"core/sm/a.c": ["engines/b.c"], "engines/b.c": []},
                "core/sm/a.c: core/sm may not use engines/b.c() of engines/b.c"),
    "inside a room": ({f"tui/{i}.c": [f"tui/{(i + 1) % 5}.c"] for i in range(5)}, None),
}


def wrong_of_symbols(uses, expected):
    """"" or what went wrong: each file defines one name, its own."""
    symbols = {path: ({path + "()"}, {other + "()" for other in others} | {"printf"}) for path, others in uses.items()}
    bad, said = judge(symbols)
    if expected is None:
        return f"nothing was wrong, yet it says {said}" if bad or said else ""
    return "" if len(bad) == 1 and said[0].startswith(expected) else f"found {said}, expected {expected!r}"


def wrong_of_objects():
    """"" or what went wrong: what nm says of two objects."""
    text = {"core/base/a.c": "int b(void); int x = 1; static int s(void) { return b(); } int a(void) { return s(); }\n",
            "core/base/b.c": "extern int x; int b(void); int b(void) { return x; }\n"}
    with tempfile.TemporaryDirectory() as top:
        objects = {}
        for path, code in text.items():
            objects[path] = os.path.join(top, os.path.basename(path)[:-1] + "o")
            subprocess.run(["cc", "-x", "c", "-c", "-O0", "-o", objects[path], "-"], input=code, text=True, check=True)
        found = users(read_symbols(objects))
    expected = {"core/base/a.c": {"core/base/b.c": {"b"}}, "core/base/b.c": {"core/base/a.c": {"x"}}}
    return "" if found == expected else f"found {found}, expected {expected}"


# what a small tree weighs, what its budget says, and how the complaint must begin (None: there is none)
WEIGHTS = {
    "within": ({"lines of tui": 5}, "5  lines of tui", None),
    "more than allowed": ({"lines of tui": 6}, "5  lines of tui", "tests/budget: lines of tui: found 6, allowed 5"),
    "much less": ({"lines of tui": 5}, "306  lines of tui", "tests/budget: lines of tui: found 5, allowed 306"),
    "too few": ({"asserts, least": 4}, "5  asserts, least", "tests/budget: asserts, least: found 4, expected 5"),
    "no line": ({"lines of tui": 5}, "it is small", "tests/budget: has no line for \"lines of tui\""),
    "nothing measured": ({}, "5  lines of tui", "tests/budget: \"lines of tui\" is nothing"),
}
HOUSE = """struct pair {
	int a;
};
static int pair_sum(int a, int (*f)(int, int), int c, int d, int e, int g, int h)
{
	assert(a);
	return a ? c : d ? e : f(g, h);
}

int pair_none(void)
{
	return 0;
}
"""


def wrong_of_weights(got, budget, expected):
    """"" or what went wrong."""
    said = list(weight.judge(got, weight.read_budget(budget)))
    if expected is None:
        return f"nothing was wrong, yet it says {said}" if said else ""
    return "" if len(said) == 1 and said[0].startswith(expected) else f"found {said}, expected {expected!r}"


def wrong_of_house():
    """"" or what went wrong: what is measured of two files of the same text."""
    with tempfile.TemporaryDirectory() as top:
        small_tree(top)
        for name in ("a.c", "b.c"):
            with open(os.path.join(top, "tui", name), "w", encoding="utf-8") as f:
                f.write(HOUSE)
        got = weight.measure(top, {"tui": 2 * HOUSE.count("\n")})
    expected = {"lines of tui": 26, "files .c": len(ROOMS) + 2, "files .h": len(ROOMS), "shared names, in 1,000": 1000,
                "struct names, most often": 2, "functions of more than 6 parameters": 2, "lines with ?: in ?:": 2,
                "lines of tests": 0, "asserts in 10,000 lines, least": 769}
    return "" if got == expected else f"found {got}, expected {expected}"


def main():
    top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    passed, failed, lines = check(top)
    right, wrong, more = check_symbols(top, os.path.join(top, os.environ.get("BUILD", "build")))
    heavy = weight.faults(top)
    passed, failed = passed + right + (not heavy), failed + wrong + bool(heavy)
    for line in lines + more + heavy:
        print(line)
    reasons = {name: found_in_small_tree(*case) for name, case in WRONG.items()}
    reasons |= {f"symbols {name}": wrong_of_symbols(*case) for name, case in SYMBOLS.items()}
    reasons |= {f"weight {name}": wrong_of_weights(*case) for name, case in WEIGHTS.items()}
    reasons["objects"] = wrong_of_objects()
    reasons["house"] = wrong_of_house()
    for name, why in reasons.items():
        if why:
            print(f"FAIL includes/{name}: {why}")
        failed += bool(why)
        passed += not why
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
