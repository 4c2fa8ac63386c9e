"""Scripts of key strokes against the real program; see README.txt for their language."""

import collections
import fcntl
import fnmatch
import glob
import lzma
import os
import pty
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import xml.etree.ElementTree

import first_hour
import gallery
import machine
import played
import pty_signals
from common import BOUND, FABRIC, HERE, PROGRAM, ROOT, Failed, all_read
from shown import words_are_of_their_rows
from tours import tours_fit

UPDATE = os.environ.get("UPDATE") == "1"


LEFT = []  # processes that outlived their terminal


def pids_with(word):
    """Processes that have NAME=VALUE in their environment, in whatever session."""
    found = []
    for pid in os.listdir("/proc"):
        try:
            with open("/proc/%s/environ" % pid, "rb") as f:
                if pid.isdigit() and word.encode() in f.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            continue
    return found


def command_line(pid):
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as f:
            return f.read().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return "?"


class Control:
    """A client that tells a tmux server commands, one a line (tmux(1), CONTROL MODE), and hears nothing but their answers:
    a client started for each costs two hundred times as much."""

    def __init__(self, words, env):
        self.p = subprocess.Popen([*words, "-C", "attach-session", "-t", "t", "-f", "no-output"], env=env, bufsize=0,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.told = b""

    @staticmethod
    def takes(args):
        """Can they stand in one line, mean there what they mean to a client of their own, and is what is told lines?"""
        return args[0] != "show-buffer" and not any(re.search(r"[\x00-\x1f\x7f\ud800-\udfff]|;$", word) for word in args)

    def line(self):
        end = time.monotonic() + BOUND
        while b"\n" not in self.told:
            if not select.select([self.p.stdout], [], [], max(0, end - time.monotonic()))[0]:
                raise Failed("tmux does not answer within %g s" % BOUND)
            some = os.read(self.p.stdout.fileno(), 1 << 16)
            if not some:
                return None
            self.told += some
        line, _, self.told = self.told.partition(b"\n")
        return line.decode(errors="replace")

    def ask(self, args):
        """(was it done, what was printed); (False, why) where the server has ended."""
        said, block = [], None
        try:
            self.p.stdin.write((" ".join("'" + word.replace("'", "'\\''") + "'" for word in args) + "\n").encode())
        except BrokenPipeError:
            return False, "the server has ended"
        while True:
            line = self.line()
            if line is None:
                return False, "the server has ended"
            if block and line in ("%end " + block, "%error " + block):
                return line.startswith("%end"), "".join(x + "\n" for x in said)
            if block:
                said.append(line)
            elif re.match(r"%begin \d+ \d+ 1$", line):     # 1: of a line of ours, not of the client's start
                block = line[len("%begin "):]

    def close(self):
        self.p.kill()       # at times it waits for a server that waits for it
        self.p.wait()
        self.p.stdin.close()
        self.p.stdout.close()


class Terminal:
    """One tmux server with one window; the program runs under a shell in it."""

    control = None

    def __init__(self, size=(80, 24), term="screen-256color", env=None, jobs=False):
        """jobs: a key suspends the program, so that the harness cannot stop it as well."""
        self.dir = tempfile.mkdtemp(prefix="ibscope-tui-")
        self.sock = os.path.join(self.dir, "tmux")
        self.env = {
            "PATH": os.environ["PATH"], "HOME": self.dir, "LANG": "C.UTF-8", "TERM": term, "PS1": "ready> ",
            "XDG_STATE_HOME": os.path.join(self.dir, "state"), "XDG_CONFIG_HOME": os.path.join(self.dir, "config"),
            "IBSCOPE_ETC": os.path.join(self.dir, "etc"), "INPUTRC": "/dev/null", "TMPDIR": self.dir, "OUT": self.dir, "TESTS": HERE, "ROOT": ROOT,
            "ASAN_OPTIONS": "detect_leaks=0", "TSAN_OPTIONS": os.environ.get("TSAN_OPTIONS", ""),
        }
        self.env.update(machine.environment())
        self.env.update(env or {})
        self.tmux("-f", "/dev/null", "new-session", "-d", "-s", "t", "-x", str(size[0]), "-y", str(size[1]),
                  "-c", self.dir, "env", "-i", *["%s=%s" % kv for kv in self.env.items()], *machine.shell(jobs))
        self.control = Control(["tmux", "-u", "-S", self.sock], self.client_env())
        self.wait(r"ready>")
        self.server, self.shell = (int(n) for n in self.tmux("display-message", "-p", "-t", "t", "#{pid} #{pane_pid}").split())
        self.stops = machine.Stops(self.shell) if machine.KIND == "slow" and not jobs else None

    @staticmethod
    def client_env():
        env = dict(os.environ, LC_ALL="C.UTF-8")
        env.pop("TMUX", None)
        return env

    def tmux(self, *args, check=True):
        if self.control and Control.takes(args):
            done, said = self.control.ask(args)
            errors = said
        else:
            p = subprocess.run(["tmux", "-u", "-S", self.sock, *args], env=self.client_env(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, timeout=BOUND)
            done, said, errors = not p.returncode, p.stdout, p.stderr
        if check and not done:
            raise Failed("tmux %s: %s" % (args[0], errors.strip()))
        return said if done else ""

    def capture(self):
        return self.tmux("capture-pane", "-p", "-t", "t")

    def keys(self, *keys):
        self.tmux("send-keys", "-t", "t", *keys)

    def type(self, text):
        self.tmux("send-keys", "-t", "t", "-l", text)

    def paste(self, text):
        """As a terminal pastes: marked, where the program asks for it."""
        self.tmux("set-buffer", "-b", "pasted", text)
        self.tmux("paste-buffer", "-p", "-b", "pasted", "-t", "t")

    def start(self, args, program=PROGRAM):
        self.type("%s %s" % (program, args))
        self.keys("Enter")

    def run(self, line):
        """Type a line.  Behind the key that goes to the prompt: when the prompt has the focus, so that it is on
        the screen before what the line or a later key does."""
        if line.startswith(":"):
            self.keys(":")
            self.wait(r"[▸>]REPL")
            line = line[1:]
        self.type(line)
        self.keys("Enter")

    def fifo(self, name):
        """A file that holds whoever opens it, until release()."""
        os.mkfifo(os.path.join(self.dir, name))

    def make(self, name, text):
        """A file that is there before the program starts."""
        path = os.path.join(self.dir, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text + "\n")

    def unpack(self, name, source, size="-1"):
        with lzma.open(os.path.join(ROOT, source)) as f, open(os.path.join(self.dir, name), "wb") as to:
            to.write(f.read(int(size)))

    def held(self, name):
        """Waits until somebody has opened it: work that has begun."""
        path, end = os.path.join(self.dir, name), time.monotonic() + BOUND
        while time.monotonic() < end:
            for fd in glob.glob("/proc/[0-9]*/fd/*"):
                try:
                    if os.readlink(fd) == path:
                        return
                except OSError:
                    pass
            time.sleep(0.03)
        raise Failed("nobody opened %s within %g s:\n%s" % (name, BOUND, self.capture()))

    def unread(self, name):
        """Waits until nobody has it open: a thread that was stopped ends a moment later."""
        end = time.monotonic() + BOUND
        while time.monotonic() < end:
            try:
                os.close(os.open(os.path.join(self.dir, name), os.O_WRONLY | os.O_NONBLOCK))
            except OSError:
                return
            time.sleep(0.03)
        raise Failed("somebody has %s open for %g s:\n%s" % (name, BOUND, self.capture()))

    def release(self, name, content=b""):
        end = time.monotonic() + BOUND
        while True:
            try:
                fd = os.open(os.path.join(self.dir, name), os.O_WRONLY | os.O_NONBLOCK)
                break
            except OSError:  # nobody has opened it yet
                if time.monotonic() > end:
                    raise Failed("nobody opened %s within %g s:\n%s" % (name, BOUND, self.capture()))
                time.sleep(0.03)
        os.set_blocking(fd, True)
        with os.fdopen(fd, "wb") as f:
            f.write(content)

    def written(self, name):
        """Waits until a file that the program writes is there, and returns its path."""
        path, end = os.path.join(self.dir, name), time.monotonic() + BOUND
        while not os.path.exists(path) or not os.path.getsize(path):
            if time.monotonic() > end:
                raise Failed("%s was not written within %g s:\n%s" % (name, BOUND, self.capture()))
            time.sleep(0.03)
        return path

    def resize(self, w, h):
        self.tmux("resize-window", "-t", "t", "-x", str(w), "-y", str(h))

    def wait(self, regex, absent=False):
        end = time.monotonic() + BOUND
        while True:
            text = self.capture()
            if bool(re.search(regex, text, re.M)) != absent:
                return text
            if time.monotonic() > end:
                raise Failed("no %r on the screen within %g s:\n%s" % (regex, BOUND, text))
            time.sleep(0.03)

    def stable(self, seconds):
        end = time.monotonic() + BOUND
        last, since = self.capture(), time.monotonic()
        while time.monotonic() - since < seconds and time.monotonic() < end:
            time.sleep(0.05)
            now = self.capture()
            if now != last:
                last, since = now, time.monotonic()
        return last

    def pids(self, program=PROGRAM):
        """Processes of the program below the window's shell."""
        return [pid for pid in machine.children(self.shell) if machine.name(pid) == os.path.basename(program)[:15]]

    def read_all(self, pid, threads="[0-9]*"):
        """Wait until the program has taken all keys from its terminal, and waits for more, for longer than an Esc is
        held; so do all its threads, or these, and tmux, which hands keys and screens on."""
        all_read(pid, threads, ["/proc/%d/stat" % self.server])

    def close(self):
        """Everything that ran in it ends with its terminal; what does not is told at the end of all tests."""
        if self.stops:
            self.stops.close()
        self.tmux("kill-server", check=False)
        if self.control:
            self.control.close()
        mark = "OUT=" + self.dir
        end = time.monotonic() + BOUND
        while pids_with(mark) and time.monotonic() < end:
            time.sleep(0.02)
        for pid in pids_with(mark):
            LEFT.append("process %d outlived its terminal: %s" % (pid, command_line(pid)))
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.dir, ignore_errors=True)


def mask(text):
    """Times differ from run to run, and so do the blanks behind them; the length of help grows."""
    lines = []
    for line in text.rstrip("\n").split("\n"):
        new = re.sub(r"\d+(\.\d+)? (ms|s|min)\b", "T ms", line)
        new = re.sub(r"( sw .*\|) \d[\d.]*( m?)?$", r"\1 T", new)  # cut off by the edge
        new = re.sub(r" +\d+\.\d(?=[│|]$)", "  T", new)
        new = re.sub(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "UTC", new)
        new = re.sub(r"(Help \d+)/\d+", r"\1/N", new)
        if new != line:
            new = re.sub(r"[ ]{2,}", "  ", new)
        lines.append(new.rstrip())
    return "\n".join(lines) + "\n"


def compare(term, name):
    path = os.path.join(HERE, "expected", name + ".txt")
    if UPDATE:
        with open(path, "w") as f:
            f.write(mask(term.stable(0.8)))
        return
    with open(path) as f:
        want = f.read()
    end = time.monotonic() + BOUND
    while True:
        got = mask(term.capture())
        if got == want:
            return
        if time.monotonic() > end:
            diff = ["%s%s" % (m, line) for w, g in zip(want.split("\n"), got.split("\n")) if w != g
                    for m, line in (("- ", w), ("+ ", g))]
            raise Failed("screen %s differs:\n%s\nit is\n%s" % (name, "\n".join(diff), got))
        time.sleep(0.05)


def run_script(path):
    """One .test file: settings first, then steps."""
    size, term, env, fifos, packed, t = (80, 24), "screen-256color", {}, [], [], None
    made, pressed, one_core, before = [], 0, "", ""
    try:
        with open(path) as f:
            lines = f.read().split("\n")
        for number, line in enumerate(lines, 1):
            word, _, rest = line.strip().partition(" ")
            rest = rest.strip()
            if not word or word.startswith("#"):
                continue
            # what a line prints stands elsewhere when the next key comes before it
            if t and before == "run" and word in ("run", "keys"):
                for pid in t.pids():
                    t.read_all(pid)
            before = word
            if t and word in ("type", "run"):
                rest = rest.replace("$OUT", t.dir)
            try:
                if word == "size":
                    size = tuple(int(n) for n in rest.split("x"))
                elif word == "term":
                    term = rest
                elif word == "env":
                    env.update([rest.replace("$TESTS", HERE).split("=", 1)])
                elif word == "core":
                    one_core = "taskset -c %d " % min(os.sched_getaffinity(0))
                elif word == "fifo":
                    fifos.append(rest)
                elif word == "unpack":
                    packed.append(rest.split())
                elif word == "make":
                    made.append(rest.split(None, 1))
                elif word == "settled":
                    t.read_all(t.pids()[0])
                elif word == "unread":
                    t.unread(rest)
                elif word == "release":
                    name, _, source = rest.partition(" ")
                    t.release(name, open(os.path.join(ROOT, source), "rb").read() if source else b"")
                elif word == "start":
                    if t:
                        t.close()
                    t = Terminal(size, term, env)
                    for name in fifos:
                        t.fifo(name)
                    for name, *source in packed:
                        t.unpack(name, *source)
                    for name, text in made:
                        t.make(name, text.encode().decode("unicode_escape"))
                    t.start(rest, one_core + PROGRAM)
                elif word == "keys":
                    t.keys(*rest.split())
                    pressed += len(rest.split())
                elif word == "pressed":
                    if pressed != int(rest):
                        raise Failed("%d keys were pressed, not %s" % (pressed, rest))
                elif word == "type":
                    t.type(rest)
                elif word == "paste":
                    t.paste(rest.encode("raw_unicode_escape").decode("unicode_escape"))
                elif word == "raw":
                    t.type(rest.encode().decode("unicode_escape"))
                elif word == "run":
                    # alone, `clear` is done at once: before what a command that is still ending has to say
                    t.run(":echo; clear" if rest == ":clear" else rest)
                    pressed += 1 + rest.startswith(":")
                elif word == "wait":
                    t.wait(rest)
                elif word == "gone":
                    t.wait(rest, absent=True)
                elif word == "resize":
                    t.resize(*[int(n) for n in rest.split("x")])
                elif word == "screen":
                    compare(t, rest)
                elif word == "file":  # file written by the program equals what is shown
                    same_file(t, rest)
                else:
                    raise Failed("unknown step %r" % word)
            except Failed as e:
                raise Failed("%s:%d: %s" % (os.path.basename(path), number, e))
    finally:
        if t:
            t.close()


def same_file(t, name):
    path = t.written(name)
    with open(path) as f:
        got = f.read()
    if got.count("\n") != len(t.capture().rstrip("\n").split("\n")) or "REPL" not in got:
        raise Failed("%s is not the screen:\n%s" % (name, got))


# --- robustness -------------------------------------------------------------------------

READY = r"minhop routed"


def started(program=PROGRAM, **kw):
    t = Terminal(**kw)
    t.start(FABRIC, program)
    t.wait(READY)
    return t


def proposals_run():
    """What the first line proposes runs, whatever the program was started with."""
    for args in ("-R minhop xgft:2,1:1,1", "-R ftree demo"):
        t = Terminal()
        try:
            t.start(args)
            line = re.search(r"First steps: press : and type  (.*?) *│", t.wait(r"First steps: press : and type "))[1]
            for n, command in enumerate(re.split(r", then |, ", line)):
                t.run(":%s; echo ran-%d" % (command, n))
                t.wait(r"^│ ran-%d *│|1-\d+ of \d+, PgDn" % n)     # what fails ends the line before
        finally:
            t.close()
    for args in ("xgft:2,2:1,2", "-R live ring:4"):     # no engine is in force: a key routes by the one that is proposed
        t = Terminal()
        try:
            t.start(args)
            t.wait(r"Not routed yet: press o for +route minhop")
            t.keys("o")
            t.wait(r"minhop routed [4-6] switches")
        finally:
            t.close()


KEYS = (["Up", "Down", "Left", "Right", "PPage", "NPage", "Home", "End", "Enter", "Tab", "BTab", "BSpace", "Escape", "F1",
         "F5", "F11", "F12", "DC", "IC", "C-a", "C-e", "C-g", "C-h", "C-k", "C-l", "C-r", "C-s", "C-t", "C-u", "C-v", "C-w",
         "C-x", "C-y", "M-x", "M-b", "M-1", "M-y", "M-.", "C-_", "C-@", "C-]"]
        + [c for c in "abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPRSTUVWXYZ0123456789:/\\?!#$%&()*+,-.<=>@[]^_{|}~'\" "]
        + ["é", "→", "漢"])


def answers(t, pid):
    """Still the same program, and it does what it is told."""
    t.resize(80, 24)
    t.read_all(pid, pid)
    end = time.monotonic() + BOUND
    while not re.search(r"[▸>]REPL", t.capture(), re.M):
        if time.monotonic() > end:
            raise Failed("the prompt cannot be reached:\n" + t.capture())
        t.keys("C-c")
        t.keys("F12")
        t.read_all(pid, pid)
    t.keys("C-c")
    t.keys("C-c")  # the first one is inserted as it is behind C-v
    t.read_all(pid, pid)
    if not re.search(r"[▸>]REPL", t.capture(), re.M):  # it leaves a prompt for one line
        t.keys("F12")
        t.wait(r"[▸>]REPL")
    t.type("echo it-lives")
    t.keys("Enter")
    t.wait(r"^│ it-lives")


def press_random_keys(program, steps, seed):
    rnd = random.Random(seed)
    pressed = collections.deque(maxlen=40)
    t = started(program)
    try:
        pid = t.pids(program)[0]
        for step in range(steps):
            if step % 4 == 3:
                t.resize(rnd.choice([1, 2, 5, 20, 24, 40, 75, 76, 80, 131, 200]),
                         rnd.choice([1, 2, 5, 6, 7, 10, 12, 24, 50]))
            batch = [rnd.choice(KEYS) for _ in range(rnd.randint(1, 12))]
            pressed.extend(batch)
            t.keys(*[k + "\\" if k == ";" else k for k in batch])
            if not alive(pid):
                raise Failed("%s ended at step %d: SEED=%d; the last keys were %s\n%s"
                             % (os.path.basename(program), step, seed, " ".join(pressed), t.capture()))
        try:
            answers(t, pid)
        except Failed as e:
            raise Failed("%s after %d steps: SEED=%d; the last keys were %s\n%s"
                         % (os.path.basename(program), steps, seed, " ".join(pressed), e))
    finally:
        t.close()


def random_keys():
    """Any key at any size: the program survives with its session; so does the sanitized one."""
    seed = int(os.environ.get("SEED", random.SystemRandom().randrange(1 << 31)))
    steps = int(os.environ.get("STEPS", "500"))
    print("random keys: SEED=%d" % seed, flush=True)
    sanitized = os.path.join(os.path.dirname(PROGRAM), "ibscope-san")
    if os.path.basename(PROGRAM) == "ibscope" and os.access(sanitized, os.X_OK):  # else it is one itself
        press_random_keys(sanitized, steps * 2 // 5, seed + 1)
        steps -= steps * 2 // 5
    press_random_keys(PROGRAM, steps, seed)


def tiny_sizes():
    t = started()
    try:
        for w, h in ((1, 1), (3, 2), (10, 3), (23, 24), (80, 5)):
            t.resize(w, h)
            if w > 1:  # one cell alone: curses leaves the last cell of a screen be
                t.wait("^" + ("terminal too small" if w >= 18 else "terminal too small"[:w - 1] + "…"))
        for w, h in ((24, 6), (30, 9), (80, 24)):
            t.resize(w, h)
            t.wait(r"Switches")
        t.wait(r"xgft")
    finally:
        t.close()


def suspend_resume():
    t = started(jobs=True)
    try:
        t.keys("C-z")
        t.wait(r"ready>\s*\Z")
        t.type("fg")
        t.keys("Enter")
        t.wait(r"Switches")
        t.keys("f")
        t.wait(r"1 failed")
    finally:
        t.close()


def alive(pid):
    """Is it there, and more than a status that nobody has asked for?"""
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def suspended_ends():
    """What is stopped can be ended without a look at the terminal, which is the shell's then."""
    t = started(jobs=True)
    try:
        t.keys("C-z")
        t.wait(r"ready>\s*\Z")
        pid = t.pids()[0]
        t.type("kill %1; kill -CONT %1; echo over")
        t.keys("Enter")
        end = time.monotonic() + BOUND
        while alive(pid):
            if time.monotonic() > end:
                raise Failed("it is still there:\n" + t.capture())
            time.sleep(0.03)
        t.wait(r"^over\s+(\[1\] [^>]*)?ready>\s*\Z")    # the shell tells its end, when that came before its prompt
    finally:
        t.close()


def stty_kept(sig, expect):
    t = Terminal()
    try:
        t.type("stty -g > $OUT/a; %s %s; echo ended $?; stty -g > $OUT/b; cmp $OUT/a $OUT/b && echo same-stty"
               % (PROGRAM, FABRIC))
        t.keys("Enter")
        t.wait(READY)
        if sig is None:
            t.keys("q")
        else:
            os.kill(t.pids()[0], sig)
        t.wait(r"^ended %s" % expect)
        t.wait(r"^same-stty")
    finally:
        t.close()


def quit_restores():
    stty_kept(None, 0)


def term_restores():
    stty_kept(signal.SIGTERM, 143)


def crash_restores():
    if "san" in os.path.basename(PROGRAM):
        return  # the sanitizer ends the program itself
    stty_kept(signal.SIGSEGV, 139)


def history_kept():
    t = started()
    try:
        t.keys("F12")
        t.type("echo one-two-three")
        t.keys("Enter")
        t.wait(r"^│ one-two-three")
        t.keys("F10")
        t.wait(r"ready>\s*\Z")
        t.start(FABRIC)
        t.wait(READY)
        t.keys("F12", "C-r")
        t.type("two")
        t.wait(r"reverse-i-search.*one-two-three")
    finally:
        t.close()


def history_is_quoted():
    """Names with `;` are typed without quotes and kept in them: recalled where no such node is, the line is the same one command."""
    name = "ring0;echo it-ran"
    net = subprocess.run([PROGRAM, "ring:4", "-e", "save -"], stdout=subprocess.PIPE, text=True, check=True).stdout
    t = Terminal(size=(120, 40))
    try:
        for there, text in (("with", net.replace('"ring0"', '"%s"' % name)), ("without", net)):
            t.make(there, text)
        t.start("-R minhop with")
        t.wait(READY)
        t.run(":fail switch %s; show" % name)
        t.wait(r"1 failed")
        t.keys("F10")
        t.wait(r"ready>\s*\Z")
        with open(os.path.join(t.env["XDG_STATE_HOME"], "ibscope", "history"), encoding="utf-8") as f:
            kept = f.read()
        if kept != 'fail switch "%s"; show\n' % name:
            raise Failed("the history has %r" % kept)
        t.start("-R minhop without")
        t.wait(READY)
        t.keys(":")
        t.wait(r"[▸>]REPL")
        t.keys("Up", "Enter")
        t.wait(r"no .*ring0;echo it-ran|ring0;echo it-ran.* no ")
        if re.search(r"^│ it-ran", t.capture(), re.M):
            raise Failed("a name was run:\n" + t.capture())
    finally:
        t.close()


def limit(what):
    """A number of the manual page's table of limits."""
    page = subprocess.run([PROGRAM, "--manual", "tui/ibscope.1.in"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    return int(re.search(r"^\.It \\&%s: at most (\d+)$" % what, page, re.M)[1])


def limits_of_the_explorer():
    """Beyond so many lines the history forgets the oldest, beyond so many panes the oldest is closed."""
    lines, panes = limit("lines of the history"), limit("panes behind each other")
    t = Terminal()
    try:
        path = os.path.join(t.env["XDG_STATE_HOME"], "ibscope", "history")
        os.makedirs(os.path.dirname(path))
        with open(path, "w", encoding="utf-8") as f:
            f.writelines("echo line-%d\n" % i for i in range(lines))
        pairs = ["node%04d node%04d" % (a, b) for a in range(1, 5) for b in range(5, 17)][:panes + 4]
        with open(os.path.join(t.dir, "panes"), "w", encoding="utf-8") as f:
            f.writelines("pane path %s\n" % p for p in pairs)
        t.start(FABRIC)
        t.wait(READY)
        t.run(":source $OUT/panes; focus path".replace("$OUT", t.dir))
        shown = lambda p: r"^┌▸%s → %s " % tuple(p.split())
        t.wait(shown(pairs[-1]))
        for i in range(1, panes):
            t.keys("BSpace")
            t.wait(shown(pairs[-1 - i]))
        t.keys("BSpace")  # that was the oldest
        t.run(":echo no older pane")
        t.wait(r"^│ no older pane")
        if "%s → %s " % tuple(pairs[-panes].split()) not in t.capture():
            raise Failed("an older pane than %s:\n%s" % (pairs[-panes], t.capture()))
        t.keys("F10")
        t.wait(r"ready>\s*\Z")
        with open(path, encoding="utf-8") as f:
            kept = f.read().splitlines()
        if len(kept) != lines or kept[0] != "echo line-2" or kept[-1] != "echo no older pane":
            raise Failed("%d lines of history, from %s to %s" % (len(kept), kept[:1], kept[-1:]))
    finally:
        t.close()


def cancel_long_work():
    """A long command is shown at work, browsing goes on, and Esc ends it.  It waits for a file that nobody writes."""
    t = Terminal()
    try:
        t.fifo("roots")
        t.start("-R minhop torus:4x4")
        t.wait(READY)
        t.run(":route updn root_guid_file=%s" % os.path.join(t.dir, "roots"))
        t.wait(r"cancels")
        t.keys("Down", "Down")
        t.wait(r"▸Switches 3/16")
        t.wait(r" [1-9]\d*\.\d s  C-c cancels, Esc asks")    # it asks about what has run for a second
        t.keys("Escape")
        t.wait(r"Esc again stops: route updn root_guid_file=")
        t.keys("Down")
        t.wait(r"▸Switches 4/16")
        t.wait(r"C-c cancels")
        t.keys("Escape")
        t.wait(r"Esc again stops: route updn")
        t.keys("Escape")
        t.wait(r"stopped: route updn")
        t.wait(r"^│ cancelled")
        t.keys("Up")
        t.wait(r"cancels", absent=True)
        t.run(":route updn root_guid_file=%s" % os.path.join(t.dir, "roots"))
        t.wait(r"C-c cancels")
        t.keys("C-c")
        t.wait(r"stopped: route updn")
        t.unread("roots")       # the next C-c is for the pane, not for a command that is still ending
        t.run(":pane compare updn minhop root_guid_file=%s" % os.path.join(t.dir, "roots"))
        t.wait(r"pairs without a path +… +…")
        t.held("roots")
        t.keys("C-c")           # at once, whatever it has run
        t.wait(r"stopped: pane compare; C-l goes on")
    finally:
        t.close()


def quick_machine():
    """The test of MACHINE=quick: long work is not seen at work, what a FIFO holds is."""
    t = Terminal(env=machine.environment("quick"))
    try:
        t.fifo("roots")
        raw = os.path.join(t.dir, "raw")
        t.tmux("pipe-pane", "-t", "t", "cat >%s" % raw)
        t.start("-R minhop xgft:8,8,8:1,8,8")
        t.wait(READY)
        t.run(":survey switches; screen done")
        t.written("done")
        with open(raw, "rb") as f:
            if b"cancels" in f.read():
                raise Failed("work was on the screen:\n" + t.capture())
        t.run(":route updn root_guid_file=%s" % os.path.join(t.dir, "roots"))
        t.wait(r"cancels")
        t.keys("C-c")
        t.wait(r"stopped: route updn")
    finally:
        t.close()


def dumb_terminal():
    """What cannot place a cursor shows no panes: a message says so, and what goes without them."""
    for term in ("dumb", "no-such-terminal"):
        t = Terminal()
        try:
            t.type("TERM=%s %s ring:4; echo ended $?" % (term, PROGRAM))
            t.keys("Enter")
            t.wait(r'^ibscope: .*"%s"' % term)
            t.wait(r"-e\s+COMMANDS")
            t.wait(r"^ended 2")
        finally:
            t.close()


def keymap_errors():
    t = Terminal()
    try:
        bad = os.path.join(t.dir, "bad.keys")
        with open(bad, "w") as f:
            f.write("bind Down down\nbind : repl\nbind repl F11 maximise\nbind repl F12 leave\nbind Q quit\nbnid x up\nbind C-% up\nbind y nonsense\n")
        t.start("-k $OUT/bad.keys -R minhop ring:6")
        t.wait(READY)
        t.keys(":", "F11")
        t.wait(r"bad.keys:6: found \"bnid\"")
        t.wait(r"bad.keys:7: ")
        t.wait(r"bad.keys:8: ")
        t.keys("F11", "F12")
        t.wait(r"Switches")
        t.keys("Down", "Down")
        t.wait(r"Switches 3/6")
        t.keys("Q")
        t.wait(r"ready>\s*\Z")
    finally:
        t.close()


def batch_refuses():
    """What the interface needs is told in words without it."""
    p = subprocess.run([PROGRAM, "ring:4", "-e", "pane hosts"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if p.returncode != 3 or "-e:1: pane: needs the curses interface" not in p.stderr:
        raise Failed("status %d, %r" % (p.returncode, p.stderr))
    p = subprocess.run([PROGRAM, "ring:4"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if p.returncode != 2 or "no terminal" not in p.stderr:
        raise Failed("status %d, %r" % (p.returncode, p.stderr))


def batch_fits_its_terminal():
    """With names of 34 letters a table's rows fit a terminal of 80 columns, by COLUMNS or by its size; a pipe gets all, whatever COLUMNS says."""
    lines = ("fail link leaf-01[4]", "diff", "shifts", "outage", "show options", "show links", "list hosts")
    with tempfile.TemporaryDirectory() as folder:
        names = os.path.join(folder, "names")
        told = subprocess.run([PROGRAM, "xgft:3,3:1,2", "-e", "list switches; list hosts"], stdout=subprocess.PIPE, text=True, check=True)
        with open(names, "w", encoding="utf-8") as f:
            for name, guid in set(re.findall(r"((?:leaf-|spine-|node)\d+).* (0x[0-9a-f]{16})", told.stdout)):
                f.write('%s "datacenter-west-hall-7-row-%s"\n' % (guid, name))
        words = [PROGRAM, "--node-name-map", names, "-R", "updn", "xgft:3,3:1,2"] + [w for line in lines for w in ("-e", line)]
        pipes = [subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, env=dict(os.environ, **env)).stdout
                 for env in ({}, {"COLUMNS": "80"})]
        screens = []
        for size, env in ((80, {}), (200, {"COLUMNS": "80"})):
            master, slave = pty.openpty()
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, size, 0, 0))
            known = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
            with subprocess.Popen(words, stdin=slave, stdout=slave, env=dict(known, **env)) as p:
                os.close(slave)
                screens.append(whole(master))
            os.close(master)
            if p.returncode:
                raise Failed("status %d: %s" % (p.returncode, screens[-1]))
    masked = [re.sub(r"[\d.]+ ms", "", s) for s in pipes + screens]
    if masked[0] != masked[1] or "…" in pipes[0]:
        raise Failed("COLUMNS changes what a pipe gets, or names in it are cut:\n%s" % pipes[1])
    if masked[2] != masked[3]:
        raise Failed("COLUMNS=80 and a terminal of 80 columns differ:\n%s\n%s" % tuple(screens))
    wide = [line for line in screens[0].splitlines() if len(line) > 80 and not line.endswith(".")]
    if wide or "…leaf-01[4] -> " not in screens[0] or "2 to this power" not in screens[0]:
        raise Failed("wider than 80 columns: %s\nof\n%s" % (wide, screens[0]))


def whole(master):
    """What a program wrote to its terminal before it ended."""
    out = b""
    while True:
        try:
            some = os.read(master, 65536)
        except OSError:     # the last one has closed it
            some = b""
        if not some:
            return out.decode().replace("\r\n", "\n")
        out += some


def names_between(lines, label, behind, at=0):
    """What stands in the rows of a saved screen below one label of its header and before the next; "-" is no name."""
    start = lines[2].index(label, at)
    end = lines[2].index(behind, start)
    names = [line[start:end].strip() for line in lines[3:] if line.startswith("│") and line[2:79].strip()]
    return [name for name in names if name != "-"]


def real_screens_readable():
    """Selene and sat11 at 80x24: every row of a screen has a name of its own, every port is there whole."""
    columns = {"switches": ("name", " lid"), "ports": ("peer", "  load"), "lft": ("destination", " was")}
    for fabric in ("selene", "sat11"):
        for pane in ("switches", "ports", "lft", "path"):
            with open(os.path.join(HERE, "expected", "real-%s-%s.txt" % (fabric, pane))) as f:
                lines = f.read().rstrip("\n").split("\n")
            if len(lines) != 24 or max(map(len, lines)) > 80:
                raise Failed("%s %s: no screen of 80x24" % (fabric, pane))
            sides = [names_between(lines, *columns[pane])] if pane in columns else [
                names_between(lines, side, " out", 0 if side == "there" else 40) for side in ("there", "back")]
            for names in sides:
                if len(names) < 8 or len(set(names)) != len(names):
                    raise Failed("%s %s: rows alike among %s" % (fabric, pane, names))
            for line in lines[3:23]:
                if re.search(r"\[(?!\d+\])", line):
                    raise Failed("%s %s: a port is cut off: %s" % (fabric, pane, line))
            hops = [line for line in lines[4:9]] if pane == "path" else []
            for hop in hops:
                if not all(re.match(r"\s*\d+ \S.* \d+ +\d+ +\d+\s*$", part) for part in hop[2:-1].split("│")):
                    raise Failed("%s path: a hop without its ports: %s" % (fabric, hop))


def copies_to_the_clipboard():
    """y and a second key: tmux takes what OSC 52 says, and it is the thing that is selected, in every pane."""
    t = Terminal()
    try:
        t.tmux("set-option", "-g", "set-clipboard", "on")
        t.start("-R updn xgft:4,4:1,2")
        t.wait(READY.replace("minhop", "updn"))

        def copied(key, want, said=None):
            t.keys("y")
            t.wait(r"^copy: .* r row ")
            t.keys(key)
            t.wait(said or r"^ copied the ")
            end = time.monotonic() + BOUND
            while t.tmux("show-buffer", check=False) != want:
                if time.monotonic() > end:
                    raise Failed("%s: %r is in the buffer, not %r" % (key, t.tmux("show-buffer", check=False), want))
                time.sleep(0.03)

        t.keys("Down")
        t.wait(r"Switches 2/6")
        copied("n", "leaf-02")
        copied("g", "0x0002c90300a00010")
        copied("c", "show node leaf-02")
        copied("l", "4")
        t.keys("Enter")
        t.wait(r"▸Ports of leaf-02")
        copied("o", "leaf-02[1]")
        copied("y", "leaf-02")
        t.run(":pane path node0001 node0016; focus path")
        t.wait(r"▸node0001 → node0016")
        copied("p", "node0001[1] -> [1]leaf-01[6] -> [1]spine-02[4] -> [6]leaf-04[4] -> node0016[1]")
        copied("c", "trace 2 22")
        t.run(":pane journal")
        t.wait(r"▸Journal")
        copied("c", "pane journal")
        t.keys("y")
        t.wait(r"^copy: ")
        t.keys("p")
        t.wait(r"copy: this row of pane journal has no path")
        t.run(":copy nonsense")
        t.wait(r"^│ .*nonsense.*name\|guid|^│ .*expected")
    finally:
        t.close()


def raw_bytes_of_copy(env):
    """What the program writes for `copy name`, by what tmux sees of it."""
    t = Terminal(env=env)
    try:
        t.start("-R minhop xgft:4,4:1,2")
        t.wait(READY)
        path = os.path.join(t.dir, "raw")
        t.tmux("pipe-pane", "-t", "t", "cat > %s" % path)
        t.keys("y")
        t.wait(r"^copy: ")
        t.keys("n")
        t.wait(r"copied the name: leaf-01")
        end = time.monotonic() + BOUND
        while not os.path.exists(path) or b"copied" not in open(path, "rb").read():
            if time.monotonic() > end:
                raise Failed("nothing was written")
            time.sleep(0.03)
        with open(path, "rb") as f:
            return f.read()
    finally:
        t.close()


def copies_past_multiplexers():
    """OSC 52 as it is, and wrapped so that tmux and screen pass it on."""
    osc = b"\033]52;c;bGVhZi0wMQ==\a"
    tmux = b"\033Ptmux;\033" + osc + b"\033\\"
    screen = b"\033P" + osc + b"\033\\"
    for env, has, has_not in (({"TERM": "xterm-256color"}, [osc], [tmux, screen]),
                              ({"TERM": "xterm-256color", "TMUX": "/tmp/x,1,0"}, [osc, tmux], [screen]),
                              ({"TERM": "tmux-256color"}, [osc, tmux], [screen]),
                              ({"TERM": "screen", "STY": "1.x"}, [osc, screen], [tmux])):
        raw = raw_bytes_of_copy(env)
        for want in has:
            if want not in raw.replace(tmux, b"") + raw:
                raise Failed("%s: %r is not in %r" % (env, want, raw))
        for no in has_not:
            if no in raw:
                raise Failed("%s: %r is in %r" % (env, no, raw))


def mouse_is_left_to_the_terminal():
    """`mouse off`: the terminal hears of no mouse any more, and of it again after `mouse on`."""
    t = started()
    try:
        flag = lambda: t.tmux("display-message", "-p", "-t", "t", "#{mouse_any_flag}").strip()
        for line, want in (("mouse off", "0"), ("mouse on", "1"), ("mouse", "0")):
            t.run(":" + line + "; echo done-" + want + line.replace(" ", "-"))
            t.wait(r"^│ done-" + want + line.replace(" ", "-"))
            end = time.monotonic() + BOUND  # the screen may be drawn before the terminal has heard of it
            while flag() != want:
                if time.monotonic() > end:
                    raise Failed("%s: the terminal has %s" % (line, flag()))
                time.sleep(0.03)
        t.run(":mouse nonsense")
        t.wait(r"nonsense")
    finally:
        t.close()


def resized_before_it_waits():
    """A size that changes between the last look at keys and the wait for the next one is seen at once."""
    t = Terminal(size=(100, 30))
    hold = os.path.join(t.dir, "hold")
    try:
        t.start("ring:4", "HOLD=%s LD_PRELOAD=%s/tui/hold.so %s" % (hold, os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build"))), PROGRAM))
        t.wait(r"Not routed yet")       # nothing is computed: it waits for a key alone
        with open(hold, "w", encoding="ascii"):
            pass
        t.keys("Home")
        end = time.monotonic() + BOUND
        while os.path.exists(hold):
            if time.monotonic() > end:
                raise Failed("it does not come to wait")
            time.sleep(0.02)
        # not by tmux, which changes sizes more than once
        subprocess.run(["stty", "-F", "/proc/%d/fd/0" % t.pids(PROGRAM)[0], "cols", "60", "rows", "24"], check=True)
        t.wait(r"^┌[^\n]{58}┐ *$")
    finally:
        t.close()


def coloured(t):
    """The screen as lists of (sign, (colour, background, bold, underlined))."""
    return gallery.cells(t.tmux("capture-pane", "-e", "-p", "-t", "t"), gallery.DARK)


def scheme_of_background():
    """COLORFGBG of a light background chooses `light`; NO_COLOR leaves none whatever it says."""
    seen, marks = {}, {}
    for env in ({}, {"COLORFGBG": "15;0"}, {"COLORFGBG": "0;15"}, {"COLORFGBG": "0;15", "NO_COLOR": "1"}):
        t = started(term="screen", env=env)
        try:
            t.run(":fail link leaf-01[5]")
            t.wait(r"1 link down")
            t.read_all(t.pids()[0])
            lines = coloured(t)
            seen[" ".join(env.values())] = {c for line in lines for _, look in line for c in look[:2] if c in gallery.ANSI} - set(gallery.DARK)
            marks[" ".join(env.values())] = {line[2][1][0] for line in lines if len(line) > 2 and line[2][0] == "!" and line[1][0] == " "}
        finally:
            t.close()
    black, _, _, yellow, blue, _, _, _ = gallery.ANSI[:8]
    if seen[""] != seen["15;0"] or marks[""] != {yellow} or marks["15;0"] != {yellow}:
        raise Failed("dark: %s, %s" % (seen, marks))
    if yellow in seen["0;15"] or marks["0;15"] != {blue}:
        raise Failed("light: %s, %s" % (seen, marks))
    if seen["0;15 1"]:
        raise Failed("without colours: %s" % seen)


def legends_have_the_colours():
    """A sign of the map's legend has the colour of that sign in the map, in every scheme, with 8 and with 256 colours."""
    for term in ("screen", "screen-256color"):
        t = Terminal(size=(120, 30), term=term)
        met = set()
        try:
            t.start("-R updn %s/tests/fabrics/demo-3level.ibnet" % ROOT)
            t.wait(r"updn routed")
            t.run(":fail link leaf-03[6]; fail switch spine-06; trace node0009 node0041")
            t.wait(r"2 failed")
            for scheme in ("default", "contrast", "light"):
                for overlay in ("path", "failed", "changed"):
                    t.run(":colours %s; pane map load %s; map overview" % (scheme, overlay))
                    t.wait(r"load, updn ── .*%s" % overlay)
                    t.wait(r"x the mean: ")
                    t.read_all(t.pids()[0])
                    lines = coloured(t)
                    at = max(i for i, line in enumerate(lines) if "x the mean: " in "".join(s for s, _ in line))
                    drawn = {}
                    for line in lines[2:at - 1]:
                        for sign, look in line[8:-1]:
                            drawn.setdefault(sign, set()).add(look)
                    words = "".join(s for s, _ in lines[at])
                    if {look[0] for _, look in lines[at][words.index("x the mean"):][:10]} != {lines[at][words.index("the mean")][1][0]}:
                        raise Failed("%s %s %s: a word has the colour of a sign\n%s" % (term, scheme, overlay, t.capture()))
                    for i, (sign, look) in enumerate(lines[at][:-1]):
                        if i and sign in "·░▒▓█◆◇●x!" and i != words.index("x the mean") and lines[at][i - 1][0] in " │" and lines[at][i + 1][0] == " " and sign in drawn:
                            met.add(sign)
                            if look[0] not in {d[0] for d in drawn[sign]} | {d[1] for d in drawn[sign]}:
                                raise Failed("%s %s %s: %r is %s in the legend, %s in the map\n%s"
                                             % (term, scheme, overlay, sign, look, drawn[sign], t.capture()))
            if not met >= set("·▒▓◆x●!"):
                raise Failed("%s: only %s of the legend are in the map" % (term, " ".join(sorted(met))))
        finally:
            t.close()


def bars_are_seen():
    """Bars have shades, not the colour of the text, in the selected row too; a longer bar of loads is no lighter."""
    for term in ("screen", "screen-256color"):
        t = Terminal(size=(120, 30), term=term)
        try:
            t.start("-R updn %s/tests/fabrics/demo-3level.ibnet" % ROOT)
            t.wait(r"updn routed")
            for scheme in ("default", "contrast", "light"):
                for pane, there in (("plot loads", r"▸Routes on links"), ("ports spine-01", r"▸Ports of spine-01"), ("usage leaf-01", r"▸Usage")):
                    t.run(":colours %s; pane %s" % (scheme, pane))
                    t.wait(there)
                    t.wait("█|▆")
                    t.read_all(t.pids()[0])
                    rows, tones = [], set()
                    for line in coloured(t):
                        text = "".join(s for s, _ in line)
                        bar = re.search("█|▆", text)
                        if bar and "│" in text:
                            fill, back = line[bar.start()][1][:2]
                            tones.add(fill)
                            rows.append((re.search(r"[▸>]", text[:70]) is not None, fill))
                            if fill == back or fill == gallery.ANSI[0]:
                                raise Failed("%s %s %s: a bar cannot be seen: %s on %s\n%s" % (term, scheme, pane, fill, back, t.capture()))
                    if len(tones) < 2 and not pane.startswith("usage"):
                        raise Failed("%s %s %s: one shade for all bars\n%s" % (term, scheme, pane, t.capture()))
                    if pane == "plot loads" and not any(selected for selected, _ in rows):
                        raise Failed("no bar is in the selected row:\n" + t.capture())
        finally:
            t.close()


def last_scale_is_a_hint():
    """+ where the map is nearest, and - where it is farthest, are no errors: their message has the colour of text."""
    t = started(term="screen")
    try:
        t.keys("m")
        t.wait(r"▸Map")
        for key, said in (("+", "this is the nearest scale"), ("-", "this is the farthest scale")):
            for _ in range(3):
                t.keys(key)
                t.read_all(t.pids()[0])
            t.wait(said)
            line = coloured(t)[23]
            if {look[0] for sign, look in line if sign != " "} != {gallery.DARK[1]}:
                raise Failed("%s: %s" % (said, line))
    finally:
        t.close()


def pictures():
    """A screen of the gallery, drawn by SEED: all its words are in the picture, in the colours that the terminal has."""
    seed = int(os.environ.get("SEED", random.SystemRandom().randrange(1 << 31)))
    rnd = random.Random(seed)
    screen, size = rnd.choice(gallery.SCREENS), rnd.choice(gallery.SIZES)
    drawn, text = gallery.picture(Terminal, screen, size)
    root = xml.etree.ElementTree.fromstring(drawn)
    words = collections.Counter(w for e in root.iter("{http://www.w3.org/2000/svg}text") for w in (e.text or "").split())
    fills = {e.get("fill") for e in root.iter()} | {e.get("stroke") for e in root.iter()}
    light = bool(screen[3])
    want, colours = collections.Counter(), set()
    for line in gallery.cells(text, gallery.LIGHT if light else gallery.DARK)[:size[1]]:
        want.update(re.findall(r"[A-Za-z]{4,}", "".join(s or "" for s, _ in line)))
        colours |= {look[0] for s, look in line if s and s.isalnum()}
    got = collections.Counter(w for word in words.elements() for w in re.findall(r"[A-Za-z]{4,}", word))
    if got != want or len(want) < 15 or not colours <= fills:
        raise Failed("SEED=%d %s %s: %s, colours %s" % (seed, screen[0], size, (want - got) + (got - want), colours - fills))
    kept = sorted(name + ".svg" for name in gallery.KEPT)
    if sorted(os.listdir(gallery.FOLDER)) != kept:
        raise Failed("%s holds %s instead of %s: make gallery" % (gallery.FOLDER, sorted(os.listdir(gallery.FOLDER)), kept))


def words_on_screen():
    words_are_of_their_rows(Terminal)


def tours_at_80_columns():
    tours_fit(Terminal)


ROBUST = [tours_at_80_columns, words_on_screen, scheme_of_background, legends_have_the_colours, bars_are_seen, pictures, last_scale_is_a_hint, resized_before_it_waits, proposals_run, real_screens_readable, copies_to_the_clipboard, copies_past_multiplexers, mouse_is_left_to_the_terminal,
          quit_restores, term_restores, crash_restores, suspend_resume, tiny_sizes, random_keys, history_kept, history_is_quoted, limits_of_the_explorer,
          cancel_long_work, quick_machine, dumb_terminal, keymap_errors, batch_refuses, batch_fits_its_terminal, suspended_ends, *pty_signals.TESTS]


def main():
    tests = [(os.path.basename(f)[:-5], lambda f=f: run_script(os.path.join(HERE, f)))
             for f in sorted(os.listdir(HERE)) if f.endswith(".test")]
    tests += [] if UPDATE else [(fn.__name__, fn) for fn in ROBUST]
    tests += first_hour.tests(Terminal, compare) + played.tests(Terminal)
    if len(sys.argv) > 1:
        tests = [t for t in tests if any(fnmatch.fnmatch(t[0], name) for name in sys.argv[1:])]
    if not os.access(PROGRAM, os.X_OK):
        sys.exit("%s: no such program; build it or set IBSCOPE" % PROGRAM)
    bad = 0
    for name, fn in tests:
        try:
            fn()
        except (Failed, subprocess.TimeoutExpired, OSError) as e:
            bad += 1
            print("FAIL tui/%s: %s" % (name, e), flush=True)
    tests.append(("nothing left behind", None))
    if LEFT:
        bad += 1
        print("FAIL tui/nothing left behind: %s" % "\n".join(LEFT), flush=True)
    print("%d passed, %d failed" % (len(tests) - bad, bad))
    return 1 if bad or len(tests) == 1 else 0


if __name__ == "__main__":
    sys.exit(main())
