"""Display names of table values, which depend on a variant's component data and a line-up's agents."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import Tables, agent_names, pick
from strozzi_sim.reports.series import Words

_PART = " \N{MIDDLE DOT} "  # separates the parts of a component's name


class Naming:
    """Display names of the raw values of a study's tables.

    Args:
        game: game of the study.
        tables: tables of the study.
        variants: variant -> component data.
    """

    def __init__(self, game: Game, tables: Tables, variants: Mapping[str, Any]) -> None:
        self._game, self._tables, self._variants = game, tables, variants
        self._of: dict[str, Words] = {}

    def of(self, variant: str, lineup: str) -> Words:
        """Return raw value -> name for pictures and tables of one variant and line-up."""
        rows = pick(self._tables["lineup"], variant=variant, lineup=lineup)
        players = pick(self._tables["balance"], variant=variant, lineup=lineup)["players"].max()
        agents = agent_names(pick(rows, players=players), int(players))
        return {**self._words(variant), **{f"position={k}": name for k, name in enumerate(agents)}}

    def of_all(self) -> Words:
        """Return raw value -> name for pictures of several variants; parts that differ between them read "varies"."""
        every = [self._words(variant) for variant in self._tables["balance"]["variant"].unique()]
        named = {raw: {words[raw] for words in every if raw in words} for words in every for raw in words}
        return {raw: _common(raw, names) for raw, names in named.items()}

    def _words(self, variant: str) -> Words:
        if variant not in self._of:
            self._of[variant] = self._game.report.words(self._tables, self._variants.get(variant, {}))
        return self._of[variant]


def _common(raw: str, names: set[str]) -> str:
    """Return the only name, or the parts that all names begin with: "S12 \N{MIDDLE DOT} varies"."""
    if len(names) == 1:
        return next(iter(names))
    same = []
    for parts in zip(*(name.split(_PART) for name in names), strict=False):
        if len(set(parts)) > 1:
            break
        same.append(parts[0])
    return _PART.join([*(same or [raw]), "varies"])
