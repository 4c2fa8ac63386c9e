"""The switch MACHINE of the tests in a terminal: they pass on any machine, because they wait for what stays.

MACHINE=quick  work that ends by itself is never seen at work (quick.c)
MACHINE=slow   the program is stopped and continued at random moments (SEED)
"""
import os
import random
import signal
import threading
import time

from common import ROOT

KINDS = ("", "quick", "slow")
KIND = os.environ.get("MACHINE", "")
if KIND not in KINDS:
    raise SystemExit("MACHINE=%s: expected quick or slow" % KIND)
QUICK = os.path.join(os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build"))), "tui", "quick.so")


def environment(kind=KIND):
    """What the program finds in its environment."""
    if kind != "quick":
        return {}
    if not os.access(QUICK, os.R_OK):
        raise SystemExit("%s: make it first" % QUICK)
    return {"LD_PRELOAD": QUICK, "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0"}


def shell(jobs):
    """The shell of a terminal.  A program that the harness stops must not look suspended to it."""
    return ["sh", "-i"] if jobs or KIND != "slow" else ["sh", "-i", "+m"]


def children(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as f:
            return [int(word) for word in f.read().split()]
    except OSError:
        return []


def name(pid):
    try:
        with open("/proc/%d/comm" % pid, encoding="utf-8", errors="replace") as f:
            return f.read().strip()
    except OSError:
        return ""


def serve_programs():
    """The switch for programs that a suite starts without a terminal."""
    if KIND == "slow":
        Stops(os.getpid(), ("ibscope", "probe"))


def kill(pid, what):
    try:
        os.kill(pid, what)
    except ProcessLookupError:
        pass


class Stops:
    """Stops what a process runs, of these names (none: all), at random moments, until close()."""

    def __init__(self, parent, names=()):
        self.parent, self.names, self.over = parent, names, threading.Event()
        self.random = random.Random(os.environ.get("SEED"))
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self):
        while not self.over.wait(self.random.uniform(0, 0.2)):
            stopped = [pid for pid in children(self.parent) if not self.names or name(pid).startswith(self.names)]
            for pid in stopped:
                kill(pid, signal.SIGSTOP)
            time.sleep(self.random.choice((0.01, 0.05, 0.2, 0.6)) * self.random.random())
            for pid in stopped:
                kill(pid, signal.SIGCONT)

    def close(self):
        self.over.set()
        self.thread.join()
