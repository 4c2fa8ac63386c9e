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
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import opensm           # noqa: E402
from pairing import run_cases, said, told  # noqa: E402
from trial import Failed  # noqa: E402

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


def route_line(engine, options):
    return " ".join(["route", engine] + ["%s=%s" % item for item in options.items()])


def our_paths(folder, route, pairs):
    """Per pair the switches passed: (name, in, out)."""
    lines = ["trace %d %d" % pair for pair in pairs]
    found = [o["forward"] for o in told("load fabric.topo", route, *lines, folder=folder) if o["command"] == "trace"]
    return [[(h["switch"], h["in"], h["out"]) for h in o["path"]] for o in found]


def their_path(sm, pair):
    """The same as ibtracert walks it in the simulated fabric."""
    env = dict(sm._environment(), LD_PRELOAD=opensm.simulator_library())
    done = subprocess.run(["ibtracert", str(pair[0]), str(pair[1])], cwd=sm.folder, env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    if done.returncode:
        raise Failed("ibtracert %d %d: %s" % (*pair, done.stdout.strip()[-300:]))
    hops = [m.groups() for m in map(HOP.match, done.stdout.splitlines()) if m]
    # a hop tells the port left behind, and port and name of what is entered
    return [(name, int(entered), int(hops[i + 1][0]))
            for i, (_, kind, entered, name) in enumerate(hops) if kind == "switch"]


def check(name, folder, rng):
    spec, engine, options = CASES[name]
    route = route_line(engine, options)
    said("synth " + spec, "save fabric.topo", folder=folder)
    said("load fabric.topo", route, "export lfts tables", folder=folder)
    with open(os.path.join(folder, "tables"), "rb") as f:
        tables = f.read()
    conf = {"routing_engine": "file", "lfts_file": os.path.join(folder, "tables"), "lmc": options.get("lmc", 0)}
    with opensm.OpenSM(os.path.join(folder, "fabric.topo"), conf) as sm:
        if sm.engine() != "file":
            raise Failed("opensm routed with %s, not from the file" % sm.engine())
        if sm.lfts() != tables:
            raise Failed("opensm's dump of the loaded tables differs from what was exported")
        lids = sm.endport_lids()
        pairs = [pair for pair in (tuple(rng.sample(lids, 2)) for _ in range(3 * PAIRS))
                 if pair[0] >> conf["lmc"] != pair[1] >> conf["lmc"]][:PAIRS]    # not to itself
        for pair, ours in zip(pairs, our_paths(folder, route, pairs)):
            theirs = their_path(sm, pair)
            if theirs != ours or not ours:
                raise Failed("LID %d to %d: ibtracert walks %s, ibscope %s" % (*pair, theirs, ours))


if __name__ == "__main__":
    sys.exit(run_cases("loaded", "loaded tables", CASES, check))
