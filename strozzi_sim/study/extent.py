"""How many deals a study has, and in how many chunks, from what its keys say."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from strozzi_sim.errors import ArgumentError, check_range, check_whole
from strozzi_sim.stats.precision import CHUNKS_AT_MOST, FEWEST_IN_CHUNK, most_deals

CHUNKS = 200  # of a cell, unless the study says how long they are
MOST_CHUNKS = 100_000
MOST_DEALS = 1_000_000_000
POINTS = 100  # a precision is in points of a share of wins


class Usual(NamedTuple):
    """What a kind of study has where the keys say nothing: deals, chunks, and whether differences are headlines."""

    deals: int
    chunks: int
    is_paired: bool


def extent_of(keys: Mapping[str, Any], usual: Usual, has_search: bool) -> dict[str, Any]:
    """Return deals, search_deals and chunk_deals of a study with these keys; errors name the key."""
    from_precision, chunks = keys.get("precision") or 0, keys.get("chunks")
    deals, search = keys.get("deals"), keys.get("search_deals") or 0
    for name, most in (("deals", MOST_DEALS), ("chunks", MOST_CHUNKS), ("chunk_deals", MOST_DEALS)):
        if keys.get(name) is not None:
            check_whole(name, keys[name], 1, most)
    if from_precision:
        deals, of_precision = deals_for(from_precision, deals, is_paired=usual.is_paired)
        chunks = chunks or of_precision
    deals = usual.deals if deals is None else deals
    if search:
        check_whole("search_deals", search, 1, deals)
    search = search if has_search and search < deals else 0
    chunks = min(chunks or usual.chunks, deals, search or deals)
    size = keys.get("chunk_deals") or -(-deals // chunks)
    if -(-deals // size) > min(MOST_CHUNKS, search or MOST_CHUNKS):
        raise ArgumentError("chunk_deals", f"{size} makes too many chunks of {search or deals:,} deals")
    return {"deals": deals, "search_deals": search, "chunk_deals": size}


def deals_for(precision: float, deals: int | None, *, is_paired: bool) -> tuple[int, int]:
    """Return the most deals that a precision takes, or those given if they are fewer, and the number of chunks."""
    check_range("precision", precision, 0.01, 25)
    most = most_deals(precision / POINTS, paired=is_paired)
    chunks = max(1, min(CHUNKS_AT_MOST, (most if deals is None else min(deals, most)) // FEWEST_IN_CHUNK))
    most = -(-most // chunks) * chunks
    return (most if deals is None else min(deals, most)), chunks
