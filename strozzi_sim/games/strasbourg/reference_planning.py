"""The planning phase of Strasbourg: drawing influence cards and dividing them into stacks (R4)."""

from collections.abc import Sequence

from strozzi_sim.games.strasbourg.reference_table import Play, Stack, Table, ask


def plan_round(table: Table) -> Play:
    """Let all players draw and split; the stacks become visible when all have finished (R4.3, A8).

    The order of the players, clockwise from the start player, has no effect: plans are secret until then (A62).
    """
    for seat in range(table.players):
        table.visible_decks[seat] = (table.decks[seat], list(table.under[seat]))
        table.stacks[seat], table.unused[seat] = [], []
        table.planned[seat] = False
    for seat in table.clockwise(table.start_player):
        yield from _draw_cards(table, seat)
        drawn = list(table.hand[seat])
        yield from _split(table, seat)
        table.planned[seat] = True
        table.write("plan", player=seat, drawn=drawn, stacks=[list(stack) for stack in table.stacks[seat]])


def _draw_cards(table: Table, seat: int) -> Play:
    """Draw at least one card, each further one after looking at the last; no card goes back (R4.1, A6, A10, A68)."""
    for _ in range(min(table.switches["min_draw"], table.decks[seat])):
        _draw(table, seat)
    while table.decks[seat]:  # a player with an empty deck has no stacks this round (R4.4)
        if (yield from ask("draw", seat, ("stop", "draw"))) == "stop":
            return
        _draw(table, seat)


def _draw(table: Table, seat: int) -> None:
    """Draw the top card; cards put under the deck come last (F5.4)."""
    deck = table.shuffled[seat] or table.under[seat]
    table.hand[seat].append(deck.pop(0))


def _split(table: Table, seat: int) -> Play:
    """Divide all cards into any number of stacks (R4.2, A7, A9).

    The highest card left begins a stack, and no stack comes before a greater one: so each division has a single
    sequence of choices (A66, F6.4).
    """
    hand, stacks = table.hand[seat], table.stacks[seat]
    hand.sort(reverse=True)
    while hand:
        pile = table.pile[seat] = [hand.pop(0)]
        while True:
            additions = _additions(pile, hand, stacks[-1] if stacks else None)
            choice = yield from ask("split", seat, ("close", *(("add", value) for value in additions)))
            if choice == "close":
                break
            hand.remove(choice[1])
            pile.append(choice[1])
        table.unused[seat].append(len(stacks))
        stacks.append(tuple(pile))
        table.pile[seat] = []


def _additions(pile: Sequence[int], hand: Sequence[int], before: Stack | None) -> list[int]:
    """Return the values that may come next on a stack: at most its last card, without exceeding the stack `before`."""
    highest = pile[-1]
    if before is not None and before[: len(pile)] == tuple(pile):
        if len(before) == len(pile):
            return []
        highest = before[len(pile)]
    return [value for value in sorted(set(hand)) if value <= highest]
