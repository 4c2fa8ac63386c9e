"""Which programs of the tests come to a line: what does not come there cannot notice a mutation of it.

Unit programs, suites and each session of suite same run once with programs that tell which of their basic blocks run
(reach.c, built in BUILD/reach).  What they reached is kept in BUILD/mutate/reach as long as no source of the rooms changes.
"""
import glob
import hashlib
import os
import pickle
import re
import shutil
import subprocess
import tempfile

PROGRAMS = ("ibscope", "unit-tests", "live/probe")


def sum_of(root, files):
    told = hashlib.sha256()
    for path in sorted(files):
        with open(os.path.join(root, path), "rb") as f:
            told.update(path.encode() + b"\0" + f.read())
    return told.hexdigest()


def blocks(program, root, files):
    """{offset of the block's call: (file, line)}, of the files alone."""
    named = subprocess.run(["nm", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    start = next(int(line.split()[0], 16) for line in named.splitlines() if line.endswith(" __executable_start"))
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    calls = [int(m[1], 16) for m in re.finditer(r"^ *([0-9a-f]+):\tcall .*<__sanitizer_cov_trace_pc>$", code, re.M)]
    told = subprocess.run(["addr2line", "-e", program], input="".join("%x\n" % c for c in calls), stdout=subprocess.PIPE,
                          text=True, check=True).stdout.splitlines()
    found = {}
    for call, where in zip(calls, told):
        path, _, line = where.split(" ")[0].rpartition(":")
        path = of_rooms(path, files)
        if path and line.isdigit():
            found[call + 5 - start] = (path, int(line))
    if not found:
        raise RuntimeError("%s: no block of it is told to be of %s ..." % (program, sorted(files)[0]))
    return found


def of_rooms(path, files):
    """The file's name from the root on, or None; a compiler cache may have the object from another copy of the tree."""
    parts = path.split("/")
    return next((p for p in ("/".join(parts[i:]) for i in range(len(parts))) if p in files), None)


class Reach:
    def __init__(self, root, build, files):
        """files: of the rooms."""
        files = set(files)
        self.kept, self.mark = os.path.join(build, "mutate", "reach"), sum_of(root, files)
        self.blocks = {os.path.basename(p): blocks(os.path.join(build, "reach", p), root, files) for p in PROGRAMS}
        self.number = {at: i for i, at in enumerate(sorted({x for b in self.blocks.values() for x in b.values()}))}
        self.lines = {}
        for path, line in self.number:
            self.lines.setdefault(path, []).append(line)
        self.reached, self.more = {}, {}    # name: a bit for each of (file, line); what the caller keeps with it
        if os.path.exists(self.kept):
            with open(self.kept, "rb") as f:
                mark, number, reached, more = pickle.load(f)
            if mark == self.mark and number == self.number:
                self.reached, self.more = reached, more

    def measure(self, name, run):
        """run(environment) runs what is called so; what it gives is kept in `more`."""
        folder = tempfile.mkdtemp(prefix="reach.")
        more = run({"REACH": os.path.join(folder, "of")})
        bits = 0
        for path in glob.glob(os.path.join(folder, "of.*")):
            with open(path, "rb") as f:
                ran = f.read()
            for offset, at in self.blocks.get(os.path.basename(path)[3:], {}).items():
                if offset < len(ran) and ran[offset]:
                    bits |= 1 << self.number[at]
        shutil.rmtree(folder)
        self.reached[name], self.more[name] = bits, more

    def keep(self):
        with open(self.kept + ".new", "wb") as f:
            pickle.dump((self.mark, self.number, dict(self.reached), dict(self.more)), f)
        os.replace(self.kept + ".new", self.kept)

    def near(self, names, path, line):
        """
        {name: of how many}: those of the names that may come to the line.  A line where no block begins belongs to one
        of the next two above and below where one does; of these lines, how many names come to that with the fewest.
        """
        lines = sorted(self.lines.get(path, []))
        beside = [n for n in lines if n <= line][-2:] + [n for n in lines if n >= line][:2]
        found = {}
        for bit in {1 << self.number[path, n] for n in beside}:
            there = [n for n in names if self.reached[n] & bit]
            found.update({n: min(len(there), found.get(n, len(there))) for n in there})
        return found
