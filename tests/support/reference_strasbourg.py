"""What tests ask of the reference of Strasbourg: what a seat may know of the table, and the numbers of actions (F6.1)."""

from typing import Any

from strozzi_sim.games.strasbourg.reference import Game
from strozzi_sim.games.strasbourg.reference_table import Option

NUMBERS = {"stop": 32, "draw": 33, "close": 34, "pass": 41, "defer": 42, "none": 67, "seat": 68, "good": 69}
FIRST_NUMBERS = {
    "add": 34, "reveal": 43, "place": 70, "sell": 124, "return": 139, "chapel": 146, "edifice": 186
}  # fmt: skip


def numbers(game: Game) -> tuple[int, ...]:
    """The action numbers of `legal` (F6.1)."""
    return tuple(_number(game, option) for option in game.legal)


def seen_by(game: Game, seat: int) -> dict[str, Any]:
    """Return all that `seat` may know of the table, by name; equal knowledge compares equal."""
    all_seats = range(game.players)
    shown = [_is_shown(game, other, seat) for other in all_seats]
    money = {
        name: [amounts[other] if other == seat or not game.switches["hide_money"] else None for other in all_seats]
        for name, amounts in (("coins", game.coins), ("goods", game.goods), ("privileges", game.privileges))
    }  # behind screens, but all changes were public (A33)
    decks = [
        (game.decks[other], list(game.under[other])) if shown[other] else game.visible_decks[other]
        for other in all_seats
    ]
    sizes = [
        sorted(len(stack) for stack in game.hidden_stacks(other)) if shown[other] else None for other in all_seats
    ]  # no order, no numbers (A67)
    return {
        "round": game.round, "step": game.step, "guild": game.guild, "start_player": game.start_player,
        "round_cards": game.round_cards, "edifices": game.edifices, "council": dict(game.council),
        "members": dict(game.members), "chapels": sorted(game.chapels), "built": dict(game.built),
        "prestige": list(game.prestige), **money, "decks": decks, "stack_sizes": sizes,
        "bids": list(game.bids), "queue": list(game.queue), "out": [sorted(cards) for cards in game.lost],
        "own_tasks": (game.dealt[seat], game.kept[seat]), "own_stacks": game.hidden_stacks(seat),
        "own_hand": (list(game.hand[seat]), list(game.pile[seat])), "own_deck": sorted(game.shuffled[seat]),
    }  # fmt: skip


def _is_shown(game: Game, seat: int, viewer: int) -> bool:
    """Return whether `viewer` sees how many cards `seat` has drawn and how it has split them (R4.3, A8)."""
    open_at_once = game.switches["planning"] == "sequential" and game.planned[seat]
    return seat == viewer or all(game.planned) or open_at_once


def _number(game: Game, option: Option) -> int:
    """Return the action number of an option of the question (F6.1)."""
    if isinstance(option, str):
        return NUMBERS[option]
    verb, what = option
    if verb == "keep":
        return sum(1 << place for place, task in enumerate(game.dealt[game.question.seat]) if task in what)
    if verb == "place":
        column, row = what
        what = (row - 1) * game.city.columns + (column - 1)
    elif verb == "reveal":
        stacks, unused = game.stacks[game.question.seat], game.unused[game.question.seat]
        what = next(number for number in unused if stacks[number] == what)
    elif verb in ("chapel", "edifice"):
        what = (game.city.corners if verb == "chapel" else game.city.sites).index(what)
    return FIRST_NUMBERS[verb] + int(what)
