"""What the findings say of reconstructed data: the same figures in other boxes that fit the known facts."""

from collections.abc import Iterator
from typing import Any

import runs
from reading import GAMES, USUAL, command, grid, rounded, rows, shifted, spread

from strozzi_sim.game import load_game
from strozzi_sim.game.restricting import noun_of
from strozzi_sim.game.sentences import listed, seat_words
from strozzi_sim.game.variants import resolve_variant

_AGREED = 0.9  # share of the other boxes in which a figure must be significant too, with the same sign


def section() -> Iterator[str]:
    """Yield the lines of the section."""
    yield from ("## What depends on reconstructed data?", "")
    yield (
        f"The same figures with the shipped variants and with {runs.boxes.COUNT} random boxes, which keep what a source states and draw the rest "
        "(`docs/findings/boxes.py`). *Agree* counts the random boxes in which a figure that is significant in the box is significant too, with the same sign."
    )
    yield from ("", "![Seats and worth in other boxes](images/findings-boxes.png)", "")
    lines = [["game", "figure", "box", "shipped variants", f"{runs.boxes.COUNT} random boxes", "agree"]]
    fragile = []
    for game, title in GAMES.items():
        for name, of_variant, scale in box_figures(game):
            base = of_variant["base"]
            others = {key: value for key, value in of_variant.items() if key.startswith("box-")}
            shipped = [each["value"] for key, each in of_variant.items() if key != "base" and key not in others]
            sign = 1 if base["value"] > 0 else -1
            significant = base["low"] > 0 or base["high"] < 0
            agree = sum(1 for each in others.values() if (each["low"] > 0 if sign > 0 else each["high"] < 0))
            ends = rounded(
                tuple(scale * base[key] for key in ("value", "low", "high")),
                scale * (base["high"] - base["low"]) / 2,
                2,
            )
            lines.append(
                [
                    title,
                    name,
                    f"{ends[0]} ({ends[1]} to {ends[2]})",
                    spread(shipped, scale),
                    spread([each["value"] for each in others.values()], scale),
                    f"{agree} of {len(others)}" if significant else "-",
                ]
            )
            if significant and agree < _AGREED * len(others):
                fragile.append(f"{name} ({title})")
    yield from grid(lines)
    yield ""
    yield (
        f"Fewer than nine in ten boxes agree on these figures, which therefore say nothing about the published game: {listed(fragile)}. The other significant figures hold in nine of ten boxes or more."
        if fragile
        else "Every significant figure of the box has the same sign, significantly, in at least nine of ten other boxes."
    )
    yield f"{', '.join(command(f'{game}-boxes') for game in GAMES)}"
    yield ""


def agreeing(game: str) -> str:
    """Return in how many other boxes the significant figures of the box are significant too, with the same sign."""
    firm, loose = list[str](), list[str]()
    for (_, of_variant, _), (gain, loss) in zip(box_figures(game), _box_words(game), strict=True):
        base = of_variant["base"]
        if base["low"] <= 0 <= base["high"]:
            continue
        others = [value for key, value in of_variant.items() if key.startswith("box-")]
        agree = sum(1 for each in others if (each["low"] > 0 if base["value"] > 0 else each["high"] < 0))
        words = gain if base["value"] > 0 else loss
        (firm if agree >= _AGREED * len(others) else loose).append(f"{words} ({agree} of {len(others)})")
    said = f"Found in at least nine of ten other boxes, too: {listed(firm)}."
    return said + (f" Found in fewer, so it says nothing about the published game: {listed(loose)}." if loose else "")


def _box_words(game: str) -> Iterator[tuple[str, str]]:
    """Yield what the figures that are compared between boxes mean above zero and below, in their order."""
    the_game = load_game(game)
    for seat in range(USUAL[game]):
        who = seat_words(seat, USUAL[game])
        yield f"{who}'s advantage", f"{who}'s disadvantage"
    for thing in runs.boxes.THINGS[game]:
        noun = noun_of(the_game, resolve_variant(the_game, "base"), thing)
        yield f"the worth of {noun}", f"the harm of {noun}"


def box_figures(game: str) -> Iterator[tuple[str, dict[str, Any], float]]:
    """Yield name, estimate by variant, and scale of the figures that are compared between boxes."""
    run, players = f"{game}-boxes", USUAL[game]
    wins = rows(run, "balance", figure="win_share")
    for seat in range(players):
        found = {each["variant"]: shifted(each, -1 / players) for _, each in wins[wins["seat"] == seat].iterrows()}
        yield f"points of win share of seat {seat} above an equal share", found, 100
    worth = rows(run, "worth", figure="score_lost")
    for thing in runs.boxes.THINGS[game]:
        found = {each["variant"]: each for _, each in worth[worth["thing"] == thing].iterrows()}
        yield f"score lost without `{thing}`", found, 1
