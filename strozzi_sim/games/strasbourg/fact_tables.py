"""The fact tables of Strasbourg: what is counted; `facts.py` writes them."""

from typing import Any

from strozzi_sim.facts.columns import YES_NO, Column, Levels, Setting, Table, labels, numbers
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.games.strasbourg.state import AUCTIONS, MAX_CARDS, MAX_PRICE, MAX_VALUE, STEPS

_MOST_POINTS = 511  # where the last level of totals begins
SOURCES = ("council", "city", "chapels", "edifices", "privileges", "tasks")


def _seats(setting: Setting) -> Levels:
    return numbers(range(setting.players))


def _rounds(setting: Setting) -> Levels:
    return numbers(range(1, _count(setting, "round_cards") + 1))


def _count(setting: Setting, block: str) -> int:
    return len(setting.components[block])


def _guilds(setting: Setting) -> Levels:
    return labels(setting.components["guilds"]["order"])


def _most_placed(setting: Setting) -> int:
    """A member for each acting rank of three steps a round."""
    return 3 * min(setting.players - 1, 3) * _count(setting, "round_cards")


def _dealt(setting: Setting) -> int:
    return int(setting.components["tasks_meta"]["dealt_per_player"]) * setting.players


def _totals(setting: Setting) -> Levels:
    """From all tasks lost and nothing else up to more than anybody gets."""
    meta = setting.components["tasks_meta"]
    return numbers(range(-meta["keep_max"] * meta["penalty_unfulfilled"], _MOST_POINTS + 1), _MOST_POINTS)


_SEAT = Column("seat", "who it is about, 0 starts round 1", _seats)
_ROUND = Column("round", "round of the game, from 1", _rounds)
_POINTS: dict[str, Any] = {"dtype": "i4", "unit": "points"}

GAME = Table("game", "a game", (
    Column("margin", "points of the winner less those of the second", dtype="u2", unit="points"),
    Column("tie", "the two best had equal points", YES_NO),
    Column("shared", "the win was shared", YES_NO),
), most=lambda setting: 1)  # fmt: skip
PLAYER = Table("seat", "a player in a game", (
    _SEAT,
    Column("total", "final points", _totals, **_POINTS),
    Column("council", "points of the council phases", **_POINTS),
    Column("city", "points for members in the city", **_POINTS),
    Column("chapels", "points of chapels", **_POINTS),
    Column("edifices", "points of edifices", **_POINTS),
    Column("privileges", "points of privileges left", **_POINTS),
    Column("tasks", "points of tasks, less those lost for tasks that were not fulfilled", **_POINTS),
    Column("paid", "coins paid for spaces in the city", dtype="u2", unit="coins"),
    Column("coins", "coins left", dtype="u2", unit="coins"),
), most=lambda setting: setting.players)  # fmt: skip
ROUNDS = Table("round", "a player in a round", (
    _SEAT,
    _ROUND,
    Column("drawn", "cards drawn", numbers(range(MAX_CARDS + 1)), unit="cards"),
    Column("stacks", "stacks made", numbers(range(MAX_CARDS + 1)), unit="stacks"),
    Column("prestige", "points of the council phase", **_POINTS),
    Column("privilege", "got a privilege", YES_NO),
), most=lambda setting: setting.players * _count(setting, "round_cards"))  # fmt: skip
BIDS = Table("bid", "a stack turned over", (
    _SEAT,
    _ROUND,
    Column("step", "the step", labels(STEPS[:AUCTIONS])),
    Column("cards", "cards in the stack", numbers(range(1, MAX_CARDS + 1)), unit="cards"),
    Column("sum", "influence", numbers(range(1, MAX_CARDS * MAX_VALUE + 1)), unit="influence"),
), most=lambda setting: AUCTIONS * setting.players * _count(setting, "round_cards"))  # fmt: skip
SPACES = Table("space", "a member placed in the city", (
    _SEAT,
    _ROUND,
    Column("guild", "the guild of the space", _guilds),
    Column("price", "coins paid", numbers(range(MAX_PRICE + 1)), unit="coins"),
), most=_most_placed)  # fmt: skip
TASKS = Table("task", "a task that was kept", (
    _SEAT,
    Column("task", "the task", lambda setting: labels([task["id"] for task in setting.components["tasks"]])),
    Column("fulfilled", "it was fulfilled", YES_NO),
    Column("points", "points for it, negative if it was not fulfilled", **_POINTS),
), most=_dealt)  # fmt: skip

TABLES = (GAME, PLAYER, ROUNDS, BIDS, SPACES, TASKS)

AGREEMENTS = (
    ("final points", Crosstab("seat", (), ("total",)), Crosstab("seat", (), ("score",))),
    ("final points by source", Crosstab("seat", (), ("total",)), Crosstab("seat", (), SOURCES)),
    ("points of the council", Crosstab("seat", (), ("council",)), Crosstab("round", (), ("prestige",))),
    ("points of tasks", Crosstab("seat", (), ("tasks",)), Crosstab("task", (), ("points",))),
    ("coins paid", Crosstab("seat", (), ("paid",)), Crosstab("space", (), ("price",))),
)
