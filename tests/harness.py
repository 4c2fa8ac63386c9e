#!/usr/bin/env python3
"""The test of tests/run.sh: what it says of suites that fail, stop half way, or say nothing.

At the end "N passed, N failed".
"""
import os
import subprocess
import sys
import tempfile

RUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.sh")

# what suites do, and the sum and status that run.sh has to come to
CASES = {
    "passes": (["echo 3 passed, 0 failed"], "3 passed, 0 failed", 0),
    "fails": (["echo 3 passed, 2 failed; exit 1"], "3 passed, 2 failed", 1),
    "fails without telling by its status": (["echo 3 passed, 2 failed"], "3 passed, 2 failed", 1),
    "tells by its status alone": (["echo 3 passed, 0 failed; exit 1"], "3 passed, 1 failed", 1),
    "says nothing": ([":"], "0 passed, 1 failed", 1),
    "tests nothing": (["echo 0 passed, 0 failed"], "0 passed, 1 failed", 1),
    "stops behind the sum of a part": (["echo 3 passed, 0 failed; echo part two"], "0 passed, 1 failed", 1),
    "is killed": (["echo begin; kill -9 $$"], "0 passed, 1 failed", 1),
    "is killed behind its sum": (["echo 3 passed, 0 failed; kill -9 $$"], "0 passed, 1 failed", 1),
    "says more in its last line": (["echo 3 passed, 0 failed, 1 skipped"], "0 passed, 1 failed", 1),
    "several": (["echo 3 passed, 0 failed", "echo 1 passed, 4 failed; exit 1", "exit 7", "echo 10 passed, 0 failed"],
                "14 passed, 5 failed", 1),
    "signals in the pool are as usual": (["kill -INT $$; echo 1 passed, 0 failed", "echo 2 passed, 0 failed"], "2 passed, 1 failed", 1),
}
# In the pool each waits for the next one, which begins beside it; what they said comes in order.
BESIDE = ["until [ -e %s ]; do sleep 0.05; done; echo said by A; echo 1 passed, 0 failed", "echo said by B; : >%s; echo 2 passed, 0 failed"]



def said(*suites):
    p = subprocess.run([RUN, *suites], env=dict(os.environ, JOBS="2"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return p.stdout.rstrip("\n").split("\n"), p.returncode


def run(*suites):
    lines, status = said(*suites)
    return lines[-1], status


def written(folder, number, scripts):
    suites = []
    for i, script in enumerate(scripts):
        suites.append(os.path.join(folder, "suite-%s-%d" % (number, i)))
        with open(suites[-1], "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\n" + script + "\n")
        os.chmod(suites[-1], 0o755)
    return suites


def main():
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, (scripts, line, status)) in enumerate(CASES.items()):
            results[name] = (run(*written(folder, number, scripts)), (line, status))
        flag = os.path.join(folder, "flag")
        lines = said(*written(folder, "beside", [script.replace("%s", flag) for script in BESIDE]))[0]
        results["beside each other, told in order"] = ([s for s in lines if not s.startswith("==")],
                                                       ["said by A", "1 passed, 0 failed", "said by B", "2 passed, 0 failed", "3 passed, 0 failed"])
    results["unknown"] = (run("no-such-suite"), ("0 passed, 1 failed", 1))
    failed = 0
    for name, (found, expected) in results.items():
        if found != expected:
            failed += 1
            print("FAIL harness/%s: found %r, expected %r" % (name, found, expected))
    print("%d passed, %d failed" % (len(results) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
