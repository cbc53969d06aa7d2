"""The rules of Strozzi, to be read beside the board. Numbers in brackets are items of the ambiguities list.

Preparation. Each player owns three flags (pirate, plus one, ware) and one marker in each of the cities
Venice, Rome, Naples and Florence, set on the lowest space. A few promotion tiles lie open, the others form
a stack. Every round some ship cards, more of them with fewer players, are taken out unseen; the rest is the
deck.

A turn. The active player turns up the top ship. Beginning with that player and going round once, each player who
has a flag left either passes or claims the ship by putting one flag on it. A pirate flag wins the ship at
once. After any other flag, players who have not yet answered for this ship and own a pirate flag may
still snatch it; the first who does wins it, and the claimant takes the flag back. If all players pass, the
ship is out for this round and the same player turns up the next one.

Taking a ship. The winner puts the ship with its flag at one of the three ports where they have no ship this
round. Ships at a port lie in order of speed, the fastest first; among equals the earlier one is ahead. The
plus one flag makes a ship one faster. Their marker in that port goes up one space for each of that port's
goods on the ship, and one more with the ware flag; their Florence marker goes up one space per scroll. A
marker never goes beyond the top space, and it queues on the right of those already on its space. A ship
with a promotion symbol lets its owner pick an open tile, which is replaced from the stack; a good shown on
the tile moves their marker in that port by one. Then the next player to the winner's left who has a flag
begins a turn.

End of a round. It ends when all flags are used or the deck is empty. In each port the owners of the fastest
ships, and in each city the owners of the highest markers that left the start, are paid the prizes. Markers
on a bonus space earn that bonus too. Flags and ships come back, markers and tiles stay, and the leader at
Florence starts the next round.

End of the game. For each category the highest sums of promotion tiles are paid. Most coins win. In all ties
the better marker at Florence decides.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from strozzi_sim.game.record_checking import Course, ReferenceGame

FLAGS = ("pirate", "plus_one", "ware")
CATEGORIES = ("art", "science", "architecture")
PORTS = ("venice", "rome", "naples")
CITIES = (*PORTS, "florence")


class Game(ReferenceGame):
    """One game of Strozzi, from the first display of tiles to the ranking.

    A flag on a ship is not in `flags`. While a tile is chosen, `ship` and `holder` still name the
    ship just placed and its owner.
    """

    def __init__(
        self,
        components: Mapping[str, Any],
        players: int,
        ships: Sequence[Sequence[str]],
        tiles: Sequence[str],
        start_player: int = 0,
        powerless: Collection[tuple[int, str]] = (),
    ) -> None:
        """Prepare the game and play up to the first decision.

        Args:
            components: the component data, with the keys of `components.toml`.
            players: number of players.
            ships: ship ids of the deck for every round, top card first.
            tiles: the ids of all promotion tiles; the first ones are the display, then comes the stack.
            start_player: seat that begins round 1 (7).
            powerless: seats with a flag that only claims ships, as if it had no power; none by the rules.
        """
        removed = _by_number(components["setup"]["cards_removed"])
        if players not in removed:  # (79)
            raise ValueError(f"strozzi takes {min(removed)}-{max(removed)} players, got {players}")
        face_up = components["setup"]["promotion_tiles_face_up"]
        self.rules, self.prizes = components["rules"], components["scoring"]
        self.flag_effects, self.rounds = components["flags"], components["setup"]["rounds"]
        self.cards = {card["id"]: card for card in components["ships"]}
        self.tile_data = {tile["id"]: tile for tile in components["promotion_tiles"]}
        self.bonus = _by_number(components["tracks"]["bonus"])
        self.top = components["tracks"]["top_index"]
        self.deck_size = max(0, len(components["ships"]) - removed[players])  # (5)
        self.players = players
        self.round = 0
        self.start_player = start_player
        self.powerless = powerless
        self.active = start_player
        self.ship: Any = None
        self.holder: Any = None
        self.holder_flag: Any = None
        self.deck_left = 0
        self.flags: list[list[str]] = [[] for _ in range(players)]
        self.ports: dict[str, list[tuple[int, str, str]]] = {port: [] for port in PORTS}
        self.tracks = {city: self._start_track() for city in CITIES}
        self.display = list(tiles[:face_up])  # (6)
        self.stack = list(tiles[face_up:])
        self.tiles: list[list[str]] = [[] for _ in range(players)]
        self.coins = [0] * players  # the bank is never empty (8)
        self.aside: list[str] = []
        self._ships = ships
        self.begin()

    @property
    def stack_left(self) -> int:
        """Number of promotion tiles in the stack."""
        return len(self.stack)

    def _clockwise(self, first: int) -> list[int]:
        """Return all seats clockwise from `first`."""
        return [(first + step) % self.players for step in range(self.players)]

    def _start_track(self) -> list[list[int]]:
        """Return a city's track: all markers on the lowest space, the start player leftmost by default (1, 2, 3)."""
        order = self._clockwise(self.start_player)
        if self.rules["start_order"] == "reverse":
            order.reverse()
        return [order] + [[] for _ in range(self.top)]

    def course(self) -> Course:
        """Play the whole game."""
        self.write("tiles", display=list(self.display))
        for number in range(1, self.rounds + 1):
            self._prepare_round(number)
            while self.deck_left and any(self.flags):  # (60)
                yield from self._turn()
            self._score_round()
        self._score_end()  # (69)

    def _prepare_round(self, number: int) -> None:
        """Give all flags back and deal the ships again; markers, tiles and coins stay (56, 72)."""
        if number > 1:
            self.start_player = self._ranking("florence")[0]  # (63)
        self.round = number
        self.active = self.start_player
        self.deck_left = self.deck_size
        self.flags = [list(FLAGS) for _ in range(self.players)]
        self.ports = {port: [] for port in PORTS}
        self.aside = []
        self.write("round", round=number, start_player=self.start_player)

    def _turn(self) -> Course:
        self._reveal()
        yield from self._poll()
        if self.holder is None:
            self._set_aside()
        else:
            yield from self._place_ship(self.holder)
            self._pass_turn(self.holder)
        self.ship = self.holder = self.holder_flag = None

    def _reveal(self) -> None:
        """Reveal the top ship, before any decision (9)."""
        deck = self._ships[self.round - 1] if self.round <= len(self._ships) else ()
        drawn = self.deck_size - self.deck_left
        if drawn >= len(deck):
            raise IndexError(f"the ships given for round {self.round} end after {len(deck)} cards")
        self.ship = deck[drawn]
        self.deck_left -= 1
        self.write("reveal", player=self.active, ship=self.ship)

    def _set_aside(self) -> None:
        """Set the unclaimed ship aside for this round; the same player reveals again (23, 24)."""
        self.aside.append(self.ship)
        self.write("set_aside", ship=self.ship)

    def _pass_turn(self, taker: int) -> None:
        """Pass the turn to the first seat on the taker's left with a flag, the taker last (18, 58)."""
        self.active = next((seat for seat in self._clockwise(taker + 1) if self.flags[seat]), self.active)

    def _poll(self) -> Course:
        """Ask the seats with a flag clockwise from the active player whether they claim the ship (10, 20, 25, 59)."""
        for seat in self._clockwise(self.active):
            if self.flags[seat]:
                yield from self._offer(seat, self.flags[seat])
            if self.holder == seat:
                yield from self._poll_pirates(seat)
                return

    def _poll_pirates(self, claimant: int) -> Course:
        """Ask the seats between claimant and active player (`second_lap`: all others) to snatch it (13, 15, 19, 21)."""
        end = claimant if self.rules["second_lap"] else self.active
        for seat in self._clockwise(claimant + 1):
            if seat == end or (self.holder_flag == "pirate" and self._has_power(self.holder, "pirate")):
                return  # a pirate is final (12, 16)
            if "pirate" in self.flags[seat]:  # (14)
                yield from self._offer(seat, ["pirate"] if self._has_power(seat, "pirate") else [])

    def _has_power(self, seat: int, flag: str) -> bool:
        return (seat, flag) not in self.powerless

    def _offer(self, seat: int, flags: Sequence[str]) -> Course:
        """Let `seat` pass or put one of `flags` on the ship; a flag that was there goes back (11, 17)."""
        choice = yield from self.ask("claim", seat, ("pass", *flags))
        flag = None if choice == "pass" else choice
        self.write("claim", player=seat, flag=flag)
        if flag is None:
            return
        if self.holder is not None:
            self.flags[self.holder].append(self.holder_flag)
            self.flags[self.holder].sort(key=FLAGS.index)
        self.flags[seat].remove(flag)
        self.holder, self.holder_flag = seat, flag

    def _place_ship(self, seat: int) -> Course:
        """Place the ship, move in the port, at Florence, then take the tile (45); all moves are compulsory (44)."""
        port = yield from self.ask("place", seat, tuple(self._free_ports(seat)))  # (27)
        self._moor(port, seat, self.ship, self.holder_flag)
        card = self.cards[self.ship]
        self._move(port, seat, card[port] + self._ware_flag_steps(card[port]))  # (35, 38)
        self._move("florence", seat, card["scrolls"])  # (43)
        if card["promotion"] and self.display:  # one tile at most (48); no tile left, no effect (55)
            yield from self._take_tile(seat)

    def _free_ports(self, seat: int) -> list[str]:
        """Return the ports to choose from: one ship per player and port, useful or not, none at Florence (28-30)."""
        return [port for port in PORTS if all(owner != seat for owner, _, _ in self.ports[port])]

    def _moor(self, port: str, seat: int, ship: str, flag: str) -> None:
        """Place a ship below all ships that are at least as fast; the order of the others stays (31, 33)."""
        speed = self._speed(seat, ship, flag)
        quay = self.ports[port]
        ahead = sum(self._speed(*other) >= speed for other in quay)
        quay.insert(ahead, (seat, ship, flag))
        self.write("place", player=seat, ship=ship, flag=flag, port=port, speed=speed)

    def _speed(self, seat: int, ship: str, flag: str) -> int:
        """Return the sail number; only the plus one flag changes it, for all comparisons (32, 34)."""
        is_faster = flag == "plus_one" and self._has_power(seat, flag)
        extra = self.flag_effects["plus_one_speed"] if is_faster else 0
        return int(self.cards[ship]["sail"] + extra)

    def _ware_flag_steps(self, goods: int) -> int:
        """Return the ware flag's steps: at the ship's port only (37), by default even without goods for it (36)."""
        if self.holder_flag != "ware" or (self.rules["ware_flag_needs_match"] and not goods):
            return 0
        if not self._has_power(self.holder, "ware"):
            return 0
        return int(self.flag_effects["ware_steps"])

    def _move(self, city: str, seat: int, steps: int) -> None:
        """Move a marker to the right end of the space reached; the markers left behind close up (39, 40)."""
        track = self.tracks[city]
        start = next(index for index, space in enumerate(track) if seat in space)
        end = min(start + steps, self.top)
        if end != start:  # a marker that does not move keeps its place on the space (41, 42)
            track[start].remove(seat)
            track[end].append(seat)

    def _take_tile(self, seat: int) -> Course:
        """Take one of the open tiles, never from the stack (49); declining is a variant (47)."""
        declining = [None] if self.rules["tile_optional"] else []
        tile = yield from self.ask("take_tile", seat, (*self.display, *declining))
        replacement = None
        if tile is not None:
            replacement = self._refill(tile)
            self.tiles[seat].append(tile)  # for all to see (57)
        self.write("take_tile", player=seat, tile=tile, replacement=replacement)
        if tile is not None and self.tile_data[tile]["ware"]:
            self._move(self.tile_data[tile]["ware"], seat, 1)  # whatever the ship's port (50, 51, 52, 53)

    def _refill(self, tile: str) -> str | None:
        """Replace the tile by the top of the stack at once; without a stack the display shrinks (54, 55)."""
        slot = self.display.index(tile)
        replacement = self.stack.pop(0) if self.stack else None
        self.display[slot : slot + 1] = [] if replacement is None else [replacement]
        return replacement

    def _ranking(self, city: str, lowest: int = 0) -> list[int]:
        """Return the seats, highest marker first, from space `lowest` up; on one space the left one is higher (46)."""
        return [seat for space in reversed(self.tracks[city][lowest:]) for seat in space]

    def _score_round(self) -> None:
        """Pay ships, markers and bonus spaces; tiles do not count yet (57, 68)."""
        ships, markers, bonus = ([0] * self.players for _ in range(3))
        for port in PORTS:
            _pay(ships, [seat for seat, _, _ in self.ports[port]], self.prizes["ship_ranks"])  # (64)
        for city in CITIES:
            _pay(markers, self._ranking(city, lowest=1), self.prizes["marker_ranks"])  # (65)
            if city != "florence" or self.rules["florence_bonus"]:  # (67)
                self._pay_bonus(bonus, city)
        self.coins = [sum(amounts) for amounts in zip(self.coins, ships, markers, bonus, strict=True)]
        payments = {"ships": ships, "markers": markers, "bonus": bonus}
        self.write("score_round", round=self.round, **payments, total=list(self.coins))

    def _pay_bonus(self, purse: list[int], city: str) -> None:
        """Pay every marker of a city on a bonus space, each round and whatever its rank; never on the start (66)."""
        for space in range(1, self.top + 1):
            for seat in self.tracks[city][space]:
                purse[seat] += self.bonus.get(space, 0)

    def _score_end(self) -> None:
        """Pay the promotion tiles and rank the players; Florence breaks all ties (62, 70)."""
        florence = self._ranking("florence")
        promotion = [0] * self.players
        for category in CATEGORIES:
            sums = [self._promotion_value(seat, category) for seat in range(self.players)]
            ranked = sorted(florence, key=sums.__getitem__, reverse=True)  # keeps the order of equals
            if not self.rules["zero_total_scores"]:  # (61)
                ranked = [seat for seat in ranked if sums[seat]]
            _pay(promotion, ranked, self.prizes["category_ranks"])
        self.coins = [before + prize for before, prize in zip(self.coins, promotion, strict=True)]
        ranking = sorted(florence, key=self.coins.__getitem__, reverse=True)
        self.write("score_end", promotion=promotion, total=list(self.coins), ranking=ranking)

    def _promotion_value(self, seat: int, category: str) -> int:
        tiles = [self.tile_data[tile] for tile in self.tiles[seat]]
        return sum(tile["value"] for tile in tiles if tile["category"] == category)


def _by_number(table: Mapping[Any, int]) -> dict[int, int]:
    """Return the table with integer keys; JSON has them as text."""
    return {int(key): value for key, value in table.items()}


def _pay(purse: list[int], ranked: Sequence[int], prizes: Sequence[int]) -> None:
    """Pay the first of `ranked` the first prize, and so on; prizes without a taker are not paid."""
    for seat, prize in zip(ranked, prizes, strict=False):
        purse[seat] += prize
