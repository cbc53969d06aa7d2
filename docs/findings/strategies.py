"""The section of docs/findings.md on the best strategy: plans of good players, and tournaments of styles."""

from collections.abc import Iterator

import runs
from reading import GAMES, command, lowered

from strozzi_sim.agent import load_agent
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
        yield f"**{title}.** {' '.join(_of_plans(game, f'{game}-plans', runs.PLANNED[game]))} {command(f'{game}-plans')}"
        yield ""
        if game == "strozzi":
            strong = " ".join(_of_plans(game, runs.STRONG_PLANS, runs.STRONG_PLANNED, "strong"))
            yield f"With strong players, which search: {strong} {command(runs.STRONG_PLANS)}"
            yield ""
        run = f"{game}-tournament"
        tables = {name: runs.read(run, name) for name in ("agents", "pairwise")}
        yield f"In a tournament, {lowered(dominance_sentences(field_orders(tables), load_game(game)))} {command(run)}"
        yield ""


def _of_plans(name: str, run: str, deals: int, tier: str = "") -> list[str]:
    """Return the answer on the plans of a game, followed by a player of its tiers, or by the default one."""
    game, table = load_game(name), runs.read(run, "plans")
    players = int(table["players"].iloc[0])
    agent = load_agent(game.tiers[tier], game) if tier else planner(game)
    study = Plans.of(game=game, players=[players], lineups=followers(agent, players), deals=deals)
    return study.verdict({"plans": table}, study.look()).lines
