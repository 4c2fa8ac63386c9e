"""States of fabrics, drawn or given, and what is read of them: nothing of it is shared with the program.

A state is a fabric, what was done to it, and answers of commands.  Net reads `save -`, `export lfts -` and
`export paths -`.
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from trial import BOUND, expect  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))


def program(fabric, commands, how=()):
    argv = [PROGRAM, *how, "-x", "-", fabric]  # by -e, what is no document would go to standard error
    done = subprocess.run(argv, input="\n".join(commands) + "\n", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=BOUND, check=False)
    expect(done.returncode in (0, 1, 2, 3), " ".join(argv) + ": " + "; ".join(commands), "status", done.returncode, done.stderr[-300:])
    return done.stdout


class State:
    """A fabric and what was done; answers of commands, in text and JSON.

    What two states of a kind were asked, a third one is asked at once, in one run of the program.
    """
    asked = {}      # (kind, JSON or text) -> {command: how many states were asked it}

    def __init__(self, fabric, before, engine, options, fresh, rng, kind=None):
        self.fabric, self.before, self.engine, self.options, self.rng = fabric, before, engine, options, rng
        self.fresh = fresh  # nothing of the tables was kept from before a failure
        self.whole = not any(c.startswith("fail") for c in before)
        self.kind = kind
        self.known, self.said = {}, {}
        self.event = None   # a command that can change something
        self.then = None    # the state after it
        files = ["save -", "export lfts -", "export paths -"]
        self.run_json(files + self.usual("json"))
        self.net = Net(*(self.ask(c)["content"] for c in files))

    def limit(self, names):
        """The same under a scope of these hosts: they alone count."""
        now = State(self.fabric, [*self.before, "scope " + " ".join(names)], self.engine, self.options, self.fresh, self.rng, "scope")
        now.net.hosts = [h for h in now.net.hosts if now.net.name[h] in names]
        now.net.lids = {h: now.net.lids[h] for h in now.net.hosts}
        now.net.by_name = {now.net.name[h]: h for h in now.net.hosts}
        return now

    def usual(self, form):
        return [c for c, n in self.asked.get((self.kind, form), {}).items() if n >= 2] if self.kind else []

    def count(self, command, form):
        if self.kind:
            asked = self.asked.setdefault((self.kind, form), {})
            asked[command] = asked.get(command, 0) + 1

    def run_json(self, commands):
        """Ends with the first that fails."""
        lines = program(self.fabric, [*self.before, *commands], ["--json"]).splitlines()
        objects = [json.loads(line) for line in lines]
        self.done, answers = objects[:len(self.before) + 1], objects[len(self.before) + 1:]
        for o in self.done:
            expect(o["ok"], o["command"], "failed:", o.get("error"))
        for c, o in zip(commands, answers):
            if o["ok"]:
                self.known[c] = o
        return answers

    def ask(self, command, may_fail=False):
        """The object of a command."""
        if command not in self.known:
            answers = self.run_json([command])
            if may_fail and answers and not answers[-1]["ok"]:
                return answers[-1]
            expect(answers and answers[-1]["ok"], command, "failed:", answers and answers[-1].get("error"))
            self.count(command, "json")
        return self.known[command]

    def text(self, command):
        if not self.said:
            self.run_text(self.usual("text"))
        if command not in self.said:
            self.run_text([command])
            self.count(command, "text")
        return self.said[command]

    def run_text(self, commands):
        echoed = [line for c in commands for line in ("echo @@@", c)]
        told = program(self.fabric, [*self.before, *echoed]).split("@@@\n")[1:]
        self.said.update(zip(commands, told))

    def number(self, command, pattern):
        """The number that a text tells; without the line: 0."""
        found = re.search(pattern, self.text(command), re.M)
        return float(found[1].replace(",", "")) if found else 0

    def after(self):
        """The state after the event."""
        if not self.then:
            self.then = State(self.fabric, [*self.before, self.event], self.engine, self.options, False, self.rng, "after")
        return self.then

    def __str__(self):
        return "%s: %s" % (self.fabric, "; ".join(self.before))


class Net:
    """What is up: switches by LID, host ports by base LID, cables, tables, SLs."""

    def __init__(self, saved, tables, paths):
        self.peer = {}   # (switch LID, port) -> ("S" or "H", LID)
        self.name = {}   # base LID -> name of the node
        self.lids = {}   # base LID of a host port -> its LIDs
        self.port = {}   # base LID of a host port -> its number
        self.far = {}    # (switch LID, port) -> number of the port at the other end
        self.guid, self.system, self.ports = {}, {}, {}  # by switch LID; ports it has
        lmc, cable = {}, []
        here = system = None
        for line in saved.splitlines():
            head = re.match(r'Switch\t\d+ "S-.*"\t+# "(.*)" (?:base|enhanced) port 0 lid (\d+) ', line)
            ca = re.match(r'(?:Ca|Rt)\t\d+ "H-.*"\t+# "(.*)"', line)
            port = re.match(r'\[(\d+)\]\t"([SH])-.*"\[(\d+)\].*\t+# "(.*)" lid (\d+) ', line)
            own = re.match(r'\[\d+\]\(\w+\) .*# lid (\d+) lmc (\d+) ', line)
            if line.startswith("sysimgguid="):
                system = int(line[11:], 16)
            elif head:
                here = int(head[2])
                self.name[here] = head[1]
                ports, guid = re.match(r'Switch\t(\d+) "S-(\w+)"', line).groups()
                self.guid[here], self.system[here], self.ports[here] = int(guid, 16), system, int(ports)
            elif ca:
                here = None
            elif own and here is None:
                lmc[int(own[1])] = int(own[2])
            elif port and here:
                cable.append((here, int(port[1]), port[2], int(port[5]), port[4], int(port[3])))
        for sw, p, kind, lid, name, far in cable:
            self.peer[sw, p], self.far[sw, p] = (kind, lid), far
            if kind == "H" and lid:
                self.lids[lid] = range(lid, lid + (1 << lmc.get(lid, 0)))
                self.name[lid] = name
                self.port[lid] = far
        self.at = {lid: s for (s, _), (kind, lid) in self.peer.items() if kind == "H"}
        self.hosts = sorted(self.lids)
        self.owner = {k: lid for lid, ks in self.lids.items() for k in ks}
        self.switches = sorted(s for s in self.guid if s)
        self.channels = {c for c, (kind, _) in self.peer.items() if kind == "S"}
        self.table = {}
        for line in tables.splitlines():
            head = re.match(r"Unicast lids .* of switch Lid (\d+) ", line)
            entry = re.match(r"0x([0-9a-f]{4}) (\d+) ", line)
            if head:
                here = int(head[1])
            elif entry:
                self.table[here, int(entry[1], 16)] = int(entry[2])
        self.sl = {}     # (LID, LID) -> the SLs that the path may have, of those that arrive
        for line in paths.splitlines():
            if line.startswith("#"):
                continue
            slid, dlid, sl, _ = line.split()
            if sl != "-":
                ends = [int(x) for x in sl.split("..")]
                self.sl[int(slid), int(dlid)] = set(range(ends[0], ends[-1] + 1))

        self.by_name = {self.name[h]: h for h in self.hosts}

    def parts(self, down, cables):
        """Number of the connected part of each host without these switches and ports; None: on such a switch."""
        part = {}
        for s in self.switches:
            queue = [s] if s not in part and s not in down else []
            for at in queue:
                part.setdefault(at, s)
                queue += {lid for (a, p), (kind, lid) in self.peer.items()
                          if a == at and kind == "S" and lid not in down and lid not in queue and (a, p) not in cables}
        return {h: part.get(self.at[h]) for h in self.hosts}

    def path(self, src, dst):
        """Ports of switches that send, from a host port or a switch to a LID: a path, or why there is none, "loop" or "lost"."""
        here, way = self.at.get(src, src), []
        while len(way) <= len(self.switches):
            port = self.table.get((here, dst), 255)
            if here == dst and not port:
                return way
            if (here, port) not in self.peer:
                return "lost"
            way.append((here, port))
            kind, lid = self.peer[here, port]
            if kind == "H":
                return way if dst in self.lids.get(lid, ()) else "lost"
            here = lid
        return "loop"


def same(what, found, expected):
    good = abs(found - expected) < 1e-6 if isinstance(expected, float) else found == expected
    expect(good, "%s: %r, the model has %r" % (what, found, expected))


def ranges(numbers):
    """"0-2,5"."""
    told, numbers = [], sorted(numbers)
    for n in numbers:
        if told and told[-1][1] == n - 1:
            told[-1][1] = n
        else:
            told.append([n, n])
    return ",".join(str(a) if a == b else "%d-%d" % (a, b) for a, b in told)
