"""Studies that are played until differences are decided: each is significant, or excluded to a known size."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from strozzi_sim.declare.significance import size_text
from strozzi_sim.errors import ArgumentError
from strozzi_sim.study.cells import Headline
from strozzi_sim.study.model import POINTS, Study

_MOST_GAMES = {"quick": 100_000, "trained": 15_000, "searching": 600}  # each a minute or two on two cores
_FEWEST_DEALS = 60  # even if they are more games


@dataclass(frozen=True, kw_only=True)
class Decided(Study):
    """A study whose headlines, if `decided`, are differences that are found or excluded."""

    decided: bool = False  # whether play stops once every difference is significant or known to be within the precision

    def check(self) -> None:
        """Refuse `decided` without a size."""
        if self.decided and not self.precision:
            raise ArgumentError("decided", "needs a precision, the size of the difference")

    def headlines(self) -> list[Headline]:
        """Return the wins and their differences; if `decided`, the differences alone."""
        return [headline for headline in super().headlines() if headline.than is not None or not self.decided]

    def is_known(self, low: float, value: float, high: float) -> bool:
        """Return whether the precision is reached; if `decided`, whether a difference is significant or within it."""
        if self.decided:
            return low > 0 or high < 0 or max(high, -low) <= self.precision / POINTS
        return super().is_known(low, value, high)

    @property
    def summary(self) -> str:
        """The study in one line, with the rule of its end."""
        size = size_text(self.precision / POINTS)
        rule = f"; until a difference of {size} of games won is found or excluded" if self.decided else ""
        return f"{super().summary}{rule}"

    @classmethod
    def until_decided(cls, effect: float, keys: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keys that play a study of this kind until differences of `effect` are decided, within a limit.

        The limit is the deals that its slowest agent plays in a minute or two, or 60.
        """
        one_deal = cls.of(**keys, deals=1)
        agents = one_deal.specs.values()
        trained = any(spec.agent.evaluation is not None or spec.agent.kind != "compiled" for spec in agents)
        kind = "searching" if any(spec.searches for spec in agents) else "trained" if trained else "quick"
        deals = max(_MOST_GAMES[kind] // one_deal.games, _FEWEST_DEALS)
        return {"deals": deals, "precision": min(max(POINTS * effect, 0.01), 25), "decided": True}
