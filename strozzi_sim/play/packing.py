"""A position as a few hundred bytes: the setup of its game, and the actions.

The bytes are MAGIC, FORMAT, a checksum, and a compressed MessagePack document. The components of the variant are
compressed against those of the base game, so that only changes take space. Restrictions are rules beyond the components
and are not stored: the caller of `unpack` passes their variant again, and a checksum of the rules identifies it.
"""

import zlib
from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
import numpy as np

from strozzi_sim.errors import ArgumentError, InputError, short_repr
from strozzi_sim.game import load_game
from strozzi_sim.game.contract import Game
from strozzi_sim.game.converting import built
from strozzi_sim.game.variants import BASE, Variant, from_components, resolve_variant
from strozzi_sim.kernel.record_types import field_bytes
from strozzi_sim.play.start import GameSetup, set_up_game

MAGIC, FORMAT = b"strozzi", b"1"
_HEAD = len(MAGIC) + len(FORMAT) + 4
_MAX_SIZE = 1 << 24  # bytes that a document may decompress to


class Packed(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """Content of a packed position: `components` compressed, `rules` a checksum, `actions` in `_action_dtype`."""

    game: str
    behaviour: int
    players: int
    seed: int
    deal: int
    start_player: int
    script: list[int] | None
    variant: str
    components: bytes
    rules: int
    actions: bytes


def pack(start: GameSetup, actions: Sequence[int]) -> bytes:
    """Return the bytes of the position after these actions."""
    game, variant = start.game, start.variant
    packer = zlib.compressobj(9, zdict=_base_components(game))
    components = packer.compress(msgspec.json.encode(variant.components)) + packer.flush()
    setup = start.players, start.seed, start.deal, start.start_player
    script = None if start.script is None else start.script.tolist()
    rules, chosen = zlib.crc32(field_bytes(variant.rules)), np.array(actions, _action_dtype(game)).tobytes()
    packed = Packed(game.name, game.behaviour, *setup, script, variant.name, components, rules, chosen)
    content = zlib.compress(msgspec.msgpack.encode(packed), 9)
    return MAGIC + FORMAT + zlib.crc32(content).to_bytes(4, "big") + content


def unpack(data: bytes, variant: Variant | None) -> tuple[GameSetup, list[int]]:
    """Return the setup of a position's game, and its actions.

    Without `variant` it is made from the packed components; one with restrictions is required. Raises ArgumentError.
    """
    content = _content(data)
    try:
        packed: Packed = msgspec.msgpack.decode(_inflated(zlib.decompressobj(), content), type=built(Packed))
        game = load_game(packed.game)
        if packed.behaviour != game.behaviour:
            raise InputError(f"of behaviour {packed.behaviour} of {game.name}, but this is behaviour {game.behaviour}")
        if variant is None:
            text = _inflated(zlib.decompressobj(zdict=_base_components(game)), packed.components)
            components = msgspec.json.decode(text, type=dict[str, Any])
            variant = from_components(game, packed.variant, components, "components")
        rules = zlib.crc32(field_bytes(resolve_variant(game, variant).rules))
        if rules != packed.rules:
            raise InputError(f"of other rules than those of {variant.name!r}; give the variant that was played")
        setup = packed.players, packed.seed, packed.deal, variant, packed.start_player, packed.script
        return set_up_game(game, *setup), np.frombuffer(packed.actions, _action_dtype(game)).tolist()
    except (InputError, ValueError, zlib.error, msgspec.DecodeError) as error:
        raise ArgumentError("data", f"the bytes of a position that cannot be read: {error}") from None


def _content(data: bytes) -> bytes:
    if not isinstance(data, bytes) or not data.startswith(MAGIC):
        raise ArgumentError("data", f"expected the bytes of a position, got {short_repr(data)}")
    version = data[len(MAGIC) : len(MAGIC) + len(FORMAT)]
    if version != FORMAT:
        raise ArgumentError("data", f"expected a position of format {FORMAT!r}, got {version!r}")
    content = data[_HEAD:]
    if zlib.crc32(content) != int.from_bytes(data[_HEAD - 4 : _HEAD], "big"):
        raise ArgumentError("data", f"{len(data)} bytes of a position that are damaged or cut off")
    return content


def _inflated(inflater: Any, data: bytes) -> bytes:
    content: bytes = inflater.decompress(data, _MAX_SIZE)
    if not inflater.eof:
        raise zlib.error("incomplete, or too long")
    return content


@cache
def _base_components(game: Game) -> bytes:
    return msgspec.json.encode(resolve_variant(game, BASE).components)


def _action_dtype(game: Game) -> str:
    return "<u1" if game.actions <= 256 else "<u2" if game.actions <= 65_536 else "<u4"
