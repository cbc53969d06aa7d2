"""The fact tables of Strasbourg; `fact_handlers.py` writes their rows."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from strozzi_sim.facts import columns
from strozzi_sim.facts.columns import Column, GameConfig, Levels, Table, derived, labels, numbers, yes_or_no
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.games.strasbourg.events import chairs_of
from strozzi_sim.games.strasbourg.geometry import city_of, corner_name, space_name
from strozzi_sim.games.strasbourg.state import AUCTIONS, MAX_CARDS, MAX_CELLS, MAX_DEALT, MAX_VALUE, SEATS, STEPS

SOURCES = ("council", "city", "chapels", "edifices", "privileges", "tasks")
BUILDINGS = ("chapels", "edifices")
MAX_ACTING = 3  # most ranks that act in a step
_POINTS_FROM = 511  # the last level of totals: this or more
_MOST_INFLUENCE = 24  # the last level of a stack's influence: this or more
NONE = "none"


def _rounds(setting: GameConfig) -> int:
    return len(setting.components["round_cards"])


def _guild_names(setting: GameConfig) -> list[str]:
    return list(setting.components["guilds"]["order"])


def _ids(block: str) -> Any:
    return lambda setting: labels([entry["id"] for entry in setting.components[block]])


def _totals(setting: GameConfig) -> Levels:
    meta = setting.components["tasks_meta"]
    return numbers(range(-meta["keep_max"] * meta["penalty_unfulfilled"], _POINTS_FROM + 1), _POINTS_FROM)


def _spaces(setting: GameConfig) -> Levels:
    city = city_of(setting.components)
    return Levels(tuple(map(space_name, city.guilds)), tuple(map(city.number, city.guilds)))


def _by_cell(attribute: str) -> Any:
    """Return a function of GameConfig that returns each cell's "guild" (its number) or "price", 0 without a space."""

    def values(setting: GameConfig) -> np.ndarray[Any, Any]:
        city, order = city_of(setting.components), _guild_names(setting)
        by_cell = np.zeros(MAX_CELLS, int)
        for cell, guild in city.guilds.items():
            by_cell[city.number(cell)] = order.index(guild) if attribute == "guild" else city.prices[cell]
        return by_cell

    return values


def _sites(setting: GameConfig) -> Levels:
    return labels([*map(space_name, city_of(setting.components).sites), NONE])


def _corners(setting: GameConfig) -> Levels:
    return labels([*map(corner_name, city_of(setting.components).chapel_sites), NONE])


def _acts(setting: GameConfig) -> list[list[bool]]:
    """Return whether a rank may act in a step (R5.5), by [step, rank]; rank 0 does not occur."""
    guild_step = min(setting.players - 1, MAX_ACTING)
    acting_ranks = [2 if step == 0 else guild_step if step % 2 else 1 for step in range(AUCTIONS)]
    return [[rank <= ranks for rank in range(SEATS + 1)] for ranks in acting_ranks]


def _task_points(setting: GameConfig) -> np.ndarray[Any, Any]:
    tasks, penalty = setting.components["tasks"], setting.components["tasks_meta"]["penalty_unfulfilled"]
    return np.array([[[0, 0], [-penalty, task["points"]]] for task in tasks])


_SEAT = Column("seat", "seat of the player, 0 starts round 1", columns.each_seat)
_ROUND, _LAST = columns.round_columns(_rounds)
_STEP = Column("step", "the step", labels(STEPS[:AUCTIONS]))
_GUILD = Column("guild", "the guild of the step", lambda setting: labels([*_guild_names(setting), NONE]))
_POINTS: dict[str, Any] = {"dtype": "i4", "unit": "points"}
_COINS: dict[str, Any] = {"dtype": "u2", "unit": "coins"}
_INFLUENCE: dict[str, Any] = {"dtype": "u2", "unit": "influence"}


def _building(sites: Any, building: str) -> Iterable[Column]:
    def is_site(setting: GameConfig) -> list[bool]:
        return [name != NONE for name in sites(setting).names]

    return (
        Column("site", f"site of the {building}", sites),
        derived("built", f"the {building} was built", "site", is_site),
        Column("members", "members beside it at the end, of all players", unit="members"),
        Column("points", "points paid to all players", **_POINTS),
        Column("own_points", "points paid to the seat that built it", **_POINTS),
        yes_or_no("beside_own", f"the {building} was built beside a member of the seat"),
    )


GAME = Table("game", "a game", (
    Column("margin", "points of the winner less those of the second", dtype="u2", unit="points"),
    yes_or_no("tie", "the two best had equal points"),
    yes_or_no("shared", "the win was shared"),
), max_rows=lambda setting: 1)  # fmt: skip
PLAYER = Table("seat", "a player in a game", (
    _SEAT,
    Column("total", "final points", _totals, **_POINTS),
    Column("council", "points of the council phases", **_POINTS),
    Column("city", "points for members in the city", **_POINTS),
    Column("chapels", "points of chapels", **_POINTS),
    Column("edifices", "points of edifices", **_POINTS),
    Column("privileges", "points of privileges left", **_POINTS),
    Column("tasks", "points of tasks, less penalties for unfulfilled tasks", **_POINTS),
    Column("kept", "tasks kept", numbers(range(MAX_DEALT + 1)), unit="tasks"),
    Column("coins", "coins left", **_COINS),
), max_rows=lambda setting: setting.players)  # fmt: skip
ROUNDS = Table("round", "a player in a round", (
    _SEAT,
    _ROUND,
    _LAST,
    yes_or_no("starts", "had the starting player's marker when the round began"),
    Column("drawn", "cards drawn", numbers(range(MAX_CARDS + 1)), unit="cards"),
    Column("influence", "influence of those cards", **_INFLUENCE),
    Column("stacks", "stacks made", numbers(range(MAX_CARDS + 1)), unit="stacks"),
    Column("used", "stacks turned over", numbers(range(AUCTIONS + 1)), unit="stacks"),
    Column("bid", "influence of those stacks", **_INFLUENCE),
    Column("waited", "privileges paid to wait", unit="privileges"),
    Column("prestige", "points of the council phase", **_POINTS),
    yes_or_no("privilege", "got a privilege"),
), max_rows=lambda setting: setting.players * _rounds(setting))  # fmt: skip
BIDS = Table("bid", "a stack turned over", (
    _SEAT,
    _ROUND,
    _STEP,
    _GUILD,
    Column("lap", "seats clockwise from the step's starting player, who is 0", columns.each_seat),
    Column("cards", "cards in the stack", numbers(range(1, MAX_CARDS + 1)), unit="cards"),
    Column("sum", "influence", numbers(range(1, _MOST_INFLUENCE + 1), _MOST_INFLUENCE), unit="influence"),
    Column("rank", "rank of the bid, 1 is the highest", lambda setting: numbers(range(1, setting.players + 1))),
    derived("won", "it was the highest bid", "rank", lambda setting: np.arange(SEATS + 1) == 1),
    derived("acts", "the rank may act", "step rank", _acts),
    yes_or_no("waited", "a privilege was paid to bid later"),
    Column("returned", "card returned under the deck, 0 for none", numbers(range(MAX_VALUE + 1))),
), max_rows=lambda setting: AUCTIONS * setting.players * _rounds(setting))  # fmt: skip
ACTS = Table("act", "a turn of a rank that may act in a step", (
    _SEAT,
    _ROUND,
    _STEP,
    _GUILD,
    Column("rank", "1 is the master, or the winner", numbers(range(1, MAX_ACTING + 1))),
    Column("bid", "influence of the stack", **_INFLUENCE),
    yes_or_no("good", "took a good of the guild"),
    yes_or_no("good_sold", "that good was sold later"),
    Column("good_coins", "coins for that good", **_COINS),
    yes_or_no("placed", "placed a member in the city"),
    Column("price", "coins paid for the space", **_COINS),
    Column("sold", "goods sold", unit="goods"),
    Column("coins", "coins received for them", **_COINS),
    yes_or_no("declined", "left a usable right unused"),
), max_rows=lambda setting: (3 * MAX_ACTING + 5) * _rounds(setting))  # fmt: skip
PLACEMENTS = Table("placement", "a member placed in the city", (
    _SEAT,
    _ROUND,
    Column("rank", "1 is the master", numbers(range(1, MAX_ACTING + 1))),
    Column("space", "column letter and row number of the space", _spaces),
    derived("guild", "the guild of the space", "space", _by_cell("guild"),
            lambda setting: labels(_guild_names(setting))),
    derived("price", "coins paid", "space", _by_cell("price"),
            lambda setting: numbers(_by_cell("price")(setting).tolist()), "coins"),
    Column("chapels", "points of chapels at the end", **_POINTS),
    Column("edifices", "points of edifices at the end", **_POINTS),
    Column("points", "points of the member at the end, without tasks", **_POINTS),
), max_rows=lambda setting: 3 * min(setting.players - 1, MAX_ACTING) * _rounds(setting))  # fmt: skip
COUNCIL = Table("council", "a member in the council in a council phase", (
    _SEAT,
    _ROUND,
    _LAST,
    Column("chair", "the seat of the council", lambda setting: labels(chairs_of(setting.components))),
    yes_or_no("changed", "the seat was empty or another player's in the previous council phase; always in round 1"),
    Column("points", "points of the phase", **_POINTS),
), max_rows=lambda setting: (3 + len(_guild_names(setting))) * _rounds(setting))  # fmt: skip
TASKS = Table("task", "a task dealt to a player", (
    _SEAT,
    Column("task", "the task", _ids("tasks")),
    yes_or_no("kept", "the player kept it"),
    yes_or_no("fulfilled", "it was kept and fulfilled"),
    yes_or_no("done", "the player met its condition, whether kept or not"),
    derived("points", "points for it, negative if kept and not fulfilled", "task kept fulfilled",
            _task_points, None, **_POINTS),
    derived("lost", "points lost for it", "task kept fulfilled",
            lambda setting: np.maximum(-_task_points(setting), 0), None, **_POINTS),
), max_rows=lambda setting: setting.components["tasks_meta"]["dealt_per_player"] * setting.players)  # fmt: skip
_EDIFICE = (_SEAT, _ROUND, Column("edifice", "the edifice", _ids("edifices")), *_building(_sites, "edifice"))
EDIFICES = Table("edifice", "an edifice in its round", _EDIFICE, max_rows=_rounds)
_CHAPEL = (_SEAT, _ROUND, *_building(_corners, "chapel"))
CHAPELS = Table("chapel", "step H of a round, in which a chapel may be built", _CHAPEL, max_rows=_rounds)

TABLES = (GAME, PLAYER, ROUNDS, BIDS, ACTS, PLACEMENTS, COUNCIL, TASKS, EDIFICES, CHAPELS)


def _sum(fact: str, *columns: str, where: str = "") -> Crosstab:
    return Crosstab(fact, (), columns, where)


AGREEMENTS = (  # equal sums, counted in two ways
    ("final points", _sum("seat", "total"), _sum("seat", "score")),
    ("final points by source", _sum("seat", "total"), _sum("seat", *SOURCES)),
    ("points of the council", _sum("seat", "council"), _sum("round", "prestige")),
    ("points of its seats", _sum("seat", "council"), _sum("council", "points")),
    ("points of members", _sum("seat", "city", *BUILDINGS), _sum("placement", "points")),
    *((f"points of {kind}", _sum("seat", kind), _sum("placement", kind)) for kind in BUILDINGS),
    *((f"points that {kind} pay", _sum("seat", kind), _sum(kind[:-1], "points")) for kind in BUILDINGS),
    ("points of tasks", _sum("seat", "tasks"), _sum("task", "points")),
    ("tasks kept", _sum("seat", "kept"), _sum("task", "kept")),
    ("tasks fulfilled", _sum("task", "fulfilled"), _sum("task", "done", where="kept == yes")),
    ("coins paid", _sum("placement", "price"), _sum("act", "price")),
    ("coins for goods", _sum("act", "coins"), _sum("act", "good_coins")),
    ("goods sold", _sum("act", "sold"), _sum("act", "good_sold")),
    ("influence bid", _sum("round", "bid"), _sum("bid", "sum")),
    ("influence of those who act", _sum("act", "bid"), _sum("bid", "sum", where="acts == yes")),
)
