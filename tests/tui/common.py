"""What the tests of the explorer share: which program, how long to wait, how to fail."""
import fcntl
import glob
import os
import struct
import sys
import termios
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import trial  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
BOUND = float(os.environ.get("TUI_BOUND", trial.BOUND))  # seconds
FABRIC = "-R minhop xgft:4,4:1,2"


class Failed(Exception):
    pass


def all_read(pid, threads="[0-9]*", others=()):
    """Wait until a program has taken all keys from its terminal, and these threads and files of others wait for longer than an Esc is held."""
    end = time.monotonic() + BOUND
    waits = 0
    while waits < 5 and os.path.exists("/proc/%d/fd/0" % pid) and time.monotonic() < end:
        time.sleep(0.02)
        tty = os.open("/proc/%d/fd/0" % pid, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        left = struct.unpack("i", fcntl.ioctl(tty, termios.FIONREAD, b"\0" * 4))[0]
        os.close(tty)
        states = set()
        for stat in [*glob.glob("/proc/%d/task/%s/stat" % (pid, threads)), *others]:
            try:
                with open(stat, encoding="utf-8") as f:
                    states.add(f.read().rpartition(")")[2].split()[0])
            except OSError:     # it has ended
                continue
        waits = waits + 1 if not left and states <= {"S"} else 0
