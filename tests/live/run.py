#!/usr/bin/env python3
"""Live discovery over simulated fabrics.

usage: run.py PROBE [IBSCOPE] [FABRIC]...

PROBE is tests/live/probe.c, built, with capture.so beside it; IBSCOPE the program; FABRICs are more files in
ibnetdiscover format to discover.  Needs ibsim-utils, infiniband-diags and opensm.
LONG=1: larger fabrics, and of drifting.py all cases.  $PRELOAD_FIRST names libraries to be loaded before the simulator's: libasan.so for a sanitized PROBE.
Prints "N passed, N failed"; exit status 1 when something failed.
"""
import atexit, fcntl, glob, json, lzma, os, pty, re, shutil, signal, struct, subprocess, sys, tempfile, termios, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import contract  # noqa: E402
import drifting  # noqa: E402
import watched  # noqa: E402
from simulated import ibsim_command  # noqa: E402
from trial import BOUND  # noqa: E402

SMALL = os.path.join(HERE, "two-level.net")
SIM_SO = (glob.glob("/usr/lib/*/umad2sim/libumad2sim.so") or [None])[0]
PRELOAD = (os.environ.get("PRELOAD_FIRST", "") + " " + (SIM_SO or "")).strip()
# For sanitized programs: libumad2sim copies beyond its buffers, libibnetdisc leaks.
os.environ["ASAN_OPTIONS"] = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "replace_intrin=0")))
os.environ.setdefault("LSAN_OPTIONS", "print_suppressions=0:suppressions=" + os.path.join(HERE, "lsan.supp"))
WORK = tempfile.mkdtemp(prefix="live.")
atexit.register(shutil.rmtree, WORK, True)
CAPTURE = None  # tests/live/capture.c, built
LONG = os.environ.get("LONG") == "1"
TORUS = (30, 5) if LONG else (12, 5)    # discovery is held at its 500th question, whatever is behind it
counts = [0, 0]


def check(name, good, told=""):
    counts[0 if good else 1] += 1
    if not good:
        print("FAILED %s: %s" % (name, told))


class Sim:
    """ibsim with a console, on a socket name of its own."""
    number = 0

    def __init__(self, path, socket=None):
        Sim.number += 1
        self.socket = socket or "live.%d.%d" % (os.getpid(), Sim.number)
        self.told = 0
        self.log = os.path.join(WORK, "sim%d.log" % Sim.number)
        self.out = open(self.log, "w")
        self.proc = subprocess.Popen(
            ibsim_command(path), stdin=subprocess.PIPE, stdout=self.out, stderr=subprocess.STDOUT, text=True,
            env=dict(os.environ, IBSIM_SOCKNAME=self.socket))
        end = time.time() + 300
        while "Network simulator ready" not in open(self.log, errors="replace").read():
            if time.time() > end or self.proc.poll() is not None:
                self.proc.kill()
                raise SystemExit("ibsim does not start on %s:\n%s" % (path, open(self.log, errors="replace").read()[-600:]))
            time.sleep(0.05)

    def console(self, *lines):
        """Tell it; it has done so at the end: it answers a last word that it does not know."""
        self.told += 1
        self.proc.stdin.write("\n".join(lines + ("Told%d" % self.told,)) + "\n")
        self.proc.stdin.flush()
        end = time.time() + 300
        while "command 'Told%d' unknown" % self.told not in open(self.log, errors="replace").read():
            if time.time() > end or self.proc.poll() is not None:
                raise OSError("ibsim does not answer: %s" % open(self.log, errors="replace").read()[-600:])
            time.sleep(0.01)

    def env(self, ours=False):
        return dict(os.environ, IBSIM_SOCKNAME=self.socket, LD_PRELOAD=PRELOAD if ours else SIM_SO)

    def run(self, *argv, timeout=600, **more):
        return subprocess.run(argv, env=dict(self.env("/" in argv[0]), **more), cwd=WORK, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", timeout=timeout)

    def close(self):
        self.proc.send_signal(signal.SIGCONT)
        self.proc.terminate()
        try:
            self.proc.wait(5)
        except subprocess.TimeoutExpired:
            self.proc.kill()
            self.proc.wait()
        self.proc.stdin.close()
        self.out.close()


def parse_topology(text):
    """ibnetdiscover text -> {(guid, port): (guid, port, rate)}, {guid: (kind, ports, name, lid of port 0)}, {(guid, port): (lid, lmc)}."""
    cables, nodes, lids, node = {}, {}, {}, None
    for line in text.splitlines():
        m = re.match(r'(Switch|Ca|Rt)\s*(\d+) "[SHR]-([0-9a-f]+)"\s*# "(.*)"(?: (?:base|enhanced) port 0 lid (\d+))?', line)
        if m:
            node = int(m[3], 16)
            nodes[node] = (m[1], int(m[2]), m[4].rstrip(), int(m[5] or 0))
            continue
        m = re.match(r'\[(\d+)\]\S*\s*"[SHR]-([0-9a-f]+)"\[(\d+)\]', line)
        if not m or node is None:
            continue
        rate = re.search(r' lid \d+ (\d+x\w+)\s*$', line)
        cables[node, int(m[1])] = (int(m[2], 16), int(m[3]), rate[1] if rate else "")
        m2 = re.search(r'# lid (\d+) lmc (\d+) ', line)
        if m2:
            lids[node, int(m[1])] = (int(m2[1]), int(m2[2]))
    return cables, nodes, lids


def parse_dump(text):
    """Output of `probe dump` in the same form."""
    cables, nodes, lids, port0 = {}, {}, {}, {}
    for line in text.splitlines():
        m = re.match(r'node (0x\w+) type (\d) ports (\d+) .* name (.*)', line)
        if m:
            nodes[int(m[1], 16)] = [{"1": "Ca", "2": "Switch", "3": "Rt"}[m[2]], int(m[3]), m[4].rstrip()]
            continue
        m = re.match(r'port (0x\w+) (\d+)(?: guid (0x\w+) lid (\d+) lmc (\d+))?(?: to (0x\w+) (\d+) (\S+) (\S+))?', line)
        if not m:
            continue
        at = int(m[1], 16), int(m[2])
        if m[6]:
            cables[at] = (int(m[6], 16), int(m[7]), m[8])
        if m[3] and at[1] == 0:
            port0[at[0]] = int(m[4])
        elif m[3]:
            lids[at] = (int(m[4]), int(m[5]))
    return cables, {g: tuple(n) + (port0.get(g, 0),) for g, n in nodes.items()}, lids


def difference(a, b):
    """First few entries in which two dictionaries differ."""
    keys = sorted(k for k in set(a) | set(b) if a.get(k) != b.get(k))
    return "; ".join("%s: %s, expected %s" % (k, a.get(k), b.get(k)) for k in keys[:3])


def compare(name, sim, probe, source):
    """What is discovered is what ibnetdiscover tells, and has the cables of the file."""
    r = sim.run(probe, "dump", "")
    told = sim.run("ibnetdiscover").stdout
    got, want, file = parse_dump(r.stdout), parse_topology(told), parse_topology(open(source, errors="replace").read())
    check(name + " exit", r.returncode == 0, r.stderr)
    check(name + " has nodes", len(got[1]) > 1, r.stdout[:200])
    for i, what in enumerate(("cables and rates", "nodes, names and LIDs", "LIDs of hosts")):
        check("%s %s" % (name, what), got[i] == want[i], difference(got[i], want[i]))
    plain = lambda c: {k: v[:2] for k, v in c.items() if k[0] in got[1]}
    check(name + " cables of the file", plain(got[0]) == plain(file[0]), difference(plain(got[0]), plain(file[0])))
    found = re.search(r"found (\d+)", r.stdout)
    check(name + " progress", found and int(found[1]) == len(got[1]), r.stdout[:100])
    check(name + " no warnings", not r.stderr, r.stderr)
    return r.stdout


def small_fabric(probe):
    sim = Sim(SMALL)
    try:
        out = compare("small", sim, probe, SMALL)
        check("enhanced port 0", re.search(r"node 0x000000000abc0001 .* esp0 1 ", out), out)
        check("base port 0", re.search(r"node 0x000000000abc0002 .* esp0 0 ", out), out)
        check("LinearFDBCap", " cap 49152 " in out, out)
        check("vendor, device, system", "vendor 0x2c9 device 0xd2f0 system 0x000000000abc0001" in out, out)
        check("FDR10", "port 0x0000000000000a20 1 guid 0x0000000000000a21 lid 104 lmc 2 to 0x000000000abc0011 2 4xFDR10" in out,
              out)
        check("chassis by system image GUID", len(re.findall(r" chassis 1 place - name (?:MF0;spine1|leaf3)", out)) == 2
              and out.count(" chassis 0 ") == 9, out)
        check("switch cabled to itself", "port 0x000000000abc0001 7 to 0x000000000abc0001 8 4xHDR" in out, out)
        check("LMC", "guid 0x0000000000000a11 lid 100 lmc 2" in out, out)
        r = sim.run(probe, "again", "", "12")
        check("twelve times", r.stdout == "files left open 0, children left 0\n", r.stdout + r.stderr)
        r = sim.run(probe, "dump", "ibsim0:1", SIM_HOST="H-0000000000000a10")
        check("local port is a host's", " sm 0x0000000000000a11\n" in r.stdout, r.stdout[:200])
        check("CA and port named", r.returncode == 0 and "source ibsim0:1 " in r.stdout, r.stdout[:100] + r.stderr)
        r = sim.run(probe, "dump", "nosuch")
        check("no such CA", r.returncode == 1 and "discovery from nosuch failed" in r.stderr and "nosuch:0" in r.stderr,
              r.stderr)
        r = sim.run(probe, "dump", "ibsim0:x")
        check("bad target", r.returncode == 1 and "expected CA, CA:PORT or :PORT" in r.stderr, r.stderr)
        subnet_manager(sim, probe)
    finally:
        sim.close()


def subnet_manager(sim, probe):
    """After a sweep of OpenSM: links are active, the SM is found, the tables are those OpenSM wrote."""
    env = dict(sim.env(), OSM_TMP_DIR=WORK, OSM_CACHE_DIR=WORK)
    try:
        subprocess.run(["opensm", "-o", "-f", os.path.join(WORK, "osm.log"), "-D", "0x43", "-g", "0xabc0001"], env=env,
                       cwd=WORK, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=600)
    except subprocess.TimeoutExpired:
        check("OpenSM ends", False, "no end within 60 s")
        return
    out = sim.run(probe, "dump", "").stdout
    check("links active", " active" in out and " init" not in out, out)
    check("place of the SM", " sm 0x000000000abc0001\n" in out, out.splitlines()[:1])
    want = {}
    for line in open(os.path.join(WORK, "opensm-lfts.dump")):
        m = re.match(r"Unicast lids .* guid (0x\w+)", line)
        if m:
            table = want.setdefault(int(m[1], 16), {})
        m = re.match(r"0x(\w+) (\d+) ", line)
        if m:
            table[int(m[1], 16)] = int(m[2])
    r = sim.run(probe, "tables", "")
    got = {}
    for line in r.stdout.splitlines():
        w = line.split()
        got[int(w[0], 16)] = {lid: int(p) for lid, p in enumerate(w[2:]) if lid and p != "255"}
    check("forwarding tables", got == want and len(got) == 5, difference(got, want) + r.stderr)


def changes(probe):
    """Discover, change the simulated fabric, discover again."""
    sim = Sim(SMALL)
    p = None
    try:
        p = subprocess.Popen([probe, "changes", ""], env=sim.env(True), cwd=WORK, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True)
        check("first of two", p.stdout.readline() == "ready\n")
        sim.console('Unlink "S-000000000abc0011"[7]', 'Unlink "H-0000000000000a60"[1]',
                    'Unlink "S-000000000abc0012"[1]', 'Link "H-0000000000000a40"[1] "S-000000000abc0013"[4]',
                    'Baselid "H-0000000000000a10"[1] 200 1')
        out, _ = p.communicate("\n", timeout=600)
        want = ["- node host6 HCA-1 (0x0000000000000a60, CA, 1 port)",
                "~ lid host1 HCA-1[1]: 100 -> 200, lmc 2 -> 1",
                "- link leaf1[7] -- MF0;spine1:MQM8700/U1[1]",
                "    link host6 HCA-1[1] -- leaf3[1]",
                "~ moved host4 HCA-1[1]: from leaf2[1] to leaf3[4]",
                "4 changes"]
        norm = lambda s: " -- ".join(sorted(s[7:].split(" -- "))) if " link " in s and " -- " in s else s
        check("changes", sorted(map(norm, out.splitlines())) == sorted(map(norm, want)), out)
    finally:
        if p and p.poll() is None:
            p.kill()
            p.wait()
        sim.close()


def trouble(probe):
    sim = Sim(SMALL)
    try:
        # A leaf that drops everything: requests time out, then the node is left out.
        sim.console('Error "S-000000000abc0013" 100')
        r = sim.run(probe, "dump", "")
        check("silent switch: the rest is found", r.returncode == 0 and "0x0000000000000a10" in r.stdout
              and "node 0x000000000abc0013" not in r.stdout, r.stdout[:300] + r.stderr)
        check("silent switch: warned", "warning: discovery: " in r.stderr, r.stderr)
        sim.console('Error "S-000000000abc0013" 0')
        r = sim.run(probe, "dump", "")
        check("switch answers again", r.returncode == 0 and "node 0x000000000abc0013" in r.stdout, r.stderr)
        # A simulator that stands still: nothing answers until the caller cancels.
        sim.proc.send_signal(signal.SIGSTOP)
        for i in range(3):
            r = sim.run(probe, "cancel", "", "200")
            check("cancel %d" % i, r.returncode == 1 and r.stdout.startswith("cancelled, children left 0"), r.stdout + r.stderr)
    finally:
        sim.proc.send_signal(signal.SIGCONT) # it panics on clients that left before it let them in
        sim.close()
    large_fabric(probe)
    dead = dict(os.environ, IBSIM_SOCKNAME="live.none.%d" % os.getpid(), LD_PRELOAD=PRELOAD)
    r = subprocess.run([probe, "dump", ""], env=dead, cwd=WORK, capture_output=True, text=True, timeout=600)
    check("no simulator", r.returncode == 1 and "no answer" in r.stderr, r.stderr)
    r = subprocess.run([probe, "cancel", "", "300"], env=dead, cwd=WORK, capture_output=True, text=True, timeout=600)
    check("no simulator, cancel", r.returncode == 1 and r.stdout.startswith("cancelled, children left 0"), r.stdout + r.stderr)
    killed_parent(probe)
    if not glob.glob("/dev/infiniband/umad*"):
        r = subprocess.run([probe, "dump", ""], cwd=WORK, capture_output=True, text=True, timeout=600)
        check("no device", r.returncode == 1 and "no InfiniBand device: /dev/infiniband/umad* does not exist" in r.stderr,
              r.stderr)


def torus(n, hosts):
    """A file with a torus of n x n switches, each with some hosts; made once."""
    path = os.path.join(WORK, "torus.net")
    if os.path.exists(path):
        return path
    with open(path, "w") as f:
        for x in range(n):
            for y in range(n):
                name = lambda a, b: "S%d.%d" % (a % n, b % n)
                f.write('Switch 36 "%s"\n[1] "%s"[2]\n[2] "%s"[1]\n[3] "%s"[4]\n[4] "%s"[3]\n' %
                        (name(x, y), name(x + 1, y), name(x - 1, y), name(x, y + 1), name(x, y - 1)))
                for h in range(hosts):
                    f.write('[%d] "H%d.%d.%d"[1]\n' % (5 + h, x, y, h))
                f.write("\n")
        for x in range(n):
            for y in range(n):
                for h in range(hosts):
                    f.write('Hca 1 "H%d.%d.%d"\n[1] "S%d.%d"[%d]\n\n' % (x, y, h, x, y, 5 + h))
    return path


def large_fabric(probe):
    """Cancelled in the middle, more often than the simulator has places for clients; then let run."""
    path, nodes = torus(*TORUS), TORUS[0] ** 2 * (1 + TORUS[1])
    sim = Sim(path)
    try:
        said, refused, end, hold = [], 0, time.monotonic() + 300, os.path.join(WORK, "hold.cancel")
        os.mkfifo(hold)     # nobody lets it go on: also where all is found within the 100 ms it is cancelled in the middle
        while len(said) < 12 and time.monotonic() < end:
            r, _ = captured(sim, "cancel", probe, "cancel", "", "100", CAPTURE_HOLD=hold, CAPTURE_HOLD_AT="500")
            if "connect failed" in r.stdout + r.stderr:
                # it sees that those before have left when an answer cannot be sent: where all had come in time, never
                refused += 1
                sim = begun_anew(sim, path) if refused % 40 == 0 else sim
            else:
                said.append(r.stdout)
        check("cancel in the middle, 12 times", said == ["cancelled, children left 0\n"] * 12, "%s, refused %d" % (said, refused))
        for tries in range(1, 200):
            r = sim.run(probe, "dump", "")
            died = sim.proc.poll() is not None  # the simulator itself, of its many clients
            if "sim_init: connect failed" not in r.stderr and not died:
                break
            sim = begun_anew(sim, path) if tries % 40 == 0 or died else sim
        check("large fabric", r.returncode == 0 and r.stdout.count("\nnode ") == nodes and " found %d " % nodes in r.stdout,
              r.stdout[:100] + r.stderr)
    finally:
        sim.close()


class Held:
    """A program whose discovery stops at its Nth MAD to another node, until it is let go."""

    def __init__(self, sim, name, at, *argv, **more):
        self.fifo, self.log = os.path.join(WORK, "hold." + name), os.path.join(WORK, "capture." + name)
        os.mkfifo(self.fifo)
        env = dict(sim.env(True), LD_PRELOAD="%s %s" % (CAPTURE, PRELOAD), CAPTURE_LOG=self.log, CAPTURE_HOLD=self.fifo,
                   CAPTURE_HOLD_AT=str(at))
        self.p = subprocess.Popen(argv, env=env, cwd=WORK, stdout=subprocess.PIPE, text=True, **more)
        end = time.monotonic() + 600
        while not self.is_held() and self.p.poll() is None and time.monotonic() < end:
            time.sleep(0.02)

    def is_held(self):
        return os.path.exists(self.log) and "held" in open(self.log).read()

    def go_on(self):
        """This discovery, and the next one of the same program."""
        with open(self.fifo, "w") as f:
            f.write("xx")

    def close(self):
        if self.p.poll() is None:
            self.p.kill()
            self.p.wait()


def dying(probe, name, sig, silence, expected, again):
    """The simulator dies, or falls silent, while nodes are being found; again() has it answer once more."""
    path = torus(*TORUS)
    sim = Sim(path)
    held = Held(sim, name.replace(" ", "-"), 500, probe, "dying", "", str(silence), stdin=subprocess.PIPE)
    p = held.p
    try:
        sim.proc.send_signal(sig)
        if sig == signal.SIGKILL:
            sim.proc.wait()     # it is gone before anything is asked again
        held.go_on()
        said = p.stdout.readline()
        check(name + ": told", re.match(expected + r".*, children left 0$", said), said)
        check(name + ": no folder left", not [d for d in os.listdir(WORK) if d.startswith("sys-")], os.listdir(WORK))
        sim = again(sim, path)
        out, _ = p.communicate("\n", timeout=600)
        check(name + ": tried again", out == "found, children left 0\n" and p.returncode == 0, out)
    finally:
        held.close()
        sim.close()


def begun_anew(sim, path):
    sim.close()
    return Sim(path, sim.socket)


def goes_on(sim, _path):
    sim.proc.send_signal(signal.SIGCONT)
    return sim


def dying_simulators(probe):
    # an hour of silence is allowed: that it is gone is seen without
    dying(probe, "simulator killed", signal.SIGKILL, 3600, r"no answer: the ibsim with the socket name.*\([1-9]\d* nodes had come\)", begun_anew)
    dying(probe, "simulator stopped", signal.SIGSTOP, 2, r"no answer from the (fabric for 2 s \([1-9]\d* nodes had come\)|InfiniBand device for 2 s)", goes_on)


def explorer(ibscope):
    """What was loaded stays when the next discovery fails, and the one after it may succeed."""
    os.environ["IBSCOPE"] = ibscope
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tui"))
    import run as tui
    sim = Sim(SMALL)
    t = tui.Terminal(size=(120, 40))
    try:
        t.type("LD_PRELOAD='%s' IBSIM_SOCKNAME=%s %s -L" % (SIM_SO, sim.socket, ibscope))
        t.keys("Enter")
        t.wait(r"^. first active port \(live\): 5 switches")
        t.wait(r"^ .*\| read [1-9]\d* s ago")    # in the top bar, and it grows
        sim.proc.kill()
        sim.proc.wait()
        t.run(":live wait 3600")
        t.wait(r"no answer: the ibsim with the socket name")
        t.run(":show")
        t.wait(r"failed: 0 links, 0 nodes")
        sim = begun_anew(sim, SMALL)
        t.run(":live")
        t.wait(r"Nothing changed since the last discovery")
        t.run(":watch 0 rounds 2")
        t.wait(r"^. \[1 ")
        t.wait(r"^ .*\| read [1-9]\d* s ago")    # also when watch has ended
        t.run(":fail switch *leaf1*; set lmc 2; route dor,minhop")
        t.wait(r"^ .*\| [1-9]\d* failed.*\| read \d+ s ago")
        for size in ((80, 24), (50, 24), (40, 16), (24, 10)):   # never cut off
            t.resize(*size)
            t.wait(r"^ .*\| read \d+ s ago *$")
            check("explorer: the age at %d columns" % size[0], True)
        t.resize(120, 40)
        t.run(":synth ring:4")
        t.wait(r"^ ring:4 ")
        check("explorer: only a live fabric has an age", " ago" not in t.capture().split("\n")[0], t.capture().split("\n")[0])
        check("explorer", True)
    except tui.Failed as e:
        check("explorer", False, e)
    finally:
        t.close()
        sim.close()
    check("explorer: nothing left behind", not tui.LEFT, tui.LEFT)


def killed_program(ibscope):
    """A signal ends the program while it discovers: its child and what the simulator's library made go too."""
    path = torus(*TORUS)
    for sig in (signal.SIGTERM, signal.SIGKILL):
        sim = Sim(path)
        sim.proc.send_signal(signal.SIGSTOP)  # nothing is ever answered
        p = subprocess.Popen([ibscope, "-e", "live wait 3600"], env=sim.env(True), cwd=WORK, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            end = time.time() + BOUND
            while not children_of(p.pid) and time.time() < end:
                time.sleep(0.02)
            child = children_of(p.pid)
            while not (worker := named(child, "ibscope-live")) and time.time() < end:
                time.sleep(0.02)
            for w in worker:  # it is killed with its parent also where it does nothing by itself
                os.kill(int(w), signal.SIGSTOP)
            child = child + worker
            check("the process that reads answers is there, signal %d" % sig, len(worker) == 1, worker)
            p.send_signal(sig)
            check("program ends by signal %d" % sig, p.wait(BOUND) == -sig, p.returncode)
            end = time.time() + BOUND
            while any(alive(c) for c in child) and time.time() < end:
                time.sleep(0.02)
            check("its child ends too, signal %d" % sig, child and not any(alive(c) for c in child), child)
            left = [d for d in os.listdir(WORK) if d.startswith("sys-")]
            check("no folder left, signal %d" % sig, not left, left)
        finally:
            if p.poll() is None:
                p.kill()
                p.wait()
            sim.close()


def alive(pid):
    try:
        with open("/proc/%s/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def children_of(pid):
    try:
        return open("/proc/%d/task/%d/children" % (pid, pid)).read().split()
    except OSError:
        return []


def named(parents, name):
    """Children of these processes that have the name."""
    found = []
    for pid in (c for p in parents for c in children_of(int(p))):
        try:
            with open("/proc/%s/comm" % pid, encoding="ascii") as f:
                found += [pid] * (f.read().strip() == name)
        except OSError:
            pass
    return found


def killed_parent(probe):
    """A discovery process whose parent dies does not stay behind, wherever it is: just made, or waiting for what nobody answers."""
    for name in (None, "ibscope-live"):
        sim = Sim(SMALL)
        sim.proc.send_signal(signal.SIGSTOP)
        p = subprocess.Popen([probe, "dump", ""], env=sim.env(True), cwd=WORK, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            end, worker = time.time() + 60, []
            while not (child := children_of(p.pid)) and time.time() < end:
                time.sleep(0.02)
            while name and not (worker := named(child, name)) and time.time() < end:
                time.sleep(0.02)
            p.send_signal(signal.SIGKILL)
            p.wait()
            while any(alive(c) for c in child + worker) and time.time() < end:
                time.sleep(0.02)
            check("parent killed, %s" % name, child and (worker or not name) and not any(alive(c) for c in child + worker), (child, worker))
        finally:
            p.kill()
            p.wait()
            sim.close()


def program(ibscope):
    """The same through the program itself."""
    sim = Sim(SMALL)
    try:
        saved = os.path.join(WORK, "saved")
        r = sim.run(ibscope, "-L", "-e", "save " + saved)
        check("ibscope -L", r.returncode == 0, r.stderr)
        got = parse_topology(open(saved).read()) if os.path.exists(saved) else ({}, {}, {})
        want = parse_topology(sim.run("ibnetdiscover").stdout)
        for i, what in enumerate(("cables", "nodes", "LIDs")):
            check("ibscope -L, save: " + what, got[i] == want[i], difference(got[i], want[i]))
        r = sim.run(ibscope, "-L", "-R", "minhop", "-e", "snapshot a; fail random 1 seed=1; live; journal; diff a; undo; journal")
        check("journal goes on", r.returncode == 0 and re.search(
            r"^>  3  live [\s\S]*^0 entries on 0 switches changed[\s\S]*^>  2  fail random 1 seed=1 [\s\S]*^   3  live ",
            r.stdout, re.M), r.stdout + r.stderr)
    finally:
        sim.close()
    if not glob.glob("/dev/infiniband/umad*"):
        r = subprocess.run([ibscope, "-L", "-e", "show"], cwd=WORK, capture_output=True, text=True, timeout=600)
        check("ibscope -L without device", r.returncode == 3 and "no InfiniBand device" in r.stderr, r.stderr)


def switch_blocks(text):
    """The maps of the switches in an opensm-sl2vl.dump."""
    return sorted(b.strip() for b in text.split("\n\n") if b.startswith("Switch"))


def tables(ibscope):
    """Tables and SL-to-VL maps that OpenSM programmed, read back by the program; what a failure does to them."""
    sim = Sim(SMALL)
    conf = os.path.join(WORK, "opensm.conf")
    with open(conf, "w") as f:
        f.write("qos TRUE\nqos_sl2vl 0,0,1,1,2,2,3,3,4,4,5,5,6,6,7,7\n")
    try:
        env = dict(sim.env(), OSM_TMP_DIR=WORK, OSM_CACHE_DIR=WORK)
        subprocess.run(["opensm", "-o", "-F", conf, "-R", "updn", "-f", os.path.join(WORK, "osm2.log"), "-D", "0x43",
                        "-g", "0xabc0001"], env=env, cwd=WORK, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=600)
        before = open(os.path.join(WORK, "opensm-sl2vl.dump")).read()
        lfts = open(os.path.join(WORK, "opensm-lfts.dump")).read()
        run = lambda commands: sim.run(ibscope, "-e", commands)
        r = run("live sl2vl; set lmc 0; export lfts lfts; export sl2vl maps; check; fail switch *spine1*; check; "
                "why *leaf1* host6*")
        entries = lambda text: [line for line in text.splitlines() if line.startswith("0x")]
        got = [open(os.path.join(WORK, n)).read() if os.path.exists(os.path.join(WORK, n)) else "" for n in ("lfts", "maps")]
        check("tables read live", entries(got[0]) == entries(lfts) and entries(lfts),
              difference(dict(enumerate(entries(got[0]))), dict(enumerate(entries(lfts)))) + r.stdout + r.stderr)
        check("maps read live", switch_blocks(got[1]) == switch_blocks(before) and len(switch_blocks(before)) == 5,
              difference(dict(enumerate(switch_blocks(got[1]))), dict(enumerate(switch_blocks(before)))))
        check("check of what was read", "Sound" in r.stdout, r.stdout)
        check("nothing is routed around a failure", "NOT SOUND" in r.stdout and "held this entry" in r.stdout, r.stdout + r.stderr)
        r = run("live tables; route live; set sl2vl_file maps; export sl2vl again")
        again = os.path.join(WORK, "again")
        check("maps from a file", os.path.exists(again) and switch_blocks(open(again).read()) == switch_blocks(before),
              r.stdout + r.stderr)
        r = sim.run(ibscope, "--json", "-e", "live tables")
        told = contract.objects(ibscope, r.stdout)
        check("an object for each command", [(o["command"], o["ok"]) for o in told] == [("live", True)],
              r.stdout + r.stderr)
        r = run("live; save saved; load saved; tables live; export lfts onto; check")
        onto = os.path.join(WORK, "onto")
        check("live tables onto a saved fabric", os.path.exists(onto) and entries(open(onto).read()) == entries(lfts)
              and "read from the live fabric" in r.stdout and "Sound" in r.stdout, r.stdout + r.stderr)
        r = run("live; route live")
        check("tables that were not read", "`live tables` reads them" in r.stdout + r.stderr, r.stdout + r.stderr)
    finally:
        sim.close()


def held(sim, ibscope, commands, act):
    """Run commands of which one is `source hold`: act is done while the program waits there."""
    hold = os.path.join(WORK, "hold")
    os.mkfifo(hold)
    p = subprocess.Popen([ibscope, "-e", commands], env=sim.env(True), cwd=WORK, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    try:
        with open(hold, "w"):  # opens when the program has opened it, too
            act()
        out, err = p.communicate(timeout=600)
        return p.returncode, out, err
    finally:
        if p.poll() is None:
            p.kill()
            p.wait()
        os.unlink(hold)


def partial(ibscope):
    """A switch that does not answer: the fabric is incomplete, and nothing of it is told to be gone."""
    silent = 'Error "S-000000000abc0013" %d'
    sim = Sim(SMALL)
    try:
        sweep(sim)  # ports are active
        sim.console(silent % 100)
        r = sim.run(ibscope, "-L", "-R", "minhop", "-e", "check")
        check("incomplete: status", r.returncode == 3, r.stdout)
        check("incomplete: told at start", re.search(r"is incomplete \(.*open port", r.stderr), r.stderr)
        check("incomplete: check", "INCOMPLETE" in r.stdout and "Sound:" not in r.stdout, r.stdout)
        r = sim.run(ibscope, "--json", "-L", "-R", "minhop", "-e", "check")
        told = contract.objects(ibscope, r.stdout)
        check("incomplete: JSON", told[0].get("fabric", {}).get("complete") is False and told[-1].get("complete") is False
              and told[-1].get("sound") is False, r.stdout + r.stderr)
        # It answers, but does not tell of its ports (attribute 21, PortInfo): what is behind them is not known.
        sim.console(silent % 0, 'Error "S-000000000abc0013" 100 21')
        r = sim.run(ibscope, "--json", "-L", "-R", "minhop", "-e", "show warnings; check")
        told = contract.objects(ibscope, r.stdout)
        check("silent ports: incomplete", told[-1]["command"] == "check" and told[-1]["complete"] is False
              and told[-1]["sound"] is False, r.stdout)
        # What is saved of it stays incomplete, and the simulator reads it as if nothing were marked.
        missing, path = told[-1]["missing"], os.path.join(WORK, "partial")
        for save, load in (("save %s", "load %s"), ("save-session %s", "source %s"), ("export subnet %s", "load %s")):
            sim.run(ibscope, "-L", "-R", "minhop", "-e", save % path)
            r = sim.run(ibscope, "--json", "-e", load % path + "; route minhop; check")
            told = contract.objects(ibscope, r.stdout)
            check("saved in part: " + save, r.returncode == 3 and told[-1]["missing"].startswith(missing)
                  and not told[-1]["sound"], r.stdout + r.stderr)
            if save == "save %s":
                again = Sim(path)
                r = again.run(ibscope, "--json", "-L", "-e", "show")
                again.close()
                made = contract.objects(ibscope, r.stdout)[0]["fabric"]
                for key in ("switches", "hosts", "links"):
                    check("ibsim reads what is marked: " + key, made[key] == told[0]["fabric"][key], r.stdout + r.stderr)
        r = sim.run(ibscope, "--json", "-L", "-R", "minhop", "-e", "show warnings; check")
        check("silent ports: told", re.search(r"leaf3\[1\] did not tell its state", r.stdout) and "silent ports" in r.stderr,
              r.stdout + r.stderr)
        sim.console('Error "S-000000000abc0013" 0', 'Error "H-0000000000000a60" 100 21')
        r = sim.run(ibscope, "-L", "-R", "minhop", "-e", "check")
        check("silent port of a CA", r.returncode == 3 and "1 silent port" in r.stderr and "Sound:" not in r.stdout,
              r.stdout + r.stderr)
        sim.console('Error "H-0000000000000a60" 0')
        sim.console(silent % 0)
        status, out, err = held(sim, ibscope, "live; source hold; live", lambda: sim.console(silent % 100))
        check("a partial fabric replaces none", status == 3 and "the fabric loaded before stays" in err, out + err)
        sim.console(silent % 0)
        status, out, err = held(sim, ibscope, "live; source hold; live partial; show", lambda: sim.console(silent % 100))
        check("unless asked for", status == 0 and "INCOMPLETE" in out, out + err)
        check("no answer is not gone", re.search(r"^\? node leaf3", out, re.M) and re.search(r"^\? node host6", out, re.M)
              and not re.search(r"^- ", out, re.M), out + err)
        # The console's order reaches the simulator before the next discovery does.
        sim.console(silent % 0)
        status, out, err = held(sim, ibscope, "live; source hold; live; show",
                                lambda: sim.console('Unlink "H-0000000000000a60"[1]'))
        check("what answered no more and is down is gone", status == 0 and re.search(r"^- node host6", out, re.M)
              and "INCOMPLETE" not in out, out + err)
    finally:
        sim.close()


def lost_pairs(sim, lfts, dead):
    """Ordered pairs of host ports whose way by the tables passes one of these ports, or ends otherwise: {cause or None: pairs}."""
    cables, nodes, lids = parse_topology(sim.run("ibnetdiscover").stdout)
    hosts = [at for at in lids if nodes[at[0]][0] != "Switch" and at in cables]
    lost = 0
    for src in hosts:
        for dst in hosts:
            at, ok = src, False
            for _ in range(20):
                if at in dead or cables[at][:2] in dead:
                    break
                at = cables[at][:2]
                if at == dst:
                    ok = True
                if nodes[at[0]][0] != "Switch":
                    break
                at = (at[0], lfts[at[0]].get(lids[dst][0]))
                if at not in cables:
                    break
            lost += src != dst and not ok
    return lost


def not_active(ibscope):
    """Ports in Initialize, as no subnet manager has activated them, pass management packets and no data."""
    sim = Sim(SMALL)
    flap = ['%s "S-000000000abc0011"[8]' % word for word in ("Unlink", "Relink")]
    try:
        r = sim.run(ibscope, "-L", "-R", "minhop", "-e", "check")
        check("no manager has run", r.returncode == 1 and "in Initialize: no subnet manager has activated it" in r.stdout
              and "42 unreachable" in r.stdout, r.stdout + r.stderr)
        lfts = sweep(sim)
        r = sim.run(ibscope, "-e", "live tables; check; doctor")
        check("swept: sound", "Sound:" in r.stdout and "Initialize" not in r.stdout, r.stdout + r.stderr)
        sim.console(*flap)
        lost = lost_pairs(sim, lfts, {(0xabc0011, 8)})
        r = sim.run(ibscope, "--json", "-e", "live tables; check")
        told = contract.objects(ibscope, r.stdout)[-1]
        check("flapped: pairs as a walk of its own finds them", r.returncode == 1 and lost
              and told["unreachable"] == told["pairs_lost"] == lost and not told["sound"], (lost, r.stdout + r.stderr))
        check("flapped: the cause", [(c["kind"], c["pairs"], "in Initialize: no subnet manager" in c["why"]) for c in told["causes"]]
              == [("cable", lost, True)], told["causes"])
        r = sim.run(ibscope, "-e", "live tables; check format nagios")
        check("flapped: nagios", r.returncode == 2 and "CRITICAL" in r.stdout, r.stdout + r.stderr)
        r = sim.run(ibscope, "--json", "-e", "live tables; doctor")
        first = contract.objects(ibscope, r.stdout)[-1]["findings"][0]
        check("flapped: doctor", r.returncode == 1 and first["kind"] == "not-active" and first["pairs"] == lost, r.stdout)
        r = sim.run(ibscope, "--json", "-e", "live tables; drift minhop")
        dead = [x for x in contract.objects(ibscope, r.stdout)[-1]["entries"] if x["class"] == "dead"]
        check("flapped: drift", dead and all(x["why"] == "the port is not active" for x in dead), r.stdout + r.stderr)
        # What comes next is taken to activate them, and that is said.
        r = sim.run(ibscope, "-e", "live tables; route minhop; check; sweep; check")
        check("flapped: the sweep to come", r.returncode == 1 and r.stdout.count("NOT SOUND") == 1 and "Sound:" in r.stdout
              and "the sweep is taken to activate it" in r.stdout, r.stdout + r.stderr)
        r = sim.run(ibscope, "--json", "-e", "live tables; trace *host1* *host4*; trace *host4* *host1*; trace *host1* *host6*")
        hops = [h for t in contract.objects(ibscope, r.stdout)[1:] for way in ("forward", "back") for h in t[way]["path"]
                if h["switch"] == "leaf1" and h["out"] == 8]
        check("flapped: state in trace", all(h["state"] == "Initialize" for h in hops) and hops, r.stdout + r.stderr)
    finally:
        sim.close()


def flapped(ibscope):
    """watch: a cable flaps between two readings, a sweep activates its ports, P_Keys are written: nothing else changed, and each is judged anew."""
    sim, w, conf = Sim(SMALL), None, os.path.join(WORK, "partitions.conf")
    try:
        lost = lost_pairs(sim, sweep(sim), {(0xabc0011, 8)})
        w = Watched(sim, ibscope)
        w.reading()
        check("flapped: a quiet reading", [o["kind"] for o in w.again()] == ["round"])
        sim.console('Unlink "S-000000000abc0011"[8]', 'Relink "S-000000000abc0011"[8]')
        told = w.again()
        check("flapped: told and judged", [(o["kind"], o.get("states")) for o in told] == [("states_changed", 1), ("round", 1)] and lost
              and (told[-1]["followed"], told[-1].get("unreachable"), told[-1]["changes"], told[-1]["entries"]) == (False, lost, [], 0)
              and "~ ports of 1 link have another state" in told[-1]["text"], (lost, told))
        check("flapped: told once", [(o["kind"], o.get("states"), o["followed"]) for o in w.again()] == [("round", 0, False)])
        sweep(sim)
        told = w.again()
        check("flapped: a sweep mended it", [(o["kind"], o.get("states")) for o in told] == [("states_changed", 1), ("round", 1)]
              and (told[-1]["followed"], told[-1].get("unreachable")) == (True, 0), told)
        with open(conf, "w") as f:
            f.write("Default=0x7fff:ALL=limited,SELF=full;\n")
        sweep(sim, "0xabc0001", "-P", conf)
        told = w.again()
        check("flapped: P_Keys", [o["kind"] for o in told] == ["pkeys_changed", "round"] and "event" in told[-1] and told[-1].get("states") == 0, told)
        check("flapped: told once, too", [o["kind"] for o in w.again()] == ["round"])
        global IBSCOPE
        IBSCOPE = ibscope
        check("flapped: the schema", [o for o in w.end() if o.get("kind") == "round"][-1]["states"] == 0)
    finally:
        if w:
            w.close()
        sim.close()


def silent_spine(ibscope):
    """A switch that answers nothing, its links up: of what passes it nothing can be told, and nothing of that is lost."""
    sim = Sim(SMALL)
    try:
        lfts = sweep(sim)
        dead = {(0xabc0002, 1), (0xabc0002, 2), (0xabc0002, 3)}
        behind = lost_pairs(sim, lfts, dead)
        sim.console('Error "S-000000000abc0002" 100')
        r = sim.run(ibscope, "--json", "-e", "live tables; check")
        told = contract.objects(ibscope, r.stdout)[-1]
        check("silent switch: cannot be told", r.returncode == 3 and behind and told["pairs_untold"] == told["unreachable"] == behind
              and not told["complete"], (behind, r.stdout + r.stderr))
        r = sim.run(ibscope, "-e", "live tables; check; doctor")
        check("silent switch: in words", "nothing is at the port" not in r.stdout and " 0 unreachable" in r.stdout
              and "did not answer: it cannot be told" in r.stdout, r.stdout + r.stderr)
        r = sim.run(ibscope, "--json", "-e", "live tables; doctor")
        kinds = [x["kind"] for x in contract.objects(ibscope, r.stdout)[-1]["findings"]]
        check("silent switch: doctor", kinds[:1] == ["incomplete"] and "silent-switch" in kinds and not set(kinds) & {"unreachable", "cable-gone"}, kinds)
    finally:
        sim.close()


def same_lid(ibscope):
    """A host gets another's LID: the tables lead to one of the two, and all that is sent to the other one is lost."""
    sim = Sim(SMALL)
    try:
        sweep(sim)
        lid = parse_topology(sim.run("ibnetdiscover").stdout)[2][(0xa10, 1)][0]
        sim.console('Baselid "H-0000000000000a40"[1] %d' % lid)
        r = sim.run(ibscope, "--json", "-e", "live tables; check")
        told = contract.objects(ibscope, r.stdout)[-1]
        check("same LID: lost pairs", r.returncode == 1 and not told["sound"] and told["unreachable"] == told["pairs_lost"] == 6
              and told["check"]["pairs"] == 42, r.stdout + r.stderr)
        check("same LID: the cause", [c["what"] for c in told["causes"]] == ["LID %d of host4 HCA-1[1] and host1 HCA-1" % lid],
              told["causes"])
        r = sim.run(ibscope, "-e", "live tables; trace *host6* *host4*")
        check("same LID: trace says whose way it shows", "LID %d is that of host4 HCA-1, too: this is the way to host1 HCA-1 alone" % lid
              in r.stdout, r.stdout + r.stderr)
    finally:
        sim.close()


# --- what is sent, and what the discovery process may do meanwhile ---------------------------------

GET, CLASSES = 0x01, {0x01: "SubnLid", 0x81: "SubnDir"}
ATTRIBUTES = {0x10: "NodeDescription", 0x11: "NodeInfo", 0x12: "SwitchInfo", 0x15: "PortInfo", 0x16: "PKeyTable", 0x17: "SLtoVLTable", 0x20: "SMInfo",
              0x19: "LinearForwardingTable", 0xff90: "MlnxExtPortInfo"}


class Mad:
    """The header of a MAD as it was sent (IBA 1.3, 13.4.2)."""

    def __init__(self, text):
        b = bytes.fromhex(text)
        self.cls, self.method, self.attribute = b[1], b[3], int.from_bytes(b[16:18], "big")
        self.hops = b[7] if self.cls == 0x81 else 1
        self.transaction = b[8:16]  # a question that is asked again has the same

    def __repr__(self):
        return "%s method 0x%02x attribute 0x%04x" % (CLASSES.get(self.cls, "class 0x%02x" % self.cls), self.method, self.attribute)


def captured(sim, name, *argv, **env):
    """Run a program with tests/live/capture.c before the simulator's library: its end, lines of the log."""
    log = os.path.join(WORK, "capture." + name)
    r = sim.run(*argv, LD_PRELOAD="%s %s" % (CAPTURE, PRELOAD), CAPTURE_LOG=log, **env)
    return r, open(log).read().splitlines() if os.path.exists(log) else []


def mads(lines):
    return [Mad(line[5:]) for line in lines if line.startswith("send ")]


def most_on_their_way(lines):
    """Requests that had no answer yet, at most, process by process (each opens the device anew)."""
    now = most = 0
    for line in lines:
        now = 0 if line.startswith("open ") else now + line.startswith("send ") - (line == "got")
        most = max(most, now)
    return most


def limit_told():
    """The same as the manual page has it."""
    page = open(os.path.join(HERE, "..", "..", "tui", "ibscope.1.in")).read()
    return {"one": 1, "two": 2, "three": 3, "four": 4}[re.search(r"A discovery has at most (\w+) requests on their way", page)[1]]


def not_get(lines):
    """MADs that are no plain Get of the subnet manager's class."""
    return [m for m in mads(lines) if m.method != GET or m.cls not in CLASSES]


def only_gets(probe, ibscope):
    """Every MAD of a session is a Get; a Set would be seen, and is not sent by a discovery process."""
    sim = Sim(SMALL)
    try:
        r, lines = captured(sim, "session", ibscope, "-e",
                            "live; route minhop; live tables; live sl2vl; check; fail switch *spine1*; undo; live tables; save saved2")
        sent = mads(lines)
        asked = {ATTRIBUTES.get(m.attribute, m.attribute) for m in sent}
        check("a session's MADs are seen", asked == set(ATTRIBUTES.values()) - {"SMInfo"} and len(sent) > 4 * 11 * 3 and r.stdout,
              "%d MADs: %s; %s" % (len(sent), asked, r.stderr))
        page = open(os.path.join(HERE, "..", "..", "tui", "ibscope.1.in")).read()
        told = set(re.findall(r"\w+(?:Info|Description|Table)\b", re.search(r"^\.Ss What is sent\n(.*?)^\.S", page, re.M | re.S)[1]))
        check("the manual page names what is asked", told == {*ATTRIBUTES.values(), "ClassPortInfo"}, told)
        check("only Get is sent", not not_get(lines), not_get(lines)[:3])
        check("requests on their way are as the manual page says", most_on_their_way(lines) == limit_told(), most_on_their_way(lines))
        opened = {line[5:] for line in lines if line.startswith("open ")}
        check("only the MAD device is opened", opened and all(re.fullmatch(r"/dev/infiniband/umad\d+", f) for f in opened),
              opened)
        r, lines = captured(sim, "set", probe, "set", "free")
        check("a Set is seen", [repr(m) for m in not_get(lines)]
              == ["SubnDir method 0x02 attribute 0x0015"], r.stdout + r.stderr + str(mads(lines)))
    finally:
        sim.close()


def sweep(sim, guid="0xabc0001", *options):
    """One sweep of OpenSM at the port with this GUID, or at the simulator's own; its tables: {switch GUID: {LID: port}}."""
    env = dict(sim.env(), OSM_TMP_DIR=WORK, OSM_CACHE_DIR=WORK)
    subprocess.run(["opensm", "-o", "-f", os.path.join(WORK, "osm.log"), "-D", "0x43", *(["-g", guid] if guid else []), *options], env=env, cwd=WORK,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
    tables, at = {}, None
    for line in open(os.path.join(WORK, "opensm-lfts.dump")):
        head = re.match(r"Unicast lids .* guid (0x\w+)", line)
        entry = re.match(r"0x(\w+) (\d+) ", line)
        if head:
            at = tables.setdefault(int(head[1], 16), {})
        elif entry:
            at[int(entry[1], 16)] = int(entry[2])
    return tables


def lines_of_events(sim, ibscope):
    """watch with --json: an object for each change and for each reading, at once; SIGHUP reads anew, SIGTERM ends it."""
    said = tempfile.TemporaryFile("w+")
    p = subprocess.Popen([ibscope, "--json", "-e", "watch 3600 keep 2"], env=sim.env(True), cwd=WORK, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=said, text=True)
    try:
        lines = []

        def reading():
            """The objects up to that of the reading."""
            told = []
            for line in p.stdout:
                lines.append(line)
                told.append(json.loads(line))
                if told[-1].get("kind") == "round":
                    break
            return told

        first = reading()
        check("events as lines: the first reading", len(first) == 1 and first[0]["followed"] and first[0]["round"] == 1 and first[0]["text"]
              and first[0]["program"] and first[0]["read"]["format"] == "live", first)
        sim.console('Unlink "S-000000000abc0011"[7]')
        p.send_signal(signal.SIGHUP)
        told = reading()
        check("events as lines: a link went", [o["kind"] for o in told] == ["link_down", "round"] and
              sorted((told[0][e + "_guid"], told[0][e + "_port"]) for e in "ab") == [("0x000000000abc0001", 1), ("0x000000000abc0011", 7)], told)
        sim.console('ReLink "S-000000000abc0011"[7]')
        p.send_signal(signal.SIGHUP)
        told = reading()
        check("events as lines: it came back", [o["kind"] for o in told] == ["link_up", "round"], told)
        p.send_signal(signal.SIGHUP)
        told = reading()
        check("events as lines: nothing changed", [(o["kind"], o["changes"]) for o in told] == [("round", [])], told)
        p.send_signal(signal.SIGTERM)
        rest = p.stdout.read()
        told = contract.objects(ibscope, "".join(lines) + rest)
        check("events as lines: the end", p.wait(BOUND) in (0, 1) and "kind" not in told[-1] and "rounds" not in told[-1] and
              told[-1]["text"] == ["watch ended by SIGTERM: 4 readings, 2 changes"], (p.returncode, rest))
        said.seek(0)
        check("events as lines: nothing else is said", not said.read())
    finally:
        said.close()
        if p.poll() is None:
            p.kill()
            p.wait()
        p.stdout.close()


def watching(ibscope):
    """watch: changes become events, tables that did not follow are told, and those that did; counters; only Gets."""
    sim = Sim(SMALL)
    log, p = os.path.join(WORK, "capture.watch"), None

    def log_readings():
        return open(log).read().count("open ") if os.path.exists(log) else 0

    def until(words):
        """Lines up to one with the words."""
        told = []
        for line in p.stdout:
            told.append(re.sub(r"^(\[\d+) \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\] ", r"\1] ", line.rstrip("\n")))
            if words in told[-1]:
                return told
        check("watch goes on", False, told[-5:])
        return told

    try:
        tables = sweep(sim)
        env = dict(sim.env(True), LD_PRELOAD="%s %s" % (CAPTURE, PRELOAD), CAPTURE_LOG=log)
        p = subprocess.Popen([ibscope, "-e", "watch 0 rounds 100000"], env=env, cwd=WORK, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        check("watch: whole", until("The tables ")[-1] == "[1] The tables followed: every host reaches every host.")
        check("watch: managers", until("no subnet ") == ["[1] Subnet managers: none.", "[1] no subnet manager answers"])
        while log_readings() < 4:       # readings that say nothing
            time.sleep(0.02)
        sim.console('Unlink "S-000000000abc0011"[7]')
        told = until("The tables ")
        check("watch: quiet readings say nothing", int(told[0][1:told[0].index("]")]) > 2 and re.search("link|node host1", told[0]), told[0])
        dead = sum(port == {0xabc0011: 7, 0xabc0001: 1}.get(guid) for guid, table in tables.items() for port in table.values())
        check("watch: a link went", any(l.endswith("] - link MF0;spine1:MQM8700/U1[1] -- leaf1[7]") for l in told), told[-9:])
        check("watch: the tables have not followed",
              dead > 1 and "have not followed: %d entries into ports that are down" % dead in told[-1], (told[-1], dead))
        now = sweep(sim)
        check("watch: the sweep changed tables", now != tables)
        until("The tables followed")
        sim.console('ReLink "S-000000000abc0011"[7]')
        told = until("+ link")
        check("watch: a link came back", told[-1].endswith("] + link MF0;spine1:MQM8700/U1[1] -- leaf1[7]"), told[-1])
        told = until("The last ")
        check("watch: history", re.search(r"The last \d+ rounds: table entries changed ([·▁-█]+) \(most \d+\), pairs unreachable ([·▁-█]+) \(most \d+\)$", told[-1])
              and "█" in told[-1].split(",")[0] and "█" in told[-1].split(",")[1], told[-1])
        p.send_signal(signal.SIGTERM)
        rest = p.stdout.read().splitlines()
        check("watch ends by a signal", p.wait(BOUND) == 1 and re.fullmatch(r"watch ended by SIGTERM: \d+ readings, \d+ changes", rest[-1]),
              (p.returncode, rest[-2:]))
        sim = begun_anew(sim, SMALL)    # a client that ends in the middle may end ibsim, too
        sweep(sim)
        lines_of_events(sim, ibscope)
        sim = begun_anew(sim, SMALL)
        now = sweep(sim)
        r = sim.run(ibscope, "--json", "--no-text", "--no-timing", "-e", "watch 0 rounds 2")
        objects = contract.objects(ibscope, r.stdout)
        check("watch without times and text", r.returncode == 1 and all("manager_fault" in o for o in objects[:2]) and len(objects) == 3 and not any("time" in o or "text" in o for o in objects)
              and [o["schema"] for o in objects if "schema" in o] == [objects[0].get("schema")], r.stdout)
        r = sim.run(ibscope, "--no-timing", "-e", "watch 0 rounds 1")
        check("lines of watch without times", r.stdout.splitlines()[-3:-2] == ["[1] The tables followed: every host reaches every host."], r.stdout)
        r, more = captured(sim, "counters", ibscope, "--json", "-e", "watch 0 rounds 2; journal; counters leaf2[1]; counters leaf2[2]")
        told = contract.objects(ibscope, r.stdout)
        rounds, told = [o for o in told if o.get("kind") == "round"], [o for o in told if "kind" not in o]
        if len(told) != 4:
            check("watch, journal and counters: an object each", False,
                  "%s%s; the simulator: %s" % (r.stdout, r.stderr, sim.proc.poll() or "lives"))
            return
        events = [e["text"] for e in told[1]["events"]]
        check("watch: rounds", len(rounds) == 2 and rounds[0]["followed"] and rounds[0]["dead_entries"] == 0
              and rounds[1]["changes"] == [] and rounds[1]["entries"] == 0 and "event" not in rounds[1], rounds)
        check("watch: events", events == ["live", "route live,no_fallback"], events)
        lid = next(l for l, port in now[0xabc0012].items() if port == 0)
        for got, port in zip(told[2:], (1, 2)):
            with_tool = sim.run("perfquery", str(lid), str(port)).stdout
            want = {n: int(v) for n, v in re.findall(r"^(\w+):\.*(\d+)$", with_tool, re.M)}
            check("counters of leaf2[%d]" % port, got["ok"] and got["of"] == "leaf2[%d]" % port and got["of_lid"] == lid
                  and (got["counters"]["transmit_discards"], got["counters"]["symbol_errors"])
                  == (want["PortXmitDiscards"], want["SymbolErrorCounter"])
                  and 0 < got["counters"]["transmit_packets"] <= want["PortXmitPkts"], (got, with_tool))
        lines = open(log).read().splitlines() + more
        sent, counters = mads(lines), [(0x04, attribute) for attribute in (0x01, 0x12, 0x1d)]
        wrong = [m for m in sent if m.method != GET or (m.cls not in CLASSES and (m.cls, m.attribute) not in counters)]
        asked = [m for m in sent if m.cls == 0x04]
        check("watch: no more requests on their way than in a discovery", 1 < most_on_their_way(open(log).read().splitlines()) <= limit_told(),
              most_on_their_way(open(log).read().splitlines()))
        r, lines = captured(sim, "asked", ibscope, "-e", "live; counters leaf2[1]", CAPTURE_TRY="1")
        tries = list(zip(mads(lines), [line for line in lines if line.startswith("may ")]))
        tries = [t for m, t in tries if m.cls == 0x04]
        barred = "1" if has_seccomp(ibscope) else r"\d+"
        check("who reads counters is confined", len(tries) in (2, 3) and all(re.fullmatch("may open %s socket %s fork %s exec %s" % ((barred,) * 4), t) for t in tries)
              and "transmit_packets" in r.stdout, (tries, r.stdout + r.stderr))
        r, lines = captured(sim, "all", ibscope, "--json", "-e", "live; counters all live; counters all live")
        told = [o["measured"] for o in contract.objects(ibscope, r.stdout) if o["command"] == "counters" and o["ok"]]
        with_tool = sim.run("perfquery", "-x", str(lid), "1").stdout
        packets = [int(v) for v in re.findall(r"^PortXmitPkts:\.*(\d+)$", with_tool, re.M)]
        mine = [p["counters"]["transmit_packets"] for m in told for p in m["ports"] if (p["name"], p["port"]) == ("leaf2[1]", 1)]
        check("counters of all ports", len(told) == 2 and told[0]["told"] == told[1]["told"] > 20 and len(mine) == 2 and len(packets) == 1
              and 0 < mine[0] <= packets[0] and mine[1] < mine[0] and told[1]["reset"] == 0, (r.stdout[:600] + r.stderr, mine, packets))
        check("counters of all ports: only Gets", all(m.method == GET for m in mads(lines)) and {m.attribute for m in mads(lines) if m.cls == 0x04} <= {0x01, 0x12, 0x1d},
              mads(lines)[-1])
        # a session keeps what was read live, in files of its own
        kept = os.path.join(WORK, "kept")
        r = sim.run(ibscope, "--json", "-e", "live; counters all live; counters all live; counters all; save-session %s" % kept)
        again = sim.run(ibscope, "--json", "-e", "source %s; counters all" % kept)
        was, back = ([o for o in contract.objects(ibscope, x.stdout) if o["command"] == "counters" and o["ok"]][-1] for x in (r, again))
        check("counters: a saved session has them", was["measured"] == back["measured"] and [x["time"] for x in was["readings"]]
              == [x["time"] for x in back["readings"]] and [x.get("file") for x in back["readings"]] == [kept + ".counters", kept + ".counters-before"],
              (was["readings"], back["readings"], r.stderr + again.stderr))
        check("watch and counters: only Gets", not wrong and [m.attribute for m in asked].count(0x12) == 2 and len(sent) > 300,
              "%s; %d of counters, %d in all" % (wrong[:3], len(asked), len(sent)))
    finally:
        if p and p.poll() is None:
            p.kill()
            p.wait()
        sim.close()


class Hung(OSError):
    """OpenSM says no more.  Over the simulator it waits for ever when its master is killed while it asks it: the simulator drops what it asked."""


class Manager:
    """OpenSM that stays, at the port of a host; it has swept once."""
    number = 0

    def __init__(self, sim, host, guid, priority, engine="minhop", more="sminfo_polling_timeout 200\n"):
        Manager.number += 1
        self.folder = os.path.join(WORK, "manager%d" % Manager.number)
        os.mkdir(self.folder)
        self.log, conf = os.path.join(self.folder, "osm.log"), os.path.join(self.folder, "opensm.conf")
        with open(conf, "w") as f:      # one on standby sees at once that the master is gone
            f.write("guid %s\nsm_priority %d\nrouting_engine %s\npolling_retry_number 2\n%s" % (guid, priority, engine, more))
        self.p = subprocess.Popen(
            ["opensm", "-F", conf, "-d2", "-f", self.log, "-D", "0x43"], cwd=self.folder,
            env=dict(sim.env(), SIM_HOST=host, OSM_TMP_DIR=self.folder, OSM_CACHE_DIR=self.folder), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def until(self, words):
        end = time.monotonic() + 120
        while not (os.path.exists(self.log) and words in open(self.log, errors="replace").read()):
            if time.monotonic() > end or self.p.poll() is not None:
                kind = OSError if self.p.poll() is not None else Hung
                raise kind("OpenSM does not say %s: %s" % (words, open(self.log, errors="replace").read()[-600:]))
            time.sleep(0.02)

    def close(self):
        self.p.kill()
        self.p.wait()


class Watched:
    """`watch` that reads when it is told to: the objects of each reading."""

    def __init__(self, sim, ibscope, words="", *options, **env):
        self.p = subprocess.Popen([ibscope, "--json", *options, "-e", "watch 3600 keep 3 " + words], env=dict(sim.env(True), **env), cwd=WORK,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.lines = []

    def reading(self):
        told = []
        for line in self.p.stdout:
            self.lines.append(line)
            told.append(json.loads(line))
            if told[-1].get("kind") == "round":
                return told
        raise OSError("watch ended: %s" % self.p.wait())

    def again(self):
        self.p.send_signal(signal.SIGHUP)
        return self.reading()

    def again_until(self, kind):
        """Readings up to one that tells the kind: an answer of the simulator may come later than its log."""
        told = []
        for _ in range(200):
            told += self.again()
            if any(o["kind"] == kind for o in told):
                return told
        raise OSError("no %s: %s" % (kind, told[-3:]))

    def end(self):
        """What it says at its end, all objects checked against the schema."""
        self.p.send_signal(signal.SIGTERM)
        rest = self.p.stdout.read()
        return contract.objects(IBSCOPE, "".join(self.lines) + rest)

    def close(self):
        if self.p.poll() is None:
            self.p.kill()
        self.p.wait()
        self.p.stdout.close()


def managers(ibscope):
    """Begun anew when OpenSM hangs, at most twice: what was checked till then counts only when it failed."""
    for tries in range(3):
        was = list(counts)
        try:
            return managers_watched(ibscope)
        except Hung:
            if tries == 2 or counts[1] != was[1]:
                raise
            counts[:] = was


def managers_watched(ibscope):
    """watch: a master that moves is told once; masters and standbys, priority and state; death, handover, a new engine; a program of the user's."""
    global IBSCOPE
    IBSCOPE = ibscope
    sim, w, running = Sim(SMALL), None, []
    hosts = {n: ("H-0000000000000a%d0" % n, "0xa%d1" % n, "host%d HCA-1" % n, "0x0000000000000a%d0" % n) for n in (1, 2)}

    def once(n):
        """One sweep of OpenSM at a host, which then leaves."""
        r = subprocess.run(["opensm", "-o", "-f", os.path.join(WORK, "osm.log"), "-D", "0x43", "-g", hosts[n][1]], cwd=WORK, stdin=subprocess.DEVNULL,
                           env=dict(sim.env(), SIM_HOST=hosts[n][0], OSM_TMP_DIR=WORK, OSM_CACHE_DIR=WORK), stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=600)
        return r.returncode

    def told_of(told, kind):
        return [o for o in told if o["kind"] == kind]

    try:
        once(1)
        w = Watched(sim, ibscope)
        w.reading()
        check("managers: none is told when nothing moved", [o["kind"] for o in w.again()] == ["round"])
        once(2)
        told = w.again()
        moved = told_of(told, "master_changed")
        check("managers: the master moved, once, both LIDs and GUIDs", len(moved) == 1 and [moved[0].get(k) for k in (
            "from", "from_guid", "from_port", "from_lid", "to", "to_guid", "to_port", "to_lid")] == [
                "host1 HCA-1[1]", "0x0000000000000a10", 1, 100, "host2 HCA-1[1]", "0x0000000000000a20", 1, 104], told)
        told = w.again()
        check("managers: it is not told again", [o["kind"] for o in told] == ["round"] and told[0]["managers"] == [], told)
        running.append(Manager(sim, *hosts[1][:2], 5))
        running[0].until("SUBNET UP")
        told = w.again_until("manager_new")
        came, moved = told_of(told, "manager_new"), told_of(told, "master_changed")
        check("managers: a master came", [(o["manager"], o["manager_guid"], o["state"], o["priority"]) for o in came] == [(*hosts[1][2:], "master", 5)]
              and [(o["from_lid"], o["to_lid"]) for o in moved] == [(104, 100)], told)
        r, lines = captured(sim, "managers", ibscope, "-e", "watch 0 rounds 1")
        asked = [m for m in mads(lines) if ATTRIBUTES.get(m.attribute) == "SMInfo"]
        check("managers: only Gets are sent", r.returncode == 0 and asked and not not_get(lines), (r.stdout, asked, not_get(lines)[:3]))
        running.append(Manager(sim, *hosts[2][:2], 3, "dor"))
        running[1].until("Entering STANDBY state")
        told = w.again_until("manager_new")
        now = {o["name"]: (o["state"], o["priority"]) for o in told[-1]["managers"]}
        check("managers: one on standby", now == {hosts[1][2]: ("master", 5), hosts[2][2]: ("standby", 3)} and not told_of(told, "master_changed"), told)
        check("managers: in text", "Subnet managers: host1 HCA-1 master, priority 5; host2 HCA-1 standby, priority 3." in told[-1]["text"], told)
        running[0].close()
        running[1].until("SUBNET UP")
        told, lasts = [], {"manager_gone", "master_changed", "engine_changed", "manager_changed"}
        while not lasts <= {o["kind"] for o in told} and len(told) < 400:
            told += w.again()
        # the simulator may go on for a while to say that there is one, which then does not answer
        died = [o for o in told if (o["kind"], o.get("state"), o.get("priority")) == ("manager_gone", "master", 5)
                or (o["kind"], o.get("state"), o.get("was"), o.get("old_priority")) == ("manager_changed", "silent", "master", 5)]
        check("managers: the master died", [o["manager"] for o in died] == [hosts[1][2]] and any(
            re.match(r"[-~] subnet manager host1 HCA-1: (silent; )?it was master, priority 5", line) for o in told for line in o.get("text", ())), told)
        check("managers: the other took over", [(o["state"], o["priority"], o["was"]) for o in told_of(told, "manager_changed") if o["manager"] == hosts[2][2]][-1:]
              == [("master", 3, "standby")] or [o["state"] for o in told_of(told, "manager_changed") if o["manager"] == hosts[2][2]] == ["discovering", "master"], told)
        check("managers: the new master is told once", [(o["from_lid"], o["to_lid"]) for o in told_of(told, "master_changed")] == [(100, 104)], told)
        check("managers: a new engine by name", [(o["engine"], o["old_engine"]) for o in told_of(told, "engine_changed")] == [("dor", "minhop")], told)
        objects = w.end()
        check("managers: the schema", objects[-2]["engine"] == "dor" and "kind" not in objects[-1], objects[-1:])
    finally:
        if w:
            w.close()
        for m in running:
            m.close()
        sim.close()


def top_bar(ibscope, sim):
    """The explorer's first line, once it has read the fabric."""
    os.environ["IBSCOPE"] = ibscope
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tui"))
    import run as tui
    t = tui.Terminal(size=(120, 40))
    try:
        t.type("LD_PRELOAD='%s' IBSIM_SOCKNAME=%s %s -L" % (SIM_SO, sim.socket, ibscope))
        t.keys("Enter")
        t.wait(r"^ .* 5 sw .*\| read \d+ s ago")
        return t.capture().split("\n")[0]
    finally:
        t.close()


def unmanaged(ibscope):
    """Nobody answers, one is master, a standby without a master, two masters: the load line, doctor, check, watch and the top bar say so.

    All are real: the standby would look for its master in ten minutes, and is asked before; two masters were parted when they began,
    and neither sweeps again.
    """
    sim, running = Sim(SMALL), []
    still = "sweep_interval 0\nsweep_on_trap FALSE\nsminfo_polling_timeout 600000\n"
    hosts = [("H-0000000000000a%d0" % n, "0xa%d1" % n) for n in (1, 2)]

    def told(name, states, words, kind, follows, bar):
        for _ in range(100):    # the simulator may go on for a while to say that there is one
            r = sim.run(ibscope, "--json", "-e", "watch 0 rounds 1")
            last = [o for o in contract.objects(ibscope, r.stdout) if o.get("kind") == "round"][-1]
            if sorted(m["state"] for m in last["managers"] if m["state"] != "silent") == states:
                break
        check("unmanaged: %s: states" % name, sorted(m["state"] for m in last["managers"] if m["state"] != "silent") == states, last)
        r = sim.run(ibscope, "-e", "live tables; doctor; check")
        lines = r.stdout.splitlines()
        any_fault = r"(?i)no subnet manager|subnet managers are master|nobody will repair|no-manager|two-masters"
        check("unmanaged: %s: doctor" % name, ("error   %s (fact)" % kind in r.stdout) if kind else not re.search(any_fault, r.stdout), r.stdout + r.stderr)
        if words:
            says = [line for line in lines if re.search("(?i)" + words, line)]
            check("unmanaged: %s: load line, doctor, last line of check" % name, len(says) == 3 and says[-1] == lines[-1] and follows in lines[-1], r.stdout)
        r = sim.run(ibscope, "-L", "-e", "show")
        check("unmanaged: %s: -L without tables" % name, bool(re.search("(?i)" + (words or any_fault), r.stdout)) == bool(words), r.stdout + r.stderr)
        r = sim.run(ibscope, "-e", "watch 0 rounds 1")
        check("unmanaged: %s: watch" % name, bool(re.search(words or any_fault, r.stdout)) == bool(words) and (r.returncode == 1 or not words),
              "%s %s" % (r.returncode, r.stdout + r.stderr))
        got = re.search(r"NO MANAGER|NO MASTER|TWO MASTERS", top_bar(ibscope, sim))
        check("unmanaged: %s: top bar" % name, (got and got[0]) == bar, got)

    try:
        told("nobody", [], "no subnet manager answers", "no-manager", "nobody will repair this", "NO MANAGER")
        running.append(Manager(sim, *hosts[0], 5, more=still))
        running[0].until("SUBNET UP")
        told("a master", ["master"], None, None, None, None)
        running.append(Manager(sim, *hosts[1], 3, more=still))
        running[1].until("Entering STANDBY state")
        told("a master and a standby", ["master", "standby"], None, None, None, None)
        running[0].close()
        told("the master died", ["standby"], r"no subnet manager is master \(host2 HCA-1 is standby\)", "no-manager",
             "nobody will repair this before one takes over", "NO MASTER")
        running[1].close()
        cut = ['%s "S-000000000abc0013"[%d]' % (word, port) for word in ("Unlink", "ReLink") for port in (7, 8)]
        sim.console(*cut[:2])
        running[:] = [Manager(sim, *hosts[0], 5, more=still), Manager(sim, "H-0000000000000a60", "0xa61", 3, more=still)]
        for m in running:
            m.until("SUBNET UP")
        sim.console(*cut[2:])
        told("two masters", ["master", "master"], r"2 subnet managers are master \(host1 HCA-1, host6 HCA-1\)", "two-masters",
             "each writes over what the other one wrote", "TWO MASTERS")
    finally:
        for m in running:
            m.close()
        sim.close()


def asked_on_call(ibscope):
    """`-L -e check` and `-L -e doctor` read the tables and judge them; with -R they say that they did not, and how."""
    sim = Sim(SMALL)
    try:
        lfts = sweep(sim)
        sim.console('Unlink "S-000000000abc0011"[7]')
        lost = lost_pairs(sim, lfts, {(0xabc0011, 7)})
        r = sim.run(ibscope, "-L", "-e", "echo ASKED; check; echo AGAIN; doctor")
        lines = r.stdout.splitlines()
        first = [lines[lines.index(word) + 1] for word in ("ASKED", "AGAIN")]
        check("-L: what is judged, in the first line", all(re.fullmatch(r"Judged: tables in the switches, read \d\d:\d\d\.", x) for x in first), r.stdout + r.stderr)
        r = sim.run(ibscope, "--json", "-L", "-e", "check; doctor")
        judged, found = contract.objects(ibscope, r.stdout)[-2:]
        check("-L: held tables, and the pairs that a walk of its own loses", r.returncode == 1 and judged["judged"] == found["judged"] == "held"
              and lost and judged["pairs_lost"] == lost == sum(x["pairs"] for x in found["findings"]), (lost, r.stdout + r.stderr))
        r = sim.run(ibscope, "-L", "-R", "minhop", "-e", "echo ASKED; check; echo AGAIN; doctor; live tables; tables held; check")
        lines = r.stdout.splitlines()
        first = [lines[lines.index(word) + 1] for word in ("ASKED", "AGAIN")]
        check("-L -R: the tables were not read, and how", first == ["Judged: computed by minhop; the tables in the switches were not read: `live tables`.  Rules: public OpenSM."] * 2
              and re.search(r"^Judged: tables in the switches, read", r.stdout, re.M), r.stdout + r.stderr)
    finally:
        sim.close()


def partitions(ibscope):
    """P_Keys that OpenSM wrote into the ports, read by Gets: as many pairs apart as its partition file says; not read: that is told."""
    text, conf = open(SMALL, errors="replace").read(), os.path.join(WORK, "partitions.conf")
    hosts = ["0xa%d1" % n for n in range(1, 7) if "a%d1" % n in text or "a%d0" % n in text]

    def checked(sim, *commands):
        r = sim.run(ibscope, "--json", "-L", "-e", "; ".join((*commands, "check")))
        told = [o for o in contract.objects(ibscope, r.stdout) if o["command"] == "check"]
        return (told[0]["partitions"], told[0]["check"].get("no_common_pkey", 0)) if told else r.stdout + r.stderr

    for name, lines, some in (
            ("two groups", "Default=0x7fff:ALL=limited,SELF=full;\nA=1:%s=full,%s=full;\nB=2:%s=full,%s,%s;\n" % tuple(hosts[:5]), True),
            ("all in full", "Default=0x7fff:ALL=full;\n", False)):
        with open(conf, "w") as f:
            f.write(lines)
        sim = Sim(SMALL)
        try:
            env = dict(sim.env(), SIM_HOST="H-0000000000000a10", OSM_TMP_DIR=WORK, OSM_CACHE_DIR=WORK)
            subprocess.run(["opensm", "-o", "-P", conf, "-f", os.path.join(WORK, "osm.log"), "-D", "0x43", "-g", "0xa11"], env=env, cwd=WORK,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
            file, live = checked(sim, "set guid 0xa11", "set partition_config_file " + conf, "route minhop"), checked(sim, "live tables")
            check("partitions: %s: the ports' P_Keys say what the file says" % name, file == live and live[0] is True and (live[1] > 0) == some,
                  "file %s, live %s" % (file, live))
            edited = [checked(sim, "live tables", "rename host1 other", "add host new leaf1", *back) for back in ((), ("undo",), ("undo", "redo"))]
            check("partitions: %s: they stay when the cabling is edited, and a port that is added told none" % name,
                  edited == [(False, 0), live, (False, 0)], edited)
            _, sent = captured(sim, "pkeys" + name[0], ibscope, "-e", "live tables")
            check("partitions: %s: Gets alone" % name, any(m.attribute == 0x16 for m in mads(sent)) and not not_get(sent), not_get(sent)[:3])
        finally:
            sim.close()


def handover(ibscope):
    """A living master hands over, and dies later: SMInfo rewritten between readings (tests/live/lie.c), as OpenSM hangs over the simulator then."""
    global IBSCOPE
    IBSCOPE = ibscope
    sim, w, rules = Sim(SMALL), None, os.path.join(WORK, "managers are")
    states = {"discovering": 1, "standby": 2, "master": 3}

    def sweep(host, guid, engine):
        subprocess.run(["opensm", "-o", "-R", engine, "-f", os.path.join(WORK, "osm.log"), "-D", "0x43", "-g", guid], cwd=WORK, stdin=subprocess.DEVNULL,
                       env=dict(sim.env(), SIM_HOST=host, OSM_TMP_DIR=WORK, OSM_CACHE_DIR=WORK), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)

    def are(told):
        """{GUID: (state, priority), or None: it is silent}.  The first says IsSM in PortInfo, the second is what SMInfo tells."""
        lies = ["0 15 -1 %d 1 0" % (512 + 190)]
        for guid, answer in told.items():
            lies.append("%x 15 -1 %d 1 1" % (guid, 512 + 190))
            if answer:
                lies.append("%x 20 -1 %d 8 %d" % (guid, 512 + 160, answer[1] << 4 | states[answer[0]]))
        with open(rules, "w") as f:
            f.write(";".join(lies) + "\n")

    def kinds(told):
        return [o["kind"] for o in told]

    one, two = 0xa10, 0xa20
    try:
        sweep("H-0000000000000a10", "0xa11", "minhop")
        are({one: ("master", 5), two: ("standby", 3)})
        w = Watched(sim, ibscope, LD_PRELOAD="%s %s" % (os.path.join(os.path.dirname(CAPTURE), "lie.so"), PRELOAD), LIE="@" + rules)
        told = w.reading()
        check("handover: master and standby", [(m["name"], m["state"], m["priority"]) for m in told[-1]["managers"]]
              == [("host1 HCA-1", "master", 5), ("host2 HCA-1", "standby", 3)], told)
        check("handover: a quiet reading", kinds(w.again()) == ["round"])
        are({one: ("standby", 5), two: ("master", 14)})
        sweep("H-0000000000000a20", "0xa21", "dor")
        told = w.again()
        by = {o["kind"]: o for o in told if o["kind"] != "manager_changed"}
        changed = {o["manager"]: (o["state"], o["was"], o["priority"], o.get("old_priority")) for o in told if o["kind"] == "manager_changed"}
        text = "\n".join(line for o in told for line in o.get("text", ()))
        check("handover: the master by name", (by["master_changed"]["from"], by["master_changed"]["to"]) == ("host1 HCA-1[1]", "host2 HCA-1[1]")
              and "the master subnet manager is host2 HCA-1 (LID 104) now, it was host1 HCA-1 (LID 100); it handed over, and is standby now" in text, (by, text))
        check("handover: states and priorities", changed == {"host1 HCA-1": ("standby", "master", 5, 5), "host2 HCA-1": ("master", "standby", 14, 3)}, changed)
        check("handover: the new engine by name", (by["engine_changed"]["engine"], by["engine_changed"]["old_engine"]) == ("dor", "minhop"), by)
        check("handover: told once", kinds(w.again()) == ["round"])
        are({one: None, two: ("master", 14)})
        told = w.again()
        check("handover: one that does not answer any more", [(o["manager"], o["state"], o["was"]) for o in told[:-1]] == [("host1 HCA-1", "silent", "standby")], told)
        are({two: ("master", 14)})
        told = w.again()
        check("handover: it is gone", [(o["kind"], o["manager"], o["state"]) for o in told[:-1]] == [("manager_gone", "host1 HCA-1", "silent")], told)
        are({})
        told = w.again()
        check("handover: the master died", [(o["kind"], o["manager"], o["state"], o["priority"]) for o in told[:-1]]
              == [("manager_gone", "host2 HCA-1", "master", 14)] and "Subnet managers: none." in told[-1]["text"], told)
        w.end()
    finally:
        if w:
            w.close()
        sim.close()


def on_change(ibscope):
    """watch on-change PROGRAM: by exec, with its words as they are; what hangs or fails does not stop the watch."""
    sim, w = Sim(SMALL), None
    seen, program = os.path.join(WORK, "seen"), os.path.join(WORK, "on change.py")
    with open(program, "w") as f:
        f.write("#!/usr/bin/env python3\nimport json, os, sys, time\nhow = sys.argv[1]\nrecord = {'argv': sys.argv[2:], 'in': [json.loads(x) for x in sys.stdin]}\n"
                "while how == 'hangs':\n    time.sleep(3600)\n"
                "open(%r, 'a').write(json.dumps(record) + '\\n')\nif how == 'fails':\n    sys.exit('out of order')\n" % seen)
    os.chmod(program, 0o755)
    words = ["$(touch bad)", "; touch bad", "a  b", "*"]

    def records():
        return [json.loads(line) for line in open(seen)] if os.path.exists(seen) else []

    try:
        sweep(sim)
        for how, order, expected in (("works", "Unlink", None), ("fails", "ReLink", "ended with status 1"),
                                     ("hangs", "Unlink", "ended after 1 s, the most that it may take")):
            w = Watched(sim, ibscope, 'within %d on-change "%s" %s %s' % (1 if how == "hangs" else 60, program, how, " ".join('"%s"' % x for x in words)))
            w.reading()
            w.again()
            check("on-change %s: a reading without a change runs nothing" % how, len(records()) == ("works", "fails", "hangs").index(how), records())
            sim.console('%s "S-000000000abc0011"[7]' % order)
            told = w.again()
            plain = [{k: v for k, v in o.items() if k not in ("text", "ok", "command", "on_change_failed")} for o in told]
            got = records()[-1] if how != "hangs" else {"argv": words, "in": plain}
            check("on-change %s: its words and its input" % how, got["argv"] == words and got["in"] == plain
                  and [o["kind"] for o in plain] == ["link_down" if order == "Unlink" else "link_up", "round"], (got, plain))
            check("on-change %s: told" % how, (expected is None) == ("on_change_failed" not in told[-1]) and (expected or "") in told[-1].get("on_change_failed", "")
                  and (how != "fails" or any(line.startswith("on-change: ") and line.endswith("out of order") for line in told[-1]["text"])), told[-1])
            check("on-change %s: watch goes on" % how, [o["kind"] for o in w.again()] == ["round"])
            check("on-change %s: ended with it" % how, not children_of(w.p.pid), children_of(w.p.pid))
            contract.objects(ibscope, "".join(w.lines))
            w.close()
        check("on-change: no shell", not os.path.exists(os.path.join(WORK, "bad")))
        n = len(records())
        for begin, words, kind in ((["--read-only"], program + " works", "not_allowed"), ([], "/no/such/program", None)):
            r = sim.run(ibscope, "--json", *begin, "-e", 'watch 0 rounds 1 on-change "%s"' % words)
            o = contract.objects(ibscope, r.stdout)[-1]
            check("on-change: %s" % (kind or "nothing ran"), (o.get("error_kind") == kind) and len(records()) == n, (o, r.returncode))
        sim.console('ReLink "S-000000000abc0011"[7]')
        r = sim.run(ibscope, "-e", "live tables; fail link leaf1[7]; watch 0 rounds 1; journal")
        check("each row of the journal has its time", len(re.findall(r"^[> ] +\d+  \S.*  \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\b", r.stdout, re.M)) >= 2, r.stdout)
    finally:
        if w:
            w.close()
        sim.close()


def escape_typed(ibscope):
    """Esc while watch waits, without a screen: no control bytes, and the terminal echoes again when it has ended."""
    sim = Sim(SMALL)
    pid, fd = pty.fork()
    if not pid:
        os.execve(ibscope, [ibscope, "-e", "watch 3600", "-e", "echo the end"], sim.env(True))
    said = b""

    def until(words):
        nonlocal said
        while words not in said:
            said += os.read(fd, 65536)

    try:
        until(b"Subnet managers: ")
        before = termios.tcgetattr(fd)[3] & termios.ECHO
        with open(os.readlink("/proc/%d/fd/0" % pid), "rb", buffering=0) as typed:
            os.write(fd, b"\x1b\x1b[A\n")
            while not struct.unpack("i", fcntl.ioctl(typed, termios.FIONREAD, bytes(4)))[0]:
                time.sleep(0.01)    # the terminal has not taken them yet
        os.kill(pid, signal.SIGTERM)
        until(b"watch ended by SIGTERM")
        end = time.monotonic() + 60
        while not termios.tcgetattr(fd)[3] & termios.ECHO and time.monotonic() < end:
            time.sleep(0.02)
        check("Esc in a reading prints no control bytes", not before and not re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\^\[", said), said)
        check("the terminal echoes again", termios.tcgetattr(fd)[3] & termios.ECHO)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(fd)
        sim.close()


def never_followed(ibscope):
    """watch says what check says: without LIDs, with a host that has none, and when nothing changed since, nothing followed."""
    def judged(name, lid, tables):
        for begin, known in (("", False), ("live tables; ", True), ("live; ", False)):
            r = sim.run(ibscope, "-e", begin + "watch 0 rounds 2")
            said = re.sub(r"^\[(\d+) \S+Z\] ", lambda m: "" if m[1] == "1" else "[%s] " % m[1],
                          r.stdout[r.stdout.index("[1 "):], flags=re.M)
            check("watch, %s: %snothing followed" % (name, begin), r.returncode == 1 and " tables followed:" not in said and "NOT SOUND" in said
                  and "%d endport%s without LID" % (lid, "s" * (lid != 1)) in said and said.startswith("nothing changed") == known
                  and not re.search(r"^\[2\]", said, re.M), "status %d: " % r.returncode + r.stdout + r.stderr)
            r = sim.run(ibscope, "--json", "-e", begin + "watch 0 rounds 2")
            rounds = [o for o in contract.objects(ibscope, r.stdout) if o.get("kind") == "round"]
            check("watch, %s: %srounds" % (name, begin), r.returncode == 1 and [x["followed"] for x in rounds] == [False, False]
                  and rounds[0]["no_lid"] == lid and (rounds[0]["pairs"] > 0) == tables, rounds)

    bare = os.path.join(WORK, "bare.net")
    with open(SMALL) as f, open(bare, "w") as to:
        to.write(re.sub(r" lid \d+.*", "", f.read()))
    sim = Sim(bare)
    try:
        judged("no subnet manager was there", 12, False)
        sim.console('Unlink "H-0000000000000a40"[1]')
        sweep(sim)
        r = sim.run(ibscope, "-e", "watch 0 rounds 1")
        check("watch: followed without the host; no manager stayed", r.returncode == 1 and " The tables followed: every host reaches every host.\n" in r.stdout,
              r.stdout + r.stderr)
        sim.console('ReLink "H-0000000000000a40"[1]')
        judged("a host was plugged in afterwards", 1, True)
        for words in ("live; route live", "live; route tables", "live; route tables,minhop"):
            r = sim.run(ibscope, "-e", words, "-e", "check")
            check("%s: no tables, no fallback" % words, r.returncode == 3 and "minhop" not in r.stdout and "ound" not in r.stdout
                  and "there are no tables" in r.stderr, r.stdout + r.stderr)
    finally:
        sim.close()


def second_computation(ibscope):
    """watch and counters over random changes, against infiniband-diags."""
    sim = Sim(SMALL)
    try:
        watched.all_of(ibscope, check, sim, sweep)
    finally:
        sim.close()


def canonical_bytes(ibscope):
    """`save FILE canonical` of one fabric read from two hosts."""
    sim = Sim(SMALL)
    try:
        sweep(sim)
        hosts = sorted(set(re.findall(r'^(?:Ca|Hca)\s+\d+\s+"(H-\w+)"', sim.run("ibnetdiscover").stdout, re.M)))
        saved, plain = {"live": [], "ibnetdiscover": []}, []
        for host in (hosts[0], hosts[-1]):
            text = sim.run("ibnetdiscover", SIM_HOST=host).stdout
            plain.append(re.sub(r"^#.*\n", "", text, flags=re.M))
            for how, words in (("live", ["-e", "live"]), ("ibnetdiscover", [])):
                read, to = os.path.join(WORK, "read.topo"), os.path.join(WORK, "canonical.topo")
                with open(read, "w") as f:
                    f.write(text)
                r = sim.run(ibscope, *words, "-e", "save %s canonical" % to, *([] if words else [read]), SIM_HOST=host)
                check("canonical: %s from %s" % (how, host), r.returncode == 0, r.stdout + r.stderr)
                with open(to, "rb") as f:
                    saved[how].append(f.read())
                os.remove(to)
        check("the readings of two hosts differ", plain[0] != plain[1], plain)
        for how, both in saved.items():
            check("canonical: two hosts' readings are the same bytes, " + how, both[0] == both[1] and len(both[0]) > 500, both)
    finally:
        sim.close()


def many_changes(ibscope):
    """watch in memory that does not grow, each change told: WATCHED_CHANGES=1000 WATCHED_FABRIC=FILE[.xz] of another fabric."""
    path, given = os.path.join(WORK, "watched.net"), os.environ.get("WATCHED_FABRIC")
    if given:
        with (lzma.open if given.endswith(".xz") else open)(given, "rb") as packed, open(path, "wb") as f:
            shutil.copyfileobj(packed, f)
    else:
        subprocess.run([ibscope, "-e", "save " + path, "xgft:12,6,6:1,6,6" if LONG else "xgft:6,4,4:1,4,4"], check=True, stdout=subprocess.DEVNULL)
    sim = Sim(path)
    try:
        sweep(sim, None)
        cables = watched.cables_of(sim.run("ibnetdiscover").stdout)
        watched.each_change(ibscope, check, sim, cables, int(os.environ.get("WATCHED_CHANGES", "20")), (10, 20) if given else (1, 1), 4 if given else 2)
        watched.any_moment(ibscope, check, sim, cables)
    finally:
        sim.close()


def has_seccomp(program):
    """Was the program built with libseccomp, and has the kernel what it needs?"""
    needs = subprocess.run(["readelf", "-d", program], capture_output=True, text=True).stdout
    return "libseccomp" in needs and os.path.exists("/proc/sys/kernel/seccomp/actions_avail")


def confined(probe):
    """Both processes of a discovery are closed in before anything is asked."""
    sim = Sim(SMALL)
    held = None
    barred = "1" if has_seccomp(probe) else r"\d+"
    try:
        for what in ("dump", "tables"):
            _, lines = captured(sim, what, probe, what, "", CAPTURE_TRY="1")
            tries = [line for line in lines if line.startswith("may ")]
            wrong = [t for t in tries if not re.fullmatch("may open %s socket %s fork %s exec %s" % ((barred,) * 4), t)]
            check("who holds the device is closed in: " + what, len(tries) > 30 and not wrong, "%d tried; %s" % (len(tries), wrong[:2]))
            check("the device is opened once: " + what, len([line for line in lines if line.startswith("open ")]) == 1, lines[:3])
        held = Held(sim, "kernel", 1, probe, "dump", "", stdin=subprocess.DEVNULL)
        p = held.p
        gate = [c for c in children_of(p.pid) if children_of(int(c))]
        both = gate + [w for c in gate for w in children_of(int(c))]
        both = [c for c in both if open("/proc/%s/comm" % c).read().strip() in ("ibscope-gate", "ibscope-live")]
        threads = [t for c in both for t in glob.glob("/proc/%s/task/*/status" % c)]
        status = [dict(line.split(":\t", 1) for line in open(t).read().splitlines()) for t in threads]
        told = {(s["NoNewPrivs"], s["Seccomp"]) for s in status}
        check("the kernel says so, of all threads of both", len(both) == 2 and len(status) >= 4
              and told == {("1", "2" if barred == "1" else "0")}, (both, told))
        held.go_on()
        out, _ = p.communicate(timeout=600)
        check("discovery goes on", p.returncode == 0 and out.count("\nnode ") == 11, out[:200])
    finally:
        if held:
            held.close()
        sim.close()


def taken_over(probe, ibscope):
    """Code that has taken over the process that reads answers sends nothing but Gets, and reaches no other process."""
    seed = int(os.environ.get("SEED", 0)) or int(time.time())
    sim = Sim(SMALL)
    try:
        r, lines = captured(sim, "taken", probe, "taken", str(seed))
        told = dict(line.split() for line in r.stdout.splitlines()[1:])
        free = {c for c, error in told.items() if error == "0"}
        check("taken over: system calls, SEED=%d" % seed, not has_seccomp(probe)
              or free - {"methods", "vendors", "changed", "wild"} == {"tgkill-own", "fcntl-getfl"}, free)
        check("taken over: Gets come back, nothing else does, SEED=%d" % seed, r.returncode == 0
              and [told.get(k) for k in ("gets", "methods", "vendors", "changed", "wild")] == ["2", "0", "0", "0", "0"],
              "%s %s %s" % (r.returncode, told, r.stderr[-300:]))
        check("taken over: refusals are told", r.stderr.count("refused to send") > 2000, r.stderr[:300])
        check("taken over: only Gets left, SEED=%d" % seed, len(mads(lines)) >= 2 and not not_get(lines)
              and not [m for m in mads(lines) if m.attribute >= 0xff00 and m.attribute != 0xff90], not_get(lines)[:3])
        r, _ = captured(sim, "no-filter", ibscope, "-L", "-e", "show; show warnings", CAPTURE_NO_FILTER="1")
        check("a filter that cannot be loaded is told", r.returncode == 0 and not has_seccomp(ibscope)
              or "2 warnings: `show warnings`" in r.stdout and all("the process that %s is not closed in by seccomp: Invalid argument" % who
              in r.stdout for who in ("holds the device", "reads the fabric's answers")), r.stdout + r.stderr)
    finally:
        sim.close()


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if not SIM_SO or not shutil.which("ibsim") or not shutil.which("ibnetdiscover") or not shutil.which("opensm"):
        sys.exit("live tests: install ibsim-utils, infiniband-diags and opensm first")
    probe = os.path.abspath(sys.argv[1])
    global CAPTURE
    CAPTURE = os.path.join(os.path.dirname(probe), "capture.so")
    wanted = os.environ.get("PARTS", "").split()
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tui"))
    if len(sys.argv) > 2:
        os.environ.setdefault("IBSCOPE", os.path.abspath(sys.argv[2]))
    import machine
    machine.serve_programs()

    def run(tests, *args):
        for test in tests:
            if not wanted or test.__name__ in wanted:
                test(*args)

    run([confined, small_fabric, changes, trouble, dying_simulators], probe)
    for arg in map(os.path.abspath, sys.argv[2:]):
        if os.access(arg, os.X_OK):
            run([program, tables, killed_program, explorer, partial, not_active, flapped, silent_spine, same_lid], arg)
            run([only_gets, taken_over], probe, arg)
            run([watching, managers, unmanaged, asked_on_call, partitions, handover, on_change, escape_typed, never_followed, second_computation, many_changes, canonical_bytes], arg)
            run([drifting.all_of], arg, check)
            continue
        sim = Sim(arg)
        try:
            compare(os.path.basename(arg), sim, probe, arg)
        finally:
            sim.close()
    left = [d for d in os.listdir(WORK) if d.startswith("sys-")]
    check("no folder left behind", not left, left)
    print("%d passed, %d failed" % tuple(counts))
    return 1 if counts[1] else 0


if __name__ == "__main__":
    sys.exit(main())
