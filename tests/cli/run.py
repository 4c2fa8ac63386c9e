#!/usr/bin/env python3
"""The program from end to end without a terminal: exit status, standard output, standard error.

Each case starts the program once.  usage: run.py [CASE]...
Environment: IBSCOPE=build/ibscope.  The last line is "N passed, N failed".
"""
import csv
import fnmatch
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import clears  # noqa: E402
import judged  # noqa: E402
import contract  # noqa: E402
from trial import BOUND  # noqa: E402

PROGRAM = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
# OpenSM would never get past LASH here, with do_mesh_analysis.
ENDLESS = "mesh:5x4,fail=3,shuffle=1,seed=12"

FILES = {
    "twice.map": "0x0002c90300a00000 \"first\"\n0x0002c90300a00000 \"second\"\n",
    "null.conf": "routing_engine (null)\nlmc 0\n",
    "empty.conf": "",
    "hup.conf": "lmc 1\nport_shifting TRUE\nrouting_engine updn\n",
    "five.edges": "# by hand\nA B\nA[3] B[7] 4xHDR\nhost h1 A\n",
    "bad.edges": "A B\nA C\nB C\nA[1] B[q]\n",
    "wrong.edges": "A[1] B[1]\nA B[0]\nA[2] B[2]\n",
    "policy.conf": "qos TRUE\nqos_policy_file /etc/opensm/qos-policy.conf\n",
    "partitions.conf": "Default=0x7fff,ipoib: ALL=full, SELF=full;\n",
    "default.parts": "Default=0x7fff:ALL=full;\nA=1:0x2c90300f00001=full,0x2c90300f00021=full;\nB=0x8002:ALL;\nC=3:0x2c90300f00041=full;\n",
    # a node's GUID and nobody's; B gains a full member, C is gone
    "wrong.parts": "Default=0x7fff:ALL=full;\nA=1:0x2c90300f00001=full,0x2c90300f00020=full,0x77;\nB=0x8002:ALL,0x2c90300f00001=full;\n",
    "ports.pkey": "# ibdiagnet\n\nGROUP PKey:0x7fff Hosts:2\n  Full h/P1 lid=0x1 guid=0x2c90300f00001 dev=1\n  Limited h/P1 lid=0x2 guid=0x2c90300f00021 dev=1\n",
    "short.pkey": "GROUP PKey:0x7fff Hosts:2\n  Full h/P1 lid=0x1 guid=0x2c90300f00001 dev=1\n",
    "guids.conf": "# roots\n0x200000\n0x200001\n",
    "counters.out": "Errors for \"node 1\"\n   GUID 0x1 port 1: [LinkDownedCounter == 3]\n",
    "dor.conf": "routing_engine dor\n",
    "foo.conf": "routing_engine foo\n",
    "foodor.conf": "routing_engine foo,dor\n",
    "lmc.conf": "lmc 1\n",
    "odd.conf": "qos TRUE\nqos_sl2vl 1,2\n",
    "ask.lesson": "title: t\ntext: a\nask: what?\ntext: b\nrun: show\nlook: c\n",
    "says.lesson": "title: t\nfabric: ring:4\ntext: a\nrun: echo hi\nexpect: ho\n",
    "nulbyte.ibs": "check\0x\n",
    "named.jobs": "JOBID NAME ST NODES NODELIST\n7 first R 2 node[0001-0002]\n8 second R 2 node[0005-0006]\n9 twice R 1 node0007\n10 twice R 1 node0008\n",
    "qos.conf": "qos TRUE\n",
    "mesh.conf": "do_mesh_analysis TRUE\n",
    "chain.conf": "routing_engine updn,minhop\n",
    "bad.conf": "lmc 9\n",
    "good.ibs": "# a script\nroute minhop\n\ncheck\n",
    "fault.ibs": "route minhop\nfail switch leaf-01\ncheck\n",
    "wrong.ibs": "route minhop\n\nfrob\nshow\n",
    "whole.ibs": "frob\nset max_reverse_hops 3\nset max_reverse_hops\nnope\n",
    "nested.ibs": "source whole.ibs whole\necho after\n",
    "outer.ibs": "show\nsource inner.ibs\nshow\n",
    "inner.ibs": "\nroute nonsense\n",
    "quits.ibs": "show\nquit\nfrob\n",
    "names.map": "0x0002c90300a00000 \"first leaf\"\n",
    "twins.map": "0xa0b1c203008f0040 \"rack 7\"\n",
    "others.map": "".join('0x0002c90300%s%04x "renamed %s%d"\n' % (k, 16 * n, k, n) for k in ("a0", "f0") for n in range(32)),
    "junk": "this is no fabric\n",
    "pair.net": 'Hca 1 "A"\n[1] "B"[1]\n\nHca 1 "B"\n[1] "A"[1]\n',
    "alone.net": 'Switch 6 "S"\n[1] "A"[1]\n\nHca 1 "A"\n[1] "S"[1]\n',
    "loops.net": 'Switch 6 "S"\n[1] "S"[2]\n[3] "A"[1]\n[4] "B"[1]\n\nHca 1 "A"\n[1] "S"[3]\n\nHca 1 "B"\n[1] "S"[4]\n',
    "parts.net": 'Switch 6 "S"\n[1] "A"[1]\n[2] "B"[1]\n\nSwitch 6 "T"\n[1] "C"[1]\n\nHca 1 "A"\n[1] "S"[1]\n\n'
                 'Hca 1 "B"\n[1] "S"[2]\n\nHca 1 "C"\n[1] "T"[1]\n',
    "plan.ibs": "save tree.ibnet\nroute updn\nswap node0001 node0005\nremove link leaf-02[4]\n",
    # bandwidths as in a thread about nccl-tests: few pairs, most of them slow; n44 is in two of three slow ones
    "few.edges": "".join("switch spine%d 40\n" % i for i in range(4)) + "".join("switch leaf%s 40\n" % x + "".join("leaf%s[%d] spine%d[%d]\n" % (x, 21 + i, i, k + 1) for i in range(4)) for k, x in enumerate("ABCD"))
                 + "".join("host n%s leaf%s[%d]\n" % h for h in (("32", "A", 1), ("41", "A", 2), ("44", "A", 3), ("78", "B", 1), ("99", "B", 2), ("84", "C", 1), ("04", "D", 1))),
    "few.csv": "n44,n99,49.36\nn32,n41,88.36\nn84,n78,49.28\nn41,n44,49.30\nn04,n99,86.81\n",
    "osu.log": "+ mpirun -np 2 -H n44,n99 osu_bibw\n# OSU MPI Bi-Directional Bandwidth Test v7.0\n# Size Bandwidth (MB/s)\n1 2\n4194304 49000\n"
               "+ mpirun -np 2 -H n04,n99 osu_bibw\n# OSU MPI Bi-Directional Bandwidth Test v7.0\n# Size Bandwidth (MB/s)\n1 2\n4194304 89000\n"
               "+ mpirun -np 2 -H n32,n41 osu_bibw\n# OSU MPI Bi-Directional Bandwidth Test v7.0\n# Size Bandwidth (MB/s)\n1 2\n4194304 88000\n",
    "part.csv": "node,port,node,port\nleaf-01,4,spine-01,1\nleaf-01,5,spine-02,1\n",
    "few.net": 'Switch 8 "s1"\n[1] "h1"[1]\n\nHca 1 "h1"\n[1] "s1"[1]\n',
    "single.csv": "node,port,node,port\next,1,leaf-02,1\n",
    "rails.net": "".join('Switch 12 "r%d"\n[12] "top"[%d]\n' % (k, k + 1) + "".join('[%d] "n%d hca%d"[1]\n' % (i, i, k) for i in range(1, 9)) + "\n" for k in range(3))
                 + 'Switch 8 "top"\n' + "".join('[%d] "r%d"[12]\n' % (k + 1, k) for k in range(3)) + "\n"
                 + "".join('Hca 1 "n%d hca%d"\n[1] "r%d"[%d]\n\n' % (i, k, k, i) for k in range(3) for i in range(1, 9)),
    "good.csv": "#StartDevice,StartPort,EndDevice,EndPort\nleaf-01,Port 4,spine-01,1\n",
    "all.csv": "node,port,node,port\n" + "".join("leaf-0%d,%d,spine-0%d,%d\n" % (i, j, j - 3, i) for i in (1, 2, 3) for j in (4, 5)),
    "wrong.csv": "node,port,node,port,speed\nleaf-01,4,spine-02,1\nleaf-01,5,spine-01,1\nleaf-02,4,spine-01,2,EDR\nleaf-02,5,spine-03,2\n",
    "odd.csv": "node,port,node,port\nleaf-01,4\n" + "".join("leaf-0%d,%d,spine-0%d,%d\n" % (i, j, j - 3, i) for i in (1, 2, 3) for j in (4, 5)) * 2,
    "slurm.conf": "SwitchName=s1 Nodes=node000[1-3]\nSwitchName=s2 Nodes=node000[4,6-7]\n",
    "jobs.txt": "JOBID NAME ST NODES NODELIST(REASON)\n7 solve R 6 node000[1-6]\n8_1 mpi R 1 node0009\n9 gone R 1 elsewhere\n",
    "squeue.txt": "JOBID NAME ST NODES NODELIST(REASON)\n7 solve R 3 node000[1-2],gone\n8_1 mpi R 1 node0009\n9 wait PD 2 (Priority)\n"
                  "10 long R 9 node000[1-\n",
    **{"runs/ibdiagnet2." + ending: "# Running timestamp : 2025-03-%d 10:00:00 UTC +0000\n%s" % (day, text) for ending, day, text in (
        ("ibnetdiscover", 31, 'vendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x1\nswitchguid=0x1\nSwitch 2 "S-0000000000000001" # "S" base port 0 lid 1 lmc 0\n\n'),
        ("cables", 15, ""), ("log", 31, "-E- S - it is odd\n-I- Discovery\n"))},
    "hosts.txt": "node0001.site.org\nnode0004\n",
    "blank.ibs": "  show\0;\n",
    "nul.ibs": "show\nroute\0minhop\n",
    "mark.ibs": "\ufeffshow\n",
    "mac.ibs": "show\rroute minhop\r",
    "mark.conf": "\ufeffrouting_engine updn\n",
    "packed": "PK\3\4\24\0",
    "etc/ibscope/rc": "set lmc 1\necho said by etc\n",
    "config/ibscope/rc": "set max_reverse_hops 2\nfrob\nset max_reverse_hops 3\n",
}

NOTHING = r"\A\Z"


class Case:
    """status, and patterns that standard output and standard error must hold (NOTHING: be empty)."""

    def __init__(self, name, args, status, out="", err=NOTHING, absent=None, stdin=None, objects=None):
        self.name, self.args, self.status = name, args, status
        self.out, self.err, self.absent, self.stdin = out, err, absent, stdin
        self.objects = objects  # with --json: (command, ok) of each object, in order


TREE = "xgft:3,3:1,2"
FORMATS = os.path.join(ROOT, "tests", "fabrics", "formats", "")
LEAVES = FORMATS + "two-leaf.ibnetdiscover"
TWINS = FORMATS + "ndr-twins.ibnetdiscover"
SELENE = os.path.join(ROOT, "tests", "fabrics", "real", "selene-compute.ibnetdiscover.xz")
SAT11 = os.path.join(ROOT, "tests", "fabrics", "real", "sat11-director.putty-log.xz")
STAGE = os.path.join(ROOT, "tests", "fabrics", "formats", "stage-qdr-fdr10.ibnetdiscover")
UPDN = ["-R", "updn"]
RING = ["ring:5,hosts=2", "-R", "minhop"]
VOLTAIRE = os.path.join(ROOT, "tests", "fabrics", "formats", "voltaire-2007-lmc1.ibnetdiscover")

CASES = [
    # --- what is asked of the command line itself
    Case("help", ["--help"], 0, r"\Ausage: ibscope .*\n(?:.{0,80}\n)*  FABRIC(?:.{0,80}\n)*\Z"),
    Case("version", ["--version"], 0, r"\Aibscope \d+\.\d+"),
    Case("unknown option", ["--frob"], 2, NOTHING, r"frob.*\n.*--help"),
    Case("two fabrics", ["ring:4", "ring:5", "-e", "show"], 2, NOTHING, r"found \"ring:5\" behind the fabric"),
    Case("fabric and live", ["--live", "ring:4", "-e", "show"], 2, NOTHING, r"expected one of them"),
    Case("option without value", ["-e"], 2, NOTHING, r"--help"),
    Case("no terminal", [TREE], 2, NOTHING, r"no terminal.*-e COMMANDS or -x FILE"),
    Case("json without commands", ["--json", TREE], 2, NOTHING, r"no terminal|--json goes with"),
    Case("standard input twice", ["-", "-x", "-"], 2, NOTHING, r"standard input"),

    # --- steps
    Case("no such step", [TREE, *UPDN, "-e", "step start; step to 120; step until refused"], 3, r"recorded", r"no such step after 120$"),
    Case("a term that cannot be", [TREE, *UPDN, "-e", "step until layer 99"], 3, r"recorded", r"layer: found '99', expected a number from 0 to 14$"),
    Case("a step in full", [TREE, *UPDN, "-e", "step start; step until leaf-01 node0004; step show"], 0,
         r"entry of leaf-01 LID \d+: port \d+, was none\n.*count of leaf-01\[\d+\]: 1, was 0\n.*rule: first of equals\n.*candidates for"
         r"[\s\S]*first of equals: 2 of 2 ports had 0 LIDs"),
    Case("why before it is decided", [TREE, *UPDN, "-e", "step start; why leaf-01 node0004"], 0,
         r"^As of step 0 [\s\S]*not decided yet at step 0; it is decided at step \d+", absent=r"Decided:"),
    Case("why when it is decided", [TREE, *UPDN, "-e", "step until leaf-01 node0004; why leaf-01 node0004"], 0,
         r"^As of step [\s\S]*^Decided: first of equals"),
    Case("VLs needed and edges", ["ring:5", "-e", "compare minhop dfsssp nue lash"], 0,
         r"^edge-forwarding index +6 +6 +8 +6\nedge-forwarding, mean +6\.0 +6\.0 +6\.4 +6\.0\nbound of the cabling +6 +6 +6 +6\n"
         r"[\s\S]*^VLs needed +1 +2 +1 +2$"),
    Case("layers of LASH as of a step", ["ring:5", "-e", "route lash; step to 12; layers"], 0,
         r"^As of step 12 of [\s\S]*^2 dependencies in the layers at this step\.$", absent=r"searches for cycles"),
    Case("layers of Nue as of a step", ["torus:4x4", "-e", "route nue; step to 300; layers"], 0,
         r"^Layer 0: 3 of 16 destinations routed; .*so far 95 of 256 dependencies in use, 3 would", absent=r"in the end"),
    Case("what Nue blocks at a step", ["mesh:3x3", "-e", "route nue; step find blocked; step show"], 0,
         r"m\d+ over m\d+, port \d: the dependency m\d+\[\d\] -> m\d+\[\d\] -> m\d+ in layer 0 is blocked: packets would close"),
    Case("what Nue blocks at an entry", ["mesh:3x3", "-e", "set qos TRUE; route nue; why m10 node0003"], 0,
         r"port 3 would be lighter by 4, but the dependency m10\[3\] -> m00\[4\] -> m01 is blocked in layer 0[\s\S]*"
         r"but the dependency m10\[3\] -> m00\[4\] -> m01 would close a cycle in layer 0 through m01 -> m11 -> m10 -> m00"),
    Case("part of a run", ["xgft:8,8,4:1,8,8", *UPDN, "-e", "set record_limit 1; step start leaf-02; step until leaf-02 node0001; lft leaf-02"], 0,
         r"of switch leaf-02 only \(the whole run: [\d.]+ MB\)[\s\S]*^As of step"),
    Case("record_limit", [TREE, "-e", "set record_limit 0"], 2, r"", r"record_limit: found '0', expected a number from 1 to 65536"),

    # --- service levels that change on paths that do not
    Case("other SLs after a failure", ["random:20,4,seed=2", "-e", "route lash qos=TRUE; fail link sw-01[2]; check; list pairs filter SL; diff"], 0,
         r"^210 pairs have another SL \(194 on the same path\); hosts keep[\s\S]*^With SLs as hosts hold them \(210 pairs from before\): 3 groups of channels with "
         r"credit loops[\s\S]*^Sound:[\s\S]*^! node0005 node0001 SL +4 0 → 2$[\s\S]*^~ SL +node0005 -> node0001 \(LID 3\)  links 4 -> 4  SL 0 -> 2$"),
    Case("the same SLs", ["torus:4x4", "-e", "route minhop; fail link t00[2]; check; diff"], 1, r"rerouted", absent=r"another SL|as hosts hold"),

    # --- an opensm.conf that names no engine, as `opensm -c` writes it
    Case("no engine in the configuration", ["-F", "null.conf", TREE, "-e", "show"], 0, r"^routed by minhop ", r"null.conf names no routing_engine: minhop, as OpenSM does"),
    Case("a configuration that is another file", ["-F", "partitions.conf", TREE, "-e", "show"], 3, NOTHING,
         r"^ibscope: partitions.conf: found OpenSM's partitions \(partitions.conf\), which have no bearing on routes, expected options"),
    Case("config of a list of GUIDs", [TREE, "-e", "config guids.conf"], 3, NOTHING,
         r"guids.conf: found a list of GUIDs \(root_guid_file and its like\), expected options of OpenSM \(opensm.conf\); `set root_guid_file"),
    Case("load of counters", [TREE, "-e", "load counters.out"], 3, NOTHING,
         r"found counters \(ibqueryerrors\), expected a fabric, as `ibnetdiscover > FILE` writes it"),
    Case("json: a configuration that is another file", ["--json", "-F", "partitions.conf", TREE, "-e", "show"], 3, "", r"expected options of OpenSM",
         objects=[("config", False)]),
    Case("an empty configuration", ["-F", "empty.conf", TREE, "-e", "show"], 0, r"^routed by minhop ", r"empty.conf names no routing_engine: minhop"),
    Case("another engine than the configuration's none", ["-F", "null.conf", *UPDN, TREE, "-e", "show"], 0, r"^routed by updn "),
    Case("a configuration in mid-session is one event", [TREE, "-e", "route minhop; fail host node0003; config chain.conf; journal; show"], 0,
         r"2  fail host node0003 .*\n>  3  config \S+chain.conf  \[updn .*\n.*\nfailed: 0 links, 1 node; event 3 of 3"),
    Case("unset guid goes back to the guess", ["-e", "synth xgft:2,2:1,2; save g; load g; route minhop; fail host node0003; set guid leaf-02; "
                                               "unset guid; journal; show"], 0,
         r">  4  unset guid .*\n.*\nfailed: 0 links, 1 node; event 4 of 4\nsubnet manager: leaf-01 \(guessed"),
    Case("an engine in force stays", [TREE, *UPDN, "-e", "config null.conf; show"], 0, r"^routed by updn "),

    # --- where the subnet manager runs
    Case("the same at start", ["director:2,2,1,2", *UPDN, "-e", "show"], 0, r"", r"From the subnet manager's place, dir1/L01/U1, the tables do not reach"),
    Case("a switch out of the manager's reach", ["--json", TREE, *UPDN, "-e", "set guid spine-01"], 0,
         r'"manager_misses":\[\{"name":"spine-02"[^\]]*\][\s\S]*From the subnet manager\'s place, spine-01, the tables do not reach 1 switch: spine-02'),
    Case("no switch out of it", ["--json", TREE, *UPDN, "-e", "set guid node0001"], 0, r'"manager_misses":\[\]'),
    Case("the manager on a node's GUID", [TREE, "-e", "set guid 0x0002c90300a00010; show; set guid"], 0,
         r"^subnet manager: leaf-02$[\s\S]*guid +0x0002c90300a00010 "),
    Case("the manager moves in mid-session", [*RING, "-e", "fail host node0009; set guid node0002; journal; show lids; undo; show"], 0,
         r"   2  fail host node0009 [\s\S]*>  3  set guid 0x0002c90300f00021 [\s\S]*node0009, not there: reserved$[\s\S]*^1 range reserved "
         r"[\s\S]*^subnet manager: ring0"),
    Case("a standby takes over", [*RING, "-e", "fail host node0009; failover node0004 down; show lids; journal"], 0,
         r"^A standby on node0004 takes over from the subnet manager on ring0, which is down\.$[\s\S]*^0 ranges reserved [\s\S]*failover node0004 down"),
    Case("a standby that is there already", [*RING, "-e", "failover ring0"], 3, r"", r"the subnet manager runs on ring0 already"),
    Case("nothing to take over", ["ring:5", "-e", "failover ring0"], 3, r"", r"nothing is routed yet"),
    Case("LIDs of a host that left", [*RING, "-e", "fail host node0009; list lids node0009; restart guid2lid_file=/dev/null; list lids node0009"], 0,
         r"it is not there, LID 3 is reserved for it$[\s\S]*it is down or has no LID$"),
    Case("LIDs that are not assigned", ["ring:5", "-e", "show lids"], 0, r"^Which LIDs the subnet manager reserves for ports that left is not known"),
    Case("SIGHUP", [*RING, "-e", "sighup hup.conf; show options"], 0,
         r"^lmc stays 0: 1 needs a restart$[\s\S]*^port_shifting is TRUE now: acts in entries that are made anew[\s\S]*"
         r"^routing_engine stays minhop: updn needs a restart$[\s\S]*^\* port_shifting"),
    Case("json: SIGHUP", ["--json", *RING, "-e", "sighup hup.conf"], 0, r'"taken":\["port_shifting"\],"left":\["lmc"\]'),
    Case("SIGHUP without a manager", ["ring:5", "-e", "sighup hup.conf"], 3, r"", r"nothing is routed yet"),
    Case("partitions that cannot be read", [*RING, "-e", "set qos TRUE; set partition_config_file /p; trace 3 5; why 3 5; unset qos; set qos_policy_file q; trace 3 5"], 0,
         r"^partition_config_file: not all of it is modelled here; with qos OpenSM may take other SLs[^\0]*^  A partition or the QoS policy may give the pair another SL"
         r"[^\0]*^A partition or the QoS policy may give(?![^\0]*(modelled here; with|may give))"),
    Case("two files of partitions", ["ring:4", "-R", "minhop", "-e", "partitions default.parts wrong.parts"], 1,
         r"\Awarning wrong.parts:2: OpenSM wants the GUID of a port, not of a node: 0x0002c90300f00020 is node0002, ports 0x0002c90300f00021; A gets no port by it.\n"
         r"        wrong.parts:2: no port has this GUID: 0x0000000000000077; A gets no port by it.\nFrom default.parts to wrong.parts:\n"
         r"node0001 changes 0x0002 B: full, before: limited\nnode0002 loses 0x0001 A: none, before: full\nnode0003 loses 0x0003 C: none, before: full\nChanges: 3.\n\Z"),
    Case("a file of partitions against the present one", ["ring:4", "-R", "minhop", "-e", "set partition_config_file wrong.parts; partitions default.parts"], 1,
         r"^warning default.parts:3: all members of 0x0002 B are limited: none of 4 [^\0]*^From wrong.parts to default.parts:[^\0]*^node0003 gains 0x0003 C: full, before: none$"),
    Case("partitions of ports, twice", ["ring:4", "-e", "set partition_config_file wrong.parts; partitions ports.pkey ports.pkey"], 0, r"\AFrom ports.pkey to ports.pkey:\nChanges: 0.\n\Z"),
    Case("partitions of ports and of a file", ["ring:4", "-R", "minhop", "-e", "partitions ports.pkey default.parts"], 1,
         r"^node0001 gains 0x0001 A: full, before: none\nnode0001 gains 0x0002 B: limited, before: none\n"
         r"node0002 changes 0x7fff Default: full, before: limited\nnode0002 gains 0x0001 [^\0]*\nChanges: 5.$"),
    Case("a file of partitions, and nothing to compare with", ["xgft:3,3:1,2", "-e", "partitions partitions.conf"], 3, r"\ANot compared: no P_Keys were read"),
    Case("a .pkey that was cut", ["ring:4", "-R", "minhop", "-e", "partitions short.pkey"], 3, "", r"short.pkey:2: found 'the end', expected 'GROUP PKey:0x"),
    Case("no partitions to list", ["ring:4", "-R", "minhop", "-e", "list partitions"], 0, r"\APartitions 0/0 ── no P_Keys were read, and no partition_config_file is set\n\Z"),
    Case("partitions to list", ["ring:4", "-R", "minhop", "-e", "set partition_config_file default.parts; list partitions filter pkey:0001"], 0,
         r"^  port +pkey +member +partition +guid\n  node0001 0x0001 full   A         0x0002c90300f00001\n  node0002 0x0001 full   A         0x0002c90300f00021\n\Z"),
    Case("a QoS policy in an opensm.conf", ["-F", "policy.conf", "ring:5", "-e", "route lash; trace 3 5; route nue; trace 3 5"], 0,
         r"^lash routed(?:(?!may give)[^\0])*^nue routed.*\nqos_policy_file: not all of it is modelled here[^\0]*may give the pair another SL",
         r"^minhop routed.*\nqos_policy_file: not all of it is modelled here"),
    Case("json: partitions that cannot be read", ["--json", TREE, *UPDN, "-e", "set qos TRUE; set partition_config_file /p; trace 3 5; check"], 0,
         r'"sl_known":false[^\0]*"notes":"partition_config_file: not all of it is modelled here'),
    Case("json: no partitions without qos", ["--json", *RING, "-e", "set partition_config_file /p; trace 3 5"], 0, r'"sl_known":true'),
    Case("what SIGHUP does with an option", ["-e", "help lmc"], 0, r"at SIGHUP it is\s+not\s+taken"),
    Case("an edge list", ["five.edges", "-e", "show; save - edges"], 0, r"\A# Edge list[\s\S]*^A\[3\] B\[7\] 4xHDR$",
         r"\Afive.edges \(edges\): 2 switches, 1 host, 3 links"),
    Case("a wrong word where all others are right", ["bad.edges", "-e", "show"], 3, r"", r"bad.edges:4: found 'B\[q\]', expected the other end"),
    Case("a standby that is cut off from the manager", ["ring:6", "-R", "minhop", "-e", "fail link ring1[1] ring1[2]; failover node0002"], 3,
         r"cut off", r"node0002 has no port that the subnet manager reaches, expected one where a standby can run; it is cut off: `restore`[\s\S]*`set guid`"),
    Case("what that error says helps", ["ring:6", "-R", "minhop", "-e", "fail link ring1[1] ring1[2]; set guid node0002; show"], 0, r"^subnet manager: node0002"),
    Case("a standby that failed", ["ring:6", "-R", "minhop", "-e", "fail host node0002; failover node0002"], 3, r"", r"it failed: `restore` it first"),
    Case("a wrong word in an edge list", ["wrong.edges", "-e", "show"], 3, r"", r"wrong.edges:2: found 'B\[0\]', expected the other end"),
    Case("what an edge list cannot hold", [VOLTAIRE, "-e", "save x edges"], 3, r"", r"an edge list cannot hold this fabric"),
    Case("the manager nowhere", [TREE, *UPDN, "-e", "fail host node0001", "-e", "set guid nonsense"], 3, r"", r"guid: found \"nonsense\", expected a GUID"),
    Case("the manager on a GUID of nothing", [TREE, "-e", "set guid 0x77"], 3, r"", r"guid: found \"0x77\", expected a GUID"),
    Case("a name without a fabric", ["-e", "set guid spine-01"], 3, r"", r"expected a port GUID, or a fabric with a node so named"),
    Case("route does not move the manager", [TREE, "-e", "route minhop guid=spine-01"], 3, r"", r"`set guid spine-01`"),

    # --- check
    Case("sound", [TREE, *UPDN, "-e", "check"], 0, r"^Sound: "),
    Case("fault", [TREE, *UPDN, "-e", "fail switch leaf-01; check"], 1, r"^NOT SOUND", absent=r"^Sound"),
    Case("no engine is left", ["torus:4x4", "-e", "route updn,no_fallback; show"], 3, r"No engine is left \(no_fallback\)[\s\S]*not routed"),
    Case("no engine at start", ["torus:4x4", "-R", "updn,no_fallback", "-e", "show"], 3, r"not routed", r"No engine is left"),
    Case("an engine is left", ["torus:4x4", "-e", "route updn; route dor,no_fallback"], 0, r"dor routed"),
    Case("a pane takes the engine of the configuration first", ["--json", "torus:4x4", "-R", "dor", "-e",
         "export lfts dor.lfts; config dor.conf; tables dor.lfts; list drift"], 0, r'"title":"Drift from dor '),
    Case("without one another that makes the same tables", ["--json", "torus:4x4", "-R", "dor", "-e",
         "export lfts dor.lfts; tables dor.lfts; list drift"], 0, r'"title":"Drift from lash '),
    Case("credit loop", ["torus:4x4", "-R", "minhop", "-e", "check"], 1, r"credit loops[\s\S]*^NOT SOUND"),
    Case("fault seen by an earlier command", [TREE, *UPDN, "-e", "fail switch leaf-01; check; undo; check"], 1,
         r"NOT SOUND[\s\S]*^Sound"),
    Case("pairs lost and regained in JSON", ["--json", TREE, *UPDN, "-e", "fail host node0009; diff all; restore all; diff all"], 0,
         r'"change":"lost","dlid":\d+,"before":"\d","after":"none"[\s\S]*"change":"regained","dlid":\d+,"before":"none","after":"\d"',
         absent=r'"(?:before|after)":"(?!\d+"|none"|loop")'),
    Case("spread: pairs that are lost are left out and named", ["lesson:square", "-R", "dor", "-e", "fail link m00[2]; tables lesson:square.far; spread"], 1,
         r"^Spread over the groups that the tables have\.[\s\S]* pairs of 12 left out whole[\s\S]*^  from m10 to node0001: 1 pair, no path$"),
    Case("spread: tables without groups", [TREE, *UPDN, "-e", "spread"], 3, NOTHING, r"found tables without groups of adaptive routing, expected"),
    Case("spread: nothing left out", ["lesson:square", "-R", "dor", "-e", "tables lesson:square.far; spread"], 0, r"^Spread over[^\n]*\nShare of a link: max 2\.0, mean 2\.0 "),
    Case("check of nothing", ["-e", "check"], 3, NOTHING, r"ibscope: -e:1: no fabric is loaded"),
    Case("check without tables", [TREE, "-e", "check"], 3, NOTHING, r"-e:1: nothing is routed yet"),
    Case("check with too much", [TREE, *UPDN, "-e", "check more"], 2, NOTHING, r"expected: check \[--baseline FILE\] \[all\] \| check format nagios$"),
    Case("trace without a path", [TREE, *UPDN, "-e", "fail switch leaf-01; trace node0004 node0001"], 1, r"NO PATH"),

    # --- plans
    Case("as planned", [TREE, "-e", "plan all.csv"], 0,
         r"^all\.csv \(cabling list\): 6 cables compared, 6 as planned\.\nOutside of the plan, not compared: 9 cables of hosts, and it has no cables of hosts\.\nCabled as planned\.$"),
    Case("not as planned", [TREE, "-e", "plan wrong.csv"], 1,
         r"^not found +spine-03: no node[^\n]*\(line 5\)\nextra[\s\S]*^swapped +line 2: leaf-01\[4\] leads to spine-01\[1\], and spine-02\[1\] to "
         r"leaf-01\[5\]|^rate +line 4: leaf-02\[4\] - spine-01\[2\] is 4xHDR, planned: EDR", absent=r"Cabled as planned"),
    Case("a plan of a part: what it does not name stays", [TREE, "-e", "plan part.csv"], 1,
         r"^extra +leaf-02\[4\] - spine-01\[2\]\n[\s\S]*^part\.csv \(cabling list\): 2 cables compared, 2 as planned, 4 extra\.\n"
         r"Outside of the plan, not compared: 6 cables of devices that it does not name; 3 cables of hosts, and it has no cables of hosts\.\n"
         r"To mend it: 4 cables to touch, in 4 steps", absent="remove host|node0001"),
    Case("cables of a plan's leaf alone are judged", [TREE, "-e", "remove link leaf-02[4] leaf-02[5] leaf-03[4] leaf-03[5]; plan part.csv"], 0,
         r"2 as planned\.\nOutside of the plan, not compared: 6 cables of[^\n]*\nCabled as planned\.$"),
    Case("a dump without cables between switches has none of them", ["few.net", "-e", "add switch s2 4 s1[3]; add host h2 s2[2]; plan few.net"], 1,
         r"^extra +s2\[1\] - s1\[3\]\n[\s\S]*^Outside of the plan, not compared: 1 cable of devices that it does not name\.\n", absent="Cabled as planned"),
    Case("Slurm's plan has switches only", [TREE, "-e", "plan slurm.conf all"], 1,
         r"^Outside of the plan, not compared: 3 cables of devices that it does not name; 6 cables between switches, and it has none of these\.$",
         absent="remove"),
    Case("a plan with a line that is not understood", [TREE, "-e", "plan odd.csv"], 1, r"^left out +odd\.csv:2: found \"leaf-01,4\", expected two devices",
         absent=r"Cabled as planned"),
    Case("hosts elsewhere than Slurm believes", [TREE, "-e", "plan slurm.conf"], 1,
         r"^leaf +line 2: node0007 hangs on leaf-03\[1\], planned: s2, which is leaf-02\n"),
    Case("what mends it, with the effect of each step", [TREE, "-e", "source plan.ibs; plan tree.ibnet"], 1,
         r"^tree\.ibnet \(fabric\): 15 cables compared, 12 as planned, 1 missing, 1 swapped\.\nTo mend it: 3 cables to touch, in 2 steps; no step parts the "
         r"fabric\.\n  add link leaf-02\[4\] spine-01\[2\][^\n]*\n    # step 1: other paths for \d+ pairs, 0 cut; highest load \d+, [^\n]*\n"
         r"  swap node0001\[1\] node0005\[1\]\n    # step 2: "),
    Case("effects of as many steps as asked", [TREE, "-e", "source plan.ibs; plan tree.ibnet effects=1"], 1,
         r"# step 1: [\s\S]*^What they do to routes was computed for the first 1 step of 2; `effects=N` does more\.$", absent=r"# step 2"),
    Case("no effects before anything is routed", [TREE, "-e", "save tree.ibnet; swap node0001 node0005; plan tree.ibnet"], 1,
         r"no step parts the fabric\.\n  swap node0001\[1\] node0005\[1\]\n\Z", absent=r"# step"),
    Case("a switch on one cable is parted in any order", [TREE, "-e", "remove host node0001 node0004; add switch ext 4 leaf-01[1]; plan single.csv"], 1,
         r"in 3 steps; no order keeps the fabric together: step 1 parts ext\.\n  move link leaf-01\[1\] leaf-02\[1\]\n    # step 1 parts ext\n[\s\S]*"
         r"^As planned, leaf-02 and 3 more are cut off from what hangs together now\.$"),
    Case("the plan is not done by being told", [TREE, "-e", "source plan.ibs; plan tree.ibnet; journal"], 1, r"> *3  remove link leaf-02\[4\][^\n]*\n\Z"),
    Case("rails as they should be", ["rails.net", "-e", "plan rails"], 0,
         r"^rails: 1 group of 8 hosts, up to 3 rails each: 24 ports compared, 24 as planned\.\nEach port is on its rail\.$"),
    Case("two ports changed places", ["rails.net", "-e", "swap 'n3 hca0' 'n5 hca2'; plan rails"], 1,
         r"^swapped +n3 hca0\[1\] leads to r2\[5\], and n5 hca2\[1\] to r0\[3\]; their rails are the other way round\n[\s\S]*"
         r"^To mend it: 2 cables to touch, in 1 step; no step parts the fabric\.\n  swap \"n3 hca0\[1\]\" \"n5 hca2\[1\]\"$", absent="Each port"),
    Case("a port that moved off its rail", ["rails.net", "-e", "move host 'n3 hca0' r1[10]; plan rails"], 1,
         r"^leaf +n3 hca0\[1\] leads to r1\[10\], its rail is on r0\n"),
    Case("a fabric without rails", [TREE, "-e", "plan rails"], 3, NOTHING, r"-e:1: found no rails; expected two or more hosts that are all cabled"),
    Case("no plan", [TREE, "-e", "plan junk"], 3, NOTHING, r"-e:1: junk:1: found \"this is no fabric\", expected a plan of cables: a table"),
    Case("no such plan", [TREE, "-e", "plan nowhere"], 3, NOTHING, r"nowhere: cannot be opened: No such file"),
    Case("a plan without a fabric", ["-e", "plan good.csv"], 3, NOTHING, r"no fabric is loaded"),

    # --- hosts of a file
    Case("an outage by job", [TREE, *UPDN, "-e", "outage jobs jobs.txt switch spine-01; fail link leaf-01[5]; outage jobs jobs.txt"], 0,
         r"^Until the next sweep \d+ pairs[^\n]*\n1 job of 2 loses pairs of their own\.\n +pairs +seen by +hosts  job\n +\d+ +6 +6  7\n1 job more has no host in the fabric\.\n[\s\S]*"
         r"^fail link leaf-01\[5\]: Until[^\n]*\n1 job of 2 loses"),
    Case("an outage by job of a cut list", [TREE, *UPDN, "-e", "outage jobs squeue.txt switch spine-01"], 3, "", r"squeue\.txt:5: found hosts \"node000\[1-\"; the list may be cut off"),
    Case("an outage by job of a list of hosts", [TREE, *UPDN, "-e", "outage jobs hosts.txt switch spine-01"], 3, "", r"hosts\.txt:1: found \"\S+\" alone, expected NAME HOSTS\.\.\."),
    Case("a job's hosts", [TREE, *UPDN, "-e", "scope @squeue.txt:7; check; fail host @squeue.txt:solve; journal"], 0,
         r"^@squeue\.txt:7: 1 host not in the fabric: gone\nScope @squeue\.txt:7: 2 host ports\.\n[\s\S]*^2 nodes down\.[\s\S]*fail host @squeue\.txt:solve"),
    Case("hosts of a list", [TREE, *UPDN, "-e", "scope @hosts.txt; scope -@hosts.txt; scope all; load-map to @hosts.txt; flows leaf-01[4] to @hosts.txt"], 0,
         r"\AScope @hosts\.txt: 2 host ports\.\nScope -@hosts\.txt: 7 host ports\."),
    Case("a job whose list is cut", [TREE, "-e", "scope @squeue.txt:10"], 3, NOTHING, r"-e:1: squeue\.txt:5: found hosts \"node000\[1-\"; the list may be cut off"),
    Case("jobs of which one is cut", [TREE, "-e", "scope @squeue.txt"], 3, NOTHING, r"squeue\.txt:5: found hosts"),
    Case("a job without hosts", [TREE, "-e", "scope @squeue.txt:wait"], 3, NOTHING, r"squeue\.txt:4: found no hosts: \(Priority\)"),
    Case("no such job", [TREE, "-e", "fail host @squeue.txt:11"], 3, NOTHING, r"squeue\.txt: found no job \"11\", expected one of the 4 .*: 7, 8_1, 9, 10$"),
    Case("no list of hosts", [TREE, "-e", "scope @slurm.conf"], 3, NOTHING, r"slurm\.conf:1: found \"SwitchName=s1 Nodes=node000\[1-3\]\", expected hosts: a name"),
    Case("hosts of another system", [TREE, "-e", "scope @quits.ibs"], 3, NOTHING, r"quits\.ibs: none of 3 hosts is in the fabric \(first: frob\)$"),
    Case("links of no list of hosts", [TREE, "-e", "fail link @nowhere:1"], 3, NOTHING, r"-e:1: nowhere:1: cannot be opened: No such file"),
    Case("json: hosts that are not there", ["--json", TREE, "-e", "scope @squeue.txt:7"], 0, r'"absent":\["gone"\]', objects=[("synth", True), ("scope", True)]),

    # --- the edges of what there may be
    Case("two hosts and no switch", ["pair.net", "-e", "route minhop; trace A B"], 3, r"has no switch: [^\n]*SUBNET UP", r"-e:1: ", absent="No engine is left"),
    Case("a switch cabled to itself", ["loops.net", "-R", "minhop", "-e", "check; trace A B"], 0, r"^Sound: [\s\S]*link"),
    Case("parts apart", ["parts.net", "-R", "minhop", "-e", "check; trace A B"], 1, r"^2 endports cut off[\s\S]*^NOT SOUND[\s\S]*A \(LID 2\) -> B \(LID 3\)"),

    # --- tables as data
    Case("tables", [LEAVES, "-e", "tables %s; trace 4 10; check" % (FORMATS + "two-leaf.lfts")], 0,
         r"^It names the LIDs of 7 ports\.[\s\S]*\(LID 4\) -> router \(LID 10\): SL 0, 3 links[\s\S]*^Sound: "),
    Case("tables of another fabric", [TREE, "-e", "tables %s" % (FORMATS + "two-leaf.lfts")], 3, NOTHING,
         r"-e:1: \S*two-leaf.lfts: found tables of 3 switches, none of which is in the fabric"),
    # lash on a ring, handed in: sound with its SLs, not without them
    Case("tables with SLs", ["ring:5", "-e", "set qos TRUE; route lash; export lfts ring.lfts; export paths ring.sls",
                             "-e", "synth ring:5; set qos FALSE; tables ring.lfts ring.sls; check; journal"], 0,
         r"Sound: [\s\S]*tables ring.lfts ring.sls"),
    Case("tables without their SLs", ["ring:5", "-e", "set qos TRUE; route lash; export lfts ring1.lfts; synth ring:5; tables ring1.lfts; check"], 1, r"NOT SOUND"),
    Case("tables with SLs that are none", ["ring:5", "-R", "lash", "-e", "export lfts ring2.lfts; tables ring2.lfts junk"], 3, r"",
         r"junk:1: found 'this is no fabric', expected `SLID DLID SL`"),
    Case("SLs undone with their tables", ["ring:5", "-e", "set qos TRUE; route lash; export lfts ring3.lfts; export paths ring3.sls",
                                          "-e", "synth ring:5; tables ring3.lfts ring3.sls; undo; set path_sl_file"], 0, r"\n  path_sl_file +\(null\)"),
    Case("tables without a fabric", ["-e", "tables x"], 3, NOTHING, r"no fabric is loaded"),
    Case("tables of what are none", [TREE, "-e", "tables junk"], 3, NOTHING,
         r"junk: found no table of a switch \(the text begins 'this is no fabric"),
    Case("json: tables", ["--json", LEAVES, "-e", "tables %s" % (FORMATS + "two-leaf.fdbs")], 0,
         r'"format":"fdbs"[\s\S]*"routing":\{"engine":"tables"', objects=[("load", True), ("tables", True)]),
    Case("folder of ibdiagnet", [FORMATS + "two-leaf.ibdiagnet2", "-e", "trace 4 10; check"], 0,
         r"any of 1 \*2 \(group 3\)[\s\S]*^Adaptive routing[\s\S]*^Sound: ", r"^tables routed 3 switches"),
    Case("folder of two runs", ["runs", "-e", "show warnings; doctor"], 0,
         r"ibdiagnet2\.cables is of another run \(2025-03-15 10:00:00 UTC \+0000\) than ibdiagnet2\.ibnetdiscover \(2025-03-31 [\s\S]*"
         r"^warning ibdiagnet \(fact\): ibdiagnet found 1 error\.\n    ibdiagnet2\.log:2: S - it is odd\n[\s\S]*"
         r"^warning left-out \(fact\): ibdiagnet2\.cables is of another run"),
    Case("folder, an engine asked for", ["-R", "minhop", FORMATS + "two-leaf.ibdiagnet2", "-e", "show"], 0,
         r"^routed by minhop"),
    Case("LIDs before anything is routed", [FORMATS + "two-leaf.ibdiagnet2/ibdiagnet2.db_csv", "-e",
                                            "list hosts; trace 4 10"], 3,
         r"host one +4 [\s\S]*host one \(LID 4\) -> router \(LID 10\): the shortest way has 3 links",
         r"nothing is routed yet; `route ENGINE` does it, `tables FILE` takes"),

    # --- commands that the machine and the person always want
    Case("rc is not read in batch", [TREE, "-e", "set lmc"], 0, r"^  lmc +0"),
    Case("rc when asked", ["--rc", TREE, "-e", "set lmc; set max_reverse_hops"], 0,
         r"^said by etc$[\s\S]*^\* lmc +1[\s\S]*^\* max_reverse_hops +3",
         r"\A\S*config/ibscope/rc:2: unknown command \"frob\"[^\n]*\n\Z"),
    Case("rc, and then not", ["--rc", "--no-rc", TREE, "-e", "set lmc"], 0, r"^  lmc +0"),
    Case("rc in JSON", ["--rc", "--json", TREE, "-e", "set lmc"], 0, r'"frob"', r"rc:2: unknown command",
         objects=[("set", True), ("echo", True), ("set", True), ("frob", False), ("set", True), ("synth", True), ("set", True)]),
    Case("whole script", [TREE, "-e", "source whole.ibs whole; echo never"], 3, r"^\* max_reverse_hops +3 [^\n]*\n\Z",
         r"\Awhole.ibs:1: unknown command[^\n]*\nwhole.ibs:4: unknown command[^\n]*\nibscope: -e:1: whole.ibs: 2 commands of it failed\n\Z",
         absent=r"never|unknown"),
    Case("whole script in JSON", ["--json", TREE, "-e", "source whole.ibs whole"], 3, r"2 commands of it failed",
         r"\Awhole.ibs:1: [\s\S]*\nwhole.ibs:4: ",
         objects=[("synth", True), ("frob", False), ("set", True), ("set", True), ("nope", False), ("source", False)]),
    Case("whole script that is right", ["--json", TREE, "-e", "source good.ibs whole"], 0, r'"command":"source","ok":true'),
    Case("whole script in a whole script", [TREE, "-e", "source nested.ibs whole"], 3, r"^after", r"^nested.ibs:1: whole.ibs: 2 commands of it failed$"),
    Case("live falls back to nothing", [TREE, "-R", "live", "-e", "check"], 3, NOTHING, r"live refuses[\s\S]*there are no tables"),
    Case("tables fall back to nothing", [TREE, "-R", "tables,minhop", "-e", "check"], 3, NOTHING, r"tables refuses[\s\S]*there are no tables"),
    Case("tables asked for behind another", ["torus:4x4", "-e", "route updn,tables; show"], 3, r"^tables refuses[\s\S]*^not routed$",
         absent=r"no_fallback|minhop"),
    Case("tables that are held", [LEAVES, "-e", "tables %s; route updn; route tables; check" % (FORMATS + "two-leaf.lfts")], 0, r"^tables routed [\s\S]*^Sound: "),
    Case("script", [TREE, "-x", "good.ibs"], 0, r"^Sound: "),
    Case("script finds a fault", [TREE, "-x", "fault.ibs"], 1, r"^NOT SOUND"),
    Case("script fails", [TREE, "-x", "wrong.ibs"], 2, r"routed", r"\Aibscope: wrong.ibs:3: unknown command \"frob\"",
         absent=r"host"),
    Case("script within a script fails", [TREE, "-x", "outer.ibs"], 2, r"9 hosts",
         r"\Aibscope: inner.ibs:2: no engine of \"nonsense\""),
    Case("no such script", [TREE, "-x", "nowhere.ibs"], 3, NOTHING, r"cannot read nowhere.ibs: No such file"),
    Case("script with a NUL byte", [TREE, "-x", "nul.ibs"], 3, r"9 hosts", r"nul.ibs:2: found a NUL byte as character 6"),
    Case("script with a byte order mark", [TREE, "-x", "mark.ibs"], 3, NOTHING, r"mark.ibs:1: found a byte order mark"),
    Case("script that calls one", [TREE, "-e", "source mark.ibs"], 3, NOTHING, r"ibscope: mark.ibs:1: found a byte order"),
    Case("script of another system", [TREE, "-x", "mac.ibs"], 3, NOTHING, r"mac.ibs:1: found lines that end in CR alone"),
    Case("opensm.conf with a byte order mark", ["-F", "mark.conf", TREE, "-e", "show"], 3, NOTHING,
         r"mark.conf:1: found a byte order mark"),
    Case("archive for a fabric", ["packed", "-e", "show"], 3, NOTHING,
         r"packed: found a zip archive \(unpack it first: unzip\)"),
    Case("script from standard input", [TREE, "-x", "-"], 0, r"^Sound: ", stdin="route minhop; check\n"),
    Case("its errors", [TREE, "-x", "-"], 2, NOTHING, r"ibscope: standard input:2: unknown command", stdin="\nfrob\n"),
    Case("quit ends a script", [TREE, "-x", "quits.ibs", "-e", "frob"], 0, r"9 hosts"),
    Case("pieces in order", [TREE, "-e", "route minhop", "-e", "check", "-x", "wrong.ibs"], 2, r"Sound[\s\S]*routed",
         r"wrong.ibs:3"),
    Case("who moved is not lost", ["-e", "load demo; route minhop; swap node0001 node0009"], 0,
         r"\(\d+ new, \d+ gone\); of 4032 pairs 250 take another path \(12 longer, 12 shorter\), 0 lost, 0 regained; "),
    Case("pairs that are cut off", ["-e", "load demo; route updn; fail leaf-03"], 0,
         r"\(0 new, 235 gone\); of 3540 pairs 0 take another path, 492 of 4032 before are lost \(all cut off\), 0 regained; "),
    Case("moved and cut off", ["-e", "load demo; route minhop; remove host node0064; event \"move host node0001 leaf-16[4]\" \"remove link core-01[1]\""], 0,
         r"of 3906 pairs \d+ take another path.*, 0 lost, 0 regained"),
    Case("nearest command", [TREE, "-e", "fial link leaf-01[1]"], 2, NOTHING, r'unknown command "fial"; is `fail` meant'),
    Case("nearest pane", [TREE, "-e", "swiches"], 2, NOTHING, r'unknown command "swiches"; is `switches` meant'),
    *(Case("instead of %s" % typed, [TREE, *UPDN, "-e", typed], 2, NOTHING, r"%s is not a command here; `%s` does it, `help %s` tells more" % (typed.split()[0], re.escape(line), typed.split()[0].replace("_", "-")))
      for typed, line in (("iblinkinfo -l", "show links"), ("ibroute -C mlx5_0 -P 1 4; show", "lft 4"), ("ibroute -G 0x2c90300a00000", "lft 0x2c90300a00000"), ("ibtracert 3 5", "trace 3 5"),
                          ("ibtracert", "trace SRC DST"), ("dump_lfts", "export lfts FILE"), ("sminfo", "show"), ("saquery -N", "show"), ("ibqueryerrors", "counters all live"),
                          ("smpquery -t 200 nodeinfo 3", "show node 3"), ("smpquery -D nodeinfo 0,1", "show node NODE"), ("perfquery -x 3 1", "counters 3[1]"))),
    Case("help of another program", ["-e", "help ibroute; help dump_lfts"], 0, r"^ibroute: [\s\S]*`lft SWITCH`[\s\S]*^dump-lfts: "),
    *(Case("a LID that was: %s" % line, [TREE, "-R", "minhop", "-e", line], 3, r"", r"LID %s down since event 2$" % was)
      for line, was in (("fail host node0003; show node 9", "9 was node0003,"), ("fail host node0003; trace 9 3", "9 was node0003,"), ("fail host node0003; trace 3 9", "9 was node0003,"),
                        ("fail host node0003; why leaf-01 9", "9 was node0003,"), ("fail switch leaf-02; show node 4", "4 was leaf-02,"), ("fail switch leaf-02; check; show node 10", "10 was node0004,"))),
    Case("a LID that was: list", [TREE, "-R", "minhop", "-e", "fail host node0003; list lids 9"], 3, r"", r"LID 9 was node0003, down since event 2$"),
    Case("a LID that was: gone", [TREE, "-R", "minhop", "-e", "remove host node0003; show node 9"], 3, r"", r"LID 9 was node0003, gone since event 2$"),
    Case("a LID that is again", [TREE, "-R", "minhop", "-e", "fail host node0003; restore host node0003; show node 9"], 0, r"^CA node0003$"),
    Case("few slow pairs", ["few.edges", "-R", "minhop", "-e", "blame few.csv; blame few.csv undirected"], 0,
         r"^  1 +1\.4  host n44: 2 of 2 bad, all others 1 of 3  \(may be chance\)\n      or cable n44\[1\] <-> leafA\[3\]: crossed by the same pairs\n  2 .*host n(78|84): 1 of 1 bad, all others 2 of 4[\s\S]*5 pairs of 7 names \(rows\): 3 bad; \d+ cables crossed"),
    Case("slow pairs of OSU", ["few.edges", "-R", "minhop", "-e", "blame osu.log"], 0, r"^3 pairs of 5 names \(osu\): 1 bad; \d+ cables crossed\.\n.*\n  1 .*host n44: 1 of 1 bad, all others 0 of 2"),
    Case("another program's word", [TREE, "-e", "exit; frob"], 0, ""),
    Case("a word of the field", [TREE, "-e", "deadlock"], 2, NOTHING, r'unknown command "deadlock"; see `check`, `cdg`, '),
    Case("nothing like it", [TREE, "-e", "xyzzy"], 2, NOTHING, r'unknown command "xyzzy"; `help` lists them'),
    Case("a pane's name", [TREE, *UPDN, "-e", "switches"], 0, r"\A  rank name [\s\S]*^     1 leaf-01 "),
    Case("a pane's name with arguments", [TREE, *UPDN, "-e", "path node0001 node0009; hosts sort name reverse filter 001"], 0, r"node0001[\s\S]*leaf-01[\s\S]*^  name .*\n  node0009.*\n  node0001 .*\n\Z"),
    Case("a pane's arguments are wrong", [TREE, *UPDN, "-e", "path node0001"], 2, NOTHING, r"pane path: found 1 argument, expected SRC DST"),
    Case("json: a pane's name", ["--json", TREE, "-e", "hosts"], 0, r'"pane":"hosts"', objects=[("synth", True), ("list", True)]),
    Case("a name alone fails", [TREE, *UPDN, "-e", "fail leaf-03; fail node0009; fail leaf-01[4]; fail leaf-02 node0005[1-9]"], 3,
         r"^1 node down[\s\S]*^1 node down[\s\S]*^1 link down", r"leaf-02 and node0005\[1-9\] are of different kinds|node0005 has no port"),
    Case("as what it is", [TREE, *UPDN, "-e", "fail leaf-0[1-2]; fail node0009; fail leaf-03[4]; restore leaf-01; journal"], 0,
         r"fail switch leaf-0\[1-2\] [\s\S]* fail host node0009 [\s\S]* fail link leaf-03\[4\] [\s\S]* restore switch leaf-01 "),
    Case("a name of two kinds", [TREE, *UPDN, "-e", "fail *"], 3, NOTHING, r"\* stands for more than one kind: type `fail switch \*` or `fail host \*`"),
    Case("names of two kinds", [TREE, *UPDN, "-e", "fail leaf-01 node0001"], 3, NOTHING, r"leaf-01 and node0001 are of different kinds; use one `fail` for each"),
    Case("a name that fits many", [TREE, *UPDN, "-e", "fail leaf"], 3, NOTHING, r'"leaf" fits \d+ nodes: '),
    Case("neither kind nor name", [TREE, *UPDN, "-e", "fail lnik leaf-01[4]"], 3, NOTHING, r'found "lnik", expected link, switch, host, chassis, card, or a name'),
    Case("a chassis by its name", [SAT11, "-e", "fail MF0;sat11-0101-0905-01ib1-A:MCS8500; restore mf0;sat11-0101-0905; fail MF0;sat11-0101-0905-01ib1-A:MCS8500/L03; journal"], 0,
         r"60 nodes down[\s\S]*60 nodes restored[\s\S]*2 nodes down[\s\S]*fail chassis [\s\S]*fail card "),
    Case("nothing behind a failure", [TREE, "-e", "frob; show", "-e", "show"], 2, NOTHING, r"-e:1: unknown command"),
    Case("unclosed quote", [TREE, "-e", "load \"x"], 2, NOTHING, r"-e:1: no closing \""),
    Case("colon is let be", [TREE, *UPDN, "-e", ":trace node0001 node0009; : undo"], 0, r"4 links[\s\S]*Undone"),
    Case("shortened command", [TREE, *UPDN, "-e", "chec"], 0, r"^Sound: "),
    Case("ambiguous command", [TREE, "-e", "re"], 2, NOTHING, r"\"re\" may be .*restore"),

    Case("one count of hosts", [SELENE, "-R", "minhop", "-e", "show; hosts filter LG28-08; switches filter LG28-08:; list map filter LG28-08:; elements LG28-08:; list elements filter LG28-08:; list hosts filter xxx"], 0,
         r"666 switches, 3675 hosts, [\s\S]*^  MF0;LG28-08:MQM8700/U1 +\d+ +41 +37 +\d+ +17 [\s\S]*^  MF0;LG28-08:MQM8700/U1 +level 2, pod \d+ +17 "
         r"[\s\S]*, 17 host ports$[\s\S]* 1 +19 +0 +17 [\s\S]*^Hosts 0/0 ── ports of 3675 hosts and 666 aggregation nodes$"),
    Case("all of them hosts", [SELENE, "-e", "set aggregation_nodes count; switches filter LG28-08:; list hosts filter xxx"], 0, r" 41 +37 .* 18 [\s\S]*^Hosts 0/0$"),

    # --- what needs a screen
    Case("pane", [TREE, "-e", "pane hosts"], 3, NOTHING, r"-e:1: pane: needs the curses interface"),
    Case("shortened pane", [TREE, "-e", "pan hosts"], 3, NOTHING, r"-e:1: pane: needs the curses interface"),

    # --- start: fabric, engine, options
    Case("fabric file", [os.path.join(ROOT, "tests/fabrics/demo-3level.ibnet"), "-e", "show"], 0, r"ibnetdiscover"),
    Case("no such fabric", ["nowhere.net", "-e", "show"], 3, NOTHING, r"ibscope: nowhere.net: "),
    Case("no fabric in a file", ["junk", "-e", "show"], 3, NOTHING, r"ibscope: junk: found .*expected"),
    Case("bad synthetic fabric", ["torus:0", "-e", "show"], 2, NOTHING, r"torus"),
    Case("empty standard input", ["-", "-e", "show"], 3, NOTHING, r"standard input: found an empty file", stdin=""),
    Case("unknown engine", [TREE, "-R", "frob", "-e", "show"], 2, r"not routed", r"no engine of \"frob\""),
    Case("start says nothing on standard output", [TREE, *UPDN, "-e", "echo x"], 0, r"\Ax\n\Z"),
    Case("an engine that refuses", ["ring:6", "-R", "ftree", "-e", "echo x"], 0, r"\Ax\n\Z",
         r"ftree refuses this fabric[\s\S]*Falling back as OpenSM does: minhop"),
    Case("config", ["-F", "chain.conf", TREE, "-e", "show"], 0, r"routed by updn \(asked: updn,minhop\)"),
    Case("bad config", ["-F", "bad.conf", TREE, "-e", "show"], 3, NOTHING, r"bad.conf:1: lmc"),
    Case("name with ; in the line that loads", ["-e", f"load {STAGE}; show node MF0;ib5:SX6036/U1; show"], 0,
         r"^switch MF0;ib5:SX6036/U1\n[\s\S]*^subnet manager: "),
    Case("names with blanks in a script", [STAGE, "-R", "minhop", "-x", "-"], 0,
         r"^stage2 mlx4_0 \(LID 3\) -> stage3 mlx4_0 \(LID 4\)", stdin="trace stage2 mlx4_0 stage3 mlx4_0\n"),
    Case("name that fits several", [STAGE, "-e", "show node SX6036"], 3, NOTHING,
         r"-e:1: \"SX6036\" fits 8 nodes: \"MF0;ib1:SX6036/U1\" \(0x[0-9a-f]{16}\), .*, \.\.\.; say more of the name"),
    Case("list of hosts", [STAGE, "-R", "minhop", "-e", "fail host stage[2-4]; journal"], 0,
         r"^3 nodes down\.[\s\S]*^>  2  fail host stage\[2-4\]"),
    Case("known hosts of a list", ["demo", *UPDN, "-e", "scope node[0063-0066],nobody node00 x* known; scope; save-session -"], 0,
         r"^scope node\[0063-0066\],nobody node00 x\* known$",
         r"^node\[0063-0066\],nobody: 3 hosts not in the fabric: node0065, node0066, nobody\nnode00: 1 host not in the fabric: node00\nx\*: 1 host not"
         r"[\s\S]*: 2 host ports\.$"),
    Case("no known host", ["demo", *UPDN, "-e", "scope nobody known"], 3, r"^nobody: 1 host not in the fabric", r"no host is left"),
    Case("list with a host there is not", [STAGE, "-e", "fail host stage[2-4],stage[998-999]"], 3, NOTHING,
         r"no node is named stage998, stage999$"),
    Case("glob that fits none", [STAGE, "-e", "fail switch *CSPINE*"], 3, NOTHING, r"\"\*CSPINE\*\" fits no node"),
    Case("host of two ports", [STAGE, "-R", "minhop", "-e", "trace tank1 stage2"], 0,
         r"^tank1 is taken for tank1 mlx4_0\[1\], the first of its ports that is up\.$"),
    Case("a name given twice, and its line told once", [TREE, "-e", "names twice.map"], 0,
         r"1 name from twice.map\ntwice.map:2: 0x0002c90300a00000 has a name already; the first counts\n"),
    Case("names", ["--node-name-map", "names.map", TREE, "-e", "show switches"], 0, r"first leaf"),
    Case("twins apart", [TWINS, *UPDN, "-e", "list switches"], 0, r"(?s)\A(?=.*Quantum-2 …8f0040 )(?=.*Quantum-2 …917f80 )"),
    Case("a twin by its end", [TWINS, *UPDN, "-e", "fail switch 8f0040; journal"], 0, r"^1 node down\.[\s\S]*fail switch .*8f0040"),
    Case("a twin described", [TWINS, "-e", "show node 8f0040"], 0, r"\Aswitch Quantum-2 …8f0040\n[^\n]*\ndescribed as Quantum-2 Mellanox Technologies\n"),
    Case("a twin without it", [TWINS, "-e", "show node Quantum-2"], 3, NOTHING, r"\"Quantum-2\" fits 8 nodes: \"Quantum-2 …8d1100\""),
    Case("a twin for other tools", [TWINS, "-e", "save -"], 0, r'"S-a0b1c203008f0040"\s+# "Quantum-2 Mellanox Technologies"', absent="…"),
    Case("a twin's dump", [TWINS, *UPDN, "-e", "export lfts -"], 0, r"'Quantum-2 Mellanox Technologies'", absent="…"),
    Case("a twin renamed", ["--node-name-map", "twins.map", TWINS, "-e", "list switches"], 0, r"^  rack 7 [\s\S]*Quantum-2 …8f0c00 ",
         absent="…8f0040"),
    Case("json: a twin", ["--json", TWINS, "-e", "show switches"], 0,
         r'"name":"Quantum-2 \\u20268f0040","guid":"0xa0b1c203008f0040",.*"description":"Quantum-2 Mellanox Technologies"'),
    Case("json: no twin", ["--json", TREE, *UPDN, "-e", "show switches"], 0, absent=r'"description"'),
    Case("twins drawn", [TWINS, *UPDN, "-e", "export svg -; export dot -"], 0, r"(?s)Quantum-2 …8f0040.*Quantum-2 …8f0040"),
    Case("-R that stops", ["-F", "mesh.conf", "-R", "lash", ENDLESS, "-e", "echo x"], 1, r"\Ax\n\Z", r"^STOP: OpenSM"),
    Case("-R that fails", ["-R", "frob", TREE, "-e", "fail switch leaf-01; show links; save x.net; check", "-e", "list hosts"], 2,
         r"(?s)^up .*^  node0001 ", r"(?s)no engine of \"frob\".*fail: left out, .*save: left out, .*nothing is routed yet"),
    Case("-R that fails leaves nothing to look at", ["-R", "frob", "junk", "-e", "show"], 3, NOTHING, r"junk: found"),
    Case("-R that fails: its words are wrong", ["-R", "frob", TREE, "-e", "show nowhere"], 2, NOTHING, r"(?s)frob.*expected: show"),
    Case("route that stops", ["-F", "mesh.conf", ENDLESS, "-e", "route lash"], 1, r"^STOP: OpenSM", r"mesh.conf names no routing_engine"),

    # --- history
    Case("rules are undone", [TREE, *UPDN, "-e", "set rules manual; show options; undo; show options"], 0,
         r"^\* rules +manual[\s\S]*^  rules +opensm"),
    Case("rules are redone", [TREE, *UPDN, "-e", "set rules manual; undo; redo; show options"], 0, r"^\* rules +manual"),
    Case("rules of no kind", [TREE, "-e", "set rules maybe"], 2, NOTHING, r"rules: found 'maybe', expected one of opensm\|manual\|nvidia"),
    Case("rules for one command", [TREE, *UPDN, "-e", "route updn rules=manual; unset rules; journal"], 0,
         r"route updn rules=manual[\s\S]*unset rules"),
    Case("reset keeps snapshots", [TREE, *UPDN, "-e", "snapshot a; fail link leaf-01[4]; reset; snapshot; diff a"], 0,
         r"^a +updn[\s\S]*0 entries"),
    Case("so does another fabric", [TREE, *UPDN, "-e", "snapshot a; synth xgft:3,2:1,2; snapshot; diff a"], 0,
         r"^a +updn[\s\S]*^Only before, and not compared: 1 switch, 3 host ports "),

    # --- JSON: one object for every command
    Case("json", ["--json", TREE, *UPDN, "-e", "check; trace node0001 node0009", "-x", "good.ibs"], 0,
         objects=[("synth", True), ("route", True), ("check", True), ("trace", True), ("route", True), ("check", True)]),
    Case("json: fault", ["--json", TREE, *UPDN, "-e", "fail switch leaf-01; check"], 1, r"\"sound\":false",
         objects=[("synth", True), ("route", True), ("fail", True), ("check", True)]),
    Case("json: failure", ["--json", TREE, "-e", "check; show"], 3, r"\"error\":\"nothing is routed yet", r"-e:1: nothing",
         objects=[("synth", True), ("check", False)]),
    Case("json: unknown command", ["--json", "-e", "frob a"], 2, "", r"unknown command", objects=[("frob", False)]),
    Case("json: what does not parse", ["--json", TREE, "-e", "show; load \"x"], 2, "", r"no closing",
         objects=[("synth", True), ("show", True), ("load", False)]),
    Case("json: scripts", ["--json", TREE, "-e", "source outer.ibs"], 2, "", r"inner.ibs:2: ",
         objects=[("synth", True), ("show", True), ("route", False), ("source", False), ("source", False)]),
    Case("json: no fabric", ["--json", "junk", "-e", "show"], 3, "", r"junk: found", objects=[("load", False)]),
    Case("json: no script", ["--json", TREE, "-x", "nowhere.ibs"], 3, "", r"cannot read nowhere", objects=[("synth", True), ("source", False)]),
    Case("json: a script that is none", ["--json", TREE, "-x", "."], 3, "", r"Is a directory", objects=[("synth", True), ("source", False)]),
    Case("json: line that cannot be read", ["--json", "-x", "blank.ibs"], 3, "", r"blank.ibs:1: found a NUL byte", objects=[("show", False)]),
    Case("json: script within a script that cannot be read", ["--json", "-e", "source ."], 3, "", r"Is a directory",
         objects=[("source", False)]),
    Case("json: no configuration", ["--json", "-F", "nowhere", TREE, "-e", "show"], 3, "", r"nowhere: No such", objects=[("config", False)]),
    Case("json: unknown engine", ["--json", TREE, "-R", "frob", "-e", "show"], 2, "", r"no engine",
         objects=[("synth", True), ("route", False), ("show", True)]),
    Case("json: no synthetic fabric", ["--json", "torus:0", "-e", "show"], 2, "", r"torus", objects=[("synth", False)]),
    Case("json: no names", ["--json", "--node-name-map", "nowhere", TREE, "-e", "show"], 3, "", r"nowhere", objects=[("names", False)]),
    Case("json: a folder with tables is one command", ["--json", FORMATS + "two-leaf.ibdiagnet2", "-e", "check"], 0,
         r"\"routing\":\{\"engine\":\"tables\"", objects=[("load", True), ("check", True)]),
    Case("json: word that is no UTF-8", ["--json", STAGE, "-R", "minhop", "-e", b"trace tank1 tank\xff"], 3, "", r"tank\\xff",
         objects=[("load", True), ("route", True), ("trace", False)]),
    Case("json: a mean of nothing", ["--json", "alone.net", "-R", "minhop", "-e", "load-map; compare minhop updn; shifts"], 0, r"\"mean\":",
         objects=[("load", True), ("route", True), ("load-map", True), ("compare", True), ("shifts", True)]),
    Case("json: interface", ["--json", TREE, "-e", "pane hosts"], 3, "", r"curses",
         objects=[("synth", True), ("pane", False)]),
    Case("json: tables on standard output", ["--json", TREE, *UPDN, "-e", "export lfts -; save -"], 0, r"Unicast lids",
         objects=[("synth", True), ("route", True), ("export", True), ("save", True)]),
    Case("json: stop", ["--json", "-F", "mesh.conf", "-R", "lash", ENDLESS, "-e", "show"], 1, r"\"fatal\":\"never ends\"",
         objects=[("config", True), ("synth", True), ("route", True), ("show", True)]),
    Case("json: help", ["--json", "-e", "help; help check; show engines; show options"], 0, r"\"commands\":\[",
         objects=[("help", True), ("help", True), ("show", True), ("show", True)]),
]


def run(args, folder, stdin=None):
    env = dict(os.environ, IBSCOPE_ETC=os.path.join(folder, "etc"), XDG_CONFIG_HOME=os.path.join(folder, "config"))
    return subprocess.run([PROGRAM, *args], cwd=folder, input=stdin or "", stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=BOUND, env=env)


def objects_fault(case, text):
    """None, or what is wrong with the lines of JSON."""
    try:
        found = contract.objects(PROGRAM, text)
    except ValueError as e:
        return "standard output is not one JSON object a line as the schema has them: %s" % e
    told = [(o["command"], o["ok"]) for o in found]
    if told != case.objects:
        return "found the objects %s, expected %s" % (told, case.objects)
    return None


def run_case(case, folder):
    """None, or why it failed."""
    done = run(case.args, folder, case.stdin)
    if done.returncode != case.status:
        return "status %d, expected %d\n%s%s" % (done.returncode, case.status, done.stdout, done.stderr)
    for what, pattern, text in (("output", case.out, done.stdout), ("error", case.err, done.stderr)):
        if not re.search(pattern, text, re.M):
            return "standard %s: no %r in:\n%s" % (what, pattern, text)
    if case.absent and re.search(case.absent, done.stdout, re.M):
        return "standard output: %r in:\n%s" % (case.absent, done.stdout)
    return objects_fault(case, done.stdout) if case.objects else None


def cut_off(folder):
    """A real file that was cut off in the middle is told to be incomplete, and never sound."""
    path = os.path.join(ROOT, "tests", "fabrics", "real", "sat11-director.putty-log.xz")
    with lzma.open(path) as f:
        text = f.read()
    for name, size, status in (("whole", len(text), 0), ("cut", len(text) * 8 // 10, 3)):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(text[:size])
        done = run(["--json", name, *UPDN, "-e", "check"], folder)
        told = contract.objects(PROGRAM, done.stdout)
        if done.returncode != status or told[-1]["sound"] != (not status) or told[-1]["complete"] != (not status):
            return "%s: status %d: %s%s" % (name, done.returncode, done.stdout[-600:], done.stderr)
        if told[0]["fabric"]["complete"] != (not status) or ("is incomplete" in done.stderr) != bool(status):
            return "%s: %s%s" % (name, done.stdout[:600], done.stderr)
        done = run([name, *UPDN, "-e", "check"], folder)
        if (re.search("^Sound", done.stdout, re.M) is None) != bool(status):
            return "%s: %s" % (name, done.stdout[-600:])
    return None


def embedded(folder):
    """With --json what a command writes to "-" is a field of its object, byte for byte."""
    for start, head, commands in (
            ([TREE, *UPDN], 0, ["save -", "export lfts -", "export fdbs -", "export guid2lid -", "export subnet -", "export paths -", "export sl2vl -",
                                "export json -", "export dot -", "export dot - cdg"]),
            (["torus:3x3"], 0, ["torus-conf -"]), (["torus:3x3"], 2, ["torus-conf"])):  # two lines tell about the torus
        for command in commands:
            args = ["-F", "qos.conf", *start, "-e", command]
            plain = "".join(run(args, folder).stdout.splitlines(keepends=True)[head:])
            told = contract.objects(PROGRAM, run(["--json", *args], folder).stdout)
            if not plain or told[-1]["command"] != command.split()[0] or told[-1]["content"] != plain or \
                    (command.startswith(("save", "export")) and "text" in told[-1]):
                return "%s: found %s, expected %s" % (command, ascii(told[-1])[:300], ascii(plain)[:300])
    return None


def documents(folder):
    """A document on standard output is alone there: what the commands of the run say goes to standard error."""
    for command, is_it in (("export json -", lambda text: json.loads(text)["engine"] == "updn"),
                           ("schema json-schema", lambda text: "$defs" in json.loads(text)),
                           ("list hosts csv sort name", lambda text: {len(row) for row in csv.reader(text.splitlines())} == {text.split("\n")[0].count(",") + 1}),
                           ("hosts csv columns name", lambda text: text.startswith("name\nnode0001\n"))):
        lines = ["show", "fail link leaf-01[4]", "check", command, "echo behind"]
        with open(os.path.join(folder, "documents.ibs"), "w", encoding="ascii") as f:
            f.write("\n".join(lines) + "\n")
        for args in (["-e", "; ".join(lines)], ["-x", "documents.ibs"], [w for line in lines for w in ("-e", line)]):
            done = run([TREE, *UPDN, *args], folder)
            if done.returncode or not is_it(done.stdout):
                return "%s: status %d: %s" % (args, done.returncode, done.stdout[:300])
            if not re.search(r"^xgft[\s\S]*^1 link down[\s\S]*^Sound: [\s\S]*^behind$", done.stderr, re.M):
                return "%s: %s" % (args, done.stderr)
    # of a script that cannot be read ahead each such command keeps its own messages out of its document
    with open(os.path.join(folder, "torus.ibs"), "w", encoding="ascii") as f:
        f.write("show\ntorus-conf -\n")
    done = run(["torus:3x3", "-e", "source torus.ibs"], folder)
    if not re.search(r"\Atorus:3x3[\s\S]*^# torus-2QoS.conf of[^\0]*\n\Z", done.stdout, re.M) or \
            not done.stderr.startswith("# 3 x 3 torus of 9 places.") or "yp_link" in done.stderr:
        return "source: %s\n--\n%s" % (done.stdout, done.stderr)
    # without a document, or with one in a file, nothing is different
    for word in ("echo -", "export json made.json", "list hosts filter csv", "hosts sort name", "schema export"):
        done = run([TREE, *UPDN, "-e", "echo here; " + word], folder)
        if "here\n" not in done.stdout:
            return "%s: %s\n--\n%s" % (word, done.stdout, done.stderr)
    return None


def without(text, *names):
    """A saved fabric without the nodes of these names and without the cables to them."""
    ids = re.findall(r'^(?:Switch|Ca)\s+\d+ ("[^"]+").*# "(?:%s)"' % "|".join(names), text, re.M)
    records = [r for r in text.split("\n\n") if not any(re.search(r"^(?:Switch|Ca)\s+\d+ " + i, r, re.M) for i in ids)]
    return "\n".join(line for line in "\n\n".join(records).split("\n") if not any(i + "[" in line for i in ids)).rstrip() + "\n"


def baseline(folder):
    """check --baseline: status 1 for new faults alone; known again by GUIDs, whatever names and LIDs are."""
    def kinds(faults):
        return {k: sum(f["count"] for f in faults if f["kind"] == k) for k in {f["kind"] for f in faults}}

    def step(start, commands, status, new, gone, known):
        done = run(["--json", *start, "-e", "; ".join(commands + ["check --baseline was.json"])], folder)
        told = contract.objects(PROGRAM, done.stdout)[-1].get("baseline")
        found = told and (done.returncode, kinds(told["new_faults"]), kinds(told["gone_faults"]), told["known"],
                          told["new"], told["gone"])
        expected = (status, new, gone, known, sum(new.values()), sum(gone.values()))
        plain = run([*start, "-e", "; ".join(commands + ["check --baseline was.json"])], folder)
        if found != expected or plain.returncode != status:
            raise ValueError("%s: found %s, expected %s, status %d without --json:\n%s%s" % (
                commands, found, expected, plain.returncode, plain.stdout[-800:], done.stderr))
        return plain.stdout

    def keep(start, commands, change=lambda text: text):
        done = run(["--json", *start, "-e", "; ".join(commands + ["check"])], folder)
        with open(os.path.join(folder, "was.json"), "w", encoding="utf-8") as f:
            f.write(change(done.stdout))

    tree = [TREE, *UPDN]
    cut = ["fail link leaf-01[1]"]
    keep(tree, cut)
    step(tree, cut, 0, {}, {}, 1)
    out = step(tree, cut + ["fail link leaf-02[2]"], 1, {"cut_off": 1}, {}, 1)
    if not re.search(r"^NOT SOUND\.\nCompared with was.json: 1 new fault, 0 gone, 1 as before\.\n  new: node0005 is cut off", out, re.M):
        raise ValueError(out)
    step(tree, [], 0, {}, {"cut_off": 1}, 0)
    step(["--node-name-map", "others.map", *tree], ["fail link 0x0002c90300f00000[1]"], 0, {}, {}, 1)
    # other LIDs and names in the file; written by jq -s, or over many lines
    for change in (lambda t: t.replace('"lid":', '"lid":4').replace('"node0001"', '"\\u001b[2Jold"'),
                   lambda t: "[" + ",".join(t.splitlines()) + "]",
                   lambda t: "".join(json.dumps(json.loads(line), indent=3) + "\n" for line in t.splitlines())):
        keep(tree, cut, change)
        step(tree, cut, 0, {}, {}, 1)
    step(tree, [], 0, {}, {"cut_off": 1}, 0)
    # paths that tables do not lead along, and a loop where there was an end
    run([*tree, "-e", "export lfts was.lfts"], folder)
    held = ["tables was.lfts", "fail link leaf-01[4]"]
    keep([TREE], held)
    step([TREE], held, 0, {}, {}, 7)
    step([TREE], held[:1], 0, {}, {"unreachable": 7}, 0)
    step([TREE], held + ["fail link leaf-02[4]"], 1, {"unreachable": 2, "cable_gone": 1}, {}, 7)
    # a host of the scope that is not in the fabric any more; other hosts do not count
    keep(tree, ["scope node0001 node0009"])
    step(tree, ["scope node0001 node0009", "fail link leaf-02[1]"], 0, {}, {}, 0)
    run([*tree, "-e", "save whole.ibnet"], folder)
    with open(os.path.join(folder, "whole.ibnet"), encoding="utf-8") as f:
        text = f.read()

    def less(*names):
        with open(os.path.join(folder, "less.ibnet"), "w", encoding="utf-8") as f:
            f.write(without(text, *names))

    less("node0001", "node0009")
    out = step(tree, ["scope node0001 node0009", "load less.ibnet"], 1, {"not_here": 2}, {}, 0)
    if "  new: of the scope, but not in the fabric: 0x0002c90300f00000[1]\n" not in out:
        raise ValueError(out)
    # what was there and is not any more, in the session or in another file; a cable goes with its nodes
    keep(tree, [])
    for gone, new in ((["host node0001"], {"host_gone": 1}), (["switch spine-01"], {"switch_gone": 1}), (["link leaf-01[4]"], {"cable_gone": 1}),
                      (["host node0001", "host node0002", "link leaf-03[5]"], {"host_gone": 2, "cable_gone": 1}),
                      (["switch leaf-01"], {"cut_off": 3, "switch_gone": 1})):
        step(tree, ["fail " + g for g in gone], 1, new, {}, 0)
    for gone, new in ((["node0001"], {"host_gone": 1}), (["spine-01"], {"switch_gone": 1}),
                      (["leaf-01", "node0001", "node0002", "node0003"], {"host_gone": 3, "switch_gone": 1})):
        less(*gone)
        out = step(["less.ibnet", *UPDN], [], 1, new, {}, 0)
        if not all("  new: %s gone: %s\n" % ("host" if g.startswith("node") else "switch", g) in out for g in gone):
            raise ValueError(out)
    out = step(["less.ibnet", *UPDN], ["fail link leaf-02[5]"], 1, dict(new, cable_gone=1), {}, 0)
    if "  new: cable gone: leaf-02[5] to spine-02[2]\n" not in out:
        raise ValueError(out)
    step(tree, ["scope node0004 node0009", "fail host node0001"], 0, {}, {}, 0)    # nobody of the scope
    step(tree, ["scope node0004 node0008 node0009", "fail host node0004"], 1, {"host_gone": 1}, {}, 0)
    # a baseline of another fabric
    for other in ("parts.net", os.path.join(ROOT, "tests", "fabrics", "demo-3level.ibnet")):
        done = run([other, "-R", "minhop", "-e", "check --baseline was.json"], folder)
        if done.returncode != 3 or done.stdout or not re.search(
                r"was.json: it seems to be of another fabric: of its 14 hosts and switches, \d+ are among the \d+ of ", done.stderr):
            raise ValueError(done.stdout + done.stderr)
    # credit loops by channel; a part of the fabric that is missing
    keep(["torus:4x4", "-R", "minhop"], [])
    step(["torus:4x4", "-R", "minhop"], [], 0, {}, {}, 64)
    step(["torus:4x4", "-R", "minhop"], ["fail link t00[1]"], 1, {"cut_off": 1}, {"credit_loop": 4}, 60)
    for name, size in (("cut1.ibnet", 70), ("cut2.ibnet", 60)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text[:len(text) * size // 100])
    keep(["cut1.ibnet", *UPDN], [])
    with open(os.path.join(folder, "was.json"), encoding="utf-8") as f:
        missing = contract.objects(PROGRAM, f.read())[-1]["faults"]
    if {f["what"] for f in missing} != {"cut record", "dangling link"}:
        raise ValueError(missing)
    step(["cut1.ibnet", *UPDN], [], 0, {}, {}, sum(f["count"] for f in missing))
    done = run(["cut2.ibnet", *UPDN, "-e", "check --baseline was.json"], folder)
    if done.returncode != 1 or not re.search("^  new: missing: dangling link at ", done.stdout, re.M):
        raise ValueError(done.stdout)
    return None


def last_seen(folder):
    """trace says which end is not there, and where it was: in the fabric, in an earlier event, a snapshot, a baseline."""
    real = os.path.join(ROOT, "tests", "fabrics", "real", "selene-compute.ibnetdiscover.xz")
    demo = os.path.join(ROOT, "tests", "fabrics", "demo-3level.ibnet")
    with lzma.open(real, "rt", encoding="utf-8") as f:
        selene = f.read()
    with open(demo, encoding="utf-8") as f:
        small = f.read()

    def look(start, commands, absent, status=3):
        """absent: (word, why, last seen, seen in) of each end; in text and in JSON."""
        done = run(["--json", *start, "-e", "; ".join(commands)], folder)
        told = contract.objects(PROGRAM, done.stdout)[-1]
        found = [(a["name"], a["why"], a["last_seen"], a.get("seen_in")) for a in told.get("absent", [])]
        plain = run([*start, "-e", "; ".join(commands)], folder)
        said = plain.stdout + plain.stderr
        lines = ["; last seen: %s%s" % (", ".join(a[2]), " (%s)" % a[3] if a[3] else "") for a in absent if a[2]]
        if found != absent or (done.returncode, plain.returncode) != (status, status) or not all(line in said for line in lines):
            raise ValueError("%s: found %s, expected %s\n%s" % (commands, found, absent, said[-600:]))

    for whole, text, host, lost, other, at in (
            (demo, small, "node0005", "node0005", "node0001", "leaf-02[1]"),
            (real, selene, "luna-0200 mlx5_3", "luna-0200[^\"]*", "luna-0161 mlx5_3", "MF0;LG09-04:MQM8700/U1[16]")):
        left = os.path.join(folder, "left.ibnet")
        with open(left, "w", encoding="utf-8") as f:
            f.write(without(text, lost))
        with open(os.path.join(folder, "was.json"), "w", encoding="utf-8") as f:
            f.write(run(["--json", whole, "-R", "minhop", "-e", "check"], folder).stdout)
        gone, words = '"%s" is not in this fabric' % host, 'trace "%s" "%s"'
        guid = re.search(r"^caguid=0x(\w+)\nCa\s.*# \"%s\"" % host, text, re.M).group(1)
        look([whole, "-R", "minhop"], ["load left.ibnet next", words % (other, host)], [(host, gone, [at], "event 1")])
        look([left, "-R", "minhop"], ["check --baseline was.json", words % (other, host)], [(host, gone, [at], "was.json")])
        if whole == real:
            continue
        look([left], [words % (host, other)], [(host, 'no node is named "%s" (expected a GUID, a LID, a name, the beginning of a word of one, '
                                                'a part of one, or a glob)' % host, [], None)])
        look([left, "-R", "minhop"], ["check --baseline was.json", "trace 0x%s 0x%s" % (guid.zfill(16), guid.zfill(16))],
             [("0x" + guid.zfill(16), '"0x%s" is not in this fabric' % guid.zfill(16), [at], "was.json")] * 2)
        look([whole, "-R", "minhop"], ["snapshot before", "load left.ibnet", words % (other, host + "[1]")],
             [(host + "[1]", '"%s[1]" is not in this fabric' % host, [at], "snapshot before")])
        look([whole, "-R", "minhop"], ['fail host "%s"' % host, words % (other, host)], [(host, "it is down", [at], None)], 1)
        look([whole, "-R", "minhop"], ['fail link "%s[1]"' % host, words % (host, other)], [(host, "its cable is down", [at], None)], 1)
        look([whole, "-R", "minhop"], [words % (host, other)], [], 0)
        run([whole, "-R", "minhop", "-e", "export lfts held.lfts"], folder)
        said = run([left, "-e", "tables held.lfts; check --baseline was.json; drift minhop"], folder).stdout
        if not re.search(r"^  port +leaf-02\[1\]: nothing is at the port; .*; last peer node0005\[1\]$", said, re.M):
            return said
    # a host of several adapters, whose ports JSON tells all; a LID of the routing before; a port without its cable
    rails = ["MF0;LG09-0%d:MQM8700/U1[16]" % k for k in range(1, 9)]
    told = contract.objects(PROGRAM, run(["--json", real, "-R", "minhop", "-e", "load left.ibnet next; trace 'luna-0161 mlx5_3' luna-0200"], folder).stdout)[-1]
    if told["absent"][0]["last_seen"] != rails or not told["error"].endswith(", ".join(rails[:4]) + ", and 4 more (event 1)"):
        return str(told)
    look([demo, "-R", "minhop"], ["remove host node0006", "trace 74 node0001"], [("74", '"74" is not in this fabric', ["leaf-02[2]"], "event 1")])
    look([demo, "-R", "minhop"], ["remove link node0005[1]", "trace node0001 node0005"], [("node0005", '"node0005" has no cabled port', ["leaf-02[1]"], "event 1")])
    return None


def incomplete_tables(folder):
    """A dump that was cut off, or of other GUIDs, is told as such; pairs that only it loses are no faults, new or gone."""
    real = os.path.join(ROOT, "tests", "fabrics", "real", "selene-storage.ibnetdiscover.xz")

    def put(name, lines):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.writelines(lines)

    def said(commands, status):
        done = run(["--json", real, "-e", "; ".join(commands)], folder)
        told = contract.objects(PROGRAM, done.stdout)
        if done.returncode != status:
            raise ValueError("%s: status %d: %s" % (commands, done.returncode, ascii(told)[-600:]))
        return told[-1], "\n".join(line for o in told for line in o.get("text", [o.get("error", "")]))

    def need(text, *parts):
        for part in parts:
            if not re.search(part, text, re.M):
                raise ValueError("no %r in\n%s" % (part, text[-1500:]))

    run([real, "-e", "route updn; export lfts all.lfts"], folder)
    put("was.json", run(["--json", real, "-e", "tables all.lfts; fail link MF0;SSPINE4-12:MQM8700/U1[1]; check"], folder).stdout)
    with open(os.path.join(folder, "all.lfts"), encoding="utf-8") as f:
        whole = f.readlines()
    heads = [i for i, line in enumerate(whole) if line.startswith("Unicast")]
    put("three.lfts", whole[:heads[3]])
    adapters = sorted({g for line in whole for g in re.findall(r"Channel Adapter portguid (0x\w+)", line)})
    other = set(adapters[:1224])  # of 1,247 adapters and 160 switches
    put("guids.lfts", [re.sub(r"Adapter portguid (0x)(\w+)", lambda m: "Adapter portguid 0x" + ("f" + m[2][1:] if m[1] + m[2] in other else m[2]), line)
                       for line in whole])
    put("others.lfts", [re.sub(r"guid 0x\w", "guid 0xf", line) for line in whole])
    for name, parts in (("three", [r"^INCOMPLETE TABLES: 3 of 160 switches have a table, whether 155\d+ pairs have a path cannot be told\."]),
                        ("guids", [r"^87 % of 1407 ports match no GUID of ", r"^INCOMPLETE TABLES: most that their file names is not in this fabric; 160 of 160 "])):
        tables = ["tables %s.lfts" % name]
        told, text = said(tables + ["check"], 3)
        need(text, *parts, r"^1 cause:\n  tables ", ", 0 unreachable|: 0 unreachable")
        if told["faults"] or told["tables_complete"] or told["pairs_untold"] != told["pairs_lost"]:
            return "%s: %s" % (name, ascii(told)[:600])
        told, text = said(tables + ["check --baseline was.json"], 3)
        need(text, r"^Compared with was\.json: of what the tables tell, 0 new faults, 0 gone, 0 as before\.$")
        if told["baseline"]["new_faults"] or told["baseline"]["gone_faults"]:
            return "%s: %s" % (name, ascii(told["baseline"])[:600])
        told, text = said(tables + ["fail host ai400x-064", "check --baseline was.json"], 1)  # what is really new is told, alone
        if [f["kind"] for f in told["baseline"]["new_faults"]] != ["host_gone"]:
            return "%s: %s" % (name, ascii(told["baseline"]["new_faults"])[:600])
        told, text = said(tables + ["doctor"], 1)
        errors = [f["kind"] for f in told["findings"] if f["severity"] == "error"]
        if errors != ["incomplete-tables"] or told["tables_complete"] or {f["kind"] for f in told["findings"]} & {"unreachable", "no-lid", "idle", "sm-place"}:
            return "%s: %s" % (name, errors)
    told, text = said(["tables others.lfts", "check"], 3)
    need(text, "found tables of 160 switches, none of which is in the fabric")
    return None if told["error_kind"] == "input" else told["error_kind"]


def one_dump(folder):
    """diff of two fabrics with the same tables: entries for LIDs that nobody holds on one side are told, not compared."""
    run(["xgft:4,4:1,4", "-R", "minhop", "-e", "save all.ibnet; export lfts all.lfts"], folder)
    with open(os.path.join(folder, "all.ibnet"), encoding="utf-8") as f:
        text = f.read()
    with open(os.path.join(folder, "left.ibnet"), "w", encoding="utf-8") as f:
        f.write(without(text, "node0001", "node0007", "node0016"))
    for a, b, which, other, words in (("all", "left", "only_before", "only_now", "holds now"), ("left", "all", "only_now", "only_before", "held before")):
        args = [a + ".ibnet", "-e", "tables all.lfts; snapshot was; load %s.ibnet; tables all.lfts; diff was all" % b]
        told = contract.objects(PROGRAM, run(["--json", *args], folder).stdout)[-1]
        if told["entries"] or told["change"]["entries"] or told[which] != {"switches": 0, "ports": 3, "lids": 3, "entries": 24} \
                or any(told[other].values()):
            return "%s to %s: %s" % (a, b, told)
        said = run(args, folder).stdout
        if "\n3 LIDs that nobody %s: 24 entries, not compared.\n" % words not in said or "(nobody)" in said.split("Only ")[-1]:
            return said
    # what changed besides is compared
    run(["left.ibnet", "-e", "tables all.lfts; route minhop; fail link leaf-01[5]; export lfts other.lfts"], folder)
    told = contract.objects(PROGRAM, run(["--json", "all.ibnet", "-e", "tables all.lfts; snapshot was; load left.ibnet; tables other.lfts; diff was all"],
                                         folder).stdout)[-1]
    gone = {e["lid"] for e in told["entries"] if e["owner"] is None}
    return None if told["entries"] and not gone and told["change"]["entries"] == len(told["entries"]) else str(told["change"])


WRONG = {  # what is in the file of `check --baseline`, and what is said about it
    "": r"found 0 objects, none of them of check; expected what `ibscope --json -e check` prints",
    "Sound: every host reaches every host": r"wrong.json:1: found no JSON \(",
    '{"command":"show","ok":true}\n{"command":': r"wrong.json:2: found no JSON \(",
    '{"command":"show","ok":true}\n[1, "a", null]\n': r"found 1 object, none of them of check",
    '{"command":"check","ok":false,"error":"x"}': r"the check in it failed",
    '{"command":"check","ok":true}': r"the check in it has no list of faults",
    '{"command":"check","ok":true,"schema":99,"faults":[]}': r"found schema 99, expected at most \d+: a newer ibscope wrote it",
    '{"command":"check","ok":true,"faults":[7]}': r"fault 1 of its check: found nothing, expected a kind",
    '{"command":"check","ok":true,"faults":[{"kind":"frob"}]}': r"fault 1 of its check: found frob, expected a kind",
    '{"command":"check","ok":true,"faults":[{"kind":"unreachable","count":1}]}': r"fault 1 .*expected a list of what it is from and to",
    '{"command":"check","ok":true,"faults":[{"kind":"cut_off","count":1,"to":[{"port_guid":"0x1"},{"port_guid":"leaf"}]}]}':
        r"found leaf, expected a GUID",
    '{"command":"check","ok":true,"faults":[{"kind":"credit_loop","channels":[{"guid":"0x1","port":300}]}]}':
        r"found port, expected a number that it can be",
    '{"command":"check","ok":true,"faults":[]}': r"the check in it does not list what is present",
    '{"command":"check","ok":true,"faults":[],"present":7}': r"of its 0 hosts and switches, 0 are among the 14",
    '{"command":"check","ok":true,"faults":[],"present":{"hosts":[{"name":"a"}]}}': r"list of present nodes: found nothing, expected a GUID",
    '{"command":"check","ok":true,"faults":[],"present":{"switches":[%s],"cables":["0x0002c90300a00000[1] 0x7[1]"]}}' % ",".join(
        '{"guid":"0x0002c90300a000%02x"}' % (16 * i) for i in range(4)): r"list of cables: found 0x0002c90300a00000\[1\] 0x7\[1\], expected",
    '{"command":"check","ok":true,"faults":[{"kind":"host_gone","count":1}]}': r"found host_gone, expected a kind",
    '{"command":"check","ok":true,"faults":[{"kind":"missing","what":"x","count":99999999999}]}': r"found count, expected a number",
}


def wrong_baseline(folder):
    for text, expected in WRONG.items():
        with open(os.path.join(folder, "wrong.json"), "w", encoding="utf-8") as f:
            f.write(text)
        done = run([TREE, *UPDN, "-e", "check --baseline wrong.json"], folder)
        if done.returncode != 3 or not re.search("-e:1: wrong.json.*?" if "wrong" not in expected else "-e:1: ", done.stderr) or \
                not re.search(expected, done.stderr):
            return "%r: status %d, found %s, expected %s" % (text, done.returncode, done.stderr, expected)
    done = run([TREE, *UPDN, "-e", "check --baseline nowhere.json"], folder)
    return None if "nowhere.json: cannot be opened: No such file" in done.stderr else done.stderr


def links_exported(folder):
    """`export json` holds every link once, with both its ports, and what is down."""
    done = run(["--json", TREE, *UPDN, "-e", "fail link leaf-01[4]; show links; export json -"], folder)
    told = contract.objects(PROGRAM, done.stdout)
    links = json.loads(told[-1]["content"])["links"]
    if links != told[-2]["links"] or len(links) != 15 or [k["a"] for k in links if not k["up"]] != ["leaf-01[4]"]:
        return "found %s, expected %s" % (links, told[-2]["links"])
    known = {e["guid"] for e in json.loads(told[-1]["content"])["switches"]}
    return None if all(k["a_guid"] in known and k["a_port"] == 4 for k in links if not k["up"]) else str(links)


def job_array(folder):
    """The job script without Slurm: its tasks one after the other, merged, print what one run prints."""
    script, shares, what = os.path.join(ROOT, "tui", "ibscope-survey.slurm"), 3, "pairs 12 switches seed=2"
    env = dict(os.environ, IBSCOPE=PROGRAM, SLURM_ARRAY_TASK_COUNT=str(shares), SLURM_CPUS_PER_TASK="1",
               IBSCOPE_ETC=os.path.join(folder, "etc"), XDG_CONFIG_HOME=os.path.join(folder, "config"))
    args = ["sh", script, "found", TREE, "updn", what]
    done = subprocess.run(args, cwd=folder, env=env, capture_output=True, text=True, timeout=BOUND)
    if done.returncode != 2 or "usage: sbatch" not in done.stderr:
        return "without a task: status %d: %s" % (done.returncode, done.stderr)
    for task in (2, 3, 1, 2):    # one is started again
        done = subprocess.run(args, cwd=folder, env=dict(env, SLURM_ARRAY_TASK_ID=str(task)), capture_output=True,
                              text=True, timeout=BOUND)
        if done.returncode or done.stdout:
            return "task %d: status %d: %s" % (task, done.returncode, done.stdout + done.stderr)
    parts = sorted(os.listdir(os.path.join(folder, "found")))
    if parts != ["share-%d.json" % i for i in (1, 2, 3)]:
        return "found %s" % parts
    merge = "survey merge " + " ".join("found/" + p for p in parts)
    for flags in ([], ["--json"]):
        one = run([*flags, TREE, *UPDN, "-e", "survey " + what], folder).stdout
        all_of_it = run([*flags, "-e", merge], folder).stdout
        if flags:
            one, all_of_it = (contract.objects(PROGRAM, t)[-1] for t in (one, all_of_it))
            for key in ("schema", "program", "time", "read"):    # told in the first object alone
                all_of_it.pop(key, None)
            if one != all_of_it:
                return "merged: %s, one run: %s" % (all_of_it, one)
        elif not all_of_it or not one.endswith(all_of_it):
            return "merged:\n%s\none run:\n%s" % (all_of_it, one)
    bad = subprocess.run(["sh", script, "bad", "nowhere", "updn", what], cwd=folder, capture_output=True, text=True,
                         env=dict(env, SLURM_ARRAY_TASK_ID="1"), timeout=BOUND)
    if bad.returncode != 1 or os.listdir(os.path.join(folder, "bad")) != ["share-1.err"]:
        return "a fabric that is not there: status %d, %s" % (bad.returncode, os.listdir(os.path.join(folder, "bad")))
    missing = run(["-e", "survey merge found/share-1.json found/share-3.json"], folder)
    if "missing: 1 share of 3 (2)" not in missing.stderr or ".err" in missing.stderr:
        return missing.stderr
    # a task that fails is told with what it said; what a killed one left is gone, and a message with its cause
    os.remove(os.path.join(folder, "found/share-2.json"))
    for left in ("share-2.json.4711", "share-2.err.4711"):
        open(os.path.join(folder, "found", left), "w", encoding="ascii").close()
    for fabric, status, there in (("nowhere", 1, "share-2.err"), (TREE, 0, "share-2.json")):
        again = subprocess.run(["sh", script, "found", fabric, "updn", what], cwd=folder, capture_output=True, text=True,
                               env=dict(env, SLURM_ARRAY_TASK_ID="2"), timeout=BOUND)
        parts = sorted(os.listdir(os.path.join(folder, "found")))
        if again.returncode != status or parts != sorted(["share-1.json", there, "share-3.json"]):
            return "%s: status %d, %s" % (fabric, again.returncode, parts)
        told = run(["-e", "survey merge found/share-1.json found/share-3.json"], folder).stderr
        if ("nowhere" in told and "found/share-2.err: " in told) != (status == 1):
            return told
    return None


def standard_input(folder):
    """What `save -` writes is read back through "-", in another process."""
    saved = run([TREE, "-e", "save -"], folder)
    again = run(["-", *UPDN, "-e", "check"], folder, saved.stdout)
    if again.returncode or "Sound:" not in again.stdout:
        return "status %d: %s%s" % (again.returncode, again.stdout, again.stderr)
    return None


def one_by_one(folder):
    """What a line of standard input prints is there before the next line is given."""
    for json_too in (["--json"], []):
        p = subprocess.Popen([PROGRAM, *json_too, "ring:4", "-x", "-"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
        clock = threading.Timer(BOUND, p.kill)
        clock.start()
        try:
            for word in ("first", "second"):
                p.stdin.write("echo %s\n" % word)
                p.stdin.flush()
                told = next((line for line in p.stdout if word in line), None)
                if not told:
                    return "no answer to \"echo %s\" before the input ends" % word
        finally:
            clock.cancel()
            p.kill()
            p.communicate()
    return None


def full_disk(folder):
    """Output that cannot be written is a failure."""
    requests = json.dumps({"line": "show switches"}) + "\n"
    for args, text in (([TREE, "-e", "show switches"], ""), (["--version"], ""), (["--help"], ""), (["--man"], ""), (["--man", "json"], ""),
                       (["--completion"], ""), (["--complete", "ibscope -e fa", "fa"], ""), (["--serve"], ""), (["--serve", TREE], requests),
                       (["--serve"], 40 * requests)):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, *args], cwd=folder, input=text, stdout=full, stderr=subprocess.PIPE, text=True, timeout=BOUND)
        if done.returncode != 3 or "cannot write standard output" not in done.stderr:
            return "%s: status %d: %s" % (args, done.returncode, done.stderr)
    return None


# A word that cannot be one of those expected is 2, a number or size above the most a limit: 3, as is a name that none has.
STATUSES = {2: ["list nosuchpane", "list switches sort nosuch", "list switches columns nosuch", "counters node0001", "event \"route updn\"",
                "fail link leaf-03", "speed leaf-01[1] 9xFOO", "step; step to abc", "add switch x abc", "compare nosuch", "set lmc x", "set lmc 8", "export nosuch F",
                "synth ring:1", "synth ring:x", "synth nosuch:4", "survey links threads=0", "survey links shard 0/4", "survey links shard x", "help nosuchthing", "cdg 99", "load-map nosuch",
                "fail host n[1-", "survey file PLAN gate lost=+1", "survey file PLAN gate lost=+1%", "add switch x 0", "fail random x"],
            3: ["synth ring:50000", "synth ring:99999999999999999999", "survey links threads=257", "survey pairs 99999999999 links", "watch 99999999", "fail host n[1-70000]", "survey links shard 1/100001",
                "synth ring:4,hosts=70000", "add switch x 255", "counters nosuch[1]", "fail link nosuch[1]", "lft nosuch", "fail random 1000",
                "route ftree,no_fallback; set lmc 1", "route ftree,no_fallback; config lmc.conf"]}


def statuses(folder):
    """One rule, in text and in JSON."""
    for status, lines in STATUSES.items():
        for line in lines:
            for json_too in ([], ["--json"]):
                done = run([*json_too, "-R", "minhop", "xgft:4,4:1,2", "-e", line], folder)
                if done.returncode != status:
                    return "%s %s: status %d, expected %d: %s" % (json_too, line, done.returncode, status, done.stderr)
    return None


MAP_12 = "1,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0"     # as the real OpenSM 3.3.23 writes it into opensm-sl2vl.dump
MAP_JUNK = "0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0"
# (options and commands, status, what must be printed, what must not be)
TOLD = [
    (["-F", "foo.conf", "xgft:4,4:1,2", "-e", "check"], 0, 'No engine of "foo" is known: minhop, as OpenSM does', None),
    (["-F", "foodor.conf", "xgft:4,4:1,2", "-e", "export json -"], 0, '"engine": "dor"|"engine":"dor"', None),
    (["xgft:4,4:1,2", "-e", "set partition_config_file nofile"], 0, "partition_config_file: nofile: No such file", None),
    (["xgft:4,4:1,2", "-e", "set qos_policy_file nofile"], 0, "qos_policy_file: nofile: No such file", None),
    (["xgft:4,4:1,2", "-e", "set partition_config_file partitions.conf"], 0, "", "No such file"),
    (["xgft:4,4:1,2", "-e", "set qos_sl2vl 1,2"], 0, re.escape('found "1,2", expected 16 numbers from 0 to 15: OpenSM takes it as ' + MAP_12) + "$", None),
    (["xgft:4,4:1,2", "-e", "set qos_swe_sl2vl 0,1,junk"], 0, re.escape(MAP_JUNK) + "$", None),
    (["xgft:4,4:1,2", "-e", "config odd.conf"], 0, re.escape(MAP_12) + "$", None),
    (["xgft:4,4:1,2", "-e", "set qos_sl2vl " + ",".join(map(str, range(16)))], 0, "", "expected 16"),
    (["demo", "-e", "lesson ./ask.lesson check"], 3, r"ask\.lesson:3: .*ask needs an answer", None),
    (["demo", "-e", "lesson ./says.lesson check; echo behind"], 1, "(?s)1 fault: what a lesson says.*^behind$", None),
    (["demo", "-x", "nulbyte.ibs"], 3, "nulbyte.ibs:1: found a NUL byte as character 6, expected text .take such bytes out: tr -d", None),
    (["demo", "-e", "help engines"], 0, "^minhop, engine: fewest hops", "unknown"),
    (["demo", "-e", "help topics"], 0, "^lid, topic: ", "unknown"),
    (["demo", "-e", "help commands"], 0, "(?s)^load, command: .*^pane, command", "unknown"),
    (["demo", "-e", "help lessons"], 0, "^table, lesson: What a table is", "unknown"),
    (["-R", "minhop", "xgft:4,4:1,2", "-e", "jobs named.jobs of second"], 0, "(?m)^ .* 8$", "no job"),
    (["-R", "minhop", "xgft:4,4:1,2", "-e", "jobs named.jobs of 8"], 0, "(?m)^ .* 8$", "no job"),
    (["-R", "minhop", "xgft:4,4:1,2", "-e", "jobs named.jobs of twice"], 3, 'jobs 9 and 10 are named "twice"; give a number', None),
]


def told(folder):
    """What was silent, or told elsewhere than it is read."""
    for args, status, there, absent in TOLD:
        done = run(args, folder)
        text = done.stdout + done.stderr
        if done.returncode != status or not re.search(there, text, re.M) or (absent and absent in text):
            return "%s: status %d: %s" % (args, done.returncode, text[-1500:])
    return None


def ascii_everywhere(folder):
    """Where the locale or TERM has no UTF-8, bars and arrows are ASCII, as in the explorer; what is written into documents stays."""
    lines = ["list plot loads", "check", "trace node0001 node0016", "show", "transition", "list switches", "help"]
    for line in lines:
        for env in ({"LC_ALL": "C"}, {"LC_ALL": "", "LC_CTYPE": "C"}, {"TERM": "vt100"}):
            done = subprocess.run([PROGRAM, "-R", "updn", "xgft:4,4:1,2", "-e", "fail link leaf-01[5]", "-e", line], cwd=folder, timeout=BOUND,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(os.environ, **env), check=False)
            if not done.stdout.isascii():
                return "%s %s: %r" % (env, line, done.stdout[-600:])
    drawn = [subprocess.run([PROGRAM, "-R", "updn", "xgft:4,4:1,2", "-e", "export svg - path node0001 node0016"], cwd=folder, timeout=BOUND,
                            stdout=subprocess.PIPE, env=dict(os.environ, LC_ALL=locale), check=True).stdout for locale in ("C", "C.UTF-8")]
    return None if drawn[0] == drawn[1] else "export svg -: %r" % drawn[0][-600:]


def main():
    folder = tempfile.mkdtemp(prefix="ibscope-cli-")
    tests = [(c.name, lambda c=c: run_case(c, folder)) for c in CASES]
    tests += [("fabric from standard input", lambda: standard_input(folder)),
              ("embedded", lambda: embedded(folder)), ("documents", lambda: documents(folder)), ("baseline", lambda: baseline(folder)), ("wrong baseline", lambda: wrong_baseline(folder)),
              ("one dump", lambda: one_dump(folder)), ("last seen", lambda: last_seen(folder)), ("incomplete tables", lambda: incomplete_tables(folder)),
              ("job array", lambda: job_array(folder)), ("links exported", lambda: links_exported(folder)),
              ("one by one", lambda: one_by_one(folder)), ("cut off", lambda: cut_off(folder)), ("full disk", lambda: full_disk(folder)),
              ("statuses", lambda: statuses(folder)), ("told", lambda: told(folder)), ("ascii everywhere", lambda: ascii_everywhere(folder))]
    tests += [("all-clear words", lambda: clears.no_word_forgotten(ROOT))]
    tests += [("all-clear %d: %s" % (i, r.words), lambda r=r: clears.try_row(r, folder, run, lambda text: contract.objects(PROGRAM, text)))
              for i, r in enumerate(clears.ROWS)]
    tests += [(name, lambda test=test: test(folder, run)) for name, test in judged.TESTS]
    if len(sys.argv) > 1:
        tests = [t for t in tests if any(fnmatch.fnmatch(t[0], p) for p in sys.argv[1:])]
    bad = 0
    try:
        for name, text in FILES.items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as f:
                f.write(text)
        clears.make_files(folder, run)
        judged.make_files(folder, run)
        for name, test in tests:
            try:
                why = test()
            except (OSError, subprocess.SubprocessError, KeyError, ValueError) as e:
                why = repr(e)
            bad += why is not None
            if why:
                print("FAIL cli/%s: %s" % (name, why), flush=True)
    finally:
        shutil.rmtree(folder)
    print("%d passed, %d failed" % (len(tests) - bad, bad))
    return 1 if bad or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
