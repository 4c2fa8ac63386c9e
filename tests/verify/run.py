#!/usr/bin/env python3
"""verify: the real OpenSM over a simulation, started by ibscope itself.

usage: run.py [TEST]...

SEED (printed) of what is drawn; LONG=1: all of it.  Programs in front of opensm (shell scripts in PATH) make it route otherwise, die or stand still, so that what verify
says of it can be judged.  Needs opensm and ibsim-utils.  IBSCOPE=build/ibscope.  Prints "N passed, N failed".
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests", "tui"))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import contract  # noqa: E402
import run as tui  # noqa: E402
from trial import chosen_seed, expect, run_tests  # noqa: E402

IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
DEMO = os.path.join(ROOT, "tests", "fabrics", "demo-3level.ibnet")
STAGE = os.path.join(ROOT, "tests", "fabrics", "formats", "stage-qdr-fdr10.ibnetdiscover")
STORAGE = os.path.join(ROOT, "tests", "fabrics", "real", "selene-storage.ibnetdiscover.xz")
COMPUTE = os.path.join(ROOT, "tests", "fabrics", "real", "selene-compute.ibnetdiscover.xz")
OPENSM = shutil.which("opensm") or "/usr/sbin/opensm"
BOUND = 600
LONG = os.environ.get("LONG") == "1"
SEED = chosen_seed()
DRAW = random.Random(SEED)


class Place:
    """A folder for TMPDIR, one for programs in front of PATH, and a mark in the environment of all that is started."""

    def __init__(self, folder):
        self.tmp, self.bin = os.path.join(folder, "tmp"), os.path.join(folder, "bin")
        os.mkdir(self.tmp)
        os.mkdir(self.bin)
        self.mark = "IBSCOPE_VERIFY_MARK=%d.%s" % (os.getpid(), os.path.basename(folder))
        name, _, value = self.mark.partition("=")
        self.env = dict(os.environ, TMPDIR=self.tmp, PATH=self.bin + ":" + os.environ["PATH"], **{name: value})

    def program(self, name, text):
        path = os.path.join(self.bin, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\n" + text)
        os.chmod(path, 0o755)

    def hold_sweep(self):
        """OpenSM that has discovered the fabric, and then reads its partitions from a FIFO that nobody writes."""
        self.hold = os.path.join(self.bin, "hold")
        if not os.path.exists(self.hold):
            os.mkfifo(self.hold)
        self.program("opensm", "echo 'partition_config_file %s' >>opensm.conf; exec %s \"$@\"\n" % (self.hold, OPENSM))

    def held_sweep(self):
        """Until it reads there; the FIFO's other end, which holds it while it is open."""
        end = time.monotonic() + BOUND
        while True:
            try:
                return open(os.open(self.hold, os.O_WRONLY | os.O_NONBLOCK), "wb")
            except OSError:
                expect(time.monotonic() < end, "OpenSM does not read its partitions")
                time.sleep(0.02)

    def run(self, commands, *args):
        return subprocess.run([IBSCOPE, *args, "-e", commands], env=self.env, cwd=ROOT, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=BOUND)

    def start(self, commands):
        return subprocess.Popen([IBSCOPE, "-e", commands], env=self.env, cwd=ROOT, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def object(self, commands, status=0):
        done = self.run(commands, "--json")
        expect(done.returncode == status, done.stdout)
        found = [o for o in contract.objects(IBSCOPE, done.stdout) if o["command"] == "verify"]
        expect(len(found) == 1, done.stdout)
        return found[0]

    def nothing_left(self):
        # what is no more than a name in the table of processes has ended
        end = time.monotonic() + BOUND
        while tui.pids_with(self.mark) or os.listdir(self.tmp):
            expect(time.monotonic() < end, "left behind: %s %s" % (tui.pids_with(self.mark), os.listdir(self.tmp)))
            time.sleep(0.02)

    def wait_for(self, name, words):
        """Until a file of the simulation's folder holds the words; the folder."""
        end = time.monotonic() + BOUND
        while True:
            for folder in os.listdir(self.tmp):
                path = os.path.join(self.tmp, folder, name)
                try:
                    with open(path, encoding="utf-8", errors="replace") as f:
                        if words in f.read():
                            return os.path.join(self.tmp, folder)
                except OSError:
                    pass
            expect(time.monotonic() < end, "no \"%s\" in %s" % (words, name))
            time.sleep(0.02)


def entries(place, commands):
    """(switch, LID) -> port of `export lfts`, with the LIDs that have none."""
    text, out, sw, top = place.run(commands + "; export lfts -").stdout, {}, None, 0
    for line in text.splitlines():
        head = re.match(r"Unicast lids \[0-(\d+)\] of switch Lid \d+ guid (0x\w+)", line)
        entry = re.match(r"0x([0-9a-fA-F]{4}) (\d{3}) ", line)
        if head:
            sw, top = head[2], int(head[1])
            out.update({(sw, lid): None for lid in range(1, top + 1)})
        elif entry:
            out[sw, int(entry[1], 16)] = int(entry[2])
    return out


def identical(place):
    """Every engine on a fabric with something down: all entries, and service levels where there are any.
    Parity tries all engines each time; here five of nine are drawn.
    """
    plain = [(engine, 0) for engine in ("minhop", "updn", "dnup", "ftree", "dor", "sssp")]
    levels = [(engine, 3782) for engine in ("lash", "dfsssp qos=TRUE", "nue")]
    for engine, sls in plain + levels if LONG else DRAW.sample(plain, 2) + DRAW.sample(levels, 1):
        o = place.object("load %s; fail switch spine-01; fail host node0007 node0008; verify %s" % (DEMO, engine))
        expect(o["identical"] and o["differ"] == 0, (engine, o))
        expect(o["entries"] == len(entries(place, "load %s; fail switch spine-01; fail host node0007 node0008; route %s"
                                           % (DEMO, engine))), (engine, o["entries"]))
        expect((o["maps"]["compared"] > 0) == ("qos" in engine) and o["maps"]["differ"] == 0, (engine, o["maps"]))
        expect(o["sls"]["asked"] == sls == o["sls"]["pairs"] and not o["sls"]["differ"], (engine, o["sls"]))
        expect("Not simulated, as they failed or are not reached: 3 nodes" in o["limits"], o["limits"])
    place.nothing_left()


def relative(place):
    """TMPDIR may be a path from here; a wrong one is told."""
    place.env["TMPDIR"] = os.path.relpath(place.tmp, ROOT)
    expect(place.object("load %s; verify minhop" % DEMO)["identical"])
    place.nothing_left()
    place.env["TMPDIR"] = "no/such/folder"
    done = place.run("synth ring:4; verify minhop")
    expect(done.returncode == 3 and "no folder can be made in no/such/folder: No such file or directory; TMPDIR names another" in done.stdout, done.stdout)


def options(place):
    """Options, names in place of files, and files go to OpenSM."""
    o = place.object("load %s; verify updn lmc=2 'root_guid_file=spine-*'" % DEMO)
    expect(o["identical"] and o["engine"] == o["opensm_engine"] == "updn", o)
    plain = place.object("load %s; verify updn lmc=2" % DEMO)
    expect(plain["identical"] and plain["entries"] == o["entries"], plain)
    place.program("opensm", "cp root_guid_file '%s/roots'; exec %s \"$@\"\n" % (place.bin, OPENSM))
    place.object("load %s; verify updn root_guid_file=spine-*" % DEMO)
    with open(os.path.join(place.bin, "roots"), encoding="ascii") as f:
        expect(len(set(f.read().split())) == 16, "16 roots")
    place.nothing_left()


def port_guids(place):
    """A fabric whose host ports have other GUIDs than ibsim gives them: told, and still the same."""
    o = place.object("load %s; verify minhop" % STORAGE)
    expect(o["identical"] and o["entries"] == 928800 and "at 1247 ports" in o["limits"], o)
    told = place.run("load %s; verify minhop" % DEMO)
    expect("minhop, from a start on this fabric: identical: 5,376 entries.\n" in told.stdout, told.stdout)


def guid_files(place):
    """Files of port GUIDs that ibsim gives otherwise are told, with how many ports; names, switches' GUIDs and others are not."""
    text = place.run("load %s; save -" % DEMO).stdout
    other, path = os.path.join(place.bin, "renamed"), os.path.join(place.bin, "compute")
    with open(other, "w", encoding="utf-8") as f:  # every other host's port has a GUID that is no sum with its number
        f.write(re.sub(r"^\[1\]\(([0-9a-f]+[13579bdf])\)", lambda m: "[1](%x)" % (int(m[1], 16) + 7 * (int(m[1], 16) >> 5 & 1)),
                       text, flags=re.M))
    told = [json.loads(line) for line in place.run("load %s; list hosts" % other, "--json").stdout.splitlines()]
    ports = [row["guid"] for row in told[-1]["rows"]][:33]
    with open(path, "w", encoding="ascii") as f:
        f.write("".join("%s\n" % g for g in ports) + "0x1234\n")
    o = place.object("load %s; verify ftree cn_guid_file=%s" % (other, path))
    found = re.search(r"cn_guid_file names (\d+) ports? by GUIDs that they do not have in ibsim", o["limits"])
    renamed = int(re.search(r"at (\d+) ports?", o["limits"])[1])
    expect(found and 0 < int(found[1]) <= min(33, renamed) and renamed < 64, (found, o["limits"]))
    o = place.object("load %s; set port_guids ibsim; verify ftree cn_guid_file=%s" % (other, path))
    expect("cn_guid_file" not in o["limits"], o["limits"])
    o = place.object("load %s; verify ftree cn_guid_file=node0001" % DEMO)
    expect("cn_guid_file" not in o["limits"], o["limits"])


def other_engine(place):
    """An OpenSM that routes with another engine: what differs is counted and named."""
    place.program("opensm", "sed -i 's/^routing_engine .*/routing_engine updn/' opensm.conf; exec %s \"$@\"\n" % OPENSM)
    load = "set port_guids ibsim; load %s; fail link leaf-03[5]" % DEMO
    o = place.object(load + "; verify minhop", status=1)
    ours, theirs = (entries(place, "%s; route %s" % (load, engine)) for engine in ("minhop", "updn"))
    wrong = {k for k in set(ours) | set(theirs) if ours.get(k) != theirs.get(k)}
    expect(wrong and o["differ"] == len(wrong) and not o["identical"], (o, len(wrong)))
    expect(o["engine"] == "minhop" and o["opensm_engine"] == "updn", o)
    expect(len(o["differences"]) == min(20, len(wrong)), o)
    for d in o["differences"]:
        key = d["switch_guid"], d["lid"]
        expect(key in wrong and ours[key] == d["port"] and theirs[key] == d["opensm"], d)
    told = place.run(load + "; verify minhop").stdout
    expect("! OpenSM routed with updn, ibscope with minhop.\n" in told and "entries differ from the real OpenSM's" in told,
           told)
    place.nothing_left()


def rows_of_maps(text):
    """(GUID, port in, port out) -> VLs, of a dump of SL-to-VL maps."""
    out, guid = {}, None
    for line in text.splitlines():
        head = re.match(r"(?:Switch|Channel Adapter|Router) (0x\w+)", line)
        row = re.match(r"(\d+) +(\d+) +:((?: +\d+){16}) *$", line)
        guid = head[1] if head else guid
        if row:
            out[guid, int(row[1]), int(row[2])] = row[3].split()
    return out


def maps(place):
    """SL-to-VL maps: all are compared, and each that another OpenSM programs otherwise is counted; only with qos."""
    load = "set port_guids ibsim; load %s; set qos TRUE" % DEMO
    start = load + "; set qos_sl2vl 0,1,2,3,4,5,6,7,7,6,5,4,3,2,1,0"
    mine = rows_of_maps(place.run(start + "; route minhop; export sl2vl -").stdout)
    o = place.object(start + "; verify minhop")
    expect(o["identical"] and o["maps"] == {"compared": len(mine), "differ": 0} and len(mine) > 1000, (o["maps"], len(mine)))
    expect(place.object(load + "; set qos FALSE; verify minhop")["maps"] == {"compared": 0, "differ": 0})
    other = "1,1,2,3,4,5,6,7,7,6,5,4,3,2,1,3"    # of CAs and ports 0 alone
    place.program("opensm", "echo 'qos_ca_sl2vl %s' >>opensm.conf; exec %s \"$@\"\n" % (other, OPENSM))
    theirs = rows_of_maps(place.run(start + "; set qos_ca_sl2vl %s; route minhop; export sl2vl -" % other).stdout)
    wrong = {k for k in mine if mine[k] != theirs[k]}
    o = place.object(start + "; verify minhop", status=1)
    expect(0 < len(wrong) < len(mine) and not o["identical"], len(wrong))
    expect(o["differ"] == 0 and o["maps"] == {"compared": len(mine), "differ": len(wrong)}, (o["maps"], len(wrong)))
    told = place.run(start + "; verify minhop").stdout
    expect(re.search(r"^SL-to-VL maps: [0-9,]+ compared, %d differ\.$" % len(wrong), told, re.M), told)
    expect(len(re.findall(r"^! \S+ from port \d+, SL 0: here VL 0, OpenSM VL 1$", told, re.M)) == 20, told)
    place.nothing_left()


def dies(place):
    """A dying OpenSM is told with its last lines."""
    place.program("opensm", "echo first words; echo last words; exit 3\n")
    done = place.run("load %s; verify minhop" % DEMO)
    expect(done.returncode == 3 and "opensm ended with status 3; its last lines: first words | last words" in done.stdout,
           done.stdout)
    place.program("opensm", "kill -SEGV $$\n")
    done = place.run("load %s; verify minhop" % DEMO)
    expect(done.returncode == 3 and "opensm was ended by signal 11" in done.stdout, done.stdout)
    place.program("opensm", "exec %s \"$@\"\n" % OPENSM)
    place.program("ibsim", "echo no fabric; exit 5\n")
    done = place.run("load %s; verify minhop" % DEMO)
    expect(done.returncode == 3 and "ibsim ended with status 5; its last lines: no fabric" in done.stdout, done.stdout)
    place.nothing_left()


def refuses(place):
    """Where a program is not there, or there is nothing to compare with, nothing is started."""
    place.program("opensm", "touch '%s/started'\n" % place.bin)
    for commands, why in (("synth ring:5; route mincontention; verify", "OpenSM has no engine"),
                          ("synth ring:5; verify minhop nothing", "expected OPTION=VALUE"),
                          ("synth ring:5; set rules manual; verify", "rules is manual"),
                          ("verify", "no fabric is loaded")):
        done = place.run(commands)
        expect(done.returncode == (2 if "nothing" in commands else 3) and why in done.stdout, (commands, done.stdout))
    place.env["PATH"] = place.bin
    done = place.run("synth ring:5; verify")
    expect(done.returncode == 3 and "no program ibsim" in done.stdout and "ibsim-utils" in done.stdout, done.stdout)
    expect(not os.path.exists(os.path.join(place.bin, "started")), "it was started")
    place.nothing_left()


def only_simulator(place):
    """What opensm gets: the library preloaded, another simulator's address taken away, a folder that is its own."""
    place.program("opensm", "env >'%s/env'; exec %s \"$@\"\n" % (place.bin, OPENSM))
    place.env.update(IBSIM_SERVER_NAME="elsewhere", IBSIM_SOCKNAME="another")
    expect(place.object("load %s; verify minhop" % DEMO)["identical"], "not identical")
    with open(os.path.join(place.bin, "env"), encoding="utf-8") as f:
        env = dict(line.rstrip("\n").split("=", 1) for line in f if "=" in line)
    expect(env["LD_PRELOAD"].endswith("/libumad2sim.so") and "IBSIM_SERVER_NAME" not in env, env)
    expect(env["IBSIM_SOCKNAME"].startswith("ibscope-verify.") and env["OSM_TMP_DIR"].startswith(place.tmp), env)
    place.nothing_left()


def own_namespace():
    """Can this machine's user make a mount namespace?"""
    return subprocess.run(["unshare", "-m", "true"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


def hidden(place):
    """With devices on the machine opensm sees none; without the library nothing is started."""
    if not own_namespace():
        print("verify: not tried, as no mount namespace can be made here: hidden devices, missing library", flush=True)
        return
    place.program("opensm", "ls -A /dev/infiniband >'%s/seen'; exec %s \"$@\"\n" % (place.bin, OPENSM))
    inside = "mkdir -p /dev/infiniband && touch /dev/infiniband/umad0 && exec \"$@\""
    covered = "mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && " + inside
    command = [IBSCOPE, "-e", "load %s; verify minhop" % DEMO]
    done = subprocess.run(["unshare", "-m", "sh", "-c", covered, "sh", *command], env=place.env, cwd=ROOT, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=BOUND,
                          check=False)
    expect(done.returncode == 0 and "identical: " in done.stdout, done.stdout)
    with open(os.path.join(place.bin, "seen"), encoding="ascii") as f:
        expect(f.read() == "", "opensm saw a device")
    os.unlink(os.path.join(place.bin, "seen"))
    covered = "for d in /usr/lib/*/umad2sim; do mount -t tmpfs none $d; done; exec \"$@\""
    done = subprocess.run(["unshare", "-m", "sh", "-c", covered, "sh", *command], env=place.env, cwd=ROOT, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=BOUND,
                          check=False)
    expect(done.returncode == 3 and "no library libumad2sim.so" in done.stdout, done.stdout)
    expect(not os.path.exists(os.path.join(place.bin, "seen")), "opensm was started without the library")
    place.nothing_left()


def ends(place):
    """Signals while ibsim reads, while OpenSM sweeps, and while it stands still: nothing stays behind."""
    standing = "echo here >>opensm.out2; exec sleep 1000\n"
    for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
        place.program("opensm", standing)
        p = place.start("load %s; verify minhop" % STAGE)
        place.wait_for("opensm.out2", "here")
        p.send_signal(sig)
        expect(p.wait(BOUND) == -sig, p.returncode)
        place.nothing_left()
        place.hold_sweep()
        p = place.start("load %s; verify minhop" % STAGE)
        with place.held_sweep():
            p.send_signal(sig)
            expect(p.wait(BOUND) == -sig, p.returncode)
        place.nothing_left()


def keeper_killed(place):
    """Who keeps the simulation is killed: ibsim and OpenSM do not outlive it, and the program says that it failed."""
    place.program("opensm", "echo here >>opensm.out2; exec sleep 1000\n")
    p = place.start("load %s; verify minhop" % STAGE)
    folder = place.wait_for("opensm.out2", "here")
    with open("/proc/%d/task/%d/children" % (p.pid, p.pid), encoding="ascii") as f:
        keepers = [int(pid) for pid in f.read().split()]
    expect(len(keepers) == 1 and len(tui.pids_with(place.mark)) > 3, keepers, tui.pids_with(place.mark))
    os.kill(keepers[0], signal.SIGKILL)
    expect(p.wait(BOUND) == 3, p.returncode)
    shutil.rmtree(folder, ignore_errors=True)  # it had no time to
    place.nothing_left()


def stopped(place):
    """Esc in the explorer, while OpenSM stands still and while it sweeps: the prompt is there again, nothing stays behind."""
    t = tui.Terminal(size=(100, 30))
    try:
        place.program("explorer", "export %s\nexec '%s' '%s'\n" % (
            " ".join("'%s=%s'" % (k, place.env[k]) for k in ("TMPDIR", "PATH", place.mark.partition("=")[0])), IBSCOPE, STAGE))
        t.type(os.path.join(place.bin, "explorer"))
        t.keys("Enter")
        t.wait(r"Switches \d+")
        for name in ("stands still", "sweeps"):
            place.program("opensm", "echo here >>opensm.out2; exec sleep 1000\n")
            if name == "sweeps":
                place.hold_sweep()
            t.run(":verify minhop")
            hold = place.held_sweep() if name == "sweeps" else place.wait_for("opensm.out2", "here")
            t.keys("C-c")
            t.wait(r"cancelled")
            if name == "sweeps":
                hold.close()
            # the explorer itself has the mark, too
            end = time.monotonic() + BOUND
            while len(tui.pids_with(place.mark)) > 1 or os.listdir(place.tmp):
                expect(time.monotonic() < end, "%s: left behind: %s %s" % (name, tui.pids_with(place.mark), os.listdir(place.tmp)))
                time.sleep(0.02)
            t.run(":echo after-%s" % name.replace(" ", "-"))
            t.wait(r"^. after-%s" % name.replace(" ", "-"))
            t.run("verify nonsense")    # no "cancelled" of before is on the screen any more
            t.keys("C-l")
            for _ in range(20):
                t.run("echo next")
            t.wait(r"cancelled", absent=True)
    finally:
        t.close()
    place.nothing_left()


def surveyed_rows(place, start, shards, rows):
    """Rows of a survey, picked by a seed: what a failure does is as in the row, and as OpenSM does it."""
    start += "; set port_guids ibsim; route minhop; "
    done = place.run(start + "survey links shard %d/%d" % (DRAW.randint(1, shards), shards), "--json")
    found = [o for o in contract.objects(IBSCOPE, done.stdout) if o["command"] == "survey"][0]["survey"]
    for row in DRAW.sample(found, rows):
        told = "SEED=%s, %s:" % (SEED, row["try"])
        done = place.run(start + "%s; verify" % row["try"], "--json")
        said = {o["command"]: o for o in contract.objects(IBSCOPE, done.stdout)}
        change, verify = said["fail"]["change"], said["verify"]
        expect(verify["identical"] and not verify["differ"] and verify["entries"] > 10000, (told, verify))
        expect({k: change[k] for k in ("entries", "lost", "rerouted", "longer")} ==
               {k: row[k] for k in ("entries", "lost", "rerouted", "longer")}, (told, change, row))


def surveyed(place):
    """One row of a survey of one fabric of two, which is drawn; LONG: of three large ones, three of the first; SURVEYED_ROWS=3: three."""
    rows = int(os.environ.get("SURVEYED_ROWS", "1"))
    if LONG:
        fabrics = [("load " + STORAGE, 1, 3), ("load " + COMPUTE, 300, rows), ("synth xgft:18,18,6:1,18,18", 300, rows)]
    else:
        fabrics = [("load " + STORAGE, 8, rows), ("synth xgft:12,12,3:1,12,12", 100, rows)]
    for start, shards, n in fabrics if LONG else DRAW.sample(fabrics, 1):
        surveyed_rows(place, start, shards, n)


TESTS = [identical, relative, options, surveyed, port_guids, guid_files, other_engine, maps, dies, refuses, only_simulator, hidden, ends, keeper_killed, stopped]


def main():
    lack = [n for n in ("ibsim", "opensm") if not shutil.which(n) and not os.path.exists("/usr/sbin/" + n)]
    if lack:
        print("FAIL: no %s (.ci/packages)\n0 passed, 1 failed" % ", ".join(lack))
        return 1
    print("verify: SEED=%s" % SEED)
    tui.machine.serve_programs()
    tests = {test.__name__: lambda folder, test=test: test(Place(folder)) for test in TESTS}
    return run_tests("verify", tests, sys.argv[1:], also=(contract.Breach, tui.Failed))


if __name__ == "__main__":
    sys.exit(main())
