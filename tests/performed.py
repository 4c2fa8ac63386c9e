"""Runs of engines performed by `quiz step`: full marks for each, and every wrong step is refused with its rule.

What is right comes from the walk's own cells and sentences (`step to N`), not from what the quiz holds.
"""
import json
import os
import random
import re
import tempfile

RUNS = [("lesson:tree3", "minhop"), ("lesson:tree3", "updn"), ("lesson:tree3", "dnup"), ("lesson:tree3", "ftree"), ("lesson:ring5", "lash qos=TRUE"),
        ("torus:3x3", "dor"), ("lesson:ring5", "sssp"), ("lesson:ring5", "dfsssp qos=TRUE"), ("lesson:ring5", "nue"),
        ("director:2,2,2,2", "mincontention"), ("torus:3x3x3", "torus-2QoS qos=TRUE")]
LONGEST = 400  # steps of a run that are performed


def cell(step, table):
    return next((d for d in step["deltas"] if d["table"] == table), None)


def right(q, step):
    """The words of the right answer to a question about a step."""
    kind, said = step["kind"], step["sentence"]
    if kind in ("choice", "settle"):
        entry = cell(step, "entry")
        return [entry["where"].split(" LID ")[0], str(entry["now"])][-len(q["asks"]):]
    if kind == "verdict":
        return ["yes" if cell(step, "rank") else "no"]
    if kind == "rank":
        return [cell(step, "rank")["where"], str(cell(step, "rank")["now"])]
    if kind == "visit":
        return [re.search(r", at (\S+) \(", said)[1]]
    if kind in ("accept", "refuse"):
        return ["yes" if kind == "accept" else "no"]
    if kind == "turn":
        return ["no" if "cycle" in said else "yes"]
    if kind in ("merge", "block"):
        return ["yes" if kind == "merge" else "no"]
    if kind == "index":
        return [cell(step, "index")["where"].split(":")[0]]
    if kind == "target":
        return [re.search(r"\bon (\S+?)(: |$)", said)[1]]
    if kind == "weights":
        return [re.search(r"most: by \d+ to (\d+)", said)[1]]
    if kind == "break":
        return re.search(r"the first with \d+, (\S+)\[(\d+)\] -> ", said).groups()
    if kind == "centre":
        return [said.split(" is the central switch")[0]]
    if kind == "escape":
        return [re.search(r"port (\d+) to", said)[1]]
    if kind == "reach":
        return [said.split(" is reached")[0], re.search(r"sends by port (\d+)", said)[1]]
    if kind == "place":
        return [said.split(" ")[0].rstrip(":")]
    raise AssertionError("no answer to %s" % q)


def wrong(words, asks, switches, rng):
    """Answers with one part wrong: every other switch, numbers around, the other word."""
    for i, part in enumerate(asks):
        others = {"switch": switches, "yes or no": ["yes", "no"]}.get(part) or [str(n) for n in range(9)] + [str(rng.randrange(100))]
        for other in others:
            if other != words[i]:
                yield [other if k == i else w for k, w in enumerate(words)]


def objects(run, spec, route, lines):
    with tempfile.TemporaryDirectory() as folder:
        path, conf = os.path.join(folder, "lines"), os.path.join(folder, "torus")
        before = ["synth " + spec, *(["torus-conf " + conf, "set torus_config " + conf] if "torus-" in route else []), "route " + route, "step start"]
        with open(path, "w", encoding="utf-8") as f:
            f.write("".join(line + "\n" for line in [*before, *lines]))
        done = run("--json", "-x", path)
    return [json.loads(line) for line in done.stdout.splitlines()][len(before):], done


def performed(run, verdict, seed):
    rng = random.Random(seed)
    print("performed: SEED=%s" % seed)
    for spec, route in RUNS:
        walked, _ = objects(run, spec, route, ["step to %d" % n for n in range(1, LONGEST)])
        steps = {o["step"]: o for o in walked if o.get("ok") and "step" in o}
        asked, _ = objects(run, spec, route, ["step to %d\nquiz step" % n for n in range(len(steps))])
        questions = {o["question"]["step"]: o["question"] for o in asked if o["command"] == "quiz" and o.get("question")}
        questions = {n: q for n, q in sorted(questions.items()) if n in steps}
        names = [r["name"] for r in json.loads(run("--json", "-e", "synth %s; list switches" % spec).stdout.splitlines()[-1])["rows"]]
        lines, expected = [], []
        for n, q in questions.items():
            words = right(q, steps[n])
            worse = list(wrong(words, q["asks"], names, rng))
            for other in worse if len(questions) < 40 else rng.sample(worse, min(3, len(worse))):
                lines.append("quiz step " + " ".join(other))
                expected.append((n, False))
            lines.append("quiz step " + " ".join(words))
            expected.append((n, True))
        got, done = objects(run, spec, route, ["quiz step"] + lines)
        at, kinds, bad = list(questions), set(), []
        for line, (n, good), o in zip(lines, expected, got[1:]):
            kinds.add(questions[n]["event"])
            then = o.get("question", {}).get("step")
            if not o["ok"] or o["right"] != good or (not good and (then != n or not o["rule"] or o["refused"] not in questions[n]["asks"])):
                bad.append((line, o))
            if good and n != at[-1] and then != at[at.index(n) + 1]:
                bad.append((line, then))
        verdict(questions and len(got) == len(lines) + 1 and not bad, "%s on %s: %s %s" % (route, spec, bad[:1], done.stderr[-300:]))
        verdict(done.returncode == (1 if len(expected) > len(questions) else 0), "%s on %s: status %d" % (route, spec, done.returncode))
        verdict(any(k in ("choice", "settle", "accept", "rank", "reach", "place") for k in kinds), "%s: asked only %s" % (route, kinds))
