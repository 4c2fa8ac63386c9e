#!/usr/bin/env python3
"""Random edits of a fabric: `changes` tells exactly these, and undo gives the old tables.

usage: changes.py [TEST]...
IBSCOPE=build/ibscope.  SEED=N (default: new, printed), PAIRS=1000: pairs of fabrics.  Prints "N passed, N failed".
"""
import json
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tests", "parity")]
import edited  # noqa: E402
from fabric import Fabric  # noqa: E402
from trial import chosen_seed, expect, run_tests  # noqa: E402

IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
PAIRS = int(os.environ.get("PAIRS", "1000"))
SEED = chosen_seed()
END = re.compile(r"(0x[0-9a-f]{16})\[(\d+)\]")


def told(folder, lines, status=0):
    """The objects; status: the exit status expected, or those that may be."""
    done = subprocess.run([IBSCOPE, "--json", "-x", "-"], cwd=folder, input="\n".join(lines) + "\n", stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=600)
    expect(done.returncode in (status if isinstance(status, tuple) else (status,)), lines[:3], done.stdout[-400:], done.stderr[-400:])
    return [json.loads(line) for line in done.stdout.splitlines()]


def end(row, key):
    return int(row[key + "_guid"], 16), row[key + "_port"]


def cable(row, a="a", b="b"):
    return frozenset((end(row, a), end(row, b)))


def of_row(where, row):
    """A row of `nodes` or `links` in the form of expected()."""
    what = row["change"]
    guid = int(row["guid"], 16) if where == "nodes" else None
    if what == "replaced":
        return what, guid, int(row["new_guid"], 16)
    if what == "renamed":
        return what, guid, row["new"]
    if where == "nodes" and what == "moved":
        return what, end(row, "at"), end(row, "from"), end(row, "to")
    if where == "nodes":
        return "node " + what, guid, frozenset(cable(c) for c in row["links"])
    if what == "moved":
        return what, end(row, "a"), end(row, "b"), end(row, "to")
    if what == "swapped":
        return what, frozenset((cable(row), cable(row, "other_a", "other_b")))
    if what == "rate":
        return what, cable(row), row["width"] + row["speed"]
    return "link " + what, cable(row)


def ends_of(command):
    return [(int(g, 16), int(p)) for g, p in END.findall(command)]


def expected(command, before, after):
    """The change that a command is, from the cables before and after it; and the ends that it touches."""
    verb, kind, *words = command.split()
    gone, come = set(before.cables) - set(after.cables), set(after.cables) - set(before.cables)
    touched = {e for c in gone | come for e in c}
    ends = ends_of(command)
    guids = [int(g, 16) for g in re.findall(r"0x[0-9a-f]{16}", command)]
    if verb == "add" and kind != "link":
        return ("node added", guids[-1], frozenset(come)), touched
    if verb == "remove" and kind != "link":
        return ("node removed", guids[0], frozenset(gone)), touched
    if verb in ("add", "remove"):
        return ("link %s" % ("added" if verb == "add" else "removed"), list(come or gone)[0]), touched
    if verb == "replace":
        return ("replaced", guids[0], guids[1]), touched
    if verb == "swap":
        return ("swapped", frozenset(gone)), touched
    if verb == "move":
        was = list(gone)[0]
        stays = next(e for e in was if e in list(come)[0])
        return ("moved", stays, before.other(was, stays), ends[1]), touched
    if verb == "rename":
        return ("renamed", guids[0], words[0]), {(guids[0], 0)}
    at = before.at(ends[0])
    return ("rate", at, words[0]), set(at)


def draw(world, rng):
    """One edit, as a command."""
    kind = rng.random()
    if kind < 0.08:
        return "rename %s name%d" % (world.text(rng.choice(world.here)), rng.randrange(10 ** 6))
    if kind < 0.16:
        return "speed %s %s" % (world.end(rng.choice(sorted(rng.choice(sorted(world.cables, key=sorted))))), rng.choice(("4xEDR", "1xQDR", "2xHDR")))
    while True:
        command = rng.choice((world.add_host, world.add_switch, world.add_link, world.remove_host, world.remove_switch, world.remove_link,
                              world.move_host, world.move_link, world.swap, world.replace))(rng)
        if command:
            return command


def copy(world):
    new = edited.World.__new__(edited.World)
    new.__dict__.update({k: v.copy() if isinstance(v, (list, set, dict)) else v for k, v in world.__dict__.items()})
    return new


def some_edits(world, rng):
    """Edits that touch no port twice: (commands, changes)."""
    commands, changes, touched, start = [], [], set(), world
    for _ in range(rng.choice((1, 1, 2, 3, 5))):
        trial = copy(world)
        command = draw(trial, rng)
        change, ends = expected(command, world, trial)
        new = set(world.here) - set(start.here)
        if isinstance(change[1], int) and any(e[0] == change[1] for e in touched):
            continue        # it touches all of the node
        if ends & touched or any(e[0] in new for e in ends) or any(g in {e[0] for e in touched} for g, p in ends if not p):
            continue
        world, touched = trial, touched | ends | {(change[1], 0)}
        commands.append(command)
        changes.append(change)
    return commands, changes


def exactly_the_edits(folder):
    rng = random.Random(SEED)
    spec = rng.choice(edited.SPECS)
    told(folder, ["synth " + spec, "save base.topo"])
    with open(os.path.join(folder, "base.topo")) as f:
        text = re.sub(r"^Switch\t(\d+)", lambda m: "Switch\t%d" % (int(m[1]) + 3), f.read(), flags=re.M)
    with open(os.path.join(folder, "base.topo"), "w") as f:
        f.write(text)
    fabric = Fabric(text)
    start = edited.World(fabric, edited.spare_nodes(rng, fabric))
    lines, wanted = ["load base.topo", "route minhop", "snapshot before"], []
    for i in range(PAIRS):
        commands, changes = some_edits(start, rng)
        quoted = ['"%s"' % c for c in commands]
        lines += [commands[0] if len(commands) == 1 else "event " + " ".join(quoted), "undo", "diff before"]
        wanted.append((commands, changes))
    objects = told(folder, lines)[3:]
    for i, (commands, changes) in enumerate(wanted):
        event, undone, diff = objects[3 * i:3 * i + 3]
        got = [of_row(where, row) for where in ("nodes", "links") for row in event[where]]
        expect(sorted(map(str, map(normal, got))) == sorted(map(str, map(normal, changes))),
               "SEED=%s %s:" % (SEED, spec), commands, "told:", got, "expected:", changes)
        expect(diff["change"]["entries"] == 0 and not diff["change"]["switches_gone"], "undo of", commands, diff["text"])


def normal(change):
    """Sets in one order."""
    return tuple(sorted(map(normal, x), key=str) if isinstance(x, frozenset) else x for x in change) if isinstance(change, tuple) else \
        sorted(change, key=str) if isinstance(change, frozenset) else change


def two_files(folder):
    """`changes A B` of files tells what the event told; status 1; the line on entries is that of `load B next`."""
    lines = ["synth xgft:4,4:1,2", "save a", "route minhop"]
    event = told(folder, lines + ['event "remove host node0003" "swap node0005 node0009" "remove link leaf-02[5]"', "save b"])[3]
    one = told(folder, ["load a", "route minhop", "changes b"], 1)[-1]
    two = told(folder, ["set lmc 0", "load a", "route minhop", "changes a b"], 1)[-1]
    next_ = told(folder, ["load a", "route minhop", "load b next"])[-1]
    rows = lambda o: sorted(str(normal(of_row(where, row))) for where in ("nodes", "links") for row in o[where])     # noqa: E731
    expect(rows(one) == rows(two) == rows(event), one, two, event)
    expect(one["changes"] == 3 and one["entries"] == two["entries"] == next_["change"]["entries"], one, two, next_["change"])
    expect(one["pairs"] == next_["change"]["rerouted"], one, next_["change"])
    expect(told(folder, ["changes a a"])[-1]["changes"] == 0)
    none = told(folder, ["changes a b"], 1)[-1]
    expect(none["entries"] is None and none["pairs"] is None and none["changes"] == 3, none)
    kept = told(folder, ["load a", "route minhop", "snapshot s", "changes s b"], 1)[-1]
    expect(rows(kept) == rows(one) and kept["entries"] == one["entries"], kept, one)


def parts(folder):
    """A card or chassis of which all came or went is one change, with its cables and the hosts on it alone; a part of it is not."""
    names = {"leaf-01": "box/L1/U1", "leaf-02": "box/L1/U2", "leaf-03": "box/L2/U1", "leaf-04": "box/L2/U2", "spine-01": "box/S1/U1"}
    rows = told(folder, ["synth xgft:4,4:1,2", *("rename %s %s" % n for n in names.items()), "save a", "list switches"])[-1]["rows"]
    with open(os.path.join(folder, "boxes"), "w") as f:
        f.write("".join("%s box\n" % row["guid"] for row in rows if row["name"] in names.values()))
    hosts = [["node%04d" % h for h in range(first, first + 8)] for first in (1, 9)]
    gone = ["remove switch box/L1/U1 box/L1/U2", "remove host " + " ".join(hosts[0])]
    start = ["set chassis_file boxes", "load a", "route minhop"]
    event = told(folder, start + ["event " + " ".join('"%s"' % g for g in gone), "save b", "undo", "changes b", "load b next"], 1)[3:]
    for o in (event[0], event[3]):
        part, = o["parts"]
        expect((part["change"], part["kind"], part["name"], part["inside"]) == ("removed", "card", "box/L1", 0), part)
        expect(not o["nodes"] and not o["links"], o["text"])
        expect([n["name"] for n in part["switches"]] == ["box/L1/U1", "box/L1/U2"] and sorted(n["name"] for n in part["hosts"]) == hosts[0], part)
        expect(len({cable(c) for c in part["links"]}) == 12 == len(part["links"]), part["links"])
        lines = [line for line in o["text"] if line[:1] in "-+?~"]
        expect(lines == ["- card box/L1 (2 switches, 12 cables, with 8 hosts on it alone)"], o["text"])
        expect(len([line for line in o["text"] if line.startswith("    link ")]) == 12, o["text"])
    expect(event[3]["changes"] == 1, event[3])
    back = told(folder, ["set chassis_file boxes", "changes b a"], 1)[-1]
    expect([(p["change"], p["name"], len(p["hosts"])) for p in back["parts"]] == [("added", "box/L1", 8)] and back["changes"] == 1, back)
    # without a chassis each node is one; so are a switch of two, and a host that has another cable
    alone = told(folder, ["changes a b"], 1)[-1]
    expect(not alone.get("parts") and alone["changes"] == 10 == len(alone["nodes"]), alone["text"])
    one = told(folder, start + ['event "remove switch box/L1/U1" "remove host node0001"'])[-1]
    expect(not one.get("parts") and len(one["nodes"]) == 2, one["text"])
    both = told(folder, start[:2] + ["remove host node0001 node0009", "add host two box/L1/U1[1] box/L2/U1[1]",
                                     'event "%s" "remove host two %s"' % (gone[0], " ".join(hosts[0][1:]))])[-1]
    expect([len(p["hosts"]) for p in both["parts"]] == [7] and [n["name"] for n in both["nodes"]] == ["two"], both["text"])
    # all of it: the chassis, whose inner cables are counted
    all_ = told(folder, start[:2] + ['event "remove switch %s" "remove host %s"' % (" ".join(names.values()), " ".join(hosts[0] + hosts[1]))])[-1]
    part, = all_["parts"]
    expect((part["kind"], part["name"], part["inside"], len(part["links"]), len(part["hosts"])) == ("chassis", "box", 4, 20, 16), part)
    # a real director: the source tells chassis and cards
    real = os.path.join(ROOT, "tests", "fabrics", "real", "sat11-director.putty-log.xz")
    box = "MF0;sat11-0101-0901-01ib1-A:MCS8500"
    out = told(folder, ["load " + real, "remove switch '%s/L09/U1' '%s/L09/U2' '%s/S05/U1'" % (box, box, box)])[-1]
    expect([(p["kind"], p["name"], len(p["links"])) for p in out["parts"]] == [("card", box + "/L09", 80), ("card", box + "/S05", 40)] and
           not out["nodes"], out["text"])


def reserved(folder):
    """A replaced host: `drift` takes the LIDs that are reserved as far as the session knows, and tells what it does not know."""
    host = "0002c90300f00040"
    told(folder, ["synth xgft:4,4:1,2", "route minhop", "export lfts held.lfts", "save before", "replace host node0003 guid=0x2c9030e000000",
                  "save after"])
    with open(os.path.join(folder, "after")) as f:
        text = re.sub(r"lid 23 lmc", "lid 0 lmc", f.read())     # as it is found before a sweep
    expect(host not in text and "2c9030e000001" in text, text)
    with open(os.path.join(folder, "after"), "w") as f:
        f.write(text)
    fresh = told(folder, ["load after", "tables held.lfts", "drift minhop"], 3)[-1]
    expect(fresh["reservations"] == "unknown", fresh)
    expect([(row["name"], row["lid"]) for row in fresh["unsure_lids"]] == [("node0003", 10)], fresh)
    seen = told(folder, ["load before", "route minhop", "load after next", "tables held.lfts", "drift minhop"], 1)[-1]
    expect(seen["reservations"] == "seen" and [row["lid"] for row in seen["unsure_lids"]] == [23], seen)
    expect({row["lid"] for row in seen["entries"]} == {10}, seen["entries"])
    known = told(folder, ["synth xgft:4,4:1,2", "route minhop", "replace host node0003", "tables held.lfts", "drift minhop"], 1)[-1]
    expect(known["reservations"] == "known" and not known["unsure_lids"] and {row["lid"] for row in known["entries"]} == {10}, known)
    with open(os.path.join(folder, "guid2lid"), "w") as f:
        f.write("0x0002c90300f00041 0x000a 0x000a\n\n")
    named = told(folder, ["set guid2lid_file guid2lid", "load after", "tables held.lfts", "drift minhop"], 1)[-1]
    expect(named["reservations"] == "known" and not named["unsure_lids"] and {row["lid"] for row in named["entries"]} == {10}, named)


def changed_from_outside(folder):
    """A LID that another has changed is put back, again and again, whether the fabric began without LIDs or with them."""
    told(folder, ["synth ring:4", "route minhop", "save given"])
    with open(os.path.join(folder, "given")) as f:
        given = f.read()
    for n, lid in enumerate((40, 41)):
        with open(os.path.join(folder, "changed.%d" % n), "w") as f:
            f.write(re.sub(r"\blid 2\b", "lid %d" % lid, given))
    for first in ("synth ring:4", "load given"):
        told(folder, [first, "route minhop", "export lfts want", "load changed.0 next", "export lfts got.0", "load changed.1 next",
                      "export lfts got.1"])
        want, *got = ([line for line in open(os.path.join(folder, name)) if line[:2] == "0x"] for name in ("want", "got.0", "got.1"))
        expect(len(want) == 32 and got == [want, want], first, want, got)


def mistakes(folder):
    """What cannot be done is refused, and changes nothing."""
    told(folder, ["synth xgft:4,4:1,2", "save a"])
    for line, why in (("move host node0001 leaf-02[1]", "has a cable already"), ("add link leaf-01 leaf-02", "no port without a cable"),
                      ("replace host node0001 guid=0x2c90300a00000", "already"), ("remove switch node0001", "no switch"),
                      ("swap node0001 leaf-01[1]", "same cable"), ("speed node0001 4xfast", "expected width and speed"),
                      ("event \"undo\"", "expected a change of the fabric"), ("load a next", ""), ("event \"swap node0001\"", "expected"),
                      ("add switch new 0", "number of ports"), ("remove link leaf-01[1] leaf-01[1]", "no cable"), ("rename node0001 ''", "name")):
        objects = told(folder, ["load a", "route minhop", "snapshot s", line], (2, 3) if why else (0,))
        expect(why in objects[-1].get("error", ""), line, objects[-1])


if __name__ == "__main__":
    print("SEED=%s" % SEED, flush=True)
    sys.exit(run_tests("changes", [exactly_the_edits, two_files, parts, reserved, changed_from_outside, mistakes], sys.argv[1:]))
