"""The section of docs/findings.md on the best strategy: plans of good players, and tournaments of styles."""

from collections.abc import Iterator

import runs
from reading import GAMES, command, lowered

from strozzi_sim.game import load_game
from strozzi_sim.study.field_orders import dominance_sentences, field_orders
from strozzi_sim.study.kinds.plans import Plans, followers, planner


def section() -> Iterator[str]:
    """Yield the lines of the section."""
    yield from ("## Is there one best strategy?", "")
    yield (
        "Each plan is a preference of the strongest agent that answers at once, which follows it among copies that have none. One that wins more than its "
        "share there is a plan that good players do not stop. A tournament of styles says only which bot beats which."
    )
    yield ""
    for game, title in GAMES.items():
        if game in runs.PLANNED:
            yield f"**{title}.** {' '.join(_of_plans(game))} {command(f'{game}-plans')}"
        else:
            yield f"**{title}.** No plan was tried: the agent that has some plays about a game a second."
        yield ""
        run = f"{game}-tournament"
        tables = {name: runs.read(run, name) for name in ("agents", "pairwise")}
        yield f"In a tournament, {lowered(dominance_sentences(field_orders(tables), load_game(game)))} {command(run)}"
        yield ""


def _of_plans(name: str) -> list[str]:
    """Return the answer on the plans of a game."""
    game, table = load_game(name), runs.read(f"{name}-plans", "plans")
    players, deals = int(table["players"].iloc[0]), runs.PLANNED[name]
    study = Plans.of(game=game, players=[players], lineups=followers(planner(game), players), deals=deals)
    return study.verdict({"plans": table}, study.look()).lines
