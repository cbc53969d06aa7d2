"""analyse: what each decision of a recorded game cost, and how lucky each seat was."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strozzi_sim.cli import options
from strozzi_sim.cli.explain import header_words
from strozzi_sim.cli.records import RecordFile
from strozzi_sim.errors import pluralize
from strozzi_sim.runtime.text_columns import columns_of

if TYPE_CHECKING:
    from strozzi_sim.play.analyse import GameAnalysis
    from strozzi_sim.play.position import Position


def analyse(
    file: RecordFile,
    game: Annotated[int, typer.Option(help="number of the game in the file, from 1")] = 1,
    agent: Annotated[str, typer.Option(help="an agent that evaluates positions")] = "learned",
    redraws: Annotated[int, typer.Option(help="draws of chance behind each figure")] = 32,
    top: Annotated[int, typer.Option(help="number of turning points to show")] = 5,
    page: Annotated[
        Path | None,
        typer.Option(
            parser=options.named_path, metavar="PAGE", help="also write a page with pictures, such as game.html"
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Say what each decision of a recorded game cost, how lucky each seat was, and what turned the game.

    Example: strozzi analyse games.jsonl --game 3
    """
    from strozzi_sim.play.analyse import analyse_record
    from strozzi_sim.play.records import numbered_game

    options.check_range("--game", game, 1, 1e12)
    options.check_range("--redraws", redraws, 1, 10_000)
    options.check_range("--top", top, 0, 1e6)
    recorded = numbered_game(file, game)
    table, analysis = analyse_record(recorded, str(file), agent, redraws)
    if page is not None:
        from strozzi_sim.report.analysis import analysis_page
        from strozzi_sim.report.page import write_page
        from strozzi_sim.report.replay import replay_page

        manifest = _manifest(table, game, recorded.names)
        watched = replay_page(recorded, analysis)[0]
        write_page(page, analysis_page(analysis, manifest, table.game, watched))
    if json:
        options.print_json(analysis_document(analysis))
        return
    print(header_words(recorded, table.game.title))
    print_analysis(analysis, top)
    if page is not None:
        print(f"\nreport: {page}")


def _manifest(table: "Position", number: int, names: list[str]) -> dict[str, Any]:
    """Return the manifest of a page: name, seed, versions and command."""
    from strozzi_sim.studies.manifest import versions_of

    return {
        "name": f"game {number}, {', '.join(names)}", "seed": table.seed, "versions": versions_of(table.game),
        "command": options.command_line(), "reconstructed": {table.variant.name: list(table.variant.reconstructed)},
    }  # fmt: skip


def print_analysis(analysis: "GameAnalysis", top: int = 5) -> None:
    """Print what made the result of every seat, error rates and levels, and the turning points."""
    print(f"judged by {analysis.agent}, the mean of {pluralize(analysis.redraws, 'draw')} for each figure\n")
    _print_parts(analysis)
    print("\nturning points, by change of the expected share of the win")
    for kind, decision, change in analysis.turning_points(top):
        print(f"  decision {decision.number}: {analysis.event_words(kind, decision, change)}")


def _print_parts(analysis: "GameAnalysis") -> None:
    from strozzi_sim.agent.worth import LEAD, WIN
    from strozzi_sim.play.analyse import PARTS, level_words

    for title, worth, digits, factor in (
        ("expected lead, points", LEAD, 1, 1.0),
        ("expected share of the win, in points of win share", WIN, 1, 100.0),
    ):
        rows = [
            ["seat", "agent", *PARTS.values(), "result", *(["error rate", "choices", "level"] if worth == LEAD else [])]
        ]
        for seat, name in enumerate(analysis.names):
            parts = analysis.parts(seat)
            figures = [f"{factor * parts[key][worth]:+.{digits}f}" for key in PARTS]
            row = [str(seat), name, *figures, f"{factor * analysis.result[seat, worth]:+.{digits}f}"]
            if worth == LEAD:
                rate, choices = analysis.error_rate(seat)
                row += [f"{rate:.2f}", str(choices), level_words(analysis.level(seat))]
            rows.append(row)
        print(title)
        for line in columns_of(rows).splitlines():
            print(f"  {line}")
    print(
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


COMMANDS = {"analyse": analyse}
