"""What a Strozzi study found, in sentences computed from its tables.

Sentences speak of the first variant and line-up, and of one player count, the one that the captions quote too.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from strozzi_sim.games.pages import Tables, Unit, first_scenario, in_words, listed, pick, quote, row_of
from strozzi_sim.games.strozzi.page_tables import ALL
from strozzi_sim.games.strozzi.page_words import ship_words
from strozzi_sim.games.strozzi.state import CATEGORIES, FLAG_NAMES, PORT_NAMES

FLAG_WORDS = {"pirate": "pirate flag", "plus_one": "plus-one flag", "ware": "ware flag"}


class _Speaker:
    """Quotes one table at one player count, or over all player counts."""

    def __init__(self, table: pd.DataFrame, players: int) -> None:
        self.table, self.players = table, players

    def row(self, figure: str, **where: Any) -> Any:
        return row_of(self.table, figure=figure, **{"players": self.players, **where})

    def quote(self, figure: str, unit: Unit, **where: Any) -> str:
        row = self.row(figure, **where)
        return quote(row, unit) if row else "no value"

    def ends(self, figure: str, unit: Unit, **where: Any) -> list[tuple[int, str]]:
        """(players, value in words) at the smallest and at the largest player count, or at the only one."""
        rows = pick(self.table, figure=figure, **where).dropna(subset="value").sort_values("players")
        ends = rows if len(rows) < 2 else rows.iloc[[0, -1]]
        return [(row.players, quote(row, unit)) for row in ends.itertuples(index=False)]

    def extremes(self, figure: str, **where: Any) -> tuple[Any, Any] | None:
        """The rows with the lowest and the highest value; None with less than two."""
        rows = pick(self.table, figure=figure, **{"players": self.players, **where}).dropna(subset="value")
        if len(rows) < 2:
            return None
        rows = rows.sort_values("value", kind="stable")
        return next(rows.head(1).itertuples(index=False)), next(rows.tail(1).itertuples(index=False))


def sentences(tables: Tables, components: Mapping[str, Any]) -> dict[str, list[str]]:
    """Page -> what was found on it, of the pages whose tables are there.

    Args:
        tables: the study's tables.
        components: variant -> component data.
    """
    balance = first_scenario(tables["balance"])
    if balance.empty:
        return {}
    players = 4 if (balance["players"] == 4).any() else int(balance["players"].min())
    data = components.get(balance["variant"].iloc[0], {})
    found = {}
    for page, say in (("balance", _balance), ("flags", _flags), ("ports", _ports), ("promotion", _promotion), ("ships", _ships)):
        if page in tables:
            found[page] = say(_Speaker(first_scenario(tables[page]), players), data)
    return found


def _balance(say: _Speaker, data: Mapping[str, Any]) -> list[str]:
    found = []
    scores, winners, margins = (say.ends(name, "coins") for name in ("score_mean", "winner_score_mean", "margin_mean"))
    for (players, score), (_, winner), (_, margin) in zip(scores, winners, margins, strict=False):
        found.append(f"At {players} players a player ends with {score} coins and the winner with {winner}, {margin} ahead of the second.")
    rounds = data.get("setup", {}).get("rounds", 0)
    leaders = [
        f"{say.quote(f'leader_{k}_wins_share', 'share')} after round {k}" for k in range(1, rounds) if say.row(f"leader_{k}_wins_share")
    ]
    if leaders:
        found.append(f"At {say.players} players the leader goes on to win {listed(leaders)}; an equal chance is {in_words(1 / say.players, 'share')}.")
    box = sum(int(name[1:]) * number for name, number in data.get("coins", {}).items())
    over = pick(say.table, figure="over_990_share").dropna(subset="value")
    if len(over) and box:
        worst = next(over.sort_values("value", kind="stable").tail(1).itertuples(index=False))
        if worst.value == 0:
            found.append(f"No game paid out more than the {box} coins in the box.")
        else:
            found.append(f"At {worst.players} players {quote(worst, 'share')} of games pay out more than the {box} coins in the box.")
    return found


def _flags(say: _Speaker, data: Mapping[str, Any]) -> list[str]:
    whole = {"by": ALL}
    used = [
        f"{FLAG_WORDS[flag]} {say.quote('sail_mean', 'number', flag=flag, **whole)} and {say.quote('cargo_mean', 'number', flag=flag, **whole)}"
        for flag in FLAG_NAMES
    ]
    prizes = [
        f"{FLAG_WORDS[flag]} {say.quote('ship_prize_mean', 'coins', flag=flag, **whole)} coins and "
        f"{say.quote('steps_mean', 'number', flag=flag, **whole)} spaces"
        for flag in FLAG_NAMES
    ]
    robbed = [f"{say.quote('pirated_share', 'share', flag=flag, **whole)} of the claims laid with a {FLAG_WORDS[flag]}" for flag in FLAG_NAMES[1:]]
    unused = [f"{say.quote('unused_share', 'share', flag=flag, **whole)} of {FLAG_WORDS[flag]}s" for flag in FLAG_NAMES]
    found = [
        f"At {say.players} players, mean sail number and wares of the ships taken: {'; '.join(used)}.",
        f"{say.quote('takeover_share', 'share', flag='pirate', **whole)} of pirate flags take a ship that somebody has claimed, the others "
        f"open the bidding; pirates take over {listed(robbed)}.",
        f"What such a ship brings by its rank in port and on the track: {'; '.join(prizes)}.",
        f"Left unused when the round ends: {listed(unused)}.",
    ]
    orders = say.extremes("share", flag=ALL, by="pattern")
    if orders:
        words = [FLAG_WORDS[flag].removesuffix(" flag") for flag in orders[1].level.split(">") if flag in FLAG_WORDS]
        found.append(f"The commonest order is {', '.join(words)}: {quote(orders[1], 'share')} of player-rounds.")
    found.append(
        "These figures say what goes with a flag, not what it causes; what a flag is worth is measured by playing without it "
        "(`strozzi restrict`)."
    )
    return found


def _ports(say: _Speaker, data: Mapping[str, Any]) -> list[str]:
    found = []
    gap = say.extremes("coins_mean", by=ALL)
    ports = [row for port in PORT_NAMES if (row := say.row("coins_mean", port=port, by=ALL))]
    if gap and len(ports) == len(PORT_NAMES):
        low, high = min(ports, key=lambda row: row.value), max(ports, key=lambda row: row.value)
        if high.low > low.high:
            found.append(
                f"At {say.players} players {high.port.title()} pays a player most, {quote(high, 'coins')} coins in a game, and {low.port.title()} least, {quote(low, 'coins')}."
            )
        else:
            found.append(
                f"At {say.players} players no port pays measurably more than another: between {in_words(low.value, 'coins', 2)} and "
                f"{in_words(high.value, 'coins', 2)} coins a player and game; Florence pays {say.quote('coins_mean', 'coins', port='florence', by=ALL)}."
            )
    sails = pick(say.table, players=say.players, figure="ship_prize_mean", by="sail", port=ALL).dropna(subset="value")
    if len(sails) > 1:
        slow, fast = (next(end.itertuples(index=False)) for end in (sails.head(1), sails.tail(1)))
        found.append(f"Speed pays {quote(slow, 'coins')} coins in port at sail {slow.level} and {quote(fast, 'coins')} at sail {fast.level}.")
    top = str(data["tracks"]["top_index"]) if "tracks" in data else ""
    if top:
        at = {"by": "space", "level": top}
        ends = [
            f"{say.quote('share', 'share', port=city, **at)} of markers in {city.title()}, whose owners win {say.quote('win_share', 'share', port=city, **at)}"
            for city in ("venice", "florence")
        ]
        found.append(f"Space {top}, the top, is reached by {listed(ends)} of games; an equal chance is {in_words(1 / say.players, 'share')}.")
    return found


def _promotion(say: _Speaker, data: Mapping[str, Any]) -> list[str]:
    whole = {"category": ALL, "place": ALL}
    found = [
        f"At {say.players} players a player takes {say.quote('tiles_mean', 'number', **whole)} tiles in a category; a tile brings "
        f"{say.quote('prize_per_tile', 'coins', **whole)} coins, a point of value {say.quote('prize_per_value', 'coins', **whole)}."
    ]
    wins = [f"{say.quote('win_share', 'share', category=category, place='1')} in {category}" for category in CATEGORIES]
    found.append(f"The player who is first in a category wins {listed(wins)} of games; an equal chance is {in_words(1 / say.players, 'share')}.")
    return found


def _ships(say: _Speaker, data: Mapping[str, Any]) -> list[str]:
    cards = {}
    for ship in data.get("ships", []):
        name, *printed = ship_words(ship).split(" · ")
        cards[name] = f"{name} ({', '.join(printed)})"
    found = []
    kinds: tuple[tuple[str, Unit, str, str], ...] = (
        ("taken_share", "share", "taken least often is", "Most wanted"),
        ("ship_prize_mean", "coins", "least earns", "Best earner in port"),
    )
    for figure, unit, low_words, high_words in kinds:
        ends = say.extremes(figure)
        if ends:
            low, high = ends
            coins = " coins" if unit == "coins" else ""
            found.append(
                f"{high_words} at {say.players} players is {cards.get(high.ship, high.ship)}, {quote(high, unit)}{coins}; "
                f"{low_words} {cards.get(low.ship, low.ship)}, {quote(low, unit)}{coins}."
            )
    if found:
        found.append("The extremes of so many cards are a little exaggerated by chance.")
    return found
