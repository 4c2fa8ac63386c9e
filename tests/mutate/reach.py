"""Which programs of the tests come to a line: what does not come there cannot notice a mutation of it.

Every program is run once with gcov's counters (BUILD/cov).  What it reached is kept in BUILD/mutate/reach.json, as long
as no source of the rooms changes.
"""
import glob
import hashlib
import json
import os
import shutil
import subprocess
import tempfile

# confined processes write no counters: all that may come there is taken to come there
BLIND = "core/source/"


def sum_of(root, files):
    told = hashlib.sha256()
    for path in sorted(files):
        with open(os.path.join(root, path), "rb") as f:
            told.update(path.encode() + b"\0" + f.read())
    return told.hexdigest()


def counted(root, build, folder, files):
    """{file: {line: times}} of the counters below folder, of the files alone."""
    cov = os.path.join(build, "cov")
    data = []
    for path in files:
        at = os.path.join(cov, path[:-2])
        counters = folder + at + ".gcda"
        if os.path.exists(counters):
            os.symlink(at + ".gcno", folder + at + ".gcno")
            data.append(counters)
    found = {}
    if not data:
        return found
    said = subprocess.run(["gcov", "--json-format", "--stdout", *data], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    for text in said.splitlines():
        for part in json.loads(text)["files"] if text.strip() else []:
            name = os.path.normpath(part["file"])
            if name in files:
                lines = found.setdefault(name, {})
                for at in part["lines"]:
                    lines[at["line_number"]] = lines.get(at["line_number"], 0) + at["count"]
    return found


class Reach:
    def __init__(self, root, build, files, programs, run):
        """
        programs: names of unit programs and suites; run(name, environment): runs one with gcov's counters.  Takes
        minutes when sources changed since the last time.
        """
        self.reached, self.lines = {}, {}
        kept, files = os.path.join(build, "mutate", "reach.json"), set(files)
        mark = sum_of(root, files)
        if os.path.exists(kept):
            with open(kept) as f:
                old = json.load(f)
            if old["mark"] == mark:
                self.reached, self.lines = old["reached"], old["lines"]
        for name in programs:
            if name in self.reached:
                continue
            folder = tempfile.mkdtemp(prefix="reach.")
            run(name, {"GCOV_PREFIX": folder})
            self.reached[name] = {}
            for path, lines in counted(root, build, folder, files).items():
                self.lines[path] = sorted(set(self.lines.get(path, ())) | set(lines))
                self.reached[name][path] = sorted(line for line, times in lines.items() if times)
            shutil.rmtree(folder)
            with open(kept + ".new", "w") as f:
                json.dump({"mark": mark, "reached": self.reached, "lines": self.lines}, f)
            os.replace(kept + ".new", kept)

    def comes(self, name, path, line):
        """May the program come to the line?  A line without code belongs to the next above and below that have some."""
        if path.startswith(BLIND) or name not in self.reached:
            return True
        lines = self.lines.get(path, [])
        near = [n for n in lines if n <= line][-1:] + [n for n in lines if n >= line][:1]
        return any(n in self.reached[name].get(path, ()) for n in near)
