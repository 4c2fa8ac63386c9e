#!/usr/bin/env python3
"""Fabrics on which ibscope says that OpenSM would never end: does it?

For each, ibscope has to stop with that warning, and the real OpenSM over ibsim must still be
at the engine after CPU_SECONDS of its own CPU time, fifty times what it needs for fabrics of this size.

Environment: IBSCOPE=build/ibscope-san.  The last line is "N passed, N failed".
"""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import opensm           # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope-san")))
CPU_SECONDS = 4
STOP = "STOP: OpenSM 3.3.23 never ends here"

# (engine, fabric, options)
CASES = (("lash", "mesh:5x4,fail=3,shuffle=1,seed=12", {"do_mesh_analysis": "TRUE"}),
         ("nue", "xgft:4,4:1,2,parallel=2,shuffle=1,seed=911219", {"nue_include_switches": "TRUE"}))


def run_case(engine, spec, options):
    """None, or why it failed."""
    with tempfile.TemporaryDirectory(prefix="endless.") as folder:
        topo = os.path.join(folder, "fabric.topo")
        lines = ["synth " + spec, "save " + topo] + ["set %s %s" % item for item in options.items()] + ["route " + engine]
        done = subprocess.run([IBSCOPE, "-e", "; ".join(lines)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=600)
        if STOP not in done.stdout or " routed " in done.stdout or done.returncode != 1:
            return "ibscope does not stop (status %d): %s" % (done.returncode, done.stdout[-300:])
        try:
            with opensm.OpenSM(topo, dict(options, routing_engine=engine, log_flags="0x47"), timeout=300,
                               cpu_seconds=CPU_SECONDS):
                return "opensm came to an end"
        except opensm.OpenSMSpins as spins:
            log = spins.log
            if "building routing with '%s'" % engine not in log or "tables configured" in log:
                return "opensm did not come to %s, or past it:\n%s" % (engine, log[-500:])
    return None


def run_all():
    """(passed, failed)"""
    counts = [0, 0]
    for engine, spec, options in CASES:
        try:
            why = run_case(engine, spec, options)
        except (opensm.OpenSMError, subprocess.SubprocessError, OSError) as e:
            why = str(e)
        counts[why is not None] += 1
        if why:
            print("FAILED endless %s: %s" % (spec, why))
    return tuple(counts)


if __name__ == "__main__":
    passed, failed = run_all()
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)
