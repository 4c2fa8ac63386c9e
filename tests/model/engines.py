#!/usr/bin/env python3
"""Min Hop, Up/Down and LASH against models of their rules that share no code with the program.

Min Hop: every entry, by least hops and the rule of counters (engines/doc/minhop.md, sections 5, 6 and 8; with `rules
manual` the words of opensm(8) for several LIDs a port).  Up/Down: every entry, by ranks and the search of
engines/doc/updn.md; where no cable joins switches of one rank, no path goes up after it went down, and none is longer
than the shortest such way; all SLs are 0.  LASH: least hops, one SL for both directions, no cycle of channels in
a layer, as many layers as are told.  Fat-tree with `rules manual`: which I/O ports max_reverse_hops joins.

Fabrics: random ones, before and after a link fails; new in every run (SEED repeats one, MODELLED=N draws N of each).
Environment: IBSCOPE=build/ibscope.  The last line is "N passed, N failed".
"""
import os
import random
import re
import sys
import tempfile

from guide import SEED, Fabric, different, program, tables_of

MODELLED = int(os.environ.get("MODELLED", "15"))


def turned(guid):
    return int.from_bytes(guid.to_bytes(8, "little"), "big")


class Net(Fabric):
    """Cables among switches, those that are down taken out by `without`; who shares a system image."""

    def __init__(self, saved):
        super().__init__(saved)
        names = {guid: name for name, guid in self.guid.items()}
        self.system = {names[int(s[1], 16)]: int(s[0], 16) for s in
                       re.findall(r"sysimgguid=0x(\w+)\nswitchguid=0x(\w+)\(", saved)}
        self.order = sorted(self.guid, key=lambda s: turned(self.guid[s]))
        self.hosts = {s: [] for s in self.guid}     # switch -> (port, LID) by port
        self.lid = {}
        for kind, base, sw, port in self.dests:
            if kind:
                self.lid[sw] = base
            else:
                self.hosts[sw].append((port, base))
        for s in self.hosts:
            self.hosts[s].sort()
        # the endports in the order in which they are routed: (LID, switch, port, host?)
        by_hosts = sorted(self.order, key=lambda s: -len(self.hosts[s]))
        self.ends = [(lid, s, p, True) for s in by_hosts for p, lid in self.hosts[s]]
        self.ends += [(self.lid[s], s, 0, False) for s in self.order]

    def links(self, down):
        """switch -> {port: (switch, port)} by port number, without the cables in `down`."""
        all_links = {s: {} for s in self.guid}
        for a in sorted(self.peer):
            if a not in down and self.peer[a] not in down:
                all_links[a[0]][a[1]] = self.peer[a]
        return all_links

    def joined(self, down):
        links, seen = self.links(down), [self.order[0]]
        for at in seen:
            seen += {b for b, _ in links[at].values()} - set(seen)
        return len(seen) == len(self.guid)


def distances(links, target):
    far, queue = {target: 0}, [target]
    for at in queue:
        for b, _ in links[at].values():
            if b not in far:
                far[b] = far[at] + 1
                queue.append(b)
    return far


def hop_matrix(links):
    """target -> (switch, port) -> hops of a way by that port."""
    matrix = {}
    for t in links:
        far = distances(links, t)
        matrix[t] = {(s, p): far[b] + 1 for s in links for p, (b, _) in links[s].items() if b in far and s != b}
    return matrix


def assigned(net, links, matrix, lmc=0, manual=False, had=None):
    """All entries: the ports of least hops of each switch, by the counters; `had`: the tables before, kept where they may be."""
    table = {}
    for s in net.guid:
        count, went = {}, {}
        for off in range(1 << lmc):
            for base, at, port, host in net.ends:
                lid = base + off
                if off and not host:
                    continue
                if at == s:
                    choice = port
                else:
                    ways = {p: matrix[at][s, p] for p in links[s] if (s, p) in matrix[at]}
                    least = min(ways.values(), default=None)
                    equal = [p for p in sorted(ways) if ways[p] == least]
                    before = table.get((s, lid - 1)) if off else None
                    start = before + 1 if off and before is not None else 1
                    equal = [p for p in equal if p >= start] + [p for p in equal if p < start]
                    kept = had.get((s, lid)) if had else None
                    if not equal:
                        continue
                    if kept in equal:
                        choice = kept
                    elif manual:
                        choice = another_than(net, links[s], equal, count, [before] if before else [])
                    else:
                        choice = another_than_all(net, links[s], equal, count, went.get(base, {}))
                table[s, lid] = choice
                if host:
                    count[choice] = count.get(choice, 0) + 1
                    if choice and choice in links[s]:
                        tracks = went.setdefault(base, {})
                        node = links[s][choice][0]
                        tracks[node] = tracks.get(node, 0) + 1
    return table


def another_than(net, links, equal, count, before):
    """opensm(8): another system than that of the LID before, else another node, else the count."""
    nodes = {links[p][0] for p in before}
    systems = {net.system[n] for n in nodes}
    for good in ([p for p in equal if net.system[links[p][0]] not in systems],
                 [p for p in equal if links[p][0] not in nodes], equal):
        if good:
            return min(good, key=lambda p: count.get(p, 0))
    return None


def another_than_all(net, links, equal, count, went):
    """OpenSM: another than all before; in the end the count, and of equals what a running least tells."""
    systems = {net.system[n] for n in went}
    new = [p for p in equal if net.system[links[p][0]] not in systems]
    if new:
        return min(new, key=lambda p: count.get(p, 0))
    new = [p for p in equal if links[p][0] not in went]
    if new:
        return min(new, key=lambda p: count.get(p, 0))
    best = fewest = None
    least_forwarded = float("inf")
    for p in equal:
        c, forwarded = count.get(p, 0), went[links[p][0]]
        if fewest is None or c < fewest:
            best, fewest = p, c
            least_forwarded = min(least_forwarded, forwarded)
        elif c == fewest and forwarded < least_forwarded:
            best, least_forwarded = p, forwarded
    return best


# --- Up/Down

def ranks_of(links, roots):
    rank, queue = {r: 0 for r in roots}, list(roots)
    for at in queue:
        for b, _ in links[at].values():
            if b not in rank:
                rank[b] = rank[at] + 1
                queue.append(b)
    return rank


def goes_up(net, rank, a, b):
    """Does a step of a search go up?  Packets go the other way."""
    if rank[a] == rank[b]:
        return rank[a] == 0 or net.guid[a] > net.guid[b]
    return rank[a] > rank[b]


def updown_matrix(net, links, rank):
    matrix = {}
    for t in links:
        cost, least, way, queue, waiting = {}, {t: 0}, {t: True}, [t], set()
        while queue:
            at = queue.pop(0)
            waiting.discard(at)
            up = way[at]
            for p in sorted(links[at]):
                b, q = links[at][p]
                step = goes_up(net, rank, at, b)
                if not up and step:
                    continue
                if least[at] + 1 < cost.get((b, q), 255):
                    cost[b, q] = least[at] + 1
                    least[b] = min(least.get(b, 255), least[at] + 1)
                    if b not in waiting:
                        way[b] = step
                        waiting.add(b)
                        queue.append(b)
        matrix[t] = cost
    return matrix


def legal_length(links, rank, a, b):
    """Fewest cables of a way from a to b that goes up, then down; None: there is none."""
    far, queue = {(a, False): 0}, [(a, False)]
    for at, down in queue:
        if at == b:
            return far[at, down]
        for n, _ in links[at].values():
            state = (n, rank[n] > rank[at])
            if not (down and rank[n] < rank[at]) and state not in far:
                far[state] = far[at, down] + 1
                queue.append(state)
    return None


def path(net, links, table, a, lid, end):
    """Switches from a to the LID's switch; None when there is none."""
    walked = [a]
    while walked[-1] != end:
        port = table.get((walked[-1], lid))
        if port not in links[walked[-1]] or len(walked) > len(net.guid):
            return None
        walked.append(links[walked[-1]][port][0])
    return walked


def updown_wrongs(net, links, rank, table):
    if any(rank[a] == rank[b] for a in links for b, _ in links[a].values()):
        return      # OpenSM's search has gaps there: the entries are compared, and that is all
    for lid, end, _, _ in net.ends:
        for a in net.guid:
            p = path(net, links, table, a, lid, end)
            want = legal_length(links, rank, a, end)
            if (len(p) - 1 if p else None) != want:
                yield "%s to LID %d: %s, the shortest way up and down has %s links" % (a, lid, p, want)
            elif p:
                steps = [rank[y] < rank[x] for x, y in zip(p, p[1:])]
                if any(not x and y for x, y in zip(steps, steps[1:])):
                    yield "%s to LID %d goes up after down: %s" % (a, lid, p)


# --- LASH

def sls_of(text):
    return {(int(s), int(d)): sl for s, d, sl, _ in (line.split() for line in text.splitlines())}


def has_cycle(after):
    left = {c: 0 for c in after}
    for c in after:
        for d in after[c]:
            left[d] = left.get(d, 0) + 1
    free = [c for c in left if not left[c]]
    for c in free:
        for d in after.get(c, ()):
            left[d] -= 1
            if not left[d]:
                free.append(d)
    return len(free) < len(left)


def walked(links, table, a, lid, end):
    """Channels of the way from a switch to a LID at another; None: it does not arrive."""
    channels = []
    while a != end and len(channels) <= len(links):
        channels.append((a, table.get((a, lid))))
        a = links[a].get(channels[-1][1], (None, 0))[0]
        if a is None:
            return None
    return channels if a == end else None


def sl_wrongs(net, links, before, after, told, checked, listed):
    """What is told of pairs with another SL, and of the loops that old SLs close on the new tables."""
    at = {lid: s for s in net.hosts for _, lid in net.hosts[s]}
    (links_a, table_a, sls_a), (table_b, sls_b) = before, after
    changed, alone, held = {}, 0, {}
    for (a, b), sl in sls_b.items():
        if a not in at or b not in at:
            continue
        way = walked(links, table_b, at[a], b, at[b])
        for c, d in zip(way, way[1:]):
            held.setdefault(sls_a[a, b], {}).setdefault(c, set()).add(d)
        if sls_a[a, b] != sl:
            changed[a, b] = (sls_a[a, b], sl)
            alone += walked(links_a, table_a, at[a], b, at[b]) == way
    if (told["sl_changed"], told["sl_alone"]) != (len(changed), alone):
        yield "%s of another SL told, expected %s" % ((told["sl_changed"], told["sl_alone"]), (len(changed), alone))
    rows = {(x["src_lid"], x["dlid"]): (x["sl_before"], x["sl_after"])
            for x in listed if "sl_after" in x}
    if rows != changed:
        yield "diff lists %d pairs with another SL, expected %d" % (len(rows), len(changed))
    loops = any(has_cycle(graph) for graph in held.values())
    if bool(changed) != ("held_sls" in checked) or (changed and (checked["held_sls"]["credit_loops"] > 0) != loops):
        yield "check tells %s of old SLs, expected loops: %s" % (checked.get("held_sls"), loops)


def lash_wrongs(net, links, table, sls, layers):
    at = {lid: s for s in net.hosts for _, lid in net.hosts[s]}
    after = {}
    for (a, b), sl in sls.items():
        if a not in at or b not in at:
            continue
        if sls.get((b, a)) != sl:
            yield "LID %d to %d has SL %s, back %s" % (a, b, sl, sls.get((b, a)))
        channels = walked(links, table, at[a], b, at[b])
        want = distances(links, at[b]).get(at[a])
        if channels is None or len(channels) != want:
            yield "LID %d to %d takes %s, the fewest are %s" % (a, b, channels, want)
            continue
        graph = after.setdefault(sl, {})
        for c, d in zip(channels, channels[1:]):
            graph.setdefault(c, set()).add(d)
    for sl, graph in after.items():
        if has_cycle(graph):
            yield "a cycle of channels on SL %s" % sl
    used = {}
    for (a, b), sl in sls.items():
        if a in at and b in at:
            used[sl] = used.get(sl, 0) + 1
    if used != layers:
        yield "pairs of hosts a layer: %s, told are %s" % (used, layers)


# --- ways back

def other_back(links, table, ends):
    """(pairs of hosts with a path both ways, those of them that come back by other cables), by their first LIDs."""
    pairs = other = 0
    for i, (a, s, _, _) in enumerate(ends):
        for b, t, _, _ in ends[i + 1:]:
            there, back = walked(links, table, s, b, t), walked(links, table, t, a, s)
            if there is not None and back is not None:
                pairs += 1
                other += [links[c][p] for c, p in there] != back[::-1]
    return pairs, other


# --- fat-tree, max_reverse_hops by the manual

def fewest_turns(links, rank, end):
    """switch -> fewest switches that a route to `end` passes the wrong way round, down to them and up again."""
    least = {(end, False): 0}       # (switch, its route begins with a step up)
    now = [(end, False)]
    while now:
        later = []
        for at, up in now:
            for b, _ in links[at].values():     # b takes a step to `at`
                state, turns = (b, rank[at] < rank[b]), least[at, up] + (up and rank[at] > rank[b])
                if turns < least.get(state, 1 << 20):
                    least[state] = turns
                    (now if turns == least[at, up] else later).append(state)
        now = later
    found = {}
    for (s, _), turns in least.items():
        found[s] = min(turns, found.get(s, turns))
    return found


def turns_of(way, rank):
    steps = [rank[b] < rank[a] for a, b in zip(way, way[1:])]
    return sum(not x and y for x, y in zip(steps, steps[1:]))


def reverse_trial(number):
    """I/O ports on all levels of a tree with cables missing: each reaches and is reached by what the manual says."""
    dice = random.Random("%d reverse %d" % (SEED, number))
    spec = "xgft:%s,hosts_on=all,hosts=1" % dice.choice(["2,2:1,3", "2,3:1,3", "3,3:1,2", "2,2,2:1,2,2", "2,3,2:1,2,3"])
    most = dice.randrange(4)
    net = Net(program(["synth " + spec, "route minhop", "save -"])[2]["content"])
    down, top = set(), [s for s in net.guid if s.startswith("core")] or [s for s in net.guid if s.startswith("spine")]
    for a in dice.sample(sorted(net.peer), dice.randrange(4)):
        if net.joined(down | {a, net.peer[a]}):
            down |= {a, net.peer[a]}
    links = net.links(down)
    rank = ranks_of(links, top)
    names = {lid: r["name"] for r in program(["synth " + spec, "route minhop", "list hosts"])[2]["rows"] for lid in [r["lid"]]}
    leaf = {s: s.startswith("leaf") for s in net.guid}
    told = "ftree %d: SEED=%d %s max_reverse_hops %d, failed %s" % (number, SEED, spec, most, sorted(down))
    said = program(["synth " + spec] + ["fail link %s[%d]" % a for a in sorted(down) if a < net.peer[a]] + [
        "route ftree rules=manual max_reverse_hops=%d root_guid_file=%s cn_guid_file=%s io_guid_file=%s" % (
            most, ",".join(top), ",".join(names[l] for s in net.hosts if leaf[s] for _, l in net.hosts[s]),
            ",".join(names[l] for s in net.hosts if not leaf[s] for _, l in net.hosts[s]))] + ["export lfts -"])
    if said[-2]["refusals"] or any(rank[a] == rank[b] for a in links for b, _ in links[a].values()):
        return None
    table, wrong = tables_of(net, said[-1]["content"]), False
    for end in net.hosts:
        want = fewest_turns(links, rank, end)
        for _, lid in net.hosts[end] if not leaf[end] else []:
            for s in net.guid:
                way = path(net, links, table, s, lid, end)
                if (way is not None) != (want.get(s, 99) <= most) or (way and turns_of(way, rank) > most):
                    print("%s: %s to LID %d goes by %s, with %s turns at least" % (told, s, lid, way, want.get(s)))
                    wrong = True
    return wrong


# --- trials

def drawn_spec(dice, tree):
    n = dice.randrange(5, 16)
    if tree:
        a, b, c = (dice.randrange(2, 4) for _ in range(3))
        return dice.choice(["xgft:%d,%d:1,%d" % (a, b + 1, c), "xgft:%d,%d,%d:1,%d,%d" % (a, b, c, b, dice.randrange(1, 4)),
                            "xgft:%d,%d:1,%d,hosts_on=all,hosts=1" % (a, b, c), "random:%d,3,seed=%d" % (n, dice.randrange(999))])
    return dice.choice([
        "random:%d,%d,seed=%d,shuffle=1" % (n, dice.randrange(2, 5), dice.randrange(1000)),
        "random:%d,2,seed=%d,parallel=2,hosts_on=2" % (n, dice.randrange(1000)),
        "director:%d,%d,%d,%d" % tuple(dice.randrange(1, 4) for _ in range(4)),
        "torus:%dx%d" % (dice.randrange(2, 5), dice.randrange(2, 5)), "hyperx:3x3", "ring:%d" % dice.randrange(4, 9)])


def trial(engine, number, folder):
    dice = random.Random("%d %s %d" % (SEED, engine, number))
    spec = drawn_spec(dice, engine == "updn")
    lmc = dice.randrange(3) if engine == "minhop" else 0
    net = Net(program(["synth " + spec, "route minhop lmc=%d" % lmc, "save -"])[2]["content"])
    manual = engine == "minhop" and dice.randrange(2) == 1
    roots = []
    options = "lmc=%d rules=%s" % (lmc, "manual" if manual else "opensm")
    if engine == "updn":
        top = [s for s in net.guid if s.startswith("spine") or s.startswith("core")]
        roots = top if top and dice.randrange(4) else dice.sample(sorted(net.guid), dice.randrange(1, 3))
        name = os.path.join(folder, "roots-%d" % number)
        with open(name, "w", encoding="ascii") as f:
            f.writelines("0x%x\n" % net.guid[r] for r in roots)
        options = "root_guid_file=" + name
    if engine == "lash":
        options = "qos=TRUE"
    told = "%s %d: SEED=%d %s %s roots %s" % (engine, number, SEED, spec, options, roots)
    fails = [a for a in dice.sample(sorted(net.peer), len(net.peer)) if net.joined({a, net.peer[a]})][:1]
    look = ["export lfts -", "export paths -", "layers" if engine == "lash" else "show"]
    said = program(["synth " + spec, "route %s %s" % (engine, options)] + look +
                   sum((["fail link %s[%d]" % a] + look + ["check", "diff all"] for a in fails), []) + ["list pairs"])
    had, wrong, before = None, False, None
    for i, down in enumerate([set()] + [{a, net.peer[a]} for a in fails]):
        lfts, paths, layers = said[2 + 4 * i:5 + 4 * i]
        links, got, sls = net.links(down), tables_of(net, lfts["content"]), sls_of(paths["content"])
        name = told + ", failed %s" % sorted(down) if down else told
        wrongs = []
        if engine == "lash":
            wrongs = list(lash_wrongs(net, links, got, sls, {str(x["vl"]): x["routes"] for x in layers["layers"]}))
            if down:
                wrongs += sl_wrongs(net, links, before, (got, sls), said[5]["change"], said[9], said[10]["pairs"])
            before = (links, got, sls)
        else:
            rank = ranks_of(links, roots)
            matrix = hop_matrix(links) if engine == "minhop" else updown_matrix(net, links, rank)
            had = assigned(net, links, matrix, lmc, manual, had)
            wrong |= different(name, got, had)
            if engine == "updn":
                wrongs = list(updown_wrongs(net, links, rank, got))
            wrongs += ["SL %s of %s" % (sl, pair) for pair, sl in sls.items() if sl not in ("0", "-")]
        for text in wrongs[:3]:
            print(name + ": " + text)
        wrong |= bool(wrongs)
    back = re.search(r"(\d+) of (\d+) come back by other cables", said[-1]["title"])
    want = other_back(links, got, [e for e in net.ends if e[3]])
    if not back or (int(back[2]), int(back[1])) != want:
        print("%s: ways back: %s, expected %s" % (told, said[-1]["title"], want))
        wrong = True
    return wrong


def main():
    passed = failed = 0
    print("random fabrics: SEED=%d" % SEED)
    with tempfile.TemporaryDirectory() as folder:
        for engine in ("minhop", "updn", "lash"):
            for number in range(MODELLED):
                wrong = trial(engine, number, folder)
                failed += wrong
                passed += not wrong
        judged = [w for w in map(reverse_trial, range(MODELLED)) if w is not None]
        failed += sum(judged) + (len(judged) < MODELLED // 4)
        passed += len(judged) - sum(judged)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
