"""Two agents, or two variants, on the same deals: differences paired by deal, and what the pairing saved."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from strozzi_sim.agent import load_agent
from strozzi_sim.errors import InputError
from strozzi_sim.games.contract import Game
from strozzi_sim.games.reporting import FigureTable
from strozzi_sim.studies.cells import CellCounts, Sums
from strozzi_sim.studies.plan import Plan
from strozzi_sim.studies.run import cell_counts
from strozzi_sim.studies.store import Store
from strozzi_sim.studies.tournament import orders_plan

# Of whom figures are, ("position", 0) or ("seat", 2), and the figures.
Part = tuple[str, int, tuple[Sums, ...]]


@dataclass(frozen=True)
class Comparison:
    """A comparison, resolved.

    Attributes:
        first, second: the sides, agents or variants, in words.
        of: "agent" or "variant".
        plan: the study that plays both.
    """

    first: str
    second: str
    of: str
    plan: Plan

    def summary(self) -> str:
        """What times what is how many games."""
        return f"{self.first} against {self.second} on the same deals. {self.plan.summary()}"

    def tables(self, plan: Plan, store: Store) -> dict[str, Any]:
        """The tables: sides (each by itself) and difference (first - second)."""
        sides, difference = FigureTable(self.of, "by", "level"), FigureTable("first", "second", "by", "level")
        for first, second in self._pairs(plan, store):
            for name, cell in ((self.first, first), (self.second, second)):
                for breakdown, level, figures in self._parts(cell):
                    for sums in figures:
                        where = {self.of: name, "by": breakdown, "level": str(level)}
                        sides.add(cell, sums.figure, sums.estimate(), **where)
            for (breakdown, level, of_first), (_, _, of_second) in zip(
                self._parts(first), self._parts(second), strict=True
            ):
                where = {"first": self.first, "second": self.second, "by": breakdown, "level": str(level)}
                for one, other in zip(of_first, of_second, strict=True):
                    less = one.less(other, same=self.first == self.second)
                    difference.add(first, one.figure, less, **where)
                    difference.add(first, f"{one.figure}_variance_saved", one.saved_by_pairing(other), **where)
        return {"sides": sides.frame(), "difference": difference.frame()}

    def _pairs(self, plan: Plan, store: Store) -> Iterator[tuple[CellCounts, CellCounts]]:
        for players in plan.players:
            cells = [cell_counts(plan, store, cell) for cell in plan.cells if cell.match.players == players]
            if self.of == "agent":
                yield (
                    next(cell for cell in cells if cell.positions[0] == self.first),
                    next(cell for cell in cells if cell.positions[0] == self.second),
                )
                continue
            for lineup in dict.fromkeys(cell.lineup for cell in cells):
                same = {cell.variant: cell for cell in cells if cell.lineup == lineup}
                yield same[self.first], same[self.second]

    def _parts(self, cell: CellCounts) -> list[Part]:
        """Whose figures are compared: the compared agent's; of variants, every seat's and every position's."""
        if self.of == "agent":
            return [_part(cell, "position", 0)]
        parts = [_part(cell, "seat", seat) for seat in range(cell.players)]
        return parts + ([] if cell.selfplay else [_part(cell, "position", k) for k in range(cell.players)])


def _part(cell: CellCounts, breakdown: Literal["seat", "position"], level: int) -> Part:
    return breakdown, level, tuple(sums.of(level) for sums in cell.sums(breakdown))


def plan_agents(
    game: Game,
    first: str,
    second: str,
    *,
    against: Sequence[str],
    players: Sequence[int],
    deals: int,
    seatings: str = "rotate",
    seed: int = 0,
    variant: str = "base",
) -> Comparison:
    """Two agents, each in one seat; `against` sit in the others, in turn.

    Raises:
        InputError: something cannot be played.
    """
    sides = [load_agent(spec).text for spec in (first, second)]
    if len(against) >= min(players):
        raise InputError(f"--against: {len(against)} agents for {min(players) - 1} other seats")
    lineups = [[side, *(against[k % len(against)] for k in range(n - 1))] for n in players for side in sides]
    raw = _raw(game, players, deals, seatings, seed, lineups, [variant])
    return Comparison(sides[0], sides[1], "agent", orders_plan(raw, "compare"))


def plan_variants(
    game: Game,
    first: str,
    second: str,
    *,
    agents: Sequence[str],
    players: Sequence[int],
    deals: int,
    seatings: str = "rotate",
    seed: int = 0,
) -> Comparison:
    """Two variants, with the same agents; one agent is self-play.

    Raises:
        InputError: something cannot be played.
    """
    if len(agents) > min(players):
        raise InputError(f"--agents: {len(agents)} agents for {min(players)} seats; give at most {min(players)}")
    lineups = [list(agents)] if len(agents) == 1 else [[agents[k % len(agents)] for k in range(n)] for n in players]
    raw = _raw(game, players, deals, seatings, seed, lineups, list(dict.fromkeys((first, second))))
    return Comparison(first, second, "variant", orders_plan(raw, "compare"))


def _raw(
    game: Game,
    players: Sequence[int],
    deals: int,
    seatings: str,
    seed: int,
    lineups: list[list[str]],
    variants: list[str],
) -> dict[str, Any]:
    return {
        "name": f"compare-{game.name.replace('_', '-')}",
        "game": game.name,
        "seed": seed,
        "players": list(players),
        "deals": deals,
        "seatings": seatings,
        "lineups": lineups,
        "variants": variants,
    }
