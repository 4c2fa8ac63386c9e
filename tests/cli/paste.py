#!/usr/bin/env python3
"""Whatever a command prints as a name can be pasted back, unquoted: on two real fabrics with names such as
"MF0;CSPINE1-69:MQM8700/U1", "luna-0200 mlx5_3", and 666 that are all "Mellanox Technologies Aggregation Node",
and on a small one of eight switches with one description.

Every name that `show`, `trace`, `diff` and `survey` print is given to `show node`, which must show that node, and to
`trace`.  Environment: IBSCOPE=build/ibscope; PASTED=N names of each fabric, drawn by SEED (without: all).  The last line is "N passed, N failed".
"""
import json
import lzma
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import contract  # noqa: E402
from trial import BOUND  # noqa: E402

PROGRAM = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
PORT = r"\[\d+(?: [^]]+)?\]"

# How the lines of each command name things; the groups are the names.
LINES = {
    "show": [r"subnet manager: (.+?)(?: \(guessed, .*\))?"],
    "show links": [rf"(?:up  |down) (.+{PORT}) (.+{PORT}) \S+"],
    "show node": [r"(?:CA|switch|router) (.+)", rf"  {PORT} (?:up  |down) \d+x\S+ +(.+{PORT})"],
    "trace": [r"(.+) \(LID \d+\) -> (.+) \(LID \d+\): .*", rf"  [ UD=] (?:{PORT} )?(.+?)(?: (?:{PORT}|\[-\])(?:  VL \d+)?)?"],
    "diff": [r"! (.+?) +LID +\d+ +\S+ -> \S+ +(.+)", r"(?:~ rerouted|x lost|\+ regained) +(.+) -> (.+) \(LID \d+\)  links .*",
             rf" +\d+ -> \d+ +[-+]\d+  (.+{PORT}) -> (.+{PORT})"],
    "survey switches": [r"(?: +\d+){9}  (.+?)(?:  \(.*\))?"],
    "survey links": [rf"(?: +\d+){{9}}  (.+{PORT}) (.+{PORT})(?:  \(.*\))?"],
}
# Of tables: keys of the JSON objects.
TABLES = {"show switches": "switches", "show hosts": "hosts"}

# file; what is failed first so that a survey takes seconds; ends of a path; a change for diff
FABRICS = {
    "selene": ("selene-compute.ibnetdiscover", "fail switch *CCORE* *CSPINE[23]* *LG0[5-9]* *LG1*",
               ["luna-0200 mlx5_3", "MF0;CSPINE1-69:MQM8700/U1", "selene-login-02 HCA-2"],
               "fail switch MF0;CSPINE1-69:MQM8700/U1"),
    "twins": ("ndr-twins.ibnetdiscover", "fail switch 8f0040,8f0c00", ["node-01 mlx5_0", "Quantum-2 …8d1100", "Aggregation Node …8d1148"],
              "fail switch Quantum-2 …8d1140"),
    "sat11": ("sat11-director.putty-log", "fail switch *-090[2-6]-*",
              ["SAT111092704019 ibp11s0f0", "MF0;sat11-0101-0902-01ib0:MQM8700/U1"],
              "fail switch MF0;sat11-0101-0906-01ib1-A:MCS8500/L16/U1"),
}


def run(fabric, commands, *options):
    """Run commands, one a line; their standard output."""
    with tempfile.NamedTemporaryFile("w", suffix=".ibs") as script:
        script.write("".join(c + "\n" for c in commands))
        script.flush()
        done = subprocess.run([PROGRAM, *options, "-x", script.name, fabric], capture_output=True, text=True,
                              timeout=BOUND, check=False)
    if done.stderr:
        line = re.search(r":(\d+): ", done.stderr)
        raise AssertionError(f"{done.stderr.strip()[:400]}\n  {commands[int(line[1]) - 1] if line else ''}")
    return done.stdout


def names_in(command, text):
    """Names that the lines of a command hold."""
    patterns = [re.compile(p) for p in LINES[command]]
    for line in text.splitlines():
        for p in patterns:
            m = p.fullmatch(line)
            if m:
                yield from m.groups()
                break


def printed(fabric, spec):
    """All names that the commands print, with one command that does."""
    _, smaller, ends, change = spec
    found = {}
    traces = [f"trace {a} {b}" for a in ends for b in ends if a != b]
    runs = [("show", ["show"]), ("show links", ["show links"]), ("show node", [f"show node {e}" for e in ends]),
            ("trace", ["route minhop", *traces]),
            ("diff", ["route minhop", change, "diff"]),
            ("survey switches", [smaller, "route minhop", "survey switches"])]
    for command, lines in runs:
        names = set(names_in(command, run(fabric, lines))) - {"(nobody)"}
        assert names, f"{lines[-1]} prints no name"
        for n in names:
            found.setdefault(n, command)
    for command, key in TABLES.items():
        for o in contract.objects(PROGRAM, run(fabric, [command], "--json")):
            for row in o.get(key, []):
                found.setdefault(row["name"], command)
    return found


def paste(fabric, names):
    """Each is given to `show node` and `trace`; the number of what went wrong."""
    names = sorted(names)
    out = run(fabric, [f"show node {n}" for n in names])
    shown = re.findall(r"^(?:CA|switch|router) (.*)$", out, re.M)
    wrong = [(n, s) for n, s in zip(names, shown) if n != s and re.sub(PORT + "$", "", n) != s]
    for n, s in wrong[:5]:
        print(f"show node {n}\n  shows {s}")
    out = run(fabric, ["route minhop"] + [f"trace {a} {b}" for a, b in zip(names, names[1:] + names[:1])])
    starts = re.findall(r"^(\S.*?) \(LID \d+\) -> ", out, re.M)
    assert len(starts) >= len(names), f"{len(names)} names, {len(starts)} paths"
    return len(wrong) + (len(shown) != len(names))


def unpadded(folder):
    """Names of which one begins the other, ring1 and ring11: what is printed as a port is that port for every command, and for lists."""
    fabric, listed = os.path.join(folder, "unpadded.edges"), os.path.join(folder, "list")
    n = 12
    with open(fabric, "w", encoding="utf-8") as f:
        for i in range(1, n + 1):
            f.write(f"sw{i}[1] sw{i % n + 1}[2]\nhost h{i} sw{i}\n")

    def tried(*commands):
        done = subprocess.run([PROGRAM, "--json", "-e", "route minhop", *[w for c in commands for w in ("-e", c)], fabric], cwd=folder, capture_output=True,
                              text=True, timeout=BOUND, check=False)
        return [json.loads(line) for line in done.stdout.splitlines()][2:]

    def end(link, side):
        return link[side], link[side + "_guid"], link[side + "_port"]
    links = tried("show links")[0]["links"]
    assert len(links) == 2 * n, links
    tries = bad = 0
    for link in links:
        for port in (link["a"], link["b"]):
            with open(listed, "w", encoding="utf-8") as f:
                f.write(port + "\n")
            for command, back in ((f"fail {port}", f"restore {port}"), (f"fail link {port}", f"restore link {port}"), (f"remove link {port}", "undo")):
                told = tried(command, "show links", back, "show links")
                down = [x for x in told[1]["links"] if not x["up"]] if command[0] == "f" else [x for x in links if end(x, "a") not in
                        [end(y, "a") for y in told[1]["links"]]]
                tries += 1
                if len(told) != 4 or [end(x, "a") for x in down] != [end(link, "a")] or not all(x["up"] for x in told[3]["links"]) or len(told[3]["links"]) != 2 * n:
                    bad += 1
                    print(f"unpadded: {command}: {[x['a'] + ' ' + x['b'] for x in down]}: {told[-1].get('error')}")
            for command in (f"fail switch {port}", f"fail host {port}", f"remove switch {port}", f"remove host {port}", f"fail switch sw3,{port}",
                            f"outage switch {port}", f"rename {port} x", f"lft {port}", "fail @list", "fail switch @list", "fail host @list", "scope @list"):
                told = tried(command, "show links")
                tries += 1
                if told[0]["ok"] or not all(word in told[0]["error"] for word in (port, "port")):
                    bad += 1
                    print(f"unpadded: {command} is not refused: {told[0].get('error') or told[0]['text']}")
            # lists that are for hosts take the port of a host, and nothing else
            for command in (f"scope {port}", f"load-map to {port}"):
                told = tried(command)[0]
                tries += 1
                text = " ".join(told.get("text", ()))
                if told["ok"] != (port[0] == "h") or (command[0] == "s" and told["ok"] and ": 1 host port" not in text):
                    bad += 1
                    print(f"unpadded: {command}: {told.get('error') or text}")
            if links.index(link) % 4 and not os.environ.get("LONG"):
                break
    told = tried("fail sw1[1-2]")[0]
    for word in ("fail link", "fail switch"):
        if told["ok"] or word not in told["error"]:
            bad += 1
            print("unpadded: fail sw1[1-2]: not told as ambiguous:", told)
    print(f"unpadded: {tries} commands tried, {bad} went wrong")
    return bad


def main():
    passed = failed = 0
    seed = os.environ.get("SEED") or str(random.SystemRandom().randrange(10 ** 9))
    if os.environ.get("PASTED"):
        print("paste: SEED=%s" % seed)
    with tempfile.TemporaryDirectory() as folder:
        for name, spec in FABRICS.items():
            fabric = os.path.join(folder, spec[0])
            packed = os.path.join(ROOT, "tests", "fabrics", "real", spec[0] + ".xz")
            whole = os.path.join(ROOT, "tests", "fabrics", "formats", spec[0])
            with (lzma.open(packed) if os.path.exists(packed) else open(whole, "rb")) as f, open(fabric, "wb") as g:
                g.write(f.read())
            try:
                names = printed(fabric, spec)
                if os.environ.get("PASTED") and int(os.environ["PASTED"]) < len(names):
                    names = random.Random(seed).sample(sorted(names), int(os.environ["PASTED"]))
                bad = paste(fabric, names)
                print(f"{name}: {len(names)} names pasted back, {bad} went wrong")
            except AssertionError as e:
                print(f"{name}: {e}")
                bad = 1
            passed += not bad
            failed += bool(bad)
        bad = unpadded(folder)
        passed += not bad
        failed += bool(bad)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
