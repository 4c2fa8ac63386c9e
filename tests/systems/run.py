#!/usr/bin/env python3
"""ibscope as a part of other systems: --serve, --read-only, statuses and kinds of failure, and the small programs of
this folder that use it.  What needs a package that is not here is named as skipped, and is no pass.

Environment: IBSCOPE=build/ibscope; names of tests as arguments.  The last line is "N passed, N failed".
"""
import collections
import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests"))
sys.path.append("/usr/lib/python3/dist-packages")   # Debian's packages, where another Python runs this
import contract  # noqa: E402
import shells  # noqa: E402
import tables  # noqa: E402
from trial import BOUND, chosen_seed  # noqa: E402

PROGRAM = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
DEMO = os.path.join(ROOT, "tests", "fabrics", "demo-3level.ibnet")
SEED = chosen_seed()
RANDOM = random.Random(SEED)


def expect(found, wanted, what):
    if found != wanted:
        raise AssertionError("%s: found %r, expected %r" % (what, found, wanted))


class Skipped(Exception):
    """A package that is wanted is not here."""


def ibscope(*args, folder=None, status=0):
    """What it printed; it must end with that status."""
    done = subprocess.run([PROGRAM, *args], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=BOUND)
    expect(done.returncode, status, "%s: %s" % (args, done.stderr))
    return done.stdout


def small_program(name, *args, folder=None):
    """(status, what it printed) of a program of this folder, which is short."""
    path = os.path.join(HERE, name)
    with open(path) as f:
        expect(len(f.readlines()) <= 30, True, "lines of %s" % name)
    done = subprocess.run([path, *args], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=BOUND,
                          env={**os.environ, "IBSCOPE": PROGRAM})
    return done.returncode, done.stdout or done.stderr


class Served:
    """A program that serves, and its answers."""
    def __init__(self, *args, folder=None):
        self.p = subprocess.Popen([PROGRAM, "--serve", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  cwd=folder, text=True)
        self.first = self.answer()

    def answer(self):
        """All objects up to the one that is `done`."""
        told = []
        while True:
            line = self.p.stdout.readline()
            if not line:
                raise AssertionError("ended before done: %s %s" % (told, self.p.stderr.read()))
            told.append(json.loads(line))
            if told[-1].get("done"):
                return told

    def send(self, text):
        self.p.stdin.write(text + "\n")
        self.p.stdin.flush()

    def ask(self, id=1, **request):
        self.send(json.dumps({"id": id, **request}))
        told = self.answer()
        expect({json.dumps(o["id"]) for o in told}, {json.dumps(id)}, "ids of %s" % request)
        return told[:-1], told[-1]

    def end(self):
        """The status when input ends."""
        self.p.stdin.close()
        rest = self.p.stdout.read()
        expect(rest, "", "behind the last answer")
        status = self.p.wait(BOUND)
        self.p.stdout.close()
        self.p.stderr.close()
        return status


def requests(folder):
    s = Served("-R", "minhop", DEMO)
    expect([(o.get("command"), o["id"]) for o in s.first], [("load", None), ("route", None), (None, None)], "the start")
    expect(s.first[-1], {"id": None, "done": True, "status": 0}, "the end of the start")
    alone = subprocess.run([PROGRAM, "--json", "-R", "minhop", "-e", "trace node0001 node0009; check", DEMO], stdout=subprocess.PIPE,
                           text=True, timeout=BOUND)
    wanted = [json.loads(x) for x in alone.stdout.splitlines()][2:]
    told, done = s.ask(7, argv=["trace", "node0001", "node0009"])
    expect(told, [{"id": 7, **wanted[0]}], "trace")
    told, done = s.ask("a b", line="trace node0001 node0009; check")
    expect([{k: v for k, v in o.items() if k != "id"} for o in told], wanted, "a line of two")
    for words in (["echo", "two  words", "'", "\"", ";", "#", "\n", "", "é"], ["echo", "$'x'", "\\"]):
        told, done = s.ask(argv=words)
        expect(told[0].get("text"), " ".join(words[1:]).split("\n"), "words as they are")
    for request, status, kind in (
            ({"argv": ["trace", "node0001", "nobody"]}, 3, "no_such_node"), ({"argv": ["frob"]}, 2, "syntax"), ({"argv": ["trace", "node0001"]}, 2, "syntax"),
            ({"argv": ["trace", "node0001", "node00"]}, 3, "ambiguous"), ({"argv": ["load", "/nonexistent"]}, 3, "io"),
            ({"argv": ["load", "-"]}, 3, None), ({"argv": ["fail", "link", "leaf-01[99]"]}, 3, "no_such_port")):
        told, done = s.ask(**request)
        expect((done["status"], told[-1]["ok"]), (status, False), request)
        if kind:
            expect(told[-1]["error_kind"], kind, request)
    told, done = s.ask(line="fail switch leaf-01; check")
    expect((done["status"], [o["ok"] for o in told]), (1, [True, True]), "a fault")
    told, done = s.ask(line="undo; check; frob; echo never")
    expect((done["status"], [o["command"] for o in told]), (2, ["undo", "check", "frob"]), "nothing behind a failure")
    told, done = s.ask(line="check")
    expect(done["status"], 0, "the session is as it was")
    expect(s.end(), 0, "the status at the end of input")


def no_requests(folder):
    s = Served()
    expect(s.first, [{"id": None, "done": True, "status": 0}], "without a fabric")
    for text, says in (("garbage", "column 7"), ("[]", "expected an object"), ("{}", "expected \"argv\""), ('{"id":1}', "expected \"argv\""),
                       ('{"id":[],"line":"show"}', "\"id\""), ('{"id":1,"line":"show","argv":["show"]}', "expected \"argv\""),
                       ('{"id":1,"argv":[]}', "\"argv\""), ('{"id":1,"argv":["show",3]}', "word 2"), ('{"id":1,"argv":"show"}', "\"argv\""),
                       ('{"id":1,"line":"a\\nb"}', "one line"), ('{"id":1,"line":"show","session":""}', "\"session\""),
                       ('{"id":1,"line":"show","session":7}', "\"session\""), ('{"id":1,"line":"show","deadline":0}', "\"deadline\""),
                       ('{"id":1,"line":"show","deadline":-1}', "\"deadline\""), ('{"id":1,"line":"show","deadline":1e9}', "\"deadline\""),
                       ('{"id":1,"line":"show","deadline":"x"}', "\"deadline\""), ('{"id":1,"line":"show","lines":1}', "\"lines\""),
                       ('{"id":1,"id":2,"line":"show"}', "column"), ('{"id":1,"line":"a\\u0000"}', "column"),
                       ('{"id":1,"line":"' + "x" * 1000001 + '"}', "more than"), ("[" * 5000, "column")):
        s.send(text)
        told = s.answer()
        expect((len(told), told[0]["status"], told[0]["error_kind"]), (1, 2, "limit" if says == "more than" else "syntax"), text[:40])
        if says not in told[0]["error"]:
            raise AssertionError("%s: says %s" % (text[:40], told[0]["error"]))
    s.send("")
    told, done = s.ask(line="echo on")
    expect((done["status"], told[0]["text"]), (0, ["on"]), "after all that")
    told, done = s.ask(line="check")
    expect((done["status"], told[0]["error_kind"]), (3, "no_fabric"), "without a fabric")
    expect(s.end(), 0, "status")
    for args in (["--serve", "-e", "show"], ["--serve", "-"], ["--serve", "-x", "-"], ["--status", "1", "-e", "show"]):
        done = subprocess.run([PROGRAM, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=BOUND)
        expect((done.returncode, done.stdout), (2, b""), args)
    done = subprocess.run([PROGRAM, "--serve", "/nonexistent"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=BOUND)
    expect((done.returncode, json.loads(done.stdout.splitlines()[-1])), (3, {"id": None, "done": True, "status": 3}), "a start that fails")


def named_sessions(folder):
    s = Served("-R", "minhop", "xgft:3,3:1,2")
    told, done = s.ask(line="synth torus:3x3; route dor; fail link t00[1]", session="b")
    expect(done["status"], 0, "a second session")
    told, done = s.ask(line="show")
    expect(told[0]["fabric"]["source"], "xgft:3,3:1,2", "the first is as it was")
    told, done = s.ask(line="journal", session="b")
    expect(len(told[0]["events"]), 3, "events of the second")
    s.ask(line="quit", session="b")
    told, done = s.ask(line="check", session="b")
    expect(done["status"], 3, "begun empty again")
    s.ask(line="quit", session="b")
    for i in range(64):
        told, done = s.ask(line="echo %d" % i, session="s%d" % i)
        expect(done["status"], 0, "session %d" % i)
    s.send('{"id":1,"line":"echo x","session":"one too many"}')
    told = s.answer()
    expect((told[-1]["status"], told[-1]["error_kind"]), (3, "limit"), "one more than 64")
    s.ask(line="quit", session="s7")
    told, done = s.ask(line="echo x", session="one too many")
    expect(done["status"], 0, "in place of one that ended")
    s.send('{"id":9,"line":"quit; echo never"}')
    expect([o.get("command") for o in s.answer()], ["quit", None], "quit of the first")
    expect(s.end(), 0, "ends the program")


def deadlines(folder):
    s = Served("-R", "minhop", "torus:6x6x6")
    told, done = s.ask(line="advise failures 3; echo never", deadline=0.05)
    expect((done["status"], told[-1]["command"], told[-1]["error_kind"]), (3, "advise", "cancelled"), "a deadline")
    told, done = s.ask(line="show")
    expect(done["status"], 0, "it counts for its request alone")
    expect(s.end(), 0, "status")


def signalled(folder):
    """The program goes with whoever asks, and by signals."""
    s = Served("ring:5")
    s.p.send_signal(signal.SIGTERM)
    expect(s.p.wait(BOUND), -signal.SIGTERM, "SIGTERM")
    s = Served("ring:5")
    s.p.stdout.close()
    s.send('{"id":1,"line":"show"}')
    expect(s.p.wait(BOUND), -signal.SIGPIPE, "a reader that went")


def statuses(folder):
    """Exit statuses, and the number of their interface."""
    with open(DEMO) as f:
        whole = f.read()
    with open(os.path.join(folder, "cut.ibnet"), "w") as f:
        f.write(whole[:-900])
    for line, fabric, status in (
            ("check", DEMO, 0), ("fail switch leaf-01; check", DEMO, 1), ("check", "cut.ibnet", 3), ("frob", DEMO, 2), ("check", None, 3),
            ("trace node0001 nobody", DEMO, 3), ("save /nonexistent/x", DEMO, 3), ("route updn,no_fallback", "torus:4x4", 3),
            ("set lmc 9", DEMO, 2), ("fail host node0003; check; frob", DEMO, 2)):
        done = subprocess.run([PROGRAM, *(["-R", "minhop", fabric] if fabric else []), "-e", line], cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=BOUND)
        expect(done.returncode, status, "%s of %s: %s" % (line, fabric, done.stderr))
    told = json.loads(subprocess.run([PROGRAM, "--json", "--version"], stdout=subprocess.PIPE, check=True).stdout)
    expect((told["interface"], told["schema"], sorted(told)), (2, 1, ["interface", "program", "revision", "schema", "version"]), "--version")


def read_only(folder):
    """Every command that writes, runs a program or touches the device: refused by its kind, and nothing is there."""
    inside = os.path.join(folder, "ro")
    os.mkdir(inside)
    shutil.copy(DEMO, inside)
    with open(os.path.join(inside, "plan.csv"), "w") as f:
        f.write("node,port\nleaf-03,6\n")
    subprocess.run(["gzip", "-k", "demo-3level.ibnet"], cwd=inside, check=True)
    before = sorted(os.listdir(inside))
    writes = ["save F", "save-session F", "report F", "export lfts F", "export subnet F", "export paths F", "export slurm F", "export prometheus F", "export svg F",
              "export png F", "export dot F cdg", "advise write F", "lesson new F", "survey links share 1/2 F", "survey file plan.csv junit F"]
    s = Served("--read-only", "-R", "minhop", "demo-3level.ibnet", folder=inside)
    refused = 0
    for line in writes + ["verify", "live", "watch 1 rounds 1", "counters leaf-01[1]", "load demo-3level.ibnet.gz"]:
        told, done = s.ask(line=line)
        expect(told[-1]["ok"], False, line)
        refused += told[-1]["error_kind"] == "not_allowed"
        if told[-1]["error_kind"] not in ("not_allowed", "syntax"):
            raise AssertionError("%s: %s: %s" % (line, told[-1]["error_kind"], told[-1]["error"]))
    if refused < 15:
        raise AssertionError("found %d refused, expected at least 15" % refused)
    for line in ("export lfts -", "save -", "trace node0001 node0009", "fail random 2; diff", "load demo-3level.ibnet", "survey links"):
        told, done = s.ask(line=line)
        expect(done["status"] in (0, 1), True, "%s: %s" % (line, told[-1].get("error")))
    expect(s.end(), 0, "status")
    expect(sorted(os.listdir(inside)), before, "files")
    done = subprocess.run([PROGRAM, "--read-only", "-R", "minhop", "-e", "save F", DEMO], cwd=inside, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=BOUND)
    expect((done.returncode, "--read-only" in done.stderr), (3, True), "with -e")
    done = subprocess.run([PROGRAM, "--read-only", "-L", "-e", "show"], cwd=inside, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=BOUND)
    expect((done.returncode, "--read-only" in done.stderr), (3, True), "with -L")


def over_http(folder):
    """http_server.py with 20 clients at once: each gets its own answer."""
    p = subprocess.Popen([sys.executable, os.path.join(HERE, "http_server.py"), "0", PROGRAM, "-R", "minhop", DEMO], stdout=subprocess.PIPE, text=True)
    try:
        url = "http://localhost:%s/?line=" % p.stdout.readline().strip()

        def client(i):
            for j in range(5):
                a, b = "node%04d" % (1 + (i * 3 + j) % 64), "node%04d" % (1 + (i * 7 + j + 11) % 64)
                with urllib.request.urlopen(url + urllib.parse.quote("trace %s %s" % (a, b)), timeout=BOUND) as r:
                    o = json.loads(r.readline())
                expect((o["forward"]["source"] if "source" in o["forward"] else o["ok"], o["command"]), (True, "trace"), "client %d" % i)
                if a != b and not all(x in json.dumps(o) for x in (a, b)):
                    raise AssertionError("client %d asked for %s %s, got %s" % (i, a, b, o))
            return 5
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            expect(sum(pool.map(client, range(20))), 100, "answers")
        try:
            urllib.request.urlopen(url + "frob", timeout=BOUND)
            raise AssertionError("a wrong command was answered with 200")
        except urllib.error.HTTPError as e:
            expect(e.code, 422, "a wrong command")
    finally:
        p.kill()
        p.wait()
        p.stdout.close()


def one_cable(folder):
    """Both ends of one cable in one `fail` or `restore` are one link; what was down before is an error still."""
    link = json.loads(ibscope("--json", "-R", "minhop", "-e", "survey links", DEMO).splitlines()[-1])["survey"][0]
    a, b = link["a"], link["b"]
    for line, links in (("fail link %s %s" % (a, b), 1), ("fail %s %s" % (b, a), 1), ("fail link %s %s %s" % (a, a, b), 1),
                        ("fail link %s; restore link %s %s" % (a, a, b), 1)):
        told = contract.objects(PROGRAM, ibscope("--json", "-R", "minhop", "-e", line, DEMO))[-1]
        expect((told["ok"], told["links"]), (True, links), line)
    ibscope("-R", "minhop", "-e", "fail link %s; fail link %s" % (a, b), DEMO, status=3)


def cut_off_by_all(folder):
    """`check` names whom all events cut off, and counts the pairs of all of them."""
    for n in range(1, 4):
        lines = "; ".join("fail link node%04d[1]" % i for i in range(1, n + 1)) + "; check"
        told = contract.objects(PROGRAM, ibscope("--json", "-R", "minhop", "-e", lines, DEMO, status=1))[-1]
        expect((told["hosts_cut_off"], told["cut_off"]), (n, 64 * 63 - (64 - n) * (63 - n)), lines)
        if "(%s)" % ", ".join("node%04d" % i for i in range(1, n + 1)) not in ibscope("-R", "minhop", "-e", lines, DEMO, status=1):
            raise AssertionError("%s: names not told" % lines)
    told = contract.objects(PROGRAM, ibscope("--json", "-R", "minhop", "-e", "fail link node0001[1]; fail link node0002[1]; restore all; check", DEMO))[-1]
    expect((told["hosts_cut_off"], told["cut_off"]), (0, 0), "all restored")


def for_nagios(folder):
    """Each status by a fabric that has it; the line as Nagios reads it; --json has the keys of check."""
    with open(DEMO) as f:
        whole = f.read()
    with open(os.path.join(folder, "cut.ibnet"), "w") as f:
        f.write(whole[:-900])
    perf = r"(\w+=[\d.]+;\d*;\d*;0( |$))+"
    for args, line, status, word in (
            (["-R", "minhop", DEMO], "", 0, "OK"), (["-R", "updn,minhop", "torus:4x4"], "", 2, "CRITICAL"), (["-R", "dfsssp", "cut.ibnet"], "", 3, "UNKNOWN"),
            (["-R", "minhop", DEMO], "fail link node0001[1]; ", 2, "CRITICAL"), (["-R", "torus-2QoS", DEMO], "", 1, "WARNING"),
            (["-R", "minhop", "cut.ibnet"], "fail link node0001[1]; ", 2, "CRITICAL")):
        said = ibscope(*args, "-e", line + "check format nagios", folder=folder, status=status).splitlines()[-1]
        if not re.fullmatch(r"IBSCOPE %s: [^|]+ \| %s" % (word, perf), said):
            raise AssertionError("%s %s: %s" % (args, line, said))
        told = contract.objects(PROGRAM, ibscope(*args, "--json", "-e", line + "check format nagios", folder=folder, status=status))[-1]
        expect((told["nagios"], len(told["text"]) if "text" in told else 1), (status, 1), args)
    s = Served("-R", "minhop", DEMO)
    told, done = s.ask(line="fail link node0001[1]; check format nagios")
    expect((told[-1]["nagios"], done["status"]), (2, 2), "over a pipe")
    s.end()
    for args, status, says in ((["cut.ibnet"], 3, "UNKNOWN"), ([DEMO, "updn"], 0, "OK"), ([], 3, "UNKNOWN"), (["none"], 3, "UNKNOWN: ibscope: none"),
                               ([DEMO, "frob"], 3, "UNKNOWN: ibscope")):
        found, said = small_program("nagios_plugin.sh", *args, folder=folder)
        expect((found, said.count("\n"), said.startswith("IBSCOPE " + says)), (status, 1, True), "%s: %s" % (args, said))


def for_prometheus(folder):
    """The file is read by Prometheus' own Python library; its figures are those of other commands."""
    try:
        from prometheus_client.parser import text_string_to_metric_families
    except ImportError:
        raise Skipped("python3-prometheus-client")

    def read(text):
        families = {f.name: f for f in text_string_to_metric_families(text)}
        expect({f.type for f in families.values()}, {"gauge"}, "types")
        expect([f for f in families if f.endswith("_total") or not f.startswith("ibscope_") or not families[f].documentation], [], "names")
        return {name: f.samples for name, f in families.items()}

    line = "fail switch spine-01; fail link node0001[1]; "
    tell = [json.loads(x) for x in ibscope("--json", "-R", "minhop", "-e", line + "check; doctor; load-map all all; show", DEMO, status=1).splitlines()]
    check, doctor, loads = tell[-4], tell[-3], tell[-2]["loads"]
    expect(small_program("prometheus_cron.sh", DEMO, folder), (0, ""), "cron")
    with open(os.path.join(folder, "ibscope.prom")) as f:
        m = read(f.read())
    expect((m["ibscope_host_ports_up"][0].value, m["ibscope_sound"][0].value, m["ibscope_reading_timestamp_seconds"][0].value), (64, 1, int(os.stat(DEMO).st_mtime)), "sound")
    for most in (0, 5, 100000):
        m = read(ibscope("-R", "minhop", "-e", line + "export prometheus out most=%d; source /dev/null" % most, DEMO, folder=folder) and open(os.path.join(folder, "out")).read())
        one = {k: v[0].value for k, v in m.items() if len(v) == 1 and not v[0].labels}
        expect((one["ibscope_pairs"], one["ibscope_lost_pairs"], one["ibscope_cut_off_ports"], one["ibscope_credit_loop_groups"], one["ibscope_longest_path_links"]),
               (check["check"]["pairs"], check["unreachable"], check["hosts_gone"], check["credit_loop_groups"], check["check"]["max_links"]), "check")
        expect((one["ibscope_sound"], one["ibscope_complete"], one["ibscope_link_load_max_routes"]), (0, 1, loads["max"]), "judged")
        by_kind = collections.Counter(f["kind"] for f in doctor["findings"])
        expect({s.labels["kind"]: s.value for s in m["ibscope_findings"] if s.value}, dict(by_kind), "findings")
        expect({s.labels["severity"]: s.value for s in m["ibscope_findings_by_severity"]},
               {"error": doctor["errors"], "warning": doctor["warnings"], "note": doctor["notes"]}, "severities")
        expect([(s.labels["guid"], int(s.labels["port"]), s.labels["peer_guid"], int(s.labels["peer_port"]), s.value) for s in m.get("ibscope_link_load_routes", [])],
               [(x["from_guid"], x["from_port"], x["to_guid"], x["to_port"], x["routes"]) for x in loads["ports"]][:most], "loads")
    with open(DEMO) as f:
        text = f.read().replace('"node0001"', '"a\\b{c} \u00e9"')
    for name, content, complete in (("names.ibnet", text, 1), ("cut.ibnet", text[:-900], 0)):
        with open(os.path.join(folder, name), "w") as f:
            f.write(content)
        m = read(ibscope("-R", "minhop", "-e", "export prometheus -", name, folder=folder))
        expect(m["ibscope_complete"][0].value, complete, name)
    before = open(os.path.join(folder, "ibscope.prom")).read()
    expect(small_program("prometheus_cron.sh", "none", folder)[0], 3, "no fabric")
    expect(open(os.path.join(folder, "ibscope.prom")).read(), before, "the old file")


def nightly(folder):
    for fabric, status, says in ((DEMO, 0, ""), (DEMO, 0, ""), ("bad.ibnet", 1, "new"), ("bad.ibnet", 0, "")):
        found, said = small_program("nightly_report.sh", fabric, folder, folder=folder)
        expect((found, says in said, bool(said)), (status, True, bool(says)), "%s: %s" % (fabric, said))
        ibscope("-R", "minhop", "-e", "remove host node0003; save bad.ibnet", DEMO, folder=folder)
        expect(os.path.exists(os.path.join(folder, "report.md")), True, "report.md")


def window_rows(folder, name, links, start, gate=""):
    """A plan of these links, each by one end drawn or both, and whole nodes, and what `survey file` tells of it:
    (status, object)."""
    rows = ["Ticket,node,Port"]
    for i, r in enumerate(links):
        if "a" not in r:
            rows += ['"CHG, ""%d""",%s%s' % (i, r[r["kind"]], RANDOM.choice(["", ",", ", "]))] * RANDOM.randint(1, 2)
            continue
        for end in RANDOM.sample("ab", RANDOM.randint(1, 2)):
            rows.append('"CHG, ""%d""",%s,%d' % (i, r[end].rpartition("[")[0], r[end + "_port"]))
    with open(os.path.join(folder, name), "w") as f:
        f.write("\r\n".join(rows) + "\r\n")
    done = subprocess.run([PROGRAM, "--json", *start, "-e", "survey file %s%s" % (name, gate)], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=BOUND)
    told = contract.objects(PROGRAM, done.stdout)[-1]
    expect(told["ok"], True, told.get("error"))
    return done.returncode, told


def judged(start, fails):
    """What check, diff and load-map tell of these events, in a row's words; None: no engine is left."""
    lines = "check; snapshot s; " + "; ".join(fails) + "; diff s; load-map; check"
    done = subprocess.run([PROGRAM, "--json", *start, "-e", lines], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=BOUND)
    objects = [json.loads(x) for x in done.stdout.splitlines()]
    if objects[-1]["command"] != "check" or "loads" not in objects[-2]:
        return None
    first = next(x for x in objects if x["command"] == "check")
    event, diff, loads, check = objects[-4:]
    return {**{k: diff["change"][k] for k in ("lost", "rerouted", "longer", "entries")}, "load_after": loads["loads"]["max"], "longest": check["check"]["max_links"],
            "cut_off": diff["cut_off"], "outage": event["pairs_until_sweep"], "engine": check["engine"],
            # what fails may have been cut off before
            **({} if first["hosts_cut_off"] else {"hosts_gone": check["hosts_cut_off"]})}


def change_window(folder):
    """Rows of `survey file`, links and whole nodes, are what `survey links`, `survey switches`, and the failures done
    one by one and at once, tell."""
    for start in (["-R", "minhop", DEMO], ["-R", "updn", "xgft:3,3:2,2"], ["-R", "dfsssp", "torus:4x4"], ["-R", "ftree", "xgft:4,4:2,4"], ["-R", "lash", "ring:6"]):
        every = json.loads(ibscope("--json", *start, "-e", "survey links").splitlines()[-1])["survey"]
        rows = {r["what"]: r for r in every}
        rows.update((r["what"], r) for r in json.loads(ibscope("--json", *start, "-e", "survey switches").splitlines()[-1])["survey"])
        hosts = sorted({r["name"].partition("[")[0] for r in json.loads(ibscope("--json", *start, "-e", "list hosts").splitlines()[-1])["rows"]})
        nodes = [{"kind": "host", "host": x, "what": x} for x in hosts] + [{**r, "kind": "switch"} for r in rows.values() if "switch" in r]
        links = RANDOM.sample(every, RANDOM.randint(1, min(4, len(every)))) + RANDOM.sample(nodes, RANDOM.randint(0, 3))
        RANDOM.shuffle(links)
        fails = [("fail link " + x["a"]) if "a" in x else "fail %s %s" % (x["kind"], x["what"]) for x in links]
        kinds = sorted({x.split()[1] for x in fails})
        status, told = window_rows(folder, "plan.csv", links, start)
        expect(status, 0, "without a gate")
        n, survey = len(links), told["survey"]
        expect(told["survey_of"]["what"], "links" if kinds == ["link"] else "links and nodes", "what fails")
        expect([r["when"] for r in survey], ["alone"] * n + (["in order"] * (n - 1) + ["together"] if n > 1 else []), "kinds of rows")
        for i, (r, x) in enumerate(zip(survey, links)):
            expect((r["ticket"], r["try"]), ('CHG, "%d"' % i, rows[x["what"]]["try"] if x["what"] in rows else fails[i]), "ticket")
            expect("%s (CHG, \"%d\")" % (x["what"], i), r["what"], "name")
            for k in rows.get(x["what"], {}):
                if k not in ("what", "index"):
                    expect(r[k], rows[x["what"]][k], "%s, row %d alone: %s" % (start, i, k))
        for i, r in enumerate(survey):
            some = fails[i:i + 1] if i < n else fails[:i - n + 2]
            if r["when"] == "together" and len(kinds) == 1:
                some = ["fail %s %s" % (kinds[0], " ".join(x.split()[2] for x in fails))]
            wanted = judged(start, some)
            if wanted:
                if r["when"] == "together" and len(some) > 1:
                    # no command fails links and nodes at once; what routes one after the other remembers more
                    wanted = {k: wanted[k] for k in ("lost", "cut_off", "longest", "engine")}
                expect({k: r[k] for k in wanted}, wanted, "%s: %s" % (start, some))


def gates(folder):
    """Limits, judged again from the rows; JUnit's XML says the same; gate.sh."""
    start = ["-R", "minhop", DEMO]
    links = [{"a": "leaf-03[%d]" % p, "b": "spine-02[3]", "a_port": p, "b_port": 3} for p in (6,)]
    every = json.loads(ibscope("--json", *start, "-e", "survey links").splitlines()[-1])["survey"]
    for i in range(12):
        links = RANDOM.sample([x for x in every if "leaf-03" in x["what"] or i % 2], 4)
        limits = {"lost": RANDOM.choice(["0", "100", "200"]), "load": RANDOM.choice(["+0%", "+10%", "+20%", "+5", "192", "300"]),
                  "longest": RANDOM.choice(["+0", "6", "5", "+50%"]), "outage": RANDOM.choice(["100", "300", "5000"]), "loops": "0"}
        words = " ".join("%s=%s" % x for x in RANDOM.sample(sorted(limits.items()), RANDOM.randint(1, 5)))
        status, told = window_rows(folder, "plan.csv", links, start, " junit out.xml gate " + words)
        of, broken = told["survey_of"], 0
        for r in told["survey"]:
            breaks = []
            for word in words.split():
                k, _, n = word.partition("=")
                key = {"load": "load_after", "loops": "new_loops"}.get(k, k)
                before = {"load": of["load_before"], "longest": of["longest_before"]}.get(k, 0) if n[0] == "+" else 0
                most = before * (1 + int(n[1:-1]) / 100) if n[-1] == "%" else before + int(n)
                if r[key] > most:
                    breaks.append(word)
            expect([x.split(":")[0] for x in r["breaks"]], breaks, "%s: %s" % (words, r))
            broken += bool(breaks)
        expect((told["gate"], status), ({"limits": words.split(), "broken": broken}, int(broken > 0)), words)
        suite = xml.etree.ElementTree.parse(os.path.join(folder, "out.xml")).getroot().find("testsuite")
        expect((int(suite.get("tests")), int(suite.get("failures"))), (len(told["survey"]), broken), "JUnit")
        expect([(c.get("classname"), c.get("name"), [f.get("message") for f in c]) for c in suite],
               [(r["when"], r["what"], r["breaks"]) for r in told["survey"]], "JUnit")
        found, said = small_program("gate.sh", DEMO, "plan.csv", "minhop", *words.split(), folder=folder)
        expect((found, said.startswith("Gate: %d of %d rows" % (broken, len(told["survey"]))), os.path.exists(os.path.join(folder, "plan.xml"))),
               (status, True, True), said)
    with open(DEMO) as f, open(os.path.join(folder, "cut.ibnet"), "w") as g:
        g.write(f.read()[:-900])
    with open(os.path.join(folder, "plan.csv"), "w") as f:
        f.write("node,port\nleaf-03,6\n")  # a link that has routes: those drawn may have none
    for limit, status in (("lost=100000", 3), ("outage=0", 1)):
        expect(small_program("gate.sh", "cut.ibnet", "plan.csv", "minhop", limit, folder=folder)[0], status, "an incomplete fabric, " + limit)
        with open(os.path.join(folder, "plan.xml")) as f:
            expect("<!-- Incomplete" in f.read(), True, "told in the XML")
        xml.etree.ElementTree.parse(os.path.join(folder, "plan.xml"))
    expect(small_program("gate.sh", DEMO, "none.csv", folder=folder)[0], 3, "no plan")
    for text, says in (("", "found no link"), ("node,port\n", "found no link"), ("a,b\n", "1: expected a heading"), ("port,ticket\n1,2\n", "1: expected a heading"),
                       ("node,port\nleaf-0,\n", "2:"), ("node\nnobody\n", "2: no node"), ("node,port\nspine-01,\n", "2: spine-01 is down already"),
                       ("node,port\n,1\n", "2: found no node"), ("node,port\nleaf-03,99\n", "2:"), ("node,port\nnobody,1\n", "2: no node"),
                       ("node;port\nleaf-0?;1\n", "2:"), ("node,port\n\n# x\nleaf-03,x\n", "4:"), ("port,node\n6,leaf-03\n2,leaf-03", "3: the link")):
        with open(os.path.join(folder, "bad.csv"), "w") as f:
            f.write(text)
        done = subprocess.run([PROGRAM, "-R", "minhop", "-e", "fail link leaf-03[2]; fail switch spine-01; survey file bad.csv", DEMO], cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=BOUND)
        expect((done.returncode, "bad.csv:" + says in done.stderr or "bad.csv: " + says in done.stderr), (3, True), "%r: %s" % (text, done.stderr))
    for word in ("lost", "lots=1", "lost=", "lost=-1", "lost=x", "lost=+5%", "lost=+1", "outage=+0", "load=5%", "load=+%", "=1"):
        ibscope(*start, "-e", "survey file plan.csv gate " + word, folder=folder, status=2)


def jq(folder):
    """Each of thirteen recipes against what the objects hold."""
    if not shutil.which("jq"):
        raise Skipped("jq")

    def last(line, *start):
        done = subprocess.run([PROGRAM, "--json", "-R", "minhop", "-e", line, *start], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return json.loads(done.stdout.splitlines()[-1])
    ibscope("-R", "minhop", "-e", "fail link node0001[1]; fail switch leaf-02; save hurt.ibnet", DEMO, folder=folder)
    for fabric in (DEMO, os.path.join(folder, "hurt.ibnet")):
        status, said = small_program("jq_recipes.sh", fabric)
        expect(status, 0, said)
        answer = [x.splitlines()[1:] for x in re.split(r"(?m)^(?=# \d+$)", said)[1:]]
        expect(len(answer), 13, said)
        check, f, s = last("check", fabric), last("show", fabric)["fabric"], last("survey switches", fabric)["survey"]
        doctor = last("doctor", fabric)
        wanted = [
            [json.dumps(check["sound"])], ["%d %s" % (x["count"], x["kind"]) for x in check["faults"]], ["%d,%d,%d" % (f["switches"], f["hosts"], f["links"])],
            ["%d\t%s\t%s" % (x["routes"], x["from"], x["to"]) for x in last("load-map", fabric)["loads"]["ports"][:5]],
            [str(last("survey links", fabric)["bad"])], None,
            ["%s\t%d" % (k, doctor[k + "s"]) for k in ("error", "note", "warning") if doctor[k + "s"]],
            [r["name"] for r in last("list hosts", fabric)["rows"] if r["state"] != "up"], None, [str(check["check"]["max_links"])], None, None, ['false,"syntax"']]
        for i, (a, w) in enumerate(zip(answer, wanted), 1):
            if w is not None:
                expect(a, w, "recipe %d of %s" % (i, fabric))
        expect(answer[5][0].split("\t")[1], str(max(r["lost"] for r in s)), "recipe 6")
        expect(len(json.loads(answer[8][0])), f["switches"], "recipe 9")
        expect((answer[10], bool(re.fullmatch(r"\d+,\d+", answer[11][0]))), (["true"], True), "recipes 11 and 12")


def without_proc(folder):
    """What needs /proc says so, with status 3 and kind io; all else does without."""
    hidden = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs none /proc && exec "$0" "$@"']
    if subprocess.run([*hidden, "true"], stderr=subprocess.DEVNULL).returncode:
        raise Skipped("a mount namespace (unshare -rm)")

    def run(line):
        done = subprocess.run([*hidden, PROGRAM, "--json", "-e", line, "torus:3x3,hosts=1"], cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=BOUND)
        return done.returncode, json.loads(done.stdout.splitlines()[-1])

    with open(os.path.join(folder, "own"), "w", encoding="ascii") as f:
        f.write("#!/bin/sh\ncat > got\necho 'Unicast lids [0-0] of switch'\n")
    os.chmod(f.name, 0o700)
    for line in ("torus-conf t", "verify minhop", "live", "watch 0 rounds 1 on-change ./own") + ("route minhop; export png a.png map",) * bool(shutil.which("rsvg-convert")):
        status, o = run(line)
        expect((status, o["error_kind"], "/proc" in o["error"]), (3, "io", True), "%s: %s" % (line, o))
    status, o = run("route script:./own")     # it runs; what it prints are no tables
    expect((os.path.getsize(os.path.join(folder, "got")) > 100, "/proc" in json.dumps(o)), (True, False), o)
    shards = [run("route minhop; survey links shard %d/2" % i)[1] for i in (1, 2)]
    for i, o in enumerate(shards):
        with open(os.path.join(folder, "shard%d" % i), "w", encoding="utf-8") as f:
            f.write(json.dumps(o) + "\n")
    status, o = run("route minhop; survey merge shard0 shard1")
    expect((status in (0, 1), o["ok"], len(o["survey"])), (True, True, 18), o)
    for line in ("check", "export svg a.svg map", "save f", "save-session s", "report r", "export lfts l; tables l", "survey links", "diff"):
        status, o = run("route minhop; fail random 1; " + line)
        expect((status in (0, 1), o["ok"]), (True, True), "%s: %s" % (line, o))


def unwritable_tmpdir(folder):
    """The one that needs a folder in TMPDIR says which, with status 3 and kind io; all else writes none there."""
    bound = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o ro none /mnt && TMPDIR=/mnt exec "$0" "$@"']
    if subprocess.run([*bound, "true"], stderr=subprocess.DEVNULL).returncode:
        raise Skipped("a mount namespace (unshare -rm)")
    lines = {"verify minhop": False, "torus-conf t": True, "route minhop; save-session s; report r; report change c html; survey links shard 1/2; advise failures 0": True}
    if shutil.which("rsvg-convert"):
        lines["route minhop; export png a.png map"] = True
    for line, good in lines.items():
        done = subprocess.run([*bound, PROGRAM, "--json", "-e", line, "torus:3x3,hosts=1"], cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=BOUND)
        o = json.loads(done.stdout.splitlines()[-1])
        expect(o["ok"], good, "%s: %s" % (line, o))
        if not good:
            expect((done.returncode, o["error_kind"], "/mnt: Read-only file system; TMPDIR names another" in o["error"]), (3, "io", True), o)


def completion(folder):
    """Real shells offer the same words, and put them into the line as it needs them."""
    wrong, missing = shells.ask(folder, PROGRAM)
    expect(wrong, [], "completion")
    if missing:
        raise Skipped("a shell to complete in: " + " ".join(missing))


TESTS = [completion, without_proc, unwritable_tmpdir, change_window, gates, jq, one_cable, cut_off_by_all, for_nagios, for_prometheus, nightly, requests, no_requests, named_sessions, deadlines, signalled, statuses, read_only, over_http]
TESTS += [tables.list_csv, tables.safe_csv, tables.graphs, tables.canonical]


def main():
    good = bad = 0
    for test in TESTS:
        if sys.argv[1:] and test.__name__ not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory(prefix="ibscope-systems-") as folder:
            try:
                test(folder)
                good += 1
            except Skipped as e:
                print("SKIP systems/%s: %s is not here" % (test.__name__, e), flush=True)
            except (AssertionError, OSError, KeyError, ValueError, subprocess.SubprocessError) as e:
                bad += 1
                print("FAIL systems/%s: %s" % (test.__name__, str(e)[:1500]), flush=True)
    print("SEED=%s" % SEED)
    print("%d passed, %d failed" % (good, bad))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
