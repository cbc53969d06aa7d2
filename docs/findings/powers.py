"""What a flag's power is worth in Strozzi, apart from the ships that the flag claims."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from reading import command, estimate, grid, hold, row

from strozzi_sim.game import load_game
from strozzi_sim.game.restricting import noun_of
from strozzi_sim.game.variants import resolve_variant

RUN, GAME = "strozzi-powers", "strozzi"
QUESTION = "What is a flag worth, and its power?"
_FLAGS, _TIERS, _KINDS = ("pirate", "ware", "plus_one"), ("usual", "trained"), ("flag", "power")
THINGS = tuple(f"flag:{flag}" for flag in _FLAGS)  # that are worth what this part says


def answer() -> str:
    """Return which power is worth most, and what players make of it, tested on the figures."""
    lost = {(kind, tier): [_lost(kind, flag, tier) for flag in _FLAGS] for kind in _KINDS for tier in _TIERS}
    order = hold(
        all(dear.low > cheap.high for tier in _TIERS for dear, cheap in pairwise(lost["power", tier])),
        "Whoever plays, the power of the pirate flag is worth most, that of the plus-one flag least.",
    )
    flag, power = ({tier: lost[kind, tier][0] for tier in _TIERS} for kind in _KINDS)
    trained = hold(
        power["trained"].low > power["usual"].high and flag["trained"].high < flag["usual"].low,
        "Trained players get more out of the pirate's power than usual ones, and less out of the flag with its ship.",
    )
    return (
        "Without a flag a player also lacks the ship that it claims. Without the power alone it claims the ship, but takes over nothing, adds no speed or "
        f"moves no step. {order} {trained} Coins a game at 4 players: {command(RUN)}"
    )


def table() -> Iterator[str]:
    """Yield the lines of a table: what a player loses without a flag, and without its power alone."""
    game = load_game(GAME)
    box = resolve_variant(game, "base")
    lines = [["", *(f"{what}, {tier}" for what in ("with its ship", "power alone") for tier in _TIERS)]]
    for flag in _FLAGS:
        cells = [estimate(_lost(kind, flag, tier)) for kind in _KINDS for tier in _TIERS]
        lines.append([noun_of(game, box, f"flag:{flag}"), *cells])
    yield from grid(lines)


def _lost(kind: str, flag: str, tier: str) -> Any:
    return row(RUN, "worth", thing=f"{kind}:{flag}", agent=load_game(GAME).tiers[tier], figure="score_lost")
