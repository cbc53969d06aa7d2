"""Scripted games of Strasbourg for tests: decks made to measure, planned rounds, random games."""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scripted import lines, say, shipped, with_switches
from strozzi_sim.games.strasbourg.reference import Game
from strozzi_sim.games.strasbourg.reference_table import Option, Space

ABOUT = ("provenance", "source", "how", "how_points", "text", "name")  # where the data comes from (F7)


def _without_provenance(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_provenance(value) for key, value in data.items() if key not in ABOUT}
    return [_without_provenance(value) for value in data] if isinstance(data, list) else data


BASE = _without_provenance(shipped("strasbourg"))
PLAYERS = (3, 4, 5)
FLIPPED: dict[str, Any] = {  # every switch at its other value
    "skip_A_round1": True, "min_draw": 0, "planning": "sequential", "return_if_unused": True, "building_optional": False,
    "hide_money": True, "tie_fulfils": True, "seat_optional": True,
}  # fmt: skip
SETTINGS: list[dict[str, Any]] = [{}, *({name: value} for name, value in FLIPPED.items()), FLIPPED]

Stacks = Sequence[Sequence[int]]
Plan = Mapping[int, Stacks]  # seat -> the stacks of a round, in the order of F5.4


def base_components(**switches: Any) -> dict[str, Any]:
    """A copy of the shipped components, with some switches changed."""
    return with_switches(BASE, "switches", switches)


def deck(components: Mapping[str, Any], rounds: Sequence[Stacks | None] = ()) -> list[int]:
    """All influence cards of a family: those of the stacks of `rounds` on top, the lowest one left for a None; then the rest."""
    cards = components["influence_cards"]
    rest = sorted(cards["values"] * cards["copies_of_each"])
    for stacks in rounds:
        for stack in stacks or ():
            for card in stack:
                rest.remove(card)
    idle = components.get("switches", {}).get("min_draw", 1)
    first: list[int] = []
    for stacks in rounds:
        first += [rest.pop(0) for _ in range(idle)] if stacks is None else [card for stack in stacks for card in stack]
    return [*first, *rest]


class Scene:
    """A game in which the rounds are planned beforehand. Where nothing is said everybody does as little as possible.

    Attributes:
        game: the reference game.
    """

    def __init__(
        self,
        players: int,
        *plans: Plan,
        keep: Mapping[int, Sequence[str]] | None = None,
        dealt: Sequence[Sequence[str]] | None = None,
        start: int = 0,
        components: dict[str, Any] | None = None,
        round_cards: Sequence[str] | None = None,
        edifices: Sequence[str] | None = None,
        privileges: Sequence[int] | None = None,
        ready: bool = True,
        **switches: Any,
    ) -> None:
        """Begin; `ready` leaves the choice of tasks and the first planning phase behind."""
        components = components or base_components(**switches)
        self.plans, self.keep = plans, keep or {}
        ids = [task["id"] for task in components["tasks"]]
        number = components["tasks_meta"]["dealt_per_player"]
        self.game = Game(
            components,
            players,
            round_cards or [card["id"] for card in components["round_cards"]],
            edifices or [edifice["id"] for edifice in components["edifices"]],
            dealt or [ids[number * seat : number * (seat + 1)] for seat in range(players)],
            [deck(components, [plan.get(seat) for plan in plans]) for seat in range(players)],
            start,
        )
        self.game.privileges = list(privileges or self.game.privileges)
        if ready:
            self.rest(lambda: self.asked in ("keep_tasks", "draw", "split"))

    @property
    def asked(self) -> str | None:
        """The kind of the question."""
        return self.game.question.kind if self.game.question else None

    def rest(self, condition: Any) -> "Scene":
        """As little as possible as long as the condition holds."""
        while not self.game.over and condition():
            self.game.play(self.least())
        return self

    def least(self) -> Option:
        """The option that does least, as planned in a planning phase."""
        game = self.game
        assert game.question is not None
        kind, seat, options, _ = game.question
        plan = self.plans[game.round - 1].get(seat) if 0 < game.round <= len(self.plans) else None
        if kind == "keep_tasks" and seat in self.keep:
            return ("keep", tuple(self.keep[seat]))
        if kind == "draw" and plan is not None:
            return "stop" if len(game.hand[seat]) == sum(map(len, plan)) else "draw"
        if kind == "split" and plan is not None:
            stack, pile = plan[len(game.stacks[seat])], game.pile[seat]
            return "close" if len(stack) == len(pile) else ("add", stack[len(pile)])
        return options[0]

    def say(self, *steps: tuple[int, Option]) -> "Scene":
        """Let the seats choose; each must be the one that is asked."""
        say(self.game, *steps)
        return self

    def to(self, step: str | None, number: int = 1) -> "Scene":
        """On to the first question of a step, None = of the planning phase."""
        return self.rest(lambda: (self.game.round, self.game.step) != (number, step))

    def bid(self, **bids: Sequence[int]) -> "Scene":
        """Everybody bids in this step as told, `p0=[5, 2]`; others pass. Ends at the next other question."""
        here = (self.game.round, self.game.step)
        while self.asked == "bid" and (self.game.round, self.game.step) == here:
            seat = self.game.actor
            stack = bids.pop(f"p{seat}", None)
            self.game.play("pass" if stack is None else ("reveal", tuple(stack)))
        assert not bids, f"never asked: {bids}"
        return self

    def bid_in(self, step: str, number: int = 1, **bids: Sequence[int]) -> "Scene":
        """The same in a step to come."""
        return self.to(step, number).bid(**bids)

    def skip(self) -> "Scene":
        """As little as possible to the end of this step."""
        here = (self.game.round, self.game.step)
        return self.rest(lambda: (self.game.round, self.game.step) == here)

    def to_end(self) -> "Scene":
        """As little as possible to the end of the game."""
        return self.rest(lambda: True)

    def lines(self, kind: str, **fields: Any) -> list[dict[str, Any]]:
        """All lines of one type with these fields."""
        return [line for line in lines(self.game, kind) if all(line[key] == value for key, value in fields.items())]


def lines_of_step(game: Game, step: str, number: int = 1) -> list[dict[str, Any]]:
    """The lines of one step of a round, the step's own line first."""
    here, found = 0, []
    current = None
    for line in game.events:
        if line["type"] == "round":
            here = line["round"]
        current = {"step": line.get("step"), "round": None, "council": None}.get(line["type"], current)
        if (here, current) == (number, step):
            found.append(line)
    return found


def deal(components: Mapping[str, Any], players: int, dice: random.Random, start: int = 0) -> Game:
    """A game with everything shuffled (F6.13)."""
    cards, edifices, tasks = (
        dice.sample(ids, len(ids))
        for ids in ([entry["id"] for entry in components[block]] for block in ("round_cards", "edifices", "tasks"))
    )
    number = components["tasks_meta"]["dealt_per_player"]
    hands = [tasks[number * seat : number * (seat + 1)] for seat in range(players)]
    decks = [dice.sample(deck(components), len(deck(components))) for _ in range(players)]
    return Game(components, players, cards, edifices, hands, decks, start)


def choose(game: Game, dice: random.Random, eagerness: float = 0.0) -> Option:
    """One of the legal options, all alike (F6.12); with `eagerness` more cards and stacks, and more done with them."""
    if eagerness and "draw" in game.legal:
        return "draw" if dice.random() < 0.8 else "stop"
    if eagerness and "close" in game.legal and dice.random() < 0.7:
        return "close"
    if dice.random() < eagerness:
        return dice.choice([option for option in game.legal if option not in ("pass", "none", ("sell", 0))])
    return dice.choice(game.legal)


def random_game(components: Mapping[str, Any], players: int, seed: int, eagerness: float = 0.0) -> Game:
    """A game played to the end by chance."""
    dice = random.Random(f"{players} {seed}")
    game = deal(components, players, dice)
    while not game.over:
        game.play(choose(game, dice, eagerness))
    return game


def types(game: Game) -> list[str]:
    return [line["type"] for line in game.events]


def council(scene: Scene) -> list[int | None]:
    return [*scene.game.council.values()]


def actions(scene: Scene, step: str, number: int = 1) -> list[tuple[int, str]]:
    """(player, action) of the act lines of a step."""
    found = lines_of_step(scene.game, step, number)
    return [(line["player"], line["action"]) for line in found if line["type"] == "act"]


def settled(
    *own: Space,
    others: dict[Space, int] | None = None,
    built: dict[Space, str] | None = None,
    chapels: tuple[Space, ...] = (),
    players: int = 4,
    **switches: Any,
) -> Game:
    """A game in which seat 0 has members on the spaces `own`."""
    game = Scene(players, **switches).game
    game.members = dict.fromkeys(own, 0) | (others or {})
    assert set(game.members) <= set(game.city.guilds)
    game.built, game.chapels = built or {}, list(chapels)
    assert set(game.built) <= set(game.city.sites)
    assert set(chapels) <= set(game.city.corners)
    return game


def rivals(tie: bool, **switches: Any) -> Game:
    """Seat 0 has most members and coins, or as many as seat 3."""
    game = settled((1, 1), (2, 1), (4, 1), others={(1, 2): 3, (2, 2): 3, (1, 6): 1}, **switches)
    game.coins = [9, 2, 0, 8]
    if tie:
        game.members[5, 1] = 3
        game.coins[3] = 9
    return game


def random_boards(game: Game, number: int) -> Iterator[list[Space]]:
    """Lay members, buildings, the council and coins at random, and yield the spaces of seat 2 each time."""
    for seed in range(number):
        dice = random.Random(seed)
        left = dice.randint(1, 9)  # crowded in a part of the city, or all over it
        part = [space for space in game.city.guilds if left <= space[0] < left + 4] if seed % 2 else [*game.city.guilds]
        own = dice.sample(part, min(dice.randint(0, 14), len(part)))
        game.built = dict(
            zip(dice.sample(game.city.sites, 5), dice.sample(game.edifices, dice.randint(0, 5)), strict=False)
        )
        game.chapels = dice.sample(game.city.corners, dice.randint(0, 5))
        others = dice.sample(sorted(set(game.city.guilds) - {*own}), dice.randint(5, 30))
        game.members = dict.fromkeys(own, 2) | {space: dice.choice((0, 1, 3)) for space in others}
        game.council = {chair: dice.choice((None, 2, dice.randrange(game.players))) for chair in game.council}
        game.coins = [dice.randint(0, 6) for _ in range(game.players)]
        yield own
