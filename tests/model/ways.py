"""What the models of reasons share: ways by cables, and how they say that something is wrong."""


class Wrong(Exception):
    pass


def expect(name, told, want):
    if told != want:
        raise Wrong("%s: told %s, expected %s" % (name, told, want))


searched = {}   # (switch, port, rule of directions) -> {switch: cables}, of the links asked about last
last_links = [None]


def ways_by(links, sw, port, target, way):
    """Fewest cables from sw by a port to the target, never back over sw; way(a, b): "U", "D" or other; None: any way.

    Behind a step down no step leads up, unless one within the rank frees it; way.strict: it does not.
    """
    if last_links[0] is not links:
        last_links[0] = links
        searched.clear()
    if (sw, port, way) not in searched:
        searched[sw, port, way] = search(links, sw, port, way) if port in links[sw] else {}
    return searched[sw, port, way].get(target)


def search(links, sw, port, way):
    """The same for every target that is reached."""
    b, fewest = links[sw][port][0], {}
    strict = getattr(way, "strict", False)
    far = {(b, bool(way) and way(sw, b) == "D"): 1}
    queue = list(far)
    for at, down in queue:
        fewest.setdefault(at, far[at, down])
        if at == sw:
            continue
        for n, _ in links[at].values():
            step = way(at, n) if way else " "
            state = (n, step == "D" or down and step == "=" and strict)
            if n != sw and not (down and step == "U") and state not in far:
                far[state] = far[at, down] + 1
                queue.append(state)
    return fewest
