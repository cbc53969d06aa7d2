"""The table in a game of Strasbourg: the board, the families, and the outcomes of chance."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from strozzi_sim.game.record_checking import ReferenceGame

Space = tuple[int, int]  # (column, row), both from 1, row 1 on top; a corner is named by its upper left space
Stack = tuple[int, ...]  # card values, highest first
Option = str | tuple[str, Any]

SWITCHES: Mapping[str, tuple[Any, ...]] = {  # F8: the default first, then the alternatives
    "skip_A_round1": (False, True),
    "min_draw": (1, 0),
    "planning": ("simultaneous", "sequential"),
    "return_if_unused": (False, True),
    "building_optional": (True, False),
    "hide_money": (False, True),
    "tie_fulfils": (False, True),
    "seat_optional": (False, True),
}


class Question(NamedTuple):
    """A pending decision.

    Attributes:
        kind: "keep_tasks", "draw", "split", "bid", "seat", "good", "place", "apprentice", "sell", "return_card",
            "chapel" or "edifice" (F6.2 to F6.10).
        seat: the seat that must decide.
        options: the legal choices.
        guild: the guild whose goods are sold or whose step it is, else None.
    """

    kind: str
    seat: int
    options: tuple[Option, ...]
    guild: str | None = None


Play = Generator[Question, Option, None]
Answer = Generator[Question, Option, Any]


def ask(kind: str, seat: int, options: Sequence[Option], guild: str | None = None) -> Answer:
    """Ask `seat` to choose; a single option is taken automatically (F1.6)."""
    if len(options) == 1:
        return options[0]
    return (yield Question(kind, seat, tuple(options), guild))


@dataclass(frozen=True)
class City:
    """The map.

    Attributes:
        columns, rows: size of the grid.
        guilds: the guild of each space, row by row; building sites are not spaces.
        prices: coins by space.
        sites: the building sites, row by row.
        corners: the chapel sites.
    """

    columns: int
    rows: int
    guilds: dict[Space, str]
    prices: dict[Space, int]
    sites: list[Space]
    corners: list[Space]


def _read_city(city: Mapping[str, Any], letters: Mapping[str, str]) -> City:
    """Return the map of the component data."""
    owners, prices = (
        {(column, row): entry for row, line in enumerate(city[name], 1) for column, entry in enumerate(line.split(), 1)}
        for name in ("guild_map", "price_map")
    )
    return City(
        columns=city["columns"],
        rows=city["rows"],
        guilds={space: letters[letter] for space, letter in owners.items() if letter != "#"},
        prices={space: int(price) for space, price in prices.items() if owners[space] != "#"},
        sites=[space for space, letter in owners.items() if letter == "#"],
        corners=[(column, row) for column, row in city["chapel_sites"]],
    )


def beside(space: Space) -> list[Space]:
    """Return the four spaces orthogonally adjacent to one, which may be off the map (R12.1c)."""
    column, row = space
    return [(column, row - 1), (column - 1, row), (column + 1, row), (column, row + 1)]


def around(corner: Space) -> list[Space]:
    """Return the four spaces that meet at a corner (A36)."""
    column, row = corner
    return [(column, row), (column + 1, row), (column, row + 1), (column + 1, row + 1)]


class Table(ReferenceGame):
    """The complete table, including everything behind the screens.

    Attributes:
        players, rounds: numbers of players and of rounds.
        switches: all eight of F8.
        round, step, guild: number of the round, from 1; "A" to "I", None outside the steps; the step's guild or None.
        start_player: seat that holds the marker now.
        round_cards, edifices: ids in the order of the rounds.
        council: player by seat name, None = empty.
        members: the family members in the city: space -> player.
        chapels: corners in the order of building.
        built: building site -> id of its edifice.
        prestige, coins, privileges: numbers by player.
        goods: by player, number by guild.
        dealt, kept: ids of the tasks dealt to each player, and of those kept (None = not chosen yet); both in the order
            of the component file.
        shuffled, under: by player, the cards left of the shuffled deck, top first; the cards put under it later.
        hand, pile: by player, cards drawn and not yet on a stack; the stack under construction (empty after planning).
        stacks, unused: by player, the stacks as planned this round; the numbers of those not used yet, ascending.
        bids: by player, the stack turned over in this step, None = none (yet), and again when its cards are gone.
        queue: players who have not decided yet in this step, in order.
        served: players who have taken a seat, a good or a space, or sold a good, in this step.
        sold: goods sold in this step, by guild.
        out, unseen: by player, cards that left the game in sight, and those that left it in unused stacks.
        planned: by player, whether they have planned this round; all True outside the planning phase.
        visible_decks: by player, (size of the deck, cards known under it) before this planning phase.
        events: the lines of a record so far, without the header.
    """

    def __init__(
        self,
        components: Mapping[str, Any],
        players: int,
        round_cards: Sequence[str],
        edifices: Sequence[str],
        tasks: Sequence[Sequence[str]],
        decks: Sequence[Sequence[int]],
        start_player: int,
    ) -> None:
        if players not in (3, 4, 5):
            raise ValueError(f"strasbourg takes 3-5 players, got {players}")
        if start_player not in range(players):
            raise ValueError(f"start player {start_player} is not one of the seats 0-{players - 1}")
        cards, seats = components["influence_cards"], range(players)
        self.players, self.components = players, components
        self.switches = _switches(components.get("switches", {}))
        self.guild_order: list[str] = list(components["guilds"]["order"])
        self.city = _read_city(components["city"], components["guilds"]["letters"])
        self.guilds_of_card = {card["id"]: card["guilds"] for card in components["round_cards"]}
        self.edifice_points = {edifice["id"]: edifice["points"] for edifice in components["edifices"]}
        self.tasks = {task["id"]: task for task in components["tasks"]}
        self.rounds = len(self.guilds_of_card)  # (A61)
        _check_chance(self, round_cards, edifices, tasks, decks, cards["values"] * cards["copies_of_each"])
        self.round = 0
        self.step: str | None = None
        self.guild: str | None = None
        self.start_player = start_player
        self.round_cards = list(round_cards)  # (R2.1)
        self.edifices = list(edifices[: self.rounds])  # (R2.2)
        self.council: dict[str, int | None] = dict.fromkeys(components["council"]["seats"])
        self.council["nobility"] = start_player  # (R2.5, A1)
        self.council["church"] = (start_player + 1) % players
        self.members: dict[Space, int] = {}
        self.chapels: list[Space] = []
        self.built: dict[Space, str] = {}
        self.prestige = [0] * players
        self.coins = [components["coins"]["start_per_player"]] * players
        self.goods = [dict.fromkeys(self.guild_order, 0) for _ in seats]
        self.privileges = [components["privileges"]["start_per_player"]] * players
        self.dealt = [[task for task in self.tasks if task in hand] for hand in tasks]  # (F5.2)
        self.kept: list[list[str] | None] = [None] * players
        self.shuffled = [list(deck) for deck in decks]
        self.under: list[list[int]] = [[] for _ in seats]
        self.hand: list[list[int]] = [[] for _ in seats]
        self.pile: list[list[int]] = [[] for _ in seats]
        self.stacks: list[list[Stack]] = [[] for _ in seats]
        self.unused: list[list[int]] = [[] for _ in seats]
        self.bids: list[Stack | None] = [None] * players
        self.queue: list[int] = []
        self.served: set[int] = set()
        self.sold: dict[str, int] = {}
        self.out: list[list[int]] = [[] for _ in seats]
        self.unseen: list[list[int]] = [[] for _ in seats]
        self.planned = [True] * players
        self.visible_decks: list[tuple[int, list[int]]] = [(len(deck), []) for deck in decks]

    def clockwise(self, first: int) -> list[int]:
        """Return all seats, clockwise from `first`."""
        return [(first + step) % self.players for step in range(self.players)]

    def deck_size(self, seat: int) -> int:
        """Return the number of cards in the own deck, including returned ones."""
        return len(self.shuffled[seat]) + len(self.under[seat])

    def hidden_stacks(self, seat: int) -> list[Stack]:
        """Return the stacks that are still face down, in the order in which they were planned."""
        return [self.stacks[seat][number] for number in self.unused[seat]]

    def seats_held(self, seat: int) -> int:
        """Return the number of own members in the council."""
        return sum(holder == seat for holder in self.council.values())

    def own_members(self, seat: int) -> set[Space]:
        """Return the spaces of the own members in the city."""
        return {space for space, owner in self.members.items() if owner == seat}

    def edifice_neighbours(self, seat: int) -> dict[str, int]:
        """Return, for each edifice on the board, the number of own members beside it."""
        own = self.own_members(seat)
        return {edifice: sum(space in own for space in beside(site)) for site, edifice in self.built.items()}

    def chapel_neighbours(self, seat: int) -> list[int]:
        """Return, for each chapel, the number of own members that touch it."""
        own = self.own_members(seat)
        return [sum(space in own for space in around(corner)) for corner in self.chapels]


def _switches(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return all switches, with defaults for those not given (F8)."""
    unknown = [name for name in given if name not in SWITCHES]
    if unknown:
        raise ValueError(f"switches are {', '.join(SWITCHES)}, got {unknown[0]}")
    for name, value in given.items():
        if not any(type(value) is type(known) and value == known for known in SWITCHES[name]):
            raise ValueError(f"switch {name} is {' or '.join(map(repr, SWITCHES[name]))}, got {value!r}")
    return {name: given.get(name, values[0]) for name, values in SWITCHES.items()}


def _check_chance(
    table: Table,
    round_cards: Sequence[str],
    edifices: Sequence[str],
    tasks: Sequence[Sequence[str]],
    decks: Sequence[Sequence[int]],
    cards: Sequence[int],
) -> None:
    """Check that the orders are possible results of shuffling."""
    if sorted(round_cards) != sorted(table.guilds_of_card):
        raise ValueError(f"the round cards are {', '.join(table.guilds_of_card)}, each once, got {list(round_cards)}")
    if len(edifices) < table.rounds or not _different(edifices, table.edifice_points):
        raise ValueError(f"{table.rounds} rounds need as many different edifices, got {list(edifices)}")
    number = table.components["tasks_meta"]["dealt_per_player"]
    dealt = [task for hand in tasks for task in hand]
    if [len(hand) for hand in tasks] != [number] * table.players or not _different(dealt, table.tasks):
        raise ValueError(f"each of {table.players} players is dealt {number} tasks, none twice, got {list(tasks)}")
    if [sorted(deck) for deck in decks] != [sorted(cards)] * table.players:
        raise ValueError(f"each of {table.players} decks must hold the cards {sorted(cards)}, got {list(decks)}")


def _different(items: Sequence[str], known: Mapping[str, Any]) -> bool:
    return len(set(items)) == len(items) and all(item in known for item in items)


def subsets(items: Sequence[str], fewest: int, most: int) -> Iterator[tuple[str, ...]]:
    """Yield the subsets of `fewest` to `most` items, in the order of a bit set in which bit i is item i (F6.1)."""
    for bits in range(2 ** len(items)):
        chosen = tuple(item for place, item in enumerate(items) if bits >> place & 1)
        if fewest <= len(chosen) <= most:
            yield chosen
