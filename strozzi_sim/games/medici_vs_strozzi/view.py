"""A seat's knowledge of a game of Medici vs Strozzi: the read-only View, the observation tensor, the board as text.

Only the order of the tiles in the bag is hidden; the state does not contain it. With the switch `hidden_cash` the
rival's cash is hidden, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numba import float32

from strozzi_sim.errors import pluralize
from strozzi_sim.game.sentences import written_rules
from strozzi_sim.game.slices import Group, Layout, Slice
from strozzi_sim.games.medici_vs_strozzi import state as s
from strozzi_sim.games.medici_vs_strozzi.components import tile_ids
from strozzi_sim.games.medici_vs_strozzi.events import position_word
from strozzi_sim.kernel.bits import sort_first
from strozzi_sim.kernel.jit import jit

Ship = tuple[str | None, tuple[str, ...]]


@dataclass(frozen=True)
class View:
    """A position as a seat sees it. Tiles and harbors are ids; seat 0 is Medici, seat 1 Strozzi."""

    seat: int  # the observing seat
    players: int  # 2
    round: int  # from 1
    start_player: int  # seat that led this round
    proposer: int  # seat that shows tiles and names the price
    lot: tuple[str, ...]  # the tiles on the table
    price: int | None  # price of the lot, or None until it is named
    buyer: int | None  # seat that bought the lot, or None until it is sold
    ships: tuple[Mapping[int, Ship], ...]  # of each seat: capacity -> (harbor or None, tiles on it)
    markers: Mapping[str, Mapping[str, int]]  # harbor -> type -> position, positive on Medici's side
    cash: tuple[int | None, ...]  # of each seat, negative on credit; None if hidden (switch hidden_cash)
    discards: tuple[str, ...]  # tiles out of this round
    bag_left: int  # number of tiles in the bag
    unseen: tuple[str, ...]  # tiles in the bag, in the order of the components
    over: bool  # the game has ended
    components: Mapping[str, Any] = field(repr=False, compare=False)  # of the variant, with the keys of components.toml


def view_of(state: Any, components: Mapping[str, Any], seat: int) -> View:
    """Return the View of `seat`; `state` is one row of states concealed for it."""
    state = {name: state[name].tolist() for name in state.dtype.names}  # Python numbers and lists are faster to read
    tiles = [name for name, *_ in tile_ids(components)]
    harbors = [harbor["id"] for harbor in components["harbor"]]
    types = [kind["key"] for kind in components["type"]]
    phase, placed = state["phase"], list(zip(tiles, state["location"], strict=False))

    def tiles_at(place: int) -> tuple[str, ...]:
        return tuple(tile for tile, location in placed if location == place)

    def ship(p: int, k: int) -> Ship:
        harbor = state["harbor"][p][k]
        return None if harbor == s.NO_HARBOR else harbors[harbor], tiles_at(p * s.MAX_SHIPS + k)

    capacities = components["ships"]["capacities"]
    markers = {}
    for harbor, places in zip(components["harbor"], state["position"], strict=False):
        markers[harbor["id"]] = {name: places[types.index(name)] for name in harbor["tracks"]}
    return View(
        seat=seat,
        players=state["players"],
        round=state["round"] + 1,
        start_player=state["start_player"],
        proposer=state["proposer"],
        lot=tuple(tiles[k] for k in state["lot"][: state["shown"]]),
        price=state["price"] if phase in (s.ANSWER, s.PLACE) else None,
        buyer=state["buyer"] if phase == s.PLACE else None,
        ships=tuple({size: ship(p, k) for k, size in enumerate(capacities)} for p in range(s.SEATS)),
        markers=markers,
        cash=tuple(None if cash == s.UNKNOWN_CASH else cash for cash in state["cash"]),
        discards=tiles_at(s.DISCARDED),
        bag_left=state["unseen"],
        unseen=tiles_at(s.IN_BAG),
        over=phase == s.OVER,
        components=components,
    )


_NAMES = {s.REVEAL_MORE: "more", s.STOP: "stop", s.BUY: "buy", s.DECLINE: "decline", s.DISCARD: "discard"}


def action_name(action: int, view: View) -> str:
    """Return the name of an action, as a player types it: `more`, `17`, `buy`, `5@H1`, `discard`."""
    if action >= s.NAME_PRICE:
        return str(action - s.NAME_PRICE)
    if action >= s.LOAD:
        ship, harbor = divmod(action - s.LOAD, s.MAX_HARBORS)
        return f"{view.components['ships']['capacities'][ship]}@{view.components['harbor'][harbor]['id']}"
    return _NAMES[action]


def caution(action: int, view: View) -> str:
    """Return a warning about a price or purchase beyond the cash of the seat, or ""."""
    price = action - s.NAME_PRICE if action >= s.NAME_PRICE else view.price if action == s.BUY else 0
    cash = view.cash[view.seat]
    if not price or cash is None or cash >= price:
        return ""
    unless_bought = "" if action == s.BUY else f"if {s.PLAYER_NAMES[1 - view.seat]} declines, "
    return f"You have {pluralize(cash, 'coin')}; {unless_bought}this leaves you with {cash - price}."


def question(view: View, phase: int) -> str:
    """Return the pending decision as text."""
    lot = ", ".join(view.lot)
    if phase == s.REVEAL:
        return f"On the table: {lot}. Another tile (more), or name a price (stop)?"
    if phase == s.PRICE:
        return f"{lot}: which price, in coins?"
    if phase == s.ANSWER:
        return f"{lot} for {pluralize(view.price or 0, 'coin')}: buy, or decline?"
    are = "are" if len(view.lot) > 1 else "is"
    return f"{lot} {are} yours: on which ship, at which harbor (ship@harbor), or discard?"


def short_rules(components: Mapping[str, Any], players: int) -> str:
    """Return a summary of the rules."""
    moored = components["switches"]["round_ends_when"] == "moored"
    end = "every ship of a player holds a tile" if moored else "all ships of a player are full"
    return written_rules(str(__package__), components, harbors=len(components["harbor"]), end=end)


def render(position: Any, components: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the board as text; `position` is a View, or the reference Game, which has the attributes read here."""
    lines = [
        f"Round {position.round} of {components['rounds']['count']}, {position.bag_left} tiles left in the bag, "
        f"{len(position.discards)} discarded"
    ]
    if position.lot and not position.over:
        price = "" if position.price is None else f" for {position.price} coins"
        lines.append(f"{s.PLAYER_NAMES[position.proposer]} shows {', '.join(position.lot)}{price}")
    face_values = {name: number for name, _, number in tile_ids(components)}
    for harbor in components["harbor"]:
        lines += ["", harbor["id"]]
        for seat, player in enumerate(s.PLAYER_NAMES):
            for capacity, (ship_harbor, tiles) in position.ships[seat].items():
                if ship_harbor == harbor["id"]:
                    total = sum(face_values[tile] for tile in tiles)
                    load = ", ".join(tile for tile in face_values if tile in tiles)  # in component order
                    lines.append(f"  {player:<8} ship for {capacity}: {load} = {total}, {capacity - len(tiles)} free")
        for kind in harbor["tracks"]:
            track = components["tracks"].get("per_track", {}).get(f"{harbor['id']}.{kind}", components["tracks"])
            half_length, bonus_spaces = track["half_length"], {int(space) for space in track["bonus"]}
            place = position.markers[harbor["id"]][kind]
            spaces = " ".join(
                "X" if k == place else "|" if k == 0 else "+" if abs(k) in bonus_spaces else "."
                for k in range(half_length, -half_length - 1, -1)
            )
            lines.append(f"  {kind:<8} M {spaces} S   {position_word(place)}")
    lines.append("")
    width = max(len(name) for name in names)
    for seat, (player, name) in enumerate(zip(s.PLAYER_NAMES, names, strict=True)):
        empty = [f"{capacity}" for capacity, (ship_harbor, _) in position.ships[seat].items() if ship_harbor is None]
        cash = "?" if position.cash[seat] is None else position.cash[seat]
        lines.append(f"{player:<8} {name:<{width}}  {cash:>5} coins   not moored: {', '.join(empty) or '-'}")
    return "\n".join(lines)


@jit
def conceal(state, rules, seat):
    """Sort the tiles of the bag, whose order depends on earlier draws, and set unused elements to zero.

    With the switch `hidden_cash` (19) the rival's cash is UNKNOWN_CASH until the game is over.
    """
    phase, unseen = state.phase, state.unseen
    sort_first(state.unseen_tile, unseen)
    for k in range(unseen, s.MAX_TILES):
        state.unseen_tile[k] = 0
    for k in range(state.shown, s.MAX_REVEAL):
        state.lot[k] = 0
    if phase != s.ANSWER and phase != s.PLACE:
        state.price = 0
    if phase != s.PLACE:
        state.buyer = 0
    if phase == s.PRICE:
        state.legal = 0
    if rules.hidden_cash and phase != s.OVER:
        state.cash[1 - seat] = s.UNKNOWN_CASH


@jit
def determinize(state, rules, seat, rng):
    """Assume that hidden cash of the rival is as much as the seat's own; the seat keeps no accounts (19)."""
    if rules.hidden_cash and state.phase != s.OVER:
        state.cash[1 - seat] = state.cash[seat]


_OF_SEAT = (
    Slice("cash", (), "coins / 300, below 0 on credit; 0 where hidden", low=-31.0, high=4.0),
    Slice("room", (), "largest free space on one ship / 5"),
    Slice("loaded", (), "tiles loaded / spaces of the fleet"),
    Slice("moored", (), "ships moored / ships"),
    Slice("ships", (s.MAX_SHIPS, 2), "for each ship: free spaces / 5, capacity / 5"),
    Slice("moored_at", (s.MAX_SHIPS, s.MAX_HARBORS), "for each ship and harbor: 1 = it is moored there"),
    Slice("values", (s.MAX_HARBORS,), "for each harbor: value of the load there / 20", high=1.2),
    Slice("steps", (s.MAX_HARBORS, s.MAX_TYPES), "for each harbor and type: steps loaded / 5", high=1.2),
)
_OF_TRACK = (
    Slice("position", (), "position of the marker / half the track's length, above 0 on the observer's side", low=-1.0),
    Slice("half_length", (), "half the track's length / 10"),
    Slice("bonus", (), "bonus of the marker's space / 20"),
)
SLICES = Layout(
    Slice("phase", (4,), "one-hot: reveal, price, answer, place; all 0 = the game is over"),
    Slice("rounds_played", (), "rounds before this one / rounds"),
    Slice("bag", (), "tiles in the bag / tiles"),
    Slice("proposes", (), "1 = the observer shows tiles and names the price"),
    Slice("led", (), "1 = the observer led the round"),
    Slice("shown", (), "tiles shown / most tiles of a lot"),
    Slice("price", (), "price of the lot / 100; 0 unless it is answered or placed", high=1.2),
    Slice("cash_hidden", (), "1 = the rival's cash is hidden"),
    Slice("lot_value", (), "value of the lot / 10", high=1.5),
    Slice("spare", (4,), "reserved, 0", high=0.0),
    Group("seats", (s.SEATS,), "for each seat: 0 = the observer, 1 = the rival", _OF_SEAT),
    Group("tracks", (s.MAX_HARBORS, s.MAX_TYPES), "for each harbor and type; 0 without a track", _OF_TRACK),
    Slice("lot", (s.MAX_TILES,), "for each tile of the components: 1 = in the lot"),
    Slice("unseen", (s.MAX_TILES,), "for each tile of the components: 1 = in the bag"),
)
OBSERVATION = SLICES.size
# First column of each slice, in a group for its first element; and the columns from one element to the next:
at, of_seat, of_track = SLICES.starts(), SLICES.starts("seats"), SLICES.starts("tracks")
_NEXT_SEAT, _NEXT_TRACK = SLICES["seats"].shape[-1], SLICES["tracks"].shape[-1]


@jit
def observe(state, rules, seat, out):
    """Write the observation of `seat`, laid out as SLICES, into float32 out[OBSERVATION]."""
    for k in range(OBSERVATION):
        out[k] = 0
    phase = state.phase
    if phase < s.OVER:
        out[at.phase + phase] = 1
    shown = state.shown
    out[at.rounds_played] = float32(state.round) / float32(rules.rounds)
    out[at.bag] = float32(state.unseen) / float32(rules.tiles)
    out[at.proposes] = float32(state.proposer == seat)
    out[at.led] = float32(state.start_player == seat)
    out[at.shown] = float32(shown) / float32(rules.reveal_max)
    if phase in (s.ANSWER, s.PLACE):
        out[at.price] = float32(state.price) / float32(100)
    out[at.cash_hidden] = float32(rules.hidden_cash)
    value = 0
    for k in range(shown):
        tile = state.lot[k]
        value += rules.tile_value[tile]
        out[at.lot + tile] = 1
    out[at.lot_value] = float32(value) / float32(10)
    for k in range(s.SEATS):
        _observe_seat(state, rules, seat ^ k, out, k * _NEXT_SEAT, k == 1 and rules.hidden_cash)
    side = 1 if seat == s.MEDICI else -1
    for harbor in range(rules.harbors):
        for kind in range(rules.types):
            half_length = rules.half_length[harbor, kind]
            if half_length > 0:
                offset = (harbor * s.MAX_TYPES + kind) * _NEXT_TRACK
                position = state.position[harbor, kind]
                out[of_track.position + offset] = float32(side * position) / float32(half_length)
                out[of_track.half_length + offset] = float32(half_length) / float32(10)
                out[of_track.bonus + offset] = float32(rules.bonus[harbor, kind, abs(position)]) / float32(20)
    for k in range(state.unseen):
        out[at.unseen + state.unseen_tile[k]] = 1


@jit
def _observe_seat(state, rules, seat, out, offset, hidden):
    out[of_seat.cash + offset] = float32(0) if hidden else float32(state.cash[seat]) / float32(300)
    out[of_seat.room + offset] = float32(state.room[seat]) / float32(5)
    out[of_seat.loaded + offset] = float32(state.loaded[seat]) / float32(rules.capacity_total)
    out[of_seat.moored + offset] = float32(state.moored[seat]) / float32(rules.ships)
    for ship in range(rules.ships):
        out[of_seat.ships + offset + 2 * ship] = float32(state.free[seat, ship]) / float32(5)
        out[of_seat.ships + offset + 2 * ship + 1] = float32(rules.capacity[ship]) / float32(5)
        harbor = state.harbor[seat, ship]
        if harbor != s.NO_HARBOR:
            out[of_seat.moored_at + offset + ship * s.MAX_HARBORS + harbor] = 1
    for harbor in range(rules.harbors):
        out[of_seat.values + offset + harbor] = float32(state.value[seat, harbor]) / float32(20)
        for kind in range(rules.types):
            steps = float32(state.steps[seat, harbor, kind])
            out[of_seat.steps + offset + harbor * s.MAX_TYPES + kind] = steps / float32(5)
