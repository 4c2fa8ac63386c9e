#!/usr/bin/env python3
"""Figures computed a second time, and figures that several commands tell, on random states.

A state is a random fabric, an engine, LMC 0 to 2, sometimes quality of service, failed cables, switches and hosts.  The
model reads what `save -`, `export lfts -` and `export paths -` print and shares no code with the program.  EQUAL is the
table of quantities that two commands, or text and JSON, tell.

New states in every run (SEED repeats one, FIGURED=N draws N).
Environment: IBSCOPE=build/ibscope.  The last line is "N passed, N failed".
"""
import itertools
import json
import os
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from trial import Failed, Tally, chosen_seed, expect  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
SEED = chosen_seed()
FIGURED = int(os.environ.get("FIGURED", "30"))
SECONDS = 120  # a bound for a program that hangs


def program(fabric, commands, how=()):
    argv = [PROGRAM, *how, fabric]
    for c in commands:
        argv += ["-e", c]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False)
    expect(done.returncode in (0, 1), " ".join(argv), "status", done.returncode, done.stderr[-300:])
    return done.stdout


class State:
    """A fabric and what was done; answers of commands, in text and JSON."""

    def __init__(self, fabric, before, engine, options, fresh, rng):
        self.fabric, self.before, self.engine, self.options, self.rng = fabric, before, engine, options, rng
        self.fresh = fresh  # nothing of the tables was kept from before a failure
        self.known, self.said = {}, {}
        self.net = Net(*(self.ask(c)["content"] for c in ("save -", "export lfts -", "export paths -")))

    def ask(self, command):
        """The object of a command."""
        if command not in self.known:
            objects = [json.loads(line) for line in program(self.fabric, [*self.before, command], ["--json"]).splitlines()]
            for o in objects:
                expect(o["ok"], o["command"], "failed:", o.get("error"))
            self.known[command] = objects[-1]
        return self.known[command]

    def text(self, command):
        if command not in self.said:
            told = program(self.fabric, [*self.before, "echo ---", command])
            self.said[command] = told.split("---\n", 1)[1]
        return self.said[command]

    def number(self, command, pattern):
        """The number that a text tells; without the line: 0."""
        found = re.search(pattern, self.text(command), re.M)
        return float(found[1].replace(",", "")) if found else 0

    def __str__(self):
        return "%s: %s" % (self.fabric, "; ".join(self.before))


class Net:
    """What is up: switches by LID, host ports by base LID, cables, tables, SLs."""

    def __init__(self, saved, tables, paths):
        self.peer = {}   # (switch LID, port) -> ("S" or "H", LID)
        self.name = {}   # base LID -> name of the node
        self.lids = {}   # base LID of a host port -> its LIDs
        lmc, cable = {}, []
        here = None
        for line in saved.splitlines():
            head = re.match(r'Switch\t\d+ "S-.*"\t+# "(.*)" base port 0 lid (\d+) ', line)
            ca = re.match(r'(?:Ca|Rt)\t\d+ "H-.*"\t+# "(.*)"', line)
            port = re.match(r'\[(\d+)\]\t"([SH])-.*"\[\d+\].*\t+# "(.*)" lid (\d+) ', line)
            own = re.match(r'\[\d+\]\(\w+\) .*# lid (\d+) lmc (\d+) ', line)
            if head:
                here = int(head[2])
                self.name[here] = head[1]
            elif ca:
                here = None
            elif own and here is None:
                lmc[int(own[1])] = int(own[2])
            elif port and here:
                cable.append((here, int(port[1]), port[2], int(port[4]), port[3]))
        for sw, p, kind, lid, name in cable:
            self.peer[sw, p] = (kind, lid)
            if kind == "H" and lid:
                self.lids[lid] = range(lid, lid + (1 << lmc.get(lid, 0)))
                self.name[lid] = name
        self.at = {lid: s for (s, _), (kind, lid) in self.peer.items() if kind == "H"}
        self.hosts = sorted(self.lids)
        self.owner = {k: lid for lid, ks in self.lids.items() for k in ks}
        self.switches = sorted({s for s, _ in self.peer})
        self.channels = {c for c, (kind, _) in self.peer.items() if kind == "S"}
        self.table = {}
        for line in tables.splitlines():
            head = re.match(r"Unicast lids .* of switch Lid (\d+) ", line)
            entry = re.match(r"0x([0-9a-f]{4}) (\d+) ", line)
            if head:
                here = int(head[1])
            elif entry:
                self.table[here, int(entry[1], 16)] = int(entry[2])
        self.sl = {}     # (LID, LID) -> the SLs that the path may have, of those that arrive
        for line in paths.splitlines():
            slid, dlid, sl, _ = line.split()
            if sl != "-":
                ends = [int(x) for x in sl.split("..")]
                self.sl[int(slid), int(dlid)] = set(range(ends[0], ends[-1] + 1))

        self.by_name = {self.name[h]: h for h in self.hosts}

    def parts(self, down, cables):
        """Number of the connected part of each host without a switch and without these ports; None: on that switch."""
        part = {}
        for s in self.switches:
            queue = [s] if s not in part and s != down else []
            for at in queue:
                part.setdefault(at, s)
                queue += {lid for (a, p), (kind, lid) in self.peer.items()
                          if a == at and kind == "S" and lid != down and lid not in queue and (a, p) not in cables}
        return {h: part.get(self.at[h]) for h in self.hosts}

    def path(self, src, dst):
        """Ports that send, from a host port to a LID: a path, or why there is none, "loop" or "lost"."""
        here, way = self.at[src], []
        while len(way) <= len(self.switches):
            port = self.table.get((here, dst), 255)
            if (here, port) not in self.peer:
                return "lost"
            way.append((here, port))
            kind, lid = self.peer[here, port]
            if kind == "H":
                return way if dst in self.lids.get(lid, ()) else "lost"
            here = lid
        return "loop"


# --- computed a second time: functions of a state, which say what is wrong ----------------------------

def same(what, found, expected):
    good = abs(found - expected) < 1e-6 if isinstance(expected, float) else found == expected
    expect(good, "%s: %r, the model has %r" % (what, found, expected))


def ranges(numbers):
    """"0-2,5"."""
    told, numbers = [], sorted(numbers)
    for n in numbers:
        if told and told[-1][1] == n - 1:
            told[-1][1] = n
        else:
            told.append([n, n])
    return ",".join(str(a) if a == b else "%d-%d" % (a, b) for a, b in told)


def service_levels(state):
    """`compare`: the SLs of all LIDs of all hosts."""
    net = state.net
    other = "minhop" if state.engine != "minhop" else "updn"
    told = state.ask("compare %s %s %s" % (state.engine, other, state.options))["compare"][0]
    if "sls" not in told or told["sls"] is None or not state.fresh:
        return
    used = {sl for (a, b), sls in net.sl.items() if net.owner[a] != net.owner[b] for sl in sls}
    if used:
        same("compare: SLs", told["sls"], ranges(used))


def survey(state):
    """`survey`: each failure done, and the pairs and ports that it costs."""
    net, kind = state.net, state.rng.choice(["links", "switches"])
    if kind == "links" and not net.channels:
        return
    told = state.ask("survey " + kind)
    rows = state.rng.sample(told["survey"], min(4, len(told["survey"])))
    for row in rows:
        after = State(state.fabric, [*state.before, row["try"]], state.engine, state.options, False, state.rng)
        now = after.net
        by_name = {now.name[h]: h for h in now.hosts}
        gone = {net.name[h] for h in net.hosts} - set(by_name)
        part = net.parts(row["switch_lid"] if kind == "switches" else None,
                         {(row["a_lid"], row["a_port"]), (row["b_lid"], row["b_port"])} if kind == "links" else ())
        what, several = "survey %s, %s: " % (kind, row["try"]), max(map(len, net.lids.values()))
        lost = cut = outside = 0
        for a, b in itertools.permutations(net.by_name, 2):
            for k in range(several):
                before = net.path(net.by_name[a], net.by_name[b] + k)
                there = a in by_name and b in by_name
                if isinstance(before, str) or there and not isinstance(now.path(by_name[a], by_name[b] + k), str):
                    continue
                lost += 1
                cut += not there
                outside += a in gone and b in gone and part[net.by_name[a]] == part[net.by_name[b]] is not None
        same(what + "gone", row["hosts_gone"], len(gone))
        same(what + "lost", row["lost"], lost)
        same(what + "cut off", row["cut_off"], cut)
        same(what + "between", row["between_survivors"], lost - cut)
        same(what + "outside", row["outside"], outside)


def pair_paths(net):
    """(name, name, offset of the LID) -> path, or why there is none."""
    return {(a, b, k): net.path(net.by_name[a], lid) for a, b in itertools.permutations(net.by_name, 2)
            for k, lid in enumerate(net.lids[net.by_name[b]])}


def named(net, way):
    return way if isinstance(way, str) else [(net.name[s], p) for s, p in way]


def event(state):
    """What an event tells of pairs, and the journal of it."""
    command = "restore all" if any(c.startswith("fail") for c in state.before) and state.rng.random() < .5 else \
        "fail random 1 seed=%d" % state.rng.randrange(10 ** 6)
    if command.startswith("fail") and not state.net.channels:
        return
    told = state.ask(command)["change"]
    after = State(state.fabric, [*state.before, command], state.engine, state.options, False, state.rng)
    was, now = pair_paths(state.net), pair_paths(after.net)
    had, have = ({p for p, way in paths.items() if not isinstance(way, str)} for paths in (was, now))
    both = had & have
    want = {
        "pairs": len(now), "pairs_before": len(was), "lost": len(had - have), "regained": len(have - had),
        "rerouted": sum(named(state.net, was[p]) != named(after.net, now[p]) for p in both),
        "longer": sum(len(now[p]) > len(was[p]) for p in both), "shorter": sum(len(now[p]) < len(was[p]) for p in both),
        "max_links_before": max((len(was[p]) + 1 for p in had), default=0),
        "max_links_after": max((len(now[p]) + 1 for p in have), default=0)}
    for key, n in want.items():
        same("%s: %s" % (command, key), told[key], n)
    last = after.ask("journal")["events"][-1]
    for key in "rerouted", "lost", "regained":
        same("%s: journal: %s" % (command, key), last[key], want[key])
    lost = re.search(r"of (\d+) pairs? .*take another path, (\d+)(?: of (\d+) before)? lost", state.text(command))
    expect(lost, command, "tells", state.text(command))
    same(command + ": text", [int(lost[1]), int(lost[2])], [len(now), want["lost"]])
    expect(not want["lost"] or int(lost[3] or lost[1]) == len(was), command, "tells", state.text(command))


def advice(state):
    """`advise`: what it ranks by is what other commands say of an engine once it routes."""
    if not state.fresh:
        return
    rows = state.ask("advise failures 0")["advice"]
    plain = [r for r in rows if r["engine"] != "torus-2QoS" and not re.search("root|node|torus", r["options"])]
    for row in state.rng.sample(plain, min(2, len(plain))):
        options = row["options"].replace(", ", ";").replace(" ", "=").replace(";", " ")
        routed = State(state.fabric, [*state.before, "route %s %s" % (row["engine"], options)], row["engine"],
                       state.options, True, state.rng)
        what = "advise, %s %s: " % (row["engine"], options)
        shifts, ebb = routed.ask("shifts 20")["shifts"], routed.ask("load-map ebb seed=1")["ebb"]
        same(what + "shift_mean", row["shift_mean"], shifts["mean"])
        same(what + "shift_worst", row["shift_worst"], shifts["worst"])
        same(what + "bisection", row["bisection"], ebb["value"])
        same(what + "bisection_half_width", row["bisection_half_width"], ebb["half_width"])
        same(what + "max_load", row["max_load"], routed.ask("load-map")["loads"]["max"])
        check = routed.ask("check")
        same(what + "pairs", row["pairs"], check["check"]["pairs"])
        same(what + "lost", row["lost"], check["unreachable"] + check["dropped"])


def single_points(state):
    """`doctor`: hosts that hang on one switch, each once: its loss cuts them off from a larger part of the others."""
    net, points, behind = state.net, 0, set()
    for s in net.switches:
        parts = {}
        for h, p in net.parts(s, ()).items():
            if p is not None:
                parts.setdefault(p, []).append(h)
        parts = sorted(parts.values(), key=len)
        if len(parts) < 2:
            continue
        if len(parts[-1]) > len(parts[-2]):
            parts.pop()
        points += 1
        behind.update(h for hosts in parts for h in hosts)
    told = re.search(r"single-point \(computed\): (\d+) switch(?:es are| is) the only way to (\d+) host", state.text("doctor"))
    same("single points, hosts behind them", told and (int(told[1]), int(told[2])), (points, len(behind)) if points else None)


COMPUTED = [service_levels, survey, event, advice, single_points]

# --- the states -------------------------------------------------------------------------------------

ENGINES = ["minhop", "updn", "dnup", "dor", "ftree", "lash", "sssp", "dfsssp", "nue", "mincontention"]


def draw_state(rng):
    kind = rng.choice(["random", "random", "random", "xgft:3,3:1,2", "xgft:2,2,2:1,1,2", "ring:6", "torus:3x3",
                       "mesh:4x3", "mesh:5x1,hosts=2", "mesh:3x1,hosts=3"])
    if kind == "random":
        kind = "random:%d,3,hosts=%d,parallel=%d,shuffle=1,seed=%d" % (rng.randrange(4, 12), rng.randrange(1, 4),
                                                                     rng.randrange(1, 3), rng.randrange(10 ** 6))
    options = "lmc=%d" % rng.choice([0, 0, 1, 2]) + (" qos=TRUE" if rng.random() < .4 else "")
    engine = rng.choice(ENGINES)
    fails = ["fail random %d seed=%d" % (rng.randrange(1, 3), rng.randrange(10 ** 6))] * (rng.random() < .5)
    first = rng.random() < .5
    route = "route %s %s" % (engine, options)
    return State(kind, [*fails, route] if first else [route, *fails], engine, options, first or not fails, rng)


def main():
    rng, tally = random.Random(SEED), Tally()
    print("SEED=%s" % SEED)
    for _ in range(FIGURED):
        state = draw_state(rng)
        for test in COMPUTED:
            why = None
            try:
                test(state)
            except Failed as e:
                why = e
            tally(not why, "%s, %s: %s" % (state, test.__name__, why))
    return tally.status()


if __name__ == "__main__":
    sys.exit(main())
