"""Two agents, or two variants, on the same deals: differences paired by deal, and what the pairing saved."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from strozzi_sim.agent import AgentSpec, AnyAgent, agent_names
from strozzi_sim.errors import ArgumentError, known_names, nearest, shown
from strozzi_sim.games import find_game
from strozzi_sim.games.contract import Game
from strozzi_sim.games.reporting import FigureTable
from strozzi_sim.games.variants import BASE, AnyVariant, Variant, shipped_variants
from strozzi_sim.studies.calibrated import with_counts
from strozzi_sim.studies.cells import CellCounts, Sums
from strozzi_sim.studies.names import find_agents, find_players, find_variants, in_list, seated
from strozzi_sim.studies.plan import Extent, Plan
from strozzi_sim.studies.planning import plan_of
from strozzi_sim.studies.played import Played
from strozzi_sim.studies.run import cell_counts
from strozzi_sim.studies.store import Store
from strozzi_sim.studies.study import Run, Study, run

Side = str | AgentSpec | Variant

# Of whom figures are, ("position", 0) or ("seat", 2), and the figures.
Part = tuple[str, int, tuple[Sums, ...]]


@dataclass(frozen=True)
class Comparison(Study):
    """A comparison, resolved.

    Attributes:
        plan: the study that plays both.
        first, second: the sides, agents or variants, in words.
        of: "agent" or "variant".
    """

    first: str
    second: str
    of: str

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


def compare(
    game: str | Game,
    *,
    first: Side,
    second: Side,
    against: Sequence[AnyAgent] = (),
    agents: Sequence[AnyAgent] = (),
    players: int | Sequence[int] | None = None,
    deals: int = 1000,
    seatings: str = "rotate",
    variant: AnyVariant = "base",
    seed: int = 0,
    how: Run | None = None,
) -> Played:
    """Two agents, or two variants, on the same deals: the difference, paired, with its interval.

    Args:
        game: what is played.
        first: one side: a variant if both sides are names of some, or else an agent.
        second: the other side.
        against: who sits in the other seats, in turn, if agents are compared; none is the game's own.
        agents: who plays, if variants are compared; one agent is self-play, none is the game's own.
        players: player counts; None is 4, or the fewest of the game.
        deals: of every line-up.
        seatings: one, rotate, all or latin.
        variant: of the game's components, if agents are compared.
        seed: 0 .. 2^53 - 1.
        how: folder, workers and progress.

    Raises:
        InputError: something that cannot be played; names the argument.
        StorageError, AgentFault, Interrupted: as `run`.
    """
    how, game = how or Run(), find_game(game)
    counts, standard = find_players(game, players), [game.standard_agent]
    against, agents = in_list(against, "against"), in_list(agents)
    extent = Extent(counts, deals, seatings, seed)
    sides = _variants(game, first, second)
    if sides is not None:
        specs, variants = find_agents(agents or standard, game), sides
    else:
        others, most = against or standard, min(counts) - 1
        specs = (_agent(game, "first", first), _agent(game, "second", second))
        if len(others) > most:
            raise ArgumentError("against", f"{len(others)} agents for {most} other seats; give at most {most}")
        specs += find_agents(others, game, argument="against")
        variants = find_variants(game, variant)
    specs, calibrations = with_counts(
        specs, game, counts, variants, folder=how.folder, calibrating=how.progress.calibrating
    )
    if sides is not None:
        planned = plan_variants(game, sides, specs, extent)
    else:
        planned = plan_agents(game, specs[:2], specs[2:], extent, variants[0])
    return run(replace(planned, plan=replace(planned.plan, calibrated=calibrations)), how)


def _variants(game: Game, first: Side, second: Side) -> tuple[Variant, ...] | None:
    """The two variants to compare; None if it is agents that are compared.

    Raises:
        ArgumentError: only one side is a variant.
    """
    sides = [side for side in (first, second) if _is_variant(game, side)]
    if len(sides) == 1:
        (one,) = sides
        argument, other = ("second", second) if one is first else ("first", first)
        name, known = one.name if isinstance(one, Variant) else one, known_names(other, _variant_names(game))
        raise ArgumentError(argument, f"expected a variant, as {name!r} is one, got {shown(other)}; {known}")
    return find_variants(game, [side for side in sides if isinstance(side, str | Variant)]) if sides else None


def _is_variant(game: Game, side: Side) -> bool:
    return isinstance(side, Variant) or (isinstance(side, str) and side in _variant_names(game))


def _variant_names(game: Game) -> list[str]:
    return [BASE, *shipped_variants(game)]


def _agent(game: Game, argument: str, side: Any) -> AgentSpec:
    """The agent that one side names.

    Raises:
        ArgumentError: it is none.
    """
    names = agent_names(game)
    if isinstance(side, str) and not {":", "@"} & set(side) and side not in names and nearest(side, names) is None:
        near = nearest(side, _variant_names(game))
        meant = f"; did you mean {near!r}?" if near else ""
        variants = ", ".join(_variant_names(game))
        words = f"no agent and no variant of {game.name}: {shown(side)}; agents: {', '.join(names)}; variants: {variants}{meant}"
        raise ArgumentError(argument, words)
    return find_agents([side], game, argument=argument)[0]


def plan_agents(
    game: Game, sides: Sequence[AgentSpec], against: Sequence[AgentSpec], extent: Extent, variant: Variant
) -> Comparison:
    """Two agents, each in one seat; `against` sit in the others, in turn.

    Raises:
        InputError: something cannot be played.
    """
    lineups = [
        [side, *(against[k % len(against)] for k in range(n - 1))] for n in extent.players for side in sides
    ]  # fmt: skip
    plan = plan_of("compare", game, lineups, [variant], extent, orders=True)
    return Comparison(plan, sides[0].text, sides[1].text, "agent")


def plan_variants(game: Game, sides: Sequence[Variant], agents: Sequence[AgentSpec], extent: Extent) -> Comparison:
    """Two variants, with the same agents; one agent is self-play.

    Raises:
        InputError: something cannot be played.
    """
    fewest = min(extent.players)
    if len(agents) > fewest:
        raise ArgumentError("agents", f"{len(agents)} agents for {fewest} seats; give at most {fewest}")
    first, second = sides
    variants = [first] if first.name == second.name else [first, second]
    plan = plan_of("compare", game, seated(agents, extent.players), variants, extent, orders=True)
    return Comparison(plan, first.name, second.name, "variant")
