#!/usr/bin/env python3
"""Time ibscope against the real OpenSM, fabric by fabric and engine by engine.

usage: run.py [--quick] [--no-opensm] [--engines E,E...] [FABRIC...]

  FABRIC        a synthetic description or a saved fabric (.xz is unpacked); none: a list of both
  --engines     names as in opensm -R; default: all that ibscope has but `file` and `live`
  --quick       a short list of small fabrics, one run
  --no-opensm   ibscope alone

Environment:
  IBSCOPE=build/ibscope   program under test
  RUNS=3                  runs per figure; the medians are printed
  OPENSM_SECONDS=400      longest wait for a sweep of OpenSM; figures marked > are at least that

Columns (milliseconds, MB):
  process   one whole process: start, load, route, end
  load      the same without routing
  route     the first sweep, as ibscope tells it: discovery, LIDs, tables
  fail      the sweep after one link between switches went down
  MB        most memory resident at any time (VmHWM) over load, route, fail
  osm       OpenSM's first sweep: from "building routing with 'ENGINE'" in its log
            (log_flags 0x47) to "ENGINE tables configured on all switches".  That is
            the calculation and handing the table blocks to the sending queue;
            discovery, LIDs and waiting for the switches' answers are not in it.
  osm fail  the same of the sweep after the link went down
  ratio     osm / route, and osm fail / fail; above 1 ibscope is faster

An engine that refuses a fabric is shown with the one that took over (`updn>minhop`); its figures
are then: ibscope's whole sweep with both, OpenSM's time from the first engine tried.  `ftree/minhop`:
another took over with the failure.  Nothing is compared when the two programs end up with different engines.
"""
import argparse
import datetime
import json
import lzma
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests", "parity"))

import opensm                   # noqa: E402
from fabric import Fabric       # noqa: E402

IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
OPENSM_SECONDS = float(os.environ.get("OPENSM_SECONDS", "400"))
QUICK = ["xgft:4,4,4:1,4,4", "torus:4x4x4", "random:24,4,seed=7,hosts=2"]
FULL = ["xgft:18,18,6:1,18,18", "torus:4x4x4", "torus:8x8x8,hosts=2", "dragonfly:8,4,4", "random:200,8,seed=7,hosts=4",
        "tests/fabrics/real/selene-storage.ibnetdiscover.xz",
        "tests/fabrics/real/sat11-director.putty-log.xz",
        "tests/fabrics/real/selene-compute.ibnetdiscover.xz"]
BEGIN, END = "building routing with '", " tables configured on all switches"


class Failed(Exception):
    """A program did not do what was expected; the message goes into the table."""


# --- ibscope ------------------------------------------------------------------------


def run(args):
    """Standard output and wall-clock milliseconds of one process."""
    begin = time.monotonic()
    done = subprocess.run([IBSCOPE] + args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace")
    ms = (time.monotonic() - begin) * 1000
    if done.returncode:
        words = done.stderr.strip().splitlines() or ["ibscope: exit status %d" % done.returncode]
        raise Failed(words[-1].removeprefix("ibscope: "))
    return done.stdout, ms


def sweeps(text):
    """The sweeps in JSON output: [{"engine":, "asked":, "ms":}]."""
    objects = [json.loads(line) for line in text.splitlines() if line.strip()]
    return [o["routing"] for o in objects if o["command"] in ("route", "fail") and o.get("routing")]


def peak_memory(topo, commands, folder):
    """
    VmHWM in MB of a process that has run the commands and still waits for more
    (what wait4() tells would contain our own size).
    """
    mark = os.path.join(folder, "mark")
    p = subprocess.Popen([IBSCOPE, "-x", "-", topo], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, text=True)
    try:
        p.stdin.write("\n".join(commands) + "\nexport dot %s\n" % mark)
        p.stdin.flush()
        while not os.path.exists(mark) and p.poll() is None:
            time.sleep(0.005)
        with open("/proc/%d/status" % p.pid) as f:
            found = re.search(r"VmHWM:\s+(\d+) kB", f.read())
    finally:
        p.stdin.close()
        p.wait()
        if os.path.exists(mark):
            os.unlink(mark)
    if not found:
        raise Failed("ibscope ended while its memory was measured")
    return int(found[1]) / 1024


def settings(topo, engine, folder):
    """Options that an engine cannot do without: those of torus-2QoS, its configuration made by torus-conf."""
    if engine != "torus-2QoS":
        return {}
    path = os.path.join(folder, "torus-2QoS.conf")
    try:
        run(["-e", "torus-conf " + path, topo])
    except Failed:
        return {}       # no torus: it will be refused
    return {"qos": "TRUE", "torus_config": path}


def bench_ibscope(topo, engine, fail, runs, folder):
    words = "".join(" %s=%s" % item for item in settings(topo, engine, folder).items())
    process, load, route, change = [], [], [], []
    for _ in range(runs):
        load.append(run(["-e", "show", topo])[1])
        process.append(run(["-e", "route %s%s; show" % (engine, words), topo])[1])
        out, _ = run(["--json", "-e", "route %s%s; %s" % (engine, words, fail), topo])
        first, second = sweeps(out)
        route.append(first["ms"])
        change.append(second["ms"])
    m = statistics.median
    return {"process": m(process), "load": m(load), "route": m(route), "fail": m(change),
            "MB": peak_memory(topo, ["route " + engine + words, fail], folder),
            "engine": first["engine"], "fail engine": second["engine"]}


# --- OpenSM -------------------------------------------------------------------------


class AtLeast(float):
    """A figure that was not waited for."""


def stamp(line):
    """Microseconds of "Nov 21 02:52:09 731030 [...", in a year that does not matter."""
    text = " ".join(line.split()[:3])
    when = datetime.datetime.strptime("2000 " + text, "%Y %b %d %H:%M:%S")
    return int(when.timestamp()) * 1000000 + int(line.split()[3])


def routing_times(log, now=None):
    """Of each sweep in OpenSM's log: milliseconds from the first engine tried, and the engine that routed.
    now: when it was read, if the last sweep had not ended then; its figure is AtLeast so much."""
    result, begin = [], None
    for line in log.splitlines():
        if BEGIN in line and begin is None:
            begin = stamp(line)
        elif END in line and begin is not None:
            result.append(((stamp(line) - begin) / 1000, line.split(END)[0].split()[-1]))
            begin = None
    if now and begin is not None:
        result.append((AtLeast((now - begin) / 1000), ""))
    return result


SLOW = 60   # seconds of a run beyond which it is not repeated


def stamp_of(when):
    return stamp(datetime.datetime.fromtimestamp(when).strftime("%b %d %H:%M:%S %f"))


def run_opensm(topo, engine, unlink, options):
    """(milliseconds, engine that routed) of the first sweep and of the one after the failure."""
    conf = dict(options, routing_engine=engine, log_flags="0x47")
    try:
        with opensm.OpenSM(topo, conf, timeout=OPENSM_SECONDS) as sm:
            sm.step([unlink])
            got = routing_times(sm.read("opensm.log").decode(errors="replace"))
    except opensm.OpenSMSlow as slow:
        got = routing_times(slow.log, stamp_of(slow.when))
        got = [(ms, name or engine) for ms, name in got + [(None, engine)] * (2 - len(got))]
    if len(got) != 2:
        raise Failed("opensm: found %d sweeps in its log, expected 2" % len(got))
    return got


def median(times):
    times = [t for t in times if t is not None]
    return times[0] if len(times) == 1 else statistics.median(times) if times else None


def bench_opensm(topo, engine, unlink, runs, options):
    got = []
    while len(got) < runs:
        begin = time.monotonic()
        got.append(run_opensm(topo, engine, unlink, options))
        if time.monotonic() - begin > SLOW or any(isinstance(ms, AtLeast) for ms, _ in got[-1]):
            break
    return {"osm": median([run[0][0] for run in got]), "osm fail": median([run[1][0] for run in got]),
            "engine": got[-1][0][1], "fail engine": got[-1][1][1], "runs": len(got)}


# --- table --------------------------------------------------------------------------

COLUMNS = ("process", "load", "route", "fail", "MB", "osm", "osm fail", "ratio", "ratio f")


def number(x):
    if isinstance(x, AtLeast):
        return ">" + number(float(x))
    return "-" if x is None else "%.2f" % x if x < 10 else "%.1f" % x if x < 100 else "%.0f" % x


def print_row(name, row):
    print("  %-18s" % name + "".join("%10s" % number(row.get(c)) for c in COLUMNS), flush=True)


def ratio(row, a, b):
    if row.get(a) is None or not row.get(b):
        return None
    return type(row[a])(row[a] / row[b])


def who(engine, row):
    """updn, updn>minhop when another took over, updn/minhop when that came with the failure."""
    name = engine if row["engine"] == engine else "%s>%s" % (engine, row["engine"])
    return name if row["fail engine"] == row["engine"] else name + "/" + row["fail engine"]


def bench(topo, engine, cable, options, folder):
    (node, port), _ = cable
    notes = []
    try:
        row = bench_ibscope(topo, engine, "fail link %s[%d]" % (node, port), options.runs, folder)
    except Failed as e:
        print("  %-18s%s" % (engine, e), flush=True)
        return
    if not options.no_opensm:
        try:
            other = bench_opensm(topo, engine, 'Unlink "%s"[%d]' % (node.name, port), options.runs,
                                 settings(topo, engine, folder))
            for key, figure in (("engine", "osm"), ("fail engine", "osm fail")):
                if other[key] == row[key]:
                    row[figure] = other[figure]
                    if other["runs"] < options.runs:
                        notes.append("%d run of opensm, for it is slow" % other["runs"])
                else:
                    notes.append("not compared: opensm routed with %s, ibscope with %s" % (other[key], row[key]))
        except (Failed, opensm.OpenSMError) as e:
            notes.append(str(e).splitlines()[0])
    row["ratio"], row["ratio f"] = ratio(row, "osm", "route"), ratio(row, "osm fail", "fail")
    print_row(who(engine, row), row)
    for n in dict.fromkeys(notes):
        print("      " + n, flush=True)


def prepare(what, folder):
    """A fabric as a file that ibscope and ibsim both read, with names as ibsim has them."""
    topo = os.path.join(folder, "fabric.topo")
    path = what if os.path.exists(what) else os.path.join(ROOT, what)
    if not os.path.exists(path):
        run(["-e", "synth %s; save %s" % (what, topo)])
        return topo
    if path.endswith(".xz"):
        plain = os.path.join(folder, os.path.basename(path)[:-3])
        with lzma.open(path) as a, open(plain, "wb") as b:
            shutil.copyfileobj(a, b)
        path = plain
    run(["-e", "save %s" % topo, path])
    return topo


def cable_to_fail(fabric):
    """A cable between two switches from the middle of the file; None when there is none."""
    trunks = [c for c in fabric.links if all(n.is_switch for n, _ in c) and c[0][0] is not c[1][0]]
    return trunks[len(trunks) // 2] if trunks else None


def bench_fabric(what, options):
    with tempfile.TemporaryDirectory(prefix="bench.") as folder:
        try:
            topo = prepare(what, folder)
        except Failed as e:
            print("%s: %s" % (what, e))
            return
        with open(topo, errors="replace") as f:
            fabric = Fabric(f.read())
        cable = cable_to_fail(fabric)
        switches = len(fabric.switches)
        print("%s: %d switches, %d others, %d links"
              % (what, switches, len(fabric.nodes) - switches, len(fabric.links)), flush=True)
        if not cable:
            print("  no link between switches to fail")
            return
        print("  %-18s" % "engine" + "".join("%10s" % c for c in COLUMNS))
        for engine in options.engines:
            bench(topo, engine, cable, options, folder)


def engines_there():
    out, _ = run(["--json", "-e", "show engines"])
    names = [e["name"] for e in json.loads(out)["engines"]]
    return [n for n in names if n not in ("file", "live", "tables")]


def main():
    title, usage, rest = __doc__.split("\n\n", 2)
    p = argparse.ArgumentParser(usage=usage[len("usage: "):], description=title + "\n\n" + rest,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("fabric", nargs="*")
    p.add_argument("--engines")
    p.add_argument("--quick", action="store_true")
    p.add_argument("--no-opensm", action="store_true")
    options = p.parse_args()
    try:
        options.runs = int(os.environ.get("RUNS", "1" if options.quick else "3"))
        if options.runs < 1:
            raise ValueError
    except ValueError:
        p.error("found RUNS=%s, expected a number from 1" % os.environ["RUNS"])
    if not os.access(IBSCOPE, os.X_OK):
        p.error("no program %s: run `make`, or set IBSCOPE" % IBSCOPE)
    options.engines = options.engines.split(",") if options.engines else engines_there()
    lacking = None if options.no_opensm else opensm.missing()
    if lacking:
        print("ibscope alone: " + lacking)
        options.no_opensm = True
    print("milliseconds, medians of %d run%s; see the head of this file for what is measured"
          % (options.runs, "" if options.runs == 1 else "s"))
    for what in options.fabric or (QUICK if options.quick else FULL):
        bench_fabric(what, options)
    return 0


if __name__ == "__main__":
    # whatever ends us, the simulator and the subnet manager end too
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
