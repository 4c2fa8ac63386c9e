"""What is compared: engines, options, fabrics, sequences of failures.

A new engine is one row of ENGINES.  Everything random comes from one seed.
"""
import os
import random

import torus
from fabric import Fabric, chain_fabric, edge_fabric, random_fabric, twin_fabric
from torus import File, Made

# --- fabrics -----------------------------------------------------------------------

SHUFFLES = ("", ",shuffle=1", ",shuffle=1,lids=1", ",shuffle=1,fail=3")
COMMON = ("", "", "", ",aggregation=1", ",esp0=1,shuffle=1", ",sm=host")


def spec(*shapes):
    """A family: one of some shapes (functions of a generator, or text) with random options of `synth`."""
    def make(rng, lmc):
        shape = rng.choice(shapes)
        text = shape(rng) if callable(shape) else shape
        text += rng.choice(SHUFFLES) + rng.choice(COMMON)
        names = {}
        for item in text.split(",")[1:]:
            if "=" in item:
                names[item.split("=")[0]] = item
        shape_only = ",".join(i for i in text.split(",") if "=" not in i)
        names["seed"] = "seed=%d" % rng.randrange(1, 10 ** 6)
        if "lids" in names:
            names["lmc"] = "lmc=%d" % lmc
        return "spec", ",".join([shape_only] + list(names.values()))
    return make


def nasty(rng, lmc):
    """A family: the generator of fabric.py, independent of the product's."""
    return "text", random_fabric(rng, lmc)


def chain(rng, lmc):
    """A family: chains of switches with few hosts, long enough for costs that OpenSM takes for too large."""
    return "text", chain_fabric(rng)


def far(rng, lmc):
    """A family: lines and rings longer than discovery reaches."""
    return "text", chain_fabric(rng, (62, 63, 64, 65, 70, 90, 125, 126, 127, 128, 135))


def twins(rng, lmc):
    """A family: LIDs that ports have twice, LMCs on switches."""
    return "text", twin_fabric(rng, lmc)


TREE = spec("xgft:4,4:1,2", "xgft:4,4:1,4,parallel=2", "xgft:2,3,3:1,2,2", "xgft:3,4,2:1,2,4", "xgft:6,6:2,3",
            lambda r: "xgft:%d,%d:1,%d,parallel=%d" % (r.randrange(1, 6), r.randrange(3, 9),
                                                       r.randrange(1, 6), r.randrange(1, 4)))
DIRECTOR = spec("director:2,4,3,8", "director:1,6,3,0", "director:2,4,2,6,parallel=2,uplinks=2")
GRID = spec("mesh:4x4", "torus:4x4", "torus:3x3x3", "mesh:3x4x2,hosts=2", "torus:5x4,parallel=2",
            "hypercube:4",
            lambda r: "%s:%dx%d" % (r.choice(("mesh", "torus")), r.randrange(2, 8), r.randrange(2, 7)))
RING = spec("ring:7,parallel=3", "ring:9,hosts=2", "ring:4")
CLIQUES = spec("hyperx:4x4", "hyperx:3x5,hosts=2", "dragonfly:4,2,2", "dragonfly:3,1,2,parallel=2")
# Trees whose leaves are at, below and above the share of hosts that makes them roots of Up/Down.
WIDE = spec("xgft:1,19:1,2", "xgft:1,20:1,2", "xgft:1,21:1,3", "xgft:2,24:1,2", "xgft:2,20:1,2", "xgft:2,19:1,3")
RANDOM = spec(lambda r: "random:%d,%d,hosts=%d,parallel=%d" % (r.randrange(4, 40), r.randrange(3, 7),
                                                            r.randrange(1, 4), r.choice((1, 1, 2))))
ANY = (TREE, TREE, DIRECTOR, GRID, RING, CLIQUES, RANDOM, nasty, nasty, nasty)

# --- options -----------------------------------------------------------------------


def order_file(rng, f):
    guids = f.endport_guids()
    lines = ["0x%016x" % g for g in rng.sample(guids, rng.randrange(len(guids) + 1))]
    lines += rng.sample(lines, len(lines) // 5)
    lines.insert(rng.randrange(len(lines) + 1), "0x00000000deadbeef # nobody")
    return File(["# order"] + lines)


def weights_file(rng, f):
    top = rng.choice((2, 5, 60, 255))
    lines = []
    for s in f.switches:
        for port in s.peer:
            if rng.random() < 0.3:
                lines.append("%s %d %d" % (s, port, rng.randrange(1, top + 1)))
    lines += ["0x00000000deadbeef 1 3"]
    if f.switches:
        s = rng.choice(f.switches)
        lines += ["%s %d 2" % (s, s.nports + 1), "%s 1 0" % s, "%s 1 256" % s, "%s 0x1 %d" % (s, top)]
    rng.shuffle(lines)
    return File(lines)


def search_file(rng, f):
    lines = []
    for s in f.switches:
        if rng.random() < 0.7:
            ports = rng.sample(range(1, s.nports + 1), rng.randrange(1, s.nports + 1))
            if rng.random() < 0.1:
                ports.append(rng.choice(ports + [s.nports + 1]))
            text = "%s %s" % (s, " ".join(map(str, ports)))
            if len(text) < 250:
                lines.append(text)
    return File(lines)


def ignore_file(rng, f):
    lines = ["%s %d" % (s, port) for s in f.switches for port in s.peer if rng.random() < 0.25]
    return File(lines + ["0x00000000deadbeef 1"])


def number_text(rng, n):
    """A GUID as people write it; most of these are read, some mean another number, some are invalid."""
    forms = ["0x%016x" % n, "0x%x" % n, "0X%X" % n, "%d" % n, "0%o" % n, "-%d" % (2 ** 64 - n), "  0x%x" % n]
    return rng.choice(forms[:2] if rng.random() < 0.7 else forms)


def root_file(rng, f):
    lines = [number_text(rng, s.guid) for s in rng.sample(f.switches, rng.randrange(len(f.switches) + 1))]
    lines += rng.sample(lines, len(lines) // 4)
    if rng.random() < 0.4:
        lines += [str(h) for h in rng.sample(f.hosts, min(len(f.hosts), 2))] + ["0x%016x" % g for g in
                                                                               f.endport_guids()[:2]]
    lines = [line + rng.choice(("", "", " # a root", "\t7", "\r", "# glued")) for line in lines]
    extra = ["# roots", "", "0x00000000deadbeef", "0x5 " + "x" * 300, "  # " + "y" * 300]
    if rng.random() < 0.25:
        extra += rng.sample(["spine", "0x12,0x13", "0002c9000000a000x", "0x"], 1)
    for line in rng.sample(extra, rng.randrange(len(extra) + 1)):
        lines.insert(rng.randrange(len(lines) + 1), line)
    return File(lines)


def one_root_file(rng, f):
    return File(["%s" % rng.choice(f.switches)])


def ids_file(rng, f):
    top = rng.choice((2, 10, 2 ** 32, 2 ** 64))
    lines = ["%s %s" % (s, rng.choice(("%d", "0x%x", "%d # id", "-%d")) % rng.randrange(top))
             for s in f.switches if rng.random() < 0.8]
    lines += ["0x00000000deadbeef 5"] + ["%s" % s for s in f.switches[:1]]
    rng.shuffle(lines)
    if rng.random() < 0.2:
        invalid = "%s %s" % (rng.choice(f.switches), rng.choice(("5#x", "# no", "x")))
        lines.insert(rng.randrange(len(lines) + 1), invalid)
    return File(lines)


def guid2lid_file(rng, f):
    """Some ports' LIDs of an earlier run, ranges of any width; OpenSM drops those that do not suit the LMC."""
    guids = rng.sample(f.endport_guids(), rng.randrange(len(f.endport_guids()) + 1)) + [0xdeadbeef]
    starts = rng.sample(range(8, 8 * (len(guids) + 20), 8), len(guids))
    lines = ["0x%016x 0x%04x 0x%04x\n" % (g, lid, lid + rng.choice((0, 0, 1, 3, 7))) for g, lid in zip(guids, starts)]
    return File(lines)


# Options of the common part: (name, how often, value of (rng, fabric)).
COMMON_OPTIONS = (
    ("port_shifting", 0.25, lambda r, f: "TRUE"),
    ("scatter_ports", 0.25, lambda r, f: r.choice((1, 7, 12345, 4294967295, r.randrange(1, 2 ** 32)))),
    ("guid_routing_order_file", 0.2, order_file),
    ("guid_routing_order_no_scatter", 0.15, lambda r, f: "TRUE"),
    ("hop_weights_file", 0.2, weights_file),
    ("port_search_ordering_file", 0.2, search_file),
    ("port_prof_ignore_file", 0.2, ignore_file),
    ("port_profile_switch_nodes", 0.2, lambda r, f: "TRUE"),
    ("lmc_esp0", 0.2, lambda r, f: "TRUE"),
    ("reassign_lids", 0.1, lambda r, f: "TRUE"),
    ("guid2lid_file", 0.1, guid2lid_file),
    ("honor_guid2lid_file", 0.1, lambda r, f: "TRUE"),
)



def sl2vl_text(rng, f):
    """A list of VLs, mostly a sensible one, now and then what nobody should write."""
    vls = [rng.randrange(rng.choice((2, 4, 8, 16))) for _ in range(16)]
    if rng.random() < 0.7:
        return ",".join(map(str, vls))
    vls += rng.sample((-1, 16, 99, 255, 300), 2)
    words = [rng.choice(("%d", "0x%x", "%d")) % v if v >= 0 else str(v) for v in rng.sample(vls, rng.randrange(1, 18))]
    return rng.choice((",", ",", " ", ";")).join(words) + rng.choice(("", "", ",", ",x,3"))


# Quality of service: what is drawn for any engine; with it SL-to-VL maps are compared as well.
QOS_OPTIONS = (
    ("qos_sl2vl", 0.6, sl2vl_text), ("qos_ca_sl2vl", 0.3, sl2vl_text), ("qos_swe_sl2vl", 0.3, sl2vl_text),
    ("qos_sw0_sl2vl", 0.2, sl2vl_text), ("qos_rtr_sl2vl", 0.2, sl2vl_text),
    ("qos_max_vls", 0.2, lambda r, f: r.randrange(1, 16)), ("max_op_vls", 0.4, lambda r, f: r.randrange(6)),
)


def draw_qos(rng):
    return dict([("qos", "TRUE")] + [(name, value) for name, chance, value in QOS_OPTIONS if rng.random() < chance])


BROKEN_TABLE = ("0x1z 1", "0x3", "0x3 300", "0x4 a", "Unicast lids of switch", "0x5 99 # too high", "0x6 255")
BROKEN_ROW = ("0x1z: 01 02", "0x2: 01 zz", "Switch 1")
ODD_LINES = ("# comment", "", "12 valid lids dumped", "Multicast mlids [0xc000-0xc3ff] of switch", "  # 0x1 1", "1 2")


def table_info(rng, guid):
    text = rng.choice((" : (Switch portguid 0x%016x: 'sw')", " # Channel Adapter portguid 0x%016x: 'host'",
                       " # Switch portguid 0x%x: 'sw'", " : (path #2 out of 2: portguid 0x%016x)", " ",
                       " : (unknown node and type)", " # portguid 0xdeadbeef%02x: 'gone'"))
    return text % (guid if "dead" not in text else guid & 0xFF) if "%" in text else text


def tables_file(rng, f):
    """Forwarding tables of no particular sense, in the notations of opensm-lfts.dump, dump_fts and ibroute."""
    lines, guids = [], f.endport_guids()
    for s in rng.sample(f.switches, max(1, len(f.switches) - rng.randrange(3))):
        head = rng.choice(("Unicast lids [0-40] of switch Lid 7 guid 0x%016x ('name'):",
                           "Unicast lids [0x0-0x40] of switch DR path slid 0; dlid 0; 0,3 guid 0x%x (leaf):"))
        lines.append(head % s.guid)
        for i, guid in enumerate(rng.sample(guids, len(guids))):
            lines.append("0x%04x %03d%s" % (i + 1, rng.randrange(s.nports + 1), table_info(rng, guid)))
        lines.append("%d lids dumped" % len(guids))
    for _ in range(rng.randrange(4)):
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(ODD_LINES))
    if rng.random() < 0.3:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(BROKEN_TABLE))
    return File(lines)


def matrix_file(rng, f):
    """Hop counts of no particular sense for LIDs that may be those of switches."""
    lines, top = [], rng.choice((2, 4, 255))
    for s in f.switches:
        lines.append("Switch: guid 0x%016x" % s.guid)
        for lid in range(1, len(f.endport_guids()) + 1):
            n = s.nports + rng.choice((0, 0, 2))
            hops = [255] + [rng.choice((rng.randrange(1, top + 1), 255)) for _ in range(n)]
            text = "0x%04x: %s # portguid 0x%016x" % (lid, " ".join("%02x" % h for h in hops), s.guid)
            if len(text) < 1000 and rng.random() < 0.9:
                lines.append(text)
    if rng.random() < 0.3:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(BROKEN_ROW))
    return File(lines)


def matrix_part(rng, f):
    """The same with most rows missing: in `updn,file` those of the matrix stay in which updn looked for roots."""
    keep = rng.choice((0, 0.1, 0.5))
    return File(["# nothing"] + [line for line in matrix_file(rng, f).lines if line.startswith("Switch") or rng.random() < keep])


CONNECT = (("connect_roots", 0.35, lambda r, f: "TRUE"),)
UPDN_OPTIONS = (("root_guid_file", 0.7, root_file), ("ids_guid_file", 0.4, ids_file)) + CONNECT + COMMON_OPTIONS
ONE_ROOT = (("root_guid_file", 1.0, one_root_file), ("ids_guid_file", 0.3, ids_file)) + CONNECT
FILES = (("lfts_file", 0.6, tables_file), ("lid_matrix_dump_file", 0.4, matrix_file),
         ("port_profile_switch_nodes", 0.3, lambda r, f: "TRUE"), ("hop_weights_file", 0.3, weights_file))
# Sweeps served by the cache: its decision shows in the tables that stay.
CACHE = (("use_ucast_cache", 1.0, lambda r, f: "TRUE"),)

# --- fat trees ---------------------------------------------------------------------


def tree_levels(f):
    """Switches with hosts like a leaf's, and the switches farthest from them."""
    hosts = {s: sum(not p.is_switch for p, _ in s.peer.values()) for s in f.switches}
    most = max(hosts.values(), default=0)
    leaves = [s for s in f.switches if hosts[s] and 2 * hosts[s] > most]
    far, level, top = set(leaves), leaves, leaves
    while level:
        top = level
        peers = dict.fromkeys(p for s in level for p, _ in s.peer.values())
        level = [p for p in peers if p.is_switch and p not in far]
        far.update(level)
    return set(leaves), top


def roots_file(rng, f):
    roots = tree_levels(f)[1]
    lines = ["0x%016x" % s.guid for s in rng.sample(roots, len(roots))]
    if rng.random() < 0.1:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(("rubbish", "0x00000000deadbeef")))
    return File(lines)


def leaf_ports(f, leaves):
    """Port GUIDs of CAs on leaves, and of the others."""
    here, there = [], []
    for n in f.nodes:
        if n.kind == "Ca":
            for p, (s, _) in sorted(n.peer.items()):
                (here if s in leaves else there).append(n.port_guid(p))
    return here, there


def cn_file(rng, f):
    here, _ = leaf_ports(f, tree_levels(f)[0])
    return File(["0x%016x" % g for g in here if rng.random() < 0.9] or ["0x1"])


def io_file(rng, f):
    here, there = leaf_ports(f, tree_levels(f)[0])
    some = there + [g for g in here if rng.random() < 0.1]
    return File(["# storage"] + ["0x%016x" % g for g in some])


PURE_TREES = spec("xgft:4,4:1,2", "xgft:3,6:1,3,parallel=2", "xgft:3,3,4:1,2,2", "xgft:2,4,4:1,4,2",
                  "xgft:2,2,2,3:1,2,1,2", "xgft:3,4,3:2,2,2", "xgft:4,4,3:1,2,3,parallel=2", "director:2,4,3,8",
                  "director:2,4,2,6,uplinks=2",
                  lambda r: "xgft:%d,%d,%d:1,%d,%d" % tuple(r.randrange(1, 4) for _ in range(5)))
IO_TREES = spec("xgft:4,6:1,3,hosts_on=all", "xgft:3,4:1,2,hosts_on=all,hosts=2,parallel=2",
                "xgft:4,5:1,3,aggregation=1",
                lambda r: "xgft:%d,%d:1,%d,parallel=%d" % (r.randrange(1, 6), r.randrange(2, 9),
                                                           r.randrange(1, 6), r.randrange(1, 4)))


def FTREES(rng, lmc):
    """
    No CAs on middle switches: these fall below the leaves when they lose all
    cables up, and then OpenSM's own result differs from run to run.
    """
    if rng.random() < 0.4:
        return IO_TREES(rng, lmc)
    kind, text = PURE_TREES(rng, lmc)
    return kind, text.replace(",aggregation=1", "")


FTREE_OPTIONS = (
    ("root_guid_file", 0.7, roots_file),
    ("cn_guid_file", 0.4, cn_file),
    ("io_guid_file", 0.4, io_file),
    ("max_reverse_hops", 0.5, lambda r, f: r.randrange(4)),
    ("quasi_ftree_indexing", 0.3, lambda r, f: "TRUE"),
    ("connect_roots", 0.3, lambda r, f: "TRUE"),
    ("port_shifting", 0.1, lambda r, f: "TRUE"),
)

# --- engines -----------------------------------------------------------------------


class Engine:
    """
    chain: as opensm.conf and `route` take it; families: where its fabrics come
    from; options: rows as in COMMON_OPTIONS; lmc: values to draw from;
    compare: "lfts" (byte for byte), "engine" (who really routed), "paths"
    (SL of every pair of CA and router LIDs as the SA answers, after each sweep);
    needs: options that every random case has; most_down: as in draw_steps(); steps: those of
    random cases, None: drawn.
    """

    def __init__(self, chain, families=ANY, options=COMMON_OPTIONS, lmc=(0, 0, 1, 2, 3),
                 compare=("lfts", "engine"), needs=(), most_down=None, steps=None):
        self.chain, self.families, self.options = chain, families, options
        self.lmc, self.compare, self.needs = lmc, compare, needs
        self.most_down, self.steps = most_down, steps


LASH_GRID = spec("torus:4x4", "torus:5x5", "torus:6x5", "torus:5x4,parallel=2", "mesh:4x3x2", "hypercube:4", "mesh:9",
                 "hypercube:3,parallel=3", "torus:3x3x3", "torus:3x3x2x2",
                 lambda r: "%s:%dx%d" % (r.choice(("mesh", "torus")), r.randrange(2, 8), r.randrange(2, 7)))
# On degraded grids OpenSM's mesh analysis may never end; ibscope says when, and then they are not compared.
LASH_OPTIONS = (
    ("do_mesh_analysis", 0.4, lambda r, f: "TRUE"),
    ("scatter_ports", 0.25, lambda r, f: r.randrange(1, 2 ** 32)),
    ("lash_start_vl", 0.25, lambda r, f: r.randrange(4)),
    ("lmc_esp0", 0.1, lambda r, f: "TRUE"),
    ("reassign_lids", 0.1, lambda r, f: "TRUE"),
)

# Grids on which Nue's search meets impasses: backtracking, shortcuts, escape paths.
NUE_GRID = spec("torus:4x4x3", "torus:4x4x4", "torus:5x5,parallel=2", "torus:4x4x3,parallel=2", "torus:6x6",
                "hypercube:4,parallel=2", "torus:4x3x3,hosts=2")
# No lmc_esp0: with lmc > 0 it crashes OpenSM, which ibscope says.
NUE_OPTIONS = (
    ("nue_max_num_vls", 0.7, lambda r, f: r.choice((0, 0, 1, 2, 2, 3, 4, 5, 8, 12, 255))),
    ("qos", 0.7, lambda r, f: "TRUE"),
    ("nue_include_switches", 0.4, lambda r, f: "TRUE"),
    ("max_op_vls", 0.2, lambda r, f: r.randrange(1, 6)),
    ("avoid_throttled_links", 0.1, lambda r, f: "TRUE"),
    ("reassign_lids", 0.1, lambda r, f: "TRUE"),
)
TORUS_OPTIONS = (
    ("max_op_vls", 0.2, lambda r, f: r.randrange(1, 6)),
    ("lmc_esp0", 0.2, lambda r, f: "TRUE"),
    ("reassign_lids", 0.1, lambda r, f: "TRUE"),
)
TORUS_MADE = (("qos", lambda r, f: "TRUE"), ("torus_config", lambda r, f: Made("torus-conf")))
TORUS_NEEDS = (
    ("qos", lambda r, f: "TRUE" if r.random() < 0.98 else "FALSE"),
    ("torus_config", torus.conf_file),
)


def some_ports_file(rng, f):
    """Some of all CA ports, router ports and switches; now and then nothing, or something that is no GUID."""
    guids = f.endport_guids()
    lines = ["0x%016x" % g for g in rng.sample(guids, rng.randrange(len(guids) + 1))]
    lines += rng.sample(lines, len(lines) // 5) + ["# ports", "0x00000000deadbeef # nobody"]
    rng.shuffle(lines)
    draw = rng.random()
    if draw < 0.05:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(("rubbish", "0x12,0x13")))
    return File(["# none"] if draw > 0.95 else lines)


# Few VLs, from the second sweep on, make dfsssp refuse; what it leaves shows in the tables of the next engine.
DFSSSP_OPTIONS = (
    ("cn_guid_file", 0.3, some_ports_file),
    ("io_guid_file", 0.3, some_ports_file),
    ("max_op_vls", 0.2, lambda r, f: r.randrange(1, 6)),
    ("lmc_esp0", 0.15, lambda r, f: "TRUE"),
    ("reassign_lids", 0.1, lambda r, f: "TRUE"),
    ("avoid_throttled_links", 0.1, lambda r, f: "TRUE"),
    ("use_ucast_cache", 0.1, lambda r, f: "TRUE"),
)
DFSSSP_LEFT = (
    ("max_op_vls", 0.8, lambda r, f: r.randrange(1, 4)),
    ("port_profile_switch_nodes", 0.3, lambda r, f: "TRUE"),
    ("port_prof_ignore_file", 0.4, ignore_file),
    ("hop_weights_file", 0.4, weights_file),
    ("port_shifting", 0.2, lambda r, f: "TRUE"),
    ("scatter_ports", 0.2, lambda r, f: r.randrange(1, 2 ** 32)),
    ("cn_guid_file", 0.2, some_ports_file),
)
LOOPY = (GRID, GRID, RING, CLIQUES, RANDOM, nasty, spec("torus:4x4x4", "torus:4x4x3,fail=6", "torus:5x4x3"))

ENGINES = {
    "minhop": Engine("minhop"),
    "updn": Engine("updn", options=UPDN_OPTIONS),
    "updn-root": Engine("updn", options=ONE_ROOT),
    "updn-tree": Engine("updn", families=(TREE, WIDE, DIRECTOR), options=CONNECT),
    "dnup-chain": Engine("dnup", families=(chain,), options=CONNECT, lmc=(0, 1)),
    "minhop-chain": Engine("minhop", families=(chain,), lmc=(0, 0, 1)),
    "minhop-far": Engine("minhop", families=(far,), lmc=(0, 0, 1), steps=[]),
    "minhop-twins": Engine("minhop", families=(twins,), lmc=(1, 1, 2, 3)),
    "dor-twins": Engine("dor", families=(twins,), lmc=(1, 2)),
    "dnup": Engine("dnup", options=CONNECT + COMMON_OPTIONS),
    "updn-dnup": Engine("updn,dnup", options=CONNECT),
    "dor": Engine("dor", families=(GRID, GRID, RING, CLIQUES, RANDOM, nasty)),
    "file": Engine("file", options=FILES),
    "updn-file": Engine("updn,file", families=(GRID, RING, RANDOM, nasty), options=(("lid_matrix_dump_file", 1.0, matrix_part),)),
    "file-dor": Engine("file,dor", families=(GRID, RING, CLIQUES, nasty), options=FILES),
    "minhop-cache": Engine("minhop", options=CACHE, lmc=(0, 0, 1)),
    "updn-cache": Engine("updn", families=(TREE, TREE, TREE, DIRECTOR, nasty), options=CACHE, lmc=(0, 0, 1)),
    "ftree": Engine("ftree", families=(FTREES,), options=FTREE_OPTIONS, lmc=(0, 0, 0, 0, 0, 0, 1)),
    "minhop-sl": Engine("minhop", compare=("lfts", "engine", "paths"), lmc=(0, 1)),
    "lash": Engine("lash", families=(LASH_GRID, LASH_GRID, RING, CLIQUES, TREE, DIRECTOR, RANDOM, nasty),
                   options=LASH_OPTIONS, lmc=(0, 0, 0, 1, 2), compare=("lfts", "engine", "paths")),
    "nue": Engine("nue", families=(LASH_GRID, RING, CLIQUES, TREE, DIRECTOR, RANDOM, NUE_GRID, nasty),
                  options=NUE_OPTIONS, lmc=(0, 0, 0, 1, 2), compare=("lfts", "engine", "paths")),
    "sssp": Engine("sssp", options=DFSSSP_OPTIONS, lmc=(0, 0, 1, 2)),
    "dfsssp": Engine("dfsssp", options=DFSSSP_OPTIONS, lmc=(0, 0, 0, 1, 2), compare=("lfts", "engine", "paths")),
    "dfsssp-minhop": Engine("dfsssp", families=LOOPY, options=DFSSSP_LEFT, lmc=(0, 0, 0, 1, 2)),
    "dfsssp-dor": Engine("dfsssp,lash,dfsssp,dor", families=LOOPY, options=DFSSSP_LEFT, lmc=(0, 0, 1)),
    "dfsssp-updn": Engine("file,dfsssp,updn", families=LOOPY, options=DFSSSP_LEFT + FILES[:2], lmc=(0, 0, 1)),
    "sssp-chain": Engine("dfsssp,sssp", families=(chain,), options=(), lmc=(0, 1)),
    "torus": Engine("torus-2QoS", families=(torus.draw_grid,), options=TORUS_OPTIONS, lmc=(0, 0, 0, 1),
                    compare=("lfts", "engine", "paths"), needs=TORUS_NEEDS, most_down=2),
    "torus-conf": Engine("torus-2QoS,no_fallback", families=(torus.draw_routable,), options=(), lmc=(0,),
                         needs=TORUS_MADE, steps=[]),
}

# --- sequences ------------------------------------------------------------------------


class Steps:
    """Failures and restorations on a fabric: what ibscope is told, and the same for ibsim's console."""

    def __init__(self, f):
        self.f = f
        self.links_down, self.nodes_down = set(), set()
        self.keep = f.nodes[0]      # the subnet manager sits there

    def up(self, i):
        (a, _), (b, _) = self.f.links[i]
        return i not in self.links_down and a not in self.nodes_down and b not in self.nodes_down

    def apply(self, command):
        """command: a line of ibscope with targets by GUID.  Returns ibsim's commands."""
        verb, kind, *targets = command.split()
        if verb in ("set", "route"):    # OpenSM starts again, no cable is touched
            return []
        if verb == "flap":
            return self.flap([kind] + targets)
        before = [self.up(i) for i in range(len(self.f.links))]
        for t in targets:
            thing, down = self.find(t) if kind == "link" else (self.node(t), self.nodes_down)
            down = self.links_down if kind == "link" else down
            (down.add if verb == "fail" else down.discard)(thing)
        commands = []
        for i, was in enumerate(before):
            if self.up(i) != was:
                commands.append(self.console("Unlink" if was else "ReLink", i))
        return commands

    def flap(self, targets):
        links = [self.find(t)[0] for t in targets]
        return [self.console("Unlink", i) for i in links] + [self.console("ReLink", i) for i in links]

    def console(self, verb, i):
        node, port = self.f.links[i][0]
        return '%s "%s"[%d]' % (verb, node.name, port)

    def find(self, text):
        guid, port = text.rstrip("]").split("[")
        for i, ends in enumerate(self.f.links):
            if any(str(n) == guid and p == int(port) for n, p in ends):
                return i, self.links_down
        raise KeyError(text)

    def node(self, text):
        return next(n for n in self.f.nodes if str(n) == text)

    # --- drawing a sequence at random ---------------------------------------------

    @staticmethod
    def port_text(end):
        return "%s[%d]" % end

    def link_text(self, rng, i):
        return self.port_text(rng.choice(self.f.links[i]))

    def may_fail(self, i):
        """Not the links of the subnet manager's own CA (nothing would be left), nor loop-backs."""
        (a, _), (b, _) = self.f.links[i]
        if a is b:
            return False
        return self.up(i) and not (self.keep in (a, b) and not self.keep.is_switch)

    def draw(self, rng):
        """One command, or None when nothing of the kind drawn is there."""
        draw = rng.random()
        if draw < 0.40:
            return self.draw_restore(rng)
        if draw < 0.45:
            flapping = [i for i in range(len(self.f.links)) if self.may_fail(i)]
            return "flap " + self.link_text(rng, rng.choice(flapping)) if flapping else None
        if draw < 0.80:
            links = [i for i in range(len(self.f.links)) if self.may_fail(i)]
            trunks = [i for i in links if all(n.is_switch for n, _ in self.f.links[i])]
            pool = trunks if trunks and rng.random() < 0.8 else links
            some = rng.sample(pool, min(len(pool), rng.choice((1, 1, 1, 2, 4))))
            return "fail link " + " ".join(self.link_text(rng, i) for i in some) if some else None
        kind = "switch" if draw < 0.90 else "host"
        nodes = [n for n in self.f.nodes if n.is_switch == (kind == "switch") and n not in self.nodes_down
                 and n is not self.keep and n.peer and not self.serves(n)]
        some = rng.sample(nodes, min(len(nodes), rng.choice((1, 1, 1, 2))))
        return "fail %s %s" % (kind, " ".join(map(str, some))) if some else None

    def serves(self, node):
        """The subnet manager's CA hangs on it."""
        return not self.keep.is_switch and any(peer is node for peer, _ in self.keep.peer.values())

    def draw_restore(self, rng):
        kinds = []
        if self.links_down:
            links = sorted(self.links_down)
            some = rng.sample(links, min(len(links), rng.choice((1, 1, 2))))
            kinds.append("restore link " + " ".join(self.link_text(rng, i) for i in some))
        for kind in ("switch", "host"):
            nodes = [n for n in self.f.nodes if n in self.nodes_down and n.is_switch == (kind == "switch")]
            if nodes:
                kinds.append("restore %s %s" % (kind, rng.choice(nodes)))
        return rng.choice(kinds) if kinds else None


def draw_steps(rng, f, most_down=None, least=5, restarts=()):
    """
    At least so many failures and as many restorations as the draw brings; in the end things come back.
    most_down: things that may be down before one is restored; restarts: what else may come between them.
    """
    world, steps, failures, tries = Steps(f), [], 0, 0
    while failures < least and tries < 12 * least:
        tries += 1
        full = most_down and len(world.links_down) + len(world.nodes_down) >= most_down
        command = world.draw_restore(rng) if full else world.draw(rng)
        if command:
            world.apply(command)
            steps.append(command)
            failures += command.startswith("fail")
        if restarts and rng.random() < 0.08:
            steps.append(rng.choice(restarts))
    for _ in range(5):
        command = world.draw_restore(rng)
        if command:
            world.apply(command)
            steps.append(command)
    return steps


# --- cases -----------------------------------------------------------------------------


class Case:
    """
    source: ("spec", text of synth), ("file", path) or ("text", ibnetdiscover
    text); options: name -> text, number or File, or a function of the fabric
    that draws them; steps: command lines, a function of the fabric, or None to draw them.
    """

    def __init__(self, name, engine, source, options=None, steps=None, rng=None):
        self.name, self.engine, self.source = name, ENGINES[engine], source
        self.options, self.steps, self.rng = options or {}, steps, rng or random.Random(name)

    def settle(self, text):
        """Draw what depends on the fabric, once its text is known.  Returns the Fabric."""
        f = Fabric(text)
        self.options = {k: v(self.rng, f) if callable(v) else v for k, v in self.options.items()}
        # with one VL torus-2QoS refuses; a subnet manager without any tables never comes up
        if self.engine.chain == "torus-2QoS,no_fallback" and self.options.get("max_op_vls") == 1:
            self.options["max_op_vls"] = 2
        if callable(self.steps):
            self.steps = self.steps(self.rng, f)
        if self.steps is None:
            self.steps = draw_steps(self.rng, f, self.engine.most_down, restarts=["route " + self.engine.chain] +
                                    ["set lmc %d" % n for n in sorted(set(self.engine.lmc))])
        return f


def random_case(seed, number):
    """Case `number` of a seed: depends on nothing else."""
    rng = random.Random("%s/%s" % (seed, number))
    name = list(ENGINES)[number % len(ENGINES)] if rng.random() < 0.8 else "minhop"
    engine = ENGINES[name]
    lmc = rng.choice(engine.lmc)
    options = {"lmc": lmc}
    options.update(engine.needs)
    if rng.random() < 0.75:
        for option, chance, value in engine.options:
            if rng.random() < chance:
                options[option] = value
    if rng.random() < 0.2:
        options.update(draw_qos(rng))
    source = rng.choice(engine.families)(rng, lmc)
    return Case("random-%d" % number, name, source, options, engine.steps, rng=rng)


# A subnet manager that starts again with its guid2lid and the LIDs on the ports.
LAST_HOST = "fail host 0x0002c90300f001e0"
RESTARTS = {
    "lmc": ["set lmc 1", "set lmc 2", "set lmc 0"], "reserved": [LAST_HOST, "set lmc 1", LAST_HOST.replace("fail", "restore")],
    "reassign": [LAST_HOST, "set reassign_lids TRUE", "set lmc 1"], "top-lid": [LAST_HOST, "route minhop"],
}


# LASH: both without and with mesh analysis; (fabric, further options, steps), None: five failures drawn.
LASH_CASES = (
    ("torus:6x5,shuffle=1", {}, None), ("torus:6x5,shuffle=1", {"lash_start_vl": 2}, []),
    ("torus:5x4,parallel=2,shuffle=1", {"lmc": 2}, []), ("torus:3x3x3x2,shuffle=1", {}, []),
    ("mesh:5x4x3,shuffle=1", {}, []), ("hypercube:5,shuffle=1", {}, []), ("ring:12,parallel=2,shuffle=1", {}, []),
    ("dragonfly:4,2,2,shuffle=1", {}, []), ("xgft:3,3,3:1,3,3,fail=4,shuffle=1", {}, []),
    ("torus:7x5,fail=4,shuffle=1", {"scatter_ports": 9}, []), ("mesh:9", {}, []),
    ("random:24,4,parallel=2,shuffle=1", {"max_op_vls": 3}, None),
    ("xgft:4,4,2:1,4,4,shuffle=1", {"use_ucast_cache": "TRUE"}, None),
)


# Maps programmed with quality of service; options are drawn.
QOS_CASES = (
    ("minhop", "xgft:3,4,2:1,2,4,shuffle=1"), ("lash", "torus:5x4,shuffle=1"), ("updn", "random:20,4,shuffle=1,seed=5"),
    ("minhop", "dragonfly:3,1,2,shuffle=1,esp0=1"), ("lash", "random:16,4,parallel=2,shuffle=1,seed=3"),
    ("ftree", "xgft:4,4:1,2"),
)


# leaf-03 and spine-02 are cut off with each other, the link between them goes and comes back, then the way to it:
# with max_op_vls 0 its ports tell the SM their lanes anew, though the SM did not see them come up.
BEHIND_A_GAP = {"qos": "TRUE", "qos_sl2vl": "0,7,0,11,2,0,13,1,0,0,0,2,1,4,0,0", "max_op_vls": 0}
ISLAND_STEPS = [
    "fail link 0x0002c90300a00020[5] 0x0002c90300a00050[1] 0x0002c90300a00050[2] 0x0002c90300a00050[4]",
    "fail switch 0x0002c90300a00050", "restore switch 0x0002c90300a00050", "restore link 0x0002c90300a00050[1]",
]


# Up/Down and its kin, DOR, tables from files, the unicast cache: (engine, fabric, options).
UPDN_CASES = (
    ("updn", "xgft:3,4,2:1,2,4,shuffle=1", {"lmc": 1}), ("updn-tree", "xgft:2,20:1,2", {}),
    ("updn-tree", "xgft:2,2,3,3:1,2,2,2,fail=4,shuffle=1", {"connect_roots": "TRUE"}),
    ("updn-root", "random:20,4,shuffle=1,seed=5", {"root_guid_file": one_root_file, "ids_guid_file": ids_file}),
    ("updn", "torus:5x4,parallel=2", {"root_guid_file": root_file, "connect_roots": "TRUE", "lmc": 2}),
    ("dnup", "xgft:2,3,3:1,2,2,fail=3", {"connect_roots": "TRUE"}), ("dnup", "dragonfly:4,2,2", {}),
    ("updn-dnup", "mesh:5x4", {}), ("dor", "torus:4x4,parallel=3,hosts=3", {"port_search_ordering_file": search_file}),
    ("dor", "hypercube:4,parallel=2,shuffle=1", {"lmc": 1}), ("file", "ring:8,hosts=2", {"lfts_file": tables_file}),
    ("file-dor", "mesh:4x4", {"lid_matrix_dump_file": matrix_file}),
    ("updn-file", "ring:4", {"lid_matrix_dump_file": File(["# nothing"])}), ("updn-file", "mesh:4x4", {"lid_matrix_dump_file": matrix_part}),
    ("minhop-cache", "xgft:4,4:1,2", {"use_ucast_cache": "TRUE"}),
    ("updn-cache", "xgft:3,3,3:1,2,2", {"use_ucast_cache": "TRUE"}),
)


# Nue: (fabric, options); five failures drawn.  Impasses of every kind on the tori.
NUE_CASES = (
    ("torus:4x4x4", {}), ("torus:4x4x3,parallel=2,fail=20,shuffle=1,seed=5", {"nue_max_num_vls": 2, "qos": "TRUE"}),
    ("torus:4x4x3,shuffle=1,seed=3", {"nue_include_switches": "TRUE"}), ("hypercube:4,parallel=2,shuffle=1,seed=7", {}),
    ("xgft:3,3,3:1,2,2,shuffle=1", {"lmc": 1, "nue_max_num_vls": 0, "qos": "TRUE"}),
    ("dragonfly:4,2,2,shuffle=1", {"nue_max_num_vls": 3, "qos": "TRUE"}), ("mesh:4x4,hosts=2", {"nue_max_num_vls": 4}),
    ("random:24,4,hosts=2,parallel=2,shuffle=1", {"max_op_vls": 2, "nue_max_num_vls": 0, "qos": "TRUE"}),
    ("ring:6,hosts=2", {"lmc": 2}), ("xgft:4,4:1,2", {"use_ucast_cache": "TRUE"}),
)


# SSSP and DFSSSP, and what a refused DFSSSP leaves to others: (engine, fabric, options).
DFSSSP_CASES = (
    ("dfsssp", "ring:12,parallel=2,hosts=3,shuffle=1", {}), ("dfsssp", "torus:4x4,hosts=2,shuffle=1", {"lmc": 1}),
    ("dfsssp", "torus:4x4x4,shuffle=1", {}), ("dfsssp", "hypercube:5,shuffle=1", {"cn_guid_file": some_ports_file}),
    ("dfsssp", "dragonfly:4,2,2,shuffle=1,fail=5", {}), ("dfsssp", "xgft:4,4,3:1,2,2,fail=3,shuffle=1", {"lmc": 2}),
    ("dfsssp", "random:24,4,hosts=2,parallel=2,shuffle=1,seed=11", {"max_op_vls": 2}),
    ("sssp", "dragonfly:4,2,2,shuffle=1", {"cn_guid_file": some_ports_file, "io_guid_file": some_ports_file}),
    ("sssp", "xgft:3,4,4:2,3,3,parallel=2,shuffle=1,fail=4", {"lmc": 2}),
    ("dfsssp-minhop", "torus:4x4x4,hosts=2,fail=12,shuffle=1", {"port_prof_ignore_file": ignore_file}),
    ("dfsssp-minhop", "torus:4x4x4,hosts=2,fail=12,shuffle=1", {"hop_weights_file": weights_file}),
    ("dfsssp-dor", "torus:5x5x4,hosts=2", {"port_profile_switch_nodes": "TRUE"}),
    ("dfsssp-updn", "torus:4x4x4,hosts=2,fail=12,shuffle=1", {"lmc": 1, "hop_weights_file": weights_file}),
)


# The edges of what there may be: (name, engine, what it is made of, options).
EDGE_CASES = (
    ("lids-full-lmc7", "minhop", ("spec", "hyperx:2,hosts=191"), {"lmc": 7}),
    ("ports-254", "minhop", ("spec", "ring:2,hosts=253"), {}), ("loops", "updn", None, {"lmc": 1}),
    ("parts", "minhop", None, {}), ("parts", "dfsssp", None, {}),
)


# A host of LMC 2 and the switch that it is at both have LID 15; then the host goes and comes back.
LID_TWICE = """
caguid=0x2c90000374490
Ca 1 "H-0002c90000374490" # "h1"
[1](2c90000374491)  "S-0002c90000000d80"[9] # lid 22 lmc 2 "sw 1" lid 15 4xQDR

caguid=0x2c900000005e0
Ca 1 "H-0002c900000005e0" # "h2"
[1](2c900000005e1)  "S-0002c90000000d80"[10] # lid 15 lmc 2 "sw 1" lid 15 4xQDR

switchguid=0x2c90000000d80(2c90000000d80)
Switch 12 "S-0002c90000000d80" # "sw 1" base port 0 lid 15 lmc 0
[3] "H-0002c9000018ed80"[1](2c9000018ed81) # "h0" lid 14 4xQDR
[4] "S-0002c97e4978c560"[12] # "sw 0" lid 17 4xQDR
[6] "S-0002c97e4978c560"[9] # "sw 0" lid 17 4xQDR
[9] "H-0002c90000374490"[1](2c90000374491) # "h1" lid 22 4xQDR
[10] "H-0002c900000005e0"[1](2c900000005e1) # "h2" lid 15 4xQDR

caguid=0x2c9000018ed80
Ca 1 "H-0002c9000018ed80" # "h0"
[1](2c9000018ed81)  "S-0002c90000000d80"[3] # lid 14 lmc 0 "sw 1" lid 15 4xQDR

switchguid=0x2c97e4978c560(2c97e4978c560)
Switch 12 "S-0002c97e4978c560" # "sw 0" enhanced port 0 lid 17 lmc 2
[9] "S-0002c90000000d80"[6] # "sw 1" lid 15 4xQDR
[12] "S-0002c90000000d80"[4] # "sw 1" lid 15 4xQDR
"""
LID_TWICE_MEMORY = ["0x0002c97e4978c560 0x0028 0x0029\n", "0x0002c90000374491 0x0070 0x0073\n", "0x0002c9000018ed81 0x0010 0x0011\n"]
LID_TWICE_STEPS = ["fail host 0x0002c900000005e0", "restore host 0x0002c900000005e0"]


BUNDLED_SPECS = ("xgft:4,4:1,2", "torus:4x4x4", "mesh:8x8", "hypercube:5", "dragonfly:4,2,2", "hyperx:6x6",
                 "ring:8", "random:24,4,seed=7", "xgft:4,4:2,2", "xgft:3,4,3:1,2,3,aggregation=1,shuffle=1",
                 "director:2,6,3,12", "published:odin", "xgft:18,18:1,18",
                 "published:deimos,fail=5,shuffle=1")


def bundled_cases(folder):
    """The fixed list: synthetic fabrics and the saved ones in `folder`, plain and with each option."""
    cases = [Case("spec-%s-lmc%d" % (s, lmc), "minhop", ("spec", s), {"lmc": lmc})
             for i, s in enumerate(BUNDLED_SPECS) for lmc in ((0, 2) if i < 9 else (i % 2,))]
    for option, _, value in COMMON_OPTIONS:
        cases.append(Case("option-%s" % option, "minhop", ("spec", "random:24,4,hosts=2,shuffle=1,seed=3"),
                          {"lmc": 1, option: value}))
    for name, steps in RESTARTS.items():
        cases.append(Case("restart-" + name, "minhop", ("spec", "torus:4x4"), {}, steps))
    cases.append(Case("sl-xgft", "minhop-sl", ("spec", "xgft:4,4:1,2"), {"lmc": 1}))
    for number, (engine, text) in enumerate(QOS_CASES):
        cases.append(Case("qos-%d" % number, engine, ("spec", text), dict(draw_qos(random.Random(number)), max_op_vls=number % 6)))
    cases.append(Case("qos-behind-a-gap", "minhop", ("spec", "xgft:4,4:1,2"), BEHIND_A_GAP, ISLAND_STEPS))
    for number, (engine, text, options) in enumerate(UPDN_CASES):
        cases.append(Case("%s-%d" % (engine, number), engine, ("spec", text), dict(options)))
    for number, (engine, text, options) in enumerate(DFSSSP_CASES):
        cases.append(Case("%s-%d" % (engine, number), engine, ("spec", text), dict(options)))
    for number, (text, options, steps) in enumerate(LASH_CASES):
        for mesh in (["FALSE", "TRUE"] if steps is not None else ["FALSE"]):
            cases.append(Case("lash-%d%s" % (number, "-mesh" if mesh == "TRUE" else ""), "lash", ("spec", text),
                              dict(options, do_mesh_analysis=mesh), steps))
    for number, (text, options) in enumerate(NUE_CASES):
        cases.append(Case("nue-%d" % number, "nue", ("spec", text), dict(options)))
    for name, grid, steps in torus.FIXED:
        name = "torus-" + name
        cases.append(Case(name, "torus", ("text", grid.text(random.Random(name))),
                          {"qos": "TRUE", "torus_config": torus.good_conf}, steps))
    for number, (name, engine, source, options) in enumerate(EDGE_CASES):
        source = source or ("text", edge_fabric(name, random.Random(name)))
        cases.append(Case("edge-%d-%s" % (number, name), engine, source, dict(options), []))
    for engine in ("minhop", "dor"):
        cases.append(Case("lid-twice-" + engine, engine, ("text", LID_TWICE),
                          {"lmc": 2, "lmc_esp0": "TRUE", "guid2lid_file": File(LID_TWICE_MEMORY)}, LID_TWICE_STEPS))
    for number in range(4):
        name = "torus-conf-%d" % number
        cases.append(Case(name, "torus-conf", torus.draw_routable(random.Random(name), 0), dict(TORUS_MADE), []))
    for number in range(6):
        rng = random.Random("far/%d" % number)
        cases.append(Case("far-%d" % number, "minhop-far", far(rng, 0), {"lmc": number % 2}, [], rng))
    for number in range(8):
        rng = random.Random("twins/%d" % number)
        cases.append(Case("twins-%d" % number, "dor-twins" if number == 7 else "minhop-twins", twins(rng, 1 + number // 5),
                          {"lmc": 1 + number // 5}, rng=rng))
    for root, _, files in sorted(os.walk(folder)):
        for name in sorted(files):
            path = os.path.join(root, name)
            if suits_simulator(path):
                cases.append(Case("file-" + name, "minhop", ("file", path)))
    return cases


def suits_simulator(path):
    """ibnetdiscover text that ibsim can load: two-sided cables, speeds it knows, not too large."""
    with open(path, "rb") as f:
        data = f.read()
    if len(data) > 300000 or b"\nSwitch" not in data or b"xNDR" in data or b"xXDR" in data:
        return False
    try:
        f = Fabric(data.decode("utf-8", "replace"))
    except KeyError:
        return False
    for n in f.nodes:
        for port, (peer, q) in n.peer.items():
            if peer.peer.get(q) != (n, port):
                return False
    return len(f.links) > 0
