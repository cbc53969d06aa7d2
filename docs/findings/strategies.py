"""The section of docs/findings-in-detail.md on the best strategy: plans of good players, and tournaments of styles."""

from collections.abc import Iterator

import runs
from reading import GAMES, command, lowered

from strozzi_sim.agent import load_agent
from strozzi_sim.agent.parameters import plan_words
from strozzi_sim.declare.printing import format_estimate
from strozzi_sim.facts.figures import WIN_SHARE
from strozzi_sim.game import load_game
from strozzi_sim.game.sentences import listed
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
                if run in runs.AGAIN:
                    yield _again(run)
                    yield ""
        run = f"{game}-tournament"
        tables = {name: runs.read(run, name) for name in ("agents", "pairwise")}
        yield f"In a tournament, {lowered(dominance_sentences(field_orders(tables), load_game(game)))} {command(run)}"
        yield ""


def _again(run: str) -> str:
    """Return what the three best plans of a run win on deals that chose neither them nor their strengths."""
    first = runs.read(run, "plans").sort_values("value", ascending=False, kind="stable").drop_duplicates("plan")
    again = runs.read(f"{run}-again", "plans").merge(first[["plan", "bonus"]])
    rows = list(again.sort_values("value", ascending=False, kind="stable").itertuples(index=False))
    parts = [f"{plan_words(row.plan)} {format_estimate(row, WIN_SHARE)}" for row in rows]
    return f"The three best again, on other deals, n = {rows[0].n:,} each: {listed(parts)}. {command(f'{run}-again')}"


def verdict_on_plans(run: str) -> Verdict:
    """Return the answer of a run on the plans of a game."""
    name, tier, deals = runs.PLANNED[run]
    game, table = load_game(name), runs.read(run, "plans")
    players = int(table["players"].iloc[0])
    lineups = followers(load_agent(game.tiers[tier], game), players)
    study = Plans.of(game=game, players=[players], lineups=lineups, deals=deals)
    return study.verdict({"plans": table}, study.look())
