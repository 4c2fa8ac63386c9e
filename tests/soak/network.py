"""Soak parts over the simulator: discovery from a fabric that loses packets, events under a running OpenSM."""
import importlib.util
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(TESTS, "parity"), os.path.join(TESTS, "live"), TESTS]
import contract  # noqa: E402


def module(name, *path):
    """One of the two that are called run.py, under a name of its own."""
    spec = importlib.util.spec_from_file_location(name, os.path.join(TESTS, *path))
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def synth(ibscope, rng, folder):
    """The file of a small fabric."""
    spec = rng.choice(["xgft:3,3:1,2", "torus:3x3", "ring:6,hosts=2", "director:1,2,2,2", "mesh:3x2,parallel=2",
                       "random:12,3,hosts=1", "dragonfly:3,1,1"]) + ",shuffle=1,seed=%d" % rng.randrange(10 ** 6)
    path = os.path.join(folder, "fabric.topo")
    subprocess.run([ibscope, "-e", "set port_guids ibsim; synth %s; save %s" % (spec, path)], check=True,
                   stdout=subprocess.DEVNULL, timeout=60)
    return spec, path


# --- packets are lost -----------------------------------------------------------------------


def error_lines(rng, nodes):
    """Orders to ibsim's console: some nodes, or none, lose some of what they are asked, now and then of one kind alone."""
    some = rng.sample(nodes, min(len(nodes), rng.choice((0, 1, 1, 1, 2, 3, len(nodes)))))
    kind = rng.choice(("", "", "", " 16", " 17", " 18", " 21"))     # NodeDescription, NodeInfo, SwitchInfo, PortInfo
    return ['Error "%s" 0' % n for n in nodes] + ['Error "%s" %d%s' % (n, rng.choice((1, 2, 5, 10, 20, 40, 100)), kind)
                                                  for n in some]


def lossy_discovery(live, sim, ibscope, truth, said):
    """What one discovery came to: "error", "incomplete" or "whole"; an error of ours raises.  said: gets what was printed."""
    saved = os.path.join(live.WORK, "saved.lossy")
    if os.path.exists(saved):
        os.unlink(saved)
    # saved before it is routed: with the LIDs that were read
    r = sim.run(ibscope, "--json", "-L", "-e", "save %s; show warnings; route minhop; check" % saved, timeout=300)
    said.update(told=r.stdout, stderr=r.stderr)
    told = contract.objects(ibscope, r.stdout)
    checks = [o for o in told if o.get("command") == "check"]
    if not checks:
        if r.returncode != 1 or not (r.stderr.strip() or any(not o["ok"] for o in told)):
            raise AssertionError("status %d without a word: %s%s" % (r.returncode, r.stdout[-300:], r.stderr[-300:]))
        return "error"
    with open(saved, errors="replace") as f:
        said["saved"] = f.read()
        got = live.parse_topology(said["saved"])
    if not checks[0]["complete"]:
        if checks[0]["sound"]:
            raise AssertionError("an incomplete fabric is called sound: %s" % r.stdout[-300:])
        beyond = {k: v for k, v in got[0].items() if truth[0].get(k, v)[:2] != v[:2] or k not in truth[0]}
        if beyond:
            raise AssertionError("cables that are not there: %s" % list(beyond.items())[:3])
        return "incomplete"
    # a name that was not told is empty, and nobody takes it for one
    names = {guid: n[2] for guid, n in got[1].items()}
    truth = (truth[0], {g: n[:2] + (n[2] if names.get(g) else "",) + n[3:] for g, n in truth[1].items()}, truth[2])
    for i, what in enumerate(("cables and rates", "nodes, names and LIDs", "LIDs of hosts")):
        if got[i] != truth[i]:
            raise AssertionError("called complete, but %s differ: %s" % (what, live.difference(got[i], truth[i])))
    return "whole"


def drops(turn):
    """Discovery from simulated fabrics that lose packets: an error, an incomplete fabric or the right one."""
    live = module("live_run", "live", "run.py")
    ibscope = turn.program("ibscope")
    n = 0
    while turn.more():
        n += 1
        rng = random.Random("%s/drops/%d" % (turn.seed, n))
        spec, path = synth(ibscope, rng, turn.folder)
        sim, orders, said = live.Sim(path), [], {}
        try:
            truth = live.parse_topology(sim.run("ibnetdiscover").stdout)
            nodes = re.findall(r'^(?:Switch|Ca)\s+\d+ "(.*?)"', open(path).read(), re.M)
            for _ in range(12):
                more = error_lines(rng, nodes)
                orders += more
                sim.console(*more)
                turn.results[lossy_discovery(live, sim, ibscope, truth, said)] += 1
                turn.tried += 1
                if not turn.more():
                    break
        except (AssertionError, ValueError, KeyError, OSError, subprocess.SubprocessError) as e:
            turn.found("%s: %s" % (spec, e), dict(said, console="\n".join(orders) + "\n"), turn.folder)
        finally:
            sim.close()


# --- a running OpenSM ------------------------------------------------------------------------


def entries(text):
    """opensm-lfts.dump -> {(switch GUID, LID): port}."""
    table, guid = {}, None
    for line in text.splitlines():
        m = re.match(r"Unicast lids .* guid (0x\w+)", line)
        guid = int(m[1], 16) if m else guid
        m = re.match(r"0x(\w+) (\d+) ", line)
        if m:
            table[guid, int(m[1], 16)] = int(m[2])
    return table


def live_tables(parity, case, sm, ibscope, n):
    """What the switches hold, read over the simulated fabric, is what OpenSM has dumped, and nothing of it has drifted."""
    path = os.path.join(sm.folder, "live.%d" % n)
    lmc = sm.options.get("lmc", 0)
    env = dict(sm._environment(), LD_PRELOAD=parity.opensm.simulator_library())
    words = ['set %s "%s"' % item for item in sm.options.items() if item[0] != "routing_engine"]
    words += ["live tables", "set lmc %s" % lmc, "export lfts %s" % path, "drift " + case.engine.chain]
    for _ in range(5):
        done = subprocess.run([ibscope, "-e", "; ".join(words)], env=env, cwd=sm.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=300)
        if done.returncode not in (0, 1):
            raise parity.Mismatch("sweep %d: live tables: %s" % (n, done.stdout[-500:]))
        # a simulator that has no processor answers too late, and the reading says what it lacks: then it is read again
        if "INCOMPLETE" not in done.stdout:
            break
    # OpenSM may keep an entry whose owner is gone: whose LID that was, a discovery cannot know; nor who keeps a LID that it
    # gave to two ports
    if not re.search(r"^LID \d+ goes to both ", done.stdout, re.M):
        parity.tells_no_drift(case, re.sub(r"^  unknown .*", "", done.stdout, flags=re.M))
    with open(path, errors="replace") as f:
        got, want = entries(f.read()), entries(sm.lfts().decode(errors="replace"))
    os.unlink(path)
    if got != want:
        keys = sorted(k for k in set(got) | set(want) if got.get(k) != want.get(k))
        raise parity.Mismatch("sweep %d: live tables differ from the dump in %d entries: %s" % (
            n, len(keys), "; ".join("0x%x LID %d: read %s, dumped %s" % (*k, got.get(k), want.get(k)) for k in keys[:3])))


def long_case(parity, seed, number, least):
    """A random case of the parity harness with a long sequence of events."""
    case = parity.cases.random_case(seed, number)
    if case.steps is None:
        case.steps = lambda rng, f: parity.cases.draw_steps(rng, f, case.engine.most_down, least)
    return case


def sequences(turn, least=25):
    """Long sequences of events under OpenSM; after each sweep its tables, those read live and ours are the same."""
    os.environ.update(IBSCOPE=turn.program("ibscope-san"), SEED=str(turn.seed))
    parity = module("parity_run", "parity", "run.py")
    ibscope = turn.program("ibscope")
    n = 0
    while turn.more():
        n += 1
        folder = tempfile.mkdtemp(prefix="events.", dir=turn.folder)
        case = long_case(parity, turn.seed, n, least)

        def each(sm, sweep):
            live_tables(parity, case, sm, ibscope, sweep)
            turn.tried += 1

        try:
            parity.check(case, folder, each)
            turn.results["sequences"] += 1
        except (parity.NotModelled, parity.Stops):
            turn.results["not compared"] += 1
        except (parity.Mismatch, parity.opensm.OpenSMError, subprocess.SubprocessError, OSError) as e:
            turn.found("%s (%s): %s" % (case.name, case.source[1][:60].splitlines()[0], e), {}, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
