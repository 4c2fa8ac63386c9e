"""Soak part on a terminal of its own: resizes, stops and signals at random; the terminal must be as before."""
import collections
import fcntl
import glob
import json
import os
import pty
import random
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

# seconds for anything: the program is slow under the sanitizers, and may not be alone
BOUND = float(os.environ.get("TUI_BOUND", "180"))
SCREEN, LEFT = b"\x1b[?1049h", b"\x1b[?1049l"
KEYS = ["\t", "\x1b[A", "\x1b[B", "\x1b[6~", "\r", "f", "u", "/", "x", "\x1b", ":", "list ports\r", "fail random 1\r",
        "undo\r", "pane pairs\r", "\x0c", "route updn\r", "é"]
REPORTS = (b"AddressSanitizer", b"runtime error", b"LeakSanitizer")


# --- the leader: what a shell is to the program, so that it can be stopped ---------------------


def leader(argv):
    """
    Runs a program in the foreground of the terminal that is standard input.  Tells what becomes of it, an object a
    line, on descriptor 3; a line on descriptor 4 puts it into the foreground again.
    """
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    before = termios.tcgetattr(0)

    def prepare():
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup, under which soak may run, has it ignored until the screen is up

    p = subprocess.Popen(argv, preexec_fn=prepare)
    told, orders = os.fdopen(3, "w", buffering=1), os.fdopen(4)
    print(json.dumps({"pid": p.pid}), file=told)
    while True:
        _, status = os.waitpid(p.pid, os.WUNTRACED)
        os.tcsetpgrp(0, os.getpgid(0))
        as_before = termios.tcgetattr(0) == before
        if not os.WIFSTOPPED(status):
            print(json.dumps({"ended": os.waitstatus_to_exitcode(status), "as_before": as_before}), file=told)
            return
        print(json.dumps({"stopped": os.WSTOPSIG(status), "as_before": as_before}), file=told)
        orders.readline()
        os.tcsetpgrp(0, p.pid)
        os.killpg(p.pid, signal.SIGCONT)


# --- the test ------------------------------------------------------------------------------------


class Wrong(Exception):
    pass


class Session:
    def __init__(self, turn, rng):
        self.rng, self.out, self.done = rng, b"", []
        self.master, slave = pty.openpty()
        told, tell = os.pipe()
        take, self.orders = os.pipe()
        self.resize()
        env = {"PATH": os.environ["PATH"], "HOME": turn.folder, "IBSCOPE_ETC": turn.folder, "LANG": "C.UTF-8", "TERM": "xterm-256color",
               "INPUTRC": "/dev/null", "ASAN_OPTIONS": "detect_leaks=0"}
        argv = [turn.program("ibscope-san"), "-R", "minhop", "xgft:4,4:1,2"]

        def give():
            high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (tell, take)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.p = subprocess.Popen([sys.executable, os.path.abspath(__file__)] + argv, stdin=slave, stdout=slave, stderr=slave,
                                  env=env, cwd=turn.folder, start_new_session=True, close_fds=False, preexec_fn=give)
        for fd in (slave, tell, take):
            os.close(fd)
        self.told, self.rest, self.news = told, b"", collections.deque()
        self.pid = self.hear("pid")["pid"]

    def read(self, seconds=0.0):
        """Take what the program writes, and what the leader tells."""
        while select.select([self.master], [], [], seconds)[0]:
            try:
                self.out += os.read(self.master, 65536)
            except OSError:     # nobody has it open any more
                break
            seconds = 0
        while select.select([self.told], [], [], 0)[0]:
            more = os.read(self.told, 65536)
            if not more:    # the leader has ended
                break
            self.rest += more
        lines = self.rest.split(b"\n")
        self.rest = lines.pop()
        self.news.extend(json.loads(line) for line in lines)

    def hear(self, what):
        """The next that the leader tells must be this."""
        end = time.monotonic() + BOUND
        while not self.news:
            self.read(0.02)
            if time.monotonic() > end:
                raise Wrong("not %s within %d s; %s" % (what, BOUND, self.state()))
        news = self.news.popleft()
        if what not in news:
            raise Wrong("expected %s, found %s" % (what, news))
        return news

    def state(self):
        """What its threads are at."""
        told = []
        for path in glob.glob("/proc/%d/task/*" % self.pid):
            for name in ("stat", "wchan", "syscall"):
                with open(os.path.join(path, name)) as f:
                    told.append(f.read().strip()[:100])
        with open("/proc/%d/status" % self.pid) as f:
            told += re.findall(r"^(?:Sig|Shd)\w+:.*", f.read(), re.M)
        return "; ".join(told)

    def wait(self, text, start):
        end = time.monotonic() + BOUND
        while text not in self.out[start:]:
            self.read(0.02)
            if self.news or time.monotonic() > end:
                raise Wrong("no %r, found %s" % (text, list(self.news)))

    def resize(self):
        rows, columns = self.rng.choice([1, 2, 6, 10, 24, 50, 200]), self.rng.choice([1, 3, 24, 40, 80, 131, 300])
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.done.append("resize %dx%d" % (columns, rows))

    def as_before(self, news):
        if not news["as_before"]:
            raise Wrong("%s: the terminal's modes are not as before" % news)
        self.read()
        for on, off in ((SCREEN, LEFT), (b"\x1b[?25l", b"\x1b[?25h"), (b"\x1b[?1h", b"\x1b[?1l"), (b"\x1b[?1000h", b"\x1b[?1000l")):
            if self.out.rfind(off) < self.out.rfind(on):
                raise Wrong("%s: found %r without %r behind it" % (news, on, off))

    def stop(self):
        self.done.append("TSTP, CONT")
        os.kill(self.pid, signal.SIGTSTP)
        self.as_before(self.hear("stopped"))
        start = len(self.out)
        if self.rng.random() < 0.5:
            self.resize()
        os.write(self.orders, b"fg\n")
        self.wait(SCREEN, start)

    def type(self):
        key = self.rng.choice(KEYS)
        self.done.append("key %r" % key)
        os.write(self.master, key.encode())

    def act(self):
        draw = self.rng.random()
        if draw < 0.4:
            self.resize()
        elif draw < 0.8:
            self.type()
        elif draw < 0.9:
            os.kill(self.pid, self.rng.choice([signal.SIGWINCH, signal.SIGCONT, signal.SIGPIPE]))
        else:
            self.stop()
        self.read(self.rng.choice([0, 0, 0.01, 0.1]))
        if self.news:
            raise Wrong("found %s" % self.news[0])

    def end(self):
        """By a signal, at any moment."""
        sig = self.rng.choice([signal.SIGTERM, signal.SIGHUP])
        self.done.append(sig.name)
        os.kill(self.pid, sig)
        news = self.hear("ended")
        if news["ended"] not in (-sig, 128 + sig):
            raise Wrong("%s: ended with status %d" % (sig.name, news["ended"]))
        self.as_before(news)
        if any(r in self.out for r in REPORTS):
            raise Wrong("a sanitizer's report")

    def close(self):
        if self.p.poll() is None:
            for pid in (self.pid, self.p.pid):
                try:
                    os.kill(pid, signal.SIGKILL)
                except (ProcessLookupError, AttributeError):
                    pass
        self.p.wait()
        os.close(self.master)
        os.close(self.orders)
        os.close(self.told)


def signals(turn):
    """Resizes, keys, stops and signals on a pty (ASan, UBSan): after each stop and at the end it is as before."""
    n = 0
    while turn.more():
        n += 1
        rng = random.Random("%s/signals/%d" % (turn.seed, n))
        s = Session(turn, rng)
        try:
            if rng.random() < 0.8:
                s.wait(SCREEN, 0)
                for _ in range(rng.randrange(60)):
                    s.act()
            s.end()
        except (Wrong, OSError) as e:
            turn.found("signals %d: %s\n%s" % (n, e, ", ".join(s.done)), {"output": s.out})
        finally:
            turn.tried += len(s.done)
            s.close()


if __name__ == "__main__":
    leader(sys.argv[1:])
