"""Reading drawn pictures: what stands on each of their panels."""

from strozzi_sim.pictures.panel import Panel, Sheet


class Recorded(Panel):
    """A panel that keeps what is drawn on it."""

    def _add(self, artist, tips=()):
        self.artists.append(artist)
        super()._add(artist, tips)

    def title(self, words, *place):
        self.titled = words.replace("\n", " ")
        super().title(words, *place)

    def numbers(self, axis, scale, *place, **look):
        self.scales[axis] = scale
        super().numbers(axis, scale, *place, **look)

    def names(self, axis, names, *place, **look):
        self.levels[axis] = tuple(names)
        super().names(axis, names, *place, **look)

    def dots(self, x, y, ink, shape="circle", radius=4.2, tips=(), fills=(), line=0.0):
        self.looks += [(ink, shape)] if len(x) else []
        self.points += [(*at, tip) for *at, tip in zip(x, y, tips or [""] * len(x), strict=True)]
        self.shades += [(tip, fill) for tip, fill in zip(tips, fills, strict=False)]
        super().dots(x, y, ink, shape, radius, tips, fills, line)

    def lines(self, lines, ink="ink", width=1.0, dash="-", alpha=1.0):
        self.drawn_lines += [(ink, dash, [tuple(point) for point in line]) for line in lines]
        super().lines(lines, ink, width, dash, alpha)

    def boxes(self, boxes, fills, edge="paper", width=1.0, tips=()):
        self.shades += [(tip, fill) for tip, fill in zip(tips, fills, strict=False)]
        self.areas += [(edge, fill, *box) for box, fill in zip(boxes, fills, strict=True)]
        super().boxes(boxes, fills, edge, width, tips)

    def text(self, x, y, words, ink="ink", shift=(0.0, 4.0), side="center", bold=False, size=12.0):
        self.words.append(words)
        self.inked.append((words, ink, bold))
        self.placed.append((words, x, y, shift, side))
        super().text(x, y, words, ink, shift, side, bold, size)

    @property
    def broken(self):
        """The broken lines, each as (x, y) of its ends."""
        return [line for _, dash, line in self.drawn_lines if dash != "-"]

    @property
    def values(self):
        """What is written out at marks: bold, and no title."""
        return [words for words, _, bold in self.inked if bold and words.replace("\n", " ") != self.titled]


class RecordedSheet(Sheet):
    """A sheet whose panels keep what is drawn on them."""

    def __init__(self, width):
        super().__init__(width)
        self.panels = []

    def panel(self, left, top, *more, **options):
        made = super().panel(left, top, *more, **options)
        made.__class__ = Recorded
        made.left, made.top, made.titled, made.scales, made.levels = left, top, "", {}, {}
        for name in ("artists", "looks", "points", "shades", "drawn_lines", "areas", "words", "inked", "placed"):
            setattr(made, name, [])
        self.panels.append(made)
        return made


def panels(drawn, width=None):
    """Return the panels of a picture, drawn as wide as it says or so wide."""
    sheet = RecordedSheet(width or drawn.width)
    drawn.draw(sheet)
    return sheet.panels
