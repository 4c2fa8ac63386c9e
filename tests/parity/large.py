#!/usr/bin/env python3
"""Min Hop on the large real fabrics, against checksums of what OpenSM 3.3.23 wrote.

usage: large.py [--refresh]

Each tests/fabrics/real/NAME.xz is routed by ibscope, and the SHA-256 of its
`export lfts` compared with tests/parity/large.sha256.  --refresh runs the real
OpenSM on every one of them (half a minute each) and writes that file anew.
IBSCOPE=program (default build/ibscope).  Prints "N passed, N failed".
"""
import glob
import hashlib
import lzma
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from trial import BOUND  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
SUMS = os.path.join(HERE, "large.sha256")


def unpacked(path, folder):
    out = os.path.join(folder, os.path.basename(path)[:-len(".xz")])
    with lzma.open(path) as f, open(out, "wb") as g:
        g.write(f.read())
    return out


def digest_of_file(path):
    h = hashlib.sha256()
    with open(path, "rb") as f:
        while block := f.read(1 << 20):
            h.update(block)
    return h.hexdigest()


def from_ibscope(path, folder):
    dump = os.path.join(folder, "lfts")
    commands = "set port_guids ibsim; route minhop; export lfts '%s'" % dump
    subprocess.run([IBSCOPE, "-e", commands, path], check=True, stdout=subprocess.DEVNULL, timeout=BOUND)
    return digest_of_file(dump)


def from_opensm(path):
    sys.path.insert(0, HERE)
    import opensm
    with opensm.OpenSM(path, {"routing_engine": "minhop"}, timeout=600) as sm:
        return hashlib.sha256(sm.lfts()).hexdigest()


def expected():
    with open(SUMS) as f:
        return dict(reversed(line.split()) for line in f if line.strip())


def main():
    # those that the simulator reads
    packed = sorted(p for p in glob.glob(os.path.join(ROOT, "tests/fabrics/real/*.xz")) if not p.endswith(".lst.xz"))
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="large.") as folder:
        if sys.argv[1:] == ["--refresh"]:
            with open(SUMS, "w") as f:
                for p in packed:
                    path = unpacked(p, folder)
                    f.write("%s  %s\n" % (from_opensm(path), os.path.basename(path)))
            return 0
        want = expected()
        for p in packed:
            path = unpacked(p, folder)
            name = os.path.basename(path)
            got = from_ibscope(path, folder)
            good = got == want.get(name)
            passed, failed = passed + good, failed + (not good)
            if not good:
                print("FAILED %s: the dump differs from OpenSM's (SHA-256 %s, expected %s)" % (name, got, want.get(name)))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
