#!/usr/bin/env python3
"""The program for aarch64 under emulation: `make check-arm`.

Its unit programs pass, and for every engine its tables (as OpenSM dumps them) and its list of paths have the same sums as those
of the program of this machine.  Environment: BUILD=build.  Prints "N passed, N failed".
"""
import concurrent.futures
import hashlib
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.path.join(ROOT, os.environ.get("BUILD", "build")))
ARM = os.path.join(BUILD, "arm")
EMULATED = ["qemu-aarch64", "-L", os.path.join(ARM, "root")]
SECONDS = 1800      # to end what hangs

ENGINES = ["minhop", "updn", "dnup", "ftree", "lash", "dor", "sssp", "dfsssp", "nue", "mincontention", "torus-2QoS"]
# options of OpenSM without which an engine is another's, or refuses; torus-2QoS wants a torus
FABRICS = ["tests/fabrics/demo-3level.ibnet", "xgft:4,4:1,2", "torus:3x3x3", "dragonfly:3,1,1"]
EVENTS = ["sweep", "fail random 2 seed=5", "set lmc 1"]
# what emulation of single programs has not: no program is started from the emulated one, RLIMIT_DATA does not hold
BEYOND_QEMU = {"test_live": "test_only_errors", "test_room": "test_reserve"}


def names(folder):
    return sorted(n[:-2] for n in os.listdir(os.path.join(ROOT, folder)) if n.startswith("test_") and n.endswith(".c"))


def run(argv):
    try:
        done = subprocess.run(argv, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as e:
        return "did not end", e.stdout or b""
    return done.returncode, done.stdout


def unit(name):
    status, said = run(EMULATED + [os.path.join(ARM, "plain/unit-tests"), name])
    text = said.decode(errors="replace")
    passed = sum(map(int, re.findall(r"^\[  PASSED  \] (\d+) test", text, re.M)))
    failed = sum(map(int, re.findall(r"^\[  FAILED  \] (\d+) test", text, re.M)))
    beyond = BEYOND_QEMU.get(name)
    if failed == 1 and re.findall(r"^\[  FAILED  \] ([a-z_]+)$", text, re.M)[-1:] == [beyond]:
        print("  %s/%s: skipped, qemu-user cannot run it" % (name, beyond))
        return name, passed, 0, ""
    if status and not failed or not status and not passed:
        failed += 1
    return name, passed, failed, "status %s\n%s" % (status, text[-3000:]) if failed else ""


def compared(fabric, engine, event):
    words = ["-R", engine, "-e", event, "-e", "export lfts -; export paths -; load-map", fabric]
    here, there = [(status, re.sub(rb" in [0-9.]+ m?s\b", b"", said)) for status, said in (
        run([os.path.join(BUILD, "ibscope")] + words), run(EMULATED + [os.path.join(ARM, "ibscope")] + words))]
    sums = [hashlib.sha256(said).hexdigest()[:16] for _, said in (here, there)]
    name = "%s %s %s" % (engine, fabric, event)
    same = here == there
    # status 1 is a fallback or a fault that was found: all must have been written
    if same and (here[0] not in (0, 1) or b"directed links" not in here[1]):
        same = False
    return name, int(same), int(not same), "" if same else "here %s %s, emulated %s %s:\n%s" % (
        here[0], sums[0], there[0], sums[1], there[1][-1500:].decode(errors="replace")), sums[0]


def main():
    passed = failed = 0
    routed = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        units = pool.map(unit, names("tests/unit"))
        tables = pool.map(lambda c: compared(*c) + (c[1],), [(f, e, v) for f in FABRICS for e in ENGINES for v in EVENTS])
        for name, p, f, why in units:
            print("  %-24s %4d passed, %d failed" % (name, p, f), flush=True)
            if f:
                print(why)
            passed, failed = passed + p, failed + f
        for name, p, f, why, shown, engine in tables:
            if f:
                print("%s: %s" % (name, why))
            routed.setdefault(engine, set()).add(shown)
            passed, failed = passed + p, failed + f
    for engine, sums in sorted(routed.items()):
        print("  %-24s %4d different answers" % (engine, len(sums)))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
