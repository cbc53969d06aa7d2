"""The order of the tests, which is what decides how long they take where nothing is compiled yet.

Two workers begin at the two ends of the list: so the tests of a game lie together, and its kernels are compiled by one of them.
"""

_FIRST, _LAST = "strasbourg", "medici"


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: (_LAST in item.nodeid) - (_FIRST in item.nodeid))
