#!/usr/bin/env python3
"""Which tests are this file's?  `tests/which.py FILE...` names the unit programs and suites that come to a source file.

It reads the sources, so nothing has to be built or run.  Names of functions are unique, hence text is enough: whoever
names a function calls it.  A command, an engine and a pane stand in a list of theirs, and are called by their words:
a line "why A B" of a test comes to the command `why`, "list hosts" to that pane.  Nearest first: tests that name what
the file has; then, one call further each time, tests that name what calls it.  It ends with the first step at which
there is a unit program and a suite.  Suites that take all commands from the program's own lists (same, contract,
memcheck, driver, stop, hostile) are named only where their text has the word.
"""
import collections
import glob
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOMS = ("core", "engines", "views", "tui")
SHOWN = 6   # tests of a step whose names are told, too; of the others it is the tests alone
WORD_KINDS = {"struct command": "command", "struct engine": "engine", "struct view_ops": "pane"}

# a function, macro, table or entry of one; what no other file can name is called FILE:NAME
Part = collections.namedtuple("Part", "file name text")


def bare(source):
    """C without comments; what a text between quotes holds is gone, too."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
                  lambda m: m[0][0] * 2 if m[0][0] in "\"'" else " ", source, flags=re.S)


def named(code):
    """The names in C that may be those of functions, tables and macros: no members, no tags."""
    return set(re.findall(r"(?<![\w.])(?<!->)(?<!struct )(?<!enum )[A-Za-z_]\w*", code))


def pieces(source):
    """Functions, tables and declarations of C without comments and lines of the preprocessor."""
    flat = re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', lambda m: "_" * len(m[0]), source)
    end = 0
    for m in re.finditer(r"^(?!static_assert\b|\w+\(.*\)$)[A-Za-z_]", flat, re.M):     # a macro that makes functions is none
        depth, begun = 0, None      # within braces; where the first is
        for mark in re.compile("[{};]").finditer(flat, m.start() if m.start() >= end else len(flat)):
            begun = mark.start() if begun is None and mark[0] == "{" else begun
            depth += {"{": 1, "}": -1, ";": 0}[mark[0]]
            if depth == 0 and (mark[0] == ";" or flat[m.start():begun].rstrip().endswith(")")):
                end = mark.end()
                yield source[m.start():end]
                break


def parts_of(file, source):
    """What a C file defines; the words of commands, engines and panes are names such as "command why"."""
    source = re.sub(r"/\*.*?\*/", " ", source, flags=re.S)
    own = file + ":" if file.endswith(".c") else ""
    for m in re.finditer(r"^#[ \t]*define[ \t]+(\w+)((?:[^\n]*\\\n)*[^\n]*)", source, re.M):
        yield Part(file, own + m[1], m[2])
    for text in pieces(re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", source, flags=re.M)):
        head = re.match(r"[^={]*", text)[0].rstrip()
        kind = next((word for of, word in WORD_KINDS.items() if of + " " in head), None)
        name = re.search(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*$", re.sub(r"\((?:[^()]|\([^()]*\))*\)\s*$", "", head))
        type_alone = re.match(r"(?:enum|struct|union|typedef|extern)\b[\w ]*$", head) and "=" not in text[len(head):len(head) + 2]
        if not name or type_alone or text[len(head):].strip() == ";":
            continue    # a type, a declaration
        entries = [e for e in re.split(r"(?=\.name = \")", text)[1:] if kind and "=" in text]
        for entry in entries:
            yield Part(file, "%s %s" % (kind, re.match(r'\.name = "([^"]*)', entry)[1]), entry)
        hidden = own if re.match(r"(?:\w+\([^)]*\) )?static\b", head) else ""
        yield Part(file, hidden + name[1], text[:text.index(entries[0])] if entries else text)


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def product(top=TOP):
    """All parts of the rooms."""
    for room in ROOMS:
        for folder, _, files in os.walk(os.path.join(top, room)):
            for file in sorted(f for f in files if f.endswith((".c", ".h"))):
                path = os.path.relpath(os.path.join(folder, file), top)
                yield from parts_of(path, read(os.path.join(top, path)))


class Calls:
    """Who names whom in the program."""
    def __init__(self, parts):
        self.parts = list(parts)
        self.names = {p.name for p in self.parts}
        self.callers = collections.defaultdict(set)
        for p in self.parts:
            words = named(bare(p.text))
            for name in ({p.file + ":" + w for w in words} | words) & self.names - {p.name}:
                self.callers[name].add(p.name)

    def steps(self, file):
        """The names of the file, of a header those that it declares; then those that call them; and so on."""
        now = {p.name for p in self.parts if p.file == file}
        if file.endswith(".h"):
            now |= named(bare(read(file))) & self.names
        seen = set()
        while now:
            yield now
            seen |= now
            now = {caller for name in now for caller in self.callers[name]} - seen


def words_in(text, names):
    """Those of the commands, engines and panes whose words are in the lines of a test."""
    found = {"command " + w for w in re.findall(r"(?:^run |[\"'`;\n][ \t]*|\\n)([a-z][a-z0-9-]*)(?=[ ;\"'`\\\n])", text, re.M)}
    found |= {"pane " + w for w in re.findall(r"\b(?:list|pane|beside) ([a-z][a-z0-9_-]*)", text)}
    found |= {"engine " + w for w in re.findall(r"(?<![\w-])[A-Za-z_][\w-]*", text)}
    return found & names


def suites():
    """{suite: its files}, as tests/run.sh starts them, with the modules that they import and the programs they run."""
    shell = read("tests/run.sh")
    modules = {os.path.basename(p)[:-3]: p for p in sorted(glob.glob("tests/**/*.py", root_dir=TOP, recursive=True))}
    for name, starts in re.findall(r"^\t([a-z-]+)\)((?:(?!;;).)*);;", shell, re.M | re.S):
        own = re.search(r"^%s\(\) \{(.*?)^\}" % name.replace("-", "_"), shell, re.M | re.S)
        if name == "unit":
            continue
        starts += own[1] if own else ""
        files = re.findall(r"tests/[\w/]+\.py", starts)
        for program in re.findall(r"\$BUILD/(\w+(?:/\w+)?)", starts):
            files += glob.glob("tests/*/%s.c" % os.path.basename(program), root_dir=TOP)
        if "/replay/" in starts:
            files += glob.glob("tests/fuzz/fuzz_*.c", root_dir=TOP)
        if name == "tui":
            files += glob.glob("tests/tui/*.test", root_dir=TOP)
        for file in files:  # grows while it is read
            for module in re.findall(r"^ *(?:import|from) (\w+)", read(file), re.M) if file.endswith(".py") else []:
                near = os.path.join(os.path.dirname(file), module + ".py")
                path = near if os.path.exists(os.path.join(TOP, near)) else modules.get(module)
                if path and path not in files:
                    files.append(path)
        yield name, files


def mentions(files, names):
    """Those of the program's names that the files of a test have."""
    found = set()
    for file in files:
        text = read(file)
        found |= words_in(text, names)
        if file.endswith((".c", ".h")):
            own = {p.name.split(":")[-1] for p in parts_of(file, text)}
            found |= (named(bare(text)) - own) & names
    return found


def told(what, tests, subject):
    """"unit: test_why (command why), ...": first what is named as the file or its folder, then what names most of it."""
    order = sorted(tests, key=lambda t: (t.replace("test_", "") not in subject, -len(tests[t]), t))
    shown = ["%s (%s)" % (t, ", ".join(sorted(tests[t])[:3]) + ", ..." * (len(tests[t]) > 3)) for t in order[:SHOWN]]
    return "  %s: %s" % (what, ", ".join(shown + order[SHOWN:]))


def which(file, calls, units, runs):
    """Lines: for each step the tests that are met first there."""
    met = {"unit": set(), "suites": set()}
    for far, names in enumerate(calls.steps(file)):
        for what, tests in (("unit", units), ("suites", runs)):
            found = {t: names & said for t, said in tests.items() if t not in met[what] and names & said}
            if found:
                yield told(what + ", %s away" % ("1 call" if far == 1 else "%d calls" % far) if far else what, found, re.findall(r"\w+", file))
            met[what].update(found)
        if all(met.values()):
            return
    if not any(met.values()):
        yield "  no test names it or what calls it"


def all_known():
    """The program's calls; {unit program: names it has}; {suite: names it has}."""
    calls = Calls(product())
    units = {os.path.basename(f)[:-2]: mentions([f], calls.names) for f in glob.glob("tests/unit/test_*.c", root_dir=TOP)}
    return calls, units, {name: mentions(files, calls.names) for name, files in suites()}


def main():
    files = [os.path.relpath(os.path.abspath(f), TOP) for f in sys.argv[1:]]
    calls, units, runs = all_known()
    wrong = [f for f in files if f not in {p.file for p in calls.parts}]
    if wrong or not files:
        print("usage: which.py FILE...: .c and .h files of %s%s" % (", ".join(ROOMS), "".join("; not " + f for f in wrong)), file=sys.stderr)
        return 2
    for file in files:
        print(file)
        print("\n".join(which(file, calls, units, runs)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
