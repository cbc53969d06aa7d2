"""analyse: what each decision of a recorded game cost, and how lucky each seat was."""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strozzi_sim.cli.explain import header_words
from strozzi_sim.cli.show import Answer
from strozzi_sim.errors import check_range, pluralize
from strozzi_sim.runtime.text_columns import columns_of

if TYPE_CHECKING:
    from strozzi_sim.play.analyse import GameAnalysis
    from strozzi_sim.play.position import Position


def analyse(
    file: str | Path, *, game: int = 1, agent: str = "learned", redraws: int = 32, top: int = 5, page: str | Path = ""
) -> Answer:
    """Say what each decision of a recorded game cost, how lucky each seat was, and what turned the game.

    Example: strozzi analyse games.jsonl --game 3

    Args:
        file: a record (JSON Lines)
        game: number of the game in the file, from 1
        agent: an agent that evaluates positions
        redraws: draws of chance behind each figure
        top: number of turning points to show
        page: also write a page with pictures, such as game.html
    """
    from strozzi_sim.play.analyse import analyse_record
    from strozzi_sim.play.records import numbered_game

    check_range("game", game, 1, 1e12)
    check_range("redraws", redraws, 1, 10_000)
    check_range("top", top, 0, 1e6)
    recorded = numbered_game(Path(file), game)
    table, analysis = analyse_record(recorded, str(file), agent, redraws)
    if page:
        from strozzi_sim.report.analysis import analysis_page
        from strozzi_sim.report.page import write_page
        from strozzi_sim.report.replay import replay_page

        manifest = _manifest(table, game, recorded.names)
        write_page(Path(page), analysis_page(analysis, manifest, table.game, replay_page(recorded, analysis)[0]))
    lines = [header_words(recorded, table.game.title), *analysis_lines(analysis, top)]
    return Answer(analysis_document(analysis), [*lines, *([f"\nreport: {page}"] if page else [])])


def _manifest(table: "Position", number: int, names: list[str]) -> dict[str, Any]:
    """Return the manifest of a page: name, seed, versions and command."""
    from strozzi_sim.study.store import versions

    return {
        "name": f"game {number}, {', '.join(names)}", "seed": table.seed, "versions": versions(),
        "command": shlex.join(["strozzi", *sys.argv[1:]]), "reconstructed": {table.variant.name: list(table.variant.reconstructed)},
    }  # fmt: skip


def analysis_lines(analysis: "GameAnalysis", top: int = 5) -> Iterator[str]:
    """Yield what made the result of every seat, error rates and levels, and the turning points."""
    yield f"judged by {analysis.agent}, the mean of {pluralize(analysis.redraws, 'draw')} for each figure\n"
    yield from _parts(analysis)
    yield "\nturning points, by change of the expected share of the win"
    for kind, decision, change in analysis.turning_points(top):
        yield f"  decision {decision.number}: {analysis.event_words(kind, decision, change)}"


def _parts(analysis: "GameAnalysis") -> Iterator[str]:
    from strozzi_sim.agent.worth import LEAD, WIN
    from strozzi_sim.play.analyse import PARTS, level_words

    for title, worth, factor in (
        ("expected lead, points", LEAD, 1.0),
        ("expected share of the win, in points of win share", WIN, 100.0),
    ):
        last = ["error rate", "choices", "level"] if worth == LEAD else []
        rows = [["  seat", "agent", *PARTS.values(), "result", *last]]
        for seat, name in enumerate(analysis.names):
            parts = analysis.parts(seat)
            figures = [*(parts[key][worth] for key in PARTS), analysis.result[seat, worth]]
            row = [f"  {seat}", name, *(f"{factor * figure:+.1f}" for figure in figures)]
            if last:
                rate, choices = analysis.error_rate(seat)
                row += [f"{rate:.2f}", str(choices), level_words(analysis.level(seat))]
            rows.append(row)
        yield f"{title}\n{columns_of(rows)}"
    yield (
        "error rate: mean points lost in a decision in which actions differ; level: that of the judge with this error rate; "
        "unexplained: the judge's own changes of mind; parts are sums over the game that add up to the result and can exceed it"
    )


def analysis_document(analysis: "GameAnalysis") -> dict[str, Any]:
    """Return an analysis as plain data."""
    from strozzi_sim.agent.worth import WORTHS

    def by_name(worth: Any) -> dict[str, float]:
        return {name: round(float(value), 4) for name, value in zip(WORTHS, worth, strict=True)}

    seats = []
    for seat, name in enumerate(analysis.names):
        rate, choices = analysis.error_rate(seat)
        parts = {key: by_name(part) for key, part in analysis.parts(seat).items()}
        result = by_name(analysis.result[seat])
        seats.append({"seat": seat, "agent": name, **parts, "result": result, "error_rate": rate if choices else None, "choices": choices, "level": analysis.level(seat)})  # fmt: skip
    decisions = [
        {
            "decision": each.number, "seat": each.seat, "question": each.question, "played": each.played, "best": each.best,
            "loss": round(each.loss, 4), "win_loss": round(each.win_loss, 4), "is_choice": each.is_choice,
            "luck": [by_name(worth) for worth in each.luck], "events": list(each.events),
        }
        for each in analysis.decisions
    ]  # fmt: skip
    curve = [[round(float(share), 4) for share in shares] for shares in analysis.curve()]
    return {
        "agent": analysis.agent,
        "redraws": analysis.redraws,
        "seats": seats,
        "decisions": decisions,
        "win_curve": curve,
    }


def costs(analysis: "GameAnalysis") -> dict[str, Any]:
    """Return what an assistant is told of an analysis: seats, turning points, and the decisions that cost most."""
    document = analysis_document(analysis)
    turns = [f"decision {turn[1].number}: {analysis.event_words(*turn)}" for turn in analysis.turning_points(10)]
    costly = sorted(document["decisions"], key=lambda each: -each["loss"])[:10]
    return {"seats": document["seats"], "turning_points": turns, "costliest_decisions": costly, "n": analysis.redraws}
