"""A copy of the program's tree to build and change in, with what is built already, so that `make` there is short.

BUILD, CC and CFLAGS are those of the `make` that runs the tests.
"""
import os
import re
import shutil
import subprocess
import tempfile

from trial import BOUND

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TREE = ["Makefile", "README.md", "LICENSE", ".ci", "core", "engines", "views", "tui", "keymaps", "tests/fabrics/demo-3level.ibnet"]
ROOMS = ["core", "engines", "views", "tui"]


class Failed(Exception):
    pass


class Scratch:
    """The copy; `with` removes it."""

    def __init__(self):
        self.top = tempfile.mkdtemp(prefix="ibscope-build-")
        for name in TREE:
            self.copy(name)
        build = os.environ.get("BUILD", "build")
        for part in ("obj", "stamp", "builtin", "ibscope"):
            if os.path.exists(os.path.join(ROOT, build, part)):
                self.copy(os.path.join(build, part), os.path.join("build", part))

    def copy(self, name, to=None):
        here, there = os.path.join(ROOT, name), os.path.join(self.top, to or name)
        os.makedirs(os.path.dirname(there), exist_ok=True)
        if os.path.isdir(here):
            shutil.copytree(here, there, symlinks=True)  # times are kept
        else:
            shutil.copy2(here, there)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.top, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.top, *names)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def run(self, *args, status=0, **env):
        """What a command in the copy prints; Failed when it ends otherwise than expected."""
        clean = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CC", "CFLAGS")}
        p = subprocess.run(args, cwd=self.top, env={**clean, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, timeout=BOUND)
        if p.returncode != status:
            raise Failed("%s: status %d, expected %d:\n%s" % (" ".join(args), p.returncode, status, p.stdout[-3000:]))
        return p.stdout

    def settings(self):
        return ["%s=%s" % (name, os.environ[name]) for name in ("CC", "CFLAGS") if os.environ.get(name)]

    def make(self, *args, **more):
        return self.run("make", "--no-print-directory", "-j%d" % (os.cpu_count() or 1), *self.settings(), *args, **more)

    def would_compile(self, *args, **env):
        """Sources that `make` would compile, in a set; what it notes of its flags is as before."""
        stamps, kept = self.path("build", "stamp"), self.path("stamps-kept")
        if os.path.isdir(stamps):
            shutil.copytree(stamps, kept)
        said = self.make("-n", *args, **env)
        if os.path.isdir(kept):
            shutil.rmtree(stamps)
            os.rename(kept, stamps)
        return set(re.findall(r" -c -o \S+ (\S+\.c)$", said, re.M))

    def sources(self, endings=(".c",)):
        found = set()
        for room in ROOMS:
            for folder, _, names in os.walk(self.path(room)):
                found.update(os.path.relpath(os.path.join(folder, n), self.top) for n in names if n.endswith(endings))
        return found

    def including(self, header):
        """Sources that include a file, or one that does; read from their #include lines."""
        users = {}
        for path in self.sources((".c", ".h", ".def")):
            for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', self.read(path), re.M):
                users.setdefault(name, set()).add(path)
        found, todo = set(), [header]
        while todo:
            for path in users.get(todo.pop(), ()):
                if path not in found:
                    found.add(path)
                    todo.append(path)
        return {path for path in found if path.endswith(".c")}

    def ibscope(self, *args, status=0, **env):
        return self.run(self.path("build", "ibscope"), *args, status=status, **env)


def run_tests(suite, tests, wanted):
    """Run functions by name, print who failed and the sum; the exit status."""
    chosen = [t for t in tests if not wanted or t.__name__ in wanted]
    failed = 0
    for test in chosen:
        try:
            test()
        except (Failed, subprocess.SubprocessError, OSError) as e:
            failed += 1
            print("FAIL %s/%s: %s" % (suite, test.__name__, e), flush=True)
    print("%d passed, %d failed" % (len(chosen) - failed, failed))
    return 1 if failed or not chosen else 0
