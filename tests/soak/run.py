#!/usr/bin/env python3
"""Long random runs of everything that takes random input: `make soak`.

usage: run.py [--part NAME]... [--list]

Environment:
  SOAK_SECONDS=3600    for all parts together (two run at a time)
  SEED=N               what they draw comes from it (default: new, printed)
  BUILD=build          folder of the programs

The time is shared among the parts by weight.  What fails is kept in BUILD/soak/found/, a folder each, with
`why` (what was seen and how to repeat it) and the input.  At the end one table tells what each part tried,
for how long, and what it found.  Exit status 1 when a part found something or tried nothing.
"""
import collections
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
BUILD = os.path.abspath(os.path.join(ROOT, os.environ.get("BUILD", "build")))
FOUND = os.path.join(BUILD, "soak", "found")
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)

LANES = 2       # parts at a time
TARGETS = sorted(n[5:-2] for n in os.listdir(os.path.join(ROOT, "tests", "fuzz")) if n.startswith("fuzz_"))
stop = threading.Event()
children = set()


class Turn:
    """A part at work: its time, its seed, what it has tried and found."""

    def __init__(self, name, seconds, seed):
        self.name, self.seed, self.seconds = name, seed, seconds
        self.begun = time.monotonic()
        self.tried, self.faults = 0, 0
        self.results = collections.Counter()    # told in the table beside what was tried
        self.folder = tempfile.mkdtemp(prefix="ibscope-soak-")

    def left(self):
        return self.begun + self.seconds - time.monotonic()

    def more(self):
        return self.left() > 0 and not stop.is_set()

    @staticmethod
    def program(name):
        path = os.path.join(BUILD, name)
        if not os.access(path, os.X_OK):
            raise FileNotFoundError("no program %s: `make soak` builds it" % path)
        return path

    def found(self, why, files, folder=None):
        """files: name -> text or bytes; folder: one that is copied."""
        if stop.is_set():
            return      # it was us who ended it
        self.faults += 1
        where = os.path.join(FOUND, "%s-%s-%d" % (self.name, self.seed, self.faults))
        shutil.rmtree(where, ignore_errors=True)
        if folder:
            shutil.copytree(folder, where, symlinks=True)
        os.makedirs(where, exist_ok=True)
        for name, text in dict(files, why=why + "\n").items():
            with open(os.path.join(where, name), "wb") as f:
                f.write(text if isinstance(text, bytes) else text.encode(errors="replace"))
        print("FOUND %s: %s\n    files: %s" % (self.name, why[-1500:], where), flush=True)

    def run(self, argv, limit, env=None):
        """(status, what it printed); one that does not end within `limit` seconds has the status -9."""
        with tempfile.TemporaryFile() as out:
            p = subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                 start_new_session=True, env=dict(os.environ, TMPDIR=self.folder, **(env or {})))
            children.add(p)
            try:
                p.wait(limit)
            except subprocess.TimeoutExpired:
                pass
            finally:
                end_group(p)
                children.discard(p)
            out.seek(0)
            return p.returncode, out.read().decode(errors="replace")

    def count(self, text, pattern):
        """Add the numbers that a program has printed."""
        n = sum(map(int, re.findall(pattern, text, re.M)))
        self.tried += n
        return n


def end_group(p):
    """The process and what it has started, if there is anything left."""
    if p.poll() is None:
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    p.wait()


# --- parts that are programs -----------------------------------------------------------------


def read(path):
    with open(path, "rb") as f:
        return f.read()


def commands(turn):
    """Random command lines on small fabrics, with all engines and panes, undone and redone (ASan, UBSan)."""
    driver, rng = turn.program("soak/driver"), random.Random("%s/commands" % turn.seed)
    while turn.more():
        keep, seed = os.path.join(turn.folder, "lines"), rng.randrange(1, 2 ** 62)
        seconds = min(turn.left(), 600)
        argv = [driver, "--seconds", "%d" % max(1, seconds), "--seed", str(seed), "--keep", keep]
        status, said = turn.run(argv, 4 * seconds + 300)
        if not turn.count(said, r"^tried (\d+)$") and os.path.exists(keep):
            lines = read(keep).decode(errors="replace")
            turn.count(lines, r"lines before: (\d+)")
            turn.tried += lines.count("\n") - 1
        turn.results["undone and redone"] += sum(map(int, re.findall(r"(\d+) times undone", said)))
        if status:
            repeat = re.match(rb"# (.*);", read(keep)) if os.path.exists(keep) else None
            turn.found("status %d; repeat: %s\n%s" % (status, repeat[1].decode() if repeat else argv, said[-6000:]),
                       {"output": said, "lines": read(keep) if repeat else b""})


def seeds_of(target):
    """Files that a fuzz target is about."""
    folder = os.path.join(ROOT, "tests", "fuzz", "corpus", target)
    files = [os.path.join(folder, n) for n in sorted(os.listdir(folder))]
    formats = os.path.join(ROOT, "tests", "fabrics", "formats")
    if target in ("fabric", "lfts"):
        files += [os.path.join(formats, n) for n in sorted(os.listdir(formats))
                  if os.path.isfile(os.path.join(formats, n)) and n.endswith(".lfts") == (target == "lfts")]
    return files


def files(turn):
    """Bundled files of every format, bytes and lines changed at random, given to their readers (ASan, UBSan)."""
    rng = random.Random("%s/files" % turn.seed)
    for i, target in enumerate(TARGETS):
        if not turn.more():
            return
        seconds = max(1, turn.left() / (len(TARGETS) - i))
        keep = os.path.join(turn.folder, "input." + target)
        argv = [turn.program("soak/fuzz_" + target), str(rng.randrange(2 ** 62)), "%d" % seconds, keep] + seeds_of(target)
        status, said = turn.run(argv, 4 * seconds + 300)
        turn.count(said, r"^tried (\d+)$")
        if status:
            turn.found("status %d; repeat: build/replay/fuzz_%s input\n%s" % (status, target, said[-6000:]),
                       {"output": said, "input": read(keep) if os.path.exists(keep) else b""})


def merge(turn, target, corpus):
    """Only what reaches something new stays."""
    small = os.path.join(turn.folder, "small-" + target)
    os.mkdir(small)
    status, said = turn.run([turn.program("fuzz/fuzz_" + target), "-merge=1", small, corpus], 600)
    if status == 0 and os.listdir(small):
        shutil.rmtree(corpus)
        shutil.move(small, corpus)
    elif status:
        turn.found("status %d of a merge\n%s" % (status, said[-3000:]), {"output": said})
    turn.results["files of corpora"] += len(os.listdir(corpus))


def libfuzzer(turn):
    """The fuzz targets under libFuzzer; afterwards the corpora are merged, so that they stay small."""
    rng = random.Random("%s/libfuzzer" % turn.seed)
    for i, target in enumerate(TARGETS):
        if not turn.more():
            return
        seconds = max(1, 0.9 * turn.left() / (len(TARGETS) - i))    # the rest is for the merge
        corpus = os.path.join(BUILD, "fuzz", "corpus-fuzz_" + target)
        artifacts = os.path.join(turn.folder, "artifacts-" + target)
        os.makedirs(corpus, exist_ok=True)
        os.makedirs(artifacts)
        argv = [turn.program("fuzz/fuzz_" + target), "-max_total_time=%d" % seconds, "-print_final_stats=1", "-timeout=60",
                "-seed=%d" % rng.randrange(1, 2 ** 31), "-artifact_prefix=%s/" % artifacts, corpus,
                os.path.join("tests", "fuzz", "corpus", target)]
        status, said = turn.run(argv, 4 * seconds + 300)
        turn.count(said, r"number_of_executed_units: (\d+)$")
        if status:
            turn.found("status %d of fuzz_%s\n%s" % (status, target, said[-6000:]), {"output": said}, artifacts)
        else:
            merge(turn, target, corpus)


def keys(turn):
    """Random sequences of keys typed into the REPL in every setting of tests/tui/keys.c (ASan, UBSan)."""
    rng = random.Random("%s/keys" % turn.seed)
    while turn.more():
        env = {"SEED": str(rng.randrange(1, 10 ** 9))}
        status, said = turn.run([turn.program("keys"), "--random", "20000"], 3600, env)
        turn.count(said, r"(\d+) sequences typed$")
        if status:
            turn.found("SEED=%s build/keys --random 20000: status %d\n%s" % (env["SEED"], status, said[-6000:]),
                       {"output": said})


def random_keys(turn, argv, program, steps):
    rng = random.Random("%s/%s" % (turn.seed, turn.name))
    while turn.more():
        env = {"IBSCOPE": turn.program(program), "SEED": str(rng.randrange(10 ** 9)), "STEPS": str(steps), "TUI_BOUND": "180"}
        status, said = turn.run(["python3"] + argv, 3600, env)
        turn.tried += steps
        if status:
            turn.found("SEED=%s STEPS=%d IBSCOPE=%s %s: status %d\n%s" % (env["SEED"], steps, env["IBSCOPE"], " ".join(argv),
                                                                       status, said[-6000:]), {"output": said})


def keys_asan(turn):
    """Random keys at random sizes under AddressSanitizer; a step is up to twelve keys."""
    random_keys(turn, ["tests/tui/run.py", "random_keys"], "ibscope-san", 100)


def keys_tsan(turn):
    """The same under ThreadSanitizer."""
    random_keys(turn, ["tests/tui/races.py", "random_keys"], "ibscope-tsan", 60)


# --- all ------------------------------------------------------------------------------------------


def parts():
    """(name, share of the time, function)."""
    import network
    import terminal

    return [("commands", 20, commands), ("files", 8, files), ("libfuzzer", 12, libfuzzer), ("keys", 6, keys),
                 ("keys-asan", 8, keys_asan), ("keys-tsan", 8, keys_tsan), ("signals", 8, terminal.signals),
                 ("drops", 10, network.drops), ("events", 20, network.sequences)]


def lanes(chosen):
    """Parts one after the other in each lane, the lanes of about the same weight."""
    made = [[] for _ in range(min(LANES, len(chosen)))]
    for part in sorted(chosen, key=lambda p: -p[1]):
        min(made, key=lambda lane: sum(p[1] for p in lane)).append(part)
    return made


def run_lane(lane, seconds, seed, turns):
    for i, (name, weight, function) in enumerate(lane):
        weights = sum(p[1] for p in lane[i:])
        turn = Turn(name, seconds * weight / weights, seed)
        turns[name] = turn
        try:
            function(turn)
        except Exception as e:  # whatever it is: the other parts go on
            turn.found("%s: %s" % (type(e).__name__, e), {})
        finally:
            shutil.rmtree(turn.folder, ignore_errors=True)
        took = time.monotonic() - turn.begun
        seconds = max(1, seconds - took)
        turn.seconds = took
        print("%s: %d tried, %d found" % (name, turn.tried, turn.faults), flush=True)
        if stop.is_set():
            return


def table(turns, order):
    """One line a part."""
    rows = [("part", "tried", "seconds", "found", "")]
    for name in order:
        t = turns.get(name)
        if t:
            more = ", ".join("%d %s" % (n, what) for what, n in sorted(t.results.items()))
            rows.append((name, "%d" % t.tried, "%d" % t.seconds, "%d" % t.faults, more))
    wide = [max(len(r[i]) for r in rows) for i in range(4)]
    for r in rows:
        print("  ".join([r[0].ljust(wide[0])] + [r[i].rjust(wide[i]) for i in (1, 2, 3)] + [r[4]]).rstrip())


def end_all(*_):
    stop.set()
    for p in list(children):
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def main():
    all_parts = parts()
    names = [p[0] for p in all_parts]
    wanted = [b for a, b in zip(sys.argv[1:], sys.argv[2:]) if a == "--part"]
    if sys.argv[1:] == ["--list"]:
        for name, weight, function in all_parts:
            print("%-10s %3d  %s" % (name, weight, function.__doc__))
        return 0
    if len(sys.argv) != 1 + 2 * len(wanted) or set(wanted) - set(names):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    seconds = float(os.environ.get("SOAK_SECONDS", "3600"))
    seed = os.environ.get("SEED") or str(random.SystemRandom().randrange(10 ** 9))
    print("soak: SEED=%s, %g s" % (seed, seconds), flush=True)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end_all)
    turns = {}
    threads = [threading.Thread(target=run_lane, args=(lane, seconds, seed, turns))
               for lane in lanes([p for p in all_parts if not wanted or p[0] in wanted])]
    for t in threads:
        t.start()
    for t in threads:
        while t.is_alive():
            t.join(1)       # signals come in between
    table(turns, names)
    return 1 if stop.is_set() or any(t.faults or not t.tried for t in turns.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
