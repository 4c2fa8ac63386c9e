#!/usr/bin/env python3
"""Compare what ibscope and ibdm make of .topo files, cable by cable: names, ports, widths and speeds.

usage: run.py

The .topo files that ibutils brings, and one file for each of its types of systems, with two of them cabled to each
other at rates that are told (ibdm takes 4x SDR where none is, ibscope what the ports have).  IBSCOPE is the program (build/ibscope); IBUTILS_ROOT a folder into which ibutils was unpacked (default: /).
Prints "N passed, N failed".  Without ibutils one test fails: it is among the packages that tests need.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
PREFIX = os.environ.get("IBUTILS_ROOT", "/")
SPEEDS = {"2.5": "SDR", "5": "DDR", "10": "QDR"}


def types_folder():
    found = sorted(glob.glob(os.path.join(PREFIX, "usr/lib/*/ibdm*/ibnl")))
    return found[0] if found else None


def run(argv):
    lib = ":".join(glob.glob(os.path.join(PREFIX, "usr/lib/*-linux-gnu")))
    env = dict(os.environ, IBDM_IBNL_PATH=types_folder())
    if PREFIX != "/":
        env["LD_LIBRARY_PATH"] = lib
    return subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", env=env, timeout=600).stdout


def of_ibdm(path):
    """Ends of cables: (node, port, node, port, rate)."""
    said = run([os.path.join(PREFIX, "usr/bin/ibdmsh"), os.path.join(HERE, "types.tcl"), path])
    ends = set()
    for a, p, b, q, width, speed in re.findall(r"^CABLE (.*)\|(\d+)\|(.*)\|(\d+)\|(\S+) (\S+)$", said, re.M):
        ends.add((a, int(p), b, int(q), width + SPEEDS.get(speed, speed)))
    return ends


def of_ibscope(path):
    said = run([IBSCOPE, "-e", "load %s; show warnings; save -" % path])
    names = dict((m[1], m[2]) for m in re.finditer(r'^(?:Switch|Ca)\s+\d+ "([^"]+)"\s+# "([^"]*)"', said, re.M))
    ends, node = set(), None
    for line in said.splitlines():
        head = re.match(r'(?:Switch|Ca)\s+\d+ "([^"]+)"', line)
        cable = re.match(r'\[(\d+)\](?:\(\w+\))?\s+"([^"]+)"\[(\d+)\].* (\d+x\w+)(?: label .*)?$', line)
        if head:
            node = names[head[1]]
        elif cable:
            ends.add((node, int(cable[1]), names[cable[2]], int(cable[3]), cable[4]))
    return ends, said


def types(folder):
    """First name of each TOPSYSTEM."""
    for path in sorted(glob.glob(os.path.join(folder, "*.ibnl"))):
        with open(path, errors="replace") as f:
            for name in re.findall(r"^TOPSYSTEM\s+([^,\s]+)", f.read(), re.M):
                yield name


def connectors(folder, name):
    """Names that stand alone behind an arrow in the TOPSYSTEM: ports of the front panel, of which all need not be."""
    for path in sorted(glob.glob(os.path.join(folder, "*.ibnl"))):
        with open(path, errors="replace") as f:
            text = f.read()
        if re.search(r"^TOPSYSTEM\s+%s\b" % re.escape(name), text, re.M):
            return re.findall(r"->[ \t]+(\S+)[ \t]*$", text[text.index("TOPSYSTEM"):], re.M)
    return []


# Boards left out, a variant that there is, one that there is not; systems named before their line, and cabled twice.
VARIANTS = """# boards
MTS9600 G CFG: leaf1=12x,leaf3=R,spine2=R,leaf2=4x
  L2/P2 -4x-5G-> Cougar H P1
  L4/P1 -4x-5G-> Gazelle G2 L4/P1

Gazelle G2 CFG: leaf2=R
  L4/P1 -4x-5G-> MTS9600 G L4/P1
  L3/P1 -1x-10G-> MT23108 H P2
"""


def compare(path):
    """None, or what differs."""
    wanted = of_ibdm(path)
    found, said = of_ibscope(path)
    if not wanted:
        return "ibdm says nothing of %s" % path
    if wanted == found:
        return None
    return "%d ends of cables by ibdm, %d by ibscope; the first that differ:\n  ibdm    %s\n  ibscope %s\n  %s" % (
        len(wanted), len(found), sorted(wanted - found)[:3], sorted(found - wanted)[:3], said[:300])


def main():
    if sys.argv[1:]:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    folder = types_folder()
    if not folder:
        print("FAIL: ibutils is not installed (.ci/packages)\n0 passed, 1 failed")
        return 1
    passed = failed = 0
    with tempfile.TemporaryDirectory() as own:
        paths = sorted(glob.glob(os.path.join(folder, "*.topo")))
        for name in types(folder):
            path, ports = os.path.join(own, name + ".topo"), connectors(folder, name)
            with open(path, "w") as f:
                f.write("%s A\n" % name)
                for i, port in enumerate(ports[:40]):
                    f.write("  %s %s %s B %s\n" % (port, ("-4x-10G->", "-12x-2.5G->", "-4x-5G->", "-1x-10G->")[i % 4], name, port))
            paths.append(path)
        paths.append(os.path.join(own, "variants.topo"))
        with open(paths[-1], "w") as f:
            f.write(VARIANTS)
        for path in paths:
            failure = compare(path)
            passed, failed = passed + (not failure), failed + bool(failure)
            if failure:
                print("FAIL %s: %s" % (os.path.basename(path), failure))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
