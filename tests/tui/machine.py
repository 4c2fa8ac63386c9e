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


def kill(pid, what):
    try:
        os.kill(pid, what)
    except ProcessLookupError:
        pass


class Stops:
    """Stops what a shell runs at random moments, until close()."""

    def __init__(self, shell_pid):
        self.shell, self.over = shell_pid, threading.Event()
        self.random = random.Random(os.environ.get("SEED"))
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self):
        while not self.over.wait(self.random.uniform(0, 0.2)):
            stopped = children(self.shell)
            for pid in stopped:
                kill(pid, signal.SIGSTOP)
            time.sleep(self.random.choice((0.01, 0.05, 0.2, 0.6)) * self.random.random())
            for pid in stopped:
                kill(pid, signal.SIGCONT)

    def close(self):
        self.over.set()
        self.thread.join()
