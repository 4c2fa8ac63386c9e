#!/usr/bin/env python3
"""The program from end to end without a terminal: exit status, standard output, standard error.

Each case starts the program once.  usage: run.py [CASE]...
Environment: IBSCOPE=build/ibscope.  The last line is "N passed, N failed".
"""
import fnmatch
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
SECONDS = 120  # no case takes one; a bound for a program that hangs
# OpenSM would never get past LASH here, with do_mesh_analysis.
ENDLESS = "mesh:5x4,fail=3,shuffle=1,seed=12"

FILES = {
    "mesh.conf": "do_mesh_analysis TRUE\n",
    "chain.conf": "routing_engine updn,minhop\n",
    "bad.conf": "lmc 9\n",
    "good.ibs": "# a script\nroute minhop\n\ncheck\n",
    "fault.ibs": "route minhop\nfail switch leaf-01\ncheck\n",
    "wrong.ibs": "route minhop\n\nfrob\nshow\n",
    "outer.ibs": "show\nsource inner.ibs\nshow\n",
    "inner.ibs": "\nroute nonsense\n",
    "quits.ibs": "show\nquit\nfrob\n",
    "names.map": "0x0002c90300a00000 \"first leaf\"\n",
    "junk": "this is no fabric\n",
    "pair.net": 'Hca 1 "A"\n[1] "B"[1]\n\nHca 1 "B"\n[1] "A"[1]\n',
    "loops.net": 'Switch 6 "S"\n[1] "S"[2]\n[3] "A"[1]\n[4] "B"[1]\n\nHca 1 "A"\n[1] "S"[3]\n\nHca 1 "B"\n[1] "S"[4]\n',
    "parts.net": 'Switch 6 "S"\n[1] "A"[1]\n[2] "B"[1]\n\nSwitch 6 "T"\n[1] "C"[1]\n\nHca 1 "A"\n[1] "S"[1]\n\n'
                 'Hca 1 "B"\n[1] "S"[2]\n\nHca 1 "C"\n[1] "T"[1]\n',
    "nul.ibs": "show\nroute\0minhop\n",
    "mark.ibs": "\ufeffshow\n",
    "mac.ibs": "show\rroute minhop\r",
    "mark.conf": "\ufeffrouting_engine updn\n",
    "packed": "PK\3\4\24\0",
}

NOTHING = r"\A\Z"


class Case:
    """status, and patterns that standard output and standard error must hold (NOTHING: be empty)."""

    def __init__(self, name, args, status, out="", err=NOTHING, absent=None, stdin=None, objects=None):
        self.name, self.args, self.status = name, args, status
        self.out, self.err, self.absent, self.stdin = out, err, absent, stdin
        self.objects = objects  # with --json: (command, ok) of each object, in order


TREE = "xgft:3,3:1,2"
FORMATS = os.path.join(ROOT, "tests", "fabrics", "formats", "")
LEAVES = FORMATS + "two-leaf.ibnetdiscover"
STAGE = os.path.join(ROOT, "tests", "fabrics", "formats", "stage-qdr-fdr10.ibnetdiscover")
UPDN = ["-R", "updn"]

CASES = [
    # --- what is asked of the command line itself
    Case("help", ["--help"], 0, r"\Ausage: ibscope .*\n[\s\S]*FABRIC"),
    Case("version", ["--version"], 0, r"\Aibscope \d+\.\d+"),
    Case("unknown option", ["--frob"], 2, NOTHING, r"frob.*\n.*--help"),
    Case("two fabrics", ["ring:4", "ring:5", "-e", "show"], 2, NOTHING, r"found \"ring:5\" behind the fabric"),
    Case("fabric and live", ["--live", "ring:4", "-e", "show"], 2, NOTHING, r"expected one of them"),
    Case("option without value", ["-e"], 2, NOTHING, r"--help"),
    Case("no terminal", [TREE], 2, NOTHING, r"no terminal.*-e COMMANDS or -x FILE"),
    Case("json without commands", ["--json", TREE], 2, NOTHING, r"no terminal|--json goes with"),
    Case("standard input twice", ["-", "-x", "-"], 2, NOTHING, r"standard input"),

    # --- check
    Case("sound", [TREE, *UPDN, "-e", "check"], 0, r"^Sound: "),
    Case("fault", [TREE, *UPDN, "-e", "fail switch leaf-01; check"], 1, r"^NOT SOUND", absent=r"^Sound"),
    Case("credit loop", ["torus:4x4", "-R", "minhop", "-e", "check"], 1, r"credit loops[\s\S]*^NOT SOUND"),
    Case("fault seen by an earlier command", [TREE, *UPDN, "-e", "fail switch leaf-01; check; undo; check"], 1,
         r"NOT SOUND[\s\S]*^Sound"),
    Case("check of nothing", ["-e", "check"], 1, NOTHING, r"ibscope: -e:1: no fabric is loaded"),
    Case("check without tables", [TREE, "-e", "check"], 1, NOTHING, r"-e:1: nothing is routed yet"),
    Case("check with too much", [TREE, *UPDN, "-e", "check all"], 1, NOTHING, r"expected: check$"),
    Case("trace without a path", [TREE, *UPDN, "-e", "fail switch leaf-01; trace node0004 node0001"], 1, r"NO PATH"),

    # --- the edges of what there may be
    Case("two hosts and no switch", ["pair.net", "-e", "route minhop; trace A B"], 1, r"has no switch", r"-e:1: "),
    Case("a switch cabled to itself", ["loops.net", "-R", "minhop", "-e", "check; trace A B"], 0, r"^Sound: [\s\S]*hop"),
    Case("parts apart", ["parts.net", "-R", "minhop", "-e", "check; trace A B"], 1, r"^2 endports cut off[\s\S]*^NOT SOUND[\s\S]*A \(LID 2\) -> B \(LID 3\)"),

    # --- tables as data
    Case("tables", [LEAVES, "-e", "tables %s; trace 4 10; check" % (FORMATS + "two-leaf.lfts")], 0,
         r"^It names the LIDs of 7 ports\.[\s\S]*\(LID 4\) -> router \(LID 10\): SL 0, 3 hops[\s\S]*^Sound: "),
    Case("tables of another fabric", [TREE, "-e", "tables %s" % (FORMATS + "two-leaf.lfts")], 1, NOTHING,
         r"-e:1: \S*two-leaf.lfts: found tables of 3 switches, none of which is in the fabric"),
    Case("tables without a fabric", ["-e", "tables x"], 1, NOTHING, r"no fabric is loaded"),
    Case("tables of what are none", [TREE, "-e", "tables junk"], 1, NOTHING,
         r"junk: found no table of a switch \(the text begins 'this is no fabric"),
    Case("json: tables", ["--json", LEAVES, "-e", "tables %s" % (FORMATS + "two-leaf.fdbs")], 0,
         r'"format":"fdbs"[\s\S]*"routing":\{"engine":"tables"', objects=[("load", True), ("tables", True)]),
    Case("folder of ibdiagnet", [FORMATS + "two-leaf.ibdiagnet2", "-e", "trace 4 10; check"], 0,
         r"any of 1 \*2 \(group 3\)[\s\S]*^Adaptive routing[\s\S]*^Sound: ", r"^tables routed 3 switches"),
    Case("folder, an engine asked for", ["-R", "minhop", FORMATS + "two-leaf.ibdiagnet2", "-e", "show"], 0,
         r"^routed by minhop"),
    Case("LIDs before anything is routed", [FORMATS + "two-leaf.ibdiagnet2/ibdiagnet2.db_csv", "-e",
                                            "list hosts; trace 4 10"], 1,
         r"host one +4 [\s\S]*host one \(LID 4\) -> router \(LID 10\): the shortest way has 3 hops",
         r"nothing is routed yet; `route ENGINE` does it, `tables FILE` takes"),

    # --- scripts
    Case("script", [TREE, "-x", "good.ibs"], 0, r"^Sound: "),
    Case("script finds a fault", [TREE, "-x", "fault.ibs"], 1, r"^NOT SOUND"),
    Case("script fails", [TREE, "-x", "wrong.ibs"], 1, r"routed", r"\Aibscope: wrong.ibs:3: unknown command \"frob\"",
         absent=r"host"),
    Case("script within a script fails", [TREE, "-x", "outer.ibs"], 1, r"9 hosts",
         r"\Aibscope: inner.ibs:2: no engine of \"nonsense\""),
    Case("no such script", [TREE, "-x", "nowhere.ibs"], 1, NOTHING, r"cannot read nowhere.ibs: No such file"),
    Case("script with a NUL byte", [TREE, "-x", "nul.ibs"], 1, r"9 hosts", r"nul.ibs:2: found a NUL byte as character 6"),
    Case("script with a byte order mark", [TREE, "-x", "mark.ibs"], 1, NOTHING, r"mark.ibs:1: found a byte order mark"),
    Case("script that calls one", [TREE, "-e", "source mark.ibs"], 1, NOTHING, r"ibscope: mark.ibs:1: found a byte order"),
    Case("script of another system", [TREE, "-x", "mac.ibs"], 1, NOTHING, r"mac.ibs:1: found lines that end in CR alone"),
    Case("opensm.conf with a byte order mark", ["-F", "mark.conf", TREE, "-e", "show"], 1, NOTHING,
         r"mark.conf:1: found a byte order mark"),
    Case("archive for a fabric", ["packed", "-e", "show"], 1, NOTHING,
         r"packed: found a zip archive \(unpack it first: unzip\)"),
    Case("script from standard input", [TREE, "-x", "-"], 0, r"^Sound: ", stdin="route minhop; check\n"),
    Case("its errors", [TREE, "-x", "-"], 1, NOTHING, r"ibscope: standard input:2: unknown command", stdin="\nfrob\n"),
    Case("quit ends a script", [TREE, "-x", "quits.ibs", "-e", "frob"], 0, r"9 hosts"),
    Case("pieces in order", [TREE, "-e", "route minhop", "-e", "check", "-x", "wrong.ibs"], 1, r"Sound[\s\S]*routed",
         r"wrong.ibs:3"),
    Case("nothing behind a failure", [TREE, "-e", "frob; show", "-e", "show"], 1, NOTHING, r"-e:1: unknown command"),
    Case("unclosed quote", [TREE, "-e", "load \"x"], 1, NOTHING, r"-e:1: no closing \""),
    Case("colon is let be", [TREE, *UPDN, "-e", ":trace node0001 node0009; : undo"], 0, r"4 hops[\s\S]*Undone"),
    Case("shortened command", [TREE, *UPDN, "-e", "chec"], 0, r"^Sound: "),
    Case("ambiguous command", [TREE, "-e", "re"], 1, NOTHING, r"\"re\" may be .*restore"),

    # --- what needs a screen
    Case("pane", [TREE, "-e", "pane hosts"], 1, NOTHING, r"-e:1: pane: needs the curses interface"),
    Case("shortened pane", [TREE, "-e", "pan hosts"], 1, NOTHING, r"-e:1: pane: needs the curses interface"),

    # --- start: fabric, engine, options
    Case("fabric file", [os.path.join(ROOT, "tests/fabrics/demo-3level.ibnet"), "-e", "show"], 0, r"ibnetdiscover"),
    Case("no such fabric", ["nowhere.net", "-e", "show"], 1, NOTHING, r"ibscope: nowhere.net: "),
    Case("no fabric in a file", ["junk", "-e", "show"], 1, NOTHING, r"ibscope: junk: found .*expected"),
    Case("bad synthetic fabric", ["torus:0", "-e", "show"], 1, NOTHING, r"torus"),
    Case("empty standard input", ["-", "-e", "show"], 1, NOTHING, r"standard input: found an empty file", stdin=""),
    Case("unknown engine", [TREE, "-R", "frob", "-e", "show"], 1, NOTHING, r"no engine of \"frob\""),
    Case("start says nothing on standard output", [TREE, *UPDN, "-e", "echo x"], 0, r"\Ax\n\Z"),
    Case("an engine that refuses", ["ring:6", "-R", "ftree", "-e", "echo x"], 0, r"\Ax\n\Z",
         r"ftree refuses this fabric[\s\S]*Falling back as OpenSM does: minhop"),
    Case("config", ["-F", "chain.conf", TREE, "-e", "show"], 0, r"routed by updn \(asked: updn,minhop\)"),
    Case("bad config", ["-F", "bad.conf", TREE, "-e", "show"], 1, NOTHING, r"bad.conf:1: lmc"),
    Case("name with ; in the line that loads", ["-e", f"load {STAGE}; show node MF0;ib5:SX6036/U1; show"], 0,
         r"^switch MF0;ib5:SX6036/U1\n[\s\S]*^subnet manager: "),
    Case("names with blanks in a script", [STAGE, "-R", "minhop", "-x", "-"], 0,
         r"^stage2 mlx4_0 \(LID 3\) -> stage3 mlx4_0 \(LID 4\)", stdin="trace stage2 mlx4_0 stage3 mlx4_0\n"),
    Case("name that fits several", [STAGE, "-e", "show node SX6036"], 1, NOTHING,
         r"-e:1: \"SX6036\" fits 8 nodes: \"MF0;ib1:SX6036/U1\" \(0x[0-9a-f]{16}\), .*, \.\.\.; say more of the name"),
    Case("list of hosts", [STAGE, "-R", "minhop", "-e", "fail host stage[2-4]; journal"], 0,
         r"^3 nodes down\.[\s\S]*^>  2  fail host stage\[2-4\]"),
    Case("list with a host there is not", [STAGE, "-e", "fail host stage[2-4],stage[998-999]"], 1, NOTHING,
         r"no node is named stage998, stage999$"),
    Case("glob that fits none", [STAGE, "-e", "fail switch *CSPINE*"], 1, NOTHING, r"\"\*CSPINE\*\" fits no node"),
    Case("host of two ports", [STAGE, "-R", "minhop", "-e", "trace tank1 stage2"], 0,
         r"^tank1 is taken for tank1 mlx4_0\[1\], the first of its ports that is up\.$"),
    Case("names", ["--node-name-map", "names.map", TREE, "-e", "show switches"], 0, r"first leaf"),
    Case("-R that stops", ["-F", "mesh.conf", "-R", "lash", ENDLESS, "-e", "echo x"], 1, r"\Ax\n\Z", r"^STOP: OpenSM"),
    Case("route that stops", ["-F", "mesh.conf", ENDLESS, "-e", "route lash"], 1, r"^STOP: OpenSM"),

    # --- history
    Case("rules are undone", [TREE, *UPDN, "-e", "set rules manual; show options; undo; show options"], 0,
         r"^\* rules +manual[\s\S]*^  rules +opensm"),
    Case("rules are redone", [TREE, *UPDN, "-e", "set rules manual; undo; redo; show options"], 0, r"^\* rules +manual"),
    Case("rules of no kind", [TREE, "-e", "set rules maybe"], 1, NOTHING, r"rules: found 'maybe', expected opensm or manual"),
    Case("rules for one command", [TREE, *UPDN, "-e", "route updn rules=manual; unset rules; journal"], 0,
         r"route updn rules=manual[\s\S]*unset rules"),
    Case("reset keeps snapshots", [TREE, *UPDN, "-e", "snapshot a; fail link leaf-01[4]; reset; snapshot; diff a"], 0,
         r"^a +updn[\s\S]*0 entries"),
    Case("so does another fabric", [TREE, *UPDN, "-e", "snapshot a; synth xgft:3,2:1,2; snapshot; diff a"], 0,
         r"^a +updn[\s\S]*^Only before, and not compared: 1 switch, 3 host ports "),

    # --- JSON: one object for every command
    Case("json", ["--json", TREE, *UPDN, "-e", "check; trace node0001 node0009", "-x", "good.ibs"], 0,
         objects=[("synth", True), ("route", True), ("check", True), ("trace", True), ("route", True), ("check", True)]),
    Case("json: fault", ["--json", TREE, *UPDN, "-e", "fail switch leaf-01; check"], 1, r"\"sound\":false",
         objects=[("synth", True), ("route", True), ("fail", True), ("check", True)]),
    Case("json: failure", ["--json", TREE, "-e", "check; show"], 1, r"\"error\":\"nothing is routed yet", r"-e:1: nothing",
         objects=[("synth", True), ("check", False)]),
    Case("json: unknown command", ["--json", "-e", "frob a"], 1, "", r"unknown command", objects=[("frob", False)]),
    Case("json: what does not parse", ["--json", TREE, "-e", "show; load \"x"], 1, "", r"no closing",
         objects=[("synth", True), ("show", True), ("load", False)]),
    Case("json: scripts", ["--json", TREE, "-e", "source outer.ibs"], 1, "", r"inner.ibs:2: ",
         objects=[("synth", True), ("show", True), ("route", False), ("source", False), ("source", False)]),
    Case("json: no fabric", ["--json", "junk", "-e", "show"], 1, "", r"junk: found", objects=[("load", False)]),
    Case("json: interface", ["--json", TREE, "-e", "pane hosts"], 1, "", r"curses",
         objects=[("synth", True), ("pane", False)]),
    Case("json: tables on standard output", ["--json", TREE, *UPDN, "-e", "export lfts -; save -"], 0, r"Unicast lids",
         objects=[("synth", True), ("route", True), ("export", True), ("save", True)]),
    Case("json: stop", ["--json", "-F", "mesh.conf", "-R", "lash", ENDLESS, "-e", "show"], 1, r"\"fatal\":\"never ends\"",
         objects=[("config", True), ("synth", True), ("route", True), ("show", True)]),
    Case("json: help", ["--json", "-e", "help; help check; show engines; show options"], 0, r"\"commands\":\[",
         objects=[("help", True), ("help", True), ("show", True), ("show", True)]),
]


def run(args, folder, stdin=None):
    return subprocess.run([PROGRAM, *args], cwd=folder, input=stdin or "", stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=SECONDS)


def objects_fault(case, text):
    """None, or what is wrong with the lines of JSON."""
    try:
        found = [json.loads(line) for line in text.splitlines()]
    except ValueError as e:
        return "standard output is not one JSON object a line: %s" % e
    told = [(o["command"], o["ok"]) for o in found]
    if told != case.objects:
        return "found the objects %s, expected %s" % (told, case.objects)
    if [o for o in found if ("error" in o) == o["ok"]]:
        return "found an error without failure, or a failure without error"
    if ["schema" in o for o in found] != [True] + [False] * (len(found) - 1):
        return "expected \"schema\" in the first object"
    return None


def run_case(case, folder):
    """None, or why it failed."""
    done = run(case.args, folder, case.stdin)
    if done.returncode != case.status:
        return "status %d, expected %d\n%s%s" % (done.returncode, case.status, done.stdout, done.stderr)
    for what, pattern, text in (("output", case.out, done.stdout), ("error", case.err, done.stderr)):
        if not re.search(pattern, text, re.M):
            return "standard %s: no %r in:\n%s" % (what, pattern, text)
    if case.absent and re.search(case.absent, done.stdout, re.M):
        return "standard output: %r in:\n%s" % (case.absent, done.stdout)
    return objects_fault(case, done.stdout) if case.objects else None


def cut_off(folder):
    """A real file that was cut off in the middle is told to be incomplete, and never sound."""
    path = os.path.join(ROOT, "tests", "fabrics", "real", "sat11-director.putty-log.xz")
    with lzma.open(path) as f:
        text = f.read()
    for name, size, status in (("whole", len(text), 0), ("cut", len(text) * 8 // 10, 1)):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(text[:size])
        done = run(["--json", name, *UPDN, "-e", "check"], folder)
        told = [json.loads(line) for line in done.stdout.splitlines()]
        if done.returncode != status or told[-1]["sound"] != (not status) or told[-1]["complete"] != (not status):
            return "%s: status %d: %s%s" % (name, done.returncode, done.stdout[-600:], done.stderr)
        if told[0]["fabric"]["complete"] != (not status) or ("is incomplete" in done.stderr) != bool(status):
            return "%s: %s%s" % (name, done.stdout[:600], done.stderr)
        done = run([name, *UPDN, "-e", "check"], folder)
        if (re.search("^Sound", done.stdout, re.M) is None) != bool(status):
            return "%s: %s" % (name, done.stdout[-600:])
    return None


def standard_input(folder):
    """What `save -` writes is read back through "-", in another process."""
    saved = run([TREE, "-e", "save -"], folder)
    again = run(["-", *UPDN, "-e", "check"], folder, saved.stdout)
    if again.returncode or "Sound:" not in again.stdout:
        return "status %d: %s%s" % (again.returncode, again.stdout, again.stderr)
    return None


def full_disk(folder):
    """Output that cannot be written is a failure."""
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, TREE, "-e", "show switches"], cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=full, stderr=subprocess.PIPE, text=True, timeout=SECONDS)
    if done.returncode != 1 or "cannot write standard output" not in done.stderr:
        return "status %d: %s" % (done.returncode, done.stderr)
    return None


def main():
    folder = tempfile.mkdtemp(prefix="ibscope-cli-")
    tests = [(c.name, lambda c=c: run_case(c, folder)) for c in CASES]
    tests += [("fabric from standard input", lambda: standard_input(folder)),
              ("cut off", lambda: cut_off(folder)), ("full disk", lambda: full_disk(folder))]
    if len(sys.argv) > 1:
        tests = [t for t in tests if any(fnmatch.fnmatch(t[0], p) for p in sys.argv[1:])]
    bad = 0
    try:
        for name, text in FILES.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as f:
                f.write(text)
        for name, test in tests:
            try:
                why = test()
            except (OSError, subprocess.SubprocessError, KeyError) as e:
                why = repr(e)
            bad += why is not None
            if why:
                print("FAIL cli/%s: %s" % (name, why), flush=True)
    finally:
        shutil.rmtree(folder)
    print("%d passed, %d failed" % (len(tests) - bad, bad))
    return 1 if bad or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
