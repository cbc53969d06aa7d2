"""The kernels by themselves: what is conserved, what chance brings to whom, and that tests reach everything."""

import pytest

from strasbourg_games import BASE, KIT, STRASBOURG, variant
from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.games.strasbourg.events import cards_of


@pytest.mark.parametrize("name", ["base", "all-flipped", "few-cards", "other-box"])
def test_cards_members_and_chairs_are_conserved(name):
    """R16.1 to R16.5: after every decision."""
    chosen = variant(name)
    cards = int(chosen.rules["cards"][0])
    for players in STRASBOURG.player_counts:
        for deal in range(4):
            table = KIT.position(chosen, players, deal)
            for action in KIT.script(table, f"kept {deal}"):
                assert_conserved(table, cards)
                table.play(action)
            assert_conserved(table, cards)


def assert_conserved(table, cards):
    state, planning = table.state[0], int(table.state["phase"][0]) in (s.DRAW, s.SPLIT)
    for seat in range(table.players):
        told = sum(int(state[name][seat]) for name in ("deck_left", "under_left")) - int(state["under_taken"][seat])
        assert len(cards_of(int(state["deck"][seat]))) == int(state["deck_left"][seat])
        bags = [*state["stacks"][seat].tolist(), int(state["bid"][seat]), int(state["lost"][seat])]
        bags += [int(state["hand"])] if planning and seat == table.actor else []
        assert told + sum(len(cards_of(bag)) for bag in bags) <= cards  # the rest is gone unseen
        if planning and int(state["round"]) == 0:
            assert told + sum(len(cards_of(bag)) for bag in bags) == cards
    assert state["council"][s.NOBILITY] < table.players
    assert state["council"][s.CHURCH] < table.players
    held = [int(cells) for cells in state["members"][: table.players]]
    assert (
        sum(cells.bit_count() for cells in [*held, int(state["empty"])])
        == int(table.variant.rules["spaces"][0]).bit_count()
    )


def test_the_first_card_is_drawn_from_a_stream_of_the_seat():
    """The k-th card of a seat does not depend on what others do: what pairs comparisons."""
    decks = []
    for label in ("one", "other"):
        table = KIT.position(BASE, 4, 3)
        for action in KIT.script(table, label):
            table.play(action)
        plans = [line for line in table.lines() if line["type"] == "plan"]
        decks.append(
            [[card for plan in plans if plan["player"] == seat for card in plan["drawn"]] for seat in range(4)]
        )
    for one, other in zip(*decks, strict=True):
        count = min(len(one), len(other), 8)
        assert one[:count] == other[:count]


def test_every_phase_and_action_occurs():
    """So that the comparison above has seen them all."""
    phases, actions = set(), set()
    for name in ("base", "seat-optional", "two-values", "all-flipped"):
        for deal in range(30):
            table = KIT.position(variant(name), 4, deal)
            for action in KIT.script(table, f"seen {name} {deal}"):
                phases.add(int(table.state["phase"][0]))
                actions |= set(table.legal)
                table.play(action)
    assert phases == set(range(s.OVER))
    wanted = {*range(1, 44), *range(67, 70), *range(s.SELL_GOODS, s.SELL_GOODS + 2), *range(s.EDIFICE, s.EDIFICE + 7)}
    assert wanted - {0} <= actions
