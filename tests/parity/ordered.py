#!/usr/bin/env python3
"""The order in which the real OpenSM writes forwarding tables, and what packets meet meanwhile.

usage: ordered.py [CASE...]     names or globs of cases; none: all of them

Each case draws a fabric and a sequence of failures, restorations and restarts.  tests/live/capture.c writes down every Set that
OpenSM sends to a switch over ibsim: LinearFDBTop, and blocks of forwarding tables.  `transition all` must tell the same blocks to
the same switches in the same order.  Then the recorded data is written into tables block by block, and all pairs are walked
after each: as many must be waiting, cut and looping as `transition` tells.

Environment: IBSCOPE=build/ibscope-san, SEED=N (default: new, printed), EVENTS=N a case (12).
The last line is "N passed, N failed".  Exit status 1 when one failed, 2 when nothing could be run.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import cases            # noqa: E402
import opensm           # noqa: E402
from fabric import Fabric  # noqa: E402
from pairing import ROOT, run_cases, said, told  # noqa: E402
from trial import Failed  # noqa: E402

CAPTURE = os.path.join(ROOT, os.environ.get("BUILD", "build"), "live", "capture.so")
EVENTS = int(os.environ.get("EVENTS", "12"))
SWITCH_INFO, FORWARDING = "12", "19"
BLOCK, NONE = 64, 255

GRIDS = ("torus:4x4", "mesh:4x3,hosts=2", "ring:6,parallel=2,hosts=2", "torus:4x4,shuffle=1,hosts=4", "hypercube:3,hosts=2",
         "random:12,4,hosts=2,shuffle=1,seed=7", "dragonfly:3,1,2", "ring:7,hosts=3", "mesh:3x3,shuffle=1")
TREES = ("xgft:3,3,3:1,2,2", "xgft:4,4:1,2", "xgft:3,4,2:1,2,4,shuffle=1", "xgft:4,4,4:1,2,2")
# name: (engine, fabrics, options[, draws the steps])
CASES = {
    "lone": ("minhop", GRIDS + TREES, {}, lambda rng, f: lone_steps(rng, f)),
    "minhop": ("minhop", GRIDS + TREES, {}), "minhop-lmc": ("minhop", GRIDS + TREES, {"lmc": 2}), "updn": ("updn", GRIDS + TREES, {}),
    "dnup": ("dnup", GRIDS + TREES, {}), "dor": ("dor", GRIDS, {}), "ftree": ("ftree", TREES, {}),
    "lash": ("lash", GRIDS, {}), "dfsssp": ("dfsssp", GRIDS + TREES, {}), "sssp": ("sssp", GRIDS + TREES, {"lmc": 1}),
    "nue": ("nue", GRIDS + TREES, {}), "cache": ("minhop", TREES, {"use_ucast_cache": "TRUE"}),
    "cache-tree": ("updn", TREES, {"use_ucast_cache": "TRUE"}),
    "torus": ("torus-2QoS", ("torus:4x4x4", "torus:5x4x3"), {"qos": "TRUE", "torus_config": "torus.conf"}),
}


def lone_steps(rng, f):
    """The switch on which OpenSM runs loses all its links, and gets some back; meanwhile things fail that it does not see."""
    keep = cases.Steps(f).keep
    links = ["0x%016x[%d]" % (keep.guid, port) for port in sorted(keep.peer)]
    rng.shuffle(links)
    far = ["fail host 0x%016x" % n.guid for n in rng.sample(f.hosts, 3)]
    return ["fail link " + " ".join(links[1:]), "fail link " + links[0], far[0], far[1], "restore link " + links[0], far[2],
            "fail link " + links[0], "restore link " + " ".join(links)]


def tables_of(dump):
    """opensm-lfts.dump: {GUID of the switch: {LID: port}}."""
    tables, own = {}, None
    for line in dump.decode(errors="replace").splitlines():
        m = re.match(r"Unicast lids .* guid (0x[0-9a-f]+)", line)
        if m:
            own = tables.setdefault(int(m[1], 16), {})
            continue
        m = re.match(r"0x([0-9a-f]+) (\d+)", line)
        if m:
            own[int(m[1], 16)] = int(m[2])
    return tables


def lids_of(dump, fabric):
    """{LID: node} of CAs and routers with their GUIDs, from the same."""
    ports = {n.port_guid(p): n for n in fabric.hosts for p in n.peer}
    found = re.findall(rb"^0x([0-9a-f]+) \d+ # (?:Channel Adapter|Router) portguid (0x[0-9a-f]+)", dump, re.M)
    return {int(lid, 16): ports[int(guid, 16)] for lid, guid in found}


def recorded(lines, start):
    """[(attribute, modifier, GUID of the switch, data)] of what was sent from the subnet manager's node."""
    sets = []
    for line in lines:
        word, *rest = line.split()
        if word != "set":
            continue
        attribute, modifier, path, data = rest
        node = start
        for port in bytes.fromhex("" if path == "-" else path):
            if port not in node.peer:
                raise Failed("a set went by a path that does not exist: " + line)
            node = node.peer[port][0]
        sets.append((attribute, int(modifier, 16), node.guid, bytes.fromhex(data)))
    return sets


class World:
    """What is up, and walks over it."""

    def __init__(self, steps, lids):
        self.lids = lids
        self.links = {}
        for i, (a, b) in enumerate(steps.f.links):
            if steps.up(i):
                self.links[a[0].guid, a[1]] = b[0]
                self.links[b[0].guid, b[1]] = a[0]
        self.at = {}            # LID -> switch of the host
        for lid, host in lids.items():
            ends = [self.links[host.guid, p] for p in host.peer if (host.guid, p) in self.links]
            if ends and ends[0].is_switch:
                self.at[lid] = ends[0].guid

    def ends(self, tables, lid):
        """{switch: "arrives", "cut" or "looping"} of a LID."""
        found = {}
        for guid in tables:
            way, at = [], guid
            while at not in found:
                if at in way:
                    found.update((w, "looping") for w in way)
                    break
                way.append(at)
                node = self.links.get((at, tables.get(at, {}).get(lid, NONE)))
                if node is None or not node.is_switch or node.guid not in tables:
                    end = "arrives" if node is not None and node is self.lids[lid] else "cut"
                    found.update((w, end) for w in way)
                    break
                at = node.guid
            found.update((w, found[at]) for w in way if w not in found)
        return found

    def pairs(self, old, now, tables, memory):
        """Waiting, cut and looping pairs of LIDs, a host's first as source; memory: of LIDs whose entries are as they were."""
        total = {"waiting": 0, "cut": 0, "looping": 0}
        sources = {}
        for lid, host in self.lids.items():
            if lid in self.at:
                sources.setdefault(host.guid, self.at[lid])
        for lid in self.at:
            column = tuple(tables[g].get(lid, NONE) for g in sorted(tables))
            if (lid, column) not in memory:
                counts = dict.fromkeys(total, 0)
                before, after, mixed = self.ends(old, lid), self.ends(now, lid), self.ends(tables, lid)
                for guid, sw in sources.items():
                    if guid == self.lids[lid].guid:
                        continue
                    if mixed[sw] == "looping":
                        counts["looping"] += 1
                    elif mixed[sw] == "cut" and after[sw] == "arrives":
                        counts["cut" if before[sw] == "arrives" else "waiting"] += 1
                memory[lid, column] = counts
            for k, n in memory[lid, column].items():
                total[k] += n
        return total


def compare(event, answer, sets, world, old, now):
    """One event: order, blocks and pairs."""
    sent = [(modifier, guid) for attribute, modifier, guid, _ in sets if attribute == FORWARDING]
    tops = [i for i, s in enumerate(sets) if s[0] == SWITCH_INFO]
    if tops and sent and max(tops) > len(tops) - 1:
        raise Failed("%s: OpenSM set SwitchInfo between blocks" % event)
    writes = [(w["block"], int(w["switch_guid"], 16)) for w in answer["writes"]]
    if writes != sent:
        at = next(i for i in range(max(len(writes), len(sent))) if writes[i:i + 1] != sent[i:i + 1])
        raise Failed("%s: %d writes, OpenSM sent %d; number %d: %s, OpenSM %s" % (
            event, len(writes), len(sent), at + 1, writes[at:at + 1], sent[at:at + 1]))
    tables = {guid: dict(old.get(guid, {})) for guid in now}
    old = {guid: dict(t) for guid, t in tables.items()}
    memory = {}
    moments = [("before", answer["before"])] + [("write %d" % w["write"], w) for w in answer["writes"]]
    blocks = [None] + [s for s in sets if s[0] == FORWARDING]
    for (what, said_of), block in zip(moments, blocks):
        if block:
            for i, port in enumerate(block[3]):
                tables[block[2]][block[1] * BLOCK + i] = port
        want = world.pairs(old, now, tables, memory)
        got = {k: said_of[k] for k in want}
        if want != got:
            raise Failed("%s, %s: %s, walked %s" % (event, what, got, want))
    wrong = [g for g in now if {k: p for k, p in tables[g].items() if p != NONE} != {k: p for k, p in now[g].items() if p != NONE}]
    if wrong:
        raise Failed("%s: what was sent does not make the table of %x" % (event, wrong[0]))
    return sum(w["looping"] + w["cut"] > 0 for w in answer["writes"])


class Captured(opensm.OpenSM):
    captured = CAPTURE


def run_opensm(folder, options, steps):
    """What OpenSM sent, its dump, what is up and the LIDs, per sweep."""
    sweeps = []
    with open(os.path.join(folder, "fabric.topo")) as f:
        fabric = Fabric(f.read())
    world = cases.Steps(fabric)
    options = {k: os.path.join(folder, v) if k == "torus_config" else v for k, v in options.items()}
    with Captured(os.path.join(folder, "fabric.topo"), options) as sm:
        seen = 0
        for step in [None] + steps:
            words = (step or "").split()
            if words[:1] == ["set"]:
                sm.restart({words[1]: words[2]})
            elif words[:1] == ["route"]:
                sm.restart({"routing_engine": words[1]})
            elif step:
                sm.step(world.apply(step))
            lines = sm.read("capture.log").decode().splitlines()
            dump = sm.lfts()
            sweeps.append((recorded(lines[seen:], world.keep), tables_of(dump), World(world, lids_of(dump, fabric))))
            seen = len(lines)
    return sweeps


def compare_all(steps, answers, sweeps, start):
    """All events; how many moments had loops or cuts."""
    bad = 0
    for n, step in enumerate(steps):
        sets, now, world = sweeps[n + 1]
        try:
            bad += compare(step, answers[n], sets, world, sweeps[n][1], now)
        except Failed as e:
            raise Failed("%s\n    ibscope -e '%s'" % (e, "; ".join(["set port_guids ibsim"] + start + steps[:n + 1])))
    return bad


def check(name, folder, rng):
    engine, specs, options, *own_steps = CASES[name]
    make = ["synth " + rng.choice(specs), "save fabric.topo"] + (["torus-conf torus.conf"] if "torus_config" in options else [])
    said(*make, folder=folder)
    with open(os.path.join(folder, "fabric.topo")) as f:
        fabric = Fabric(f.read())
    others = ["route " + g for g in ("minhop", "updn", engine)] if not options else []
    most = 2 if engine == "torus-2QoS" else None
    steps = own_steps[0](rng, fabric) if own_steps else cases.draw_steps(rng, fabric, most, EVENTS, others)[:EVENTS]
    start = ["set %s %s" % o for o in options.items()] + ["load fabric.topo", "route " + engine]
    told_lines = list(start)
    for step in steps:
        told_lines += [step, "transition all"]
    answers = [o for o in told(*told_lines, folder=folder, faults=True) if o["command"] == "transition"]
    options = dict(options, routing_engine=engine)
    sweeps = run_opensm(folder, options, steps)
    bad = compare_all(steps, answers, sweeps, start)
    print("%s: %d events, %d blocks, %d moments with loops or cuts" % (
        name, len(steps), sum(s[0] == FORWARDING for sweep in sweeps[1:] for s in sweep[0]), bad), flush=True)


if __name__ == "__main__":
    sys.exit(run_cases("ordered", "order of writes", CASES, check))
