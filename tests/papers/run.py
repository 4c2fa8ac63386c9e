#!/usr/bin/env python3
"""Published figures about routing InfiniBand, beside what ibscope computes on the same fabric.

usage: run.py [--table] [NAME...]       names or globs of the parts (--list tells them); none: all

Each row has one verdict:
  equal             computed as published
  differs           it is not; why is told, and what the real OpenSM says
  other version     the published one is of another OpenSM; what differs is counted
  context           a figure without a fabric to rebuild: printed, never a check
  cannot be rebuilt and why

Where opensm and ibsim are installed, the real OpenSM runs on the fabrics of its own manual and change log (tests/parity),
and its tables, SLs and SL-to-VL maps are compared with ibscope's, sweep by sweep: "same" says that both are equal.

Each row says which verdict is expected.  Another one fails, and so does a real OpenSM that does not answer as ibscope, and a
row that is not in README.md as it is here.  --table writes README.md's table.  What is random (missing cables, order of GUIDs)
is drawn by SEED (default 1, whose figures stand in the table).

Environment: IBSCOPE=build/ibscope, SEED=1, LANES=build/papers/lanes.
The last line is "N passed, N failed".  Exit status 1 when one failed, 2 when nothing could be run.
"""
import collections
import csv
import fnmatch
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SEED = os.environ.setdefault("SEED", "1")
IBSCOPE = os.environ["IBSCOPE"] = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
LANES = os.path.abspath(os.environ.get("LANES", os.path.join(ROOT, "build", "papers", "lanes")))
os.environ["PARITY_PAIRS"] = "0"        # of each pair the SL is asked
README = os.path.join(HERE, "README.md")
BEGIN, END = "<!-- made by run.py --table -->", "<!-- end -->"

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests", "parity"))

import cases                                    # noqa: E402
import opensm                                   # noqa: E402
import surveyed                                 # noqa: E402
from fabric import Draft, Fabric                # noqa: E402
import run as parity                            # noqa: E402

LACK = opensm.missing()
EQUAL, DIFFERS, OTHER, CONTEXT, NOT = "equal", "differs", "other version", "context", "cannot be rebuilt"
SHUFFLES = 25           # fabrics of a range


class Failed(Exception):
    pass


# --- the table ----------------------------------------------------------------------------


class Table:
    """Rows as they come, printed at once."""

    def __init__(self):
        self.rows, self.passed, self.failed = [], 0, 0

    def row(self, no, what, published, computed="", verdict=None, expected=EQUAL, sm="-", why="", worked=False):
        """
        verdict: None: whether published is computed.  sm: what the real OpenSM says.  why: of a verdict that is not equal.
        worked: the figure is not in the text, but worked out from what is, by hand.
        """
        verdict = verdict or (EQUAL if published == computed else DIFFERS)
        published += " *" * worked
        cells = [no, what, published, computed, sm, verdict + (": " + why if why else "")]
        self.rows.append([c.replace("|", "/") for c in cells])
        good = verdict == expected and not sm.startswith("differs")
        print("%-8s %s\n         published  %s" % (no, what, published))
        for name, text in (("ibscope", computed), ("OpenSM", sm if sm != "-" else ""), ("verdict", cells[-1])):
            if text:
                print("         %-10s %s" % (name, text))
        if verdict not in (CONTEXT, NOT):
            self.passed += good
            self.failed += not good
        if not good:
            print("FAIL     expected is the verdict `%s`" % expected)
        sys.stdout.flush()

    def text(self):
        head = ["no.", "what", "published", "ibscope", "OpenSM 3.3.23", "verdict"]
        return "".join("| %s |\n" % " | ".join(r) for r in [head, ["---"] * len(head)] + self.rows)


def rows_of(name):
    """A data file's rows as dictionaries."""
    with open(os.path.join(HERE, name), encoding="utf-8", newline="") as f:
        return list(csv.DictReader((line for line in f if not line.startswith("#")), delimiter="\t"))


# --- ibscope and OpenSM -------------------------------------------------------------------------


def ask(*lines, folder=None):
    """The JSON objects of some commands; check may find faults."""
    done = subprocess.run([IBSCOPE, "--json", "-e", "; ".join(lines)], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode not in (0, 1) or any(not t["ok"] for t in told):
        raise Failed("%s: %s" % ("; ".join(lines)[:200], [t.get("error") for t in told][-1:]))
    return told


def spread(values):
    values = sorted(values)
    return "%s" % values[0] if values[0] == values[-1] else "%s to %s" % (values[0], values[-1])


class State:
    """
    A fabric as an engine of cases.ENGINES routed it, after steps; options and steps as cases.Case has them.
    said(): answers to questions there; sm: "same" when the real OpenSM answers as ibscope after each sweep.
    """

    def __init__(self, name, engine, source, options=None, steps=None, real=True):
        self.folder = tempfile.TemporaryDirectory(prefix="papers.")
        self.case = cases.Case(name, engine, source, options, steps or [])
        at = self.folder.name
        fabric, options, output = parity.predict(self.case, at)
        self.fabric = fabric
        self.begin = ["set port_guids ibsim"] + ['set %s "%s"' % item for item in options.items()]
        self.begin += ["load fabric.topo", "route " + self.case.engine.chain] + self.case.steps
        self.sm = "not asked"
        if real and not LACK:
            try:
                parity.check_predicted(self.case, at, fabric, options, output)
                self.sm = "same"
            except (parity.Mismatch, parity.NotModelled, parity.Stops, opensm.OpenSMError) as e:
                self.sm = "differs: %s %s" % (type(e).__name__, " ".join(str(e).split()))
        if "lfts" in self.case.engine.compare:
            with open(os.path.join(at, "got.%d" % len(self.case.steps)), "rb") as f:
                self.tables, self.hosts = surveyed.read_tables(f.read())

    def said(self, *questions):
        return ask(*self.begin, *questions, folder=self.folder.name)[len(self.begin):]

    def engine(self):
        """The engine that routed last, and why others refused."""
        routed = [t for t in ask(*self.begin, folder=self.folder.name) if t.get("routing")]
        return routed[-1]["routing"]["engine"], " ".join(r["why"] for r in routed[-1].get("refusals", []))

    def port(self, label, lid):
        """Entry of a switch; None: there is none."""
        guid = next(s.name for s in self.fabric.switches if s.label == label)
        return self.tables[guid].get(lid)


class Wired(Draft):
    """A fabric cabled by hand; GUIDs are ibsim's defaults, in the order in which nodes come."""

    def __init__(self, switch_guids=itertools.count(0x200000), host_guids=itertools.count(0x100000, 3)):
        super().__init__(random.Random(0))
        self.of = {"Switch": switch_guids, "Ca": host_guids}
        self.by, self.kind = {}, None

    def guid(self, ports):
        return next(self.of[self.kind])

    def node(self, kind, name, ports, lid=None):
        self.kind = kind
        self.by[name] = self.add(kind, ports, name)
        if lid:
            self.by[name]["lid"][0 if kind == "Switch" else 1] = lid

    def switch(self, name, ports, lid=None):
        self.node("Switch", name, ports, lid)

    def host(self, name, lid=None, ports=2):
        self.node("Ca", name, ports, lid)

    def cable(self, a, p, b, q):
        self.by[a]["ports"][p], self.by[b]["ports"][q] = (self.by[b], q), (self.by[a], p)

    def source(self):
        return "text", self.text()


def fresh():
    return Wired(itertools.count(0x200000), itertools.count(0x100000, 3))


def guids(*numbers):
    return cases.File(["0x%016x" % n for n in numbers])


# --- 1: complete tables in a book, of another version ------------------------------------------------


def ring_of_four(lids):
    d = fresh()
    for s in "ABCD":
        d.switch(s, 8, lids[s])
    for s in "ABCD":
        d.host("h" + s, lids["h" + s])
        d.cable(s, 1, "h" + s, 1)
    for a, b in ("AB", "BC", "CD", "DA"):
        d.cable(a, 2, b, 3)
    return d.source()


def printed_tables(table, lids, state):
    """The rows as opensm-lfts.dump."""
    text = ""
    for row in table:
        guid = next(s.guid for s in state.fabric.switches if s.label == row["switch"])
        text += "Unicast lids [0-9] of switch Lid 0 guid 0x%016x ('%s'):\n" % (guid, row["switch"])
        text += "".join("0x%04x %03d # -\n" % (int(lid.split()[-1]), int(row[lid])) for lid in lids)
        text += "%d lids dumped\n" % len(lids)
    return text.encode()


def yes(flag):
    return "yes" if flag else "no"


def differing(table, state, lids):
    """(N, "N of M entries differ: ...") of printed rows."""
    wrong, of = [], 0
    for row in table:
        for lid in lids:
            if row[lid] != "-":
                of += 1
                port = state.port(row["switch"], int(lid.split()[-1]))
                if port != int(row[lid]):
                    wrong.append("%s/%s %s for %s" % (row["switch"], lid.split()[-1], port, row[lid]))
    shown = ", ".join(wrong[:6]) + (", ..." if len(wrong) > 6 else "")
    return len(wrong), "%d of %d entries differ%s" % (len(wrong), of, " (switch/LID: ours for printed: %s)" % shown if wrong else "")


def book_ring(t):
    table = rows_of("ring.tsv")
    columns = [c for c in table[0] if c not in ("engine", "switch")]
    lids = {c.split()[0]: int(c.split()[1]) for c in columns}
    source = ring_of_four(lids)
    for engine, options in (("minhop", {}), ("updn", {"root_guid_file": guids(0x200000)})):
        s = State("ring-" + engine, engine, source, options)
        n, told = differing([r for r in table if r["engine"] == engine], s, columns)
        t.row("1.1", "ring of four, %s: all entries" % engine, "ring.tsv, OpenSM 5.21", told, OTHER if n else EQUAL,
              OTHER if n else EQUAL, s.sm)
        want = "yes, yes" if engine == "minhop" else "no, no"
        what = "ring of four, %s: credit loops between hosts, with switches' own LIDs" % engine
        with open(os.path.join(s.folder.name, "printed"), "wb") as f:
            f.write(printed_tables([r for r in table if r["engine"] == engine], columns, s))
        printed = s.said("tables printed", "cycles", "cycles switches")[1:]
        t.row("1.1", what + ", in the printed tables", want, "%s, %s" % tuple(yes(c["credit_loop_groups"]) for c in printed), worked=True)
        own = "%s, %s" % tuple(yes(c["credit_loop_groups"]) for c in s.said("cycles", "cycles switches"))
        t.row("1.1", what + ", in ibscope's", want, own, EQUAL if own == want else OTHER, EQUAL if want == "no, no" else OTHER, s.sm,
              worked=True)
        if engine == "updn":
            t.row("1.1", "ring of four, updn: most switches on a path, against minhop", "3, 3", "%s, %s" % (
                s.said("check")[0]["check"]["max_links"] - 1, minhop.said("check")[0]["check"]["max_links"] - 1), sm=s.sm, worked=True)
        else:
            minhop = s
    s = State("ring-fallback", "updn", source)
    same = s.tables == minhop.tables
    t.row("1.1", "ring of four, updn without roots", "minhop, its tables", "%s, %s tables" % (
        s.engine()[0], "its" if same else "other"), sm=s.sm)


def book_tree(t):
    table = rows_of("tree.tsv")
    columns = [c for c in table[0] if c not in ("engine", "switch")]
    d = fresh()
    for i, lid in enumerate((1, 3, 6, 7)):
        d.switch("Spine%d" % (i + 1), 8, lid)
    for i, lid in enumerate((11, 12, 15, 16)):
        d.switch("Leaf%d" % (i + 1), 8, lid)
    for i, (leaf, k) in enumerate(itertools.product(range(1, 5), range(4))):
        name = "Hca%d" % (10 * leaf + 5 + k)
        d.host(name, int(columns[i]))
        d.cable("Leaf%d" % leaf, 5 + k, name, 1)
    for i, j in itertools.product(range(1, 5), range(1, 5)):
        d.cable("Spine%d" % i, j, "Leaf%d" % j, i)
    for engine, options in (("updn", {"root_guid_file": guids(*range(0x200000, 0x200004))}), ("ftree", {})):
        s = State("tree-" + engine, engine, d.source(), options)
        n, told = differing([r for r in table if r["engine"] == engine], s, columns)
        t.row("1.2", "tree of 4 spines and 4 leaves, %s: entries of leaves for other leaves' hosts" % engine,
              "tree.tsv, OpenSM 5.21", told, OTHER if n else EQUAL, OTHER if n else EQUAL, s.sm)
        wrong = sum(s.port("Spine%d" % i, int(c)) != int(k / 4) + 1 for i in range(1, 5) for k, c in enumerate(columns))
        t.row("1.2", "the same: entries of spines that do not go straight to the leaf", "0", str(wrong), sm=s.sm)
        load = s.said("load-map")[0]["loads"]
        t.row("1.2", "the same: routes of hosts on a cable, each way, least and most", "12, 12",
              "%d, %d" % (load["min"], load["max"]), sm=s.sm, worked=True)
    ranks = collections.Counter(r["rank"] for r in s.said("ranks")[0]["rows"])
    t.row("1.2", "ftree's ranks: switches of rank 0 and 1", "4, 4", "%d, %d" % (ranks[0], ranks[1]), sm=s.sm)


# --- 2: torus-2QoS in OpenSM's own manual ------------------------------------------------------------


def label(place):
    return "t" + place.replace(",", "")


def torus_steps(links, switches):
    """Steps by GUIDs, as parity's simulator takes them; one sweep for all links, one for all switches."""
    def steps(rng, f):
        by = {s.label: s for s in f.switches}
        made = []
        if links != "-":
            ends = []
            for pair in links.split():
                a, b = (by[label(p)] for p in pair.split(">"))
                ends += ["%s[%d]" % (a, p) for p, (peer, _) in a.peer.items() if peer is b]
            made.append("fail link " + " ".join(ends))
        if switches != "-":
            made.append("fail switch " + " ".join(str(by[label(p)]) for p in switches.split()))
        return made
    return steps


def torus_state(name, radices, links="-", switches="-", x="y", y="z"):
    """
    The first radix is the manual's x, which is routed first; the seed is at 0,0, which no example loses.  x, y: which
    dimensions of torus-2QoS.conf they are; OpenSM takes several lost switches in a row along z alone.
    """
    def conf(rng, f):
        by = {s.label: s for s in f.switches}
        return cases.File(["torus " + " ".join(dict(zip((x, y), radices.split("x"))).get(d, "1") for d in "xyz")] + [
            "%sp_link %s %s" % (d, by["t00"], by[to]) for d, to in ((x, "t10"), (y, "t01"))])

    return State("manual-" + name, "torus", ("spec", "torus:" + radices), {"qos": "TRUE", "torus_config": conf},
                 torus_steps(links, switches))


def host_at(state, place):
    s = next(s for s in state.fabric.switches if s.label == label(place))
    return next(peer.label for peer, _ in s.peer.values() if not peer.is_switch)


def manual_paths(t):
    sls = {}
    for row in rows_of("torus.tsv"):
        s = torus_state(row["no"], row["torus"], row["failed links"], row["failed switches"])
        places = row["path"].split()
        what = "torus %s, failed: %s" % (row["torus"], ", ".join(x.replace(">", " - ") for x in (
            row["failed links"] + " " + row["failed switches"]).split() if x != "-") or "nothing")
        source, target = ("1,1", "3,3") if places == ["refused"] else (places[0], places[-1])
        ends = host_at(s, source), host_at(s, target)
        trace, check = s.said("trace %s %s" % ends, "check")
        path = trace["forward"]["path"]
        went = [",".join(h["switch"][1:]) for h in path]
        told = " ".join(went)
        engine, why = s.engine()
        lost = "%d pairs without a path" % check["unreachable"]
        if row["no"] == "2.1d":
            t.row(row["no"], what + ": does torus-2QoS route?", "refused", "%s routes, %s" % (engine, lost), DIFFERS, DIFFERS, s.sm,
                  "3.3.23 gives the switch between both links no place, as if it had failed, and routes the others; so does ibscope")
            continue
        if places == ["refused"]:
            t.row(row["no"], what + ": does torus-2QoS route?", "refused", "refused" if engine != "torus-2QoS" else "routes, " + lost,
                  sm=s.sm, worked=True)
            continue
        if row["no"] == "2.3b":
            t.row(row["no"], what + ": does torus-2QoS route?", "routes, loops possible", "refused" if engine != "torus-2QoS" else
                  "routes", DIFFERS, DIFFERS if engine != "torus-2QoS" else None, s.sm,
                  "3.3.23 takes several missing switches in a row along z alone (ERR 4E38), and so does ibscope")
            continue
        t.row(row["no"], what + ": path from %s to %s" % (source, target), row["path"], told, sm=s.sm)
        high = " ".join("%s>%s" % (a, b) for a, b, hop in zip(went, went[1:], path) if hop["vl"] & 2) or "-"
        t.row(row["no"], "the same: hops on lanes with VL bit 1", row["VL bit 1"], high, sm=s.sm)
        t.row(row["no"], "the same: credit loops", row["loops"], yes(check["credit_loop_groups"]), sm=s.sm)
        sls[row["no"]] = trace["forward"]["sl_min"]
    s = torus_state("2.2-xy", "6x6", switches="3,1 3,2", x="x", y="y")
    t.row("2.2", "the same with the manual's x and y as x and y of torus-2QoS.conf", "routes", "refused" if s.engine()[0] == "minhop" else
          "routes", expected=DIFFERS, sm=s.sm, why="several missing switches may lie in a row along z alone (ERR 4E38)")
    t.row("2.1", "SL of this path with a link lost, two cases, against the whole torus", "unchanged",
          "unchanged" if sls["2.1a"] == sls["2.1b"] == sls["2.1c"] else str(sls))


def manual_lanes(t):
    s = State("manual-lanes", "torus", ("spec", "torus:4x4x4"), {"qos": "TRUE", "torus_config": cases.Made("torus-conf")})
    paths, layers, check = s.said("export paths -", "layers", "check")
    sls = sorted({int(line.split()[2]) for line in paths["content"].splitlines()})
    vls = [x["vl"] for x in layers["layers"] if x["dependencies"] or x["channels"]]
    t.row("2.4", "whole torus 4x4x4: SLs and VLs of one QoS level; credit loops", "0-7; 0-1; no", "%d-%d; %d-%d; %s" % (
        sls[0], sls[-1], vls[0], vls[-1], yes(check["credit_loop_groups"])), sm=s.sm)
    t.row("2.4", "the same: number of SLs", "8", str(len(sls)), sm=s.sm)
    t.row("2.5", "multicast master tree of a 6x5 torus, whole, a link lost, a switch lost", "roots 3,2 / 3,2 / 2,1", "", NOT, NOT,
          why="ibscope computes no multicast tables")


# --- 3: worked examples of OpenSM's change log --------------------------------------------------------


def lanes(t):
    done = subprocess.run([LANES, "8", "14", "5", "1"], stdout=subprocess.PIPE, text=True, check=True)
    t.row("3.1", "dfsssp (21a5b5f9): lanes of three layers of 14, 5 and 1 paths on 8 VLs", "5 2 1", done.stdout.strip())


def io_balance(t):
    """Two switches, two cables; hosts in each order of GUIDs and ports, where those of a kind are alike."""
    names, shared, sms = ("CN1", "CN2", "CN3", "CN4", "IO1", "IO2"), {False: 0, True: 0}, set()
    orders = [o for o in itertools.permutations(names) if o.index("CN1") < o.index("CN2") < o.index("CN3")
              and o.index("IO1") < o.index("IO2")]
    for k, order in enumerate(orders):
        d = fresh()
        d.switch("S1", 8)
        d.switch("S2", 8)
        for name in order:
            d.host(name)
        for port, name in enumerate(order):
            d.cable("S1" if name in names[:3] else "S2", port + 1, name, 1)
        d.cable("S1", 7, "S2", 7)
        d.cable("S1", 8, "S2", 8)
        one = {name: d.by[name]["guid"] + 1 for name in names}
        for given in (False, True):
            files = {"cn_guid_file": guids(*[one[n] for n in names[:4]]), "io_guid_file": guids(one["IO1"], one["IO2"])}
            s = State("io-%d-%s" % (k, given), "dfsssp", d.source(), files if given else {}, real=k < 2)
            if k < 2:
                sms.add(s.sm)
            io = [s.port("S1", lid_of(s, one[n])) for n in ("IO1", "IO2")]
            shared[given] += io[0] == io[1]
    sm = "; ".join(sorted(sms))
    t.row("3.2", "dfsssp (5b2390ea): CN1-3, two cables, CN4 and IO1-2; orders of GUIDs and ports in which both I/O nodes share a cable, "
          "with guid files", "0 of %d" % len(orders), "%d of %d" % (shared[True], len(orders)), sm=sm)
    t.row("3.2", "the same without guid files", "some may", "%d of %d" % (shared[False], len(orders)),
          EQUAL if shared[False] else DIFFERS, sm=sm)


def lid_of(state, guid):
    """LID of a port of a host by its port GUID."""
    return next(lid for lid, name in state.hosts.items() if name == "H-%016x" % (guid - 1))


def port_shifting(t):
    want = {"FALSE": "1 4 7, 2 5 8, 3 6 9", "TRUE": "1 6 8, 2 4 9, 3 5 7"}
    for on, told in want.items():
        d = fresh()
        d.switch("from", 8, 10)
        d.switch("to", 12, 11)
        for i in range(1, 10):
            d.host("h%d" % i, i)
            d.cable("to", i, "h%d" % i, 1)
        for i in range(3):
            d.cable("from", i + 1, "to", 10 + i)
        s = State("shifting-" + on, "minhop", d.source(), {"port_shifting": on})
        got = ", ".join(" ".join(str(lid) for lid in range(1, 10) if s.port("from", lid) == p) for p in (1, 2, 3))
        t.row("3.3", "minhop (dd211072): LIDs 1-9 on three equal links, port_shifting %s" % on, told, got, sm=s.sm)


def lmc_spread(t):
    for engine in ("minhop", "updn"):
        d = fresh()
        for name, ports in (("leaf", 12), ("A", 12), ("B", 12), ("far", 12)):
            d.switch(name, ports)
        d.host("near")
        d.host("target")
        d.cable("leaf", 9, "near", 1)
        d.cable("far", 9, "target", 1)
        for i in range(1, 5):
            d.cable("leaf", i, "A", i)
            d.cable("leaf", 4 + i, "B", i)
            d.cable("far", i, "A", 4 + i)
            d.cable("far", 4 + i, "B", 4 + i)
        roots = {"root_guid_file": guids(*[d.by[n]["guid"] for n in "AB"])} if engine == "updn" else {}
        s = State("lmc-" + engine, engine, d.source(), dict(roots, lmc=2))
        ports = [s.port("leaf", lid) for lid, name in s.hosts.items() if name == "H-%016x" % d.by["target"]["guid"]]
        t.row("3.4", "%s (fe13902f): four LIDs of a port, ports 1-4 to one switch, 5-8 to another" % engine, "2 + 2",
              "%d + %d" % (sum(p <= 4 for p in ports), sum(p > 4 for p in ports)), sm=s.sm)


def useless_top(t):
    """Sets of L0 and L1 switches, the N-th L1 of each set to the N-th L2, all L2 to two L3."""
    for sets, l0, l1, hosts in ((2, 2, 2, 2), (2, 4, 4, 4), (3, 3, 3, 3), (4, 4, 4, 4)):
        d = fresh()
        for i in range(2):
            d.switch("L3-%d" % i, 36)
        for n in range(l1):
            d.switch("L2-%d" % n, 36)
        for a in range(sets):
            for n in range(l1):
                d.switch("L1-%d-%d" % (a, n), 36)
            for n in range(l0):
                d.switch("L0-%d-%d" % (a, n), 36)
        for a, n, k in itertools.product(range(sets), range(l0), range(hosts)):
            d.host("h%d-%d-%d" % (a, n, k))
            d.cable("L0-%d-%d" % (a, n), 1 + k, "h%d-%d-%d" % (a, n, k), 1)
        for a, n, m in itertools.product(range(sets), range(l0), range(l1)):
            d.cable("L0-%d-%d" % (a, n), 17 + m, "L1-%d-%d" % (a, m), 1 + n)
        for a, m in itertools.product(range(sets), range(l1)):
            d.cable("L1-%d-%d" % (a, m), 33, "L2-%d" % m, 1 + a)
        for m, i in itertools.product(range(l1), range(2)):
            d.cable("L2-%d" % m, 33 + i, "L3-%d" % i, 1 + m)
        s = State("top-%d-%d" % (sets, l1), "ftree", d.source())
        ports = s.said("load-map")[0]["loads"]["ports"]
        down = collections.Counter(p["routes"] for p in ports if p["from"][:2] == "L2" and p["to"][:2] == "L1")
        used = sum(p["routes"] for p in ports if "L3" in (p["from"][:2], p["to"][:2]))
        several = len(down) > 1
        t.row("3.5", "ftree (16fbeca1), %d sets of %d L0 and %d L1, %d hosts a leaf: routes on links from L2 to L1; on those of L3"
              % (sets, l0, l1, hosts), "all equal; 0", "%s; %d" % ("all equal" if not several else spread(down), used), sm=s.sm,
              why="the published example tells no numbers of sets, switches and hosts" if several or used else "")


def mesh_analysis(t):
    """Layers of LASH on a torus, its sizes in all orders and GUIDs shuffled."""
    for sizes in ((5, 8, 6), (4, 6, 5)):
        layers = {"TRUE": collections.Counter(), "FALSE": collections.Counter()}
        for on, found in layers.items():
            for order in itertools.permutations(sizes):
                for k in range(3):
                    more = ",shuffle=1,seed=%d" % (int(SEED) + k) if k else ""
                    told = ask("synth torus:%s%s" % ("x".join(map(str, order)), more), "set do_mesh_analysis " + on,
                               "route lash", "layers")
                    # with more than 8 layers it refuses, and minhop routes
                    found[told[-1]["used"] if told[2]["routing"]["engine"] == "lash" else 9] += 1
        one = len(layers["TRUE"]) == 1
        t.row("3.6", "lash with do_mesh_analysis (fd9bc128), torus %s: layers, sizes in 6 orders, GUIDs in 3" % "x".join(map(str, sizes)),
              "one number", counts(layers["TRUE"]), EQUAL if one else DIFFERS)
        t.row("3.6", "the same without mesh analysis (9: more than 8, refused)", "-", counts(layers["FALSE"]), CONTEXT, CONTEXT,
              why="no numbers were published")


def two_port_hosts(t):
    d = fresh()
    for name in ("SW1", "SW2", "Root"):
        d.switch(name, 8)
    for i in (1, 2):
        d.host("HCA%d" % i)
        d.cable("SW1", i, "HCA%d" % i, 1)
        d.cable("SW2", i, "HCA%d" % i, 2)
    d.cable("SW1", 7, "Root", 1)
    d.cable("SW2", 7, "Root", 2)
    s = State("two-ports", "ftree", d.source())
    order = s.said("export ca-order -")[0]["content"].split("\n")
    by_leaf = collections.Counter()
    for line in order:
        if line.strip():
            lid = int(line.split()[0], 16)
            at = [x.label for x in s.fabric.switches if s.tables[x.name].get(lid) in (1, 2) and x.label != "Root"]
            by_leaf[at[0] if at else "dummy"] += 1
    t.row("3.7", "ftree (ccab3b83): HCA1-2, each on SW1 and SW2: compute nodes of each leaf in the order", "SW1 2, SW2 2",
          ", ".join("%s %d" % x for x in sorted(by_leaf.items())), sm=s.sm)


def changed_sls(t):
    """Of each lost link between switches: SLs that change."""
    f = Fabric(ask("synth torus:6x5", "save -")[-1]["content"])
    links = ["%s[%d]" % a for a, b in f.links if a[0].is_switch and b[0].is_switch]
    with tempfile.TemporaryDirectory(prefix="papers.") as folder:
        for engine, begin in (("torus-2QoS", ["torus-conf torus.conf", "set qos TRUE", "set torus_config torus.conf"]), ("lash", [])):
            lines = ["synth torus:6x5"] + begin + ["route " + engine, "export paths -"]
            for link in links:
                lines += ["fail link " + link, "export paths -", "undo"]
            told = [sls(x["content"]) for x in ask(*lines, folder=folder) if x["command"] == "export"]
            changed = [sum(told[0][p] != after.get(p) for p in told[0]) for after in told[1:]]
            if engine == "lash":
                t.row("3.9", "lash, torus 6x5: SLs of %d pairs that one lost link changes, %d links" % (len(told[0]), len(links)),
                      "may be many", spread(changed), EQUAL if max(changed) else DIFFERS)
            else:
                t.row("3.9", "torus-2QoS (3b8b1534), torus 6x5: SLs of %d pairs that one lost link changes, %d links" % (
                    len(told[0]), len(links)), "0", spread(changed))


def sls(text):
    return {tuple(line.split()[:2]): line.split()[2] for line in text.splitlines()}


# --- 4: the HyperX of SC 2019 ---------------------------------------------------------------------------


def hyperx(t):
    rng = random.Random(SEED)
    seeds = [rng.randrange(1, 10 ** 6) for _ in range(SHUFFLES)]
    need = {e: collections.Counter() for e in ("dfsssp", "lash")}
    loop = collections.Counter()
    for k in seeds:
        told = ask("synth published:t2hx,fail=15,shuffle=1,seed=%d" % k, "compare dfsssp sssp minhop lash")[-1]["compare"]
        for row in told:
            if row["engine"] in need:
                need[row["engine"]][row["vls_needed"]] += 1
            else:
                loop[row["engine"]] += bool(row["credit_loops"])
    what = "HyperX 12x8 (Domke et al., SC 2019), %d draws of 15 missing cables and the order of GUIDs: " % SHUFFLES
    got = need["dfsssp"]
    t.row("4", what + "VLs that dfsssp needs", "3", counts(got), EQUAL if 3 in got else DIFFERS,
          why="which 15 cables, GUIDs and ports are not published: a range")
    t.row("4", what + "sssp has credit loops", "not free of deadlocks", "%d of %d" % (loop["sssp"], SHUFFLES),
          EQUAL if loop["sssp"] == SHUFFLES else DIFFERS)
    t.row("4", what + "minhop has credit loops; layers of lash", "-", "%d of %d; %s" % (
        loop["minhop"], SHUFFLES, counts(need["lash"])), CONTEXT, CONTEXT, why="not published")
    whole = ask("synth published:t2hx", "compare dfsssp sssp")[-1]["compare"]
    t.row("4", "the same HyperX, no cable missing, GUIDs and ports in the order of its places: VLs that dfsssp needs", "3",
          str(whole[0]["vls_needed"]), expected=DIFFERS, why="the real one lacked 15 cables and had no such order")
    shifts(t)


def counts(counter):
    return ", ".join("%s in %d" % (v, n) for v, n in sorted(counter.items()))


def shifts(t):
    """28 hosts of four switches of one row that are linked each to each: all 27 shifts."""
    told = ask("synth published:t2hx", "save -", "route dfsssp", "export lfts -")
    with tempfile.TemporaryDirectory(prefix="papers.") as folder:
        path = os.path.join(folder, "fabric.topo")
        with open(path, "w", encoding="utf-8") as f:
            f.write(told[1]["content"])
        cables = surveyed.read_topology(path)
    tables, hosts = surveyed.read_tables(told[3]["content"].encode())
    lids = {name: lid for lid, name in hosts.items()}
    f = Fabric(told[1]["content"])
    four = [s for s in f.switches if s.label in ("x-00-0", "x-00-1", "x-00-2", "x-00-3")]
    nodes = [peer.name for s in four for peer, _ in s.peer.values() if not peer.is_switch]
    most, shares = 0, []
    for k in range(1, len(nodes)):
        paths = [surveyed.walk(cables, tables, a, lids[b], b) for a, b in zip(nodes, nodes[k:] + nodes[:k])]
        flows = collections.Counter(c for p in paths for c in p)
        most = max(most, max(flows.values()))
        shares += [1 / max(flows[c] for c in p) for p in paths]
    t.row("4", "HyperX 12x8, dfsssp, 28 hosts of 4 switches in all %d shifts: most flows on a cable" % (len(nodes) - 1), "7", str(most))
    t.row("4", "the same: mean share of a link, measured by mpiGraph as 0.84 of the fat tree's 2.26 GiB/s", "0.37", "%.2f" % (
        sum(shares) / len(shares)), CONTEXT, CONTEXT, worked=True, why="measured; ours counts flows of the fabric without missing cables")


# --- 5 and 6: graphs ---------------------------------------------------------------------------------


def graph(spec):
    """({switch: set of neighbours}, number of cables between switches, labels in order) of what `synth` makes."""
    f = Fabric(ask("synth " + spec, "save -")[-1]["content"])
    near = {s: {peer for peer, _ in s.peer.values() if peer.is_switch and peer is not s} for s in f.switches}
    return near, sum(a[0].is_switch and b[0].is_switch for a, b in f.links), f


def distances(near):
    """Counter of distances of ordered pairs."""
    found = collections.Counter()
    for s in near:
        seen, edge, far = {s}, [s], 0
        while edge:
            found[far] += len(edge)
            far += 1
            edge = list({n for e in edge for n in near[e]} - seen)
            seen.update(edge)
    del found[0]
    return found


def sizes(t):
    for row in rows_of("graphs.tsv"):
        near, cables, _ = graph(row["spec"] + ("" if row["spec"].startswith("dragonfly") else ",hosts=1"))
        far = distances(near)
        degree = [len(n) for n in near.values()]
        mean = "%.4f" % (sum(d * n for d, n in far.items()) / sum(far.values())) if row["mean"] != "-" else "-"
        got = [len(near), cables, sum(degree) // 2, min(degree), max(degree), max(far), mean]
        keys = ("switches", "cables", "pairs", "least", "most", "diameter", "mean")
        t.row("6", "%s: %s" % (row["spec"], ", ".join(keys)), " ".join(row[k] for k in keys), " ".join(map(str, got)),
              worked=True)
    for kind, published in (("slimfly", {3: (18, 5), 4: (32, 6), 5: (50, 7), 7: (98, 11), 8: (128, 12), 9: (162, 13), 11: (242, 17)}),
                            ("polarfly", {2: (7, 3), 3: (13, 4), 4: (21, 5), 5: (31, 6), 7: (57, 8), 8: (73, 9), 9: (91, 10),
                                          11: (133, 12), 13: (183, 14), 16: (273, 17)})):
        got = {}
        for q in published:
            near, _, _ = graph("%s:%d,hosts=1" % (kind, q))
            got[q] = len(near), max(len(n) for n in near.values())
        t.row("6", "%s, Q = %s: switches, most neighbours (SST's merlin)" % (kind, " ".join(map(str, published))),
              text_of(published), text_of(got))
    near, cables, f = graph("xgft:32,64:1,32")
    t.row("6", "two levels of 64-port switches (DeepSeek-V3, ISCA 2025, table 3): endpoints, switches, switch links", "2048 96 2048",
          "%d %d %d" % (len(f.hosts), len(near), cables))
    near, cables, _ = graph("cascade:1")
    degree = {len(n) for n in near.values()}
    t.row("6", "a group of Cascade (codes): switches, cables, linked switches of each", "96 1440 20", "%d %d %s" % (
        len(near), cables, spread(degree)), worked=True)


def text_of(pairs):
    return " ".join("%d/%d" % p for p in pairs.values())


def slim_fly(t):
    """The wiring as codes' README.slimfly.txt has it: vertices s, a, b."""
    q, x, x2 = 5, {1, 4}, {2, 3}
    near = collections.defaultdict(set)
    for a, b, c in itertools.product(range(q), repeat=3):
        for s, steps in ((0, x), (1, x2)):
            if (b - c) % q in steps:
                near[s, a, b].add((s, a, c))
        near[0, a, (b * a + c) % q].add((1, b, c))
        near[1, b, c].add((0, a, (b * a + c) % q))
    order = sorted(near)
    far = distances(near)
    t.row("5", "Slim Fly q = 5 by the published rule: ordered pairs at 1 and 2 links", "350 2100", "%d %d" % (far[1], far[2]),
          worked=True)
    made, _, f = graph("slimfly:5,hosts=4")
    by = {s.label: s for s in f.switches}
    names = {v: "s%d%d%d" % v for v in order}
    same = all({by[names[n]] for n in near[v]} == made[by[names[v]]] for v in order)
    t.row("5", "`synth slimfly:5`: the cables of that rule, switch by switch", "all", "all" if same else "others")
    colour = {}
    for v in order:
        taken = {colour.get(n) for n in near[v]}
        colour[v] = next(c for c in itertools.count() if c not in taken)
    most = max(colour.values()) + 1
    t.row("5", "colours of a greedy colouring in that order (lnmp allows 13)", "at most 13", "at most 13" if most <= 13 else str(most))
    # what engines do on it, GUIDs shuffled: nothing of it could be read
    figures = {}
    for k in range(5):
        for row in ask("synth slimfly:5,hosts=4,shuffle=1,seed=%d" % (int(SEED) + k), "compare minhop dfsssp lash nue")[-1]["compare"]:
            figures.setdefault(row["engine"], []).append((row["vls_needed"], row["edge_forwarding_max"]))
    for engine, got in figures.items():
        t.row("5", "Slim Fly q = 5, 200 hosts, %s, 5 orders of GUIDs: VLs needed; edge-forwarding index" % engine, "-", "%s; %s" % (
            spread(v for v, _ in got), spread(e for _, e in got)), CONTEXT, CONTEXT, why="the paper's tables could not be read")


# --- what is no check ----------------------------------------------------------------------------------


def context(t):
    for row in rows_of("context.tsv"):
        t.row("7", row["source"], row["figure"], "", CONTEXT, CONTEXT, why="missing: " + row["what is missing"])
    told = ask("synth published:deimos", "route minhop", "load-map ebb seed=" + SEED, "route sssp", "load-map ebb seed=" + SEED)
    ebb = [x["ebb"]["value"] for x in (told[2], told[4])]
    t.row("7", "`published:deimos`, effective bisection bandwidth, sssp against minhop", "+40 %", "%+.0f %%" % (
        100 * (ebb[1] / ebb[0] - 1)), CONTEXT, CONTEXT, why="another wiring than that of the paper, which is not published")


def unbuilt(t):
    for no, what, published, why in (
            ("4", "the fat tree beside that HyperX: switches, cables, absent", "204 2662 197",
             "what is told of its switches explains 2,400 cables; `published:tsubame2` is the tree of TSUBAME2, not of SC 2019"),
            ("4", "PARX (SC 2019): VLs", "5 to 8", "no engine of OpenSM 3.3.23"),
            ("6", "Slim Fly of 64-port switches (ISCA 2025): endpoints, switches, links", "32928 1568 32928",
             "its q would be 28, which is no power of a prime: there is no such graph"),
            ("6", "three levels of 64-port switches (ISCA 2025)", "65536 5120 131072", "more than 48,000 endports: LIDs end"),
            ("6", "Dragonfly of 64-port switches (ISCA 2025)", "261632 16352 384272", "more than 48,000 endports: LIDs end"),
            ("8", "layers of LASH on tori before and after mesh analysis", "mailing list", "could not be read"),
            ("8", "lanes of DFSSSP on Deimos, Odin, CHiC, JUROPA, Ranger, Tsubame", "IPDPS 2011", "wirings and tables could not be read"),
            ("8", "figures of Nue, of the failures of SC 2014, of Dmodc, FatPaths, NSDI 2024", "their tables", "could not be read")):
        t.row(no, what, published, "", NOT, NOT, why=why)


PARTS = (book_ring, book_tree, manual_paths, manual_lanes, lanes, io_balance, port_shifting, lmc_spread, useless_top, mesh_analysis,
         two_port_hosts, changed_sls, hyperx, slim_fly, sizes, context, unbuilt)


def main(words):
    write = "--table" in words
    wanted = [w for w in words if not w.startswith("--")]
    if "--list" in words:
        print("\n".join(p.__name__ for p in PARTS))
        return 0
    lack = None if os.access(IBSCOPE, os.X_OK) else "no program %s" % IBSCOPE
    chosen = [p for p in PARTS if not wanted or any(fnmatch.fnmatch(p.__name__, w) for w in wanted)]
    if lack or not chosen or write and (wanted or LACK or SEED != "1"):
        print("papers: %s" % (lack or (LACK if write else None) or "there is no such part, or --table of some parts or another SEED"),
              file=sys.stderr)
        return 2
    print("published figures with %s and %s: SEED=%s" % (os.path.relpath(IBSCOPE), LACK or opensm.version(), SEED), flush=True)
    t = Table()
    for part in chosen:
        try:
            part(t)
        except (Failed, parity.Mismatch, OSError, LookupError, TypeError, ValueError, subprocess.SubprocessError) as e:
            t.failed += 1
            print("FAIL %s: %s: %s" % (part.__name__, type(e).__name__, e), flush=True)
    with open(README, encoding="utf-8") as f:
        before, _, rest = f.read().partition(BEGIN + "\n")
        saved, _, after = rest.partition(END)
    if write and not t.failed:
        with open(README, "w", encoding="utf-8") as f:
            f.write(before + BEGIN + "\n\n" + t.text() + "\n" + END + after)
    elif SEED == "1" and not LACK:
        kept = set(saved.splitlines())
        missing = [line for line in t.text().splitlines() if line not in kept]
        t.passed += not missing
        t.failed += bool(missing)
        for line in missing:
            print("FAIL not in README.md (--table writes it): " + line)
    print("%d passed, %d failed" % (t.passed, t.failed))
    return 1 if t.failed or not t.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
