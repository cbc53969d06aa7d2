"""The order of the tests, which is what decides how long they take where nothing is compiled yet, and which are slow.

Two workers begin at the two ends of the list: so the tests of a game lie together, and its kernels are compiled by one of them.
"""

import os
from contextlib import suppress

import pytest

from our_games import OUR_GAMES
from strozzi_sim.runtime.cache import folder_of

_FIRST, _LAST = "strasbourg", "medici"
_SLOW = (  # take six seconds or more; `pytest -m slow` plays them
    "test_every_game_deals_to_a_used_record[strasbourg]",
    "test_balance_plays_the_agents_of_each_strength[strasbourg]",
    "test_facts_recounted_from_records[3-base-random]",
    "test_bands_hold_all_figures_of_19_of_20_sets_and_not_those_of_richer_players",
    "test_agents_plan_with_their_restrictions[strasbourg-heuristic]",
    "test_tournament[strasbourg]",
    "test_luck.py::test_the_command_says_what_decides",
    "test_luck.py::test_bytes_are_equal_for_any_number_of_workers_and_after_a_resume",
    "test_cluster.py::test_a_lost_worker_costs_its_chunks_and_nothing_else",
    "test_cluster.py::test_files_of_agents_travel_with_the_task",
    "test_cluster.py::test_a_worker_that_alters_chunks_is_named_and_its_chunks_are_replayed",
    "test_precision.py::test_intervals_of_shares_hold_at_every_look",
)

_NIGHTLY = (  # slow ones that take longest; `pytest -m nightly` plays them
    "test_restricting.py::test_what_a_seat_knows_of_a_restricted_game[base]",
    "test_restricting.py::test_agents_plan_with_their_restrictions[strasbourg-strategist:iterations=4]",
    "test_your_own_game.py::test_our_tests_hold_with_it_installed",
    "test_numba_patches.py::test_games_are_the_same_without_a_patch",
    "test_conformance.py::test_every_game_keeps_its_promises_at_every_player_count",
    "test_limit.py::test_scores_in_c_are_ours_in_every_variant",
    "test_leak_check.py::test_what_is_not_of_the_game_is_caught_in_another_process[today-",
    "test_leak_check.py::test_what_is_not_of_the_game_is_caught_in_another_process[imported-hour-",
    "medici_vs_strozzi/test_facts.py::test_any_game_recounted",
    "test_our_table.py::test_bands_hold_all_figures_of_19_of_20_sets_and_not_those_of_richer_players",
    "strasbourg/test_agents.py::test_the_search_beats_the_evaluator",
    "test_every_agent_plays_every_variant[strasbourg-strategist",
    "test_small_studies.py::test_figures_do_not_depend_on_the_order_of_hashes",
    "test_luck.py::test_bytes_are_equal_for_any_number_of_workers_and_after_a_resume",
    "test_cluster.py::test_a_lost_worker_costs_its_chunks_and_nothing_else",
    "test_position.py::test_a_record_so_far_leads_to_the_first_position_that_wrote_it",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if any(name in item.nodeid for name in _SLOW):
            item.add_marker(pytest.mark.slow)
        if any(name in item.nodeid for name in _NIGHTLY):
            item.add_marker(pytest.mark.nightly)
        for mark in ("slow", "nightly"):
            if any(_has_parameter(item, name) for each in item.iter_markers(f"{mark}_for") for name in each.args):
                item.add_marker(mark)
        if item.get_closest_marker("nightly"):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: (_LAST in item.nodeid) - (_FIRST in item.nodeid))


def _has_parameter(item, name):
    return f"-{name}-" in f"-{item.callspec.id}-"


@pytest.fixture(scope="session")
def _compiled_games():
    return [folder_of.__wrapped__(game) for game in OUR_GAMES]  # uncached, since tests move the root


@pytest.fixture(autouse=True)
def _keep_compiled_games(_compiled_games):
    """Keep the kernels of the built-in games newest, since a cache keeps few folders and many tests compile games of their own."""
    for folder in _compiled_games:
        with suppress(FileNotFoundError):
            os.utime(folder)
