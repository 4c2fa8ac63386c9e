#!/usr/bin/env python3
"""Rows of a survey against what the real OpenSM does after those failures.

usage: surveyed.py [CASE...]     names or globs of cases; none: all of them

For every case `survey links` runs once; for three of its rows, picked by a seed, OpenSM starts over ibsim, the link
goes down, and OpenSM sweeps.  A small model here walks all pairs of hosts through OpenSM's own dumps before and after;
its figures, and the engine in force, must be those of the row.

Environment: IBSCOPE=build/ibscope-san, SEED=N (of the rows picked; default: new, printed).
The last line is "N passed, N failed".  Exit status 1 when one failed, 2 when nothing could be run.
"""
import collections
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import opensm           # noqa: E402
from pairing import run_cases, told  # noqa: E402
from trial import Failed  # noqa: E402

ROWS = 3

# name: (fabric, engine)
CASES = {
    "minhop": ("xgft:4,4,4:1,2,4", "minhop"),
    "updn": ("xgft:4,4,4:1,2,4", "updn"),
    "ftree": ("xgft:3,3,2:1,3,3", "ftree"),
    "torus": ("torus:4x4,hosts=2", "minhop"),
    "random": ("random:14,3,hosts=2,seed=6", "updn"),
    "chain": ("mesh:5x1,hosts=2", "minhop"),
}


# --- the model --------------------------------------------------------------------------------


def read_topology(path):
    """{node: {port: (node, port)}}, of "S-..." and "H-..." ids."""
    cables, node = collections.defaultdict(dict), None
    with open(path, encoding="utf-8") as f:
        for line in f:
            head = re.match(r'(?:Switch|Ca)\s+\d+ "([SH]-[0-9a-f]+)"', line)
            end = re.match(r'\[(\d+)\](?:\([0-9a-f]+\))?\s+"([SH]-[0-9a-f]+)"\[(\d+)\]', line)
            node = head[1] if head else node
            if end:
                cables[node][int(end[1])] = (end[2], int(end[3]))
    return cables


def read_tables(text):
    """({switch: {lid: port}}, {lid of a host: port GUID})."""
    tables, hosts, now = {}, {}, None
    for line in text.decode().splitlines():
        head = re.match(r"Unicast lids .* guid 0x([0-9a-f]+)", line)
        row = re.match(r"0x([0-9A-Fa-f]+) (\d+) # (Switch|Channel Adapter) portguid 0x([0-9a-f]+)", line)
        if head:
            now = tables.setdefault("S-" + head[1], {})
        elif row:
            now[int(row[1], 16)] = int(row[2])
            if row[3] != "Switch":
                hosts[int(row[1], 16)] = "H-%016x" % (int(row[4], 16) - 1)    # ibsim: node GUID + port number
    return tables, hosts


def walk(cables, tables, source, lid, target):
    """Channels (switch, port) of the path, the last to the host; None: it does not arrive."""
    node, _ = cables[source][1]
    path = []
    while len(path) <= len(tables):
        port = tables.get(node, {}).get(lid)
        if not port or port not in cables[node]:
            return None
        path.append((node, port))
        node, _ = cables[node][port]
        if node[0] == "H":
            return path if node == target else None
    return None


def all_paths(cables, tables, hosts):
    return {(a, b): walk(cables, tables, hosts[a], b, hosts[b]) for a in hosts for b in hosts if a != b}


def most_routes(cables, paths):
    load = collections.Counter(c for p in paths.values() if p for c in p[:-1])
    return max(load.values(), default=0)


def model(cables, down, before, after):
    """Figures of a row from two dumps."""
    now = {n: {p: end for p, end in ports.items() if (n, p) not in down} for n, ports in cables.items()}
    (was_tables, was_hosts), (is_tables, is_hosts) = before, after
    was, still = all_paths(cables, was_tables, was_hosts), all_paths(now, is_tables, is_hosts)
    both = [pair for pair in was if was[pair] and still.get(pair)]
    lost = [pair for pair in was if was[pair] and not still.get(pair)]
    cut = [pair for pair in lost if pair[0] not in is_hosts or pair[1] not in is_hosts]
    moved = [pair for pair in both if was[pair] != still[pair]]
    entries = sum(was_tables[s].get(lid, 255) != is_tables[s].get(lid, 255)
                  for s in was_tables if s in is_tables for lid in set(was_tables[s]) | set(is_tables[s]))
    return {"lost": len(lost), "cut_off": len(cut), "between_survivors": len(lost) - len(cut), "rerouted": len(moved),
            "longer": sum(len(still[p]) > len(was[p]) for p in moved), "entries": entries,
            "load_after": most_routes(now, still)}


# --- a case ------------------------------------------------------------------------------------


def check_row(topology, engine, row):
    cables = read_topology(topology)
    ends = [("S-%s" % row[k + "_guid"][2:], row[k + "_port"]) for k in "ab"]
    if cables[ends[0][0]][ends[0][1]] != ends[1]:
        raise Failed("%s: the cable is not in the file" % row["what"])
    with opensm.OpenSM(topology, {"routing_engine": engine}) as sm:
        before = read_tables(sm.lfts())
        sm.step(['Unlink "%s"[%d]' % ends[0]])
        want = dict(model(cables, set(ends), before, read_tables(sm.lfts())), engine=sm.engine())
    got = {k: row[k] for k in want}
    if got != want:
        raise Failed("%s: OpenSM %s, survey %s" % (row["what"], want, got))
    return want


def check(name, folder, rng):
    spec, engine = CASES[name]
    told("synth " + spec, "save fabric.topo", folder=folder)
    rows = told("load fabric.topo", "route " + engine, "survey links", folder=folder)[-1]["survey"]
    picked = rng.sample(rows, ROWS)
    found = [check_row(os.path.join(folder, "fabric.topo"), engine, row) for row in picked]
    if not any(f["entries"] for f in found):
        raise Failed("no failure changed anything")


if __name__ == "__main__":
    sys.exit(run_cases("surveyed", "rows of surveys", CASES, check))
