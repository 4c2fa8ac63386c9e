#!/usr/bin/env python3
"""The static file: in a root with nothing but it the README's tours play and the explorer opens, over a simulator only Gets leave it,
and the package of the rpm family installs.

Usage: run.py BUILD [TEST]...  Needs root, or the right to make a user namespace.  Prints "N passed, N failed".
"""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
TOP = os.path.dirname(TESTS)
sys.path[:0] = [TESTS, os.path.join(TESTS, "live"), os.path.join(TESTS, "tui")]

import scratch  # noqa: E402
from scratch import Failed  # noqa: E402


def module(folder):
    """tests/FOLDER/run.py, under a name of its own."""
    spec = importlib.util.spec_from_file_location(folder + "_run", os.path.join(TESTS, folder, "run.py"))
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


live, tui = module("live"), module("tui")
BUILD = os.path.join(TOP, sys.argv[1] if len(sys.argv) > 1 else "build")
PROGRAM = os.path.join(BUILD, "static/ibscope")
ROOT = tempfile.mkdtemp(prefix="ibscope-static-")
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
ENTER = [shutil.which("chroot", path=PATH) or "chroot"] if os.getuid() == 0 else ["unshare", "-r", "chroot"]


def expect(what, found, expected=True):
    if found != expected:
        raise Failed("%s: found %s, expected %s" % (what, found, expected))


def empty_root():
    """Nothing but the file, a terminfo entry and fabrics."""
    shutil.copy(PROGRAM, ROOT + "/ibscope")
    os.makedirs(ROOT + "/tmp", exist_ok=True)
    os.makedirs(ROOT + "/usr/share/terminfo/s", exist_ok=True)
    entry = next(p for p in ("/lib/terminfo/s/screen", "/usr/share/terminfo/s/screen") if os.path.exists(p))
    shutil.copy(entry, ROOT + "/usr/share/terminfo/s/screen")


def run(*words, **more):
    return subprocess.run(ENTER + [ROOT, "/ibscope", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env=dict({"LANG": "xx_XX.UTF-8", "PATH": PATH}, **more))


def linked():
    """Nothing is loaded, and what protects the other program protects this one."""
    shown = subprocess.run(["readelf", "-Wld", PROGRAM], stdout=subprocess.PIPE, text=True, check=True).stdout
    for word, there in (("INTERP", False), ("NEEDED", False), ("GNU_RELRO", True), ("PIE", True), ("BIND_NOW", True)):
        expect(word, word in shown, there)
    expect("stack", bool(re.search(r"GNU_STACK.* RW +0x", shown)))


def tours():
    played = 0
    with open(os.path.join(TOP, "README.md"), encoding="utf-8") as f:
        text = f.read()
    for start, lines in re.findall(r"^```\nbuild/ibscope(.*)\n((?:> .*\n)+)```$", text, re.M):
        *words, fabric = start.split()
        path = os.path.join(TOP, fabric)
        if os.path.exists(path):
            os.makedirs(os.path.dirname(ROOT + "/" + fabric), exist_ok=True)
            shutil.copy(path, ROOT + "/" + fabric)
        with open(ROOT + "/tour", "w", encoding="utf-8") as f:
            f.write(re.sub(r"^> ", "", lines, flags=re.M))
        done = run(*words, fabric, "-x", "/tour")
        expect("%s: status and errors" % start, (done.returncode in (0, 1), re.findall(r"^.*tour:\d+: .*", done.stdout, re.M)), (True, []))
        played += lines.count("\n")
    expect("lines of tours", played >= 15)


def all_in_it():
    """Lessons, keymaps, the demo fabric, completion, the manual, the terms."""
    said = run("-e", "lesson check").stdout
    # torus-conf tries what it writes as a file in memory, by /proc, which this root does not have
    expect("lessons", [line for line in said.splitlines() if re.match(r"\w+, step \d+: (?!.*torus-conf)", line)], [])
    expect("lessons played", said.count("all met") >= 20)
    expect("demo", "48 switches" in run("-e", "show", "demo").stdout)
    for option, name in (("--completion", "tui/ibscope.bash"), ("--completion zsh", "tui/ibscope.zsh"), ("--completion fish", "tui/ibscope.fish"),
                         ("--licences", "LICENSE")):
        with open(os.path.join(TOP, name), encoding="utf-8") as f:
            expect(option, run(*option.split()).stdout, f.read())
    manual = run("--man").stdout
    expect("manual as text", (manual.startswith("IBSCOPE(1)"), "SYNTHETIC FABRICS" in manual, ".Sh" in manual), (True, True, False))


def explorer():
    """It opens with all keys, in a locale that is not there; of a terminal that is not known a package is told."""
    t = tui.Terminal(term="screen")
    try:
        for utf8 in (False, True):
            t.type("%s %s /ibscope -k vi -R minhop demo" % (" ".join(ENTER), ROOT))
            t.keys("Enter")
            t.wait("minhop routed")
            t.keys("m")
            expect("map in UTF-8", "│" in t.wait("Map"), utf8)
            t.keys("q")
            expect("a locale is missed", "no locale for UTF-8" in t.wait(r"ready> *$"), not utf8)
            t.type("clear")
            t.keys("Enter")
            shutil.copytree("/usr/lib/locale/C.utf8", ROOT + "/usr/lib/locale/C.utf8", dirs_exist_ok=True)
        t.type("TERM=teletype33 %s %s /ibscope demo" % (" ".join(ENTER), ROOT))
        t.keys("Enter")
        shown = t.wait(r"nothing is known of the terminal[^>]*Try")
        expect("the package is told", "ncurses-base" in re.sub(r"\s", "", shown))  # a line of the screen may end within
    except tui.Failed as e:
        raise Failed(e) from e
    finally:
        t.close()


def over_a_simulator():
    """The same objects with libc shared, as a simulator needs it: the fabric is read, and of what has taken over the worker only Gets pass."""
    program = os.path.join(BUILD, "static/ibscope-libc")
    needed = subprocess.run(["readelf", "-d", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    expect("libraries", {n.split(".")[0] for n in re.findall(r"NEEDED.*\[(.*)\]", needed)} <= {"libc", "libm", "ld-linux-x86-64", "ld-linux-aarch64"})
    sim = live.Sim(live.SMALL)
    try:
        r = sim.run(program, "-L", "-R", "minhop", "-e", "check")
        expect("check", "no subnet manager has activated it" in r.stdout and not r.stderr, True)
        r = sim.run(program, "-e", "live tables; check")
        expect("tables", r.returncode in (0, 1) and not r.stderr, True)
    finally:
        sim.close()
    live.CAPTURE = os.path.join(BUILD, "live/capture.so")
    live.taken_over(os.path.join(BUILD, "static/probe-libc"), program)
    expect("of five checks failed", (sum(live.counts), live.counts[1]), (5, 0))


def simulated_paths():
    """What a program without a shared libc cannot do is said."""
    done = subprocess.run([PROGRAM, "-R", "lash", "-e", "verify", "ring:5"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    expect("verify of SLs", (done.returncode, "has libc in it (make static)" in done.stdout), (3, True))


def rpm():
    """The package installs into an empty root, and its program runs there."""
    if not shutil.which("rpmbuild"):
        print("rpm: skipped, rpmbuild (package rpm) is not installed")
        return
    made = subprocess.run([os.path.join(TOP, ".ci/rpm"), BUILD, "1.2.3"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect("rpmbuild: " + made.stderr[-500:], made.returncode, 0)
    target = ROOT + "/rpm"
    os.makedirs(target)
    for words in (["--initdb"], ["--install", "--nodeps", made.stdout.strip()]):
        done = subprocess.run(["rpm", "--root", target, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        expect("rpm %s: %s" % (words[0], done.stdout), done.returncode, 0)
    expect("version", subprocess.run(["rpm", "--root", target, "-q", "ibscope"], stdout=subprocess.PIPE, text=True).stdout.split("-")[:2],
           ["ibscope", "1.2.3"])
    for name in ("share/man/man1/ibscope.1.gz", "share/man/man5/ibscope-json.5.gz", "share/bash-completion/completions/ibscope", "share/zsh/site-functions/_ibscope",
                 "share/fish/vendor_completions.d/ibscope.fish", "share/licenses/ibscope/GPL-3"):
        expect(name, os.path.exists(target + "/usr/" + name))
    done = subprocess.run(ENTER + [target, "/usr/bin/ibscope", "-R", "updn", "-e", "check", "demo"], stdout=subprocess.PIPE, text=True)
    expect("check", (done.returncode, "Sound" in done.stdout), (0, True))


def released_twice():
    """`make release` in two folders gives the same bytes.  Nightly: it builds all anew."""
    sums = []
    for folder in ("one", "another/deeper"):
        where = os.path.join(ROOT, "release", folder)
        # the second of the first: what is worked on may have moved on
        source = os.path.join(ROOT, "release/one") if sums else TOP
        for words in (["git", "clone", "-q", source, where], ["make", "-s", "-C", where, "release", "BUILD=build"]):
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            expect("%s: %s" % (words[0], done.stdout[-500:]), done.returncode, 0)
        with open(where + "/build/release/SHA256SUMS", encoding="utf-8") as f:
            sums.append(f.read())
    expect("files", sums[0].count("\n"), 5)
    expect("sums", sums[1], sums[0])


def bare_debians():
    """In bare roots of two Debians the tours play, the explorer opens, all is there.  Nightly: the roots are fetched."""
    global ROOT
    empty = ROOT
    if not shutil.which("debootstrap", path=PATH):
        print("bare_debians: skipped, debootstrap (package debootstrap) is not installed")
        return
    for suite in ("bookworm", "trixie"):
        ROOT = os.path.join(empty, suite)
        done = subprocess.run(["debootstrap", "--variant=minbase", suite, ROOT], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        expect("debootstrap %s: %s" % (suite, done.stdout[-300:]), done.returncode, 0)
        try:
            shutil.rmtree(ROOT + "/usr/lib/locale/C.utf8")
            empty_root()
            for test in (tours, all_in_it, explorer):
                test()
        finally:
            ROOT = empty


ALL = [linked, tours, all_in_it, explorer, over_a_simulator, simulated_paths, rpm] + ([bare_debians, released_twice] if os.environ.get("LONG") else [])


if __name__ == "__main__":
    try:
        empty_root()
        sys.exit(scratch.run_tests("static", ALL, sys.argv[2:]))
    finally:
        shutil.rmtree(ROOT, ignore_errors=True)
