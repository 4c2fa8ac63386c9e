#!/usr/bin/env python3
"""How cost grows with the fabric, up to the largest that LIDs allow; writes tests/bench/README.md and growth.svg.

usage: growth.py [--engines E,E...] [--render]

Fabrics: trees of three levels, xgft:K,K,2K:1,K,K, and tori of KxKxK switches with 16 hosts each, of five sizes.  Figures, of
each engine: load of a saved file, first sweep, the sweep after a link failed (with the comparison of tables and pairs), `check`, one
link of `survey links`; the most memory, at the largest tree that the engine routes; then what the explorer costs
at the largest tree.

Time is that of the processor, user and system together, of a process with one processor and thus one thread: others may
use the machine.  A figure is left out when the fit through smaller sizes predicts more than BOUND seconds, but for
Min Hop's, which are measured at every size.

What was measured is kept in BUILD/bench/growth.json: a run that was stopped goes on (AGAIN=1: from the start).
--render writes the files from it alone.
Environment: IBSCOPE=build/ibscope, BUILD=build, BOUND=60.
"""
import argparse
import datetime
import fcntl
import json
import math
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(BUILD, "ibscope")))
KEPT = os.path.join(BUILD, "bench", "growth.json")
BOUND = float(os.environ.get("BOUND", "60"))
SURVEYED = 8        # links surveyed, or more
MOST_SHARDS = 100000
# K of the largest tree of which they take first sweep and failed link (as in OpenSM, their distances end at 2^31); others: the largest
MEMORY_AT = {"sssp": 20, "dfsssp": 20, "nue": 20}


class Series:
    """Fabrics of one shape, with the link that fails and the engines tried on it."""

    def __init__(self, name, sizes, spec, link, engines):
        self.name, self.sizes, self.spec, self.link, self.engines = name, sizes, spec, link, engines


def tree_link(k):
    return "%s[%d]" % ("leaf-" + "1".zfill(len(str(2 * k * k))), k + 1)


SERIES = [
    Series("tree", [6, 10, 16, 22, 28], lambda k: "xgft:%d,%d,%d:1,%d,%d" % (k, k, 2 * k, k, k), tree_link,
           ["minhop", "updn", "dnup", "ar_updn", "dor", "ftree", "sssp", "dfsssp", "nue", "lash", "mincontention"]),
    Series("torus", [4, 6, 8, 11, 14], lambda k: "torus:%dx%dx%d,hosts=16" % (k, k, k),
           lambda k: "t000[17]" if k <= 10 else "t-00-00-00[17]", ["dor", "torus-2QoS"]),
]
FIGURES = ["route", "event", "survey", "check"]
TOLD = {"load": "load", "route": "first sweep", "event": "failed link", "check": "check", "survey": "survey, a link", "MB": "memory"}
# what the figure is about, and how fast that grows by itself
ANSWERS = {"load": "links", "route": "entries", "event": "switches", "check": "pairs", "survey": "pairs"}


# --- measuring ----------------------------------------------------------------------


def cpu_of(pid, task=None):
    """Seconds that a process, or one of its threads, has had a processor."""
    total = 0
    for t in [task] if task else os.listdir("/proc/%d/task" % pid):
        try:
            with open("/proc/%d/task/%s/schedstat" % (pid, t), encoding="ascii") as f:
                total += int(f.read().split()[0])
        except OSError:
            pass    # it ended
    return total / 1e9


def one_processor():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


class Session:
    """A process that takes commands, with one processor."""

    def __init__(self, fabric):
        self.p = subprocess.Popen([IBSCOPE, "--json", "--no-text", "--no-rc", "-x", "-", fabric], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=one_processor)
        self.before = 0

    def do(self, line):
        """Its object, and the seconds it took; None when the process ended, as it does after an error."""
        self.p.stdin.write(line + "\n")
        self.p.stdin.flush()
        for got in self.p.stdout:
            o = json.loads(got) if got.strip() else {}
            if o.get("command") == line.split()[0]:
                now = cpu_of(self.p.pid)
                took, self.before = now - self.before, now
                return o, took
        return None, 0

    def memory(self):
        with open("/proc/%d/status" % self.p.pid, encoding="ascii") as f:
            return int(re.search(r"VmHWM:\s+(\d+) kB", f.read())[1]) / 1024

    def end(self):
        self.p.kill()
        self.p.wait()
        self.p.stdin.close()
        self.p.stdout.close()


def predicted(points, x):
    """By the fit through (size, seconds), at least two; else 0."""
    return fit(points)[1] * x ** fit(points)[0] if len(points) > 1 else 0


def fit(points):
    """Exponent and factor by least squares in log-log."""
    logs = [(math.log(x), math.log(y)) for x, y in points if y > 0]
    mx, my = sum(x for x, _ in logs) / len(logs), sum(y for _, y in logs) / len(logs)
    e = sum((x - mx) * (y - my) for x, y in logs) / sum((x - mx) ** 2 for x, _ in logs)
    return e, math.exp(my - e * mx)


class Growth:
    def __init__(self, kept):
        self.kept = kept

    def get(self, series, k, *key):
        return self.kept.get("/".join([series.name, str(k), *key]))

    def put(self, value, series, k, *key):
        self.kept["/".join([series.name, str(k), *key])] = value
        os.makedirs(os.path.dirname(KEPT), exist_ok=True)
        with open(KEPT + ".new", "w", encoding="utf-8") as f:
            json.dump(self.kept, f, indent=0)
        os.replace(KEPT + ".new", KEPT)

    def points(self, series, engine, figure):
        """(endports, seconds) of what was measured."""
        got = [(self.get(series, k, "endports"), self.get(series, k, engine, figure)) for k in series.sizes]
        return [(x, y) for x, y in got if x and isinstance(y, float)]

    def left_out(self, series, k, engine, figure):
        """Is the prediction above the bound?  Seconds then."""
        p = predicted(self.points(series, engine, figure), self.get(series, k, "endports"))
        if figure == "survey":
            p = p * SURVEYED + 2 * predicted(self.points(series, engine, "survey base"), self.get(series, k, "endports"))
        return p if p > BOUND and engine != "minhop" else None

    def refuses(self, series, k, engine):
        """Did it refuse this fabric?  sssp, dfsssp and nue, which refused a smaller one, refuse this too."""
        sizes = [n for n in series.sizes if n == k or (n < k and engine in MEMORY_AT)]
        return any("refused" in v for v in (self.get(series, n, engine, "route") for n in sizes) if isinstance(v, dict))

    @staticmethod
    def saved(series, k, folder):
        path = os.path.join(folder, "%s-%d.txt" % (series.name, k))
        if not os.path.exists(path):
            subprocess.run([IBSCOPE, "-e", "synth %s; save %s" % (series.spec(k), path)], check=True, stdout=subprocess.DEVNULL)
        return path

    def measure_size(self, series, k, folder, engines):
        path = self.saved(series, k, folder)
        if not self.get(series, k, "load"):
            s = Session(path)
            o, took = s.do("show")
            f = o["fabric"]
            self.put(f["links"], series, k, "links")
            self.put(f["switches"], series, k, "switches")
            self.put(f["switches"] + f["hosts"], series, k, "endports")
            self.put(took, series, k, "load")
            s.end()
        for engine in engines:
            if engine in series.engines and not self.get(series, k, engine, "done"):
                self.measure_engine(series, k, engine, path, folder)
                self.put(True, series, k, engine, "done")

    @staticmethod
    def lines(series, k, engine, s, folder):
        """Command lines of the first sweep and of the failed link."""
        words = engine
        if engine == "torus-2QoS":
            conf = os.path.join(folder, "torus-%d.conf" % k)
            s.do("torus-conf " + conf)
            words += " qos=TRUE torus_config=" + conf
        elif engine in ("lash", "dfsssp", "nue"):
            words += " qos=TRUE"
        link = series.link(k)
        if engine == "ftree":   # it refuses a tree that lost a cable between switches: a host's goes
            link = link.split("[")[0] + "[1]"
        return "route " + words, "fail link " + link

    def measure_memory(self, series, engine, folder):
        k = MEMORY_AT.get(engine, series.sizes[-1])
        if self.get(series, k, engine, "MB"):
            return
        s = Session(self.saved(series, k, folder))
        try:
            for line, key in zip(self.lines(series, k, engine, s, folder), ("MB routed", "MB")):
                o, _ = s.do(line)
                r = (o or {}).get("routing", {})
                if r.get("engine") != engine:
                    raise SystemExit("%s refuses %s: its memory was to be measured there" % (engine, series.spec(k)))
                self.put(s.memory(), series, k, engine, key)
                if key == "MB routed":
                    self.put(r["lids"], series, k, "endports")  # one each
                    self.put(r["switches"] * (r["max_lid"] + 1) / 2 ** 20, series, k, "tables")
            print("%s %d %s memory: %.0f MB" % (series.name, k, engine, s.memory()), flush=True)
        finally:
            s.end()

    def measure_engine(self, series, k, engine, path, folder):
        s = Session(path)
        s.do("show")
        route, fail = self.lines(series, k, engine, s, folder)
        links = self.get(series, k, "links")
        told = {"route": route, "event": fail, "check": "check", "survey": "survey links shard 1/%d" % min(links, MOST_SHARDS)}
        try:
            for figure in FIGURES if series.name == "tree" else [f for f in FIGURES if f != "survey"]:
                if self.refuses(series, k, engine):
                    break
                more = self.left_out(series, k, engine, figure)
                if more:
                    self.put({"left out": more}, series, k, engine, figure)
                    if figure == "route":
                        break
                    continue
                o, took = s.do(told[figure])
                if not o or not o.get("ok", True):
                    self.put({"refused": (o or {}).get("error", "ended")}, series, k, engine, figure)
                    break
                if figure in ("route", "event") and o["routing"]["engine"] != engine:
                    self.put({"refused": "refuses"}, series, k, engine, figure)
                    if figure == "route":
                        break
                    continue
                if figure == "survey":
                    took = self.a_link(series, k, engine, s, took, len(o["survey"]))
                self.put(took, series, k, engine, figure)
                print("%s %d %s %s: %.3f s" % (series.name, k, engine, figure, took), flush=True)
        finally:
            s.end()

    def a_link(self, series, k, engine, s, base, least):
        """Seconds of a link: a survey of `least` took `base`; one of more links takes this much longer."""
        self.put(base, series, k, engine, "survey base")
        n, took, rows = SURVEYED // 2, 0, 0
        while took < 1.2 * base and n < 500:    # as many as tell themselves from the rest
            n *= 2 if not rows else 4
            o, took = s.do("survey links shard 1/%d" % max(self.get(series, k, "links") // n, 1))
            rows = len(o["survey"])
        return max(took - base, 1e-6) / max(rows - least, 1)


# --- looking ------------------------------------------------------------------------


class Screen:
    """The explorer on a terminal of its own."""

    def __init__(self, args):
        self.text = b""
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
            os.execv(IBSCOPE, ["ibscope", "--no-rc", *args])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        self.text += os.read(self.fd, 1 << 16)
        return True

    def until(self, word):
        while word not in self.text:
            self.read(1)

    def drawn(self):
        """Until the thread that draws sleeps, and nothing more is drawn: what others compute comes later."""
        quiet = 0
        while quiet < 4:
            with open("/proc/%d/stat" % self.pid, encoding="ascii") as f:
                asleep = f.read().rsplit(")", 1)[1].split()[0] == "S"
            quiet = 0 if self.read(0.02) or not asleep else quiet + 1

    def drawing(self):
        return cpu_of(self.pid, self.pid)

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


# panes that are looked at while a link fails and comes back, with the words that open them
PANES = ["switches", "ports LEAF", "hosts", "lft LEAF", "path HOST FAR", "changes", "pairs", "journal", "hops", "bars", "map",
         "outage", "plot loads", "usage"]


def look(growth, series, k, folder):
    """The first screen, and what the thread that draws takes for an event, a pane at a time."""
    path = os.path.join(folder, "%s-%d.txt" % (series.name, k))
    s = Screen([path])
    s.until(b"leaf-")
    growth.put(cpu_of(s.pid), series, k, "first screen")
    s.end()
    leaf, port = series.link(k)[:-1].split("[")
    for pane in PANES:
        if growth.get(series, k, "pane", pane):
            continue
        s = Screen(["-R", "minhop", path])
        s.until(b"minhop routed")
        far = "node%0*d" % (len(str(2 * k ** 3)), 2 * k ** 3)
        words = pane.replace("LEAF", leaf).replace("HOST", "node" + "1".zfill(len(far) - 4)).replace("FAR", far)
        s.text = b""
        os.write(s.fd, (":pane %s\n" % words).encode())
        s.drawn()
        before, s.text = s.drawing(), b""
        os.write(s.fd, (":fail link %s[%s]\n" % (leaf, port)).encode())
        s.until(b"Until the next")
        s.drawn()
        growth.put(s.drawing() - before, series, k, "pane", pane)
        print("pane %s: %.1f ms" % (pane, 1000 * (s.drawing() - before)), flush=True)
        s.end()


# --- telling ------------------------------------------------------------------------


def seconds(x):
    return "%.2g ms" % (x * 1000) if x < 0.01 else "%.0f ms" % (x * 1000) if x < 1 else "%.1f s" % x if x < 100 else "%.0f s" % x


def table_of(growth, series, figure):
    sizes = [k for k in series.sizes if growth.get(series, k, "endports")]
    lines = ["| %s | %s | exponent |" % (TOLD[figure], " | ".join(f'{growth.get(series, k, "endports"):,}' for k in sizes)),
             "| --- |" + " ---: |" * (len(sizes) + 1)]
    for engine in series.engines:
        cells = []
        points = growth.points(series, engine, figure)
        for k in sizes:
            v = growth.get(series, k, engine, figure)
            left = predicted(points, growth.get(series, k, "endports"))
            cells.append("*refuses*" if growth.refuses(series, k, engine) else seconds(v) if isinstance(v, float)
                         else "(%s)" % seconds(left) if left else "")
        if any(cells):
            lines.append("| %s | %s | %s |" % (engine, " | ".join(cells), "%.2f" % fit(points)[0] if len(points) > 2 else ""))
    return "\n".join(lines)


def svg(growth):
    """Three panels, log-log: first sweep, failed link, check."""
    width, height, out = 330, 300, []
    colours = ["#1b6ca8", "#d1495b", "#2e933c", "#8d5a97", "#e09f3e", "#3a86a8", "#7f5539", "#555555", "#c77dff", "#00798c", "#9a031e",
               "#5f0f40", "#0f4c5c"]
    names = sorted({e for s in SERIES for e in s.engines})
    for panel, figure in enumerate(("route", "event", "check")):
        left, top, low, high = 60 + panel * (width + 60), 40, -4, 2

        def at(x, y):
            return (left + (math.log10(x) - 2.6) / 2.2 * width, top + (high - math.log10(y)) / (high - low) * height)

        out.append('<text x="%d" y="24" font-weight="bold">%s</text>' % (left, TOLD[figure]))
        for e in range(low, high + 1):
            y = at(1000, 10 ** e)[1]
            out.append('<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%s</text>'
                       % (left, y, left + width, left - 5, y + 4, seconds(10 ** e) if e < 0 else "%d s" % 10 ** e))
        for x in (1000, 3000, 10000, 30000):
            out.append('<path d="M%.1f %dv%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>'
                       % (at(x, 1)[0], top, height, at(x, 1)[0], top + height + 16, f"{x:,}"))
        for series in SERIES:
            for engine in series.engines:
                points = growth.points(series, engine, figure)
                if not points:
                    continue
                colour = colours[names.index(engine) % len(colours)]
                name = engine if series.name == "tree" else engine + ", torus"
                out.append('<g><title>%s</title><polyline fill="none" stroke="%s" stroke-width="1.5"%s points="%s"/>'
                           % (name, colour, "" if series.name == "tree" else ' stroke-dasharray="5 3"',
                              " ".join("%.1f,%.1f" % at(*p) for p in points)))
                out.extend('<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"/>' % (*at(*p), colour) for p in points)
                out.append("</g>")
    for i, (name, dashes) in enumerate([(e, "") for e in SERIES[0].engines] + [(e + ", torus", ' stroke-dasharray="5 3"')
                                                                             for e in SERIES[1].engines]):
        x, y = 60 + i % 7 * 160, 398 + i // 7 * 20
        out.append('<path d="M%d %dh24" stroke="%s" stroke-width="2"%s/><text x="%d" y="%d">%s</text>'
                   % (x, y - 4, colours[names.index(name.split(",")[0]) % len(colours)], dashes, x + 30, y, name))
    return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 430" font-family="sans-serif" font-size="11">'
            "<title>Seconds of the processor by endports</title><rect width=\"1200\" height=\"430\" fill=\"#fff\"/>\n%s\n</svg>\n"
            % "\n".join(out))


def exponent_of(growth, series, value):
    return fit([(growth.get(series, k, "endports"), value(k)) for k in series.sizes if growth.get(series, k, "endports")])[0]


def readme(growth):
    tree, torus = SERIES
    k = tree.sizes[-1]
    endports, switches = (growth.get(tree, k, w) for w in ("endports", "switches"))
    entries = exponent_of(growth, tree, lambda k: growth.get(tree, k, "switches") * growth.get(tree, k, "endports"))
    out = [HEAD % {"day": growth.kept["day"], "bound": growth.kept["bound"], "sizes": ", ".join(tree.spec(k) for k in tree.sizes),
                   "tori": ", ".join(torus.spec(k) for k in torus.sizes), "switches": f"{switches:,}", "endports": f"{endports:,}",
                   "links": exponent_of(growth, tree, lambda k: growth.get(tree, k, "links")), "entries": entries,
                   "level": exponent_of(growth, tree, lambda k: growth.get(tree, k, "switches"))}]
    loads = [(growth.get(s, k, "endports"), growth.get(s, k, "load")) for s in [tree] for k in s.sizes if growth.get(s, k, "load")]
    out.append("## Trees\n\n| load | %s | exponent |\n| --- |%s\n| saved file | %s | %.2f |"
               % (" | ".join(f"{x:,}" for x, _ in loads), " ---: |" * (len(loads) + 1), " | ".join(seconds(y) for _, y in loads),
                  fit(loads)[0]))
    out += [table_of(growth, tree, f) for f in ("route", "event", "check", "survey")]
    out.append("## Tori\n\n" + "\n\n".join(table_of(growth, torus, f) for f in ("route", "event", "check")))
    out.append("## What limits\n\n" + LIMITS % {"endports": f"{endports:,}"})
    rows = ["| engine | endports | tables | after the first sweep | after a failed link too |\n| --- | ---: | ---: | ---: | ---: |"]
    for engine in tree.engines:
        n = MEMORY_AT.get(engine, k)
        if not growth.get(tree, n, engine, "MB"):
            continue
        held = growth.get(tree, n, "tables")
        routed, most = growth.get(tree, n, engine, "MB routed"), growth.get(tree, n, engine, "MB")
        rows.append("| %s | %s | %.0f MB | %.0f MB, %.1f times | %.0f MB, %.1f times |"
                    % (engine, f'{growth.get(tree, n, "endports"):,}', held, routed, routed / held, most, most / held))
    out.append("## Memory\n\nThe most that was resident, at the largest tree that the engine routes, also after a failed link. "
               "Tables are an octet an entry.\n\n" + "\n".join(rows) + "\n\n" + REST)
    looked = [(p, growth.get(tree, k, "pane", p)) for p in PANES]
    if growth.get(tree, k, "first screen"):
        out.append("## Looking\n\nFrom the start to the first screen of the saved file of %s endports: %s of the processor.\n"
                   % (f"{endports:,}", seconds(growth.get(tree, k, "first screen"))) + LOOKING +
                   "\n\n| pane | the thread that draws |\n| --- | ---: |\n" +
                   "\n".join("| %s | %s%s |" % (p, seconds(t), ", above 100 ms" if t > 0.1 else "") for p, t in looked if t))
    return "\n\n".join(out) + "\n"


HEAD = """# Growth

`tests/bench/growth.py` measured this on %(day)s and wrote it; `tests/bench/run.py` compares with OpenSM, `counts.py` counts
instructions (suite counts).

Time is that of one processor, user and system, of a process with one thread. The machine was shared, so a figure may be twice what a free one takes.

- Trees: %(sizes)s. The largest has %(switches)s switches and %(endports)s endports; LIDs end at 49,151.
- Tori: %(tori)s.
- The columns are endports. The exponent is theirs, by least squares in log-log. In these trees links grow by %(links).2f, switches by
  %(level).2f, entries (switches x LIDs) by %(entries).2f, pairs by 2.
- In brackets stands what the fit predicts. What it puts above %(bound)g s was left out; Min Hop was measured at all sizes.
- The failed link is at a leaf. Its figure holds the comparison of tables and pairs. A survey's figure is that of one link.

![seconds by endports](growth.svg)"""

LIMITS = """Where nothing else is said, LIDs alone limit the size: %(endports)s endports are in reach.

| figure | what limits it |
| --- | --- |
| load | lines of the file |
| first sweep: minhop, updn, dnup, ar_updn, dor | entries, each written once; the choice is made for many of them at a time |
| first sweep: ftree | entries; each destination climbs on its own |
| first sweep: sssp, dfsssp, nue, mincontention | a search through all cables for each LID: entries times cables of a switch; dfsssp and nue look for loops besides |
| sssp, dfsssp | as in OpenSM, distances count LIDs squared a link and end at 2^31: both refuse the two largest trees, and Min Hop takes over |
| lash | dependencies of routes between pairs of switches; VLs, too: the third tree needs more than 8 layers |
| failed link | paths to the LIDs whose entries changed, from all hosts; sssp, dfsssp and nue route anew, and all LIDs change |
| failed link: ar_updn | groups are made anew; ways are walked to LIDs alone whose whole choice of a switch is lost |
| check, survey: ar_updn | every port of every group is walked, for destinations whose ways are not those of another one on their switch |
| failed link: ftree | as the first sweep. It refuses a tree that lost a cable between switches, so here a host's cable fails |
| failed link, check, survey: engines with SLs | each pair's SL besides; dependencies of channels of each route |
| check | entries, each looked at for paths and again for credit loops; LIDs of a switch to which ways are alike are counted together |
| survey, a link | what the engine takes after a failure, and the loads of what changed |
| memory | two copies of the tables: the one before the event is kept for `diff` and `undo`. Pairs whose paths changed take 16 octets a LID; which they are is found when somebody asks |"""

REST = """What else there is:

- program and libraries 6 MB; the fabric 12 MB at 18,000 endports, 33 MB at 47,824.
- sssp, dfsssp and nue refuse larger trees, or after a failed link route them no more.
- ar_updn: groups of ports count as tables, too; half an octet an entry here, in blocks of 64 LIDs that have one
  group or a list of their own.
- lash: the SL of each pair of switches counts as a table, too. First layers and routes between switches take twice that a sweep;
  so do the orders and refused dependencies of its layers, from which the next sweep begins.
- dfsssp: while it looks for loops, 2 octets for each dependency of channels, and 4 more when it finds one; freed before paths are compared."""

LOOKING = """When a link fails, the tables are computed by one thread and what panes ask for by another. The thread that draws,
and answers keys, takes this much for the whole event, while the pane is open:"""


def main():
    p = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1][len("usage: "):])
    p.add_argument("--engines")
    p.add_argument("--render", action="store_true")
    options = p.parse_args()
    kept = {}
    if os.path.exists(KEPT) and os.environ.get("AGAIN") != "1":
        with open(KEPT, encoding="utf-8") as f:
            kept = json.load(f)
    growth = Growth(kept)
    kept.setdefault("day", datetime.date.today().isoformat())
    kept.setdefault("bound", BOUND)
    if not options.render:
        with tempfile.TemporaryDirectory(prefix="growth.") as folder:
            for series in SERIES:
                for k in series.sizes:
                    growth.measure_size(series, k, folder, options.engines.split(",") if options.engines else series.engines)
            for engine in SERIES[0].engines:
                if not options.engines or engine in options.engines.split(","):
                    growth.measure_memory(SERIES[0], engine, folder)
            if not options.engines:
                look(growth, SERIES[0], SERIES[0].sizes[-1], folder)
    with open(os.path.join(HERE, "README.md"), "w", encoding="utf-8") as f:
        f.write(readme(growth))
    with open(os.path.join(HERE, "growth.svg"), "w", encoding="utf-8") as f:
        f.write(svg(growth))
    return 0


if __name__ == "__main__":
    sys.exit(main())
