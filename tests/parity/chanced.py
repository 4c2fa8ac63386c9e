#!/usr/bin/env python3
"""Fat trees with cables between switches of one rank: ftree of the real OpenSM over ibsim, where heap addresses decide.

usage: chanced.py [CASE...]     names or globs of cases; none: all of them

OpenSM sorts the adapters of such leaves by heap addresses while it routes them (engines/doc/ftree.md 13), so its tables differ
from run to run.  The order of a run stands in its opensm-ftree-ca-order.dump.  Each case draws a tree and asks:
- the model of tests/model/climbed.py, given the order of the run, makes OpenSM's table: nothing else depends on chance;
- without it, it makes ibscope's: ibscope has the order of the nodes;
- `check` names every host that OpenSM left without a route, and where it names none and tells of no chance, the tables are equal.

Environment: IBSCOPE=build/ibscope-san, SEED=N (default: new, printed), CHANCED=N trees a case (1; 40 with LONG=1).
The last line is "N passed, N failed".  Exit status 1 when one failed, 2 when nothing could be run.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "model")]

import opensm           # noqa: E402
from climbed import Climb  # noqa: E402
from ordered import tables_of  # noqa: E402
from pairing import run_cases, said, told  # noqa: E402
from trial import Failed  # noqa: E402

CHANCED = int(os.environ.get("CHANCED", "40" if os.environ.get("LONG") else "1"))
# name: (switches of each rank, leaves first, as ranges; ports of an adapter; rank of the side links)
CASES = {
    "few": (((2, 4), (1, 2)), (1, 1, 2), 0),
    "leaves": (((3, 7), (1, 4)), (1,), 0),
    "adapters": (((2, 5), (2, 4)), (1, 2, 3), 0),
    "middle": (((2, 4), (2, 3), (1, 3)), (1, 2), 1),
    "low": (((2, 4), (2, 3), (1, 3)), (1,), 0),
}


def tree(rng, ranks, ports, beside):
    """A tree in ibsim's format: each switch has a cable to each of the next rank; some have one to another of their own."""
    rows = [["%s%d" % ("abc"[i], k) for k in range(rng.randrange(*some))] for i, some in enumerate(ranks)]
    size = {s: 24 for row in rows for s in row}
    peer = {s: {} for s in size}

    def cable(a, b):
        p, q = (rng.choice([p for p in range(1, size[n] + 1) if p not in peer[n]]) for n in (a, b))
        peer[a][p], peer[b][q] = (b, q), (a, p)

    for low, high in zip(rows, rows[1:]):
        for a in low:
            for b in high:
                cable(a, b)
    for leaf in rows[0]:
        for _ in range(rng.randrange(1, 5)):
            host = "h%d" % (len(size))
            size[host], peer[host] = rng.choice(ports), {}
            for _ in range(size[host]):
                cable(host, leaf)
    for _ in range(rng.randrange(1, 3)):
        cable(*rng.sample(rows[beside], 2))
    names = list(peer)
    rng.shuffle(names)
    guid = {n: 0x2c90300000000 + 16 * (i + 1) for i, n in enumerate(rng.sample(names, len(names)))}
    text = "# %s\n" % rng.random()
    for n in names:
        kind, word = ("H", "ca") if n[0] == "h" else ("S", "switch")
        text += "\nvendid=0x2c9\ndevid=0x1\nsysimgguid=0x%x\n%sguid=0x%x\n" % (guid[n], word, guid[n])
        text += '%s\t%d "%s-%016x"\t\t# "%s"%s\n' % ("Ca" if kind == "H" else "Switch", size[n], kind, guid[n], n,
                                                   "" if kind == "H" else " base port 0 lid 0 lmc 0")
        for p, (other, q) in sorted(peer[n].items()):
            text += '[%d]%s\t"%s-%016x"[%d]%s\t\t# lid 0 4xQDR\n' % (
                p, "(%x)" % (guid[n] + p) if kind == "H" else "", "H" if other[0] == "h" else "S", guid[other], q,
                "(%x)" % (guid[other] + q) if other[0] == "h" else "")
    return text


def modelled(saved, order=None):
    """Tables by GUID of the switch, as tables_of() has them."""
    m = Climb(saved, order=order)
    tables = {m.guid[s]: {} for s in m.switches}
    for (s, lid), port in m.table.items():
        tables[m.guid[s]][lid] = port
    return tables


def differ(a, b):
    return sum(a[s].get(lid) != b[s].get(lid) for s in a for lid in set(a[s]) | set(b.get(s, {}))) + (set(a) != set(b))


def check_one(folder, rng, case):
    path = os.path.join(folder, "fabric.topo")
    with open(path, "w", encoding="ascii") as f:
        f.write(tree(rng, *case))
    with opensm.OpenSM(path, {"routing_engine": "ftree"}) as sm:
        if sm.engine() != "ftree":
            raise Failed("OpenSM does not route it with ftree")
        want, dump = tables_of(sm.lfts()), sm.read("opensm-ftree-ca-order.dump").decode()
    judged = told("load fabric.topo", "route ftree", "export lfts got", "save model", "check", folder=folder, faults=True)[-1]
    with open(os.path.join(folder, "got"), "rb") as f:
        got = tables_of(f.read())
    with open(os.path.join(folder, "model"), encoding="ascii") as f:
        saved = f.read()
    order = [int(lid, 16) for lid in re.findall(r"^(0x\w{4})\t", dump, re.M) if lid != "0xFFFF"]
    for what, n in (("OpenSM's table is not that of the order in its dump", differ(want, modelled(saved, order))),
                    ("ibscope's table is not that of the order of nodes", differ(got, modelled(saved)))):
        if n:
            raise Failed("%s: %d entries" % (what, n))
    lids = {lid for table in got.values() for lid in table} | {lid for table in want.values() for lid in table} | set(order)
    may = {p["lid"] for p in judged["by_chance"]}
    for whose, table in (("OpenSM", want), ("ibscope", got)):
        lost = {lid for lid in lids if not any(lid in t for t in table.values())}
        if lost - may:
            raise Failed("%s leaves LIDs %s without a route, check names %s" % (whose, sorted(lost), sorted(may)))
    if may and judged["sound"]:
        raise Failed("check says Sound")
    if "differs from run to run" not in judged["notes"] and differ(want, got):
        raise Failed("%d entries differ, and no note tells of it" % differ(want, got))


def check(name, folder, rng):
    for _ in range(CHANCED):
        check_one(folder, rng, CASES[name])


if __name__ == "__main__":
    sys.exit(run_cases("chanced", "ftree where heap addresses decide", CASES, check))
