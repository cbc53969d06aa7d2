"""A seat's knowledge of a game of Strozzi: the read-only View, the observation tensor, and the board as text.

Only chance is hidden in Strozzi: the removed ships, and the orders of the deck and of the tile stack. None of it is in
the state, so every seat knows everything in the state.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numba import float32

from strozzi_sim.game.sentences import seat_words, with_capital
from strozzi_sim.game.slices import Group, Layout, Slice
from strozzi_sim.games.strozzi import state as s
from strozzi_sim.games.strozzi.events import ship_print, ship_words, tile_print, tile_words
from strozzi_sim.kernel.bits import seats_after, sort_first
from strozzi_sim.kernel.jit import jit


@dataclass(frozen=True)
class View:
    """A position as a seat sees it. Ships and tiles are ids; seats count from 0."""

    seat: int  # the observing seat
    players: int  # number of seats
    round: int  # from 1
    start_player: int  # start player of this round
    active: int  # seat that turned the card over
    ship: str | None  # the card turned over last; None if the game has ended
    holder: int | None  # seat whose flag is on the card, or None
    holder_flag: str | None  # that flag, or None
    deck_left: int  # cards left in the round's deck
    flags: tuple[tuple[str, ...], ...]  # flags of each seat in hand; one on the card is not
    ports: Mapping[str, tuple[tuple[int, str, str], ...]]  # port -> (seat, ship, flag) there, fastest first
    tracks: Mapping[str, tuple[tuple[int, ...], ...]]  # city -> for each space the seats there, best first
    display: tuple[str, ...]  # the tiles to choose from
    stack_left: int  # tiles face down
    tiles: tuple[tuple[str, ...], ...]  # tiles taken by each seat, in the order of the components
    coins: tuple[int, ...]  # coins of each seat
    aside: tuple[str, ...]  # ships set aside this round
    over: bool  # the game has ended
    unseen_ships: tuple[str, ...]  # ships not turned over this round, the removed ones among them
    unseen_tiles: tuple[str, ...]  # tiles never shown
    components: Mapping[str, Any] = field(repr=False, compare=False)  # of the variant, as in components.toml


def view_of(state: Any, components: Mapping[str, Any], seat: int) -> View:
    """Return the View of `seat` on a row of concealed states."""
    state = {name: state[name].tolist() for name in state.dtype.names}  # Python numbers and lists are faster to read
    ships = [ship["id"] for ship in components["ships"]]
    tiles = [tile["id"] for tile in components["promotion_tiles"]]
    players, over = state["players"], state["phase"] == s.OVER
    ports, tracks = {}, {}
    for port, name in enumerate(s.PORT_NAMES):
        berths = [state[part][port][: state["ships_at"][port]] for part in ("berth_seat", "berth_ship", "berth_flag")]
        ports[name] = tuple((owner, ships[ship], s.FLAG_NAMES[flag]) for owner, ship, flag in zip(*berths, strict=True))
    for city, name in enumerate(s.CITY_NAMES):
        spaces: list[list[int]] = [[] for _ in range(int(components["tracks"]["top_index"]) + 1)]
        for owner in state["order"][city][:players]:
            spaces[state["position"][city][owner]].append(owner)
        tracks[name] = tuple(tuple(space) for space in spaces)
    unseen_ships = {ships[k] for k in state["unseen_ship"][: state["ships_unseen"]]}
    is_claimed = not over and state["holder"] != s.NOBODY
    ship = None if over else ships[state["ship"]]
    placed = {name for berths in ports.values() for _, name, _ in berths}
    aside = tuple(name for name in ships if name not in unseen_ships and name not in placed and name != ship)
    on_card = (state["holder"], state["holder_flag"]) if is_claimed else None  # in state.hand as well
    hands = [
        tuple(flag for k, flag in enumerate(s.FLAG_NAMES) if hand >> k & 1 and (owner, k) != on_card)
        for owner, hand in enumerate(state["hand"])
    ]
    owned = list(zip(tiles, state["tile_owner"], strict=False))
    return View(
        seat=seat,
        players=players,
        round=state["round"] + 1,
        start_player=state["start_player"],
        active=state["active"],
        ship=ship,
        holder=state["holder"] if is_claimed else None,
        holder_flag=s.FLAG_NAMES[state["holder_flag"]] if is_claimed else None,
        deck_left=state["deck"],
        flags=tuple(hands[:players]),
        ports=ports,
        tracks=tracks,
        display=tuple(tiles[k] for k in state["display"][: state["display_size"]]),
        stack_left=state["tiles_unseen"],
        tiles=tuple(tuple(tile for tile, owner in owned if owner == p) for p in range(players)),
        coins=tuple(state["coins"][:players]),
        aside=aside,
        over=over,
        unseen_ships=tuple(name for name in ships if name in unseen_ships),
        unseen_tiles=tuple(tiles[k] for k in sorted(state["unseen_tile"][: state["tiles_unseen"]])),
        components=components,
    )


def action_name(action: int, view: View) -> str:
    """Return the name of an action, as a player types it."""
    if action == s.PASS:
        return "pass"
    if action < s.PLACE_AT:
        return s.FLAG_NAMES[action - s.CLAIM_WITH]
    if action < s.TAKE_TILE:
        return s.PORT_NAMES[action - s.PLACE_AT]
    return "decline" if action == s.DECLINE_TILE else view.display[action - s.TAKE_TILE]


def meanings(view: View, phase: int) -> dict[str, str]:
    """Return what is printed on each tile to choose from; {} in other phases."""
    return {tile: tile_print(tile, view.components) for tile in view.display} if phase == s.TILE else {}


def question(view: View, phase: int) -> str:
    """Return the pending decision as text."""
    if phase == s.TILE:
        return "Which promotion tile?"
    ship = next(ship for ship in view.components["ships"] if ship["id"] == view.ship)
    card = f"a ship ({ship_print(ship)})"
    if phase == s.CLAIM:
        return f"{with_capital(card)}: pass, or claim it with a flag?"
    if phase == s.PIRACY:
        assert view.holder is not None
        holder = with_capital(seat_words(view.holder, view.players))
        flag = (view.holder_flag or "").replace("_", "-")
        return f"{holder} claims {card}, with the {flag} flag: pass, or take it as a pirate?"
    return f"Yours is {card}: at which port?"


def render(position: Any, components: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the board as text; `position` is a View, or the reference Game, which has the attributes read here."""
    bonus = {int(space): coins for space, coins in components["tracks"]["bonus"].items()}
    top = int(components["tracks"]["top_index"])
    sails = {ship["id"]: ship["sail"] for ship in components["ships"]}
    plus_one_speed = components["flags"]["plus_one_speed"]
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
            f"seat {seat} {ship} {sails[ship] + (plus_one_speed if flag == 'plus_one' else 0)} [{flag}]"
            for seat, ship, flag in position.ports[port]
        ]
        lines.append(f"  {port:<9}" + (" > ".join(ships) or "-"))
    heads = [f"+{bonus[k]}" if k in bonus else str(k) for k in range(top + 1)]
    width = max(3, position.players, *map(len, heads))  # all seats can be on one space
    lines += ["", "Tracks     " + " ".join(f"{head:>{width}}" for head in heads)]
    for city in s.CITY_NAMES:
        spaces = " ".join(f"{(''.join(map(str, space)) or '.'):>{width}}" for space in position.tracks[city])
        lines.append(f"  {city:<9}{spaces}")
    tiles = ", ".join(tile_words(tile, components) for tile in position.display) or "none"
    lines += ["", f"Tiles to choose from: {tiles}", ""]
    values = {tile["id"]: (tile["category"], tile["value"]) for tile in components["promotion_tiles"]}
    name_width = max(len(name) for name in names)
    lines.append(f"Seat {'agent':<{name_width}}  coins  flags                   tiles")
    for seat, name in enumerate(names):
        totals = dict.fromkeys(s.CATEGORIES, 0)
        for tile in position.tiles[seat]:
            category, value = values[tile]
            totals[category] += value
        owned = "  ".join(f"{category} {total}" for category, total in totals.items())
        flags = ", ".join(position.flags[seat]) or "-"
        lines.append(f"{seat:>4} {name:<{name_width}}  {position.coins[seat]:>5}  {flags:<22}  {owned}")
    return "\n".join(lines)


@jit
def conceal(state, rules, seat):
    """Sort unseen ships and tiles, whose order depends on earlier draws, and set unused elements to zero."""
    ships, tiles = state.ships_unseen, state.tiles_unseen
    sort_first(state.unseen_ship, ships)
    sort_first(state.unseen_tile, tiles)
    for k in range(ships, s.MAX_SHIPS):
        state.unseen_ship[k] = 0
    for k in range(tiles, s.MAX_TILES):
        state.unseen_tile[k] = 0
    for slot in range(state.display_size, s.MAX_FACE_UP):
        state.display[slot] = 0
    for port in range(s.PORTS):
        for rank in range(state.ships_at[port], s.SEATS):
            state.berth_seat[port, rank] = 0
            state.berth_speed[port, rank] = 0
            state.berth_ship[port, rank] = 0
            state.berth_flag[port, rank] = 0
    if state.holder == s.NOBODY:
        state.holder_flag = 0


_OF_SEAT = (
    Slice("flags", (len(s.FLAG_NAMES),), "1 = unused, or on a card not taken yet: pirate, plus_one, ware"),
    Slice("free_ports", (s.PORTS,), "1 = the seat has no ship there: venice, rome, naples"),
    Slice("spaces", (s.CITIES,), "space of the marker / highest space: venice, rome, naples, florence"),
    Slice("ranks", (s.CITIES,), "rank of the marker, 1 = best, 0 = last, linear in between"),
    Slice("categories", (len(s.CATEGORIES),), "value of the seat's tiles / 10: art, science, architecture", high=1.5),
    Slice("coins", (), "coins / 300", high=2.0),
    Slice("waiting", (), "in phases claim and piracy: 1 = may decide about the card after the acting seat"),
    Slice("speeds", (s.PORTS,), "sail number of the seat's ship there, the flag included, / 10; 0 = none"),
    Slice("ship_ranks", (s.PORTS,), "rank of that ship, 1 = fastest, in steps of 1 / players; 0 = none"),
)
_OF_TILE = (
    Slice("present", (), "1 = there is a tile"),
    Slice("value", (), "its value / 2"),
    Slice("category", (len(s.CATEGORIES),), "one-hot: art, science, architecture"),
    Slice("ware", (s.PORTS,), "one-hot: venice, rome, naples; all 0 = none"),
)
SLICES = Layout(
    Slice("phase", (4,), "one-hot: claim, piracy, port, tile; all 0 = the game is over"),
    Slice("rounds_played", (), "rounds before this one / rounds"),
    Slice("deck", (), "cards left / cards of the round"),
    Slice("players", (), "players / 6"),
    Slice("active", (s.SEATS,), "one-hot: the seat that turned the card over; 0 = the observer, then clockwise"),
    Slice("holder", (s.SEATS,), "one-hot: the seat whose flag is on the card, counted the same way; all 0 = none"),
    Slice("holder_flag", (len(s.FLAG_NAMES),), "one-hot: that flag: pirate, plus_one, ware"),
    Slice("sail", (), "sail number of the card / 10"),
    Slice("cargo", (s.PORTS,), "symbols on the card / 3: venice, rome, naples"),
    Slice("scrolls", (), "scrolls on the card / 2"),
    Slice("promotion", (), "1 = the card has a promotion symbol"),
    Group(
        "seats", (s.SEATS,), "for each seat, 0 = the observer, then clockwise; 0 for seats not in the game", _OF_SEAT
    ),
    Group("display", (s.MAX_FACE_UP,), "for each tile to choose from, in the order of the actions", _OF_TILE),
    Slice("unseen_ships", (s.MAX_SHIPS,), "for each ship of the components: 1 = not turned over this round"),
    Slice("unseen_tiles", (s.MAX_TILES,), "for each tile of the components: 1 = never shown"),
)
OBSERVATION = SLICES.size
# The first column of each slice (in a group, of its first seat or tile); then the columns per seat and per tile.
at, of_seat, of_tile = SLICES.starts(), SLICES.starts("seats"), SLICES.starts("display")
_NEXT_SEAT, _NEXT_TILE = SLICES["seats"].shape[-1], SLICES["display"].shape[-1]


@jit
def observe(state, rules, seat, out):
    """Write the observation of `seat` into float32 out[OBSERVATION], by SLICES."""
    for k in range(OBSERVATION):
        out[k] = 0
    players = state.players
    if state.phase <= s.TILE:
        out[at.phase + state.phase] = 1
    out[at.rounds_played] = float32(state.round) / float32(rules.rounds)
    out[at.deck] = float32(state.deck) / float32(rules.cards[players])
    out[at.players] = float32(players) / float32(s.SEATS)
    out[at.active + seats_after(seat, state.active, players)] = 1
    if state.holder != s.NOBODY:
        out[at.holder + seats_after(seat, state.holder, players)] = 1
        out[at.holder_flag + state.holder_flag] = 1
    ship = state.ship
    out[at.sail] = float32(rules.sail[ship]) / float32(10)
    for port in range(s.PORTS):
        out[at.cargo + port] = float32(rules.cargo[ship, port]) / float32(3)
    out[at.scrolls] = float32(rules.scrolls[ship]) / float32(2)
    out[at.promotion] = float32(rules.promotion[ship])
    for other in range(players):
        _observe_seat(state, rules, other, out, seats_after(seat, other, players) * _NEXT_SEAT)
    for rank in range(players):
        share = float32(players - 1 - rank) / float32(players - 1)
        for city in range(s.CITIES):
            out[of_seat.ranks + seats_after(seat, state.order[city, rank], players) * _NEXT_SEAT + city] = share
    for port in range(s.PORTS):
        for rank in range(state.ships_at[port]):
            offset = seats_after(seat, state.berth_seat[port, rank], players) * _NEXT_SEAT + port
            out[of_seat.speeds + offset] = float32(state.berth_speed[port, rank]) / float32(10)
            out[of_seat.ship_ranks + offset] = float32(players - rank) / float32(players)
    for slot in range(state.display_size):
        offset = slot * _NEXT_TILE
        tile = state.display[slot]
        out[of_tile.present + offset] = 1
        out[of_tile.value + offset] = float32(rules.tile_value[tile]) / float32(2)
        out[of_tile.category + offset + rules.tile_category[tile]] = 1
        if rules.tile_ware[tile] != s.NO_WARE:
            out[of_tile.ware + offset + rules.tile_ware[tile]] = 1
    for k in range(state.ships_unseen):
        out[at.unseen_ships + state.unseen_ship[k]] = 1
    for k in range(state.tiles_unseen):
        out[at.unseen_tiles + state.unseen_tile[k]] = 1


@jit
def _observe_seat(state, rules, other, out, offset):
    for flag in range(len(s.FLAG_NAMES)):
        out[of_seat.flags + offset + flag] = float32((state.hand[other] >> flag) & 1)
    for port in range(s.PORTS):
        is_free = (state.berths[other] >> port) & 1
        out[of_seat.free_ports + offset + port] = float32(is_free)
    for category in range(len(s.CATEGORIES)):
        out[of_seat.categories + offset + category] = float32(state.tile_total[category, other]) / float32(10)
    for city in range(s.CITIES):
        out[of_seat.spaces + offset + city] = float32(state.position[city, other]) / float32(rules.top)
    out[of_seat.coins + offset] = float32(state.coins[other]) / float32(300)
    out[of_seat.waiting + offset] = float32((state.waiting >> other) & 1)
