"""The table in a game of Strasbourg: the board, the families, and the outcomes of chance."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from strozzi_sim.game.record_checking import ReferenceGame

Space = tuple[int, int]  # (column, row), both from 1, row 1 on top; a corner is named by its upper left space
Stack = tuple[int, ...]  # card values, highest first
Option = str | tuple[str, Any]
Ids = Sequence[str]


class PendingChoice(NamedTuple):
    """A pending decision."""

    # "keep_tasks", "draw", "split", "bid", "seat", "good", "place", "apprentice", "sell", "return_card", "chapel" or
    # "edifice" (F6.2 to F6.10)
    kind: str
    seat: int  # the seat that must decide
    options: tuple[Option, ...]  # the legal choices
    guild: str | None = None  # of the goods on sale; of the step for "seat", "good", "place", "apprentice"; else None


Play = Generator[PendingChoice, Option, None]
Answer = Generator[PendingChoice, Option, Any]


def ask(kind: str, seat: int, options: Sequence[Option], guild: str | None = None) -> Answer:
    """Ask `seat` to choose; a single option is taken automatically (F1.6)."""
    if len(options) == 1:
        return options[0]
    return (yield PendingChoice(kind, seat, tuple(options), guild))


@dataclass(frozen=True)
class City:
    """The map."""

    columns: int
    rows: int
    guilds: dict[Space, str]  # the guild of each space, row by row; building sites are not spaces
    prices: dict[Space, int]  # coins by space
    sites: list[Space]  # the building sites, row by row
    corners: list[Space]  # the chapel sites


def _read_city(city: Mapping[str, Any], letters: Mapping[str, str]) -> City:
    owners, prices = (_by_space(city[name]) for name in ("guild_map", "price_map"))
    guilds = {space: letters[letter] for space, letter in owners.items() if letter != "#"}
    coins = {space: int(prices[space]) for space in guilds}
    sites = [space for space, letter in owners.items() if letter == "#"]
    corners = [(column, row) for column, row in city["chapel_sites"]]
    return City(city["columns"], city["rows"], guilds, coins, sites, corners)


def _by_space(rows: Sequence[str]) -> dict[Space, str]:
    return {(column, row): mark for row, line in enumerate(rows, 1) for column, mark in enumerate(line.split(), 1)}


def beside(space: Space) -> list[Space]:
    """Return the four spaces orthogonally adjacent to one, which may be off the map (R12.1c)."""
    column, row = space
    return [(column, row - 1), (column - 1, row), (column + 1, row), (column, row + 1)]


def around(corner: Space) -> list[Space]:
    """Return the four spaces that meet at a corner (A36)."""
    column, row = corner
    return [(column, row), (column + 1, row), (column, row + 1), (column + 1, row + 1)]


class FullTable(ReferenceGame):
    """The complete table, including all behind the screens; a list is by player unless its comment says otherwise."""

    def __init__(
        self,
        components: Mapping[str, Any],
        players: int,
        round_cards: Ids,
        edifices: Ids,
        tasks: Sequence[Ids],
        decks: Sequence[Sequence[int]],
        start_player: int = 0,
    ) -> None:
        """Prepare the game and run on to the first question.

        Args:
            components: the component data of a record (F7).
            players: number of players, 3 to 5.
            round_cards: ids of all round cards, in the order of the rounds.
            edifices: ids of edifices, in the order of the rounds; those beyond the last round are unused.
            tasks: for each player the ids of the tasks dealt, in any order.
            decks: for each player the values of all influence cards, top card first.
            start_player: seat that holds the marker first (R2.4).
        """
        self.players, seats = players, range(players)
        self.read(components)
        self.round = 0  # from 1; 0 while tasks are chosen
        self.step: str | None = None  # "A" to "I", None outside the steps
        self.guild: Any = None  # of the step
        self.start_player = start_player  # seat that holds the marker now
        self.round_cards = list(round_cards)  # by round (R2.1)
        self.edifices = list(edifices[: self.rounds])  # by round (R2.2)
        self.council: dict[str, Any] = dict.fromkeys(components["council"]["seats"])  # None = empty
        self.council["nobility"] = start_player  # (R2.5, A1)
        self.council["church"] = (start_player + 1) % players
        self.members: dict[Space, int] = {}  # the family members in the city: space -> player
        self.chapels: list[Space] = []  # corners in the order of building
        self.built: dict[Space, str] = {}  # building site -> id of its edifice
        self.prestige = [0] * players
        self.coins = [components["coins"]["start_per_player"]] * players
        self.goods = [dict.fromkeys(self.guild_order, 0) for _ in seats]
        self.privileges = [components["privileges"]["start_per_player"]] * players
        # In the order of the file (F5.2).
        self.dealt = [[task for task in self.tasks if task in hand] for hand in tasks]
        self.kept: list[list[str] | None] = [None] * players  # of those dealt, in this order, None = not chosen yet
        self.shuffled = [list(deck) for deck in decks]  # cards left of the shuffled deck, top first
        self.under: list[list[int]] = [[] for _ in seats]  # cards put under it later
        self.hand: list[list[int]] = [[] for _ in seats]  # cards drawn and not yet on a stack
        self.pile: list[list[int]] = [[] for _ in seats]  # the stack under construction
        self.stacks: list[list[Stack]] = [[] for _ in seats]  # as planned this round
        self.unused: list[list[int]] = [[] for _ in seats]  # numbers of the stacks not used yet, ascending
        # the stack turned over in this step; None before the bid, after a pass, and when its cards are gone
        self.bids: list[Stack | None] = [None] * players
        self.queue: list[int] = []  # players who have not decided yet in this step, in order
        self.served: set[int] = set()  # players who have taken a seat, good or space, or sold a good, in this step
        self.sold: dict[str, int] = {}  # goods sold in this step, by guild
        self.lost: list[list[int]] = [[] for _ in seats]  # cards that left the game in sight
        self.unseen: list[list[int]] = [[] for _ in seats]  # cards that left the game in unused stacks
        self.planned = [True] * players  # whether they have planned this round; all True outside the planning phase
        # what rivals see until plans are public: (size of the deck, cards known under it) when planning began
        self.visible_decks: list[tuple[int, list[int]]] = [(len(deck), []) for deck in decks]
        self.scores: list[int] = []  # totals; empty until the game is over
        self.winners: list[int] = []  # winning seats; empty until the game is over
        self.begin()

    def read(self, components: Mapping[str, Any]) -> None:
        """Read the component data."""
        self.components = components
        self.switches = components["switches"]  # F8
        self.guild_order: list[str] = list(components["guilds"]["order"])
        self.city = _read_city(components["city"], components["guilds"]["letters"])
        self.guilds_of_card = {card["id"]: card["guilds"] for card in components["round_cards"]}
        self.edifice_points = {edifice["id"]: edifice["points"] for edifice in components["edifices"]}
        self.tasks = {task["id"]: task for task in components["tasks"]}
        self.rounds = len(self.guilds_of_card)  # (A61)

    def clockwise(self, first: int) -> list[int]:
        """Return all seats, clockwise from `first`."""
        return [(first + step) % self.players for step in range(self.players)]

    @property
    def decks(self) -> list[int]:
        """The number of cards in each deck, including returned ones."""
        return [len(cards) + len(under) for cards, under in zip(self.shuffled, self.under, strict=True)]

    @property
    def stack_sizes(self) -> list[list[int]]:
        """The sizes of each player's stacks that are still face down, greatest first."""
        return [sorted(map(len, self.hidden_stacks(seat)), reverse=True) for seat in range(self.players)]

    @property
    def shown(self) -> list[list[int]]:
        """The cards that each player has turned over this round."""
        round_start = max((k for k, line in enumerate(self.events) if line["type"] == "round"), default=0)
        bids = [line for line in self.events[round_start:] if line["type"] == "bid"]
        shown: list[list[int]] = [[] for _ in range(self.players)]
        for line in bids:
            shown[line["player"]] += line["stack"] or ()
        return shown

    @property
    def chapels_left(self) -> int:
        """The number of chapels in the pool."""
        return int(self.components["chapels"]["count"]) - len(self.chapels)

    def hidden_stacks(self, seat: int) -> list[Stack]:
        """Return the stacks that are still face down, in the order in which they were planned."""
        return [self.stacks[seat][number] for number in self.unused[seat]]

    def seats_held(self, seat: int) -> int:
        """Return the number of the seat's members in the council."""
        return sum(holder == seat for holder in self.council.values())

    def own_members(self, seat: int) -> set[Space]:
        """Return the spaces of the seat's members in the city."""
        return {space for space, owner in self.members.items() if owner == seat}

    def edifice_neighbours(self, seat: int) -> dict[str, int]:
        """Return, for each edifice on the board, the number of the seat's members beside it."""
        members = self.own_members(seat)
        return {edifice: sum(space in members for space in beside(site)) for site, edifice in self.built.items()}

    def chapel_neighbours(self, seat: int) -> list[int]:
        """Return, for each chapel, the number of the seat's members that touch it."""
        members = self.own_members(seat)
        return [sum(space in members for space in around(corner)) for corner in self.chapels]


def subsets(items: Sequence[str], fewest: int, most: int) -> Iterator[tuple[str, ...]]:
    """Yield the subsets of `fewest` to `most` items, in the order of a bit set in which bit i is item i (F6.1)."""
    for bits in range(2 ** len(items)):
        chosen = tuple(item for k, item in enumerate(items) if bits >> k & 1)
        if fewest <= len(chosen) <= most:
            yield chosen
