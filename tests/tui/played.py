"""Lessons as a class sees them: the pane to look at stands beside the text, under its title, and shows what the lesson says
that it shows (`see:`).  Every step of every lesson, at one of three sizes drawn by SEED; LONG=1 takes all.
"""
import glob
import os
import random
import re
import time

from common import BOUND, ROOT, Failed

SIZES = (80, 24), (120, 40), (200, 50)
TITLES = {"ca-order": "CA order", "cdg": "CDG", "cycle": "Credit loops", "layers": r"\S+: \d+ layers?", "path": r"\S+ → ", "lft": "LFT of", "lids": "LIDs? ",
          "restricted": "Restrictions", "plot": "Most flows on|Routes on"}  # of other panes: their names
LESSONS = sorted(glob.glob(os.path.join(ROOT, "views", "lessons", "*.lesson")))


def boxes(screen):
    """(title, lines) of each pane on a screen; blanks in a row are one."""
    rows = screen.split("\n")
    found = []
    for y, row in enumerate(rows):
        for top in re.finditer(r"┌([^┌┐]*)┐", row):
            left, right = top.start(), top.end() - 1
            inside = []
            for below in rows[y + 1:]:
                below = below.ljust(right + 1)
                if below[left] == "└":
                    break
                inside.append(below[left + 1:right])
            found.append((top[1].strip("▸ "), [" ".join(line.split()) for line in inside]))
    return found


def steps(path):
    """Of each step: (pane, [what is seen]) or None."""
    with open(path, encoding="utf-8") as f:
        for step in f.read().split("\ntext:")[1:]:
            look = re.search(r"^look: (.*(?:\nsee: .*)*)", step, re.M)
            yield (look[1].split("\nsee: ")[0], look[1].split("\nsee: ")[1:]) if look else None


def shown(t, name, i, of, look):
    """Waits until the step and its pane are there."""
    pane = look[0].split()[0] if look else None
    end = time.monotonic() + BOUND
    while True:
        panes = boxes(t.capture())
        lesson = [p for p in panes if p[0].startswith("Lesson %s %d/%d" % (name, i, of))]
        rest = [p for p in panes if p not in lesson and not p[0].startswith("REPL")]
        if lesson and (not look or any(re.match(TITLES.get(pane, pane.capitalize()), title) and all(any(" ".join(s.split()) in line for line in lines) for s in look[1]) for title, lines in rest)):
            return
        if time.monotonic() > end:
            raise Failed("lesson %s, step %d: %s is not beside the text:\n%s" % (name, i, look, t.capture()))
        time.sleep(0.03)


def play(terminal, size, path):
    name, of = os.path.basename(path)[:-7], list(steps(path))
    if not any(of):
        raise Failed("lesson %s looks at nothing" % name)
    t = terminal(size=size)
    try:
        t.start("--no-rc")
        t.wait(r"press a key")
        t.run(":lesson " + name)
        for i, look in enumerate(of, 1):
            if i > 1:
                t.keys("Right")
            if look and not look[1]:
                raise Failed("lesson %s, step %d does not say what is seen in %s" % (name, i, look[0]))
            shown(t, name, i, len(of), look)
    finally:
        t.close()


def tests(terminal):
    rnd = random.Random(int(os.environ.get("SEED", random.SystemRandom().randrange(1 << 31))))
    return [("played_%s_%dx%d" % (os.path.basename(path)[:-7], *size), lambda path=path, size=size: play(terminal, size, path))
            for path in LESSONS for size in (SIZES if os.environ.get("LONG") == "1" else [rnd.choice(SIZES)])]
