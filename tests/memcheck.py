#!/usr/bin/env python3
"""Nothing that was never written reaches an answer: the commands of suite contract under valgrind's memcheck.

Text and JSON, on states with lost, regained and looping pairs.  Each start of the program runs many commands.
`make check` tries those states and one drawn row of the rest; LONG=1 tries all rows, every command with wrong words,
and puts an old defect back into a copy of the tree, which must be found.  Environment: IBSCOPE=build/ibscope; SEED=N
repeats a run.  usage: memcheck.py [TEST]...  The last line is "N passed, N failed".
"""
import os
import random
import subprocess
import sys

import contract
import scratch
from trial import chosen_seed, expect, run_tests

SEED = chosen_seed()
LONG = os.environ.get("LONG") == "1"
SECONDS = 1800  # a bound for a program that hangs
FOUND = 99      # exit status when memcheck has errors

# as diff_pairs() was: two buffers go into JSON that hops_word() leaves unwritten for "none" and "loop"
FILE = "core/session/commands/doctor.c"
DEFECT = ('"before", before, "after", after', '"before", h1, "after", h2')


def memcheck(args, folder, program=contract.PROGRAM):
    """What memcheck found; output and errors of the program."""
    log = os.path.join(folder, "memcheck.log")
    done = subprocess.run(["valgrind", "-q", "--error-exitcode=%d" % FOUND, "--log-file=" + log, "--num-callers=20",
                           "--suppressions=" + os.path.join(contract.HERE, "memcheck.supp"),
                           program, *args], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=SECONDS)
    with open(log, encoding="utf-8", errors="replace") as f:
        found = f.read()
    expect(bool(found.strip()) == (done.returncode == FOUND), args, "status", done.returncode, "but memcheck told:", found[-900:])
    return found, done


def clean(row, suite):
    options, commands = row
    for how in ([], ["--json"]):
        args = how + options + [w for c in commands for w in ("-e", c)]
        found, done = memcheck(args, suite.folder)
        suite.forget()
        expect(not found.strip(), args, found[:900])
        expect(done.returncode in (0, 1), args, "status", done.returncode, done.stderr[-300:])
        if how:
            names = [o["command"] for o in contract.objects(contract.PROGRAM, done.stdout.decode())]
            expect(names[-1] == commands[-1].split()[0], "the last command is", names[-1], "of", commands)


def rows(which):
    suite = contract.Suite()
    try:
        for row in which:
            clean(row, suite)
    finally:
        suite.remove()


def states(_):
    """Lost, regained and looping pairs: the value of each is in the answer, too (suite contract)."""
    rows(contract.STATES)


def drawn(_):
    rows([random.Random(SEED + " row").choice(contract.SHOWN)])


def all_rows(_):
    rows(contract.SHOWN)


def wrong_words(folder):
    """Every command with no word, a wrong one, an option there is not, and bytes that are no UTF-8."""
    names = sorted(n for n in contract.schema(contract.PROGRAM).keys if n and n not in ("quit", "watch", "live", "counters"))
    lines = [b"%s %s" % (n.encode(), w) for n in names for w in (b"", b"no-such-thing", b"--frob", b'"x', b"\xff \xc0\x9b")]
    with open(os.path.join(folder, "wrong.ibs"), "wb") as f:
        f.write(b"\n".join(lines) + b"\n")
    for start in ([], [contract.TREE, *contract.UPDN]):
        for how in ([], ["--json"]):
            found, done = memcheck([*how, *start, "-e", "source wrong.ibs whole"], folder)
            expect(not found.strip(), found[:900])
            expect(not how or done.stdout.count(b"\n") >= len(lines), done.stdout[-300:])


def finds(folder):
    """The test of the test: a byte that was never written decides what is printed."""
    with open(os.path.join(folder, "unset.c"), "w", encoding="utf-8") as f:
        f.write('#include <stdio.h>\nint main(void) { char b[8]; volatile char *p = b; b[1] = 0; return puts(*p ? "a" : "b") < 0; }\n')
    program = os.path.join(folder, "unset")
    subprocess.run(["cc", "-w", "-O0", "-o", program, program + ".c"], check=True)
    found, _ = memcheck([], folder, program)
    expect("uninitialised" in found, "memcheck found", found or "nothing")


def old_defect(folder):
    """The bytes of the stack in `diff all`, put back into a copy of the tree."""
    with scratch.Scratch() as s:
        text = s.read(FILE)
        expect(text.count(DEFECT[0]) == 1, FILE, "has no", DEFECT[0])
        s.write(FILE, text.replace(*DEFECT))
        s.run("make", "-s", "build/ibscope")
        suite = contract.Suite()
        try:
            options, commands = contract.STATES[0]
            found, _ = memcheck(["--json", *options, *(w for c in commands for w in ("-e", c))], suite.folder,
                                s.path("build", "ibscope"))
        finally:
            suite.remove()
        expect("diff_pairs" in found, "memcheck found", found or "nothing")


if __name__ == "__main__":
    print("memcheck: SEED=%s" % SEED, flush=True)
    TESTS = [finds, states] + ([all_rows, wrong_words, old_defect] if LONG else [drawn])
    sys.exit(run_tests("memcheck", TESTS, sys.argv[1:], also=(contract.Breach, scratch.Failed)))
