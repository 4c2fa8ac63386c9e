"""Files without an end, that nobody writes, that are gone, and disks that are full: whatever takes a file ends, names it,
and leaves the session as it was.  Part of run.py; options and commands come from the program."""
import itertools
import json
import os
import random
import re
import resource
import subprocess

# What an option's file is read by, beside `route` of every engine; twice, since the second might take what the first kept.
USERS = ["sweep", "reroute", "layers", "elements", "check", "trace node0001 node0002", "equal-paths", "survey links", "shifts",
         "snapshot", "report report", "save-session kept", "undo", "redo", "compare minhop updn", "advise failures 0"]
FABRICS = ["synth xgft:3,3:1,2", "synth torus:3x3x3,hosts=1"]
# Words for what is no FILE in a syntax line; what a command wants before, instead of "route minhop".
WORDS = {"NODE": "leaf-01[1]", "SRC": "node0001", "DST": "node0002", "S": "leaf-01", "N": "1", "LESSON": "ring", "H": "node0001"}
BEFORE = {"roots export": ["route updn"],
          "export torus": ["synth torus:3x3x3,hosts=1", "torus-conf conf", "route torus-2QoS qos=TRUE torus_config=conf"],
          "export ca-order": ["route ftree"], "export sl2vl": ["route dfsssp qos=TRUE"], "torus-conf": ["synth torus:3x3x3,hosts=1"],
          "outage jobs": ["fail random 1 seed=1"], "report change": ["fail random 1 seed=1"], "save-session": ["fail switch leaf-01"],
          "export svg": ["shifts 3", "survey links", "!step start"], "export png": ["shifts 3", "survey links", "!step start"]}
WRITERS = {"save", "save-session", "report", "export", "roots", "advise", "torus-conf", "lesson"}
SCREEN = {"screen", "keymap"}  # of the interface: run.py types them
MEMORY = 64  # MB: so a file without an end does not take all there is, and the kernel clears few pages
MEMORY_OPENSM = 160  # where OpenSM runs under it, too
LAST_RESORT = 600  # seconds for what should take ten


class Failed(Exception):
    pass


def asked(program, command):
    p = subprocess.run([program, "--json", FABRICS[0].split()[1], "-e", command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                       text=True, check=False)
    return json.loads(p.stdout.splitlines()[-1])


# --- lines of a syntax ------------------------------------------------------------------------------

def parsed(tokens, end=None):
    """Forms of a syntax line: lists of words (str) and of what may be left out (list of forms)."""
    forms = [[]]
    while tokens:
        token = tokens.pop(0)
        if token == end:
            break
        if token == "[":
            forms[-1].append(parsed(tokens, "]"))
        elif token == "|":
            forms.append([])
        elif token != "...":
            forms[-1].append(token)
    return forms


def has_file(part):
    return part.split("=")[0] in ("FILE", "PLAN") if isinstance(part, str) else any(has_file(p) for form in part for p in form)


def shortest(form):
    """Each way to write a form with its FILEs, and without what may be left out."""
    ways = []
    for part in form:
        if isinstance(part, str):
            ways.append([[word] for word in part.split("|")])
        elif has_file(part):
            ways.append([way for inner in part if any(map(has_file, inner)) for way in shortest(inner)])
        else:
            ways.append([[]])
    return [list(itertools.chain(*way)) for way in itertools.product(*ways)]


def lines_with_file(command):
    """Command lines with the word FILE, of each form that has one."""
    syntax = re.sub(r"\.\.\.|[\[\]]", r" \g<0> ", command["syntax"])
    name, found = command["name"], []
    for form in parsed(syntax.split()):
        if any(map(has_file, form)):
            form = form[1:] if form[0] == name else form
            found += [" ".join([name, *(WORDS.get(w, w) for w in way)]) for way in shortest(form)]
    return found


# --- what they meet ---------------------------------------------------------------------------------

def limit(mb=MEMORY):
    resource.setrlimit(resource.RLIMIT_AS, (mb << 20, mb << 20))


def meet(looks, folder, before, path, lines):
    """Run the lines, which meet the file: (command, waited or itself, named, changed, message) of each."""
    p = subprocess.run([looks, *before, "?" + path, *lines], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       timeout=LAST_RESORT, preexec_fn=limit if path == "/dev/zero" else None)
    told = [line.split("\t") for line in p.stdout.splitlines()]
    n = sum(b[0] != "-" for b in before)
    failed, met = [t for t in told[:n] if t[6]], told[n:]
    if p.returncode == 3 and path == "/dev/zero" and "ibscope: out of memory: " in p.stdout:
        lines = lines[:len(met)]  # threads that read at once: the last resort
        met = met[:-1] + [[lines[-1], "itself", "-", "", ""]]
    elif p.returncode:
        failed.append(p.stdout[-500:])
    if failed or [t[0] for t in met] != lines:
        raise Failed("%s with %s: status %d: %s" % (before + lines, path, p.returncode, failed or met))
    return met


def wrong(path, command, ended, named, changed, message):
    """What is wrong with a command that failed of its file, or was to; "" when nothing is."""
    if changed:
        return "left something changed: " + changed
    if not message:
        return "did not fail"
    if ended == "waited":
        return "" if message == "cancelled" else "was cancelled, and said " + message
    return "" if path in message else "does not name the file: " + message


def commands(looks, program, folder):
    """Every command with a FILE: /dev/zero, a FIFO without another end, none, a full disk."""
    fifo, bad, seen = os.path.join(folder, "fifo"), [], 0
    os.mkfifo(fifo)
    reads = ["/dev/zero", fifo, os.path.join(folder, "missing")]
    writes = ["/dev/full", fifo, os.path.join(folder, "missing", "file")]
    for command in asked(program, "help")["commands"]:
        for line in lines_with_file(command) if command["name"] not in SCREEN else ():
            if re.search(r"\b(CHASSIS|CARD)\b", line) or line.endswith(" steps"):  # this fabric has none; FILE is no file: unit tests
                continue
            seen += 1
            before = [FABRICS[0], "route minhop"] + BEFORE.get(" ".join(line.split()[:2]), BEFORE.get(command["name"], []))
            for path in writes if command["name"] in WRITERS else reads:
                told = meet(looks, folder, before, path, [re.sub(r"\b(FILE|PLAN)\b", path, line)])[0]
                why = wrong(path, *told)
                if not why and (told[1] == "waited") != (path == fifo):
                    why = "%s did not wait for its other end" % path if path == fifo else "waited"
                bad += ["%s: %s" % (told[0], why)] if why else []
    if seen < 20:
        raise Failed("only %d lines with a file" % seen)
    if bad:
        raise Failed("\n".join(bad))


def options(looks, program, folder):
    """Every option whose value is a file, under each engine and all that reads it: /dev/zero, a FIFO, a file that went.
    On one fabric, drawn; on the other too where nothing on the first takes the file, and with LONG=1.
    """
    seed = os.environ.get("SEED") or str(random.randrange(1 << 30))
    rng = random.Random(seed)
    print("file_options: SEED=%s" % seed)
    fifo, gone, bad, found = os.path.join(folder, "fifo"), os.path.join(folder, "gone"), [], 0
    os.mkfifo(fifo)
    engines = [e["name"] for e in asked(program, "show engines")["engines"]]
    users = ["route %s" % e for e in engines if e not in ("live", "tables")] + USERS
    groups = os.path.join(folder, "groups")
    with open(groups, "w", encoding="utf-8") as f:
        f.write("a-group\n")
    for name in asked(program, "show options")["options"]:
        refused = asked(program, "set %s %s" % (name, gone))
        if refused["ok"] or gone not in refused["error"] or "expected a file" not in refused["error"]:
            continue  # no file
        found += 1
        # the looks cannot start OpenSM; the program ends also when it is not installed
        p = subprocess.run([program, FABRICS[0].split()[1], "-e", "route minhop; set %s /dev/zero; verify" % name], cwd=folder, check=False,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LAST_RESORT, preexec_fn=lambda: limit(MEMORY_OPENSM))
        if p.returncode not in (0, 1, 3) or p.returncode and "/dev/zero" not in p.stderr and "no program" not in p.stderr:
            bad.append("%s /dev/zero; verify: status %d, %s" % (name, p.returncode, p.stderr))
        for path in ("/dev/zero", fifo, gone):
            told, met = [], False
            for fabric in rng.sample(FABRICS, len(FABRICS)):
                if met and os.environ.get("LONG") != "1":
                    break
                with open(gone, "w", encoding="utf-8"):
                    pass
                before = [fabric, "set qos TRUE", "set %s %s" % (name, path)]
                if name == "pgrp_policy_file":  # read where a file of GUIDs may name a group
                    before.append("set root_guid_file %s" % groups)
                told += meet(looks, folder, before + ["-" + gone], path, users)
                met = any(t[1] == "waited" if path == fifo else t[2] == "named" and t[0] not in ("report report", "save-session kept")
                          for t in told)
            bad += ["%s %s: %s left something changed: %s" % (name, path, t[0], t[3]) for t in told if t[3]]
            if not met:
                bad.append("%s: nothing %s" % (name, "waited for a FIFO" if path == fifo else "tells what is wrong with " + path))
    if found < 15:
        raise Failed("only %d options of files" % found)
    if bad:
        raise Failed("\n".join(bad))
