#!/usr/bin/env python3
"""Random mutations of the program, and whether its tests notice them: `make mutate`.

usage: run.py [FILE:LINE:COLUMN=NEW | FILE:LINE=- ...]

Without arguments it draws MUTANTS places by SEED from the rooms below: an operator, a constant, or a call that is
taken out; each kind is one third.  A place where the compiler makes the same object is drawn anew.  Each mutant is
one object, linked before the libraries of the plain program; then the nearest programs run that come to the line
(reach.py), until one fails: unit programs; for what they left the suites of the room (below), last unit programs and
random command lines under AddressSanitizer, which sees what is not freed.

Environment:
  MUTANTS=200   how many
  SEED=N        what is drawn comes from it (default: new, printed)
  LANES=2       mutants at a time
  LEAST=90      percent that have to be noticed
  UNITS=0       suites alone, for places that the command line names
  ASKED="SUITE ..."  these suites alone: quick, while tests are written
  BASELINE=0    the programs are known to pass without a mutation: an earlier run has tried
  BUILD=build   folder of the programs that `make mutate` builds
  COMPILE, LINK, LIBS, SANCOMPILE, SANLINK: as the Makefile has them

What nothing notices is listed with its reason from tests/mutate/known, where lines are
    FILE ~ the line as it is ~ the line as it becomes ~ reason
or with "no reason yet".  Exit status 1 when less than LEAST percent were noticed, or a program fails without a mutation.
"""
import collections
import itertools
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import reach  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.path.join(ROOT, os.environ.get("BUILD", "build")))
KNOWN = os.path.join(HERE, "known")
TIMES = os.path.join(BUILD, "mutate", "seconds")
ROOMS = ["core/source", "core/session", "core/sm", "core/base"]
SKIPPED = {"core/base/builtin.c"}   # made with files that are no source; tests/static reads them

CPU = 60        # seconds of processor of one process: a mutant that turns in a circle has been noticed
WALL = 1200     # of a whole suite: one that waits for ever, too
WAITS = 300     # of a unit program
FAR = 0.4       # seconds of processor of a unit program that comes to a file's code but calls nothing of it

# Suites of a room, the cheapest first.
SUITES = {
    "core/source": ["same", "cli", "topo", "sessions", "live"],
    "core/session/commands": ["same", "cli", "topics", "lessons", "contract", "sessions"],
    "core/session": ["same", "cli", "topics", "lessons", "contract", "sessions", "paste"],
    "core/sm": ["same", "cli", "engines", "sessions", "contract"],
    "core/base": ["same", "cli", "sessions", "formats", "files"],
}
# Suites of a file that its room does not name, before those of its room.
NEAR = {
    "core/source/confine.c": ["live", "lying"],
    "core/source/gate.c": ["live", "lying"],
    "core/source/simulation.c": ["verify"],
    "core/source/simulation_child.c": ["verify"],
    "core/session/commands/verify.c": ["verify"],
    "core/session/commands/plan.c": ["plan"],
    "core/session/commands/export.c": ["drawings", "topo"],
    "core/session/commands/export_drawing.c": ["drawings"],
    "core/session/commands/drawing.c": ["drawings"],
    "core/session/commands/drawing_marks.c": ["drawings"],
    "core/session/commands/plots.c": ["drawings"],
    "core/session/commands/why.c": ["reasons"],
    "core/session/commands/why_path.c": ["reasons"],
    "core/session/commands/loads.c": ["figures"],
    "core/session/commands/flows.c": ["figures"],
    "core/session/commands/watch.c": ["live", "trouble"],
    "core/session/commands/drift.c": ["live"],
    "core/session/commands/check.c": ["live"],
    "core/session/commands/survey.c": ["trouble"],
    "core/session/complete.c": ["tui"],
    "core/base/parallel.c": ["stop"],
    "core/base/outfile.c": ["files"],
    "core/base/unpack.c": ["formats"],
    "core/base/package.c": ["live"],
    "core/base/wrap.c": ["tui"],
}
# suites under their usual short form, with less of what is drawn
SHORT = dict(PARITY_ASKED="12", PARITY_OTHERS="3", PARITY_SECONDS="40", PARITY_LEAST="15", PASTED="3000", STEPS="150", GUIDED="20",
             FIGURED="40", REASONED="20", COMMANDS="2000", SAME="0", SANE="0")

# what memory held before is not 0
ENVIRONMENT = dict(os.environ, MALLOC_PERTURB_="165", ASAN_OPTIONS="abort_on_error=0", **SHORT)

Mutant = collections.namedtuple("Mutant", "file line kind before after text")


# --- where and what ----------------------------------------------------------------------------------


def blanked(source):
    """The source without comments, text, characters and lines of the preprocessor, each of the same length."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m[0])
    source = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, source, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, source, flags=re.M)


OPERATORS = [
    (r" == ", " != "), (r" != ", " == "), (r" <= ", " < "), (r" >= ", " > "), (r" < ", " <= "), (r" > ", " >= "),
    (r" && ", " || "), (r" \|\| ", " && "), (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " + "), (r" / ", " * "),
    (r" % ", " / "), (r" & ", " | "), (r" \| ", " & "), (r" << ", " >> "), (r" >> ", " << "), (r" \+= ", " -= "),
    (r" -= ", " += "), (r" \|= ", " &= "), (r" &= ", " |= "), (r"\+\+", "--"), (r"(?<!-)--(?!-)", "++"), (r"!(?=[\w(!*])", ""),
]


def of_operators(code):
    for pattern, new in OPERATORS:
        for m in re.finditer(pattern, code):
            yield m.start(), m.end(), new


def of_constants(code):
    for m in re.finditer(r"(?<!\{)\b(?:0x[0-9a-fA-F]+|\d+)(?=[uUlL]*\b)|\btrue\b|\bfalse\b", code):
        line = code[code.rfind("\n", 0, m.start()) + 1:code.find("\n", m.end())]
        # how long a buffer is is no rule of the program
        if re.match(r"\s*(?:static |const |struct |unsigned )*\w+ [^=;()]*\[[^=]*\]\s*(?:;|,|= \{)", line):
            continue
        word = m[0]
        if word in ("true", "false"):
            new = "false" if word == "true" else "true"
        else:
            n = int(word, 0) if not re.fullmatch(r"0\d+", word) else int(word, 8)
            new = str(n + 1) if n != 1 else "0"
        yield m.start(), m.end(), new


def of_calls(code):
    for m in re.finditer(r"^\t+((?!return|if|while|for|switch|sizeof|va_end|va_start)[a-z]\w*)\(", code, re.M):
        depth, i = 1, m.end()
        while i < len(code) and depth:
            depth += {"(": 1, ")": -1}.get(code[i], 0)
            i += 1
        if code[i:i + 1] == ";":
            start = code.rfind("\n", 0, m.start(1)) + 1
            yield start + len(m[0]) - len(m[0].lstrip("\t")), i + 1, "(void)0;"


KINDS = {"operator": of_operators, "constant": of_constants, "call": of_calls}


def files_of(room):
    for folder, _, names in os.walk(os.path.join(ROOT, room)):
        for n in sorted(names):
            path = os.path.relpath(os.path.join(folder, n), ROOT)
            if n.endswith(".c") and path not in SKIPPED:
                yield path


def places():
    """kind -> [(file, start, end, new)], and the text of each file."""
    found, sources = {k: [] for k in KINDS}, {}
    for room in ROOMS:
        for path in sorted(files_of(room)):
            with open(os.path.join(ROOT, path)) as f:
                sources[path] = f.read()
            code = blanked(sources[path])
            for kind, search in KINDS.items():
                found[kind] += [(path, a, b, new) for a, b, new in search(code)]
    return found, sources


def mutant(place, kind, sources):
    path, a, b, new = place
    source = sources[path]
    text = source[:a] + new + source[b:]
    start = source.rfind("\n", 0, a + 1 if source[a] != "\n" else a) + 1
    end, new_end = source.find("\n", b), text.find("\n", a + len(new))
    return Mutant(path, source.count("\n", 0, start) + 1, kind, " ".join(source[start:end].split()),
                  " ".join(text[start:new_end].split()), text)


# --- programs ------------------------------------------------------------------------------------------


def symbols(path, kind):
    out = subprocess.run(["nm", kind, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return {line.split()[-1] for line in out.splitlines() if line.strip()}


class Nearest:
    """Which unit programs call a file's functions, and which others are quick; those that take least come first."""

    def __init__(self):
        folder = os.path.join(BUILD, "plain", "tests", "unit")
        self.units = sorted(n[:-2] for n in os.listdir(folder) if n.startswith("test_") and n.endswith(".o"))
        self.wants = {u: symbols(os.path.join(folder, u + ".o"), "-u") for u in self.units}

    def of(self, path, seconds):
        gives = symbols(os.path.join(BUILD, "obj", path[:-2] + ".o"), "--defined-only")
        stem = "test_" + os.path.basename(path)[:-2]
        near = [u for u in self.units if self.wants[u] & gives or u == stem]
        quick = [u for u in self.units if u not in near and seconds[u] < FAR]
        return sorted(near, key=seconds.get), sorted(quick, key=seconds.get)


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


children = set()
stopped = threading.Event()


def run(argv, cwd=ROOT, env=None, bounded=True, wall=WALL):
    """(status, output): what is left of it when it ends, or does not, is ended."""
    with tempfile.TemporaryFile() as out:
        p = subprocess.Popen(argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                             start_new_session=True, env=env or ENVIRONMENT, preexec_fn=limits if bounded else None)
        children.add(p)
        try:
            status = p.wait(wall)
        except subprocess.TimeoutExpired:
            status = "did not end"
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        p.wait()
        children.discard(p)
        out.seek(0)
        return status, out.read().decode(errors="replace")


def words(name):
    return shlex.split(os.environ[name])


class Workshop:
    """A folder as BUILD is, with programs that hold a mutant's object."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("san", "obj"):
            os.makedirs(os.path.join(folder, "of", name), exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def compile(self, m, kind, command):
        """The object, or None when the compiler refuses."""
        source, made = self.path("of/" + os.path.basename(m.file)), self.path("of/%s/one.o" % kind)
        with open(source, "w") as f:
            f.write(m.text)
        status, said = run(words(command) + ["-w", "-iquote", os.path.dirname(m.file), "-c", "-o", made, source], bounded=False)
        self.said = said
        return made if status == 0 else None

    def link(self, name, made, objects, command="LINK", kind="obj", more=()):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        try:
            os.unlink(self.path(name))
        except FileNotFoundError:
            pass
        where = [os.path.join(BUILD, kind, x) for x in objects]
        status, said = run(words(command) + ["-o", self.path(name)] + where + [made] + more_libraries(kind)
                           + words("LIBS") + list(more), bounded=False)
        if status:
            raise RuntimeError("no %s: %s" % (name, said[-2000:]))

    def programs(self, made):
        """All that the suites run."""
        self.link("unit-tests", made, unit_objects("plain"), more=["-lcmocka"])
        self.link("ibscope", made, ["tui/main.o", "tui/about.o"])
        self.rest = False

    def others(self, made):
        """What only some suites run; the rest is as it is."""
        if self.rest:
            return
        self.rest = True
        self.link("live/probe", made, ["tests/live/probe.o"])
        for name in os.listdir(BUILD):
            if not os.path.exists(self.path(name)) and name not in ("plain", "mutate"):
                os.symlink(os.path.join(BUILD, name), self.path(name))
        for name in ("capture.so", "lie.so"):
            if not os.path.exists(self.path("live/" + name)):
                os.symlink(os.path.join(BUILD, "live", name), self.path("live/" + name))
        # the plain program in place of the sanitized one
        for name in ("ibscope-san",):
            if os.path.lexists(self.path(name)):
                os.unlink(self.path(name))
            os.symlink("ibscope", self.path(name))


def more_libraries(kind):
    return [os.path.join(BUILD, kind, "ui.a"), os.path.join(BUILD, kind, "core.a")]


def unit_objects(kind):
    folder = os.path.join(BUILD, kind)
    where = os.path.relpath(folder, os.path.join(BUILD, "obj")) if kind == "plain" else "."
    mains = sorted(os.listdir(os.path.join(folder, "main")))
    return [os.path.join(where, "tests/unit/all.o")] + [os.path.join(where, "main", n) for n in mains if n.endswith(".o")]


# --- one mutant --------------------------------------------------------------------------------------------


def wanted(suite):
    """Whether the environment asks for it."""
    return suite in os.environ["ASKED"].split() if "ASKED" in os.environ else True


def first_word(path):
    """What sessions of suite same that are near to a file have in their names: commands are called as their files."""
    return os.path.basename(path)[:-2].replace("_", "-")


class Judge:
    def __init__(self, seed):
        self.nearest, self.seed, self.seconds = Nearest(), seed, {}
        self.asking, self.passed, self.plain = threading.Lock(), {}, None
        self.env = dict(ENVIRONMENT, SEED=str(seed % 10 ** 9))

    def unit(self, shop, unit):
        status, said = run([shop.path("unit-tests"), unit], env=self.env, wall=WAITS)
        return status, said

    def suite(self, shop, name, path=""):
        env = dict(self.env, BUILD=shop.folder)
        if path:        # what is called as the file is comes first
            env["FIRST"] = first_word(path)
        if name in ("memory",):
            env["IBSCOPE"] = shop.path("ibscope")
        return run(["tests/run.sh", name], env=env)

    def passes(self, name):
        """Does the suite pass without a mutation?  Asked once."""
        with self.asking:
            if name not in self.passed:
                status, said = self.suite(self.plain, name)
                self.passed[name] = not status
                if status:
                    print("suite %s fails without a mutation, and is left out:\n%s" % (name, said[-1500:]), flush=True)
            return self.passed[name]

    def suites(self, path):
        room = max((r for r in SUITES if path.startswith(r + "/")), key=len)
        names = NEAR.get(path, []) + SUITES[room]
        return [n for n in dict.fromkeys(names) if wanted(n)]

    def units(self, m):
        """Unit programs that come to the line."""
        return [u for u in itertools.chain(*self.nearest.of(m.file, self.seconds)) if self.reach.comes(u, m.file, m.line)]

    def by_units(self, shop, m, made):
        """The unit program that noticed, or None."""
        shop.programs(made)
        for unit in self.units(m):
            if stopped.is_set():
                return None
            if self.unit(shop, unit)[0]:
                return unit
        return None

    def by_suites(self, shop, m, made):
        """The suite that noticed, or what AddressSanitizer told, or None."""
        shop.programs(made)
        shop.others(made)
        for name in self.suites(m.file):
            if stopped.is_set():
                return None
            if not self.reach.comes(name, m.file, m.line):
                continue
            if self.passed.get(name, True) and self.suite(shop, name, m.file)[0] and self.passes(name):
                return "suite " + name
        # what is left in memory, or read beyond its end
        made = shop.compile(m, "san", "SANCOMPILE")
        shop.link("san-tests", made, unit_objects("san"), "SANLINK", "san", ["-lcmocka"])
        shop.link("soak/driver", made, ["tests/soak/driver.o", "tests/soak/lines.o", "tests/soak/mutate.o"], "SANLINK", "san")
        if "same" in self.suites(m.file) and self.passed.get("same", True):
            shop.link("ibscope-san", made, ["tui/main.o", "tui/about.o"], "SANLINK", "san")
            env = dict(self.env, BUILD=shop.folder, IBSCOPE=shop.path("ibscope-san"), FIRST=first_word(m.file), SAME="150")
            if run(["tests/run.sh", "same"], env=env)[0]:
                return "suite same under ASan"
        for unit in self.units(m)[:12]:
            if run([shop.path("san-tests"), unit], env=self.env)[0]:
                return unit + " under ASan"
        if run([shop.path("soak/driver"), "--count", "1500", "--keep", shop.path("soak/lines"), "--seed", str(self.seed % 10 ** 9)],
               env=self.env)[0]:
            return "random lines under ASan"
        return None


def measured(judge):
    """What each program reaches, run with gcov's counters."""
    shop = Workshop(os.path.join(BUILD, "mutate", "cov"))
    for name, of in (("ibscope", "cov/ibscope"), ("ibscope-san", "cov/ibscope")):
        if os.path.lexists(shop.path(name)):
            os.unlink(shop.path(name))
        os.symlink(os.path.join(BUILD, of), shop.path(name))
    for name in os.listdir(BUILD):
        if not os.path.lexists(shop.path(name)) and name not in ("cov", "mutate"):
            os.symlink(os.path.join(BUILD, name), shop.path(name))

    def run_one(name, more):
        print("which lines %s reaches" % name, flush=True)
        env = dict(judge.env, BUILD=shop.folder, **more)
        run([os.path.join(BUILD, "cov", "unit", name)] if name.startswith("test_") else ["tests/run.sh", name], env=env)

    suites = {name for names in (*SUITES.values(), *NEAR.values()) for name in names if wanted(name)}
    files = [path for room in ROOMS for path in files_of(room)]
    return reach.Reach(ROOT, BUILD, files, judge.nearest.units + sorted(suites), run_one)


def same(a, b):
    """Whether two objects hold the same, but for names of files and lines."""
    def content(path):
        bare = path + ".bare"
        subprocess.run(["objcopy", "--strip-debug", "--remove-section=.comment", path, bare], check=True)
        out = subprocess.run(["objdump", "-s", "-r", bare], stdout=subprocess.PIPE).stdout
        os.unlink(bare)
        return out.split(b"\n", 3)[3]
    return content(a) == content(b)


def known():
    reasons = {}
    with open(KNOWN) as f:
        for line in f:
            parts = [" ".join(x.split()) for x in line.split(" ~ ")]
            if len(parts) == 4:
                reasons[tuple(parts[:3])] = parts[3]
    return reasons


# --- all ----------------------------------------------------------------------------------------------------


def given(args, sources):
    """Mutants that the command line names: FILE:LINE:COLUMN=NEW (the token there), FILE:LINE=- (the call there)."""
    found, _ = places()
    for arg in args:
        where, new = arg.split("=", 1)
        path, line, *column = where.split(":")
        for kind, all_places in found.items():
            for p in all_places:
                m = p[0] == path and mutant(p, kind, sources)
                if not m or m.line != int(line):
                    continue
                begin = p[1] - (sources[path].rfind("\n", 0, p[1]) + 1) + 1
                if (new == "-" and kind == "call") or (column and begin == int(column[0]) and p[3].strip() == new):
                    yield p, kind


def place_of(place, sources):
    path, a = place[0], place[1]
    line = sources[path].count("\n", 0, a) + 1
    return "%s:%d:%d=%s" % (path, line, a - (sources[path].rfind("\n", 0, a) + 1) + 1, place[3].strip().replace("(void)0;", "-"))


def baseline(judge, shop):
    """Unit programs that fail without a mutation notice nothing; suites are asked when they first fail (passes())."""
    source = os.path.join(ROOT, "core/base/words.c")
    with open(source) as f:
        plain = Mutant("core/base/words.c", 1, "none", "", "", f.read())
    made = shop.compile(plain, "obj", "COMPILE")
    shop.programs(made)
    shop.others(made)
    bad = []
    if os.environ.get("BASELINE") == "0":
        with open(TIMES) as f:
            judge.seconds = json.load(f)
        return []

    for unit in judge.nearest.units:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        status, said = judge.unit(shop, unit)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        judge.seconds[unit] = round(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, 2)
        if status:
            bad.append("%s:\n%s" % (unit, said[-1500:]))
    with open(TIMES, "w") as f:
        json.dump(judge.seconds, f)
    return bad


def end_all(*_):
    stopped.set()
    for p in list(children):
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def main():
    count, lanes = int(os.environ.get("MUTANTS", "200")), int(os.environ.get("LANES", "2"))
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(10 ** 9))
    found, sources = places()
    rng, judge = random.Random("mutate/%d" % seed), Judge(seed)
    print("mutate: SEED=%d, %d mutants of %s" % (seed, count, ", ".join("%d %ss" % (len(p), k) for k, p in found.items())),
          flush=True)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end_all)
    shops = [Workshop(os.path.join(BUILD, "mutate", str(i))) for i in range(lanes)]
    judge.plain = Workshop(os.path.join(BUILD, "mutate", "plain"))
    bad = baseline(judge, judge.plain)
    if bad:
        print("These fail without a mutation:\n" + "\n".join(bad))
        return 1
    judge.reach = measured(judge)
    if sys.argv[1:]:
        queue = list(given(sys.argv[1:], sources))
        count = len(queue)
    else:
        kinds = [k for i in range(count * 4) for k in [sorted(KINDS)[i % len(KINDS)]]]
        queue = [(rng.choice(found[k]), k) for k in kinds]
    queue = collections.deque(queue)
    mutants, left, lock, tally = [], collections.deque(), threading.Lock(), collections.Counter()

    def tell(judged, begun):
        m, by = judged["mutant"], judged["by"]
        if by or judged["ready"]:
            print("%3d %s:%d %s: %s, %d s" % (judged["number"], m.file, m.line, m.kind, by or "NOT NOTICED", time.monotonic() - begun),
                  flush=True)
        if judged["ready"] and not by:
            print("      - %s\n      + %s\n      again: tests/mutate/run.py '%s'" % (m.before, m.after, judged["place"]), flush=True)

    def first(shop):
        """Unit programs, until there are enough mutants."""
        while not stopped.is_set():
            with lock:
                if not queue or len(mutants) >= count:
                    return
                waiting = len(mutants) + tally["at work"] >= count
                if not waiting:
                    place, kind = queue.popleft()
                    tally["at work"] += 1
            if waiting:     # what is at work may have to be drawn anew
                time.sleep(0.2)
                continue
            begun, m = time.monotonic(), mutant(place, kind, sources)
            made = shop.compile(m, "obj", "COMPILE")
            skipped = "refused by the compiler" if not made else \
                "the same object" if same(made, os.path.join(BUILD, "obj", m.file[:-2] + ".o")) else None
            try:
                by = None if skipped or os.environ.get("UNITS") == "0" else judge.by_units(shop, m, made)
            except RuntimeError as e:   # an object that lacks a function, or gives one twice
                skipped = "not linked"
                print(e, flush=True)
            with lock:
                tally["at work"] -= 1
                if stopped.is_set():
                    return
                if skipped:
                    tally[skipped] += 1
                    continue
                judged = {"mutant": m, "by": by, "place": place_of(place, sources), "ready": bool(by), "number": len(mutants) + 1}
                mutants.append(judged)
                if not by:
                    left.append(judged)
                tell(judged, begun)

    def second(shop):
        """Suites, for what unit programs left."""
        while not stopped.is_set():
            with lock:
                if not left:
                    return
                judged = left.popleft()
            begun, m = time.monotonic(), judged["mutant"]
            by = judge.by_suites(shop, m, shop.compile(m, "obj", "COMPILE"))
            with lock:
                if stopped.is_set():
                    return
                judged.update(by=by, ready=True)
                tell(judged, begun)

    for stage in (first, second):
        threads = [threading.Thread(target=stage, args=(s,)) for s in shops]
        for t in threads:
            t.start()
        for t in threads:
            while t.is_alive():
                t.join(1)
        print("after %s: %d of %d noticed" % ("unit programs" if stage is first else "suites", sum(bool(j["by"]) for j in mutants),
                                              len(mutants)), flush=True)
    return report(mutants, tally, known())


def report(mutants, tally, reasons):
    rooms = {}
    for j in mutants:
        m, by = j["mutant"], j["by"]
        room = max((r for r in ROOMS if m.file.startswith(r + "/")), key=len)
        for key in (room, m.kind, "all"):
            row = rooms.setdefault(key, collections.Counter())
            row["tried"] += 1
            row["noticed"] += bool(by)
            row["unit" if by and by.startswith("test_") else "suite"] += bool(by)
            row["known"] += not by and (m.file, m.before, m.after) in reasons
    print("%-14s %6s %8s %9s %10s %6s" % ("", "tried", "noticed", "by units", "by suites", "known"))
    for key in sorted(rooms, key=lambda k: (k == "all", k not in ROOMS, k)):
        r = rooms[key]
        print("%-14s %6d %8d %9d %10d %6d" % (key, r["tried"], r["noticed"], r["unit"], r["suite"], r["known"]))
    print(", ".join("%d %s" % (n, what) for what, n in sorted(tally.items()) if what != "at work") or "none drawn anew")
    for j in mutants:
        m = j["mutant"]
        if not j["by"]:
            reason = reasons.get((m.file, m.before, m.after), "no reason yet" if j["ready"] else "suites were not asked")
            print("%s:%d  %s\n    - %s\n    + %s\n    %s" % (m.file, m.line, j["place"], m.before, m.after, reason))
    noticed = sum(bool(j["by"]) for j in mutants)
    print("%d of %d noticed" % (noticed, len(mutants)))
    return 1 if stopped.is_set() or not mutants or 100 * noticed < int(os.environ.get("LEAST", "90")) * len(mutants) else 0


if __name__ == "__main__":
    sys.exit(main())
