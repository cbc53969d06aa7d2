"""The kernels beside the reference, decision by decision: actor, question, legal actions, all that lies on the table, lines, scores."""

import numpy as np
import pytest

from strasbourg_games import BASE, STRASBOURG, VARIANTS, position, script, side_by_side, variant
from strozzi_sim.conformance.kernels import kernels
from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.games.strasbourg.events import cards_of, city_of

PLAYERS = (3, 4, 5)
KINDS = {
    "keep_tasks": s.KEEP, "draw": s.DRAW, "split": s.SPLIT, "bid": s.BID, "seat": s.TAKE_SEAT, "good": s.TAKE_GOOD,
    "place": s.PLACE, "apprentice": s.APPRENTICE, "sell": s.SELL, "return_card": s.RETURN, "chapel": s.BUILD_CHAPEL,
    "edifice": s.BUILD_EDIFICE,
}  # fmt: skip


def on_the_table(table):
    """All that lies on the table and behind the screens, as the reference has it."""
    state, components, players = table.state[0], table.variant.components, table.players
    city, guilds = city_of(components), components["guilds"]["order"]
    tasks = [task["id"] for task in components["tasks"]]
    edifices = [edifice["id"] for edifice in components["edifices"]]
    chairs = ["nobility", "church", "merchants", *guilds]
    planning = int(state["phase"]) in (s.DRAW, s.SPLIT)
    seats = range(players)

    def members(sets, seat, things):
        return [thing for k, thing in enumerate(things) if int(sets[seat]) >> k & 1]

    def stacks(seat):
        return [
            tuple(cards_of(int(state["stacks"][seat][k])))
            for k in range(int(state["stack_count"][seat]))
            if int(state["unused"][seat]) >> k & 1
        ]

    def waiting():
        rest = range(int(state["undecided"]).bit_count() - 1)
        return [int(state["actor"]), *(int(state["queue"]) >> 4 * k & 15 for k in rest)]

    return {
        "start_player": int(state["start_player"]),
        "council": {name: None if state["council"][k] == s.NOBODY else int(state["council"][k]) for k, name in enumerate(chairs)},
        "members": {cell: seat for seat in seats for cell in city.guilds if int(state["members"][seat]) >> city.number(cell) & 1},
        "empty": sorted(cell for cell in city.guilds if int(state["empty"]) >> city.number(cell) & 1),
        "chapels": sorted(c for k, c in enumerate(city.chapel_sites) if not int(state["free_chapel_sites"]) >> k & 1),
        "built": {city.sites[int(k)]: edifices[e] for e, k in enumerate(state["edifice_site"][: len(edifices)]) if k != s.NO_SITE},
        "prestige": state["prestige"][:players].tolist(),
        "coins": state["coins"][:players].tolist(),
        "privileges": state["privileges"][:players].tolist(),
        "goods": [dict(zip(guilds, state["goods"][seat].tolist(), strict=False)) for seat in seats],
        "dealt": [members(state["dealt"], seat, tasks) for seat in seats],
        "kept": [members(state["kept"], seat, tasks) for seat in seats],
        "shuffled": [sorted(cards_of(int(state["deck"][seat]))) for seat in seats],
        "shuffled sizes": state["deck_left"][:players].tolist(),
        "under": [state["under"][seat][int(state["under_taken"][seat]) : int(state["under_left"][seat])].tolist() for seat in seats],
        "bids": [tuple(cards_of(int(state["bid"][seat]))) or None for seat in seats],
        "out": [sorted(cards_of(int(state["lost"][seat]))) for seat in seats],
        "stacks": None if planning else [stacks(seat) for seat in seats],
        "queue": waiting() if state["phase"] == s.BID else None,
    }  # fmt: skip


def beside_it(reference, phase):
    """The same of the reference."""
    seats = range(reference.players)
    return {
        "start_player": reference.start_player,
        "council": reference.council,
        "members": reference.members,
        "empty": sorted(cell for cell in reference.city.guilds if cell not in reference.members),
        "chapels": sorted(reference.chapels),
        "built": reference.built,
        "prestige": reference.prestige,
        "coins": reference.coins,
        "privileges": reference.privileges,
        "goods": reference.goods,
        "dealt": reference.dealt,
        "kept": [kept or [] for kept in reference.kept],
        "shuffled": [sorted(deck) for deck in reference.shuffled],
        "shuffled sizes": [len(deck) for deck in reference.shuffled],
        "under": reference.under,
        "bids": reference.bids,
        "out": [sorted(cards) for cards in reference.out],
        "stacks": None if phase in (s.DRAW, s.SPLIT) else [reference.hidden_stacks(seat) for seat in seats],
        "queue": list(reference.queue) if phase == s.BID else None,
    }


def assert_same(table, reference, where, whole=True):
    assert table.over == reference.over, where
    phase = int(table.state["phase"][0])
    if not table.over:
        question = reference.question
        assert table.actor == question.seat, where
        assert phase == KINDS[question.kind], where
        assert table.legal == reference.numbers, where
    if not whole and not table.over:
        return
    mine, theirs = on_the_table(table), beside_it(reference, phase)
    if phase == s.BID and mine["queue"] != theirs["queue"]:  # the reference may have taken the actor out of it
        theirs["queue"] = [table.actor, *theirs["queue"]]
    for name, thing in mine.items():
        assert thing == theirs[name], f"{name}: {where}"


def assert_same_games(name, players, deals):
    for deal in deals:
        start_player = deal % players
        where = f"variant {name}, {players} players, deal {deal}, start player {start_player}"
        decisions = 0
        for table, reference in side_by_side(variant(name), players, deal, start_player):
            assert_same(table, reference, f"{where}, decision {decisions}", whole=deal < 4)
            decisions += 1
        assert table.lines() == reference.events, where
        assert table.state["score"][0][:players].tolist() == reference.scores, where
        assert [1 + placed(table, seat)[1] for seat in range(players)] == reference.places, where
        assert [seat for seat in range(players) if placed(table, seat)[1] == 0] == reference.winners, where
        assert decisions > 15


def placed(table, seat):
    out = np.zeros(3, np.int64)
    kernels(STRASBOURG).result(table.state, seat, out)
    return out.tolist()


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("name", VARIANTS)
def test_every_decision_is_the_same(name, players):
    assert_same_games(name, players, range(60 if name == "base" else 20))


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("name", VARIANTS)
def test_every_decision_of_many_games_is_the_same(name, players):
    assert_same_games(name, players, range(60, 1_000 if name == "base" else 200))


@pytest.mark.parametrize("name", ["base", "all-flipped", "few-cards", "other-box"])
def test_cards_members_and_chairs_are_conserved(name):
    """R16.1 to R16.5: after every decision."""
    chosen = variant(name)
    cards = int(chosen.rules["cards"][0])
    for players in PLAYERS:
        for deal in range(4):
            table = position(chosen, players, deal)
            for action in script(table, f"kept {deal}"):
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
        table = position(BASE, 4, 3)
        for action in script(table, label):
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
            table = position(variant(name), 4, deal)
            for action in script(table, f"seen {name} {deal}"):
                phases.add(int(table.state["phase"][0]))
                actions |= set(table.legal)
                table.play(action)
    assert phases == set(range(s.OVER))
    wanted = {*range(1, 44), *range(67, 70), *range(s.SELL_GOODS, s.SELL_GOODS + 2), *range(s.EDIFICE, s.EDIFICE + 7)}
    assert wanted - {0} <= actions
