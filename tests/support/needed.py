"""Libraries that only some tests need: those of the extra `test-all`."""

from importlib import import_module
from importlib.util import find_spec

import pytest

INSTALL = "pip install -e '.[test-all]'"


def need(library: str):
    """Return a library as `import library` does; without it the test, or the module that calls this, is skipped."""
    if find_spec(library.partition(".")[0]) is None:
        pytest.skip(f"needs {library.partition('.')[0]}: {INSTALL}", allow_module_level=True)
    return import_module(library)
