"""Sessions of suite same that come from the program's own lists: every command with right, wrong and extreme words.

    sessions(program)   [(name, fabric, lines)]

For each form of each command's syntax line, each capital word in turn stands for what it may be, what is at its bounds
and what it must not be; each option of `show options` takes values of all kinds; each kind of `synth` sizes at, below and
above what it takes; each file that is read comes with lines that are wrong.  The files of FILES lie in the folder of a run.
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import contract  # noqa: E402
import docs  # noqa: E402

TREE = "xgft:3,3:1,2"
UNTRIED = {"live", "watch", "counters", "verify", "quit"}      # suites live and verify

NUMBERS = ["0", "1", "2", "3", "15", "16", "64", "65", "255", "256", "1000", "1001", "65535", "65536", "2147483647", "2147483648", "4294967295",
           "4294967296", "18446744073709551615", "18446744073709551616", "-1", "x", "0x10", "1x", '""']
NODES = ["leaf-01", "spine-02", "node0001", "node0018", "0x0002c90300a00000", "1", "9", "30", "99", "65535", "65536", "nobody", "leaf-0", "leaf", "'leaf-*'",
         "'leaf-0[1-2]'", "'leaf-0[1-2,9]'", "leaf-01[1]", "leaf-01[0]", "leaf-01[6]", "leaf-01[99]", "leaf-01[x]", "leaf-01[", "node0001[1]", "node0001[2]",
         "'node000[1-3]'", "'node000[3-1]'", "'node000[1-]'", "'*'", '""', "0x1", "0xfffffffffffffffff", "@missing", "@hosts.txt", "@broken.txt",
         "@squeue.txt:7", "@squeue.txt:9", "-node0001", "leaf-01 leaf-01", "node0001 node0002"]
ENGINES = ["minhop", "updn", "ftree", "lash", "dor,updn", "ftree,updn,minhop", "minhop,no_fallback", "tables", "live", "file", "frob", "minhop,frob", "min", '""', ",", "u"]
FILES_READ = ["good.edges", "missing", "broken.txt", "empty", "good.lfts", "bad.lfts", "names", "bad.names", "good.conf", "bad.conf", "plan.csv", "bad.csv", "pairs",
              "bad.pairs", "script", "bad.script", "fabrics/demo-3level.ibnet", "/", '""', "-"]
EACH = {"SWITCH": NODES, "DST": NODES, "SRC": NODES, "HOST": NODES, "H": NODES, "S": NODES, "NODE": NODES, "NODE[PORT]": NODES, "ELEMENT": NODES, "CHASSIS": NODES,
        "CARD": NODES, "PORT": NODES[:1] + NUMBERS + NODES[17:25], "DESTINATION": NODES, "ENGINE": ENGINES, "ENGINE[,ENGINE...]": ENGINES,
        "OPTION": ["lmc", "qos", "root_guid_file", "frob", "LMC", "lm", '""', "rules"], "VALUE": ["0", "1", "7", "8", "TRUE", "x", '""'],
        "OPTION=VALUE": ["lmc=1", "lmc=8", "lmc=", "frob=1", "=1", "qos=TRUE", "lmc", "lmc=1 lmc=2", "lmc=1 qos=TRUE"], "FILE": FILES_READ, "PLAN": FILES_READ,
        "XML": ["made.xml", "/", '""', "-"], "LIMIT": ["lost=0", "load=+20%", "load=300", "longest=+0 outage=1", "lost=+1%", "frob=1", "lost=", '""'],
        "SPEC": ["ring:4", "ring:", "frob:1", "xgft", "lesson:ring", "lesson:frob", '""'], "SNAPSHOT": ["a", "b", "nobody", '""', "'a b'", "*"],
        "LESSON": ["ring", "r", "frob", '""'], "COMMAND": ["check", "ch", "frob", "s", '""'], "TOPIC": ["lid", "frob", "'credit loop'", "limits", "rules"],
        "PANE": ["switches", "sw", "frob", "ports", '""'], "COLUMN": ["name", "guid", "lid", "frob", "n", '""'], "TEXT": ["leaf", "'lid>3'", "'lid<3'", "'name=leaf-01'", "'", '"a b"', "!leaf", '""'],
        "RATE": ["1xSDR", "4xHDR", "12xNDR", "4x", "HDR", "3xHDR", "x", '""'], "GUID": ["0x1", "0", "x"], "I/N": ["1/1", "2/2", "0/2", "3/2", "1/0", "1/", "/", "x/2", "1/2x", "1/100000000"],
        "G": ["0x77", "0", "x", "0x0002c90300a00000", "0xffffffffffffffff", "0x10000000000000000"]}
NUMERIC = {"EVENT", "SAMPLE", "STEP", "VL", "NUMBER", "LAYER", "SHIFT", "N", "K", "COUNT", "SPEED", "SECONDS", "I", "GROUP"}
# what makes a state that the command has something to say of
BEFORE = {"step": ["route ftree", "step start"], "undo": ["fail link leaf-01[4]"], "redo": ["fail link leaf-01[4]", "undo"], "quiz": ["quiz port seed=1"],
          "changes": ["save made.one"], "diff": ["fail link leaf-01[4]"], "restore": ["fail link leaf-01[4]", "fail switch spine-02", "fail host node0002"],
          "journal": ["fail link leaf-01[4]", "fail host node0002"]}
CHANGING = {"set", "unset", "route", "sweep", "reroute", "fail", "restore", "flap", "undo", "redo", "reset", "restart", "failover", "sighup", "add", "remove",
            "move", "swap", "replace", "rename", "speed", "event", "names", "config", "tables", "load", "synth", "scope", "snapshot", "torus-conf", "step", "source"}

FILES = {
    "hosts.txt": "node0001\nnode0002 node0005\n# nothing\n\n'node000[7-9]'\n", "broken.txt": "\x01\x02 what is this?\n[[\n", "empty": "",
    "squeue.txt": "JOBID NAME NODES NODELIST\n7 solve 3 node000[1-2],gone\n8_1 mpi 1 node0009\n", "names": '0x0002c90300a00000 "first leaf"\n# a comment\n\n0x0002c90300a00010 second\n',
    "bad.names": '0x0002c90300a00000 "first\nx "y"\n0x1 "unknown"\n0x0002c90300a00000\n', "good.conf": "routing_engine updn\nlmc 1\n# c\nunknown_option 3\nqos TRUE\n",
    "bad.conf": "lmc 9\nrouting_engine frob\nlmc\n", "pairs": "node0001 node0009 2  # twice\nnode0002 leaf-01\n", "bad.pairs": "node0001\nnobody node0001\nnode0001 node0002 x\n",
    "plan.csv": "node,port,node,port,speed\nleaf-01,4,spine-02,1\nleaf-01,5,spine-01,1\nleaf-02,4,spine-01,2,EDR\nleaf-02,4,spine-02,3\nleaf-09,1,spine-01,3\nnode0001,1,leaf-01,2\n",
    "bad.csv": "node,port,node\nleaf-01,x,spine-01,1\n", "script": "echo said\nshow\n", "bad.script": "echo said\nfrob\nshow frob\nfail host node0001\n",
    "good.edges": "a b\nb c 2\nh1 a\nh2 c\n", "good.lfts": "Unicast lids [0x0-0x3] of switch Lid 1 guid 0x0002c90300a00000 ('leaf-01'):\n  Lid  Out   Destination\n       Port     Info\n0x0001 000 : (Switch portguid 0x0002c90300a00000: 'leaf-01')\n0x0002 004 : (Switch portguid 0x0002c90300a00010: 'leaf-02')\n2 valid lids dumped\n",
    "bad.lfts": "Unicast lids [0x0-0x3] of switch Lid 1 guid 0x0002c90300a00000 ('leaf-01'):\n0x0001 999 : x\n0xzz 1 : y\n0x0002 004 : (\nUnicast lids of switch 0x99\n",
}


def name_writes(command, form):
    return command in ("save", "export", "report", "save-session", "torus-conf", "screen") or " export " in form or " write " in form or " junit " in form


def right(command, syntax):
    """Lines of each form as it stands."""
    return [line for line in formed(command, syntax, False) if not line.endswith(" behind")]


def formed(command, syntax, varied=True):
    """Lines of each form: as it stands, and with each capital word as each of EACH."""
    words, of_command, lines = docs.WORDS, docs.OF_COMMAND, []
    try:
        docs.WORDS, docs.OF_COMMAND = {}, {}
        found = list(dict.fromkeys(docs.forms(command, syntax)))
    finally:
        docs.WORDS, docs.OF_COMMAND = words, of_command

    def usual(w):
        # "seed=1" of docs.forms is right already
        return {"FILE": "-" if command in ("export", "save", "report", "save-session", "torus-conf") else
                {"load": "good.edges", "names": "names", "config": "good.conf", "sighup": "good.conf", "tables": "good.lfts", "source": "script", "plan": "plan.csv",
                 "load-map": "pairs", "flows": "pairs", "changes": "made.one"}.get(command, "made")}.get(w, words.get(w, w))
    for form in found:
        parts = form.split()
        plain = [parts[0]] + [usual(w) for w in parts[1:]]
        lines.append(" ".join(plain))
        lines.append(" ".join(plain + ["behind"]))
        if len(plain) > 1:
            lines.append(" ".join(plain[:-1]))
        for i, w in enumerate(parts[1:] if varied else [], 1):
            key, lead = (w, "") if "=" not in w or w in EACH else (w.split("=")[1], w.split("=")[0] + "=")
            if lead and key == "1":
                key = "N"
            values = NUMBERS if key in NUMERIC else EACH.get(key, [] if lead or not re.fullmatch(r"[A-Z\[\]/]+", w) else NODES)
            if name_writes(command, form):      # `fabrics` is the project's own
                values = [v for v in values if "fabrics/" not in v]
            lines += [" ".join(plain[:i] + [lead + v] + plain[i + 1:]) for v in values]
    # a png is the work of another program, and drawn as svg
    return [x for x in dict.fromkeys(lines) if not x.startswith("tables live") and " png " not in x]


def asked(program, line):
    done = subprocess.run([os.path.abspath(program), "--json", "-e", line, TREE], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def of_commands(program):
    for c in asked(program, "help")["commands"]:
        name = c["name"]
        if c["screen"] or name in UNTRIED:
            continue
        begin = ["route updn", "snapshot a", *BEFORE.get(name, [])]
        lines = formed(name, c["syntax"])
        if name in CHANGING:        # each from the same state, and what became of it
            lines = ["\n".join(["synth " + TREE, *begin, line, "journal", "diff a"]) for line in lines]
        yield "words " + name, [] if name in CHANGING else begin, lines


# what looks, in states in which it has something else to say
STATES = {
    "stepping": ["route ftree", "step start", "step 12"],
    "stepping layers": ["set qos TRUE", "synth ring:6", "route lash", "step start", "step 9"],
    "recorded": ["route updn", "step start", "step end", "fail link leaf-01[4]"],
    "cut off": ["route minhop", "snapshot a", "fail host node0001", "fail link leaf-02[4] leaf-02[5]", "fail switch spine-02"],
    "back": ["route updn", "fail switch spine-02", "snapshot a", "restore all"],
    "many LIDs": ["set lmc 2", "route updn", "scope node0001 node0002 node0005", "fail link leaf-01[4]"],
    "looping": ["synth torus:4x4", "route minhop", "snapshot a", "fail link t00[2]"],
    "refused": ["synth torus:4x4", "route ftree,torus-2QoS,no_fallback"],
    "director": ["synth director:2,2,2,4,hosts=2", "route updn", "snapshot a", "fail link 'edge-01[1]'"],
    "aggregating": ["synth xgft:3,3:1,2,aggregation=1,esp0=1,lids=1,lmc=1,sm=host", "set aggregation_nodes count", "route updn"],
}
# these change what is seen, or take long
NOT_LOOKING = CHANGING | {"source", "lesson", "quiz", "schema", "help", "echo", "advise", "survey", "report", "save-session"}


def of_states(program):
    lines = ["show lids", "show warnings"]
    for c in asked(program, "help")["commands"]:
        if not c["screen"] and c["name"] not in UNTRIED | NOT_LOOKING:
            lines += [x for x in right(c["name"], c["syntax"]) if " -" in x or "made" not in x]
    for pane in asked(program, "help panes")["names"]:
        if pane["kind"] == "pane" and pane["name"] not in ("journal", "survey", "advise"):     # times, and what takes long
            words = [docs.WORDS.get(w.strip("[]").split("|")[0], w) for w in pane.get("syntax", "").replace("[NODE|NODE[PORT]]", "NODE").split()]
            lines += dict.fromkeys([" ".join(["list", pane["name"]]), " ".join(["list", pane["name"], *words])])
    for state, begin in STATES.items():
        yield "state " + state, begin, lines


VALUES = ["0", "1", "2", "7", "8", "14", "15", "16", "63", "64", "127", "128", "254", "255", "256", "257", "1000", "65535", "65536", "4294967295", "4294967296", "-1", "x", "TRUE", "false",
          "yes", "(null)", "null", '""', "0,1,2,3", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15", "0,16,x", "opensm", "manual", "file", "simulated", "ignore", "count", "leaf-01",
          "'leaf-*'", "node0001", "0x0002c90300a00000", "0x1", "names", "broken.txt", "missing", "empty", "/", "a b"]


def of_options(program):
    for option in asked(program, "show options")["options"]:
        for engine in ("updn", "ftree", "lash qos=TRUE"):
            yield "option %s %s" % (option, engine.split()[0]), [], [
                "\n".join(["synth " + TREE, "unset " + option, "route " + engine, "set %s %s" % (option, v), "set " + option, "check", "layers"])
                for v in VALUES]


SHAPES = {
    "xgft": ["2:1", "3,3:1,2", "2,2,2:1,2,2", "2,2:2,1", "2,2:1", "0,2:1,1", "2,2:0,1", "2,2:1,0", "255,2:1,1", "300,2:1,300", "2,2,2,2,2,2:1,1,1,1,1,1", "1:1", "x", "", ":", "2:", "2,:1,", "4,4:1,2,"],
    "torus": ["1", "2", "3", "2x2", "3x3", "1x3", "2x3x4", "0x3", "2x2x2x2", "2x2x2x2x2x2x2x2x2", "300x300", "x", "3x", "", "70000"],
    "mesh": ["1", "2", "3", "2x2", "3x3", "1x3", "2x3x4", "0x3", "2x2x2x2", "3x", ""],
    "ring": ["0", "1", "2", "3", "6", "x", "", "3x3", "48001"],
    "hypercube": ["0", "1", "2", "3", "4", "15", "16", "17", "32", "33", "64", "x", ""],
    "hyperx": ["1", "2", "3", "2x2", "3x3", "0x3", "2x3x4", "300", "x", "", "3x"],
    "dragonfly": ["1,1,1", "2,1,1", "2,2,1", "3,1,2", "2,1,1,3", "2,1,1,2", "2,1,1,4", "2,1,1,1", "0,1,1", "2,0,1", "2,1,0", "2,1", "2,1,1,0", "x", "", "300,1,1"],
    "director": ["1,2,2,3", "2,2,2,4", "1,2,2,0", "1,0,1,1", "0,1,1,1", "1,1,1,1", "1,2,0,3", "3,2,1,2", "1,2", "x", ""],
    "random": ["1,1", "2,1", "5,2", "10,3", "10,9", "10,0", "0,3", "10,10", "10", "x", "", "10,3,4"],
    "regular": ["1,1", "2,1", "5,2", "5,3", "10,3", "10,9", "10,10", "10,0", "10", "x", "", "10,3,4"],
    "kautz": ["2,2", "2,3", "3,2", "1,3", "3,1", "0,2", "2,0", "11,2", "2,20", "3", "x", "", "2,2,2"],
    "debruijn": ["2,3", "3,2", "1,3", "4,1", "0,2", "2,0", "2,20", "3", "x", ""],
    "slimfly": ["0", "1", "2", "3", "4", "5", "6", "7", "10", "28", "300", "x", ""],
    "polarfly": ["0", "1", "2", "3", "4", "5", "6", "7", "12", "300", "x", ""],
    "cascade": ["1", "2", "2,2", "1,0", "2,0", "0", "300", "x", ""],
    "tsubame": ["2", "3", "", "x"],
    "published": ["frob", "", "deimos", "gordon", "tsubame2", "t2hx", "summit", "sierra", "narval", "odin", "salomon", "redsky", "superpod"],
    "lesson": ["frob", "", "ring", "tree2"],
    "frob": ["1"], "": [""],
}
BEHIND = ["hosts=0", "hosts=1", "hosts=2", "hosts=5", "hosts=254", "hosts=255", "hosts=x", "hosts=", "hosts_on=0", "hosts_on=1", "hosts_on=2", "hosts_on=all", "hosts_on=99", "parallel=0",
          "parallel=1", "parallel=2", "parallel=3", "parallel=255", "uplinks=0", "uplinks=1", "uplinks=2", "ports=0", "ports=1", "ports=36", "ports=254", "ports=255", "seed=0", "seed=3", "seed=x",
          "shuffle=0", "shuffle=1", "shuffle=2", "fail=0", "fail=1", "fail=2", "fail=999", "lids=0", "lids=1", "lids=2", "lids=1,lmc=0", "lids=1,lmc=1", "lids=1,lmc=7", "lids=1,lmc=8",
          "lmc=1", "aggregation=1", "aggregation=2", "esp0=1", "sm=host", "sm=switch", "sm=x", "speed=HDR", "speed=EDR", "speed=NDR", "speed=SDR", "speed=x", "width=1x", "width=4x",
          "width=12x", "width=3x", "frob=1", "frob", "", "hosts=1,hosts=2", "seed=4,shuffle=1,fail=1", "hosts=2,hosts_on=2,parallel=2"]
STANDARD = {"xgft": "3,3:1,2", "torus": "3x3", "mesh": "2x3", "ring": "4", "hypercube": "3", "hyperx": "3x2", "dragonfly": "2,1,1", "director": "1,2,2,3", "random": "8,3", "regular": "8,3", "kautz": "2,3", "slimfly": "3", "polarfly": "2", "published": "deimos"}


def of_kinds(_):
    def seen(spec):
        return "\n".join(["synth " + spec, "show", "export paths -" if "," not in spec else "show warnings", "save -"])
    for kind, shapes in SHAPES.items():
        yield "synth " + kind, [], [seen(kind + ":" + shape) if kind != "published" else "synth published:%s\nshow\nsave -" % shape for shape in shapes]
        if kind in STANDARD:
            yield "synth %s behind" % kind, [], [seen("%s:%s,%s" % (kind, STANDARD[kind], b)).replace("export paths -", "show")
                                                 for b in BEHIND if kind != "published" or "=2" in b or "hosts" in b]


def rows(program):
    """Command lines of suite contract, beside the files it makes: [(name, arguments, lines)], {file: what it holds}."""
    contract.PROGRAM = os.path.abspath(program)
    suite = contract.Suite()
    files = {}
    for name in suite.given:
        with open(os.path.join(os.fsencode(suite.folder), name), "rb") as f:
            files[os.fsdecode(name)] = f.read()
    suite.remove()
    below = os.path.join(contract.ROOT, "tests", "")
    return [("row %d" % i, [a.replace(below, "") for a in options], [c for c in commands if c != "list journal"]) for i, (options, commands) in enumerate(contract.SHOWN, 1)
            # what OpenSM says is for suite verify; a quiz without seed asks otherwise each time; pane journal tells milliseconds
            if not any(c.startswith("verify") or c.startswith("quiz") and "seed" not in c for c in commands)], files


LONGEST = 120   # groups of lines in one run


def sessions(program):
    for make in (of_commands, of_states, of_options, of_kinds):
        for name, begin, lines in make(program):
            for i in range(0, len(lines), LONGEST):
                yield name + (" %d" % (i // LONGEST + 1) if len(lines) > LONGEST else ""), "tree", begin + lines[i:i + LONGEST]


if __name__ == "__main__":
    total = runs = 0
    for name, fabric, lines in sessions(sys.argv[1]):
        total += len(lines)
        runs += 1
    print(total, runs)
