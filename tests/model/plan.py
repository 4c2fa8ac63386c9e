#!/usr/bin/env python3
"""`plan`: random fabrics and plans of them that differ by random edits; exactly these edits come back, and are mended.

A fabric has switches, directors of several chips, and hosts with one or more adapters.  Some of its cables are taken
out, added, put into another port or swapped, each at ports of its own.  The plan is written as UFM's CSV (columns in any
order, columns that nobody named, rows twice or from the other end, letter case changed, some with a speed), as .cables or as
XML; cables of which it tells nothing are counted, not touched.  Slurm's topology: some hosts are put under another leaf, or left out.  Edits that meet (one_repair): the plan is a
table or a dump.  Rails: ports of hosts change places.  ibutils: what ibtopodiff misses and finds too much in .topo files.

In all of them the commands of `fixes` make the plan (told again, nothing differs), touch no more cables than the edits
did, and part nothing where the order is called safe; where there is said to be none, all orders are tried here.

Environment: IBSCOPE=build/ibscope, SEED, PLANS=N fabrics of each kind.  The last line is "N passed, N failed".
"""
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from trial import BOUND  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
SEED = int(os.environ.get("SEED", time.time_ns() % 10 ** 9))
PLANS = int(os.environ.get("PLANS", "1000" if os.environ.get("LONG") == "1" else "15"))


class Node:
    """A node: its type and ports, its name in the fabric, and how a plan calls its port p."""

    def __init__(self, kind, ports, name, device, text):
        self.kind, self.ports, self.name, self.device, self.text = kind, ports, name, device, text


def nodes_of(r):
    nodes = []
    for i in range(r.randint(2, 6)):
        if r.random() < 0.5:
            nodes.append(Node("Switch", 12, "sw%d" % i, "sw%d" % i, r.choice(["Port %d", "%d", "P%d", "U1/P%d"])))
        else:
            nodes.append(Node("Switch", 12, "MF0;Sw%d:MQM8700/U1" % i, "sw%d" % i, r.choice(["Port %d", "1/%d"])))
    for d in range(r.randint(0, 2)):
        for leaf in range(1, r.randint(2, 4)):
            for chip in (1, 2):
                nodes.append(Node("Switch", 12, "MF0;dir%d-A:MCS8500/L%02d/U%d" % (d, leaf, chip), r.choice(["DIR%d-A", "dir%d"]) % d,
                                  r.choice(["Blade %d_Port %d/%%d", "L%d/U%d/P%%d", "L%02d/U%d/%%d"]) % (leaf, chip)))
    for i in range(r.randint(1, 12)):
        if r.random() < 0.5:
            nodes.append(Node("Hca", 2, "host%d" % i, r.choice(["host%d", "host%d.example.org"]) % i, r.choice(["Port %d", "%d", "P%d"])))
        else:
            for rail in range(r.randint(1, 3)):
                nodes.append(Node("Hca", 1, "host%d mlx5_%d" % (i, rail), "host%d" % i, r.choice(["host%d " % i, ""]) + "mlx5_%d%%.0s" % rail))
    return nodes


def scenario(r):
    """Planned and real cables, and what must be told: (change, ports...)."""
    nodes = nodes_of(r)
    ports = [(n, p) for n in nodes for p in range(1, n.ports + 1)]
    r.shuffle(ports)
    # a plan that has no cable between switches, or none of hosts, does not count such as extra
    by_kind = {k: [x for x in ports if x[0].kind == k] for k in ("Switch", "Hca")}

    def take(kind, but=None):
        mine = next((x for x in by_kind[kind] if but is None or x[0].device.lower()[:4] != but[0].device.lower()[:4]), None)
        if mine:
            by_kind[kind].remove(mine)
        return mine

    def cable(second=None):
        a = take("Switch")
        z = a and take(second or r.choice(["Switch", "Hca"]), a)
        if a and not z:
            by_kind["Switch"].append(a)
        return (a, z) if z else None

    planned, real, expected, edits, unplanned = [], [], set(), 0, []
    for second in ("Switch", "Hca"):
        c = cable(second)
        if c:
            planned.append(c)
            real.append(c)
    for _ in range(r.randint(0, 30)):
        c, kind = cable(), r.choice(["there"] * 4 + ["missing", "extra", "extra", "within", "wrong-port", "swapped"])
        if not c:
            break
        a, z = c
        edits += {"there": 0, "swapped": 2}.get(kind, 1)
        if kind == "there":
            planned.append(c)
            real.append(c)
        elif kind == "missing":
            planned.append(c)
            expected.add((kind, frozenset(c)))
        elif kind == "extra":
            unplanned.append(c)
        elif kind == "within":
            z = next((x for x in by_kind["Switch"] if x[0] is not a[0] and box(x) == box(a)), None)
            if z:
                by_kind["Switch"].remove(z)
                unplanned.append((a, z))
        elif kind == "wrong-port":
            x = take(z[0].kind, a)
            if x:
                planned.append(c)
                real.append((a, x))
                expected.add((kind, a, z, x))
        else:
            other = cable(z[0].kind)
            if other and len({a[0].device, z[0].device, other[0][0].device, other[1][0].device}) == 4:
                b, w = other
                planned += [c, other]
                real += [(a, w), (b, z)]
                expected.add((kind, frozenset([frozenset(c), frozenset(other)])))
    known = {box(x) for y in planned for x in y}
    kinds = {(q[0].kind, s[0].kind) for q, s in planned}
    outside = dict.fromkeys(("unnamed", "hosts", "between", "within"), 0)
    for a, z in unplanned:
        real.append((a, z))
        if box(a) not in known and box(z) not in known:
            outside["unnamed"] += 1
        elif (a[0].kind, z[0].kind) not in kinds:
            outside["between" if z[0].kind == "Switch" else "hosts"] += 1
        elif box(a) == box(z):
            outside["within"] += 1
        else:
            expected.add(("extra", frozenset((a, z))))
    return nodes, planned, real, expected, edits, outside


def box(end):
    return end[0].device.split(".")[0].lower().replace("-a", "")


def net(nodes, real):
    text = []
    for n in nodes:
        text.append('%s %d "%s"' % (n.kind, n.ports, n.name))
        for a, z in real:
            for (x, p), (y, q) in ((a, z), (z, a)):
                if x is n:
                    text.append('[%d] "%s"[%d]' % (p, y.name, q))
        text.append("")
    return "\n".join(text)


def words(end):
    n, p = end
    return n.device, n.text % p if "%" in n.text else n.text


def as_csv(r, rows, fast=()):
    columns = (["Speed"] if fast else []) + ["StartDevice", "StartPort", "EndDevice", "EndPort"] + r.sample(["", "rack #", "U height", "U height", "LinkType", "Cable Length"], 4)
    r.shuffle(columns)
    heading = list(columns)
    i = heading.index("StartDevice")
    heading[i] = r.choice(["StartDevice", "#StartDevice", "#Fields:StartDevice", "startdevice"])
    sep = r.choice([",", ";", "\t"])
    lines = [sep.join(heading)]
    for a, z in rows:
        cell = dict(zip(("StartDevice", "StartPort", "EndDevice", "EndPort"), words(a) + words(z)))
        cell["Speed"] = r.choice(["NDR", "4xNDR", "400000"]) if (a, z) in fast or (z, a) in fast else ""
        row = []
        for c in columns:
            text = cell.get(c, r.choice(["", "Data", "R12", "10"]))
            text = text.upper() if c.endswith("Device") and r.random() < 0.3 else text
            row.append('"%s"' % text if r.random() < 0.2 else r.choice(["", " "]) + text if sep != "\t" else text)
        lines.append(sep.join(row))
    return r.choice(["", "\ufeff"]) + r.choice(["\n", "\r\n"]).join(lines + [""])


def as_cables(_, rows):
    return "# type, name, port, twice\n" + "".join("X %s %s\tY %s %s\n" % (words(a) + words(z)) for a, z in rows)


def as_xml(_, rows):
    text = ['<?xml version="1.0" encoding="ISO-8859-1"?>', '<fabric name="x">']
    for a, z in rows:
        text.append('<linklist name="%s"><port num="%s" length="1m"><r_port>%s</r_port><r_node>%s</r_node></port></linklist>' %
                    (words(a) + (words(z)[1], words(z)[0])))
    return "\n".join(text + ["</fabric>", ""])


def run(fabric, *commands):
    done = subprocess.run([PROGRAM, "--json", fabric, *(w for c in commands for w in ("-e", c))], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=BOUND, check=False)
    return done.returncode, json.loads(done.stdout.splitlines()[-1])


def not_mended(r, fabric, plan, o, edits, before=()):
    """Do the fixes: why they do not make what was planned, touch too much, or part the fabric; None: they are right."""
    commands = [f["command"] for f in o["fixes"]]
    if o["touched"] > edits:
        return "%d cables to touch for %d edits: %s" % (o["touched"], edits, commands)
    if o["left"] or not commands:
        return None
    if r.random() < 0.5:
        commands = ["event " + " ".join("'%s'" % c for c in commands)]
    status, again = run(fabric, *before, *commands, plan)
    if not again["ok"] or again["differences"] or again["fixes"] or status != (not again["complete"]):
        return "after %s: status %d, %s" % (commands, status, again.get("differences", again.get("error")))
    return None


def told(o):
    """The differences, in the form of what is expected."""
    def end(d, key):
        return (d[key], d[key + "_port"]) if key in d else None

    for d in o["differences"]:
        at, planned, found, other = (end(d, k) for k in ("at", "planned", "found", "other"))
        if d["change"] in ("missing", "extra"):
            yield d["change"], frozenset([at, planned or found])
        elif d["change"] == "wrong-port":
            yield "wrong-port", at, planned, found
        elif d["change"] == "swapped":
            yield "swapped", frozenset([frozenset([at, planned]), frozenset([other, found])])
        elif d["change"] == "rate":
            yield "rate", frozenset([at, found])
        else:
            yield d["change"], d.get("why")


def as_names(e):
    if isinstance(e, tuple) and len(e) == 2 and isinstance(e[0], Node):
        return e[0].name + "[%d]" % e[1], e[1]
    return type(e)(as_names(x) for x in e) if isinstance(e, (tuple, frozenset)) else e


def one_plan(seed, folder):
    r = random.Random(seed)
    nodes, planned, real, expected, edits, outside = scenario(r)
    rows = [r.choice([(a, z), (z, a)]) for a, z in planned] + [(z, a) for a, z in planned if r.random() < 0.1]
    r.shuffle(rows)
    writer = r.choice([as_csv, as_csv, as_cables, as_xml])
    if writer is as_cables and any(" " in w for c in rows for e in c for w in words(e)):
        writer = as_csv
    fast = [c for c in planned if r.random() < 0.2] if writer is as_csv else []
    expected |= {("rate", frozenset(c)) for c in fast if c in real}
    edits += sum(c in real for c in fast)
    fabric, plan = os.path.join(folder, "real.net"), os.path.join(folder, "plan")
    for path, text in ((fabric, net(nodes, real)), (plan, writer(r, rows, fast) if fast else writer(r, rows))):
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(text)
    if not real or not rows:
        return None
    status, o = run(fabric, "plan " + plan)
    if not o["ok"]:
        return o["error"]
    want, found = {as_names(e) for e in expected}, list(told(o))
    if o["outside"] != outside:
        return "outside of the plan %s, expected %s" % (o["outside"], outside)
    if set(found) != want or len(found) != len(want) or o["cables"] != len(planned) or o["unknown"] or o["left_out"]:
        return "%s: found %s, expected %s; %s" % (writer.__name__, sorted(map(str, found)), sorted(map(str, want)),
                                                  {k: o[k] for k in ("cables", "unknown", "left_out")})
    there = sum(c in real for c in planned)
    if (status, o["there"]) != (1 if want else 0, there):
        return "status %d, %d there, expected %d" % (status, o["there"], there)
    return not_mended(r, fabric, "plan " + plan, o, edits)


def one_topology(seed, folder):
    """Leaves of 4 to 8 hosts; at most one host of a leaf moved, so most stay."""
    r = random.Random(seed)
    leaves = r.randint(2, 6)
    block, named = r.random() < 0.4, r.random() < 0.5
    hosts = {leaf: ["n%d-%02d" % (leaf, i) for i in range(r.randint(4, 8))] for leaf in range(leaves)}
    slurm = {leaf: list(h) for leaf, h in hosts.items()}
    moved, gone = set(), set()
    for leaf in slurm:
        if r.random() < 0.4:
            name = r.choice([h for h in hosts[leaf]])
            slurm[leaf].remove(name)
            if r.random() < 0.3:
                gone.add(name)
            else:
                slurm[r.choice([x for x in slurm if x != leaf])].append(name)
                moved.add(name)
    text = ['Switch 20 "leaf%d"\n' % leaf + "".join('[%d] "%s"[1]\n' % (i + 1, h) for i, h in enumerate(hosts[leaf])) +
            '[20] "top"[%d]\n' % (leaf + 1) for leaf in hosts]
    text += ['Switch 20 "top"\n' + "".join('[%d] "leaf%d"[20]\n' % (leaf + 1, leaf) for leaf in hosts)]
    text += ['Hca 1 "%s"\n[1] "leaf%d"[%d]\n' % (h, leaf, i + 1) for leaf in hosts for i, h in enumerate(hosts[leaf])]
    lines = ["# made by hand"]
    for leaf, names in slurm.items():
        name = "leaf%d" % leaf if named else "s%d" % leaf
        if block:
            lines.append("BlockName=%s Nodes=%s" % (name, ",".join(names)))
        else:
            lines.append(r.choice(["SwitchName=%s Nodes=%s", "switchname=%s Level=0 LinkSpeed=1 Nodes=%s", "SwitchName=%s \\\n   Nodes=%s"]) % (name, ",".join(names)))
    lines.append("BlockSizes=4" if block else "SwitchName=all Level=1 LinkSpeed=1 Nodes=n[0-9]-[00-07] Switches=s[0-%d]" % (leaves - 1))
    fabric, plan = os.path.join(folder, "real.net"), os.path.join(folder, "plan")
    for path, content in ((fabric, "\n".join(text)), (plan, "\n".join(lines + [""]))):
        with open(path, "w", encoding="utf-8") as f:
            f.write(content)
    status, o = run(fabric, "plan " + plan)
    if not o["ok"]:
        return o["error"]
    found = sorted((d["change"], d["at"]) for d in o["differences"])
    want = sorted(("leaf", h + "[1]") for h in moved)
    outside = {"unnamed": len(gone), "hosts": 0, "between": leaves, "within": 0}
    if (found, o["unplanned"], o["outside"], status) != (want, len(gone), outside, 1 if want else 0):
        return "found %s and %d unplanned, %s, expected %s and %s, %s, status %d" % (found, o["unplanned"], o["outside"], want, gone, outside, status)
    return not_mended(r, fabric, "plan " + plan, o, len(moved))


# --- edits that meet ---

def tree(r):
    """Nodes and cables: each switch hangs on one before it, and each host on a switch, some with two ports."""
    switches = [Node("Switch", 16, "sw%d" % i, "sw%d" % i, "%d") for i in range(r.randint(2, 7))]
    hosts = [Node("Hca", r.choice([1, 1, 2]), "host%d" % i, "host%d" % i, "%d") for i in range(r.randint(2, 9))]
    free = {n: list(range(1, n.ports + 1)) for n in switches + hosts}

    def port(n):
        return n, free[n].pop(r.randrange(len(free[n])))

    cables = [(port(switches[i]), port(r.choice(switches[:i]))) for i in range(1, len(switches))]
    cables += [(port(r.choice(switches)), port(h)) for h in hosts]
    for _ in range(r.randint(0, 6)):
        a, z = r.sample(switches, 2)
        if free[a] and free[z]:
            cables.append((port(a), port(z)))
    return switches + hosts, cables


def edited(r, nodes, cables, edits):
    """Cables after so many random edits; how many cables these touched."""
    cables, touched = list(cables), 0
    for _ in range(edits):
        used = {e for c in cables for e in c}
        free = [(n, p) for n in nodes for p in range(1, n.ports + 1) if (n, p) not in used]
        kind = r.choice(["remove", "add", "move", "move", "swap", "swap"])
        if kind == "add" and len(free) > 1:
            a, z = r.sample(free, 2)
            if a[0] is not z[0] and "Switch" in (a[0].kind, z[0].kind):
                cables.append((a, z))
                touched += 1
        elif kind == "remove" and len(cables) > 3:
            cables.pop(r.randrange(len(cables)))
            touched += 1
        elif kind == "move" and free:
            i = r.randrange(len(cables))
            stays, to = r.choice(cables[i]), r.choice(free)
            if stays[0] is not to[0] and "Switch" in (stays[0].kind, to[0].kind):
                cables[i] = (stays, to)
                touched += 1
        elif kind == "swap" and len(cables) > 1:
            i, k = r.sample(range(len(cables)), 2)
            (a, z), (b, w) = cables[i], r.choice([cables[k], cables[k][::-1]])
            if a[0] is not w[0] and b[0] is not z[0] and "Switch" in (a[0].kind, w[0].kind) and "Switch" in (b[0].kind, z[0].kind):
                cables[i], cables[k] = (a, w), (b, z)
                touched += 2
    return cables, touched


class Way:
    """The fabric as it is cabled on the way, {port: port at the other end}; what should hang together on it."""

    def __init__(self, nodes, real, planned):
        self.vertices = [n for n in nodes if n.kind == "Switch"] + [(n, p) for n in nodes if n.kind != "Switch" for p in range(1, n.ports + 1)]
        self.wishes = [c for c in planned if not {c, c[::-1]} & set(real)]
        self.rest = {frozenset(c) for c in planned}
        start, end = (self.parts(self.peers(x)) for x in (real, planned))
        self.kinds = {}
        for v in self.vertices:
            self.kinds.setdefault((start[v], end[v]), []).append(v)

    @staticmethod
    def peers(cables):
        return {x: y for a, z in cables for x, y in ((a, z), (z, a))}

    def parts(self, peer, out=()):
        """A number for each vertex; the same where cables join them, without those at the ports out."""
        at = {v: i for i, v in enumerate(self.vertices)}
        root = list(range(len(self.vertices)))

        def find(i):
            while root[i] != i:
                i = root[i]
            return i

        for a, z in peer.items():
            if a not in out and z not in out:
                i, k = (find(at[e[0] if e[0].kind == "Switch" else e]) for e in (a, z))
                root[max(i, k)] = min(i, k)
        return {v: find(i) for v, i in at.items()}

    def together(self, peer, out=()):
        part = self.parts(peer, out)
        return all(len({part[v] for v in kind if v not in out}) < 2 for kind in self.kinds.values())

    def step(self, peer, out, cables):
        """The cables at the ports out give way to others: (together, peers after it)."""
        after = {a: z for a, z in peer.items() if a not in out}
        after.update(self.peers(cables))
        return self.together(peer, out) and self.together(after), after

    def followed(self, peer, command):
        """The same for a command."""
        words = command.split()
        ends = [(next(v for v in self.nodes if v.name == m[1]), int(m[2])) for m in re.finditer(r"(\S+)\[(\d+)\]", command)]
        p, q = (ends + [None])[:2]
        if words[0] == "add":
            return self.step(peer, (), [(p, q)])
        if words[0] == "remove":
            return self.step(peer, (p, peer[p]), [])
        if words[:2] == ["move", "host"]:
            return self.step(peer, (p, peer[p]), [(p, q)])
        if words[0] == "move":
            return self.step(peer, (p, peer[p]), [(peer[p], q)])
        return self.step(peer, (p, peer[p], q, peer[q]), [(p, peer[q]), (q, peer[p])])

    def possible(self, peer, removed):
        """Steps that can be done: those of the fewest cables, and swaps for any wish."""
        for a, z in self.wishes:
            if peer.get(a) == z:
                continue
            if a in peer and z in peer:
                yield (a, peer[a], z, peer[z]), [(a, z), (peer[a], peer[z])], removed
            elif a in peer:
                yield (a, peer[a]), [(a, z)], removed
            elif z in peer:
                yield (z, peer[z]), [(a, z)], removed
            else:
                yield (), [(a, z)], removed
        for a, z in peer.items():
            if frozenset((a, z)) not in self.rest:
                yield (a, z), [], removed + 1

    def any_order(self, peer, removed, most, seen):
        """Is there an order that parts nothing, and removes no more cables than the way that was told?"""
        key = (frozenset(map(frozenset, peer.items())), removed)
        if all(peer.get(a) == z for a, z in self.wishes):
            return True
        if key in seen or removed > most or len(seen) > 3000:
            return False
        seen.add(key)
        for out, cables, n in self.possible(peer, removed):
            well, after = self.step(peer, out, cables)
            if well and self.any_order(after, n, most, seen):
                return True
        return False


def wrong_order(nodes, real, planned, o):
    """Does the way that is told part what it says?"""
    way, peer = Way(nodes, real, planned), Way.peers(real)
    way.nodes = nodes
    parting = []
    for i, f in enumerate(o["fixes"]):
        well, peer = way.followed(peer, f["command"])
        if not well and not parting:
            parting.append(i + 1)
        if f["apart"] and o["order"] == "safe":
            return "step %d parts, in an order called safe" % (i + 1)
    if (parting or [None]) != [o.get("parting_step")]:
        return "step %s parts the fabric, told: %s, %s" % (parting, o["order"], o.get("parting_step"))
    if o["order"] == "none" and len(o["fixes"]) < 7 and way.any_order(Way.peers(real), 0, sum(f["do"] == "remove" for f in o["fixes"]), set()):
        return "there is an order that parts nothing"
    return "order unknown" if o["order"] == "unknown" else None


def one_repair(seed, folder):
    r = random.Random(seed)
    nodes, planned = tree(r)
    dump = r.random() < 0.3
    if dump:  # it names nodes that are not cabled, too
        nodes += [Node(kind, 2, "spare%d" % i, "spare%d" % i, "%d") for i, kind in enumerate(r.choice([[], ["Hca"], ["Switch", "Hca"]]))]
    real, edits = edited(r, nodes, planned, r.randint(1, 8))
    fabric, plan = os.path.join(folder, "real.net"), os.path.join(folder, "plan")
    text = net(nodes, planned) if dump else as_csv(r, planned)
    for path, content in ((fabric, net(nodes, real)), (plan, text)):
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(content)
    routed = ["route updn"] if r.random() < 0.3 else []
    status, o = run(fabric, *routed, "plan %s all effects=100" % plan)
    if not o["ok"]:
        return o["error"]
    same = {frozenset(c) for c in real} == {frozenset(c) for c in planned}
    if same != (not o["differences"]) or status != (not same) or o["left"]:
        return "status %d, %d left, found %s" % (status, o["left"], o["differences"])
    if routed and o["effects"] != len(o["fixes"]):
        return "%d effects of %d steps" % (o["effects"], len(o["fixes"]))
    return wrong_order(nodes, real, planned, o) or not_mended(r, fabric, "plan " + plan, o, edits) or wrong_effects(fabric, o, routed)


def wrong_effects(fabric, o, routed):
    """What each step does to routes is what its command tells, run as an event."""
    if not routed or not o["fixes"]:
        return None
    commands = [f["command"] for f in o["fixes"]]
    done = subprocess.run([PROGRAM, "--json", fabric, *(w for c in routed + commands for w in ("-e", c))], stdout=subprocess.PIPE, text=True,
                          timeout=BOUND, check=False)
    for fix, line in zip(o["fixes"], done.stdout.splitlines()[-len(commands):]):
        change = json.loads(line).get("change", {})
        if any(fix["effect"][k] != change.get(k) for k in ("entries", "rerouted", "lost", "regained")):
            return "%s: told %s, does %s" % (fix["command"], fix["effect"], change)
    return None


# --- rails ---

def one_rails(seed, folder):
    """Ports of hosts change places, each host at most once; of each group four hosts or more stay as they are."""
    r = random.Random(seed)
    rails, groups = r.randint(2, 8), r.randint(1, 4)
    hosts = [(g, "n%d%02d" % (g, i)) for g in range(groups) for i in range(r.randint(6, 10))]
    leaf = {(g, k): Node("Switch", 20, "g%dr%d" % (g, k), "", "") for g in range(groups) for k in range(rails)}
    at, used = {}, dict.fromkeys(leaf, 0)
    for g, h in hosts:
        for k in range(rails):
            used[g, k] += 1
            at[Node("Hca", 1, "%s mlx5_%d" % (h, k), "", ""), g, k] = leaf[g, k], used[g, k]
    whole, moved, expected = dict.fromkeys(range(groups), 0), set(), set()
    for g, _ in hosts:
        whole[g] += 1
    for _ in range(r.randint(0, 4)):
        x, y = r.sample(list(at), 2)
        mine = {n[0].name.split()[0] for n in (x, y)}
        lost = [n[1] for n in (x, y)]
        if mine & moved or at[x][0] is at[y][0] or (rails == 2 and x[1] != y[1]) or len(mine) < 2 or any(whole[g] - lost.count(g) < 4 for g in lost):
            continue
        for g in lost:
            whole[g] -= 1
        moved |= mine
        expected |= {(n[0].name + "[1]", "%s[%d]" % (at[other][0].name, at[other][1])) for n, other in ((x, y), (y, x))}
        at[x], at[y] = at[y], at[x]
    fabric = os.path.join(folder, "real.net")
    top = Node("Switch", 40, "top", "", "")
    cables = [((x[0], 1), to) for x, to in at.items()] + [((x, 20), (top, i + 1)) for i, x in enumerate(leaf.values())]
    with open(fabric, "w", encoding="utf-8") as f:
        f.write(net([top, *leaf.values(), *(x[0] for x in at)], cables))
    status, o = run(fabric, "plan rails")
    if not o["ok"]:
        return o["error"]
    # where several went the same way, who is paired with whom does not matter: each port is in its place again
    found = {(d[a], d[b]) for d in o["differences"] if d["change"] == "swapped" for a, b in (("at", "found"), ("other", "planned"))}
    if (found, len(o["differences"]), o["groups"], o["rails"], status) != (expected, len(expected) // 2, groups, rails, int(bool(expected))):
        return "%d groups, %d rails, found %s, expected %s" % (o["groups"], o["rails"], o["differences"], expected)
    return not_mended(r, fabric, "plan rails", o, len(expected))


# --- ibutils ---

# Debian's ibtopodiff -e writes the 18 characters of a GUID, and the NUL, where its own check of sprintf() knows 18 bytes.
SHIM = """#include <stdarg.h>
#include <stdio.h>
int __sprintf_chk(char *s, int flag, size_t size, const char *fmt, ...)
{
	va_list a;
	int n;

	(void)flag;
	(void)size;
	va_start(a, fmt);
	n = vsprintf(s, fmt, a);
	va_end(a);
	return n;
}
"""


def topo(nodes, cables):
    text = []
    for n in nodes:
        if n.kind == "Switch":
            text.append("MTS2400 %s" % n.name)
            for a, z in cables:
                if a[0] is n:
                    text.append("   P%d -> %s %s P%d" % (a[1], "MTS2400" if z[0].kind == "Switch" else "Cougar", z[0].name, z[1]))
    return "\n".join(text + [""])


compared = []  # seeds of those that ibtopodiff compared


def by_ibtopodiff(folder):
    """(cables it misses, cables it finds too much), as sets of ends."""
    shim = os.path.join(folder, "shim.so")
    if not os.path.exists(shim):
        subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-shared", "-fPIC", "-U_FORTIFY_SOURCE", "-o", shim, "-xc", "-"], input=SHIM,
                       text=True, check=True)
    said = subprocess.run(["ibtopodiff", "-t", "plan.topo", "-d", "real.lst", "-e"], cwd=folder, env=dict(os.environ, LD_PRELOAD=shim),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=BOUND, check=False).stdout
    said = said.replace("/U1/P", "/P")
    missing = {frozenset(m) for m in re.findall(r"Missing cable between (\S+) and (\S+)", said)}
    extra = {frozenset(m) for m in re.findall(r"Extra cable between (\S+) and (\S+)", said)}
    for a, want, has in re.findall(r"Mismatch: port[: ](\S+) should be connected to:(\S+) but connects to(?: port: |:)(\S+)", said):
        missing.add(frozenset([a, want]))
        extra.add(frozenset([a, has]))
    return missing, extra, said


def one_topo(seed, folder):
    """Leaves with hosts, and spines; few edits, so that ibtopodiff finds the leaves by their hosts."""
    r = random.Random(seed)
    leaves = [Node("Switch", 24, "SW-1-%d" % i, "", "") for i in range(r.randint(2, 4))]
    spines = [Node("Switch", 24, "SW-2-%d" % i, "", "") for i in range(r.randint(1, 3))]
    hosts = [Node("Hca", 2, "H-%d" % i, "", "") for i in range(6 * len(leaves))]
    planned = [((leaf, 1 + i), (hosts[6 * k + i], 1)) for k, leaf in enumerate(leaves) for i in range(6)]
    planned += [((leaf, 12 + 3 * k + i), (spine, 1 + 3 * j + i)) for j, leaf in enumerate(leaves) for k, spine in enumerate(spines) for i in range(2)]
    for _ in range(50):
        real, edits = edited(r, [*leaves, *spines, *hosts], planned, r.randint(1, 3))
        per_leaf = {leaf: sum(a[0] is leaf and z[0].kind == "Hca" for c in real for a, z in (c, c[::-1])) for leaf in leaves}
        if min(per_leaf.values()) > 3 and {h for c in real for h, _ in c} >= set(hosts):
            break
    else:
        return None
    real = [c if c[0][0].kind == "Switch" else c[::-1] for c in real]
    for name, cables in (("plan.topo", planned), ("real.topo", real)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(topo([*leaves, *spines, *hosts], cables))
    fabric, plan, subnet = (os.path.join(folder, n) for n in ("real.topo", "plan.topo", "real.lst"))
    _, o = run(fabric, "route minhop", "export subnet " + subnet, "plan " + plan)
    if not o["ok"]:
        return o["error"]
    with open(subnet, encoding="utf-8") as f:
        text = re.sub(r"\{(H-\d+)/U1\}", r"{\1 HCA-1}", f.read())
    with open(subnet, "w", encoding="utf-8") as f:
        f.write(text)
    missing, extra = set(), set()

    def end(d, key):
        return "%s/P%d" % (d[key].split("/")[0], d[key + "_port"])

    for d in o["differences"]:
        if d["change"] in ("missing", "wrong-port", "swapped"):
            missing.add(frozenset([end(d, "at"), end(d, "planned")]))
        if d["change"] in ("extra", "wrong-port", "swapped"):
            extra.add(frozenset([end(d, "at"), end(d, "found")]))
        if d["change"] == "swapped":
            missing.add(frozenset([end(d, "other"), end(d, "found")]))
            extra.add(frozenset([end(d, "other"), end(d, "planned")]))
    theirs = by_ibtopodiff(folder)
    # cables of two switches changed places, or the fabric fell in two: then it does not compare all
    if re.search("could not be matched|does not appear|candidate discovered switches to match", theirs[2]):
        return not_mended(r, fabric, "plan " + plan, o, edits)
    compared.append(seed)
    if (missing, extra) != theirs[:2]:
        return "missing %s, extra %s; ibtopodiff: %s" % (sorted(map(sorted, missing)), sorted(map(sorted, extra)), theirs[2])
    return not_mended(r, fabric, "plan " + plan, o, edits)


def main():
    failed = passed = 0
    print("SEED=%d" % SEED)
    with tempfile.TemporaryDirectory() as folder:
        for i in range(PLANS):
            for case in (one_plan, one_topology, one_repair, one_rails, one_topo):
                why = case(SEED + i, folder)
                passed += why is None
                failed += why is not None
                if why:
                    print("%s, SEED=%d PLANS=1: %s" % (case.__name__, SEED + i, why))
    if len(compared) < PLANS / 4 and PLANS > 9:
        print("ibtopodiff compared only %d fabrics" % len(compared))
        failed += 1
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
