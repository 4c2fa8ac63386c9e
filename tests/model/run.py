#!/usr/bin/env python3
"""Loads, flows, load diff and effective bisection against a model that shares no code with the program.

The model reads what `save -` and `export lfts -` print: cables, LIDs, tables.  It follows each packet by itself, and draws
random numbers by splitmix64 (S. Vigna), so that sampled figures must be the same, not only near.

Fabrics: fixed ones, and random ones with failed links, new in every run (SEED repeats one).
Environment: IBSCOPE=build/ibscope.  The last line is "N passed, N failed".
"""
import itertools
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from trial import BOUND  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
SEED = int(os.environ.get("SEED", time.time_ns() % 10 ** 9))
RANDOM_FABRICS = 8


class Wrong(Exception):
    pass


def program(fabric, commands):
    """Objects of the commands, in JSON."""
    argv = [PROGRAM, "--json", fabric]
    for c in commands:
        argv += ["-e", c]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=BOUND, check=False)
    objects = [json.loads(line) for line in done.stdout.splitlines()]
    for o in objects:
        if not o["ok"]:
            raise Wrong("%s: %s" % (" ".join(argv), o["error"]))
    return objects


class Dice:
    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        mask = (1 << 64) - 1
        self.state = self.state + 0x9e3779b97f4a7c15 & mask
        z = self.state
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & mask
        z = (z ^ z >> 27) * 0x94d049bb133111eb & mask
        z ^= z >> 31
        return (z >> 32) * n >> 32

    def shuffle(self, a):
        for i in range(len(a)):
            k = i + self.below(len(a) - i)
            a[i], a[k] = a[k], a[i]


class Model:
    """Switches by LID, hosts by LID; the cables; the tables."""

    def __init__(self, saved, tables):
        self.peer = {}      # (switch LID, port) -> ("switch", LID) or ("host", LID)
        self.name = {}      # LID -> name
        self.hosts = []
        here = None
        for line in saved.splitlines():
            head = re.match(r'Switch\t\d+ "S-.*"\t+# "(.*)" base port 0 lid (\d+) ', line)
            port = re.match(r'\[(\d+)\]\t"([SH])-.*"\[\d+\].*\t+# "(.*)" lid (\d+) ', line)
            if head:
                here = int(head[2])
                self.name[here] = head[1]
            elif line.startswith("Ca"):
                here = None
            elif port and here:
                lid = int(port[4])
                self.peer[here, int(port[1])] = ("switch" if port[2] == "S" else "host", lid)
                if port[2] == "H":
                    self.hosts.append(lid)
                    self.name[lid] = port[3]
        self.hosts.sort()
        self.at = {lid: s for (s, _), (kind, lid) in self.peer.items() if kind == "host"}
        self.table = {}
        for line in tables.splitlines():
            head = re.match(r"Unicast lids .* of switch Lid (\d+) ", line)
            entry = re.match(r"0x([0-9a-f]{4}) (\d+) ", line)
            if head:
                here = int(head[1])
            elif entry:
                self.table[here, int(entry[1], 16)] = int(entry[2])
        self.switches = sorted({s for s, _ in self.peer})
        self.channels = {c for c, (kind, _) in self.peer.items() if kind == "switch"}

    def path(self, src, dst):
        """Channels (switch LID, port) from a host to a LID, the last to the host; None: no way."""
        here, way = self.at[src], []
        for _ in range(len(self.switches) + 1):
            port = self.table.get((here, dst), 255)
            if (here, port) not in self.peer:
                return None
            way.append((here, port))
            kind, lid = self.peer[here, port]
            if kind == "host":
                return way if lid == dst else None
            here = lid
        return None

    def loads(self, flows):
        """Routes on each channel."""
        load = dict.fromkeys(self.channels, 0)
        for src, dst, weight in flows:
            for c in self.path(src, dst) or []:
                if c in load:
                    load[c] += weight
        return load

    def all(self):
        return [(a, b, 1) for a in self.hosts for b in self.hosts if a != b]

    # --- effective bisection

    def sample(self, order, both):
        pairs = [(order[i], order[i + 1]) for i in range(0, len(order) - 1, 2)]
        if both:
            pairs = [p for a, b in pairs for p in ((a, b), (b, a))]
        ways = [self.path(a, b) for a, b in pairs]
        on = {}
        for w in ways:
            for c in w or []:
                if c in self.channels:
                    on[c] = on.get(c, 0) + 1
        shares = [0.0 if w is None else 1 / max([on[c] for c in w if c in on], default=1) for w in ways]
        return sum(shares) / len(shares)

    def sampled(self, seed, both, told=None):
        """Mean, half of its interval, samples.  Where the half is the bound but for rounding, the number told decides who stops."""
        dice, order, values = Dice(seed), list(self.hosts), []
        half = 1.0
        while len(values) < 1000 and (len(values) < 30 or (len(values) < told if told and abs(half - 0.005) < 1e-9 else half > 0.005)):
            dice.shuffle(order)
            values.append(self.sample(order, both))
            mean = sum(values) / len(values)
            if len(values) > 1:
                half = 1.96 * math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values))
        return mean, half, len(values)

    def exact(self, both):
        """Over all orders of the hosts; what differs in the order of the pairs alone is counted as often everywhere."""
        values = [self.sample(order, both) for order in itertools.permutations(self.hosts)]
        return sum(values) / len(values)


# --- comparing ------------------------------------------------------------------------------

def same(what, found, expected):
    if isinstance(expected, float):
        if abs(found - expected) > 1e-9:
            raise Wrong("%s: %r, the model has %r" % (what, found, expected))
    elif found != expected:
        raise Wrong("%s: %r, the model has %r" % (what, found, expected))


def listed(ports, key):
    """{(switch LID, port): number} of a list in JSON."""
    return {(p["from_lid"], p["from_port"]): p[key] for p in ports}


def model_of(fabric, before):
    saved, tables = program(fabric, before + ["save -", "export lfts -"])[-2:]
    return Model(saved["content"], tables["content"])


def compare_loads(fabric, before, model, rng):
    hosts, n = model.hosts, len(model.hosts)
    shift = rng.randrange(1, n)
    targets = rng.sample(hosts, 2)
    pairs = [(*rng.sample(hosts, 2), rng.randrange(1, 9)) for _ in range(6)]
    dice, order, to = Dice(7), list(hosts), list(range(n))
    dice.shuffle(order)
    half = [(order[i + d], order[i + 1 - d], 1) for i in range(0, n - 1, 2) for d in (0, 1)]
    dice = Dice(5)
    dice.shuffle(to)
    while any(i == k for i, k in enumerate(to)):
        dice.shuffle(to)
    with tempfile.NamedTemporaryFile("w", suffix=".pairs") as f:
        f.write("# a file\n" + "".join("%s %s %d\n" % (model.name[a], model.name[b], w) for a, b, w in pairs))
        f.flush()
        patterns = {
            "all": model.all(),
            "shift %d" % shift: [(a, hosts[(i + shift) % n], 1) for i, a in enumerate(hosts)],
            "bisection seed=7": half,
            "random seed=5": [(a, hosts[to[i]], 1) for i, a in enumerate(hosts)],
            "to %s %s" % tuple(model.name[t] for t in targets): [(a, t, 1) for t in targets for a in hosts if a != t],
            "pairs " + f.name: pairs,
        }
        objects = program(fabric, before + ["load-map %s all" % p for p in patterns])[-len(patterns):]
    for (pattern, flows), o in zip(patterns.items(), objects):
        same("load-map " + pattern, listed(o["loads"]["ports"], "routes"), model.loads(flows))
        same("load-map %s: routes" % pattern, o["loads"]["routes"], sum(w for a, b, w in flows if model.path(a, b)))


def compare_bisection(fabric, before, model, rng):
    seed = rng.randrange(1 << 60)
    objects = program(fabric, before + ["load-map ebb seed=%d" % seed, "load-map ebb both seed=%d" % seed])[-2:]
    for both, o in enumerate(objects):
        value, half, samples = model.sampled(seed, both, o["ebb"]["samples"])
        same("samples", o["ebb"]["samples"], samples)
        same("value", o["ebb"]["value"], value)
        same("half width", o["ebb"]["half_width"], half)
        if len(model.hosts) <= 6:
            exact = model.exact(both)
            # six standard errors; orders that not one sample met may be a few in `samples`, too
            if abs(value - exact) > 3 * half + 14 / samples:
                raise Wrong("value %.4f +- %.4f, over all orders %.4f" % (value, half, exact))


def compare_flows(fabric, before, model, rng):
    channels = rng.sample(sorted(model.channels), min(12, len(model.channels)))
    commands = ["flows %s[%d] all" % (model.name[s], p) for s, p in channels]
    for c, o in zip(channels, program(fabric, before + commands)[-len(channels):]):
        want = [(a, b) for a, b, _ in model.all() if c in (model.path(a, b) or [])]
        same("flows over %s" % (c,), [(x["src_lid"], x["dst_lid"]) for x in o["flows"]], sorted(want))
        groups = {}
        for a, b in want:
            key = model.at[a], model.at[b]
            groups[key] = groups.get(key, 0) + 1
        same("groups", {(g["from_lid"], g["to_lid"]): g["pairs"] for g in o["groups"]}, groups)
        order = [(-g["pairs"], g["from"], g["to"]) for g in o["groups"]]
        same("order of groups", order, sorted(order))


def compare_diff(fabric, before, model, rng):
    s, p = rng.choice(sorted(model.channels))
    fail = "fail link %s[%d]" % (model.name[s], p)
    after = model_of(fabric, before + [fail])
    diff = program(fabric, before + [fail, "diff all"])[-1]["loads"]
    was, now = model.loads(model.all()), after.loads(after.all())
    changed = {c: now.get(c, 0) - was[c] for c in was if now.get(c, 0) != was[c]}
    same("gains", listed(diff["ports"], "gain"), changed)
    same("hotter", diff["hotter"], sum(v > 0 for v in changed.values()))
    same("cooler", diff["cooler"], sum(v < 0 for v in changed.values()))
    order = [(x["gain"] <= 0, -abs(x["gain"]), -x["after"], x["from"]) for x in diff["ports"]]
    same("order", order, sorted(order))


CASES = {"loads": compare_loads, "bisection": compare_bisection, "flows": compare_flows,
         "diff": compare_diff}
FABRICS = [("ring:4", "minhop"), ("xgft:2,2:1,2", "lash"), ("torus:3x3", "minhop"), ("xgft:3,2:1,3", "minhop"),
           ("mesh:3x2", "dor"), ("ring:5,parallel=2", "minhop"), ("ring:6", "nue"), ("torus:3x3", "nue"),
           ("ring:7,hosts=2", "lash")]
ENGINES = ["minhop", "nue", "lash"]  # whose ports of least hops are those of the plain distances


def main():
    rng = random.Random(SEED)
    passed = failed = 0
    fabrics = list(FABRICS)
    print("SEED=%d" % SEED)
    for _ in range(RANDOM_FABRICS):
        fabrics.append(("random:%d,3,hosts=%d,parallel=2,seed=%d" % (rng.randrange(4, 9), rng.randrange(1, 4), rng.randrange(10 ** 6)),
                        rng.choice(ENGINES)))
    for fabric, engine in fabrics:
        before = ["route " + engine]
        model = model_of(fabric, before)
        for name, case in CASES.items():
            try:
                case(fabric, before, model, rng)
                passed += 1
            except Wrong as e:
                failed += 1
                print("%s %s, %s: %s" % (fabric, engine, name, e))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
