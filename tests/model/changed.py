"""What an event changed, computed again from exports before and after it, one function a kind: each takes a state that
has an event.  Edited tables and their classes, chips of a chassis and steps of a torus stand here, too.

Written from the glossary of figures and the words of the columns (`help figures`, `help columns`).
"""
import itertools
import os
import re
import sys
import tempfile

from again import base_loads, channels_of, elements_of, lid_routes, mean, on, rows, sent, vl_map
from states import State, same

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from trial import expect  # noqa: E402

NONE = 255


def was_and_now(cell):
    """Of "2 \u2192 4", or one word for both."""
    ends = ("-" if cell is None else str(cell)).split(" \u2192 ")
    return ends[0], ends[-1]


# --- entries

def held(net):
    """LID -> who has it, as which of its LIDs."""
    return {**{s: (net.guid[s], 0) for s in net.switches},
            **{k: ((net.name[h], net.port[h]), i) for h, lids in net.lids.items() for i, k in enumerate(lids)}}


def changed_entries(was, now):
    """(switch, LID) -> (port before, port after), by LIDs as they are now; who has other LIDs now had these before."""
    had, has = held(was), held(now)
    lid_of, known, before = {who: k for k, who in had.items()}, {who[0] for who in had.values()}, {}
    for k in range(1, max([*had, *has, *(k for _, k in was.table), *(k for _, k in now.table)], default=0) + 1):
        if k in has and has[k][0] in known:
            before[k] = lid_of.get(has[k])
        elif k in has or not (k in had and had[k] in has.values()):
            before[k] = k
    want = {}
    for s in now.switches:
        old = lid_of.get((now.guid[s], 0))
        for k in range(1, max(before, default=0) + 1) if old else ():
            a, b = was.table.get((old, before.get(k)), NONE), now.table.get((s, k), NONE)
            if a != b:
                want[s, k] = a, b
    return want


def entries_again(state):
    """`diff all`, panes changes, lft and switches: each entry that an event changed."""
    if not state.event:
        return
    was, after = state.net, state.after()
    now = after.net
    both = {s for s in now.switches if now.guid[s] in was.guid.values()}
    want = changed_entries(was, now)
    told = after.ask("diff all")
    same("diff: entries", {(e["switch_lid"], e["lid"]): (e["was"], e["now"]) for e in told.get("entries", ())}, want)
    change = told["change"]
    same("diff: entries, switches, gained, lost",
         (change["entries"], change["switches"], change["entries_gained"], change["entries_lost"]),
         (len(want), len({s for s, _ in want}), sum(a == NONE for a, _ in want.values()), sum(b == NONE for _, b in want.values())))
    same("diff: switches gone and new", (change["switches_gone"], change["switches_new"]),
         (len(was.switches) - len(both), len(now.switches) - len(both)))
    port = lambda p: "-" if p == NONE else str(p)
    by_name = {now.name[s]: s for s in now.switches}
    told = {(by_name[r["switch"]], r["lid"]): was_and_now(r["was \u2192 now"]) for r in rows(after, "changes") if r["switch"] in by_name}
    same("changes", {k: v for k, v in told.items() if k[0] in both}, {k: (port(a), port(b)) for k, (a, b) in want.items()})
    s = state.rng.choice(sorted(both))
    for r in rows(after, "lft " + now.name[s]):
        k = s, r["lid"]
        a, b = was_and_now(r["was \u2192 now"])
        same("lft %s: %d" % (now.name[s], r["lid"]), (a, b), tuple(port(t.get(k, NONE)) for t in (was.table, now.table)))
        kind, to = now.peer.get((s, now.table.get(k, NONE)), ("", 0))
        if kind:
            same("lft %s: %d, via" % (now.name[s], r["lid"]), r["via"], now.name[to])
    for r in rows(after, "switches"):
        if r["name"] in by_name and by_name[r["name"]] in both:
            same("switches: changed of " + r["name"], r["changed"] or 0, sum(k[0] == by_name[r["name"]] for k in want))


# --- pairs

def ends_of(net):
    """(name, name, offset) -> (LIDs, path), of all pairs of hosts."""
    return {(net.name[a], net.name[b], k): ((a, lid), net.path(a, lid)) for a, b in itertools.permutations(net.hosts, 2)
            for k, lid in enumerate(net.lids[b])}


def pairs_again(state):
    """`diff all` and pane pairs: each pair that an event changed, with links and SLs before and now."""
    if not state.event:
        return
    was, after = state.net, state.after()
    now = after.net
    before, behind = ends_of(was), ends_of(now)
    named = lambda net, way: [(net.name[s], p) for s, p in way]
    reached = lambda way: not isinstance(way, str)
    links = lambda way: str(len(way) + 1) if reached(way) else {"lost": "none", "loop": "loop"}[way]
    want, sl_changed, alone = {}, 0, 0
    for k in set(before) | set(behind):
        (x, a), (y, b) = before.get(k, (None, "lost")), behind.get(k, (None, "lost"))
        if reached(a) and reached(b):
            other = was.sl.get(x) != now.sl.get(y)
            sl_changed += other
            if named(was, a) != named(now, b):
                want[k] = "rerouted", links(a), links(b)
            elif other:
                want[k] = "SL", links(a), links(b)
                alone += 1
        elif reached(a) or reached(b):
            want[k] = "lost" if reached(a) else "regained", links(a), links(b)
    told = after.ask("diff all")
    offset = lambda p: p["dlid"] - (now if p["dlid"] in now.owner else was).owner[p["dlid"]]
    same("diff: pairs", {(p["src"], p["dst"], offset(p)): (p["change"], p["before"], p["after"]) for p in told.get("pairs", ())}, want)
    same("diff: SLs", (told["change"]["sl_changed"], told["change"]["sl_alone"]), (sl_changed, alone))
    for key, ways in ("mean_links_before", before), ("mean_links_after", behind):
        same("diff: " + key, told["change"][key], float(mean([len(w) + 1 for _, w in ways.values() if reached(w)])))
    counts = {}
    for what, a, b in want.values():
        counts[what, a, b] = counts.get((what, a, b), 0) + 1
    listed = {}
    for r in rows(after, "pairs"):
        k = (r["what"].rstrip(":"), *was_and_now(r["links"]))
        listed[k] = listed.get(k, 0) + 1
    same("pairs", {(what, *(x if x.isdigit() else "-" for x in ends)): n for (what, *ends), n in listed.items()},
         {(what, *(x if x.isdigit() else "-" for x in ends)): n for (what, *ends), n in counts.items()})
    returns(after)


def returns(state):
    """Title of pane pairs: pairs of hosts whose way back takes other cables."""
    net = state.net
    told = re.search(r"(\d+) of (\d+) come back by other cables", state.ask("list pairs")["title"])
    if not told:
        return
    cables = lambda way: [{(s, p), (net.peer[s, p][1], net.far[s, p])} for s, p in way if (s, p) in net.channels]
    both = [(net.path(a, b), net.path(b, a)) for a, b in itertools.combinations(net.hosts, 2)]
    both = [(cables(a), cables(b)) for a, b in both if not isinstance(a, str) and not isinstance(b, str)]
    same("pairs: come back by other cables", (int(told[1]), int(told[2])), (sum(a != b[::-1] for a, b in both), len(both)))


# --- loads and figures before and after

def hotter_again(state):
    """`diff all` and pane hotter: routes on each link before and now; figures as `compare` names them."""
    if not state.event:
        return
    was, after = state.net, state.after()
    now = after.net
    loads = [{(net.name[s], p): n for (s, p), n in base_loads(net).items() if (s, p) in net.channels} for net in (was, now)]
    gained = {c: (loads[0].get(c, 0), loads[1].get(c, 0)) for c in set(loads[0]) | set(loads[1])
              if loads[0].get(c, 0) != loads[1].get(c, 0)}
    told = after.ask("diff all")["loads"]
    place = lambda word: (word[:word.rindex("[")], int(word[word.rindex("[") + 1:-1]))
    same("diff: loads", {place(p["from"]): (p["before"], p["after"]) for p in told["ports"]}, gained)
    expect(all(p["gain"] == p["after"] - p["before"] for p in told["ports"]), "diff: gain", told["ports"])
    same("diff: most on a link", (told["max_before"], told["max_after"]), tuple(max(x.values(), default=0) for x in loads))
    same("hotter", {place(r["link"]): (r["before"], r["now"], r["gain"]) for r in rows(after, "hotter")},
         {c: (a, b, b - a) for c, (a, b) in gained.items()})
    figures = after.ask("diff all").get("figures", {})
    for i, net in enumerate((was, now)):
        want = figures_of(net)
        for key in figures:
            same("diff: %s %s" % (key, ("before", "now")[i]), figures[key]["was" if not i else "now"], want[key])


def figures_of(net):
    """Figures of `compare`."""
    first, links = [], []
    for s, h in itertools.product(net.switches, net.hosts):
        paths = [net.path(s, lid) for lid in net.lids[h]] if on(net, s) and net.at[h] != s else []
        paths = [w for w in paths if not isinstance(w, str)]
        if paths:
            first.append(len({w[0] for w in paths}))
            links.append(len({c for w in paths for c in w if c in net.channels}))
    ways, of, lids = lid_routes(net).values(), elements_of(net), sent(net)
    elements = [1 + sum(of[a[0]] != of[b[0]] for a, b in zip(way, way[1:])) for way in ways]
    return {"hops_mean": float(mean([len(w) + 1 for w in ways])), "hops_max": max((len(w) + 1 for w in ways), default=0),
            "first_links_mean": float(mean(first)), "first_links_min": min(first, default=0),
            "links_mean": float(mean(links)), "links_min": min(links, default=0),
            "elements_mean": float(mean(elements)), "elements_max": max(elements, default=0),
            "usage_max": max((sum(lids.get(c, (0, 0))) for c in net.channels), default=0)}


# --- who is reached

def reached_again(state):
    """`check` and what `save` lacks: endports that are up and not in the manager's part, ways from hosts to switches."""
    net = state.net
    told = state.ask("check")
    lost = sum(isinstance(net.path(h, s), str) for h in net.hosts for s in net.switches)
    same("check: ways to switches", told["check"]["switch_unreachable"], lost)
    same("check: endports without a LID", told["check"]["no_lid"], 0)
    if state.whole:
        cut = 0, 0
    elif all(re.match("fail random|fail link|[^f]", c) for c in state.before):      # cables alone failed: all nodes are up
        whole = State(state.fabric, ["route minhop"], "minhop", "", True, state.rng, "whole").net
        cut = len(whole.hosts) - len(net.hosts), len(whole.switches) - len(net.switches)
    else:
        return
    same("check: hosts and switches cut off", (told["hosts_cut_off"], told["switches_cut_off"]), cut)
    same("check: endports cut off", told["hosts_gone"], sum(cut))
    lacks = re.findall(r"^# Incomplete: cut-off ", state.ask("save -")["content"], re.M)
    same("save: cut off", len(lacks), sum(cut))
    if state.whole:
        for r in rows(state, "hosts"):
            same("hosts: " + r["name"], (r["lid"], r["state"], r["switch"]),
                 next((h, "up", "%s[%d]" % (net.name[s], p)) for h in [net.by_name[r["name"]]]
                      for (s, p), end in net.peer.items() if end == ("H", h)))


# --- edited tables

def edited_again(state):
    """`drift` of tables with known edits: each entry's class."""
    net = state.net
    if not state.fresh or state.engine == "tables" or not net.hosts:
        return
    held = dict(net.table)
    ports = {s: sorted(p for a, p in net.peer if a == s) for s in net.switches}
    dead = {s: sorted(set(range(1, net.ports[s] + 1)) - set(ports[s])) for s in net.switches}
    edits, classes = {}, {}
    for k in state.rng.sample(sorted(held), min(len(held), state.rng.randrange(1, 7))):
        s, lid = k
        kind = state.rng.choice(["missing", "dead", "other"])
        others = [p for p in ports[s] if p != held[k]]
        if kind == "missing":
            edits[k] = None
        elif kind == "dead" and dead[s]:
            edits[k] = state.rng.choice(dead[s])
        elif others and held[k]:
            edits[k] = state.rng.choice(others)
    lines, here = [], 0
    for line in state.ask("export lfts -")["content"].splitlines():
        head = re.match(r"Unicast lids .* of switch Lid (\d+) ", line)
        entry = re.match(r"0x([0-9a-f]{4}) (\d+) (.*)", line)
        if head:
            here = int(head[1])
        k = (here, int(entry[1], 16)) if entry else None
        if k not in edits:
            lines.append(line)
        elif edits[k] is not None:
            lines.append("0x%s %03d %s" % (entry[1], edits[k], entry[3]))
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "tables")
        with open(name, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
        now = State(state.fabric, [*state.before, "tables " + name], "tables", "", True, state.rng, "edited")
        same("tables: entries held", {k: p for k, p in now.net.table.items() if p != NONE},
             {k: p for k, p in {**held, **edits}.items() if p is not None})
        told = now.ask("drift %s %s all" % (state.engine, state.options))
    listed = {(e["switch_lid"], e["lid"]): e for e in told["entries"]}
    for k, e in listed.items():
        classes[e["class"]] = classes.get(e["class"], 0) + 1
        same("drift: held at %s" % (k,), e["port"], edits.get(k, held.get(k, NONE)) if edits.get(k, 0) is not None else NONE)
    there = {lid for (_, lid), p in now.net.table.items() if p != NONE}
    for k, p in edits.items():
        if p is None and k[1] not in there:     # no switch has it any more: the file is not about this LID
            expect(k not in listed, "drift: what is not in the file is told:", k)
            continue
        expect(k in listed, "drift: an edited entry is right:", k, p, "for", held[k])
        want = "missing" if p is None else "dead" if k in edits and (k[0], p) not in net.peer else None
        expect(listed[k]["class"] == want if want else listed[k]["class"] in ("restart", "kept", "dead"),
               "drift: class of", k, listed[k], "expected", want)
    for kind, n in told["classes"].items():
        if kind != "right":
            same("drift: " + kind, n, classes.get(kind, 0))
    same("drift: right", told["classes"]["right"], sum(k[1] in there for k in held) - len({k for k in listed if k in held}))
    every = sum(told["classes"].values())
    same("drift: agreement", told["agreement"], float((told["classes"]["right"] + told["classes"]["kept"]) / every))
    same("drift: of switches", told["classes_of_switch_lids"]["missing"],
         sum(e["class"] == "missing" and k[1] not in net.owner for k, e in listed.items()))


# --- a chassis

def chassis_again(state):
    """`elements NAME` and pane lids, where elements have several chips."""
    net, of = state.net, elements_of(state.net)
    several = sorted(e for e in set(of.values()) if sum(x == e for x in of.values()) > 1)
    if not several:
        return
    names = {int(x["guid"], 16): x["name"] for x in state.ask("elements")["elements"]}
    e = state.rng.choice(several)
    told = rows(state, "elements " + names[e])
    chips = {net.name[s]: s for s in net.switches if of[s] == e}
    same("elements %s: chips" % names[e], sorted(r["name"] for r in told if r["name"] in chips), sorted(chips))
    for r in told:
        s = chips.get(r["name"])
        if s is not None:
            out = [c for c in net.channels if c[0] == s and of[net.peer[c][1]] != e]
            inside = [c for c in net.channels if c[0] == s and of[net.peer[c][1]] == e]
            same("elements %s: %s" % (names[e], r["name"]), (r["links"] or 0, r["inside"] or 0, r["hosts"] or 0),
                 (len(out), len(inside), len(on(net, s))))
    if not net.hosts:
        return
    a = state.rng.choice(net.hosts)
    for r in rows(state, "lids " + net.name[a]):
        found = [s for s in net.switches if net.name[s] == r["element"].strip()]
        if found and r["use"]:
            ports = [net.table.get((found[0], lid), NONE) for lid in net.lids[a]]
            if sum(of[s] == of[found[0]] for s in net.switches) == 1:
                same("lids %s: %s" % (net.name[a], r["element"]), r["use"], "%d/%d" % (len(set(ports) - {NONE}), len(ports)))


# --- a torus

def grid_of(state):
    """Switch LID -> coordinates in the torus; none: torus-2QoS refused the fabric."""
    net, at = state.net, {}
    guid = {g: s for s, g in net.guid.items()}
    for line in state.ask("export torus -", True).get("content", "").splitlines():
        found = re.match(r"switch (\d+),(\d+),(\d+) GUID 0x(\w+) ", line)
        if found:
            at[guid[int(found[4], 16)]] = tuple(int(found[i]) for i in (1, 2, 3))
    return at


def torus_again(state):
    """torus-2QoS: SL of each pair, VL of each link on its path (engines/doc/torus-2qos.md 8, 9), loads of pane torus."""
    if state.engine != "torus-2QoS":
        return
    net, at = state.net, grid_of(state)
    if not at:
        return
    title = state.ask("list torus")["title"]
    size = [int(x) for x in re.match(r"Torus (\d+)m?x(\d+)m?(?:x(\d+))?", title).groups(1)]
    same("torus: places", re.search(r"(\d+) of (\d+) places", title).groups(), (str(len(at)), str(size[0] * size[1] * size[2])))
    dimension = {}
    for c in net.channels:
        apart = [d for d in range(3) if at[c[0]][d] != at[net.peer[c][1]][d]] if {c[0], net.peer[c][1]} <= set(at) else ()
        dimension[c] = apart[0] if len(apart) == 1 else 3
    beyond = lambda s, t, d: abs(at[s][d] - at[t][d]) > size[d] - abs(at[s][d] - at[t][d])
    maps, load = vl_map(state), {}
    for (a, lid), way in lid_routes(net).items():
        s, t = net.at[a], net.at[net.owner[lid]]
        sl = sum(beyond(s, t, d) << d for d in range(3))
        same("torus: SL of %d to %d" % (a, lid), net.sl[a, lid], {sl})
        chain, ends = channels_of(net, maps, a, lid, way, sl)
        want, came = [0], 3
        for c in way:
            d = dimension.get(c, 3)
            want.append((sl >> d & 1) + 2 * (came != 3 and came > d) if d != 3 else 0)
            came = d
        same("torus: VLs of %d to %d" % (a, lid), ([vl for _, vl in chain], ends), (want, False))
        for c, vl in chain:
            load[c, vl] = load.get((c, vl), 0) + 1
    told = {((c["from_lid"], c["from_port"]), c["vl"]): c["routes"] for c in state.ask("cdg all")["cdg"]["list"]}
    same("torus: routes on each link and VL", told, load)
    grid_again(state, at, size)


def grid_again(state, at, size):
    """Pane torus: of each line the busiest of the links between two places, either direction, against the mean."""
    net, load = state.net, base_loads(state.net)
    average = mean([load[c] for c in net.channels])
    place = {p: s for s, p in at.items()}
    axes = sorted(range(3), key=lambda d: size[d] < 2)
    down = plane = 0
    for r in rows(state, "torus"):
        heads = [k for k in r if k in ("x", "y", "z")]      # plane and row, or the row alone
        values = re.findall(r"[\u2500\u2502z](\d+\.\d|\d\d\d|99\+| \d\d)", r["grid"])
        first = r[heads[-1]] is not None
        if first:
            down, plane = r[heads[-1]], r[heads[0]] if len(heads) > 1 else 0
        axis = axes[0] if first else axes[2] if "z" in r["grid"] else axes[1]
        want = []
        for x in range(size[axes[0]]):
            p = [0, 0, 0]
            p[axes[0]], p[axes[1]], p[axes[2]] = x, down, plane
            q = list(p)
            q[axis] = (q[axis] + 1) % size[axis]
            a, b = place.get(tuple(p)), place.get(tuple(q))
            both = [c for c in net.channels if (c[0], net.peer[c][1]) in ((a, b), (b, a))]
            if size[axis] == 2 and p[axis] == 1:
                both = []       # an open dimension
            if both:
                want.append(max(load[c] for c in both) / average)
        same("torus: links of %r" % r["grid"], len(values), len(want))
        for word, x in zip(values, want):
            expect(word == "99+" or abs(float(word) - x) < (.0501 if x < 9.95 else .501), "torus: link of", r["grid"], word, x)


CHANGED = [entries_again, pairs_again, hotter_again, reached_again, edited_again, chassis_again]
