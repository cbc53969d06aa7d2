"""Strozzi's journal: the kinds of events, and their translation to the lines of a record.

A row is (kind, a, b, c, d, e); the comments below say what a..e are. MOVE, SHIP_PRIZE and MARKER are for facts; a record
has the prizes summed up in its score_round line.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from strozzi_sim.game.telling import Verb, by_seat, capitalized, listed, seat_name, verb_of
from strozzi_sim.games.strozzi.state import FLAG_NAMES, PORT_NAMES

SHOW = 1  #        slot, tile                      the display before round 1
ROUND = 2  #       round (from 0), start player
REVEAL = 3  #      seat, ship, cards left
CLAIM = 4  #       seat, flag or -1                one for every seat that had a choice
PLACE = 5  #       seat, ship, flag, port, speed
MOVE = 6  #        seat, city, from space, to space, cause (CARGO, SCROLL or TILE_WARE)
TAKE_TILE = 7  #   seat, tile or -1, replacement or -1
SET_ASIDE = 8  #   ship
SHIP_PRIZE = 9  #  seat, ship, port, rank, coins
MARKER = 10  #     seat, city, space, coins by rank, bonus coins
SCORE = 11  #      seat, total                     coins after a round
END = 12  #        seat, total, rank (0 = won)

CARGO, SCROLL, TILE_WARE = 0, 1, 2


def to_lines(rows: Any, components: dict[str, Any], players: int) -> Iterator[dict[str, Any]]:
    """The record lines of one game, header excluded, from its journal rows int32[events, WIDTH]."""
    ships = [ship["id"] for ship in components["ships"]]
    tiles = [tile["id"] for tile in components["promotion_tiles"]]
    display: list[str] = []
    shown = False
    round_number = 0
    paid = [[0, 0, 0] for _ in range(players)]  # this round: ships, markers, bonus
    totals: list[int] = []
    ends: list[list[int]] = []
    for kind, a, b, c, d, e in rows.tolist():
        if kind == SHOW:
            display.append(tiles[b])
            continue
        if not shown:
            shown = True
            yield {"type": "tiles", "display": display}
        if kind == ROUND:
            round_number = a + 1
            yield {"type": "round", "round": round_number, "start_player": b}
        elif kind == REVEAL:
            yield {"type": "reveal", "player": a, "ship": ships[b]}
        elif kind == CLAIM:
            yield {"type": "claim", "player": a, "flag": None if b < 0 else FLAG_NAMES[b]}
        elif kind == PLACE:
            flag, port = FLAG_NAMES[c], PORT_NAMES[d]
            yield {"type": "place", "player": a, "ship": ships[b], "flag": flag, "port": port, "speed": e}
        elif kind == TAKE_TILE:
            tile, replacement = (None if b < 0 else tiles[b]), (None if c < 0 else tiles[c])
            yield {"type": "take_tile", "player": a, "tile": tile, "replacement": replacement}
        elif kind == SET_ASIDE:
            yield {"type": "set_aside", "ship": ships[a]}
        elif kind == SHIP_PRIZE:
            paid[a][0] += e
        elif kind == MARKER:
            paid[a][1] += d
            paid[a][2] += e
        elif kind == SCORE:
            totals = [*totals, b] if a else [b]
            if len(totals) == players:
                ship_coins, marker_coins, bonus = (list(column) for column in zip(*paid, strict=True))
                line = {"ships": ship_coins, "markers": marker_coins, "bonus": bonus, "total": totals}
                yield {"type": "score_round", "round": round_number, **line}
                paid = [[0, 0, 0] for _ in range(players)]
        elif kind == END:
            ends.append([b - totals[a], b, c])
            if len(ends) == players:
                promotion, total, rank = (list(column) for column in zip(*ends, strict=True))
                ranking = sorted(range(players), key=lambda seat: rank[seat])
                yield {"type": "score_end", "promotion": promotion, "total": total, "ranking": ranking}


def describe(line: Mapping[str, Any], names: Sequence[str], components: Mapping[str, Any]) -> str:
    """One line of a record in words; `names` says who sits where."""
    if "player" in line:
        seat = line["player"]
        return capitalized(f"{seat_name(names, seat)} {_deed(line, verb_of(names, seat), components)}.")
    kind, who = line["type"], [seat_name(names, seat) for seat in range(len(names))]
    if kind == "tiles":
        return f"Tiles to choose from: {', '.join(tile_words(tile, components) for tile in line['display']) or 'none'}."
    if kind == "round":
        start = line["start_player"]
        return f"Round {line['round']} begins; {who[start]} {verb_of(names, start)('starts')}."
    if kind == "set_aside":
        return f"Nobody wants {line['ship']}; it is set aside."
    if kind == "score_round":
        columns = {name: line[name] for name in ("ships", "markers", "bonus")} | {"coins": line["total"]}
        return by_seat(f"Round {line['round']} is scored.", who, columns)
    if kind == "score_end":
        columns = {"tiles": line["promotion"], "coins": line["total"]}
        ranking = listed([who[seat] for seat in line["ranking"]])
        return f"{by_seat('Promotion tiles are paid.', who, columns)}\nThe game ends; the best first: {ranking}."
    return str(dict(line))


def _deed(line: Mapping[str, Any], does: Verb, components: Mapping[str, Any]) -> str:
    """What a seat does, after its name."""
    kind = line["type"]
    if kind == "reveal":
        return f"{does('turns')} over {ship_words(line['ship'], components)}"
    if kind == "claim":
        if line["flag"] is None:
            return does("passes")
        return f"{does('takes' if line['flag'] == 'pirate' else 'claims')} it with the {line['flag']} flag"
    if kind == "place":
        return f"{does('places')} {line['ship']} at {line['port']} with the {line['flag']} flag, speed {line['speed']}"
    if line["tile"] is None:
        return f"{does('takes')} no tile"
    follows = tile_words(line["replacement"], components) if line["replacement"] else "none"
    return f"{does('takes')} tile {tile_words(line['tile'], components)}; {follows} comes up"


def ship_words(name: str, components: Mapping[str, Any]) -> str:
    """A ship card in a few words."""
    ship = next(ship for ship in components["ships"] if ship["id"] == name)
    cargo = [f"{port} {ship[port]}" for port in PORT_NAMES if ship[port]]
    cargo += [f"scrolls {ship['scrolls']}"] if ship["scrolls"] else []
    cargo += ["promotion tile"] if ship["promotion"] else []
    return f"{name} (sail {ship['sail']}; {', '.join(cargo) or 'no cargo'})"


def tile_words(name: str, components: Mapping[str, Any]) -> str:
    """A promotion tile in a few words."""
    return f"{name} ({tile_print(name, components)})"


def tile_print(name: str, components: Mapping[str, Any]) -> str:
    """Return what is printed on a promotion tile: art 1, +1 rome."""
    tile = next(tile for tile in components["promotion_tiles"] if tile["id"] == name)
    return f"{tile['category']} {tile['value']}" + (f", +1 {tile['ware']}" if tile["ware"] else "")
