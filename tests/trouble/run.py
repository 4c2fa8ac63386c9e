#!/usr/bin/env python3
"""What goes wrong around the program: clocks that are set, tasks that are killed,
two programs at one set of files, more LIDs than there are, links that change under a file that is written.

usage: run.py IBSCOPE CLOCK_SO [TEST]...

Prints "N passed, N failed".
"""
import collections, fcntl, glob, json, os, queue, random, re, shutil, signal, subprocess, sys, tempfile, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "live"))
import run as live  # noqa: E402
from trial import BOUND  # noqa: E402

PROGRAM, CLOCK = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
DEMO = os.path.join(ROOT, "tests", "fabrics", "demo-3level.ibnet")
SEED = int(os.environ.get("SEED", 0)) or random.randrange(1, 1 << 30)


class Failed(Exception):
    pass


def expect(good, why):
    if not good:
        raise Failed(why)


def wait(true, why):
    end = time.monotonic() + BOUND
    while not true():
        expect(time.monotonic() < end, "%s, within %d s" % (why, BOUND))
        time.sleep(0.01)


def run(folder, *argv, **env):
    return subprocess.run([PROGRAM, *argv], cwd=folder, env=dict(os.environ, **env), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", timeout=600)


def objects(text):
    return [json.loads(line) for line in text.splitlines()]


# --- clocks -------------------------------------------------------------------------------------

def negative(o):
    """Keys with numbers below 0, anywhere in an object."""
    if isinstance(o, dict):
        return [k for k, v in o.items() if isinstance(v, (int, float)) and v < 0] + [n for v in o.values() for n in negative(v)]
    return [n for v in o for n in negative(v)] if isinstance(o, list) else []


def clocks(folder):
    """Clocks set back and forth while it works: the same answers, no negative time, and it ends."""
    commands = "show; check; compare minhop updn; survey switches; fail random 2 seed=1; flap node0001[1]; save-session S"
    want, asked = None, os.path.join(folder, "asked")
    for jumps in ("", "real", "all"):
        env = {"LD_PRELOAD": CLOCK, "CLOCK_JUMPS": jumps, "CLOCK_TOLD": asked} if jumps else {}
        r = run(folder, "--json", "-R", "updn", "-e", commands, DEMO, **env)
        told = objects(r.stdout)
        expect(len(told) > 6 and not negative([o for o in told if o["command"] != "diff"]), "%s: %s" % (jumps, negative(told)))
        text = re.sub(r"[\d.]+ ms", "", r.stdout)
        text = re.sub(r'"(ms|seconds)":[\d.e-]+|"time":"[^"]*"', "", text)
        want = want or (r.returncode, text)
        expect((r.returncode, text) == want, "%s: other answers: %s" % (jumps, r.stderr))
    expect(len(open(asked).readlines()) >= 2, "the clocks were not preloaded")
    sim = live.Sim(live.SMALL)
    try:
        live.sweep(sim)
        for jumps in ("real", "all"):
            r = sim.run(PROGRAM, "--json", "-e", "watch 0 rounds 3; live tables; check", timeout=BOUND, CLOCK_JUMPS=jumps,
                        LD_PRELOAD="%s %s" % (CLOCK, live.PRELOAD))
            told = objects(r.stdout)
            rounds, told = [o for o in told if o.get("kind") == "round"], [o for o in told if "kind" not in o]
            expect(r.returncode == 1 and [o["ok"] for o in told] == [True] * 3 and len(rounds) == 3  # no manager answers
                   and not negative(told), "%s: %s %s" % (jumps, r.stdout[-500:], r.stderr))
    finally:
        sim.close()


def read_end(fifo, why):
    """Waits until somebody reads the FIFO; its other end, which holds the reader while it is open."""
    found = []

    def opened():
        try:
            found.append(open(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK), "wb"))
        except OSError:
            pass
        return found

    wait(opened, why)
    return found[0]


# --- shares of a survey -------------------------------------------------------------------------

def shares(folder):
    """Tasks killed while they read the fabric, and at any moment, and run again: the same rows as in one run."""
    rnd, script, n, killed = random.Random(SEED), os.path.join(ROOT, "tui", "ibscope-survey.slurm"), 3, 0
    what, engine = "links", "updn"
    fabric = "xgft:8,8,8:1,8,8"
    whole = objects(run(folder, "--json", "-R", engine, "-e", "survey " + what, fabric).stdout)[-1]
    shares_in, fifo = os.path.join(folder, "shares"), os.path.join(folder, "fifo")
    os.mkfifo(fifo)
    for share in range(1, n + 1):
        env = dict(os.environ, SLURM_ARRAY_TASK_ID=str(share), SLURM_ARRAY_TASK_COUNT=str(n), IBSCOPE=PROGRAM,
                   SLURM_CPUS_PER_TASK="1")
        for moment in ("held", rnd.random() * 0.1, None):
            p = subprocess.Popen(["sh", script, shares_in, fifo if moment == "held" else fabric, engine, what], cwd=folder, env=env, start_new_session=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            if moment == "held":
                hold = read_end(fifo, "the task reads the fabric")
                os.killpg(p.pid, signal.SIGKILL)
            elif moment is not None:
                wait(lambda: p.poll() is not None or glob.glob("%s/share-%d.json*" % (shares_in, share)), "the task begins")
                time.sleep(moment)
                try:
                    os.killpg(p.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            err = p.communicate(timeout=BOUND)[1]
            if moment == "held":
                hold.close()
                killed += p.returncode == -signal.SIGKILL
            expect(moment is not None or p.returncode == 0, "share %d: %s" % (share, err))
    files = sorted(glob.glob(shares_in + "/share-?.json"))
    merged = objects(run(folder, "--json", "-e", "survey merge " + " ".join(files)).stdout)[-1]
    differing = [k for k in whole if whole[k] != merged.get(k)]
    expect(killed == n and merged["ok"] and not differing, "SEED=%d, %d killed: %s differ, %s" % (SEED, killed, differing, merged.get("error")))
    part = open(files[1]).read()
    with open(files[1], "w") as f:
        f.write(part[:rnd.randrange(1, len(part) - 2)])
    r = run(folder, "--json", "-e", "survey merge " + " ".join(files))
    expect(r.returncode == 3 and "share-2.json" in r.stdout, "a cut share was taken, SEED=%d: %s" % (SEED, r.stdout[:300]))


# --- two programs at one set of files -----------------------------------------------------------

def opens(pid, path):
    try:
        return path in [os.readlink("/proc/%d/fd/%s" % (pid, n)) for n in os.listdir("/proc/%d/fd" % pid)]
    except OSError:
        return False


def one_session(folder):
    """The files of a session change places while no other program changes them, so none is of two sessions."""
    run(folder, DEMO, "-e", "save a")
    run(folder, "xgft:4,4:1,2", "-e", "save b")
    held = os.open(folder, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    writers = []
    try:
        for name, engine in (("a", "minhop"), ("b", "updn")):
            writers.append(subprocess.Popen([PROGRAM, "-R", engine, "-", "-e", "save-session S"], cwd=folder,
                                            stdin=open(os.path.join(folder, name)), stdout=subprocess.DEVNULL,
                                            stderr=subprocess.PIPE))
        real = os.path.realpath(folder)
        for p in writers:
            wait(lambda p=p: opens(p.pid, real) or p.poll() is not None, "the writer looks at the folder")
            expect(p.poll() is None, "it did not wait for the other one")
        expect(not glob.glob(folder + "/S") + glob.glob(folder + "/S.ibnet"), "a file took its place meanwhile")
        fcntl.flock(held, fcntl.LOCK_UN)
        said = [p.communicate(timeout=BOUND)[1] for p in writers]
        expect([p.returncode for p in writers] == [0, 0], said)
    finally:
        os.close(held)
        for p in writers:
            if p.poll() is None:
                p.kill()
                p.wait()
    engine = re.search(r"^route (\w+)", open(folder + "/S").read(), re.M)[1]
    nodes = open(folder + "/S.ibnet").read().count("\nSwitch")
    want = open(os.path.join(folder, "a" if engine == "minhop" else "b")).read().count("\nSwitch")
    expect(nodes == want, "the script of %s has a fabric of %d switches, not of %d" % (engine, nodes, want))
    left = set(os.listdir(folder)) - {"a", "b", "S", "S.ibnet"}
    expect(not left, left)


# --- more LIDs than there are -------------------------------------------------------------------

def many_lids(folder):
    """LMC 7 on 10,000 hosts (500, if not LONG=1): who gets no LID is told, nothing is sound, no LID has two owners."""
    tree, switches = ("xgft:100,100:1,50", 150) if os.environ.get("LONG") == "1" else ("xgft:20,25:1,10", 35)
    r = run(folder, "--json", "-R", "minhop", "-e", "set lmc 7; check; export lfts T; set lmc 0; check", tree)
    told = objects(r.stdout)
    checks = [o for o in told if o["command"] == "check"]
    expect(r.returncode == 1 and len(checks) == 2 and not checks[0]["sound"] and checks[1]["sound"], r.stderr[-300:])
    r = run(folder, "-R", "minhop", "-e", "set lmc 7; check", tree)
    missing = int(re.search(r"(\d+) endports without LID", r.stdout)[1])
    refused = len(re.findall(r"gets no LID: no 128 free LIDs up to 49151", r.stdout + r.stderr))
    expect("NOT SOUND" in r.stdout and refused and missing >= refused, (missing, refused))
    lids, tables = set(), 0
    for line in open(os.path.join(folder, "T")):
        m = re.match(r"0x([0-9a-f]+) ", line)
        if m:
            lids.add(int(m[1], 16))
        tables += line.startswith("Unicast lids")
    expect(tables == switches and lids and 0 < min(lids) and max(lids) <= 0xbfff, (tables, len(lids)))


# --- links ---------------------------------------------------------------------------------------

def swapped(folder):
    """The target becomes another link again and again while it is written: each file is an old one or a whole new one."""
    os.makedirs(folder + "/x")
    run(folder, "-R", "minhop", "-e", "export lfts want", DEMO)
    want, old, end = open(folder + "/want").read(), "old\n", threading.Event()

    def swap():
        n = 0
        while not end.is_set():
            n += 1
            name = folder + "/x/new"
            if n % 3 == 0:
                try:
                    os.link(folder + "/x/one", name)
                except FileNotFoundError:  # the kernel found `one` as another took its place: once more
                    continue
            else:
                os.symlink("one" if n % 3 == 1 else folder + "/x/two", name)
            os.rename(name, folder + "/x/out")

    for name in ("one", "two"):
        with open(folder + "/x/" + name, "w") as f:
            f.write(old)
    os.symlink("one", folder + "/x/out")
    t = threading.Thread(target=swap)
    t.start()
    try:
        done = [run(folder, "-R", "minhop", "-e", "export lfts x/out", DEMO) for _ in range(20)]
    finally:
        end.set()
        t.join()
    expect(all(r.returncode == 0 for r in done), [r.stderr for r in done if r.returncode][:2])
    os.path.exists(folder + "/x/new") and os.unlink(folder + "/x/new")
    expect(sorted(os.listdir(folder + "/x")) == ["one", "out", "two"], os.listdir(folder + "/x"))
    texts = [open(folder + "/x/" + name).read() for name in ("one", "two", "out")]
    expect(set(texts) <= {old, want} and want in texts, [len(t) for t in texts])


# --- a watched fabric that goes away and comes back ----------------------------------------------

def resources(pid):
    """(KiB in memory, open files, processes below it) of a process."""
    kib = int(re.search(r"VmRSS:\s+(\d+)", open("/proc/%d/status" % pid).read())[1])
    return kib, len(os.listdir("/proc/%d/fd" % pid)), len(open("/proc/%d/task/%d/children" % (pid, pid)).read().split())


class Watch:
    """The program at `watch 0`, with what it says, line by line."""

    def __init__(self, sim, folder):
        self.p = subprocess.Popen([PROGRAM, "-e", "watch 0"], env=dict(sim.env(True), TMPDIR=folder), cwd=folder, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.lines = queue.Queue()
        self.said, self.round, self.events = [], 0, 0
        threading.Thread(target=lambda: [self.lines.put(line) for line in self.p.stdout], daemon=True).start()

    def until(self, *patterns):
        """Read up to a line that one of the patterns is found in.  A round says one of the known things, or nothing; its number is higher than the one before."""
        while True:
            try:
                line = self.lines.get(timeout=BOUND)
            except queue.Empty:
                raise Failed("none of %s within %d s after %s" % (patterns, BOUND, self.said[-12:])) from None
            self.said = (self.said + [line])[-40:]
            m = re.match(r"\[(\d+) \d{4}-\S+Z\] (.*)", line)
            expect(m, "a line without round and time: %r" % line)
            if int(m[1]) != self.round:
                expect(int(m[1]) > self.round, "round %d, then %r" % (self.round, line))
                self.round = int(m[1])
                self.events += not re.match("discovery|live:|no |nothing ", m[2])
            if any(re.search(p, line) for p in patterns):
                return line


def watched(folder):
    """`watch` while the simulator dies at any moment, stands still, comes back as it was or otherwise: it goes on, tells each, keeps
    nothing, and never says that tables followed which are not there.  WATCHED=SECONDS: as long as that (otherwise five deaths)."""
    rng, sim, w, worth = random.Random(SEED), live.Sim(live.SMALL), None, collections.Counter()
    until = time.monotonic() + float(os.environ.get("WATCHED", 0))
    followed, first = r"The tables followed: every host reaches every host", None
    try:
        live.sweep(sim)
        w = Watch(sim, folder)
        w.until(followed)
        while worth["deaths"] < 5 or time.monotonic() < until:
            time.sleep(rng.random() * 0.2)
            if rng.random() < 0.25:
                worth["stood still"] += 1
                sim.proc.send_signal(signal.SIGSTOP)
                time.sleep(rng.random() * 0.5)
            sim.proc.kill()
            w.until("no answer|connect|no ibsim|cannot")
            worth["deaths"] += 1
            sim = live.begun_anew(sim, live.SMALL)
            if rng.random() < 0.5:
                sim.console('Unlink "S-000000000abc0011"[7]')
            w.until("have not followed", "not known, as `check`", "nothing changed; what was wrong still is")
            live.sweep(sim)
            w.until(followed)
            worth["came back"] += 1
            first = first or min((resources(w.p.pid) for _ in range(100)), key=lambda r: r[1:])
            # between two rounds no more is open than at first, but for a moment that was not met
            wait(lambda: all(map(int.__le__, resources(w.p.pid)[1:], (first[1] + 2, 1))), "as few files and processes as at first, %s" % (first,))
            kib = resources(w.p.pid)[0]
            # an event stays in the journal, a round nowhere
            expect(kib < first[0] + 4096 + 128 * w.events, "%d KiB after %d rounds, %d events, %d at first"
                   % (kib, w.round, w.events, first[0]))
        w.p.send_signal(signal.SIGINT)
        expect(w.p.wait(BOUND) in (1, -signal.SIGINT), "status %s" % w.p.returncode)
        wait(lambda: not os.listdir(folder), "nothing left behind")
        if os.environ.get("WATCHED"):
            print("watched: %s, %d rounds, %d events, %d KiB after the first, %d at the end"
                  % (dict(worth), w.round, w.events, first[0], kib), flush=True)
    finally:
        if w and w.p.poll() is None:
            w.p.kill()
            w.p.wait()
        sim.close()


TESTS = [clocks, shares, one_session, many_lids, swapped, watched]


def main():
    tests = [t for t in TESTS if len(sys.argv) < 4 or t.__name__ in sys.argv[3:]]
    bad = 0
    sys.path.insert(0, os.path.join(ROOT, "tests", "tui"))
    os.environ.setdefault("IBSCOPE", PROGRAM)
    import machine
    machine.serve_programs()
    for test in tests:
        folder = tempfile.mkdtemp(prefix="ibscope-trouble-")
        try:
            test(folder)
        except (Failed, OSError, ValueError, KeyError, TypeError, subprocess.SubprocessError) as e:
            bad += 1
            print("FAIL trouble/%s (SEED=%d): %s %s" % (test.__name__, SEED, type(e).__name__, e), flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print("%d passed, %d failed" % (len(tests) - bad, bad))
    return 1 if bad or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
