"""The study that measures what things are worth, and nothing else."""

from dataclasses import dataclass
from typing import Any

from strozzi_sim.game.reporting import FigureTable
from strozzi_sim.game.restricting import Use
from strozzi_sim.studies.plan import Plan
from strozzi_sim.studies.precision import Headline
from strozzi_sim.studies.run import cell_counts
from strozzi_sim.studies.store import MemoryStore
from strozzi_sim.studies.study import Kind
from strozzi_sim.studies.worth import KEYS, add_worth


@dataclass(frozen=True)
class Worth(Kind):
    """A measurement of the worth of things, resolved.

    Attributes:
        plan: the study that plays each agent with itself, and with position 0 restricted.
        things: restrictions to measure, with the facts that show the use of each.
    """

    things: tuple[tuple[str, Use | None], ...]

    def summary(self) -> str:
        """Return the things and the plan in one line."""
        agents = ", ".join(lineup[0].text for lineup in self.plan.lineups if len(lineup) == 1)
        counts = ", ".join(map(str, self.plan.players))
        fewer = f" ({self.plan.search_deals:,} with an agent that searches)" if self.plan.search_deals else ""
        return (
            f"{self.plan.game.title}: {len(self.things)} restrictions of {agents} at {counts} players, "
            f"{self.plan.deals:,} deals each{fewer}: {self.plan.games:,} games"
        )

    def headlines(self) -> list[Headline]:
        """Return the shares of wins of the restricted agents."""
        restricted = (cell for cell in self.plan.cells if not cell.selfplay and cell.deals == self.plan.deals)
        return [Headline(cell, "position", 0) for cell in restricted]

    def tables(self, plan: Plan, store: MemoryStore) -> dict[str, Any]:
        """Return the table worth: what each thing is worth by players and agent."""
        table = FigureTable(*KEYS)
        cells = {(cell.match.players, cell.lineup): cell for cell in plan.cells}
        for (agent,) in (lineup for lineup in plan.lineups if len(lineup) == 1):
            for players in plan.players:
                free = cell_counts(plan, store, cells[players, agent.text])
                for thing, use in self.things:
                    lineup = ",".join([agent.restricted(thing).text, *[agent.text] * (players - 1)])
                    add_worth(table, free, cell_counts(plan, store, cells[players, lineup]), thing, use)
        return {"worth": table.frame()}
