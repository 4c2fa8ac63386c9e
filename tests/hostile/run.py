#!/usr/bin/env python3
"""Bytes that would steer a terminal, in all that is read: none may reach standard output, standard error, the screen.

Hostile bytes (escape sequences, C1, controls of direction, text that is no UTF-8) are put into names, files of
every kind, scripts, words of the command line.  What the program prints then must be UTF-8 of printable characters,
newlines and tabs, and with --json one object for every command.  usage: run.py [TEST]...
Environment: IBSCOPE=build/ibscope; SEED=N repeats a run; MUTANTS=N files of each kind (4).
The last line is "N passed, N failed".
"""
import fnmatch
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tests", "tui"), os.path.join(ROOT, "tests")]
import contract  # noqa: E402
import run as tui  # noqa: E402

PROGRAM = tui.PROGRAM
SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 31))
MUTANTS = int(os.environ.get("MUTANTS", "4"))
FORMATS = os.path.join(ROOT, "tests", "fabrics", "formats")
SECONDS = 120  # no run takes one; a bound for a program that hangs

PAYLOADS = [
    b"\x1b]52;c;cHduZWQ=\x07", b"\x1b]0;pwned\x07", b"\x1b]2;pwned\x1b\\", b"\x1b[2J", b"\x1bc", b"\x1b[31337m",
    b"\x9b2J", b"\x9d0;pwned\x9c", b"\x90pwned\x9c", b"\xc2\x9b2J", b"\xc2\x9d0;pwned\xc2\x9c", b"\xc2\x85",
    b"\x07", b"\x08\x08\x08", b"\r", b"\x0b\x0c", b"\x0e", b"\x7f", b"\x01", b"\x05", b"\xc2\xad",
    "\u202egpj.\u202c".encode(), "\u2066x\u2069".encode(), "\u200e\u200f".encode(), "\u061c".encode(),
    "\u200b\u200d".encode(), "\u2028\u2029".encode(), "\ufeff".encode(), "\U000e0041".encode(),
    b"\xff\xfe", b"\xc0\x9b", b"\xe2\x80", b"\xf0\x9f\x92", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x80", b"\xe9t\xe9",
]
HARMLESS = ["é".encode(), "日本".encode(), "─▸".encode(), b"\\x1b", b"%s%n", b"\\"]

# what no terminal gets: controls but newline and tab, C1, what changes direction, what is not seen
BAD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
                 "\U000e0000-\U000e007f]")


class Failed(Exception):
    pass


# --- running ---------------------------------------------------------------------------


def check_clean(what, data):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        raise Failed("%s is no UTF-8: %s: %r" % (what, e.reason, data[max(0, e.start - 60):e.end + 20]))
    bad = BAD.search(text)
    if bad:
        raise Failed("%s holds U+%04X: %r" % (what, ord(bad[0]), text[max(0, bad.start() - 60):bad.end() + 20]))
    return text


def run(folder, args, stdin=b""):
    """(status, standard output, standard error), both found clean."""
    done = subprocess.run([PROGRAM, *args], cwd=folder,
                          input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS)
    line = "ibscope " + " ".join(ascii(a) for a in args)
    if done.returncode not in (0, 1, 2):
        raise Failed("%s: status %d: %r" % (line, done.returncode, done.stderr[-2000:]))
    try:
        return done.returncode, check_clean("output", done.stdout), check_clean("error", done.stderr)
    except Failed as e:
        raise Failed("%s: %s" % (line, e))


def is_passed(check):
    try:
        check()
    except Failed:
        return False
    return True


def objects(text):
    """The objects printed, one a line, as the schema has them."""
    try:
        return contract.objects(PROGRAM, text)
    except ValueError as e:
        raise Failed(str(e))


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for k, v in value.items():
            yield k
            yield from strings(v)
    elif isinstance(value, list):
        for v in value:
            yield from strings(v)


def check_object(o):
    """Whoever prints a field of an object is as safe as who reads the text."""
    for s in strings(o):
        check_clean("JSON", s.encode("utf-8", "surrogatepass"))


def run_both(folder, options, commands, succeed=True):
    """Text, then JSON: an object for each command, and for what the options do, up to the first that fails."""
    args = options + [part for c in commands for part in ("-e", c)]
    asked = len(commands) + 1 + sum(o in ("-R", "-F", "--node-name-map") for o in options)  # 1: the fabric
    status, text, err = run(folder, args)
    status_json, out, _ = run(folder, ["--json"] + args)
    if status != status_json:
        raise Failed("%s: status %d, with --json %d" % (ascii(args), status, status_json))
    found = objects(out)
    for o in found:
        check_object(o)
    failed = [o for o in found if not o["ok"]]
    if failed and (not status or len(failed) > 1 or found[-1] is not failed[0]):
        raise Failed("%s: objects behind a failure, or no status of it" % ascii(args))
    if succeed and failed:
        raise Failed("%s: %s failed, %d commands from the end: %s" % (
            ascii(options + commands), failed[0]["command"], asked - len(found), failed[0]["error"]))
    asked += "-F" in options and bool([o for o in found[:3] if o["command"] == "route"])  # what the file asks for
    if (not failed and len(found) != asked) or len(found) > asked:
        raise Failed("%s: %d objects of %d commands" % (ascii(args), len(found), asked))
    return text, err, found


# --- hostile input ---------------------------------------------------------------------------


def names_of(data, rng):
    """Every name behind `# "` gets a payload of its own, the same wherever the name stands; the file stays whole."""
    new = {}
    payloads = PAYLOADS[:]
    rng.shuffle(payloads)

    def name(m):
        if m[1] not in new:
            if not payloads:
                payloads.extend(PAYLOADS)
            new[m[1]] = m[1][:3] + payloads.pop() + m[1][3:] + rng.choice(HARMLESS)
        return b'"' + new[m[1]] + b'"'
    return re.sub(rb'(?<=[#0-9] )"((?!S-|H-|R-)[^"]*)"', name, data)


def mutant(data, rng):
    """Payloads in a few words of a file: in front, inside, behind, instead; whatever the word is."""
    words = [m.span() for m in re.finditer(rb"[^\s]+", data)]
    chosen = sorted(rng.sample(words, min(len(words), rng.choice((1, 2, 5)))), reverse=True)
    for start, end in chosen:
        p = rng.choice(PAYLOADS + [b"\x00"])
        at = rng.randint(start, end)
        data = data[:at] + p + data[end if rng.random() < 0.2 else at:]
    return data


def write(folder, name, data):
    with open(os.path.join(os.fsencode(folder), os.fsencode(name)), "wb") as f:
        f.write(data)
    return name


def saved(folder, spec, what="save -", more=()):
    done = subprocess.run([PROGRAM, spec, *more, "-e", what], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=True)
    return done.stdout


# the tree's file, and a file of names of chassis
TREE, CHASSIS = b"tr\xc3\xa9e\x1b[31337m\x9b2J\xe2\x80\xae", b"chassis\x1b]52;c;eA==\x07"
SET_CHASSIS = b'set chassis_file "' + CHASSIS + b'"'
LEAF, SPINE, LEAF2 = "0x0002c90300a00000", "0x0002c90300a00020", "0x0002c90300a00010"
HOST, HOST2 = "0x0002c90300f00000", "0x0002c90300f00040"

# commands on the tree, each of which succeeds
COMMANDS = [
    "show", "show options", "show engines", "show warnings", "show switches", "show hosts", "show links",
    "show node " + LEAF, "show node " + HOST, f"trace {HOST} {HOST2}", f"why {LEAF} {HOST2}",
    f"why {LEAF} {HOST2} via 4", f"why {HOST} {LEAF} {SPINE} {LEAF2} {HOST2}", "lft " + LEAF, "hops " + LEAF,
    "ranks", "roots", f"fail link {LEAF}[3]", f"why {LEAF} {HOST2}", "diff", "diff all", "drift updn all", "doctor", "snapshot a",
    f"fail switch {SPINE}", "undo", f"fail host {HOST}", "journal", "diff a", "diff a all", "snapshot", "show links",
    "restore all", "undo", "redo", "journal 0", "reset", "route updn",
    "snapshot \x1bc\u202e", SET_CHASSIS, "load-map", "load-map lids", "load-map all all", "load-map shift 1",
    "load-map hotspot nod*e0001*", "shifts", "survey links", "survey switches", "layers", "layers switches", "cdg",
    "cdg 0 all", "cdg switches all", "elements", "equal-paths all", "compare minhop updn dfsssp ftree",
    f"step start {LEAF} {HOST2}", "step all", "save -", "export lfts -", "export fdbs -", "export subnet -",
    "export paths -", "export json -", "export dot -", "export dot - cdg", "export svg -", "export svg - cdg 0",
    "help", "check",
]

# engine and fabric, and what only they have
OWN = {
    "ftree": ["why {0} {1}", "list tree", "list groups {0}", "list ca-order", "export ca-order -"],
    "dfsssp": ["why {0} {1}", "list weights", "list weights {0}", "list layer-pairs 0", "list cuts", "layers"],
    "lash": ["why {2} {1}", "list layer-pairs", "list mesh", "layers"],
    "nue": ["why {0} {1}", "list nue-layers", "list escape", "list restricted", "list detours", "list layer-pairs 0"],
    "mincontention": ["why {0} {1}", "list lids {1}", "list ways 2", "list elements"],
    "dnup": ["why {0} {1}", "ranks"],
    "dor": ["why {0} {1}"],
    "sssp": ["why {0} {1}", "list weights {0}"],
}

# every pane there is, with arguments: on the tree, after a link went down
PANES = {
    "switches": "", "ports": LEAF, "hosts": "", "lft": LEAF, "path": f"{HOST} {HOST2}", "changes": "", "pairs": "",
    "journal": "", "warnings": "", "ranks": "", "hops": LEAF, "histogram": "", "bars": LEAF, "layers": "",
    "cdg": "all", "cycle": "all", "sl2vl": LEAF + "[1]", "sls": HOST, "elements": "", "usage": "all",
    "compare": "minhop updn", "drift": "updn", "doctor": "", "survey": "switches", "help": "", "lids": HOST2,
    "pick": "2 show node nod",
