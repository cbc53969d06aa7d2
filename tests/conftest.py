"""The order of the tests, which decides how long they take where nothing is compiled yet; parameters that are slow; the cache; garbage.

Two workers begin at the two ends of the list: so the tests of a game lie together, and its kernels are compiled by one of them.
"""

import gc
import os
from contextlib import suppress
from functools import cache

import pytest

from our_games import OUR_GAMES
from strozzi_sim.runtime import cache as code_cache

pytest_plugins = ["pytester"]

_FIRST, _LAST = "strasbourg", "medici"
code_cache.FOLDERS_KEPT = 40  # tests compile a dozen games of their own, whose code the next run needs as well
gc.set_threshold(
    100_000, 20, 100
)  # compiled code is millions of objects that stay: to look for garbage among them took a tenth of the time


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        for mark in ("slow", "nightly"):
            if any(_has_parameter(item, name) for each in item.iter_markers(f"{mark}_for") for name in each.args):
                item.add_marker(mark)
        if item.get_closest_marker("nightly"):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: (_LAST in item.nodeid) - (_FIRST in item.nodeid))


def _has_parameter(item, name):
    return f"-{name}-" in f"-{item.callspec.id}-"


@cache
def _compiled_games():
    return [code_cache.folder_of.__wrapped__(game) for game in OUR_GAMES]  # uncached, since tests move the root


def pytest_runtest_setup():
    """Keep the kernels of the built-in games newest: a cache keeps few folders, and many tests compile games of their own."""
    for folder in _compiled_games():
        with suppress(FileNotFoundError):
            os.utime(folder)
