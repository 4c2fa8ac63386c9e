"""Fabrics for the parity tests: read ibnetdiscover text as ibsim does, or make one at random.

The generator writes its text itself, so that the product's own writer is not
the only source of what the simulator and the product are fed.
"""
import re

NODE = re.compile(r'^(Switch|Ca|Hca|Rt)\s*(\d+)\s*"([^"]+)"(?:\s*#\s*"([^"]*)")?')
PORT = re.compile(r'^\[(\d+)\](?:\(([0-9a-fA-F]+)\))?\s*"([^"]+)"\[(\d+)\]')
GUID = re.compile(r'^(?:switchguid|caguids?|hcaguids?|rtguid)=(0x[0-9a-fA-F]+)')


class Node:
    def __init__(self, kind, nports, name, guid, label=""):
        self.kind, self.nports, self.name, self.guid, self.label = kind, nports, name, guid, label
        self.peer = {}          # port -> (node, port)

    @property
    def is_switch(self):
        return self.kind == "Switch"

    def port_guid(self, port):
        """As ibsim gives them, whatever the file says."""
        return self.guid if self.is_switch else self.guid + port

    def __str__(self):
        return "0x%016x" % self.guid


class Fabric:
    """nodes in the order of the file; links as pairs of (node, port), each once."""

    def __init__(self, text):
        self.nodes, self.links = [], []
        by_name, node, guid = {}, None, 0
        ends = []
        for line in text.splitlines():
            m = GUID.match(line)
            if m:
                guid = int(m[1], 16)
                continue
            m = NODE.match(line)
            if m:
                node = Node(m[1], int(m[2]), m[3], guid, m[4] or "")
                self.nodes.append(node)
                by_name[node.name] = node
                continue
            m = PORT.match(line)
            if m and node:
                ends.append((node, int(m[1]), m[3], int(m[4])))
        for node, port, name, peer_port in ends:
            node.peer[port] = (by_name[name], peer_port)
        for node, port, name, peer_port in ends:
            a, b = (node, port), node.peer[port]
            if (a[0].guid, a[1]) <= (b[0].guid, b[1]):
                self.links.append((a, b))

    @property
    def switches(self):
        return [n for n in self.nodes if n.is_switch]

    @property
    def hosts(self):
        return [n for n in self.nodes if not n.is_switch]

    def endport_guids(self):
        return [n.port_guid(p) for n in self.nodes for p in ([0] if n.is_switch else sorted(n.peer))]


class Draft:
    """A fabric in the making."""

    def __init__(self, rng):
        self.rng, self.nodes, self.cables = rng, [], []
        self.guids = set()

    def guid(self, ports):
        """A GUID with room for the GUIDs of `ports` ports behind it."""
        while True:
            g = 0x0002C90000000000 | self.rng.getrandbits(self.rng.choice((12, 24, 40)))
            g &= ~0xF
            if g not in self.guids and g & 0xFFFFFFFFFF:
                self.guids.add(g)
                return g

    def add(self, kind, nports, label):
        node = {"kind": kind, "nports": nports, "label": label, "guid": self.guid(nports), "ports": {},
                "lid": {}, "lmc": 0, "esp0": False, "sys": None}
        self.nodes.append(node)
        return node

    def free(self, node):
        return [p for p in range(1, node["nports"] + 1) if p not in node["ports"]]

    def link(self, a, b):
        """A cable between ports chosen at random; False when one has none left."""
        free_a, free_b = self.free(a), self.free(b)
        if not free_a or not free_b or (a is b and len(free_a) < 2):
            return False
        if a is b:
            p, q = self.rng.sample(free_a, 2)
        else:
            p, q = self.rng.choice(free_a), self.rng.choice(free_b)
        a["ports"][p], b["ports"][q] = (b, q), (a, p)
        return True

    # --- text -------------------------------------------------------------------

    def text(self):
        lines = ["#", "# Topology file: made for a parity test", "#", ""]
        for n in self.nodes:
            lines += self.record(n) + [""]
        return "\n".join(lines)

    @staticmethod
    def name(n):
        return "%s-%016x" % ({"Switch": "S", "Ca": "H", "Rt": "R"}[n["kind"]], n["guid"])

    def record(self, n):
        switch = n["kind"] == "Switch"
        lines = ["vendid=0x2c9", "devid=0x%x" % (0xD2F0 if switch else 0x101B),
                 "sysimgguid=0x%x" % (n["sys"] or n["guid"])]
        if switch:
            lines += ["switchguid=0x%x(%x)" % (n["guid"], n["guid"]),
                      'Switch\t%d "%s"\t\t# "%s" %s port 0 lid %d lmc %d'
                      % (n["nports"], self.name(n), n["label"], "enhanced" if n["esp0"] else "base",
                         n["lid"].get(0, 0), n["lmc"])]
        else:
            lines += ["%s=0x%x" % ("caguid" if n["kind"] == "Ca" else "rtguid", n["guid"]),
                      '%s\t%d "%s"\t\t# "%s"' % (n["kind"], n["nports"], self.name(n), n["label"])]
        for p, (peer, q) in sorted(n["ports"].items()):
            theirs = "" if peer["kind"] == "Switch" else "(%x)" % (peer["guid"] + q)
            peer_lid = peer["lid"].get(0 if peer["kind"] == "Switch" else q, 0)
            if switch:
                lines.append('[%d]\t"%s"[%d]%s \t\t# "%s" lid %d 4xQDR'
                             % (p, self.name(peer), q, theirs, peer["label"], peer_lid))
            else:
                lines.append('[%d](%x) \t"%s"[%d]%s\t\t# lid %d lmc %d "%s" lid %d 4xQDR'
                             % (p, n["guid"] + p, self.name(peer), q, theirs, n["lid"].get(p, 0), n["lmc"],
                                peer["label"], peer_lid))
        return lines


def draft_lids(d, lmc):
    """LIDs on the ports: good ones, twice the same, misaligned, too large, none; LMCs, now and then on switches."""
    rng, high = d.rng, d.rng.choice((60, 400, 5000))
    odd = rng.random() < 0.5
    switch_lmc = rng.random() < 0.3
    for n in d.nodes:
        if n["kind"] == "Rt":
            continue        # the simulator does not read them
        for p in [0] if n["kind"] == "Switch" else n["ports"]:
            if rng.random() < 0.2:
                continue
            lid = rng.randrange(1, high)
            if not odd and n["kind"] == "Ca":
                lid = lid >> lmc << lmc
            n["lid"][p] = rng.choice((0xC000, 0xFFFF)) if odd and rng.random() < 0.03 else lid
        if n["kind"] == "Ca" and rng.random() < 0.7:
            n["lmc"] = lmc
        if switch_lmc and n["kind"] == "Switch" and rng.random() < 0.1:
            n["lmc"] = rng.choice((1, 2))


def random_fabric(rng, lmc):
    """ibnetdiscover text of a small, nasty fabric."""
    d = Draft(rng)
    n_switches = rng.choice((1, 2, 3, rng.randrange(4, 14), rng.randrange(8, 33)))
    width = rng.choice((8, 12, 24, 36, 40))
    switches = [d.add("Switch", width if rng.random() < 0.8 else rng.randrange(6, 64), "sw %d" % i)
                for i in range(n_switches)]
    for i in range(1, n_switches):
        while not d.link(switches[i], rng.choice(switches[:i])):
            pass_over = [s for s in switches[:i] if len(d.free(s)) > 0]
            if not pass_over:
                break
    for _ in range(int(n_switches * rng.choice((0.3, 1, 2)))):
        a, b = rng.choice(switches), rng.choice(switches)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            if a is not b or rng.random() < 0.15:     # a loop-back cable now and then
                d.link(a, b)
    draft_endnodes(d, switches)
    if rng.random() < 0.5:
        for s in switches:
            s["esp0"] = rng.random() < 0.5
    if rng.random() < 0.4:      # several chips of one system
        for s in switches:
            s["sys"] = rng.choice(switches)["guid"]
    if rng.random() < 0.4:
        draft_lids(d, lmc)
    rng.shuffle(d.nodes)
    # the subnet manager runs on the first node: a switch, or a CA with one cabled port 1
    d.nodes.sort(key=lambda n: not (n["kind"] == "Switch" or (n["nports"] == 1 and n["ports"]))
                 or n["kind"] == "Rt")
    first = d.nodes.pop(0)
    rng.shuffle(d.nodes)
    d.nodes.insert(0, first)
    return d.text()


def chain_fabric(rng, lengths=(20, 40, 58, None)):
    """Switches in a line, with some spurs and shortcuts and few hosts; discovery ends after 63 hops."""
    d = Draft(rng)
    length = rng.choice(lengths) or rng.randrange(30, 59)
    switches = [d.add("Switch", 8, "sw %d" % i) for i in range(length)]
    for a, b in zip(switches, switches[1:]):
        d.link(a, b)
    if length > 120:
        d.link(switches[-1], switches[0])
    for _ in range(rng.randrange(4)):
        i = rng.randrange(len(switches) - 3)
        d.link(switches[i], switches[i + rng.choice((1, 2, 3))])
    for _ in range(rng.randrange(5)):
        d.link(d.add("Switch", 4, "spur"), rng.choice(switches))
    for i in range(rng.choice((1, 2, 3, 3, 8))):
        d.link(d.add("Ca", 1, "host %d" % i), switches[0] if i == 0 else rng.choice(switches[:1 + 20 * i]))
    d.nodes.sort(key=lambda n: n is not switches[0])
    return d.text()


def twin_fabric(rng, lmc):
    """A few switches with few hosts and small LIDs and LMCs already on all ports: many are there twice."""
    d = Draft(rng)
    switches = [d.add("Switch", 12, "sw %d" % i) for i in range(rng.choice((2, 3, 4, 6)))]
    for i in range(1, len(switches)):
        d.link(switches[i], rng.choice(switches[:i]))
    d.link(switches[0], switches[-1])
    for i in range(rng.randrange(3, 8)):
        d.link(d.add("Ca", 1, "h%d" % i), rng.choice(switches))
    if rng.random() < 0.5:
        for s in switches:
            s["esp0"] = rng.random() < 0.5
    high = rng.choice((12, 24, 40))
    for n in d.nodes:
        for p in [0] if n["kind"] == "Switch" else n["ports"]:
            if rng.random() < 0.85:
                n["lid"][p] = rng.randrange(1, high)
        if n["kind"] == "Ca":
            n["lmc"] = lmc if rng.random() < 0.7 else 0
        elif rng.random() < 0.25:
            n["lmc"] = rng.choice((1, 2))
    rng.shuffle(d.nodes)
    return d.text()


def edge_fabric(kind, rng):
    """What is at the edge of what there may be: switches cabled to themselves; parts apart, one of them two hosts without a switch."""
    d = Draft(rng)

    def part(switches, hosts, loops):
        sw = [d.add("Switch", 12, "sw%d" % len(d.nodes)) for _ in range(switches)]
        for i, s in enumerate(sw):
            for _ in range(loops):
                d.link(s, s)
            if i:
                d.link(s, rng.choice(sw[:i]))
            for _ in range(hosts):
                d.link(s, d.add("Ca", 2, "host%d HCA-1" % len(d.nodes)))

    if kind == "loops":
        part(4, 2, 2)
    else:
        part(3, 2, 0)
        part(2, 3, 1)
        d.link(d.add("Ca", 1, "host98 HCA-1"), d.add("Ca", 1, "host99 HCA-1"))
    draft_lids(d, 0)
    return d.text()


def draft_endnodes(d, switches):
    rng = d.rng
    for i in range(rng.randrange(1, 4 * len(switches) + 3)):
        kind = "Rt" if rng.random() < 0.06 else "Ca"
        nports = rng.choice((1, 1, 1, 2, 2, 3)) if kind == "Ca" else rng.choice((1, 2))
        node = d.add(kind, nports, "%s%d port" % ("router" if kind == "Rt" else "host", i))
        uplinks = 0
        for _ in range(rng.randrange(1, nports + 1)):
            uplinks += d.link(node, rng.choice(switches))
        if not uplinks:
            d.nodes.remove(node)
            return
