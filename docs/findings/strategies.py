"""The section of docs/findings-in-detail.md on the best strategy: plans of good players, and tournaments of styles."""

from collections.abc import Iterator

import runs
from reading import GAMES, command, lowered

from strozzi_sim.agent import load_agent
from strozzi_sim.game import load_game
from strozzi_sim.study.field_orders import dominance_sentences, field_orders
from strozzi_sim.study.kinds.plans import Plans, followers
from strozzi_sim.study.verdict import Verdict


def section() -> Iterator[str]:
    """Yield the lines of the section."""
    yield from ("## Is there one best strategy?", "")
    yield (
        "Each plan is a preference of a trained or a strong player, which follows it among copies that have none. One that wins more than its "
        "share there is a plan that good players do not stop. A tournament of styles says only which bot beats which."
    )
    yield ""
    for game, title in GAMES.items():
        for run, (name, tier, _) in runs.PLANNED.items():
            if name == game:
                yield f"**{title}, {tier} players.** {' '.join(verdict_on_plans(run).lines)} {command(run)}"
                yield ""
        run = f"{game}-tournament"
        tables = {name: runs.read(run, name) for name in ("agents", "pairwise")}
        yield f"In a tournament, {lowered(dominance_sentences(field_orders(tables), load_game(game)))} {command(run)}"
        yield ""


def verdict_on_plans(run: str) -> Verdict:
    """Return the answer of a run on the plans of a game."""
    name, tier, deals = runs.PLANNED[run]
    game, table = load_game(name), runs.read(run, "plans")
    players = int(table["players"].iloc[0])
    lineups = followers(load_agent(game.tiers[tier], game), players)
    study = Plans.of(game=game, players=[players], lineups=lineups, deals=deals)
    return study.verdict({"plans": table}, study.look())
