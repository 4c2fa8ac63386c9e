#!/usr/bin/env python3
"""Lessons: each says what its commands print, and is played in the terminal test; small fabrics by name; quiz.

IBSCOPE=build/ibscope.  Prints what is wrong, at last "N passed, N failed".
"""
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from performed import performed
from trial import BOUND, Tally

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
IBSCOPE = os.path.join(TOP, os.environ.get("IBSCOPE", "build/ibscope"))
FOLDER = os.path.join(TOP, "views/lessons")
verdict = Tally()


def run(*arguments, cwd=TOP, text="", **env):
    return subprocess.run([IBSCOPE, *arguments], cwd=cwd, input=text, text=True, timeout=BOUND,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, **env))


def answer(command, *more):
    return json.loads(run("--json", "-e", command, *more).stdout.splitlines()[-1])


def content(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as f:
        return f.read()


def bundled():
    """Every lesson: its expectations are met, there are some for each step that runs anything, it is played."""
    lessons = answer("lesson")["lessons"]
    files = sorted(os.path.basename(p)[:-7] for p in glob.glob(os.path.join(FOLDER, "*.lesson")))
    verdict(sorted(x["name"] for x in lessons) == files, "`lesson` lists %s" % [x["name"] for x in lessons])
    verdict(len(files) >= 15, "found %d lessons, expected 15 or more" % len(files))
    shown = run("-e", "lesson").stdout.splitlines()
    verdict(sum(re.match(r"  \w+ +\S.* \(\d+ steps?\)$", x) is not None for x in shown) == len(files), "`lesson` does not print a line a lesson")
    screens = "".join(open(p, encoding="utf-8").read() for p in glob.glob(os.path.join(TOP, "tests/tui/lessons-*.test")))
    for x in lessons:
        name, steps = x["name"], x["steps"]
        done = run("-e", "lesson %s check" % name)
        verdict(done.returncode == 0, "lesson %s check: %s%s" % (name, done.stdout, done.stderr))
        text = content(name + ".lesson")
        for i, step in enumerate(text.split("\ntext:")[1:]):
            verdict("\nexpect:" in step, "lesson %s, step %d: nothing is expected" % (name, i + 1))
            verdict(not re.search(r"\nlook: .*\n(?!see: )", step), "lesson %s, step %d: what is seen in the pane?" % (name, i + 1))
        for i in range(1, steps + 1):
            verdict("wait ▸Lesson %s %d/%d\n" % (name, i, steps) in screens, "lesson %s, step %d is not played in tests/tui" % (name, i))
        played = answer("lesson %s all" % name)["steps"]
        verdict([s["step"] for s in played] == list(range(1, steps + 1)), "lesson %s all: steps" % name)
        verdict(all("answer" in s for s in played if "ask" in s), "lesson %s all: answers" % name)
        alone = answer("lesson %s %d" % (name, steps))["steps"]      # set up anew, without the output before
        verdict([[r["commands"], r["ok"]] for r in alone[0]["runs"]] ==
                [[r["commands"], r["ok"]] for r in played[-1]["runs"]], "lesson %s %d alone" % (name, steps))


def fabrics():
    lines = [line.split(None, 2) for line in content("fabrics").splitlines() if line and line[0] != "#"]
    for name, spec, note in lines:
        told = answer("synth lesson:" + name)
        verdict(told["ok"] and told["note"] == note.strip(), "synth lesson:%s: %s" % (name, told))
        verdict(told["fabric"] == answer("synth " + spec)["fabric"], "synth lesson:%s is not %s" % (name, spec))
    used = {m for p in glob.glob(os.path.join(FOLDER, "*.lesson"))
            for m in re.findall(r"(?:fabric: |synth )lesson:(\w+)", open(p, encoding="utf-8").read())}
    verdict(used == {line[0] for line in lines}, "fabrics without a lesson, or the other way round: %s" %
            sorted(used ^ {line[0] for line in lines}))
    for wrong in ("lesson:nothing", "lesson:", "lesson:../fabrics"):
        done = run("-e", "synth " + wrong)
        verdict(done.returncode == 2, "synth %s: status %d" % (wrong, done.returncode))
    done = run("-e", "set root_guid_file lesson:nothing.roots", "ring:5")
    verdict(done.returncode == 3 and "lessons" in done.stderr, "root_guid_file lesson:nothing.roots: %s" % done.stderr)
    for wrong in ("lesson:nothing.far", "lesson:../square.far", "lesson:"):
        done = run("-e", "tables " + wrong, "mesh:2x2")
        verdict(done.returncode == 3 and "lessons" in done.stderr, "tables %s: %s" % (wrong, done.stderr))


def own():
    """Lessons of one's own; wrong ones are told with file and line, and checks that must fail do."""
    with tempfile.TemporaryDirectory() as home:
        folder = os.path.join(home, "ibscope/lessons")
        os.makedirs(folder)

        def lesson(name, text):
            with open(os.path.join(folder, name + ".lesson"), "w") as f:
                f.write(text)

        def check(command):
            done = run("-e", command, XDG_CONFIG_HOME=home)
            return done.returncode, done.stdout + done.stderr

        head = "title: Mine\nfabric: ring:3\n"
        lesson("mine", head + "text: First\n  and more.\nrun: route minhop\nexpect: routed 3  switches\n")
        verdict(check("lesson mine check")[0] == 0, "a lesson of one's own")
        verdict("Mine (1 step)" in check("lesson")[1], "it is not listed")
        for text, says in (
                ("text: x\nrun: route minhop\nexpect: routed 4 switches\n", "does not say: routed 4 switches"),
                ("text: x\nrun: route nothing\n", "no engine of"),
                ("text: x\nlook: nothing-of-this-name\n", "list nothing-of-this-name"),
                ("text: x\nrun: route minhop\nlook: switches\nsee: ring4\n", "`list switches` does not say: ring4"),
                ("text: x\nrun: route minhop\nexpect: routed\nproof: check\nexpect: NOT SOUND\n", "does not say: NOT SOUND")):
            lesson("mine", head + text)
            status, said = check("lesson mine check")
            verdict(status == 1 and says in said, "lesson %r: status %d, %s" % (text, status, said))
        lesson("mine", head + "text: x\nrun: route nothing\nexpect: no engine of\n")
        verdict(check("lesson mine check")[0] == 0, "a message that is expected")
        for text, line in (("", 2), ("text: x\nbla: y\n", 4), ("run: x\n", 3), ("text: x\nexpect: y\n", 4), ("text: x\nsee: y\n", 4), ("nothing\n", 3),
                           ("title: again\n", 3), ("text: x\nanswer: y\n", 4), ("text: x\nask: y\n", 4), ("number: x\n", 3)):
            lesson("mine", head + text)
            status, said = check("lesson mine")
            verdict(status == 3 and "mine.lesson:%d: found " % line in said, "lesson %r: status %d, %s" % (text, status, said))
            done = run("-e", "lesson", XDG_CONFIG_HOME=home)
            verdict(done.returncode == 3 and "mine.lesson:%d: found " % line in done.stdout and "  table " in done.stdout
                    and "1 lesson cannot be read" in done.stderr, "`lesson` with a broken one: %s" % done.stdout[-300:])
        told = json.loads(run("--json", "-e", "lesson check", XDG_CONFIG_HOME=home).stdout.splitlines()[-1])
        verdict(not told["ok"] and len(told["broken"]) == 1 and len(told["checked"]) > 10, "`lesson check` with a broken one")
        file = os.path.join(home, "other.lesson")
        told = check("lesson new %s" % file)
        verdict(told[0] == 0 and check("lesson %s check" % file)[0] == 0, "the template of `lesson new`")
        verdict("`lesson %s` plays it" % file in told[1], "`lesson new` tells how it is played: %s" % told[1])
        verdict("is there already" in check("lesson new %s" % file)[1], "`lesson new` over a file")
        said = check("lesson %s; lesson next; lesson answer" % file)
        verdict(said[0] == 0 and "Step 2 of 3" in said[1] and "The other spine" in said[1], "a lesson by its path: %s" % (said,))
        lesson("mine", " begins with a blank\n")
        verdict("mine.lesson:1: found " in check("lesson mine")[1], "a first line with a blank")
        verdict(check("lesson nothing")[0] == 3 and check("lesson ../mine")[0] == 3, "no such lesson")


def playing():
    """The session is the lesson's; a check leaves it alone."""
    def runs(*commands):
        return [json.loads(line) for line in run("--json", *sum([["-e", c] for c in commands], [])).stdout.splitlines()]

    told = runs("synth torus:4x4", "route minhop lmc=1", "lesson ring check", "show summary", "lesson ring",
                "show options", "fail switch ring0", "lesson next", "show summary", "lesson answer", "lesson back", "lesson back")
    summaries = [t for t in told if t["command"] == "show" and "fabric" in t]
    verdict([s["fabric"]["source"] for s in summaries] == ["torus:4x4", "ring:5"], "fabrics: %s" % summaries)
    verdict([t["options"]["lmc"] for t in told if t.get("options")][-1] == "0", "options are not those of the lesson")
    verdict(summaries[1]["failed_nodes"] == 0, "the next step was not set up anew")
    verdict([t["lesson"]["step"] for t in told if "lesson" in t] == [1, 2, 2, 1], "steps: %s" % told)
    verdict(not told[-1]["ok"] and "first step" in told[-1]["error"], "back from the first step")
    verdict(run("-e", "lesson ring").returncode == 0, "a fault that a lesson shows is none of the run")
    verdict(run("-e", "lesson next").returncode == 3, "next without a lesson")
    verdict(run("-e", "lesson ring 5").returncode == 3, "a step that is not there")


def quiz():
    """A question has two candidates or more, the entry is the right answer, all others are wrong; the rule is told."""
    for engine in ("minhop", "updn", "ftree", "lash", "mincontention lmc=1", "sssp"):
        asked = set()
        for seed in range(1, 6):
            start = ["--json", "-e", "synth lesson:tree3; route %s; quiz port seed=%d" % (engine, seed)]
            q = json.loads(run(*start).stdout.splitlines()[-1])["question"]
            ports = [c["port"] for c in q["candidates"]]
            verdict(len(set(ports)) == len(ports) >= 2 and ports == sorted(ports), "quiz %s %d: %s" % (engine, seed, ports))
            asked.add((q["switch"], q["lid"]))
            told = [json.loads(line) for line in run(*start, "-e", "lft " + q["switch"],
                                                     *sum([["-e", "quiz answer %d" % p] for p in ports + [99]], [])).stdout.splitlines()]
            entry = [str(x["port"]) for x in told[-len(ports) - 2]["entries"] if x["lid"] == q["lid"]]
            answers = told[-len(ports) - 1:]
            verdict(all(a["answer"] == int(entry[0]) and a["rule"] and a["decided"] for a in answers), "quiz %s %d: %s" % (engine, seed, answers))
            verdict([a["right"] for a in answers] == [str(p) in entry for p in ports] + [False],
                    "quiz %s %d: %s of %s, entry %s" % (engine, seed, [a["right"] for a in answers], ports, entry))
            for p, a in zip(ports + [99], answers):
                said = "\n".join(a["text"])
                verdict((said.startswith("Right.") or "\nPort %d " % p in said) and "out of port %s" % entry[0] in said, "quiz %s %d, %d: %s" % (engine, seed, p, said))
        verdict(len(asked) > 1, "quiz %s: one question for all seeds" % engine)
    # tables kept by the unicast cache are asked about as those of the engine that made them
    for engine in ("lash", "dfsssp"):
        layers = [len(re.findall(r"^  layer \d+:", run("-e", "set qos TRUE; set use_ucast_cache TRUE; route %s%s; quiz layer seed=1"
                                                     % (engine, lost), "torus:4x4").stdout, re.M)) for lost in ("", "; fail host node0003")]
        verdict(layers[0] == layers[1] > 1, "quiz of kept tables, %s: %s layers" % (engine, layers))
    verdict(run("-R", "minhop", "-e", "quiz; quiz answer 1", "ring:5").returncode == 3, "a question where nothing is decided")
    verdict(run("-R", "minhop", "-e", "quiz; fail random 1; quiz answer 1", "lesson:tree3").returncode == 3, "a question of another fabric")


def asked(fabric, route, kind, seed, guesses, *more):
    """The question, what more commands told, and the answers to guesses."""
    lines = [json.loads(x) for x in run("--json", "-e", "synth %s; %s; quiz %s seed=%d" % (fabric, route, kind, seed), *more,
                                        "-e", "; ".join("quiz answer %d" % g for g in guesses)).stdout.splitlines()]
    first = next(i for i, x in enumerate(lines) if "question" in x)
    return lines[first]["question"], lines[first + 1:-len(guesses)], lines[-len(guesses):]


def quiz_ranks():
    """The rank is that of the pane, and follows from what the question shows; the rule is told."""
    rules = set()
    for fabric, route in (("lesson:tree3", "route updn"), ("lesson:tree3", "route dnup"), ("lesson:tree3", "route ftree"),
                          ("ring:5", "set root_guid_file ring0; route updn"), ("lesson:tree3", "set root_guid_file core-0*; route ftree")):
        for seed in range(1, 17):
            q, told, answers = asked(fabric, route, "rank", seed, range(5), "-e", "list ranks")
            rank = {r["name"]: r["rank"] for r in told[0]["rows"]}
            own = rank[q["switch"]]
            around = [n["rank"] for n in q["neighbours"]]
            verdict(q["kind"] == "rank" and q["clue"] and around == [rank[n["name"]] for n in q["neighbours"]], "quiz rank %s %d: %s" % (route, seed, q))
            verdict(own in (0, min(around) + 1), "quiz rank %s %d: %d beside %s" % (route, seed, own, around))
            verdict([a["right"] for a in answers] == [g == own for g in range(5)] and {a["answer"] for a in answers} == {own},
                    "quiz rank %s %d: %s, it is %d" % (route, seed, [a["right"] for a in answers], own))
            verdict(all("Decided: %s: " % a["rule"] in a["text"][-1 - ("Three" in a["text"][-1])] for a in answers), "quiz rank %s %d: %s" % (route, seed, answers))
            why = "is settled before all others" if own == 0 else "The least rank of its neighbours is %d, one more" % min(around)
            verdict(all(why in "".join(a["text"]) for a in answers if not a["right"]), "quiz rank %s %d: why %s" % (route, seed, answers))
            rules.add((answers[0]["rule"], own == 0))
    verdict(rules == {("rank", False), ("rank", True), ("root: counted", True), ("root: named", True), ("root: farthest", True)}, "rules of ranks: %s" % rules)


def quiz_layers():
    """The layer is that of the SL; what keeps a pair out of lower ones is told."""
    rules = set()
    for engine, fabric in (("lash", "ring:5"), ("lash", "torus:4x4"), ("dfsssp", "torus:4x4"), ("nue nue_max_num_vls=4", "torus:4x4"),
                           ("nue nue_max_num_vls=4", "torus:3x3,hosts=4")):
        sls = {}
        for seed in range(1, 17):
            q, _, answers = asked(fabric, "route %s qos=TRUE" % engine, "layer", seed, range(6))
            way = answer("synth %s; route %s qos=TRUE; trace %s %s" % (fabric, engine, q["src"], q["dst"]))["forward"]
            right = answers[0]["answer"]
            verdict(q["kind"] == "layer" and [s["name"] for s in q["switches"]] == [h["switch"] for h in way["path"]], "quiz layer %s %d: %s" % (engine, seed, q))
            verdict(len(q["switches"]) > 1, "quiz layer %s %d: both are on one switch: %s" % (engine, seed, q))
            verdict([a["right"] for a in answers] == [g == right for g in range(6)] and right < len(q["layers"]), "quiz layer %s %d: %s" % (engine, seed, answers))
            verdict(engine == "dfsssp" or way["sl_min"] == right, "quiz layer %s %d: layer %d, SL %d" % (engine, seed, right, way["sl_min"]))
            sls.setdefault(right, set()).add((way["sl_min"], way["sl_max"]))
            rules.add(answers[0]["rule"])
        verdict(all(len(s) == 1 for s in sls.values()) and len(set.union(*sls.values())) == len(sls) > 1, "quiz layer %s: %s" % (engine, sls))
    verdict({"lowest", "moved", "first", "cut", "layer"} <= rules <= {"lowest", "opened", "refused", "moved", "first", "cut", "layer"}, "rules of layers: %s" % rules)
    with tempfile.TemporaryDirectory() as d:
        conf = os.path.join(d, "torus.conf")
        for seed in range(1, 5):
            q, _, answers = asked("torus:4x4", "set qos TRUE; torus-conf %s; set torus_config %s; route torus-2QoS" % (conf, conf), "layer", seed, range(9))
            verdict(q["kind"] == "SL" and "dateline" in q["clue"] and sum(a["right"] for a in answers) == 1 and answers[0]["rule"] == "SL bits",
                    "quiz layer torus-2QoS %d: %s" % (seed, answers))


def quiz_kinds():
    """Without a word each kind comes; what an engine does not have is refused; three wrong by one rule offer help."""
    kinds = [answer("route updn,no_fallback; quiz seed=%d" % seed, "lesson:tree3")["question"]["kind"] for seed in range(1, 12)]
    verdict(set(kinds) == {"port", "rank"}, "kinds under updn: %s" % kinds)
    kinds = [answer("route lash; quiz seed=%d" % seed, "torus:4x4")["question"]["kind"] for seed in range(1, 12)]
    verdict(set(kinds) == {"port", "layer"}, "kinds under lash: %s" % kinds)
    for words, part in (("quiz minhop rank", "ranks no switches"), ("quiz minhop layer", "in several layers"), ("quiz seed=0", "expected a number from 1"),
                        ("quiz minhop; quiz answer -1", "expected a number"), ("quiz minhop; quiz answer x", "expected a number")):
        done = run("-e", words, "lesson:tree3")
        verdict(done.returncode > 1 and part in done.stderr, "%s: %s" % (words, done.stderr))
    said = run("-e", "quiz updn rank seed=3; " + "quiz answer 7; " * 3, "lesson:tree3").stdout
    verdict([run("-e", "quiz minhop port seed=1; quiz answer %d" % n, "lesson:tree3").returncode for n in range(1, 5)].count(0) == 1,
            "the right answer alone ends with status 0")
    verdict(said.count("Three were wrong by this rule: `help updn` explains it.") == 1, "three wrong: %s" % said)


def quiz_judged():
    """Turns by the ranks of their switches, soundness as `check` says, layers as `layers` counts."""
    for route in ("updn", "dnup", "ftree"):
        for seed in range(1, 9):
            start = ["--json", "-e", "synth lesson:tree3; route %s; quiz turn seed=%d" % (route, seed)]
            q = json.loads(run(*start).stdout.splitlines()[-1])["question"]
            told = [json.loads(x) for x in run(*start, "-e", "; ".join("quiz answer %d" % n for n in range(6))).stdout.splitlines()[3:]]
            ranks = {r["name"]: r["rank"] for r in answer("synth lesson:tree3; route %s; list ranks" % route)["rows"]}
            peer = {r["port"]: r.get("peer", "").split("[")[0] for r in answer("list ports %s" % q["switch"], "lesson:tree3")["rows"]}
            up = 1 if route == "dnup" else -1
            bad = [t["turn"] for t in q["turns"] if (ranks[q["switch"]] - ranks[peer[t["in"]]]) * up < 0 < (ranks[peer[t["out"]]] - ranks[q["switch"]]) * up]
            verdict(len(bad) == 1 and [a["right"] for a in told] == [n == bad[0] for n in range(6)], "quiz turn %s %d: %s of %s" % (route, seed, bad, q))
    for fabric, route, sound in (("lesson:tree3", "updn", True), ("ring:5", "minhop", False), ("ring:5", "lash qos=TRUE", True), ("ring:5", "lash", False)):
        told = [run("-e", "synth %s; route %s; quiz sound; quiz answer %s" % (fabric, route, word)).returncode for word in ("yes", "no")]
        verdict(told == [int(not sound), int(sound)] == [run("-e", "synth %s; route %s; check" % (fabric, route)).returncode, int(sound)], "quiz sound, %s on %s: %s" % (route, fabric, told))
    for fabric, route in (("ring:5", "lash qos=TRUE"), ("torus:4x4", "dfsssp qos=TRUE"), ("ring:6", "dfsssp qos=TRUE")):
        n = len({r["layer"] for r in answer("synth %s; route %s; list layers" % (fabric, route))["rows"]})
        told = [a["right"] for a in map(json.loads, run("--json", "-e", "synth %s; route %s; quiz layers" % (fabric, route), "-e",
                                                        "; ".join("quiz answer %d" % k for k in range(9))).stdout.splitlines()[3:])]
        verdict(told == [k == n for k in range(9)], "quiz layers, %s on %s: %s, %d layers" % (route, fabric, told, n))


def graded():
    """Answers that are handed in: points, what cannot be read, and nothing of them runs as a command."""
    with tempfile.TemporaryDirectory() as folder:
        path, handed = os.path.join(folder, "l.lesson"), os.path.join(folder, "answers")
        run("-e", "lesson new " + path)

        def grade(text):
            with open(handed, "w", encoding="utf-8") as f:
                f.write(text)
            done = run("--json", "-e", "grade %s %s" % (path, handed))
            return json.loads(done.stdout.splitlines()[-1]), done.returncode

        for text, points, status in (("2: no\n3: leaf-01[1]\n", 3, 0), ("# mine\n\n 3 :  leaf-01[1]\r\n2: NO", 3, 0), ("2: yes\n3: leaf-01[1]\n", 2, 1), ("3: node0001\n2: no", 3, 0), ("3: leaf-01\n2: no", 1, 1),
                                     ("", 0, 1), ("3: leaf-02[1]\n", 0, 1), ("3: leaf-01[1]; quit\n", 0, 1), ("3: leaf-01[1] ; save %s/stolen\n" % folder, 0, 1), ("3: '\n", 0, 1)):
            o, rc = grade(text)
            verdict((o.get("points"), o.get("of"), rc) == (points, 3, status), "grade %r: %s, status %d" % (text, o, rc))
            verdict([a["right"] for a in o.get("answers", [])] == [a["points"] == a["of"] for a in o.get("answers", [])] and len(o.get("answers", [])) == 2, "grade %r: %s" % (text, o))
        verdict(os.listdir(folder).count("stolen") == 0, "an answer ran as a command")
        for text, part in (("4: x\n", ":1: found \"4: x\""), ("\nx\n", ":2: found \"x\""), ("1: x\n", "step 1 of lesson l, which asks nothing"), ("2: a\n2: b\n", ":2: found a second answer")):
            o, rc = grade(text)
            verdict(rc == 3 and not o["ok"] and part in o["error"], "grade %r: %s" % (text, o))
        at = answer("lesson %s 3; lesson answer leaf-02[1]; lesson answer leaf-01[1]" % path)
        verdict(at["right"] and at["answer"], "lesson answer: %s" % at)
        for words, status in (("leaf-02[1]", 1), ("leaf-01[1]", 0), ("", 0)):
            verdict(run("-e", "lesson %s 3; lesson answer %s" % (path, words)).returncode == status, "lesson answer %s" % words)
        for change, part in (("judge: fail link $ANSWER; check", "judge: check"), ("accept: leaf-01[1]", "accept: leaf-02[1]")):
            with open(path, encoding="utf-8") as f:
                text = f.read()
            wrong_one = os.path.join(folder, "w.lesson")
            with open(wrong_one, "w", encoding="utf-8") as f:
                f.write(text.replace(change, part))
            done = run("-e", "lesson %s check" % wrong_one)
            verdict(done.returncode == 1 and "judge refuses the accepted answer" in done.stdout, "%s: %s" % (part, done.stdout))
        within = os.path.join(folder, "within.lesson")           # $ANSWER at the end of a word belongs to the word
        with open(within, "w", encoding="utf-8") as f:
            f.write("title: t\nfabric: ring:3\ntext: x\nask: y\nanswer: z\njudge: synth torus:3x3,shuffle=1,seed=$ANSWER; route minhop; check\nexpect: NOT SOUND\n")
        for words, status in (("1", 0), ("2", 1), ("1 shuffle=1", 1), ("1;quit", 1)):
            done = run("-e", "lesson %s; lesson answer %s" % (within, "'%s'" % words if ";" in words else words))
            verdict(done.returncode == status, "an answer within a word, %s: %s %s" % (words, done.stdout[-200:], done.stderr))
        for line in ("accept: x", "judge: check", "points: 2"):
            with open(wrong_one, "w", encoding="utf-8") as f:
                f.write("title: t\ntext: x\n%s\n" % line)
            done = run("-e", "lesson " + wrong_one)
            verdict(done.returncode == 3 and "w.lesson:3: found %s" % line[:5] in done.stderr, "%s without ask: %s" % (line, done.stderr))
        done = run("-e", "grade updn " + handed)
        verdict(done.returncode == 3 and "asks nothing that can be judged" in done.stderr, "grade updn: %s" % done.stderr)


def lines_told():
    """What is wrong first is told first, with the line where it is."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "l.lesson")
        for text, line, part in (("text: x\naccept: y\n", 1, "no title"), ("# a\n\nfabric: ring:3\nrun: x\ntitle: t\n", 4, "no title"), ("number: 3\ntext: x\n", 2, "no title"),
                                 ("title: t\ntext: x\nask: a\ntext: y\nask: b\nanswer: z\n", 3, "ask needs an answer"), ("title: t\n\n", 2, "no step"), ("bla: x\n", 1, "bla"),
                                 ("title: t\ntext: x\nask: a\nanswer: b\n\n# c\npoints: many\n", 7, "many"), ("title: t\nfabric: ring:3\n", 2, "no step"), ("", 1, "no title"),
                                 ("title: t\ntext: x\nask: y\naccept: z", 3, "ask needs an answer")):
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            for command in ("lesson %s", "lesson %s check", "grade %s /dev/null"):
                done = run("-e", command % path)
                verdict(done.returncode == 3 and "l.lesson:%d: found " % line in done.stderr and part in done.stderr, "%r: %s" % (text, done.stderr))


def confined():
    """Commands of a lesson, and of answers, look or change the session: none writes, reads another file, runs a program, asks a device, or is run besides."""
    with tempfile.TemporaryDirectory() as folder:
        def put(name, text, mode=0o644):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
            os.chmod(os.path.join(folder, name), mode)
            return name

        def inside(*words):
            return run(*words, cwd=folder)
        put("prog", "#!/bin/sh\n>ran\n", 0o755)
        put("net", inside("-e", "save -", "ring:4").stdout)
        put("list", "ring0\n")
        put("more", "export lfts stolen\n")
        put("inner.lesson", "title: t\ntext: x\nrun: export lfts stolen\n")
        before = sorted(os.listdir(folder)) + ["l.lesson"]
        refused = ["export csv F", "export lfts F", "save F", "save-session F", "report F", "report change F", "export svg F", "export dot F", "export slurm F", "list hosts; save F",
                   "advise write F", "survey links share 1/2 F", "lesson new F", "lesson ./inner.lesson", "lesson updn", "grade updn list", "source more", "source -", "load net", "load -",
                   "tables net", "config list", "names list", "live", "verify", "watch 0 rounds 1", "counters ring0[1]", "counters all list", "set root_guid_file list",
                   "route updn root_guid_file=list", "route script:./prog", "fail switch @list", "scope @list", "changes net", "plan net", "jobs list", "torus-conf F", "mcast load list",
                   "check baseline list", "event 'fail switch @list'", "roots export F ring0", "quit", "watch 0 rounds 1 on-change ./prog", "export guid2lid F", "blame list", "sighup list"]
        for line in refused:
            put("l.lesson", "title: T\nfabric: ring:4\ntext: A\nrun: route minhop\nrun: %s\nrun: echo after\n" % line)
            done = inside("-e", "lesson ./l.lesson")
            verdict(sorted(os.listdir(folder)) == sorted(before), "%s left: %s" % (line, sorted(os.listdir(folder))))
            told = done.stdout.partition("> %s\n" % line)[2].partition("> echo after")[0]
            verdict(re.search(r"is refused|a lesson runs no program|Operation not permitted|unknown command|expected", told) and "> echo after\nafter" in done.stdout, "%s: %s" % (line, done.stdout))
        for line in ("export lfts -", "list hosts csv", "set root_guid_file lesson:ring5.roots", "tables lesson:square.far", "fail link ring0[2]; undo", "rename ring0 x"):
            put("l.lesson", "title: T\nfabric: ring:4\ntext: A\nrun: route minhop\nrun: %s\n" % line)
            verdict("is refused" not in inside("-e", "lesson ./l.lesson").stdout, line)
        put("l.lesson", "title: T\nfabric: ring:4\ntext: A\nrun: route minhop\nlook: hosts; export csv F\n")
        inside("-e", "lesson ./l.lesson; lesson ./l.lesson check")
        # $ANSWER is one word: bare, at the end of a word, in quotes of both kinds, alone and in a command within a command
        put("ran-not", "")
        os.remove(os.path.join(folder, "ran-not"))
        for judge in ("trace $ANSWER ring1", 'trace "$ANSWER" ring1', "trace '$ANSWER' ring1", 'event "fail link $ANSWER"; check', "event 'fail link $ANSWER'; check", "$ANSWER; check",
                      "fail host x$ANSWER", 'fail host "x $ANSWER y"'):
            for answer in ("ring0; export csv F", 'ring0"; export csv F; trace "ring1', "ring0'; export csv F; trace 'ring1", "\\", 'ring0\\"; export csv F;"', "export csv F",
                           'ring0[2]"; export lfts F; event "fail link ring0[3]', "$'ring0'; quit", "ring0 ring2", "source more", "echo 'sto'len"):
                put("l.lesson", "title: T\nfabric: ring:4\ntext: A\nrun: route minhop\nask: which?\nanswer: x\njudge: %s\nexpect: stolen\n" % judge)
                put("answers", "1: %s\n" % answer)
                done = inside("-e", "grade ./l.lesson answers; echo after")
                os.remove(os.path.join(folder, "answers"))
                verdict(sorted(os.listdir(folder)) == sorted(before) and "0 of 1 point" in done.stdout and done.stdout.endswith("after\n"),
                        "%s with %s: %s %s %s" % (judge, answer, sorted(os.listdir(folder)), done.stdout, done.stderr))
        put("l.lesson", "title: T\nfabric: ring:4\ntext: A\nrun: route minhop\nask: which?\nanswer: x\njudge: event \"fail link $ANSWER\"; check\nexpect: Sound\n")
        put("answers", "1: ring0[2]\n")
        verdict("1 of 1 point" in inside("-e", "grade ./l.lesson answers").stdout, "a right answer in a command within a command")


def never_ending():
    """A lesson or answers that never end are refused at a limit, or end with the deadline."""
    with tempfile.TemporaryDirectory() as folder:
        fifo = os.path.join(folder, "f.lesson")
        os.mkfifo(fifo)
        own = os.path.join(folder, "own.lesson")
        with open(own, "w", encoding="utf-8") as f:
            f.write("title: T\nfabric: ring:4\ntext: A\nask: which?\nanswer: x\naccept: x\n")
        for command in ("lesson /dev/zero", "lesson /dev/zero check", "grade /dev/zero /dev/null", "grade %s /dev/zero" % own):
            done = run("-e", command)
            verdict(done.returncode == 3 and "found more than 1 MiB" in done.stderr, "%s: %s" % (command, done.stderr))
        requests = "".join(json.dumps({"id": i, "line": line, "deadline": 0.3}) + "\n" for i, line in
                           enumerate(("lesson " + fifo, "lesson %s check" % fifo, "grade %s /dev/null" % fifo, "grade %s %s" % (own, fifo))))
        done = run("--serve", text=requests)
        told = [json.loads(line) for line in done.stdout.splitlines()]
        verdict([t["error_kind"] for t in told if "command" in t] == 4 * ["cancelled"], "a deadline ends them: %s %s" % (done.stdout, done.stderr))


def perform():
    performed(run, verdict, os.environ.get("SEED") or str(random.randrange(1 << 30)))


def main():
    for part in (bundled, fabrics, own, playing, quiz, quiz_ranks, quiz_layers, quiz_kinds, quiz_judged, graded, lines_told, confined, never_ending, perform):
        part()
    return verdict.status()


if __name__ == "__main__":
    sys.exit(main())
