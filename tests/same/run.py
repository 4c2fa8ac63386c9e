#!/usr/bin/env python3
"""Does a program say what it said before?

    tests/same/run.py              as saved: against the sums in tests/same/said (a suite of `make check`)
    UPDATE=1 tests/same/run.py     write them anew
    tests/same/run.py OLD NEW [WORD]   two programs; WORD: sessions whose fabric or name has it

Some 300 command lines, on six fabrics, as text and as JSON; every command, option and kind of fabric with right,
wrong and extreme words (words.py); and the command lines of suite contract.  Times, versions and the folder of the run are left
out.  A sum tells that an answer changed, not how: build the commit before and compare the two programs, which
prints each difference with the line that makes it.  Whether the answers are right is for other suites to tell; this
one sees what nobody meant to change.  What OLD said is kept beside it (OLD.same), since it stays the same.

Environment: IBSCOPE=build/ibscope, SAME=50 sessions of the saved ones are drawn by SEED (0: all, LONG=1 too),
SANE=8 of them asked of the program under AddressSanitizer, BUILD/ibscope-san, too, which says the same when nothing is
left in memory or read beyond its end (SAME=0: 300; 0: none).
At the end "N passed, N failed"; exit status 1 when anything differs.
"""
import concurrent.futures
import hashlib
import itertools
import json
import os
import pickle
import random
import re
import subprocess
import sys
import tempfile

import words

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAID = os.path.join(TOP, "tests/same/said")
# the folder of a run has `fabrics`: what is said does not tell where the project lies
FABRICS = {
    "demo": "fabrics/demo-3level.ibnet",
    "chassis": "fabrics/formats/voltaire-chassis.ibnetdiscover-g",
    "torus": "torus:4x3x3",
    "dragonfly": "dragonfly:3,2,1",
    "xgft": "xgft:3,3:1,3",
    "random": "random:14,3,seed=7",
    "tree": words.TREE,
}
# of rows of suite contract: (name, "rows", lines), arguments of each; and files that lie in the folder of a run
ROWS, ARGUMENTS, WITH = [], {}, {}
ENGINES = ["minhop", "updn", "dnup", "ftree", "lash", "dor", "sssp", "dfsssp", "nue", "torus-2QoS", "mincontention"]

# What a program may say otherwise than before, with the reason: (pattern of the command line or of what was said, why).
MEANT = [("no torus or mesh", "the finder of tori is that of layouts: no shape that comes nearest is told"),
         (r"^(list )?help$", "`help show` says that show node takes a port; it did before"),
         (r"^(list )?elements$", "a link inside a chassis is counted once"),
         (r"^schema$", "keys of rows stand in the order of their tables")]

# --- the lines: sessions of a fabric each; {s0} {s1} switches, {h0} {h1} {h2} hosts, {p0} a port --------------

LISTS = ["switches", "ports {s0}", "ports", "hosts", "lft {s0}", "path {h0} {h1}", "changes", "pairs",
         "warnings", "ranks", "hops {s1}", "histogram", "bars {s0}", "layers", "layer_pairs 0", "cdg", "cdg 0",
         "cycle", "mesh", "torus", "sl2vl {s0}", "sls", "weights", "cuts", "moved", "nue_layers", "escape",
         "restricted", "detours", "tree", "groups {s0}", "caorder", "elements", "lids", "ways {h0}", "usage",
         "flows {p0}", "flows {h0} {h1}", "shift 1", "hotter", "plot loads", "plot hops", "plot shifts", "map", "help",
         "switches sort hosts reverse", "hosts filter 1", "ports {s0} sort to", "lft {s0} filter port>1"]
LOOKS = ["show", "show options", "show engines", "show warnings", "show switches", "show hosts", "show links",
         "show node {h0}", "show node {s0}", "trace {h0} {h1}", "trace {h1} {h2}", "trace {s0} {h0}", "why {s0} {h1}",
         "why {s1} {h0}", "why {s0} {s1}", "why {s1} {h1} via 1", "why {s0} {h2} via 2", "why {h0} {h1}", "why {s0} {h0} via 99",
         "lft {s0}", "lft {s1}", "hops {s0}", "ranks", "roots", "check", "layers",
         "layers switches", "cdg", "cdg 0", "cdg 99", "cycles", "cycles all", "elements", "equal-paths", "load-map",
         "load-map shift 3", "load-map bisection seed=4", "load-map random seed=4", "load-map hotspot {h0}",
         "load-map to {h0} {h1}", "load-map all", "ebb seed=3", "load-map ebb seed=2", "shifts 5", "shifts",
         "spread", "flows {p0}", "flows {p0} by source", "flows {p0} by host", "flows {h0} {h1}",
         "journal", "torus-conf", "quiz port seed=5", "quiz answer 1", "quiz layer seed=5", "quiz rank seed=3",
         "export lfts -", "export fdbs -", "export subnet -", "export paths -", "export sl2vl -", "export json -",
         "export slurm -", "export svg -", "export dot -", "export svg - load", "export svg - path {h0} {h1}",
         "export svg - map rank", "export svg - plot loads", "export dot - cdg", "export dot - layer 0",
         "export svg - cycle", "save -", "screen x", "pane switches", "nonsense", "why {s0}", "trace {h0}",
         "lft nowhere", "trace {h0} nowhere", "set lmc 99", "fail link {s0}", "undo x"]
EVENTS = ["fail link {p0}", "diff", "diff all", "check", "why {s0} {h1}", "fail switch {s1}", "diff all", "check",
          "trace {h0} {h1}", "list changes", "list pairs", "list switches", "list hotter",
          "snapshot one", "restore all", "diff one", "diff one all", "fail random 3 seed=9", "check", "list changes",
          "list pairs", "export svg - diff", "export svg - map change", "fail host {h1}", "diff all", "flap {p0}",
          "diff", "undo", "undo", "redo", "journal", "journal 2", "reset", "snapshot", "scope {h0} {h1}", "check",
          "load-map", "scope", "scope off", "sweep", "reroute", "fail chassis 1", "unset lmc", "set"]
STEPS = ["step start", "step", "step show", "step 5", "step show", "step next", "step next phase", "step next switch",
         "step next lid", "step next pair", "step list 10", "why {s0} {h1}", "list lft {s0}", "list hops {s0}",
         "list step", "list layers", "list cdg", "list ranks", "trace {h0} {h1}", "check", "step find port",
         "step until port", "step back 3", "step show", "step back switch", "step end", "step show", "step to 20",
         "step show", "step break leaf", "step go", "step breaks", "step break off", "step stop",
         "step start {s0} {h1}", "step show", "step list 30", "step next", "step show", "step start lid {h0}",
         "step next lid", "step show", "step stop", "step start pair {s0} {s1}", "step next pair", "step show",
         "step start layer 0", "step next", "step show", "why {s0} {h0}"]
JUDGES = ["doctor", "list doctor", "drift", "drift all", "list drift", "compare minhop updn", "list compare",
          "survey links", "survey switches", "survey pairs 5 seed=3", "list survey", "survey chassis", "survey cards",
          "advise", "list advise", "drift updn", "export svg - plot survey links"]
HELPS = ["help", "help route", "help step", "help updn", "schema", "lesson", "lesson updn all", "lesson ring all",
         "lesson lash all", "synth", "help layer", "list help", "list lesson", "echo a 'b c'", "lesson shift 1",
         "lesson next", "lesson answer"]


def sessions(program):
    """[(name, fabric, lines)]: what runs in one process; lines that belong together are one of several lines."""
    if not WITH:
        found, files = words.rows(program)
        WITH.update(files, **{name: text.encode() for name, text in words.FILES.items()})
        ROWS[:] = [(name, "rows", lines) for name, _, lines in found]
        ARGUMENTS.update({name: arguments for name, arguments, _ in found})
    return [*general(), *words.sessions(program), *ROWS]


def general():
    for fabric in FABRICS:
        if fabric == "tree":
            continue
        for engine in ENGINES:
            route = [f"route {engine}"] if engine != "torus-2QoS" else ["torus-conf t.conf",
                                                                       "route torus-2QoS torus_config=t.conf"]
            if engine in ("dfsssp", "nue", "lash", "torus-2QoS"):
                route.insert(0, "set qos TRUE")
            yield engine + " lists", fabric, route + ["list " + x for x in LISTS]
            yield engine + " looks", fabric, route + LOOKS
            yield engine + " events", fabric, route + EVENTS
            yield engine + " steps", fabric, route + STEPS
        yield "lmc looks", fabric, ["set lmc 1", "route updn", *LOOKS]
        yield "lmc steps", fabric, ["set lmc 1", "route mincontention", *STEPS]
        yield "weak layers", fabric, ["set max_op_vls 1", "route lash,dfsssp", "check", "list layers", "step start lash",
                                      "step end", "step show", "why {s0} {h0}", "list cycle"]
        yield "chain", fabric, ["route ftree,updn", "show", "step start ftree", "step end", "step show", "doctor",
                                "list tree", "why {s0} {h1}"]
        yield "judges", fabric, ["route minhop", *JUDGES]
        yield "judges updn", fabric, ["route updn", *JUDGES]
        yield "nothing", fabric, ["list switches", "check", "trace {h0} {h1}", "why {s0} {h0}", "diff", "step start"]
    yield "helps", "demo", HELPS


def names(program, fabric):
    """What the placeholders stand for, asked of the first program."""
    out = subprocess.run([os.path.abspath(program), "--json", "-e", "list switches; list hosts", FABRICS[fabric]],
                         cwd=os.path.join(TOP, "tests"), capture_output=True, check=True).stdout
    lists = {o["pane"]: [r["about"]["guid"] for r in o["rows"]] for o in map(json.loads, out.splitlines())
             if o["command"] == "list"}
    s, h = sorted(lists["switches"]), sorted(lists["hosts"])
    return {"s0": s[0], "s1": s[-1], "h0": h[0], "h1": h[-1], "h2": h[len(h) // 2], "p0": s[0] + "[2]"}


# what no two runs have in common
LOOSE = [(re.compile(rb'("schema":1),"program":"[^"]*"(?:,"time":"[^"]*")?(?:,"read":\{[^}]*\})?'), rb"\1"),
         (re.compile(rb"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), b"_ UTC"),
         (re.compile(rb'"ms":[0-9.e-]+'), b'"ms":_'), (re.compile(rb"\b[0-9.]+ (ms|s)\b"), b"_ s"),
         (re.compile(rb"\b[0-9.]+ (kB|MB)\b"), b"_ MB"), (re.compile(rb'"bytes":[0-9]+'), b'"bytes":_'),
         (re.compile(rb"(ibscope_reading_(age|timestamp)_seconds) [0-9]+"), rb"\1 _"),
         (re.compile(rb"<!-- Generated by graphviz.*?</svg>", re.S), b"what graphviz makes of it")]  # each version of it another


def filled(line, cover):
    return re.sub(r"\{([shp]\d)\}", lambda m: cover[m[1]], line)


def run(program, lines, arguments, as_json, cover, seconds=300, more=None):
    """What it says, line by line of the script; more: of its environment."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(TOP, "tests/fabrics"), os.path.join(folder, "fabrics"))
        for name, held in WITH.items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(held)
        with open(os.path.join(folder, "lines"), "w", encoding="utf-8") as f:
            for i, line in enumerate(lines):
                f.write(f"echo @@{i}@\n{filled(line, cover)}\n")
        try:
            r = subprocess.run([os.path.abspath(program)] + (["--json"] if as_json else []) +
                               [*arguments, "-e", "source lines whole"], cwd=folder, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=seconds,
                               env={**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8", "HOME": folder, **(more or {})}, check=False)
            out = r.stdout + b"\nstatus %d\n" % r.returncode
        except subprocess.TimeoutExpired:
            out = b"did not end\n"
        out = out.replace(folder.encode(), b"FOLDER")
    for pattern, by in LOOSE:
        out = pattern.sub(by, out)
    parts = [[]]
    for line in out.split(b"\n"):
        if re.match(rb'@@\d+@$|\{"command":"echo","text":\["@@\d+@"\]|\{"command":"echo".{,40}@@\d+@', line[:120]):
            parts.append([])
        else:
            parts[-1].append(line)
    return [b"\n".join(p) for p in parts]


def whole(program, only):
    """Everything a program says: {(fabric, session, form): [part, ...]}; kept beside the one it is of."""
    with open(program, "rb") as f, open(__file__, "rb") as me:
        key = hashlib.sha256(f.read() + me.read()).hexdigest()
    store = program + ".same"
    if os.path.exists(store):
        with open(store, "rb") as f:
            kept_key, kept = pickle.load(f)
        if kept_key == key:
            return kept
    said = compute(program, program, lambda key: only in key)
    if not only:
        with open(store, "wb") as f:
            pickle.dump((key, said), f)
    return said


def compute(program, first, wanted):
    """The same of the sessions for which wanted("FABRIC NAME FORM") is true."""
    return dict(each(program, first, wanted))


def each(program, first, wanted):
    """The same, ((fabric, name, form), [part, ...]) after another; what is not begun when the caller ends, is not."""
    jobs = {}
    if not any(wanted(f"{fabric} {name} {form}") for name, fabric, _ in sessions(first) for form in ("text", "json")):
        return
    cover = {fabric: names(first, fabric) for fabric in FABRICS}
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("SAME_JOBS", "2"))) as pool:
        for name, fabric, lines in sessions(first):
            for form in ("text", "json"):
                if wanted(f"{fabric} {name} {form}"):
                    jobs[fabric, name, form] = pool.submit(run, program, lines, ARGUMENTS[name] if name in ARGUMENTS else [FABRICS[fabric]],
                                                           form == "json", cover.get(fabric))
        try:
            for k, j in jobs.items():
                yield k, j.result()
        finally:
            for j in jobs.values():
                j.cancel()


def first_difference(before, after):
    """The first line that differs, from where it does."""
    for a, b in itertools.zip_longest(before.split("\n"), after.split("\n"), fillvalue="(nothing)"):
        if a != b:
            at = max(0, len(os.path.commonprefix([a, b])) - 60)
            return "before: " + a[at:at + 300], "after:  " + b[at:at + 300]
    return ()


def canonical(said):
    """The order of keys in JSON objects means nothing."""
    lines = []
    for line in said.split(b"\n"):
        try:
            lines.append(json.dumps(json.loads(line), sort_keys=True).encode() if line[:1] == b"{" else line)
        except ValueError:
            lines.append(line)
    return b"\n".join(lines)


def sums(said, form):
    """One sum of 16 bits for each part, in one word."""
    return "".join(hashlib.sha256(canonical(p) if form == "json" else p).hexdigest()[:4] for p in said)


def saved():
    """The program against what is saved."""
    program = os.environ.get("IBSCOPE", "build/ibscope")
    keys = [f"{fabric} {name} {form}" for name, fabric, _ in sessions(program) for form in ("text", "json")]
    if os.environ.get("UPDATE") == "1":
        said = compute(program, program, lambda key: True)
        with open(SAID, "w", encoding="ascii") as f:
            f.writelines("%s: %s\n" % (" ".join(k), sums(said[k], k[2])) for k in sorted(said))
        print("written")
        return 0
    with open(SAID, encoding="ascii") as f:
        known = dict(line.strip().split(": ") for line in f)
    most = 0 if os.environ.get("LONG") == "1" else int(os.environ.get("SAME", "50"))
    seed = os.environ.get("SEED") or str(random.SystemRandom().randrange(10 ** 9))
    drawn = set(random.Random("same/" + seed).sample(keys, most) if most else keys)
    san = os.path.join(os.environ.get("BUILD", "build"), "ibscope-san")
    sane = int(os.environ.get("SANE", "8" if most else "300")) if os.path.exists(san) and program != san else 0
    sane = set(random.Random("sane/" + seed).sample(sorted(drawn), min(sane, len(drawn))))
    print("same: SEED=%s" % seed)
    every = {(fabric, name): lines for name, fabric, lines in sessions(program)}
    passed = failed = 0
    for key, parts in itertools.chain(each(program, program, drawn.__contains__), each(san, program, sane.__contains__)):
        was, now = known.get(" ".join(key), ""), sums(parts, key[2])
        lines = ["(start)"] + every[key[:2]]
        for i in range(0, max(len(was), len(now)), 4):
            if was[i:i + 4] == now[i:i + 4]:
                passed += 1
                continue
            failed += 1
            if failed <= 20:
                print("--- not as saved: %s, %s, %s: %s" % (*key, lines[i // 4] if i // 4 < len(lines) else "?"))
                print(parts[i // 4].decode(errors="replace")[:600] if i // 4 < len(parts) else "(nothing)")
    if failed:
        print("What was meant is saved by UPDATE=1 tests/same/run.py; tests/same/run.py OLD NEW shows what differs.")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


def main():
    if len(sys.argv) == 1:
        return saved()
    if len(sys.argv) not in (3, 4):
        print(__doc__)
        return 2
    old, new = sys.argv[1:3]
    only = sys.argv[3] if len(sys.argv) > 3 else ""
    before, after = whole(old, only), compute(new, old, lambda key: only in key)
    every = {(fabric, name): lines for name, fabric, lines in sessions(old)}
    passed = failed = meant = 0
    for key, now in after.items():
        was, lines = before[key], ["(start)"] + every[key[:2]]
        for i in range(max(len(was), len(now))):
            a, b = (x[i] if i < len(x) else b"(nothing)\n" for x in (was, now))
            line = lines[i] if i < len(lines) else "?"
            if a == b or (key[2] == "json" and canonical(a) == canonical(b)):
                passed += 1
            elif any(re.search(p, line) or re.search(p.encode(), a) for p, _ in MEANT):
                meant += 1
            else:
                failed += 1
                if failed > 40:
                    continue
                print(f"--- {key[0]}, {key[1]}, {key[2]}: {line}")
                for text in first_difference(a.decode(errors="replace"), b.decode(errors="replace")):
                    print("    " + text)
    if meant:
        print(f"{meant} differences were meant: " + "; ".join(f"{p}: {why}" for p, why in MEANT))
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
