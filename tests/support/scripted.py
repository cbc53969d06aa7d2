"""What scripted games share: components of the file with other switches, seats that choose, lines of a record."""

import copy
import json
import tomllib
from pathlib import Path
from typing import Any

import strozzi_sim


def shipped(game: str, file: str = "components.toml") -> dict[str, Any]:
    """The content of a game's file."""
    return tomllib.loads((Path(strozzi_sim.__file__).parent / "games" / game / file).read_text("utf-8"))


def with_switches(components: dict[str, Any], section: str, switches: dict[str, Any]) -> dict[str, Any]:
    """A copy of components with some switches of a section changed."""
    assert set(switches) <= set(components[section])
    return copy.deepcopy(components) | {section: components[section] | switches}


def say(game: Any, *steps: tuple[int, Any]) -> Any:
    """Let the seats choose; each must be the one that is asked."""
    for seat, option in steps:
        assert game.actor == seat, f"seat {game.actor} is asked {game.legal}, not seat {seat} for {option}"
        game.play(option)
    return game


def lines(game: Any, kind: str) -> list[dict[str, Any]]:
    """All events of one type."""
    return [event for event in game.events if event["type"] == kind]


def record(game: Any, components: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[int, dict[str, Any]]]]:
    """Header and numbered lines, as they come out of a JSON file; the header is line 1."""
    name = type(game).__module__.split(".")[-2]
    header = {"type": "game", "game": name, "players": getattr(game, "players", 2), "components": components}
    header, *events = json.loads(json.dumps([header, *game.events]))
    return header, list(enumerate(events, start=2))
