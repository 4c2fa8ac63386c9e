"""LASH once more, from engines/doc/lash.md alone: sections 3 and 7 to 11 (section 6, the mesh, is in meshed.py).

Trees and who decided each route, the layer of each pair by trying the layers in order with a search for cycles of its own,
the turns of balancing with glibc's random numbers, tables, and the sentence that `why` must end on.
"""
import itertools
import re

from meshed import Mesh
from weighed import PAIRS, asked_pairs, at_the_end, picked


def glibc_rand(seed=1):
    """9.3: what rand() draws after srand(seed)."""
    r = [seed]
    for _ in range(30):
        r.append(16807 * r[-1] % 2147483647)
    r += r[:3]
    while True:
        r.append((r[-3] + r[-31]) & 0xffffffff)
        if len(r) > 344:
            yield r[-1] >> 1


class Dependencies:
    """Of one layer; how many hold each."""

    def __init__(self):
        self.after = {}

    def closes(self, new):
        """Would these close a cycle?"""
        new = [d for d in new if d[1] not in self.after.get(d[0], ())]
        for c, d in new:
            self.after.setdefault(c, {})[d] = True
        for c, d in new:
            seen = [d]
            for at in seen:
                if at == c:
                    break
                seen += [n for n in self.after.get(at, ()) if n not in seen]
            if c in seen:
                for a, b in new:
                    del self.after[a][b]
                return True
        return False

    def add(self, new):
        for c, d in new:
            self.after.setdefault(c, {})[d] = True


class Run:
    def __init__(self, net, links, ends, lmc, rand, mesh=False):
        self.net, self.links = net, links
        self.names = list(net.order)
        place = {s: i for i, s in enumerate(self.names)}
        self.entries = []       # of a switch by number: [neighbour's number, its ports]
        for s in self.names:
            mine = {}
            for p in sorted(links[s]):
                if links[s][p][0] != s:
                    mine.setdefault(place[links[s][p][0]], []).append(p)
            self.entries.append([[v, ports] for v, ports in mine.items()])
        self.turning, self.mesh = mesh, Mesh(self.entries) if mesh else None
        if self.mesh and self.mesh.order:       # new numbers, and links in another turn
            number = {old: new for new, old in enumerate(self.mesh.order)}
            self.names = [self.names[old] for old in self.mesh.order]
            self.entries = [[[number[v], ports] for v, ports in self.mesh.links[old]] for old in self.mesh.order]
        self.holder = {}        # (layer, dependency) -> the pair that brought it, and when
        self.id = {s: i for i, s in enumerate(self.names)}
        self.n = len(self.names)
        self.target = {lid: (s, p) for base, s, p, host in ends for lid in range(base, base + (1 << lmc if host else 1))}
        self.events = [("note",)]
        bases = sorted(e[0] for e in ends)
        self.base = lambda lid: max(b for b in bases if b <= lid)
        self.events += self.mesh.events if self.mesh else []
        self.trees()
        self.layers()
        self.balance(rand)
        self.tables()

    def trees(self):
        self.out = [[None] * self.n for _ in range(self.n)]     # [from][to] -> number of the link
        self.root = [[None] * self.n for _ in range(self.n)]
        self.events.append(("phase",))
        for r in range(self.n):
            parent, queue = {r: None}, [r]
            for at in queue:
                for v, _ in self.entries[at]:
                    if v not in parent:
                        parent[v] = at
                        queue.append(v)
            for d in queue:
                child = d
                while parent[child] is not None:
                    u = parent[child]
                    if self.out[u][d] is None:
                        self.out[u][d], self.root[u][d] = [v for v, _ in self.entries[u]].index(child), r
                    child = u
            self.events.append(("tree", r, sum(x == r for row in self.root for x in row)))

    def route(self, a, b):
        way = []
        while a != b:
            way.append((a, self.entries[a][self.out[a][b]][0]))
            a = way[-1][1]
        return way

    def dependencies(self, a, b):
        ways = self.route(a, b), self.route(b, a)
        return [d for way in ways for d in zip(way, way[1:])]

    def layers(self):
        self.first, self.need, self.count, self.graph = {}, 1, [0], [Dependencies()]
        self.opened = set()
        self.events.append(("phase",))
        for s, d in itertools.combinations(range(self.n), 2):
            if self.out[s][d] is None:
                continue
            new = self.dependencies(s, d)
            for v in range(self.need):
                fresh = self.fresh(v, new)
                self.events.append(("try", s, d, v, len(new), len(fresh)))
                if not self.graph[v].closes(new):
                    break
                self.events.append(("refuse", s, d, v, len(self.events)))
            else:
                v, self.need = self.need, self.need + 1
                self.count.append(0)
                self.graph.append(Dependencies())
                self.graph[v].add(new)
                self.opened.add((s, d))
                fresh = self.fresh(v, new)
                self.events.append(("open", s, d, v))
            self.bring(v, (s, d), new)
            self.events.append(("accept", s, d, v, len(new), fresh))
            self.first[s, d] = v
            self.count[v] += 2
        self.before = list(self.count)
        self.all_dependencies = sum(len(x) for g in self.graph for x in g.after.values())

    def balance(self, rand):
        self.layer = dict(self.first)
        self.events.append(("note",))
        if self.need < 2:
            return
        self.events.append(("phase",))
        n, count, flagged = self.n, self.count, set()
        mx, mn, trials = 0, self.need - 1, count[0]
        while True:
            src, dst = next(rand) % n, next(rand) % n
            met = next((p for i in range(n) for j in range(n) for p in [((src + i) % n, (dst + j) % n)]
                        if self.layer.get(tuple(sorted(p))) == mx and tuple(sorted(p)) not in flagged), None)
            if met is None:
                raise RuntimeError("OpenSM would not end")
            pair, before = tuple(sorted(met)), self.layer[tuple(sorted(met))]
            if self.graph[mn].closes(self.dependencies(*pair)):
                flagged.add(pair)
                trials -= 2
            else:
                self.layer[pair] = mn
                count[mx] -= 2
                count[mn] += 2
                self.bring(mn, pair, self.dependencies(*pair))
            self.events.append(("turn", src, dst, met, before, mn, self.layer[pair] == mn, count[mx], count[mn], trials // 2, len(self.events)))
            stop = not trials or count[mx] - count[mn] < 6
            was = mn, mx
            few = [c for c in count if c < 9999]
            mn, mx = count.index(min(few)) if few else mn, count.index(max(count))
            if mn != was[0]:
                trials = count[mx]
                flagged -= {p for p in flagged if self.layer[p] == mx}
            if mx != was[1]:
                trials = count[mx]
                flagged -= {p for p in flagged if self.layer[p] == was[1]}
            if stop:
                break
        self.events.append(("note",))

    def fresh(self, layer, new):
        return [d for d in new if (layer, d) not in self.holder]

    def bring(self, layer, pair, new):
        for d in new:
            self.holder.setdefault((layer, d), (pair, len(self.events)))

    def tables(self):
        self.table, cursor = {}, {}
        self.events.append(("phase",))
        for u, s in enumerate(self.names):
            for lid in sorted(self.target):
                at, port = self.target[lid]
                if at == s:
                    self.table[s, lid] = port
                elif self.out[u][self.id[at]] is not None:
                    e = self.out[u][self.id[at]]
                    ports = self.entries[u][e][1]
                    turn = cursor.get((u, e), 0)
                    self.table[s, lid] = ports[turn]
                    if self.turning:
                        cursor[u, e] = (turn + 1) % len(ports)
                self.events.append(("choice", s, lid))
            self.events.append(("table", s))
        self.events.append(("done",))

    # --- what is told of an entry

    def hops(self, u, e, d):
        """By a link as the switch there goes on; None: it comes back."""
        at, n = self.entries[u][e][0], 1
        while at not in (d, u):
            at, n = self.entries[at][self.out[at][d]][0], n + 1
        return n if at == d else None

    def columns(self, sw, lid):
        u, d = self.id[sw], self.id[self.target[lid][0]]
        told = {}
        for e, (_, ports) in enumerate(self.entries[u] if u != d else ()):
            hops = self.hops(u, e, d)
            for i, p in enumerate(ports):
                told[p] = {"link": e + 1, "cable": i + 1}
                if hops is not None:
                    told[p]["hops"] = hops
        return told

    def short_rule(self, sw, lid):
        return "own port" if self.target[lid][0] == sw else "breadth-first tree"

    def cables(self, u, e, port):
        ports = self.entries[u][e][1]
        if len(ports) < 2:
            return ""
        if self.turning:
            return " %d cables lead there; routes take them in turn, this route takes number %d." % (len(ports), ports.index(port) + 1)
        return " %d cables lead there; lash always takes the first, port %d." % (len(ports), ports[0])

    def reason(self, sw, lid, via):
        target, own = self.target[lid][0], self.table.get((sw, lid))
        via = None if via == own else via
        there = at_the_end(self.links[sw], sw, lid, target, own, via)
        if there:
            return there
        u, d = self.id[sw], self.id[target]
        mine, rival = self.out[u][d], None
        if via is not None:
            rival = next(e for e, (_, ports) in enumerate(self.entries[u]) if via in ports)
            shortest = self.shortest(u, rival, d)
            if rival == mine:
                return "cable", re.escape("Port %d is a cable to the same neighbour.%s" % (via, self.cables(u, mine, own)))
            if shortest is None:
                return "no way", re.escape("No cables lead there from %s but back through %s." % (self.links[sw][via][0], sw))
            if self.hops(u, rival, d) != self.hops(u, mine, d):
                return "longer", re.escape("Port %d leads there in %s, port %d in %d." % (
                    via, plural(shortest, "hop"), own, self.hops(u, mine, d)))
        hops = self.hops(u, mine, d)
        every = {e: self.hops(u, e, d) for e in range(len(self.entries[u]))}
        equal = [e for e in every if every[e] == hops and e != mine]
        name = lambda e: self.names[self.entries[u][e][0]]
        if equal:
            rival = equal[0] if rival is None else rival
            rule, text = "tree", ("%d neighbours lead there in %s; the breadth-first tree of %s, the first in which %s is above %s, passes "
                                  "%s (link %d of %s), not %s (link %d)." % (
                                      len(equal) + 1, plural(hops, "hop"), self.names[self.root[u][d]], sw, target, name(mine),
                                      mine + 1, sw, name(rival), rival + 1))
        elif len(self.entries[u][mine][1]) > 1:
            rule, text = "cable", "%s alone leads there in %s." % (name(mine), plural(hops, "hop"))
        else:
            rule, text = "only way", "Port %d alone leads there in %s" % (own, plural(hops, "hop"))
            others = [e for e in every if e != mine and every[e] is not None]
            if others:
                second = min(others, key=lambda e: every[e])
                text += "; by port %d it would be %d" % (self.entries[u][second][1][0], every[second])
            text += "."
        return rule, re.escape(text + self.cables(u, mine, own))

    def shortest(self, u, e, d):
        """By a link and never back."""
        far, queue = {self.entries[u][e][0]: 1}, [self.entries[u][e][0]]
        for at in queue:
            for v, _ in self.entries[at]:
                if v != u and v not in far:
                    far[v] = far[at] + 1
                    queue.append(v)
        return far.get(d)

    # --- steps of a recording: (kind, what is wrong with the sentence) of the step of a number, from 1

    def sort_of(self, event):
        return "stayed" if event[0] == "turn" and not event[6] else event[0]

    def step(self, number, sentence):
        kind, *rest = self.events[number - 1]
        if kind in ("measure", "class", "axis", "coordinate", "number"):
            want = re.escape(getattr(self.mesh, "say_" + kind)(self.net.order, *rest))
        elif kind in ("refuse", "turn"):
            return kind, getattr(self, "judge_" + kind)(sentence, *rest)
        else:
            want = getattr(self, "say_" + kind, lambda *_: ".*")(*rest)
        return kind, None if re.fullmatch(want, sentence) else want

    def ends(self, s, d):
        return "%s - %s" % (self.names[s], self.names[d])

    def say_tree(self, r, n):
        return re.escape("the tree of %s sets %s that no tree set before" % (self.names[r], plural(n, "route")))

    def brings(self, n, fresh):
        return "brings %s, %d of them new" % (plural(n, "dependency"), fresh) if n else "one cable each way, so no dependency"

    def say_try(self, s, d, v, n, fresh):
        return re.escape("%s at layer %d: %s" % (self.ends(s, d), v, self.brings(n, fresh)))

    def say_open(self, s, d, v):
        return re.escape("%s: opens layer %d" % (self.ends(s, d), v))

    def say_accept(self, s, d, v, n, fresh):
        text = "%s: put in layer %d: " % (self.ends(s, d), v)
        if n and not fresh:
            text += "brings %s, %s there already" % (plural(n, "dependency"), "it is" if n == 1 else "all")
        elif n and len(fresh) <= 4:
            told = ["%s-%s-%s" % (self.names[a], self.names[b], self.names[c]) for (a, b), (_, c) in fresh]
            text += "adds " + " and ".join([", ".join(told[:-1])] * (len(told) > 1) + told[-1:])
            text += "; %s there already" % ("one more is" if n - len(fresh) == 1 else "the others are") if n > len(fresh) else ""
        else:
            text += self.brings(n, len(fresh))
        return re.escape(text)

    def say_choice(self, sw, lid):
        rule = self.reason(sw, lid, None)[0]
        return r"%s LID %d \(\S+\) -> port %d: %s" % (re.escape(sw), lid, self.table[sw, lid], "breadth-first tree" if rule == "tree" else rule)

    def say_table(self, sw):
        return re.escape(sw + ": table finished")

    def cycle(self, told, layer, pair, when):
        """What is wrong with "it would close the cycle ...": each edge is the pair's own, or of who brought it first."""
        found = re.fullmatch(r"it would close the cycle (.+?); (.+)", told)
        if not found:
            return "no cycle: " + told
        names = found[1].split(" -> ")
        ids = [self.id[s] for s in names[:-1]]
        k, own, words, held = len(ids), self.dependencies(*pair), [], False
        if names[0] != names[-1] or k < 3:
            return "the cycle does not close"
        for i in range(k):
            a, b, c = (ids[(i + j) % k] for j in range(3))
            who, since = self.holder.get((layer, ((a, b), (b, c))), (None, 0))
            text = "-".join(self.names[x] for x in (a, b, c))
            if who and who != pair and since < when:
                words.append("%s %s%s" % (text, "by " if held else "held by ", self.ends(*who)))
                held = True
            elif ((a, b), (b, c)) in own:
                words.append(text + " is new")
            else:
                return "nobody has " + text
        new = sum(w.endswith(" is new") for w in words)
        want = ", ".join(words[:12]) + (" and %d more" % (k - 12) if k > 12 else "")
        return None if new and found[2] == want else "expected is " + want

    def judge_refuse(self, sentence, s, d, v, when):
        head = "%s: not in layer %d: " % (self.ends(s, d), v)
        return self.cycle(sentence[len(head):], v, (s, d), when) if sentence.startswith(head) else head

    def judge_turn(self, sentence, src, dst, met, before, to, moved, many, few, refusals, when):
        head = "random %s, %s: first movable pair %s: " % (self.names[src], self.names[dst], self.ends(*met))
        if moved:
            want = head + "moved from layer %d to layer %d: %d and %d pairs now (ends when they differ by less than 6)" % (before, to, many, few)
            return None if sentence == want else want
        head += "stays in layer %d, as in layer %d " % (before, to)
        tail = ": %d and %d pairs still (ends when they differ by less than 6, or after %s)" % (many, few, plural(refusals, "more refusal"))
        if not sentence.startswith(head) or not sentence.endswith(tail):
            return head + "..." + tail
        return self.cycle(sentence[len(head):-len(tail)], to, tuple(sorted(met)), when)

    # --- what is told of a pair

    def in_layer(self, layer, pair):
        """Routes that were in a layer when the pair's turn came, in their order: (from, to)."""
        return [way for p in sorted(self.first) if p < pair and self.first[p] == layer for way in (p, p[::-1])]

    def witness(self, layer, pair, line):
        """A line that tells a cycle: what is wrong with it, and the line that must follow."""
        words = line.strip().split(" -> ")
        steps = [re.fullmatch(r"(.+)\[(\d+)\]", w) for w in words[:-1]]
        if len(words) < 3 or not all(steps):
            return "no cycle: %s" % line, None
        cycle = [(m[1], int(m[2])) for m in steps]
        names = [c[0] for c in cycle]
        if words[-1] != names[0]:
            return "the cycle ends at %s" % words[-1], None
        for (a, p), b in zip(cycle, names[1:] + names[:1]):
            if self.links[a].get(p, (None,))[0] != b or p not in self.entries[self.id[a]][[v for v, _ in self.entries[self.id[a]]].index(self.id[b])][1]:
                return "no cable %s[%d] to %s" % (a, p, b), None
        ids = [self.id[s] for s in names]
        k = len(ids)
        edges = [((ids[i], ids[(i + 1) % k]), (ids[(i + 1) % k], ids[(i + 2) % k])) for i in range(k)]
        own, holders = set(self.dependencies(*pair)), {e: [] for e in edges}
        for a, b in self.in_layer(layer, pair):
            way = self.route(a, b)
            for e in zip(way, way[1:]):
                if e in holders:
                    holders[e].append((a, b))
        told, any_held = [], False
        for i, e in enumerate(edges):
            text = "-".join(names[(i + j) % k] for j in range(3))
            if holders[e]:
                a, b = holders[e][0]
                more = len(holders[e]) - 1
                told.append("%s %sby %s, %s%s" % (text, "" if any_held else "held ", self.names[a], self.names[b],
                                                " and %d more" % more if more else ""))
                any_held = True
            elif e in own:
                told.append(text + " is new")
            else:
                return "nobody has %s" % text, None
        if all(holders.values()):
            return "the cycle was there before", None
        return None, "  " + "; ".join(told) + "."

    def rare(self, pair):
        a, b = sorted((self.id[pair[0]], self.id[self.target[pair[1]][0]]))
        return self.first.get((a, b), 0) > 0

    def pair(self, a, lid, text):
        """What is wrong with the words on the layer; (rule, sentence) of it, whether it mattered, first and last SL."""
        b = self.target[lid][0]
        now = 0 if a == b else self.layer[tuple(sorted((self.id[a], self.id[b])))]
        return (*self.judged(a, b, text), (now, now))

    def judged(self, a, b, text):
        if a == b:
            want = ["Both are on one switch: no layer is needed, the SL is that of layer 0."]
            return (None if text.splitlines() == want else "told is %s" % text), ("same switch", "Both are on one switch, so no layer is needed: SL 0."), False
        pair = tuple(sorted((self.id[a], self.id[b])))
        first, now, lines = self.first[pair], self.layer[pair], text.splitlines()
        want = ["The pair %s, %s was put in layer %d%s" % (a, b, first, "." if first else ", the lowest.")]
        if first:
            want.append("Its turn was number %d of %d." % (sorted(self.first).index(pair) + 1, self.n * (self.n - 1) // 2))
        for v in range(first):
            want.append("Not in layer %d: that would have closed the cycle" % v)
            at = len(want)
            wrong, holders = self.witness(v, pair, lines[at]) if at < len(lines) else ("no cycle is told", None)
            if wrong:
                return wrong, None, True
            want += [lines[at], holders]
        if now != first:
            want.append("Balancing moved it to layer %d." % now)
        if lines != want:
            return "expected is %s" % "\n    ".join(want), None, True
        ends = "%s, %s" % (a, b)
        if now != first:
            decided = "moved", "Layer %d took the pair %s; balancing moved it to layer %d, SL %d." % (first, ends, now, now)
        elif not first:
            decided = "lowest", "Layer 0 took the pair %s: SL 0." % ends
        elif pair in self.opened:
            decided = "opened", "No layer took the pair %s, so layer %d was opened for it; balancing left it there: SL %d." % (ends, first, first)
        else:
            decided = "refused", ("Every layer below %d refused the pair %s, as it would have closed a cycle there: SL %d." % (first, ends, first))
        return None, decided, now != first or first > 0

    def asked(self, dice, qos):
        told = asked_pairs(self, dice, PAIRS)
        told.append(("layers", lambda o: [("used", o["used"], self.need), ("explained", o["explained"],
                                           re.fullmatch(self.explained(), o["explained"]) and o["explained"])]))
        if qos:
            told.append(("list layers", lambda o: [("rows", picked(o, self.told_layers()), self.told_layers())]))
        for t in range(self.need):
            want = sorted((*sorted((self.names[a], self.names[b])), len(self.route(a, b)), self.first[a, b]) for (a, b), v in self.layer.items() if v == t)
            told.append(("list layer-pairs %d" % t, lambda o, want=want: [
                ("rows", sorted((*sorted((r["switch"], r["and switch"])), r["hops"], r["first"]) for r in o["rows"]), want)]))
        if self.mesh:
            told.append(("list mesh", lambda o: [
                ("rows", {r["switch"]: (r["at"], r["ports by axis"], r["type"]) for r in o["rows"]}, self.mesh.told(self.net.order)),
                ("title", o["title"], self.mesh.title())]))
        return told

    def explained(self):
        text = "Ordered pairs of switches per layer, as they were put there: " + ", ".join(map(str, self.before))
        if self.need > 1:
            text += ".\nAfter balancing: " + ", ".join(map(str, self.count))
        text += ".\n%s; " % plural(self.all_dependencies, "dependency")
        return re.escape(text) + r"\d+ searches for cycles(, those of unchanged routes kept their order and cycles)?\.\n"

    def told_layers(self):
        return [{"layer": v, "VL": v, "pairs": n, "before": before, "moved": n - before} for v, (n, before) in enumerate(zip(self.count, self.before))]


def plural(n, word):
    words = "dependencies" if word == "dependency" else word + "s"
    return "%d %s" % (n, word if n == 1 else words)
