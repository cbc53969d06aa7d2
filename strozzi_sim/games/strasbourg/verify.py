"""Check a record against the rules: replay its games in the plain-Python reference, line by line."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.errors import RuleViolation
from strozzi_sim.game.record_checking import Draws, Lines, Replay, compare, complete, same, text
from strozzi_sim.games.strasbourg.reference import Game
from strozzi_sim.games.strasbourg.reference_table import Option

# kind of question -> type of the line that answers it; a bid can also be a line `defer`
LINES = {kind: kind for kind in ("keep_tasks", "bid", "return_card", "chapel", "edifice")}
LINES |= {"draw": "plan", "split": "plan", **dict.fromkeys(("seat", "good", "place", "apprentice", "sell"), "act")}
ACTIONS = {  # kind of question -> actions of the act line; one that answers a later question declines this one
    "seat": ("seat", "good", "place", "decline"),
    "good": ("good", "place", "decline"),
    "place": ("place", "decline"),
    "apprentice": ("good", "place", "decline"),
    "sell": ("sell", "decline"),
}


class Chance(Draws):
    """The outcomes of chance that the lines show, followed by the remaining components."""

    def __init__(self, components: Mapping[str, Any], players: int, lines: Lines) -> None:
        cards = components["influence_cards"]
        self.round_cards: list[str] = []  # ids in the order of the rounds
        self.edifices: list[str] = []  # ids in the order of the rounds
        self.decks: list[list[int]] = [[] for _ in range(players)]  # values of the cards as shuffled, top card first
        blocks = ("round_cards", "edifices", "tasks")
        self._ids = {block: [entry["id"] for entry in components[block]] for block in blocks}
        self._dealt_per_player = components["tasks_meta"]["dealt_per_player"]
        self._cards_left = [sorted(cards["values"] * cards["copies_of_each"]) for _ in range(players)]
        self._dealt: list[str] = []  # tasks, player by player
        self._task_lines = 0
        super().__init__(lines)
        complete(self.round_cards, self._ids["round_cards"])
        complete(self.edifices, self._ids["edifices"])
        complete(self._dealt, self._ids["tasks"])
        number = self._dealt_per_player
        self.tasks = [self._dealt[number * seat : number * (seat + 1)] for seat in range(players)]
        for deck, cards_left in zip(self.decks, self._cards_left, strict=True):
            deck += cards_left

    def read(self, line: Mapping[str, Any]) -> None:
        """Add the draws that a line shows."""
        kind, seat, rounds = line.get("type"), line.get("player"), len(self._ids["round_cards"])
        if kind == "setup" and not self.round_cards:
            self.draw_all("round card", line.get("round_cards"), rounds, self._ids["round_cards"], self.round_cards)
            if not self.message:
                self.draw_all("edifice", line.get("edifices"), rounds, self._ids["edifices"], self.edifices)
        elif kind == "keep_tasks" and self._task_lines < len(self.decks):
            self._task_lines += 1
            self.draw_all("task", line.get("dealt"), self._dealt_per_player, self._ids["tasks"], self._dealt)
        elif kind == "plan" and type(seat) is int and 0 <= seat < len(self.decks):
            self._read_cards(seat, line.get("drawn"))

    def _read_cards(self, seat: int, cards: Any) -> None:
        """Read drawn cards, as long as the shuffled deck lasts (F5.4)."""
        if not isinstance(cards, list):
            self.message = f"expected a list of the cards drawn, found {text(cards)}"
            return
        for card in cards[: len(self._cards_left[seat])]:
            if not any(same(card_left, card) for card_left in self._cards_left[seat]):
                self.message = f"expected a card left in the shuffled deck of player {seat}, found {text(card)}"
                return
            self._cards_left[seat].remove(card)
            self.decks[seat].append(card)


def _set_up(header: Mapping[str, Any], lines: Lines) -> tuple[Game, Chance]:
    components, players = header["components"], header["players"]
    chance = Chance(components, players, lines)
    return Game(components, players, chance.round_cards, chance.edifices, chance.tasks, chance.decks), chance


def _answer(game: Game, number: int, event: Mapping[str, Any]) -> None:
    """Answer the game's pending question from the line.

    A plan answers all questions about drawing and splitting, and a sale those about all goods. An action of a guild
    step declines the earlier offers of the turn.
    """
    question = game.question
    kind = "defer" if question.kind == "bid" and event.get("type") == "defer" else LINES[question.kind]
    compare({"type": kind, "player": question.seat}, number, event)
    choice = _choice(game, event)
    if choice not in question.options:
        raise RuleViolation(number, f"expected {_expected_line(game)}, found {text(event)}")
    # `in` takes 5.0 for 5; the comparison of the whole line finds it.
    game.play(question.options[question.options.index(choice)])


def _choice(game: Game, event: Mapping[str, Any]) -> Option | None:
    kind, seat, _, guild = game.question
    if kind in ACTIONS:
        return _choice_of_action(kind, guild, event)
    if kind == "keep_tasks":
        return _as_option("keep", event.get("tasks"))
    if kind == "draw":
        drawn = event["drawn"]  # a list: `Chance` has checked it
        return "draw" if len(drawn) > len(game.hand[seat]) else "stop"
    if kind == "split":
        return _choice_of_stack(event.get("stacks"), len(game.stacks[seat]), game.pile[seat])
    if kind == "bid":
        if event["type"] == "defer":
            return "defer"
        return "pass" if event.get("stack", ()) is None else _as_option("reveal", event.get("stack"))
    if kind == "return_card":
        return ("return", event.get("card"))
    return "none" if event.get("site", ()) is None else _as_option(kind, event.get("site"))


def _choice_of_action(kind: str, guild: str | None, event: Mapping[str, Any]) -> Option | None:
    action = event.get("action")
    if action not in ACTIONS[kind]:
        return None
    if kind == "sell":
        goods = event.get("goods") if action == "sell" else {}
        return ("sell", goods.get(guild, 0)) if isinstance(goods, dict) else None
    if action == "place" and kind in ("place", "apprentice"):
        return _as_option("place", event.get("space"))
    return action if action == kind or (kind, action) == ("apprentice", "good") else "none"


def _choice_of_stack(stacks: Any, number: int, pile: list[int]) -> Option | None:
    """Return the next option that turns the stack under construction, `pile`, into `stacks[number]`, or None."""
    if not isinstance(stacks, list) or len(stacks) <= number or not isinstance(stacks[number], list):
        return None
    stack = stacks[number]
    if not same(pile, stack[: len(pile)]):
        return None
    return "close" if len(stack) == len(pile) else ("add", stack[len(pile)])


def _as_option(verb: str, items: Any) -> Option | None:
    return (verb, tuple(items)) if isinstance(items, list) else None


def _expected_line(game: Game) -> str:
    kind, seat, options, guild = game.question
    if kind in ("draw", "split"):
        stacks = [*game.stacks[seat], *([game.pile[seat]] if game.pile[seat] else [])]
        begun = f" with stacks that begin {text(stacks)}" if stacks else ""
        return f"a plan of player {seat}{begun}: all cards drawn, stacks in descending order"
    if kind == "keep_tasks":
        fewest, most = (game.components["tasks_meta"][key] for key in ("keep_min", "keep_max"))
        return f"a line keep_tasks of player {seat}: {fewest} to {most} of {text(game.dealt[seat])}, in this order"
    choices = " or ".join(option if isinstance(option, str) else text(option[1]) for option in options)
    of_guild = f" of {guild}" if guild is not None else ""
    return f"a line {LINES[kind]} of player {seat}, {kind}{of_guild}: {choices}"


REPLAY = Replay(_set_up, _answer, _expected_line)
