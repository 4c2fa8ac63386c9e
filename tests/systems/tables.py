"""Tables and graphs for notebooks, as other programs read them; tests of run.py."""
import csv
import glob
import io
import json
import os
import random
import subprocess
import sys
import xml.etree.ElementTree as ET

from trial import BOUND, chosen_seed

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
DEMO = os.path.join(ROOT, "tests", "fabrics", "demo-3level.ibnet")
SEED = chosen_seed()


def expect(found, wanted, what):
    if found != wanted:
        raise AssertionError("%s: found %r, expected %r" % (what, found, wanted))


def run(folder, script, *args, status=0):
    """What the command lines printed."""
    done = subprocess.run([PROGRAM, *args, "-e", script], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=BOUND)
    expect(done.returncode, status, "%s: %s" % (script, done.stderr.decode()))
    return done.stdout.decode()


def objects(folder, script, *args, status=0):
    """The same as JSON."""
    return [json.loads(x) for x in run(folder, script, "--json", *args, status=status).splitlines()]


def python_with(module):
    """A Python that has the module (Debian's packages are for Debian's Python alone); None: there is none, and that is told."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and not subprocess.run([python, "-c", "import " + module], stderr=subprocess.DEVNULL, timeout=BOUND).returncode:
            return python
    print("skipped: no Python has %s (Debian's package python3-%s)" % (module, module), flush=True)
    return None


def by_other_python(module, text, *args):
    """What a script that needs the module prints as JSON; None: skipped."""
    python = python_with(module)
    if not python:
        return None
    done = subprocess.run([python, "-W", "ignore", "-c", text, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=BOUND)
    expect(done.returncode, 0, done.stderr)
    return json.loads(done.stdout)


NAMES = ["a, b", 'x"y",z', "=1+1", "a;b", "a  b", "\\"]


def odd_names(folder):
    """A fabric whose switches have names that are hard to quote: the words that load it."""
    run(folder, "save plain", "xgft:3,3:1,2")
    with open(os.path.join(folder, "plain"), encoding="utf-8") as f:
        text = f.read()
    for old, name in zip(("leaf-01", "leaf-02", "leaf-03", "spine-01", "spine-02"), NAMES):
        text = text.replace('"%s"' % old, '"%s"' % name)
    with open(os.path.join(folder, "odd"), "w", encoding="utf-8") as f:
        f.write(text)
    return "load odd; route minhop; "


def list_csv(folder):
    """`list PANE csv` has what JSON has, in every pane that lists; columns by name; pandas reads numbers as numbers."""
    begin = odd_names(folder)
    panes = ["switches", "hosts", "ports S", "lft S", "lids node0001", "pairs", "usage", "journal", "changes", "elements", "hops S", "ranks", "help", "cdg",
             "path node0001 node0009", "compare minhop updn", "survey links", "hotter", "warnings", "layers", "shift 2"]
    rows = quoted = 0
    for pane in panes:
        line = pane.replace("S", "0x0002c90300a00010")
        o = objects(folder, begin + "fail random 1 seed=3; list %s; list %s csv" % (line, line))[-2:]
        text = o[1]["content"]
        if not {"ms", "time"} & set(o[0]["columns"]):
            expect(run(folder, begin + "fail random 1 seed=3; list %s csv" % line).endswith(text), True, "text and JSON of " + pane)
        head, *table = csv.reader(io.StringIO(text, newline=""), strict=True)
        expect(head, ["key", "marks"] + o[0]["columns"], "columns of " + pane)
        expect(len(table), len(o[0]["rows"]), "rows of " + pane)
        for found, row in zip(table, o[0]["rows"]):
            for name, cell in zip(head, found):
                wanted = " ".join(row[name]) if name == "marks" else row[name]
                same = cell == "" if wanted is None else float(cell) == wanted if isinstance(wanted, (int, float)) else cell == wanted.lstrip(" ")
                expect((same, name, cell), (True, name, cell), "%s: %r" % (pane, wanted))
                quoted += any(x in cell for x in ',"')
        rows += len(table)
    expect((rows > 150, quoted > 20), (True, True), "%d rows, %d cells in quotes" % (rows, quoted))
    text = objects(folder, begin + "list switches csv columns guid,up,name sort up reverse")[-1]["content"]
    with open(os.path.join(folder, "t.csv"), "w", encoding="utf-8") as f:
        f.write(text)
    found = by_other_python("pandas", """
import json, pandas, sys
t = pandas.read_csv(sys.argv[1])
print(json.dumps([list(t.columns), str(t.up.dtype), list(map(int, t.up)), sorted(t.name)]))""", os.path.join(folder, "t.csv"))
    if found:
        expect(found, [["guid", "up", "name"], "int64", [5, 5, 5, 3, 3], sorted(NAMES[:5])], "pandas")


def safe_csv(folder):
    """`csv safe`: no cell begins as a formula does, and beside the apostrophe nothing differs; numbers stay numbers.  Names in YAML are quoted."""
    run(folder, "save plain", "xgft:3,3:1,2")
    formulas = ["=1+1", "+cmd|x", "-2+3", "@SUM(1)", '=HYPERLINK("a,b")'.replace('"', "'")]
    with open(os.path.join(folder, "plain"), encoding="utf-8") as f:
        text = f.read()
    for old, name in zip(("leaf-01", "leaf-02", "leaf-03", "spine-01", "node0001"), formulas):
        text = text.replace('"%s"' % old, '"%s"' % name)
    with open(os.path.join(folder, "odd"), "w", encoding="utf-8") as f:
        f.write(text)
    marked = 0
    for command in ("export csv - %s", "list switches csv %s", "list hosts csv %s columns name", "switches csv %s", "list compare minhop updn csv %s", "list usage csv %s"):
        plain, safe = [list(csv.reader(io.StringIO(objects(folder, "load odd; route minhop; " + command % word)[-1]["content"], newline=""), strict=True))
                       for word in ("", "safe")]
        expect([[c[1:] if c[:1] == "'" else c for c in row] for row in safe], plain, command)
        for row, cells in zip(plain, safe):
            for was, cell in zip(row, cells):
                number = was.lstrip("+-").replace(".", "").isdigit()
                expect(cell != was, was[:1] in set("=+-@") and was != "" and not number, "%s: %s" % (command, cell))
                marked += cell != was
    expect(marked > 20, True, "%d cells marked" % marked)
    expect(run(folder, "load odd; list switches csv safe").count("'=1+1"), 1, "text")
    run(folder, "load odd; export csv F.csv safe; export csv G.csv safe anyway")
    run(folder, "load odd; export json F safe", status=2)
    for name, switches in (("true", "null"), ("1e3", "0x10")):
        with open(os.path.join(folder, "odd"), "w", encoding="utf-8") as f:
            f.write(text.replace('"=1+1"', '"%s"' % name).replace('"node0002"', '"%s"' % switches))
        said = run(folder, "load odd; export slurm t.yaml")
        with open(os.path.join(folder, "t.yaml"), encoding="utf-8") as f:
            lines = f.read().splitlines()[5:]
        expect([line for line in lines if not (line.endswith('"') and line.count('"') == 2)], [], said)
        expect(any('switch: "%s"' % name in line for line in lines), True, lines)


GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"


def read_graphml(path):
    """(graph, nodes, edges) with attributes by name, each of its type."""
    root = ET.parse(path).getroot()
    make = {"string": str, "long": int, "boolean": lambda s: {"true": True, "false": False}[s]}
    keys = {k.get("id"): (k.get("attr.name"), make[k.get("attr.type")]) for k in root.findall(GRAPHML + "key")}
    expect(len(keys), len(root.findall(GRAPHML + "key")), "ids of keys")

    def data(of):
        return {keys[d.get("key")][0]: keys[d.get("key")][1](d.text) for d in of.findall(GRAPHML + "data")}
    g = root.find(GRAPHML + "graph")
    return (data(g), {n.get("id"): data(n) for n in g.findall(GRAPHML + "node")},
            [{"source": x.get("source"), "target": x.get("target"), **data(x)} for x in g.findall(GRAPHML + "edge")])


def by_networkx(folder):
    """What NetworkX makes of both files: of each the nodes, edges, sums, and the hosts that a walk over what is up reaches."""
    found = by_other_python("networkx", """
import inspect, json, networkx as nx, sys
newer = {"edges": "links"} if "edges" in inspect.signature(nx.node_link_graph).parameters else {}
read = [lambda p: nx.node_link_graph(json.load(open(p)), **newer), nx.read_graphml]
def told(g):
    up = nx.Graph([(a, b) for a, b, d in g.edges(data=True) if d["up"]])
    return [g.number_of_nodes(), g.number_of_edges(), sum(d.get("load_ab", 0) + d.get("load_ba", 0) for _, _, d in g.edges(data=True)),
            sum(d.get("weight", 0) for _, _, d in g.edges(data=True)), max(map(len, nx.connected_components(up))),
            sorted(d["name"] for _, d in g.nodes(data=True)), g.graph["complete"], g.graph.get("engine")]
print(json.dumps([told(r(p)) for r, p in zip(read, sys.argv[1:])]))""", os.path.join(folder, "g.json"), os.path.join(folder, "g.graphml"))
    return found and [tuple(x) for x in map(lambda x: [json.dumps(y) for y in x], found)]


def graphs(folder):
    """export csv, graphml, node-link and dot with cables: the same cables, with the loads that `list ports` tells; read by others."""
    begin = odd_names(folder)
    write = "export csv g.csv; export graphml g.graphml; export node-link g.json; export dot g.dot cables"
    for start in (begin, begin + "fail link =1+1[4]; fail host node0001; ", "load %s; route updn; fail random 9 seed=4; " % DEMO,
                  "synth torus:2x3,hosts=2; route dor; ", "synth dragonfly:2,4,2; ", "load odd; fail link =1+1[4]; "):
        told = objects(folder, start + write + "; export json -" * ("route" in start) + "; list switches; list hosts")
        names = {r["about"]["guid"]: r["about"]["name"] for o in told[-2:] for r in o["rows"]}
        links = json.loads(told[-3]["content"])["links"] if "route" in start else None
        with open(os.path.join(folder, "g.csv"), encoding="utf-8", newline="") as f:
            table = list(csv.DictReader(f, strict=True))
        with open(os.path.join(folder, "g.json"), encoding="utf-8") as f:
            g = json.load(f)
        head, nodes, edges = read_graphml(os.path.join(folder, "g.graphml"))
        expect(g["graph"], head, "the graph")
        expect(({n["id"]: {k: v for k, v in n.items() if k != "id"} for n in g["nodes"]}, len(g["nodes"])), (nodes, len(nodes)), "nodes")
        expect({k: n["name"] for k, n in nodes.items()}, names, "names")
        expect([{k: v for k, v in x.items() if k != "key"} for x in g["links"]], edges, "edges")
        expect([(x["a_guid"], x["b_guid"], *((x[k] != "" and x[k]) for k in ("a_port", "b_port", "load_ab", "load_ba", "up"))) for x in table],
               [(x["source"], x["target"], *((k in x and str(x[k]).replace("T", "t").replace("F", "f")) for k in
                                             ("a_port", "b_port", "load_ab", "load_ba", "up"))) for x in edges], "csv")
        expect([(x["a_name"], x["b_name"]) for x in table], [(names[x["source"]], names[x["target"]]) for x in edges], "names in csv")
        if links is not None:
            expect(sorted((x["source"], x["a_port"], x["target"], x["b_port"], x["up"]) for x in edges),
                   sorted((x["a_guid"], x["a_port"], x["b_guid"], x["b_port"], x["up"]) for x in links), "cables")
        if "route" in start:
            ports = {}
            for o in objects(folder, start + "; ".join("list ports " + n for n in nodes if nodes[n]["type"] == "switch"))[-sum(
                    n["type"] == "switch" for n in nodes.values()):]:
                ports.update({(r["about"]["guid"], r["port"]): r["load"] or 0 for r in o["rows"]})
            for x in edges:
                for end, port, load in (("source", "a_port", "load_ab"), ("target", "b_port", "load_ba")):
                    if nodes[x[end]]["type"] == "switch":
                        expect(x[load], ports[x[end], x[port]], "load of %s[%d]" % (x[end], x[port]))
                expect(x["weight"], x["load_ab"] + x["load_ba"], "weight")
        else:
            expect([k for x in edges for k in x if k.startswith(("load", "weight"))], [], "loads without a routing")
        dot = subprocess.run(["gvpr", 'N { printf("%s %s\\n", $.name, $.guid) } E { printf("%s %s %s %s %s %s\\n", $.tail.name, $.a_port, '
                              '$.head.name, $.b_port, $.taillabel, $.weight) }', os.path.join(folder, "g.dot")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                             check=True, timeout=BOUND).stdout.split("\n")[:-1]
        expect(sorted(dot), sorted(["%s %s" % (n, n) for n in nodes] + ["%s %d %s %d %d %s" % (
            x["source"], x["a_port"], x["target"], x["b_port"], x["a_port"], x.get("weight", "")) for x in edges]), "dot")
        found = by_networkx(folder)
        up = {n: {n} for n in nodes}
        for x in edges:
            if x["up"] and up[x["source"]] is not up[x["target"]]:
                joined = up[x["source"]] | up[x["target"]]
                up.update({n: joined for n in joined})
        loads = sum(x.get("load_ab", 0) + x.get("load_ba", 0) for x in edges)
        wanted = tuple(json.dumps(x) for x in (len(nodes), len(edges), loads, loads, max(map(len, up.values())), sorted(names.values()), True,
                                               head.get("engine")))
        for one in found or []:
            expect(one, wanted, "NetworkX")
    expect(objects(folder, "export csv -", "--read-only", "xgft:2,2:1,2")[-1]["ok"], True, "csv on the output")


def canonical(folder):
    """One fabric in any order, from any reader, with any comments: the same bytes; the same fabric comes back; refused where it can't be."""
    rnd = random.Random(SEED)
    fabrics = sorted(glob.glob(os.path.join(ROOT, "tests", "fabrics", "*.ibnet"))) + ["xgft:3,3:1,2", "torus:3x3,hosts=2", "random:20,4,seed=2"]
    for fabric in fabrics:
        run(folder, "save plain; save one canonical; load one; save again canonical; export csv back.csv; load plain; export csv was.csv; "
            "route minhop; save routed canonical", fabric)
        read = {n: open(os.path.join(folder, n), "rb").read() for n in ("plain", "one", "again", "routed", "was.csv", "back.csv")}
        expect((read["again"] == read["one"], read["routed"] == read["one"], read["back.csv"] == read["was.csv"]), (True,) * 3, fabric)
        guids = [int(x.split(b"=0x")[1].split(b"(")[0], 16) for x in read["one"].splitlines() if x.startswith((b"caguid", b"switchguid", b"rtguid"))]
        expect(guids, sorted(guids), "order of " + fabric)
        _, *nodes = read["plain"].split(b"\n\n")
        for i in range(3):
            rnd.shuffle(nodes)
            reader = rnd.choice([x for x in nodes if b"caguid" in x])
            guid = int(reader.split(b"caguid=0x")[1].split(b"\n")[0], 16)
            port = int(reader.split(b"[1](")[1].split(b")")[0], 16) if b"[1](" in reader else guid
            with open(os.path.join(folder, "other"), "wb") as f:
                f.write(b"#\n# Topology file: generated on Thu Jan %2d 03:04:05 2026\n#\n# Initiated from node %016x port %016x\n\n" % (i + 1, guid, port))
                f.write(b"\n\n".join([x.strip(b"\n") for x in nodes]) + b"\n\n")
            run(folder, "load other; save two canonical")
            with open(os.path.join(folder, "two"), "rb") as f:
                expect(f.read() == read["one"], True, "%s read from %x (SEED=%s)" % (fabric, guid, SEED))
    with open(DEMO, "rb") as f:
        text = f.read()
    with open(os.path.join(folder, "cut"), "wb") as f:
        f.write(text[:-900])
    told = objects(folder, "save no canonical", "cut", status=3)[-1]
    expect((told["ok"], "incomplete" in told["error"], os.path.exists(os.path.join(folder, "no"))), (False, True, False), "an incomplete fabric")
