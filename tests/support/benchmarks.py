"""Scripts of benchmarks/, which is no package, as modules."""

import sys
from importlib import import_module

import pytest

from paths import ROOT


def benchmark(name, *others):
    """Return a fixture: the script of this name as a module; it and those that it imports are forgotten in the end."""

    @pytest.fixture(scope="module")
    def script():
        place = str(ROOT / "benchmarks")
        sys.path.insert(0, place)
        yield import_module(name)
        sys.path.remove(place)
        for module in (name, *others):
            del sys.modules[module]

    return script
