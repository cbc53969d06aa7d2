"""The check of records: replay in the reference game."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.game.record_checking import Drawn, replayer
from strozzi_sim.template.reference import Game


def _all_tokens(components: Mapping[str, Any]) -> list[int]:
    return [kind + 1 for kind, copies in enumerate(components["tokens"]["copies"]) for _ in range(copies)]


REPLAY = replayer(Game, [Drawn("tokens", "reveal", "value", _all_tokens)], {"take": "value"})
check_game, replay_game = REPLAY.check_game, REPLAY.replay_game
