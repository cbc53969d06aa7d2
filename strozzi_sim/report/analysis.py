"""The page of an analysed game: who won and why, shares of the win by decision, luck, errors, costly decisions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from strozzi_sim.agent.analysis import LEAD, WIN
from strozzi_sim.errors import pluralize
from strozzi_sim.game.contract import Game
from strozzi_sim.game.sentences import listed
from strozzi_sim.pictures.ink import HERO, looks_of
from strozzi_sim.pictures.marks import Chart, Mark
from strozzi_sim.pictures.panel import Face, Panel, Scale, Sheet
from strozzi_sim.play.analyse import PARTS, GameAnalysis, level_words
from strozzi_sim.report.html_tables import PageTable, TableCell
from strozzi_sim.report.page import TEXTS, Content, Item, Number, PageSection, render

_COSTLIEST = 12  # most decisions in the table
_LABELS = 46  # pixels of the labels of an axis
_PART_COLUMNS = "player", *PARTS.values(), "result"
_TURN_COLUMNS = "decision", "what happened", "change of the share of the win, %"
_RATE_COLUMNS = "player", "points lost in a decision, on average", "decisions that are a choice", "level"
_COST_COLUMNS = "decision", "player", "played", "best found", "points lost", "share of the win lost, %"


def analysis_page(analysis: GameAnalysis, manifest: Mapping[str, Any], game: Game, replay_html: str = "") -> str:
    """Return the page of an analysed game as HTML; the page of its replay, if given, is embedded in a frame."""
    names, texts = analysis.names, TEXTS["analysis"]
    seats = [f"{name} (seat {seat})" for seat, name in enumerate(names)]
    curve = _curve(analysis, seats)
    caption = (
        f"Expected share of the win of each seat before every decision and in the end, judged by {analysis.agent}: the "
        f"mean over {analysis.redraws} draws of future chance. Dots: the turning points listed below."
    )
    hero = Item("Who was ahead, decision by decision", caption, [("", curve)], "item-win-share")
    lead_rows, win_rows = _part_rows(analysis, seats, LEAD, 1.0), _part_rows(analysis, seats, WIN, 100.0)
    parts = [
        _item("What made the result: points of lead", "lead", 1, _PART_COLUMNS, lead_rows),
        _item("What made the result: points of win share", "win", 1, _PART_COLUMNS, win_rows),
    ]
    luck = [float(analysis.parts(seat)["luck"][WIN]) for seat in range(len(names))]
    lucky, unlucky = int(np.argmax(luck)), int(np.argmin(luck))
    most, least = (_signed(100 * luck[seat], 0) for seat in (lucky, unlucky))
    luck_words = f"{seats[lucky]} had the most luck, {most} points of win share in all; "
    luck_words += f"{seats[unlucky]} the least, {least}."
    turns = [
        (str(turn.decision.number), analysis.turn_in_words(turn), _cell(100 * turn.change, 0))
        for turn in analysis.turning_points()
    ]
    losses = [(analysis.error_rate(seat)[0], name) for seat, name in enumerate(seats) if analysis.error_rate(seat)[1]]
    error_words = "Decisions"
    if losses:
        (high, worst), (low, best) = max(losses), min(losses)
        error_words = f"{worst} lost most, {high:.2f} points a decision on average; {best} least, {low:.2f}."
    turning = _item("Turning points", "turning-points", 2, _TURN_COLUMNS, turns)
    rates = _item("Error rates", "error-rates", 1, _RATE_COLUMNS, _rate_rows(analysis, seats))
    costly = _item("Costliest decisions", "costly", 4, _COST_COLUMNS, _cost_rows(analysis, seats))
    moments = [f"Decision {number}: {words}." for number, words, _ in turns]
    watched = Item("The table, step by step", "", [("", replay_html)], "item-table")
    sections = [
        PageSection("parts", "Luck and errors", "What made the result?", luck_words, [texts["sum"]], parts),
        PageSection(
            "turning", "Turning points", "Which moments changed it most?", "Turning points", moments, [turning]
        ),
        PageSection(
            "decisions", "Decisions", "Which decisions cost most?", error_words, [texts["rate"]], [rates, costly]
        ),
        PageSection("table", "The table", "What happened, step by step?", "The table", [texts["steps"]], [watched]),
    ]
    verdict, detail, numbers = _answer(analysis)
    content = Content(
        verdict=verdict,
        detail=detail,
        numbers=numbers,
        hero=[hero],
        sections=sections if replay_html else sections[:-1],
        plan=f"One game of {game.title}, {len(names)} players, {len(analysis.decisions)} decisions.",
        facts=[("Agents", ", ".join(names)), ("Judge", f"{analysis.agent}, {analysis.redraws} draws for each figure")],
        certainty=[
            f"Every figure except the result is what {analysis.agent} expects, with the noise of {analysis.redraws} "
            "draws; it is not measured by play."
        ],
        caveat=f"{analysis.agent}, a computer player, judges one game",
    )
    return render(manifest, game, content)


def _item(title: str, anchor: str, texts: int, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> Item:
    """Return a table as an item; the first `texts` columns are text, the others cells."""
    lines = tuple((row[:texts], row[texts:]) for row in rows)
    table = PageTable(tuple(columns[:texts]), tuple((name, "", "") for name in columns[texts:]), lines)
    return Item(title, "", [("", table)], f"item-{anchor}")


def _answer(analysis: GameAnalysis) -> tuple[str, str, tuple[Number, ...]]:
    """Return the verdict, the detail (sum of the winner's parts, largest turning point), and numbers on the winner."""
    shares = analysis.result[:, WIN]
    best = float(shares.max())
    seat = int(shares.argmax())
    shared = int((shares == best).sum()) > 1
    parts = {name: part[WIN] for name, part in analysis.parts(seat).items()}
    play = parts["own_errors"] + parts["rivals_errors"]
    reason = "more by luck than by play" if parts["luck"] > play else "more by play than by luck"
    verdict = f"{analysis.names[seat]} (seat {seat}) {'shared the win' if shared else 'won'}, {reason}."
    rate, choices = analysis.error_rate(seat)
    first = analysis.turning_points(1)
    turn = f" The largest turn: {analysis.turn_in_words(first[0])}." if first else ""
    of_luck = Number(_signed(100 * parts["luck"], 0), "", "points of win share by luck, all draws added up")
    of_play = Number(_signed(100 * play, 0), "", "points of win share by own and rivals' errors, added up")
    lost = f"points lost in a decision, on average over {pluralize(choices, 'decision')}"
    of_errors = Number(f"{rate:.2f}" if choices else "-", "", lost)
    return verdict, f"{_sum_words(parts, best)}{turn}", (of_luck, of_play, of_errors)


def _sum_words(parts: Mapping[str, float], result: float) -> str:
    """Return a sentence with the parts of the winner's share of the win; one part alone may exceed the result."""
    points = {key: 100 * float(value) for key, value in parts.items()}
    summands = listed([f"{_signed(points[key], 0)} by {PARTS[key]}" for key in ("luck", "own_errors", "rivals_errors")])
    return (
        f"The winner's share of the win began at {points['start']:.0f} %; with {summands}, and "
        f"{_signed(points['unexplained'], 0)} unexplained, it ended at {100 * result:.0f} %."
    )


def _signed(value: float, digits: int) -> str:
    """Return a rounded number with its sign, "+3" or "-3"; one that rounds to zero has no sign."""
    text = f"{value:+.{digits}f}".replace("-", "\N{MINUS SIGN}")
    return text[1:] if not text.strip("+\N{MINUS SIGN}0.") else text


def _curve(analysis: GameAnalysis, seats: Sequence[str]) -> Chart:
    curve = 100 * analysis.curve()
    turns = {turn.decision.number for turn in analysis.turning_points()}
    looks = looks_of("seat", range(len(seats)))
    last = len(curve)
    scale, across = Scale((0.0, 100.0), percent=True), Scale((1.0, float(max(last, 2))))
    marks: list[Mark] = []
    for name, shares in zip(seats, curve.T.tolist(), strict=True):
        for number, share in enumerate(shares, 1):
            tip = f"{name}, {f'before decision {number}' if number < last else 'in the end'}: {share:.0f} %"
            marks.append({"seat": name, "decision": number, "value": share, "tip": tip})

    def fill(panel: Panel) -> None:
        for name, (ink, _) in zip(seats, looks, strict=True):
            of_seat = [mark for mark in marks if mark["seat"] == name]
            # a stepped line: a share holds until the next decision
            steps = [
                (k, mark["value"]) for mark in of_seat for k in (mark["decision"], min(mark["decision"] + 1, last))
            ]
            panel.lines([steps], ink, 1.8)
            dots = [mark for mark in of_seat if mark["decision"] in turns]
            x, y, tips = ([dot[key] for dot in dots] for key in ("decision", "value", "tip"))
            panel.dots(x, y, ink, "circle", 3.8, tips)

    def draw(sheet: Sheet) -> None:
        width = sheet.width - _LABELS - 6
        panel = sheet.panel(_LABELS, 8, width, height=260, x=across.ends, y=scale.ends, foot=42)
        panel.numbers("y", scale)
        panel.numbers("x", across, "decision", most_steps=8, grid=False)
        fill(panel)

    legend = tuple((name, ink, "circle") for name, (ink, _) in zip(seats, looks, strict=True))
    face = Face("", across, scale, fill, labels=("decision", "expected share of the win"))
    name, title = "win-share", "Expected share of the win, by decision"
    return Chart(draw, [face], "Expected share of the win", legend, marks, width=HERO, name=name, title=title)


def _cell(value: float, digits: int, text: str = "") -> TableCell:
    return TableCell(text or _signed(value, digits), numbers=(f"{value:.{digits + 2}f}", "", "", ""))


def _part_rows(analysis: GameAnalysis, seats: Sequence[str], column: int, factor: float) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a table of parts: LEAD or WIN is the column of a worth, times `factor`."""
    for seat, name in enumerate(seats):
        parts = analysis.parts(seat)
        values = [*(parts[key][column] for key in PARTS), analysis.result[seat, column]]
        yield name, *(_cell(factor * float(value), 1) for value in values)


def _cost_rows(analysis: GameAnalysis, seats: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    costly = sorted((each for each in analysis.decisions if each.loss > 0), key=lambda decision: -decision.loss)
    for each in costly[:_COSTLIEST]:
        losses = (each.loss, f"{each.loss:.1f}"), (100 * each.win_loss, f"{100 * each.win_loss:z.1f}")
        cells = (_cell(loss, 1, text) for loss, text in losses)
        yield str(each.number), seats[each.seat], each.played, each.best, *cells


def _rate_rows(analysis: GameAnalysis, seats: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    for seat, name in enumerate(seats):
        rate, choices = analysis.error_rate(seat)
        texts = f"{rate:.2f}" if choices else "-", str(choices), level_words(analysis.level(seat))
        yield name, *map(TableCell, texts)
