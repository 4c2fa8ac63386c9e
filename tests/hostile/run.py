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
from trial import BOUND  # noqa: E402

PROGRAM = tui.PROGRAM
SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 31))
MUTANTS = int(os.environ.get("MUTANTS", "4"))
FORMATS = os.path.join(ROOT, "tests", "fabrics", "formats")

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
                          input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=BOUND)
    line = "ibscope " + " ".join(ascii(a) for a in args)
    if done.returncode not in (0, 1, 2, 3):
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
    "ranks", "roots", f"fail link {LEAF}[3]", f"why {LEAF} {HOST2}", "diff", "diff all", "drift updn all", "doctor", "advise failures 1", "snapshot a",
    f"fail switch {SPINE}", "undo", f"fail host {HOST}", "journal", "diff a", "diff a all", "snapshot", "show links",
    "restore all", "undo", "redo", "journal 0", "reset", "route updn",
    "snapshot \x1bc\u202e", SET_CHASSIS, "load-map", "load-map lids", "load-map all all", "load-map shift 1",
    "load-map hotspot nod*e0001*", f"load-map to {HOST}", f"flows {LEAF}[4] all", f"flows {HOST} {HOST2}", f"flows {LEAF}[4] by pair all",
    "shifts", "survey links", "survey switches", "layers", "layers switches", "cdg",
    "cdg 0 all", "cdg switches all", "elements", "equal-paths all", "compare minhop updn dfsssp ftree",
    f"step start {LEAF} {HOST2}", "step all", "save -", "export lfts -", "export fdbs -", "export guid2lid -", "export subnet -",
    "export csv -", "export graphml -", "export node-link -", "export dot - cables", "list switches csv",
    "export paths -", "export json -", "export dot -", "export dot - cdg", "export svg -", "export svg - load", "export svg - cdg 0",
    f"export svg - path {HOST} {HOST2}", "export svg - diff", "export svg - map chassis", "export svg - layer 0", "export svg - plot survey switches",
    f"export dot - path {HOST} {HOST2}",
    "report -", "report change -", "report change - html", "save-session -", "export slurm -", "advise write -", "roots export - " + SPINE, "help", "check",
]
# what else is written as text, on the tree with names of chassis
WRITTEN = ["save", "save-session", "report", "report change", "roots export", "advise write", "export lfts", "export fdbs", "export guid2lid", "export subnet",
           "export paths", "export slurm", "export sl2vl", "export json", "export dot", "export svg"]

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
    "cdg": "all", "cycle": "all", "drain": "", "sl2vl": LEAF + "[1]", "sls": HOST, "elements": "", "usage": "all",
    "compare": "minhop updn", "check": "", "lost": "cause 1", "drift": "updn", "entries": "updn cause 1", "doctor": "", "advise": "failures 1", "survey": "switches", "flows": LEAF + "[4] pair", "hotter": "", "transition": "", "outage": "hosts",
    "plot": "", "map": "load path", "shift": "1", "step": "", "lesson": "",
    "help": "", "start": "", "open": "", "lids": HOST2, "cables": "", "partitions": "", "pick": "2 show node nod",
}
# those that only some engine has, which then routes
PANES_OF = {
    "layer-pairs": ("lash", ""), "mesh": ("lash", ""), "torus": ("torus-2QoS", ""), "weights": ("sssp", LEAF),
    "cuts": ("dfsssp", ""), "moved": ("dfsssp", "0 1"), "nue-layers": ("nue", ""), "escape": ("nue", "0"),
    "restricted": ("nue", "0"), "detours": ("nue", "0"), "tree": ("ftree", ""), "groups": ("ftree", LEAF),
    "ca-order": ("ftree", ""), "ways": ("mincontention", "5"),
}


class Tests:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="ibscope-hostile-")
        rng = random.Random("%d tree" % SEED)
        write(self.folder, TREE, names_of(saved(self.folder, "xgft:2,2:1,2"), rng))
        # names of chassis are taken as they are; the first has bytes that are shown as such, whatever is drawn
        write(self.folder, CHASSIS, b"".join(b"0x0002c90300a000%d0 Chassis%s%d\n"
                                            % (i, rng.choice(PAYLOADS) if i else b"\xff\xfe", i) for i in range(4)))
        self.options = [TREE, "-R", "updn"]

    def both(self, options, commands, succeed=True):
        return run_both(self.folder, options, commands, succeed)

    def read(self, name):
        with open(os.path.join(os.fsencode(self.folder), os.fsencode(name)), "rb") as f:
            return f.read()

    def finds(self):
        """The test of the test: every payload is found out, in text and among what curses writes."""
        for p in PAYLOADS:
            if is_passed(lambda: check_clean("text", b"a" + p + b"b")):
                raise Failed("%r is not found in text" % p)
            if is_passed(lambda: check_stream(b"\x1b[1;1H\x1b[39ma" + p + b"b")) and p.translate(None, MOVES):
                raise Failed("%r is not found on a screen" % p)
        for p in HARMLESS:
            check_clean("text", p)
            check_stream(b"\x1b[1;1H" + p)

    # --- names in a fabric that is whole

    def commands(self):
        text, _, found = self.both(self.options, COMMANDS)
        shown = "trée\\x1b[31337m\\x9b2J\\xe2\\x80\\xae"
        if shown not in text:
            raise Failed("expected the name of the file as %s" % shown)
        if found[0]["fabric"]["source"] != shown:
            raise Failed("JSON: found %s, expected %s" % (ascii(found[0]["fabric"]["source"]), shown))

    def panes(self):
        setup = ["set qos TRUE", SET_CHASSIS, f"fail link {LEAF}[3]", "fail link 3[1]"]
        for pane, args in PANES.items():
            self.both(self.options, setup[1:3] + ["list %s %s" % (pane, args)])
        self.both(self.options, setup[1:3] + ["list survey pairs all"])
        for pane, (engine, args) in PANES_OF.items():
            self.both([TREE], [setup[0], setup[1], "route " + engine, "list %s %s" % (pane, args)])
        _, _, found = self.both([TREE], ["list help filter where:pane"])
        there = {row["name"] for row in found[-1]["rows"]}
        if there != set(PANES) | set(PANES_OF):
            raise Failed("panes that no test prints: %s" % sorted(there ^ (set(PANES) | set(PANES_OF))))

    def engines(self):
        for engine, commands in OWN.items():
            for c in commands:
                self.both([TREE, "-R", engine], ["set qos TRUE", c.format(LEAF, HOST2, HOST)])

    def rings(self):
        """Credit loops, a torus, layers: their texts name nodes too."""
        rng = random.Random("%d rings" % SEED)
        write(self.folder, "torus", names_of(saved(self.folder, "torus:4x4"), rng))
        self.both(["torus", "-R", "minhop"], ["cycles", "cycles all", "cdg all", "list cycle", "list cdg", "check",
                                                "export svg - cycle", "export svg - cycle all", "export dot - cycle"])
        self.both(["torus", "-R", "lash"], ["set qos TRUE", "layers", "list cycle", "list layer-pairs", "check"])
        self.both(["torus", "-R", "nue"], ["list escape", "list restricted", "check"])
        self.both(["torus"], ["torus-conf made.conf", "set torus_config made.conf", "route torus-2QoS", "list torus",
                              "set qos TRUE", "export torus -", "export sl2vl -", "check"])
        self.both(["torus", "-R", "ftree"], ["list tree", "show"])

    def chassis(self):
        """Chips of a director, whose elements take their names from them."""
        with open(os.path.join(FORMATS, "voltaire-chassis.ibnetdiscover-g"), "rb") as f:
            data = f.read()
        write(self.folder, "chassis", names_of(data, random.Random("%d chassis" % SEED)))
        self.both(["chassis", "-R", "mincontention"],
                  ["elements", "list elements", "show switches", "equal-paths all", "list usage", "show warnings"])

    # --- files with a few words broken: they may be refused, then the message shows what was found

    def mutants(self, kind, data, use, more=None):
        """`use(name)`: options and commands of a run that reads the file."""
        rng = random.Random("%d %s" % (SEED, kind))
        for i in range(more or MUTANTS):
            name = write(self.folder, "%s-%d" % (kind, i), mutant(data, rng))
            options, commands = use(name)
            self.both(options, commands, succeed=False)

    def fabrics(self):
        for name in sorted(os.listdir(FORMATS)):
            path = os.path.join(FORMATS, name)
            if os.path.isdir(path) or name.endswith((".lfts", ".fdbs")) or os.path.getsize(path) > 200000:
                continue
            with open(path, "rb") as f:
                data = f.read()
            self.mutants("fabric-" + name, data, lambda n: ([n, "-R", "minhop"], [
                "show", "show warnings", "list warnings", "show switches", "show hosts", "show links", "list ports"]),
                         more=max(1, MUTANTS // 2))

    def includes(self):
        """Names of files that a file for ibsim asks for."""
        net = (b'include "PAYLOADsub"\n\nSwitch 2 "Top PAYLOAD"\n[1] "Leaf"[1]\n\n'
               b'do Link "Top PAYLOAD"[2] "LeafPAYLOAD"[2]\n')
        for p in PAYLOADS:
            write(self.folder, "inc", net.replace(b"PAYLOAD", p))
            self.both(["inc"], ["show warnings", "show switches"], succeed=False)

    def config(self):
        conf = b"".join(line.split(maxsplit=3)[0] + b" " + line.split()[1] + b"\n" for line in
                        saved(self.folder, "ring:4", "show options").splitlines())
        conf += b"# a comment\nrouting_engine updn,minhop\nunknown_key some value\n"
        self.mutants("conf", conf, lambda n: (["-F", n, TREE], ["show options", "config " + n, "show"]), 5 * MUTANTS)

    def option_files(self):
        tables = saved(self.folder, TREE, "export lfts -", ["-R", "updn"])
        guids = b"# roots\n0x0002c90300a00020 # spine\n0x0002c90300a00030\n"
        maps = saved(self.folder, "torus:3x3", "export sl2vl -", ["-R", "lash", "-e", "set qos TRUE"])
        pairs = b"0x0002c90300a00000 1 2\n0x0002c90300a00010 2 1 # two\n"
        kinds = {
            "root_guid_file": (guids, "updn"),
            "ids_guid_file": (b"0x0002c90300a00020 7\n0x0002c90300a00030 8\n", "updn"),
            "cn_guid_file": (b"0x0002c90300f00001\n0x0002c90300f00021\n", "ftree"),
            "io_guid_file": (b"0x0002c90300f00041\n", "ftree"),
            "guid_routing_order_file": (b"0x0002c90300f00041\n", "minhop"),
            "hop_weights_file": (pairs, "minhop"), "port_search_ordering_file": (pairs, "minhop"),
            "port_prof_ignore_file": (b"0x0002c90300a00000 1\n", "minhop"),
            "guid2lid_file": (b"0x0002c90300a00000 0x0005 0x0005\n\n0x0002c90300f00001 0x0006 0x0006\n", "minhop"),
            "chassis_file": (b"0x0002c90300a00000 Left\n0x0002c90300a00010 Right chassis\n", "mincontention"),
            "path_sl_file": (b"2 5 1\n5 2 1\n", "minhop"), "lfts_file": (tables, "file"),
            "lid_matrix_dump_file": (b"Switch: guid 0x0002c90300a00000\n0x0001: 00 FF 01 01 02\n", "file"),
            "torus_config": (b"torus 2 2 1\nxp_link 0x0002c90300a00000 0x0002c90300a00020\n", "torus-2QoS"),
            "sl2vl_file": (maps, "minhop"),
        }
        for option, (data, engine) in kinds.items():
            self.mutants(option, data, lambda n, o=option, r=engine: ([TREE], [
                "set %s %s" % (o, n), "route " + r, "show", "show options",
                "list switches", "list elements"]))

    def name_map(self):
        data = b'# names\n0x0002c90300a00000 "first leaf"\n0x0002c90300a00020 spine # a comment\n'
        self.mutants("map", data, lambda n: (["--node-name-map", n, TREE], ["show switches", "names " + n, "show"]),
                     3 * MUTANTS)

    def scripts(self):
        data = b'echo some words "in quotes"\nshow node leaf-01\nroute minhop lmc=1\nset lmc 1\nfrob x\n'
        rng = random.Random("%d scripts" % SEED)
        for i in range(4 * MUTANTS):
            name = write(self.folder, "script-%d" % i, mutant(data, rng))
            for options in ([], ["--json"]):
                _, out, _ = run(self.folder, options + [TREE, "-x", name])
                for o in objects(out) if options else []:
                    check_object(o)
                run(self.folder, options + [TREE, "-e", "source " + name])

    # --- words

    def words(self):
        """Of every command: where an option, a node, a file, a number is expected."""
        forms = [
            b"%s", b"help %s", b"load %s", b"synth %s", b"names %s", b"config %s", b"set %s", b"set lmc %s",
            b"set lfts_file %s; route file", b"unset %s", b"show %s", b"show node %s", b"route %s",
            b"route minhop x=%s", b"fail %s", b"fail link %s", b"fail random %s", b"restore host %s",
            b"flap %s", b"journal %s", b"snapshot %s; snapshot", b"trace %s 1", b"why 1 %s", b"lft %s",
            b"step find %s", b"diff %s", b"load-map %s", b"load-map hotspot %s", b"load-map to %s", b"load-map pairs no/%s",
            b"flows %s", b"flows %s 1", b"flows 1 2 by %s", b"survey %s", b"cdg %s",
            b"elements %s", b"compare %s updn", b"save no/%s", b"save %s", b"export %s -",
            b"export lfts no/%s", b"export dot - cdg %s", b"torus-conf %s", b"source no%s", b"echo %s",
            b"list %s", b"list lft %s", b"list hosts sort %s", b"list hosts filter %s", b"list hosts %s",
            b"live %s:x", b"pane %s"]
        rng = random.Random("%d words" % SEED)
        for form in forms:
            p = rng.choice(PAYLOADS)
            self.both([TREE, "-R", "minhop"], [
                f.replace(b"%s", b'"lea' + p + b'"') for f in form.split(b"; ")], succeed=False)
            run(self.folder, [TREE, "-R", "minhop", "-e", form % p])

    def command_line(self):
        """What is said before any command runs."""
        for p in PAYLOADS:
            for args in ([b"--" + p], [b"-" + p], [b"a" + p, b"b" + p], [b"-L", p], [b"--live=" + p, "-e", "show"],
                         [p], [b"-e", b"show", p], [b"-x", p],
                         [b"-F", p, "-e", "show"], [b"-R", p, TREE, "-e", "show"], [b"-k", p, TREE], [b"--json=" + p],
                         [b"--node-name-map", p, "-e", "show"], [b"ring:" + p, "-e", "show"]):
                run(self.folder, args)

    def files_are_exact(self):
        """A file keeps every byte: what names it, what it is about, on standard output it is spelled."""
        self.both(self.options, ["export json out.json", b"save " + TREE + b"2", "export dot out.dot"])
        check_clean("DOT", self.read("out.dot"))
        check_clean("JSON", json.loads(self.read("out.json"))["fabric"].encode())
        if self.read(TREE + b"2") != saved(self.folder, TREE, more=["-R", "updn"]):
            raise Failed("found another fabric in the file than on standard output")

    def files_are_utf8(self):
        """What is written as text can be read as text, whatever names and paths hold."""
        for n, what in enumerate(WRITTEN):
            self.both(self.options, [SET_CHASSIS, b"snapshot s\xff\x9b", "route updn", "%s out-%d%s" % (
                what, n, " " + SPINE if what == "roots export" else "")])
            try:
                self.read("out-%d" % n).decode()
            except UnicodeDecodeError as e:
                raise Failed("%s: found no UTF-8: %s" % (what, e)) from e

    def same_text_on_a_terminal(self):
        """A terminal and a pipe get the same."""
        args = self.options + ["-e", "show switches; snapshot \x1bc; snapshot"]
        _, text, _ = run(self.folder, args)
        shell = "stty -opost; " + " ".join(shlex.quote(os.fsdecode(a)) for a in [PROGRAM, *args])
        done = subprocess.run(["script", "-qec", shell, "/dev/null"], cwd=self.folder, stdout=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, timeout=BOUND)
        if done.stdout.decode() != text or "\\x1b" not in text:
            raise Failed("found %r, expected %r" % (done.stdout, text))

    # --- the explorer

    def screen(self):
        """All that the explorer writes to its terminal, recorded."""
        t = tui.Terminal(size=(132, 40))
        try:
            write(t.dir, TREE, self.read(TREE))
            write(t.dir, CHASSIS, self.read(CHASSIS))
            write(t.dir, "bad.keys", b"bind \x1b[31337m \x1b]52;c;eA==\x07\n")
            t.tmux("pipe-pane", "-t", "t", "cat >%s" % os.path.join(t.dir, "raw"))
            t.start("-R updn tr*; echo ended $?")
            t.wait(r"updn routed")
            explore(t)
            t.keys("F10")
            t.wait(r"^ended 0")
            t.tmux("pipe-pane", "-t", "t")
            with open(os.path.join(t.dir, "raw"), "rb") as f:
                check_stream(f.read())
        finally:
            t.close()


def complete(t, beginning, regex):
    """Tab, which does nothing while a command runs, until the line is as expected; then Enter."""
    t.type(beginning)
    end = time.monotonic() + tui.BOUND
    while not re.search(regex, t.capture(), re.M):
        if time.monotonic() > end:
            raise Failed("no %r on the screen:\n%s" % (regex, t.capture()))
        t.keys("Tab")
        time.sleep(0.05)
    t.keys("Enter")


def explore(t):
    """Panes, the command line with its completion, messages, filters, searches: all show names."""
    script = ["set qos TRUE", SET_CHASSIS, f"fail link {LEAF}[3]", f"trace {HOST} {HOST2}", f"why {LEAF} {HOST2}",
              "list elements", "show links", "diff all", "snapshot \x1bc", "echo \"\x1b]0;pwned\x07 \u202e \x9b2J\""]
    script += ["pane %s %s" % (pane, args) for pane, args in PANES.items()]
    for pane, (engine, args) in PANES_OF.items():
        script += ["route " + engine, "pane %s %s" % (pane, args)]
    script += ["pane elements", "screen done"]
    write(t.dir, "script", b"\n".join(c if isinstance(c, bytes) else c.encode() for c in script))
    write(t.dir, "bad.ibs", b"show\nfrob\x1b[31337m\x1b]0;pwned\x07\n")
    t.run(":source script")
    t.written("done")
    t.wait(r"Chassis.*\\x[0-9a-f]{2}")  # in the pane of elements
    t.keys("F12")
    t.wait(r"[▸>]REPL")
    for line, shown in (("source bad.ibs", r"bad.ibs:2:.*frob\\x1b\[31337m"), ("keymap bad.keys", r"bad.keys:1: .*\\x1b"),
                        ("keymap default", r"F10 quit"), ("export lfts no/tr", r"no/tr: "),
                        ("compare updn minhop", r"updn +minhop|1-\d+ of \d+, PgDn")):
        t.type(line)
        t.keys("Enter")
        t.wait(shown)
    complete(t, "set chassis_file cha", r"> set chassis_file .*chassis\\x1b\]52;c;eA==\\x07")
    complete(t, "diff ", r"^. \$'\\x1bc'  +all")
    t.run("pane switches")
    t.keys("Escape")
    t.wait(r"▸Switches")
    t.keys("/")
    t.type("spi")
    t.keys("Enter")
    t.keys("F12")
    t.wait(r"[▸>]REPL")


# of curses on a terminal of type screen: no titles, no \x1b[2J; and the question about the background
SEQUENCE = re.compile(rb"\x1b(?:\]11;\?\x07|\[(?!2J|31337)[0-9;?]*[A-Za-z@]|[()][0B]|[=>78M])")
MOVES = b"\r\b\x0f"  # curses sends these as well


def check_stream(data):
    """Curses' own sequences, and nothing else that steers a terminal."""
    check_clean("screen", SEQUENCE.sub(b"", data).translate(None, MOVES))


def cut(s):
    return s if len(s) < 6000 else s[:1000] + " ... " + s[-4000:]


def main():
    tests = Tests()
    names = [n for n in vars(Tests) if not n.startswith("_") and n not in ("both", "mutants", "read")]
    if len(sys.argv) > 1:
        names = [n for n in names if any(fnmatch.fnmatch(n, p) for p in sys.argv[1:])]
    print("hostile: SEED=%d" % SEED, flush=True)
    bad = 0
    try:
        for name in names:
            try:
                getattr(tests, name)()
            except (Failed, tui.Failed, OSError, ValueError, KeyError, subprocess.SubprocessError) as e:
                bad += 1
                print("FAIL hostile/%s: %s" % (name, cut(str(e))), flush=True)
    finally:
        shutil.rmtree(tests.folder)
    print("%d passed, %d failed" % (len(names) - bad, bad))
    return 1 if bad or not names else 0


if __name__ == "__main__":
    sys.exit(main())
