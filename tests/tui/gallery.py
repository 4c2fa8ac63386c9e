"""Pictures of the running program: 12 screens at three sizes, build/gallery/NAME-WIDTHxHEIGHT.svg.

    make gallery                         all
    python3 tests/tui/gallery.py GLOB    only these

Those that README.md shows and three more (KEPT) are kept beside this file, in gallery/.

The terminal is tmux, and so are the colours: what is drawn is what `capture-pane -e` tells.  Times are the same in each
picture (1.0 ms), so that pictures change only when screens do.
"""
import fnmatch
import html
import os
import re
import sys
import unicodedata

from common import HERE, Failed

SIZES = (80, 24), (120, 40), (200, 50)
FOLDER = os.path.join(HERE, "gallery")
DRAWN = os.path.join(os.environ.get("BUILD", "build"), "gallery")
KEPT = "switches-120x40", "map-120x40", "step-120x40", "start-80x24", "around-80x24", "torus-200x50"
DEMO = "-R updn demo"

# name, arguments, then steps: "keys ...", "run ...", "type ...", "wait ..."; env of the program
SCREENS = [
    ("start", "", ["wait press a key"], {}),
    ("switches", DEMO, ["wait updn routed", "run :fail link leaf-03[6]", "wait 1 link down", "run :pane switches; search leaf-03",
                        "wait Ports of leaf-03"], {}),
    ("palette", DEMO, ["wait updn routed", "keys ?", "wait Help", "type broken cable", "wait ^> broken cable"], {}),
    ("doctor", DEMO, ["wait updn routed", "run :fail link leaf-03[6]", "wait 1 link down", "run :pane doctor", "wait ▸Doctor", "gone computing"], {}),
    ("path", DEMO, ["wait updn routed", "run :fail link leaf-03[6]", "wait 1 link down", "run :pane path node0009 node0041",
                    "wait node0009 → node0041"], {}),
    ("map", DEMO, ["wait updn routed", "run :fail link leaf-03[6]", "wait 1 link down", "run :trace node0009 node0041; pane map load path",
                   "wait x the mean"], {}),
    ("around", DEMO, ["wait updn routed", "run :fail link leaf-03[6]", "wait 1 link down", "run :pane map load", "wait x the mean",
                      "keys /", "type spine-01", "keys Enter Enter",
                      "wait ▸Around spine-01"], {}),
    ("torus", "-R dor torus:4x4x4", ["wait dor routed", "run :trace node0001 node0044; pane map load path",
                                     "wait x the mean"], {}),
    ("layers", "torus:4x4", ["wait Not routed", "run :route lash qos=TRUE; pane layers", "wait lash: 2 layers", "keys C",
                            "wait Dependencies|dependencies|deps"], {}),
    ("step", DEMO, ["wait updn routed", "run :step start leaf-03 node0041; step to 7855; pane step", "wait ▸Step"],
     {}),
    ("survey", DEMO, ["wait updn routed", "run :pane survey switches", "wait Survey", "gone computing"], {}),
    ("load", DEMO, ["wait updn routed", "run :fail link leaf-03[6]", "wait 1 link down", "run :pane plot loads", "wait mean"],
     {"COLORFGBG": "0;15"}),
]

CELL_W, CELL_H, FONT = 8.4, 17, 14
ANSI = ("#1c1f26 #e0525c #4fb36b #d6a53a #5a8ee0 #b877d9 #3fb0bd #d5d9e0 "
        "#7a8290 #ff7b84 #7bd992 #f2cc6b #86b1f5 #d7a0f2 #6fd3de #ffffff").split()
DARK, LIGHT = ("#14171c", "#d5d9e0"), ("#ffffff", "#1c1f26")      # background, text
STEPS = (0, 95, 135, 175, 215, 255)


def colour(n):
    """The colour of a terminal with 256."""
    if n < 16:
        return ANSI[n]
    if n < 232:
        n -= 16
        return "#%02x%02x%02x" % (STEPS[n // 36], STEPS[n // 6 % 6], STEPS[n % 6])
    return "#%02x%02x%02x" % ((8 + 10 * (n - 232),) * 3)


def mix(a, b, share):
    """A colour between two, for dim text and shaded cells."""
    part = lambda s: [int(s[i:i + 2], 16) for i in (1, 3, 5)]
    return "#%02x%02x%02x" % tuple(round(x * share + y * (1 - share)) for x, y in zip(part(a), part(b)))


class Look:
    """What the last escapes ask for."""

    def __init__(self):
        self.fg = self.bg = None
        self.on = set()     # of bold, dim, underline, reverse

    def take(self, codes):
        codes = [int(c or 0) for c in codes.split(";")]
        while codes:
            c = codes.pop(0)
            if c == 0:
                self.__init__()
            elif c in (1, 2, 4, 7):
                self.on.add(c)
            elif c == 22:
                self.on -= {1, 2}
            elif c in (24, 27):
                self.on.discard(c - 20)
            elif 30 <= c <= 37 or 90 <= c <= 97:
                self.fg = c - 30 if c < 90 else c - 82
            elif 40 <= c <= 47 or 100 <= c <= 107:
                self.bg = c - 40 if c < 100 else c - 92
            elif c in (38, 48):
                codes.pop(0)
                setattr(self, "fg" if c == 38 else "bg", codes.pop(0))
            elif c in (39, 49):
                setattr(self, "fg" if c == 39 else "bg", None)

    def colours(self, theme):
        """Text, background, bold, underlined."""
        ground, text = theme
        fg = text if self.fg is None else colour(self.fg)
        bg = ground if self.bg is None else colour(self.bg)
        if 7 in self.on:
            fg, bg = bg, fg
        if 2 in self.on:
            fg = mix(fg, bg, 0.55)
        return fg, bg, 1 in self.on, 4 in self.on


def cells(text, theme):
    """Lines of cells of `capture-pane -e`: (character, colours); a wide character is followed by None.  A line begins
    with the look in which the one before ends."""
    look, lines = Look(), []
    for line in text.split("\n"):
        lines.append([])
        for codes, char in re.findall(r"\x1b\[([\d;]*)m|([^\x1b\x0e\x0f])", line):
            if not char:
                look.take(codes)
            elif unicodedata.combining(char):
                lines[-1][-1] = (lines[-1][-1][0] + char, lines[-1][-1][1])
            else:
                wide = unicodedata.east_asian_width(char) in "WF"
                lines[-1] += [(char, look.colours(theme)), (None, look.colours(theme))][:1 + wide]
    return lines


# --- characters that touch their neighbours are drawn, whatever the font has

def arms(char):
    """Of a box character: {side: weight}; None for others."""
    name = unicodedata.name(char, "")
    if not name.startswith("BOX DRAWINGS ") or "DIAGONAL" in name or "DASH" in name or "ARC" in name:
        return None
    sides = {"HORIZONTAL": "LR", "VERTICAL": "UD", "LEFT": "L", "RIGHT": "R", "UP": "U", "DOWN": "D"}
    weights = {"LIGHT": 1, "SINGLE": 1, "HEAVY": 2, "DOUBLE": 3}
    words = name[13:].replace(" AND ", " & ").split()
    out, weight = {}, 1
    parts = " ".join(words).split(" & ")
    all_of = weights.get(words[0])
    for part in parts:
        got = part.split()
        own = [weights[w] for w in got if w in weights]
        weight = own[-1] if own and not (part == parts[0] and all_of and len(got) > 2) else all_of or weight
        for w in got:
            for side in sides.get(w, ""):
                out[side] = weight
    return out


def box_path(char, x, y):
    """Strokes of a box character at a cell: [(weight, path)]."""
    mx, my = x + CELL_W / 2, y + CELL_H / 2
    ends = {"L": (x, my), "R": (x + CELL_W, my), "U": (mx, y), "D": (mx, y + CELL_H)}
    out = []
    for side, weight in arms(char).items():
        ex, ey = ends[side]
        shifts = (-1.5, 1.5) if weight == 3 else (0,)
        for s in shifts:
            dx, dy = (0, s) if side in "LR" else (s, 0)
            out.append((2 if weight == 2 else 1, "M%.1f %.1fL%.1f %.1f" % (mx + dx, my + dy, ex + dx, ey + dy)))
    return out


BLOCKS = {"█": (0, 1), **{chr(0x2580 + n): (1 - n / 8, n / 8) for n in range(1, 8)}}     # top, height in cells
LEFT_BLOCKS = {chr(0x2588 + n): 1 - n / 8 for n in range(1, 8)}
SHADES = {"░": 0.45, "▒": 0.65, "▓": 0.85}


def merge(strokes):
    """Horizontal strokes in one row that touch become one."""
    flat = sorted((float(m[2]), *sorted((float(m[1]), float(m[3]))), w) for w, d in strokes
                  for m in [re.match(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)", d)] if m[2] == m[4])
    rest = sorted((float(m[1]), *sorted((float(m[2]), float(m[4]))), w) for w, d in strokes
                  for m in [re.match(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)", d)] if m[2] != m[4])
    out = {}
    for across, lines in ((True, flat), (False, rest)):
        done = []
        for at, a, b, w in sorted(lines, key=lambda s: (s[3], s[0], s[1])):
            if done and done[-1][0] == at and done[-1][3] == w and a <= done[-1][2] + 0.11:
                done[-1][2] = max(b, done[-1][2])
            else:
                done.append([at, a, b, w])
        for at, a, b, w in done:
            out.setdefault(w, []).append("M%g %gH%g" % (a, at, b) if across else "M%g %gV%g" % (at, a, b))
    return out


def rects(grid):
    """{colour: path} of backgrounds, blocks and shades."""
    out = {}

    def add(fill, x, y, w, h):
        last = out.setdefault(fill, [])
        if last and last[-1][1:] == (y, h) and abs(last[-1][0][0] + last[-1][0][1] - x) < 0.01:
            last[-1] = ((last[-1][0][0], last[-1][0][1] + w), y, h)
        else:
            last.append(((x, w), y, h))

    for j, line in enumerate(grid):
        for i, (char, (fg, bg, _, _)) in enumerate(line):
            x, y = round(i * CELL_W, 2), j * CELL_H
            if bg != grid.theme[0]:
                add(bg, x, y, CELL_W, CELL_H)
            if char in BLOCKS:
                top, high = BLOCKS[char]
                add(fg, x, y + CELL_H * top, CELL_W, CELL_H * high)
            elif char in LEFT_BLOCKS:
                add(fg, x, y, CELL_W * LEFT_BLOCKS[char], CELL_H)
            elif char in SHADES:
                add(mix(fg, bg, SHADES[char]), x, y, CELL_W, CELL_H)
    return {fill: "".join("M%g %gh%gv%gh%gz" % (x, y, w, h, -w) for (x, w), y, h in all_of) for fill, all_of in out.items()}


class Grid(list):
    theme = DARK


def svg(text, size, theme):
    """A picture of `capture-pane -e`."""
    grid = Grid(cells(text, theme)[:size[1]])
    grid.theme = theme
    w, h = size[0] * CELL_W, size[1] * CELL_H
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 -8 %g %g" width="%g" height="%g" font-family="DejaVu Sans Mono,Menlo,'
           'Consolas,monospace" font-size="%d" xml:space="preserve">' % (w + 16, h + 16, w + 16, h + 16, FONT),
           '<rect x="-8" y="-8" width="100%%" height="100%%" rx="6" fill="%s"/>' % theme[0]]
    out += ['<path fill="%s" shape-rendering="crispEdges" d="%s"/>' % (fill, d) for fill, d in rects(grid).items()]
    strokes, texts = {}, {}
    for j, line in enumerate(grid):
        run = None
        for i, (char, look) in enumerate(line + [(" ", None)]):
            fg, _, bold, under = look or ("", "", False, False)
            drawn = char in BLOCKS or char in LEFT_BLOCKS or char in SHADES
            if char and not drawn and len(char) == 1 and arms(char):
                strokes.setdefault(fg, []).extend(box_path(char, round(i * CELL_W, 2), j * CELL_H))
                drawn = True
            key = (fg, bold, under)
            if run and (drawn or char == " " and not under or key != run[0]):
                texts.setdefault(run[0], []).append(run[1:])
                run = None
            if drawn or (char == " " and not under):
                continue
            if not run:
                run = [key, i, j, "", 0]
            run[3] += char or ""
            run[4] += 1
    for fg, lines in strokes.items():
        out += ['<path fill="none" shape-rendering="crispEdges" stroke="%s" stroke-width="%g" d="%s"/>' % (fg, weight, "".join(ds))
                for weight, ds in merge(lines).items()]
    for (fg, bold, under), runs in texts.items():
        out.append('<g fill="%s"%s%s>' % (fg, ' font-weight="bold"' if bold else "", ' text-decoration="underline"' if under else ""))
        out += ['<text x="%g" y="%g"%s>%s</text>' % (i * CELL_W, j * CELL_H + 13, ' textLength="%g"' % (n * CELL_W) if n > 1 else "",
                                                     html.escape(s, quote=False)) for i, j, s, n in runs]
        out.append("</g>")
    return "\n".join(out + ["</svg>", ""])


def same_times(text):
    """Times differ from run to run: all are 1.0 ms long.  What stands behind keeps its place."""
    return re.sub(r"\b\d+\.\d+ ms(\.?)", lambda m: ("1.0 ms" + m[1]).ljust(len(m[0])), text)


def picture(terminal, screen, size):
    """Runs the program up to a screen.  Returns its picture, and the text that tmux gave."""
    _, args, steps, env = screen
    t = terminal(size=size, env=env)
    try:
        t.start(args)
        for step in steps:
            word, _, rest = step.partition(" ")
            if word == "keys":
                t.keys(*rest.split())
            elif word in ("wait", "gone"):
                t.wait(rest, absent=word == "gone")
            else:
                getattr(t, word)(rest)
        t.stable(0.5)
        text = t.tmux("capture-pane", "-e", "-N", "-p", "-t", "t")
    finally:
        t.close()
    text = same_times(text)
    return svg(text, size, LIGHT if env else DARK), text


def main(terminal):
    os.makedirs(FOLDER, exist_ok=True)
    os.makedirs(DRAWN, exist_ok=True)
    made = 0
    for screen in SCREENS:
        for size in SIZES:
            name = "%s-%dx%d" % (screen[0], *size)
            if len(sys.argv) > 1 and not any(fnmatch.fnmatch(name, g) for g in sys.argv[1:]):
                continue
            try:
                drawn, _ = picture(terminal, screen, size)
            except Failed as e:
                sys.exit("%s: %s" % (name, e))
            with open(os.path.join(FOLDER if name in KEPT else DRAWN, name + ".svg"), "w", encoding="utf-8") as f:
                f.write(drawn)
            made += 1
    print("%d pictures in %s and %s" % (made, os.path.relpath(DRAWN), os.path.relpath(FOLDER)))


if __name__ == "__main__":
    from run import Terminal
    main(Terminal)
