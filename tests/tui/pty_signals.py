"""Signals on a terminal of our own: what they leave behind, and who is told what ended the program."""
import fcntl
import os
import pty
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time

from common import BOUND, FABRIC, PROGRAM, Failed, all_read

# all that end a program that does not look after them; the first real-time signal stands for the others
ENDS = ["TERM", "HUP", "INT", "QUIT", "USR1", "USR2", "ALRM", "VTALRM", "PROF", "XCPU", "IO", "PWR", "STKFLT", "TRAP",
        "SYS", "RTMIN"]
CRASHES = ["SEGV", "ABRT", "BUS", "FPE", "ILL"]
LARGE = (200, 50)


class Pty:
    """The program on a pty; the slave stays open here, so that its state can be seen afterwards."""

    def __init__(self, args=FABRIC, size=(80, 24), limits=(), rc=""):
        self.dir = tempfile.mkdtemp(prefix="ibscope-pty-")
        os.mkdir(os.path.join(self.dir, "ibscope"))
        with open(os.path.join(self.dir, "ibscope", "rc"), "w", encoding="utf-8") as f:
            f.write(rc)
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.before = termios.tcgetattr(self.slave)
        self.out = b""

        def prepare():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            for what, most in limits:
                resource.setrlimit(what, (most, most))

        env = {"PATH": os.environ["PATH"], "HOME": self.dir, "IBSCOPE_ETC": self.dir, "LANG": "C.UTF-8", "TERM": "xterm-256color",
               "INPUTRC": "/dev/null", "ASAN_OPTIONS": "detect_leaks=0:handle_abort=0"}
        self.p = subprocess.Popen([PROGRAM, *args.split()], stdin=self.slave, stdout=self.slave, stderr=self.slave,
                                  env=env, start_new_session=True, preexec_fn=prepare)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.p.poll() is None:
            self.p.kill()
            self.p.wait()
        os.close(self.master)
        os.close(self.slave)
        shutil.rmtree(self.dir, ignore_errors=True)

    def read(self):
        """Take what is there."""
        while select.select([self.master], [], [], 0.02)[0]:
            self.out += os.read(self.master, 65536)

    def wait(self, regex, start=0):
        end = time.monotonic() + BOUND
        while not re.search(regex, self.out[start:]):
            self.read()
            if self.p.poll() is not None or time.monotonic() > end:
                raise Failed("no %r (status %s): %r" % (regex, self.p.poll(), self.out[-600:]))

    def type(self, text):
        os.write(self.master, text.encode())

    def ended_by(self, sig):
        """The status tells the signal; modes, alternate screen, cursor, keypad and mouse are as before."""
        end = time.monotonic() + BOUND
        while self.p.poll() is None:
            self.read()
            if time.monotonic() > end:
                raise Failed("signal %d does not end it" % sig)
        self.read()
        if self.p.returncode != -sig:
            raise Failed("signal %d: ended with status %d: %r" % (sig, self.p.returncode, self.out[-600:]))
        self.as_before("signal %d" % sig)

    def as_before(self, what):
        if termios.tcgetattr(self.slave) != self.before:
            raise Failed("%s: the terminal's modes are not as before" % what)
        for on, off in ((b"\x1b[?1049h", b"\x1b[?1049l"), (b"\x1b[?25l", b"\x1b[?25h"), (b"\x1b[?1h", b"\x1b[?1l"),
                        (b"\x1b[?1000h", b"\x1b[?1000l")):
            if self.out.rfind(off) < self.out.rfind(on):
                raise Failed("%s: found %r without %r behind it: %r" % (what, on, off, self.out[-600:]))


def signals_restore():
    """Whatever ends it: the terminal is as it was, and the status says what it was."""
    names = ENDS + ([] if "san" in os.path.basename(PROGRAM) else CRASHES)  # a sanitizer ends the program itself
    running = []
    try:
        for name in names:
            running.append((name, Pty()))
        for name, t in running:
            t.wait(rb"\x1b\[\?1049h")
            t.wait(rb"routed")
            t.p.send_signal(getattr(signal, "SIG" + name))
            t.ended_by(getattr(signal, "SIG" + name))
            if b"please report" in t.out:
                raise Failed("SIG%s, sent from outside, is told as a crash" % name)
    finally:
        for _, t in running:
            t.__exit__()


def too_large_file():
    """A file that may not grow is an error of writing, not an end."""
    with Pty(limits=[(resource.RLIMIT_FSIZE, 4096)]) as t:
        t.wait(rb"routed")
        t.p.send_signal(signal.SIGXFSZ)
        t.type(":export lfts %s\r" % os.path.join(t.dir, "tables"))
        t.wait(rb"File too large")
        t.p.send_signal(signal.SIGTERM)
        t.ended_by(signal.SIGTERM)


def writes_blocked(pid):
    """Does the drawing thread wait in write()?"""
    with open("/proc/%d/syscall" % pid) as f:
        word = f.read().split()
    return len(word) > 2 and int(word[0]) == 1 and int(word[1], 16) == 1


def nobody_reads():
    """A terminal whose other end takes nothing more holds nobody up."""
    for sig in (signal.SIGTERM, signal.SIGHUP):
        with Pty(size=LARGE) as t:
            t.wait(rb"routed")
            end = time.monotonic() + BOUND
            while not writes_blocked(t.p.pid):
                t.p.send_signal(signal.SIGCONT)  # is drawn anew
                time.sleep(0.01)
                if time.monotonic() > end:
                    raise Failed("the pty takes everything although nobody reads it")
            t.p.send_signal(sig)
            try:
                t.p.wait(BOUND)
            except subprocess.TimeoutExpired:
                raise Failed("signal %d does not end it when nobody reads the terminal" % sig) from None
            t.ended_by(sig)


LIGHT = b"48;5;253"     # labels of the bar in scheme light, a colour that the others lack


def answered(parts, light):
    """
    A session whose terminal answers in these parts.  False: a second part came so late that nobody would take it for one
    (the program waits for it for a second), as this machine did something else.
    """
    with Pty() as t:
        t.wait(rb"\x1b\]11;\?")
        t.wait(rb"First steps")
        t.type(":ec")
        began = time.monotonic()
        for part in parts:
            os.write(t.master, part)
            if len(parts) > 1 and part is parts[0]:
                all_read(t.p.pid)   # this part is read alone
        if len(parts) > 1 and time.monotonic() - began > 0.7:
            return False
        t.type("ho all-is-well\r")
        t.wait(rb"echo all-is-well|all-is-well[^\0]*all-is-well")
        t.wait(LIGHT if light else rb"routed")
        t.read()
        if (LIGHT in t.out) != light:
            raise Failed("%r: light is %s" % (parts, LIGHT in t.out))
        for wrong in (b"rgb:", b"ffff", b"]11;r", b"not bound", b"unknown command", b"no command"):
            if wrong in t.out:
                raise Failed("%r: %r is on the screen: %r" % (parts, wrong, t.out[-600:]))
    return True


def background_told():
    """The terminal's answer to OSC 11 chooses the scheme, in every form and in parts, and is never taken for keys."""
    white, black = b"\x1b]11;rgb:ffff/ffff/ffff", b"\x1b]11;rgb:0000/0000/0000"
    forms = [(white + end, True) for end in (b"\a", b"\x1b\\")]
    forms += [(b"\x1b]11;rgb:ff/ff/ff\a", True), (b"\x1b]11;rgba:ffff/ffff/dddd/ffff\a", True), (black + b"\a", False), (b"", False)]
    # in two parts, but for Esc alone: test_answer.c has a clock of its own
    forms = [([f], light) for f, light in forms] + [([f[:n], f[n:]], True) for f, _ in forms[:2] for n in (2, 3, 5, 12, len(f) - 1)]
    for parts, light in forms:
        end = time.monotonic() + BOUND
        while not answered(parts, light):
            if time.monotonic() > end:
                raise Failed("%r: two parts were never written within 0.7 s" % parts)
    with Pty(rc="pane hosts\n") as t:   # Esc that nothing follows is a key, which shrinks the REPL
        t.wait(rb"First steps")
        t.wait(rb"node0009")
        before = len(t.out)
        os.write(t.master, white[:1])
        t.wait(rb"node0016", before)
    with Pty() as t:    # Meta-] of a person is a key
        t.wait(rb"First steps")
        t.type(":echo \x1b]")
        all_read(t.p.pid)
        t.type("-there\r")
        t.wait(rb"-there")


def too_large_terminal():
    """More rows and columns than curses counts, at the start and later: drawn as far as they go; a usual size comes back."""
    sizes = [(80, 65535), (65535, 24), (65535, 65535)]
    for first in sizes:
        with Pty(size=first) as t:
            t.wait(rb"routed")
            for size in sizes[1:] + [(80, 24)] if first == sizes[0] else [(80, 24)]:
                t.read()
                before = len(t.out)
                fcntl.ioctl(t.slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
                t.p.send_signal(signal.SIGWINCH)
                t.wait(rb"REPL", before)    # a heading; lines of the REPL may have scrolled away
            t.type(":screen %s/shown\r" % t.dir)
            t.wait(rb"REPL")
            end = time.monotonic() + BOUND
            while not (os.path.exists(t.dir + "/shown") and os.path.getsize(t.dir + "/shown")):
                t.read()
                if t.p.poll() is not None or time.monotonic() > end:
                    raise Failed("%s: no screen (status %s)" % (first, t.p.poll()))
            with open(t.dir + "/shown", encoding="utf-8") as f:
                lines = f.read().splitlines()
            if len(lines) != 24 or not re.match("┌.{78}┐$", lines[1]):
                raise Failed("%s: not a screen of 80x24: %s" % (first, lines))
            t.p.send_signal(signal.SIGTERM)
            t.ended_by(signal.SIGTERM)


TESTS = [background_told, too_large_terminal, signals_restore, too_large_file, nobody_reads]
