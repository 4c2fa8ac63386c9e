"""drift and doctor over ibsim with a running OpenSM: what they say is counted again here, from OpenSM's own dumps.

run.py calls all_of(); by itself: drifting.py IBSCOPE, which prints "N passed, N failed".  Of each kind of case some
engines are drawn by SEED (printed), with LONG=1 all are tried.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.append(os.path.dirname(HERE))
sys.path.append(os.path.join(os.path.dirname(HERE), "parity"))
import contract  # noqa: E402
import opensm  # noqa: E402
from trial import BOUND, Failed, chosen_seed, expect  # noqa: E402

TREE, GRID = "xgft:4,4,4:1,2,4", "torus:4x4,hosts=2"
NONE = 255
# Every engine on a fabric that it routes; tables are told apart on it, or are equal.
ENGINES = (("minhop", TREE), ("updn", TREE), ("dnup", TREE), ("ftree", TREE), ("dor", GRID), ("lash", GRID), ("sssp", GRID),
           ("dfsssp", GRID), ("nue", GRID))
SOME = (("minhop", TREE), ("updn", TREE), ("ftree", TREE), ("sssp", GRID))
LONG = os.environ.get("LONG") == "1"


class Bench:
    """A fabric file and programs that see its simulation."""

    def __init__(self, ibscope, folder, spec):
        self.ibscope, self.folder = ibscope, folder
        self.topology = os.path.join(folder, re.sub(r"\W", "_", spec) + ".topo")
        if not os.path.exists(self.topology):
            self.run(None, "synth %s; save %s" % (spec, self.topology))

    def run(self, sm, commands, *args):
        env = dict(sm._environment(), LD_PRELOAD=opensm.simulator_library()) if sm else None
        done = subprocess.run([self.ibscope, *args, "-e", commands], env=env, cwd=sm.folder if sm else self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600)
        expect(done.returncode in (0, 1), commands, done.returncode, done.stderr)
        return done

    def drift(self, sm, words=""):
        """(object of `drift`, exit status, text of it)."""
        done = self.run(sm, "live tables; drift " + words, "--json")
        found = [o for o in contract.objects(self.ibscope, done.stdout) if o["command"] == "drift"]
        expect(len(found) == 1, done.stdout[-500:], done.stderr)
        return found[0], done.returncode

    def manager(self, engine, **options):
        return opensm.OpenSM(self.topology, dict({"routing_engine": engine}, **options))

    def cables(self):
        """{(switch, port): (name, (node, port), name of it)} of cables that leave switches."""
        cables, node, name = {}, None, None
        with open(self.topology, encoding="utf-8") as f:
            for line in f:
                head = re.match(r'(?:Switch|Ca)\s+\d+ "([SH]-[0-9a-f]+)"\s*# "([^"]*)"', line)
                end = re.match(r'\[(\d+)\](?:\(\w+\))?\s+"([SH]-[0-9a-f]+)"\[(\d+)\].*?# "([^"]*)"', line)
                node, name = (head[1], head[2]) if head else (node, name)
                if end and node[0] == "S":
                    cables[node, int(end[1])] = (name, (end[2], int(end[3])), end[4])
        return cables


def tables(dump):
    """{(switch, LID): port} of a dump, and the LIDs of hosts."""
    out, hosts, switch = {}, set(), None
    for line in dump.decode().splitlines():
        head = re.match(r"Unicast lids .* guid 0x([0-9a-f]+)", line)
        row = re.match(r"0x([0-9A-Fa-f]+) (\d+) # (Switch|Channel)", line)
        if head:
            switch = "S-" + head[1]
        elif row:
            out[switch, int(row[1], 16)] = int(row[2])
            if row[3] == "Channel":
                hosts.add(int(row[1], 16))
    return out, hosts


def entries(found):
    """{(switch, LID): (port, would, class)} of a `drift ENGINE all`."""
    return {("S-" + e["switch_guid"][2:], e["lid"]): (e["port"], e["would"], e["class"]) for e in found["entries"]}


def unlinked(bench, engine):
    """A link goes down and nobody sweeps: drift and doctor name it and each entry that its next sweep changes."""
    cables = bench.cables()
    end = next(e for e in sorted(cables) if cables[e][1][0][0] == "S")
    name, other, other_name = cables[end]
    with bench.manager(engine) as sm:
        held, hosts = tables(sm.lfts())
        found, status = bench.drift(sm, engine + " all")
        expect(status == 0 and not any(found["classes"][c] for c in ("unknown", "missing", "dead", "restart")), "before:", found["classes"])
        sm._console(['Unlink "%s"[%d]' % end])
        found, status = bench.drift(sm, engine + " all")
        said = entries(found)
        doctor = bench.run(sm, "live tables; doctor")
        sm.step([])
        after, _ = tables(sm.lfts())
    dead = {k for k, port in held.items() if (k[0], port) in (end, other)}
    expect(dead and status == 1, "no entry led over the link, or status", status)
    expect({k for k, e in said.items() if e[2] == "dead"} == dead, "dead:", len(dead), found["classes"])
    expect(found["classes"]["dead"] == len(dead), found["classes"])
    stale = {k: (held.get(k, NONE), after.get(k, NONE)) for k in set(held) | set(after)
             if held.get(k, NONE) != after.get(k, NONE)}
    told = {k: e[:2] for k, e in said.items() if e[2] not in ("kept", "dead") or e[0] != e[1]}
    expect(told == stale, "entries that the next sweep changed: %d, told: %d;" % (len(stale), len(told)),
           sorted(set(told.items()) ^ set(stale.items()))[:6])
    of_hosts = sum(lid in hosts for _, lid in dead)
    for what in ("%s[%d]" % (name, end[1]), "%s[%d]" % (other_name, other[1])) if of_hosts else ():
        expect(re.search(r"^error +cable-gone \(fact\): .*" + re.escape(what), doctor.stdout, re.M), what, doctor.stdout)
    later = sum(lid in hosts for k in stale if k not in dead for lid in k[1:])
    expect(not later or "stale" in doctor.stdout, later, doctor.stdout)
    expect(doctor.returncode == 1, "status", doctor.returncode)


def changed_by_hand(bench, equal):
    """Tables loaded by OpenSM's engine `file`, one entry of which leads elsewhere: as good a way, or a longer one."""
    cables = bench.cables()
    with bench.manager("minhop") as sm:
        dump = sm.lfts()
    held, hosts = tables(dump)
    leaf = min(s for s, _ in cables if any(e[0] == s and cables[e][1][0][0] == "H" for e in cables))
    ups = sorted(p for s, p in cables if s == leaf and cables[s, p][1][0][0] == "S")
    downs = sorted(p for s, p in cables if s == leaf and cables[s, p][1][0][0] == "H")
    if equal:  # a host that is reached by an uplink, by the other one
        lid = min(lid for (s, lid), port in held.items() if s == leaf and lid in hosts and port in ups)
        port = next(p for p in ups if p != held[leaf, lid])
    else:      # a host of the switch itself, by an uplink
        lid = min(lid for (s, lid), port in held.items() if s == leaf and lid in hosts and port in downs)
        port = ups[0]
    lines, here = dump.decode().splitlines(True), False
    for i, line in enumerate(lines):
        here = leaf[2:] in line if line.startswith("Unicast") else here
        if here and line.startswith("0x%04x " % lid):
            lines[i] = "0x%04x %03d %s" % (lid, port, line[11:])
    path = os.path.join(bench.folder, "changed.lfts")
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(lines)
    with bench.manager("file", lfts_file=path) as sm:
        loaded, _ = tables(sm.lfts())
        expect({k for k in held if held[k] != loaded.get(k)} == {(leaf, lid)}, "OpenSM did not load what was written")
        found, status = bench.drift(sm, "minhop all")
    # what is as short OpenSM keeps in its next sweep, and what is longer it puts right
    want = {(leaf, lid): (port, port, "kept") if equal else (port, held[leaf, lid], "restart")}
    expect(entries(found) == want and status == (0 if equal else 1), status, want, found["classes"], found["entries"][:5])


def behind(bench, engine):
    """Entries changed behind a running OpenSM: its heavy sweeps write none of them, a restart all, a switch's return its own."""
    probe = os.path.join(os.path.dirname(bench.ibscope), "live", "probe")
    cables = bench.cables()
    with bench.manager(engine) as sm:
        held, hosts = tables(sm.lfts())
        at = {s: int(lid, 16) for lid, s in re.findall(r"^0x(\w+) 000 # Switch portguid 0x(\w+)", sm.lfts().decode(), re.M)}
        leaf = max(s for s, _ in cables if any(e[0] == s and cables[e][1][0][0] == "H" for e in cables))
        ups = sorted(p for s, p in cables if s == leaf and cables[s, p][1][0][0] == "S")
        downs = sorted(p for s, p in cables if s == leaf and cables[s, p][1][0][0] == "H")
        own = sorted(lid for (s, lid), port in held.items() if s == leaf and lid in hosts and port in downs)
        far = sorted(lid for (s, lid), port in held.items() if s == leaf and lid in hosts and port in ups)
        other = cables[leaf, ups[0]][1][0]      # a switch above
        # a longer way, another host, nothing at the port; and above it, down to the wrong switch
        edits = {(leaf, own[0]): ups[0], (leaf, own[1]): downs[0], (leaf, far[0]): 200,
                 (other, far[1]): next(p for s, p in cables if s == other and cables[s, p][1][0] == leaf)}
        edits = {k: p for k, p in edits.items() if held.get(k) != p}
        for (switch, lid), port in edits.items():
            env = dict(sm._environment(), LD_PRELOAD=opensm.simulator_library())
            done = subprocess.run([probe, "write", str(at[switch[2:]]), str(lid), str(port)], env=env, cwd=sm.folder,
                                  stdout=subprocess.PIPE, text=True, timeout=BOUND)
            expect(done.stdout == "written\n", "the simulator does not take entry", switch, lid, port)
        found, status = bench.drift(sm, engine + " all")
        told = {k: e for k, e in entries(found).items() if e[2] in ("restart", "dead")}
        expect({k: e[0] for k, e in told.items()} == edits and status == 1, "told:", told, "changed:", edits)
        expect({k: e[1] for k, e in told.items()} == {k: held[k] for k in edits}, "what OpenSM computes", told)
        expect({e[2] for e in told.values()} == {"restart", "dead"}, "classes", told)
        for n in range(3):
            sm.step([])
            again, _ = bench.drift(sm, engine + " all")
            expect(entries(again) == entries(found), "heavy sweep", n + 1, "changed", set(entries(again).items()) ^ set(entries(found).items()))
        # a switch that disappears for a sweep and comes back: all of its own are right again; of other switches those that lie in a
        # block of 64 LIDs with an entry that this changes, which is written whole
        words = bench.run(sm, "live tables; drift " + engine).stdout
        for said in ("When a switch disappears and comes back, most of its own.", "unless one of the same block of 64"):
            expect(said in words, "what drift says", words)
        away = sorted(p for s, p in cables if s == leaf)
        sm.step(['Unlink "%s"[%d]' % (leaf, p) for p in away])
        gone, _ = tables(sm.lfts())
        sm.step(['ReLink "%s"[%d]' % (leaf, p) for p in away])
        back, _ = bench.drift(sm, engine + " all")
        left = {k: e[0] for k, e in entries(back).items() if e[2] in ("restart", "dead")}
        written = {(s, lid // 64) for s, lid in set(held) | set(gone) if held.get((s, lid)) != gone.get((s, lid))}
        expect(left == {k: p for k, p in edits.items() if k[0] != leaf and (k[0], k[1] // 64) not in written},
               "after the switch came back:", left, "changed:", edits)
        sm.restart({})
        after, status = bench.drift(sm, engine + " all")
        expect(status == 0 and not entries(after), "a restart left", entries(after))


def named(bench, engine):
    """Tables of an engine: drift without a name says it, or one from which OpenSM makes the same tables."""
    with bench.manager(engine) as sm:
        held = sm.lfts()
        expect(sm.engine() == engine, "OpenSM routed by", sm.engine())
        found, status = bench.drift(sm)
    expect(found["engines"][0]["agreement"] == 1 and status == 0, status, found["engines"][:3])
    best = found["engines"][0]["engine"]
    if best != engine:
        with bench.manager(best) as sm:
            expect(tables(sm.lfts()) == tables(held), "said %s, whose tables are others" % best)


def all_of(ibscope, check):
    """check(name, good, told) for each."""
    seed = chosen_seed()
    print("drift: SEED=%s" % seed, flush=True)

    def drawn(what, engines, n):
        return engines if LONG else random.Random("%s %s" % (seed, what)).sample(engines, n)

    with tempfile.TemporaryDirectory(prefix="live-drift.") as folder:
        todo = [("unlinked, " + e, lambda e=e, s=s: unlinked(Bench(ibscope, folder, s), e))
                for e, s in drawn("unlinked", SOME, 2)]
        todo += [("changed by hand, " + ("as short" if equal else "longer"),
                  lambda equal=equal: changed_by_hand(Bench(ibscope, folder, TREE), equal)) for equal in (True, False)]
        todo += [("changed behind a running OpenSM, " + e, lambda e=e, s=s: behind(Bench(ibscope, folder, s), e))
                 for e, s in drawn("behind", SOME, 2)]
        todo += [("named, " + e, lambda e=e, s=s: named(Bench(ibscope, folder, s), e)) for e, s in drawn("named", ENGINES, 4)]
        for name, test in todo:
            try:
                test()
                check("drift: " + name, True)
            except (Failed, opensm.OpenSMError, subprocess.SubprocessError, OSError, KeyError) as e:
                check("drift: " + name, False, "%s: %s" % (type(e).__name__, e))


def main():
    counts = [0, 0]

    def check(name, good, told=""):
        counts[0 if good else 1] += 1
        if not good:
            print("FAILED %s: %s" % (name, told))

    all_of(os.path.abspath(sys.argv[1]), check)
    print("%d passed, %d failed" % tuple(counts))
    return 1 if counts[1] else 0


if __name__ == "__main__":
    sys.exit(main())
