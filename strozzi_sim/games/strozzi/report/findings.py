"""Sentences of a Strozzi report, computed from its tables.

Sentences are about the first variant and line-up at one player count, if they do not name other games.
"""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.errors import pluralize
from strozzi_sim.game.missed import missed_between
from strozzi_sim.game.pages import ALL
from strozzi_sim.game.reporting import Named, Narrator, format_estimate, format_row, listed
from strozzi_sim.game.significance import extreme_levels
from strozzi_sim.games.strozzi.report.labels import WORDS, ship_words
from strozzi_sim.games.strozzi.state import CATEGORIES, FLAG_NAMES, PORT_NAMES

_MIN_PORT_COINS = 2.0  # in a game of some 200 coins; ports that differ by less pay equally
_MIN_STEP = 0.25  # of a sail number, or of a ware; smaller differences of means are not reported
FLAG_WORDS = {"pirate": "pirate flag", "plus_one": "plus-one flag", "ware": "ware flag"}


def _balance(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    statements = [
        f"a player ends with {say.amount('score_mean')} coins{say.span('score_mean', 'amount')}, the winner with "
        f"{say.amount('winner_score_mean')}, {say.amount('margin_mean')} ahead of the second."
    ]
    rounds = range(1, data.get("setup", {}).get("rounds", 0))
    leaders = {number: f"leader_{number}_wins_share" for number in rounds}
    said = [f"{say.share(figure)} after round {number}" for number, figure in leaders.items() if say.row(figure)]
    if said:
        statements.append(f"the leader later wins {listed(said)}; {say.equal}")
    return [*statements, *_payout(say)]


def _payout(say: Narrator) -> list[str]:
    """Return whether games pay out more coins than the box has, over all cells with enough games."""
    cells = [cell for cell in (say, *say.elsewhere) if cell.row("over_990_share") and _box(cell.data)]
    if not cells:
        return []
    worst = max(cells, key=lambda cell: float(cell.row("over_990_share").value))
    if worst.row("over_990_share").value > 0:
        most = f", the largest share of {len(cells)} combinations" if len(cells) > 1 else ""
        return [
            worst.named(
                f"{worst.share('over_990_share')} of games pay out more than the {_box(worst.data)} coins in the box{most}."
            )
        ]
    if len(cells) == 1:
        return [worst.named(f"no game pays out more than the {_box(worst.data)} coins in the box.")]
    which = f"{len(cells)} combinations of players, line-up and variant"
    return [Named(f"No game pays out more than the coins in the box, in any of the {which}.")]


def _box(data: Mapping[str, Any]) -> int:
    """Return the value of all coins in the box."""
    return sum(int(name[1:]) * number for name, number in data.get("coins", {}).items())


def _flags(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    prizes, unused = [], []
    for flag, name in FLAG_WORDS.items():
        where = {"flag": flag, "by": ALL}
        prizes.append(
            f"{name} {say.amount('ship_prize_mean', **where)} coins and {say.number('steps_mean', **where)} spaces"
        )
        unused.append(f"{say.share('unused_share', **where)} of {name}s")
    robbed = [
        f"{say.share('pirated_share', flag=flag, by=ALL)} of the claims laid with a {FLAG_WORDS[flag]}"
        for flag in FLAG_NAMES[1:]
    ]
    taken_over = say.share("takeover_share", flag="pirate", by=ALL)
    statements = [
        f"{'; '.join(_ships_of_flags(say))}.",
        f"{taken_over} of pirate flags take a claimed ship, the others make the first claim; "
        f"pirates take over {listed(robbed)}.",
        f"What these ships bring by rank in port and on the track: {'; '.join(prizes)}.",
        f"Left unused when the round ends: {listed(unused)}.",
    ]
    orders = say.extremes("share", flag=ALL, by="pattern")
    if orders:
        most = orders[1]
        words = [FLAG_WORDS[flag].removesuffix(" flag") for flag in most.level.split(">") if flag in FLAG_WORDS]
        statements.append(
            f"The commonest order is {', '.join(words)}: {format_estimate(most, 'share')} of player-rounds."
        )
    return [*statements, Named("Footnote: correlation only; to measure a flag's value, play without it.")]


def _kinds_of_ships(say: Narrator) -> dict[str, list[str]]:
    """Return the kinds of ships that each flag takes more than the others do: pirate -> slow, full."""
    found: dict[str, list[str]] = {flag: [] for flag in FLAG_WORDS}
    for figure, low, high in (("sail_mean", "slow", "fast"), ("cargo_mean", "light", "full")):
        rows = [row for flag in FLAG_WORDS if (row := say.row(figure, flag=flag, by=ALL))]
        for row in rows:
            others = [other for other in rows if other is not row]
            if others and all(row.high < other.low and other.value - row.value >= _MIN_STEP for other in others):
                found[row.flag].append(low)
            if others and all(row.low > other.high and row.value - other.value >= _MIN_STEP for other in others):
                found[row.flag].append(high)
    return found


def _ships_of_flags(say: Narrator) -> list[str]:
    """Return the ships that each flag takes: "the pirate flag takes slow, full ships (sail 2.6, 4.2 wares)"."""
    found = _kinds_of_ships(say)
    neither = "middling " if any(found.values()) else ""
    return [
        f"the {name} takes {', '.join(found[flag]) + ' ' if found[flag] else neither}ships "
        f"(sail {say.number('sail_mean', flag=flag, by=ALL)}, {say.number('cargo_mean', flag=flag, by=ALL)} wares)"
        for flag, name in FLAG_WORDS.items()
    ]


def _ports(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    statements = []
    ports = [row for port in PORT_NAMES if (row := say.row("coins_mean", port=port, by=ALL))]
    if len(ports) == len(PORT_NAMES):
        florence = f"Florence pays {say.amount('coins_mean', port='florence', by=ALL)}"
        statements.append(f"{_what_ports_pay(ports)}; {florence}.")
    sails = say.rows("ship_prize_mean", by="sail", port=ALL)
    if len(sails) > 1:
        slow, fast = sails[0], sails[-1]
        statements.append(
            f"Speed pays {format_estimate(slow, 'amount')} coins in port at sail {slow.level} and {format_estimate(fast, 'amount')} at sail "
            f"{fast.level}."
        )
    if "tracks" in data:
        top = str(data["tracks"]["top_index"])
        ends = []
        for city in ("venice", "florence"):
            where = {"port": city, "by": "space", "level": top}
            if say.row("win_share", **where):
                reach, won = say.share("share", **where), say.share("win_share", **where)
                ends.append(f"in {WORDS[city]} {reach} of markers get there, and their owners win {won} of games")
        if ends:
            statements.append(f"Space {top} is the top of a track: {'; '.join(ends)}; {say.equal}")
    return statements


def _what_ports_pay(ports: list[Any], *, exact: bool = True) -> str:
    """Return the port that pays significantly most, or what all pay, and whether that is equal to within a few coins."""
    low, high = min(ports, key=lambda row: row.value), max(ports, key=lambda row: row.value)
    between = f"{format_row(low, 'amount')} and {format_row(high, 'amount')} coins"
    if max(row.high for row in ports) - min(row.low for row in ports) < _MIN_PORT_COINS:
        if not exact:
            return f"the three ports pay alike, about {format_row(low, 'amount')} coins in a game"
        return f"the three ports pay a player between {between}: equal to within {_MIN_PORT_COINS:g} coins"
    if high.low - low.high <= 0 or high.value - low.value < _MIN_PORT_COINS:
        if not exact and high.low > low.high:
            return f"{WORDS[high.port]} pays {format_row(high, 'amount')} coins in a game and {WORDS[low.port]} {format_row(low, 'amount')}, a small difference"
        if not exact:
            return f"no port is known to pay more than another: {missed_between(ports, called='coins')}"
        return f"the ports pay a player between {between}, a small or not significant difference"
    if not exact:
        coins = f"{format_row(high, 'amount')} coins in a game, {WORDS[low.port]} {format_row(low, 'amount')}"
        return f"{WORDS[high.port]} pays most, {coins}"
    return (
        f"{WORDS[high.port]} pays a player most, {format_estimate(high, 'amount')} coins in a game, and {WORDS[low.port]} least of the "
        f"ports, {format_estimate(low, 'amount')}"
    )


def _promotion(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    whole = {"category": ALL, "place": ALL}
    wins = [(category, say.share("win_share", category=category, place="1")) for category in CATEGORIES]
    firsts = [f"in {category} wins {won}{'' if k else ' of games'}" for k, (category, won) in enumerate(wins)]
    tile, value = (say.amount(figure, **whole) for figure in ("prize_per_tile", "prize_per_value"))
    return [
        f"a player takes {say.number('tiles_mean', **whole)} tiles in a category; a tile "
        f"brings {tile} coins, a point of value {value}.",
        f"A player who is first {listed(firsts)}; {say.equal}",
    ]


def _ships(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    cards = {}
    for ship in data.get("ships", []):
        name, *printed = ship_words(ship).split(" · ")
        cards[name] = f"{name} ({', '.join(printed)})"
    statements = []
    for figure, high_words, low_words in (
        ("taken_share", "the card taken most often is", "least often"),
        ("coins_brought_mean", "the card that brings most coins is", "fewest"),
    ):
        if ends := say.extremes(figure):
            low, high = (f"{cards.get(end.ship, end.ship)}: {_of_ship(say, end.ship)}" for end in ends)
            rows = say.rows(figure)
            below = sum(row.low <= ends[0].high for row in rows) - 1
            above = sum(row.high >= ends[1].low for row in rows) - 1
            statements.append(f"{high_words} {high}{_or_others(above)}; {low_words} {low}{_or_others(below)}.")
    return statements


def _of_ship(say: Narrator, ship: str) -> str:
    """Return how often a card is taken and what it brings, by what it is paid for."""
    parts = (("ship_prize_mean", "port"), ("coins_track_mean", "spaces"), ("coins_tile_mean", "tile"))
    rows = [(name, row) for figure, name in parts if (row := say.row(figure, ship=ship)) and row.value > 0]
    coins = listed([f"{format_row(row, 'amount')} for its {name}" for name, row in rows])
    return (
        f"taken {say.share('taken_share', ship=ship)} of the times it is turned over, bringing "
        f"{say.amount('coins_brought_mean', ship=ship)} coins{f' ({coins})' if coins else ''}"
    )


def _or_others(count: int) -> str:
    """Return the number of other cards whose intervals overlap with that of the extreme one."""
    return f" (or one of {count} more whose intervals overlap with this)" if count > 0 else ""


SENTENCES = {"balance": _balance, "flags": _flags, "ports": _ports, "promotion": _promotion, "ships": _ships}


def _title_of_balance(say: Narrator) -> str:
    margin, first = say.row("margin_mean"), say.row("leader_1_wins_share")
    if margin is None:
        return ""
    leader = f"; who leads after round 1 wins {format_row(first, 'share')} of games" if first else ""
    return f"The winner ends {format_row(margin, 'amount')} coins ahead of the second{leader}."


def _title_of_flags(say: Narrator) -> str:
    kinds = {flag: words for flag, words in _kinds_of_ships(say).items() if words}
    if not kinds:
        words = [
            missed_between(rows, "number", called)
            for figure, called in (("sail_mean", "sails"), ("cargo_mean", "wares"))
            if len(rows := [row for flag in FLAG_WORDS if (row := say.row(figure, flag=flag, by=ALL))]) > 1
        ]
        sizes = " and ".join(filter(None, words))
        return f"No flag is known to take other ships than the rest{f': {sizes}' if sizes else ''}."
    said = [f"the {FLAG_WORDS[flag]} takes {', '.join(words)} ships" for flag, words in kinds.items()]
    return f"{_capitalized(listed(said))}."


def _title_of_ports(say: Narrator) -> str:
    ports = [row for port in PORT_NAMES if (row := say.row("coins_mean", port=port, by=ALL))]
    return f"{_capitalized(_what_ports_pay(ports, exact=False))}." if len(ports) == len(PORT_NAMES) else ""


def _title_of_promotion(say: Narrator) -> str:
    tile = say.row("prize_per_tile", category=ALL, place=ALL)
    return f"A promotion tile brings {format_row(tile, 'amount')} coins." if tile else ""


def _title_of_ships(say: Narrator) -> str:
    rows = say.rows("coins_brought_mean")
    if (found := extreme_levels(rows, "ship")) is None:
        size = missed_between(rows, called="coins")
        return f"No ship is known to bring more coins than another: {size}." if len(rows) > 1 else ""
    low, high = (
        f"{own[0].ship} brings {format_row(own[0], 'amount')} coins, {word} {_but(len(own) - 1)}"
        for own, word in zip(found, ("less", "more"), strict=True)
    )
    return f"{high}; {low}."


def _but(others: int) -> str:
    """Return the ships that one differs from, if it is not told apart from so many others."""
    return f"than all but {pluralize(others, 'other')}" if others else "than any other"


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


TITLES = {
    "balance": _title_of_balance, "flags": _title_of_flags, "ports": _title_of_ports, "promotion": _title_of_promotion,
    "ships": _title_of_ships,
}  # fmt: skip
