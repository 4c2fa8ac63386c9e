#!/usr/bin/env python3
"""Figures computed a second time, and figures that several commands tell, on random states.

A state is a random fabric, an engine, LMC 0 to 2, sometimes quality of service, failed cables, switches and hosts.  The
model reads what `save -`, `export lfts -` and `export paths -` print and shares no code with the program.  EQUAL is the
table of quantities that two commands, or text and JSON, tell.  Panes, layers, samples and groups of adaptive routing
are in again.py: each state meets some of these.

New states in every run (SEED repeats one, FIGURED=N draws N).
Environment: IBSCOPE=build/ibscope.  The last line is "N passed, N failed".
"""
import itertools
import os
import random
import re
import sys
import tempfile

from again import AGAIN, elements_of, span
from changed import CHANGED, changed_entries, torus_again
from states import State, ranges, same

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from trial import Failed, Tally, chosen_seed, expect  # noqa: E402

SEED = chosen_seed()
FIGURED = int(os.environ.get("FIGURED", "5"))
TORUS = None            # file of torus-2QoS
AGAIN_OF_A_STATE = int(os.environ.get("AGAIN", "6"))    # panes and other figures, of each state so many kinds


# --- computed a second time: functions of a state, which say what is wrong ----------------------------

def service_levels(state):
    """`compare`: the SLs of all LIDs of all hosts."""
    net = state.net
    other = "minhop" if state.engine != "minhop" else "updn"
    told = state.ask("compare %s %s %s" % (state.engine, other, state.options))["compare"][0]
    if "sls" not in told or told["sls"] is None or not state.fresh:
        return
    used = {sl for (a, b), sls in net.sl.items() if net.owner[a] != net.owner[b] for sl in sls}
    if used:
        same("compare: SLs", told["sls"], ranges(used))


def survey(state):
    """`survey`: each failure done, and the pairs and ports that it costs."""
    net, kinds = state.net, ["links", "switches"]
    if state.fabric.startswith("director"):
        kinds += ["chassis", "cards"] * 2
    kind = state.rng.choice(kinds)
    if kind == "links" and not net.channels:
        return
    told = state.ask("survey " + kind, kind in ("chassis", "cards"))
    groups = boxes(net, kind)
    if groups is not None and state.whole:
        same("survey %s: failures" % kind, told["survey"] if not groups and told["ok"] else
             sorted(sorted(s["name"] for s in r["switches"]) for r in told.get("survey", ())), groups)
    if not told["ok"]:
        return
    panes = {r["fails"]: r["hottest"] for r in rows("survey " + kind)(state)}
    for row in state.rng.sample(told["survey"], min(4, len(told["survey"]))):
        if not row["engine"]:
            continue
        after = State(state.fabric, [*state.before, row["try"]], state.engine, state.options, False, state.rng)
        now = after.net
        by_name = {now.name[h]: h for h in now.hosts}
        gone = {net.name[h] for h in net.hosts} - set(by_name)
        down = {row["switch_lid"]} if kind == "switches" else {s["lid"] for s in row["switches"]} if kind != "links" else ()
        part = net.parts(down,
                         {(row["a_lid"], row["a_port"]), (row["b_lid"], row["b_port"])} if kind == "links" else ())
        what, several = "survey %s, %s: " % (kind, row["try"]), max(map(len, net.lids.values()), default=1)
        lost = cut = outside = rerouted = longer = 0
        for a, b in itertools.permutations(net.by_name, 2):
            for k in range(several):
                before = net.path(net.by_name[a], net.by_name[b] + k)
                there = a in by_name and b in by_name
                after_it = now.path(by_name[a], by_name[b] + k) if there else "lost"
                if not isinstance(before, str) and not isinstance(after_it, str):
                    rerouted += named(net, before) != named(now, after_it)
                    longer += len(after_it) > len(before)
                if isinstance(before, str) or not isinstance(after_it, str):
                    continue
                lost += 1
                cut += not there
                outside += a in gone and b in gone and part[net.by_name[a]] == part[net.by_name[b]] is not None
        same(what + "bad", row["bad"], not row["engine"] or row["between_survivors"] + row["new_loops"] > 0)
        same(what + "lost is cut off and between", row["lost"], row["cut_off"] + row["between_survivors"])
        expect(row["outside"] <= row["cut_off"], what, "outside is a part of cut off", row)
        same(what + "gone", row["hosts_gone"], len(gone))
        same(what + "lost", row["lost"], lost)
        same(what + "cut off", row["cut_off"], cut)
        same(what + "between", row["between_survivors"], lost - cut)
        same(what + "outside", row["outside"], outside)
        same(what + "rerouted", (row["rerouted"], row["longer"]), (rerouted, longer))
        load = loads_of(now)
        same(what + "load", row["load_after"], max(load.values(), default=0))
        top = after.ask("load-map all all")["loads"]["ports"]
        hottest = top[0]["from"] if top else None   # of those with most routes the first there
        expect(not top or load[top[0]["from_lid"], top[0]["from_port"]] == row["load_after"], what, "hottest is", top and top[0])
        same(what + "hottest", row.get("load_at"), hottest)
        same(what + "hottest, pane", panes[row["what"]] or None, hottest)
        same(what + "entries", row["entries"], len(changed_entries(net, now)))


def boxes(net, kind):
    """Names of the switches of each chassis, of each card, by what `save` and names tell; None: these do not fail together."""
    of = {"chassis": lambda s: net.system[s], "cards": lambda s: net.name[s].rsplit("/", 1)[0]}.get(kind)
    if not of:
        return None
    groups = {}
    for s in net.switches:
        if "/" in net.name[s]:
            groups.setdefault(of(s), []).append(net.name[s])
    return sorted(map(sorted, groups.values()))


def loads_of(net):
    """Routes of all pairs over each port between switches."""
    load = {c: 0 for c, (kind, _) in net.peer.items() if kind == "S"}
    for a, b in itertools.permutations(net.hosts, 2):
        way = net.path(a, b)
        for c in way if not isinstance(way, str) else ():
            if c in load:
                load[c] += 1
    return load


def equal_paths(state):
    """`equal-paths`: ways between elements that have hosts, by links between elements."""
    net, of = state.net, elements_of(state.net)
    near = {}
    for s, p in net.channels:
        a, b = of[s], of[net.peer[s, p][1]]
        if a != b:
            near.setdefault(a, []).append(b)
    name = {}
    for s in net.switches:
        name.setdefault(of[s], set()).add(net.name[s])
    edges, want, pairs = sorted({of[net.at[h]] for h in net.hosts}), {}, 0
    for b in edges:
        far = steps_to(near, b, None)
        # below which elements a shortest way may take a step to one that is as far
        sideways = {}
        for x in sorted(far, key=far.get):
            sideways[x] = x != b and any(far[y] == far[x] or (far[y] < far[x] and sideways[y]) for y in near.get(x, ()) if y in far)
        for a in edges:
            if a == b or a not in far:
                continue
            pairs += 1
            around, ways = steps_to(near, b, a), []
            for n in near[a]:
                if n in around:
                    ways.append({around[n] + 1} | ({far[a] + 1} if far[n] < far[a] and sideways[n] else set()))
            longest = max(map(max, ways))
            if longest > far[a]:
                want[a, b] = (far[a], sum(far[a] in w for w in ways), longest, sum(max(w) > far[a] for w in ways))
    told = state.ask("equal-paths all")["equal_paths"]
    same("equal-paths", (told["edges"], told["pairs"], told["unequal"]), (len(edges), pairs, len(want)))
    same("equal-paths: list", {(int(r["from_guid"], 16), int(r["to_guid"], 16)): (r["shortest"], r["links"], r["longest"], r["longer"])
                               for r in told["list"]}, want)


def steps_to(near, b, without):
    far, queue = {b: 0}, [b]
    for at in queue:
        for n in near.get(at, ()):
            if n not in far and n != without:
                far[n] = far[at] + 1
                queue.append(n)
    return far


def dependencies(state):
    """`cdg`: routes on each channel and dependencies, where all is on one VL; with and without switches' own LIDs."""
    net = state.net
    if "qos" in state.options:
        return
    for words, ends in ("", net.hosts), (" switches", net.hosts + net.switches):
        load, after, before = {}, {}, {}
        for a, b in itertools.permutations(ends, 2):
            for lid in net.lids.get(b, (b,)):
                way = net.path(a, lid)
                if isinstance(way, str):
                    continue
                way = ([(a, net.port[a])] if a in net.at else []) + way
                for i, c in enumerate(way):
                    load[c] = load.get(c, 0) + 1
                    if i:
                        after.setdefault(way[i - 1], set()).add(c)
                        before.setdefault(c, set()).add(way[i - 1])
        told = state.ask("cdg%s all" % words)["cdg"]
        if any(c["vl"] for c in told["list"]):
            return
        same("cdg%s: routes" % words, {(c["from_lid"], c["from_port"]): c["routes"] for c in told["list"]}, load)
        same("cdg%s: out" % words, {(c["from_lid"], c["from_port"]): c["out"] for c in told["list"]},
             {c: len(after.get(c, ())) for c in load})
        same("cdg%s: in" % words, {(c["from_lid"], c["from_port"]): c["in"] for c in told["list"]},
             {c: len(before.get(c, ())) for c in load})
        same("cdg%s: dependencies" % words, told["dependencies"], sum(map(len, after.values())))
        layers = state.ask("layers" + words)["layers"]
        same("layers%s: channels" % words, sum(x["channels"] for x in layers), len(load))
        same("layers%s: routes" % words, sum(x["routes"] for x in layers),
             sum(not isinstance(net.path(a, lid), str) for a, b in itertools.permutations(ends, 2)
                 for lid in net.lids.get(b, (b,))))


def pair_paths(net):
    """(name, name, offset of the LID) -> path, or why there is none."""
    return {(a, b, k): net.path(net.by_name[a], lid) for a, b in itertools.permutations(net.by_name, 2)
            for k, lid in enumerate(net.lids[net.by_name[b]])}


def named(net, way):
    return way if isinstance(way, str) else [(net.name[s], p) for s, p in way]


def event(state):
    """What an event tells of pairs, and the journal of it."""
    command = state.event
    if not command:
        return
    after = state.after()
    told = after.done[-1]["change"]
    was, now = pair_paths(state.net), pair_paths(after.net)
    had, have = ({p for p, way in paths.items() if not isinstance(way, str)} for paths in (was, now))
    both = had & have
    want = {
        "pairs": len(now), "pairs_before": len(was), "lost": len(had - have), "regained": len(have - had),
        "rerouted": sum(named(state.net, was[p]) != named(after.net, now[p]) for p in both),
        "longer": sum(len(now[p]) > len(was[p]) for p in both), "shorter": sum(len(now[p]) < len(was[p]) for p in both),
        "max_links_before": max((len(was[p]) + 1 for p in had), default=0),
        "max_links_after": max((len(now[p]) + 1 for p in have), default=0)}
    for key, n in want.items():
        same("%s: %s" % (command, key), told[key], n)
    last = after.ask("journal")["events"][-1]
    for key in "rerouted", "lost", "regained":
        same("%s: journal: %s" % (command, key), last[key], want[key])
    text = "\n".join(after.done[-1]["text"])
    lost = re.search(r"of (\d+) pairs? .*take another path(?: \(\d+ longer, \d+ shorter\))?, (\d+)(?: of (\d+) before are)? lost", text)
    expect(lost, command, "tells", text)
    same(command + ": text", [int(lost[1]), int(lost[2])], [len(now), want["lost"]])
    expect(not want["lost"] or int(lost[3] or lost[1]) == len(was), command, "tells", text)


def advice(state):
    """`advise`: what it ranks by is what other commands say of an engine once it routes."""
    if not state.fresh:
        return
    tried = state.rng.random() < .3     # all single failures of links, too
    rows = state.ask("advise failures %d" % (999 * tried))["advice"]
    for a, b in zip(rows, rows[1:]):
        alike = abs(a["bisection"] - b["bisection"]) <= a["bisection_half_width"] + b["bisection_half_width"]
        why = a.get("reason", "")
        if "bisection" in why and "intervals" not in why:
            expect(not alike, "advise: intervals overlap, and the reason is:", why, a, b)
        if "intervals" in why:
            expect(alike and a["bisection"] != b["bisection"], "advise:", why, a, b)
        elif a["bisection"] != b["bisection"] and re.search(r"^mean shift|^\d+ VL|^most routes|simpler", why):
            expect(False, "advise: bisections differ and nothing says that they count as equal:", why, a, b)
    plain = [r for r in rows if r["engine"] != "torus-2QoS" and not re.search("root|node|torus", r["options"])]
    for row in state.rng.sample(plain, min(2, len(plain))):
        options = row["options"].replace(", ", ";").replace(" ", "=").replace(";", " ")
        if "qos=" not in options:  # advise unsets what its candidates set by themselves
            options += " qos=FALSE"
        routed = State(state.fabric, [*state.before, "route %s %s" % (row["engine"], options)], row["engine"],
                       state.options, True, state.rng)
        what = "advise, %s %s: " % (row["engine"], options)
        shifts, ebb = routed.ask("shifts 20")["shifts"], routed.ask("load-map ebb seed=1")["ebb"]
        same(what + "shift_mean", row["shift_mean"], shifts["mean"])
        same(what + "shift_worst", row["shift_worst"], shifts["worst"])
        same(what + "bisection", row["bisection"], ebb["value"])
        same(what + "bisection_half_width", row["bisection_half_width"], ebb["half_width"])
        same(what + "max_load", row["max_load"], routed.ask("load-map")["loads"]["max"])
        check = routed.ask("check")
        same(what + "pairs", row["pairs"], check["check"]["pairs"])
        same(what + "lost", row["lost"], check["unreachable"] + check["dropped"])
        same(what + "loops", row["loops"], check["credit_loop_groups"])
        same(what + "VLs", row["vls"], len({c["vl"] for c in routed.ask("cdg all")["cdg"]["list"]}))
        same(what + "sound", row["sound"], check["sound"])
        if row["failures"]:
            each = routed.ask("survey links")["survey"]
            same(what + "failures", (row["failures"], row["failure_lost"], row["failure_loops"], row["failure_fallbacks"]),
                 (len(each), max(r["between_survivors"] for r in each), sum(r["new_loops"] > 0 for r in each),
                  sum(r["engine"] != row["engine"] for r in each)))


def single_points(state):
    """`doctor`: hosts that hang on one switch, each once: its loss cuts them off from a larger part of the others."""
    net, points, behind = state.net, 0, set()
    for s in net.switches:
        parts = {}
        for h, p in net.parts({s}, ()).items():
            if p is not None:
                parts.setdefault(p, []).append(h)
        parts = sorted(parts.values(), key=len)
        if len(parts) < 2:
            continue
        if len(parts[-1]) > len(parts[-2]):
            parts.pop()
        points += 1
        behind.update(h for hosts in parts for h in hosts)
    told = re.search(r"single-point \(computed\): (\d+) switch(?:es are| is) the only way to (\d+) host", state.text("doctor"))
    same("single points, hosts behind them", told and (int(told[1]), int(told[2])), (points, len(behind)) if points else None)


# --- the same quantity from two commands, from text and JSON, from a pane ------------------------------------

def rows(pane):
    return lambda s: s.ask("list " + pane)["rows"]


def summed(pane, column):
    return lambda s: sum(r[column] or 0 for r in rows(pane)(s))


def most(pane, column):
    return lambda s: max((r[column] or 0 for r in rows(pane)(s)), default=0)


def key(command, *path):
    def look(s):
        value = s.ask(command)
        for k in path:
            value = value[k]
        return value
    return look


def told(command, pattern):
    return lambda s: s.number(command, pattern)


def compared(figure):
    """A figure of `compare`, where nothing was kept and the engine does not refuse."""
    def look(s):
        other = "minhop" if s.engine != "minhop" else "updn"
        row = s.ask("compare %s %s %s" % (s.engine, other, s.options))["compare"][0]
        return row[figure] if s.fresh and "sls" in row else None
    return look


def rounded(digits, place):
    return lambda s: round(place(s), digits)


def over_hottest(command, key_of):
    """Pairs over the link with most routes, as a command lists them or a pane counts them."""
    def look(s):
        ports = s.ask("load-map all")["loads"]["ports"]
        if not ports or not ports[0]["routes"]:
            return None
        value = s.ask(command % ports[0]["from"])
        return sum(r["pairs"] for r in value["rows"]) if key_of == "rows" else sum(g["pairs"] for g in value["groups"])
    return look


def model(compute):
    return lambda s: compute(s.net)


def no_path(why):
    return lambda net: sum(way in why for way in pair_paths(net).values() if isinstance(way, str))


def changed(*path):
    """Of the event drawn for the state; None: there is none."""
    def look(s):
        value = s.after().done[-1] if s.event else None
        for k in path:
            value = value[k] if value else None
        return value
    return look


def after(command, *path):
    def look(s):
        if not s.event:
            return None
        value = s.after().ask(command)
        for k in path:
            value = value[k]
        return value
    return look


def first(groups, key):
    return groups[0][key] if groups else None


def told_cut(s):
    """Hosts cut off, in the text of check: where no switch is, all that are told."""
    found = re.search(r"^(\d+) endports? cut off from the subnet manager(?:: (\d+) host ports?)?", s.text("check"), re.M)
    return int(found[2] or found[1]) if found else 0


def of_advice(key_, column):
    """A figure of all candidates, from JSON and from the pane."""
    return (lambda s: sum(r[key_] for r in s.ask("advise failures 0")["advice"]),
            lambda s: sum(r[column] or 0 for r in rows("advise failures 0")(s) if isinstance(r[column], (int, float)) and isinstance(r["rank"], int)))


# what; where it is told, each a function of a state (None: not there).  All must be the same.
EQUAL = [
    ("pairs of hosts", key("check", "check", "pairs"), told("check", r"^(\d+) paths? between hosts"),
     model(lambda n: len(pair_paths(n))), told("report -", r"^- paths between hosts: (\d+)")),
    ("pairs without a path", key("check", "unreachable"), key("check", "check", "unreachable"),
     told("check", r"between hosts: (\d+) unreachable"), compared("unreachable"), model(no_path(("lost", "loop"))),
     key("report -", "unreachable")),
    ("pairs that loop", key("check", "check", "looping"), told("check", r"\((\d+) of them loop\)"), model(no_path(("loop",)))),
    ("links of the longest path", key("check", "check", "max_links"),
     told("check", r"longest (\d+) links?\.$"), told("report -", r"^- longest path, links: (\d+)"), compared("hops_max"),
     model(lambda n: max((len(w) + 1 for w in pair_paths(n).values() if not isinstance(w, str)), default=0))),
    ("links of a path, mean", compared("hops_mean"), compared("path_links_mean"),
     lambda s: changed("change", "mean_links_before")(s) if s.fresh and compared("sls")(s) else None),
    ("routes of all pairs", key("load-map", "loads", "routes"), told("load-map", r"^(\d+) routes? over"),
     model(lambda n: sum(not isinstance(n.path(a, b), str) for a, b in itertools.permutations(n.hosts, 2)))),
    ("most routes on a link", key("load-map", "loads", "max"), told("load-map", r"min \d+, mean [\d.]+, max (\d+)$"),
     lambda s: max((p["routes"] for p in s.ask("load-map all all")["loads"]["ports"]), default=0),
     most("map", "load"),
     lambda s: s.ask("survey switches")["survey_of"]["load_before"]),
    ("routes on links, sum", lambda s: sum(p["routes"] for p in s.ask("load-map all all")["loads"]["ports"]),
     model(lambda n: sum(len(w) - 1 for w in (n.path(a, b) for a, b in itertools.permutations(n.hosts, 2)) if not isinstance(w, str)))),
    ("routes to LIDs, most", key("load-map lids", "loads", "max"), compared("load_max")),
    ("routes to LIDs, least", key("load-map lids", "loads", "min"), compared("load_min")),
    ("directed links between switches", key("load-map", "loads", "links"),
     model(lambda n: len(n.channels))),
    ("groups of credit loops", key("check", "credit_loop_groups"), key("cycles", "credit_loop_groups"),
     key("report -", "credit_loop_groups"), lambda s: len(s.ask("cycles all")["credit_loops"]), compared("credit_loops"),
     lambda s: len(re.findall(r"\(group \d+\):$", s.text("cycles all"), re.M))),
    ("channels with credit loops", key("cdg", "cdg", "on_cycles"), lambda s: sum(x["on_cycles"] for x in s.ask("layers")["layers"]),
     lambda s: sum(g["channels"] for g in s.ask("cycles all")["credit_loops"])),
    ("channels", key("cdg", "cdg", "channels"), lambda s: sum(x["channels"] for x in s.ask("layers")["layers"])),
    ("dependencies", key("cdg", "cdg", "dependencies"), lambda s: sum(x["dependencies"] for x in s.ask("layers")["layers"])),
    ("sound", key("check", "sound"), lambda s: bool(re.search(r"^Sound: ", s.text("check"), re.M)),
     lambda s: not re.search(r"^NOT SOUND|nothing is judged", s.text("check"), re.M),
     lambda s: s.ask("survey switches")["survey_of"]["sound"]),
    ("entries", summed("switches", "lids"), model(lambda n: sum(p != 255 for p in n.table.values()))),
    ("hosts that are up", key("load-map ebb", "ebb", "hosts"), key("shifts order lid", "shifts", "places"), model(lambda n: len(n.hosts))),
    ("mean of shifts", lambda s: round(s.ask("shifts")["shifts"]["mean"], 2), told("shifts", r"Most flows on a link: mean ([\d.]+)")),
    ("worst shift", key("shifts", "shifts", "worst"), told("shifts", r"Most flows on a link: mean [\d.]+, worst (\d+)")),
    ("endports cut off", key("check", "hosts_gone"), lambda s: key("check", "hosts_cut_off")(s) + key("check", "switches_cut_off")(s),
     told("check", r"^(\d+) endports? cut off from the subnet manager"), told("report -", r"^- ports cut off from the subnet manager: (\d+)"),
     lambda s: sum(f["count"] for f in s.ask("check")["faults"] if f["kind"] == "cut_off")),
    ("failures that count as bad", key("survey switches", "bad"), told("survey switches", r"^Bad: (\d+) of"),
     lambda s: sum(r["bad"] for r in s.ask("survey switches")["survey"])),
    ("failures that cut off", key("survey switches", "cutting"), told("survey switches", r"cut off by (\d+) of"),
     lambda s: sum(r["hosts_gone"] > 0 for r in s.ask("survey switches")["survey"])),
    ("pairs listed after an event", lambda s: after("list pairs", "rows")(s) and len(after("list pairs", "rows")(s)),
     lambda s: s.event and sum(changed("change", k)(s) for k in ("rerouted", "lost", "regained", "new", "sl_alone")) or None),
    ("entries changed by an event", changed("change", "entries"), after("diff", "change", "entries"),
     lambda s: s.event and sum(r["changed"] or 0 for r in after("list switches", "rows")(s)),
     lambda s: s.event and after("journal", "events")(s)[-1]["entries"]),
    ("pairs rerouted by an event", changed("change", "rerouted"), after("diff", "change", "rerouted"),
     lambda s: s.event and after("list journal", "rows")(s)[-1]["rerouted"]),
    ("pairs lost by an event", changed("change", "lost"), after("diff", "change", "lost"),
     lambda s: s.event and after("list journal", "rows")(s)[-1]["lost"],
     lambda s: s.event and changed("cut_off")(s) + changed("between_survivors")(s)),
    ("least routes on a link", key("load-map", "loads", "min"), told("load-map", r"min (\d+), mean")),
    ("mean routes on a link", rounded(1, key("load-map", "loads", "mean")), told("load-map", r"mean ([\d.]+), max")),
    ("effective bisection", rounded(3, key("load-map ebb seed=2", "ebb", "value")), told("load-map ebb seed=2", r"bandwidth: ([\d.]+) \+-")),
    ("channels, text", key("cdg", "cdg", "channels"), told("cdg", r"^(\d+) channels?, "), summed("layers", "channels")),
    ("dependencies, text", key("cdg", "cdg", "dependencies"), told("cdg", r"channels?, (\d+) dependenc"), summed("layers", "deps")),
    ("channels on cycles", key("cdg", "cdg", "on_cycles"), told("cdg", r", (\d+) channels? on cycles$"), summed("layers", "cyclic")),
    *(("survey: " + column, lambda s, k=column: sum(r[k] for r in s.ask("survey switches")["survey"]), summed("survey switches", pane))
      for column, pane in (("lost", "lost"), ("rerouted", "rerouted"), ("entries", "entries"), ("hosts_gone", "gone"), ("longer", "longer"),
                           ("cut_off", "cut off"), ("between_survivors", "between"), ("new_loops", "loops"), ("outside", "outside"))),
    ("survey: load", lambda s: sum(r["load_after"] for r in s.ask("survey switches")["survey"]), summed("survey switches", "load")),
    ("errors found", key("doctor", "errors"), lambda s: sum(r["severity"] == "error" for r in rows("doctor")(s)),
     told("doctor", r"^(\d+) errors?\b"), lambda s: sum(f["severity"] == "error" and "follows" not in f for f in s.ask("doctor")["findings"])),
    ("entries that are right", lambda s: s.ask("drift " + s.engine)["classes"]["right"] if s.fresh else None,
     lambda s: sum(p != 255 for p in s.net.table.values()) if s.fresh else None),
    ("entries judged by drift", lambda s: sum(s.ask("drift " + s.engine)["classes"].values()),
     lambda s: s.number("drift " + s.engine, r": (\d+) entries, agreement")),
    ("links hotter", after("diff", "loads", "hotter"), lambda s: s.event and sum(r["gain"] > 0 for r in after("list hotter", "rows")(s)),
     lambda s: s.event and s.after().number("diff", r"^Loads: (\d+) links? hotter")),
    ("links cooler", after("diff", "loads", "cooler"), lambda s: s.event and sum(r["gain"] < 0 for r in after("list hotter", "rows")(s))),
    ("entries changed, listed", after("diff", "change", "entries"), lambda s: s.event and len(after("list changes", "rows")(s))),
    ("pairs with ways of unequal length", key("equal-paths", "equal_paths", "unequal"), told("equal-paths", r": (\d+) with ways of unequal"),
     lambda s: len(s.ask("equal-paths all")["equal_paths"]["list"])),
    ("pairs of edge elements", key("equal-paths", "equal_paths", "pairs"), told("equal-paths", r"^(\d+) pairs? between")),
    ("most routes of an engine", lambda s: max((r["max_load"] for r in s.ask("advise failures 0")["advice"]), default=0), most("advise failures 0", "load")),
    ("routes over the hottest link", key("load-map", "loads", "max"), lambda s: over_hottest("flows %s", "flows")(s),
     lambda s: over_hottest("list flows %s", "rows")(s)),
    ("fabric", lambda s: s.whole and s.ask("show")["fabric"]["switches"], lambda s: s.whole and len(s.net.switches), lambda s: s.whole and len(rows("switches")(s))),
    ("hosts of the fabric", lambda s: s.whole and s.ask("show")["fabric"]["hosts"], lambda s: s.whole and len(s.net.hosts)),
    ("failures listed", lambda s: len(s.ask("survey switches")["survey"]), key("survey switches", "survey_of", "failures"),
     lambda s: len(rows("survey switches")(s))),
    ("routes that VL 15 ends", key("check", "dropped"), key("cycles", "dropped"), key("layers", "dropped"),
     told("check", r"^(\d+) routes? (?:is|are) dropped")),
    ("routes on VLs", lambda s: sum(max((x["routes"] for x in s.ask("layers")["layers"] if x["vl"] in span(r["VL"])), default=0) for r in rows("layers")(s)),
     summed("layers", "routes")),
    ("hosts cut off", key("check", "hosts_cut_off"), told_cut,
     lambda s: sum(r["state"] == "cut" for r in rows("hosts")(s)),
     lambda s: sum(f["count"] for f in s.ask("check")["faults"] if f["kind"] == "cut_off") - key("check", "switches_cut_off")(s)),
    ("shortest loop of the first group", lambda s: first(s.ask("check")["credit_loops"], "length"),
     lambda s: first(s.ask("cycles all")["credit_loops"], "length"), lambda s: s.number("cycles", r"a shortest one has (\d+) \(group 1\)") or None,
     lambda s: first(s.ask("cycles all")["credit_loops"], "cycle") and len(s.ask("cycles all")["credit_loops"][0]["cycle"])),
    ("channels of the panes", lambda s: len(rows("cdg all")(s)), key("cdg", "cdg", "channels"),
     lambda s: int(re.search(r"(\d+) channel", s.ask("list cdg all")["title"])[1])),
    ("dependencies from and to", summed("cdg all", "in"), summed("cdg all", "out"), key("cdg", "cdg", "dependencies")),
    ("routes on channels", summed("cdg all", "routes"), lambda s: sum(c["routes"] for c in s.ask("cdg all")["cdg"]["list"])),
    ("elements", lambda s: len(s.ask("elements")["elements"]), told("elements", r"^(\d+) elements?, "), lambda s: len(rows("elements")(s))),
    ("chips of elements", lambda s: sum(x["chips"] for x in s.ask("elements")["elements"]), lambda s: s.whole and len(s.net.switches) or None),
    ("links between elements", told("elements", r"(\d+) links? between them"),
     lambda s: sum(x["external"] for x in s.ask("elements")["elements"]) / 2),
    ("links inside elements", lambda s: sum(x["internal"] for x in s.ask("elements")["elements"]), summed("elements", "inside")),
    ("most LIDs of a link between elements", most("elements", "most"),
     lambda s: max((r["lids"] for r in rows("usage all")(s) if r["link"] == "out"), default=0)),
    ("most LIDs of a port", compared("usage_max"), lambda s: compared("sls")(s) and max(
        (r["lids"] for r in rows("usage all")(s) if r["link"] in ("out", "inside")), default=0)),
    ("LIDs sent", summed("usage all", "lids"), lambda s: summed("usage all", "hosts")(s) + summed("usage all", "switches")(s)),
    ("links of the fabric", key("show", "fabric", "links"), lambda s: len(s.ask("show links")["links"]),
     lambda s: s.whole and len(s.net.channels) // 2 + len(s.net.hosts) or None),
    ("links that failed", key("show", "failed_links"), told("show", r"^failed: (\d+) links?"),
     lambda s: None if s.ask("show")["failed_nodes"] else sum(not x["up"] for x in s.ask("show links")["links"])),
    ("ports that are up", lambda s: sum(x["up"] for x in s.ask("show switches")["switches"]), summed("switches", "up")),
    ("hosts listed", lambda s: len(s.ask("show hosts")["hosts"]), lambda s: len(rows("hosts")(s)), key("show", "fabric", "hosts")),
    ("findings", lambda s: sum("follows" not in f for f in s.ask("doctor")["findings"]), lambda s: len(rows("doctor")(s)),
     lambda s: sum(s.ask("doctor")[k] for k in ("errors", "warnings", "notes"))),
    ("notes of doctor", key("doctor", "notes"), told("doctor", r"^(?:.*, )?(\d+) notes?\.$")),
    ("routes to LIDs, mean", compared("load_mean"), key("load-map lids", "loads", "mean")),
    ("links in bars", lambda s: summed("plot loads", "links")(s) if s.ask("load-map")["loads"]["max"] else None, lambda s: len(s.net.channels) or None),
    ("paths in bars", lambda s: sum(r["pairs"] for r in rows("plot hops")(s) if r["links"] not in ("none", "loop")),
     lambda s: key("check", "check", "pairs")(s) - key("check", "unreachable")(s)),
    ("worst shift in bars", lambda s: None if not rows("plot shifts")(s) or "K" not in rows("plot shifts")(s)[0] else most("plot shifts", "flows")(s),
     lambda s: s.ask("shifts")["shifts"]["worst"] if rows("plot shifts")(s) and "K" in rows("plot shifts")(s)[0] else None),
    ("shifts without sharing", key("shifts", "shifts", "free"), told("shifts", r"; (\d+) shifts? without two flows")),
    ("shifts looked at", key("shifts", "shifts", "looked_at"), told("shifts", r"; (\d+) of \d+ shifts? looked at")),
    ("load of the report", key("report -", "max_load"), key("load-map", "loads", "max"), told("report -", r"^- most routes on a link: (\d+)")),
    ("loops of the report", told("report -", r"^- of these in forwarding loops: (\d+)"), key("check", "check", "looping")),
    ("routes of the report", told("report -", r"^- routes: (\d+)"), key("load-map", "loads", "routes")),
    ("figures of advise, load", *of_advice("max_load", "load")), ("figures of advise, lost", *of_advice("lost", "lost")),
    ("figures of advise, loops", *of_advice("loops", "loops")), ("figures of advise, VLs", *of_advice("vls", "VLs")),
    ("figures of advise, worst shift", *of_advice("shift_worst", "worst")),
    ("entries of all tables", summed("switches", "lids"), lambda s: sum(len(x["entries"]) - sum(e["port"] == 255 for e in x["entries"])
                                                                    for x in (s.ask("lft %d" % k) for k in s.net.switches[:3]))
     if len(s.net.switches) <= 3 else None),
    ("events", lambda s: len(s.ask("journal")["events"]), lambda s: len(rows("journal")(s))),
    ("entries of an event, gained", changed("change", "entries_gained"), after("diff", "change", "entries_gained")),
    ("entries of an event, lost", changed("change", "entries_lost"), after("diff", "change", "entries_lost")),
    ("most on a link before an event", after("diff", "loads", "max_before"), lambda s: s.event and key("load-map", "loads", "max")(s)),
    ("most on a link after an event", after("diff", "loads", "max_after"), after("load-map", "loads", "max")),
    ("longest path before an event", changed("change", "max_links_before"), lambda s: s.event and key("check", "check", "max_links")(s)),
    ("longest path after an event", changed("change", "max_links_after"), after("check", "check", "max_links")),
    ("pairs regained by an event", changed("change", "regained"), lambda s: s.event and after("list journal", "rows")(s)[-1]["regained"],
     lambda s: s.event and sum(p["change"] == "regained" for p in s.after().ask("diff all").get("pairs", ()))),
]


def equalities(state):
    for what, *places in EQUAL:
        values = [v for v in (place(state) for place in places) if v is not None]
        for v in values[1:]:
            same(what + " %s" % values, float(v), float(values[0]))


COMPUTED = [equalities, service_levels, dependencies, survey, event, advice, single_points, equal_paths, torus_again]

# --- the states -------------------------------------------------------------------------------------

ENGINES = ["minhop", "updn", "dnup", "dor", "ftree", "lash", "sssp", "dfsssp", "nue", "mincontention"]


def draw_state(rng):
    kind = rng.choice(["random", "random", "random", "xgft:3,3:1,2", "xgft:2,2,2:1,1,2", "ring:6", "torus:3x3", "torus:4x3",
                       "mesh:4x3", "mesh:5x1,hosts=2", "mesh:3x1,hosts=3", "director:2,2,2,2", "director:2,3,1,2"])
    if kind == "random":
        kind = "random:%d,3,hosts=%d,parallel=%d,shuffle=1,seed=%d" % (rng.randrange(4, 12), rng.randrange(1, 4),
                                                                     rng.randrange(1, 3), rng.randrange(10 ** 6))
    options = "lmc=%d" % rng.choice([0, 0, 1, 2]) + (" qos=TRUE" if rng.random() < .4 else "")
    if "qos" in options and rng.random() < .3:
        options += "".join(" qos_%s_sl2vl=%s" % (who, ",".join(str(rng.choice([0, 0, 1, 2, 3, 15][:5 if not sl else 6])) for sl in range(16)))
                           for who in ("ca", "swe") if rng.random() < .7)
    engine = rng.choice(ENGINES)
    grid = []
    if kind.startswith("torus") and rng.random() < .6:
        engine, options = "torus-2QoS", "lmc=0 qos=TRUE"
        grid = ["torus-conf %s" % TORUS, "set torus_config %s" % TORUS]
    fails = ["fail random %d seed=%d" % (rng.randrange(1, 3), rng.randrange(10 ** 6))] * (rng.random() < .5)
    first = rng.random() < .5
    route = "route %s %s" % (engine, options)
    state = State(kind, [*grid, *fails, route] if first else [*grid, route, *fails], engine, options, first or not fails, rng, "drawn")
    if fails and rng.random() < .5:
        state.event = "restore all"
    elif state.net.channels:
        state.event = "fail random 1 seed=%d" % rng.randrange(10 ** 6)
    return state


def main():
    rng, tally = random.Random(SEED), Tally()
    print("SEED=%s" % SEED)
    with tempfile.TemporaryDirectory() as folder:
        global TORUS
        TORUS = os.path.join(folder, "torus")
        judge(rng, tally)
    return tally.status()


def judge(rng, tally):
    for _ in range(FIGURED):
        state = draw_state(rng)
        for test in COMPUTED + rng.sample(AGAIN + CHANGED, AGAIN_OF_A_STATE):
            why = None
            try:
                test(state)
            except Failed as e:
                why = e
            except (LookupError, TypeError, ValueError) as e:
                why = "%s %s" % (type(e).__name__, e)
            tally(not why, "%s, %s: %s" % (state, test.__name__, why))


if __name__ == "__main__":
    sys.exit(main())
