#!/usr/bin/env python3
"""Each word on the screen is one of the row it stands for, as `list` prints that row: whole, or with a mark.

Drawn by SEED: two panes of a fabric at two sizes; LONG=1: all of them.  A number is whole or a mark, never a part.  The key `>` brings
every column of a pane to the screen."""
import itertools
import os
import random
import re
import subprocess
import sys

from common import PROGRAM, Failed

SIZES = [(40, 12), (60, 20), (80, 24), (100, 30), (120, 40), (160, 48), (200, 50)]
# numbers of 6 digits; names alike at their beginning, in the middle, and at the end
FABRICS = {
    "many": ("-R minhop xgft:20,30,20:1,8,4", None),
    "begin": ("-R updn xgft:6,6,6:1,3,2", "datacenter-west-hall-7-row-{place}"),
    "middle": ("-R dfsssp xgft:6,6,6:1,3,2", "{place} MT47396 Infiniscale-II Mellanox rack {place}"),
    "end": ("-R lash torus:4x5", "{place}.row-7.hall-7.west.datacenter.example.org"),
}
# panes with rows and columns, and what they are asked for
PANES = ["switches", "ports {sw}", "hosts", "lft {sw}", "changes", "ranks", "hops {sw}", "histogram", "layers",
         "cdg 0", "sl2vl {sw}", "sls {host}", "weights", "elements", "lids {host}", "ways {host}", "usage", "compare", "check", "lost", "drift", "doctor", "advise",
         "shift 1", "hotter", "warnings"]
CHEAP = ["switches", "ports {sw}", "hosts", "lft {sw}", "ranks", "hops {sw}", "histogram", "lids {host}", "warnings", "elements"]
MARK = "…"


def batch(arguments, *lines):
    words = [PROGRAM, *arguments] + [w for line in lines for w in ("-e", line)]
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False).stdout


def name_map(arguments, form, path):
    """Names for all nodes of a fabric, by a form in which only `place` tells them apart."""
    with open(path, "w", encoding="utf-8") as f:
        for pane, letter in (("switches", "s"), ("hosts", "h")):
            guids = re.findall(r"0x[0-9a-f]{16}", batch(arguments, "list " + pane))
            for i, guid in enumerate(dict.fromkeys(guids)):
                f.write('%s "%s"\n' % (guid, form.format(place="%s%03d" % (letter, i))))


def inside(screen):
    """The header and the rows of the pane that has the focus, without its border and the marks before a row."""
    lines = screen.split("\n")
    for top, line in enumerate(lines):
        left = line.find("┌▸")
        if left < 0 or "REPL" in line[left:left + 7]:
            continue
        right = line.find("┐", left)
        body = []
        for below in lines[top + 1:]:
            if len(below) <= max(left, right) or below[left] == "└":
                break
            body.append(below[left + 1:right])
        return body[0], [row for row in body[1:] if row.strip()]
    raise Failed("no pane has the focus:\n" + screen)


def word_fits(word, row, header):
    """Is it a word of the row, or does it bear a mark and is what stands there?  A meter is none."""
    if re.fullmatch(r"[\u2580-\u259f\u2800-\u28ff]+", word):
        return True
    if MARK in word:
        if re.search(r"(^|[\s(])\d+…|…\d+($|[\s)])", word) and not re.search(r"[A-Za-z]\S*\d|\d\S*[A-Za-z]", row):
            return False
        return re.search(".*".join(re.escape(p) for p in word.split(MARK)), row) is not None
    words = re.split(r"[\s\[\](),:;]+", row)
    if all(part in words for part in re.split(r"[\[\](),:;]+", word) if part):
        return True
    # what all names share stands in the header or below it, once
    return MARK in header and any(word.rstrip("],").split("[")[0] in w for w in words if re.search("[A-Za-z]", w))


def misfit(shown, rows, shared):
    """The first word that is not one of its row, for the best place of the first row; None: all fit."""
    best = None
    for first in range(max(1, len(rows) - len(shown) + 1)):
        bad = [(word, rows[first + i]) for i, line in enumerate(shown) if first + i < len(rows)
               for word in line[3:].split() if not word_fits(word, rows[first + i], shared)]
        if not bad:
            return None
        best = bad if best is None or len(bad) < len(best) else best
    return best[0]


def titles_marked(screen, wide):
    """A title is what it is on a wide screen, or what is cut bears a mark; no number is cut, also in a footer."""
    for line in screen.split("\n"):
        for title in re.findall(r"[┌└][ ▸](.*?)(?: ─*)?[┐┘]", line):
            if re.search(r"(^|[ (])\d+…", title):
                raise Failed("a number is cut: %r" % title)
            title = re.split(" ──", title)[0].strip()
            if line.find("┌▸" + title) >= 0 and "REPL" not in title and MARK not in title and title not in wide:
                raise Failed("the title %r is cut without a mark" % title)


def look(term, pane, rows, header, size, wide):
    """One pane at one size: its words, and its columns, which `>` shows one after the other."""
    columns = [c for c in header.split() if not re.search(r"\W", c)]
    seen = set()
    for _ in range(20):
        term.read_all(term.pids()[0])
        screen = term.capture()
        head, shown = inside(screen)
        below = "\n".join(line for line in screen.split("\n") if line.startswith("└"))
        titles_marked(screen, wide)
        bad = misfit(shown, rows, head + below)
        if bad:
            raise Failed("%s at %dx%d: %r is not in the row %r\n%s" % (pane, *size, *bad, screen))
        seen.update(head.replace("[", " ").replace("]", " ").split())
        if "›" not in screen or size < (80, 24):
            break
        term.keys(">")
    missing = [c for c in columns if c not in seen]
    if missing and size >= (80, 24):
        raise Failed("%s at %dx%d: no key shows %s\n%s" % (pane, *size, missing, screen))


def lists(arguments, panes):
    """What `list` prints of panes: header and rows of each."""
    found = {}
    out = batch(arguments, *itertools.chain(*(("echo =====%d" % i, "list " + pane) for i, pane in enumerate(panes))))
    for i, part in re.findall(r"^=====(\d+)\n(.*?)(?=^=====|\Z)", out, re.M | re.S):
        lines = part.rstrip("\n").split("\n")
        if len(lines) > 1:
            found[panes[int(i)]] = (lines[0], lines[1:])
    return found


def fabric_shown(Terminal, name, panes, sizes):
    arguments, form = FABRICS[name]
    words = arguments.split()
    t = Terminal(size=sizes[0])
    try:
        if form:
            path = os.path.join(t.dir, "names")
            name_map(words, form, path)
            words = ["--node-name-map", path, *words]
        guid = {pane: re.findall(r"0x[0-9a-f]{16}", batch(words, "list " + pane))[1] for pane in ("switches", "hosts")}
        asked = [p.format(sw=guid["switches"], host=guid["hosts"]) for p in panes]
        listed = lists(words, asked)
        t.start(" ".join(words))
        t.wait(r"First steps")
        for pane in listed:
            t.resize(400, 50)    # no title is cut there
            t.run(":pane %s; focus %s" % (pane, pane.split()[0]))
            t.read_all(t.pids()[0])
            wide = t.wait(r"computing|looking", absent=True)
            for size in sizes:
                t.resize(*size)
                t.wait(r"^┌[^\n]{%d}┐$" % (size[0] - 2))
                look(t, pane, listed[pane][1], listed[pane][0], size, wide)
                t.keys(*["<"] * 20)
    except Failed as e:
        raise Failed("fabric %s: %s" % (name, e)) from e
    finally:
        t.close()


def words_are_of_their_rows(Terminal):
    seed = int(os.environ.get("SEED", random.SystemRandom().randrange(1 << 31)))
    rng = random.Random(seed)
    everything = os.environ.get("LONG") == "1"
    for name in FABRICS if everything else rng.sample(list(FABRICS), 1):
        panes = PANES if everything else rng.sample(CHEAP, 2)
        sizes = SIZES if everything else rng.sample(SIZES, 2)
        try:
            fabric_shown(Terminal, name, panes, sizes)
        except Failed as e:
            raise Failed("SEED=%d: %s" % (seed, e)) from e


def main():
    from run import Terminal  # pylint: disable=import-outside-toplevel
    words = sys.argv[1:]
    if words:
        fabric_shown(Terminal, words[0], words[2:] or CHEAP, [tuple(int(n) for n in words[1].split("x"))])
    else:
        words_are_of_their_rows(Terminal)


if __name__ == "__main__":
    main()
