#!/usr/bin/env python3
"""Topics of `help`: at most five lines of 80 columns with text, source and a command; each command runs on a small
fabric; other words lead to one topic each; engines and columns of panes have theirs.

IBSCOPE=build/ibscope.  Prints what is wrong, at last "N passed, N failed".
"""
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
    verdict(run("-e", "help nothing-of-this-name").returncode == 1, "help of an unknown word has status 0")
    return verdict.status()


if __name__ == "__main__":
    sys.exit(main())
