"""The page of a study as data: sections with pictures. The report draws them; nothing here does."""

from dataclasses import dataclass

from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.game.reporting import Picture


@dataclass(frozen=True)
class Section:
    """A section of a report.

    Attributes:
        name: name of the section.
        question: the question that it answers.
        shown: its pictures and tables, and heat maps by the name of their table.
        sentences: what it says.
    """

    name: str
    question: str
    shown: tuple[Picture | tuple[str, HeatMap], ...] = ()
    sentences: tuple[str, ...] = ()
