#!/usr/bin/env python3
"""What `why` tells, against models of the rules that share no code with the program, and against itself.

`why E` and `why E via P` of every port P are asked for entries of random fabrics, of every engine.  Of each answer:
text and JSON say the same; the entry's own port is in force; lengths and lawful ways are those of a search of its own;
who is told to be the only one has no other with such a way; what is told against a port is about that port.  Min Hop,
dor, Up/Down and Down/Up are simulated as well (engines/doc/minhop.md, engines/doc/dor.md, engines/doc/updn.md): candidates, counters at that
moment, which rule decided, and each figure of its sentence.  Whole runs of sssp, dfsssp and lash are in weighed.py,
layered.py and meshed.py: of these each sentence is expected as it stands, that of `why A B` and panes of layers, too.
ftree, torus-2QoS and nue are in climbed.py, torus.py and escaped.py: tables, SLs, candidates, panes, each sentence.

Fabrics: random ones, before and after a link or a host is lost; new in every run (SEED repeats one, REASONED=N draws
N of each engine, FIRST=N begins with the one that a failure numbers N, ASKED=N asks for N entries of each state, 0 for all).
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

import climbed
import escaped
import layered
import torus
import weighed
from engines import Net, distances, hop_matrix, ranks_of, sls_of, updown_matrix
from guide import PROGRAM, SEED, program, tables_of
from trial import BOUND
from ways import Wrong, expect, ways_by

REASONED = int(os.environ.get("REASONED", "5"))
FIRST = int(os.environ.get("FIRST", "0"))
ASKED = int(os.environ.get("ASKED", "30"))
NO_PORT = 255
STEPS = 15      # of the run of each state, shown


def ask(commands):
    """One object a command, of a script."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as told, tempfile.TemporaryFile("w+", encoding="utf-8") as error:
        subprocess.run([PROGRAM, "--json", "-x", "-"], input="\n".join(commands) + "\n", stdout=told, stderr=error, text=True,
                       timeout=BOUND * (1 + len(commands) // 5000), check=False)
        told.seek(0)
        error.seek(0)
        objects, error = [json.loads(line) for line in told], error.read()
    if len(objects) != len(commands) or not all(o["ok"] for o in objects):
        raise RuntimeError("%s: %s" % (commands[:4], [o.get("error") for o in objects if not o["ok"]] or error))
    return objects


# --- ways

def direction(engine, net, rank):
    """Of a packet between two neighbours, as engines/doc/updn.md 4 and 6.2 have it."""
    def updn(a, b):
        if rank[a] == rank[b] == 0:
            return "="
        if rank[a] != rank[b]:
            return "U" if rank[a] > rank[b] else "D"
        return "U" if net.guid[b] <= net.guid[a] else "D"

    def dnup(a, b):
        return "=" if rank[a] == rank[b] else "U" if rank[a] < rank[b] else "D"
    return {"updn": updn, "dnup": dnup}.get(engine)


def downup_matrix(links, rank):
    """engines/doc/updn.md 6.3: the search of 5.2 by directions of its own."""
    matrix = {}
    for t in links:
        cost, least, back, queue, waiting = {}, {t: 0}, {t: False}, [t], set()
        while queue:
            at = queue.pop(0)
            waiting.discard(at)
            was_back = back[at]
            for p in sorted(links[at]):
                b, q = links[at][p]
                if was_back and rank[at] < rank[b]:
                    continue
                if least[at] + 1 < cost.get((b, q), 255):
                    cost[b, q] = least[at] + 1
                    least[b] = min(least.get(b, 255), least[at] + 1)
                    if b not in waiting:
                        back[b] = rank[at] > rank[b]
                        waiting.add(b)
                        queue.append(b)
        matrix[t] = cost
    return matrix


# --- the engines that count

class Moment:
    """What there is to choose of when an entry is decided."""

    def __init__(self):
        self.equal, self.dropped, self.kept = [], [], False
        self.count, self.new_system, self.new_node, self.went = {}, [], [], {}


def weighted_matrix(links, weights):
    """As hop_matrix(), leaving by a port costs its weight; by weights alone no way is too far here."""
    matrix = {}
    for t in links:
        far, changed = {t: 0}, True
        while changed:
            changed = False
            for s in links:
                for p, (b, _) in links[s].items():
                    cost = far.get(b, 10 ** 6) + weights.get((s, p), 1)
                    if s != t and cost < far.get(s, 10 ** 6):
                        far[s], changed = cost, True
        matrix[t] = {(s, p): far[b] + weights.get((s, p), 1) for s in links for p, (b, _) in links[s].items() if b in far and s != b}
    return matrix


def counted(net, links, ends, matrix, engine, lmc, shifting, had, manual=False):
    """All entries, and the moment of each."""
    table, moments = {}, {}
    for s in net.guid:
        count, went = {}, {}
        for off in range(1 << lmc):
            for base, at, port, host in ends:
                lid = base + off
                if off and not host:
                    continue
                m = moments[s, lid] = Moment()
                choice = port
                if at != s:
                    before = table.get((s, lid - 1)) if off else None
                    used = went.get(base, {})
                    if manual and before is not None:
                        used = {links[s][before][0]: 1} if before in links[s] else {}
                    choice = choose(net, links, matrix[at], s, lid, off, m, table, count, used, engine, lmc, shifting, had)
                    if manual and before is not None and choice is not None and not m.kept and not m.new_system + m.new_node:
                        choice = min(m.order, key=lambda p, count=count: count.get(p, 0))
                    if choice is None:
                        continue
                table[s, lid] = choice
                if host:
                    count[choice] = count.get(choice, 0) + 1
                    if choice in links[s]:
                        tracks = went.setdefault(base, {})
                        node = links[s][choice] if engine == "dor" else links[s][choice][0]
                        tracks[node] = tracks.get(node, 0) + 1
    return table, moments


def choose(net, links, costs, s, lid, off, m, table, count, went, engine, lmc, shifting, had):
    ways = {p: costs[s, p] for p in links[s] if (s, p) in costs}
    least = min(ways.values(), default=None)
    equal = [p for p in sorted(ways) if ways[p] == least]
    m.least, m.all = least, equal
    before = table.get((s, lid - 1)) if off and engine != "dor" else None
    start = 1 if before is None else before + 1
    equal = [p for p in equal if p >= start] + [p for p in equal if p < start]
    if engine == "dor":
        m.dropped = [p for p in equal if links[s][p][0] != links[s][equal[0]][0]]
        equal = [p for p in equal if p not in m.dropped]
    m.equal, m.count, m.went = equal, {p: count.get(p, 0) for p in ways}, dict(went)
    if not equal:
        return None
    kept = had.get((s, lid)) if had else None
    order = equal
    if shifting:
        at = sum(m.count[p] for p in equal) // len(equal) % len(equal)
        order = equal[at:] + equal[:at]
    if engine != "dor":
        systems = {net.system[n] for n in went}
        m.new_system = [p for p in order if net.system[links[s][p][0]] not in systems]
        m.new_node = [p for p in order if links[s][p][0] not in went]
    m.order = order
    if kept in m.all:
        m.kept = True
        return kept
    return anew(links[s], m, engine, lmc, shifting)


def anew(links, m, engine, lmc, shifting):
    fewest = lambda ports: min(ports, key=lambda p: m.count[p])
    if not lmc or (engine == "dor" and shifting):
        return fewest(m.order)
    for good in (m.new_system, m.new_node):
        if good:
            return fewest(good)
    best = paths = None
    forwarded = float("inf")
    for p in m.order:
        f = m.went.get(links[p] if engine == "dor" else links[p][0], 0)
        if paths is None or m.count[p] < paths:
            best, paths = p, m.count[p]
            forwarded = min(forwarded, f)
        elif m.count[p] == paths and f < forwarded:
            best, forwarded = p, f
    return best


# --- sentences of the engines that count: each figure of each

LEGAL = r"A legal way(?: of (\d+) hops?)? leads by port (\d+); OpenSM's search .* and missed it\. (No entry|(?:Port (\d+) leads in|The way that it found there has) (\d+))\."
SENTENCES = {
    "only candidate": r"Port (\d+) alone has (\d+) hops? in the hop matrix, the fewest\.",
    "kept": r"The table had port (\d+), which still (?:alone has (\d+) hops? in the hop matrix|is one of (\d+) at (\d+) "
            r"hops?); nothing came up since, so OpenSM keeps it(?: \(anew(?: the (same)|: port (\d+))\))?\.",
    "least count": r"Of (\d+) ports at (\d+) hops? port (\d+) had (\d+) LIDs?, the fewest; (\d+) had (\d+)\.",
    "first of equals": r"(\d+) of (\d+) ports had (\d+) LIDs?, the fewest; port (\d+) is the first in order \(.*\)"
                       r"(?:, before port (\d+))?\.",
    "shifted": r"port_shifting: (\d+) / (\d+) mod \d+ = (\d+), so the search begins at port (\d+); of (\d+) with (\d+) "
               r"LIDs? port (\d+) is the first(?:, before port (\d+))?\.",
    "new system": r"(?:No earlier LID of \S+ has a port|(?:Earlier LIDs of \S+ go|The LID of \S+ before goes) by ([\d, ]+)); port (\d+)(?:(?P<alone> alone)? "
                  r"leads to another chassis)?(?: and)?(?:, port (?P<old>\d+) does not| had (?P<count>\d+) LIDs?, the fewest"
                  r"(?:; (?P<more>\d+) had (?P<its>\d+)|, as (?P<tie>\d+) had, and is the first in order \(.*\)))?\.",
    "new node": r"(?:Earlier LIDs of \S+ go|The LID of \S+ before goes) by ([\d, ]+); port (\d+)(?:(?P<alone> alone)? leads to another node)(?: and)?"
                r"(?:, port (?P<old>\d+) does not| had (?P<count>\d+) LIDs?, the fewest(?:; (?P<more>\d+) had (?P<its>\d+)|, as "
                r"(?P<tie>\d+) had, and is the first in order \(.*\)))?\.",
    "least forwarded": r"(\d+) of (\d+) ports had (\d+) LIDs?, the fewest; port (\d+) carries the fewest of \S+, (\d+)"
                       r"(?:(?:, port| and comes first, port) (\d+) (\d+))?\.",
    "first neighbour": r"(\d+) ports have (\d+) hops?; port (\d+) to (\S+) is first in order, ([\d, ]+) leads? to other "
                       r"neighbours and (?:is|are) dropped, loaded or not\.(?: Of (\d+) cables there port (\d+) had (\d+) "
                       r"LIDs?, the fewest\.)?",
    "missed": LEGAL,
    "forbidden": r"Every way (?:by port (\d+) |of fewer than (\d+) hops? )?turns up again after a step down, the shortest "
                 r"\((\d+) hops?(?:: [a-z0-9 ]+)?\) at (\S+?)(?:\. No entry|; port (\d+) leads in (\d+))?\.",
    "mixed": r"Ports (\d+) and (\d+) have (\d+) hops?; \d+ turns up, \d+ does not, and OpenSM counts them alike: whoever came "
             r"from above would turn at (\S+)\. (.*)",
    "roots apart": r"\S+ and \S+ are both roots and no way goes up and then down; connect_roots would allow it\.",
    "longer": r"(?:Port (\d+) leads there in (\d+) hops?, port (\d+) in (\d+)|In the hop matrix port (\d+) has (\d+), port (\d+) "
              r"(\d+))\.",
    "no way": r"No cables lead there from (\S+) but back through (\S+)\.",
    "no switch": r"(\S+) is no switch and forwards nothing\.",
    "detour": r"\S+ is on (\S+) itself\.",
    "own LID": r"(\S+) has LID (\d+) itself: port 0\.",
    "attached here": r"\S+ hangs on port (\d+) of (\S+)\.",
    "cut off": r"No cables lead from (\S+) to (\S+); its part has (\d+) switch(?:es)?\.",
}


class State:
    """A fabric with its tables, and what a model of the engine knows of them."""

    def __init__(self, net, engine, down, gone, table, lmc=0, shifting=False, roots=(), had=None, manual=False, weights=None,
                 rand=None, mesh=False):
        self.manual, self.weights = manual, weights
        self.net, self.engine, self.table, self.lmc, self.shifting = net, engine, table, lmc, shifting
        self.links = net.links(down)
        hosts = {s: [h for h in net.hosts[s] if (s, h[0]) not in gone] for s in net.guid}
        self.ends = [(lid, s, p, True) for s in sorted(net.order, key=lambda s: -len(hosts[s])) for p, lid in hosts[s]]
        self.alive = [s for s in net.order if self.links[s] or len(net.order) == 1]
        self.ends += [(net.lid[s], s, 0, False) for s in self.alive]
        self.at = {lid: (sw, port) for lid, sw, port, host in self.ends for lid in range(lid, lid + (1 << lmc if host else 1))}
        self.way = self.matrix = self.moments = self.model = None
        if engine in ("updn", "dnup"):
            hosts = {e[1] for e in self.ends if e[3]}
            self.rank = ranks_of(self.links, [s for s in net.order if s in (roots if engine == "updn" else hosts)])
            self.way = direction(engine, net, self.rank)
        if engine in ("minhop", "dor"):
            self.matrix = weighted_matrix(self.links, weights) if weights else hop_matrix(self.links)
        elif self.way:
            self.matrix = (updown_matrix(net, self.links, self.rank) if engine == "updn"
                           else downup_matrix(self.links, self.rank))
        if self.matrix:
            self.expected, self.moments = counted(net, self.links, self.ends, self.matrix, engine, lmc, shifting, had, manual)
        self.run = None     # of an engine that has a model in a file of its own
        if engine in ("sssp", "dfsssp"):
            self.run = weighed.Run(net, self.links, self.ends, lmc, engine == "dfsssp")
        elif engine == "lash":
            self.run = layered.Run(net, self.links, self.ends, lmc, rand, mesh)

    def ports(self, sw):
        return sorted(set(self.links[sw]) | {p for _, s, p, host in self.ends if host and s == sw})

    def hops(self, sw, lid):
        """Cables between switches on the way of the tables; None: it does not lead there."""
        n, at = 0, sw
        while at != self.at[lid][0]:
            port = self.table.get((at, lid))
            if port not in self.links[at] or n > len(self.links):
                return None
            at = self.links[at][port][0]
            n += 1
        return n


def missed_by_search(st, sw, lid):
    """Ports with a legal way that OpenSM's search missed, no longer than what it found: port -> cables."""
    m, target = st.moments[sw, lid], st.at[lid][0]
    if not st.way or target == sw:
        return {}
    lawful = {p: legal(st, sw, lid, p) for p in st.links[sw]}
    return {p: n for p, n in lawful.items() if n and (m.least is None or n < m.least or n == m.least and p not in m.all)}


def check_columns(st, sw, lid, told):
    """The candidates with their figures at that moment."""
    m = st.moments[sw, lid]
    if st.at[lid][0] == sw:
        return expect("candidates", told, [])
    expect("candidates", sorted(c["port"] for c in told), sorted(m.equal + m.dropped))
    for c in told:
        port, node = c["port"], st.links[sw][c["port"]][0]
        want = {"hops": m.least, "routes": m.count[port]}
        if st.engine == "dor" and m.dropped:
            want["dropped"] = int(port in m.dropped)
        if st.lmc and not m.kept and port in m.equal:
            if st.engine != "dor":
                systems = {st.net.system[n] for n in m.went}
                want.update({"system used": int(st.net.system[node] in systems), "node used": int(node in m.went)})
            if not st.manual:
                want["forwarded"] = m.went.get(st.links[sw][port] if st.engine == "dor" else node, 0)
        expect("columns of %d" % port, {k: v for k, v in c.items() if not k.startswith("peer") and k != "port"}, want)
    return None


def check_order(st, sw, lid, text):
    """What order is told for those that are equal."""
    told = re.search(r"in order \((.*?)\)", text)
    if not told:
        return
    m, base = st.moments[sw, lid], max(b for b, *_ in st.ends if b <= lid)
    expect("order", told[1], "port_shifting, from port %d on" % m.order[0] if st.shifting else
           "from behind port %d of LID %d" % (st.table[sw, lid - 1], lid - 1) if lid > base and st.engine != "dor" else
           "of port numbers")


def legal(st, sw, lid, port):
    return ways_by(st.links, sw, port, st.at[lid][0], st.way)


def check_rule(st, sw, lid, via, rule, text):
    """One rule with its sentence, of an engine that counts; via: the port asked about, or None."""
    found = re.fullmatch(SENTENCES.get(rule, "(?!)"), text)
    if not found:
        raise Wrong("no such sentence of \"%s\"" % rule)
    g, d = found.groups(), found.groupdict()
    n = lambda i: int(g[i])
    own, m, target = st.table.get((sw, lid)), st.moments[sw, lid], st.at[lid][0]
    if target == sw:
        expect("rule", rule, "detour" if via not in (None, own) and via in st.links[sw] else
               "no switch" if via not in (None, own) else "attached here" if own else "own LID")
        return
    free = {p: ways_by(st.links, sw, p, target, None) for p in st.links[sw]}
    lawful = {p: legal(st, sw, lid, p) for p in st.links[sw]}
    least = m.least
    missed = missed_by_search(st, sw, lid)
    check_order(st, sw, lid, text)
    count = m.count
    fewest = min((count[p] for p in m.equal), default=None)
    if via is not None and via not in st.links[sw]:
        return expect("rule", rule, "no switch")
    if via not in (None, own):
        if free[via] is None:
            expect("rule", rule, "no way")
        elif lawful[via] is None and via not in m.all:
            expect("rule", rule, "forbidden")
        elif via in missed and via not in m.all:
            expect("rule", rule, "missed")
        elif via not in m.all:
            expect("rule", rule, "longer")
    if rule in ("no way", "no switch", "longer", "missed") and via is None and rule != "missed":
        raise Wrong("%s of an entry" % rule)
    if rule == "longer":
        links = st.hops(sw, lid)
        if g[4]:
            return expect("matrix", (n(4), n(5), n(6), n(7), n(5) > least), (via, st.matrix[target][sw, via], own, least, True))
        expect("longer", (n(0), n(1), n(2), n(3)), (via, lawful[via], own, links))
        if n(1) <= links:
            raise Wrong("not longer: %s" % text)
    elif rule == "kept":
        expect("kept", (n(0), m.kept), (own, True))
        if via not in (None, own) and via not in m.all:
            raise Wrong("kept is told against port %d, which is no candidate" % via)
        expect("candidates", (n(1), 1) if g[1] else (n(3), n(2)), (least, len(m.all)))
        fresh = anew(st.links[sw], m, st.engine, st.lmc, st.shifting)
        if g[4] or g[5]:
            expect("anew", n(5) if g[5] else own, fresh)
    elif m.kept and (via in (None, own) or via in m.all):
        raise Wrong("the entry is kept, told is \"%s\"" % rule)
    elif rule == "only candidate":
        expect("only candidate", (n(0), n(1), m.all), (own, least, [own]))
        if missed or (not st.weights and least > min(x for x in free.values() if x)):
            raise Wrong("only candidate, and legal are %s, all %s" % (lawful, free))
    elif rule == "forbidden":
        expect("shortest", n(2), free[via] if via not in (None, own) else min(x for x in free.values() if x))
        if g[0] is not None:
            expect("port", (n(0), lawful[via]), (via, None))
        elif g[1] is not None:
            expect("port", (n(1), n(4), n(5)), (least, own, least))
            if any(x and x < least for x in lawful.values()):
                raise Wrong("every way of fewer than %d, and legal are %s" % (least, lawful))
        elif any(lawful.values()) or own is not None:
            raise Wrong("every way, and legal are %s" % lawful)
    elif rule == "missed":
        if via in (None, own):
            expect("way", (n(0), n(0)), (lawful[n(1)], min(missed.values())))
        if n(1) not in missed or (via not in (None, own) and n(1) != via):
            raise Wrong("missed is port %d of %s" % (n(1), missed))
        expect("leads", g[4] and (n(3) if g[3] else n(1), n(4)), None if own is None else (own, least))
        if g[3] and n(3) == n(1):
            raise Wrong("missed is the way that was found")
    elif rule == "least count":
        expect("figures", (n(0), n(1), n(2), n(3)), (len(m.equal), least, own, count[own]))
        expect("other", (n(4), n(5)), (n(4) if via in (None, own) else via, count[n(4)]))
        if n(3) != fewest or n(5) <= n(3) or n(4) not in m.equal:
            raise Wrong("the fewest of %s" % count)
    elif rule == "first of equals":
        ties = [p for p in m.equal if count[p] == fewest]
        expect("figures", (n(0), n(1), n(2), n(3)), (len(ties), len(m.equal), fewest, ties[0]))
        if len(ties) < 2 or own != ties[0] or (g[4] and n(4) not in ties):
            raise Wrong("the first of %s" % ties)
        if via not in (None, own):
            expect("before", g[4], str(via))
    elif rule == "shifted":
        ties = [p for p in m.order if count[p] == fewest]
        total = sum(count[p] for p in m.equal)
        expect("figures", [int(x) for x in g[:7]],
               [total, len(m.equal), total // len(m.equal) % len(m.equal), m.order[0], len(ties), fewest, ties[0]])
        expect("before", g[7], None if via in (None, own) else str(via))
        if own != ties[0] or len(ties) < 2 or via not in (None, own, *ties):
            raise Wrong("the first of %s" % ties)
    elif rule in ("new system", "new node"):
        good = m.new_system if rule == "new system" else m.new_node
        if rule == "new node" and m.new_system:
            raise Wrong("another chassis is there: %s" % m.new_system)
        ties = [p for p in good if count[p] == count[own]]
        base = max(b for b, *_ in st.ends if b <= lid)
        expect("before", g[0], ", ".join(str(st.table[sw, x]) for x in range(max(base, lid - 1) if st.manual else base, lid)) or None)
        expect("own", (n(1), ties[0], count[own]), (own, own, min(count[p] for p in good)))
        if d["alone"] and len(good) > 1:
            raise Wrong("alone of %s" % good)
        rival = d["old"] or d["more"] or d["tie"]
        if via not in (None, own):
            expect("rival", rival, str(via))
        if d["old"] and int(rival) in good or (d["more"] or d["tie"]) and int(rival) not in good:
            raise Wrong("port %s, new are %s" % (rival, good))
        if d["count"]:
            expect("count", int(d["count"]), count[own])
        if d["more"] and (int(d["its"]) != count[int(rival)] or count[int(rival)] <= count[own]):
            raise Wrong("%s had %s of %s" % (rival, d["its"], count))
        if d["tie"] and count[int(rival)] != count[own]:
            raise Wrong("as %s had of %s" % (rival, count))
    elif rule == "least forwarded":
        key = lambda p: m.went.get(st.links[sw][p] if st.engine == "dor" else st.links[sw][p][0], 0)
        ties = [p for p in m.order if count[p] == fewest]
        expect("figures", (n(0), n(1), n(2), n(3), n(4)), (len(ties), len(m.equal), fewest, own, key(own)))
        if key(own) != min(key(p) for p in ties) or own == ties[0]:
            raise Wrong("carries the fewest of %s" % {p: key(p) for p in ties})
        if via not in (None, own):
            expect("other", (n(5), n(6)), (via, key(via)))
    elif rule == "first neighbour":
        expect("figures", (n(0), n(1), n(2), g[3]), (len(m.all), least, m.equal[0], st.links[sw][m.equal[0]][0]))
        expect("dropped", g[4], ", ".join(map(str, sorted(m.dropped))))
        if g[5]:
            expect("cables", (n(5), n(6), n(7)), (len(m.equal), own, count[own]))
        if via not in (None, own) and via not in m.dropped:
            raise Wrong("port %d is not dropped" % via)
    elif rule == "mixed":
        expect("mixed", (st.way(sw, st.links[sw][n(0)][0]), st.way(sw, st.links[sw][n(1)][0]), n(2), g[3]),
               ("U", "D", least, sw))
        if n(0) not in m.all or n(1) not in m.all or n(0) != own:
            raise Wrong("mixed are %s" % m.all)
        inner = [r for r in ("least count", "first of equals", "new system", "new node", "least forwarded")
                 if re.fullmatch(SENTENCES[r], g[4])]
        check_rule(st, sw, lid, None, (inner + ["none"])[0], g[4])
    elif rule == "roots apart":
        expect("roots", (st.rank[sw], st.rank[target], any(lawful.values()), own), (0, 0, False, None))


# --- every engine

def rows_of(lines):
    """The table of candidates in the text: [(chosen, port, {name: figure})]."""
    heads = [i for i, line in enumerate(lines) if re.match(r"  port {2,}\S", line)]
    if not heads:
        return []
    names = re.findall(r"(?:inside|system|node|heap) \w+|\w+", lines[heads[0]])[1:-1]
    rows = []
    for line in lines[heads[0] + 1:]:
        found = re.match(r"([> ]) (\d+|-) +(.*)", line)
        if not found:
            break
        cells = found[3].split(None, len(names))
        rows.append((found[1] == ">", found[2], {n: int(c) for n, c in zip(names, cells) if c != "-"}))
    return rows


def check_candidates(answer, own):
    told = answer.get("choice", {}).get("candidates", [])
    names = {"port", "peer", "peer_guid", "peer_lid", "peer_port", "chip", "chip_guid", "chip_lid"}
    rows = rows_of(answer["text"])
    expect("rows", [(r[1], r[2]) for r in rows],
           [("-" if "chip" in c else str(c["port"]), {k: v for k, v in c.items() if k not in names}) for c in told])
    for chosen, port, _ in rows:
        expect("marked", chosen, port == str(own))


def check_said(answer):
    last = answer["text"][-1]
    expect("text and JSON", last, "Decided: %s: %s" % (answer["rule"], answer["decided"]))


def check_via(st, sw, lid, port, own, entry, answer):
    if port == own:
        expect("own port", (answer["rule"], answer["decided"]), (entry["rule"], entry["decided"]))
        if "this is the port it takes." not in answer["text"][0]:
            raise Wrong("its own port is not in force: %s" % answer["text"][0])
        return
    if "via" in answer:
        v, target = answer["via"], st.at[lid][0]
        none = lambda x: -1 if x is None else x
        expect("ways", (v["port"], v["chosen"], v["links"], v["shortest"]),
               (port, own, none(st.hops(sw, lid)), none(ways_by(st.links, sw, port, target, None))))
        if st.way or st.engine != "ftree":
            expect("lawful", v["lawful"], none(legal(st, sw, lid, port)))
        expect("back", (v["verdict"] == "no way", answer["rule"] == "no way"), (v["shortest"] < 0,) * 2)
    text = answer["decided"]
    named = {int(x) for x in NAMED.findall(text)}
    if text == entry["decided"] and named - {own, port} and port not in named and answer["rule"] not in ("missed", "kept"):
        raise Wrong("against port %d others are compared: %s" % (port, text))
    for word in ("no other", "alone", "only", "nobody else"):
        if word in text and not st.weights and not text.startswith("Within the chassis") and text == entry["decided"] and answer.get("via", {}).get("verdict") in ("equal", "shorter"):
            raise Wrong("\"%s\" and port %d leads there as well" % (word, port))


NAMED = re.compile(r"(?:\b[Pp]orts? |\bas |; |[Pp]orts \d+ and )(\d+)\b")


def check_rivals(own, ports, answers):
    """Who is compared with in the entry's own reason leads there."""
    for word in NAMED.findall(re.sub("Not given: .*|Closed: .*|; max_reverse_hops.*|the first with as few as .*", "", answers[0]["decided"])):
        port = int(word)
        if port != own and port in ports and answers[ports.index(port)]["rule"] in ("no way", "no switch", "detour"):
            raise Wrong("compared is port %d, which leads nowhere" % port)


def elements_of(st):
    """Of every switch the element: a name of the chips of one chassis that are connected within it."""
    of = {}
    for sw in st.alive:
        group = [] if sw in of else [sw]
        for at in group:
            of[at] = sw
            group += {to for to, _ in st.links[at].values() if to not in group and to.split("/")[0] == sw.split("/")[0]}
    return of


def deviator(of, st, sw, lid, port, most):
    """Who sends the LID off all ways of at most `most` cables between elements by that port: switch, port; None: nobody."""
    near = {e: {of[to] for s in of if of[s] == e for to, _ in st.links[s].values()} - {e} for e in of.values()}
    target, left, at = of[st.at[lid][0]], most - 1, of[st.links[sw][port][0]]
    far = distances({e: {n: (n, 0) for n in to - {of[sw]}} for e, to in near.items() if e != of[sw]}, target)
    while at != target and far.get(at, most) <= left:
        out = [(s, st.table[s, lid]) for s in of if of[s] == at]
        (leaves, by), = [(s, p) for s, p in out if of.get(st.links[s].get(p, (s,))[0]) != at]
        at, left = of[st.links[leaves][by][0]], left - 1
        if far.get(at, most) > left:
            return leaves, by
    return None


def check_not_given(st, sw, lid, port, text):
    """The switch told to send the LID elsewhere is the first that leaves every way of that length, which are there."""
    most = re.search(r"[Aa] way of at most (\d+) links? leads here, but|path of at most (\d+) links? that other switches leave", text)
    told = [(sw, port, *t) for t in re.findall(r"leads here, but (\S+) sends this LID out of port (\d+)", text)]
    told = told or re.findall(r"(\S+)\[(\d+)\]: (\S+) sends this LID out of port (\d+)", text)    # of several chips, maybe by the same port
    for chip, by, who, out in told if most else []:
        expect("deviates", (who, int(out)), deviator(elements_of(st), st, chip, lid, int(by), int(most[1] or most[2])))


def check_mincontention(st, sw, own, port, offers, text):
    """Of elements of one chip: the figures are those of the candidates."""
    mine, label = offers[own], re.escape(sw)
    if st.kept_ways and port not in (None, own):
        expect("kept before lengths were looked at", text, st.kept_ways)
    figures = [(r"%s\[(\d+)\] has contention (\d+), %s\[(\d+)\] has (\d+) \(at distances (\d+) and (\d+)\)\.",
                lambda o: [own, mine["contention"], o["port"], o["contention"], mine["distance"], o["distance"]]),
               (r"Contention (\d+) is equal; %s\[(\d+)\] has distance (\d+), %s\[(\d+)\] (\d+)\.",
                lambda o: [mine["contention"], own, mine["distance"], o["port"], o["distance"]]),
               (r"Contention (\d+) and distance (\d+) are equal; %s\[(\d+)\] carried (\d+) LIDs?, %s\[(\d+)\] (\d+)\.",
                lambda o: [mine["contention"], mine["distance"], own, mine["usage"], o["port"], o["usage"]])]
    inside = re.fullmatch(r"Port (\d+) stays within the chassis, which sends this LID out of this chip, by port (\d+)\.", text)
    if inside:
        expect("ports", list(map(int, inside.groups())), [port, own])
        expect("chassis", st.links[sw][port][0].split("/")[0], sw.split("/")[0])
    for form, want in figures:
        found = re.fullmatch(form % (label, label), text)
        if found:
            told = [int(x) for x in found.groups()]
            rivals = [o for o in offers.values() if o["port"] != own and told == want(o) and port in (None, own, o["port"])]
            if not rivals:
                raise Wrong("no candidate has these figures")
    if "is the only path of at most" in text and len(offers) > 1:
        raise Wrong("the only path of %s" % sorted(offers))


WAY = re.compile(r"  (Way of the tables|Shortest way(?: of all| the rule allows)?), (\d+) hops?: (.*)$")
TURN = re.compile(r"  Forbidden turn at (\S+): in by port (\d+), (\w+) from (\S+)\[(\d+)\]; out by port (\d+), (\w+) to (\S+)\[(\d+)\]\.$")


def came_down(st, way):
    """May a packet not go up behind these steps?"""
    down = False
    for _, _, sign in way:
        down = sign == "D" or down and sign == "=" and getattr(st.way, "strict", False)
    return down


def check_ways(st, sw, lid, answer):
    """Each way told is there, leads to the destination's switch, and turns where it is told."""
    way, target = [], st.at[lid][0]
    for line in answer["text"]:
        found, turn = WAY.match(line), TURN.match(line)
        if line.startswith("  Forbidden turn") and not turn:
            raise Wrong("no such turn: %s" % line)
        if found and "..." not in found[3]:
            words, way = re.split(r" -(?:([UD=])-)?> ", found[3]), []
            expect("end of the way", words[-1], target)
            at = sw
            for word, sign in zip(words[::2], words[1::2]):
                name, port = re.fullmatch(r"(.+)\[(\d+)\]", word).groups()
                expect("way", (name, int(port) in st.links[name]), (at, True))
                if found[1] == "Way of the tables":
                    expect("way of the tables", int(port), st.table.get((name, lid)))
                at = st.links[name][int(port)][0]
                if sign and st.way:
                    expect("direction", sign, st.way(name, at))
                way.append((name, int(port), sign))
            expect("hops", int(found[2]), len(way))
            expect("way's end", at, target)
        if turn:
            turns = [(b[0], st.links[a[0]][a[1]][1], {"D": "down", "=": "level"}[a[2]], a[0], a[1], b[1], *st.links[b[0]][b[1]])
                     for i, (a, b) in enumerate(zip(way, way[1:])) if b[2] == "U" and came_down(st, way[:i + 1])]
            told = (turn[1], int(turn[2]), turn[3], turn[4], int(turn[5]), int(turn[6]), turn[8], int(turn[9]))
            expect("turn", told, turns[0] if turns else None)


EXCLUSIVE = re.compile(r"\b(alone|only|no other|nobody else|every)\b", re.I)


def check_alone(st, sw, own, ports, answers):
    """Nothing is told to be the only one where `via` tells of another way as short that the rule allows."""
    entry = answers[0]
    word = EXCLUSIVE.search(re.sub("alone leads to another (chassis|node)|the only path of at most \\d+ links? that other switches leave open|"
                                 "no other port offered an open way|its only parent", "", entry["decided"]))
    if st.model and "nobody else offered one" in entry["decided"]:
        return      # others that were there, but were not offered, are told as such
    if not word or st.weights or entry["decided"].startswith("Within the chassis"):
        return
    for port, answer in zip(ports[1:], answers[1:]):
        v = answer.get("via")
        if port == own or not v or v["lawful"] < 0 or v["links"] < 0 or v["lawful"] > v["links"]:
            continue
        if answer["rule"] in ("blocked", "kept") or entry["rule"] == "kept":
            continue
        priced = re.search(r"port \d+ has (\d+) in the hop matrix, port \d+ (\d+)\.", answer["decided"])
        if priced and "in the hop matrix" in entry["decided"] and int(priced[1]) > int(priced[2]):
            continue    # the only one by the figure that counts: connect_roots makes the other dearer there
        if st.links[sw][port][0] == st.links[sw].get(own, (None,))[0] and not re.search(r"Ports? \d+ alone", entry["decided"]):
            continue    # a neighbour is told to be the only one, and this is a cable to it
        raise Wrong("\"%s\", and `via %d`: %s" % (word[0], port, answer["decided"]))


def check_run(st, sw, lid, port, answer):
    """What the model of the whole run has: rule, sentence, candidates."""
    rule, sentence = st.run.reason(sw, lid, port)
    if answer["rule"] != rule or not re.fullmatch(sentence, answer["decided"]):
        raise Wrong("the model has %s: %s" % (rule, re.sub(r"\\\\(.)", r"\\1", sentence)))
    if port is None:
        told = {c["port"]: {k: v for k, v in c.items() if k != "port" and not k.startswith("peer")} for c in answer["choice"]["candidates"]}
        expect("columns", told, st.run.columns(sw, lid))
        expect("name", answer["choice"]["rule"], st.run.short_rule(sw, lid))


# modules with drawn(): a fabric and options; model(): the tables; pairs() and check(): what is wrong with SLs and answers
SIMULATED = {"ftree": climbed, "nue": escaped, "torus-2QoS": torus}


def check_entry(st, sw, lid, answers):
    """answers: `why` of the entry, then of each of its ports."""
    entry, own = answers[0], st.table.get((sw, lid))
    ports = [None] + st.ports(sw)
    for port, answer in zip(ports, answers):
        try:
            check_said(answer)
            check_ways(st, sw, lid, answer)
            if st.engine == "torus-2QoS" and sw[0] == "m" and re.search(r"other way|ring|round", answer["rule"] + answer["decided"]):
                raise Wrong("a mesh has no rings: %s" % answer["decided"])
            st.kept_ways = entry["decided"] if entry["rule"] == "kept" else None
            offers = {c["port"]: c for c in entry.get("choice", {}).get("candidates", []) if "chip" not in c}
            if st.engine == "mincontention" and own in offers and answer["rule"] not in ("no way", "no switch", "forbidden"):
                check_mincontention(st, sw, own, port, offers, answer["decided"])
            if st.engine == "mincontention":
                check_not_given(st, sw, lid, port, answer["decided"])
            if port is None:
                check_rivals(own, ports, answers)
                check_alone(st, sw, own, ports, answers)
                check_candidates(answer, own)
                if st.moments:
                    check_columns(st, sw, lid, answer["choice"]["candidates"])
                if "choice" in answer:
                    expect("port", answer["choice"]["port"], own)
            else:
                check_via(st, sw, lid, port, own, entry, answer)
            if st.moments:
                check_rule(st, sw, lid, port, answer["rule"], answer["decided"])
            if st.run:
                check_run(st, sw, lid, port, answer)
            if st.model:
                SIMULATED[st.engine].check(st.model, st, sw, lid, port, own, answer)
        except Wrong as e:
            yield "why %s %d%s: %s\n    %s" % (sw, lid, "" if port is None else " via %d" % port, e,
                                             "\n    ".join(answer["text"]))


def value_of(text):
    """The number in the words of a value; None: words alone."""
    found = re.fullmatch(r"(?:port |layer )?(-?\d+)(?: hops?)?", text)
    return int(found[1]) if found else None


def check_step(answer):
    """`step show`: deltas and candidates of the text are those of the JSON, and a route counted is among them."""
    text, told = answer["text"], []
    if "; counted" in answer["sentence"]:
        expect("counted", [d["now"] - d["was"] for d in answer["deltas"] if d["table"] == "count"], [1])
    for line in text:
        found = re.match(r"       ([\w ]+?) of (.+): (.+), was (.+)$", line)
        if found:
            told.append(found.groups())
    deltas = answer["deltas"]
    places = [(d["table"], d["where"]) for d in deltas]
    if len(set(places)) != len(places):
        raise Wrong("two cells of one name in %s" % places)
    expect("changes", [t[:2] for t in told], places[:20])
    for t, d in zip(told, deltas):
        if t[0] not in ("entry", "hops", "hops before", "count", "weight", "distance", "rank", "routes"):
            continue
        for word, number in ((t[2], d["now"]), (t[3], d["was"])):
            expect("value", (value_of(word) if word != "none" else number), number if value_of(word) is not None or
                   word == "none" else None)
    more = [int(m[1]) for m in (re.match(r"       and (\d+) more changes?$", line) for line in text) if m]
    expect("more changes", sum(more), max(0, min(1000, len(deltas)) - 20) if len(deltas) < 1000 else sum(more))
    rows = rows_of([line[7:] for line in text])
    skipped = {"port", "peer", "peer_guid", "peer_lid", "peer_port", "chip", "chip_guid", "chip_lid", "taken"}
    expect("candidates", [(r[0], r[1], r[2]) for r in rows],
           [(c["taken"], "-" if "chip" in c else str(c["port"]), {k: v for k, v in c.items() if k not in skipped})
            for c in answer["candidates"]])
    if answer["told"].strip() and answer["told"].splitlines()[-1].strip() not in [line.strip() for line in text]:
        raise Wrong("not in the text: %s" % answer["told"])


# --- trials

def drawn(dice, engine):
    """A fabric, the engine's options, and what it needs beside them: switches that are roots, a file."""
    n, seed, options, roots = dice.randrange(4, 12), dice.randrange(1000), [], False
    a, b, c = (dice.randrange(2, 4) for _ in range(3))
    any_spec = ["random:%d,%d,seed=%d,shuffle=1" % (n, dice.randrange(2, 4), seed),
                "random:%d,3,seed=%d,shuffle=1,parallel=1,hosts_on=2" % (n + 2, seed),
                "random:%d,2,seed=%d,parallel=2,hosts=2" % (n, seed), "torus:%dx%d" % (a, b + 1), "mesh:%dx%d" % (a, b + 1),
                "ring:%d" % n, "hypercube:3"]
    trees = ["xgft:%d,%d:1,%d" % (a, b, c), "xgft:%d,%d,%d:1,%d,%d" % (a, b, 2, b, c),
             "xgft:%d,%d:1,%d,hosts_on=all" % (a, b, c), "xgft:%d,%d:1,%d,parallel=2" % (a, b, c)]
    boxes = ["director:%d,%d,%d,%d" % tuple(dice.randrange(1, 4) for _ in range(4))]
    spec = dice.choice({"torus-2QoS": ["torus:%dx%d" % (b + 1, c + 1), "torus:4x4,parallel=2", "mesh:%dx%d" % (b + 1, c + 1)],
                        "ftree": trees, "mincontention": any_spec + boxes, "minhop": any_spec + trees + boxes,
                        "dnup": any_spec[:2] + trees + ["random:%d,3,seed=%d,shuffle=1,parallel=1,hosts_on=2" % (n + 6, seed)] * 3}.get(engine, any_spec + trees))
    if engine in ("updn", "dnup") and dice.randrange(4) == 0:
        options.append("connect_roots=TRUE")
    if engine == "lash" and dice.randrange(2):
        options.append("do_mesh_analysis=TRUE")
    if engine in ("minhop", "dor"):
        options.append("port_shifting=%s" % dice.choice(["TRUE", "FALSE"]))
    if engine in ("nue", "torus-2QoS") or engine in ("dfsssp", "lash") and dice.randrange(2):
        options.append("qos=TRUE")
    if engine == "minhop" and dice.randrange(4) == 0:
        options.append("rules=manual")
    if engine == "mincontention":
        options.append("tolerance=%d" % dice.randrange(3))
    roots = engine == "updn"
    lmc = 0 if engine in ("lash", "ftree") else dice.choice([0, 0, 1, 2])
    if engine in ("sssp", "dfsssp") and dice.randrange(6) == 0:     # so much between two places that a longer way gets lighter
        n = dice.choice([13, 15, 17])
        spec, lmc = "ring:%d,hosts_on=%d,hosts=%d" % (n, n // 2 + 1, dice.randrange(8, 13)), 2
    return spec, ["lmc=%d" % lmc] + options, lmc, roots


def trial(engine, number, folder):
    dice = random.Random("%d %s %d reasons" % (SEED, engine, number))
    spec, options, lmc, rooted = drawn(dice, engine)
    save = lambda spec: program(["synth " + spec, "route minhop lmc=%d" % lmc, "save -"])[2]["content"]
    setup = None
    if engine in SIMULATED:
        spec, more, setup = SIMULATED[engine].drawn(dice, folder, number, save)
        options += more
    net = Net(save(spec))
    start, roots = ["synth " + spec], []
    if rooted:
        top = [s for s in net.guid if s.startswith(("spine", "core"))]
        roots = top if top and dice.randrange(3) else dice.sample(sorted(net.guid), dice.randrange(1, 3))
        name = os.path.join(folder, "roots-%d" % number)
        with open(name, "w", encoding="ascii") as f:
            f.writelines("0x%x\n" % net.guid[r] for r in roots)
        options.append("root_guid_file=" + name)
    if engine == "torus-2QoS":
        name = os.path.join(folder, "torus-%d" % number)
        start += ["torus-conf " + name, "set torus_config " + name]
    weights = {}
    if engine in ("minhop", "dor") and dice.randrange(5) == 0:
        weights = {a: dice.randrange(1, 4) for a in sorted(net.peer)}
        name = os.path.join(folder, "weights-%d" % number)
        with open(name, "w", encoding="ascii") as f:
            f.writelines("0x%x %d %d\n" % (net.guid[s], p, w) for (s, p), w in weights.items())
        options.append("hop_weights_file=" + name)
    start.append("route %s,no_fallback %s" % (engine, " ".join(options)))
    told = "%s %d: SEED=%d %s" % (engine, number, SEED, "; ".join(start))
    cables = [a for a in dice.sample(sorted(net.peer), len(net.peer)) if net.joined({a, net.peer[a]})][:1]
    cables += [(s, h[0][0]) for s, h in net.hosts.items() if h][:1]
    dice.shuffle(cables)
    events = [[], cables[:1]] if cables else [[]]
    had, wrong, asked, rand = None, 0, 0, layered.glibc_rand()
    if engine == "torus-2QoS" and len(net.order) > 4 and dice.randrange(2):     # a whole switch, but that of the manager
        lost = dice.choice(sorted(net.guid)[1:])
        events[1:] = [[(lost, p) for p in sorted({p for s, p in net.peer if s == lost} | {p for p, _ in net.hosts[lost]})]]
    for gone in events:
        lines = start + ["fail link %s[%d]" % a for a in gone]
        try:
            said = ask(lines + ["export lfts -", "export paths -", "step start", "step to 1"])
            table, steps = tables_of(net, said[-4]["content"]), said[-1]["of"]
        except RuntimeError as e:
            if "refused" in str(e) or "no_fallback" in str(e):
                wrong += setup is not None and not gone
                break
            raise
        down = set(gone) | {net.peer[a] for a in gone if a in net.peer}
        st = State(net, engine, down, set(gone), table, lmc, "port_shifting=TRUE" in options, roots, had,
                   "rules=manual" in options, weights, rand, "do_mesh_analysis=TRUE" in options)
        if setup:
            st.model = SIMULATED[engine].model(setup, st, down)
            if st.model.table != table:
                print("%s, failed %s: the simulation has other tables" % (told, gone))
                wrong += 1
                break
            for text in SIMULATED[engine].pairs(st.model, st, sls_of(said[-3]["content"])):
                print("%s, failed %s: %s" % (told, gone, text))
                wrong += 1
        modelled = st.moments and "connect_roots=TRUE" not in options
        if not modelled:
            st.moments = None
        if (modelled and st.expected or st.run and st.run.table or table) != table:
            print("%s, failed %s: the model has other tables" % (told, gone))
            wrong += 1
            break
        had = table
        entries = [(s, lid) for s in net.guid if s in st.alive for lid in st.at]
        if ASKED and len(entries) > ASKED:
            rare = [e for e in entries if st.moments and missed_by_search(st, *e) or
                    st.run and st.run.reason(*e, None)[0] == "longer but lighter" or engine == "nue" and st.model.rare(e)]
            rare = dice.sample(rare, min(len(rare), ASKED // 2))
            entries = rare + dice.sample([e for e in entries if e not in rare], ASKED - len(rare))
        questions = [["why %s %d" % e] + ["why %s %d via %d" % (*e, p) for p in st.ports(e[0])] for e in entries]
        numbers = [dice.randrange(1, steps + 1) for _ in range(STEPS)]
        if st.run and len(st.run.events) == steps:      # of each kind alike, rare ones too
            of_kind = {}
            for i, event in enumerate(st.run.events):
                of_kind.setdefault(st.run.sort_of(event), []).append(i + 1)
            numbers = [dice.choice(of_kind[k]) for k in dice.choices(sorted(of_kind), k=STEPS)]
        shown = sum((["step to %d" % n, "step show"] for n in numbers), ["step start"])
        shown += ["step to 1"] + ["lft " + s for s in st.alive]
        more = st.run.asked(dice, "qos=TRUE" in options) if st.run else []
        if st.model:
            more = SIMULATED[engine].asked(st.model, dice)
        answers = ask(lines + [c for c, _ in more] + sum(questions, []) + shown)[len(lines):]
        for (command, judge), answer in zip(more, answers):
            asked += 1
            for what, told_it, want in judge(answer):
                if told_it != want:
                    wrong += 1
                    print("%s, failed %s: %s: %s: told %s, the model has %s" % (told, gone, command, what, told_it, want))
        answers = answers[len(more):]
        answers, tables = answers[:-len(st.alive) - 1], answers[-len(st.alive):]
        early = [(s, x) for s, a in zip(st.alive, tables) for x in a["entries"] if x["port"] != NO_PORT and "unwritten" not in x]
        if early and steps > 1:
            wrong += 1
            print("%s, failed %s: `lft` at step 1 holds entries of later ones: %s" % (told, gone, early[:5]))
        for answer in answers[len(answers) - 2 * STEPS + 1::2]:
            asked += 1
            try:
                check_step(answer)
                if st.run:
                    expect("steps", answer["of"], len(st.run.events))
                    kind, wrong_words = st.run.step(answer["step"], answer["sentence"])
                    expect("kind", answer["kind"], kind)
                    if wrong_words:
                        raise Wrong("the model: %s" % wrong_words)
            except Wrong as e:
                wrong += 1
                print("%s, failed %s: step %d: %s\n    %s" % (told, gone, answer["step"], e, "\n    ".join(answer["text"])))
        of_entries = iter(answers)
        for (sw, lid), q in zip(entries, questions):
            asked += len(q)
            for text in check_entry(st, sw, lid, [*itertools.islice(of_entries, len(q))]):
                wrong += 1
                if wrong <= 3:
                    print("%s, failed %s: %s" % (told, gone, text))
    return wrong, asked


def main():
    passed = failed = asked = 0
    print("random fabrics: SEED=%d" % SEED)
    engines = sys.argv[1:] or ["minhop", "dor", "updn", "dnup", "ftree", "lash", "sssp", "dfsssp", "nue", "torus-2QoS",
                               "mincontention"]
    with tempfile.TemporaryDirectory() as folder:
        for engine in engines:
            for number in range(FIRST, FIRST + REASONED):
                wrong, n = trial(engine, number, folder)
                asked += n
                failed += wrong > 0
                passed += not wrong
    print("%d questions" % asked)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
