#!/usr/bin/env python3
"""A new engine and a new pane, each by one file and one line: they are put into a copy of the tree, built and used.

The engine is the example of engines/README.md (or README.md), the pane is pane.c
here.  Arguments: names of tests.
"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "tui")]

import run as tui  # noqa: E402
import scratch  # noqa: E402
from scratch import Failed  # noqa: E402

TREE = scratch.Scratch()


def add_line(path, after, line):
    """One line behind the one that matches."""
    text = TREE.read(path)
    found = re.search(after, text, re.M)
    if not found:
        raise Failed("%s: no line like %r" % (path, after))
    TREE.write(path, text[:found.end()] + "\n" + line + text[found.end():])


def built_with(*files):
    """Build; what is compiled are these files."""
    compiled = TREE.would_compile()
    if compiled != set(files):
        raise Failed("compiled %s, expected %s" % (sorted(compiled), sorted(files)))
    TREE.make()


# --- the engine ------------------------------------------------------------------------------

def example():
    for path in ("engines/README.md", "README.md"):
        if os.path.exists(TREE.path(path)):
            found = re.search(r"^```c\n(/\* First:.*?)^```", TREE.read(path), re.M | re.S)
            if found:
                return found[1]
    raise Failed("no README holds the example of an engine")


def cables(path):
    """{switch: {port: (peer, peer's port)}} of a fabric saved as ibnetdiscover text; names of nodes."""
    links, name, own = {}, {}, None
    with open(path, encoding="utf-8") as f:
        for line in f:
            head = re.match(r'(?:Switch|Ca)\s+\d+ "([^"]+)"\s+# "([^"]*)"', line)
            wire = re.match(r'\[(\d+)\](?:\(\w+\))?\s+"([^"]+)"\[(\d+)\]', line)
            if head:
                own = head[1]
                name[own] = head[2]
                links[own] = {}
            elif wire:
                links[own][int(wire[1])] = (wire[2], int(wire[3]))
    return links, name


def hops_to(links, target):
    """Hops from every switch to a switch."""
    far, todo = {target: 0}, [target]
    for sw in todo:
        for peer, _ in links[sw].values():
            if peer.startswith("S-") and peer not in far:
                far[peer] = far[sw] + 1
                todo.append(peer)
    return far


def first_ports(links, name, endports):
    """{switch name: {LID: port}} of hosts, as the example promises: the first port on a way of fewest hops."""
    table = {name[sw]: {} for sw in links if sw.startswith("S-")}
    by_name = {name[sw]: sw for sw in links}
    for ep in endports:
        target = by_name[ep["switch"]]
        far = hops_to(links, target)
        for sw in far:
            near = [p for p, (peer, _) in links[sw].items() if far.get(peer) == far[sw] - 1]
            table[name[sw]][str(ep["lid"])] = ep["port"] if sw == target else min(near)
    return table


def compare_tables(fabric, *commands):
    """What the new engine routes, by `export json`, with what Python makes of the cables."""
    steps = "; ".join([*commands, "export json %s" % TREE.path("j"), "save %s" % TREE.path("n")])
    TREE.ibscope("-R", "first", "-e", steps, fabric)
    found = json.loads(TREE.read("j"))
    if found["engine"] != "first":
        raise Failed("%s: routed by %s" % (fabric, found["engine"]))
    endports = [ep for ep in found["endports"] if ep["up"] and "switch" in ep]
    expected = first_ports(*cables(TREE.path("n")), endports)
    entries = 0
    for sw in found["switches"]:
        for lid, port in expected[sw["name"]].items():
            entries += 1
            if sw["lft"].get(lid) != port:
                raise Failed("%s: %s sends LID %s out of port %s, expected %d"
                             % (fabric, sw["name"], lid, sw["lft"].get(lid), port))
    if entries < 20:
        raise Failed("%s: only %d entries were compared" % (fabric, entries))


def new_engine():
    """Built by one file and one line, it routes as it says, and all commands know it."""
    TREE.make()
    TREE.write("engines/first.c", example())
    add_line("engines/engines.c", r"^#define ENGINES\(X\) *\\$", "\tX(first) \\")
    built_with("engines/first.c", "engines/engines.c")
    compare_tables("xgft:4,4:1,2")
    compare_tables("random:9,4,seed=3,hosts=2", "fail random 2 seed=5")
    said = TREE.ibscope("-R", "first", "-e", "why leaf-01 node0009; show engines; hops leaf-01; fail link leaf-01[5]; diff", "xgft:4,4:1,2")
    for word in ("first port", "fewest hops, first port of equals"):
        if word not in said:
            raise Failed("nothing says %r:\n%s" % (word, said))
    said = TREE.ibscope("-R", "minhop", "-e", "compare first minhop; route nonsense", "xgft:4,4:1,2", status=2)
    if "first" not in said:
        raise Failed("`compare` does not know the engine:\n" + said)


# --- the pane --------------------------------------------------------------------------------

ROWS = [["switches", "6"], ["endports", "22"], ["links", "24"]]


def in_the_terminal():
    """It opens, and bears every key of a list."""
    t = tui.Terminal(size=(100, 30))
    try:
        t.type("%s -R minhop xgft:4,4:1,2" % TREE.path("build", "ibscope"))
        t.keys("Enter")
        t.wait("minhop routed")
        t.keys(":")
        t.wait("▸REPL")
        t.type("pane inv")
        t.keys("Enter")
        for row in ROWS:
            t.wait(r"\b%s +%s\b" % tuple(row))
        for key in ("Down", "Enter", "Left", "Right", "s", "S", "s", "n", "E", "E", "f", "r", "w", "t", "l", "p", "d",
                    "c", "x", "a", "F5", "C-l", "End", "Home", "z", "z", "Tab", "BTab"):
            t.keys(key)
            if not t.pids():
                raise Failed("the program ended at key %s:\n%s" % (key, t.capture()))
        t.keys("F10")
        t.wait(r"ready>\s*\Z")
    except tui.Failed as e:
        raise Failed(e) from e
    finally:
        t.close()


def new_pane():
    """Built by one file and one line, with nothing but name, columns, load and cell: screen, text and JSON."""
    TREE.make()
    with open(os.path.join(HERE, "pane.c"), encoding="utf-8") as f:
        TREE.write("views/inventory.c", f.read())
    add_line("views/panes.def", r"^PANE\(warnings, JUDGE, NULL\)$", "PANE(inventory, LOOK, NULL)")
    built_with("views/inventory.c", *TREE.including("views/panes.def"))
    said = TREE.ibscope("-e", "list inventory", "xgft:4,4:1,2")
    found = [line.split() for line in said.split("\n") if line.split()[:1] in [row[:1] for row in ROWS]]
    if found != ROWS:
        raise Failed("list inventory: found %s, expected %s in\n%s" % (found, ROWS, said))
    said = TREE.ibscope("--json", "-e", "list inventory sort what", "xgft:4,4:1,2")
    answer = json.loads(said.strip().split("\n")[-1])
    if not answer["ok"] or [[row["what"], str(row["how many"])] for row in answer["rows"]] != sorted(ROWS):
        raise Failed("list inventory sort what: found " + said)
    in_the_terminal()


TESTS = [new_engine, new_pane]


if __name__ == "__main__":
    with TREE:
        sys.exit(scratch.run_tests("extend", TESTS, sys.argv[1:]))
