#!/usr/bin/env python3
"""Minimum contention against a model of the chassis guide's text that shares no code with the program.

The rules are those of engines/doc/mincontention.md, sections 1 to 6: grouping, paths between elements, paths inside
them by the same rules, what is kept after a failure.  The model reads cables and GUIDs from `save -`, the tables from
`export lfts -`, and must come to every entry of every switch.

Fabrics: random ones with random chassis files of up to 12 chips in a box, LMC 0 to 3, tolerance 0 to 2, a link that
fails; new in every run (SEED repeats one, GUIDED=N draws N).
Environment: IBSCOPE=build/ibscope.  The last line is "N passed, N failed".
"""
import heapq
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from trial import BOUND  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
SEED = int(os.environ.get("SEED", time.time_ns() % 10 ** 9))
GUIDED = int(os.environ.get("GUIDED", "40"))


def program(commands):
    argv = [PROGRAM, "--json"]
    for c in commands:
        argv += ["-e", c]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=BOUND, check=False)
    objects = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = [o["error"] for o in objects if not o["ok"]]
    if wrong or len(objects) != len(commands):
        raise RuntimeError("%s: %s" % (" ".join(argv), wrong or done.stderr))
    return objects


class Fabric:
    def __init__(self, saved):
        self.guid = {}    # switch name -> GUID
        self.peer = {}    # (switch name, port) -> (switch name, port), or None for a host
        self.dests = []   # (0 host or 1 switch, base LID, switch name, port that delivers)
        names, here, raw = {}, None, []
        for line in saved.splitlines():
            head = re.match(r'Switch\t\d+ "S-(\w+)"\t+# "(.*)" base port 0 lid (\d+) ', line)
            port = re.match(r'\[(\d+)\]\t"([SH])-(\w+)"\[(\d+)\].*# "(.*)" lid (\d+) ', line)
            if head:
                here = head[2]
                self.guid[here] = int(head[1], 16)
                names[head[1]] = here
                self.dests.append((1, int(head[3]), here, 0))
            elif line.startswith("Ca"):
                here = None
            elif port and here:
                if port[2] == "S":
                    raw.append((here, int(port[1]), port[3], int(port[4])))
                else:
                    self.dests.append((0, int(port[6]), here, int(port[1])))
        for sw, p, other, q in raw:
            self.peer[sw, p] = (names[other], q)
        self.dests.sort()


def tables_of(fabric, text):
    lids, table, here = {base: sw for kind, base, sw, _ in fabric.dests if kind}, {}, None
    for line in text.splitlines():
        head = re.match(r"Unicast lids .* of switch Lid (\d+) ", line)
        entry = re.match(r"0x([0-9a-f]{4}) (\d+) ", line)
        if head:
            here = lids[int(head[1])]
        elif entry:
            table[here, int(entry[1], 16)] = int(entry[2])
    return table


class Network:
    """Nodes with directed links: (own chip's GUID, port, port's name, next node); they settle ties in this order."""

    def __init__(self, by_next):
        self.links, self.by_next = {}, by_next

    def distances(self, target):
        sp, queue = {target: 0}, [target]
        for at in queue:
            for _, _, _, to in self.links[at]:
                if to not in sp:
                    sp[to] = sp[at] + 1
                    queue.append(to)
        return sp

    def paths(self, target, tolerance, marked, usage):
        """The port chosen by every node but the target: a search from there by (contention, distance)."""
        sp, key, heap = self.distances(target), {}, [(0, 0, target)]
        into = {n: [] for n in self.links}
        for n in self.links:
            for link in self.links[n]:
                into[link[3]].append((n, link[2]))
        while heap:
            contention, distance, at = heapq.heappop(heap)
            if at in key:
                continue
            key[at] = (contention, distance)
            for n, port in into[at]:
                if n not in key and distance + 1 <= sp[n] + tolerance:
                    heapq.heappush(heap, (contention + (port in marked), distance + 1, n))
        chosen, self.key = {}, key
        for n in self.links:
            if n == target:
                continue
            best = None
            for chip, number, port, to in self.links[n]:
                if (key[to][0] + (port in marked), key[to][1] + 1) != key[n]:
                    continue
                rank = (usage.get(port, 0), to if self.by_next else 0, chip, number, port)
                if best is None or rank < best:
                    best = rank
            chosen[n] = best[4]
        return chosen


class Guide:
    def __init__(self, fabric, chassis, lmc, tolerance):
        self.f, self.chassis, self.lmc, self.tolerance = fabric, chassis, lmc, tolerance
        self.figures = {}   # (LID, port) of the last run, between elements: contention, distance, usage; and inside

    def elements(self, peer):
        """Element of every switch: the lowest GUID of the chips of a chassis that are connected within it."""
        of = {}
        for sw in sorted(self.f.guid, key=self.f.guid.get):
            if sw in of:
                continue
            group = [sw]
            for at in group:
                of[at] = self.f.guid[sw]
                group += {to for (s, _), (to, _) in peer.items()
                          if s == at and to not in of and to not in group and self.chassis[to] == self.chassis[sw]}
        return of

    def route(self, down=(), before=None):
        """Entries (switch, LID) -> port, with the link of these two ports down; before: entries that were."""
        peer = {a: b for a, b in self.f.peer.items() if a not in down}
        of = self.elements(peer)
        between, inside = Network(True), {}
        for sw, e in of.items():
            between.links.setdefault(e, [])
            inside.setdefault(e, Network(False)).links[sw] = []
        for (sw, p), (to, _) in sorted(peer.items()):
            link = (self.f.guid[sw], p, (sw, p))
            if of[sw] == of[to]:
                inside[of[sw]].links[sw].append(link + (to,))
            else:
                between.links[of[sw]].append(link + (of[to],))
        entries, usage = {}, {}
        lids = [(base + k, base, sw, port) for kind, base, sw, port in self.f.dests
                for k in range(1 if kind else 1 << self.lmc)]
        kept = set()
        for lid, _, sw, port in lids if before else ():
            if any((s, before[s, lid]) in down for s in of):
                continue
            kept.add(lid)
            for s in of:
                entries[s, lid] = before[s, lid]
                if (s, before[s, lid]) in peer:
                    usage[s, before[s, lid]] = usage.get((s, before[s, lid]), 0) + 1
        for lid, base, sw, port in lids:
            if lid in kept:
                continue
            others = [k for k in range(base, base + (1 << self.lmc)) if (sw, k) in entries and k != lid] if port else []
            marked = {(s, entries[s, k]) for k in others for s in of if (s, entries[s, k]) in peer}
            out = between.paths(of[sw], self.tolerance, marked, usage)
            taken = list(out.values())
            self.figures.update({(lid, way): (*between.key[e], usage.get(way, 0)) for e, way in out.items()})
            for e, chips in inside.items():
                exit_at = (sw, port) if e == of[sw] else out[e]
                ways = chips.paths(exit_at[0], self.tolerance, marked, usage)
                entries[exit_at[0], lid] = exit_at[1]
                for s, way in ways.items():
                    self.figures[lid, way] = (*chips.key[s], usage.get(way, 0))
                    entries[s, lid] = way[1]
                    taken.append(way)
            for way in taken:
                usage[way] = usage.get(way, 0) + 1
        return entries


def different(name, got, want):
    wrong = sorted(k for k in set(got) | set(want) if got.get(k, 255) != want.get(k, 255))
    if not wrong:
        return False
    sw, lid = wrong[0]
    print("%s: %d of %d entries differ; first %s LID %d: port %s, the text says %s"
          % (name, len(wrong), len(want), sw, lid, got.get(wrong[0]), want.get(wrong[0])))
    return True


def panes_differ(name, commands, guide, dice):
    """Pane ways of some LIDs: contention, distance and usage of the ways taken, between elements and within one."""
    of = guide.elements(guide.f.peer)
    lids = dice.sample(sorted({lid for lid, _ in guide.figures}), min(3, len({lid for lid, _ in guide.figures})))
    asked = ["list ways %d" % lid for lid in lids] + ["list ways %d %s" % (lid, dice.choice(sorted(of))) for lid in lids]
    wrong = False
    for n, answer in enumerate(program(commands + asked)[len(commands):]):
        lid, told = lids[n % len(lids)], set()
        for row in answer["rows"]:
            way = (row["about"].get("name"), row["about"].get("port"))
            want = guide.figures.get((lid, way))
            if want is None or (n >= len(lids) and "here" not in row["marks"]):
                continue
            told.add(of[way[0]])
            got = (row["cont"], row["dist"], row["usage"])
            if got != want:
                wrong = True
                print("%s: %s, %s[%s]: contention, distance, usage %s, the text has %s" % (name, asked[n], *way, got, want))
        if n < len(lids) and len(told) < len(set(of.values())) - 1:
            wrong = True
            print("%s: %s: %d elements of %d" % (name, asked[n], len(told), len(set(of.values()))))
    return wrong


def trial(number, folder):
    dice = random.Random(SEED * 1000 + number)
    lmc, tolerance, n = dice.randrange(4), dice.randrange(3), dice.randrange(3, 20)
    spec = dice.choice([
        "random:%d,%d,seed=%d,shuffle=1" % (max(n, 5), dice.randrange(2, 5), dice.randrange(1000)),
        "random:%d,%d,seed=%d,parallel=2,hosts_on=2" % (max(n, 5), 2, dice.randrange(1000)),
        "director:%d,%d,%d,%d" % (dice.randrange(1, 4), dice.randrange(2, 5), dice.randrange(1, 4), dice.randrange(2, 6)),
        "torus:%dx%d" % (dice.randrange(2, 5), dice.randrange(2, 5)), "hyperx:3x3", "dragonfly:3,1,1"])
    fabric = Fabric(program(["synth " + spec, "route mincontention lmc=%d" % lmc, "save -"])[2]["content"])
    boxes = dice.randrange(1, max(2, len(fabric.guid)))
    chassis, size = {}, {}
    for sw in sorted(fabric.guid):
        box = dice.randrange(boxes)
        while size.get(box, 0) == 12:
            box = dice.randrange(boxes + len(size))
        size[box] = size.get(box, 0) + 1
        chassis[sw] = "box%d" % box
    path = os.path.join(folder, "chassis-%d" % number)
    with open(path, "w", encoding="ascii") as f:
        f.writelines("0x%x %s\n" % (fabric.guid[sw], chassis[sw]) for sw in sorted(fabric.guid))
    guide = Guide(fabric, chassis, lmc, tolerance)
    name = "%d: SEED=%d %s, lmc %d, tolerance %d, %d boxes" % (number, SEED, spec, lmc, tolerance, len(size))
    # a link without which all switches are still connected
    fails = None
    for a in dice.sample(sorted(fabric.peer), len(fabric.peer)):
        seen = queue = [a[0]]
        for at in queue:
            for (s, p), b in fabric.peer.items():
                if s == at and (s, p) not in (a, fabric.peer[a]) and b[0] not in seen:
                    queue.append(b[0])
        if len(seen) == len(fabric.guid):
            fails = a
            break
    commands = ["synth " + spec, "route mincontention lmc=%d tolerance=%d chassis_file=%s" % (lmc, tolerance, path),
                "export lfts -"]
    if fails:
        commands += ["fail link %s[%d]" % fails, "export lfts -"]
    said = program(commands)
    want = guide.route()
    wrong = different(name, tables_of(fabric, said[2]["content"]), want)
    wrong |= panes_differ(name, commands[:2], guide, dice)
    if fails:
        again = guide.route({fails, fabric.peer[fails]}, want)
        wrong |= different(name + ", failed %s[%d]" % fails, tables_of(fabric, said[4]["content"]), again)
    return len(want) * (2 if fails else 1), wrong


def main():
    passed = failed = entries = 0
    print("random fabrics: SEED=%d" % SEED)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(GUIDED):
            n, wrong = trial(number, folder)
            entries += n
            failed += wrong
            passed += not wrong
    print("%d entries compared" % entries)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
