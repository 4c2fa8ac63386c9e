#!/usr/bin/env python3
"""Out of memory: it is said, with status 3, and nothing that is printed or written has a hole.

A session runs with one of its allocations failing, or all from one on; then with less memory than
matrices take, and with files that never end.  usage: run.py [TEST]...
Environment: IBSCOPE=build/ibscope, FAIL=build/memory/fail.so, SEED=N for the choice of allocations.
The last line is "N passed, N failed".
"""
import json as objects
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tui"))
import run as tui  # noqa: E402
from trial import BOUND  # noqa: E402

PROGRAM = tui.PROGRAM
FAIL = os.path.abspath(os.environ.get("FAIL", os.path.join(tui.ROOT, "build", "memory", "fail.so")))
SEED = int(os.environ.get("SEED", random.randrange(10 ** 6)))
MEMORY = 3
LONG = os.environ.get("LONG") == "1"
FIRST = 15 if LONG else 8  # allocations that fail in every run, as the program starts
DRAWN = 25 if LONG else 12  # others, by chance

TEXT = ("show; source inner.ibs; help; export lfts lfts; export fdbs fdbs; export subnet subnet; export paths paths; "
        "export json json; export dot dot cdg; save fabric; export json -; show options; snapshot a; fail random 2 "
        "seed=1; diff a; trace node0001 node0009; why leaf-01 node0009; load-map; cycles; survey switches; load fabric; "
        "names names.map; route dfsssp qos=TRUE; export sl2vl sl2vl; layers; route nue; route lash; route minhop; hops leaf-02; "
        "list hosts; list ports filter leaf; echo the end")
SESSIONS = {
    "text": ["xgft:3,3:1,2", "-F", "opensm.conf", "-R", "updn", "-e", TEXT],
    "json": ["--json", "xgft:3,3:1,2", "-R", "minhop", "-e", TEXT],
    "script": ["-x", "outer.ibs"],
}
FILES = {
    "inner.ibs": "echo inner\nshow switches\n",
    "outer.ibs": "load given\nroute minhop\nsource inner.ibs\n" + "list ports\ncheck\nexport json json\n" * 3 + "echo the end\n",
    "opensm.conf": "lmc 0\nqos TRUE\n",
    "names.map": "0x0002c90300a00000 \"first leaf\"\n",
}


class Failed(Exception):
    pass


def expect(true, *what):
    if not true:
        raise Failed(" ".join(str(w) for w in what)[:3000])


class Place:
    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="ibscope-memory-")
        for name, text in FILES.items():
            self.file(name, text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.dir, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.dir, name)

    def file(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def run(self, args, env=None, room=None, **more):
        """room: MB of address space."""
        def limit():
            if room:
                resource.setrlimit(resource.RLIMIT_AS, (room * 1000000, room * 1000000))
        return subprocess.run([PROGRAM, *args], cwd=self.dir, stdin=more.pop("stdin", subprocess.DEVNULL),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, **(env or {})),
                              timeout=BOUND, preexec_fn=limit, text=True, errors="replace", **more)


def mask(text):
    """Times differ from run to run."""
    return re.sub(r'"(engine_|sweep_)?(seconds|ms)":[-+.\de]+', "T", re.sub(r"\d+(\.\d+)? (ms|s)\b", "T", re.sub(r'"time":"[^"]*"', "T", text)))


class Session:
    """One of SESSIONS, as it goes with all the memory there is."""

    def __init__(self, place, args, least=1000):
        """least: it makes more allocations than so many."""
        self.place, self.args, self.ends = place, args, 0
        self.given = set(os.listdir(place.dir))
        self.healthy = self.once(FAIL_COUNT=place.path("count"))
        # where a document goes to standard output, the rest goes to standard error
        expect("the end" in self.healthy[1] + self.healthy[2], "it fails with all memory:", self.healthy[2])
        with open(place.path("count"), encoding="ascii") as f:
            self.allocations = int(f.read())
        expect(self.allocations > least, "only", self.allocations, "allocations: is", FAIL, "there?")

    def written(self):
        found = {}
        for name in set(os.listdir(self.place.dir)) - self.given - {"count"}:
            with open(self.place.path(name), encoding="utf-8") as f:
                found[name] = f.read()
        return found

    def once(self, **env):
        for name in set(os.listdir(self.place.dir)) - self.given:
            os.unlink(self.place.path(name))
        done = self.place.run(self.args, env={"LD_PRELOAD": FAIL, **env})
        if "--json" in self.args and done.returncode == MEMORY:
            self.last_objects(done.stdout)
        return done.returncode, mask(done.stdout), mask(done.stderr), self.written()

    def last_objects(self, out):
        """Every line is a whole object, and the command that ran is the last one, which failed."""
        told = [objects.loads(line) for line in out.splitlines()]
        failed = [o for o in told if not o["ok"]]
        expect(all(o["error"].startswith("out of memory: ") for o in failed) and
               told[len(told) - len(failed):] == failed, "other objects than of a failure at the end:", told[-2:])
        self.ends += bool(failed)

    def failing(self, env):
        """An allocation fails: "told", or "same" as with all memory; anything else is a fault."""
        status, out, err, files = self.once(**env)
        where = "%s %s" % (self.args[:1], env)
        for name, text in files.items():
            expect(".ibscope-" not in name, where, "left", name, "behind")
            expect(text == self.healthy[3].get(name), where, "wrote", name, "otherwise:\n", text[:200])
        if "ibscope: " in err and "out of memory: " in err:
            expect(status == MEMORY, where, "out of memory, but status", status)
            return "told"
        for what, was, now in zip(("status", "output", "errors", "files"), self.healthy, (status, out, err, files)):
            expect(was == now, where, "other", what, ":\n", now if what != "files" else sorted(now),
                   "\nwhere all goes well:\n", was if what != "files" else sorted(was))
        return "same"


def one_fails(name, args, first=FIRST, least=1000):
    """Each of the first allocations fails, and some others, alone; least: as Session has it."""
    rnd = random.Random(SEED)
    with Place() as p:
        subprocess.run([PROGRAM, "xgft:4,4:1,2", "-e", "save given"], cwd=p.dir, stdout=subprocess.DEVNULL, check=True)
        s = Session(p, args, least)
        chosen = list(range(1, first + 1)) + [rnd.randrange(first, s.allocations) for _ in range(DRAWN)]
        seen = {"told": 0, "same": 0}
        for at in chosen:
            seen[s.failing({"FAIL_AT": str(at)})] += 1
        print("%s: SEED=%d, %d of %d allocations failed: %d times told, %d times done without" %
              (name, SEED, len(chosen), s.allocations, seen["told"], seen["same"]))
        expect(seen["told"] > len(chosen) / 2, "hardly one was told:", seen)
        expect("--json" not in args or s.ends > DRAWN / 3, "hardly one object told it:", s.ends)


def text():
    one_fails("text", SESSIONS["text"])


def json():
    one_fails("json", SESSIONS["json"])


def script():
    one_fails("script", SESSIONS["script"])


def document():
    """Also where it is still being found out which of the two outputs is for a document."""
    one_fails("document", ["xgft:2,2:1,2", "-e", "echo the end; export dot -"], 150, 500)


def all_fail():
    """No allocation succeeds from some point on."""
    rnd = random.Random(SEED + 1)
    with Place() as p:
        s = Session(p, SESSIONS["text"])
        for at in [1, 2, 3, 10, 50, *(rnd.randrange(1, s.allocations) for _ in range(20))]:
            s.failing({"FAIL_AT": str(at), "FAIL_ON": "1"})


# --- less memory than a matrix takes ------------------------------------------------------------------

MANY = "random:2500,4,seed=3"  # switches; no engine takes more than some seconds until it asks


def short(args, room, pattern):
    with Place() as p:
        done = p.run(args, room=room)
        expect(done.returncode == MEMORY, "status", done.returncode, args, done.stdout[-500:], done.stderr)
        expect(re.search(r"^ibscope: (-e:1: )?out of memory: \d[\d.]* [kMG]B needed for " + pattern +
                         r", \d[\d.]* \w+ available$", done.stderr, re.M), "no", pattern, "in:", done.stderr)


def matrices():
    """What an engine takes beyond the size of the fabric is asked for before it is allocated."""
    for engines, room, what in (("minhop", 45, "hop matrix and tables"), ("updn", 60, "hop matrices and tables"),
                                ("dnup", 60, "hop matrices and tables"), ("ftree", 45, "hop matrix and tables"),
                                ("dor", 45, "hop matrix and tables"), ("file", 45, "hop matrix and tables"),
                                ("lash", 60, "routes, layers and tables"), ("nue", 40, "tables"),
                                ("dfsssp", 60, "layers of pairs and tables"), ("sssp", 40, "tables"),
                                ("mincontention", 60, "distances of elements and tables")):
        short([MANY, "-e", "route " + engines], room, what + " of 2500 switches")
    short([MANY, "-e", "route dnup"], 80, "the hop matrix by port of 2500 switches")
    # a chain of engines does not go on with the next one: the first would have routed with more memory
    with Place() as p:
        done = p.run([MANY, "-e", "route lash,nue"], room=70)
        expect("nue routed" not in done.stdout and done.returncode == MEMORY, done.stdout, done.stderr)


def json_report():
    """In JSON the command fails as others do."""
    with Place() as p:
        done = p.run(["--json", MANY, "-e", "route minhop"], room=45)
        expect(done.returncode == MEMORY and '"ok":false' in done.stdout and "out of memory: " in done.stdout.split(
            '"error"')[1], done.stdout, done.stderr)


def started(t, fabric, more):
    """The explorer with a fabric, and so many bytes more of data than it has taken."""
    t.type("sh -c 'echo $$ >pid; exec %s %s'; echo ended $?" % (PROGRAM, fabric))
    t.keys("Enter")
    t.wait(r"switches, [\s\S]*Not routed yet")
    with open(os.path.join(t.dir, "pid"), encoding="ascii") as f:
        pid = int(f.read())
    with open("/proc/%d/statm" % pid, encoding="ascii") as f:
        size = int(f.read().split()[5]) * resource.getpagesize() + more
    resource.prlimit(pid, resource.RLIMIT_DATA, (size, size))


def explorer():
    """In the explorer the command fails and the session goes on."""
    t = tui.Terminal(size=(150, 30))
    try:
        started(t, "random:1700,4,seed=3", 45000000)
        t.run(":route lash")
        t.wait(r"out of memory: [\d.]+ MB needed for routes, layers and tables of 1700 switches")
        t.run(":echo still here")
        t.wait(r"^.?\s?still here")
        t.run(":quit")
        t.wait(r"^ended 0")
    finally:
        t.close()


def last_resort():
    """Where nobody asked before, the explorer leaves the terminal as it was."""
    t = tui.Terminal(size=(150, 30))
    try:
        started(t, "ring:4", 0)
        t.run(":synth torus:20x20x20")
        t.wait(r"^ended 3")
        t.type("clear; stty -a")
        t.keys("Enter")
        t.wait(r"(^|\s)icanon[\s\S]*(^|\s)echo\s")
    finally:
        t.close()


# --- what never ends ------------------------------------------------------------------------------------

def endless():
    """Reading ends at a stated limit, or where memory does."""
    line = r"/dev/zero: found a line of more than 1000000 bytes"
    limits = (
        (["-e", "source /dev/zero"], None, 3, line),
        (["-x", "/dev/zero"], None, 3, line),
        (["-F", "/dev/zero", "-e", "show"], None, 3, r"/dev/zero: found more than 16 MiB"),
        (["ring:4", "-e", "set guid2lid_file /dev/zero; route minhop"], None, 3,
         line),
        (["huge", "-e", "show"], None, 3, r"huge: found more than 4096 MiB"),
        (["/dev/zero", "-e", "show"], 300, MEMORY, r"out of memory: .* needed for reading /dev/zero"),
        (["ring:4", "-e", "route minhop; set io_guid_file /dev/zero; verify"], 300, 3,
         r"/dev/zero: found more than 16 MiB"),
        (["--node-name-map", "/dev/zero", "-e", "show"], 300, 3, r"/dev/zero: found more than 16 MiB"),
    )
    with Place() as p:
        with open(p.path("huge"), "wb") as f:
            f.truncate(20 * 10 ** 9)
        for args, room, status, pattern in limits:
            done = p.run(args, room=room)
            expect(done.returncode == status and re.search(pattern, done.stderr), "no", pattern, "for", args, ":",
                   done.returncode, done.stderr)


def endless_pipe():
    """A FIFO into which somebody writes without end."""
    with Place() as p:
        os.mkfifo(p.path("fifo"))
        with subprocess.Popen(["sh", "-c", "exec yes '# no end' >fifo"], cwd=p.dir, stderr=subprocess.DEVNULL) as writer:
            try:
                done = p.run(["fifo", "-e", "show"], room=300)
            finally:
                writer.kill()
        expect(done.returncode == MEMORY and "needed for reading fifo" in done.stderr, done.returncode, done.stderr)


# --- how much ------------------------------------------------------------------------------------------

def tables():
    """A sweep, and then an event, each take at most three times the tables more: no clock has a say in that."""
    for engine in ("updn", "ar_updn", "sssp", "dfsssp qos=TRUE", "nue qos=TRUE", "mincontention"):
        with subprocess.Popen([PROGRAM, "--json", "--no-text", "--no-rc", "-x", "-", "xgft:10,10,20:1,10,10"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as p:
            def after(line, what):
                print(line, file=p.stdin, flush=True)
                o = next((o for o in map(objects.loads, p.stdout) if o["command"] == line.split()[0]), None)
                expect(o and o["ok"], line, ":", o)
                with open("/proc/%d/status" % p.pid, encoding="ascii") as f:
                    return o, int(re.search(what + r":\s+(\d+) kB", f.read())[1]) * 1024
            loaded = after("show", "VmRSS")[1]
            o, routed = after("route " + engine, "VmHWM")
            most = 3 * o["routing"]["switches"] * (o["routing"]["max_lid"] + 1)
            failed = after("fail link leaf-002[11]", "VmHWM")[1]
            p.stdin.close()
        expect(routed - loaded <= most and failed - routed <= most, engine, "takes", routed - loaded, "bytes, and",
               failed - routed, "for an event; three times the tables are", most)


TESTS = [tables, text, json, script, document, all_fail, matrices, json_report, explorer, last_resort, endless, endless_pipe]


def main():
    chosen = [t for t in TESTS if len(sys.argv) < 2 or t.__name__ in sys.argv[1:]]
    bad = 0
    tui.machine.serve_programs()
    for test in chosen:
        start = time.monotonic()
        try:
            test()
        except (Failed, tui.Failed, OSError, subprocess.SubprocessError) as e:
            bad += 1
            print("FAIL memory/%s: %s" % (test.__name__, str(e)[:3000]), flush=True)
        if os.environ.get("TIMES"):
            print("%s: %.1f s" % (test.__name__, time.monotonic() - start))
    print("%d passed, %d failed" % (len(chosen) - bad, bad))
    return 1 if bad or not chosen else 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
