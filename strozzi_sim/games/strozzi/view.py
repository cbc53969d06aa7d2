"""What a seat may know of a game of Strozzi: the read-only View, the observation tensor, and a picture in text.

Only chance is hidden in Strozzi: which ships were removed, the order of the deck, the order of the tile stack. The
state holds none of it, so a View shows all that a concealed state holds, and that is all that anybody may know.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numba import float32

from strozzi_sim.games.strozzi import state as s
from strozzi_sim.games.strozzi.events import ship_words, tile_words
from strozzi_sim.games.strozzi.state import (
    CITIES,
    MAX_FACE_UP,
    MAX_SHIPS,
    MAX_TILES,
    NO_WARE,
    NOBODY,
    OVER,
    PORTS,
    SEATS,
    TILE,
)
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.sorting import sort_first


@dataclass(frozen=True)
class View:
    """A position as a seat sees it. Ships and tiles are ids; seats count from 0.

    Attributes:
        seat: who looks. players: number of seats. round: from 1. start_player: of this round.
        active: seat that turned the card over. ship: the card in question, or None.
        holder, holder_flag: whose flag lies on it, and which, or None.
        deck_left: cards left in the round's deck.
        flags: for each seat the flags in hand; one that lies on the card is not.
        ports: port -> (seat, ship, flag) of the ships there, fastest first.
        tracks: city -> for each space the seats whose markers stand there, best first.
        display: the tiles to choose from. stack_left: tiles face-down. tiles: for each seat the tiles it took.
        coins: for each seat. aside: ships set aside this round. over: whether the game has ended.
        unseen_ships: ships not turned over this round, the removed ones among them.
        unseen_tiles: tiles never shown.
        components: the component data of the variant, as in components.toml.
    """

    seat: int
    players: int
    round: int
    start_player: int
    active: int
    ship: str | None
    holder: int | None
    holder_flag: str | None
    deck_left: int
    flags: tuple[tuple[str, ...], ...]
    ports: Mapping[str, tuple[tuple[int, str, str], ...]]
    tracks: Mapping[str, tuple[tuple[int, ...], ...]]
    display: tuple[str, ...]
    stack_left: int
    tiles: tuple[tuple[str, ...], ...]
    coins: tuple[int, ...]
    aside: tuple[str, ...]
    over: bool
    unseen_ships: tuple[str, ...]
    unseen_tiles: tuple[str, ...]
    components: Mapping[str, Any] = field(repr=False, compare=False)


def view_of(state: Any, components: Mapping[str, Any], seat: int) -> View:
    """The View of `seat` on a row of concealed states; it keeps `components`."""
    state = {name: state[name].tolist() for name in state.dtype.names}  # plain numbers and lists are quick to read
    ships = [ship["id"] for ship in components["ships"]]
    tiles = [tile["id"] for tile in components["promotion_tiles"]]
    players = int(state["players"])
    over = int(state["phase"]) == OVER
    ports = {
        name: tuple(
            (
                int(state["berth_seat"][port][k]),
                ships[state["berth_ship"][port][k]],
                s.FLAG_NAMES[state["berth_flag"][port][k]],
            )
            for k in range(int(state["ships_at"][port]))
        )
        for port, name in enumerate(s.PORT_NAMES)
    }
    tracks = {}
    for city, name in enumerate(s.CITY_NAMES):
        spaces: list[list[int]] = [[] for _ in range(int(components["tracks"]["top_index"]) + 1)]
        for marker in state["order"][city][:players]:
            spaces[int(state["position"][city][marker])].append(int(marker))
        tracks[name] = tuple(tuple(space) for space in spaces)
    unseen_ships = {ships[k] for k in state["unseen_ship"][: int(state["ships_unseen"])]}
    held = not over and int(state["holder"]) != NOBODY
    ship = None if over else ships[int(state["ship"])]
    placed = {ship for berths in ports.values() for _, ship, _ in berths}
    in_question = ship if ship not in placed else None
    aside = tuple(name for name in ships if name not in unseen_ships and name not in placed and name != in_question)
    owners = state["tile_owner"]
    lies = (int(state["holder"]), int(state["holder_flag"]))  # on the card, no longer in the hand
    return View(
        seat=seat,
        players=players,
        round=int(state["round"]) + 1,
        start_player=int(state["start_player"]),
        active=int(state["active"]),
        ship=ship,
        holder=int(state["holder"]) if held else None,
        holder_flag=s.FLAG_NAMES[state["holder_flag"]] if held else None,
        deck_left=int(state["deck"]),
        flags=tuple(
            tuple(
                flag
                for k, flag in enumerate(s.FLAG_NAMES)
                if int(state["hand"][p]) >> k & 1 and not (held and (p, k) == lies)
            )
            for p in range(players)
        ),
        ports=ports,
        tracks=tracks,
        display=tuple(tiles[k] for k in state["display"][: int(state["display_size"])]),
        stack_left=int(state["tiles_unseen"]),
        tiles=tuple(tuple(tile for k, tile in enumerate(tiles) if int(owners[k]) == p) for p in range(players)),
        coins=tuple(int(coins) for coins in state["coins"][:players]),
        aside=aside,
        over=over,
        unseen_ships=tuple(name for name in ships if name in unseen_ships),
        unseen_tiles=tuple(tiles[k] for k in sorted(state["unseen_tile"][: int(state["tiles_unseen"])])),
        components=components,
    )


# -- actions by name -------------------------------------------------------------------------------------------------


def action_name(action: int, view: View) -> str:
    """An action in words, as a person at the table would say it."""
    if action == s.PASS:
        return "pass"
    if action < s.PLACE_AT:
        return s.FLAG_NAMES[action - s.CLAIM_WITH]
    if action < s.TAKE_TILE:
        return s.PORT_NAMES[action - s.PLACE_AT]
    return "decline" if action == s.DECLINE_TILE else view.display[action - s.TAKE_TILE]


def question(view: View, phase: int) -> str:
    """What the seat is asked, in words."""
    if phase == s.CLAIM:
        return f"{view.ship}: pass, or claim it with a flag?"
    if phase == s.PIRACY:
        return f"Seat {view.holder} claims {view.ship} with the {view.holder_flag} flag: pass, or take it as a pirate?"
    return f"{view.ship} is yours: at which port?" if phase == s.PORT else "Which promotion tile?"


# -- a picture in text -----------------------------------------------------------------------------------------------


def render(position: Any, components: Mapping[str, Any], names: Sequence[str]) -> str:
    """The board in text; `position` is a View, or the reference Game, which has the same attributes."""
    bonus = {int(space): coins for space, coins in components["tracks"]["bonus"].items()}
    top = int(components["tracks"]["top_index"])
    speed = {ship["id"]: ship["sail"] for ship in components["ships"]}
    plus = components["flags"]["plus_one_speed"]
    lines = [
        f"Round {position.round} of {components['setup']['rounds']}, {position.deck_left} cards left in the deck, "
        f"{position.stack_left} tiles in the stack"
    ]
    if position.ship and not position.over:
        lines.append(f"Card of seat {position.active}   {ship_words(position.ship, components)}")
        if position.holder is not None:
            lines.append(f"Claimed by seat {position.holder} with the {position.holder_flag} flag")
    lines += ["", "Ports (fastest first)"]
    for port in s.PORT_NAMES:
        ships = [
            f"seat {seat} {ship} {speed[ship] + (plus if flag == 'plus_one' else 0)} [{flag}]"
            for seat, ship, flag in position.ports[port]
        ]
        lines.append(f"  {port:<9}" + (" > ".join(ships) or "-"))
    cells = ["".join(str(seat) for seat in range(position.players))] + [str(k) for k in range(top + 1)]
    width = max(3, *(len(cell) for cell in cells))
    heads = " ".join(f"{(f'+{bonus[k]}' if k in bonus else str(k)):>{width}}" for k in range(top + 1))
    lines += ["", f"Tracks     {heads}"]
    for city in s.CITY_NAMES:
        spaces = " ".join(f"{(''.join(map(str, space)) or '.'):>{width}}" for space in position.tracks[city])
        lines.append(f"  {city:<9}{spaces}")
    tiles = ", ".join(tile_words(tile, components) for tile in position.display) or "none"
    lines += ["", f"Tiles to choose from: {tiles}", ""]
    values = {tile["id"]: (tile["category"], tile["value"]) for tile in components["promotion_tiles"]}
    longest = max(len(name) for name in names)
    lines.append(f"Seat {'agent':<{longest}}  coins  flags                   tiles")
    for seat, name in enumerate(names):
        totals = dict.fromkeys(s.CATEGORIES, 0)
        for tile in position.tiles[seat]:
            category, value = values[tile]
            totals[category] += value
        owned = "  ".join(f"{category} {total}" for category, total in totals.items())
        lines.append(
            f"{seat:>4} {name:<{longest}}  {position.coins[seat]:>5}  {', '.join(position.flags[seat]) or '-':<22}  {owned}"
        )
    return "\n".join(lines)


# -- what a seat knows ----------------------------------------------------------------------------------------------


@jit
def conceal(state, rules, seat):
    """Unseen ships and tiles in component-file order, not that of earlier draws; unused places are zero.

    Nothing but chance is hidden in Strozzi, so every seat knows the same.
    """
    ships, tiles = state.ships_unseen, state.tiles_unseen
    sort_first(state.unseen_ship, ships)
    sort_first(state.unseen_tile, tiles)
    for k in range(ships, MAX_SHIPS):
        state.unseen_ship[k] = 0
    for k in range(tiles, MAX_TILES):
        state.unseen_tile[k] = 0
    for slot in range(state.display_size, MAX_FACE_UP):
        state.display[slot] = 0
    for port in range(PORTS):
        for rank in range(state.ships_at[port], SEATS):
            state.berth_seat[port, rank] = 0
            state.berth_speed[port, rank] = 0
            state.berth_ship[port, rank] = 0
            state.berth_flag[port, rank] = 0
    if state.holder == NOBODY:
        state.holder_flag = 0


@jit
def determinize(state, rules, seat, rng):
    """Nothing is left to draw: chance to come is in no state."""


# -- the observation tensor ------------------------------------------------------------------------------------------
# Seats are relative: k = 0 is the observing seat, k = 1 sits on its left; seats that do not exist are zeros.
PER_SEAT = 25
PER_SLOT = 8
FIRST_SEAT = 28
FIRST_SLOT = FIRST_SEAT + SEATS * PER_SEAT
FIRST_SHIP = FIRST_SLOT + MAX_FACE_UP * PER_SLOT
FIRST_TILE = FIRST_SHIP + MAX_SHIPS
OBSERVATION = FIRST_TILE + MAX_TILES
#   0- 3  phase, one-hot: CLAIM, PIRACY, PORT, TILE
#   4     rounds played / rounds;  5 cards left / cards of the round;  6 players / 6
#   7-12  active seat, one-hot;  13-18 holder, one-hot;  19-21 the holder's flag, one-hot
#  22-27  the card: sail / 10; venice, rome, naples symbols / 3; scrolls / 2; promotion symbol
#  28+    for each seat k: 3 flags in hand, 3 free ports, 4 marker spaces / top, 4 marker ranks (1 = best, 0 = last),
#         3 category totals / 10, coins / 300, still to be asked, 3 speeds of own ships / 10, 3 ranks of them (1 = fastest)
#  178+   for each slot of the display: present, value / 2, category one-hot (3), ware one-hot (3)
#  226+   for each ship: not turned over this round;  290+ for each tile: never shown


@jit
def observe(state, rules, seat, out):
    """Write what `seat` sees into float32 out[OBSERVATION]; the indices are listed above."""
    for k in range(OBSERVATION):
        out[k] = 0
    players = state.players
    if state.phase <= TILE:
        out[state.phase] = 1
    out[4] = float32(state.round) / float32(rules.rounds)
    out[5] = float32(state.deck) / float32(rules.cards[players])
    out[6] = float32(players) / float32(SEATS)
    out[7 + (state.active - seat + players) % players] = 1
    if state.holder != NOBODY:
        out[13 + (state.holder - seat + players) % players] = 1
        out[19 + state.holder_flag] = 1
    ship = state.ship
    out[22] = float32(rules.sail[ship]) / float32(10)
    for port in range(PORTS):
        out[23 + port] = float32(rules.cargo[ship, port]) / float32(3)
    out[26] = float32(rules.scrolls[ship]) / float32(2)
    out[27] = float32(rules.promotion[ship])
    for k in range(players):
        _observe_seat(state, rules, (seat + k) % players, out, FIRST_SEAT + k * PER_SEAT)
    last = float32(players - 1)
    for city in range(CITIES):
        for rank in range(players):
            k = (state.order[city, rank] - seat + players) % players
            out[FIRST_SEAT + k * PER_SEAT + 10 + city] = float32(players - 1 - rank) / last
    for port in range(PORTS):
        for rank in range(state.ships_at[port]):
            first = FIRST_SEAT + (state.berth_seat[port, rank] - seat + players) % players * PER_SEAT
            out[first + 19 + port] = float32(state.berth_speed[port, rank]) / float32(10)
            out[first + 22 + port] = float32(players - rank) / float32(players)
    for slot in range(state.display_size):
        first = FIRST_SLOT + slot * PER_SLOT
        tile = state.display[slot]
        out[first] = 1
        out[first + 1] = float32(rules.tile_value[tile]) / float32(2)
        out[first + 2 + rules.tile_category[tile]] = 1
        if rules.tile_ware[tile] != NO_WARE:
            out[first + 5 + rules.tile_ware[tile]] = 1
    for k in range(state.ships_unseen):
        out[FIRST_SHIP + state.unseen_ship[k]] = 1
    for k in range(state.tiles_unseen):
        out[FIRST_TILE + state.unseen_tile[k]] = 1


@jit
def _observe_seat(state, rules, other, out, first):
    for k in range(3):
        out[first + k] = float32((state.hand[other] >> k) & 1)
        out[first + 3 + k] = float32((state.berths[other] >> k) & 1)
        out[first + 14 + k] = float32(state.tile_total[k, other]) / float32(10)
    for city in range(CITIES):
        out[first + 6 + city] = float32(state.position[city, other]) / float32(rules.top)
    out[first + 17] = float32(state.coins[other]) / float32(300)
    out[first + 18] = float32((state.waiting >> other) & 1)
