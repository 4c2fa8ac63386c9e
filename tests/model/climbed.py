"""Fat-tree routing by its rules (engines/doc/ftree.md, sections 2 to 11), simulated: tables, and of each entry all that
was offered to the switch, in order.  Cables, GUIDs and LIDs are read from `save -`; nothing is shared with the program.
"""
import os
import re

from engines import distances, fewest_turns, turned
from ways import expect, ways_by

NONE = 255
TRIED = 2       # numbers of reverse hops beyond the present one that are simulated
UNRANKED = 2 ** 32 - 1


class Refused(Exception):
    pass


class Group:
    """All cables of a node to one peer, seen from this node."""

    def __init__(self, sw, peer, lid):
        self.sw, self.peer, self.lid = sw, peer, lid    # peer: a switch, or a CA port
        self.links = []                                 # [port here, port there, cu, cd]
        self.cu = self.cd = 0

    def least(self, which):
        return min(self.links, key=lambda link: link[which])    # the first of these


class Seen:
    """What was offered to a switch on the way of one LID."""

    def __init__(self):
        self.offers = {}        # port -> [turn, hops as ftree counts, load]
        self.turns = self.replaced = 0
        self.taken = None       # (turn, group, link, cause, hops, after a reverse hop, the climb)


class Climb:
    """
    One calculation; options: cn, io (sets of port GUIDs or None), roots (GUIDs or None), reverse, connect, quasi.
    order: LIDs of CAs as a run of OpenSM had them sorted in the end; None: the order of the nodes.
    """

    def __init__(self, saved, gone=(), cn=None, io=None, roots=None, reverse=0, connect=False, quasi=False, order=None):
        self.cn, self.io, self.roots, self.reverse, self.connect = cn, io, roots, reverse, connect
        self.other = {}
        self.more = lambda n: Climb(saved, gone, cn, io, roots, n, connect, quasi)
        self.read(saved, set(gone))
        self.place = {lid: i for i, lid in enumerate(order)} if order else {
            lid: i for i, ca in enumerate(self.ca_order) for _, _, _, lid in self.cas[ca]}
        self.table, self.seen, self.climbs, self.hops, self.connected = {}, {}, {}, {}, {}
        if len(self.switches) < 2 or len(self.cas) < 2:
            raise Refused("size")
        self.ranking()
        if self.max_rank == 0:
            raise Refused("AB2B")
        self.grouping()
        self.leaf_rank = self.max_rank
        if roots is not None:
            self.leaf_rank = self.rank[next(sw for _, sw, _, is_cn, _ in self.ports_of_cas() if is_cn)]
        if not 1 <= self.leaf_rank <= 7:
            raise Refused("depth")
        self.is_leaf = set()
        for _, sw, _, is_cn, _ in self.ports_of_cas():
            if is_cn:
                self.is_leaf.add(sw)
                if self.rank[sw] != self.leaf_rank:
                    raise Refused("AB26")
        self.indexing(quasi)
        at = sorted((s for s in self.switches if self.rank[s] == self.leaf_rank), key=lambda s: self.tuple[s])
        own = [i for i, s in enumerate(at) if s in self.is_leaf]
        if len(own) < 2:
            raise Refused("leaves")
        self.leaves = at[own[0]:own[-1] + 1]
        self.max_cn = max(sum(g.peer in self.cns for g in self.down[s]) for s in self.leaves)
        if roots is None:
            self.pure()
        self.changed, self.rot = set(), dict.fromkeys(self.switches, 0)
        self.resorted = False       # a leaf's CAs were sorted: OpenSM does that by heap addresses
        self.route_all()
        self.matrix()
        if connect:
            self.connect_roots()

    # --- what is there

    def read(self, saved, gone):
        names, raw, hung, self.guid, self.lid, self.cas = {}, [], [], {}, {}, {}
        here = None
        for line in saved.splitlines():
            head = re.match(r'Switch\t\d+ "S-(\w+)"\t+# "(.*)" base port 0 lid (\d+) ', line)
            ca = re.match(r'Ca\t\d+ "H-(\w+)"', line)
            port = re.match(r'\[(\d+)\]\t"S-(\w+)"\[(\d+)\]', line)
            own = re.match(r'\[(\d+)\]\((\w+)\) \t"S-(\w+)"\[(\d+)\].*# lid (\d+) ', line)
            if head:
                here = head[2]
                names[head[1]], self.guid[here], self.lid[here] = here, int(head[1], 16), int(head[3])
            elif ca:
                here = int(ca[1], 16)
            elif port:
                raw.append((here, int(port[1]), port[2], int(port[3])))
            elif own:
                hung.append((here, int(own[2], 16), own[3], int(own[4]), int(own[5])))
        for ca, guid, other, q, lid in hung:
            if (names[other], q) not in gone:
                self.cas.setdefault(ca, []).append((guid, names[other], q, lid))
        self.peer = {s: {} for s in self.guid}      # switch -> {port: (switch, port)}
        for sw, p, other, q in sorted(raw):
            if not {(sw, p), (names[other], q)} & gone:
                self.peer[sw][p] = (names[other], q)
        self.switches = sorted(self.guid, key=lambda s: turned(self.guid[s]))
        self.ca_order = sorted(self.cas, key=turned)

    def ports_of_cas(self):
        """(LID, switch, its port, compute node?, I/O?) of each port of the CAs, in order."""
        for ca in self.ca_order:
            for guid, sw, port, lid in self.cas[ca]:
                is_cn = self.cn is None or guid in self.cn
                is_io = self.io is not None and guid in self.io and not (self.cn is not None and is_cn)
                yield lid, sw, port, is_cn and not is_io, is_io

    def bfs(self, queue):
        last, queue = 0, list(queue)
        for w in queue:
            for p in sorted(self.peer[w]):
                x, r = self.peer[w][p][0], self.rank[w] + 1
                if self.rank[x] > r:
                    self.rank[x] = last = r
                    queue.append(x)
        self.max_rank = last

    def ranking(self):
        self.rank = dict.fromkeys(self.switches, UNRANKED)
        if self.roots is not None:
            by_guid = {g: s for s, g in self.guid.items()}
            first = [by_guid[g] for g in self.roots]
            self.rank.update(dict.fromkeys(first, 0))
            self.bfs(first)
            return
        first = list(dict.fromkeys(sw for _, sw, *_ in self.ports_of_cas()))
        self.rank.update(dict.fromkeys(first, 0))
        self.bfs(first)
        tops = [s for s in self.switches if self.rank[s] == self.max_rank]
        self.rank = dict.fromkeys(self.switches, UNRANKED)
        self.rank.update(dict.fromkeys(tops, 0))
        self.bfs(tops)

    def grouping(self):
        self.up, self.side, self.down = ({s: [] for s in self.switches} for _ in range(3))
        self.at = {lid: (sw, port) for lid, sw, port, _, _ in self.ports_of_cas()}
        ends = {at: lid for lid, at in self.at.items()}
        self.cns = {lid for lid, _, _, is_cn, _ in self.ports_of_cas() if is_cn}
        self.ios = {lid for lid, _, _, _, is_io in self.ports_of_cas() if is_io}
        if not self.cns:
            raise Refused("no compute nodes")
        for s in self.switches:
            ports = {p: x for p, x in self.peer[s].items() if x[0] != s}
            ports.update({p: (lid, 1) for (sw, p), lid in ends.items() if sw == s})
            for p in sorted(ports):
                x, q = ports[p]
                to_ca = x in self.at
                mine, its = self.rank[s], None if to_ca else self.rank[x]
                where = self.down if to_ca or mine < its else self.up if mine > its else self.side
                lid = x if to_ca else self.lid[x]
                group = next((g for g in where[s] if g.lid == lid), None)
                if not group:
                    group = Group(s, x, lid)
                    where[s].append(group)
                group.links.append([p, q, 0, 0])

    def is_switch(self, g):
        return g.peer in self.guid

    def key(self, g):
        """Of the peer: CAs behind all that have an index, before the others."""
        return self.tuple[g.peer] if self.is_switch(g) else (254,) * 8 + (self.place.get(g.peer, 0),)

    def indexing(self, quasi):
        self.tuple = dict.fromkeys(self.switches, (255,) * 8)
        self.taken = set()
        self.unbounded = False
        if not quasi:
            first = next(s for s in self.switches if s in self.is_leaf)
            self.give(first, (self.leaf_rank,) + (0,) * self.leaf_rank + (255,) * (7 - self.leaf_rank))
            self.index_from(first)
            return
        subtree = 0
        for s in self.switches:
            if self.rank[s] != 0:
                continue
            if self.tuple[s][0] == 255:
                t = [0, 0] + [0] * (self.leaf_rank - 1) + [255] * (7 - self.leaf_rank)
                if self.leaf_rank > 1:
                    t[self.leaf_rank] = subtree % 256
                self.give(s, self.free(t, 1))
                subtree += 1
            self.index_from(s)
        for s in self.is_leaf:
            self.up[s].sort(key=self.key)

    def give(self, s, t):
        self.tuple[s] = tuple(t)
        self.taken.add(tuple(t))

    def free(self, t, v):
        for i in range(255):
            t[v] = i
            if tuple(t) not in self.taken:
                return t
        raise Refused("more than 255 of an index")

    def index_from(self, first):
        queue = [first]
        for w in queue:
            r = self.rank[w]
            for go, where, step, v in ((r < self.leaf_rank, self.down, 1, r + 1),
                                       (r != 0 and (self.rank[first] != 0 or w not in self.is_leaf), self.up, -1, r)):
                if not go:
                    continue
                for g in where[w]:
                    if self.is_switch(g) and self.tuple[g.peer][0] == 255:
                        t = list(self.tuple[w])
                        t[0] += step
                        self.give(g.peer, self.free(t, v))
                        queue.append(g.peer)
                where[w].sort(key=self.key)

    def pure(self):
        ref = {}
        for w in self.switches:
            r = ref.setdefault(self.rank[w], w)
            inner = self.rank[w] != self.leaf_rank
            if w == r:
                continue
            if len(self.up[w]) != len(self.up[r]):
                raise Refused("AB09")
            if inner and len(self.down[w]) != len(self.down[r]):
                raise Refused("AB0A")
            if self.up[r] and any(len(g.links) != len(self.up[r][0].links) for g in self.up[w]):
                raise Refused("AB0B")
            if inner and self.down[r] and len(self.down[w][0].links) != len(self.down[r][0].links):
                raise Refused("AB0C")

    # --- routing

    def sort_up(self, groups, leaf=None):
        before = [g.peer for g in groups if not self.is_switch(g)]
        groups.sort(key=lambda g: (g.cu, self.key(g)))
        if leaf in self.leaves and len(before) > 1:
            self.resorted = True

    def sort_down(self, groups):
        groups.sort(key=lambda g: (g.cd, self.key(g)))

    def offer(self, g, link, h, cause):
        """Is it taken?"""
        x, load = g.peer, 2 if cause == "down" else 3
        took = self.better(x, h)
        if self.target:
            seen = self.seen.setdefault((x, self.target), Seen())
            seen.turns += 1
            for here, there, *counts in g.links:
                if there not in seen.offers or seen.offers[there][1] > h:
                    seen.offers[there] = [seen.turns, h, counts[load - 2]]
            if took:
                seen.replaced += seen.taken is not None
                seen.taken = (seen.turns, g, link, cause, h, self.turning > 0, self.climb)
        return took

    def better(self, x, h):
        if self.climbing and self.now_lft.get(x, NONE) == NONE:
            return True
        return x not in self.now_hops or h < self.now_hops[x]

    def take(self, g, link, h):
        self.now_lft[g.peer], self.now_hops[g.peer] = link[1], h
        if self.target and self.target not in self.at:
            self.sets.append((g.peer, self.target, [there for _, there, _, _ in g.links], h))

    def descend(self, w, prev, h):
        if not self.down[w]:
            return False
        if w in self.changed:
            self.sort_up(self.down[w], w)
            self.changed.discard(w)
        if self.side[w]:
            self.sort_up(self.side[w])
        created = False
        for where in (self.down[w], self.side[w] if self.target else ()):
            i = 0
            while i < len(where):       # positions, as the array may be sorted meanwhile
                g = where[i]
                i += 1
                if not self.is_switch(g):
                    created = True
                    continue
                if prev is not None and g.peer == prev:
                    continue
                k = g.least(2)
                self.climbing = False
                if not self.offer(g, k, h + 1, "down"):
                    continue
                self.take(g, k, h + 1)
                r = self.descend(g.peer, None, h + 1)
                created = created or r
                if r:
                    k[2] += 1
                    g.cu += 1
                    self.changed.add(w)
        if created:
            self.rot[w] = (self.rot[w] + 1) % len(self.down[w])
        return created

    def ascend(self, w, prev, main, credit, h):
        created = self.descend(w, prev, h)
        if self.rank[w] == 0:
            if credit > 0:
                n = len(self.down[w])
                i = self.rot[w] = (self.rot[w] + 1) % n
                for _ in range(n):
                    g = self.down[w][i]
                    i = (i + 1) % n
                    if self.is_switch(g):
                        self.turning += 1
                        created |= self.ascend(g.peer, w, main, credit - 1, h + 1)
                        self.turning -= 1
            return created
        self.sort_down(self.up[w])
        g0 = self.up[w][0]
        if main:
            k0 = g0.least(3)
            after = self.up[w][1] if len(self.up[w]) > 1 else None
            self.climb = (w, g0.peer, g0.cd, len(self.up[w]), after and after.peer, after and after.cd)
            if self.target:
                self.climbs.setdefault(self.target, []).append(self.climb)
                if self.turning and g0.peer == prev:
                    self.spent.setdefault(self.target, (prev, w))
            self.climbing = True
            took = self.offer(g0, k0, h + 1, "main")
            g0.cd += 1
            k0[3] += 1
            if took:
                self.take(g0, k0, h + 1)
            created |= self.ascend(g0.peer, w, True, credit, h + 1)
        for cause, where, first in (("second", self.up[w], int(main)), ("beside", self.side[w], 0)):
            if cause == "beside" and where:
                self.sort_down(where)
            i = first
            while i < len(where):
                g = where[i]
                i += 1
                k = g.least(3)
                self.climbing = True
                if not self.offer(g, k, h + 1, cause):
                    continue
                self.take(g, k, h + 1)
                r = self.ascend(g.peer, w, False, credit, h + 1)
                created |= r
                if r and cause == "beside":
                    g0.cd += 1
                    k[3] += 1
        if credit == 0 or w in self.is_leaf:
            return created
        i = 0
        while i < len(self.down[w]):
            g = self.down[w][i]
            i += 1
            if self.is_switch(g):
                self.turning += 1
                created |= self.ascend(g.peer, w, True, credit - 1, h + 1)
                self.turning -= 1
        return created

    def destination(self, w, lid, port, hops, main, credit):
        self.target, self.turning, self.climb = lid, 0, None
        if lid not in self.hops:
            self.hops[lid] = {}
        self.now_hops = self.hops[lid]
        self.now_lft = {s: self.table[s, lid] for s in self.switches if (s, lid) in self.table}
        self.now_hops[w] = hops
        if lid:
            self.now_lft[w] = port
        self.ascend(w, None, main, credit, hops)
        if lid:
            self.table.update({(s, lid): p for s, p in self.now_lft.items()})
        else:
            self.hops.pop(0)

    def route_all(self):
        self.spent, self.twice, self.sets = {}, set(), []
        for w in self.leaves:
            n = j = 0
            while j < len(self.down[w]):
                g = self.down[w][j]
                j += 1
                if g.peer in self.cns:
                    if g.peer in self.hops:
                        self.twice.add(g.peer)
                    self.destination(w, g.peer, g.links[0][0], 1, True, 0)
                    n += 1
            for _ in range(self.max_cn - n):
                self.destination(w, 0, NONE, 1, True, 0)
        for lid, sw, port, is_cn, is_io in self.ports_of_cas():
            if not is_cn:
                self.destination(sw, lid, port, 1, True, self.reverse if is_io else 0)
        for w in self.switches:
            self.destination(w, self.lid[w], 0, 0, False, 0)

    def connect_roots(self):
        t = self.leaves[-1]
        for w in self.switches:
            if self.rank[w] >= self.leaf_rank:
                continue
            for d in self.switches:
                if (w, self.lid[d]) not in self.table and t in self.hops[self.lid[d]]:
                    if (w, self.lid[t]) in self.table:
                        self.table[w, self.lid[d]] = self.table[w, self.lid[t]]
                        self.connected[w, self.lid[d]] = t
                        hops = (self.hops[self.lid[t]][w] + self.hops[self.lid[d]][t]) % 256
                        self.tell_matrix(w, self.lid[d], [self.table[w, self.lid[d]]], hops)

    def again(self, reverse):
        """The same with another number of reverse hops."""
        if reverse not in self.other:
            self.other[reverse] = self.more(reverse)
        return self.other[reverse]

    def index(self, s):
        return ".".join(str(b) for b in self.tuple[s] if b != 255) or "-"

    def matrix(self):
        """Hops by each port as section 12.3 has them: LID of a switch -> (switch, port; port 0: the least) -> hops."""
        self.by_port = {}
        for t in self.switches:
            far = distances(self.peer, t)
            rows = {(s, p): far[x] + 1 for s in far for p, (x, _) in self.peer[s].items() if x != s}
            rows.update({(s, 0): n for s, n in far.items()})
            self.by_port[self.lid[t]] = rows
        for sw, lid, ports, hops in self.sets:
            self.tell_matrix(sw, lid, ports, hops)

    def tell_matrix(self, sw, lid, ports, hops):
        rows = self.by_port[lid]
        rows.update({(sw, p): hops for p in ports})
        rows[sw, 0] = min(rows.get((sw, 0), hops), hops)


WAYS = {"down": ("learned from ", " as the route spread down"), "main": ("main path: ", " climbed to here"),
        "second": ("secondary path up from ", ""), "beside": ("over a side link from ", "")}


def many(n, word):
    return "%d %s" % (n, word if n == 1 else word + "s")


def climbing(m, lid):
    """The climbs of a destination, as `why` tells them."""
    told = []
    for w, to, load, parents, after, its in m.climbs.get(lid, [])[:8]:
        told.append("%s climbs to %s" % (w, to))
        if parents > 1:
            told[-1] += " (load %d, least of %d parents)" % (load, parents) if its > load else " (load %d like %s, %s)" % (
                load, after, "lower index" if m.tuple[to] < m.tuple[after] else "neither has an index, and it stands first")
    return ", ".join(told)


def story(m, sw, lid, target, own):
    """The end of the first line."""
    seen, told, ca = m.seen.get((sw, lid), Seen()), "", lid in m.at
    if sw == target:
        told = "the destination hangs on this port" if ca else "the switch itself"
    elif (sw, lid) in m.connected or own is None and m.connect and not ca and m.rank[sw] < m.leaf_rank:
        return "no way goes up and then down%s" % ("; connect_roots leads through the last leaf, %s" if own is not None else
                                                   ", and there is none through the last leaf, %s, either") % m.leaves[-1]
    elif seen.taken:
        _, g, _, cause, hops, back, _ = seen.taken
        told = "%s%s%s%s, %s" % ("after a reverse hop, " if back else "", WAYS[cause][0], g.sw, WAYS[cause][1], many(hops - ca, "hop"))
        if ca:
            told += " (ftree counts %d)" % hops
        if len(g.links) > 1:
            told += "; of %d parallel cables the first with least load" % len(g.links)
        if seen.replaced:
            told += "; fewer hops than what was offered before"
    else:
        told = "no way goes up from the destination and then down to here"
    if m.climbs.get(lid):
        told += ".  For this destination " + climbing(m, lid)
    elif sw != target and not ca:
        told += ".  Switches have no main path: parents are tried from the least loaded on"
    return told


def decided(m, sw, lid, target, own, label, said):
    """Rule and sentence of an entry; `said`: what is told, for numbers that are not simulated."""
    ca, seen = lid in m.at, m.seen.get((sw, lid), Seen())
    if sw == target:
        return ("attached here", "%s hangs on port %d of %s." % (label, own, sw)) if ca else \
            ("own LID", "%s has LID %d itself: port 0." % (sw, lid))
    if (sw, lid) in m.connected or own is None and m.connect and not ca and m.rank[sw] < m.leaf_rank:
        told = story(m, sw, lid, target, own)
        return "not reached" if own is None else "connect roots", told[0].upper() + told[1:] + "."
    if not seen.taken:
        return "not reached", "No way climbs from %s and descends to %s%s." % (label, sw, turns(m, sw, lid, label, said) if ca else "")
    turn, g, link, cause, hops, back, climb = seen.taken
    later = [p for p, offer in seen.offers.items() if p != link[1] and offer[0] > turn]
    leads = [p for p in later if there(m.peer, m.peer[sw][p][0], target, sw)]
    if back:
        rule, told = "reverse hop", "max_reverse_hops %d: a climb of the route went a step down and up again, and %s got it " \
            "from %s." % (m.reverse, sw, g.sw)
    elif cause == "main":
        w, to, load, parents, after, its = climb
        rule = "main path" if parents < 2 else "least load" if its > load else "lower index"
        told = "%s climbed to %s" % (w, to) + {
            "main path": ", its only parent.", "least load": ": load %d, least of %d parents; %s had %s." % (load, parents, after, its),
            "lower index": ": load %d like %s, and the index of %s is lower." % (load, after, to) if m.tuple[to] != m.tuple.get(after) else
            ": load %d like %s; neither has an index, and %s stands first." % (load, after, to)}[rule]
    elif cause == "second":
        rule, told = "secondary", "Up from %s, beside the main path, which does not come here in fewer hops." % g.sw
    elif cause == "beside":
        rule, told = "side", "Over a link within the rank, from %s." % g.sw
    else:
        rule, told = "learned", "%s spread the route down" % g.sw
        if seen.replaced:
            told += ": offer %d of %d, the first with as few as %s." % (turn, seen.turns, many(hops - ca, "hop"))
        elif leads:
            told += ": offer %d of %d; port %d was offered later, with no fewer hops." % (turn, seen.turns, leads[0])
        elif later:
            told += ": offer %d of %d; the later offers lead back through %s." % (turn, seen.turns, sw)
        else:
            told += "; nobody else offered one."
    if len(g.links) > 1:
        told += " Of %d parallel cables the first with least load." % len(g.links)
    return rule, told


def there(peer, start, target, without):
    """Do cables lead from a switch to another, not over a third?"""
    queue = [start]
    for at in queue:
        queue += {x for x, _ in peer[at].values() if x != without and x not in queue}
    return target in queue


def turns(m, sw, lid, label, said):
    """What the reverse hops that are allowed did not do."""
    if lid not in m.ios:
        return "; steps down before up are for ports in io_guid_file alone, and %s is none" % label
    told = "; max_reverse_hops %d allows %s from down to up" % (m.reverse, many(m.reverse, "turn") if m.reverse else "no turn")
    if lid in m.spent:
        told += ", and one is spent on %s -> %s -> %s, back to where it came from" % (m.spent[lid] + m.spent[lid][:1])
    enough = [n for n in range(m.reverse + 1, m.reverse + 1 + TRIED) if (sw, lid) in m.again(n).table]
    many_more = re.search(r"; (\d+) would do", said)
    if not enough and many_more and int(many_more[1]) > m.reverse + TRIED:
        enough = [int(many_more[1])]
    if enough:
        told += "; %d would do" % enough[0]
    least = re.search(r"by the manual's count (\d+) would", said)
    if least:
        if not any(m.side.values()):
            expect("turns by the manual", int(least[1]), fewest_turns(m.peer, m.rank, m.at[lid][0]).get(sw))
        told += "%s by the manual's count %s would (`set rules manual`)" % ("," if enough else ";", least[1])
    return told


def against(m, sw, lid, port):
    """Rule and sentence against a port that was offered; None: it was not."""
    seen, ca = m.seen.get((sw, lid), Seen()), lid in m.at
    if not seen.taken or port not in seen.offers or (sw, lid) in m.connected:
        return None
    (turn, g, link, _, hops, _, _), (its_turn, its_hops, _) = seen.taken, seen.offers[port]
    if its_hops > hops:
        return "longer", "The best offer by port %d has %d hops, that by port %d has %d." % (port, its_hops - ca, link[1], hops - ca)
    if m.peer[sw][port][0] == g.sw:
        return "least load", "A parallel cable; port %d was the first with least load when the route was placed." % link[1]
    return "learned", "This was offer %d of %d; port %d came with offer %d, and this one has no fewer hops." % (its_turn, seen.turns, link[1], turn)


def by_way(m, st, sw, lid, port, own, free, lawful, was_against):
    """Rule and sentence against a port by the ways that there are; None: they do not decide."""
    target = st.at[lid][0]
    rows, links = m.by_port[m.lid[target]], st.hops(sw, lid)
    value, least = rows.get((sw, port)), rows.get((sw, 0))
    offered = (sw, lid) not in m.connected and port in m.seen.get((sw, lid), Seen()).offers
    allowed = links if None not in (free, links) and value == least and offered else free if lawful is None and was_against else lawful
    if free is None:
        return "no way", "No cables lead there from %s but back through %s." % (m.peer[sw][port][0], sw)
    if allowed is None:
        return "forbidden", None
    longer = links is not None and allowed > links
    if longer:
        return "longer", "Port %d leads there in %s, port %d in %d." % (port, many(allowed, "hop"), own, links)
    return None if offered else ("learned", "The route did not come by port %d: %s did not pass it on to %s." % (
        port, m.peer[sw][port][0], sw))


def check(m, st, sw, lid, via, own, answer):
    """One answer, of an entry (via: None) or one of its ports."""
    if lid in m.twice:
        return      # section 13: OpenSM's own order is undefined
    target, rule = st.at[lid][0], (answer["rule"], answer["decided"])
    label = (re.findall(r"LID \d+ \((.*?)\)", answer["text"][0]) + [sw])[0]
    entry = decided(m, sw, lid, target, own, label, answer["decided"])
    if via in (None, own):
        expect("decided", rule, entry)
    elif via not in m.peer[sw] or target == sw:
        return
    else:
        free, lawful = (ways_by(st.links, sw, via, target, way) for way in (None, st.way))
        mind = against(m, sw, lid, via)
        if mind is None or free is None:
            mind = by_way(m, st, sw, lid, via, own, free, lawful, mind) or entry
        if mind[0] == "forbidden":
            told = re.fullmatch(r"Every way by port (\d+) turns up again after a step down, the shortest \((\d+) hops?\) at \S+\.", rule[1])
            expect("forbidden", (rule[0], told and (int(told[1]), int(told[2]))), ("forbidden", (via, free)))
        else:
            expect("against", rule, mind)
    if via is None:
        expect("story", re.sub("^it is its own port 0: ", "", answer["text"][0].split(": ", 1)[1]), story(m, sw, lid, target, own))
        seen = m.seen.get((sw, lid), Seen()).offers if (sw, lid) not in m.connected else {}
        told = {c["port"]: [c["turn"], c["hops"], c["load"]] for c in answer.get("choice", {}).get("candidates", [])}
        expect("candidates", told, {p: [turn, hops - (lid in m.at), load] for p, (turn, hops, load) in seen.items()})
    for line in answer["text"]:
        found = re.match(r"  Hop matrix of ftree: (none|\d+) through this port, (?:no least|least (\d+))\.", line)
        if found:
            rows = m.by_port[m.lid[target]]
            expect("hop matrix", (found[1], found[2]), (str(rows.get((sw, via), "none")), str(rows[sw, 0]) if (sw, 0) in rows else None))


def asked(m, dice):
    """[(command, judge)]: groups of a switch with their counters, the order of compute nodes, the tree."""
    def groups(sw):
        def judge(answer):
            told = [(r["dir"], r["peer"] if r["peer"] in m.guid else r["about"]["peer"]["lid"], r["links"], r["cu"] or 0, r["cd"] or 0,
                     re.findall(r"\[(\d+)\] (\d+),(\d+)", r["port cu,cd"])) for r in answer["rows"]]
            want = [(word, g.peer, len(g.links), g.cu, g.cd, [tuple(map(str, (here, cu, cd))) for here, _, cu, cd in g.links])
                    for word, where in (("up", m.up), ("side", m.side), ("down", m.down)) for g in where[sw]]
            yield "groups", told, want
        return "list groups " + sw, judge

    def order(answer):
        want = []
        for leaf in m.leaves:
            own = [g.peer for g in m.down[leaf] if g.peer in m.cns]
            want += [(leaf, m.index(leaf), lid) for lid in own + [None] * (m.max_cn - len(own))]
        yield "order", [(r["leaf"], r["index"], r["lid"]) for r in answer["rows"]], want

    def tree(answer):
        cables = lambda groups: (len(groups), sum(len(g.links) for g in groups))
        for r in answer["rows"]:
            s, whole = r["switch"], [str(r[k] or 0) for k in ("up", "side", "down")]
            yield s, (r["rank"], r["index"], [tuple(map(int, (x + "/" + x).split("/")[:2])) for x in whole]), (
                m.rank[s], m.index(s), [cables(where[s]) for where in (m.up, m.side, m.down)])

    return [groups(s) for s in dice.sample(m.switches, min(3, len(m.switches)))] + [("list ca-order", order), ("list tree", tree)]


def pairs(_, st, told):
    """Every SL is 0."""
    return ["SL of %d to %d is %s" % (a, b, sl) for (a, b), sl in told.items() if a in st.at and b in st.at and sl not in ("0", "-")]


# --- fabrics

def model(setup, st, down):
    """Of a state; sets the directions that links have there."""
    saved, kw = setup
    m = Climb(saved, down, **kw)
    st.way = lambda a, b: "U" if m.rank[a] > m.rank[b] else "D" if m.rank[a] < m.rank[b] else "="
    st.way.strict = True    # climbs go up or beside, and then down or beside
    return m


def drawn(dice, folder, number, save):
    """(fabric, options of the command, those of Climb) that are no refused tree."""
    while True:
        a, b, c, n = (dice.randrange(2, 4) for _ in range(4))
        spec = dice.choice(["xgft:%d,%d:1,%d" % (a, b, c), "xgft:%d,%d,%d:1,%d,%d" % (a, b, 2, b, c), "xgft:%d,%d:1,%d,parallel=2" % (a, b, c),
                            "xgft:%d,%d:1,%d,hosts_on=all,hosts=1" % (a, b, c), "xgft:%d,%d:1,%d,hosts_on=all,hosts=1,parallel=2" % (a, b, n),
                            *["random:%d,3,seed=%d,shuffle=1,hosts_on=%d,parallel=%d" % (
                                dice.randrange(5, 11), dice.randrange(1000), dice.randrange(2, 5), dice.randrange(1, 3))] * 3])
        saved = save(spec)
        kw, lines = draw_options(dice, saved)
        try:
            Climb(saved, **kw)
        except (Refused, StopIteration):
            continue
        for name, guids in lines.items():
            if isinstance(guids, list):
                lines[name] = os.path.join(folder, "%s-%d" % (name, number))
                with open(lines[name], "w", encoding="ascii") as f:
                    f.writelines("0x%x\n" % g for g in guids)
        return spec, ["%s=%s" % x for x in lines.items()], (saved, kw)


def draw_options(dice, saved):
    """Roots, what is a compute node, reverse hops: as Climb takes them, and as options with lists for files."""
    kw, lines, probe = {}, {}, object.__new__(Climb)
    probe.cn = probe.io = None
    probe.read(saved, set())
    tops = [s for s in probe.switches if s.startswith("core")] or [s for s in probe.switches if s.startswith("spine")]
    hung = {guid: sw for ca in probe.cas.values() for guid, sw, _, _ in ca}
    if not tops or dice.randrange(2) or set(tops) & set(hung.values()):
        roots = tops or dice.sample(probe.switches, dice.randrange(1, 3))
        kw["roots"] = lines["root_guid_file"] = [probe.guid[s] for s in roots]
        probe.rank = dict.fromkeys(probe.switches, UNRANKED)
        probe.roots = kw["roots"]
        probe.ranking()
        level = max(sorted(set(probe.rank.values())), key=lambda r: (sum(probe.rank[s] == r for s in set(hung.values())), r))
        leafs = sorted(g for g, s in hung.items() if probe.rank[s] == level)
        rest = sorted(set(hung) - set(leafs))
        if rest or dice.randrange(2):
            leafs = leafs if dice.randrange(3) else leafs[:-1]
            lines["cn_guid_file"] = leafs
            kw["cn"] = set(leafs)
        if rest and dice.randrange(3):
            lines["io_guid_file"], kw["io"] = rest, set(rest)
            kw["reverse"] = lines["max_reverse_hops"] = dice.randrange(3)
    elif dice.randrange(2):
        listed = sorted(dice.sample(sorted(hung), len(hung) // 3))
        lines["io_guid_file"], kw["io"] = listed, set(listed)
    for option, word in (("connect_roots", "connect"), ("quasi_ftree_indexing", "quasi")):
        if dice.randrange(4) == 0:
            lines[option], kw[word] = "TRUE", True
    return kw, lines
