"""What makes two resolved plans the same study: hashes, and differences in words."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import completed


def hash_of(resolved: Mapping[str, Any]) -> str:
    """SHA-256 of a resolved plan."""
    return hashlib.sha256(json.dumps(resolved, sort_keys=True).encode()).hexdigest()


def identity_of(resolved: Mapping[str, Any]) -> str:
    """SHA-256 of a resolved plan without its number of deals, if it can be extended."""
    if not resolved.get("chunk_deals"):
        return hash_of(resolved)
    return hash_of({key: value for key, value in resolved.items() if key not in ("deals", "chunks")})


def with_all_components(resolved: Mapping[str, Any], game: Game) -> dict[str, Any]:
    """Return a resolved plan whose variants have all components of the game; those they lack are as in `base`."""
    variants = resolved.get("variants")
    if not isinstance(variants, Mapping):
        return dict(resolved)
    return {**resolved, "variants": {name: completed(game, data) for name, data in variants.items()}}


def differences(there: Any, here: Any, key: str = "") -> Iterator[str]:
    """Yield the differences of two resolved plans, key by key."""
    if isinstance(there, dict) and isinstance(here, dict):
        for name in sorted({*there, *here}):
            yield from differences(
                there.get(name, "nothing"), here.get(name, "nothing"), f"{key}.{name}" if key else name
            )
    elif there != here:
        long = 60
        old, new = (text if len(text := json.dumps(side)) <= long else text[:long] + "..." for side in (there, here))
        yield f"{key}: {old} there, {new} here"
