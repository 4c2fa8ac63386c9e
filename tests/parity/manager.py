#!/usr/bin/env python3
"""What becomes of the subnet manager itself: a standby takes over, and SIGHUP, on the real OpenSM and in ibscope.

A second OpenSM runs as standby over the same simulator; the first one is killed and its host unplugged.  At SIGHUP
OpenSM finds another line in its opensm.conf; then a link goes down and up, so that a sweep begins from scratch.
Tables must be equal byte for byte after each step.

usage: manager.py [PART OF A NAME]    IBSCOPE=build/ibscope-san.  The last line is "N passed, N failed".
"""
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import opensm           # noqa: E402
from fabric import Fabric  # noqa: E402
from pairing import environment  # noqa: E402
from trial import BOUND  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope-san")))

# (engine, fabric, honor_guid2lid_file, the standby has a copy of the master's guid2lid)
FAILOVERS = (("minhop", "ring:5,hosts=2", "FALSE", False), ("updn", "xgft:3,4:1,2,shuffle=1", "TRUE", True),
             ("dfsssp", "torus:3x3,hosts=2,shuffle=1", "FALSE", True), ("lash", "mesh:3x3,hosts=2", "TRUE", True))

TREE = "xgft:3,4,3:1,2,3,parallel=2,shuffle=1"
# (engine, fabric, option, its new value)
SIGHUPS = (("minhop", TREE, "port_shifting", "TRUE"), ("minhop", TREE, "scatter_ports", "7"),
           ("minhop", TREE, "port_profile_switch_nodes", "TRUE"), ("minhop", TREE, "lmc", "1"),
           ("minhop", TREE, "routing_engine", "updn"), ("minhop", TREE, "reassign_lids", "TRUE"),
           ("updn", "xgft:2,2,3,3:1,2,2,2,fail=4,shuffle=1", "connect_roots", "TRUE"), ("minhop", TREE, "use_ucast_cache", "TRUE"),
           ("lash", "torus:4x4,shuffle=1", "do_mesh_analysis", "TRUE"), ("lash", "torus:4x4,shuffle=1", "lash_start_vl", "2"),
           ("ftree", "xgft:4,4:1,2", "quasi_ftree_indexing", "TRUE"), ("ftree", "xgft:4,4:1,2", "max_reverse_hops", "2"),
           ("nue", "torus:3x3,shuffle=1", "nue_max_num_vls", "2"), ("nue", "torus:3x3,shuffle=1", "nue_include_switches", "TRUE"))


# (engine, fabric, kind of files, qos, other options)
OFFERED = tuple((engine, spec, kind, "TRUE", more) for kind in ("sl", "policy") for engine, spec, more in (
    ("minhop", "ring:4", {}), ("sssp", "xgft:3,3:1,2", {}), ("ftree", "xgft:3,3:1,2", {}), ("dor", "mesh:3x3", {}), ("dfsssp", "torus:3x3", {}),
    ("lash", "torus:4x4", {}), ("lash,dfsssp", "torus:4x4", {}), ("lash", "xgft:3,3:1,2", {}), ("nue", "torus:3x3", {"nue_max_num_vls": 1}), ("nue", "torus:4x4", {"nue_max_num_vls": 2}),
    ("torus-2QoS", "torus:4x4x3", {}))) + tuple(("minhop", "xgft:3,3:1,2", kind, qos, {}) for kind in (
        "limited", "empty", "given up", "strays", "range", "groups", "names", "broken", "targets") for qos in ("TRUE", "FALSE")) + (
    ("lash", "torus:4x4", "groups", "TRUE", {}), ("torus-2QoS", "torus:4x4x3", "groups", "TRUE", {}), ("dfsssp", "torus:3x3", "names", "TRUE", {})) + tuple(("minhop", "xgft:3,3:1,2", kind, "TRUE", {}) for kind in (
        "lone end", "lone end, blanks", "lone end, comment", "lone end, list", "lone end, first", "ipoib", "ipoib limited", "ipoib range",
        "ipoib default", "ports", "ports, few", "words", "no SL", "syntax", "syntax, range", "syntax, behind", "no default", "no end", "no number"))


class Manager(opensm.OpenSM):
    """With nodes that are unplugged before it starts."""
    unplugged = ()

    def _start_simulator(self):
        opensm.OpenSM._start_simulator(self)
        self._console(['Unlink "%s"' % n.name for n in self.unplugged])


def port_guid(host):
    return "0x%016x" % (host.guid + 1)


def synthetic(spec, folder):
    path = os.path.join(folder, "fabric.topo")
    subprocess.run([IBSCOPE, "-e", "set port_guids ibsim; synth %s; save %s" % (spec, path)], env=environment(), check=True, stdout=subprocess.DEVNULL)
    with open(path) as f:
        return path, Fabric(f.read())


def same(folder, script, wanted):
    """None, or how the tables after the script's steps differ from those of OpenSM."""
    lines = ["set port_guids ibsim"] + script
    done = subprocess.run([IBSCOPE, "-e", "; ".join(lines)], cwd=folder, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", timeout=BOUND)
    if done.returncode:
        return "ibscope: status %d: %s" % (done.returncode, done.stdout[-300:])
    for n, want in enumerate(wanted):
        with open(os.path.join(folder, "got.%d" % n), "rb") as f:
            got = f.read()
        if got != want:
            a, b = want.splitlines(), got.splitlines()
            differ = [i for i in range(max(len(a), len(b))) if a[i:i + 1] != b[i:i + 1]]
            return "step %d: %d of %d lines differ, the first: opensm %r, ibscope %r" % (
                n, len(differ), len(a), a[differ[0]:differ[0] + 1], b[differ[0]:differ[0] + 1])
    return None


def failover(folder, engine, spec, honor, copy):
    """The host with the highest LID leaves, the master goes down, and a host comes that was never there."""
    topo, f = synthetic(spec, folder)
    hosts = [n for n in f.nodes if not n.is_switch]
    new = hosts[-2]
    options = {"routing_engine": engine, "lmc": 0, "honor_guid2lid_file": honor}
    sm = Manager(topo, dict(options, sm_priority=10, guid=port_guid(hosts[3])))
    sm.host, sm.unplugged, wanted = hosts[3].name, (new,), []
    with sm:
        ends = re.findall(r"^0x\w+ \d+ # .*portguid (0x\w+)", sm.lfts().split(b"Unicast")[1].decode(), re.M)
        leaves = next(h for g in reversed(ends) for h in hosts if port_guid(h) == g and h not in (hosts[1], hosts[3]))
        sm.stand_by(hosts[1].name, port_guid(hosts[1]), copy)
        sm.step(['Unlink "%s"' % leaves.name])
        wanted.append(sm.lfts())
        sm.take_over(['Unlink "%s"' % hosts[3].name])
        wanted.append(sm.lfts())
        sm.step(['ReLink "%s"' % new.name])
        wanted.append(sm.lfts())
    guid = lambda n: "0x%016x" % n.guid  # noqa: E731
    return same(folder, ["set honor_guid2lid_file " + honor, "set guid " + port_guid(hosts[3]), "load fabric.topo",
                         "fail host " + guid(new), "route " + engine, "fail host " + guid(leaves), "export lfts got.0",
                         "failover %s down" % guid(hosts[1]), "export lfts got.1", "restore host " + guid(new),
                         "export lfts got.2"], wanted)


def sighup(folder, engine, spec, option, value):
    topo, f = synthetic(spec, folder)
    (a, p), (b, q) = next(link[:2] for link in f.links[5:] if all(n.is_switch for n, _ in link[:2]))
    with open(os.path.join(folder, "new.conf"), "w") as conf:
        conf.write("%s %s\n" % (option, value))
    with opensm.OpenSM(topo, {"routing_engine": engine, "lmc": 0}) as sm:
        wanted = [sm.lfts()]
        with open(sm._path("opensm.conf"), "a") as conf:
            conf.write("%s %s\n" % (option, value))
        sm.step([])
        wanted.append(sm.lfts())
        sm.step(['Unlink "%s"[%d]' % (a.name, p), 'ReLink "%s"[%d]' % (a.name, p)])
        wanted.append(sm.lfts())
    return same(folder, ["load fabric.topo", "route " + engine, "export lfts got.0", "sighup new.conf", "export lfts got.1",
                         "flap 0x%016x[%d]" % (a.guid, p), "export lfts got.2"], wanted)


KEYS = "Default=0x7fff,sl=2:ALL=full;\np1=1:SELF=full,ALL=limited;\np2=2,sl=5:ALL=full;\np3=3:ALL=both;\n"


def files(folder, fabric, kind):
    """(partitions.conf, QoS policy) of a kind, for the fabric's hosts."""
    guids = [port_guid(h) for h in fabric.hosts]
    half = ",".join(guids[:len(guids) // 2])
    return {
        "sl": ("Default=0x7fff,ipoib,sl=9:ALL=full;\n", ""),
        "policy": ("", "qos-ulps\n default : 9\nend-qos-ulps\n"),
        "limited": ("X=0x5:SELF=full;\n", ""),
        "empty": ("# no partition\n", ""),
        # GUIDs of a node and of nobody are left out; a range voids the file
        "strays": ("P=2:%s=full,0x%016x=full,0xdead=full,%s;\n" % (guids[1], fabric.hosts[2].guid, guids[-1]), ""),
        "range": ("P=2:%s=full;\nQ=3:%s-%s=full;\n" % (guids[1], guids[2], guids[-1]), ""),
        "given up": ("Default=0x7fff,sl=2:ALL=limited;\nX=0x3,sl=4:ALL=full,ALL_OTHERS=full;\n", ""),
        "groups": ("Default=0x7fff : ALL, SELF=full ;\nA=0x0102,sl=3:%s=full;\nB=0x0201, sl=5 , defmember=full :\n ALL_CAS,\n %s=limited;\n"
                   % ("=full,".join(guids[::2]), "=limited,".join(guids[1::3])), ""),
        "names": ("one , sl=4 : %s ; two:%s=full; one:%s=full;0x8005,sl=6:A=full ;\n" % (half, half, guids[-1]), ""),
        "broken": ("Default=0x7fff,sl=2:ALL=full;\nX=0xzz,sl=7:ALL=full;\nrubbish\nY=0x3,sl=16,rate=3,mtu=4:ALL=full,SELF=limited;\n", ""),
        # what OpenSM rejects as a whole; and what looks like it
        "lone end": ("p0=3:\n ;", ""), "lone end, blanks": ("p0=3:\n  ;", ""), "lone end, comment": ("p0=3:ALL\n#x\n ; # y\n", ""),
        "lone end, list": ("p0=3:\n 0x1,\n;", ""), "lone end, first": ("p0=3: ALL\n;", ""),
        "ipoib": (KEYS, "qos-ulps\n ipoib, pkey 0x2,0x8003 : 3\n default : 8\nend-qos-ulps\n"),
        "ipoib limited": (KEYS, "qos-ulps\n default : 8\n ipoib, pkey 0x2,0x1 : 3\nend-qos-ulps\n"),
        "ipoib range": (KEYS, "qos-ulps\n ipoib, pkey 0x2-0xffff : 3\n default : 8\nend-qos-ulps\n"),
        "ipoib default": ("Default=0x7fff,sl=2 : ALL=limited, SELF=full;\nX=5,sl=4:ALL=full;\n", "qos-ulps\n ipoib : 3\n default : 8\nend-qos-ulps\n"),
        "ports": (KEYS, "qos-ulps\n rds, port-num 0-70000 : 3\n default:8\nend-qos-ulps\n"),
        "ports, few": (KEYS, "qos-ulps\n rds, port-num 0-65535, 3 : 3\n default:8\nend-qos-ulps\n"),
        "words": (KEYS, "qos-ulps\n srp : 3\n default : 8\nend-qos-ulps\n"), "no SL": (KEYS, "qos-ulps\n sdp : 16\n default : 8\nend-qos-ulps\n"),
        "syntax": (KEYS, "qos-ulps\n any, target-port-guid %s, : 3\n default : 8\nend-qos-ulps\n" % guids[0]),
        "syntax, range": (KEYS, "qos-ulps\n any, pkey 0x7fff- : 3\n default : 8\nend-qos-ulps\n"),
        "syntax, behind": (KEYS, "qos-ulps\n default : 8\nend-qos-ulps\nrubbish\n"), "no default": (KEYS, "qos-ulps\n sdp : 3\nend-qos-ulps\n"),
        "no end": (KEYS, "qos-ulps\n sdp : 3\n default : 8\n"), "no number": (KEYS, "qos-ulps\n sdp :\n default : 8\nend-qos-ulps\n"),
        "targets": ("Default=0x7fff,sl=1:ALL=full;\n", "# levels\nqos-ulps\n any, target-port-guid %s-%s : 2\n srp, target-port-guid %s : 4\n"
                    " any, service-id 0x1234 : 6\n ipoib : 7\n any, pkey 0x7fff : 7\n default : 3\nend-qos-ulps\n" % (guids[0], guids[1], guids[2])),
    }[kind]


def offered(folder, engine, spec, kind, qos, more):
    """SLs of pairs by partitions and the QoS policy, and pairs that share no P_Key: as the SA answers, about every pair."""
    topo, f = synthetic(spec, folder)
    options = dict({"routing_engine": engine, "lmc": 0, "qos": qos}, **more)
    for name, text in zip(("partition_config_file", "qos_policy_file"), files(folder, f, kind)):
        if text:
            options[name] = os.path.join(folder, name)
            with open(options[name], "w") as out:
                out.write(text)
    if engine == "torus-2QoS":
        options["torus_config"] = os.path.join(folder, "torus.conf")
        subprocess.run([IBSCOPE, "-e", "load %s; torus-conf %s" % (topo, options["torus_config"])], check=True, stdout=subprocess.DEVNULL)
    lines = ["set port_guids ibsim"] + ["set %s %s" % o for o in options.items() if o[0] != "routing_engine"]
    lines += ["load fabric.topo", "route " + engine, "export paths got-paths.0", "check"]
    done = subprocess.run([IBSCOPE, "--json", "-e", "; ".join(lines)], cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True, timeout=BOUND)
    told = json.loads(done.stdout.splitlines()[-1])
    if "not all of it is modelled" in told["notes"]:
        return "ibscope does not model the files"
    with opensm.OpenSM(topo, options) as sm:
        lids = sm.endport_lids()
        theirs = sm.paths(sa_paths(folder), [(a, b) for a in lids for b in lids if a != b])
    ours = {tuple(line.split()[:2]): line.split()[2] for line in open(os.path.join(folder, "got-paths.0"))}
    wrong = [line for line in theirs.splitlines() if not within(line.split()[2], ours[tuple(line.split()[:2])])]
    if wrong:
        return "%d of %d SLs differ, as %s (here %s)" % (len(wrong), len(ours), wrong[0], ours[tuple(wrong[0].split()[:2])])
    apart = sum(line.split()[2] == "-" for line in theirs.splitlines())
    kept = told["check"].get("no_common_pkey", 0)
    return None if kept == apart and not told["unreachable"] else "check: %d pairs without a common P_Key, the SA refuses %d" % (kept, apart)


def within(sl, told):
    """told: "3", "2..5" or "-", no path."""
    low, _, high = told.partition("..")
    if "-" in (sl, told):
        return sl == told
    return sl.isdigit() and int(low) <= int(sl) <= int(high or low)


def sa_paths(folder):
    """The program that asks the SA."""
    program = os.path.join(folder, "sa_paths")
    subprocess.run(shlex.split(os.environ.get("CC", "cc")) + ["-O2", "-o", program, os.path.join(os.path.dirname(os.path.abspath(__file__)), "sa_paths.c"),
                                                              "-libmad", "-libumad"], check=True)
    return program


def run_all(seed=None, part=""):
    """(passed, failed); with a seed: one takeover, four options and three files, drawn by it."""
    counts, rng = [0, 0], random.Random(seed)
    for what, rows, drawn in ((failover, FAILOVERS, 1), (sighup, SIGHUPS, 4), (offered, OFFERED, 3)):
        for row in rng.sample(rows, drawn) if seed else rows:
            name = "%s %s" % (what.__name__, " ".join(map(str, row)))
            if part not in name:
                continue
            with tempfile.TemporaryDirectory(prefix="manager.") as folder:
                try:
                    why = what(folder, *row)
                except (opensm.OpenSMError, subprocess.SubprocessError, OSError) as e:
                    why = str(e)
            counts[why is not None] += 1
            if why:
                print("FAIL %s: %s" % (name, why), flush=True)
    return tuple(counts)


if __name__ == "__main__":
    counted = run_all(None, *sys.argv[1:])
    print("%d passed, %d failed" % counted)
    sys.exit(bool(counted[1] or not counted[0]))
