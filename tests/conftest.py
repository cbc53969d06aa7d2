"""What is slow, and in which order the tests run, which decides how long they take where nothing is compiled; refused skips; garbage.

Two workers begin at the two ends of the list: so the tests of a game lie together, and its kernels are compiled by one of them.
"""

import gc
import os
import tomllib
from contextlib import suppress
from functools import cache

import pytest

from our_games import OUR_GAMES
from paths import TESTS
from strozzi_sim.runtime import cache as code_cache

pytest_plugins = ["pytester"]

_FIRST, _LAST = "strasbourg", "medici"
_OF_DEVELOPERS = (
    "tests/adapters/",
    "tests/conformance/",
    "tests/project/",
)  # slow: no user's machine can break what they keep
code_cache.FOLDERS_KEPT = 40  # tests compile a dozen games of their own, whose code the next run needs as well
gc.set_threshold(
    100_000, 20, 100
)  # compiled code is millions of objects that stay: to look for garbage among them took a tenth of the time


def pytest_addoption(parser):
    parser.addoption("--allowed-skips", metavar="FILE", help="TOML of reasons: any other skip is a failure")


def pytest_configure(config):
    if (file := config.getoption("allowed_skips")) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Skips(tomllib.loads((TESTS.parent / file).read_text("utf-8"))))


class Skips:
    """Ends a run with 1 if a test was skipped for a reason that is not in `allowed`, which explains each."""

    def __init__(self, allowed):
        self.allowed, self.refused = allowed, set()

    def pytest_runtest_logreport(self, report):
        self.note(report)

    def pytest_collectreport(self, report):
        self.note(report)

    def note(self, report):
        if report.skipped and not hasattr(report, "wasxfail"):
            reason = report.longrepr[2].removeprefix("Skipped: ")
            if reason not in self.allowed:
                self.refused.add(f"{report.nodeid}: {reason}")

    def pytest_sessionfinish(self, session):
        if self.refused and session.exitstatus == 0:
            session.exitstatus = 1

    def pytest_terminal_summary(self, terminalreporter):
        for each in sorted(self.refused):
            terminalreporter.write_line(f"may not be skipped: {each}", red=True)


def _is_of_developers(name):
    return name.startswith(_OF_DEVELOPERS) and not name.startswith("tests/project/test_readme.py")


def pytest_ignore_collect(collection_path, config):
    """Whether a file has only slow tests and a run has none: to read it would take time."""
    name = str(collection_path.relative_to(TESTS.parent))
    return True if config.option.markexpr == "not slow" and name.endswith(".py") and _is_of_developers(name) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if _is_of_developers(item.nodeid):
            item.add_marker("slow")
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
