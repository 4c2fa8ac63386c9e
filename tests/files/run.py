#!/usr/bin/env python3
"""Files the program writes: a good one is never lost to a bad one.

Full disks, limits, signals at random moments, links, modes, what is no regular file.
usage: run.py [TEST]...  Environment: IBSCOPE=build/ibscope, SEED=N for the random moments.
What cannot be tried here (no right to mount) is said.  The last line is "N passed, N failed".
"""
import os
import random
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tui"))
import run as tui  # noqa: E402
from trial import BOUND  # noqa: E402

PROGRAM = tui.PROGRAM
SEED = int(os.environ.get("SEED", random.randrange(10 ** 6)))
SMALL = ["torus:4x4", "-R", "minhop"]
LARGE = ["torus:6x6x6", "-R", "minhop"]  # its tables take 1.6 MB
OLD = "what was there before\n"


class Failed(Exception):
    pass


def expect(true, *what):
    if not true:
        raise Failed(" ".join(str(w) for w in what))


def copy_for_all(made=[]):
    """The program where everybody may run it: the tree may lie in a folder of root's own."""
    if not made:
        made.append(tempfile.TemporaryDirectory(prefix="ibscope-files-"))
        os.chmod(made[0].name, 0o755)
        os.chmod(shutil.copy(PROGRAM, made[0].name), 0o755)
    return os.path.join(made[0].name, os.path.basename(PROGRAM))


class Place:
    """A folder to write in, with a good file in it."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="ibscope-files-")
        self.good = self.file("good", OLD)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.dir, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.dir, name)

    def file(self, name, text, mode=0o644):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def text(self, name="good"):
        with open(self.path(name), encoding="utf-8", errors="replace") as f:
            return f.read()

    def temps(self):
        return [n for n in os.listdir(self.dir) if re.fullmatch(r".+\.ibscope-[a-z0-9]{6}", n)]

    def run(self, *args, **more):
        program = copy_for_all() if more.get("preexec_fn") and not os.geteuid() else PROGRAM
        return subprocess.run([program, *args], cwd=self.dir, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=BOUND, **more)

    def refused(self, args, pattern, **more):
        """A command fails with such a message, the good file stays, and nothing is left beside it."""
        done = self.run(*args, **more)
        expect(done.returncode in (2, 3), "status", done.returncode, "expected 2 or 3:", args, done.stdout, done.stderr)
        expect(re.search(pattern, done.stderr), "no", pattern, "in:", done.stderr)
        expect(self.text() == OLD, "the file that was there is gone after", args)
        expect(not self.temps(), "left behind:", self.temps())

    def whole(self, fabric, what):
        """What an export holds."""
        done = self.run(*fabric, "-e", "export %s whole" % what)
        expect(not done.returncode, done.stderr)
        return self.text("whole")


def wrong_words():
    """Words that are wrong leave the file as it is."""
    with Place() as p:
        for line, pattern in (
                ("export dot good cdg group 99", r"found group 99"), ("export dot good cdg 99", r"found \"99\""),
                ("export dot good cdg group none", r"found \"none\""), ("export lfts good more", r"expected: export"),
                ("export nothing good", r"expected: export"), ("export torus good", r"minhop has no torus"),
                ("export svg good x", r"expected: export"), ("export svg good cycle group 99", r"found group 99"),
                ("export svg good layer 16", r"found \"16\""), ("export dot good plot loads", r"expected: export"),
                ("export svg good plot shifts 0", r"found \"0\""), ("export svg good diff no", r"there is no snapshot \"no\""), ("export png - load", r"found -, expected the name"),
                ("export csv good cables", r"expected: export"), ("export svg good cables", r"expected: export"), ("torus-conf good more", r"expected: torus-conf"), ("save good more", r"expected: save")):
            p.refused([*SMALL, "-e", line], pattern)
        p.refused(["torus:4x4", "-R", "dfsssp", "-e", "export sl2vl good"], r"qos is off")
        p.refused(["torus:4x4", "-e", "export json good"], r"nothing is routed yet")
        p.refused(["-e", "save good"], r"no fabric is loaded")
        p.refused(["xgft:3,3:1,2", "-e", "torus-conf good"], r".")


def full_device():
    with Place() as p:
        for line in ("export lfts", "export dot", "export json", "save", "torus-conf"):
            p.refused([*SMALL, "-e", line + " /dev/full"], r"/dev/full: No space left on device")


def full_disk():
    """A disk that is full keeps the file it holds."""
    script = ("mount -t tmpfs -o size=64k none \"$1\" || exit 99; cp good \"$1\" || exit 98; "
              "\"$2\" torus:6x6x6 -R minhop -e \"export lfts $1/good\"; echo status $?; "
              "\"$2\" torus:6x6x6 -R minhop -e \"export png $1/new.png\"; echo status $?; "
              "\"$2\" torus:6x6x6 -e \"save $1/good\"; echo status $?; ls \"$1\"; cat \"$1/good\"")
    with Place() as p:
        os.mkdir(p.path("disk"))
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", p.path("disk"), PROGRAM], cwd=p.dir,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=BOUND)
        if done.returncode in (1, 99) and "status" not in done.stdout:
            print("not tried: a full disk of 64 kB, as nothing may be mounted here (%s)" %
                  done.stderr.strip().split("\n")[0])
            return
        expect(done.stdout == "status 3\n" * 3 + "good\n" + OLD, "found:", done.stdout, done.stderr)
        expect(done.stderr.count("good: No space left on device") == 2, done.stderr)
        expect(done.stderr.count("new.png: ") == 1, done.stderr)


def limited():
    """`ulimit -f`: no death by SIGXFSZ, but a message."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384))
    with Place() as p:
        for line in ("export lfts good", "export json good", "export paths good", "export dot good", "save good"):
            p.refused([*LARGE, "-e", line], r"good: .*File too large", preexec_fn=limit)
        p.refused([*LARGE, "-e", "export png good"], r"good: .*File too large|program rsvg-convert: ", preexec_fn=limit)


def random_moments():
    """Killed at any moment, the file is the old one or the whole new one; only SIGKILL may leave a temporary one."""
    rnd = random.Random(SEED)
    print("random moments: SEED=%d" % SEED)
    with Place() as p:
        new = p.whole(LARGE, "lfts")
        seen = {OLD: 0, new: 0}
        start = time.monotonic()
        p.run(*LARGE, "-e", "export lfts whole")
        lasts = time.monotonic() - start
        for i in range(40):
            sig = rnd.choice([signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL, signal.SIGKILL])
            p.file("good", OLD)
            with Run([PROGRAM, *LARGE, "-e", "export lfts good"], cwd=p.dir, stdin=subprocess.DEVNULL,
                     stdout=subprocess.DEVNULL) as run:
                time.sleep(rnd.random() * lasts * 1.1)
                run.send_signal(sig)
                status = run.wait(BOUND)
            expect(status in (0, -sig), "moment", i, "status", status, "after", sig)
            text = p.text()
            expect(text in seen, "moment", i, "the file is cut: %d bytes" % len(text), sig)
            seen[text] += 1
            expect(status != 0 or text == new, "moment", i, "done, but not written")
            left = p.temps()
            expect(len(left) <= (sig == signal.SIGKILL), "moment", i, "left behind after", sig, left)
            for name in left:
                os.unlink(p.path(name))
        print("random moments: %d times the old file, %d times the new one" % (seen[OLD], seen[new]))


class Run(subprocess.Popen):
    """A program that does not outlive a test that fails."""

    def __exit__(self, kind, *rest):
        if kind:
            self.kill()
        super().__exit__(kind, *rest)


class Held:
    """An export to `good` in the middle: the program that makes a PNG, of which ours waits for an end that does not come."""

    def __init__(self, place):
        self.place = place
        os.mkdir(place.path("bin"))
        os.mkfifo(place.path("end"))
        place.file("bin/rsvg-convert", "#!/bin/sh\necho half of it\nread x <%s\necho the rest\n" % place.path("end"), 0o755)
        self.env = dict(os.environ, PATH=place.path("bin") + ":" + os.environ["PATH"])

    def hold(self):
        """Until the program that makes the content waits for this end of the FIFO; to be closed."""
        end = time.monotonic() + BOUND
        while time.monotonic() < end:
            try:
                return os.open(self.place.path("end"), os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                time.sleep(0.01)
        raise Failed("the export did not begin")


def killed(sig):
    """A signal in the middle of a file; returns what lies beside the target then."""
    with Place() as p:
        held = Held(p)
        with Run([PROGRAM, *SMALL, "-e", "export png good"], cwd=p.dir, stdin=subprocess.DEVNULL,
                 stdout=subprocess.DEVNULL, env=held.env) as run:
            end = held.hold()
            before = p.temps()
            run.send_signal(sig)
            status = run.wait(BOUND)
            os.close(end)
        expect(len(before) == 1, "beside the target in the middle:", before)
        expect(status == -sig, "status", status, "after", sig)
        expect(p.text() == OLD, "the target was touched by", sig)
        return p.temps()


def middle():
    for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE, signal.SIGSEGV):
        expect(killed(sig) == [], "left behind by", sig)
    left = killed(signal.SIGKILL)
    expect(len(left) == 1 and left[0].startswith("good.ibscope-"), "left behind by SIGKILL:", left)


def nohup():
    """A signal that is ignored from the start stays so."""
    with Place() as p:
        held = Held(p)
        with Run([PROGRAM, *SMALL, "-e", "export png good"], cwd=p.dir, stdin=subprocess.DEVNULL,
                 stdout=subprocess.DEVNULL, env=held.env,
                 preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as run:
            end = held.hold()
            run.send_signal(signal.SIGHUP)
            os.write(end, b"go on\n")
            os.close(end)
            expect(run.wait(BOUND) == 0, "status", run.returncode)
        expect(p.text() == "half of it\nthe rest\n" and not p.temps(), "found", p.text(), p.temps())


def explorer():
    """In the explorer the second SIGTERM ends a program whose export waits for another one."""
    with Place() as p:
        held = Held(p)
        t = tui.Terminal(env={"PATH": held.env["PATH"]})
        try:
            t.type("sh -c 'echo $$ >%s; exec %s %s'; echo ended $?" % (p.path("pid"), PROGRAM, " ".join(SMALL)))
            t.keys("Enter")
            t.wait(r"minhop routed")
            t.run(":export png " + p.good)
            end = held.hold()
            expect(len(p.temps()) == 1, "beside the target in the middle:", p.temps())
            pid = int(p.text("pid"))
            os.kill(pid, signal.SIGTERM)
            wait_handled(pid, signal.SIGTERM)
            try:
                os.kill(pid, signal.SIGTERM)
            except ProcessLookupError:
                pass    # on a slow machine it has waited long enough and ended by itself
            t.wait(r"^ended 143")
            os.close(end)
            expect(p.text() == OLD and not p.temps(), "found", p.text(), p.temps())
            t.type("stty -a")
            t.keys("Enter")
            t.wait(r"(^|\s)icanon[\s\S]*(^|\s)echo\s")
        finally:
            t.close()


def wait_handled(pid, sig):
    """Until a signal is pending no more."""
    end = time.monotonic() + BOUND
    while time.monotonic() < end:
        try:
            f = open("/proc/%d/status" % pid, encoding="ascii")
        except FileNotFoundError:
            return      # it has ended
        with f:
            pending = [int(m, 16) for m in re.findall(r"^(?:Shd|Sig)Pnd:\s*(\w+)", f.read(), re.M)]
        if not any(bits >> (sig - 1) & 1 for bits in pending):
            return
        time.sleep(0.01)
    raise Failed("the signal is never handled")


def links():
    """Symbolic links are followed, also to what is not there; a hard link keeps the old content."""
    with Place() as p:
        os.mkdir(p.path("sub"))
        os.symlink("../good", p.path("sub/first"))
        os.symlink(p.path("sub/first"), p.path("second"))
        os.symlink("sub/new", p.path("dangling"))
        os.symlink("loop", p.path("loop"))
        os.link(p.good, p.path("hard"))
        done = p.run(*SMALL, "-e", "export lfts second; export lfts dangling; export lfts plain")
        expect(not done.returncode, done.stderr)
        expect(p.text() == p.text("plain") != OLD, "the link was not followed")
        expect(p.text("sub/new") == p.text("plain"), "the dangling link was not followed")
        expect(all(os.path.islink(p.path(n)) for n in ("second", "sub/first", "dangling")), "a link was replaced")
        expect(p.text("hard") == OLD, "the hard link was written through")
        expect(not p.temps() and len(os.listdir(p.path("sub"))) == 2, "left behind")
        p.file("good", OLD)
        p.refused([*SMALL, "-e", "export lfts loop"], r"loop: Too many levels of symbolic links")


def modes():
    """The mode is kept; a new file gets what the umask leaves; a long name works; what may not be written is refused."""
    with Place() as p:
        # of others than root the kernel takes set-user-ID away from what they write, and they can't write 0o444
        for mode in (0o600, 0o664, *((0o4755, 0o444) if not os.geteuid() else (0o755, 0o640))):
            os.chmod(p.good, mode)
            done = p.run(*SMALL, "-e", "export lfts good", preexec_fn=lambda: os.umask(0o027))
            expect(not done.returncode, done.stderr)
            expect(stat.S_IMODE(os.stat(p.good).st_mode) == mode, "mode", oct(os.stat(p.good).st_mode))
        name = "n" * 255
        done = p.run(*SMALL, "-e", "export lfts new; export lfts " + name, preexec_fn=lambda: os.umask(0o027))
        expect(not done.returncode, done.stderr)
        expect(stat.S_IMODE(os.stat(p.path("new")).st_mode) == 0o640, oct(os.stat(p.path("new")).st_mode))
        expect(p.text(name) == p.text("new"), "the long name")


def as_nobody():
    """Without rights: root becomes somebody else for it."""
    if os.geteuid():
        return
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


def no_right():
    """A file or a folder that may not be written is told, and stays."""
    with Place() as p:
        os.chmod(p.dir, 0o777)
        os.chmod(p.good, 0o444)
        run = {"preexec_fn": as_nobody}
        p.refused([*SMALL, "-e", "export lfts good"], r"good: Permission denied", **run)
        os.chmod(p.good, 0o666)
        os.chmod(p.dir, 0o555)
        p.refused([*SMALL, "-e", "export lfts good"],
                  r"good: left as it is, as no new file can be made beside it in \.: Permission denied", **run)
        p.refused([*SMALL, "-e", "export lfts new"], r"new: Permission denied", **run)
        os.chmod(p.dir, 0o755)
        p.refused([*SMALL, "-e", "export lfts ."], r"\.: Is a directory")
        p.refused([*SMALL, "-e", "export lfts nowhere/new"], r"nowhere/new: No such file or directory")
        p.refused([*SMALL, "-e", "export lfts good/new"], r"good/new: Not a directory")


def owners():
    """What belongs to another one keeps its owner where that is allowed, and its group's rights go to no other group."""
    if os.geteuid():
        print("not tried: files of other owners, as this needs root")
        return
    with Place() as p:
        os.chown(p.good, 1, 2)
        os.chmod(p.good, 0o664)
        done = p.run(*SMALL, "-e", "export lfts good")
        found = os.stat(p.good)
        expect(not done.returncode and (found.st_uid, found.st_gid) == (1, 2), found, done.stderr)
        os.chmod(p.dir, 0o777)
        os.chmod(p.good, 0o4662)
        done = p.run(*SMALL, "-e", "export dot good", preexec_fn=as_nobody)
        found = os.stat(p.good)
        expect(not done.returncode and (found.st_uid, found.st_gid) == (65534, 65534), found, done.stderr)
        expect(stat.S_IMODE(found.st_mode) == 0o622, "mode", oct(found.st_mode))


def no_file():
    """A FIFO is written straight to, also when its reader comes later; /dev/stdout goes on where it was."""
    with Place() as p:
        new = p.whole(SMALL, "lfts")
        os.mkfifo(p.path("fifo"))
        with Run([PROGRAM, *SMALL, "-e", "export lfts fifo"], cwd=p.dir, stdin=subprocess.DEVNULL,
                 stdout=subprocess.DEVNULL) as run:
            with open(p.path("fifo"), encoding="utf-8") as f:
                expect(f.read() == new, "through the FIFO")
            expect(run.wait(BOUND) == 0, "status", run.returncode)
        expect(stat.S_ISFIFO(os.stat(p.path("fifo")).st_mode), "the FIFO was replaced")
        for name in ("/dev/stdout", "/proc/self/fd/1", "/dev/fd/1"):
            with open(p.path("out"), "w", encoding="utf-8") as out:
                subprocess.run([PROGRAM, *SMALL, "-e", "echo first; export lfts " + name], cwd=p.dir, stdout=out,
                               stdin=subprocess.DEVNULL, timeout=BOUND, check=True)
            expect(p.text("out") == "first\n" + new + name + " written\n", name, p.text("out")[:200])
        done = p.run(*SMALL, "-e", "export lfts /dev/stdout")
        expect(done.stdout == new + "/dev/stdout written\n", "through a pipe:", done.stdout[:200])
        expect(sorted(os.listdir(p.dir)) == ["fifo", "good", "out", "whole"], os.listdir(p.dir))


def no_scratch():
    """Nothing is left in the folder for temporary files, also when what was tried fails."""
    with Place() as p:
        os.mkdir(p.path("scratch"))     # /tmp itself is also that of the suites that run beside this one
        env = dict(os.environ, TMPDIR=p.path("scratch"))
        for line in ("export png a", "export svg c", "torus-conf b"):
            done = p.run(*SMALL, "-e", line, env=env)
            expect(not done.returncode, done.stderr)
        done = p.run("xgft:2,2:1,2", "-R", "minhop", "-e", "export svg d cdg", env=env)
        expect(not done.returncode, done.stderr)
        p.file("dot", "#!/bin/sh\necho half\nexit 1\n", 0o755)
        env["PATH"] = p.dir + ":" + os.environ["PATH"]
        p.refused([*SMALL, "-e", "export svg good cdg"], r"Graphviz. program dot: ended with status 1", env=env)
        p.file("rsvg-convert", "#!/bin/sh\necho half\nexit 1\n", 0o755)
        p.refused([*SMALL, "-e", "export png good"], r"program rsvg-convert: ended with status 1", env=env)
        os.unlink(p.path("rsvg-convert"))
        os.unlink(p.path("dot"))
        p.refused([*SMALL, "-e", "export png good"], r"needs the program rsvg-convert \(package librsvg2-bin\)",
                  env=dict(env, PATH=p.dir))
        expect(not os.listdir(p.path("scratch")), "left behind:", os.listdir(p.path("scratch")))


def sets():
    """Files that belong together: all of them are new, or all are what they were."""
    with Place() as p:
        p.file("map", '0x1 "one"\n')
        session = [*SMALL, "--node-name-map", "map", "-e"]
        done = p.run(*session, "save-session new")
        expect(not done.returncode and "names" in p.text("new") and "one" in p.text("new.names"), done.stderr)
        p.file("good.names", OLD)
        done = p.run(*session, "save-session good")
        expect(not done.returncode and p.text() == p.text("new").replace("/new.", "/good.") and "one" in p.text("good.names"),
               done.stdout, done.stderr)
        p.file("good", OLD)
        # the last of them cannot be begun
        os.mkdir(p.path("folder"))
        for suffix, line in ((".names", "save-session folder"), (".roots", "advise write folder failures 0")):
            p.file("folder" + suffix, OLD)
            p.refused([*(session[:1] if "save" not in line else session[:-1]), "-e", line], r"folder: Is a directory")
            expect(p.text("folder" + suffix) == OLD, line)
        # nor take its place, after another has: in such a folder only its owner may replace a file
        if os.geteuid():
            return
        for there in (True, False):
            os.chmod(p.dir, 0o1777)
            os.chmod(p.good, 0o666)
            os.unlink(p.path("good.names"))
            if there:
                os.chown(p.file("good.names", OLD), 65534, 65534)
            p.refused([*session, "save-session good"], r"good: left as it is, as it cannot be replaced: Operation not permitted",
                      preexec_fn=as_nobody)
            if there:
                expect(p.text("good.names") == OLD, p.text("good.names"))
            expect(os.path.exists(p.path("good.names")) == there, "good.names")
            p.file("good.names", OLD)


TESTS = [wrong_words, full_device, full_disk, limited, middle, nohup, random_moments, explorer, links, modes, no_right,
         owners, no_file, no_scratch, sets]


def main():
    chosen = [t for t in TESTS if len(sys.argv) < 2 or t.__name__ in sys.argv[1:]]
    bad = 0
    tui.machine.serve_programs()
    for test in chosen:
        try:
            test()
        except (Failed, tui.Failed, OSError, subprocess.SubprocessError) as e:
            bad += 1
            print("FAIL files/%s: %s" % (test.__name__, str(e)[:2000]), flush=True)
    print("%d passed, %d failed" % (len(chosen) - bad, bad))
    return 1 if bad or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
