"""The page of a study as data: sections with pictures. The report draws them; nothing here does."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from strozzi_sim.facts.pictures import HeatMap, Unit
from strozzi_sim.game.reporting import Picture


@dataclass(frozen=True)
class KeyNumber:
    """One of the numbers of a page's first screen.

    Attributes:
        row: row of a table with value, low and high.
        unit: its unit.
        what: what it is.
        is_change: whether it has a sign, and a share is in points.
    """

    row: Any
    unit: Unit
    what: str
    is_change: bool = False


@dataclass(frozen=True)
class Section:
    """A section of a report. The first one has the picture and the numbers of the first screen.

    Attributes:
        name: name of the section.
        question: the question that it answers.
        shown: its pictures and tables, and heat maps by the name of their table.
        sentences: what it says.
        finding: its title; default: its name.
        numbers: of the first screen, of the first section.
        tables: tables made for its pictures, by name, beside those of the study.
        beside: whether the pictures of variants and line-ups stand beside each other.
    """

    name: str
    question: str
    shown: tuple[Picture | tuple[str, HeatMap], ...] = ()
    sentences: tuple[str, ...] = ()
    finding: str = ""
    numbers: tuple[KeyNumber, ...] = ()
    tables: Mapping[str, Any] = field(default_factory=dict)
    beside: bool = False
