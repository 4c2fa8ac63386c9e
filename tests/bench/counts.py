#!/usr/bin/env python3
"""Instructions that fixed sessions take, beside a table: no clock has a say in it.

usage: counts.py [TEST]...     (a suite: the last line is "N passed, N failed")
       counts.py --print       every row and its count, of IBSCOPE as it is, whatever built it

A row is the line behind one -e.  Valgrind's callgrind counts all that the process does from one -e to the next: the command,
libraries, what is printed.  The process has one processor, so that it starts no thread, an environment of its own, and
prints no times: the same program gives the same counts, but for a few instructions.  The first row of a fabric is its load.

Another compiler or C library makes other instructions, so each has a table of its own, tests/bench/counts/COMPILER-LIBC-MACHINE.
Where there is none for what is here, or its program was built with other flags, the comparison is skipped by name.  A row
that takes 3 % more than the table fails; one that takes 3 % less is told, and the table may be renewed:

    UPDATE=1 tests/bench/counts.py

writes it anew.  LONG=1 (nightly) counts more rows; UPDATE=1 writes these, too.
Environment: IBSCOPE=build/ibscope, BUILD=build.
"""
import lzma
import os
import platform
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests"))

from trial import expect, run_tests     # noqa: E402

BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(BUILD, "ibscope")))
STAMP = os.path.join(BUILD, "stamp", "obj")     # how it was compiled
TABLES = os.path.join(HERE, "counts")
LONG = os.environ.get("LONG") == "1"
UPDATE = os.environ.get("UPDATE") == "1"
SLACK = 0.03
SECONDS = 1800      # a bound for a program that hangs
STARTS = "run_text"  # the function that begins a line of -e

SMALL, TREE, TORUS = "xgft:6,6,6:1,6,6", "xgft:8,8,8:1,8,8", "torus:4x4x4,hosts=2"
LINK = {SMALL: "leaf-01[7]", TREE: "leaf-01[9]", TORUS: "t000[3]"}
STORAGE, DIRECTOR = "selene-storage.ibnetdiscover", "sat11-director.putty-log"


def engines(fabric, *names):
    """A first sweep of each engine, and the sweep after a link failed; the fabric is new before each."""
    rows = []
    for name in names:
        rows += [(None, "synth " + fabric), (name + ", first sweep", "route " + name),
                 (name + ", a failed link", "fail link " + LINK[fabric])]
    return rows


# fabric, and (name of the row or None, its commands)
SESSIONS = [
    (TREE, engines(TREE, "minhop", "updn", "dnup", "ftree")),
    (SMALL, engines(SMALL, "ar_updn rules=opensm", "sssp", "dfsssp qos=TRUE", "nue qos=TRUE", "lash qos=TRUE", "mincontention")),
    (TORUS, [(None, "torus-conf torus.conf")] +
     engines(TORUS, "dor", "lash qos=TRUE", "nue qos=TRUE", "torus-2QoS qos=TRUE torus_config=torus.conf")),
    (SMALL, [("route", "route updn"), ("load-map", "load-map"), ("load-map ebb", "load-map ebb"),
             ("load-map ring", "load-map ring"), ("shifts", "shifts"), ("check", "check"), ("doctor", "doctor"),
             ("trace", "trace node0001 node0200"), ("why", "why leaf-01 node0200"), ("outage", "outage link leaf-01[7]"),
             ("export lfts", "export lfts lfts"), ("export svg", "export svg map.svg"), ("save", "save saved.topo"),
             ("compare", "compare minhop updn ftree")]),
    ("xgft:4,4,4:1,4,4", [(None, "route updn"), ("fail switch", "fail switch spine-01"), ("diff", "diff"), ("drift", "drift updn"),
                          ("undo", "undo")]),
    ("xgft:3,3,3:1,3,3", [(None, "route minhop"), ("survey links", "survey links"), ("survey switches", "survey switches")]),
    (STORAGE, [("route", "route minhop"), ("list switches", "list switches")]),
]
NIGHTLY = [
    (TREE, engines(TREE, "ar_updn rules=opensm", "dor", "sssp")),
    (STORAGE, [(None, "route minhop"), ("check", "check")]),
    (DIRECTOR, [("show", "show")]),
    # downward channels that no route uses before
    ("xgft:6,6,12:1,6,6", [(None, "route minhop"), ("survey links", "survey links shard 1/8")]),
    (SMALL, [(None, "route updn"), ("survey switches", "survey switches"), ("survey pairs", "survey pairs 20 seed=1"),
             ("advise", "advise failures 2")]),
    ("selene-compute.ibnetdiscover", [("route", "route minhop"), ("a failed switch", "fail switch MF0;MLG01-02:MQM8700/U1")]),
]


# --- counting -----------------------------------------------------------------------


def count(fabric, lines, folder, program=IBSCOPE, preload=None):
    """Instructions of the load, and of each line; preload is a library for the program's process."""
    out = os.path.join(folder, "callgrind.out")
    for old in (f for f in os.listdir(folder) if f.startswith("callgrind.out")):
        os.unlink(os.path.join(folder, old))
    env = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
    if preload:
        env["LD_PRELOAD"] = preload
    args = ["valgrind", "--tool=callgrind", "--callgrind-out-file=callgrind.out", "--combine-dumps=yes",
            "--dump-before=" + STARTS, program, "--no-rc", "--no-timing"]
    # the last line's part ends with the process: what it frees is quit's
    done = subprocess.run(args + [w for line in [*lines, "quit"] for w in ("-e", line)] + [fabric], cwd=folder, env=env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=SECONDS,
                          preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
    expect(done.returncode in (0, 1), fabric, lines, "status", done.returncode, done.stderr[-600:])
    with open(out, encoding="utf-8", errors="replace") as f:
        totals = [int(n) for n in re.findall(r"^totals: (\d+)", f.read(), re.M)]
    # what comes before the first line is the start of the process; the fabric is the first line
    expect(len(totals) == 3 + len(lines), fabric, "has", len(totals), "parts for", len(lines), "lines:", done.stdout[-300:],
           done.stderr[-600:])
    return totals[1:-1]


def stripped(folder):
    """The program without debug information, which valgrind would read at each start."""
    program = os.path.join(folder, "ibscope")
    subprocess.run(["strip", "--strip-debug", "-o", program, IBSCOPE], check=True)
    return program


def measured(sessions):
    """{row: instructions}"""
    counts = {}
    with tempfile.TemporaryDirectory(prefix="counts.") as folder:
        program = stripped(folder)
        for fabric, rows in sessions:
            packed = os.path.join(ROOT, "tests/fabrics/real", fabric + ".xz")
            if os.path.exists(packed):
                with lzma.open(packed) as a, open(os.path.join(folder, fabric), "wb") as b:
                    b.write(a.read())
            got = count(fabric, [line for _, line in rows], folder, program)
            for (name, _), n in zip([("load", None)] + rows, got):
                if name:
                    counts.setdefault("%s: %s" % (fabric, name), n)
    return counts


# --- tables -------------------------------------------------------------------------


def compiler():
    """What made the program and what it runs with, as a file's name: gcc-12.2.0-glibc-2.36-x86_64."""
    said = subprocess.run(["readelf", "-p", ".comment", IBSCOPE], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = re.findall(r"\] +(GCC|.*clang version)\b.* (\d+\.\d+\.\d+)", said)
    made = sorted("%s-%s" % ("gcc" if who == "GCC" else "clang", version) for who, version in found)
    return "-".join(made + ["-".join(platform.libc_ver()), platform.machine()])


def flags():
    """How the program was compiled, without the compiler's name and warnings."""
    with open(STAMP, encoding="utf-8") as f:
        return " ".join(w for w in f.read().split()[1:] if not w.startswith("-W"))


def read_table(path):
    """Flags and {row: instructions}"""
    with open(path, encoding="utf-8") as f:
        first, *rest = f.read().splitlines()
    return first, {name: int(n) for n, name in (line.split(None, 1) for line in rest)}


def write_table(path, counts):
    with open(path, "w", encoding="utf-8") as f:
        f.write(flags() + "\n" + "".join("%12d %s\n" % (n, name) for name, n in counts.items()))


def lacks():
    """Why nothing can be compared here; None when it can."""
    if not os.path.exists(os.path.join(TABLES, compiler())):
        return "no table for %s (there are: %s)" % (compiler(), ", ".join(sorted(os.listdir(TABLES))))
    first = read_table(os.path.join(TABLES, compiler()))[0]
    if first != flags():
        return "built with %s, the table with %s" % (flags(), first)
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        if platform.machine() == "x86_64" and "avx2" not in f.read():
            return "a processor without AVX2: the C library takes other functions"
    return None


def unlike(counts, table):
    """(rows that take more than the table or are not in it, rows that take less), a line each."""
    more, less = [], []
    for name, n in counts.items():
        was = table.get(name)
        line = "%s: %s instructions, %s in the table" % (name, f"{n:,}", f"{was:,}" if was else "none")
        line += " (%+.1f %%)" % (100 * (n / was - 1)) if was else ""
        if not was or n > was * (1 + SLACK):
            more.append(line)
        elif n < was * (1 - SLACK):
            less.append(line)
    return more, less


# --- tests --------------------------------------------------------------------------


def as_in_the_table(_):
    """No row takes more instructions than the table says."""
    why = lacks()
    if why and not UPDATE:
        print("counts: skipped: instructions beside a table: " + why, flush=True)
        return
    counts = measured(SESSIONS + (NIGHTLY if LONG or UPDATE else []))
    path = os.path.join(TABLES, compiler())
    if UPDATE:
        write_table(path, counts)
        print("counts: written: " + os.path.relpath(path, ROOT), flush=True)
        return
    more, less = unlike(counts, read_table(path)[1])
    if less:
        print("counts: %d rows take less, the table may be renewed (UPDATE=1 tests/bench/counts.py):" % len(less))
        print("\n".join("    " + line for line in less), flush=True)
    expect(not more, "%d rows take more:" % len(more), "\n    ".join([""] + more))


SEED = """#include <stddef.h>
void json_object_seed(size_t seed);
static void __attribute__((constructor)) same_seed(void) { json_object_seed(1); }
"""
DIGITS = 400    # how long a command took has a digit more or less, printed or not


def counted_alike(folder):
    """
    Twice the same, whatever the folder is called and however busy the machine is.  jansson seeds its hash tables by chance,
    so that the heap lies a little otherwise in each run: up to 0.1 % of a row.  Here the seed is the same.
    """
    program, counts = stripped(folder), []
    source, seed = os.path.join(folder, "seed.c"), os.path.join(folder, "seed.so")
    with open(source, "w", encoding="utf-8") as f:
        f.write(SEED)
    subprocess.run([*os.environ.get("CC", "cc").split(), "-shared", "-fPIC", "-o", seed, source, "-ljansson"], check=True)
    for name in ("a", "a-folder-whose-name-is-long"):
        os.mkdir(os.path.join(folder, name))
        counts.append(count("demo", ["route updn", "survey switches"], os.path.join(folder, name), program, seed))
    for a, b in zip(*counts):
        expect(abs(a - b) <= DIGITS, "counted twice:", counts)


def more_is_found(folder):
    """The test of the test: work done twice, and a table with one row lowered, fail; one row raised is told, and is no failure."""
    program = stripped(folder)
    table = dict(zip(("load", "route", "check"), count("demo", ["route updn", "check"], folder, program)))
    expect(unlike(table, table) == ([], []), "the same differs from itself")
    twice = dict(table, route=count("demo", ["route updn; route updn"], folder, program)[1])
    more, less = unlike(twice, table)
    expect(len(more) == 1 and more[0].startswith("route: ") and not less, "routing twice:", more, less)
    for row, n in table.items():
        more, less = unlike(table, dict(table, **{row: n * 96 // 100}))
        expect(len(more) == 1 and more[0].startswith(row + ": ") and not less, "a lowered row:", more, less)
        more, less = unlike(table, dict(table, **{row: n * 104 // 100}))
        expect(len(less) == 1 and less[0].startswith(row + ": ") and not more, "a raised row:", more, less)
    more, less = unlike(table, {})
    expect(len(more) == len(table), "rows that no table has:", more)


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        for row, instructions in measured(SESSIONS + (NIGHTLY if LONG else [])).items():
            print("%12d %s" % (instructions, row))
        sys.exit(0)
    sys.exit(run_tests("counts", [as_in_the_table, counted_alike, more_is_found], sys.argv[1:]))
