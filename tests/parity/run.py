#!/usr/bin/env python3
"""Compare ibscope with the real OpenSM over ibsim, sweep by sweep, byte by byte.

usage: run.py [--note] [CASE...]        names or globs of cases; none: all of them

For each fixed case tests/parity/verified holds the sum of what it asks and of all that ibscope answered when the real
OpenSM answered the same, about every pair.  Where both are as they were, OpenSM's answer is known and is not computed
again; any other case is compared with the real one at once.  --note runs all fixed cases and writes that file.

Environment:
  IBSCOPE=build/ibscope-san    program under test
  SEED=N                       of the random cases (default: new, printed)
  PARITY_CASES=N               random cases (default 300); 0: the fixed list only
  PARITY_SECONDS=N             start no further random case after N seconds (default 240) ...
  PARITY_LEAST=N               ... but the first N whatever the time (default 40)
  PARITY_ASKED=N               of the fixed cases whose sum is as it was, the real OpenSM is asked about N, drawn by SEED
                               (default: about all)
  PARITY_OTHERS=N              of the cases of loaded.py, surveyed.py, edited.py, ordered.py, chanced.py and confusion.py N each, drawn by SEED (default: all)
  PARITY_PAIRS=N               pairs of LIDs per sweep of which the SA is asked (default 3000), drawn by SEED where
                               there are more; 0: all
  PARITY_JOBS=2                cases at a time
  PARITY_KEEP=build/parity     files of failing cases go there, a folder a case
  PARITY_SANE=N                of the fixed cases whose sum is known ibscope answers one in N, drawn, under the sanitizers, and the
                               others as it is built beside (default 1: all under them)
  PARITY_LEAKS=N               what ibscope leaves unfreed is looked for in one start of N, drawn (default 1: in each)

Prints a line for each failing case, with the first difference and how to repeat
it, and at last "N passed, N failed".  Exit status 1 when one failed, 2 when
nothing could be run.
"""
import concurrent.futures
import fnmatch
import glob
import hashlib
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)

import cases            # noqa: E402
import chanced          # noqa: E402
import confusion        # noqa: E402
import edited           # noqa: E402
import endless          # noqa: E402
import loaded           # noqa: E402
import manager          # noqa: E402
import opensm           # noqa: E402
import ordered          # noqa: E402
import pairing          # noqa: E402
import surveyed         # noqa: E402
from trial import BOUND  # noqa: E402

IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope-san")))
PLAIN = os.path.join(os.path.dirname(IBSCOPE), "ibscope")
SANE = int(os.environ.get("PARITY_SANE", "1"))
VERIFIED = os.path.join(HERE, "verified")
KEEP = os.path.abspath(os.environ.get("PARITY_KEEP", os.path.join(ROOT, "build", "parity")))
mine = threading.local()    # program: which one this thread's case asks, where it is not IBSCOPE
made = {}                   # spec of synth: the fabric's text
running = set()             # OpenSM instances, to be ended when we are
stop = threading.Event()


class Mismatch(Exception):
    """The case failed: the message is what is printed."""


# --- the two sides --------------------------------------------------------------------


def ibscope(args, cwd, good=(0,)):
    try:
        done = subprocess.run([getattr(mine, "program", IBSCOPE)] + args, cwd=cwd, env=pairing.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=BOUND)
    except subprocess.TimeoutExpired:
        raise Mismatch("ibscope: no end within %d s" % BOUND)
    if done.returncode not in good and not STOP.search(done.stdout):
        lines = done.stdout.strip().splitlines()
        raise Mismatch("ibscope: exit status %d: %s" % (done.returncode, " | ".join(lines[-3:])))
    return done.stdout


def make_fabrics(todo):
    """The fabrics that these cases name by a spec: one start of ibscope makes them all."""
    specs = sorted({case.source[1] for case in todo if case.source[0] == "spec"})
    with tempfile.TemporaryDirectory(prefix="parity-made.") as folder:
        with open(os.path.join(folder, "make"), "w") as f:
            f.writelines("synth %s\nsave %d.topo\n" % (spec, i) for i, spec in enumerate(specs))
        ibscope(["-x", "make"], folder)
        for i, spec in enumerate(specs):
            with open(os.path.join(folder, "%d.topo" % i)) as f:
                made[spec] = f.read()


def fabric_text(case, folder):
    """Write the case's fabric to fabric.topo; its text."""
    path = os.path.join(folder, "fabric.topo")
    kind, what = case.source
    if kind == "spec" and what in made:
        with open(path, "w") as f:
            f.write(made[what])
    elif kind == "spec":
        ibscope(["-e", "synth %s; save fabric.topo" % what], folder)
    elif kind == "file":
        shutil.copyfile(what, path)
    else:
        with open(path, "w") as f:
            f.write(what)
    with open(path, errors="replace") as f:
        return f.read()


def write_options(case, folder):
    """Files of the options; the options as text."""
    values = {}
    for name, value in case.options.items():
        if isinstance(value, cases.File):
            path = os.path.join(folder, name)
            with open(path, "w") as f:
                f.writelines(line + "\n" for line in value.lines)
            value = path
        elif isinstance(value, cases.Made):
            value = os.path.join(folder, name)
            ibscope(["-e", "load fabric.topo; %s %s" % (case.options[name].command, value)], folder)
        values[name] = str(value)
    return values


def write_script(case, options, folder):
    lines = ["set port_guids ibsim"] + ['set %s "%s"' % item for item in options.items()]
    lines += ["load fabric.topo", "route " + case.engine.chain]
    for n in range(len(case.steps) + 1):
        if n:
            lines.append(case.steps[n - 1])
        lines += ["export lfts got.%d" % n, "export guid2lid got-guid2lid.%d" % n]
        if "paths" in case.engine.compare:
            lines.append("export paths got-paths.%d" % n)
        if options.get("qos") == "TRUE":
            lines.append("export sl2vl got-maps.%d" % n)
    with open(os.path.join(folder, "script"), "w") as f:
        f.writelines(line + "\n" for line in lines)


def run_opensm(case, options, fabric, folder, steps=None, cpu_seconds=None, failing=(), each=lambda sm, n: None):
    """
    Dumps expected.N, paths expected-paths.N; the engine that routed, per sweep.
    steps: not all of the case's; cpu_seconds, failing: as OpenSM() has them; each: called after each
    sweep that did not fail, with the OpenSM and N.
    """
    engines = []
    conf = dict(options, routing_engine=case.engine.chain)
    with opensm.OpenSM(os.path.join(folder, "fabric.topo"), conf, timeout=BOUND,
                       cpu_seconds=cpu_seconds, failing=failing) as sm:
        running.add(sm)
        try:
            world = cases.Steps(fabric)
            for n, step in enumerate([None] + (case.steps if steps is None else steps)):
                words = (step or "").split()
                if words[:1] == ["set"]:
                    sm.restart({words[1]: words[2]})
                elif words[:1] == ["route"]:
                    sm.restart({"routing_engine": words[1]})
                elif step is not None:
                    sm.step(world.apply(step))
                engines.append(sm.engine())
                if n in failing:
                    continue        # no dumps
                with open(os.path.join(folder, "expected.%d" % n), "wb") as f:
                    f.write(sm.lfts())
                with open(os.path.join(folder, "expected-guid2lid.%d" % n), "wb") as f:
                    f.write(sm.read("guid2lid"))
                if options.get("qos") == "TRUE":
                    with open(os.path.join(folder, "expected-maps.%d" % n), "wb") as f:
                        f.write(sm.sl2vl())
                if "paths" in case.engine.compare:
                    text = sm.paths(sa_paths(), asked_pairs(sm.endport_lids(), "%s %d" % (case.name, n)))
                    with open(os.path.join(folder, "expected-paths.%d" % n), "w") as f:
                        f.write(text)
                each(sm, n)
        finally:
            running.discard(sm)
    return engines


def asked_pairs(lids, what):
    """All pairs of LIDs; of more than PARITY_PAIRS so many, each LID at least once as source and once as destination."""
    pairs = [(s, d) for s in lids for d in lids if s != d]
    most = int(os.environ.get("PARITY_PAIRS", "3000")) or len(pairs)
    if len(pairs) <= most:
        return pairs
    rng = random.Random("%s %s" % (os.environ["SEED"], what))
    order = rng.sample(lids, len(lids))
    return sorted(set(rng.sample(pairs, most)) | set(zip(order, order[1:] + order[:1])))


sa_lock = threading.Lock()


def sa_paths():
    """The program that asks for path records; built on first use."""
    program = os.path.join(KEEP, "sa_paths")
    source = os.path.join(HERE, "sa_paths.c")
    with sa_lock:
        if not os.path.exists(program) or os.path.getmtime(program) < os.path.getmtime(source):
            os.makedirs(KEEP, exist_ok=True)
            subprocess.run(shlex.split(os.environ.get("CC", "cc")) + ["-O2", "-o", program, source, "-libmad", "-libumad"],
                           check=True)
    return program


# --- comparison -------------------------------------------------------------------------


def compare_dumps(folder, what, n, step, ours="got"):
    """what: "" forwarding tables, "-maps" SL-to-VL maps; both begin a switch's block with a line in letters."""
    names = [os.path.join(folder, "%s%s.%d" % (side, what, n)) for side in ("expected", ours)]
    with open(names[0], "rb") as a, open(names[1], "rb") as b:
        want, got = a.read(), b.read()
    if want == got:
        return
    want, got = want.split(b"\n"), got.split(b"\n")
    different = [i for i in range(max(len(want), len(got))) if want[i:i + 1] != got[i:i + 1]]
    switch = b""
    for line in want[:different[0] + 1]:
        if line[:1].isalpha():
            switch = line
    text = "sweep %d (%s): %s differ in %d lines" % (n, step or "first", what.strip("-") or "lfts", len(different))
    text += "\n    %s" % switch.decode("utf-8", "replace")
    for i in different[:3]:
        for side, lines in (("opensm ", want), ("ibscope", got)):
            line = b"".join(lines[i:i + 1]).decode("utf-8", "replace")
            text += "\n    %s line %d: %s" % (side, i + 1, line)
    raise Mismatch(text)


def compare_memory(folder, n, step):
    """OpenSM writes guid2lid in the order of a hash."""
    want, got = (set(open(os.path.join(folder, "%s-guid2lid.%d" % (side, n))).read().split("\n\n"))
                 for side in ("expected", "got"))
    if want != got:
        raise Mismatch("sweep %d (%s): guid2lid: opensm alone %s, ibscope alone %s" % (
            n, step or "first", sorted(want - got)[:3], sorted(got - want)[:3]))


def sl_matches(want, got):
    """got: "3", "2..5" (drawn at random by OpenSM), or "-"."""
    if ".." in got and want != "-":
        low, high = got.split("..")
        return int(low) <= int(want) <= int(high)
    return want == got


def compare_paths(folder, n, step):
    with open(os.path.join(folder, "got-paths.%d" % n)) as f:
        got = {tuple(line.split()[:2]): line.split()[2] for line in f if line.strip()}
    with open(os.path.join(folder, "expected-paths.%d" % n)) as f:
        want = {tuple(line.split()[:2]): line.split()[2] for line in f}
    wrong = [k for k in want if k not in got or not sl_matches(want[k], got[k])]
    if wrong:
        k = wrong[0]
        raise Mismatch("sweep %d (%s): SL of %d of %d pairs differ; SLID %s DLID %s: opensm %s, ibscope %s"
                       % (n, step or "first", len(wrong), len(want), k[0], k[1], want[k],
                          got.get(k, "nothing")))


def compare_engines(engines, output):
    """After each sweep ibscope says "ENGINE routed N switches ..."."""
    got = re.findall(r"(\S+) routed \d+ switch", output, re.M)
    if len(got) != len(engines):
        raise Mismatch("ibscope told of %d sweeps, not %d: %s" % (len(got), len(engines), output[-300:]))
    for n, (a, b) in enumerate(zip(engines, got)):
        if a != b:
            raise Mismatch("sweep %d: opensm routed with %s, ibscope with %s" % (n, a, b))


RELOADED = 4            # of so many cases one also loads OpenSM's last dump as tables

# What ibscope says of a sweep that OpenSM ends with errors, because its table of ports by LID is wrong.
INCONSISTENT = "OpenSM reports an inconsistency here"
# Switches with one LID: engines with matrices of their own treat the LIDs in ways that are not modelled.
SAME_LID = re.compile(r"^LID \d+ goes to both ", re.M)


COLUMN_A_LID = ("minhop", "dor")
# Engines whose conduct with switches that have no LID in such a sweep is known.
SWITCH_WITHOUT_LID = COLUMN_A_LID + ("updn", "dnup", "lash")


def failing_sweeps(output):
    """Numbers of the sweeps that ibscope says OpenSM ends with errors."""
    parts = re.split(r"^.*\S+ routed \d+ switch.*$", output, flags=re.M)[1:]
    return {n for n, text in enumerate(parts) if INCONSISTENT in text}


# OpenSM would not get past a sweep: after it ibscope makes no tables and says so.
STOP = re.compile(r"^STOP: OpenSM 3\.3\.23 (never ends|crashes) here", re.M)
# The C library found that opensm had written beyond its own memory, and ended it: there is nothing to compare.
HEAP = re.compile(r"^\s*((realloc|malloc|calloc|free)\(\): |double free|corrupted (size|double-linked))", re.M)
STOP_SAMPLE = 2         # such random cases, drawn by the seed, are given to the real OpenSM to see
STOP_SHARE = 0.05       # more of the random cases than that must not end so: nothing would be compared
STOP_CPU_SECONDS = 4    # of CPU time: fifty times what it needs for a fabric of this size


class NotModelled(Exception):
    """ibscope itself said that LIDs are given twice or not at all, and the engine is not one of those above."""


class Stops(Exception):
    """ibscope itself said that OpenSM would never end, or crash."""


def predict(case, folder):
    """ibscope's dumps got.N.  Returns (fabric, options, its output)."""
    fabric = case.settle(fabric_text(case, folder))
    options = write_options(case, folder)
    write_script(case, options, folder)
    return fabric, options, ibscope(["-x", "script"], folder)


def restarts(case):
    return any(s.startswith(("set ", "route ")) for s in case.steps)


def check(case, folder, each=lambda sm, n: None):
    """each: as run_opensm() has it."""
    check_predicted(case, folder, *predict(case, folder), each=each)


def check_predicted(case, folder, fabric, options, output, each=lambda sm, n: None):
    """The same of what predict() returned."""
    again = restarts(case)
    if SAME_LID.search(output) and (again or case.engine.chain not in COLUMN_A_LID):
        raise NotModelled()
    if STOP.search(output):
        raise Stops()
    failing = failing_sweeps(output)
    if failing and case.engine.chain not in SWITCH_WITHOUT_LID:
        raise NotModelled()
    engines = run_opensm(case, options, fabric, folder, failing=failing, each=each)
    if "engine" in case.engine.compare:
        compare_engines(engines, output)
    for n in range(len(case.steps) + 1):
        step = case.steps[n - 1] if n else None
        if n in failing:
            continue
        compare_dumps(folder, "", n, step)
        compare_memory(folder, n, step)
        if options.get("qos") == "TRUE":
            compare_dumps(folder, "-maps", n, step)
        if "paths" in case.engine.compare:
            compare_paths(folder, n, step)
    if not failing:
        read_back(case, options, folder, again or SAME_LID.search(output))


def read_back(case, options, folder, changing):
    """Of one case in RELOADED: OpenSM's last dump read as tables.  changing: its LIDs change from sweep to sweep."""
    if zlib.crc32(case.name.encode()) % RELOADED or not tells_ranges(folder, len(case.steps), last_lmc(case, options)):
        return
    reload_dump(len(case.steps), folder)
    # such LIDs change hands from sweep to sweep; switches keep entries of LIDs from before a restart
    if not changing:
        find_no_drift(case, len(case.steps), folder)


# --- what is known of the fixed cases ---------------------------------------------------------


def sum_of(folder, output):
    """The sum of a case's files, ibscope's answers among them, and of the engines that routed."""
    told = hashlib.sha256()
    for path in sorted(glob.glob(os.path.join(folder, "*"))):
        with open(path, "rb") as f:
            told.update(os.path.basename(path).encode() + b"\0" + f.read().replace(folder.encode(), b"@") + b"\0")
    told.update(" ".join(re.findall(r"(\S+) routed \d+ switch", output)).encode())
    return told.hexdigest()


def verified():
    """{name of a fixed case: its sum}; nothing when the installed OpenSM is another one."""
    with open(VERIFIED) as f:
        known = f.read().splitlines()
    return dict(line.split() for line in known[1:]) if known[:1] == [opensm.version()] else {}


def check_unless(known, case, folder):
    """known: as verified() has it."""
    mine.program = PLAIN if random.SystemRandom().randrange(SANE) else IBSCOPE
    try:
        check_sum(known, case, folder)
    finally:
        mine.program = IBSCOPE


def check_sum(known, case, folder):
    fabric, options, output = predict(case, folder)
    if known.get(case.name) != sum_of(folder, output):
        return check_predicted(case, folder, fabric, options, output)
    # what OpenSM answered is what ibscope did; a sweep that it ends with errors leaves no dump
    for got in glob.glob(os.path.join(folder, "got.*")):
        shutil.copyfile(got, got.replace("got.", "expected."))
    if not failing_sweeps(output):
        read_back(case, options, folder, restarts(case) or SAME_LID.search(output))


def check_and_note(noted, case, folder):
    """noted: takes the sum of the case, if the real OpenSM answers the same."""
    fabric, options, output = predict(case, folder)
    found = sum_of(folder, output)
    check_predicted(case, folder, fabric, options, output)
    noted[case.name] = found


def note_all(seed):
    """Write VERIFIED; the exit status."""
    os.environ["PARITY_PAIRS"] = "0"
    noted = {}
    todo = cases.bundled_cases(os.path.join(ROOT, "tests", "fabrics"))
    status = report(todo, seed, time.monotonic(), (0, 0), lambda case: lambda *a: check_and_note(noted, *a))
    if not status:
        with open(VERIFIED, "w") as f:
            f.write(opensm.version() + "\n")
            f.writelines("%s %s\n" % (case.name, noted[case.name]) for case in todo)
    return status


def last_lmc(case, options):
    return int(([options.get("lmc", 0)] + [s.split()[2] for s in case.steps if s.startswith("set lmc ")])[-1])


def tells_ranges(folder, n, lmc):
    """Does the dump name each host's LIDs in both halves of its range?  Tables that are loaded may have but one entry."""
    lids = {}
    with open(os.path.join(folder, "expected.%d" % n), "rb") as f:
        for lid, guid in re.findall(rb"^0x(\w+) \d+ # (?:Channel Adapter|Router) portguid (\w+)", f.read(), re.M):
            lids.setdefault(guid, set()).add(int(lid, 16))
    return not lmc or all(len({lid >> lmc - 1 for lid in of_one}) == 2 for of_one in lids.values())


def reload_dump(n, folder):
    """What OpenSM dumped, read as tables onto the same fabric: no entry differs, and it comes out as it went in."""
    with open(os.path.join(folder, "script")) as f:
        lines = [line for line in f.read().splitlines() if not line.startswith("export ")]
    lines += ["snapshot engine", "tables expected.%d" % n, "diff engine", "export lfts again.%d" % n]
    with open(os.path.join(folder, "reload"), "w") as f:
        f.writelines(line + "\n" for line in lines)
    output = ibscope(["-x", "reload"], folder)
    if not re.search(r"^\S+ -> tables: 0 entries on 0 switches changed", output, re.M):
        raise Mismatch("tables of OpenSM's dump: %s" % output.strip()[-300:])
    compare_dumps(folder, "", n, "tables", "again")


# Entries that `drift` says are wrong: not right, nor kept by history.
WRONG = re.compile(r"^  (?:unknown|missing|dead|restart) .*", re.M)


def find_no_drift(case, n, folder):
    """What OpenSM left on the switches after its sweep is what its next sweep leaves there."""
    with open(os.path.join(folder, "script")) as f:
        lines = [line for line in f.read().splitlines() if not line.startswith("export ")]
    lines = ["tables expected.%d" % n if line.startswith("route ") else line for line in lines]
    lines.append("drift " + case.engine.chain)
    with open(os.path.join(folder, "drift"), "w") as f:
        f.writelines(line + "\n" for line in lines)
    tells_no_drift(case, ibscope(["-x", "drift"], folder, (0, 1)))


def tells_no_drift(case, output):
    if case.engine.chain.startswith("file"):     # may lead into ports that are down, and to LIDs that nobody has, by its file
        output = re.sub(r"^  (?:dead|unknown) .*", "", output, flags=re.M)
    # the first sweep knows fewer VLs: an engine that refuses in the next one leaves it to another, as the next dump shows
    changes_hands = re.search(r"^\S+ refuses: more than \d+ layers? (?:is|are) needed", output, re.M)
    if WRONG.search(output) and not changes_hands or "against what " not in output:
        raise Mismatch("drift from OpenSM's own tables: %s" % (output.strip() if len(output) < 1600 else output[:1000] + " ... " + output[-600:]))


def check_stop(case, folder):
    """A case in which ibscope stops: the sweeps before are compared, and then OpenSM must spin or die."""
    fabric, options, output = predict(case, folder)
    how = STOP.search(output)[1]
    good = len(re.findall(r"\S+ routed \d+ switch", output, re.M))
    steps = case.steps[:good]
    try:
        run_opensm(case, options, fabric, folder, steps, STOP_CPU_SECONDS)
        raise Mismatch("sweep %d: ibscope says that OpenSM %s, but it came to an end" % (good, how))
    except opensm.OpenSMSpins as e:
        seen, what = "never ends", e
    except opensm.OpenSMEnded as e:
        if e.program != "opensm":
            raise
        seen, what = "crashes", e
    if seen != how:
        raise Mismatch("sweep %d: ibscope says that OpenSM %s, but: %s" % (good, how, what))
    for n in range(good):
        compare_dumps(folder, "", n, steps[n - 1] if n else None)


def run_case(case, seed, check=check):
    """None, or the text of the failure."""
    if stop.is_set():
        return "not run"
    folder = tempfile.mkdtemp(prefix="parity-case.")
    try:
        check(case, folder)
        return None
    except NotModelled:
        return "not modelled"
    except Stops:
        return "stops"
    except (Mismatch, opensm.OpenSMError, subprocess.SubprocessError, OSError) as e:
        if stop.is_set():
            return "interrupted"
        if isinstance(e, opensm.OpenSMEnded) and e.program == "opensm" and HEAP.search(str(e)) and is_random(case):
            return "died"
        where = os.path.join(KEEP, re.sub(r"[^\w.=+-]", "_", case.name))
        shutil.rmtree(where, ignore_errors=True)
        shutil.copytree(folder, where)
        again = "tests/parity/run.py '%s'" % case.name
        if case.name.startswith("random-") or "paths" in case.engine.compare:
            again = "SEED=%s %s" % (seed, again)
        return "%s\n    options: %s\n    repeat: %s\n    files: %s" % (
            e, {k: v for k, v in case.options.items() if not isinstance(v, cases.File)}, again, where)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# --- all cases --------------------------------------------------------------------------


def wanted_cases(patterns, seed, count):
    everything = cases.bundled_cases(os.path.join(ROOT, "tests", "fabrics"))
    # a random case that is named may lie beyond the count
    named = [int(m[1]) for m in (re.fullmatch(r"random-(\d+)", p) for p in patterns) if m]
    numbers = list(range(count)) + sorted(n for n in named if n >= count)
    everything += [cases.random_case(seed, n) for n in numbers]
    if not patterns:
        return everything
    return [c for c in everything if any(fnmatch.fnmatch(c.name, p) or c.name == p for p in patterns)]


def end_everything(*_):
    stop.set()
    for sm in list(running):
        sm.close()
    sys.exit(130)


def main():
    if set(sys.argv[1:]) & {"-h", "--help"}:
        print(__doc__.strip())
        return 0
    lack = opensm.missing() or (None if os.access(IBSCOPE, os.X_OK) else "no program %s" % IBSCOPE)
    if lack:
        print("parity: %s" % lack, file=sys.stderr)
        return 2
    seed = os.environ.get("SEED") or str(random.SystemRandom().randrange(10 ** 9))
    os.environ["SEED"] = seed
    if sys.argv[1:] == ["--note"]:
        return note_all(seed)
    todo = wanted_cases(sys.argv[1:], seed, int(os.environ.get("PARITY_CASES", "300")))
    if not todo:
        print("parity: no such case", file=sys.stderr)
        return 2
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end_everything)
    print("parity with %s: SEED=%s" % (os.path.relpath(IBSCOPE), seed), flush=True)
    end = time.monotonic() + float(os.environ.get("PARITY_SECONDS", "240"))
    before = (0, 0)
    if len(sys.argv) == 1:
        before = [pairing.count_cases(name, module.CASES, module.check, seed)
                  for name, module in (("loaded", loaded), ("surveyed", surveyed), ("edited", edited), ("ordered", ordered), ("chanced", chanced), ("confusion", confusion))]
        before = tuple(map(sum, zip(*before, endless.run_all(), manager.run_all(seed if "PARITY_ASKED" in os.environ else None))))
    known = {}
    if len(sys.argv) == 1 and "PARITY_ASKED" in os.environ:
        known = verified()
        names = [case.name for case in todo if case.name in known]
        for name in random.Random("%s asked" % seed).sample(names, min(len(names), int(os.environ["PARITY_ASKED"]))):
            del known[name]
    make_fabrics([case for case in todo if not is_random(case)])
    return report(todo, seed, end, before, lambda case: (lambda *a: check_unless(known, *a)) if case.name in known else check)


def run_stops(numbers, seed, n_random):
    """Of the random cases in which ibscope stops a sample under the real OpenSM: (passed, failed)."""
    passed, failed = 0, 0
    sample = random.Random(seed).sample(numbers, min(len(numbers), STOP_SAMPLE))
    for number in sample:
        case = cases.random_case(seed, number)
        failure = run_case(case, seed, check_stop)
        passed, failed = passed + (not failure), failed + bool(failure)
        if failure:
            print("FAIL %s (%s): %s" % (case.name, case.source[1][:80].splitlines()[0], failure), flush=True)
    if numbers:
        print("%d of %d random cases not compared: OpenSM would never end or crash; %d of them run under it (%s)"
              % (len(numbers), n_random, len(sample), ", ".join("random-%d" % n for n in sample)))
    if len(numbers) > max(2, STOP_SHARE * n_random):
        print("FAIL: that are too many (at most %g %%)" % (100 * STOP_SHARE))
        failed += 1
    return passed, failed


def is_random(case):
    return case.name.startswith("random-")


def report(todo, seed, end, before, check_of):
    """before: (passed, failed) of what ran already; check_of(case): the function that checks it."""
    (passed, failed), skipped, unmodelled, stops, died = before, 0, 0, [], []
    least = int(os.environ.get("PARITY_LEAST", "40"))

    def run(case):
        late = time.monotonic() > end and is_random(case) and len(todo) > 1
        if late and int(case.name.split("-")[1]) >= least:
            return case, "skipped"
        return case, run_case(case, seed, check_of(case))

    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("PARITY_JOBS", "2"))) as pool:
        for case, failure in pool.map(run, todo):
            if failure == "skipped":
                skipped += 1
            elif failure == "not modelled":
                unmodelled += 1
            elif failure == "died":
                died.append(case.name)
            elif failure == "stops" and is_random(case):
                stops.append(int(case.name.split("-")[1]))
            elif failure:
                failed += 1
                what = case.source[1] if case.source[0] != "text" else "own text"
                print("FAIL %s (%s): %s" % (case.name, what, failure), flush=True)
            else:
                passed += 1
    more = run_stops(stops, seed, sum(map(is_random, todo)) - skipped)
    passed, failed = passed + more[0], failed + more[1]
    if unmodelled:
        print("%d random cases not compared: LIDs given twice or taken away, under an engine for which that is not modelled" % unmodelled)
    if died:
        print("%d random cases not compared: OpenSM damages its own memory and is ended (SEED=%s %s)" % (
            len(died), seed, " ".join(died)))
    if len(died) > max(1, STOP_SHARE * sum(map(is_random, todo))):
        print("FAIL: that are too many (at most %g %%)" % (100 * STOP_SHARE))
        failed += 1
    if skipped:
        print("%d random cases not started: time was up" % skipped)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
