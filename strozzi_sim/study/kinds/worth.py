"""worth: what is a part of the game worth to a player?

Restricted play (Jaffe, Miller, Andersen, Liu, Karlin and Popovic 2012). Position 0 plays without the thing in every seat, the others
are the same agent without restrictions, on the deals on which all play without restrictions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from strozzi_sim.agent import AgentSpec, names
from strozzi_sim.agent.names import Agents, Players
from strozzi_sim.errors import ArgumentError, suggest_names
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import Tables
from strozzi_sim.game.restricting import Use
from strozzi_sim.game.restricting import things as things_of
from strozzi_sim.game.variants import AnyVariant, Variant
from strozzi_sim.study.cells import CountsOf, Headline
from strozzi_sim.study.look import Look, Section
from strozzi_sim.study.model import Study, fact_union
from strozzi_sim.study.progress import ProgressOption
from strozzi_sim.study.restricted import (
    check_uses,
    restricted_cells,
    uses_of,
    worth_section,
    worth_sentences,
    worth_table,
)
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import Folder, run


def worth(
    game: str | Game,
    things: Sequence[str] = (),
    *,
    every: bool = False,
    players: Players = None,
    agents: Agents = (),
    deals: int | None = None,
    precision: float | None = None,
    search_deals: int | None = None,
    luck: str = "",
    luck_redraws: int | None = None,
    variant: AnyVariant = "base",
    seed: int = 0,
    workers: int | None = None,
    folder: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Measure what a thing is worth: an agent that must do without it, against itself on the same deals.

    The loss is causal, unlike the share of wins of those who use the thing, which stands beside it.

    Example: strozzi worth strozzi 'flag:*' --players 4 --deals 2000

    Args:
        game: a game; `strozzi games` lists them
        things: restrictions by name, or patterns such as 'KIND:*'
        every: measure everything that can be restricted
        players: player counts: 4, 3-6, 3,5 or all; default: 4, or the fewest of the game
        agents: agents, separated by commas, each measured by itself; default: random and the game's default agent
        deals: deals for every thing and player count; default: 1,000, or as many as the precision takes
        precision: play until shares of wins are known to within +- these points, and at most deals
        search_deals: deals of agents that search; default: a fraction of the deals
        luck: an agent that evaluates positions, such as learned: takes the luck of chance out of the figures, as more rows
        luck_redraws: number of redraws of each chance event, which measure its luck; default: 8
        variant: a variant of the game's components
        seed: random seed, below 2^53
        workers: number of workers; default: all cores
        folder: keep everything in this folder, with a report, and resume there; default: only print
        progress: True or False to show a bar, or a `Progress`; default: a bar in a terminal or notebook only

    >>> import strozzi_sim as ss
    >>> table = ss.worth("strozzi", "flag:ware", players=3, agents="heuristic", deals=200).tables["worth"]
    >>> bool(table.set_index("figure")["low"]["score_lost"] > 0)
    True
    """
    the_game = names.game_named(game)
    variants = names.variants_named(the_game, variant)
    known = things_of(the_game, variants[0])
    if not known:
        raise ArgumentError("game", f"{the_game.name} has no restrictions")
    wanted = [things] if isinstance(things, str) else list(things)
    if bool(wanted) == every:
        named = (
            "leave out the things" if every else f"name things or patterns such as {next(iter(known))}, or everything"
        )
        raise ArgumentError("every" if every else "things", f"{named}; {suggest_names('', known)}")
    counts = names.player_counts(the_game, players)
    default = list(dict.fromkeys(["random", the_game.default_agent]))
    search = the_game.search_deals(deals or Worth.usual_deals) if search_deals is None else search_deals
    study = Worth.of(
        game=the_game, things=["*"] if every else wanted, players=counts, deals=deals, precision=precision,
        lineups=[[agent] for agent in names.agents_named(the_game, agents or default, counts=counts)], variants=variants,
        search_deals=search, luck=luck, luck_redraws=luck_redraws, seed=seed,
    )  # fmt: skip
    return run(
        study, folder, look=Look(name=f"worth-{study.game.replace('_', '-')}"), workers=workers, progress=progress
    )


class Worth(Study, frozen=True, kw_only=True, tag="worth"):
    """A measurement of what things are worth to agents that play themselves.

    Attributes:
        things: the restrictions, by name or pattern.
    """

    things: tuple[str, ...]
    printed = ("worth",)

    def plan(self) -> Iterator[tuple[int, tuple[AgentSpec, ...], Variant, str]]:
        """Yield the cells of each agent that plays itself, then those with position 0 restricted."""
        yield from super().plan()
        yield from restricted_cells(self, self.uses)

    @cached_property
    def uses(self) -> dict[str, Use | None]:
        """The things, with the facts that show their use."""
        return uses_of(self, self.things, "things")

    def check(self) -> None:
        """Refuse line-ups of several agents, and things that an agent cannot do without."""
        if any(len(lineup) > 1 for lineup in self.lineups):
            raise ArgumentError("lineups", "a worth is measured of one agent that plays itself")
        check_uses(self, self.uses, "things")

    def facts(self, look: Look) -> tuple[Crosstab, ...]:
        """Return the facts that show the use of things."""
        return fact_union(*(use.crosstabs for use in self.uses.values() if use))

    def headlines(self) -> list[Headline]:
        """Return the wins of the restricted agents."""
        return [Headline(cell, "position", 0) for cell in self.cells if cell.without and cell.deals == self.deals]

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return the table worth: what each thing is worth by agent and players."""
        by_agent = sorted(self.cells, key=lambda cell: self.lineups.index((cell.match.lineup[-1].text,)))
        return {"worth": worth_table(by_agent, counts, self.uses)}

    def verdict(self, tables: Tables, look: Look) -> list[str]:
        """Return what is worth most to each agent, and how much is too small to matter or unclear."""
        return worth_sentences(self, tables, look)

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the losses over how often things are used, and the figures."""
        return [worth_section(self, tables, look)]
