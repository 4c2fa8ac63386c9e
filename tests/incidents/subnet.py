"""A subnet of the incidents: its fabric, the real OpenSM over ibsim, what ibsim's own console says of it, and ibscope's answers.

The figures that ibscope is held to are counted here, by a walk over the tables, states and LIDs of ibsim's `Dump`.
"""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.append(os.path.dirname(HERE))
sys.path.append(os.path.join(os.path.dirname(HERE), "parity"))
import contract  # noqa: E402
import opensm  # noqa: E402
from trial import BOUND, expect  # noqa: E402

IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
PROBE = os.path.join(os.path.dirname(IBSCOPE), "live", "probe")
TRIAGE_LINES, TRIAGE_COLUMNS, DOCTOR_LINES = 10, 80, 20
EFFECTS = ("stale", "drift-unknown", "dead-entry", "hot-cable")    # of OpenSM's own tables, where something is broken
SHORT = 14      # two ends with such names have room in one line of triage

# names of leaves, spines and hosts
NAMES = (("leaf-%02d", "spine-%02d", "node%04d"), ("ibsw-l%d", "ibsw-c%d", "gn%03d HCA-1"), ("r%02dl1", "core%02d", "cn%d mlx5_0"),
         ("MF0;leaf%02d:MQM8700/U1", "MF0;spine%02d:MQM8700/U1", "n%04d HCA-1"))


def write(folder, name, text):
    """The path of a new file."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


class Node:
    def __init__(self, kind, ports, name, guid):
        self.kind, self.ports, self.name, self.guid = kind, ports, name, guid
        self.id = "%s-%016x" % ("S" if kind == "Switch" else "H", guid)
        self.peer = {}      # port -> (node, port, rate)

    def end(self, port):
        return "%s[%d]" % (self.name, port)


class Draft:
    """Nodes and cables; ibsim, and the subnet manager, are at the first node."""

    def __init__(self, rng):
        self.rng, self.nodes, self.guid = rng, [], 0x0002C90300000000 | rng.getrandbits(24) << 8

    def add(self, kind, ports, name):
        self.guid += 16 * self.rng.randrange(1, 9)
        self.nodes.append(Node(kind, ports, name, self.guid))
        return self.nodes[-1]

    @staticmethod
    def cable(a, p, b, q, rate="4xHDR"):
        a.peer[p], b.peer[q] = (b, q, rate), (a, p, rate)

    def text(self):
        out = ["# Initiated from node %016x port %016x" % (self.nodes[0].guid, self.nodes[0].guid + 1)]
        for n in self.nodes:
            switch = n.kind == "Switch"
            out += ["", "vendid=0x2c9", "devid=0x%x" % (0xD2F0 if switch else 0x101B), "sysimgguid=0x%x" % n.guid,
                    "%s=0x%x%s" % ("switchguid" if switch else "caguid", n.guid, "(%x)" % n.guid if switch else ""),
                    '%s\t%d "%s"\t\t# "%s"%s' % (n.kind, n.ports, n.id, n.name, " base port 0 lid 0 lmc 0" if switch else "")]
            for p, (peer, q, rate) in sorted(n.peer.items()):
                theirs = "" if peer.kind == "Switch" else "(%x)" % (peer.guid + q)
                out.append('[%d]%s\t"%s"[%d]%s\t\t# %s"%s" lid 0 %s' % (
                    p, "" if switch else "(%x)" % (n.guid + p), peer.id, q, theirs, "" if switch else "lid 0 lmc 0 ", peer.name, rate))
        return "\n".join(out) + "\n"


def tree(rng, leaves=8, spines=4, hosts=8, cables=2, names=None):
    """A tree of two levels, some cables from each leaf to each spine; its draft with lists of each."""
    d, (leaf, spine, host) = Draft(rng), names or rng.choice(NAMES)
    d.leaves = [d.add("Switch", hosts + spines * cables + 4, leaf % (i + 1)) for i in range(leaves)]
    d.spines = [d.add("Switch", leaves * cables + 4, spine % (i + 1)) for i in range(spines)]
    d.hosts = [d.add("Ca", 1, host % (i + 1)) for i in range(leaves * hosts)]
    for i, h in enumerate(d.hosts):
        d.cable(h, 1, d.leaves[i // hosts], 1 + i % hosts)
    for i, a in enumerate(d.leaves):
        for j, b in enumerate(d.spines):
            for k in range(cables):
                d.cable(a, hosts + 1 + j * cables + k, b, 1 + i * cables + k)
    rng.shuffle(d.nodes)
    d.nodes.sort(key=lambda n: n is not d.hosts[0])     # the manager's host is the first one
    d.home = d.hosts[0].peer[1][0]
    return d


class Reading:
    """What ibsim's console tells of all nodes."""

    def __init__(self, text):
        self.peer, self.state, self.lid, self.table, self.lmc, node = {}, {}, {}, {}, {}, None
        for line in text.splitlines():
            if m := re.match(r'(?:sim> )?(Switch|Ca) \d+ "(\S+)"', line):
                node = m[2]
                if m[1] == "Switch":
                    self.table[node] = {}
            elif m := re.match(r"#\s+Forwarding table \d+-\d+:(.*)", line):
                self.table[node].update((int(lid), int(port, 16)) for lid, port in re.findall(r"\[(\d+)\]([0-9A-F]+)", m[1]))
            elif m := re.match(r'[0-9a-f]+\s+\[(\d+)\]\s*(?:"(\S+)"\[(\d+)\])?.*?(Down|Init|Armed|Active)/(\w+)', line):
                at = (node, int(m[1]))
                self.state[at] = m[4]
                if m[2] and m[2] != "Sma" and m[5] == "LinkUp":
                    self.peer[at] = (m[2], int(m[3]))
                if lid := re.search(r" lid (\d+) lmc (\d+)", line):
                    self.lid[at], self.lmc[at] = int(lid[1]), int(lid[2])
        self.hosts = [at for at in self.lid if at[0] not in self.table and at in self.peer]

    def way(self, src, lid):
        """Ports by which a packet from a host's port leaves the nodes on its way, and the port where it ends; None: it is lost."""
        ports, at = [], src
        while len(ports) <= len(self.table) + 1:
            ports.append(at)
            far = self.peer.get(at)
            if not far or self.state[at] != "Active" or self.state[far] != "Active":
                return ports, None
            if far[0] not in self.table:
                return ports, far
            at = (far[0], self.table[far[0]].get(lid, 255))
        return ports, None

    def ways(self):
        """{(source, destination): (ports, it arrives)} of all ordered pairs of hosts."""
        out = {}
        for dst in self.hosts:
            for src in self.hosts:
                if src != dst:
                    ports, end = self.way(src, self.lid[dst])
                    out[src, dst] = ports, end == dst and self.lid[src] and self.lid[dst]
        return out

    def lost(self):
        return {pair: ports for pair, (ports, good) in self.ways().items() if not good}

    def through(self, *nodes):
        """Ordered pairs whose way passes one of these switches."""
        ids = {n.id for n in nodes}
        return sum(any(p[0] in ids for p in ports) for ports, _ in self.ways().values())

    def over(self, n, port):
        """Ordered pairs whose way passes the cable of this port, in either direction; those that are lost there alone."""
        both = {(n.id, port), (n.peer[port][0].id, n.peer[port][1])}
        ways = self.ways().values()
        return sum(any(p in both for p in ports) for ports, _ in ways), sum(ports[-1] in both and not good for ports, good in ways)


class Subnet(opensm.OpenSM):
    """OpenSM runs; console(), kill() and overwrite() make the incident, ask() asks ibscope."""

    def __init__(self, folder, draft, **options):
        self.draft, self.work = draft, folder
        opensm.OpenSM.__init__(self, write(folder, "fabric.topo", draft.text()), dict({"routing_engine": "minhop"}, **options))
        self.seen = 0

    def console(self, *lines):
        self.seen += 1
        tail = opensm.Tail(self._path("ibsim.out"), "'told%d'" % self.seen)
        sim = self.processes["ibsim"]
        sim.stdin.write("\n".join(lines + ("told%d" % self.seen,)) + "\n")
        sim.stdin.flush()
        self._wait("the answer of ibsim's console", tail.read)

    def look(self):
        before = len(self.read("ibsim.out"))
        self.console("Dump")
        return Reading(self.read("ibsim.out")[before:].decode())

    def kill(self):
        """The subnet manager ends, and nobody takes its place."""
        self._end(self.processes.pop("opensm"))

    def pull(self, *ends):
        self.console(*('Unlink "%s"[%d]' % (n.id, p) for n, p in ends))

    def flap(self, *ends):
        self.pull(*ends)
        self.console(*('ReLink "%s"[%d]' % (n.id, p) for n, p in ends))

    def overwrite(self, edits):
        """Entries {(switch, LID): port} are written behind the manager's back."""
        lids = self.look().lid
        for (switch, lid), port in edits.items():
            done = subprocess.run([PROBE, "write", str(lids[switch.id, 0]), str(lid), str(port)], cwd=self.folder, stdout=subprocess.PIPE,
                                  env=dict(self._environment(), LD_PRELOAD=opensm.simulator_library()), text=True, timeout=BOUND)
            expect(done.stdout == "written\n", "the simulator does not take entry", switch.name, lid, port)

    def keep(self, name="earlier"):
        """OpenSM's dumps of now, in a folder."""
        folder = os.path.join(self.work, name)
        os.makedirs(folder)
        for f in os.listdir(self.home):
            if re.fullmatch(r"opensm-.*\.dump|opensm-subnet\.lst|opensm\.log", f):
                shutil.copy(self._path(f), folder)
        return folder

    def file(self, name, text):
        return write(self.work, name, text)

    def know(self):
        """What is there now, in known.json: the baseline of later."""
        return self.file("known.json", self.start("--json", "-e", "live tables; check").stdout)

    def start(self, *args, live=True):
        env = dict(os.environ)
        if live:
            env = dict(self._environment(), LD_PRELOAD=opensm.simulator_library())
        done = subprocess.run([IBSCOPE, *args], env=env, cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=BOUND)
        expect(done.returncode in (0, 1, 3), args, "status", done.returncode, done.stdout[-300:], done.stderr)
        return done

    def objects(self, *args, live=True):
        """{command: its last object} of a start with --json."""
        done = self.start("--json", *args, live=live)
        return {o["command"]: o for o in contract.objects(IBSCOPE, done.stdout)}

    def ask(self, *args, before="live tables", triage="triage", live=True):
        """The answers to triage, check and doctor, after the commands of before."""
        before += "; " * bool(before)
        told = self.objects(*args, "-e", "%s%s; check; doctor" % (before, triage), live=live)
        text = self.start(*args, "-e", before + triage, live=live)
        return Answer(told, text, max(len(n.name) for n in self.draft.nodes) <= SHORT)


class Answer:
    """What ibscope said; `lines` is the text of triage, `causes` its list."""

    def __init__(self, told, text, short):
        self.short, self.triage, self.check, self.doctor = short, told["triage"], told["check"], told["doctor"]
        self.causes, self.status, self.lines = self.triage["causes"], text.returncode, self.triage["text"]
        self.errors = [c for c in self.causes if c["severity"] == "error"]
        printed, lines = (re.sub(r"read \d\d:\d\d", "", x).rstrip("\n") for x in (text.stdout, "\n".join(self.lines)))
        expect(printed.endswith(lines), "text and JSON differ:", printed, lines)
        expect(0 < len(self.lines) <= TRIAGE_LINES, len(self.lines), "lines of triage:", *self.lines)
        expect(max(map(len, self.lines)) <= TRIAGE_COLUMNS, "too wide:", *self.lines)

    def said(self):
        return "\n" + "\n".join("%s %s %s %s" % (c["severity"], c["kind"], c["pairs"], c["text"]) for c in self.causes) \
            + "\n" + "\n".join(self.lines)

    def find(self, *words, kind="", severity=None):
        """The first cause that has these words in its text."""
        for i, c in enumerate(self.causes):
            if all(re.search(w, c["text"]) for w in words) and re.search(kind, c["kind"]) and severity in (None, c["severity"]):
                return i, c
        expect(False, "no cause with", words, kind, severity, "in", self.said())

    def first(self, *words, pairs=None, among=1, **more):
        """The cause with these words is among the first, and costs so many pairs (a number, or several possible ones)."""
        i, c = self.find(*words, **more)
        expect(i < among, "cause", words, "is number", i + 1, "in", self.said())
        # with many causes the last ones have no line
        expect(not self.short or i > 5 or any(all(re.search(w, line) for w in words) for line in self.lines), "no line with", words, "in", self.said())
        wanted = (pairs,) if isinstance(pairs, int) else pairs      # None: any
        expect(pairs is None or c["pairs"] in wanted, words, "costs", wanted, "pairs; said:", self.said())
        return c

    def only(self, *known, status):
        """Each error has one of these words: nothing else is a cause."""
        for c in self.errors:
            expect(any(re.search(k, c["text"]) for k in known), "no cause of its own:", c["text"], "in", self.said())
        effects = [c["text"] for c in self.causes if self.errors and c["kind"] in EFFECTS and c["severity"] == "warning"]
        expect(not effects, "effects of what is broken:", *effects, "in", self.said())
        expect(self.status == status, "status", self.status, "not", status, self.said())
        expect(len(self.doctor["text"]) <= DOCTOR_LINES, len(self.doctor["text"]), "lines of doctor:", "\n".join(self.doctor["text"]))

    def costs(self, lost, *known):
        """These errors alone, which cost so many pairs."""
        self.only(*known, status=1)
        expect(self.check["pairs_lost"] == lost and not self.check["sound"], "pairs lost:", lost, "check:", self.check["pairs_lost"])

    def nothing(self, *when):
        expect(not self.causes, *when, self.said())
        expect(self.status == 0 and self.check["sound"], *when, "status", self.status, *self.check["text"])

    def text(self):
        """All that triage and doctor say."""
        return "\n".join([c["text"] for c in self.causes] + self.lines + self.doctor["text"])
