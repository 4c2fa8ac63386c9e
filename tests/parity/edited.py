#!/usr/bin/env python3
"""Fabrics that are re-cabled, extended and repaired: ibscope beside the real OpenSM over ibsim, sweep by sweep.

usage: edited.py [CASE...]     names or globs of cases; none: all of them

Each case draws a sequence of changes: hosts and cables added, removed, moved and swapped, hosts and switches
replaced, failures and restorations, several at once.  Nodes that come are in the simulator's file from the start,
unlinked; ibscope does not know them before.  Between changes OpenSM starts again, with another LMC now and then, or a
standby on a host takes over, with the host of the subnet manager unplugged or not.  LMC 0 to 2 and options of QoS are drawn.  ibscope is told each change by its
command, and a second time by `load FILE next` with a file of each state.  Tables (with LinearFDBTop), guid2lid, and with
qos SL-to-VL maps must be the same as OpenSM's after each sweep.  Where cables have been exchanged OpenSM ends its sweep with errors, or sees only a part
of it, and its next one is compared.

Environment: IBSCOPE=build/ibscope-san, SEED=N (default: new, printed).
The last line is "N passed, N failed".  Exit status 1 when one failed, 2 when nothing could be run.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import cases            # noqa: E402
import opensm           # noqa: E402
from fabric import Fabric, Node  # noqa: E402
from pairing import run_cases, said  # noqa: E402
from trial import Failed  # noqa: E402

STEPS, SPARE_PORTS, SPARES = 9, 3, 6
SPECS = ("xgft:3,3,3:1,2,2", "xgft:4,4:1,2", "torus:4x4,shuffle=1", "ring:6,parallel=2,hosts=2", "mesh:4x3,hosts=2",
         "random:12,4,hosts=2,shuffle=1,seed=7", "dragonfly:3,1,2", "xgft:3,4,2:1,2,4,shuffle=1,lids=1", "hypercube:3,hosts=2")
TREES = tuple(s for s in SPECS if s.startswith("xgft"))
# name: (engine, fabrics, options)
CASES = {
    "minhop": ("minhop", SPECS, {}), "minhop-lmc": ("minhop", SPECS, {"lmc": 1}), "updn": ("updn", SPECS, {}),
    "dnup": ("dnup", SPECS, {"lmc": 1}), "dor": ("dor", SPECS, {}), "ftree": ("ftree", TREES, {}), "lash": ("lash", SPECS, {}),
    "dfsssp": ("dfsssp", SPECS, {}), "sssp": ("sssp", SPECS, {"lmc": 1}), "nue": ("nue", SPECS, {}),
    "cache": ("minhop", SPECS, {"use_ucast_cache": "TRUE"}), "cache-tree": ("updn", TREES, {"use_ucast_cache": "TRUE"}),
    "torus": ("torus-2QoS", ("torus:4x4x3", "torus:3x4x3,shuffle=1"), {"qos": "TRUE"}),
    "marks": ("minhop", SPECS, {"port_shifting": "TRUE", "scatter_ports": 7}),
}


ONE_LID = ("torus-2QoS",)


class World:
    """Nodes by GUID, cables as sets of two ends (GUID, port), what is down; the same for ibsim's console."""

    def __init__(self, fabric, spares, lmc=0):
        self.node = {n.guid: n for n in fabric.nodes + spares}
        self.here = [n.guid for n in fabric.nodes]
        self.spare = [n.guid for n in spares]
        self.keep = self.first = fabric.nodes[0].guid     # the subnet manager is there; was at first
        self.cables = [frozenset((n.guid, p) for n, p in ends) for ends in fabric.links]
        self.down = set()       # cables and GUIDs
        self.lmc, self.cut = lmc, False     # cut: it was larger

    def text(self, guid):
        return "0x%016x" % guid

    def end(self, end):
        return "%s[%d]" % (self.text(end[0]), end[1])

    def console(self, end):
        return '"%s"[%d]' % (self.node[end[0]].name, end[1])

    def at(self, end):
        return next((c for c in self.cables if end in c), None)

    def of(self, guid):
        return [c for c in self.cables if any(g == guid for g, _ in c)]

    @staticmethod
    def other(cable, end):
        return next(e for e in cable if e != end)

    def live(self):
        return {c for c in self.cables if c not in self.down and not any(g in self.down for g, _ in c)}

    def switches(self):
        return [g for g in self.here if self.node[g].is_switch]

    def hosts(self):
        return [g for g in self.here if not self.node[g].is_switch and g != self.keep and len(self.of(g)) == 1 and g not in self.down]

    def free(self, rng, but=()):
        """A port of a switch without a cable."""
        ends = [(g, p) for g in self.switches() if g not in self.down for p in range(1, self.node[g].nports + 1)
                if not self.at((g, p)) and (g, p) not in but]
        return rng.choice(ends) if ends else None

    def trunks(self):
        """Cables between switches that are up."""
        return sorted((c for c in self.live() if all(self.node[g].is_switch for g, _ in c) and len({g for g, _ in c}) == 2), key=sorted)

    def take(self, is_switch, nports=None):
        return next((g for g in self.spare if self.node[g].is_switch == is_switch and nports in (None, self.node[g].nports)), None)

    # --- changes: each returns ibscope's command, or None where there is nothing for it --------------------

    def add_host(self, rng):
        g, to = self.take(False), self.free(rng)
        if g is None or to is None:
            return None
        self.come(g)
        self.cables.append(frozenset([(g, 1), to]))
        return "add host %s %s guid=%s" % (self.node[g].label, self.end(to), self.text(g))

    def add_switch(self, rng):
        g = self.take(True)
        ends = []
        for _ in range(rng.choice((1, 2, 2, 3))):
            to = self.free(rng, ends)
            if to is not None:
                ends.append(to)
        if g is None or not ends:
            return None
        self.come(g)
        self.cables += [frozenset([(g, i + 1), to]) for i, to in enumerate(ends)]
        return "add switch %s %d %s guid=%s" % (self.node[g].label, self.node[g].nports, " ".join(map(self.end, ends)), self.text(g))

    def come(self, g):
        self.spare.remove(g)
        self.here.append(g)

    def leave(self, g):
        self.cables = [c for c in self.cables if c not in self.of(g)]
        self.here.remove(g)
        self.down = {d for d in self.down if d != g and (d in self.cables or not isinstance(d, frozenset))}

    def add_link(self, rng):
        a = self.free(rng)
        b = self.free(rng, [a])
        if a is None or b is None or a[0] == b[0]:
            return None
        self.cables.append(frozenset([a, b]))
        return "add link %s %s" % (self.end(a), self.end(b))

    def remove_host(self, rng):
        if not self.hosts():
            return None
        g = rng.choice(self.hosts())
        self.leave(g)
        return "remove host " + self.text(g)

    def remove_switch(self, rng):
        some = [g for g in self.switches() if g != self.keep and g not in self.down and len(self.switches()) > 4 and
                not any(e[0] == self.keep for c in self.of(g) for e in c)]
        if not some:
            return None
        g = rng.choice(some)
        self.leave(g)
        return "remove switch " + self.text(g)

    def remove_link(self, rng):
        if not self.trunks():
            return None
        c = rng.choice(self.trunks())
        self.cables.remove(c)
        return "remove link " + self.end(rng.choice(sorted(c)))

    def move_host(self, rng):
        to = self.free(rng)
        if not self.hosts() or to is None:
            return None
        g = rng.choice(self.hosts())
        c = self.of(g)[0]
        mine = next(e for e in c if e[0] == g)
        self.cables[self.cables.index(c)] = frozenset([mine, to])
        self.down.discard(c)
        return "move host %s %s" % (self.end(mine), self.end(to))

    def move_link(self, rng):
        to = self.free(rng)
        if not self.trunks() or to is None:
            return None
        c = rng.choice(self.trunks())
        end = rng.choice(sorted(c))
        if self.other(c, end)[0] == to[0]:
            return None
        self.cables[self.cables.index(c)] = frozenset([self.other(c, end), to])
        return "move link %s %s" % (self.end(end), self.end(to))

    def swap(self, rng):
        pool = [c for c in self.live() if any(g in self.hosts() for g, _ in c)] if rng.random() < 0.5 else self.trunks()
        if len(pool) < 2:
            return None
        one, two = rng.sample(sorted(pool, key=sorted), 2)
        host = lambda c: sorted(c, key=lambda e: self.node[e[0]].is_switch)[0]      # noqa: E731
        a, b = host(one), host(two)
        x, y = self.other(one, a), self.other(two, b)
        if len({a[0], y[0]}) < 2 or len({b[0], x[0]}) < 2:
            return None
        self.cables[self.cables.index(one)] = frozenset([a, y])
        self.cables[self.cables.index(two)] = frozenset([b, x])
        return "swap %s %s" % (self.end(a), self.end(b))

    def replace(self, rng):
        sw = rng.random() < 0.3
        pool = [g for g in self.switches() if g != self.keep and g not in self.down] if sw else self.hosts()
        if not pool:
            return None
        old = rng.choice(pool)
        new = self.take(sw, self.node[old].nports)
        # a port that is linked again forgets in the simulator that a subnet manager is on it: a standby would not find it
        if new is None or any(len({g for g, _ in c}) == 1 or c in self.down or any(g == self.keep for g, _ in c) for c in self.of(old)):
            return None
        self.come(new)
        for c in self.of(old):
            self.cables[self.cables.index(c)] = frozenset((new if g == old else g, p) for g, p in c)
        self.here[self.here.index(new)] = 0
        self.here[self.here.index(old)] = new
        self.here.remove(0)
        return "replace %s %s guid=%s" % ("switch" if sw else "host", self.text(old), self.text(new))

    def fail(self, rng):
        kind = rng.choice(("link", "link", "host", "switch"))
        if kind == "link":
            pool = self.trunks()
        elif kind == "host":
            pool = self.hosts()
        else:
            pool = [g for g in self.switches() if g != self.keep and g not in self.down and
                    not any(e[0] == self.keep for c in self.of(g) for e in c)]
        if not pool or len(self.down) > 3:
            return None
        what = rng.choice(pool)
        self.down.add(what)
        return "fail %s %s" % (kind, self.end(rng.choice(sorted(what))) if kind == "link" else self.text(what))

    def restore(self, rng):
        if not self.down:
            return None
        what = rng.choice(sorted(self.down, key=str))
        self.down.discard(what)
        if isinstance(what, frozenset):
            return "restore link " + self.end(rng.choice(sorted(what)))
        return "restore %s %s" % ("switch" if self.node[what].is_switch else "host", self.text(what))

    def near(self, guid, up):
        """GUIDs of the nodes that are reached from this one by these cables."""
        seen, todo = {guid}, [guid]
        while todo:
            at = todo.pop()
            for far in (g for c in up if any(g == at for g, _ in c) for g, _ in c if g not in seen):
                seen.add(far)
                if self.node[far].is_switch:
                    todo.append(far)
        return seen

    def draw_manager(self, rng, lmc):
        """
        (ibscope's command, new options, GUID of the standby's node, the old one's where it goes down): OpenSM starts again,
        with lmc: with another LMC now and then, or a standby takes over.  Where ports had a larger LMC, a standby that begins
        now has not seen the highest LID, as ibscope takes it.
        """
        near = self.near(self.keep, self.live())
        pool = [g for g in self.hosts() if g in near and not self.cut]
        if pool and rng.random() < 0.5:
            old, self.keep = self.keep, rng.choice(pool)
            gone = not self.node[old].is_switch and rng.random() < 0.5
            if gone:
                self.down.add(old)
            return "failover %s%s" % (self.text(self.keep), " down" * gone), {}, self.keep, old if gone else None
        if lmc and rng.random() < 0.4:
            n = rng.randrange(3)
            self.cut, self.lmc = self.cut or n < self.lmc, n
            return "set lmc %d" % n, {"lmc": n}, None, None
        return "restart", {}, None, None

    def draw(self, rng, before):
        """A change behind those of the same event.  OpenSM's first sweep may miss new nodes near exchanged cables: LIDs go by its sweeps."""
        came, swapped = (any(c.startswith(words) for c in before) for words in (("add host", "add switch", "replace"), "swap"))
        while True:
            kind = rng.choice((self.add_host, self.add_switch, self.add_link, self.remove_host, self.remove_switch, self.remove_link,
                               self.move_host, self.move_host, self.move_link, self.swap, self.swap, self.replace, self.replace,
                               self.fail, self.fail, self.restore))
            if (kind == self.swap and came) or (kind in (self.add_host, self.add_switch, self.replace) and swapped):
                continue
            command = kind(rng)
            if command:
                return command

    # --- as a file ----------------------------------------------------------------------------------------

    def file(self, blocks):
        """blocks: GUID -> (lines before the cables, {port: line}); a cable's line of the first file is used again."""
        up, out = self.live(), []
        near = self.near(self.keep, up)
        for g in self.here:
            if g not in near:
                continue
            n = self.node[g]
            head, known = blocks[g]
            out += head
            for p in range(1, n.nports + 1):
                c = self.at((g, p))
                if c not in up:
                    continue
                peer, q = self.other(c, (g, p))
                far = self.node[peer]
                if p in known and '"%s"[%d]' % (far.name, q) in known[p]:
                    out.append(known[p])
                    continue
                mine = "" if n.is_switch else "(%x)" % (g + p)
                lid = next((re.search(r"lid \d+ lmc \d+", line)[0] for line in known.values() if "lmc" in line), "lid 0 lmc 0")
                out.append('[%d]%s\t"%s"[%d]%s\t\t# %s"%s" lid 0 4xQDR' % (
                    p, mine, far.name, q, "" if far.is_switch else "(%x)" % (peer + q), "" if n.is_switch else lid + " ", far.label))
            out.append("")
        return "\n".join(out) + "\n"


def spare_nodes(rng, fabric):
    """Nodes for the simulator that are without cables at first."""
    ports = [n.nports for n in fabric.switches]
    made = []
    for i in range(SPARES):
        sw = i % 2
        guid = 0x0002c90300e00000 + 0x100 * rng.randrange(1, 0xff0)
        if any(n.guid == guid for n in made):
            continue
        made.append(Node("Switch" if sw else "Ca", rng.choice(ports) if sw else 1, "%s-%016x" % ("S" if sw else "H", guid), guid,
                         "spare%d" % i))
    return made


def block_of(n):
    kind = ("switchguid=0x%x(%x)" % (n.guid, n.guid), 'Switch\t%d "%s"\t\t# "%s" base port 0 lid 0 lmc 0') if n.is_switch else \
           ("caguid=0x%x" % n.guid, 'Ca\t%d "%s"\t\t# "%s"')
    return ["vendid=0x2c9", "devid=0x%x" % (0xD2F0 if n.is_switch else 0x101B), "sysimgguid=0x%x" % n.guid, kind[0],
            kind[1] % (n.nports, n.name, n.label)]


def blocks_of(text, spares):
    """Blocks of a file by GUID, those of the spare nodes as well."""
    blocks, head, guid = {}, [], None
    for line in text.splitlines():
        m = re.match(r"(?:switchguid|caguid|rtguid)=0x([0-9a-f]+)", line)
        port = re.match(r"\[(\d+)\]", line)
        if port:
            blocks[guid][1][int(port[1])] = line
        elif re.match(r"(Switch|Ca|Rt)\s", line):
            blocks[guid] = (head + [line], {})
            head = []
        elif "=" in line and not line.startswith("#"):
            head.append(line)
            guid = int(m[1], 16) if m else guid
    blocks.update({n.guid: (block_of(n), {}) for n in spares})
    return blocks


class Standby:
    """
    The standby of the next takeover.  It has seen the highest LID, and has the master's guid2lid where that counts, as
    ibscope takes it: it begins after the last sweep in which a port had that LID, where it reaches the subnet manager.
    """

    def __init__(self, sm, world, changes, honor):
        self.sm, self.world, self.changes, self.honor = sm, world, changes, honor
        self.manager = world.first
        self.since = self.memory = None     # after which sweep it began, and guid2lid then
        self.top = self.seen = 0            # of the tables now; the highest LID that it has seen
        self.cables = set()     # of its host, as it began: linked again, the port does not tell of it any more

    def watch(self, n, up):
        """After sweep n, with these cables: begin, where a takeover is next."""
        host = next((c[2] for c in self.changes[n:] if c), None)
        dump = self.sm.lfts()
        self.top = max(int(t) for t in re.findall(rb"Unicast lids \[0-(\d+)\]", dump))
        # what ports carry: the range of a larger LMC before a restart stays in guid2lid
        base = {}
        for lid, kind, guid in re.findall(rb"^0x([0-9a-f]+) \d+ # (\w+).* portguid (0x[0-9a-f]+)", dump, re.M):
            base[guid] = min(int(lid, 16), base.get(guid, (self.top, 0))[0]), 1 if kind == b"Switch" else 1 << int(self.sm.options["lmc"])
        highest = max(lid + n - 1 for lid, n in base.values())
        cables = {c for c in up if any(g == host for g, _ in c)}
        if cables != self.cables:
            self.since = None
        if host and highest == self.top and host in self.world.near(self.manager, up):
            self.sm.dismiss()
            self.sm.stand_by(self.world.node[host].name, "0x%016x" % (host + 1), self.honor)
            self.since, self.memory, self.seen, self.cables = n, self.guid2lid(), highest, cables

    def guid2lid(self):
        return set(self.sm.read("guid2lid").split(b"\n\n"))

    def ready(self):
        return self.since is not None and self.seen == self.top and (not self.honor or self.memory == self.guid2lid())

    def take_over(self, host, gone):
        self.sm.take_over(['Unlink "%s"' % self.world.node[gone].name] if gone else [])
        self.manager, self.since = host, None


def run_opensm(sim, options, states, steps, changes, folder, world):
    """
    Dumps expected.N, memory.N, maps.N with qos; how many sweeps each state took, until one that ibscope does not take as
    OpenSM does.  states: sets of live cables; changes: of each step what draw_manager() drew, None: cables.  Where cables were
    exchanged, or a standby knows old ones, OpenSM may know it wholly in its second sweep only: what its first one made of
    it, its second changes.
    """
    sweeps = []
    with opensm.OpenSM(sim, options) as sm:
        standby = Standby(sm, world, changes, options["honor_guid2lid_file"] == "TRUE")
        for n, up in enumerate(states):
            count = 1
            if n:
                lost, came = states[n - 1] - up, up - states[n - 1]
                todo = ["Unlink " + world.console(sorted(c)[0]) for c in sorted(lost, key=sorted)]
                todo += ["Link %s %s" % tuple(map(world.console, sorted(c))) for c in sorted(came, key=sorted)]
                _, more, host, gone = changes[n - 1] or (None,) * 4
                if host and not standby.ready():
                    return sweeps
                # a port of a cable that came had another one, and more than that changed
                exchanged = steps[n - 1].startswith("event") and {e for c in lost for e in c} & {e for c in came for e in c}
                again = "swap" in steps[n - 1] or exchanged or (host and standby.since < n - 1)
                while True:
                    try:
                        if host:
                            standby.take_over(host, gone)
                        elif more is not None:
                            sm.restart(more)
                        else:
                            sm.step(todo)
                        # another sweep is only that
                        host = more = None
                        if not again or count > 1:
                            break
                        todo, count = [], count + 1
                    except opensm.OpenSMError as e:
                        # by a fault of its own it dies now and then, of signal 11: with its unicast cache; with nue when
                        # it has seen a part of what was moved (mark_escape_paths)
                        if (isinstance(e, opensm.OpenSMEnded) and "status -11" in str(e)
                                and ("use_ucast_cache" in options or options["routing_engine"] == "nue")):
                            return sweeps
                        if "failed" not in str(e) or count > 2:
                            raise
                        todo, count, host, more = [], count + 1, None, None
            sweeps.append(count)
            with open(os.path.join(folder, "expected.%d" % n), "wb") as f:
                f.write(sm.lfts())
            with open(os.path.join(folder, "memory.%d" % n), "wb") as f:
                f.write(sm.read("guid2lid"))
            if options.get("qos") == "TRUE":
                with open(os.path.join(folder, "maps.%d" % n), "wb") as f:
                    f.write(sm.sl2vl())
            standby.watch(n, up)
    return sweeps


def carry(folder, present, sweeps):
    """In the file of a state, nodes that come back have the LIDs that their ports carry: those of the last sweep that saw them."""
    seen = {}
    for n in range(len(sweeps)):
        if n:
            path = os.path.join(folder, "state.%d" % n)
            with open(path) as f:
                text = f.read()
            for guid in present[n] - present[n - 1]:
                for port in (guid, guid + 1):
                    if port in seen:
                        text = re.sub(r"(\[1\]\(%x\)[^#\n]*# |switchguid=0x%x\(.*\n.* base port 0 )lid \d+ lmc \d+" % (port, port),
                                      r"\1lid %d lmc %d" % seen[port], text)
            with open(path, "w") as f:
                f.write(text)
        lids = {}
        with open(os.path.join(folder, "expected.%d" % n)) as f:
            for lid, port in set(re.findall(r"^0x([0-9a-f]+) \d+ # .* portguid 0x([0-9a-f]+)", f.read(), re.M)):
                lids.setdefault(int(port, 16), []).append(int(lid, 16))
        seen.update({port: (min(some), len(some).bit_length() - 1) for port, some in lids.items()})


def unnamed(dump, way):
    """`replace` keeps the name of what it replaces; the simulator's spare nodes have names of their own."""
    return re.sub(rb" \('[^\n]*'\)|: '[^\n]*'|, \"[^\n]*\"$", b"", dump, flags=re.M) if way == "commands" else dump


def compare(folder, way, steps, script, present):
    """A file does not tell what lanes the ports of a node that comes back still have: maps of that sweep are compared after commands alone."""
    for n in range(len(steps) + 1):
        step = steps[n - 1] if n else "first"
        with open(os.path.join(folder, "expected.%d" % n), "rb") as a, open(os.path.join(folder, "got.%d" % n), "rb") as b:
            want, got = (unnamed(f.read(), way).split(b"\n") for f in (a, b))
        wrong = [i for i in range(max(len(want), len(got))) if want[i:i + 1] != got[i:i + 1]]
        if wrong:
            raise Failed("%s, sweep %d (%s): lfts differ in %d of %d lines: opensm %s, ibscope %s\n%s" % (
                way, n, step, len(wrong), len(want), want[wrong[0]:wrong[0] + 1], got[wrong[0]:wrong[0] + 1], script))
        maps = [os.path.join(folder, name % n) for name in ("maps.%d", "got-maps.%d")]
        back = n and (present[n] - present[n - 1]) & set().union(*present[:n])
        if os.path.exists(maps[0]) and not (way == "load next" and back):
            with open(maps[0], "rb") as a, open(maps[1], "rb") as b:
                want, got = (unnamed(f.read(), way).split(b"\n") for f in (a, b))
            wrong = [i for i in range(max(len(want), len(got))) if want[i:i + 1] != got[i:i + 1]]
            if wrong:
                raise Failed("%s, sweep %d (%s): SL-to-VL maps differ in %d of %d lines: opensm %s, ibscope %s\n%s" % (
                    way, n, step, len(wrong), len(want), want[wrong[0]:wrong[0] + 1], got[wrong[0]:wrong[0] + 1], script))
        with open(os.path.join(folder, "memory.%d" % n)) as a, open(os.path.join(folder, "got-memory.%d" % n)) as b:
            want, got = (set(f.read().split("\n\n")) for f in (a, b))
        if want != got:
            raise Failed("%s, sweep %d (%s): guid2lid: opensm alone %s, ibscope alone %s\n%s" % (
                way, n, step, sorted(want - got)[:3], sorted(got - want)[:3], script))


def check(name, folder, rng):
    engine, specs, options = CASES[name]
    options = dict({"lmc": 0 if engine in ONE_LID else rng.randrange(3), "sm_priority": 15,
                    "honor_guid2lid_file": rng.choice(("TRUE", "FALSE"))}, **options)
    if rng.random() < 0.5:
        options.update({k: v(rng, None) if callable(v) else v for k, v in cases.draw_qos(rng).items()})
        # ports programmed with 0 tell the simulator's lanes again when their cable comes up, and which ports OpenSM's first sweep
        # programs while cables are exchanged is open (engines/doc/minhop.md)
        if str(options.get("max_op_vls")) == "0":
            options["max_op_vls"] = "1"
    said("synth %s" % rng.choice(specs), "save base.topo", folder=folder)
    with open(os.path.join(folder, "base.topo")) as f:
        text = re.sub(r"^Switch\t(\d+)", lambda m: "Switch\t%d" % (int(m[1]) + SPARE_PORTS), f.read(), flags=re.M)
    fabric = Fabric(text)
    spares = spare_nodes(rng, fabric)
    world, blocks = World(fabric, spares, options["lmc"]), blocks_of(text, spares)
    with open(os.path.join(folder, "sim.topo"), "w") as f:
        f.write(text + "\n\n" + "\n\n".join("\n".join(block_of(n)) for n in spares) + "\n")
    with open(os.path.join(folder, "state.0"), "w") as f:
        f.write(text)
    if engine == "torus-2QoS":
        options["torus_config"] = os.path.join(folder, "torus.conf")
        said("load state.0", "torus-conf torus.conf", folder=folder)
    steps, states, changes, present = [], [world.live()], [], [world.near(world.keep, world.live())]
    for n in range(1, STEPS + 1):
        at = n in (3, 6) or rng.random() < 0.15
        changes.append(world.draw_manager(rng, "lmc" not in CASES[name][2] and engine not in ONE_LID) if at else None)
        commands = [changes[-1][0]] if at else []
        for _ in range(0 if at else rng.choice((1, 1, 1, 2, 3))):
            commands.append(world.draw(rng, commands))
        steps.append(commands[0] if len(commands) == 1 else "event " + " ".join('"%s"' % c for c in commands))
        states.append(world.live())
        present.append(world.near(world.keep, states[-1]))
        if 3 * len(present[n] & present[n - 1]) < max(len(present[n]), len(present[n - 1])):
            # of what is parted so, `load FILE next` says that it is another fabric
            for some in (steps, states, changes, present):
                some.pop()
            break
        with open(os.path.join(folder, "state.%d" % n), "w") as f:
            f.write(world.file(blocks))
    sweeps = run_opensm(os.path.join(folder, "sim.topo"), dict(options, routing_engine=engine), states, steps, changes, folder, world)
    steps = steps[:len(sweeps) - 1]     # those after which it lived
    carry(folder, present, sweeps)
    start = ["set port_guids ibsim"] + ['set %s "%s"' % o for o in options.items() if o[0] != "sm_priority"] + ["load state.0", "route " + engine]
    for way in ("commands", "load next"):
        lines = list(start)
        for n in range(len(steps) + 1):
            if n:
                lines.append(steps[n - 1] if way == "commands" or changes[n - 1] else "load state.%d next" % n)
            lines += ["sweep"] * (sweeps[n] - 1) + ["export lfts got.%d" % n, "export guid2lid got-memory.%d" % n]
            if options.get("qos") == "TRUE":
                lines.append("export sl2vl got-maps.%d" % n)
        said(*lines, folder=folder)
        compare(folder, way, steps, "\n".join(lines), present)


if __name__ == "__main__":
    sys.exit(run_cases("edited", "changed fabrics", CASES, check))
