#!/usr/bin/env python3
"""Do the documents tell the truth?

usage: docs.py [PART...]        citations links tours engines stories manual syntax examples claims spelling; none: all of them

  citations  documents and sections that comments and documents cite exist
  links      files that the documents name exist; tests/README.md tells of all suites
  tours      every line of the README's tours and of the manual page's walks runs, and prints what is promised of it, and what the
             words of its comment say
  engines    engines/README.md's table has the engines of the program
  stories    functions named in the stories of the rooms' READMEs stand in the files named beside them
  syntax     every choice of every syntax line is a command line that the program takes
  examples   the manual pages' command lines and the README's list of fabrics run, and do what their words say
  claims     what else the texts say of the program, each tried: keymaps, options of its own, columns, limits of lines ...
  manual     the manual page has the commands, engines, options, panes, actions and keys there are, no others,
             and man(1) takes it without a warning
  spelling   no word of texts, lessons, manual pages, programs and their comments is a known misspelling (codespell); words
             that are right here are in tests/words

Environment: BUILD=build, folder of the program and its manual page.
Prints what is wrong, with file and line, and at last "N passed, N failed".
"""
import collections
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from trial import BOUND, Tally

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))
IBSCOPE = os.path.join(BUILD, "ibscope")
PAGE = os.path.join(BUILD, "ibscope.1")
JSON_PAGE = os.path.join(BUILD, "ibscope-json.5")
DOCUMENTS = "engines/doc", "core/formats/doc"
verdict = Tally()


def files(*endings):
    """Files of the project by their path from the top, but for what is built."""
    for folder, names, found in os.walk(TOP):
        names[:] = sorted(n for n in names if not n.startswith(".") and os.path.join(folder, n) != BUILD
                          and n != "build")
        for name in sorted(found):
            if name.endswith(endings):
                yield os.path.relpath(os.path.join(folder, name), TOP)


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def run(arguments, **more):
    return subprocess.run([IBSCOPE] + arguments, cwd=more.pop("cwd", TOP), stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=BOUND, **more)


# --- citations --------------------------------------------------------------------------

NUMBER = r"\d+(?:\.\d+)*"
CITED = re.compile(r"(?P<path>[\w./-]*?)(?P<name>[\w-]+\.md)`?(?P<rest>(?:,? ?(?:sections?|and|to|-)? ?§?%s(?![\w%%])(?! %%))*)"
                   % NUMBER)


def sections(path):
    """Numbers of the headings of a document, and of the numbered points right below them."""
    found, heading = set(), None
    for line in read(path).splitlines():
        m = re.match(r"(#+ )?(%s)\.? " % NUMBER, line)
        if line.startswith("#"):
            heading = m[2] if m else None
            found.add(heading)
        elif m and heading:
            found.add("%s.%s" % (heading, m[2]))
    return found


def documents():
    found = {}
    for folder in DOCUMENTS:
        for name in sorted(os.listdir(os.path.join(TOP, folder))):
            found[name] = os.path.join(folder, name)
    return found


def citations():
    known = documents()
    have = {name: sections(path) for name, path in known.items()}
    for path in files(".c", ".h", ".py", ".md", ".def", ".topics", ".figures", ".rules", ".help"):
        text = read(path)
        flat = re.sub(r"\n[ \t]*\*?[ \t]*", lambda m: " " * len(m[0]), text)
        for m in CITED.finditer(flat):
            where = "%s:%d" % (path, line_of(text, m.start("name")))
            name = m["name"]
            if name not in known:
                continue            # other files are looked for by links()
            said = not m["path"] and text[m.start("name") - 1] == '"'  # sources as the program names them
            if not said and (not path.endswith(".md") or m["path"]):
                verdict(m["path"] + name == known[name] or os.path.normpath(
                    os.path.join(os.path.dirname(path), m["path"], name)) == known[name],
                    "%s: found %s, expected %s" % (where, m["path"] + name, known[name]))
            for number in re.findall(NUMBER, m["rest"]):
                verdict(number in have[name], "%s: %s has no section %s" % (where, known[name], number))
    for name, path in known.items():
        text = read(path)
        verdict("Sources\n" in text, "%s: has no section about its sources" % path)
        for m in re.finditer(r"(?:(?<![\w.])[Ss]ections? |§)(%s)(?! of `?\w+\.md)" % NUMBER, text):
            before = text[max(0, m.start() - 30):m.start()]
            if not re.search(r"\.md`?,?\s+(\(\w+\)\s*)?$", before):
                verdict(m[1] in have[name], "%s:%d: has no section %s" % (path, line_of(text, m.start()), m[1]))


# --- links ----------------------------------------------------------------------------

ROOMS = ("core", "engines", "views", "tui", "keymaps", "tests")
PATH = re.compile(r"`((?:%s)/[\w./-]*)`|\]\((?!http)([\w./-]+\.\w+)\)" % "|".join(ROOMS))


def links():
    for path in files(".md"):
        text = read(path)
        for m in PATH.finditer(text):
            target = m[1] or os.path.normpath(os.path.join(os.path.dirname(path), m[2]))
            verdict(os.path.exists(os.path.join(TOP, target)),
                    "%s:%d: there is no %s" % (path, line_of(text, m.start()), target))
    table = read("tests/README.md").partition("| suite |")[2].partition("\n\n")[0]
    told = set(re.findall(r"^\| ([a-z-]+) \|", table, re.M)) - {"---"}
    there = set(re.findall(r"^\t([a-z-]+)\)", read("tests/run.sh"), re.M))
    verdict(told == there, "tests/README.md: tells of suites %s, tests/run.sh has %s" % (sorted(told), sorted(there)))


# --- tours ----------------------------------------------------------------------------


# What the comments behind the tours' lines, and the texts of the manual page's walks, promise of the output.
PROMISES = {
    "show": r"48 switches, 64 hosts[\s\S]*failed: 0 links[\s\S]*routed by updn",
    "fail link leaf-03[6]": r"\A1 link down. updn routed .*\n\d+ entries on \d+ switches changed .*\nUntil the next sweep 120 pairs of 64 host ports are cut; after it 0\.\n\Z",
    "diff": r"^! \S+ +LID +\d+[\s\S]*^~ rerouted",
    "trace node0009 node0041": r"node0009 \(LID \d+\) -> node0041[\s\S]*node0041 \(LID \d+\) -> node0009",
    "check": r"paths between hosts: \d+ unreachable[\s\S]*^(Sound|NOT SOUND)",
    "fail switch spine-01; check; undo": r"1 node down[\s\S]*^Sound[\s\S]*^Undone: fail switch spine-01",
    "why spine-02 node0041": r"spine-02 sends LID \d+ \(node0041\) out of port[\s\S]*^Decided: ",
    "lft leaf-03": r"^LFT of leaf-03[\s\S]*^! +\d+",
    "restore all; journal": r"restored[\s\S]*fail link leaf-03\[6\][\s\S]*restore all",
    "why leaf-03 node0041": r"^  port +hops +routes[\s\S]*^Decided: (first of equals: 4 of 4 ports)?|^Decided: as read: Read from held.lfts: port 5",
    "ranks": r"^\* +0 core-01[\s\S]*^ +2 leaf-01",
    "why spine-02 node0041 via 3": r"longer than by port|forbidden",
    "step start leaf-03 node0041": r"\d+ steps of updn recorded, \d+ of them about what was named",
    "step to 0; step 1; list step": r"^[ *]+\d+ [\s\S]*hop matrix",
    "route minhop": r"\d+ entries on \d+ switches changed",
    "synth torus:4x4": r"torus:4x4 \(synthetic\): 16 switches[\s\S]*minhop routed 16",
    "cycles": r"t\d\d\[\d\] -> t\d\d[\s\S]*node\d+ to node\d+",
    "route lash qos=TRUE; cycles": r"lash routed[\s\S]*no .*cycle|[Nn]o credit loops?|none, \d+ dependencies are free of cycles",
    "route dor; hops t00": r"dor routed[\s\S]*target +least",
    "lesson; lesson ring": r"ring +[\s\S]*Step 1 of",
    "snapshot before": r'Routing kept as "before"',
    "fail switch spine-01 spine-02": r"2 nodes down",
    "outage": r"fail switch spine-01 spine-02: Until the next sweep \d+ pairs of \d+ host ports are cut; after it 0[\s\S]*lost at",
    "transition": r"Whatever the order: to \d+ LIDs? \d+ pairs? can loop",
    "diff before": r"of 4032 pairs \d+ take another path[\s\S]*links hotter[\s\S]*^! ",
    "report change window.html html": r"\Awindow.html written\n\Z",
    "load-map; load-map ebb": r"routes over \d+ directed links: min[\s\S]*Effective bisection bandwidth",
    "shifts": r"Most flows on a link: mean",
    "restore all": r"2 nodes restored",
    "survey switches": r"48 of 48 failures of switches[\s\S]*lost +between +loops +load",
    "survey pairs all links": r"Proved for all 18336 pairs of 192 links: 10208 part hosts, 0 of them by both together",
    "survey links": r"128 of 128 failures of links",
    "scope node00[17-32]; check": r"16 [\s\S]*240 paths between hosts",
    "compare ftree updn minhop": r"ftree +updn +minhop[\s\S]*links of a path, mean[\s\S]*LIDs sent by a port, most[\s\S]*groups of credit loops",
    "export lfts -": r"\AUnicast lids \[0-\d+\] of switch Lid",
    # the walks of the manual page
    "export lfts held.lfts": r"held.lfts written",
    "fail link leaf-03[5]": r"1 link down[\s\S]*0 lost",
    "tables held.lfts": r"tables routed 48 switches",
    "list ports leaf-03": r"^x +5 +down",
    "list lost": r"^x node0001 +4 leaf-03 +1 +4 no way[\s\S]*^x node0009 +5 leaf-01 +15 +60 no way",
    "drift updn": r"  dead +\d+[\s\S]*  restart +\d+",
    "triage": r"\A.*\nerror +\d+ pairs: Cable leaf-03\[5\] ",
    "doctor": r"\A.*\nerror [\s\S]*^    more: ",
    "route updn; trace node0009 node0041": r"leaf-03 \[[678]\][\s\S]*leaf-11",
    "why leaf-03 node0041 via 6": r"equal, but not chosen[\s\S]*before port 6",
    "why node0009 node0041": r"  leaf-03 +port 5[\s\S]*  leaf-11 +port 1[\s\S]*^SL 0",
    "step start leaf-03 node0041; step until leaf-03 node0041; step show":
        r"entry of leaf-03 LID \d+: port 5, was none[\s\S]*candidates for LID",
    "route minhop; diff": r"minhop routed[\s\S]*^! ",
    "help candidate": r"^candidate: ",
    "snapshot before; fail switch spine-01 spine-02": r'kept as "before"[\s\S]*2 nodes down',
    "undo; compare updn ftree minhop": r"Undone[\s\S]*updn +ftree +minhop",
    "advise": r"  1\. \S+[\s\S]*A: ",
    "report before-the-window.md": r"before-the-window.md written",
    "report change window.html": r"window.html written",
}
# Words of the comments behind the README's tours, and what shows in the output that they hold.  Each comment has some.
COMMENTS = {
    "show": {"the fabric": r"48 switches, 64 hosts", "the engine": r"routed by updn", "what is down": r"^failed: 0 links, 0 nodes"},
    "fail link leaf-03[6]": {"one cable": r"^1 link down", "new tables": r"updn routed", "what changed": r"[1-9]\d* entries on", "three lines": r"\A.*\n.*\n.*\n\Z"},
    "diff": {"entry by entry": r"^! \S+ +LID +\d+", "pair by pair": r"^~ rerouted +\S+ -> "},
    "trace node0009 node0041": {"there": r"^node0009 .*-> node0041", "back": r"^node0041 .*-> node0009"},
    "check": {"unreachable pairs": r"\d+ unreachable", "forwarding loops": r"forwarding loop|every host reaches every host", "credit loops": r"credit loop",
              "reach everybody": r": 0 unreachable"},
    "fail switch spine-01; check; undo": {"that switch went": r"^1 node down", "take that back": r"^Undone: fail switch spine-01"},
    "why spine-02 node0041": {"sends that host's packets there": r"spine-02 sends LID \d+ \(node0041\) out of port \d"},
    "lft leaf-03": {"whole table": r"LIDs up to 112[\s\S]*^!? +112 ", "changed entries marked": r"^! +\d+ .* 6 → "},
    "restore all; journal": {"everything up": r"restored", "what happened so far": r"^ +0 +load [\s\S]*^ +\d+  fail link leaf-03\[6\]"},
    "why leaf-03 node0041": {"candidate ports": r"(?:^[ >] [5-8] .*\n){4}", "last, the rule": r"^Decided: .*\Z|^Decided: (?:.*\n){1,3}\Z"},
    "ranks": {"how far": r"^ +2 leaf-01", "roots": r"^\* +0 core-01"},
    "why spine-02 node0041 via 3": {"longer, or forbidden": r"longer|forbidden"},
    "step start leaf-03 node0041": {"record": r"\d+ steps of updn recorded", "one entry": r"\d+ of them about what was named"},
    "step to 0; step 1; list step": {"walk through it": r"^\* +1 ", "first step": r"^ +1 == hop matrix, round 0"},
    "route minhop": {"another engine": r"minhop routed", "entries that differ are counted": r"[1-9]\d* entries on \d+ switches changed"},
    "synth torus:4x4": {"small torus": r"torus:4x4 .*16 switches", "still routed by Min Hop": r"minhop routed 16"},
    "cycles": {"credit loop, channel by channel": r"(?:^ .*t\d\d\[\d\] -> t\d\d[\s\S]*){2}", "the routes": r"node\d+ to node\d+"},
    "route lash qos=TRUE; cycles": {"in layers": r"pairs have another SL", "no loop": r"none, \d+ dependencies are free of cycles|[Nn]o credit loop"},
    "route dor; hops t00": {"dimension order": r"dor routed", "hop matrix": r"Hop matrix of t00"},
    "lesson; lesson ring": {"lessons": r"^ +ring ", "text": r"Step 1 of"},
    "snapshot before": {"keep the routing": r"Routing kept as"},
    "fail switch spine-01 spine-02": {"two switches at once": r"^2 nodes down"},
    "diff before": {"hosts will notice": r"[1-9]\d* take another path"},
    "report change window.html html": {"one page": r"^window.html written"},
    "load-map; load-map ebb": {"busiest links": r"^ +\d+  \S+\[\d\] -> ", "random pairs of hosts": r"random pairings of \d+ hosts"},
    "shifts": {"flows on a link": r"Most flows on a link: mean"},
    "survey switches": {"every single failure": r"48 of 48 failures of switches", "ranked": r"^ +.*\d[\s\S]*^ +.*\d"},
    "scope node00[17-32]; check": {"one job's hosts alone": r"240 paths between hosts"},
    "compare ftree updn minhop": {"side by side": r"ftree +updn +minhop", "lengths": r"links of a path", "loads": r"LIDs sent by a port", "credit loops": r"credit loops"},
    "export lfts -": {"opensm-lfts.dump": r"\AUnicast lids \[0-\d+\] of switch Lid"},
}
# Where a line stands twice, the place that promises more than the first.
MORE = {("Host A cannot reach host B", "trace node0009 node0041"): r"leaf-03[\s\S]*NO PATH: .*without a live link|NO PATH: the entry names a port",
        ("Host A cannot reach host B", "why leaf-03 node0041"): r"^Decided: as read: Read from held.lfts: port 5",
        ("Host A cannot reach host B", "check"): r"[1-9]\d* unreachable[\s\S]*credit loops|[1-9]\d* unreachable[\s\S]*NOT SOUND",
        ("Why this port?", "why leaf-03 node0041"): r"^> 5[\s\S]*Decided: first of equals: 4 of 4 ports"}


ASKED = set()


def kept(where, line, comment, said):
    """Every comment of a tour has words that what is printed is asked for."""
    words = [word for word in COMMENTS.get(line, {}) if word in comment]
    verdict(bool(words) == bool(comment), "%s: \"%s\": nothing asks for \"%s\"" % (where, line, comment))
    for word in words:
        verdict(re.search(COMMENTS[line][word], said, re.M), "%s: \"%s\" says \"%s\", and prints no %s:\n%s" % (
            where, line, word, COMMENTS[line][word], said[:1500]))
    return {(line, word) for word in words}


def played(where, words, lines, comments=None):
    """A walk: each line runs, and what it prints is what was promised; and what the comments say."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "walk"), "w", encoding="utf-8") as f:
            f.writelines("echo @@%d\n%s\n" % pair for pair in enumerate(lines))
        done = run(words + ["-e", "source walk"], cwd=folder)  # by -x, what is no document would go to standard error
    parts = re.split(r"^@@(\d+)\n", done.stdout, flags=re.M)
    said = {int(n): text for n, text in zip(parts[1::2], parts[2::2])}
    at = re.search(r"walk:(\d+): ", done.stderr)      # the first line that failed; those behind it were not run
    for n, line in enumerate(lines):
        if n not in said or (at and int(at[1]) == 2 * n + 2):
            verdict(False, "%s: \"%s\": %s" % (where, line, done.stderr.strip() if n in said else "was not run"))
            continue
        for promise in [PROMISES.get(line)] + [m for m in [MORE.get((where, line))] if m]:
            verdict(promise and re.search(promise, said[n], re.M),
                    "%s: \"%s\" promises %s, and prints:\n%s" % (where, line, promise, said[n][:1500]))
        ASKED.update(kept(where, line, comments[n], said[n]) if comments else ())
    errors = re.sub(r"^advise: \d+\. .*\n", "", done.stderr, flags=re.M)  # an engine that is done: no error
    verdict(at or done.returncode in (0, 1) and not errors, "%s: %s" % (where, errors))
    return set(lines)


def tour(where, start, typed):
    """One block: the program's start, and what is typed then."""
    words = re.match(r"build/ibscope((?: -R \S+)?) (\S+)$", start)
    if not words:
        verdict(False, "%s: found \"%s\", expected build/ibscope [-R ENGINE] FABRIC" % (where, start))
        return set()
    lines, comments = zip(*[(line.partition(" #")[0].rstrip(), line.partition(" #")[2].strip()) for line in typed])
    return played(where, words[1].split() + [os.path.join(TOP, words[2])], list(lines), comments)


def walks():
    """The walks of the manual page."""
    text = read("tui/ibscope.1.in").partition("\n.Sh WALKS\n")[2].partition("\n.Sh ")[0]
    start = re.search(r"^\.Ql ibscope (-R \S+ \S+) ,$", text, re.M)[1].split()
    lines = set()
    for part in text.split("\n.Ss ")[1:]:
        found = [plain(line) for line in re.findall(r"^\.It Li (.*)$", part, re.M)]
        verdict(len(found) >= 8, "manual page: WALKS: %s" % found)
        lines |= played(part.partition("\n")[0], start, found)
    verdict(text.count("\n.Ss ") == 3, "manual page: WALKS has %d parts" % text.count("\n.Ss "))
    return lines


def tours():
    text = read("README.md")
    verdict(text.count("\n") <= 250, "README.md: found %d lines, expected at most 250" % text.count("\n"))
    verdict(len(text.split()) <= 1400, "README.md: found %d words, expected at most 1,400" % len(text.split()))
    found, promised = collections.Counter(), walks()
    for part in re.finditer(r"^## (A tour [^\n]*)\n(.*?)(?=^## )", text, re.M | re.S):
        for block in re.finditer(r"^```\n(.*?)^```", part[2], re.M | re.S):
            where = "README.md:%d" % line_of(text, part.start(2) + block.start())
            start, *lines = block[1].splitlines()
            found[part[1]] += len(lines)
            if lines:
                promised |= tour(where, start, [line[2:] for line in lines if line.startswith("> ")])
            else:
                done = subprocess.run(start, shell=True, cwd=TOP, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True,
                                      env=dict(os.environ, PATH=BUILD + ":" + os.environ["PATH"]))
                verdict(done.returncode == 0, "%s: %s: %s" % (where, start, done.stdout[-300:]))
    unsaid = {(line, word) for line, words in COMMENTS.items() for word in words} - ASKED
    verdict(not unsaid, "COMMENTS: words that no comment has: %s" % sorted(unsaid))
    verdict(promised == set(PROMISES), "PROMISES: of lines there are not: %s" % sorted(set(PROMISES) - promised))
    verdict(len(found) == 3 and min(found.values()) >= 8,
            "README.md: found tours of %s lines, expected three of 8 or more" % dict(found))


# --- engines -------------------------------------------------------------------------------


def answer(*commands):
    """The last JSON object that the program prints for some commands."""
    done = run(["--json"] + [w for c in commands for w in ("-e", c)])
    return json.loads(done.stdout.splitlines()[-1])


def engine_names():
    return {e["name"] for e in answer("show engines")["engines"]}


def engines():
    text = read("engines/README.md")
    table = text[text.index("| engine |"):].split("\n\n")[0]
    told = set(re.findall(r"^\| `([^`]+)`", table, re.M))
    for name in sorted(told ^ engine_names()):
        verdict(False, "engines/README.md: the table of engines %s %s" % (
            ("has", name) if name in told else ("lacks", name)))
    verdict(told, "engines/README.md: has no table of engines")


# --- stories -------------------------------------------------------------------------------

STEP = re.compile(r"^\d+\. `(\w+)` \(`([\w./-]+)`\)", re.M)


def defined(function, path):
    """Is a function or a table of this name defined there?  A definition begins in the first column."""
    full = os.path.join(TOP, path)
    if not os.path.exists(full):
        return False
    return bool(re.search(r"^[A-Za-z_][^\n;]*\b%s(\(|\[| =)" % function, read(path), re.M))


def stories():
    found = 0
    for path in files("README.md"):
        text = read(path)
        for m in STEP.finditer(text):
            found += 1
            verdict(defined(m[1], m[2]), "%s:%d: %s does not define %s" % (
                path, line_of(text, m.start()), m[2], m[1]))
    verdict(found >= 20, "found %d steps of stories in the rooms' READMEs, expected three stories" % found)


# --- the manual page ------------------------------------------------------------------------


def plain(troff):
    """A line of the page as it reads."""
    for name, sign in ((r"\&", ""), (r"\:", ""), (r"\fB", ""), (r"\fI", ""), (r"\fR", ""), (r"\-", "-"), (r"\(dq", '"'),
                       (r"\(aq", "'"), (r"\(ga", "`"), (r"\(ha", "^"), (r"\(ti", "~"), (r"\e", "\\")):
        troff = troff.replace(name, sign)
    return troff


def page_items():
    """Heads of the lists of the pages, by section; those of lists within items are left out."""
    items, section, depth = collections.defaultdict(list), "", 0
    for line in (read(os.path.relpath(PAGE, TOP)) + read(os.path.relpath(JSON_PAGE, TOP))).splitlines():
        if line.startswith((".Sh ", ".Ss ")):
            section = plain(line[4:])
        elif line.startswith((".Bl", ".El")):
            depth += 1 if line.startswith(".Bl") else -1
        elif line.startswith(".It ") and depth == 1:
            items[section].append(plain(line[4:]))
    return items


def page_keys():
    """(section, key) of the lists of keys; one of several, as "X a", in the form of keymaps: X,a."""
    keys, section = [], ""
    for line in read(os.path.relpath(PAGE, TOP)).splitlines():
        if line.startswith((".Sh ", ".Ss ")):
            section = plain(line[4:])
        elif line.startswith(".It ") and section.startswith("In "):
            keys += [(section, plain(k).replace(" ", ",")) for k in re.findall(r"\\fB(.*?)\\fR", line)]
    return keys


def same(what, page, program):
    for name in sorted(set(page) | set(program)):
        verdict(name in page and name in program, "manual page: %s %s %s" % (
            what, name, "is missing" if name in program else "does not exist"))
    verdict(len(page) == len(set(page)), "manual page: a %s twice" % what)
    verdict(page, "manual page: has no %ss" % what)


def firsts(items):
    return [i.split()[0] for i in items]


def keymap(path):
    """(section of the page, key) of every binding."""
    bound = {}
    for line in read(path).splitlines():
        words = re.sub(r"(^|\s)#.*", "", line).split()
        if len(words) < 3 or words[0] != "bind":
            continue
        pane = words[1] in PANES or words[1] in ("all", "repl")
        place, key = (words[1], words[2]) if pane else ("all", words[1])
        heading = {"all": "In all panes", "repl": "In the REPL"}.get(place, "In the pane " + place)
        bound[heading, key] = True
    return list(bound)


PANES = ()


def pane_names():
    """From the files that define them."""
    names = []
    for symbol in re.findall(r"^PANE\((\w+),", read("views/panes.def"), re.M):
        for path in files(".c"):
            m = path.startswith("views/") and re.search(
                r"view_ops view_%s = \{.*?\.name = \"([^\"]+)\"" % symbol, read(path), re.S)
            if m:
                names.append(m[1])
    return names


def actions():
    text = read("tui/actions.c")
    return re.findall(r"^\t\{\"([a-z-]+)\",", text[text.index("actions[] = {"):], re.M)


def flags():
    """Long options of the command line, as --help tells them."""
    return re.findall(r"--([a-z-]+)", run(["--help"]).stdout)


def typed_row(typed, kinds):
    """What the page says of a key's type, as `schema` tells it."""
    m = re.match(r"(\w+)(\(.*?\))?((?:\|\w+)*)(\?)?$", kinds.get(re.match(r"\w+", typed)[0], "") +
                 re.sub(r"^\w+", "", typed) if re.match(r"\w+", typed)[0] in kinds else typed)
    if not m:
        return "no type: " + typed
    base = "string" if m[1] in ("node", "port", "endport") else m[1]
    row = {"type": base + (m[3] or ("|null" if base != m[1] else "")), "optional": bool(m[4])}
    if typed.startswith("engine"):
        row["words"] = [e["name"] for e in answer("show engines")["engines"]]
    elif base == "string" and m[2]:
        words = m[2][1:-1].split("/")
        row["words"] = [w for w in words if not w.startswith("^")]
        row.update({"pattern": w for w in words if w.startswith("^")})
    elif base in ("integer", "number"):
        least, most = (m[2] or "(0..)")[1:-1].split("..")
        row.update({"min": int(least)} if least else {}, **({"max": int(most)} if most else {}))
    return row


def manual():
    global PANES
    if not os.path.exists(PAGE):
        return verdict(False, "%s is missing: `make` builds it" % PAGE)
    PANES = pane_names()
    items = page_items()
    grouped = {kind: [i for head in items if head.endswith(" (%s)" % kind) for i in items[head]] for kind in ("commands", "panes")}
    same("command", firsts(grouped["commands"] + items["Commands of the explorer"]), [c["name"] for c in answer("help")["commands"]])
    same("engine", firsts(items["ROUTING ENGINES"]), engine_names())
    same("topic", firsts(items["TOPICS"]), [t["name"] for t in answer("help")["topics"]
                                            if t["name"] not in [e.lower() for e in engine_names()]])
    same("option", firsts(items["ROUTING OPTIONS"]), answer("synth ring:3", "show options")["options"])
    same("pane", firsts(grouped["panes"]), PANES)
    same("action", firsts(items["Actions"]), actions())
    keys = page_keys()
    same("key", ["%s: %s" % k for k in keys], ["%s: %s" % k for k in keymap("keymaps/default.keys")])
    same("flag", re.findall(r"^\.It.* Fl \\?-([a-z-]+)", read(os.path.relpath(PAGE, TOP)), re.M),
         [f for f in flags()] + ["manual", "complete"])
    told = answer("schema")
    kinds = dict(i.split(" ", 1) for i in items["KINDS OF VALUES"])
    items["Keys of all objects"] = items["KEYS OF ALL OBJECTS"]
    for name, keys in [("all objects", told["common"])] + [(c["name"], c["keys"]) for c in told["commands"] if c["keys"]]:
        lines = [i for i in items["Keys of " + name] if not i.startswith("Keys of ")]
        for group in (i for i in items["Keys of " + name] if i.startswith("Keys of ")):
            lines += items[group]
        page = {i.split()[0] for i in lines}
        rows = {k["key"]: k for k in keys}
        for key, typed in (i.split(" ", 1) for i in lines):
            here, there = typed_row(typed, kinds), rows.get(key, {})
            there = {k: there[k] for k in ("type", "optional", "min", "max", "words", "pattern") if k in there}
            verdict(here == there, "manual page: %s of %s: found %s, expected %s" % (key, name, here, there))
        beside = {k["key"] for k in keys if re.sub(r"(_|\b)(guid|lid|port|description|seen|label)$", "", k["key"]) in
                  page | {p[:-4] for p in page if p.endswith("name")}}
        beside |= {k["key"] for k in keys if re.sub(r"label$", "port", k["key"]) in page} # of a port's number
        same("key of " + name, sorted(page), sorted({k["key"] for k in keys} - (beside - page)))
    text = read(os.path.relpath(PAGE, TOP))
    heads = [plain(h) for h in re.findall(r"^\.Sh (.*)", text, re.M)]
    verdict([re.sub("^Sx ", "", i) for i in items["CONTENTS"]] == heads[heads.index("CONTENTS") + 1:], "manual page: CONTENTS has %s" % items["CONTENTS"])
    for name, page in re.findall(r"^\.Xr (\S+) (\d)", text, re.M):
        verdict(re.search(r"^\.Xr %s %s" % (re.escape(name), page), text[text.index(".Sh SEE ALSO"):], re.M), "manual page: SEE ALSO lacks %s(%s)" % (name, page))
    for reader, page in itertools.product((["man", "--warnings=w", "-l"], ["groff", "-mandoc", "-ww", "-Tutf8", "-z"]), (PAGE, JSON_PAGE)):
        verdict(not re.search(r"^@", read(os.path.relpath(page, TOP)), re.M), "manual page: a place was not filled in")
        if shutil.which(reader[0]):
            done = subprocess.run(reader + [page], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env=dict(os.environ, MANPAGER="cat", LC_ALL="C.UTF-8"))
            # groff 1.23 warns of lines that hold a long word, whose ends cannot meet the margin
            said = [s for s in done.stderr.splitlines() if not re.search(r"warning \[.*\]: cannot (?:adjust|break) line$", s)]
            verdict(done.returncode == 0 and not said, "manual page: %s says: %s" % (reader[0], said[:5]))
    return None


# --- claims -----------------------------------------------------------------------------------

TREE = "xgft:4,4,4:1,4,4"


def bindings(name, bound=None):
    """{(place, key): what it does} of a keymap, with those it includes."""
    bound = {} if bound is None else bound
    for line in read("keymaps/" + name).splitlines():
        words = re.sub(r"(^|\s)#.*", "", line).split()
        if words[:1] == ["include"]:
            bindings(words[1], bound)
        if words[:1] not in (["bind"], ["unbind"]):
            continue
        place = words.pop(1) if words[1] in (*PANES, "all", "repl") and len(words) > (words[0] == "bind") + 2 else "all"
        if words[0] == "unbind":
            bound.pop((place, words[1]))
        else:
            bound[place, words[1]] = " ".join(words[2:])
    return bound


def keymaps():
    """What has a key has one in all keymaps; words behind % are known; a keymap of one's own includes one of ours."""
    items = page_items()
    told = set(items["Binding keys"])
    does = {name: bindings(name) for name in ("default.keys", "vi.keys", "emacs.keys")}
    for name, bound in does.items():
        for place, what in sorted({(k[0], v) for k, v in does["default.keys"].items()} - {(k[0], v) for k, v in bound.items()}):
            verdict(False, "%s: no key for %s in %s" % (name, what, place))
        for word in re.findall(r"%[a-z]+", " ".join(bound.values())):
            verdict(word in told, "manual page: %s of %s is missing" % (word, name))
    for path in files(".c"):
        if path.startswith("views/"):
            for word in re.findall(r'"pane [^"]*(%(?!zu|lld)[a-z]{3,})|strcmp\(what, "([a-z]+)"\)(?!.*map)', read(path)):
                word = word[0] or "%" + word[1]
                verdict(word in told or path == "views/map/map.c", "manual page: %s of %s is missing" % (word, path))


def page_options():
    """The page's section of options as it reads, and the names in it that OpenSM's own configuration has not."""
    text = read(os.path.relpath(PAGE, TOP)).partition(".Sh ROUTING OPTIONS")[2].partition("\n.S")[0]
    return plain(text), set(re.findall(r"[\w]+", plain(re.search(r"own:\n(.*)\n", text)[1])))


def own_options():
    """Those are told that OpenSM's own configuration has not."""
    own = page_options()[1]
    opensm = shutil.which("opensm", path=os.environ["PATH"] + ":/usr/sbin")
    verdict("aggregation_nodes" in own, "manual page: options of its own: %s" % sorted(own))
    if not opensm:
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([opensm, "-c", "conf"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        with open(os.path.join(folder, "conf"), encoding="utf-8") as f:
            theirs = set(re.findall(r"^(\w+) ", f.read(), re.M))
    for name in answer("synth ring:3", "show options")["options"]:
        verdict((name in own) != (name in theirs or name == "guid2lid_file"), "manual page: option %s: of its own %s, OpenSM's %s" % (
            name, name in own, name in theirs))


def at_sighup():
    """What SIGHUP does with each option: the same in the page, `help OPTION`, `help set`, and `sighup` itself."""
    page, owns = page_options()
    shown = answer("synth ring:3", "show options")["options"]
    lists = {c: re.sub(r"\s+", " ", run(["-e", "help " + c]).stdout) for c in ("set", "sighup")}
    sentence = re.compile(r"at SIGHUP it is (not taken|taken, and acts ([^.]*))\.")
    changed = {}
    for name in shown:
        told = re.sub(r"\s+", " ", answer("help " + name)["names"][0]["text"])
        m = sentence.search(told)
        verdict(bool(m) != (name in owns), "help %s: %s" % (name, told))
        item = page.partition(".It %s " % name)[2].partition(".It ")[0]
        verdict(bool(item) and (sentence.search(item) or [""])[0] == (m or [""])[0], "manual page: %s: found %s, expected %s" % (
            name, item, m and m[0]))
        for command, text in lists.items():
            head = "Taken at SIGHUP, act %s:" % m[2] if m and m[2] else "Not taken before a restart (`set`):"
            verdict(not m or re.search(re.escape(head) + r"[^.]* %s[,.]" % name, text), "help %s: no %s behind %s" % (command, name, head))
        value = {"TRUE": "FALSE", "FALSE": "TRUE"}.get(shown[name])
        if m and value:
            changed[name] = (value, m[1] != "not taken")
    with tempfile.TemporaryDirectory() as folder:
        conf = os.path.join(folder, "conf")
        with open(conf, "w", encoding="utf-8") as f:
            f.writelines("%s %s\n" % (name, value) for name, (value, _) in changed.items())
        said = answer("synth ring:3", "route minhop", "sighup " + conf)
        for name, (_, taken) in changed.items():
            verdict(name in said["taken" if taken else "left"], "sighup: %s, expected %s taken: %s" % (said, name, taken))
    verdict(len(changed) > 8, "sighup: only %s tried" % sorted(changed))


def sources():
    """Engines: one source in help and page; documents that are named are installed beside the program."""
    text = read(os.path.relpath(PAGE, TOP))
    page = plain(re.sub(r"\\\[u([0-9A-F]{4})\]", lambda m: chr(int(m[1], 16)), text[text.index(".Sh ROUTING ENGINES"):text.index(".Sh TOPICS")]))
    told = re.findall(r"^Source: (.*)\.$", page, re.M)
    for name, source in zip(firsts(page_items()["ROUTING ENGINES"]), told):
        t = [t for t in answer("help " + name)["topics"] if t["name"] == name.lower()]
        verdict([source] == [x.get("source") for x in t], "manual page: source of %s: %s, help says %s" % (name, source, t))
    verdict(len(told) == len(engine_names()), "manual page: %d sources of engines" % len(told))
    made = subprocess.run(["make", "-n", "install", "PREFIX=/p", "BUILD=" + BUILD], cwd=TOP, stdout=subprocess.PIPE, text=True).stdout
    for path in sorted(set(re.findall(r"[\w/-]+/[\w-]+\.md", plain(text)))):
        verdict(re.search(r"/p/share/doc/ibscope/%s .*%s" % (os.path.dirname(path), os.path.dirname(path)), made) and
                os.path.exists(os.path.join(TOP, path)), "manual page: %s is not installed" % path)


ARGUMENTS = {"lft": "leaf-01", "hops": "leaf-01", "bars": "leaf-01", "sl2vl": "leaf-01[5]", "sls": "node0001", "ports": "leaf-01",
             "path": "node0001 node0009", "groups": "leaf-01", "lids": "node0001", "ways": "node0009", "flows": "leaf-01[5]",
             "moved": "0 1", "pick": "1 lft leaf", "cycle": "node0001 node0009"}


def columns():
    """{pane: names of its columns} of the page; `sort` takes each of them, under some engine."""
    text = read(os.path.relpath(PAGE, TOP))
    text = re.sub(r"\\\[u([0-9A-F]{4})\]", lambda m: chr(int(m[1], 16)), text[text.index(".Sh PANES"):text.index(".Sh KEYS")])
    told, left = {}, {}
    for item in text.split("\n.It ")[1:]:
        line = re.search(r"^\\&Columns: (.*)\.$", item, re.M)
        told[plain(item).split()[0]] = [plain(n) for n in re.findall(r"\\fB(.*?)\\fR", line[1])] if line else []
    left = {(p, c) for p in told for c in told[p]}
    for engine in ("minhop", "updn", "ftree", "lash", "dfsssp", "nue", "mincontention"):
        asked = sorted(left)
        script = "".join("list %s %s sort '%s'\n" % (p, ARGUMENTS.get(p, ""), c) for p, c in asked)
        with tempfile.NamedTemporaryFile("w", suffix=".ibs") as f:
            f.write("synth %s\nroute %s\n" % (TREE, engine))
            for line in script.splitlines():
                f.write(line + "\n")
            f.flush()
            done = run(["--json", "--rc", "-e", "source %s whole" % f.name], env=dict(os.environ, XDG_CONFIG_HOME="/nonexistent"))
        found = [json.loads(x) for x in done.stdout.splitlines()]
        left -= {a for a, o in zip(asked, [o for o in found if o["command"] == "list"]) if o["ok"]}
    verdict(not left, "manual page: `sort` refuses %s" % sorted(left))
    verdict(sum(map(len, told.values())) > 200, "manual page: %d columns" % sum(map(len, told.values())))
    return told


def lengths():
    """`hops` are cables between switches, `links` all cables of a path: in text, columns and JSON; old keys say what they are."""
    for spec in ("xgft:3,3:1,3", "ring:5"):
        for engine in ("minhop", "updn", "ftree", "lash", "dfsssp", "nue"):
            found = [json.loads(x) for x in run(["--json", "-e", "synth %s; route %s,no_fallback; list hosts" % (spec, engine)]).stdout.splitlines()]
            if not found[1]["ok"]:
                continue
            hosts, at = [r["name"] for r in found[2]["rows"]], [r["switch"].partition("[")[0] for r in found[2]["rows"]]
            for i in range(1, len(hosts)):
                done = run(["--json", "-e", "synth %s; route %s; trace %s %s; why %s %s; list lft %s; why %s %s; list hops %s" % (
                    spec, engine, hosts[0], hosts[i], hosts[0], hosts[i], at[0], at[0], hosts[i], at[0])])
                trace, why, lft, entry, apart = ([json.loads(x) for x in done.stdout.splitlines()[2:]] + [{}] * 5)[:5]
                hops, links = len(trace["forward"]["path"]) - 1, len(trace["forward"]["path"]) + 1
                row = [r for r in lft["rows"] if r["lid"] == trace["forward"]["dlid"]][0]
                told = [c["hops"] for c in entry["choice"]["candidates"] if c["port"] == entry["choice"]["port"] and "hops" in c]
                told += [r["shortest"] for r in apart.get("rows", []) if r["target"] == at[i] and engine == "minhop"]
                verdict((trace["forward"]["links"], why["pair"]["links"], why["pair"]["hops"], row["hops"]) == (links, links, hops, hops)
                        and set(told) <= {hops} and ("%d hop%s, %d links" % (hops, "s" * (hops != 1), links)) in why["text"][0],
                        "%s %s %s: %d hops, found %s %s" % (engine, hosts[0], hosts[i], hops, row, told))
    for c in answer("schema")["commands"]:
        for k in c["keys"] or []:
            if re.search(r"hops", k["key"]):
                verdict("links" in k["help"] or "cables between switches" in k["help"], "%s of %s: %s" % (k["key"], c["name"], k["help"]))


# A state in which each command finds something; suites verify, live and unit have the three others.
FINDS = {"changes": "synth xgft:3,3:1,2; save A; remove link leaf-01[4]; save B; changes A B", "route": "synth torus:4x4; route updn,no_fallback", "restart": "synth torus:4x4; route minhop; restart updn,no_fallback", "trace": "synth xgft:3,3:1,2; route minhop; export lfts D; fail link leaf-01[4]; tables D; trace 2 12",
         "check": "synth torus:4x4; route minhop; check", "drain": "synth ring:5; route minhop; drain cycle", "plan": "synth xgft:3,3:1,2; plan PLAN", "advise": "synth mesh:3x3; fail random 12 seed=2; advise",
         "survey": "synth xgft:3,3:1,2; route minhop; survey file PLAN gate load=0",
         "drift": "synth xgft:3,3:1,2; route minhop; export lfts D; fail link leaf-01[4]; tables D; drift minhop",
         "judge": "synth xgft:3,3:1,2; route minhop; export lfts D; fail link leaf-01[4]; tables D; judge",
         "spread": "synth lesson:square; route dor; fail link m00[2]; tables lesson:square.far; spread",
         "doctor": "synth torus:4x4; route minhop; doctor", "triage": "synth torus:4x4; route minhop; triage", "blame": "synth xgft:3,3:1,2; route minhop; blame SLOW", "torus-conf": "synth mesh:4x4; fail link m11[2]; torus-conf -",
         "transition": "synth xgft:3,3:1,2,shuffle=1,seed=4; route minhop; fail link leaf-01[4]; transition",
         "quiz": "synth lesson:tree3; route minhop; quiz port seed=1; quiz answer 99",
         "lesson": "lesson new M.lesson; lesson ./M.lesson 3; lesson answer leaf-02[1]", "grade": "lesson new L.lesson; grade ./L.lesson ANSWERS",
         "report": "synth ring:5; route minhop; report change -", "partitions": "synth xgft:3,3:1,2; partitions PARTS OTHERS"}


def scripts():
    """The section IN SCRIPTS: what stops, what does not, every exit status, what needs the screen, standard input."""
    told = answer("help")["commands"]
    items = page_items()
    verdict(items["Exit status"][4:] == [c["name"] for c in told if "finds" in c] and items["Exit status"][:4] == list("0123"),
            "manual page: exit status 1 of %s" % items["Exit status"])
    verdict({c["name"] for c in told if "finds" in c} == {*FINDS, "step", "verify", "watch"}, "FINDS: has %s" % sorted(FINDS))
    same("command of the explorer", firsts(items["Commands of the explorer"]), [c["name"] for c in told if c["screen"]])
    for c in told:
        done = run(["-e", c["name"] + "".join(" 1" for _ in re.findall(r"^\w+ [A-Z]", c["syntax"]))] if c["name"] not in ("live", "watch") else ["-h"])
        verdict(("needs the curses interface" in done.stderr) == c["screen"] or "expected: " in done.stderr,
                "%s: screen %s, but %s" % (c["name"], c["screen"], done.stderr))
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "PLAN"), "w") as f:
            f.write("node,port,node,port\nleaf-01,4,spine-02,1\n")
        for name, member in (("PARTS", "full"), ("OTHERS", "limited")):
            with open(os.path.join(folder, name), "w") as f:
                f.write("P=0x5: ALL=%s;\n" % member)
        with open(os.path.join(folder, "ANSWERS"), "w") as f:
            f.write("2: yes\n")
        with open(os.path.join(folder, "SLOW"), "w") as f:
            f.write("".join("node%04d,node%04d,%s\n" % (a, b, "fail" if a == 1 else "ok") for a in range(1, 10) for b in range(1, 10) if a != b))
        for name, line in FINDS.items():
            done = run(["--json", "-e", line + "; echo behind"], cwd=folder)
            found = [json.loads(x) for x in done.stdout.splitlines()]
            verdict(done.returncode == (3 if "no_fallback" in line else 1) and all(o["ok"] for o in found) and found[-1]["command"] == "echo" and found[-2]["command"] == name,
                    "%s: status %d, %s" % (line, done.returncode, done.stdout[-300:]))
    fabric = run(["-e", "save -", "ring:4"]).stdout
    for words, status, said in (
            (["-e", "echo a; frob; echo b"], 2, "a\n"), (["-e", "frob", "-e", "echo b"], 2, ""), (["-e", "quit; frob"], 0, ""),
            (["-k", "nonsense", "-e", "echo a"], 3, ""), (["-k", "vi", "-e", "echo a"], 0, "a\n"), (["-x", "/nonexistent"], 3, ""),
            (["-F", "/nonexistent", "-e", "echo a"], 3, ""), (["-R", "nonsense", "-e", "echo a", "ring:4"], 2, "a\n"),
            (["/nonexistent", "-e", "echo a"], 3, ""), (["--frob"], 2, ""), (["-e"], 2, ""), (["ring:4", "ring:5", "-e", "echo a"], 2, ""),
            (["-x", "-", "-"], 2, ""), (["--json"], 2, ""), (["ring:4"], 2, ""), (["-e", "route minhop lmc=9"], 2, "")):
        done = run(words)
        verdict((done.returncode, done.stdout) == (status, said), "%s: %d %s %s" % (words, done.returncode, done.stdout, done.stderr))
    for words, text in ((["-e", "echo a", "-"], fabric), (["-e", "load -; echo a"], fabric), (["-x", "-"], "echo a\n")):
        done = subprocess.run([IBSCOPE] + words, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        verdict(done.returncode == 0 and done.stdout.endswith("a\n"), "%s: %d %s" % (words, done.returncode, done.stderr))
    with open("/dev/full", "w") as full:
        done = subprocess.run([IBSCOPE, "-e", "echo a"], stdout=full, stderr=subprocess.PIPE)
    verdict(done.returncode == 3, "standard output is full: %d" % done.returncode)


def rules():
    """Where OpenSM and its manual differ: help and page tell one list; each command shows it, and a line tells that it matters."""
    told = [n for n in answer("help rules")["names"] if n["kind"] == "rule"]
    items = page_items()
    same("rule", items["Where OpenSM and its manual differ"], [n["name"] for n in told])
    own = re.sub(r"\s+", " ", plain(read(os.path.relpath(PAGE, TOP))))
    for n in told:
        verdict(n["text"].replace("`", "") in own, "manual page: does not say of %s: %s" % (n["name"], n["text"]))
        line = re.search(r"Try `(.*); set rules manual`\.$", n["text"])[1]
        found = [run(["-e", line + more + "; show summary; export lfts -; export paths -"]) for more in ("", "; set rules manual")]
        before, after = (f.stderr + f.stdout for f in found)
        parts = [re.search(r"^routed by (\S+)[\s\S]*?(^Unicast lids[\s\S]*)", x, re.M) for x in (before, after)]
        verdict(all(parts) and parts[0].groups() != parts[1].groups(), "%s: the routes are the same: %s" % (line, before[:300]))
        verdict("manual" in before and "manual" in after, "%s: no line tells that the rules matter" % line)
    for path in files(".c"):
        if path.startswith("engines/") and "manual_rules(" in read(path):
            engine = {"counted": "minhop", "updown": "updn", "torus": "torus-2QoS"}.get(path.split("/")[1], path.split("/")[1])
            verdict(any(engine in re.split("[ ,:]+", n["name"]) for n in told), "help rules: nothing of %s" % path)


def figures():
    """Figures: help and page tell one list; keys named there are in the schema, with the figure's words."""
    told = [n for n in answer("help figures")["names"] if n["kind"] == "figure"]
    same("figure", page_items()["FIGURES"], [n["name"] for n in told])
    own = re.sub(r"\s+", " ", plain(read(os.path.relpath(PAGE, TOP))))
    helps = {(c["name"], k["key"]): k["help"] for c in answer("schema")["commands"] for k in c["keys"]}
    verdict(not [k for k, h in helps.items() if h.startswith("=")], "schema: words of no figure")
    for n in told:
        verdict(n["text"][1:].replace("`", "") in own, "manual page: does not say of %s: %s" % (n["name"], n["text"]))
        verdict(len(n["name"] + n["text"]) < 5 * 72, "help %s: more than five lines" % n["name"])
        what = n["text"].split(". Unit: ")[0]
        places = re.search(r"Told by (.*)\.$", n["text"])[1]
        for place in places.split("; "):
            command, _, keys = place.partition(": ")
            for key in keys.split(", ") if keys else []:
                verdict(helps.get((command, key)) == what, "%s: %s of %s says: %s" % (n["name"], key, command, helps.get((command, key))))


# --- syntax lines, examples ----------------------------------------------------------------------

# What stands for words in capitals, on xgft:3,3:1,2 under updn; some by the command.
WORDS = {"SWITCH": "leaf-01", "DST": "node0005", "SRC": "node0001", "HOST": "node0001", "H": "node0002", "S": "spine-02", "NODE": "leaf-01",
         "NODE[PORT]": "leaf-01[4]", "ENGINE": "minhop", "ENGINE[,ENGINE...]": "minhop,dor", "OPTION": "lmc", "VALUE": "0", "FILE": "out", "PLAN": "plan.csv", "XML": "out.xml", "LIMIT": "load=+20%",
         "SPEC": "ring:4", "SNAPSHOT": "a", "EVENT": "0", "SAMPLE": "3", "LESSON": "ring", "STEP": "1", "COMMAND": "check", "TOPIC": "lid",
         "PANE": "switches", "COLUMN": "name", "COLUMN[,COLUMN...]": "guid,name", "TEXT": "leaf", "ELEMENT": "leaf-01", "VL": "0", "NUMBER": "1", "SPEED": "2", "LAYER": "0",
         "OPTION=VALUE": "lmc=0", "I/N": "1/2", "SHIFT": "1", "N": "1", "K": "1", "CHASSIS": "leaf-01", "CARD": "leaf-01", "TARGET": "leaf-01", "PORT": "4"}
OF_COMMAND = {("load", "FILE"): "made.ibnet", ("names", "FILE"): "names", ("config", "FILE"): "conf", ("tables", "FILE"): "made.lfts",
              ("load-map", "FILE"): "pairs", ("flows", "FILE"): "pairs", ("plan", "FILE"): "cabling", ("check", "FILE"): "check.json",
              ("source", "FILE"): "script", ("survey", "FILE"): "share-1 share-2", ("step", "N"): "2"}
UNTRIED = {"live", "watch", "counters", "verify", "quit"}      # need a device or a simulation; suites live, verify


def forms(command, syntax):
    """Command lines that a syntax line allows: each choice of it once, the others being the first."""
    tokens = re.findall(r"\[(?=[A-Za-z,-])|\]|\||\.\.\.|[^\s\[\]|.](?:[^\s\[\]|.]|\.(?!\.\.))*(?:\[(?:PORT|,ENGINE|,COLUMN|:PORT)\.*\])?|\s+", syntax)

    def alternatives(at):
        """(list of sequences, place behind them); a sequence is a list of lists of choices."""
        found, line = [], []
        while at < len(tokens) and tokens[at] != "]":
            t = tokens[at]
            if t == "|":
                found, line = found + [line], []
            elif t == "[":
                inner, at = alternatives(at + 1)
                line.append([""] + [w for one in inner for w in expand(one)])
            elif t.strip() and t != "...":
                choices = [t]
                while tokens[at + 1:at + 2] == ["|"] and tokens[at + 2:at + 3] != [" "]:
                    at += 2
                    choices.append(tokens[at])
                line.append([OF_COMMAND.get((command, c), WORDS.get(c, re.sub("=(K|N)$", "=1", c))) for c in choices])
            at += 1
        return found + [line], at

    def expand(line):
        first = [choices[0] for choices in line]
        for i, choices in enumerate(line):
            for c in choices[1:]:
                yield " ".join(first[:i] + [c] + first[i + 1:])
        yield " ".join(first)

    for line in alternatives(0)[0]:
        for form in expand(line):
            form = " ".join(form.split())
            yield form if form.split()[:1] == [command] else command + " " + form


def syntax():
    """Every choice of every syntax line is a command line that the program takes."""
    tried = 0
    with tempfile.TemporaryDirectory() as folder:
        def file(name, text):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        start = ["xgft:3,3:1,2", "-R", "updn"]
        run(start + ["-e", "save made.ibnet; export lfts made.lfts"], cwd=folder)
        for i in (1, 2):
            file("share-%d" % i, run(["--json", *start, "-e", "survey links shard %d/2" % i]).stdout)
        file("plan.csv", "node,port,ticket\nleaf-01,4,CHG-1\nspine-02,2,CHG-2\n")
        file("check.json", run(["--json", *start, "-e", "check"]).stdout)
        file("names", '0x0002c90300a00000 "first"\n')
        file("conf", "lmc 0\n")
        file("pairs", "node0001 node0005\n")
        file("cabling", "node,port,node,port\nleaf-01,4,spine-01,1\n")
        file("script", "echo said\n")
        for c in answer("help")["commands"]:
            if c["screen"] or c["name"] in UNTRIED:
                continue
            lines = [f for f in dict.fromkeys(forms(c["name"], c["syntax"])) if not f.startswith("tables live")]
            begin = "synth xgft:3,3:1,2\nroute updn\nsnapshot a\nquiz port seed=1\n" + "step start\n" * (c["name"] == "step")
            file("lines", "".join(begin + line + "\n" for line in lines))
            done = run(["--json", "-e", "source lines whole"], cwd=folder)
            objects = [json.loads(x) for x in done.stdout.splitlines()]
            each = begin.count("\n") + 1
            for n, line in enumerate(lines):
                o = objects[each * (n + 1) - 1] if len(objects) >= each * (n + 1) else {}
                verdict(o and not o.get("error", "").startswith("expected: "), "syntax line of %s: \"%s\": %s" % (c["name"], line, o.get("error")))
                tried += 1
    verdict(tried > 250, "syntax lines: %d forms were tried" % tried)


# What is put in place of what is not here, and then: exit status, and what is printed.
INSTEAD = [("/etc/opensm/opensm.conf", "opensm.conf"), (" -L", " fabric.ibnetdiscover"), ("pairs 100000", "pairs 64"), ("1-64", "1-2"),
           ("/usr/local/share/ibscope/", os.path.join(TOP, "tui", "")), ("/var/tmp/ibdiagnet2", "folder"), ("saved.ibnetdiscover", "fabric.ibnetdiscover"),
           ("saved.txt", "fabric.ibnetdiscover")]
EXAMPLES = {
    "ibscope -R updn fabric.ibnetdiscover": (0, r"routed by updn"),
    "ibscope -R ftree -e 'fail switch spine-01; check' fabric.ibnetdiscover": (0, r"1 node down[\s\S]*^Sound"),
    "ibscope -F /etc/opensm/opensm.conf -e 'export lfts out.dump' fabric.ibnetdiscover": (0, r"out.dump written"),
    "ibscope -e 'tables opensm-lfts.dump; check; snapshot held; route updn; diff held' fabric.ibnetdiscover":
        (0, r"routed 48 switches[\s\S]*^Sound[\s\S]*held -> updn|links hotter"),
    "ibscope --json -L -R updn -e check > known.json": (0, r"\A\Z"),
    "ibscope -L -R updn -e 'check --baseline known.json' || mail -s 'new faults' admin": (0, r"^Sound"),
    "ibscope --json -R updn -e 'survey links' xgft:4,4,4:1,4,4": (0, r'"survey":\[\{'),
    "sbatch --array=1-64 /usr/local/share/ibscope/ibscope-survey.slurm found fabric.txt updn 'pairs 100000 seed=1'": (0, ""),
    'ibscope -e "survey merge $(echo found/share-*.json)"': (0, r"64 of"),
    "ibscope --json -R updn -e check demo | tail -n 1 | jq '.sound, .check.unreachable'": (0, r"true\n0\n"),
    "ibscope --json -R updn -e 'why leaf-03 node0041' demo | tail -n 1 | jq '.choice.candidates[].port'": (0, r"5\n6\n7\n8\n"),
    # of the README
    "ibscope saved.ibnetdiscover": (0, r"48 switches"),
    "ibscope -R updn opensm-subnet.lst": (0, r"routed by updn"),
    "ibscope /var/tmp/ibdiagnet2": (0, r"routed by tables"),
    "ibscope -F opensm.conf saved.txt": (0, r"routed by updn"),
    "ibscope -L": (0, r"48 switches"),
    "ibscope torus:4x4x4,hosts=2,fail=3": (0, r"64 switches, 128 hosts"),
}
JQ = """#!/usr/bin/env python3
import json, re, sys
for path in sys.argv[1].split(", "):
    values = [json.load(sys.stdin)] if path == sys.argv[1].split(", ")[0] else [whole]
    whole = values[0]
    for key in re.findall(r"[A-Za-z_]+|\\[\\]", path):
        values = [x for v in values for x in v] if key == "[]" else [v[key] for v in values]
    for v in values:
        print(json.dumps(v))
"""


def examples():
    """Command lines of the manual pages and of the README's list of fabrics, run on a small fabric; each does what its words say."""
    pages = read("tui/ibscope.1.in") + read("tui/ibscope-json.5.in")
    lines = [plain(line) for line in re.findall(r"^\.Dl \$ (.*)$", pages, re.M)]
    block = re.search(r"^```\n(ibscope saved.*?)^```", read("README.md"), re.M | re.S)[1]
    lines += [re.sub(r" +#.*", "", line) for line in block.splitlines()]
    verdict(set(lines) == set(EXAMPLES), "EXAMPLES: not alike: %s" % sorted(set(lines) ^ set(EXAMPLES)))
    with tempfile.TemporaryDirectory() as folder:
        demo = os.path.join(TOP, "tests/fabrics/demo-3level.ibnet")
        run([demo, "-R", "updn", "-e", "save fabric.ibnetdiscover; save fabric.txt; export lfts opensm-lfts.dump; export subnet opensm-subnet.lst"], cwd=folder)
        os.makedirs(os.path.join(folder, "folder"))
        for name in ("opensm-lfts.dump", "opensm-subnet.lst"):
            shutil.copy(os.path.join(folder, name), os.path.join(folder, "folder"))
        scripts = {"opensm.conf": "routing_engine updn\n", "mail": "#!/bin/sh\nexit 1\n", "jq": JQ,
                   "sbatch": '#!/bin/sh\nshift\nfor i in 1 2; do\n\tSLURM_ARRAY_TASK_ID=$i SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MAX=2 '
                             'sh "$@" || exit\ndone\n'}
        for name, text in scripts.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
            os.chmod(os.path.join(folder, name), 0o755)
        env = dict(os.environ, PATH="%s:%s:%s" % (folder, BUILD, os.environ["PATH"]))
        for line, (status, said) in EXAMPLES.items():
            command = line
            for old, new in INSTEAD:
                command = command.replace(old, new)
            if " -e " not in line and line.startswith("ibscope"):
                command += " -e show"
            done = subprocess.run(command, shell=True, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=BOUND)
            verdict(done.returncode == status and re.search(said, done.stdout, re.M),
                    "%s: status %d, expected %s and %s: %s %s" % (command, done.returncode, status, said, done.stdout[:500], done.stderr[:500]))


def claims():
    global PANES
    PANES = pane_names()
    rules()
    figures()
    scripts()
    lengths()
    keymaps()
    own_options()
    at_sighup()
    sources()
    columns()
    for room in ("tui", "engines"):
        named = {os.path.splitext(n)[0] for n in re.findall(r"`(%s/[\w./-]+)`" % room, read(room + "/README.md"))}
        for name in sorted(os.listdir(os.path.join(TOP, room))):
            stem = os.path.splitext("%s/%s" % (room, name))[0]
            if os.path.isfile(os.path.join(TOP, room, name)) and not name.startswith((".", "README")):
                verdict(stem in named or stem.rsplit(".", 1)[0] in named, "%s/README.md does not tell of %s" % (room, name))
    schemes = re.findall(r"\"(\w+)\"", read("tui/colours.c").partition("colour_schemes[] = {")[2].partition("};")[0])
    syntax = {c["name"]: c["syntax"] for c in answer("help")["commands"]}
    verdict(len(schemes) > 2 and syntax["colours"] == "colours " + "|".join(schemes), "colours: %s, there are %s" % (syntax["colours"], schemes))
    with tempfile.TemporaryDirectory() as folder:
        to = os.path.join(folder, "F")
        for words, env, message in (("svg %s cdg", {"PATH": folder}, "graphviz"), ("png %s cdg", {"PATH": folder}, "graphviz"),
                                    ("dot %s plot loads", {}, "expected: export")):
            done = run(["-R", "minhop", "-e", "export " + words % to, "ring:5"], env=dict(os.environ, **env))
            verdict(done.returncode == (2 if "expected" in message else 3) and message in done.stderr and not os.path.exists(to), "export %s: %d %s" % (words, done.returncode, done.stderr))
        for ends, line, status in (("\r\n", "echo x", 0), ("\r", "echo x", 3), ("\n", "#" * 1000000, 0), ("\n", "#" * 1000001, 3)):
            with open(to, "w", newline="") as f:
                f.write(line + ends + "echo said" + ends)
            done = run(["-x", to])
            verdict((done.returncode, "said\n" in done.stdout) == (status, not status), "a line of %d bytes, ended by %r: %d" % (len(line), ends, done.returncode))
    asked = [answer("synth lesson:tree3", "route minhop", "quiz port")["question"] for _ in range(3)]
    verdict(len({q["seed"] for q in asked}) > 1, "quiz: the seed is %s at each start" % asked[0]["seed"])
    again = answer("synth lesson:tree3", "route minhop", "quiz port seed=%d" % asked[0]["seed"])["question"]
    verdict(again == asked[0], "quiz port seed=%d: %s, it was %s" % (asked[0]["seed"], again, asked[0]))
    fabrics = re.findall(r"^(\w+) ", read("views/lessons/fabrics"), re.M)
    verdict(answer("lesson")["fabrics"] == fabrics, "lesson lists %s, there are %s" % (answer("lesson")["fabrics"], fabrics))
    last = json.loads(run(["--json", "-e", answer("help kept")["topics"][0]["try"], TREE]).stdout.splitlines()[-1])
    verdict(last["command"] == "reroute" and last["change"]["entries"] > 0, "help kept: nothing differs: %s" % last)


# --- spelling ----------------------------------------------------------------------------

TEXTS = (".c", ".h", ".def", ".py", ".sh", ".md", ".in", ".lesson", ".settings", ".topics", ".figures", ".rules", ".help", ".deeds", ".edits",
         "Makefile", "fabrics")
# what stands behind a backslash is no part of the word, nor what is marked in a format
NO_WORD = r"\\[nt]|%[sd]"


def misspelled(*arguments, **more):
    """Lines that codespell prints."""
    done = subprocess.run(["codespell", "--ignore-words", "tests/words", "--ignore-regex", NO_WORD, *arguments], cwd=TOP, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900, **more)
    return done.stdout.splitlines()


def spelling():
    if not shutil.which("codespell"):
        verdict(False, "codespell: not found, package codespell")
        return
    verdict(len(misspelled("-", input="The swt%s is \\nown.\n" % "ich")) == 2, "codespell does not find a misspelled word")
    found, texts = misspelled(*files(*TEXTS)), list(files(*TEXTS))
    for line in found:
        verdict(False, line)
    for path in texts:
        verdict(True, path)
    verdict(len(texts) > 500, "found %d texts" % len(texts))
    for word in read("tests/words").split():
        verdict(any(re.search(r"\b%s\b" % word, read(path), re.I) for path in texts), "tests/words: no text has %s" % word)


def main():
    parts = {"syntax": syntax, "examples": examples, "claims": claims, "citations": citations, "links": links, "tours": tours, "engines": engines, "stories": stories,
             "manual": manual, "spelling": spelling}
    for name in sys.argv[1:] or parts:
        if name not in parts:
            sys.exit("docs.py: found %s, expected %s" % (name, " ".join(parts)))
        parts[name]()
    return verdict.status()


if __name__ == "__main__":
    sys.exit(main())
