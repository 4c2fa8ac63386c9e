#!/usr/bin/env python3
"""Fabrics that are re-cabled, extended and repaired: ibscope beside the real OpenSM over ibsim, sweep by sweep.

usage: edited.py [CASE...]     names or globs of cases; none: all of them

Each case draws a sequence of changes: hosts and cables added, removed, moved and swapped, hosts and switches
replaced, failures and restorations, several at once.  Nodes that come are in the simulator's file from the start,
unlinked; ibscope does not know them before.  Between changes OpenSM starts again, with another LMC
now and then (takeovers: manager.py).  LMC 0 to 2 and options of QoS are drawn.  ibscope is told each change by its
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


# LASH and Nue with LMC are other suites' (run.py): OpenSM may crash
ONE_LID = ("lash", "nue", "torus-2QoS")


class World:
    """Nodes by GUID, cables as sets of two ends (GUID, port), what is down; the same for ibsim's console."""

    def __init__(self, fabric, spares):
        self.node = {n.guid: n for n in fabric.nodes + spares}
        self.here = [n.guid for n in fabric.nodes]
        self.spare = [n.guid for n in spares]
        self.keep = fabric.nodes[0].guid      # the subnet manager sits there
        self.cables = [frozenset((n.guid, p) for n, p in ends) for ends in fabric.links]
        self.down = set()       # cables and GUIDs

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
        if new is None or any(len({g for g, _ in c}) == 1 or c in self.down for c in self.of(old)):
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

    @staticmethod
    def draw_manager(rng, lmc):
        """(ibscope's command, new options): OpenSM starts again; lmc: with another LMC now and then."""
        if lmc and rng.random() < 0.4:
            n = rng.randrange(3)
            return "set lmc %d" % n, {"lmc": n}
        return "restart", {}

    def draw(self, rng):
        while True:
            kind = rng.choice((self.add_host, self.add_switch, self.add_link, self.remove_host, self.remove_switch, self.remove_link,
                               self.move_host, self.move_host, self.move_link, self.swap, self.swap, self.replace, self.replace,
                               self.fail, self.fail, self.restore))
            command = kind(rng)
            if command:
                return command

    # --- as a file ----------------------------------------------------------------------------------------

    def file(self, blocks):
        """blocks: GUID -> (lines before the cables, {port: line}); a cable's line of the first file is used again."""
        up, out = self.live(), []
        for g in self.here:
            if g in self.down:
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


def run_opensm(sim, options, states, steps, changes, folder, world):
    """
    Dumps expected.N, memory.N, maps.N with qos; how many sweeps each state took.  states: sets of live cables; changes: of
    each step what draw_manager() drew, None: cables.  Where cables were
    exchanged OpenSM may know it wholly in its second sweep only: what its first one made of it, its second changes.
    """
    sweeps = []
    with opensm.OpenSM(sim, options) as sm:
        for n, up in enumerate(states):
            count = 1
            if n:
                lost, came = states[n - 1] - up, up - states[n - 1]
                todo = ["Unlink " + world.console(sorted(c)[0]) for c in sorted(lost, key=sorted)]
                todo += ["Link %s %s" % tuple(map(world.console, sorted(c))) for c in sorted(came, key=sorted)]
                _, more = changes[n - 1] or (None, None)
                while True:
                    try:
                        if more is not None:
                            sm.restart(more)
                        else:
                            sm.step(todo)
                        more = None     # another sweep is only that
                        if "swap" not in steps[n - 1] or count > 1:
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
                        todo, count = [], count + 1
            sweeps.append(count)
            with open(os.path.join(folder, "expected.%d" % n), "wb") as f:
                f.write(sm.lfts())
            with open(os.path.join(folder, "memory.%d" % n), "wb") as f:
                f.write(sm.read("guid2lid"))
            if options.get("qos") == "TRUE":
                with open(os.path.join(folder, "maps.%d" % n), "wb") as f:
                    f.write(sm.sl2vl())
    return sweeps


def unnamed(dump, way):
    """`replace` keeps the name of what it replaces; the simulator's spare nodes have names of their own."""
    return re.sub(rb" \('[^\n]*'\)|: '[^\n]*'|, \"[^\n]*\"$", b"", dump, flags=re.M) if way == "commands" else dump


def compare(folder, way, steps, script):
    for n in range(len(steps) + 1):
        step = steps[n - 1] if n else "first"
        with open(os.path.join(folder, "expected.%d" % n), "rb") as a, open(os.path.join(folder, "got.%d" % n), "rb") as b:
            want, got = (unnamed(f.read(), way).split(b"\n") for f in (a, b))
        wrong = [i for i in range(max(len(want), len(got))) if want[i:i + 1] != got[i:i + 1]]
        if wrong:
            raise Failed("%s, sweep %d (%s): lfts differ in %d of %d lines: opensm %s, ibscope %s\n%s" % (
                way, n, step, len(wrong), len(want), want[wrong[0]:wrong[0] + 1], got[wrong[0]:wrong[0] + 1], script))
        maps = [os.path.join(folder, name % n) for name in ("maps.%d", "got-maps.%d")]
        if os.path.exists(maps[0]):
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
    options = dict({"lmc": 0 if engine in ONE_LID else rng.randrange(3)}, **options)
    if rng.random() < 0.5:
        options.update({k: v(rng, None) if callable(v) else v for k, v in cases.draw_qos(rng).items()})
        # programmed as 0, lanes are read as something else by each sweep while cables are exchanged, and how many there are is open
        if str(options.get("max_op_vls")) == "0":
            options["max_op_vls"] = "1"
    said("synth %s" % rng.choice(specs), "save base.topo", folder=folder)
    with open(os.path.join(folder, "base.topo")) as f:
        text = re.sub(r"^Switch\t(\d+)", lambda m: "Switch\t%d" % (int(m[1]) + SPARE_PORTS), f.read(), flags=re.M)
    fabric = Fabric(text)
    spares = spare_nodes(rng, fabric)
    world, blocks = World(fabric, spares), blocks_of(text, spares)
    with open(os.path.join(folder, "sim.topo"), "w") as f:
        f.write(text + "\n\n" + "\n\n".join("\n".join(block_of(n)) for n in spares) + "\n")
    with open(os.path.join(folder, "state.0"), "w") as f:
        f.write(text)
    if engine == "torus-2QoS":
        options["torus_config"] = os.path.join(folder, "torus.conf")
        said("load state.0", "torus-conf torus.conf", folder=folder)
    steps, states, changes = [], [world.live()], []
    for n in range(1, STEPS + 1):
        at = n in (3, 6) or rng.random() < 0.15
        changes.append(world.draw_manager(rng, "lmc" not in CASES[name][2] and engine not in ONE_LID) if at else None)
        commands = [changes[-1][0]] if at else [world.draw(rng) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
        steps.append(commands[0] if len(commands) == 1 else "event " + " ".join('"%s"' % c for c in commands))
        states.append(world.live())
        with open(os.path.join(folder, "state.%d" % n), "w") as f:
            f.write(world.file(blocks))
    sweeps = run_opensm(os.path.join(folder, "sim.topo"), dict(options, routing_engine=engine), states, steps, changes, folder, world)
    steps = steps[:len(sweeps) - 1]     # those after which it lived
    start = ["set port_guids ibsim"] + ['set %s "%s"' % o for o in options.items()] + ["load state.0", "route " + engine]
    for way in ("commands", "load next"):
        lines = list(start)
        for n in range(len(steps) + 1):
            if n:
                lines.append(steps[n - 1] if way == "commands" or changes[n - 1] else "load state.%d next" % n)
            lines += ["sweep"] * (sweeps[n] - 1) + ["export lfts got.%d" % n, "export guid2lid got-memory.%d" % n]
            if options.get("qos") == "TRUE":
                lines.append("export sl2vl got-maps.%d" % n)
        said(*lines, folder=folder)
        compare(folder, way, steps, "\n".join(lines))


if __name__ == "__main__":
    sys.exit(run_cases("edited", "changed fabrics", CASES, check))
