#!/usr/bin/env python3
"""The weight of the house: lines a room, files, names, asserts, as tests/budget allows them.

`tests/weight.py` prints each figure beside what the budget allows.  The suite `includes` fails when a figure is
above its line (asserts: below it), when it lies so far below that the line should follow, and when the budget
names a room that is not there or leaves one out.
"""
import collections
import os
import re
import subprocess
import sys

SLACK = 300  # lines a figure may lie below its line before the line has to follow
PARAMETERS = 6

# the head of a function's definition in our format: it begins at the left edge, and its brace has a line of its own
FUNCTION = re.compile(r"^(?!typedef|struct \w+ \{)[A-Za-z][\w \t\*]*?\b(\w+)\(([^;{}]*?)\)\n\{", re.M)
ATTRIBUTE = re.compile(r"PRINTF_LIKE\(\d+, \d+\)\s*")
NESTED = re.compile(r"\?[^:;?\n]*:[^;\n]*\?[^:;\n]*:")


def texts(top, rooms, ends):
    for room in rooms:
        for folder, _, names in os.walk(os.path.join(top, room)):
            if "__pycache__" in folder:
                continue
            for name in sorted(names):
                if name.endswith(ends):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8", errors="replace") as f:
                        yield os.path.relpath(path, top), f.read()


def room_lines(top):
    """{room: lines of its .c and .h files}, as tests/lines.sh counts them."""
    said = subprocess.run(["sh", os.path.join(top, "tests", "lines.sh")], capture_output=True, text=True, check=True)
    return {room: int(n) for n, room in (line.split() for line in said.stdout.splitlines()) if room != "all"}


def parameters(words):
    """How many parameters stand in a function's brackets."""
    depth = commas = 0
    for c in words:
        depth += (c == "(") - (c == ")")
        commas += c == "," and not depth
    return 0 if words.strip() in ("", "void") else commas + 1


def measure(top, rooms):
    """{figure: number} of a tree whose lines a room are `rooms`."""
    code = dict(texts(top, ("core", "engines", "views", "tui"), (".c", ".h")))
    found = [m for path, t in code.items() if path.endswith(".c") for m in FUNCTION.findall(ATTRIBUTE.sub("", t))]
    names = collections.Counter(name for name, _ in found)
    structs = collections.Counter(s for t in code.values() for s in re.findall(r"^struct (\w+) \{", t, re.M))
    lines = sum(rooms.values())
    asserts = sum(len(re.findall(r"\b(?:static_)?assert\(", t)) for t in code.values())
    return {f"lines of {room}": n for room, n in rooms.items()} | {
        "files .c": sum(path.endswith(".c") for path in code),
        "files .h": sum(path.endswith(".h") for path in code),
        "shared names, in 1,000": round(1000 * sum(n for n in names.values() if n > 1) / max(len(found), 1)),
        "struct names, most often": max(structs.values(), default=0),
        f"functions of more than {PARAMETERS} parameters": sum(parameters(p) > PARAMETERS for _, p in found),
        "lines with ?: in ?:": sum(len(NESTED.findall(re.sub(r'"[^"\n]*"', '""', t))) for t in code.values()),
        "lines of tests": sum(t.count("\n") for _, t in texts(top, ("tests",), (".c", ".h", ".py", ".sh"))),
        "asserts in 10,000 lines, least": round(10000 * asserts / max(lines, 1)),
    }


def read_budget(text):
    """{figure: number}: lines that begin with a number; others say what is bought."""
    rows = (re.match(r"(\d+)  (.+)", line) for line in text.splitlines())
    return {m[2]: int(m[1]) for m in rows if m}


def judge(got, allowed):
    """What is wrong, a line each."""
    for what in sorted(got.keys() | allowed.keys()):
        have, may = got.get(what), allowed.get(what)
        if may is None:
            yield f"tests/budget: has no line for \"{what}\", which is {have}"
        elif have is None:
            yield f"tests/budget: \"{what}\" is nothing that is measured"
        elif what.endswith("least"):
            if have < may:
                yield f"tests/budget: {what}: found {have}, expected {may} or more"
        elif have > may:
            yield (f"tests/budget: {what}: found {have}, allowed {may}; make it lighter, or raise the line and say "
                   "there what that buys")
        elif may - have > SLACK:
            yield f"tests/budget: {what}: found {have}, allowed {may}: write {have}, so that it stays so light"


def faults(top):
    with open(os.path.join(top, "tests", "budget"), encoding="utf-8") as f:
        return list(judge(measure(top, room_lines(top)), read_budget(f.read())))


def main():
    top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(os.path.join(top, "tests", "budget"), encoding="utf-8") as f:
        allowed = read_budget(f.read())
    for what, n in measure(top, room_lines(top)).items():
        print(f"{n:7}  {what}  (allowed {allowed.get(what, '-')})")


if __name__ == "__main__":
    sys.exit(main())
