"""torus-2QoS by its rules (engines/doc/torus-2qos.md, sections 2 to 8), simulated: the torus that is found in the cabling,
every entry with the step that it takes, and the SL of every pair.  The table of fingerprints is read from the document.
"""
import os
import re

from ways import expect, ways_by

DOCUMENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "engines", "doc", "torus-2qos.md")
AXES = "xyz"
LOCAL = 6


def fingerprints():
    """number -> [(kind, target, sources)]"""
    table = {}
    with open(DOCUMENT, encoding="utf-8") as f:
        for line in f:
            found = re.fullmatch(r"([0-9a-f]{3}): ((?:[CP]\d < \d+(?:; )?)+)\n", line)
            if found:
                table[int(found[1], 16)] = [(k, int(t), [int(x) for x in s]) for k, t, s in
                                            re.findall(r"([CP])(\d) < (\d+)", found[2])]
    return table


class Refused(Exception):
    pass


class Conf:
    """torus-2QoS.conf, of lines without errors."""

    def __init__(self, text):
        self.radix, self.open, self.seeds, self.order = [], [False] * 3, [{}], []
        for line in text.splitlines():
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] in ("torus", "mesh"):
                self.open = [words[0] == "mesh"] * 3
                for d, word in enumerate(words[1:4]):
                    number, suffix = re.match(r"(\d+)(\w?)", word).groups()
                    self.radix.append(int(number))
                    self.open[d] = {"t": False, "m": True}.get(suffix.lower(), self.open[d]) or int(number) == 2
            elif words[0] == "next_seed":
                self.seeds += [{}] * bool(self.seeds[-1])
                self.seeds[-1] = {} if self.seeds[-1] and len(self.seeds) > 1 else self.seeds[-1]
            elif words[0] == "port_order":
                self.order = list(dict.fromkeys(int(w) for w in words[1:]))
            elif words[0].endswith("_link"):
                self.seeds[-1][words[0][:2]] = (int(words[1], 0), int(words[2], 0))
            elif words[0].endswith("_dateline"):
                self.seeds[-1][words[0][0]] = int(words[1])
            else:
                raise ValueError(line)


class Torus:
    """net: who is there; links: switch -> {port: (switch, port)}; at: LID -> (switch, port), of what is up."""

    def __init__(self, conf, net, links, at, lmc=0):
        self.c, self.links, self.at, self.lmc, self.net = conf, links, at, lmc, net
        self.radix, self.place, self.pool, self.where = conf.radix, {}, [], {}
        self.group = {s: [[] for _ in range(6)] for s in links}
        self.placed, self.of_port = set(), {}
        self.find()
        self.where = {s: p for p, s in self.place.items()}
        if len(self.where) < len(self.place):
            raise Refused("4E1C")
        self.route()

    # --- finding the torus

    def shift(self, p, d, by):
        q = list(p)
        q[d] = (q[d] + by) % self.radix[d]
        return tuple(q)

    def put(self, p, s):
        if p in self.place:
            return True
        if s is None:
            return False
        self.place[p] = s
        self.pool.append(s)
        return True

    def find(self):
        by_guid = {g: s for s, g in self.net.guid.items() if s in self.links}
        seed = next((x for x in self.c.seeds if all(g in by_guid for k, v in x.items() if len(k) == 2 and
                                                    self.radix[AXES.index(k[0])] > 1 for g in v)), None)
        if seed is None:
            raise Refused("4E30")
        line = [seed.get(a, 0) for a in AXES]
        centre = tuple(-line[d] % self.radix[d] for d in range(3))
        for name in ("xp", "xm", "yp", "ym", "zp", "zm"):
            if name in seed:
                d, a, b = AXES.index(name[0]), *(by_guid.get(g) for g in seed[name])
                there = list(centre)
                there[d] = ((1 if name[1] == "p" else -1) - line[d]) % self.radix[d]
                if not self.put(centre, a) or not self.put(tuple(there), b):
                    raise Refused("4E57")
        self.table = fingerprints()
        while True:
            before = len(self.placed)
            for z in range(self.radix[2]):
                for y in range(self.radix[1]):
                    for x in range(self.radix[0]):
                        self.locate((x, y, z))
            if len(self.placed) == before:
                return

    def free(self, s):
        """(port, neighbour) of the cables that have no place yet."""
        return [(p, b) for p, (b, _) in sorted(self.links[s].items()) if b != s and (s, p) not in self.placed]

    def link(self, d, p0, p1):
        s0, s1 = self.place[p0], self.place[p1]
        if s0 == s1 and self.radix[d] == 1:
            return True
        if self.radix[d] > 1 and p1[d] != (p0[d] + 1) % self.radix[d]:
            return False
        for p, b in self.free(s0):
            if b == s1:
                q = self.links[s0][p][1]
                if (s1, q) in self.placed:
                    continue
                self.placed |= {(s0, p), (s1, q)}
                self.group[s0][2 * d + 1].append(p)
                self.group[s1][2 * d].append(q)
        return True

    def corner(self, a, m, b):
        for _, f in self.free(a):
            if f != m and any(x == b for _, x in self.free(f)):
                return f
        return None

    def safe_ring(self, d, p):
        if self.radix[d] != 4 or self.c.open[d]:
            return True
        at = {k: self.shift(p, d, k) for k in (-1, 0, 1, 2)}
        if sum(at[k] in self.place for k in (-1, 1, 2)) < 2:
            return False
        good = True
        for a, b in ((2, -1), (-1, 0), (0, 1), (1, 2)):
            if at[a] in self.place and at[b] in self.place:
                good &= self.link(d, at[a], at[b])
        return good

    def locate(self, p):
        if any(self.c.open[d] and (p[d] + 1) % self.radix[d] < p[d] for d in range(3)):
            return
        corner = [tuple((p[d] + (c >> d & 1)) % self.radix[d] for d in range(3)) for c in range(8)]
        while True:
            for d, lows in enumerate(((0, 2, 4, 6), (0, 1, 4, 5), (0, 1, 2, 3))):
                for c in lows:
                    if corner[c] in self.place and corner[c + (1 << d)] in self.place:
                        self.link(d, corner[c], corner[c + (1 << d)])
            real = sum(1 << d for d in range(3) if self.radix[d] > 1)
            mark = real << 8
            for c in range(8):
                if corner[c] not in self.place:
                    mark |= 1 << (c & real)
            if not any(self.attempt(corner, *x) for x in self.table.get(mark, ())):
                return

    def attempt(self, corner, kind, t, sources):
        if kind == "C":
            return self.put(corner[t], self.corner(*(self.place[corner[c]] for c in sources)))
        ends, base = sources[:1] + sources[2:], sources[1]
        d = (t ^ base).bit_length() - 1
        p = corner[base]
        for other in range(3):
            if other != d and not self.safe_ring(other, p):
                return False
        behind = self.shift(p, d, 1 if base >> d & 1 else -1)
        if p not in self.place or behind not in self.place or any(corner[e] not in self.place for e in ends):
            return False
        b = self.place[p]
        for _, f in self.free(b):
            if f != self.place[behind] and all(self.corner(self.place[corner[e]], b, f) is not None for e in ends):
                return self.put(corner[t], f)
        return False

    # --- routing

    def preferred(self, s, t, d):
        apart = abs(t - s)
        return (t > s) if apart <= self.radix[d] - apart else (t < s)      # upwards?

    def hop(self, s, t, d):
        """(group, why) or None."""
        turn = list(s)
        turn[d] = t[d]
        up = self.preferred(s[d], t[d], d)
        if tuple(turn) not in self.place:
            group = 2 * d + up
            return (group, "hole") if d < 2 and self.group[self.place[s]][group] else None
        for way in (up, not up):
            at = s
            while at != tuple(turn) and at in self.place and self.group[self.place[at]][2 * d + way]:
                at = self.shift(at, d, 1 if way else -1)
            if at == tuple(turn):
                return 2 * d + way, "" if way == up else "detour"
        return None

    def step(self, s, t):
        """(group, why, dimensions that were blocked)"""
        blocked = []
        for d in range(3):
            if s[d] != t[d]:
                found = self.hop(s, t, d)
                if found:
                    return found[0], found[1], blocked
                blocked.append(d)
        raise Refused("4E39")

    def route(self):
        self.entries, self.moment = {}, {}
        ends = {s: {} for s in self.links}
        for lid, (s, port) in self.at.items():
            ends[s].setdefault(port, []).append(lid)
        for a in self.pool:
            count = {}
            for b in self.pool:
                step = self.step(self.where[a], self.where[b]) if a != b else None
                order = [p for p in self.c.order if p in ends[b]]
                for p in order + sorted(set(ends[b]) - set(order)):
                    port, used, ports = p, None, []
                    if step:
                        key = (step[0], p == 0)
                        used, ports = count.get(key, 0), self.group[a][step[0]]
                        count[key] = used + 1
                        port = ports[used % len(ports)]
                    for lid in ends[b][p]:
                        self.entries[a, lid] = port
                        self.moment[a, lid] = (step, used, ports)

    def sl(self, a, b):
        return sum(1 << d for d in range(3) if abs(self.where[a][d] - self.where[b][d]) >
                   self.radix[d] - abs(self.where[a][d] - self.where[b][d]))


# --- what is told

def many(n, word):
    return "%d %s" % (n, word if n == 1 else word + "s")


def way(m, sw, target, step):
    """The words of a step, and the rule that decided it."""
    s, t, (group, why, blocked) = m.where[sw], m.where[target], step
    d = group // 2
    apart = abs(s[d] - t[d])
    other = m.radix[d] - apart
    told = "%s to %s: " % (",".join(map(str, s)), ",".join(map(str, t)))
    told += "".join("%s is blocked by a missing switch, so it turns early: " % AXES[x] for x in blocked)
    told += "%s%s, " % ("-+"[group % 2], AXES[d])
    if why == "detour" and not m.c.open[d]:
        rule, told = "broken ring", told + "because the ring has a gap the other way"
    elif why == "hole":
        rule, told = "early turn", told + "its next turn would be at a missing switch: it turns in front of that"
    elif m.c.open[d]:
        rule, told = "dimension order", told + many(apart, "step") + " along the open line"
    elif apart == other:
        rule, told = "tie: no wrap", told + "%d steps either way: the one that does not cross the dateline" % apart
    else:
        rule, told = "shorter way round", told + "%s against %d the other way" % (many(min(apart, other), "step"), max(apart, other))
    return "early turn" if blocked else rule, told


def against(m, sw, target, step, port, used, own, entry):
    """Rule and sentence against a port that leads on in the torus."""
    group = next((g for g in range(6) if port in m.group[sw][g]), None)
    if group == step[0]:
        return "in turn", "This link leads the same way: routes use such links in turn, and route %d uses port %d." % (used + 1, own)
    if group is None:
        return "outside", "The link of port %d has no place in the torus: torus-2QoS does not use it." % port
    if group // 2 == step[0] // 2 or group // 2 in step[2]:
        return entry
    return "dimension order", "Packets go along x, then y, then z; %s is the first%s in which the places differ, port %d leads " \
        "along %s." % (AXES[step[0] // 2], " that is open" if step[2] else "", port, AXES[group // 2])


def check(m, st, sw, lid, via, own, answer):
    """One answer, of an entry (via: None) or one of its ports."""
    target, told = st.at[lid][0], (answer["rule"], answer["decided"])
    if target == sw or sw not in m.where or target not in m.where:
        return
    step, used, ports = m.moment[sw, lid]
    rule, words = way(m, sw, target, step)
    several = len(ports) > 1
    entry = rule, words + "." + (" %d links lead that way, used in turn: this route uses number %d, port %d." % (
        len(ports), used % len(ports) + 1, own) if several else "")
    if via in (None, own):
        expect("decided", told, entry)
    elif via in st.links[sw]:
        if ways_by(st.links, sw, via, target, None) is None:
            expect("rule", told[0], "no way")
        else:
            expect("against", told, against(m, sw, target, step, via, used, own, entry))
    if via is None:
        more = "; link %d of %d: route %d of those to %s" % (used % len(ports) + 1, len(ports), used + 1,
                                                            "CAs and routers" if st.at[lid][1] else "switches")
        expect("story", answer["text"][0].split(": ", 1)[1], words + (more if several else ""))
        expect("candidates", [(c["port"], c["routes"]) for c in answer["choice"]["candidates"]],
               [(p, used // len(ports) + (i < used % len(ports))) for i, p in enumerate(ports)])


def asked(m, dice):
    """[(command, judge)]: the place of every switch."""
    del dice
    def places(answer):
        told = re.findall(r"switch (\d+),(\d+),(\d+) GUID 0x(\w+) ", answer["content"])
        yield "places", sorted((int(g, 16), int(x), int(y), int(z)) for x, y, z, g in told), \
            sorted((m.net.guid[s], *p) for s, p in m.where.items())

    return [("export torus -", places)]


def pairs(m, st, told):
    """What is wrong with the SL of a pair; told: (LID, LID) -> SL."""
    for (a, b), sl in told.items():
        if a in st.at and b in st.at and st.at[a][0] in m.where and st.at[b][0] in m.where and sl != "-":
            want = m.sl(st.at[a][0], st.at[b][0])
            if sl != str(want):
                yield "SL of %d to %d is %s, the places have %d" % (a, b, sl, want)


# --- fabrics

def drawn(dice, folder, number, save):
    """(fabric, options, what model() needs): loops, lines and mixed ones of two and three dimensions."""
    a, b, c = (dice.randrange(2, 6) for _ in range(3))
    spec = dice.choice(["torus:%dx%d" % (a, b), "torus:%dx%d,parallel=2" % (a + 1, b), "mesh:%dx%d" % (a, b), "torus:%dx%dx%d" % (
        dice.randrange(2, 4), dice.randrange(2, 5), dice.randrange(3, 6)), "torus:%dx%d,hosts=2,parallel=3" % (b + 1, c + 1),
        "torus:2x%dx%d,parallel=2" % (dice.randrange(3, 5), dice.randrange(3, 6))])
    return spec, [], (os.path.join(folder, "torus-%d" % number),)


def model(setup, st, down):
    del down
    with open(setup[0], encoding="ascii") as f:
        conf = Conf(f.read())
    m = Torus(conf, st.net, {s: st.links[s] for s in st.alive}, st.at, st.lmc)
    m.tables = m.table
    m.table = m.entries
    return m
