#!/usr/bin/env python3
"""Load tables that ibscope exports into the real OpenSM over ibsim, and walk them with ibtracert.

usage: loaded.py [CASE...]     names or globs of cases; none: all of them

For every case `export lfts` writes the tables of an engine, OpenSM takes them
(routing_engine file, lfts_file), its own dump of what the switches then have must be
the same text, and ibtracert must pass the switches and ports that `trace` tells.
This is how the tables of an engine that OpenSM does not have get into a fabric.

Environment: IBSCOPE=build/ibscope-san, SEED=N (of the pairs walked; default: new, printed).
The last line is "N passed, N failed".  Exit status 1 when one failed, 2 when nothing could be run.
"""
import fnmatch
import os
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import opensm           # noqa: E402
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import contract         # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope-san")))
PAIRS = 12      # walked per case
HOP = re.compile(r'^\[(\d+)\] -> (switch|ca) port \{0x[0-9a-f]+\}\[(\d+)\] lid [0-9-]+ "(.*)"$')

# name: (fabric, engine, options of `route`)
CASES = {
    "director": ("director:2,4,3,8", "mincontention", {}),
    "director-lmc": ("director:2,4,3,8,shuffle=1,seed=5", "mincontention", {"lmc": 2, "tolerance": 1}),
    "tree": ("xgft:3,4,2:1,2,4,shuffle=1,seed=3", "mincontention", {"lmc": 1}),
    "random": ("random:12,4,hosts=2,parallel=2,seed=9", "mincontention", {"lmc": 1, "tolerance": 2}),
    "director-lmc3": ("director:3,3,2,6,shuffle=1,seed=2", "mincontention", {"lmc": 3, "tolerance": 0}),
    "random-lmc3": ("random:10,4,hosts=1,seed=4", "mincontention", {"lmc": 3, "tolerance": 2}),
    "torus": ("torus:4x4", "lash", {}),
}


class Mismatch(Exception):
    """The case failed: the message is what is printed."""


def ibscope(*lines, folder, as_json=False):
    args = [IBSCOPE] + ["--json"] * as_json + ["-e", "; ".join(("set port_guids ibsim",) + lines)]
    done = subprocess.run(args, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=120)
    if done.returncode:
        raise Mismatch("ibscope: exit status %d: %s" % (done.returncode, done.stdout.strip()[-300:]))
    return done.stdout


def route_line(engine, options):
    return " ".join(["route", engine] + ["%s=%s" % item for item in options.items()])


def our_paths(folder, route, pairs):
    """Per pair the switches passed: (name, in, out)."""
    lines = ["trace %d %d" % pair for pair in pairs]
    text = ibscope("load fabric.topo", route, *lines, folder=folder, as_json=True)
    found = [o["forward"] for o in contract.objects(IBSCOPE, text) if o["command"] == "trace"]
    return [[(h["switch"], h["in"], h["out"]) for h in o["path"]] for o in found]


def their_path(sm, pair):
    """The same as ibtracert walks it in the simulated fabric."""
    env = dict(sm._environment(), LD_PRELOAD=opensm.simulator_library())
    done = subprocess.run(["ibtracert", str(pair[0]), str(pair[1])], cwd=sm.folder, env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    if done.returncode:
        raise Mismatch("ibtracert %d %d: %s" % (*pair, done.stdout.strip()[-300:]))
    hops = [m.groups() for m in map(HOP.match, done.stdout.splitlines()) if m]
    # a hop tells the port left behind, and port and name of what is entered
    return [(name, int(entered), int(hops[i + 1][0]))
            for i, (_, kind, entered, name) in enumerate(hops) if kind == "switch"]


def check(name, rng):
    spec, engine, options = CASES[name]
    route = route_line(engine, options)
    with tempfile.TemporaryDirectory(prefix="parity-loaded.") as folder:
        ibscope("synth " + spec, "save fabric.topo", folder=folder)
        ibscope("load fabric.topo", route, "export lfts tables", folder=folder)
        with open(os.path.join(folder, "tables"), "rb") as f:
            tables = f.read()
        conf = {"routing_engine": "file", "lfts_file": os.path.join(folder, "tables"), "lmc": options.get("lmc", 0)}
        with opensm.OpenSM(os.path.join(folder, "fabric.topo"), conf) as sm:
            if sm.engine() != "file":
                raise Mismatch("opensm routed with %s, not from the file" % sm.engine())
            if sm.lfts() != tables:
                raise Mismatch("opensm's dump of the loaded tables differs from what was exported")
            lids = sm.endport_lids()
            pairs = [pair for pair in (tuple(rng.sample(lids, 2)) for _ in range(3 * PAIRS))
                     if pair[0] >> conf["lmc"] != pair[1] >> conf["lmc"]][:PAIRS]    # not to itself
            for pair, ours in zip(pairs, our_paths(folder, route, pairs)):
                theirs = their_path(sm, pair)
                if theirs != ours or not ours:
                    raise Mismatch("LID %d to %d: ibtracert walks %s, ibscope %s" % (*pair, theirs, ours))


def run_all(patterns, seed):
    """(passed, failed)."""
    passed = failed = 0
    for name in CASES:
        if patterns and not any(fnmatch.fnmatch(name, p) for p in patterns):
            continue
        try:
            check(name, random.Random("%s %s" % (seed, name)))
            passed += 1
        except (Mismatch, opensm.OpenSMError, subprocess.SubprocessError, OSError) as e:
            failed += 1
            print("FAIL loaded %s: %s\n    repeat: SEED=%s tests/parity/loaded.py %s" % (name, e, seed, name), flush=True)
    return passed, failed


def main():
    lack = opensm.missing() or (None if os.access(IBSCOPE, os.X_OK) else "no program %s" % IBSCOPE)
    if lack:
        print("loaded: %s" % lack, file=sys.stderr)
        return 2
    seed = os.environ.get("SEED") or str(random.SystemRandom().randrange(10 ** 9))
    print("loaded tables with %s: SEED=%s" % (os.path.relpath(IBSCOPE), seed), flush=True)
    passed, failed = run_all(sys.argv[1:], seed)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
