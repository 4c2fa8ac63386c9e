#!/usr/bin/env python3
"""A switch or a host that lies: every field of NodeInfo, PortInfo and SwitchInfo at its extremes, one after another.

usage: lying.py IBSCOPE LIE

IBSCOPE is the program under ASan and UBSan, LIE tests/live/lie.c, built.  What comes must be an error, an incomplete
fabric, an error that `doctor` tells and does not tell of the truthful fabric, or a fabric without nonsense: what that
is for each field stands below (must_tell, plausible).  A field that matters to nothing gives the same fabric, byte by
byte.  SEED=N (printed) draws the same values again; LONG=1 tries all fields of all ports and more random values.
What is left unfreed is looked for in one case of four (that costs as much as the case), with LONG=1 in each.
Prints "N passed, N failed"; exit status 1 when something failed.
"""
import os, random, re, subprocess, sys, threading

import run as live

ASAN = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
LONG = os.environ.get("LONG") == "1"
SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 31))
NODE_INFO, SWITCH_INFO, PORT_INFO = 0x11, 0x12, 0x15

# name: first bit, bits (IBA 1.3: 14.2.5.3, 14.2.5.4, 14.2.5.6)
FIELDS = {
    NODE_INFO: {
        "BaseVersion": (0, 8), "ClassVersion": (8, 8), "NodeType": (16, 8), "NumPorts": (24, 8),
        "SystemImageGUID": (32, 64), "NodeGUID": (96, 64), "PortGUID": (160, 64), "PartitionCap": (224, 16),
        "DeviceID": (240, 16), "Revision": (256, 32), "LocalPortNum": (288, 8), "VendorID": (296, 24)},
    SWITCH_INFO: {
        "LinearFDBCap": (0, 16), "RandomFDBCap": (16, 16), "MulticastFDBCap": (32, 16), "LinearFDBTop": (48, 16),
        "DefaultPort": (64, 8), "DefaultMulticastPrimaryPort": (72, 8), "DefaultMulticastNotPrimaryPort": (80, 8),
        "LifeTimeValue": (88, 5), "PortStateChange": (93, 1), "OptimizedSLtoVLMapping": (94, 2), "LIDsPerPort": (96, 16),
        "PartitionEnforcementCap": (112, 16), "Enforcement": (128, 4), "EnhancedPort0": (132, 1), "Rest": (133, 11)},
    PORT_INFO: {
        "M_Key": (0, 64), "GidPrefix": (64, 64), "LID": (128, 16), "MasterSMLID": (144, 16), "CapabilityMask": (160, 32),
        "DiagCode": (192, 16), "M_KeyLeasePeriod": (208, 16), "LocalPortNum": (224, 8), "LinkWidthEnabled": (232, 8),
        "LinkWidthSupported": (240, 8), "LinkWidthActive": (248, 8), "LinkSpeedSupported": (256, 4), "PortState": (260, 4),
        "PortPhysicalState": (264, 4), "LinkDownDefaultState": (268, 4), "M_KeyProtectBits": (272, 2), "LMC": (277, 3),
        "LinkSpeedActive": (280, 4), "LinkSpeedEnabled": (284, 4), "NeighborMTU": (288, 4), "MasterSMSL": (292, 4),
        "VLCap": (296, 4), "InitType": (300, 4), "VLHighLimit": (304, 8), "VLArbitrationHighCap": (312, 8),
        "VLArbitrationLowCap": (320, 8), "InitTypeReply": (328, 4), "MTUCap": (332, 4), "VLStallCount": (336, 3),
        "HOQLife": (339, 5), "OperationalVLs": (344, 4), "Enforcement": (348, 4), "M_KeyViolations": (352, 16),
        "P_KeyViolations": (368, 16), "Q_KeyViolations": (384, 16), "GUIDCap": (400, 8), "SubnetTimeOut": (408, 8),
        "RespTimeValue": (416, 8), "ErrorThresholds": (424, 8), "MaxCreditHint": (432, 16), "LinkRoundTripLatency": (456, 24),
        "CapabilityMask2": (480, 16), "LinkSpeedExtActive": (496, 4), "LinkSpeedExtSupported": (500, 4),
        "LinkSpeedExtEnabled": (507, 5)}}
for fields in FIELDS.values():  # and of the reply's header, which is 64 bytes before the data
    fields.update(Status=(32 - 512, 15), AttributeID=(128 - 512, 16), AttributeModifier=(160 - 512, 32))
# those that may change a fabric called complete; all others may not
SHOWN = {NODE_INFO: {"NodeType", "NumPorts", "SystemImageGUID", "NodeGUID", "PortGUID", "DeviceID", "VendorID"},
         SWITCH_INFO: {"LinearFDBCap", "EnhancedPort0"},
         PORT_INFO: {"LID", "MasterSMLID", "CapabilityMask", "LinkWidthEnabled", "LinkWidthActive", "PortState",
                     "LMC", "LinkSpeedActive", "LinkSpeedEnabled", "OperationalVLs", "LinkSpeedExtActive", "LinkSpeedExtEnabled"}}
ATTRIBUTE = {NODE_INFO: "NodeInfo", SWITCH_INFO: "SwitchInfo", PORT_INFO: "PortInfo"}

LEAF, HOST = 0xabc0013, 0xa60  # of two-level.net: leaf3 with 8 ports, up are 1, 7 and 8; host6 with one
LEAF_LID, HOST_LID, HOST_LMC = 13, 124, 2
UP = {LEAF: (1, 7, 8), HOST: (1,)}
OTHERS = [0xabc0002, 0xabc0001, 0xabc0011, 0xa10, 0xa50]  # GUIDs of other nodes ...
PORTS = [0xabc0002, 0xabc0001, 0xabc0011, 0xa11, 0xa51]  # ... and of their ports


def endport(guid, port):
    return guid == HOST or port == 0


def must_tell(guid, attribute, port, field, v):
    """Nonsense: no device tells this, or not this one to that question.  It may not pass for a whole fabric."""
    switch = guid == LEAF
    header = {"Status": v & 0x7fff, "AttributeID": v != attribute, "AttributeModifier": v != max(port, 0)}
    if field in header:
        return bool(header[field])
    if attribute == NODE_INFO:
        return {"NodeType": v not in (1, 2, 3), "NumPorts": v != 8 if switch else v in (0, 255),
                "NodeGUID": v == 0 or v in OTHERS, "PortGUID": v == 0 or v in PORTS,
                "LocalPortNum": True if switch else v != 1}.get(field, False)
    if attribute == SWITCH_INFO:
        return field == "LinearFDBCap" and v == 0
    linked = port in UP[guid]
    return {"LID": endport(guid, port) and (v > 0xbfff or v % (4 if guid == HOST else 1) != 0),
            "LMC": endport(guid, port) and (v != 0 if switch else HOST_LID % (1 << min(v, 7)) != 0),
            "PortState": not (switch and port == 0) and (v > 4 or v == 0 or (linked and v == 1)),
            "OperationalVLs": v > 5, "LinkWidthActive": linked and v not in (1, 2, 4, 8, 16),
            "LocalPortNum": False}.get(field, False)


def plausible(got, truth, guid, attribute, field, v):
    """Nothing is wrong with a fabric that is called complete: what differs from the truth, or ""."""
    cables, nodes, lids = live.parse_topology(got)
    for g, (kind, ports, _, lid) in nodes.items():
        if kind not in ("Switch", "Ca", "Rt") or not 1 <= ports <= 254 or lid > 0xbfff or not g:
            return "node 0x%x: %s, %d ports, LID %d" % (g, kind, ports, lid)
    for at, (lid, lmc) in lids.items():
        if lid > 0xbfff or lmc > 7 or lid % (1 << lmc):
            return "%s: LID %d, LMC %d" % (at, lid, lmc)
    for at, (g, p, rate) in cables.items():
        if not re.fullmatch(r"(1|2|4|8|12)x(SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR|XDR)", rate) or cables.get((g, p), (0, 0))[:2] != at:
            return "%s: %s" % (at, (g, p, rate))
    if attribute == NODE_INFO and field == "NodeType" and guid == LEAF:
        return ""  # a switch that passes for a host of eight ports: nobody can know
    named = lambda g: v if field == "NodeGUID" and g == guid else g
    want = {(named(g), p): (named(h), q) for (g, p), (h, q, _) in truth[0].items()}
    return live.difference({at: to[:2] for at, to in cables.items()}, want)


class Liar(threading.Thread):
    """A simulator of its own, and the cases of a queue."""

    def __init__(self, number, ibscope, lie, cases):
        super().__init__()
        self.number, self.ibscope, self.lie, self.cases = number, ibscope, lie, cases
        self.sim = live.Sim(live.SMALL)
        self.told = {"error": 0, "incomplete": 0, "doctor": 0, "same": 0, "shown": 0}
        self.truth, self.errors = None, set()

    def discover(self, lies, leaks=True):
        """(kind of end, saved text, kinds of errors of doctor, output): what is made of a lying fabric."""
        path, log = (os.path.join(live.WORK, "%s.%d" % (n, self.number)) for n in ("saved", "lied"))
        for f in (path, log):
            if os.path.exists(f):
                os.unlink(f)
        lie = ";".join("%x %x %d %d %d %d" % rule for rule in lies)
        env = {"LD_PRELOAD": "%s %s %s" % (ASAN, self.lie, live.SIM_SO), "LIE_LOG": log}
        if lies and not leaks:
            env["ASAN_OPTIONS"] = os.environ["ASAN_OPTIONS"] + ":detect_leaks=0"
        for _ in range(50):
            r = self.sim.run(self.ibscope, "--json", "-e", "live; save %s; route minhop; doctor" % path,
                             **dict(env, LIE=lie) if lies else env)
            if "no answer from the" not in r.stdout:
                break   # else nothing came for ten seconds: no lie does that, this machine did something else
        said = "%s%s" % (r.stdout[-1500:], r.stderr[-2500:])
        if r.returncode not in (0, 1) or "Sanitizer" in r.stderr or "runtime error" in r.stderr:
            return "broken", "", set(), said
        if lies and not os.path.exists(log):
            return "not lied", "", set(), said
        told = live.contract.objects(self.ibscope, r.stdout)
        if not told or not told[0]["ok"]:
            return "error", "", set(), said
        found = {f["kind"] for o in told if o["command"] == "doctor" for f in o.get("findings", []) if f["severity"] == "error"}
        return ("complete" if told[0]["fabric"]["complete"] else "incomplete"), open(path).read(), found, said

    def judge(self, leaks, guid, attribute, port, field, v):
        bit, width = FIELDS[attribute][field]
        end, text, errors, said = self.discover([(guid, attribute, port, 512 + bit, width, v)], leaks)
        wrong = ""
        if end in ("broken", "not lied"):
            wrong = end
        elif end != "complete":
            self.told[end] += 1
            if field not in SHOWN[attribute] and not must_tell(guid, attribute, port, field, v) \
                    and not (field == "PortPhysicalState" and v != 5) and not (field == "LocalPortNum" and attribute == PORT_INFO):
                wrong = "a field that matters to nothing"
        elif errors - self.errors:
            self.told["doctor"] += 1
        elif must_tell(guid, attribute, port, field, v):
            wrong = "nonsense in a fabric that is called complete"
        elif field not in SHOWN[attribute] or text == self.truth[1]:
            self.told["same"] += 1
            wrong = "" if text == self.truth[1] else "another fabric"
        else:
            self.told["shown"] += 1
            wrong = plausible(text, self.truth[0], guid, attribute, field, v)
        live.check("0x%x, %s %s%s = %d" % (guid, ATTRIBUTE[attribute], field, "" if port < 0 else " of port %d" % port, v), not wrong,
                   "%s (%s)\n%s" % (wrong, end, said))

    def run(self):
        try:
            end, text, self.errors, said = self.discover([])
            live.check("without a lie", end == "complete" and text, "%s: %s" % (end, said))
            self.truth = live.parse_topology(text), text
            while end == "complete" and self.cases:
                self.judge(*self.cases.pop())
        except Exception as e:  # of a thread: else nobody would see it
            live.check("liar %d goes on" % self.number, False, repr(e))
        finally:
            self.sim.close()


def places(attribute):
    """(GUID, port) of those that may lie; port -1: it is no attribute of ports."""
    if attribute == PORT_INFO:
        return [(LEAF, 0), (LEAF, 1), (LEAF, 7), (HOST, 1)]
    return [(LEAF, -1)] + ([(HOST, -1)] if attribute == NODE_INFO else [])


def extremes(field, bits):
    most = (1 << bits) - 1
    values = {0, 1, most - 1, most}
    return values | ({4, 254} if field in ("NodeType", "NumPorts") else set()) | set({"NodeGUID": OTHERS, "PortGUID": PORTS}.get(field, []))


def cases(rng):
    """What is always tried, then a part of the rest (with LONG all), then values at random."""
    first, rest = [], []
    for attribute, fields in FIELDS.items():
        for guid, port in places(attribute):
            for field, (_, bits) in fields.items():
                for v in sorted(extremes(field, bits)):
                    case = (guid, attribute, port, field, v)
                    (first if must_tell(*case[:3], field, v) and field != "PortGUID" else rest).append(case)
    rng.shuffle(first)
    rng.shuffle(rest)
    drawn = []
    for _ in range(600 if LONG else 8):
        attribute = rng.choice(list(FIELDS))
        field, (_, bits) = rng.choice(list(FIELDS[attribute].items()))
        drawn.append((*[(g, attribute, p) for g, p in [rng.choice(places(attribute))]][0], field, rng.getrandbits(bits)))
    tried = (first + rest if LONG else first[:14] + rest[:8]) + drawn
    return [(LONG or i % 4 == 0, *case) for i, case in enumerate(tried)]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if not live.SIM_SO or not os.path.isabs(ASAN):
        sys.exit("lying tests: install ibsim-utils and gcc first")
    print("SEED=%d" % SEED)
    todo = cases(random.Random(SEED))
    liars = [Liar(i, os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), todo) for i in range(2)]
    for liar in liars:
        liar.start()
    for liar in liars:
        liar.join()
    told = {k: sum(liar.told[k] for liar in liars) for k in liars[0].told}
    print("  " + ", ".join("%d %s" % (n, k) for k, n in told.items()))
    live.check("every kind of end was seen", all(told[k] for k in ("incomplete", "same")), told)
    print("%d passed, %d failed" % tuple(live.counts))
    return 1 if live.counts[1] else 0


if __name__ == "__main__":
    sys.exit(main())
