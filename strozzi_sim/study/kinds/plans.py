"""plans: does any plan beat good players, and which cost little?

A plan is a preference of a good agent: a kind of event is worth so many points more to it.
Each plan plays alone among copies that have none, at every strength that the agent declares. The best one is chosen on
the first fifth of the deals; its share of wins is that of the others, as in `exploit`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Unpack

import numpy as np
import pandas as pd

from strozzi_sim.agent import AgentSpec, AnyAgent, Plan, load_agent, names
from strozzi_sim.agent.parameters import plan_words
from strozzi_sim.declare.figure_tables import Tables, pick
from strozzi_sim.declare.printing import format_value
from strozzi_sim.declare.significance import widened
from strozzi_sim.errors import ArgumentError, suggest_names
from strozzi_sim.facts.figures import SCORE, WIN_SHARE
from strozzi_sim.game import Game, find_game
from strozzi_sim.game.sentences import listed, with_capital
from strozzi_sim.game.variants import AnyVariant
from strozzi_sim.study.arguments import StudyOptions, documented
from strozzi_sim.study.cells import CountsOf
from strozzi_sim.study.challengers import Challengers
from strozzi_sim.study.look import Look, Section, key_numbers, section
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import play
from strozzi_sim.study.verdict import Verdict, games_at_most, games_of_100, score_unit
from strozzi_sim.study.wording import copies_words

GAIN = replace(WIN_SHARE.difference("gain", "less an equal share"), label="points of games won that the plan gains")
FREE = 0.02  # share of wins that a plan costs at most if it is free
_CAVEAT = "Plans that nobody wrote down are not tested."


@documented(
    asks="Does any plan win?",
    about="A good player follows a plan, among players who are as good and have none: what does it win?",
    front={"players": "Players", "agent": "Who plays"},
    quick={"deals": 250},
    tables=("plans",),
)
def plans(
    game: str | Game,
    *,
    agent: AnyAgent | None = None,
    only: str | tuple[str, ...] = (),
    players: int | str | None = None,
    variant: AnyVariant = "base",
    **options: Unpack[StudyOptions],
) -> Results:
    """Let an agent follow each of its plans among copies that have none: what does it win?

    Every deal is played from every seat.

    Example: strozzi plans strozzi --players 4

    Args:
        agent: an agent with plans; default: the game's strongest, if possible one that does not search
        only: plans to try, separated by commas; default: all
        players: number of players; default: 4, or the fewest of the game
        deals: deals of each plan and strength, each from every seat; a fifth chooses the best one; default: 800

    >>> import strozzi_sim as ss
    >>> results = ss.plans("strozzi", only="scholar", players=3, deals=100)
    >>> results.tables["plans"]["plan"].unique().tolist()
    ['scholar']
    """
    the_game = find_game(game)
    count = names.one_count(the_game, players)
    spec = planner(the_game) if agent is None else names.agents_named(the_game, [agent], "agent", (count,))[0]
    chosen = [name.strip() for name in only.split(",")] if isinstance(only, str) and only else list(only)
    return play(
        Plans,
        options,
        game=the_game,
        players=(count,),
        lineups=followers(spec, count, chosen),
        variants=[names.one_variant(the_game, "variant", variant)],
    )


def plan_of(spec: AgentSpec) -> tuple[str, Plan]:
    """Return the parameter of an agent that names its plan, and its declaration. Raises ArgumentError without one."""
    for key, param in spec.agent.params.items():
        if isinstance(param, Plan):
            return key, param
    raise ArgumentError("agent", f"{spec.text} has no plans; name an agent with a parameter `Plan`")


def followers(spec: AgentSpec, players: int, only: Sequence[str] = ()) -> list[tuple[AgentSpec, ...]]:
    """Return the line-ups of an agent with each plan, or those named, at each strength, among copies without one."""
    key, plan = plan_of(spec)
    for name in only:
        if name not in plan.events:
            raise ArgumentError("only", f"{spec.text} has no plan {name!r}; {suggest_names(name, plan.events)}")
    pairs = product(only or plan.events, plan.strengths)
    return [(spec(**{key: name, "bonus": bonus}), *[spec] * (players - 1)) for name, bonus in pairs]


def planner(game: Game) -> AgentSpec:
    """Return the strongest agent with plans of a game's tiers that does not search, else the first that does."""
    specs = [load_agent(text, game) for text in game.tiers.values()]
    with_plans = [spec for spec in specs if any(isinstance(param, Plan) for param in spec.agent.params.values())]
    if not with_plans:
        raise ArgumentError("agent", f"no agent of {game.name} has plans; name one")
    fast = [spec for spec in with_plans if not spec.searches]
    return fast[-1] if fast else with_plans[0]


class Plans(Challengers):
    """An agent with plans, each among copies without; the first deals choose the best one."""

    kind = "plans"
    usual_deals, most_chunks, printed = 800, 50, ("plans",)
    measured = (WIN_SHARE, GAIN, SCORE)

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return plans: share of wins, gain and score of each plan at each strength, and the best one."""
        table = self.challengers(counts, GAIN)
        key, plan = plan_of(self.specs[self.lineups[0][0]])
        values = [self.specs[text].values for text in table["challenger"]]
        table.insert(3, "plan", [each[key] for each in values])
        table.insert(4, "bonus", [each["bonus"] for each in values])
        table.insert(5, "event", table["plan"].map(plan.events))
        return {"plans": table.drop(columns="challenger")}

    def verdict(self, tables: Tables, look: Look) -> Verdict:
        """Return whether a plan beats players who have none, what the best one wins, and which are free."""
        wins = pick(tables["plans"], figure="win_share")
        best = next(pick(wins, chosen=True).itertuples(index=False))
        fair, others = 1 / best.players, copies_words(self.the_game, best.agent, bare=True)
        plan = plan_words(best.plan)
        if np.isnan(best.value):
            return Verdict(f"There are too few games to say whether a plan beats {others}.")
        share, equal = (games_of_100(one, among=[other]) for one, other in ((best.value, fair), (fair, best.value)))
        _, highest = widened(wins, self.chunks)
        missed: tuple[str, ...] = ()
        if best.low > fair:
            answer = f"{with_capital(plan)} beats {others} without a plan: {share} of 100 games (fair: {equal})."
        elif (highest <= fair).all():
            answer = f"No plan tried beats {others} without one: "
            answer += f"the best, {plan}, wins {share} of 100 games (fair: {equal})."
        else:
            low, high = (games_of_100(end, among=[fair]) for end in (best.low, best.high))
            answer = f"No plan is known to beat {others} without one: the best, {plan}, wins {share} of 100 games "
            answer += f"({low} to {high}; fair: {equal})."
            missed = (f"Every plan tried wins {games_at_most(np.nanmax(highest))}.",)
        what = f"{with_capital(plan)}: the player {best.event}, as if that were worth {self._amount(best.bonus)} more."
        return Verdict(answer, what, (*missed, *self._free(wins), _CAVEAT))

    def _amount(self, bonus: float) -> str:
        return f"{format_value(bonus, SCORE, 0)} {score_unit(self.the_game)}"

    def _free(self, wins: pd.DataFrame) -> Iterator[str]:
        """Yield which plans cost little even at their greatest strength, or which costs least."""
        strongest = wins[wins["bonus"] == wins["bonus"].max()]
        lowest, _ = widened(strongest, self.chunks)
        fair = 1 / strongest["players"].iloc[0]
        free = [plan_words(plan) for plan in strongest["plan"][lowest > fair - FREE]]
        at = self._amount(strongest["bonus"].iloc[0])
        few = f"{100 * FREE:g}"
        if free:
            yield f"With {listed(free, 'or')} a player loses at most {few} of 100 games even at {at}."
        else:
            least = strongest.loc[strongest["value"].idxmax()]
            share = games_of_100(least["value"], among=[fair])
            every = f"At {at} every plan may cost more than {few} of 100 games"
            yield f"{every}; least costs {plan_words(least['plan'])}: it wins {share}."

    def printed_tables(self, tables: Tables) -> dict[str, Any]:
        """Return the plans, the best one first."""
        table = tables["plans"].drop(columns="event")
        return {"plans": table.sort_values("chosen", ascending=False, kind="stable")}

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the section of the plans, with a series for each strength."""
        table = tables["plans"].assign(lineup="")
        table["strength"] = table["bonus"].map(self._amount)
        table["plan"] = table["plan"].map(plan_words)
        table["what"] = table["plan"] + ", " + table["strength"]
        best = pick(table, chosen=True, figure="win_share")
        numbers = key_numbers(best, WIN_SHARE, "games won by {plan} at {strength}, {players} players")
        others = copies_words(self.the_game, table["agent"].iloc[0])
        return [section("plans", {"plans": table}, self.measured, numbers=numbers, company=others)]
