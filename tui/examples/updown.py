#!/usr/bin/env python3
"""Up*/Down* as a routing engine of one's own: `ibscope -R "script:./updown.py [ROOT...]" FABRIC`.

Input: the fabric as `export json` writes it, with the tables before.  Output: the table of each switch.  Roots are
named, or else the switches farthest from all hosts.  A path goes up towards them, then down.  An entry that is still
good stays; else, of equal ports, the one with the fewest hosts so far is taken.
"""
import collections
import json
import sys

fabric = json.load(sys.stdin)
switches = {s["guid"]: s for s in fabric["switches"] if s["up"]}
cables = {guid: {} for guid in switches}  # of a switch: {port: GUID of the switch behind it}
for link in fabric["links"]:
    for one, other in ("a", "b"), ("b", "a"):
        if link["up"] and link["a_guid"] in cables and link["b_guid"] in cables:
            cables[link[one + "_guid"]][link[one + "_port"]] = link[other + "_guid"]


def hops(begin, allowed=lambda a, b: True):
    """{switch: hops from the nearest of `begin`}, over cables that are allowed."""
    far = dict.fromkeys(begin, 0)
    for a in (todo := list(far)):
        new = {b: far[a] + 1 for b in cables[a].values() if b not in far and allowed(a, b)}
        far.update(new)
        todo += new
    return far


hosts = [h for h in fabric["endports"] if h["up"] and h.get("switch")]
crowd = collections.Counter(h["switch_guid"] for h in hosts)  # OpenSM's order: switches with most hosts first
hosts.sort(key=lambda h: (-crowd[h["switch_guid"]], bytes.fromhex(h["switch_guid"][2:])[::-1], h["port"]))
height = hops(crowd)
rank = hops([s for s in switches if switches[s]["name"] in sys.argv[1:]]
            or [s for s in height if height[s] == max(height.values())] or list(switches)[:1])
table = {s: {} for s in rank}
taken = collections.Counter()  # hosts by (switch, port)
for lid, target, last in [(h["lid"] + i, h["switch_guid"], h["port"]) for h in hosts for i in range(h["lids"])] + [
        (switches[s]["lid"], s, 0) for s in rank]:
    down = hops([target], lambda a, b: rank[b] < rank[a])  # those that reach it by going down only
    far = dict(down)
    for s in sorted(rank, key=rank.get):  # all others go up first
        ways = {p: b for p, b in cables[s].items()
                if (b in down and rank[b] > rank[s] if s in down else b in far and rank[b] < rank[s])}
        if s != target and ways:
            far[s] = 1 + min(far[b] for b in ways.values())
            best = [p for p in sorted(ways) if far[ways[p]] == far[s] - 1]
            before = not fabric.get("from_scratch") and switches[s].get("lft", {}).get(str(lid))
            table[s][lid] = before if before in best else min(best, key=lambda p: taken[s, p])
            taken[s, table[s][lid]] += last > 0
    table[target][lid] = last
for s in table:
    print("Unicast lids of switch Lid %d guid %s" % (switches[s]["lid"], s))
    print("\n".join("0x%04x %03d" % entry for entry in sorted(table[s].items())))
