#!/usr/bin/env python3
"""The winner of `advise` on the real OpenSM: the files that `advise write` makes, as they are.

usage: advised.py [CASE...]     names or globs of cases; none: all of them

For every case `advise write FILE` runs once; OpenSM starts over ibsim with the lines of FILE.  The engine advised must
have routed, ibscope with `config FILE` must have the same tables, and what it says of them must hold: every pair of
hosts arrives in a small model's walk through OpenSM's own dump, and the most routes on a link are those it told.

Environment: IBSCOPE=build/ibscope-san.
The last line is "N passed, N failed".  Exit status 1 when one failed, 2 when nothing could be run.
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import opensm           # noqa: E402
import surveyed         # noqa: E402
from pairing import ROOT, run_cases, told  # noqa: E402
from trial import Failed  # noqa: E402

# Hosts of `stage` are cabled at their second ports, which the model does not know: there only tables are compared.
TABLES_ONLY = {"stage"}
# name: (fabric, words behind `advise`, engine advised, files beside the lines)
CASES = {
    "tree": ("synth xgft:4,4,4:1,2,4", "", "ftree", {".roots", ".cn"}),
    "director": ("synth director:4,6,3,16", "", "ftree", {".roots", ".cn"}),
    "torus": ("synth torus:5x5", "", "torus-2QoS", {".torus"}),
    "torus-lash": ("synth torus:5x5", "rank 2", "lash", set()),
    "mesh": ("synth mesh:4x4", "", "lash", set()),
    "random": ("synth random:24,4,seed=7", "", "nue", set()),
    "stage": ("load %s/tests/fabrics/formats/stage-qdr-fdr10.ibnetdiscover" % ROOT, "", "ftree",
              {".roots", ".cn", ".io"}),
}


def conf_lines(path):
    with open(path, encoding="utf-8") as f:
        return dict(line.rstrip("\n").split(" ", 1) for line in f if not line.startswith("#"))


def check_tables(sm, row, own):
    if sm.engine() != row["engine"]:
        raise Failed("OpenSM routed with %s, advised was %s" % (sm.engine(), row["engine"]))
    tables, hosts = surveyed.read_tables(sm.lfts())
    mine, _ = surveyed.read_tables(own)
    unlike = sum(tables[s].get(lid) != mine.get(s, {}).get(lid)
                 for s in tables for lid in set(tables[s]) | set(mine.get(s, {})))
    if unlike or not tables or set(tables) != set(mine):
        raise Failed("%d entries of %d switches unlike OpenSM's" % (unlike, len(tables)))
    return tables, hosts


def check_figures(row, cables, tables, hosts):
    paths = surveyed.all_paths(cables, tables, hosts)
    lost = sum(p is None for p in paths.values())
    load = surveyed.most_routes(cables, paths)
    if (len(paths), lost, load) != (row["pairs"], row["lost"], row["max_load"]):
        raise Failed("OpenSM: %d pairs, %d lost, %d routes on a link; advise: %d, %d, %d"
                     % (len(paths), lost, load, row["pairs"], row["lost"], row["max_load"]))


def check(name, folder, _):
    fabric, words, engine, beside = CASES[name]
    told(fabric, "save fabric.topo", folder=folder)
    advice = told("load fabric.topo", "advise write best.conf " + words, folder=folder)[-1]
    row = advice["advice"][int(words.split()[1]) - 1 if words else 0]
    if row["engine"] != engine or not row["sound"]:
        raise Failed("advised %s, class %s, expected %s" % (row["engine"], row["class"], engine))
    made = {n[len("best.conf"):] for n in os.listdir(folder) if n.startswith("best.conf")} - {""}
    if made != beside:
        raise Failed("files %s, expected %s" % (sorted(made), sorted(beside)))
    told("load fabric.topo", "config best.conf", "export lfts own.lfts", folder=folder)
    topology = os.path.join(folder, "fabric.topo")
    with open(os.path.join(folder, "own.lfts"), "rb") as f:
        own = f.read()
    with opensm.OpenSM(topology, conf_lines(os.path.join(folder, "best.conf"))) as sm:
        tables, hosts = check_tables(sm, row, own)
    if name not in TABLES_ONLY:
        check_figures(row, surveyed.read_topology(topology), tables, hosts)


if __name__ == "__main__":
    sys.exit(run_cases("advised", "advice", CASES, check))
