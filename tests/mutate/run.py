#!/usr/bin/env python3
"""Random mutations of the program, and whether its tests notice them: `make mutate`.

usage: run.py [FILE:LINE:COLUMN=NEW | FILE:LINE=- | "FILE ~ the line as it is ~ the line as it becomes" | @LIST ...]

Without arguments it draws MUTANTS places by SEED from the rooms below: an operator, a constant, or a call that is
taken out; each kind is one third.  A place where the compiler makes the same object is drawn anew.  Each mutant is
one object, linked before the libraries of the plain program; then what comes to the line (reach.py) runs, the quickest
first, until something fails: unit programs; sessions of suite same; some of both under AddressSanitizer, which sees what is
not freed; suites (below); last random command lines under AddressSanitizer.

Environment:
  MUTANTS=200   how many
  SEED=N        what is drawn comes from it (default: new, printed)
  LANES=2       mutants at a time
  LEAST=90      percent that have to be noticed
  DRAWN=1       tells what is drawn, a line each as in tests/mutate/known, and ends: sources that change draw other
                places, but run.py @LIST asks these as long as their lines are there
  ASKED="..."   of units, same, asan, the suites below, and driver, these alone: quick, while tests are written
  PATIENCE=1    share of the seconds that may be spent on one mutant (MOST)
  AGAIN=1       what an earlier run of the same sources noticed is asked again, too
  BUILD=build   folder of the programs that `make mutate` builds
  COMPILE, LINK, LIBS, SANCOMPILE, SANLINK: as the Makefile has them

What nothing notices is listed with its reason from tests/mutate/known, where lines are
    FILE ~ the line as it is ~ the line as it becomes ~ reason
or with "no reason yet".  Exit status 1 when less than LEAST percent were noticed, or a program fails without a mutation.
"""
import collections
import concurrent.futures
import hashlib
import importlib.util
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
sys.path.insert(0, os.path.join(ROOT, "tests", "same"))     # its words.py
spec = importlib.util.spec_from_file_location("answers", os.path.join(ROOT, "tests", "same", "run.py"))
answers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(answers)
BUILD = os.path.abspath(os.path.join(ROOT, os.environ.get("BUILD", "build")))
KNOWN = os.path.join(HERE, "known")
OBJECTS = os.path.join(BUILD, "mutate", "objects")
NOTICED = os.path.join(BUILD, "mutate", "noticed")
ROOMS = ["core/source", "core/session", "core/sm", "core/base"]
SKIPPED = {"core/base/builtin.c"}   # made with files that are no source; tests/static reads them

CPU = 60        # seconds of processor of one process: a mutant that turns in a circle has been noticed
WALL = 1200     # of a whole suite: one that waits for ever, too
WAITS = 300     # of a unit program
LONG = 6        # seconds of a session of suite same: one that takes more is left out
MOST = dict(units=40, same=90, asan=12, suites=300)    # seconds of plain programs that are run about one mutant

# Suites that are asked, part by part where one of their tests can run alone.
SUITES = {
    "live": ["confined", "small_fabric", "changes", "trouble", "dying_simulators", "program", "tables", "killed_program", "partial", "only_gets",
             "taken_over", "watching", "never_followed", "second_computation", "all_of"],
    "verify": ["identical", "relative", "options", "port_guids", "guid_files", "other_engine", "dies", "refuses", "only_simulator", "hidden", "ends",
               "keeper_killed", "stopped"],
    "files": ["wrong_words", "full_device", "full_disk", "limited", "middle", "links", "modes", "no_right", "owners", "no_file", "no_scratch", "sets"],
    "sessions": ["replayed", "lost", "any_path", "report", "drawings", "hostile", "slurm"],
    "trouble": ["clocks", "shares", "one_session"],
    "cli": [""], "topics": [""], "lessons": [""], "formats": [""], "drawings": [""], "incomplete": [""], "changes": [""], "figures": [""], "reasons": [""],
    "plan": [""], "engines": [""], "topo": [""], "paste": [""], "lying": [""],
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


def limits(cpu):
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


children = set()
stopped = threading.Event()


def run(argv, cwd=ROOT, env=None, cpu=CPU, wall=WALL):
    """(status, output): what is left of it when it ends, or does not, is ended."""
    with tempfile.TemporaryFile() as out:
        p = subprocess.Popen(argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                             start_new_session=True, env=env or ENVIRONMENT, preexec_fn=lambda: limits(cpu))
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

    def path(self, name):
        return os.path.join(self.folder, name)

    def compile(self, m, kind, command):
        """The object, or None when the compiler refuses; kept, so that it is made once."""
        folder = os.path.join(OBJECTS, hashlib.sha256("\0".join((kind, os.environ[command], m.file, m.text)).encode()).hexdigest()[:24])
        made, source = os.path.join(folder, "one.o"), os.path.join(folder, os.path.basename(m.file))
        if not os.path.exists(made):
            os.makedirs(folder, exist_ok=True)
            with open(source, "w") as f:
                f.write(m.text)
            run(words(command) + ["-w", "-iquote", os.path.dirname(m.file), "-c", "-o", made + ".new", source])
            if not os.path.exists(made + ".new"):
                return None
            os.replace(made + ".new", made)
        return made

    def link(self, name, made, objects, command="LINK", kind="obj", more=()):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        try:
            os.unlink(self.path(name))
        except FileNotFoundError:
            pass
        where = [os.path.join(BUILD, kind, x) for x in objects]
        status, said = run(words(command) + ["-o", self.path(name)] + where + [made] + more_libraries(kind)
                           + words("LIBS") + list(more))
        if status:
            raise RuntimeError("no %s: %s" % (name, said[-2000:]))

    def put(self, name, target):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        if os.path.lexists(self.path(name)):
            os.unlink(self.path(name))
        os.symlink(target, self.path(name))

    def others(self):
        """What suites run besides; the program of the mutant is in place of the sanitized one."""
        for name in os.listdir(BUILD):
            if not os.path.lexists(self.path(name)) and name not in ("plain", "mutate", "reach", "live"):
                os.symlink(os.path.join(BUILD, name), self.path(name))
        for name in ("live/capture.so", "live/lie.so"):
            self.put(name, os.path.join(BUILD, name))
        self.put("ibscope-san", "ibscope")


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
        self.seed = seed
        self.parts = []
        self.env = dict(ENVIRONMENT, SEED=str(seed % 10 ** 9))
        self.names = sorted(n[:-2] for n in os.listdir(os.path.join(BUILD, "plain", "main")) if n.endswith(".o"))
        program = os.path.join(BUILD, "ibscope")
        asked = wanted("same") or wanted("asan")
        self.sessions = {(fabric, name, form): lines for name, fabric, lines in asked and answers.sessions(program) or []
                         for form in ("text", "json")}
        self.cover = {fabric: answers.names(program, fabric) for fabric in answers.FABRICS}

    def unit(self, shop, unit, more=None):
        cpu = 10 + 5 * int(self.reach.more[unit][0]) if unit in self.reach.more else CPU
        return run([shop.path("unit-tests"), unit], env=dict(self.env, **(more or {})), cpu=cpu, wall=WAITS)

    def suite(self, shop, part, more=None):
        """A part of a suite, (suite, test) or (suite, "")."""
        return run(["tests/run.sh", part[0]], env=dict(self.env, BUILD=shop.folder, PARTS=part[1], **(more or {})))

    def session(self, program, key, more=None, seconds=120):
        """Sums of what it says, one of each line."""
        fabric, name, form = key
        return answers.sums(answers.run(program, self.sessions[key], answers.ARGUMENTS.get(name) or [answers.FABRICS[fabric]],
                                        form == "json", self.cover.get(fabric), seconds, dict(self.env, **(more or {}))), form)

    # --- once, without a mutation ---

    def short(self, program, key, more):
        begun = time.monotonic()
        said = self.session(program, key, more, LONG)
        return said if time.monotonic() - begun < LONG else None

    def timed(self, function, *args):
        def ask(more):
            begun = time.monotonic()
            said = function(*args, more)
            return time.monotonic() - begun, said
        return ask

    def measure(self, reach):
        """What unit programs and sessions reach, how long they take, and how they end: (seconds, status or sums)."""
        self.reach = reach
        shop = Workshop(os.path.join(BUILD, "reach"))
        work = [(u, self.timed(self.unit, shop, u)) for u in self.names if u not in reach.reached]
        work += [(k, self.timed(self.short, shop.path("ibscope"), k)) for k in self.sessions if k not in reach.reached]
        print("%d unit programs and sessions of suite same: which lines they reach" % len(work), flush=True)
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("LANES", "2"))) as pool:
            for i, job in enumerate([pool.submit(reach.measure, *w) for w in work]):
                job.result()
                if i % 100 == 99:       # it may be stopped
                    reach.keep()
        reach.keep()
        self.sessions = {k: lines for k, lines in self.sessions.items() if reach.more[k][1]}
        return ["%s:\n%s" % (u, reach.more[u][1][1][-1500:]) for u in self.names if reach.more[u][1][0]]

    def measure_suites(self):
        """The same of suites' parts; the names of those that pass."""
        shop = Workshop(os.path.join(BUILD, "mutate", "blocks"))
        for program in ("ibscope", "live/probe"):
            shop.put(program, os.path.join(BUILD, "reach", program))
        shop.others()
        for name, parts in SUITES.items():
            for part in [(name, p) for p in parts if wanted(name)]:
                if part not in self.reach.reached and not stopped.is_set():
                    self.reach.measure(part, self.timed(self.suite, shop, part))
                    self.reach.keep()
                    print("which lines suite %s reaches %s: %d s" % (*part, self.reach.more[part][0]), flush=True)
                seconds, (status, said) = self.reach.more[part]
                if status:
                    print("suite %s %s fails without a mutation, and is left out:\n%s" % (*part, said[-1500:]), flush=True)
                else:
                    self.parts.append(part)

    # --- with one ---

    def nearest(self, m, names, stage):
        """Those of the names that come to the line, as many as the stage may run: where few come first, then the quickest."""
        word, seconds = first_word(m.file), 0
        near = self.reach.near(names, m.file, m.line)
        for n in sorted(near, key=lambda n: (near[n], n != "test_" + word.replace("-", "_") and word not in n[1].split(), self.reach.more[n][0])):
            seconds += self.reach.more[n][0]
            if stopped.is_set() or seconds > MOST[stage] * float(os.environ.get("PATIENCE", "1")):
                return
            yield n

    def by_units(self, shop, m, made):
        """The unit program that noticed, or None."""
        shop.link("unit-tests", made, unit_objects("plain"), more=["-lcmocka"])
        for unit in self.nearest(m, self.names, "units"):
            if self.unit(shop, unit)[0]:
                return unit
        return None

    def by_same(self, shop, m, made):
        shop.link("ibscope", made, ["tui/main.o", "tui/about.o"])
        for key in self.nearest(m, self.sessions, "same"):
            took, known = self.reach.more[key]

            def differs(program):
                return self.session(program, key, seconds=30 + 10 * took) != known
            # some answers are not the same each time
            if differs(shop.path("ibscope")) and not differs(os.path.join(BUILD, "ibscope")) \
                    and differs(shop.path("ibscope")) and not stopped.is_set():
                return "suite same: %s, %s, %s" % key
        return None

    def by_asan(self, shop, m, made):
        """What is left in memory, or read beyond its end."""
        made = shop.compile(m, "san", "SANCOMPILE")
        shop.link("sanitized", made, ["tui/main.o", "tui/about.o"], "SANLINK", "san")
        for key in self.nearest(m, self.sessions, "asan"):
            if self.session(shop.path("sanitized"), key) != self.reach.more[key][1] and not stopped.is_set() \
                    and self.session(os.path.join(BUILD, "ibscope-san"), key) == self.reach.more[key][1]:
                return "suite same under ASan: %s, %s, %s" % key
        shop.link("san-tests", made, unit_objects("san"), "SANLINK", "san", ["-lcmocka"])
        for unit in self.nearest(m, self.names, "asan"):
            if run([shop.path("san-tests"), unit], env=self.env)[0]:
                return unit + " under ASan"
        return None

    def by_suites(self, shop, m, made):
        shop.link("ibscope", made, ["tui/main.o", "tui/about.o"])
        shop.link("live/probe", made, ["tests/live/probe.o"])
        shop.others()
        for part in self.nearest(m, self.parts, "suites"):
            if self.suite(shop, part)[0] and not stopped.is_set():
                return "suite " + " ".join(part).strip()
        return None

    def by_driver(self, shop, m, made):
        made = shop.compile(m, "san", "SANCOMPILE")
        shop.link("soak/driver", made, ["tests/soak/driver.o", "tests/soak/lines.o", "tests/soak/mutate.o"], "SANLINK", "san")
        if run([shop.path("soak/driver"), "--count", "1500", "--keep", shop.path("soak/lines"), "--seed", str(self.seed % 10 ** 9)],
               env=self.env)[0]:
            return "random lines under ASan"
        return None


def same(a, b):
    """Whether two objects hold the same, but for names of files and lines."""
    def content(path):
        bare = tempfile.mktemp(prefix="bare.")
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
    """
    Mutants that the command line names: FILE:LINE:COLUMN=NEW (the token there), FILE:LINE=- (the call there), or by lines as
    in `known`; @LIST is a file of them.
    """
    found, _ = places()
    for arg in [x for a in args for x in (open(a[1:]).read().splitlines() if a[0] == "@" else [a])]:
        if " ~ " in arg:
            wanted_lines = tuple(" ".join(x.split()) for x in arg.split(" ~ "))[:3]
            there = [(p, kind) for kind, all_places in found.items() for p in all_places if p[0] == wanted_lines[0]
                     for m in [mutant(p, kind, sources)] if (m.file, m.before, m.after) == wanted_lines]
            nth = re.search(r" ~ (\d+)$", arg)
            if not there:
                print("no longer there: " + arg, flush=True)
            yield from there[int(nth[1]) - 1 if nth else 0:][:1]
            continue
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


def earlier(judge):
    """What an earlier run of the same sources noticed: {place: by what}."""
    if os.path.exists(NOTICED) and os.environ.get("AGAIN") != "1":
        with open(NOTICED) as f:
            mark, noticed = json.load(f)
        if mark == judge.reach.mark:
            return noticed
    return {}


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
    rng = random.Random("mutate/%d" % seed)
    print("mutate: SEED=%d, %d mutants of %s" % (seed, count, ", ".join("%d %ss" % (len(p), k) for k, p in found.items())),
          flush=True)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end_all)
    shops = [Workshop(os.path.join(BUILD, "mutate", str(i))) for i in range(lanes)]
    if sys.argv[1:]:
        queue = list(given(sys.argv[1:], sources))
        count = len(queue)
    else:
        kinds = [k for i in range(count * 4) for k in [sorted(KINDS)[i % len(KINDS)]]]
        queue = [(rng.choice(found[k]), k) for k in kinds]
    queue = collections.deque(queue)
    mutants, left, lock, tally = [], collections.deque(), threading.Lock(), collections.Counter()

    def tell(judged, begun, last):
        m, by = judged["mutant"], judged["by"]
        if by:
            before[judged["place"]] = by
            with open(NOTICED, "w") as f:
                json.dump([judge.reach.mark, before], f)
        if by or last:
            print("%3d %s:%d %s: %s, %d s" % (judged["number"], m.file, m.line, m.kind, by or "NOT NOTICED", time.monotonic() - begun),
                  flush=True)
        if last and not by:
            print("      - %s\n      + %s\n      again: tests/mutate/run.py '%s'" % (m.before, m.after, judged["place"]), flush=True)

    drawing, order = [], itertools.count()

    def draw(shop):
        """Until there are enough mutants."""
        while not stopped.is_set():
            with lock:
                if not queue or len(mutants) >= count:
                    return
                (place, kind), turn = queue.popleft(), next(order)
            m = mutant(place, kind, sources)
            made = shop.compile(m, "obj", "COMPILE")
            skipped = "refused by the compiler" if not made else \
                "the same object" if same(made, os.path.join(BUILD, "obj", m.file[:-2] + ".o")) else None
            if skipped:
                tally[skipped] += 1
            else:
                mutants.append({"mutant": m, "place": place_of(place, sources), "number": turn, "ready": False})

    def ask(shop, by_stage, last):
        while not stopped.is_set():
            with lock:
                if not left:
                    return
                judged = left.popleft()
            begun, m = time.monotonic(), judged["mutant"]
            try:
                by = by_stage(shop, m, shop.compile(m, "obj", "COMPILE"))
            except RuntimeError as e:   # an object that lacks a function, or gives one twice
                by = "the linker"
                print(e, flush=True)
            with lock:
                if stopped.is_set():
                    return
                judged.update(by=by, ready=bool(by) or last)
                tell(judged, begun, last)

    for t in [threading.Thread(target=draw, args=(s,)) for s in shops]:
        t.start()
        drawing.append(t)
    for t in drawing:
        t.join()
    mutants = sorted(mutants, key=lambda j: j["number"])[:count]
    for i, judged in enumerate(mutants, 1):
        judged["number"] = i
    if os.environ.get("DRAWN") == "1":
        alike = collections.defaultdict(list)
        for p, kind in ((p, k) for k in KINDS for p in found[k]):
            m = mutant(p, kind, sources)
            alike[m.file, m.before, m.after].append(place_of(p, sources))
        for j in mutants:
            told = tuple(j["mutant"][i] for i in (0, 3, 4))
            nth = alike[told].index(j["place"]) + 1
            print(" ~ ".join(told) + (" ~ %d" % nth if len(alike[told]) > 1 else ""))
        return 0
    judge = Judge(seed)
    bad = judge.measure(reach.Reach(ROOT, BUILD, [path for room in ROOMS for path in files_of(room)]))
    if bad:
        print("These fail without a mutation:\n" + "\n".join(bad))
        return 1
    before = earlier(judge)
    for judged in mutants:
        judged["by"] = before.get(judged["place"])
    stages = [("units", judge.by_units), ("same", judge.by_same), ("asan", judge.by_asan), ("suites", judge.by_suites),
              ("driver", judge.by_driver)]
    stages = [(name, f) for name, f in stages if wanted(name) or name == "suites" and any(map(wanted, SUITES))]
    for name, by_stage in stages:
        if name == "suites":
            judge.measure_suites()
        left.extend(j for j in mutants if not j["by"])
        threads = [threading.Thread(target=ask, args=(s, by_stage, name == stages[-1][0])) for s in shops]
        for t in threads:
            t.start()
        for t in threads:
            while t.is_alive():
                t.join(1)
        left.clear()
        print("after %s: %d of %d noticed" % (name, sum(bool(j["by"]) for j in mutants), len(mutants)), flush=True)
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
    print(", ".join("%d %s" % (n, what) for what, n in sorted(tally.items())) or "none drawn anew")
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
