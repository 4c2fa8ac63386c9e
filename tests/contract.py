#!/usr/bin/env python3
"""The JSON objects and their schema: every key is named there, with its type, and no other; one object for every command.

Other suites give what `--json` printed to objects(), which compares it.  As a suite of its own it runs every
command: right, with a wrong word, with an option there is not, with bytes that are no UTF-8, without a fabric.
Each time one object comes, and the exit status goes with it.  Debian's python3-jsonschema, by others, judges each of them, too, by what
`schema json-schema` prints; where it is not installed, that is told as skipped.  Every key of the schema must have been
seen then.  Environment: IBSCOPE=build/ibscope; SEED of the wrong lines that are drawn (LONG=1: all).  The last line is "N passed, N failed".
"""
import calendar
import functools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

from trial import BOUND, chosen_seed

try:
    import jsonschema
except ImportError:
    jsonschema = None

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PROGRAM = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
LONG = os.environ.get("LONG") == "1"

TYPES = {
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "object": lambda v: isinstance(v, dict),
    "null": lambda v: v is None,
    "any": lambda v: True,
}


class Breach(ValueError):
    """What the schema does not allow."""


def out_of_bounds(row, v):
    """What a value of the right type breaks of its row: the range or words expected; None."""
    if isinstance(v, str):
        words, pattern = row.get("words"), row.get("pattern")
        if words is not None and v not in words and not (pattern and re.search(pattern, v)):
            return " or ".join(words + ["what matches %s" % pattern] * bool(pattern))
        # JSON's own \\uD800 is no character; controls never leave the program but as lines and tabs
        if re.search("[\ud800-\udfff\x00-\x08\x0b-\x1f\x7f-\x9f]", v):
            return "text without control characters"
    elif isinstance(v, (int, float)) and not isinstance(v, bool):
        if not row.get("min", v) <= v <= row.get("max", v):
            return "%s to %s" % (row.get("min", "any"), row.get("max", "any"))
    return None


def failure_status(o):
    """The exit status that the object of a failed command means."""
    return {"syntax": 2, "fault": 1}.get(o["error_kind"], 3)


class Schema:
    def __init__(self, program):
        done = subprocess.run([program, "--json", "-e", "schema"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              check=True, timeout=BOUND)
        told = json.loads(done.stdout)
        self.version = told["version"]
        self.seen = set()   # (command, key)
        self.keys = {}      # command: {key: row}
        self.below = {}     # (command, place): keys right below
        common = told["common"]
        for name, rows in [(c["name"], c["keys"]) for c in told["commands"]] + [("", [])]:
            self.keys[name] = {}
            own = {re.split(r"[.[]", row["key"])[0] for row in rows}    # a command's own key counts before the common one
            for row in [r for r in common if re.split(r"[.[]", r["key"])[0] not in own] + rows:
                if row["key"] in self.keys[name]:
                    raise Breach("schema: %s has %s twice" % (name, row["key"]))
                self.keys[name][row["key"]] = row
                place, dot, _ = row["key"].rpartition(".")
                self.below.setdefault((name, place if dot else ""), []).append(row["key"])
                if dot and place not in self.keys[name]:
                    raise Breach("schema: %s has no row for what %s stands in" % (name, row["key"]))
                for word in row["type"].split("|"):
                    if word not in TYPES:
                        raise Breach("schema: %s has the type %s" % (row["key"], word))

    def check(self, o):
        """Does an object of a command keep to it?"""
        name = o.get("command")
        if not isinstance(name, str):
            raise Breach("found no command in %s" % ascii(o)[:300])
        if ("error" in o) == o.get("ok") or ("error" in o) != ("error_kind" in o):
            raise Breach("%s: found an error without failure, or a failure without error" % name)
        self.walk(name if name in self.keys else "", "", o, whole=bool(o.get("ok")))
        if name == "check" and o["ok"] and o["sound"] != (not o["faults"] and not o["by_chance"]) and o["check"]["pairs"] and (o["sound"] or o["tables_complete"]):
            raise Breach("check: sound is %s, with %d kinds of faults" % (o["sound"], len(o["faults"])))

    def walk(self, name, place, value, whole=True):
        keys = self.keys[name]
        for key, v in value.items():
            at = place + "." + key if place else key
            other = place + ".*" if place else "*"
            path = next((p for p in (at, at + "[]", other, other + "[]", at + ".*") if p in keys), None)
            if not path:
                raise Breach("%s: the schema does not name %s" % (name, at))
            if path == at + ".*":       # an object whose keys all are alike
                for inner in v.values():
                    self.value(name, path, inner)
            elif path.endswith("[]"):
                if not isinstance(v, list):
                    raise Breach("%s: %s is %s, expected a list" % (name, at, ascii(v)[:100]))
                self.seen.add((name, path))
                for element in v:
                    self.value(name, path, element)
            else:
                self.value(name, path, v)
        for path in self.below.get((name, place), []) if whole else []:
            key = path.rpartition(".")[2]
            if key != "*" and not keys[path]["optional"] and key.replace("[]", "") not in value:
                raise Breach("%s: %s is missing in %s" % (name, path, ascii(value)[:300]))

    def value(self, name, path, v):
        self.seen.add((name, path))
        types = self.keys[name][path]["type"]
        if not any(TYPES[t](v) for t in types.split("|")):
            raise Breach("%s: %s is %s, expected %s" % (name, path, ascii(v)[:100], types))
        breach = out_of_bounds(self.keys[name][path], v)
        if breach:
            raise Breach("%s: %s is %s, expected %s" % (name, path, ascii(v)[:100], breach))
        if isinstance(v, dict) and types != "any":
            self.walk(name, path, v)


@functools.lru_cache(maxsize=None)
def schema(program):
    return Schema(program)


@functools.lru_cache(maxsize=None)
def validator(program):
    """By the JSON Schema; None where there is nobody to judge by it."""
    if not jsonschema:
        return None
    done = subprocess.run([program, "-e", "schema json-schema"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=True, timeout=BOUND)
    document = json.loads(done.stdout)
    jsonschema.Draft202012Validator.check_schema(document)
    return jsonschema.Draft202012Validator(document)


def validate(program, o):
    """Breach: the JSON Schema does not allow the object."""
    judge = validator(program)
    for error in judge.iter_errors(o) if judge else []:
        raise Breach("JSON Schema: %s at %s: %s" % (o.get("command"), "/".join(map(str, error.absolute_path)), ascii(error.message)[:300]))


def no_constant(word):
    raise Breach("found %s" % word)


def objects(program, text):
    """The objects that a run printed, one a line, compared with the schema; Breach, which is a ValueError."""
    told = []
    for line in text.splitlines():
        try:
            told.append(json.loads(line, parse_constant=no_constant))
        except json.JSONDecodeError as e:
            raise Breach("no JSON: %s: %r" % (e, line[:300])) from e
        schema(program).check(told[-1])
    if ["schema" in o for o in told] != [i == 0 for i in range(len(told))]:
        raise Breach("expected \"schema\" in the first object alone")
    return told


# --- the suite --------------------------------------------------------------------------------

FORMATS = os.path.join(ROOT, "tests", "fabrics", "formats", "")
GUID = "0x%016x" % 1
TREE, UPDN = "xgft:3,3:1,2", ["-R", "updn"]

# Pairs of hosts that are lost, that have a path again, and that loop by the tables read.
STATES = [
    ([os.path.join(ROOT, "tests", "fabrics", "demo-3level.ibnet"), "-R", "minhop"], [
        "fail host node0003", "fail switch leaf-01", "diff all", "check", "doctor", "triage", "why leaf-02 node0009", "load-map", "layers",
        "snapshot a", "restore all", "diff all", "diff a", "list pairs", "survey switches"]),
    (["ring:6", "-R", "minhop"], [
        "snapshot before", "tables looping.lfts", "route tables", "diff before all", "check", "list check", "list lost", "doctor", "triage", "trace node0001 node0004",
        "why ring0 node0004", "drift", "load-map", "list pairs", "layers", "report -", "save-session -", "route minhop", "diff all"]),
]

# Runs that show every key: options, and commands that all succeed.
SHOWN = [
    ([TREE, *UPDN], ["set guid spine-01"]),
    (["random:20,4,seed=2"], ["route lash qos=TRUE", "fail link sw-01[2]", "check", "diff"]),
    ([TREE, *UPDN], [
        "show", "show options", "show engines", "show warnings", "show switches", "show hosts", "show links",
        "show node leaf-01", "show node leaf-01[4]", "set lmc", "set lmc 0", "unset lmc", "snapshot a", "snapshot",
        "trace node0001 node0009", "why leaf-01 node0009", "why leaf-01 node0009 via 5", "why node0001 node0009",
        "why node0001 leaf-01 spine-01 leaf-03 node0009", "why leaf-01 spine-01 leaf-02 spine-02 leaf-03", "lft leaf-01",
        "hops leaf-01", "ranks", "roots", "check", "load-map", "load-map ebb", "load-map ebb rail", "load-map ebb both ring direct", "load-map ebb alltoall seed=2", "load-map shift 1", "load-map ring direct", "ring-order direct node0001 node0004 node0002 node0005 node0007 all", "flows leaf-01[4] shift 2", "flows leaf-01[5] tree", "load-map pairs pairs.txt", "shifts", "shifts order rail direct",
        "flows leaf-01[4]", "flows node0001 node0009 by host", "survey links", "survey switches", "survey pairs 5 switches seed=2",
        "survey pairs 3 links", "survey pairs 4", "survey pairs all", "survey pairs all switches", "survey links shard 2/3", "survey links by outage", "survey file window.csv junit made.xml gate lost=0 load=+0%", "outage switch spine-01", "outage jobs squeue.txt switch spine-01",
        "fail link leaf-01[4]", "diff all", "check", "journal", "journal 0", "journal 4", "undo", "redo", "restore all",
        "flap leaf-01[4]", "sweep", "reroute", "fail host node0001", "reset", "step start", "why leaf-01 node0009", "step 1",
        "step until leaf-01 node0009", "step show", "step next switch", "step back 2", "step list 4", "step break round 1", "step breaks",
        "step to first", "step go", "step break", "list step", "step back boundary", "export svg frame%d.svg steps 3 5", "step break off", "step find done", "step start leaf-01 node0009", "step to last", "step end", "layers", "cdg all",
        "elements", "elements leaf-01", "equal-paths", "compare minhop updn ftree torus-2QoS", "compare for tree direct updn torus-2QoS", "list hosts", "list pairs", "list hosts csv", "list hosts csv columns guid,key", "list hosts columns guid",
        "export lfts -", "export csv -", "export graphml -", "export node-link g.json", "export dot - cables", "export json made.json", "save -", "save - edges", "save - canonical", "echo a", "help", "help check", "help credit loop", "help hops", "help lmc", "help keys", "list shift 2", "schema", "schema roots", "schema json-schema",
        "source good.ibs", "synth", "synth ring:4", "load made.ibnet", "names names.map", "config some.conf", "tables made.lfts",
        "fail random 1", "check", "quit"]),
    (["torus:4x4"], ["route ftree", "check", "cycles", "torus-conf", "torus-conf made.conf", "fail link t00[2] t00[3] t00[4] t00[5]",
                     "check", "list journal", "check --baseline faults.json"]),
    ([FORMATS + "voltaire-chassis.ibnetdiscover-g", "-R", "mincontention"], ["elements", "equal-paths all", "elements 1", "survey chassis", "survey cards"]),
    ([FORMATS + "ndr-twins.ibnetdiscover", *UPDN], [
        "show switches", "show links", "show node 8d1140", "trace node-01 mlx5_0 node-02 mlx5_1", "why 8d1140 10", "list ports 8d1140",
        "fail link 8d1140[63]", "check", "doctor", "load-map", "diff all"]),
    (["ring:5", "-R", "minhop"], ["drain cycle", "drain back", "drain all buffers=2 seed=3", "drain hotspot node0001", "drain alltoall", "drain random 9",
                                  "drain cycle buffers=2", "drain end"]),
    (["torus:4x4", "-R", "lash"], ["set qos TRUE", "layers", "why node0001 node0011", "step start", "step to 1", "lft t00", "step end"]),
    ([FORMATS + "side-links.ibnetdiscover", "-R", "ftree"], ["check"]),
    (["twice.ibnet"], ["tables ring3.fdbs", "check", "trace node0003 node0001", "trace node0001 node0003"]),
    ([FORMATS + "stage-qdr-fdr10.ibnetdiscover"], ["route minhop", "trace tank1 stage2", "list lft ib1:"]),
    ([FORMATS + "two-leaf.ibdiagnet2"], ["outage link 0x2000[2]", "set local_repair flfr", "fail link 0x2000[2]", "outage"]),
    ([TREE], ["set partition_config_file apart.conf", "route minhop", "check", "doctor", "trace node0001 node0002", "partitions limited.conf", "partitions apart.conf apart.conf", "list partitions"]),
    (["twice.net", "-R", "minhop"], ["outage link a[4]"]),
    ([FORMATS + "two-leaf.ibdiagnet2"], ["trace 4 10", "check", "snapshot b", "load made.ibnet"]),
    (["keyed.db_csv", "-R", "minhop"], ["check"]),
    (["idle.lst", "-R", "minhop"], ["show links", "show node leaf-01[2]"]),
    ([os.path.join(ROOT, "tests/fuzz/corpus/fabric/one-switch.ibnetdiscover")], ["show", "list hosts"]),
    (["rates.ibnet", *UPDN], ["load-map", "flows leaf-01[4]", "trace node0001 node0009", "flows leaf-01 leaf-02"]),
    (["cut.ibnet", *UPDN], ["show warnings", "check", "check --baseline whole.json", "doctor --baseline whole.json", "triage --baseline whole.json"]),
    ([TREE], ["set chassis_file chassis", "route mincontention", "why leaf-01 node0009", "step start",
             "step until leaf-01 node0009", "step show", "step end", "elements", "survey chassis"]),
    ([TREE, *UPDN], [
        "save lids.one", "rename node0001 first", "speed leaf-01[4] 1xSDR", "replace host node0002", "replace switch spine-02", "swap node0003 node0005",
        "remove host node0004", "add host new leaf-02", "remove link leaf-01[4]", "move host node0006 leaf-01[4]",
        "remove link leaf-02[4]", "move link leaf-03[4] leaf-02[4]", "remove switch spine-02", "add switch sw 4 leaf-01[5] leaf-02[5]",
        "add link sw leaf-03 2xHDR", "event 'remove host node0007' 'fail host node0008'", "save other.topo", "changes lids.one other.topo",
        "load other.topo next", "set lmc 2", "save lids.two", "changes other.topo lids.two", "changes lids.two"]),
    ([TREE], ["rename leaf-01 box/L1/U1", "set chassis_file chassis", "save boxed", "remove switch box/L1/U1",
              "add switch box/L2/U1 4 spine-01 guid=0x2c90300a00000", "load boxed",
              "event 'remove switch box/L1/U1' 'remove host node0001 node0002 node0003'", "changes boxed", "load boxed",
              "event 'remove switch box/L1/U1 spine-01'"]),
    ([TREE], ["route minhop", "remove host node0004", "export lfts some.lfts", "synth " + TREE, "tables some.lfts", "drift minhop", "tables held", "survey file window.csv gate lost=0", "report change -",
            "route updn", "survey file window.csv gate lost=0", "report change -", "tables held", "tables held else updn"]),
    (["ring:6"], ["equal-paths"]),
    (["ring:5", "-R", "dfsssp"], ["snapshot old", "fail random 1 seed=54", "transition", "transition all", "transition old",
                                  "transition to minhop lmc=1 all"]),
    ([TREE, *UPDN], ["fail switch spine-02", "transition"]),
    (["torus:4x4", "-R", "dfsssp"], ["set qos TRUE", "fail random 2 seed=1", "transition"]),
    (["ring:6,hosts=2", "-R", "minhop"], ["fail host node0003", "show lids", "restart", "restart updn lmc=1", "failover node0002", "failover ring3 down",
                                          "set guid node0001", "sighup hup.conf", "unset guid", "show lids"]),
    (["lesson:square", "-R", "dor"], ["tables lesson:square.far", "spread all", "fail link m00[2]", "tables lesson:square.far", "spread"]),
    ([TREE], ["plan plan.csv", "plan plan.csv all"]),
    ([TREE, *UPDN], ["save lids.one", "swap node0001 node0005", "plan lids.one", "plan lids.one effects=0", "remove host node0005 node0004", "add switch ext 4 leaf-01[1]", "plan ext.csv",
                     "load rails.net", "plan rails", "swap 'n3 hca0' 'n5 hca2'", "plan rails"]),
    ([TREE, *UPDN], ["fail host node0005", "trace node0001 node0005"]),
    (["xgft:2,2:1,2"], ["scope node0001 node0003", "advise write best.conf for alltoall direct failures 1"]),
    ([TREE, *UPDN], ["scope node0001 node0005", "load-map shared node0002 node0009 node0001", "load-map shared node000[1-9] all",
                        "flows shared node0002 node0009 node0001"]),
    ([TREE, *UPDN], ["counters all first.out", "counters all second.out ports.db_csv", "counters all", "counters all all", "blame counters", "trace node0005 node0001", "trace node0001 node0005", "load-map counters", "load-map counters all", "doctor", "counters all forget"]),
    ([TREE, *UPDN], ["log manager.log", "log", "doctor", "list cables sort flaps reverse", "log forget"]),
    ([TREE, *UPDN], ["counters all first.out", "blame slow.csv", "blame slow.csv below 50", "blame few.txt"]),
    ([TREE, *UPDN], ["scope @squeue.txt:7", "jobs jobs.txt", "jobs squeue.txt of 7 ring direct all", "flows node0001 node0009", "load-map to @squeue.txt:solve", "fail host @squeue.txt"]),
    ([TREE, *UPDN], ["scope node0001 node0002", "flows leaf-01[4] by scope", "load pair.net", "check", "scope"]),
    (["xgft:3,4:1,3,hosts_on=all"], [
        "set root_guid_file roots", "set cn_guid_file cn", "set io_guid_file io", "set max_reverse_hops 1", "route ftree", "check"]),
    (["-F", "ftree.conf", "torus:4x4"], ["route lash", "drift updn all", "drift", "doctor", "advise failures 2"]),
    (["made.ibnet", "-R", "ar_updn"], ["judge", "check", "tables broken.far", "judge", "judge all", "judge updn all"]),
    (["ring:6"], ["verify minhop"]),
    (["ring:5"], ["quiz lash layer", "quiz answer 0"]),
    (["lesson:tree3"], ["route updn", "step start", "step to 119", "quiz step", "quiz step yes", "quiz step no", "quiz turn", "quiz answer 1", "quiz sound", "quiz answer yes",
                        "route minhop", "quiz step", "quiz step 3"]),
    ([], ["lesson new graded.lesson", "lesson new -", "grade ./graded.lesson answers", "lesson ./graded.lesson 3", "lesson answer leaf-01[1]"]),
    ([TREE], ["quiz minhop port seed=3", "quiz answer 5", "quiz updn rank", "quiz answer 1", "quiz"]),
    ([TREE], ["set root_guid_file spine-01", "set ids_guid_file spine-01", "set guid_routing_order_file node0001",
              "route ftree cn_guid_file=node0001 io_guid_file=node0002", "synth xgft:2,2:1,2"]),
    (["ring:6"], ["lesson", "lesson ring check", "lesson ring", "lesson answer", "lesson next", "lesson ring all", "list lesson",
                  "synth lesson:tree2"]),
    ([TREE, *UPDN], ["save-session -", "report -", "report change -", "report change - html", "export slurm -", "export prometheus made.prom most=3", "check format nagios", "snapshot b", "load cut.ibnet", "diff b"]),
    (["-F", "mesh.conf", "mesh:5x4,fail=3,shuffle=1,seed=12"], ["route lash"]),
    *STATES,
]


# need a fabric to discover: suite live (all of `watch`, `counters PORT`); an OpenSM that differs: suite verify
ELSEWHERE = {"live: changes", "check: manager_fault", "advise: unfinished[].engine", "advise: unfinished[].options"} | {"counters: " + key for key in ("of", "of_guid", "of_lid", "of_port", "counters", "counters.*")} | {
    "%s: %s[].unseen" % (name, where) for where in ("nodes", "links")
    for name in ("add", "remove", "move", "swap", "replace", "rename", "speed", "event", "changes")} | {
    "%s: parts[].unseen" % name for name in ("add", "remove", "event", "changes")} | {
    "%s: parts[].hosts[]%s" % (name, key) for name in ("add", "remove") for key in ("", ".name", ".guid", ".lid")} | {"verify: differences[]" + key for key in (
    "", ".lid", ".port", ".opensm", *(".%s%s" % (who, beside) for who in ("switch", "owner")
                                      for beside in ("", "_guid", "_lid", "_port")))}


LIVE = ("watch",)


def looping(dump, host, ports):
    """Tables as dumped, but that these switches send what is for a host out of these ports, to each other."""
    lines, switch, changed = [], None, 0
    for line in dump.splitlines(keepends=True):
        at = re.match(r"Unicast lids .*\('(.*)'\)", line)
        switch = at[1] if at else switch
        if switch in ports and line.endswith("'%s'\n" % host):
            line, n = re.subn(r"^(\w+) \d+", r"\1 %03d" % ports[switch], line)
            changed += n
        lines.append(line)
    if changed != len(ports):
        raise Breach("found %d entries for %s to change, expected %d" % (changed, host, len(ports)))
    return "".join(lines)


class Suite:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="ibscope-contract-")
        self.file("good.ibs", "show\n")
        self.file("names.map", "0x0002c90300a00000 \"first leaf\"\n")
        self.file("plan.csv", "node,port,node,port,speed\nleaf-01,4,spine-02,1\nleaf-01,5,spine-01,1\nleaf-02,4,spine-01,2,EDR\n"
                  "leaf-02,4,spine-02,3\nleaf-09,1,spine-01,3\nnode0001,1,leaf-01,2\n")
        self.file("ext.csv", "node,port,node,port\next,1,leaf-02,1\n")
        self.file("rails.net", "".join('Switch 12 "r%d"\n' % k + "".join('[%d] "n%d hca%d"[1]\n' % (i, i, k) for i in range(1, 9)) + "\n" for k in range(3))
                  + "".join('Hca 1 "n%d hca%d"\n[1] "r%d"[%d]\n\n' % (i, k, k, i) for k in range(3) for i in range(1, 9)))
        self.file("twice.net", 'Switch 4 "a"\n[1] "h"[1]\n[2] "h"[2]\n[4] "b"[4]\n\nSwitch 4 "b"\n[1] "g"[1]\n\nHca 2 "h"\n\nHca 1 "g"\n')
        self.file("pairs.txt", "node0001 node0009 2  # twice\nnode0002 leaf-01\n")
        self.file("window.csv", "node,port,ticket\nleaf-01,4,CHG-1\nleaf-02,4,CHG-2\nspine-02,,CHG-3\nnode0002\n")
        self.file("jobs.txt", "a node0001 node0009\nb node0002 node000[7-8]\n")
        self.file("squeue.txt", "JOBID NAME NODES NODELIST\n7 solve 3 node000[1-2],gone\n8_1 mpi 1 node0009\n")
        self.file("slow.csv", "a,%s\n" % ",".join(hosts) + "".join("%s,%s\n" % (a, ",".join("40" if a != b and hosts[3] in (a, b) else "99" for b in hosts)) for a in hosts)
                  if (hosts := ["node%04d" % i for i in range(1, 10)]) else "")
        self.file("few.txt", "node0001 node0009\nnode0002 gone fail\n")
        stamp = "Nov 29 10:00:00 123456 [A1B2C3D4] 0x01 -> "
        self.file("manager.log", stamp + "x: ERR 3315: Unknown remote side for LID 1 port 4\n" + stamp + "y: ERR ZZ99: odd\n" + stamp +
                  "no roots\n" + stamp + "ucast_mgr_route: updn: cannot build lid matrices\n" + stamp + "SUBNET UP\n")
        self.file("first.out", "# Port counters: Lid 1 port 4 (CapMask: 0x1000)\nPortSelect:....4\nSymbolErrorCounter:....65535\nLinkDownedCounter:....7\n"
                  "PortXmitData:....4294967290\n# Port counters: Lid 1 port 255\nPortSelect:....255\n")
        self.file("second.out", "   GUID 0x2c90300a00000 port 4: [LinkDownedCounter == 3] [PortXmitData == 7]\n   GUID 0x2c90300a00000 port 1: [PortXmitDiscards == 3]\n"
                  "   GUID 0x77 port 1: [PortXmitDiscards == 3]\n   GUID 0x77 port 300: [PortXmitDiscards == 3]\n")
        self.file("ports.db_csv", "START_RUN_INFO\nDate\n\"2026-01-02\"\nEND_RUN_INFO\nSTART_PM_INFO\nNodeGUID,PortNumber,LinkDownedCounter,PortXmitData\n"
                  "0x2c90300a00000,4,4,4\nEND_PM_INFO\nSTART_CABLE_INFO\nNodeGuid,PortNum,Vendor,PN,SN,Temperature\n0x2c90300a00000,4,Maker,P,S,71C\nEND_CABLE_INFO\n"
                  "Port=4 Lid=0x1 GUID=0x2c90300a00000\nWarnTemperatureHighThresh: 70C\n# Running timestamp : 2026-01-01\n"
                  "#IB : GUID : Raw BER : Effective BER : Symbol BER\n4 : 0x2c90300a00000 : 1E-7 : 1E-9 : 1E-10\n")
        self.file("answers", "2: No\n3: leaf-01[2]\n")
        self.file("apart.conf", "A=0x1:0x0002c90300000001=full;\n")
        self.file("limited.conf", "B=0x2:ALL_CAS, 0x5, 0x6;\n")
        self.file("some.conf", "routing_engine updn\n")
        self.file("hup.conf", "routing_engine dor\nlmc 2\nport_shifting TRUE\n")
        self.file("ftree.conf", "routing_engine ftree,no_fallback\n")
        self.file("mesh.conf", "do_mesh_analysis TRUE\n")
        self.file("chassis", "".join("0x0002c90300a000%d0 C\n" % i for i in (0, 3)))
        self.file("pair.net", 'Switch 2 "S"\n[1] "A"[1]\n[2] "B"[1]\n\nHca 1 "A"\n[1] "S"[1]\n\nHca 1 "B"\n[1] "S"[2]\n')
        self.file("broken.far", "Switch 0x0002c90300a00000\nGroups Definition:\nGroup|SubGroup|WHBF|Ports\n---\n1|0|0|4,5\n2|0|0|4\n\nLFT Definition:\n"
                  "LID|StaticPort|LidState|Group\n---\n" + "".join("0x%04x|4|Free|%d\n" % (lid, 1 + lid % 2) for lid in range(1, 15)))
        self.file("roots", "".join("0x0002c90300a000%d0\n" % i for i in (4, 5, 6)))
        self.file("cn", "".join("0x0002c90300f00%02x1\n" % i for i in range(0, 24, 2)))
        self.file("io", "".join("0x0002c90300f00%02x1\n" % i for i in (24, 26, 28)))
        self.run([TREE, *UPDN, "-e", "export lfts made.lfts; save made.ibnet"])
        with open(os.path.join(self.folder, "made.ibnet"), encoding="utf-8") as f:
            text = f.read()
        rows = open(FORMATS + "two-leaf.ibdiagnet2/ibdiagnet2.db_csv").read()
        self.file("keyed.db_csv", rows + "START_PKEY\nNodeGUID,PortGUID,LocalPortNum,PKey,Membership\n0x4000,0x4001,1,0x7fff,1\nEND_PKEY\n")
        self.file("cut.ibnet", text[:len(text) * 2 // 3])
        ends = ('[4]\t"S-0002c90300a00030"[1]', '[1]\t"S-0002c90300a00000"[4]')
        self.file("rates.ibnet", "".join(x.replace(" 4x", " 1x") if x.startswith(ends) else x for x in text.splitlines(True)))
        self.run([TREE, *UPDN, "-e", "export subnet idle.lst"])
        with open(os.path.join(self.folder, "idle.lst"), encoding="utf-8") as f:
            lines = [line.replace("LOG=ACT", "LOG=INI") if "node0002" in line else line for line in f]
        self.file("idle.lst", "".join(lines))
        self.file("faults.json", self.run(["--json", "torus:4x4", "-R", "minhop", "-e", "check"]).stdout)
        self.file("whole.json", self.run(["--json", TREE, *UPDN, "-e", "check"]).stdout)
        self.run(["ring:6", "-R", "minhop", "-e", "export lfts ring.lfts"])
        with open(os.path.join(self.folder, "ring.lfts"), encoding="utf-8") as f:
            self.file("looping.lfts", looping(f.read(), "node0004", {"ring0": 2, "ring1": 3}))
        self.run(["ring:3", "-R", "minhop", "-e", "save ring.ibnet; export fdbs ring3.fdbs"])
        with open(os.path.join(self.folder, "ring.ibnet"), encoding="utf-8") as f:
            self.file("twice.ibnet", f.read().replace("lid 5", "lid 2"))     # two hosts with one LID
        self.bad = self.good = 0
        self.given = set(os.listdir(os.fsencode(self.folder)))

    def remove(self):
        shutil.rmtree(self.folder)

    def file(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            f.write(text)

    def run(self, args):
        return subprocess.run([PROGRAM, *args], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="surrogateescape", timeout=BOUND)

    def forget(self):
        """Files that a wrong word made."""
        for name in set(os.listdir(os.fsencode(self.folder))) - self.given:
            os.unlink(os.path.join(os.fsencode(self.folder), name))

    def verdict(self, why, what):
        self.good += not why
        self.bad += bool(why)
        if why:
            print("FAIL contract/%s: %s" % (what, why), flush=True)

    def told(self, args, what):
        done = self.run(["--json", *args])
        try:
            told = objects(PROGRAM, done.stdout)
            for o in told:
                validate(PROGRAM, o)
            return done, told
        except ValueError as e:
            self.verdict("%s: %s" % (ascii(args), e), what)
            return done, None

    def shown(self):
        """Commands that succeed, one object each."""
        for options, commands in SHOWN:
            done, told = self.told(options + [w for c in commands for w in ("-e", c)], "shown")
            failed = [o for o in told or [] if not o["ok"]]
            self.verdict(failed and "%s: %s" % (failed[0]["command"], failed[0]["error"]), "shown")
            names = [n for c in commands for n in (["show"] if c.startswith("source") else []) + [c.split()[0]]]
            ours = [o["command"] for o in told or []][-len(names):]
            self.verdict(not failed and told is not None and ours != names and
                         "found objects of %s, expected %s" % (ours, names), "shown")
            self.verdict(done.returncode not in (0, 1, 3) and "status %d" % done.returncode, "shown")

    def unrouted(self):
        """Keys that only an object of a failure has."""
        _, told = self.told([FORMATS + "two-leaf.ibdiagnet2/ibdiagnet2.db_csv", "-e", "trace 4 10"], "unrouted")
        self.verdict(told is not None and told[-1].get("shortest", {}).get("links") != 3 and "found %s" % told[-1], "unrouted")
        _, told = self.told([TREE, *UPDN, "-e", "trace node0001 node000"], "ambiguous")
        self.verdict(told is not None and (told[-1].get("error_kind") != "ambiguous" or
                                           [c["name"] for c in told[-1]["candidates"]] != ["node000%d" % n for n in range(1, 10)]) and
                     "found %s" % told[-1], "ambiguous")
        _, told = self.told([TREE, *UPDN, "-e", "remove host node0001; trace node0002 node0001"], "absent")
        self.verdict(told is not None and [a.get("seen_in") for a in told[-1].get("absent", [])] != ["event 1"] and "found %s" % told[-1], "absent")

    def served(self):
        """Objects of --serve bear the id of their request, and are as others."""
        done = subprocess.run([PROGRAM, "--serve", TREE, *UPDN], input='{"id":7,"line":"show"}\n', stdout=subprocess.PIPE, text=True,
                              timeout=BOUND)
        told = [x for x in done.stdout.splitlines(keepends=True) if '"done":true' not in x]
        try:
            told = objects(PROGRAM, "".join(told))
            ids = [o["id"] for o in told]
            for o in told:
                validate(PROGRAM, o)
            self.verdict(ids != [None, None, 7] and "ids %s" % ids, "served")
        except ValueError as e:
            self.verdict(str(e), "served")

    def first(self):
        """The first object tells version, time and what was read; --no-timing leaves out what differs between runs, --no-text the text."""
        args = [TREE, *UPDN, "-e", "show; journal; check"]
        told = self.told(args, "first")[1]
        first, others = told[0], told[1:]
        version = json.loads(self.run(["--json", "--version"]).stdout)["version"]
        self.verdict((first["program"], first["read"]["source"], first["read"]["format"]) != (version, TREE, "synthetic") and "found %s" % first, "first")
        now = calendar.timegm(time.gmtime())
        for at in (first["time"], first["read"]["time"]):
            self.verdict(not now - 3600 < calendar.timegm(time.strptime(at, "%Y-%m-%dT%H:%M:%SZ")) <= now + 1 and "time %s" % at, "first")
        self.verdict([o for o in others if {"program", "time", "read"} & o.keys()] and "told again", "first")
        none = self.told(["-e", "echo a"], "first")[1]
        self.verdict("read" in none[0] and "read without a fabric", "first")
        bare = self.told(["--no-text", "--no-timing", *args], "first")[1]
        expected = [{k: v for k, v in o.items() if k not in ("text", "time")} for o in told]
        del expected[0]["read"]["time"]
        for o in expected:
            o.get("routing", {}).pop("ms", None)
            for event in o.get("events", ()):
                event.pop("time")
        self.verdict(bare != expected and "found %s, expected %s" % (bare, expected), "first")
        self.verdict(not any("routing" in o for o in told) and "no routing to look at", "first")
        for args in (args, ["--json", *args]):
            said = self.run(["--no-timing", *args])
            self.verdict(re.search(r"[0-9] ms\b|\"ms\"|\"time\"", said.stdout) and said.stdout, "first")
            self.verdict(self.run(["--no-timing", *args]).stdout != said.stdout and "two runs differ", "first")

    def every_key(self):
        """None rots: each was seen in some command's object (parts that several have: in one of them)."""
        def part(key):
            # one function writes what stands at times beside every name
            return re.sub(r"^(.*[._])?(description|label|seen)$", r"\2", re.sub(r"^baseline\.(new_|gone_)?faults", "faults", key))
        s = schema(PROGRAM)
        seen = {part(key) for _, key in s.seen}
        missing = sorted({"%s: %s" % (name, key) for name, keys in s.keys.items() if name not in LIVE for key in keys
                          if part(key) not in seen} - ELSEWHERE)
        self.verdict(missing and "keys that no object has: " + ", ".join(missing), "every key")

    def one_each(self):
        """Whatever is wrong with a command: its object, the status of its kind, and none behind it."""
        names = [n for n in schema(PROGRAM).keys if n]
        wrong = {"a wrong word": b"%s no-such-thing-\xc3\xa9", "an unknown option": b"%s --frob", "a quote that is open": b"%s \"x",
                 "no UTF-8": b"%s \xff\xfe", "no UTF-8, many words": b"%s \xff \xc0\x9b \xe2\x80", "no word": b"%s"}
        seed = chosen_seed()
        print("contract: SEED=%s" % seed)
        rng = random.Random(seed)
        for start in ([], [TREE, *UPDN]):
            asked = 2 * bool(start)
            for what, line in wrong.items():
                for name in names:
                    # a start of the program each: one of five in the daily check, others each time
                    if not LONG and rng.random() > 0.2:
                        continue
                    done, told = self.told([*start, "-e", line % name.encode(), "-e", "echo behind"], what)
                    self.forget()
                    if told is None:
                        continue
                    failed = [o for o in told if not o["ok"]]
                    mine = [o for o in told[asked:] if o["command"] == name]
                    behind = [] if failed or name == "quit" else ["echo"]
                    ours = [o["command"] for o in told[asked:]]
                    self.verdict((len(mine) != 1 + (name == "echo" and not failed) or ours != [name] + behind or
                                  (failed and failed != mine) or done.returncode not in ([failure_status(failed[-1])] if failed else [0, 1, 3])) and
                                 "%s: status %d, found %s" % (name, done.returncode, done.stdout[-500:]), what)

    def same_rules(self):
        """The test of the test: what is not in the schema is found."""
        good = {"command": "roots", "ok": True, "schema": 1, "roots": [{"name": "a", "guid": GUID, "lid": 1}]}
        for change, breach in (
                ({}, None), ({"root": 1}, "does not name root"), ({"roots": 3}, "expected a list"),
                ({"roots": [3]}, "expected object"), ({"roots": [{"name": "a", "guid": GUID}]}, "is missing"),
                ({"roots": [{"name": "a", "guid": 7, "lid": 1}]}, "expected string"), ({"ok": False}, "without error"),
                ({"command": "frob"}, "does not name roots"),
                ({"roots": [{"name": "a", "guid": "0x1", "lid": 1}]}, "expected what matches"),
                ({"roots": [{"name": "a", "guid": GUID, "lid": 65536}]}, "expected 0 to 65535"),
                ({"roots": [{"name": "a", "guid": GUID, "lid": -1}]}, "expected 0 to 65535"),
                ({"roots": [{"name": "\ud800", "guid": GUID, "lid": 1}]}, "without control"),
                ({"schema": 0}, "expected 1 to any")):
            try:
                objects(PROGRAM, json.dumps({**good, **change}))
                found = None
            except Breach as e:
                found = str(e)
            self.verdict((found is None) != (breach is None) or (breach and breach not in found) and
                         "found %s, expected %s" % (found, breach), "rules")
            found = None
            try:
                validate(PROGRAM, {**good, **change})
            except Breach as e:
                found = str(e)
            # a half of a character is for readers of JSON; a word that is no command may be anything
            self.verdict(jsonschema and breach != "without control" and (found is None) != (breach is None) and "JSON Schema: found %s, expected %s" % (found, breach), "rules")
        row = schema(PROGRAM).keys["diff"]["pairs[].before"]
        for word, right in (("none", True), ("loop", True), ("12", True), ("", False), ("\ufffd\ufffdP", False), ("1 ", False)):
            self.verdict(bool(out_of_bounds(row, word)) == right and "%r of diff's pairs" % word, "rules")
        try:
            objects(PROGRAM, json.dumps(dict(good, roots=None)).replace("null", "NaN"))
            self.verdict("NaN is taken", "rules")
        except Breach:
            self.verdict(None, "rules")




def main():
    s = Suite()
    try:
        s.same_rules()
        s.shown()
        s.unrouted()
        s.served()
        s.first()
        s.one_each()
        s.every_key()
    finally:
        s.remove()
    if not jsonschema:
        print("skipped: the JSON Schema, as python3-jsonschema is not installed")
    print("%d passed, %d failed" % (s.good, s.bad))
    return 1 if s.bad else 0


if __name__ == "__main__":
    sys.exit(main())
