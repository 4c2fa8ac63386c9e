"""Figures of `watch` and `counters` a second time: rounds over random changes of a simulated fabric, against what
ibnetdiscover, dump_fts and perfquery of infiniband-diags read of it.  Nothing is shared with the program.
"""
import collections
import graphlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "model"))
from states import Net  # noqa: E402
from trial import BOUND, chosen_seed  # noqa: E402

STEPS = int(os.environ.get("WATCHED_STEPS", "60" if os.environ.get("LONG") else "8"))
NONE = 255
COUNTER = {"symbol_errors": "SymbolErrorCounter", "link_recoveries": "LinkErrorRecoveryCounter", "link_downed": "LinkDownedCounter",
           "receive_errors": "PortRcvErrors", "remote_physical_errors": "PortRcvRemotePhysicalErrors",
           "switch_relay_errors": "PortRcvSwitchRelayErrors", "transmit_discards": "PortXmitDiscards",
           "transmit_constraint_errors": "PortXmitConstraintErrors", "receive_constraint_errors": "PortRcvConstraintErrors",
           "local_integrity_errors": "LocalLinkIntegrityErrors", "buffer_overruns": "ExcessiveBufferOverrunErrors",
           "vl15_dropped": "VL15Dropped", "transmit_wait": "PortXmitWait", "transmit_data": "PortXmitData",
           "receive_data": "PortRcvData", "transmit_packets": "PortXmitPkts", "receive_packets": "PortRcvPkts"}


class Reading:
    """The fabric and its tables as infiniband-diags tell them."""

    def __init__(self, sim):
        self.net = Net(sim.run("ibnetdiscover").stdout, "", "")
        lid, here = {g: s for s, g in self.net.guid.items()}, None
        for line in sim.run("dump_fts").stdout.splitlines():
            head = re.match(r"Unicast lids .* of switch .* guid 0x(\w+)", line)
            entry = re.match(r"0x(\w+) (\d+) :", line)
            if head:
                here = lid[int(head[1], 16)]
            elif entry:
                self.net.table[here, int(entry[1], 16)] = int(entry[2])
        self.state = {}     # of ports of switches; not active: no subnet manager has been there since the cable came
        for line in sim.run("iblinkinfo", "-l").stdout.splitlines():
            port = re.match(r'\s*0x(\w+)\s.*?\s(\d+)\[ *\] ==\(.*?(\w+)/', line)
            if port and int(port[1], 16) in lid:
                self.state[lid[int(port[1], 16)], int(port[2])] = port[3]
        self.idle = {at for at, state in self.state.items() if state in ("Initialize", "Armed")}

    def cables(self):
        return {frozenset([(s, p), (to, self.net.far[s, p])]) for (s, p), (_, to) in self.net.peer.items()}

    def figures(self):
        """What a round tells of the tables."""
        net, after, lost, pairs = self.net, {}, 0, 0
        known = set(net.owner) | set(net.switches)
        for a in net.hosts:
            for lid in (lid for b in net.hosts if b != a for lid in net.lids[b]):
                way = net.path(a, lid)
                pairs += 1
                own = {at for at, end in net.peer.items() if end == ("H", a)}
                lost += isinstance(way, str) or bool(self.idle & (own | set(way)))
                for x, y in zip(way, way[1:]) if not isinstance(way, str) else ():
                    after.setdefault(x, set()).add(y)
        dead = sum(lid in known and p not in (0, NONE) and ((s, p) not in net.peer or (s, p) in self.idle) for (s, lid), p in net.table.items())
        return {"dead_entries": dead, "pairs": pairs, "unreachable": lost, "no_lid": 0}, bool(pairs) and not (dead or lost or has_cycle(after))


def changed_states(a, b):
    """Cables of both readings whose ports have another state."""
    return sum(any(a.state.get(end) != b.state.get(end) for end in cable) for cable in a.cables() & b.cables())


def has_cycle(after):
    try:
        graphlib.TopologicalSorter(after).prepare()
    except graphlib.CycleError:
        return True
    return False


def changed_entries(a, b):
    """Entries of switches that are there now."""
    was, now = ({(r.net.guid[s], lid): p for (s, lid), p in r.net.table.items()} for r in (a, b))
    there = set(b.net.guid.values())
    return sum(was.get(k, NONE) != now.get(k, NONE) for k in set(was) | set(now) if k[0] in there)


def cables_of(text):
    """Cables of switches that have others, in ibnetdiscover's text: {(name, port): (GUID, port, GUID, port)}, each once."""
    at, found, ends = None, {}, collections.Counter()
    for line in text.splitlines():
        head = re.match(r'(?:Switch|Ca|Rt)\s*\d+ "([SHR]-\w+)"', line)
        at = head[1] if head else at
        port = re.match(r'\[(\d+)\]\S*\s+"(S-\w+)"\[(\d+)\]', line)
        if port and at[0] == "S" and at < port[2]:
            found[at, int(port[1])] = ("0x" + at[2:], int(port[1]), "0x" + port[2][2:], int(port[3]))
            ends.update((at, port[2]))
    return {c: ends_of for c, ends_of in found.items() if ends[c[0]] > 1 and ends["S-" + ends_of[2][2:]] > 1}


def resident(pid):
    """KiB."""
    with open("/proc/%d/status" % pid, encoding="ascii") as f:
        return int(re.search(r"VmRSS:\s+(\d+)", f.read())[1])


def apart(dice, cables, n):
    """n cables, no two at one switch, so that no switch is cut off."""
    drawn, at = [], set()
    for c in dice.sample(sorted(cables), len(cables)):
        ends = {cables[c][0], cables[c][2]}
        if len(drawn) < n and not at & ends:
            drawn.append(c)
            at |= ends
    return drawn


def each_change(ibscope, check, sim, cables, changes, at_once, keep):
    """
    One object a change, none lost and none twice, and memory that does not grow: `changes` cables go and come back, as many between
    two readings as at_once has (least, most); `keep` events are kept.
    """
    seed = chosen_seed()
    print("watch, each change: SEED=%s" % seed, flush=True)
    dice, down, told, sizes, done = random.Random(seed), [], 0, [], 0
    p = subprocess.Popen([ibscope, "--json", "-e", "live tables wait 3600; watch 3600 keep %d" % keep], env=sim.env(True), stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, text=True)

    def reading():
        """What is told of the reading before its own object.  A simulator that is given no time for 10 s is asked again."""
        found = []
        for line in p.stdout:
            o = json.loads(line)
            if "failed" in o:
                p.send_signal(signal.SIGHUP)
                continue
            if o.get("kind") == "round":
                return sorted((x["kind"], *sorted([(x["a_guid"], x["a_port"]), (x["b_guid"], x["b_port"])])) if x["kind"].startswith("link_")
                              else (x["kind"],) for x in found if x["kind"] != "tables_changed")
            found += [o] if "kind" in o else []
        raise OSError("watch ended: %s" % p.wait())

    def ends(cable):
        return sorted([cables[cable][:2], cables[cable][2:]])

    try:
        reading()
        while done < changes:
            back, n = bool(down), dice.randint(*at_once)
            some = down if back else apart(dice, cables, min(n, changes - done))
            down = [] if back else some
            sim.console(*('%s "%s"[%d]' % (("ReLink" if back else "Unlink",) + c) for c in some))
            p.send_signal(signal.SIGHUP)
            said, want = reading(), sorted(("link_up" if back else "link_down", *ends(c)) for c in some)
            told += len(set(said) & set(want))
            if said != want:
                check("each change is told once, and nothing else, SEED=%s, after %d" % (seed, done), False,
                      (set(want) - set(said), set(said) - set(want), len(said), len(want)))
            before, done = done, done + len(some)
            sizes.append(resident(p.pid))
            if len(sizes) % 10 == 0 or any(before < mark <= done for mark in (10, 100, 500, changes)):
                print("watch: %d changes in %d readings, %d lines, keep %d: %.1f MiB" % (done, len(sizes), told, keep, sizes[-1] / 1024), flush=True)
        p.send_signal(signal.SIGHUP)
        check("nothing is told a second time", reading() == [], seed)
        check("each of %d changes is told once" % changes, told == done >= changes, (told, done))
        full = max(sizes[:2 * keep + 4])    # as many events are kept then as ever
        check("memory is bounded after each of %d readings, keep %d" % (len(sizes), keep), max(sizes) <= full * 1.1 + 1024, (full, sizes))
        p.send_signal(signal.SIGTERM)
        last = json.loads(p.stdout.read().splitlines()[-1])
        check("the last line", "watch ended by SIGTERM" in last["text"][-1] and "rounds" not in last, last)
    finally:
        if p.poll() is None:
            p.kill()
            p.wait()
        p.stdout.close()


def any_moment(ibscope, check, sim, cables):
    """SIGHUP, SIGTERM and a reader that goes away, at any moment: no line that was due is lost, none is cut."""
    seed = chosen_seed()
    dice, want = random.Random(seed), []
    print("watch at any moment: SEED=%s" % seed, flush=True)

    def begin():
        p = subprocess.Popen([ibscope, "--json", "-e", "watch 3600 keep 3"], env=sim.env(True), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        return p, p.stdout.readline()

    def change(p, n):
        cable = sorted(cables)[dice.randrange(len(cables))] if n % 2 == 0 else want[-1][1]
        want.append(("link_up" if n % 2 else "link_down", cable))
        sim.console('%s "%s"[%d]' % (("ReLink" if n % 2 else "Unlink",) + cable))
        for _ in range(dice.randrange(1, 4)):
            time.sleep(dice.random() * 0.05)
            p.send_signal(signal.SIGHUP)

    p, first = begin()
    try:
        told = [json.loads(first)]
        for n in range(6):
            change(p, n)
            while not told[-1]["kind"].startswith("link_") or sum(o["kind"].startswith("link_") for o in told) <= n:
                told.append(json.loads(p.stdout.readline()))
                if told[-1]["kind"] == "round":     # the simulator may not have done it yet
                    p.send_signal(signal.SIGHUP)
        change(p, 6)                            # may be seen before it ends, or not
        time.sleep(dice.random() * 0.2)
        p.send_signal(signal.SIGTERM)
        rest = p.stdout.read()
        told += [json.loads(line) for line in rest.splitlines()]
        links = [o["kind"] for o in told if o.get("kind", "").startswith("link_")]
        check("watch ends by SIGTERM at any moment, SEED=%s" % seed, p.wait(BOUND) in (0, 1) and rest.endswith("\n") and "kind" not in told[-1]
              and "watch ended by SIGTERM" in told[-1]["text"][-1] and links in ([k for k, _ in want], [k for k, _ in want[:-1]]), (p.returncode, told[-3:], links))
        sim.console('ReLink "%s"[%d]' % want[-1][1])
        p.stdout.close()
        p, _ = begin()
        p.stdout.close()                        # nobody reads any more
        time.sleep(dice.random() * 0.1)
        p.send_signal(signal.SIGHUP)
        check("watch ends when its reader went away, SEED=%s" % seed, p.wait(BOUND) in (-signal.SIGPIPE, 3), p.returncode)
    finally:
        if p.poll() is None:
            p.kill()
            p.wait()
        p.stdout.close()


def all_of(ibscope, check, sim, sweep):
    """sim: a simulator of tests/live/two-level.net; sweep(sim): OpenSM, once."""
    seed = chosen_seed()
    dice = random.Random(seed)
    print("watched: SEED=%s" % seed)
    sweep(sim)
    p = subprocess.Popen([ibscope, "--json", "-x", "-"], env=sim.env(True), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(command):
        p.stdin.write(command + "\n")
        p.stdin.flush()
        reading = None
        while True:
            o = json.loads(p.stdout.readline())
            if "kind" not in o:     # no change, and no reading
                return reading or o
            if o["kind"] == "round":
                reading = o

    try:
        at, cables = None, []
        for line in sim.run("ibnetdiscover").stdout.splitlines():
            head = re.match(r'(?:Switch|Ca)\s\d+ "([SH]-\w+)"', line)
            at = head[1] if head else at
            port = re.match(r'\[(\d+)\]\S*\s+"([SH]-\w+)"\[(\d+)\]', line)
            if port and at[0] == "S" and port[2] != at:
                cables.append('"%s"[%s]' % (at, port[1]))
        down, was, done = [], None, []
        for step in range(STEPS):
            if step:
                what = dice.choice(["Unlink", "Unlink", "ReLink", "sweep", "nothing"] if len(down) < 4 else ["ReLink", "sweep"])
                place = dice.choice(cables if what == "Unlink" else down or ["none"])
                if what == "sweep":
                    sweep(sim)
                elif what in ("Unlink", "ReLink") and place != "none":
                    sim.console("%s %s" % (what, place))
                    down = down + [place] if what == "Unlink" else [x for x in down if x != place]
                done.append("%s %s" % (what, place))
            now, told = Reading(sim), ask("watch 0 rounds 1")
            name = "watch, SEED=%s, %s: " % (seed, done)
            figures, followed = now.figures()
            check(name + "entries", told["entries"] == (changed_entries(was, now) if was else 0),
                  (told["entries"], was and changed_entries(was, now)))
            states = changed_states(was, now) if was else 0
            check(name + "states", told.get("states") == states, (told, states))
            if "dead_entries" in told:
                check(name + "figures", {k: told[k] for k in figures} == figures, (told, figures))
            check(name + "followed", told["followed"] == followed, (told, figures))
            gone, come = (was.cables() - now.cables(), now.cables() - was.cables()) if was else ((), ())
            sign, links = "", {"-": set(), "+": set()}
            for change in told["changes"]:      # cables of a node stand below it, without a sign: below both where both went
                sign = change[0] if change[0] != " " else sign
                cable = re.search(r" link (.+?\]) -- (.+?\])", change)
                links.get(sign, set()).update([frozenset(cable.groups())] if cable else [])
            check(name + "cables", (len(links["-"]), len(links["+"])) == (len(gone), len(come)), (told["changes"], gone, come))
            check(name + "an event when something changed", not was or ("event" in told) == bool(told["changes"] or told["entries"] or states), told)
            was = now
        sim.console(*("ReLink " + place for place in down))
        sweep(sim)
        for port in dice.sample(sorted(x for x in was.net.peer if x[0]), 3):
            tool = lambda: {n: int(v) for n, v in re.findall(r"^(\w+):\.*(\d+)$", sim.run("perfquery", *map(str, port)).stdout, re.M)}
            before, told, behind = tool(), ask("counters %s[%d]" % ("0x%x" % was.net.guid[port[0]], port[1])), tool()
            check("counters %s: names" % (port,), set(told.get("counters", ())) == set(COUNTER), told)
            wrong = {k: v for k, v in told.get("counters", {}).items() if not before[COUNTER[k]] <= v <= behind[COUNTER[k]]}
            check("counters %s" % (port,), not wrong, (wrong, before, behind))
            text = dict(re.findall(r"^  (\w+) +(\d+)$", "\n".join(told.get("text", ())), re.M))
            check("counters %s: text" % (port,), text == {k: str(v) for k, v in told.get("counters", {}).items()
                                                        if v or re.search("_data|_packets", k)}, told)
    finally:
        p.kill()
        p.wait()
