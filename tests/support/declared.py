"""Reading declared pictures: their panels, marks, scales and words."""

import re


def panels(spec):
    """Return the panels of a declaration, in reading order."""
    for kind in ("hconcat", "vconcat"):
        if kind in spec:
            return [panel for part in spec[kind] for panel in panels(part)]
    return [spec]


def layers(panel, mark=""):
    """Return (encoding, rows, mark) of each layer of a panel, or of those of one kind of mark; filters are applied."""
    found = []
    for each in panel["layer"]:
        rows = each.get("data", panel.get("data", {})).get("values", [])
        for step in each.get("transform", []):
            rows = [row for row in rows if _passes(row, step["filter"])]
        if mark in ("", each["mark"]["type"]):
            found.append((each["encoding"], rows, each["mark"]))
    return found


_FILTER = re.compile(r"isValid\(datum\.(\w+)\)|datum\.(\w+)(?: == '?([^' ]+)'?)?")


def _passes(row, wanted):
    """Return whether a row passes a filter such as isValid(datum.low), datum.side == 1 && datum.x == 'y', datum.label."""
    for part in wanted.split(" && "):
        valid, name, value = _FILTER.fullmatch(part).groups()
        there = row.get(valid or name)
        if there is None or (value is not None and str(there) != value) or there == "":
            return False
    return True


def marks(spec):
    """Return the rows that a reader can point at, each once: those with a sentence."""
    found = {}
    for panel in panels(spec):
        for encoding, rows, _ in layers(panel):
            if "description" in encoding:
                found |= {id(row): row for row in rows}
    return list(found.values())


def domain(panel, channel):
    """Return the ends of the only scale of numbers along x or y."""
    scales = {
        tuple(encoding[channel]["scale"]["domain"])
        for encoding, _, _ in layers(panel)
        if encoding.get(channel, {}).get("type") == "quantitative"
    }
    (ends,) = scales
    return ends


def levels(panel, channel):
    """Return the names along x or y, in order."""
    (names,) = {
        tuple(encoding[channel]["scale"]["domain"])
        for encoding, _, _ in layers(panel)
        if encoding.get(channel, {}).get("field") == "level"
    }
    return names


def texts(panel):
    """Return what is written among the marks of a panel."""
    written = []
    for encoding, rows, _ in layers(panel, "text"):
        field = encoding["text"]["field"]
        written += [row[field] for row in rows if row.get(field)]
    return written
