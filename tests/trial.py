"""Tests as functions by name: what they expect, who is run, who failed, and the sum that tests/run.sh reads."""
import fnmatch
import os
import random
import subprocess
import tempfile


BOUND = 900  # seconds that end what hangs: nothing takes so long, on the busiest machine either


class Failed(Exception):
    """The message is what is printed."""


def expect(good, *told):
    if not good:
        raise Failed(" ".join(map(str, told))[-1200:])


def chosen_seed():
    """SEED of the environment, else a new one, as text; a test that uses it prints it."""
    return os.environ.get("SEED") or str(random.SystemRandom().randrange(10 ** 9))


def count_tests(suite, tests, wanted=(), also=(), repeat=None):
    """Run the tests, {name: function of a folder that is empty and its own} or functions known by their names.

    wanted: names or globs, none: all.  also: what a test may raise besides Failed when it fails.  repeat: a line that
    tells how to run a test by its name again.  (passed, failed).
    """
    if not isinstance(tests, dict):
        tests = {test.__name__: test for test in tests}
    passed = failed = 0
    for name, test in tests.items():
        if wanted and not any(fnmatch.fnmatch(name, glob) for glob in wanted):
            continue
        with tempfile.TemporaryDirectory(prefix=suite + ".") as folder:
            try:
                test(os.path.realpath(folder))
                passed += 1
            except (Failed, OSError, LookupError, TypeError, ValueError, subprocess.SubprocessError, *also) as e:
                failed += 1
                kind = "" if isinstance(e, Failed) else type(e).__name__ + ": "
                print("FAIL %s %s: %s%s" % (suite, name, kind, e), flush=True)
                if repeat:
                    print("    repeat: " + repeat(name), flush=True)
    return passed, failed


def run_tests(*args, **more):
    """The same, and print the sum; the exit status."""
    passed, failed = count_tests(*args, **more)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


class Tally:
    """Verdicts one by one: tally(good, what to print when it is not)."""
    passed = failed = 0

    def __call__(self, good, what):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(what)

    def status(self):
        """Print the sum; the exit status."""
        print("%d passed, %d failed" % (self.passed, self.failed))
        return 1 if self.failed or not self.passed else 0
