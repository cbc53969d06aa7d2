"""The page of an analysed game: who won and why, shares of the win by decision, luck, errors, costly decisions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from strozzi_sim.agent.analysis import LEAD, WIN
from strozzi_sim.game.contract import Game
from strozzi_sim.game.sentences import with_capital
from strozzi_sim.pictures.ink import HERO, looks_of
from strozzi_sim.pictures.marks import Chart, Mark
from strozzi_sim.pictures.panel import Face, Panel, Scale, Sheet
from strozzi_sim.play.analyse import (
    MISTAKES,
    PARTS,
    UNEXPLAINED,
    GameAnalysis,
    level_words,
    signed,
)
from strozzi_sim.play.judged import JudgedDecision
from strozzi_sim.play.records import RecordedGame
from strozzi_sim.report.html_tables import PageTable, TableCell
from strozzi_sim.report.page import TEXTS, Content, Item, Number, PageSection, render
from strozzi_sim.report.replay import decision_steps, replay_data
from strozzi_sim.study.wording import plain_player
from strozzi_sim.table.page import render as render_table

_COSTLIEST = 12  # most decisions in the table
_LABELS = 46  # pixels of the labels of an axis
_PART_COLUMNS = "player", *PARTS.values(), "result"
_TURN_COLUMNS = "decision", "what happened", "change of the share of the win, %"
_RATE_COLUMNS = "player", "points lost in a decision, on average", "decisions that are a choice", "level"
_COST_COLUMNS = "decision", "player", "played", "best found", "share of the win lost, %", "points lost"
_COSTLIEST_COLUMNS = "when", "who", "decision", "played", "better", "cost"


def analysis_page(analysis: GameAnalysis, manifest: Mapping[str, Any], game: Game, recorded: RecordedGame) -> str:
    """Return the page of an analysed game as HTML, with the page of its replay in a frame."""
    names, texts = analysis.names, TEXTS["analysis"]
    seats = [f"{player} ({name})" for player, name in zip(analysis.players, names, strict=True)]
    data, heading = replay_data(recorded, analysis)
    steps = decision_steps(analysis, len(data["steps"]))
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
    most, least = (signed(100 * luck[seat]) for seat in (lucky, unlucky))
    luck_words = f"{with_capital(seats[lucky])} had the most luck, {most} points of win share in all; "
    luck_words += f"{seats[unlucky]} the least, {least}."
    turns = [
        (str(turn.decision.number), analysis.turn_in_words(turn), _cell(100 * turn.change, 0))
        for turn in analysis.turning_points()
    ]
    turning = _item("Turning points", "turning-points", 2, _TURN_COLUMNS, turns)
    moments = [f"Decision {number}: {words}." for number, words, _ in turns]
    watched = Item("The table, step by step", "", [("", render_table(game, data, heading))], "item-table")
    sections = [
        _decisions(analysis, seats, steps),
        PageSection("parts", "Luck and errors", "What made the result?", luck_words, [texts["sum"]], parts),
        PageSection(
            "turning", "Turning points", "Which moments changed it most?", "Turning points", moments, [turning]
        ),
        PageSection("table", "The table", "What happened, step by step?", "The table", [texts["steps"]], [watched]),
    ]
    verdict, detail = analysis.verdict()
    content = Content(
        verdict=verdict,
        detail=detail,
        numbers=_numbers(analysis),
        hero=[hero],
        sections=sections,
        plan=f"One game of {game.title}, {len(names)} players, {len(analysis.decisions)} decisions.",
        facts=[("Agents", ", ".join(names)), ("Judge", f"{analysis.agent}, {analysis.redraws} draws for each figure")],
        certainty=[
            f"Every figure except the result is what {plain_player(game, analysis.agent)} expects, with the noise of "
            f"{analysis.redraws} draws; it is not measured by play."
        ],
        caveat=f"{analysis.agent}, a computer player, judges one game",
    )
    return render(manifest, game, content)


def _decisions(analysis: GameAnalysis, seats: Sequence[str], steps: Sequence[int]) -> PageSection:
    """Return the section on what decisions cost; `steps`: the first step of each decision on the table."""
    losses = [(analysis.error_rate(seat)[0], name) for seat, name in enumerate(seats) if analysis.error_rate(seat)[1]]
    sentences = []
    if losses:
        (high, worst), (low, best) = max(losses), min(losses)
        lost = f"lost most, {high:.2f} {analysis.unit} a decision on average; {best} least, {low:.2f}"
        sentences.append(f"{with_capital(worst)} {lost}.")
    rows, words = list[Sequence[str]](), "No decision cost a noticeable part of the win."
    if costliest := analysis.costliest():
        rows = [_COSTLIEST_COLUMNS, *(_costliest_row(each, analysis, steps) for each in costliest)]
        first = costliest[0]
        who = analysis.players[first.seat]
        words = f"The costliest decision is by {who}: its chance to win {first.chances(first.seat)}."
    items = [
        _item("Error rates", "error-rates", 1, _RATE_COLUMNS, _rate_rows(analysis, seats)),
        _item("Costliest decisions", "costly", 4, _COST_COLUMNS, _cost_rows(analysis, seats)),
    ]
    sentences.append(TEXTS["analysis"]["rate"])
    return PageSection(
        "decisions", "Decisions", "Which decisions cost most?", words, sentences, items, small_table=rows
    )


def _item(title: str, anchor: str, texts: int, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> Item:
    """Return a table as an item; the first `texts` columns are text, the others cells."""
    lines = tuple((row[:texts], row[texts:]) for row in rows)
    table = PageTable(tuple(columns[:texts]), tuple((name, "", "") for name in columns[texts:]), lines)
    return Item(title, "", [("", table)], f"item-{anchor}")


def _numbers(analysis: GameAnalysis) -> tuple[Number, ...]:
    """Return what luck, rivals' and own errors were worth in the winner's lead, or that this is not clear."""
    winner = int(analysis.result[:, WIN].argmax())
    kinds = {"luck": "by luck", "rivals_errors": "by rivals' mistakes", "own_errors": "by its own mistakes"}
    if not analysis.is_clear(winner):
        kinds = {UNEXPLAINED: "that stay unexplained", "luck": "by luck", MISTAKES: "by all mistakes together"}
    parts, what = analysis.summed_parts(winner), f"{analysis.unit} of the winner's lead"
    if analysis.is_told_by_wins(winner):
        parts = {name: 100 * part for name, part in analysis.summed_parts(winner, WIN).items()}
        what = "games of 100 of the winner's chance"
    worths = {words: signed(parts[name]) for name, words in kinds.items()}
    return tuple(Number(worth, "", f"{what} {words}") for words, worth in worths.items())


def _costliest_row(decision: JudgedDecision, analysis: GameAnalysis, steps: Sequence[int]) -> tuple[str, ...]:
    """Return a row of the table of the costliest decisions, with a link to the decision's step on the table."""
    when = f"round {decision.round}" if decision.round else f"decision {decision.number}"
    link = Markup('<a href="#table" data-step="{}">{}</a>').format(steps[decision.number - 1] + 1, when)
    cost = f"chance to win {decision.chances(decision.seat)}, {decision.loss:.1f} {analysis.unit}"
    return link, analysis.players[decision.seat], decision.question, decision.played_words, decision.best_words, cost


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
    return TableCell(text or signed(value, digits), numbers=(f"{value:.{digits + 2}f}", "", "", ""))


def _part_rows(analysis: GameAnalysis, seats: Sequence[str], column: int, factor: float) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a table of parts: LEAD or WIN is the column of a worth, times `factor`."""
    for seat, name in enumerate(seats):
        parts = analysis.parts(seat)
        values = [*(parts[key][column] for key in PARTS), analysis.result[seat, column]]
        yield name, *(_cell(factor * float(value), 1) for value in values)


def _cost_rows(analysis: GameAnalysis, seats: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    for each in analysis.costliest(_COSTLIEST):
        losses = (100 * each.win_loss, f"{100 * each.win_loss:.1f}"), (each.loss, f"{each.loss:.1f}")
        cells = (_cell(loss, 1, text) for loss, text in losses)
        yield str(each.number), seats[each.seat], each.played, each.best, *cells


def _rate_rows(analysis: GameAnalysis, seats: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    for seat, name in enumerate(seats):
        rate, choices = analysis.error_rate(seat)
        texts = f"{rate:.2f}" if choices else "-", str(choices), level_words(analysis.level(seat))
        yield name, *map(TableCell, texts)
