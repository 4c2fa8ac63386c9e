"""LASH's mesh analysis once more, from engines/doc/lash.md 6 alone: shapes, types, classes, axes, coordinates, order."""
import itertools

LARGE = 0x7fffffff
MOST_LINKS = 8


def wrapped(x):
    return (x + (1 << 31)) % (1 << 32) - (1 << 31)


def polynomial(m):
    """Coefficients of det(m - xI), lowest first, in 32 bits: sums of principal minors, each by Bareiss' exact division."""
    k, told = len(m), []
    for degree in range(k + 1):
        size, total = k - degree, 0
        for rows in itertools.combinations(range(k), size):
            total += determinant([[m[i][j] for j in rows] for i in rows])
        told.append(wrapped(total * (-1) ** degree))
    return told


def determinant(m):
    m, sign, before = [row[:] for row in m], 1, 1
    for i in range(len(m) - 1):
        if not m[i][i]:
            other = next((r for r in range(i + 1, len(m)) if m[r][i]), None)
            if other is None:
                return 0
            m[i], m[other], sign = m[other], m[i], -sign
        for r in range(i + 1, len(m)):
            for c in range(i + 1, len(m)):
                m[r][c] = (m[r][c] * m[i][i] - m[r][i] * m[i][c]) // before
        before = m[i][i]
    return sign * m[-1][-1] if m else 1


def shapes():
    """6.2: (sizes, degree, polynomial) of each row; computed as it is needed, it is asked often."""
    told = []
    for d in range(1, 9):
        rows = [s for s in itertools.combinations_with_replacement((6, 5, 3, 2), d)
                if sum(1 if x == 2 else 2 for x in s) <= 8 and not (d == 4 and min(s) >= 5)]
        for sizes in sorted(rows, key=lambda s: s[::-1]):
            axis = [a for a, x in enumerate(sizes) for _ in range(1 if x == 2 else 2)]
            across = {3: 1, 5: 3, 6: 6 if d == 1 else 4}
            m = [[0 if i == j else across[sizes[a]] if a == b else 2 for j, b in enumerate(axis)] for i, a in enumerate(axis)]
            told.append((sizes, len(axis), m))
    return told


ROWS = shapes()
KNOWN = {}      # degree -> [(number, sizes, polynomial)], made when a switch has so many links


def known(degree):
    if degree not in KNOWN:
        KNOWN[degree] = [(i + 1, sizes, polynomial(m)) for i, (sizes, k, m) in enumerate(ROWS) if k == degree]
        if degree == 4:
            KNOWN[degree].append((100, (6, 6), [-192, -256, -80, 0, 1]))
    return KNOWN[degree]


def merge_sort(items, compare):
    """As glibc's qsort does: halves, the left one first on a draw."""
    if len(items) < 2:
        return items
    half = len(items) // 2
    a, b, told = merge_sort(items[:half], compare), merge_sort(items[half:], compare), []
    while a and b:
        told.append((a if compare(a[0], b[0]) <= 0 else b).pop(0))
    return told + a + b


class Mesh:
    """entries: of each switch by number, [neighbour, ports].  order is None where nothing was found."""

    def __init__(self, entries):
        self.links, self.entries, self.n = entries, entries, len(entries)
        self.order = self.seed = None
        self.events = [("phase",)]
        self.dimensions, self.shape, self.endless = 0, (), False
        self.measure()
        found = self.classes()
        self.events += [("measure", u) for u in range(self.n)]
        self.events += [("class", u, g[0]) for u in range(self.n) for g in self.groups if u in g] + [("note",)]
        if found:
            self.events.append(("phase",))
            self.seed_axes()
            self.induce()
            if not self.endless:
                self.place()
                self.renumber()

    def near(self, u, i):
        return self.links[u][i][0]

    def measure(self):
        self.m, self.poly, self.type, self.sizes = [None] * self.n, [None] * self.n, [0] * self.n, [()] * self.n
        for u, links in enumerate(self.links):
            k = len(links)
            if k > MOST_LINKS:
                continue
            rows = []
            for v, _ in links:
                far, queue = {v: 0}, [v]
                for at in queue:
                    for w, _ in self.links[at]:
                        if w != u and w not in far:
                            far[w] = far[at] + 1
                            queue.append(w)
                rows.append([far.get(w, LARGE) for w, _ in links])
            self.m[u], self.poly[u] = rows, polynomial(rows) if k else [0]
            row = next((r for r in known(k) if r[2][:k] == self.poly[u][:k]), None) if k else None
            if row:
                self.type[u], self.sizes[u] = row[0], row[1]

    def classes(self):
        for u in [u for u in range(self.n) if self.type[u] and any(len(self.links[v]) > len(self.links[u]) for v, _ in self.links[u])]:
            self.type[u] = -1
        groups = self.groups = []
        for u in range(self.n):
            if self.type[u] < 0 or self.poly[u] is None:
                continue
            k = len(self.links[u])
            mine = [g for g in groups if len(self.links[g[0]]) == k and self.poly[g[0]][:k] == self.poly[u][:k]]
            if mine:
                mine[0].append(u)
            else:
                groups.append([u])
        if not groups:
            return False
        seed = max(groups, key=len)[0]
        if not self.type[seed]:
            return False
        self.seed, self.shape = seed, self.sizes[seed]
        self.dimensions = len(self.shape)
        return True

    def seed_axes(self):
        self.axis = [[0] * len(links) for links in self.links]
        axis, m = self.axis[self.seed], self.m[self.seed]
        for a in range(self.dimensions):
            if 0 not in axis:
                break
            i = axis.index(0)
            axis[i] = 2 * a + 1
            self.events.append(("axis", self.seed, i, axis[i], "seed axis"))
            j = next((j for j in range(len(axis)) if j != i and not axis[j] and m[i][j] != 2), None)
            if j is not None:
                axis[j] = 2 * a + 2
                self.events.append(("axis", self.seed, j, axis[j], "facing in the seed"))

    def opposite(self, s, code):
        if self.m[s] is None or not code or code not in self.axis[s]:
            return 0
        i = self.axis[s].index(code)
        if any(self.m[s][i][j] != 2 for j in range(len(self.axis[s])) if j != i):
            return code + 1 if code % 2 else code - 1
        return code

    def induce(self):
        while True:
            given = []
            self.straight(given)
            self.across(given)
            self.squares(given)
            if not given:
                return
            if not any(given):
                self.endless = True
                return

    def give(self, u, i, code, why, given):
        self.axis[u][i] = code
        given.append(code)
        if code:
            self.events.append(("axis", u, i, code, why))

    def straight(self, given):
        for u, links in enumerate(self.links):
            k = len(links)
            if self.m[u] is None or (k < len(self.links[self.seed]) and k <= 2):
                continue
            for i in range(k):
                ahead = [j for j in range(k) if j != i and self.m[u][i][j] != 2]
                if self.axis[u][i] and len(ahead) == 1 and self.m[u][i][ahead[0]] <= 4 and not self.axis[u][ahead[0]]:
                    self.give(u, ahead[0], self.opposite(self.seed, self.axis[u][i]), "straight on", given)

    def across(self, given):
        for u, links in enumerate(self.links):
            for i, (v, _) in enumerate(links):
                if self.m[u] is None or not self.axis[u][i] or self.m[v] is None:
                    continue
                r = [w for w, _ in self.links[v]].index(u)
                if not self.axis[v][r]:
                    self.give(v, r, self.opposite(self.seed, self.axis[u][i]), "other end", given)

    def squares(self, given):
        for u, links in enumerate(self.links):
            if self.m[u] is None:
                continue
            for i, j in itertools.permutations(range(len(links)), 2):
                if not self.axis[u][i] or not self.axis[u][j] or self.m[u][i][j] != 2:
                    continue
                a, b = self.near(u, i), self.near(u, j)
                hit = next(((p, q) for p, (x, _) in enumerate(self.links[a]) for q, (y, _) in enumerate(self.links[b])
                            if x == y != u), None)
                if not hit:
                    continue
                for s, at, code in (a, hit[0], self.axis[u][j]), (b, hit[1], self.axis[u][i]):
                    if not self.axis[s][at]:
                        self.give(s, at, code, "square", given)

    def place(self):
        self.at = [[LARGE] * self.dimensions for _ in range(self.n)]
        self.at[self.seed] = [0] * self.dimensions
        self.events += [("phase",), ("coordinate", self.seed, None, tuple(self.at[self.seed]))]
        changed = True
        while changed:
            changed = False
            for u in range(self.n):
                if self.at[u][0] == LARGE:
                    continue
                for (v, _), code in zip(self.links[u], self.axis[u]):
                    if not code:
                        continue
                    was = tuple(self.at[v])
                    for c in range(self.dimensions):
                        x = self.at[u][c] + ((1 if code % 2 else -1) if c == (code - 1) // 2 else 0)
                        y = self.at[v][c]
                        if abs(x) < abs(y) or (abs(x) == abs(y) and x > y):
                            self.at[v][c], changed = x, True
                    if was != tuple(self.at[v]):
                        self.events.append(("coordinate", v, u, tuple(self.at[v])))
        self.size = []
        for c in range(self.dimensions):
            all_of_it = [p[c] for p in self.at if p[c] != LARGE]
            self.size.append(max(all_of_it) - min(all_of_it) + 1)

    def renumber(self):
        dims = sorted(range(self.dimensions), key=lambda c: -self.size[c])
        links, axes = [], []
        for u in range(self.n):
            turn = []
            for c in dims:
                for code in (2 * c + 1, 2 * c + 2):
                    want = self.opposite(u, code) if self.at[u][c] > 0 else code
                    turn += [i for i, code_of in enumerate(self.axis[u]) if code_of == want and i not in turn]
            turn += [i for i in range(len(self.links[u])) if i not in turn]
            links.append([self.links[u][i] for i in turn])
            axes.append([self.axis[u][i] for i in turn])

        def compare(a, b):
            for c in dims:
                d = wrapped(self.at[a][c] - self.at[b][c])
                if d:
                    return d
            return 0
        self.links, self.axis = links, axes
        self.order = merge_sort(list(range(self.n)), compare)
        self.events += [("note",), ("phase",)] + [("number", u) for u in self.order]

    # --- steps

    def say_measure(self, names, u):
        k, m = len(self.links[u]), self.m[u]
        text = "%s: %d neighbour%s, " % (names[u], k, "" if k == 1 else "s")
        if m is None:
            return text + "too many to be measured"
        kind = "at an edge" if self.type[u] < 0 else " x ".join("%d%s" % (x, "+" * (x == 6)) for x in self.sizes[u]) if self.type[u] else "unknown"
        apart = [m[i][j] for i in range(k) for j in range(i)]
        met = [x for x in apart if x != LARGE]
        text += "neighbourhood " + kind
        if not apart:
            return text
        if not met:
            return text + "; without it they do not meet"
        if min(met) == max(met):
            text += "; without it they are %d hop%s apart" % (met[0], "" if met[0] == 1 else "s")
        else:
            text += "; without it they are %d to %d hops apart" % (min(met), max(met))
        return text + (", some do not meet" if len(met) < len(apart) else "")

    def say_class(self, names, u, like):
        return "%s: %s" % (names[u], "the first of its kind" if u == like else "like " + names[like])

    def axis_name(self, code):
        return "-+"[code % 2] + self.letter((code - 1) // 2)

    def say_axis(self, names, u, i, code, why):
        words = {"seed axis": "the first link of the seed without an axis", "facing in the seed": "its neighbour is not two hops from that of the link before: the other side",
                 "straight on": "only its neighbour is not two hops from that of a link with an axis: straight on", "other end": "as its other end says",
                 "square": "as the opposite side of a square"}
        v, ports = self.entries[u][i]
        return "%s port %d to %s: %s, %s" % (names[u], ports[0], names[v], self.axis_name(code), words[why])

    def say_coordinate(self, names, v, u, at):
        return "%s: at %s, %s" % (names[v], ",".join("-" if x == LARGE else str(x) for x in at), "the seed" if u is None else "a step from " + names[u])

    def say_number(self, names, u):
        return "%s: number %d by its coordinates, was %d by GUID; its links in turn: %s" % (
            names[u], self.order.index(u), u, ", ".join(names[v] for v, _ in self.links[u]))

    # --- pane mesh

    def told(self, names):
        """Switch -> (place, ports by axis, type), as the pane has them."""
        rows = {}
        for u, name in enumerate(names):
            kind = "edge" if self.type[u] < 0 else self.type[u] or None
            at, words = "", []
            if self.order is not None:
                at = ",".join("-" if x == LARGE else str(x) for x in self.at[u])
                for code in range(1, 2 * self.dimensions + 1):
                    ports = sorted(p for (_, ports), of in zip(self.links[u], self.axis[u]) if of == code for p in ports)
                    if ports:
                        words.append("%s %s" % (self.axis_name(code), " ".join(map(str, ports))))
            rows[name] = (at, "  ".join(words), kind)
        return rows

    def letter(self, d):
        return "xyzw"[d] if self.dimensions <= 4 else "d%d" % d

    def title(self):
        if self.order is None:
            return "Mesh \u2500\u2500 no geometry"
        return "Mesh \u2500\u2500 %d dimension%s: %s" % (self.dimensions, "" if self.dimensions == 1 else "s", " x ".join(map(str, self.size)))
