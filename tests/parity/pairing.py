"""What tests share that run ibscope and the real OpenSM on one fabric, beside run.py."""
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope-san")))

sys.path.append(os.path.dirname(HERE))
import contract         # noqa: E402
import opensm           # noqa: E402
from trial import Failed, chosen_seed, count_tests  # noqa: E402


def environment():
    """Of a start of ibscope.  To look for what is left unfreed takes a third of a start: done in one of PARITY_LEAKS."""
    looks = random.SystemRandom().randrange(int(os.environ.get("PARITY_LEAKS", "1"))) == 0
    return None if looks else dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")


def said(*lines, folder, args=(), faults=False):
    """
    What it prints; endports have the GUIDs that ibsim gives.  faults: it may find some (status 1), or nothing to
    judge (status 3, which an error has, too: `told` knows the one from the other).
    """
    done = subprocess.run([IBSCOPE, *args, "-e", "; ".join(("set port_guids ibsim",) + lines)], cwd=folder, env=environment(),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    if done.returncode not in ((0, 1, 3) if faults else (0,)):
        raise Failed("ibscope: exit status %d: %s" % (done.returncode, done.stdout.strip()[-300:]))
    return done.stdout


def told(*lines, folder, faults=False):
    """The JSON objects of the same, without what advise tells on standard error meanwhile."""
    text = said(*lines, folder=folder, args=("--json",), faults=faults)
    objects = contract.objects(IBSCOPE, re.sub(r"^advise: \d+\. .*\n", "", text, flags=re.M))
    wrong = [o["error"] for o in objects if "error" in o]
    if wrong:
        raise Failed("ibscope: %s" % wrong[0])
    return objects


def count_cases(suite, cases, check, seed, wanted=()):
    """check(name, folder, random numbers) for each case, or for PARITY_OTHERS of them; (passed, failed)."""
    if not wanted and "PARITY_OTHERS" in os.environ:
        drawn = random.Random("%s %s" % (seed, suite)).sample(sorted(cases), min(len(cases), int(os.environ["PARITY_OTHERS"])))
        cases = [name for name in cases if name in drawn]
    tests = {name: lambda folder, name=name: check(name, folder, random.Random("%s %s" % (seed, name))) for name in cases}
    return count_tests(suite, tests, wanted, also=(opensm.OpenSMError, contract.Breach),
                       repeat=lambda name: "SEED=%s tests/parity/%s.py %s" % (seed, suite, name))


def run_cases(suite, what, cases, check):
    """The same for the cases that the command line names, as a program; the exit status."""
    lack = opensm.missing() or (None if os.access(IBSCOPE, os.X_OK) else "no program %s" % IBSCOPE)
    if lack:
        print("%s: %s" % (suite, lack), file=sys.stderr)
        return 2
    seed = chosen_seed()
    print("%s with %s: SEED=%s" % (what, os.path.relpath(IBSCOPE), seed), flush=True)
    passed, failed = count_cases(suite, cases, check, seed, sys.argv[1:])
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0
