"""The pictures of the findings, drawn from the kept tables."""

from pathlib import Path
from typing import Any

import numpy as np
import reading
import reconstructed
import runs
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from style import COLOURS, GREY, INK, MARKS, STYLE, new_figure

from strozzi_sim.game import load_game
from strozzi_sim.study.restricted import WORTH
from strozzi_sim.study.wording import strengths

IMAGES = Path(__file__).parents[1] / "images"
_FEWEST = 100  # games behind a share in the picture of seats
_MOST = 14  # things of a game in the picture of worth
_NUMBERS = {
    "random moves": 0,
    "weak": 0,
    "usual": 1,
    "trained": 2,
    "strong": 3,
}  # places of strengths beside each other


def draw_all() -> None:
    """Write every picture as PNG."""
    with rc_context(STYLE):
        for name, draw in (("seats", _seats), ("worth", _worth), ("boxes", _boxes)):
            draw().savefig(IMAGES / f"findings-{name}.png", metadata={"Software": None})


def _bars(axes: Axes, x: Any, found: Any, colour: str, mark: str, *, across: bool = False, **more: Any) -> None:
    """Draw values with their intervals."""
    value, ends = found["value"].to_numpy(), np.array([found["value"] - found["low"], found["high"] - found["value"]])
    style: Any = {"fmt": mark, "color": colour, "markersize": 4, "elinewidth": 1.1, "capsize": 0} | more
    axes.errorbar(*((value, x) if across else (x, value)), **{"xerr" if across else "yerr": ends}, **style)


def _seats() -> Figure:
    """Return every seat's share of wins above an equal share, by game, player count and strength."""
    figure = new_figure(3.4)
    counts = {game: sorted(runs.read(f"{game}-balance", "seats")["players"].unique()) for game in reading.GAMES}
    widths = [max(sum(int(players) for players in of_game) + len(of_game), 9) for of_game in counts.values()]
    panels = figure.subplots(1, 3, sharey=True, width_ratios=widths)
    for axes, (game, title) in zip(panels, reading.GAMES.items(), strict=True):
        start, ticks, labels = 0.0, [], []
        tiers = strengths(load_game(game), runs.read(f"{game}-balance", "balance")["lineup"])
        for players in map(int, counts[game]):
            for tier, agent in tiers.items():
                number = _NUMBERS[tier]
                wins = reading.rows(
                    f"{game}-balance", "seats", players=players, lineup=agent, figure="win_share"
                ).sort_values("seat")
                if wins["n"].min() < _FEWEST:
                    continue
                shifted = wins.assign(**{key: 100 * (wins[key] - 1 / players) for key in ("value", "low", "high")})
                x = start + np.arange(players) + 0.2 * (number - 1.5)
                first = not ticks
                _bars(axes, x, shifted, COLOURS[number], MARKS[number], label=tier if first else None)
            ticks += [start + seat for seat in range(players)]
            labels += [str(seat) for seat in range(players)]
            axes.text(
                start + (players - 1) / 2,
                1.0,
                f"{players} players",
                transform=axes.get_xaxis_transform(),
                ha="center",
                va="bottom",
                fontsize=7.5,
                color=GREY,
            )
            start += players + 1
        axes.axhline(0, color=GREY, linewidth=0.9, linestyle=(0, (3, 2)), zorder=1)
        axes.set_xticks(ticks, labels)
        axes.set_title(title, pad=16)
        axes.set_xlabel("seat")
    panels[0].set_ylabel("points of win share above an equal share")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="lower center", ncols=4)
    figure.subplots_adjust(left=0.08, right=0.99, top=0.86, bottom=0.2, wspace=0.06)
    return figure


def _worth() -> Figure:
    """Return what the things of each game are worth to its usual agent, the dearest first."""
    figure = new_figure(4.4)
    panels = figure.subplots(1, 3)
    for axes, (game, title) in zip(panels, reading.GAMES.items(), strict=True):
        found = sorted(reading.worth_lines(game)[1], key=lambda each: -abs(each["score_lost"].value))
        shown = sorted(found[:_MOST], key=lambda each: each["score_lost"].value)
        for place, each in enumerate(shown):
            row = each["score_lost"]
            sure = each["verdict"] == WORTH
            axes.barh(place, row.value, color=COLOURS[0] if sure else COLOURS[1], height=0.62, zorder=2)
            axes.plot([row.low, row.high], [place, place], color=INK, linewidth=1.1, zorder=3)
        axes.set_yticks(range(len(shown)), [each["thing"] for each in shown])
        axes.tick_params(axis="y", labelsize=7, labelcolor=INK)
        axes.grid(True, axis="x")
        axes.grid(False, axis="y")
        axes.axvline(0, color=GREY, linewidth=0.9)
        axes.set_title(f"{title}, {reading.USUAL[game]} players")
        axes.set_xlabel("score lost without it")
    figure.text(
        0.01,
        0.01,
        f"{_MOST} things of each game; blue: worth having in win share too (corrected for their number); orange: not shown to be",
        fontsize=7,
        color=GREY,
    )
    figure.subplots_adjust(left=0.11, right=0.99, top=0.93, bottom=0.15, wspace=0.55)
    return figure


def _boxes() -> Figure:
    """Return seats (above) and worth (below) in the box, the shipped variants, and the random boxes."""
    figure = new_figure(4.6)
    panels = figure.subplots(2, 3, height_ratios=(4, 6))
    for column, (game, title) in enumerate(reading.GAMES.items()):
        compared = list(reconstructed.box_figures(game))
        seats = [each for each in compared if each[2] == 100]
        worth = [each for each in compared if each[2] == 1]
        _strips(panels[0, column], [(f"seat {seat}", each, 100) for seat, (_, each, _) in enumerate(seats)])
        relative = [(name.split("`")[1], each, 1 / each["base"]["value"]) for name, each, _ in worth]
        _strips(panels[1, column], relative)
        panels[0, column].set_title(title)
        panels[0, column].set_xlabel("points above an equal share")
        panels[1, column].set_xlabel("loss without it (the box: 1)")
        panels[1, column].set_xlim(left=0)
    low = min(axes.get_xlim()[0] for axes in panels[0])
    high = max(axes.get_xlim()[1] for axes in panels[0])
    for axes in panels[0]:
        axes.set_xlim(low, high)
    right = max(axes.get_xlim()[1] for axes in panels[1])
    for axes in panels[1]:
        axes.set_xlim(0, right)
    note = f"orange: the box; blue: shipped variants; grey: {runs.boxes.COUNT} random boxes"
    figure.text(0.01, 0.012, note, fontsize=7, color=GREY)
    figure.subplots_adjust(left=0.11, right=0.985, top=0.93, bottom=0.13, wspace=0.42, hspace=0.42)
    return figure


def _strips(axes: Axes, compared: list[tuple[str, Any, float]]) -> None:
    """Draw one line of dots for each figure: name, estimate by variant, scale."""
    generator = np.random.default_rng(0)  # of the jitter alone
    for place, (_, of_variant, scale) in enumerate(reversed(compared)):
        for variant, each in of_variant.items():
            boxed, own = variant.startswith("box-"), variant == "base"
            y = place + (generator.uniform(-0.2, 0.2) if boxed else 0)
            colour = GREY if boxed else COLOURS[1] if own else COLOURS[0]
            style: Any = {
                "markersize": 11 if own else 3.2,
                "markeredgewidth": 2 if own else 0,
                "zorder": 3 if own else 2,
            }
            axes.plot(scale * each["value"], y, "|" if own else "o", color=colour, alpha=0.55 if boxed else 1, **style)
    axes.set_yticks(range(len(compared)), [name for name, _, _ in reversed(compared)])
    axes.set_ylim(-0.6, len(compared) - 0.4)
    axes.tick_params(axis="y", labelsize=7, labelcolor=INK)
    axes.axvline(0, color=GREY, linewidth=0.9)
    axes.grid(True, axis="x")
    axes.grid(False, axis="y")
