"""Nue by its rules (engines/doc/nue.md, sections 3 to 15), simulated: layers, hulls, central switches, escape trees, every
search with its colours and impasses, weights; and of each entry what its neighbours offered at that moment.
"""
import re

from climbed import many
from engines import distances, turned
from ways import expect
from weighed import asked_pairs, at_the_end

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
    """Of one LID: way of each switch, what its neighbours offer, dependencies in use when the search was over, how switches
    were reached, and when the search met a channel and went on from a switch.
    """


class Nue:
    """alive: switches; links: switch -> {port: (switch, port)}; at: LID -> (switch, port); guids: base LID -> port GUID."""

    def __init__(self, net, links, alive, at, guids, lmc, layers, include):
        self.net, self.at, self.lmc, self.layers, self.include = net, at, lmc, layers, include
        self.links, self.guids, self.target = {s: {p: o for p, o in links[s].items() if o[0] != s} for s in links}, guids, at
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
        self.known = []         # of each layer: central switch, hull, betweenness, switches with LIDs
        self.lists = lists
        self.ended = {}         # of each layer that has destinations: figures
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
            self.end_layer(layer)
        if not include:
            for d in self.node:
                self.used, self.src = self.tree(d), d
                self.how, self.events = {}, set()
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
        self.turn, self.met = {}, {}
        while True:
            u = heap.extract()
            if u is None:
                return esc
            self.turn[u] = len(self.turn)
            for c in self.out[u]:
                v, far = self.end(c), dist[u] + self.weight[c]
                self.met[c] = len(self.met)
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
        self.counted = [[], [], []]     # LIDs that needed backtracking, took shortcuts, fell back
        self.kept = (len(self.col) - len(self.dependencies()), len(self.dependencies()))

    def dependencies(self):
        """Those in use."""
        return frozenset(x for x, colour in self.col.items() if isinstance(x[0], tuple) and colour > 1)

    def end_layer(self, layer):
        """What is told of a whole layer: dependencies in use and in all, turns that are blocked (switch before, port in, switch,
        port out, switch behind, as packets go), those that routes make and nobody has a record of, whether these close a cycle.
        """
        used, made = self.dependencies(), set()
        lids = [lid for lid, m in self.moment.items() if m.layer == layer and not m.outside]
        for lid in lids:
            for way in self.moment[lid].way.values():
                made.update(zip(way[1:], way))
            made.update(((("", self.at[lid][0]), way[-1]) for way in self.moment[lid].way.values() if way))
        blocked = [x for x, colour in self.col.items() if colour == BLOCKED and isinstance(x[0], tuple)]
        turns = [(self.end(y), y[1], self.start(y), self.far_end[c][1], self.start(c)) for c, y in blocked]
        onward = {}
        for c, d in made:
            onward.setdefault(c, []).append(d)
        self.ended[layer] = {
            "lids": lids, "used": len(used), "kept": self.kept, "turns": sorted(turns), "counted": [len(x) for x in self.counted],
            "all": sum(len(self.after(c)) for c in self.far_end) + sum(len(self.out[s]) for s in self.node),
            "unrecorded": len({x for x in made if x[0][0] != ""} - used), "loop": circular(onward)}

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
        self.turn, self.met, self.events = {}, {}, set()
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
                    self.events.add("backtracking")
                else:
                    self.fall_back()
                    self.events.add("escape paths")
                    self.step = 0
        self.finish()
        for lids, event in zip(self.counted, ("backtracking", "shortcut", "escape paths")):
            lids += [lid] * (event in self.events)
        self.settle(lid, layer)

    def expand(self, cur):
        self.turn[self.end(cur)] = len(self.turn)
        for first in (True, False):
            for x in self.after(cur):
                now = self.colour((cur, x))
                if not (now >= 2 if first else now == UNUSED):
                    continue
                self.met[x] = len(self.met)
                v, far = self.end(x), self.cd[cur] + self.weight[x]
                if far < self.dist[v]:
                    if self.closes(cur, x, self.s):
                        continue
                    if self.step > 0 and v in self.used and self.found.get(v, -1) != self.step:
                        if not self.shortcut(v, x):
                            continue
                        self.how[v] = "shortcut"
                        self.events.add("shortcut")
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
                    self.how[u], self.how[a] = "backtrack", "around"
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
        m.layer, m.outside, m.how, m.events, m.turn, m.met = layer, outside, self.how, self.events, self.turn, self.met
        m.used = frozenset() if outside else self.dependencies()
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


    # --- what is told of an entry

    def passed(self, moment, sw, port):
        """The dependency of a way by a port, as packets go."""
        a = self.end((sw, port))
        on = ["[%d] -> %s" % (self.rev(c)[1], self.start(c)) for c in moment.way[a][:1]]
        return "%s[%d] -> %s" % (sw, port, a) + "".join(on)

    def hangs(self, moment, sw, own, other):
        """The channels that a blocked way would close a cycle with, from the dependencies in use: their switches, as packets go."""
        a, into = self.end((sw, other)), self.rev((sw, other))
        target, before, queue = moment.way[a][0], {into: None}, [into]
        for c in queue:
            for d in self.after(c):
                if (c, d) in moment.used and d not in before and target not in before:
                    before[d] = c
                    queue.append(d)
        names, c = [], target if target in before else None
        while c is not None:
            names.append(self.start(c))
            c = before[c]
        more = " -> ... (%d switches)" % len(names) if len(names) > 12 else ""
        return len(names), " -> ".join(names[:12]) + more if names else a

    def by_weight(self, moment, sw, own, port):
        """(rule, sentence) against one port, None: no other was open."""
        mine = moment.offers[sw][own]
        far, over = mine["distance"], many(mine["hops"], "channel")
        if port is None:
            return "shortest", "Distance %d over %s; no other port offered an open way." % (far, over)
        its, name = moment.offers[sw][port], self.end((sw, port))
        if "distance" not in its:
            return "shortest", "The way of %s leads over %s itself, so port %d offers none." % (name, sw, port)
        if its.get("blocked") and its["distance"] <= far:
            return "blocked", "Port %d would be %s (%d to %d), but the dependency %s would close a cycle in layer %d through %s." % (
                port, "lighter" if its["distance"] < far else "as light", its["distance"], far, self.passed(moment, sw, port), moment.layer,
                self.hangs(moment, sw, own, port)[1])
        if its["distance"] == far:
            # who was first is known from the search; where it was led another way behind it later, nothing can be said
            first = moment.met.get(self.rev((sw, own)), -1) < moment.met.get(self.rev((sw, port)), -1)
            if not first:
                return "tie", "port %d was met first" % port
            if self.end((sw, own)) == name:
                return "tie", "Ports %d and %d lead to the same switch at distance %d; the search met port %d first." % (own, port, far, own)
            return "tie", "Ports %d and %d have distance %d; %s left the heap first." % (own, port, far, self.end((sw, own)))
        if its["distance"] > far:
            return "longer but lighter" if its["hops"] < mine["hops"] else "shortest", "Distance %d over %s; port %d has %d over %d." % (
                far, over, port, its["distance"], its["hops"])
        if not moment.how:
            return "shortest", "port %d is lighter, and nothing changed behind it" % port
        return "shortest", "Distance %d when the search came by; port %d became lighter (%d) by later changes behind it." % (
            far, port, its["distance"])

    def rival(self, moment, sw, own):
        """Whom an entry is compared with: a blocked port that is lighter, one as light, else the next that is open."""
        far = moment.offers[sw][own]["distance"]
        offers = {p: o for p, o in sorted(moment.offers[sw].items()) if p != own and "distance" in o}
        lighter = [p for p, o in offers.items() if o.get("blocked") and o["distance"] < far]
        equal = [p for p, o in offers.items() if not o.get("blocked") and o["distance"] == far]
        free = [p for p, o in offers.items() if not o.get("blocked")]
        least = lambda ports: min(ports, key=lambda p: offers[p]["distance"], default=None)
        return (least(lighter), "lighter") if lighter else (equal[-1], "equal") if equal else (least(free), "next")

    def reason(self, sw, lid, via):
        """(rule, sentence) of an entry, or against a port."""
        target, own = self.at[lid][0], self.table.get((sw, lid))
        via = None if via == own else via
        there = at_the_end(self.links[sw], sw, lid, target, own, via)
        if there:
            return there
        moment = self.moment[lid]
        if via is not None and target not in distances(self.without(sw), self.links[sw][via][0]):
            return "no way", re.escape("No cables lead there from %s but back through %s." % (self.links[sw][via][0], sw))
        how = moment.how.get(sw)
        if how == "escape tree":
            told = how, "The search met an impasse, so all switches follow the escape tree around %s in layer %d." % (
                self.known[moment.layer][0], moment.layer)
        elif how == "shortcut":
            told = how, "Backtracking opened a shorter way to %s: by port %d." % (sw, own)
        elif how == "backtrack":
            told = how, "The search did not reach %s; backtracking gave its neighbour at port %d another way, so that %s can follow." % (sw, own, sw)
        elif how == "around":
            told = "backtrack", "Backtracking chose port %d, so that the search reaches a neighbour of %s." % (own, sw)
        else:
            told = self.by_weight(moment, sw, own, via if via is not None else self.rival(moment, sw, own)[0])
        return told[0], re.escape(told[1])

    def without(self, sw):
        return {s: {p: o for p, o in links.items() if sw not in (s, o[0])} for s, links in self.links.items()}

    def story(self, sw, lid):
        """(name of the rule, words) of a choice where its candidates are listed."""
        target, own, moment = self.at[lid][0], self.table.get((sw, lid)), self.moment[lid]
        if sw == target:
            return "own port", "the destination hangs on this port" if own else "the switch itself"
        how, behind = moment.how.get(sw), " (routes to switches keep to no layer)" * moment.outside
        if how:
            return {"escape tree": ("escape path", "the search met an impasse, so all switches follow the tree of escape paths around %s" %
                                    self.known[moment.layer][0]),
                    "backtrack": ("backtracking", "reached by backtracking only: its neighbour there took another way so that this switch can follow"),
                    "around": ("backtracking", "backtracking chose this way, so that the search reaches a neighbour"),
                    "shortcut": ("shortcut", "a shortcut that backtracking opened")}[how]
        port, kind = self.rival(moment, sw, own)
        far = lambda p: moment.offers[sw][p]["distance"]
        if kind == "lighter":
            return "least weight without a cycle", "least weight without closing a cycle; port %d would be lighter by %d, but the " \
                "dependency %s is blocked in layer %d" % (port, far(own) - far(port), self.passed(moment, sw, port), moment.layer)
        if kind == "equal":
            return "first of equals", "least weight; port %d is as light, but was met later" % port + behind
        return "least weight", "least weight" + behind

    # --- what `why A B` tells of a pair

    def base(self, lid):
        return max(x for x in self.guids if x <= lid)

    def rare(self, pair):
        return pair[0] in self.moment[pair[1]].how

    def pair(self, s, lid, text):
        m, layers, base = self.moment[lid], len(self.lists), self.base(lid)
        number = self.lists[m.layer].index(base) + 1
        of_all = (number - 1) * layers + m.layer + 1
        want = "There is one layer, for all destinations; LID %d is its destination %d.\n" % (base, number) if layers == 1 else (
            "Destinations are dealt to %d layers in turn, in order of port GUIDs; LID %d is number %d of all, so layer %d.  The source "
            "plays no part.\n" % (layers, base, of_all, m.layer))
        if "escape paths" in m.events:
            want += "The search met an impasse: all switches follow the escape paths to it.\n"
        elif "backtracking" in m.events:
            want += "Some switches were only reached by backtracking%s.\n" % (", which opened shortcuts to others" * ("shortcut" in m.events))
        detour = self.detours(lid).get(s)
        if detour:
            want += "From %s it is a detour of %d hops: %d would do, %s.\n" % (
                s, *detour[:2], "by ways that nothing restricts, but weights led elsewhere" if detour[2] else
                "but each such way makes a turn that the layer restricts")
        layer = "layer", "LID %d is destination %d of all; dealt to %s in turn it is in layer %d." % (lid, of_all, many(layers, "layer"), m.layer)
        return None if text == want else "expected is " + want, layer, False, (m.layer,) * 2

    def detours(self, lid):
        """switch -> (hops, fewest that there could be, does one of those make no restricted turn), of those with more."""
        m, target = self.moment[lid], self.at[lid][0]
        least, told = distances(self.links, target), {}
        turns = set() if m.outside else {(t[2], t[1], t[3]) for t in self.ended[m.layer]["turns"]}
        free = {}       # (switch, port out) -> does a shortest way begin so that makes no restricted turn

        def open_from(s, p):
            to, q = self.links[s][p]
            if least.get(to, -1) + 1 != least[s]:
                return False
            if (s, p) not in free:
                free[s, p] = to == target or any((to, q, x) not in turns and open_from(to, x) for x in self.links[to])
            return free[s, p]

        for s, way in m.way.items():
            if len(way) > least[s]:
                told[s] = (len(way), least[s], m.outside or any(open_from(s, p) for p in self.links[s]))
        return told


def circular(onward):
    """Is there a cycle?"""
    state = {}

    def goes_round(c):
        state[c] = 1
        for d in onward.get(c, ()):
            if state.get(d) == 1 or d not in state and goes_round(d):
                return True
        state[c] = 2
        return False

    return any(c not in state and goes_round(c) for c in list(onward))


# --- what is told

def check(m, st, sw, lid, via, own, answer):
    """One answer, of an entry (via: None) or one of its ports."""
    del own
    rule, sentence = m.reason(sw, lid, via)
    if answer["rule"] != rule or not re.fullmatch(sentence, answer["decided"]):
        expect("decided", (answer["rule"], answer["decided"]), (rule, re.sub(r"\\(.)", r"\1", sentence)))
    if via is None:
        choice, told = answer["choice"], m.story(sw, lid)
        expect("choice", (choice["rule"], choice["text"]), told)
        if st.at[lid][0] != sw:
            expect("story", answer["text"][0].split(": ", 1)[1], told[1])
            expect("candidates", {c["port"]: {k: c[k] for k in ("hops", "distance", "weight", "blocked") if k in c}
                                  for c in choice["candidates"]}, m.moment[lid].offers[sw])


PAIRS = 10      # of each state


def asked(m, dice):
    """[(command, judge)]: layers with all their figures, restrictions, detours, escape trees, weights at the end, `why A B`."""
    def layers(answer):
        for r in answer["rows"]:
            known = m.known[r["layer"]]
            if known:
                x = m.ended[r["layer"]]
                yield "layer", (r["central switch"], r["hull"], r["escape deps"], r["used"], r["of deps"], r["restricted"],
                                r["backtracked"] or 0, r["escape only"] or 0), \
                    (known[0], len(known[1]), x["kept"][1], x["used"], x["all"], len(x["turns"]), x["counted"][0], x["counted"][2])

    def explained(answer):
        lines = answer["explained"].splitlines()[1:]
        for i, known in enumerate(m.known):
            want = ["Layer %d: no destination." % i]
            if known:
                x = m.ended[i]
                want = ["Layer %d: %d destinations; %d of %d switches in the hull, central switch %s; %d channels and %d dependencies kept "
                        "for escape paths; in the end %d of %d dependencies in use, %d would close a cycle." % (
                            i, len(m.lists[i]), len(known[1]), len(m.node), known[0], *x["kept"], x["used"], x["all"], len(x["turns"]))]
                if x["counted"][0] + x["counted"][2]:
                    want.append("  %d LIDs needed backtracking, %d of them took shortcuts; %d follow the escape paths altogether." % tuple(x["counted"]))
                if x["unrecorded"]:
                    want.append("  Routes make %d dependencies that OpenSM has no record of%s." % (
                        x["unrecorded"], ", and they have a CREDIT LOOP" if x["loop"] else "; they have no credit loop"))
            yield "layer %d" % i, lines[:len(want)], want
            lines = lines[len(want):]

    def escape(layer):
        def judge(answer):
            _, hull, b, near = m.known[layer]
            for r in answer["rows"]:
                s = r["switch"]
                yield s, (r["hull"], round(r["betweenness"], 2)), ("has LIDs" if s in near else "drawn in" if s in hull else "-",
                                                                   round(b.get(s, 0.0), 2))
        return "list escape %d" % layer, judge

    def restricted(layer):
        return "list restricted %d" % layer, lambda answer: [
            ("turns", sorted((r["from"], r["in"], r["at switch"], r["out"], r["not to"]) for r in answer["rows"]), m.ended[layer]["turns"])]

    def detours(answer):
        want = set()
        for lid, moment in m.moment.items():
            for s, (hops, least, free) in m.detours(lid).items():
                cause = "escape paths" if "escape paths" in moment.events else "backtracking, shortcut" if "shortcut" in moment.events else \
                    "backtracking" if "backtracking" in moment.events else "weights" if free else "restrictions"
                want.add((s, lid, None if moment.outside else moment.layer, hops, least, cause))
        yield "detours", {(r["switch"], r["LID"], r["layer"], r["hops"], r["least"], r["for"]) for r in answer["rows"]}, want

    def weights(answer):
        yield "weights", sorted((re.match(r"(.*)\[(\d+)\]", r["link"]).groups(), r["weight"]) for r in answer["rows"]), \
            sorted(((s, str(p)), m.weight[m.rev((s, p))]) for s, p in m.weight)

    return [("list nue-layers", layers), ("layers", explained), ("list weights", weights), ("list detours", detours)] + [
        told(i) for i, x in enumerate(m.known) if x for told in (escape, restricted)] + asked_pairs(m, dice, PAIRS)


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
                        "torus:3x3x%d" % a, "ring:%d" % n, "hypercube:3", "xgft:%d,%d:1,%d" % (a, b, c), "torus:4x4", "mesh:4x4"])
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
