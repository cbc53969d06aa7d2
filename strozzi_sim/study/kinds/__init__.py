"""The kinds of study: each is one file here, one entry of KINDS, and a section of `report.toml`.

What else is known of a kind follows from its file: its public function is also the command and the tool for assistants,
and declares the question of the desk.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from strozzi_sim.errors import ArgumentError, short_repr, suggest_names


@dataclass(frozen=True)
class Kind:
    """A file of kinds: what must be known of it before it is imported."""

    file: str  # also names the command and the tool for assistants
    summary: str  # first paragraph of its function's docstring, for `strozzi --help`
    function: str = ""  # its public function; default: named as the file
    studies: tuple[str, ...] | None = None  # kinds in study files; default: one, named as the file

    @property
    def name(self) -> str:
        """The name of its public function."""
        return self.function or self.file

    @property
    def command(self) -> str:
        """The name of its command."""
        return self.file.replace("_", "-")

    @property
    def place(self) -> str:
        """MODULE:FUNCTION of its public function."""
        return f"{__name__}.{self.file}:{self.name}"


KINDS = (
    Kind(
        "balance",
        "Play games and count what happens in them: seat balance, and the strength of agents.",
        function="simulate",
    ),
    Kind(
        "compare",
        "Compare two agents, or two variants, on the same deals: the paired difference with its interval.",
        studies=("compare_agents", "compare_variants"),
    ),
    Kind("worth", "Measure what a thing is worth: an agent that must do without it, against itself on the same deals."),
    Kind("sweep", "Play lists of values of one or two components in all combinations, on the same deals."),
    Kind("weights", "Move every number of the components one step up and down, and measure the effects."),
    Kind("tune", "Find the smallest change of the components that meets targets, and check it on new deals."),
    Kind(
        "luck",
        "Measure how much of a win and of a score is skill, seat, deal and the rest, and how dramatic games are.",
    ),
    Kind(
        "tournament",
        "Rank a field of agents, which all play each other on the same deals in balanced seatings.",
    ),
    Kind("exploit", "Estimate an agent's exploitability: a lower bound, from the best of several challengers."),
    Kind("plans", "Let an agent follow each of its plans among copies that have none: what does it win?"),
    Kind("leak_check", "Check that an agent's choices depend only on what its seat knows in the current game."),
    Kind(
        "our_table",
        "Find the strength of play that fits score sheets of real games, and whether all players are equally strong.",
    ),
    Kind("heatmap", "Draw a custom heat map of a game, or of a study that has been played.", studies=()),
)
# kind, as in a study file -> its entry
STUDIES = {name: kind for kind in KINDS for name in ((kind.file,) if kind.studies is None else kind.studies)}


def kind_named(kind: str) -> Any:
    """Import the file of a kind of study, and return its class."""
    if kind not in list(STUDIES):  # a file may have a list here, which is no key
        raise ArgumentError("kind", f"unknown kind {short_repr(kind)}; {suggest_names(kind, STUDIES)}")
    return getattr(import_module(f"{__name__}.{STUDIES[kind].file}"), kind.title().replace("_", ""))
