#!/usr/bin/env python3
"""Incidents as people on call met them: made with the real OpenSM over ibsim, and what ibscope says of each.

What the first ten lines of `triage` must name, the pairs it costs (counted by subnet.py), the exit status, and that
nothing else is called a cause; `doctor` has at most 20 lines.  Which leaf, spine, cable and host, the names and the
order of nodes are drawn by SEED.

usage: run.py [NAME OR GLOB]...    IBSCOPE=build/ibscope.  Without names INCIDENTS (10) of them are drawn by SEED, with
LONG=1 all are met.  The last line is "N passed, N failed".
"""
import os
import random
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from subnet import IBSCOPE, PROBE, TRIAGE_LINES, Draft, Subnet, opensm, tree, write  # noqa: E402
from contract import Breach  # noqa: E402
from trial import chosen_seed, expect, run_tests  # noqa: E402

MANAGER = "(?i)manager"


def words(*things):
    """What names them in a text: nodes, and ends of cables."""
    return [re.escape(x[0].end(x[1]) if isinstance(x, tuple) else x.name) for x in things]


def either(*things):
    return "|".join(words(*things))


def uplink(rng, d, leaf=None):
    """A cable from a leaf to a spine: the leaf's end and the spine's."""
    leaf = leaf or rng.choice(d.leaves)
    port = rng.choice([p for p, (peer, _, _) in leaf.peer.items() if peer in d.spines])
    return (leaf, port), leaf.peer[port][:2]


def far_leaves(rng, d, n):
    """Leaves that are not the subnet manager's."""
    return rng.sample([leaf for leaf in d.leaves if leaf is not d.home], n)


def far_hosts(rng, d, n):
    """Hosts of several such leaves."""
    return [rng.choice([h for h in d.hosts if h.peer[1][0] is leaf]) for leaf in far_leaves(rng, d, n)]


def cables_pulled(folder, rng):
    """1: the manager is dead, then cables are pulled: the tables still use them; live, and of a saved fabric with the last dump."""
    d = tree(rng)
    with Subnet(folder, d) as s:
        dumps = s.keep()
        s.kill()
        cables = [uplink(rng, d, leaf) for leaf in rng.sample(d.leaves, rng.choice((1, 1, 2, 3, 8)))]
        s.pull(*(a for a, _ in cables))
        r = s.look()
        lost, each = len(r.lost()), [r.over(*a) for a, _ in cables]
        live = s.ask()
        s.start("-e", "live; save now.topo")
        saved = s.ask("now.topo", before="tables %s/opensm-lfts.dump" % dumps, live=False)
    live.first(MANAGER, among=len(cables) + 1, severity="error")
    for said in (live, saved):
        for (a, b), n in zip(cables, each):
            said.first(*words(a, b), pairs=n, among=len(cables) + 1, severity="error")
        said.costs(lost, MANAGER, *words(*(a for a, _ in cables)))


def same_lid(folder, rng):
    """2: a host gets another's LID."""
    d = tree(rng)
    with Subnet(folder, d) as s:
        a, b = far_hosts(rng, d, 2)
        lid = s.look().lid[a.id, 1]
        s.console('Baselid "%s"[1] %d' % (b.id, lid))
        lost = len(s.look().lost())
        said = s.ask()
    said.first(*words(a, b), r"LID %d\b" % lid, pairs=lost, severity="error")
    said.costs(lost, *words(a))


def host_rebooted(folder, rng):
    """3: a host rebooted while no manager ran: its port is in Initialize and has no LID."""
    d = tree(rng)
    with Subnet(folder, d) as s:
        s.kill()
        host = far_hosts(rng, d, 1)[0]
        s.console('Clear "%s"[1]' % host.id, 'ReLink "%s"[1]' % host.id)
        lost = len(s.look().lost())
        said = s.ask()
        trace = s.start("-e", "live tables; trace 0x%x 0x%x" % (d.hosts[0].guid, host.guid))
    said.first(*words(host), pairs=lost, among=2, severity="error")
    said.first(MANAGER, among=2, severity="error")
    expect(lost == 2 * (len(d.hosts) - 1), "pairs of a host:", lost)
    said.costs(lost, MANAGER, *words(host))
    expect(trace.returncode == 1, "trace shows a whole way:", trace.stdout)


def entries_overwritten(folder, rng):
    """4: entries of a spine are overwritten behind a running OpenSM: they loop until it is started anew."""
    d = tree(rng)
    with Subnet(folder, d) as s:
        r = s.look()
        spine, n, edits = rng.choice(d.spines), rng.randrange(1, 4), {}
        lids = [r.lid[h.id, 1] for h in d.hosts[1:]]    # the first one's is the way of the answer to a write
        for leaf in rng.sample(d.leaves, len(d.leaves)):
            ports = [p for p, (peer, _, _) in spine.peer.items() if peer is leaf]
            for lid in rng.sample(lids, len(lids)):
                above = r.peer.get((leaf.id, r.table[leaf.id][lid]))
                if len(edits) < n and above and above[0] == spine.id:   # down to a leaf that sends it up again
                    edits[spine, lid] = rng.choice(ports)
        s.overwrite(edits)
        lost = len(s.look().lost())
        said = s.ask()
        s.step([])
        swept = s.ask()
        s.restart({})
        after = s.ask()
    for a in (said, swept):
        c = a.first(*words(spine), pairs=lost, severity="error")
        expect(spine.name in str(c["where"]), "the switch whose entries they are:", c["where"], a.said())
        a.costs(lost, *words(spine))
        expect(not re.search("next sweep (mends|repairs)", a.text()), "it does not:", a.text())
    after.nothing("after a restart:")


def entries_dead(folder, rng):
    """4, otherwise: entries of a switch lead to a port that it does not have, or with nothing at it."""
    d = tree(rng)
    with Subnet(folder, d) as s:
        r, switch = s.look(), rng.choice(d.spines)
        port = rng.choice((switch.ports, switch.ports + 100))
        used = sorted({r.lid[dst] for (_, dst), (ports, _) in r.ways().items() if dst[0] != d.hosts[0].id and switch.id in dict(ports)})
        s.overwrite({(switch, lid): port for lid in rng.sample(used, rng.randrange(1, 12))})
        lost = len(s.look().lost())
        said = s.ask()
    said.first(*words(switch), pairs=lost, severity="error")
    said.costs(lost, *words(switch))


def cables_flapped(folder, rng):
    """5: cables flapped while the manager was dead: their ports are in Initialize."""
    d = tree(rng)
    with Subnet(folder, d) as s:
        s.kill()
        cables = [uplink(rng, d, leaf) for leaf in rng.sample(d.leaves, rng.randrange(1, 4))]
        s.flap(*(a for a, _ in cables))
        r = s.look()
        lost, each = len(r.lost()), [r.over(*a) for a, _ in cables]
        said = s.ask()
    for (a, b), n in zip(cables, each):
        said.first(either(a, b), "Initialize", pairs=n, among=len(cables) + 1, severity="error")
    said.first(MANAGER, among=len(cables) + 1, severity="error")
    said.costs(lost, MANAGER, *words(*(end for cable in cables for end in cable)))


def switch_rebooted(folder, rng):
    """5, otherwise: a spine rebooted while no manager ran: all its ports are in Initialize."""
    d = tree(rng)
    with Subnet(folder, d) as s:
        s.kill()
        spine = rng.choice(d.spines)
        s.console('Clear "%s"' % spine.id, 'ReLink "%s"' % spine.id)
        lost = len(s.look().lost())
        said = s.ask()
    said.first(*words(spine), pairs=lost, severity="error")
    said.first(MANAGER, among=2, severity="error")
    said.costs(lost, MANAGER, *words(spine))


def partitions(folder, rng):
    """6: hosts in two partitions: pairs that may talk less by what is configured."""
    d = tree(rng)
    half = set(rng.sample(d.hosts[1:], len(d.hosts) // 2))
    text = "Default=0x7fff,ipoib:ALL=limited,SELF=full;\n"
    for key, hosts in ((0x11, half), (0x12, set(d.hosts) - half)):
        text += "p%x=0x%x:%s;\n" % (key, key, ",".join("0x%x=full" % (h.guid + 1) for h in d.hosts if h in hosts))
    apart = 2 * len(half) * (len(d.hosts) - 1 - len(half))      # all may talk to the subnet manager's host
    with Subnet(folder, d, partition_config_file=write(folder, "partitions.conf", text)) as s:
        said = s.ask()
    told = [c for c in said.causes if re.search("(?i)partition|P_Key", c["text"])]
    expect(told or re.search("(?i)partition|P_Key", str(said.triage["not_looked_at"])), "nothing of partitions:", said.said())
    expect(all(c["pairs"] in (None, apart) for c in told), "pairs apart:", apart, said.said())
    said.only(status=0)


def slow_parts(folder, rng):
    """7: a cable at 1x and a host at EDR among HDR; blame explains all slow pairs by them."""
    d = tree(rng)
    a, b = uplink(rng, d)
    Draft.cable(*a, *b, rate="1xHDR")
    host = far_hosts(rng, d, 1)[0]
    Draft.cable(host, 1, *host.peer[1][:2], rate="4xEDR")
    name = {h.id: h.name for h in d.hosts}
    with Subnet(folder, d) as s:
        rows = []
        for (x, y), (ports, _) in s.look().ways().items():
            slow = 5 if (a[0].id, a[1]) in ports or (b[0].id, b[1]) in ports else 11 if host.id in (x[0], y[0]) else 24
            rows.append("%s,%s,%s\n" % (name[x[0]], name[y[0]], slow))
        s.file("pairs.csv", "".join(rows))
        said = s.ask()
        blamed = s.objects("-e", "live tables; blame pairs.csv")["blame"]
    for what in (words(a, b), words(host)):
        c = said.first(*what, among=2, severity="warning")
        expect(re.search(r"\d", re.sub("|".join(what), "", c["text"])), "no figure:", said.said())
    said.only(status=0)
    expect(blamed["links"] and not blamed["unexplained"], "blame:", *blamed["text"])


def manager_lost(folder, rng):
    """8: two managers; the master dies and the other one has not taken over; then that dies, too."""
    d = tree(rng)
    other = far_hosts(rng, d, 1)[0]
    guid = ["0x%016x" % (h.guid + 1) for h in (d.hosts[0], other)]
    with Subnet(folder, d, sm_priority=10, guid=guid[0]) as s:
        s.stand_by(other.id, guid[1])
        both = s.ask()
        s.kill()
        said = s.ask()
        s.dismiss()
        none = s.ask()
    both.nothing("two managers, one of them waits:")
    said.first("(?i)master", *words(other), severity="error")
    said.only("(?i)master", status=1)
    none.first(MANAGER, severity="error")
    none.only(MANAGER, status=1)


def circle(reading):
    """Whether the ways of all pairs make a circle of channels (all on one VL)."""
    after = {}
    for ports, _ in reading.ways().values():
        for x, y in zip(ports[1:], ports[2:]):
            after.setdefault(x, set()).add(y)
    while after:
        ends = [x for x, ys in after.items() if not any(y in after for y in ys)]
        if not ends:
            return True
        for x in ends:
            del after[x]
    return False


def ftree_refuses(folder, rng):
    """9: cables fail, ftree refuses and minhop takes over: three leaves keep one uplink of four, and channels wait in a circle."""
    closed = False
    while not closed:
        d = tree(rng, cables=1)
        thin = far_leaves(rng, d, 3)
        kept = dict(zip(thin, rng.sample(d.spines, 3)))
        with Subnet(folder, d, routing_engine="ftree") as s:
            expect(s.engine() == "ftree", "OpenSM routed by", s.engine())
            s.step(['Unlink "%s"[%d]' % (leaf.id, p) for leaf in thin for p, (peer, _, _) in leaf.peer.items()
                    if peer in d.spines and peer is not kept[leaf]])
            expect(s.engine() == "minhop", "OpenSM routed by", s.engine())
            closed = circle(s.look())
            if closed:
                asked, plain = s.ask("-F", s.file("opensm.conf", "routing_engine ftree\n")), s.ask()
    for said in (asked, plain):
        said.first("credit loop", severity="error")
        said.find(either(*thin), "(?i)uplink|link|cable", severity="warning")
        for leaf in thin:
            expect(leaf.name in said.text(), leaf.name, "is not named:", said.text())
        said.only("credit loop", status=1)
    asked.find("ftree", "refuse")


def wrong_roots(folder, rng):
    """10: a wrong root_guid_file, one leaf and two of four spines: the others carry nothing."""
    d = tree(rng)
    named = rng.sample(d.spines, 2)
    idle = [x for x in d.spines if x not in named]
    roots = write(folder, "roots", "".join("0x%016x\n" % n.guid for n in [rng.choice(d.leaves), *named]))
    with Subnet(folder, d, routing_engine="updn", root_guid_file=roots) as s:
        expect(s.engine() == "updn" and s.look().through(*idle) == 0, "OpenSM uses the others, too")
        said = s.ask()
    c = said.first(*words(*idle), severity="warning")
    expect(re.search(r"half|50 ?%|\b2 of 4\b|\b64 of 128\b", c["text"]), "no figure:", said.said())
    said.only(status=0)


def other_engine(folder, rng):
    """11: the conf says ftree, the manager was started with another engine."""
    d, engine = tree(rng), rng.choice(("dfsssp", "updn", "minhop"))
    with Subnet(folder, d, routing_engine=engine) as s:
        expect(s.engine() == engine, "OpenSM routed by", s.engine())
        said, plain = s.ask("-F", s.file("opensm.conf", "routing_engine ftree\n")), s.ask()
    said.first("ftree", *([engine] if engine == "dfsssp" else []), severity="warning")     # others may make the same tables
    said.only(status=0)
    for judgement in (said.triage, said.check, said.doctor):
        expect(judgement["judged"] == "held", judgement["text"])
    plain.nothing("without a conf:")


def swapped(folder, rng):
    """12: two cables are swapped, and two hosts."""
    d = tree(rng)
    one, two = far_leaves(rng, d, 2)
    (a, x), (b, y) = uplink(rng, d, one), uplink(rng, d, two)
    while x[0] is y[0]:
        b, y = uplink(rng, d, two)
    g, h = far_hosts(rng, d, 2)
    with Subnet(folder, d) as s:
        s.start("-e", "live tables; save before.topo")
        s.step(['Unlink "%s"[%d]' % (n.id, p) for n, p in (a, b, (g, 1), (h, 1))])
        s.step(['Link "%s"[%d] "%s"[%d]' % (p.id, m, q.id, n)
                for (p, m), (q, n) in ((a, y), (b, x), ((g, 1), h.peer[1][:2]), ((h, 1), g.peer[1][:2]))])
        expect(not s.look().lost(), "OpenSM has not routed it")
        changed = s.objects("-e", "live tables; changes before.topo")["changes"]
        said = s.ask()
    kinds = sorted(c["change"] for c in changed["links"] + changed["nodes"])
    expect(kinds == ["moved", "moved", "swapped"] or kinds == ["swapped", "swapped"], kinds, *changed["text"])
    for n in (a[0], b[0], x[0], y[0], g, h):
        expect(n.name in "\n".join(changed["text"]), n.name, "is not in changes:", *changed["text"])
    said.only(status=0)


def expansion(folder, rng):
    """13: two leaves more, cabled by half: one has no uplink, one has one of eight."""
    d = tree(rng, leaves=10)
    none, one = far_leaves(rng, d, 2)
    kept = uplink(rng, d, one)[0]
    write(folder, "plan.topo", d.text())
    for leaf in (none, one):
        for p, (peer, q, _) in list(leaf.peer.items()):
            if peer in d.spines and (leaf, p) != kept:
                del leaf.peer[p], peer.peer[q]
    hosts = sum(h.peer[1][0] is none for h in d.hosts)
    with Subnet(folder, d) as s:
        said = s.ask("fabric.topo", before="tables %s/opensm-lfts.dump" % s.keep(), live=False)
        planned = s.objects("-e", "live tables; plan plan.topo")["plan"]
    across = 2 * hosts * (len(d.hosts) - hosts)
    said.first(*words(none), pairs=(across, across + hosts * (hosts - 1)), severity="error")   # it has no table, either
    said.find(*words(one), severity="warning")
    said.only(*words(none), status=1)
    expect(planned["differences"], "plan:", *planned["text"])


def window(folder, rng):
    """14: two spines are taken out in a window: what it costs, and the tables after it."""
    d = tree(rng)
    out = rng.sample(d.spines, 2)
    what = " ".join("0x%016x" % n.guid for n in out)
    with Subnet(folder, d) as s:
        behind = s.look().through(*out)
        told = s.objects("-e", "live tables; route minhop; outage switch %s; fail switch %s; export lfts after" % (what, what))["outage"]
        s.step(['Unlink "%s"' % n.id for n in out])
        lost, dump = len(s.look().lost()), s.lfts().decode()
        said = s.ask()
    expect(told["pairs_until_sweep"] == behind and told["pairs_after"] == lost == 0, told["pairs_until_sweep"], behind, told["pairs_after"])
    with open(os.path.join(folder, "after"), encoding="utf-8") as f:
        made, real = ([line for line in text.splitlines() if line.startswith("0x")] for text in (f.read(), dump))
    expect(made == real and real, "tables after the window differ from those of OpenSM")
    said.only(status=0)


def rails(folder, rng):
    """15: GPU servers with eight adapters on eight rails: two cables of a server are swapped."""
    d, servers = Draft(rng), 16
    d.leaves = [d.add("Switch", servers + 4, "rail-%d" % (i + 1)) for i in range(8)]
    d.spines = [d.add("Switch", 8, "spine-%02d" % (i + 1)) for i in range(4)]
    for i, a in enumerate(d.leaves):
        for j, b in enumerate(d.spines):
            d.cable(a, servers + 1 + j, b, 1 + i)
    wrong, (one, two) = rng.randrange(1, servers), rng.sample(range(8), 2)
    d.hosts = [d.add("Ca", 1, "gpu%02d mlx5_%d" % (i + 1, k)) for i in range(servers) for k in range(8)]
    for i in range(servers):
        for k in range(8):
            d.cable(d.hosts[8 * i + k], 1, d.leaves[{one: two, two: one}.get(k, k) if i == wrong else k], 1 + i)
    d.nodes.sort(key=lambda n: n is not d.hosts[0])
    with Subnet(folder, d) as s:
        said = s.ask()
    said.first("gpu%02d" % (wrong + 1), "(?i)rail", severity="warning")
    for n in (d.leaves[one], d.leaves[two], d.hosts[8 * wrong + one], d.hosts[8 * wrong + two]):
        expect(n.name in said.text(), n.name, "is not named:", said.text())
    said.only(status=0)


def switch_gone(folder, rng):
    """16: a switch dies while the manager is dead, an earlier check is at hand, or none."""
    d = tree(rng)
    with Subnet(folder, d) as s:
        s.know()
        s.kill()
        gone = rng.choice(d.spines + far_leaves(rng, d, 1))
        s.console('Unlink "%s"' % gone.id)
        lost = len(s.look().lost())
        said, bare = s.ask(triage="triage --baseline known.json"), s.ask()
    c = said.first(*words(gone), "gone", pairs=lost or None, among=1 if lost else 2, severity="error")    # with a leaf its hosts are gone, too
    expect(re.search(r"\b%d cables" % len(gone.peer), c["text"]), "it had %d cables:" % len(gone.peer), said.said())
    said.only(MANAGER, *words(gone), status=1)
    for a in (said, bare):
        a.first(MANAGER, among=TRIAGE_LINES, severity="error")
        # of pairs to hosts that are gone with a leaf nothing is at hand but a baseline
        expect(sum(c["pairs"] or 0 for c in a.errors) >= lost and a.check["pairs_lost"] == lost, "pairs:", lost, a.said())


def silent_switch(folder, rng):
    """17: a switch answers no packet, its links are up: what passes it cannot be told; an earlier check knows its name."""
    d = tree(rng)
    with Subnet(folder, d) as s:
        spine = rng.choice(d.spines)
        behind = s.look().through(spine)
        s.know()
        s.console('Error "%s" 100' % spine.id)
        known, bare = s.ask(triage="triage --baseline known.json"), s.ask()
    for said, name in ((known, words(spine)), (bare, [])):
        c = said.first("(?i)answer", *name, pairs=(None, behind), severity="error")
        expect(c["pairs"] or str(behind) in c["text"], "no figure:", behind, said.said())
        expect(said.check["pairs_untold"] == behind and not said.check["sound"], "check:", said.check["pairs_untold"], behind)
        expect(not re.search("nothing is at the port| gone", said.text()), said.text())
        said.only(re.escape(c["text"]), status=3)


def silent_table(folder, rng):
    """18: a switch does not answer for its table alone."""
    d = tree(rng)
    with Subnet(folder, d) as s:
        spine = rng.choice(d.spines)
        behind = s.look().through(spine)
        s.console('Error "%s" 100 25' % spine.id)
        said = s.ask()
    said.first(*words(spine), "(?i)table", pairs=(None, behind), severity="error")
    expect(said.check["pairs_untold"] == behind and not said.check["sound"], "check:", said.check["pairs_untold"], behind)
    said.only(*words(spine), status=3)


def host_gone(folder, rng):
    """19: a host is gone since the last check."""
    d = tree(rng)
    with Subnet(folder, d) as s:
        s.know()
        host = far_hosts(rng, d, 1)[0]
        s.step(['Unlink "%s"' % host.id])
        said, bare = s.ask(triage="triage --baseline known.json"), s.ask()
    said.first(*words(host, host.peer[1][:2]))
    said.only(*words(host), status=1)
    bare.only(status=0)


def symbol_errors(folder, rng):
    """20: symbol errors on one cable."""
    d = tree(rng)
    with Subnet(folder, d) as s:
        a, b = uplink(rng, d)
        s.console('PerformanceSet "%s"[%d] PortCounters.SymbolErrorCounter=%d' % (a[0].id, a[1], rng.randrange(2000, 60000)))
        said = s.ask(before="live tables; counters all live")
        blamed = s.objects("-e", "live tables; counters all live; blame counters")["blame"]
    said.first(either(a, b), "(?i)symbol|error", severity="warning")
    said.only(status=0)
    expect(any(re.search(either(a, b), line) for line in blamed["text"][:3]), "blame:", *blamed["text"][:5])


def healthy(folder, rng):
    """21: a healthy subnet, with LMC 0, 1 or 2 and one of several engines: nothing is said, live and of OpenSM's dumps."""
    d, lmc = tree(rng), rng.choice((0, 1, 1, 2))
    engine = rng.choice(("minhop", "updn", "dfsssp") + ("ftree",) * (lmc == 0))
    with Subnet(folder, d, lmc=lmc, routing_engine=engine) as s:
        expect(s.engine() == engine, "OpenSM routed by", s.engine())
        dumps = s.keep()
        s.ask().nothing("live, lmc", lmc, engine)
        s.ask(dumps, before="", live=False).nothing("dumps, lmc", lmc, engine)


def logged(folder, rng):
    """22: a healthy subnet, and the opensm.log of a flapping cable."""
    d = tree(rng)
    with Subnet(folder, d) as s:
        a, b = uplink(rng, d)
        for word in ("Unlink", "ReLink") * 3:
            s.step(['%s "%s"[%d]' % (word, a[0].id, a[1])])
        said = s.ask(s.keep(), before="", live=False)
    # switches do not name the port that changed: of parallel cables one is named, with a word
    said.find(either(a, b) + "|or a cable beside")
    said.only(status=0)


TESTS = (cables_pulled, same_lid, host_rebooted, entries_overwritten, entries_dead, cables_flapped, switch_rebooted, partitions, slow_parts,
         manager_lost, ftree_refuses, wrong_roots, other_engine, swapped, expansion, window, rails, switch_gone, silent_switch, silent_table,
         host_gone, symbol_errors, healthy, logged)


def main():
    lack = opensm.missing() or next(("no program " + p for p in (IBSCOPE, PROBE) if not os.access(p, os.X_OK)), None)
    if lack:
        print("incidents: %s" % lack, file=sys.stderr)
        return 2
    seed = chosen_seed()
    print("incidents: SEED=%s" % seed, flush=True)
    tests = {t.__name__: lambda folder, t=t: t(folder, random.Random("%s %s" % (seed, t.__name__))) for t in TESTS}
    drawn = random.Random(seed).sample(sorted(tests), int(os.environ.get("INCIDENTS", "10")))
    return run_tests("incidents", tests, sys.argv[1:] or (() if os.environ.get("LONG") == "1" else drawn), also=(opensm.OpenSMError, Breach),
                     repeat=lambda name: "SEED=%s tests/incidents/run.py %s" % (seed, name))


if __name__ == "__main__":
    sys.exit(main())
