"""What the tests of Strasbourg share: variants that flip every switch and change every block, and games beside the reference."""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from strozzi_sim.games import load_game
from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.games.strasbourg.reference import Game as Reference
from strozzi_sim.games.variants import Variant, from_changes, resolve_variant
from strozzi_sim.play.position import Position

STRASBOURG = load_game("strasbourg")
BASE = resolve_variant(STRASBOURG, "base")
SHIPPED = ("base", "small-city", "other-tasks")
SEED = 11

ALL_FLIPPED = {
    "skip_A_round1": True, "min_draw": 0, "planning": "sequential", "return_if_unused": True, "building_optional": False,
    "hide_money": True, "tie_fulfils": True, "seat_optional": True,
}  # fmt: skip
CHANGES: dict[str, dict[str, Any]] = {
    **{name.replace("_", "-").lower(): {"switches": {name: value}} for name, value in ALL_FLIPPED.items()},
    "all-flipped": {"switches": ALL_FLIPPED, "privileges": {"start_per_player": 2}, "chapels": {"count": 2}},
    "few-cards": {"influence_cards": {"values": [1, 2, 4], "copies_of_each": 3}},  # decks run out, returned cards are drawn
    "two-values": {
        "influence_cards": {"values": [6, 5], "copies_of_each": 12},
        "coins": {"start_per_player": 40},
        "privileges": {"start_per_player": 5},
    },
    "three-rounds": {
        "round_cards": [
            {"id": "X1", "guilds": {"B": "baker", "D": "baker", "F": "baker"}},
            {"id": "X2", "guilds": {"B": "smith", "D": "vintner", "F": "baker"}},
            {"id": "X3", "guilds": {"B": "smith", "D": "vintner", "F": "butcher"}},
        ]
    },
    "no-choice-of-tasks": {"tasks_meta": {"dealt_per_player": 2, "keep_min": 2, "keep_max": 2}},
    "poor": {
        "chapels": {"count": 1, "points_per_adjacent_family_member": 3},
        "coins": {"start_per_player": 0},
        "goods": {"value": {"smith": 0, "vintner": 4, "shoemaker": 1, "butcher": 2, "baker": 9}},
        "privileges": {"end_value": 2},
        "council": {"prestige_per_member_each_council_phase": 2},
        "edifices": {"E2": {"points": 9}},
    },
    "other-box": {  # two guilds, two columns, one building site, six edifices
        "guilds": {"order": ["mason", "smith"], "letters": {"M": "mason", "S": "smith"}},
        "goods": {"value": {"mason": 7, "smith": 2}},
        "council": {"seats": ["nobility", "church", "mason", "smith", "merchants"]},
        "edifices": [{"id": f"F{k}", "points": k} for k in range(6)],
        "round_cards": [
            {"id": "Y1", "guilds": {"B": "smith", "D": "mason", "F": "smith"}},
            {"id": "Y2", "guilds": {"B": "mason", "D": "smith", "F": "mason"}},
        ],
        "city": {
            "columns": 2, "rows": 4,
            "guild_map": ["M M", "M #", "S S", "S M"], "price_map": ["0 1", "2 .", "3 0", "1 9"],
            "chapel_sites": [[1, 1], [1, 3]],
        },
        "tasks": [
            {"id": f"G{k}", "kind": kind, "points": k, **parameters}
            for k, (kind, parameters) in enumerate(
                [
                    ("adjacent_to_edifice", {"edifice": "F5", "min": 1}), ("members_in_guild", {"guild": "smith", "min": 2}),
                    ("same_edifice", {"min": 1}), ("orthogonal_line", {"min": 2}), ("diagonal_line", {"min": 2}),
                    ("orthogonal_line", {"min": 4}), ("diagonal_line", {"min": 1}), ("square_2x2", {}),
                    ("council_members", {"min_by_players": {"p3": 3, "p4": 2, "p5": 1}}), ("distinct_edifices", {"min": 1}),
                    ("most_members_in_city", {}), ("most_coins", {}), ("distinct_guilds", {"min": 2}),
                    ("guilds_with_pairs", {"guilds": 1, "min": 2}), ("distinct_chapels", {"min": 2}),
                    ("same_chapel", {"min": 2}), ("connected_group", {"min": 3}), ("border_members", {"min": 2}),
                    ("nobility_or_church", {}), ("connected_group", {"min": 2}),
                ]
            )
        ],
        "tasks_meta": {"dealt_per_player": 4, "keep_min": 2, "keep_max": 3, "penalty_unfulfilled": 7},
    },
}  # fmt: skip
VARIANTS = (*SHIPPED, *CHANGES)


def variant(name: str) -> Variant:
    """A shipped variant, or one of CHANGES, ready to play."""
    if name in SHIPPED:
        return resolve_variant(STRASBOURG, name)
    return from_changes(STRASBOURG, name, CHANGES[name], f"tests {name}")


def position(variant: Variant, players: int, deal: int, start_player: int = 0) -> Position:
    """The first decision of a deal."""
    return Position(STRASBOURG, variant, players, seed=SEED, deal=deal, start_player=start_player)


def script(start: Position, label: str) -> list[int]:
    """The actions of a game played on at random from a position; cards are drawn more often than not, so that decks run out."""
    chooser, table, actions = random.Random(label), start.fork(), []
    while not table.over:
        many = s.DRAW_CARD in table.legal and chooser.random() < 0.4
        actions.append(s.DRAW_CARD if many else chooser.choice(table.legal))
        table.play(actions[-1])
    return actions


def positions(variant: Variant, players: int, deals: int) -> Iterator[Position]:
    """Every position of games played at random, the last one included."""
    for deal in range(deals):
        table = position(variant, players, deal)
        for action in script(table, f"{variant.name} {players} {deal}"):
            yield table
            table.play(action)
        yield table


def chance_of(lines: Sequence[Mapping[str, Any]], components: Mapping[str, Any], players: int) -> tuple[Any, ...]:
    """What chance brought, as the reference takes it: round cards, edifices, tasks by seat, decks by seat."""
    cards = components["influence_cards"]
    everything = sorted(cards["values"] * cards["copies_of_each"])
    setup = lines[0]
    tasks = [line["dealt"] for line in lines if line["type"] == "keep_tasks"]
    decks = []
    for seat in range(players):
        drawn = [card for line in lines if line["type"] == "plan" and line["player"] == seat for card in line["drawn"]]
        deck = drawn[: len(everything)]
        left = list(everything)
        for k, card in enumerate(deck):
            if card not in left:  # drawn again from under the deck, after all others
                deck = deck[:k]
                break
            left.remove(card)
        decks.append(deck + left)
    return setup["round_cards"], setup["edifices"], tasks, decks


def side_by_side(
    variant: Variant, players: int, deal: int, start_player: int = 0
) -> Iterator[tuple[Position, Reference]]:
    """One game at random in the core and in the reference, decision by decision: before each, and at the end."""
    table = position(variant, players, deal, start_player)
    actions = script(table, f"{variant.name} {players} {deal}")
    end = table.fork()
    for action in actions:
        end.play(action)
    chance = chance_of(end.lines(), variant.components, players)
    reference = Reference(variant.components, players, *chance, start_player)
    for action in actions:
        yield table, reference
        table.play(action)
        reference.play_number(action)
    yield table, reference
