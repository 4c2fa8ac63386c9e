#!/usr/bin/env python3
"""Everything can be stopped: by Esc, by a signal, at any moment; and nothing stays behind.

usage: run.py [TEST]...
Environment: IBSCOPE=build/ibscope; LOOKS=build/stop/looks; SEED of what is drawn, MOMENTS of the random test;
LONG=1: the larger fabrics, each long line on each of them.
The last line is "N passed, N failed".
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "tui"))
import run as tui  # noqa: E402
from trial import BOUND  # noqa: E402
sys.path.insert(0, HERE)
import files  # noqa: E402

PROGRAM = tui.PROGRAM
LOOKS = os.path.abspath(os.environ.get("LOOKS", os.path.join(ROOT, "build", "stop", "looks")))
LONG = os.environ.get("LONG") == "1"
GAP = int(os.environ.get("GAP", "60000"))  # thousands of basic blocks between two looks: 28,000 are seen, where a long list is printed
LOOK_MOMENTS = os.environ.get("LOOK_MOMENTS", "0.1")  # random looks, beside half way, at which each command is cancelled; 0.1: of one command in ten
AFTER = 200  # looks behind the cancelling: each loop that is left looks once or twice

Failed = tui.Failed

# What cannot work for long: it does what the person sees, once.
SHORT = {"echo", "help", "quit", "undo", "redo", "journal", "snapshot", "set", "unset", "show", "live", "trace", "ranks",
         "roots", "config", "source", "why", "lft", "hops", "step", "elements", "schema", "verify", "watch", "counters",
         "log", "partitions", "triage"}
# Commands of the interface: they are done in the thread that draws.
SCREEN = {"screen", "pane", "focus", "back", "maximise", "sort", "filter", "search", "keymap", "colours", "select",
          "follow", "fold", "map", "action", "clear", "copy", "mouse"}

# One list a fabric, all that works on much of it; FILE is a file that is there, OUT one that is written.
# The smaller tree has a fifth of the entries, an eighth of the pairs: of it, a fifth of the GAP.
TREES = {"synth xgft:14,14,14:1,14,14": GAP, "synth xgft:10,10,10:1,10,10": GAP // 5}
# They move every packet of every pair: on the tree more work than all else together.
DRAINS = ["drain all"]
# Each reverse hop multiplies the work: half a second with 6, more than an hour with 12.
REVERSED = ["synth xgft:3,3,2:1,3,3", "set io_guid_file node000*", "set max_reverse_hops 6", "route ftree"]
DRAINED = ["synth xgft:6,6,6:1,6,6", "route updn", *DRAINS]
TREE = [list(TREES)[0 if LONG else 1], "route updn", "save OUT", "load OUT", "names FILE", "export lfts OUT", "tables OUT", "route updn",
        "export fdbs OUT", "export guid2lid OUT", "export subnet OUT", "export json OUT", "export sl2vl OUT", "export paths OUT", "export csv OUT", "export graphml OUT", "export node-link OUT", "export dot OUT cables", "export prometheus OUT", "export slurm OUT", "plan OUT", "save-session OUT", "report OUT", "report change OUT",
        "export dot OUT", "export dot OUT cdg", "export svg OUT load", "export svg OUT map layers", "export svg OUT plot hops size=800x600", "export svg OUT plot loads updn minhop", "show links", "show hosts", "show switches", "snapshot a",
        "fail random 3 seed=1", "scope @HOSTS", "scope -node0001", "diff a", "diff a all", "export svg OUT diff a", "drift minhop all", "undo", "redo", "!restore all", "flap leaf-001[1]", "sweep",
        "reroute", "reset", "check", "load-map", "load-map all", "load-map shift 3", "load-map bisection seed=1",
        "load-map random seed=2", "load-map alltoall direct", "load-map to node00[01-40] all", "load-map ebb both", "flows leaf-001[15]", "flows leaf-001[15] lids all",
        "flows node0001 node0900 by pair to node0900",
        "shifts 20", "shifts 20 order rail", "load-map ebb rail", "load-map ebb tree", "load-map ebb alltoall direct", "jobs JOBS all", "blame SLOW", "ring-order", "ring-order node0002 node0900 node0005 node0899 node0003 node0898 node0004 node0897", *(DRAINS if LONG else []), "layers", "cdg", "cycles all", "equal-paths", "elements", "ranks", "hops leaf-001",
        "lft leaf-001", "trace node0001 node0900", "why leaf-001 node0900", "step start leaf-001", "list ports",
        "list hosts sort name", "list usage", "list tree", "list cdg", "list compare updn minhop", "list hotter", "list outage hosts", "list flows leaf-001[15] pair", "list shift 3", "set lmc 1", "route ar_updn", "spread all"]
# Changes of the fabric, on the smaller tree.
EDITS = ["synth xgft:10,10,10:1,10,10", "route updn", "save OUT", "swap node0006 node0016", "replace host node0005", "replace switch leaf-002", "!remove host node0003",
         "!move host node0013 leaf-001[3]", "!rename leaf-001 other", "!speed other[15] 4xEDR", "!add switch extra 4", "event 'swap node0021 node0031' 'replace host node0041'",
         "changes OUT", "plan OUT all effects=4", "load OUT next", "restart", "!failover leaf-004", "sighup CONF"]
RAILS = ["load RAILS", "route updn", "swap 'n007 hca1' 'n051 hca1'", "swap 'n008 hca2' 'n009 hca3'", "plan rails effects=2"]
LOOPS = ["synth random:200,16,seed=7", "route minhop", "check", "cycles all", "drain cycle", "export dot OUT cdg", "export svg OUT cycle all", "list cycle", "list check",
         "route dfsssp", "route lash", "list layer-pairs 0", "step start", "!step start", "export svg OUT animated 1 %d" % (1500 if LONG else 250), "route nue", "layers", "list cdg"]
# advise tries many engines, each on the whole: on a torus of its own.  The longest stretch is that of layers: of 6x6x6, half of 8x8x8's.
TORUS = ["synth torus:%s,hosts=4" % ("8x8x8" if LONG else "5x5x5"), "advise failures 0", "compare for alltoall direct updn lash", "synth torus:%s,hosts=4" % ("8x8x8" if LONG else "6x6x6"), "torus-conf OUT", "set torus_config OUT", "set qos TRUE", "route torus-2QoS", "export torus EXTRA",
         "layers", "step start", "set do_mesh_analysis TRUE", "route lash"]
SMALL = ["synth xgft:6,6,6:1,6,6", "route updn", "drift", "judge", "doctor", "list check", "list lost cause 1", "survey links", "survey switches", "outage switch 1", "transition to minhop", "advise failures 3", "advise write OUT failures 1",
         "survey pairs 20 switches threads=2", "survey pairs all links", "survey pairs all switches", "survey links shard 1/3",
         "compare minhop updn ftree lash nue", "shifts", "route ftree", "export ca-order OUT", "lesson check" if LONG else "lesson lash check", "!lesson new EXTRA", "grade EXTRA ANSWERS", "route updn", "quiz port seed=1", "quiz rank", "quiz step", "quiz sound", "route lash", "quiz layer"]

GRAPHS = ["synth polarfly:64,hosts=1", "synth slimfly:49,hosts=1"]


def rails(groups, hosts, ports):
    """As ibsim reads it: port k of each host of a group on the group's switch k, and one switch above all."""
    at = [(g, h, k) for g in range(groups) for h in range(hosts) for k in range(ports)]
    text = ['Switch %d "g%dr%d"\n[%d] "top"[%d]\n' % (hosts + 1, g, k, hosts + 1, g * ports + k + 1)
            + "".join('[%d] "n%03d hca%d"[1]\n' % (h + 1, g * hosts + h, k) for h in range(hosts)) for g in range(groups) for k in range(ports)]
    text += ['Switch %d "top"\n' % (groups * ports) + "".join('[%d] "g%dr%d"[%d]\n' % (i + 1, i // ports, i % ports, hosts + 1) for i in range(groups * ports))]
    text += ['Hca 1 "n%03d hca%d"\n[1] "g%dr%d"[%d]\n' % (g * hosts + h, k, g, k, h + 1) for g, h, k in at]
    return "\n".join(text)


def looks(folder, commands, fails=False, gap=GAP):
    """Each command looks often enough whether it was cancelled, ends when it was, and leaves all tables as they were.
    fails: it may fail.  Its work, in thousands of basic blocks."""
    fill = {"OUT": os.path.join(folder, "out"), "EXTRA": os.path.join(folder, "extra"), "FILE": os.path.join(folder, "file"),
            "@HOSTS": "@" + os.path.join(folder, "hosts"), "JOBS": os.path.join(folder, "jobs"), "SLOW": os.path.join(folder, "slow"), "RAILS": os.path.join(folder, "rails.net"), "CONF": os.path.join(folder, "conf"), "ANSWERS": os.path.join(folder, "answers")}
    with open(fill["ANSWERS"], "w", encoding="utf-8") as f:
        f.write("3: leaf-01[2]\n")
    with open(fill["CONF"], "w", encoding="utf-8") as f:
        f.write("connect_roots TRUE\n")
    with open(fill["RAILS"], "w", encoding="utf-8") as f:
        f.write(rails(12, 16, 6))
    with open(fill["FILE"], "w", encoding="utf-8") as f:
        f.write("".join('0x%x "name %d"\n' % (i, i) for i in range(1, 20000)))
    with open(os.path.join(folder, "hosts"), "w", encoding="utf-8") as f:
        f.write("".join("node%04d\nno-%04d\n" % (i, i) for i in range(1, 20000)))
    with open(fill["JOBS"], "w", encoding="utf-8") as f:
        f.write("".join("job-%d node%04d node%04d no-%d\n" % (i, i, i + 1, i) for i in range(1, 300)) + "all node[0001-0900]\n")
    with open(fill["SLOW"], "w", encoding="utf-8") as f:
        f.write("".join("node%04d,node%04d,%s\n" % (i, j, "fail" if i == 7 else "ok") for i in range(1, 901) for j in (i % 900 + 1, (i + 99) % 900 + 1, (i + 399) % 900 + 1)))
    lines = [" ".join(fill.get(w, w) for w in c.split()) for c in commands]
    seed = os.environ.get("SEED") or str(random.randrange(1 << 30))
    p = subprocess.run([LOOKS, *lines], cwd=folder, env=dict(os.environ, SEED=seed, MOMENTS=LOOK_MOMENTS), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       timeout=3600)
    told = [line.split("\t") for line in p.stdout.splitlines()]
    done = [int(fields.pop()) for fields in told if fields[1:]]
    if p.returncode or len(told) != len(lines):
        raise Failed("status %d: %s" % (p.returncode, p.stdout[-500:]))
    bad = []
    for command, work, what, at, to, n, message, after, stopped, changed in told:
        if changed:
            bad.append("%s: cancelled, it left something changed: %s (SEED=%s)" % (command, changed, seed))
        if message and not fails:
            bad.append("%s: %s" % (command, message))
        if int(work) > gap:
            bad.append("%s: %s thousand blocks without a look (%s), from %s to %s" % (command, work, what, at, to))
        if after != "-" and (stopped != "cancelled" or int(after) > AFTER):
            bad.append("%s: cancelled half way, said \"%s\" and looked %s times more (SEED=%s)" % (command, stopped, after, seed))
        if after == "-" and not command.startswith("!") and int(n) > 7 and not (fails and message):
            bad.append("%s: was not cancelled" % command)
    if bad:
        raise Failed("\n".join(bad))
    return done


# Lines of N words, commands, ';' or quotes.
LINES = {"words": lambda n: "fail switch " + "x " * n,
         "names": lambda n: "scope " + "node01 " * n,
         "names with ;": lambda n: "scope " + "MF0;node02 " * n,
         "commands": lambda n: "echo;" * n,
         "commands behind a word": lambda n: "echo x;" * n,
         "nodes": lambda n: "lft leaf-2;" * (n // 16),
         "semicolons": lambda n: ";" * n,
         "pieces": lambda n: "fail switch " + "a[;];];] " * n,
         "pieces that fit": lambda n: "scope " + "MF0;node0[1-2],MF0;node04 " * (n // 4),
         "words and ;": lambda n: "fail switch " + "x;y," * n,
         "a list": lambda n: "fail switch " + "node01," * n + "x;y",
         "brackets": lambda n: "fail switch " + "[;" * n + "]",
         "open brackets": lambda n: "fail switch " + "[;" * n,
         "closed brackets": lambda n: "fail switch a[" + ";]" * n,
         "lists": lambda n: "fail switch " + "a[1-2];" * n,
         "globs": lambda n: "fail switch " + "*;" * n,
         "quotes": lambda n: "echo " + "'a' " * n,
         "an open quote": lambda n: "echo " + "'a " * (n | 1),
         "spelled": lambda n: "echo " + "$'\\x41' " * n,
         "one word": lambda n: "echo " + "a" * n,
         "a comment": lambda n: "echo # " + "x;'" * n}
BLOCKS = 400  # thousands: what a line takes that is short


# Fabrics without and with ';' in names.
NAMED = [["synth xgft:4,4:1,2", "route minhop"], ["synth xgft:4,4:1,2", "names MAP", "route minhop"],
         ["load " + os.path.join(ROOT, "tests", "fabrics", "formats", "stage-qdr-fdr10.ibnetdiscover"), "route minhop"]]


def long_lines(folder):
    """Twice the line is twice the work, in lines of 1,000 to 64,000 words; each can be stopped.
    Each kind of line on one of the fabrics, drawn; LONG: on each."""
    sizes = [1000 << n for n in range(7)]
    seed = os.environ.get("SEED") or str(random.randrange(1 << 30))
    print("long_lines: SEED=%s" % seed)
    kinds, bad = list(LINES), []
    random.Random(seed).shuffle(kinds)
    with open(os.path.join(folder, "MAP"), "w", encoding="utf-8") as f:
        f.write("".join('0x%x "MF0;node%02d mlx5_0"\n' % (0x2c90300f00000 + 0x20 * i, i + 1) for i in range(16)))
    for part, fabric in enumerate(NAMED):
        lines, named = [], []
        for kind in kinds if LONG else kinds[part::len(NAMED)]:
            for n in sizes:
                path = os.path.join(folder, "%s-%d" % (kind.replace(" ", "_"), n))
                with open(path, "w", encoding="utf-8") as f:
                    f.write(LINES[kind](n))
                lines.append("@" + path)
                named.append((kind, n))
        done = looks(folder, fabric + lines, fails=True)[len(fabric):]
        bad += ["%s: %s: %d thousand blocks for %d, %d for %d" % (fabric[0], kind, done[i - 1], n // 2, done[i], n)
                for i, (kind, n) in enumerate(named) if n > sizes[0] and done[i] > 2.3 * done[i - 1] + BLOCKS]
    if bad:
        raise Failed("\n".join(bad))


def tree(folder):
    looks(folder, TREE, gap=TREES[TREE[0]])


def edits(folder):
    looks(folder, EDITS, gap=GAP // 5)
    looks(folder, RAILS, gap=GAP // 5)


def loops(folder):
    looks(folder, LOOPS)


def torus(folder):
    looks(folder, TORUS, gap=GAP if LONG else GAP // 2)


def small(folder):
    looks(folder, SMALL)
    looks(folder, DRAINED, gap=GAP // 20)
    looks(folder, REVERSED, gap=GAP // 20)


def graphs(folder):
    """What has no look yet ends soon: synth of what is made by arithmetic."""
    looks(folder, GRAPHS)


def all_commands(_folder):
    """No command of `help` is missing above."""
    p = subprocess.run([PROGRAM, "--json", "-e", "help"], stdout=subprocess.PIPE, text=True, check=True)
    names = {c["name"] for c in json.loads(p.stdout)["commands"]}
    named = {c.split()[0].lstrip("!") for c in TREE + REVERSED + DRAINED + EDITS + LOOPS + TORUS + SMALL} | SHORT | SCREEN
    if names - named or named - names:
        raise Failed("not looked at: %s; not there: %s" % (sorted(names - named), sorted(named - names)))


def file_commands(folder):
    files.commands(LOOKS, PROGRAM, folder)


def file_options(folder):
    files.options(LOOKS, PROGRAM, folder)


# --- processes ----------------------------------------------------------------------------

class Mark:
    """All processes that have a word of ours in their environment, whatever session they are in."""
    number = 0

    def __init__(self):
        Mark.number += 1
        self.word = "IBSCOPE_TEST_MARK=%d.%d.%d" % (os.getpid(), Mark.number, random.randrange(1 << 30))

    def env(self, **more):
        name, _, value = self.word.partition("=")
        return dict(os.environ, **{name: value}, **more)

    def pids(self):
        return tui.pids_with(self.word)

    def wait_none(self, what):
        wait(lambda: not self.pids(), "%s: processes left behind: %s" % (what, self.pids))

    def kill(self):
        for pid in self.pids():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def wait(true, why):
    end = time.monotonic() + BOUND
    while not true():
        if time.monotonic() > end:
            raise Failed("%s, within %d s" % (why, BOUND))
        time.sleep(0.02)


def has_open(mark, path):
    """Has a marked process opened the file?"""
    for pid in mark.pids():
        try:
            links = [os.readlink("/proc/%d/fd/%s" % (pid, n)) for n in os.listdir("/proc/%d/fd" % pid)]
        except OSError:
            continue
        if path in links:
            return True
    return False


def fake_converter(folder):
    """A program rsvg-convert that draws until it is killed: it reads a FIFO that nobody writes to.  $PATH with it."""
    os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
    hold = os.path.join(folder, "converter-holds")
    path = os.path.join(folder, "bin", "rsvg-convert")
    os.mkfifo(hold)
    with open(path, "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\necho '<svg>'\nexec cat <>'%s'\n" % hold)
    os.chmod(path, 0o755)
    return os.path.join(folder, "bin") + ":" + os.environ["PATH"], hold


def batch(folder, mark, commands, **env):
    return subprocess.Popen([PROGRAM, "-e", commands], cwd=folder, env=mark.env(TMPDIR=folder, **env),
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def end_by(p, sig, what):
    """It ends."""
    p.send_signal(sig)
    end = time.monotonic() + BOUND
    while True:
        pid, status = os.waitpid(p.pid, os.WNOHANG)
        if pid:
            break
        if time.monotonic() > end:
            raise Failed("%s: still there %d s after signal %d" % (what, BOUND, sig))
        time.sleep(0.01)
    p.returncode = os.waitstatus_to_exitcode(status)
    return p.returncode


def signals_in_batch(folder):
    """What waits for a FIFO, and what waits for another program, ends by a signal at once, and that with it."""
    fifo = os.path.join(folder, "fifo")
    os.mkfifo(fifo)
    path, hold = fake_converter(folder)
    for commands, held in (("load " + fifo, None), ("source " + fifo, None), ("synth ring:9; scope @" + fifo, None), ("lesson " + fifo, None), ("grade ring " + fifo, None),
                           ("grade %s %s" % (fifo, fifo), None), ("synth ring:9; export png /dev/null", hold)):
        for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            mark = Mark()
            p = batch(folder, mark, commands, PATH=path)
            try:
                if held:
                    wait(lambda: has_open(mark, held), "%s: the other program was not started" % commands)
                else:  # in open(), as no other end is there
                    wait(lambda: waits_in_kernel(p.pid), "%s: does not wait" % commands)
                got = end_by(p, sig, commands)
                if got != -sig:
                    raise Failed("%s: status %d, expected to die of signal %d" % (commands, got, sig))
                mark.wait_none(commands)
            finally:
                mark.kill()
                p.stderr.close()
    if sorted(os.listdir(folder)) != ["bin", "converter-holds", "fifo"]:
        raise Failed("left behind: %s" % sorted(os.listdir(folder)))


def advice_so_far(folder):
    """SIGINT and SIGTERM: advise ranks what it has, and what follows is not run; a second signal does not wait."""
    long = "synth xgft:18,18,6:1,18,18; advise; echo never"  # minutes; its first engine takes a second
    for sig, form in ((signal.SIGINT, []), (signal.SIGTERM, ["--json"])):
        p = subprocess.Popen([PROGRAM, *form, "-e", long], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        first = p.stderr.readline()
        p.send_signal(sig)
        told, errors = p.communicate(timeout=BOUND)
        if not first.startswith("advise: 1. minhop: A, 0 pairs lost, ") or p.returncode != -sig or not errors.endswith("cancelled\n"):
            raise Failed("advise, signal %d: status %d, said %r" % (sig, p.returncode, first + errors))
        if form:
            advice = [json.loads(line) for line in told.splitlines()][-1]
            if advice["complete"] or advice["error_kind"] != "cancelled" or advice["advice"][0]["engine"] != "minhop" or not advice["unfinished"]:
                raise Failed("advise, signal %d: %s" % (sig, told[-500:]))
        elif not re.search(r"1\. minhop\n.*\n     single failures: not tried\n[\s\S]*not finished\nINCOMPLETE: cancelled; ", told) or "never" in told:
            raise Failed("advise, signal %d: %s" % (sig, told[-500:]))


def waits_in_kernel(pid):
    with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as f:
        state = f.read().rsplit(")", 1)[1].split()[0]
    with open("/proc/%d/comm" % pid, encoding="ascii", errors="replace") as f:
        return state == "S" and f.read().strip() == os.path.basename(PROGRAM)[:15]


# --- the explorer -----------------------------------------------------------------------------

def escape(t, command, number):
    """A FIFO holds the command, so that it is seen at work; C-c ends it, and the next one answers."""
    t.run(command)
    t.wait(r"cancels")
    stop(t, number)


def stop(t, number):
    t.keys("C-c")       # Esc asks when it has run for a second: tests/tui/escape.test
    t.wait(r"^│ (\S+: )?cancelled| of \d+ shifts looked at")    # `shifts` tells how far it came
    t.run("clear")
    t.wait(r"cancelled", absent=True)
    t.run("echo answered-%d" % number)
    t.wait(r"^│ answered-%d" % number)
    t.wait(r"cancels", absent=True)     # else the next one's C-c may come before it has begun


def escape_from_files(folder):
    """Whatever reads or writes a file that keeps it waiting."""
    path, hold = fake_converter(folder)
    t = tui.Terminal(size=(120, 40), env={"PATH": path})
    try:
        t.fifo("f")
        f = os.path.join(t.dir, "f")
        t.start("-R minhop xgft:4,4:1,2")
        t.wait(r"minhop routed")
        t.keys("F12")
        t.wait(r"▸REPL")
        with open(os.path.join(t.dir, "inner"), "w", encoding="utf-8") as script:
            script.write("echo inside\nsource %s\n" % f)
        commands = ["load " + f, "source " + f, "source %s/inner" % t.dir, "names " + f, "config " + f,
                    "route updn root_guid_file=" + f, "route file lfts_file=" + f, "route torus-2QoS qos=TRUE torus_config=" + f,
                    "route sssp cn_guid_file=" + f, "route minhop sl2vl_file=" + f, "export lfts " + f, "lesson " + f, "grade ring " + f, "grade %s %s" % (f, f),
                    "export png %s/drawing" % t.dir]
        for number, command in enumerate(commands):
            escape(t, command, number)
        t.run("set chassis_file " + f)
        t.run("pane elements")  # drawing does not wait for it ...
        t.wait(r"Elements 0/0 .* found no re")
        escape(t, "elements", 99)  # ... the command does
        for command in ("screen", "keymap"):
            t.run("%s %s" % (command, f))
            t.wait(r"found a FIFO, expected a file")
            t.run("clear")
            t.wait(r"found a FIFO", absent=True)
        for command, said in (("keymap /dev/zero", '"/dev/zero" is neither a file'), ("keymap missing/f", '"missing/f" is neither a file'),
                              ("screen /dev/full", "/dev/full: No space left"), ("screen missing/f", "missing/f: No such file")):
            t.run(command)
            t.wait(said)
            t.run("clear")
            t.wait(said, absent=True)
        left = sorted(set(os.listdir(t.dir)) - {"f", "inner", "state", "config", "tmux", ".local"})
        if left:
            raise Failed("left behind: %s" % left)
    finally:
        t.close()


def escape_from_work(folder):
    """Work that would take minutes: it begins behind what is printed, and that stays."""
    t = tui.Terminal(size=(120, 70))
    try:
        t.start("-R minhop xgft:18,18,18:1,18,18")
        t.wait(r"minhop routed")
        t.keys("F12")
        t.wait(r"▸REPL")
        reversed_much = "; ".join(REVERSED[:2]) + "; set max_reverse_hops 12; "
        for number, (before, command) in enumerate([("", "survey links"), ("", "shifts"),
                                                    ("", "compare minhop updn dnup ftree lash nue dfsssp"), (reversed_much, "route ftree")]):
            t.run("%secho begun-%d; %s" % (before, number, command))
            t.wait(r"^│ begun-%d" % number)
            stop(t, number)
    finally:
        t.close()


def quit_from_work(_folder):
    """F10 while a command waits for a file: nobody is waited for."""
    t = tui.Terminal(size=(120, 40))
    try:
        t.fifo("f")
        t.start("-R minhop xgft:4,4:1,2; echo ended $?")
        t.wait(r"minhop routed")
        t.run(":load %s/f" % t.dir)
        t.wait(r"cancels")
        t.keys("F10")
        t.wait(r"^ended 0")
    finally:
        t.close()


# --- random moments ------------------------------------------------------------------------------

BATCHES = ["synth xgft:18,18,18:1,18,18; route minhop; export json out; export fdbs out; check; cycles; survey switches",
           "synth random:1000,20,seed=3; route nue; export png out; route dfsssp",
           "synth xgft:4,4:1,2; export png out; source FIFO",
           "synth torus:10x10x10; torus-conf out; route torus-2QoS; export paths out; step start; survey links"]


def explorer(folder, mark):
    """The program on a terminal of its own whose output somebody reads."""
    ours, theirs = os.openpty()
    env = mark.env(TMPDIR=folder, HOME=folder, IBSCOPE_ETC=folder, TERM="xterm")
    p = subprocess.Popen([PROGRAM, "-R", "minhop", "xgft:18,18,18:1,18,18"], cwd=folder, env=env, stdin=theirs,
                         stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)

    def drain():
        try:
            while os.read(ours, 65536):
                pass
        except OSError:
            pass
        os.close(ours)
    threading.Thread(target=drain, daemon=True).start()
    os.write(ours, b":compare minhop updn ftree lash\rsurvey links\r")
    return p


def random_moments(folder):
    """SIGTERM whenever it may be: dead, no child, no file that is not whole."""
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    rnd = random.Random(seed)
    os.mkfifo(os.path.join(folder, "FIFO"))
    print("random_moments: SEED=%d" % seed)
    for n in range(int(os.environ.get("MOMENTS", "20"))):
        mark, which, after = Mark(), rnd.randrange(len(BATCHES) + 1), rnd.random() ** 2 * 1.5
        what = "%s after %.3f s (SEED=%d)" % (BATCHES[which] if which < len(BATCHES) else "the explorer", after, seed)
        p = batch(folder, mark, BATCHES[which]) if which < len(BATCHES) else explorer(folder, mark)
        try:
            time.sleep(after)
            if p.poll() is None and end_by(p, signal.SIGTERM, what) not in (-signal.SIGTERM, 0, 1, 3):
                raise Failed("%s: status %d" % (what, p.returncode))
            mark.wait_none(what)
        finally:
            mark.kill()
            if p.stderr:
                p.stderr.close()
        left = [f for f in os.listdir(folder) if f not in ("FIFO", "out", ".local")]
        if left:
            raise Failed("%s: left behind: %s" % (what, left))


TESTS = [all_commands, file_commands, file_options, long_lines, tree, edits, loops, torus, small, graphs, signals_in_batch, advice_so_far, escape_from_files, escape_from_work, quit_from_work,
         random_moments]


def main():
    tests = [t for t in TESTS if len(sys.argv) < 2 or t.__name__ in sys.argv[1:]]
    bad = 0
    tui.machine.serve_programs()
    for test in tests:
        folder = tempfile.mkdtemp(prefix="ibscope-stop-")
        try:
            test(folder)
        except (Failed, files.Failed, OSError, subprocess.SubprocessError) as e:
            bad += 1
            print("FAIL stop/%s: %s" % (test.__name__, e), flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    for why in tui.LEFT:
        bad += 1
        print("FAIL stop: " + why)
    print("%d passed, %d failed" % (len(tests) - min(bad, len(tests)), bad))
    return 1 if bad or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
