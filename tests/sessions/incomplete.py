#!/usr/bin/env python3
"""A fabric of which a part is missing stays incomplete in every file that is written of it.

usage: incomplete.py [TEST]...
IBSCOPE=build/ibscope.  SEED=N draws the same cuts and failures again.  Prints "N passed, N failed".

The writers come from the program's own list of commands: one that is not in WRITERS or READERS here fails.
"""
import glob
import json
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.append(os.path.join(ROOT, "tests"))
from trial import chosen_seed, expect, run_tests  # noqa: E402

IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
FABRICS = os.path.join(ROOT, "tests", "fabrics")
DEMO = os.path.join(FABRICS, "demo-3level.ibnet")
SEED = chosen_seed()
ROUNDS = int(os.environ.get("ROUNDS", "400" if os.environ.get("LONG") == "1" else "25"))

# Commands (of export: with the kind) that write a file: how the file tells what it lacks.
# "load", "source": that command reads it back, and then the fabric is incomplete; "tables": it belongs to a fabric.
WRITERS = {
    "save": "load", "export subnet": "load", "save-session": "source", "export lfts": "tables", "export fdbs": "tables",
    "export paths": "#", "export sl2vl": "#", "export slurm": "#", "export prometheus": "#", "roots": "#", "torus-conf": "#", "advise": "#",
    "export dot": "//", "export svg": "<!--", "export json": "json", "report": "report",
    "export graphml": "graphml", "export node-link": "node-link",
    "export csv": "anyway", "export png": "anyway", "export guid2lid": "anyway", "export ca-order": "anyway", "export torus": "anyway",
    "screen": "shows",      # what the terminal shows: INCOMPLETE stands in its bar
}
READERS = {"load", "changes", "doctor", "plan", "names", "config", "sighup", "tables", "check", "load-map", "flows", "survey", "source", "keymap", "lesson", "grade", "outage", "drain", "jobs", "counters", "blame",
           "log", "partitions", "triage"}
# Words before and behind the file's name, and the engine, where a writer wants some.
WORDS = {"roots": ("roots export", "S1", None), "advise": ("advise write", "failures 0", None),
         "export sl2vl": ("export sl2vl", "", "set qos TRUE; route dfsssp"),
         "export ca-order": ("export ca-order", "", "route ftree"),
         "export torus": ("export torus", "", "set qos TRUE; route torus-2QoS torus_config=torus.conf")}


def run(folder, commands, *args, stdin=None):
    """(status, the objects that it printed)."""
    done = subprocess.run([IBSCOPE, "--json", *args, "-e", commands], cwd=folder, input=stdin or b"",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    expect(done.returncode in (0, 1, 3), commands, done.returncode, done.stderr)
    return done.returncode, [json.loads(line) for line in done.stdout.decode().splitlines()]


def put(folder, name, content):
    with open(os.path.join(folder, name), "wb") as f:
        f.write(content)


def content(folder, name):
    with open(os.path.join(folder, name), "rb") as f:
        return f.read()


def cut_fabric(folder):
    put(folder, "cut", content("", DEMO)[:-900])
    return "load cut; route minhop; "


def writers_of_program(folder):
    _, told = run(folder, "help")
    for c in told[0]["commands"]:
        if not re.search(r"\bFILE\b", c["syntax"]):
            continue
        if c["name"] != "export":
            yield c["name"]
            continue
        for kinds in re.findall(r"export (\S+) FILE", c["syntax"]):
            yield from ("export " + kind for kind in kinds.split("|"))


def all_writers(folder):
    """Every command with a file is known here as a writer or as a reader."""
    there = set(writers_of_program(folder))
    expect("save" in there and "export json" in there, there)
    expect(there == set(WRITERS) | READERS, "unknown here:", there - set(WRITERS) - READERS, "not in the program:",
           (set(WRITERS) | READERS) - there)


def all_kinds(_):
    """Whatever may be missing has a kind that files keep."""
    kinds = set()
    for path in glob.glob(os.path.join(ROOT, "core", "**", "*.c"), recursive=True):
        with open(path, encoding="utf-8") as f:
            kinds |= set(re.findall(r'warnings_missing\(\s*[^,;"]+,\s*"([^"]+)"', f.read()))
    with open(os.path.join(ROOT, "core", "fabric", "warnings.c"), encoding="utf-8") as f:
        kept = set(re.findall(r'"([^"]+)"', re.search(r"missing_kinds\[\] = \{(.*?)\}", f.read(), re.S)[1]))
    expect(len(kinds) > 5 and kinds <= kept, kinds - kept)


def fabric_for(folder, writer):
    """Commands that load an incomplete fabric and route it as the writer wants it; no word of a node in them."""
    if writer in ("export torus", "torus-conf"):
        run(folder, "synth torus:4x4x4,hosts=1; torus-conf torus.conf; save whole")
        put(folder, "cut", content(folder, "whole").rsplit(b"\nCa\t", 1)[0] + b"\n")
        return "load cut; " + (WORDS[writer][2] if writer in WORDS else "route minhop") + "; "
    if writer == "export ca-order":
        run(folder, "synth xgft:2,4,4:1,2,4; save whole")
        put(folder, "cut", content(folder, "whole").rsplit(b"\nCa\t", 1)[0] + b"\n")
        return "load cut; route ftree; "
    return cut_fabric(folder) + (WORDS[writer][2] + "; " if writer in WORDS and WORDS[writer][2] else "")


def told_by_all(folder):
    """Each writer tells what is missing: in its JSON, and in the file by the comments of its format, or it refuses."""
    for writer, how in WRITERS.items():
        if how == "shows":
            continue
        begin = fabric_for(folder, writer)
        before, behind, _ = WORDS.get(writer, (writer, "", None))
        if writer == "roots":
            behind = "leaf-01"
        _, told = run(folder, begin + "check; %s out %s" % (before, behind))
        expect(len(told) > 3 and told[-2]["complete"] is False or how == "anyway", writer, told[-1])
        if how == "anyway":
            expect(not told[-1]["ok"] and "anyway" in told[-1]["error"] and "is incomplete (1 cut record" in told[-1]["error"],
                   writer, told[-1])
            expect(not os.path.exists(os.path.join(folder, "out")), writer)
            _, told = run(folder, begin + "%s out anyway" % before)
        expect(told[-1]["ok"] and "1 cut record" in told[-1].get("missing", ""), writer, told[-1])
        text = content(folder, "out")
        os.unlink(os.path.join(folder, "out"))
        if how == "anyway":
            continue
        if how == "graphml":
            expect(b'<data key="g-complete">false<' in text and b'<data key="g-missing">1 cut record' in text, writer)
            continue
        if how in ("json", "node-link"):
            told = json.loads(text)
            told = told["graph"] if how == "node-link" else told
            expect(told["complete"] is False and told["missing"] == "1 cut record, 5 dangling links", told["missing"])
        elif how == "report":
            expect(b"- **incomplete**: a part of the fabric is not in its source: 1 cut record, 5 dangling links\n" in text, text)
        else:
            sign = how if how in ("//", "<!--") else "#"
            lines = re.findall(r"(?m)^%s Incomplete: cut record: cut ends within a record" % re.escape(sign), text.decode())
            expect(len(lines) == 1, writer, text[:600])
        if how == "load":
            _, told = run(folder, begin + "%s out; load out; route minhop; check" % before)
            expect(told[-1]["missing"] == "1 cut record, 5 dangling links" and not told[-1]["sound"], told[-1])


def whole_has_none(folder):
    """A whole fabric gets no mark, and `anyway` changes nothing."""
    _, told = run(folder, "load %s; route minhop; save s; export subnet l; export lfts t; export png p; export png q anyway" % DEMO)
    expect(all(o["ok"] for o in told) and all(o["missing"] == "" for o in told[2:]), told)
    for name in "slt":
        expect(b"Incomplete" not in content(folder, name), name)
    expect(content(folder, "p") == content(folder, "q"))


def verdict(told):
    """(sound, complete) of the last check."""
    return told[-1]["sound"], told[-1]["complete"]


def never_better(folder, commands, said):
    """Whatever is written of a fabric and read again is judged no better; twice written it is the same."""
    status, told = run(folder, commands + "; route minhop; check")
    if not told[-1].get("ok") or told[-1]["command"] != "check":
        return False
    was = verdict(told)
    expect(was[0] == (status == 0), said, told[-1])
    expect(not was[0] or told[-1]["check"]["pairs"], said, told[-1])
    for write, read in (("save out", "load out"), ("export subnet out", "load out"), ("save-session out", "source out")):
        os.path.exists(os.path.join(folder, "out")) and os.unlink(os.path.join(folder, "out"))
        _, told = run(folder, commands + "; route minhop; " + write)
        expect(told[-1]["ok"], said, write, told[-1])
        if write != "save-session out" and not re.search(rb"(?m)^[^#\s]", content(folder, "out")):
            continue        # nothing is up: no node was written
        status, told = run(folder, read + "; route minhop; check; save again")
        now = verdict(told[:-1])
        expect(now <= was and now[1] <= was[1], said, write, "was", was, "is", now, told[-2].get("missing"))
        expect(now[0] == (status == 0), said, write, told[-2])
        if write == "save out":
            marks = [re.findall(rb"(?m)^# Incomplete.*", content(folder, name)) for name in ("out", "again")]
            expect(marks[0] == marks[1], said, marks)
    return True


def cuts(folder):
    """Of saved fabrics, cut anywhere, with random failures."""
    print("SEED=%s" % SEED)
    draw = random.Random(int(SEED))
    samples = [p for p in glob.glob(os.path.join(FABRICS, "formats", "*")) + [DEMO]
               if os.path.isfile(p) and not p.endswith((".lfts", ".fdbs"))]
    expect(len(samples) > 8, samples)
    tried = 0
    for n in range(ROUNDS):
        path = samples[n % len(samples)]
        text = content("", path)
        where = len(text) if draw.random() < 0.3 else draw.randrange(len(text) // 3, len(text))
        put(folder, "it", text[:where])
        fail = draw.choice(["", "", "; fail random %d seed=%d" % (draw.randrange(1, 4), draw.randrange(1000))])
        tried += never_better(folder, "load it" + fail, "SEED=%s: %s cut behind %d%s" % (SEED, path, where, fail))
    expect(tried > ROUNDS / 3, "of %d only %d could be loaded" % (ROUNDS, tried))


def cut_off(folder):
    """Ports that failures cut off are not in the file, and are no hosts that never were."""
    for commands in ("synth ring:6,hosts=2; fail switch ring1", "synth ring:6,hosts=2; fail switch ring1; fail switch ring3",
                     "synth ring:6,hosts=2; fail link ring1[3]", "load %s; fail switch leaf-01" % DEMO):
        expect(never_better(folder, commands, commands), commands)
    _, told = run(folder, "synth ring:6,hosts=2; route minhop; fail switch ring1; check; save s; load s; route minhop; check")
    checks = [o for o in told if o["command"] == "check"]
    expect(checks[0]["hosts_gone"] > 0 and not checks[1]["sound"] and "cut-off port" in checks[1]["missing"], checks)


def tables_stay(folder):
    """Tables, and drawings of what failed, are what they were: only opensm-subnet.lst leaves out what is cut off."""
    _, told = run(folder, "synth ring:6,hosts=2; route minhop; fail switch ring1; export lfts t; export png p; export subnet l")
    expect([o.get("missing") for o in told[-3:]] == ["", "", "2 cut-off ports"], told[-3:])
    expect(content(folder, "t").startswith(b"Unicast lids"))


def from_a_pipe(folder):
    """A fabric that no file holds is kept beside the session, with what it lacks."""
    text = content("", DEMO)[:-900]
    status, told = run(folder, "load -; route minhop; save-session s", stdin=text)
    expect(told[-1]["missing"] == "1 cut record, 5 dangling links", status, told[-1])
    status, told = run(folder, "source s; check")
    expect(status == 3 and told[-1]["missing"] == "1 cut record, 5 dangling links", told[-1])


def odd_marks(folder):
    """Marks of another version, and of somebody who cuts or changes them, never make a fabric whole nor stop the reading."""
    text = content("", DEMO)
    for mark, kind in ((b"# Incomplete: new kind at 0x12[3]: so it is", "missing part"), (b"# Incomplete:", None),
                       (b"# Incomplete: ", "missing part"), (b"# Incomplete: cut record at 0x", "cut record"),
                       (b"# Incomplete: dangling link at 0x12[999]: x", "dangling link"),
                       (b"# Incomplete: open port: " + b"\xff\x1b[2J" * 100, "open port")):
        put(folder, "it", mark + b"\n" + text)
        _, told = run(folder, "load it; route minhop; check; save s; load s; route minhop; check")
        checks = [o for o in told if o["command"] == "check"]
        expect(len(checks) == 2, mark, told)
        for c in checks:
            expect(c["missing"] == ("1 " + kind if kind else ""), mark, c["missing"])
        expect(all(len(line) < 255 for line in content(folder, "s").splitlines()[:2]), mark)


def no_pairs(folder):
    """Nothing is sound where there is no pair of hosts."""
    for spec in ("mesh:2x2,hosts=0", "ring:4,hosts=0"):
        status, told = run(folder, "synth %s; route minhop; check; advise failures 0" % spec)
        check = [o for o in told if o["command"] == "check"][0]
        expect(check["check"]["pairs"] == 0 and check["sound"] is False and status in (1, 3), check)
        expect(not any(row["sound"] for row in told[-1].get("advice", [])), told[-1])
        done = subprocess.run([IBSCOPE, "-R", "minhop", "-e", "check", spec], stdout=subprocess.PIPE, text=True)
        expect("Sound" not in done.stdout and "nothing is judged" in done.stdout and done.returncode == 3, done.stdout)
    put(folder, "one", b'Switch 2 "S"\n[1] "A"[1]\n\nHca 1 "A"\n[1] "S"[1]\n')
    status, told = run(folder, "load one; route minhop; check; advise failures 0")
    check = [o for o in told if o["command"] == "check"][0]
    expect(check["check"]["pairs"] == 0 and check["sound"] is False and status in (1, 3), check)
    expect(not any(row["sound"] for row in told[-1].get("advice", [])), told[-1])


if __name__ == "__main__":
    sys.exit(run_tests("incomplete", [all_writers, all_kinds, told_by_all, whole_has_none, cuts, cut_off, tables_stay, from_a_pipe, odd_marks,
                                      no_pairs], sys.argv[1:], repeat=lambda name: "SEED=%s tests/sessions/incomplete.py %s" % (SEED, name)))
