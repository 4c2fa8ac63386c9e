"""The real OpenSM over ibsim: one subnet manager on one simulated fabric.

    with OpenSM("fabric.topo", {"lmc": 1, "routing_engine": "minhop"}) as sm:
        sm.lfts()                     # opensm-lfts.dump of the first sweep, as bytes
        sm.step(['Unlink "S-..."[3]'])
        sm.lfts()                     # ... after the next heavy sweep

Options are those of opensm.conf.  Every instance works in a temporary folder
and under a simulator name of its own, so several may run side by side; both
programs are ended by their process ids, whatever happens.  Needs Debian's
opensm and ibsim-utils; paths() also the program sa_paths (sa_paths.c).
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from simulated import ibsim_command  # noqa: E402
from trial import BOUND  # noqa: E402

UP = "-> SUBNET UP"
FAILED = "-> Errors during initialization"
POLL = 0.01


class OpenSMError(Exception):
    """opensm or ibsim did not do what was expected of them."""


class OpenSMSlow(OpenSMError):
    """It took longer than it was given; log: what opensm had written by then; when: seconds since 1970."""
    log, when = "", 0


class OpenSMEnded(OpenSMError):
    """A program ended by itself (program: its name)."""
    program = ""


class OpenSMSpins(OpenSMError):
    """One sweep used up the CPU time it was given; log: what opensm had written by then."""
    log = ""


def missing():
    """What this machine lacks, as a sentence, or None."""
    for program in ("ibsim", "opensm"):
        if not shutil.which(program) and not os.path.exists("/usr/sbin/" + program):
            return "no %s: install the packages opensm and ibsim-utils" % program
    if not simulator_library():
        return "no libumad2sim.so: install the package ibsim-utils"
    return None


def version():
    """What opensm says of itself."""
    path = os.environ.get("PATH", "") + ":/usr/sbin"
    said = subprocess.run([shutil.which("opensm", path=path), "--version"], stdout=subprocess.PIPE, text=True).stdout
    return re.search(r"OpenSM \S+", said)[0]


def simulator_library():
    found = glob.glob("/usr/lib/*/umad2sim/libumad2sim.so") + glob.glob("/usr/lib/umad2sim/libumad2sim.so")
    return found[0] if found else None


class Tail:
    """Reads a growing file piece by piece and counts the lines with one of some words."""

    def __init__(self, path, *words):
        self.path, self.words, self.at, self.count, self.rest = path, [w.encode() for w in words], 0, 0, b""
        self.last = b""

    def read(self):
        try:
            with open(self.path, "rb") as f:
                f.seek(self.at)
                data = f.read()
        except FileNotFoundError:
            return self.count
        self.at += len(data)
        lines = (self.rest + data).split(b"\n")
        self.rest = lines.pop()
        for line in lines:
            if any(w in line for w in self.words):
                self.count += 1
                self.last = line
        return self.count


class OpenSM:
    captured = None     # path of tests/live/capture.c, built: what sets tables is written to capture.log

    def __init__(self, topology, options=None, timeout=BOUND, cpu_seconds=None, failing=()):
        """
        timeout: seconds that a wait may take; cpu_seconds: CPU time that opensm may take for a
        sweep; failing: numbers of sweeps (0 = first) that must end with errors, without dumps.
        """
        self.topology = os.path.abspath(topology)
        self.options = dict(options or {})
        self.timeout, self.cpu_seconds, self.failing = timeout, cpu_seconds, failing
        self.folder = None
        self.processes = {}
        self.sweeps = self.before = 0   # before: those of processes that ended
        self.host = self.home = None    # the simulator's name of the node it runs on (None: the first); its files
        self.lock = threading.Lock()

    # --- life -----------------------------------------------------------------

    def __enter__(self):
        self.folder = self.home = tempfile.mkdtemp(prefix="parity.")
        try:
            self._start_simulator()
            self._start_manager()
            self._sweep()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        """End both programs and remove their folder; may be called again and from another thread."""
        with self.lock:
            # the subnet manager first: without its simulator it does not listen to signals
            for name in ("opensm", "standby", "ibsim"):
                p = self.processes.pop(name, None)
                if p:
                    self._end(p)
            if self.folder:
                shutil.rmtree(self.folder, ignore_errors=True)
                self.folder = None

    @staticmethod
    def _end(p):
        if p.poll() is None:
            p.terminate()
            try:
                p.wait(2)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()
        if p.stdin:
            try:
                p.stdin.close()
            except OSError:
                pass

    def _path(self, name):
        return os.path.join(self.folder if name == "ibsim.out" else self.home, name)

    def _environment(self):
        env = dict(os.environ)
        # libumad2sim makes its files in the current folder, OpenSM its own below OSM_*
        env.update(IBSIM_SOCKNAME=os.path.basename(self.folder), OSM_TMP_DIR=self.home,
                   OSM_CACHE_DIR=self.home, PATH=env.get("PATH", "") + ":/usr/sbin")
        if self.host:
            env["SIM_HOST"] = self.host
        return env

    def _spawn(self, name, argv, preload=False, stdin=subprocess.DEVNULL):
        env = self._environment()
        if preload:
            env["LD_PRELOAD"] = simulator_library()
            if self.captured:
                env.update(LD_PRELOAD="%s %s" % (self.captured, simulator_library()), CAPTURE_TABLES="1",
                           CAPTURE_LOG=self._path("capture.log"))
        with open(self._path(name + ".out"), "w") as out:
            p = subprocess.Popen(argv, stdin=stdin, stdout=out, stderr=subprocess.STDOUT,
                                 cwd=self.folder, env=env, text=True)
        self.processes[name] = p

    def _wait(self, what, ready):
        """Until ready() is true."""
        end = time.monotonic() + self.timeout
        while not ready():
            for name, p in self.processes.items():
                if p.poll() is not None:
                    ended = OpenSMEnded("%s ended (status %d) while waiting for %s\n%s"
                                        % (name, p.returncode, what, self._last_words(name)))
                    ended.program = name
                    raise ended
            if time.monotonic() > end:
                slow = OpenSMSlow("no %s within %g s\n%s" % (what, self.timeout, self._last_words("opensm")))
                slow.when = time.time()
                if os.path.exists(self._path("opensm.log")):
                    slow.log = self.read("opensm.log").decode(errors="replace")
                raise slow
            time.sleep(POLL)

    def _last_words(self, name):
        words = []
        for path in (self._path(name + ".out"), self._path("opensm.log")):
            if os.path.exists(path):
                with open(path, errors="replace") as f:
                    words += f.read()[-1500:].splitlines()[-8:]
        return "\n".join("    " + w for w in words)

    def _start_simulator(self):
        self._spawn("ibsim", ibsim_command(self.topology), stdin=subprocess.PIPE)
        tail = Tail(self._path("ibsim.out"), "Network simulator ready")
        self._wait("'Network simulator ready' of ibsim", tail.read)

    def _start_manager(self, name="opensm"):
        # sweeps only when asked for, so that every step is exactly one
        conf = {"sweep_interval": 0, "sweep_on_trap": "FALSE", "transaction_timeout": 2000,
                "log_flags": "0x43", "log_file": self._path("opensm.log"), "dump_files_dir": self.home,
                "force_log_flush": "TRUE"}
        conf.update(self.options)
        memory = conf.pop("guid2lid_file", None)    # no option of OpenSM: it looks into its own folder
        if memory and not os.path.exists(self._path("guid2lid")):
            shutil.copyfile(memory, self._path("guid2lid"))
        with open(self._path("opensm.conf"), "w") as f:
            f.writelines("%s %s\n" % item for item in conf.items())
        self.tail = Tail(conf["log_file"], UP, FAILED)
        self._spawn(name, ["opensm", "-F", self._path("opensm.conf")], preload=True)

    def restart(self, options):
        """End OpenSM; a new one with these options in addition finds what the ports carry, and guid2lid."""
        self._end(self.processes.pop("opensm"))
        self.options.update(options)
        os.rename(self._path("opensm.log"), self._path("opensm.log.%d" % self.sweeps))
        for old in glob.glob(self._path("opensm-*.dump")) + glob.glob(self._path("opensm-subnet.lst")):
            os.unlink(old)
        self.before = self.sweeps
        self._start_manager()
        self._sweep()

    def stand_by(self, host, guid, memory=True):
        """
        A second OpenSM waits on this host (its name, the GUID of its port), with what guid2lid has now, or nothing.  What
        the fabric is now, it has seen.  Its priority is less by one: sm_priority is among the options.  It asks for the master after an hour, or
        when take_over() says so: another path to the master, or a machine without time, does not make it take over.
        """
        master = (self.host, self.home, self.options, self.tail)
        waiting = tempfile.mkdtemp(prefix="standby.", dir=self.folder)
        if memory:
            shutil.copy(self._path("guid2lid"), waiting)
        self.host, self.home = host, waiting
        self.options = dict(self.options, guid=guid, sm_priority=self.options["sm_priority"] - 1, sminfo_polling_timeout=3600000,
                            polling_retry_number=1, log_flags="0x47")
        self._start_manager("standby")
        self.standby = (self.host, self.home, self.options, self.tail)

        def waits():
            # an answer that it has not got when the master ends it will wait for, and never sweep
            if not os.path.exists(self._path("opensm.log")):
                return False
            _, _, after = self.read("opensm.log").partition(b"Entering STANDBY state")
            return b"in state 3 (MASTER)" in after

        self._wait("the master's first answer to the standby", waits)
        self.host, self.home, self.options, self.tail = master

    def dismiss(self):
        """No standby waits any longer."""
        if "standby" in self.processes:
            self._end(self.processes.pop("standby"))

    def take_over(self, commands=()):
        """OpenSM ends, commands go to the console of ibsim, and the standby has its first sweep."""
        self._end(self.processes.pop("opensm"))
        if commands:
            self._console(commands)
        self.processes["opensm"] = self.processes.pop("standby")
        self.host, self.home, self.options, self.tail = self.standby
        if self.tail.read():
            raise OpenSMError("the standby did not wait\n" + self._last_words("opensm"))
        self.before = self.sweeps
        with open(self._path("opensm.conf"), "a") as f:
            f.write("sminfo_polling_timeout 100\n")
        self.processes["opensm"].send_signal(signal.SIGHUP)
        self._sweep()

    # --- sweeps -----------------------------------------------------------------

    def step(self, commands):
        """Give commands to the console of ibsim, then have a heavy sweep."""
        if commands:
            self._console(commands)
        for old in glob.glob(self._path("opensm-*.dump")) + glob.glob(self._path("opensm-subnet.lst")):
            os.unlink(old)
        self.processes["opensm"].send_signal(signal.SIGHUP)
        self._sweep()

    def _console(self, commands):
        sim = self.processes["ibsim"]
        mark = "done%d" % self.sweeps
        tail = Tail(self._path("ibsim.out"), mark)
        try:
            sim.stdin.write("\n".join(commands) + "\n")
            # a word that is no command is answered with a complaint about it: the others have been done
            sim.stdin.write(mark + "\n")
            sim.stdin.flush()
        except BrokenPipeError:
            raise OpenSMError("ibsim ended\n" + self._last_words("ibsim"))
        self._wait("the answer of ibsim's console", tail.read)

    def cpu_time(self):
        """Seconds of CPU time that opensm has used."""
        try:
            with open("/proc/%d/stat" % self.processes["opensm"].pid) as f:
                fields = f.read().rpartition(")")[2].split()
        except FileNotFoundError:
            return 0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _sweep(self):
        self.sweeps += 1
        begin = self.cpu_time()

        def ended():
            if self.tail.read() >= self.sweeps - self.before:
                return True
            if self.cpu_seconds and self.cpu_time() - begin > self.cpu_seconds:
                spins = OpenSMSpins("sweep %d took more than %g s of CPU time\n%s"
                                    % (self.sweeps, self.cpu_seconds, self._last_words("opensm")))
                spins.log = self.read("opensm.log").decode(errors="replace")
                raise spins
            return False

        self._wait("end of sweep %d" % self.sweeps, ended)
        failed = FAILED.encode() in self.tail.last
        if failed != (self.sweeps - 1 in self.failing):
            raise OpenSMError("sweep %d %s\n%s" % (self.sweeps, "failed" if failed else "did not fail",
                                                   self._last_words("opensm")))
        if failed:
            return
        self._wait("the dumps of sweep %d" % self.sweeps, self._dumps_complete)

    def _dumps_complete(self):
        """The dump has the table of every switch to its last line, and the later dumps are there."""
        try:
            with open(self._path("opensm-lfts.dump"), "rb") as f:
                f.seek(max(0, os.path.getsize(f.name) - 100))
                if not f.read().endswith(b" lids dumped\n"):
                    return False
                f.seek(0)
                text = f.read()
            before = os.stat(self._path("opensm-subnet.lst"))
        except FileNotFoundError:
            return False
        if text.count(b"Unicast lids") != text.count(b" lids dumped"):
            return False
        time.sleep(0.05)
        after = os.stat(self._path("opensm-subnet.lst"))
        return before.st_size == after.st_size and \
            os.path.getsize(self._path("opensm-lfts.dump")) == len(text)

    # --- results ------------------------------------------------------------------

    def read(self, name):
        with open(self._path(name), "rb") as f:
            return f.read()

    def lfts(self):
        return self.read("opensm-lfts.dump")

    def sl2vl(self):
        return self.read("opensm-sl2vl.dump")

    def engine(self):
        """Name of the engine that routed last, as the log has it; None when there is none."""
        names = re.findall(rb"(\S+) tables configured on all switches", self.read("opensm.log"))
        return names[-1].decode() if names else None

    def endport_lids(self):
        """LIDs of CAs and routers, from the dump (all LIDs of an LMC range)."""
        found = re.findall(rb"^0x([0-9a-f]+) \d+ # (?:Channel Adapter|Router)", self.lfts(), re.M)
        return sorted({int(lid, 16) for lid in found})

    def paths(self, program, pairs):
        """What the SA answers per (SLID, DLID): lines "SLID DLID SL", SL "-" where it knows no path."""
        env = dict(self._environment(), LD_PRELOAD=simulator_library())
        text = "".join("%d %d\n" % p for p in pairs)
        for _ in range(5):
            done = subprocess.run([os.path.abspath(program)], input=text, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, env=env, cwd=self.folder, text=True,
                                  timeout=self.timeout)
            # where there is no processor for the simulator an answer comes too late: asked again
            if not done.returncode or "timed out" not in done.stderr:
                break
        if done.returncode:
            raise OpenSMError("sa_paths: %s" % done.stderr.strip())
        return done.stdout
