"""README's tours, played in the explorer at 80 columns: no line of a table is wrapped, where its rows begin is told."""
import os
import re

from common import ROOT, Failed

TALL = 400     # rows: what a command prints is read from one screen
NARROW, WIDE = 80, 190
PAIR = re.compile(r"\S {2,}\S")


def tours():
    """(arguments, lines) of each tour, without what is said of them."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as f:
        text = f.read()
    for start, body in re.findall(r"```\nbuild/ibscope ([^\n]*)\n(> .*?)```", text, re.S):
        yield start, [re.split(r" +#", line[2:])[0].strip() for line in body.strip().split("\n")]


def played(Terminal, columns):
    """What each line of the tours prints in the REPL of a terminal with so many columns."""
    said = {}
    for start, lines in tours():
        t = Terminal(size=(columns, TALL))
        try:
            t.start(start.replace("tests/", os.path.join(ROOT, "tests") + "/"))
            t.wait(r"First steps")
            t.keys("F12", "F11")
            for n, line in enumerate(lines):
                t.wait(r"▸REPL")
                t.run("clear")
                t.run("%s; echo played-%d" % (line, n))
                text = t.wait(r"^│ played-%d *│|─ 1-\d+ of \d+, PgDn ─|▸Lesson" % n)
                said[start, line] = [row[2:-2].rstrip() for row in text.split("\n") if row.startswith("│")]
                if "▸Lesson" in text:
                    t.keys("F12")
        finally:
            t.close()
    return said


def tours_fit(Terminal):
    narrow, wide = played(Terminal, NARROW), played(Terminal, WIDE)
    squeeze = lambda s: re.sub(r"\s+", " ", s).strip()
    tables = 0
    for key, rows in narrow.items():
        whole = {squeeze(row) for row in wide[key]}
        for a, b in zip(rows, rows[1:]):
            if len(PAIR.findall(a)) < 2 or b.startswith("    "):     # what is indented stands below on purpose
                continue
            tables += 1
            if squeeze(a + " " + b) in whole:
                raise Failed("`%s` at %d columns: a line of its table is wrapped:\n%s\n%s" % (key[1], NARROW, a, b))
    if tables < 100:
        raise Failed("only %d lines of tables were seen" % tables)
