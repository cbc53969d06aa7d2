"""Medici vs Strozzi's events: the journal, the lines of a record, and their text.

The events `harbor` and `marker` have no lines in a record; the line `score_round` sums them up. A function that makes a
line receives the rows since the last event of its type, or of a type in `since`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from strozzi_sim.game.events import Event, Events, Line, Rows, Say, final_text, number, one_of, seat, unrecorded, yes_no
from strozzi_sim.game.sentences import YOU
from strozzi_sim.games.medici_vs_strozzi.components import tile_ids
from strozzi_sim.games.medici_vs_strozzi.state import MEDICI, PLAYER_NAMES, SEATS, STROZZI


def _harbors(components: Mapping[str, Any]) -> list[str]:
    return [harbor["id"] for harbor in components["harbor"]]


_ENDS_LOT = ("load", "discard")


def _lot(rows: Rows, components: Mapping[str, Any]) -> Line:
    return {"tiles": [_TILE.read(tile, components) for _, tile, *_ in rows["reveal"]]}


def _score_round(rows: Rows, components: Mapping[str, Any]) -> Line:
    harbors, types = _harbors(components), [kind["key"] for kind in components["type"]]
    monopoly = components["scoring"]["monopoly"]
    paid = {source: [0] * SEATS for source in ("harbors", "monopolies", "bonus")}
    for _, _, _, winner, coins in rows["harbor"]:
        if winner >= 0:
            paid["harbors"][winner] += coins
    markers = {harbor["id"]: dict.fromkeys(harbor["tracks"], 0) for harbor in components["harbor"]}
    for harbor_number, type_number, position, _, coins in rows["marker"]:
        markers[harbors[harbor_number]][types[type_number]] = position
        if position:
            owner = MEDICI if position > 0 else STROZZI
            paid["monopolies"][owner] += monopoly
            paid["bonus"][owner] += coins - monopoly
    return {"round": rows["round"][-1][0] + 1, **paid, "markers": markers, "cash": rows["score_round"][-1][:SEATS]}


def _score_end(rows: Rows, components: Mapping[str, Any]) -> Line:
    ends = rows["score_end"]
    return {"total": [end[1] for end in ends], "winners": [end[0] for end in ends if end[2]]}


def _hide_cash(line: Line, components: Mapping[str, Any], viewer: int) -> Line:
    """Return the line; if the switch `hidden_cash` is on, without the cash of the viewer's rival."""
    if not components["switches"]["hidden_cash"]:
        return line
    return line | {"cash": [cash if player == viewer else None for player, cash in enumerate(line["cash"])]}


def _answer_text(line: Mapping[str, Any], say: Say) -> str:
    return say("{player:buys}." if line["buy"] else "{player:declines}.")


def _round_text(line: Mapping[str, Any], say: Say) -> str:
    columns = {name: line[name] for name in ("harbors", "monopolies", "bonus", "cash")}
    table = say.table(f"Round {line['round']} is scored.", columns)
    return f"{table}\nMarkers: {marker_words(line['markers'])}."


def side_name(names: Sequence[str], player: int) -> str:
    """Return the name of a seat in text: "Medici (random)", or "you"."""
    return YOU if names[player] == YOU else f"{PLAYER_NAMES[player]} ({names[player]})"


_SHIP = one_of("ship", lambda components: components["ships"]["capacities"])
_HARBOR = one_of("harbor", _harbors)
_TILE = one_of("tile", lambda components: [name for name, *_ in tile_ids(components)])
_ROUND_TEXT = "Round {round} begins; {start_player:shows} the first tile."
_ANSWER = ("player", yes_no("buy"), unrecorded("asked"), unrecorded("cash"))  # asked: 1 = could buy; cash: of the buyer
_LOAD = ("player", _SHIP, _HARBOR, unrecorded("count"), unrecorded("free"))  # free: spaces left on the ship
_LOAD_TEXT = "{player:loads} {tiles} on the ship for {ship} at {harbor}."
_DISCARD = ("player", unrecorded("count"), unrecorded("fitted"))  # fitted: a ship had room for the lot
_CASH = (unrecorded("medici"), unrecorded("strozzi"))  # after the payouts
EVENTS = Events(
    Event("round", (number("round", offset=1), seat("start_player")), _ROUND_TEXT),
    Event("reveal", ("player", _TILE, unrecorded("shown"), unrecorded("left")), "{player:shows} {tile}."),
    Event("price", ("player", "price", unrecorded("tiles")), "{player:names} {price:coin}."),
    Event("answer", _ANSWER, _answer_text),
    Event("load", _LOAD, _LOAD_TEXT, make=_lot, since=_ENDS_LOT),
    Event("discard", _DISCARD, "{player:discards} {tiles}.", make=_lot, since=_ENDS_LOT),
    # the value of each side's load, -1 without a ship; `coins` are paid if there is a winner
    Event("harbor", ("harbor", "medici", "strozzi", "winner", "coins"), recorded=False),
    Event("marker", ("harbor", "type", "position", "steps", "coins"), recorded=False),  # steps: sum of both seats
    Event("score_round", _CASH, _round_text, make=_score_round, hide=_hide_cash),
    Event("score_end", ("player", "cash", "won"), final_text("coins"), by_seat=True, make=_score_end),
    seat_name=side_name,
)
ROUND, REVEAL, PRICE, ANSWER, LOAD, DISCARD, HARBOR, MARKER, SCORE, END = EVENTS.kinds


def marker_words(markers: Mapping[str, Mapping[str, int]]) -> str:
    """Return the positions of all markers as text; M3 is three spaces on Medici's side."""
    return "; ".join(
        f"{harbor} " + ", ".join(f"{kind} {position_word(place)}" for kind, place in tracks.items())
        for harbor, tracks in markers.items()
    )


def position_word(position: int) -> str:
    """Return a marker's position as text: 0, or M or S and the number of spaces from the centre."""
    return f"{PLAYER_NAMES[MEDICI if position > 0 else STROZZI][0]}{abs(position)}" if position else "0"
