"""Medici vs Strozzi's journal: the kinds of events, and their translation to the lines of a record.

A row is (kind, a, b, c, d, e); the comments below say what a..e are. HARBOR and MARKER are for facts; a record has
them summed up in its score_round line.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from strozzi_sim.errors import pluralize
from strozzi_sim.game.sentences import YOU, Verb, by_seat, capitalized, verb_of, winners_sentence
from strozzi_sim.games.medici_vs_strozzi.components import tile_ids
from strozzi_sim.games.medici_vs_strozzi.state import MEDICI, PLAYER_NAMES, SEATS, STROZZI

ROUND = 1  #    round (from 0), start player
REVEAL = 2  #   seat, tile, tiles shown with it, tiles left in the bag
PRICE = 3  #    seat, price, tiles of the lot
ANSWER = 4  #   seat, 1 = buys, 1 = was asked (0 = has no room and may not buy), cash of the buyer, who has paid
LOAD = 5  #     seat, ship, harbor, tiles, free spaces left on the ship
DISCARD = 6  #  seat, tiles, 1 = they would have fitted
HARBOR = 7  #   harbor, total of Medici or -1 = absent, total of Strozzi or -1, who is paid or -1, coins
MARKER = 8  #   harbor, type, position after, steps that both made, coins with the bonus (0 = centre)
SCORE = 9  #    cash of Medici, of Strozzi   after a round's payouts
END = 10  #     seat, cash, 1 = won or shared


def to_lines(rows: Any, components: dict[str, Any], players: int) -> Iterator[dict[str, Any]]:
    """The record lines of one game, header excluded, from its journal rows int32[events, WIDTH]."""
    tiles = [name for name, *_ in tile_ids(components)]
    capacities = components["ships"]["capacities"]
    harbors = [harbor["id"] for harbor in components["harbor"]]
    types = [kind["key"] for kind in components["type"]]
    monopoly = components["scoring"]["monopoly"]
    round_number = 0
    lot: list[str] = []
    paid = {source: [0] * SEATS for source in ("harbors", "monopolies", "bonus")}  # in this round
    totals: list[int] = []
    winners: list[int] = []
    markers: dict[str, dict[str, int]] = {}
    for kind, a, b, c, d, e in rows.tolist():
        if kind == ROUND:
            round_number = a + 1
            yield {"type": "round", "round": round_number, "start_player": b}
        elif kind == REVEAL:
            lot.append(tiles[b])
            yield {"type": "reveal", "player": a, "tile": tiles[b]}
        elif kind == PRICE:
            yield {"type": "price", "player": a, "price": b}
        elif kind == ANSWER:
            yield {"type": "answer", "player": a, "buy": b == 1}
        elif kind == LOAD:
            yield {"type": "load", "player": a, "ship": capacities[b], "harbor": harbors[c], "tiles": lot}
            lot = []
        elif kind == DISCARD:
            yield {"type": "discard", "player": a, "tiles": lot}
            lot = []
        elif kind == HARBOR:
            if d >= 0:
                paid["harbors"][d] += e
        elif kind == MARKER:
            markers.setdefault(harbors[a], {})[types[b]] = c
            if c:
                owner = MEDICI if c > 0 else STROZZI
                paid["monopolies"][owner] += monopoly
                paid["bonus"][owner] += e - monopoly
        elif kind == SCORE:
            yield {
                "type": "score_round", "round": round_number, **paid,
                "markers": {
                    harbor["id"]: {name: markers[harbor["id"]][name] for name in harbor["tracks"]}
                    for harbor in components["harbor"]
                },
                "cash": [a, b],
            }  # fmt: skip
            paid, markers = {source: [0] * SEATS for source in paid}, {}
        elif kind == END:
            totals.append(b)
            if c:
                winners.append(a)
            if len(totals) == SEATS:
                yield {"type": "score_end", "total": totals, "winners": winners}


def visible(line: dict[str, Any], components: Mapping[str, Any], viewer: int) -> dict[str, Any]:
    """All is seen by both, but cash with the switch `hidden_cash`: then a seat sees its own (19)."""
    if line["type"] != "score_round" or not components["switches"]["hidden_cash"]:
        return line
    return {**line, "cash": [cash if seat == viewer else None for seat, cash in enumerate(line["cash"])]}


def describe(line: Mapping[str, Any], names: Sequence[str], components: Mapping[str, Any]) -> str:
    """One line of a record in words; `names` says who sits where."""
    if "player" in line:
        seat = line["player"]
        return capitalized(f"{side_name(names, seat)} {_deed(line, verb_of(names, seat))}.")
    kind, who = line["type"], [side_name(names, seat) for seat in range(SEATS)]
    if kind == "round":
        start = line["start_player"]
        return f"Round {line['round']} begins; {who[start]} {verb_of(names, start)('shows')} the first tile."
    if kind == "score_round":
        columns = {name: line[name] for name in ("harbors", "monopolies", "bonus", "cash")}
        table = by_seat(f"Round {line['round']} is scored.", who, columns)
        return f"{table}\nMarkers: {marker_words(line['markers'])}."
    if kind == "score_end":
        winners = winners_sentence([who[seat] for seat in line["winners"]])
        return f"{by_seat('The game ends.', who, {'coins': line['total']})}\n{winners}"
    return str(dict(line))


def side_name(names: Sequence[str], seat: int) -> str:
    """Medici or Strozzi and who plays them; "you" is enough."""
    return YOU if names[seat] == YOU else f"{PLAYER_NAMES[seat]} ({names[seat]})"


def _deed(line: Mapping[str, Any], does: Verb) -> str:
    """What a player does, after the name."""
    kind = line["type"]
    if kind == "reveal":
        return f"{does('shows')} {line['tile']}"
    if kind == "price":
        return f"{does('names')} {pluralize(line['price'], 'coin')}"
    if kind == "answer":
        return does("buys" if line["buy"] else "declines")
    if kind == "load":
        return f"{does('loads')} {', '.join(line['tiles'])} on the ship for {line['ship']} at {line['harbor']}"
    return f"{does('discards')} {', '.join(line['tiles'])}"


def marker_words(markers: Mapping[str, Mapping[str, int]]) -> str:
    """All markers in a few words: M3 = three spaces on Medici's side."""
    return "; ".join(
        f"{harbor} " + ", ".join(f"{kind} {position_word(place)}" for kind, place in tracks.items())
        for harbor, tracks in markers.items()
    )


def position_word(position: int) -> str:
    """A marker's place: 0, or the side and the spaces from the centre."""
    return "0" if position == 0 else f"{PLAYER_NAMES[position < 0][0]}{abs(position)}"
