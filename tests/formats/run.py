#!/usr/bin/env python3
"""One fabric, whatever the file: the files of one run, read each, give the same nodes, cables, LIDs, names and speeds.

usage: run.py [TEST]...
IBSCOPE=build/ibscope.  SEED=N draws the same fabrics, ROUNDS of them.  REAL=FOLDER: also compare the files of a run in
that folder with each other.  Prints "N passed, N failed".
"""
import glob
import gzip
import json
import lzma
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path += [os.path.join(ROOT, "tests"), HERE]
from forms import BY_LID, FORMS, ROWS_BELOW, SWAPPED, parse_saved  # noqa: E402
from trial import chosen_seed, expect, run_tests  # noqa: E402

IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
SEED = chosen_seed()
ROUNDS = int(os.environ.get("ROUNDS", "30" if os.environ.get("LONG") == "1" else "4"))
SOURCES = [os.path.join(ROOT, "tests", "fabrics", "formats", "two-leaf.ibnetdiscover"),
           os.path.join(ROOT, "tests", "fabrics", "formats", "voltaire-2007-lmc1.ibnetdiscover"),
           "xgft:3,3:1,2", "ring:5", "torus:3x3"]


SPOILS = bytes(range(0x20, 0x7f)) + b"\t\xff"


def load(path):
    """(the fabric as saved, None where it is refused; what the program said; is it incomplete?)"""
    saved = path + ".saved"
    if os.path.exists(saved):
        os.remove(saved)
    done = subprocess.run([IBSCOPE, "-e", f"load '{path}'; save '{saved}'"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=600)
    expect(done.returncode in (0, 1, 3), path, done.returncode, done.stdout)
    if not os.path.exists(saved):
        expect(done.returncode == 3 and b"expected" in done.stdout or b"not" in done.stdout, done.stdout)
        return None, done.stdout, False
    with open(saved, "rb") as f:
        return parse_saved(f.read()), done.stdout, b"INCOMPLETE" in done.stdout or b"incomplete" in done.stdout


def key(f, guid, p, by_lid):
    """An end of a cable by what all forms tell of it."""
    n = f[guid]
    if n["type"] == "SW":
        return ("SW", guid, p)
    return ("host", n["ports"][p]["lid"] if by_lid else n["ports"][p]["guid"])


def told(f, by_lid):
    """Cables with their speeds, and names and LIDs of what is cabled."""
    cables, names, lids = set(), {}, {}
    for g, n in f.items():
        for p, port in n["ports"].items():
            if not port["peer"]:
                continue
            ends = sorted([key(f, g, p, by_lid), key(f, *port["peer"], by_lid)])
            cables.add((*ends, port["width"], port["speed"]))
            k = key(f, g, p, by_lid)[:2]
            names[k] = n["desc"].strip()
            lids[k] = n["lid"] if n["type"] == "SW" else port["lid"]
    return cables, names, lids


def ends(f):
    """Cables by their ends alone."""
    return wired(f, False)


def wired(f, by_lid):
    """The same, hosts by what the form tells of them."""
    return {(a, b) for a, b, width, speed in told(f, by_lid)[0]}


def same(found, wanted, by_lid, *what):
    expect(found is not None, "refused", *what)
    for a, b in zip(told(found, by_lid), told(wanted, by_lid)):
        if a != b:
            a, b = (set(x.items()) if isinstance(x, dict) else x for x in (a, b))
            expect(False, *what, "found only", sorted(a - b)[:4], "expected", sorted(b - a)[:4])


def some_name(rng, taken):
    words = ["MF0;leaf%d:MQM9700/U1", "node%03d HCA-1", "host-%d mlx5_0", "a:b:%d", "x, y %d", "%d # 4036", "(%d)",
             "n%d [1]", "Quantum-2 Mellanox Technologies"]
    name = rng.choice(words)
    return (name % taken if "%d" in name or "%03d" in name else name).encode()


def clean(b):
    return bytes(c if 0x20 <= c < 0x7f else 0x20 for c in b)[:63]


def draw(rng, folder):
    """A bundled fabric, with names, labels and lost cables of its own; all hosts have LIDs."""
    path = os.path.join(folder, "source")
    source = rng.choice(SOURCES)
    done = subprocess.run([IBSCOPE, "-e", f"save '{path}'", source], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expect(done.returncode == 0, source, done.stdout)
    with open(path, "rb") as file:
        f = parse_saved(file.read())
    lid = 1
    for i, (g, n) in enumerate(f.items()):
        n["raw"] = some_name(rng, i) + rng.choice([b"", b"", " é".encode(), " é".encode("latin-1")])
        if n["type"] != "SW" and n["raw"].startswith(b"MF0;"):
            n["raw"] = b"h" + n["raw"]
        n["desc"] = n["raw"]
        n["lid"], lid = (lid, lid + 1) if n["type"] == "SW" else (0, lid)
        for p, port in n["ports"].items():
            port["lid"], port["lmc"], lid = (0, 0, lid) if n["type"] == "SW" else (lid, 0, lid + 1)
            port["width"], port["speed"] = "4x", "NDR"
            port["label"] = f"1/{(p + 1) // 2}/{2 - p % 2}" if n["type"] == "SW" else f"B{i % 200}D0F0/0/0/{p}"
    speeds = ["SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR"]
    lost = rng.random() * 0.2
    for g, n in f.items():
        for p, port in n["ports"].items():
            far = f[port["peer"][0]]["ports"][port["peer"][1]] if port["peer"] else None
            if far and (g, p) < port["peer"]:
                port["width"] = far["width"] = rng.choice(["1x", "2x", "4x", "12x"])
                port["speed"] = far["speed"] = rng.choice(speeds)
                if rng.random() < lost:
                    port["peer"] = far["peer"] = None
    top = max(n["lid"] for n in f.values())
    expect(top and lid < 0xbfff)
    return f


def write(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(data)
    return path


def cleaned(f):
    return {g: dict(n, desc=clean(n["desc"])) for g, n in f.items()}


def rounds(name, folder):
    for i in range(ROUNDS):
        rng = random.Random(f"{SEED} {name} {i}")
        yield rng, draw(rng, folder), f"SEED={SEED} round {i}"


def same_fabric(folder):
    """Each form gives the fabric that was written: as it is, with CR LF, packed."""
    for rng, f, where in rounds("same", folder):
        for form, writer in FORMS.items():
            data = writer(f)
            way = rng.choice(["", "crlf", "xz", "gz"])
            data = data.replace(b"\n", b"\r\n") if way == "crlf" else data
            packed = lzma.compress(data) if way == "xz" else gzip.compress(data) if way == "gz" else data
            found, said, incomplete = load(write(folder, form, packed))
            expect(not incomplete, where, form, way, said)
            same(found, cleaned(f), form in BY_LID, where, form, way)


def cuts(folder):
    """A file cut behind any line is refused, incomplete, or has lost nothing that was told."""
    for rng, f, where in rounds("cuts", folder):
        form = rng.choice(sorted(FORMS))
        whole = FORMS[form](f).split(b"\n")
        for cut in rng.sample(range(1, len(whole)), min(12, len(whole) - 1)):
            data = b"\n".join(whole[:cut]) + b"\n" * rng.randint(0, 1)
            found, said, incomplete = load(write(folder, form, data))
            if found is not None and not incomplete and told(found, form in BY_LID)[0] != told(f, form in BY_LID)[0]:
                expect(ends_whole(form, whole, cut), where, form, "cut at line", cut, said)


def ends_whole(form, whole, cut):
    """Nothing shows that a list without an end mark lacks its last blocks, when no cable leads there."""
    return form in ("old.net_dump", "iblinkinfo", "iblinkinfo-S", "iblinkinfo-l", "ibnetdiscover-p", "ibdiagnet2.db_csv")


def lines_lost(folder):
    """A line that is lost, damaged, there twice or in another's place never makes a sound other fabric."""
    for rng, f, where in rounds("lost", folder):
        form = rng.choice(sorted(FORMS))
        whole = FORMS[form](f).split(b"\n")
        want = told(cleaned(f), form in BY_LID)[0]
        for _ in range(12):
            ways = ["lost", "damaged", "twice", "half"] + ["swapped"] * (form not in ROWS_BELOW)
            at, what = rng.randrange(len(whole)), rng.choice(ways)
            data = whole[:at] + {"lost": [], "damaged": [whole[at].translate(bytes.maketrans(b'":[', b"???"))],
                                 "twice": [whole[at]] * 2, "half": [whole[at][:len(whole[at]) // 2]],
                                 "swapped": [whole[at]]}[what] + whole[at + 1:]
            if what == "swapped":
                other = rng.randrange(len(whole))
                data[at], data[other] = data[other], data[at]
            found, said, incomplete = load(write(folder, form, b"\n".join(data)))
            if found is None or incomplete:
                continue
            got = told(found, form in BY_LID)[0]
            # a cable that is not there, or there otherwise, is told by a warning at least
            expect(got == want or b"warning" in said, where, form, what, at + 1, whole[at], said)


def resaved(folder, f):
    """The text of ibnetdiscover, as `save` writes it."""
    path = write(folder, "whole", FORMS["ibdiagnet2.ibnetdiscover"](f))
    load(path)
    with open(path + ".saved", "rb") as file:
        return file.read()


def spoiled(folder):
    """One character of a line of a block becomes another, at both ends of the cable, too: never is a cable gone in silence."""
    for rng, f, where in rounds("spoiled", folder):
        for form in ["saved.ibnetdiscover", *FORMS]:
            whole = (FORMS[form](f) if form in FORMS else resaved(folder, f)).split(b"\n")
            want = wired(cleaned(f), form in BY_LID)
            lines = [i for i, line in enumerate(whole) if line and not line.startswith(b"#")]
            for n in range(12 if form.endswith("ibnetdiscover") else 3):
                data, at = whole[:], rng.choice(lines)
                both = [i for i in lines if n % 2 and i != at and whole[i].startswith(b"[")]
                for i in [at] + ([rng.choice(both)] if both else []):
                    k = 0 if n < 6 else rng.randrange(len(data[i]))
                    data[i] = data[i][:k] + bytes([rng.choice(SPOILS)]) + data[i][k + 1:]
                found, said, incomplete = load(write(folder, form, b"\n".join(data)))
                if found is None or incomplete:
                    continue
                got = wired(found, form in BY_LID)
                expect(got == want or b"warning" in said, where, form, at + 1, data[at], said)


def both_ends(folder):
    """A cable whose lines are spoiled at both its ends makes the fabric incomplete, whatever the characters are."""
    for rng, f, where in rounds("both", folder):
        for form in ("saved.ibnetdiscover", "ibdiagnet2.ibnetdiscover"):
            whole = (FORMS[form](f) if form in FORMS else resaved(folder, f)).split(b"\n")
            ports = [(i, m) for i, m in ((i, re.match(rb'\[(\d+)\].*?"(\S+)"\[(\d+)\]', x)) for i, x in enumerate(whole)) if m]
            i, m = rng.choice(ports)
            own = next(re.search(rb'"(\S+)"', whole[k])[1] for k in range(i, -1, -1) if re.match(rb"(Switch|Ca|Rt)", whole[k]))
            there = [k for k, x in ports if x[2] == own and x[3] == m[1] and x[1] == m[3]]
            for k in [i] + there:
                whole[k] = bytes([rng.choice(SPOILS)]) + whole[k][1:]
            found, said, incomplete = load(write(folder, form, b"\n".join(whole)))
            expect(found is None or incomplete, where, form, whole[i], said)


STATES = {"ibdiagnet2.lst": (rb"LOG=ACT", rb"LOG=%s"), "ibdiagnet2.db_csv": (rb"(?m),4,(\d+)$", None),
          "ibdiagnet2.net_dump": (rb"\bACT\b", rb"%s"), "ibdiagnet2.net_dump_ext": (rb"\bACT\b", rb"%s"),
          "iblinkinfo": (rb"Active/", rb"%s/"), "iblinkinfo-l": (rb"Active/", rb"%s/"), "iblinkinfo-S": (rb"Active/", rb"%s/")}


def states(folder):
    """Where a form tells the states of ports, those in Initialize or Armed carry no data; where it does not, that is told."""
    for rng, f, where in rounds("states", folder):
        for form, (what, by) in STATES.items():
            whole, (number, short, word) = FORMS[form](f), rng.choice([(b"2", b"INI", b"Initialize"), (b"3", b"ARM", b"Armed")])
            by = by and by % (word if b"/" in by else short) or b"," + number + rb",\1"
            data, n = re.subn(what, by, whole)
            expect(n, where, form)
            path = write(folder, form, data)
            done = subprocess.run([IBSCOPE, "--json", "-R", "minhop", "-e", "check", path], capture_output=True, timeout=600)
            told_ = json.loads(done.stdout.splitlines()[-1])
            expect(told_["unreachable"] == told_["check"]["pairs"] and not told_["sound"], where, form, done.stdout)
            expect(not told_["check"]["pairs"] or done.returncode == 1, where, form, done.returncode)
            # what is lost without any state: a fabric drawn in two parts
            cut = json.loads(subprocess.run([IBSCOPE, "--json", "-R", "minhop", "-e", "check", write(folder, form, whole)], capture_output=True,
                                            timeout=600).stdout.splitlines()[-1])["causes"]
            expect(all(b"in " + word + b":" in c["why"].encode() or any(c["why"] == x["why"] for x in cut) for c in told_["causes"]),
                   where, form, told_["causes"], cut)
        path = write(folder, "stateless", resaved(folder, f))
        done = subprocess.run([IBSCOPE, path, "-e", "show"], capture_output=True, timeout=600)
        expect(done.stdout.count(b"states of ports (active where cabled)") == 1, where, done.stdout)


def swapped(folder):
    """The order of rows means nothing where each stands alone."""
    for rng, f, where in rounds("swapped", folder):
        for form in SWAPPED:
            whole = FORMS[form](f).split(b"\n")
            rows = [i for i, line in enumerate(whole) if line and not line.startswith((b"#", b"Ty"))]
            order = rows[:]
            rng.shuffle(order)
            mixed = whole[:]
            for a, b in zip(rows, order):
                mixed[a] = whole[b]
            found, said, incomplete = load(write(folder, form, b"\n".join(mixed)))
            expect(not incomplete, where, form, said)
            same(found, cleaned(f), False, where, form)


def limits(folder):
    """Numbers at and beyond their limits: taken, or told; never another cable in silence."""
    for rng, f, where in rounds("limits", folder):
        want = ends(cleaned(f))
        for form, writer in FORMS.items():
            data = writer(f)
            numbers = list(re.finditer(rb"(?<![0-9a-fx/;])\d{1,15}(?![0-9a-fx./])", data))  # no GUIDs
            for m in rng.sample(numbers, 4):
                value = rng.choice([b"0", b"255", b"256", b"65535", b"65536", b"4294967296", b"18446744073709551616",
                                    b"-1"])
                found, said, incomplete = load(write(folder, form, data[:m.start()] + value + data[m.end():]))
                expect(found is None or len(found) < 1000, where, form, m, value)
                if found is None or incomplete or b"warning" in said or form in BY_LID:
                    continue
                expect(ends(found) == want, where, form, m, value, said, found and ends(found) ^ want)


def run_of(folder):
    """The files of one run by their time stamps."""
    runs = {}
    for path in sorted(glob.glob(os.path.join(folder, "*"))):
        name = os.path.basename(path)
        with (lzma.open if name.endswith(".xz") else open)(path, "rb") as f:
            data = f.read()
        stamp = re.search(rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", data)
        if re.search(r"\.(db_csv|lst|ibnetdiscover|net_dump|net_dump_ext)(\.xz)?$", name) and stamp:
            runs.setdefault(stamp.group(), {})[name] = data
    return runs


def real_run(folder):
    """REAL=FOLDER: files of a real run, each against the first."""
    if not os.environ.get("REAL"):
        return
    for stamp, files in run_of(os.environ["REAL"]).items():
        first = None
        for name, data in files.items():
            found, said, incomplete = load(write(folder, name, data))
            print(f"  {stamp.decode()} {name}: {len(found)} nodes")
            expect(not incomplete, name, said)
            first = first or found
            same(found, first, False, name)


if __name__ == "__main__":
    sys.exit(run_tests("formats", [same_fabric, cuts, lines_lost, spoiled, both_ends, states, swapped, limits, real_run], sys.argv[1:],
                       repeat=lambda name: f"SEED={SEED} tests/formats/run.py {name}"))
