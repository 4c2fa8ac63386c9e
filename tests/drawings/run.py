#!/usr/bin/env python3
"""What `export svg|png|dot` draws, read back: well-formed XML, no two boxes meet, none is off the page, levels, groups and
planes stand where they belong, what is marked is what other commands count, names stay text.  Whoever does not see it is
told: each SVG has a title and a description, each switch and link its GUID and a title, no id is twice.  xmllint and
rsvg-convert take each, neato takes the places of each DOT.

Environment: IBSCOPE=build/ibscope; SEED of the drawings that rsvg-convert takes (LONG=1: all).  Arguments: names of tests.  The last line is "N passed, N failed".
"""
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import trial  # noqa: E402
from trial import BOUND, expect  # noqa: E402

PROGRAM = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
FABRICS = os.path.join(ROOT, "tests", "fabrics")
DEMO = os.path.join(FABRICS, "demo-3level.ibnet")
SVG = "{http://www.w3.org/2000/svg}"
ROUNDING = 0.11  # lengths are written with one digit behind the point
LONG = os.environ.get("LONG") == "1"
SEED = trial.chosen_seed()
DRAWS = random.Random(SEED)
PNG = shutil.which("rsvg-convert")
NEATO = shutil.which("neato")
XMLLINT = shutil.which("xmllint")


def run(fabric, commands, *options):
    """The JSON objects of commands.  Status 1 without a message: `transition` tells of harm."""
    done = subprocess.run([PROGRAM, "--json", *options, "-e", "; ".join(commands), fabric], capture_output=True,
                          timeout=BOUND, check=False)
    expect(not done.returncode or (done.returncode == 1 and not done.stderr), fabric, commands, done.stderr.decode(errors="replace")[:600])
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


# --- an SVG read back ---------------------------------------------------------------------------------------------


class Page:
    def __init__(self, text):
        self.text = text
        self.root = ET.fromstring(text)
        expect(self.root.tag == SVG + "svg", "root", self.root.tag)
        for e in self.root.iter():
            expect(e.tag.replace(SVG, "") in ("svg", "rect", "text", "path", "circle", "g", "title", "desc", "clipPath", "animate"), "element", e.tag)
        check_told(self.root)
        self.size = tuple(float(self.root.get(k)) for k in ("width", "height"))
        self.width, self.height = (float(x) for x in self.root.get("viewBox").split()[2:])
        expect(abs(self.width / self.height * self.size[1] / self.size[0] - 1) < 0.01, "the drawing has not the shape of its page", self.size)
        self.box = {}  # name: rectangle, fill
        self.title = {}
        self.boxes = sorted({rect(e) for e in self.of("rect", "switch")})  # of a moving drawing a box comes often
        for g in (g for g in self.root.iter(SVG + "g") if g.get("data-guid")):
            name, _, more = g.find(SVG + "title").text.rpartition(": ")
            self.box[name] = rect(g.find(SVG + "rect"))
            self.title[name] = more
        self.texts = ["".join(e.itertext()) for e in self.root.iter(SVG + "text")]

    def of(self, tag, cls):
        return [e for e in self.root.iter(SVG + tag) if e.get("class") == cls]

    def lines(self):
        """What stands for cables: neither marks, arrows nor samples."""
        return [e for e in self.root.iter(SVG + "path") if not e.get("class") and e.get("data-guid")]

    def check(self, what, titled=True):
        paper = (0, 0, self.width, self.height)
        apart(what, self.boxes)
        frames = [rect(e) for e in self.of("rect", "block")] + [rect(e) for e in self.of("rect", "plane")]
        apart(what + ", frames", frames)
        for b in self.boxes + frames:
            expect(inside(b, paper), what, b, "is off the page", paper)
        for b in self.boxes:
            expect(all(inside(b, f) or not meet(b, f) for f in frames), what, b, "is half in a frame")
        for e in self.root.iter(SVG + "text"):
            if e.get("x"):
                expect(0 <= float(e.get("x")) <= self.width and 0 <= float(e.get("y")) <= self.height, what, e.attrib)
        # every drawing has a title, a line below it and a legend
        expect(not titled or len(self.texts) > 2 and self.root.findall(SVG + "text")[0].get("font-weight") == "bold", what, "no title")


def check_told(root):
    """A name and a description by their ids; no id twice, nothing from outside; whatever has a GUID has an id and a title."""
    first, second = list(root)[:2]
    expect(root.get("role") == "img" and first.tag == SVG + "title" and second.tag == SVG + "desc", "head", first.tag, second.tag)
    expect(root.get("aria-labelledby") == "%s %s" % (first.get("id"), second.get("id")) and first.text.strip() and second.text.strip(),
           root.attrib, first.text, second.text)
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    expect(len(ids) == len(set(ids)), "twice", sorted(i for i in set(ids) if ids.count(i) > 1)[:5])
    for e in root.iter():
        expect(not e.tag.endswith(("script", "image", "use", "}a")) and not any(k.endswith("href") or k.startswith("on") for k in e.attrib), e.tag, e.attrib)
        inner = re.findall(r"url\(([^)]*)\)", " ".join(e.attrib.values()))
        expect(all(u[0] == "#" and u[1:] in ids for u in inner), "refers to", inner)
        if e.get("data-guid"):
            expect(e.get("id") and e[0].tag == SVG + "title" and e[0].text, e.attrib)
            expect(e.get("data-guid")[2:] in e.get("id") and re.fullmatch("0x[0-9a-f]{16}", e.get("data-guid")), e.attrib)
            ends = [e.get(k) for k in ("data-port", "data-peer-guid", "data-peer-port")]
            expect(all(ends) or not any(ends) and e.tag == SVG + "g", "ends", e.attrib)


def read_out(root):
    """What a screen reader reads, in its order: what has a title of its own by that alone, other text as it stands."""
    out = []

    def walk(e):
        if e.get("aria-hidden") == "true" or e.tag == SVG + "clipPath":
            return
        title = e.find(SVG + "title")
        if e.tag in (SVG + "desc", SVG + "text"):
            out.append("".join(e.itertext()))
        elif title is not None:
            out.append(title.text)
        if title is None or e is root or not e.get("id"):
            for child in e:
                walk(child)
    walk(root)
    return out


def check_xml(what, *paths):
    if XMLLINT:
        made = subprocess.run([XMLLINT, "--noout", "--nonet", "--huge", *paths], capture_output=True, timeout=BOUND, check=False)
        expect(not made.returncode and not made.stderr, what, made.stderr[:400])


def rect(e):
    x, y, w, h = (float(e.get(k)) for k in ("x", "y", "width", "height"))
    return x, y, x + w, y + h


def meet(a, b):
    return a[0] + ROUNDING < b[2] and b[0] + ROUNDING < a[2] and a[1] + ROUNDING < b[3] and b[1] + ROUNDING < a[3]


def inside(a, b):
    return a[0] + ROUNDING >= b[0] and a[1] + ROUNDING >= b[1] and a[2] <= b[2] + ROUNDING and a[3] <= b[3] + ROUNDING


def apart(what, rects):
    """No two meet: only those that begin before one ends are looked at."""
    rects = sorted(rects)
    for i, a in enumerate(rects):
        for b in rects[i + 1:]:
            if b[0] >= a[2]:
                break
            expect(not meet(a, b), what, a, "and", b, "meet")


class Drawn:
    """One run: drawings in the order they are asked for, and the objects of other commands."""

    def __init__(self, fabric, before, drawings, more=(), *options):
        with tempfile.TemporaryDirectory(prefix="ibscope-drawings-") as folder:
            paths = [os.path.join(folder, "%d.svg" % i) for i in range(len(drawings))]
            found = run(fabric, [*before, *("export svg %s %s" % x for x in zip(paths, drawings)), *more], *options)
            self.objects = found[len(found) - len(more):] if more else []
            self.pages = []
            for path, words in zip(paths, drawings):
                what = "%s: %s" % (os.path.basename(fabric), words)
                with open(path, encoding="utf-8") as f:
                    self.pages.append(Page(f.read()))
                self.pages[-1].check(what, "notitle" not in words)
            # dearer than all else here: of each run one, drawn; LONG=1: all
            for i in (range(len(paths)) if LONG else [DRAWS.randrange(len(paths))]) if PNG and paths else ():
                check_png("SEED=%s %s: %s" % (SEED, os.path.basename(fabric), drawings[i]), paths[i], self.pages[i])
            check_xml(os.path.basename(fabric), *paths)


def check_png(what, path, page):
    """rsvg-convert takes it, and makes as many points of it as the page has."""
    made = subprocess.run([PNG, "--unlimited", path], capture_output=True, timeout=BOUND, check=False)
    expect(not made.returncode and made.stdout.startswith(b"\x89PNG\r\n\x1a\n"), what, made.stderr[:400])
    expect(struct.unpack(">II", made.stdout[16:24]) == page.size, what, "size of the PNG")


# --- fabrics --------------------------------------------------------------------------------------------------------


def net(switches, links, hosts):
    """ibnetdiscover text: names of switches, pairs of them, and names of those with a host; bytes."""
    guid = {name: 0x2c90000001000 + 16 * i for i, name in enumerate(switches)}
    ports = {name: [] for name in switches}
    for a, b in links:
        ports[a].append((b, len(ports[b]) + 1 + (a == b)))
        ports[b].append((a, len(ports[a])))
    out = []
    for name in switches:
        n = len(ports[name]) + (name in hosts)
        out.append(b"vendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0x%x\nswitchguid=0x%x(%x)" % ((guid[name],) * 3))
        out.append(b'Switch\t%d "S-%016x"\t\t# "%s" base port 0 lid 0 lmc 0' % (max(n, 1), guid[name], name))
        for i, (peer, port) in enumerate(ports[name]):
            out.append(b'[%d]\t"S-%016x"[%d]\t\t# "%s" lid 0 4xHDR' % (i + 1, guid[peer], port, peer))
        if name in hosts:
            out.append(b'[%d]\t"H-%016x"[1](%x) \t\t# "%s" lid 0 4xHDR' % (n, guid[name] + 8, guid[name] + 9, hosts[name]))
        out.append(b"")
    for name, host in hosts.items():
        out.append(b"vendid=0x2c9\ndevid=0x101b\nsysimgguid=0x%x\ncaguid=0x%x" % ((guid[name] + 8,) * 2))
        out.append(b'Ca\t1 "H-%016x"\t\t# "%s"' % (guid[name] + 8, host))
        out.append(b'[1](%x) \t"S-%016x"[%d]\t\t# lid 0 lmc 0 "%s" lid 0 4xHDR\n' %
                   (guid[name] + 9, guid[name], len(ports[name]) + 1, name))
    return b"\n".join(out)


def plus(groups=9, size=4):
    """A dragonfly+: leaves and spines of a group all linked, each pair of groups once, by their spines in turn."""
    leaf = [[b"g%dl%d" % (g, i) for i in range(size)] for g in range(groups)]
    spine = [[b"g%ds%d" % (g, i) for i in range(size)] for g in range(groups)]
    links = [(a, b) for g in range(groups) for a in leaf[g] for b in spine[g]]
    at = [0] * groups
    for g in range(groups):
        for h in range(g + 1, groups):
            links.append((spine[g][at[g] % size], spine[h][at[h] % size]))
            at[g] += 1
            at[h] += 1
    names = sum(leaf, []) + sum(spine, [])
    return net(names, links, {n: b"h" + n for n in sum(leaf, [])})


def parts():
    """Two rings, a small tree, a pair and two switches alone."""
    rings = [[b"ring%d%d" % (k, i) for i in range(n)] for k, n in ((0, 7), (1, 5))]
    tree = ([b"root0", b"root1"], [b"leaf%d" % i for i in range(6)])
    links = [(r[i], r[(i + 1) % len(r)]) for r in rings for i in range(len(r))]
    links += [(a, b) for a in tree[0] for b in tree[1]] + [(b"pair0", b"pair1")]
    names = sum(rings, []) + tree[0] + tree[1] + [b"pair0", b"pair1", b"alone0", b"alone1"]
    return net(names, links, {n: b"h" + n for n in sum(rings, []) + tree[1]})


PAYLOADS = [b"<b>", b"&amp;", b"a>b", b"it's", b"]]>", b"</svg>", b"<!--", b"x\\y", b"\x1b[2Jz", b"\x01\x07", b"\xff\xfe", b"\xc2\x9b2J",
            "trée".encode(), "日本".encode(), "\u202egpj".encode(), "\u200b".encode(), "\ufffe".encode(), b"%s%n", b"--", b"<script>"]


def hostile():
    """A ring, and a map that calls its switches so: whatever a map holds is a name."""
    names = [b"s%d" % i for i in range(len(PAYLOADS))]
    links = [(names[i], names[(i + 1) % len(names)]) for i in range(len(names))]
    table = b"".join(b'0x%x "%s%s"\n' % (0x2c90000001000 + 16 * i, names[i], p) for i, p in enumerate(PAYLOADS))
    return net(names, links, {n: b"h" + n for n in names}), table


class File:
    def __init__(self, data):
        self.data = data

    def __enter__(self):
        self.file = tempfile.NamedTemporaryFile(prefix="ibscope-drawings-", suffix=".txt")
        self.file.write(self.data)
        self.file.flush()
        return self.file.name

    def __exit__(self, *_):
        self.file.close()


# --- tests --------------------------------------------------------------------------------------------------------


def bare(port):
    """NODE of NODE[PORT]."""
    return re.sub(r"\[\d+\]$", "", port)


def kinds():
    """Fabrics of every kind, plain and with a load."""
    for spec in ("xgft:4,4,4:1,4,4", "xgft:6,5:1,3", "xgft:18,18,6:1,18,18", "director:2,4,3,8", "torus:4x4x4", "torus:5x6",
                 "torus:3x3x3x3", "mesh:30x20", "hypercube:7", "hyperx:6x5", "hyperx:4x3x3", "hyperx:9", "ring:6", "ring:120",
                 "mesh:50", "mesh:2", "mesh:1", "dragonfly:4,2,2", "dragonfly:8,4,4", "random:24,4", "random:300,6",
                 "random:90,5,seed=4", "torus:4x4x4,shuffle=1,fail=12", "published:t2hx"):
        found = Drawn(spec, [], ["", "load"], ["show"], "-R", "minhop")
        for page in found.pages:
            expect(len(page.boxes) == found.objects[0]["fabric"]["switches"], spec, len(page.boxes))


def real():
    for name, blocks in (("selene-compute.ibnetdiscover.xz", 34), ("selene-storage.ibnetdiscover.xz", 4),
                         ("sat11-director.putty-log.xz", 4)):
        page, = Drawn(os.path.join(FABRICS, "real", name), [], [""]).pages
        expect(len(page.of("rect", "block")) == blocks, name, len(page.of("rect", "block")))


def levels():
    """Roots on top, leaves below; members of a pod within its frame."""
    page, = Drawn(DEMO, [], [""]).pages
    rows = [[b for n, b in page.box.items() if n.startswith(w)] for w in ("core", "spine", "leaf")]
    expect([len(r) for r in rows] == [16, 16, 16], rows)
    for upper, lower in zip(rows, rows[1:]):
        expect(max(b[3] for b in upper) < min(b[1] for b in lower), "levels are not in order")
    for f in (rect(e) for e in page.of("rect", "block")):
        inner = sorted(n for n, b in page.box.items() if inside(b, f))
        expect(len(inner) == 8 and len({(int(n.split("-")[1]) - 1) // 4 for n in inner}) == 1, "pod", inner)


def grids():
    """Names of a torus are its coordinates: x to the right, y up, z the plane."""
    page, = Drawn("torus:4x5x3", [], [""]).pages
    planes = {e: [n for n, b in page.box.items() if inside(b, rect(e))] for e in page.of("rect", "plane")}
    expect(sorted(len(v) for v in planes.values()) == [20, 20, 20], planes.values())
    for names in planes.values():
        expect(len({n[3] for n in names}) == 1, "plane", names)
        for a in names:
            for b in names:
                for k, axis, way in ((1, 0, 1), (2, 1, -1)):
                    d = way * (page.box[b][axis] - page.box[a][axis])
                    expect((d > 1) - (d < -1) == (b[k] > a[k]) - (b[k] < a[k]), a, b)
    expect({"x=0", "y=0", "z = 0", "z = 2"} <= set(page.texts), "axes")


def groups():
    """A dragonfly+: frames of groups, spines above leaves in each."""
    with File(plus()) as path:
        page, = Drawn(path, [], [""]).pages
    frames = [rect(e) for e in page.of("rect", "block")]
    expect(len(frames) == 9, len(frames))
    for f in frames:
        inner = {n: b for n, b in page.box.items() if inside(b, f)}
        expect(len(inner) == 8 and len({n[:2] for n in inner}) == 1, "group", sorted(inner))
        expect(max(b[3] for n, b in inner.items() if n[2] == "s") < min(b[1] for n, b in inner.items() if n[2] == "l"), inner)
    expect({"g0", "g8"} <= set(page.texts), "names of groups")


def several():
    """Several parts, one below the other, and what is alone."""
    with File(parts()) as path:
        page, = Drawn(path, [], [""]).pages
    expect(len(page.boxes) == 24, len(page.boxes))
    for upper, lower in (("root", "ring1"), ("ring1", "pair"), ("pair", "alone")):
        a, b = ([r for n, r in page.box.items() if n.startswith(w)] for w in (upper, lower))
        expect(max(r[3] for r in a) < min(r[1] for r in b), upper, "is not above", lower)


def paths():
    """There and back: a mark on each link of it, arrows, a number for each switch."""
    for spec, a, b in (("torus:4x4x4", "t000", "t223"), ("dragonfly:4,2,2", "g00s0", "g05s3"), (DEMO, "leaf-01", "leaf-16")):
        found = Drawn(spec, [], ["path %s %s" % (a, b)], ["trace %s %s" % (a, b)], "-R", "minhop")
        page, = found.pages
        hops = [found.objects[0][way]["links"] for way in ("forward", "back")]
        ways = [e for e in page.of("path", "mark")]
        back = [e for e in ways if e.get("transform")]
        expect([len(ways) - len(back), len(back)] == hops, spec, len(ways), len(back), hops)
        expect(len(page.of("path", "arrow")) == sum(hops), spec, "arrows")
        numbers = page.root.findall(SVG + "circle")
        expect(len(numbers) == hops[0] + 1, spec, "numbers", len(numbers))


def cycles():
    """A witness alone: the channels of `cycles`, their ports, VL and routes; in the whole fabric the same links."""
    for spec in ("ring:6", "torus:5x4", "torus:4x4x4", "ring:40"):
        found = Drawn(spec, [], ["cycle", "cycle all", "cycle all group 1"], ["cycles", "show"],
                      "-R", "minhop")
        alone, whole, same = found.pages
        cycle = found.objects[0]["credit_loops"][0]["cycle"]
        expect(len(alone.boxes) == len(cycle) == len(alone.of("path", "channel")), spec, len(alone.boxes), len(cycle))
        for step in cycle:
            for text in (bare(step["from"]), "[%d]" % step["from_port"], "[%d]" % step["to_port"],
                         "VL %d, %d route%s" % (step["vl"], step["routes_on"], "" if step["routes_on"] == 1 else "s")):
                expect(text in alone.texts, spec, text, alone.texts)
        expect(len(whole.boxes) == found.objects[1]["fabric"]["switches"], spec, len(whole.boxes))
        expect(len(whole.of("path", "mark")) == len({frozenset((bare(s["from"]), bare(s["to"]))) for s in cycle}), spec, "marks")
        expect(whole.text == same.text, spec, "group 1 is not the first")


def layers():
    """A line in a colour of loads for each pair of switches that a channel of the layer joins."""
    found = Drawn("torus:4x4", ["set qos TRUE", "route dfsssp"], ["layer 0", "layer 1"], ["cdg 0 all", "cdg 1 all"])
    for page, o in zip(found.pages, found.objects):
        joined = {frozenset((bare(c["from"]), bare(c["to"]))) for c in o["cdg"]["list"] if c["from"][0] == c["to"][0] == "t" and c["routes"]}
        coloured = [e for e in page.lines() if e.get("stroke") != "#bdbdbd"]
        expect(len(page.lines()) == 32 and len(coloured) == len(joined), len(page.lines()), len(coloured), len(joined))


def turns():
    """Arrows are the dependencies of `cdg` that join two switches' cables: following them from channel to channel never comes back."""
    found = Drawn("ring:5", ["set qos TRUE", "route lash"], ["dependencies 0", "dependencies 1"], ["cdg 0 all", "cdg 1 all"])
    seen = []
    for page, o in zip(found.pages, found.objects):
        ring = [c for c in o["cdg"]["list"] if "ring" in c["from"] and "ring" in c["to"]]
        drawn, missing = ({e.get("d") for e in page.of("path", "turn%d" % k)} for k in (0, 2))
        expect(len(page.of("path", "lane")) == len(ring) == 10, "a lane for each channel", len(page.of("path", "lane")), len(ring))
        expect(len(drawn) + len(missing) == 10 and not drawn & missing, "each turn of the ring is there or missing", len(drawn), len(missing))
        expect(not page.of("path", "turn1") and "no closed walk of arrows" in page.text, "a credit loop")
        ends = [[float(x) for x in re.findall(r"-?[\d.]+", d)] for d in drawn]
        lanes = [[float(x) for x in re.findall(r"-?[\d.]+", e.get("d"))] for e in page.of("path", "lane")]
        # a lane's end is where an arrow begins, a lane's beginning is where it ends
        near = lambda x, y: min(range(10), key=lambda i: abs(lanes[i][x[0]] - y[0]) + abs(lanes[i][x[1]] - y[1]))
        after = {}
        for d in ends:
            after.setdefault(near((-2, -1), d[:2]), set()).add(near((0, 1), d[-2:]))
        for start in range(10):
            reached = set(after.get(start, ()))
            for _ in range(10):
                reached |= {x for y in reached for x in after.get(y, ())}
            expect(start not in reached, "a closed walk of arrows")
        seen.append(drawn)
    expect(seen[0] and seen[1] and seen[0] != seen[1], "both layers look alike")
    page, = Drawn("ring:5", [], ["dependencies 0"], [], "-R", "minhop").pages
    expect(len(page.of("path", "turn1")) == 10 and not page.of("path", "turn2") and "CREDIT LOOPS" in page.text, "minhop's loops are not red")


def diffs():
    """Numbers under switches are the changed entries of `diff`; what failed is down, what is up again is told."""
    found = Drawn(DEMO, ["fail link leaf-03[6]"], ["diff", "map change"], ["diff all"], "-R", "updn")
    page, coloured = found.pages
    count = {}
    for e in found.objects[0]["entries"]:
        count[e["switch"]] = count.get(e["switch"], 0) + 1
    for name, words in page.title.items():
        n = re.search(r"(\d+) entr", words)
        expect((int(n[1]) if n else 0) == count.get(name, 0), name, words, count.get(name))
        n = re.search(r"(\d+) entr", coloured.title[name])
        expect((int(n[1]) if n else 0) == count.get(name, 0), name, coloured.title[name])
    expect(sum(e.get("stroke") == "#c00000" and not e.get("class") for e in page.root.iter(SVG + "path")) == 1, "one link is down")
    expect("down: spine-02[3] - leaf-03[6]" in page.text, "what failed is not told")
    page, = Drawn(DEMO, ["fail link leaf-03[6]", "snapshot a", "restore all"], ["diff a"], [], "-R", "updn").pages
    expect("up again" in page.texts and "since snapshot a" in page.text, "what is up again is not told")


def colours():
    """map: the colour of each switch is what another command says about it."""
    found = Drawn(DEMO, ["fail link leaf-03[6]", "fail switch core-01"], ["map", "map rank", "map load", "map layers"], ["ranks", "cdg all"], "-R", "updn")
    state, rank, load, layer = found.pages
    expect(state.title["core-01"].endswith("down, down"), state.title["core-01"])
    for row in found.objects[0]["rows"]:
        expect("rank %s" % row["rank"] in rank.title[row["name"]], row, rank.title[row["name"]])
    expect(sum("x the mean" in w or re.search(", (0|under 0.5|0.5 to 1.5|1.5 to 2.5)(, down)?$", w) is not None
               for w in load.title.values()) == 48, "classes of load")
    for page in rank, layer:  # a box of the lightest shade is no white paper
        fills = {e.get("fill") for e in page.of("rect", "switch")}
        expect(all(int(f[1:3], 16) <= 0xd9 for f in fills), "nearly white boxes", fills)
    used = {bare(c[end]) for c in found.objects[1]["cdg"]["list"] for end in ("from", "to")}
    for name, words in layer.title.items():
        expect("VLs %d" % (name in used) in words, name, words)
    page, = Drawn("director:2,4,3,8", [], ["map chassis"]).pages
    for name, words in page.title.items():
        expect((name.split("/")[0] if "/" in name else "alone") in words, name, words)


def bar_heights(page):
    """Bars of a panel after the other, as (left, height)."""
    return [(r[0], r[3] - r[1]) for r in (rect(e) for e in page.of("rect", "bar"))]


def plots():
    """As many bars as `list plot` has rows that are not 0, as high as they say; the survey's as `survey` says."""
    found = Drawn(DEMO, ["fail link leaf-03[6]"], ["plot loads", "plot hops", "plot shifts", "plot survey switches"],
                  ["list plot loads", "list plot hops", "list plot shifts", "survey switches", "load-map all all", "shifts"],
                  "-R", "updn")
    for page, o, key in zip(found.pages, found.objects, ("links", "pairs", "flows")):
        want = [r[key] for r in o["rows"]]
        bars = bar_heights(page)
        heights = [h for _, h in bars]
        want = [w for w in want if w]
        expect(len(bars) == len(want), key, len(bars), want)
        scale = max(heights) / max(want)
        expect(all(abs(h - w * scale) < 0.05 for h, w in zip(heights, want)), key, heights, want)
    loads, _, shifts, survey, by_link, worst = found.objects
    expect(sum(r["links"] for r in loads["rows"]) == by_link["loads"]["links"], "links")
    for r in loads["rows"]:
        low, high = (int(x) for x in (r["routes"].split("..") * 2)[:2]) if isinstance(r["routes"], str) else (r["routes"],) * 2
        expect(r["links"] == sum(low <= p["routes"] <= high for p in by_link["loads"]["ports"]), r)
    expect(max(r["flows"] for r in shifts["rows"]) == worst["shifts"]["worst"], "worst shift")
    rows = survey["survey"]
    expect(len(bar_heights(found.pages[3])) == sum(r["lost"] > 0 for r in rows) + sum(r["load_after"] > 0 for r in rows), "survey")
    expect(len(found.pages[3].of("text", "label")) == 2 * len(rows), "labels of failures")


def writes():
    """The plot of a transition has the bars that `transition all` counts; the drawing marks the hops of its worst moment."""
    found = Drawn("xgft:3,3:1,2,shuffle=1,seed=4", ["fail link leaf-01[4]"], ["plot transition", "transition"], ["transition all"], "-R", "minhop")
    told = found.objects[0]
    rows = [told["before"], *told["writes"]]
    expect(len(told["writes"]) == told["n_writes"] > 3, "all writes")
    bars = bar_heights(found.pages[0])
    harm, parts, wait = [r["cut"] + r["looping"] for r in rows], [r["looping"] for r in rows], [r["waiting"] for r in rows]
    want = sum(r > 0 for r in parts) + sum(h > p for h, p in zip(harm, parts)) + sum(w > 0 for w in wait)
    expect(len(bars) == want, "bars", len(bars), want)
    tall = [h for _, h in bars if h]
    expect(any(abs(h / max(tall) - min(w for w in wait if w) / max(wait)) < 0.02 for h in tall) and max(wait) > min(w for w in wait if w), "heights")
    worst = next(w for w in told["ways"] if w["of"] == "in order")
    text = "".join(e.text or "" for e in found.pages[1].root.iter() if e.text)
    expect("after write %d" % told["in_order"]["worst"] in text and "LID %d" % worst["lid"] in text, text)


def fails(commands, message, *options, fabric="ring:5"):
    done = subprocess.run([PROGRAM, *options, "-e", commands, fabric], capture_output=True, text=True, timeout=BOUND, check=False)
    expect(done.returncode > 1 and message in done.stderr, commands, done.returncode, done.stderr)


def slides():
    """size: a page of that size, filled in one direction; font: higher letters, and nothing meets; notitle: no title."""
    for spec in ("ring:6", "torus:4x4x4", "dragonfly:4,2,2", DEMO, "hyperx:3x3"):
        sizes = ("1920x1080", "1080x1920", "500x500")
        words = ["%s size=%s font=%d%s" % (kind, size, font, more) for size, kind, font, more in
                 zip(sizes, ("", "load", "map"), (10, 16, 30), ("", " notitle", ""))]
        plain, *pages = Drawn(spec, [], ["", *words, "cycle size=640x360 font=12" if spec == "ring:6" else "map", "plot hops font=14 size=1600x900",
                                         "plot loads notitle"], [], "-R", "minhop").pages
        for page, size in zip(pages, sizes):
            expect(page.size == tuple(map(float, size.split("x"))), spec, size, page.size)
            expect(set(page.box) == set(plain.box), spec, "boxes")
            expect(all(h in page.texts for h in page.box) or not any(h in plain.texts for h in plain.box), spec, "names")
        sizes = {float(e.get("font-size")) for e in pages[2].root.iter(SVG + "text")}
        expect(max(sizes) == 45 and min(sizes) >= 24, spec, "sizes of letters", sizes)
        for page in pages[1], pages[-1]:
            expect(not [e for e in page.root.iter(SVG + "text") if e.get("font-weight")], spec, "a title")
        expect(pages[-2].size == (1600, 900), "the plot's page")
    for words, message in (("svg x size=wide", "expected points across and down"), ("svg x size=1920x10", "expected points"), ("svg x font=3", "4 to 72"),
                           ("svg x map size=100x1e3", "expected points"), ("dot x size=200x200", "are for svg and png"), ("svg x cdg notitle", "are for svg and png")):
        fails("export " + words, message, "-R", "minhop")


def forbidden():
    """Red: the turn of a way that `why` calls forbidden, of a step that forbids one, the cycle of a step that refuses."""
    page, = Drawn(DEMO, [], ["why spine-01 node0041 via 1"], [], "-R", "updn").pages
    expect(len(page.of("path", "turn1")) == 1 and "forbidden turn" in page.texts, "red turns", page.texts)
    expect("forbidden turn at leaf-01" in page.text, "the switch of the turn is not told")
    fails("export svg x why leaf-03 node0041 via 5", "has no turn that updn forbids", "-R", "updn", fabric=DEMO)
    fails("export svg x why leaf-03 node0041 via 5", "has no turn that minhop forbids", "-R", "minhop", fabric=DEMO)
    for spec, engine, until, red in (("xgft:3,3:1,2", "updn", "forbidden", 1), ("torus:4x4", "lash", "refused", 4)):
        with tempfile.TemporaryDirectory(prefix="ibscope-drawings-") as folder:
            for i in range(4):
                *_, told, _ = run(spec, ["set qos TRUE; route %s; step start" % engine, *["step until " + until] * (i + 1), "export svg %s/a map step" % folder])
                with open(folder + "/a", encoding="utf-8") as f:
                    page = Page(f.read())
                page.check(spec)
                expect(len(page.of("path", "turn1")) == red and not page.of("path", "turn0"), spec, i, told["sentence"])
                if red > 1:
                    cycle = re.search(r"close the cycle (.*?);", told["sentence"])[1].split(" -> ")
                    expect(len(page.of("path", "lane")) == len(cycle) - 1 == red, told["sentence"])
                expect(told["sentence"].split(";")[0][:60] in page.text.replace("&gt;", ">"), "sentence", page.texts)


def shown(page, at):
    """What is seen of a moving drawing at a part of its time: texts of titles, the last colour of each box, marks."""
    texts, fill, marks = [], {}, []

    def seen(g):
        move = g.find(SVG + "animate")
        if move is None:
            return True
        values, times = move.get("values").split(";"), [float(t) for t in move.get("keyTimes").split(";")]
        expect(len(values) == len(times) and times[0] == 0 and times == sorted(times) and times[-1] < 1, "times", times)
        expect(move.get("calcMode") == "discrete" and values[0] == g.get("visibility"), move.attrib, g.attrib)
        return values[max(i for i, t in enumerate(times) if t <= at)] == "visible"

    def walk(e):
        if e.tag == SVG + "g" and not seen(e):
            return
        if e.tag == SVG + "g" and e.get("data-guid"):
            fill[e.find(SVG + "title").text.rpartition(": ")[0]] = e.find(SVG + "rect").get("fill")
        elif e.tag == SVG + "text" and e.get("font-size") in ("15", "11"):
            texts.append("".join(e.itertext()))
        elif e.tag == SVG + "path" and (e.get("class") or "").startswith(("mark", "arrow", "turn", "lane")):
            marks.append((e.get("d"), e.get("stroke"), e.get("transform")))
        else:
            for child in e:
                walk(child)
    walk(page.root)
    return texts, fill, sorted(marks, key=str)


def walks():
    """A file for each step, the same as `map step` draws there; one file that moves shows each of them at its time."""
    for spec, before, words in (("ring:5", "route lash qos=TRUE", ""), (DEMO, "route updn", ""), ("torus:4x4", "set qos TRUE; route nue", " 100 160"),
                                ("xgft:3,3:1,2", "route ftree", " 5 40")):
        with tempfile.TemporaryDirectory(prefix="ibscope-drawings-") as folder:
            focus = " leaf-03 node0041" if spec == DEMO else ""
            start = before + "; step start" + focus
            path = os.path.join(folder, "f%03d.svg")
            *_, told = run(spec, ["%s; export svg %s animated%s; export svg %s steps%s size=800x600" % (start, folder + "/m", words, path, words)])
            names = sorted(n for n in os.listdir(folder) if n != "m")
            expect(names == ["f%03d.svg" % (i + 1) for i in range(told["files"])] and len(names) > 10, names)
            with open(folder + "/m", encoding="utf-8") as f:
                movie = Page(f.read())
            check_xml(spec, folder + "/m")
            expect("it plays, %d drawings of 2 s each" % len(names) in movie.root[0].text, movie.root[0].text)
            movie.check(spec, titled=False)
            expect("<script" not in movie.text and movie.text.count('dur="%gs"' % (2 * len(names))) == movie.text.count("<animate "), "lengths")
            steps = []
            for i, name in enumerate(names):
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    page = Page(f.read())
                title = re.match(r"\S+: step (\d+) of (\d+) of (\w+)", page.texts[0] if page.texts[0].count(": step ") else
                                 next(t for t in page.texts if ": step " in t))
                steps.append(int(title[1]))
                expect({n: v for n, v in shown(page, 0)[1].items()} == shown(movie, (i + 0.5) / len(names))[1], spec, name, "colours")
            expect(steps == sorted(set(steps)) and (not words or [steps[0], steps[-1]] == [int(x) for x in words.split()]), steps)
            # some of them alone, byte by byte, and as the movie shows them
            some = [0, len(steps) - 1, *(i * len(steps) // 7 for i in range(1, 7))]
            run(spec, [start, *("step to %d; export svg %s/one%d map step size=800x600; export svg %s/own%d map step" %
                                (steps[i], folder, i, folder, i) for i in some)])
            for i in some:
                with open(os.path.join(folder, names[i]), encoding="utf-8") as a, open("%s/one%d" % (folder, i), encoding="utf-8") as b:
                    expect(a.read() == b.read(), spec, "step", steps[i], "alone is another drawing")
                with open("%s/own%d" % (folder, i), encoding="utf-8") as f:
                    own = Page(f.read())
                own.check(spec)
                expect(shown(own, 0) == shown(movie, (i + 0.5) / len(names)), spec, steps[i], shown(own, 0)[0], shown(movie, (i + 0.5) / len(names))[0])
    for words, message in (("svg a.svg steps", "expected a name with one %d"), ("svg a%d%d.svg steps", "expected a name"), ("svg a%03s.svg steps", "expected a name"),
                           ("svg a%d.svg steps 9 3", "expected two of 1 to"), ("svg - animated 1 9999", "expected two of 1 to"), ("svg - steps", "expected a name")):
        fails("step start; export " + words, message, "-R", "minhop")
    fails("export svg - animated", "there is no walk through a run", "-R", "minhop")
    fails("synth torus:8x8; step start; export svg - animated", "say which", "-R", "minhop")


def interrupted():
    """Files of steps that a signal cut short are whole, and none is half there."""
    with tempfile.TemporaryDirectory(prefix="ibscope-drawings-") as folder:
        with subprocess.Popen([PROGRAM, "-R", "minhop", "-e", "step start; export svg %s/f%%d steps 1 2000" % folder, "torus:8x8"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as p:
            while p.poll() is None and len(os.listdir(folder)) < 20:
                pass
            p.send_signal(2)
            p.communicate(timeout=BOUND)
        names = os.listdir(folder)
        expect(10 <= len(names) < 1000 and set(names) == {"f%d" % (i + 1) for i in range(len(names))}, len(names))
        for name in names:
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                Page(f.read())


def engines():
    """Two engines in one plot: the bars of each are those of its own plot; many shifts of the second are a line."""
    for kind, key in (("loads", "links"), ("hops", "pairs")):
        found = Drawn(DEMO, [], ["plot %s updn sssp" % kind], ["route updn", "list plot " + kind, "route sssp", "list plot " + kind], "-R", "minhop")
        page, = found.pages
        expect("updn" in page.texts and "sssp" in page.texts, "legend", page.texts)
        lists = [o["rows"] for o in found.objects if "rows" in o]
        for colour, rows in zip(("#5aa2cf", "#e08214"), lists):
            heights = [rect(e) for e in page.of("rect", "bar") if e.get("fill") == colour]
            counts = [r[key] for r in rows if r[key]]
            if kind == "hops":
                expect(len(heights) == len(counts), kind, len(heights), counts)
            total = sum(h[3] - h[1] for h in heights)
            if colour == "#5aa2cf":
                scale = total / sum(counts)
            expect(abs(total - sum(counts) * scale) < 0.5, kind, colour, total, counts)
    page, = Drawn(DEMO, [], ["plot shifts ftree minhop"], [], "-R", "minhop").pages
    line, = page.of("path", "other")
    expect(line.get("d").count("H") == 63 and "ftree" in page.texts and "minhop" in page.texts, "line of the second")
    fails("export svg x plot loads updn minhop", "updn refuses this fabric", "-R", "minhop", fabric="torus:4x4")
    fails("export svg x plot loads updn nobody", "no engine", "-R", "minhop")


def names():
    """Whatever a name holds, it is text, the same as in JSON."""
    data, table = hostile()
    with File(data) as path, File(table) as names_of:
        options = ["--node-name-map", names_of, "-R", "minhop"]
        found = Drawn(path, [], ["", "load", "path 1 5", "cycle", "map", "plot survey switches"], ["show switches"], *options)
        shown = {s["name"] for s in found.objects[0]["switches"]}
        expect(len(shown) == len(PAYLOADS) and {"s0<b>", "s5</svg>", "s3it's"} <= shown, shown)
        for page in found.pages[:3]:
            expect(set(page.box) == shown, sorted(set(page.box) ^ shown))
            expect(shown <= set(page.texts), sorted(shown - set(page.texts)))
        expect(shown <= set(found.pages[3].texts) and shown <= set(found.pages[5].texts), "names in a cycle, or below bars")
        if NEATO:
            check_neato(path, ["", "cycle", "path 1 5"], *options)
        # the file's own name holds what names of nodes never do, as they are read as OpenSM reads them
        with tempfile.TemporaryDirectory(prefix="ibscope-drawings-") as folder:
            odd = os.path.join(folder.encode(), b"tr\xc3\xa9e\x1b[2J\xe2\x80\xae<b>&\xff")
            shutil.copy(path, odd)
            for page in Drawn(os.fsdecode(odd), [], ["", "cycle", "plot loads"], [], "-R", "minhop").pages:
                expect(page.texts[0].startswith("trée\\x1b[2J\\xe2\\x80\\xae<b>&\\xff:"), ascii(page.texts[0]))


def check_neato(fabric, drawings, *options):
    """neato takes each DOT with its places, and leaves them as they are."""
    with tempfile.TemporaryDirectory(prefix="ibscope-drawings-") as folder:
        for words in drawings:
            path = os.path.join(folder, "a.dot")
            run(fabric, ["export dot %s %s" % (path, words)], *options)
            with open(path, encoding="utf-8") as f:
                given = re.findall(r'pos="(-?[\d.]+),(-?[\d.]+)!"', f.read())
            made = subprocess.run([NEATO, "-n2", "-Tjson0", path], capture_output=True, timeout=BOUND, check=False)
            expect(not made.returncode and not made.stderr, fabric, words, made.stderr[:300])
            found = [o["pos"].split(",") for o in json.loads(made.stdout)["objects"]]
            expect(len(found) == len(given), fabric, words, len(found), len(given))
            # all moved alike
            dx, dy = (float(found[0][k]) - float(given[0][k]) for k in (0, 1))
            for f, g in zip(found, given):
                expect(abs(float(f[0]) - float(g[0]) - dx) < 0.2 and abs(float(f[1]) - float(g[1]) - dy) < 0.2, words, f, g)


def dots():
    """DOT keeps the places: also of hosts; colours of what is drawn stand in it."""
    if not NEATO:
        print("dots: skipped, neato (package graphviz) is not installed")
        return
    for spec in ("ring:6", "torus:4x4", "dragonfly:4,2,2", DEMO):
        check_neato(spec, ["", "load", "map load", "layer 0"], "-R", "minhop")
    with tempfile.TemporaryDirectory(prefix="ibscope-drawings-") as folder:
        path = os.path.join(folder, "a.dot")
        run("torus:4x4x4", ["export dot %s path t000 t223" % path], "-R", "dor")
        with open(path, encoding="utf-8") as f:
            expect(len(re.findall('color="#08519c", penwidth=3.2', f.read())) == 5, "links of the path")


def bare_words():
    """No folder of this machine stands in a drawing; channel dependencies have no channels of hosts."""
    with tempfile.TemporaryDirectory(prefix="ibscope-drawings-") as folder:
        path, dot = os.path.join(folder, "roots.conf"), os.path.join(folder, "a.dot")
        with open(path, "w", encoding="utf-8") as f:
            f.write("0x200000\n")
        page, = Drawn("torus:3x3", ["set root_guid_file %s" % path, "route updn"], [""]).pages
        expect("root_guid_file=roots.conf" in page.text and folder not in page.text, "the title has a folder in it")
        run("torus:4x4", ["export dot %s cdg" % dot], "-R", "minhop")
        with open(dot, encoding="utf-8") as f:
            text = f.read()
        expect("node0" not in text and len(re.findall(r"^\tc\d+ \[", text, re.M)) == 64, "channels between switches")


def switch_links(data):
    """Both ends of each cable between switches of ibnetdiscover text, as (GUID, port): (GUID, port)."""
    guid, ends = None, {}
    for line in data.decode().splitlines():
        head = re.match(r'Switch\t\d+ "S-([0-9a-f]+)"', line)
        cable = re.match(r'\[(\d+)\]\t"S-([0-9a-f]+)"\[(\d+)\]', line)
        guid = "0x" + head[1] if head else guid if line else None
        if cable and guid:
            ends[guid, cable[1]] = ("0x" + cable[2], cable[3])
    return ends


TOLD = [  # of one drawing, in this order
    "xgft:2,2:1,2: 2 levels, 4 switches, 4 host ports",
    "updn; path node0001 -> node0003, 4 links; way back 4 links. Switches in their places, then the links between them, then what is marked on them",
    "spine-01: LID 4, rank 0, 0 hosts, number 2 on the way marked", "spine-02: LID 6, rank 0, 0 hosts",
    "leaf-01: LID 1, rank 1, 2 hosts, number 1 on the way marked", "leaf-02: LID 3, rank 1, 2 hosts, number 3 on the way marked",
    "leaf-01[3] to spine-01[1]", "leaf-01[4] to spine-02[1]", "leaf-02[3] to spine-01[2]", "leaf-02[4] to spine-02[2]",
    "path: leaf-01[3] to spine-01[1]", "way back: spine-01[1] to leaf-01[3]", "path: spine-01[2] to leaf-02[3]", "way back: leaf-02[3] to spine-01[2]",
    "names of parts, levels and places", "0", "1", "legend", "link", "path", "way back", "down", "some of its cables down"]


def told():
    """A switch by its name, LID and rank, a link by both ends; ids stay when what is drawn is another; one drawing word by word."""
    switches = [b"root <1> & co", b"root 2", b"leaf 1", b"leaf 2"]
    links = [(a, b) for a in switches[:2] for b in switches[2:] for _ in range(2 if a == switches[0] else 1)]
    data = net(switches, links, {b"leaf 1": b"h1", b"leaf 2": b"h2"})
    ends = switch_links(data)
    with File(data) as path:
        found = Drawn(path, ["fail link 'root 2[1]'"], ["", "load", "map rank", "layer 0", "path h1 h2", "diff"], ["list switches", "list ranks", "load-map all all"], "-R", "updn")
        lids = {r["name"]: (r["guid"], r["lid"]) for r in found.objects[0]["rows"]}
        ranks = {r["name"]: str(r["rank"]).split()[-1] for r in found.objects[1]["rows"]}
        carried = {p["from"]: p["routes"] for p in found.objects[2]["loads"]["ports"]}
        agreed = None
        for page in found.pages:
            nodes = {e.get("data-guid"): e for e in page.root.iter(SVG + "g") if e.get("data-guid")}
            expect(sorted(nodes) == sorted(g for g, _ in lids.values()), sorted(nodes))
            for name, (guid, lid) in lids.items():
                expect(nodes[guid][0].text.startswith("%s: LID %d, " % (name, lid)), nodes[guid][0].text, name, lid)
                expect("rank %s, " % ranks[name] in nodes[guid][0].text, nodes[guid][0].text, ranks[name])
            drawn = {}
            for e in page.lines():
                one, other = (list(zip([e.get(g)] * 9, e.get(p).split())) for g, p in (("data-guid", "data-port"), ("data-peer-guid", "data-peer-port")))
                drawn.update(zip(one + other, other + one))
                names = ["%s[%s]" % (next(n for n, (g, _) in lids.items() if g == x[0][0]), " ".join(p for _, p in x)) for x in (one, other)]
                expect(e[0].text.startswith(" to ".join(names)), e[0].text, names)
                expect((len(one) > 1) == (", 2 cables" in e[0].text), e[0].text)
            expect(drawn == ends, drawn, ends)
            ids = {e.get("id") for e in [*nodes.values(), *page.lines()]}
            agreed = agreed or ids
            expect(ids == agreed and len(ids) == 4 + 4, ids ^ agreed)
            expect(sum(e[0].text.endswith(", down") for e in page.lines()) == 1, "one link is down")
        for e in found.pages[1].lines():
            one, other = re.match(r"(.*\]) to (.*\])", e[0].text).groups()
            for end, way in ((one, "there"), (other, "back")):
                name, ports = re.match(r"(.*)\[(.*)\]", end).groups()
                want = sum(carried.get("%s[%s]" % (name, p), 0) for p in ports.split())
                expect(re.search(r", (\d+)(?: routes?)? " + way, e[0].text)[1] == str(want), e[0].text, end, want)
        marks = [e[0].text for e in found.pages[4].of("path", "mark")]
        expect(len(marks) == 4 and all(re.match(r"(path|way back): \S+ .*\[\d\] to .*\[\d\]$", m) for m in marks), marks)
    page, = Drawn("xgft:2,2:1,2", [], ["path node0001 node0003"], [], "-R", "updn").pages
    expect(read_out(page.root) == TOLD, read_out(page.root))
    plot, = Drawn("ring:4", [], ["plot loads"], [], "-R", "minhop").pages
    expect(plot.root[0].text.endswith(": routes on links") and "links, each direction" in plot.root[1].text, plot.root[1].text)
    titles = [e[0].text for e in plot.of("rect", "bar")]
    expect(titles and all(re.match(r"\d+: \d+$", t) for t in titles), titles)


def dependencies():
    """What Graphviz draws has names, too: every channel and dependency of `cdg`, and both ends of each."""
    if not NEATO:
        print("dependencies: skipped, dot (package graphviz) is not installed")
        return
    with tempfile.TemporaryDirectory(prefix="ibscope-drawings-") as folder:
        path = os.path.join(folder, "a.svg")
        for words in ("cdg", "cdg 0 group 1"):
            o = run("ring:6", ["export svg %s %s" % (path, words), "cdg 0 all"], "-R", "minhop")[-1]
            check_xml(words, path)
            root = ET.parse(path).getroot()
            check_told(root)
            groups = {k: [g for g in root.iter(SVG + "g") if g.get("class") == k] for k in ("node", "edge")}
            channels = {"%s to %s" % (c["from"], c["to"]) for c in o["cdg"]["list"] if "ring" in c["from"] and "ring" in c["to"]}
            titles = [g[0].text for g in groups["node"]]
            expect(len(titles) == (12 if words == "cdg" else 6) and {t.rpartition(", VL ")[0] for t in titles} <= channels, titles, sorted(channels))
            for g in groups["edge"]:
                one, then, n = re.match(r"(.*), then (.*): (\d+) routes?$", g[0].text).groups()
                expect(one in titles and then in titles and int(n) > 0 and bare(one.split(" to ")[1].split(",")[0]) == bare(then.split(" to ")[0]), g[0].text)
            expect(groups["edge"] and read_out(root)[2:] == titles + [g[0].text for g in groups["edge"]], "order")


def checked():
    if not XMLLINT:
        print("checked: skipped, xmllint (package libxml2-utils) is not installed; it looked at no SVG")
        return
    with File(b"<svg><g></svg>") as path:  # it does tell
        made = subprocess.run([XMLLINT, "--noout", path], capture_output=True, timeout=BOUND, check=False)
        expect(made.returncode, "xmllint takes what is not well-formed")


def pngs():
    if not PNG:
        print("pngs: skipped, rsvg-convert (package librsvg2-bin) is not installed; no SVG was made a PNG")
        return
    with tempfile.TemporaryDirectory(prefix="ibscope-drawings-") as folder:
        for i, words in enumerate(("", "cycle", "plot loads", "layer 0")):
            path = os.path.join(folder, "%d.png" % i)
            run("ring:6", ["export png %s %s" % (path, words)], "-R", "minhop")
            with open(path, "rb") as f:
                expect(f.read(8) == b"\x89PNG\r\n\x1a\n", words)


TESTS = [kinds, real, levels, grids, groups, several, paths, cycles, layers, turns, diffs, colours, plots, writes, slides, forbidden, walks, interrupted, engines, names, told, dependencies, checked, dots, bare_words, pngs]


def main():
    tests = {t.__name__: lambda folder, t=t: t() for t in TESTS}
    return trial.run_tests("drawings", tests, sys.argv[1:], (ET.ParseError,))


if __name__ == "__main__":
    sys.exit(main())
