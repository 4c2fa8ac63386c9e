"""Nue by its rules (engines/doc/nue.md, sections 3 to 15), simulated: layers, hulls, central switches, escape trees, every
search with its colours and impasses, weights; and of each entry what its neighbours offered at that moment.
"""
import re

from climbed import many
from engines import turned
from ways import expect

INF = 0x7FFFFFFF
BLOCKED, UNUSED, ESCAPE = 0, 1, 2


def lid_key(lid):
    return (lid & 0xFF) << 8 | lid >> 8


class Heap:
    """Section 8: 4-ary, with OpenSM's moves."""

    def __init__(self):
        self.a, self.at = [], {}

    def put(self, i, x):
        self.a[i] = x
        self.at[x[1]] = i

    def up(self, i):
        x = self.a[i]
        while i > 0 and x[0] < self.a[(i - 1) // 4][0]:
            self.put(i, self.a[(i - 1) // 4])
            i = (i - 1) // 4
        self.put(i, x)

    def down(self, i):
        x = self.a[i]
        while 4 * i + 1 < len(self.a):
            children = range(4 * i + 1, min(4 * i + 5, len(self.a)))
            k = min(children, key=lambda j: (self.a[j][0], -j))
            if x[0] <= self.a[k][0]:
                break
            self.put(i, self.a[k])
            i = k
        self.put(i, x)

    def insert(self, key, item):
        self.a.append(None)
        self.put(len(self.a) - 1, (key, item))
        self.up(len(self.a) - 1)

    def modify(self, item, key):
        i = self.at[item]
        old = self.a[i][0]
        self.put(i, (key, item))
        if key < old:
            self.up(i)
        elif key > old:
            self.down(i)

    def delete(self, item):
        i = self.at.pop(item)
        last = self.a.pop()
        if i == len(self.a):
            return
        self.put(i, last)
        above = self.a[(i - 1) // 4][0] if i else None
        if i == 0 or above < last[0]:
            self.down(i)
        elif above > last[0]:
            self.up(i)

    def extract(self):
        if not self.a:
            return None
        item = self.a[0][1]
        self.delete(item)
        return item


class Moment:
    """Of one LID: way of each switch, distances along them, weights before it is counted, blocked dependencies."""


class Nue:
    """alive: switches; links: switch -> {port: (switch, port)}; at: LID -> (switch, port); guids: base LID -> port GUID."""

    def __init__(self, net, links, alive, at, guids, lmc, layers, include):
        self.net, self.at, self.lmc, self.layers, self.include = net, at, lmc, layers, include
        self.node = sorted(alive, key=lambda s: lid_key(net.lid[s]))
        self.hung = dict.fromkeys(alive, 1)
        for lid, (s, port) in at.items():
            self.hung[s] += port > 0
        self.hung = {s: n % 256 for s, n in self.hung.items()}
        self.out = {s: [(s, p) for p in sorted(links[s]) if links[s][p][0] != s] for s in alive}     # channels: (switch, port)
        self.far_end = {(s, p): links[s][p] for s in alive for _, p in self.out[s]}
        ends = sorted(((turned(guids[lid]), lid) for lid in guids if lid in at))
        self.total = sum((1 << lmc) if at[lid][1] else 1 for _, lid in ends)
        self.weight = {c: self.total ** 2 for c in self.far_end}
        self.table, self.layer_of, self.moment = {}, {}, {}
        for s in alive:
            self.table[s, net.lid[s]] = 0
        lists = [[] for _ in range(layers)]
        for i, lid in enumerate(x for _, x in ends if at[x][1] or include):
            lists[i % layers].append(lid)
        self.known = []         # of each layer: central switch, hull, betweenness, hops of the tree
        self.hops = {}
        for layer, mine in enumerate(lists):
            self.known.append(None)
            if not mine:
                continue
            self.prepare(layer, mine)
            colour = 3
            for kind in (True, False):
                for base in mine:
                    if bool(at[base][1]) == kind:
                        for lid in range(base, base + ((1 << lmc) if kind else 1)):
                            self.search(lid, colour, layer)
                            colour += 1
        if not include:
            for d in self.node:
                self.used, self.src = self.tree(d), d
                self.how = {}
                self.settle(net.lid[d], 0, outside=True)

    # --- channels: c = (u, port) leads to end(c); the channel into a switch that is searched from itself is ("", switch)

    def end(self, c):
        return c[1] if c[0] == "" else self.far_end[c][0]

    def start(self, c):
        return c[1] if c[0] == "" else c[0]

    def rev(self, c):
        return self.far_end[c]

    def after(self, c):
        back = None if c[0] == "" else self.rev(c)
        return [d for d in self.out[self.end(c)] if d != back]

    def colour(self, x):
        return self.real.get(self.col.get(x, UNUSED), self.col.get(x, UNUSED))

    def tree(self, root):
        heap, dist, esc = Heap(), dict.fromkeys(self.node, INF), {}
        for s in self.node:
            heap.insert(INF, s)
        dist[root] = 0
        heap.modify(root, 0)
        while True:
            u = heap.extract()
            if u is None:
                return esc
            for c in self.out[u]:
                v, far = self.end(c), dist[u] + self.weight[c]
                if far < dist[v]:
                    esc[v], dist[v] = c, far
                    heap.modify(v, far)

    def hull_of(self, mine):
        hull = {self.at[lid][0] for lid in mine}
        for i in self.node:
            if i not in hull:
                continue
            d, queue = {i: 0}, [i]
            for u in queue:
                for c in self.out[u]:
                    if self.end(c) not in d:
                        d[self.end(c)] = d[u] + 1
                        queue.append(self.end(c))
            done = {i}
            for j in self.node:
                if j not in hull or j in done:
                    continue
                done.add(j)
                queue = [j]
                for v in queue:
                    for c in self.out[v]:
                        u = self.end(c)
                        if u not in done and u in d and v in d and d[u] + 1 == d[v]:
                            hull.add(u)
                            done.add(u)
                            queue.append(u)
        return hull

    def betweenness(self, hull, mine):
        t = dict.fromkeys(self.node, 0)
        for lid in mine:
            t[self.at[lid][0]] += self.at[lid][1] > 0
        b = dict.fromkeys(hull, 0.0)
        for s in (s for s in self.node if s in hull):
            sigma, d, before, order = {s: 1}, {s: 0}, {}, [s]
            for u in order:
                for c in self.out[u]:
                    v = self.end(c)
                    if v not in hull:
                        continue
                    if v not in d:
                        d[v] = d[u] + 1
                        order.append(v)
                    if d[v] == d[u] + 1:
                        sigma[v] = sigma.get(v, 0) + sigma[u]
                        before.setdefault(v, []).append(u)
            for j in range(t[s] % 256 + 1):
                delta = dict.fromkeys(order, 0.0)
                for v in reversed(order):
                    for _ in range(t[v] - 1 if v == s and j > 0 else t[v]):
                        delta[v] += 1.0
                    for u in before.get(v, ()):
                        delta[u] += (float(sigma[u]) / float(sigma[v])) * (1 + delta[v])
                    if j > 0 or v != s:
                        b[v] += delta[v]
        return b

    def prepare(self, layer, mine):
        self.real, self.col, self.wet = {}, {}, set()
        hull = self.hull_of(mine)
        b = self.betweenness(hull, mine)
        root = max((s for s in self.node if s in hull), key=lambda s: b[s])
        esc = self.esc = self.tree(root)
        near = {self.at[lid][0] for lid in mine}
        self.known[layer] = (root, hull, b, near)
        into = []
        for x in self.node:
            c = esc.get(x)
            while c is not None:
                y = self.start(c)
                self.col[c] = ESCAPE
                n = esc.get(y)
                if n is None:
                    into += [c] * (c not in into)
                    break
                self.col[n] = self.col[n, c] = ESCAPE
                if x in near:
                    rc, rn = self.rev(c), self.rev(n)
                    self.col[rc] = self.col[rn] = self.col[rc, rn] = ESCAPE
                    for k in self.out[y]:
                        a = esc.get(self.end(k))
                        if a is not None and self.start(a) == y and self.end(a) != self.end(c):
                            self.col[rc, a] = ESCAPE
                c = n
        for a in into:
            for other in into:
                if other != a:
                    self.col[a] = self.col[self.rev(other)] = self.col[self.rev(other), a] = ESCAPE

    # --- colours

    def paint(self, h, e):
        self.col[e] = self.col.get(h, UNUSED)
        self.wet.add(e)

    def unpaint(self, e):
        if e in self.wet:
            self.wet.discard(e)
            self.col[e] = UNUSED

    def reaches(self, t, h):
        seen, queue = {t}, [t]
        for c in queue:
            if c == h:
                return True
            for d in self.after(c):
                if self.colour((c, d)) > 1 and d not in seen:
                    seen.add(d)
                    queue.append(d)
        return False

    def closes(self, h, t, s):
        e = (h, t)
        if self.colour(e) > 1:
            return False
        if self.colour(t) == s:
            if self.reaches(t, h):
                self.col[e] = BLOCKED
                return True
            self.paint(h, e)
        elif self.colour(t) == UNUSED:
            self.col[t] = self.col.get(h, UNUSED)
            self.wet.add(t)
            self.paint(h, e)
        else:
            self.real[self.col[t]] = self.col.get(h, UNUSED)
            self.paint(h, e)
        return False

    # --- the search

    def search(self, lid, s, layer):
        self.src, self.heap, self.cd, self.s = self.at[lid][0], Heap(), {}, s
        self.dist, self.used, self.found = dict.fromkeys(self.node, INF), {}, {}
        self.stack = {x: [] for x in self.node}
        self.dist[self.src] = 0
        self.count, self.step, self.how = 1, 0, {}
        fake = ("", self.src)
        if self.colour(fake) > 1:
            self.real[self.col[fake]] = s
        else:
            self.col[fake] = s
        self.cd[fake], cur = 0, fake
        while cur is not None:
            self.expand(cur)
            cur = self.heap.extract()
            if cur is None and self.count != len(self.node):
                cur = self.backtrack()
                if cur is not None:
                    self.count += 1
                    self.step += 1
                else:
                    self.fall_back()
                    self.step = 0
        self.finish()
        self.settle(lid, layer)

    def expand(self, cur):
        for first in (True, False):
            for x in self.after(cur):
                now = self.colour((cur, x))
                if not (now >= 2 if first else now == UNUSED):
                    continue
                v, far = self.end(x), self.cd[cur] + self.weight[x]
                if far < self.dist[v]:
                    if self.closes(cur, x, self.s):
                        continue
                    if self.step > 0 and v in self.used and self.found.get(v, -1) != self.step:
                        if not self.shortcut(v, x):
                            continue
                        self.how[v] = "shortcut"
                    else:
                        if v in self.used:
                            o = self.used[v]
                            self.heap.delete(o)
                            if self.start(o) in self.used:
                                self.unpaint((self.used[self.start(o)], o))
                        else:
                            self.count += 1
                            self.found[v] = self.step
                        self.cd[x] = far
                        self.heap.insert(far, x)
                    self.dist[v], self.used[v] = far, x
                elif self.colour((cur, x)) > 1:
                    if self.step > 0 and v in self.used:
                        continue
                    self.cd[x] = far
                    if x not in self.stack[v]:
                        self.stack[v].append(x)

    def follow(self, v):
        """Channels in use that start at a switch, in the order of its links, once a link."""
        ways = [self.used.get(self.end(k)) for k in self.out[v]]
        return [w for w in ways if w is not None and self.start(w) == v]

    def shortcut(self, v, x):
        o = self.used[v]
        po = self.used[self.start(o)]
        deps = [(x, w) for w in self.follow(v)]
        was = [e in self.wet for e in deps]
        for i, e in enumerate(deps):
            if self.colour(e) == BLOCKED or self.closes(*e, self.s):
                for k in range(i):
                    if self.colour(deps[k]) != BLOCKED and not was[k]:
                        self.unpaint(deps[k])
                return False
        self.unpaint((po, o))
        for e in deps:
            self.unpaint(e)
        return True

    def backtrack(self):
        back = lambda c, d: self.start(c) == self.end(d) and self.end(c) == self.start(d)
        for u in self.node:
            if self.dist[u] != INF:
                continue
            candidates = []
            for k in self.out[u]:
                a = self.end(k)
                if self.dist[a] == INF:
                    continue
                dep = self.follow(a)
                candidates += [(k, c) for c in self.stack[a] if not any(back(c, d) or self.colour((c, d)) < 2 for d in dep)]
            candidates.sort(key=lambda x: self.cd[x[1]])
            new = None
            for k, c in candidates:
                a, h, q = self.end(k), self.rev(k), self.start(c)
                if self.colour((c, h)) == BLOCKED or q == self.src or back(c, self.used[q]):
                    continue
                e1 = (self.used[q], c)
                was = e1 in self.wet
                if self.colour(e1) == BLOCKED or self.closes(*e1, self.s):
                    continue
                if self.closes(c, h, self.s):
                    if not was:
                        self.unpaint(e1)
                    continue
                self.cd[h] = self.cd[c] + self.weight[h]
                if new is None:
                    self.used[u], self.dist[u], self.used[a], self.dist[a], new = h, self.cd[h], c, self.cd[c], h
                    self.how[u] = self.how[a] = "backtrack"
                elif h not in self.stack[u]:
                    self.stack[u].append(h)
            if new is not None:
                return new
        return None

    def fall_back(self):
        self.used = dict(self.esc)
        self.how = dict.fromkeys(self.node, "escape tree")
        c = self.used.pop(self.src, None)
        while c is not None:
            y = self.start(c)
            after = self.used.get(y)
            self.used[y] = self.rev(c)
            c = after

    def finish(self):
        for c in self.used.values():
            p = self.start(c)
            self.wet.discard(c)
            self.wet.discard((("", self.src) if p == self.src else self.used.get(p), c))
        for x in self.wet:
            self.col[x] = UNUSED
        self.wet.clear()
        self.col = {x: self.real.get(i, i) for x, i in self.col.items()}

    def chain(self, x):
        way = []
        while x != self.src:
            way.append(self.used[x])
            x = self.start(way[-1])
        return way

    def settle(self, lid, layer, outside=False):
        m = self.moment[lid] = Moment()
        m.layer, m.outside, m.how = layer, outside, self.how
        m.way = {x: self.chain(x) for x in self.node}
        m.far = {x: sum(self.weight[c] for c in way) for x, way in m.way.items()}
        m.offers = {x: {} for x in self.node}
        for x in self.node:
            for k in self.out[x]:
                a, into = self.end(k), self.rev(k)
                o = m.offers[x][k[1]] = {"weight": self.weight[into]}
                if any(self.start(c) == x or self.end(c) == x for c in m.way[a]) or a == x or x == self.src:
                    continue
                o["hops"], o["distance"] = len(m.way[a]) + 1, m.far[a] + self.weight[into]
                if not outside:
                    here = self.used[a] if a != self.src else ("", self.src)
                    o["blocked"] = int(self.colour((here, into)) == BLOCKED)
        for x in self.node:
            if x != self.src:
                self.table[x, lid] = self.rev(self.used[x])[1]
            elif self.at[lid][1]:
                self.table[x, lid] = self.at[lid][1]
        for x in self.node:
            for c in m.way[x]:
                self.weight[c] += self.hung[x]
        self.layer_of[lid] = layer


# --- what is told

def check(m, st, sw, lid, via, own, answer):
    """One answer, of an entry (via: None) or one of its ports; figures of sentences are checked by the candidates."""
    moment, target = m.moment[lid], st.at[lid][0]
    if target == sw:
        return
    if via is None:
        told = {c["port"]: {k: c[k] for k in ("hops", "distance", "weight", "blocked") if k in c} for c in answer["choice"]["candidates"]}
        expect("candidates", told, moment.offers[sw])
    how = moment.how.get(sw)
    if via in (None, own):
        rule = answer["rule"]
        if how:
            expect("rule", rule, how)
        elif rule in ("escape tree", "backtrack", "shortcut"):
            expect("rule", rule, "by weight")
    root = re.search(r"the escape tree around (\S+) in layer (\d+)", answer["decided"])
    if root:
        expect("escape tree", (root[1], int(root[2])), (m.known[moment.layer][0], moment.layer))
    layer = re.search(r"would close a cycle in layer (\d+)", answer["decided"])
    if layer:
        expect("layer", int(layer[1]), moment.layer)


def asked(m, dice):
    """[(command, judge)]: the central switch of each layer, betweenness and hull of every switch, weights at the end."""
    del dice
    def layers(answer):
        for r in answer["rows"]:
            known = m.known[r["layer"]]
            yield "layer", (r["central switch"], r["hull"]), (known[0], len(known[1])) if known else (r["central switch"], r["hull"])

    def escape(layer):
        def judge(answer):
            _, hull, b, near = m.known[layer]
            for r in answer["rows"]:
                s = r["switch"]
                yield s, (r["hull"], round(r["betweenness"], 2)), ("has LIDs" if s in near else "drawn in" if s in hull else "-",
                                                                   round(b.get(s, 0.0), 2))
        return "list escape %d" % layer, judge

    def weights(answer):
        yield "weights", sorted((re.match(r"(.*)\[(\d+)\]", r["link"]).groups(), r["weight"]) for r in answer["rows"]), \
            sorted(((s, str(p)), m.weight[m.rev((s, p))]) for s, p in m.weight)

    return [("list nue-layers", layers), ("list weights", weights)] + [escape(i) for i, x in enumerate(m.known) if x]


def pairs(m, st, told):
    """What is wrong with the SL of a pair; told: (LID, LID) -> SL."""
    for (a, b), sl in told.items():
        if a in st.at and b in st.at and sl != "-" and m.layers > 1 and sl != str(m.layer_of[b]):
            yield "SL of %d to %d is %s, the layer %d" % (a, b, sl, m.layer_of[b])


# --- fabrics

def drawn(dice, folder, number, save):
    """(fabric, options, what model() needs)"""
    del folder, number
    a, b, c, n, seed = (*(dice.randrange(2, 4) for _ in range(3)), dice.randrange(4, 12), dice.randrange(1000))
    spec = dice.choice(["random:%d,%d,seed=%d,shuffle=1" % (n, dice.randrange(2, 4), seed),
                        "random:%d,3,seed=%d,shuffle=1,parallel=1,hosts_on=2" % (n + 2, seed),
                        "random:%d,2,seed=%d,parallel=2,hosts=2" % (n, seed), "torus:%dx%d" % (a + 1, b + 2), "mesh:%dx%d" % (a, b + 1),
                        "torus:3x3x%d" % a, "ring:%d" % n, "hypercube:3", "xgft:%d,%d:1,%d" % (a, b, c), "torus:4x4"])
    layers, include = dice.randrange(1, 4), dice.randrange(3) == 0
    options = ["nue_max_num_vls=%d" % layers, "nue_include_switches=%s" % ("TRUE" if include else "FALSE")]
    return spec, options, (save(spec), layers, include)


def model(setup, st, down):
    del down
    saved, layers, include = setup
    guids = {}
    for line in saved.splitlines():
        head = re.match(r'Switch\t\d+ "S-(\w+)"\t+# ".*" base port 0 lid (\d+) ', line)
        own = re.match(r'\[\d+\]\((\w+)\) .*# lid (\d+) lmc', line)
        if head:
            guids[int(head[2])] = int(head[1], 16)
        elif own:
            guids[int(own[2])] = int(own[1], 16)
    return Nue(st.net, st.links, st.alive, st.at, guids, st.lmc, layers, include)
