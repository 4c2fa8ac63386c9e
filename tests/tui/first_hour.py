"""First hours of five people, at three sizes: what is proposed works, nothing typed reaches the wrong place, Esc and q end
no session unasked.  And what a person finds in the palette from any pane without knowing a name.

Each hour is a function of a terminal; TESTS names them.  One size of each is drawn by SEED; LONG=1 takes all.
"""
import glob
import os
import random
import re
import shutil
import signal
import subprocess
import sys

from common import BOUND, FABRIC, PROGRAM, ROOT, Failed

sys.path.insert(0, os.path.join(ROOT, "tests"))
from simulated import ibsim_command  # noqa: E402

SIZES = (80, 24), (120, 40), (200, 50)
SIMULATED = (glob.glob("/usr/lib/*/umad2sim/libumad2sim.so") or ["libumad2sim.so"])[0]
DEMO = os.path.join(ROOT, "tests", "fabrics", "demo-3level.ibnet")


def alive(t):
    if not t.pids():
        raise Failed("the program has ended:\n%s" % t.capture())


def quits(t):
    t.keys("F10")
    t.wait(r"^ready>$")
    t.type("clear")
    t.keys("Enter")
    t.wait(r"\A\s*ready>\s*\Z")


def stays(t):
    """Esc again and again ends nothing, and q asks."""
    for _ in range(3):
        t.keys("Escape")
        for pid in t.pids():
            t.read_all(pid, pid)    # else the next key is Meta
        alive(t)
    t.keys("q")
    t.wait(r"Leave\? The same key again")
    t.keys("Down")
    t.wait(r"Leave\?", absent=True)
    alive(t)


def palette(t, words, wait=None):
    """Open the palette, type, Enter: three keys beside the word."""
    t.keys("?")
    t.wait(r"[▸>]Help")
    t.type(words)
    t.wait(r"^> " + re.escape(words))
    t.keys("Enter")
    if wait:
        t.wait(wait)


def no_fabric(t, shot):
    """Every line of the start screen has a key, and each does what it says."""
    t.start("")
    t.wait(r"press a key")
    t.wait(r"\bw why\b", absent=True)     # nothing is loaded that could be asked about
    shot("start")
    t.keys("?")             # the palette offers the same first, each with its key
    t.wait(r"^│▸ +Here +d +Try it: the demo fabric, routed.*\n│ +Here +o +Open a file")
    t.keys("Enter")
    t.wait(r"minhop routed 48 switches")
    for key, there in (("d", r"minhop routed 48 switches"), ("t", r"dor routed 64 switches"), ("f", r"ftree routed"),
                       ("L", r"What a table is"), ("o", r"[▸>]Open "), ("?", r"[▸>]Help")):
        quits(t)
        t.start("")
        t.wait(r"press a key")
        t.keys(key)
        t.wait(there)
        alive(t)
    t.keys("Escape")        # the palette closes, and nothing else
    t.wait(r"[▸>]Help", absent=True)
    t.wait(r"press a key")
    t.keys("l")             # there is no device here: an error, and the start screen stays
    t.wait(r"^│.*(umad|device|CA|port|InfiniBand)")
    t.wait(r"press a key")
    t.keys("d")
    t.wait(r"minhop routed 48")
    palette(t, "two links at random", r"2 failed")
    stays(t)


def saved_file(t, shot):
    """A saved file without an engine: one key routes, by opensm.conf beside the file or by Min Hop."""
    shutil.copy(DEMO, os.path.join(t.dir, "mine.ibnet"))
    t.start("mine.ibnet")
    t.wait(r"Not routed yet: press o for +route minhop")
    shot("file")
    t.keys("o")
    t.wait(r"minhop routed 48")
    t.keys("f")             # the switch under the cursor
    t.wait(r"1 failed")
    stays(t)
    quits(t)
    with open(os.path.join(t.dir, "opensm.conf"), "w", encoding="utf-8") as f:
        f.write("routing_engine updn\nlmc 1\n")
    t.start("")             # it is among the last files now
    t.wait(r"Open again: .*mine.ibnet")
    mode = os.stat(os.path.join(t.dir, "state", "ibscope", "files")).st_mode & 0o777
    if mode != 0o600:
        raise Failed("the list of last files has mode %o" % mode)
    t.keys("1")
    t.wait(r"Not routed yet: press o")
    t.keys("o")
    t.wait(r"updn lmc 1")


def folder_of_dumps(t, shot):
    """A folder found by the chooser, which says what it is; its tables are in force, and drift proposes their engine."""
    folder = os.path.join(t.dir, "dumps")
    os.mkdir(folder)
    subprocess.run([PROGRAM, "-R", "updn", "-e", "export subnet %s/opensm-subnet.lst; export lfts %s/opensm-lfts.dump"
                    % (folder, folder), DEMO], check=True, stdout=subprocess.DEVNULL, timeout=BOUND)
    t.start("")
    t.wait(r"press a key")
    t.keys("o")
    t.wait(r"[▸>]Open ")
    t.type("dum")
    t.wait(r"48 switches, 64 hosts, 192 links; with tables")
    shot("chooser")
    t.keys("Tab")
    t.wait(r"^> dumps/( |$)")
    t.keys("C-w")
    t.type("dumps")
    t.wait(r"with tables")
    with open(os.path.join(folder, "zz.conf"), "w", encoding="utf-8") as f:
        f.write("routing_engine updn\n")
    t.type("/zz")           # what it is comes first: its path stands above
    t.wait(r"^└ found options of OpenSM")
    t.keys("C-w")
    t.type("dumps")
    t.wait(r"with tables")
    t.keys("Enter")
    t.wait(r"tables +\|")
    t.keys("F12")           # the REPL shows what was said from its first line on, and this may come last
    t.wait(r"▸REPL")
    t.keys("NPage")
    t.wait(r"These tables were read: press o for +route updn")
    t.keys("F12")
    t.wait(r"^.▸Doctor")
    t.keys("o")
    t.wait(r"updn routed")
    palette(t, "unreachable pairs", r"Sound")
    stays(t)


def live_fabric(t, shot):
    """A live fabric, simulated by ibsim."""
    t.start("", "LD_PRELOAD=%s %s" % (SIMULATED, PROGRAM))
    t.wait(r"press a key")
    t.keys("l")
    t.wait(r"9 switches|switches, .*hosts")
    t.wait(r"Not routed yet: press o")
    shot("live")
    t.keys("o")
    t.wait(r"minhop routed")
    palette(t, "problems", r"[▸>]Doctor")
    t.keys("BSpace")
    palette(t, "random", r"2 failed")
    stays(t)


def a_lesson(t, shot):
    """The first lesson, by a key; then what it told, in the palette."""
    t.start("")
    t.wait(r"press a key")
    t.keys("L")
    t.wait(r"What a table is")
    t.wait(r"minhop routed|step 1|1/3|1 of 3")
    shot("lesson")
    t.keys("Right")
    t.wait(r"table 2/3")
    palette(t, "candidate", r"^│ candidate: ")
    palette(t, "quiz", r"^│ .*\?")
    t.wait(r"[▸>](Lesson|What|Switches|REPL)")
    palette(t, "two links at random", r"2 failed")
    stays(t)


PANES = ("switches", "ports leaf-01", "hosts", "lft leaf-01", "path node0001 node0005", "warnings", "journal", "doctor", "map",
         "compare", "cdg all", "histogram")
FOUND = (("fail a link", r"1 failed|> fail link "), ("why this entry", r"sends LID|> why "),
         ("credit loops", r"[▸>]Credit loops|[▸>]Cycle"), ("compare engines", r"[▸>]Engines|[▸>]Compare"),
         ("save a report", r"> report "))


def found_by_palette(terminal, seed):
    """From any pane, without a name: at most four keys after `?` beside the word (here one: Enter)."""
    t = terminal()
    rnd = random.Random(seed)
    panes = PANES if os.environ.get("LONG") == "1" else rnd.sample(PANES, 4)
    try:
        t.start(FABRIC)
        t.wait(r"minhop routed")
        for pane in panes:
            for n, (words, there) in enumerate(FOUND):
                t.run(":restore all")       # an error where nothing is down: nothing behind it would run
                t.run(":clear; pane %s; focus %s; echo at-%s-%d" % (pane, pane.split()[0], pane.split()[0], n))
                t.wait(r"^│ at-%s-%d" % (pane.split()[0], n))
                t.wait(r"0 failed")
                t.wait(r"[▸>](?!REPL)\w.*─")
                try:
                    palette(t, words, there)
                except Failed as e:
                    raise Failed("%r from pane %s: %s" % (words, pane, e))
                t.keys("C-c", "C-c")     # the line that was begun goes, then the REPL
    finally:
        t.close()


# what a person types, and the first line that the palette must find for it
SEARCHES = (("deadlock", r"can it deadlock|is it safe"), ("broken cable", r"fail this|fail a link"), ("maintenance", r"fail this|before maintenance"),
            ("slow", r"the busiest links"), ("safe", r"is it safe\?"), ("which host", r"find a node"), ("path", r"path between two endports"),
            ("why", r" why "), ("balance", r" usage "), ("undo", r" undo "),
            ("quit", r"quit|leave"), ("save", r"save "), ("colors", r"colou?r"), ("hot", r"the busiest links"), ("lost", r" lost .*LIDs that hosts have no way to"),
            ("compare", r"engines side by side"), ("report", r"write a report"), ("engine", r" advise .*ranks all engines"),
            ("ranks", r"rank"), ("vl", r"a virtual lane"))


# and what a row offers for it, from its own pane: a link is not failed by failing its switch
ROWS = (("ports leaf-01", "fail a link", r"│▸ +Here .*fail this link"), ("switches", "fail a link", r"│▸ +What if .*fail a link"),
        ("lft leaf-01", "why this entry", r"│▸ +Here .*why this entry"), ("lft leaf-01", "why", r"│▸ +Here .*why this entry"))


def searched(terminal):
    """The first line that the palette finds is what the words ask for."""
    t, wrong = terminal(), []
    try:
        t.start("-R updn " + DEMO)
        t.wait(r"updn routed")
        for n, (pane, words, first) in enumerate([(None, *s) for s in SEARCHES] + list(ROWS)):
            if pane:
                t.run(":pane %s; focus %s; echo at-%d" % (pane, pane.split()[0], n))
                t.wait(r"^│ at-%d " % n)
                t.keys("Down", "Down")
            t.keys("?")
            t.wait(r"[▸>]Help")
            t.type(words)
            screen = t.wait(r"^> %s( |$)" % re.escape(words))
            row = (re.findall(r"^│▸.*", screen, re.M) or ["nothing"])[0]
            if not re.search(first, row):
                wrong.append("%r finds first %s" % (words, row))
            t.keys("Escape")
            t.wait(r"[▸>]Help", absent=True)
    finally:
        t.close()
    if wrong:
        raise Failed("\n".join(wrong))


HOURS = no_fabric, saved_file, folder_of_dumps, live_fabric, a_lesson


def hour(terminal, compare, fn, size):
    sim, env = None, {}
    t = None
    try:
        if fn is live_fabric:
            env = {"IBSIM_SOCKNAME": "hour.%d" % os.getpid()}
            sim = subprocess.Popen(ibsim_command(os.path.join(ROOT, "tests", "live", "two-level.net")), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(os.environ, **env))
            for line in sim.stdout:
                if "Network simulator ready" in line:
                    break
        t = terminal(size=size, env=env)
        t.type("cd $OUT; clear")
        t.keys("Enter")
        fn(t, lambda name: compare(t, "hour-%s-%dx%d" % (name, *size)))
    finally:
        if t:
            t.close()
        if sim:
            sim.send_signal(signal.SIGTERM)
            sim.stdin.close()
            sim.stdout.close()
            sim.wait()


def tests(terminal, compare):
    """(name, function) of each."""
    seed = int(os.environ.get("SEED", random.SystemRandom().randrange(1 << 31)))
    rnd = random.Random(seed)
    found = []
    for fn in HOURS:
        sizes = SIZES if os.environ.get("LONG") == "1" or os.environ.get("UPDATE") == "1" else [rnd.choice(SIZES)]
        for size in sizes:
            found.append(("hour_%s_%dx%d" % (fn.__name__, *size), lambda fn=fn, size=size: hour(terminal, compare, fn, size)))
    found.append(("searched_in_palette", lambda: searched(terminal)))
    found.append(("found_by_palette", lambda: found_by_palette(terminal, seed)))
    return found
