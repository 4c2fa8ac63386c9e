"""Tori and meshes with configuration files for torus-2QoS, made here and not by the product.

Switches carry their coordinates as names ("at 0,2,1"); configurations are drawn from those: dimensions
in any order and direction, one to three seeds anywhere, datelines, port_order, and now and then
something wrong.
"""
import itertools
import re

from fabric import Draft


class File:
    """An option whose value is a file with these lines."""

    def __init__(self, lines):
        self.lines = lines


class Made:
    """An option whose value is a file that ibscope makes with a command from the fabric."""

    def __init__(self, command):
        self.command = command


# --- fabrics ---------------------------------------------------------------------------


class Grid:
    """
    radices, looped (one flag a dimension), cables a link, hosts a switch (a choice of numbers), cables
    lost anywhere, rings that lost all cables of one link, places of lost switches (None: anywhere).
    """

    def __init__(self, radices, looped=(1, 1, 1), parallel=1, hosts=(1,), lost_links=0, lost_switches=(), esp0=False,
                 lost_rings=0):
        self.radices, self.lost_rings = tuple(radices) + (1,) * (3 - len(radices)), lost_rings
        self.looped, self.parallel, self.hosts = looped, parallel, hosts
        self.lost_links, self.lost_switches, self.esp0 = lost_links, lost_switches, esp0

    def places(self):
        return list(itertools.product(*map(range, self.radices)))

    def beside(self, at, d):
        """The place above in a dimension, or None."""
        to = list(at)
        to[d] = at[d] + 1
        if to[d] == self.radices[d]:
            if not self.looped[d] or self.radices[d] < 3:
                return None
            to[d] = 0
        return tuple(to)

    def without_rings(self, rng, links):
        """Links as pairs, one less in each of some looped lines."""
        lines = set()
        for i in rng.sample(range(len(links)), len(links)):
            a, b, d = links[i]
            line = (d,) + a[:d] + a[d + 1:]
            if len(lines) < self.lost_rings and b and self.looped[d] and self.radices[d] > 2 and line not in lines:
                lines.add(line)
                links[i] = (a, None, d)
        return [(a, b) for a, b, _ in links]

    def text(self, rng):
        d = Draft(rng)
        lost = {rng.choice(self.places()) if at is None else at for at in self.lost_switches}
        places = [p for p in self.places() if p not in lost]
        rng.shuffle(places)
        links = self.without_rings(rng, [(p, self.beside(p, k), k) for p in places for k in range(3)])
        cables = [c for c in links if c[1] and c[1] not in lost for _ in range(self.parallel)]
        rng.shuffle(cables)
        cables = cables[self.lost_links:]
        ports = 6 * self.parallel + max(self.hosts)
        ports += rng.choice((0, 0, 3))
        switch = {p: d.add("Switch", ports + rng.choice((0, 0, 1)), "at %d,%d,%d" % p) for p in places}
        for a, b in cables:
            d.link(switch[a], switch[b])
        for p in places:
            switch[p]["esp0"] = self.esp0 and rng.random() < 0.5
            for _ in range(rng.choice(self.hosts)):
                d.link(d.add("Ca", 1, "host"), switch[p])
        rng.shuffle(d.nodes)
        return d.text()


def draw_grid(rng, lmc):
    """A family: small tori and meshes, some with losses."""
    while True:
        n = rng.choice((2, 2, 3))
        radices = [rng.choice((2, 3, 3, 4, 4, 5, 5, 6)) for _ in range(n)]
        size = 1
        for r in radices:
            size *= r
        if 4 <= size <= (64 >> lmc):
            break
    if n == 2:
        radices.insert(rng.randrange(3), 1)
    looped = [rng.random() < 0.9 for _ in range(3)] if rng.random() < 0.9 else [False] * 3
    lost = rng.choice(((), (), (), (None,), (None, None))) if rng.random() < 0.4 else ()
    grid = Grid(radices, looped, rng.choice((1, 1, 2, 3)), rng.choice(((1,), (1,), (0, 1), (1, 2), (2,))),
                rng.choice((0, 0, 0, 0, 1, 2, 3)), lost, rng.random() < 0.2)
    return "text", grid.text(rng)


def draw_routable(rng, lmc):
    """A family: those of the issue, whole or with so few losses that torus-2QoS can route them."""
    radices, looped = rng.choice((((5, 5), 1), ((4, 4, 4), 1), ((3, 4, 5), 1), ((2, 3, 4), 0), ((2, 3, 4), 1),
                                  ((4, 4), 1), ((5, 5), 0), ((4, 3), 0), ((6, 3), 1), ((2, 5), 1), ((3, 3, 3), 1)))
    lost = rng.choice((0, 1, 2, 3)) if radices != (2, 5) else 1     # two cuts part a ladder
    switch = (None,) if looped and not lost and 2 not in radices and rng.random() < 0.5 else ()
    grid = Grid(radices, (looped,) * 3, rng.choice((1, 1, 2)), rng.choice(((1,), (2,), (3,), (1, 2))),
                lost_switches=switch, lost_rings=lost if looped else 0)
    return "text", grid.text(rng)


# --- configurations --------------------------------------------------------------------


class Places:
    """Where the switches of a fabric are, from their names, in dimensions of any order and direction."""

    def __init__(self, rng, f):
        self.at = {s: tuple(map(int, re.findall(r"\d+", s.label)))[:3] for s in f.switches}
        self.radices = [1 + max(at[d] for at in self.at.values()) for d in range(3)]
        self.looped = [self.loops(f, d) for d in range(3)]
        order = rng.sample(range(3), 3)
        flip = [rng.random() < 0.5 for _ in range(3)]
        self.at = {s: tuple(self.radices[d] - 1 - at[d] if flip[d] else at[d] for d in order)
                   for s, at in self.at.items()}
        self.radices = [self.radices[d] for d in order]
        self.looped = [self.looped[d] for d in order]
        self.switch = {at: s for s, at in self.at.items()}

    def loops(self, f, d):
        top = self.radices[d] - 1
        if top < 2:
            return False
        ends = ({0}, {top})
        for s in f.switches:
            for peer, _ in s.peer.values():
                if peer.is_switch and {self.at[s][d], self.at[peer][d]} == ends[0] | ends[1]:
                    return True
        return False

    def beside(self, at, d, by):
        to = list(at)
        to[d] = at[d] + by
        if self.looped[d]:
            to[d] %= self.radices[d]
        return tuple(to)


def shape_line(rng, p):
    words = []
    kind = rng.choice(("torus", "mesh"))
    for r, loop in zip(p.radices, p.looped):
        usual = kind == "torus" if loop else kind == "mesh"
        word = "%d" % r if rng.random() < 0.8 else "0x%x" % r
        words.append(word + ("" if usual and rng.random() < 0.5 else rng.choice("tT") if loop else rng.choice("mM")))
    return " ".join([kind] + words)


def seed_lines(rng, p, shift):
    """Links from a switch drawn to its neighbours, and the datelines that put it where it is, moved by shift."""
    centre = rng.choice(sorted(p.switch))
    lines = []
    for d in range(3):
        if p.radices[d] == 1:
            continue
        ways = [by for by in (1, -1) if p.beside(centre, d, by) in p.switch]
        if p.radices[d] == 2:
            ways = [by for by in ways if 0 <= centre[d] + by < 2]
        elif not p.looped[d]:
            ways = [by for by in ways if 0 <= centre[d] + by < p.radices[d]]
        if not (p.radices[d] == 4 and p.looped[d]) and len(ways) == 2 and rng.random() < 0.7:
            ways = [rng.choice(ways)]
        for by in ways:
            lines.append("%s%s_link %s %s" % ("xyz"[d], "p" if by == 1 else "m", p.switch[centre],
                                              p.switch[p.beside(centre, d, by)]))
        place = (centre[d] + (shift[d] if p.looped[d] else 0)) % p.radices[d]
        line = -place if rng.random() < 0.5 or not place else p.radices[d] - place
        if line or rng.random() < 0.3:
            lines.append("%s_dateline %d" % ("xyz"[d], line))
    rng.shuffle(lines)
    return lines


def spoil(rng, lines):
    """Something wrong or odd in a configuration."""
    i = rng.randrange(len(lines))
    what = rng.randrange(8)
    if what == 0:
        del lines[i]
    elif what == 1:
        lines.insert(i, lines[i])
    elif what == 2:
        lines.append("next_seed")
    elif what == 3:
        lines[i] = lines[i].rsplit(None, 1)[0]
    elif what == 4:
        lines[0] = " ".join([lines[0].split()[0]] + rng.sample(lines[0].split()[1:], 3))
    elif what == 5:
        lines.append("portgroup_max_ports %d" % rng.choice((1, 2, 3)))
    elif what == 6:
        lines.append(rng.choice(("x_dateline 9", "port_order 200", "X_dateline 0", "torus", "y_dateline -1 7")))
    else:
        a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[a], lines[b] = lines[b], lines[a]


def good_conf(rng, f):
    return conf_file(rng, f, 0)


def conf_file(rng, f, wrong=0.12):
    p = Places(rng, f)
    lines = [shape_line(rng, p)]
    shift = [rng.randrange(6) for _ in range(3)]
    for n in range(rng.choice((1, 1, 2, 3))):
        if n:
            lines.append("next_seed")
        if rng.random() < wrong:
            shift = [rng.randrange(6) for _ in range(3)]
        lines += seed_lines(rng, p, shift)
    if rng.random() < 0.3:
        most = min(s.nports for s in f.switches)
        ports = [rng.randrange(most + 1) for _ in range(rng.randrange(1, 8))]
        lines.append("port_order " + " ".join(map(str, ports)))
    if rng.random() < 0.2:
        lines.append("max_changes %d # told" % rng.randrange(40))
    if rng.random() < wrong:
        spoil(rng, lines)
    if rng.random() < 0.2:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(("", "# comment", "  \t", " #x_link 1")))
    return File(lines)


# --- fixed cases -----------------------------------------------------------------------


def trunks(f):
    return [(a, p) for (a, p), (b, _) in f.links if a.is_switch and b.is_switch]


def each_link(rng, f):
    """Every link between switches fails alone and comes back."""
    return [step % ("%s[%d]" % end) for end in trunks(f) for step in ("fail link %s", "restore link %s")]


def several(rng, f):
    """A switch, then links one after the other until the fabric is refused, and everything back."""
    away = {f.nodes[0]} | {n for n, _ in f.nodes[0].peer.values() if not f.nodes[0].is_switch}
    switches = [s for s in f.switches if s not in away]
    one, two = rng.sample(switches, 2)
    links = ["%s[%d]" % end for end in rng.sample(trunks(f), 3)]
    return ["fail switch %s" % one, "restore switch %s" % one, "fail link " + links[0], "fail link " + links[1],
            "restore link " + links[0], "fail switch %s" % two, "restore link " + links[1], "fail link " + links[2],
            "restore switch %s" % two, "restore link " + links[2]]


# (name, fabric, steps)
FIXED = (
    ("each-link", Grid((3, 3)), each_link), ("5x5", Grid((5, 5), hosts=(2,), parallel=2), several),
    ("4x4x4", Grid((4, 4, 4)), several), ("3x4x5", Grid((3, 4, 5), parallel=2), several),
    ("2x3x4", Grid((2, 3, 4), hosts=(3,)), several), ("mesh-5x5", Grid((5, 5), (0, 0, 0), 2), several),
    ("mesh-2x3x4", Grid((2, 3, 4), (0, 0, 0), hosts=(1, 2)), several),
    ("mesh-4x4x4", Grid((4, 4, 4), (0, 0, 0), 2), []), ("column", Grid((4, 4, 4), lost_switches=((1, 2, 0), (1, 2, 1))), []),
)
