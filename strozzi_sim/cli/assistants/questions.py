"""balance, compare, worth, tournament: questions that are answered by playing games, as tools."""

import inspect
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta

from strozzi_sim.cli.assistants.limits import Limits
from strozzi_sim.cli.assistants.rows import about_results, chosen_tables
from strozzi_sim.cli.assistants.schema import COMMAND, Answer, Names, Seed, Tool, as_text
from strozzi_sim.cli.commands import described
from strozzi_sim.cli.error_text import PLACES, option_of
from strozzi_sim.errors import ArgumentError, suggest_names
from strozzi_sim.questions.compare import compare
from strozzi_sim.questions.simulate import simulate
from strozzi_sim.questions.tournament import tournament
from strozzi_sim.questions.worth import worth

if TYPE_CHECKING:
    from strozzi_sim.studies.results import Results

_MANY = ("settings",)  # options that are given once for each value
_TABLES = "tables"
_KINDS: dict[str, Any] = {
    "game": str, "players": int | str | None, "seed": Seed, "deals": Annotated[int, Meta(ge=1, le=1_000_000)],
    "agents": Names, "opponents": Names, "variant": str, "first": str, "second": str, "things": list[str], "settings": list[str],
    "study": str, "every": bool, "seatings": Literal["one", "rotate", "spread", "all", "latin"],
    "max_matchups": Annotated[int, Meta(ge=1, le=5_000)],
}  # fmt: skip


@dataclass(frozen=True)
class Question:
    """A question as a tool.

    Attributes:
        name: of the tool and the command.
        function: the public function.
        arguments: those that the tool takes, with their defaults.
        shown: tables of an answer.
        text: what the tool does.
        words: text about arguments, if that of the function does not fit.
    """

    name: str
    function: Callable[..., "Results"]
    arguments: dict[str, Any]
    shown: tuple[str, ...]
    text: str
    words: dict[str, str] = field(default_factory=dict)

    def tool(self) -> Tool:
        """Return the tool."""
        about_tables = f"names of tables to show; default: {', '.join(self.shown)}; an answer lists the others"
        said = {**described(self.function), "game": "name of the game", "": self.text, _TABLES: about_tables}
        kinds = [(name, _KINDS[name], default) for name, default in self.arguments.items()]
        return Tool(self.name, self.answer, False, (*kinds, (_TABLES, list[str], [])), {**said, **self.words})

    def answer(self, *, limits: Limits, tables: list[str], **given: Any) -> Answer:
        """Return the answer: verdict, tables and the command.

        Raises:
            StrozziError: as the function; or more games than the limit.
        """
        values = self._settled(given)
        command = shlex.join(["strozzi", self.name, *_words(values)])
        results = self.function(**values, **self._named(), progress=limits.progress(command))
        return {**about_results(results), **chosen_tables(results, tables, self.shown), COMMAND: command}

    def _named(self) -> dict[str, str]:
        return {"name": self.name} if "name" in inspect.signature(self.function).parameters else {}

    def _settled(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments as the function takes them, with all that the command must state, since its defaults may differ."""
        from strozzi_sim.game import find_game
        from strozzi_sim.studies.lookup import find_players

        game = find_game(given["game"])
        values = {name: value for name, value in given.items() if value not in (None, "", [], False)}
        values["seed"] = given["seed"]
        values["players"] = ",".join(map(str, find_players(game, given["players"] or None)))
        for name in ("agents", "opponents"):
            if name in values:
                values[name] = as_text(values[name])
        if self.function is simulate and "agents" not in values:
            values["agents"] = game.default_agent
        if self.function is worth and not values.get("every") and not values.get("things"):
            from strozzi_sim.game.restricting import things
            from strozzi_sim.studies.lookup import find_variants

            (variant,) = find_variants(game, values.get("variant", "base"))
            raise ArgumentError("things", f"name one or several; {suggest_names('', things(game, variant))}")
        return values


def _words(values: dict[str, Any]) -> list[str]:
    """Return the words of the command line for these arguments."""
    words: list[str] = []
    for name in PLACES:
        value = values.get(name)
        words += value if isinstance(value, list) else [] if value is None else [str(value)]
    for name, value in values.items():
        if name in PLACES:
            continue
        each: Sequence[Any] = value if name in _MANY else [value]
        for one in each:
            words += [option_of(name)] if one is True else [option_of(name), str(one)]
    return words


_COMMON = {"variant": "base", "seed": 0}
_NEEDED = inspect.Parameter.empty
QUESTIONS = (
    Question(
        "balance", simulate, {"game": _NEEDED, "players": None, "agents": "", "deals": 500, "seatings": "rotate", **_COMMON},
        ("seats", "lineup", "balance"),
        "Measure whether the seats of a game are fair, how long it is and how close, and how the agents of a line-up fare, by playing it. "
        "Seat 0 starts. Tables have figures with 95 % intervals (low, high) and n, the number of games; shares are from 0 to 1.",
        {
            "agents": "one line-up; seat i gets agent i mod k; one agent plays itself; `tiers`: the game's agents of each strength by "
            "themselves; default: the game's default agent",
            "deals": "deals, each played in every seating of the line-up; a gain smaller than the intervals needs more of them",
            "variant": "name of a variant",
        },
    ),
    Question(
        "compare", compare,
        {"game": _NEEDED, "first": "", "second": "", "players": None, "opponents": "", "agents": "", "settings": [], "study": "", "deals": 300, **_COMMON},
        ("changes", "difference", "sides"),
        "Compare two agents, or two variants of a game, on the same deals: the paired difference (first - second) with its 95 % interval. Of "
        "variants, every figure of the report is called changed, too small to matter, or unclear. To compare a variant with changed "
        "component data, leave out first and second, and give settings.",
        {
            "first": "an agent, such as random or flat_mc:playouts=20, or the name of a variant", "deals": "deals of the comparison",
            "study": "path of a study's TOML file that defines the variants",
            "settings": "changed keys of the components, KEY=VALUE such as tracks.bonus.7=10: the second side is the variant with them",
            "variant": "name of the variant that is played (agents) or changed (settings)",
        },
    ),
    Question(
        "worth", worth,
        {"game": _NEEDED, "things": [], "players": None, "agents": "", "deals": 200, "every": False, **_COMMON},
        ("worth",),
        "Measure what a thing of the game is worth: an agent that must do without it, against itself on the same deals. win_share_lost and "
        "score_lost are causal; positive means worth having. popularity is the share of its occasions, such as rounds "
        "or games, in which a seat uses it. The tool games lists the things of a game, and the occasions of each.",
        {"deals": "deals for each thing", "every": "measure all things, which takes long", "variant": "name of a variant"},
    ),
    Question(
        "tournament", tournament,
        {"game": _NEEDED, "agents": _NEEDED, "players": None, "deals": 50, "seatings": "latin", "max_matchups": 200, **_COMMON},
        ("ratings", "pairwise"),
        "Rank two or more agents: every combination of them on the same deals, in every seating. Ratings, and the share of deals in which "
        "each beats each other one, with 95 % intervals.",
        {"agents": "the agents", "variant": "name of a variant"},
    ),
)  # fmt: skip
