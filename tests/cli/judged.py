"""What a judgement is about: tables that the switches hold before computed ones, told in the first line and in JSON.

A folder as OpenSM leaves it holds Min Hop's tables from before a cable was lost; the file of options asks for Up/Down.
"""
import json
import os
import re

HELD = r"Judged: tables in the switches, read from \S+\.$"
RULES = r"  Rules: public OpenSM\.$"
COMPUTED = (r"Judged: computed by %s; the held ones are not looked at: `tables held`\.  (\d+) of (\d+) entries differ from them\."
            + RULES)
ALONE = r"Judged: computed by %s\." + RULES
JUDGEMENTS = ["check", "doctor", "trace node0001 node0004", "diff kept", "drift updn", "drift", "survey file window.csv gate lost=0"]


def make_files(folder, run):
    """held/ as told above; later/ the same cabling with Up/Down's tables; only.ibnet without tables."""
    for name in ("held", "later"):
        os.makedirs(os.path.join(folder, name))
    with open(os.path.join(folder, "asks.conf"), "w", encoding="utf-8") as f:
        f.write("routing_engine updn\n")
    with open(os.path.join(folder, "window.csv"), "w", encoding="utf-8") as f:
        f.write("node,port,ticket\nleaf-02,4,CHG1\n")
    run(["xgft:3,3:1,2", "-R", "minhop", "-e", "export lfts held/opensm-lfts.dump; fail link leaf-01[4]; "
         "export subnet held/opensm-subnet.lst; save only.ibnet; route updn; export lfts later/opensm-lfts.dump; "
         "export subnet later/opensm-subnet.lst"], folder)


def asked(run, folder, args, commands):
    """([line, ...], {command: object}) of a run as text, and again as JSON."""
    text = run([*args, "-e", commands], folder)
    said = run(["--json", *args, "-e", commands], folder)
    return text.stdout.splitlines(), {o["command"]: o for o in map(json.loads, said.stdout.splitlines())}


def differing(a, b, run, folder):
    """Entries of dump a that dump b has otherwise, of the switches and LIDs of both."""
    def entries(path):
        here, out = "", {}
        with open(os.path.join(folder, path), encoding="utf-8") as f:
            for line in f:
                head, row = re.match(r"Unicast lids .* guid (0x\w+)", line), re.match(r"0x(\w+) (\d+) ", line)
                here = head[1] if head else here
                if row:
                    out[here, row[1]] = int(row[2])
        return out
    x, y = entries(a), entries(b)
    return sum(x.get(k) != y.get(k) for k in set(x) | set(y)), len(x)


def one_rule(folder, run):
    """-F and a folder alone judge what is held, in every judgement; -R and route what is computed, and count."""
    run(["held", "-e", "route updn; export lfts updn.lfts"], folder)
    differ, of = differing("held/opensm-lfts.dump", "updn.lfts", run, folder)
    if not differ:
        return "the cases are alike: nothing differs"
    for args, before, held in ((["held"], "", True), (["-F", "asks.conf", "held"], "", True),
                               (["held"], "config asks.conf; ", True), (["-R", "updn", "held"], "", False),
                               (["-R", "updn", "-F", "asks.conf", "held"], "", False), (["held"], "route updn; ", False),
                               (["-R", "updn", "held"], "tables held; ", True), (["only.ibnet"], "tables held else updn; ", None),
                               (["-F", "asks.conf", "only.ibnet"], "", None)):
        for judgement in JUDGEMENTS:
            if held is None and judgement.startswith("drift"):
                continue
            lines, json_of = asked(run, folder, args, before + "snapshot kept; echo ASKED; " + judgement)
            first = lines[lines.index("ASKED") + 1]
            told = json_of[judgement.split()[0]]
            of_held = held or judgement.startswith("drift")
            want = HELD if of_held else (ALONE if held is None else COMPUTED) % "updn"
            found = re.match(want, first)
            if not found or told["judged"] != ("held" if of_held else "computed"):
                return "%s %s%s: %r, judged: %s" % (args, before, judgement, first, told.get("judged"))
            if found.groups() and (int(found[1]), int(found[2])) != (differ, of):
                return "%s: %r, but %d of %d differ" % (args, first, differ, of)
            if told.get("differ_from_held") != (differ if held is False else None):
                return "%s %s: differ_from_held %s, not %d" % (args, judgement, told.get("differ_from_held"), differ)
    return None


def elsewhere(folder, run):
    """The title of the pane check, and `report change`: in its second line, of each state, and in JSON."""
    run(["held", "-e", "route updn; export lfts updn.lfts"], folder)
    differ, of = differing("held/opensm-lfts.dump", "updn.lfts", run, folder)
    for args, title in ((["held"], "tables in the switches, read from held"), (["-R", "updn", "only.ibnet"], "computed by updn"),
                        (["-R", "updn", "held"], "computed by updn, unlike those held in %d of %d entries" % (differ, of))):
        said = objects_of(folder, run, args, "list check")[0]["list"]["title"]
        if not re.fullmatch(r"Check \u2500\u2500 .* \u2500\u2500 %s" % re.escape(title), said):
            return "%s: no title with %s: %s" % (args, title, said)
    lines, told = asked(run, folder, ["held"], "route updn; report change -")
    begin = next(i for i, line in enumerate(lines) if line.startswith("# Change of "))
    first, *states = [line.replace("\\", "") for line in lines[begin:] if "Judged: " in line]
    if lines.index(next(line for line in lines if "Judged: " in line)) != begin + 4 or not re.match(COMPUTED % "updn", first):
        return "report change: %s" % lines[begin:begin + 9]
    if not re.match(HELD, states[0]) or states[-1] != first:
        return "states of report change: %s" % states
    report = told["report"]
    if (report["judged"], report["differ_from_held"], [x.get("judged") for x in report["states"]]) != (
            "computed", differ, ["held"] * (len(states) - 1) + ["computed"]):
        return "report change: %s" % report
    return None


def same_answer(folder, run):
    """-F changes nothing of what is found in held tables: pairs, findings, Nagios' line."""
    for commands in ("check", "trace node0001 node0004", "check format nagios"):
        plain, options = (run([*args, "held", "-e", commands], folder) for args in ([], ["-F", "asks.conf"]))
        if (plain.returncode, plain.stdout) != (options.returncode, options.stdout):
            return "%s: with -F %d %s" % (commands, options.returncode, options.stdout[:300])
    found = run(["-F", "asks.conf", "held", "-e", "check"], folder)
    if found.returncode != 1 or not re.search(r"[1-9]\d* unreachable", found.stdout):
        return "the lost pairs are not told: %s" % found.stdout[:300]
    line = run(["-R", "updn", "held", "-e", "check format nagios"], folder).stdout
    if not re.match(r"IBSCOPE OK: computed by updn, .*; \d+ entries differ from those in the switches", line):
        return "Nagios' line of computed tables: %s" % line
    return None


def left_out(folder, run):
    """The tables of a second file count under -F, and are told where an engine in force leaves them out."""
    lines, _ = asked(run, folder, ["-F", "asks.conf", "held"], "snapshot a; load later; diff a")
    if not any(re.match(r"[1-9]\d* entr\w+ on \d+ switch", line) for line in lines) or any("left out" in line for line in lines):
        return "with -F: %s" % lines
    lines, _ = asked(run, folder, ["-R", "updn", "held"], "snapshot a; load later; diff a; tables held; diff a")
    if sum("The tables that later has are left out, as updn is in force: `tables held` takes them." in line for line in lines) != 1:
        return "not told: %s" % lines
    if sum("Compared with: computed by updn." in line for line in lines) != 1:
        return "the other side is not told once: %s" % lines
    done = run(["only.ibnet", "-R", "updn", "-e", "tables held"], folder)
    return None if done.returncode == 3 and "no tables of the switches were read" in done.stderr else "tables held: %s" % done.stderr


def objects_of(folder, run, args, commands):
    """({command: object}, exit status, text) of a run."""
    done = run(["--json", *args, "-e", commands], folder)
    return {o["command"]: o for o in map(json.loads, done.stdout.splitlines())}, done.returncode, run([*args, "-e", commands], folder).stdout


def changed(folder, name, to, change):
    """The lines of a dump that change() keeps, as it returns them, in a file of their own."""
    with open(os.path.join(folder, name), encoding="utf-8") as f:
        lines = [change(line) for line in f]
    with open(os.path.join(folder, to), "w", encoding="utf-8") as f:
        f.writelines(line for line in lines if line)


def lmc(folder, run):
    """Healthy tables with LMC 1 and 2 do not drift; of a port's LIDs the lost one is named."""
    for n in (1, 2):
        name = "lmc%d" % n
        os.makedirs(os.path.join(folder, name))
        run(["xgft:3,3:1,2", "-e", "set lmc %d; route updn; export lfts %s/opensm-lfts.dump; export subnet %s/opensm-subnet.lst"
             % (n, name, name)], folder)
        told, status, text = objects_of(folder, run, [name], "drift updn; doctor")
        if status or told["drift"]["agreement"] != 1 or any(x["kind"] in ("stale", "drift-unknown") for x in told["doctor"]["findings"]):
            return "LMC %d: status %d, %s" % (n, status, text)
        if run([name, "-e", "drift updn lmc=%d" % (3 - n)], folder).returncode != 1:
            return "LMC %d: another one was asked for, and nothing drifts" % n
    with open(os.path.join(folder, "lmc1/opensm-lfts.dump"), encoding="utf-8") as f:
        lid = max(int(line[2:6], 16) for line in f if "'node0009'" in line)
    changed(folder, "lmc1/opensm-lfts.dump", "one-lid.lfts", lambda line: None if line.startswith("0x%04x " % lid) else line)
    told, _, text = objects_of(folder, run, ["lmc1"], "tables one-lid.lfts; doctor")
    more = [x["more"] for x in told["doctor"]["findings"] if x["kind"] == "unreachable"]
    if not more or not all(re.fullmatch(r"trace \S+ %d" % lid, m) for m in more):
        return "LID %d is lost: %s" % (lid, text)
    return None if "NO PATH" in run(["lmc1", "-e", "tables one-lid.lfts; " + more[0]], folder).stdout else "%s has a path" % more[0]


def not_in_file(folder, run):
    """A list of the LIDs of hosts: what is there agrees, the rest is not judged.  A refusing engine is not the best."""
    run(["xgft:3,3:1,2", "-R", "minhop", "-e", "save listed.ibnet; export lfts listed.lfts; export subnet listed.lst"], folder)
    changed(folder, "listed.lfts", "hosts.lfts", lambda line: None if "# Switch " in line else line)
    told, status, text = objects_of(folder, run, ["listed.ibnet"], "tables hosts.lfts; drift minhop")
    drift = told["drift"]
    if (drift["agreement"], drift["not_in_file"], drift["complete"], status) != (1, 25, False, 3) or drift["classes"]["missing"]:
        return "agreement %s, not_in_file %s, status %d: %s" % (drift["agreement"], drift["not_in_file"], status, text)
    lid = re.search(r"^0x(\w+) \d+ # .*'node0001'", open(os.path.join(folder, "listed.lfts"), encoding="utf-8").read(), re.M)[1]
    here = []
    changed(folder, "hosts.lfts", "gap.lfts", lambda line: None if line.startswith("0x%s " % lid) and not here and not here.append(1) else line)
    told, status, text = objects_of(folder, run, ["listed.ibnet"], "tables gap.lfts; drift minhop")
    if told["drift"]["classes"]["missing"] != 1 or status != 1:
        return "an entry that one switch lacks: %s" % text
    run(["torus:4x4", "-R", "minhop", "-e", "save grid.ibnet; export lfts grid.lfts"], folder)
    with open(os.path.join(folder, "ftree.conf"), "w", encoding="utf-8") as f:
        f.write("routing_engine ftree\n")
    told, status, text = objects_of(folder, run, ["-F", "ftree.conf", "grid.ibnet"], "tables grid.lfts; drift")
    first = told["drift"]["engines"][0]
    return text if first.get("refused") or first["engine"] != "minhop" or first["agreement"] != 1 or status else None


def without_lid(folder, run):
    """A host without LID: check, doctor and trace agree."""
    dump = os.path.join(folder, "listed.lst")
    with open(dump, encoding="utf-8") as f:
        text = f.read()
    with open(os.path.join(folder, "no-lid.lst"), "w", encoding="utf-8") as f:
        f.write(re.sub(r"(\{node0009\} LID:)\w+", r"\g<1>0000", text))
    changed(folder, "listed.lfts", "without.lfts", lambda line: None if "'node0009'" in line else line)
    told, status, text = objects_of(folder, run, ["no-lid.lst"], "tables without.lfts; check; doctor; trace node0009 node0001")
    lost = [x["pairs"] for x in told["doctor"]["findings"] if x["kind"] == "unreachable"]
    ends = told["trace"]["forward"]["ok"], told["trace"]["back"]["ok"]
    good = told["check"]["pairs_lost"] == 16 and lost == [16] and ends == (False, False) and status == 1
    return None if good else "check %s, doctor %s, trace %s: %s" % (told["check"]["pairs_lost"], lost, ends, text)


def rebooted(folder, run):
    """A host rebooted while no manager ran: its port is in Initialize and has no LID.  check, doctor and trace agree on 126 pairs."""
    os.makedirs(os.path.join(folder, "rebooted"))
    run(["xgft:8,8:1,4", "-R", "minhop", "-e", "export lfts whole.lfts; export subnet whole.lst"], folder)
    changed(folder, "whole.lfts", "rebooted/opensm-lfts.dump", lambda line: None if "'node0020'" in line else line)
    changed(folder, "whole.lst", "rebooted/opensm-subnet.lst", lambda line: re.sub(r"(\{node0020\} LID:)\w+", r"\g<1>0000", line)
            .replace("LOG=ACT", "LOG=INI") if "{node0020}" in line else line)
    told, status, text = objects_of(folder, run, ["rebooted"], "check; doctor; trace node0020 node0001")
    check, first = told["check"], told["doctor"]["findings"][0]
    if (check["pairs_lost"], [(c["what"], c["pairs"]) for c in check["causes"]], check["unreachable"], status) != (126, [("node0020[1]", 126)], 0, 1):
        return "check: %s" % text
    if [(f["kind"], [x["name"] for x in f["to"]]) for f in check["faults"]] != [("no_lid", ["node0020"])]:
        return "its faults: %s" % check["faults"]
    if (first["kind"], first["pairs"]) != ("not-active", 126) or sum(x.get("pairs") or 0 for x in told["doctor"]["findings"]) != 126:
        return "doctor: %s" % text
    if told["trace"]["forward"]["ok"] or told["trace"]["back"]["ok"]:
        return "trace: %s" % text
    os.makedirs(os.path.join(folder, "rebooted-before"))
    for part, to in (("whole.lfts", "opensm-lfts.dump"), ("whole.lst", "opensm-subnet.lst")):
        changed(folder, part, "rebooted-before/" + to, lambda line: line)
    event = [objects_of(folder, run, ["rebooted-before"], "load rebooted next; %sdiff" % then)[0]["diff"]["change"] for then in ("", "load rebooted-before next; ")]
    if [(x["lost"], x["regained"]) for x in event] != [(126, 0), (0, 126)]:
        return "events: %s" % event
    # with its LID, entries lead to its port: not-active has told that; an entry to nowhere is told alone
    os.makedirs(os.path.join(folder, "idle"))
    changed(folder, "whole.lst", "idle/opensm-subnet.lst", lambda line: line.replace("LOG=ACT", "LOG=INI") if "{node0020}" in line else line)
    for dead in (0, 1):
        left = [1] * dead
        changed(folder, "whole.lfts", "idle/opensm-lfts.dump",
                lambda line: re.sub(r" \d+ ", " 200 ", line, count=left.pop()) if "'node0033'" in line and left else line)
        told, _, text = objects_of(folder, run, ["idle"], "doctor")
        kinds = [x["kind"] for x in told["doctor"]["findings"]]
        if "not-active" not in kinds or kinds.count("unreachable") != dead or "drift-unknown" in kinds and not dead:
            return "a wrong entry beside not-active: %s" % text
    links, _, text = objects_of(folder, run, ["rebooted"], "show links")
    node, _, port = objects_of(folder, run, ["rebooted"], "show node leaf-03[4]")
    states = [(x["b"], x["state"]) for x in links["show"]["links"] if "state" in x], [x["state"] for x in node["show"]["node"]["ports"]]
    if states != ([("node0020[1]", "Initialize")], ["Initialize"]) \
            or not re.search(r"^Initialize leaf-03\[4\]", text, re.M) or "[4] Initialize " not in port:
        return "lists of ports: %s%s" % (text, port)
    drawn = run(["rebooted", "-e", "export dot -; route updn; sweep; export dot -"], folder).stdout.split("graph ")
    if [x.count("color=red") for x in drawn[1:]] != [1, 0]:
        return "drawn: %s" % drawn
    line = run(["rebooted", "-e", "check format nagios"], folder).stdout
    return None if "CRITICAL" in line and "1 endport without LID" in line else line


def same_lid(folder, run):
    """A host has the LID of another: doctor tells the pairs that reach the wrong port."""
    os.makedirs(os.path.join(folder, "same"))
    run(["xgft:3,3:1,2", "-R", "minhop", "-e", "export lfts whole.lfts; export subnet whole.lst"], folder)
    with open(os.path.join(folder, "whole.lst"), encoding="utf-8") as f:
        lid = re.search(r"\{node0001\} LID:(\w+)", f.read())[1]
    changed(folder, "whole.lst", "same/opensm-subnet.lst", lambda line: re.sub(r"(\{node0009\} LID:)\w+", r"\g<1>" + lid, line))
    changed(folder, "whole.lfts", "same/opensm-lfts.dump", lambda line: line if "Unicast" in line else re.sub("#.*", "", line))
    told, _, text = objects_of(folder, run, ["same"], "doctor; check")
    found = [x for x in told["doctor"]["findings"] if x["kind"] == "duplicate-lid"]
    return None if [(x["pairs"], "8 pairs of hosts reach the wrong port" in x["text"]) for x in found] == [(8, True)] \
        and told["check"]["pairs_lost"] == 8 else text


def other_engine(folder, run):
    """The switches hold dfsssp, the file of options says ftree: doctor says so of held tables, and judges these under -F."""
    os.makedirs(os.path.join(folder, "dfsssp"))
    run(["xgft:4,4:1,4", "-R", "dfsssp", "-e", "export lfts dfsssp/opensm-lfts.dump; export subnet dfsssp/opensm-subnet.lst"], folder)
    with open(os.path.join(folder, "says.conf"), "w", encoding="utf-8") as f:
        f.write("routing_engine ftree\n")
    words = "The switches hold the tables of dfsssp, the configuration says ftree: a restart changes 20 entries."
    for args, judged, want in ((["-F", "says.conf", "dfsssp"], "held", [words]), (["dfsssp"], "held", []),
                               (["-F", "says.conf", "-R", "ftree", "dfsssp"], "computed", [])):
        told, _, text = objects_of(folder, run, args, "doctor")
        found = [x["text"] for x in told["doctor"]["findings"] if x["kind"] == "other-engine"]
        if (told["doctor"]["judged"], found) != (judged, want):
            return "%s: %s, %s" % (args, told["doctor"]["judged"], text)
    return None


def named(folder, run):
    """The engine that a log or the configuration names comes before a guess, but not one that refuses."""
    run(["xgft:4,4:1,4", "-R", "minhop", "-e", "save tree.ibnet; export lfts tree.lfts"], folder)
    run(["torus:4x4", "-R", "minhop", "-e", "save ring.ibnet; export lfts ring.lfts"], folder)
    with open(os.path.join(folder, "opensm.log"), "w", encoding="utf-8") as f:
        f.write("Nov 29 10:00:00 123456 [81B766C0] 0x02 -> osm_ucast_mgr_process: ftree tables configured on all switches\n")
    for engine in ("updn", "ftree"):
        with open(os.path.join(folder, engine + ".conf"), "w", encoding="utf-8") as f:
            f.write("routing_engine %s\n" % engine)
    for args, before, tables, begins in (
            (["tree.ibnet"], "", "tree", "minhop, updn or ftree, which cannot be told apart on this fabric."),
            (["tree.ibnet"], "set scatter_ports 8; ", "tree", "ftree with roots spine-01, spine-02, spine-03, spine-04 (by levels): "),
            (["tree.ibnet"], "log opensm.log; ", "tree", "ftree with roots spine-01, spine-02, spine-03, spine-04 (by levels), which the subnet manager's log names: "),
            (["-F", "updn.conf", "tree.ibnet"], "", "tree", "updn with roots spine-01, spine-02, spine-03, spine-04 (by levels), which the configuration names: "),
            (["-F", "ftree.conf", "ring.ibnet"], "", "ring", "minhop")):
        told, _, text = objects_of(folder, run, args, "%stables %s.lfts; drift" % (before, tables))
        verdict = told["drift"]["verdict"]
        if not verdict.startswith("These tables follow " + begins) or "choose otherwise" in text:
            return "%s %s: %s" % (args, before, verdict)
    return None


TESTS = (("judged: who names the engine", named), ("judged: the same LID", same_lid), ("judged: LMC", lmc), ("judged: a host rebooted", rebooted),
         ("judged: not in the file", not_in_file), ("judged: a host without LID", without_lid), ("judged: another engine than the file says", other_engine),
         ("judged: one rule", one_rule), ("judged: pane check, report change", elsewhere), ("judged: the same answer with -F", same_answer), ("judged: left out", left_out))
