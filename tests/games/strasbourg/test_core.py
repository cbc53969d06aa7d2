"""The core beside the reference on boards laid at random; games of the kit reach every phase and every kind of action."""

import random
from collections import Counter

from scripted_strasbourg import Scene, random_boards
from strasbourg_games import BASE, KIT, variant
from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.games.strasbourg.geometry import city_of
from strozzi_sim.games.strasbourg.legal_actions import legal_set
from strozzi_sim.games.strasbourg.reference import score
from strozzi_sim.games.strasbourg.scoring import largest_group, score_game


def test_a_group_that_leads_back_to_the_first_row_is_one():
    columns = int(BASE.rules[0]["columns"])
    bridge = [0, columns, columns + 1, columns + 2, 2]  # down, across and up again
    assert largest_group(BASE.rules[0], sum(1 << cell for cell in bridge)) == 5


def test_boards_laid_at_random_score_the_same():
    """Everybody has kept half of all tasks: each kind is met by some and missed by others."""
    game, state, outcomes = Scene(4).game, KIT.position(BASE, 4, 0).state, Counter()
    city, tasks = city_of(BASE.components), [task["id"] for task in BASE.components["tasks"]]
    chairs = {name: k for k, name in enumerate((*s.LORDS, *BASE.components["guilds"]["order"]))}
    for number, _ in enumerate(random_boards(game, 300)):
        dice = random.Random(number)
        game.kept = [tuple(dice.sample(tasks, len(tasks) // 2)) for _ in range(4)]
        game.prestige, game.privileges = ([dice.randint(0, 9) for _ in range(4)] for _ in range(2))
        row = state[0]
        for seat in range(4):
            row["members"][seat] = city.set_of(game.own_members(seat))
            row["kept"][seat] = sum(1 << tasks.index(task) for task in game.kept[seat])
        for name in ("coins", "prestige", "privileges"):
            row[name][:4] = getattr(game, name)
        row["edifice_site"] = s.NO_SITE
        for site, edifice in game.built.items():
            row["edifice_site"][game.edifices.index(edifice)] = city.sites.index(site)
        free = set(city.chapel_sites) - {*game.chapels}
        row["free_chapel_sites"] = sum(1 << city.chapel_sites.index(corner) for corner in free)
        row["council"] = s.NOBODY
        for name, seat in game.council.items():
            row["council"][chairs[name]] = s.NOBODY if seat is None else seat
        score_game(row, BASE.rules[0], None)
        expected = score(game)
        assert row["score"][:4].tolist() == expected["total"], (number, expected)
        for kept, fulfilled in zip(game.kept, expected["fulfilled"], strict=True):
            outcomes.update((task, task in fulfilled) for task in kept)
    assert len(outcomes) == 2 * len(tasks)


def test_every_phase_and_action_occurs():
    phases, actions = set(), set()
    for name in ("base", "seat-optional", "two-values", "all-flipped"):
        for deal in range(30):
            table = KIT.position(variant(name), 4, deal)
            for action in KIT.script(table, f"seen {name} {deal}"):
                assert legal_set(table.state[0], table.variant.rules[0]) == table.state["legal"][0]
                phases.add(int(table.state["phase"][0]))
                actions |= set(table.legal)
                table.play(action)
    assert phases == set(range(s.OVER))
    wanted = {*range(1, 44), *range(67, 70), *range(s.SELL_GOODS, s.SELL_GOODS + 2), *range(s.EDIFICE, s.EDIFICE + 7)}
    assert wanted - {0} <= actions
