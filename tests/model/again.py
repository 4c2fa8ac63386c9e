"""Figures of panes and commands computed again from exports, one function a kind: each takes a state and says what is wrong.

Written from the glossary of figures and the words of the columns (`help figures`, `help columns`).
"""
import collections
import itertools
import math
import os
import re
import sys
import tempfile

from run import Model
from states import State, same

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from trial import expect  # noqa: E402


def rows(state, pane):
    return state.ask("list " + pane)["rows"]


def distances(net, target):
    """Cables between switches, of each that reaches the target."""
    far, queue = {target: 0}, [target]
    for at in queue:
        for (s, _), (kind, to) in net.peer.items():
            if s == at and kind == "S" and to not in far:
                far[to] = far[at] + 1
                queue.append(to)
    return far


def all_distances(net):
    if not hasattr(net, "hops_to"):
        net.hops_to = {t: distances(net, t) for t in net.switches}
    return net.hops_to


def on(net, switch):
    return [h for h in net.hosts if net.at[h] == switch]


def lid_routes(net):
    """(host, LID) -> its path, of those that arrive."""
    ways = {(a, lid): net.path(a, lid) for a in net.hosts for b in net.hosts if a != b for lid in net.lids[b]}
    return {pair: way for pair, way in ways.items() if not isinstance(way, str)}


def base_loads(net):
    load = dict.fromkeys(net.peer, 0)
    for (a, lid), way in lid_routes(net).items():
        for c in way if lid in net.lids else ():
            load[c] += 1
    return load


def sent(net):
    """(switch, port) -> LIDs that its table sends by it: of hosts, of switches."""
    count = {}
    for (s, lid), p in net.table.items():
        if (s, p) in net.peer:
            kinds = count.setdefault((s, p), [0, 0])
            kinds[lid not in net.owner] += 1
    return count


# --- panes of tables

def switches_again(state):
    net = state.net
    own = {net.name[s]: s for s in net.switches}
    for r in rows(state, "switches"):
        s = own.get(r["name"])
        if s is None:
            continue
        same("switches: " + r["name"], (r["lid"], r["ports"], r["up"], r["lids"], r["hosts"] or 0),
             (s, net.ports[s], sum(a == s for a, _ in net.peer),
              sum(a == s and p != 255 for (a, _), p in net.table.items()), len(on(net, s))))
    load, lids = base_loads(net), sent(net)
    s = state.rng.choice(net.switches)
    for r in rows(state, "ports " + net.name[s]):
        if r["state"] == "up" and r["port"]:
            same("ports %s: %d" % (net.name[s], r["port"]), (r["load"], r["lids"]),
                 (load[s, r["port"]], sum(lids.get((s, r["port"]), (0, 0)))))
    for r in rows(state, "lft " + net.name[s]):
        if r["hops"] is not None and net.table.get((s, r["lid"]), 255) != 255:
            way = net.path(s, r["lid"])
            same("lft %s: hops to %d" % (net.name[s], r["lid"]), r["hops"],
                 None if isinstance(way, str) else sum(c in net.channels for c in way))
    between = [load[c] for c in net.channels if load[c]]
    mean = sum(between) / len(between) if between else 0
    for r in rows(state, "map"):
        s = own.get(r["name"])
        if s is None:
            continue
        most = max((load[c] for c in net.channels if s in (c[0], net.peer[c][1])), default=0)
        same("map: " + r["name"], r["load"] or 0, most)
        if state.whole:
            same("map: " + r["name"], (r["hosts"] or 0, r["switches"] or 0),
                 (len(on(net, s)), len({to for (a, _), (kind, to) in net.peer.items() if a == s and kind == "S"})))
        if mean and r["x mean"] is not None:
            expect(abs(float(r["x mean"]) - most / mean) < .051, "map: x mean", r, most / mean)


def plots_again(state):
    net = state.net
    if not net.channels:
        return
    load, ways = base_loads(net), lid_routes(net)
    for pane, values in ("plot loads", [load[c] for c in net.channels]), ("plot hops", [len(w) + 1 for w in ways.values()]):
        told = rows(state, pane)
        column, counted = ("routes", "links") if pane == "plot loads" else ("links", "pairs")
        if any(isinstance(r[column], str) for r in told):
            continue
        same(pane, {r[column]: r[counted] for r in told if r[counted]}, {v: values.count(v) for v in set(values)})
        for r in told:
            expect(abs(float(r["share"].rstrip("%")) - 100 * r[counted] / len(values)) < .051, pane, r, len(values))


def distances_again(state):
    net, hops_to = state.net, all_distances(state.net)
    by_name = {net.name[s]: s for s in net.switches}
    for r in rows(state, "histogram"):
        s = by_name.get(r["name"])
        if s is None:
            continue
        want = {}
        for h in net.hosts:
            d = hops_to[net.at[h]].get(s)
            if d is not None:
                want[d] = want.get(d, 0) + 1
        told = {}
        for k, n in r.items():
            if k.rstrip("+").isdigit() and n:
                told[int(k.rstrip("+"))] = n
        last = max((int(k.rstrip("+")) for k in r if k.rstrip("+").isdigit()), default=0)
        if any(k.endswith("+") for k in r):
            beyond = sum(n for d, n in want.items() if d >= last)
            want = {d: n for d, n in want.items() if d < last} | ({last: beyond} if beyond else {})
        same("histogram of %s" % r["name"], told, want)
    s = state.rng.choice(net.switches)
    counts = [hops_to[net.at[h]].get(s) for h in net.hosts]
    for r in rows(state, "bars " + net.name[s]):
        n = counts.count(r["at"])
        same("bars of %s at %d" % (net.name[s], r["at"]), r["ports"] or 0, n)
    if state.engine in ("minhop", "updn", "dnup", "dor"):
        for r in rows(state, "hops " + net.name[s]):
            t = by_name[r["target"]]
            same("hops %s to %s: shortest" % (net.name[s], r["target"]), now(r["shortest"]), hops_to[t].get(s))
            if state.engine in ("minhop", "dor"):
                ports = [p for (a, p), (kind, to) in net.peer.items() if a == s and kind == "S" and hops_to[t].get(to, 999) + 1 == hops_to[t].get(s)]
                same("hops %s to %s" % (net.name[s], r["target"]), (now(r["least"]), r["n"] or 0), (hops_to[t].get(s), len(ports)))


def now(cell):
    """Of "2\u21924", as an event left it: 4."""
    return int(cell.split("\u2192")[-1]) if isinstance(cell, str) and cell[-1:].isdigit() else cell


def ranks_again(state):
    if state.engine not in ("updn", "dnup", "ftree"):
        return
    net, told = state.net, rows(state, "ranks")
    for r in told:
        r["rank"] = now(r["rank"])
    rank = {r["name"]: r["rank"] for r in told}
    for r in told:
        s = next((k for k in net.switches if net.name[k] == r["name"]), None)
        if s is None or r["rank"] is None:
            continue
        near = [rank.get(net.name[to]) for (a, _), (kind, to) in net.peer.items() if a == s and kind == "S"]
        want = [sum(x is not None and x < r["rank"] for x in near), sum(x is not None and x > r["rank"] for x in near),
                near.count(r["rank"]), len(on(net, s))]
        if state.engine == "dnup":  # ranks begin at the hosts there, and up is away from them
            want[:2] = want[1::-1]
        same("ranks: " + r["name"], [now(r[k]) or 0 for k in ("up", "down", "level", "hosts")], want)


def path_again(state):
    net = state.net
    if len(net.by_name) < 2:
        return
    a, b = state.rng.sample(sorted(net.by_name), 2)
    src, dst, load, maps = net.by_name[a], net.by_name[b], base_loads(net), vl_map(state)
    told = state.ask("trace %s %s" % (a, b))
    for key, x, y in ("forward", src, dst), ("back", dst, src):
        way = net.path(x, y)
        here = "trace %s %s, %s: " % (a, b, key)
        arrives = not isinstance(way, str) and not is_dropped(net, maps, x, y, way)
        same(here + "ok", told[key]["ok"], arrives)
        if not arrives:
            continue
        same(here + "links", told[key]["links"], len(way) + 1)
        same(here + "path", [(h["switch_lid"], h["out"]) for h in told[key]["path"]], way)
        if (x, y) in net.sl:
            same(here + "SLs", (told[key]["sl_min"], told[key]["sl_max"]), (min(net.sl[x, y]), max(net.sl[x, y])))
    way = net.path(src, dst)
    if not isinstance(way, str) and not is_dropped(net, maps, src, dst, way):
        there = [r for r in rows(state, "path %s %s" % (a, b)) if isinstance(r.get("out"), int)]
        same("path: out", [r["out"] for r in there], [net.port[src]] + [p for _, p in way])
        routes = sum(not isinstance(net.path(src, h), str) for h in net.hosts if h != src)
        same("path: routes", [r["routes"] for r in there], [routes] + [load[c] for c in way])
        sls = net.sl.get((src, dst), ())
        if len(sls) == 1 and maps:
            same("path: VLs", [r["VL"] for r in there[1:]], [vl for _, vl in channels_of(net, maps, src, dst, way, *sls)[0][1:]])
    for r in rows(state, "sls " + a):
        if r["lid"] in net.owner and (src, r["lid"]) in net.sl:
            levels = net.sl[src, r["lid"]]
            want = str(min(levels)) if len(levels) == 1 else "%d..%d" % (min(levels), max(levels))
            same("sls %s: %d" % (a, r["lid"]), str(r["SL"]), want)


def shifts_again(state):
    net = state.net
    if len(net.hosts) < 2:
        return
    for order in "lid", "name":
        hosts = net.hosts if order == "lid" else sorted(net.hosts, key=lambda h: net.name[h])
        most, free = {}, 0
        for k in range(1, len(hosts)):
            load = shift_load(net, hosts, k)
            most[k] = max(load.values(), default=0)
            arrive = all(not isinstance(net.path(a, hosts[(i + k) % len(hosts)]), str) for i, a in enumerate(hosts))
            free += arrive and most[k] < 2
        told = state.ask("shifts order " + order)["shifts"]
        same("shifts order %s: mean" % order, told["mean"], sum(most.values()) / len(most))
        same("shifts order %s: worst" % order, told["worst"], max(most.values()))
        same("shifts order %s: free" % order, told["free"], free)
        for r in told["list"]:
            same("shifts order %s: shift %d" % (order, r["shift"]), r["max"], most[r["shift"]])
    shift = state.ask("shifts")["shifts"]
    if shift["order"] == "lid":
        k = state.rng.randrange(1, len(net.hosts))
        load = shift_load(net, net.hosts, k)
        same("list shift %d" % k, sorted(r["flows"] for r in rows(state, "shift %d" % k)), sorted(load.values()))


def shift_load(net, hosts, k):
    load = {}
    for i, a in enumerate(hosts):
        way = net.path(a, hosts[(i + k) % len(hosts)])
        if not isinstance(way, str):
            for c in [("from", a), *way]:
                load[c] = load.get(c, 0) + 1
    return load


def flows_again(state):
    """Pane flows: the pairs over a link, by what they are grouped by."""
    net = state.net
    if not net.channels:
        return
    s, p = state.rng.choice(sorted(net.channels))
    over = [(a, b) for (a, b), way in lid_routes(net).items() if b in net.lids and (s, p) in way]
    groups = {"switches": lambda a, b: (net.name[net.at[a]], net.name[net.at[b]]), "source": lambda a, b: net.name[net.at[a]],
              "destination": lambda a, b: net.name[net.at[b]]}
    for by, name in groups.items():
        want = {}
        for a, b in over:
            want[name(a, b)] = want.get(name(a, b), 0) + 1
        told = rows(state, "flows %s[%d] %s" % (net.name[s], p, by))
        key = {"switches": lambda r: (r["from"], r["to"]), "source": lambda r: r["from"], "destination": lambda r: r["to"]}[by]
        same("flows %s[%d] by %s" % (net.name[s], p, by), {key(r): r["pairs"] for r in told}, want)


def scope_again(state):
    """With a scope: both ends are in it."""
    if len(state.net.hosts) < 3:
        return
    now = state.limit({state.net.name[h] for h in state.rng.sample(state.net.hosts, state.rng.randrange(2, len(state.net.hosts)))})
    ways = lid_routes(now.net)
    pairs = sum(len(now.net.lids[b]) for a in now.net.hosts for b in now.net.hosts if a != b)
    check = now.ask("check")
    same("scope, check: pairs", (check["check"]["pairs"], check["unreachable"]), (pairs, pairs - len(ways)))
    same("scope, load-map: routes", now.ask("load-map")["loads"]["routes"], sum(lid in now.net.lids for _, lid in ways))
    same("scope, ebb: hosts", now.ask("load-map ebb")["ebb"]["hosts"], len(now.net.hosts))
    shared_again(state, now)
    for test in plots_again, shifts_again, flows_again, compared_again, channels_again, bisection_again:
        test(now)


def shared_again(state, scoped):
    """load-map shared: links that the pairs of a scope and those of other hosts both use, and both loads."""
    net, others = state.net, set(state.rng.sample(state.net.hosts, state.rng.randrange(1, len(state.net.hosts) + 1)))
    ways = {(a, lid): way for (a, lid), way in lid_routes(net).items() if lid in net.lids}
    loads = [collections.Counter(c for (a, b), way in ways.items() if a in hosts and b in hosts for c in way if c in net.channels)
             for hosts in (set(scoped.net.hosts), others)]
    told = scoped.ask("load-map shared %s all" % " ".join(net.name[h] for h in sorted(others)))["shared"]
    same("load-map shared: links", {(r["from_guid"], r["from_port"]): (r["routes"], r["others"]) for r in told["list"]},
         {("0x%016x" % net.guid[s], p): (loads[0][s, p], loads[1][s, p]) for s, p in set(loads[0]) & set(loads[1])})
    same("load-map shared: sums", [told[k] for k in ("links", "alone", "others_alone", "in_both")],
         [len(set(loads[0]) & set(loads[1])), len(set(loads[0]) - set(loads[1])), len(set(loads[1]) - set(loads[0])),
          len(others & set(scoped.net.hosts))])
    sums = [r["routes"] + r["others"] for r in told["list"]]
    same("load-map shared: order", sums, sorted(sums, reverse=True))
    same("flows shared", scoped.ask("flows shared %s all" % " ".join(net.name[h] for h in sorted(others)))["shared"], told)


# --- elements

def elements_of(net):
    """Switch -> system GUID: chips of one chassis that are connected within it; another: its own GUID."""
    of = {}
    for s in net.switches:
        if s in of:
            continue
        group = [s]
        for at in group:
            group += {to for (a, _), (kind, to) in net.peer.items() if a == at and kind == "S" and to not in group and
                      net.system[to] == net.system[s]}
        of.update((x, min(net.guid[y] for y in group)) for x in group)
    return of


def elements_again(state):
    net, of, lids = state.net, elements_of(state.net), sent(state.net)
    told = {int(r["guid"], 16): r for r in rows(state, "elements")}
    for e in set(of.values()):
        chips = [s for s in net.switches if of[s] == e]
        out = [c for c in net.channels if of[c[0]] == e and of[net.peer[c][1]] != e]
        inside = [c for c in net.channels if of[c[0]] == e and of[net.peer[c][1]] == e]
        want = (len(chips), len(out), len(inside) // 2, sum(len(on(net, s)) for s in chips),
                max((sum(lids.get(c, (0, 0))) for c in out), default=0))
        r = told.get(e)
        if r is None:       # the fabric's element, of chips that no cable joins now
            continue
        same("elements: %s" % r["name"], (r["chips"], r["links"], r["inside"], r["hosts"] or 0, r["most"] or 0), want)
    for x in state.ask("elements")["elements"]:
        r = told[int(x["guid"], 16)]
        same("elements: JSON of " + x["name"], (x["chips"], x["external"], x["internal"], x["hosts"]),
             (r["chips"], r["links"], r["inside"], r["hosts"] or 0))
    usage_again(state, of, lids)
    if not net.hosts:
        return
    a = state.rng.choice(net.hosts)
    if len(net.lids[a]) > 1:
        for r in rows(state, "lids " + net.name[a]):
            found = [s for s in net.switches if net.name[s] == r["element"]]
            if found and len([s for s in net.switches if of[s] == of[found[0]]]) == 1:
                ports = [net.table.get((found[0], lid), 255) for lid in net.lids[a]]
                same("lids %s: %s" % (net.name[a], r["element"]), r["use"],
                     "%d/%d" % (len(set(ports) - {255}), len(ports)))


def usage_again(state, of, lids):
    """Pane usage: LIDs by each port; the mean of the ports that lead to the same, or to such as only pass on to the same."""
    net = state.net
    name = {net.name[s]: s for s in net.switches}
    told = {(name[r["switch"]], r["port"]): r for r in rows(state, "usage all") if r["switch"] in name and r["link"] != "down"}
    hosts_of = {}
    near = {}
    for (s, p), (kind, to) in net.peer.items():
        if kind == "H":
            hosts_of.setdefault(of[s], []).append(to)
            hosts_of.setdefault(("chip", s), []).append(to)
        elif of[to] != of[s]:
            near.setdefault(of[s], set()).add(of[to])
            near.setdefault(("chip", s), set()).add(("out", of[to]))
        else:
            near.setdefault(("chip", s), set()).add(("chip", to))
    groups = {}
    for (s, p), (kind, to) in net.peer.items():
        if kind == "S":
            next_to = of[to] if of[to] != of[s] else ("chip", to)
            same_as = next_to if next_to in hosts_of else ("only to", frozenset(near.get(next_to, ())))
            groups.setdefault((of[s] if of[to] != of[s] else ("chip", s), same_as), []).append((s, p))
    mean = {}
    for ports in groups.values():
        n = sum(sum(lids.get(c, (0, 0))) for c in ports) / len(ports)
        mean.update({c: (len(ports), n) for c in ports})
    for c, r in told.items():
        kinds = lids.get(c, (0, 0))
        same("usage of %s[%d]" % (r["switch"], r["port"]), (r["lids"], r["hosts"] or 0, r["switches"] or 0), (sum(kinds), *kinds))
        if c in mean:
            several, n = mean[c]
            if r["to mean"] is None:
                expect(several == 1, "usage of", r, "its ports", several, "mean", n)
            else:
                expect(several > 1 and abs(float(r["to mean"]) - (sum(kinds) - n)) < .051, "usage of", r, "its ports", several, "mean", n)


def mean(values):
    return sum(values) / len(values) if values else 0


def cabling_bound(net, cables, of):
    """No routing of all pairs has a smaller edge-forwarding index."""
    links, reach = 0, {}
    for h in net.hosts:
        hops = {net.at[h]: 0}
        queue = [net.at[h]]
        for s in queue:
            for (a, _), (kind, to) in net.peer.items():
                if a == s and kind == "S" and to not in hops:
                    hops[to] = hops[s] + 1
                    queue.append(to)
        reach[h] = {o for o in net.hosts if net.at[o] in hops}
        links += sum(hops[net.at[o]] for o in reach[h])
    bounds = [-(-links // len(cables))]
    for group in [{s} for s in net.switches] + [{s for s in net.switches if of[s] == e} for e in set(of.values())]:
        cut = sum(len({a in group for a, _ in ends}) == 2 for ends in cables)
        across = 2 * sum(net.at[o] not in group for h in net.hosts if net.at[h] in group for o in reach[h])
        bounds.append(-(-across // cut) if cut else 0)
    return max(bounds)


def compared_again(state):
    """`compare`: figures of LMC, elements and loads of the engine in force, where nothing was kept."""
    net, other = state.net, "minhop" if state.engine != "minhop" else "updn"
    told = state.ask("compare %s %s %s" % (state.engine, other, state.options))["compare"][0]
    if not state.fresh or "sls" not in told:
        return
    of, ways, lids = elements_of(net), lid_routes(net), sent(net)
    first, links = [], []
    for s in net.switches:
        for h in net.hosts if on(net, s) else ():
            if net.at[h] == s:
                continue
            paths = [net.path(s, lid) for lid in net.lids[h]]
            paths = [w for w in paths if not isinstance(w, str)]
            if not paths:  # out of reach
                continue
            first.append(len({w[0] for w in paths}))
            links.append(len({c for w in paths for c in w if c in net.channels}))
    elements = []
    for way in ways.values():
        passed = [of[s] for s, _ in way]
        elements.append(sum(i == 0 or e != passed[i - 1] for i, e in enumerate(passed)))
    load = dict.fromkeys(net.channels, 0)
    for way in ways.values():
        for c in way:
            if c in load:
                load[c] += 1
    want = {"first_links_mean": mean(first), "first_links_min": min(first, default=0), "links_mean": mean(links),
            "links_min": min(links, default=0), "elements_mean": mean(elements), "elements_max": max(elements, default=0),
            "hops_mean": mean([len(w) + 1 for w in ways.values()]), "load_mean": mean(list(load.values())),
            "load_max": max(load.values(), default=0), "load_min": min(load.values(), default=0),
            "usage_max": max((sum(lids.get(c, (0, 0))) for c in net.channels), default=0)}
    cables = {frozenset((c, (net.peer[c][1], net.far[c]))) for c in net.channels if net.peer[c][1] != c[0]}
    if cables:
        edge = dict.fromkeys(cables, 0)
        for (_, lid), way in ways.items():
            for c in way if lid in net.lids else ():
                if c in net.channels:
                    edge[frozenset((c, (net.peer[c][1], net.far[c])))] += 1
        want.update(edge_forwarding_max=max(edge.values()), edge_forwarding_mean=mean(list(edge.values())),
                    edge_forwarding_bound=cabling_bound(net, cables, of))
        whole = all(net.sl.get((a, b)) for a, b in itertools.permutations(net.hosts, 2))
        expect(not whole or want["edge_forwarding_max"] >= want["edge_forwarding_bound"], "an index below its bound")
    for key, value in want.items():
        expect(abs(told[key] - value) < 1e-6, "compare: %s: %r, the model has %r" % (key, told[key], value))


# --- layers

def vl_map(state):
    """(GUID of the node or port, in, out) -> VL of each SL; None: VL = 0 everywhere, the maps are not known."""
    told, maps, here = state.ask("export sl2vl -", True), {}, None
    if not told["ok"]:
        return None
    for line in told["content"].splitlines():
        head = re.match(r'(Switch|.*) 0x(\w+), base LID (\d+), ', line)
        row = re.match(r"(\d+) +(\d+) +: ([\d ]+)$", line)
        if head:
            here = int(head[3])
        elif row:
            maps[here, int(row[1]), int(row[2])] = [int(x) for x in row[3].split()]
    return maps


def channels_of(net, maps, src, lid, way, sl):
    """((sender, port, VL) along a path, whether VL 15 ends it)."""
    vl = maps.get((src, 0, 0), range(16))[sl] if maps else 0
    told, came = [((src, net.port[src]), vl)], next(p for (s, p), (kind, k) in net.peer.items() if kind == "H" and k == src)
    if vl == 15:
        return [], True
    for c in way:
        vl = maps[c[0], came, c[1]][sl] if maps else 0
        if vl == 15:
            return told, True
        told.append((c, vl))
        came = net.far[c]
    return told, False


def is_dropped(net, maps, src, lid, way):
    """Does every SL of a pair lead to VL 15?  A pair that has no SL is stopped by none."""
    levels = net.sl.get((src, lid))
    return bool(maps and levels) and all(channels_of(net, maps, src, lid, way, sl)[1] for sl in levels)


def components(after):
    """Groups of more than one that reach each other."""
    reach = {}
    for c in after:
        seen, queue = set(), [c]
        for at in queue:
            new = after.get(at, set()) - seen
            seen |= new
            queue += new
        reach[c] = seen
    groups, used = [], set()
    for c in after:
        if c in reach[c] and c not in used:
            group = {d for d in reach[c] if c in reach.get(d, ())}
            used |= group
            groups.append(group)
    return groups


def channels_again(state):
    """`cdg`, `layers`, `check`, `cycles`: routes, dependencies and credit loops on every VL."""
    net, maps = state.net, vl_map(state)
    load, after, starts, dropped = {}, {}, {}, 0
    for (a, lid), way in lid_routes(net).items():
        on_channel, drops = set(), False
        deps = set()
        first = set()
        for sl in net.sl.get((a, lid), {0}):
            chain, ends = channels_of(net, maps, a, lid, way, sl)
            drops |= ends
            on_channel.update(chain)
            deps.update(zip(chain, chain[1:]))
            first.update(vl for _, vl in chain[:1])
        for c in on_channel:
            load[c] = load.get(c, 0) + 1
        for x, y in deps:
            after.setdefault(x, set()).add(y)
        for vl in first:
            starts[vl] = starts.get(vl, 0) + 1
        dropped += drops
    told = state.ask("cdg all")["cdg"]
    same("cdg: routes", {((c["from_lid"], c["from_port"]), c["vl"]): c["routes"] for c in told["list"]}, load)
    same("cdg: out", {((c["from_lid"], c["from_port"]), c["vl"]): c["out"] for c in told["list"] if c["out"]},
         {c: len(n) for c, n in after.items()})
    groups = components(after)
    same("cdg: dependencies", told["dependencies"], sum(map(len, after.values())))
    same("cdg: channels on cycles", told["on_cycles"], sum(map(len, groups)))
    same("check: groups of credit loops", state.ask("check")["credit_loop_groups"], len(groups))
    same("cycles: channels of the groups", sorted(g["channels"] for g in state.ask("cycles all")["credit_loops"]),
         sorted(map(len, groups)))
    same("check: dropped", state.ask("check")["dropped"], dropped)
    layers = {x["vl"]: x for x in state.ask("layers")["layers"]}
    for vl, x in layers.items():
        mine = {c for c in load if c[1] == vl}
        same("layers: VL %d" % vl, (x["routes"], x["channels"], x["dependencies"], x["on_cycles"]),
             (starts.get(vl, 0), len(mine), sum(len(after.get(c, ())) for c in mine),
              sum(c in g for g in groups for c in mine)))
    expect({vl for _, vl in load} <= set(layers), "layers: VLs", sorted(layers))


def cycles_again(state):
    """`cycles all` and pane cycle: each group's walk is closed and as short as any through the group, and who holds its channels."""
    net, maps, holders = state.net, vl_map(state), {}
    for (a, lid), way in lid_routes(net).items():
        for sl in net.sl.get((a, lid), {0}):
            chain, _ = channels_of(net, maps, a, lid, way, sl)
            for c, d in zip(chain, chain[1:]):
                holders.setdefault(c, {}).setdefault(d, set()).add((a, lid))
    groups = components({c: set(n) for c, n in holders.items()})
    for told in state.ask("cycles all")["credit_loops"]:
        walk = [((c["from_lid"], c["from_port"]), c["vl"]) for c in told["cycle"]]
        group = next((g for g in groups if walk[0] in g), set())
        same("cycles: channels of group %d" % told["group"], told["channels"], len(group))
        same("cycles: VLs of group %d" % told["group"], told["vls"], sorted({vl for _, vl in group}))
        same("cycles: length of group %d" % told["group"], (told["length"], len(set(walk))), (len(walk), len(walk)))
        around = min(steps_back(holders, group, c) for c in group)
        same("cycles: a shortest loop of group %d" % told["group"], len(walk), around)
        for c, d, x in zip(walk, walk[1:] + walk[:1], told["cycle"]):
            held = holders.get(c, {}).get(d, set())
            same("cycles: routes on %s" % x["channel"], x["routes_on"], len(held))
            expect({(r["src_lid"], r["dlid"]) for r in x.get("routes", ())} <= held, "cycles: routes that hold", x)


def steps_back(after, group, start):
    """Channels of a shortest walk from one back to it, within the group."""
    far, queue = {}, [start]
    for at in queue:
        for n in after.get(at, ()):
            if n in group and n not in far:
                far[n] = far.get(at, 0) + 1
                queue.append(n)
        if start in far:
            return far[start]
    return 1 << 30


def layers_again(state):
    """Panes layers, layer-pairs, cuts, moved: pairs of each layer by the SLs of paths."""
    net = state.net
    if state.engine not in ("dfsssp", "lash", "nue") or "qos=TRUE" not in state.options or not net.hosts:
        return
    layer_rows = [r for r in rows(state, "layers") if r.get("layer") is not None]
    if not layer_rows:      # maps that were given put SLs on other VLs: the pane goes by VLs
        return
    if state.engine == "dfsssp":
        sls = {r["layer"]: span(r["VL"]) for r in layer_rows}
        layer = {}
        for (a, lid), levels in net.sl.items():
            found = [n for n, s in sls.items() if levels <= s]
            if lid in net.owner and a in net.at and net.at[a] != net.at[net.owner[lid]]:
                layer.setdefault((net.at[a], lid), set()).update(found or {None})
        for n in sls:
            told = {(r["about"]["lid"], r["LID"]): r["hops"] for r in rows(state, "layer-pairs %d" % n) if r["LID"] in net.owner}
            want = {k: sum(c in net.channels for c in net.path(*k)) for k, v in layer.items() if v == {n}}
            # the SLs of pairs of LIDs of one switch may differ by their sources; those that agree must be told
            expect(all(told.get(k) == h for k, h in want.items()), "layer-pairs %d" % n, [k for k in want if told.get(k) != want[k]][:5])
            expect(all(n in layer[k] for k in told if k in layer), "layer-pairs %d" % n, [k for k in told if k in layer and n not in layer[k]][:5])
        moved_again(state, layer_rows, sls)
    elif state.engine == "lash":
        switch_pairs = {}
        for (a, lid), levels in net.sl.items():
            if lid not in net.owner or a not in net.at:
                continue
            s, t = net.at[a], net.at[net.owner[lid]]
            if s != t:
                switch_pairs.setdefault((s, t), set()).update(levels)
        name = {net.name[s]: s for s in net.switches}
        for r in layer_rows:
            for pair in rows(state, "layer-pairs %d" % r["layer"]):
                s, t = name[pair["switch"]], name[pair["and switch"]]
                for k in ((s, t), (t, s)):
                    if k in switch_pairs:
                        same("layer-pairs %d: %s" % (r["layer"], k), switch_pairs[k], {r["layer"]})
                same("layer-pairs: hops", pair["hops"], all_distances(net)[t].get(s))
            same("layers: pairs", r["pairs"], 2 * len(rows(state, "layer-pairs %d" % r["layer"])))
            same("layers: moved", r["pairs"] - r["before"], r["moved"])


def span(told):
    ends = [int(x) for x in str(told).split("-")]
    return set(range(ends[0], ends[-1] + 1))


def moved_again(state, layer_rows, sls):
    net, came, went = state.net, {}, {}
    for cut in rows(state, "cuts"):
        went[cut["layer"]] = went.get(cut["layer"], 0) + cut["moved"]
        came[cut["to"]] = came.get(cut["to"], 0) + cut["moved"]
        told = rows(state, "moved %d %d" % (cut["layer"], cut["cycle"]))
        same("moved %d %d" % (cut["layer"], cut["cycle"]), sum(r["pairs"] for r in told), cut["moved"])
        for r in told:
            s = r["about"]["lid"]
            if r["LID"] not in net.owner:
                continue
            levels = [net.sl[a, r["LID"]] for a in on(net, s) if (a, r["LID"]) in net.sl]
            way = net.path(s, r["LID"])
            same("moved: hops", r["hops"], sum(c in net.channels for c in way))
            expect(any(x <= sls.get(r["layer now"], ()) for x in levels), "moved: layer now", r, levels)
    for r in layer_rows:
        same("layers: moved of %d" % r["layer"], r["moved"], came.get(r["layer"], 0) - went.get(r["layer"], 0))
        same("layers: before of %d" % r["layer"], r["before"] + r["moved"], r["pairs"])


def weights_again(state):
    """Pane weights: the growth of a link is the routes over it of all ends of all switches."""
    net = state.net
    if state.engine not in ("sssp", "dfsssp", "nue") or not state.fresh:
        return
    growth = dict.fromkeys(net.channels, 0)
    for (s, lid) in net.table:
        ends = 1 + sum(len(net.lids[h]) for h in on(net, s))
        if net.at.get(net.owner.get(lid), lid) == s:
            continue
        way = net.path(s, lid)
        for c in way if not isinstance(way, str) else ():
            if c in growth:
                growth[c] += ends
    told = {(r["about"]["lid"], r["about"]["port"]): r for r in rows(state, "weights")}
    same("weights: links", set(told), set(growth))
    start = len(net.switches) + sum(map(len, net.lids.values()))
    for c, n in growth.items():
        same("weights: growth of %s[%d]" % (net.name[c[0]], c[1]), (told[c]["growth"], told[c]["weight"]), (n, n + start ** 2))


def nue_again(state):
    """Panes restricted, detours, escape and nue-layers."""
    net = state.net
    if state.engine != "nue" or not net.channels:
        return
    name = {net.name[s]: s for s in net.switches}
    for r in rows(state, "nue-layers"):
        turns = rows(state, "restricted %d" % r["layer"])
        same("nue-layers: restricted", r["restricted"], len(turns))
        lids = {x["LID"] for x in rows(state, "layer-pairs %d" % r["layer"])}
        used = set()
        for lid in lids & set(net.owner):
            for s in net.switches:
                way = net.path(s, lid)
                way = [] if isinstance(way, str) else [c for c in way if c in net.channels]
                used.update(zip(way, way[1:]))
        for turn in turns:
            at = name[turn["at switch"]]
            before = (name[turn["from"]], net.far[at, turn["in"]])
            expect(net.peer[before] == ("S", at), "restricted", turn, before)
            expect((before, (at, turn["out"])) not in used, "restricted: a route takes", turn)
        told = rows(state, "escape %d" % r["layer"])
        hops = {name[x["switch"]]: x["hops"] for x in told}
        for x in told:
            s = name[x["switch"]]
            if x["port"] in (None, "-"):
                same("escape: the central switch", (x["switch"], x["hops"]), (r["central switch"], 0))
            else:
                same("escape: towards", ("S", name[x["towards"]]), net.peer[s, x["port"]])
                same("escape: hops of " + x["switch"], x["hops"], hops[name[x["towards"]]] + 1)
            same("escape: restricted at " + x["switch"], x["restricted"] or 0, sum(name[t["at switch"]] == s for t in turns))
    want = {}
    for (s, lid) in net.table:
        way = net.path(s, lid)
        if lid in net.owner and not isinstance(way, str):
            least, links = all_distances(net)[net.at[net.owner[lid]]][s], sum(c in net.channels for c in way)
            if links > least:
                want[s, lid] = links, least, links - least
    told = {(name[r["switch"]], r["LID"]): (r["hops"], r["least"], r["more"]) for r in rows(state, "detours") if r["LID"] in net.owner}
    if state.fresh:
        same("detours", told, want)


# --- samples

def bisection_again(state):
    """Effective bisection, also where the fabric is split: of the hosts that are there.  A pair all of whose SLs lead to VL 15 has no way."""
    net = state.net
    if len(net.hosts) < 2 or state.rng.random() < .6:
        return
    model = Model(state.ask("save -")["content"], state.ask("export lfts -")["content"])
    model.hosts = net.hosts
    maps, way_of = vl_map(state), model.path
    dropped = {(a, lid) for (a, lid), way in lid_routes(net).items() if is_dropped(net, maps, a, lid, way)}
    model.path = lambda src, dst: None if (src, dst) in dropped else way_of(src, dst)
    both, seed = state.rng.random() < .5, state.rng.randrange(1 << 40)
    told = state.ask("load-map ebb%s seed=%d" % (" both" * both, seed))["ebb"]
    value, half, samples = model.sampled(seed, both, told["samples"])
    same("ebb: samples", told["samples"], samples)
    expect(abs(told["value"] - value) < 1e-9 and abs(told["half_width"] - half) < 1e-9, "ebb:", told, value, half)


def sampled_survey_again(state):
    """`survey pairs N`: distinct pairs, Wilson's interval of the share of bad ones, pairs lost by neither alone."""
    net = state.net
    links = len({min(c, (net.peer[c][1], net.far[c])) for c in net.channels})
    if links < 2:
        return
    told = state.ask("survey pairs %d links seed=%d" % (state.rng.choice([4, 12, 2000]), state.rng.randrange(1000)))
    tried = told["survey"]
    same("survey pairs: distinct", len({r["try"] for r in tried}), len(tried))
    same("survey pairs: failures", told["survey_of"]["failures"], len(tried))
    same("survey pairs: bad", told["bad"], sum(r["bad"] for r in tried))
    same("survey pairs: sampled", told["survey_of"]["sampled"], links * (links - 1) // 2 > len(tried))
    if told["survey_of"]["sampled"]:
        n, share, z = len(tried), told["bad"] / len(tried), 1.959963984540054
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        for key, value in ("bad_low", middle - half), ("bad_high", middle + half):
            expect(abs(told[key] - max(0, min(1, value))) < 1e-4, "survey pairs:", key, told[key], value)
    row = state.rng.choice(tried)
    if not row["engine"]:
        return
    lost = []
    for fails in [row["try"]] + ["fail link " + row[a] for a in ("a", "second_a")]:
        now = State(state.fabric, [*state.before, fails], state.engine, state.options, False, state.rng).net
        gone = set()
        for x, y in itertools.permutations(net.by_name, 2):
            for k, lid in enumerate(net.lids[net.by_name[y]]):
                if not isinstance(net.path(net.by_name[x], lid), str) and (
                        x not in now.by_name or y not in now.by_name or
                        isinstance(now.path(now.by_name[x], now.by_name[y] + k), str)):
                    gone.add((x, y, k))
        lost.append(gone)
    same("survey pairs, %s: lost" % row["try"], row["lost"], len(lost[0]))
    same("survey pairs, %s: beyond" % row["try"], row["beyond"], len(lost[0] - lost[1] - lost[2]))


def outage_again(state):
    """`outage` of what has not failed: the old tables walked with it gone; by pair, by host, by the place where packets end."""
    net, ways = state.net, lid_routes(state.net)
    if not ways or not net.peer:
        return
    (sw, port), (kind, lid) = state.rng.choice(sorted(net.peer.items()))
    if state.rng.random() < 0.3:
        words, gone, down = "switch 0x%x" % net.guid[sw], {c for c in net.peer if sw in (c[0], net.peer[c][1])}, set(on(net, sw))
    else:
        words, gone, down = "link 0x%x[%d]" % (net.guid[sw], port), {(sw, port)}, {lid} if kind == "H" else set()
        if kind == "S":
            gone.add((lid, net.far[sw, port]))
    told = state.ask("outage " + words)
    sends, receives, ended, with_end, through = {}, {}, 0, set(), {}
    for (a, dst), way in ways.items():
        b = net.owner[dst]
        at = next((c for c in way if c in gone), None)
        if at is None and not {a, b} & down:
            continue
        ended += bool({a, b} & down)
        for count, who in ((sends, a), (receives, b)):
            count[who] = count.get(who, 0) + 1
        if a not in down and at:
            lids = through.setdefault(at, [0, set()])
            lids[0] += 1
            lids[1].add(dst)
    same("outage %s: pairs" % words, told["pairs_until_sweep"], sum(sends.values()))
    same("outage %s: with an end that is down" % words, told["end_down"], ended)
    same("outage %s: by host" % words, {h["host_lid"]: (h["sends"], h["receives"], h["pairs"], h["down"]) for h in told["seen_by"]},
         {h: (sends.get(h, 0), receives.get(h, 0), sends.get(h, 0) + receives.get(h, 0), h in down) for h in {*sends, *receives}})
    same("outage %s: hosts" % words, told["hosts"], len({*sends, *receives}))
    same("outage %s: where" % words, {(x["switch_lid"], x["switch_port"]): (x["pairs"], set(x["lids"])) for x in told["through"]},
         {c: (n, lids) for c, (n, lids) in through.items()})


# --- groups of adaptive routing

def groups_of(net, rng):
    """(switch, LID) -> ports that may be taken, beside the table's own; what a .far tells of them."""
    lines, ways = [], {}
    for s in net.switches:
        neighbours = sorted(p for a, p in net.peer if a == s)
        groups = [sorted(rng.sample(neighbours, rng.randrange(1, len(neighbours) + 1))) for _ in range(3) if neighbours]
        lines += ["Switch 0x%016x %s" % (net.guid[s], net.name[s]), "Groups Definition:", "Group SubGroup Flag Ports", "---"]
        lines += ["%d 0 - %s" % (i, ",".join(map(str, g))) for i, g in enumerate(groups)]
        lines += ["", "LFT Definition:", "LID StaticPort LidState Group", "---"]
        for lid in sorted(lid for a, lid in net.table if a == s):
            port = net.table[s, lid]
            own = {port} if port == 0 or (s, port) in net.peer else set()
            if not groups or port == 0 or net.at.get(net.owner.get(lid)) == s or rng.random() < .8:
                lines.append("0x%04x %d Static" % (lid, port))
                ways[s, lid] = own
                continue
            # mostly those that come nearer, so that much arrives
            i = rng.randrange(len(groups))
            lines.append("0x%04x %d %s %d" % (lid, port, rng.choice(["Free", "HBF"]), i))
            ways[s, lid] = own | set(groups[i])
        lines.append("")
    return "\n".join(lines) + "\n", ways


def adaptive_again(state):
    """Tables with groups: what arrives, loops, and the channels and dependencies of all ways."""
    net = state.net
    if not net.channels or state.rng.random() < .4:
        return
    text, ways = groups_of(net, state.rng)
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, n) for n in ("fabric", "groups.far")]
        for name, content in zip(names, (state.ask("save -")["content"], text)):
            with open(name, "w", encoding="utf-8") as f:
                f.write(content)
        now = State(names[0], ["tables " + names[1]], "tables", "", True, state.rng, "adaptive")
        judge_groups(now, ways)


def judge_groups(state, ways):
    net = state.net
    steps = lambda at, lid: [(at, p) for p in ways.get((at, lid), ())]
    lost = looping = 0
    load, after = {}, {}
    for dst in net.hosts:
        for lid in net.lids[dst]:
            fate = {}
            for s in net.switches:
                seen, queue, bad, edges = {s}, [s], False, {}
                for at in queue:
                    out = steps(at, lid)
                    bad |= not out
                    for c in out:
                        kind, to = net.peer.get(c, ("", 0))
                        bad |= kind == "" or (kind == "H" and to != dst)
                        if kind == "S":
                            edges.setdefault(at, set()).add(to)
                            if to not in seen:
                                seen.add(to)
                                queue.append(to)
                fate[s] = "loop" if loops(edges) else "lost" if bad else None
            for a in net.hosts:
                if a == dst:
                    continue
                s = net.at[a]
                lost += bool(fate[s])
                looping += fate[s] == "loop"
                if fate[s]:
                    continue
                own = (a, net.port[a])
                ahead = lambda c, own=own, s=s, lid=lid: steps(s if c == own else net.peer[c][1], lid) if c == own or net.peer[c][0] == "S" else []
                links = [own]
                for c in links:
                    after.setdefault(c, set()).update(ahead(c))
                    links += [d for d in ahead(c) if d not in links]
                # a route counts once for each way by which it may come to a link
                waits, came, ready = {c: sum(c in ahead(b) for b in links) for c in links}, {own: 1}, [own]
                for c in ready:
                    load[c] = load.get(c, 0) + came[c]
                    for d in ahead(c):
                        came[d] = came.get(d, 0) + came[c]
                        waits[d] -= 1
                        ready += [d] * (not waits[d])
    check, told = state.ask("check"), state.ask("cdg all")["cdg"]
    same("groups: unreachable", check["unreachable"], lost)
    same("groups: looping", check["check"]["looping"], looping)
    after = {c: n for c, n in after.items() if n}
    same("groups: dependencies", told["dependencies"], sum(map(len, after.values())))
    same("groups: channels", {(c["from_lid"], c["from_port"]) for c in told["list"]}, set(load))
    same("groups: out", {(c["from_lid"], c["from_port"]): c["out"] for c in told["list"] if c["out"]},
         {c: len(n) for c, n in after.items()})
    same("groups: routes", {(c["from_lid"], c["from_port"]): c["routes"] for c in told["list"]}, load)
    same("groups: credit loops", check["credit_loop_groups"], len(components(after)))


def loops(edges):
    return any(s in group for group in components(edges) for s in group)


AGAIN = [switches_again, plots_again, distances_again, ranks_again, path_again, shifts_again, flows_again, elements_again,
         compared_again, channels_again, cycles_again, layers_again, weights_again, nue_again, bisection_again, sampled_survey_again,
         outage_again, adaptive_again, scope_again]
