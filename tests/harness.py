#!/usr/bin/env python3
"""The test of tests/run.sh: what it says of suites that fail, stop half way, or say nothing; and of tests/which.py.

At the end "N passed, N failed".
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

import includes
import which

RUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.sh")

# what suites do, and the sum and status that run.sh has to come to
CASES = {
    "passes": (["echo 3 passed, 0 failed"], "3 passed, 0 failed", 0),
    "fails": (["echo 3 passed, 2 failed; exit 1"], "3 passed, 2 failed", 1),
    "fails without telling by its status": (["echo 3 passed, 2 failed"], "3 passed, 2 failed", 1),
    "tells by its status alone": (["echo 3 passed, 0 failed; exit 1"], "3 passed, 1 failed", 1),
    "says nothing": ([":"], "0 passed, 1 failed", 1),
    "tests nothing": (["echo 0 passed, 0 failed"], "0 passed, 1 failed", 1),
    "stops behind the sum of a part": (["echo 3 passed, 0 failed; echo part two"], "0 passed, 1 failed", 1),
    "is killed": (["echo begin; kill -9 $$"], "0 passed, 1 failed", 1),
    "is killed behind its sum": (["echo 3 passed, 0 failed; kill -9 $$"], "0 passed, 1 failed", 1),
    "says more in its last line": (["echo 3 passed, 0 failed, 1 skipped"], "0 passed, 1 failed", 1),
    "several": (["echo 3 passed, 0 failed", "echo 1 passed, 4 failed; exit 1", "exit 7", "echo 10 passed, 0 failed"],
                "14 passed, 5 failed", 1),
    "signals in the pool are as usual": (["kill -INT $$; echo 1 passed, 0 failed", "echo 2 passed, 0 failed"], "2 passed, 1 failed", 1),
}
# In the pool each waits for the next one, which begins beside it; what they said comes in order.
BESIDE = ["until [ -e %s ]; do sleep 0.05; done; echo said by A; echo 1 passed, 0 failed", "echo said by B; : >%s; echo 2 passed, 0 failed"]



def said(*suites):
    p = subprocess.run([RUN, *suites], env=dict(os.environ, JOBS="2"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return p.stdout.rstrip("\n").split("\n"), p.returncode


def run(*suites):
    lines, status = said(*suites)
    return lines[-1], status


def written(folder, number, scripts):
    suites = []
    for i, script in enumerate(scripts):
        suites.append(os.path.join(folder, "suite-%s-%d" % (number, i)))
        with open(suites[-1], "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\n" + script + "\n")
        os.chmod(suites[-1], 0o755)
    return suites


# --- tests/which.py -----------------------------------------------------------------------------

# of a file: a unit program, and suites that come to it, or None
KNOWN = {"core/session/commands/why.c": ("test_why", "reasons"), "core/analysis/credit/cycles.c": ("test_cdg", None),
         "engines/lash/run.c": ("test_lash", "parity"), "views/tables/switches.c": ("test_list", "tui"), "tui/keymap.c": ("test_keymap", "keys")}
SMALL = """#define TWICE(x) (2 * (x))
static int low(void) { return '{'; }
int middle(void)
{
	return TWICE(low()); /* far() is none */
}
static const struct command small_commands[] = {
	{.name = "high", .run = middle},
	{.name = "other", .run = far},
};
struct point { int middle; };
"""


LOCALS = {"digits", "limits", "usage", "want_port"}   # functions whose names local variables have, too


def of_small():
    """Who calls whom in a file, and what lines of tests come to it."""
    calls = which.Calls(list(which.parts_of("a.c", SMALL)) + list(which.parts_of("b.c", "int far(void)\n{\n\treturn p->middle;\n}\n")))
    return ({name: sorted(by) for name, by in calls.callers.items()},
            sorted(which.words_in('ok_line(s, "high x; other"); /* why */', calls.names)))


def of_known(calls, units, runs):
    """Files of KNOWN whose tests are not named."""
    lines = {file: "\n".join(which.which(file, calls, units, runs)) for file in KNOWN}
    return [file for file, names in KNOWN.items() for name in names if name and name not in re.findall(r"[\w-]+", lines[file])]


def of_linker(calls, units):
    """Names that the linker gives a unit program out of a file, and which.py does not, or the other way; None: nothing is built."""
    build = os.environ.get("BUILD", "build")
    objects = {p.file: os.path.join(build, "obj", p.file[:-1] + "o") for p in calls.parts if p.file.endswith(".c")}
    tests = {os.path.basename(f)[:-2]: f for f in glob.glob("tests/unit/test_*.c", root_dir=which.TOP)}
    objects.update({name: os.path.join(build, "san", f[:-1] + "o") for name, f in tests.items()})
    if not all(map(os.path.exists, objects.values())):
        return None
    symbols = includes.read_symbols(objects)
    defined = {name for file, (defines, _) in symbols.items() if file not in tests for name in defines} & calls.names
    wrong = []
    for name, path in tests.items():
        text = which.named(which.bare(which.read(path)))    # what macros name is not in it
        wrong += [(name, f) for f in sorted((symbols[name][1] & defined & text) ^ (units[name] & defined)) if f not in LOCALS]
    return wrong


def main():
    results = {}
    calls, units, runs = which.all_known()
    results["which.py: a small file"] = (of_small(), (
        {"a.c:TWICE": ["middle"], "a.c:low": ["middle"], "middle": ["command high"], "far": ["command other"]}, ["command high", "command other"]))
    results["which.py: known files"] = (of_known(calls, units, runs), [])
    linked = of_linker(calls, units)
    if linked is None:
        print("which.py was not compared with the linker: not all is built")
    else:
        results["which.py: names as the linker has them"] = (linked, [])
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, (scripts, line, status)) in enumerate(CASES.items()):
            results[name] = (run(*written(folder, number, scripts)), (line, status))
        flag = os.path.join(folder, "flag")
        lines = said(*written(folder, "beside", [script.replace("%s", flag) for script in BESIDE]))[0]
        results["beside each other, told in order"] = ([s for s in lines if not s.startswith("==")],
                                                       ["said by A", "1 passed, 0 failed", "said by B", "2 passed, 0 failed", "3 passed, 0 failed"])
    results["unknown"] = (run("no-such-suite"), ("0 passed, 1 failed", 1))
    failed = 0
    for name, (found, expected) in results.items():
        if found != expected:
            failed += 1
            print("FAIL harness/%s: found %r, expected %r" % (name, found, expected))
    print("%d passed, %d failed" % (len(results) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
