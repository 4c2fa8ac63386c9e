#!/usr/bin/env python3
"""The traffic of GPUs (`load-map ring`, tree, alltoall, by rail and direct) against brute force.

Small fabrics are drawn and written as dumps: hosts of several adapters, some with two ports, some without a rail, cables at
random, some of them failed.  The model reads what `save -` and `export lfts -` print, says for each pair of GPUs what it sends
and by which port, walks each flow by itself and compares the loads of all links.

New fabrics in every run (SEED repeats one, GPUS=N draws N).
Environment: IBSCOPE=build/ibscope.  The last line is "N passed, N failed".
"""
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter

from run import Dice
from states import PROGRAM, Net

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from trial import BOUND, Failed, Tally, chosen_seed, expect  # noqa: E402

SEED = chosen_seed()
GPUS = int(os.environ.get("GPUS", "7"))
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
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=BOUND, check=False)
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
    try_jobs(rng, net, path, folder, before, some)
    try_order(rng, net, path, before)
    try_shifts(rng, net, path, before)
    try_ebb(rng, net, path, before)
    try_engines(rng, path, folder, before)


def try_jobs(rng, net, path, folder, before, some):
    """Jobs of a file in a form of its own: links x jobs, strangers; and `flows A B` in the scope of one of them."""
    up = sorted({net.name[h].split(" ")[0] for h in net.hosts})
    jobs = {"j%d" % i: rng.sample(up, rng.randint(1, len(up))) for i in range(rng.randint(1, 4))}
    lines = {"lines": "".join("%s %s\n" % (j, " ".join(hosts)) for j, hosts in jobs.items()),
             "bars": "JOBID|NODES|NODELIST\n" + "".join("%s|%d|%s\n" % (j, len(h), ",".join(h)) for j, h in jobs.items()),
             "records": "".join("JobId=%s JobName=x\n   NumNodes=%d NodeList=%s\n" % (j, len(h), ",".join(h)) for j, h in jobs.items())}
    file = os.path.join(folder, "jobs")
    with open(file, "w", encoding="utf-8") as f:
        f.write(rng.choice(list(lines.values())))
    kind, direct = rng.choice(["ring", "tree", "alltoall"]), rng.random() < 0.5
    what = "%s: jobs %s %s %s" % (before, jobs, kind, direct)
    answer = ask(path, [*before, "jobs '%s' %s%s all" % (file, kind, " direct" * direct)])[-1]
    loads = {j: Model(net, hosts).loads(kind, direct)[0] for j, hosts in jobs.items()}
    links = {c: {j: n[c] for j, n in loads.items() if n[c]} for c in net.channels}
    by_name = {net.name[s]: s for s in net.switches}
    found = {}
    for x in answer["links"]:
        m = re.match(r"(.*)\[(\d+)\]$", x["from"])
        found[by_name[m[1]], int(m[2])] = {y["job"]: y["routes"] for y in x["jobs"]}
        expect(x["routes"] == sum(y["routes"] for y in x["jobs"]), what, x)
    expect(found == {c: js for c, js in links.items() if len(js) > 1}, what, "links", found)
    expect(answer["links_used"] == sum(bool(js) for js in links.values()), what, "links used", answer["links_used"])
    for x in answer["jobs"]:
        own = loads[x["job"]]
        used = {c: sum(links[c].values()) for c in own if own[c]}
        want = [len(used), sum(len(links[c]) > 1 for c in used), max(own.values(), default=0),
                max((n - own[c] for c, n in used.items()), default=0), max(used.values(), default=0)]
        expect([x[k] for k in ("links", "shared", "most", "strangers", "all")] == want, what, x, "expected", want)
    ends = [h for h in net.hosts if net.name[h].split(" ")[0] in some]
    a, b = (rng.sample(ends, 2) + [0, 0])[:2] if len(ends) > 1 else (0, 0)
    if not a or isinstance(net.path(a, b), str):
        return
    inside = Model(net, sorted(some, key=natural))
    rest = [h for h in up if h not in some]
    outside = Model(net, sorted(rest, key=natural)).loads(kind, direct)[0] if rest else Counter()
    answer = ask(path, [*before, "scope " + " ".join(some), "flows %d %d %s%s" % (a, b, kind, " direct" * direct)])[-1]
    own = inside.loads(kind, direct)[0]
    for x in answer["path"]:
        m = re.match(r"(.*)\[(\d+)\]$", x["from"])
        c = (by_name[m[1]], int(m[2]))
        if c in net.channels:
            expect((x["routes"], x["strangers"]) == (own[c], outside[c]), what, "in the scope", some, x, "expected", own[c], outside[c])


def try_engines(rng, path, folder, before):
    """`compare for` and `advise for`: each engine's tables, exported, and the flows walked in them."""
    kind, direct, engines = rng.choice(["ring", "tree", "alltoall"]), rng.random() < 0.5, rng.sample(ENGINES, 2)
    words = kind + " direct" * direct

    def walked(*commands):
        net = Net(*(a["content"] for a in ask(path, [*before, "restart", *commands, "save -", "export lfts -", "export paths -"])[-3:]))
        count, routes = Model(net).loads(kind, direct)
        return max(count.values(), default=0), sum(count.values()) / max(1, len(net.channels)), routes
    for engine, told in zip(engines, ask(path, [*before, "compare for %s %s" % (words, " ".join(engines))])[-1]["traffic"]["engines"]):
        if "refused" not in told:
            most, mean, routes = walked("route " + engine)
            expect((told["engine"], told["most"], told["flows"]) == (engine, most, routes) and abs(told["mean"] - mean) < 1e-9,
                   before, "compare for", words, told, "expected", most, mean, routes)
    advice = ask(path, [*before, "advise for %s failures 0" % words])[-1]["advice"]
    ranked = [(x["class"], x["gpu_load"]) for x in advice if "refused" not in x and not x["overloaded"]]
    expect(ranked == sorted(ranked), before, "advise for", words, "ranks by the load", ranked)
    file = os.path.join(folder, "advised")
    for x in rng.sample(advice, min(2, len(advice))):
        ask(path, [*before, "advise write '%s' rank %d for %s failures 0" % (file, x["rank"], words)])
        expect(x["gpu_load"] == walked("config '%s'" % file)[0], before, "advise for", words, x)


def load_of(net, flows):
    """Most flows on a link, those of hosts too; how many arrive, and do not."""
    ways = [[("host", a)] + way for a, way in ((a, net.path(a, b)) for a, b in flows) if not isinstance(way, str)]
    return max(Counter(c for way in ways for c in way).values(), default=0), len(ways), len(flows) - len(ways)


def try_shifts(rng, net, path, before):
    """All shifts of GPUs: the sums of `shifts`."""
    model, direct = Model(net), rng.random() < 0.5
    shifts, what = ask(path, [*before, "shifts order rail" + " direct" * direct])[-1]["shifts"], "%s: shifts direct=%s" % (before, direct)
    place = [(h, r) for h in model.hosts for r in model.rails]
    found = {}
    for k in range(1, len(place)):
        pairs = [(a, b) for a, b in zip(place, place[k:] + place[:k]) if a in model.lid and b in model.lid and a[0] != b[0]]
        found[k] = load_of(net, [model.message(*a, *b, direct) for a, b in pairs])
    most = [m for m, _, _ in found.values()]
    expect((shifts["places"], shifts["missing"]) == (len(place), sum(p not in model.lid for p in place)), what, shifts)
    expect(shifts["worst"] == max(most, default=0) and abs(shifts["mean"] - (sum(most) / len(most) if most else 0)) < 1e-9, what, shifts, "expected", found)
    expect(shifts["free"] == sum(m <= 1 and n > 0 and not lost for m, n, lost in found.values()), what, shifts["free"], found)
    for x in shifts["list"]:
        expect((x["max"], x["flows"], x["lost"]) == found[x["shift"]], what, x, "expected", found[x["shift"]])


def paired(model, both):
    """Hosts that stand in an order, two by two; each rail that both have sends."""
    for a, b in zip(model.hosts[::2], model.hosts[1::2]):
        for r in model.gpus(a):
            if r in model.gpus(b):
                yield model.lid[a, r], model.lid[b, r]
                if both:
                    yield model.lid[b, r], model.lid[a, r]


def step_on(model, k, direct):
    """One step of alltoall: each GPU of the row sends to the one k places on, if that is no GPU of its host."""
    row = [(h, r) for h in model.hosts for r in model.gpus(h)]
    return [model.message(*a, *b, direct) for a, b in zip(row, row[k:] + row[:k]) if a[0] != b[0]]


def try_ebb(rng, net, path, before):
    """`load-map ebb` of GPUs: the orders are drawn once more, and each flow of each of them is walked."""
    direct, both, ways = rng.random() < 0.5, rng.random() < 0.5, {}
    by = " direct" * direct
    for kind, words in (("pairs", "both " * both + "rail"), ("ring", "both " * both + "ring" + by), ("tree", "tree" + by), ("alltoall", "alltoall" + by)):
        seed = rng.randrange(1000)
        ebb = ask(path, [*before, "load-map ebb %s seed=%d" % (words, seed)])[-1]["ebb"]
        model, dice, values = Model(net), Dice(seed), []
        order = list(range(len(model.hosts)))
        names, what = model.hosts, "%s: ebb %s seed=%d" % (before, words, seed)
        for _ in range(ebb["samples"]):
            dice.shuffle(order)
            model.hosts = [names[i] for i in order]
            if kind == "pairs":
                flows = list(paired(model, both))
            elif kind == "alltoall":
                flows = step_on(model, 1 + dice.below(len(model.lid) - 1), direct)
            else:
                flows = list(getattr(model, kind)(direct))
            if both and kind == "ring":
                flows += [(b, a) for a, b in flows]
            for f in flows:
                if f not in ways:
                    way = net.path(*f)
                    ways[f] = None if isinstance(way, str) else [c for c in way if c in net.channels]
            count = Counter(c for f in flows for c in ways[f] or [])
            shares = [0 if ways[f] is None else 1 / max([1, *(count[c] for c in ways[f])]) for f in flows]
            values.append(sum(shares) / len(shares) if shares else 0)
        mean = sum(values) / len(values) if values else 0
        half = 1.96 * (sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values)) ** 0.5 if values else 0
        expect(ebb["hosts"] == len(names) and abs(ebb["value"] - mean) < 1e-9 and abs(ebb["half_width"] - half) < 1e-9, what, ebb, mean, half)
        expect((ebb["pattern"], ebb["rail"], ebb["direct"]) == (kind, kind == "pairs", direct and kind != "pairs"), what, ebb)
        expect(bool(values) == (len(names) > 1) and ebb["both"] == ("both" in words), what, ebb)


def ring_cost(model, order, direct):
    """Flows without a way, most on a link, links with so many, pairs that meet."""
    model.hosts = order
    ways = [model.net.path(a, b) for a, b in model.ring(direct)]
    count = Counter(c for way in ways if not isinstance(way, str) for c in way if c in model.net.channels)
    most = max(count.values(), default=0)
    return (sum(isinstance(w, str) for w in ways), most, sum(n == most for n in count.values()), sum(n * (n - 1) // 2 for n in count.values()))


def told_cost(told):
    return tuple(told[k] for k in ("lost", "most", "links", "meet"))


def swapped(order, i, k):
    order = list(order)
    order[i], order[k] = order[k], order[i]
    return order


def try_order(rng, net, path, before):
    """The order of a ring: the costs told, all swaps, of up to six hosts all orders."""
    names = sorted({net.name[h].split(" ")[0] for h in net.hosts})
    rng.shuffle(names)
    direct = rng.random() < 0.5
    answer = ask(path, [*before, "ring-order %s%s all" % ("direct " * direct, " ".join(names))])[-1]
    model = Model(net, names)
    what = "%s: ring-order %s %s" % (before, names, direct)
    now = ring_cost(model, names, direct)
    expect(told_cost(answer["now"]) == now, what, answer["now"], "expected", now)
    swaps = {(names[i], names[k]): ring_cost(model, swapped(names, i, k), direct) for i, k in itertools.combinations(range(len(names)), 2)}
    least = min(swaps.values(), default=now)
    if now[0] or now[1] > 1:
        expect(("swap" in answer) == (least < now), what, "a swap", answer.get("swap"), "expected", least, now)
    if "swap" in answer:
        told = answer["swap"]
        expect(told_cost(told["then"]) == least == swaps[told["host"], told["with"]], what, told, "expected", least)
    best = ring_cost(model, answer["order"], direct)
    expect(sorted(answer["order"]) == sorted(names) and told_cost(answer["best"]) == best <= min(now, least if "swap" in answer else now),
           what, "order", answer["order"], answer["best"], "has", best)
    if len(names) <= 6 and answer["proved"]:
        orders = [ring_cost(model, [names[0], *rest], direct) for rest in itertools.permutations(names[1:])]
        expect(min(orders)[:2] == best[:2] and (best[1] <= 1 or min(orders) == best), what, "the best is", min(orders), "told", best)
    met = [(x["flows"], len(x["pairs"])) for x in answer["collisions"]]
    expect(all(n == k > 1 for n, k in met) and sum(n * (n - 1) // 2 for n, _ in met) == now[3], what, "collisions", met, "expected", now)


def two_racks(folder):
    """Eight hosts of four adapters in two racks, a switch each, four cables between these (as told in NCCL's issues 307 and
    319: a ring over two racks had half the bandwidth and less, since two flows on a link halve it).  Hosts of the racks in turn:
    four flows a rail want four cables with those of other rails; a swap helps; rack by rack, no two flows meet."""
    d = Dump()
    racks = [d.add(True, "rack-%d" % i, 40) for i in (1, 2)]
    for i in range(4):
        d.join(racks[0], 33 + i, racks[1], 33 + i)
    for h in range(8):
        for r in range(4):
            d.join(d.add(False, "gpu%d mlx5_%d" % (h + 1, r), 1), 1, racks[h // 4], 1 + h % 4 * 4 + r)
    path = os.path.join(folder, "racks.ibnet")
    with open(path, "w", encoding="utf-8") as f:
        f.write(d.text())
    mixed = ["gpu%d" % h for h in (1, 5, 2, 6, 3, 7, 4, 8)]
    before = ["route updn"]
    net = Net(*(a["content"] for a in ask(path, [*before, "save -", "export lfts -", "export paths -"])[-3:]))
    model = Model(net, mixed)
    answer, again = ask(path, [*before, "ring-order " + " ".join(mixed), "load-map ring gpu[1-8]"])[-2:]
    now = ring_cost(model, mixed, False)
    expect(told_cost(answer["now"]) == now and now[1] >= 4, "two racks in turn", answer["now"], "expected", now)
    expect(told_cost(answer["swap"]["then"]) < now, "no swap helps", answer)
    expect(answer["proved"] and told_cost(answer["best"]) == (0, 1, 8, 0), "rack by rack, one flow a cable", answer["best"])
    expect(again["loads"]["max"] == 1, "by name they stand so", again["loads"]["max"])


def bad_pair(folder):
    """NCCL's issue 325: a ring over hosts 1 and 2 has 25 GB/s, one over 1 and 3 has 39, and nothing is broken; as others reach both 1
    and 2 at full speed, routes collide.  Each host has two adapters on either of two leaves, four spines have a cable to each leaf.
    Host 1 shares a leaf with host 2: what its first two adapters send leaves by the cables that the last two of host 2 use.  Every
    engine of fat trees does that by itself.  Between hosts 1 and 3, 2 and 4 ..., each flow has its links to itself."""
    d = Dump()
    leaves = [d.add(True, "leaf-%d" % i, 40) for i in (1, 2, 3, 4)]
    spines = [d.add(True, "spine-%d" % i, 40) for i in (1, 2, 3, 4)]
    for (i, leaf), (k, spine) in itertools.product(enumerate(leaves), enumerate(spines)):
        d.join(leaf, 33 + k, spine, 1 + i)
    free = {leaf[0]: itertools.count(1) for leaf in leaves}
    for h, at in enumerate(((2, 4), (1, 2), (1, 3), (4, 3))):
        for r in range(4):
            leaf = leaves[at[r // 2] - 1]
            d.join(d.add(False, "gpu%d mlx5_%d" % (h + 1, r), 1), 1, leaf, next(free[leaf[0]]))
    path, counters = os.path.join(folder, "pair.ibnet"), os.path.join(folder, "counters")
    with open(path, "w", encoding="utf-8") as f:
        f.write(d.text())
    for reading, errors in ((1, 0), (2, 0), (3, 99999)):    # of every port; the last has what a bad cable shows: errors, where leaf-2[33] ends
        with open(counters + str(reading), "w", encoding="utf-8") as f:
            f.write("START_PM_INFO\nNodeGUID,PortGUID,PortNumber,LinkDownedCounter,SymbolErrorCounter,PortRcvErrors,PortXmitWait,PortXmitData\n")
            for guid, port in d.cables:
                f.write("0x%x,0x%x,%d,0,%d,0,0,%d\n" % (guid, guid, port, errors * ((guid, port) == (spines[0][0], 2)), reading * 1000))
            f.write("END_PM_INFO\n")
    for engine in ("minhop", "updn", "ftree"):
        before = ["route " + engine]
        net = Net(*(a["content"] for a in ask(path, [*before, "save -", "export lfts -", "export paths -"])[-3:]))
        rings = [["gpu%d" % h for h in hosts] for hosts in ((1, 2), (1, 3), (2, 4), (2, 3), (1, 4), (1, 2, 3, 4))]
        for names, answer in zip(rings, ask(path, [*before, *("ring-order %s all" % " ".join(n) for n in rings)])[1:]):
            what, now = "%s: ring of %s" % (engine, names), ring_cost(Model(net, names), names, False)
            shared = {}
            for a, b in Model(net, names).ring(False):
                for c in net.path(a, b):
                    if c in net.channels:
                        shared.setdefault(c, set()).add((net.name[a], net.name[b]))
            shared = {"%s[%d]" % (net.name[s], p): pairs for (s, p), pairs in shared.items() if len(pairs) > 1}
            told = {x["from"]: {(y["src"], y["dst"]) for y in x["pairs"]} for x in answer["collisions"]}
            expect(told_cost(answer["now"]) == now and told == shared, what, answer["now"], told, "expected", now, shared)
            expect((now[1], bool(shared)) == ((2, True) if names[:2] == ["gpu1", "gpu2"] else (1, False)), what, "most flows on a link", now)
            expect(now[1] > 1 or "swap" not in answer, what, answer.get("swap"))
        # the ring of all four, whose answer is the last: a swap mends it
        swap = answer["swap"]
        mended = swapped(names, names.index(swap["host"]), names.index(swap["with"]))
        then = ring_cost(Model(net, mended), mended, False)
        expect(told_cost(swap["then"]) == then and then[1] == 1 and not then[3], engine, "the swap told", swap, "gives", then)
        # no node and no link of the two is bad: each pair reaches the other, there and back, by cables that count no faults
        pairs = [(a, b) for a, b in Model(net, rings[0]).ring(False) if a < b]
        traces = ["trace %d %d" % pair for pair in pairs]
        answers = ask(path, [*before, "counters all %s1" % counters, "counters all %s2" % counters, *traces, "doctor",
                             "flows %d %d ring gpu1 gpu2" % pairs[0], "counters all %s3" % counters, *traces])[3:]
        for (a, b), clean, bad in zip(pairs, answers, answers[len(pairs) + 3:]):
            for way, src, dst in (("forward", a, b), ("back", b, a)):
                walked = net.path(src, dst)
                expect(clean[way]["ok"] and [(x["switch_lid"], x["out"]) for x in clean[way]["path"]] == walked, engine, "trace", a, b, clean[way])
                expect("bad_links" in clean[way] and not clean[way]["bad_links"], engine, "trace", a, b, clean[way].get("bad_links"))
                marked = {(x["from_lid"], x["from_port"]) for x in bad[way]["bad_links"]}
                expect(marked == {c for c in walked if net.name[c[0]] == "leaf-2" and c[1] == 33}, engine, "a bad cable", a, b, bad[way]["bad_links"])
        kinds = {x["kind"] for x in answers[len(pairs)]["findings"]}
        expect(not kinds & {"errors", "flapped", "degraded", "congested", "slow", "slow-sibling"}, engine, "doctor", kinds)
        count = Model(net, rings[0]).loads("ring", False)[0]
        for x in answers[len(pairs) + 1]["path"]:
            expect(x["routes"] == count[x["from_lid"], x["from_port"]], engine, "flows", x)


def many(folder):
    """1,024 GPUs: 128 hosts of eight rails, a leaf for each rail of 32 hosts, eight spines; every pattern, alltoall at night."""
    d = Dump()
    spines = [d.add(True, "spine-%d" % i, 64) for i in range(8)]
    leaves = [d.add(True, "leaf-%d" % i, 64) for i in range(32)]
    for (i, leaf), (k, spine) in itertools.product(enumerate(leaves), enumerate(spines)):
        d.join(leaf, 33 + k, spine, 1 + i)
    for h, r in itertools.product(range(128), range(8)):
        d.join(d.add(False, "gpu%d mlx5_%d" % (h + 1, r), 1), 1, leaves[h // 32 * 8 + r], 1 + h % 32)
    path = os.path.join(folder, "many.ibnet")
    with open(path, "w", encoding="utf-8") as f:
        f.write(d.text())
    asked = [(k, way) for k in ("ring", "tree", "alltoall")[:3 if GPUS > 100 else 2] for way in (False, True)]
    saved, tables, *answers = ask(path, ["route minhop", "save -", "export lfts -", *("load-map %s%s all" % (k, " direct" * way) for k, way in asked)])[1:]
    net = Net(saved["content"], tables["content"], "")
    for (kind, way), answer in zip(asked, answers):
        model = Model(net)
        count, routes = model.loads(kind, way)
        expect(len(model.lid) == 1024 and found_loads(net, answer) == {c: count[c] for c in net.channels} and answer["loads"]["routes"] == routes,
               kind, way, answer["loads"]["routes"], "expected", routes)


def main():
    tally = Tally()
    print("SEED=%s" % SEED)
    for test in (two_racks, bad_pair, many):
        with tempfile.TemporaryDirectory(prefix="gpus.") as folder:
            try:
                test(folder)
                tally(True, "")
            except (Failed, LookupError) as e:
                tally(False, "%s: %s: %s" % (test.__name__, type(e).__name__, e))
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
