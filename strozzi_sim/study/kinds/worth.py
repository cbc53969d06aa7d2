"""worth: what is a part of the game worth to a player? See `study.restricted`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from strozzi_sim.agent import names
from strozzi_sim.agent.names import Agents, Players
from strozzi_sim.declare.figure_tables import Tables
from strozzi_sim.errors import ArgumentError, suggest_names
from strozzi_sim.game import Game, find_game
from strozzi_sim.game.restricting import Restriction
from strozzi_sim.game.restricting import things as things_of
from strozzi_sim.game.variants import AnyVariant, Variant
from strozzi_sim.study.arguments import WHO_PLAYS, Listing, PrecisionOptions, documented
from strozzi_sim.study.cells import CountsOf, Headline
from strozzi_sim.study.look import Look
from strozzi_sim.study.restricted import WithWorth
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import play


def things_to_measure(game: str | Game, variant: AnyVariant = "base") -> Listing:
    """Return the things of a game whose worth can be measured."""
    the_game = find_game(game)
    found = _things(the_game, names.variants_named(the_game, variant)[0])
    first = next(iter(found))
    several = f"several by name or pattern: '{first.partition(':')[0]}:*'; all: --all."
    return Listing(
        title=f"{len(found)} things of {the_game.title} whose worth can be measured, by a player who must do without:",
        rows=[("thing", "without it"), *((name, thing.words) for name, thing in found.items())],
        hint=f"One of them: strozzi worth {the_game.name} {first}; {several}",
        document=[{"thing": name, "about": thing.words} for name, thing in found.items()],
    )


def _things(game: Game, variant: Variant) -> dict[str, Restriction]:
    """Return what can be restricted in a game, by name; a game without restrictions is refused."""
    found = things_of(game, variant)
    if not found:
        raise ArgumentError("game", f"{game.name} has no restrictions")
    return found


@documented(
    asks="What is a thing worth?",
    about="An agent plays without the thing, against itself: what does it lose?",
    front={"things": "Things", **WHO_PLAYS},
    quick={"deals": 300},
    tables=("worth",),
    plays="usual players and random moves",
    listing=things_to_measure,
)
def worth(
    game: str | Game,
    things: Sequence[str] = (),
    *,
    every: bool = False,
    players: Players = None,
    agents: Agents = (),
    search_deals: int | None = None,
    variant: AnyVariant = "base",
    **options: Unpack[PrecisionOptions],
) -> Results:
    """Measure what a thing is worth: an agent that must do without it, against itself on the same deals.

    The loss is causal; the share of wins of those who use the thing, also in the table, is not.

    Example: strozzi worth strozzi 'flag:*' --players 4 --deals 2000

    Args:
        things: restrictions by name, or patterns such as 'KIND:*'
        every: measure everything that can be restricted
        agents: agents, separated by commas, each measured by itself; default: random and the game's default agent
        deals: deals for every thing and player count; default: 1,000, or as many as the precision takes
        search_deals: deals of agents that search; default: fewer than `deals`, but `deals` if all search to a precision

    >>> import strozzi_sim as ss
    >>> table = ss.worth("strozzi", "flag:ware", players=3, agents="heuristic", deals=200).tables["worth"]
    >>> bool(table.set_index("figure")["low"]["score_lost"] > 0)
    True
    """
    the_game = find_game(game)
    variants = names.variants_named(the_game, variant)
    things_of_game = _things(the_game, variants[0])
    chosen = [things] if isinstance(things, str) else list(things)
    if every and chosen:
        raise ArgumentError("every", "leave out the things")
    if not (every or chosen):
        message = f"name things or patterns such as {next(iter(things_of_game))}, or give `every`"
        raise ArgumentError("things", f"{message}; {suggest_names('', things_of_game)}")
    counts = names.player_counts(the_game, players)
    default = list(dict.fromkeys(["random", the_game.default_agent]))
    specs = names.agents_named(the_game, agents or default, counts=counts)
    # A precision applies only to cells with all deals, so if every agent searches, none may play fewer.
    if search_deals is None and not (options.get("precision") and all(spec.searches for spec in specs)):
        search_deals = the_game.search_deals(options.get("deals") or Worth.usual_deals)
    return play(
        Worth,
        options,
        game=the_game,
        players=counts,
        lineups=[[spec] for spec in specs],
        variants=variants,
        things=["*"] if every else chosen,
        search_deals=search_deals,
    )


@dataclass(frozen=True, kw_only=True)
class Worth(WithWorth):
    """A study of the worth of things to agents that play themselves."""

    kind = "worth"
    things: tuple[str, ...]  # the restrictions, by name or pattern
    things_field = "things"  # name of the field above, for `WithWorth`
    printed = ("worth",)

    def check(self) -> None:
        if any(len(lineup) > 1 for lineup in self.lineups):
            raise ArgumentError("lineups", "a worth is measured of one agent that plays itself")
        super().check()

    def headlines(self) -> list[Headline]:
        """Return the wins of the restricted agents, except where an agent that searches plays fewer deals."""
        cells = [cell for cell in self.cells if cell.without and cell.deals == self.deals]
        return [Headline(cell, "position", 0) for cell in cells]  # the restricted agent is at position 0

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        # The agent at the last position is never restricted, so its text is the one in `lineups`.
        by_agent = sorted(self.cells, key=lambda cell: self.lineups.index((cell.match.lineup[-1].text,)))
        return {"worth": self.worth_table(by_agent, counts)}

    def printed_tables(self, tables: Tables) -> dict[str, Any]:
        """Return the table of the terminal, with things and players in words."""
        return {"worth": self.worth_in_words(tables["worth"])}
