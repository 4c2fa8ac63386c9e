#!/usr/bin/env python3
"""ibutils' ibdmchk reads `export subnet` and `export fdbs`, and judges as `check` does.

usage: ibdmchk.py [CASE]...

For each case: the pairs of hosts that have no path are the same ones, paths are as long, and there are credit loops
where `check` says so and nowhere else; with service levels where the engine sets them (quality of service on), and
without.  IBSCOPE=build/ibscope; IBUTILS_ROOT as for run.py.  Prints "N passed, N failed".  Without ibutils one test
fails: it is among the packages that tests need.
"""
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run as topo  # noqa: E402
sys.path.append(os.path.join(topo.ROOT, "tests"))
from trial import expect, run_tests  # noqa: E402

IBDMCHK = os.path.join(topo.PREFIX, "usr/bin/ibdmchk")
FABRICS = os.path.join(topo.ROOT, "tests", "fabrics")

# name: (fabric, commands that route, has it credit loops without service levels?, has it with them?)
CASES = {
    "tree-updn": ("synth xgft:2,4,4:1,2,4", "route updn", False, None),
    "tree-minhop": ("synth xgft:2,4,4:1,2,4", "route minhop", False, None),
    "tree-ftree": ("synth xgft:3,4,4:1,3,4", "route ftree", False, None),
    "demo-failed": ("load %s/demo-3level.ibnet" % FABRICS, "route updn; fail link leaf-03[5]; fail switch core-02", None, None),
    "stage": ("load %s/formats/stage-qdr-fdr10.ibnetdiscover" % FABRICS, "route minhop", False, None),
    "ring": ("synth ring:6", "route minhop", True, None),
    "torus-dor": ("synth torus:4x4,hosts=2", "route dor", True, None),
    "torus-minhop": ("synth torus:5x4,hosts=1", "route minhop", True, None),
    "torus-updn": ("synth torus:4x4,hosts=2", "route updn root_guid_file=t00", False, None),
    "torus-lash": ("synth torus:4x4,hosts=2", "set qos TRUE; route lash", True, False),
    "torus-dfsssp": ("synth torus:4x4,hosts=2", "set qos TRUE; route dfsssp", True, False),
    "torus-nue": ("synth torus:4x4,hosts=2", "set qos TRUE; route nue", None, False),
    "mesh-dor": ("synth mesh:4x4,hosts=2", "route dor", False, None),
    "hypercube": ("synth hypercube:4", "route minhop", True, None),
    "random": ("synth random:20,6,hosts=2,seed=3", "route minhop", True, None),
    "random-updn": ("synth random:20,6,hosts=2,seed=3", "route updn root_guid_file=sw-01", False, None),
}


def ibscope(folder, commands, status=(0, 1)):
    done = subprocess.run([topo.IBSCOPE, "--json", "-e", commands], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    expect(done.returncode in status, done.stdout)
    return [json.loads(line) for line in done.stdout.splitlines()]


def guids(folder):
    """{LID: node GUID} of hosts, {node GUID: name}, as the subnet file tells."""
    lid, name = {}, {}
    with open(os.path.join(folder, "subnet"), encoding="utf-8") as f:
        for node, desc, number in re.findall(r"\{ CA(?:-SM)? Ports:\w+ SystemGUID:\w+ NodeGUID:(\w+) .*? \{(.*?)\} LID:(\w+) PN", f.read()):
            lid[int(number, 16)], name[node] = node, desc
    return lid, name


def write_sls(folder):
    """Lines "0xGUID LID SL" of `export paths`; the highest of SLs where one is drawn."""
    lid, _ = guids(folder)
    with open(os.path.join(folder, "paths"), encoding="ascii") as f, open(os.path.join(folder, "sls"), "w", encoding="ascii") as to:
        for line in f:
            src, dst, sl, _ = line.split()
            if sl != "-":
                to.write("0x%s %s %s\n" % (lid[int(src)], dst, sl.split("..")[-1]))


def judged(folder, *more):
    """What ibdmchk says: pairs without a path (of node GUIDs), {hops: pairs}, pairs, credit loops."""
    open(os.path.join(folder, "mcfdbs"), "w", encoding="ascii").close()
    text = topo.run([IBDMCHK, "-s", os.path.join(folder, "subnet"), "-f", os.path.join(folder, "fdbs"), "-m",
                     os.path.join(folder, "mcfdbs"), *more])
    expect("Fail to parse" not in text and "Parsing FDBs file" in text, text)
    lost = set(re.findall(r"Fail to find a path from:\w(\w{16})/\S+ to:\w(\w{16})/", text))
    tables = re.findall(r"HOPS NUM-CA-CA-PAIRS\n(.*?)\n-", text, re.S)
    expect(len(tables) == 2, text)      # of least hops, and by the tables
    hops = dict(map(int, line.split()) for line in tables[1].splitlines() if line.strip())
    scanned = re.search(r"(?:Scanned:|missing paths out of:)(\d+) ", text)
    expect(scanned, text)
    loops = "Found credit loop" in text
    expect(loops != ("no credit loops found" in text) or lost, text)
    return lost, hops, int(scanned[1]), loops


def ours(folder, told):
    """The same by `check` and `export paths`."""
    check = [o for o in told if o["command"] == "check"][-1]
    lid, _ = guids(folder)
    lost, hops = set(), {}
    with open(os.path.join(folder, "paths"), encoding="ascii") as f:
        for line in f:
            src, dst, _, n = line.split()
            if n == "-":
                lost.add((lid[int(src)], lid[int(dst)]))
            else:
                hops[int(n)] = hops.get(int(n), 0) + 1
    expect(len(lost) == check["unreachable"], "check says", check["unreachable"], "export paths", len(lost))
    return lost, hops, check["check"]["pairs"], bool(check["credit_loops"])


def compare(folder, told, *more):
    """Are there credit loops?"""
    want, got = judged(folder, *more), ours(folder, told)
    expect(want[0] == got[0], "without a path: ibdmchk", len(want[0]), "ibscope", len(got[0]), sorted(want[0] ^ got[0])[:3])
    expect(want[1] == got[1], "hops: ibdmchk", want[1], "ibscope", got[1])
    expect(want[2] == got[2], "pairs: ibdmchk", want[2], "ibscope", got[2])
    # it looks for credit loops among whole paths only
    expect(want[0] or want[3] == got[3], "credit loops: ibdmchk", want[3], "ibscope", got[3])
    return want[3]


EXPORTS = "; export subnet subnet; export fdbs fdbs; export paths paths; check"


def of_case(folder, name):
    fabric, route, loops, with_sls = CASES[name]
    told = ibscope(folder, "%s; %s%s" % (fabric, route, EXPORTS))
    if with_sls is not None:
        write_sls(folder)
        expect(compare(folder, told, "-c", os.path.join(folder, "sls")) == with_sls, "credit loops with service levels")
        told = ibscope(folder, "%s; %s; set qos FALSE%s" % (fabric, route, EXPORTS))
    found = compare(folder, told)
    expect(loops is None or found == loops, "credit loops:", found, "expected", loops)


def broken(folder, change):
    """Tables that were changed by hand: an entry taken out, or one that leads back."""
    ibscope(folder, "synth xgft:2,4,4:1,2,4; route updn; export lfts good")
    with open(os.path.join(folder, "good"), encoding="utf-8") as f:
        text = f.read()
    with open(os.path.join(folder, "bad"), "w", encoding="utf-8") as f:
        f.write(change(text))
    told = ibscope(folder, "synth xgft:2,4,4:1,2,4; tables bad" + EXPORTS)
    compare(folder, told)
    lost = ours(folder, told)[0]
    expect(lost, "nothing is lost")


def taken_out(text):
    """The first switch's entry of its own first host."""
    return re.sub(r"^0x\w+ \d+ # Channel Adapter.*\n", "", text, count=1, flags=re.M)


def leads_back(text):
    """spine-01 sends node0001, which hangs on leaf-01, to another leaf, which sends it back up."""
    head, _, rest = text.partition("('spine-01')")
    return head + "('spine-01')" + re.sub(r"(0x0003) 001", r"\1 002", rest, count=1)


def main():
    if not os.access(IBDMCHK, os.X_OK):
        print("FAIL: ibutils is not installed (.ci/packages)\n0 passed, 1 failed")
        return 1
    tests = {name: (lambda folder, name=name: of_case(folder, name)) for name in CASES}
    tests["entry-taken-out"] = lambda folder: broken(folder, taken_out)
    tests["entry-leads-back"] = lambda folder: broken(folder, leads_back)
    return run_tests("ibdmchk", tests, sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
