"""Display names of table values, which depend on component data and agents; labels and definitions of figures."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import Picture, Tables, agent_names, pick
from strozzi_sim.pictures.series import Words

_PART = " \N{MIDDLE DOT} "  # separates the parts of a component's name


class Naming:
    """Display names of the raw values of a study's tables; `variants` is variant -> component data."""

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
        words_by_variant = [self._words(variant) for variant in self._tables["balance"]["variant"].unique()]
        names_by_value = {
            raw: {words[raw] for words in words_by_variant if raw in words}
            for words in words_by_variant
            for raw in words
        }
        return {raw: _common(raw, names) for raw, names in names_by_value.items()}

    def _words(self, variant: str) -> Words:
        if variant not in self._of:
            self._of[variant] = self._game.report.words(self._tables, self._variants.get(variant, {}))
        return self._of[variant]


def _common(raw: str, names: set[str]) -> str:
    """Return the only name, or the parts that all names begin with: "S12 \N{MIDDLE DOT} varies"."""
    if len(names) == 1:
        return next(iter(names))
    common_parts = []
    for parts in zip(*(name.split(_PART) for name in names), strict=False):
        if len(set(parts)) > 1:
            break
        common_parts.append(parts[0])
    return _PART.join([*(common_parts or [raw]), "varies"])


def labels_of(pictures: Iterable[Picture]) -> dict[str, Figure]:
    """Return the figures of pictures by name, with their labels."""
    figure_by_name: dict[str, Figure] = {}
    for picture in pictures:
        bars = [
            replace(figure, label=f"{figure.label} ({name})") for name, bar in picture.groups.items() for figure in bar
        ]
        for figure in (*picture.figures, *bars):
            figure_by_name.setdefault(figure.name, figure)
    return figure_by_name


_DEFINITIONS = {
    "win_share": "games won / games; a win shared by k counts 1/k for each",
    "score_mean": "sum of final scores / (games times players)",
    "rank_mean": "sum of places / (games times players); a shared place is the mean of the places",
    "lead_mean": "own final score less the mean of the others, mean over games",
    "seat_gap": "share of wins of the best seat less that of the worst",
    "seat_gap_by_chance": "what the gap stays below in 95 % of studies if all seats are equal",
    "seat_favour_bound": "the most by which a seat can be favoured without this study showing it (95 %)",
    "seat_fairness_p": "probability of a gap as large or larger if all seats are equal",
    "decisions_mean": "decisions of all players / games",
    "strength": "Plackett-Luce strength of complete finishing orders, logarithm, mean 0",
    "ahead_share": "games in which the agent finished ahead of the other / games that both played; a tie counts half",
    "weight": "weight of the agent in the mixture that no agent beats (Nash averaging)",
    "win_share_lost": "games won by an agent without restrictions less those of one that must do without, on the same deals",
    "score_lost": "score of an agent without restrictions less that of one that must do without, on the same deals",
    "popularity": "uses / occasions (rounds, games or others)",
    "naive_win_share": "games won by the seats that used it, each use counted",
    "variance_share": "part of the variance of wins or scores over a field that plays every deal in every rotation",
}  # fmt: skip
_ENDINGS = {
    "_minus_position_0": "less that of position 0, paired by deal",
    "_without_luck": "less a coefficient, fitted on the other chunks, times the luck of the chance events",
    "_games_saved": "variance of its mean over that of the mean without luck",
}


def definitions_of(names: Iterable[str], game: Game) -> dict[str, str]:
    """Return figure -> how it is counted, of the figures among these names that have a definition."""
    all_definitions = {**game.report.definitions(), **_DEFINITIONS}
    patterns = [(re.compile(re.escape(name).replace(r"\{\}", ".+")), text) for name, text in all_definitions.items() if "{}" in name]  # fmt: skip
    definitions = {}
    for name in names:
        base, suffix = name, ""
        for ending, words in _ENDINGS.items():
            if base.endswith(ending):
                base, suffix = base.removesuffix(ending), f"; {words}{suffix}"
        text = all_definitions.get(base) or next((text for pattern, text in patterns if pattern.fullmatch(base)), "")
        if text:
            definitions[name] = text + suffix
    return definitions
