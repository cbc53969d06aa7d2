"""The part of docs/findings.md on what a flag's power is worth, apart from the ships that the flag claims."""

from collections.abc import Iterator

from reading import command, estimate, grid, hold, row

from strozzi_sim.game import load_game
from strozzi_sim.game.restricting import noun_of
from strozzi_sim.game.variants import resolve_variant

RUN, GAME = "strozzi-powers", "strozzi"
_FLAGS = ("pirate", "ware", "plus_one")


def section() -> Iterator[str]:
    """Yield the lines: what a player loses without a flag, and without its power alone."""
    game = load_game(GAME)
    noun = resolve_variant(game, "base")
    tiers = {tier: game.tiers[tier] for tier in ("usual", "trained")}
    lost = {
        (kind, flag, tier): row(RUN, "worth", thing=f"{kind}:{flag}", agent=agent, figure="score_lost")
        for kind in ("flag", "power")
        for flag in _FLAGS
        for tier, agent in tiers.items()
    }
    pirate, ware, plus_one = ({tier: lost["power", flag, tier] for tier in tiers} for flag in _FLAGS)
    said = hold(
        pirate["trained"].low > pirate["usual"].high
        and lost["flag", "pirate", "trained"].high < lost["flag", "pirate", "usual"].low,
        "Trained players get more out of the pirate's power than usual ones, and less out of the flag with its ship.",
    )
    order = hold(
        all(pirate[tier].low > ware[tier].high and ware[tier].low > plus_one[tier].high for tier in tiers),
        "Whoever plays, the power of the pirate flag is worth most, that of the plus-one flag least.",
    )
    yield (
        "**A flag's power, with its ship kept.** Without a flag a player also lacks the ship that it claims. Without the power alone it claims the ship, but takes "
        f"over nothing, adds no speed or moves no step. Strozzi, 4 players, coins a game: {order} {said} {command(RUN)}"
    )
    yield ""
    head = [f"{what}, {tier}" for what in ("with its ship", "power alone") for tier in tiers]
    lines = [["flag", *head]]
    for flag in _FLAGS:
        cells = [estimate(lost[kind, flag, tier]) for kind in ("flag", "power") for tier in tiers]
        lines.append([noun_of(game, noun, f"flag:{flag}"), *cells])
    yield from grid(lines)
    yield ""
