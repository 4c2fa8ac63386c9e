#!/usr/bin/env python3
"""The traffic of GPUs (`load-map ring`, tree, alltoall, by rail and direct) against brute force.

Small fabrics are drawn and written as dumps: hosts of several adapters, some with two ports, some without a rail, cables at
random, some of them failed.  The model reads what `save -` and `export lfts -` print, says for each pair of GPUs what it sends
and by which port, walks each flow by itself and compares the loads of all links.

New fabrics in every run (SEED repeats one, GPUS=N draws N).
Environment: IBSCOPE=build/ibscope.  The last line is "N passed, N failed".
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter

from states import PROGRAM, SECONDS, Net

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from trial import Failed, Tally, chosen_seed, expect  # noqa: E402

SEED = chosen_seed()
GPUS = int(os.environ.get("GPUS", "12"))
ENGINES = ["minhop", "updn", "dfsssp", "lash", "nue", "sssp"]


class Dump:
    """An ibnetdiscover dump that is put together cable by cable."""

    def __init__(self):
        self.nodes, self.cables = [], {}    # (GUID, is it a switch, name, ports); (GUID, port) -> (GUID, port)

    def add(self, switch, name, ports):
        self.nodes.append((0x2c90300000000 + 16 * (len(self.nodes) + 1), switch, name, ports))
        return self.nodes[-1]

    def join(self, a, i, b, k):
        self.cables[a[0], i], self.cables[b[0], k] = (b, k), (a, i)

    def text(self):
        lines = []
        for guid, switch, name, ports in self.nodes:
            lines.append("\n%s=0x%x" % ("switchguid" if switch else "caguid", guid))
            lines.append('%s\t%d "%s-%016x"\t\t# "%s"%s' % ("Switch" if switch else "Ca", ports, "S" if switch else "H", guid, name,
                                                          " base port 0 lid 0 lmc 0" * switch))
            for port in range(1, ports + 1):
                if (guid, port) not in self.cables:
                    continue
                to, far = self.cables[guid, port]
                mine = "" if switch else "(%x)" % (guid + port)
                his = "" if to[1] else "(%x)" % (to[0] + far)
                lines.append('[%d]%s\t"%s-%016x"[%d]%s\t\t# %s"%s" lid 0 4xHDR' % (
                    port, mine, "S" if to[1] else "H", to[0], far, his, "" if switch else "lid 0 lmc 0 ", to[2]))
        return "\n".join(lines) + "\n"


def draw_dump(rng):
    """Leaves and spines; rail r of most hosts on the leaf of that number."""
    d, n_rails, n_leaves, n_spines = Dump(), rng.randint(1, 4), rng.randint(2, 4), rng.randint(1, 3)
    leaves = [d.add(True, "leaf-%d" % i, 40) for i in range(n_leaves)]
    spines = [d.add(True, "spine-%d" % i, 40) for i in range(n_spines)]
    free = {n[0]: list(range(1, 41)) for n in leaves + spines}
    for a in leaves:
        for b in spines:
            for _ in range(rng.randint(1, 2)):
                d.join(a, free[a[0]].pop(), b, free[b[0]].pop())
    for h in rng.sample(range(1, 15), rng.randint(2, 8)):
        for r in range(0, n_rails, 2 if rng.random() < 0.2 else 1):
            two = rng.random() < 0.2
            ca = d.add(False, "n%d mlx5_%d" % (h, 8 + r), 2 if two else 1)
            for port in (1, 2) if two else (1,):
                leaf = leaves[(r + port) % n_leaves] if rng.random() < 0.8 else rng.choice(leaves)
                if rng.random() < 0.95:
                    d.join(ca, port, leaf, free[leaf[0]].pop(0))
    return d.text()


def natural(text):
    return [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", text)]


class Model:
    """GPUs are host ports: (host, rail), of the hosts that take part, in their order."""

    def __init__(self, net, names=None):
        self.net, self.lid = net, {}
        for lid in net.hosts:
            host, rest = net.name[lid].split(" ")
            if not names or host in names:
                self.lid[host, (rest, net.port[lid])] = lid
        self.hosts = list(dict.fromkeys(names)) if names else sorted({h for h, _ in self.lid}, key=natural)
        self.hosts = [h for h in self.hosts if any(h == x for x, _ in self.lid)]
        self.rails = sorted({r for _, r in self.lid}, key=lambda r: (natural(r[0]), r[1]))

    def gpus(self, host):
        return [r for r in self.rails if (host, r) in self.lid]

    def message(self, a, i, b, k, direct):
        """The flow of what GPU (a, i) sends to (b, k): LIDs."""
        port = (a, i) if direct or (a, k) not in self.lid else (a, k)
        return self.lid[port], self.lid[b, k]

    def ring(self, direct):
        for r in self.rails:
            on = [h for h in self.hosts if (h, r) in self.lid]
            for a, b in zip(on, on[1:] + on[:1]):
                own = self.gpus(a)
                if a != b:
                    yield self.message(a, own[own.index(r) - 1], b, r, direct)

    @staticmethod
    def parent(i, n):
        """Of place i of n: of its neighbours in the level above, the lower level's; 0 is above all."""
        def height(x):
            return (x & -x).bit_length() if x else 99
        step = 1 << height(i) - 1
        return min((x for x in (i - step, i + step) if 0 <= x < n), key=height)

    def tree(self, direct):
        for r in self.rails:
            on = [h for h in self.hosts if (h, r) in self.lid]
            n = len(on)
            for again in ([(i, i) for i in range(n)], [(i, n - 1 - i if n % 2 == 0 else (i - 1) % n) for i in range(n)]):
                place = dict(again)
                back = {k: i for i, k in again}
                for i in range(n):
                    if place[i]:
                        up = on[back[self.parent(place[i], n)]]
                        own = self.gpus(up)
                        k = own[(own.index(r) + 1) % len(own)] if direct else r
                        yield self.lid[on[i], r], self.lid[up, k]
                        yield self.lid[up, k], self.lid[on[i], r]

    def alltoall(self, direct):
        for a in self.hosts:
            for b in self.hosts:
                for i in self.gpus(a):
                    for k in self.gpus(b):
                        if a != b:
                            yield self.message(a, i, b, k, direct)

    def loads(self, kind, direct):
        count, routes = Counter(), 0
        for src, dst in getattr(self, kind)(direct):
            way = self.net.path(src, dst)
            if not isinstance(way, str):
                routes += 1
                count.update(c for c in way if c in self.net.channels)
        return count, routes


def ask(path, commands):
    argv = [PROGRAM, "--json", "--no-text", path]
    for c in commands:
        argv += ["-e", c]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()][1:]
    expect(len(answers) == len(commands) and all(a["ok"] for a in answers), " ".join(argv), done.stderr[-300:], answers[-1].get("error"))
    return answers


def found_loads(net, answer):
    by_name = {net.name[s]: s for s in net.switches}
    return {(by_name[m[1]], int(m[2])): x["routes"] for x in answer["loads"]["ports"] for m in [re.match(r"(.*)\[(\d+)\]$", x["from"])]}


def try_fabric(rng, folder):
    path = os.path.join(folder, "drawn.ibnet")
    with open(path, "w", encoding="utf-8") as f:
        f.write(draw_dump(rng))
    before = ["route " + rng.choice(ENGINES)] + ["fail random 1 seed=%d" % rng.randrange(1000)] * (rng.random() < 0.3)
    hosts = sorted(set(re.findall(r'"(n\d+) mlx5', open(path, encoding="utf-8").read())))
    states = [a["content"] for a in ask(path, [*before, "save -", "export lfts -", "export paths -"])[-3:]]
    net = Net(*states)
    up = {net.name[h].split(" ")[0] for h in net.hosts}
    some = [h for h in hosts if h in up]
    rng.shuffle(some)
    some = some[:rng.randint(2, len(some))] if len(some) > 2 else some
    asked = [(kind, direct, names) for kind in ("ring", "tree", "alltoall") for direct in (False, True) for names in (None, some)]
    answers = ask(path, before + ["load-map %s%s%s all" % (k, " direct" * d, " " + " ".join(names) if names else "") for k, d, names in asked])
    for (kind, direct, names), answer in zip(asked, answers[len(before):]):
        model = Model(net, names)
        count, routes = model.loads(kind, direct)
        what = "%s: %s%s %s" % (before, kind, " direct" * direct, names or "")
        found = found_loads(net, answer)
        expect(found == {c: count[c] for c in net.channels}, what, "loads", found, "expected", dict(count))
        expect(answer["loads"]["routes"] == routes and answer["left_out"] == 0, what, "routes", answer["loads"]["routes"], "expected", routes)
        expect(answer["gpus"] == {"count": len(model.lid), "hosts": len(model.hosts), "rails": len(model.rails)}, what, answer["gpus"])


def main():
    tally = Tally()
    print("SEED=%s" % SEED)
    for i in range(GPUS):
        with tempfile.TemporaryDirectory(prefix="gpus.") as folder:
            try:
                try_fabric(random.Random("%s %d" % (SEED, i)), folder)
                tally(True, "")
            except (Failed, LookupError, ValueError) as e:
                tally(False, "fabric %d: %s: %s" % (i, type(e).__name__, e))
    return tally.status()


if __name__ == "__main__":
    sys.exit(main())
