#!/usr/bin/env python3
"""`drain` against a model of its own, on random fabrics and engines.

The model reads what `save -`, `export lfts -` and `export paths -` print and moves each packet by itself, by the rule that the
manual page tells; nothing is shared with the program.  It compares every count at random rounds and the circle of those
who wait.  Then: without a cycle of channel dependencies (searched by the model) no seed stops; with one, the packets of
`drain cycle` all stand still, and what `drain` tells as a circle is a cycle of these dependencies.

New states in every run (SEED repeats one, DRAINED=N draws N).
Environment: IBSCOPE=build/ibscope.  The last line is "N passed, N failed".
"""
import itertools
import json
import os
import random
import re
import subprocess
import sys

from states import PROGRAM, Net

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from trial import BOUND, Failed, Tally, chosen_seed, expect  # noqa: E402

SEED = chosen_seed()
DRAINED = int(os.environ.get("DRAINED", "40"))
ENGINES = ["minhop", "updn", "dnup", "dor", "lash", "dfsssp", "nue", "sssp", "ftree"]


def draw_state(rng):
    fabric = rng.choice([
        "ring:%d" % rng.randint(3, 8), "torus:%dx%d" % (rng.randint(2, 4), rng.randint(3, 4)), "mesh:3x%d" % rng.randint(2, 4),
        "xgft:%d,%d:1,%d" % (rng.randint(2, 3), rng.randint(2, 4), rng.randint(1, 3)), "hypercube:3", "dragonfly:2,2,1",
        *["random:%d,%d,hosts=%d,seed=%d" % (rng.randint(4, 14), rng.randint(2, 4), rng.randint(1, 2), rng.randrange(10 ** 6))] * 4])
    engine, qos = rng.choice(ENGINES), rng.random() < 0.7
    before = ["set qos TRUE"] * qos + ["route " + engine]
    if rng.random() < 0.4:
        before.append("fail random %d seed=%d" % (rng.randint(1, 3), rng.randrange(1000)))
    return fabric, before, qos


def answers(fabric, commands):
    argv = [PROGRAM, "--json", fabric]
    for c in commands:
        argv += ["-e", c]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=BOUND, check=False)
    expect(done.returncode in (0, 1) or done.returncode == 3 and re.search("there are no credit loops|expected at least the . to fail", done.stderr),
           " ".join(argv), "status", done.returncode, done.stderr[-300:])
    return [json.loads(line) for line in done.stdout.splitlines()][1:]


class Model:
    """Channels are (switch or host, port, VL): the end that sends; a host has port 0."""

    def __init__(self, net, layered, buffers):
        self.net, self.layered, self.buffers = net, layered, buffers
        hosts = net.hosts
        self.queue = {}     # host -> destinations, in the order in which they are sent
        self.left_out = 0
        for i, a in enumerate(hosts):
            to = [hosts[(i + k) % len(hosts)] for k in range(1, len(hosts))]
            self.queue[a] = [b for b in to if not isinstance(net.path(a, b), str)]
            self.left_out += len(to) - len(self.queue[a])
        self.all = sum(map(len, self.queue.values()))
        self.held = {}      # channel -> packets (source, destination), the first one first
        self.turn, self.arrived, self.round = {}, 0, 0

    def vl(self, a, b):
        return min(self.net.sl[a, b]) if self.layered else 0

    def way(self, a, b):
        vl = self.vl(a, b)
        return [(a, 0, vl)] + [(s, p, vl) for s, p in self.net.path(a, b)]

    def wants(self, c):
        """The channel that the first packet wants; None: its host takes it."""
        a, b = self.held[c][0]
        way = self.way(a, b)
        at = way.index(c) + 1
        return way[at] if at < len(way) else None

    def entry(self, c):
        """Number of the port by which a channel enters a switch."""
        s, p, _ = c
        if p:
            return self.net.far[s, p]
        return next(q for (t, q), (kind, lid) in self.net.peer.items() if kind == "H" and lid == s)

    def waiting(self):
        return [c for c in self.held if self.wants(c) and len(self.held.get(self.wants(c), ())) == self.buffers]

    def go(self):
        """One round; False: nothing moved."""
        taken = [c for c in self.held if self.wants(c) is None]
        for c in taken:
            self.pop(c)
            self.arrived += 1
        asked = {}
        for c in self.held:
            to = self.wants(c)
            if to and len(self.held.get(to, ())) < self.buffers:
                asked.setdefault(to[:2], []).append((self.entry(c) * 16 + c[2], c, to))
        sent = [a for a, queue in self.queue.items()
                if queue and len(self.held.get((a, 0, self.vl(a, queue[0])), ())) < self.buffers]
        moved = []
        for port, wanted in asked.items():
            last = self.turn.get(port, 4095)
            key, c, to = min(wanted, key=lambda w: (w[0] - last - 1) % 4096)
            self.turn[port] = key
            moved.append((c, to))
        moved = [(self.pop(c), to) for c, to in moved]
        for packet, to in moved:
            self.held.setdefault(to, []).append(packet)
        for a in sent:
            b = self.queue[a].pop(0)
            self.held.setdefault((a, 0, self.vl(a, b)), []).append((a, b))
        if taken or moved or sent:
            self.round += 1
            return True
        return False

    def pop(self, c):
        packet = self.held[c].pop(0)
        if not self.held[c]:
            del self.held[c]
        return packet

    def counts(self):
        return [self.round, self.arrived, sum(map(len, self.held.values())), len(self.waiting())]


def dependencies(net, layered):
    """{channel: those that routes take next}, every SL of a range."""
    deps = {}
    for a, b in itertools.permutations(net.hosts, 2):
        path = net.path(a, b)
        for sl in () if isinstance(path, str) else net.sl[a, b]:
            way = [(s, p, sl if layered else 0) for s, p in path]
            for x, y in zip(way, way[1:]):
                deps.setdefault(x, set()).add(y)
                deps.setdefault(y, set())
    return deps


def has_cycle(deps):
    deps = {c: set(to) for c, to in deps.items()}
    free = [c for c, to in deps.items() if not to]
    before = {}
    for c, to in deps.items():
        for t in to:
            before.setdefault(t, []).append(c)
    for c in free:
        for b in before.get(c, ()):
            deps[b].discard(c)
            if not deps[b]:
                free.append(b)
    return len(free) < len(deps)


def channel(c):
    return c["from_lid"], c["from_port"], c["vl"]


def is_cycle(circle, deps):
    return all(y in deps.get(x, ()) for x, y in zip(circle, circle[1:] + circle[:1]))


def try_state(rng):
    fabric, before, qos = draw_state(rng)
    buffers = rng.choice([1, 1, 1, 2, 3])
    rounds = sorted(rng.sample(range(60), 6), key=lambda _: rng.random())    # forwards and backwards
    seeds = ["drain all buffers=%d seed=%d" % (buffers, rng.randrange(1, 10 ** 9)) for _ in range(3)]
    seeds += ["drain random %d seed=%d" % (rng.randint(1, 300), rng.randrange(10 ** 9)), "drain bisection seed=%d" % rng.randrange(99)]
    files = ["save -", "export lfts -", "export paths -"]
    asked = [*before, *files, "drain all buffers=%d" % buffers, *["drain round %d" % k for k in rounds], "drain last", *seeds,
             "drain cycle buffers=%d" % buffers]
    what = "%s: %s" % (fabric, "; ".join(before))
    told = answers(fabric, asked)[len(before):]
    if len(told) < 4:
        return what + ": nothing routed"
    net = Net(*(o["content"] for o in told[:3]))
    layered = qos and any(max(sls) > 0 for sls in net.sl.values())
    model, deps = Model(net, layered, buffers), dependencies(net, layered)
    loops = has_cycle(deps)
    first, walked, last, seeded, cycle = told[3], told[4:10], told[10], told[11:16], told[16]
    expect((first["packets"], first["left_out"]) == (model.all, model.left_out), what, "packets", first, model.all, model.left_out)
    seen = {0: model.counts()}
    while model.arrived < model.all and model.go():
        seen[model.round] = model.counts()
    end = "through" if model.arrived == model.all else "stopped"
    for o, k in zip([first, *walked, last], [10 ** 9, *rounds, 10 ** 9]):
        expect([o["round"], o["arrived"], o["inside"], o["waiting"]] == seen[min(k, model.round)], what, "buffers", buffers, "round", k,
               [o["round"], o["arrived"], o["inside"], o["waiting"]], "expected", seen[min(k, model.round)])
        expect((o["end"], o["rounds"]) == (end, model.round), what, "end", o["end"], o["rounds"], "expected", end, model.round)
    expect(bool(last["circle"]) == (end == "stopped"), what, "a circle is told when, and only when, it stopped")
    if last["circle"]:
        circle = [channel(c) for c in last["circle"]]
        expect(all(model.wants(x) == y for x, y in zip(circle, circle[1:] + circle[:1])), what, "circle", circle)
    for o, c in zip(seeded, seeds):
        expect(loops or o["end"] == "through", what, c, "stopped without a loop")
        expect(is_cycle([channel(x) for x in o["circle"]], deps), what, c, "told no cycle of dependencies")
        expect(o["end"] == "stopped" or o["arrived"] + o["dropped"] == o["packets"], what, c, "some never arrived")
    expect(cycle["ok"] == loops, what, "drain cycle", cycle, "expected", loops)
    if loops:
        circle = [channel(c) for c in cycle["circle"]]
        expect(cycle["end"] == "stopped" and cycle["inside"] == cycle["packets"] == len(circle) * buffers and is_cycle(circle, deps),
               what, "the packets of the loop do not stand still", cycle)
    return "%s: %s, %s" % (what, "loops" if loops else "no loop", end)


def main():
    tally, kinds = Tally(), {}
    print("SEED=%s" % SEED)
    for i in range(DRAINED):
        try:
            said = try_state(random.Random("%s %d" % (SEED, i)))
            kinds[said.rpartition(": ")[2]] = kinds.get(said.rpartition(": ")[2], 0) + 1
            tally(True, "")
        except (Failed, LookupError, ValueError, StopIteration) as e:
            tally(False, "state %d: %s: %s" % (i, type(e).__name__, e))
    print("; ".join("%s %d" % k for k in sorted(kinds.items())))
    return tally.status()


if __name__ == "__main__":
    sys.exit(main())
