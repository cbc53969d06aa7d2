"""Strozzi's events: the journal, the lines of a record, and their text.

`shown`, `ship_prize` and `marker` have no line: `tiles` and `score_round` combine them. `move` is for facts alone.
"""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.game.events import Components, Event, Events, Line, Rows, Say, number, one_of, seat, unrecorded
from strozzi_sim.game.sentences import listed
from strozzi_sim.games.strozzi.state import FLAG_NAMES, PORT_NAMES

CARGO, SCROLL, TILE_WARE = 0, 1, 2  # causes of a move


def _display(rows: Rows, components: Components) -> Line:
    return {"display": [_TILE.read(tile, components) for _, tile, *_ in rows["shown"]]}


def _score_round(rows: Rows, components: Components) -> Line:
    totals = [row[1] for row in rows["score_round"]]
    ships, markers, bonus = ([0] * len(totals) for _ in range(3))
    for player, _, _, _, coins in rows["ship_prize"]:
        ships[player] += coins
    for player, _, _, coins, extra in rows["marker"]:
        markers[player] += coins
        bonus[player] += extra
    return {"round": rows["round"][-1][0] + 1, "ships": ships, "markers": markers, "bonus": bonus, "total": totals}


def _score_end(rows: Rows, components: Components) -> Line:
    ends = rows["score_end"]
    before = rows["score_round"][-len(ends) :]
    return {
        "promotion": [end[1] - score[1] for end, score in zip(ends, before, strict=True)],
        "total": [end[1] for end in ends],
        "ranking": sorted(range(len(ends)), key=lambda player: ends[player][2]),
    }


def _tiles_text(line: Mapping[str, Any], say: Say) -> str:
    return f"Tiles to choose from: {', '.join(tile_words(tile, say.components) for tile in line['display']) or 'none'}."


def _reveal_text(line: Mapping[str, Any], say: Say) -> str:
    return say("{player:turns} over {card}.", card=ship_words(line["ship"], say.components))


def _claim_text(line: Mapping[str, Any], say: Say) -> str:
    if line["flag"] is None:
        return say("{player:passes}.")
    return say(f"{{player:{'takes' if line['flag'] == 'pirate' else 'claims'}}} it with the {{flag}} flag.")


def _tile_text(line: Mapping[str, Any], say: Say) -> str:
    if line["tile"] is None:
        return say("{player:takes} no tile.")
    chosen = tile_words(line["tile"], say.components)
    follows = tile_words(line["replacement"], say.components) if line["replacement"] else "none"
    return say("{player:takes} tile {chosen}; {follows} comes up.", chosen=chosen, follows=follows)


def _round_text(line: Mapping[str, Any], say: Say) -> str:
    columns = {name: line[name] for name in ("ships", "markers", "bonus")} | {"coins": line["total"]}
    return say.table(f"Round {line['round']} is scored.", columns)


def _end_text(line: Mapping[str, Any], say: Say) -> str:
    table = say.table("Promotion tiles are paid.", {"tiles": line["promotion"], "coins": line["total"]})
    return f"{table}\nThe game ends; the best first: {listed([say.who[player] for player in line['ranking']])}."


_SHIP = one_of("ship", lambda components: [ship["id"] for ship in components["ships"]])
_FLAG = one_of("flag", FLAG_NAMES)
_PORT = one_of("port", PORT_NAMES)
_TILE, _REPLACEMENT = (
    one_of(name, lambda components: [tile["id"] for tile in components["promotion_tiles"]])
    for name in ("tile", "replacement")
)
_PLACE_TEXT = "{player:places} {ship} at {port} with the {flag} flag, speed {speed}."
EVENTS = Events(
    Event("shown", ("slot", "tile"), recorded=False),  # one per open tile, before `tiles`
    Event("tiles", (), _tiles_text, make=_display),
    Event("round", (number("round", offset=1), seat("start_player")), "Round {round} begins; {start_player:starts}."),
    Event("reveal", ("player", _SHIP, unrecorded("left")), _reveal_text),
    Event("claim", ("player", _FLAG), _claim_text),  # one per answer, also if a restriction leaves only the pass
    Event("place", ("player", _SHIP, _FLAG, _PORT, "speed"), _PLACE_TEXT),
    Event("move", ("player", "city", "start", "end", "cause"), recorded=False),
    Event("take_tile", ("player", _TILE, _REPLACEMENT), _tile_text),
    Event("set_aside", (_SHIP,), "No seat claims {ship}; it is set aside."),
    Event("ship_prize", ("player", _SHIP, _PORT, "rank", "coins"), recorded=False),
    Event("marker", ("player", "city", "space", "coins", "bonus"), recorded=False),
    Event("score_round", ("player", "total"), _round_text, by_seat=True, make=_score_round),
    Event("score_end", ("player", "total", "better"), _end_text, by_seat=True, make=_score_end),
)
SHOW, TILES, ROUND, REVEAL, CLAIM, PLACE, MOVE, TAKE_TILE, SET_ASIDE, SHIP_PRIZE, MARKER, SCORE, END = EVENTS.kinds


def ship_words(name: str, components: Mapping[str, Any]) -> str:
    """Return the description of a ship card: S01 (sail 5; rome 2)."""
    ship = next(ship for ship in components["ships"] if ship["id"] == name)
    cargo = [f"{port} {ship[port]}" for port in PORT_NAMES if ship[port]]
    cargo += [f"scrolls {ship['scrolls']}"] if ship["scrolls"] else []
    cargo += ["promotion tile"] if ship["promotion"] else []
    return f"{name} (sail {ship['sail']}; {', '.join(cargo) or 'no cargo'})"


def ship_print(ship: Mapping[str, Any]) -> str:
    """Return what is printed on a ship card, in the words of the table: speed 5, Rome 2 and a promotion tile."""
    cargo = [f"{port.title()} {ship[port]}" for port in PORT_NAMES if ship[port]]
    cargo += [f"Florence {ship['scrolls']}"] if ship["scrolls"] else []
    cargo += ["a promotion tile"] if ship["promotion"] else []
    return f"speed {ship['sail']}, {listed(cargo) or 'empty'}"


def tile_words(name: str, components: Mapping[str, Any]) -> str:
    """Return the description of a promotion tile: T05 (art 1, +1 rome)."""
    return f"{name} ({tile_print(name, components)})"


def tile_print(name: str, components: Mapping[str, Any]) -> str:
    """Return what is printed on a promotion tile: art 1, +1 rome."""
    tile = next(tile for tile in components["promotion_tiles"] if tile["id"] == name)
    return f"{tile['category']} {tile['value']}" + (f", +1 {tile['ware']}" if tile["ware"] else "")
