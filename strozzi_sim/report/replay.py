"""The pages of recorded games: the steps of a game on its table, with an analysis if given; a list of such pages."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from strozzi_sim.agent.analysis import WIN
from strozzi_sim.game import load_game
from strozzi_sim.game.sentences import listed, with_capital
from strozzi_sim.game.table import GameTable
from strozzi_sim.play.analyse import NOTED, GameAnalysis
from strozzi_sim.play.judged import JudgedDecision, TurningPoint
from strozzi_sim.play.judging import Outcome
from strozzi_sim.play.records import RecordedGame
from strozzi_sim.study.wording import plain_player
from strozzi_sim.table.page import asset, render, template
from strozzi_sim.table.plain import replayed_steps, table_of

Outcomes = Mapping[int, Sequence[Outcome]]  # number of a decision -> possible outcomes of its draws
_TURNS = 6  # most turning points on the curve
_POINTS_NOTED = 1.0  # smallest loss that is reported, in points of lead


def replay_data(
    recorded: RecordedGame, analysis: GameAnalysis | None = None, outcomes: Outcomes | None = None
) -> tuple[dict[str, Any], str]:
    """Return the JSON of the page of a recorded game that follows the rules, and its heading.

    Without `analysis` (of `analyse_game`) the page has no shares of the win, and `outcomes` are ignored; without
    `outcomes` (of `outcomes_of_game`) it does not show the possible outcomes of draws.
    """
    game = load_game(recorded.header["game"])
    table = table_of(game, recorded.header)
    steps = replayed_steps(table, recorded.header, [line for _, line in recorded.events])
    data: dict[str, Any] = {"head": table.head, "steps": steps, "ask": None}
    if analysis is not None:
        data["judged"] = _judged_data(analysis, [step["said"] for step in steps], table, outcomes or {})
    return data, table.heading()


def replay_page(
    recorded: RecordedGame, analysis: GameAnalysis | None = None, outcomes: Outcomes | None = None
) -> tuple[str, str]:
    """Return the page of a recorded game as HTML, and its heading; see `replay_data`."""
    data, heading = replay_data(recorded, analysis, outcomes)
    return render(load_game(recorded.header["game"]), data, heading), heading


def decision_steps(analysis: GameAnalysis, steps: int) -> list[int]:
    """Return the first step of every decision, from 0, then the number of steps of the page of the game."""
    first = steps - sum(len(decision.events) for decision in analysis.decisions)  # steps before the first decision
    return [int(step) for step in np.cumsum([first, *(len(decision.events) for decision in analysis.decisions)])]


def list_page(title: str, games: Sequence[tuple[str, str, str]]) -> str:
    """Return a page that links to the pages of games, each given as the name of its file, a heading, and a note."""
    return template("games.html").render(title=title, games=games, css=Markup(asset("table.css")))


def _judged_data(analysis: GameAnalysis, said: Sequence[str], table: GameTable, outcomes: Outcomes) -> dict[str, Any]:
    """Return the JSON `judged` of a page, see `table.schema.Judged`; `said` has the sentence of each step."""
    steps = len(said)
    starts = decision_steps(analysis, steps)
    curve = analysis.curve().round(3)
    win = [curve[np.searchsorted(starts[:-1], step + 1)].tolist() for step in range(steps)]
    notes = [""] * steps
    for decision, start, end in zip(analysis.decisions, starts, starts[1:], strict=False):
        if end > start:  # a decision without a step has no note
            notes[start] = _decision_note(decision, table)
            notes[end - 1] = " ".join(filter(None, [notes[end - 1], _luck_note(decision, table)]))
    turns = [
        _turn(turn, starts[turn.decision.number - 1 : turn.decision.number + 1], said, table)
        for turn in analysis.turning_points(_TURNS)
        if abs(turn.change) >= NOTED
    ]
    turned = _decisive_words(analysis.turning_points(1), turns)
    turns.sort(key=lambda turn: turn["step"])
    judged = {"agent": plain_player(table.game, analysis.agent), "redraws": analysis.redraws, "turned": turned}
    judged |= {"win": win, "notes": notes, "turns": turns}
    return judged | {"next": _next(outcomes, starts)}


def _turn(turn: TurningPoint, ends: Sequence[int], said: Sequence[str], table: GameTable) -> dict[str, Any]:
    """Return a turning point as plain data: an error at the first step of its decision, luck at the last."""
    if turn.kind == "error":
        step, words = ends[0], _error_words(turn.decision, table)
    else:
        step = max(ends[0], ends[1] - 1)
        event = said[step][:1].lower() + said[step][1:].rstrip(".")
        quality = "Good" if turn.change > 0 else "Bad"
        chances = turn.decision.chances(turn.seat, by_luck=True)
        words = f"{quality} luck for {table.named(turn.seat)}, whose chance to win {chances}: {event}"
    return {"step": step, "kind": turn.kind, "seat": turn.seat, "change": round(turn.change, 3), "said": words}


def _decisive_words(largest: Sequence[TurningPoint], turns: Sequence[Mapping[str, Any]]) -> str:
    """Return when the game turned, by its largest turning point, the first of `turns`; "" without one."""
    if not turns:
        return ""
    words = turns[0]["said"].partition("; best found")[0]
    when = f" in round {number}" if (number := largest[0].decision.round) else ""
    return f"It turned{when}. {with_capital(words)}."


def _next(outcomes: Outcomes, starts: Sequence[int]) -> dict[str, Any]:
    """Return the JSON `next` of a page, see `table.schema.Next`: a table for each step with possible outcomes."""
    names = sorted({outcome.name for possible in outcomes.values() for outcome in possible})
    number_of_name = {name: number for number, name in enumerate(names)}
    steps = {}
    for number, possible in outcomes.items():
        rows = []
        for outcome in sorted(possible, key=lambda outcome: (not outcome.came, outcome.name)):
            shares = [round(1000 * share) for share in outcome.win.tolist()]
            rows.append([number_of_name[outcome.name], outcome.ways, int(outcome.came), *shares])
        width = max(outcome.half_width for outcome in possible)
        draws = sum(outcome.ways for outcome in possible)
        certain = f"to \N{PLUS-MINUS SIGN}{100 * width:.1f} points" if width else "exact for this judge"
        note = f"Each seat's share of the win after each of {draws} draws, {certain}."
        steps[str(max(starts[number - 1], starts[number] - 1))] = {"note": note, "rows": rows}
    return {"names": names, "steps": steps}


def _decision_note(decision: JudgedDecision, table: GameTable) -> str:
    if not decision.is_choice:
        return ""
    if decision.win_loss < NOTED and decision.loss < _POINTS_NOTED:
        return f"{table.name(decision.seat)} chose {decision.played_words}: nothing clearly better found."
    return f"{_error_words(decision, table)}."


def _error_words(decision: JudgedDecision, table: GameTable) -> str:
    if decision.win_loss >= NOTED:
        cost = f"its chance to win {decision.chances(decision.seat)}"
    else:
        cost = f"it cost {decision.loss:.1f} {table.unit}"
    return f"{table.name(decision.seat)} chose {decision.played_words}: {cost}; best found: {decision.best_words}"


def _luck_note(decision: JudgedDecision, table: GameTable) -> str:
    """Return the luck of seats after a decision as text, where it reaches NOTED; "" if it does for no seat."""
    parts = [
        f"{table.named(seat)} {100 * share:+.0f} %".replace("-", "\N{MINUS SIGN}")
        for seat, share in enumerate(decision.luck[:, WIN].tolist())
        if abs(share) >= NOTED
    ]
    return f"Luck of the draw: {listed(parts)}." if parts else ""
