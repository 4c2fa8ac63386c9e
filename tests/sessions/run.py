#!/usr/bin/env python3
"""Sessions in files: save-session and source, report, export slurm.

usage: run.py [TEST]...
IBSCOPE=build/ibscope.  Prints "N passed, N failed".
"""
import glob
import json
import os
import pwd
import random
import re
import socket
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.append(os.path.join(ROOT, "tests"))
from trial import chosen_seed, expect, run_tests  # noqa: E402
import change_report  # noqa: E402

IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
DEMO = os.path.join(ROOT, "tests", "fabrics", "demo-3level.ibnet")
SELENE = os.path.join(ROOT, "tests", "fabrics", "real", "selene-compute.ibnetdiscover.xz")
FOLDER_OF_DUMPS = os.path.join(ROOT, "tests", "fabrics", "formats", "two-leaf.ibdiagnet2")


def run(folder, commands, *args, status=0, stdin=None):
    done = subprocess.run([IBSCOPE, *args, "-e", commands], cwd=folder, input=stdin or "", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=600)
    expect(done.returncode == status, commands, done.stdout)
    return done.stdout


def journal(folder, commands):
    told = [json.loads(line) for line in run(folder, commands + "; journal; snapshot; scope; show options", "--json").splitlines()]
    return ([(e["text"], e["current"]) for e in told[-4]["events"]], told[-3]["snapshots"], told[-1]["options"], told[-2].get("scope"))


# What people do: each is saved, done again in a folder elsewhere, and must come out the same.
SESSIONS = {
    "failures": "load {demo}; route updn root_guid_file=spine-*; fail link leaf-03[5]; snapshot a; fail random 3 seed=4; "
                "restore all; snapshot 'b c'",
    "undone": "load {demo}; route minhop; fail switch spine-01; fail host node0001 node0002; undo; set lmc 1; undo",
    "options": "set lmc 1; set qos TRUE; load {demo}; set use_ucast_cache TRUE; route lash; unset qos; set max_op_vls 3",
    "before": "set port_guids ibsim; synth torus:4x4,hosts=2; route dor; fail link t00[3]; flap t10[3]; sweep; reroute",
    "scope": "load {demo}; route minhop; scope node00[01-20]; fail switch spine-02; scope all",
    "scope kept": "load {demo}; scope node00[01-20]; load {demo}; route minhop; fail host node0003",
    "names": "names map; load {demo}; route updn; fail switch 'first leaf'",
    "files": "load 'a fabric.ibnet'; set root_guid_file 'some roots'; route updn; tables 'live-my tables'; fail link leaf-01[5]",
    "lists": "load {demo}; set root_guid_file spine-01 spine-02; route updn; set root_guid_file spine-03",
    "folder": "load {dumps}",
    "unrouted": "load {demo}; fail link leaf-03[5]; set lmc 2",
    "manager": "load {demo}; route updn; fail host node0005; failover node0002; restart lmc=1; set guid node0007; fail link leaf-03[5]; "
               "failover spine-01 down; undo",
    "reset": "load {demo}; route updn; fail switch spine-01; reset; fail switch spine-03",
}


def replayed(folder):
    """save-session and source in another folder: journal, place in it, snapshots, options and tables are the same."""
    elsewhere = os.path.join(folder, "elsewhere")
    os.mkdir(elsewhere)
    run(folder, "load %s; save 'a fabric.ibnet'; route updn; roots export 'some roots'; route minhop; export lfts 'live-my tables'" % DEMO)
    with open(os.path.join(folder, "map"), "w", encoding="ascii") as f:
        f.write('0x0002c90300a00000 "first leaf"\n')
    guid = re.search(r'^Switch\s+\d+ "S-([0-9a-f]+)"\s+# "leaf-01"', open(DEMO, encoding="utf-8").read(), re.M)[1]
    with open(os.path.join(folder, "map"), "w", encoding="ascii") as f:
        f.write('0x%s "first leaf"\n' % guid)
    for name, commands in SESSIONS.items():
        commands = commands.format(demo=DEMO, dumps=FOLDER_OF_DUMPS)
        tables = "; export lfts %s" if name != "unrouted" else "; save %s"
        told = run(folder, commands + "; save-session saved" + tables % "was")
        expect("Not in it" not in told, name, told)
        again = "source ../saved"
        run(elsewhere, again + tables % "now")
        with open(os.path.join(folder, "was"), "rb") as a, open(os.path.join(elsewhere, "now"), "rb") as b:
            expect(a.read() == b.read(), name, "other tables")
        was, now = journal(folder, commands), journal(elsewhere, again)
        # paths became whole
        plain = lambda texts: [(t.replace(folder + "/", "").replace("'", ""), c) for t, c in texts]
        if name == "scope kept":  # the scope of the fabric before is an event of its own then
            now[0].pop(1)
        expect(plain(was[0]) == plain(now[0]), name, plain(was[0]), plain(now[0]))
        expect(was[1] == now[1], name, was[1], now[1])
        expect(was[3] == now[3] and bool(was[3]) == (name == "scope kept"), name, "scope", was[3], now[3])
        for option, value in was[2].items():
            got = now[2][option].replace(folder + "/", "")
            expect(got == value.replace(folder + "/", ""), name, option, repr(value), repr(got))


def lost(folder):
    """What cannot be done again is told, and what has no file of its own gets one."""
    text = run(folder, "load %s; save -" % DEMO).split("\n", 1)[1]
    told = run(folder, "load -; route minhop; fail switch spine-01; save-session saved; export lfts was", stdin=text)
    expect("the fabric is in %s/saved.ibnet" % os.path.realpath(folder) in told, told)
    run(folder, "source saved; export lfts now")
    with open(os.path.join(folder, "was"), "rb") as a, open(os.path.join(folder, "now"), "rb") as b:
        expect(a.read() == b.read(), "other tables")
    told = run(folder, "synth ring:5; route minhop; snapshot old; synth ring:6; route minhop; save-session saved")
    expect('Not in it:\nSnapshot "old": it is of no event of this journal.\n' in told, told)
    expect("no fabric is loaded" in run(folder, "save-session saved", status=3), "without a fabric")


def readings(folder):
    """Readings of counters come back: two files in their order, and one of them alone."""
    folder = os.path.realpath(folder)
    for name, more in (("first", 3), ("second one", 12)):
        with open(os.path.join(folder, name), "w", encoding="ascii") as f:
            f.write("".join("# Port counters: Lid %d port 1\nPortSelect:.1\nSymbolErrorCounter:.%d\nPortXmitData:.%d\n" % (lid, lid * more, more ** lid)
                            for lid in range(1, 9)))

    def measured(commands):
        told = json.loads(run(folder, commands + "; counters all", "--json").splitlines()[-1])
        return told["readings"], told["measured"]
    for files in ("first", "'second one' first", "first 'second one'"):
        commands = "load %s; route minhop; counters all %s" % (DEMO, files)
        expect("Not in it" not in run(folder, commands + "; save-session saved"), files)
        was, now = measured(commands), measured("source saved")
        expect(was[1] == now[1] and was[1]["told"] == 8, files, was, now)
        expect([folder + "/" + r["file"] for r in was[0]] == [r["file"] for r in now[0]], files, was[0], now[0])


def report(folder):
    """Every figure of the report is that of the command it stands for; its commands do it again."""
    commands = "load %s; route updn; fail link leaf-03[5]; fail switch spine-02" % DEMO
    told = [json.loads(line) for line in run(folder, commands + "; check; load-map; report ticket.md", "--json", status=0).splitlines()]
    check = next(o for o in told if o["command"] == "check")
    with open(os.path.join(folder, "ticket.md"), encoding="utf-8") as f:
        text = f.read()
    for line in ("## Fabric", "- switches: 48", "- hosts: 64", "- links: 192", "- routed: updn", "- switch: spine-02",
                 "- paths between hosts: %d" % check["check"]["pairs"], "- unreachable: %d" % check["unreachable"],
                 "- longest path, links: %d" % check["check"]["max_links"],
                 "- groups of channels with credit loops: %d" % len(check["credit_loops"])):
        expect(line + "\n" in text, line, text)
    expect(re.search(r"^- link: \S*leaf-03\\\[5\\\]|^- link: .* to leaf-03\\\[5\\\]$", text, re.M), text)
    event = next(o for o in told if o["command"] == "fail" and "nodes" in o and o["nodes"])
    expect("%d entries on %d switches changed" % (event["change"]["entries"], event["change"]["switches"]) in text, text)
    load = re.search(r"most routes on a link: (\d+), at (.*)", text)
    expect(int(load[1]) == told[-1]["max_load"] and load[1] in run(folder, commands + "; load-map"), text)
    fence = re.search(r"^````\n(.*?)^````$", text, re.M | re.S)[1]
    with open(os.path.join(folder, "again"), "w", encoding="utf-8") as f:
        f.write(fence)
    run(folder, commands + "; export lfts was")
    run(folder, "source again; export lfts now")
    with open(os.path.join(folder, "was"), "rb") as a, open(os.path.join(folder, "now"), "rb") as b:
        expect(a.read() == b.read(), "other tables")


def drawings(folder):
    """The report names the drawings of what it tells, with the step they show."""
    run(folder, "load %s; export svg whole.svg; route updn; export dot 'a_b.dot'; fail switch spine-02; export svg load.svg load; "
        "export svg - ; undo; export lfts tables; fail switch spine-01; export svg path.svg path node0001 node0009; "
        "export svg whole.svg load; undo; redo; report r; undo; report s; synth ring:4; report t" % DEMO)
    texts = [open(os.path.join(folder, n), encoding="utf-8").read().partition("\n## Drawings\n\n") for n in ("r", "s", "t")]
    found = [re.split(r"\n\n|\Z", t[2])[0].splitlines() for t in texts]
    expect(found[0] == ["- a\\_b.dot: dot, after step 2", "- path.svg: svg path node0001 node0009, after step 3",
                        "- whole.svg: svg load, after step 3"], found[0])
    expect(found[1] == found[0][:1] and not texts[2][1], found[1], texts[2])


def hostile(folder):
    """Names that mean something in Markdown stay text."""
    net = 'Switch 2 "S"\n[1] "A"[1]\n[2] "B"[1]\n\nHca 1 "A" # "<b>*x*`|"\n[1] "S"[1]\n\nHca 1 "B"\n[1] "S"[2]\n'
    with open(os.path.join(folder, "net"), "w", encoding="ascii") as f:
        f.write(net)
    text = run(folder, "load net; fail host 0x100000; report -")
    expect("\\<b\\>\\*x\\*\\`\\|" in text and "- host: <b>" not in text, text)


PAYLOAD = "route script:./prog"
# Names that would be a second command if they were not one word.
COMMAND_NAMES = ["ring1;%s;x" % PAYLOAD, "a b;%s" % PAYLOAD, "ring1';%s;'x" % PAYLOAD, "#x;%s;#" % PAYLOAD, "$'x;%s" % PAYLOAD, "x\\;%s" % PAYLOAD,
                 "switch ring1;%s;x" % PAYLOAD, "ring1[2];%s" % PAYLOAD, "ring1 ; %s ; x" % PAYLOAD, "ring1;source more", "ring1;;%s" % PAYLOAD, "`%s`" % PAYLOAD]


def hostile_names(folder):
    """A session on nodes whose names hold commands is saved and reported; then the names change: what is run again are the same commands, or none."""
    shell = os.path.join(folder, "prog")
    with open(shell, "w", encoding="ascii") as f:
        f.write("#!/bin/sh\n>ran\n")
    os.chmod(shell, 0o755)
    with open(os.path.join(folder, "more"), "w", encoding="ascii") as f:
        f.write(PAYLOAD + "\n")
    with open(os.path.join(folder, "plain"), "w", encoding="ascii") as f:
        f.write(run(folder, "synth ring:4; save -"))
    with open(os.path.join(folder, "plain"), encoding="ascii") as f:
        plain = f.read()

    def fabric(names):
        text = plain
        for old, new in names.items():
            text = text.replace('"%s"' % old, '"%s"' % new)
        with open(os.path.join(folder, "net"), "w", encoding="ascii") as f:
            f.write(text)
    tried = 0
    for name in COMMAND_NAMES:
        fabric({"ring0": name, "node0003": "h" + name})
        script = ["load net", "route updn", "scope -{1}", "scope all", "fail switch {0}", "restore switch {0}", "fail link {0}[2]",
                  "undo", "redo", "restore {0}[2]", "fail {1}", "restore all", "flap {0}[2]", "snapshot {0}", "fail link {0}[2] ring3[3]", "restore all",
                  "set guid {1}", "failover {1}", "remove link {0}[2]", "rename {0} {0}-x", "add host {0}-new {0}-x[2]",
                  "event {2}", "replace {0}-x"]
        quoted = ["'%s'" % w.replace("'", "'\\''") for w in (name, "h" + name)]
        quoted.append("'%s'" % ("fail host %s" % quoted[1]).replace("'", "'\\''"))
        lines = [re.sub(r"\{(\d)\}(\S*)", lambda m: quoted[int(m[1])][:-1] + m[2] + "'", line) for line in script]
        with open(os.path.join(folder, "lines"), "w", encoding="ascii") as f:
            f.write("\n".join(lines) + "\nsave-session saved\nreport r.md\nreport change c.md\n")
        done = subprocess.run([IBSCOPE, "-e", "source lines whole"], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=600)
        expect(os.path.exists(os.path.join(folder, "saved")) and not os.path.exists(os.path.join(folder, "ran")), name, done.stdout)
        with open(os.path.join(folder, "saved"), encoding="ascii") as f:
            saved = f.read()
        expect(saved.count(name.split(";")[-1].strip("'")) > 8, name, saved, done.stdout)
        with open(os.path.join(folder, "r.md"), encoding="utf-8") as f:
            listed = re.findall(r"^    (.*)$|```\n(.*?)```", f.read(), re.S | re.M)
        expect(listed, "no commands in the report")
        begin = name.split(";")[0].strip()
        for other in (begin or "x", '"' + begin, 'switch "' + begin, 'link "' + begin, "ring1", '"' + name[:-2], "renamed"):
            fabric({"ring0": other, "node0003": "h" + other})
            for text in (saved, "".join(a or b for a, b in listed).replace("    ", "")):
                with open(os.path.join(folder, "again"), "w", encoding="utf-8") as f:
                    f.write(text)
                done = subprocess.run([IBSCOPE, "--json", "-e", "source again whole"], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True, timeout=600)
                commands = {line.split()[0] for line in text.splitlines() if line and line[0] != "#"} | {"source"}
                ran = [json.loads(line)["command"] for line in done.stdout.splitlines()]
                expect(not os.path.exists(os.path.join(folder, "ran")), name, other, "ran a program:", text)
                expect(set(ran) <= commands and len(ran) <= 1 + sum(line != "" and line[0] != "#" for line in text.splitlines()), name, other, ran, text)
                tried += 1
        os.remove(os.path.join(folder, "saved"))
    expect(tried == 14 * len(COMMAND_NAMES))


def any_path(folder):
    """A fabric and a file of names in paths of any bytes: opened as a word, saved, done again; nothing in them is run."""
    seed = chosen_seed()
    print("any_path: SEED=" + seed)
    rng = random.Random(seed)
    names = [b"a%cb.ibnet" % c for c in (*range(1, 33), 127, 255, *b"$\"'\\;#*[")]
    names += [bytes(c for c in rng.randbytes(rng.randrange(2, 40)) if c not in b"/\0") + b"\n" for _ in range(20)]
    names += [b"x\nfail switch spine-02\n", b"- .ibnet", b"$'x'", b"# x", b"a'b\"c\\x41"]
    with open(DEMO, "rb") as f:
        text = f.read()
    folder = os.fsencode(folder)
    for name in names:
        path = os.path.join(folder, name)
        for n, content in (("", text), (".n", b'0x1 "one"\n')):
            with open(path + os.fsencode(n), "wb") as f:
                f.write(content)

        def program(*words):
            return subprocess.run([IBSCOPE, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        done = program("-R", "minhop", "--node-name-map", path + b".n", "-e", "fail switch spine-01; save-session saved; report r; export fdbs was",
                       os.path.join(b".", name))
        expect(not done.returncode, repr(name), done.stdout)
        with open(os.path.join(folder, b"saved"), "rb") as f:
            script = f.read()
        with open(os.path.join(folder, b"r"), "rb") as f:
            fence = re.search(rb"^````\n(.*?)^````$", f.read(), re.M | re.S)[1]
        # the report has no names beside it, all else is the same
        expect([w.split()[0] for w in script.splitlines()[1:]] == [b"names", b"load", b"route", b"fail"], repr(name), script)
        expect(script.splitlines()[2:] == fence.splitlines(), repr(name), script, fence)
        done = program("-x", "saved", "-e", "export fdbs now")
        expect(not done.returncode, repr(name), done.stdout)
        with open(os.path.join(folder, b"was"), "rb") as a, open(os.path.join(folder, b"now"), "rb") as b:
            expect(a.read() == b.read(), repr(name), "other tables")
        os.remove(path)


# --- Slurm -------------------------------------------------------------------------------------------

def expand(text):
    """Names of a list as Slurm writes it."""
    names = []
    for word in re.findall(r"[^,\[]+(?:\[[^\]]*\])?", text):
        m = re.fullmatch(r"([^\[]*)\[(.*)\]", word)
        if not m:
            names.append(word)
            continue
        for part in m[2].split(","):
            low, _, high = part.partition("-")
            names += ["%s%0*d" % (m[1], len(low), n) for n in range(int(low), int(high or low) + 1)]
    return names


def parse_conf(text):
    """{switch: (its nodes, its switches)}"""
    tree = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        m = re.fullmatch(r"SwitchName=([^\s=,;\[\]]+) (Nodes|Switches)=(\S+)", line)
        expect(m and m[1] not in tree, "line", line)
        tree[m[1]] = (expand(m[3]), []) if m[2] == "Nodes" else ([], expand(m[3]))
    return tree


def parse_yaml(text):
    head = "---\n- topology: default\n  cluster_default: true\n  tree:\n    switches:\n"
    expect(text.startswith(head), text[:200])
    tree = {}
    for name, kind, names in re.findall(r'      - switch: "([^\s"\\]+)"\n        (nodes|children): "([^\s"\\]+)"\n', text[len(head):]):
        tree[name] = (expand(names), []) if kind == "nodes" else ([], expand(names))
    expect(text.count("\n") == head.count("\n") + 2 * len(tree), "lines")
    return tree


def sound(tree, roots):
    """Each node and each switch but the roots stands once below one switch, and none below itself."""
    below = [n for nodes, _ in tree.values() for n in nodes]
    expect(len(below) == len(set(below)), "a node twice")
    children = [c for _, switches in tree.values() for c in switches]
    expect(len(children) == len(set(children)) and set(children) <= set(tree), "a switch twice, or one that is not there")
    tops = [s for s in tree if s not in children]
    expect(len(tops) == roots, "roots", tops)
    seen = set()
    todo = list(tops)
    while todo:
        seen.add(todo[-1])
        todo += tree[todo.pop()][1]
    expect(seen == set(tree), "loops: ", set(tree) - seen)
    return set(below), tops


def leaves_of(fabric):
    """{switch description: hosts on it} of ibnetdiscover text, by its own lines."""
    found, at = {}, None
    for line in fabric.splitlines():
        head = re.match(r'(Switch|Ca)\s+\d+ "[^"]+"\s+# "([^"]*)"', line)
        cable = re.match(r'\[\d+\]\s+"H-[0-9a-f]+"\[\d+\]\(\w+\)\s+# "([^"]*)"', line)
        at = (head[2] if head[1] == "Switch" else None) if head else at
        if cable and at:
            found.setdefault(at, set()).add(cable[1].split(" ")[0])
    return found


def slurm(folder):
    """topology.conf and topology.yaml of trees, a torus, a fabric in two parts, and Selene with its rails."""
    run(folder, "load %s; export slurm t.conf; export slurm t.yaml; save made" % DEMO)
    texts = [open(os.path.join(folder, name), encoding="utf-8").read() for name in ("t.conf", "t.yaml", "made")]
    tree = parse_conf(texts[0])
    expect(tree == parse_yaml(texts[1]), "conf and yaml differ")
    nodes, _ = sound(tree, 1)
    expect(nodes == {"node%04d" % n for n in range(1, 65)}, nodes)
    expect({name: set(n) for name, (n, _) in tree.items() if n} == leaves_of(texts[2]), "leaves")
    # four pods of four leaves below one root
    pods = sorted(sorted(s) for _, s in tree.values() if s and s[0].startswith("leaf"))
    expect(pods == [["leaf-%02d" % (4 * p + i) for i in (1, 2, 3, 4)] for p in range(4)], pods)
    # every spine of a pod down: its leaves are trees of their own
    run(folder, "load %s; fail switch spine-01 spine-05 spine-09 spine-13; export slurm t.conf" % DEMO)
    down = parse_conf(open(os.path.join(folder, "t.conf"), encoding="utf-8").read())
    sound(down, 1)
    one = parse_conf(run(folder, "synth torus:4x4,hosts=2; export slurm -").split("\n", 1)[1])
    nodes, _ = sound(one, 1)
    expect(len(nodes) == 32 and len(one) == 17, len(nodes), len(one))
    told = run(folder, "load %s; export slurm t.conf; save made" % SELENE)
    tree = parse_conf(open(os.path.join(folder, "t.conf"), encoding="utf-8").read())
    hosts = {re.sub(r"[^-\w.]", "_", h) for on in leaves_of(open(os.path.join(folder, "made"), encoding="utf-8").read()).values()
             for h in on}
    nodes, _ = sound(tree, 1)
    wanted = {h for h in hosts if h != "Mellanox"}     # aggregation nodes: "Mellanox Technologies Aggregation Node"
    expect(nodes == wanted, sorted(nodes ^ wanted)[:5])
    expect("One port of each host counts: %d other ports left out." % (3675 - len(nodes)) in told, told)


# --- Slurm itself ------------------------------------------------------------------------------------

def slurmctld():
    """(Slurm's controller, its environment, lines for slurm.conf); None: it is not installed.  SLURM_ROOT: where it was unpacked."""
    root = os.environ.get("SLURM_ROOT", "")
    plugins = glob.glob(root + "/usr/lib/*/slurm-wlm/topology_tree.so")
    for name in ("slurmctld", "slurmctld-wlm"):
        path = root + "/usr/sbin/" + name
        if plugins and os.access(path, os.X_OK):
            folder = os.path.dirname(plugins[0])
            libraries = ":".join([folder, os.path.dirname(folder)] + [os.environ.get("LD_LIBRARY_PATH", "")])
            return path, dict(os.environ, LD_LIBRARY_PATH=libraries.strip(":")), "PluginDir=%s\n" % folder
    return None


SLURM_CONF = """ClusterName=test
SlurmctldHost=%(host)s(127.0.0.1)
SlurmUser=%(user)s
SlurmctldPort=%(port)d
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/pgid
SelectType=select/cons_tres
TopologyPlugin=topology/tree
StateSaveLocation=%(folder)s
SlurmctldPidFile=%(folder)s/pid
%(more)sNodeName=%(nodes)s NodeAddr=127.0.0.1 CPUs=1
PartitionName=all Nodes=ALL Default=YES
"""


def read_by_slurm(folder, nodes):
    """({switch: (all nodes below it, its switches)}, complaints) as Slurm's controller takes topology.conf; it ends then."""
    program, env, more = slurmctld()
    with open(os.path.join(folder, "slurm.conf"), "w", encoding="utf-8") as f:
        f.write(SLURM_CONF % {"host": socket.gethostname().split(".")[0], "user": pwd.getpwuid(os.getuid()).pw_name, "folder": folder,
                              "port": random.randint(20000, 30000), "more": more, "nodes": ",".join(sorted(nodes))})
    p = subprocess.Popen([program, "-D", "-c", "-vvvv", "-f", os.path.join(folder, "slurm.conf")], env=env, cwd=folder,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    clock = threading.Timer(120, p.kill)
    clock.start()
    tree, complaints, last = {}, [], []
    try:
        for line in p.stdout:
            last = last[-5:] + [line]
            m = re.search(r"_log_switches: Switch level:\d+ name:(\S+) nodes:(\S+) switches:(\S+)", line)
            if m:
                tree[m[1]] = ({n for n in expand(m[2])}, [] if m[3] == "(null)" else expand(m[3]))
            elif re.search(r"(error|fatal|warning): .*(topolog|[Ss]witch)", line):
                complaints.append(line.strip())
            if "switches_dist" in line or "fatal" in line:
                break
    finally:
        clock.cancel()
        p.kill()
        p.wait()
        p.stdout.close()
    expect(tree or complaints, "Slurm told nothing: ", last)
    return tree, complaints


def below(tree, switch):
    nodes, switches = tree[switch]
    return set(nodes).union(*(below(tree, s) for s in switches))


def slurm_itself(folder):
    """Slurm's controller reads topology.conf without a complaint, and as the parser above does."""
    if not slurmctld():
        print("slurm_itself: skipped, as no slurmctld is installed (Debian's package slurmctld; SLURM_ROOT: where it was unpacked)")
        return
    for commands in ("load %s" % DEMO, "synth torus:4x4,hosts=2", "load %s" % SELENE,
                     "load %s; fail switch spine-01 spine-05 spine-09 spine-13" % DEMO):
        run(folder, commands + "; export slurm topology.conf")
        with open(os.path.join(folder, "topology.conf"), encoding="utf-8") as f:
            ours = parse_conf(f.read())
        nodes = {n for on, _ in ours.values() for n in on}
        theirs, complaints = read_by_slurm(folder, nodes)
        # several trees, of a fabric in parts, are worth a warning to Slurm: their nodes are never in one job
        complaints = [c for c in complaints if "reach" not in c and "no common" not in c]
        expect(not complaints, commands, complaints)
        expect({s: set(c) for s, (_, c) in theirs.items()} == {s: set(c) for s, (_, c) in ours.items()}, commands, "switches")
        wrong = [s for s in ours if theirs[s][0] != below(ours, s)]
        expect(not wrong, commands, wrong[:3])
    with open(os.path.join(folder, "topology.conf"), "a", encoding="utf-8") as f:
        f.write("SwitchName=more Switches=nowhere\n")
    expect(read_by_slurm(folder, nodes)[1], "a switch that is not there is no fault to Slurm")


TESTS = [replayed, lost, readings, any_path, report, change_report.change, change_report.back_out_named, change_report.page, drawings, hostile, hostile_names, slurm, slurm_itself]
if os.environ.get("LONG") == "1" or "browser" in sys.argv[1:]:
    TESTS.append(change_report.browser)

if __name__ == "__main__":
    sys.exit(run_tests("sessions", TESTS, sys.argv[1:], also=(StopIteration,)))
