"""SSSP and DFSSSP once more, from engines/doc/dfsssp.md alone: sections 3 to 7, with OpenSM's heap in every move.

Of a run this has the table, and for each entry what there was to choose of at that moment: distance, weight, hops and
turn in the heap of every port, and so the sentence that `why` must end on.  Of the layers of dfsssp it has each search,
each cycle with the pairs left on its edges, each cut and whom it moved.  It says what is to be expected; who asks compares.
"""
import re

FAR = 2 ** 31 - 1
LANES = 8           # of ports that OpenSM meets for the first time over ibsim, and later


class Heap:
    """engines/doc/dfsssp.md 5.2."""

    def __init__(self):
        self.key, self.who, self.at = {}, [], {}

    def put(self, i, e):
        self.who[i], self.at[e] = e, i

    def up(self, i, e):
        while i and self.key[e] < self.key[self.who[(i - 1) // 4]]:
            self.put(i, self.who[(i - 1) // 4])
            i = (i - 1) // 4
        self.put(i, e)

    def down(self, i, e):
        while 4 * i + 1 < len(self.who):
            c = 4 * i + 1
            for k in range(4 * i + 2, min(4 * i + 5, len(self.who))):
                if self.key[self.who[k]] <= self.key[self.who[c]]:
                    c = k
            if self.key[e] <= self.key[self.who[c]]:
                break
            self.put(i, self.who[c])
            i = c
        self.put(i, e)

    def insert(self, e, key):
        self.key[e] = key
        self.who.append(e)
        self.up(len(self.who) - 1, e)

    def change(self, e, key):
        old, self.key[e] = self.key[e], key
        if key < old:
            self.up(self.at[e], e)
        elif key > old:
            self.down(self.at[e], e)

    def pop(self):
        first, last = self.who[0], self.who.pop()
        if self.who:
            self.down(0, last)
        return first


class Search:
    """From a destination outwards: distance, hops and the port by which each sends, in the order in which they left the heap."""

    def __init__(self, order, links, weight, target, host):
        heap, self.dist, self.out, self.hops, self.turn = Heap(), {}, {}, {target: 0}, {}
        self.events = []        # as they come: ("choice", switch), ("relax", switch, port, distance now, distance before)
        done = {target}
        for v in order:
            self.dist[v] = FAR
            heap.insert(v, FAR)
        if host:        # the port of the host is vertex 0, its cable weighs 1
            heap.insert(None, FAR)
            heap.change(None, 0)
            heap.pop()
            self.dist[target] = 1
            heap.change(target, 1)
        else:
            self.dist[target] = 0
            heap.change(target, 0)
        while heap.who:
            u = heap.pop()
            done.add(u)
            if self.dist[u] >= FAR:
                continue
            self.turn[u] = len(self.turn) + 1
            self.events.append(("choice", u))
            if u in self.out:
                self.hops[u] = self.hops[links[u][self.out[u]][0]] + 1
            for p in sorted(links[u]):
                v, q = links[u][p]
                if v not in done and self.dist[u] + weight[v, q] < self.dist[v]:
                    self.events.append(("relax", v, q, self.dist[u] + weight[v, q], self.dist[v]))
                    self.dist[v], self.out[v] = self.dist[u] + weight[v, q], q
                    heap.change(v, self.dist[v])

    def over(self, links, u, v):
        """Does the way of u lead over v?"""
        while u != v and u in self.out:
            u = links[u][self.out[u]][0]
        return u == v


def at_the_end(links, sw, lid, target, own, via):
    """(rule, regular expression of the sentence) where nothing is to be chosen: on the destination's switch, or by a port without one."""
    if via is not None and via not in links:
        return "no switch", r"\S+ is no switch and forwards nothing\."
    if sw != target:
        return None
    if via is not None:
        return "detour", r"\S+ is on %s itself\." % re.escape(sw)
    if own:
        return "attached here", r"\S+ hangs on port %d of %s\." % (own, re.escape(sw))
    return "own LID", r"%s has LID %d itself: port 0\." % (re.escape(sw), lid)


class Run:
    """All destinations in turn.  ends: (LID, switch, port, host?) as reasons.State has them."""

    def __init__(self, net, links, ends, lmc, layered):
        self.net, self.links = net, {s: {p: o for p, o in links[s].items() if o[0] != s} for s in links}
        self.own = dict.fromkeys(net.order, 1)      # LIDs of a switch and of what hangs on it
        for _, s, _, host in ends:
            self.own[s] += (1 << lmc) * host
        turn = {s: i for i, s in enumerate(sorted(net.order, key=lambda s: -self.own[s]))}
        self.ends = sorted(ends, key=lambda e: (not e[3], turn[e[1]], e[2]))
        self.lids = [(lid, s, p, host) for base, s, p, host in self.ends for lid in range(base, base + (1 << lmc if host else 1))]
        self.target = {lid: (s, p) for lid, s, p, _ in self.lids}
        self.base = lambda lid: max(e[0] for e in self.ends if e[0] <= lid)
        self.start = len(self.lids) ** 2
        self.weight = {(s, p): self.start for s in self.links for p in self.links[s]}
        self.table, self.offers, self.events = {}, {}, [("phase",), ("note",), ("trial",), ("phase",), ("note",), ("phase",)]
        for lid, s, p, host in self.lids:
            self.route(lid, s, p, host)
        self.events.append(("note",))
        self.layers = Layers(self, lmc) if layered else None
        self.events += (self.layers.events if layered else []) + [("done",)]

    def route(self, lid, target, port, host):
        search, before = Search(self.net.order, self.links, self.weight, target, host), dict(self.weight)
        self.table[target, lid] = port
        load = dict(self.own)
        for v in self.net.order:
            if v == target:
                continue
            if v in search.out:
                self.table[v, lid] = search.out[v]
            self.offers[v, lid] = {
                p: (search.dist[u] + self.weight[v, p] if u in search.turn and not search.over(self.links, u, v) else None,
                    self.weight[v, p], search.hops.get(u, 0) + 1, search.turn.get(u)) for p, (u, _) in self.links[v].items()}
        for v in sorted(search.turn, key=lambda v: -search.turn[v]):
            if v in search.out:
                self.weight[v, search.out[v]] += load[v]
                load[self.links[v][search.out[v]][0]] += load[v]
        gains = [((v, search.out[v]), self.weight[v, search.out[v]] - before[v, search.out[v]]) for v in search.turn if v in search.out]
        most = max(gains, key=lambda g: g[1], default=None)
        self.events += [("target", lid), *((kind, lid, *rest) for kind, *rest in search.events),
                        ("weights", lid, len(gains), most, most and self.weight[most[0]])]

    # --- what is told of an entry

    def columns(self, sw, lid):
        """Port -> figures of the candidates."""
        told = {}
        for p, (dist, weight, hops, turn) in self.offers.get((sw, lid), {}).items():
            told[p] = {"weight": weight}
            if dist is not None:
                told[p].update({"distance": dist, "hops": hops, "heap order": turn})
        return told

    def reason(self, sw, lid, via):
        """(rule, regular expression of the sentence) of an entry, or against a port."""
        target, own = self.target[lid][0], self.table.get((sw, lid))
        if via == own:
            via = None
        there = at_the_end(self.links[sw], sw, lid, target, own, via)
        if there:
            return there
        offers = {p: o for p, o in sorted(self.offers[sw, lid].items()) if o[0] is not None}
        if via is not None and via not in offers:
            name = self.links[sw][via][0]
            if not self.leads(sw, via, target):
                return "no way", re.escape("No cables lead there from %s but back through %s." % (name, sw))
            return "shortest", re.escape("The way of %s leads over %s itself, so port %d offers none." % (name, sw, via))
        rest = {via: offers[via]} if via is not None else {p: o for p, o in offers.items() if p != own}
        return self.compared(sw, own, offers[own], rest)

    def leads(self, sw, port, target):
        seen = [self.links[sw][port][0]]
        for at in seen:
            seen += {n for n, _ in self.links[at].values()} - set(seen) - {sw}
        return target in seen

    def compared(self, sw, own, mine, rest):
        dist, _, hops, turn = mine
        text = "Distance %d = %d x %d + %d; " % (dist, hops, self.start, dist - hops * self.start)
        if not rest:
            return "shortest", re.escape(text + "no other port offers a way.")
        near = min(rest, key=lambda p: rest[p][0])
        few = min(rest, key=lambda p: rest[p][2])
        if rest[near][0] < dist:
            return "none", "port %d is nearer" % near
        if rest[near][0] == dist:
            next_to = self.links[sw][own][0]
            if self.links[sw][near][0] == next_to:
                if self.links[sw][near][1] < self.links[sw][own][1]:
                    return "none", "port %d ends at a lower port" % near
                return "tie", re.escape("Ports %d and %d lead to the same switch at distance %d; the lower port number at its end "
                                        "is taken." % (own, near, dist))
            if rest[near][3] < turn:
                return "none", "%s left the heap first" % self.links[sw][near][0]
            return "tie", re.escape("Ports %d and %d have distance %d; %s left the heap first." % (own, near, dist, next_to))
        if rest[few][2] < hops:
            return "longer but lighter", re.escape(text + "port %d has %d fewer channels on the way, but distance %d." % (
                few, hops - rest[few][2], rest[few][0]))
        return "shortest", re.escape(text + "port %d has %d." % (near, rest[near][0]))

    def short_rule(self, sw, lid):
        """What a choice is called where its candidates are listed."""
        target, own = self.target[lid][0], self.table[sw, lid]
        if sw == target:
            return "attached here" if own else "own port"
        offers = self.offers[sw, lid]
        if len(offers) == 1:
            return "only way"
        ties = [p for p, o in offers.items() if p != own and o[0] == offers[own][0]]
        if any(self.links[sw][p][0] != self.links[sw][own][0] for p in ties):
            return "first of equals"
        return "lowest far port" if ties else "least distance"


    # --- what is asked beside entries: (command, what is told of it and what is expected)

    def asked(self, dice, qos):
        told = [("list weights", self.weights)] + asked_pairs(self, dice, PAIRS)
        x = self.layers
        if not x:
            return told
        told += [("layers", lambda o: [("available", o["available"], LANES), ("used", o["used"], x.need),
                                       ("explained", o["explained"], re.fullmatch(x.explained(), o["explained"]) and o["explained"])]),
                 ("list cuts", lambda o: [("rows", picked(o, x.told_cuts()), x.told_cuts())])]
        if qos:
            told.append(("list layers", lambda o: [("rows", picked(o, x.told_layers()), x.told_layers())]))
        for t in range(x.need):
            told.append(("list layer-pairs %d" % t, lambda o, t=t: [
                ("rows", sorted((r["CAs of"], r["LID"], r["hops"]) for r in o["rows"]),
                 sorted((*pair, len(x.way[pair])) for pair, layer in x.layer.items() if layer == t))]))
        for number in dice.sample(range(len(x.cuts)), min(2, len(x.cuts))):
            told.append(("list moved %d %d" % x.cuts[number][:2], lambda o, number=number: [
                ("rows", sorted((r["CAs of"], r["LID"], r["pairs"], r["hops"], r["layer now"]) for r in o["rows"]), x.told_moved(number))]))
        return told

    # --- steps of a recording: (kind, what is wrong with the sentence) of the step of a number, from 1

    def sort_of(self, event):
        return event[0]

    def step(self, number, sentence):
        kind, *rest = self.events[number - 1]
        want = getattr(self, "say_" + kind, lambda *_: ".*")(*rest)
        return kind, None if re.fullmatch(want, sentence) else want

    def say_target(self, lid):
        ends = [e[1:3] for e in self.ends]
        at = self.target[lid]
        return r"LID %d \(\S+\) on %s: destination %d of %d, a %s" % (lid, re.escape(at[0]), ends.index(at) + 1, len(ends),
                                                                     "host" if at[1] else "switch")

    def say_choice(self, lid, sw):
        port, head = self.table[sw, lid], r"%s LID %d \(\S+\) -> port %d" % (re.escape(sw), lid, self.table[sw, lid])
        if sw == self.target[lid][0]:
            return head + (": attached here" if port else ": own LID")
        offers = {p: o for p, o in sorted(self.offers[sw, lid].items()) if o[0] is not None}
        rule, (dist, _, hops, _), next_to = self.reason(sw, lid, None)[0], offers[port], self.links[sw][port][0]
        text = ", to %s: %s" % (next_to, rule)
        if rule == "tie":
            rival = min((p for p in offers if p != port), key=lambda p: offers[p][0])
            text += ": port %d leads there as well, to a higher port" % rival if self.links[sw][rival][0] == next_to else (
                ": port %d is as far, but %s left the heap first" % (rival, next_to))
        elif rule == "longer but lighter":
            text += ": the ways with fewer hops are heavier"
        return head + re.escape(text + "; it leaves the heap at distance %d = %d x %d + %d" % (dist, hops, self.start, dist - hops * self.start))

    def say_relax(self, _, sw, port, now, was):
        return re.escape("%s is %d away by port %d to %s, %s" % (
            sw, now, port, self.links[sw][port][0], "less than the %d known before" % was if was < FAR else "and was not reached before"))

    def say_weights(self, lid, n, most, now):
        text = " make %s heavier" % counted(n, "channel")
        if n:
            text += ", %s[%d] most: by %d to %d" % (*most[0], most[1], now)
        return r"the routes to LID %d \(\S+\)" % lid + re.escape(text)

    def say_paths(self, pairs, channels, deps):
        return "all %s of LIDs begin in layer 0: %s, %d dependenc%s" % (counted(pairs, "pair"), counted(channels, "channel"), deps, "y" if deps == 1 else "ies")

    def say_break(self, number):
        t, cycle, channels, left, at, moved, skipped, _ = self.layers.cuts[number]
        more = len(channels) > 12
        text = "cycle %d of layer %d: " % (cycle, t) + "".join("%s -> " % c[0] for c in channels[:12]) + ("... -> " if more else "") + channels[0][0]
        text += ": %s with %s%s pairs" % (counted(len(channels), "edge"), ", ".join(map(str, left[:12])), ", ..." if more else "")
        text += "; dfsssp cuts the first with %d, %s[%d] -> %s[%d]: %s go%s to layer %d" % (
            left[at], *channels[at], *channels[(at + 1) % len(channels)], counted(moved, "pair"), "es" if moved == 1 else "", t + 1)
        return re.escape(text + (", %d went before" % skipped if skipped else ""))

    def say_open(self, s, lid, layer):
        return re.escape("%s - %s: opens layer %d" % (s, self.target[lid][0], layer))

    def say_move(self, s, lid, layer, cycle):
        return re.escape("%s - %s: %s of the hosts there" % (s, self.target[lid][0], counted(self.layers.hosts[s], "LID"))) + (
            r" to LID %d \(\S+\): moved from layer %d to layer %d by the cut of cycle %d" % (lid, layer, layer + 1, cycle))

    def say_search(self, layer, cuts, stay):
        return "layer %d has no cycle%s: %s stay" % (layer, " left after " + counted(cuts, "cut") if cuts else "", counted(stay, "pair"))

    def say_split(self, layer, pairs, lanes):
        return "layer %d has the most pairs a lane, %d on %s: it gets a %s lane" % (
            layer, pairs, counted(lanes, "lane"), ["", "second", "third", "fourth", "fifth", "sixth", "seventh", "8th"][lanes])

    def say_shift(self, layer):
        x = self.layers
        return "layer %d, %s, has %s%s" % (layer, counted(x.count[layer], "pair"), x.sls(layer),
                                           ": OpenSM draws one for each query" if x.first[layer] < x.last[layer] else "")

    def weights(self, answer):
        told = {(r["about"]["name"], r["about"]["port"]): (r["weight"], r["growth"]) for r in answer["rows"]}
        return [("weights", told, {c: (n, n - self.start) for c, n in self.weight.items()})]

    def rare(self, pair):
        return bool(self.layers) and self.layers.layer.get(pair, 0) > 0

    def pair(self, s, lid, text):
        """What is wrong with the words on the layer; (rule, sentence) of it, whether it mattered, first and last SL."""
        if not self.layers:
            want = "SL 0, VL 0: sssp leaves SLs to partitions and QoS.\n"
            return None if text == want else "expected is " + want, None, False, (0, 0)
        want, decided, layer = self.layers.pair(s, lid)
        decided = decided or ("first", "Layer 0, where all routes begin; no cut moved this one: SL %d." % self.layers.first[0])
        return None if text == want else "expected is " + want, decided, layer > 0, (self.layers.first[layer], self.layers.last[layer])


def counted(n, word):
    return "%d %s%s" % (n, word, "" if n == 1 else "s")


def picked(answer, like):
    keys = like[0] if like else ()
    return [{k: r[k] for k in keys} for r in answer["rows"]]


PAIRS = 10      # of each state
FORCED = ("attached here", "own LID", "only way")


def asked_pairs(run, dice, n):
    """`why A B` of some pairs of hosts, those first that a layer refused or a cut moved."""
    hosts = [(lid, s) for lid, (s, p) in run.target.items() if p]
    pairs = [(a, s, lid) for a, s in hosts for lid, _ in hosts if run.base(a) != run.base(lid)]
    rare = [p for p in pairs if run.rare((p[1], p[2]))]
    rare = dice.sample(rare, min(n // 2, len(rare)))
    return [("why %d %d" % (a, lid), lambda o, s=s, lid=lid: judge_pair(run, s, lid, o))
            for a, s, lid in rare + dice.sample(pairs, min(n - len(rare), len(pairs)))]


def judge_pair(run, s, lid, answer):
    told, at, path, decided = answer["pair"], s, [], None
    while at is not None:
        rule, sentence = run.reason(at, lid, None)
        port = run.table[at, lid]
        path.append((at, port, rule, sentence))
        if decided is None and rule not in FORCED:
            decided = at, rule, sentence
        at = None if at == run.target[lid][0] else run.links[at][port][0]
    yield "path", [(h["switch"], h["port"], h["rule"]) for h in told["path"]], [h[:3] for h in path]
    for h, (at, _, _, sentence) in zip(told["path"], path):
        yield "reason at " + at, h["decided"], h["decided"] if re.fullmatch(sentence, h["decided"]) else sentence
    yield "lengths", (told["hops"], told["links"]), (len(path) - 1, len(path) + 1)
    wrong, layer, mattered, sls = run.pair(s, lid, told["text"])
    yield "layer", told["text"], told["text"] if not wrong else wrong
    yield "SLs", (told["sl_min"], told["sl_max"]), sls
    if mattered or decided is None and layer and layer[0] != "same switch":
        yield "decided", (answer["rule"], answer["decided"]), layer
    elif decided:
        want = "At %s: %s" % (re.escape(decided[0]), decided[2])
        yield "decided", (answer["rule"], answer["decided"]), (decided[1], answer["decided"] if re.fullmatch(want, answer["decided"]) else want)
    else:
        yield "decided", (answer["rule"], answer["decided"]), (told["path"][0]["rule"], told["path"][0]["decided"])


# --- layers

class Edge:
    def __init__(self, to):
        self.to, self.pairs, self.gone = to, [], 0

    def left(self, weigh):
        return sum(weigh(p) for p in self.pairs) - self.gone


class Graph:
    """Channel dependencies of a layer, 6.4: a plain search tree of channels, edges in the order in which they came."""

    def __init__(self, key, weigh):
        self.key, self.weigh = key, weigh
        self.root, self.side, self.edges = None, {}, {}
        self.colour, self.back = {}, {}

    def channel(self, c):
        if c in self.edges:
            return
        self.edges[c], self.side[c], self.colour[c] = [], [None, None], "white"
        at = self.root
        while at:
            right = self.key(c) > self.key(at)
            if self.side[at][right] is None:
                self.side[at][right] = c
                return
            at = self.side[at][right]
        self.root = c

    def add(self, pair, way):
        for c in way[:1]:
            self.channel(c)
        for c, d in zip(way, way[1:]):
            self.channel(d)
            edge = next((e for e in self.edges[c] if e.to == d), None)
            if edge is None:
                edge = Edge(d)
                self.edges[c].append(edge)
            edge.pairs.append(pair)

    def remove(self, pair, way):
        for c, d in zip(way, way[1:]):
            for e in self.edges[c]:
                if e.to == d:
                    e.gone += self.weigh(pair)

    def preorder(self):
        stack = [self.root]
        while stack:
            c = stack.pop()
            if c is not None:
                yield c
                stack += self.side[c][::-1]

    def search(self, cur):
        """6.5: the channel at which a cycle closes, or None."""
        while cur is not None:
            self.colour[cur], onward = "grey", None
            for e in self.edges[cur]:
                if self.colour[e.to] == "grey":
                    return e.to
                if self.colour[e.to] == "white":
                    onward = e.to
                    break
            if onward is not None:
                self.back[onward] = cur
                cur = onward
                continue
            self.colour[cur] = "black"
            for e in self.edges[cur]:
                e.pairs, e.gone = [], 0
            cur = self.back.pop(cur, None) or next((c for c in self.preorder() if self.colour[c] == "white"), None)
        return None

    def cycle(self, start):
        """6.6: its channels from where it closed, and the edge of each; all of them are white again."""
        channels, edges, at = [], [], start
        while not channels or at != start:
            if channels:
                self.colour[at] = "white"
            edge = next(e for e in self.edges[at] if self.colour[e.to] == "grey")
            channels.append(at)
            edges.append(edge)
            at = edge.to
        self.colour[start] = "white"
        return channels, edges


class Layers:
    """6.2 to 6.8.  A pair is (switch of the source, LID): all host LIDs of a switch share it."""

    def __init__(self, run, lmc):
        net, self.run, self.lanes = run.net, run, LANES
        hosts = {s: sum((1 << lmc) for _, at, _, host in run.ends if host and at == s) for s in net.order}
        self.hosts = hosts
        sources = [s for s in dict.fromkeys(s for _, s, _, host in run.ends if host)]
        key = lambda c: (net.lid[c[0]], c[1])
        self.graphs = [Graph(key, self.weigh) for _ in range(LANES)]
        self.way, self.layer, self.cuts, self.moved_by = {}, {}, [], {}
        size = [1 << lmc if e[3] else 1 for e in run.ends]
        self.count = [sum(size) ** 2 - sum(n * n for n in size)] + [0] * LANES
        for base, target, _, host in run.ends:
            for s in sources:
                for lid in range(base, base + (1 << lmc if host else 1)):
                    if s != target:
                        pair = s, lid
                        self.way[pair], self.layer[pair] = self.channels(s, lid, target), 0
                        self.graphs[0].add(pair, self.way[pair])
        self.channels_at_first = len(self.graphs[0].edges)
        self.dependencies_at_first = sum(map(len, self.graphs[0].edges.values()))
        self.need, self.events = 1, [("phase",), ("paths", self.count[0], self.channels_at_first, self.dependencies_at_first)]
        for t in range(LANES - 1):
            self.clear(t)
        last = self.graphs[LANES - 1]
        if last.root and last.search(last.root) is not None:
            self.need = LANES + 1
        self.events.append(("phase",))
        self.balance()

    def weigh(self, pair):
        return self.hosts[pair[0]]

    def channels(self, s, lid, target):
        way = []
        while s != target:
            way.append((s, self.run.table[s, lid]))
            s = self.run.links[s][way[-1][1]][0]
        return way

    def clear(self, t):
        graph, number = self.graphs[t], 0
        at = graph.search(graph.root) if graph.root else None
        while at is not None:
            channels, edges = graph.cycle(at)
            left = [e.left(self.weigh) for e in edges]
            cut, number, moved, skipped = left.index(min(left)), number + 1, 0, 0
            graph.edges[channels[cut]].remove(edges[cut])
            who = []
            for pair in edges[cut].pairs:
                if self.layer[pair] != t:
                    skipped += self.weigh(pair)
                    continue
                graph.remove(pair, self.way[pair])
                self.graphs[t + 1].add(pair, self.way[pair])
                self.layer[pair] = t + 1
                self.moved_by[pair, t] = len(self.cuts)
                who.append(pair)
                moved += self.weigh(pair)
            self.count[t] -= moved
            self.count[t + 1] += moved
            self.cuts.append((t, number, channels, left, cut, moved, skipped, who))
            self.events.append(("break", len(self.cuts) - 1))
            for i, (s, lid) in enumerate(who):
                self.events += [("open", s, lid, t + 1)] * (not i and self.need < t + 2)
                self.events.append(("move", s, lid, t, number))
            self.need = max(self.need, t + 2)
            at = graph.search(at)
        if t < self.need:
            self.events.append(("search", t, number, self.count[t]))

    def balance(self):
        """6.8: the lanes of each layer, with the quirk."""
        need, width, count = self.need, [1] * self.need, self.count[:self.need]
        for _ in range(LANES - need):
            most = max(range(need), key=lambda t: (count[t] / width[t], -t))
            self.events.append(("split", most, count[most], width[most]))
            width[most] += 1
        split = width + [0] * LANES
        base = list(range(need))
        if need < LANES:
            for t in range(need - 1, 0, -1):
                base[t] = sum(split[:t])
                split[base[t]] = split[t]
                split[t] = 0
        self.events += [("shift", t) for t in range(need - 1, -1, -1)]
        self.first = base
        self.last = [b + max(split[b], 1) - 1 for b in base]
        self.idle = LANES - sum(hi - lo + 1 for lo, hi in zip(self.first, self.last)) if need < LANES else 0

    # --- what is told

    def sls(self, layer, word="SL "):
        lo, hi = self.first[layer], self.last[layer]
        return "%s%d" % (word, lo) if lo == hi else "%s%d to %d" % (word, lo, hi)

    def next_name(self, c):
        return "%s[%d] \u2192 %s" % (*c, self.run.links[c[0]][c[1]][0])

    def explained(self):
        text = r"%d of %d VLs are needed \((?P<port>\S+) has the fewest\); %s, %s in all\." % (
            self.need, LANES, "%d channels" % self.channels_at_first, "%d dependencies" % self.dependencies_at_first)
        lines = [text]
        for t in range(self.need):
            n = sum(c[0] == t for c in self.cuts)
            drawn = ", drawn at random" if self.first[t] != self.last[t] else ""
            lines.append(re.escape("Layer %d: %d ordered pairs of LIDs, %d cycle%s cut; %s%s." % (
                t, self.count[t], n, "" if n == 1 else "s", self.sls(t), drawn)))
        if self.idle:
            lines.append(re.escape("%d VL%s nothing: OpenSM 3.3.23 loses lanes given to a layer that keeps its number." % (
                self.idle, " carries" if self.idle == 1 else "s carry")))
        return "\n".join(lines) + "\n"

    def told_cuts(self):
        return [{"layer": t, "cycle": number, "channel": self.next_name(channels[cut]),
                 "next channel": self.next_name(channels[(cut + 1) % len(channels)]), "length": len(channels), "moved": moved,
                 "to": t + 1} for t, number, channels, _, cut, moved, _, _ in self.cuts]

    def told_moved(self, cut):
        return sorted((s, lid, self.weigh((s, lid)), len(self.way[s, lid]), self.layer[s, lid]) for s, lid in self.cuts[cut][7])

    def told_layers(self):
        return [{"layer": t, "VL": "%d-%d" % (lo, hi) if lo < hi else lo, "pairs": self.count[t],
                 "before": 0 if t else sum(self.count[:self.need]), "moved": self.count[t] if t else self.count[0] - sum(self.count[:self.need])}
                for t, (lo, hi) in enumerate(zip(self.first, self.last))]

    def pair(self, s, lid):
        """What `why A B` says of the layer; (rule, sentence) where the layer is what mattered."""
        lanes = lambda t: "Layer %d has %s%s.\n" % (t, self.sls(t), "" if self.first[t] == self.last[t] else
                                                   ": OpenSM draws one of them at random for each query")
        layer = self.layer.get((s, lid), 0)
        text = "All routes from the CAs of %s to LID %d are in layer %d%s" % (s, lid, layer, ".\n" if layer else ": no cut met them there.\n")
        for t in range(layer):
            _, number, channels, left, at, moved, _, _ = self.cuts[self.moved_by[(s, lid), t]]
            text += "Layer %d: cycle %d of %d channels:\n" % (t, number, len(channels))
            for i, (c, n) in enumerate(zip(channels, left)):
                text += "%s %s[%d] -> %s[%d]  %d pairs%s\n" % (">" if i == at else " ", *c, *channels[(i + 1) % len(channels)], n,
                                                             ", the fewest: cut" if i == at else "")
            text += "The cut moved %d pairs to layer %d, these among them.\n" % (moved, t + 1)
        decided = None
        if layer:
            t, number, channels, *_ = self.cuts[self.moved_by[(s, lid), layer - 1]]
            decided = "cut", ("Cut %d of layer %d took the edge with the fewest pairs out of a cycle of %d channels; this pair went to "
                              "layer %d with it: SL %d." % (number, t, len(channels), layer, self.first[layer]))
        return text + lanes(layer), decided, layer
