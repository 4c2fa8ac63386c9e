"""All-clears: what the program says when nothing is wrong, each in one case in which it is said and in all in which it must not be.

VOCABULARY finds such words in the source; a string that has one and is in no row, nor among OTHERS, fails.
"""
import glob
import os
import re

TREE, UPDN = "xgft:3,3:1,2", ["-R", "updn"]


def net(*cables):
    """An ibsim net of switches S, T and hosts A, B, C."""
    ends = sorted({c[i:i + 2] for c in cables for i in (0, 3)})
    other = {c[:2]: c[3:] for c in cables} | {c[3:]: c[:2] for c in cables}
    nodes = {}
    for end in ends:
        nodes.setdefault(end[0], []).append("[%s] \"%s\"[%s]" % (end[1], other[end][0], other[end][1]))
    return "\n".join('%s "%s"\n%s\n' % ("Switch 6" if n in "ST" else "Hca 1", n, "\n".join(c)) for n, c in nodes.items())


def changed(text, switch, lid, port):
    """A dump with another entry; port None: none."""
    head, body = text.split("('%s'):\n" % switch)
    line = re.compile(r"^0x%04x \d+ " % lid, re.M)
    body = line.sub("0x%04x %03d " % (lid, port), body, count=1) if port is not None else re.sub(r"^0x%04x .*\n" % lid, "", body, count=1, flags=re.M)
    return head + "('%s'):\n" % switch + body


def make_files(folder, run):
    """The fabrics and tables of the cases."""
    def put(name, text):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)

    def get(name):
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            return f.read()

    run([TREE, "-R", "minhop", "-e", "save clear.ibnet; export lfts clear.lfts"], folder)
    run(["torus:3x3", "-R", "lash", "-e", "save other.ibnet; export lfts other.lfts"], folder)
    put("cut-clear.ibnet", get("clear.ibnet")[:-300])
    lfts = get("clear.lfts")
    lid = {m[2]: int(m[1], 16) for m in re.finditer(r"^0x(\w+) \d+ # .*: '(.*)'$", lfts, re.M)}
    put("loop.lfts", changed(changed(lfts, "leaf-01", lid["node0004"], 4), "spine-01", lid["node0004"], 1))
    put("hole.lfts", re.sub(r"Unicast lids [^\n]*'leaf-02'\):\n(?:0x.*\n)*.*dumped.*\n", "", lfts))
    put("gap.lfts", changed(lfts, "leaf-02", lid["node0001"], None))
    put("stray.lfts", lfts.replace("('leaf-02'):\n", "('leaf-02'):\n0x0030 001 # Channel Adapter portguid 0x0002c903ffffff01: 'nobody'\n")
        .replace("[0-14] of switch Lid %d" % lid["leaf-02"], "[0-48] of switch Lid %d" % lid["leaf-02"]))
    put("no-lid.lfts", re.sub(r"^0x%04x .*\n" % lid["node0009"], "", lfts, flags=re.M))
    put("parts-clear.net", net("S1-A1", "S2-B1", "T1-C1"))
    put("one.net", net("S1-A1"))
    put("none.net", net("S1-T1"))
    put("apart.conf", "X=0x5:SELF=full;\n")
    put("failing.ibs", "route minhop\nfrob\nshow\n")
    with open(os.path.join(folder, "clear.json"), "w", encoding="utf-8") as f:
        f.write(run(["--json", "clear.ibnet", *UPDN, "-e", "check"], folder).stdout)
    with open(os.path.join(folder, "other.json"), "w", encoding="utf-8") as f:
        f.write(run(["--json", "other.ibnet", "-R", "minhop", "-e", "check"], folder).stdout)


# States in which a fabric is not known to be right: how it is reached; what is asked comes behind.
STATES = {
    "0 pairs: one host": ["one.net", "-R", "minhop"],
    "0 pairs: no host": ["none.net", "-R", "minhop"],
    "0 pairs: a scope of one": [TREE, *UPDN, "-e", "scope node0001"],
    "incomplete": ["cut-clear.ibnet", "-R", "minhop"],
    "parts": ["parts-clear.net", "-R", "minhop"],
    "cut off": [TREE, *UPDN, "-e", "fail switch leaf-01"],
    "a host without LID": ["clear.ibnet", "-e", "tables no-lid.lfts"],
    "a pair that loops": ["clear.ibnet", "-e", "tables loop.lfts"],
    "a table missing": ["clear.ibnet", "-e", "tables hole.lfts"],
    "an entry missing": ["clear.ibnet", "-e", "tables gap.lfts"],
    "no tables": ["clear.ibnet", "-R", "tables"],
    "another fabric's tables": ["clear.ibnet", "-e", "tables other.lfts"],
    "a command that failed": ["clear.ibnet", "-e", "source failing.ibs"],
    "a command of all that failed": ["clear.ibnet", "-e", "source failing.ibs whole"],
}
UNKNOWN_LID = {"an entry of an unknown LID": ["clear.ibnet", "-e", "tables stray.lfts"]}
PAIRLESS = [s for s in STATES if s.startswith("0 pairs")]
TABLES = ["a host without LID", "a pair that loops", "a table missing", "an entry missing"]


class Clear:
    """words: in the source, before a conversion; said: the states' arguments in which `ask` prints the pattern; never: states in which not."""

    def __init__(self, words, ask, pattern, never, said=(TREE, *UPDN), status=1, extra=(), key=None):
        self.words, self.ask, self.pattern, self.never, self.said = words, ask, pattern, never, list(said)
        self.status, self.extra, self.key = status, dict(extra), key    # key: of the object in an all-clear


ALL = list(STATES)
ROWS = [
    Clear("Sound: every host reaches every host, without credit loops", "check", r"^Sound", ALL, key={"sound": True}),
    Clear("Nothing wrong found.", "triage", r"^Nothing wrong found", ALL, said=(TREE, "-R", "minhop")),
    Clear("Sound within the scope", "check", r"^Sound", ["0 pairs: a scope of one"], said=(TREE, *UPDN, "-e", "scope node0001 node0009"), key={"sound": True},
          extra={"a scope with a host that is gone": [TREE, *UPDN, "-e", "scope node0001 node0009 node0004", "-e", "load cut-clear.ibnet"]}),
    Clear("Sound within the partitions", "check", r"^Sound within the partitions", ALL, said=(TREE, *UPDN, "-e", "set partition_config_file apart.conf"), key={"sound": True},
          extra={"a pair that loops": ["clear.ibnet", "-e", "set partition_config_file apart.conf", "-e", "tables loop.lfts"]}),
    Clear("new fault", "check --baseline clear.json", r": 0 new faults", [s for s in ALL if s not in PAIRLESS and s not in ("incomplete", "parts")],
          said=("clear.ibnet", *UPDN), extra={
              "0 pairs": ["one.net", "-R", "minhop"], "incomplete": ["cut-clear.ibnet", "-R", "minhop"],
              "another fabric": ["other.ibnet", "-R", "minhop"], "a host gone": [TREE, *UPDN, "-e", "fail host node0001"]}),
    Clear("The next sweep would change nothing", "drift minhop", r"change nothing\.$|agreement 1\.0000$",
          ["incomplete", "a host without LID", "a pair that loops", "a table missing", "an entry missing", "another fabric's tables",
           "a command that failed", "a command of all that failed"],
          said=("clear.ibnet", "-e", "tables clear.lfts"), extra=UNKNOWN_LID, key={"agreement": 1.0, "complete": True}),
    Clear("computes every entry from nothing", "drift", r"computes every entry|change nothing\.", ["a host without LID", "a pair that loops", "a table missing", "an entry missing",
          "another fabric's tables", "a command that failed"], said=("clear.ibnet", "-e", "tables clear.lfts"), extra=UNKNOWN_LID),
    Clear("none breaks the rule of ar_updn", "judge", r"none breaks the rule", ["incomplete", "a table missing", "an entry missing", "another fabric's tables", "no tables",
          "a command that failed"], said=(TREE, "-R", "ar_updn")),
    Clear("Cabled as planned", "plan all.csv", r"^Cabled as planned", ["incomplete", "parts"], extra={"another fabric": ["other.ibnet"]}),
    Clear("Each port is on its rail", "plan rails", r"^Each port", ["incomplete", "parts"], said=("rails.net",), extra={
        "no rails": ["other.ibnet"], "two ports changed places": ["rails.net", "-e", "swap 'n3 hca0' 'n5 hca2'"],
        "a port without its cable": ["rails.net", "-e", "remove link 'n3 hca0[1]'"]}),
    Clear("nothing found", "doctor", r"nothing found", ["incomplete", "cut off", *TABLES, "another fabric's tables", "no tables", "a command that failed"],
          said=(TREE, "-R", "minhop"), key={"errors": 0}),
    Clear("nothing found", "doctor", r"nothing found", PAIRLESS + ["parts"], said=(TREE, "-R", "minhop"), status=None, extra=UNKNOWN_LID),
    Clear("Safe in any order", "transition", r"^Safe in", [*PAIRLESS[2:], "incomplete", "no tables", "another fabric's tables"],
          said=(TREE, "-R", "minhop", "-e", "fail switch spine-01"), status=1,
          extra={"a loop between two writes": ["ring:5", "-R", "dfsssp", "-e", "fail random 1 seed=54"],
                 "an incomplete fabric": ["cut-clear.ibnet", "-R", "minhop", "-e", "fail link leaf-01[4]"],
                 "no pair left": [TREE, *UPDN, "-e", "scope node0001", "-e", "fail link leaf-01[4]"]}),
    Clear("Bad: ", "survey links", r"Bad: 0 of [^\n]*\)\.", [s for s in ALL if s not in ("0 pairs: one host", "parts")], status=None),
    Clear("No credit loops.", "cycles", r"No credit loops", PAIRLESS[:2] + ["no tables", "a command that failed"], status=None),
    Clear("Free of congestion", "shifts", r"Free of congestion", PAIRLESS + [*TABLES, "no tables", "a command that failed"],
          said=("ring:3", "-R", "minhop"), status=None),
    Clear("NOTHING WAS CHANGED: sound", "report change -", r"^\*\*NOTHING WAS CHANGED: sound|^\*\*SAFE", ALL),
    Clear("SAFE: sound after each step and at the end", "route minhop; report change -", r"^\*\*SAFE: sound after", PAIRLESS + ["incomplete", "parts", "cut off"]),
    Clear("sound", "advise", r"^ +A: sound", PAIRLESS + ["incomplete", "parts", "cut off", "a command that failed"], status=None),
    Clear("pairs without a path", "compare minhop updn", r"^pairs without a path +0 ", PAIRLESS + ["a command that failed"], status=None),
]

# The same words elsewhere: where they are tried, or why they clear nothing.
OTHERS = {
    "quiz [ENGINE]": "no all-clear: a kind of question",
    "Is the fabric sound as": "no all-clear: a question; tests/lessons.py quiz_judged",
    "Wrong: it is ": "no all-clear: the answer to a question",
    "Safe in OpenSM's order": "transition, as Safe in any order; tests/parity/ordered.py",
    "The tables followed: every host": "tests/live/run.py never_followed",
    "The tables have not followed: ": "no all-clear",
    "Whether the tables followed is not known": "no all-clear",
    "nothing changed": "tests/live/run.py never_followed",
    "Nothing changed": "tests/live/run.py partial",
    "All counters of errors and congestion are 0.": "tests/live/run.py watching",
    "identical": "tests/verify/run.py: OpenSM that routes otherwise, dies, stands still",
    "Nothing wrong in these tables; but OpenSM's own may leave hosts ": "no all-clear: status 3",
    "Nothing wrong in the part that is known": "no all-clear: status 3",
    "nothing wrong in the part that is known; ": "no all-clear: UNKNOWN of Nagios, status 3",
    "Nothing wrong among the hosts of the scope that are there": "no all-clear: status 1",
    "No routes: no credit loops to be judged": "no all-clear",
    "no credit loops": "pane layers, of a layer that has routes",
    "the next sweep would change nothing": "pane drift, by the function of the command",
    "agreement": "beside the line of drift, or a key",
    "nothing wrong found": "first line of the screen, from doctor's counts",
    "still so": "advise, behind the class",
    "sound, but its most loaded link": "help",
    "there are no credit loops; nothing is drawn": "an error",
    "; sound at the end": "report change, behind NOT SAFE ON THE WAY, when the last state has no fault of `check`; tests/sessions/run.py change",
}
VOCABULARY = re.compile(r"\b[Ss]ound\b|followed|[Nn]othing (?:wrong|changed|found|lost)|change nothing|identical|[Nn]o credit loops"
                        r"|agreement|computes every entry|Free of congestion|Cabled as|on its rail|are 0\.|new fault|Bad: |still so|Safe in")


def strings_of(root):
    """(file, string) of all that the program may print: without help, keys and topics."""
    for room in ("core/session", "core/analysis", "views", "tui"):
        for path in glob.glob(os.path.join(root, room, "**", "*.c"), recursive=True):
            with open(path, encoding="utf-8") as f:
                text = f.read()
            text = re.sub(r"/\*.*?\*/|^#include .*?$", "", text, flags=re.S | re.M)
            text = re.sub(r"\b(?:COL|NUM)\(\s*\"[^\"]*\",\s*(?:\"(?:[^\"\\]|\\.)*\"\s*)+", "", text)
            text = re.sub(r"\.(?:help|json) =\s*(?:[A-Z_]+\s*(?:\([^)]*\))?\s*|\"(?:[^\"\\]|\\.)*\"\s*)+", "", text)
            if os.path.basename(path) == "lesson.c":
                continue
            for m in re.finditer(r'"((?:[^"\\\n]|\\.)*)"', text):
                yield os.path.relpath(path, root), m[1]


def no_word_forgotten(root):
    known = [r.words for r in ROWS] + list(OTHERS)
    seen = {w: False for w in known}
    for path, text in strings_of(root):
        for w in known:
            seen[w] |= w in text
        if VOCABULARY.search(text) and not any(w in text for w in known if w != "sound") and text not in ("sound", "followed", "Sound"):  # Sound: beside its sentence
            return "%s: \"%s\" may be an all-clear: it needs a row in tests/cli/clears.py" % (path, text)
    gone = [w for w in known if not seen[w]]
    return "no string of the source has %s" % gone if gone else None


def try_row(row, folder, run, objects):
    def ask(state):
        return run([*state, "-e", row.ask], folder), run(["--json", *state, "-e", row.ask], folder)

    plain, _ = ask(row.said)
    if not re.search(row.pattern, plain.stdout, re.M) or plain.returncode:
        return "%s of %s: status %d, expected %s in\n%s%s" % (row.ask, row.said, plain.returncode, row.pattern, plain.stdout[-600:], plain.stderr)
    for name, state in ({s: STATES[s] for s in row.never} | row.extra).items():
        plain, told = ask(state)
        found = re.search(row.pattern, plain.stdout, re.M)
        if found or plain.returncode != told.returncode or plain.returncode not in ((0, 1, 2, 3) if row.status is None else (row.status, 2, 3)):
            return "%s, %s: status %d (%d with --json), found %s in\n%s%s" % (
                name, row.ask, plain.returncode, told.returncode, found and found[0], plain.stdout[-900:], plain.stderr)
        last = objects(told.stdout)[-1]
        if row.key and last["ok"] and last["command"] == row.ask.split()[0] and all(last[k] == v for k, v in row.key.items()):
            return "%s, %s: found %s" % (name, row.ask, row.key)
    return None
