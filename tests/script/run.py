#!/usr/bin/env python3
"""`route script:PROGRAM`: one's own routing engine, right ones, wrong ones, and those that never end.

usage: run.py [TEST]...
IBSCOPE=build/ibscope-san.  SEED=N draws the same failures again.  Prints "N passed, N failed".
"""
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.append(os.path.join(ROOT, "tests"))
from trial import BOUND, chosen_seed, expect, run_tests  # noqa: E402

IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
PLAIN = os.path.join(os.path.dirname(IBSCOPE), "ibscope")
UPDOWN = os.path.join(ROOT, "tui", "examples", "updown.py")
SEED = chosen_seed()
ROUNDS = int(os.environ.get("ROUNDS", "60" if os.environ.get("LONG") == "1" else "3"))
TREES = ["xgft:3,2:1,1", "xgft:4,4:1,1", "xgft:4,3,2:1,1,1", "xgft:5,4:1,3", "xgft:3,3,2:1,2,2", "xgft:6,5,4:1,3,2"]


def run(folder, *args, program=IBSCOPE, **more):
    return subprocess.run([program, *args], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace", timeout=BOUND, **more)


def good(folder, *args, **more):
    done = run(folder, *args, **more)
    expect(done.returncode == 0, args, done.returncode, done.stdout, done.stderr)
    return done.stdout


def put(folder, name, text, mode=0o755):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(path, mode)
    return path


def shell(folder, name, text):
    return put(folder, name, "#!/bin/sh\n" + text)


def content(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as f:
        return f.read()


def entries(folder, name):
    """{(GUID of the switch, LID): port}"""
    table, found = None, {}
    for line in content(folder, name).splitlines():
        head = re.match(r"Unicast lids.* guid (0x[0-9a-f]+)", line)
        entry = re.match(r"(0x[0-9a-f]+) (\d+)", line)
        if head:
            table = head[1]
        elif entry:
            found[table, int(entry[1], 16)] = int(entry[2])
    expect(found, name, "has no entries")
    return found


def children_gone(*pids):
    """Waits until processes are gone; a minute is for ever."""
    for _ in range(6000):
        alive = []
        for pid in pids:
            try:
                with open("/proc/%d/stat" % pid, encoding="utf-8", errors="replace") as f:
                    if f.read().rsplit(")", 1)[1].split()[0] != "Z":
                        alive.append(pid)
            except OSError:
                continue
        if not alive:
            return
        time.sleep(0.01)
    expect(False, "still run:", alive)


# --- right programs ---------------------------------------------------------------------------

def trees(folder):
    """The example is `updn` on trees of several sizes, roots found or named."""
    for spec in TREES:
        good(folder, "-e", "route updn; export lfts a; route script:%s; export lfts b" % UPDOWN, spec)
        expect(entries(folder, "a") == entries(folder, "b"), spec)


def after_failures(folder):
    """So it is after failures and their end: what it gets of the tables before is what OpenSM keeps."""
    rng = random.Random(SEED)
    events = 0
    for n in range(ROUNDS):
        spec = rng.choice(["xgft:4,4:1,3", "xgft:3,3,2:1,2,2", "xgft:4,3,3:1,2,2"])
        roots = re.findall(r"^\W+((?:core|spine)-\d+)", good(folder, "-e", "list switches", spec), re.M)
        roots = [r for r in roots if r.startswith("core")] or roots
        steps, which = [], rng.randrange(10 ** 6)
        for i in range(5):
            steps.append(rng.choice(["fail random %d seed=%d" % (rng.randrange(1, 4), which + i), "restore all", "reroute", "sweep",
                                     "fail host node000%d" % rng.randrange(1, 9), "flap leaf-01[4]"]))
        for engine, out in (("updn root_guid_file='%s'" % " ".join(roots), "a"), ("script:%s %s" % (UPDOWN, " ".join(roots)), "b")):
            lines = ["route " + engine]
            for i, step in enumerate(steps):
                lines += [step, "export lfts %s%d" % (out, i)]
            put(folder, "lines", "\n".join(lines) + "\n")
            done = run(folder, "-e", "source lines whole", spec)
            expect(re.fullmatch(r"( ?lines:\d+: (nothing is down|all that .*|\S+ is down already)\n|ibscope: .*\n)*", done.stderr), done.stderr)
        for i, step in enumerate(steps):
            a, b = entries(folder, "a%d" % i), entries(folder, "b%d" % i)
            expect(a == b, "SEED=%s" % SEED, spec, steps[:i + 1], sorted(set(a.items()) ^ set(b.items()))[:6])
            events += 1
    expect(events == 5 * ROUNDS)


def read_alike(folder):
    """What `export lfts` and `export paths` write, printed by `cat`, is the same routing with the same verdict."""
    for spec, engine in (("torus:4x4", "lash qos=TRUE"), ("ring:5", "lash qos=TRUE"), ("xgft:4,4:1,2", "ftree")):
        said = good(folder, "-e", "route %s; export lfts t; export paths p; check" % engine, spec)
        mine = good(folder, "-e", "route script:cat t p; export lfts u; export paths q; check", spec)
        expect(entries(folder, "t") == entries(folder, "u"), spec)
        expect([x for x in content(folder, "p").splitlines() if x[:1] != "#"] == [x for x in content(folder, "q").splitlines() if x[:1] != "#"], spec)
        expect("Sound" in said and "Sound" in mine, said, mine)
    bad = run(folder, "-e", "route lash qos=TRUE; export lfts t; route script:cat t; check", "ring:5")
    expect(bad.returncode == 1 and "NOT SOUND" in bad.stdout, "without its SLs", bad.stdout)


def tell_why(folder):
    """check, compare, diff, trace, why, step, drift know it; nothing runs it again but an event."""
    put(folder, "count.py", "#!/bin/sh\necho x >>calls\nexec %s\n" % UPDOWN)
    said = good(folder, "-e", "route script:./count.py; check; trace node0001 node0005; why leaf-01 node0009; why leaf-01 node0009 via 6; "
                "step start leaf-01 node0009; list step; step next; step to last; step end; lft leaf-01; load-map", "xgft:4,4:1,2")
    expect("Chosen by ./count.py: port" in said, said)
    expect(len(content(folder, "calls").split()) == 1, "calls", content(folder, "calls"))
    said = good(folder, "-e", "route script:./count.py; fail link leaf-01[5]; undo; redo; journal 1; journal 2; why leaf-02 node0001; scope node000[1-4]; "
                "diff; undo; check", "xgft:4,4:1,2")
    expect(len(content(folder, "calls").split()) == 3, "calls", content(folder, "calls"))
    said = good(folder, "-e", "route script:./count.py; compare script updn; drift script; transition to updn; transition to script", "xgft:4,4:1,2")
    expect("script" in said and "updn" in said, said)


def sl_of_pairs(folder):
    """SLs are those it told, 0 else; qos and sl2vl_file make VLs of them."""
    good(folder, "-e", "route minhop; export lfts t", "ring:4")
    good(folder, "-e", "route script:cat t; export paths p", "ring:4")
    a, b = [x.split()[:2] for x in content(folder, "p").splitlines() if re.match(r"\d+ \d+ 0 \d", x)][1]
    shell(folder, "sls", "cat t; echo '# a pair'; echo ' %s %s 3 '; echo; echo %s %s 15\n" % (a, b, b, a))
    good(folder, "-e", "route script:./sls; export paths p", "ring:4")
    rows = {tuple(map(int, x.split()[:2])): int(x.split()[2]) for x in content(folder, "p").splitlines()
            if re.match(r"\d+ \d+ \d+ \d", x)}
    there, back = (int(a), int(b)), (int(b), int(a))
    expect(rows[there] == 3 and rows[back] == 15 and {v for k, v in rows.items() if k not in (there, back)} == {0}, rows)


# --- what it gets -------------------------------------------------------------------------------

def its_input(folder):
    """The JSON of `export json` before it routes: LIDs and cables, tables from the second sweep on."""
    good(folder, "-e", "route minhop; export lfts t; export json j", "xgft:3,3:1,2")
    shell(folder, "keep", "n=$(ls | grep -c '^in'); cat >in$n; cat t\n")
    good(folder, "-e", "route script:./keep; fail link leaf-01[4]; restore all; reroute; fail switch spine-02", "xgft:3,3:1,2")
    made, seen = json.loads(content(folder, "j")), [json.loads(content(folder, "in%d" % i)) for i in range(5)]
    for s in made["switches"]:
        s.pop("lft")
    made.pop("engine")
    expect(dict(made, from_scratch=True) == seen[0], "first", seen[0])
    expect([("from_scratch" in s, "engine" in s, "lft" in s["switches"][0]) for s in seen]
           == [(True, False, False), (False, True, True), (True, True, True), (True, False, False), (False, True, True)],
           [list(s) for s in seen])
    expect([sum(not link["up"] for link in s["links"]) for s in seen] == [0, 1, 0, 0, 3], "links")
    expect([sum(not s["up"] for s in x["switches"]) for x in seen] == [0, 0, 0, 0, 1], "switches")
    table = {k[1]: v for k, v in entries(folder, "t").items() if k[0] == seen[1]["switches"][0]["guid"]}
    expect({int(k): v for k, v in seen[1]["switches"][0]["lft"].items()} == table, table)


def words(folder):
    """Its words are as typed, and no shell sees them; by `-R` too, and after save-session elsewhere."""
    good(folder, "-e", "route minhop; export lfts t", "ring:4")
    os.mkdir(os.path.join(folder, "a b"))
    path = put(folder, "a b/say it", "#!/bin/sh\nfor w; do printf '%%s\\n' \"$w\"; done >%s/said\ncat %s/t\n" % (folder, folder))
    words = ["$HOME", "a b", "*", "x;y", "`id`", "'q'", "&& false", "root=1", "-R", "\\", "#"]
    typed = " ".join("'" + w.replace("'", "'\\''") + "'" for w in words)
    for args in (["-e", "route 'script:./a b/say it' %s; save-session s" % typed], ["-R", "'script:./a b/say it' %s" % typed, "-e", "check"],
                 ["-e", "route 'script:%s' %s" % (path, typed)]):
        done = run(folder, *args, "ring:4")
        expect(done.stderr == "" and "script routed" in done.stdout or "-R" in args, args, done.stdout, done.stderr)
        expect(content(folder, "said").splitlines() == words, args, content(folder, "said"))
        os.remove(os.path.join(folder, "said"))
    os.mkdir(os.path.join(folder, "elsewhere"))
    good(os.path.join(folder, "elsewhere"), "-x", "../s")
    expect(content(folder, "said").splitlines() == words, content(folder, "s"))


def sessions(folder):
    """A saved session makes the same events with the same tables."""
    put(folder, "up", "#!/bin/sh\nexec %s\n" % UPDOWN)
    good(folder, "-e", "route script:./up; fail link leaf-01[4]; restore all; reroute; export lfts a; undo; export lfts b; save-session s", "xgft:3,3:1,2")
    expect("script:" + os.path.join(folder, "up") in content(folder, "s"), content(folder, "s"))
    good("/", "-e", "source %s/s; export lfts %s/c; redo; export lfts %s/d" % (folder, folder, folder))
    expect(entries(folder, "a") == entries(folder, "d") and entries(folder, "b") == entries(folder, "c"))
    good(folder, "-e", "route script:./up; synth xgft:4,4:1,2; save-session s", "xgft:3,3:1,2")
    expect(good("/", "-e", "source %s/s; show" % folder).count("script routed 6 switches") == 2, content(folder, "s"))


def told_in_json(folder):
    good(folder, "-e", "route minhop; export lfts t", "ring:4")
    shell(folder, "warns", "cat t; echo 'I warn' >&2; printf '\\033[2Jred\\n' >&2\n")
    route, check = [json.loads(x) for x in run(folder, "--json", "-e", "route script:./warns; check", "ring:4").stdout.splitlines()][1:]
    expect(route["ok"] and route["routing"]["engine"] == "script" and route["routing"]["asked"] == "script", route)
    expect("./warns: I warn\n" in route["notes"] and "\x1b" not in route["notes"], route["notes"])
    expect(check["command"] == "check", check)
    route = json.loads(run(folder, "--json", "-e", "route script:./none", "ring:4").stdout.splitlines()[-1])
    expect(not route["ok"] and "./none" in route["error"], route)


# --- wrong programs -------------------------------------------------------------------------------

SWITCH = "echo 'Unicast lids of switch guid 0x0002c90300a00000'\n"
WRONG = {
    "no output": ("true\n", r"output of \./it: found no table of a switch, expected `Unicast lids"),
    "only SLs": ("echo 1 2 3\n", r"found no table of a switch"),
    "ends with a status": ("echo no >&2; echo 'no root: \t3'>&2; echo >&2; exit 3\n", r"\./it: ended with status 3; it said: no root: +3$"),
    "kills itself": ("kill -9 $$\n", r"\./it: ended by signal 9 \(Killed\)"),
    "garbage": (SWITCH + "echo 0x1 1\necho hello\n", r"output of \./it, line 3: found 'hello', expected `Unicast lids .*`0x<LID> <port>` or `SLID DLID SL`"),
    "entry without a head": ("echo 0x1 1\n", r"line 1: found '0x1 1', expected `Unicast lids .* before the first entry"),
    "head without a GUID": ("echo Unicast lids\n", r"line 1: found 'Unicast lids', expected `Unicast lids ... guid 0x<GUID>`"),
    "GUID of nobody": ("echo Unicast lids guid 0x7\n", r"line 1: .* expected the node GUID of a switch of the fabric"),
    "GUID of a host": ("echo Unicast lids guid 0x0002c90300f00000\n", r"line 1: .* expected the node GUID of a switch of the fabric"),
    "two tables": (SWITCH + SWITCH, r"line 2: .* expected one table of "),
    "LID 0": (SWITCH + "echo 0x0 1\n", r"line 2: found '0x0 1', expected a LID from 0x1 to 0x8"),
    "LID too high": (SWITCH + "echo 0x9 1\n", r"line 2: found '0x9 1', expected a LID from 0x1 to 0x8"),
    "LID of 17 bits": (SWITCH + "echo 0x10001 1\n", r"line 2: .* expected a LID from 0x1 to 0x8"),
    "LID of 80 bits": (SWITCH + "echo 0x100000000000000000001 1\n", r"line 2: .* expected a LID from 0x1 to 0x8"),
    "no LID": (SWITCH + "echo 0x 1\n", r"line 2: found '0x 1', expected"),
    "no port": (SWITCH + "echo 0x1\n", r"line 2: found '0x1', expected `0x<LID> <port>`"),
    "port not there": (SWITCH + "echo 0x1 99\n", r"line 2: found '0x1 99', expected a port of \S+, 0 to \d+, or 255 for none"),
    "port of 9 bits": (SWITCH + "echo 0x1 257\n", r"line 2: found '0x1 257', expected a port"),
    "port of 90 bits": (SWITCH + "echo 0x1 1000000000000000000000000000\n", r"line 2: .* expected a port"),
    "port below 0": (SWITCH + "echo 0x1 -1\n", r"line 2: found '0x1 -1', expected `0x<LID> <port>`"),
    "hexadecimal port": (SWITCH + "echo 0x1 0x1\n", r"line 2: found '0x1 0x1', expected `0x<LID> <port>`"),
    "SL 16": (SWITCH + "echo 0x1 1; echo 1 2 16\n", r"output of \./it:3: found '1 2 16', expected `SLID DLID SL`"),
    "half an SL": (SWITCH + "echo 1 2\n", r"output of \./it:2: found '1 2', expected `SLID DLID SL`"),
    "bytes": ("head -c 100000 /dev/zero | tr '\\0' '\\377'\n", r"line 1: found '.*', expected `Unicast lids"),
    "zeros": ("head -c 100000 /dev/zero\n", r"line 1: found '.*', expected `Unicast lids"),
    "a long line": ("head -c 10000000 /dev/zero | tr '\\0' 0\n", r"output of \./it: found no table|expected"),
    "escapes": ("printf '\\033[2J\\033]0;x\\007' >&2; printf '\\033[31mred\\n'; exit 1\n", r"ended with status 1"),
    "sleeps": ("sleep 1000\n", r"\./it: ended after 1 s, the most that it may take"),
    "closes its output and sleeps": ("exec >&-\nsleep 1000\n", r"\./it: ended after 1 s, the most that it may take"),
    "endless errors": ("exec yes '' >&2\n", r"\./it: ended after 1 s"),
    "endless errors with words": ("exec yes word >&2\n", r"ended after 1 s, the most that it may take; it said: w"),
}


def wrong_output(folder):
    """Each is told with its line and what was expected; the session has no tables of it.  All in one start: a sanitized one is dear."""
    lines = ["route minhop"]
    for n, (text, message) in enumerate(WRONG.values()):
        shell(folder, "wrong-%d" % n, text)
        seconds = 1 if "ended after 1 s" in message else 100    # a busy machine takes its time for what ends by itself
        lines += ["echo CASE", "set script_seconds %d" % seconds, "snapshot s", "route script:./it", "diff s"]
    put(folder, "n", "0")
    shell(folder, "it", "n=$(cat n)\necho $((n + 1)) >n\nexec ./wrong-$n\n")
    put(folder, "lines", "\n".join(lines) + "\n")
    done = run(folder, "-e", "source lines whole", "ring:4")
    expect(done.returncode == 3, done.returncode, done.stdout, done.stderr)
    said = done.stdout.split("CASE\n")[1:]
    expect(len(said) == len(WRONG) and content(folder, "n").strip() == str(len(WRONG)), len(said), content(folder, "n"))
    errors = re.split(r"^lines:(\d+): ", done.stderr, flags=re.M)
    told = {int(line): text for line, text in zip(errors[1::2], errors[2::2])}
    expect(list(told) == [5 + 5 * n for n in range(len(WRONG))] and "\x1b" not in done.stdout + done.stderr, sorted(told), done.stderr)
    for n, (name, (_, message)) in enumerate(WRONG.items()):
        expect(re.search(message, told[5 + 5 * n], re.M), name, told[5 + 5 * n])
        expect(said[n].endswith("\nLoads: 0 links hotter, 0 cooler; most routes on a link 3 -> 3.\n") and "script routed" not in said[n], name, said[n])


def no_program(folder):
    put(folder, "text", "no program\n", 0o644)
    put(folder, "bare", "echo run by a shell >ran\n")
    os.mkdir(os.path.join(folder, "dir"))
    for line, message in (("route script:./none", r"\./none: No such file or directory"), ("route script:text", r"text: not found in PATH$"),
                          ("route script:bare", r"bare: not found in PATH; the one of this folder has a path, \./"),
                          ("route script:./text", r"\./text: Permission denied"), ("route script:./dir", r"\./dir: Permission denied"),
                          ("route script:./bare", r"\./bare: Exec format error"), ("route script:", r"found no program behind script:"),
                          ("route script", r"no program was given; `route script:PROGRAM` does it"),
                          ("route script,updn", r"no program was given")):
        done = run(folder, "-e", line, "ring:4")
        expect(done.returncode == (2 if line in ("route script:", "route script", "route script,updn") else 3) and re.search(message, done.stderr, re.M), line, done.returncode, done.stdout, done.stderr)
    expect(not os.path.exists(os.path.join(folder, "ran")), "a shell ran it")


def refused_event(folder):
    """If it fails after an event, the event is refused, and all is as it was."""
    put(folder, "once", "#!/bin/sh\nif [ -e ran ]; then echo 'not again' >&2; exit 1; fi\n>ran\nexec %s\n" % UPDOWN)
    for event in ("fail link leaf-01[5]", "fail switch spine-01", "sweep", "reroute", "set qos TRUE", "synth ring:4"):
        put(folder, "lines", "route script:./once\nexport lfts a\n%s\nexport lfts b\njournal\nshow\n" % event)
        done = run(folder, "-e", "source lines whole", "xgft:4,4:1,2")
        expect(done.returncode == 3 and "./once: ended with status 1; it said: not again" in done.stderr, event, done.stdout, done.stderr)
        expect(entries(folder, "a") == entries(folder, "b"), event)
        expect(re.search(r"^>  1  route script:\./once", done.stdout, re.M) and not re.search(r"^.  2 ", done.stdout, re.M), event, done.stdout)
        for name in ("ran", "a", "b"):
            os.remove(os.path.join(folder, name))


def endless(folder):
    """Output without an end is refused at the limit, in bounded memory."""
    done = run(folder, "-e", "route script:yes Unicast", "ring:4", program=PLAIN,
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)))
    expect(done.returncode == 3 and re.search(r"output of \S*/yes: found more than 256 MiB, the most that is read", done.stderr), done.stdout, done.stderr)


def nothing_left(folder):
    """Its children end with it: when it ends, when it is cancelled, and when ibscope is killed."""
    good(folder, "-e", "route minhop; export lfts t", "ring:4")
    shell(folder, "parent", "sleep 1000 & echo $! >child.new; mv child.new child; cat t\n")
    good(folder, "-e", "route script:./parent", "ring:4")
    children_gone(int(content(folder, "child")))
    for how in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        shell(folder, "waits", "sleep 1000 & echo $$ $! >pids.new; mv pids.new pids; wait\n")
        p = subprocess.Popen([IBSCOPE, "-e", "route script:./waits", "ring:4"], cwd=folder, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not os.path.exists(os.path.join(folder, "pids")):
            if p.poll() is not None:
                expect(False, "ended at once", p.communicate())
            time.sleep(0.01)
        pids = list(map(int, content(folder, "pids").split()))
        os.remove(os.path.join(folder, "pids"))
        p.send_signal(how)
        out, err = p.communicate(timeout=600)
        expect(p.returncode != 0 and "script routed" not in out, how, p.returncode, out, err)
        children_gone(pids[0] if how == signal.SIGKILL else pids[0], *(pids[1:] if how != signal.SIGKILL else []))
        if how == signal.SIGKILL:  # what it has begun is its own affair
            os.kill(pids[1], signal.SIGKILL)


def kinds_of_failure(folder):
    """Each failure is of the kind that its reason is of, with and without words on its standard error, in JSON and for --serve."""
    shell(folder, "fails", "exit 4\n")
    shell(folder, "says", "echo because >&2; exit 4\n")
    shell(folder, "slow", "sleep 1000\n")
    shell(folder, "slow-says", "echo because >&2; sleep 1000\n")
    shell(folder, "endless", "echo because >&2; exec yes Unicast\n")
    shell(folder, "wrong", "echo because >&2; echo nonsense\n")
    shell(folder, "empty", "exit 0\n")
    shell(folder, "wrong-sl", "cat t; echo 1 2 99\n")
    good(folder, "-e", "route minhop; export lfts t", "ring:4")
    for args, line, kind in (((), "./fails", "io"), ((), "./says", "io"), ((), "./nowhere", "io"), ((), "nowhere-in-path", "io"), ((), "./t", "io"),
                             ((), "", "syntax"), ((), "./slow", "limit"), ((), "./slow-says", "limit"), ((), "./endless", "limit"),
                             ((), "./wrong", "input"), ((), "./empty", "input"), ((), "./wrong-sl", "input"), (("--read-only",), "./says", "not_allowed"),
                             (("--read-only",), "nowhere-in-path", "io")):
        done = run(folder, *args, "--json", "-e", "set script_seconds 1; route script:" + line, "ring:4", program=PLAIN)
        told = json.loads(done.stdout.splitlines()[-1])
        expect(told["error_kind"] == kind and done.returncode == (2 if kind == "syntax" else 3), line, done.returncode, told)


# --- who may name one ---------------------------------------------------------------------------

def only_typed(folder):
    """No lesson, no answer that is handed in, and no file of options runs a program."""
    shell(folder, "evil", ">ran\n")
    put(folder, "conf", "routing_engine script:./evil\n")
    put(folder, "l.lesson", "title: T\nfabric: ring:4\ntext: A\nrun: route script:./evil\nrun: source more\ntext: B\nask: Which?\nanswer: minhop\n"
        "judge: route $ANSWER\nexpect: routed\n")
    put(folder, "w.lesson", "title: T\nfabric: ring:4\ntext: A\nrun: watch 0 rounds 1 on-change ./evil\n")
    put(folder, "more", "route script:./evil\n")
    put(folder, "answers", "2: script:./evil\n")
    for args, message in ((["-F", "conf", "-e", "show"], "a file of options names no program"), (["-e", "config conf"], "a file of options names no program"),
                          (["-e", "lesson ./l.lesson; lesson next"], "a lesson runs no program"), (["-e", "lesson ./l.lesson check"], "a lesson runs no program"),
                          (["-e", "lesson ./w.lesson check"], "watch 0 rounds 1 on-change ./evil: reading ./evil is refused: commands of a lesson look"),
                          (["-e", "grade ./l.lesson answers"], "0 of 1 point")):
        done = run(folder, *args, "ring:4")
        expect(message in done.stdout + done.stderr, args, done.returncode, done.stdout, done.stderr)
        expect(not os.path.exists(os.path.join(folder, "ran")), args, "ran it")
    run(folder, "-x", "more", "ring:4")
    expect(os.path.exists(os.path.join(folder, "ran")), "a script that was named runs it")


if __name__ == "__main__":
    print("SEED=%s" % SEED)
    sys.exit(run_tests("script", [trees, after_failures, read_alike, tell_why, sl_of_pairs, its_input, words, sessions, told_in_json, wrong_output,
                                  no_program, refused_event, endless, nothing_left, kinds_of_failure, only_typed], sys.argv[1:],
                       repeat=lambda name: "SEED=%s tests/script/run.py %s" % (SEED, name)))
