"""`report change`: every figure is that of the single command, it can be backed out, and its page is whole in a browser.

REPORTS=4 random sessions by SEED (100 with LONG=1).  The browser is chromium, with LONG=1, where it is installed.
"""
import collections
import html.parser
import json
import os
import random
import re
import shutil
import subprocess

from trial import BOUND, Failed, chosen_seed, expect

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
IBSCOPE = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
DEMO = os.path.join(ROOT, "tests", "fabrics", "demo-3level.ibnet")
LONG = os.environ.get("LONG") == "1"
REPORTS = int(os.environ.get("REPORTS", "100" if LONG else "2"))
FABRICS = [("xgft:2,4,4:1,2,4", ["minhop", "updn", "ftree", "dfsssp"]), ("torus:3x4,hosts=2", ["minhop", "dor", "lash", "nue"]),
           ("ring:5,hosts=2", ["minhop", "updn", "sssp"]), ("dragonfly:3,2,2", ["minhop", "updn", "dfsssp"])]


def told(folder, commands, *args):
    """The objects that commands print as JSON, of which all went well."""
    done = subprocess.run([IBSCOPE, "--json", *args, "-e", commands], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=BOUND)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    expect(done.returncode in (0, 1, 3) and all(x["ok"] for x in answers), commands, done.stdout[-600:], done.stderr)
    return answers


def plain(text):
    return re.sub(r"\\([\\`*_{}\[\]<>#|~&])", r"\1", text)


def tables(text):
    """The tables of Markdown below each heading: {heading: [[{column: cell}]]}."""
    found, heading, at = collections.defaultdict(list), "", None
    for line in text.splitlines():
        if line.startswith("#"):
            heading, at = plain(line.lstrip("# ")), None
        elif line.startswith("|"):
            cells = [plain(x.strip()) for x in re.split(r"(?<!\\)\|", line)[1:-1]]
            if at is None:
                at = cells
                found[heading].append([])
            elif not set("".join(cells)) <= set("-: "):
                expect(len(cells) == len(at), line)
                found[heading][-1].append(dict(zip(at, cells)))
        else:
            at = None
    return found


def same_as_commands(folder, commands, drawn):
    """The report of a session against the commands, asked in each state of the same session."""
    report = told(folder, commands + "; report change r.md; report change r.html")[-2:]
    states, text = report[0]["states"], open(os.path.join(folder, "r.md"), encoding="utf-8").read()
    expect(states == report[1]["states"] and report[0]["verdict"] == report[1]["verdict"], commands)
    expect(plain(text.split("\n")[2]) == "**%s**" % report[0]["verdict"] or
           text.split("\n")[2].startswith("**") and plain(text.split("\n")[2]).strip("*") == report[0]["verdict"], text[:300])
    rows, found = tables(text)["Before, during, after"][0], tables(text)
    expect(len(rows) == len(states), rows)
    second = {(x["state"], x["one more"]): x for t in found["Worst second failure while it lasts"] for x in t}
    asked = set()
    for k, (x, row) in enumerate(zip(states, rows)):
        go = commands + "; " + "undo; " * (states[-1]["number"] - x["number"])
        if not x["routed"]:
            expect(row["verdict"] == "no engine routes it", row)
            continue
        check, loads, ebb = told(folder, go + "check; load-map; load-map ebb")[-3:]
        counts = check["check"]
        here = [x["pairs"], x["unreachable"], x["cut_off"], x["max_links"], x["max_load"], x["credit_loops"]]
        expect(here == [counts["pairs"], counts["unreachable"], check["hosts_gone"], counts["max_links"], loads["loads"]["max"],
                        len(told(folder, go + "cycles all")[-1]["credit_loops"])], commands, x, check)
        expect([int(row[c]) for c in ("pairs", "unreachable", "cut off", "longest", "highest load", "credit loops")] == here, row)
        expect(x["sound"] == check["sound"] == (row["verdict"] == "sound"), row)
        expect(row["bisection"] == ("%.3f" % ebb["ebb"]["value"] if ebb["ebb"]["samples"] else "-"), row, ebb)
        drawn["states"] += 1
        down = told(folder, go + "show")[-1]
        if down["failed_links"] or down["failed_nodes"]:
            for word in ("links", "switches"):
                try:
                    survey = told(folder, go + "survey " + word)[-1]
                except Failed as none:
                    if "nothing to survey" not in str(none):
                        raise
                    continue
                asked.add((x["state"], word))
                worst, y = survey["survey"][0], second[x["state"], word.rstrip("s").rstrip("e") if word == "switches" else "link"]
                expect(y["fails worst"] == worst["what"] and
                       [int(y[c]) for c in ("pairs lost", "between", "outage", "new loops", "load", "bad", "of")] ==
                       [worst["lost"], worst["between_survivors"], worst["outage"], worst["new_loops"], worst["load_after"],
                        survey["bad"], len(survey["survey"])], y, worst)
                drawn["surveys"] += 1
        if not k or not states[k - 1]["routed"]:
            continue
        outage, way = told(folder, go + "outage jobs jobs; transition")[-2:]
        part = text[text.index("\n### %s: " % x["state"]):].split("\n##")[1]
        expect(x["outage"] == outage["pairs_until_sweep"], x, outage)
        expect(outage["text"][0].split(": ", 1)[1] in plain(part), part, outage["text"][0])
        expect(way["said"] in plain(part) and way["credit"]["said"] in plain(part), part, way)
        hosts = found["%s: until the sweep" % x["state"]]
        if not outage["seen_by"]:
            expect(not hosts, x)
            continue
        expect([(int(h["pairs"]), int(h["from it"]), int(h["to it"])) for h in hosts[-1]] ==
               [(h["pairs"], h["sends"], h["receives"]) for h in outage["seen_by"]][:100], hosts, outage["seen_by"][:3])
        drawn["outages"] += 1
    expect(len(second) == len(asked), second, asked)
    return states, text


def back_out(folder, commands, states, text):
    """The lines of `To back out` lead to what was up, the engine and the options before."""
    lines = re.search(r"(?s)## To back out\n.*?````\n(.*?)````", text)
    if not lines:
        expect(len(states) == 1, text)
        return
    lines = "; ".join(x for x in lines[1].splitlines() if not x.startswith("#"))
    undo = "undo; " * (states[-1]["number"] - states[0]["number"])
    told(folder, commands + "; %ssave was canonical" % undo)
    told(folder, commands + "; %s; save now canonical" % (lines or "show"))
    was, now = (open(os.path.join(folder, x), encoding="utf-8").read() for x in ("was", "now"))
    expect(was == now, commands, lines)
    was, now = (told(folder, commands + "; %s; show options" % x)[-1]["options"] for x in (undo + "show", lines or "show"))
    expect(was == now, lines)


def change(folder):
    """Random sessions: the report says what the commands say in the same states, and how to go back."""
    seed = chosen_seed()
    print("report change: SEED=%s" % seed, flush=True)
    rng, drawn = random.Random(seed), collections.Counter()
    for _ in range(REPORTS):
        spec, engines = rng.choice(FABRICS)
        commands = "synth %s; %sroute %s" % (spec, rng.choice(["", "set lmc 1; ", "set qos TRUE; "]), rng.choice(engines))
        for _ in range(rng.randrange(4)):
            commands += "; " + rng.choice(["fail random %d seed=%d" % (rng.randrange(1, 4), rng.randrange(99)),
                                           "fail random 1 seed=1; restore all", "fail random 1 seed=%d" % rng.randrange(99), "route %s" % rng.choice(engines),
                                           "set lmc %d" % rng.randrange(2), "sweep"])
        with open(os.path.join(folder, "jobs"), "w", encoding="utf-8") as f:
            f.write("NAME NODELIST\nown nosuchhost\n")
        states, text = same_as_commands(folder, commands, drawn)
        back_out(folder, commands, states, text)
        drawn["reports"] += 1
    expect(drawn["states"] >= REPORTS, drawn, seed)
    # a job's own part, a scope, and hosts with their jobs
    with open(os.path.join(folder, "jobs"), "w", encoding="utf-8") as f:
        f.write("NAME NODELIST\nalpha node00[01-20]\nbeta node00[09-12]\ngone elsewhere\n")
    commands = "load %s; route updn; fail switch leaf-03; scope node00[01-30]" % DEMO
    rows = told(folder, commands + "; outage jobs jobs; report change r.md jobs jobs; check")
    text = open(os.path.join(folder, "r.md"), encoding="utf-8").read()
    by_job, hosts = tables(text)["step 1: until the sweep"]
    expect([(x["job"], int(x["pairs"]), int(x["seen by"]), int(x["hosts"])) for x in by_job] ==
           [(x["job"], x["pairs"], x["seen_by"], x["hosts"]) for x in rows[-3]["jobs"]], by_job, rows[-3])
    expect({x["host"]: x["jobs"] for x in hosts}["node0009"] == "alpha, beta" and len(hosts) == rows[-3]["hosts"], hosts)
    expect(rows[-2]["states"][-1]["pairs"] == rows[-1]["check"]["pairs"] and "Only these hosts count: node00\\[01-30\\]" in text, text)
    expect({x["host"]: x["after"] for x in hosts}["node0009"] == "down" and {x["host"]: x["after"] for x in hosts}["node0001"] == "", hosts)
    said = next(x.split(": ", 1)[1] for x in rows[-3]["text"] if "Until the next sweep" in x)
    expect(said in plain(text), said, text)
    # nothing is written where nothing may be, but to standard output
    done = subprocess.run([IBSCOPE, "--read-only", "-e", "synth ring:4; route updn; report change no.md; report change - html"], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    expect(done.returncode and not os.path.exists(os.path.join(folder, "no.md")) and "read-only" in done.stdout, done.stdout)
    done = subprocess.run([IBSCOPE, "--read-only", "-e", "synth ring:4; route updn; report change - html"], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    expect(done.stdout.count("</html>\n") == 1 and done.stdout.count("<h1>") == 1, done.stdout)


def back_out_named(folder):
    """`To back out` on a fabric whose names hold commands, quotes and blanks: each line is one command, and leads back."""
    prog = "route script:./prog"
    with open(os.path.join(folder, "prog"), "w", encoding="ascii") as f:
        f.write("#!/bin/sh\n>ran\n")
    os.chmod(os.path.join(folder, "prog"), 0o755)
    plain_net = told(folder, "synth ring:4; save -")[-1]["content"]
    for name in ("ring1;%s;x" % prog, "a b;%s" % prog, "it's;%s" % prog, "#x;%s;#" % prog, "ring1[2];%s" % prog, "`%s`" % prog, "two  blanks ", "$'x;%s" % prog):
        text = plain_net.replace('"ring0"', '"%s"' % name).replace('"node0003"', '"h%s"' % name)
        with open(os.path.join(folder, "net"), "w", encoding="ascii") as f:
            f.write(text)
        sw, host = ("'%s'" % x.strip().replace("'", "'\\''") for x in (name, "h" + name))
        for n, down in enumerate(("fail switch %s" % sw, "fail host %s; fail link %s[2]" % (host, sw[:-1] + "'"), "scope -%s; fail link ring3[3]" % host,
                                  "set root_guid_file ring3; route minhop")):
            commands = "load net; %sroute updn; %s" % ("set root_guid_file %s; " % sw if n == 3 else "", down)
            states = told(folder, commands + "; report change r.md")[-1]["states"]
            with open(os.path.join(folder, "r.md"), encoding="utf-8") as f:
                page = f.read()
            back_out(folder, commands, states, page)
            lines = [x for x in re.search(r"(?s)## To back out\n.*?````\n(.*?)````", page)[1].splitlines() if not x.startswith("#")]
            ran = told(folder, commands + "; " + "; ".join(lines))
            expect(len(ran) == len(commands.split("; ")) + len(lines) and lines, name, n, lines, ran)
            expect(not os.path.exists(os.path.join(folder, "ran")), name, lines, "a program ran")


NASTY = ["<script>document.title='x'</script>", "a & b &amp; <b>\"q\"</b>", "'><img src=http://x.test/y onerror=z>", "| a | `b` id=\"c\""]
VOID = {"meta", "link", "img", "br"}


class Page(html.parser.HTMLParser):
    """What a page has: tags that are open, ids, whatever could load, words of cells."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.loads, self.tags, self.text = [], [], [], collections.Counter(), ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        if tag not in VOID:
            self.open.append(tag)
        for key, value in attrs:
            if key == "id":
                self.ids.append(value)
            if key in ("src", "href", "xlink:href", "srcset", "data", "action") or key.startswith("on") or "url(" in (value or ""):
                self.loads.append((tag, key, value))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        expect(self.open and self.open.pop() == tag, tag)

    def handle_data(self, data):
        self.text += data


def page_of(folder):
    """The page of a session on a fabric whose hosts have such names."""
    with open(DEMO, encoding="utf-8") as f:
        text = f.read()
    nodes = ["node0009", "node0010", "leaf-03", "spine-01"]
    for node, name in zip(nodes, NASTY):
        text = text.replace('"%s' % node, '"%s' % name.replace('"', "''"))
    with open(os.path.join(folder, "net"), "w", encoding="utf-8") as f:
        f.write(text)
    told(folder, "load net; route updn; fail link 'core-05[1]'; fail random 2 seed=3; restore all; report change r.html; report change r.md")
    with open(os.path.join(folder, "r.html"), encoding="utf-8") as f:
        return f.read()


def page(folder):
    """The page stands alone: tags match, ids are there once, nothing could load, and names stay text."""
    text = page_of(folder)
    p = Page(text)
    expect(not p.open and len(p.ids) == len(set(p.ids)), p.open, p.ids)
    expect(p.loads == [("link", "href", "data:,")] or all(v.startswith(("#p", "data:,", "url(#p")) for _, _, v in p.loads), p.loads)
    expect(p.tags["script"] == p.tags["img"] == p.tags["b"] == 0 and p.tags["svg"] == 3, p.tags)
    for name in NASTY:
        expect(name.replace('"', "''") in p.text, name)
    expect("<script" not in text, "script")
    expect("http:" not in re.sub(r'xmlns(:\w+)?="http[^"]*"', "", text).replace("http://x.test", ""), text[:200])


def browse(folder, path, *more):
    """What chromium does with a page: its standard output, errors of the page, and what the page asks for."""
    log = os.path.join(folder, "net.json")
    done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
                           "--disable-component-update", "--disable-sync", "--disable-extensions", "--proxy-server=http://127.0.0.1:9",
                           "--user-data-dir=" + os.path.join(folder, "browser"), "--log-net-log=" + log, "--enable-logging=stderr",
                           *more, "file://" + path], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=BOUND)
    with open(log, encoding="utf-8") as f:
        text = f.read()
    try:
        noted = json.loads(text)
    except ValueError:
        noted = json.loads(text.rstrip().rstrip(",") + "]}")  # the browser was ended before it closed its log
    kinds = {n: name for name, n in noted["constants"]["logEventTypes"].items()}
    # what the browser asks for on its own has no page for its origin
    asked = [x["params"]["url"] for x in noted["events"] if kinds[x["type"]] == "URL_REQUEST_START_JOB" and "url" in x.get("params", {}) and
             x["params"].get("initiator", "") != "not an origin" and not x["params"]["url"].startswith("file://" + path)]
    return done.stdout, re.findall(r"CONSOLE.*", done.stderr), asked


def browser(folder):
    """In a real browser: no request goes out, no error, what names hold is shown, and A4 pages break between rows."""
    if not shutil.which("chromium"):
        print("  skipped: the page of `report change` in a browser, chromium is not installed")
        return
    page_of(folder)
    path = os.path.join(folder, "r.html")
    # what is looked for is seen on a page that has it
    wrong = os.path.join(folder, "wrong.html")
    with open(wrong, "w", encoding="utf-8") as f:
        f.write("<img src='http://x.test/a.png'><script>nothing.there()</script>")
    _, errors, asked = browse(folder, wrong, "--dump-dom")
    expect(any("nothing is not defined" in x for x in errors) and asked and set(asked) == {"http://x.test/a.png"}, errors, asked)
    dom, errors, asked = browse(folder, path, "--dump-dom")
    expect(not errors and not asked, errors, asked)
    p = Page(dom)
    expect(p.tags["script"] == p.tags["img"] == p.tags["b"] == 0 and p.tags["svg"] == 3 and not p.open, p.tags)
    for name in NASTY:
        expect(name.replace('"', "''") in p.text, name)
    _, errors, asked = browse(folder, path, "--no-pdf-header-footer", "--print-to-pdf=r.pdf")
    with open(os.path.join(folder, "r.pdf"), "rb") as f:
        pdf = f.read()
    boxes = {tuple(round(float(x)) for x in m.split()) for m in re.findall(rb"/MediaBox\s*\[([^]]*)\]", pdf)}
    expect(not errors and not asked and boxes == {(0, 0, 595, 842)}, errors, asked, boxes)
    if not shutil.which("pdftotext"):
        print("  skipped: where the page of `report change` breaks, pdftotext is not installed")
        return
    sheets = subprocess.run(["pdftotext", "-layout", "r.pdf", "-"], cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout.split("\f")[:-1]
    titles = set(re.findall(r"<h[1-4]>([^<]*)</h", open(path, encoding="utf-8").read()))
    for sheet in sheets:
        lines = [x.strip() for x in sheet.splitlines() if x.strip()]
        expect(lines and html.escape(lines[-1]) not in titles, "a heading ends a page", lines[-2:])
        if re.match(r"node\d+ +\d+ +\d+ +\d+", lines[0]):
            expect(False, "a page goes on with a table without its head", lines[:2])
    expect(len(sheets) > 2, sheets)
