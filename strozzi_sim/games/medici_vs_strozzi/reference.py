"""The rules of Medici vs Strozzi, to be read beside the board. Numbers in parentheses are items of the ambiguity list.

Preparation. Three harbors lie between the two families. Each trades two or three types of goods, and for each of
these it has a track with a monopoly marker, which starts in the centre; one side of the track is Medici's, the
other Strozzi's. Each family has three ships, for three, four and five tiles, and 300 coins. There are six tiles of
each of the four types, with the values 0, 1, 2, 3, 4 and 4, and two gold tiles of value 5; all go into the bag.

A turn. The proposer draws a tile from the bag and lays it open on the table, then, if they like, a second one and
then a third, but never more than fit on one of their own ships. They name a price for the whole lot. The other
player buys it for this price, or else the proposer must. The price goes to the bank, which lends without limit or
interest: a player's cash may fall below 0.

Loading. The buyer loads the lot, undivided, onto one of their ships that has room for it, or throws it away. A
ship's first load moors it at a harbor where its owner has no other ship, and there it stays for the round. Then
the buyer is the next proposer, even if they threw the lot away or paid nothing.

End of a round. A round ends at once when all ships of one player are full, or when the bag is empty and the last lot is
sold and loaded. At each harbor the player with the higher sum of values on their ship is paid 20; all its tiles count,
and a tie pays neither player. Then every marker is moved: on a ship in the marker's harbor, each tile of the marker's
type is worth one step towards the ship's owner, or two steps if its value is 0; only the difference between both
players is moved, and a marker stops at the end of its track. Now every marker that is off the centre pays 10 to the
player on whose side it is, plus the bonus of its space.

Three rounds are played. All tiles go back into the bag and all ships come home; the markers stay where they are.
Medici proposes first in the first round, Strozzi in the others. Most cash wins; with equal cash both win.
"""

from collections.abc import Mapping, Sequence
from operator import index
from string import ascii_lowercase
from typing import Any, NamedTuple

from strozzi_sim.game.record_checking import Course, ReferenceGame

FAMILIES = ("Medici", "Strozzi")
SIDES = (1, -1)  # markers on Medici's side have positive positions
PRICES = range(2**53)  # any whole number (9, 10) that all JSON readers keep exactly

Option = bool | int | str | tuple[int, str]


class Tile(NamedTuple):
    """A merchandise tile: the key of its type, and its face value."""

    type: str
    value: int


class Track(NamedTuple):
    """A monopoly track: spaces on each side of the centre, and the bonus by distance from the centre."""

    half_length: int
    bonus: Mapping[int, int]


class Game(ReferenceGame):
    """One game of Medici vs Strozzi, from the first tile to the last coin.

    The kind of a question is "reveal" ("more" or "stop"), "price" (whole coins), "answer" (True = buy), or "place"
    ((ship, harbor), or "discard").
    """

    def __init__(self, components: Mapping[str, Any], tiles: Sequence[Sequence[str]], start_player: int = 0) -> None:
        """Prepare the game and play up to the first question.

        Args:
            components: the component data, with the keys of `components.toml`.
            tiles: for every round, the ids of all tiles in the order in which they leave the bag.
            start_player: proposer of the first lot in round 1 (48, 51).
        """
        rounds, tracks = components["rounds"], components["tracks"]
        self.starters = [start_player] + [FAMILIES.index(name) for name in rounds["starter"][1:]]
        self.tiles = tiles_of(components)
        self.capacities = [index(capacity) for capacity in components["ships"]["capacities"]]
        self.harbors = {harbor["id"]: tuple(harbor["tracks"]) for harbor in components["harbor"]}
        per_track = tracks.get("per_track", {})
        self.tracks = {
            harbor: {goods: _track(per_track.get(f"{harbor}.{goods}", tracks)) for goods in types}  # (58)
            for harbor, types in self.harbors.items()
        }
        scoring, steps, switches = components["scoring"], components["marker_steps"], components["switches"]
        self.majority, self.monopoly = index(scoring["harbor_majority"]), index(scoring["monopoly"])
        self.steps, self.zero_steps = index(steps["other_tile"]), index(steps["value_zero_tile"])
        self.until_moored = switches["round_ends_when"] == "moored"
        self.lone_ship_wins, self.net = switches["lone_worthless_ship_wins"], switches["net_marker_movement"]
        self.buy_without_room = switches["buy_without_room"]
        self.reveal_max = index(rounds["reveal_max"])
        self.round = 0
        self.start_player = self.proposer = start_player
        self.lot: list[str] = []
        self.price: Any = None  # of the lot; None until it is named
        self.buyer: Any = None  # who pays it; None until known
        # ships of each player: capacity -> (harbor, or None if not moored; tiles on board)
        self.ships = [self._fleet() for _ in FAMILIES]
        self.markers = {harbor: dict.fromkeys(types, 0) for harbor, types in self.harbors.items()}
        self.cash = [index(components["money"]["start_cash"]) for _ in FAMILIES]
        self.discards: list[str] = []
        self._orders = tiles
        self._bag: list[str] = []
        self.begin()

    @property
    def bag_left(self) -> int:
        """Number of tiles in the bag."""
        return len(self._bag)

    def _fleet(self) -> dict[int, tuple[str | None, list[str]]]:
        return {capacity: (None, []) for capacity in self.capacities}

    def course(self) -> Course:
        """Play the whole game."""
        for number in range(1, len(self.starters) + 1):  # no round is left out (53)
            self._prepare_round(number)
            while not self._round_is_over():
                yield from self._turn()
            self._score_round()
        self._score_end()  # (55)

    def _prepare_round(self, number: int) -> None:
        """Empty the ships and refill the bag for a round; markers and cash stay (31, 44, 46, 52)."""
        self.round = number
        self.start_player = self.proposer = self.starters[number - 1]  # (48)
        self.ships = [self._fleet() for _ in FAMILIES]
        self.discards = []
        self._bag = list(self._orders[number - 1])
        self.write("round", round=number, start_player=self.start_player)

    def _round_is_over(self) -> bool:
        """Return whether a fleet is full or the bag is empty (22, 23, 25, 28); discarded tiles fill nothing (27)."""
        return not self._bag or any(map(self._is_loaded, self.ships))

    def _is_loaded(self, fleet: Mapping[int, tuple[str | None, list[str]]]) -> bool:
        if self.until_moored:
            return all(tiles for _, tiles in fleet.values())
        return all(len(tiles) == capacity for capacity, (_, tiles) in fleet.items())  # (22)

    def _turn(self) -> Course:
        yield from self._reveal()
        yield from self._name_price()
        yield from self._sell()
        yield from self._place()
        if not self._round_is_over():
            self.proposer = self.buyer  # whatever they paid and did (26, 49, 50)
        self.lot, self.price, self.buyer = [], None, None

    def _room(self, seat: int) -> int:
        """Return the most free spaces on a single ship of `seat`, moored or not (3, 4)."""
        return max(capacity - len(tiles) for capacity, (_, tiles) in self.ships[seat].items())

    def _reveal(self) -> Course:
        """Reveal at least one tile, each further one after seeing the last; none goes back (1, 2, 7, 8)."""
        limit = min(self.reveal_max, self._room(self.proposer))  # even if the other cannot load as many (5)
        self._draw()
        while len(self.lot) < limit and self._bag:  # an empty bag stays empty (24)
            if (yield from self.ask("reveal", self.proposer, ("more", "stop"))) == "stop":
                return
            self._draw()

    def _draw(self) -> None:
        tile = self._bag.pop(0)
        self.lot.append(tile)
        self.write("reveal", player=self.proposer, tile=tile)

    def _name_price(self) -> Course:
        """Name a price: any whole number of coins, also 0 (9, 10, 11)."""
        self.price = yield from self.ask("price", self.proposer, PRICES)
        self.write("price", player=self.proposer, price=self.price)

    def _sell(self) -> Course:
        """Let the other player buy or decline (20); the buyer pays the bank, on credit if necessary (12-18, 21)."""
        other = 1 - self.proposer
        may_buy = self.buy_without_room or self._room(other) >= len(self.lot)  # (14)
        buys = yield from self.ask("answer", other, (True, False) if may_buy else (False,))
        self.buyer = other if buys else self.proposer  # (13)
        self.cash[self.buyer] -= self.price
        self.write("answer", player=other, buy=buys)

    def _place(self) -> Course:
        """Load the whole lot on one ship, or discard it even if it fits (29, 30, 36)."""
        choice = yield from self.ask("place", self.buyer, [*self._berths(self.buyer), "discard"])
        if not isinstance(choice, tuple):
            self.discards += self.lot  # face up, out for this round (31)
            self.write("discard", player=self.buyer, tiles=list(self.lot))
            return
        ship, harbor = choice
        _, aboard = self.ships[self.buyer][ship]
        self.ships[self.buyer][ship] = (harbor, aboard + self.lot)  # moored with the first tile, for good (32, 34)
        self.write("load", player=self.buyer, ship=ship, harbor=harbor, tiles=list(self.lot))

    def _berths(self, seat: int) -> list[tuple[int, str]]:
        """Return the ships with room for the lot and their harbors; a new ship can be begun at any time (33, 35)."""
        fleet = self.ships[seat]
        taken_harbors = [harbor for harbor, _ in fleet.values()]
        berths = []
        for ship, (ship_harbor, aboard) in fleet.items():
            if ship - len(aboard) >= len(self.lot):
                free_harbors = [harbor for harbor in self.harbors if harbor not in taken_harbors]
                berths += [(ship, harbor) for harbor in ([ship_harbor] if ship_harbor else free_harbors)]
        return berths

    def _load_at(self, seat: int, harbor: str) -> list[Tile] | None:
        for ship_harbor, aboard in self.ships[seat].values():
            if ship_harbor == harbor:
                return [self.tiles[tile] for tile in aboard]
        return None

    def _score_round(self) -> None:
        """Compare the loads, then move all markers, then pay the monopolies (41)."""
        harbors, monopolies, bonus = ([0 for _ in FAMILIES] for _ in range(3))
        for harbor in self.harbors:
            winner = self._majority(harbor)
            if winner is not None:
                harbors[winner] += self.majority
        for harbor, types in self.harbors.items():
            for goods in types:  # each harbor has its own track, also for the same goods (45)
                self._move(harbor, goods)
        for harbor, positions in self.markers.items():
            for goods, position in positions.items():
                if position:  # the centre belongs to neither (42)
                    owner = 0 if position * SIDES[0] > 0 else 1
                    monopolies[owner] += self.monopoly
                    bonus[owner] += self.tracks[harbor][goods].bonus.get(abs(position), 0)  # on top (43)
        self.cash = [sum(amounts) for amounts in zip(self.cash, harbors, monopolies, bonus, strict=True)]  # (47)
        markers = {harbor: {**positions} for harbor, positions in self.markers.items()}
        payments = {"harbors": harbors, "monopolies": monopolies, "bonus": bonus}
        self.write("score_round", round=self.round, **payments, markers=markers, cash=list(self.cash))

    def _majority(self, harbor: str) -> int | None:
        """Return the player with the strictly higher sum of all values at the harbor, or None (37).

        No ship counts as 0, but with the switch `lone_worthless_ship_wins` an only ship wins at any value.
        """
        loads = [self._load_at(seat, harbor) for seat in range(len(FAMILIES))]
        present = [seat for seat, load in enumerate(loads) if load is not None]
        if len(present) == 1 and self.lone_ship_wins:
            return present[0]
        medici, strozzi = (sum(tile.value for tile in load or ()) for load in loads)
        if medici == strozzi:
            return None
        return 0 if medici > strozzi else 1

    def _move(self, harbor: str, goods: str) -> None:
        """Move the marker by both players' net steps, or by Medici's first, at most to an end of its track (38, 39)."""
        end = self.tracks[harbor][goods].half_length
        pulls = [side * self._steps(seat, harbor, goods) for seat, side in enumerate(SIDES)]
        if self.net:
            pulls = [sum(pulls)]
        for pull in pulls:
            self.markers[harbor][goods] = max(-end, min(end, self.markers[harbor][goods] + pull))

    def _steps(self, seat: int, harbor: str, goods: str) -> int:
        """Return the steps of the seat's tiles of the track's type, `zero_steps` for value 0; gold has none (40)."""
        load = [tile for tile in self._load_at(seat, harbor) or () if tile.type == goods]
        return sum(self.steps if tile.value else self.zero_steps for tile in load)

    def _score_end(self) -> None:
        """End the game: most cash wins, credit is already deducted; a tie is a shared victory (17, 54)."""
        winners = [seat for seat, cash in enumerate(self.cash) if cash == max(self.cash)]
        self.write("score_end", total=list(self.cash), winners=winners)


def tiles_of(components: Mapping[str, Any]) -> dict[str, Tile]:
    """Return all tiles by id: `dye-0`, with a letter if a type has a value more than once (`dye-4a`), and `gold-a`."""
    values, gold = components["tiles"]["values_per_type"], components["gold"]["key"]
    tiles = {}
    for kind in components["type"]:
        for number, value in enumerate(values):
            letter = ascii_lowercase[values[:number].count(value)] if values.count(value) > 1 else ""
            tiles[f"{kind['key']}-{value}{letter}"] = Tile(kind["key"], index(value))
    for number in range(components["tiles"]["gold_count"]):
        tiles[f"{gold}-{ascii_lowercase[number]}"] = Tile(gold, index(components["tiles"]["gold_value"]))
    return tiles


def _track(data: Mapping[str, Any]) -> Track:
    """Return a track from its data, in which spaces are strings, as all keys in JSON."""
    return Track(index(data["half_length"]), {int(space): index(coins) for space, coins in data["bonus"].items()})
