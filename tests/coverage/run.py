#!/usr/bin/env python3
"""How much of the program the tests reach: lines and branches per room, and per parser.

usage: run.py [--missing FILE...]      what is not reached in these files, line by line, of the last run

`make coverage` builds all with gcov's counters into BUILD/cov and runs this: the unit programs, the fuzzing
corpora once, and parity for a bounded time (PARITY_SECONDS=120, PARITY_CASES=80).  A branch is an arc of a
condition as gcov counts them; both ways of every condition, also within && and ||.
Exit status 1 when a test failed or the parsers' branches are reached to less than 95 %.
"""
import glob
import json
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.path.join(ROOT, os.environ.get("BUILD", "build")))
COV = os.path.join(BUILD, "cov")
ROOMS = ("core/base", "core/fabric", "core/routing", "core/sm", "core/trace", "core/formats", "core/source", "core/analysis",
         "core/session", "engines", "views", "tui")
PARSERS = "core/formats"
NO_PARSERS = ("write.c", "drawing.c", "subnet_lst.c")
WANTED = 95.0       # per cent of the parsers' branches


def run_tests():
    """Names of programs that failed."""
    failed = []

    def run(name, argv, **env):
        begun = time.monotonic()
        p = subprocess.run(argv, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, errors="replace", env=dict(os.environ, **env))
        status = p.returncode
        if status:
            failed.append(name)
            print("\n".join(p.stdout.splitlines()[-30:]))
        print("  %-28s %5.1f s%s" % (name, time.monotonic() - begun, "" if not status else "  FAILED (status %d)" % status),
              flush=True)

    for path in glob.glob(os.path.join(COV, "**", "*.gcda"), recursive=True):
        os.unlink(path)
    for path in sorted(glob.glob(os.path.join(COV, "unit", "test_*"))):
        run(os.path.basename(path), [path])
    for path in sorted(glob.glob(os.path.join(COV, "replay", "fuzz_*"))):
        corpus = os.path.join(ROOT, "tests", "fuzz", "corpus", os.path.basename(path)[5:])
        run(os.path.basename(path), [path] + sorted(glob.glob(os.path.join(corpus, "*"))))
    run("parity", [sys.executable, "tests/parity/run.py"], IBSCOPE=os.path.join(COV, "ibscope"),
        PARITY_SECONDS=os.environ.get("PARITY_SECONDS", "120"), PARITY_CASES=os.environ.get("PARITY_CASES", "80"))
    return failed


def counters():
    """Source -> line -> [times it ran, [times of each branch]]; a line in several functions counts once."""
    sources = {}
    data = [p for p in glob.glob(os.path.join(COV, "**", "*.gcno"), recursive=True)
            if os.path.relpath(p, COV).startswith(ROOMS)]
    for path in sorted(data):
        said = subprocess.run(["gcov", "--branch-probabilities", "--json-format", "--stdout", path], cwd=ROOT, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        for text in said.splitlines():
            for part in json.loads(text)["files"]:
                name = os.path.normpath(part["file"])
                if not name.endswith(".c") or not name.startswith(ROOMS):
                    continue
                lines = sources.setdefault(name, {})
                for at in part["lines"]:
                    line = lines.setdefault(at["line_number"], [0, []])
                    line[0] += at["count"]
                    line[1] += [b["count"] for b in at["branches"]]
    return sources


def share(lines):
    """(lines reached, lines, branches reached, branches)"""
    branches = [b for _, bs in lines for b in bs]
    return sum(n > 0 for n, _ in lines), len(lines), sum(b > 0 for b in branches), len(branches)


def row(name, figures):
    a, b, c, d = figures
    print("%-34s %6d  %5.1f %%  %6d  %5.1f %%" % (name, b, 100.0 * a / max(b, 1), d, 100.0 * c / max(d, 1)))


def tell(sources):
    """Print the tables; the share of the parsers' branches."""
    print("%-34s %6s  %7s  %6s  %7s" % ("", "lines", "reached", "branches", "reached"))
    of = lambda start: [line for name in sources if name.startswith(start) for line in sources[name].values()]
    for room in ROOMS:
        row(room, share(of(room + "/")))
    row("core and engines", share(of(("core/", "engines/"))))
    print()
    parsers = sorted(n for n in sources if n.startswith(PARSERS + "/") and os.path.basename(n) not in NO_PARSERS)
    for name in parsers:
        row(name, share(list(sources[name].values())))
    figures = share([line for name in parsers for line in sources[name].values()])
    row("parsers", figures)
    return 100.0 * figures[2] / max(figures[3], 1)


def tell_missing(sources, names):
    for name in names:
        with open(os.path.join(ROOT, name), encoding="utf-8") as f:
            text = f.read().splitlines()
        for number, (ran, branches) in sorted(sources.get(name, {}).items()):
            missed = sum(b == 0 for b in branches)
            if not ran or missed:
                print("%s:%d: %s: %s" % (name, number, "never run" if not ran else "%d of %d branches" % (missed, len(branches)),
                                         text[number - 1].strip()))


def main():
    if sys.argv[1:2] == ["--missing"]:
        tell_missing(counters(), sys.argv[2:])
        return 0
    if sys.argv[1:]:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    failed = run_tests()
    parsers = tell(counters())
    if failed:
        print("failed: %s" % ", ".join(failed))
    if parsers < WANTED:
        print("the parsers' branches are reached to %.1f %%, expected %g %%" % (parsers, WANTED))
    return 1 if failed or parsers < WANTED else 0


if __name__ == "__main__":
    sys.exit(main())
