#!/usr/bin/env python3
"""Fabrics on which ibscope says that OpenSM would never end, or crash: does it?

For each, ibscope has to stop with that warning, and the real OpenSM over ibsim must still be
at the engine after CPU_SECONDS of its own CPU time, fifty times what it needs for fabrics of this size; or it must have ended.

Environment: IBSCOPE=build/ibscope-san.  The last line is "N passed, N failed".
"""
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import opensm           # noqa: E402
from trial import BOUND  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope-san")))
CPU_SECONDS = 4
STOP = "STOP: OpenSM 3.3.23 %s here"

HOST = "HOST"           # a file with the GUID of the first port of a host
# (engine, fabric, options[, what OpenSM does])
CASES = (("lash", "mesh:5x4,fail=3,shuffle=1,seed=12", {"do_mesh_analysis": "TRUE"}),
         ("nue", "xgft:4,4:1,2,parallel=2,shuffle=1,seed=911219", {"nue_include_switches": "TRUE"}),
         ("ftree", "xgft:4,4:1,2", {"io_guid_file": HOST, "max_reverse_hops": 19000}),
         ("ftree", "xgft:4,4:1,2", {"io_guid_file": HOST, "max_reverse_hops": 65535}, "crashes"))


def run_case(engine, spec, options, does="never ends"):
    """None, or why it failed."""
    with tempfile.TemporaryDirectory(prefix="endless.") as folder:
        topo = os.path.join(folder, "fabric.topo")
        saved = subprocess.run([IBSCOPE, "-e", "synth %s; save -" % spec], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, timeout=600).stdout
        with open(os.path.join(folder, HOST), "w", encoding="ascii") as f:
            f.write("0x%s\n" % re.search(r"^\[1\]\((\w+)\)", saved, re.M)[1])
        options = {k: os.path.join(folder, HOST) if v == HOST else v for k, v in options.items()}
        lines = ["synth " + spec, "save " + topo] + ["set %s %s" % item for item in options.items()] + ["route " + engine]
        done = subprocess.run([IBSCOPE, "-e", "; ".join(lines)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=600)
        if STOP % does not in done.stdout or " routed " in done.stdout or done.returncode != 1:
            return "ibscope does not stop (status %d): %s" % (done.returncode, done.stdout[-300:])
        try:
            with opensm.OpenSM(topo, dict(options, routing_engine=engine, log_flags="0x47"), timeout=BOUND,
                               cpu_seconds=CPU_SECONDS):
                return "opensm came to an end"
        except opensm.OpenSMEnded as ended:
            return None if does == "crashes" and ended.program == "opensm" else "%s ended" % ended.program
        except opensm.OpenSMSpins as spins:
            if does == "crashes":
                return "opensm did not crash"
            log = spins.log
            if "building routing with '%s'" % engine not in log or "tables configured" in log:
                return "opensm did not come to %s, or past it:\n%s" % (engine, log[-500:])
    return None


def run_all():
    """(passed, failed)"""
    counts = [0, 0]
    for case in CASES:
        try:
            why = run_case(*case)
        except (opensm.OpenSMError, subprocess.SubprocessError, OSError) as e:
            why = str(e)
        counts[why is not None] += 1
        if why:
            print("FAILED endless %s: %s" % (case[1], why))
    return tuple(counts)


if __name__ == "__main__":
    passed, failed = run_all()
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)
