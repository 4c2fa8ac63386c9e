#!/usr/bin/env python3
"""Topics of `help`: at most five lines of 80 columns with text, source and a command; each command runs on a small
fabric; other words lead to one topic each; engines have theirs; every other name that is printed has help.

IBSCOPE=build/ibscope.  Prints what is wrong, at last "N passed, N failed".
"""
import json
import os
import re
import subprocess
import sys

from trial import BOUND, Tally

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
IBSCOPE = os.path.join(TOP, os.environ.get("IBSCOPE", "build/ibscope"))
FABRIC = "xgft:4,4,4:1,4,4"
verdict = Tally()


def run(*arguments):
    return subprocess.run([IBSCOPE, *arguments], cwd=TOP, stdin=subprocess.DEVNULL, text=True, timeout=BOUND,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def answer(command):
    return json.loads(run("--json", "-e", command).stdout.splitlines()[-1])


def plain(word):
    return re.sub("[ _-]", "-", word.lower())


def quoted(name):
    return '"%s"' % re.sub(r'([\\"])', r"\\\1", name)


def names(seen, commands):
    """Every name that the program prints has help: of itself, or a topic.  `?` on a pane tells all its columns."""
    panes = {}
    for kind in ("option", "pane", "column", "key", "action", "word", "rule", "figure", "limit", "fabric"):
        rows = [r for r in answer("help %ss" % kind)["names"] if r["kind"] == kind]
        verdict(len(rows) > 5, "help %ss: %s" % (kind, rows))
        for r in rows:
            verdict(len(r["text"]) > 3 and not re.search("  |[^ -~→]", r["text"]), "%s %s: %s" % (kind, r["name"], r["text"]))
            if kind == "column":
                panes.setdefault(r["place"], []).append(r["name"])
        lines = "; ".join("help " + quoted(n) for n in sorted({r["name"] for r in rows}))
        for n, line in zip(sorted({r["name"] for r in rows}), run("--json", "-e", lines).stdout.splitlines() + [""] * len(rows)):
            o = json.loads(line) if line else {"ok": False}
            mine = [r for r in o.get("names", []) if r["kind"] == kind and r["name"] == n]
            topic = plain(n) in seen and [t["name"] for t in o.get("topics", [])] == [seen[plain(n)]]
            verdict(o["ok"] and (mine or kind == "column" and topic), "help %s, a %s: %s" % (n, kind, line[:200]))
            if kind == "column" and not mine:
                continue
            for r in mine:          # what stands in the place of a text leads there
                lead = re.match("`help (.*)` tells\\.$", r["text"])
                verdict(not lead or lead[1] in seen.values(), "%s %s leads to %s" % (kind, n, r["text"]))
    for pane, columns in panes.items():
        told = [r["name"] for r in json.loads(run("--json", "-e", "list help " + pane, FABRIC).stdout.splitlines()[-1])["rows"]
                if r["task"] == "Columns"]
        verdict([n for n in told if n in columns] == columns, "list help %s: columns %s, expected %s" % (pane, told, columns))
    verdict(len(panes) > 40, "%d panes have columns" % len(panes))
    for c in commands:
        verdict(run("-e", "help " + c).stdout.count("\n") > 1, "help %s" % c)


def main():
    told = answer("help")
    topics = told["topics"]
    commands = {c["name"] for c in told["commands"]}
    verdict(len(topics) > 50, "found %d topics, expected more than 50" % len(topics))
    seen = {}
    for t in topics:
        name = t["name"]
        lines = run("-e", "help " + name).stdout.splitlines()
        if name in commands:            # the command's own help stands before it, other names behind it
            lines = lines[next(i for i, line in enumerate(lines) if line.startswith(name + ": ")):]
        lines = lines[:next(i for i, line in enumerate(lines) if line.startswith("  Try: ")) + 1]
        verdict(len(lines) <= 5, "help %s: %d lines" % (name, len(lines)))
        verdict(all(len(line) <= 80 for line in lines), "help %s: a line is longer than 80" % name)
        verdict(lines[0].startswith(name + ": "), "help %s begins with %s" % (name, lines[0]))
        verdict(len(t["text"]) > 40 and t["text"][-1] == "." and not re.search("  |[^ -~]", t["text"]), "text of " + name)
        verdict(lines[-1] == "  Try: " + t["try"], "help %s ends with %s" % (name, lines[-1]))
        verdict("source" in t or name in ("sound", "doctor", "scope", "survey"), "help %s: no source" % name)
        for path in re.findall(r"[\w/-]+\.md", t.get("source", "")):
            verdict(os.path.exists(os.path.join(TOP, path)), "help %s: there is no %s" % (name, path))
        for lesson in re.findall(r"`lesson (\w+)`", t.get("source", "")):
            verdict(os.path.exists(os.path.join(TOP, "views/lessons/%s.lesson" % lesson)), "help %s: lesson %s" % (name, lesson))
        done = run("-R", "minhop", "-e", t["try"], FABRIC)
        verdict(done.returncode == 0, "help %s: `%s` ends with %d: %s" % (name, t["try"], done.returncode, done.stderr))
        for word in [name] + t["also"]:
            verdict(word not in seen, "%s leads to %s and %s" % (word, seen.get(word), name))
            seen[word] = name
            if word not in commands:
                found = answer("help " + word)
                verdict([p["name"] for p in found.get("topics", [])] == [name], "help %s does not lead to %s" % (word, name))
    for engine in answer("show engines")["engines"]:
        verdict(engine["name"].lower() in seen, "engine %s has no topic" % engine["name"])
    names({plain(k): v for k, v in seen.items()}, commands)
    verdict(run("-e", "help nothing-of-this-name").returncode == 2, "help of an unknown word: status")
    return verdict.status()


if __name__ == "__main__":
    sys.exit(main())
