#!/usr/bin/env python3
"""`plan FILE`: random fabrics and plans of them that differ by random edits; exactly these edits come back.

A fabric has switches, directors of several chips, and hosts with one or more adapters.  Some of its cables are taken
out, added, put into another port or swapped, each at ports of its own.  The plan is written as UFM's CSV (columns in any
order, columns that nobody named, rows twice or from the other end, letter case changed), as .cables or as XML.
Slurm's topology: some hosts are put under another leaf, or left out.

Environment: IBSCOPE=build/ibscope, SEED, PLANS=N fabrics.  The last line is "N passed, N failed".
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
SEED = int(os.environ.get("SEED", time.time_ns() % 10 ** 9))
PLANS = int(os.environ.get("PLANS", "60"))
SECONDS = 120  # a bound for a program that hangs


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

    planned, real, expected = [], [], set()
    for second in ("Switch", "Hca"):
        c = cable(second)
        if c:
            planned.append(c)
            real.append(c)
    for _ in range(r.randint(0, 30)):
        c, kind = cable(), r.choice(["there"] * 4 + ["missing", "extra", "wrong-port", "swapped"])
        if not c:
            break
        a, z = c
        if kind == "there":
            planned.append(c)
            real.append(c)
        elif kind == "missing":
            planned.append(c)
            expected.add((kind, frozenset(c)))
        elif kind == "extra":
            known = {x[0].device.split(".")[0].lower().replace("-a", "") for y in planned for x in y}
            if any(x[0].device.split(".")[0].lower().replace("-a", "") in known for x in c) and \
                    any((q[0].kind, s[0].kind) == (a[0].kind, z[0].kind) for q, s in planned):
                real.append(c)
                expected.add((kind, frozenset(c)))
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
    return nodes, planned, real, expected


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


def as_csv(r, rows):
    columns = ["StartDevice", "StartPort", "EndDevice", "EndPort"] + r.sample(["", "rack #", "U height", "U height", "LinkType", "Cable Length"], 4)
    r.shuffle(columns)
    heading = list(columns)
    i = heading.index("StartDevice")
    heading[i] = r.choice(["StartDevice", "#StartDevice", "#Fields:StartDevice", "startdevice"])
    sep = r.choice([",", ";", "\t"])
    lines = [sep.join(heading)]
    for a, z in rows:
        cell = dict(zip(("StartDevice", "StartPort", "EndDevice", "EndPort"), words(a) + words(z)))
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


def run(fabric, plan):
    done = subprocess.run([PROGRAM, "--json", fabric, "-e", "plan " + plan], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=SECONDS, check=False)
    return done.returncode, json.loads(done.stdout.splitlines()[-1])


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
        else:
            yield d["change"], d.get("why")


def as_names(e):
    if isinstance(e, tuple) and len(e) == 2 and isinstance(e[0], Node):
        return e[0].name + "[%d]" % e[1], e[1]
    return type(e)(as_names(x) for x in e) if isinstance(e, (tuple, frozenset)) else e


def one_plan(seed, folder):
    r = random.Random(seed)
    nodes, planned, real, expected = scenario(r)
    rows = [r.choice([(a, z), (z, a)]) for a, z in planned] + [(z, a) for a, z in planned if r.random() < 0.1]
    r.shuffle(rows)
    writer = r.choice([as_csv, as_csv, as_cables, as_xml])
    if writer is as_cables and any(" " in w for c in rows for e in c for w in words(e)):
        writer = as_csv
    fabric, plan = os.path.join(folder, "real.net"), os.path.join(folder, "plan")
    for path, text in ((fabric, net(nodes, real)), (plan, writer(r, rows))):
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(text)
    if not real or not rows:
        return None
    status, o = run(fabric, plan)
    if not o["ok"]:
        return o["error"]
    want, found = {as_names(e) for e in expected}, list(told(o))
    if set(found) != want or len(found) != len(want) or o["cables"] != len(planned) or o["unknown"] or o["left_out"]:
        return "%s: found %s, expected %s; %s" % (writer.__name__, sorted(map(str, found)), sorted(map(str, want)),
                                                  {k: o[k] for k in ("cables", "unknown", "left_out")})
    there = sum(c in real for c in planned)
    return None if (status, o["there"]) == (1 if want else 0, there) else "status %d, %d there, expected %d" % (status, o["there"], there)


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
    status, o = run(fabric, plan)
    if not o["ok"]:
        return o["error"]
    found = sorted((d["change"], d["at"]) for d in o["differences"])
    want = sorted(("leaf", h + "[1]") for h in moved)
    if (found, o["unplanned"], status) != (want, len(gone), 1 if want else 0):
        return "found %s and %d unplanned, expected %s and %s, status %d" % (found, o["unplanned"], want, gone, status)
    return None


def main():
    failed = passed = 0
    print("SEED=%d" % SEED)
    with tempfile.TemporaryDirectory() as folder:
        for i in range(PLANS):
            for case in (one_plan, one_topology):
                why = case(SEED + i, folder)
                passed += why is None
                failed += why is not None
                if why:
                    print("%s, SEED=%d PLANS=1: %s" % (case.__name__, SEED + i, why))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
