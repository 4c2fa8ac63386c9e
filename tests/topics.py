#!/usr/bin/env python3
"""Topics of `help`: at most five lines of 80 columns with text, source and a command; each command runs on a small
fabric; other words lead to one topic each; engines and columns of panes have theirs.

IBSCOPE=build/ibscope.  Prints what is wrong, at last "N passed, N failed".
"""
import glob
import json
import os
import re
import subprocess
import sys

from trial import Tally

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
IBSCOPE = os.path.join(TOP, os.environ.get("IBSCOPE", "build/ibscope"))
FABRIC = "xgft:4,4,4:1,4,4"
verdict = Tally()


def run(*arguments):
    return subprocess.run([IBSCOPE, *arguments], cwd=TOP, stdin=subprocess.DEVNULL, text=True, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def answer(command):
    return json.loads(run("--json", "-e", command).stdout.splitlines()[-1])


def plain(word):
    return re.sub("[ _-]", "-", word.lower())


def topic_of(column, seen):
    """By the whole name, else by the longest, then first, words of it in a row."""
    words = re.split("[ ,/\u2192]+", column)
    runs = [column] + [" ".join(words[i:i + n]) for n in range(len(words), 0, -1) for i in range(len(words) - n + 1)]
    return next((seen[plain(r)] for r in runs if plain(r) in seen), None)


def columns(seen):
    """`?` on a pane tells the columns that are words of topics, in their order; most columns are."""
    seen = {plain(k): v for k, v in seen.items()}
    known = all_columns = panes = 0
    for path in sorted(glob.glob(os.path.join(TOP, "views/*/*.c"))):
        with open(path, encoding="utf-8") as f:
            source = f.read()
        for pane, ops in re.findall(r'^const struct view_ops view_\w+ = \{\n\t\.name = "([\w-]+)"(.*?)^\};', source, re.M | re.S):
            array = re.search(r"\.column = (\w+),", ops)
            lines = array and re.search(r"^static const struct column %s\[.*?\] = \{\n(.*?)^\};" % array.group(1), source, re.M | re.S)
            names = re.findall(r'^\t\{\.name = "([^"]*)"', lines.group(1), re.M) if lines else []
            if not lines or len(names) != len(re.findall(r"^\t[^\t ]", lines.group(1), re.M)):  # made by a macro
                continue
            told = [(r["key 2"], r["where"]) for r in json.loads(run("--json", "-e", "list help " + pane, FABRIC).stdout.splitlines()[-1])["rows"]
                    if r["task"] == "Columns"]
            want = [n for n in names if topic_of(n, seen)]
            verdict(told == [(n, "column") for n in want], "list help %s: columns %s, expected %s" % (pane, told, want))
            known += len(want)
            all_columns += len(names)
            panes += 1
    verdict(panes > 40, "%d panes were looked at" % panes)
    verdict(known > 0.6 * all_columns, "%d of %d columns are words of a topic" % (known, all_columns))


def main():
    told = answer("help")
    topics = told["topics"]
    commands = {c["name"] for c in told["commands"]}
    verdict(len(topics) > 50, "found %d topics, expected more than 50" % len(topics))
    seen = {}
    for t in topics:
        name = t["name"]
        lines = run("-e", "help " + name).stdout.splitlines()
        if name in commands:            # the command's own help stands before it
            lines = lines[next(i for i, line in enumerate(lines) if line.startswith(name + ": ")):]
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
    columns(seen)
    verdict(run("-e", "help nothing-of-this-name").returncode == 1, "help of an unknown word has status 0")
    return verdict.status()


if __name__ == "__main__":
    sys.exit(main())
