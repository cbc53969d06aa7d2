"""Two agents, or two variants, on the same deals: differences paired by deal, and what the pairing saved."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from strozzi_sim.agent import AgentSpec, agent_names
from strozzi_sim.errors import ArgumentError, as_argument_error, nearest, short_repr, suggest_names
from strozzi_sim.game.contract import Game
from strozzi_sim.game.missed import size_text
from strozzi_sim.game.reporting import FigureTable
from strozzi_sim.game.variants import BASE, AnyVariant, Variant, differing_keys, shipped_variants, with_settings
from strozzi_sim.studies.cells import CellCounts, FigureCounts
from strozzi_sim.studies.lookup import Folder, Settings, find_agents, find_variants
from strozzi_sim.studies.plan import Plan
from strozzi_sim.studies.planning import find_study_variant
from strozzi_sim.studies.precision import Headline, Precision, headlines
from strozzi_sim.studies.run import cell_counts, study_tables
from strozzi_sim.studies.store import MemoryStore
from strozzi_sim.studies.study import Kind

# Of whom figures are, ("position", 0) or ("seat", 2), and the figures.
Part = tuple[str, int, tuple[FigureCounts, ...]]


@dataclass(frozen=True)
class Comparison(Kind):
    """A comparison, resolved.

    Attributes:
        plan: the study that plays both.
        of: "agent" or "variant".
        decided: whether the precision of the plan is a difference of shares of wins that is to be found or excluded.
    """

    of: str
    decided: bool = False

    @property
    def first(self) -> str:
        """First side: the spec string of the agent at position 0 of the first line-up, or the name of a variant."""
        return self.plan.lineups[0][0].text if self.of == "agent" else self.plan.variants[0].name

    @property
    def second(self) -> str:
        """Second side, as `first`."""
        return self.plan.lineups[-1][0].text if self.of == "agent" else self.plan.variants[-1].name

    def summary(self) -> str:
        """Return the sides and the plan in one line."""
        rule = ""
        if self.decided:
            size = size_text(float(self.plan.until))
            rule = f"; until a difference of {size} of games won is found or excluded"
        return f"{self.first} against {self.second} on the same deals. {self.plan.summary()}{rule}"

    def precision(self) -> Precision | None:
        """Return the precision of the shares of wins and their differences; or the difference that is to be found or excluded."""
        if not self.decided:
            return super().precision()
        return Precision(
            [each for each in self.headlines() if each.than is not None], float(self.plan.until), decided=True
        )

    def headlines(self) -> list[Headline]:
        """Return the shares of wins of both sides, and the differences."""
        if self.of == "variant":
            return headlines(self.plan)
        found: list[Headline] = []
        for players in self.plan.players:
            cells = [cell for cell in self.plan.cells if cell.match.players == players]
            one, two = (
                next(cell for cell in cells if cell.match.positions[0].text == side)
                for side in (self.first, self.second)
            )
            found += [Headline(one, "position", 0), Headline(two, "position", 0), Headline(one, "position", 0, two)]
        return found

    def tables(self, plan: Plan, store: MemoryStore) -> dict[str, Any]:
        """Return the tables sides (each by itself) and difference (first - second); of variants also those of a study, and changes."""
        of_study = study_tables(plan, store, [(self.first, self.second)]) if self.of == "variant" else {}
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
                    less = one.minus(other, same=self.first == self.second)
                    difference.add(first, one.figure, less, **where)
                    difference.add(first, f"{one.figure}_variance_saved", one.saved_by_pairing(other), **where)
        return {**of_study, "sides": sides.frame(), "difference": difference.frame()}

    def _pairs(self, plan: Plan, store: MemoryStore) -> Iterator[tuple[CellCounts, CellCounts]]:
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
        """Return the figures to compare: those of the compared agent, or of every seat and position of a variant."""
        if self.of == "agent":
            return [_part(cell, "position", 0)]
        parts = [_part(cell, "seat", seat) for seat in range(cell.players)]
        return parts + ([] if cell.selfplay else [_part(cell, "position", k) for k in range(cell.players)])


def _part(cell: CellCounts, breakdown: Literal["seat", "position"], level: int) -> Part:
    return breakdown, level, tuple(sums.of(level) for sums in cell.sums(breakdown))


_MOST_GAMES = {"quick": 100_000, "trained": 15_000, "searching": 600}  # each a minute or two on two cores


def most_deals_by_default(lineups: Sequence[Sequence[AgentSpec]], games_per_deal: int) -> int:
    """Return the largest number of deals of a comparison that names none: what its slowest agent plays in a minute or two.

    Args:
        lineups: line-ups of the comparison.
        games_per_deal: games of all line-ups and variants on one deal.
    """
    agents = [spec for lineup in lineups for spec in lineup]
    kind = (
        "trained"
        if any(spec.agent.evaluation is not None or spec.agent.kind != "compiled" for spec in agents)
        else "quick"
    )
    kind = "searching" if any(spec.searches for spec in agents) else kind
    return max(_MOST_GAMES[kind] // games_per_deal, _FEWEST)


_FEWEST = 60  # deals


def find_sides(
    game: Game, first: Any, second: Any, study: Folder, settings: Settings, variant: AnyVariant
) -> tuple[Variant, ...] | None:
    """Return the two variants to compare; None if it is agents that are compared.

    Args:
        game: the game.
        first: name, variant or changes; with a study one of its variants.
        second: the other side.
        study: file that defines variants.
        settings: changed keys of `variant`, or of `first`: the second side is the variant with them.
        variant: the variant that `settings` change if there is no `first`.

    Raises:
        ArgumentError: not two of a kind.
    """
    if settings:
        if second:
            raise ArgumentError("settings", "makes the second side; leave out B")
        if isinstance(settings, str):
            settings = [settings]
        before = _find(game, first or variant, "first" if first else "variant", study)
        after = as_argument_error("settings", with_settings, game, before, settings)
        if not list(differing_keys(before.components, after.components)):
            raise ArgumentError("settings", f"{', '.join(settings)} changes nothing in {before.name}")
        return before, after
    if not (first and second):
        raise ArgumentError("first", f"give two agents or two variants, such as {game.default_agent} and random")
    if study is not None:
        return _find(game, first, "first", study), _find(game, second, "second", study)
    sides = {"first": first, "second": second}
    of_variants = {argument: side for argument, side in sides.items() if _is_variant(game, side)}
    if len(of_variants) == 1:
        ((argument, one),) = of_variants.items()
        other = "second" if argument == "first" else "first"
        name = one if isinstance(one, str) else one.name if isinstance(one, Variant) else next(iter(one), "")
        known = suggest_names(sides[other], _variant_names(game))
        raise ArgumentError(other, f"expected a variant, as {name!r} is one, got {short_repr(sides[other])}; {known}")
    return tuple(find_variants(game, side, argument)[0] for argument, side in of_variants.items()) or None


def _find(game: Game, variant: Any, argument: str, study: Folder) -> Variant:
    """Return a variant of the study, or without one a shipped or given variant."""
    if study is None:
        return find_variants(game, variant, argument)[0]
    try:
        return find_study_variant(game, variant, study)
    except ArgumentError as error:
        raise ArgumentError(argument if error.argument == "variant" else error.argument, error.message) from None


def find_side(game: Game, argument: str, side: Any) -> AgentSpec:
    """Return the agent that one side names.

    Raises:
        ArgumentError: it is not an agent.
    """
    names = agent_names(game)
    if isinstance(side, str) and not {":", "@"} & set(side) and side not in names and nearest(side, names) is None:
        near = nearest(side, _variant_names(game))
        meant = f"; did you mean {near!r}?" if near else ""
        known = f"agents: {', '.join(names)}; variants: {', '.join(_variant_names(game))}"
        raise ArgumentError(argument, f"no agent and no variant of {game.name}: {short_repr(side)}; {known}{meant}")
    return find_agents([side], game, argument)[0]


def _is_variant(game: Game, side: Any) -> bool:
    return isinstance(side, Variant | Mapping) or (isinstance(side, str) and side in _variant_names(game))


def _variant_names(game: Game) -> list[str]:
    return [BASE, *shipped_variants(game)]
